"""A sealed run: the readings of about a minute as one block of bytes with a description in front.

The values of most rows are those of a baseline (`baseline`); the segment holds what is different.
Rows that move often have a matrix of differences, one line per reading; the few others are cells.

The description, compressed JSON:

    samples   numbers of the samples that have a reading, each as distance from the one before
    carried   how many of them the segment before has already
    follows   readings whose `prior` is the reading before
    anchors   earliest time of each reading, likewise as distances
    rows      the rows of the matrices
    over      other rows that are not as they stood, in several columns
    columns   per column: `still` the number of its baseline; `base` and `over` the values of those
              rows at the first reading; `moves` the matrix; `cells` three columns: reading, row,
              difference; `others` what is no whole number, as [reading, row, value]

Packed columns are described as [low, scale, width, offset, length] of the bytes behind the description
(`column_encoding`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cached_property
from itertools import accumulate, chain, compress, count, repeat
from operator import add, mul, ne, sub
from typing import TYPE_CHECKING, Any, Final

from zmon.store import column_encoding as encoding
from zmon.store.baseline import all_whole, numbers
from zmon.store.column_encoding import Packed, dump, from_json, pack, parsed, text_of, to_json, weight
from zmon.store.file_format import Damaged
from zmon.store.readings import TIMES, Layout, Readings, apply_change

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.absent import Value
    from zmon.store.readings import OpenSegment

MAX_READINGS: Final = 240
"""Readings in a segment at the most: lanes of 64 bits then hold the sum of numbers of 56."""

OFTEN: Final = 4
"""A row has its line in the matrices if it moved in every fourth reading or more."""


VALUE: Final = 64
"""Bytes that one value of a description takes, roughly."""

SHARED: Final = 3
"""Rows that are not as they stood in so many columns are told of together."""


class SegmentBody:
    """The bytes behind the description; the same bytes are stored once."""

    def __init__(self) -> None:
        """Begin empty."""
        self.parts: list[bytes] = []
        self._size = 0
        self._known: dict[bytes, int] = {}

    def put(self, packed: Packed) -> list[int]:
        """Add a packed column and return how the description tells of it."""
        if not packed.data:
            return [packed.low, 1, 0, 0, 0]
        offset = self._known.get(packed.data)
        if offset is None:
            offset = self._known[packed.data] = self._size
            self.parts.append(packed.data)
            self._size += len(packed.data)
        return [*packed[:3], offset, len(packed.data)]


NumberedBaseline = tuple[int, "Sequence[Value]"]
"""The number of a still column, and its values."""


def seal(run: OpenSegment, stand: Callable[[str, list[Value], int], NumberedBaseline]) -> bytes:
    """Return a run as bytes.

    `stand(name, values, moving)` says which still column to refer to, given the values at the first reading
    and how many rows the segment tells itself.
    """
    steps = run.steps
    moves: dict[int, int] = {}
    for step in steps[1:]:
        for row in step.rows:
            moves[row] = moves.get(row, 0) + 1
    least = max(2, len(steps) // OFTEN)
    rows = sorted(row for row, often in moves.items() if often >= least)
    place = {row: at for at, row in enumerate(rows)}
    # where the rows of each step stand in the matrices; None where all of them stand just so
    placed = [None if step.rows == rows else [place.get(row) for row in step.rows] for step in steps]
    body = SegmentBody()
    head: dict[str, object] = {
        "samples": _gaps(run.samples),
        "carried": run.carried,
        "follows": [at for at, follows in enumerate(run.follows) if follows],
        "anchors": _gaps([step.anchor for step in steps]),
        "rows": [len(rows), *body.put(pack(_gaps(rows)))],
    }
    columns = {name: _Said(run, name, rows, place, placed, stand) for name in (*run.layout.names, TIMES)}
    often = Counter(row for column in columns.values() for row in column.odd)
    over = sorted(row for row, many in often.items() if many >= SHARED)
    head["over"] = [len(over), *body.put(pack(_gaps(over)))]
    head["columns"] = {name: column.told(rows, over, body) for name, column in columns.items()}
    described = dump(head)
    return b"".join((len(described).to_bytes(4, "little"), described, *body.parts))


def _gaps(numbers_: Sequence[int]) -> list[int]:
    return list(map(sub, numbers_, [0, *numbers_]))


class _Said:
    """What is to be said of one column."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a column is told by
        self,
        run: OpenSegment,
        name: str,
        rows: list[int],
        place: dict[int, int],
        placed: Sequence[Sequence[int | None] | None],
        stand: Callable[[str, list[Value], int], NumberedBaseline],
    ) -> None:
        steps = run.steps
        before = run.before.get(name)
        self.values: list[Value] = [0] * len(run.layout.keys) if before is None else list(before)
        apply_change(steps[0], name, self.values)
        self.lines, self.cells, self.others = _matrix(steps, name, place, placed)
        self.number, self.still = stand(name, self.values, len(rows) + len(self.cells))
        self.odd: list[int] = []
        """Rows beside those of the matrix that are not as they stood."""
        if self.still is not self.values and (self.lines is not None or self.still != self.values):
            unlike = compress(count(), map(ne, self.values, self.still))
            self.odd = [row for row in unlike if row not in place]

    def told(self, rows: list[int], over: list[int], body: SegmentBody) -> dict[str, object]:
        """Return how the description tells of it."""
        values, still = self.values, self.still
        found: dict[str, object] = {"still": self.number}
        if still is values and self.lines is None:
            return found | _cells(self.cells, self.others, body)
        odd, cells = self.odd, self.cells
        if 2 * len(odd) > len(over) > 0:
            try:
                found["over"] = body.put(pack(numbers([values[row] for row in over]), plain=True))
            except OverflowError:
                pass
            else:
                rest = set(over)
                self._else(over)
                odd = [row for row in odd if row not in rest]
        if self.lines is not None or any(values[row] != still[row] for row in rows):
            try:
                base = body.put(pack(numbers([values[row] for row in rows]), plain=True))
                moves = {} if self.lines is None else {"moves": body.put(pack(self.lines))}
                found |= {"base": base, **moves}
            except OverflowError:
                # beyond 64 bits: told cell by cell
                cells = cells + _differing(rows, values, still) + _as_cells(self.lines or [], rows)
            self._else(rows)
        self._else(odd)
        return found | _cells(_differing(odd, values, still) + cells, self.others, body)

    def _else(self, rows: Sequence[int]) -> None:
        """Tell what is, or stood, no whole number in some rows."""
        for row in rows:
            now, was = self.values[row], self.still[row]
            if type(now) is not int:
                self.others.append((0, row, to_json(now)))
            elif type(was) is not int:
                self.others.append((0, row, None))


def _cells(
    told: list[tuple[int, int, int]], others: list[tuple[int, int, object]], body: SegmentBody
) -> dict[str, object]:
    """Return how the description tells of single differences, and of what is no whole number."""
    found: dict[str, object] = {}
    if told:
        told.sort()
        try:
            parts = [body.put(pack(part, plain=True)) for part in zip(*told, strict=True)]
            found["cells"] = [len(told), *parts]
        except OverflowError:
            found["numbers"] = told
    if others:
        others.sort(key=lambda other: other[0])
        found["others"] = others
    return found


def _differing(
    rows: Sequence[int], values: Sequence[Value], still: Sequence[Value]
) -> list[tuple[int, int, int]]:
    found = []
    for row in rows:
        now, was = values[row], still[row]
        delta = (now if type(now) is int else 0) - (was if type(was) is int else 0)
        if delta:
            found.append((0, row, delta))
    return found


def _as_cells(lines: Sequence[int], rows: Sequence[int]) -> list[tuple[int, int, int]]:
    across = len(rows)
    return [(at // across + 1, rows[at % across], delta) for at, delta in enumerate(lines) if delta]


def _matrix(
    steps: Sequence[Any], name: str, place: dict[int, int], placed: Sequence[Sequence[int | None] | None]
) -> tuple[list[int] | None, list[tuple[int, int, int]], list[tuple[int, int, object]]]:
    """Return the differences of the rows that move often, line by line, of the others, and what is else."""
    across = len(place)
    lines: list[int] = []
    cells: list[tuple[int, int, int]] = []
    others: list[tuple[int, int, object]] = []
    still = True
    for reading, step in enumerate(steps[1:], 1):
        deltas = step.deltas.get(name)
        if deltas is None:
            lines += repeat(0, across)
        elif (places := placed[reading]) is None:
            lines += deltas
            still = False
        else:
            line = [0] * across
            for at, row, delta in zip(places, step.rows, deltas, strict=True):
                if delta:
                    if at is None:
                        cells.append((reading, row, delta))
                    else:
                        line[at] = delta
                        still = False
            lines += line
        others += [
            (reading, row, None if what is None else to_json(what)) for row, what in step.others.get(name, ())
        ]
    return None if still else lines, cells, others


class _Column:
    """What a segment says of one column, decoded as far as it was needed."""

    __slots__ = (
        "across",
        "at",
        "base",
        "cells",
        "low",
        "others",
        "over",
        "planes",
        "scale",
        "still",
        "where",
        "width",
    )

    def __init__(self) -> None:
        self.still: list[Value] = []
        self.base: list[int] | None = None
        self.over: list[int] | None = None
        self.low = 0
        self.scale = 1
        self.width = 0
        self.planes = b""
        self.across = 0
        self.at: Sequence[int] = ()
        self.where: Sequence[int] = ()
        self.cells: Sequence[int] = ()
        self.others: list[tuple[int, int, Value | None]] = []


def _other(told: Any, rows: int) -> tuple[int, int, Value | None]:
    at, row, what = told
    if not all_whole((at, row)) or not 0 <= row < rows:
        raise Damaged("rows that are not there")
    return at, row, None if what is None else from_json(what)


class Segment:
    """A sealed run; columns are decoded when they are looked at.

    Raises:
        Damaged: the bytes are none of a segment; also when a column is looked at that is.
    """

    def __init__(
        self,
        layout: Layout,
        data: bytes,
        still: Callable[[int, int], list[Value]],
        ahead: Callable[[], Readings | None] = lambda: None,
    ) -> None:
        """Understand the description; `still(number, count)` gives the columns that stand still."""
        self.layout = layout
        self._ahead = ahead
        self._still = still
        size = int.from_bytes(data[:4], "little")
        self._body = memoryview(data)[4 + size :]
        text = text_of(data[4 : 4 + size])
        self.weight = weight(text)
        """How much memory it takes, in values of some hundred bytes."""
        head = parsed(text)
        try:
            self.samples = list(accumulate(head["samples"]))
            self._anchors: list[int] = list(accumulate(head["anchors"]))
            follows = set(head["follows"])
            self.follows = [at in follows for at in range(len(self.samples))]
            self.carried = int(head["carried"])
            many, *told = head["rows"]
            self._rows = list(accumulate(self._packed(told, many)))
            many, *told = head["over"]
            self._over = list(accumulate(self._packed(told, many)))
            self._columns: dict[str, Any] = head["columns"]
            rows = len(layout.keys)
            self.stills = [int(told["still"]) for told in self._columns.values()]
            """The numbers of the columns that it refers to."""
            if not 0 < len(self.samples) == len(self._anchors) <= MAX_READINGS:
                raise Damaged(f"a segment of {len(self.samples)} readings")  # noqa: TRY301 - one way out
            if not (
                all_whole(self.samples)
                and all_whole(self._anchors)
                and min(head["samples"][1:], default=1) > 0
            ):
                raise Damaged("samples out of order")  # noqa: TRY301 - likewise
            if not 0 <= self.carried < len(self.samples) or self._columns.keys() != {*layout.names, TIMES}:
                raise Damaged("another segment than its layout tells")  # noqa: TRY301 - likewise
            told_of = self._rows + self._over
            if told_of and (min(told_of) < 0 or max(told_of) >= rows):
                raise Damaged("rows that are not there")  # noqa: TRY301 - likewise
        except Damaged:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise Damaged(f"a segment is damaged: {error}") from error
        self._place = {row: at for at, row in enumerate(self._rows)}
        self._beside = {row: at for at, row in enumerate(self._over)}
        self._known: dict[str, _Column] = {}

    @cached_property
    def ahead(self) -> Readings | None:
        """The run of one reading which is the `prior` of the first one here."""
        return self._ahead()

    def _packed(self, told: Sequence[Any], many: int) -> list[int]:
        low, scale, width, offset, length = map(int, told)
        return encoding.unpack(Packed(low, scale, width, bytes(self._body[offset : offset + length])), many)

    def anchor(self, reading: int) -> int:
        """Return the earliest time of a reading."""
        return self._anchors[reading]

    def _column(self, name: str) -> _Column:
        known = self._known.get(name)
        if known is None:
            try:
                known = self._understand(name)
            except Damaged:
                raise
            except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
                raise Damaged(f"column {name or 'times'} is damaged: {error}") from error
            self._known[name] = known
        return known

    def _understand(self, name: str) -> _Column:
        told = self._columns[name]
        column = _Column()
        rows, across = len(self.layout.keys), len(self._rows)
        column.still = self._still(told["still"], rows)
        column.across = across
        if "base" in told:
            column.base = self._packed(told["base"], across)
        if "over" in told:
            column.over = self._packed(told["over"], len(self._over))
        if "moves" in told:
            self._lay_out(column, told["moves"])
        if "cells" in told:
            many, *parts = told["cells"]
            column.at, column.where, column.cells = (self._packed(part, many) for part in parts)
        elif "numbers" in told:
            column.at, column.where, column.cells = zip(*told["numbers"], strict=True)
        if not (all_whole(column.at) and all_whole(column.where) and all_whole(column.cells)):
            raise Damaged("differences that are no numbers")
        if column.where and not (min(column.where) >= 0 and max(column.where) < rows):
            raise Damaged("rows that are not there")
        column.others = [_other(told_, rows) for told_ in told.get("others", ())]
        return column

    def _lay_out(self, column: _Column, told: Sequence[Any]) -> None:
        """Decompress the matrix of a column."""
        column.low, column.scale, column.width, offset, length = map(int, told)
        if not 0 <= column.width <= encoding.WORD:
            raise Damaged(f"differences of {column.width} bytes")
        if column.width:
            size = column.width * column.across * (len(self.samples) - 1)
            column.planes = encoding.inflate(bytes(self._body[offset : offset + length]), size)
            self.weight += size // VALUE

    def column(self, name: str, reading: int) -> list[Value]:
        """Return what a column held at a reading; for `TIMES` the distances from the anchor."""
        column = self._column(name)
        values = column.still.copy()
        if column.base is not None:
            now: Sequence[int] = column.base
            if reading and (column.width or column.low):
                now = list(map(add, now, self._moved(column, reading)))
            for row, number in zip(self._rows, now, strict=True):
                values[row] = number
        if column.over is not None:
            for row, number in zip(self._over, column.over, strict=True):
                values[row] = number
        last = bisect_right(column.at, reading)
        for row, delta in zip(column.where[:last], column.cells[:last], strict=True):
            was = values[row]
            values[row] = (was if type(was) is int else 0) + delta
        if column.others:
            self._set_others(column, reading, values)
        return values

    def _set_others(self, column: _Column, reading: int, values: list[Value]) -> None:
        """Put in what is no whole number at a reading."""
        for at, row, what in column.others:
            if at > reading:
                break
            if what is not None:
                values[row] = what
            elif type(values[row]) is not int:
                values[row] = self._number(column, row, reading)

    def _moved(self, column: _Column, reading: int) -> list[int]:
        """Return how far each row of the matrix has moved since the first reading."""
        across, whole = column.across, column.across * (len(self.samples) - 1)
        if not column.width:
            return [column.low * reading] * across
        if column.width < encoding.WORD:
            lines = encoding.slices(column.planes, column.width, across, reading, whole)
            moved = encoding.lanes(sum(lines), across).tolist()
        else:
            flat = encoding.words(encoding.spread(column.planes, encoding.WORD, across * reading, whole))
            moved = [sum(flat[at::across]) for at in range(across)]
        return encoding.restored(moved, column.low * reading, column.scale)

    def _number(self, column: _Column, row: int, reading: int) -> int:
        """Return the whole number that a row holds, or would hold beside something else."""
        at = self._place.get(row)
        if column.base is not None and at is not None:
            number = column.base[at] + self._path(column, at)[reading]
        elif column.over is not None and row in self._beside:
            number = column.over[self._beside[row]]
        else:
            was = column.still[row]
            number = int(was) if isinstance(was, int) else 0
        last = bisect_right(column.at, reading)
        cells = zip(column.where[:last], column.cells[:last], strict=True)
        return number + sum(delta for where, delta in cells if where == row)

    def _path(self, column: _Column, at: int) -> list[int]:
        """Return how far one row of the matrix has moved, for each reading."""
        readings = len(self.samples)
        if not column.width:
            return [column.low * reading for reading in range(readings)]
        whole = column.across * (readings - 1)
        parts = [
            column.planes[plane * whole + at : (plane + 1) * whole : column.across]
            for plane in range(column.width)
        ]
        moves: list[int] = list(parts[0])
        for plane, part in enumerate(parts[1:], 1):
            moves = list(map(add, moves, map(mul, part, repeat(1 << (8 * plane)))))
        return list(accumulate(chain((0,), encoding.restored(moves, column.low, column.scale))))

    def series(self, name: str, row: int) -> list[Value]:
        """Return what one row of a column held at each reading."""
        column = self._column(name)
        readings = len(self.samples)
        at = self._place.get(row)
        was = column.still[row]
        values: list[Value]
        if column.base is not None and at is not None:
            values = list(map(add, self._path(column, at), repeat(column.base[at])))
        elif column.over is not None and row in self._beside:
            values = [column.over[self._beside[row]]] * readings
        else:
            values = [was] * readings
        if row in column.where:
            for when, where, delta in zip(column.at, column.where, column.cells, strict=True):
                if where == row:
                    for reading in range(when, readings):
                        now = values[reading]
                        values[reading] = (now if type(now) is int else 0) + delta
        for when, where, what in column.others:
            if where == row:
                for reading in range(when, readings):
                    values[reading] = self._number(column, row, reading) if what is None else what
        return values
