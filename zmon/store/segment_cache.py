"""The segments of a recording, with their layouts and baselines: loaded when asked for, and cached.

Of what is damaged it is remembered that it is.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final, TypeVar
from zmon.base.record import NamedTuple
from zmon.store.dictionary import load_baseline, load_layout
from zmon.store.file_format import Damaged, checked, row_crc
from zmon.store.open import Trouble
from zmon.store.segment import Segment, end_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.base.absent import Absent, Value
    from zmon.sample import Kind
    from zmon.store.open import RecordingFile
    from zmon.store.readings import Layout

T = TypeVar("T")

MAX_SEGMENTS: Final = 24
MAX_WEIGHT: Final = 1 << 20
"""Cached segments: their number and their weight (`Segment.weight`)."""

MAX_BASELINES: Final = 160
MAX_VALUES: Final = 1 << 22
"""Cached baselines: their number and their values."""

MAX_LAYOUTS: Final = 4096
MAX_KEYS: Final = 1 << 20
"""Cached layouts: their number and their rows."""

MAX_HEADERS: Final = 4096

MAX_NEWEST: Final = 64
"""Segments that are read to find where they end, if the journal is damaged."""

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
"""The last segment that begins at a sample or before it, the one after it, and the last of its kind; in
format 1 only the first of these."""

BETWEEN: Final = (
    "SELECT id, first FROM segment WHERE kind = ?1 AND first >= coalesce("
    "(SELECT max(first) FROM segment WHERE kind = ?1 AND first <= ?2), ?2)"
    " AND first <= ?3 ORDER BY first, id"
)


def _unrecorded(why: Absent) -> Absent:
    """Return why a recording has nothing: what whoever recorded it could have done at once is past."""
    from zmon.registry import UNRECORDED  # noqa: PLC0415 - most frames are there

    return absent(UNRECORDED.get(why.code) or why.reason)


class SegmentHeader(NamedTuple):
    """What the row of a segment holds beside its body."""

    kind: object
    first: object
    before: object
    """The number of the segment of its kind before it; None for the first, and in format 1."""


class SegmentCache:
    """The segments of a file, by number, or by kind and sample.

    Whatever is asked for raises `Damaged` if it is missing or damaged.  Frames ask for what they lack when a
    column is read, in any thread: one at a time.
    """

    def __init__(self, file: RecordingFile) -> None:
        """Load nothing yet."""
        self._file = file
        self.forget()

    def forget(self) -> None:
        """Forget everything, as the file is another."""
        self._kinds: dict[int, Kind] = {}
        self._layouts: dict[int, Layout] = {}
        self._segments: dict[int, Segment] = {}
        self._baselines: dict[int, list[Value]] = {}
        self._headers: dict[int, SegmentHeader] = {}
        self._recent: dict[str, tuple[int, int, int]] = {}
        """Of each kind the first and last sample, and the number, of the segment that was found last."""
        self._failed: dict[tuple[str, int], str] = {}
        """What is damaged, by table and number."""

    # by kind and sample

    def latest(self, kind: str, number: int) -> Segment | None:
        """Return the segment of a kind that begins at a sample or is the last before it.

        None if there is none, or if the kind is not sampled any more.
        """
        begin, end, recent = self._recent.get(kind, (0, -1, 0))
        if begin <= number <= end:
            return self.cached(recent)
        rows = self._file.ask(LATEST if self._file.checks else LATEST_1, kind, number)
        own, first, after, newest, expected = rows[0] if rows else (None,) * 5
        segment = None
        if own is not None:
            segment = self.cached(own)
            self.check_index(own, kind, first)
        if segment is not None:
            self._recent[kind] = (first, segment.samples[-1], own)
        if self._file.checks and (segment is None or number > segment.samples[-1]):
            self._check_none_between(kind, number, own, after, (newest, expected))
        return segment

    def check_index(self, number: int, kind: str, first: int) -> SegmentHeader:
        """Return the header of a segment, which must be what SQLite's index has."""
        header = self._header(number)
        if (header.kind, header.first) != (kind, first):
            raise Damaged(f"the index of segments is damaged at {kind} {first}")
        return header

    def _check_none_between(
        self, kind: str, number: int, own: int | None, after: int | None, newest: tuple[Any, Any]
    ) -> None:
        """See that SQLite's index lacks no segment between one and a sample: each names the one before."""
        if after is not None:
            try:
                header = self._header(after)
            except Damaged:  # reported when that one is read
                return
            is_next = type(header.first) is int and header.first > number and header.kind == kind
            if header.before != own or not is_next:
                raise Damaged(f"the index of segments is damaged behind {kind} {number}")
        elif newest != (own, own and row_crc("latest", kind, own)):
            raise Damaged(f"the index of segments is damaged at the end of {kind}")

    def between(self, kind: str, low: int, high: int) -> list[tuple[int, int]]:
        """Return numbers and first samples of the segments with readings of a kind for a range of samples."""
        return self._file.ask(BETWEEN, kind, low, high)

    def end(self) -> int:
        """Return the sample after the last that is surely in a segment."""
        ends = [0]
        for (number,) in self._file.ask("SELECT id FROM segment ORDER BY id DESC LIMIT ?", MAX_NEWEST):
            with suppress(Damaged):
                ends.append(self._end_of(number))
        return max(ends)

    def _end_of(self, number: int) -> int:
        """Return the sample after the last of a segment; 0 of a row that says a kind is sampled no more."""
        if self._file.checks and number not in self._segments:
            body = self._row(number)[-1]
            if body is None:
                return 0
            if end := end_of(body):
                return end
        segment = self.cached(number)
        return 0 if segment is None else segment.samples[-1] + 1

    # by number

    def cached(self, number: int) -> Segment | None:
        """Return a segment as `segment` does, and keep it."""
        segment = self._segments.get(number)
        if segment is None:
            with self._file.guard:
                segment = self.segment(number)
                if segment is not None:
                    _keep(
                        self._segments, number, segment, (MAX_SEGMENTS, MAX_WEIGHT), lambda kept: kept.weight
                    )
        return segment

    def segment(self, number: int) -> Segment | None:
        """Return a segment; None if its row marks that a kind is not sampled any more."""
        with self._once("segment", number):
            layout, ahead, body = self._row(number)
            if body is None:
                return None
            segment = Segment(
                self.layout(layout),
                body,
                self.still,
                (lambda: None) if ahead is None else (lambda: self.cached(ahead)),
            )
            if segment.layout.kind.name != self._headers[number].kind:
                raise Damaged(f"segment {number} of {self._headers[number].kind} is one of another kind")
            return segment

    def _header(self, number: int) -> SegmentHeader:
        if number not in self._headers:
            self._row(number)
        return self._headers[number]

    def _row(self, number: int) -> tuple[Any, Any, bytes | None]:
        """Return layout, ahead and body of a segment, and keep its header."""
        before = "before" if self._file.checks else "NULL"
        rows = self._file.ask(
            f"SELECT kind, first, layout, ahead, {before}, body, crc FROM segment WHERE id = ?",  # noqa: S608 - ours
            number,
        )
        if not rows:
            raise Damaged(f"segment {number} is missing")
        *fields, body, expected = rows[0]
        kind, first, layout, ahead, previous = fields
        whole = checked(body or b"", expected, "segment", *fields[: 5 if self._file.checks else 4])
        if len(self._headers) >= MAX_HEADERS:
            self._headers.clear()
        self._headers[number] = SegmentHeader(kind, first, previous)
        return layout, ahead, None if body is None else whole

    def layout(self, number: int) -> Layout:
        """Return a layout."""
        layout = self._layouts.get(number)
        if layout is None:
            with self._file.guard:
                with self._once("layout", number), self._file.asking() as connection:
                    layout = load_layout(connection, number, self._kinds, checks=self._file.checks)
                if layout.missing is not None and self._file.is_past:
                    layout.missing = _unrecorded(layout.missing)
                _keep(self._layouts, number, layout, (MAX_LAYOUTS, MAX_KEYS), lambda kept: len(kept.keys))
        return layout

    def still(self, number: int, count: int) -> list[Value]:
        """Return a baseline of `count` rows, which must not be changed."""
        baseline = self._baselines.get(number)
        if baseline is None or len(baseline) != count:
            with self._file.guard:
                with self._once("still", number), self._file.asking() as connection:
                    baseline = load_baseline(connection, number, count)
                _keep(self._baselines, number, baseline, (MAX_BASELINES, MAX_VALUES), len)
        return baseline

    @contextmanager
    def _once(self, table: str, number: int) -> Iterator[None]:
        """Load something; if it is damaged, that is remembered."""
        if (table, number) in self._failed:
            raise Damaged(self._failed[table, number])
        try:
            yield
        except Damaged as error:
            if not isinstance(error.__cause__, Trouble):  # which may pass
                self._failed[table, number] = str(error)  # the error itself would keep what was read
            raise


def _keep(
    cache: dict[int, T], number: int, value: T, bounds: tuple[int, int], weigh: Callable[[T], int]
) -> None:
    """Put something into a cache, and remove others that are beyond its number or weight of entries."""
    many, weight = bounds
    while cache and (len(cache) >= many or weigh(value) + sum(map(weigh, cache.values())) > weight):
        del cache[next(iter(cache))]
    cache[number] = value
