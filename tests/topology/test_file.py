from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.absent import Absent, absent
from zmon.kernel.rows import frame
from zmon.kinds import CONTAINER
from zmon.topology.file import File, files_in, parse_ranges

WHY = absent("run as root")


def one(**cells: object) -> File:
    """Return the file of a row with these cells, all others absent."""
    row = dict.fromkeys((field.name for field in CONTAINER.fields), WHY) | cells
    return files_in(frame(CONTAINER, {"/db/c1": row}, 1))[0]  # type: ignore[dict-item]


def test_ranges_are_begin_and_end() -> None:
    """In the frame they are first byte and length, in hex."""
    assert one(ranges="1000+20 a0+1").ranges == ((0x1000, 0x1020), (0xA0, 0xA1))


def test_a_reason_stays() -> None:
    """What could not be read keeps why."""
    assert (one().ranges, one().size, one().number) == (WHY, WHY, WHY)


def test_names_that_are_absent_are_empty() -> None:
    """A file that no listing names has no tablespace."""
    assert one().tablespace == ""


def test_what_was_said_has_its_source() -> None:
    """Each line is a source and what it said; later colons are part of that."""
    assert one(said="FS_IOC_FIEMAP: 1 extents\noverlay: the file is /a: b").said == (
        ("FS_IOC_FIEMAP", "1 extents"),
        ("overlay", "the file is /a: b"),
    )


def test_ranges_that_make_no_sense() -> None:
    """They are absent with what was found."""
    assert isinstance(one(ranges="x").ranges, Absent)


@pytest.mark.parametrize("content", ["x", "1+", "+1", "1+g", "1-2"])
def test_other_forms_are_refused(content: str) -> None:
    """A range has one form."""
    with pytest.raises(ValueError, match="FIRST"):
        parse_ranges(content)


@given(st.text() | st.text("0123456789abcdef+ "))
def test_any_text(content: str) -> None:
    """Whatever stands there, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_ranges(content)
