"""What zmon says of changes, against what was written and against what is wanted of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from docs.changes import FILE, answers, page, row, written_rows
from docs.witness import cells_of
from tests.witness.changes import CHANGES, effect
from tests.witness.predictions import WANTED, score

PAGE: Final = Path(FILE).read_text(encoding="utf-8")
QUICK: Final = ("pool: 2 aliases for 1", "one volume: 3 aliases for 0", "LCU full then: 6 aliases for 1")
"""The changes that zmon is asked about with each change of its own."""
SLOW: Final = [pytest.param(name, marks=pytest.mark.whole_days) for name in CHANGES if name not in QUICK]


@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_what_is_written_is_what_zmon_says(name: str) -> None:
    """Run `python -m docs.changes` where a row has changed, and read what has."""
    assert row(name) in written_rows()


def test_all_changes_are_written_and_the_page_has_their_scores() -> None:
    """At least a third of at least 60 was not looked at before the model was changed."""
    rows = written_rows()
    assert [cells_of(line)[0] for line in rows] == list(CHANGES)
    assert page(PAGE, rows) == PAGE
    held = [change for change in CHANGES.values() if change.group != "fitted"]
    assert len(CHANGES) >= 60
    assert 3 * len(held) >= len(CHANGES)


@pytest.mark.parametrize(("confidence", "part"), WANTED.items())
def test_a_range_holds_as_often_as_its_confidence_says(confidence: str, part: float) -> None:
    """Of all changes; it is no wider than it has to be, and what is said to be the most is."""
    told = [(times, one) for _, _, times, one in answers(written_rows()) if one.confidence == confidence]
    assert score(told).hold >= part * len(told)


def test_ranges_are_narrow_and_bounds_are_none_that_are_exceeded() -> None:
    """The median range ends at 1.5 times its beginning, the median error is 5 %."""
    whole = score([(times, told) for _, _, times, told in answers(written_rows())])
    assert whole.width <= 1.5
    assert whole.error <= 0.05
    assert whole.bounds
    assert not whole.exceeded


@pytest.mark.parametrize("name", QUICK)
def test_what_is_simulated_is_exact(name: str) -> None:
    """A standard error of 1 % at most."""
    assert effect(CHANGES[name]).noise < 0.01
