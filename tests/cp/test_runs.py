"""Perfect lines are found in a text, and make the rows that a careful look at each of them makes."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp import noise, runs
from zmon.cp.answers import parse
from zmon.cp.dasd import volume
from zmon.cp.virtual import disk

PERFECT: Final = (
    "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000",
    "DASD 0101 9336 A$B#C@ R/O 2147483640 BLK ON DASD  F001 SUBCHANNEL = 000A",
    "DASD 0102 3390 AB 1   R/W       3338 CYL ON DASD  7105 SUBCHANNEL = 000E",
    "DASD 0103 3390        R/W      10017 CYL ON DASD  7103 SUBCHANNEL = 000C",
    "DASD 0104 3390 CYL    R/O       3338 CYL ON DASD  7403 SUBCHANNEL = 0006  \r",
    "00: DASD 0105 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000",
    "DASD 7200 ON DASD  7610 R/W DB7200 SUBCHANNEL = 0004",
    "DASD 7201 ON DASD  7301 R/O        SUBCHANNEL = 0005",
    "1F: DASD 7202 ON DASD  7302 R/W DB1    SUBCHANNEL = 0006",
    "DASD 7110 CP SYSTEM LNX001   12",
    "DASD 71F0 CP SYSTEM          0 ",
    "DASD 7113 CP OWNED  0        3 ",
    "DASD 7602 ATTACHED TO LNX$1234 7602 R/W DB7602",
    "DASD 7605 ATTACHED TO VSE1     0140 R/O       ",
    "00: DASD 7606 ATTACHED TO VSE1     0141 R/O",
)
OTHER: Final = (
    "", "q v dasd", "Ready; T=0.01/0.01 10:22:33", "0", "DASD 7601 DETACHED",
    "DASD 7600 ATTACHED TO LINDB01 7600",
    PERFECT[0][:-1], f" {PERFECT[0]}", f"{PERFECT[0]} RESERVED", PERFECT[0].replace("CYL", "CLK"),
    PERFECT[0].replace("10016 CYL", "           10016 CYL"),
    PERFECT[0].replace(" 10016", "1 0016"), PERFECT[0].replace("R/W", "R/X"),
    PERFECT[0].replace(" 4A01", "14A01"), PERFECT[0].replace("4A01 ", "4A0\xe9 "),
    "7601  CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER =, CYLS = 10017",
)  # fmt: skip


@pytest.mark.parametrize("line", PERFECT)
def test_a_perfect_line_is_read_as_with_care(line: str) -> None:
    """The row is the same."""
    assert runs.perfect(line)
    careful = noise.bare(line, 7)
    assert runs.row(runs.bare(line), 7) == (disk(careful) or volume(careful))


@pytest.mark.parametrize("line", OTHER)
def test_other_lines_are_not_perfect(line: str) -> None:
    """Neither alone nor among many."""
    assert not runs.perfect(line)
    many = [PERFECT[0], line, PERFECT[0]] * 10
    assert all(line not in part for part, sort in runs.parts(many) if sort)


LINES: Final = st.lists(st.sampled_from((*PERFECT, *OTHER, *[PERFECT[0]] * 10)), max_size=60)


@given(LINES)
def test_parts_are_the_text(lines: list[str]) -> None:
    """In order, and a run has perfect lines alone."""
    found = list(runs.parts(lines))
    assert [line for part, _ in found for line in part] == lines
    assert all(runs.perfect(line) for part, sort in found if sort for line in part)


@given(LINES)
def test_a_text_is_read_as_with_care(lines: list[str]) -> None:
    """With a time stamp before each line none is perfect, and all comes out the same."""
    quick = parse([line.encode() for line in lines], "x")
    careful = parse([f"10:22:33 {line}".encode() for line in lines], "x")
    assert quick.rows.get("disk") == careful.rows.get("disk")
    assert quick.rows.get("volume") == careful.rows.get("volume")
    assert quick.conflicts == careful.conflicts
