"""The dialogue with a person: which screen is shown, and what a command changes.

The glass and the line-mode console lead the same dialogue; they differ in how they show it.  Commands are
those of the Toolkit: a screen's name (with an argument or conditions), its number in the menu, and a few
words that change how the present screen is shown.
"""

from __future__ import annotations

import re
import time
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.interval import Interval
from zmon.screen.definition import ScreenError
from zmon.screen.happening import line as happened
from zmon.screen.number import clock
from zmon.screen.query import QueryError, check_column, parse_conditions
from zmon.screen.sheet import Order, Sheet, natural
from zmon.screen.variable import DRAWN, VariableError
from zmon.tables.channel import count
from zmon.tables.period import Period
from zmon.tables.view import NoSuchThing, View, fill, needs
from zmon.tape.tape import REACH, NoMark, NoNote

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.screen.definition import Screen, Screens
    from zmon.screen.query import Condition
    from zmon.tables.history import History
    from zmon.tables.table import Table
    from zmon.tape.tape import Watch


class CommandError(ValueError):
    """A command that cannot be carried out; the message says why and what would be possible."""


Window = Interval | tuple[int | None, int]
"""An interval, or begin and end (UTC in ns); without a begin the interval that ends there."""


class Against(NamedTuple):
    """What a comparison compares."""

    screen: Screen
    """The screen that shows either alone."""
    then: Window
    now: Window | None = None
    """By default the interval that is looked at."""


class Page(NamedTuple):
    """What is shown: a screen, what it is about, and in which order and choice."""

    screen: Screen
    argument: str = ""
    order: Order | None = None
    conditions: tuple[Condition, ...] = ()
    against: Against | None = None
    """For a comparison, of what; `screen` then has columns for both."""


class Filling(NamedTuple):
    """The work of filling the table of a page; it touches nothing else, so another thread may do it."""

    page: Page
    view: View

    def table(self) -> Table:
        """Fill the table."""
        if self.page.against is not None:
            return self._compared(self.page.against)
        return fill(self.page.screen.table, self.view)

    def _compared(self, against: Against) -> Table:
        from zmon.screen.compare import compare  # noqa: PLC0415 - a lookup starts without it

        history, limits = self.view.history, self.view.limits
        intervals = [_interval(one, history) for one in (against.then, against.now or self.view.interval)]
        then, now = (
            fill(
                against.screen.table,
                View(one, partial(_period, history, one), history=history, limits=limits),
            )
            for one in intervals
        )
        joined = compare(against.screen, then, now)
        said = "Then {}, now {}".format(*map(_from_to, intervals))
        return joined._replace(notes=(said, *joined.notes))


def _interval(window: Window, history: History) -> Interval:
    """Return the interval of a window.

    Raises:
        NoSuchThing: there are no two samples in it.
    """
    found = window if isinstance(window, Interval) else history.window(*window)
    if found is None:
        raise NoSuchThing("there are no two samples in a time that is to be compared")
    return found


def _period(history: History, interval: Interval) -> Period:
    """Return what accumulated in an interval."""
    found = Period()
    for each in reversed(list(history.within(interval, REACH))):
        count(found, each)
    return found


def _from_to(interval: Interval) -> str:
    begin = "" if interval.before is None else clock(interval.before.at.utc)
    return f"{begin} - {clock(interval.after.at.utc)}"


class Found(NamedTuple):
    """Where a move has led, and what is to be said about it."""

    interval: Interval
    said: str = ""


class Move(NamedTuple):
    """A way along a tape; going it takes time and touches the tape alone, so another thread may do it."""

    watch: Watch
    """Who looks at what is found."""
    find: Callable[[], Found | Interval | None]
    edge: str
    """What is said when there is nothing that way."""

    def go(self) -> Found | None:
        """Go this way; None when there is nothing."""
        found = self.find()
        return found if found is None or isinstance(found, Found) else Found(found)


class Command(NamedTuple):
    """A word of the command line: what it does, in help and completion."""

    word: str
    shortest: int
    """How many characters must be given."""
    operand: str
    help: str


COMMANDS: Final = (
    Command("HELP", 1, "[column]", "explain this screen, or one of its columns"),
    Command("SORT", 2, "column [ASC|DESC]", "sort on a column"),
    Command(
        "WHERE", 1, "[condition ...]", "show rows that meet all conditions, such as resp>10; without: all"
    ),
    Command("LOCATE", 2, "text", "go to the next row that contains a text; also /text"),
    Command("TOP", 3, "", "go to the first row"),
    Command("BOTTOM", 3, "", "go to the last row"),
    Command("REFRESH", 3, "", "take a sample now"),
    Command("NEXTSAMP", 5, "[time]", "go to the next sample, or to that of a time; live: take one now"),
    Command("PREVSAMP", 5, "", "go back to the sample before"),
    Command("GO", 2, "time", "go to a time: 14:32, -10m, +1h, yesterday 14:30, begin, end"),
    Command("PLAY", 3, "[speed]", "play: 1, 2, 5, 10, 30, 60, 120, 300 or 600; -10 is backwards"),
    Command("PAUSE", 3, "", "stand still"),
    Command("NEXTEXC", 5, "", "go to the next exception: a limit, a gap, a restart ..."),
    Command("PREVEXC", 5, "", "go back to the exception before"),
    Command("EVENTS", 2, "", "list what happened in the time of the tape"),
    Command("MARK", 3, "A|B", "mark this sample"),
    Command("AVERAGE", 2, "", "show the averages between the marks A and B"),
    Command("INTERIM", 3, "", "show the figures of each interval again"),
    Command(
        "COMPARE",
        4,
        "[from to [from to]]|OFF",
        "set the time between the marks, or between two times, against the interval; or two times",
    ),
    Command("NOTE", 4, "text", "write down what you saw at this sample, where samples are recorded"),
    Command("NOW", 3, "", "return from the past to the live machine"),
    Command(
        "PLOT", 3, "[column] [row ...] [since]", "draw a column by time: PLOT resp 7000 -10m; also GRAPH"
    ),
    Command("CORREL", 3, "[column] [row] [since]", "list what moved with a column: CORREL resp 7000 -10m"),
    Command("PRINT", 2, "[file]", "write this screen as text to a file"),
    Command("RETURN", 3, "", "leave this screen"),
    Command("QUIT", 4, "", "leave zmon; also EXIT"),
)
"""The words that are no screens."""

NOT_KEPT: Final = (
    "live samples are not kept; zmon --record FILE keeps them, and a recording or a capture can be gone "
    "through: --from FILE"
)

ALIASES: Final = {"EXIT": "QUIT", "GRAPH": "PLOT"}
"""Other words for commands."""

SINCE: Final = r"[-+@][0-9]|[0-9]{1,2}:[0-9]|[0-9]{4}-[0-9]|(begin|start|today|yesterday)$"
"""How the first word of a time begins, behind the names of rows."""

DAY: Final = (
    r"(?i)\b(today|yesterday|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|[0-9]{4}-[0-9]{2}-[0-9]{2}) +"
    r"(?=[0-9]{1,2}:)"
)
"""A day before a time of it."""

CONTROL: Final = {"FC", "FCONTROL"}
"""What people used to write before some commands of the Toolkit: `FC BENCHMRK DEVICE 7000`."""


def meant(screens: Screens, word: str, operands: str = "") -> Screen:
    """Return the screen that a word names; with a device behind it, DEVICE is the page of that device.

    Raises:
        ScreenError: there is no such screen.
    """
    screen = screens.find(word)
    if operands and screen.command == "DEVICE" and not _is_condition(operands):
        return screens.find("DETAILS")
    return screen


class Dialogue:
    """The state of a dialogue: a stack of pages over a tape."""

    def __init__(self, watch: Watch, screens: Screens, first: str = "MENU") -> None:
        """Open on a screen; the watch must stand on a sample before a sheet is asked for."""
        self.watch = watch
        """Who looks at what is shown: at a tape, at the live machine, or at its past."""
        self.present = watch
        self.screens = screens
        self.said = ""
        """What is to be said about where the last move led."""
        self.mover: Callable[[Move], None] | None = None
        """Who goes a move and then lets the dialogue `arrive`; without it moves are gone at once."""
        self.chosen: Callable[[], tuple[str, str]] = self._first_row
        """Which column and row of the present list are chosen; empty where none is."""
        self._underway: list[Move] = []
        self.pages: list[Page] = []
        self.ended = False
        self._sheet: Sheet | None = None
        self._shown: tuple[object, Page] | None = None
        self._table: Table | None = None
        self._filled: tuple[object, ...] | None = None
        self.open(first)

    @property
    def page(self) -> Page:
        """What is shown now."""
        return self.pages[-1]

    def _show(self, page: Page) -> None:
        self.pages[-1] = page

    def open(self, word: str, operands: str = "") -> None:
        """Open the screen that a word names, on top of the present one.

        `operands` is the thing that the screen is about (`DEVICE 7000`) or conditions (`DEVICE resp>10`).

        Raises:
            CommandError: there is no such screen, thing or column.
        """
        try:
            screen = meant(self.screens, word, operands)
            if operands and screen.table in DRAWN:
                operands = self._variables(operands)
            page = Page(screen, order=natural(screen))
            if operands and _is_condition(operands) and screen.columns:
                page = page._replace(conditions=self._conditions(page, operands))
            elif operands and not screen.argument:
                other = f"; write {screen.command} alone or with conditions" if screen.columns else ""
                raise CommandError(f"{screen.command} takes no operand {operands!r}{other}")
            elif operands:
                page = page._replace(argument=operands)
            if screen.layout == "page" and not operands:
                raise CommandError(f"{screen.command} needs an operand: {screen.argument}")
            if page.argument and not (self.mover is not None and self._looks_back(page)):
                self._sheet_of(page)  # raises when there is no such thing
        except (ScreenError, QueryError, VariableError, NoSuchThing) as error:
            raise CommandError(str(error)) from error
        if screen.layout == "menu":
            self.pages.clear()  # the menu is where every way begins
        self.pages.append(page)

    def drill(self, key: str) -> bool:
        """Go deeper into a row; return False where there is nothing deeper."""
        if not self.page.screen.drill:
            return False
        word, _, operands = self.page.screen.drill.format(key=key).partition(" ")
        self.open(word, operands)
        return True

    def back(self) -> bool:
        """Leave the present screen; return False on the first."""
        if len(self.pages) < 2:
            return False
        self.pages.pop()
        return True

    def _conditions(self, page: Page, operands: str) -> tuple[Condition, ...]:
        names = [column.name for column in page.screen.columns]
        if operands and not names:
            raise CommandError(f"{page.screen.command} has no rows to choose from; lists such as DEVICE have")
        return parse_conditions(operands, names)

    def sort(self, column: str, direction: str = "") -> None:
        """Sort the present screen; naming the column again turns the direction round.

        Raises:
            CommandError: there is no such column, or it cannot be sorted on.
        """
        screen = self.page.screen
        sortable = [c.name for c in screen.columns if c.sort]
        if not sortable:
            raise CommandError(f"{screen.command} has no rows to sort; lists such as DEVICE have")
        try:
            check_column(column.lower(), sortable)
        except QueryError as error:
            raise CommandError(str(error)) from error
        order = natural(screen, column.lower())
        present = self.page.order
        if direction:
            order = Order(column.lower(), direction.upper().startswith("D"))
        elif order == present and present is not None:
            order = present._replace(descending=not present.descending)
        self._show(self.page._replace(order=order))

    def where(self, operands: str) -> None:
        """Show only rows that meet the conditions; all rows when there are none.

        Raises:
            CommandError: a condition is not understood.
        """
        try:
            self._show(self.page._replace(conditions=self._conditions(self.page, operands)))
        except QueryError as error:
            raise CommandError(str(error)) from error

    def sheet(self) -> Sheet:
        """Return the present page filled from the present interval; made once per sample and page.

        Raises:
            CommandError: there is no sample yet, or what the page is about is gone.
        """
        now = (self.watch.interval, self.page)
        if self._sheet is None or self._shown != now:
            try:
                self._sheet, self._shown = self._sheet_of(self.page), now
            except NoSuchThing as error:
                raise CommandError(f"{error}; RETURN leads back") from error
        return self._sheet

    def _sheet_of(self, page: Page) -> Sheet:
        filling = self._filling(page)
        if self._table is None or self._filled != _about(filling):
            self.accept(filling, filling.table())
        assert self._table is not None  # noqa: S101 - it was accepted
        return Sheet(page.screen, self._table, page.order, page.conditions)

    def _filling(self, page: Page) -> Filling:
        view = self.watch.view(page.argument)
        if view is None:
            raise CommandError("there is no sample yet; NEXTSAMP goes to the first")
        view.limits = self.screens.limits
        return Filling(page, view)

    def filling(self) -> Filling:
        """Return the work that `sheet` would have to do first, to have it done beforehand.

        Raises:
            CommandError: there is no sample yet.
        """
        return self._filling(self.page)

    def _looks_back(self, page: Page) -> bool:
        """Tell whether filling the table of a page reads samples before the present ones."""
        needed = needs(page.screen.table)
        return page.against is not None or needed.history or (needed.period and not self.watch.tape.live)

    @property
    def laborious(self) -> bool:
        """Whether `sheet` would have to read samples before the present ones."""
        view = self.watch.view(self.page.argument)
        if view is None or self._filled == _about(Filling(self.page, view)):
            return False
        return self._looks_back(self.page)

    def accept(self, filling: Filling, table: Table) -> None:
        """Take a table that was filled elsewhere; it serves as long as its interval is the present one."""
        self._table, self._filled = table, _about(filling)

    def run(self, line: str) -> Command | None:
        """Carry out a command line.

        Returns the command when it is one that the surface has to carry out itself (HELP, LOCATE, TOP,
        BOTTOM, PRINT, REFRESH, PLAY, PAUSE, EVENTS, NOW), else None.

        Raises:
            CommandError: it is not understood or cannot be done.
        """
        line = _uncontrolled(line.strip())
        if not line or line.startswith("/"):
            return _find("LOCATE") if line else None
        word, *rest = line.split(maxsplit=1)
        operands = "".join(rest)
        command = _find(word)
        if command is None:
            self._open_screen(word, operands)
            return None
        if operands and not command.operand:
            raise CommandError(f"{command.word} takes no operand {operands!r}; write {command.word} alone")
        if command.word == "NEXTSAMP" and self.watch.tape.live and not operands:
            command = _find("REFRESH")
        done = self._own.get(command.word) if command is not None else None
        if done is None:
            return command
        done(self, operands)
        return None

    def _open_screen(self, word: str, operands: str) -> None:
        """Open the screen that a word on the command line names."""
        try:
            self.screens.find(word)
        except ScreenError as error:
            words = ", ".join(command.word for command in COMMANDS)
            raise CommandError(f"{error}; or a command: {words}") from error
        self.open(word, operands)

    def _sort(self, operands: str) -> None:
        column, *rest = operands.split(maxsplit=1) or [""]
        direction = "".join(rest)
        if direction and direction.upper() not in {"ASC", "DESC"}:
            raise CommandError(f"{direction!r} is no direction; write ASC or DESC")
        self.sort(column, direction)

    def _return(self, _operands: str) -> None:
        if not self.back():
            self.ended = True

    def _quit(self, _operands: str) -> None:
        self.ended = True

    # two times

    def _compare(self, operands: str) -> None:
        page = self.page
        screen = page.against.screen if page.against is not None else page.screen
        if operands.upper() == "OFF":
            if page.against is None:
                raise CommandError("nothing is compared here; COMPARE sets marked times against the interval")
            self._show(Page(screen, page.argument, natural(screen)))
            return
        times = self._times(operands)
        if times:
            self.compare((times[0], times[1]), (times[2], times[3]) if len(times) > 2 else None)
            return
        try:
            then = self.watch.window()
        except NoMark as error:
            raise CommandError(f"{error}; or name two times: COMPARE 14:00 14:10") from error
        self.watch.interim()
        self.compare(then)

    def compare(self, then: Window, now: Window | None = None) -> None:
        """Show the present list for two times side by side; by default the later is the present interval.

        Raises:
            CommandError: it is no list of things, or there is nothing at that time.
        """
        from zmon.screen.compare import compared  # noqa: PLC0415 - a lookup starts without it

        page = self.page
        screen = page.against.screen if page.against is not None else page.screen
        if screen.layout != "list" or needs(screen.table).history:
            raise CommandError(f"{screen.command} cannot be compared; lists such as DEVICE can")
        both = compared(screen)
        new = Page(both, page.argument, None, (), Against(screen, then, now))
        try:
            if self.mover is None:
                self._sheet_of(new)
        except NoSuchThing as error:
            raise CommandError(str(error)) from error
        self._show(new)

    def _times(self, operands: str) -> list[int]:
        """Read the times of a comparison: none, two or four.

        Raises:
            CommandError: they are others.
        """
        if not operands:
            return []
        from zmon.tape.when import parse_when, whole  # noqa: PLC0415 - a lookup starts without it

        words = re.sub(DAY, r"\1_", operands).split()
        found: list[int] = []
        watch = self.rewind()
        for word in words:
            base = found[-1] if len(found) % 2 and word.startswith("+") else watch.utc
            try:
                found.append(whole(parse_when(word.replace("_", " "), time.time_ns(), base, watch.span)))
            except ValueError as error:
                raise CommandError(str(error)) from error
        if len(found) not in {2, 4} or any(b <= a for a, b in zip(found[::2], found[1::2], strict=False)):
            raise CommandError("COMPARE takes two times, or twice two, each the earlier first: 14:00 14:10")
        return found

    # figures by time

    def _first_row(self) -> tuple[str, str]:
        """Return what is chosen where nobody can choose: nothing, and the first row."""
        if self.page.screen.layout != "list" or not self.page.screen.gridded:
            return "", ""
        return "", next(iter(self.sheet().keys), "")

    def _plot(self, operands: str) -> None:
        self._draw("PLOT", operands)

    def _correl(self, operands: str) -> None:
        self._draw("CORREL", operands)

    def _draw(self, command: str, operands: str) -> None:
        """Open a screen about figures by time: those that are named, else what is chosen here."""
        from zmon.screen import variable  # noqa: PLC0415 - a lookup starts without it

        words, since = _until_time(operands)
        screen = self.page.screen
        known = variable.names(screen)
        column, row = self.chosen()
        if screen.table in DRAWN and not words:
            self.open(command, f"{row} {since}".strip() if row else "")  # CORREL's rows are figures by name
            return
        if words and words[0].lower() in known:
            column, *words = words
        elif words and (not known or self._names_screen(words[0])):
            self.open(command, operands)
            return
        if known and column not in known:
            column = variable.natural_column(screen)
        rows = words or [self.page.argument if needs(screen.table).history else row or self.page.argument]
        self.open(command, " ".join([f"{screen.command}.{column}", *rows, since]) if known else "")

    def _names_screen(self, word: str) -> bool:
        """Tell whether a word names another screen rather than a row of the present list."""
        name = word.partition(".")[0]
        if not name[:1].isalpha() or any(word == key.rpartition(".")[2] for key in self.sheet().keys):
            return False
        try:
            self.screens.find(name)
        except ScreenError:
            return False
        return True

    def _variables(self, operands: str) -> str:
        """Return what figures are meant, as their tables name them, and since when.

        Raises:
            VariableError: a word names no figures.
            NoSuchThing: a row is not there.
            CommandError: there is no sample yet, or no such time.
        """
        from zmon.screen.variable import parse, resolve  # noqa: PLC0415 - a lookup starts without them
        from zmon.tables.plot import write  # noqa: PLC0415 - likewise

        words, since = _until_time(operands)
        interval = self.watch.interval
        if interval is None:
            raise CommandError("there is no sample yet; NEXTSAMP goes to the first")
        said = write(resolve(parse(words, self.screens), interval))
        return f"{said} {self._since(since)}".strip()

    def _since(self, words: str) -> str:
        """Return a time as a table understands it: so long before the end, or an instant."""
        if not words or words.startswith("@"):
            return words
        from zmon.tape.when import SECOND, parse_when  # noqa: PLC0415 - a lookup starts without it

        present = self.watch.utc
        try:
            utc = parse_when(words, time.time_ns(), present, self.watch.span)
        except ValueError as error:
            raise CommandError(str(error)) from error
        ahead = words.startswith("-") and present is not None
        return f"-{(present - utc) // SECOND}s" if ahead and present is not None else f"@{utc}"

    # along the tape

    def drop(self, move: Move) -> None:
        """Forget a move that could not be gone."""
        if move in self._underway:
            self._underway.remove(move)

    @property
    def underway(self) -> bool:
        """Whether a move has not led anywhere yet."""
        return bool(self._underway)

    def rewind(self) -> Watch:
        """Return who looks at what lies before: of a live machine, a watch over what was recorded.

        Raises:
            CommandError: nothing is recorded.
        """
        if self.watch.tape.live:
            past = self.watch.rewind()
            if past is None:
                raise CommandError(NOT_KEPT)
            self.watch = past
        return self.watch

    def move(self, find: Callable[[], Found | Interval | None], edge: str = "") -> None:
        """Go a way along the tape.

        Raises:
            CommandError: there is nothing that way, if that is known at once.
        """
        move = Move(self.watch, find, edge)
        self._underway.append(move)
        if self.mover is not None:
            self.mover(move)
        else:
            self.arrive(move, move.go())

    def arrive(self, move: Move, found: Found | None) -> bool:
        """Look at what a move has found; return False if nobody wants it any more, or it is nothing.

        Raises:
            CommandError: there was nothing that way.
        """
        if move not in self._underway:
            return False
        self._underway.remove(move)
        if found is None and move.edge:
            raise CommandError(move.edge)
        if found is None:
            return False
        move.watch.arrive(found.interval)
        self.said = found.said
        return True

    def to_present(self) -> None:
        """Return to the live machine; what is still under way leads nowhere.

        Raises:
            CommandError: it is no live machine that is looked at.
        """
        if not self.present.tape.live:
            raise CommandError("this is no live machine; GO end goes to the last sample")
        self._underway.clear()
        self.watch = self.present
        self.watch.interim()

    def _note(self, operands: str) -> None:
        """Write down what a person has to say of the sample that is looked at.

        Raises:
            CommandError: there is nothing to write, or nowhere to write it to.
        """
        utc = self.watch.utc
        if not operands or utc is None:
            raise CommandError("NOTE what? For example NOTE backup was moved to 22:00")
        try:
            self.present.tape.note(utc, operands)
        except NoNote as error:
            raise CommandError(f"no note: {error}") from error

    def _next(self, operands: str) -> None:
        if operands:
            self._go(operands)
            return
        way = "NOW returns to the machine" if self.watch.present else "PREVSAMP goes back to the one before"
        self.move(self.watch.head.forward, f"this is the last sample; {way}")

    def _previous(self, _operands: str) -> None:
        edge = "there is no sample before this one; NEXTSAMP goes on to the one behind"
        self.move(self.rewind().head.back, edge)

    def _go(self, operands: str) -> None:
        from zmon.tape.when import parse_when, whole  # noqa: PLC0415 - a lookup starts without it

        before = self.watch
        watch = self.rewind()
        try:
            utc = whole(parse_when(operands, time.time_ns(), watch.utc, watch.span))
        except ValueError as error:
            self.watch = before
            raise CommandError(str(error)) from error
        word = operands.strip().casefold()
        find = {"begin": watch.head.begin, "start": watch.head.begin, "end": watch.head.end}.get(word)
        self.move(find or partial(watch.head.seek, utc), "there are no samples on this tape")

    def go_to(self, utc: int) -> None:
        """Go to the sample of a time.

        Raises:
            CommandError: nothing is recorded.
        """
        self.move(partial(self.rewind().head.seek, utc), "there are no samples on this tape")

    def _next_exception(self, _operands: str) -> None:
        self._to_exception(1, "there is no exception behind this sample; PREVEXC goes to the one before")

    def _previous_exception(self, _operands: str) -> None:
        self._to_exception(-1, "there is no exception before this sample; NEXTEXC goes to the one behind")

    def _to_exception(self, way: int, edge: str) -> None:
        head = self.rewind().head

        def find() -> Found | None:
            found = head.exception(way)
            return None if found is None else Found(found[1], happened(found[0]))

        self.move(find, edge)

    def _mark(self, operands: str) -> None:
        name = operands.upper()
        if name not in {"A", "B"}:
            raise CommandError(f"{operands!r} is no mark; write MARK A or MARK B")
        try:
            self.watch.mark(name)
        except NoMark as error:
            raise CommandError(str(error)) from error
        self.said = f"{name} marks the sample of {clock(self.watch.marks[name].at.utc)}"

    def _average(self, _operands: str) -> None:
        try:
            self.watch.average()
        except NoMark as error:
            raise CommandError(str(error)) from error

    def _interim(self, _operands: str) -> None:
        self.watch.interim()

    _own: Final[dict[str, Callable[[Dialogue, str], None]]] = {
        "SORT": _sort,
        "WHERE": where,
        "PLOT": _plot,
        "CORREL": _correl,
        "COMPARE": _compare,
        "RETURN": _return,
        "QUIT": _quit,
        "NEXTSAMP": _next,
        "PREVSAMP": _previous,
        "GO": _go,
        "NEXTEXC": _next_exception,
        "PREVEXC": _previous_exception,
        "MARK": _mark,
        "NOTE": _note,
        "AVERAGE": _average,
        "INTERIM": _interim,
    }


def _until_time(operands: str) -> tuple[list[str], str]:
    """Part words from the time behind them."""
    words = operands.split()
    at = next((place for place, word in enumerate(words) if re.match(SINCE, word.lower())), len(words))
    return words[:at], " ".join(words[at:])


def _about(filling: Filling) -> tuple[object, ...]:
    """Return what a table is made from; another order or choice of rows needs no other table."""
    page = filling.page
    return filling.view.interval, page.screen.table, page.argument, page.against


def _uncontrolled(line: str) -> str:
    """Leave out the word that the Toolkit has before some of its commands."""
    word, _, rest = line.partition(" ")
    return rest.strip() if word.upper() in CONTROL and rest.strip() else line


def _is_condition(operands: str) -> bool:
    return any(sign in operands for sign in "=<>~")


def _find(word: str) -> Command | None:
    """Return the command that a word or its beginning names."""
    wanted = ALIASES.get(word.upper(), word.upper())
    for command in COMMANDS:
        if command.word.startswith(wanted) and len(wanted) >= command.shortest:
            return command
    return None
