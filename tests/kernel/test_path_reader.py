"""Multipath devices and their paths, from sysfs, the device mapper and multipathd."""

from __future__ import annotations

import errno
import io
import json
import tarfile
from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import Absent, code_of
from zmon.kernel.block_ioctl import NEEDS_ROOT
from zmon.kernel.capture_open import open_capture
from zmon.kernel.path_reader import ASK_EVERY, CAPTURED, LOOK_EVERY, NO_ANSWER, PathReader
from zmon.kernel.tree import LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

STATUS = "0 41943040 multipath 2 0 0 1 alua 1 1 A 0 2 2 8:0 A 0 0 1 8:16 F 3 4096 1"
ANSWER = {
    "maps": [
        {
            "sysfs": "dm-0", "name": "data01", "path_faults": 2, "queueing": "off",
            "path_groups": [
                {"group": 1, "dm_st": "active", "selector": "service-time 0", "paths": [
                    {"dev": "sda", "dev_t": "8:0", "dm_st": "active", "chk_st": "ready", "pri": 50},
                    {"dev": "sdb", "dev_t": "8:16", "dm_st": "failed", "chk_st": "faulty", "pri": 10},
                ]},
            ],
        }
    ]
}  # fmt: skip
FCP = "sys/devices/css0/0.0.0010/0.0.1940/host0/rport-0:0-0/target0:0:0/0:0:0:0/block"


def files(*, status: bool = True, answer: bool = True) -> dict[str, bytes]:
    """Return the files of a machine with two paths to one disk."""
    found = {
        "sys/block/dm-0/dm/uuid": b"mpath-36005076303ffc562000000000000102a\n",
        "sys/block/dm-0/dm/name": b"data01\n",
        "sys/block/dm-0/dev": b"253:0\n",
        "sys/block/dm-0/slaves/sda/dev": b"8:0\n",
        "sys/block/dm-0/slaves/sdb/dev": b"8:16\n",
        "sys/block/dm-1/dm/uuid": b"LVM-abc\n",
        "sys/block/dm-1/dev": b"253:1\n",
    }
    for name, number, state in (("sda", b"8:0", b"running"), ("sdb", b"8:16", b"offline")):
        found |= {
            f"sys/block/{name}/dev": number,
            f"sys/block/{name}/device/state": state,
            f"sys/block/{name}/device/wwpn": b"0x500507630a1b06dc",
        }
    if status:
        found["ioctl/dm/253:0.status"] = STATUS.encode()
    if answer:
        found[CAPTURED] = json.dumps(ANSWER).encode()
    return found


def read(tree: Tree) -> tuple[Frame, Frame]:
    """Return multipath devices and paths."""
    return PathReader(tree).read()


@pytest.mark.parametrize(
    ("number", "field", "value"),
    [
        ("8:0", "name", "sda"),
        ("8:0", "map", "dm-0"),
        ("8:0", "state", "active"),
        ("8:0", "device", "running"),
        ("8:0", "selector", "service-time"),
        ("8:16", "state", "failed"),
        ("8:16", "device", "offline"),
        ("8:16", "failures", 3),
        ("8:16", "in_flight", 4096),
        ("8:16", "checker", "faulty"),
        ("8:16", "via", "device mapper"),
    ],
)
def test_each_source_says_what_the_others_lack(
    make_tree: Callable[..., Tree], number: str, field: str, value: object
) -> None:
    """The device mapper counts failures and bytes, multipathd knows its checkers."""
    assert read(make_tree(files()))[1].cell(number, field) == value


def test_without_root_multipathd_says_which_path_failed(make_tree: Callable[..., Tree]) -> None:
    """How often it did only the device mapper counts."""
    maps, paths = read(make_tree(files(status=False)))
    assert [paths.cell(number, "state") for number in paths.keys] == ["active", "failed"]
    assert isinstance(paths.cell("8:16", "failures"), Absent)
    assert paths.cell("8:16", "via") == "multipathd"
    assert (maps.cell("dm-0", "title"), maps.cell("dm-0", "faults")) == ("data01", 2)


def test_with_neither_the_state_of_the_disk_is_left(make_tree: Callable[..., Tree]) -> None:
    """Which path failed is not known, and why."""
    _, paths = read(make_tree(files(status=False, answer=False)))
    assert [paths.cell(number, "device") for number in paths.keys] == ["running", "offline"]
    assert isinstance(paths.cell("8:0", "state"), Absent)
    assert paths.cell("8:0", "via") is NO_ANSWER


def test_a_packed_capture_has_the_answer_of_multipathd(tmp_path: Path) -> None:
    """In its archive as in its directory; it lies beside the files of the kernel."""
    archive = tmp_path / "capture.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for name, data in (files() | {"proc/stat": b"cpu 1\n"}).items():
            member = tarfile.TarInfo(f"pass-0001/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    (tree,) = open_capture(str(archive)).passes
    maps, paths = read(tree)
    assert (maps.cell("dm-0", "queueing"), paths.cell("8:0", "checker")) == ("off", "ready")


@pytest.mark.parametrize("answer", [b"timeout\n", b'{"maps": [3]}', b"\xff"])
def test_any_other_answer_is_none(make_tree: Callable[..., Tree], answer: bytes) -> None:
    """The paths are there all the same."""
    _, paths = read(make_tree(files(status=False) | {CAPTURED: answer}))
    assert paths.keys == ["8:0", "8:16"]
    assert isinstance(paths.cell("8:0", "state"), Absent)


def test_other_devices_are_no_paths(make_tree: Callable[..., Tree]) -> None:
    """A machine without multipath says so."""
    maps, paths = read(make_tree({"sys/block/dm-1/dm/uuid": b"LVM-abc\n"}))
    assert maps.missing is paths.missing is not None


def test_of_devices_that_a_capture_does_not_describe_it_is_not_known_whether_one_joins_disks(
    make_tree: Callable[..., Tree],
) -> None:
    """Only the uuid of a device of the device mapper says whether it is a multipath device."""
    maps, paths = read(make_tree({"sys/block/dm-1/dev": b"253:1\n"}))
    assert maps.missing is paths.missing is not None
    assert (code_of(paths.missing), "sys/block/dm-1/dm/uuid" in paths.missing.reason) == ("", True)


class Clock:
    """A tree whose time is set by hand, and that counts what is read of it."""

    live = False
    name = "a capture"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.now = 0
        self.reads: list[str] = []

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Count it."""
        self.reads.append(path)
        return self._tree.read(path, at_once)

    def entries(self, path: str) -> list[str]:
        """List a directory."""
        return self._tree.entries(path)

    def link(self, path: str) -> str:
        """Read a link."""
        return self._tree.link(path)

    def when(self, _path: str) -> int:
        """Return the time."""
        return self.now


def test_the_daemon_is_asked_at_most_once_in_ten_seconds(make_tree: Callable[..., Tree]) -> None:
    """The states of disks and of the device mapper are read each time."""
    tree = Clock(make_tree(files()))
    reader = PathReader(tree)
    for _ in range(10):
        reader.read()
        tree.now += ASK_EVERY // 5
    assert tree.reads.count(CAPTURED) == 2
    assert tree.reads.count("ioctl/dm/253:0.status") == 10


def test_paths_are_looked_for_once_a_minute_or_after_an_event(make_tree: Callable[..., Tree]) -> None:
    """What seldom changes is not read in each sample."""
    tree = Clock(make_tree(files()))
    reader = PathReader(tree)
    for _ in range(6):
        reader.read()
        tree.now += LOOK_EVERY // 6 - 1
    assert tree.reads.count("sys/block/dm-0/dm/uuid") == 1
    reader.refresh()
    reader.read()
    assert tree.reads.count("sys/block/dm-0/dm/uuid") == 2


def test_a_device_mapper_that_refuses_says_why(make_tree: Callable[..., Tree]) -> None:
    """That failures are counted needs root."""
    refusal = {"ioctl/dm/253:0.status": OSError(errno.EACCES, "Permission denied")}
    _, paths = read(make_tree(files(status=False), errors=refusal))
    assert paths.cell("8:0", "failures") is NEEDS_ROOT


def test_the_state_of_a_path_is_read_in_its_own_directory(tmp_path: Path) -> None:
    """The kernel links the disk in /sys/block to it; a state that changes is seen in the next sample."""
    real = tmp_path / FCP.removesuffix("/block")
    (real / "block/sda").mkdir(parents=True)
    (real / "block/sda/dev").write_text("8:0\n")
    (real / "state").write_text("running\n")
    (tmp_path / "sys/block/dm-0/dm").mkdir(parents=True)
    (tmp_path / "sys/block/dm-0/slaves").mkdir()
    (tmp_path / "sys/block/dm-0/dm/uuid").write_text("mpath-36005076303ffc562000000000000102a\n")
    (tmp_path / "sys/block/dm-0/dev").write_text("253:0\n")
    for link in ("sys/block/sda", "sys/block/dm-0/slaves/sda"):
        (tmp_path / link).symlink_to(f"../../{'../../' * link.count('slaves')}{FCP}/sda")
    reader = PathReader(LiveTree(str(tmp_path)))
    assert reader.read()[1].cell("8:0", "device") == "running"
    (real / "state").write_text("transport-offline\n")
    assert reader.read()[1].cell("8:0", "device") == "transport-offline"
