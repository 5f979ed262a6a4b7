from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import Absent
from zmon.kinds import CPU
from zmon.machine.cpus import EVERY
from zmon.machine.view import NoSuchThing, View
from zmon.tables.filled import fill
from zmon.tables.key_figures import NO_SUCH_CPU, cpu_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

SECOND = 1_000_000_000
NAMES = (*EVERY, "guest", "guest_nice")


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Interval:
    """Return a minute in which CPU 0 was busy for a half and CPU 12 for three quarters."""
    rows = {
        key: dict.fromkeys(NAMES, 0) | {"user": user * SECOND, "idle": (60 - user) * SECOND, "online": 1}
        for key, user in (("0", 30), ("12", 45))
    }
    zeros = {key: dict.fromkeys(NAMES, 0) | {"online": 1} for key in rows}
    return make_interval({CPU: zeros}, {CPU: rows})


def test_the_mean_of_all_and_the_busiest(minute: Interval) -> None:
    """Each CPU counts the same."""
    cells = cpu_figures(View(minute))
    assert [cells[name] for name in ("busy", "wait", "online", "busiest", "highest")] == [
        62.5, 37.5, 2, "P12", 75.0,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["12", "P12", "p12", " 012 "])
def test_one_of_them(name: str, minute: Interval) -> None:
    """By its number, or as CPU calls it."""
    assert fill("cpu_log", View(minute, argument=name)).columns["busy"] == [75.0]


@pytest.mark.parametrize("name", ["1", "nope", "P", "P1"])
def test_one_that_is_not_there(name: str, minute: Interval) -> None:
    """The sentence says which are."""
    with pytest.raises(NoSuchThing, match="0, 12"):
        fill("cpu_log", View(minute, argument=name))


def test_one_that_was_not_there_then(minute: Interval) -> None:
    """In an earlier interval."""
    assert cpu_figures(View(minute), "3")["busy"] is NO_SUCH_CPU


def test_nothing_is_known_without_cpus(make_interval: Callable[..., Interval]) -> None:
    """It is not zero."""
    assert all(isinstance(value, Absent) for value in cpu_figures(View(make_interval({}, {}))).values())
