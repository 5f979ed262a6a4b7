from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import asm
from zmon.listing import container as c
from zmon.listing.asm import Asm, Share, Spread
from zmon.listing.container import Container
from zmon.listing.disk_group import Disk, Group, Placed
from zmon.topology.claims import Grade

LISTINGS = Path(__file__).parents[1] / "fixtures/listings"
SPOOL = (LISTINGS / "asm-spool.csv").read_text()
LSDSK = (LISTINGS / "asmcmd-lsdsk-k.txt").read_text()
MB = 1 << 20


def spread(path: str, size: int | None = 100 * MB, of: Asm | None = None) -> Spread:
    file = Container(kind=c.ASM_FILE, path=path, bytes_declared=size)
    told = asm.read(SPOOL, "asm.csv") if of is None else of
    return asm.spread_over(asm.membership(asm.group_of(file), told), file, told)


def test_reads_disks_of_groups() -> None:
    """The view of groups gives them their names; a disk in no group is no member."""
    assert [(disk.group, disk.number, disk.path, disk.member) for disk in asm.read(SPOOL, "x").disks] == [
        ("DATA", 0, "/dev/dasdd1", True),
        ("DATA", 1, "ORCL:DATA01", True),
        ("FRA", 0, "AFD:FRA01", True),
        ("", 3, "/dev/dasdz1", False),
    ]


def test_sums_the_extent_map_up() -> None:
    """In allocation units, copies apart; what holds the map itself is not counted."""
    assert asm.read(SPOOL, "x").extents == {(1, 260): {0: Placed(2, 8), 1: Placed(8, 2)}}


def test_places_a_file_exactly_with_the_extent_map() -> None:
    """Bytes are units of the group's size, on the devices behind the labels."""
    found = spread("+DATA/sales/datafile/undotbs1.260.1099")
    assert (found.grade, found.shares) == (
        Grade.EXACT,
        (Share("/dev/dasdd1", 2 * MB, 8 * MB), Share("/dev/oracleasm/disks/DATA01", 8 * MB, 2 * MB)),
    )


def test_spreads_a_file_evenly_without_the_map() -> None:
    """In proportion to the sizes, with one more copy in a group of normal redundancy; assumed."""
    found = spread("+data/sales/datafile/users.261.1100", 7)
    assert (found.grade, [(share.data, share.copies) for share in found.shares]) == (
        Grade.ASSUMED,
        [(3, 3), (4, 4)],
    )


def test_says_why_it_assumes() -> None:
    """The evidence names what is missing, and where the disks were read."""
    (evidence,) = spread("+DATA/sales/datafile/users.261.1100").evidence
    assert (evidence.source, evidence.said.split(":")[0]) == ("asm.csv", asm.NO_MAP)


def test_knows_no_bytes_of_a_file_without_a_size() -> None:
    """Its disks are known all the same."""
    assert spread("+FRA", None).shares == (Share("AFD:FRA01", asm.NO_SIZE, asm.NO_SIZE),)


def test_knows_no_copies_of_an_unknown_redundancy() -> None:
    """It says what to get."""
    disks = (Disk("/dev/a", group="D", size=MB),)
    assert spread("+D/x", 7, Asm(disks)).shares == (Share("/dev/a", 7, asm.NO_TYPE),)


def test_spreads_equally_over_disks_of_unknown_size() -> None:
    """One size that is missing makes all of them useless."""
    disks = (Disk("/dev/a", group="D", size=MB), Disk("/dev/b", group="D"))
    assert [share.data for share in spread("+D/x", 10, Asm(disks)).shares] == [5, 5]


def test_takes_the_only_group_for_the_one_that_is_meant() -> None:
    """Where no listing names groups, and says so."""
    found = spread("+D/x", 10, Asm((Disk("/dev/a"), Disk("/dev/b"))))
    assert (len(found.shares), len(found.evidence), found.grade) == (2, 2, Grade.ASSUMED)


def test_takes_no_group_for_another() -> None:
    """Disks of another group are none of this one."""
    found = spread("+OTHER/x")
    assert (found.shares, found.grade, "V$ASM_DISK" in found.evidence[0].said) == ((), Grade.UNKNOWN, True)


def test_tells_when_disks_of_the_map_are_not_listed() -> None:
    """The rest is in known shares."""
    known = asm.read(SPOOL, "x")
    found = spread("+DATA/a.260.1", 1, known._replace(disks=known.disks[:1]))
    assert (found.shares, found.grade, found.evidence[1].said) == (
        (Share("/dev/dasdd1", 2 * MB, 8 * MB),),
        Grade.SHARES,
        "8 allocation units are on disks that are not listed",
    )


def test_needs_the_size_of_a_unit_for_the_map() -> None:
    """Without it the file is spread evenly."""
    known = asm.read(SPOOL, "x")
    groups = (Group("DATA", 1, None, "EXTERN"),)
    assert spread("+DATA/a.260.1", 10, known._replace(groups=groups)).grade == Grade.ASSUMED


def test_refuses_what_is_no_name_of_asm() -> None:
    """It has nothing to say of it."""
    assert spread("/u01/a").grade == Grade.UNKNOWN


@pytest.mark.parametrize(
    ("path", "device"),
    [
        ("/dev/dasdd1", "/dev/dasdd1"),
        ("ORCL:A", "/dev/a"),
        ("ORCL:B", "/dev/oracleasm/disks/B"),
        ("AFD:A", "/dev/a"),
        ("AFD:B", "AFD:B"),
        ("/dev/oracleasm/disks/A", "/dev/a"),
        ("/dev/oracleasm/disks/B", "/dev/oracleasm/disks/B"),
    ],
)
def test_resolves_labels(path: str, device: str) -> None:
    """By what a listing said, else by ASMLib's rule; a label of the filter driver has no rule."""
    assert asm.device_of(path, {"A": "/dev/a"}) == device


def test_gives_disks_as_containers() -> None:
    """Each is a device of its group; a label that nobody resolves is a row with that problem."""
    assert [
        (row.tablespace, row.kind, row.path, bool(row.problem)) for row in asm.parse(SPOOL, "x").containers
    ] == [
        ("+DATA", c.DEVICE, "/dev/dasdd1", False),
        ("+DATA", c.DEVICE, "/dev/oracleasm/disks/DATA01", False),
        ("+FRA", c.DEVICE, "AFD:FRA01", True),
    ]


def test_puts_listings_together() -> None:
    """Disks of one file get the names of groups from another."""
    disks = asm.read("GROUP_NUMBER,DISK_NUMBER,PATH\n1,0,/dev/a\n", "disks.csv")
    groups = asm.read("GROUP_NUMBER,NAME,ALLOCATION_UNIT_SIZE\n1,DATA,1048576\n", "groups.csv")
    both = asm.both(disks, groups)
    assert (both.disks[0].group, both.origin) == ("DATA", "disks.csv, groups.csv")


def test_reads_what_commands_print() -> None:
    """Among the lines of a session: the group is in the command, and the device was asked of the label."""
    found = asm.read(LSDSK, "x")
    assert ([disk.group for disk in found.disks if disk.member], found.labels, found.notes) == (
        ["DATA", "DATA"],
        {"DATA01": "/dev/mapper/FCPe527p1"},
        (),
    )


def test_notes_a_map_that_is_damaged() -> None:
    """Rows that are no numbers are counted, not guessed."""
    found = asm.read("NUMBER_KFFXP,DISK_KFFXP,GROUP_KFFXP\n260,x,1\n260,0,1\n", "x")
    assert (found.extents, [note.text[:6] for note in found.notes]) == (
        {(1, 260): {0: Placed(1)}},
        ["1 rows"],
    )


def test_recognises_its_format() -> None:
    """By a heading of a view, or of a command."""
    assert [asm.recognise(text) for text in (SPOOL, LSDSK, "Path\n/dev/dasdd1", "path,name")] == [
        True, True, True, False,
    ]  # fmt: skip


@given(st.integers(0, 10**18), st.lists(st.integers(0, 10**15), min_size=1, max_size=20).filter(any))
def test_parts_without_a_rest(total: int, weights: list[int]) -> None:
    """The parts are whole, none is off by one or more, and they add up."""
    found = asm.parts(total, weights)
    exact = [total * weight for weight in weights]
    whole = sum(weights)
    assert sum(found) == total
    assert all(abs(part * whole - want) < whole for part, want in zip(found, exact, strict=True))


@given(st.integers(0, len(SPOOL)), st.integers(0, 80), st.text(max_size=10), st.sampled_from([SPOOL, LSDSK]))
def test_survives_damage(place: int, length: int, put: str, text: str) -> None:
    """A listing that is cut or overwritten is read as far as it goes, and files are placed or not."""
    known = asm.read(text[:place] + put + text[place + length :], "x")
    asm.parse(text[:place] + put + text[place + length :], "x")
    spread("+DATA/a.260.1", 10, known)
