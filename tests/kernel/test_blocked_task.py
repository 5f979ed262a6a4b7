from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from zmon.kernel.blocked_task import UNKNOWN, waits_on
from zmon.kernel.process_files import MAX_FILES, DiskNumbers
from zmon.values.wait_place import CALL, NAME, OPEN_FILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

TASK = "proc/3108"
MOUNTS = (
    b"31 1 94:1 / / rw - ext4 /dev/dasda1 rw\n40 31 94:5 / /db rw - xfs /dev/dasdb1 rw\n"
    b"41 31 0:5 / /dev rw - devtmpfs none rw\n"
)
READ = b"3 0x4 0x2aa10556000 0x1000 0x0 0x0 0x0 0x3ffd32f9980 0x3ff92d9fa5a\n"
SYSTEM = {
    "proc/sys/kernel/arch": b"s390x\n",
    "sys/class/block/dasda1/dev": b"94:1\n",
    "sys/block/dm-0/dev": b"253:0\n",
    "sys/block/dm-0/dm/name": b"stuck\n",
    f"{TASK}/mountinfo": MOUNTS,
    f"{TASK}/syscall": READ,
}


def test_the_file_of_the_system_call_tells_the_device(make_tree: Callable[..., Tree]) -> None:
    """Through its mount, which is read from text: the file itself is not touched."""
    files = SYSTEM | {f"{TASK}/fdinfo/4": b"pos:\t0\nflags:\t02\nmnt_id:\t40\n"}
    tree = make_tree(files, {f"{TASK}/fd/4": "/db/data\x1b[2J.dbf"})
    found = waits_on(tree, TASK, "db2sysc", DiskNumbers(tree), is_kernel=False)
    assert found == ("94:5", CALL, "/db/data\\x1b[2J.dbf")


def test_a_disk_that_is_read_itself_is_named(make_tree: Callable[..., Tree]) -> None:
    """Also by the name of device-mapper."""
    for link, number in (("/dev/dasda1", "94:1"), ("/dev/mapper/stuck", "253:0")):
        tree = make_tree(SYSTEM, {f"{TASK}/fd/4": link})
        assert waits_on(tree, TASK, "dd", DiskNumbers(tree), is_kernel=False).devices == number


def test_open_files_are_candidates(make_tree: Callable[..., Tree]) -> None:
    """Of a call on no file; pipes and file systems in memory have no device."""
    links = {f"{TASK}/fd/{number}": "/x" for number in (4, 5, 6)} | {f"{TASK}/fd/7": "pipe:[5]"}
    files = {
        f"{TASK}/fdinfo/{number}": f"mnt_id:\t{mount}\n".encode()
        for number, mount in ((4, 31), (5, 40), (6, 41))
    }
    tree = make_tree(SYSTEM | files | {f"{TASK}/syscall": b"1 0x0 0x0 0x0 0x0 0x0 0x0 0x3f 0x3f\n"}, links)
    found = waits_on(tree, TASK, "x", DiskNumbers(tree), is_kernel=False)
    assert (found.devices, found.evidence) == ("94:1 94:5", OPEN_FILES)


def test_only_a_task_of_the_kernel_is_believed_its_name(make_tree: Callable[..., Tree]) -> None:
    """Others call themselves what they like."""
    tree = make_tree(SYSTEM)
    assert waits_on(tree, TASK, "jbd2/dasda1-8", DiskNumbers(tree), is_kernel=True) == (
        "94:1",
        NAME,
        UNKNOWN.file,
    )
    assert waits_on(tree, TASK, "jbd2/dasda1-8", DiskNumbers(tree), is_kernel=False) == UNKNOWN
    assert waits_on(tree, TASK, "jbd2/../../../etc/passwd-8", DiskNumbers(tree), is_kernel=True) == UNKNOWN


def test_what_may_not_be_read_is_not_known(make_tree: Callable[..., Tree]) -> None:
    """Of another user."""
    refused = PermissionError(errno.EACCES, "Permission denied")
    errors = {f"{TASK}/{name}": refused for name in ("syscall", "fd", "mountinfo")}
    tree = make_tree({"proc/sys/kernel/arch": b"s390x\n"}, {}, errors)
    assert waits_on(tree, TASK, "x", DiskNumbers(tree), is_kernel=False) == UNKNOWN


def test_thousands_of_open_files_are_not_read(make_tree: Callable[..., Tree]) -> None:
    """The first suffice: it is an estimate."""
    links = {f"{TASK}/fd/{number}": "/x" for number in range(1000)}
    tree = make_tree(SYSTEM | {f"{TASK}/syscall": b"running\n"}, links)
    read = 0
    link = tree.link

    def counted(path: str) -> str:
        nonlocal read
        read += 1
        return link(path)

    tree.link = counted  # type: ignore[method-assign]  # counted here
    waits_on(tree, TASK, "x", DiskNumbers(tree), is_kernel=False)
    assert read == MAX_FILES
