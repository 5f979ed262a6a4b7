"""What fdasd, fdisk, sfdisk and parted say of disks and their partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.collected.texts import FDASD_HEAD, facts_in
from zmon.collected.collection import facts_of
from zmon.collected.facts import joined
from zmon.collected.transcript import outputs
from zmon.kinds import DASD, LAYER
from zmon.sample import empty_frame

if TYPE_CHECKING:
    from tests.collected.conftest import Ask
    from zmon.sample import Frame

FDASD: Final = (
    """\

WARNING: Your DASD '/dev/dasdp' is in use.
         If you proceed, you can heavily damage your system.
         If possible exit all applications using this disk
         and/or unmount it.

reading volume label ..: VOL1
reading vtoc ..........: ok

"""
    + FDASD_HEAD
    + """\
          /dev/dasdp1          2     3000     2999    1  Linux native
          /dev/dasdp2       3001     6000     3000    2  Linux swap
                            6001    16694    10694       unused
exiting...
"""
)
FDISK: Final = """\
Disk /dev/vdf: 512 MiB, 536870912 bytes, 1048576 sectors
Units: sectors of 1 * 512 = 512 bytes
Sector size (logical/physical): 512 bytes / 512 bytes
I/O size (minimum/optimal): 512 bytes / 512 bytes
Disklabel type: gpt
Disk identifier: 090494FA-D81B-4184-A069-10EA9F5EC090

Device      Start     End Sectors  Size Type
/dev/vdf1    2048  133119  131072   64M Linux filesystem
/dev/vdf2  133120  264191  131072   64M Linux swap


Disk /dev/vdg: 782.58 MiB, 820592640 bytes, 200340 sectors
Units: sectors of 1 * 4096 = 4096 bytes
Sector size (logical/physical): 4096 bytes / 4096 bytes
I/O size (minimum/optimal): 4096 bytes / 4096 bytes
Disklabel type: dos
Disk identifier: 0x1cbd1e4a

Device     Boot Start    End Sectors  Size Id Type
/dev/vdg1  *       24 200339  200316  782M 83 Linux
"""
FDISK_GERMAN: Final = """\
Festplatte /dev/vdf: 512 MiB, 536870912 Bytes, 1048576 Sektoren
Einheiten: Sektoren von 1 * 512 = 512 Bytes
Sektorgröße (logisch/physikalisch): 512 Bytes / 512 Bytes
E/A-Größe (minimal/optimal): 512 Bytes / 512 Bytes
Festplattenbezeichnungstyp: gpt
Festplattenbezeichner: 46B65ACB-D3AE-4BF2-9A10-4D17BC8D12F0

Gerät      Anfang   Ende Sektoren Größe Typ
/dev/vdf1    2048 133119   131072   64M Linux-Dateisystem
/dev/vdf2  133120 264191   131072   64M Linux Swap
"""
FDISK_OLD: Final = """\
Disk /dev/vdf: 536 MB, 536870912 bytes
16 heads, 63 sectors/track, 1040 cylinders, total 1048576 sectors
Units = sectors of 1 * 512 = 512 bytes

   Device Boot      Start         End      Blocks   Id  System
/dev/vdf1            2048      133119       65536   83  Linux
/dev/vdf2          133120      264191       65536   82  Linux swap
"""
SFDISK: Final = """\
label: gpt
label-id: D735691C-3803-E547-946E-A7AE1B37F00D
device: /dev/vdf
unit: sectors
first-lba: 2048
last-lba: 1048542
sector-size: 512

/dev/vdf1 : start=        2048, size=      131072, type=0FC63DAF-8483-4772-8E79-3D69D8477DE4
/dev/vdf2 : start=      133120, size=      131072, type=0657FD6D-A4AB-43C4-84E5-0933C84B4F4F
"""
SFDISK_JSON: Final = """\
{
   "partitiontable": {
      "label": "gpt",
      "device": "/dev/vdf",
      "unit": "sectors",
      "sectorsize": 512,
      "partitions": [
         {"node": "/dev/vdf1", "start": 2048, "size": 131072},
         {"node": "/dev/vdf2", "start": 133120, "size": 131072}
      ]
   }
}
"""
PARTED: Final = """\
Model: Virtio Block Device (virtblk)
Disk /dev/vdf: 1048576s
Sector size (logical/physical): 512B/512B
Partition Table: gpt
Disk Flags:\x20

Number  Start    End      Size     File system     Name  Flags
 1      2048s    133119s  131072s  ext4
 2      133120s  264191s  131072s  linux-swap(v1)        swap

"""
PARTED_GERMAN: Final = """\
Modell: Virtio Block Device (virtblk)
Festplatte  /dev/vdf:  536870912B
Sektorgröße (logisch/physisch): 512B/512B
Partitionstabelle: gpt
Disk-Flags:\x20

Nummer  Anfang     Ende        Größe      Dateisystem     Name  Flags
 1      1048576B   68157439B   67108864B  ext4
 2      68157440B  135266303B  67108864B  linux-swap(v1)        swap

"""
PARTED_JOINED: Final = """\
BYT;
/dev/vdf:1048576s:virtblk:512:512:gpt:Virtio Block Device:;
1:2048s:133119s:131072s:ext4::;
2:133120s:264191s:131072s:linux-swap(v1)::swap;
"""
PARTED_ROUNDED: Final = """\
Model: IBM S390 DASD drive (dasd)
Disk /dev/dasdp: 821MB
Sector size (logical/physical): 4096B/4096B
Partition Table: dasd
Disk Flags:\x20

Number  Start   End    Size   File system     Flags
 1      98.3kB  147MB  147MB  ext4
 2      147MB   295MB  147MB  linux-swap(v1)

"""


def layers(content: str, command: str = "") -> Frame:
    """Return the block devices of a text."""
    facts = facts_in(content, command)
    facts.by_number(empty_frame(LAYER, "no text"))
    return joined(LAYER, empty_frame(LAYER, "no text"), facts, 1)[0]


def places(content: str, command: str = "") -> dict[str, tuple[object, object]]:
    """Return the first sector and the sectors of each partition, None where they are not known."""
    frame = layers(content, command)
    return {
        str(name): (start if isinstance(start, int) else None, size if isinstance(size, int) else None)
        for name, sort, start, size in zip(
            *(frame.column(field) for field in ("name", "sort", "start", "size")), strict=True
        )
        if sort == "partition"
    }


WHOLE: Final = {"vdf1": (2048, 131072), "vdf2": (133120, 131072)}


@pytest.mark.parametrize("content", [
    FDISK.partition("\n\n\n")[0] + "\n", FDISK_GERMAN, FDISK_OLD, SFDISK, SFDISK_JSON, PARTED,
    PARTED_GERMAN, PARTED_JOINED,
])  # fmt: skip
def test_partitions_begin_where_each_tool_says(content: str) -> None:
    """In any language, and whichever unit that counts."""
    assert places(content) == WHOLE


def test_sectors_of_disks_are_of_their_own_size() -> None:
    """Those of a DASD or of some SCSI disks have 4,096 bytes; the kernel counts in 512."""
    assert places(FDISK) == {**WHOLE, "vdg1": (192, 200316 * 8)}
    assert places(FDASD) == {"dasdp1": (192, 2999 * 96), "dasdp2": (3001 * 96, 3000 * 96)}
    sizes = dict(zip(layers(FDISK).column("name"), layers(FDISK).column("size"), strict=True))
    assert (sizes["vdf"], sizes["vdg"]) == (1048576, 820592640 // 512)


def test_rounded_places_are_none() -> None:
    """That a partition is there is known, and what is on it."""
    assert places(PARTED_ROUNDED) == {"dasdp1": (None, None), "dasdp2": (None, None)}
    contents = facts_in(PARTED_ROUNDED).contents
    assert {name: sort for name, (sort, _uuid, _place) in contents.items()} == {
        "dasdp1": "ext4",
        "dasdp2": "swap",
    }


def test_a_file_system_on_a_whole_disk_is_no_partition() -> None:
    """Parted shows it as one of a table that it calls loop."""
    assert places(PARTED.replace(": gpt", ": loop")) == {}
    assert places(PARTED_JOINED.replace(":gpt:", ":loop:")) == {}


def test_fdasd_has_cylinders_and_the_label_of_a_dasd_that_is_known() -> None:
    """Other texts have its bus id; with -i it prints the label alone."""
    lsdasd = "box1:~ # lsdasd -u\n0.0.1a01  dasdp  IBM.75000000AAAA1.1a00.01\n"
    facts = facts_in(f"{lsdasd}box1:~ # fdasd -p /dev/dasdp\n{FDASD}")
    told = [facts.value(DASD, "0.0.1a01", field) for field in ("cylinders", "volser", "block_size")]
    assert told == [1113, "0X1A01", 4096]
    alone = facts_in(f"{lsdasd}box1:~ # fdasd -i /dev/dasdp\n0X1A01\n")
    assert alone.value(DASD, "0.0.1a01", "volser") == "0X1A01"


def test_a_partition_of_a_path_is_none() -> None:
    """Tools see the table of a disk on each path to it; the kernel has the partitions of the map alone."""
    lsblk = (
        "NAME     MAJ:MIN RM SIZE RO TYPE  MOUNTPOINTS\nsda 8:0 0 10G 0 disk\n└─mpatha 253:0 0 10G 0 mpath\n"
    )
    fdisk = FDISK.partition("\n\n\n")[0].replace("vdf", "sda")
    assert places(f"{lsblk}\n{fdisk}\n") == {}
    assert {*places(f"{fdisk}\n")} == {"sda1", "sda2"}


@pytest.mark.parametrize("content", [FDISK, FDISK_OLD, SFDISK, PARTED, PARTED_JOINED, FDASD, PARTED_GERMAN])
@pytest.mark.parametrize("change", ["deleted", "noise", "cut", "doubled", "indented"])
def test_a_line_that_changes_moves_no_partition(content: str, change: str) -> None:
    """Each has the place that it had, or none is known."""
    rows = content.splitlines()
    whole = places(content)
    for at, row in enumerate(rows):
        for size in range(1, len(row), 7) if change == "cut" else (0,):
            changed = {
                "deleted": [], "noise": ["?!"], "cut": [row[:size]], "doubled": [row, row],
                "indented": [f" {row}"],
            }[change]  # fmt: skip
            left = places("\n".join([*rows[:at], *changed, *rows[at + 1 :], ""]))
            for name, (start, length) in left.items():
                assert start in {whole.get(name, (None, None))[0], None}, (row, name)
                assert length in {whole.get(name, (None, None))[1], None}, (row, name)


@pytest.mark.parametrize("content", [
    """\
Disque /dev/dasdb : 6,9 GiB, 7385333760 octets, 1803060 secteurs
Géométrie : 15 têtes, 12 secteurs/piste, 10017 cylindres
Unités : secteurs de 1 \u00d7 4096 = 4096 octets
Type d'étiquette de disque : dasd

Périphérique Début     Fin Secteurs Taille Id Type
/dev/dasdb1     24 1803059  1803036   6,9G  1 Linux native
""",
    """\
Festplatte /dev/dasdb: 6,9 GiB, 7385333760 Bytes, 1803060 Sektoren
Geometrie: 15 Köpfe, 12 Sektoren/Spur, 10017 Zylinder
Einheiten: Sektoren von 1 * 4096 = 4096 Bytes

Gerät       Anfang    Ende Sektoren Größe Kn Typ
/dev/dasdb1     24 1803059  1803036  6,9G  1 Linux native
""",
    """\
ディスク /dev/dasdb: 6.88 GiB, 7385333760 バイト, 1803060 セクタ
Geometry: 15 heads, 12 sectors/track, 10017 cylinders
単位: セクタ (1 * 4096 = 4096 バイト)
セクタサイズ (論理 / 物理): 4096 バイト / 4096 バイト
I/O サイズ (最小 / 推奨): 4096 バイト / 4096 バイト
ディスクラベルのタイプ: dasd

デバイス    開始位置 終了位置  セクタ サイズ Id タイプ
/dev/dasdb1       24  1803059 1803036   6.9G  1 Linux native
""",
    """\
磁盘 /dev/dasdb\uff1a6.88 GiB\uff0c7385333760 字节\uff0c1803060 个扇区
几何属性\uff1a15 个磁头\uff0c12 个扇区/磁道\uff0c10017 个柱面
单元\uff1a扇区 / 1 * 4096 = 4096 字节
磁盘标签类型\uff1adasd

设备        起点    末尾    扇区 大小 Id 类型
/dev/dasdb1   24 1803059 1803036 6.9G  1 Linux native
""",
    """\
디스크 /dev/dasdb: 6.9 GiB, 7385333760 바이트, 1803060 섹터
수치 사양: 15 헤드, 12 트랙당 섹터, 10017 실린더
단위: 섹터 / 1 * 4096 = 4096 바이트
섹터 크기(논리/물리): 4096 바이트 / 4096 바이트
입출력 크기 (최소/최적): 4096 바이트 / 4096 바이트
디스크 레이블 형식: dasd

장치        시작    종단    섹터   크기 ID 영역형식
/dev/dasdb1   24 1803059 1803036   6.9G  1 Linux native
""",
    """\
Dysk /dev/dasdb: 6,88 GiB, bajtów: 7385333760, sektorów: 1803060
Model dysku: IBM 3390
Geometria: głowic: 15, sektorów/ścieżkę: 12, cylindrów: 10017
Jednostki: sektorów, czyli 1 * 4096 = 4096 bajtów
Rozmiar sektora (logiczny/fizyczny) w bajtach: 4096 / 4096
Rozmiar we/wy (minimalny/optymalny) w bajtach: 4096 / 4096
Typ etykiety dysku: dasd

Urządzenie   Początek  Koniec Sektory Rozmiar Id Typ
/dev/dasdb1        24 1803059 1803036    6,9G  1 Linux native
""",
])  # fmt: skip
def test_fdisk_is_read_in_other_languages(content: str) -> None:
    """By the form of its lines; the unit of its rows is that of its lines about the disk."""
    (cut,) = outputs("a.txt", content.encode(), 7)
    facts, (account,) = facts_of([cut])
    assert account.strange == ()
    told = [facts.value(LAYER, "dasdb1", field) for field in ("start", "size")]
    assert told == [24 * 8, 1803036 * 8]


@pytest.mark.parametrize("rows", [
    ["モデル: IBM S390 DASD drive (dasd)", "ディスク /dev/dasdb: 1803060s",
     "セクタサイズ (論理/物理): 4096B/4096B", "パーティションテーブル: dasd",
     "番号  開始  終了      サイズ    ファイルシステム  フラグ",
     " 1    24s   1803059s  1803036s  ext4              lvm"],
    ["型号\uff1aIBM S390 DASD drive (dasd)",
     "磁盘 /dev/dasdb\uff1a1803060s", "扇区大小 (逻辑/物理)\uff1a4096B/4096B",
     "分区表\uff1adasd", "编号  起始点  结束点    大小      文件系统  标志",
     " 1    24s     1803059s  1803036s  ext4      lvm"],
    ["Modèle : IBM S390 DASD drive (dasd)", "Disque /dev/dasdb : 1803060s",
     "Taille des secteurs (logiques/physiques) : 4096B/4096B", "Table de partitions : dasd",
     "Numéro  Début  Fin       Taille    Système de fichiers  Drapeaux",
     " 1      24s    1803059s  1803036s  ext4                 lvm"],
])  # fmt: skip
def test_parted_is_read_in_other_languages(rows: list[str]) -> None:
    """Its columns stand as a terminal shows them, where some characters are as wide as two."""
    (cut,) = outputs("a.txt", "".join(f"{row}\n" for row in rows).encode(), 7)
    facts, (account,) = facts_of([cut])
    assert account.strange == ()
    assert [facts.value(LAYER, "dasdb1", field) for field in ("start", "size")] == [24 * 8, 1803036 * 8]
    assert (facts.contents["dasdb1"][0], facts.made_for["dasdb1"][0]) == ("ext4", "a physical volume")


def test_a_remark_in_an_output_of_fdisk_is_not_understood() -> None:
    """What has the form of no line of the tool may be about a use."""
    text = f"{FDISK_GERMAN.rstrip()}\nPlatte: gehört Oracle\nNicht  von uns anfassen bitte (alle)/2\n"
    (account,) = facts_of([*outputs("a.txt", text.encode(), 7)])[1]
    assert len(account.strange) == 2


TABLES: Final = {
    "fdisk -l": """\
Disk /dev/sdb: 1 GiB, 1073741824 bytes, 2097152 sectors
/dev/sdb1            2048    133119    131072  64M 8e Linux LVM
""",
    "sfdisk -d": "# partition table of /dev/sdb\n/dev/sdb1 : start= 2048, size= 131072, Id=8e\n",
    "sfdisk -d /dev/sdb": """\
device: /dev/sdb
/dev/sdb1 : start= 2048, size= 131072, type=E6D6D379-F507-44C2-A23C-238F2A3DF928
""",
    "parted -s /dev/sdb print": """\
Disk /dev/sdb: 22.2GB
Partition Table: dos
Number  Start   End     Size    File system  Flags
 1      98.3kB  22.2GB  22.2GB               lvm
""",
    "parted -sm /dev/sdb print": """\
BYT;
/dev/sdb:22.2GB:dasd:512:4096:dasd:IBM;
1:98.3kB:22.2GB:22.2GB:::lvm;
""",
}


@pytest.mark.parametrize(("command", "table"), TABLES.items())
def test_the_type_of_a_partition_says_what_it_was_made_for(command: str, table: str, where: Ask) -> None:
    """Nothing else says so, and it is mounted nowhere; a signature or a member of a group says more."""
    made = "sdb1 (made to be a physical volume)"
    assert made in where("sdb", f"h:~ # {command}\n{table}")["devices"]
    mount = "h:~ # mount\n/dev/sdb1 on /data type xfs (rw)\n"
    assert made not in where("sdb", f"h:~ # {command}\n{table}{mount}")["devices"]
    pvs = "h:~ # pvs\n  PV         VG Fmt  Attr PSize PFree\n  /dev/sdb1  vg lvm2 a--  1.00g    0\n"
    assert made not in where("sdb", f"h:~ # {command}\n{table}{pvs}")["devices"]


def test_a_warning_of_fdasd_is_no_end_of_its_table(where: Ask) -> None:
    """Its further lines begin at the margin; the label is found without a bus id."""
    warning = (
        "box1:~ # fdasd -p /dev/dasdp\nWARNING: Your DASD '/dev/dasdp' is in use.\n"
        "If you proceed, you can heavily damage your system.\n"
        "If possible exit all applications using this disk\nand/or unmount it.\n\n"
        "reading volume label ..: VOL1\nreading vtoc ..........: ok\n"
    )
    table = FDASD_HEAD.replace("\n --", "\n--")
    text = (
        f"{warning}{table}        /dev/dasdp1          2     3641     3640    1  Linux native\nexiting...\n"
    )
    assert where("dasdp1", text)["devices"] == []
    (disk,) = where("0X1A01", text)["disks"]
    assert disk["disk"] == "dasdp"
