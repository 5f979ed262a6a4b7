from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.layers import disk, layers, mapped, partition
from zmon.base.absent import Absent
from zmon.kinds import LAYER
from zmon.listing import asm
from zmon.listing import containers as c
from zmon.listing.asm import LABEL, AsmReader, disk_group_files
from zmon.listing.containers import AllocationUnits, AsmDisk, Container, DiskGroup, DiskGroups
from zmon.listing.listing import read_listing
from zmon.listing.oracle_catalogue import parse, recognise
from zmon.placement.items import UnitKind, placement_of
from zmon.placement.word_lookup import MeaningKind, find, meanings
from zmon.sample import Instant, Sample
from zmon.topology.claims import Grade
from zmon.topology.data_files import DiskGroupFile, DiskGroupPart
from zmon.topology.machine import Machine, UserInputs
from zmon.topology.mapping import split_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.topology.location import FileLocation


LISTINGS = Path(__file__).parents[1] / "fixtures/listings"
SPOOL = (LISTINGS / "asm-spool.csv").read_text()
LSDSK = (LISTINGS / "asmcmd-lsdsk-k.txt").read_text()
MB = 1 << 20


def spread(path: str, size: int | None = 100 * MB, of: DiskGroups | None = None) -> DiskGroupFile:
    file = Container(kind=c.ASM_FILE, path=path, bytes_declared=size)
    groups = parse(SPOOL, "asm.csv").disk_groups if of is None else of
    (found,) = disk_group_files([file], groups)
    return found


def test_reads_disks_of_groups() -> None:
    """The view of groups gives them their names; a disk in no group is no member."""
    assert [
        (disk.group, disk.number, disk.path, disk.member) for disk in parse(SPOOL, "x").disk_groups.disks
    ] == [
        ("DATA", 0, "/dev/dasdd1", True),
        ("DATA", 1, "ORCL:DATA01", True),
        ("FRA", 0, "AFD:FRA01", True),
        ("", 3, "/dev/dasdz1", False),
    ]


def test_sums_the_extent_map_up() -> None:
    """In allocation units, copies apart; what holds the map itself is not counted."""
    assert parse(SPOOL, "x").disk_groups.extents == {
        (1, 260): {0: AllocationUnits(2, 8), 1: AllocationUnits(8, 2)}
    }


def test_places_a_file_exactly_with_the_extent_map() -> None:
    """Bytes are units of the group's size, on the devices behind the labels."""
    found = spread("+DATA/sales/datafile/undotbs1.260.1099")
    assert (found.grade, found.parts) == (
        Grade.EXACT,
        (
            DiskGroupPart("/dev/dasdd1", 2 * MB, 8 * MB, LABEL),
            DiskGroupPart("/dev/oracleasm/disks/DATA01", 8 * MB, 2 * MB, LABEL),
        ),
    )


def test_spreads_a_file_evenly_without_the_map() -> None:
    """In proportion to the sizes, with one more copy in a group of normal redundancy; assumed."""
    found = spread("+data/sales/datafile/users.261.1100", 7)
    assert (found.grade, [(share.data, share.copies) for share in found.parts]) == (
        Grade.ASSUMED,
        [(3, 3), (4, 4)],
    )


def test_says_why_it_assumes() -> None:
    """The evidence names what is missing, and where the disks were read."""
    (evidence,) = spread("+DATA/sales/datafile/users.261.1100").evidence
    assert (evidence.source, evidence.said.split(":")[0]) == ("asm.csv", asm.NO_MAP)


def test_knows_no_bytes_of_a_file_without_a_size() -> None:
    """Its disks are known all the same."""
    assert spread("+FRA", None).parts == (DiskGroupPart("AFD:FRA01", asm.NO_SIZE, asm.NO_SIZE, LABEL),)


def test_knows_no_copies_of_an_unknown_redundancy() -> None:
    """It says what to get."""
    disks = (AsmDisk("/dev/a", group="D", size=MB),)
    assert spread("+D/x", 7, DiskGroups(disks)).parts == (DiskGroupPart("/dev/a", 7, asm.NO_TYPE, LABEL),)


def test_spreads_equally_over_disks_of_unknown_size() -> None:
    """One size that is missing makes all of them useless."""
    disks = (AsmDisk("/dev/a", group="D", size=MB), AsmDisk("/dev/b", group="D"))
    assert [share.data for share in spread("+D/x", 10, DiskGroups(disks)).parts] == [5, 5]


def test_takes_the_only_group_for_the_one_that_is_meant() -> None:
    """Where no listing names groups, and says so."""
    found = spread("+D/x", 10, DiskGroups((AsmDisk("/dev/a"), AsmDisk("/dev/b"))))
    assert (len(found.parts), len(found.evidence), found.grade) == (2, 2, Grade.ASSUMED)


def test_takes_no_group_for_another() -> None:
    """Disks of another group are none of this one."""
    found = spread("+OTHER/x")
    assert (found.parts, found.grade, "V$ASM_DISK" in found.evidence[0].said) == ((), Grade.UNKNOWN, True)


def test_tells_when_disks_of_the_map_are_not_listed() -> None:
    """The rest is in known shares."""
    known = parse(SPOOL, "x").disk_groups
    found = spread("+DATA/a.260.1", 1, known._replace(disks=known.disks[:1]))
    assert found.parts == (DiskGroupPart("/dev/dasdd1", 2 * MB, 8 * MB, LABEL),)
    assert (found.grade, found.evidence[1].said[:2]) == (Grade.SHARES, "8 ")


def test_needs_the_size_of_a_unit_for_the_map() -> None:
    """Without it the file is spread evenly."""
    known = parse(SPOOL, "x").disk_groups
    groups = (DiskGroup("DATA", 1, None, "EXTERN"),)
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
        (row.tablespace, row.kind, row.path, bool(row.problem)) for row in parse(SPOOL, "x").containers
    ] == [
        ("+DATA", c.DEVICE, "/dev/dasdd1", False),
        ("+DATA", c.DEVICE, "/dev/oracleasm/disks/DATA01", False),
        ("+FRA", c.DEVICE, "AFD:FRA01", True),
    ]


def test_puts_listings_together() -> None:
    """Disks of one file get the names of groups from another."""
    disks = parse("GROUP_NUMBER,DISK_NUMBER,PATH\n1,0,/dev/a\n", "disks.csv").disk_groups
    groups = parse("GROUP_NUMBER,NAME,ALLOCATION_UNIT_SIZE\n1,DATA,1048576\n", "groups.csv").disk_groups
    both = asm.merge_groups(disks, groups)
    assert (both.disks[0].group, both.origin) == ("DATA", "disks.csv, groups.csv")


def test_reads_what_commands_print() -> None:
    """Among the lines of a session: the group is in the command, and the device was asked of the label."""
    content = parse(LSDSK, "x")
    found = content.disk_groups
    assert ([disk.group for disk in found.disks if disk.member], found.labels, content.notes) == (
        ["DATA", "DATA"],
        {"DATA01": "/dev/mapper/FCPe527p1"},
        (),
    )


def test_notes_a_map_that_is_damaged() -> None:
    """Rows that are no numbers are counted, not guessed."""
    found = parse("NUMBER_KFFXP,DISK_KFFXP,GROUP_KFFXP\n260,x,1\n260,0,1\n", "x")
    assert (found.disk_groups.extents, [note.text[:6] for note in found.notes]) == (
        {(1, 260): {0: AllocationUnits(1)}},
        ["1 rows"],
    )


def test_recognises_its_format() -> None:
    """By a heading of a view, or of a command."""
    assert [recognise(text) for text in (SPOOL, LSDSK, "Path\n/dev/dasdd1", "path,name")] == [
        True, True, True, False,
    ]  # fmt: skip


@given(st.integers(0, 10**18), st.lists(st.integers(0, 10**15), min_size=1, max_size=20).filter(any))
def test_parts_without_a_rest(total: int, weights: list[int]) -> None:
    """The parts are whole, none is off by one or more, and they add up."""
    found = split_whole(total, weights)
    exact = [total * weight for weight in weights]
    whole = sum(weights)
    assert sum(found) == total
    assert all(abs(part * whole - want) < whole for part, want in zip(found, exact, strict=True))


@given(st.integers(0, len(SPOOL)), st.integers(0, 80), st.text(max_size=10), st.sampled_from([SPOOL, LSDSK]))
def test_survives_damage(place: int, length: int, put: str, text: str) -> None:
    """A listing that is cut or overwritten is read as far as it goes, and files are placed or not."""
    known = parse(text[:place] + put + text[place + length :], "x").disk_groups
    parse(text[:place] + put + text[place + length :], "x")
    spread("+DATA/a.260.1", 10, known)


HEADING = (
    "Total_MB  Free_MB  OS_MB  Name  Failgroup  Failgroup_Type  Library  Label  UDID  Product  Redund  Path\n"
)


def understood(text: str) -> AsmReader:
    commands = AsmReader()
    list(commands.other_lines(text))
    return commands


def printed_disks(text: str) -> list[AsmDisk]:
    return list(understood(text).disk_groups("x").disks)


def test_reads_the_columns_that_can_be_told_apart() -> None:
    """The first five and the path, whatever is blank between them."""
    row = "  7000  300  7043  DATA_0000  FG1  REGULAR  ASM Library, version 2  L1    UNKNOWN  ORCL:L1\n"
    assert printed_disks(HEADING + row) == [AsmDisk("ORCL:L1", "DATA_0000", size=7000 * MB, line=2)]


def test_takes_no_name_of_a_disk_in_no_group() -> None:
    """Its name is blank, so that the next column is in its place."""
    row = "  0  0  7043  REGULAR  System  UNKNOWN  /dev/dasdz1\n"
    assert printed_disks(HEADING + row) == [AsmDisk("/dev/dasdz1", size=7043 * MB, member=False, line=2)]


def test_reads_numbers_of_groups_and_disks() -> None:
    """`lsdsk -p` has no blank columns."""
    text = (
        "Group_Num  Disk_Num      Incarn  Mount_Stat  Header_Stat  Mode_Stat  State   Path\n"
        "        1         0  4042345021  CACHED      MEMBER       ONLINE     NORMAL  /dev/dasdd1\n"
        "        0         5  4042345029  CLOSED      CANDIDATE    ONLINE     NORMAL  /dev/dasdz1\n"
    )
    assert printed_disks(text) == [
        AsmDisk("/dev/dasdd1", group_number=1, number=0, line=2),
        AsmDisk("/dev/dasdz1", group_number=0, number=5, member=False, line=3),
    ]


def test_reads_paths_alone() -> None:
    """`lsdsk` without options prints nothing else; the group is in the command."""
    assert printed_disks("ASMCMD> lsdsk -G data\nPath\n/dev/dasdd1\n") == [
        AsmDisk("/dev/dasdd1", group="DATA", line=3)
    ]


def test_forgets_the_group_at_the_next_command() -> None:
    """A command without `-G` lists all disks."""
    text = "lsdsk -G DATA\nPath\n/dev/a\nlsdsk\nPath\n/dev/b\n"
    assert [disk.group for disk in printed_disks(text)] == ["DATA", ""]


def test_reads_labels_of_the_filter_driver() -> None:
    """`afd_lsdsk` prints labels and paths."""
    text = "-----\nLabel   Filtering   Path\n=====\nFRA01   ENABLED   /dev/sdb1\n"
    assert understood(text).labels == {"FRA01": "/dev/sdb1"}


def test_reads_labels_of_asmlib() -> None:
    """`querydisk` prints the device, or its numbers."""
    text = (
        '/dev/dasdb1: LABEL="ONE" TYPE="oracleasm"\n'
        'Disk "TWO" is a valid ASM disk on device [94, 9]\n'
        'Disk "THREE" is a valid ASM disk on device /dev/dasdd1[94,13]\n'
    )
    assert understood(text).labels == {"ONE": "/dev/dasdb1", "TWO": "/dev/block/94:9", "THREE": "/dev/dasdd1"}


def test_leaves_other_lines_to_others() -> None:
    """They come again, and lines that were understood come empty."""
    text = "a,b\nPath\n/dev/a\nc,d\n"
    assert list(AsmReader().other_lines(text)) == ["a,b\n", "\n", "\n", "c,d\n"]


def test_ends_a_table_at_a_line_that_is_no_row() -> None:
    """What follows is of something else."""
    assert printed_disks("Path\n/dev/a\nbye\n/dev/b\n") == [AsmDisk("/dev/a", line=2)]


FIXTURES = Path(__file__).parents[1] / "fixtures" / "listings"
MIB = 1 << 20
UNDO = "+DATA/SALES/DATAFILE/undotbs1.260.1099"
LAYERS = layers({
    "94:12": disk("dasdd", 14_424_480),
    "94:13": partition("dasdd1", "94:12", 192, 14_424_288),
    "253:1": mapped("FCPe527", "0 20000000 multipath 0 0 1 1 round-robin 0 1 1 8:0 1", 20_000_000, "8:0",
                    uuid="mpath-36005"),
    "253:2": mapped("FCPe527p1", "0 14424288 linear 253:1 2048", 14_424_288, "253:1"),
    "8:0": disk("sda", 20_000_000),
})  # fmt: skip


def machine(containers: Sequence[Container], disks: DiskGroups) -> Machine:
    """Return a machine as it was captured, on which nobody looked at the files."""
    inputs = UserInputs(listed=(), in_disk_groups=disk_group_files(containers, disks))
    return Machine(Sample(Instant(0, 0, ""), {LAYER.name: LAYERS}), inputs)


def oracle(*names: str) -> Machine:
    """Return a machine with samples of listings."""
    listing = read_listing([str(FIXTURES / name) for name in names], machine="lnxora01")
    return machine(listing.containers, listing.disk_groups)


def placed(answer: FileLocation) -> dict[object, tuple[object, object]]:
    """Return the bytes and the copies on each disk."""
    return {share.volume.number: (share.bytes, share.copies) for share in answer.disks}


def one(path: str = "+DATA/f.1.2", size: int | None = 10 * MIB, **more: object) -> Container:
    """Return a file of ASM."""
    kind = c.ASM_FILE if "/" in path else c.ASM_GROUP
    known = {"kind": kind, "path": path, "bytes_declared": size, "tablespace": "TS"}
    return c.Container(**(known | more))  # type: ignore[arg-type]  # they are as declared


def test_the_extent_map_is_followed_to_the_disks() -> None:
    """Each disk has what the map says, mirrors apart: the label leads to a multipath device."""
    found = oracle("oracle-spool.csv", "asm-spool.csv", "asmcmd-lsdsk-k.txt").locations[UNDO]
    assert placed(found) == {"8:0": (8 * MIB, 2 * MIB), "94:12": (2 * MIB, 8 * MIB)}
    assert found.grade is Grade.EXACT


def test_without_the_map_it_is_spread_evenly() -> None:
    """Which is assumed, as is the group of the disks, and said."""
    found = oracle("oracle-spool.csv", "asmcmd-lsdsk-k.txt").locations[UNDO]
    assert [placed(found)[number][0] for number in ("94:12", "8:0")] == [13107200, 13107200]
    assert (found.grade, "as after a rebalance" in found.notes[0]) == (Grade.ASSUMED, True)


def test_the_file_belongs_to_its_tablespace() -> None:
    """With the database, its size and where it is listed."""
    (file,) = oracle("oracle-spool.csv", "asm-spool.csv").files
    assert (file.space, file.size, file.role) == ("SALES.UNDOTBS1", 26214400, "undo")


def test_a_label_of_asmlib_needs_its_device() -> None:
    """A capture has no nodes, so what is on that disk has no place."""
    found = oracle("oracle-spool.csv", "asm-spool.csv").locations[UNDO]
    assert (list(placed(found)), found.unplaced) == (["94:12"], 8 * MIB)
    assert found.lacking[0].startswith("/dev/oracleasm/disks/DATA01: ")


def test_an_answer_stands_for_an_item() -> None:
    """By disk it has all its bytes; first copies count."""
    known = oracle("oracle-spool.csv", "asm-spool.csv", "asmcmd-lsdsk-k.txt")
    found = placement_of(known, by=UnitKind.DISK)
    assert [sum(item.bytes_on.values()) for item in found.items] == [10 * MIB]
    assert [(row.placed, row.unplaced, row.problem) for row in found.rows] == [(10 * MIB, 0, "")]


def test_what_cannot_be_placed_has_its_reason() -> None:
    """Nothing that is listed is missing from the answer."""
    (row,) = placement_of(machine([one()], DiskGroups(origin="x")), by=UnitKind.DISK).rows
    assert (row.placed, row.unplaced, row.problem.startswith("no disks of +DATA: get")) == (0, 10 * MIB, True)


@pytest.mark.parametrize("word", [UNDO, "+DATA", "UNDOTBS1", "SALES"])
def test_words_mean_it(word: str) -> None:
    """Its name, its disk group, its tablespace and its database."""
    known = oracle("oracle-spool.csv", "asm-spool.csv", "asmcmd-lsdsk-k.txt")
    assert [[each.path for each in find(meant, known).locations] for meant in meanings(word, known)] == [
        [UNDO]
    ]


def test_it_is_found_from_its_disk() -> None:
    """What lies on a disk are the files of the disk group."""
    known = oracle("oracle-spool.csv", "asm-spool.csv", "asmcmd-lsdsk-k.txt")
    (meant,) = (meant for meant in meanings("dasdd", known) if meant.sort is MeaningKind.DEVICE)
    assert [(on_disk.file.path, on_disk.bytes) for on_disk in find(meant, known).files] == [(UNDO, 2 * MIB)]


GROUPS = DiskGroups(
    (AsmDisk("/dev/dasdd1", group="DATA"), AsmDisk("/dev/mapper/FCPe527p1", group="DATA")),
    (DiskGroup("DATA", 1, MIB, "HIGH"),),
    origin="x",
)


def test_a_group_of_high_redundancy_has_two_copies() -> None:
    """Of each byte, on the disks together."""
    found = machine([one()], GROUPS).locations["+DATA/f.1.2"]
    assert placed(found) == dict.fromkeys(("94:12", "8:0"), (5 * MIB, 10 * MIB))
    assert found.steps[0].what == "ASM, high redundancy, 2 disks"


def test_of_a_flexible_group_copies_are_not_known() -> None:
    """Absent is not zero."""
    flexible = GROUPS._replace(groups=(DiskGroup("DATA", 1, MIB, "FLEX"),))
    found = machine([one()], flexible).locations["+DATA/f.1.2"]
    assert all(isinstance(share.copies, Absent) for share in found.disks)
    assert found.steps[0].what == "ASM, 2 disks"


def test_a_group_alone_is_called_after_what_is_in_it() -> None:
    """Tablespaces that are made in the same group are not the same; Oracle chooses the names of the files."""
    rows = [
        one("+DATA", tablespace="A"),
        one("+DATA(tpl)", tablespace="B", database="S"),
        one("+DATA", None, tablespace="", role="archive"),
    ]
    found = machine(rows, GROUPS).locations
    assert list(found) == ["+DATA (A)", "+DATA(tpl) (S.B)", "+DATA (archive)"]
    assert [len(each.disks) for each in found.values()] == [2, 2, 2]


def test_a_name_that_is_listed_twice_counts_once() -> None:
    """The first is taken."""
    rows = [one(tablespace="A"), one(tablespace="B")]
    assert [each.tablespace for each in disk_group_files(rows, GROUPS)] == ["A"]


def test_other_containers_are_left_to_the_kernel() -> None:
    """So are those that cannot be used."""
    rows = [one("/db/f", kind=c.FILE), one(problem="it is gone"), one("/dev/dasdd1", kind=c.DEVICE)]
    assert disk_group_files(rows, GROUPS) == ()


@given(
    st.text("+DATA/().19 \n\0é\udc80", max_size=12),
    st.sampled_from([c.ASM_FILE, c.ASM_GROUP]),
    st.text("/devasm:12\0\udc80 ", max_size=12),
    st.none() | st.integers(0, 1 << 60),
)
def test_any_name_has_an_answer(path: str, kind: str, device: str, size: int | None) -> None:
    """Hostile names of files and disks are answered, and no byte is made up."""
    disks = DiskGroups(
        (AsmDisk(device, group="DATA", size=1), AsmDisk("/dev/dasdd1", group="DATA")), GROUPS.groups
    )
    for answer in machine([one(path, size, kind=kind)], disks).locations.values():
        known = sum(share.bytes for share in answer.disks if not isinstance(share.bytes, Absent))
        assert known <= (size or 0)
