from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.kernel.hypfs import DIAG_0C, NEEDS_DEBUGFS, parse_diag0c, read_diag0c
from zmon.kernel.tree import NEEDS_ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree


def cpu(number: int, virtual: int, total: int) -> bytes:
    """Build the record of a CPU, as arch/s390/include/uapi/asm/hypfs.h lays it out."""
    return struct.pack(
        ">8s8sQQII", "11/23/26".encode("cp500"), "12:00:00".encode("cp500"), virtual, total, number, 0
    )


def answer(*cpus: bytes) -> bytes:
    """Put the header before the records."""
    body = b"".join(cpus)
    return struct.pack(">QH6x16sQ24x", len(body), 0, bytes(16), len(cpus)) + body


TWO = answer(cpu(0, 5_000_000, 5_250_000), cpu(3, 7, 8))


def test_each_cpu_has_both_times() -> None:
    """Keyed by the number that Linux gives it, in microseconds."""
    found = parse_diag0c(TWO, when=5)
    assert found.keys == ["0", "3"]
    assert found.columns["virtual"] == [5_000_000, 7]
    assert found.columns["total"] == [5_250_000, 8]
    assert set(found.columns) == set(found.kind.by_name)


def test_more_cpus_than_bytes_are_refused() -> None:
    """With what was expected and what was found."""
    data = struct.pack(">QH6x16sQ24x", 40, 0, bytes(16), 2) + bytes(40)
    with pytest.raises(ValueError, match="2 CPUs of 40 bytes, found 40"):
        parse_diag0c(data)


def test_outside_of_zvm_the_reason_is_said(make_tree: Callable[..., Tree]) -> None:
    """Only a z/VM guest has the file, and only root may read it."""
    assert read_diag0c(make_tree()).missing is absent(NEEDS_DEBUGFS)
    denied = make_tree(errors={DIAG_0C: PermissionError(13, "denied")})
    assert read_diag0c(denied).missing is NEEDS_ROOT


def test_rows_carry_the_time_of_the_file(make_tree: Callable[..., Tree]) -> None:
    """So rates are of the time between two readings."""
    assert read_diag0c(make_tree({DIAG_0C: TWO}, times={DIAG_0C: 9})).times == [9, 9]


@given(st.binary(max_size=200), st.integers(0, (1 << 64) - 1))
def test_any_bytes_are_parsed_or_refused(data: bytes, count: int) -> None:
    """Nothing but a ValueError comes out of any bytes and any count."""
    with suppress(ValueError):
        parse_diag0c(struct.pack(">QH6x16sQ24x", len(data), 0, bytes(16), count) + data)


@given(st.integers(0, len(TWO)), st.binary(min_size=1, max_size=16))
def test_a_damaged_answer_is_parsed_or_refused(place: int, patch: bytes) -> None:
    """Nothing but a ValueError comes out."""
    with suppress(ValueError):
        parse_diag0c(TWO[:place] + patch + TWO[place + len(patch) :])
