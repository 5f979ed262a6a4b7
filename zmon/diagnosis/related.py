"""Whether diagnoses are about the same: only then one may explain another, or an exception.

The verdict on an interval and that on a long time ask here, so that a longer time does not change what
explains what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.diagnosis.catalogue import catalogue, is_of
from zmon.diagnosis.diagnosis import BLIND

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from zmon.base.event import ExceptionEntry
    from zmon.diagnosis.diagnosis import Diagnosis, Subject, Verdict

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


def diagnosis_of(verdict: Verdict, entry: ExceptionEntry, lcu: str = "") -> Diagnosis | None:
    """Return the diagnosis of a verdict that stands for an exception; None if it has none.

    That is the one that the rule points to, or else one that is about the same thing, about what exceptions
    of its group have in common, or about its LCU, whose key is `lcu`; where another one explains it, that.
    """
    roots = {root.id: root for root in reversed(verdict.diagnoses) if root.id != BLIND}
    pairs = [*((root, root) for root in verdict.diagnoses if root.id in roots)]
    pairs += [(diagnosis, roots[by]) for diagnosis, by in verdict.explained if by in roots]
    things = {entry.key, entry.group, lcu} - {""}
    pairs = [(diagnosis, root) for diagnosis, root in pairs if not things or things & _keys(diagnosis)]
    meant = [root for diagnosis, root in pairs if is_of(diagnosis.id, entry.cause)]
    return next(iter([*meant, *(root for _, root in pairs if things)]), None)


def _keys(diagnosis: Diagnosis) -> set[str]:
    """Return the keys of the things that a diagnosis is about; of paths each, of the memory its kind."""
    subjects = diagnosis.subjects
    return {key for subject in subjects for key in (subject.key or subject.kind, *subject.key.split())}
