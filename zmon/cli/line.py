"""Line mode: the same dialogue on a terminal without cursor addressing (a 3215, the HMC's console).

Each answer is a screen in plain lines, cut into pieces that fit a screen of 24 lines; F8 or ENTER goes on.
PF keys are typed: `F8` or `PF8`.
"""

from __future__ import annotations

import time
from textwrap import wrap
from typing import TYPE_CHECKING, Final, TextIO

from zmon.absent import Absent
from zmon.cli.output import OK, complain
from zmon.plain_text import harmless
from zmon.screen import layout
from zmon.screen.export import text
from zmon.screen.frame import WIDTH
from zmon.screen.happening import lines as happened
from zmon.session.command import CommandError, find
from zmon.session.dialogue import Dialogue
from zmon.session.help import Surface, explain, rows
from zmon.session.live import NotKept
from zmon.tables.view import nobody

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.screen.definition import Screens
    from zmon.screen.sheet import Sheet
    from zmon.session.command import Given
    from zmon.session.guide import Guide
    from zmon.session.tape import Watch
    from zmon.topology.machine import UserInputs

PROMPT: Final = " Command ===> "
SOON: Final = 0.5
"""Seconds after which a second sample gives first figures."""

PIECE: Final = 20
"""Lines that are written before the next prompt."""

KEYS: Final = {
    "1": "HELP", "3": "RETURN", "4": "TOP", "5": "BOTTOM", "7": "BACKWARD", "8": "FORWARD",
    "10": "LEFT", "11": "RIGHT", "12": "RETURN", "2": "REDISP",
}  # fmt: skip
"""What the PF keys mean, typed as a word."""

KEYS_HELP: Final = (
    ("ENTER", "the rest of a long screen or list; else a new sample of the live machine"),
    ("F1", "HELP"),
    ("F2", "REDISP: key figures by time"),
    ("F3 F12", "RETURN: the screen before"),
    ("F4 F5", "TOP, BOTTOM: the first, the last lines"),
    ("F7 F8", "BACKWARD, FORWARD: lines above, lines below"),
    ("F10 F11", "LEFT, RIGHT: columns to the left, to the right"),
    ("< >", "PREVSAMP, NEXTSAMP: the sample before, the next one"),
    ("[ ]", "PREVEXC, NEXTEXC: the exception before, the next one"),
)
"""What the keys do, which are typed here: F8 or PF8."""

SIGNS: Final = {"<": "PREVSAMP", ">": "NEXTSAMP", "[": "PREVEXC", "]": "NEXTEXC"}
"""What the keys of the glass for going along a tape mean, typed as a word."""


def run_line_mode(  # noqa: PLR0913, PLR0917 - these are its surroundings
    watch: Watch,
    screens: Screens,
    first: str,
    questions: TextIO,
    answers: TextIO,
    people: Callable[[], UserInputs] = nobody,
    guide: Guide | None = None,
    *,
    seconds: float = 2.0,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Lead the dialogue until the user leaves or the input ends; returns the exit status.

    A `guide` leads through a tour.  Live, a screen that is asked for has a sample no older than `seconds`.
    """
    if not watch.tape.live and watch.interval is None:
        watch.to_end()
    try:
        dialogue = Dialogue(watch, screens, people=people)
        dialogue.guide = guide
        console = Console(dialogue, answers, seconds, clock)
        console.sample()
        if console.obey(first):
            console.write()
        console.write_tour()
    except CommandError as error:
        return complain(str(error))
    while not console.dialogue.ended:
        answers.write(PROMPT)
        answers.flush()
        question = questions.readline()
        if not question:
            answers.write("\n")
            break
        if not questions.isatty():  # else the terminal echoes what is typed
            answers.write(f"{harmless(question.strip())}\n")
        console.answer(question.strip())
    return OK


class Console:
    """What is written of the present screen, and from where on."""

    def __init__(
        self,
        dialogue: Dialogue,
        answers: TextIO,
        seconds: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Write to `answers`; live, a screen that is asked for has a sample no older than `seconds`."""
        self.dialogue = dialogue
        self._answers = answers
        self._seconds, self._clock = seconds, clock
        self._top = 0
        self._first_column = 1
        """The first of the columns that go to the left and right; the column before them all stays."""
        self._rest: Sequence[str] = ()
        """Lines of a list that were not written yet."""
        self._taken = clock()
        """When the last sample was taken."""
        self._tour_step = -1
        """The step of the tour that was written last."""

    def answer(self, question: str) -> None:
        """Obey one line and write the screen, or what is wrong with the line; then what the tour says."""
        try:
            if self.obey(question):
                self.write()
        except CommandError as error:
            self.say(str(error))
        self.write_tour(again=_is_tour(question))

    def say(self, words: str) -> None:
        """Write a sentence; none of its words is cut by the edge of the terminal."""
        self._answers.writelines(f" {line}\n" for line in wrap(harmless(words), WIDTH - 1))

    def write_tour(self, *, again: bool = False) -> None:
        """Write what the tour says, if there is one and it has gone on, or `again`."""
        guide = self.dialogue.guide
        if guide is None or self.dialogue.ended:
            return
        guide.look(self.dialogue)
        if guide.shown and (again or guide.place != self._tour_step):
            self._tour_step = guide.place
            lines = [
                f"Tour {guide.number}: {guide.step.title}",
                *wrap(guide.text(guide.place), WIDTH - 3),
            ]
            if press := guide.press(guide.place):
                lines += wrap(f"Next: {press}. TOUR NEXT does it.", WIDTH - 3)
            self._answers.writelines(f" | {line}\n" for line in lines)

    def obey(self, question: str) -> bool:
        """Carry out a line; returns whether the screen is to be written."""
        question = _word_of_key(question)
        if not question or question.upper() in self._moves:
            self.dialogue.leaving = False
        rest, self._rest = self._rest, ()
        if rest and question in {"", "FORWARD"}:
            self._list(rest)
            return False
        move = self._moves.get(question.upper())
        if move is not None:
            move(self)
            return True
        if not question:
            return self._go_on()
        page, interval = self.dialogue.page, self.dialogue.watch.interval
        command = self.dialogue.run(question)
        if command is not None:
            return self._carry_out(command)
        if self.dialogue.page.screen is not page.screen:
            self._first_column = 1
            self._to_present()
        said, self.dialogue.said = self.dialogue.said, ""
        if said:
            self.say(said)
        if _is_tour(question) and (page, interval) == (self.dialogue.page, self.dialogue.watch.interval):
            return False
        if self.dialogue.page is not page and self._is_due():
            self.sample()
        return not self.dialogue.ended and not self.dialogue.leaving

    def _go_on(self) -> bool:
        """ENTER: the rest of the screen if there is one, else a new sample of the live machine."""
        if self._top + self._room() < len(self._body()):
            self._forward()
        elif self.dialogue.watch.tape.live:
            self.sample()
        else:
            self.say("This is all; TOP shows it from the top, NEXTSAMP goes to the next sample")
            return False
        return True

    def _is_due(self) -> bool:
        """Tell whether the last sample is older than the interval; a second one is due sooner."""
        watch = self.dialogue.watch
        if not watch.tape.live or watch.interval is None:
            return False
        enough = self._seconds if watch.interval.before is not None else min(self._seconds, SOON)
        return self._clock() - self._taken >= enough

    def sample(self) -> None:
        """Take a sample, if the machine is looked at live."""
        if self.dialogue.watch.tape.live:
            self._taken = self._clock()
            try:
                self.dialogue.watch.forward()
            except NotKept as error:
                self.dialogue.watch.take(error.sample)
                self.say(f"Not recorded: {error}; zmon tries again with each sample")
        self._to_present()

    def _to_present(self) -> None:
        """Go to the first line; where rows are intervals, to the last ones, where the present moment is."""
        self._top = 0
        if self.dialogue.watch.interval is not None and self.dialogue.sheet().table.span is not None:
            self._last()

    def _carry_out(self, command: Given) -> bool:
        operand = command.operands
        if command.word == "HELP":
            self._help(operand)
            return False
        if command.word == "LOCATE":
            self._locate(operand)
        elif command.word == "REFRESH":
            self.sample()
        elif command.word == "NOW":
            self.dialogue.to_present()
            self.sample()
        elif command.word == "PRINT":
            self._print(operand)
            return False
        elif command.word == "EVENTS":
            self._events()
            return False
        elif command.word in {"PLAY", "PAUSE"}:
            raise CommandError("Line mode cannot play. Use NEXTSAMP, PREVSAMP and GO time.")
        elif command.word in self._moves:
            self._moves[command.word](self)
        return True

    def _lines(self, width: int | None = None) -> list[str]:
        watch = self.dialogue.watch
        if watch.interval is None:
            raise CommandError("There is no sample yet.")
        sheet = self._seen() if width else self.dialogue.sheet()
        return list(text(sheet, self.dialogue.screens, watch.interval, live=watch.tape.live, width=width))

    def _seen(self) -> Sheet:
        """Return the sheet with the columns that are written."""
        return self.dialogue.sheet().within(WIDTH, self._first_column)

    def _body(self) -> list[str]:
        """Return the lines below the header and its blank line."""
        return self._lines(WIDTH)[2:]

    def _again(self) -> list[str]:
        """Return the headings, when they stand above what is shown and so have to be repeated."""
        return self._seen().headings if self._top else []

    def _room(self) -> int:
        """Return how many lines of the body are written at once."""
        return PIECE - len(self._again())

    def write(self) -> None:
        """Write the present piece of the screen, and how to go on."""
        head, _, *body = self._lines(WIDTH)
        if self._top >= len(body):  # the screen has become shorter
            self._last()
        piece = body[self._top : self._top + self._room()]
        self._answers.writelines(f"{line.rstrip()}\n" for line in (head, *self._again(), *piece))
        self._more(max(len(body) - self._top - len(piece), 0))
        self._hint()

    def _hint(self) -> None:
        """Say how to go on from the screen."""
        screen, watch = self.dialogue.page.screen, self.dialogue.watch
        if watch.tape.live and watch.interval is not None and screen.layout != "menu":
            seconds = watch.interval.seconds
            if isinstance(seconds, Absent):
                self.say(f"Figures need a second sample: press ENTER in {self._seconds:g} s")
            else:
                self.say(f"Figures of {seconds:.1f} s; ENTER takes a new sample")
        deeper = self.dialogue.sheet().example() if screen.drill else ""
        if deeper:
            self.say(f"To go deeper: {deeper}")
        elif screen.layout == "menu":
            self._answers.write(" Select a performance screen by its number or command\n")

    def _forward(self) -> None:
        if self._top + self._room() < len(self._body()):
            self._top += self._room()

    def _backward(self) -> None:
        self._top = max(0, self._top - (PIECE - len(self.dialogue.sheet().headings)))

    def _first(self) -> None:
        self._top = 0

    def _last(self) -> None:
        self._top = len(self._body())
        self._top = max(0, self._top - self._room()) if self._top > PIECE else 0

    def _go_left(self) -> None:
        self._first_column = layout.left(self.dialogue.sheet().screen, WIDTH, self._first_column)

    def _go_right(self) -> None:
        self._first_column = layout.right(self.dialogue.sheet().screen, WIDTH, self._first_column)

    _moves: Final = {
        "FORWARD": _forward,
        "BACKWARD": _backward,
        "TOP": _first,
        "BOTTOM": _last,
        "LEFT": _go_left,
        "RIGHT": _go_right,
    }

    def _locate(self, wanted: str) -> None:
        body = self._body()
        if not wanted:
            raise CommandError("Locate what? For example /7000 or LOCATE PAY")
        for place in [*range(self._top + 1, len(body)), *range(min(self._top + 1, len(body)))]:
            if wanted.casefold() in body[place].casefold():
                self._top = place
                return
        raise CommandError(f"{wanted!r} is not on this screen")

    def _print(self, file: str) -> None:
        if not file:
            raise CommandError("PRINT needs the name of a file: PRINT device.txt")
        try:
            with open(file, "x", encoding="utf-8") as stream:
                stream.writelines(f"{line}\n" for line in self._lines())
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        self.say(f"Written to {file}")

    def _events(self) -> None:
        """List what happened, the last first."""
        events = self.dialogue.rewind().events()
        if not events:
            self.say("No events in this time")
        self._list([f" {line}" for event in reversed(events) for line in happened(event, WIDTH - 1)])

    def _help(self, words: str) -> None:
        said = explain(self.dialogue, words, Surface(lambda: KEYS_HELP))
        self._list([row.text for row in rows(said, WIDTH)])

    def _list(self, lines: Sequence[str]) -> None:
        """Write the first lines of a list; ENTER goes on."""
        self._answers.writelines(f"{line.rstrip()}\n" for line in map(harmless, lines[:PIECE]))
        self._rest = lines[PIECE:]
        self._more(len(self._rest))

    def _more(self, left: int) -> None:
        if left:
            self._answers.write(f" ({left} more line{'s' * (left > 1)}: ENTER or F8)\n")


def _word_of_key(question: str) -> str:
    """Return the word for a key that was typed: `F8`, `PF8`, `<`; anything else as it is.

    Raises:
        CommandError: the key does nothing here.
    """
    word = question.upper().removeprefix("P").removeprefix("F")
    if not word.isdecimal() or question[:1].upper() not in {"P", "F"}:
        return SIGNS.get(question, question)
    if word not in KEYS:
        raise CommandError(f"PF{word} does nothing here; HELP KEYS lists those that do")
    return KEYS[word]


def _is_tour(question: str) -> bool:
    command = find(question.partition(" ")[0]) if question else None
    return command is not None and command.word == "TOUR"
