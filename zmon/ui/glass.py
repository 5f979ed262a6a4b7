"""The glass: the state of the whole screen, and its lines.

The frame is the original's: header, an empty line, the pane, a line of guidance, the command line, the PF
keys.  Messages stand in the place of the guidance until the next key.  Each function of `keys.py` is a method
here; nothing here knows a terminal.
"""

from __future__ import annotations

import os
import re
import time
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from zmon.dialogue import NOT_KEPT, CommandError, Filling
from zmon.screen.export import text
from zmon.screen.frame import header, pf_line
from zmon.screen.happening import line as happened
from zmon.screen.number import clock
from zmon.tape.deck import PAUSED, Deck, faster, parse_speed, slower, spoken
from zmon.tape.when import LAST
from zmon.ui.chart import ChartPane
from zmon.ui.entry import PROMPT, Entry
from zmon.ui.grid import Grid
from zmon.ui.help import column_help, keys_help, screen_help
from zmon.ui.keys import FUNCTIONS
from zmon.ui.line import EMPTY, Line, Part, wrap
from zmon.ui.menu import Menu
from zmon.ui.pane import FormPane, Pane
from zmon.ui.reading import said
from zmon.ui.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.dialogue import Dialogue, Found, Move, Page
    from zmon.interval import Interval
    from zmon.sample import Sample
    from zmon.screen.sheet import Sheet
    from zmon.tables.table import Table
    from zmon.tape.head import Course

FRAME: Final = 5
"""Lines that the frame takes, without the time line."""

ROOM_FOR_TIME: Final = 20
"""On so many lines there is room for the time line."""

SOONEST, LATEST = 0.1, 1.0
"""A tape that plays is moved after so many seconds."""

WRITTEN: Final = 60_000_000_000
"""A recording whose last sample is younger, in ns, is waited for at its end."""

SMALLEST: Final = (40, 9)
"""Width and height that are needed at the least."""

LEAST_BESIDE: Final = 8
"""So many lines of the screen are worth seeing beside a short help text."""

WIDEST_HELP: Final = 110
"""Longer lines are hard to read."""

_LABELS: Final = re.compile(r"\b(?:CPU|SER|Interval)\b")
_PF_KEY: Final = re.compile(r"F(\d+)=(\w+)")


class Pace(Protocol):
    """Who takes the samples, as far as the glass asks for them."""

    held: bool

    def now(self) -> None:
        """Have a sample taken now."""

    def hold(self, *, held: bool) -> None:
        """Take no more samples until further notice, or go on."""


class Reader(Protocol):
    """Who goes along tapes and fills tables, while the glass answers keys."""

    def fill(self, filling: Filling) -> None:
        """Have a table filled."""

    def move(self, move: Move) -> None:
        """Have a move gone."""


class Glass:
    """What is shown, and what every key does to it."""

    def __init__(  # noqa: PLR0913 - these are its surroundings
        self,
        dialogue: Dialogue,
        first: str = "",
        pace: Pace | None = None,
        reader: Reader | None = None,
        *,
        keymap: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        plain: bool = False,
    ) -> None:
        """Show the dialogue; the command `first` is given as soon as there is a sample.

        Without `pace` nothing is sampled; without `reader` tapes are read and tables filled at once.
        `clock` is what a tape plays by.  A `plain` terminal has only the characters of ASCII.
        """
        self.dialogue = dialogue
        self.dialogue.mover = reader.move if reader is not None else self._at_once
        self.dialogue.chosen = self._chosen
        self.pace = pace
        self.reader = reader
        self.clock = clock
        self.plain = plain
        self.deck = PAUSED
        self._line: tuple[object, Timeline] | None = None
        """The time line drawn last, and for what."""
        self._filling: Filling | None = None
        """The table that is being filled elsewhere."""
        self._following = False
        """Whether it plays at the end of a recording that is being written."""
        self.keymap = keymap or {}
        self.width, self.height = 80, 24
        self.entry = Entry()
        self.ended = False
        self._first = first
        self._wanted = ""
        self._message, self._message_kind = "", "message"
        self._turn = 0
        """Which of several notes is seen in the guidance line; it goes on with each sample."""
        self._helps: list[Pane] = []
        """The help texts that are open; the last is seen."""
        self._shown: list[tuple[Page | None, Pane]] = []
        """The panes of the dialogue's pages, so that one returns to the same place; None when it failed."""
        self._interval: Interval | None = None
        """What the header speaks of."""
        self.waiting = Pane([Line(f" Waiting for the first sample of {dialogue.watch.tape.name}", "strong")])
        self._begin()

    # what is seen

    @property
    def pane(self) -> Pane:
        """What stands between header and guidance now."""
        return self._shown[-1][1] if self._shown else self.waiting

    @property
    def current(self) -> bool:
        """Whether what is shown is of the interval that the watch stands at."""
        return self._interval is self.dialogue.watch.interval

    @property
    def settled(self) -> bool:
        """Whether nothing is awaited that was asked for: no move, no table."""
        return not self.dialogue.underway and self._filling is None

    @property
    def too_small(self) -> bool:
        """Whether the frame does not fit."""
        return self.width < SMALLEST[0] or self.height < SMALLEST[1]

    @property
    def course(self) -> Course | None:
        """What is on the tape at a glance, as far as that is known."""
        return self.dialogue.watch.course

    @property
    def held(self) -> bool:
        """Whether the live screen stands still."""
        watch = self.dialogue.watch
        if watch.present is not None:
            return not watch.moved and not self.deck.playing
        return self.pace is not None and self.pace.held

    def _timeline(self) -> Timeline | None:
        """Return the time line, where there is something to show and room for it."""
        watch = self.dialogue.watch
        menu = self.dialogue.page.screen.layout == "menu"  # it covers no interval, and needs the room
        if self.course is None or watch.tape.live or menu or self.height < ROOM_FOR_TIME:
            return None
        word = "Average" if watch.averaging else spoken(self.deck.speed) if self.deck.playing else ""
        key = self.course, self.width, word, self.plain
        if self._line is None or self._line[0] != key:
            self._line = key, Timeline(self.course, self.width, word, plain=self.plain)
        return self._line[1]

    def _marks(self) -> dict[str, int]:
        return {name: sample.at.utc for name, sample in self.dialogue.watch.marks.items()}

    @property
    def _room(self) -> int:
        """How many lines there are for the pane."""
        return self.height - FRAME - (self._timeline() is not None)

    def resize(self, width: int, height: int) -> None:
        """Take so much room from now on."""
        self.width, self.height = width, height
        self._fit()

    def _fit(self) -> None:
        if self.too_small:
            return
        room = self._room
        for pane in (self.waiting, *(pane for _, pane in self._shown), *self._helps):
            pane.resize(self.width, room)
        if self._helps and (height := self._panel()) < room:
            self._helps[-1].resize(self.width, height - 1)
            self.pane.resize(self.width, room - height)

    def _panel(self) -> int:
        """Return how many lines the open help takes: few leave the screen above in sight."""
        room = self._room
        needed = self._helps[-1].length + 1
        return needed if needed + LEAST_BESIDE <= room else room

    def lines(self) -> list[Line]:
        """Return all lines of the screen, from top to bottom."""
        if self.too_small:
            words = f"{self.width}x{self.height} is too small: {SMALLEST[0]}x{SMALLEST[1]} are needed"
            few = [Line(part, "strong") for part in wrap(words, self.width)][: self.height]
            return few + [EMPTY] * (self.height - len(few))
        room = self._room
        body = self._body()[:room]
        body += [EMPTY] * (room - len(body))
        timeline = self._timeline()
        if timeline is not None:
            body.append(timeline.line(self.dialogue.watch.utc, self._marks()))
        *above, guidance = self._said() or [self._guidance()]
        body[len(body) - len(above) :] = above
        return [self._header(), EMPTY, *body, guidance, self._command_line(), self._pf_line()]

    def _body(self) -> list[Line]:
        if not self._helps:
            return self.pane.lines()
        room = self._room
        above = room - self._panel()
        if not above:
            return self._helps[-1].lines()
        seen = self.pane.lines()[:above]
        rule = Line(" " + "-" * (self.width - 2), "label")
        return [*seen, *[EMPTY] * (above - len(seen)), rule, *self._helps[-1].lines()]

    def _header(self) -> Line:
        watch, screen = self.dialogue.watch, self.dialogue.page.screen
        if self._interval is None:
            return Line(f" {screen.id:<13}{screen.title}", "strong")
        written = header(screen, self._interval, live=watch.tape.live, held=self.held)
        parts = [Part(*found.span(), "label") for found in _LABELS.finditer(written)]
        mode = written.rfind("  ") + 2
        kind = "strong" if watch.tape.live else "look"
        return Line(written, "strong", (*parts, Part(mode, len(written), kind)))

    def _said(self) -> list[Line]:
        """Return the message; a long one takes the lowest lines of the pane as well."""
        parts = wrap(self._message, self.width - 2) if self._message else []
        return [Line(f" {part}", self._message_kind) for part in parts[: self._room]]

    def _guidance(self) -> Line:
        if self._helps:
            words, position = "F12 returns to the screen, F1 tells more", self._helps[-1].position
        else:
            words, position = self._advice(), self.pane.position
        room = self.width - 2 - len(words)
        if position and len(position) + 2 <= room:
            line = f" {words}".ljust(self.width - 1 - len(position)) + position
            return Line(line, "guidance", (Part(len(line) - len(position), len(line), "label"),))
        return Line(f" {words}"[: self.width], "guidance")

    def _advice(self) -> str:
        """Return what the guidance line says: how to go on, and notes that have no room elsewhere."""
        guidance = self.dialogue.page.screen.guidance if self._shown else ""
        if self.held:
            return "Held: SPACE lets it go on"
        notes = self.pane.notes
        if not notes:
            return guidance
        joined = "; ".join((guidance, *notes)) if guidance else "; ".join(notes)
        if len(joined) < self.width - 1:
            return joined
        return notes[self._turn % len(notes)]

    def _command_line(self) -> Line:
        seen, caret = self.entry.seen(self.width - len(PROMPT) - 1)
        at = len(PROMPT) + caret
        line = (PROMPT + seen).ljust(at + 1)
        return Line(line, "entry", (Part(0, len(PROMPT), "label"), Part(at, at + 1, "caret")))

    def _pf_line(self) -> Line:
        written = pf_line(self.dialogue.page.screen, self.width)
        parts = tuple(
            Part(found.start(), found.start(2) - 1, "strong") for found in _PF_KEY.finditer(written)
        )
        return Line(written[: self.width], "label", parts)

    def say(self, words: str, kind: str = "message") -> None:
        """Say something in the place of the guidance, until the next key."""
        self._message, self._message_kind = " ".join(words.split()), kind

    def _chosen(self) -> tuple[str, str]:
        """Return the column that TAB chose and the key of the row under the cursor."""
        pane = self.pane
        if not isinstance(pane, Grid) or not pane.sheet.keys:
            return "", ""
        return pane.column, pane.sheet.keys[pane.place]

    # samples

    def _begin(self) -> None:
        """Show something, and give the first command, as soon as there is a sample."""
        if self.dialogue.watch.interval is None:
            return
        self._settle()
        self._stay()
        first, self._first = self._first, ""
        if first and first.upper() != self.dialogue.page.screen.command:
            self._run(first)

    def sampled(self, sample: Sample) -> None:
        """Count a new sample in; what is seen changes when its table is filled."""
        if self.pace is not None and self.pace.held and self._shown:
            return
        self.dialogue.present.take(sample)
        if self.dialogue.watch is not self.dialogue.present:
            self._stay()  # what is recorded has grown
            return
        self._turn += 1
        if not self._shown:
            self._begin()
        elif not self.current:
            self._refill()

    def _refill(self) -> None:
        """Have the table of the present page filled for where the watch stands, and then shown."""
        if self.reader is not None:
            self._fill(self.reader)
        else:
            self._settle()

    def _fill(self, reader: Reader) -> None:
        self._filling = self.dialogue.filling()
        reader.fill(self._filling)

    # along the tape

    def _stay(self) -> None:
        """Have the course of the tape told, if it has one and nothing is under way that will tell it."""
        watch = self.dialogue.watch
        if not watch.tape.live and not self.dialogue.underway:
            self.dialogue.move(lambda: None)

    def _at_once(self, move: Move) -> None:
        """Go a move without a thread."""
        self.moved(move, move.go(), move.watch.head.course())

    def moved(self, move: Move, found: Found | None, course: Course | None = None) -> None:
        """Look at what a move has found, and have it shown."""
        if course is not None:
            move.watch.course = course
            self._fit()
        try:
            if not self.dialogue.arrive(move, found):
                return
        except CommandError as error:
            self.say(str(error), "alarm")
            return
        if self.deck.playing and (move.edge or self._following):  # not where it would have played
            self.deck = self.deck._replace(clock=self.clock(), utc=self.dialogue.watch.utc or 0)
        self._tell()
        self._turn += 1
        if not self.dialogue.underway:
            self._refill()

    def _tell(self) -> None:
        """Say what there is to be said about where a move has led."""
        words, self.dialogue.said = self.dialogue.said, ""
        if words:
            self.say(words)

    def tick(self) -> None:
        """Move the tape to where it has to be by now, if it plays and what was seen last is painted."""
        watch, course = self.dialogue.watch, self.course
        if not self.deck.playing or not self.settled or watch.utc is None:
            return
        now = self.clock()
        if course is None:
            self._stay()
        elif self._at_end(now):
            self._follow(now)
        else:
            self._advance(self.deck.due(now, (course.begin, course.end)))

    def _at_end(self, now: float) -> bool:
        """Tell whether the tape has played, and is seen, to its end; backwards to its begin."""
        utc, course = self.dialogue.watch.utc, self.course
        if utc is None or course is None or not self.deck.ended(now, (course.begin, course.end)):
            return False
        return utc >= course.end if self.deck.speed > 0 else utc <= course.begin

    def _advance(self, utc: int) -> None:
        self.dialogue.move(partial(self.dialogue.watch.head.play, utc))

    def _follow(self, now: float) -> None:
        """Do at an end what is to be done there: wait for new samples, return to the present, or stop."""
        watch, course = self.dialogue.watch, self.course
        if self.deck.speed > 0 and watch.present is not None:
            self._run("NOW")
        elif self.deck.speed > 0 and course is not None and abs(time.time_ns() - course.end) < WRITTEN:
            self._following = True
            self.deck = self.deck._replace(clock=now, utc=watch.utc or 0)
            self._advance(LAST)
        else:
            self.say(f"This is the {'end' if self.deck.speed > 0 else 'begin'} of the tape")
            self.deck = PAUSED

    def wait(self) -> float:
        """Return after how many seconds `tick` is worth while."""
        interval = self.dialogue.watch.interval
        if interval is None or interval.before is None:
            return SOONEST
        length = interval.after.at.utc - interval.before.at.utc
        following = interval.after.at.utc + (length if self.deck.speed > 0 else -length)
        return min(max(self.deck.wait(self.clock(), following), SOONEST), LATEST)

    def filled(self, filling: Filling, table: Table) -> None:
        """Show a table that was filled meanwhile, unless something else is to be shown by now."""
        self._arrived(filling)
        if self._awaits(filling):
            self.dialogue.accept(filling, table)
            self._settle()

    def failed(self, message: str, about: Filling | Move | None = None) -> None:
        """Say that a sample or a table could not be had."""
        if not isinstance(about, Filling):
            self.say(message, "alarm")
            if about is not None:
                self.dialogue.drop(about)
                self.deck = PAUSED
            return
        self._arrived(about)
        if self._awaits(about):
            self.say(message, "alarm")
            self._interval = about.view.interval
            self._put(self._broken(message), None)

    def _arrived(self, filling: Filling) -> None:
        if filling is self._filling:
            self._filling = None

    def _awaits(self, filling: Filling) -> bool:
        page, view = self.dialogue.page, self.dialogue.watch.view()
        return view is not None and view.interval is filling.view.interval and _same(page, filling.page)

    def _settle(self) -> None:
        """Have a pane for the present page that shows the present sheet; forget those of pages left."""
        pages = self.dialogue.pages
        while self._shown and not (
            len(self._shown) <= len(pages) and _same(self._shown[-1][0], pages[len(self._shown) - 1])
        ):
            self._shown.pop()
        page = pages[-1]
        if self.reader is not None and self.dialogue.laborious:
            if len(self._shown) < len(pages):
                self._put(Pane([Line(" Reading what came before", "strong")]), None)
            self._fill(self.reader)
            return
        self._interval = self.dialogue.watch.interval
        try:
            sheet = self.dialogue.sheet()
            if len(self._shown) == len(pages):
                gone = self.pane.show(sheet, page)
                if gone:
                    self.say(gone)
            else:
                self._put(self._made(page, sheet), page)
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            message = f"{page.screen.command} cannot be shown: {said(error)}"
            self.say(message, "alarm")
            self._put(self._broken(message), None)
        self._fit()

    def _made(self, page: Page, sheet: Sheet) -> Pane:
        if page.screen.layout == "menu":
            return Menu(page, self.dialogue.screens)
        if page.screen.layout == "chart":
            return ChartPane(sheet, self.dialogue.screens, plain=self.plain)
        return FormPane(page, sheet) if page.screen.layout == "page" else Grid(page, sheet)

    def _put(self, pane: Pane, page: Page | None) -> None:
        self._shown[len(self.dialogue.pages) - 1 :] = [(page, pane)]
        self._fit()

    def _broken(self, message: str) -> Pane:
        advice = "F12 returns to the screen before; the other screens go on."
        return Pane([Line(f" {part}", "strong") for part in (*wrap(message, self.width - 2), "", advice)])

    # commands

    def type(self, words: str) -> None:
        """Put typed or pasted characters into the command line."""
        self._message = ""
        self.entry.type(words)

    def press(self, name: str) -> None:
        """Carry out the function of a key."""
        self._message = ""
        getattr(self, name)()

    def _run(self, line: str) -> None:
        """Carry out a command line."""
        self._close_help()
        try:
            command = self.dialogue.run(line)
            if command is not None:
                operand = line[1:] if line.startswith("/") else line.partition(" ")[2]
                self._carry_out[command.word](self, operand.strip())
                return
        except CommandError as error:
            self.say(str(error), "alarm")
            return
        except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
            self.say(f"{line}: {said(error)}", "alarm")
            return
        self.ended = self.dialogue.ended
        if self.course is None:
            self._stay()
        self._tell()
        if self._interval is not None:
            self._settle()

    def click(self, x: int, y: int) -> None:
        """Choose what stands there, or do what the PF key there does."""
        self._message = ""
        if self.too_small:
            return
        if y == self.height - 1:
            for found in _PF_KEY.finditer(self._pf_line().text):
                if found.start() <= x < found.end():
                    self.press(next(f.name for f in FUNCTIONS if f"f{found[1]}" in f.keys.split(",")))
                    return
        elif y == self._room + 2 and (timeline := self._timeline()) is not None:
            utc = timeline.time(x)
            if utc is not None:
                self._travel(utc)
        elif 2 <= y < self._room + 2 and not self._helps:
            command = self.pane.click(x, y - 2)
            if command:
                self._run(command)

    def _travel(self, utc: int) -> None:
        """Go to a time that was clicked on."""
        if self.dialogue.watch.present is not None and self.course is not None and utc >= self.course.end:
            self._run("NOW")
            return
        self.dialogue.go_to(utc)

    def wheel(self, lines: int) -> None:
        """Go down (or up) by lines."""
        self._message = ""
        self._scrolled.step(lines)

    # what the commands do that the surface carries out

    def _help(self, name: str) -> None:
        screen = self.dialogue.page.screen
        column = screen.by_name.get(name.lower())
        if name and column is None:
            named = [c for c in screen.columns if c.head and name.lower() in {h.lower() for h in c.head}]
            if len(named) != 1:
                columns = ", ".join(screen.by_name) or "none"
                raise CommandError(f"{name!r} is no column here; there are {columns}")
            column = named[0]
        width = min(self.width, WIDEST_HELP)
        pane = self.pane
        if column is not None and isinstance(pane, Grid):
            self._helps.append(Pane(column_help(column, pane.sheet, pane.place, width)))
        else:
            sheet = self.dialogue.sheet() if screen.layout != "menu" and self._interval else None
            self._helps.append(Pane(screen_help(screen, sheet, width)))
        self._fit()

    def _locate(self, text: str) -> None:
        self._wanted = text or self._wanted
        if not self._wanted:
            raise CommandError("Locate what? For example /7000 or LOCATE PAY")
        if not isinstance(self.pane, Grid):
            raise CommandError("There are no rows to look through on this screen")
        if not self.pane.locate(self._wanted):
            raise CommandError(f"{self._wanted!r} is not in the keys and labels of this list")

    def _print(self, file: str) -> None:
        interval, page = self._interval, self.dialogue.page
        if interval is None:
            raise CommandError("There is nothing to print yet")
        stamp = clock(interval.after.at.utc).replace(":", "")
        file = os.path.expanduser(file or f"{page.screen.command.lower()}-{stamp}.txt")
        lines = text(
            self.dialogue.sheet(), self.dialogue.screens, interval, live=self.dialogue.watch.tape.live
        )
        try:
            with open(file, "x", encoding="utf-8") as stream:
                stream.writelines(f"{line}\n" for line in lines)
        except FileExistsError:
            raise CommandError(f"{file} exists already; give another name") from None
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror}") from error
        self.say(f"Written to {os.path.abspath(file)}")

    def _play(self, words: str) -> None:
        try:
            speed = parse_speed(words)
        except ValueError as error:
            raise CommandError(str(error)) from error
        utc = self.dialogue.rewind().utc
        if utc is None:
            raise CommandError("There is no sample yet")
        self._following = False
        self.deck = Deck(speed, self.clock(), utc)
        self._stay()
        self._fit()

    def _pause(self) -> None:
        """Let the tape stand still, or the live screen."""
        if self.deck.playing:
            self.deck = PAUSED
        elif self.dialogue.watch.tape.live and self.pace is not None and not self.pace.held:
            self._hold(self.pace)

    def _hold(self, pace: Pace) -> None:
        """Hold the live screen; if it is recorded, the machine is sampled all the same."""
        try:
            self.dialogue.rewind()
        except CommandError:
            pace.hold(held=True)
        self._stay()

    def _now(self, _operand: str) -> None:
        self.dialogue.to_present()
        self.deck = PAUSED
        if self.pace is not None and self.pace.held:
            self.pace.hold(held=False)
        self._settle()

    def _events(self, _operand: str) -> None:
        watch = self.dialogue.watch
        past = watch.rewind() if watch.tape.live else watch
        if past is None:
            raise CommandError(NOT_KEPT)
        lines = [
            Line(f" {happened(event)}", "look" if event.exception else "data") for event in past.events()
        ]
        title = Line(" What happened" if lines else " Nothing happened that the tape tells of", "strong")
        self._helps.append(Pane([title, *lines]))
        self._fit()

    _carry_out: Final[dict[str, Callable[[Glass, str], None]]] = {
        "HELP": _help,
        "LOCATE": _locate,
        "PRINT": _print,
        "TOP": lambda self, _: self.top(),
        "BOTTOM": lambda self, _: self.bottom(),
        "REFRESH": lambda self, _: self.refresh(),
        "PLAY": _play,
        "PAUSE": lambda self, _: self._pause(),
        "EVENTS": _events,
        "NOW": _now,
    }

    # the functions of the keys

    @property
    def _scrolled(self) -> Pane:
        """What the keys that scroll move."""
        return self._helps[-1] if self._helps else self.pane

    def help(self) -> None:
        """Explain the chosen column, then the screen, then the keys."""
        depth = len(self._helps)
        pane = self.pane
        chosen = pane.column if isinstance(pane, Grid) else ""
        if depth == 0:
            self._help(chosen)
        elif depth == 1 and chosen:
            self._help("")
        elif depth <= 1 + bool(chosen):
            lines = keys_help(self.keymap, self.dialogue.screens, min(self.width, WIDEST_HELP))
            self._helps.append(Pane(lines))
            self._fit()

    def _close_help(self) -> None:
        self._helps.clear()
        self._fit()

    def redisplay(self) -> None:
        """Show the key figures of the last samples by time."""
        self._run("REDISP")

    def refresh(self) -> None:
        """Take a sample now; of a recording, show the next of several notes."""
        if self.pace is not None and self.dialogue.watch.tape.live and not self.pace.held:
            self.pace.now()
        else:
            self._turn += 1

    def back(self) -> None:
        """Leave the help text, the command that is being typed, or the screen."""
        if self._helps:
            self._close_help()
        elif self.entry.text:
            self.entry.clear()
        else:
            self._run("RETURN")

    def quit(self) -> None:
        """Leave zmon."""
        self.ended = True

    def top(self) -> None:
        """Go to the first row."""
        self._scrolled.top()

    def bottom(self) -> None:
        """Go to the last row."""
        self._scrolled.bottom()

    first_row, last_row = top, bottom

    def backward(self) -> None:
        """Go a screenful up."""
        self._scrolled.turn(-1)

    def forward(self) -> None:
        """Go a screenful down."""
        self._scrolled.turn(1)

    def up(self) -> None:
        """Go a line up."""
        self._scrolled.step(-1)

    def down(self) -> None:
        """Go a line down."""
        self._scrolled.step(1)

    def left(self) -> None:
        """Go a screenful of columns to the left."""
        if not self._scrolled.shift(-1):
            self.say("These are the first columns")

    def right(self) -> None:
        """Go a screenful of columns to the right."""
        if not self._scrolled.shift(1):
            self.say("There are no more columns")

    def column_left(self) -> None:
        """Go one column to the left."""
        self._scrolled.nudge(-1)

    def column_right(self) -> None:
        """Go one column to the right."""
        self._scrolled.nudge(1)

    def next_column(self) -> None:
        """Choose the next column, or item."""
        self._choose(1)

    def previous_column(self) -> None:
        """Choose the column, or item, before."""
        self._choose(-1)

    def _choose(self, by: int) -> None:
        if self._helps:
            return
        self.pane.tab(by)
        if isinstance(self.pane, Grid) and self.pane.column:
            column = self.dialogue.page.screen.by_name[self.pane.column]
            sorts = ", F9 sorts on it" if column.sort else ""
            self.say(f"{column.name}: F1 explains it{sorts}", "guidance")

    def sort(self) -> None:
        """Sort on the chosen column."""
        if isinstance(self.pane, Grid) and self.pane.column:
            self._run(f"SORT {self.pane.column}")
        else:
            self.say("TAB to a column first, or click on its heading, or SORT and its name", "alarm")

    def enter(self) -> None:
        """Carry out what was typed; else close help, or go deeper."""
        line = self.entry.take()
        if line:
            self._run(line)
        elif self._helps:
            self._close_help()
        elif self.pane.command:
            self._run(self.pane.command)
        else:
            self.refresh()

    def retrieve(self) -> None:
        """Bring back a command given before."""
        if not self.entry.retrieve():
            self.say("No command was given yet")

    def again(self) -> None:
        """Locate the same text again."""
        self._run("LOCATE")

    def earlier(self) -> None:
        """Go to the sample before."""
        self.deck = PAUSED
        self._run("PREVSAMP")

    def later(self) -> None:
        """Go to the next sample."""
        self.deck = PAUSED
        self._run("NEXTSAMP")

    def minute_back(self) -> None:
        """Go a minute back."""
        self._run("GO -1m")

    def minute_on(self) -> None:
        """Go a minute on."""
        self._run("GO +1m")

    def begin(self) -> None:
        """Go to the first sample."""
        self._run("GO begin")

    def end(self) -> None:
        """Go to the last sample; of a live machine to the present."""
        self._run("NOW" if self.dialogue.present.tape.live else "GO end")

    def previous_exception(self) -> None:
        """Go to the exception before."""
        self.deck = PAUSED
        self._run("PREVEXC")

    def next_exception(self) -> None:
        """Go to the next exception."""
        self.deck = PAUSED
        self._run("NEXTEXC")

    def pause(self) -> None:
        """Hold the live screen, or let it go on; play a recording, or pause."""
        if self.deck.playing or (self.dialogue.watch.tape.live and not self.held):
            self._run("PAUSE")
        elif self.held:
            self._run("NOW")
        else:
            self._run("PLAY 1")

    def faster(self) -> None:
        """Play faster, as seen from backwards to forwards."""
        self._run(f"PLAY {faster(self.deck.speed)}")

    def slower(self) -> None:
        """Play slower, as seen from backwards to forwards."""
        self._run(f"PLAY {slower(self.deck.speed)}")

    def caret_left(self) -> None:
        """Move the caret to the left."""
        self.entry.move(-1)

    def caret_right(self) -> None:
        """Move the caret to the right."""
        self.entry.move(1)

    def caret_home(self) -> None:
        """Move the caret to the begin of the command."""
        self.entry.move(-len(self.entry.text))

    def caret_end(self) -> None:
        """Move the caret behind the command."""
        self.entry.move(len(self.entry.text))

    def erase(self) -> None:
        """Delete the character before the caret."""
        self.entry.erase()

    def delete(self) -> None:
        """Delete the character at the caret."""
        self.entry.delete()

    def erase_word(self) -> None:
        """Delete the word before the caret."""
        self.entry.erase_word()

    def clear(self) -> None:
        """Delete the command."""
        self.entry.clear()


def _same(one: Page | None, other: Page) -> bool:
    """Tell whether two pages show the same thing, in whatever order."""
    return one is not None and one.screen is other.screen and one.argument == other.argument
