"""What a task waits for, by the place in the kernel where it waits: the function that /proc/PID/wchan names.

/proc/PID/wchan has the first function on the stack of a task that is not of the scheduler, `0` for one that
runs or that the reader may not trace.  Functions have other names in other kernels, so they are known by how
they begin.  `folio_wait_bit_common` serves reads of files and page faults alike and counts as I/O.

Sources: the kernel's fs/proc/base.c (proc_pid_wchan), mm/filemap.c, mm/page-writeback.c, fs/jbd2, fs/xfs,
block/; docs in Documentation/filesystems/proc.rst.
"""

from __future__ import annotations

import re

from zmon.base.light_typing import Final

RUNNING: Final = "running"
PAGING: Final = "paging"
IO: Final = "io"
LIMITED: Final = "limited"
LOCKED: Final = "locked"
BLOCKED: Final = "blocked"
STOPPED: Final = "stopped"

CALL: Final = "system call"
NAME: Final = "its name"
OPEN_FILES: Final = "open files"
ONLY_DISK: Final = "only disk"
"""How it is known on which device a task waits; by its open files, or because its unit uses no other disk, it
is an estimate."""
ESTIMATES: Final = (OPEN_FILES, ONLY_DISK)

_PLACE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.$]{0,79}", re.ASCII)
"""A function of the kernel; also `name.isra.0`, `name.constprop.0`."""

_BEGINNINGS: Final = """
paging: a page that is swapped out
    do_swap_page swap_read swapin_ read_swap_cache
paging: a page fault
    filemap_fault __folio_lock_or_retry __lock_page_or_retry handle_mm_fault
limited: dirty pages to be written
    balance_dirty_pages
limited: memory to be reclaimed
    reclaim_throttle throttle_direct_reclaim congestion_wait mem_cgroup_handle_over_high
    __mem_cgroup_handle_over_high shrink_
limited: a limit of I/O
    rq_qos_wait wbt_wait blk_throtl ioc_rqos iocg_
io: the log of the file system
    jbd2_ do_get_write_access wait_transaction_ add_transaction_credits start_this_handle xlog_ xfs_log_
    __xfs_log_ xfsaild kjournald btrfs_sync_log wait_log_commit btrfs_wait_log
io: a file server
    nfs rpc_ __rpc_ cifs_ smb2_ ceph_ fuse_ request_wait_answer
io: pages to be written
    folio_wait_writeback wait_on_page_writeback __filemap_fdatawait wb_wait_for_completion
    inode_sleep_on_writeback __inode_wait_for_writeback wait_for_stable folio_wait_stable sync_inodes_
io: direct I/O
    submit_bio_wait __iomap_dio_rw iomap_dio_ __blkdev_direct_IO blkdev_direct_IO do_direct_IO dio_
    inode_dio_wait __inode_dio_wait
io: a page of a file
    folio_wait_bit __folio_lock wait_on_page __lock_page filemap_ do_read_cache truncate_
    invalidate_inode
io: a block of metadata
    wait_on_buffer __wait_on_buffer __sync_dirty_buffer sync_dirty_buffer __bread out_of_line_wait_on_bit
    bit_wait_io xfs_ ext4_ btrfs_ extent_ f2fs_
io: the block layer
    io_schedule blk_ __blk_ blkdev_ bdev_ dm_ __dm_ md_ raid loop_ mpage_ submit_bio elv_ bd_
io: the driver of a disk
    dasd_ scsi_ sd_ zfcp_ nvme_ virtblk_ ccw_ cio_
blocked: its child, until that runs another program
    kernel_clone wait_for_vfork_done _do_fork do_fork
locked: a lock
    rwsem_down __mutex_lock mutex_ down_ __down percpu_rwsem __percpu_down rt_mutex __rt_mutex lock_
    d_alloc_parallel wait_on_inode __wait_on_freeing
""".strip().splitlines()
"""A state, what is waited for, and how the functions begin."""


def _classes() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    classes: list[tuple[str, str, tuple[str, ...]]] = []
    for line in _BEGINNINGS:
        if line.startswith(" "):
            state, names_of, names = classes[-1]
            classes[-1] = state, names_of, (*names, *line.split())
        else:
            state, _, names_of = line.partition(": ")
            classes.append((state, names_of, ()))
    return tuple(classes)


CLASSES: Final = _classes()
"""For each class its state, what is waited for, and how the functions begin; the first that fits counts."""


ON_A_DISK: Final = frozenset({IO, PAGING, LIMITED})
"""States of tasks that wait for a disk, so that their open files may tell which."""


def parse_wchan(content: bytes) -> str:
    """Return the function that /proc/PID/wchan names; empty for `0`, and for what is no name."""
    name = content.decode("ascii", "replace").strip()
    return name if _PLACE.fullmatch(name) else ""


def class_of(place: str) -> tuple[str, str]:
    """Return the state of a task that waits in a function, and what it waits for; empty if not known."""
    for state, kind_words, beginnings in CLASSES:
        if place.startswith(beginnings):
            return state, kind_words
    return BLOCKED, ""


def may_wait_for_disk(place: str) -> bool:
    """Return whether a task that waits at a place may wait for a disk; at one that was not read it may."""
    return not place or class_of(place)[0] in ON_A_DISK
