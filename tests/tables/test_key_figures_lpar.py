from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import Absent
from zmon.kinds import LPAR, LPAR_CPU, PHYSICAL_CPU
from zmon.machine.partitions import NO_OWN, UNDESCRIBED
from zmon.machine.view import NoSuchThing, View
from zmon.tables.filled import fill
from zmon.tables.key_figures import partition_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

US = 1_000_000


def cpu(lpar: str, busy: float, wait: float, seconds: float = 60, kind: str = "IFL") -> dict[str, Any]:
    """Return a logical processor that was on line for so long, and busy for so many percent of it."""
    return {"lpar": lpar, "type": kind, "cpu": "0", "online": int(seconds > 0), "weight": 100, "dedicated": 0,
            "accumulated": round(busy * seconds * US / 100), "dispatched": round(busy * seconds * US / 100),
            "wait": round(wait * seconds * US / 100), "online_time": round(seconds * US),
            "clock": 60 * US}  # fmt: skip


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute of two partitions, of which the first is the own one."""

    def made(**processors: dict[str, Any]) -> Interval:
        counters = ("accumulated", "dispatched", "wait", "online_time", "clock")
        rows = {key.replace("_", "/"): row for key, row in processors.items()}
        zeros = {key: row | dict.fromkeys(counters, 0) for key, row in rows.items()}
        lpars = {"PROD": {"own": 1, "number": 3, "upid": "03", "cpus": 3}, "TEST": {"own": 0, "number": 4}}
        engines = {"0": {"type": "IFL", "dedicated": 0}, "1": {"type": "IFL", "dedicated": 0}}
        return make_interval(
            {LPAR: lpars, LPAR_CPU: zeros, PHYSICAL_CPU: engines},
            {LPAR: lpars, LPAR_CPU: rows, PHYSICAL_CPU: engines},
        )

    return made


def test_the_own_partition_per_processor_on_line(minute: Callable[..., Interval]) -> None:
    """One that was on line for half the time counts half, one off line not at all."""
    cells = partition_figures(View(minute(PROD_0=cpu("PROD", 60, 30), PROD_1=cpu("PROD", 90, 10, 30),
                           PROD_2=cpu("PROD", 0, 0, 0), TEST_0=cpu("TEST", 5, 95))))  # fmt: skip
    assert (cells["partition"], cells["online"], cells["procs"]) == ("PROD", 2, 3)
    assert cells["busy"] == pytest.approx(70)
    assert cells["susp"] == pytest.approx((10 * 60 + 0 * 30) / 90)
    assert cells["logld"] == pytest.approx(100 * 70 / (100 - 600 / 90))


def test_another_partition(minute: Callable[..., Interval]) -> None:
    """Its suspended time nobody tells."""
    found = fill(
        "lpar_log", View(minute(PROD_0=cpu("PROD", 60, 30), TEST_0=cpu("TEST", 5, 95)), argument="test")
    )
    assert (found.columns["partition"], found.columns["busy"]) == (["TEST"], [5.0])
    assert isinstance(found.columns["susp"][0], Absent)


def test_a_number_that_is_a_name_has_no_mean(minute: Callable[..., Interval]) -> None:
    """Nobody is partition three and a half."""
    found = fill("lpar_log", View(minute(PROD_0=cpu("PROD", 60, 30))))
    assert found.summary is not None
    assert (found.columns["number"], found.summary.cells["number"]) == (["3"], "")


def test_types_of_its_processors(minute: Callable[..., Interval]) -> None:
    """All there are."""
    cells = partition_figures(View(minute(PROD_0=cpu("PROD", 1, 1), PROD_1=cpu("PROD", 1, 1, kind="CP"))))
    assert cells["type"] == "CP/IFL"


def test_one_that_is_not_there(minute: Callable[..., Interval]) -> None:
    """The sentence says which are."""
    with pytest.raises(NoSuchThing, match="PROD, TEST"):
        fill("lpar_log", View(minute(), argument="nope"))


def test_one_that_was_not_there_then(minute: Callable[..., Interval]) -> None:
    """In an earlier interval."""
    assert partition_figures(View(minute(PROD_0=cpu("PROD", 1, 1))), "LATER")["busy"] is UNDESCRIBED


def test_nobody_knows_which_is_the_own_one(make_interval: Callable[..., Interval]) -> None:
    """It is not guessed."""
    rows = {LPAR: {"A": {"own": 0}}, LPAR_CPU: {"A/0": cpu("A", 1, 1)}}
    assert partition_figures(View(make_interval(rows, rows)))["busy"] is NO_OWN
