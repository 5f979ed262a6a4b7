"""The layout of disks that ReaR saved: what lies on what, unless another text says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.collected.texts import TWO_UIDS, facts_in, row

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

SAVED = """\
# Disk layout dated 20260101121212 (YYYYmmddHHMMSS)
# Format: disk <devname> <size(bytes)> <partition label type>
disk /dev/dasdp 7385333760 dasd
part /dev/dasdp 7385235456 98304 rear-noname none /dev/dasdp1
disk /dev/dasdq 7385333760 dasd
part /dev/dasdq 7385235456 98304 rear-noname none /dev/dasdq1
# Format for LVM PVs
# lvmdev <volume_group> <device> [<uuid>] [<size(bytes)>]
lvmdev /dev/wh /dev/dasdq1 Tnnpqc-uQ7G-BIpw-4D0S-Cesb-z0cH-RTjp5T 14424288
lvmgrp /dev/wh 4096 1760 7208960
lvmvol /dev/wh load 6442450944b linear
fs /dev/mapper/wh-load /load xfs uuid=ce37ec74-1b3f-4a59-a49d-6f6d2a4e4e4a label= options=rw,relatime
fs /dev/dasdp1 / ext4 uuid=9a5f67dc-74d6-45ff-ba5a-f9b32a1bac0a label= blocksize=4096 options=rw
swap /dev/dasdr1 uuid=2d3df5a7-15fd-4c75-a2f1-9ac1e4d4f6e4 label=
multipath /dev/mapper/mpatha 21474836480 msdos /dev/sda,/dev/sdb
part /dev/mapper/mpatha 21473787904 1048576 primary none /dev/mapper/mpatha1
crypt /dev/mapper/cr_x /dev/mapper/mpatha1 type=luks2 cipher=aes-xts-plain64 key_size=256 hash=sha256
raid /dev/md0 metadata=1.2 level=raid1 raid-devices=2 uuid=aa:bb devices=/dev/sdc1
#disk /dev/dasds 7385333760 dasd
#fs /dev/dasds1 /spare ext4 uuid=9a5f67dc-74d6-45ff-ba5a-f9b32a1bac0b label= options=rw
"""
SWAPS = "Filename Type Size Used Priority\n/dev/dasdq2 partition 1000 0 -2\n"
COPIED = f"box1:~ # cat /var/lib/rear/layout/disklayout.conf\n{SAVED}"


@pytest.mark.parametrize("text", [SAVED, COPIED])
def test_a_layout_says_what_lies_on_what(text: str, where: Ask) -> None:
    """Also of what is left out of the backup; an array may have devices that are not named."""
    uses = {"dasdp": ["/"], "dasdq": ["/load"], "dasds": ["/spare"], "dasdr": ["(swap)"]}
    for disk, points in uses.items():
        assert [mount["point"] or "(swap)" for mount in where(disk, f"{TWO_UIDS}{text}")["mounts"]] == points
    (answer,) = where("/load", text)["where"]
    assert [disk["disk"] for disk in answer["disks"]] == ["dasdq"]
    assert [path["disk"] for path in where("mpatha", text)["paths"]] == ["sda", "sdb"]
    assert where("mpatha", text)["devices"] == ["cr_x", "mpatha1"]
    assert "a member of md0" in str(where("sdc", text))


def test_a_layout_is_no_list_of_what_is_there_now(where: Ask) -> None:
    """A disk that it does not name may have been added."""
    answer = where("dasdt", f"{TWO_UIDS.replace('dasdp', 'dasdt')}{COPIED}")
    assert "a.txt:5: cat /var/lib/rear/layout/disklayout.conf shows a part" in answer["not_looked_at"]


def test_what_another_text_has_goes_first(where: Ask) -> None:
    """A group that was moved since, a file system that is mounted from elsewhere, or not any more."""
    now = (
        "box1:~ # pvs\n  PV          VG Fmt  Attr PSize PFree\n  /dev/dasdp2 wh lvm2 a--  6.87g    0\n"
        "box1:~ # mount\n/dev/dasdq2 on / type ext4 (rw)\n"
    )
    text = f"{TWO_UIDS}{COPIED}{now}"
    assert [mount["point"] for mount in where("dasdq", text)["mounts"]] == ["/"]
    assert "volume group wh" in where("dasdp", text)["devices"]
    assert where("dasdp", text)["mounts"] == []
    assert "volume group wh" not in where("dasdq", text)["devices"]
    assert "ext4 at /spare on dasds1, as ReaR saved it" in where("dasds", text)["devices"]


def test_swap_that_is_not_active_any_more_is_what_was_saved(where: Ask) -> None:
    """If a text lists the areas that are."""
    answer = where("dasdr", f"{TWO_UIDS}{COPIED}box1:~ # cat /proc/swaps\n{SWAPS}")
    assert (answer["mounts"], answer["devices"]) == ([], ["dasdr1", "swap on dasdr1, as ReaR saved it"])


def test_lines_of_other_things_say_nothing_of_a_disk() -> None:
    """Comments, and what only makes a device again."""
    facts = facts_in(f"{SAVED}opaldisk /dev/sda boot=y password=z\nbtrfsnormalsubvol /dev/dasdp1 / 256 @\n")
    assert row(facts, "layer", "mpatha1")["below"] == "mpatha"
