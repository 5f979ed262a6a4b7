from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kinds import CONTAINER, LAYER, MOUNT
from zmon.sample import frame_of
from zmon.topology.claims import Grade
from zmon.topology.data_files import file_by_name, files_in, unknown_file
from zmon.topology.location import ALL_OF_IT, ONE_OF_SEVERAL, FileLocation, locate_file
from zmon.topology.mounts import mounts_in
from zmon.topology.stack import Stack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value

NO = absent("not in this test")
GIB = 1 << 30
MIB = 1 << 20
CHUNKS = "10000000+10000000:raid0:10000:1@100000,2@200000 40000000+10000000:raid1:10000:1@20000000,2@30000000"


def disk(**cells: Value) -> Mapping[str, Value]:
    """Return a device of 1 GiB."""
    row: dict[str, Value] = dict.fromkeys((field.name for field in LAYER.fields), NO)
    return row | {"sort": "disk", "size": GIB // 512} | cells


LAYERS = {
    "94:0": disk(name="dasda"),
    "94:4": disk(name="dasdb"),
    "94:5": disk(name="dasdb1", sort="partition", parent="94:4", start=192, size=2097152 - 192),
    "253:0": disk(
        name="dm-0", sort="dm", mapped="vg-st", uuid="LVM-x", below="94:0 94:4", size=2 * GIB // 512,
        table="0 4194304 striped 2 128 94:0 0 94:4 0",
    ),
    "253:1": disk(name="dm-1", sort="dm", mapped="vg-x", uuid="LVM-y", below="94:0 94:4",
                  table=absent("run as root: dm tables")),
}  # fmt: skip


def mount(number: str, point: str, fstype: str = "ext4", **cells: Value) -> Mapping[str, Value]:
    """Return a mount."""
    row: dict[str, Value] = {
        "number": number, "root": "/", "point": point, "fstype": fstype, "source": "/dev/x", "options": "rw",
        "devices": NO, "chunks": NO, "line": "7",
    }  # fmt: skip
    return row | cells


MOUNTS = {
    "1": mount("94:5", "/"),
    "2": mount("253:0", "/st"),
    "3": mount("253:1", "/x"),
    "4": mount("0:41", "/b", "btrfs", devices="1=94:0 2=94:4", chunks=CHUNKS),
    "5": mount("0:42", "/one", "btrfs", devices="1=94:5", chunks=absent("run as root: chunks")),
    "6": mount("0:43", "/o", "overlay"),
}


def ask(
    mount: Value,
    number: Value,
    ranges: Value,
    mounts: Mapping[str, Mapping[str, Value]] = MOUNTS,
    **cells: Value,
) -> FileLocation:
    """Follow a file of 1 MiB down."""
    row: dict[str, Value] = dict.fromkeys((field.name for field in CONTAINER.fields), NO)
    row |= {
        "real": "/f", "number": number, "mount": mount, "ranges": ranges, "size": MIB,
        "said": "FS_IOC_FIEMAP: 1 extents", "unplaced": 0, "unwritten": 0, "shared": 0, "encoded": 0,
    } | cells  # fmt: skip
    file = files_in(frame_of(CONTAINER, {"/f": row}, 1))[0]
    return locate_file(file, mounts_in(frame_of(MOUNT, mounts, 1)), Stack(frame_of(LAYER, LAYERS, 1)), {})


def by_its_name(path: str) -> FileLocation:
    """Follow a path down that nobody looked at."""
    mounts = mounts_in(frame_of(MOUNT, {**MOUNTS, "7": mount("0:22", "/run", "tmpfs")}, 1))
    return locate_file(file_by_name(path, mounts), mounts, Stack(frame_of(LAYER, LAYERS, 1)), {})


def on(found: FileLocation) -> dict[str, tuple[object, object]]:
    """Return what lies on each disk."""
    return {share.volume.number: (share.bytes, share.copies) for share in found.disks}


def test_a_file_on_a_partition() -> None:
    """All of it lies on the one disk, and that is exact."""
    found = ask("1", "94:5", "0+100000")
    assert (on(found), found.grade, found.mapped) == ({"94:4": (MIB, 0)}, Grade.EXACT, MIB)


def test_the_way_down_is_told() -> None:
    """From the mount over the partition to the disk."""
    found = ask("1", "94:5", "0+100000")
    assert [(step.depth, step.number) for step in found.steps] == [(0, "94:5"), (1, "94:5"), (2, "94:4")]


def test_the_evidence_names_lines_and_ioctls() -> None:
    """Whoever doubts can look it up."""
    sources = [evidence.source for evidence in ask("1", "94:5", "0+100000").evidence]
    assert sources[:2] == ["/proc/self/mountinfo:7", "FS_IOC_FIEMAP"]


def test_a_file_on_a_striped_volume() -> None:
    """Its bytes are told for each disk."""
    assert on(ask("2", "253:0", "0+18000")) == {"94:0": (0x10000, 0), "94:4": (0x8000, 0)}


def test_without_extents_there_are_shares() -> None:
    """They are those of the whole volume, and the reason is told."""
    found = ask("2", "253:0", absent("run as root"))
    assert (on(found), found.grade, found.lacking[0]) == (
        {"94:0": (MIB // 2, 0), "94:4": (MIB // 2, 0)},
        Grade.SHARES,
        "run as root",
    )


def test_a_sparse_file_is_one() -> None:
    """Its size is more than what lies on disks; a file that does not fill its last block is none."""
    (note,) = ask("2", "253:0", "0+1000").notes
    assert re.findall(r"\d+", note) == ["1044480", "1048576"]
    assert not ask("2", "253:0", "0+1000", size=5).notes


def test_without_tables_there_is_a_set() -> None:
    """The disks are known, and of none how much."""
    found = ask("3", "253:1", "0+100000")
    assert (on(found), found.grade) == (
        dict.fromkeys(["94:0", "94:4"], (ONE_OF_SEVERAL, ONE_OF_SEVERAL)),
        Grade.SET,
    )


def test_a_file_without_a_device() -> None:
    """The answer is unknown, for the reason of the row."""
    found = ask("1", absent("on tmpfs"), absent("on tmpfs"))
    assert (found.disks, found.grade, found.lacking) == ((), Grade.UNKNOWN, ("on tmpfs",))


def test_a_block_device() -> None:
    """It is on no file system, whether it is mounted or not."""
    found = ask(absent("no file system"), "94:5", "0+100000")
    assert (on(found), found.steps[0].number) == ({"94:4": (MIB, 0)}, "94:5")


def test_striped_btrfs() -> None:
    """Its addresses go through the chunks to both devices."""
    found = ask("4", "0:41", "10000000+18000")
    assert (on(found), found.grade) == ({"94:0": (0x10000, 0), "94:4": (0x8000, 0)}, Grade.EXACT)


def test_mirrored_btrfs() -> None:
    """The second copy is no data of its own."""
    assert on(ask("4", "0:41", "40000000+1000")) == {"94:0": (4096, 0), "94:4": (0, 4096)}


def test_addresses_outside_of_all_chunks() -> None:
    """They are lost, and it is said."""
    found = ask("4", "0:41", "0+1000")
    assert (found.disks, found.unplaced, found.grade) == ((), 4096, Grade.UNKNOWN)


def test_btrfs_without_root_on_one_device() -> None:
    """Without chunks the device is known, not the bytes."""
    found = ask("5", "0:42", "0+100000")
    assert (on(found), found.grade, found.lacking[0]) == (
        {"94:4": (MIB, 0)},
        Grade.SHARES,
        "run as root: chunks",
    )


def test_btrfs_without_root_on_two_devices() -> None:
    """Without chunks nothing says which of them."""
    mounts = MOUNTS | {"4": {**MOUNTS["4"], "chunks": absent("run as root")}}
    assert ask("4", "0:41", "0+100000", mounts).grade is Grade.SET


def test_btrfs_whose_devices_are_not_known() -> None:
    """Its addresses are never taken for those of the device that mountinfo names."""
    mounts = MOUNTS | {"4": {**MOUNTS["4"], "devices": absent("hidden"), "chunks": absent("hidden")}}
    found = ask("4", "0:41", "0+100000", mounts)
    assert (found.disks, found.grade) == ((), Grade.UNKNOWN)


def test_btrfs_with_a_missing_device() -> None:
    """What lies there is lost, the rest is told."""
    mounts = MOUNTS | {"4": {**MOUNTS["4"], "devices": "1=94:0"}}
    found = ask("4", "0:41", "10000000+20000", mounts)
    assert (on(found), found.unplaced, found.grade) == ({"94:0": (0x10000, 0)}, 0x10000, Grade.UNKNOWN)


def test_parity_of_btrfs_is_shared_out() -> None:
    """The shares of the devices are told, with the parity as copies."""
    mounts = MOUNTS | {"4": {**MOUNTS["4"], "chunks": "0+10000000:raid5:10000:1@0,2@0"}}
    found = ask("4", "0:41", "0+1000", mounts)
    assert (on(found), found.grade) == ({"94:0": (2048, 2048), "94:4": (2048, 2048)}, Grade.SHARES)


def test_a_file_of_an_overlay() -> None:
    """Both file systems stand in the way down."""
    found = ask("6", "94:5", "0+100000")
    assert [step.number for step in found.steps] == ["0:43", "94:5", "94:5", "94:4"]


def test_a_file_of_an_overlay_whose_file_system_was_not_read() -> None:
    """Its addresses may be logical ones: they are counted on no disk."""
    found = ask("6", "0:77", "0+100000")
    assert (on(found), found.grade) == ({}, Grade.UNKNOWN)
    assert "0:77" in found.lacking[0]


def test_an_overlay_whose_layers_were_not_read() -> None:
    """Its data may well be on a disk."""
    found = ask("6", "0:43", "0+100000")
    (lacking,) = found.lacking
    assert lacking.endswith(": not in this test")


def of_text(options: str, **more: Mapping[str, Value]) -> FileLocation:
    """Follow the mount point of an overlay down that a text has, with these options."""
    devices = absent("only btrfs has several devices")
    own = mount("0:44", "/ov", "overlay", line="mount, a.txt:9", options=options, devices=devices)
    mounts = mounts_in(frame_of(MOUNT, {**MOUNTS, **more, "8": own}, 1))
    file = unknown_file("/ov", ALL_OF_IT, real="/ov", number="0:44", mount="8")
    return locate_file(file, mounts, Stack(frame_of(LAYER, LAYERS, 1)), {})


@pytest.mark.parametrize(
    ("options", "disks", "grade"),
    [
        ("rw,lowerdir=/one/a,upperdir=/one/u,workdir=/w", {"94:4"}, Grade.SHARES),
        ("rw,lowerdir=/one/a:/st/b:c,upperdir=/one/u", set(), Grade.UNKNOWN),
        ("rw,lowerdir=/one/a:/st/b,upperdir=/f/u", {"94:0", "94:4"}, Grade.SET),
        ("rw,lowerdir=/over/a,upperdir=/f/u", {"94:0", "94:4"}, Grade.SET),
        ("rw,lowerdir=/gone/a,upperdir=/one/u", {"94:4"}, Grade.UNKNOWN),
        ("rw,lowerdir=/gone/a,upperdir=/gone/u", set(), Grade.UNKNOWN),
        ("rw", set(), Grade.UNKNOWN),
    ],
)
def test_the_layers_of_an_overlay_in_a_text_are_on_the_mounts_that_hold_their_directories(
    options: str, disks: set[str], grade: Grade
) -> None:
    """Also those of an overlay below; one on a device that was not read leaves the others, and it open."""
    found = of_text(
        options,
        over=mount("0:50", "/over", "overlay", devices="layer0=253:0"),
        gone=mount("0:51", "/gone", "xfs", source="/dev/sdx1"),
    )
    assert {share.volume.number for share in found.disks} == disks
    assert (found.grade, found.is_open) == (grade, not disks)


def test_of_a_device_whose_layout_is_not_known_no_disks_are_claimed() -> None:
    """Neither that these are its disks nor that it shares them: why they are not known is said instead."""
    why = absent("not collected: dmsetup table")
    layers = {"253:7": disk(name="dm-7", sort="dm", table=why)}
    mounts = mounts_in(frame_of(MOUNT, {"1": mount("253:7", "/")}, 1))
    file = unknown_file("/", ALL_OF_IT, real="/", number="253:7", mount="1")
    found = locate_file(file, mounts, Stack(frame_of(LAYER, layers, 1)), {})
    assert (found.disks, found.grade, found.is_open) == ((), Grade.UNKNOWN, True)
    assert found.lacking == (f"dm-7: {why.reason}",)


def test_a_path_that_nobody_looked_at() -> None:
    """Its name may be that of a link, so that the mount is assumed, and so are the shares."""
    found = by_its_name("/st/f")
    assert (found.grade, {each.grade for each in found.evidence if "name" in each.source}) == (
        Grade.ASSUMED,
        {Grade.ASSUMED},
    )


def test_a_path_in_memory_that_nobody_looked_at() -> None:
    """No disk holds it, and none is named."""
    found = by_its_name("/run/x")
    assert (found.disks, found.grade, found.lacking) == (
        (),
        Grade.UNKNOWN,
        found.lacking,
    )
    assert re.search(r" tmpfs .* /dev/x$", found.lacking[0])


def test_compressed_bytes_are_not_exact() -> None:
    """Their place is known, their length on the disk is not."""
    found = ask("1", "94:5", "0+100000", encoded=4096)
    assert (found.grade, found.notes[-1].startswith("4096 ")) == (Grade.SHARES, True)


def test_bytes_in_memory_are_told() -> None:
    """They have no place yet, and do not spoil the others."""
    found = ask("1", "94:5", "0+100000", unplaced=4096)
    assert (found.grade, found.unplaced) == (Grade.EXACT, 4096)


def test_without_any_place_nothing_is_exact() -> None:
    """As of a file that was written a moment ago."""
    found = ask("1", "94:5", "", size=4096, unplaced=4096)
    assert (found.grade, found.unplaced, found.disks) == (Grade.UNKNOWN, 4096, ())
    (note,) = found.notes
    assert note.startswith("4096 bytes ")


def test_a_volume_that_nobody_looked_up() -> None:
    """The disk has its name all the same."""
    volume = ask("1", "94:5", "0+100000").disks[0].volume
    assert (volume.disk, isinstance(volume.lcu, Absent)) == ("dasdb", True)


@given(
    st.lists(st.tuples(st.integers(0, 3 * GIB), st.integers(0, GIB)), max_size=5), st.sampled_from("12346")
)
def test_no_byte_is_lost(ranges: list[tuple[int, int]], mount: str) -> None:
    """What lies on the disks and what has no place are together what the file has."""
    number = MOUNTS[mount]["number"] if mount != "6" else "94:5"
    found = ask(mount, number, " ".join(f"{first:x}+{length:x}" for first, length in ranges))
    data = [share.bytes for share in found.disks if not isinstance(share.bytes, Absent)]
    assert sum(data) + found.unplaced == found.mapped


@given(st.integers(0, 1 << 50))
@pytest.mark.parametrize("mount", ["1", "2"])
def test_shares_are_whole(mount: str, size: int) -> None:
    """Without extents every byte of a file is given to some disk."""
    found = ask(mount, MOUNTS[mount]["number"], NO, size=size)
    assert sum(share.bytes for share in found.disks) == size
