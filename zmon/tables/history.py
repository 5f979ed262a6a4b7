"""The intervals before the present one, for screens that have a row per interval.

A row is made once per interval, however often the screen is filled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zmon.absent import Value
    from zmon.interval import Interval
    from zmon.sample import Instant

KEPT: Final = 10_000
"""Rows that are kept at the most."""


class Row(NamedTuple):
    """The figures of one interval."""

    begin: Instant | None
    """None for the first sample there is."""
    end: Instant
    cells: Mapping[str, Value]
    gap: bool = False
    """Whether samples are missing in this interval."""


class History:
    """What came before, as far as the tape reaches."""

    def __init__(self, past: Callable[[], Iterator[Interval]] | None = None) -> None:
        """`past` yields intervals from the present one backwards; without it there is nothing."""
        self._past = past
        self._rows: dict[tuple[str, int, int], Row] = {}

    def rows(self, name: str, figures: Callable[[Interval], Mapping[str, Value]], most: int) -> list[Row]:
        """Return the rows of the last `most` intervals, the oldest first.

        `name` names the figures, so that different screens do not take each other's rows.
        """
        found: list[Row] = []
        for interval in self._past() if self._past is not None else ():
            if len(found) == most:
                break
            before, after = interval.before, interval.after
            key = (name, before.at.utc if before else -1, after.at.utc)
            row = self._rows.get(key)
            if row is None:
                row = Row(before.at if before else None, after.at, figures(interval), interval.gap)
                if len(self._rows) >= KEPT:
                    self._rows.clear()
                self._rows[key] = row
            found.append(row)
        return found[::-1]
