from __future__ import annotations

from typing import Any, Final

import pytest

from tests.check.machines import GB, GONE, result
from zmon.check.practice import State
from zmon.kinds import GUEST, MACHINE, MEMORY, NO_FILE, SETTING, SWAP

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
X86: Final = {MACHINE: {"machine": {"architecture": "x86_64", "environment": "none"}}}
NONE: Final = {SETTING: {f"hugepages/1024/{name}": 0 for name in ("total", "free", "reserved")}}

WITHOUT: Final = {SETTING: {f"hugepages/1024/{name}": None for name in ("total", "free", "reserved")}}
"""A kernel that is built without huge pages."""


def zvm(changes: dict[Any, Any] | None = None, **fields: Any) -> dict[Any, Any]:
    """Return changes that make it a guest of z/VM."""
    return {
        MACHINE: {"machine": {"environment": "zvm", "guest_name": "LINDB01", **fields}},
        **(changes or {}),
    }


def setting(name: str, value: Any) -> dict[Any, Any]:
    """Return a change of one setting."""
    return {SETTING: {name: value}}


def memory(**fields: Any) -> dict[Any, Any]:
    """Return a change of memory."""
    return {MEMORY: {"memory": fields}}


@pytest.mark.parametrize(
    ("name", "state", "changes", "words"),
    [
        ("B17", LOOK, setting("vm.swappiness", "60"), "60, so processes are swapped early"),
        ("B17", OK, setting("vm.swappiness", "10"), "10"),
        ("B17", UNKNOWN, setting("vm.swappiness", GONE), "gone"),
        ("B17", UNKNOWN, setting("vm.swappiness", "much"), ""),
        ("B18", OK, {}, "0.0 GiB of 8.0 GiB of huge pages are neither used nor reserved"),
        ("B18", BAD, setting("hugepages/1024/free", 8000), ""),
        ("B18", OK, {SETTING: {"hugepages/1024/free": 8000, "hugepages/1024/reserved": 7500}}, ""),
        ("B18", BAD, {SETTING: {"hugepages/2097152/total": 64, "hugepages/2097152/free": 64,
                                "hugepages/2097152/reserved": 0}}, ""),
        ("B18", SKIP, NONE, "no huge page is reserved"),
        *((name, SKIP, WITHOUT, "the kernel has no huge pages") for name in ("B18", "B19")),
        *((name, UNKNOWN, {**WITHOUT, MEMORY: None}, "it is not set") for name in ("B18", "B19")),
        ("B18", UNKNOWN, setting("hugepages/1024/total", GONE), "gone"),
        ("B19", OK, {}, "hugepages=8192"),
        ("B19", LOOK, setting("cmdline/hugepages", GONE), "reserved, but not by a boot parameter"),
        ("B19", UNKNOWN, setting("cmdline", GONE), "gone"),
        ("B19", SKIP, NONE, ""),
        ("B20", LOOK, memory(swapped_in=10, swapped_out=20),
         "30 pages were swapped since the start of Linux, 0/s now"),
        ("B20", UNKNOWN, memory(swapped_in=GONE), "gone"),
        ("B21", SKIP, {}, "only in a guest of z/VM"),
        ("B21", OK, zvm(), "the page cache has 12 % of 16.0 GiB"),
        ("B21", LOOK, zvm(memory(cached=12 * GB)), ""),
        ("B21", UNKNOWN, zvm(memory(cached=GONE)), "gone"),
        ("B22", OK, zvm(), "the guest waited for CP's paging in 0 % of CP's samples"),
        ("B22", UNKNOWN, zvm({GUEST: None}), "guests were not recorded"),
        ("B24", OK, zvm(), "the guest has 16.0 GiB"),
        ("B24", LOOK, zvm({**memory(total=200 * GB), **setting("hugepages/1024/total", 150 * 1024)}), ""),
        ("B24", OK, zvm(memory(total=200 * GB)), ""),
        ("B30", SKIP, {}, ""),
        ("B30", LOOK, {MACHINE: {"machine": {"kernel": "3.0.13-0.27"}}}, ""),
        ("B30", OK, {MACHINE: {"machine": {"kernel": "3.0.13"}},
                     **setting("cmdline/cgroup_disable", "memory")}, "cgroup_disable=memory"),
        ("B30", UNKNOWN, {MACHINE: {"machine": {"kernel": "strange"}}}, ""),
        ("H15", OK, {}, "1 swap area, 1.0 GiB"),
        ("H15", LOOK, {SWAP: {"/dev/dasdd1": None}}, "there is none"),
        ("H15", OK, {MACHINE: {"machine": {"architecture": GONE, "environment": GONE}}}, ""),
        ("H15", UNKNOWN, {SWAP: None}, "swap areas were not recorded"),
        ("K3", LOOK, setting("transparent_hugepage", "always"), "always"),
        ("K3", UNKNOWN, setting("transparent_hugepage", GONE), "gone"),
        ("K3", SKIP, setting("transparent_hugepage", NO_FILE),
         "the kernel has no transparent huge pages"),
        *((name, SKIP, X86, "not Linux on IBM Z: x86_64")
          for name in ("B17", "B18", "B19", "B20", "H15", "K3")),
        *((name, SKIP, X86, "only in a guest of z/VM") for name in ("B21", "B22", "B24")),
    ],
)  # fmt: skip
def test_a_check_finds_what_is_broken(name: str, state: State, changes: dict[Any, Any], words: str) -> None:
    """Each on a machine that has just this."""
    found = result(name, changes)
    assert (found.state, found.words) == (state, words or found.words)


def test_swapping_now_is_bad() -> None:
    """Five pages a second are the limit of PCP's rule."""
    assert result("B20", {}, memory(swapped_out=600)).state is BAD
    assert result("B20", {}, memory(swapped_out=1)).state is LOOK


def test_a_guest_that_cp_pages_deserves_a_look() -> None:
    """More than a twentieth of CP's samples."""
    found = result("B22", zvm(), {GUEST: {"LINDB01": {"page_wait": 100, "total": 1000}}})
    assert (found.state, found.words) == (LOOK, "the guest waited for CP's paging in 10 % of CP's samples")
