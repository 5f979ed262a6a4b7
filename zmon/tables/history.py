"""The intervals before the present one, for screens that have a row per interval.

A row is made once per interval, however often the screen is filled.  A tape that keeps nothing has the rows
that were made while their interval was the present one.
"""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zmon.absent import Value
    from zmon.interval import Interval
    from zmon.sample import Instant

KEPT: Final = 10_000
"""Rows that are kept at the most."""

REMEMBERED: Final = 1_000
"""Rows of one screen that are remembered where the tape keeps nothing."""


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
        self._seen: dict[str, deque[Row]] = {}
        self._lock = Lock()

    def rows(
        self,
        name: str,
        figures: Callable[[Interval], Mapping[str, Value]],
        most: int,
        present: Interval | None = None,
    ) -> list[Row]:
        """Return the rows of the last `most` intervals, the oldest first.

        `name` names the figures, so that different screens do not take each other's rows.  Where nothing is
        kept, the `present` interval is remembered from now on.
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
        if not found and present is not None:
            return self._remembered(name, figures, present)[-most:]
        return found[::-1]

    def _remembered(
        self, name: str, figures: Callable[[Interval], Mapping[str, Value]], present: Interval
    ) -> list[Row]:
        before, after = present.before, present.after
        with self._lock:  # tables are filled in several threads
            seen = self._seen.setdefault(name, deque(maxlen=REMEMBERED))
            # an average over a longer time ends where a row has ended, and is none
            if not seen or (before is not None and before.at.utc >= seen[-1].end.utc):
                seen.append(Row(before.at if before else None, after.at, figures(present), present.gap))
            return list(seen)
