"""The text of a diagnosis and of a verdict in sections, each with its heading: for screens and commands."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.stretch import timed_claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.diagnosis.diagnosis import Diagnosis, Verdict


def sections(one: Diagnosis, options: Callable[[Diagnosis], Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield the headings and sentences that follow the claim of a diagnosis.

    `options` returns those with which a command looks at the same source and time.
    """
    yield "Evidence", f"{'; '.join(each.words for each in one.evidence)}."
    if one.excluded:
        yield "It is not", f"{'; '.join(one.excluded)}."
    yield "To do", one.action
    if (gain := one.gain) is not None:
        yield "Gain", f"{gain.text}."
    if one.whatif:
        yield "What if", shlex.join(["zmon", "whatif", *options(one), *one.whatif.split()])
    if one.confirm:
        yield "To be sure", one.confirm
    if one.missing:
        yield "Missing", f"{'; '.join(one.missing)}."


def remarks(found: Verdict) -> Iterator[tuple[str, str]]:
    """Yield what follows all diagnoses: what is explained, what was examined, and what is not known."""
    for one, by in found.explained:
        yield f"Also {one.id}", f"{timed_claim(one)} {by} explains it.{_beside(one, by)}"
    for each in found.examined:
        yield "Looked at", each.words
    if found.damage and not found.is_calm:
        yield "Not known", f"what else is short, and how much. Reason: {found.damage}."
    if found.rest:
        yield "Else", found.rest
    if found.next_limit and not found.is_calm:
        yield "Next limit", f"{found.next_limit}."
    for source in dict.fromkeys(one.source for one in found.unknown):
        ids = [one.id for one in found.unknown if one.source == source]
        *most, last = (f"{catalogue()[id_].title} ({id_})" for id_ in ids)
        titles = f"{', '.join(most)} or {last}" if most else last
        yield "Not known", f"whether {titles}. Reason: {source}."


def _beside(one: Diagnosis, by: str) -> str:
    """Return what helps beside the action of the diagnosis that explains one, with its gain."""
    gain = one.gain if one.id in catalogue()[by].beside else None
    return "" if gain is None or gain.is_little else f" {one.action} Gain: {gain.text}."
