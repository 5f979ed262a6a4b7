"""A figure, declared once for all who ask: what its value is for each thing, and for several together."""

from __future__ import annotations

from types import MappingProxyType

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.view import View
    from zmon.sample import Kind


class Needs(NamedTuple):
    """What a table is filled from; each table's module says it as `NEEDS`."""

    kinds: tuple[Kind, ...] = ()
    period: bool = False
    """Whether it shows figures of the whole period, for which every sample since the first counts."""
    history: bool = False
    """Whether it has a row per interval, and so reads the samples before the last two."""
    on_demand: bool = False
    """Whether of the live machine a kind of it is read only while it is shown."""
    exceptions: bool = False
    """Whether it shows exceptions: they may need any kind, and become more while it is shown."""
    topology: tuple[Kind, ...] = ()
    """Further kinds, where users supply something about the machine; with containers among them, also where a
    timeline may have some."""


LEAST_COUNT: Final = 30
"""I/Os in an interval from which on their mean is evidence."""
LEAST_RATE: Final = 1.0
LEAST_SHARE: Final = 0.01
"""I/O per second, and part of all I/O, below both of which a row is idle."""


def is_faint(rate: float, every: float, seconds: float) -> bool:
    """Return whether the means of a row say nothing: of few I/Os in the interval, or of next to none of all.

    `rate` and `every` are the I/O per second of the row and of all rows.
    """
    return rate * seconds < LEAST_COUNT or (rate < LEAST_RATE and rate < LEAST_SHARE * every)


class Figure(NamedTuple):
    """A figure of things, declared once for all who ask: screens, rules, trends, diagnoses, plots.

    The things of an interval are an object with their `keys` and `labels`, such as `Devices`.
    """

    key: str
    make: Callable[[Any], Sequence[Value]]
    """Returns the value of each thing from the things of an interval."""
    together: Callable[[Any, Sequence[int]], Number] | None = None
    """Returns the value of the things in some rows as one; None where that means nothing."""
    over: str = ""
    """The key of the rate that it is a mean over; empty for a mean over time."""
    trend: int = 0
    """Its place among the SQL columns of trends, from 1; 0 if none is made of it."""


def catalogue(*figures: Figure) -> dict[str, Figure]:
    """Return the figures of a sort of things, by their keys."""
    return {figure.key: figure for figure in figures}


class Things:
    """The things of one sort in an interval; each figure of them is made when somebody asks for it, once."""

    figures: Mapping[str, Figure] = MappingProxyType({})
    """What there is of them, by key."""
    as_shown = False
    """Whether screens show the figures as they are: then each can be asked for alone."""
    keys: list[str]

    def __init__(self, interval: Interval) -> None:
        """Look at an interval."""

    @property
    def labels(self) -> list[Value]:
        """What each is called."""
        return [*self.keys]

    @classmethod
    def at(cls, interval: Interval) -> Self:
        """Return the things of an interval, as far as the kernel tells of them: trends are made of these."""
        return cls(interval)

    @classmethod
    def seen(cls, view: View) -> Self:
        """Return the things in the interval of a view, with what users and CP tell of them."""
        return cls.at(view.interval)

    def column(self, key: str) -> Sequence[Value]:
        """Return a figure of each thing."""
        columns: dict[str, Sequence[Value]] = vars(self).setdefault("_columns", {})
        if key not in columns:
            columns[key] = self.figures[key].make(self)
        return columns[key]

    def columns(self, keys: Iterable[str] = ()) -> dict[str, list[Value]]:
        """Return some figures of each thing, by default all, to be changed by who asks."""
        return {key: list(self.column(key)) for key in keys or self.figures}

    def together(self, key: str, rows: Sequence[int] | None = None) -> Number | None:
        """Return a figure of the things in some rows as one, by default of all; None if it means nothing."""
        make = self.figures[key].together
        return None if make is None else make(self, range(len(self.keys)) if rows is None else rows)

    def as_one(self, rows: Sequence[int] | None = None, keys: Iterable[str] = ()) -> dict[str, Value]:
        """Return some figures of the things in some rows as one, by default all, where it means something."""
        values = ((key, self.together(key, rows)) for key in keys or self.figures)
        return {key: value for key, value in values if value is not None}


def weights_of(figures: Iterable[Figure]) -> dict[str, str]:
    """Return the key of the rate that each mean is over."""
    return {figure.key: figure.over for figure in figures if figure.over}


class Variable(NamedTuple):
    """A column of a table, and the row."""

    table: str
    column: str
    key: str = ""
    """Empty for the line that speaks of all rows."""

    def __str__(self) -> str:
        """Write it as an argument of PLOT: `control_unit.io LCU%206`; a key with blanks stays one word."""
        return f"{self.table}.{self.column} {quoted(self.key)}".rstrip()


def quoted(key: str) -> str:
    """Return a key as one word: its blanks are written %20."""
    return key.replace("%", "%25").replace(" ", "%20")


def unquoted(word: str) -> str:
    """Return the key that a word stands for."""
    return word.replace("%20", " ").replace("%25", "%")


class TimedValue(NamedTuple):
    """A value between two times: the lowest, the mean and the highest (UTC in ns); a gap where absent."""

    begin: int
    end: int
    low: Value
    mean: Value
    high: Value
