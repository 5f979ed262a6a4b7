"""What the manual shows is what zmon prints."""

from __future__ import annotations

import io
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.casestudy import FOLDER
from zmon.cli.main import main

ROOT = Path(__file__).parent.parent
EXAMPLE = re.compile(r"^```\n\$ zmon (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = EXAMPLE.findall((ROOT / "docs" / "where.md").read_text(encoding="utf-8")) + EXAMPLE.findall(README)
COMMANDS = re.findall(r"^\.venv/bin/zmon\b *([^#\n]*?) *(?:#.*)?$", README, re.MULTILINE)
DAYS = "/var/tmp/zmon"  # noqa: S108 - as the readme calls it
FLEET = "/tmp/fleet"  # noqa: S108 - likewise


def test_there_are_examples() -> None:
    """They are found where the manual has them."""
    assert len(EXAMPLES) == 5
    assert len(COMMANDS) == 17


@pytest.mark.parametrize(("words", "shown"), EXAMPLES)
def test_an_example(
    words: str,
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """It is made in the directory of the case study, in 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(ROOT / FOLDER)
    assert main(shlex.split(words)) == 0
    assert capsys.readouterr().out == shown


@pytest.fixture
def days(tmp_path: Path) -> str:
    """Return a directory with a recorded day, in the place of the reader's own."""
    made = tmp_path / "days"
    made.mkdir()
    shutil.copy(ROOT / "recordings/lab-healthy-day.zmon", made / "2026-03-16.zmon")
    return str(made)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_works_as_written(
    command: str,
    days: str,
    utc: None,  # noqa: ARG001 - clocks show UTC
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """It is run in the checkout: what needs a terminal in line mode, what reads again soon."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO("QUIT\n"))
    words = [days if word == DAYS else word for word in shlex.split(command)]
    words = [str(tmp_path / word) if word in {"here.tar.gz", "incident.zmon"} else word for word in words]
    if FLEET in words:
        words = [str(tmp_path / "fleet") if word == FLEET else word for word in words]
        assert main(["lab", "fleet", str(tmp_path / "fleet"), "--guests", "2", "--for", "2m"]) == 0
        words = ["fleet", words[-1], "--line"]
    monkeypatch.chdir(ROOT)
    if words[:1] == ["record"]:
        words = ["record", str(tmp_path / "new"), "--for", "1s"]
    if words[:1] == ["capture"]:
        words += ["--interval", "0.1"]
    if words[:1] in ([], ["replay"]):
        words.append("--line")
    assert main(words) == 0
