"""Events beside the counters: a gap, a restart, a clock that was set, a limit exceeded, a note.

Events are rows of a recording, marks on its time line, and places to jump to.
"""

from __future__ import annotations

from enum import Enum

from zmon.record import NamedTuple


class What(Enum):
    """The types of events."""

    GAP = "gap"
    """Samples are missing: the machine slept, or the recorder was stopped or delayed."""
    RESTART = "restart"
    """The machine was restarted."""
    CLOCK = "clock"
    """The wall clock was set, by its difference to the steady clock."""
    CAME = "came"
    """A device or disk was added."""
    WENT = "went"
    """A device or disk was removed."""
    LIMIT = "limit"
    """A value is beyond the limit that its screen calls bad."""
    HOLE = "hole"
    """A part of the recording is damaged and cannot be read."""
    NOTE = "note"
    """A note by a person."""


class Event(NamedTuple):
    """One event from `begin` to `end`, both UTC in ns; equal if it has no length."""

    what: What
    begin: int
    end: int
    thing: str = ""
    """The key of the thing it happened to: a bus id, a channel path, a partition; empty for the machine."""
    text: str = ""
    """One sentence for people."""
    screen: str = ""
    """The command of the screen that shows it, for limits."""

    @property
    def exception(self) -> bool:
        """Whether the keys `[` and `]` stop at it."""
        return self.what not in {What.NOTE, What.CAME}
