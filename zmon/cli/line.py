"""Line mode: the screens on a terminal without cursor addressing (a 3215, the HMC's console).

Each answer is a screen in plain lines, cut into pieces that fit a screen of 24 lines; F8 or ENTER goes on.
PF keys are typed: `F8` or `PF8`.
"""

from __future__ import annotations

import time
from textwrap import wrap
from typing import TYPE_CHECKING, Final, TextIO

from zmon.base.absent import Absent
from zmon.base.clock import clock as local_time
from zmon.base.event_line import lines as happened
from zmon.base.plain_text import harmless
from zmon.cli.output import OK, complain
from zmon.screen.dashboard import CURVE
from zmon.screen.export import sentence, text
from zmon.screen.header import WIDTH
from zmon.session.commands import find_command, run
from zmon.session.explain import explain, rows
from zmon.session.navigator import CommandError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.screen.sheet import Sheet
    from zmon.session.commands import SurfaceRequest
    from zmon.session.page import Page
    from zmon.session.session import Session

PROMPT: Final = " Command ===> "
SOON: Final = 0.5
"""Seconds after which a second sample gives first figures."""

PIECE: Final = 20
"""Lines that are written before the next prompt."""

KEYS: Final = {
    "1": "HELP", "3": "RETURN", "4": "MENU", "5": "BOTTOM", "7": "BACKWARD", "8": "FORWARD",
    "10": "LEFT", "11": "RIGHT", "12": "RETURN", "2": "REDISP",
}  # fmt: skip
"""The commands of the PF keys, typed as a word."""

KEYS_HELP: Final = (
    ("ENTER", "the rest of a long screen or list; else a new sample of the live machine"),
    ("F1", "HELP"),
    ("F2", "REDISP: key figures by time"),
    ("F3 F12", "RETURN: the screen before"),
    ("F4", "MENU: all screens"),
    ("F5", "BOTTOM: the last lines; TOP: the first"),
    ("F7 F8", "BACKWARD, FORWARD: lines above, lines below"),
    ("F10 F11", "LEFT, RIGHT: columns to the left, to the right"),
    ("!", "DIAGNOSE: what is wrong, and how that is known"),
    ("< >", "PREVSAMP, NEXTSAMP: the sample before, the next one"),
    ("[ ]", "PREVEXC, NEXTEXC: the exception before, the next one"),
)
"""The help on the keys, which are typed as words: F8 or PF8."""

SIGNS: Final = {"!": "DIAGNOSE", "<": "PREVSAMP", ">": "NEXTSAMP", "[": "PREVEXC", "]": "NEXTEXC"}
"""The commands of the keys that move along a timeline, typed as a word."""


def run_line_mode(  # noqa: PLR0913 - these are its surroundings
    session: Session,
    first: str,
    questions: TextIO,
    answers: TextIO,
    *,
    seconds: float = 2.0,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Run the session until the user leaves or the input ends; returns the exit status.

    Live, a screen that is asked for has a sample no older than `seconds`.
    """
    session.looked_back = CURVE[1]
    if not session.live and session.interval is None:
        session.end()
    try:
        console = Console(session, answers, seconds, clock)
        console.sample()
        if not first or console.obey(first):  # without one it is the screen that was shown before
            console.write()
        console.write_tour()
    except CommandError as error:
        return complain(str(error))
    while not console.session.ended:
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
    """Writes the current screen piece by piece and remembers the first line."""

    def __init__(
        self,
        session: Session,
        answers: TextIO,
        seconds: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Write to `answers`; live, a screen that is asked for has a sample no older than `seconds`."""
        self.session = session
        self._answers = answers
        self._seconds, self._clock = seconds, clock
        self._top = 0
        self._first_column = 1
        """The first of the columns that go to the left and right; the column before them all stays."""
        self._listed: tuple[Sequence[str], int] = (), 0
        """The lines of the list that was written last, and the first of them that was."""
        self._taken = clock()
        """When the last sample was taken."""
        self._tour_step = -1
        """The step of the tour that was written last."""

    def answer(self, question: str) -> None:
        """Run one line and write the screen or an error, then the step of the tour."""
        try:
            if self.obey(question):
                self.write()
        except CommandError as error:
            self.say(str(error))
        self.write_tour(again=_is(question, "TOUR"))

    def say(self, text: str) -> None:
        """Write a sentence; none of its words is cut by the edge of the terminal."""
        self._answers.writelines(f" {line}\n" for line in wrap(harmless(text), WIDTH - 1))

    def write_tour(self, *, again: bool = False) -> None:
        """Write the step of the tour, if there is one and it is a new one, or `again`."""
        guide = self.session.guide
        if guide is None or self.session.ended:
            return
        session = self.session
        guide.follow(session.interval, session.page, session.screens)
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
            self.session.leaving = False
        if self._go_on_with_list(question):
            return False
        move = self._moves.get(question.upper())
        if move is not None:
            move(self)
            return True
        if not question:
            return self._go_on()
        page, interval = self.session.page, self.session.interval
        command = run(self.session, question)
        if command is not None:
            return self._carry_out(command)
        same = (page, interval) == (self.session.page, self.session.interval)
        if not same:
            self._begin(page)
        said, self.session.message = self.session.message, ""
        if said:
            self.say(said)
        if _is(question, "PRINT") or (_is(question, "TOUR") and same):
            return False
        if self.session.page is not page and self._is_due():
            self.sample()
        return not self.session.ended and not self.session.leaving

    def _begin(self, before: Page) -> None:
        """Begin at the top: of another page than before, sample, order or choice of rows others are first."""
        if self.session.page.screen is not before.screen:
            self._first_column = 1
        self._to_present()

    def _go_on_with_list(self, question: str) -> bool:
        """Write the next piece of a list, or the one before; return False where none is asked for or left."""
        (listed, first), self._listed = self._listed, ((), 0)
        if question in {"", "FORWARD"} and first + PIECE < len(listed):
            self._list(listed, first + PIECE)
        elif question == "BACKWARD" and first:
            self._list(listed, max(0, first - PIECE))
        else:
            return False
        return True

    def _go_on(self) -> bool:
        """ENTER: the rest of the screen if there is one, else a new sample of the live machine."""
        if self._top + self._room() < len(self._body()):
            self._forward()
        elif self.session.live:
            self.sample()
        else:
            self.say("This is all; TOP shows it from the top, NEXTSAMP goes to the next sample")
            return False
        return True

    def _is_due(self) -> bool:
        """Tell whether the last sample is older than the interval; a second one is due sooner."""
        session = self.session
        if not session.live or session.interval is None:
            return False
        enough = self._seconds if session.interval.before is not None else min(self._seconds, SOON)
        return self._clock() - self._taken >= enough

    def sample(self) -> None:
        """Take a sample of the live machine; do nothing for other sources."""
        if self.session.live:
            self._taken = self._clock()
            self.session.next()
            timeline = self.session.timeline
            if timeline.stale_since:
                last = local_time(timeline.stale_since)
                self.say(f"Stale since {last}: {timeline.stale_reason}; asked again with each sample")
            if problem := timeline.problem:
                self.say(f"Not recorded: {problem}; zmon tries again with each sample")
        self._to_present()

    def _to_present(self) -> None:
        """Go to the first line; where rows are intervals, to the last ones, where the present moment is."""
        self._top = 0
        table = None if self.session.interval is None else self.session.sheet().table
        if table is not None and table.span is not None and not table.home:
            self._last()

    def _carry_out(self, command: SurfaceRequest) -> bool:
        operand = command.operands
        if command.word == "HELP":
            self._help(operand)
            return False
        if command.word == "LOCATE":
            self._locate(operand)
        elif command.word == "REFRESH":
            self.sample()
        elif command.word == "NOW":
            self.session.to_present()
            self.sample()
        elif command.word == "EVENTS":
            self._events()
            return False
        elif command.word in {"PLAY", "PAUSE"}:
            raise CommandError("Line mode cannot play. Use NEXTSAMP, PREVSAMP and GO time.")
        elif command.word in self._moves:
            self._moves[command.word](self)
        return True

    def _lines(self, width: int | None = None) -> list[str]:
        session = self.session
        if session.interval is None:
            raise CommandError("There is no sample yet.")
        sheet = self._seen() if width else self.session.sheet()
        return list(
            text(
                sheet,
                session.screens,
                session.interval,
                live=session.live,
                width=width,
                times=session.page.times,
                system=session.system,
            )
        )

    def _seen(self) -> Sheet:
        """Return the sheet with the columns that are written."""
        return self.session.sheet().within(WIDTH, self._first_column)

    def _body(self) -> list[str]:
        """Return the lines below the header and its blank line."""
        return self._lines(WIDTH)[2:]

    def _above(self) -> list[str]:
        """Return the conclusion; behind the first piece how much is above, and the headings."""
        if not self._top:
            return self._conclusion()
        return [f" ({_above(self._top)})", *self._seen().headings]

    def _room(self) -> int:
        """Return how many lines of the body are written at once."""
        return PIECE - len(self._above())

    def write(self) -> None:
        """Write the present piece of the screen, and how to go on."""
        head, _, *body = self._lines(WIDTH)
        if self._top >= len(body):  # the screen has become shorter
            self._last()
        piece = body[self._top : self._top + self._room()]
        self._answers.writelines(f"{line.rstrip()}\n" for line in (head, *self._above(), *piece))
        self._more(max(len(body) - self._top - len(piece), 0))
        self._hint()

    def _conclusion(self) -> list[str]:
        """Return what the verdict says about the screen, as lines; DIAGNOSE says more."""
        task = self.session.conclude_task()
        return [] if task is None else sentence(f"{task.run().words} DIAGNOSE says more.", WIDTH)

    def _hint(self) -> None:
        """Say how to go on from the screen."""
        session, screen = self.session, self.session.page.screen
        if session.live and session.interval is not None and screen.layout != "menu":
            seconds = session.interval.seconds
            if isinstance(seconds, Absent):
                self.say(f"Figures need a second sample: press ENTER in {self._seconds:g} s")
            else:
                self.say(f"Figures of {seconds:.1f} s; ENTER takes a new sample")
        deeper = self.session.sheet().example() if screen.drill else ""
        if deeper:
            self.say(f"To go deeper: {deeper}")
        elif screen.layout == "menu":
            self._answers.write(" Select a performance screen by its number or command\n")

    def _forward(self) -> None:
        if self._top + self._room() < len(self._body()):
            self._top += self._room()

    def _backward(self) -> None:
        first = PIECE - len(self._conclusion())
        self._top = max(first, self._top - self._room()) if self._top > first else 0

    def _first(self) -> None:
        self._top = 0

    def _last(self) -> None:
        self._top = len(self._body())
        self._top = max(0, self._top - self._room()) if self._top > PIECE else 0

    def _go_left(self) -> None:
        self._first_column = self.session.sheet().left(WIDTH, self._first_column)

    def _go_right(self) -> None:
        self._first_column = self.session.sheet().right(WIDTH, self._first_column)

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
        for place in [*range(self._top + 1, len(body)), *range(min(self._top + 1, len(body)))]:
            if wanted.casefold() in body[place].casefold():
                self._top = place
                return
        raise CommandError(f"{wanted!r} is not on this screen")

    def _events(self) -> None:
        """List what happened, the first first; it opens at the present moment, as on the full screen."""
        self.session.leave_present()
        events = self.session.events()
        if not events:
            self.say("No events in this time")
        lines: list[str] = []
        present, utc = 0, self.session.utc
        for event in events:
            present = len(lines) if utc is not None and event.begin <= utc else present
            lines += [f" {line}" for line in happened(event, WIDTH - 1)]
        self._list(lines, max(0, min(present - PIECE // 2, len(lines) - PIECE)))

    def _help(self, topic: str) -> None:
        said = explain(self.session, topic, KEYS_HELP)
        self._list([row.text for row in rows(said, WIDTH)])

    def _list(self, lines: Sequence[str], first: int = 0) -> None:
        """Write a piece of a list; ENTER goes on, F7 back."""
        self._listed = lines, first
        piece = lines[first : first + PIECE]
        self._answers.writelines(f"{line.rstrip()}\n" for line in map(harmless, piece))
        self._more(len(lines) - first - len(piece), first)

    def _more(self, left: int, above: int = 0) -> None:
        parts = [f"{left} more line{'s' * (left > 1)}: ENTER or F8"] if left else []
        parts += [_above(above)] if above else []
        if parts:
            self._answers.write(f" ({'; '.join(parts)})\n")


def _above(many: int) -> str:
    return f"{many} line{'s' * (many > 1)} above: F7"


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


def _is(question: str, word: str) -> bool:
    command = find_command(question.partition(" ")[0]) if question else None
    return command is not None and command.word == word
