"""Lines of real disks that the samples do not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.answer import BY_WORDS, LOWER, REMEMBERED
from zmon.cp.answer_reader import parse, read_rows
from zmon.cp.answers_real import ALONE, DETAILS, read_device_list, read_volume
from zmon.cp.console import ConsoleLine


def line(text: str, indent: int = 0) -> ConsoleLine:
    """Return a line."""
    return ConsoleLine(text, 1, indent)


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
    row = read_volume(line(text))
    assert row is not None
    assert (row.rdev, row.state, row.volser, row.links, row.weak) == ("7110", "CP-SYSTEM", "LNX001", 12, weak)


def test_a_number_alone_is_links_and_no_label() -> None:
    """Where blanks were collapsed it might be either."""
    row = read_volume(line("DASD 71F0 CP SYSTEM 0"))
    assert row is not None
    assert (row.volser, row.links, row.weak) == ("", 0, BY_WORDS)


@pytest.mark.parametrize(
    "word",
    ["LINKED", "DEFINE", "DEFINED", "DETACH", "ATTACH", "ATTA", "VARIED", "CP", "ON", "AB CD", "LX4A01X"],
)
def test_the_begin_of_what_happened_is_no_entry(word: str) -> None:
    """However much of the word is left; nor is a word too long for a label."""
    assert read_device_list(line(f"DASD 7700 {word}"), after_another=True) == []


def test_an_entry_alone_is_good_below_a_list() -> None:
    """The last of five devices stands so."""
    (below,) = read_device_list(line("DASD 7700 DB7700"), after_another=True)
    (alone,) = read_device_list(line("DASD 7700 DB7700"), after_another=False)
    assert (below.weak, alone.weak) == ("", ALONE)


def test_a_list_has_four_entries_at_the_most() -> None:
    """What has more is none."""
    four = ", ".join(f"DASD 770{n} DB770{n}  " for n in range(4))
    assert len(read_device_list(line(four), after_another=False)) == 4
    assert read_device_list(line(f"{four}, DASD 7704 DB7704"), after_another=False) == []


def test_other_devices_are_no_volumes() -> None:
    """A list of network cards looks alike."""
    rows = parse(b"OSA  0A10 FREE    , OSA  0A11 FREE\n", "x").rows
    assert [(row.sort, row.rdev) for row in rows["device"]] == [("OSA", "0A10"), ("OSA", "0A11")]
    assert "volume" not in rows


FIRST_LINE = "7601  CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER = DB7601, CYLS = 10017"


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
    row = DETAILS.read(line(FIRST_LINE))
    assert row is not None
    grown = row.more(line(text, indent=6))
    assert grown is not None
    assert (grown.ssid, grown.text) == (ssid, (text,))


def test_the_ssid_is_that_of_the_device_above() -> None:
    """A line that begins with none ends the answer."""
    text = f"{FIRST_LINE}\nsomething else\n      CU DETAILS: SSID = 7600, CUNUM = 7600\n"
    found = parse(text.encode(), "x")
    assert (found.rows["details"][0].ssid, found.counts["unknown"]) == ("", 2)


def test_a_real_device_is_claimed_with_what_is_told() -> None:
    """Label and SSID of it, and where a minidisk begins."""
    extent = "LINDB01  0200 LINDB01  0200 3390  AB7101 7101          1       3338"
    text = f"{FIRST_LINE}\n      CU DETAILS: SSID = 7600\n{extent}\n"
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
    for row in (
        read_volume(line(text)),
        DETAILS.read(line(text)),
        *read_device_list(line(text), after_another=False),
    ):
        if row and row.form.name == "volume":
            assert row.rdev in text


def test_users_of_a_volume_stand_below_it() -> None:
    """Up to a line that is no list of users; by words, so weak."""
    text = "DASD 7110 ATTACHED CPVOL 0002 LNX001\n  LINDB01  0100 R/W, LINDB02  0191 R/O\nhello there\n"
    (row,) = parse(text.encode(), "x").rows["linked"]
    assert row.users == (("LINDB01", "0100", "R/W"), ("LINDB02", "0191", "R/O"))
    assert (row.links, row.weak) == (2, BY_WORDS)


def test_a_list_of_virtual_devices_has_the_mode_behind_its_last() -> None:
    """Over as many lines as it takes; of another user it is not."""
    text = (
        "DASD 7110 ATTACHED CPVOL 0005 LNX001\nMAINT 0551 R/O, MAINT 02CC R/W\n"
        "LINDB01  0311/0310\nLINDB01  0303 R/W\nLINDB02  0191/0192\n"
    )
    parsed = parse(text.encode(), "x")
    (row,) = parsed.rows["linked"]
    assert row.users == (
        ("MAINT", "0551", "R/O"),
        ("MAINT", "02CC", "R/W"),
        *(("LINDB01", vdev, "R/W") for vdev in ("0311", "0310", "0303")),
        *(("LINDB02", vdev, "") for vdev in ("0191", "0192")),
    )
    assert parsed.counts["unknown"] == 0


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("   1  M01RES  0123  Own    Online and attached",
         ("1", "M01RES", "0123", "OWN", "ONLINE AND ATTACHED", "", "")),
        ("   1  M01RES  0123  OWN    ONLINE AND ATTACHED   CLUSTERA  --------",
         ("1", "M01RES", "0123", "OWN", "ONLINE AND ATTACHED", "CLUSTERA", "")),
        ("1 M01RES 0123 OWN ONLINE AND ATTACHED CLUSTERA MEMBER1",
         ("1", "M01RES", "0123", "OWN", "ONLINE AND ATTACHED", "CLUSTERA", "MEMBER1")),
        ("  12  LNX012  ----  OWN    OFFLINE               CLUSTERA  MEMBER2",
         ("12", "LNX012", "", "OWN", "OFFLINE", "CLUSTERA", "MEMBER2")),
        ("  13  ------  ----  -----  RESERVED              --------  --------",
         ("13", "", "", "", "RESERVED", "", "")),
        (" 255  ------  ----  -----  Available", ("255", "", "", "", "AVAILABLE", "", "")),
        ("   2  LNX002  0124  OWN    WAITING FOR MOUNT",
         ("2", "LNX002", "0124", "OWN", "WAITING FOR MOUNT", "", "")),
    ],
)  # fmt: skip
def test_a_volume_that_cp_owns_is_read_with_the_members_of_a_cluster(text: str, row: tuple[str, ...]) -> None:
    """Their names are no part of the status, also where the blanks between them were squeezed."""
    (owned,) = read_rows(ConsoleLine(text.strip(), 1))
    fields = ("slot", "volser", "rdev", "type", "status", "cluster", "member")
    assert tuple(getattr(owned, name) for name in fields) == row


def test_a_volume_without_allocation_has_no_extent() -> None:
    """QUERY ALLOC MAP says so of a volume that it has not found."""
    row = "VOL001 0126          -          -      0      0      0   0% NOT FOUND"
    (space,) = read_rows(ConsoleLine(row, 1))
    assert (space.volser, space.rdev, space.start, space.end) == ("VOL001", "0126", None, None)
    assert (space.total, space.percent, space.rest) == ("0", 0, "NOT FOUND")


def test_what_is_half_a_list_of_users_is_none() -> None:
    """Nothing of such a line is taken."""
    text = "DASD 7110 ATTACHED CPVOL 0002 LNX001\n  LINDB01  0100 R/W, LINDB02  01\n"
    found = parse(text.encode(), "x")
    assert (found.rows["linked"][0].users, found.counts["unknown"]) == ((), 1)


PAGES = """\
                EXTENT     EXTENT  TOTAL  PAGES   HIGH    %
VOLID  RDEV      START        END  PAGES IN USE   PAGE USED
------ ---- ---------- ---------- ------ ------ ------ ----
VMPAG1 7003          1       3338 600840   2040   2100   1%
VMPAG2 17004         1      10016  1.76M 880.2K 901.1K  50% DRAINING
                                  ------ ------        ----
SUMMARY                             2.3M 882.2K         38%
USABLE                              2.3M 882.2K         38%
"""


def test_the_extents_of_a_volume_say_how_full_they_are() -> None:
    """A row each; headings and sums are no rows, and nothing of the answer is unknown."""
    found = parse(PAGES.encode(), "x")
    assert [(*row[:8], row.rest) for row in found.rows["space"]] == [
        ("VMPAG1", "7003", 1, 3338, "600840", "2040", "2100", 1, ""),
        ("VMPAG2", "17004", 1, 10016, "1.76M", "880.2K", "901.1K", 50, "DRAINING"),
    ]
    assert all(row.weak == REMEMBERED for row in found.rows["space"])
    assert found.counts["unknown"] == 0


OWNED = """\
SLOT  VOL-ID  RDEV  TYPE   STATUS
   1  VMRES1  7000  OWN    ONLINE AND ATTACHED
   2  VMPAG1  7003  OWN    ONLINE AND ATTACHED
   3  ------  ----  -----  RESERVED
"""


def test_the_volumes_that_cp_owns_have_slots() -> None:
    """A slot may have no volume."""
    found = parse(OWNED.encode(), "x")
    assert [row[:5] for row in found.rows["owned"]] == [
        ("1", "VMRES1", "7000", "OWN", "ONLINE AND ATTACHED"),
        ("2", "VMPAG1", "7003", "OWN", "ONLINE AND ATTACHED"),
        ("3", "", "", "", "RESERVED"),
    ]
    assert found.counts["unknown"] == 0


def test_a_path_that_is_not_whole_is_none() -> None:
    """WWPN and LUN have sixteen digits each; the line belongs to the answer all the same."""
    head = "EDEV 8000 TYPE FBA ATTRIBUTES 2107\n"
    whole = "  FCP_DEV: B800 WWPN: 5005076300C213E9 LUN: 4010400000000000\n"
    found = parse(f"{head}{whole}{whole[:-3]}\n".encode(), "x")
    assert found.rows["edevice"][0].paths == (("B800", "5005076300C213E9", "4010400000000000"),)
    assert found.counts["unknown"] == 0


def test_an_extent_without_its_columns_is_weak() -> None:
    """One that is cut in its size too."""
    whole = "LINDB01  0200 LINDB01  0200 3390  AB7101 7101          1       3338"
    assert [row.weak for row in parse(f"{whole}\n".encode(), "x").rows["extent"]] == [""]
    assert [row.weak for row in parse(f"{whole[:-1]}\n".encode(), "x").rows["extent"]] == [BY_WORDS]


def test_signs_that_do_not_fit_the_paths_are_not_used() -> None:
    """What is told of some paths only is told of none."""
    text = "Device 7601, Status ONLINE\n CHPIDs to Device 7601 (PIM)  : 40 41\n  Online    (LPM)  : +\n"
    (row,) = parse(text.encode(), "x").rows["paths"]
    assert (row.pim, row.lpm, bool(row.weak)) == (("40", "41"), None, True)


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("7601  CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER = DB7601, CYLS = 10017", "details"),
        ("Device 7601, Status ONLINE", "paths"),
        ("Device 7601 is an alias Parallel Access Volume device whose base device is 7600", "pav"),
        ("Path 40 is associated with physical channel 0140", "path"),
        ("CHPID Virtualization is off", "virtualization"),
        ("7601 CACHE available for subsystem", "cache"),
        ("EDEV 8000 TYPE FBA ATTRIBUTES 2105", "edevice"),
        ("DASD 7110 ATTACHED CPVOL 0012 LNX001", "linked"),
        ("IPL NUCLEUS ACTIVE ON VOLUME M01RES", "nucleus"),
        ("LINDB01  0200 LINDB01  0200 3390  AB7101 7101          1       3338", "extent"),
        ("DASD 7110 CP SYSTEM LNX001   12", "volume"),
    ],
)
def test_a_line_begins_the_answer_of_its_shape(text: str, sort: str) -> None:
    """The rows of QUERY DASD are read elsewhere: they are many, and some are in lists."""
    (row,) = read_rows(ConsoleLine(text, 1))
    assert row.form.name == sort


@given(st.text(" DASDevicPathEXN0123456789ABCDEF,/RWOXCPUNKTYVMI=", max_size=80))
def test_any_line_is_taken_real(text: str) -> None:
    """It begins a row in its own line, or nothing."""
    assert all(row.line == 7 for row in read_rows(ConsoleLine(text, 7)))


def test_sizes_that_are_not_told_are_none() -> None:
    """Absent is never zero; and a size of another device's answer is not taken."""
    text = "7601 CACHE available for subsystem\n 4096K Bytes configured\n7602 CACHE activated for device\n"
    (row,) = parse(text.encode(), "x").rows["cache"]
    assert (row.configured_k, row.available_k, row.device) == (4096, None, "")


def test_an_alias_in_a_pool_has_no_base() -> None:
    """HyperPAV binds it for one I/O; the answer was never seen, so the row says so."""
    (row,) = read_rows(ConsoleLine("Device 76F0 is an alias HyperPAV volume in Pool 3", 1))
    assert row == ("76F0", "hyperpav alias", "", (), "3", 1, REMEMBERED)
