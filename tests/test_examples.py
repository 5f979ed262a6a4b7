"""What the manual shows is what zmon prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.casestudy import FOLDER
from zmon.cli.main import main

ROOT = Path(__file__).parent.parent
EXAMPLE = re.compile(r"^```\n\$ zmon (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
EXAMPLES = EXAMPLE.findall((ROOT / "docs" / "where.md").read_text(encoding="utf-8"))


def test_there_are_examples() -> None:
    """They are found where the manual has them."""
    assert len(EXAMPLES) == 4


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
