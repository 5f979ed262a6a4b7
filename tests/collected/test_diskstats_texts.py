"""/proc/diskstats names block devices, and their numbers."""

from __future__ import annotations

from typing import Final

import pytest

from tests.collected.texts import facts_in
from zmon.collected.collection import facts_of
from zmon.collected.transcript import begins_output, outputs
from zmon.kinds import LAYER

STATS: Final = """\
   1       0 ram0 0 0 0 0 0 0 0 0 0 0 0
   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0
  94      60 dasdp 14265 2334 777462 9420 33371 39133 1253848 131820 0 45190 141160
  94      61 dasdp1 14170 2334 773326 9370 33371 39133 1253848 131820 0 45140 141110
 253       0 dm-0 302 0 2440 30 0 0 0 0 0 20 30 0 0 0 0
   8      16 sdb 302 0 2440 30 0 0 0 0 0 20 30 0 0 0 0 0 0
"""


@pytest.mark.parametrize("before", ["box1:~ # cat /proc/diskstats\n", ""])
def test_each_line_names_a_device(before: str) -> None:
    """With the columns of any release, however far they are indented, and without a command, too."""
    assert begins_output(before + STATS)
    facts, reads = facts_of([*outputs("a.txt", (before + STATS).encode(), 7)])
    assert [(read.read, read.strange) for read in reads] == [(6, ())]
    told = {
        number: (row["name"][0].value, row["sort"][0].value) for number, row in facts.rows["layer"].items()
    }
    assert told == {
        "1:0": ("ram0", "disk"), "7:0": ("loop0", "loop"), "94:60": ("dasdp", "disk"),
        "94:61": ("dasdp1", "partition"), "253:0": ("dm-0", "dm"), "8:16": ("sdb", "disk"),
    }  # fmt: skip


def test_a_part_of_it_is_read_and_lists_no_others() -> None:
    """Partitions had four columns once; a line that was cut may have the number of another device."""
    facts = facts_in("  94      61 dasdp1 14170 773326 33371 1253848\n", "grep dasdp1 /proc/diskstats")
    assert facts.value(LAYER, "94:61", "name") == "dasdp1"
    assert not facts.listed
    (read,) = facts_of(
        [*outputs("a.txt", b"# cat /proc/diskstats\n  94  6 dasdp 1 2 3 4 5 6 7 8 9 1 2\n", 7)]
    )[1]
    assert len(read.strange) == 1
