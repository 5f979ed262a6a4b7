"""`zmon replay` is `zmon --from` by another name."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import pytest

from zmon.cli.full_parser import joined
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("utc")

HOT = os.path.join(os.path.dirname(__file__), "../../recordings/hercules-one-hot-lcu.tar.gz")


@pytest.fixture
def recording(tmp_path: Path) -> str:
    """Make a recording of the session that ships."""
    path = str(tmp_path / "hot.zmon")
    assert main(["import", HOT, path]) == OK
    return path


def console(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Have lines typed at a terminal that has no cursor."""
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_replay_opens_a_recording(
    recording: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the screen that is named, at its end."""
    console(monkeypatch)
    assert main(["replay", recording, "CTLUNIT"]) == OK
    assert " FCX176 " in capsys.readouterr().out


def test_replay_begins_where_it_is_told(
    recording: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A time before the end begins with a dash, and is no option."""
    console(monkeypatch)
    assert main(["replay", recording, "CTLUNIT", "--at", "-1m"]) == OK
    assert "12:38:2" in capsys.readouterr().out.splitlines()[0]


def test_a_time_that_is_none_is_refused(
    recording: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what would be one."""
    console(monkeypatch)
    assert main(["replay", recording, "--at", "teatime"]) == USAGE
    assert "teatime" in capsys.readouterr().err


def test_without_a_recorder_there_is_nothing_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And it is said where was looked."""
    console(monkeypatch)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    assert main(["replay"]) == FAILED
    assert str(tmp_path) in capsys.readouterr().err


def test_times_before_another_are_joined_to_their_option() -> None:
    """Only numbers behind a dash are; options stay what they are."""
    assert joined(["--at", "-10m", "-n", "3"]) == ["--at=-10m", "-n", "3"]
    assert joined(["--sort", "-io", "--at=-1m", "-5"]) == ["--sort", "-io", "--at=-1m", "-5"]


def test_show_prints_the_interval_that_ends_at_a_time(
    recording: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And with --since all from another time, as one."""
    assert main(["show", "CTLUNIT", "--from", recording, "--at", "-30s", "--since", "-1m"]) == OK
    assert "Interval 12:37:47 - 12:38:55" in capsys.readouterr().out


def test_a_window_needs_a_begin_before_its_end(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said which time is wrong."""
    assert main(["show", "CTLUNIT", "--from", recording, "--at", "begin", "--since", "-1m"]) == USAGE
    assert "-1m" in capsys.readouterr().err


def test_recording_what_is_recorded_is_refused(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    """There is a command for that."""
    assert main(["--from", recording, "--record", "other.zmon", "--line"]) == USAGE
    assert "zmon cut" in capsys.readouterr().err
