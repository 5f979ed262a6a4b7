"""The text of a diagnosis and of a verdict in sections, each with its heading: for screens and commands."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from zmon.base.ranges import many
from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.stretch import stretch_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.diagnosis.diagnosis import Diagnosis, Verdict


TASKS: Final = frozenset({"cpu", "machine", "memory"})
"""The kinds of subjects that tasks wait for, not requests."""


def sections(
    diagnosis: Diagnosis, options: Callable[[Diagnosis], Sequence[str]] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the headings and sentences that follow the claim of a diagnosis.

    `options` returns those with which a command looks at the same source and time; without it there is none.
    """
    yield "To do", diagnosis.action
    if (gain := diagnosis.gain) is not None:
        yield "Gain", f"{gain.text}."
    what = "task" if diagnosis.subjects[0].kind in TASKS else "request"
    waits = [f"{many(diagnosis.lost, what)} wait because of it"] if diagnosis.lost else []
    yield "Evidence", f"{'; '.join([*waits, *(evidence.words for evidence in diagnosis.evidence)])}."
    if diagnosis.excluded:
        yield "It is not", f"{'; '.join(diagnosis.excluded)}."
    if diagnosis.whatif and options is not None:
        yield "What if", shlex.join(["zmon", "whatif", *options(diagnosis), *diagnosis.whatif.split()])
    if diagnosis.confirm:
        yield "To be sure", diagnosis.confirm
    if diagnosis.missing:
        yield "Missing", f"{'; '.join(diagnosis.missing)}."


def remarks(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield what follows all diagnoses: what is explained, what was examined, and what is not known."""
    for diagnosis, by in verdict.explained:
        clause = f"{stretch_of(diagnosis)}{diagnosis.clause}"
        yield f"Also {diagnosis.id}", f"{clause}: {by} explains it.{_beside(diagnosis, by)}"
    for question in verdict.examined:
        yield "Looked at", question.words
    if verdict.damage and not verdict.is_calm:
        yield "Not known", f"what else is short, and how much. Reason: {verdict.damage}."
    if verdict.rest:
        yield "Else", verdict.rest
    if verdict.next_limit and not verdict.is_calm:
        yield "Next limit", f"{verdict.next_limit}."
    for source in dict.fromkeys(unknown.source for unknown in verdict.unknown):
        ids = [unknown.id for unknown in verdict.unknown if unknown.source == source]
        *most, last = (f"{catalogue()[id_].title} ({id_})" for id_ in ids)
        titles = f"{', '.join(most)} or {last}" if most else last
        yield "Not known", f"whether {titles}. Reason: {source}."


def _beside(diagnosis: Diagnosis, by: str) -> str:
    """Return what helps beside the action of the diagnosis that explains one, with its gain."""
    gain = diagnosis.gain if diagnosis.id in catalogue()[by].beside else None
    return "" if gain is None or gain.is_little else f" {diagnosis.action} Gain: {gain.short}."
