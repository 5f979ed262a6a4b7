"""The command that sets one time against another."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from zmon.screen.sheet import natural
from zmon.session.command import CommandError
from zmon.session.page import Page
from zmon.session.when import parse_when, whole

if TYPE_CHECKING:
    from zmon.session.dialogue import Dialogue

DAY: Final = (
    r"(?i)\b(today|yesterday|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|[0-9]{4}-[0-9]{2}-[0-9]{2}) +"
    r"(?=[0-9]{1,2}:)"
)
"""A day before a time of it."""


def compare(dialogue: Dialogue, operands: str) -> None:
    """Compare the intervals that end at the marks, or the time between two times with that between others.

    A single mark, or a single pair of times, is compared with the interval that is shown.
    """
    page = dialogue.page
    screen = page.against.screen if page.against is not None else page.screen
    if operands.upper() == "OFF":
        if page.against is None:
            raise CommandError("Nothing is compared on this screen.")
        dialogue.show(Page(screen, page.argument, natural(screen)))
        return
    times = _times(dialogue, operands)
    if times:
        dialogue.compare((times[0], times[1]), (times[2], times[3]) if len(times) > 2 else None)
        return
    marks = {name: (None, sample.at.utc) for name, sample in sorted(dialogue.watch.marks.items())}
    if not marks:
        raise CommandError(
            "there is no mark: MARK A and MARK B at two samples, then COMPARE; or name two times: "
            "COMPARE 14:00 14:10"
        )
    if len(set(marks.values())) < len(marks):
        raise CommandError("A and B mark the same sample; go to another and mark that")
    dialogue.watch.interim()
    (first, then), *others = marks.items()
    second, now = others[0] if others else ("Now", None)
    dialogue.compare(then, now, names=(first, second))


def _times(dialogue: Dialogue, operands: str) -> list[int]:
    """Read the times of a comparison: none, two or four.

    Raises:
        CommandError: they are others.
    """
    if not operands:
        return []
    words = re.sub(DAY, r"\1_", operands).split()
    found: list[int] = []
    watch = dialogue.rewind()
    for word in words:
        base = found[-1] if len(found) % 2 and word.startswith("+") else watch.utc
        try:
            found.append(whole(parse_when(word.replace("_", " "), time.time_ns(), base, watch.span)))
        except ValueError as error:
            raise CommandError(str(error)) from error
    if len(found) not in {2, 4} or any(b <= a for a, b in zip(found[::2], found[1::2], strict=False)):
        raise CommandError("COMPARE takes two times or four, the earlier of each pair first: 14:00 14:10")
    return found
