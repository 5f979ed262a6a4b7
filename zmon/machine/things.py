"""Things of one sort in an interval, with their figures: what screens, rules, trends and judgements ask."""

from __future__ import annotations

from types import MappingProxyType

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.mistake import contained, itself
from zmon.machine.figure import Figure
from zmon.machine.join import plus, total
from zmon.sample import pick

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from zmon.base.absent import Absent, Number, Value
    from zmon.interval import Interval
    from zmon.machine.view import View
    from zmon.sample import Kind

PERCENT: Final = 1e-7
"""ns in a second, as percent of it."""


class Things:
    """The things of one sort in an interval; each figure of them is made when somebody asks for it, once."""

    figures: Mapping[str, Figure] = MappingProxyType({})
    """What there is of them, by key."""
    as_shown = False
    """Whether screens show the figures as they are: then each can be asked for alone."""
    sparse = False
    """Whether most of its thousands are idle; what did nothing has no row in trends."""
    keys: list[str]

    def __init__(self, interval: Interval) -> None:
        """Look at an interval."""

    @property
    def labels(self) -> list[Value]:
        """What each is called."""
        return [*self.keys]

    @property
    def summed(self) -> Sequence[int]:
        """The rows that a line for all of them adds up: by default all."""
        return range(len(self.keys))

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
            make = self.figures[key].make
            columns[key] = contained(self._part(key), lambda: make(self), lambda why: [why] * len(self.keys))
        return columns[key]

    def _part(self, key: str) -> str:
        return f"the figure {key} of {type(self).__name__.lower()}"

    def numbers(self, key: str) -> Sequence[Number]:
        """Return the same of a figure that is a number."""
        return self.column(key)  # type: ignore[return-value]

    def columns(self, keys: Iterable[str] = ()) -> dict[str, list[Value]]:
        """Return some figures of each thing, by default all, to be changed by who asks."""
        return {key: list(self.column(key)) for key in keys or self.figures}

    def together(self, key: str, rows: Sequence[int] | None = None) -> Number | None:
        """Return a figure of the things in some rows as one, by default of all; None if it means nothing."""
        make = self.figures[key].together
        if make is None:
            return None
        chosen = range(len(self.keys)) if rows is None else rows
        return contained(self._part(key), lambda: make(self, chosen), itself)

    def of(self, key: str, rows: Sequence[int] | None = None) -> Number:
        """Return the same of a figure that means something of several things."""
        return self.together(key, rows)  # type: ignore[return-value]

    def as_one(self, rows: Sequence[int] | None = None, keys: Iterable[str] = ()) -> dict[str, Value]:
        """Return some figures of the things in some rows as one, by default all, where it means something."""
        values = ((key, self.together(key, rows)) for key in keys or self.figures)
        return {key: value for key, value in values if value is not None}


class Counted(Things):
    """Things that one kind describes; their figures are what is counted, or said, of each."""

    kind: Kind

    def __init__(self, interval: Interval) -> None:
        """Look at an interval."""
        self.counted = interval.of(self.kind)
        self.keys, self.missing = self.counted.keys, self.counted.missing

    def cell(self, thing: str, key: str, otherwise: Absent) -> Value:
        """Return a figure of one thing; `otherwise` if it is not there."""
        row = self.counted.index.get(thing)
        return otherwise if row is None else self.column(key)[row]


def said(key: str, field: str = "") -> Figure:
    """Declare what a field says."""
    return Figure(key, lambda things: things.counted[field or key])


def counted(key: str, *fields: str, scale: float = 1.0) -> Figure:
    """Declare what some counters count in a second, scaled."""
    return Figure(key, lambda things: [scale * rate for rate in plus(*map(things.counted.rate, fields))])


def summed(figure: Figure) -> Figure:
    """Declare that several things have the sum of it."""

    def together(things: Any, rows: Sequence[int]) -> Number:
        return total(pick(things.column(figure.key), rows))

    return figure._replace(together=together)
