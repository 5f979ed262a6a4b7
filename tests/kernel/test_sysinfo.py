from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.sysinfo import (
    LEFT_OUT,
    MISSING,
    NOT_CAPTURED,
    NOT_Z,
    SYSINFO,
    Sysinfo,
    parse_sysinfo,
    read_sysinfo,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

FIXTURES = Path(__file__).parents[1] / "fixtures" / "sysinfo"

NESTED = """\
VM01 Control Program: z/VM    7.3.0
VM01 Name:            ZVMTEST

Manufacturer:         IBM
Type:                 3931
LIC Identifier:       c8b2a7d3e1f00001
Model:                A01              A01
Sequence Code:        00000000000AB123
Plant:                02
Model Capacity:       A01              00000912

LPAR Number:          17
LPAR Characteristics: Dedicated Shared Limited
LPAR Name:            LNXPROD
LPAR CPUs Total:      12
LPAR CPUs Dedicated:  4
LPAR CPUs Shared:     8
LPAR CPUs G-MTID:     0

VM00 Name:            LINUX07
VM00 Control Program: z/VM    7.4.0
VM00 Adjustment:      41
VM00 CPUs Total:      4
VM00 CPUs Configured: 4

CPUs Total:           40
"""
"""Made by hand: a second-level guest, its blocks in another order than the kernel's."""


def captured(name: str) -> Sysinfo:
    return parse_sysinfo((FIXTURES / f"{name}.txt").read_text())


@pytest.mark.parametrize(
    ("name", "environment"), [("hercules-3.13", "lpar"), ("hyperion-4.9", "lpar"), ("qemu-7.2", "kvm")]
)
def test_environment_of_the_captures(name: str, environment: str) -> None:
    """A partition without a virtual machine is an LPAR; the control program names the rest."""
    assert captured(name).environment == environment


def test_zvm_is_told_by_the_innermost_control_program() -> None:
    """VM00 is the virtual machine that this Linux runs in, wherever its lines stand."""
    assert parse_sysinfo(NESTED).environment == "zvm"


def test_unknown_control_program_is_no_environment() -> None:
    """A control program that zmon does not know is neither z/VM nor KVM nor an LPAR."""
    text = "Manufacturer: IBM\nLPAR Name: A\nVM00 Control Program: Novelty 1\n"
    assert parse_sysinfo(text).environment == "none"


def test_the_innermost_guest_counts() -> None:
    """However deep the nesting, and wherever its lines stand."""
    assert parse_sysinfo(NESTED).words("VM00 Name") == "LINUX07"


def test_hundredth_level() -> None:
    """Levels beyond two digits are levels still."""
    text = "LPAR Name: A\nVM100 Name: DEEP\nVM99 Name: HERE\n"
    assert parse_sysinfo(text).words("VM00 Name") == "HERE"


def test_words_are_joined_by_one_blank() -> None:
    """The padding inside a value is not part of it."""
    assert parse_sysinfo(NESTED).words("VM00 Control Program") == "z/VM 7.4.0"


def test_model_is_the_hardware_model_when_both_are_there() -> None:
    """The Model line gives the capacity model first."""
    assert parse_sysinfo("Manufacturer: IBM\nModel: 716 M08\n").row()["model"] == "M08"


def test_partition_with_both_sorts_of_cpu() -> None:
    """Dedicated and Shared may both be characteristics of one partition."""
    row = parse_sysinfo(NESTED).row()
    assert (row["lpar_characteristics"], row["lpar_cpus_dedicated"], row["lpar_cpus_shared"]) == (
        "Dedicated Shared Limited", 4, 8,
    )  # fmt: skip


def test_machine_and_partition_cpus_are_kept_apart() -> None:
    """`CPUs Total` and `LPAR CPUs Total` are two levels."""
    row = captured("hyperion-4.9").row()
    assert (row["cpus_reserved"], row["lpar_cpus_shared"]) == (120, 2)


def test_missing_line_is_absent_with_its_name() -> None:
    """What the firmware does not tell is absent, and the reason names the line."""
    assert " LPAR Adjustment" in str(parse_sysinfo(NESTED).row()["lpar_adjustment"])


def test_number_that_is_none_is_absent() -> None:
    """A label with words where a number belongs does not cost the other lines."""
    row = parse_sysinfo("Manufacturer: IBM\nCPUs Total: many\nCPUs Configured: 3\n").row()
    assert "CPUs Total " in str(row["cpus_total"])
    assert row["cpus_configured"] == 3


def test_first_of_two_capabilities() -> None:
    """The second number of the line is the alternate capability."""
    assert captured("hercules-3.13").row()["capability"] == 5295


def test_capability_as_a_float() -> None:
    """From 2^23 on the printed integer is the pattern of a short float."""
    assert captured("qemu-7.2").row()["capability"] == pytest.approx(747.94, abs=1e-4)


def test_other_text_is_refused() -> None:
    """A file that names no machine is not /proc/sysinfo, and the message shows what was found."""
    with pytest.raises(ValueError, match="'hello'"):
        parse_sysinfo("hello")


def test_absent_elsewhere(make_tree: Callable[..., Tree]) -> None:
    """Where the file does not exist the reason says that this is no IBM Z."""
    assert read_sysinfo(make_tree()) is NOT_CAPTURED
    assert read_sysinfo(make_tree(live=True)) is NOT_Z


def test_a_tree_without_it_may_be_of_a_mainframe(make_tree: Callable[..., Tree]) -> None:
    """No other machine has a channel subsystem, so it is the file that lacks."""
    files = {"sys/devices/css0/cm_enable": b"1"}
    assert read_sysinfo(make_tree(files)) is LEFT_OUT
    assert read_sysinfo(make_tree(files, live=True)) is MISSING


def test_read(make_tree: Callable[..., Tree]) -> None:
    """The file is read from the tree that was given."""
    sysinfo = read_sysinfo(make_tree({SYSINFO: NESTED.encode()}))
    assert isinstance(sysinfo, Sysinfo)
    assert sysinfo.row()["type"] == "3931"


@given(st.text())
def test_any_text(text: str) -> None:
    """Nothing but a ValueError comes out of any text."""
    with suppress(ValueError):
        parse_sysinfo(text).row()


@given(st.integers(0, len(NESTED) - 1), st.text(max_size=8))
def test_mutated_text(place: int, text: str) -> None:
    """Nothing but a ValueError comes out of a damaged file."""
    with suppress(ValueError):
        parse_sysinfo(NESTED[:place] + text + NESTED[place + len(text) :]).row()
