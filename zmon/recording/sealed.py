"""What is sealed in a recording: its segments, and the layouts and still columns they are made of.

What was understood is kept for a while; of what is damaged it is kept that it is.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from zmon.recording.dictionary import checked, load_layout, load_still
from zmon.recording.error import Damaged
from zmon.recording.opening import Trouble
from zmon.recording.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.absent import Value
    from zmon.recording.file import File
    from zmon.recording.run import Layout
    from zmon.sample import Kind

KEPT: Final = 24
"""Segments that are kept decoded."""

STILLS: Final = 160
"""Columns that are kept decoded."""

LATEST: Final = 64
"""Segments that are looked at to find where they end, if the tail is damaged."""


class Sealed:
    """The segments of a file, by their numbers or by what they hold."""

    def __init__(self, file: File) -> None:
        """Know nothing of the file yet."""
        self._file = file
        self._kinds: dict[int, Kind] = {}
        self._layouts: dict[int, Layout] = {}
        self._segments: dict[int, Segment] = {}
        self._stills: dict[int, list[Value]] = {}
        self._failed: dict[tuple[str, int], str] = {}
        """What is damaged of layouts and columns that stand still."""

    def forget(self) -> None:
        """Forget everything, as the file is another."""
        for known in (self._kinds, self._layouts, self._segments, self._stills, self._failed):
            known.clear()

    # segments

    def latest(self, kind: str, number: int) -> Segment | None:
        """Return the segment of a kind that begins at a sample or is the last before it.

        None where there is none, or where the kind is not sampled any more.

        Raises:
            Damaged: it is damaged.
        """
        rows = self._file.ask(
            "SELECT id FROM segment WHERE kind = ? AND first <= ? ORDER BY first DESC, id DESC LIMIT 1",
            kind,
            number,
        )
        return self.kept(rows[0][0]) if rows else None

    def between(self, kind: str, low: int, high: int) -> list[tuple[Any, ...]]:
        """Return numbers and first samples of the segments with readings of a kind for a range of samples.

        Raises:
            Damaged: the table of them is.
        """
        return self._file.ask(
            "SELECT id, first FROM segment WHERE kind = ?1 AND first >= coalesce("
            "(SELECT max(first) FROM segment WHERE kind = ?1 AND first <= ?2), ?2)"
            " AND first <= ?3 ORDER BY first, id",
            kind,
            low,
            high,
        )

    def end(self) -> int:
        """Return the sample behind those that are surely in segments.

        Raises:
            Damaged: the table of them is.
        """
        ends = [0]
        for (number,) in self._file.ask("SELECT id FROM segment ORDER BY id DESC LIMIT ?", LATEST):
            try:
                segment = self.kept(number)
            except Damaged:
                continue
            if segment is not None:
                ends.append(segment.samples[-1] + 1)
        return max(ends)

    def kept(self, number: int) -> Segment | None:
        """Return a segment as `segment` does, and keep it."""
        known = self._segments.get(number)
        if known is not None:
            return known
        found = self.segment(number)
        if found is None:
            return None
        while len(self._segments) >= KEPT:
            self._segments.pop(next(iter(self._segments)))
        self._segments[number] = found
        return found

    def segment(self, number: int) -> Segment | None:
        """Return a segment; None for a row that says that a kind is not sampled any more.

        Raises:
            Damaged: it is not there, or damaged.
        """
        rows = self._file.ask(
            "SELECT kind, first, layout, ahead, body, crc FROM segment WHERE id = ?", number
        )
        if not rows:
            raise Damaged(f"segment {number} is missing")
        kind, first, layout, ahead, body, crc = rows[0]
        whole = checked(body or b"", crc, "segment", kind, first, layout, ahead)
        if body is None:
            return None
        return Segment(
            self.layout(layout),
            whole,
            self.still,
            (lambda: None) if ahead is None else (lambda: self.kept(ahead)),
        )

    # what they are made of

    def layout(self, number: int) -> Layout:
        """Return a layout by its number.

        Raises:
            Damaged: it is not there, or damaged.
        """
        known = self._layouts.get(number)
        if known is None:
            with self._once("layout", number), self._file.asking() as connection:
                known = self._layouts[number] = load_layout(connection, number, self._kinds)
        return known

    def still(self, number: int, count: int) -> list[Value]:
        """Return a column that stands still, which nobody may change.

        Raises:
            Damaged: it is not there, or damaged.
        """
        known = self._stills.get(number)
        if known is None or len(known) != count:
            with self._once("still", number), self._file.asking() as connection:
                known = load_still(connection, number, count)
                while len(self._stills) >= STILLS:
                    self._stills.pop(next(iter(self._stills)))
                self._stills[number] = known
        return known

    @contextmanager
    def _once(self, table: str, number: int) -> Iterator[None]:
        """Try once to understand something; that it is damaged is remembered."""
        if (table, number) in self._failed:
            raise Damaged(self._failed[table, number])
        try:
            yield
        except Damaged as error:
            if not isinstance(error.__cause__, Trouble):  # which may pass
                self._failed[table, number] = str(error)  # the error itself would keep what was read
            raise
