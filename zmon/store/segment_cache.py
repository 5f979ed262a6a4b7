"""The segments of a recording, and the layouts and baselines they are made of.

What was understood is kept for a while; of what is damaged it is kept that it is.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.store.baseline import load_baseline
from zmon.store.dictionary import load_layout
from zmon.store.file_format import Damaged, checked, crc
from zmon.store.open import Trouble
from zmon.store.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.absent import Value
    from zmon.sample import Kind
    from zmon.store.open import RecordingFile
    from zmon.store.readings import Layout

MAX_SEGMENTS: Final = 24
MAX_WEIGHT: Final = 1 << 20
"""Segments that are kept decoded: how many, and how much they may weigh (`Segment.weight`)."""

MAX_BASELINES: Final = 160
MAX_VALUES: Final = 1 << 22
"""Columns that are kept decoded: how many, and how many values they may have."""

MAX_KEYS: Final = 1 << 20
"""Rows of the layouts that are kept."""

MAX_HEADERS: Final = 4096
"""Segments of which it is kept what they are."""

MAX_NEWEST: Final = 64
"""Segments that are looked at to find where they end, if the tail is damaged."""


ROW: Final = "SELECT kind, first, layout, ahead, before, body, crc FROM segment WHERE id = ?"
ROW_1: Final = "SELECT kind, first, layout, ahead, NULL, body, crc FROM segment WHERE id = ?"

LATEST_1: Final = (
    "SELECT id, first, NULL, NULL, NULL FROM segment WHERE kind = ? AND first <= ?"
    " ORDER BY first DESC, id DESC LIMIT 1"
)
LATEST: Final = (
    "SELECT own.id, own.first,"
    " (SELECT id FROM segment WHERE kind = ?1 AND first > ?2 ORDER BY first, id LIMIT 1),"
    " latest.segment, latest.crc FROM (SELECT 1)"
    " LEFT JOIN (SELECT id, first FROM segment WHERE kind = ?1 AND first <= ?2"
    " ORDER BY first DESC, id DESC LIMIT 1) own"
    " LEFT JOIN latest ON latest.kind = ?1"
)
"""The last segment that begins at a sample or before it, the one behind it, and the last of its kind."""

BETWEEN: Final = (
    "SELECT id, first FROM segment WHERE kind = ?1 AND first >= coalesce("
    "(SELECT max(first) FROM segment WHERE kind = ?1 AND first <= ?2), ?2)"
    " AND first <= ?3 ORDER BY first, id"
)


class SegmentHeader(NamedTuple):
    """What the row of a segment says of it."""

    kind: object
    first: object
    before: object
    """The number of the segment of its kind before it; None for the first, and in format 1."""


class SegmentCache:
    """The segments of a file, by their numbers or by what they hold."""

    def __init__(self, file: RecordingFile) -> None:
        """Know nothing of the file yet."""
        self._file = file
        self._kinds: dict[int, Kind] = {}
        self._layouts: dict[int, Layout] = {}
        self._segments: dict[int, Segment] = {}
        self._stills: dict[int, list[Value]] = {}
        self._held = self._rows = 0
        """Values of the columns, and rows of the layouts, that are kept."""
        self._headers: dict[int, SegmentHeader] = {}
        self._failed: dict[tuple[str, int], str] = {}
        """What is damaged, by table and number."""

    def forget(self) -> None:
        """Forget everything, as the file is another."""
        for known in (
            self._kinds, self._layouts, self._segments, self._stills, self._headers, self._failed
        ):  # fmt: skip
            known.clear()
        self._held = self._rows = 0

    # segments

    def latest(self, kind: str, number: int) -> Segment | None:
        """Return the segment of a kind that begins at a sample or is the last before it.

        None where there is none, or where the kind is not sampled any more.

        Raises:
            Damaged: it is damaged.
        """
        rows = self._file.ask(LATEST if self._file.checks else LATEST_1, kind, number)
        own, first, after, newest, expected = rows[0] if rows else (None,) * 5
        found = None
        if own is not None:
            found = self.kept(own)
            self.see(own, kind, first)
        if self._file.checks and (found is None or number > found.samples[-1]):
            self._see_between(kind, number, own, after, (newest, expected))
        return found

    def see(self, number: int, kind: str, first: int) -> SegmentHeader:
        """Return what the row of a segment says of it, which must be what the index of segments says.

        Raises:
            Damaged: it is another.
        """
        header = self._header(number)
        if (header.kind, header.first) != (kind, first):
            raise Damaged(f"the index of segments is damaged at {kind} {first}")
        return header

    def _see_between(
        self, kind: str, number: int, own: int | None, after: int | None, newest: tuple[Any, Any]
    ) -> None:
        """See that no segment between one and a sample is missing in the index: each names the one before.

        Raises:
            Damaged: it has.
        """
        if after is not None:
            try:
                header = self._header(after)
            except Damaged:  # what is said of that one is said when it is looked at
                return
            is_next = type(header.first) is int and header.first > number and header.kind == kind
            if header.before != own or not is_next:
                raise Damaged(f"the index of segments is damaged behind {kind} {number}")
        elif newest != (own, own and crc(b"", "latest", kind, own)):
            raise Damaged(f"the index of segments is damaged at the end of {kind}")

    def _header(self, number: int) -> SegmentHeader:
        if number not in self._headers:
            self._row(number)
        return self._headers[number]

    def between(self, kind: str, low: int, high: int) -> list[tuple[Any, ...]]:
        """Return numbers and first samples of the segments with readings of a kind for a range of samples.

        Raises:
            Damaged: the table of them is.
        """
        return self._file.ask(BETWEEN, kind, low, high)

    def end(self) -> int:
        """Return the sample behind those that are surely in segments.

        Raises:
            Damaged: the table of them is.
        """
        ends = [0]
        for (number,) in self._file.ask("SELECT id FROM segment ORDER BY id DESC LIMIT ?", MAX_NEWEST):
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
        while len(self._segments) >= MAX_SEGMENTS or (
            self._segments
            and found.weight + sum(segment.weight for segment in self._segments.values()) > MAX_WEIGHT
        ):
            self._segments.pop(next(iter(self._segments)))
        self._segments[number] = found
        return found

    def segment(self, number: int) -> Segment | None:
        """Return a segment; None for a row that says that a kind is not sampled any more.

        Raises:
            Damaged: it is not there, or damaged.
        """
        with self._once("segment", number):
            layout, ahead, body = self._row(number)
            if body is None:
                return None
            found = Segment(
                self.layout(layout),
                body,
                self.still,
                (lambda: None) if ahead is None else (lambda: self.kept(ahead)),
            )
            if found.layout.kind.name != self._headers[number].kind:
                raise Damaged(f"segment {number} of {self._headers[number].kind} is one of another kind")
            return found

    def _row(self, number: int) -> tuple[Any, Any, bytes | None]:
        """Return layout, ahead and body of a segment; its header is known then.

        Raises:
            Damaged: it is not there, or its checksum is wrong.
        """
        rows = self._file.ask(ROW if self._file.checks else ROW_1, number)
        if not rows:
            raise Damaged(f"segment {number} is missing")
        kind, first, layout, ahead, before, body, expected = rows[0]
        of = (kind, first, layout, ahead, before)[: 5 if self._file.checks else 4]
        whole = checked(body or b"", expected, "segment", *of)
        if len(self._headers) >= MAX_HEADERS:
            self._headers.clear()
        self._headers[number] = SegmentHeader(kind, first, before)
        return layout, ahead, None if body is None else whole

    # what they are made of

    def layout(self, number: int) -> Layout:
        """Return a layout by its number.

        Raises:
            Damaged: it is not there, or damaged.
        """
        known = self._layouts.get(number)
        if known is None:
            with self._once("layout", number), self._file.asking() as connection:
                known = load_layout(connection, number, self._kinds, checks=self._file.checks)
            self._rows += len(known.keys)
            while self._layouts and self._rows > MAX_KEYS:
                self._rows -= len(self._layouts.pop(next(iter(self._layouts))).keys)
            self._layouts[number] = known
        return known

    def still(self, number: int, count: int) -> list[Value]:
        """Return a column that stands still, which nobody may change.

        Raises:
            Damaged: it is not there, or damaged.
        """
        known = self._stills.get(number)
        if known is None or len(known) != count:
            with self._once("still", number), self._file.asking() as connection:
                known = load_baseline(connection, number, count)
                self._held += count
                while self._stills and (len(self._stills) >= MAX_BASELINES or self._held > MAX_VALUES):
                    self._held -= len(self._stills.pop(next(iter(self._stills))))
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
