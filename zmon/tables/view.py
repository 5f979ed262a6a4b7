"""What a table may look at: one interval, the running figures of the period, and what came before."""

from __future__ import annotations

from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from zmon.event import What
from zmon.tables import TABLES
from zmon.tables.history import History
from zmon.tables.period import Period

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.interval import Interval
    from zmon.tables.table import Needs, Table
    from zmon.topology.machine import UserInputs

    Limits = Mapping[str, tuple[float, float]]
    """From where on a value deserves a look, and from where it is bad, by `table.column`."""


def nobody() -> UserInputs:
    """Return that nobody has told anything."""
    from zmon.topology.machine import NO_INPUTS  # noqa: PLC0415 - most tables ask nobody

    return NO_INPUTS


class View:
    """One interval with what came before it; `argument` names the one thing a page is about."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing that a table may ask for
        self,
        interval: Interval,
        period: Callable[[], Period] = Period,
        argument: str = "",
        history: History | None = None,
        limits: Callable[[], Limits] = dict,
        people: Callable[[], UserInputs] | None = None,
    ) -> None:
        """Look at an interval; without a period and a history nothing came before it.

        `limits` gives those of the screens' columns, for tables that count what is beyond them; `people` what
        was told of the machine besides.  Without them tables of devices do not look at what lies on them: of
        many intervals, one after the other, only figures are wanted.
        """
        self.interval = interval
        self._period = period
        self.argument = argument
        self.figures_only = False
        """Whether nobody reads texts that are laborious to make, as where a row is made per interval."""
        self.limits = limits
        self.people = people
        self.history = History(lambda _utc=None: iter((interval,))) if history is None else history

    @property
    def inputs(self) -> UserInputs | None:
        """What users supply; None where that is not looked at."""
        return None if self.people is None else self.people()

    def at(self, interval: Interval, argument: str = "") -> View:
        """Return a view of one interval alone, with the same limits and user inputs."""
        return _view(interval, self.inputs, argument, self.limits)

    @cached_property
    def period(self) -> Period:
        """What has accumulated; it is counted when a table first asks for it."""
        return self._period()


class NoSuchThing(LookupError):  # noqa: N818 - it says what it is
    """The argument of a screen names nothing that this sample holds; says what there is."""


def needs(name: str) -> Needs:
    """Return what the table that a screen file names is filled from."""
    found: Needs = import_module(f"zmon.tables.{name}").NEEDS
    return found


def fill(name: str, view: View) -> Table:
    """Fill the table that a screen file names; only its module is loaded.

    Raises:
        NoSuchThing: the view's argument names nothing.
        KeyError: there is no such table.
    """
    if name not in TABLES:
        raise KeyError(f"no table {name!r}; there are {', '.join(TABLES)}")
    filled: Table = import_module(f"zmon.tables.{name}").table(view)
    reason = "" if view.figures_only or not (filled.keys or filled.facts) else not_compared(name, view)
    return filled._replace(notes=(*filled.notes, reason)) if reason else filled


def not_compared(name: str, view: View) -> str:
    """Return why a table has no differences and rates, as a sentence; empty if it has."""
    interval, needed = view.interval, needs(name)
    if needed.history or not needed.kinds or interval.void is None:
        return ""
    if interval.before is None:
        last = view.history.last
        if last is not None and view.history.first() == last():
            return "There is only one sample (of a capture: one pass): differences and rates need two"
    else:
        begun = view.history.happened(interval.before.at.utc + 1, interval.after.at.utc)
        sentence = next((event.text for event in begun if event.what is What.RESTART and event.text), "")
        if sentence:
            return f"{sentence}; no average over it"
    return f"{interval.void.reason[:1].upper()}{interval.void.reason[1:]}"


def check(name: str, view: View) -> None:
    """Look up what the argument of a screen by time names, without reading samples before the present one.

    Raises:
        NoSuchThing: it names nothing.
    """
    find: Callable[[View], str] | None = getattr(import_module(f"zmon.tables.{name}"), "find", None)
    if find is not None and needs(name).history and view.argument:
        find(view)


def together(name: str, then: Table, now: Table) -> tuple[Table, Table]:
    """Make two fillings of a table ready to stand side by side, where its module knows how."""
    prepare: Callable[[Table, Table], tuple[Table, Table]] | None
    prepare = getattr(import_module(f"zmon.tables.{name}"), "together", None)
    return (then, now) if prepare is None else prepare(then, now)


def _view(
    interval: Interval, inputs: UserInputs | None, argument: str = "", limits: Callable[[], Limits] = dict
) -> View:
    found = View(
        interval, argument=argument, limits=limits, people=None if inputs is None else lambda: inputs
    )
    found.figures_only = True
    return found


def alone(name: str, view: View) -> Table:
    """Fill a table from the interval of a view, as if nothing came before it; made once for all who ask.

    Raises:
        NoSuchThing: the table is about one thing, and none is named.
    """
    return _alone(name, view.interval, view.inputs)


@lru_cache(maxsize=8)  # those of the interval at hand
def _alone(name: str, interval: Interval, inputs: UserInputs | None) -> Table:
    return fill(name, _view(interval, inputs))
