"""What help says of diagnoses is what the documents say."""

from __future__ import annotations

from pathlib import Path

from zmon.diagnosis.catalogue import CATALOGUE
from zmon.diagnosis.meanings import MEANINGS

PAGE = Path(__file__).parents[2] / "docs" / "diagnosis.md"


def test_each_diagnosis_of_the_catalogue_has_a_meaning() -> None:
    """And nothing else has one."""
    assert MEANINGS.keys() == CATALOGUE.keys()
    assert all(one.holds and one.needs and one.advice.endswith(".") for one in MEANINGS.values())


def test_the_page_says_the_same() -> None:
    """When a diagnosis holds, and what it needs."""
    rows = [line.replace("`", "").strip("|\n ").split(" | ") for line in PAGE.read_text().splitlines()]
    said = {row[0]: tuple(row[2:]) for row in rows if len(row) == 4 and row[0] in CATALOGUE}
    assert said == {id_: (one.holds, one.needs) for id_, one in MEANINGS.items()}
