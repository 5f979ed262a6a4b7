"""The journal of a recording: single samples since the last segment, in the table `tail`.

An entry is what is different in a sample from the one before, as bytes that are quick to make: in front a
description in JSON, behind it the differences of one column after the other, little-endian, each column as
narrow as its numbers allow; both compressed together.  The description:

    [{kind: piece}, [kinds that are not sampled any more]]

A piece is `["step", anchor, rows, how the gaps between them stand, {column: how its differences stand},
{column: others}, follows]` or `["run", whole, ahead]`; whole is `[layout, anchor, {column: its still}]`.

A reader follows the entries once, in their order, into runs that grow (`Journal`); what follows a damaged one
is unknown until a run begins anew.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from operator import sub
from typing import TYPE_CHECKING, Any, Final

from zmon.store.baseline import all_whole
from zmon.store.column_encoding import MAX_COLUMN_BYTES, compressed, expanded, from_json, parsed, to_json
from zmon.store.file_format import Damaged, checked
from zmon.store.readings import TIMES, OpenSegment, ReadingChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Value
    from zmon.store.open import RecordingFile
    from zmon.store.readings import Layout, Readings
    from zmon.store.segment_cache import SegmentCache


WIDTHS: Final = ((1 << 7, "b"), (1 << 15, "h"), (1 << 31, "i"), (1 << 63, "q"))
"""What fits into one, two, four, eight bytes with a sign."""

MAX_ENTRY_RATIO: Final = 32
"""No sample expands to so many times its bytes: all differences of the tail are kept in memory."""

WIDTH_CODES: Final = frozenset(code for _, code in WIDTHS)


class EntryBuilder:
    """The bytes of one entry, made kind by kind."""

    def __init__(self) -> None:
        """Begin empty."""
        self._pieces: dict[str, list[object]] = {}
        self._columns: list[bytes] = []

    def step(self, kind: str, step: ReadingChange) -> None:
        """Tell of a reading that differs from the one before."""
        others = {
            name: [[row, None if what is None else to_json(what)] for row, what in found]
            for name, found in step.others.items()
            if found
        }
        gaps = self._stored(list(map(sub, step.rows, [0, *step.rows])))
        deltas = {name: self._stored(found) for name, found in step.deltas.items()}
        self._pieces[kind] = ["step", step.anchor, len(step.rows), gaps, deltas, others, int(step.follows)]

    def run(self, kind: str, whole: list[object], ahead: list[object] | None) -> None:
        """Tell of a run that begins."""
        self._pieces[kind] = ["run", whole, ahead]

    def _stored(self, numbers: Sequence[int]) -> object:
        """Put numbers behind the description; return how they stand, or themselves if they are too wide."""
        if not numbers:
            return "b"
        highest, lowest = max(numbers), min(numbers)
        most = max(highest, -lowest - 1)
        for limit, code in WIDTHS:
            if most < limit:
                packed = array(code, numbers)
                if sys.byteorder == "big":
                    packed.byteswap()
                self._columns.append(packed.tobytes())
                return code
        return list(numbers)

    def bytes(self, gone: Sequence[str]) -> bytes:
        """Return everything as bytes."""
        head = json.dumps([self._pieces, gone], separators=(",", ":")).encode()
        parts = [len(head).to_bytes(4, "little"), head, *self._columns]
        return compressed(b"".join(parts), zlib.Z_RLE, MAX_ENTRY_RATIO)


class JournalEntry:
    """One entry, read as far as its description goes.

    Raises:
        Damaged: it is none.
    """

    def __init__(self, data: bytes) -> None:
        """Read the description."""
        whole = expanded(data, MAX_COLUMN_BYTES, MAX_ENTRY_RATIO)
        size = int.from_bytes(whole[:4], "little")
        found = parsed(whole[4 : 4 + size])
        if list(map(type, found if isinstance(found, list) else ())) != [dict, list]:
            raise Damaged("a sample is damaged")
        self.pieces, self.gone = found
        self._columns = memoryview(whole)[4 + size :]
        self._at = 0

    def step(self, sample: int, told: Any, layout: Layout) -> ReadingChange:
        """Return the step of a piece; pieces are asked for in their order.

        Raises:
            Damaged: it is none.
        """
        try:
            anchor, many, gaps, deltas, others, follows = told
            if type(many) is not int or not 0 <= many <= len(layout.keys):
                raise Damaged("rows that are not there")  # noqa: TRY301 - one way out
            rows, row = [], 0
            for at, gap in enumerate(self._numbers(gaps, many)):
                row += gap
                if row >= len(layout.keys) or (gap < 1 and at) or row < 0:
                    raise Damaged("rows that are not there")  # noqa: TRY301 - likewise
                rows.append(row)
            names = {*layout.names, TIMES}
            if not names.issuperset(deltas) or not names.issuperset(others):
                raise Damaged("columns that are not there")  # noqa: TRY301 - likewise
            changes = {name: self._numbers(stands, many) for name, stands in deltas.items()}
            beside = {
                name: [(_row(row, layout), None if what is None else from_json(what)) for row, what in cells]
                for name, cells in others.items()
            }
            return ReadingChange(sample, int(anchor), rows, changes, beside, bool(follows))
        except Damaged:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            raise Damaged(f"a sample is damaged: {error}") from error

    def skip(self, told: Any) -> None:
        """Pass over the columns of a piece that is of no use."""
        try:
            _anchor, many, gaps, deltas, *_ = told
            for stands in (gaps, *deltas.values()):
                self._numbers(stands, int(many))
        except (TypeError, ValueError, AttributeError) as error:
            raise Damaged(f"a sample is damaged: {error}") from error

    def _numbers(self, stands: Any, many: int) -> list[int]:
        if isinstance(stands, list):
            if len(stands) != many or not all_whole(stands):
                raise Damaged("differences that are no numbers")
            return stands
        if stands not in WIDTH_CODES:
            raise Damaged("differences that are no numbers")
        packed = array(stands)
        end = self._at + many * packed.itemsize
        packed.frombytes(self._columns[self._at : end])
        if len(packed) != many:
            raise Damaged("differences are missing")
        if sys.byteorder == "big":
            packed.byteswap()
        self._at = end
        return packed.tolist()


def _row(row: Any, layout: Layout) -> int:
    if type(row) is int and 0 <= row < len(layout.keys):
        return row
    raise Damaged(f"row {row!r} is not there")


MAX_KEPT_SAMPLES: Final = 600
"""Samples of the journal after which it is read anew, as most of it are segments by then."""

MAX_SAMPLES: Final = 1 << 24
"""No recording holds more samples: half a year of seconds."""


class ColumnsBefore(Mapping[str, "Sequence[Value]"]):
    """The columns before an open run: those of a reading, times among them."""

    def __init__(self, readings: Readings, reading: int) -> None:
        """Promise the columns."""
        self._readings, self._reading = readings, reading

    def __getitem__(self, name: str) -> Sequence[Value]:
        return self._readings.column(name, self._reading)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._readings.layout.names, TIMES))

    def __len__(self) -> int:
        return len(self._readings.layout.names) + 1


class BaselineColumns(Mapping[str, "Sequence[Value]"]):
    """The columns that an open run began with, by their numbers in the table `still`."""

    def __init__(self, segments: SegmentCache, numbers: Mapping[str, int], count: int) -> None:
        """Promise the columns, of `count` rows."""
        self._segments, self._numbers, self._count = segments, numbers, count

    def __getitem__(self, name: str) -> Sequence[Value]:
        return self._segments.still(self._numbers[name], self._count)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Journal:
    """The journal of a file, as far as it was read."""

    def __init__(self, file: RecordingFile, segments: SegmentCache) -> None:
        """Have read nothing; runs may go on from `segments`."""
        self._file, self._segments = file, segments
        self.forget()

    def forget(self) -> None:
        """Forget everything; the next to read begins anew."""
        self.samples: tuple[int, int] | None = None
        """Those that are understood: from, to behind."""
        self.runs: dict[str, list[OpenSegment]] = {}
        self.gone: dict[str, list[int]] = {}
        """For each kind the samples from which on there is none."""
        self.broken: list[tuple[int, str]] = []
        """Samples that are damaged.  What follows one is unknown until a run begins anew."""

    def read(self, number: int, count: int) -> None:
        """Read the journal of a recording of `count` samples up to one of them, if that lies in it.

        Raises:
            Damaged: it cannot be told where the tail begins.
        """
        with self._file.guard:
            if self.samples is not None and number < self.samples[1]:
                return
            if self.samples is None or self.samples[1] - self.samples[0] > MAX_KEPT_SAMPLES:
                self.forget()
            begin = self.samples[1] if self.samples is not None else -1
            rows = self._rows(begin, count)
            if self.samples is not None and (not rows or rows[0][0] != begin):
                self.forget()  # what lies between are segments meanwhile
                rows = self._rows(-1, count)
            for n, body, crc in rows:
                if self.samples is None:
                    self.samples = (int(n), int(n))
                self.samples = (self.samples[0], int(n) + 1)
                try:
                    self._add(int(n), JournalEntry(checked(body, crc, "sample", n)))
                except Damaged as error:
                    self.broken.append((int(n), str(error)))
                except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
                    self.broken.append((int(n), f"sample {n} is damaged: {error}"))

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
                whole.append((whole[-1][0] + 1, None, None))  # those behind it are as unknown
            whole.append(row)
        if whole and whole[-1][0] + 1 < count:
            whole.append((whole[-1][0] + 1, None, None))
        return whole

    def _add(self, n: int, told: JournalEntry) -> None:
        """Take in one sample."""
        for kind, (how, *what) in told.pieces.items():
            runs = self.runs.setdefault(kind, [])
            if how != "run" and self.lost(runs[-1].samples[runs[-1].carried] if runs else -1, n):
                told.skip(what)  # from what it is different is not known
                continue
            if how == "run":
                whole, ahead = what
                runs.append(self._begun(n, whole, ahead and self._begun(n, ahead)))
                continue
            try:
                run = runs[-1] if runs else self._resumed(kind, n, follows=bool(what[-1]))
            except Damaged:
                told.skip(what)
                continue
            run.add(told.step(n, what, run.layout))
            if not runs:
                runs.append(run)
        for kind in told.gone:
            self.gone.setdefault(kind, []).append(n)

    def _begun(self, n: int, told: Any, ahead: OpenSegment | None = None) -> OpenSegment:
        """Return a run that begins at a sample."""
        layout, anchor, numbers = told
        found = self._segments.layout(layout)
        if set(numbers) != {*found.names, TIMES}:
            raise Damaged(f"sample {n} begins with columns that are not there")
        stood = BaselineColumns(self._segments, {str(k): int(v) for k, v in numbers.items()}, len(found.keys))
        run = OpenSegment(found, stood, ahead)
        run.add(ReadingChange(n, int(anchor), [], {}, {}, ahead is not None))
        return run

    def _resumed(self, kind: str, n: int, *, follows: bool) -> OpenSegment:
        """Return the run that goes on behind the segments."""
        segment = self._segments.latest(kind, n - 1)
        if segment is None:
            raise Damaged(f"nothing lies before sample {n} of {kind}")
        last = len(segment.samples) - 1
        run = OpenSegment(segment.layout, ColumnsBefore(segment, last))
        if follows:
            run.carry(segment.samples[last], segment.anchor(last))
        return run

    # what was read

    def find(self, kind: str, number: int) -> tuple[bool, OpenSegment | None]:
        """Tell whether the journal says what a kind was at a sample, and return the run that holds it.

        That is None, too, where the kind is not sampled any more.

        Raises:
            Damaged: a sample that would say it is damaged.
        """
        if self.samples is None or number < self.samples[0]:
            return False, None
        runs = self.runs.get(kind, [])
        begins = [run.samples[run.carried] for run in runs]
        at = bisect_right(begins, number) - 1
        begun = begins[at] if at >= 0 else -1
        gone = self.gone.get(kind, [])
        last = gone[bisect_right(gone, number) - 1] if gone and gone[0] <= number else -1
        self.see_whole(max(begun, last), number)
        return (True, runs[at]) if begun > last else (last >= 0, None)

    def see_whole(self, begun: int, number: int) -> None:
        """See that what began at one sample is known up to another.

        Raises:
            Damaged: a sample between is damaged.
        """
        lost = self.lost(begun, number)
        if lost is not None:
            raise lost

    def lost(self, begun: int, number: int) -> Damaged | None:
        """Return what is damaged between two samples, if anything."""
        return next((Damaged(words) for n, words in self.broken if begun < n <= number), None)
