"""Files as a sample holds them: each with the bytes of the device where it lies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent

if TYPE_CHECKING:
    from zmon.absent import Number, Value
    from zmon.sample import Frame

_RANGE: Final = re.compile(r"([0-9a-f]{1,16})\+([0-9a-f]{1,16})", re.ASCII)


class File(NamedTuple):
    """A file or device that holds something, such as a tablespace; a row of `CONTAINER`."""

    path: str
    database: str
    tablespace: str
    role: str
    listed: str
    """Where it is listed; empty when nobody lists it."""
    real: str | Absent
    """The path without links; of a file in an overlay, that in the layer which holds it."""
    number: str | Absent
    """What `ranges` count on: a block device, or a btrfs."""
    mount: str | Absent
    """The id of the mount through which it is seen."""
    ranges: tuple[tuple[int, int], ...] | Absent
    """[begin, end) in bytes."""
    said: tuple[tuple[str, str], ...]
    """What was asked, and what it said."""
    size: Number
    declared: Number
    """Bytes that the listing says."""
    unplaced: Number
    unwritten: Number
    shared: Number
    encoded: Number
    """Bytes of compressed extents, whose length on the device is not told."""


def files_in(frame: Frame) -> list[File]:
    """Return the files of a sample."""
    columns = {name: frame.column(name) for name in File._fields[1:]}
    return [
        File(
            path,
            database=_text(columns["database"][row]),
            tablespace=_text(columns["tablespace"][row]),
            role=_text(columns["role"][row]),
            listed=_text(columns["listed"][row]),
            real=_given(columns["real"][row]),
            number=_given(columns["number"][row]),
            mount=_given(columns["mount"][row]),
            ranges=_ranges(columns["ranges"][row]),
            said=_said(columns["said"][row]),
            size=_number(columns["size"][row]),
            declared=_number(columns["declared"][row]),
            unplaced=_number(columns["unplaced"][row]),
            unwritten=_number(columns["unwritten"][row]),
            shared=_number(columns["shared"][row]),
            encoded=_number(columns["encoded"][row]),
        )
        for row, path in enumerate(frame.keys)
    ]


def parse_ranges(content: str) -> tuple[tuple[int, int], ...]:
    """Read words FIRST+LENGTH in hex; return [begin, end) of each.

    Raises:
        ValueError: a word has another form.
    """
    found = []
    for word in content.split():
        match = _RANGE.fullmatch(word)
        if match is None:
            raise ValueError(f"not FIRST+LENGTH in hex: {word[:40]!r}")
        first = int(match[1], 16)
        found.append((first, first + int(match[2], 16)))
    return tuple(found)


def _given(value: Value) -> str | Absent:
    return value if isinstance(value, Absent) else str(value)


def _text(value: Value) -> str:
    return "" if isinstance(value, Absent) else str(value)


def _number(value: Value) -> Number:
    return absent(f"not a number: {value[:40]!r}") if isinstance(value, str) else value


def _ranges(value: Value) -> tuple[tuple[int, int], ...] | Absent:
    if isinstance(value, Absent):
        return value
    try:
        return parse_ranges(str(value))
    except ValueError as error:
        return absent(str(error))


def _said(value: Value) -> tuple[tuple[str, str], ...]:
    lines = (line.partition(": ") for line in _text(value).split("\n"))
    return tuple((source, said) for source, colon, said in lines if colon)
