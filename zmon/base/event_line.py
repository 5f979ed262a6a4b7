"""What happened, as a line for people."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from zmon.base.clock import DATED, clock, length
from zmon.base.event import What
from zmon.base.plain_text import harmless

if TYPE_CHECKING:
    from zmon.base.event import Event


HEAD: Final = 17
"""Characters of a line before its words: day, time, and the mark of an exceeded limit."""


CHANGES: Final = {What.CAME: "appeared", What.WENT: "disappeared"}
KINDS: Final = {"block": "disk", "channel": "channel path", "lpar": "partition"}
"""What a kind is called where its own name is another."""


def words(event: Event) -> str:
    """Write what happened, for how long, and to which thing."""
    seconds = (event.end - event.begin) / 1e9
    comma = "," * (event.what is What.LIMIT)  # behind how much it was
    fields = " ".join((event.text or f"{event.what.value} {event.thing}").split())
    if event.what in CHANGES and event.names_thing:
        fields = f"{KINDS.get(event.kind, event.kind)} {event.thing} {CHANGES[event.what]}"
    lasted = f"{comma} for {length(seconds)}" if seconds and not event.says_length else ""
    return harmless(f"{fields}{lasted}")


def line(event: Event) -> str:
    """Write an event: when, and its words, with a mark if it is an exception."""
    return f"{clock(event.begin, DATED)} {'!' if event.exception else ' '} {words(event)}"


def lines(event: Event, width: int) -> list[str]:
    """Write an event in lines of at most `width` characters; it goes on below the words of its first line."""
    indent = " " * min(HEAD, width // 2)
    return wrap(line(event), max(width, 3), subsequent_indent=indent, break_on_hyphens=False)
