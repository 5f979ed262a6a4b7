"""A column that stands still: the values of all rows at one time.

Most rows of most columns do not change for an hour: labels, and the counters of devices that rest.  They are
stored once, and segments of samples say only what is different.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from zmon.store.error import Damaged
from zmon.store.planes import Packed, pack, unpack
from zmon.store.value import dump, load, plain, value

if TYPE_CHECKING:
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


def encode(values: Sequence[Value]) -> bytes:
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
                palette.append(plain(one))
            found.append(known[name])
        codes = pack(found)
    try:
        packed = pack(whole, plain=True)
    except OverflowError:
        # numbers of more than 64 bits: as text they have room
        return _joined({"count": len(values), "all": [plain(one) for one in values]})
    head = {"count": len(values), "numbers": [*packed[:3], len(packed.data)]}
    if codes is None:
        return _joined(head, packed.data)
    head |= {"palette": palette, "codes": list(codes[:3])}
    return _joined(head, packed.data, codes.data)


def _joined(head: dict[str, object], *parts: bytes) -> bytes:
    described = dump(head)
    return b"".join((len(described).to_bytes(4, "little"), described, *parts))


def decode(data: bytes, count: int) -> list[Value]:
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
            found = [value(one) for one in head["all"]]
            if len(found) != count:
                raise Damaged(f"a column of {len(found)} rows where {count} are expected")  # noqa: TRY301
            return found
        *told, length = map(int, head["numbers"])
        whole = unpack(_packed(told, body[:length]), count)
        if "codes" not in head:
            return whole  # type: ignore[return-value]  # whole numbers are values
        palette = [value(one) for one in head["palette"]]
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


def digest(data: bytes) -> int:
    """Return the name of a content: the same bytes have the same, others another."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)
