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
