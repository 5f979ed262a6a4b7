from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from zmon.cli.main import main
from zmon.lab.scenario import names, path_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_list_names_all_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each."""
    assert main(["lab", "list"]) == 0

    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == names()


def test_show_prints_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    """To the last character, so that a copy is the same scenario."""
    assert main(["lab", "show", "pav-3"]) == 0

    with open(path_of("pav-3"), encoding="utf-8") as file:
        assert capsys.readouterr().out == file.read()


def test_report_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Bounds, what the model gives, and whether it holds."""
    assert main(["lab", "report", "pav-3"]) == 0

    assert "3.6 to 4.4" in capsys.readouterr().out


def test_report_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each figure, under headings."""
    assert main(["lab", "report", "pav-3", "-f", "csv"]) == 0

    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["scenario"], row["verdict"]) for row in rows] == [("pav-3", "holds")]


def test_report_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers stay numbers."""
    assert main(["lab", "report", "pav-3", "-f", "json"]) == 0

    (row,) = json.loads(capsys.readouterr().out)
    assert row["low"] < row["model"] < row["high"]


def test_a_figure_out_of_bounds_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status says so, for scripts."""
    file = tmp_path / "mine.toml"
    with open(path_of("pav-3"), encoding="utf-8") as shipped:
        file.write_text(shipped.read().replace("high = 4.4", "high = 3.7"))

    assert main(["lab", "report", str(file)]) == 1

    assert "FAILS" in capsys.readouterr().out


def test_a_mistake_in_a_scenario_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the file and the line."""
    file = tmp_path / "mine.toml"
    file.write_text("seed = 1\nsed = 2\n")

    assert main(["lab", "report", str(file)]) == 1

    assert f"{file}:2: sed: " in capsys.readouterr().err


def test_another_seed_gives_another_figure(capsys: pytest.CaptureFixture[str]) -> None:
    """So that nobody need believe in one."""
    values = []
    for words in ([], ["--seed", "8"]):
        assert main(["lab", "report", "pav-3", "-f", "json", *words]) == 0
        values.append(json.loads(capsys.readouterr().out)[0]["model"])

    assert values[0] != values[1]
