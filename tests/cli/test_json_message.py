"""With `--json-errors` programs read messages as objects, one in a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.json_message import json_message
from zmon.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.interpreter


def objects(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, Any]], str]:
    """Return the exit status of a command line, its messages and its output."""
    try:
        status = main(list(words))
    except SystemExit as ended:
        status = int(ended.code or 0)
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in err.splitlines()], out


@pytest.mark.parametrize(
    ("message", "where", "what", "do"),
    [
        ("/etc/a.toml:3: keys: is no setting: did you mean key?", "/etc/a.toml:3", "keys: is no setting",
         "did you mean key?"),
        ("/nope cannot be read: No such file.", "/nope", "cannot be read: No such file.", None),
        ("--lcus: no such LCU; zmon where lists them", "--lcus", "no such LCU", "zmon where lists them"),
        ("lab.zmon: is damaged", "lab.zmon", "is damaged", None),
        ("I/O waits", None, "I/O waits", None),
        ("'a.b' is no screen; zmon show MENU has all", None, "'a.b' is no screen", "zmon show MENU has all"),
    ],
)  # fmt: skip
def test_a_sentence_is_taken_apart(message: str, where: str | None, what: str, do: str | None) -> None:
    """It stands whole beside its parts."""
    assert json.loads(json_message("error", message, 2)) == {
        "error": message, "status": 2, "where": where, "what": what, "do": do
    }  # fmt: skip


def test_what_is_no_error_has_its_sentence_alone() -> None:
    """A program need not look for its parts."""
    assert json.loads(json_message("warning", "/a: b; c")) == {"warning": "/a: b; c"}


@given(st.text())
def test_any_message_is_an_object_in_one_line(message: str) -> None:
    """Whatever a file or a server has said."""
    line = json_message("error", message, 1)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["error"] == message


@pytest.mark.parametrize(
    ("words", "status", "what"),
    [
        (["show", "DEVICE", "--from", "/nope"], 1, "cannot be read"),
        (["show", "DEVCIE"], 2, "'DEVCIE' is no screen"),
        (["show"], 2, "the following arguments are required: screen"),
        (["shwo"], 2, "'shwo' is no subcommand"),
        (["show", "DEVICE", "--top", "x"], 2, "argument -t/--top: 'x' is no number of 1 or more"),
        (["rules", "--at", "25:99", "--from", "lab:shark-before"], 2, "25:99"),
    ],
)
def test_every_failure_is_one_object_with_its_exit_status(
    words: list[str], status: int, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever the option stands; a wrong command line too, of which argparse would print the usage."""
    for line in ([*words, "--json-errors"], ["--json-errors", *words]):
        ended, (found,), out = objects(capsys, *line)
        assert (ended, found["status"], out) == (status, status, "")
        assert what in found["error"]


def test_a_file_of_settings_is_named_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a program can show it."""
    file = tmp_path / "zmon.toml"
    file.write_text("\nintervall = 1\n")
    monkeypatch.setenv("ZMON_CONFIG", str(file))
    status, (found,), _ = objects(capsys, "show", "MENU", "--json-errors")
    assert (status, found["where"]) == (2, f"{file}:2")
    assert found["do"].startswith("did you mean interval?")
    file.write_text("interval = 0\n")
    _, (found,), _ = objects(capsys, "show", "MENU", "--json-errors")
    assert found["do"].startswith("correct it")


def test_the_next_command_is_for_people_again(capsys: pytest.CaptureFixture[str]) -> None:
    """The option holds for one command line."""
    assert objects(capsys, "show", "DEVCIE", "--json-errors")[0] == 2
    assert main(["show", "DEVCIE"]) == 2
    assert capsys.readouterr().err.startswith("zmon: ")
