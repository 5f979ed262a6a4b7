from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import absent
from zmon.base.shipped import shipped
from zmon.interval import Interval
from zmon.kinds import MACHINE
from zmon.screen.definition import load_screens
from zmon.screen.header import header

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.usefixtures("utc")
SCREENS = load_screens(shipped("screens"))
DEVICE, MENU = SCREENS.find("DEVICE"), SCREENS.find("MENU")
Z = {MACHINE: {"machine": {"type": "8561", "sequence": "00000000000A1B2"}}}


def test_the_header_stands_in_the_originals_columns(make_interval: Callable[..., Interval]) -> None:
    """Id in 2, CPU in 14, SER in 24, Interval in 35 to 62, mode to 79."""
    line = header(DEVICE, make_interval(Z, Z), live=True)
    assert line == " FCX108      CPU 8561  SER 0A1B2  Interval 22:13:20 - 22:14:20    Perf. Monitor"
    assert len(line) == 79


@pytest.mark.parametrize(
    "machine", [{"type": "9", "sequence": "Q"}, {}, {"type": "x" * 90, "sequence": "y\x1b" * 9}]
)
def test_the_interval_stays_in_its_place(
    machine: dict[str, str], make_interval: Callable[..., Interval]
) -> None:
    """Whatever type and serial say, or if they are not known."""
    rows = {MACHINE: {"machine": machine}}
    line = header(DEVICE, make_interval(rows, rows), live=True)
    assert (line[34:62], len(line)) == ("Interval 22:13:20 - 22:14:20", 79)
    assert line.isprintable()


def test_what_is_not_known_of_the_machine_is_dots(make_interval: Callable[..., Interval]) -> None:
    """As everything that is absent."""
    rows = {MACHINE: {"machine": {"type": absent("no /proc/sysinfo")}}}
    assert header(DEVICE, make_interval(rows, rows), live=True)[13:32] == "CPU ....  SER ....."


def test_the_first_sample_has_no_begin(make_interval: Callable[..., Interval]) -> None:
    """Dashes, because nobody knows since when."""
    assert header(DEVICE, make_interval(None, Z), live=True)[34:62] == "Interval --:--:-- - 22:14:20"


def test_a_screen_by_time_says_from_when_to_when(make_interval: Callable[..., Interval]) -> None:
    """Its rows cover more than the interval."""
    noon = 1_800_014_400_000_000_000
    line = header(DEVICE, make_interval(Z, Z), live=True, span=(noon, noon + 7_200_000_000_000))
    assert line[34:62] == "Interval 12:00:00 - 14:00:00"


def test_an_hour_that_the_clock_shows_twice_says_which_it_is(
    make_interval: Callable[..., Interval], zone: Callable[[str], None]
) -> None:
    """From the first 2:00 to 3:00 it is two hours; what has no room for it is left out."""
    zone("Europe/Berlin")
    first, hour = 1_792_886_400_000_000_000, 3_600_000_000_000
    for begin, end, times in (
        (first, first + 2 * hour, "02:00:00+02:00 - 03:00:00"),
        (first + hour, first + hour + 1_000_000_000, "02:00:00+01:00 - 02:00:01+01:00"),
    ):
        line = header(DEVICE, make_interval(Z, Z), live=False, span=(begin, end))
        assert f"Interval {times} " in line
        assert len(line) == 79


def test_a_time_over_days_says_which(make_interval: Callable[..., Interval]) -> None:
    """From midnight to midnight is a day, not nothing; seconds are written where they are not zero."""
    noon, day = 1_800_014_400_000_000_000, 86_400_000_000_000
    line = header(DEVICE, make_interval(Z, Z), live=False, span=(noon, noon + day))
    assert "Interval 01-15 12:00 - 01-16 12:00" in line
    assert len(line) == 79
    line = header(DEVICE, make_interval(Z, Z), live=False, span=(noon, noon + day + 7_000_000_000))
    assert "Interval 01-15 12:00:00 - 01-16 12:00:07" in line


def test_the_menu_has_its_title_instead(make_interval: Callable[..., Interval]) -> None:
    """It covers no interval."""
    line = header(MENU, make_interval(Z, Z), live=True)
    assert (line.index("FCX124"), line.index(MENU.title), line.rindex(" ")) == (1, 18, 71)


def test_what_is_not_measured_here_and_now_says_so(make_interval: Callable[..., Interval]) -> None:
    """A capture and a simulated machine are never taken for the live one."""
    interval = make_interval(Z, Z)
    simulated = Interval(interval.before, interval.after._replace(simulated=True))
    assert header(DEVICE, interval, live=False)[66:] == "Captured data"
    assert header(DEVICE, simulated, live=True)[66:] == "    Simulated"


@pytest.mark.parametrize(("width", "shown"), [(79, "lnx004  Interval 22:13:20 - 22:14:20"), (40, "lnx004")])
def test_a_system_of_a_fleet_is_named(width: int, shown: str, make_interval: Callable[..., Interval]) -> None:
    """At every width, because machine and time are those of other guests, too; the menu does the same."""
    line = header(DEVICE, make_interval(Z, Z), live=False, width=width, system="lnx004")
    assert line.startswith(" FCX108")
    assert shown in line
    assert len(line) == width
    assert "lnx004" in header(MENU, None, live=False, width=width, system="lnx004")
    assert "lnx004" in header(DEVICE, make_interval(Z, Z), live=False, times="A 1 to 2", system="lnx004")
