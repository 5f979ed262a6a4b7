"""A sealed segment: the readings of about a minute as a document and packed numbers.

Each column refers to a baseline, and holds what differs from it.  Rows that move often have a matrix of
differences, one line per reading; single differences of other rows are cells.  docs/recording-format.md
describes the document.  A packed column is `[low, scale, width, offset, length]` of the bytes behind the
document (`column_encoding`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cached_property
from itertools import accumulate, chain, compress, count, repeat
from operator import add, mul, ne, sub

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple
from zmon.store import column_encoding as encoding
from zmon.store.column_encoding import Packed, all_whole, dump, from_json, only_numbers, pack, to_json
from zmon.store.file_format import NOT_IN_LAYOUT, Damaged
from zmon.store.readings import TIMES, Layout, Readings, apply_change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zmon.base.absent import Value
    from zmon.store.readings import OpenSegment

    Cell = tuple[int, int, int]
    """Reading, row, difference."""
    Refer = Callable[[str, list[Value], int], tuple[int, Sequence[Value]]]
    """Given the name of a column, its values at the first reading and how many differences the segment holds
    anyhow: the number and the values of the baseline to refer to."""

TOO_MANY: Final = "more differences than values"
MAX_READINGS: Final = 240
"""Readings in a segment: lanes of 64 bits then hold the sum of numbers of 56."""

SAMPLES: Final = b'{"samples":['
"""What a description begins with."""
MAX_SAMPLES_BYTES: Final = 16 * MAX_READINGS
"""Bytes of the text in which the samples of a segment are told."""

MATRIX_SHARE: Final = 4
"""A row has its line in the matrices if it moved in every fourth reading or more."""

SHARED_COLUMNS: Final = 3
"""The number of columns from which rows that differ from the baseline are listed once for all of them."""

VALUE_BYTES: Final = 64
"""Bytes that one value of a document takes in memory, roughly."""

MAX_DECODED_BYTES: Final = 1 << 27
"""Bytes of decoded matrices and cells that a segment keeps; what was used before is decoded again."""

CELL_BYTES: Final = 100
"""Bytes that a cell takes in memory."""


# sealing


class SegmentBody:
    """The bytes behind the document; equal parts are stored once."""

    def __init__(self) -> None:
        """Begin empty."""
        self.parts: list[bytes] = []
        self._size = 0
        self._offsets: dict[bytes, int] = {}

    def put(self, packed: Packed) -> list[int]:
        """Add a packed column and return its description."""
        if not packed.data:
            return [packed.low, 1, 0, 0, 0]
        offset = self._offsets.get(packed.data)
        if offset is None:
            offset = self._offsets[packed.data] = self._size
            self.parts.append(packed.data)
            self._size += len(packed.data)
        return [*packed[:3], offset, len(packed.data)]

    def put_rows(self, rows: list[int]) -> list[int]:
        """Add ascending rows and return their description."""
        return [len(rows), *self.put(pack(_gaps(rows)))]


def seal(segment: OpenSegment, refer: Refer) -> bytes:
    """Return an open segment as bytes."""
    steps = segment.steps
    moves = Counter(chain.from_iterable(step.rows for step in steps[1:]))
    least = max(2, len(steps) // MATRIX_SHARE)
    rows = sorted(row for row, often in moves.items() if often >= least)
    place = {row: at for at, row in enumerate(rows)}
    # for each step the places of its rows in the matrices; None where they are the rows of the matrices
    places = [None if step.rows == rows else [place.get(row) for row in step.rows] for step in steps]
    body = SegmentBody()
    head: dict[str, object] = {
        "samples": _gaps(segment.samples),
        "carried": segment.carried,
        "follows": [at for at, follows in enumerate(segment.follows) if follows],
        "anchors": _gaps([step.anchor for step in steps]),
        "rows": body.put_rows(rows),
    }
    names = (*segment.layout.names, TIMES)
    columns = {name: _ColumnEncoder(segment, name, place, places, refer) for name in names}
    often = Counter(row for column in columns.values() for row in column.unlike)
    over = sorted(row for row, many in often.items() if many >= SHARED_COLUMNS)
    head["over"] = body.put_rows(over)
    head["columns"] = {name: column.described(rows, over, body) for name, column in columns.items()}
    document = dump(head)
    return b"".join((len(document).to_bytes(4, "little"), document, *body.parts))


def _gaps(numbers: Sequence[int]) -> list[int]:
    return list(map(sub, numbers, [0, *numbers]))


class _ColumnEncoder:
    """What differs in one column of a segment."""

    def __init__(
        self,
        segment: OpenSegment,
        name: str,
        place: dict[int, int],
        places: Sequence[Sequence[int | None] | None],
        refer: Refer,
    ) -> None:
        self.values = segment.first_column(name)
        """At the first reading."""
        apply_change(segment.steps[0], name, self.values)
        self.cells: list[Cell] = []
        self.others: list[tuple[int, int, object]] = []
        """Reading, row and value, of values that are no whole numbers."""
        self.lines = self._collect(segment, name, len(place), places)
        self.number, self.still = refer(name, self.values, len(place) + len(self.cells))
        self.unlike: list[int] = []
        """Rows beside those of the matrix that differ from the baseline."""
        if self.still is not self.values and (self.lines is not None or self.still != self.values):
            unlike = compress(count(), map(ne, self.values, self.still))
            self.unlike = [row for row in unlike if row not in place]

    def _collect(
        self, segment: OpenSegment, name: str, across: int, places: Sequence[Sequence[int | None] | None]
    ) -> list[int] | None:
        """Return the matrix, line by line, or None if all of it is 0; add other differences to the cells."""
        lines: list[int] = []
        moved = False
        for reading, step in enumerate(segment.steps[1:], 1):
            deltas = step.deltas.get(name)
            where = places[reading]
            if deltas is None:
                lines += repeat(0, across)
            elif where is None:
                lines += deltas
                moved = True
            else:
                line = [0] * across
                for at, row, delta in zip(where, step.rows, deltas, strict=True):
                    if not delta:
                        continue
                    if at is None:
                        self.cells.append((reading, row, delta))
                    else:
                        line[at] = delta
                        moved = True
                lines += line
            for row, value in step.others.get(name, ()):
                self.others.append((reading, row, None if value is None else to_json(value)))
        return lines if moved else None

    def described(self, rows: list[int], over: list[int], body: SegmentBody) -> dict[str, object]:
        """Return the description of the column, having put its numbers into the body."""
        values, still = self.values, self.still
        data: dict[str, object] = {"still": self.number}
        unlike = self.unlike
        if 2 * len(unlike) > len(over) > 0:
            try:
                data["over"] = body.put(pack(only_numbers([values[row] for row in over]), plain=True))
            except OverflowError:
                pass
            else:
                listed = set(over)
                self._add_others(over)
                unlike = [row for row in unlike if row not in listed]
        if self.lines is not None or (still is not values and any(values[row] != still[row] for row in rows)):
            self._add_others(rows)
            try:
                base = body.put(pack(only_numbers([values[row] for row in rows]), plain=True))
                moves = {} if self.lines is None else {"moves": body.put(pack(self.lines))}
                data |= {"base": base, **moves}
            except OverflowError:  # beyond 64 bits
                self.cells += self._unlike_cells(rows)
                self.cells += [
                    (at // len(rows) + 1, rows[at % len(rows)], delta)
                    for at, delta in enumerate(self.lines or ())
                    if delta
                ]
        self._add_others(unlike)
        self.cells += self._unlike_cells(unlike)
        if self.cells:
            self.cells.sort()
            try:
                parts = [body.put(pack(part, plain=True)) for part in zip(*self.cells, strict=True)]
                data["cells"] = [len(self.cells), *parts]
            except OverflowError:
                data["numbers"] = self.cells
        if self.others:
            data["others"] = sorted(self.others, key=lambda other: other[0])
        return data

    def _add_others(self, rows: Iterable[int]) -> None:
        """Add the values of rows at the first reading, where they or the baseline are no whole numbers."""
        for row in rows:
            now, was = self.values[row], self.still[row]
            if type(now) is not int:
                self.others.append((0, row, to_json(now)))
            elif type(was) is not int:
                self.others.append((0, row, None))

    def _unlike_cells(self, rows: Iterable[int]) -> list[Cell]:
        """Return the differences of rows from the baseline, at the first reading."""
        pairs = ((row, self.values[row], self.still[row]) for row in rows)
        cells = ((0, row, _whole(now) - _whole(was)) for row, now, was in pairs)
        return [cell for cell in cells if cell[2]]


def _whole(value: Value) -> int:
    return value if type(value) is int else 0


def _add_to_numbers(values: list[Any], cells: Iterable[tuple[int, int]]) -> None:
    """Add differences to the values of rows; where there are no `others`, these are whole numbers."""
    try:
        for row, delta in cells:
            values[row] += delta
    except TypeError as error:
        raise Damaged(f"differences of what is no number: {error}") from error


# reading


def end_of(data: bytes) -> int:
    """Return the sample after the last of a segment, of which no more is read; 0 if it is not told first.

    Whoever asks has seen the checksum.
    """
    text = encoding.text_of(data[4 : 4 + int.from_bytes(data[:4], "little")])
    gaps = text[len(SAMPLES) : text.find(b"]", 0, MAX_SAMPLES_BYTES)] if text.startswith(SAMPLES) else b""
    try:
        return sum(map(int, gaps.split(b","))) + 1
    except ValueError:
        return 0


class _Column(NamedTuple):
    """One column of a segment, decoded."""

    still: list[Value]
    base: list[int] | None
    over: list[int] | None
    low: int
    scale: int
    width: int
    planes: bytes
    """The matrix: its numbers are `low` and `scale` times distances of `width` bytes in byte planes."""
    at: Sequence[int]
    where: Sequence[int]
    deltas: Sequence[int]
    """The cells: readings, rows and differences."""
    others: list[tuple[int, int, Value | None]]


class Segment:
    """A sealed segment; a column is decoded when it is used.

    Raises:
        Damaged: the bytes are no segment; also when a damaged column is used.
    """

    def __init__(
        self,
        layout: Layout,
        data: bytes,
        still: Callable[[int, int], list[Value]],
        ahead: Callable[[], Readings | None] = lambda: None,
    ) -> None:
        """Read the document; `still(number, count)` returns a baseline."""
        self.layout = layout
        self._ahead = ahead
        self._still = still
        size = int.from_bytes(data[:4], "little")
        self._body = memoryview(data)[4 + size :]
        text = encoding.text_of(data[4 : 4 + size])
        self._document_weight = encoding.weight(text)
        self._decoded_bytes = 0
        head = encoding.parsed(text)
        try:
            self.samples = list(accumulate(head["samples"]))
            self._anchors: list[int] = list(accumulate(head["anchors"]))
            follows = set(head["follows"])
            self.follows = [at in follows for at in range(len(self.samples))]
            self.carried = int(head["carried"])
            self._rows = self._unpacked_rows(head["rows"])
            self._over = self._unpacked_rows(head["over"])
            self._columns: dict[str, Any] = head["columns"]
            self.stills = [int(described["still"]) for described in self._columns.values()]
            """The numbers of the baselines that it refers to."""
            self._check(head["samples"])
        except Damaged:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise Damaged(f"a segment is damaged: {error}") from error
        self._place = {row: at for at, row in enumerate(self._rows)}
        self._over_place = {row: at for at, row in enumerate(self._over)}
        self._known: dict[str, _Column] = {}

    def _check(self, gaps: Sequence[int]) -> None:
        if not 0 < len(self.samples) == len(self._anchors) <= MAX_READINGS:
            raise Damaged(f"a segment of {len(self.samples)} readings")
        if not (all_whole(self.samples) and all_whole(self._anchors) and min(gaps[1:], default=1) > 0):
            raise Damaged("samples out of order")
        if not 0 <= self.carried < len(self.samples) or self._columns.keys() != {*self.layout.names, TIMES}:
            raise Damaged("a segment of another layout")

    @property
    def weight(self) -> int:
        """How much memory it takes, in values of some hundred bytes."""
        return self._document_weight + self._decoded_bytes // VALUE_BYTES

    @cached_property
    def ahead(self) -> Readings | None:
        """The segment of one reading which is the `prior` of the first one here."""
        return self._ahead()

    def anchor(self, reading: int) -> int:
        """Return the earliest time of a reading."""
        return self._anchors[reading]

    # decoding

    def _unpacked(self, described: Sequence[Any], count_: int) -> list[int]:
        low, scale, width, offset, length = map(int, described)
        data = bytes(self._body[offset : offset + length])
        return encoding.unpack(Packed(low, scale, width, data), count_)

    def _unpacked_rows(self, described: Sequence[Any]) -> list[int]:
        many, *packed = described
        if not 0 <= many <= len(self.layout.keys):
            raise Damaged(NOT_IN_LAYOUT)
        return self._checked_rows(list(accumulate(self._unpacked(packed, many))))

    def _checked_rows(self, rows: Sequence[int]) -> list[int]:
        if rows and (min(rows) < 0 or max(rows) >= len(self.layout.keys)):
            raise Damaged(NOT_IN_LAYOUT)
        return list(rows)

    def _column(self, name: str) -> _Column:
        column = self._known.get(name)
        if column is None:
            if self._decoded_bytes > MAX_DECODED_BYTES:
                self._known.clear()
                self._decoded_bytes = 0
            try:
                column = self._known[name] = self._decoded(self._columns[name])
            except Damaged:
                raise
            except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
                raise Damaged(f"column {name or 'times'} is damaged: {error}") from error
        return column

    def _decoded(self, described: Any) -> _Column:
        base, over = (
            self._unpacked(described[part], len(rows)) if part in described else None
            for part, rows in (("base", self._rows), ("over", self._over))
        )
        matrix = self._matrix(described["moves"]) if "moves" in described else (0, 1, 0, b"")
        at, where, deltas = self._cells(described)
        others = [self._other(other) for other in described.get("others", ())]
        still = self._still(described["still"], len(self.layout.keys))
        return _Column(still, base, over, *matrix, at, where, deltas, others)

    def _matrix(self, described: Sequence[Any]) -> tuple[int, int, int, bytes]:
        low, scale, width, offset, length = map(int, described)
        if not 0 <= width <= encoding.WORD:
            raise Damaged(f"differences of {width} bytes")
        size = width * len(self._rows) * (len(self.samples) - 1)
        self._decoded_bytes += size
        planes = encoding.inflate(bytes(self._body[offset : offset + length]), size) if width else b""
        return low, scale, width, planes

    def _cells(self, described: Any) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
        if "cells" in described:
            many, *parts = described["cells"]
            if not 0 <= many <= len(self.layout.keys) * len(self.samples):
                raise Damaged(TOO_MANY)
            self._decoded_bytes += CELL_BYTES * many
            at, where, deltas = (self._unpacked(part, many) for part in parts)
        elif "numbers" in described:
            at, where, deltas = map(list, zip(*described["numbers"], strict=True))
            if not (all_whole(at) and all_whole(where) and all_whole(deltas)):
                raise Damaged("differences that are no numbers")
        else:
            return (), (), ()
        return at, self._checked_rows(where), deltas

    def _other(self, described: Any) -> tuple[int, int, Value | None]:
        at, row, value = described
        if not all_whole((at, row)) or not (0 <= row < len(self.layout.keys) and 0 <= at < len(self.samples)):
            raise Damaged("values of unknown rows or readings")
        return at, row, None if value is None else from_json(value)

    # values

    def column(self, name: str, reading: int) -> list[Value]:
        """Return the values of a column; of `TIMES` the distances from the anchor."""
        column = self._column(name)
        values = column.still.copy()
        if column.base is not None:
            now = column.base
            if reading and (column.width or column.low):
                now = list(map(add, now, self._sums(column, reading)))
            for row, number in zip(self._rows, now, strict=True):
                values[row] = number
        if column.over is not None:
            for row, number in zip(self._over, column.over, strict=True):
                values[row] = number
        last = bisect_right(column.at, reading)
        cells = zip(column.where[:last], column.deltas[:last], strict=True)
        if column.others:
            for row, delta in cells:
                values[row] = _whole(values[row]) + delta
        else:
            _add_to_numbers(values, cells)
        for row, other in {row: other for at, row, other in column.others if at <= reading}.items():
            values[row] = _whole(values[row]) if other is None else other
        return values

    def _sums(self, column: _Column, reading: int) -> list[int]:
        """Return the sum of the first lines of the matrix, for each of its rows."""
        across, whole = len(self._rows), len(self._rows) * (len(self.samples) - 1)
        if not column.width:
            return [column.low * reading] * across
        if column.width < encoding.WORD:
            lines = encoding.slices(column.planes, column.width, across, reading, whole)
            sums = encoding.lanes(sum(lines), across).tolist()
        else:
            flat = encoding.words(encoding.spread(column.planes, encoding.WORD, across * reading, whole))
            sums = [sum(flat[at::across]) for at in range(across)]
        return encoding.restored(sums, column.low * reading, column.scale)

    def _path(self, column: _Column, at: int) -> list[int]:
        """Return the sum of the lines of the matrix up to each reading, for one of its rows."""
        if not column.width:
            return [column.low * reading for reading in range(len(self.samples))]
        across, whole = len(self._rows), len(self._rows) * (len(self.samples) - 1)
        distances = [0] * (len(self.samples) - 1)
        for plane in range(column.width):
            part = column.planes[plane * whole + at : (plane + 1) * whole : across]
            distances = list(map(add, distances, map(mul, part, repeat(1 << (8 * plane)))))
        return list(accumulate(chain((0,), encoding.restored(distances, column.low, column.scale))))

    def series(self, name: str, row: int) -> list[Value]:
        """Return the values of one row of a column at each reading."""
        column = self._column(name)
        readings = len(self.samples)
        values: list[Value]
        if column.base is not None and row in self._place:
            at = self._place[row]
            values = list(map(add, self._path(column, at), repeat(column.base[at])))
        elif column.over is not None and row in self._over_place:
            values = [column.over[self._over_place[row]]] * readings
        else:
            values = [column.still[row]] * readings
        if row in column.where:
            for when, where, delta in zip(column.at, column.where, column.deltas, strict=True):
                if where == row:
                    values[when:] = [_whole(value) + delta for value in values[when:]]
        others = [(when, other) for when, where, other in column.others if where == row]
        numbers = list(map(_whole, values)) if others else []
        for when, other in others:
            values[when:] = numbers[when:] if other is None else [other] * (readings - when)
        return values
