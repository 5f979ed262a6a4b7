"""A lookup in texts, for the tests of all forms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Ask = Callable[[str, str], dict[str, Any]]
    """Looks up a word in a text, or shows a screen of it."""


@pytest.fixture
def where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Return a function that looks up a word in a text."""

    def ask(word: str, content: str) -> dict[str, Any]:
        (tmp_path / "a.txt").write_text(content)
        main(["where", word, "--from", str(tmp_path), "-f", "json"])
        (only,) = json.loads(capsys.readouterr().out)
        found: dict[str, Any] = only
        return found

    return ask


@pytest.fixture
def show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Return a function that gives the rows of a screen of a text by their keys."""

    def shown(screen: str, content: str) -> dict[str, Any]:
        (tmp_path / "a.txt").write_text(content)
        main(["show", screen, "--from", str(tmp_path), "-f", "json"])
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return {entry["key"]: entry for entry in document["rows"]}

    return shown
