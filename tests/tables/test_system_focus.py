from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import absent
from zmon.kinds import BLOCK, CHANNEL, DEVICE
from zmon.machine.view import NoSuchThing, View
from zmon.tables.system import FOCUS_WEIGHTS, NO_DEVICE, NO_LCU, NO_LOAD, focus_figures, focus_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

DEVICES: dict[str, dict[str, Any]] = {
    "0.0.7000": {"online": 1, "alias": 0, "block": "dasda", "uid": "IBM.A.2480.00", "chpids": "40 41"},
    "0.0.7001": {"online": 1, "alias": 0, "block": "dasdb", "uid": "IBM.A.2480.01", "chpids": "42"},
    "0.0.0190": {"online": 1, "alias": 0, "block": "dasdc", "uid": "", "chpids": absent("not read")},
}


def requests(rate: float, resp: float = 2.0) -> dict[str, Any]:
    return {"reads": round(rate * 60), "writes": 0, "read_ms": round(rate * 60 * resp), "write_ms": 0}


def path(percent: float) -> dict[str, Any]:
    return {"type": 0x1B, "timestamp": 468_750, "max_work_units": 10_000,
            "work_units_cpc": round(percent * 6000)}  # fmt: skip


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute of three volumes with these rates, of which two share an LCU."""

    def made(*rates: float) -> Interval:
        disks = {name: requests(rate) for name, rate in zip(("dasda", "dasdb", "dasdc"), rates, strict=True)}
        paths = {"0.40": path(20), "0.41": path(60), "0.43": path(99)}
        zeros = {key: row | {"timestamp": 0, "work_units_cpc": 0} for key, row in paths.items()}
        return make_interval(
            {DEVICE: DEVICES, BLOCK: dict.fromkeys(disks, requests(0)), CHANNEL: zeros},
            {DEVICE: DEVICES, BLOCK: disks, CHANNEL: paths},
        )

    return made


def test_the_device_with_what_it_depends_on(minute: Callable[..., Interval]) -> None:
    """Its control unit has the I/O of all its volumes; of its own paths the busiest counts."""
    cells = focus_figures(View(minute(30, 10, 10)), "0.0.7000")
    names = ("addr", "io", "share", "lcu", "lcuio", "lcushare", "chpid", "chbusy")
    assert [cells[name] for name in names] == [
        "7000", 30.0, 60.0, "2480", 40.0, 100.0, "41", pytest.approx(60),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["7001", "DEVICE 7001", "dev 7001", "dasdb", "DEVICE dasdb"])
def test_it_goes_by_many_names(name: str, minute: Callable[..., Interval]) -> None:
    """The Toolkit writes DEVICE before it."""
    assert focus_table(View(minute(1, 2, 3), argument=name)).columns["addr"] == ["7001"]


def test_without_a_name_it_is_the_busiest(minute: Callable[..., Interval]) -> None:
    """Which is said, because it may be another one in a minute."""
    found = focus_table(View(minute(1, 2, 3)))
    assert found.columns["addr"] == ["0190"]
    (note,) = found.notes
    assert "0190" in note
    assert "BENCHMRK nnnn" in note


def test_an_idle_machine_has_no_busiest(minute: Callable[..., Interval]) -> None:
    """The sentence says how to get one."""
    found = focus_table(View(minute(0, 0, 0)))
    assert (found.keys, found.missing) == ([], NO_DEVICE)


def test_a_device_that_is_not_there(minute: Callable[..., Interval]) -> None:
    """It is not taken for the busiest."""
    with pytest.raises(NoSuchThing):
        focus_table(View(minute(1, 2, 3), argument="9999"))


def test_what_a_device_does_not_depend_on_is_absent(minute: Callable[..., Interval]) -> None:
    """With the reason."""
    cells = focus_figures(View(minute(1, 2, 3)), "0.0.0190")
    assert (cells["lcu"], cells["lcuresp"]) == (NO_LCU, NO_LCU)
    assert cells["chbusy"] == absent("not read")
    assert focus_figures(View(minute(1, 2, 3)), "0.0.7001")["chbusy"] == NO_LOAD


def test_every_weight_is_a_figure(minute: Callable[..., Interval]) -> None:
    """Else a mean would weigh with time alone."""
    assert set(FOCUS_WEIGHTS.values()) <= set(focus_figures(View(minute(1, 2, 3)), "0.0.7000"))
