from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kernel.diag204 import NO_AUTHORITY
from zmon.kernel.hypfs import ROOT, parse_number, read_hypfs
from zmon.kernel.sysinfo import NEEDS_LPAR
from zmon.kernel.tree import NEEDS_ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.kernel.tree import Tree

# from Hercules 3.13 with Linux 6.12.107 (Debian 13): one partition, no authority
HERCULES = {
    "hyp/type": "LPAR Hypervisor",
    **{
        f"systems/HERCULES/cpus/{cpu}/{name}": value
        for cpu in (0, 1)
        for name, value in (
            ("cputime", "92118757376"),
            ("mgmtime", "3546333184"),
            ("onlinetime", "127931961344"),
            ("type", "CP"),
        )
    },
}

# made by hand from the names that the kernel gives
ZVM = {
    "hyp/type": "z/VM Hypervisor",
    "cpus/count": "10",
    **{
        f"systems/LINUX07/{name}": value
        for name, value in {
            "onlinetime_us": "222",
            "cpus/capped": "2", "cpus/dedicated": "1", "cpus/count": "4", "cpus/cputime_us": "111",
            "cpus/weight_min": "3", "cpus/weight_max": "10000", "cpus/weight_cur": "200",
            "mem/min_KiB": "1", "mem/max_KiB": "2", "mem/share_KiB": "3", "mem/used_KiB": "4",
            "samples/cpu_using": "80", "samples/cpu_delay": "84", "samples/mem_delay": "88",
            "samples/idle": "92", "samples/other": "96", "samples/total": "100",
        }.items()
    },
}  # fmt: skip


def files(values: Mapping[str, str]) -> dict[str, bytes]:
    return {f"{ROOT}/{path}": f"{value}\n".encode() for path, value in values.items()}


def test_partition_form(make_tree: Callable[..., Tree]) -> None:
    """What was dispatched and what the hypervisor spent on it make up what was accumulated."""
    _lpars, cpus, _physical, _guests = read_hypfs(make_tree(files(HERCULES)))
    assert {name: cpus.cell("HERCULES/1", name) for name in cpus.columns if name != "clock"} == {
        "type": "CP", "lpar": "HERCULES", "cpu": 1,
        "accumulated": 95665090560, "dispatched": 92118757376, "online_time": 127931961344,
    }  # fmt: skip


def test_partition_count(make_tree: Callable[..., Tree]) -> None:
    """A partition has as many CPUs as it has directories."""
    assert read_hypfs(make_tree(files(HERCULES)))[0].cell("HERCULES", "cpus") == 2


def test_weights_are_not_told(make_tree: Callable[..., Tree]) -> None:
    """What only diagnose 204 tells is absent here."""
    assert isinstance(read_hypfs(make_tree(files(HERCULES)))[1].cell("HERCULES/0", "weight"), Absent)


def test_no_clock(make_tree: Callable[..., Tree]) -> None:
    """The tree has no clock, and the reason says which column shows a refresh."""
    clock = read_hypfs(make_tree(files(HERCULES)))[1].cell("HERCULES/0", "clock")
    assert isinstance(clock, Absent)
    assert "online_time" in clock.reason


def test_no_authority(make_tree: Callable[..., Tree]) -> None:
    """Without directories of physical CPUs the reason names the switch at the HMC."""
    assert read_hypfs(make_tree(files(HERCULES)))[2].missing is absent(NO_AUTHORITY)


def test_physical_cpus(make_tree: Callable[..., Tree]) -> None:
    """Physical CPUs are ordered by number, not by text."""
    physical = {f"cpus/{n}/{name}": v for n in (2, 10) for name, v in (("mgmtime", f"{n}"), ("type", "IFL"))}
    frame = read_hypfs(make_tree(files(HERCULES | physical)))[2]
    assert (frame.keys, frame.column("management")) == (["2", "10"], [2, 10])


def test_simple_format(make_tree: Callable[..., Tree]) -> None:
    """Old machines know no online time; it is absent and the rest stays."""
    old = {path: value for path, value in HERCULES.items() if not path.endswith("onlinetime")}
    cpus = read_hypfs(make_tree(files(old)))[1]
    assert isinstance(cpus.cell("HERCULES/0", "online_time"), Absent)
    assert cpus.cell("HERCULES/0", "dispatched") == 92118757376


def test_guest_form(make_tree: Callable[..., Tree]) -> None:
    """The fields are those of diagnose 2FC, without the number of physical CPUs."""
    guests = read_hypfs(make_tree(files(ZVM)))[3]
    assert {name: guests.cell("LINUX07", name) for name in guests.columns} == {
        "capped": 2, "dedicated": 1, "logical_cpus": 10, "virtual_cpus": 4,
        "operating_cpus": 3, "share_max": 10000, "share": 200,
        "memory_min": 1, "memory_max": 2, "memory_share": 3, "memory_used": 4,
        "used_cpu": 111, "online_time": 222,
        "using": 80, "delay": 84, "page_wait": 88, "idle": 92, "other": 96, "total": 100,
    }  # fmt: skip


def test_guest_form_has_no_partitions(make_tree: Callable[..., Tree]) -> None:
    """In a guest the kinds of the LPAR form say what they need."""
    assert [f.missing for f in read_hypfs(make_tree(files(ZVM)))[:3]] == [absent(NEEDS_LPAR)] * 3


def test_not_mounted(make_tree: Callable[..., Tree]) -> None:
    """The reason gives the command that mounts it."""
    missing = read_hypfs(make_tree())[0].missing
    assert missing is not None
    assert f"mount -t s390_hypfs none /{ROOT}" in missing.reason


def test_without_root(make_tree: Callable[..., Tree]) -> None:
    """A tree that may not be read is absent because of the right that is missing."""
    tree = make_tree(errors={f"{ROOT}/hyp/type": PermissionError(13, "denied")})
    assert read_hypfs(tree)[3].missing is NEEDS_ROOT


def test_unknown_form(make_tree: Callable[..., Tree]) -> None:
    """A hypervisor of another form is refused by its name."""
    with pytest.raises(ValueError, match="'Novelty'"):
        read_hypfs(make_tree(files({"hyp/type": "Novelty"})))


def test_refresh_is_not_ours(make_tree: Callable[..., Tree]) -> None:
    """The file whose writing refreshes the tree is not even opened."""
    tree = make_tree(files(HERCULES), errors={f"{ROOT}/update": AssertionError("opened")})
    assert read_hypfs(tree)[0].missing is None


@given(st.text())
def test_any_text(content: str) -> None:
    """Nothing but a ValueError comes out of any text."""
    with suppress(ValueError):
        assert parse_number(content) >= 0
