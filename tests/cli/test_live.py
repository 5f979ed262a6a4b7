from __future__ import annotations

import io
from argparse import Namespace
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.live import is_line_mode, is_terminal
from zmon.cli.main import main
from zmon.cli.output import FAILED, OK, USAGE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("utc")


@pytest.mark.parametrize("terminal", ["dumb", "", "unknown"])
def test_a_terminal_without_cursor_gets_lines(
    terminal: str,
    lay_out: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A 3215 or the HMC's console is led line by line."""
    monkeypatch.setenv("TERM", terminal)
    monkeypatch.setattr("sys.stdin", io.StringIO("QUIT\n"))
    assert main(["--from", lay_out("qemu")]) == OK
    assert " Command ===> " in capsys.readouterr().out


def test_line_mode_can_be_asked_for(
    lay_out: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the first screen with its operand."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["DEVICE", "7000", "--line", "--from", lay_out("qemu")]) == OK
    assert capsys.readouterr().out.startswith(" FCX110 ")


def test_the_glass_needs_a_terminal(
    lay_out: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a pipe it says what to do instead."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["--from", lay_out("qemu")]) == FAILED
    assert "zmon show" in capsys.readouterr().err


def test_a_capture_that_is_none(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 1 and a sentence."""
    assert main(["--line", "--from", str(tmp_path)]) == FAILED
    assert f"{tmp_path} holds nothing: " in capsys.readouterr().err


def test_a_browser_needs_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of Textual gives a pipe, no terminal, and its own TERM."""
    args = Namespace(line=False)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert (is_line_mode(args), is_terminal()) == (True, False)
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    assert (is_line_mode(args), is_terminal()) == (False, True)
    assert is_line_mode(Namespace(line=True))


@pytest.mark.parametrize("command", ["NOTE found it", "PRINT here.txt"])
def test_read_only_writes_nothing(
    command: str,
    lay_out: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Neither a file nor a note."""
    source = lay_out("qemu")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{command}\nQUIT\n"))
    assert main(["--line", "--read-only", "--from", source]) == OK
    assert "--read-only" in capsys.readouterr().out
    assert not list(tmp_path.glob("*.txt"))


def test_read_only_asks_cp_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the settings say that it is asked."""
    asked: list[bool] = []

    def opened(args: Namespace, **_more: object) -> None:
        asked.append(args.cp)
        raise ValueError("enough")

    monkeypatch.setattr("zmon.cli.live.open_source", opened)
    assert main(["--line", "--cp"]) == FAILED
    assert main(["--line", "--cp", "--read-only"]) == FAILED
    assert asked == [True, False]


def test_a_theme_that_does_not_exist_is_refused(
    lay_out: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the screen is taken, with those that exist."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("zmon.cli.live.is_terminal", lambda: True)
    with pytest.raises(SystemExit) as ended:
        main(["--theme", "pink", "--from", lay_out("qemu")])
    assert ended.value.code == USAGE
    assert "'pink'; zmon's own are 3270, light, dark, " in capsys.readouterr().err


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Have the full screen end at once; return what it was given by name."""
    given: dict[str, Any] = {}

    def run(*_args: object, **more: object) -> int:
        given.update(more)
        return OK

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    monkeypatch.setattr("zmon.ui.app.run", run)
    return given


def test_the_screens_have_the_keys_of_the_settings_and_the_commands_of_earlier_runs(
    asked: dict[str, Any], lay_out: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option is stronger than the map of the settings; with --read-only no command is kept."""
    file = tmp_path / "zmon.toml"
    file.write_text('[keys]\nmap = "less"\nmenu = "ctrl+g"\n')
    monkeypatch.setenv("ZMON_CONFIG", str(file))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["--from", lay_out("qemu")]) == OK
    assert (asked["keymap"].name, asked["keymap"].keys["menu"]) == ("less", "ctrl+g")
    asked["history"].add("DEVICE")
    assert (tmp_path / "zmon" / "history").read_text() == "DEVICE\n"
    assert main(["--from", lay_out("qemu"), "--keys", "vi", "--read-only"]) == OK
    assert asked["keymap"].name == "vi"
    asked["history"].add("LPAR")
    assert asked["history"].older("") == "LPAR"
    assert (tmp_path / "zmon" / "history").read_text() == "DEVICE\n"


def test_keys_that_contradict_one_another_end_zmon_before_the_screen_is_taken(
    asked: dict[str, Any],
    lay_out: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With the line, the other function and what to write."""
    file = tmp_path / "zmon.toml"
    file.write_text('[keys]\nmenu = "f1"\n')
    monkeypatch.setenv("ZMON_CONFIG", str(file))
    assert main(["--from", lay_out("qemu")]) == USAGE
    assert f"{file}:2: keys.menu: F1 " in capsys.readouterr().err
    assert asked == {}
