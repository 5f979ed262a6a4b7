"""What help says of diagnoses is what the documents say."""

from __future__ import annotations

from pathlib import Path

from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.memory import MUCH_CACHE

PAGE = Path(__file__).parents[2] / "docs" / "diagnosis.md"


def test_the_page_says_the_same() -> None:
    """When a diagnosis holds, and what it needs."""
    rows = [line.replace("`", "").strip("|\n ").split(" | ") for line in PAGE.read_text().splitlines()]
    said = {row[0]: tuple(row[2:]) for row in rows if len(row) == 4 and row[0] in catalogue()}
    assert said == {id_: (one.holds, one.needs) for id_, one in catalogue().items()}


def test_what_help_says_of_the_page_cache_is_what_the_cause_does() -> None:
    """D18 is never diagnosed: HELP says from which part of memory on it is not known."""
    holds = catalogue()["D18"].holds
    assert holds.startswith("not known")
    assert "never diagnosed" in holds
    assert f"{100 * MUCH_CACHE:g} %" in holds


def test_what_shares_one_channel_path_is_told_of_lcus_as_well() -> None:
    """D13b is about FCP paths, and about channel paths that are one physical channel."""
    assert "physical channel (PCHID)" in catalogue()["D13b"].holds
