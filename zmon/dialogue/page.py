"""What is shown: a page, perhaps of two times side by side, and the work of filling its table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from zmon.interval import Interval
from zmon.screen.number import clock
from zmon.tables.period import Period
from zmon.tables.view import NoSuchThing, View, fill
from zmon.tape.tape import REACH

if TYPE_CHECKING:
    from zmon.screen.definition import Screen
    from zmon.screen.query import Condition
    from zmon.screen.sheet import Order
    from zmon.tables.history import History
    from zmon.tables.table import Table

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

    @property
    def about(self) -> tuple[object, ...]:
        """What the table is made from; another order or choice of rows needs no other table."""
        page = self.page
        return self.view.interval, page.screen.table, page.argument, page.against

    def _compared(self, against: Against) -> Table:
        from zmon.screen.compare import compare  # noqa: PLC0415 - a lookup starts without it

        view = self.view
        history = view.history
        intervals = [_interval(one, history) for one in (against.then, against.now or view.interval)]
        then, now = (
            fill(
                against.screen.table,
                View(one, partial(_period, history, one), "", history, view.limits, view.people),
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
    from zmon.tables.channel import count  # noqa: PLC0415 - a lookup starts without it

    found = Period()
    for each in reversed(list(history.within(interval, REACH))):
        count(found, each)
    return found


def _from_to(interval: Interval) -> str:
    begin = "" if interval.before is None else clock(interval.before.at.utc)
    return f"{begin} - {clock(interval.after.at.utc)}"
