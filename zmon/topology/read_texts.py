"""What of collected texts was not understood, and what they leave out, in words."""

from __future__ import annotations

from zmon.base.absent import text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kinds import MOUNT, PART, TEXT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from collections.abc import Set as AbstractSet

    from zmon.sample import Sample

MAX_NAMED: Final = 5
"""Texts, and lines of a text, that are named."""


def remarks(sample: Sample, kinds: AbstractSet[str]) -> Iterator[str]:
    """Yield what of these kinds texts may have, and nobody can know: lines not understood, and left out.

    A part says nothing more where another output of its form is whole, or for mounts any list of all.
    """
    yield from strange_texts(sample, kinds)
    frame = sample.frames.get(TEXT.name)
    if frame is None:
        return
    columns = map(frame.column, ("form", "asked", "tells", "command"))
    rows = [
        (key, *map(text_of, cells)) for key, cells in zip(frame.keys, zip(*columns, strict=True), strict=True)
    ]
    whole = {form for _key, form, asked, _tells, _command in rows if asked != PART}
    has_all_mounts = any(
        tells == MOUNT.name and asked != PART and frame.cell(key, "read") and not frame.cell(key, "strange")
        for key, _form, asked, tells, _command in rows
    )
    for key, form, asked, tells, command in rows:
        is_doubled = form in whole or (tells == MOUNT.name and has_all_mounts)
        if asked == PART and not is_doubled and not kinds.isdisjoint(tells.split()):
            yield f"{key}: {command} shows a part"


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
