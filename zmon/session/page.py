"""A page: one screen of a session with its operand, sorting and filter; and the work of filling its table."""

from __future__ import annotations

from functools import lru_cache, partial

from zmon.base.clock import told
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.mistake import contained
from zmon.base.record import NamedTuple
from zmon.interval import Interval
from zmon.machine.view import NoSuchThing, View
from zmon.screen.definition import Column
from zmon.screen.number import LEFT
from zmon.screen.query import QueryError, find_column, parse_conditions
from zmon.session.running_period import REACH, counted
from zmon.tables.filled import definition, fill, needs, with_figures

if TYPE_CHECKING:
    from zmon.diagnosis.conclusion import Conclusion
    from zmon.machine.view import History
    from zmon.rule.grammar import Rule
    from zmon.screen.definition import Screen, Screens
    from zmon.screen.query import Condition
    from zmon.screen.sheet import Order, Sheet
    from zmon.session.timeline import Timeline
    from zmon.tables.table import Table

Window = Interval | tuple[int | None, int]
"""An interval, or begin and end (UTC in ns); without a begin the interval that ends there."""

BOTH: Final = ("Then", "Now")
"""What two times are called that have no marks."""


class Comparison(NamedTuple):
    """What a page compares."""

    screen: Screen
    """The screen that shows either alone."""
    then: Window
    now: Window | None = None
    """By default the present interval."""
    before: History | None = None
    """What came before `then`, if that is on another timeline."""
    names: tuple[str, str] = BOTH

    @property
    def times(self) -> str:
        """Both times with their names, for the top line; empty if the later is the present interval."""
        if self.now is None:
            return ""
        return "  ".join(
            f"{name} {_window_times(window)}"
            for name, window in zip(self.names, (self.then, self.now), strict=True)
        )


class Page(NamedTuple):
    """One screen of a session with its operand, sorting and filter."""

    screen: Screen
    argument: str = ""
    order: Order | None = None
    conditions: tuple[Condition, ...] = ()
    against: Comparison | None = None
    """What it compares, if it does; `screen` then has columns for both."""
    column: str = ""
    """The column that is chosen when it is opened; empty for none ..."""
    row: str = ""
    """... and the key of the row; empty for the first."""

    @property
    def times(self) -> str:
        """What the top line names in the place of the present interval; empty if that is shown."""
        return "" if self.against is None else self.against.times

    @property
    def alone(self) -> Screen:
        """The screen that shows one time."""
        return self.screen if self.against is None else self.against.screen


class FillTask(NamedTuple):
    """The work of filling the table of a page; it touches nothing else, so another thread may do it."""

    page: Page
    view: View
    judged: int = 0
    """Up to when samples were judged, if the table shows exceptions."""
    rules: tuple[Rule, ...] = ()
    """Those that mark values of the table."""
    curved: bool = False
    """Whether curves of what came before are wanted beside the figures."""

    @property
    def about(self) -> tuple[object, ...]:
        """What the table is made from; another order or choice of rows needs no other table."""
        page = self.page
        return (
            self.view.interval, page.screen.table, page.argument, page.against, self.judged,
            self.curved,
        )  # fmt: skip

    def sheet(self, table: Table) -> Sheet:
        """Return a table that was filled as the sheet of the page."""
        from zmon.screen.sheet import Sheet  # noqa: PLC0415 - a lookup starts without it

        return Sheet(self.page.screen, table, self.page.order, self.page.conditions)

    def table(self) -> Table:
        """Fill the table."""
        against = self.page.against
        if against is None:
            screen = self.page.screen
            bare = fill(screen.table, self.view)
            filled = contained(
                f"the further figures of {screen.command}",
                lambda: with_figures(screen.table, self.view, bare, screen.by_name),
                lambda _why: bare,
            )
            return self._with_curves(self._marked(filled))
        from zmon.screen.compare import compare  # noqa: PLC0415 - a lookup starts without it

        own = self.view.history
        then = _interval(against.then, against.before or own)
        now = _interval(against.now or self.view.interval, own)
        tables = (
            self._alone(against.screen, then, against.before or own),
            self._alone(against.screen, now, own),
        )
        together = definition(against.screen.table).together
        both = compare(against.screen, *(together(*tables) if together else tables), names=against.names)
        whole = against.before is not None
        first, second = against.names
        note = f"{first} {_from_to(then, whole=whole)}, {second} {_from_to(now, whole=whole)}"
        return both._replace(notes=(note, *both.notes))

    def _with_curves(self, filled: Table) -> Table:
        if not (self.curved and filled.keys):
            return filled
        from zmon.session.curves import curves  # noqa: PLC0415 - what is printed has none

        screen = self.page.screen
        return contained(
            f"the curves of {screen.command}",
            lambda: filled._replace(series=curves(screen.table, self.view)),
            lambda _why: filled,
        )

    def _marked(self, filled: Table) -> Table:
        """Mark what rules call worth a look or bad; the limits of a user's own screen stand beside them."""
        if not self.rules or not filled.keys:
            return filled
        from zmon.rule.marks import marks  # noqa: PLC0415 - most screens have none

        screen = self.page.screen
        own = (
            ()
            if screen.is_shipped
            else [column.name for column in screen.columns if column.limit is not None]
        )
        marked = contained(
            f"the marks of {screen.command}",
            lambda: marks(self.rules, screen.table, filled, self.view, own),
            lambda _why: {},
        )
        return filled._replace(marks={**filled.marks, **marked})

    def _alone(self, screen: Screen, interval: Interval, history: History) -> Table:
        """Fill the table of one of two times."""
        period, view = partial(counted, history.within(interval, REACH)), self.view
        return fill(
            screen.table, View(interval, period, self.page.argument, history, view.limits, view.inputs)
        )


class PreviewTask(NamedTuple):
    """The work of making the preview of a timeline, which another thread may do."""

    timeline: Timeline

    def run(self) -> Interval | None:
        """Make it."""
        return self.timeline.preview()


RECENT: Final = 60_000_000_000
"""Nanoseconds for which a conclusion stays on a live screen, with its time, until a newer one is drawn."""


class BehindTask(NamedTuple):
    """The work of filling what a command opens, to be shown below its row; anything else goes first."""

    command: str
    fill: FillTask

    def is_of(self, command: str, interval: Interval | None) -> bool:
        """Return whether it is what a command opens in an interval."""
        return self.command == command and self.fill.view.interval is interval


class ConcludeTask(NamedTuple):
    """The work of drawing the conclusion of a page, for which another thread may ask for the verdict."""

    view: View
    resource: str
    """What the page lists, as `TableDefinition` has it."""

    @property
    def about(self) -> tuple[object, ...]:
        """What it is drawn from."""
        return self.view.interval, self.resource, self.view.argument

    def follows(self, other: ConcludeTask) -> bool:
        """Return whether it is about the same things as another, one interval later."""
        before = self.view.interval.before
        return other.about[1:] == self.about[1:] and before is other.view.interval.after

    def is_soon_after(self, other: ConcludeTask) -> bool:
        """Return whether it is about the same things as another, at most `RECENT` later."""
        late = self.view.interval.after.at.utc - other.view.interval.after.at.utc
        return other.about[1:] == self.about[1:] and 0 <= late <= RECENT

    def run(self) -> Conclusion:
        """Draw the conclusion.

        Raises:
            NoSuchThing: the device that the page is about is gone.
        """
        from zmon.diagnosis.conclusion import conclusion  # noqa: PLC0415 - a lookup starts without diagnoses

        return conclusion(self.view, self.resource)


def _interval(window: Window, history: History) -> Interval:
    """Return the interval of a window.

    Raises:
        NoSuchThing: there are no two samples in it.
    """
    interval = window if isinstance(window, Interval) else history.window(*window)
    if interval is None:
        assert not isinstance(window, Interval)  # noqa: S101 - an interval was found
        begin = "" if window[0] is None else f"from {told(window[0])} "
        raise NoSuchThing(
            f"There are fewer than two samples {begin}up to {told(window[1])}. COMPARE another time;"
            " EVENTS lists the gaps."
        )
    return interval


def _window_times(window: Window) -> str:
    if isinstance(window, Interval):
        return _from_to(window, whole=False)
    begin, end = window
    return told(end) if begin is None else f"{told(begin)} - {told(end)}"


def _from_to(interval: Interval, *, whole: bool) -> str:
    """Write which time is meant, and if need be of what."""
    begin = "" if interval.before is None else told(interval.before.at.utc)
    return f"{begin} - {told(interval.after.at.utc)}" + whole * f" of {interval.after.source}"


@lru_cache(maxsize=64)
def of_one(screen: Screen) -> Screen:
    """Return a screen by time as it is about one chosen thing, which its headings do not call the busiest."""
    if not needs(screen.table).history:
        return screen
    columns = [
        Column(**vars(column) | {"group": _chosen(column.group)}) if "Busiest" in column.group else column
        for column in screen.columns
    ]
    return screen.changed(columns=tuple(columns))


def _chosen(group: str) -> str:
    return group.replace("Busiest ", "") if group.strip() != "Busiest" else group.replace("Busiest", "Chosen")


def find_screen(screens: Screens, word: str, operands: str = "") -> Screen:
    """Return the screen that a word names; with a device behind it, DEVICE is the page of that device.

    Raises:
        ScreenError: there is no such screen.
    """
    screen = screens.find(word)
    if operands and screen.command == "DEVICE" and not row_conditions(screen, operands):
        return screens.find("DETAILS")
    if operands and screen.command == "USER" and not _is_about(screen, operands):
        return screens.find("USERIO")
    return screen


def _is_about(screen: Screen, operands: str) -> bool:
    """Return whether operands are conditions on columns of a screen."""
    try:
        return bool(row_conditions(screen, operands) and parse_conditions(operands, screen.columns))
    except QueryError:
        return False


def row_conditions(screen: Screen, operands: str) -> str:
    """Return operands as conditions, if they choose rows of a list; empty when they name what it is about.

    `LCU 7600`, a heading and a value, is a condition on DEVICE and on lists that are about nothing; on these
    `7600` alone is one on the first column.
    """
    if not operands or not screen.columns or definition(screen.table).about_figures:
        return ""
    if any(sign in operands for sign in "=<>~"):
        return operands
    free = screen.layout == "list" and not screen.argument and not needs(screen.table).history
    if not (free or screen.command == "DEVICE"):
        return ""
    word, _, value = operands.partition(" ")
    texts = [column for column in screen.columns if column.format in LEFT]
    if value and word.casefold() in {"chpid", "chpids"} and "chpids" in screen.by_name:
        return f"chpids~{value.strip()}"  # one of several
    if value:
        try:
            return f"{find_column(word, texts).name}={value.strip()}"
        except QueryError:
            pass
    return f"{screen.columns[0].name}={operands}" if free and texts[:1] == [screen.columns[0]] else ""
