from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.kernel.process_files import (
    BOTH,
    MAX_PATH,
    READ,
    WRITE,
    DiskNumbers,
    OpenFile,
    mounted_devices,
    open_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

PROCESS = "proc/11"
MOUNTS = (
    b"40 31 94:5 / /db rw - xfs /dev/dasdb1 rw\n41 31 0:5 / /run rw - tmpfs none rw\n"
    b"42 31 0:44 /@home /home rw - btrfs /dev/mapper/home rw\n"
)
SYSTEM = {
    f"{PROCESS}/mountinfo": MOUNTS,
    "sys/block/dm-0/dev": b"253:0\n",
    "sys/block/dm-0/dm/name": b"home\n",
}


def info(mount: int, flags: str) -> bytes:
    """Return the text of fdinfo."""
    return f"pos:\t0\nflags:\t{flags}\nmnt_id:\t{mount}\n".encode()


def test_open_files_have_the_device_of_their_mount_and_what_they_are_open_for(
    make_tree: Callable[..., Tree],
) -> None:
    """Those in memory, and pipes, have none and are left out."""
    files = SYSTEM | {
        f"{PROCESS}/fdinfo/{number}": info(mount, flags)
        for number, mount, flags in ((3, 40, "0100000"), (4, 40, "0100001"), (5, 42, "02"), (6, 41, "02"))
    }
    links = {f"{PROCESS}/fd/{number}": f"/x{number}" for number in (3, 4, 5, 6)}
    links[f"{PROCESS}/fd/7"] = "pipe:[5]"
    tree = make_tree(files, links)
    assert open_files(tree, PROCESS, DiskNumbers(tree)) == [
        OpenFile("3", "/x3", "94:5", READ),
        OpenFile("4", "/x4", "94:5", WRITE),
        OpenFile("5", "/x5", "253:0", BOTH),
    ]


def test_a_mount_of_btrfs_has_the_device_that_was_mounted(make_tree: Callable[..., Tree]) -> None:
    """Its own number is none of a block device."""
    tree = make_tree(SYSTEM)
    assert mounted_devices(tree, PROCESS, DiskNumbers(tree)) == {"40": "94:5", "42": "253:0"}


@given(st.text(max_size=300), st.binary(max_size=200), st.binary(max_size=200))
def test_whatever_a_process_has_open_is_harmless(link: str, said: bytes, mounts: bytes) -> None:
    """Names of files are anybody's."""
    tree = DictTree({f"{PROCESS}/fdinfo/3": said, f"{PROCESS}/mountinfo": mounts})
    tree.links[f"{PROCESS}/fd/3"] = link
    for file in open_files(tree, PROCESS, DiskNumbers(tree)):
        assert file.path.isprintable()
        assert len(file.path) <= MAX_PATH


def test_names_of_device_mapper_are_read_once_in_a_round() -> None:
    """However many files there are; a name that is none is looked for once, too."""
    tree = CountingTree(SYSTEM | {"sys/block/dm-1/dev": b"253:1\n", "sys/block/dm-1/dm/name": b"data\n"})
    disks = DiskNumbers(tree)
    assert [disks.of(name) for name in ("home", "data", "none", "../x", "") * 3] == [
        "253:0", "253:1", "", "", ""
    ] * 3  # fmt: skip
    assert max(tree.asked.values()) == 1


class CountingTree(DictTree):
    """Counts how often each file is read."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self.asked: Counter[str] = Counter()

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Count, and read."""
        self.asked[path] += 1
        return super().read(path, at_once)
