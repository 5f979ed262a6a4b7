"""The journal of a recording: single samples since the last segment, in the table `tail`.

An entry holds the differences of a sample from the one before, in bytes that are quick to make: a JSON
description, then the differences of one column after the other, little-endian, each column as narrow as its
numbers allow; all compressed together.  docs/recording-format.md describes it.

A reader adds the entries in their order to open segments (`Journal`).  What follows a damaged entry is
unknown until a segment begins anew.
"""

from __future__ import annotations

import json
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from operator import sub

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.store import column_encoding as encoding
from zmon.store.column_encoding import all_whole, from_json, to_json
from zmon.store.file_format import NOT_IN_LAYOUT, Damaged, checked
from zmon.store.readings import TIMES, OpenSegment, ReadingChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.store.open import RecordingFile
    from zmon.store.readings import Layout
    from zmon.store.segment_cache import SegmentCache

MAX_ENTRY_RATIO: Final = 32
"""How many times its bytes an entry may expand to: all differences of the journal are kept in memory."""

MAX_CACHED_SAMPLES: Final = 600
"""Samples of the journal after which it is read anew, as most of it are segments by then."""

MAX_SAMPLES: Final = 1 << 24
"""Samples of a recording: half a year of seconds."""


class EntryBuilder:
    """The bytes of one entry, made kind by kind."""

    def __init__(self) -> None:
        """Begin empty."""
        self._pieces: dict[str, list[object]] = {}
        self._columns: list[bytes] = []

    def step(self, kind: str, step: ReadingChange) -> None:
        """Add the differences of a reading from the one before."""
        others = {
            name: [[row, None if value is None else to_json(value)] for row, value in changed]
            for name, changed in step.others.items()
            if changed
        }
        gaps = self._stored(list(map(sub, step.rows, [0, *step.rows])))
        deltas = {name: self._stored(row) for name, row in step.deltas.items()}
        self._pieces[kind] = ["step", step.anchor, len(step.rows), gaps, deltas, others, int(step.follows)]

    def run(self, kind: str, begin: list[object], ahead: list[object] | None) -> None:
        """Add the begin of a segment: its layout, anchor and baselines; likewise of the one `ahead`."""
        self._pieces[kind] = ["run", begin, ahead]

    def _stored(self, numbers: Sequence[int]) -> object:
        """Add a column of numbers; return the code of its words, or the numbers if they are too wide."""
        packed = numbers if isinstance(numbers, array) else encoding.narrow_words(list(numbers))
        if not isinstance(packed, array):
            return packed
        self._columns.append(encoding.little_endian(packed))
        return packed.typecode

    def bytes(self, ended: Sequence[str]) -> bytes:
        """Return the entry; `ended` are the kinds that are no longer sampled."""
        head = json.dumps([self._pieces, ended], separators=(",", ":")).encode()
        parts = [len(head).to_bytes(4, "little"), head, *self._columns]
        return encoding.compressed(b"".join(parts), zlib.Z_RLE, MAX_ENTRY_RATIO)


class JournalEntry:
    """One entry, of which the description is read.

    Raises:
        Damaged: it is none; so does each method.
    """

    def __init__(self, data: bytes) -> None:
        """Read the description."""
        whole = encoding.expanded(data, encoding.MAX_COLUMN_BYTES, MAX_ENTRY_RATIO)
        size = int.from_bytes(whole[:4], "little")
        head = encoding.parsed(whole[4 : 4 + size])
        if list(map(type, head if isinstance(head, list) else ())) != [dict, list]:
            raise Damaged("a sample is damaged")
        self.pieces, self.ended = head
        self._columns = memoryview(whole)[4 + size :]
        self._at = 0

    def step(self, sample: int, piece: Any, layout: Layout) -> ReadingChange:
        """Return the differences that a piece holds; pieces are asked for in their order."""
        anchor, many, gaps, deltas, others, follows = piece
        if type(many) is not int or not 0 <= many <= len(layout.keys):
            raise Damaged(NOT_IN_LAYOUT)
        rows, row = [], 0
        for at, gap in enumerate(self._numbers(gaps, many)):
            row += gap
            if row >= len(layout.keys) or (gap < 1 and at) or row < 0:
                raise Damaged(NOT_IN_LAYOUT)
            rows.append(row)
        if not {*layout.names, TIMES}.issuperset([*deltas, *others]):
            raise Damaged("columns that are not in the layout")
        changes = {name: self._numbers(stored, many) for name, stored in deltas.items()}
        others_then = {
            name: [(_row(row, layout), None if value is None else from_json(value)) for row, value in cells]
            for name, cells in others.items()
        }
        return ReadingChange(sample, int(anchor), rows, changes, others_then, bool(follows))

    def skip(self, piece: Any) -> None:
        """Pass over the columns of a piece that is not used."""
        _anchor, many, gaps, deltas, *_ = piece
        for stored in (gaps, *deltas.values()):
            self._numbers(stored, int(many))

    def _numbers(self, stored: Any, many: int) -> list[int]:
        if isinstance(stored, list) and len(stored) == many and all_whole(stored):
            return stored
        if not isinstance(stored, str) or stored not in encoding.SIGNED:
            raise Damaged("differences that are no numbers")
        end = self._at + many * encoding.SIGNED[stored]
        if not self._at <= end <= len(self._columns):
            raise Damaged("differences are missing")
        begin, self._at = self._at, end
        return encoding.words(self._columns[begin:end], stored).tolist()


def _row(row: Any, layout: Layout) -> int:
    if type(row) is int and 0 <= row < len(layout.keys):
        return row
    raise Damaged(f"row {row!r} is not in the layout")


class ColumnsBefore(Mapping[str, "Sequence[Value]"]):
    """The columns before the first reading of an open segment, loaded when they are used."""

    def __init__(self, names: Sequence[str], load: Callable[[str], Sequence[Value]]) -> None:
        """Load nothing yet."""
        self._names, self._load = names, load

    def __getitem__(self, name: str) -> Sequence[Value]:
        return self._load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Journal:
    """The journal of a file, as far as it was read."""

    def __init__(self, file: RecordingFile, segments: SegmentCache) -> None:
        """Read nothing yet; an open segment may go on from one of `segments`."""
        self._file, self._segments = file, segments
        self.forget()

    def forget(self) -> None:
        """Forget everything; the next to read begins anew."""
        self.samples: tuple[int, int] | None = None
        """The samples that were read: the first, and the one after the last."""
        self.open_segments: dict[str, list[OpenSegment]] = {}
        """For each kind, in their order."""
        self.ended: dict[str, list[int]] = {}
        """For each kind the samples from which on there is none."""
        self.broken: list[tuple[int, str]] = []
        """Samples that are damaged, and how."""

    def read(self, number: int, count: int) -> None:
        """Read the journal of a recording of `count` samples up to one of them, if that is in it.

        Raises:
            Damaged: it is not known where the journal begins.
        """
        with self._file.guard:
            if self.samples is not None and number < self.samples[1]:
                return
            if self.samples is None or self.samples[1] - self.samples[0] > MAX_CACHED_SAMPLES:
                self.forget()
            begin = self.samples[1] if self.samples is not None else -1
            rows = self._rows(begin, count)
            if self.samples is not None and (not rows or rows[0][0] != begin):
                self.forget()  # the samples between are in segments by now
                rows = self._rows(-1, count)
            if not rows and self.samples is None:
                self.samples = (count, count)  # all samples so far are in segments
            for n, body, crc in rows:
                self.samples = (n if self.samples is None else self.samples[0], n + 1)
                try:
                    self._add(n, JournalEntry(checked(body, crc, "sample", n)))
                except Damaged as error:
                    self.broken.append((n, str(error)))
                except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
                    self.broken.append((n, f"sample {n} is damaged: {error}"))

    def _rows(self, begin: int, count: int) -> list[tuple[int, object, object]]:
        """Return the entries from a sample on; an empty one for each that is missing or damaged."""
        question = "SELECT n, body, crc FROM tail WHERE n >= ? AND n < ? ORDER BY n"
        try:
            rows = self._file.ask(question, begin, MAX_SAMPLES)
        except Damaged:
            if begin < 0:
                begin = self._segments.end()
            rows = list(self._file.pieces(question, begin, count))
            if not rows or rows[0][0] != begin:
                rows.insert(0, (begin, None, None))
        whole: list[tuple[int, object, object]] = []
        for row in rows:
            if whole and row[0] != whole[-1][0] + 1:
                whole.append((whole[-1][0] + 1, None, None))  # those after it are as unknown
            whole.append((int(row[0]), *row[1:]))
        if whole and whole[-1][0] + 1 < count:
            whole.append((whole[-1][0] + 1, None, None))
        return whole

    def _add(self, n: int, entry: JournalEntry) -> None:
        """Add one sample to the open segments."""
        for kind, (form, *piece) in entry.pieces.items():
            segments = self.open_segments.setdefault(kind, [])
            if form == "run":
                begin, ahead = piece
                segments.append(self._begun(n, begin, ahead and self._begun(n, ahead)))
                continue
            try:
                if lost := self.lost(segments[-1].samples[segments[-1].carried] if segments else -1, n):
                    raise lost  # it differs from something unknown
                segment = segments[-1] if segments else self._resumed(kind, n, follows=bool(piece[-1]))
            except Damaged:
                entry.skip(piece)
                continue
            segment.add(entry.step(n, piece, segment.layout))
            if not segments:
                segments.append(segment)
        for kind in entry.ended:
            self.ended.setdefault(kind, []).append(n)

    def _begun(self, n: int, begin: Any, ahead: OpenSegment | None = None) -> OpenSegment:
        """Return the open segment that begins at a sample."""
        layout, anchor, baselines = begin
        layout_begun = self._segments.layout(layout)
        if set(baselines) != {*layout_begun.names, TIMES}:
            raise Damaged(f"sample {n} begins with columns that are not in its layout")
        numbers = {str(name): int(number) for name, number in baselines.items()}
        count = len(layout_begun.keys)
        columns = ColumnsBefore(list(numbers), lambda name: self._segments.still(numbers[name], count))
        segment = OpenSegment(layout_begun, columns, ahead)
        segment.add(ReadingChange(n, int(anchor), [], {}, {}, ahead is not None))
        return segment

    def _resumed(self, kind: str, n: int, *, follows: bool) -> OpenSegment:
        """Return an open segment that goes on where the last sealed one ends."""
        sealed = self._segments.latest(kind, n - 1)
        if sealed is None:
            raise Damaged(f"no {kind} before sample {n}")
        last = len(sealed.samples) - 1
        names = (*sealed.layout.names, TIMES)
        segment = OpenSegment(sealed.layout, ColumnsBefore(names, lambda name: sealed.column(name, last)))
        if follows:
            segment.carry(sealed.samples[last], sealed.anchor(last))
        return segment

    def find(self, kind: str, number: int) -> tuple[bool, OpenSegment | None]:
        """Return whether the journal holds what a kind was at a sample, and the open segment that does.

        That is also None where the kind is not sampled any more.

        Raises:
            Damaged: an entry that would hold it is damaged.
        """
        if self.samples is None or number < self.samples[0]:
            return False, None
        segments = self.open_segments.get(kind, [])
        begins = [segment.samples[segment.carried] for segment in segments]
        at = bisect_right(begins, number) - 1
        begin = begins[at] if at >= 0 else -1
        ended = [-1, *self.ended.get(kind, [])]
        end = ended[max(0, bisect_right(ended, number) - 1)]
        if lost := self.lost(max(begin, end), number):
            raise lost
        return (True, segments[at]) if begin > end else (end >= 0, None)

    def lost(self, begin: int, number: int) -> Damaged | None:
        """Return what is damaged after one sample and up to another, if anything."""
        return next((Damaged(words_) for n, words_ in self.broken if begin < n <= number), None)
