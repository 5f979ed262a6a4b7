"""Bring the columns of one kind into the row order of another."""

from __future__ import annotations

from contextlib import suppress
from itertools import compress
from math import fsum
from operator import add, mul

from zmon.base.absent import Absent, absent, ratio
from zmon.base.light_typing import TYPE_CHECKING, Final, TypeVar
from zmon.sample import pick

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta

    Cell = TypeVar("Cell", bound=Value)
    Key = TypeVar("Key")
    Amount = TypeVar("Amount", int, float)

NO_BLOCK: Final = absent("this device has no block device")


class Joined:
    """The rows of a delta along a list of keys, so that columns of several kinds line up.

    A key that the delta does not have gives `otherwise`, or the reason why the whole kind is missing.
    """

    def __init__(self, delta: Delta, keys: Sequence[Value], otherwise: Absent) -> None:
        """Find the row of each key once; columns are picked when they are asked for."""
        self._delta = delta
        self._otherwise = delta.missing or otherwise
        self._count = len(keys)
        # where the keys are the delta's own, no picking is needed
        index = delta.index if keys and delta.keys and keys != delta.keys else {}
        self._rows = None if keys == delta.keys else list(map(index.get, keys)) if index else []  # type: ignore[arg-type]  # an absent key is found nowhere

    def _along(self, values: Sequence[Cell]) -> list[Cell | Absent]:
        rows = self._rows
        if not values:
            return [self._otherwise] * self._count
        if rows is None:
            return list(values)
        otherwise = self._otherwise
        return [otherwise if row is None else values[row] for row in rows]

    def __getitem__(self, name: str) -> list[Value]:
        """Return differences of a counter, later values of anything else."""
        return self._along(self._delta[name]) if self._count else []

    def numbers(self, name: str) -> list[Number]:
        """Return the same for a field that is known to hold numbers."""
        return self._along(self._delta.numbers(name) if self._count else [])

    def at(self, places: Sequence[int], name: str) -> list[Number]:
        """Return the numbers of some rows, by their places among the keys."""
        values, rows = self._delta.numbers(name), self._rows
        if not values:
            return [self._otherwise] * len(places)
        if rows is None:
            return pick(values, places)
        otherwise = self._otherwise
        return [otherwise if row is None else values[row] for row in pick(rows, places)]

    @property
    def seconds(self) -> list[Number]:
        """The length of the interval for each row."""
        return self._along(self._delta.seconds)

    def earlier(self, name: str) -> list[Value]:
        """Return the values of the sample before."""
        return self._along(self._delta.earlier(name))

    def rate(self, name: str) -> list[Number]:
        """Return a counter's differences per second."""
        return self._along(self._delta.rate(name) if self._count else [])


def quotient(
    parts: Sequence[Number], wholes: Sequence[Number], scale: float, otherwise: Absent
) -> list[Number]:
    """Divide two columns, row by row, and scale; `otherwise` where there is nothing to divide by."""
    if is_absent(parts):
        return list(parts)
    return [
        part / whole * scale if whole else part if isinstance(part, Absent) else otherwise
        for part, whole in zip(parts, wholes, strict=True)
    ]


def plus(*columns: Sequence[Number]) -> list[Number]:
    """Add columns, row by row; an absent part makes the sum absent."""
    sums, *others = columns
    for other in others:
        sums = sums if is_absent(sums) else list(map(add, sums, other))
    return list(sums)


def is_absent(values: Sequence[Value]) -> bool:
    """Return whether nothing of a column is there, so that all that is computed from it is absent, too."""
    return bool(values) and values[0].__class__ is Absent and set(map(type, values)) == {Absent}


def first(*columns: Sequence[Number]) -> list[Number]:
    """Take from each row the first value that is there, else the first reason."""
    values, *others = columns
    for other in others:
        values = _either(values, other)
    return list(values)


def _either(ones: Sequence[Number], others: Sequence[Number]) -> list[Number]:
    return [
        other if value.__class__ is Absent and other.__class__ is not Absent else value
        for value, other in zip(ones, others, strict=True)
    ]


def not_below_zero(values: Sequence[Number]) -> list[Number]:
    """Clamp at zero what rounding or unequal clocks made slightly negative."""
    return [0.0 if value < 0 else value for value in values]


def present(values: Sequence[Value]) -> list[float]:
    """Return the numbers among the values, in order, leaving out what is absent."""
    return [v for v in values if v.__class__ is not Absent]  # type: ignore[misc]  # what is left are numbers


def by_key(pairs: Iterable[tuple[Key, Amount]]) -> dict[Key, Amount]:
    """Add up the numbers of each key, in the order in which the keys come."""
    sums: dict[Key, Amount] = {}
    for key, number in pairs:
        sums[key] = sums[key] + number if key in sums else number
    return sums


def total(values: Sequence[Number]) -> Number:
    """Add what is there; absent, with the first reason, when nothing is."""
    numbers = present(values)
    if numbers:
        return _added(numbers)
    return next(iter(values), absent("there are no rows"))


def _added(numbers: Sequence[Number]) -> Number:
    """Add numbers, to the same result on every Python: before 3.12 `sum` rounds at each step."""
    whole: Number = 0.0
    if numbers[0].__class__ is not float:
        whole = sum(numbers)
        if whole.__class__ is not float:
            return whole
    try:
        return fsum(numbers)  # type: ignore[arg-type]  # no absent one is among them
    except (OverflowError, ValueError):  # an infinite one
        return sum(numbers)


def mean(values: Sequence[Number], weights: Sequence[Number], otherwise: str) -> Number:
    """Average over the rows that have both a value and a weight, each with its weight.

    Absent with the first reason when no row has both, and for `otherwise` when no row weighs anything.
    """
    products = list(map(mul, values, weights))
    with suppress(TypeError, OverflowError, ValueError):  # one is absent or infinite
        whole = fsum(products)
        if products:
            return ratio(whole, _added(weights), otherwise)
    is_there = [p.__class__ is not Absent for p in products]
    if any(is_there):
        weight = _added(list(compress(weights, is_there)))
        return ratio(_added(list(compress(products, is_there))), weight, otherwise)
    return next(iter(products), absent(otherwise))
