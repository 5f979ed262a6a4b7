"""The session: which screen is shown, what a command changes, and what is said when it cannot."""

from __future__ import annotations

import gc
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import ListTimeline
from tests.goldens import compare, facts
from zmon.base.clock import DATED, clock
from zmon.base.event import Event, What
from zmon.base.shipped import shipped
from zmon.kernel.sampler import Choice
from zmon.kinds import BLOCK, CMF, DEVICE, PROCESS
from zmon.sample import Frame, Instant, Sample
from zmon.screen.definition import load_screens
from zmon.screen.header import header
from zmon.screen.query import Condition
from zmon.screen.sheet import Order
from zmon.session.commands import COMMANDS, SurfaceRequest, run
from zmon.session.explain import explain
from zmon.session.live_buffer import MemoryBuffer
from zmon.session.machines import LiveTimeline, open_capture
from zmon.session.navigator import CommandError, CursorMove, UnreadError
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.session.when import parse_when
from zmon.store.writer import Writer
from zmon.tables.plot import parse as parse_figures
from zmon.topology.machine import UserInputs
from zmon.topology.site_file import parse_site

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.base.absent import Value
    from zmon.sample import Kind

SECOND = 1_000_000_000
SCREENS = load_screens(shipped("screens"))
UIDS = ("IBM.750000000ABCD1.7000.00", "IBM.750000000ABCD1.7000.01", "IBM.750000000ABCD1.7100.00")
BUSIDS = ("0.0.7000", "0.0.7001", "0.0.7100")
DISKS = ("dasda", "dasdb", "dasdc")


def frame(kind: Kind, keys: tuple[str, ...], at: int, **columns: Sequence[Value]) -> Frame:
    """Make a frame that was read at one time."""
    return Frame(kind, list(keys), {name: list(values) for name, values in columns.items()}, [at] * len(keys))


def sample(second: int, disks: int = 3) -> Sample:
    """Make a sample of up to three disks, each twice as busy as the one before."""
    at = second * SECOND
    io = [second * 100 * 2**n for n in range(disks)]
    devices = frame(
        DEVICE, BUSIDS[:disks], at,
        online=[1] * disks, block=list(DISKS[:disks]), uid=list(UIDS[:disks]), alias=[0] * disks,
        chpids=["40 41"] * disks, driver=["dasd-eckd"] * disks, pim=[0xC0] * disks,
    )  # fmt: skip
    cmf = frame(
        CMF, BUSIDS[:disks], at,
        ssch=io, samples=io, connect=[n * 10**6 for n in io], pending=[0] * disks, disconnect=[0] * disks,
    )  # fmt: skip
    blocks = frame(BLOCK, DISKS[:disks], at, reads=io, writes=[0] * disks, read_ms=[n * 9 for n in io])
    return Sample(Instant(at, at, "boot"), {f.kind.name: f for f in (devices, cmf, blocks)})


def limit(second: int) -> Event:
    """Say that the clock was set in a second: an exception that follows from no rule."""
    return Event(What.CLOCK, second * SECOND, second * SECOND, "7000", "7000 is slow", "DEVICE")


def session(  # noqa: PLR0913 - each is one side of a tape, and all may be left out
    first: str = "MENU",
    *,
    seconds: int = 2,
    live: bool = False,
    kept: bool = False,
    to_end: bool = True,
    happened: tuple[Event, ...] = (),
) -> Session:
    """Lead a session over a tape of so many samples, which a live machine may have kept."""
    samples = [sample(n) for n in range(1, seconds + 1)]
    past = ListTimeline(samples, happened=happened) if kept else None
    found = Session(ListTimeline(samples, live=live, happened=happened, kept=past), SCREENS, first)
    for _ in range(seconds if to_end else 0):
        found.next()
    return found


def said(to: Session, line: str) -> str:
    """Return what is said about a line that cannot be carried out; nothing else may have changed."""
    before = list(to.pages)
    with pytest.raises(CommandError) as error:
        run(to, line)
    assert to.pages == before
    return str(error.value)


# screens


def test_the_menu_is_where_it_begins() -> None:
    """Unless another screen is asked for."""
    assert session().page.screen.command == "MENU"
    assert session("DEVICE").page.screen.command == "DEVICE"


@pytest.mark.parametrize("screen", [s for s in SCREENS if s.layout == "list"], ids=lambda s: s.command)
def test_a_screen_is_found_by_command_number_and_menu_code(screen: object) -> None:
    """All of them open the same."""
    words = [screen.command, screen.command.lower(), screen.id]  # type: ignore[attr-defined]  # a Screen
    if screen.menu:  # type: ignore[attr-defined]
        words.append(screen.menu)  # type: ignore[attr-defined]
    for word in words:
        to = session()
        assert run(to, word) is None
        assert to.page.screen is screen


def test_a_screen_may_be_shortened_while_it_is_clear() -> None:
    """`DEV` is DEVICE, not its log."""
    to = session()
    run(to, "dev")
    assert to.page.screen.command == "DEVICE"


def test_an_empty_line_changes_nothing() -> None:
    """ENTER alone belongs to the surface."""
    to = session("DEVICE")
    pages = list(to.pages)
    assert (run(to, ""), run(to, "   "), to.pages) == (None, None, pages)


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("CTLUNIT 7100", ["IBM.750000000ABCD1.7100"]), ("CTLUNIT LCU 7100", ["IBM.750000000ABCD1.7100"]),
        ("CTLUNIT SSID 71*", ["IBM.750000000ABCD1.7100"]), ("DEVICE LCU 7100", ["0.0.7100"]),
        ("DEVICE SSID 7100", ["0.0.7100"]), ("DEVICE cu=7100", ["0.0.7100"]),
        ("DEVICE cu=LCU 7100", ["0.0.7100"]), ("dev ssid=IBM.750000000ABCD1.7100", ["0.0.7100"]),
    ],
)  # fmt: skip
def test_a_name_that_is_seen_chooses_rows(line: str, keys: list[str]) -> None:
    """A row by its first column, or by a heading and what stands below it."""
    to = session()
    run(to, line)
    assert to.sheet().keys == keys


@pytest.mark.parametrize(
    ("line", "column"), [("SORT MB/s", "mbs"), ("SORT I/O desc", "io"), ("SORT Req. Qued asc", "qued")]
)
def test_a_screen_is_sorted_on_a_heading(line: str, column: str) -> None:
    """As it stands there; a direction may stand behind."""
    to = session("DEVICE")
    run(to, line)
    assert to.page.order is not None
    assert to.page.order.column == column


def test_sort_alone_takes_the_column_that_was_chosen() -> None:
    """By TAB, on the glass."""
    to = session("DEVICE")
    to.chosen = lambda: ("mbs", "")
    run(to, "SORT")
    assert to.page.order == Order("mbs", descending=True)


# one thing


@pytest.mark.parametrize("name", ["7001", "0.0.7001", "dasdb", "DASDB"])
def test_a_device_goes_by_any_of_its_names(name: str) -> None:
    """DEVICE with a name opens the page of that device."""
    to = session()
    run(to, f"DEVICE  {name}")
    assert (to.page.screen.command, to.page.argument) == ("DETAILS", name)
    assert to.sheet().table.facts["busid"] == "0.0.7001"


def test_a_device_that_is_not_there_is_named_and_where_to_look() -> None:
    """The page is not opened."""
    words = said(session(), "DEVICE 9999")
    assert "'9999'" in words
    assert "DEVICE lists" in words


@pytest.mark.parametrize("line", ["DETAILS", "DETAILS resp>10"])
def test_a_page_needs_to_know_what_it_is_about(line: str) -> None:
    """It says what, in words."""
    assert "device" in said(session(), line)


def test_a_thing_that_vanishes_while_it_is_shown_is_said_to_be_gone() -> None:
    """The page stays, and RETURN leads back."""
    to = Session(ListTimeline([sample(1), sample(2), sample(3, disks=1)]), SCREENS, "MENU")
    to.next()
    to.next()
    run(to, "DEVICE 7001")
    to.sheet()
    to.next()
    with pytest.raises(CommandError, match=r"7001.*RETURN"):
        to.sheet()


# conditions and order


def test_a_screen_opens_with_conditions() -> None:
    """`DEVICE io>150` shows the devices that start more."""
    to = session()
    run(to, "DEVICE io > 150")
    assert to.page.conditions == (Condition("io", ">", "150"),)
    assert sorted(to.sheet().keys) == ["0.0.7001", "0.0.7100"]


def test_conditions_can_be_changed_and_taken_away() -> None:
    """WHERE without anything shows all rows."""
    to = session("DEVICE")
    run(to, "where io<150")
    assert to.sheet().keys == ["0.0.7000"]
    run(to, "W")
    assert len(to.sheet()) == 3


REFUSED = {
    "MENU": (
        "NONSENSE 5",
        "devcie 7000",
        "refersh",
        "whatif stripe DWPROD.TSFACT1 over LCU 7100",
        "x" * 50,
        "14",
        "FC",
        "SYSSUMLG nonsense",
        "CTLUNIT 9999",
        "CTLUNIT LCU 9999",
        "DEVICE LCU 9999",
    ),
    "DEVICE": (
        "WHERE nope>5",
        "DEVICE nope>5",
        "SORT nope",
        "sort nope desc",
        "WHERE io",
        "WHERE io>x",
        "SORT io UP",
        "SORT",
        "SORT Time",
        "SORT rsp",
        "QUIT now",
        "PREVSAMP 5",
        "NEXTSAMP 5",
        "GO",
        "GO nowhere",
        "MARK",
        "MARK C",
        "AVERAGE",
        "NEXTEXC",
        "PREVEXC",
        "PLOT resp 9999",
    ),
}
"""Lines that cannot be carried out, by the screen on which they are typed."""


def test_what_is_wrong_is_said_with_what_would_be_right() -> None:
    """Each message names the words that were typed: tests/golden/said/commands.txt."""
    typed = [(screen, line) for screen, lines in REFUSED.items() for line in lines]
    found = [(f"{screen}: {line}", f"  {said(session(screen), line)}") for screen, line in typed]
    compare("said/commands", [line for lines in found for line in lines])


@pytest.mark.parametrize(("line", "other"), [("NEXTEXC", "PREVEXC goes"), ("PREVEXC", "NEXTEXC goes")])
def test_the_other_way_is_advised_only_where_there_are_exceptions(line: str, other: str) -> None:
    """Here there is one, at the sample that is shown."""
    to = session("DEVICE", seconds=5, happened=(limit(2),))
    run(to, "PREVEXC")
    assert other in said(to, line)


@pytest.mark.parametrize("line", ["SORT resp", "WHERE resp>5"])
def test_the_menu_has_no_rows_to_sort_or_choose(line: str) -> None:
    """It says where there are some."""
    words = said(session(), line)
    assert words.startswith("MENU has no rows")
    assert "DEVICE" in words


def test_sorting_on_a_column_begins_with_its_own_direction() -> None:
    """However often it is named, also where the list is sorted on it already."""
    to = session("DEVICE")
    for words in ("SORT io", "SO io"):
        run(to, words)
        assert to.page.order == Order("io", descending=True)
        assert to.sheet().keys[0] == "0.0.7100"


@pytest.mark.parametrize(
    "line", ["SORT io", "SORT resp", "SORT io ASC", "WHERE io>1", "COMPARE begin end", "COMPARE begin-end",
             "AVERAGE", "INTERIM", "MARK A", "GO begin", "PLOT io", "EVENTS", "CTLUNIT"]
)  # fmt: skip
def test_a_command_that_is_typed_twice_has_the_same_glass(line: str) -> None:
    """It says what is to be, and does not turn it round."""
    to = session("DEVICE", seconds=9)
    for words in ("GO begin", "MARK A", "GO end", "MARK B"):
        run(to, words)
    pages = []
    for _ in range(2):
        run(to, line)
        assert to.interval is not None
        pages.append((to.page, to.interval.seconds, to.utc))
    assert pages[0] == pages[1]


@pytest.mark.parametrize(("words", "descending"), [("ASC", False), ("desc", True)])
def test_a_direction_may_be_named(words: str, descending: bool) -> None:
    """Then it holds, whatever it was before."""
    to = session("DEVICE")
    for _ in range(2):
        run(to, f"SORT  io   {words}")
        assert to.page.order == Order("io", descending=descending)


# the way there and back


def test_going_deeper_opens_what_the_row_is_about() -> None:
    """LCU -> its devices -> one device."""
    to = session("CTLUNIT")
    assert to.drill("IBM.750000000ABCD1.7000")
    assert sorted(to.sheet().keys) == ["0.0.7000", "0.0.7001"]
    assert to.drill("0.0.7001")
    assert to.page.argument == "0.0.7001"
    assert not to.drill("anything")


def test_back_leads_the_same_way() -> None:
    """Each screen is as it was left."""
    to = session()
    run(to, "DEVICE io>150")
    run(to, "SORT io")
    left = to.page
    to.drill("0.0.7001")
    assert (to.back(), to.page) == (True, left)
    assert (to.back(), to.page.screen.command) == (True, "MENU")
    assert (to.back(), to.page.screen.command) == (False, "MENU")


def test_the_menu_is_the_root() -> None:
    """Opened again, it forgets the way."""
    to = session()
    for line in ("DEVICE", "CHANNEL", "MENU"):
        run(to, line)
    assert [page.screen.command for page in to.pages] == ["MENU"]


def test_return_leaves_a_screen_and_on_the_first_the_dialogue() -> None:
    """As the Toolkit does; but on the first it asks once, which any other command withdraws."""
    to = session()
    run(to, "DEVICE")
    run(to, "RET")
    assert (to.page.screen.command, to.ended) == ("MENU", False)
    run(to, "RETURN")
    assert not to.ended
    assert "QUIT" in to.message
    run(to, "CHANNEL")
    run(to, "RETURN")
    run(to, "RETURN")
    assert not to.ended
    run(to, "RETURN")
    assert to.ended


@pytest.mark.parametrize("line", ["QUIT", "quit", "EXIT", "exit"])
def test_the_dialogue_can_be_left_from_anywhere(line: str) -> None:
    """By either word."""
    to = session("DEVICE")
    run(to, line)
    assert to.ended


@pytest.mark.parametrize("line", ["QUI", "EXI", "NEXT"])
def test_what_cannot_be_undone_is_not_abbreviated(line: str) -> None:
    """Or not so far that a slip of a key would do it."""
    to = session("DEVICE")
    assert f"'{line}'" in said(to, line)
    assert not to.ended


# commands of the surface

OPERANDS = {"LOCATE": " 7", "SORT": " io", "GO": " begin", "MARK": " a", "NOTE": " words"}
"""Of those that need one."""


@pytest.mark.parametrize(
    "command",
    [c for c in COMMANDS if c.word not in {"TOUR", "WORST", "OPEN", "FLEET"}],
    ids=lambda command: command.word,
)
def test_a_command_is_known_from_its_shortest_form_on(
    command: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In any case; what the surface has to do is handed to it, the rest is done."""
    word, shortest = command.word, command.shortest  # type: ignore[attr-defined]  # a Command
    theirs = {"HELP", "LOCATE", "TOP", "BOTTOM", "REFRESH", "PLAY", "PAUSE", "EVENTS", "NOW", "PANE"}
    monkeypatch.chdir(tmp_path)
    for length in range(shortest, len(word) + 1):
        OPERANDS["PRINT"] = f" screen-{length}.txt"
        to = session("DEVICE", seconds=5, happened=(limit(2), limit(5)))
        to.seek(4 * SECOND)
        run(to, "MARK A")
        run(to, "PREVSAMP")
        run(to, "MARK B")
        found = run(to, word[:length].lower() + OPERANDS.get(word, ""))
        assert (found.word if found else None) == (word if word in theirs else None)


def test_no_shortest_form_means_two_commands() -> None:
    """Nor a screen."""
    short = [command.word[: command.shortest] for command in COMMANDS]
    for word in short:
        assert sum(c.word.startswith(word) and len(word) >= c.shortest for c in COMMANDS) == 1
        assert word not in {screen.command for screen in SCREENS}


@pytest.mark.parametrize("line", ["FC BENCHMRK DEVICE 7000", "fcontrol bench dev 7000", "BENCHMRK 7000"])
def test_the_toolkits_own_way_to_say_it(line: str) -> None:
    """Its word before some commands may stand, and need not."""
    to = session()
    run(to, line)
    assert (to.page.screen.command, to.sheet().table.columns["addr"]) == ("BENCHMRK", ["7000"])


def test_what_is_beyond_the_limits_of_the_screens_is_counted() -> None:
    """The tables do not know them; the session tells."""
    to = session("SYSSUMLG")
    assert to.sheet().table.columns["beyond"] == [0]


def test_a_slash_locates() -> None:
    """The surface finds the text behind it."""
    found = run(session("DEVICE"), "/pay 01")
    assert found is not None
    assert found.word == "LOCATE"


@pytest.mark.parametrize("screen", ["FILES", "MENU"])
def test_a_column_that_the_screen_has_not_is_drawn_of_the_named_row(screen: str) -> None:
    """Of CTLUNIT if the row is an LCU, else of DEVICE; from a screen that draws nothing itself."""
    for words, drawn in (("resp LCU 7100", "control_unit.resp"), ("resp 7100", "device.resp")):
        to = session(screen)
        run(to, f"PLOT {words}")
        assert (to.page.screen.command, to.page.argument.split()[0]) == ("PLOT", drawn)
    with pytest.raises(CommandError, match=r"9999.* DEVICE"):
        run(session(screen), "PLOT resp 9999")


def test_locate_alone_looks_for_the_same_text_again() -> None:
    """As the key for it does; the first time there is none."""
    to = session("DEVICE")
    with pytest.raises(CommandError, match="Locate what"):
        run(to, "/")
    run(to, "LOCATE pay")
    assert run(to, "/") == run(to, "LOCATE") == SurfaceRequest("LOCATE", "pay")


def test_a_row_whose_key_has_blanks_or_looks_like_a_time_is_drawn() -> None:
    """USERIO's keys are a device number and a unit."""
    day = open_recording(str(Path(__file__).parents[2] / "recordings/lab-healthy-day.zmon"))
    to = Session(day, SCREENS, "USERIO")
    to.end()
    key = to.sheet().keys[0]
    assert re.match("[0-9]+:[0-9]+ /", key)
    run(to, "PLOT")
    assert to.page.screen.command == "PLOT"
    assert parse_figures(to.page.argument)[0][0].key == key
    day.close()


def test_print_waits_until_a_thread_has_filled_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on the glass meanwhile is of before: it is written as soon as its table is there."""
    to = session("DEVICE")
    sheet = Session.sheet
    monkeypatch.setattr(Session, "sheet", Mock(side_effect=UnreadError("it is still being read")))
    run(to, f"PRINT {tmp_path / 'x.txt'}")
    assert to.waiting == [f"PRINT {tmp_path / 'x.txt'}"]
    assert not [*tmp_path.iterdir()]
    monkeypatch.setattr(Session, "sheet", sheet)
    run(to, to.waiting.pop())
    assert (tmp_path / "x.txt").read_text().startswith(" FCX108")


def test_print_writes_the_screen_to_a_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name it is called after the screen and the time; no file is overwritten."""
    monkeypatch.chdir(tmp_path)
    to = session("DEVICE")
    run(to, "PRINT")
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("device-")
    assert file.read_text().startswith(" FCX108")
    assert to.message == f"Written to {file}"
    with pytest.raises(CommandError, match="already exists"):
        run(to, "PRINT")
    with pytest.raises(CommandError, match="cannot be written"):
        run(to, "PRINT /none/x")
    with pytest.raises(CommandError, match=r"not \.pdf"):
        run(to, "PRINT x.PDF")


# samples


def test_samples_are_stepped_through() -> None:
    """The sheet is that of the sample where the watch stands."""
    to = session("DEVICE", seconds=3)
    last = to.sheet()
    run(to, "PREVS")
    assert to.sheet() is not last
    run(to, "NEXTS")
    assert to.interval is not None
    assert to.interval.after.at.utc == 3 * SECOND


def test_the_ends_of_a_tape_say_where_to_go_on() -> None:
    """In either direction."""
    to = session("DEVICE")
    assert "PREVSAMP" in said(to, "NEXTSAMP")
    run(to, "PREVSAMP")
    assert "NEXTSAMP" in said(to, "PREVSAMP")


def test_live_samples_cannot_be_stepped_back_to() -> None:
    """It says with what one could."""
    assert "--from" in said(session("DEVICE", live=True), "PREVSAMP")


def at(to: Session) -> tuple[int, int]:
    """Tell between which seconds the interval lies that is looked at."""
    assert to.interval is not None
    assert to.interval.before is not None
    return to.interval.before.at.utc // SECOND, to.interval.after.at.utc // SECOND


@pytest.mark.parametrize(
    ("line", "there"),
    [
        ("GO -2s", (2, 3)), ("GO 0:00:02", (1, 2)), ("GO end-1s", (3, 4)), ("GO end", (4, 5)),
        ("NEXTSAMP 0:00:04", (3, 4)), ("PREVEXC", (1, 2)),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("utc")
def test_a_tape_is_gone_to_a_time(line: str, there: tuple[int, int]) -> None:
    """As `zmon.session.when` reads it, or to an exception."""
    to = session("DEVICE", seconds=5, happened=(limit(2),))
    run(to, line)
    assert at(to) == there


@pytest.mark.parametrize(("line", "there"), [("GO 0:00:02", "00:00:02"), ("PREVSAMP", "00:00:04")])
@pytest.mark.usefixtures("utc")
def test_the_menu_says_where_a_move_has_led(line: str, there: str) -> None:
    """It shows no figures whose interval would tell; other screens say nothing."""
    to = session(seconds=5)
    run(to, line)
    assert to.message == f"Now at {there}"
    run(to, "DEVICE")
    run(to, "PREVSAMP")
    assert to.message == ""


def test_the_begin_has_no_interval() -> None:
    """The first sample is a begin alone."""
    to = session("DEVICE", seconds=5)
    run(to, "GO begin")
    assert to.interval is not None
    assert to.interval.before is None


def test_an_exception_is_said() -> None:
    """Who is taken there reads why."""
    to = session("DEVICE", seconds=5, happened=(limit(2),))
    run(to, "PREVEXC")
    assert to.message.endswith("! 7000 is slow")


def test_the_averages_between_two_marks_are_shown() -> None:
    """Until the figures of each interval are asked for, or another sample."""
    to = session("DEVICE", seconds=9)
    for line in ("MARK A", "GO -4s", "mark b", "AVERAGE"):
        run(to, line)
    assert at(to) == (5, 9)
    assert to.sheet() is not None
    run(to, "INTERIM")
    assert at(to) == (4, 5)


def test_a_comparison_follows_its_marks() -> None:
    """Who moves a mark wants to see the new interval, sorted as before."""
    to = session("DEVICE", seconds=9)
    for line in ("MARK B", "GO -4s", "MARK A", "COMPARE A B", "SORT io ASC", "GO -2s"):
        run(to, line)
    order, before = to.page.order, to.sheet().table.notes[0]
    run(to, "MARK A")
    after = to.sheet().table.notes[0]
    assert before.replace(":04 - ", ":02 - ").replace(":05,", ":03,") == after != before
    assert to.page.order == order


def test_a_comparison_holds_for_every_list_until_it_is_ended() -> None:
    """Those below and those opened later; what is no list says that it is none."""
    to = session("CTLUNIT", seconds=9)
    for line in ("DEVICE", "MARK B", "GO -4s", "MARK A", "COMPARE"):
        run(to, line)
    run(to, "DETAILS 7000")
    assert to.message.startswith("DETAILS cannot be compared. ")
    run(to, "DEVICE cu=*7100")
    assert [page.against is not None for page in to.pages] == [True, True, False, True]
    assert to.sheet().keys == ["0.0.7100"]
    run(to, "COMPARE END")
    assert all(page.against is None for page in to.pages)
    assert to.page.screen.command == "DEVICE"
    assert said(to, "COMPARE OFF") == "Nothing is compared."


def test_a_comparison_asked_for_where_one_lands_holds_for_the_lists_behind_it() -> None:
    """OVERVIEW itself is of one time."""
    to = session("OVERVIEW", seconds=9)
    for line in ("MARK B", "GO -4s", "MARK A", "COMPARE"):
        run(to, line)
    assert to.message.startswith("OVERVIEW cannot be compared. ")
    run(to, "DEVICE")
    assert to.page.against is not None
    assert "io_then" in to.sheet().table.columns


def test_a_mark_on_the_first_sample_compares_the_first_interval() -> None:
    """No interval ends there."""
    to = session("DEVICE", seconds=9)
    for line in ("MARK B", "GO begin", "MARK A", "COMPARE"):
        run(to, line)
    assert "A 00:00:01 - 00:00:02, B 00:00:08 - 00:00:09" in to.sheet().table.notes[0]


@pytest.mark.parametrize("line", ["INTERIM", "AVERAGE"])
def test_a_comparison_ends_where_something_else_is_asked_for(line: str) -> None:
    """INTERIM shows the present interval, AVERAGE the time between the marks."""
    to = session("DEVICE", seconds=9)
    for each in ("MARK B", "GO -4s", "MARK A", "COMPARE", line):
        run(to, each)
    assert to.page.against is None


@pytest.mark.parametrize("command", ["MOVES", "FILES", "DEVLOG"])
def test_what_is_no_list_of_figures_is_not_compared(command: str) -> None:
    """Proposals and files are the same at both times."""
    to = session(command, seconds=9)
    for line in ("MARK B", "GO -4s", "MARK A"):
        run(to, line)
    assert "cannot be compared" in said(to, "COMPARE")


@pytest.mark.parametrize(
    ("lines", "there"),
    [
        (["GO -4s", "MARK A"], 5),
        (["GO -4s", "GO -2s", "MARK A"], 3),
        (["GO 00:00:02", "NEXTSAMP", "MARK A"], 3),
        (["GO begin", "NEXTSAMP 00:00:04", "MARK A"], 4),
    ],
)
def test_what_is_about_a_sample_waits_until_the_cursor_is_there(lines: list[str], there: int) -> None:
    """However long a move takes: a mark is never set on the sample before."""
    to = session("DEVICE", seconds=9)
    moves: list[CursorMove] = []
    to.mover = moves.append
    for line in lines:
        run(to, line)
    assert to.marks == {}
    while moves:
        move = moves.pop(0)
        to.arrive(move, move.run())
        if not to.underway:
            waiting, to.waiting = to.waiting, []
            for line in waiting:
                run(to, line)
    assert to.marks["A"].at.utc == there * SECOND


@pytest.mark.parametrize(
    ("line", "words"), [("COMPARE A B", "Mark B is not set"), ("COMPARE B", "Mark B is not set")]
)
def test_a_comparison_names_the_mark_that_is_not_set(line: str, words: str) -> None:
    """As AVERAGE does."""
    to = session("DEVICE", seconds=9)
    run(to, "MARK A")
    assert words in said(to, line)


@pytest.mark.parametrize("screen", ["DEVICE", "CTLUNIT", "CHANNEL", "MENU"])
def test_a_figure_is_drawn_by_the_name_that_a_diagnosis_gives_it(screen: str) -> None:
    """TABLE.FIGURE, whether it is a column or not, and whichever screen it is typed at."""
    for figure in ("device.volqued", "control_unit.ios", "control_unit.resp"):
        to = session(screen)
        run(to, f"PLOT {figure}")
        assert (to.page.screen.command, to.page.argument.split()[0]) == ("PLOT", figure)


def test_the_name_of_a_figure_opens_its_screen() -> None:
    """A screen and column as PLOT takes them, and a row: both are chosen; one that is not there is said."""
    to = session("DEVICE")
    run(to, "DEVICE.pend 7001")
    assert (to.page.screen.command, to.chosen()[0]) == ("DEVICE", "pend")
    assert to.page.row == to.chosen()[1]
    assert to.page.row.endswith("7001")
    run(to, "DEVICE.pend 9999")
    assert "9999" in to.message
    with pytest.raises(CommandError, match="no screen and no command"):
        run(to, "DEVICE.nothing 7001")


@pytest.mark.parametrize("column", ["io", "io_then", "io_diff"])
def test_a_plot_from_a_comparison_draws_the_plain_column(column: str) -> None:
    """Whichever of its three columns is chosen."""
    to = session("DEVICE", seconds=9)
    for line in ("MARK B", "GO -4s", "MARK A", "COMPARE"):
        run(to, line)
    to.chosen = lambda: (column, "0.0.7000")
    run(to, "PLOT")
    assert (to.page.screen.command, to.page.argument.split()[0]) == ("PLOT", "device.io")


@pytest.mark.parametrize("command", ["PLOT", "CORREL"])
@pytest.mark.parametrize(
    ("operands", "argument"),
    [
        ("mbs 7001", "device.mbs 0.0.7001"),
        ("mbs", "device.mbs 0.0.7000"),
        ("7100", "device.io 0.0.7100"),
        ("CTLUNIT.io", "control_unit.io"),
    ],
)
def test_on_a_chart_the_screen_that_is_drawn_is_meant(command: str, operands: str, argument: str) -> None:
    """`resp` was no screen there; one had to leave the chart first."""
    to = session("DEVICE", seconds=9)
    run(to, f"{command} io 7000")
    run(to, f"{command} {operands}")
    assert to.page.screen.command == command
    assert to.page.argument.startswith(argument)


def test_two_past_times_that_are_compared_are_named_in_the_columns_and_in_the_top_line(utc: None) -> None:  # noqa: ARG001 - clocks show UTC
    """The later is not now, and the interval that is shown is neither."""
    to = session("DEVICE", seconds=9)
    run(to, "COMPARE begin-+2s 00:00:04-00:00:06")
    heads = {column.head[-1] for column in to.page.screen.columns}
    assert {"A", "B", "Diff"} <= heads
    assert "Then" not in heads
    assert to.page.times == "A 00:00:01 - 00:00:03  B 00:00:04 - 00:00:06"
    assert to.interval is not None
    line = header(to.page.screen, to.interval, live=False, times=to.page.times)
    assert "A 00:00:01 - 00:00:03  B 00:00:04 - 00:00:06  " in line
    assert "Interval" not in line
    run(to, "COMPARE begin-+2s")
    assert to.page.times == ""


def test_question_marks_list_the_keys() -> None:
    """However many: one presses F1 twice, too."""
    assert run(session(), "?") == run(session(), "??") == SurfaceRequest("HELP", "KEYS")


@pytest.mark.parametrize(("screen", "said"), [("MENU", "menu"), ("DEVLOG", ""), ("DEVICE", "")])
def test_averages_that_change_nothing_say_so(screen: str, said: str) -> None:
    """The menu shows no figures; a screen by time shows the intervals between the marks, and their mean."""
    to = session(screen, seconds=9)
    for line in ("MARK A", "GO -4s", "MARK B", "AVERAGE"):
        run(to, line)
    assert (to.message.startswith("AVERAGE ") and said in to.message) is bool(said)


def test_exceptions_are_found_where_none_is_stored() -> None:
    """The shipped day has no events and no roll-ups: NEXTEXC goes to its incident all the same."""
    day = open_recording(str(Path(__file__).parents[2] / "recordings/lab-healthy-day.zmon"))
    to = Session(day, SCREENS, "CHANNEL")
    to.begin()
    run(to, "NEXTEXC")
    assert clock(to.utc or 0, "%H:%M") == "14:31"
    assert "8000" in to.message
    day.close()


def test_no_key_of_the_glass_waits_for_rules(tmp_path: Path) -> None:
    """They go to what is known by now; it is said up to when samples are judged, none is judged for it.

    Only of samples that nobody judged when they were recorded.
    """
    recorded = open_recording(str(Path(__file__).parents[2] / "recordings/lab-healthy-day.zmon"))
    writer = Writer(str(tmp_path / "day.zmon"), durable=False)
    for sample in recorded.samples():
        if "14:00" <= clock(sample.at.utc, "%H:%M") < "16:00":
            writer.append(sample)
    writer.close()
    recorded.close()
    day = open_recording(writer.path)
    to = Session(day, SCREENS, "CHANNEL")
    to.end()
    moves: list[CursorMove] = []
    to.mover = moves.append
    run(to, "PREVEXC")
    assert moves[0].run() is None
    with pytest.raises(CommandError, match="known yet"):
        to.arrive(moves[0], None)
    to.log.complete(parse_when("2026-03-16 15:00", 0, None, day.span()))
    until = to.log.until
    run(to, "PREVEXC")
    found = moves[1].run()
    assert found is not None
    assert clock(found.interval.after.at.utc, "%H:%M") == "14:31"
    assert "8000" in found.words
    assert clock(until, DATED) in found.words
    assert to.log.until == until
    day.close()


def test_the_worst_interval_of_an_exception_is_said_to_be_it() -> None:
    """Who comes from its begin wonders about the time; the command that shows its figure opens its row."""
    day = open_recording(str(Path(__file__).parents[2] / "recordings/lab-healthy-day.zmon"))
    to = Session(day, SCREENS, "EXCEPT")
    to.end()
    to.log.complete()
    (worst, *_) = to.log.entries()
    run(to, f"WORST {worst.number}")
    assert to.utc == worst.worst_end
    assert facts(to.message).startswith(f"{worst.number} {clock(worst.begin)} ")
    (command,) = re.findall(r"[A-Z]+\.\w+ \S+", to.message)
    run(to, command)
    assert (to.page.column, to.page.row) == ("aliasuse", worst.key)
    day.close()


def test_devices_are_chosen_by_a_channel_path() -> None:
    """Which is one of several of theirs."""
    to = session("DEVICE")
    run(to, "DEVICE CHPID 41")
    assert len(to.sheet().keys) == 3
    assert "is not on DEVICE" in said(to, "DEVICE CHPID 42")


def test_a_live_machine_that_records_can_be_gone_back_in() -> None:
    """And returned to."""
    to = session("DEVICE", seconds=5, live=True, kept=True)
    run(to, "PREVSAMP")
    assert (at(to), to.live) == ((3, 4), False)
    run(to, "GO -1s")
    assert at(to) == (2, 3)
    to.to_present()
    assert (at(to), to.live) == ((4, 5), True)


def test_a_wrong_time_leaves_the_live_machine_in_sight() -> None:
    """A slip of the key rewinds nothing."""
    to = session("DEVICE", seconds=5, live=True, kept=True)
    said(to, "GO nowhere")
    assert to.live


@pytest.mark.parametrize("line", ["GO -10m", "NEXTSAMP 14:32", "PREVEXC", "NEXTEXC"])
def test_where_nothing_is_kept_it_says_how_to_keep_it(line: str) -> None:
    """Whatever leads back."""
    assert "--record FILE" in said(session("DEVICE", live=True), line)


def test_the_next_live_sample_is_taken_by_the_surface() -> None:
    """It may have a thread for that."""
    found = run(session("DEVICE", live=True), "NEXTSAMP")
    assert found is not None
    assert found.word == "REFRESH"


# moves that another thread goes


def test_a_move_leads_somewhere_when_it_was_gone() -> None:
    """Until then everything stays as it is."""
    to, moves = session("DEVICE", seconds=5), list[CursorMove]()
    to.mover = moves.append
    run(to, "PREVSAMP")
    assert (at(to), to.underway) == ((4, 5), True)
    assert to.arrive(moves[0], moves[0].run())
    assert (at(to), to.underway) == ((3, 4), False)


def test_a_move_may_lead_nowhere() -> None:
    """Then it is said when that is known."""
    to, moves = session("DEVICE", seconds=5), list[CursorMove]()
    to.mover = moves.append
    run(to, "NEXTSAMP")
    with pytest.raises(CommandError, match="PREVSAMP"):
        to.arrive(moves[0], moves[0].run())
    assert (at(to), to.underway) == ((4, 5), False)


def test_who_returned_to_the_present_is_not_taken_back() -> None:
    """A move that arrives late is forgotten."""
    to, moves = session("DEVICE", seconds=5, live=True, kept=True), list[CursorMove]()
    to.mover = moves.append
    run(to, "PREVSAMP")
    to.to_present()
    assert not to.arrive(moves[0], moves[0].run())
    assert to.live


def test_there_is_no_return_to_what_is_not_live() -> None:
    """It says where the end is."""
    with pytest.raises(CommandError, match="GO end"):
        session("DEVICE").to_present()


def test_a_move_that_failed_is_forgotten() -> None:
    """Nobody waits for it."""
    to, moves = session("DEVICE", seconds=5), list[CursorMove]()
    to.mover = moves.append
    run(to, "PREVSAMP")
    to.drop(moves[0])
    to.drop(moves[0])
    assert not to.underway


def test_help_and_a_name_wait_for_no_past_that_a_thread_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 4,096 devices that takes seconds, in which no key would do anything."""
    to, read = session("CHANNEL", seconds=9), list[object]()
    to.filled_elsewhere = True
    monkeypatch.setattr("zmon.machine.channel_paths.period_part", lambda *_, **_more: read.append(1))
    assert explain(to, "", ())
    with suppress(CommandError):
        run(to, "CHANNEL 40")
    with pytest.raises(CommandError, match="CHANNEL"):
        to.sheet()
    assert not read
    to.filled_elsewhere = False
    to.sheet()
    assert read


def test_a_screen_that_looks_back_is_being_filled_until_a_thread_has_filled_it() -> None:
    """Others, and those of the live machine that have accumulated it, are filled at once."""
    to, device, live = session("CHANNEL", seconds=5), session("DEVICE"), session("CHANNEL", live=True)
    for other in (to, device, live):
        other.filled_elsewhere = True
    assert (to.is_being_filled, device.is_being_filled, live.is_being_filled) == (True, False, False)
    to.filled_elsewhere = False
    to.sheet()
    to.filled_elsewhere = True
    assert not to.is_being_filled


@pytest.mark.parametrize("screen", ["DIAGNOSE", "EXCEPT"])
def test_the_verdict_on_a_long_time_is_filled_by_a_thread(screen: str) -> None:
    """Each minute of it is judged; that of one interval is shown at once."""
    to = session(screen, seconds=9)
    to.filled_elsewhere = True
    assert not to.is_being_filled
    for line in ("MARK A", "GO -4s", "MARK B", "AVERAGE"):
        run(to, line)
    assert to.is_being_filled


def test_before_the_first_sample_no_sheet_can_be_shown() -> None:
    """It says how to come to one."""
    with pytest.raises(CommandError, match="NEXTSAMP"):
        session("DEVICE", to_end=False).sheet()


def test_a_table_is_filled_once_per_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorting and choosing use the table that is there, so that a key is answered at once."""
    to = session("DEVICE")
    first = to.sheet()
    assert to.sheet() is first
    monkeypatch.setattr("zmon.session.page.fill", None)  # nothing is filled any more
    run(to, "SORT io")
    run(to, "WHERE io>1")
    assert to.sheet().table is first.table


def test_a_table_that_was_filled_elsewhere_is_used() -> None:
    """The glass has it filled in a thread."""
    to = session("DEVICE")
    task = to.task()
    table = task.table()
    to.accept(task, table)
    assert to.sheet().table is table


# anything at all


WORDS = st.sampled_from(
    [c.word for c in COMMANDS if c.word != "PRINT"]
    + [s.command for s in SCREENS]
    + ["13", "io>5", "resp", "7001", "=", "-1s", "begin", "A", "B"]
)
LINES = st.lists(WORDS | st.text(max_size=5), max_size=4).map(" ".join) | st.text(max_size=20)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(LINES, max_size=12))
def test_whatever_is_typed_a_screen_stands(lines: list[str]) -> None:
    """A line is carried out or answered with words; there is always a page, and it can be shown."""
    to = session(seconds=3)
    for line in lines:
        words = "carried out"
        try:
            run(to, line)
        except CommandError as error:
            words = str(error)
        assert re.search(r"\w", words)
        assert to.pages
        to.sheet()


def test_a_note_is_written_where_samples_are_kept(tmp_path: Path) -> None:
    """It stands at the sample that is looked at, and among the events."""
    timeline = LiveTimeline(Choice(hypervisor=False), 1.0, root=str(tmp_path), buffer=MemoryBuffer())
    session = Session(timeline, SCREENS)
    session.next()
    run(session, "NOTE the backup was moved")
    assert session.message.startswith("Noted at ")
    assert "--record FILE" in session.message
    [event] = timeline.events(0, 1 << 62)
    assert (event.text, event.begin) == ("the backup was moved", session.utc)
    timeline.close()


def test_a_note_needs_words_and_a_place(lay_out: Callable[[str], str]) -> None:
    """It is said what is missing."""
    session = Session(open_capture(lay_out("qemu")), SCREENS)
    session.end()
    with pytest.raises(CommandError, match="noted"):
        run(session, "NOTE")
    with pytest.raises(CommandError, match="zmon --record"):
        run(session, "NOTE something")


def test_an_event_of_an_lcu_has_the_name_that_the_screens_show() -> None:
    """The site's name, if it has one; else what CTLUNIT calls it."""
    to = Session(open_recording(f"{shipped('recordings')}/lab-shark-before.zmon"), SCREENS)
    here = to.end()
    assert here is not None
    key = "IBM.750000000F2001.7600"
    slow = Event(What.LIMIT, 0, 0, key, f"CTLUNIT {key}: Resp up to 63.7 ms", "CTLUNIT")
    assert to.named([slow], here)[0].text == "CTLUNIT 7600: Resp up to 63.7 ms"
    site = '[[lcu_by_number]]\nserial = "*"\npattern = "7nXX"\n'
    inputs = UserInputs(parse_site(site, "site.toml"))
    to.inputs = lambda: inputs
    assert to.named([slow], here)[0].text == "CTLUNIT 6: Resp up to 63.7 ms"
    disk = Event(What.LIMIT, 0, 0, "0.0.70ab", "DEVICE 0.0.70ab: Resp up to 9 ms", "DEVICE")
    assert to.named([disk], here)[0].text == "DEVICE 70AB: Resp up to 9 ms"


def test_a_live_machine_is_told_what_is_shown_on_demand() -> None:
    """From when the screen is opened until it is left."""
    to = session("DEVICE", live=True)
    wanted: list[object] = []
    to.timeline.want = wanted.append  # type: ignore[method-assign,assignment]  # noted here
    to.open("USTAT")
    assert PROCESS in wanted[-1]  # type: ignore[operator]  # kinds
    to.open("DEVICE")
    to.sheet()
    assert not wanted[-1]


def test_a_refused_command_leaves_nothing_behind() -> None:
    """What a refusal went through is let go at once: no error and its frames keep each other."""
    views = session("DEVICE", seconds=4)
    words = ["", "io", "7000", "-10m", "09:20 09:50", "09:50-09:20", "begin", "9" * 200]
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for word in (*(c.word for c in COMMANDS if c.word != "PRINT"), *(s.command for s in SCREENS)):
            for operand in words:
                with suppress(CommandError):
                    run(views, f"{word} {operand}")
        gc.collect()
        kept = [thing for thing in gc.garbage if isinstance(thing, BaseException)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not kept


def test_a_plan_is_made_by_a_thread_and_its_operand_is_looked_at_before() -> None:
    """It takes seconds, in which keys are answered."""
    to = session("MOVES")
    to.filled_elsewhere = True
    assert to.is_being_filled
    with pytest.raises(CommandError):
        to.open("MOVES", "0")
