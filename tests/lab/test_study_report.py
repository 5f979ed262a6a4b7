"""The figures of the studies, which `zmon lab report` prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.lab.plans import FAULTS, PLAIN
from zmon.lab.measure import MeasureError
from zmon.lab.scenario import load_scenario, names
from zmon.lab.study_report import ReportLine, report, short, text

if TYPE_CHECKING:
    from pathlib import Path

IDLE = """\
base = "pav-3"
title = "idle"
text = "nobody"
[[phases]]
name = "idle"
seconds = 60
[[figures]]
name = "ratio"
study = "none"
low = 0
high = 1
why = "none"
measure = "IO/s / IO/s"
"""


@pytest.fixture(scope="module")
def lines() -> list[ReportLine]:
    """Return the report of all scenarios, which are simulated once for all tests."""
    return list(report(names()))


@pytest.mark.whole_days
def test_every_figure_is_within_its_bounds(lines: list[ReportLine]) -> None:
    """The model reproduces what the studies say, but for what it cannot give, which differs indeed."""
    assert [line.cells() for line in lines if line.holds == bool(line.figure.differs)] == []


@pytest.mark.whole_days
def test_every_figure_says_what_it_rests_on(lines: list[ReportLine]) -> None:
    """Whether it follows, was fitted or is given; and where a study says it, at which line."""
    for line in lines:
        assert line.figure.basis, line.figure.name
        assert not line.figure.place or re.fullmatch(
            r"S00[0-4]:\d+(-\d+)?(, \d+(-\d+)?)*", line.figure.place
        ), line.figure.name


@pytest.mark.parametrize("name", names())
def test_every_scenario_has_a_figure(name: str) -> None:
    """Nothing comes along that is held against nothing; what fails is held against laws in test_faults."""
    assert load_scenario(name).figures or name in {*FAULTS, *PLAIN}


@pytest.mark.whole_days
def test_the_report_names_a_scenario_once(lines: list[ReportLine]) -> None:
    """Its figures stand below it."""
    said = list(text(lines))

    assert sum(row.startswith("shark-before: ") for row in said) == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, "0.00"), (0.06071, "0.0607"), (3.711, "3.71"), (76.31, "76.3"), (15061.2, "15061")],
)
def test_three_digits_count(value: float, expected: str) -> None:
    """More would not be known."""
    assert short(value) == expected


def test_a_ratio_to_nothing_is_told(tmp_path: Path) -> None:
    """It is no number, and no traceback."""
    file = tmp_path / "idle.toml"
    file.write_text(IDLE)

    with pytest.raises(MeasureError, match="no ratio"):
        list(report([str(file)]))


def test_figures_are_taken_from_as_many_intervals_as_they_want(tmp_path: Path) -> None:
    """A scenario may simulate more for its figures than screens show."""
    text = IDLE.replace("IO/s / IO/s", "IO/s").replace("high = 1", "high = 1e6")
    text = text.replace("seconds = 60", 'seconds = 60\nloads = ["random"]')
    head = 'base = "pav-3"\nwarm = 0\nstep = 1'
    values = []
    asked = ("drawn = 1\nmeasured = 3", "drawn = 3", "drawn = 3\nmeasured = 1", "drawn = 1")
    for number, lines in enumerate(asked):
        file = tmp_path / f"{number}.toml"
        file.write_text(text.replace('base = "pav-3"', f"{head}\n{lines}"))
        values.append(next(report([str(file)])).value)

    assert values[0] == values[1] == values[2] != values[3]
