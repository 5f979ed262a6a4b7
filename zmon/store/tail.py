"""A sample in the tail: what is different from the one before, as bytes that are quick to make.

In front a description in JSON, behind it the differences of one column after the other, little-endian, each
column as narrow as its numbers allow; both compressed together.  The description:

    [{kind: piece}, [kinds that are not sampled any more]]

A piece is `["step", anchor, rows, how the gaps between them stand, {column: how its differences stand},
{column: others}, follows]` or `["run", whole, ahead]`; whole is `[layout, anchor, {column: its still}]`.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from operator import sub
from typing import TYPE_CHECKING, Any, Final

from zmon.store.error import Damaged
from zmon.store.planes import LARGEST
from zmon.store.run import TIMES, Step
from zmon.store.still import all_whole
from zmon.store.value import compressed, expanded, parsed, plain, value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.store.run import Layout

WIDTHS: Final = ((1 << 7, "b"), (1 << 15, "h"), (1 << 31, "i"), (1 << 63, "q"))
"""What fits into one, two, four, eight bytes with a sign."""

RATIO: Final = 32
"""No sample expands to so many times its bytes: all differences of the tail are kept in memory."""

CODES: Final = frozenset(code for _, code in WIDTHS)


class Tail:
    """The bytes of one sample, piece by piece."""

    def __init__(self) -> None:
        """Begin empty."""
        self._pieces: dict[str, list[object]] = {}
        self._columns: list[bytes] = []

    def step(self, kind: str, step: Step) -> None:
        """Tell of a reading that differs from the one before."""
        others = {
            name: [[row, None if what is None else plain(what)] for row, what in found]
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
        return compressed(b"".join(parts), zlib.Z_RLE, RATIO)


class Told:
    """A sample of the tail, understood as far as its description goes.

    Raises:
        Damaged: it is none.
    """

    def __init__(self, data: bytes) -> None:
        """Read the description."""
        whole = expanded(data, LARGEST, RATIO)
        size = int.from_bytes(whole[:4], "little")
        found = parsed(whole[4 : 4 + size])
        if list(map(type, found if isinstance(found, list) else ())) != [dict, list]:
            raise Damaged("a sample is damaged")
        self.pieces, self.gone = found
        self._columns = memoryview(whole)[4 + size :]
        self._at = 0

    def step(self, sample: int, told: Any, layout: Layout) -> Step:
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
                name: [(_row(row, layout), None if what is None else value(what)) for row, what in cells]
                for name, cells in others.items()
            }
            return Step(sample, int(anchor), rows, changes, beside, bool(follows))
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
        if stands not in CODES:
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
