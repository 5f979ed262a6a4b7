"""Commands are remembered from one run to the next, in a file of the user's own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from zmon.ui import history
from zmon.ui.history import CommandHistory, history_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file in directories that do not exist yet."""
    return tmp_path / "state" / "zmon" / "history"


def test_the_file_is_where_states_are_kept() -> None:
    """As the XDG directories have it."""
    assert history_file({"XDG_STATE_HOME": "/s"}) == "/s/zmon/history"
    assert history_file({"HOME": "/home/a"}) == "/home/a/.local/state/zmon/history"


def test_another_run_has_the_commands_of_the_one_before(file: Path) -> None:
    """The last first; nobody else can read them."""
    first = CommandHistory(str(file))
    for line in ("DEVICE", "SORT resp", "SORT resp", "LPAR"):
        first.add(line)
    assert file.read_text() == "DEVICE\nSORT resp\nLPAR\n"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    second = CommandHistory(str(file))
    assert [second.older("") for _ in range(4)] == ["LPAR", "SORT resp", "DEVICE", None]


def test_a_file_that_others_could_read_is_closed_to_them(file: Path) -> None:
    """When the next command is added."""
    file.parent.mkdir(parents=True)
    file.write_text("DEVICE\n")
    file.chmod(0o644)
    CommandHistory(str(file)).add("LPAR")
    assert file.stat().st_mode & 0o777 == 0o600


def test_down_returns_to_what_was_typed() -> None:
    """Behind the last command; at both ends there is nothing further."""
    commands = CommandHistory()
    commands.add("DEVICE")
    commands.add("LPAR")
    assert commands.newer() is None
    assert [commands.older("SO"), commands.older("LPAR"), commands.newer(), commands.newer()] == [
        "LPAR", "DEVICE", "LPAR", "SO",
    ]  # fmt: skip
    assert commands.newer() is None


def test_the_file_is_bounded_over_many_runs(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has at most twice as many commands as are kept, whoever adds them; the last are kept."""
    monkeypatch.setattr(history, "MOST", 10)
    for run in range(12):
        commands = CommandHistory(str(file))
        for number in range(3):
            commands.add(f"DEVICE {run}{number}")
    lines = file.read_text().splitlines()
    assert len(lines) <= 20
    assert lines[-1] == "DEVICE 112"
    assert os.listdir(file.parent) == ["history"]
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\nDEVICE\n", b"DEV\x1b[31m\nDEVICE\n", b"\0" * 100 + b"\nDEVICE", b"x" * 9999 + b"\nDEVICE"],
)
def test_what_is_no_command_in_the_file_is_passed_over(file: Path, content: bytes) -> None:
    """Control characters would be obeyed by a terminal."""
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    commands = CommandHistory(str(file))
    found = [commands.older(""), commands.older("")]
    assert found[0] == "DEVICE"
    assert found[1] is None or found[1].isprintable()


@pytest.mark.parametrize("kind", ["fifo", "directory", "link", "readonly"])
def test_a_file_that_cannot_be_used_keeps_nobody_from_working(file: Path, kind: str) -> None:
    """Commands are remembered for this run; a link is not followed, a pipe is not waited for."""
    file.parent.mkdir(parents=True)
    other = file.parent / "other"
    other.write_text("")
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "directory":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(other)
    else:
        file.parent.rmdir() if not os.listdir(file.parent) else other.unlink()
        file = other / "no" / "such"
        other.write_text("no directory")
    commands = CommandHistory(str(file))
    commands.add("DEVICE")
    assert commands.older("") == "DEVICE"
    if kind == "link":
        assert other.read_text() == ""
