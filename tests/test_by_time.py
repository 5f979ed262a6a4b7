"""Commands about figures by time and about two times: PLOT, CORREL, COMPARE."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ListTimeline
from tests.goldens import compare, refusals
from tests.tables.disks import NOON, SECOND, samples
from zmon.base.absent import Absent
from zmon.screen.definition import load_screens
from zmon.session.commands import run
from zmon.session.navigator import CommandError
from zmon.session.session import Session

pytestmark = pytest.mark.usefixtures("utc")


def session(screen: str = "DEVICE") -> Session:
    """Return a session over a minute in which sda works more and more, and sdb evenly."""
    work = {"sda": list(range(1, 61)), "sdb": [30] * 60}
    found = Session(ListTimeline(samples(work)), load_screens(), screen)
    found.end()
    return found


def shown(line: str, first: str = "DEVICE") -> tuple[str, str]:
    """Return which screen a command leads to, and about what."""
    led = session(first)
    run(led, line)
    return led.page.screen.command, led.page.argument


@pytest.mark.parametrize(
    ("line", "argument"),
    [
        ("PLOT", "device.resp sda"),
        ("GRAPH", "device.resp sda"),
        ("PLO io", "device.io sda"),
        ("PLOT io sdb", "device.io sdb"),
        ("PLOT sdb", "device.resp sdb"),
        ("PLOT io sda sdb -30s", "device.io sda sdb -30s"),
        ("PLOT io sdb 12:00:30", f"device.io sdb @{NOON + 30 * SECOND}"),
        ("PLOT io sdb begin", f"device.io sdb @{NOON}"),
        ("PLOT DEVLOG.io", "device_log.io"),
        ("PLOT REDISP.io -1m", "system.io -60s"),
    ],
)
def test_plot_draws_what_is_named_else_what_is_chosen(line: str, argument: str) -> None:
    """A column and rows of the present list, or of any screen; and since when."""
    assert shown(line) == ("PLOT", argument)


@pytest.mark.parametrize(("first", "line"), [("MENU", "PLOT"), ("MENU", "31"), ("DEVICE", "31")])
def test_where_there_is_nothing_to_choose_plot_lists_what_it_can_draw(first: str, line: str) -> None:
    """So that the menu's item is of use."""
    assert shown(line, first) == ("PLOT", "")


def test_on_a_screen_by_time_the_thing_it_is_about_is_drawn() -> None:
    """Its rows are times."""
    led = session()
    run(led, "DEVLOG sdb")
    run(led, "PLOT io")
    assert led.page.argument == "device_log.io sdb"


def test_what_is_chosen_is_for_the_surface_to_say() -> None:
    """The glass has a cursor."""
    led = session()
    led.chosen = lambda: ("io", "sdb")
    run(led, "PLOT")
    assert led.page.argument == "device.io sdb"


def test_a_row_of_correl_is_drawn_by_its_name() -> None:
    """ENTER on it leads there, and so does PLOT."""
    led = session()
    run(led, "CORREL io sda")
    led.chosen = lambda: ("", "device.io sdb")
    assert (led.page.screen.command, led.page.argument) == ("CORREL", "device.io sda")
    run(led, "PLOT")
    assert led.page.argument == "device.io sdb"


@pytest.mark.parametrize("screen", ["MOVES", "FILES"])
@pytest.mark.parametrize("line", ["CORREL", "PLOT", "CORREL -10m"])
def test_rows_that_no_time_has_in_common_are_not_drawn(line: str, screen: str) -> None:
    """Proposals are others at each moment, and a part of a file on a disk has no counter."""
    led = session(screen)
    with pytest.raises(CommandError, match=rf"^{screen} "):
        run(led, line)
    assert led.page.screen.command == screen


REFUSED = (
    "PLOT io sdz",
    "PLOT DEVICE.nonsense",
    "PLOT io sda 2026-99-99",
    "CORREL label",
    "CORREL LPAR.number",
    "CORREL MOVES.times",
    "COMPARE",
    "COMPARE 12:00:10 12:00:20 12:00:30",
    "COMPARE 12:00:20-12:00:10",
    "COMPARE 12:00:20 - 12:00:10",
    "COMPARE 12:00:20 12:00:20",
    "COMPARE 12:00:10-nonsense",
    "COMPARE - 12:00:10",
    "COMPARE 12:00:10 nonsense",
    "COMPARE OFF",
    "COMPARE yesterday 9:00-yesterday 9:10",
)


def test_what_cannot_be_done_is_said() -> None:
    """And the page stays: tests/golden/said/times.txt."""
    led = session()
    compare("said/times", refusals(CommandError, lambda line: run(led, line), REFUSED))
    assert led.page.screen.command == "DEVICE"


def compared(led: Session, name: str = "io", key: str = "sda") -> list[object]:
    """Return what was then, is now, and the difference."""
    table = led.sheet().table
    row = table.keys.index(key)
    return [table.columns[name + what][row] for what in ("_then", "", "_diff")]


def test_the_intervals_that_end_at_the_marks_are_compared() -> None:
    """Each second does one I/O more than the one before; where the watch stands does not matter."""
    led = session()
    for line in ("GO 12:00:10", "MARK A", "GO 12:00:20", "MARK B", "GO end", "COMPARE"):
        run(led, line)
    assert compared(led) == [10, 20, 10]
    assert compared(led, key="sdb") == [30, 30, 0]
    assert led.sheet().keys == ["sda", "sdb"]


def test_the_present_interval_moves_on() -> None:
    """The other time stays."""
    led = session()
    run(led, "COMPARE 12:00:10-12:00:20")
    run(led, "GO 12:00:50")
    assert compared(led) == [15.5, 50, 34.5]


def test_two_times_are_compared_with_each_other() -> None:
    """The intervals that end there, as two marks; wherever the watch stands."""
    led = session()
    run(led, "COMPARE 12:00:10 12:00:20")
    run(led, "GO 12:00:50")
    assert compared(led) == [10, 20, 10]
    run(led, "COMPARE 12:00:20 12:00:10")
    assert compared(led) == [20, 10, -10]


@pytest.mark.parametrize(
    "period",
    [
        "12:00:10-12:00:20", "12:00:10 - 12:00:20", "12:00:10-+10s", "-40s--30s",
        "{0}T12:00:10-{0}T12:00:20", "{0} 12:00:10-{0} 12:00:20", "{0} 12:00:10 - {0} 12:00:20",
    ],
)  # fmt: skip
def test_a_period_is_two_times_with_a_sign_between(period: str) -> None:
    """Its average stands beside the interval that is shown."""
    led = session()
    run(led, "GO 12:00:50")
    day = datetime.fromtimestamp((led.utc or 0) / 1e9, UTC).date()
    run(led, f"COMPARE {period.format(day)}")
    assert compared(led) == [15.5, 50, 34.5]


def test_a_time_alone_stands_beside_the_interval_that_is_shown() -> None:
    """As a mark alone."""
    led = session()
    run(led, "GO 12:00:50")
    run(led, "COMPARE 12:00:10")
    assert compared(led) == [10, 50, 40]


def test_two_periods_are_compared_with_each_other() -> None:
    """Wherever the watch stands; `+` counts from the begin."""
    led = session()
    run(led, "COMPARE 12:00:10-12:00:20 12:00:20-+10s")
    run(led, "GO begin")
    assert compared(led) == [15.5, 25.5, 10]
    assert led.sheet().table.notes[0] == "A 12:00:10 - 12:00:20, B 12:00:20 - 12:00:30"


def test_a_comparison_can_be_sorted_and_filtered_as_every_list() -> None:
    """By any of its columns."""
    led = session()
    run(led, "COMPARE 12:00:10-12:00:20")
    run(led, "SORT io_diff ASC")
    assert led.sheet().keys == ["sdb", "sda"]
    run(led, "WHERE io_diff>10")
    assert led.sheet().keys == ["sda"]


def test_compare_off_shows_the_list_alone() -> None:
    """As it was."""
    led = session()
    run(led, "COMPARE 12:00:10 12:00:20")
    run(led, "COMPARE OFF")
    assert led.page.against is None
    assert "io_then" not in led.page.screen.by_name


@pytest.mark.parametrize("screen", ["REDISP", "MENU", "DEVICE sda"])
def test_only_lists_of_things_are_compared(screen: str) -> None:
    """What has a row per time compares times already."""
    led = session("MENU")
    run(led, screen)
    with pytest.raises(CommandError, match="cannot be compared"):
        run(led, "COMPARE 12:00:10 12:00:20")


def test_the_marks_are_compared_while_their_average_is_looked_at() -> None:
    """The interval at A with the one at B, not the average with a part of it."""
    led = session()
    for line in ("GO 12:00:10", "MARK A", "GO 12:00:20", "MARK B", "GO end", "AVERAGE", "COMPARE"):
        run(led, line)
    assert compared(led) == [10, 20, 10]


def test_correl_tells_of_the_chosen_figure() -> None:
    """Here nothing moved with what rose all the time but what follows from it."""
    led = session()
    run(led, "CORREL io sda")
    table = led.sheet().table
    told = dict(zip(table.keys, table.columns["r"], strict=True))
    assert told["system.io"] == pytest.approx(1)
    assert isinstance(told["device.io sdb"], Absent)


WORDS = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            [
                "io",
                "DEVICE.io",
                "sda",
                "-10s",
                "12:00",
                "+5s",
                "begin",
                "OFF",
                "yesterday",
                "@5",
                "@",
                "12:00-12:01",
                "-",
            ]
        ),
    ),
    max_size=5,
).map(" ".join)


@settings(deadline=None)
@given(st.sampled_from(["PLOT", "CORREL", "COMPARE"]), WORDS)
def test_whatever_is_typed_is_done_or_refused(command: str, operands: str) -> None:
    """With a sentence, and never another exception."""
    led = LED[0]
    led.open("DEVICE")
    with contextlib.suppress(CommandError):
        run(led, f"{command} {operands}")
        led.sheet()


LED = [session()]
"""Made once; each command begins on a new page."""
