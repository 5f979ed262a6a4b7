from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.base.absent import Absent, absent
from zmon.kernel.proc_meminfo import (
    COUNTED,
    MEMINFO,
    NO_CMM,
    NOT_COUNTED,
    VMSTAT,
    parse_cmm,
    parse_stalls,
    read_memory,
)
from zmon.kernel.proc_stat import parse_amounts
from zmon.kernel.tree import NEEDS_ROOT, NOT_GIVEN, LiveTree

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
    cells = {name: frame.cell("memory", name) for name in frame.columns}
    assert {name: cell for name, cell in cells.items() if not isinstance(cell, Absent)} == {
        "total": 1_030_594_560, "available": 851_996_672, "free": 795_893_760,
        "buffers": 13_139_968, "cached": 109_154_304, "swap_total": 0, "swap_free": 0,
        "swapped_in": 5, "swapped_out": 6, "dirty": 40_960, "writeback": 0, "major_faults": 7,
        "refaulted_file": 8, "huge_total": 7,
    }  # fmt: skip
    assert frame.cell("memory", "refaulted_anon") is NOT_COUNTED.about(COUNTED["refaulted_anon"])


def test_line_that_is_missing(make_tree: Callable[..., Tree]) -> None:
    """What an older kernel does not tell is absent."""
    frame = read_memory(make_tree({MEMINFO: b"MemTotal: 10 kB\n"}))
    assert frame.cell("memory", "available") is absent("/proc/meminfo has no MemAvailable")


def test_paging_is_not_counted(make_tree: Callable[..., Tree]) -> None:
    """A kernel without paging counters has none: absent, not 0."""
    frame = read_memory(make_tree(files("nr_free_pages 1\n")))
    assert frame.cell("memory", "swapped_in") is NOT_COUNTED.about(COUNTED["swapped_in"])


def test_paging_was_not_captured(make_tree: Callable[..., Tree]) -> None:
    """Without /proc/vmstat the sizes stay."""
    frame = read_memory(make_tree({MEMINFO: HERCULES.encode()}))
    assert frame.cell("memory", "swapped_out") is NOT_GIVEN
    assert frame.cell("memory", "total") == 1_030_594_560


def test_not_captured(make_tree: Callable[..., Tree]) -> None:
    """Without the file there is no row, and a reason."""
    assert read_memory(make_tree()).missing is NOT_GIVEN


def test_psutil_sees_the_same_sizes() -> None:
    """Another reader of the same file agrees on what does not change."""
    frame = read_memory(LiveTree())
    assert set(frame.columns) == set(frame.kind.by_name)
    assert frame.cell("memory", "total") == psutil.virtual_memory().total
    assert frame.cell("memory", "swap_total") == psutil.swap_memory().total


@pytest.mark.parametrize("content", ["", "MemFree: 1 kB\n", "MemTotal: much\n", "MemTotal 5\n"])
def test_other_meminfo(make_tree: Callable[..., Tree], content: str) -> None:
    """A file of another form, or without the total, is refused."""
    with pytest.raises(ValueError, match=r"^/proc/meminfo: "):
        read_memory(make_tree({MEMINFO: content.encode()}))


@pytest.mark.parametrize("content", ["pswpin\n", "pswpin\npswpout 5\n"])
def test_other_vmstat(make_tree: Callable[..., Tree], content: str) -> None:
    """A label without a number is refused, and the message shows it."""
    with pytest.raises(ValueError, match=r"^/proc/vmstat: .* pswpin "):
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


def test_stalls_are_those_of_all_zones(make_tree: Callable[..., Tree]) -> None:
    """A kernel before 4.10 counted them in one line; one without is no zero."""
    assert parse_stalls("allocstall_dma 2\nallocstall_normal 30\nallocstall_movable 4\n") == 36
    assert parse_stalls("pgpgin 1\nallocstall 7\n") == 7
    assert isinstance(parse_stalls("allocstallish 7\n"), Absent)
    assert read_memory(make_tree(files(PAGING + "allocstall_dma 2\n"))).cell("memory", "stalls") == 2


def test_pages_that_zvm_took_back(make_tree: Callable[..., Tree]) -> None:
    """The module cmm has them in files of its own; the time-out has two numbers."""
    cmm = {"cmm_pages": b"1000\n", "cmm_timed_pages": b"24\n", "cmm_timeout": b"10 60\n"}
    frame = read_memory(make_tree(files() | {f"proc/sys/vm/{name}": data for name, data in cmm.items()}))
    names = ("cmm_pages", "cmm_timed_pages", "cmm_timeout_pages", "cmm_timeout_seconds")
    assert [frame.cell("memory", name) for name in names] == [1000, 24, 10, 60]


@pytest.mark.parametrize("content", ["", "-1\n", "1 2\n", "much\n", "\x1b[2J\n", "9" * 40])
def test_other_cmm(make_tree: Callable[..., Tree], content: str) -> None:
    """The value is absent, with what was found; all others stay."""
    frame = read_memory(make_tree(files() | {"proc/sys/vm/cmm_pages": content.encode()}))
    value = frame.cell("memory", "cmm_pages")
    assert isinstance(value, Absent)
    assert "/proc/sys/vm/cmm_pages: " in value.reason
    assert "\x1b" not in value.reason
    assert frame.cell("memory", "free") == 795_893_760


def test_cmm_that_may_not_be_read(make_tree: Callable[..., Tree]) -> None:
    """That is another reason than a module that is not loaded."""
    refusal = {"proc/sys/vm/cmm_pages": PermissionError(13, "Permission denied")}
    frame = read_memory(make_tree(files(), {}, refusal))
    assert frame.cell("memory", "cmm_pages") is NEEDS_ROOT
    assert frame.cell("memory", "cmm_timed_pages") is absent(NO_CMM)


@given(st.text(max_size=60), st.integers(1, 2))
def test_any_text_of_cmm(content: str, count: int) -> None:
    """It gives so many numbers that are not below zero, or a ValueError."""
    with suppress(ValueError):
        found = parse_cmm(content, count)
        assert len(found) == count
        assert min(found) >= 0
