from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.kernel.diskstats import (
    FIELDS,
    NO_DISCARDS,
    NO_FLUSHES,
    NO_LINE,
    WRAP,
    Counts,
    added,
    head_of,
    parse_line,
)

FIXTURES = Path(__file__).parents[1] / "fixtures" / "devices"
HERCULES = (FIXTURES / "diskstats-hercules-6.12.txt").read_bytes()
LINE = b"  94      12 dasdd 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"


def counts_of(data: bytes) -> dict[str, Counts]:
    """Return the counts of every device by its name."""
    return {head_of(line)[1]: parse_line(line) for line in data.splitlines()}


def test_the_values_keep_the_order_of_the_line() -> None:
    """Each value lands under the name that BLOCK has for it."""
    assert dict(zip(FIELDS, parse_line(LINE), strict=True))["flush_ms"] == 17


def test_a_captured_disk() -> None:
    """Reads, writes and times of 0.0.7000 come out as the kernel printed them."""
    assert counts_of(HERCULES)["dasdd"][:11] == (
        421,
        4,
        13520,
        366,
        181,
        179,
        76840,
        22855,
        0,
        2340,
        23221,
    )


def test_partitions_are_there_too() -> None:
    """The parser keeps all lines; which are whole disks it cannot know."""
    assert "dasdd1" in counts_of(HERCULES)


def test_an_older_kernel_counts_no_flushes() -> None:
    """A line of 15 values ends with an absence, not with zero."""
    assert parse_line(LINE.rsplit(None, 2)[0])[15] is NO_FLUSHES


def test_a_much_older_kernel_counts_no_discards() -> None:
    """A line of 11 values lacks discards as well."""
    assert parse_line(LINE.rsplit(None, 6)[0])[11] is NO_DISCARDS


def test_a_newer_kernel_may_say_more() -> None:
    """What comes after the known values is left alone."""
    assert parse_line(LINE + b" 18 19") == parse_line(LINE)


def test_a_short_line_is_rejected_with_its_text() -> None:
    """Fewer values than ever were is an error that shows the line."""
    with pytest.raises(ValueError, match=r"\b11\b.*dasdd 1 2"):
        parse_line(b"94 12 dasdd 1 2")


def test_a_word_is_no_number() -> None:
    """Something that is no number is named with its line."""
    with pytest.raises(ValueError, match="many"):
        parse_line(LINE.replace(b" 17", b" many"))


def test_a_slash_in_a_name_reads_as_sysfs_writes_it() -> None:
    """The controller's disk cciss/c0d0 is cciss!c0d0 in /sys/block."""
    assert head_of(b"104 0 cciss/c0d0 1 2")[1] == "cciss!c0d0"


def test_the_head_ends_where_the_values_begin() -> None:
    """A line of the same device starts with the same head, whatever it did."""
    assert LINE.startswith(head_of(LINE)[0])


@given(st.binary())
def test_bytes_of_any_kind(data: bytes) -> None:
    """Nonsense raises ValueError and nothing else."""
    with contextlib.suppress(ValueError):
        counts_of(data)


@given(st.integers(0, len(HERCULES) - 1), st.integers(0, 255))
def test_one_wrong_byte(place: int, byte: int) -> None:
    """A damaged file raises ValueError and nothing else."""
    with contextlib.suppress(ValueError):
        counts_of(HERCULES[:place] + bytes([byte]) + HERCULES[place + 1 :])


def test_a_partition_of_an_old_kernel_has_four_values() -> None:
    """One such line costs neither the other disks nor what it does say."""
    found = counts_of(b"8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n8 1 sda1 10 80 20 160\n")
    assert found["sda"][:11] == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
    old = dict(zip(FIELDS, found["sda1"], strict=True))
    assert (old["reads"], old["sectors_read"], old["writes"], old["sectors_written"]) == (10, 80, 20, 160)
    assert isinstance(old["io_ms"], Absent)


COUNTS = st.lists(st.integers(0, WRAP - 1), min_size=len(FIELDS), max_size=len(FIELDS))


@given(st.lists(COUNTS, min_size=1, max_size=4))
def test_counts_add_up_and_times_wrap(lines: list[list[int]]) -> None:
    """A sum of times wraps where that of one disk does, so that differences stay right."""
    for name, value, parts in zip(FIELDS, added(lines), zip(*lines, strict=True), strict=True):
        assert value == (sum(parts) % WRAP if name.endswith("_ms") else sum(parts))


def test_a_disk_without_a_line_adds_nothing() -> None:
    """Without any line nothing is known."""
    line = tuple(range(len(FIELDS)))
    assert added([NO_LINE, line]) == line
    assert added([NO_LINE]) == NO_LINE
