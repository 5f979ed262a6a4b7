"""The samples of one source in time order: live, recorded, captured or simulated.

A timeline is made of sections that follow one another without a seam, such as the day files of a directory.
Samples are numbered within a section, because numbers for a whole directory would need all its files to be
opened.  So a position is a section and a number.  It stays valid while sections come and go.
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from bisect import bisect_left
from itertools import pairwise
from operator import attrgetter
from types import MappingProxyType

from zmon.base.event import Event, What
from zmon.base.light_typing import TYPE_CHECKING, Final, Protocol
from zmon.base.record import NamedTuple
from zmon.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.base.event import ExceptionEntry
    from zmon.kernel.capture_tree import CapturedTree
    from zmon.machine.view import FleetFill
    from zmon.sample import Kind, Sample
    from zmon.store.reader import Recording
    from zmon.topology.machine import UserInputs

    Span = tuple[int, int]
    """Begin and end, UTC in ns since 1970."""

BUCKETS: Final = 60
"""Parts into which the load of a timeline is divided."""

READ_ONLY: Final = "what is there is only read; notes go into what is recorded: zmon --record FILE"


class NoteError(LookupError):
    """A note cannot be written; says why."""


class Section(ABC):
    """Samples that are numbered from 0: a recording file, a capture, a simulated machine."""

    name = ""
    order: int | str = 0
    """Sections of a timeline are sorted by this."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples."""

    @abstractmethod
    def sample(self, number: int) -> Sample | None:
        """Return a sample; None if it is damaged."""

    @abstractmethod
    def number_at(self, utc: int) -> int:
        """Return the number of the last sample at a time or before; there is one."""

    @abstractmethod
    def span(self) -> Span | None:
        """Return the times of the first and the last sample; None without samples."""

    def reach(self) -> Span | None:
        """Return the times between which its samples must lie, if that is known without opening it."""
        return None

    @property
    def recording(self) -> Recording | None:
        """The recording that holds the samples, if they are recorded."""
        return None

    previews = False
    """Whether it has previews, because it takes long to make its samples."""

    def preview(self, _utc: int) -> Interval | None:
        """Return the interval that ends at a time, if it is known sooner than its two samples.

        Its counters need not begin where those of the samples do; what it has per second is the same.
        """
        return None

    def first_look(self, _utc: int) -> Interval | None:
        """Return a short interval that ends about a time; None where its preview is known as soon."""
        return None

    def last_unreadable(self, number: int, _step: int) -> int:
        """Return the last of the samples, from a damaged one on, that need not be tried."""
        return number

    def join(self, before: Section) -> None:  # noqa: B027 - most have no section before them
        """Share the frames that were not read again since the last sample of the section before."""

    def events(self, _begin: int, _end: int) -> Sequence[Event]:
        """Return the events between two times."""
        return ()

    def damage(self) -> Sequence[str]:
        """Return what was found damaged in what was read by now."""
        return ()

    def seam(self, _before: Section) -> Sequence[Event]:
        """Return the events between the last sample of the section before, and the first of this one."""
        begin = (self.span() or (0, 0))[0]
        return [Event(What.RESTART, begin, begin, text=f"Here begins {self.name}")]

    def refresh(self) -> None:  # noqa: B027 - most do not grow
        """Look for samples that were added."""

    def close(self) -> None:  # noqa: B027 - most hold nothing open
        """Close what is open."""


class EventLog(Protocol):
    """What is known of a timeline's exceptions."""

    def follow(self, sample: Sample) -> None:
        """Judge the next sample of a live machine."""

    def complete(self, until: int) -> None:
        """Judge recorded samples up to a time."""

    def in_place(self, events: Sequence[Event], begin: int, end: int) -> list[Event]:
        """Return events between two times with the exceptions that are known."""


class Position(NamedTuple):
    """A sample and where it is on its timeline."""

    section: Section
    number: int
    sample: Sample

    @property
    def utc(self) -> int:
        """When the sample was taken, in ns since 1970."""
        return self.sample.at.utc


class Overview(NamedTuple):
    """A whole timeline at a glance: its time, its events, and how busy the machine was."""

    begin: int
    end: int
    events: Sequence[Event] = ()
    load: Sequence[Number] = ()
    """For each of as many equal parts of the time; empty where it is unknown."""


class Timeline:
    """The samples of one source.  It has no position, so threads may share it."""

    live = False
    """Whether `take` takes a sample now."""
    keeps_notes = True
    """Whether a note that was taken outlasts the session."""
    problem = ""
    """Why the last sample was not kept; empty if it was, and while the reason stays the same."""
    stale_since = 0
    """When the last figures came of a live source that does not answer now, UTC in ns; 0 while it does."""
    stale_reason = ""
    """Why it does not answer."""
    log: EventLog | None = None
    """Its exceptions, once somebody has asked for them."""
    site = ""
    """The site file that was named, whose profile of rules counts."""
    inputs: Callable[[], UserInputs] | None = None
    """Returns what users supply about the machine, so that rules have the same LCUs as the screens."""
    asked: Sequence[str] = ()
    """The options that name it and what users supply, as they were given on the command line."""
    remarks: Sequence[str] = ()
    """What of the source was left out."""
    texts: CapturedTree | None = None
    """The pass that has collected texts, which may be of several hosts."""
    strange: Sequence[str] = ()
    """What of collected texts was not understood."""
    fleet: FleetFill | None = None
    """Fills the tables of a fleet; None where one system is looked at."""
    systems: Mapping[str, str] = MappingProxyType({})
    """The recordings of a fleet's systems, by name; empty for one that is not at hand."""

    def __init__(
        self, name: str, sections: Callable[[], Sequence[Section]], refusal: str = READ_ONLY
    ) -> None:
        """`sections` lists those that exist by now; `refusal` is why no notes are taken."""
        self.name = name
        self._list = sections
        self._refusal = refusal
        self._sections: Sequence[Section] = ()
        self._newest: Interval | None = None
        """That of the live machine that was asked for last."""

    def interval(self, before: Sample | None, after: Sample) -> Interval:
        """Return the interval between two live samples.

        Rules and the glass ask for the same one, each in its thread: so differences are computed once.
        """
        newest = self._newest
        if newest is None or newest.before is not before or newest.after is not after:
            newest = self._newest = Interval(before, after)
        return newest

    def want(self, kinds: Collection[Kind]) -> None:
        """Have what is about these kinds read of a live machine, where that is read on demand."""

    def system_of(self, _entry: ExceptionEntry) -> str:
        """Return which system of a fleet an exception is of; empty where one system is looked at."""
        return ""

    # one sample

    def next(self, position: Position | None = None) -> Position | None:
        """Return the position behind another, the first without one; None at the end."""
        place = _behind(self._sections, *_place(self._sections, position))
        if place is None:
            self.refresh()
            place = _behind(self._sections, *_place(self._sections, position))
        return _readable(self._sections, place, 1)

    @property
    def previews(self) -> bool:
        """Whether a section has previews."""
        return any(section.previews for section in self.refresh())

    def preview(self, utc: int | None = None) -> Interval | None:
        """Return the interval that ends at a time, by default the last, if a section has a preview of it."""
        section, utc = self._section_at(utc)
        return None if section is None else section.preview(utc)

    def first_look(self) -> Interval | None:
        """Return a short interval about the end, if the preview of the last interval takes long."""
        section, utc = self._section_at(None)
        return None if section is None else section.first_look(utc)

    def _section_at(self, utc: int | None) -> tuple[Section | None, int]:
        """Return the last section that begins before a time, by default the end, and the time."""
        spans = [(section, span) for section in self.refresh() if (span := section.span()) is not None]
        at = spans[-1][1][1] if spans and utc is None else utc or 0
        near = [section for section, span in spans if span[0] <= at]
        return near[-1] if near else None, at

    def previous(self, position: Position) -> Position | None:
        """Return the position before another; None at the begin."""
        sections = self._sections
        return _readable(sections, _before(sections, *_place(sections, position)), -1)

    def find(self, utc: int) -> Position | None:
        """Return the position of the last sample at a time or before; None if all are later."""
        sections = self._sections or self.refresh()
        for index in range(len(sections) - 1, -1, -1):
            section = sections[index]
            reach = section.reach()
            span = section.span() if reach is None or reach[0] <= utc else None
            if span is not None and span[0] <= utc:
                return _readable(sections, (index, section.number_at(utc)), -1)
        return None

    def intervals(self, position: Position | None) -> Iterator[Interval]:
        """Yield the intervals from the one that ends at a position backwards; none without a position."""
        while position is not None:
            before = self.previous(position)
            yield Interval(None if before is None else before.sample, position.sample)
            position = before

    def samples(self) -> Iterator[Sample]:
        """Yield all samples."""
        position: Position | None = None
        while (position := self.next(position)) is not None:
            yield position.sample

    def take(self) -> Sample:
        """Take a sample now; on live timelines only."""
        raise NotImplementedError

    def glance(self) -> Sample:
        """Take a sample now that is not kept; on the timeline of this machine only."""
        raise NotImplementedError

    # all of it

    @property
    def empty(self) -> bool:
        """Whether there is nothing to go back to, as far as is known without opening files."""
        return not self._list()

    def refresh(self) -> Sequence[Section]:
        """Look for sections that came or went and for samples that were added."""
        self._sections = sections = self._list()
        for section in sections[-2:]:
            section.refresh()
        return sections

    def span(self) -> Span | None:
        """Return the times of the first and the last sample; the end grows while samples are recorded."""
        sections = self.refresh()
        first = next((span for section in sections if (span := section.span()) is not None), None)
        last = next((span for section in reversed(sections) if (span := section.span()) is not None), None)
        return None if first is None or last is None else (first[0], last[1])

    def events(self, begin: int, end: int) -> list[Event]:
        """Return the events between two times, those between sections among them, in the order of begin."""
        self.refresh()
        events_found: list[Event] = []
        earlier: Section | None = None
        for section in self._near(begin, end):
            events_found += section.events(begin, end)
            span = section.span()
            if span is None:
                continue
            before = None if earlier is None else earlier.span()
            if earlier is not None and before is not None and before[1] <= end and span[0] >= begin:
                events_found += (e for e in section.seam(earlier) if e.begin <= end and e.end >= begin)
            earlier = section
        if self.log is not None:
            events_found = self.log.in_place(events_found, begin, end)
        return sorted(events_found, key=attrgetter("begin"))

    def _near(self, begin: int, end: int) -> Sequence[Section]:
        """Return the sections that may have samples between two times, and one more on either side."""
        sections = self._sections or self.refresh()
        reaches = [section.reach() or (begin, end) for section in sections]
        low = next((index for index, reach in enumerate(reaches) if reach[1] >= begin), len(reaches))
        high = next((index for index in range(len(reaches) - 1, -1, -1) if reaches[index][0] <= end), -1)
        return sections[max(0, low - 1) : high + 2]

    def recordings(self, begin: int, end: int) -> list[Recording]:
        """Return the recordings that may have samples between two times."""
        recordings = (section.recording for section in self._near(begin, end))
        return [recording for recording in recordings if recording is not None]

    def load(self, begin: int, end: int, buckets: int) -> Sequence[Number]:
        """Return the load of the machine in `buckets` equal parts of a time; empty if unknown."""
        recordings = self.recordings(begin, end)
        if not recordings:
            return ()
        from zmon.store.file_format import RecordingError  # noqa: PLC0415 - a capture needs no SQLite
        from zmon.trends.trend import load  # noqa: PLC0415 - printing needs no curve

        try:
            return load(recordings, begin, end, buckets)
        except RecordingError:
            return ()  # an event reports the damage

    def damage(self) -> str:
        """Return what was found damaged in what was read by now, as one sentence; empty if nothing was."""
        damages = [damage for section in self._list() for damage in section.damage()]
        if not damages:
            return ""
        many, them = ("1 part", "it") if len(damages) == 1 else (f"{len(damages):,} parts", "them")
        first = damages[0].removeprefix(f"{self.name}: ")
        return (
            f"{self.name}: {many} of the recording cannot be read, and what was in {them} is missing, "
            f"the first: {first}; zmon info --check {shlex.quote(self.name)} names all"
        )

    def overview(self, buckets: int = BUCKETS) -> Overview | None:
        """Return the whole timeline at a glance; None without samples."""
        span = self.span()
        return None if span is None else Overview(*span, self.events(*span), self.load(*span, buckets))

    def note(self, _utc: int, _text: str) -> None:
        """Record a note on a time.

        Raises:
            NoteError: this timeline takes none.
        """
        raise NoteError(self._refusal)

    def close(self) -> None:
        """Close what is open; the timeline is not used any more."""
        for section in self._list():
            section.close()


def spliced(sections: Sequence[Section], refusal: str = READ_ONLY) -> Timeline:
    """Return the timeline of several machines or times, one after the other; empty sections are left out.

    Raises:
        ValueError: a section begins before the one before has ended.
    """
    spans = [(section, span) for section in sections if (span := section.span()) is not None]
    for (section_before, (_, end)), (other, (begin, _)) in pairwise(spans):
        if begin <= end:
            raise ValueError(
                f"{other.name} begins before {section_before.name} has ended; they cannot be spliced"
            )
    for order, (section, _) in enumerate(spans):
        section.order = order
    sections_kept = [section for section, _ in spans]
    return Timeline(", then ".join(section.name for section in sections), lambda: sections_kept, refusal)


def _place(sections: Sequence[Section], position: Position | None) -> tuple[int, int]:
    """Return the index of a position's section, and its number; before the next section if it was removed."""
    if position is None:
        return -1, -1
    index = bisect_left(sections, position.section.order, key=attrgetter("order"))
    is_there = index < len(sections) and sections[index] is position.section
    return index, position.number if is_there else -1


def _behind(sections: Sequence[Section], index: int, number: int) -> tuple[int, int] | None:
    if 0 <= index < len(sections) and number + 1 < len(sections[index]):
        return index, number + 1
    return next(((later, 0) for later in range(index + 1, len(sections)) if len(sections[later])), None)


def _before(sections: Sequence[Section], index: int, number: int) -> tuple[int, int] | None:
    if number > 0:
        return index, number - 1
    earlier = range(index - 1, -1, -1)
    return next(((index, count - 1) for index in earlier if (count := len(sections[index]))), None)


def _readable(sections: Sequence[Section], place: tuple[int, int] | None, step: int) -> Position | None:
    """Return the position at a place, or the next one in a direction (1 or -1) that is not damaged."""
    while place is not None:
        index, number = place
        section = sections[index]
        sample = section.sample(number)
        if sample is not None:
            earlier = _before(sections, index, 0) if number == 0 else None
            if earlier is not None:
                section.join(sections[earlier[0]])
            return Position(section, number, sample)
        number = section.last_unreadable(number, step)
        place = _behind(sections, index, number) if step > 0 else _before(sections, index, number)
    return None
