from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.kernel.hypfs import DIAG_2FC, NEEDS_DEBUGFS, NOT_COUNTED, NOT_RELATIVE, parse_diag2fc, read_diag2fc
from zmon.kernel.tree import NEEDS_ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree


def guest(name: str, *, flags: int = 0, operating: int = 0, highest: int = 0, share: int = 0) -> bytes:
    """Build the record of a guest."""
    times_and_memory = (111, 222, 1, 2, 3, 4)
    samples = (80, 84, 88, 92, 96, 100)
    return struct.pack(
        ">II6Q6I6I8s",
        0, flags, *times_and_memory, 20, 10, 4, operating, highest, share, *samples,
        name.ljust(8).encode("cp500"),
    )  # fmt: skip


def answer(*guests: bytes) -> bytes:
    """Put the packed header before the records: its clock and count stand at odd places."""
    body = b"".join(guests)
    return struct.pack(">QH16sQ30x", len(body), 0, bytes(16), len(guests)) + body


TWO = answer(
    guest("LINUX07", flags=0x8 | 0x4, operating=3, highest=10000, share=200),
    guest("TCPIP"),
)  # fmt: skip
FRAME = parse_diag2fc(TWO, when=5)


def test_record() -> None:
    """Every field of a record comes out."""
    assert {name: FRAME.cell("LINUX07", name) for name in FRAME.columns} == {
        "capped": 2, "dedicated": 1, "logical_cpus": 10, "virtual_cpus": 4, "physical_cpus": 20,
        "operating_cpus": 3, "share_max": 10000, "share": 200,
        "memory_min": 1, "memory_max": 2, "memory_share": 3, "memory_used": 4,
        "used_cpu": 111, "online_time": 222,
        "using": 80, "delay": 84, "page_wait": 88, "idle": 92, "other": 96, "total": 100,
    }  # fmt: skip


def test_fields_of_the_kind() -> None:
    """Diagnose 2FC fills every field that the kind has."""
    assert set(FRAME.columns) == set(FRAME.kind.by_name)


def test_all_guests() -> None:
    """With class B all guests are there, in the order of the answer."""
    assert FRAME.keys == ["LINUX07", "TCPIP"]


def test_absolute_share() -> None:
    """Where CP gives 0 because the share is absolute there is no relative share."""
    assert FRAME.cell("TCPIP", "share") is NOT_RELATIVE


def test_operating_cpus_of_an_absolute_share() -> None:
    """CP does not count the operating CPUs of a guest with an absolute share: absent, not 0."""
    assert FRAME.cell("TCPIP", "operating_cpus") is NOT_COUNTED


def test_no_operating_cpu() -> None:
    """A guest with a relative share whose CPUs are all stopped has 0 operating ones."""
    stopped = parse_diag2fc(answer(guest("CMS1", highest=10000, share=100)))
    assert stopped.cell("CMS1", "operating_cpus") == 0


def test_count_beyond_the_answer() -> None:
    """More guests than bytes is an error that says so."""
    data = struct.pack(">QH16sQ30x", 112, 0, bytes(16), 2) + bytes(112)
    with pytest.raises(ValueError, match="2 guests of 112 bytes, found 112"):
        parse_diag2fc(data)


def test_outside_of_zvm(make_tree: Callable[..., Tree]) -> None:
    """Only a z/VM guest has the file."""
    assert read_diag2fc(make_tree()).missing is absent(NEEDS_DEBUGFS)


def test_without_root(make_tree: Callable[..., Tree]) -> None:
    """A file that may not be read is absent because of the right that is missing."""
    assert read_diag2fc(make_tree(errors={DIAG_2FC: PermissionError(13, "denied")})).missing is NEEDS_ROOT


def test_read(make_tree: Callable[..., Tree]) -> None:
    """The rows carry the time of the file."""
    assert read_diag2fc(make_tree({DIAG_2FC: TWO}, times={DIAG_2FC: 9})).times == [9, 9]


@given(st.binary(max_size=300), st.integers(0, 1 << 63))
def test_any_bytes(data: bytes, count: int) -> None:
    """Nothing but a ValueError comes out of any bytes and any count."""
    with suppress(ValueError):
        parse_diag2fc(struct.pack(">QH16sQ30x", len(data), 0, bytes(16), count) + data)


@given(st.integers(0, len(TWO)), st.binary(min_size=1, max_size=16))
def test_mutated_bytes(place: int, patch: bytes) -> None:
    """Nothing but a ValueError comes out of a damaged answer."""
    with suppress(ValueError):
        parse_diag2fc(TWO[:place] + patch + TWO[place + len(patch) :])
