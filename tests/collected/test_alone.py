"""The output of one command, alone in a file, is a collected text."""

from __future__ import annotations

from typing import Final

import pytest

from tests.collected.test_array_texts import DETAIL, EXAMINE, FAULTY, MDSTAT, SCAN
from tests.collected.test_asm_texts import COLUMNS as ASM_COLUMNS
from tests.collected.test_asm_texts import LINES as ASM_LINES
from tests.collected.test_block_texts import (
    ASCII_MERGED,
    BETWEEN,
    BYTES,
    LISTED,
    MERGED,
    RAW,
    SERIALS,
)
from tests.collected.test_block_texts import ORDERED as ORDERED_TREE
from tests.collected.test_crypt_texts import OLD, STATUS
from tests.collected.test_dasd_texts import VIEW
from tests.collected.test_kernel_log_texts import STAMPED
from tests.collected.test_lent_texts import BOUND, RESOURCE
from tests.collected.test_loop_texts import (
    LOSETUP,
    LOSETUP_ALL,
    LOSETUP_COLUMNS,
    LOSETUP_JSON,
    LOSETUP_RAW,
)
from tests.collected.test_lvm_display_texts import (
    LV_JOINED,
    LVDISPLAY,
    LVSCAN,
    PV_JOINED,
    PVDISPLAY,
    PVDISPLAY_MAPS,
    PVSCAN,
    VG_JOINED,
    VGDISPLAY,
)
from tests.collected.test_lvm_texts import (
    LVS,
    LVS_PATHS,
    LVS_VERBOSE,
    PVS,
    PVS_ALL,
    PVS_CHOSEN,
    PVS_JSON,
    PVS_SEPARATED,
    VGS,
)
from tests.collected.test_mapper_texts import (
    ASCII_TREE,
    BINDINGS,
    CHOSEN,
    DEPENDENCIES,
    DEPENDENCIES_BY_NAME,
    INFO,
    INVERTED,
    NAMED_TREE,
    NUMBERED,
    TREE,
)
from tests.collected.test_mount_texts import SWAPS_BYTES, SWAPS_COLUMNS, SWAPS_GERMAN, SWAPS_RAW
from tests.collected.test_nsd_texts import AFD, FIELDS, KFOD, LSDSK, MMLSDISK, NSDS, STATES, TYPED
from tests.collected.test_partition_texts import (
    FDASD,
    FDISK,
    FDISK_GERMAN,
    FDISK_OLD,
    PARTED,
    PARTED_GERMAN,
    PARTED_JOINED,
    PARTED_ROUNDED,
    SFDISK,
    SFDISK_JSON,
)
from tests.collected.test_pool_texts import BLOCKDEVS, POOLS, SYSTEMS
from tests.collected.test_pool_texts import STATUS as ZPOOL
from tests.collected.test_probert_texts import PROBERT
from tests.collected.test_rear_texts import SAVED
from tests.collected.test_signature_texts import BLKID, BLKID_EXPORT, BLKID_JSON, BLKID_LIST
from tests.collected.test_udev_texts import EXPORTED
from tests.collected.test_virsh_texts import QEMU
from tests.collected.test_virsh_texts import xml as xml_of_virsh
from tests.collected.test_zdev_texts import (
    EXPORT,
    LSLUNS,
    LSLUNS_ATTACHED,
    LSQETH,
    LSQETH_TABLE,
    LSTAPE,
    LSZDEV,
    ORDERED,
    PAIRS,
)
from tests.collected.test_zdev_texts import INFO as ZDEV_INFO
from tests.collected.test_ziorep_texts import ADAPTERS, DISKS, MAPS
from tests.collected.texts import (
    DMSETUP_TABLE,
    LSBLK,
    LSCHP,
    LSCSS,
    LSCSS_VPM,
    LSDASD,
    LSDASD_COMPATIBLE,
    LSDASD_LONG,
    LSDASD_UID,
    MULTIPATH,
)
from zmon.collected.collection import facts_of
from zmon.collected.forms import FORMS
from zmon.collected.text_reader import TEXTS
from zmon.collected.transcript import outputs

_LINK: Final = "lrwxrwxrwx 1 root root 11 2026-03-17 09:12"
OUTPUTS: Final = {
    "lsdasd": (LSDASD, LSDASD_UID, LSDASD_LONG, LSDASD_COMPATIBLE),
    "dasdview -i, -x, -l": (VIEW,),
    "lscss": (LSCSS, LSCSS_VPM),
    "lschp": (LSCHP,),
    "lszfcp": ("0.0.3d0c/0x500507630300c562/0x4010403300000000 0:0:0:1\n",),
    "lsscsi": ("[0:0:0:1]    disk    IBM      2107900          .190  /dev/sda \n",),
    "lsblk": (
        LSBLK, 'NAME="dasda" MAJ:MIN="94:0" TYPE="disk"\n',
        '{"blockdevices":[{"name":"dasda","maj:min":"94:0"}]}\n',
        LSBLK.partition("\n")[2], ORDERED_TREE, BETWEEN, SERIALS, RAW, BYTES, MERGED, ASCII_MERGED, LISTED,
    ),
    "/proc/diskstats": ("  94      60 dasdp 14265 2334 777462 9420 33371 39133 1253848 13182 0 4519 1411\n",),
    "/proc/partitions": ("major minor  #blocks  name\n\n  94        0    7211520 dasda\n",),
    "ls -l ": (
        f"/dev/disk/by-path:\ntotal 0\n{_LINK} ccw-0.0.7001 -> ../../dasdb\n",
        f"/dev/mapper:\ntotal 0\n{_LINK} db2vg-data -> ../dm-0\n",
    ),
    "cryptsetup status": (STATUS, OLD),
    "dmsetup table, status, ls": (
        INVERTED, TREE, ASCII_TREE, NAMED_TREE, DEPENDENCIES, DEPENDENCIES_BY_NAME, CHOSEN, NUMBERED,
        DMSETUP_TABLE, INFO, INFO.partition("\n\n")[2], "db2vg-data\t(253:0)\n", "db2vg-data\t(253, 0)\n",
    ),
    "multipath -ll": (MULTIPATH, MULTIPATH.replace("IBM,", "IBM     ,")),
    "/etc/multipath/bindings": (BINDINGS,),
    "pvs, vgs, lvs": (
        PVS, PVS_ALL, PVS_CHOSEN, PVS_SEPARATED, PVS_JSON, PVS.partition("\n")[2],
        VGS, LVS, LVS_VERBOSE, LVS_PATHS,
        "  PV          VG    Fmt  Attr PSize  PFree\n  /dev/dasdb1 db2vg lvm2 a--  22.49g 0\n",
        "  LV    VG    Attr       LSize\n  data  db2vg -wi-ao---- 45.00g\n",
    ),
    "pvdisplay, vgdisplay": (
        PVDISPLAY, PVDISPLAY_MAPS, VGDISPLAY, LVDISPLAY, PVSCAN, LVSCAN, PV_JOINED, VG_JOINED, LV_JOINED,
    ),
    "udevadm info -e": (EXPORTED,),
    "blkid": (BLKID, BLKID_LIST, BLKID_EXPORT, BLKID_JSON),
    "mdadm": (DETAIL, FAULTY, SCAN, EXAMINE),
    "/proc/mdstat": (MDSTAT,),
    "lszdev": (LSZDEV, LSZDEV.partition("\n")[2], ORDERED, PAIRS, ZDEV_INFO, EXPORT.partition("\n")[2]),
    "lsluns": (LSLUNS, LSLUNS_ATTACHED),
    "lsqeth": (LSQETH, LSQETH_TABLE),
    "lstape": (LSTAPE,),
    "losetup": (LOSETUP_ALL, LOSETUP, LOSETUP_RAW, LOSETUP_COLUMNS, LOSETUP_JSON),
    "btrfs filesystem show": (
        "Label: none  uuid: 6b5c2d1e-0000-4000-8000-00000000beef\n\tdevid 1 size 1 used 1 path /dev/dasda\n",
    ),
    "ziorep_config": (ADAPTERS, DISKS, MAPS),
    "zpool status": (ZPOOL.partition("\n")[2],),
    "stratis blockdev": tuple(text.partition("\n")[2] for text in (BLOCKDEVS, POOLS, SYSTEMS)),
    "zfs list": ("NAME   USED  AVAIL     REFER  MOUNTPOINT\ntank  11.2G  8.45G       96K  /tank\n",),
    "fdasd -p": (FDASD,),
    "fdisk -l": (FDISK, FDISK_GERMAN, FDISK_OLD, SFDISK, SFDISK_JSON),
    "parted -l": (PARTED, PARTED_GERMAN, PARTED_JOINED, PARTED_ROUNDED),
    "virsh domblklist": (
        f" Target   Source\n{'-' * 40}\n vda      /dev/dasdc\n sda      -\n",
        f" Type    Device   Target   Source\n{'-' * 40}\n block   disk     vda      /dev/dasdc\n",
        xml_of_virsh("/dev/dasda"),
    ),
    "ps, of QEMU": (QEMU.format("guest=g1", "-drive file=/dev/dasdb"),),
    "files of /sys and /proc": (
        "/sys/bus/ccw/devices/0.0.0190/uid:IBM.75000000AAAA1.1a00.01\n",
        "==> /sys/bus/ccw/devices/0.0.0190/online <==\n1\n",
    ),
    "/proc/swaps, swapon": (
        "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/dasdd1  partition\t7211416\t\t0\t\t-2\n",
        "NAME        TYPE      SIZE USED PRIO\n/dev/dasdd1 partition 6.9G   0B   -2\n",
        SWAPS_BYTES, SWAPS_COLUMNS, SWAPS_RAW, SWAPS_GERMAN, "/dev/dasdd1 partition 147451904 0 -2\n",
    ),
    "/proc/self/mountinfo": ("22 1 94:5 / / rw,relatime shared:1 - ext4 /dev/dasdb1 rw,commit=60\n",),
    "/proc/mounts": ("proc /proc proc rw,nosuid 0 0\n/dev/dasda1 / ext4 rw,relatime 0 0\n",),
    "mount": ("/dev/dasda1 on / type ext4 (rw,relatime)\n",),
    "findmnt": (
        "TARGET SOURCE FSTYPE OPTIONS\n/ /dev/dasda1 ext4 rw\n",
        '{"filesystems": [{"target":"/", "source":"/dev/dasda1"}]}\n',
        'TARGET="/" SOURCE="/dev/dasda1"\n',
    ),
    "df": ("Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/dasda1 100 10 90 10% /\n",),
    "dmesg, journalctl": (*STAMPED.values(),),
    "hostname": (),
    "asmcmd lsdsk": (
        LSDSK.partition("\n")[2], KFOD.partition("disks=all\n")[2], AFD.partition("\n")[2],
        STATES.partition("\n")[2],
    ),
    "v$asm_disk": (ASM_COLUMNS.partition("\n\n")[2], ASM_LINES.partition("from v$asm_disk;\n\n")[2]),
    "probert": (PROBERT,),
    "disklayout.conf": (SAVED, "".join(row for row in SAVED.splitlines(keepends=True) if row[0] != "#")),
    "raw -qa": (BOUND,),
    "/etc/drbd.d": (RESOURCE,),
    "mmlsdisk": (MMLSDISK.partition("\n")[2].partition("box1")[0], FIELDS.partition("fs1 -Y\n")[2]),
    "mmlsnsd": (
        *(text.partition("\n\n")[2] for text in (NSDS, TYPED)), FIELDS.split("{}")[1].partition("\n")[2],
    ),
    "lscpu": ("Architecture:          s390x\nMachine type:          3931\n",),
    "uname -a": ("Linux lnxdb01 6.4.0-150600.23 #1 SMP Tue Mar 17 s390x s390x s390x GNU/Linux\n",),
}  # fmt: skip
"""What the commands of each format print, by how its name begins."""


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_each_output_is_known_without_its_command(form: object) -> None:
    """By its own first lines, also among other files; and its reader takes something from it."""
    (name,) = (known.name for known in FORMS if known is form)
    (printed,) = (texts for begin, texts in OUTPUTS.items() if name.startswith(begin))
    for output in printed:
        assert TEXTS.is_text("d/a.txt", output.encode(), 2), output
        (read,) = facts_of([*outputs("a.txt", output.encode(), 1)])[1]
        assert (read.form, read.strange) == (name, ()), output
        assert read.read, output


@pytest.mark.parametrize(
    ("output", "called"),
    [
        (PVS, "pvs"), (PVS_SEPARATED, "pvs"), (PVS_JSON, "pvs"), (LVS, "lvs"), (LVS_PATHS, "lvs"),
        (VGS, "vgs"), (PVDISPLAY, "pvdisplay"), (VGDISPLAY, "vgdisplay"), (LVDISPLAY, "lvdisplay"),
        (PVSCAN, "pvscan"), (LVSCAN, "lvscan"), (VG_JOINED, "vgdisplay -c"), (LV_JOINED, "lvdisplay -c"),
        (PV_JOINED, "pvdisplay -c"), (KFOD.partition("disks=all\n")[2], "kfod"),
        (AFD.partition("\n")[2], "asmcmd afd_lsdsk"),
        (LSDSK.partition("\n")[2], ""), (f"box1:~ # lvs -a\n{LVS}", ""),
    ],
)  # fmt: skip
def test_an_output_without_its_command_is_called_by_what_its_lines_tell(output: str, called: str) -> None:
    """Where several commands print what one reader reads; beside a command that is what it is called by."""
    (read,) = facts_of([*outputs("a.txt", output.encode(), 1)])[1]
    assert read.called == called


@pytest.mark.parametrize("prose", [
    "NAME and TYPE of a volume are asked first.\n", "The major minor numbers are those of the name.\n",
    "See /dev/mapper: it has the links.\n", "[1] disk usage\n", "(see 253:0)\n", "Name of the Major\n",
])  # fmt: skip
def test_prose_is_no_output(prose: str) -> None:
    """Only a heading that a tool prints makes a text."""
    assert not TEXTS.is_text("a.txt", prose.encode(), None)
