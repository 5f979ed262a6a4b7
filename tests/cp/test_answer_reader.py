"""No text makes the reader of answers fail, and none makes it map a device that the text does not."""

from __future__ import annotations

import io
import re
import time
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.answer import BY_WORDS
from zmon.cp.answer_reader import (
    LAST_LINE,
    MAX_KEPT,
    AnswerSet,
    parse,
    regular_row,
    split_runs,
    without_cpu,
)
from zmon.cp.answers_real import read_volume
from zmon.cp.answers_virtual import read_disk
from zmon.cp.console import CHUNK, strip_prefix

MINIDISK: Final = "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000"
DEDICATED: Final = "DASD 7200 ON DASD  7610 R/W DB7200 SUBCHANNEL = 0004"
LONG: Final = "DASD 0101 3390 LXSS1A R/W      10016 CYL ON DASD 11A02 SUBCHANNEL = 0001"
LONG_DEDICATED: Final = "DASD 0104 ON DASD 11B00 R/W LXSS1B SUBCHANNEL = 0004"
ATTACHED: Final = "DASD 7601 ATTACHED TO LINDB01  0301 R/O DB7601"
EXTENT: Final = "LINDB01  0200 LINDB01  0300 3390  AB7101 7101          1       3338"
LINES: Final = (MINIDISK, DEDICATED, LONG, LONG_DEDICATED, ATTACHED, EXTENT)

SAMPLES: Final = sorted((Path(__file__).parents[1] / "fixtures" / "cp").glob("*.txt"))
TEXTS: Final = [
    b"".join(line for line in path.read_bytes().splitlines(keepends=True) if not line.startswith(b"# "))
    for path in SAMPLES
]
CONSOLE: Final = [
    text for path, text in zip(SAMPLES, TEXTS, strict=True) if not path.stem.startswith("directory-")
]


def read(text: str | bytes) -> AnswerSet:
    """Read a text."""
    return parse(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text, "log.txt")


def pairs(found: AnswerSet) -> set[tuple[str, str]]:
    """Return which virtual devices are mapped to which real ones."""
    return {(claim.vdev, claim.rdev) for claim in found.claims() if claim.vdev and claim.rdev}


def strong(found: AnswerSet) -> set[tuple[str, str]]:
    """Return those of them that are not marked as weak."""
    return pairs(found) - {(claim.vdev, claim.rdev) for claim in found.claims() if claim.weak}


def numbers(text: str) -> set[str]:
    """Return the words of a text that may be device numbers."""
    return set(re.findall(r"(?<![0-9A-Z])[0-9A-F]{4,5}(?![0-9A-Z])", text.upper()))


# total


@given(st.binary())
def test_any_bytes_are_read(data: bytes) -> None:
    """Every line of them is counted."""
    found = read(data)
    counted = sum(found.counts[what] for what in ("understood", "noise", "events", "blank", "unknown"))
    if b"\xfe" not in data[:2]:
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        assert counted == len(lines) - (not lines[-1])


@given(st.sampled_from(CONSOLE), st.data())
def test_damaged_answers_are_read(text: bytes, data: st.DataObject) -> None:
    """With pieces left out, doubled, or replaced by any bytes."""
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, len(text)))
        text = text[:begin] + data.draw(st.sampled_from([b"", text[begin:end] * 2, b"\n"])) + text[end:]
    read(text).claims()


WORDS: Final = (
    "DASD", "0100", "7600", "11A02", "760", "3390", "LNX001", "R/W", "R/O", "CYL", "ON", "SUBCHANNEL", "=",
    "0000", "CP", "SYSTEM", "OWNED", "ATTACHED", "TO", "LINDB01", "FREE", ",", "10016", "  ", "\n", "Device",
    "Path", "POOL", ":", "00:",
    "CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER = DB7601, CYLS = 10017", "SSID", "HCPQVD040E", "\n     ",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
def test_a_pair_stands_in_one_line(text: str) -> None:
    """Words of answers in any order: a mapped pair stands together in a line, or in a wrapped one."""
    lines = text.split("\n")
    together = [numbers(line) for line in lines] + [numbers(" ".join(two)) for two in pairwise(lines)]
    assert all(any({vdev, rdev} <= words for words in together) for vdev, rdev in pairs(read(text)))


@given(st.sampled_from(CONSOLE), st.integers(0), st.binary(min_size=1, max_size=3))
def test_a_damaged_text_maps_only_what_stands_in_it(text: bytes, place: int, other: bytes) -> None:
    """Both numbers of a pair are words of the damaged text."""
    place %= len(text) + 1
    damaged = text[:place] + other + text[place + len(other) :]
    words = numbers(damaged.decode("utf-8", "replace"))
    assert all({vdev, rdev} <= words for vdev, rdev in pairs(read(damaged)))


# never a wrong pair


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_is_cut_maps_right_or_not(line: str) -> None:
    """At any place, from either end, with or without a line end, and with another line behind it."""
    whole = pairs(read(line))
    assert len(whole) == 1
    for place in range(len(line)):
        for rest in ("", "\n", f"\n{line}\n", "\nDASD 7601 DETACHED\n", "\n0\n", "\nSUBCHANNEL = 0000\n"):
            assert pairs(read(line[:place] + rest)) <= whole
        assert pairs(read(line[place:])) <= whole


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("other", ["", "?", "x", "Z", "~", "\t", "\n", "\r", "\0", "\x07", "é", "\udce9"])
def test_a_line_with_a_character_lost_or_replaced_maps_right_or_not(line: str, other: str) -> None:
    """A number of five digits that lost one may look like one of four, but then it is marked as weak."""
    whole = pairs(read(line))
    for place in range(len(line)):
        found = read(line[:place] + other + line[place + 1 :])
        assert strong(found) <= whole
        if line != LONG_DEDICATED:
            assert pairs(found) <= whole


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("other", [" ", "  ", "0", "F", "?", ",", "\n", "\t"])
def test_a_line_with_a_character_more_maps_right_or_not(line: str, other: str) -> None:
    """Where it does not make another number of the same length."""
    whole = pairs(read(line))
    wanted = {number for both in whole for number in both}
    for place in range(len(line) + 1):
        found = read(line[:place] + other + line[place:])
        assert strong(found) <= whole or not numbers(line[:place] + other + line[place:]) >= wanted


@pytest.mark.parametrize("line", [MINIDISK, DEDICATED, ATTACHED, EXTENT])
@pytest.mark.parametrize("other", "0F9 ")
def test_a_wrong_character_outside_of_the_numbers_maps_right_or_not(line: str, other: str) -> None:
    """A wrong digit in a number is a number, so only other places can be seen to be wrong."""
    whole = pairs(read(line))
    for place in range(len(line)):
        if not any(
            place in range(found.start() - 1, found.end()) for found in re.finditer("[0-9A-F]{4}", line)
        ):
            assert pairs(read(line[:place] + other + line[place + 1 :])) <= whole


def test_two_lines_that_ran_together_map_the_first() -> None:
    """And say that there is more behind it."""
    found = read(f"{MINIDISK}{MINIDISK.replace('0100', '0102').replace('4A01', '4A02')}\n")
    assert pairs(found) == {("0100", "4A01")}
    assert "more behind it" in found.rows["disk"][0].weak


def test_halves_of_a_number_are_never_put_together() -> None:
    """A wrap inside the number of the real device leaves no mapping, wherever it is."""
    at = MINIDISK.index("4A01")
    for place in range(at + 1, at + 4):
        assert pairs(read(f"{MINIDISK[:place]}\n{MINIDISK[place:]}\n")) == set()


@pytest.mark.parametrize("line", [MINIDISK, LONG, DEDICATED, LONG_DEDICATED])
@pytest.mark.parametrize("blank", ["", " "])
def test_a_wrap_behind_the_number_is_undone(line: str, blank: str) -> None:
    """Wherever in the word that follows, or in the subchannel."""
    for place in range(line.index("SUBCHANNEL"), len(line) + 1):
        found = read(f"{line[:place]}\n{blank}{line[place:]}\n")
        assert [(row.weak, row.sch) for row in found.rows["disk"]] == [("", line[-4:])]
        assert pairs(found) == pairs(read(line))


# doubt


def test_a_line_without_its_columns_is_weak() -> None:
    """Blanks that were collapsed make the label doubtful."""
    (row,) = read(" ".join(MINIDISK.split())).rows["disk"]
    assert (row.vdev, row.rdev, row.volser, row.weak) == ("0100", "4A01", "LX4A01", BY_WORDS)


def test_the_last_line_may_be_cut() -> None:
    """A label at the end of a text without a line end may lack characters, which does not show."""
    assert read("DASD 7600 ATTACHED TO LINDB01  7600 R/W DB7").rows["volume"][0].weak == LAST_LINE
    assert read("DASD 7600 ATTACHED TO LINDB01  7600 R/W DB7\n").rows["volume"][0].weak == ""


def test_a_weak_line_replaces_no_good_one() -> None:
    """What it contradicts is reported all the same."""
    found = read(f"{MINIDISK}\n{' '.join(MINIDISK.replace('4A01', '4A02').split())}\n")
    assert pairs(found) == {("0100", "4A01")}
    assert [conflict.about for conflict in found.conflicts] == ["virtual device 0100"]


def test_a_weak_line_makes_no_good_one_weak() -> None:
    """Although it says the same, and comes later."""
    (row,) = read(f"{MINIDISK}\n{' '.join(MINIDISK.split())}\n").rows["disk"]
    assert (row.line, row.weak) == (1, "")


# long texts


def test_a_run_of_regular_lines_is_read_as_each_of_them_alone() -> None:
    """The quick way and the careful one agree, whatever the lines have in them."""
    lines = []
    for number in range(500):
        label = ("LX4A01", "A$B#C@", "AB 1  ", "      ", "R/W   ")[number % 5]
        size, unit = (3338, "CYL") if number % 3 else (2147483640, "BLK")
        mode = "R/W" if number % 2 else "R/O"
        lines.append(
            f"DASD {number:04X} 3390 {label} {mode} {size:10} {unit}"
            f" ON DASD  {0x7000 + number:04X} SUBCHANNEL = {number:04X}\n"
        )
    quick = read("".join(lines)).rows["disk"]
    careful = [
        read(f"00: {line}").rows["disk"][0]._replace(line=place) for place, line in enumerate(lines, 1)
    ]
    assert quick == careful


@given(st.integers(0, 72), st.characters(max_codepoint=127))
def test_a_wrong_line_in_a_run_is_read_with_care(place: int, other: str) -> None:
    """The ones around it are as they were, and what it maps is what it maps alone."""
    wrong = MINIDISK[:place] + other + MINIDISK[place + 1 :]
    first, last = MINIDISK.replace("0100", "0001"), MINIDISK.replace("0100", "0002")
    found = read(f"{first}\n{wrong}\n{last}\n")
    assert pairs(found) >= {("0001", "4A01"), ("0002", "4A01")}
    assert pairs(found) - pairs(read(f"{wrong}\n")) <= {("0001", "4A01"), ("0002", "4A01")}


def test_numbers_of_lines_hold_over_pieces() -> None:
    """A text longer than what is read at once, with other lines between."""
    filler = "something else\n" * 10
    count = CHUNK // 60
    text = "".join(
        f"{filler if n % 100 == 0 else ''}{MINIDISK.replace('0100', f'{n:04X}')}\n" for n in range(count)
    )
    rows = read(text).rows["disk"]
    lines = text.split("\n")
    assert all(lines[row.line - 1][5:9] == row.vdev for row in rows)
    assert len(rows) == count


def test_a_stream_is_read_as_its_bytes() -> None:
    """A file is as good as what is in it."""
    data = "\n".join(LINES).encode() + b"\n"
    assert parse(io.BytesIO(data), "x").rows == parse(data, "x").rows


def test_text_of_windows_is_read() -> None:
    """UTF-16 with its mark, UTF-8 with its own, and carriage returns."""
    for data in (
        f"{MINIDISK}\r\n".encode("utf-16"), f"\ufeff{MINIDISK}\r\n".encode(), f"{MINIDISK}\r\n".encode(),
    ):  # fmt: skip
        assert [(row.rdev, row.weak) for row in read(data).rows["disk"]] == [("4A01", "")]


def test_lines_that_are_not_understood_are_counted_and_some_kept() -> None:
    """However many there are."""
    found = read("what is this\n" * (2 * MAX_KEPT))
    assert (found.counts["unknown"], len(found.unknown)) == (2 * MAX_KEPT, MAX_KEPT)


@pytest.mark.parametrize(
    ("above", "command"),
    [("q v 0600", "Q V 0600"), ("logoff", "LOGOFF"), ("logoff\nand then the screen showed", ""),
     ("log = quiet", ""), ("q v 0600\nNOT AN ANSWER", "Q V 0600"), ("q v 0600\nwhich is what I typed", "")],
)  # fmt: skip
def test_a_message_answers_the_command_above_unless_somebody_wrote_in_between(
    above: str, command: str
) -> None:
    """Below prose nobody knows what CP was asked."""
    (message,) = read(f"{above}\nHCPQVD040E Device 0600 does not exist\n".encode()).rows["message"]
    assert message.command == command


def test_messages_and_conflicts_are_bounded() -> None:
    """A log of a year has many of them."""
    text = "".join(f"HCPQVD040E Device {n:04X} does not exist\n" for n in range(2 * MAX_KEPT))
    assert (len(read(text).rows["message"]), read(text).counts["dropped"]) == (MAX_KEPT, MAX_KEPT)
    lines = "".join(f"{MINIDISK.replace('4A01', f'{n:04X}')}\n" for n in range(2 * MAX_KEPT))
    found = read(lines)
    assert (len(found.conflicts), found.conflict_count) == (MAX_KEPT, 2 * MAX_KEPT - 1)


@pytest.mark.parametrize(
    "piece",
    [
        "DASD ", "DASD 0100 ", "DASD 7700 DB7700, ", " ", "\t", "0100 ", "00: ", "A: ", "> ", "ON DASD ",
        "= ", "PASS", "CP ", "HCP", "#", "* ", "R/W ", "CYL ON DASD  4A01 ", "Device 7601 is a base ",
        "LINDB01 0200 R/W, ", "vmcp -b ", "/", "USER ", "POOL ", "SSID", "DASD\n", "     DASD", "A=B ", "[",
        "PROC 0000-031% ", "7600 ", "\0", "An x ", "MDISK 1 ",
    ],
)  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    """Neither a line of one piece over and over, nor many lines of it behind something that goes on."""
    heads = ("", "7601  CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER = DB7601, CYLS = 10017\n")
    begun = time.process_time()
    for head in heads:
        read(head + piece * (40_000 // len(piece)))
        read(head + f"     {piece * 3}\n" * 2000)
    assert time.process_time() - begun < 2


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    """Of a line that is too long the begin is looked at."""
    found = parse(io.BytesIO(MINIDISK.encode() + b" x" * CHUNK * 4 + b"\n" + DEDICATED.encode()), "x")
    assert [row.line for row in found.rows["disk"] if row.vdev == "7200"] == [2]


def test_passwords_are_not_kept() -> None:
    """A text with statements of a directory is shown without them, the lines that go on too."""
    text = (
        "USER LINDB01 SECRET1 4G 8G G\nMDISK 0100 3390 1 END LNX001 MR SECRET2 SECRET3 SECRET4\n"
        "* MDISK 0101 3390 1 END LNX001 MR SECRET5\nm 0102 3390 1 end lnx001 mr secret6,\nSECRET7 SECRET8\n"
        "link maint 190 190 rr secret9\n     MDISK 0103 3390 1 END LNX001 MR SECRETA\n"
    )
    detailed = "7601  CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER = DB7601, CYLS = 10017\n"
    for found in (
        read(text),
        read(detailed + text),
        read("\n".join(f"      {line}" for line in text.split("\n"))),
    ):
        assert "SECRET" not in repr((found.rows, found.unknown, found.cut, found.conflicts)).upper()


REGULAR: Final = (
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
    REGULAR[0][:-1], f" {REGULAR[0]}", f"{REGULAR[0]} RESERVED", REGULAR[0].replace("CYL", "CLK"),
    REGULAR[0].replace("10016 CYL", "           10016 CYL"),
    REGULAR[0].replace(" 10016", "1 0016"), REGULAR[0].replace("R/W", "R/X"),
    REGULAR[0].replace(" 4A01", "14A01"), REGULAR[0].replace("4A01 ", "4A0\xe9 "),
    "7601  CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER =, CYLS = 10017",
)  # fmt: skip


@pytest.mark.parametrize("line", REGULAR)
def test_a_regular_line_is_read_as_with_care(line: str) -> None:
    """The row is the same."""
    assert [is_run for _, is_run in split_runs(f"{line}\n")] == [True]
    careful = strip_prefix(line, 7)
    assert regular_row(without_cpu(line), 7) == (read_disk(careful) or read_volume(careful))


@pytest.mark.parametrize("line", OTHER)
def test_other_lines_are_not_regular(line: str) -> None:
    """Neither alone nor among many."""
    many = f"{REGULAR[0]}\n{line}\n{REGULAR[0]}\n" * 10
    for text in (f"{line}\n", many):
        assert all(line not in part for part, is_run in split_runs(text) if is_run)


REGULAR_OR_NOT: Final = st.lists(st.sampled_from((*REGULAR, *OTHER, *[REGULAR[0]] * 10)), max_size=60)


@given(REGULAR_OR_NOT)
def test_parts_are_the_text(lines: list[str]) -> None:
    """In order, and a run has regular lines alone."""
    found = list(split_runs("".join(f"{line}\n" for line in lines)))
    assert [line for part, _ in found for line in part] == lines
    assert all((line in REGULAR) is is_run for part, is_run in found for line in part)


@given(REGULAR_OR_NOT)
def test_a_text_is_read_as_with_care(lines: list[str]) -> None:
    """With a time stamp before each line none is regular, and all comes out the same."""
    quick = parse("".join(f"{line}\n" for line in lines).encode(), "x")
    careful = parse("".join(f"10:22:33 {line}\n" for line in lines).encode(), "x")
    assert quick.rows.get("disk") == careful.rows.get("disk")
    assert quick.rows.get("volume") == careful.rows.get("volume")
    assert quick.conflicts == careful.conflicts


# one text as a whole


def test_two_labels_of_a_real_device_are_a_conflict() -> None:
    """Whichever answers they are in."""
    found = read("DASD 7610 DB9999  , DASD 7611 FREE\n" + DEDICATED + "\n")
    assert [(c.about, c.words) for c in found.conflicts] == [
        ("real device 7610", "volser DB9999 and DB7200"),
    ]  # fmt: skip


def test_guests_in_one_text_are_told_apart() -> None:
    """The same virtual device of two guests is no conflict, and is claimed for each."""
    other = MINIDISK.replace("4A01", "4B02")
    found = read(f"lindb01:   {MINIDISK}\nlindb02:   {other}\n")
    assert found.conflicts == []
    assert [(claim.user, claim.rdev) for claim in found.claims()] == [
        ("LINDB01", "4A01"),
        ("LINDB02", "4B02"),
    ]
    assert [claim.user for claim in read(f"lindb01:   {MINIDISK}\n").claims()] == [""]


def test_answers_of_another_guest_are_not_taken_for_this_one() -> None:
    """Neither where a prefix names it nor where QUERY USERID does."""
    for text in (f"lindb07:   {MINIDISK}\n", f"LINDB07  AT ZVMPRD1\n{MINIDISK}\n"):
        assert [claim.user for claim in read(text).claims("LINDB01")] == ["LINDB07"]
        assert [claim.user for claim in read(text).claims("lindb07")] == [""]
        assert [claim.user for claim in read(text).claims()] == [""]


def test_who_asked_may_be_told_by_another_text() -> None:
    """Where the text itself does not tell it."""
    assert [claim.user for claim in read(f"{MINIDISK}\n").claims("LINDB01", "LINDB07")] == ["LINDB07"]


def test_a_log_of_two_logons_is_parted_by_query_userid() -> None:
    """What stands below the second is the second guest's."""
    other = MINIDISK.replace("0100", "0200")
    found = read(f"LINDB01  AT ZVMPRD1\n{MINIDISK}\nLINDB02  AT ZVMPRD1\n{other}\n")
    assert [(claim.user, claim.vdev) for claim in found.claims("LINDB01")] == [
        ("", "0100"),
        ("LINDB02", "0200"),
    ]
