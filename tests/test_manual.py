"""The parts of the documents that are written by programs say what zmon does now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from zmon.screen.definition import load_screens, shipped

DOCS = Path(__file__).parents[1] / "docs"


def program(name: str) -> Any:
    """Load a program that writes a document."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_manual_of_the_screens_says_what_their_files_say() -> None:
    """docs/screens.md is what docs/screens.py writes from the screen files and commands of now."""
    assert program("screens").manual() == (DOCS / "screens.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["check.md", "metrics.md", "sources.md"])
def test_the_tables_say_what_is_declared(name: str) -> None:
    """Checks, metrics and sources: `python docs/tables.py` writes them, a row for each."""
    written = (DOCS / name).read_text(encoding="utf-8")
    tables = program("tables")
    assert tables.page(name) == written
    for rows in tables.TABLES[name].values():
        for cells in rows():
            assert f"\n| {' | '.join(cells)} |\n" in written


def test_each_screen_has_a_picture() -> None:
    """Of a machine that fills it, if one comes with zmon, as lines of at most 80 columns."""
    program_ = program("screen_pictures")
    names = {screen.command.lower(): screen.command for screen in load_screens(shipped("screens"))}
    of_fleet = load_screens(shipped("screens/fleet"))
    names |= {f"fleet-{screen.command.lower()}": screen.command for screen in of_fleet}
    folder = DOCS / "pictures" / "screens"
    assert sorted(names) == sorted(path.stem for path in folder.iterdir())
    for name, command in names.items():
        text = (folder / f"{name}.txt").read_text(encoding="utf-8")
        unfilled = command in program_.UNFILLED or name == "fleet-channels"
        assert ("Nothing to show" in text) == unfilled, name
        assert max(map(len, text.splitlines())) <= program_.WIDTH, name
