"""Runs of perfect lines: what makes the reading of long logs quick.

Nearly all lines of a long text are as CP writes them, one below the other: minidisks, dedicated volumes,
volumes of the system and of users, with real devices of four digits.  Runs of those are found almost without
a step of Python for each line, and stay lines until somebody asks for their rows.  All other lines are read
with care, one by one, and a perfect line that is read so makes the same row.
"""

from __future__ import annotations

import re
from itertools import compress, groupby, pairwise
from typing import TYPE_CHECKING, Final

from zmon.cp.dasd import Volume, volume
from zmon.cp.noise import Line
from zmon.cp.virtual import Disk, disk

if TYPE_CHECKING:
    from collections.abc import Iterator

_H4: Final = "[0-9A-F]{4}"
_LABEL: Final = "[A-Z0-9$#@ ]{6}"
_PERFECT: Final = (
    rf"(?:[0-9A-F]{{2}}: )?DASD {_H4} (?:"
    rf"[0-9]{{4}} {_LABEL} R/[WO] (?=[ 0-9]{{10}} [CB]) *[0-9]+ (?:CYL|BLK) ON DASD  {_H4} SUBCHANNEL = {_H4}"
    rf"|ON DASD  {_H4} R/[WO] {_LABEL} SUBCHANNEL = {_H4}"
    rf"|CP (?:OWNED |SYSTEM) {_LABEL}   [0-9]{{1,9}}"
    rf"|ATTACHED TO [A-Z0-9$#@][A-Z0-9$#@ ]{{7}} {_H4} R/[WO](?: [A-Z0-9$#@]{{1,6}})?"
    r") *\r?"
)
_RUN: Final = re.compile(rf"^((?:{_PERFECT}\n)+)", re.MULTILINE)
_FEW: Final = 8
"""Of so many lines it costs less to look at each."""

perfect: Final = re.compile(_PERFECT).fullmatch
"""Says whether a line is perfect."""

MINIDISKS: Final = "minidisks"
"""A run of minidisks without prefix."""
MIXED: Final = "mixed"
"""A run of several sorts, some with the prefix of a CPU."""
DISKS: Final = "0123456789O"
VOLUMES: Final = "CA"
"""What stands in column 10 of a bare line: the type of a minidisk, `ON`, `CP`, `ATTACHED`."""


def parts(lines: list[str]) -> Iterator[tuple[list[str], str]]:
    """Part lines into runs of perfect ones and what is between them; says what each part is.

    What is between may have perfect lines too.
    """
    marks = [len(line) == _WIDTH and line[:5] == "DASD " for line in lines]
    wide = list(compress(lines, marks))
    if not wide or not _regular(wide):
        yield from _mixed(lines)
    elif len(wide) == len(lines):
        yield lines, MINIDISKS
    else:
        begin = 0
        for is_regular, part in groupby(marks):
            end = begin + len(list(part))
            if is_regular:
                yield lines[begin:end], MINIDISKS
            else:
                yield from _mixed(lines[begin:end])
            begin = end


def _mixed(lines: list[str]) -> Iterator[tuple[list[str], str]]:
    if len(lines) < _FEW:
        yield lines, ""
        return
    for place, part in enumerate(_RUN.split("\n".join(lines) + "\n")):
        if part:
            yield part[:-1].split("\n"), MIXED if place % 2 else ""


def bare(line: str) -> str:
    """Return a line of a run without the prefix of a CPU."""
    return line[4:] if line[2] == ":" else line


def sort(line: str) -> type[Disk | Volume]:
    """Return the sort of row that a bare line of a run makes."""
    return Volume if line[10] in VOLUMES else Disk


def device(line: str) -> str:
    """Return the device that a bare line of a run is about."""
    return line[5:9]


def same(one: str, other: str) -> bool:
    """Say whether two bare lines about one device say the same, but for size, links and subchannel."""
    return _said(one) == _said(other)


def _said(line: str) -> str:
    begin = line[10]
    if begin.isdigit():
        return line[15:21] + line[50:54]
    return line[10:26] if begin == "C" else line[10:34] if begin == "O" else line[10:46].rstrip()


def moved(one: str, other: str) -> bool:
    """Say whether two bare lines are minidisks on different real devices."""
    return one[10].isdigit() and other[10].isdigit() and one[50:54] != other[50:54]


def row(line: str, number: int) -> Disk | Volume:
    """Return the row of a bare line of a run."""
    if line[10].isdigit():
        return Disk(
            line[5:9], "minidisk", line[10:14], line[15:21].strip(), line[22:25], int(line[26:36]),
            line[37:40], line[50:54], line[68:72], number,
        )  # fmt: skip
    found = (disk if line[10] == "O" else volume)(Line(line.rstrip(), number))
    if found is None:
        raise ValueError(f"line {number} is of no run: {line[:80]!r}")
    return found


# minidisks alone

_WIDTH: Final = 72
_CLASSES: Final = {
    "x": b"0123456789ABCDEF", "t": b"0123456789", "l": b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@ ",
    "m": b"WO", "s": b" 0123456789", "d": b"0123456789", "1": b"CB", "2": b"YL", "3": b"LK",
}  # fmt: skip
_COLUMNS: Final = tuple(
    _CLASSES.get(character, character.encode())
    for character in "DASD xxxx tttt llllll R/m sssssssssd 123 ON DASD  xxxx SUBCHANNEL = xxxx"
)
"""What may stand in each column."""
_UNIT: Final = 37
_UNITS: Final = ((1, bytes.maketrans(b"CB", b"YL")), (2, bytes.maketrans(b"CB", b"LK")))
"""What stands behind the first letter of the unit."""
_SIZE: Final = range(26, 36)
_BLANKS: Final = bytes(character == ord(" ") for character in range(256))
"""One for a blank and zero for a digit: behind a digit of a number no blank may come."""


def _regular(lines: list[str]) -> bool:
    """Say whether all of lines of the right length are perfect minidisks, column by column."""
    text = "\n".join(lines)
    if not text.isascii():
        return False
    data, step = text.encode("ascii"), _WIDTH + 1
    if any(data[place::step].translate(None, allowed) for place, allowed in enumerate(_COLUMNS)):
        return False
    unit = data[_UNIT::step]
    if any(data[_UNIT + place :: step] != unit.translate(other) for place, other in _UNITS):
        return False
    blanks = [int.from_bytes(data[place::step].translate(_BLANKS)) for place in _SIZE]
    return not any(later & ~earlier for earlier, later in pairwise(blanks))
