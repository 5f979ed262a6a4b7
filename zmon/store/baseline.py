"""A baseline: the values of all rows of a column at one time, stored once in the table `still`.

Most rows of most columns do not change for an hour: labels, and the counters of devices that rest.  Segments
refer to their baselines and hold only what is different.
"""

from __future__ import annotations

import hashlib
import itertools
from typing import TYPE_CHECKING, NamedTuple

from zmon.store.column_encoding import Packed, dump, from_json, load, pack, to_json, unpack
from zmon.store.file_format import Damaged, checked, crc

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from zmon.absent import Value


def all_whole(values: Sequence[Value]) -> bool:
    """Tell whether a column holds whole numbers only, which is the rule for counters."""
    return set(map(type, values)) <= {int}


def numbers(values: Sequence[Value]) -> Sequence[int]:
    """Return a column with 0 in the place of everything that is no whole number."""
    if all_whole(values):
        return values  # type: ignore[return-value]  # just looked
    return [v if type(v) is int else 0 for v in values]


def encode_column(values: Sequence[Value]) -> bytes:
    """Return a column as bytes: a description in JSON, behind it the packed numbers and codes.

    What is no whole number stands in a palette; codes say which row has which, 0 for a number.
    """
    palette: list[object] = []
    codes: Packed | None = None
    whole = numbers(values)
    if whole is not values:
        known: dict[tuple[type, object], int] = {}
        found = []
        for one in values:
            if type(one) is int:
                found.append(0)
                continue
            name = (type(one), repr(one) if type(one) is float else one)  # -0.0 is not 0.0, and nan is nan
            if name not in known:
                known[name] = len(palette) + 1
                palette.append(to_json(one))
            found.append(known[name])
        codes = pack(found)
    try:
        packed = pack(whole, plain=True)
    except OverflowError:
        # numbers of more than 64 bits: as text they have room
        return _joined({"count": len(values), "all": [to_json(one) for one in values]})
    head = {"count": len(values), "numbers": [*packed[:3], len(packed.data)]}
    if codes is None:
        return _joined(head, packed.data)
    head |= {"palette": palette, "codes": list(codes[:3])}
    return _joined(head, packed.data, codes.data)


def _joined(head: dict[str, object], *parts: bytes) -> bytes:
    described = dump(head)
    return b"".join((len(described).to_bytes(4, "little"), described, *parts))


def decode_column(data: bytes, count: int) -> list[Value]:
    """Return the column of `count` rows that `encode` made bytes of.

    Raises:
        Damaged: it is something else.
    """
    try:
        size = int.from_bytes(data[:4], "little")
        head, body = load(data[4 : 4 + size]), data[4 + size :]
        if head["count"] != count:
            raise Damaged(f"a column of {head['count']} rows where {count} are expected")  # noqa: TRY301
        if "all" in head:
            found = [from_json(one) for one in head["all"]]
            if len(found) != count:
                raise Damaged(f"a column of {len(found)} rows where {count} are expected")  # noqa: TRY301
            return found
        *told, length = map(int, head["numbers"])
        whole = unpack(_packed(told, body[:length]), count)
        if "codes" not in head:
            return whole  # type: ignore[return-value]  # whole numbers are values
        palette = [from_json(one) for one in head["palette"]]
        codes = unpack(_packed([int(one) for one in head["codes"]], body[length:]), count)
        if min(codes, default=0) < 0:
            raise Damaged("a column of values that are not there")  # noqa: TRY301 - one way out
        if min(codes, default=0) > 0:
            return [palette[code - 1] for code in codes]
        return [palette[code - 1] if code else one for code, one in zip(codes, whole, strict=True)]
    except Damaged:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise Damaged(f"a column is damaged: {error}") from error


def _packed(told: Sequence[int], data: bytes) -> Packed:
    low, scale, width = told
    return Packed(low, scale, width, data)


def content_digest(data: bytes) -> int:
    """Return the name of a content: the same bytes have the same, others another."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)


class Baselines:
    """The baselines of one recording, as its writer sees them.

    Numbers are given here and not by SQLite, so that a segment can name a column before both are written.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Go on behind those that are there."""
        last = connection.execute("SELECT max(id) FROM still").fetchone()[0]
        self._numbers = itertools.count((last or 0) + 1)

    def find(
        self, connection: sqlite3.Connection, values: Sequence[Value], new: list[NewBaseline]
    ) -> tuple[int, int]:
        """Return the number of a column and how many bytes it takes; a new one is added to `new`."""
        body = encode_column(values)
        digest = content_digest(body)
        row = connection.execute("SELECT id FROM still WHERE digest = ?", (digest,)).fetchone()
        if row is not None:
            return int(row[0]), len(body)
        for number, known, _body in new:
            if known == digest:
                return number, len(body)
        number = next(self._numbers)
        new.append(NewBaseline(number, digest, body))
        return number, len(body)


class NewBaseline(NamedTuple):
    """A baseline that is to be written."""

    number: int
    digest: int
    body: bytes


def write_baselines(connection: sqlite3.Connection, new: Sequence[NewBaseline]) -> None:
    """Write baselines."""
    connection.executemany(
        "INSERT INTO still (id, digest, body, crc) VALUES (?, ?, ?, ?)",
        [(*one, crc(one.body, "still", one.number)) for one in new],
    )


def load_baseline(connection: sqlite3.Connection, number: int, count: int) -> list[Value]:
    """Return a baseline of `count` rows.

    Raises:
        Damaged: it is not there, or not understood.
    """
    row = connection.execute("SELECT body, crc FROM still WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise Damaged(f"column {number} is not in the dictionary")
    body, expected = row
    return decode_column(checked(body, expected, "still", number), count)
