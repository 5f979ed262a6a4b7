"""Partitions and guests come from debugfs, and from hypfs only where debugfs tells of neither."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import absent
from zmon.kernel import diag204, hypfs
from zmon.kernel.diag204 import NO_AUTHORITY, NO_DEBUGFS
from zmon.kernel.hypfs import NEEDS_DEBUGFS, read_partitions
from zmon.kinds import GUEST, LPAR, LPAR_CPU, PHYSICAL_CPU, VIRTUAL_CPU

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

# answers made by hand: all that a name and its row need
IN_AN_LPAR = {"proc/sysinfo": b"LPAR Number:          1\n"}
IN_A_GUEST = {"proc/sysinfo": b"VM00 Name:            LINUX07\n"}
DIAG_204 = {
    diag204.DIAG_204: struct.pack(">QH54x", 160, 0)
    + struct.pack(">B63x", 1)
    + struct.pack(">BB6x8s80x", 1, 0, "NEWLPAR ".encode("cp500"))
}
DIAG_2FC = {
    hypfs.DIAG_2FC: struct.pack(">QH16sQ30x", 112, 0, bytes(16), 1)
    + bytes(104)
    + "NEWGUEST".encode("cp500")
}  # fmt: skip
HYPFS_LPAR = {
    hypfs.TYPE: b"LPAR Hypervisor\n",
    f"{hypfs.SYSTEMS}/OLDLPAR/cpus/0/type": b"IFL\n",
}
HYPFS_GUEST = {hypfs.TYPE: b"z/VM Hypervisor\n", f"{hypfs.SYSTEMS}/OLDGUEST/onlinetime_us": b"1\n"}
BROKEN = {hypfs.TYPE: b"something else\n"}


def lpars_and_guests(frames: tuple[Frame, ...]) -> tuple[list[str], list[str]]:
    """Return the names of the partitions and of the guests."""
    return frames[0].keys, frames[3].keys


@pytest.mark.parametrize("others", [{}, HYPFS_LPAR, BROKEN])
def test_diagnose_204_comes_first(make_tree: Callable[..., Tree], others: dict[str, bytes]) -> None:
    """When it answers hypfs is not asked, so that it cannot spoil the answer either."""
    tree = make_tree(IN_AN_LPAR | DIAG_204 | others)
    assert lpars_and_guests(read_partitions(tree)) == (["NEWLPAR"], [])


@pytest.mark.parametrize("others", [{}, HYPFS_GUEST, BROKEN])
def test_diagnose_2fc_comes_first(make_tree: Callable[..., Tree], others: dict[str, bytes]) -> None:
    """When it answers hypfs is not asked."""
    tree = make_tree(IN_A_GUEST | DIAG_2FC | others)
    assert lpars_and_guests(read_partitions(tree)) == ([], ["NEWGUEST"])


def test_hypfs_tells_of_partitions_without_debugfs(make_tree: Callable[..., Tree]) -> None:
    """Its three frames belong together: what it says of physical CPUs comes along."""
    frames = read_partitions(make_tree(IN_AN_LPAR | HYPFS_LPAR))
    assert lpars_and_guests(frames) == (["OLDLPAR"], [])
    assert frames[2].missing is absent(NO_AUTHORITY)


def test_hypfs_tells_of_guests_without_debugfs(make_tree: Callable[..., Tree]) -> None:
    """As in a guest whose debugfs is not mounted."""
    frames = read_partitions(make_tree(IN_A_GUEST | HYPFS_GUEST))
    assert lpars_and_guests(frames) == ([], ["OLDGUEST"])


def test_without_both_the_reason_is_that_of_debugfs(make_tree: Callable[..., Tree]) -> None:
    """It is the one to repair; hypfs is not even mounted on most machines."""
    tree = make_tree(IN_AN_LPAR)
    frames = read_partitions(tree)
    debugfs = (*diag204.read_diag204(tree), hypfs.read_diag2fc(tree), hypfs.read_diag0c(tree))
    assert [frame.missing for frame in frames] == [frame.missing for frame in debugfs]
    assert {frame.missing for frame in frames} == {absent(NO_DEBUGFS), absent(NEEDS_DEBUGFS)}


@pytest.mark.parametrize("files", [{}, IN_AN_LPAR | DIAG_204, IN_AN_LPAR | HYPFS_LPAR, HYPFS_GUEST])
def test_there_is_always_a_frame_of_each_kind(
    make_tree: Callable[..., Tree], files: dict[str, bytes]
) -> None:
    """In the same order, with rows or with a reason."""
    frames = read_partitions(make_tree(files))
    assert [frame.kind for frame in frames] == [LPAR, LPAR_CPU, PHYSICAL_CPU, GUEST, VIRTUAL_CPU]


def test_an_answer_that_is_not_understood_is_an_error(make_tree: Callable[..., Tree]) -> None:
    """It is not passed over for hypfs, which would hide it."""
    tree = make_tree(IN_AN_LPAR | HYPFS_LPAR | {diag204.DIAG_204: b"short"})
    with pytest.raises(ValueError, match="64 bytes"):
        read_partitions(tree)
