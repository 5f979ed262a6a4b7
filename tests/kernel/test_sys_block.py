from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest
from byte_by_byte import locate_byte
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.base.absent import Absent
from zmon.kernel.block_ioctl import NEEDS_ROOT
from zmon.kernel.sys_block import NO_RECORD, NO_SLAVES, RESHAPED, parse_links, read_layers, renew_layers
from zmon.topology.claims import Grade
from zmon.topology.mapping import map_ranges, map_whole
from zmon.topology.stack import Stack

if TYPE_CHECKING:
    from zmon.sample import Frame

# Debian 13, Linux 6.12, in Hercules 3.13: a volume striped over two control units, an array over two,
# as captured.  That capture has no tables: the one here is made up in the form that the kernel prints.
DISKS = {  # name, number, ccw device, sectors; each has one partition from sector 192 to its end
    "dasde": (16, "0.0.0005/0.0.7001", 1602720),
    "dasdf": (20, "0.0.0006/0.0.7002", 1602720),
    "dasdh": (28, "0.0.0008/0.0.7100", 4808160),
    "dasdl": (44, "0.0.000c/0.0.7200", 288000),
}
CSS = "sys/devices/css0"
VIRTUAL = "sys/devices/virtual/block"
TABLE = "0 524288 striped 2 128 94:17 2048 94:29 2048\n"


def machine(more: dict[str, bytes] | None = None, *, live: bool = False) -> DictTree:
    """Return what is captured of it, and with it whatever more is given."""
    files = {
        f"{VIRTUAL}/dm-0/dev": b"253:0\n",
        f"{VIRTUAL}/dm-0/size": b"524288\n",
        f"{VIRTUAL}/dm-0/dm/name": b"vgz-stripe\n",
        f"{VIRTUAL}/dm-0/dm/suspended": b"1\n",
        f"{VIRTUAL}/dm-0/dm/uuid": b"LVM-069QXr1SSG80nWSbdYi5bRpBwQm4sBJgZ4b9D46pcq3kY9ND0HIZwl1bLRZUSgKN\n",
        f"{VIRTUAL}/md0/dev": b"9:0\n",
        f"{VIRTUAL}/md0/size": b"285696\n",
        f"{VIRTUAL}/md0/md/level": b"raid1\n",
        f"{VIRTUAL}/md0/md/layout": b"0\n",
        f"{VIRTUAL}/md0/md/chunk_size": b"0\n",
        f"{VIRTUAL}/md0/md/raid_disks": b"2\n",
        f"{VIRTUAL}/md0/md/reshape_position": b"none\n",
    }
    links = {
        "sys/block/dm-0": "../devices/virtual/block/dm-0",
        "sys/block/md0": "../devices/virtual/block/md0",
        "sys/dev/block/253:0": "../../devices/virtual/block/dm-0",
        "sys/dev/block/9:0": "../../devices/virtual/block/md0",
    }
    for name, (minor, where, size) in DISKS.items():
        path = f"{CSS}/{where}/block/{name}"
        files |= {f"{path}/dev": f"94:{minor}\n".encode(), f"{path}/size": f"{size}\n".encode()}
        files |= {
            f"{path}/{name}1/{attribute}": f"{value}\n".encode()
            for attribute, value in (("dev", f"94:{minor + 1}"), ("partition", 1), ("start", 192),
                                     ("size", size - 192))
        }  # fmt: skip
        links[f"sys/block/{name}"] = f"../devices/css0/{where}/block/{name}"
        links[f"sys/dev/block/94:{minor}"] = f"../../devices/css0/{where}/block/{name}"
        links[f"sys/dev/block/94:{minor + 1}"] = f"../../devices/css0/{where}/block/{name}/{name}1"
        above = "dm-0" if name in ("dasde", "dasdh") else "md0"
        links[f"{VIRTUAL}/{above}/slaves/{name}1"] = f"../../../../css0/{where}/block/{name}/{name}1"
    for slot, (name, size) in enumerate((("dasdf1", 800240), ("dasdl1", 142880))):
        here = f"{VIRTUAL}/md0/md/dev-{name}"
        files |= {
            f"{here}/slot": f"{slot}\n".encode(),
            f"{here}/offset": b"2048\n",
            f"{here}/size": f"{size}\n".encode(),
        }
    return DictTree(files | (more or {}), links, live=live)


def row(frame: Frame, number: str) -> dict[str, object]:
    """What is known of a device, without what is absent."""
    cells = {name: frame.cell(number, name) for name in frame.kind.by_name}
    return {name: value for name, value in cells.items() if not isinstance(value, Absent)}


def test_a_disk_has_its_ccw_device() -> None:
    """Its bus id stands in its path."""
    assert row(read_layers(machine()), "94:16") == {
        "name": "dasde", "sort": "disk", "size": 1602720, "busid": "0.0.7001",
        "links": "disk/by-path/ccw-0.0.7001",
    }  # fmt: skip


def test_a_partition_has_its_disk_and_start() -> None:
    """Both in sectors of 512 bytes, whatever the disk's blocks are."""
    found = row(read_layers(machine()), "94:17")
    assert (found["sort"], found["parent"], found["start"], found["size"]) == (
        "partition",
        "94:16",
        192,
        1602528,
    )


def test_a_volume_has_its_name_and_what_is_below() -> None:
    """The devices below are numbers."""
    found = row(read_layers(machine()), "253:0")
    assert (found["sort"], found["mapped"], found["below"]) == ("dm", "vgz-stripe", "94:17 94:29")
    assert found["suspended"] == 1


def test_whether_a_device_is_suspended_is_read_with_each_sample() -> None:
    """A suspension of ten seconds is seen; as long as nothing changes the same frame is returned."""
    tree = machine()
    first = renew_layers(tree)
    assert renew_layers(tree, first) is first
    tree.files = {name: b"0\n" if name.endswith("dm/suspended") else value
                  for name, value in tree.files.items()}  # fmt: skip
    resumed = renew_layers(tree, first)
    assert (first.cell("253:0", "suspended"), resumed.cell("253:0", "suspended")) == (1, 0)
    assert len(resumed.times) == len(resumed.keys)
    assert resumed.moved(first) == [first.keys.index("253:0")]
    tree.files = {}
    assert isinstance(renew_layers(tree, resumed).cell("253:0", "suspended"), Absent)


def test_an_array_has_its_members() -> None:
    """Slot, number, first sector of data, sectors of data."""
    found = row(read_layers(machine()), "9:0")
    assert (found["level"], found["members"]) == ("raid1", "0=94:21@2048+1600480 1=94:45@2048+285760")


def test_a_member_that_is_missing_has_its_slot() -> None:
    """An array of three that runs on two says so."""
    tree = machine({f"{VIRTUAL}/md0/md/raid_disks": b"3 (2)\n"})
    assert str(row(read_layers(tree), "9:0")["members"]).endswith(" 2=-")


def test_a_spare_is_no_member() -> None:
    """It has no slot."""
    tree = machine({f"{VIRTUAL}/md0/md/dev-dasdl1/slot": b"none\n"})
    assert row(read_layers(tree), "9:0")["members"] == "0=94:21@2048+1600480 1=-"


@pytest.mark.parametrize("state", [b"faulty\n", b"spare\n", b"write_mostly,faulty\n"])
def test_a_member_without_the_data_is_missing(state: bytes) -> None:
    """It keeps its slot when it has failed, and has one again before it is rebuilt."""
    tree = machine({f"{VIRTUAL}/md0/md/dev-dasdf1/state": state})
    assert row(read_layers(tree), "9:0")["members"] == "0=- 1=94:45@2048+285760"


def test_a_member_in_step_holds_data() -> None:
    """Whatever else is said of it."""
    tree = machine({f"{VIRTUAL}/md0/md/dev-dasdf1/state": b"in_sync,write_mostly\n"})
    assert str(row(read_layers(tree), "9:0")["members"]).startswith("0=94:21@")


def test_an_array_that_is_being_reshaped_has_no_layout() -> None:
    """One part lies as before, the other already otherwise."""
    tree = machine({f"{VIRTUAL}/md0/md/reshape_position": b"4096\n"})
    assert read_layers(tree).cell("9:0", "layout") is RESHAPED


def test_a_capture_from_before_has_no_members() -> None:
    """What was not captured is absent, and the array is not guessed."""
    tree = machine()
    tree.files = {path: data for path, data in tree.files.items() if "dev-" not in path}
    frame = read_layers(tree)
    assert isinstance(frame.cell("9:0", "members"), Absent)
    assert map_whole(Stack(frame), "9:0").grade is Grade.SET


def test_a_captured_table_is_taken() -> None:
    """It lies beside the other ioctls' answers."""
    frame = read_layers(machine({"ioctl/dm/253:0.table": TABLE.encode()}))
    assert frame.cell("253:0", "table") == TABLE


def test_a_table_that_may_not_be_read_says_what_it_needs() -> None:
    """It is root's to read."""
    tree = machine()
    tree.errors["ioctl/dm/253:0.table"] = PermissionError(errno.EACCES, "Permission denied")
    assert read_layers(tree).cell("253:0", "table") is NEEDS_ROOT


def test_the_whole_way_down_is_found() -> None:
    """From the volume's bytes to those of two disks on two control units."""
    stack = Stack(read_layers(machine({"ioctl/dm/253:0.table": TABLE.encode()})))
    assert map_ranges(stack, "253:0", [(0, 100 << 10)]).data == {"94:16": 64 << 10, "94:28": 36 << 10}
    assert locate_byte(stack, "253:0", 64 << 10)[0][:2] == ("94:28", (192 + 2048) * 512)


def test_without_the_table_the_two_disks_are_known() -> None:
    """That much any user may know."""
    found = map_whole(Stack(read_layers(machine())), "253:0")
    assert (tuple(found.among), found.grade) == (("94:16", "94:28"), Grade.SET)


def test_the_mirror_lies_on_both() -> None:
    """Data on the first member, copies on the second."""
    found = map_whole(Stack(read_layers(machine())), "9:0")
    assert (list(found.data), list(found.copies)) == (["94:20"], ["94:44"])


@pytest.mark.parametrize("live", [True, False])
def test_only_what_is_asked_for_and_what_is_below_is_read(live: bool) -> None:
    """Live by number, in a capture by going through all; the rows are the same."""
    frame = read_layers(machine(live=live), ["253:0"])
    assert frame.keys == ["253:0", "94:17", "94:29", "94:16", "94:28"]


def test_a_live_lookup_lists_no_disks() -> None:
    """Its cost does not depend on how many there are."""
    tree = machine(live=True)
    tree.errors["sys/block"] = OSError(errno.EIO, "listed")
    assert len(read_layers(tree, ["94:17"]).keys) == 2


@pytest.mark.parametrize("number", ["0:41", "", "94:17\0", "nonsense"])
def test_a_device_that_is_not_there_has_no_row(number: str) -> None:
    """Some file systems have numbers without a device."""
    frame = read_layers(machine(live=True), [number])
    assert frame.keys == []
    assert frame.missing is not None


def test_a_machine_that_cannot_be_listed_says_so() -> None:
    """An empty frame with its reason."""
    frame = read_layers(DictTree())
    assert frame.missing is not None
    assert "sys/block" in frame.missing.reason


def test_a_loop_device_has_its_file() -> None:
    """Blanks at the ends belong to the name."""
    here = "sys/block/loop0"
    files = {
        f"{here}/dev": b"7:0\n",
        f"{here}/size": b"8\n",
        f"{here}/loop/backing_file": b"/srv/an image \n",
    }
    assert row(read_layers(DictTree(files)), "7:0")["file"] == "/srv/an image "


def test_a_disk_behind_fcp_has_port_and_lun() -> None:
    """The adapter is the ccw device that its path names."""
    path = f"{CSS}/0.0.0001/0.0.1900/host0/rport-0:0-0/target0:0:0/0:0:0:1/block/sda"
    files = {
        f"{path}/dev": b"8:0\n", f"{path}/size": b"8\n",
        f"{path}/device/wwpn": b"0x500507630300c562\n", f"{path}/device/fcp_lun": b"0x4010400000000000\n",
    }  # fmt: skip
    found = row(read_layers(DictTree(files, {"sys/block/sda": f"../{path.removeprefix('sys/')}"})), "8:0")
    assert (found["busid"], found["wwpn"], found["lun"]) == (
        "0.0.1900", "0x500507630300c562", "0x4010400000000000",
    )  # fmt: skip


def test_a_virtio_disk_has_its_ccw_device() -> None:
    """Also where the driver between has a name of its own."""
    path = f"{CSS}/0.0.0003/0.0.7000/virtio3/block/vda"
    files = {f"{path}/dev": b"254:0\n", f"{path}/size": b"8\n"}
    tree = DictTree(files, {"sys/block/vda": f"../{path.removeprefix('sys/')}"})
    assert row(read_layers(tree), "254:0")["busid"] == "0.0.7000"


@pytest.mark.parametrize("content", [b"", b"x\n", b"-1\n", b"\xff", b"9" * 99])
def test_a_size_that_is_no_number_is_absent(content: bytes) -> None:
    """And nothing else is lost with it."""
    path = f"{CSS}/0.0.0005/0.0.7001/block/dasde/size"
    frame = read_layers(machine({path: content}))
    assert isinstance(frame.cell("94:16", "size"), Absent)
    assert frame.cell("94:16", "busid") == "0.0.7001"


_MACHINE = machine({"ioctl/dm/253:0.table": TABLE.encode()})
_ODD = st.one_of(
    st.binary(max_size=12), st.sampled_from([b"253:0", b"94:17 94:17", b"9:0\n", b"0", b"md", b"\0"])
)


@given(st.dictionaries(st.sampled_from(sorted(_MACHINE.files)), _ODD, min_size=1, max_size=6))
def test_whatever_the_files_say_there_is_an_answer(changed: dict[str, bytes]) -> None:
    """A capture may hold anything; every device is found as far as it can be, and nothing is raised."""
    tree = DictTree({**_MACHINE.files, **changed}, _MACHINE.links)
    stack = Stack(read_layers(tree))
    for number in (*stack.numbers, "253:0"):
        map_whole(stack, number)
        stack.chain(number)
        stack.above(number)
        locate_byte(stack, number, 4096)


def test_the_names_that_udev_gives() -> None:
    """They are found in its record of the device, and absent where it has none."""
    record = b"S:disk/by-path/ccw-0.0.7001\nI:1234\nS:disk/by-id/ccw-0X7001\nE:ID_TYPE=disk\n"
    frame = read_layers(machine({"run/udev/data/b94:16": record}))
    assert frame.cell("94:16", "links") == "disk/by-path/ccw-0.0.7001 disk/by-id/ccw-0X7001"
    assert frame.cell("94:17", "links") == "disk/by-path/ccw-0.0.7001-part1"
    assert frame.cell("253:0", "links") is NO_RECORD


FCP = "0.0.0003/0.0.1900/host0/rport-0:0-1/target0:0:0/0:0:0:0/block/sda"


@pytest.mark.parametrize(
    ("lun", "shown"), [("0x0001000000000000", "1"), ("0x4010400100000000", "0x4010400100000000")]
)
def test_a_capture_without_udev_knows_the_names_by_path(lun: str, shown: str) -> None:
    """They follow from the bus id, and behind FCP from port and LUN; a live machine has what udev made."""
    files = {
        f"{CSS}/{FCP}/{name}": value.encode()
        for name, value in (
            ("dev", "8:0"), ("device/wwpn", "0x500507630500c74c"), ("device/fcp_lun", lun),
            ("sda2/dev", "8:2"), ("sda2/partition", "2"),
        )
    }  # fmt: skip
    tree = DictTree(files, {"sys/block/sda": f"../devices/css0/{FCP}"})
    frame = read_layers(tree)
    port = "disk/by-path/ccw-0.0.1900-"
    assert frame.cell("8:0", "links") == (
        f"{port}fc-0x500507630500c74c-lun-{shown} {port}zfcp-0x500507630500c74c:{lun}"
    )
    found = Stack(frame).named(f"/dev/{port}zfcp-0x500507630500c74c:{lun}-part2")
    assert found is not None
    assert found.number == "8:2"
    assert isinstance(read_layers(machine(live=True)).cell("94:17", "links"), Absent)


def test_a_partition_without_links_is_found_by_its_uuid() -> None:
    """The UUID and the name stand in udev's record, too, and count once."""
    record = (
        "S:disk/by-partuuid/00ff-01\nE:ID_PART_ENTRY_UUID=00ff-01\nE:ID_PART_ENTRY_NAME=db\\x20log\n"
        "E:ID_PART_ENTRY_UUID=\n"
    )
    assert parse_links(record) == "disk/by-partuuid/00ff-01 disk/by-partlabel/db\\x20log"


@given(st.text() | st.lists(st.sampled_from(["E:ID_PART_ENTRY_UUID=", "S:", "a", " ", "\n"])).map("".join))
def test_any_record_of_udev_is_read(content: str) -> None:
    """Nothing comes out but what stands behind S: or is the UUID of a partition."""
    for word in parse_links(content).split():
        assert f"S:{word}" in content or word.removeprefix("disk/by-partuuid/") in content


def test_a_list_of_slaves_that_was_not_captured() -> None:
    """It is not an empty one."""
    assert read_layers(machine()).cell("94:16", "below") is NO_SLAVES
