"""Mounts, swap and the devices of btrfs in texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collected.texts import LSBLK, facts_in, row, text
from zmon.base.absent import Absent
from zmon.collected.collection import facts_of
from zmon.collected.facts import Facts, MountRow, joined
from zmon.collected.mount_rows import best_mounts, mount_frame
from zmon.collected.transcript import outputs
from zmon.kinds import LAYER
from zmon.sample import empty_frame

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

PROC = "/dev/dasda2 / ext4 rw,relatime 0 0\ntmpfs /run tmpfs rw 0 0\n/dev/dasdb1 /a\\040b xfs rw 0 0\n"
MOUNT = (
    "/dev/dasda2 on / type ext4 (rw,relatime) [root]\n/dev/dasdb1 on /a b type xfs (rw,uquota=a(b))\n"
    "overlay on /var/x type overlay (rw,lowerdir=/a:/b)\n"
)
FINDMNT = """\
TARGET        SOURCE                                  FSTYPE OPTIONS
/             /dev/dasda2[/@/.snapshots/1/snapshot]   btrfs  rw,relatime
├─/proc       proc                                    proc   rw
└─/boot       /dev/dasda1                             ext4   rw
"""


def mounts(content: str, command: str = "", file: str = "") -> list[MountRow]:
    """Return the mounts in an output."""
    return best_mounts(facts_in(content, command, file))


def test_each_form_gives_source_point_type_and_options() -> None:
    """Blanks in names are octal in proc and plain in mount; findmnt draws a tree."""
    rows = mounts(PROC, file="proc/mounts")
    assert rows[2][:4] == ("/dev/dasdb1", "/a b", "xfs", "rw")
    rows = mounts(MOUNT, "mount -l")
    assert [row[:4] for row in rows][:2] == [
        ("/dev/dasda2", "/", "ext4", "rw,relatime"),
        ("/dev/dasdb1", "/a b", "xfs", "rw,uquota=a(b)"),
    ]
    assert rows[0].place == "mount, all.txt:1"
    rows = mounts(FINDMNT, "findmnt")
    assert [row.point for row in rows] == ["/", "/proc", "/boot"]
    assert rows[0].source == "/dev/dasda2"


DF = "Filesystem Size Used Avail Use% Mounted on\n/dev/dasda1 6.8G 1.2G 5.6G 18% /\n"
PVS = "  PV VG Fmt Attr PSize PFree\n  /dev/dasda1 vg lvm2 a-- 6.80g 0\n"


@pytest.mark.parametrize(
    ("content", "places"),
    [
        (DF, ["df, all.txt:2"]), (PVS, []), (f"{FINDMNT}{DF}", ["findmnt"] * 3),
        (f"{DF}{PVS}", ["df, all.txt:2"]),
        (f"{FINDMNT}\n{PVS}", ["findmnt"] * 3),
    ],
)  # fmt: skip
def test_lines_of_df_and_pvs_are_none_of_findmnt(content: str, places: list[str]) -> None:
    """They begin with a slash and have four words and more: rows of findmnt are those below its heading."""
    rows = mounts(content)
    assert [row.place.startswith(place) for row, place in zip(rows, places, strict=True)] == [True] * len(
        rows
    )


@pytest.mark.parametrize(
    ("content", "fstype", "options"),
    [
        ("SOURCE TARGET FSTYPE\n/dev/dasda1 /a\\x20b xfs\n", "xfs", ""),
        ("SOURCE FSTYPE SIZE USED AVAIL USE% TARGET\n/dev/dasda1 xfs 1G 1G 0 99% /a b\n", "xfs", ""),
        ("TARGET SOURCE\n/a b /dev/dasda1\n", "", ""),
        ("/a\\x20b /dev/dasda1 xfs rw\n", "xfs", "rw"),
    ],
)
def test_findmnt_is_read_by_its_heading(content: str, fstype: str, options: str) -> None:
    """Whatever columns were asked for; with -r it has no heading where -n is given, and escapes blanks."""
    rows = mounts(content, "findmnt")
    assert [row[:4] for row in rows] == [("/dev/dasda1", "/a b", fstype, options)]


def test_the_copy_of_proc_mounts_comes_first_and_other_forms_add_mounts() -> None:
    """A mount point is listed once, as the best form has it."""
    short = text(PROC.split("\n", maxsplit=1)[0], file="proc/mounts")
    rows = best_mounts(facts_of([text(MOUNT, "mount"), short, text(PROC, file="proc/mounts")])[0])
    assert [(row.point, row.place) for row in rows] == [
        ("/", "all.txt:1"), ("/run", "all.txt:2"), ("/a b", "all.txt:3"), ("/var/x", "mount, all.txt:3"),
    ]  # fmt: skip


def test_numbers_are_those_of_the_devices_that_are_named() -> None:
    """A mount of no block device gets a number of its own that no device has."""
    facts = facts_in(LSBLK, "lsblk")
    layers, _ = joined(LAYER, empty_frame(LAYER, "x"), facts, 1)
    rows = mounts(f"{PROC}/dev/mapper/db2vg-data /d xfs rw 0 0\n", file="proc/mounts")
    frame, origins = mount_frame(rows, facts, layers, 1)
    assert frame.column("number") == ["94:2", "0:1000000", "94:5", "253:0"]
    assert origins["mount 1"]["texts"] == "point source fstype options = all.txt:1"


def test_a_btrfs_of_which_not_all_devices_are_known_says_so() -> None:
    """Nothing is left out silently."""
    facts = facts_in(LSBLK, "lsblk")
    layers, _ = joined(LAYER, empty_frame(LAYER, "x"), facts, 1)
    rows = mounts("/dev/dasda1 / btrfs rw 0 0\n", file="proc/mounts")
    devices = mount_frame(rows, facts, layers, 1)[0].cell("1", "devices")
    assert devices == "?1=94:1 ?0=mapped:btrfs"
    facts.btrfs["u"] = {"1": ("dasda1", "btrfs, a:1"), "2": ("dasdz1", "btrfs, a:2")}
    devices = mount_frame(rows, facts, layers, 1)[0].cell("1", "devices")
    assert isinstance(devices, Absent)
    assert "number" in devices.reason


@pytest.mark.parametrize(
    "line",
    [
        "*** Some devices missing",
        "devid 2 size 0 used 0 path <missing disk> MISSING",
        "devid 2 size 0 used 0 path  MISSING",
    ],
)
def test_a_missing_device_of_a_btrfs_is_one_of_its_devices(line: str) -> None:
    """It is counted, however btrfs says that it is missing."""
    shown = (
        "Label: none  uuid: 11111111-2222-4333-8444-555555555555\n\tTotal devices 2 FS bytes used 1.00GiB\n"
        f"\tdevid    1 size 6.80GiB used 2.00GiB path /dev/dasda1\n\t{line}\n"
    )
    facts = facts_in(shown, "btrfs filesystem show")
    facts.by_number(empty_frame(LAYER, "x"))
    layers, _ = joined(LAYER, empty_frame(LAYER, "x"), facts, 1)
    rows = mounts("/dev/dasda1 / btrfs rw 0 0\n", file="proc/mounts")
    devices = str(mount_frame(rows, facts, layers, 1)[0].cell("1", "devices")).split()
    known, missing = (device.partition("=")[2] for device in devices)
    assert known == "94:1"
    assert str(layers.cell(missing, "mapped")).startswith("missing")


def test_swap_is_taken_from_proc_and_from_swapon() -> None:
    """A rounded size is taken where no other text has it."""
    exact = "Filename Type Size Used Priority\n/dev/dasda1 partition 1000 10 -2\n"
    assert row(facts_in(exact, "swapon -s"), "swap", "/dev/dasda1") == {
        "sort": "partition", "size": 1024000, "used": 10240, "priority": -2,
    }  # fmt: skip
    shown = "NAME TYPE SIZE USED PRIO\n/swap.img file 2G 0B -2\n"
    area = row(facts_in(shown, "swapon --show"), "swap", "/swap.img")
    assert area == {"sort": "file", "priority": -2, "size": 2 << 30}
    both = facts_in(f"# swapon --show\n{shown}# cat /proc/swaps\n{exact.replace('/dev/dasda1', '/swap.img')}")
    assert row(both, "swap", "/swap.img")["size"] == 1024000


SWAPS_BYTES = """\
NAME          TYPE            SIZE  USED PRIO
/dev/dasda1   partition 2147479552  4096   -2
/my swap file file        16773120     0    5
"""
SWAPS_COLUMNS = """\
PRIO  SIZE TYPE      NAME          UUID                                 LABEL
  -2    2G partition /dev/dasda1   6b5c2d1e-0000-4000-8000-00000000beef my swap
   5 12,5M file      /my swap file
"""
SWAPS_RAW = """\
NAME TYPE SIZE USED PRIO
/dev/dasda1 partition 2G 4K -2
/my\\x20swap\\x20file file 12,5M 0B 5
"""
SWAPS_GERMAN = """\
Dateiname\t\t\t\tTyp\t\tGröße\t\tBenutzt\t\tPriorität
/dev/dasda1                             partition\t2097148\t\t4\t\t-2
/my swap file                           file\t\t16380\t\t0\t\t5
"""
SWAPS_KERNEL = """\
Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority
/dev/dasda1                             partition\t2097148\t\t4\t\t-2
/my\\040swap\\040file                     file\t\t16380\t\t0\t\t5
"""


@pytest.mark.parametrize(("content", "command"), [
    (SWAPS_BYTES, "swapon --bytes"), (SWAPS_BYTES, ""),
    (SWAPS_BYTES.partition("\n")[2], "swapon --show --noheadings --bytes"),
    (SWAPS_COLUMNS, "swapon --show=PRIO,SIZE,TYPE,NAME,UUID,LABEL"), (SWAPS_COLUMNS, ""),
    (SWAPS_RAW, "swapon --show --raw"), (SWAPS_RAW, ""),
    (SWAPS_GERMAN, "swapon -s"), (SWAPS_GERMAN, ""), (SWAPS_KERNEL, ""),
])  # fmt: skip
def test_each_form_of_swapon_has_all_areas(content: str, command: str) -> None:
    """In any order and language; use is taken if it is exact, names may have blanks."""
    rows = facts_in(content, command)
    partition, file = (row(rows, "swap", name) for name in ("/dev/dasda1", "/my swap file"))
    assert [*rows.rows["swap"]] == ["/dev/dasda1", "/my swap file"]
    assert (partition["sort"], partition["priority"]) == ("partition", -2)
    assert (file["sort"], file["priority"]) == ("file", 5)
    sizes = {partition.get("size"), partition.get("used"), file.get("size")}
    assert sizes == ({2 << 30, None, 25 << 19} if "2G" in content else {2147479552, 4096, 16773120})


def test_the_order_of_columns_counts() -> None:
    """What is used may stand before the size."""
    content = "NAME        TYPE      USED  SIZE PRIO\n/dev/dasda1 partition 4096 40960   -2\n"
    assert row(facts_in(content), "swap", "/dev/dasda1")["size"] == 40960


def test_numbers_without_a_unit_say_nothing_where_that_is_not_known() -> None:
    """The kernel prints KiB, swapon bytes; without a heading and a command it may be either."""
    rows = facts_in("/dev/dasda1 partition 147451904 0 -2\n")
    assert row(rows, "swap", "/dev/dasda1") == {"sort": "partition", "priority": -2}


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(content: str) -> None:
    """Points are absolute."""
    facts = Facts()
    layers = empty_frame(LAYER, "x")
    for real in (PROC, MOUNT, FINDMNT):
        rows = mounts(real[:40] + content)
        assert all(row.point.startswith("/") for row in rows)
        mount_frame(rows, facts, layers, 1)


@pytest.mark.parametrize(
    "options", ["-s", "--fstab", "-es", "-se", "-F /etc/fstab", "--tab-file=/x", "-o TARGET -s"]
)
def test_a_table_of_findmnt_is_no_list_of_mounts(options: str) -> None:
    """It shows what a file says."""
    content = (
        f"[root@box1 ~]# findmnt {options}\nTARGET SOURCE FSTYPE OPTIONS\n/srv /dev/dasdq1 ext4 noauto\n"
    )
    facts = facts_of([*outputs("a.txt", content.encode(), 1)])[0]
    assert not any(rows for lists in facts.mount_lists.values() for rows in lists)


def test_a_source_of_df_without_figures_was_cut() -> None:
    """A long one stands on a line of its own, and its figures on the next."""
    heading = "Filesystem 1K-blocks Used Available Use% Mounted on\n"
    figures = " 7000000  100   6999900   1% /x\n"
    for rows, strange in (
        (f"/dev/mapper/wh-x\n{figures}", ()), (f"/dev/dasdq1\n/dev/mapper/wh-x{figures}", (2,)),
        (f"nas:/vol/x\n{figures}", ()), ("/dev/dasdq1\n", (2,)),
    ):  # fmt: skip
        (read,) = facts_of([*outputs("a.txt", f"{heading}{rows}".encode(), 1)])[1]
        assert read.strange == strange, rows


@pytest.mark.parametrize(("command", "content", "mounts"), [
    ("mount | column -t", "/dev/dasdb1  on  /d  type  xfs  (rw,relatime)\n", {("/d", "/dev/dasdb1", "xfs")}),
    ("df --output=target,source,fstype",
     "Mounted on Filesystem  Type\n/          /dev/dasda1 ext4\n/d         /dev/dasdb1 xfs\n",
     {("/", "/dev/dasda1", "ext4"), ("/d", "/dev/dasdb1", "xfs")}),
    ("df -h",
     "Filesystem        Size  Used Avail Use% Mounted on\n//cifs/my share   45G   40G  5.0G  90% /cifs\n",
     {("/cifs", "//cifs/my share", "")}),
    ("df -hT",
     "Filesystem  Type  Size  Used Avail Use% Mounted on\n/dev/dasdb1 xfs   45G   40G  5.0G  90% /d\n",
     {("/d", "/dev/dasdb1", "xfs")}),
])  # fmt: skip
def test_further_layouts_of_mounts(command: str, content: str, mounts: set[tuple[str, str, str]]) -> None:
    """Columns that were asked for, blanks in sources, columns that another tool made."""
    lists = facts_in(content, command).mount_lists.values()
    assert {(row.point, row.source, row.fstype) for rows in lists for row in rows[0]} == mounts


def test_swap_areas_are_read_in_other_languages() -> None:
    """Their types are translated."""
    facts = facts_in(
        "NAME        TYPE      SIZE USED PRIO\n/dev/dasda3 Partition   2G   0B   -2\n", "swapon --show"
    )
    assert facts.rows["swap"]["/dev/dasda3"]["sort"][0].value == "partition"


@pytest.mark.parametrize(
    "heading",
    [
        "ファイルシス   1K-ブロック    使用    使用可 使用% マウント位置",
        "文件系统         1K-块    已用    可用 已用% 挂载点",
        "文件系统        容量  已用  可用 已用% 挂载点",
        "Sys. de fichiers blocs de 1K Utilisé Disponible Uti% Monté sur",
        "Sys. de fichiers Type Taille Utilisé Dispo Uti% Monté sur",
        "S.ficheros     bloques de 1K  Usados Disponibles Uso% Montado en",
        "Dateisystem    1K-Blöcke Benutzt Verfügbar Verw% Eingehängt auf",
    ],
)
def test_df_is_known_by_its_heading_in_other_languages(heading: str) -> None:
    """By its form: words, one of them a percentage, and the place at the end."""
    content = f"{heading}\n/dev/dasda1 ext4 7092728 2345678 4384888 35% /\n"
    (read,) = facts_of([*outputs("a.txt", content.encode(), 7)])[1]
    assert (read.form, read.read, read.strange) == ("df", 2, ())


@pytest.mark.parametrize(
    "prose",
    ["Die Platten haben heute etwa 80% belegt", "LV VG Attr LSize Data% Meta%", "%CPU und %MEM sind egal"],
)
def test_what_has_a_percentage_is_no_heading_of_df(prose: str) -> None:
    """A word with it stands before the place."""
    assert all(cut.form != "df" for cut in outputs("a.txt", f"{prose}\n".encode(), 7))


@pytest.mark.parametrize(
    ("command", "printed", "fstype"),
    [
        ("findmnt -no SOURCE /srv", "/dev/dasdq1", ""),
        ("findmnt -n -o TARGET,FSTYPE /dev/dasdq1", "/srv ext4", "ext4"),
        ("", "/dev/dasdq1 /srv ext4", "ext4"),
        ("", "/srv /dev/dasdq1 ext4", "ext4"),
    ],
)  # fmt: skip
def test_what_findmnt_is_asked_for_it_need_not_print(command: str, printed: str, fstype: str) -> None:
    """Three columns tell without a command what they are; both are a part of the mounts."""
    text = f"# {command}\n{printed}\n" if command else f"{printed}\n"
    facts, reads = facts_of([*outputs("a.txt", text.encode(), 1)])
    (row,) = (row for lists in facts.mount_lists["findmnt"] for row in lists)
    assert (row.source, row.point, row.fstype) == ("/dev/dasdq1", "/srv", fstype)
    assert [read.is_part for read in reads if read.form] == [True]


def test_the_file_system_of_a_path_is_no_mount_point() -> None:
    """With -T findmnt takes any path."""
    facts, _ = facts_of([*outputs("a.txt", b"# findmnt -no SOURCE -T /srv/a\n/dev/dasdq1\n", 1)])
    assert facts.mount_lists["findmnt"] == [[]]


OF_OTHERS = """\
# lsdasd -u
0.0.0100  dasda       IBM.750000000CM631.0100.00
0.0.0101  dasdb       IBM.750000000CM631.0101.01
# cat /proc/self/mountinfo
29 1 94:1 / / rw,relatime shared:1 - ext4 /dev/dasda1 rw
# {command}
/dev/dasda1 / ext4 rw 0 0
/dev/dasdb1 /data xfs rw 0 0
"""


@pytest.mark.parametrize(
    ("command", "seen_by"),
    [
        ("nsenter -t 4711 -m cat /proc/mounts", "4711"),
        ("sudo nsenter --all --target=4711 cat /proc/mounts", "4711"),
        ("podman exec -it pg cat /proc/mounts", "pg"),
        ("kubectl exec db/pg-0 -- cat /proc/mounts", "pg-0"),
    ],
)
@pytest.mark.parametrize("is_of_kernel", [True, False])
def test_mounts_of_another_namespace_are_a_use(
    command: str, seen_by: str, is_of_kernel: bool, where: Ask
) -> None:
    """They are not the host's; what both have is told once."""
    text = OF_OTHERS.format(command=command)
    if not is_of_kernel:
        text = re.sub("cat /proc/self.*\n.*", "mount\n/dev/dasda1 on / type ext4 (rw)", text)
    (mount,) = where("dasdb", text)["mounts"]
    assert (mount["point"], mount["process"]) == ("/data", seen_by)
    assert [mount["process"] for mount in where("dasda", text)["mounts"]] == [""]


def test_blkid_tells_the_type_of_a_mount(where: Ask) -> None:
    """Where df does not; then no other device can belong to it."""
    text = (
        "# lsdasd -u\n0.0.0101  dasdb  IBM.750000000CM631.0101.01\n"
        "# df -h\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/dasdb1      64G  51G  14G  80% /u\n"
    )
    blkid = '# blkid\n/dev/dasdb1: UUID="d1d1d1d1-0000-4444-8888-abcdefabcdef" TYPE="xfs"\n'
    for rows, grade in ((blkid, "shares"), ("", "set")):
        (answer,) = where("/u", text + rows)["where"]
        assert ([disk["disk"] for disk in answer["disks"]], answer["grade"]) == (["dasdb"], grade)


@pytest.mark.parametrize(("source", "told"), [
    ("none", "lies on"),
    ("overlay", "lies on"),
    ("tank/data", "lies on"),
    ("tmpfs", "holds it"),
    ("box2:/export", "holds it"),
])  # fmt: skip
def test_a_mount_of_no_device_may_lie_on_other_file_systems(source: str, told: str, where: Ask) -> None:
    """Where df prints no type; those of aufs are so by their type."""
    head = "Filesystem  1K-blocks Used Available Use% Mounted on\n"
    df = f"{head}/dev/dasda1 90 10 80 12% /\n{source} 90 10 80 12% /x\n"
    assert told in str(where("/x", f"box1:~ # df\n{df}"))
    assert "lies on" in str(where("/x", "box1:~ # mount\nnone on /x type aufs (rw,si=1)\n"))
