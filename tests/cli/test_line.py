from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ListTimeline
from zmon.base.event import Event, What
from zmon.base.shipped import shipped
from zmon.cli.line import PIECE, Console, run_line_mode
from zmon.cli.output import FAILED, OK
from zmon.kernel.sysinfo import NEEDS_LPAR
from zmon.sample import Instant, Sample
from zmon.screen.definition import load_screens
from zmon.session.machines import open_capture, open_lab
from zmon.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("utc")
SCREENS = load_screens(shipped("screens"))


@pytest.fixture
def talk(lay_out: Callable[[str], str]) -> Callable[..., list[str]]:
    """Lead a session over a capture; return what was answered, cut at the prompts."""

    def talked(*questions: str, machine: str = "hercules", first: str = "MENU") -> list[str]:
        answers = io.StringIO()
        asked = io.StringIO("".join(f"{question}\n" for question in questions))
        assert run_line_mode(Session(open_capture(lay_out(machine)), SCREENS), first, asked, answers) == OK
        return answers.getvalue().split(" Command ===> ")

    return talked


def test_the_first_screen_is_written_before_the_first_question(talk: Callable[..., list[str]]) -> None:
    """Nobody has to press ENTER to see something."""
    assert talk()[0].startswith(" FCX124           Performance Screen Selection")


def test_a_screen_by_command_number_or_code(talk: Callable[..., list[str]]) -> None:
    """What is typed is echoed, where no terminal does it."""
    one, two, three = talk("DEVICE", "13", "FCX108")[1:4]
    assert one.removeprefix("DEVICE\n") == two.removeprefix("13\n") == three.removeprefix("FCX108\n")
    assert one.startswith("DEVICE\n FCX108 ")


def test_returning_from_the_first_screen_asks(talk: Callable[..., list[str]]) -> None:
    """F3 there says what a second one does; anything in between is no answer."""
    asked, deeper, again, *rest = talk("F3", "F8", "F12", "RETURN", "DEVICE", first="OVERVIEW")[1:]
    assert asked.startswith("F3\n F3 or F12 again ")
    question = asked.removeprefix("F3\n")
    assert question not in deeper
    assert again.endswith(question)
    assert rest == ["RETURN\n"]


def test_a_screen_in_pieces(talk: Callable[..., list[str]]) -> None:
    """No piece is longer than a screen of 24 lines; headings are repeated; all rows come once."""
    pieces = talk("DEVICE", "F8", "WHERE addr=nothing", first="LPAR")
    assert max(piece.count("\n") for piece in pieces) <= PIECE + 4


def test_forward_and_backward(talk: Callable[..., list[str]]) -> None:
    """F8 and F7, TOP and BOTTOM: the menu has more lines than a piece."""
    first, onward, back, bottom, top = talk("F8", "PF7", "BOTTOM", "TOP", first="MENU ALL")[0:5]
    assert "Scheduler queues" in first
    assert first.splitlines() == back.splitlines()[1:] == top.splitlines()[1:]
    assert onward != first or "more lines" not in first
    assert "Scheduler data" in bottom


@pytest.mark.parametrize(
    "question",
    ["SORT io", "WHERE io>1", "GO -10m", "PREVSAMP", "COMPARE -20m", "DEVICE cu~7", "GO 09:30"],
)
def test_another_order_choice_or_sample_begins_at_the_top(question: str) -> None:
    """The hottest rows are not above what is written; else the place stays, and what is above is said."""
    answers, asked = io.StringIO(), io.StringIO(f"\nMARK A\n{question}\n")
    assert run_line_mode(Session(open_lab("lab:shark-before"), SCREENS), "DEVICE", asked, answers) == OK
    first, rest, marked, other, _ = answers.getvalue().split(" Command ===> ")
    above = re.compile(r"^ \(\d+ lines above: F7\)$", re.MULTILINE)
    assert not above.search(first)
    assert above.search(rest)
    assert above.search(marked)
    assert not above.search(other)
    assert max(piece.count("\n") for piece in (first, rest, marked, other)) <= PIECE + 5


def test_enter_goes_deeper_by_the_line_that_says_how(talk: Callable[..., list[str]]) -> None:
    """There is no cursor, so the command is named that leads into the first row."""
    assert " To go deeper: DEVICE 7201\n" in talk("DEVICE")[1]
    assert " FCX110 " in talk("DEVICE 7000")[1]


@pytest.mark.parametrize("screen", ["CTLUNIT", "DEVICE"])
def test_the_line_that_says_how_names_a_command_that_works(
    screen: str, talk: Callable[..., list[str]]
) -> None:
    """The screen that it leads to has something to show."""
    said = [line for line in talk(screen)[1].splitlines() if "go deeper" in line]
    assert said
    for line in said:
        found = talk(line.partition(": ")[2])[1]
        assert ("FCX108" in found or "FCX110" in found, "Nothing to show" in found) == (True, False)


def test_an_lcu_is_named_as_people_name_it(talk: Callable[..., list[str]]) -> None:
    """Not by the condition on its whole identity."""
    assert re.search(r" To go deeper: DEVICE LCU [0-9A-F]{4}\n", talk("CTLUNIT")[1])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("NOPE", "did you mean NOTE?"),
        ("SORT nope", "'nope' is no column"),
        ("F9", "PF9 does nothing here"),
        ("PF99", "PF99 does nothing"), ("/nowhere", "'nowhere'"),
        ("LOCATE", "Locate what?"),
        ("PRINT /none/x", "/none/x cannot be written"),
        ("HELP nope", "'nope' is no column, "),
        ("WHERE resp>x", "is no number"),
        ("NEXTSAMP", "last sample"), ("\x1b[2J", "'\\x1b[2j"), ("DEVICE \x1b[2J", "no device '\\x1b[2J'"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(question: str, answer: str, talk: Callable[..., list[str]]) -> None:
    """In one line; the session goes on, and nothing reaches the terminal that it would obey."""
    said = talk("DEVICE", question)[2]
    assert answer.casefold() in " ".join(said.split()).casefold()
    assert all(line.isprintable() for line in said.splitlines())


def test_help_on_screen_and_column(talk: Callable[..., list[str]]) -> None:
    """The column says what it is, whence it comes and when it is too much."""
    screen, same, column, other = talk("DEVICE", "HELP", "F1", "HELP Resp", "HELP CTLUNIT")[2:6]
    assert " FCX108 DEVice - " in screen
    assert screen.splitlines()[1:] == same.splitlines()[1:]
    assert "resp / serv is marked * from 3 on, ! from 6 on" in " ".join(column.split())
    assert " FCX176 CTlunit - Control Units" in other


def test_help_comes_in_pieces(talk: Callable[..., list[str]]) -> None:
    """ENTER or F8 goes on until all is told; another command ends it; no line is wider than the terminal."""
    pieces = talk("?", "", "F8", "", "", "", "")[1:]
    assert pieces[0].startswith("?\n Keys\n")
    assert all(piece.count("\n") <= PIECE + 2 for piece in pieces)
    assert max(len(line) for piece in pieces for line in piece.splitlines()) <= 79
    told = "".join(pieces)
    assert all(words in told for words in ("F10 F11", "Where [condition ...]", "DEVice (13)", "Zmon (Z)"))
    left = [int(piece.splitlines()[-1].split()[0].lstrip("(")) for piece in pieces if "more line" in piece]
    assert left == sorted(left, reverse=True)
    assert left
    assert "FCX124" in talk("?", "MENU", "")[2]
    assert "more line" not in talk("?", "NOPE", "")[3]


@pytest.mark.parametrize(("word", "end"), [("q", True), ("quit", True), ("h", False), ("?", False)])
def test_the_words_that_one_tries_first(word: str, end: bool, talk: Callable[..., list[str]]) -> None:
    """`q` leaves; `h` and `?` help."""
    answers = talk(word, "CPU")
    assert (len(answers) == 2) is end
    assert "is no screen" not in answers[1]


def test_a_long_message_is_folded_between_words(talk: Callable[..., list[str]]) -> None:
    """A terminal of 80 columns would cut words."""
    answer = talk("FILES nosuchname")[1]
    assert max(map(len, answer.splitlines())) <= 79
    assert "(--listing), so FILES knows nothing of nosuchname" in " ".join(answer.split())


def test_enter_does_not_write_a_recording_again(talk: Callable[..., list[str]]) -> None:
    """There is no new sample; it says how to go on."""
    assert talk("CTLUNIT", "", "", machine="qemu")[3].partition(";")[2].startswith(" TOP ")


def test_locate_begins_behind_the_first_line(talk: Callable[..., list[str]]) -> None:
    """The found row stands first below the headings."""
    lines = talk("DEVICE", "/0X7101")[2].splitlines()
    assert lines[6].startswith(" 7101 ")


def test_left_and_right(talk: Callable[..., list[str]]) -> None:
    """F11 shows what does not fit into 79 columns, F10 goes back."""
    plain, right, left = talk("DEVICE", "F11", "F10")[1:4]
    assert "Await" not in plain
    assert "Await" in right
    assert left.splitlines()[1:] == plain.splitlines()[1:]


def test_a_list_has_what_the_verdict_says_about_it(talk: Callable[..., list[str]]) -> None:
    """Below its header, folded, with the way to more; `!` is that way, and other screens have none."""
    devices, diagnose, cpu = talk("DEVICE", "!", "CPU", machine="hyperion")[1:4]
    said = " ".join(line.strip() for line in devices.splitlines()[2:5])
    verdict = next(line for line in diagnose.splitlines() if "erdict" in line or line.startswith(" 1. "))
    assert "DIAGNOSE says more." in said
    assert " ".join(verdict.split()[1:6]) in said
    assert diagnose.splitlines()[1].startswith(" DIAGNOSE ")
    assert "DIAGNOSE says more" not in cpu


def test_the_first_column_stays(talk: Callable[..., list[str]]) -> None:
    """It says whose numbers they are; columns begin whole behind it."""
    right = talk("DEVICE", "F11")[2].splitlines()
    assert any(line.startswith(" Addr ") for line in right)
    assert any(line.startswith(" 7000 ") for line in right)


def test_every_column_is_reached(talk: Callable[..., list[str]]) -> None:
    """Going to the right leaves none out, and going back neither."""
    answers = talk("DEVICE", *["F11"] * 4, *["F10"] * 4)[1:]
    assert max(len(line) for answer in answers for line in answer.splitlines()) <= 80
    for way in (answers[:5], answers[4:9]):
        lines = [line for answer in way for line in answer.splitlines()]
        seen = {word for line in lines if line.startswith(" Addr ") for word in line.split()}
        assert {"Addr", "Label/ID", "Qued", "Name", "Await", "CHPIDs", "nsec"} <= seen
    assert answers[8].splitlines()[1:] == answers[0].splitlines()[1:]


@pytest.mark.parametrize("moves", [(), ("F11",)])
def test_sentences_are_folded(moves: tuple[str, ...], talk: Callable[..., list[str]]) -> None:
    """A note longer than a line is not cut, and does not go to the left with the columns."""
    said = talk("LPAR", *moves, machine="qemu")[1 + len(moves)]
    assert NEEDS_LPAR in " ".join(said.split())


# along a tape

SECOND = 1_000_000_000


def recorded(second: int) -> Sample:
    """Return an empty sample of a second."""
    return Sample(Instant(second * SECOND, second * SECOND, "boot"), {}, nominal=1.0)


@pytest.fixture
def travel() -> Callable[..., list[str]]:
    """Lead a session over ten seconds of a recording, or of a machine that recorded them."""

    def travelled(*questions: str, live: bool = False, kept: bool = True) -> list[str]:
        slow = Event(What.CLOCK, 3 * SECOND, 3 * SECOND, text="7000 is slow")
        tape = ListTimeline([recorded(second) for second in range(10)], happened=[slow])
        if live:
            tape = ListTimeline(tape.listed, live=True, kept=tape if kept else None)
        answers = io.StringIO()
        asked = io.StringIO("".join(f"{question}\n" for question in questions))
        assert run_line_mode(Session(tape, SCREENS), "DEVICE", asked, answers) == OK
        return answers.getvalue().split(" Command ===> ")

    return travelled


@pytest.mark.parametrize(
    ("questions", "there"),
    [
        (["PREVSAMP"], "00:00:07 - 00:00:08"), (["<", "<", ">"], "00:00:07 - 00:00:08"),
        (["GO 0:00:04"], "00:00:03 - 00:00:04"), (["GO begin", "nextsamp +3s"], "00:00:02 - 00:00:03"),
        (["PREVEXC"], "00:00:02 - 00:00:03"), (["GO begin", "]"], "00:00:02 - 00:00:03"),
        (["["], "00:00:02 - 00:00:03"),
        (["MARK A", "GO -4s", "MARK B", "AVERAGE"], "00:00:05 - 00:00:09"),
        (["MARK A", "GO -4s", "MARK B", "AVERAGE", "INTERIM"], "00:00:04 - 00:00:05"),
    ],
)  # fmt: skip
def test_a_recording_is_gone_through(
    questions: list[str], there: str, travel: Callable[..., list[str]]
) -> None:
    """By the words of the glass, and by the signs of its keys."""
    answer = travel(*questions)[-2]
    assert f"Interval {there}" in answer
    assert "Replay" in answer


def test_the_exception_that_was_gone_to_is_said(travel: Callable[..., list[str]]) -> None:
    """Above the screen."""
    assert travel("PREVEXC")[1].splitlines()[1] == " 01-01 00:00:03 ! 7000 is slow"


def test_a_mark_is_confirmed(travel: Callable[..., list[str]]) -> None:
    """With its time."""
    assert "Mark A is set at 00:00:09" in travel("MARK A")[1]


def test_events_are_listed(travel: Callable[..., list[str]], talk: Callable[..., list[str]]) -> None:
    """A capture has none."""
    assert travel("EVENTS")[1] == "EVENTS\n 01-01 00:00:03 ! 7000 is slow\n"
    assert "No events" in talk("EVENTS")[1]


def test_events_open_at_the_present_moment() -> None:
    """As on the full screen; F7 goes to those before, ENTER on."""
    notes = [Event(What.NOTE, n * SECOND, n * SECOND, text=f"note {n}.") for n in range(99)]
    tape = ListTimeline([recorded(second) for second in (0, 50, 98)], happened=notes)
    answers = io.StringIO()
    asked = io.StringIO("EVENTS\nF7\nPREVSAMP\nEVENTS\n\nF7\nGO begin\nEVENTS\n")
    assert run_line_mode(Session(tape, SCREENS), "DEVICE", asked, answers) == OK
    _, last, before, _, amid, behind, again, _, first, _ = answers.getvalue().split(" Command ===> ")
    assert "(79 lines above: F7)" in last
    assert ("note 79." in last, "note 98." in last, "note 78." in last) == (True, True, False)
    assert ("note 59." in before, "note 78." in before) == (True, True)
    assert ("note 50." in amid, "note 98." in amid, "note 0." in amid) == (True, False, False)
    assert "note 60." in behind
    assert ("note 40." in again, "note 60." in again) == (True, False)
    assert "(39 more lines: ENTER or F8; 40 lines above: F7)" in again
    assert ("note 0." in first, "above" in first) == (True, False)


def test_a_long_event_is_folded(monkeypatch: pytest.MonkeyPatch, travel: Callable[..., list[str]]) -> None:
    """Between words, the second line indented."""
    monkeypatch.setattr("zmon.base.event_line.line", lambda event: f"{event.text} {'and more ' * 12}".strip())
    lines = travel("EVENTS")[1].splitlines()[1:]
    assert max(map(len, lines)) <= 79
    assert lines[1].startswith("   ")
    assert " ".join(" ".join(lines).split()) == f"7000 is slow {'and more ' * 12}".strip()


@pytest.mark.parametrize("word", ["PLAY", "PLAY 10", "PAUSE"])
def test_line_mode_does_not_play(word: str, travel: Callable[..., list[str]]) -> None:
    """It says how to go on instead."""
    assert "NEXTSAMP" in travel(word)[1]


def test_a_live_machine_is_gone_back_in_and_returned_to(travel: Callable[..., list[str]]) -> None:
    """ENTER and NOW take new samples."""
    first, enter, back, now = travel("", "<", "NOW", live=True)[:4]
    assert "--:--:-- - 00:00:00" in first
    assert ("00:00:00 - 00:00:01" in enter, "Perf. Monitor" in enter) == (True, True)
    assert ("--:--:-- - 00:00:00" in back, "Replay" in back) == (True, True)
    assert ("00:00:01 - 00:00:02" in now, "Perf. Monitor" in now) == (True, True)


def test_a_live_screen_has_a_fresh_sample() -> None:
    """One as old as the interval is replaced when a screen is asked for, but by no move."""
    now = [100.0]
    session = Session(ListTimeline([recorded(second) for second in range(10)], live=True), SCREENS)
    answers = io.StringIO()
    console = Console(session, answers, 2.0, lambda: now[0])

    def seen(question: str, later: float) -> tuple[int, str]:
        """Return the second of the sample that is shown, and what was written."""
        now[0] += later
        answers.seek(0)
        answers.truncate()
        console.answer(question)
        assert session.interval is not None
        return session.interval.after.at.utc // SECOND, answers.getvalue()

    console.sample()
    alone = seen("DEVICE", 0.1)
    assert alone[0] == 0
    assert "ENTER in 2 s" in alone[1]
    second = seen("CPU", 1.0)
    assert second[0] == 1
    assert "Figures of 1.0 s; ENTER " in second[1]
    assert seen("DEVICE", 1.0)[0] == 1
    assert seen("CTLUNIT", 1.0)[0] == 2
    assert [seen(move, 5.0)[0] for move in ("F8", "F11", "TOP", "HELP", "NOPE")] == [2] * 5
    assert seen("CTLUNIT", 0.0)[0] == 3
    assert seen("", 0.0)[0] == 4


def test_a_sample_that_cannot_be_recorded_is_shown_all_the_same() -> None:
    """And it is said why it is not kept."""
    timeline = ListTimeline([recorded(7)], live=True)
    timeline.problem = "the disk is full"
    answers = io.StringIO()
    assert run_line_mode(Session(timeline, SCREENS), "DEVICE", io.StringIO(), answers) == OK
    assert "Not recorded: the disk is full" in answers.getvalue()
    assert "00:00:07" in answers.getvalue()


def test_where_nothing_is_kept_it_is_said(travel: Callable[..., list[str]]) -> None:
    """And how to keep it."""
    assert "--record FILE" in travel("PREVSAMP", live=True, kept=False)[1]


def test_print_writes_a_file_once(talk: Callable[..., list[str]], tmp_path: Path) -> None:
    """It never overwrites one."""
    file = tmp_path / "screen.txt"
    written, again = talk(f"PRINT {file}", f"PRINT {file}")[1:3]
    assert " Written to " in written
    assert "already exists" in " ".join(again.split())
    assert "FCX124" not in written
    assert file.read_text().startswith(" FCX124")


def test_quit_and_the_end_of_input(talk: Callable[..., list[str]]) -> None:
    """Both leave; nothing is asked after QUIT."""
    assert len(talk("QUIT", "DEVICE")) == 2
    assert talk()[-1] == "\n"


def test_a_first_screen_that_is_none(
    lay_out: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ends with status 1."""
    session = Session(open_capture(lay_out("qemu")), SCREENS)
    assert run_line_mode(session, "DEVICE 9999", io.StringIO(), io.StringIO()) == FAILED
    assert "9999" in capsys.readouterr().err


def test_no_line_is_wider_than_79(talk: Callable[..., list[str]]) -> None:
    """Whatever the screen."""
    pieces = talk("DEVICE", "CHANNEL", "CTLUNIT", "CACHEXT", "LPAR", "ZMON", "DEVICE 7000")
    wide = [line for piece in pieces for line in piece.splitlines() if len(line) > 79]
    assert json.dumps(wide) == "[]"
