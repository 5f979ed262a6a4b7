"""What of collected texts was not understood, and what they leave out, in words."""

from __future__ import annotations

from zmon.base.absent import text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kinds import MOUNT, PART, TEXT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from zmon.sample import Sample

MAX_NAMED: Final = 5
"""Texts, and lines of a text, that are named."""


def remarks(sample: Sample, kinds: Collection[str]) -> Iterator[str]:
    """Yield what of these kinds texts may have, and nobody can know: lines not understood, and left out.

    A list of some mounts leaves nothing out that a list of all has.
    """
    yield from strange_texts(sample, kinds)
    frame = sample.frames.get(TEXT.name)
    if frame is None:
        return
    told = {key: text_of(frame.cell(key, "tells")).split() for key in frame.keys}
    parts = [key for key in frame.keys if frame.cell(key, "asked") == PART]
    wholes = {
        key for key in {*frame.keys} - {*parts} if frame.cell(key, "read") and not frame.cell(key, "strange")
    }
    has_all_mounts = any(told[key] == [MOUNT.name] for key in wholes)
    for key in parts:
        is_doubled = told[key] == [MOUNT.name] and has_all_mounts
        if not (is_doubled or set(told[key]).isdisjoint(kinds)):
            yield f"{key}: {text_of(frame.cell(key, 'command'))} shows a part"


def strange_texts(sample: Sample, kinds: Collection[str] = ()) -> Iterator[str]:
    """Yield for the first texts with lines that were not understood how many these are, and where.

    With `kinds` only those texts count that may say something of one of them.
    """
    frame = sample.frames.get(TEXT.name)
    if frame is None:
        return
    lines: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for key in frame.keys:
        strange, told = frame.cell(key, "strange"), text_of(frame.cell(key, "tells")).split()
        if isinstance(strange, int) and strange and not (kinds and told and set(told).isdisjoint(kinds)):
            origin = key.rpartition(":")[0]
            lines.setdefault(origin, []).extend(text_of(frame.cell(key, "which")).split())
            counts[origin] = counts.get(origin, 0) + strange
    for origin, numbers in [*lines.items()][:MAX_NAMED]:
        count = counts[origin]
        first = sorted(map(int, numbers))[:MAX_NAMED]
        named = ", ".join(map(str, first)) + ", ..." * (count > len(first))
        what = "1 line was" if count == 1 else f"{count:,} lines were"
        yield f"{origin}: {what} not understood ({'line' if count == 1 else 'lines'} {named})"
    if len(lines) > MAX_NAMED:
        yield f"{len(lines) - MAX_NAMED:,} more texts have lines that were not understood"
