from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import Absent
from zmon.interval import IDLE
from zmon.kinds import CMF, DEVICE
from zmon.machine.view import NoSuchThing, View
from zmon.tables.filled import fill
from zmon.tables.key_figures import NO_SUCH_LCU, lcu_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

MS = 1_000_000


def cmf(rate: float, conn: float = 1.0) -> dict[str, Any]:
    count = round(rate * 60)
    return {"ssch": count, "samples": count, "pending": 0, "disconnect": 0,
            "connect": round(count * conn * MS)}  # fmt: skip


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute of LCUs 2480, 2481 ... with these rates, in the box A."""

    def made(*rates: float, box: str = "A") -> Interval:
        devices: dict[str, dict[str, Any]] = {
            f"0.0.7{n}00": {"online": 1, "alias": 0, "uid": f"IBM.{box}.248{n}.00"} for n in range(len(rates))
        }
        measured = {key: cmf(rate) for key, rate in zip(devices, rates, strict=True)}
        zeros = {key: dict.fromkeys(value, 0) for key, value in measured.items()}
        return make_interval({DEVICE: devices, CMF: zeros}, {DEVICE: devices, CMF: measured})

    return made


def test_the_busiest_and_its_part_of_all(minute: Callable[..., Interval]) -> None:
    """Eight LCUs of which one does almost everything."""
    cells = lcu_figures(View(minute(1, 0, 90, 9, 0, 0, 0, 0)))
    assert [cells[name] for name in ("ssid", "share", "fair", "active", "units")] == [
        "2482", pytest.approx(90), pytest.approx(7.2), 3, 8,
    ]  # fmt: skip


def test_of_two_as_busy_it_is_the_first(minute: Callable[..., Interval]) -> None:
    """So that it does not change from row to row without a reason."""
    assert lcu_figures(View(minute(5, 50, 50)))["ssid"] == "2481"


def test_an_idle_minute_has_no_busiest(minute: Callable[..., Interval]) -> None:
    """None of them is active, which is known."""
    cells = lcu_figures(View(minute(0, 0)))
    assert cells["ssid"] == cells["share"] == IDLE
    assert (cells["active"], cells["all"]) == (0, 0)


@pytest.mark.parametrize("name", ["2481", "ibm.a.2481"])
def test_one_of_them(name: str, minute: Callable[..., Interval]) -> None:
    """By its SSID or its whole name."""
    found = fill("control_unit_log", View(minute(75, 25), argument=name))
    assert found.columns["ssid"] == ["2481"]
    assert found.columns["share"] == pytest.approx([25])


def test_one_that_is_not_there(minute: Callable[..., Interval]) -> None:
    """CTLUNIT lists those that are."""
    with pytest.raises(NoSuchThing, match=r"'9999'.*\bCTLUNIT\b"):
        fill("control_unit_log", View(minute(1), argument="9999"))


def test_an_ssid_of_two_boxes_names_neither(make_interval: Callable[..., Interval]) -> None:
    """The sentence has both names."""
    devices = {
        f"0.0.7{n}00": {"online": 1, "alias": 0, "uid": f"IBM.{box}.2480.00"} for n, box in enumerate("AB")
    }
    view = View(make_interval({DEVICE: devices}, {DEVICE: devices}), argument="2480")
    with pytest.raises(NoSuchThing, match=r"IBM\.A\.2480 .*IBM\.B\.2480"):
        fill("control_unit_log", view)


def test_one_that_was_not_there_then(minute: Callable[..., Interval]) -> None:
    """In an earlier interval; what all had together is known."""
    cells = lcu_figures(View(minute(1, 2)), "IBM.A.9999")
    assert cells["io"] is NO_SUCH_LCU
    assert cells["all"] == pytest.approx(3)


def test_without_lcus_nothing_is_known(make_interval: Callable[..., Interval]) -> None:
    """It is not zero."""
    assert all(isinstance(value, Absent) for value in lcu_figures(View(make_interval({}, {}))).values())
