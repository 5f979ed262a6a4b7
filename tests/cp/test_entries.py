"""Entries of a user directory are found in any text, and nothing else is taken for one."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.entries import APART, parse
from zmon.cp.told import BOTH, CONSOLE, Text, read, told_of

CONSOLES = Path(__file__).parents[1] / "fixtures" / "console"
DISK = "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n"
ENTRY = "USER LINDB01 XXXXXXXX 4G 8G G\n MDISK 0100 3390 1 END LNX001 MR\n"


def console(name: str) -> Text:
    """Read a console log."""
    return read((CONSOLES / f"{name}.txt").read_bytes(), name)


def labels(text: str) -> list[tuple[str, str, str]]:
    """Return what the directory entries of a text say: user, device, label."""
    return [(claim.user, claim.vdev, claim.volser) for claim in parse(text.encode(), "x").claims()]


def test_a_console_log_is_no_directory() -> None:
    """Echoed links, logon messages and the status lines of a 3270 script are no statements."""
    text = console("script-3270")
    assert not text.directory.entries
    assert [row.vdev for row in text.answers.rows["disk"]] == ["0190", "0191", "043A", "7200"]
    assert [line for line, _ in text.unknown] == [2, 3]


@pytest.mark.parametrize(
    "line",
    ["user direct is shown below", "user linux1 not logged on", "link x 190 190 rr",
     "link x 190 190 rr secret", "U F U C(host) I 4 24 80 5 0 0x0 0.001", "L U U N N 4 43 80 0 0 0x0 -",
     "USER A : RELATIVE SHARE =   100", "profile exec runs at logon", "dedicate a volume",
     "MDISK", "include the following:"],
)  # fmt: skip
def test_one_line_never_makes_a_directory_of_answers(line: str) -> None:
    """The answer below it is understood."""
    for text in (f"{line}\n{DISK}", f"{DISK}{line}\n", f"{line}\n" * 3 + DISK):
        found = read(text.encode(), "x")
        assert not found.directory.entries
        assert [row.rdev for row in found.answers.rows["disk"]] == ["4A01"]


def test_a_console_log_may_show_an_entry() -> None:
    """Both are understood, with their own line numbers; a statement that is not known is counted."""
    text = console("listed-entry")
    assert [(claim.vdev, claim.line) for claim in text.directory.claims()] == [
        ("043A", 15), ("0B54", 16), ("0190", 17),
    ]  # fmt: skip
    assert [(claim.vdev, claim.line) for claim in text.answers.claims()] == [("043A", 23), ("0B54", 24)]
    assert (text.unknown_count, [line for line, _ in text.unknown]) == (2, [6, 14])


def test_prose_ends_an_entry() -> None:
    """What is quoted below it stays, but is doubtful and nobody's."""
    found = console("mail").directory.claims()
    assert [(claim.user, claim.volser, claim.weak) for claim in found] == [
        ("LINDB01", "LNX001", ""),
        ("LINDB01", "LNX002", ""),
        ("", "OLD777", APART),
    ]


def test_two_guests_of_a_console_stay_apart() -> None:
    """The disk 0100 of each is its own."""
    claims = console("two-guests").answers.claims()
    assert [(claim.user, claim.rdev) for claim in claims] == [
        ("LINDB01", "4A01"), ("LINDB01", "4A02"), ("LINDB02", "4B01"),
    ]  # fmt: skip
    assert console("two-guests").unknown_count == 0


@pytest.mark.parametrize("prefix", ["", "00: ", "10:22:33 ", "data: ", "10:22:33 00: "])
def test_an_entry_on_a_console_has_its_prefix(prefix: str) -> None:
    """It is the same entry."""
    text = "".join(f"{prefix}{line}\n" for line in (ENTRY + DISK).splitlines())
    found = read(text.encode(), "x")
    assert [claim.volser for claim in found.directory.claims()] == ["LNX001"]
    assert [claim.rdev for claim in found.answers.claims()] == ["4A01"]


@pytest.mark.parametrize(
    "between",
    [DISK, "Ready; T=0.01/0.01 14:02:01\n", "The next file has this line.\n", "q v dasd\n",
     "CPU 00  ID  FF01ABCD28278000 (BASE) CP   CPUAFF ON\n", "CONS 0009 ON LDEV L0003   TERM START\n",
     "USER LINUX2 : RELATIVE SHARE =   100\n", "Option 3 is better, load the module\n"],
)  # fmt: skip
def test_what_is_no_statement_ends_an_entry(between: str) -> None:
    """A statement below it is not claimed for that guest."""
    assert labels(f"{ENTRY}{between} MDISK 0102 3390 1 END OLD777 MR\n") == [
        ("LINDB01", "0100", "LNX001"),
        ("", "0102", "OLD777"),
    ]


@pytest.mark.parametrize(
    "between",
    ["", "\n", "* comment\n", " NEWSTMT 12\n", " MDISK 0101\n", " CONS 0009 3215 T\n", " OPTION LNKNOPAS\n",
     " COMMAND COUPLE 0600 TO SYSTEM VSW1\n", " command couple 0600 to system vsw1\n"],
)  # fmt: skip
def test_what_may_stand_in_an_entry_does_not_end_it(between: str) -> None:
    """Comments, statements without a disk, and one that is wrong or not known."""
    assert labels(f"{ENTRY}{between} MDISK 0102 3390 1 END LNX002 MR\n")[1:] == [
        ("LINDB01", "0102", "LNX002")
    ]


def test_many_strange_records_end_an_entry() -> None:
    """Three may be new statements; more are something else."""
    strange = " NEWSTMT 12\n" * 4
    assert labels(f"{ENTRY}{strange} MDISK 0102 3390 1 END LNX002 MR\n")[1][0] == ""


def test_a_part_of_an_entry_is_this_guests() -> None:
    """Where no entry stands before it; links alone are no part of one."""
    assert labels("LINK MAINT 190 190 RR\nMDISK 0100 3390 1 END LNX001 MR\n")[-1] == ("", "0100", "LNX001")
    assert labels("LINK MAINT 190 190 RR\n") == []


@pytest.mark.parametrize(
    "text",
    ["PROFILE IBMDFLT\n SPOOL 000C 2540 READER *\n CONSOLE 009 3215 T\n", "USER LINDB02 NOLOG\n INCLUDE P\n",
     "USER LINDB02 XXXXXXXX 1G 2G G\n"],
)  # fmt: skip
def test_an_entry_without_a_device_is_an_entry(text: str) -> None:
    """It is read and counted, and claims nothing."""
    found = read(text.encode(), "x")
    assert (len(found.directory.entries), found.unknown_count, found.directory.claims()) == (1, 0, [])


def test_a_text_with_both_says_so() -> None:
    """And of a text of answers it is not said."""
    (report,) = told_of([("x", (ENTRY + DISK).encode())], "LINDB01").reports
    assert (report.sort, report.counts["user"], report.counts["disk"]) == (BOTH, 1, 1)
    assert told_of([("x", DISK.encode())]).reports[0].sort == CONSOLE


def test_a_line_near_an_entry_is_not_shown() -> None:
    """It may be what is left of a statement with a password."""
    found = read(f"{ENTRY}and so on: SECRET\n%%% SECRET\n".encode(), "x")
    assert found.unknown_count == 2
    assert "SECRET" not in repr((found.unknown, found.odd, found.directory.unread))


@given(st.data())
def test_any_mixture_of_lines_is_read(data: st.DataObject) -> None:
    """Every answer that is whole is understood, whatever stands around it, and no line is counted twice."""
    pool = [line for path in sorted(CONSOLES.glob("*.txt")) for line in path.read_text().splitlines()]
    drawn = data.draw(st.lists(st.sampled_from(pool) | st.text(max_size=30), max_size=25))
    lines = "\n".join(drawn).split("\n")
    found = read("\n".join([*lines, DISK]).encode("utf-8", "replace"), "x")
    assert "4A01" in {row.rdev for row in found.answers.rows["disk"]}
    spans = found.directory.lines
    assert all(first <= last for first, last in spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans))


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    """Nothing is raised, and lines are counted as they are in the text."""
    found = read(data, "x")
    assert found.unknown_count <= len(io.BytesIO(data.replace(b"\r", b"\n")).readlines()) + 1
