"""docs/studies.md: what the studies say that no scenario reproduces, and where zmon has it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.lab.plans import FAULTS, PLAIN
from zmon.check.practices import CHECKS, QUESTIONS
from zmon.cli.subcommands import SUBCOMMANDS
from zmon.diagnosis.catalogue import catalogue
from zmon.lab.scenario import load_scenario, names
from zmon.rule.grammar import load_rules
from zmon.screen.definition import load_screens

PAGE: Final = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
LINES: Final = r"\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*"
NAME: Final = r"(?:`[^`]+`|[BD]\d{1,2}[a-d]?)(?: \((?:[^()]|\([^()]*\))*\))?"
ROW: Final = re.compile(rf"\* \*\*({LINES})\*\* (.+?): ({NAME}(?:, {NAME})*)")
LACKING: Final = re.compile(rf"\* (.+?): \*\*{LINES}\*\* .+")
STUDIES: Final = dict(re.findall(r"^## (S00\d): .+\n\n((?:.+\n|\n(?!##))+)", PAGE, re.MULTILINE))


class Row(NamedTuple):
    """What a study says at some lines, and what of zmon it names."""

    study: str
    lines: str
    fact: str
    by: str

    @property
    def quoted(self) -> list[str]:
        """What stands between back quotes, but for remarks."""
        return re.findall(r"`([^`]+)`", re.sub(r" \((?:[^()]|\([^()]*\))*\)", "", self.by))


def rows() -> list[Row]:
    """Return the rows of all studies, without what is out of reach."""
    return [
        Row(study, *match.groups())
        for study, text in STUDIES.items()
        for line in text.partition("Out of reach:")[0].splitlines()
        if (match := ROW.fullmatch(line))
    ]


ROWS: Final = rows()


def test_every_study_has_its_rows() -> None:
    """All five, and no line is lost to the parser of this test."""
    assert list(STUDIES) == ["S000", "S001", "S002", "S003", "S004"]
    assert {row.study for row in ROWS} == set(STUDIES)
    assert len(ROWS) == len(re.findall(r"^\* \*\*\d", PAGE, re.MULTILINE)) > 100


@pytest.mark.parametrize("study", STUDIES)
def test_what_is_out_of_reach_says_why(study: str) -> None:
    """The reason, and the lines with what the study says."""
    lines = STUDIES[study].partition("Out of reach:\n\n")[2].strip().splitlines()
    assert lines
    assert [line for line in lines if not LACKING.fullmatch(line)] == []


def test_what_a_row_names_exists() -> None:
    """`DEVICE.resp` is a column of a screen, `zmon size` a subcommand, B17 a check, D12 a diagnosis."""
    known = {f"{screen.command}.{column.name}" for screen in load_screens() for column in screen.columns}
    known |= {rule.name for rule in load_rules([])} | {f"zmon {name}" for name in SUBCOMMANDS}
    assert [(row.lines, name) for row in ROWS for name in row.quoted if name not in known] == []
    ids = {check.id for check in CHECKS} | {question.id for question in QUESTIONS} | set(catalogue())
    assert set(re.findall(r"\b[BD]\d{1,2}[a-d]?\b", " ".join(row.by for row in ROWS))) <= ids


def test_every_scenario_of_a_study_has_a_figure_with_its_place() -> None:
    """`zmon lab report` prints them; but for those that follow no study, and one that is compared with."""
    placed = {name for name in names() if any(figure.place for figure in load_scenario(name).figures)}
    unplaced = {"fcp-multibus-1", "fcp-multibus-5000", "fcp-writes-failover", "fleet-4096", *FAULTS, *PLAIN}
    assert set(names()) - placed == unplaced
