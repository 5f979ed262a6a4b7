"""A path that never answers keeps neither the other files nor the person who asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.dead import dead_mount
from zmon.base.absent import Absent
from zmon.base.listed_file import ListedFile
from zmon.cli.main import main
from zmon.kernel import deadline
from zmon.kernel.sampler import Choice, SourceReading, sources_of
from zmon.kernel.tree import LiveTree
from zmon.kinds import CONTAINER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def dead(tmp_path: Path) -> Iterator[str]:
    """Return where nothing answers."""
    with dead_mount(tmp_path) as point:
        yield point


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wait for a call no longer than a moment; and read no site file of whoever runs the tests."""
    monkeypatch.setattr(deadline, "CALL_DEADLINE", 0.2)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))


def documents(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Return of each path that was printed why it has no place; empty when it was looked at."""
    found = json.loads(capsys.readouterr().out)
    answers = [answer for one in found for answer in one["where"]]
    return {
        answer["path"]: answer["real"]["absent"] if isinstance(answer["real"], dict) else ""
        for answer in answers
    }


def test_other_files_are_answered(dead: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is below a dead mount does not answer, by whatever name; the rest does."""
    (tmp_path / "alive").write_bytes(bytes(4096))
    (tmp_path / "link").symlink_to(f"{dead}/c")
    words = [f"{dead}/a", f"{tmp_path}/link", f"{tmp_path}/alive", f"{dead}/b", dead]
    assert main(["where", "-f", "json", *words]) == 1
    found = documents(capsys)
    assert [word for word in words if found[word].startswith(f"{dead} does not answer (fuse")] == [
        words[0], words[1], words[3], words[4],
    ]  # fmt: skip
    assert "does not answer" not in found[f"{tmp_path}/alive"]


def test_a_directory_goes_on(dead: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The dead mount in it is named, and its other files are looked at."""
    for name in ("a", "z"):
        (tmp_path / name).write_bytes(bytes(4096))
    main(["where", "-r", "-f", "json", str(tmp_path)])
    found = documents(capsys)
    assert {f"{tmp_path}/a", dead, f"{tmp_path}/z"} <= found.keys()


def test_a_listing_goes_on(dead: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its other files are placed by `where` and `spread`."""
    (tmp_path / "alive").write_bytes(bytes(4096))
    listing = tmp_path / "listing.csv"
    listing.write_text(f"tablespace,path\nTS1,{dead}/x\nTS1,{tmp_path}/alive\n")
    main(["where", "TS1", "-f", "json", "--listing", str(listing)])
    found = documents(capsys)
    assert ["does not answer" in found[path] for path in (f"{dead}/x", f"{tmp_path}/alive")] == [True, False]
    assert main(["spread", str(listing), "-f", "json"]) in {0, 1}
    assert "does not answer" in capsys.readouterr().out


def test_who_reads_again_waits_no_more(dead: str, tmp_path: Path) -> None:
    """A recorder leaves one thread behind for a dead mount, not one at each reading."""
    (tmp_path / "alive").write_bytes(bytes(4096))
    listed = [ListedFile(f"{dead}/x"), ListedFile(f"{tmp_path}/alive")]
    choice = Choice(kinds=(CONTAINER,), containers=tuple(listed))
    tree = LiveTree()
    (source,) = sources_of(tree, choice, SourceReading)
    before = set(threading.enumerate())
    (first,) = source.read()
    left = set(threading.enumerate()) - before
    (second,) = source.read()
    assert set(threading.enumerate()) - before == left
    assert len(left) == 1
    for frame in (first, second):
        assert str(frame.cell(f"{tmp_path}/alive", "real")) == f"{tmp_path}/alive"
        assert isinstance(frame.cell(f"{dead}/x", "real"), Absent)


def test_an_interrupt_ends_the_command_at_once(dead: str) -> None:
    """With the status of a shell, though a thread is still waiting."""
    with subprocess.Popen(  # noqa: S603 - this very program
        [sys.executable, "-m", "zmon", "where", f"{dead}/a"], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as asked:
        waiting = time.monotonic() + 20
        while not _waits(asked.pid) and time.monotonic() < waiting:
            os.sched_yield()
        asked.send_signal(signal.SIGINT)
        assert asked.wait(10) == 130


def _waits(pid: int) -> bool:
    """Tell whether a thread of a process waits for the dead file system."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        calls = []
        for thread in threads:
            with open(f"/proc/{pid}/task/{thread}/wchan", encoding="ascii") as file:
                calls.append(file.read())
    except OSError:
        return False
    return any("fuse" in call or "request_wait" in call for call in calls)
