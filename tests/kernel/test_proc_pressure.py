from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.kernel.proc_pressure import OFF, UNCAPTURED, parse_pressure, read_pressure
from zmon.kinds import NO_FULL

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

IO = """\
some avg10=12.83 avg60=4.78 avg300=2.56 total=544975916
full avg10=0.00 avg60=0.10 avg300=0.04 total=131583773
"""
SOME = "some avg10=81.04 avg60=79.91 avg300=89.47 total=10803603005\n"


def files(**other: str) -> dict[str, bytes]:
    """Return the three files; the CPU's is that of a kernel before 5.13."""
    return {
        f"proc/pressure/{name}": text.encode()
        for name, text in ({"cpu": SOME, "io": IO, "memory": IO} | other).items()
    }


def test_times_are_nanoseconds_and_averages_percent() -> None:
    """As the kernel's documentation says: `total` is in microseconds."""
    row = parse_pressure(IO)
    assert (row["some"], row["full"]) == (544975916000, 131583773000)
    assert [row[f"some{seconds}"] for seconds in (10, 60, 300)] == [12.83, 4.78, 2.56]


def test_there_is_a_row_for_each_resource(make_tree: Callable[..., Tree]) -> None:
    """And none of the CPU is full, whatever the kernel writes there."""
    for cpu in (SOME, SOME + IO.splitlines()[1] + "\n"):
        frame = read_pressure(make_tree(files(cpu=cpu)))
        assert frame.keys == ["cpu", "io", "memory"]
        assert frame.cell("cpu", "full") == NO_FULL
        assert frame.cell("memory", "full10") == 0.0


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EOPNOTSUPP])
def test_a_kernel_that_measures_none_says_how_it_would(make_tree: Callable[..., Tree], number: int) -> None:
    """Without CONFIG_PSI there is no file; switched off, it cannot be read; of a capture nobody knows."""
    broken = {"proc/pressure/cpu": OSError(number, os.strerror(number))}
    assert read_pressure(make_tree(files(), errors=broken, live=True)).missing == OFF
    assert read_pressure(make_tree(files(), errors=broken)).missing == UNCAPTURED


def test_a_refusal_is_told_as_such(make_tree: Callable[..., Tree]) -> None:
    """It is not taken for a kernel that measures nothing."""
    broken = {"proc/pressure/io": OSError(errno.EACCES, "Permission denied")}
    missing = read_pressure(make_tree(files(), errors=broken)).missing
    assert isinstance(missing, Absent)
    assert missing != OFF


@given(st.text() | st.lists(st.sampled_from([*IO.splitlines(), "some avg10=1", ""])).map("\n".join))
def test_any_text_is_parsed_or_refused_with_a_sentence(text: str) -> None:
    """Nothing but ValueError comes of it, and numbers are within what 64 bits and percent hold."""
    try:
        row = parse_pressure(text)
    except ValueError:
        return
    assert all(isinstance(value, int | float) and value >= 0 for value in row.values())
