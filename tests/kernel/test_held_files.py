from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING

import pytest

from zmon.kernel.held_files import Allowance, HeldFile, HeldFiles
from zmon.kernel.tree import MAX_FILE, LiveTree

if TYPE_CHECKING:
    from pathlib import Path


def held(root: Path, names: tuple[str, ...], most: int = 8) -> HeldFiles:
    """Return files below a directory, of which each may be missing."""
    return HeldFiles(
        LiveTree(str(root)), "d", names, Allowance(most), lambda _name, error: isinstance(error, OSError)
    )


@pytest.mark.parametrize("most", [0, 1, 8])
def test_each_reading_gives_what_the_files_say_then(tmp_path: Path, most: int) -> None:
    """Whether all, some or none of them may stay open; and when one has grown."""
    (tmp_path / "d").mkdir()
    files = held(tmp_path, ("a", "b"), most)
    for size in (1, 4095, 4096, 4097, 70_000, 3):
        (tmp_path / "d/a").write_bytes(b"x" * size)
        (tmp_path / "d/b").write_bytes(b"y" * (size + 1))
        assert files.read() == [b"x" * size, b"y" * (size + 1)]


def test_a_file_that_comes_is_found_when_it_is_looked_for(tmp_path: Path) -> None:
    """Until then a file that is not there costs nothing."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d/b").write_bytes(b"2")
    files = held(tmp_path, ("a", "b"))
    assert files.read() == [b"2"]
    (tmp_path / "d/a").write_bytes(b"1")
    assert files.read() == [b"2"]
    files.look_again()
    assert files.read() == [b"1", b"2"]
    assert list(files.present) == ["a", "b"]


def test_what_is_closed_may_be_opened_by_others(tmp_path: Path) -> None:
    """The allowance is of all files together, and none stays open without an owner."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a").write_bytes(b"1")
    allowance = Allowance(1)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        files = HeldFiles(LiveTree(str(tmp_path)), "d", ("a",), allowance, lambda *_: False)
        assert files.read() == [b"1"]
        assert (allowance.left, files.is_held) == (0, True)
        files.close()
        assert (allowance.left, files.is_held) == (1, False)
        assert files.read() == [b"1"]
        del files
        assert allowance.left == 1
    assert len(os.listdir("/proc/self/fd")) == before


def test_no_more_than_half_of_the_files_that_may_be_open_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is raised as far as the system lets it."""
    limits = [(100, 300)]
    monkeypatch.setattr(resource, "getrlimit", lambda _which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _which, both: limits.append(both))
    assert Allowance(20).left == 20
    assert limits == [(100, 300)]
    assert Allowance(1000).left == 150
    assert limits[-1] == (300, 300)
    limits.append((1024, resource.RLIM_INFINITY))
    assert Allowance(1000).left == 1000
    assert limits[-1] == (2000, resource.RLIM_INFINITY)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """It is no file of the kernel."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a").touch()
    os.truncate(tmp_path / "d/a", MAX_FILE + 1)
    files = HeldFiles(LiveTree(str(tmp_path)), "d", ("a",), Allowance(1), lambda *_: False)
    with pytest.raises(OSError, match="too large"):
        files.read()


@pytest.mark.parametrize("most", [0, 1])
def test_a_file_that_belongs_to_nothing_any_more_gives_what_has_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Such as that of a process whose number another one has; without one it is not there."""
    allowance = Allowance(most)
    folder = os.open(tmp_path, os.O_RDONLY)
    file = HeldFile("stat", allowance)
    with pytest.raises(FileNotFoundError):
        file.read(folder)
    for content in (b"1", b"22"):
        (tmp_path / "stat").write_bytes(content)
        assert file.read(folder) == content
    assert allowance.left == 0
    pread, errors = os.pread, [ProcessLookupError()] * most

    def ended(*what: int) -> bytes:
        if errors:
            raise errors.pop()
        return pread(*what)

    (tmp_path / "stat").unlink()
    (tmp_path / "stat").write_bytes(b"333")
    monkeypatch.setattr(os, "pread", ended)
    assert file.read(folder) == b"333"
    file.close()
    assert allowance.left == most
    os.close(folder)
