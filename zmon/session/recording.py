"""Recordings as a timeline: one file, or the day files of a directory; and an excerpt of it for copying.

A file that is still being written grows at its end, and so does a directory, at midnight.  A file that cannot
be used is a hole in the timeline, and the others go on.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress

from zmon.base.clock import END_OF_TIME
from zmon.base.event import Event, What
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.interval import Interval
from zmon.session.timeline import Position, Section, Timeline
from zmon.session.when import WhenError, parse_when
from zmon.store.changes import events_between
from zmon.store.day import days, parse_name
from zmon.store.file_format import RecordingError
from zmon.store.open import stamp
from zmon.store.reader import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from zmon.sample import Sample
    from zmon.session.timeline import Span

REFUSAL: Final = "a recording is only read; notes go into what is being recorded: zmon --record FILE"

MAX_FILES: Final = 1_500
"""Files of a directory that are used, the newest: four years of days."""

MAX_UNLINKED: Final = 2
"""Files that were unlinked meanwhile and are kept open."""


class RecordingSection(Section):
    """One recording, opened when it is needed."""

    def __init__(self, path: str, recording: Recording | None = None, order: int = 0) -> None:
        """Open the file later; or use a recording that is open already."""
        self.name = self.path = path
        self.order = order
        self._recording = recording
        self._own = recording is None
        self.problem = ""
        """Why it cannot be used."""
        self._seen: object = None
        """The stamp of the file when it could not be used."""
        self._damage: dict[str, None] = {}
        """Why samples cannot be read."""
        self._damage_at_end: Sequence[str] | None = None
        """What was found damaged before it was closed; what is read of it later is not its fault."""
        self._joined: Sample | None = None
        """The last sample of the section before, whose frames are shared as long as it lives."""

    @property
    def recording(self) -> Recording | None:
        """The recording; None if it cannot be used, or was closed."""
        if self._damage_at_end is not None:
            return None
        if self._recording is None and (not self.problem or self._seen != stamp(self.path)):
            self._seen = stamp(self.path)
            try:
                self._recording = Recording(self.path)
                self.problem = ""
            except RecordingError as error:
                self.problem = str(error)
        return self._recording

    def __len__(self) -> int:
        return len(self.recording) if self.recording is not None else 0

    def sample(self, number: int, kinds: Collection[str] | None = None) -> Sample | None:
        """Return a sample, of some kinds only if so wanted; None if not even its time can be read."""
        try:
            return None if self.recording is None else self.recording.sample(number, kinds)
        except IndexError:
            return None
        except RecordingError as error:
            self._damage[str(error)] = None
            return None

    def number_at(self, utc: int) -> int:
        """Return the number of the last sample at a time or before."""
        return 0 if self.recording is None else self.recording.place(utc)

    def span(self) -> Span | None:
        """Return the times of the first and the last sample."""
        return self.recording.span() if self.recording is not None else None

    def reach(self) -> Span | None:
        """Return the begin and the end of the day that the file is named after."""
        name = parse_name(self.path)
        return None if name is None else (name.begin, name.end)

    def last_unreadable(self, number: int, step: int) -> int:
        """Return the last of the missing samples."""
        return number if self.recording is None else self.recording.passed(number, step)

    def join(self, before: Section) -> None:
        """Share the frames that were not read again since the last sample of the section before."""
        if self._joined is None and self.recording is not None:
            with suppress(RecordingError):
                self._joined = before.sample(len(before) - 1)
                self.recording.adopt(self._joined.frames if self._joined is not None else {})

    def events(self, begin: int, end: int) -> list[Event]:
        """Return the events between two times; a hole for a file that cannot be used."""
        recording, span = self.recording, self.span()
        hole = span if recording is not None else self.reach() or (begin, begin)
        if hole is None or hole[0] > end or hole[1] < begin:
            return []
        if recording is None:
            return [Event(What.HOLE, *hole, text=self.problem)] if self.problem else []
        try:
            return recording.events(begin, end)
        except RecordingError as error:
            return [Event(What.HOLE, *hole, text=str(error))]

    def damage(self) -> Sequence[str]:
        """Return what was found damaged in what was read by now; also samples that are missing at its end."""
        if self._damage_at_end is not None:
            return self._damage_at_end
        if self._recording is None:
            return (self.problem,) if self.problem else ()
        damages = {**self._damage, **{hole.text: None for hole in self._recording.holes}}
        lost = self._recording.lost_end()
        return (*damages, lost) if lost else (*damages,)

    def seam(self, before: Section) -> list[Event]:
        """Return the exceptions between the last sample of the section before and the first one here."""
        last, first = before.sample(len(before) - 1), self.sample(0)
        if last is None or first is None:
            return []
        return [event for event in events_between(last, first) if event.exception]

    def refresh(self) -> None:
        """Look for samples that were added."""
        with suppress(RecordingError):  # samples that were read before can be read again
            if self.recording is not None:
                self.recording.refresh()

    def close(self) -> None:
        """Close the file if it was opened here; it has no samples from then on."""
        if self._own and self._damage_at_end is None:
            self._damage_at_end = self.damage()
            if self._recording is not None:
                self._recording.close()


def sections_of(path: str) -> Callable[[], list[RecordingSection]]:
    """Return what lists the sections of a file, or of the day files of a directory.

    Raises:
        RecordingError: it cannot be used, or the directory has no recording that can.
    """
    if os.path.isdir(path):
        return _of_directory(path)
    section = RecordingSection(path)
    if section.recording is None:
        raise RecordingError(section.problem)
    return lambda: [section]


def _of_directory(path: str) -> Callable[[], list[RecordingSection]]:
    sections_before: dict[str, RecordingSection] = {}
    unlinked: list[RecordingSection] = []
    lock = threading.Lock()  # the glass and its worker may list at the same time

    def sections() -> list[RecordingSection]:
        with lock:
            return listed()

    def listed() -> list[RecordingSection]:
        try:
            files = {file.path: file for file in days(path).days[-MAX_FILES:]}
        except OSError as error:
            if sections_before:
                return list(sections_before.values())
            raise RecordingError(f"{path}: {error.strerror}") from error
        # what retention has unlinked can be read as long as it is open, and the session may look at it now
        unlinked.extend(sections_before.pop(name) for name in sorted(sections_before.keys() - files.keys()))
        while len(unlinked) > MAX_UNLINKED:
            unlinked.pop(0).close()
        for name, file in files.items():
            sections_before.setdefault(name, RecordingSection(name, order=file.begin + file.part))
        return [sections_before[name] for name in files]

    first = sections()
    if not first:
        raise RecordingError(f"{path}: there is no recording in it; zmon record writes NNNN-NN-NN.zmon")
    if not any(section.recording is not None for section in reversed(first)):
        raise RecordingError(first[-1].problem)
    return sections


def open_recording(path: str) -> Timeline:
    """Return the timeline of a recording, or of a directory of them.

    Raises:
        RecordingError: it cannot be used.
    """
    return Timeline(path, sections_of(path), REFUSAL)


class Excerpt(Timeline):
    """The samples of a recording, or of a directory of them, between two times; for copying.

    Each sample is yielded once, in the order in which they were taken, and none is kept.
    """

    def __init__(self, path: str) -> None:
        """Open a file, or the day files of a directory; at first all of it.

        Raises:
            RecordingError: it cannot be used.
        """
        self.sections = sections_of(path)()
        super().__init__(path, lambda: self.sections, REFUSAL)
        self.begin = 0
        self.end = END_OF_TIME
        self.unread = 0
        """Samples that were left out because not even their times can be read."""

    def confine(self, since: str | None, until: str | None, now: int) -> None:
        """Go from one time to another, in the words of `parse_when`; distances are counted from the end.

        `+10m` as the second is counted from the first.

        Raises:
            WhenError: the words name no time, or the second lies before the first.
        """
        span = self.span()
        last = None if span is None else span[1]
        if since is not None:
            self.begin = parse_when(since, now, last, span)
        if until is not None:
            ahead = until.lstrip().startswith("+") and since is not None
            self.end = parse_when(until, now, self.begin if ahead else last, span)
        if self.end < self.begin:
            raise WhenError(f"the end, {until!r}, lies before the begin, {since!r}")

    def chosen(self, kinds: Collection[str] | None = None, *, lead: bool = False) -> Iterator[Sample]:
        """Yield the samples, with only some kinds of things if so wanted.

        With `lead`, the sample before the first is yielded, too, if their interval is no gap: without it
        nothing would be known of the time up to the first.
        """
        before: Sample | None = None
        for section, recording, numbers in self._inside():
            if lead and before is None:
                before = self._lead(section, numbers.start)
                if before is not None:
                    yield before
            number = numbers.start - 1
            while (number := number + 1) < numbers.stop:
                sample = section.sample(number, kinds)
                if sample is None:
                    last = max(number, min(recording.passed(number, 1), numbers.stop - 1))
                    self.unread += last - number + 1
                    number = last
                    continue
                if number == 0 and before is not None:
                    recording.adopt(before.frames)
                yield sample
                before = sample

    def _lead(self, section: RecordingSection, first: int) -> Sample | None:
        """Return the sample before one of a section, unless samples are missing between them."""
        after = section.sample(first)
        before = None if after is None else self.previous(Position(section, first, after))
        if before is None or after is None or before.sample.at.boot != after.at.boot:
            return None
        return None if Interval(before.sample, after).gap else before.sample

    def _inside(self) -> Iterator[tuple[RecordingSection, Recording, range]]:
        """Yield the files that have samples between the times, and which."""
        for section in self.sections:
            recording = section.recording
            try:
                numbers = recording.numbers(self.begin, self.end) if recording is not None else range(0)
            except RecordingError as error:
                section.problem = str(error)
                continue
            if recording is not None and numbers:
                yield section, recording, numbers

    def parts(self) -> Iterator[tuple[Recording, range]]:
        """Yield the files that have samples between the times, with the numbers of these."""
        for _section, recording, numbers in self._inside():
            yield recording, numbers

    def __len__(self) -> int:
        return sum(len(numbers) for _section, _recording, numbers in self._inside())

    def recordings_inside(self) -> list[Recording]:
        """Return the recordings that have samples between the times."""
        return [recording for _section, recording, _numbers in self._inside()]

    def problems(self) -> list[str]:
        """Return why files cannot be read, a sentence for each."""
        return [section.problem for section in self.sections if section.problem]

    @property
    def kinds(self) -> list[str]:
        """The names of the kinds of things that were ever sampled."""
        recordings = [section.recording for section in self.sections]
        return sorted({kind for recording in recordings if recording is not None for kind in recording.kinds})

    def recorded_events(self) -> list[Event]:
        """Return the events of the files; what began before or ended later is cut at the times."""
        events = (e for _, recording, _ in self._inside() for e in recording.events(self.begin, self.end))
        return [e._replace(begin=max(e.begin, self.begin), end=min(e.end, self.end)) for e in events]
