"""docs/studies.md: every number of the studies, and where it is found."""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

import pytest

from tests.lab.plans import FAULTS, PLAIN
from zmon.check.practices import CHECKS, QUESTIONS
from zmon.cli.subcommands import SUBCOMMANDS
from zmon.diagnosis.catalogue import catalogue
from zmon.lab.scenario import load_scenario, names
from zmon.rule.grammar import load_rules
from zmon.screen.definition import load_screens

PAGE: Final = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs", "studies.md"
)
HOW: Final = ("reproduced", "differs", "read", "computed", "checked", "out of reach")
PLACE: Final = re.compile(r"(S00[0-4]):(\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)")
RULE: Final = re.compile(r"(?:`[a-z-]+`|[BD]\d{1,2}[a-d]?)(?:, (?:`[a-z-]+`|[BD]\d{1,2}[a-d]?))*")


class Row(NamedTuple):
    """One row of the page."""

    line: str
    fact: str
    how: str
    by: str
    remark: str

    @property
    def named(self) -> list[str]:
        """What stands between back quotes."""
        return re.findall(r"`([^`]+)`", self.by)


def rows() -> list[Row]:
    """Return the rows of all studies."""
    with open(PAGE, encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("| S00") and ":" in line.split("|")[1]]
    return [Row(*(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])) for line in lines]


ROWS: Final = rows()


def lines_of(place: str) -> set[tuple[str, int]]:
    """Return the lines that a place names: `S000:752-753, 760`."""
    found = PLACE.fullmatch(place)
    assert found is not None, place
    numbers = set()
    for part in found[2].split(", "):
        first, _, last = part.partition("-")
        numbers |= {(found[1], number) for number in range(int(first), int(last or first) + 1)}
    return numbers


def test_every_study_has_its_table() -> None:
    """All five, and no row is lost to the parser of this test."""
    assert {row.line[:4] for row in ROWS} == {"S000", "S001", "S002", "S003", "S004"}
    with open(PAGE, encoding="utf-8") as file:
        assert len(ROWS) == sum(line.startswith("| S00") and ":" in line[:8] for line in file) > 200


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.line} {row.how}")
def test_a_row_is_whole(row: Row) -> None:
    """It has a place, a fact, one of the six answers, and what belongs to that."""
    assert PLACE.fullmatch(row.line)
    assert row.fact
    assert row.how in HOW
    basis = row.remark in {"follows", "fitted", "given"}
    assert basis == (row.how == "reproduced")
    if row.how == "out of reach":
        assert row.remark, "say why"
        assert not row.by
    elif row.how == "checked":
        assert RULE.fullmatch(row.by)
        practices = {check.id for check in CHECKS} | {question.id for question in QUESTIONS}
        assert {part for part in row.by.split(", ") if part[0] == "B"} <= practices
        assert {part for part in row.by.split(", ") if part[0] == "D"} <= set(catalogue())
        assert set(row.named) <= {rule.name for rule in load_rules([])}
    elif row.how == "differs":
        assert row.remark, "say how"
        assert set(row.named) <= set(names())
    else:
        assert row.named


def test_scenarios_in_it_exist() -> None:
    """A scenario that was renamed is renamed there too."""
    known = set(names())
    wrong = [(row.line, name) for row in ROWS if row.how in {"reproduced", "differs"} for name in row.named
             if name not in known]  # fmt: skip
    assert wrong == []


def test_screens_columns_and_commands_in_it_exist() -> None:
    """`DEVICE.resp` is a column of a screen, `zmon size` a subcommand."""
    columns = {
        f"{screen.command}.{column.name}" for screen in load_screens() for column in screen.columns
    }  # fmt: skip
    wrong = []
    for row in ROWS:
        if row.how in {"read", "computed"}:
            wrong += [
                (row.line, name)
                for name in row.named
                if not (name.startswith("zmon ") and name.split()[1] in SUBCOMMANDS) and name not in columns
            ]
    assert wrong == []
    written = " ".join(row.remark for row in ROWS)
    assert set(re.findall(r"`([A-Z]+\.[a-z]+)`", written)) <= columns


def test_every_scenario_of_a_study_is_in_it() -> None:
    """But those that follow no study."""
    named = {name for row in ROWS if row.how in {"reproduced", "differs"} for name in row.named}
    assert set(names()) - named == {"fcp-multibus-1", "fcp-multibus-5000", "fleet-4096", *FAULTS, *PLAIN}


def test_every_figure_of_a_scenario_is_in_it() -> None:
    """With its place and its basis, in a row that names the scenario."""
    missing = []
    for name in names():
        for figure in load_scenario(name).figures:
            if not figure.place:
                continue
            wanted = lines_of(figure.place)
            if not any(
                wanted <= lines_of(row.line)
                and name in row.named
                and row.how == ("differs" if figure.differs else "reproduced")
                and (figure.differs or row.remark == figure.basis)
                for row in ROWS
            ):
                missing.append((name, figure.name, figure.place, figure.basis))
    assert missing == []
