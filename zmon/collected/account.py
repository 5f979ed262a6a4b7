"""What became of the lines of texts: read, known to say nothing, or not understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.collection import facts_of
from zmon.collected.dasd_texts import BUSID

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.collected.reading import ReadText
    from zmon.kernel.capture_text import CollectedText

MAX_NAMED: Final = 5
"""Lines of a text, and texts, that are named."""
_MEANT: Final = re.compile(
    rf"(?<![\w.]){BUSID}(?![\w.])|\b(?:dasd|sd|vd)[a-z]{{1,3}}[0-9]{{0,2}}\b|\bdm-[0-9]|/dev/|\bnvme[0-9]|(?<!\S)[0-9]{{1,3}}:[0-9]{{1,5}}(?!\S)"
)
"""What names a device."""


def strange_lines(read: ReadText) -> Iterator[int]:
    """Yield the numbers of lines that were not understood; of what is no output those that name a device."""
    yield from read.strange
    if not read.form and not read.text.command and not read.text.file:
        for number, row in enumerate(read.text.text.split("\n")):
            if _MEANT.search(row):
                yield read.text.line + number


def remarks(texts: Sequence[CollectedText]) -> Iterator[str]:
    """Yield for the first texts with such lines how many they are, and the numbers of the first."""
    strange: dict[str, list[int]] = {}
    for read in facts_of(texts)[1]:
        if lines := [*strange_lines(read)]:
            strange.setdefault(read.text.origin, []).extend(lines)
    for origin, lines in [*strange.items()][:MAX_NAMED]:
        lines.sort()
        numbers = ", ".join(map(str, lines[:MAX_NAMED])) + ", ..." * (len(lines) > MAX_NAMED)
        if len(lines) == 1:
            yield f"{origin}: 1 line was not understood (line {numbers})"
        else:
            yield f"{origin}: {len(lines):,} lines were not understood (lines {numbers})"
    if len(strange) > MAX_NAMED:
        yield f"{len(strange) - MAX_NAMED:,} more texts have lines that were not understood"
