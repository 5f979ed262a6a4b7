"""Lines of real disks that the samples do not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.answers import parse
from zmon.cp.dasd import ALONE, Volume, details, listed, volume
from zmon.cp.noise import Line
from zmon.cp.row import BY_WORDS, LOWER


def line(text: str, indent: int = 0) -> Line:
    """Return a line."""
    return Line(text, 1, indent)


@pytest.mark.parametrize(
    ("text", "weak"),
    [
        ("DASD 7110 CP SYSTEM LNX001   12", ""),
        ("DASD 7110 CP SYSTEM LNX001 12", BY_WORDS),
        ("dasd 7110 cp system lnx001   12", LOWER),
    ],
)
def test_a_volume_of_the_system_is_read_by_columns_or_by_words(text: str, weak: str) -> None:
    """By words it is weak."""
    row = volume(line(text))
    assert row is not None
    assert (row.rdev, row.state, row.volser, row.links, row.weak) == ("7110", "CP-SYSTEM", "LNX001", 12, weak)


def test_a_number_alone_is_links_and_no_label() -> None:
    """Where blanks were collapsed it might be either."""
    row = volume(line("DASD 71F0 CP SYSTEM 0"))
    assert row is not None
    assert (row.volser, row.links, row.weak) == ("", 0, BY_WORDS)


@pytest.mark.parametrize(
    "word",
    ["LINKED", "DEFINE", "DEFINED", "DETACH", "ATTACH", "ATTA", "VARIED", "CP", "ON", "AB CD", "LX4A01X"],
)
def test_the_begin_of_what_happened_is_no_entry(word: str) -> None:
    """However much of the word is left; nor is a word too long for a label."""
    assert listed(line(f"DASD 7700 {word}"), after_another=True) == []


def test_an_entry_alone_is_good_below_a_list() -> None:
    """The last of five devices stands so."""
    (below,) = listed(line("DASD 7700 DB7700"), after_another=True)
    (alone,) = listed(line("DASD 7700 DB7700"), after_another=False)
    assert (below.weak, alone.weak) == ("", ALONE)


def test_a_list_has_four_entries_at_the_most() -> None:
    """What has more is none."""
    four = ", ".join(f"DASD 770{n} DB770{n}  " for n in range(4))
    assert len(listed(line(four), after_another=False)) == 4
    assert listed(line(f"{four}, DASD 7704 DB7704"), after_another=False) == []


def test_other_devices_are_no_volumes() -> None:
    """A list of network cards looks alike."""
    rows = parse(b"OSA  0A10 FREE    , OSA  0A11 FREE\n", "x").rows
    assert [(row.sort, row.rdev) for row in rows["device"]] == [("OSA", "0A10"), ("OSA", "0A11")]
    assert "volume" not in rows


DETAILS = "7601  CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER = DB7601, CYLS = 10017"


@pytest.mark.parametrize(
    ("text", "ssid"),
    [
        ("CU DETAILS: SSID = 7600, CUNUM = 7600", "7600"), ("SSID=7600", "7600"),
        ("CU DETAILS: SSID = 760", ""),
        ("CU DETAILS: SSID = 76000", ""), ("CU DETAILS: SSID = ----", ""), ("XSSID = 7600", ""),
    ],
)  # fmt: skip
def test_the_ssid_has_four_digits(text: str, ssid: str) -> None:
    """What was cut is none."""
    row = details(line(DETAILS))
    assert row is not None
    grown = row.more(line(text, indent=6))
    assert grown is not None
    assert (grown.ssid, grown.text) == (ssid, (text,))


def test_the_ssid_is_that_of_the_device_above() -> None:
    """A line that begins with none ends the answer."""
    text = f"{DETAILS}\nsomething else\n      CU DETAILS: SSID = 7600, CUNUM = 7600\n"
    found = parse(text.encode(), "x")
    assert (found.rows["details"][0].ssid, found.counts["unknown"]) == ("", 2)


def test_a_real_device_is_claimed_with_what_is_told() -> None:
    """Label and SSID of it, and where a minidisk begins."""
    extent = "LINDB01  0200 LINDB01  0200 3390  AB7101 7101          1       3338"
    text = f"{DETAILS}\n      CU DETAILS: SSID = 7600\n{extent}\n"
    details, disk = parse(text.encode(), "log").claims("lindb01")
    assert (details.rdev, details.volser, details.ssid, details.place) == ("7601", "DB7601", "7600", "log:1")
    assert (disk.user, disk.vdev, disk.rdev, disk.first, disk.length) == (
        "",
        "0200",
        "7101",
        1,
        3338,
    )


@given(st.text(" DASD0123456789ABCDEF,/RWOXCPUNKTYVMI=", max_size=80))
def test_any_line_is_taken(text: str) -> None:
    """And a device that is read stands in it."""
    for row in (volume(line(text)), details(line(text)), *listed(line(text), after_another=False)):
        if isinstance(row, Volume):
            assert row.rdev in text
