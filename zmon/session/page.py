"""What is shown: a page, perhaps of two times side by side, and the work of filling its table."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.interval import Interval
from zmon.screen.definition import Column
from zmon.screen.number import clock
from zmon.session.tape import REACH
from zmon.tables.period import Period
from zmon.tables.view import NoSuchThing, View, fill, needs, together

if TYPE_CHECKING:
    from zmon.screen.definition import Screen
    from zmon.screen.query import Condition
    from zmon.screen.sheet import Order
    from zmon.tables.history import History
    from zmon.tables.table import Table

Window = Interval | tuple[int | None, int]
"""An interval, or begin and end (UTC in ns); without a begin the interval that ends there."""


BOTH: Final = ("Then", "Now")
"""What two times are called that have no marks."""


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


class Against(NamedTuple):
    """What a comparison compares."""

    screen: Screen
    """The screen that shows either alone."""
    then: Window
    now: Window | None = None
    """By default the interval that is looked at."""
    before: History | None = None
    """What came before `then`, if that is on another tape."""
    names: tuple[str, str] = BOTH
    """What the two times are called: by their marks, or then and now."""


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

    @property
    def about(self) -> tuple[object, ...]:
        """What the table is made from; another order or choice of rows needs no other table."""
        page = self.page
        return self.view.interval, page.screen.table, page.argument, page.against

    def _compared(self, against: Against) -> Table:
        from zmon.screen.compare import compare  # noqa: PLC0415 - a lookup starts without it

        then, now = (
            (_interval(against.then, against.before or self.view.history), against.before),
            (_interval(against.now or self.view.interval, self.view.history), None),
        )
        tables = (self._alone(against.screen, *each) for each in (then, now))
        joined = compare(against.screen, *together(against.screen.table, *tables), names=against.names)
        whole = against.before is not None
        first, second = against.names
        said = f"{first} {_from_to(then[0], whole=whole)}, {second} {_from_to(now[0], whole=whole)}"
        return joined._replace(notes=(said, *joined.notes))

    def _alone(self, screen: Screen, interval: Interval, other: History | None) -> Table:
        """Fill the table of one of two times, perhaps on another tape."""
        view = self.view
        history = other or view.history
        period = partial(_period, history, interval)
        return fill(
            screen.table, View(interval, period, self.page.argument, history, view.limits, view.people)
        )


def _interval(window: Window, history: History) -> Interval:
    """Return the interval of a window.

    Raises:
        NoSuchThing: there are no two samples in it.
    """
    found = window if isinstance(window, Interval) else history.window(*window)
    if found is None:
        raise NoSuchThing("A time that is to be compared holds fewer than two samples.")
    return found


def _period(history: History, interval: Interval) -> Period:
    """Return what accumulated in an interval."""
    from zmon.tables.channel import count  # noqa: PLC0415 - a lookup starts without it

    found = Period()
    for each in reversed(list(history.within(interval, REACH))):
        count(found, each)
    return found


def _from_to(interval: Interval, *, whole: bool) -> str:
    """Say which time is meant, and if need be of what."""
    begin = "" if interval.before is None else clock(interval.before.at.utc)
    return f"{begin} - {clock(interval.after.at.utc)}" + whole * f" of {interval.after.source}"
