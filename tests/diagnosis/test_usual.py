"""Main numbers are compared with what they usually are at this hour."""

from __future__ import annotations

import pytest

from zmon.absent import absent
from zmon.diagnosis.diagnosis import CERTAIN, Diagnosis, Measurement, Subject
from zmon.diagnosis.usual import compared

LCU = Subject("lcu", "L", "LCU 7")
NOT_RECORDED = absent("no other day was recorded")


def diagnosis(*values: float | str) -> Diagnosis:
    evidence = tuple(
        Measurement(f"control_unit.c{at}", LCU, value, f"number {at}") for at, value in enumerate(values)
    )
    return Diagnosis("D1", (LCU,), "It is full.", evidence, CERTAIN, "Do it.", 1.0)


@pytest.mark.parametrize(
    ("usual", "words"),
    [
        (10.0, "number 0, 3.2 times what it usually is at this hour"),
        (64.0, "number 0, 0.5 times what it usually is at this hour"),
        (31.0, "number 0, as usual at this hour"),
        (0.0, "number 0"),
        (NOT_RECORDED, "number 0"),
    ],
)
def test_how_a_number_compares(usual: object, words: str) -> None:
    """Times its usual value, unless that is not known or nothing."""
    (one,) = compared(diagnosis(32.0), lambda _measurement: usual).evidence  # type: ignore[arg-type, return-value]
    assert one.words == words


def test_only_the_main_numbers_are_compared() -> None:
    """The first two that can be: more would hide them."""
    found = compared(diagnosis("text", 1.0, 2.0, 3.0), lambda _measurement: 0.5)
    assert ["usually" in one.words for one in found.evidence] == [False, True, True, False]
