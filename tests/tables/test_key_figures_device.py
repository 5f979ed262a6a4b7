from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import Absent, absent
from zmon.interval import IDLE
from zmon.kinds import BLOCK, CMF, DASD, DEVICE, MACHINE
from zmon.machine.view import NoSuchThing, View
from zmon.tables.by_time import ESTIMATED
from zmon.tables.filled import fill
from zmon.tables.key_figures import DEVICE_GONE, device_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

MS = 1_000_000
NAMES = {"0.0.7000": "dasda", "0.0.7100": "dasdb"}
DEVICES: dict[str, dict[str, Any]] = {
    **{key: {"online": 1, "alias": 0, "block": name} for key, name in NAMES.items()},
    "0.0.70ff": {"online": 1, "alias": 1, "block": absent("an alias has none")},
    "0.0.0620": {"online": 1, "alias": 0, "block": absent("a CTCA has none")},
}


def cmf(rate: float, conn: float) -> dict[str, Any]:
    count = round(rate * 60)
    return {"ssch": count, "samples": count, "pending": 0, "disconnect": 0, "cu_queue": 0,
            "connect": round(count * conn * MS)}  # fmt: skip


def block(rate: float, resp: float) -> dict[str, Any]:
    count = round(rate * 60)
    return {"reads": count, "writes": 0, "read_ms": round(count * resp), "write_ms": 0, "weighted_ms": 0,
            "sectors_read": 8 * count, "sectors_written": 0}  # fmt: skip


MEASURED = {"0.0.7000": cmf(10, 1.0), "0.0.7100": cmf(40, 2.0), "0.0.70ff": cmf(50, 4.0),
            "0.0.0620": cmf(2, 600.0)}  # fmt: skip
BLOCKS = {"dasda": block(55, 12.0), "dasdb": block(40, 3.0)}


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute of two volumes, an alias and a CTCA, measured or not."""

    def made(measured: dict[str, Any] = MEASURED, blocks: dict[str, Any] = BLOCKS) -> Interval:
        before = {DEVICE: DEVICES, CMF: {k: dict.fromkeys(v, 0) for k, v in measured.items()},
                  BLOCK: {k: dict.fromkeys(v, 0) for k, v in blocks.items()}}  # fmt: skip
        labels = {"0.0.7000": {"volser": "LX7000"}, "0.0.7100": {"volser": "LX7100"}}
        after = {DEVICE: DEVICES, CMF: measured, BLOCK: blocks, DASD: labels}
        return make_interval(before, after | {MACHINE: {"machine": {"environment": "lpar"}}})

    return made


def test_all_disks_are_the_first_line_of_device(minute: Callable[..., Interval]) -> None:
    """Aliases count, a CTCA does not."""
    cells = device_figures(View(minute()))
    assert cells["io"] == pytest.approx(100)
    assert cells["serv"] == pytest.approx((10 * 1 + 40 * 2 + 50 * 4) / 100)
    assert cells["resp"] == pytest.approx((55 * 12 + 40 * 3) / 95)


def test_weights_are_what_the_averages_are_averages_of(minute: Callable[..., Interval]) -> None:
    """Starts that were measured, requests that were answered."""
    cells = device_figures(View(minute()))
    assert [cells["measured"], cells["answered"]] == pytest.approx([100, 95])
    cells = device_figures(View(minute({"0.0.7100": cmf(40, 2.0)})))
    assert cells["measured"] == pytest.approx(40)


def test_the_busiest_is_the_one_that_was_busy_for_most_of_the_time(minute: Callable[..., Interval]) -> None:
    """An alias may be it; the CTCA, which is always reading, never is."""
    cells = device_figures(View(minute()))
    assert [cells[name] for name in ("addr", "drate", "busy", "share")] == [
        "70FF", pytest.approx(50), pytest.approx(20), pytest.approx(50),
    ]  # fmt: skip


def test_without_measurement_the_busiest_is_the_one_with_most_io(minute: Callable[..., Interval]) -> None:
    """Linux's own requests stand in, marked."""
    cells = device_figures(View(minute({})))
    assert (cells["addr"], cells["label"]) == ("7000", "LX7000")
    assert cells["share"] == pytest.approx(5500 / 95)
    assert cells[ESTIMATED] == "io drate share"


def test_an_idle_minute_has_no_busiest(minute: Callable[..., Interval]) -> None:
    """No I/O is zero I/O, of nobody."""
    idle = {key: cmf(0, 0) for key in MEASURED}
    cells = device_figures(View(minute(idle, {"dasda": block(0, 0), "dasdb": block(0, 0)})))
    assert cells["io"] == 0
    assert cells["addr"] == cells["share"] == IDLE


@pytest.mark.parametrize("name", ["7100", "0.0.7100", "dasdb", "lx7100"])
def test_one_device(name: str, minute: Callable[..., Interval]) -> None:
    """By number, bus id, name or label."""
    found = fill("device_log", View(minute(), argument=name))
    assert [found.columns[n] for n in ("addr", "io", "resp", "serv")] == [
        ["7100"], pytest.approx([40]), pytest.approx([3]), pytest.approx([2]),
    ]  # fmt: skip


def test_a_device_that_is_not_there(minute: Callable[..., Interval]) -> None:
    """The sentence says where those are that are."""
    with pytest.raises(NoSuchThing, match="'9999'"):
        fill("device_log", View(minute(), argument="9999"))


def test_a_device_that_was_not_there_then(minute: Callable[..., Interval]) -> None:
    """In an earlier interval."""
    assert device_figures(View(minute()), "0.0.9999")["io"] is DEVICE_GONE


def test_without_devices_nothing_is_known(make_interval: Callable[..., Interval]) -> None:
    """It is not zero."""
    cells = device_figures(View(make_interval({}, {})))
    assert {name for name, value in cells.items() if not isinstance(value, Absent)} == {ESTIMATED}
