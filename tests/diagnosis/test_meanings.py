"""What help says of diagnoses is what zmon does."""

from __future__ import annotations

from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.memory import MUCH_CACHE


def test_what_help_says_of_the_page_cache_is_what_the_cause_does() -> None:
    """D18 is never diagnosed: HELP says from which part of memory on it is not known."""
    holds = catalogue()["D18"].holds
    assert holds.startswith("not known")
    assert "never diagnosed" in holds
    assert f"{100 * MUCH_CACHE:g} %" in holds


def test_what_shares_one_channel_path_is_told_of_lcus_as_well() -> None:
    """D13b is about FCP paths, and about channel paths that are one physical channel."""
    assert "physical channel (PCHID)" in catalogue()["D13b"].holds
