from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kernel.dasd_ioctl import COUNTS_NOTHING, NO_ANSWER, NO_ECKD, parse_psrd, read_cache

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

FIXTURES = Path(__file__).parents[1] / "fixtures" / "devices"
ZEROS = bytes.fromhex(
    "".join((FIXTURES / "dasdm-BIODASDPSRD-hercules-6.1.hex").read_text(encoding="utf-8").splitlines()[1:])
)


def counted(flags: int = 0, status: int = 0) -> bytes:
    """Make an answer whose counts are their own numbers, from 1."""
    return struct.pack(">BBH21IBIBH96x", flags, 0x10, status, *range(1, 22), 0, 22, 0, 0x2300)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("reads", 1), ("read_hits", 2), ("writes", 3), ("write_hits", 4),
        ("seq_reads", 5), ("seq_write_hits", 8), ("cfw_reads", 9), ("cfw_write_hits", 12),
        ("inhibited", 13), ("bypassed", 14), ("seq_staged", 15), ("staged", 16), ("destaged", 17),
        ("dfw_delayed", 18), ("dfw_normal", 19), ("dfw_sequential", 20), ("record_misses", 21),
        ("quick_promotes", 22), ("ssid", "2300"), ("unit_address", "10"),
    ],
)  # fmt: skip
def test_each_count_has_its_place(field: str, value: object) -> None:
    """Counts stand in the order of the kernel's structure."""
    assert parse_psrd(counted())[field] == value


@pytest.mark.parametrize(
    ("status", "field", "value"),
    [
        (0x0000, "caching", "active"),
        (0x8000, "caching", "pending off"),
        (0xC000, "caching", "off"),
        (0x3000, "fast_write", "off"),
        (0x0000, "duplex", "simplex"),
        (0x0900, "duplex", "primary, pending"),
        (0xC000, "device_status", "c000"),
    ],
)
def test_status(status: int, field: str, value: str) -> None:
    """The first byte of the status tells caching, fast write and duplexing."""
    assert parse_psrd(counted(status=status))[field] == value


def test_a_simulated_control_unit_counts_nothing() -> None:
    """All zeros are no counts at all."""
    assert parse_psrd(ZEROS)["reads"] is COUNTS_NOTHING


def test_and_its_status_says_nothing() -> None:
    """Zero would mean that caching is active."""
    assert parse_psrd(ZEROS)["caching"] is COUNTS_NOTHING


def test_but_it_says_who_it_is() -> None:
    """Subsystem and unit address are filled in."""
    assert (parse_psrd(ZEROS)["ssid"], parse_psrd(ZEROS)["unit_address"]) == ("7200", "01")


def test_an_answer_that_calls_itself_invalid() -> None:
    """The counts of such an answer are absent."""
    assert isinstance(parse_psrd(counted(flags=0x80))["reads"], Absent)


def test_a_cut_answer() -> None:
    """Another length than 192 is rejected."""
    with pytest.raises(ValueError, match=r"\b192\b.*\b0\b"):
        parse_psrd(b"")


LINE = "0.0.{0:04x}(ECKD) at ( 94: {1:5}) is {2}       : active at blocksize: 4096, 180 blocks, 0 MB\n"
MINIDISKS = LINE.format(0x7000, 0, "dasda") + LINE.format(0x7001, 4, "dasdb")


def test_minidisks_share_one_answer(make_tree: Callable[..., Tree]) -> None:
    """Two minidisks of one real volume are asked once."""
    tree = make_tree(
        {
            "proc/dasd/devices": MINIDISKS.encode(),
            "sys/bus/ccw/devices/0.0.7000/uid": b"IBM.7500.2300.10.0000000000000000\n",
            "sys/bus/ccw/devices/0.0.7001/uid": b"IBM.7500.2300.10.0000000100000000\n",
            "ioctl/dasda/BIODASDPSRD.bin": counted(),
        }
    )
    assert read_cache(tree).column("reads") == [1, 1]


def test_volumes_are_asked_each(make_tree: Callable[..., Tree]) -> None:
    """A volume whose answer is lacking says so."""
    tree = make_tree({"proc/dasd/devices": MINIDISKS.encode(), "ioctl/dasda/BIODASDPSRD.bin": counted()})
    first, second = read_cache(tree).column("reads")
    assert first == 1
    assert second is absent(NO_ANSWER.format("BIODASDPSRD"))


def test_other_disks_are_not_asked(make_tree: Callable[..., Tree]) -> None:
    """FBA has no cache counts."""
    tree = make_tree({"proc/dasd/devices": MINIDISKS.replace("ECKD", "FBA ").encode()})
    assert read_cache(tree).missing is NO_ECKD


@given(st.one_of(st.binary(), st.binary(min_size=192, max_size=192)))
def test_any_answer(data: bytes) -> None:
    """Any 192 bytes are understood; others raise ValueError."""
    try:
        parse_psrd(data)
    except ValueError:
        assert len(data) != 192
