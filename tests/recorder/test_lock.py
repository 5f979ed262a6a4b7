from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from zmon.recorder import lock
from zmon.recorder.lock import Lock, LockError, Recorder, own_directory, recorder_here, running

if TYPE_CHECKING:
    from pathlib import Path

BEGIN = 1_795_262_400 * 10**9  # 2026-11-21 12:00 UTC

HOLD = """
import sys
from zmon.recorder.lock import Lock
lock = Lock(sys.argv[1], int(sys.argv[2]))
print("held", flush=True)
sys.stdin.read()
"""


def hold(folder: Path) -> subprocess.Popen[str]:
    """Start another process that holds the lock, and wait until it does."""
    process = subprocess.Popen(  # noqa: S603 - our own words
        [sys.executable, "-c", HOLD, str(folder), str(BEGIN)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_a_second_recorder_is_told_who_and_since_when(tmp_path: Path) -> None:
    """And what to do."""
    other = hold(tmp_path)
    try:
        with pytest.raises(LockError) as refused:
            Lock(str(tmp_path), BEGIN, seconds=0)
    finally:
        end(other)
    by = f", by process {other.pid} on {os.uname().nodename} since 2026-11-21 12:00:00 UTC; "
    assert str(refused.value).startswith(f"{tmp_path} ")
    assert by in str(refused.value)


def test_a_running_recorder_is_found(tmp_path: Path) -> None:
    """From another process, without disturbing it."""
    other = hold(tmp_path)
    try:
        assert running(str(tmp_path)) == Recorder(str(tmp_path), other.pid, os.uname().nodename, BEGIN)
    finally:
        end(other)


def test_what_a_dead_recorder_left_is_no_obstacle(tmp_path: Path) -> None:
    """Nor is it taken for a running one."""
    end(hold(tmp_path))
    assert (tmp_path / lock.NAME).read_text() != ""
    assert running(str(tmp_path)) is None
    Lock(str(tmp_path), BEGIN, seconds=0).release()


def test_after_the_end_another_may_record(tmp_path: Path) -> None:
    """The file stays, empty."""
    with Lock(str(tmp_path), BEGIN) as held:
        pass
    assert (tmp_path / lock.NAME).read_text() == ""
    held.release()
    with Lock(str(tmp_path), BEGIN, seconds=0):
        assert running(str(tmp_path)) is not None


def test_who_merely_looks_does_not_keep_a_recorder_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits until the look is over."""
    Lock(str(tmp_path), BEGIN).release()
    looking = os.open(tmp_path / lock.NAME, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    monkeypatch.setattr(time, "sleep", lambda _seconds: fcntl.flock(looking, fcntl.LOCK_UN))
    Lock(str(tmp_path), BEGIN).release()
    os.close(looking)


def test_a_file_system_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do instead."""

    def refuse(_fd: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(LockError, match=r"\(No locks available\)"):
        Lock(str(tmp_path), BEGIN)
    assert running(str(tmp_path)) is None


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """With the reason of the kernel."""
    with pytest.raises(LockError, match=r"none .*: No such file or directory"):
        Lock(str(tmp_path / "none"), BEGIN)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Somebody else could have put it there to have a file overwritten."""
    (tmp_path / "precious").write_text("keep")
    (tmp_path / lock.NAME).symlink_to(tmp_path / "precious")
    with pytest.raises(LockError):
        Lock(str(tmp_path), BEGIN)
    assert (tmp_path / "precious").read_text() == "keep"


def test_a_lock_holds_though_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk only who holds it remains unknown."""

    def full(*_args: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with Lock(str(tmp_path), BEGIN):
        found = running(str(tmp_path))
    assert found == Recorder(str(tmp_path))
    assert found.words == "another process"


@pytest.mark.parametrize(
    "content", [b"", b"\xff\0", b"pid x\nbegin -1\nhost a\x1b[2J", b"pid " + b"9" * 1000]
)
def test_whatever_stands_in_the_file_is_harmless(tmp_path: Path, content: bytes) -> None:
    """Nobody knows who wrote it."""
    with Lock(str(tmp_path), BEGIN):
        (tmp_path / lock.NAME).write_bytes(content)
        found = running(str(tmp_path))
    assert found is not None
    assert (found.pid, found.begin) == (0, 0)
    assert found.words.isprintable()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"STATE_DIRECTORY": "/var/lib/zmon:/x", "HOME": "/h"}, "/var/lib/zmon"),
        ({"XDG_STATE_HOME": "/state", "HOME": "/h"}, "/state/zmon"),
        ({"XDG_STATE_HOME": "relative", "HOME": "/h"}, "/h/.local/state/zmon"),
        ({"HOME": "/h"}, "/h/.local/state/zmon"),
    ],
)
def test_where_a_recorder_records_unless_told(environment: dict[str, str], expected: str) -> None:
    """Where systemd says, else where the user's state is."""
    assert own_directory(environment) == expected


def test_the_recorder_of_the_system_comes_first(tmp_path: Path) -> None:
    """Then the user's own; else there is none."""
    system, own = tmp_path / "system", tmp_path / "zmon"
    system.mkdir()
    own.mkdir()
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    assert recorder_here(environment, str(system)) is None
    with Lock(str(own), BEGIN):
        found = recorder_here(environment, str(system))
        assert found is not None
        assert found.directory == str(own)
        with Lock(str(system), BEGIN):
            found = recorder_here(environment, str(system))
            assert found is not None
            assert found.directory == str(system)


@pytest.mark.parametrize("again", [True, False])
def test_a_lock_is_taken_again_where_the_directory_is_another_one(tmp_path: Path, again: bool) -> None:
    """It was renamed or removed, and made anew by somebody or not."""
    folder = tmp_path / "zmon"
    folder.mkdir()
    with Lock(str(folder), 0) as lock:
        lock.hold()
        folder.rename(tmp_path / "kept")
        assert running(str(folder)) is None
        if again:
            folder.mkdir()
        lock.hold()
        assert running(str(folder)) is not None
        assert running(str(tmp_path / "kept")) is None


def test_a_lock_that_another_recorder_took_meanwhile_is_not_held(tmp_path: Path) -> None:
    """The first keeps what it has."""
    folder = tmp_path / "zmon"
    folder.mkdir()
    with Lock(str(folder), 0, 0.0) as lock:
        folder.rename(tmp_path / "kept")
        folder.mkdir()
        with Lock(str(folder), 0), pytest.raises(LockError, match=f"by process {os.getpid()}"):
            lock.hold()
        lock.hold()
