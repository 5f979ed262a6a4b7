"""zmon.kernel.tree: how foreign names are read and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.kernel.tree import LiveTree, ebcdic_name, lacking, printable, why_hidden

if TYPE_CHECKING:
    from pathlib import Path


def test_foreign_names_cannot_move_the_cursor() -> None:
    """A note is shown on a terminal."""
    assert printable("a\x1b[2J\n") == "a\\x1b[2J\\n"


def test_long_names_are_cut() -> None:
    """A note stays a line or two."""
    assert len(printable("x" * 500)) == 120


def test_blanks_are_padding() -> None:
    """Names are padded with EBCDIC blanks."""
    assert ebcdic_name(bytes.fromhex("d3d5e7d7d9d6c440")) == "LNXPROD"


def test_zeros_are_padding() -> None:
    """A field that was never filled is zeros, and is an empty name."""
    assert ebcdic_name(bytes(8)) == ""


def test_national_characters() -> None:
    """User ids may contain $, # and @."""
    assert ebcdic_name(bytes.fromhex("5b7b7cf0")) == "$#@0"


@pytest.mark.parametrize(
    ("mounts", "path", "why"),
    [
        ("", "proc/swaps", "/proc is not mounted"),
        ("", "sys/block", "/sys is not mounted"),
        ("9 8 0:2 / /proc rw - proc proc rw\n", "proc/swaps", ""),
        ("9 8 0:2 / /proc rw - proc proc rw,hidepid=2,subset=pid\n", "proc/stat", "subset=pid"),
        ("9 8 0:2 / /proc rw - proc proc rw,subset=pid\n", "sys/block", "/sys is not mounted"),
    ],
)
def test_what_is_not_mounted_is_told_from_what_a_kernel_lacks(
    tmp_path: Path, mounts: str, path: str, why: str
) -> None:
    """Only what is seen to be mounted can lack a file."""
    if mounts:
        (tmp_path / "proc/7").mkdir(parents=True)
        (tmp_path / "proc/7/mountinfo").write_text(mounts)
        (tmp_path / "proc/self").symlink_to("7")
    found = why_hidden(LiveTree(str(tmp_path)), path)
    assert why in found
    assert bool(why) is bool(found)


def test_files_that_every_kernel_has_are_missed(tmp_path: Path) -> None:
    """Each by its name, with what is not known without it; nothing is said where all are there."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu 1\n")
    found = lacking(LiveTree(str(tmp_path)))
    assert all(
        word in found for word in ("/proc/meminfo", "/proc/diskstats", "/sys/block", "memory", "disks")
    )
    assert "/proc/stat" not in found
    for name in ("meminfo", "diskstats"):
        (tmp_path / "proc" / name).write_text("")
    (tmp_path / "sys/block").mkdir(parents=True)
    assert lacking(LiveTree(str(tmp_path))) == ""
