from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.absent import absent
from zmon.kernel.proc_stat import MEMINFO, VMSTAT, parse_amounts, read_memory
from zmon.kernel.tree import LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

# from Hercules 3.13 with Linux 6.12.107 (Debian 13), under load; shortened
HERCULES = """\
MemTotal:        1006440 kB
MemFree:          777240 kB
MemAvailable:     832028 kB
Buffers:           12832 kB
Cached:            92200 kB
SwapTotal:             0 kB
SwapFree:              0 kB
SReclaimable:      14396 kB
Dirty:                40 kB
Writeback:             0 kB
HugePages_Total:       7
"""
PAGING = "nr_free_pages 194310\npswpin 5\npswpout 6\npgmajfault 7\nworkingset_refault_file 8\n"


def files(vmstat: str = PAGING) -> dict[str, bytes]:
    return {MEMINFO: HERCULES.encode(), VMSTAT: vmstat.encode()}


def test_bytes() -> None:
    """The kernel's kB are 1024 bytes."""
    assert parse_amounts(HERCULES, MEMINFO, ["MemTotal:"]) == {"MemTotal:": 1_030_594_560}


def test_plain_numbers() -> None:
    """A line without a unit is a number of something."""
    assert parse_amounts(HERCULES, MEMINFO, ["HugePages_Total:"]) == {"HugePages_Total:": 7}


def test_captured(make_tree: Callable[..., Tree]) -> None:
    """The reclaimable slabs count as cached."""
    frame = read_memory(make_tree(files()))
    assert {name: frame.cell("memory", name) for name in frame.columns} == {
        "total": 1_030_594_560, "available": 851_996_672, "free": 795_893_760,
        "buffers": 13_139_968, "cached": 109_154_304, "swap_total": 0, "swap_free": 0,
        "swapped_in": 5, "swapped_out": 6, "dirty": 40_960, "writeback": 0, "major_faults": 7,
        "refaulted_file": 8, "refaulted_anon": absent("the kernel does not count refaults of swapped pages"),
    }  # fmt: skip


def test_line_that_is_missing(make_tree: Callable[..., Tree]) -> None:
    """What an older kernel does not tell is absent."""
    frame = read_memory(make_tree({MEMINFO: b"MemTotal: 10 kB\n"}))
    assert frame.cell("memory", "available") is absent("/proc/meminfo has no MemAvailable")


def test_paging_is_not_counted(make_tree: Callable[..., Tree]) -> None:
    """A kernel without paging counters has none: absent, not 0."""
    frame = read_memory(make_tree(files("nr_free_pages 1\n")))
    assert frame.cell("memory", "swapped_in") is absent("the kernel does not count pages swapped in")


def test_paging_was_not_captured(make_tree: Callable[..., Tree]) -> None:
    """Without /proc/vmstat the sizes stay."""
    frame = read_memory(make_tree({MEMINFO: HERCULES.encode()}))
    assert frame.cell("memory", "swapped_out") is absent("not given by this kernel")
    assert frame.cell("memory", "total") == 1_030_594_560


def test_not_captured(make_tree: Callable[..., Tree]) -> None:
    """Without the file there is no row, and a reason."""
    assert read_memory(make_tree()).missing is absent("not given by this kernel")


def test_psutil_sees_the_same_sizes() -> None:
    """Another reader of the same file agrees on what does not change."""
    frame = read_memory(LiveTree())
    assert set(frame.columns) == set(frame.kind.by_name)
    assert frame.cell("memory", "total") == psutil.virtual_memory().total
    assert frame.cell("memory", "swap_total") == psutil.swap_memory().total


@pytest.mark.parametrize("content", ["", "MemFree: 1 kB\n", "MemTotal: much\n", "MemTotal 5\n"])
def test_other_meminfo(make_tree: Callable[..., Tree], content: str) -> None:
    """A file of another form, or without the total, is refused."""
    with pytest.raises(ValueError, match="/proc/meminfo: expected"):
        read_memory(make_tree({MEMINFO: content.encode()}))


@pytest.mark.parametrize("content", ["pswpin\n", "pswpin\npswpout 5\n"])
def test_other_vmstat(make_tree: Callable[..., Tree], content: str) -> None:
    """A label without a number is refused, and the message shows it."""
    with pytest.raises(ValueError, match="/proc/vmstat: expected pswpin and a number"):
        read_memory(make_tree(files(content)))


@given(st.text())
def test_any_text(content: str) -> None:
    """Nothing but a ValueError comes out of any text."""
    with suppress(ValueError):
        read_memory(DictTree({MEMINFO: content.encode(), VMSTAT: content.encode()}))


@given(st.integers(0, len(HERCULES)), st.text(max_size=8))
def test_mutated_text(place: int, patch: str) -> None:
    """Nothing but a ValueError comes out of a damaged file."""
    damaged = HERCULES[:place] + patch + HERCULES[place + len(patch) :]
    with suppress(ValueError):
        read_memory(DictTree({MEMINFO: damaged.encode()}))
