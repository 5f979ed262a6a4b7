"""A row that is shorter than its form allows was cut, and is not understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.test_real_lines import outputs
from tests.collected.texts import MULTIPATH, text
from zmon.collected.collection import facts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.collected.conftest import Ask

COMMANDS: Final = (
    "lscss", "lscss --vpm", "lscss --avail", "lsdasd", "lsdasd -a", "lsdasd -c", "lszdev", "pvs", "vgs",
    "pvs --noheadings", "lvs --segments", "lvs -a -o +devices", "dmsetup table", "dmsetup ls --tree",
    "lsblk -P", "cat /proc/partitions", "cat /proc/swaps", "cat /proc/mounts", "mount", "blkid",
    "swapon -s", "losetup -l", "mdadm --detail --scan",
)  # fmt: skip
"""Commands of whose rows the columns tell when one is not whole."""
PARTS: Final = (0.35, 0.6)
"""Where rows are cut."""


def _cut(row: str) -> Iterator[str]:
    indent = len(row) - len(row.lstrip(" |`-+│├└─\\_"))
    for part in PARTS:
        yield row[: indent + max(3, int((len(row.rstrip()) - indent) * part))]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_row_that_was_cut_is_not_understood(command: str) -> None:
    """Whichever row of an output of a real machine it is; a ruler says nothing anyway."""
    output = outputs()[command]
    rows = output.text.splitlines()
    for at, row in enumerate(rows):
        for cut in _cut(row) if at and len(row.strip()) >= 8 and set(row) - set("-= ") else ():
            content = "\n".join([*rows[:at], cut, *rows[at + 1 :]])
            ((_text, _form, _read, strange, *_),) = facts_of([output._replace(text=f"{content}\n")])[1]
            assert strange, cut


@pytest.mark.parametrize(("command", "content", "strange"), [
    ("lscss", "0.0.0101 0.0.0001  3390/0c 3990/e9 yes  f0  f0  ff   404142\n", [1]),
    ("lscss --vpm", "0.0.0103 0.0.0003  3390/0c 3990/e9 yes  f0  f0  ff\n", [1]),
    ("lscss", "Device   Subchan.\n-----------------\nn/a      0.0.ff40\n0.0.ee00 0.0.ff41\n", []),
    ("lsdasd", "0.0.7003  active    dasdg     94:24   ECKD  \n", [1]),
    ("lsdasd", "0.0.7202  n/f       dasdd     94:12   ECKD\n", []),
    ("lsdasd -a", "0.0.7203\n0.0.7204  offline\n", [1]),
    ("lsdasd -a", "0.0.7204  offline\n0.0.7203\n", [2]),
    ("lsdasd -a -l", "0.0.7203\n  status:\t\toffline\n", []),
    ("lsdasd -l", "0.0.7101/dasdb/94:4\n  status:\n", [2]),
    ("lsdasd -l", "0.0.7101/dasdb/94:4\n  paths_in_\n", [2]),
    ("lszdev", "TYPE         ID        ON   PERS  NAMES\ndasd-eckd    0.0.1b02  \n", [2]),
    ("lszdev --no-headings", "dasd-eckd  0.0.1b02  yes\n", [1]),
    ("lsscsi -v", "[2:0:1:0]    disk    IBM\n  dir: /sys/bus/scsi/devices/2:0:1:0\n", [1]),
    ("mdadm --detail /dev/md1", "/dev/md1:\n       1      94       65        1      active sy\n", [2]),
    ("mdadm --detail /dev/md1", "/dev/md1:\n       1      94       65        1      faulty\n", []),
    ("mdadm --examine --scan", "ARRAY /dev/md/0  metadata=1.2\n", [1]),
    ("dasdview -i /dev/dasda", "device no\nbusid                  : 0.0.0101\n", [1]),
    ("findmnt", "TARGET     SOURCE      FSTYPE OPTIONS\n/srv/again /dev/dasdd\n", [2]),
    ("findmnt -o TARGET,SOURCE,LABEL", "TARGET     SOURCE      LABEL\n/srv/again /dev/dasdd1\n", []),
    ("cryptsetup status c", "/dev/mapper/c is active.\n  device:  /de\n", [2]),
    ("lsblk -o KNAME,TYPE,SIZE", "KNAME TYPE\nmd0   raid\ndasda disk\n", [2]),
    ("lvdisplay", "  LV Path                /dev/vg/lv\n  LV Name\n", [2]),
    ("pvdisplay", "  PV Name               /dev/dasda1\n  VG Name\n", []),
    ("dmsetup table", "a: 0 65536 striped 2 128 94:37 2048\n", [1]),
    ("dmsetup table", "a: 0 32768 raid raid1 4 0 nosync region_size 4096 2 253:3 253:4 253:5\n", [1]),
    ("dmsetup table", "a: 0 32768 mirror core 2 64 nosync 2 253:1 0 253:2 0 1 handle_errors\n", []),
    ("dmsetup table", "a: 0 32768 mirror core 2 64 nosync 2 253:1 0 253:2\n", [1]),
    ("dmsetup table", "a: 0 8 multipath 0 1 alua 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1\n", []),
    ("dmsetup table", "a: 0 8 multipath 0 1 alua 1 1 service-time 0 2 2 8:0 1 1\n", [1]),
])  # fmt: skip
def test_what_a_row_must_have(command: str, content: str, strange: list[int]) -> None:
    """Rows that are whole are understood beside those that were cut."""
    (read,) = facts_of([text(content, command)])[1]
    assert [*read.strange] == strange


@pytest.mark.parametrize("states", ["act", "active", "active fau", "active ready runn"])
def test_a_path_whose_states_were_cut_is_not_understood(states: str) -> None:
    """No beginning of a state is shown as one."""
    content = f"{MULTIPATH[: MULTIPATH.index('|-+-')]}`-+- policy='service-time 0' prio=50 status=active\n"
    (read,) = facts_of([text(f"{content}  |- 0:0:0:1 sda 8:0   {states}\n", "multipath -ll")])[1]
    assert [*read.strange] == [4]


TREE = """\
box1:~ # lsblk --json
{
   "blockdevices": [
      {"name": "dasdp", "maj:min": "94:60", "type": "disk", "mountpoints": [
          null
        ],
        "children": [
          {"name": "dasdp1", "maj:min": "94:61", "type": "part", "mountpoints": ["/"]}
        ]
      },{
         "name": "dasdq", "maj:min": "94:64", "type": "disk",
         "children": [
            {"name": "dasdq1", "maj:min": "94:65", "type": "part",
             "children": [
                {"name": "wh-load", "maj:min": "253:0", "type": "lvm"}
             ]}
         ]
      }
   ]
}
"""


@pytest.mark.parametrize("count", range(7, TREE.count("\n")))
def test_of_a_document_that_was_cut_the_whole_rows_count(count: int, where: Ask) -> None:
    """What was cut is told: no disk of it is without a use."""
    shown = "\n".join(TREE.split("\n")[:count])
    found = where("dasdp", f"{shown}\nbox1:~ # lsdasd -u\n0.0.1a01  dasdp  IBM.75000000AAAA1.1a00.01\n")
    assert any("lsblk --json shows a part" in what for what in found["not_looked_at"])
    assert [mount["point"] for mount in found["mounts"]] == ["/"] * (count > 7)
