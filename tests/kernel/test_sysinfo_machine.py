from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.kernel.sysinfo import (
    CM_ENABLE,
    LPAR_ONLY,
    NO_ARCHITECTURE,
    NO_GUEST,
    NO_HOSTNAME,
    parse_version,
    read_machine,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

FIXTURES = Path(__file__).parents[1] / "fixtures" / "sysinfo"

VERSION = b"Linux version 6.12.107+deb13-s390x (debian-kernel@lists.debian.org) (gcc-14) #1 SMP\n"


def files(capture: str) -> dict[str, bytes]:
    return {"proc/sysinfo": (FIXTURES / f"{capture}.txt").read_bytes(), "proc/version": VERSION}


def test_lpar(make_tree: Callable[..., Tree]) -> None:
    """In an LPAR machine and partition are known and the guest is not."""
    frame = read_machine(make_tree(files("hyperion-4.9")))
    assert [frame.cell("machine", name) for name in ("type", "environment", "lpar_name", "lpar_cpus")] == [
        "2097", "lpar", "HERCULES", 128,
    ]  # fmt: skip
    assert frame.cell("machine", "guest_name") is NO_GUEST


def test_guest(make_tree: Callable[..., Tree]) -> None:
    """In a guest the virtual machine and its control program are known."""
    frame = read_machine(make_tree(files("qemu-7.2")))
    assert [
        frame.cell("machine", name)
        for name in ("environment", "guest_name", "control_program", "vm_cpus_configured", "vm_adjustment")
    ] == ["kvm", "TCGguest", "KVM/Linux", 2, 1000]


def test_every_field_of_the_kind(make_tree: Callable[..., Tree]) -> None:
    """No field is forgotten, whatever could be read."""
    for tree in (make_tree(files("qemu-7.2")), make_tree({"proc/version": VERSION}), make_tree(live=True)):
        frame = read_machine(tree)
        assert set(frame.columns) == set(frame.kind.by_name)


def test_captured_kernel(make_tree: Callable[..., Tree]) -> None:
    """A capture tells its own kernel, not ours."""
    frame = read_machine(make_tree(files("hyperion-4.9")))
    assert frame.cell("machine", "kernel") == "6.12.107+deb13-s390x"
    assert frame.cell("machine", "architecture") == "s390x"


def test_captured_host_name(make_tree: Callable[..., Tree]) -> None:
    """The host name is known where it was captured."""
    frame = read_machine(make_tree({**files("hyperion-4.9"), "proc/sys/kernel/hostname": b"lnx1\n"}))
    assert frame.cell("machine", "hostname") == "lnx1"


def test_host_name_not_captured(make_tree: Callable[..., Tree]) -> None:
    """Our own host name never stands in for one that was not captured."""
    frame = read_machine(make_tree(files("hyperion-4.9")))
    assert frame.cell("machine", "hostname") is NO_HOSTNAME


def test_running_kernel(make_tree: Callable[..., Tree]) -> None:
    """The running kernel is asked directly."""
    frame = read_machine(make_tree(live=True))
    assert frame.cell("machine", "kernel") == os.uname().release


def test_a_captured_architecture(make_tree: Callable[..., Tree]) -> None:
    """Of a machine without /proc/sysinfo it is what the kernel calls it, if that was captured."""
    arch = {"proc/sys/kernel/arch": b"x86_64\n"}
    frame = read_machine(make_tree({"proc/version": VERSION, **arch}))
    assert frame.cell("machine", "architecture") == "x86_64"
    frame = read_machine(make_tree({"proc/version": VERSION}))
    assert frame.cell("machine", "architecture") is NO_ARCHITECTURE


def test_elsewhere(make_tree: Callable[..., Tree]) -> None:
    """On another architecture the environment is none and the rest is absent."""
    frame = read_machine(make_tree({"proc/version": VERSION}))
    assert frame.cell("machine", "environment") == "none"
    assert isinstance(frame.cell("machine", "lpar_name"), Absent)


def test_cm_enable(make_tree: Callable[..., Tree]) -> None:
    """Channel measurement that is switched off is 0, not absent."""
    frame = read_machine(make_tree({**files("hyperion-4.9"), CM_ENABLE: b"0\n"}))
    assert frame.cell("machine", "cm_enable") == 0


def test_no_cm_enable(make_tree: Callable[..., Tree]) -> None:
    """Where channel measurement is not offered the reason says where it is."""
    frame = read_machine(make_tree(files("qemu-7.2")))
    assert frame.cell("machine", "cm_enable") is LPAR_ONLY


def test_version_of_another_system() -> None:
    """A file that does not begin as /proc/version does is refused with what was found."""
    with pytest.raises(ValueError, match="'FreeBSD 14'"):
        parse_version("FreeBSD 14")


@given(st.text())
def test_any_version(content: str) -> None:
    """Nothing but a ValueError comes out of any text."""
    with suppress(ValueError):
        parse_version(content)
