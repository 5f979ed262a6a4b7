from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import ListTimeline
from tests.once import run_anew
from tests.ui.conftest import MINUTE, NOON
from zmon.base.event import Event, What
from zmon.diagnosis.conclusion import Conclusion
from zmon.interval import Interval
from zmon.kinds import PROCESS, UNIT, UNIT_IO
from zmon.lab import simulation
from zmon.machine.view import NoSuchThing
from zmon.registry import NO_PROCESSES
from zmon.sample import empty_frame
from zmon.screen.definition import load_screens
from zmon.session import page
from zmon.session.commands import COMMANDS
from zmon.session.exception_log import ExceptionLog
from zmon.session.machines import open_lab
from zmon.session.page import ConcludeTask, FillTask, PreviewTask
from zmon.session.session import Session
from zmon.tables.device import CP_ONLY
from zmon.ui.actions import GlassActions
from zmon.ui.glass import Glass
from zmon.ui.keys import BY_NAME, FUNCTIONS
from zmon.ui.line import texts
from zmon.ui.threads import Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zmon.sample import Sample
    from zmon.session.navigator import CursorMove
    from zmon.session.page import BehindTask
    from zmon.tables.table import Table


class Pace:
    """Notes what the glass asks for: samples, moves and tables."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self.held = False
        self.asked: list[str] = []
        self.filling: FillTask | None = None
        self.moves: list[CursorMove] = []

    def now(self) -> None:
        """Note it."""
        self.asked.append("now")

    def hold(self, *, held: bool) -> None:
        """Note it."""
        self.held = held

    def fill(self, filling: FillTask) -> None:
        """Note it."""
        self.filling = filling

    def move(self, move: CursorMove) -> None:
        """Note it."""
        self.moves.append(move)

    def work(self, glass: Glass) -> None:
        """Do all that was asked for, as the thread would, and tell the glass."""
        while self.moves or self.filling:
            if self.moves:
                move = self.moves.pop(0)
                glass.moved(move, move.run(), move.cursor.timeline.overview())
            elif self.filling:
                filling, self.filling = self.filling, None
                glass.filled(filling, filling.table())


@pytest.fixture
def pace() -> Pace:
    """Return who would take the samples."""
    return Pace()


@pytest.fixture
def live(make_timeline: Callable[..., Any], pace: Pace, utc: None) -> Glass:  # noqa: ARG001 - clocks show UTC
    """Return the glass before the first sample of a live machine; DEVICE is to be opened."""
    return Glass(
        Session(make_timeline([], live=True), load_screens()), "DEVICE", pace, pace, actions=GlassActions()
    )


def shown(glass: Glass) -> str:
    """Return the whole screen as one text."""
    return texts(glass.lines())


def test_every_size_is_filled_exactly(glass: Glass) -> None:
    """There are as many lines as the terminal has, from 1x1 on."""
    for command in ("MENU", "CHANNEL", "DEVICE 7003", "HELP"):
        glass.type(command)
        glass.press("enter")
        for width, height in [(1, 1), (10, 3), (40, 9), (80, 24), (132, 43), (300, 100)]:
            glass.resize(width, height)

            assert len(glass.lines()) == height


def test_the_first_command_waits_for_the_first_sample(
    live: Glass, make_sample: Callable[..., Sample]
) -> None:
    """A screen given at the start opens when there is something to show."""
    assert "Waiting for " in shown(live)

    live.sampled(make_sample(0))

    assert "FCX108" in shown(live)


def test_a_first_look_at_this_machine_stays_until_there_is_an_interval(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """The first sample that is kept has no figures yet; with the second nothing speaks of a first look."""
    live.looked(Interval(make_sample(0), make_sample(1)))
    assert "First look" in shown(live)
    seen = live.interval

    live.sampled(make_sample(2))
    pace.work(live)
    assert live.interval is seen
    assert "First look" in shown(live)

    live.sampled(make_sample(3))
    pace.work(live)
    assert live.interval is live.session.interval is not seen
    assert live.first_look is None
    assert "First look" not in shown(live)


def test_tables_are_shown_though_filling_them_takes_longer_than_samples_come(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """Samples wait for the table that is being filled; then the last of them is gone on to, and only that."""
    for minute in range(2):
        live.sampled(make_sample(minute))
    for minute in range(2, 5):
        assert pace.filling is not None
        filling, pace.filling = pace.filling, None
        live.sampled(make_sample(2 * minute))
        live.sampled(make_sample(2 * minute + 1))
        live.receive(Result(filling, table=filling.table()))
        assert live.interval is filling.view.interval

    pace.work(live)
    assert live.settled
    assert live.interval is live.session.interval
    assert live.interval is not None
    assert live.interval.after.at == make_sample(9).at
    assert live.interval.before is not None
    assert live.interval.before.at == make_sample(8).at


def test_samples_that_wait_for_a_table_are_not_shown_when_the_screen_is_held(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """What was held stays; a table that cannot be filled does not keep the next sample from being shown."""
    for minute in range(3):
        live.sampled(make_sample(minute))
    pace.held = True
    pace.work(live)
    assert live.interval is not None
    assert live.interval.after.at == make_sample(1).at

    pace.held = False
    live.sampled(make_sample(3))
    filling, pace.filling = pace.filling, None
    live.sampled(make_sample(4))
    live.receive(Result(filling, error="DEVICE cannot be filled: it broke"))
    assert "it broke" in shown(live)
    pace.work(live)
    assert live.interval.after.at == make_sample(4).at


def test_a_wrong_first_command_is_said_on_the_overview(
    make_timeline: Callable[..., Any], make_sample: Callable[..., Sample], pace: Pace
) -> None:
    """Who starts with what is not there gets OVERVIEW and the reason."""
    glass = Glass(
        Session(make_timeline([], live=True), load_screens()),
        "DEVICE 9999",
        pace,
        pace,
        actions=GlassActions(),
    )
    glass.sampled(make_sample(0))

    assert glass.session.page.screen.command == "OVERVIEW"
    assert "no device '9999'" in shown(glass)


def test_a_sample_is_shown_when_its_table_is_filled(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """Header and rows change together."""
    live.sampled(make_sample(0))
    live.sampled(make_sample(1))

    assert "--:--:-- - 12:00:00" in shown(live)

    assert pace.filling is not None
    live.filled(pace.filling, pace.filling.table())

    assert "12:00:00 - 12:01:00" in shown(live)


def test_a_table_of_a_screen_that_was_left_changes_nothing(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """What comes too late is not shown on another screen."""
    live.sampled(make_sample(0))
    live.sampled(make_sample(1))
    late = pace.filling
    live.type("CTLUNIT")
    live.press("enter")
    before = shown(live)
    assert late is not None
    live.filled(late, late.table())

    assert shown(live) == before


def test_a_held_screen_stands_still(live: Glass, pace: Pace, make_sample: Callable[..., Sample]) -> None:
    """SPACE holds the screen, which says so; samples on their way are not shown."""
    live.sampled(make_sample(0))
    live.press("pause")
    live.sampled(make_sample(1))

    assert pace.filling is None
    assert "Held: SPACE " in shown(live)


def test_refresh_takes_a_sample(live: Glass, pace: Pace) -> None:
    """Ctrl+R does not wait for the interval to end."""
    live.press("refresh")

    assert pace.asked == ["now"]


def test_a_live_machine_has_no_samples_before(live: Glass, make_sample: Callable[..., Sample]) -> None:
    """Stepping is for what is recorded, and it is said."""
    live.sampled(make_sample(0))
    live.press("earlier")

    assert "--record FILE" in " ".join(shown(live).split())


def test_a_failed_sample_is_said_and_the_screen_stays(
    live: Glass, make_sample: Callable[..., Sample]
) -> None:
    """A message tells what failed above what was seen last."""
    live.sampled(make_sample(0))
    live.failed("No sample: Input/output error")

    assert "No sample: Input/output error" in shown(live)
    assert "FCX108" in shown(live)


def test_a_table_that_fails_gives_way_to_the_reason_and_comes_back(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """Old figures are not shown under a new interval; the next good table is."""
    live.sampled(make_sample(0))
    live.sampled(make_sample(1))
    live.failed("DEVICE cannot be filled: no reason", pace.filling)

    assert "7003 3390-9" not in shown(live)

    live.sampled(make_sample(2))
    assert pace.filling is not None
    live.filled(pace.filling, pace.filling.table())

    assert "7003 3390-9" in shown(live)


def test_help_of_a_page_says_why_there_are_dots(glass: Glass) -> None:
    """On a page every absent field has its reason."""
    glass.type("DEVICE 7003")
    glass.press("enter")
    glass.press("help")
    glass.press("bottom")

    assert CP_ONLY.reason in shown(glass)


def test_help_goes_from_column_to_screen_to_keys(glass: Glass) -> None:
    """F1 again tells more; F12 returns to the screen at once."""
    glass.type("CTLUNIT")
    glass.press("enter")
    before = shown(glass)
    glass.press("next_column")
    titles = []
    for _ in range(3):
        glass.press("help")
        titles.append(next(w for w in ("ssid - LCU", "FCX176 CTlunit", " Keys") if w in shown(glass)))
    glass.press("back")

    assert titles == ["ssid - LCU", "FCX176 CTlunit", " Keys"]
    assert shown(glass) == before


def test_help_of_what_is_no_column_says_which_there_are(glass: Glass) -> None:
    """A wrong name is answered with the right ones."""
    glass.type("DEVICE")
    glass.press("enter")
    glass.type("HELP foo")
    glass.press("enter")

    assert "'foo' is no column" in shown(glass)


def test_commands_before_the_first_sample_wait_for_it(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """They are carried out in their order, after the command of the command line."""
    order(live, "CHANNEL")
    order(live, "SORT chpid DESC")
    assert "SORT chpid DESC: waits" in shown(live)

    live.sampled(make_sample(1, 2))
    pace.work(live)

    assert [page.screen.command for page in live.session.pages] == ["OVERVIEW", "DEVICE", "CHANNEL"]
    assert live.session.page.order == ("chpid", True)
    assert ": waits" not in shown(live)


@pytest.mark.parametrize("line", ["QUIT", "EXIT"])
def test_zmon_can_be_left_before_the_first_sample(live: Glass, line: str) -> None:
    """A machine that gives none keeps nobody."""
    order(live, line)
    assert live.ended


def test_a_pasted_line_waits_for_enter(glass: Glass) -> None:
    """It may be changed before it is given, whether its end was pasted or not."""
    glass.paste(["DEVICE", ""])
    assert (glass.entry.text, glass.session.page.screen.command) == ("DEVICE", "MENU")


def test_pasted_lines_are_commands(glass: Glass) -> None:
    """Each is carried out, what was typed before being the begin of the first."""
    glass.type("DEV")
    glass.paste(["ICE", "", "SORT addr DESC"])
    assert (glass.session.page.screen.command, glass.session.page.order) == ("DEVICE", ("addr", True))
    assert glass.entry.text == ""


def test_pasted_lines_stop_where_one_is_wrong(glass: Glass) -> None:
    """The lines behind it may rest on it."""
    glass.paste(["DEVICE", "SORT nonsense", "CHANNEL"])
    assert glass.session.page.screen.command == "DEVICE"
    assert "'nonsense'" in shown(glass)


def test_a_paste_of_a_whole_text_is_no_list_of_commands(glass: Glass) -> None:
    """It is refused, with the number of its lines."""
    glass.paste(["CHANNEL"] * 21)
    assert "21 lines were pasted" in shown(glass)
    assert glass.session.page.screen.command == "MENU"


def test_a_click_on_keys_lists_them(glass: Glass) -> None:
    """The last line names only what fits; there all are."""
    line = glass.lines()[-1].text
    glass.click(line.index("?=Keys"), 23)
    assert BY_NAME["enter"].help in shown(glass)


def test_an_empty_list_offers_nothing_to_choose(glass: Glass) -> None:
    """Where there are no rows nobody is asked to select one."""
    order(glass, "DEVICE")
    assert "Select a device" in shown(glass)

    order(glass, "WHERE resp>100000")
    assert "Nothing to show: " in shown(glass)
    assert "Select a device" not in shown(glass)


def test_an_empty_list_may_lead_to_another_one(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """Where there are no units, processes tell who reads and writes."""
    frames = {kind.name: empty_frame(kind, "no unit") for kind in (UNIT, UNIT_IO)}
    processes = {PROCESS.name: empty_frame(PROCESS, NO_PROCESSES)}
    live.sampled(make_sample(1)._replace(frames=frames | processes))
    order(live, "USER")
    pace.work(live)
    assert "ENTER goes to UPROC" in shown(live)
    order(live, "")
    assert live.session.page.screen.command == "UPROC"


def test_what_takes_long_is_said(live: Glass, pace: Pace, make_sample: Callable[..., Sample]) -> None:
    """While it lasts, and no longer."""
    live.sampled(make_sample(1, 2))
    pace.work(live)
    live.sampled(make_sample(2, 2))
    live.slow = True
    assert "Reading a list ..." in shown(live)

    pace.work(live)
    assert "Reading" not in shown(live)


def test_escape_first_clears_what_was_typed(glass: Glass) -> None:
    """A command that is not given yet is dropped before the screen is left."""
    glass.type("foo")
    glass.press("back")

    assert (glass.entry.text, glass.ended) == ("", False)


def test_returning_from_the_first_screen_ends(glass: Glass) -> None:
    """F3 on the menu leaves zmon when it comes again."""
    glass.press("back")
    assert not glass.ended
    assert "Esc, F3 or F12 again " in shown(glass)

    glass.press("back")
    assert glass.ended


@pytest.mark.parametrize("other", ["down", "help", "refresh"])
def test_another_key_stays(glass: Glass, other: str) -> None:
    """The question whether to leave is forgotten when anything else is done."""
    glass.press("back")
    glass.press(other)
    glass.press("back")
    assert not glass.ended


def test_interrupt_asks_once_on_every_screen(glass: Glass) -> None:
    """Ctrl+C leaves zmon from anywhere when it comes again; Ctrl+Q and QUIT at once."""
    order(glass, "DEVICE")
    glass.press("interrupt")
    assert not glass.ended
    assert "Ctrl+C again leaves zmon" in shown(glass)
    glass.press("interrupt")
    assert glass.ended


def test_return_typed_twice_leaves(glass: Glass) -> None:
    """The command asks as the key does, and typing it again is the answer."""
    order(glass, "RETURN")
    assert not glass.ended
    order(glass, "RETURN")
    assert glass.ended


@pytest.mark.parametrize("word", ["quit", "RETURN"])
def test_quit_leaves_at_once(glass: Glass, word: str) -> None:
    """Without a question; RETURN goes back first where there is a screen to go back to."""
    order(glass, "DEVICE")
    order(glass, word)
    assert glass.ended == (word == "quit")


def test_the_menu_is_walked_with_the_arrows(glass: Glass) -> None:
    """Right and left go to the next column of the menu, up and down through its items."""
    glass.press("down")
    below = glass.pane.command
    glass.press("column_left")

    assert below == "CTLUNIT"
    assert glass.pane.command in {"CPU", "LPAR", "STORAGE", "SYSTEM"}


def test_again_finds_the_next_one(glass: Glass) -> None:
    """Ctrl+N goes on looking for the same text."""
    glass.type("DEVICE")
    glass.press("enter")
    glass.type("/PAY1")
    glass.press("enter")
    glass.press("again")

    assert ">7101" in shown(glass)


def test_what_is_not_found_is_said(glass: Glass) -> None:
    """A search without success leaves the cursor where it is."""
    glass.type("DEVICE")
    glass.press("enter")
    glass.type("/nowhere")
    glass.press("enter")

    assert "'nowhere'" in shown(glass)


# along a tape


def limit(minute: int, what: What = What.CLOCK) -> Event:
    """Say that the clock was set in a minute: an exception that follows from no rule."""
    at = NOON + minute * MINUTE
    return Event(what, at, at, "0.0.7000", "7000 is slow", "DEVICE")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.now = 0.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Return the clock that tapes play by."""
    return Clock()


@pytest.fixture
def replay(make_sample: Callable[..., Sample], clock: Clock, utc: None) -> Glass:  # noqa: ARG001 - shows UTC
    """Return the glass on DEVICE at the last of ten recorded minutes; the third had an exception."""
    tape = ListTimeline([make_sample(n) for n in range(11)], happened=[limit(3), limit(5, What.NOTE)])
    tape.log = ExceptionLog(tape, ())  # no rule finds another one
    session = Session(tape, load_screens(), "DEVICE")
    session.end()
    glass = Glass(session, clock=clock, actions=GlassActions())
    glass.press("up")
    return glass


def order(glass: Glass, line: str) -> None:
    """Give a command."""
    glass.type(line)
    glass.press("enter")


def interval(glass: Glass) -> str:
    """Return the interval that the header speaks of."""
    found = re.search(r"Interval (\S+ - \S+)", glass.lines()[0].text)
    assert found is not None
    return found[1]


def line_of_time(glass: Glass) -> str:
    """Return the time line."""
    return glass.lines()[-4].text


@pytest.mark.parametrize(
    ("keys", "there"),
    [
        (["earlier"], "12:08:00 - 12:09:00"),
        (["earlier", "earlier", "later"], "12:08:00 - 12:09:00"),
        (["minute_back", "minute_back"], "12:07:00 - 12:08:00"),
        (["minute_back", "minute_on"], "12:09:00 - 12:10:00"),
        (["previous_exception"], "12:02:00 - 12:03:00"),
        (["begin", "next_exception"], "12:02:00 - 12:03:00"),
        (["begin"], "--:--:-- - 12:00:00"),
        (["begin", "end"], "12:09:00 - 12:10:00"),
    ],
)
def test_keys_lead_along_the_tape(keys: list[str], there: str, replay: Glass) -> None:
    """Step by step, by minutes, to exceptions and to the ends."""
    for key in keys:
        replay.press(key)

    assert interval(replay) == there


def test_the_exception_that_was_gone_to_is_said(replay: Glass) -> None:
    """So that one knows why one is there."""
    replay.press("previous_exception")

    assert "! 7000 is slow" in shown(replay)


def test_the_time_line_shows_where_the_tape_stands(replay: Glass) -> None:
    """With exceptions, and the marks."""
    order(replay, "MARK A")
    order(replay, "GO 12:05")
    line = line_of_time(replay)

    assert line.startswith(" 12:00:00 ")
    assert line.rstrip().endswith(" 12:10:00")
    assert [line.index(sign) for sign in "!|A"] == [27, 39, 69]


def test_a_click_on_the_time_line_leads_there(replay: Glass) -> None:
    """To the sample of the time that stands there."""
    replay.click(39, 20)

    assert interval(replay) == "12:04:00 - 12:05:00"


@pytest.mark.parametrize(("height", "there"), [(24, True), (20, True), (19, False), (9, False)])
def test_a_low_glass_has_no_time_line(height: int, there: bool, replay: Glass) -> None:
    """The rows need the room more."""
    replay.resize(80, height)

    assert len(replay.lines()) == height
    assert ("12:00:00 ─" in shown(replay)) == there


def test_a_plain_terminal_sees_the_time_line_in_ascii(open_session: Callable[[str], Session]) -> None:
    """There is nothing else that it could show."""
    glass = Glass(open_session("DEVICE"), plain=True, actions=GlassActions())

    assert line_of_time(glass).startswith(" 12:00:00 ::::")
    assert shown(glass).isascii()


def test_averages_between_marks_are_shown_and_left(replay: Glass) -> None:
    """AVERAGE and INTERIM."""
    for line in ("MARK A", "GO 12:04", "MARK B", "AVERAGE"):
        order(replay, line)
    assert interval(replay) == "12:04:00 - 12:10:00"
    assert "Average" in line_of_time(replay)

    order(replay, "INTERIM")
    assert interval(replay) == "12:03:00 - 12:04:00"


def test_events_are_listed(replay: Glass) -> None:
    """All of the tape, as a text to scroll through."""
    order(replay, "EVENTS")

    assert "01-15 12:03:00 ! 7000 is slow" in shown(replay)
    assert "01-15 12:05:00   7000 is slow" in shown(replay)

    replay.press("back")
    assert "What happened" not in shown(replay)


@pytest.mark.parametrize("command", ["EVENTS", "HELP"])
def test_a_text_that_covers_the_screen_has_its_own_name_in_the_header(command: str, replay: Glass) -> None:
    """Not that of the screen below."""
    replay.resize(80, 14)
    order(replay, command)
    assert replay.lines()[0].text.startswith(f" {command} ")
    replay.press("back")
    assert replay.lines()[0].text.startswith(" FCX108 ")


def test_a_comparison_that_fails_leaves_the_screen(replay: Glass, pace: Pace) -> None:
    """The reason is in the message line, with what to do."""
    glass = Glass(replay.session, reader=pace, actions=GlassActions())
    pace.work(glass)
    order(glass, "COMPARE 12:00-12:00:20")
    filling, pace.filling = pace.filling, None
    assert filling is not None
    with pytest.raises(NoSuchThing) as error:
        filling.table()
    glass.failed(f"DEVICE cannot be filled: {error.value}", filling)
    pace.work(glass)
    assert str(error.value) in " ".join(shown(glass).split())
    assert "FCX108" in shown(glass)
    assert glass.session.page.against is None


def test_events_open_at_the_present_moment(make_sample: Callable[..., Sample]) -> None:
    """As screens by time do: of many events the last ones up to now are in sight."""
    minutes = [Event(What.NOTE, NOON + n * MINUTE, NOON + n * MINUTE, text=f"note {n}.") for n in range(99)]
    session = Session(
        ListTimeline([make_sample(n) for n in (0, 50, 98)], happened=minutes), load_screens(), "DEVICE"
    )
    session.end()
    glass = Glass(session, actions=GlassActions())
    order(glass, "EVENTS")
    assert "note 98." in shown(glass)
    order(glass, "PREVSAMP")
    order(glass, "EVENTS")
    assert "note 50." in shown(glass)
    assert "note 98." not in shown(glass)


def test_enter_behind_a_question_mark_leaves_the_keys_open(glass: Glass) -> None:
    """The question mark lists them at once; who types ENTER behind it means the same."""
    glass.press("keys")
    glass.press("enter")
    assert " Keys" in shown(glass)
    glass.press("enter")
    assert not glass.helps


# playing


def play(glass: Glass, clock: Clock, seconds: float) -> list[str]:
    """Let time pass, a second at a time; return the intervals that were seen."""
    found = []
    for _ in range(round(seconds)):
        clock.now += 1.0
        glass.tick()
        found.append(interval(glass))
    return found


def test_a_tape_plays_at_its_speed(replay: Glass, clock: Clock) -> None:
    """At x60 a minute passes in a second."""
    replay.press("begin")
    order(replay, "PLAY 60")

    assert play(replay, clock, 3) == ["12:00:00 - 12:01:00", "12:01:00 - 12:02:00", "12:02:00 - 12:03:00"]
    assert "x60" in line_of_time(replay)


def test_a_fast_tape_passes_over_samples_and_leaves_nothing_out(replay: Glass, clock: Clock) -> None:
    """What is shown begins where the last ended; at the end it stops."""
    replay.press("begin")
    order(replay, "PLAY 300")

    assert play(replay, clock, 2) == ["12:00:00 - 12:05:00", "12:05:00 - 12:10:00"]
    play(replay, clock, 1)
    assert not replay.playback.state.playing
    assert "the last sample" in shown(replay)


def test_it_plays_backwards_to_the_begin(replay: Glass, clock: Clock) -> None:
    """And stops there."""
    order(replay, "PLAY -x300")

    assert play(replay, clock, 2) == ["12:04:00 - 12:05:00", "--:--:-- - 12:00:00"]
    play(replay, clock, 1)
    assert "the first sample" in shown(replay)


def test_the_space_bar_plays_and_pauses(replay: Glass) -> None:
    """In a recording."""
    states = []
    for _ in range(3):
        replay.press("pause")
        states.append(replay.playback.state.speed)

    assert states == [1, 0, 1]


def test_plus_and_minus_change_the_speed(replay: Glass) -> None:
    """From backwards to forwards and back."""
    speeds = []
    for key in ("faster", "faster", "faster", "slower", "slower", "slower"):
        replay.press(key)
        speeds.append(replay.playback.state.speed)

    assert speeds == [1, 2, 5, 2, 1, -1]


def test_a_jump_while_playing_goes_on_from_there(replay: Glass, clock: Clock) -> None:
    """A step pauses."""
    order(replay, "GO begin")
    order(replay, "PLAY 60")
    play(replay, clock, 1)
    order(replay, "GO 12:06")
    assert play(replay, clock, 1) == ["12:06:00 - 12:07:00"]

    replay.press("earlier")
    assert not replay.playback.state.playing


def test_the_next_tick_is_when_the_next_sample_is_due(replay: Glass) -> None:
    """But neither too soon nor too late."""
    waits = []
    for speed in (600, 120, 60, 1):
        order(replay, f"PLAY {speed}")
        waits.append(replay.playback.wait())

    assert waits == pytest.approx([0.1, 0.5, 1.0, 1.0])


def test_a_wrong_speed_is_answered_with_the_speeds(replay: Glass) -> None:
    """Nothing plays."""
    order(replay, "PLAY 7")

    assert "'7' is no speed" in shown(replay)
    assert not replay.playback.state.playing


def test_a_recording_being_written_is_followed(
    replay: Glass, clock: Clock, make_sample: Callable[..., Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its end it waits for what comes."""
    monkeypatch.setattr("zmon.ui.playback.time.time_ns", lambda: NOON + 21 * MINUTE // 2)
    order(replay, "PLAY")
    tape = replay.session.timeline
    assert isinstance(tape, ListTimeline)
    assert play(replay, clock, 2) == ["12:09:00 - 12:10:00"] * 2

    tape.listed.append(make_sample(11))
    assert play(replay, clock, 2) == ["12:10:00 - 12:11:00"] * 2
    assert replay.playback.state.playing


# back from now


@pytest.fixture
def recorded(make_sample: Callable[..., Sample], pace: Pace, clock: Clock, utc: None) -> Glass:  # noqa: ARG001 - shows UTC
    """Return the glass on DEVICE of a live machine that has recorded five minutes."""
    kept = ListTimeline([make_sample(n) for n in range(6)], happened=[limit(3)])
    session = Session(ListTimeline(kept.listed, live=True, kept=kept), load_screens())
    glass = Glass(session, "DEVICE", pace, pace, clock=clock, actions=GlassActions())
    for sample in kept.listed:
        glass.sampled(sample)
        pace.work(glass)
    return glass


def mode(glass: Glass) -> str:
    """Return what the header calls the data."""
    return glass.lines()[0].text.rpartition("  ")[2]


def test_a_recorded_machine_is_held_while_it_is_sampled(
    recorded: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """SPACE again returns to what is now."""
    recorded.press("pause")
    pace.work(recorded)
    assert (mode(recorded), pace.held) == ("Held", False)
    assert "12:00:00 ─" in line_of_time(recorded)

    recorded.sampled(make_sample(6))
    pace.work(recorded)
    assert interval(recorded) == "12:04:00 - 12:05:00"

    recorded.press("pause")
    pace.work(recorded)
    assert (mode(recorded), interval(recorded)) == ("Perf. Monitor", "12:05:00 - 12:06:00")


def test_what_happened_is_listed_without_leaving_the_present(recorded: Glass) -> None:
    """The live screen goes on behind it."""
    order(recorded, "EVENTS")
    assert "12:03:00 ! 7000 is slow" in shown(recorded)
    assert mode(recorded) == "Perf. Monitor"


def test_the_list_of_events_goes_on_with_the_samples(
    recorded: Glass, pace: Pace, make_sample: Callable[..., Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What happened meanwhile is in sight with the next sample for who saw the last, and for others below."""
    happened = [Event(What.NOTE, NOON + n, NOON + n, text=f"note {n}.") for n in range(60)]
    monkeypatch.setattr(recorded.session, "events", lambda: list(happened))
    order(recorded, "EVENTS")
    assert "note 59." in shown(recorded)
    happened += [Event(What.NOTE, NOON + n, NOON + n, text=f"note {n}.") for n in range(60, 100)]
    recorded.sampled(make_sample(6))
    pace.work(recorded)
    assert "note 99." in shown(recorded)

    recorded.press("top")
    happened.append(Event(What.NOTE, NOON + 100, NOON + 100, text="note 100."))
    recorded.sampled(make_sample(7))
    pace.work(recorded)
    assert "note 0." in shown(recorded)
    recorded.press("bottom")
    assert "note 100." in shown(recorded)
    assert interval(recorded) == "12:06:00 - 12:07:00"


def test_a_list_of_events_that_fails_leaves_what_was_known(
    recorded: Glass, pace: Pace, make_sample: Callable[..., Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screens go on, and the message line says why."""

    def fails() -> None:
        raise OSError("gone")

    order(recorded, "EVENTS")
    monkeypatch.setattr(recorded.session, "events", fails)
    recorded.sampled(make_sample(6))
    pace.work(recorded)
    assert "EVENTS cannot be listed: gone" in shown(recorded)
    assert "7000 is slow" in shown(recorded)
    assert interval(recorded) == "12:05:00 - 12:06:00"


def test_without_a_recording_nothing_is_known_to_have_happened(
    live: Glass, make_sample: Callable[..., Sample]
) -> None:
    """It says how to have one."""
    live.sampled(make_sample(0))
    order(live, "EVENTS")
    assert "--record FILE" in shown(live)


def test_a_step_back_enters_the_past_and_now_leads_out(recorded: Glass, pace: Pace) -> None:
    """The header says where one is."""
    recorded.press("earlier")
    pace.work(recorded)
    assert (mode(recorded), interval(recorded)) == ("Captured data", "12:03:00 - 12:04:00")

    order(recorded, "NOW")
    pace.work(recorded)
    assert (mode(recorded), interval(recorded)) == ("Perf. Monitor", "12:04:00 - 12:05:00")


@pytest.mark.parametrize("way", ["end", "click"])
def test_the_end_of_the_past_is_now(way: str, recorded: Glass, pace: Pace) -> None:
    """By its key, or a click on the end of the time line."""
    recorded.press("previous_exception")
    pace.work(recorded)
    assert interval(recorded) == "12:02:00 - 12:03:00"

    if way == "end":
        recorded.press("end")
    else:
        recorded.click(69, 20)
    assert mode(recorded) == "Perf. Monitor"


def test_playing_to_the_end_of_the_past_returns_to_now(recorded: Glass, pace: Pace, clock: Clock) -> None:
    """Live goes on from there."""
    order(recorded, "GO -2m")
    pace.work(recorded)
    order(recorded, "PLAY 60")
    modes = []
    for _ in range(3):
        clock.now += 1.0
        recorded.tick()
        pace.work(recorded)
        modes.append(mode(recorded))

    assert modes == ["Captured data", "Captured data", "Perf. Monitor"]


def test_what_is_read_late_is_not_awaited_by_keys(recorded: Glass, pace: Pace) -> None:
    """The screen stays as it was until it came."""
    recorded.press("earlier")
    assert interval(recorded) == "12:04:00 - 12:05:00"
    assert not recorded.settled

    pace.work(recorded)
    assert recorded.settled


def test_a_command_about_a_sample_waits_for_the_move_before_it(recorded: Glass, pace: Pace) -> None:
    """However slow the reading is, MARK marks what GO leads to."""
    order(recorded, "GO 12:03")
    order(recorded, "MARK A")
    assert "MARK A: waits" in shown(recorded)

    pace.work(recorded)
    assert "Mark A is set at 12:03:00" in shown(recorded)


def test_a_command_about_a_sample_that_was_not_found_is_not_carried_out(recorded: Glass, pace: Pace) -> None:
    """It says so, and the mark is not set elsewhere."""
    order(recorded, "GO 12:03")
    order(recorded, "MARK A")
    recorded.failed("No sample: the file is gone", pace.moves.pop())
    pace.work(recorded)

    assert "the file is gone" in shown(recorded)
    assert "Not carried out: MARK A" in shown(recorded)
    assert recorded.session.marks == {}


def test_a_tape_that_plays_waits_for_what_is_shown(recorded: Glass, pace: Pace, clock: Clock) -> None:
    """It does not run away from a slow screen."""
    order(recorded, "PLAY -60")
    pace.work(recorded)
    for _ in range(3):
        clock.now += 1.0
        recorded.tick()

    assert len(pace.moves) == 1


def test_a_move_that_fails_is_said_and_stops_the_tape(recorded: Glass, pace: Pace, clock: Clock) -> None:
    """The screen stays."""
    order(recorded, "PLAY -60")
    pace.work(recorded)
    clock.now += 1.0
    recorded.tick()
    recorded.failed("No sample: the file is gone", pace.moves.pop())

    assert "the file is gone" in shown(recorded)
    assert not recorded.playback.state.playing
    assert recorded.settled


def test_a_screen_that_looks_back_says_so_while_it_reads(replay: Glass, pace: Pace) -> None:
    """Opening it waits for nothing."""
    glass = Glass(replay.session, reader=pace, actions=GlassActions())
    pace.work(glass)
    order(glass, "CHANNEL")
    assert "Reading " in shown(glass)

    pace.work(glass)
    assert "FCX107" in shown(glass)
    assert "Reading " not in shown(glass)


@pytest.mark.parametrize("here", ["CHANNEL", "DEVLOG", "SYSSUMLG"])
def test_no_command_reads_what_a_thread_reads(
    replay: Glass, pace: Pace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, here: str
) -> None:
    """Not even one that asks for the rows of the screen, which are not there yet: all keys would wait."""
    filled: list[str] = []
    fill_task = FillTask.table

    def noted(task: FillTask) -> Table:
        filled.append(task.page.screen.command)
        return fill_task(task)

    monkeypatch.setattr(FillTask, "table", noted)
    of_session = replay.session
    for word in (*(command.word for command in COMMANDS if command.word != "QUIT"), "DRILL"):
        session = Session(of_session.timeline, of_session.screens)
        session.end()
        glass = Glass(session, reader=pace, actions=GlassActions())
        for operand in ("", "NEXT", "io", "7003", f"{tmp_path}/x"):
            order(glass, "DEVICE")
            pace.work(glass)
            order(glass, here)
            filled.clear()
            assert session.is_being_filled, f"{word} {operand}"
            if word == "DRILL":
                glass.press("enter")
            else:
                order(glass, f"{word} {operand}".strip())
            assert here not in filled, f"{word} {operand}"


@pytest.mark.parametrize("command", ["DEVLOG NOPE", "BENCHMRK NOPE", "CTLULOG NOPE", "CHANLOG NOPE"])
def test_a_screen_by_time_of_nothing_is_refused_in_place(replay: Glass, pace: Pace, command: str) -> None:
    """A wrong operand leaves the present screen, though screens by time are filled in the background."""
    glass = Glass(replay.session, reader=pace, actions=GlassActions())
    pace.work(glass)
    order(glass, command)
    pace.work(glass)

    assert "'NOPE'" in shown(glass)
    assert "FCX108" in shown(glass)


def test_a_screen_by_time_of_one_thing_calls_nothing_the_busiest(replay: Glass) -> None:
    """The heading over the figures of a chosen device says Device, that of all DASD Busiest Device."""
    order(replay, "DEVLOG")
    assert "Busiest Device" in shown(replay)

    order(replay, "DEVLOG 7003")
    assert "Busiest" not in shown(replay)
    assert "- Device -" in shown(replay)


def test_a_screen_that_looks_back_and_fails_gives_the_reason(replay: Glass, pace: Pace) -> None:
    """And one returns from it as from any other."""
    glass = Glass(replay.session, reader=pace, actions=GlassActions())
    pace.work(glass)
    order(glass, "CHANNEL")
    glass.failed("CHANNEL cannot be filled: no reason", pace.filling)
    assert "CHANNEL cannot be filled" in glass.lines()[2].text
    assert glass.settled

    glass.press("back")
    assert "FCX108" in shown(glass)


def test_the_averages_of_a_live_machine_stay(
    recorded: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """Until the figures of each interval are asked for."""
    order(recorded, "MARK A")
    recorded.sampled(make_sample(6))
    pace.work(recorded)
    order(recorded, "MARK B")
    order(recorded, "AVERAGE")
    recorded.sampled(make_sample(7))
    pace.work(recorded)
    assert interval(recorded) == "12:05:00 - 12:06:00"

    order(recorded, "INTERIM")
    assert interval(recorded) == "12:06:00 - 12:07:00"


KEYS = st.sampled_from([f.name for f in FUNCTIONS if f.name != "quit"])
LINES = st.sampled_from(
    [
        "GO -2m",
        "GO end",
        "MARK A",
        "MARK B",
        "AVERAGE",
        "INTERIM",
        "PLAY -600",
        "EVENTS",
        "CHANNEL",
        "REDISP",
        "NOW",
    ]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(KEYS | LINES | st.integers(0, 60), max_size=25), live=st.booleans())
def test_whatever_is_pressed_a_screen_stands(
    steps: list[str | int], live: bool, make_sample: Callable[..., Sample]
) -> None:
    """On a recording and on a live machine that records, with time passing in between."""
    samples = [make_sample(n, 2) for n in range(5)]
    kept = ListTimeline(samples, happened=[limit(2)])
    timeline = ListTimeline(samples, live=True, kept=kept) if live else kept
    session = Session(timeline, load_screens(), "DEVICE")
    clock, pace = Clock(), Pace()
    for _ in range(3):
        session.next()
    glass = Glass(session, "", pace if live else None, pace, clock=clock, actions=GlassActions())
    for step in steps:
        if isinstance(step, int):
            clock.now += step
            glass.tick()
        elif step.islower():
            glass.press(step)
        else:
            order(glass, step)
        pace.work(glass)

        assert len(glass.lines()) == 24
        assert glass.settled


class Conclusions:
    """Notes which conclusions the glass asks for."""

    def __init__(self) -> None:
        """Begin with none."""
        self.asked: list[ConcludeTask] = []
        self.at_once: list[bool] = []

    def do(self, task: ConcludeTask | BehindTask, *, at_once: bool = True) -> None:
        """Note it; what lies behind a row is none."""
        if isinstance(task, ConcludeTask):
            self.asked.append(task)
            self.at_once.append(at_once)


@pytest.fixture
def conclusions() -> Conclusions:
    """Return who would draw conclusions."""
    return Conclusions()


@pytest.fixture
def concluding(
    make_timeline: Callable[..., Any], conclusions: Conclusions, make_sample: Callable[..., Sample]
) -> Glass:
    """Return the glass on CTLUNIT at the last of three minutes, with conclusions."""
    session = Session(make_timeline([make_sample(minute) for minute in range(3)]), load_screens(), "CTLUNIT")
    session.end()
    return Glass(session, "", None, None, conclusions, actions=GlassActions())


LONG_WORDS = "LCU 7600 is full while LCU 7100, LCU 7200, LCU 7300, LCU 7400 and LCU 7500 are idle (certain)."


def test_a_conclusion_stands_below_the_header_when_it_is_drawn(
    concluding: Glass, conclusions: Conclusions
) -> None:
    """Until then that line is empty; a longer one takes more lines, and is never cut."""
    assert concluding.lines()[1].text == ""
    (task,) = conclusions.asked
    rows = concluding.pane.height
    concluding.receive(Result(task, conclusion=Conclusion(LONG_WORDS, "bad")))
    first, second = concluding.lines()[1:3]
    assert f"{first.text} {second.text}".split() == LONG_WORDS.split()
    assert first.kind == "alarm"
    assert len(concluding.lines()) == concluding.height
    assert concluding.pane.height == rows - 1


def test_a_conclusion_is_asked_for_once_in_an_interval_and_page(
    concluding: Glass, conclusions: Conclusions
) -> None:
    """Sorting and scrolling need no other; another interval and another page do."""
    concluding.receive(Result(conclusions.asked[0], conclusion=Conclusion("Nothing is short.")))
    concluding.run("SORT io")
    assert len(conclusions.asked) == 1
    concluding.run("DEVICE")
    concluding.run("PREVSAMP")
    assert [task.resource for task in conclusions.asked[1:]] == ["device", "device"]


def test_words_about_another_time_are_not_shown(concluding: Glass, conclusions: Conclusions) -> None:
    """After a jump the lines are empty until the conclusion is there."""
    concluding.receive(Result(conclusions.asked[0], conclusion=Conclusion(LONG_WORDS, "bad")))
    concluding.run("GO begin")
    concluding.run("NEXTSAMP")
    assert [line.text for line in concluding.lines()[1:3]] == ["", ""]


def test_a_live_conclusion_stays_with_its_time_until_the_next_is_drawn(
    make_timeline: Callable[..., Any],
    conclusions: Conclusions,
    make_sample: Callable[..., Sample],
    monkeypatch: pytest.MonkeyPatch,
    utc: None,  # noqa: ARG001 - clocks show UTC
) -> None:
    """Drawn less often than samples come, it says when it was true, and is not kept for long."""
    monkeypatch.setattr(page, "RECENT", 120_000_000_000)
    session = Session(make_timeline([], live=True), load_screens(), "CTLUNIT")
    glass = Glass(session, "", None, None, conclusions, actions=GlassActions())
    seen = []
    for minute in range(5):
        glass.sampled(make_sample(minute))
        if minute == 1:
            glass.receive(Result(conclusions.asked[0], conclusion=Conclusion("Nothing is short.")))
        seen.append(glass.lines()[1].text)
    assert seen[1:3] == [" Nothing is short."] * 2
    assert seen[3].endswith(":01:00: Nothing is short.")
    assert seen[4] == ""
    assert conclusions.at_once == [True, False, False, False]


def test_a_conclusion_leads_to_diagnose(concluding: Glass, conclusions: Conclusions) -> None:
    """By a click or by its key; a menu has none."""
    concluding.receive(Result(conclusions.asked[0], conclusion=Conclusion(LONG_WORDS, "bad")))
    concluding.click(10, 1)
    assert concluding.session.page.screen.command == "DIAGNOSE"
    concluding.press("back")
    concluding.press("diagnose")
    assert concluding.session.page.screen.command == "DIAGNOSE"
    concluding.run("MENU")
    assert concluding.lines()[1].text == ""


def test_no_conclusion_where_there_is_no_room(concluding: Glass, conclusions: Conclusions) -> None:
    """The rows come first."""
    concluding.receive(Result(conclusions.asked[0], conclusion=Conclusion(LONG_WORDS, "bad")))
    concluding.resize(40, 10)
    assert concluding.lines()[1].text == ""
    assert len(concluding.lines()) == 10


def test_keys_are_taken_while_the_first_picture_is_simulated(pace: Pace) -> None:
    """A command waits for it, and then opens its screen."""
    session = Session(open_lab("lab:pav-3"), load_screens())
    glass = Glass(session, "", pace, pace, actions=GlassActions())
    assert "Simulating lab:pav-3 ..." in shown(glass)
    glass.type("CTLUNIT")
    glass.press("enter")
    assert "CTLUNIT: waits" in shown(glass)

    task = PreviewTask(session.timeline)
    glass.receive(Result(task, preview=task.run()))
    assert session.page.screen.command == "CTLUNIT"
    assert "FCX176" in shown(glass)


@pytest.fixture
def looked(
    pace: Pace, conclusions: Conclusions, monkeypatch: pytest.MonkeyPatch
) -> tuple[Glass, PreviewTask]:
    """Return a glass that shows a first look, and the task that is then to be done."""
    monkeypatch.setattr(simulation, "PhaseRun", run_anew)
    monkeypatch.setattr(simulation, "SHORT", 0)
    session = Session(open_lab("lab:pav-3"), load_screens(), "DEVICE")
    glass = Glass(session, "", pace, pace, conclusions, actions=GlassActions())
    found = session.timeline.first_look()
    assert found is not None
    glass.looked(found)
    return glass, PreviewTask(session.timeline)


def test_a_first_look_says_what_it_is_until_the_preview_is_there(
    looked: tuple[Glass, PreviewTask], pace: Pace, conclusions: Conclusions
) -> None:
    """No conclusion is drawn from it, and it is not gone on from: nothing is read."""
    glass, task = looked
    assert "FCX108" in shown(glass)
    assert "First look, at " in shown(glass)
    assert not conclusions.asked
    pace.work(glass)  # the overview of the timeline

    glass.receive(Result(task, preview=task.run()))
    assert "First look" not in shown(glass)
    assert pace.filling is not None
    glass.receive(Result(pace.filling, table=pace.filling.table()))
    assert glass.interval is not None
    assert glass.interval.seconds == 2.0
    assert conclusions.asked
    assert glass.session.underway


def test_a_preview_does_not_take_away_what_was_gone_to(looked: tuple[Glass, PreviewTask], pace: Pace) -> None:
    """Who has gone elsewhere meanwhile arrives there."""
    glass, task = looked
    pace.work(glass)
    glass.run("GO begin")
    glass.receive(Result(task, preview=task.run()))
    assert pace.filling is None
    pace.work(glass)
    assert glass.session.interval is not None
    assert glass.session.interval.before is None


def test_a_plan_waits_until_more_is_known_than_a_preview_shows(
    looked: tuple[Glass, PreviewTask], pace: Pace
) -> None:
    """Else the list of moves would be another one a second later."""
    glass, task = looked
    pace.work(glass)  # the overview of the timeline
    glass.run("MOVES")
    assert "MOVES: waits for the sample" in shown(glass)
    glass.receive(Result(task, preview=task.run()))
    assert glass.session.page.screen.command == "DEVICE"
    pace.work(glass)
    assert glass.session.page.screen.command == "MOVES"
    assert not glass.session.is_preview


def test_a_preview_that_fails_after_a_first_look_says_why(looked: tuple[Glass, PreviewTask]) -> None:
    """What was seen stays."""
    glass, task = looked
    glass.receive(Result(task, error="No sample: it broke"))
    assert "No sample: it broke" in shown(glass)
    assert "FCX108" in shown(glass)


def test_a_preview_that_fails_says_why(pace: Pace) -> None:
    """In the place of the picture."""
    session = Session(open_lab("lab:pav-3"), load_screens())
    glass = Glass(session, "", pace, pace, actions=GlassActions())
    glass.receive(Result(PreviewTask(session.timeline), error="No sample: it broke"))
    assert "No sample: it broke" in shown(glass)


def test_the_way_to_a_screen_is_shown_where_there_is_room(open_session: Callable[[str], Session]) -> None:
    """From the third screen on, before the place in the list; a narrow glass has the place alone."""
    glass = Glass(open_session("OVERVIEW"), actions=GlassActions())
    shown = []
    for width in (132, 60):
        glass.resize(width, 24)
        for command in ("CTLUNIT", "DEVICE"):
            glass.run(command)
            shown.append("OVERVIEW > CTLUNIT > DEVICE" in texts(glass.lines()))
        assert "1 of 24" in texts(glass.lines())
        glass.run("OVERVIEW")
    assert shown == [False, True, False, False]
