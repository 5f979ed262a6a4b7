"""A recording is told from other files by its first bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.store.day import is_source
from zmon.store.file_format import is_recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path


def test_a_recording_is_one_whatever_its_name(tmp_path: Path) -> None:
    """Names may be anything."""
    file = str(tmp_path / "holiday.jpg")
    Writer(file).close()
    assert is_recording(file)
    assert is_source(file)


def test_other_files_are_none(tmp_path: Path) -> None:
    """Nor is one that is not there, nor one that is cut off."""
    for content in (b"", b"SQLite format 3\0", b"\0" * 200):
        (tmp_path / "file").write_bytes(content)
        assert not is_recording(str(tmp_path / "file"))
    assert not is_recording(str(tmp_path / "absent"))


def test_a_directory_is_a_source_if_it_holds_days(tmp_path: Path) -> None:
    """Else it may be an unpacked capture."""
    assert not is_source(str(tmp_path))
    Writer(str(tmp_path / "2026-11-21.zmon")).close()
    assert is_source(str(tmp_path))
