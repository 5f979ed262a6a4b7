"""Events beside the counters: a gap, a restart, a clock that was set, an exception, a note.

Events are rows of a recording, marks on its time line, and places to jump to.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType

from zmon.base.clock import END_OF_TIME
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.base.absent import Absent, Number, Value


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
    CHANGE = "change"
    """The I/O configuration changed: a path, a label, a capacity; the text has both values."""
    LIMIT = "limit"
    """A rule held: an exception.  In recordings of an older zmon: a value was beyond its screen's limit."""
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

    # a recording has no more than the text, which is read here alone

    @property
    def kind(self) -> str:
        """The kind of a thing that came or went: `block`."""
        return self.text.partition(" ")[0]

    @property
    def names_thing(self) -> bool:
        """Whether the text says of the thing that it came or went; those of anonymous recordings do not."""
        return bool(self.thing) and f" {self.thing} " in self.text

    @property
    def says_length(self) -> bool:
        """Whether the text of a gap says how long it is, which those of older recordings do not."""
        return self.what is What.GAP and self.text.startswith(GAP)

    def renamed(self, name: str) -> Event:
        """Return the event with another name of its thing in the text."""
        return self._replace(text=self.text.replace(self.thing, name, 1))


GAP: Final = "No samples: "
MOVED: Final = {What.CAME: "is there now", What.WENT: "is gone"}


def gap(begin: int, end: int, long: str) -> Event:
    """Return the event that samples are missing."""
    return Event(What.GAP, begin, end, text=f"{GAP}{long}")


def moved(what: What, utc: int, kind: str, thing: str) -> Event:
    """Return the event that a thing came or went."""
    return Event(what, utc, utc, thing, f"{kind} {thing} {MOVED[what]}")


LOOK: Final = 1
BAD: Final = 2
LEVELS: Final = ("", "look", "bad")
"""How the levels of exceptions are called, in this order."""

OPEN: Final = ""
OVER: Final = "over"
INTERRUPTED: Final = "interrupted"
GONE: Final = "gone"


class ExceptionEntry(NamedTuple):
    """One exception: a rule that held for one row of a table, from begin to end.  Times are UTC in ns."""

    rule: str
    """The name of the rule, and a few characters that change with it."""
    digest: str
    table: str
    key: str
    """The row's key; empty for the row of all rows."""
    where: str
    """What the row is called."""
    begin: int
    """Where the first interval began in which it held."""
    end: int
    """Where the last interval ended in which it held."""
    level: int
    """The highest it had: `LOOK` or `BAD`."""
    worst: Value
    """What was compared with the limits, in the worst interval."""
    worst_begin: int
    worst_end: int
    limit: Number
    """The limit of the level."""
    mean: Number
    """Over the intervals in which it held, by their length."""
    intervals: int
    sentence: str
    """What the rule says of the worst interval."""
    cause: str = ""
    """The diagnosis that the rule points to: D4."""
    weight: float = 1.0
    group: str = ""
    """What exceptions of the rule have in common that are put together when they are many."""
    state: str = OPEN
    """Empty while it is open; else how it ended: over, interrupted, gone, or `not known: REASON`."""
    number: int = 0
    """Its number in the log of a timeline, by begin from 1."""
    many: int = 1
    """How many exceptions it stands for: the worst of them is described."""
    unit: str = ""
    """Of the worst value, the limit and the mean."""

    @property
    def seconds(self) -> float:
        """How long it lasted."""
        return (self.end - self.begin) / 1_000_000_000

    @property
    def until(self) -> int:
        """Up to when it is open: while nobody knows that it is over, it is."""
        return END_OF_TIME if self.state == OPEN else self.end

    @property
    def words(self) -> str:
        """The sentence, and how many other exceptions it is about."""
        others = self.many - 1
        return f"{self.sentence}; {others} other{'s' * (others > 1)} likewise" if others else self.sentence

    @property
    def told(self) -> str:
        """The same where it stands beside its begin: that it is of the worst interval, if that came later."""
        return f"{self.words} (at worst)" if self.worst_begin > self.begin else self.words

    @property
    def heaviness(self) -> tuple[float | str, ...]:
        """Sorts the heaviest first: level, weight, then the longest."""
        return -self.level, -self.weight, -self.seconds, self.rule, self.key

    @property
    def rank(self) -> tuple[float | str, ...]:
        """Sorts what is open first, the heaviest before the others, then the newest: as lists have them."""
        newest = 0 if self.state == OPEN else -self.begin
        return self.state != OPEN, newest, *self.heaviness


def worst_of(entries: Iterable[ExceptionEntry]) -> ExceptionEntry | None:
    """Return the worst exception; None where there is none."""
    return min(entries, key=lambda entry: entry.heaviness, default=None)


class Exceptions(NamedTuple):
    """The exceptions of a time, by their begin, and how far that is known."""

    entries: tuple[ExceptionEntry, ...] = ()
    begin: int = 0
    """The first sample that was judged."""
    until: int = 0
    """Up to when samples were judged."""
    end: int = 0
    """The time of the last sample; later than `until` while they are still judged."""
    unknown: Mapping[str, Absent] = MappingProxyType({})
    """Why rules could not be judged, by name."""
    problem: str = ""
    """Why the user's own rules are not used."""
    anew: str = ""
    """The command that judges by the rules of today; empty where these were used."""

    def open_at(self, utc: int) -> list[ExceptionEntry]:
        """Return those that are open at a time, the heaviest first; also those that have just ceased to hold.

        An exception stays open until its rule has not held for as long as the rule says (`keep`).
        """
        open_entries = (entry for entry in self.entries if entry.begin < utc <= entry.until)
        return sorted(open_entries, key=lambda entry: entry.heaviness)
