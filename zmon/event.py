"""What happened beside the counters: a gap, a restart, a clock that was set, a limit exceeded, a note.

Events are rows of a recording, marks on its time line, and places to jump to.
"""

from __future__ import annotations

from enum import Enum

from zmon.record import NamedTuple


class What(Enum):
    """The sorts of events."""

    GAP = "gap"
    """Samples are missing: the machine slept, the recorder stood still or was not there."""
    RESTART = "restart"
    """The machine was started anew."""
    CLOCK = "clock"
    """The clock of the wall was set; the steady clock tells by how much."""
    CAME = "came"
    """A device or disk is there that was not."""
    WENT = "went"
    """A device or disk is gone."""
    LIMIT = "limit"
    """A value is beyond the limit that its screen calls bad."""
    HOLE = "hole"
    """A part of the recording is damaged and cannot be read."""
    NOTE = "note"
    """What a person wrote."""


class Event(NamedTuple):
    """One thing that happened, from `begin` to `end`, both UTC in ns; the same for what has no length."""

    what: What
    begin: int
    end: int
    thing: str = ""
    """The key of what it happened to: a bus id, a channel path, a partition; empty for the machine."""
    text: str = ""
    """One sentence for people."""
    screen: str = ""
    """The command of the screen that shows it, for limits."""

    @property
    def exception(self) -> bool:
        """Whether a person who looks for trouble wants to be taken there."""
        return self.what not in {What.NOTE, What.CAME}
