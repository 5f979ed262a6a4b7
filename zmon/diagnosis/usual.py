"""Compares the main numbers of a diagnosis with what they usually are at this hour, on other days."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnosis, Measurement
    from zmon.machine.figure import Variable

MAX_COMPARED: Final = 2
"""Numbers of a diagnosis that are compared: the first that have a usual value."""
UNUSUAL: Final = 1.25
"""Times its usual value, or the inverse of it, from which on a number is unusual."""


def compared(diagnosis: Diagnosis, usual: Callable[[Variable], Number]) -> Diagnosis:
    """Return a diagnosis with the words of its main numbers followed by what they usually are."""
    evidences = []
    many = 0
    for evidence in diagnosis.evidence:
        text = usual_words(evidence, usual) if many < MAX_COMPARED else ""
        many += bool(text)
        evidences.append(evidence._replace(words=f"{evidence.words}, {text}") if text else evidence)
    return diagnosis._replace(evidence=tuple(evidences))


def usual_words(measurement: Measurement, usual: Callable[[Variable], Number]) -> str:
    """Return how a number compares: `3.2 times what it usually is at this hour`; empty if not known."""
    value = measurement.value
    if isinstance(value, str | Absent):
        return ""
    before = usual(measurement.variable)
    if isinstance(before, Absent) or before <= 0:
        return ""
    times = value / before
    if 1 / UNUSUAL < times < UNUSUAL:
        return "as usual at this hour"
    return f"{times:.1f} times what it usually is at this hour"
