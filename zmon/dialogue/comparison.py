"""The command that sets one time against another."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from zmon.dialogue.command import CommandError
from zmon.dialogue.page import Page
from zmon.screen.sheet import natural
from zmon.tape.tape import NoMark
from zmon.tape.when import parse_when, whole

if TYPE_CHECKING:
    from zmon.dialogue.dialogue import Dialogue

DAY: Final = (
    r"(?i)\b(today|yesterday|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|[0-9]{4}-[0-9]{2}-[0-9]{2}) +"
    r"(?=[0-9]{1,2}:)"
)
"""A day before a time of it."""


def compare(dialogue: Dialogue, operands: str) -> None:
    """Set the time between the marks, or that between two times, against the interval or two other times."""
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
    try:
        then = dialogue.watch.window()
    except NoMark as error:
        raise CommandError(f"{error}; or name two times: COMPARE 14:00 14:10") from error
    dialogue.watch.interim()
    dialogue.compare(then)


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
