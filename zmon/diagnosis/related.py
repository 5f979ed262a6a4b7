"""Whether one diagnosis is about what another is about: only then the other may explain it.

The verdict on an interval and that on a long time ask here, so that a longer time does not change what
explains what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.diagnosis.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from zmon.diagnosis.diagnosis import Subject

WIDE: Final = frozenset({"machine", "cpu"})
"""Kinds of subjects that all others depend on."""


def are_related(
    id_: str, first: Subject, subjects: Iterable[Subject], other_id: str, others: Collection[Subject]
) -> bool:
    """Return whether another diagnosis is about what one is first about, about all its LCUs, or the machine.

    Some explain others wherever they are: who lacks memory cannot have a larger buffer pool.
    """
    units = {subject for subject in subjects if subject.kind == "lcu"}
    return (
        first in others
        or first.kind == "machine"
        or bool(units and units <= {*others})
        or id_ in catalogue()[other_id].anywhere
        or is_wide(others)
    )


def is_wide(subjects: Iterable[Subject]) -> bool:
    """Return whether a diagnosis is about the whole machine or its processors."""
    return not WIDE.isdisjoint(subject.kind for subject in subjects)
