"""Lines of virtual devices that the samples do not have."""

from __future__ import annotations

import pytest

from zmon.cp.answer import LOWER, REMEMBERED, read_first
from zmon.cp.answer_reader import parse
from zmon.cp.answers_virtual import VIRTUAL, is_cut, read_disk, read_wrapped
from zmon.cp.console import ConsoleLine

MINIDISK = "DASD 0100 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000"


def line(text: str) -> ConsoleLine:
    """Return a line."""
    return ConsoleLine(text, 1)


def test_capitals_lost_and_columns_kept_is_weak() -> None:
    """CP never writes small letters, so somebody did."""
    row = read_disk(line(MINIDISK.lower()))
    assert row is not None
    assert (row.vdev, row.rdev, row.volser, row.weak) == ("0100", "4A01", "LX4A01", LOWER)


def test_what_stands_behind_a_line_makes_it_weak_and_keeps_it() -> None:
    """Nobody knows what CP may write there."""
    row = read_disk(line(f"{MINIDISK} RESERVED"))
    assert row is not None
    assert (row.rdev, row.weak.rpartition(": ")[2]) == ("4A01", "RESERVED")


@pytest.mark.parametrize("rdev", ["04A01", "44A01", "FFFFF"])
def test_there_are_three_more_subchannel_sets(rdev: str) -> None:
    """A number of five digits begins with 1, 2 or 3."""
    assert read_disk(line(MINIDISK.replace(" 4A01", rdev))) is None


def test_a_size_in_two_pieces_is_none() -> None:
    """A blank in a number may have been a digit."""
    broken = MINIDISK.replace(" 10016", "1 0016")
    assert read_disk(line(broken)) is None


def test_a_unit_of_two_words_is_none() -> None:
    """`CLK` is no unit, although its letters stand in others."""
    assert read_disk(line(MINIDISK.replace("CYL", "CLK"))) is None


@pytest.mark.parametrize("place", range(1, len(MINIDISK)))
def test_a_cut_line_is_known_for_one_or_is_no_disk(place: int) -> None:
    """Up to the word SUBCHANNEL nothing is mapped."""
    text = MINIDISK[:place].rstrip()
    assert (read_disk(line(text)) is None) == (place < MINIDISK.index(" ="))
    if place < MINIDISK.index(" SUB") and place > 3:
        assert is_cut(text)


def test_lines_are_joined_in_the_word_alone() -> None:
    """What is behind it must be digits."""
    first, second = line(MINIDISK[:54]), line("SUBCHANNEL = 0000")
    assert read_wrapped(first, second) == read_disk(line(MINIDISK))
    assert read_wrapped(first, line("SUBCHANNEL = 0000 and more")) is None
    assert read_wrapped(line(MINIDISK[:53]), second) is None
    assert read_wrapped(line("DASD 7200 ON DASD  7200 R/W"), second) is not None
    assert read_wrapped(second, first) is None


@pytest.mark.parametrize(
    "text",
    ["DASD 0100 ON DASD 4A01 SUBCHANNEL = 0000", "OSA  0600 ON DASD 4A01 SUBCHANNEL = 0000", "FCP", ""],
)  # fmt: skip
def test_what_only_looks_like_a_device_is_none(text: str) -> None:
    """A disk is never read as another device."""
    assert read_first(VIRTUAL, line(text)) is None


def test_what_is_behind_a_disk_hides_a_password() -> None:
    """It is told, because the line is weak by it, and may be anything."""
    found = read_disk(ConsoleLine("DASD 0101 ON DASD  7200 R/W LNX001 SUBCHANNEL = 0001 PW=s3cret", 1))
    assert found is not None
    assert found.weak.endswith(": PW=********")


@pytest.mark.parametrize(
    ("words", "state", "kind"),
    [("(BASE) CP", "base", "CP"), ("(BASE) STOPPED CP", "base stopped", "CP"),
     ("STOPPED IFL", "stopped", "IFL"),
     ("CHECK-STOPPED CP", "check-stopped", "CP"), ("IFL", "", "IFL")],
)  # fmt: skip
def test_a_cpu_may_be_the_base_one_and_stopped(words: str, state: str, kind: str) -> None:
    """The type is what stands behind."""
    found = read_first(VIRTUAL, line(f"CPU 00  ID  FF01ABCD28278000 {words}   CPUAFF ON"))
    assert found.form.name == "cpu"
    assert (found.state, found.type) == (state, kind)


REAL_STORAGE = "STORAGE = 64G CONFIGURED = 62G INC = 256M STANDBY = 2G  RESERVED = 1G"


def test_storage_of_the_system_is_not_that_of_the_guest() -> None:
    """QUERY STORAGE says how much is configured, QUERY VIRTUAL STORAGE does not; both are kept."""
    found = parse(f"{REAL_STORAGE}\nSTORAGE = 4G\n".encode(), "x")
    assert [(row.whose, row.size) for row in found.rows["storage"]] == [("system", "64G"), ("guest", "4G")]
    system = found.rows["storage"][0]
    assert (system.configured, system.increment, system.standby, system.reserved) == (
        "62G",
        "256M",
        "2G",
        "1G",
    )
    assert found.conflicts == []


def test_two_sizes_of_one_storage_contradict_each_other() -> None:
    """The later one holds."""
    (conflict,) = parse(b"STORAGE = 4G\nSTORAGE = 8G\n", "x").conflicts
    assert (conflict.about, conflict.words) == ("storage STORAGE:guest", "size 4G and 8G")


def test_a_network_card_has_its_address_and_channel_paths() -> None:
    """They stand in the lines below it."""
    text = (
        "OSA  0700 ON OSA   1700 SUBCHANNEL = 000E\n"
        "     0700 DEVTYPE OSA         VIRTUAL CHPID 71 OSD REAL CHPID 70\n"
        "     0700 MAC 02-00-00-00-00-1C CURRENT\n"
    )
    found = parse(text.encode(), "x")
    (card,) = found.rows["adapter"]
    assert (card.rdev, card.vchpid, card.chpid, card.mac) == ("1700", "71", "70", "02-00-00-00-00-1C")
    assert found.counts["unknown"] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [("PCIF 00000001 ON PCIF 00000101 ENABLED  10GbE RoCE",
      ("00000001", "00000101", "ENABLED", "10GbE RoCE")),
     ("PCIF 00000012 ON 00000112 DISABLED  RoCE Express2",
      ("00000012", "00000112", "DISABLED", "RoCE Express2")),
     ("PCIF 00000002 ON PCIF 00000102", ("00000002", "00000102", "", ""))],
)  # fmt: skip
def test_pci_functions_have_a_real_one(text: str, said: tuple[str, ...]) -> None:
    """Nobody has seen the layout here, so they are weak."""
    found = read_first(VIRTUAL, line(text))
    assert found.form.name == "function"
    assert (found[:4], found.weak) == (said, REMEMBERED)
