"""Going down a stack: on which disks the bytes of a device lie, by closed formulas.

Everything is counted in whole bytes.  The bytes that were asked about are all accounted for: the data of
all leaves together with what is `unplaced` are as many as the ranges had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zmon.topology.evidence import Grade

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.topology.evidence import Evidence
    from zmon.topology.stack import Stack


class Descent(NamedTuple):
    """Where bytes lie."""

    data: dict[str, int]
    """Bytes on each leaf, by its number; each byte once, where its first copy is."""
    copies: dict[str, int]
    """Bytes there besides: further copies of mirrors, parity."""
    grade: Grade
    """Of the worst of the steps."""
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]
    """What a person must know to trust it."""
    unplaced: int = 0
    """Bytes whose leaf is not known."""
    among: tuple[str, ...] = ()
    """The leaves that the unplaced bytes may lie on."""


class Place(NamedTuple):
    """Where one byte lies."""

    leaf: str
    offset: int
    run: int
    """For so many bytes from there on the next bytes lie one after the other."""


def descend(stack: Stack, number: str, ranges: Iterable[tuple[int, int]]) -> Descent:
    """Return where ranges `[begin, end)` of a device lie, in bytes."""
    raise NotImplementedError


def shares(stack: Stack, number: str) -> Descent:
    """Return where a whole device lies, for things on it of which nothing closer is known.

    The grade is `SHARES` at best.
    """
    raise NotImplementedError


def locate(stack: Stack, number: str, offset: int) -> list[Place]:
    """Return where the byte at an offset lies, in all its copies, the first first; empty if that is not known."""
    raise NotImplementedError
