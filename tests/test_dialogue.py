"""The dialogue: which screen is shown, what a command changes, and what is said when it cannot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import ListTape
from zmon.event import Event, What
from zmon.kernel.sampler import Choice
from zmon.kinds import BLOCK, CMF, DEVICE
from zmon.sample import Frame, Instant, Sample
from zmon.screen.definition import load_screens, shipped
from zmon.screen.query import Condition
from zmon.screen.sheet import Order
from zmon.session.capture import CaptureTape
from zmon.session.command import COMMANDS, CommandError
from zmon.session.dialogue import Dialogue
from zmon.session.keep import Memory
from zmon.session.live import LiveTape
from zmon.session.tape import Watch
from zmon.session.traveller import Move

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from zmon.absent import Value
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
    """Say that a limit was exceeded in a second."""
    return Event(What.LIMIT, second * SECOND, second * SECOND, "7000", "7000 is slow", "DEVICE")


def dialogue(  # noqa: PLR0913 - each is one side of a tape, and all may be left out
    first: str = "MENU",
    *,
    seconds: int = 2,
    live: bool = False,
    kept: bool = False,
    to_end: bool = True,
    happened: tuple[Event, ...] = (),
) -> Dialogue:
    """Lead a dialogue over a tape of so many samples, which a live machine may have kept."""
    samples = [sample(n) for n in range(1, seconds + 1)]
    past = ListTape(samples, happened=happened) if kept else None
    watch = Watch(ListTape(samples, live=live, happened=happened, kept=past))
    for _ in range(seconds if to_end else 0):
        watch.forward()
    return Dialogue(watch, SCREENS, first)


def said(to: Dialogue, line: str) -> str:
    """Return what is said about a line that cannot be carried out; nothing else may have changed."""
    before = list(to.pages)
    with pytest.raises(CommandError) as error:
        to.run(line)
    assert to.pages == before
    return str(error.value)


# screens


def test_the_menu_is_where_it_begins() -> None:
    """Unless another screen is asked for."""
    assert dialogue().page.screen.command == "MENU"
    assert dialogue("DEVICE").page.screen.command == "DEVICE"


@pytest.mark.parametrize("screen", [s for s in SCREENS if s.layout == "list"], ids=lambda s: s.command)
def test_a_screen_is_found_by_command_number_and_menu_code(screen: object) -> None:
    """All of them open the same."""
    words = [screen.command, screen.command.lower(), screen.id]  # type: ignore[attr-defined]  # a Screen
    if screen.menu:  # type: ignore[attr-defined]
        words.append(screen.menu)  # type: ignore[attr-defined]
    for word in words:
        to = dialogue()
        assert to.run(word) is None
        assert to.page.screen is screen


def test_a_screen_may_be_shortened_while_it_is_clear() -> None:
    """`DEV` is DEVICE, not its log."""
    to = dialogue()
    to.run("dev")
    assert to.page.screen.command == "DEVICE"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("NONSENSE 5", "'NONSENSE' is no screen and no command; HELP COMMANDS lists them"),
        ("devcie 7000", "'devcie' is no screen and no command: did you mean DEVICE?"),
        ("refersh", "'refersh' is no screen and no command: did you mean REFRESH?"),
        ("x" * 50, f"'{'x' * 30}...' is no screen and no command; HELP COMMANDS lists them"),
        ("14", "CP owned disks (14) is not in zmon"),
    ],
)
def test_an_unknown_word_is_answered_in_one_line(line: str, words: str) -> None:
    """With what is called much like it, screen or command, if anything is."""
    assert said(dialogue(), line) == words


def test_an_empty_line_changes_nothing() -> None:
    """ENTER alone belongs to the surface."""
    to = dialogue("DEVICE")
    pages = list(to.pages)
    assert (to.run(""), to.run("   "), to.pages) == (None, None, pages)


def test_a_screen_without_operands_refuses_one() -> None:
    """It says what to write."""
    words = said(dialogue(), "SYSSUMLG nonsense")
    assert "'nonsense'" in words
    assert "SYSSUMLG alone or with conditions" in words


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
    to = dialogue()
    to.run(line)
    assert to.sheet().keys == keys


@pytest.mark.parametrize("line", ["CTLUNIT 9999", "CTLUNIT LCU 9999", "DEVICE LCU 9999"])
def test_a_name_of_no_row_is_answered(line: str) -> None:
    """The screen is not opened; alone it lists what there is."""
    words = said(dialogue(), line)
    assert words.startswith(repr(line.partition(" ")[2]))
    assert "without operand lists all" in words


@pytest.mark.parametrize(
    ("line", "column"), [("SORT MB/s", "mbs"), ("SORT I/O desc", "io"), ("SORT Req. Qued asc", "qued")]
)
def test_a_screen_is_sorted_on_a_heading(line: str, column: str) -> None:
    """As it stands there; a direction may stand behind."""
    to = dialogue("DEVICE")
    to.run(line)
    assert to.page.order is not None
    assert to.page.order.column == column


def test_sort_alone_takes_the_column_that_was_chosen() -> None:
    """By TAB, on the glass."""
    to = dialogue("DEVICE")
    to.chosen = lambda: ("mbs", "")
    to.run("SORT")
    assert to.page.order == Order("mbs", descending=True)


# one thing


@pytest.mark.parametrize("name", ["7001", "0.0.7001", "dasdb", "DASDB"])
def test_a_device_goes_by_any_of_its_names(name: str) -> None:
    """DEVICE with a name opens the page of that device."""
    to = dialogue()
    to.run(f"DEVICE  {name}")
    assert (to.page.screen.command, to.page.argument) == ("DETAILS", name)
    assert to.sheet().table.facts["busid"] == "0.0.7001"


def test_a_device_that_is_not_there_is_named_and_where_to_look() -> None:
    """The page is not opened."""
    words = said(dialogue(), "DEVICE 9999")
    assert "'9999'" in words
    assert "DEVICE lists" in words


@pytest.mark.parametrize("line", ["DETAILS", "DETAILS resp>10"])
def test_a_page_needs_to_know_what_it_is_about(line: str) -> None:
    """It says what, in words."""
    assert "device" in said(dialogue(), line)


def test_a_thing_that_vanishes_while_it_is_shown_is_said_to_be_gone() -> None:
    """The page stays, and RETURN leads back."""
    watch = Watch(ListTape([sample(1), sample(2), sample(3, disks=1)]))
    watch.forward()
    watch.forward()
    to = Dialogue(watch, SCREENS, "MENU")
    to.run("DEVICE 7001")
    to.sheet()
    watch.forward()
    with pytest.raises(CommandError, match=r"7001.*RETURN"):
        to.sheet()


# conditions and order


def test_a_screen_opens_with_conditions() -> None:
    """`DEVICE io>150` shows the devices that start more."""
    to = dialogue()
    to.run("DEVICE io > 150")
    assert to.page.conditions == (Condition("io", ">", "150"),)
    assert sorted(to.sheet().keys) == ["0.0.7001", "0.0.7100"]


def test_conditions_can_be_changed_and_taken_away() -> None:
    """WHERE without anything shows all rows."""
    to = dialogue("DEVICE")
    to.run("where io<150")
    assert to.sheet().keys == ["0.0.7000"]
    to.run("W")
    assert len(to.sheet()) == 3


@pytest.mark.parametrize("line", ["WHERE nope>5", "DEVICE nope>5", "SORT nope", "sort nope desc"])
def test_an_unknown_column_is_answered_with_the_columns(line: str) -> None:
    """By their headings, the first of those that can be sorted on, or of all."""
    words = said(dialogue("DEVICE"), line)
    assert "'nope'" in words
    assert "Label/ID" in words


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("WHERE io", ["'io'", "resp>10"]),
        ("WHERE io>x", ["'x'", "number"]),
        ("SORT io UP", ["'UP'", "ASC", "DESC"]),
        ("SORT", ["Sort on which column?", "I/O"]),
        ("SORT Time", ["'Time' may mean Pend or Disc"]),
        ("SORT rsp", ["did you mean Resp"]),
        ("QUIT now", ["QUIT", "'now'", "alone"]),
        ("PREVSAMP 5", ["PREVSAMP", "'5'", "alone"]),
        ("NEXTSAMP 5", ["'5'", "14:32"]),
        ("GO", ["14:32", "begin"]),
        ("GO nowhere", ["'nowhere'", "-10m"]),
        ("MARK", ["Use MARK A or MARK B."]),
        ("MARK C", ["Use MARK A or MARK B."]),
        ("AVERAGE", ["MARK A"]),
        ("NEXTEXC", ["No later exception. PREVEXC goes to the previous one."]),
        ("PREVEXC", ["No earlier exception. NEXTEXC goes to the next one."]),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(line: str, parts: list[str]) -> None:
    """Each message names the words that were typed."""
    words = said(dialogue("DEVICE"), line)
    assert all(part in words for part in parts)


@pytest.mark.parametrize("line", ["SORT resp", "WHERE resp>5"])
def test_the_menu_has_no_rows_to_sort_or_choose(line: str) -> None:
    """It says where there are some."""
    words = said(dialogue(), line)
    assert words.startswith("MENU has no rows")
    assert "DEVICE" in words


def test_sorting_on_a_column_begins_with_its_own_direction() -> None:
    """And naming it again turns it round."""
    to = dialogue("DEVICE")
    to.run("SORT io")
    assert to.page.order == Order("io", descending=True)
    assert to.sheet().keys[0] == "0.0.7100"
    to.run("SO io")
    assert to.page.order == Order("io", descending=False)
    assert to.sheet().keys[0] == "0.0.7000"


@pytest.mark.parametrize(("words", "descending"), [("ASC", False), ("desc", True)])
def test_a_direction_may_be_named(words: str, descending: bool) -> None:
    """Then it holds, whatever it was before."""
    to = dialogue("DEVICE")
    for _ in range(2):
        to.run(f"SORT  io   {words}")
        assert to.page.order == Order("io", descending=descending)


# the way there and back


def test_going_deeper_opens_what_the_row_is_about() -> None:
    """LCU -> its devices -> one device."""
    to = dialogue("CTLUNIT")
    assert to.drill("IBM.750000000ABCD1.7000")
    assert sorted(to.sheet().keys) == ["0.0.7000", "0.0.7001"]
    assert to.drill("0.0.7001")
    assert to.page.argument == "0.0.7001"
    assert not to.drill("anything")


def test_back_leads_the_same_way() -> None:
    """Each screen is as it was left."""
    to = dialogue()
    to.run("DEVICE io>150")
    to.run("SORT io")
    left = to.page
    to.drill("0.0.7001")
    assert (to.back(), to.page) == (True, left)
    assert (to.back(), to.page.screen.command) == (True, "MENU")
    assert (to.back(), to.page.screen.command) == (False, "MENU")


def test_the_menu_is_the_root() -> None:
    """Opened again, it forgets the way."""
    to = dialogue()
    for line in ("DEVICE", "CHANNEL", "MENU"):
        to.run(line)
    assert [page.screen.command for page in to.pages] == ["MENU"]


def test_return_leaves_a_screen_and_on_the_first_the_dialogue() -> None:
    """As the Toolkit does; but on the first it asks once, which any other command withdraws."""
    to = dialogue()
    to.run("DEVICE")
    to.run("RET")
    assert (to.page.screen.command, to.ended) == ("MENU", False)
    to.run("RETURN")
    assert (to.ended, to.said) == (False, "F3 or F12 again leaves zmon; QUIT leaves at once")
    to.run("CHANNEL")
    to.run("RETURN")
    to.run("RETURN")
    assert not to.ended
    to.run("RETURN")
    assert to.ended


@pytest.mark.parametrize("line", ["QUIT", "quit", "EXIT", "exit"])
def test_the_dialogue_can_be_left_from_anywhere(line: str) -> None:
    """By either word."""
    to = dialogue("DEVICE")
    to.run(line)
    assert to.ended


@pytest.mark.parametrize("line", ["QUI", "EXI", "NEXT"])
def test_what_cannot_be_undone_is_not_abbreviated(line: str) -> None:
    """Or not so far that a slip of a key would do it."""
    to = dialogue("DEVICE")
    assert f"'{line}'" in said(to, line)
    assert not to.ended


# commands of the surface

OPERANDS = {"SORT": " io", "GO": " begin", "MARK": " a", "NOTE": " words"}
"""Of those that need one."""


@pytest.mark.parametrize(
    "command", [c for c in COMMANDS if c.word != "TOUR"], ids=lambda command: command.word
)
def test_a_command_is_known_from_its_shortest_form_on(command: object) -> None:
    """In any case; what the surface has to do is handed to it, the rest is done."""
    word, shortest = command.word, command.shortest  # type: ignore[attr-defined]  # a Command
    theirs = {"HELP", "LOCATE", "TOP", "BOTTOM", "REFRESH", "PRINT", "PLAY", "PAUSE", "EVENTS", "NOW"}
    for length in range(shortest, len(word) + 1):
        to = dialogue("DEVICE", seconds=5, happened=(limit(2), limit(5)))
        to.watch.seek(4 * SECOND)
        to.run("MARK A")
        to.run("PREVSAMP")
        to.run("MARK B")
        found = to.run(word[:length].lower() + OPERANDS.get(word, ""))
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
    to = dialogue()
    to.run(line)
    assert (to.page.screen.command, to.sheet().table.columns["addr"]) == ("BENCHMRK", ["7000"])


def test_the_toolkits_word_alone_is_no_command() -> None:
    """There is nothing behind it."""
    with pytest.raises(CommandError, match="'FC' is no screen"):
        dialogue().run("FC")


def test_what_is_beyond_the_limits_of_the_screens_is_counted() -> None:
    """The tables do not know them; the dialogue tells."""
    to = dialogue("SYSSUMLG")
    assert to.sheet().table.columns["beyond"] == [0]


def test_a_slash_locates() -> None:
    """The surface finds the text behind it."""
    found = dialogue("DEVICE").run("/pay 01")
    assert found is not None
    assert found.word == "LOCATE"


# samples


def test_samples_are_stepped_through() -> None:
    """The sheet is that of the sample where the watch stands."""
    to = dialogue("DEVICE", seconds=3)
    last = to.sheet()
    to.run("PREVS")
    assert to.sheet() is not last
    to.run("NEXTS")
    assert to.watch.interval is not None
    assert to.watch.interval.after.at.utc == 3 * SECOND


def test_the_ends_of_a_tape_say_where_to_go_on() -> None:
    """In either direction."""
    to = dialogue("DEVICE")
    assert "PREVSAMP" in said(to, "NEXTSAMP")
    to.run("PREVSAMP")
    assert "NEXTSAMP" in said(to, "PREVSAMP")


def test_live_samples_cannot_be_stepped_back_to() -> None:
    """It says with what one could."""
    assert "--from" in said(dialogue("DEVICE", live=True), "PREVSAMP")


def at(to: Dialogue) -> tuple[int, int]:
    """Tell between which seconds the interval lies that is looked at."""
    assert to.watch.interval is not None
    assert to.watch.interval.before is not None
    return to.watch.interval.before.at.utc // SECOND, to.watch.interval.after.at.utc // SECOND


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
    to = dialogue("DEVICE", seconds=5, happened=(limit(2),))
    to.run(line)
    assert at(to) == there


@pytest.mark.parametrize(("line", "there"), [("GO 0:00:02", "00:00:02"), ("PREVSAMP", "00:00:04")])
@pytest.mark.usefixtures("utc")
def test_the_menu_says_where_a_move_has_led(line: str, there: str) -> None:
    """It shows no figures whose interval would tell; other screens say nothing."""
    to = dialogue(seconds=5)
    to.run(line)
    assert to.said == f"Now at {there}"
    to.run("DEVICE")
    to.run("PREVSAMP")
    assert to.said == ""


def test_the_begin_has_no_interval() -> None:
    """The first sample is a begin alone."""
    to = dialogue("DEVICE", seconds=5)
    to.run("GO begin")
    assert to.watch.interval is not None
    assert to.watch.interval.before is None


def test_an_exception_is_said() -> None:
    """Who is taken there reads why."""
    to = dialogue("DEVICE", seconds=5, happened=(limit(2),))
    to.run("PREVEXC")
    assert to.said.endswith("! 7000 is slow")


def test_the_averages_between_two_marks_are_shown() -> None:
    """Until the figures of each interval are asked for, or another sample."""
    to = dialogue("DEVICE", seconds=9)
    for line in ("MARK A", "GO -4s", "mark b", "AVERAGE"):
        to.run(line)
    assert at(to) == (5, 9)
    assert to.sheet() is not None
    to.run("INTERIM")
    assert at(to) == (4, 5)


def test_a_live_machine_that_records_can_be_gone_back_in() -> None:
    """And returned to."""
    to = dialogue("DEVICE", seconds=5, live=True, kept=True)
    to.run("PREVSAMP")
    assert (at(to), to.watch.tape.live) == ((3, 4), False)
    to.run("GO -1s")
    assert at(to) == (2, 3)
    to.to_present()
    assert (at(to), to.watch.tape.live) == ((4, 5), True)


def test_a_wrong_time_leaves_the_live_machine_in_sight() -> None:
    """A slip of the key rewinds nothing."""
    to = dialogue("DEVICE", seconds=5, live=True, kept=True)
    said(to, "GO nowhere")
    assert to.watch.tape.live


@pytest.mark.parametrize("line", ["GO -10m", "NEXTSAMP 14:32", "PREVEXC", "NEXTEXC"])
def test_where_nothing_is_kept_it_says_how_to_keep_it(line: str) -> None:
    """Whatever leads back."""
    assert "--record FILE" in said(dialogue("DEVICE", live=True), line)


def test_the_next_live_sample_is_taken_by_the_surface() -> None:
    """It may have a thread for that."""
    found = dialogue("DEVICE", live=True).run("NEXTSAMP")
    assert found is not None
    assert found.word == "REFRESH"


# moves that another thread goes


def test_a_move_leads_somewhere_when_it_was_gone() -> None:
    """Until then everything stays as it is."""
    to, moves = dialogue("DEVICE", seconds=5), list[Move]()
    to.mover = moves.append
    to.run("PREVSAMP")
    assert (at(to), to.underway) == ((4, 5), True)
    assert to.arrive(moves[0], moves[0].go())
    assert (at(to), to.underway) == ((3, 4), False)


def test_a_move_may_lead_nowhere() -> None:
    """Then it is said when that is known."""
    to, moves = dialogue("DEVICE", seconds=5), list[Move]()
    to.mover = moves.append
    to.run("NEXTSAMP")
    with pytest.raises(CommandError, match="PREVSAMP"):
        to.arrive(moves[0], moves[0].go())
    assert (at(to), to.underway) == ((4, 5), False)


def test_who_returned_to_the_present_is_not_taken_back() -> None:
    """A move that arrives late is forgotten."""
    to, moves = dialogue("DEVICE", seconds=5, live=True, kept=True), list[Move]()
    to.mover = moves.append
    to.run("PREVSAMP")
    to.to_present()
    assert not to.arrive(moves[0], moves[0].go())
    assert to.watch.tape.live


def test_there_is_no_return_to_what_is_not_live() -> None:
    """It says where the end is."""
    with pytest.raises(CommandError, match="GO end"):
        dialogue("DEVICE").to_present()


def test_a_move_that_failed_is_forgotten() -> None:
    """Nobody waits for it."""
    to, moves = dialogue("DEVICE", seconds=5), list[Move]()
    to.mover = moves.append
    to.run("PREVSAMP")
    to.drop(moves[0])
    to.drop(moves[0])
    assert not to.underway


def test_a_screen_that_looks_back_is_laborious_until_it_is_filled() -> None:
    """Its table is better filled in a thread."""
    to = dialogue("CHANNEL", seconds=5)
    assert (to.laborious, to.sheet() is None, to.laborious) == (True, False, False)
    assert not dialogue("DEVICE").laborious
    assert not dialogue("CHANNEL", live=True).laborious


def test_before_the_first_sample_no_sheet_can_be_shown() -> None:
    """It says how to come to one."""
    with pytest.raises(CommandError, match=r"no sample yet\. NEXTSAMP"):
        dialogue("DEVICE", to_end=False).sheet()


def test_a_table_is_filled_once_per_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorting and choosing use the table that is there, so that a key is answered at once."""
    to = dialogue("DEVICE")
    first = to.sheet()
    assert to.sheet() is first
    monkeypatch.setattr("zmon.session.page.fill", None)  # nothing is filled any more
    to.run("SORT io")
    to.run("WHERE io>1")
    assert to.sheet().table is first.table


def test_a_table_that_was_filled_elsewhere_is_used() -> None:
    """The glass has it filled in a thread."""
    to = dialogue("DEVICE")
    filling = to.filling()
    table = filling.table()
    to.accept(filling, table)
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
    to = dialogue(seconds=3)
    for line in lines:
        words = "carried out"
        try:
            to.run(line)
        except CommandError as error:
            words = str(error)
        assert re.search(r"\w", words)
        assert to.pages
        to.sheet()


def test_a_note_is_written_where_samples_are_kept(tmp_path: Path) -> None:
    """It stands at the sample that is looked at, and among the events."""
    tape = LiveTape(Choice(hypervisor=False), 1.0, root=str(tmp_path), keep=Memory("here"))
    watch = Watch(tape)
    watch.forward()
    dialogue = Dialogue(watch, SCREENS)
    dialogue.run("NOTE the backup was moved")
    past = tape.past_tape()
    assert past is not None
    [event] = past.events(0, 1 << 62)
    assert (event.text, event.begin) == ("the backup was moved", watch.utc)
    tape.close()


def test_a_note_needs_words_and_a_place(lay_out: Callable[[str], str]) -> None:
    """It is said what is missing."""
    dialogue = Dialogue(Watch(CaptureTape(lay_out("qemu"))), SCREENS)
    dialogue.watch.to_end()
    with pytest.raises(CommandError, match="What is to be noted"):
        dialogue.run("NOTE")
    with pytest.raises(CommandError, match="zmon --record"):
        dialogue.run("NOTE something")
