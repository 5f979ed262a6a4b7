from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.listing.asmcmd import Commands
from zmon.listing.disk_group import MB, Disk

if TYPE_CHECKING:
    from zmon.listing.container import Note

HEADING = (
    "Total_MB  Free_MB  OS_MB  Name  Failgroup  Failgroup_Type  Library  Label  UDID  Product  Redund  Path\n"
)


def understood(text: str) -> Commands:
    notes: list[Note] = []
    commands = Commands(notes)
    list(commands.watched(text))
    return commands


def test_reads_the_columns_that_can_be_told_apart() -> None:
    """The first five and the path, whatever is blank between them."""
    row = "  7000  300  7043  DATA_0000  FG1  REGULAR  ASM Library, version 2  L1    UNKNOWN  ORCL:L1\n"
    assert understood(HEADING + row).disks == [
        Disk("ORCL:L1", "DATA_0000", failgroup="FG1", size=7000 * MB, line=2)
    ]


def test_takes_no_name_of_a_disk_in_no_group() -> None:
    """Its name is blank, so that the next column is in its place."""
    row = "  0  0  7043  REGULAR  System  UNKNOWN  /dev/dasdz1\n"
    assert understood(HEADING + row).disks == [Disk("/dev/dasdz1", size=7043 * MB, member=False, line=2)]


def test_reads_numbers_of_groups_and_disks() -> None:
    """`lsdsk -p` has no blank columns."""
    text = (
        "Group_Num  Disk_Num      Incarn  Mount_Stat  Header_Stat  Mode_Stat  State   Path\n"
        "        1         0  4042345021  CACHED      MEMBER       ONLINE     NORMAL  /dev/dasdd1\n"
        "        0         5  4042345029  CLOSED      CANDIDATE    ONLINE     NORMAL  /dev/dasdz1\n"
    )
    assert understood(text).disks == [
        Disk("/dev/dasdd1", group_number=1, number=0, line=2),
        Disk("/dev/dasdz1", group_number=0, number=5, member=False, line=3),
    ]


def test_reads_paths_alone() -> None:
    """`lsdsk` without options prints nothing else; the group is in the command."""
    assert understood("ASMCMD> lsdsk -G data\nPath\n/dev/dasdd1\n").disks == [
        Disk("/dev/dasdd1", group="DATA", line=3)
    ]


def test_forgets_the_group_at_the_next_command() -> None:
    """A command without `-G` lists all disks."""
    text = "lsdsk -G DATA\nPath\n/dev/a\nlsdsk\nPath\n/dev/b\n"
    assert [disk.group for disk in understood(text).disks] == ["DATA", ""]


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
    notes: list[Note] = []
    text = "a,b\nPath\n/dev/a\nc,d\n"
    assert list(Commands(notes).watched(text)) == ["a,b\n", "\n", "\n", "c,d\n"]


def test_ends_a_table_at_a_line_that_is_no_row() -> None:
    """What follows is of something else."""
    assert understood("Path\n/dev/a\nbye\n/dev/b\n").disks == [Disk("/dev/a", line=2)]
