"""The catalogue of diagnoses."""

from __future__ import annotations

from zmon.diagnosis.catalogue import catalogue, family, is_of


def test_a_cause_stands_for_its_kinds_alone() -> None:
    """A rule that points to D4 means D4b as well; one that points to D1 means no D10, D13 or D15."""
    assert [id_ for id_ in catalogue() if is_of(id_, "D4")] == ["D4", "D4b", "D4c", "D4d"]
    assert [id_ for id_ in catalogue() if is_of(id_, "D1")] == ["D1"]
    assert not any(is_of(id_, "") for id_ in catalogue())


def test_diagnoses_of_one_number_are_a_family() -> None:
    """Whichever of them is asked for; D1 is none of that of D10."""
    assert family("D4") == family("D4b") == ("D4", "D4b", "D4c", "D4d")
    assert family("D10b") == ("D10", "D10b")
    assert family("D1") == ("D1",)
