"""Two builds are compared byte by byte, and with their list of checksums."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
import twice

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def built(tmp_path: Path) -> tuple[Path, Path]:
    """Make two directories of the same files with their checksums."""
    found = tmp_path / "a", tmp_path / "b"
    for directory in found:
        directory.mkdir()
        (directory / "zmon.pyz").write_bytes(b"one")
        (directory / twice.SUMS).write_text(f"{hashlib.sha256(b'one').hexdigest()}  zmon.pyz\n")
    return found


def test_the_same_bytes_are_no_difference(built: tuple[Path, Path]) -> None:
    """And each file has its checksum."""
    assert twice.differences(*built) == []
    assert twice.unlisted(built[0]) == []


def test_other_bytes_and_files_of_one_build_are_named(built: tuple[Path, Path]) -> None:
    """A file that only one build has is a difference, too."""
    (built[1] / "zmon.pyz").write_bytes(b"two")
    (built[1] / "zmon.deb").write_bytes(b"")
    assert twice.differences(*built) == ["zmon.deb: built once only", "zmon.pyz: other bytes"]
    assert twice.unlisted(built[1]) == [
        "zmon.deb: not the checksum in SHA256SUMS", "zmon.pyz: not the checksum in SHA256SUMS",
    ]  # fmt: skip


def test_the_builds_differ_in_all_that_must_not_matter() -> None:
    """Else equal bytes would prove little."""
    (first, mask, environment), (second, other_mask, other) = twice.SURROUNDINGS
    assert first != second
    assert mask != other_mask
    assert all(other[name] != value for name, value in environment.items())


@pytest.mark.parametrize(("own", "found"), [(11, "python3.13"), (13, "python3.12")])
def test_another_python_is_the_newest_that_can_make_environments(
    tmp_path: Path, own: int, found: str
) -> None:
    """One of the same version, and one that does not start, are passed over."""
    for minor, status in ((11, 0), (12, 0), (13, 0), (14, 1)):
        program = tmp_path / f"python3.{minor}"
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
    assert twice.another_python([tmp_path / "none", tmp_path], own) == tmp_path / found
    assert twice.another_python([tmp_path / "none"], own) is None
