"""The parts of the documents that are written by programs say what zmon does now."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from docs.whole import write_whole
from zmon.base.shipped import shipped
from zmon.screen.definition import load_screens

DOCS = Path(__file__).parents[1] / "docs"


def program(name: str) -> Any:
    """Load a program that writes a document."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_page_is_written_whole_or_stays_as_it_was(tmp_path: Path) -> None:
    """Nothing of a page that cannot be written is left, neither in its place nor beside it."""
    page = tmp_path / "page.md"
    write_whole(page, "whole\n")
    with pytest.raises(UnicodeEncodeError):
        write_whole(page, "broken \ud800\n")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("page.md", "whole\n")]


@pytest.mark.parametrize("file", sorted(DOCS.glob("*.py")), ids=lambda file: file.name)
def test_no_program_writes_a_document_by_other_means(file: Path) -> None:
    """`write_whole` is the one way; else a program that fails leaves a page empty."""
    text = file.read_text(encoding="utf-8")
    assert file.name == "whole.py" or not re.search(r"write_text|write_bytes|open\([^)]*\"w", text)


def test_a_screen_without_a_picture_is_drawn_before_the_manual_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what is missing is drawn."""
    screens = program("screens")
    drawn: list[set[str]] = []
    monkeypatch.setattr(screens.screen_pictures, "FOLDER", str(tmp_path))
    monkeypatch.setattr(screens.screen_pictures, "draw", drawn.append)
    (tmp_path / "device.txt").touch()
    screens.draw_missing()
    assert drawn == [{"DEVICE"}]


def test_the_manual_of_the_screens_says_what_their_files_say() -> None:
    """docs/screens.md is what docs/screens.py writes from the screen files and commands of now."""
    assert program("screens").manual() == (DOCS / "screens.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["check.md", "diagnosis.md", "metrics.md", "sources.md"])
def test_the_tables_say_what_is_declared(name: str) -> None:
    """Checks, diagnoses, metrics and sources: `python docs/tables.py` writes them, a row for each."""
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
