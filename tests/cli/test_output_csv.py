"""CSV is exact for programs; for spreadsheets no name in it is a formula."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cli.main import main
from zmon.cli.output import FORMULA, OK, CsvWriter

pytestmark = pytest.mark.interpreter

ROOT = Path(__file__).parents[2]


def written(cells: list[object], *, safe: bool) -> list[str]:
    """Write one row and read it again."""
    out = io.StringIO()
    CsvWriter(out, safe=safe).writerow(cells)
    return next(csv.reader(io.StringIO(out.getvalue(), newline="")))


@pytest.mark.parametrize("cell", ["=cmd|'/c calc'!A1", "@SUM(A1)", "+1+1", "-1+1", "\t=1", "--"])
def test_a_text_that_looks_like_a_formula_gets_an_apostrophe(cell: str) -> None:
    """A spreadsheet shows it as text."""
    assert written([cell], safe=True) == [f"'{cell}"]
    assert written([cell], safe=False) == [cell]


@pytest.mark.parametrize("cell", [-1.5, "-1.5", "+3", 0, "7000", "a=b", ""])
def test_numbers_and_other_texts_stay(cell: object) -> None:
    """A negative figure is no formula."""
    assert written([cell, "x"], safe=True) == [str(cell), "x"]


@given(st.lists(st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"])), min_size=1))
def test_no_safe_cell_is_a_formula(cells: list[str]) -> None:
    """Whatever begins like one is a number."""
    for cell in written([*cells], safe=True):
        if cell.startswith(FORMULA):
            float(cell)


@pytest.mark.parametrize(
    "words",
    [
        ["show", "FILES"],
        ["spread"],
        ["where", "=TS"],
    ],
    ids=" ".join,
)
def test_every_command_that_writes_csv_can_write_it_safe(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tablespace whose name is a formula is one only without --csv-safe."""
    listing = tmp_path / "list.csv"
    listing.write_text("tablespace,path\n=TS,/db2/d01/tsfact1.data\n=TS,/db2/d24/tsfact2.data\n")
    source = str(ROOT / "recordings/casestudy/machine-uid.tar.gz")
    line = [*words, "--from", source, "--listing", str(listing), "--format", "csv"]
    if words[0] == "spread":
        line = ["spread", str(listing), *words[1:], "--from", source, "--format", "csv"]
    assert main(line) == OK
    assert "=TS" in capsys.readouterr().out
    assert main([*line, "--csv-safe"]) == OK
    printed = capsys.readouterr().out
    assert "'=TS" in printed
    assert not any(cell.startswith("=") for row in csv.reader(io.StringIO(printed)) for cell in row)
