"""Devices that texts name otherwise than the text that has their disks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.cli.main import main
from zmon.collected.fcp_texts import linked_lun

if TYPE_CHECKING:
    from pathlib import Path

    from tests.collected.conftest import Ask

WWID = "36005076309ffd1c70000000000001b00"
MAPS = f"""\
box1:~ # multipath -ll
mpathb (36005076309ffd1c70000000000001a00) dm-0 IBM,2107900
size=40G features='0' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=1 status=active
  |- 0:0:0:1073758234 sda 8:0   active ready running
  `- 1:0:0:1073758234 sdb 8:16  active ready running
{WWID} dm-1 IBM,2107900
size=40G features='0' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=1 status=active
  |- 0:0:0:1073758235 sdc 8:32  active ready running
  `- 1:0:0:1073758235 sdd 8:48  active ready running
"""
MOUNTS = "box1:~ # cat /proc/mounts\n/dev/{} /d xfs rw 0 0\n"
MEMBER = """\
box1:~ # pvs
  PV   VG  Fmt  Attr PSize   PFree
  /dev/{} vgx lvm2 a--  39.00g    0
box1:~ # cat /proc/mounts
/dev/mapper/vgx-lv /d xfs rw 0 0
"""
BTRFS = """\
box1:~ # btrfs filesystem show
Label: none  uuid: 11111111-2222-4333-8444-555555555555
\tTotal devices 1 FS bytes used 1.00GiB
\tdevid    1 size 6.80GiB used 2.00GiB path /dev/{}
"""
CRYPT = """\
box1:~ # cryptsetup status enc
/dev/mapper/enc is active and is in use.
  type:    LUKS2
  cipher:  aes-xts-plain64
  device:  /dev/{}
"""
BLKID = 'box1:~ # blkid\n/dev/{}: UUID="b" TYPE="LVM2_member"\n'


@pytest.mark.parametrize("use", [MOUNTS, MEMBER])
@pytest.mark.parametrize(("name", "disk"), [
    *((f"mapper/mpathb{part}", "sda") for part in ("", "1", "p1", "-part1", "_part1")),
    *((f"mapper/{WWID}{part}", "sdc") for part in ("", "p1", "-part1", "_part1")),
    ("mapper/36005076309ffd1c70000000000001a00-part2", "sda"),
    ("disk/by-id/dm-name-mpathb", "sda"), ("disk/by-id/dm-name-mpathb-part1", "sda"),
    *((f"disk/by-id/{begin}6005076309ffd1c70000000000001a00{part}", "sda")
      for begin in ("wwn-0x", "scsi-3", "dm-uuid-mpath-3") for part in ("", "-part1")),
    (f"disk/by-id/dm-uuid-part1-mpath-{WWID}", "sdc"), ("sda1", "sda"),
])  # fmt: skip
def test_a_partition_of_a_map_is_known_by_each_of_its_names(
    name: str, disk: str, use: str, where: Ask
) -> None:
    """Whatever divides its number from the name or the WWID of the map, and by the links of udev."""
    (answer,) = where("/d/x", MAPS + use.format(name))["where"]
    assert [found["disk"] for found in answer["disks"]] == [disk]


@pytest.mark.parametrize("text", [
    BTRFS.format("mapper/mpathb-part2"), BLKID.format("mapper/mpathb-part2"), CRYPT.format("mapper/mpathb1"),
    CRYPT.format("disk/by-id/scsi-36005076309ffd1c70000000000001a00"),
    "box1:~ # ls -l /dev/mapper\nlrwxrwxrwx 1 root root 7 Mar 17 06:00 mpathb-part1 -> ../dm-2\n",
])  # fmt: skip
def test_what_uses_a_partition_of_a_map_uses_the_map(text: str, where: Ask) -> None:
    """It is no device without a disk."""
    answer = where("mpathb", MAPS + text)
    assert answer["devices"]
    assert not any("whose disk" in what for what in answer["not_looked_at"])


@pytest.mark.parametrize(
    "name", ["mapper/mpathbp1", "mapper/mpathc1", f"mapper/{WWID}1", "disk/by-id/wwn-0x1"]
)
def test_a_name_that_may_be_of_another_device_is_of_none(name: str, where: Ask) -> None:
    """Such as that of one of two maps, `mpathb` and `mpathbp`."""
    other = MAPS + MAPS.partition("\n")[2].partition(WWID)[0].replace("mpathb", "mpathbp").replace(
        "1a00)", "1c00)"
    ).replace("dm-0", "dm-7").replace("sda 8:0 ", "sde 8:64").replace("sdb 8:16", "sdf 8:80")
    (answer,) = where("/d/x", other + MOUNTS.format(name))["where"]
    assert answer["disks"] == []


@pytest.mark.parametrize("disk", ["md1", "nvme0n1"])
def test_a_partition_that_is_mounted_is_on_the_disk_of_its_name(disk: str, where: Ask) -> None:
    """If a text has that disk."""
    number = {"md1": "9:1", "nvme0n1": "259:0"}[disk]
    listed = f"box1:~ # lsblk -o NAME,MAJ:MIN\nNAME    MAJ:MIN\n{disk:7} {number:>7}\n"
    assert [mount["point"] for mount in where(disk, listed + MOUNTS.format(f"{disk}p1"))["mounts"]] == ["/d"]


def test_a_link_of_nvme_is_of_the_disk_with_its_wwid(where: Ask) -> None:
    """As lsblk or udevadm have it."""
    listed = "box1:~ # lsblk -P -o NAME,MAJ:MIN,TYPE,WWN\n"
    listed += 'NAME="nvme0n1" MAJ:MIN="259:0" TYPE="disk" WWN="eui.0050768d02800a19"\n'
    mounts = MOUNTS.format("disk/by-id/nvme-eui.0050768d02800a19-part1")
    assert [mount["point"] for mount in where("nvme0n1", listed + mounts)["mounts"]] == ["/d"]


LUN_LINKS = (
    "ccw-0.0.5a00-fc-0x500507630300c562-lun-0x4010400000000000",
    "ccw-0.0.5a00-zfcp-0x500507630300c562:0x4010400000000000",
    "ccw-0.0.5a00-0x500507630300c562:0x4010400000000000",
)
BY_LSSCSI = """\
# lszfcp -D
0.0.5a00/0x500507630300c562/0x4010400000000000 0:0:0:1
# lsscsi
[0:0:0:1]    disk    IBM      2107900          .190  /dev/sdc
"""
BY_LSZDEV = """\
# lszdev
TYPE      ID                                              ON   PERS  NAMES
zfcp-lun  0.0.5a00:0x500507630300c562:0x4010400000000000  yes  no    sdc
"""
USES = (
    "# mount\n/dev/disk/by-path/{} on /srv type xfs (rw)\n",
    "# cat /proc/swaps\nFilename\tType\tSize\tUsed\tPriority\n/dev/disk/by-path/{} partition\t1000\t0\t-2\n",
    "# pvs\n  PV VG Fmt Attr PSize PFree\n  /dev/disk/by-path/{} wh lvm2 a-- 6.00g 0\n",
)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("part", ["", "-part1"])
@pytest.mark.parametrize("link", LUN_LINKS)
def test_a_name_by_path_names_adapter_port_and_lun(where: Ask, link: str, part: str, use: str) -> None:
    """Also where no text has the disk: what is on it is on the disk of that LUN."""
    answer = where("5a00", use.format(f"{link}{part}"))
    (disk,) = answer["disks"]
    assert (disk["busid"], disk["wwpn"], disk["lun"], disk["lss"]) == (
        "0.0.5a00", "0x500507630300c562", "0x4010400000000000", "10",
    )  # fmt: skip
    assert [mount["point"] for mount in answer["mounts"]] + answer["devices"]


@pytest.mark.parametrize("link", LUN_LINKS)
@pytest.mark.parametrize("known", [BY_LSSCSI, BY_LSZDEV])
def test_a_name_by_path_is_the_disk_that_another_text_has(where: Ask, link: str, known: str) -> None:
    """By adapter, port and LUN."""
    answer = where("sdc", known + USES[0].format(f"{link}-part2"))
    assert [mount["point"] for mount in answer["mounts"]] == ["/srv"]
    (path,) = where("/srv", known + USES[0].format(f"{link}-part2"))["where"]
    assert [disk["disk"] for disk in path["disks"]] == ["sdc"]


def test_a_lun_of_one_level_is_a_number_in_its_name() -> None:
    """As systemd has it."""
    assert linked_lun("ccw-0.0.5a00-fc-0x500507630300c562-lun-17") == (
        "0.0.5a00", "0x500507630300c562", "0x0011000000000000", "",
    )  # fmt: skip


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("part", ["", "-part1"])
def test_a_disk_that_only_a_name_by_path_tells_is_in_use(where: Ask, part: str, use: str) -> None:
    """What is on it is found by its number."""
    answer = where("0200", use.format(f"ccw-0.0.0200{part}"))
    assert [disk["busid"] for disk in answer["disks"]] == ["0.0.0200"]
    assert [mount["point"] for mount in answer["mounts"]] + answer["devices"]


BY_ID = "box1:~ # ls -l /dev/disk/by-id\n"
LINK = "lrwxrwxrwx 1 root root 11 Nov 24 10:58 {} -> ../../{}\n"
MAP = "36005076802810d504800000000002c1e"


def test_a_link_by_unique_id_names_the_lcu_of_a_dasd_without_a_number(where: Ask) -> None:
    """The unique id is found, too, and its disk."""
    text = BY_ID + LINK.format("ccw-IBM.75000000AAAA1.1a00.01", "dasdp")
    (volume,) = where("dasdp", text)["disks"]
    assert volume["lcu"] == "LCU 1A00"
    (volume,) = where("IBM.75000000AAAA1.1a00.01", text)["disks"]
    assert volume["disk"] == "dasdp"


def test_links_by_unique_id_tell_lcus_of_two_servers_apart(where: Ask) -> None:
    """They may have one number, and are called by their servers then, as where the bus ids are known."""
    text = BY_ID + "".join(
        LINK.format(f"ccw-IBM.75000000{box}.1a00.01", disk)
        for box, disk in (("AAAA1", "dasdp"), ("BBBB1", "dasdq"))
    )
    assert [where(disk, text)["disks"][0]["lcu"] for disk in ("dasdp", "dasdq")] == [
        "LCU AAAA1.1A00", "LCU BBBB1.1A00",
    ]  # fmt: skip


@pytest.mark.parametrize("device", ["dasdp1", "dm-5"])
def test_a_link_by_the_id_of_a_physical_volume_is_a_use(device: str, where: Ask) -> None:
    """Also if nothing else tells of LVM."""
    link = LINK.format("lvm-pv-uuid-Pj0OGP-sCHM-KIvP-pdP6-4cJI-jNnV-TUdS81", device)
    map_there = LINK.format(f"dm-uuid-mpath-{MAP}", "dm-5") + LINK.format(f"scsi-{MAP}", "sde")
    for word in {device, "sde" if device == "dm-5" else "dasdp"}:
        assert f"physical volume on {device}" in where(word, BY_ID + map_there + link)["devices"]


def test_a_disk_with_the_wwid_of_a_map_is_a_path_of_it(where: Ask) -> None:
    """There may be more of them: it is no other path that multipath does not join."""
    text = BY_ID + LINK.format(f"dm-uuid-mpath-{MAP}", "dm-5") + LINK.format(f"wwn-0x{MAP[1:]}", "sde")
    said = where("sde", text)
    assert not said["same"]
    assert said["devices"] == ["dm-5"]
    assert where("dm-5", text)["more_paths"] is True


def test_pairs_of_lsblk_hang_a_map_on_the_disk_before_it(where: Ask) -> None:
    """A map that comes twice has these paths; one that comes once may have more."""
    pairs = "box1:~ # lsblk -Po NAME,TYPE,SIZE\n"
    row = 'NAME="{}" TYPE="{}" SIZE="20G"\n'
    rows = [row.format("sdd", "disk"), row.format(MAP, "mpath"), row.format("sde", "disk")]
    both = where(MAP, pairs + "".join((*rows, rows[1])))
    assert ({path["disk"] for path in both["paths"]}, both["more_paths"]) == ({"sdd", "sde"}, False)
    assert where(MAP, pairs + "".join(rows))["more_paths"] is True


@pytest.mark.parametrize(
    "listed",
    [
        "ls -l /dev/asm*\nbrw-rw----. 1 grid asmadmin 94, 13 Mar 17 10:11 /dev/asm-data1\n",
        "ls -l /dev/asm-data1\nbrw-rw---- 1 grid asmadmin 94, 13 Mar 17 10:11 /dev/asm-data1\n",
    ],
)
def test_a_node_of_a_rule_is_the_device_of_its_number(where: Ask, listed: str) -> None:
    """Rules of udev make nodes with names of their own."""
    text = f"box1:~ # lsdasd -u\n0.0.0103  dasdd     IBM.750000000AAA11.1100.03\nbox1:~ # {listed}"
    assert [disk["disk"] for disk in where("/dev/asm-data1", text)["disks"]] == ["dasdd"]


def test_a_mapped_device_of_which_only_the_number_is_known_is_no_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it is made of is open."""
    link = "lrwxrwxrwx 1 root root 10 Mar  1 10:00 0ef8a516-dcab-43d4-84d5-b3fd9d355ca8 -> ../../dm-7"
    (tmp_path / "a.txt").write_text(f"box1:~ # ls -l /dev/disk/by-uuid\n{link}\n")
    assert main(["where", "dm-7", "--from", str(tmp_path)]) == 0
    assert "(disk)" not in capsys.readouterr().out
