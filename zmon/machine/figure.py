"""A figure, declared once for all who ask: what its value is for each thing, and for several together."""

from __future__ import annotations

import re

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zmon.base.absent import Number, Value
    from zmon.sample import Kind


class Needs(NamedTuple):
    """What a table is filled from; each table's module says it as `NEEDS`."""

    kinds: tuple[Kind, ...] = ()
    period: bool = False
    """Whether it shows figures of the whole period, for which every sample since the first counts."""
    history: bool = False
    """Whether it has a row per interval, and so reads the samples before the last two."""
    verdict: bool = False
    """Whether it shows the verdict, for which of a long time each minute is looked at."""
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
    steady: bool = False
    """Whether it changes seldom: with the devices, disks and paths that there are."""


def catalogue(*figures: Figure) -> dict[str, Figure]:
    """Return the figures of a sort of things, by their keys."""
    return {figure.key: figure for figure in figures}


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
    """Return a key as one word that is no time: its blanks are written %20, and the colon of 94:12 as %3A."""
    word = key.replace("%", "%25").replace(" ", "%20")
    return re.sub("^([0-9]+):", r"\1%3A", word)


def unquoted(word: str) -> str:
    """Return the key that a word stands for."""
    return word.replace("%20", " ").replace("%3A", ":").replace("%25", "%")


class TimedValue(NamedTuple):
    """A value between two times: the lowest, the mean and the highest (UTC in ns); a gap where absent."""

    begin: int
    end: int
    low: Value
    mean: Value
    high: Value
