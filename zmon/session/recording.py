"""Recordings as a tape: one file, or the day files of a directory joined without a seam.

A file that is still being written grows at its end, and so does a directory, at midnight.  A file that
cannot be used is a hole in the tape, and the others go on.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.event import Event, What
from zmon.interval import Interval
from zmon.session.tape import NoNote
from zmon.store.day import days, parse_name
from zmon.store.error import RecordingError
from zmon.store.happened import events as happened
from zmon.store.opening import stamp
from zmon.store.reader import Recording
from zmon.tables.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.absent import Number
    from zmon.sample import Sample
    from zmon.tables.figure import Variable

UNKNOWN: Final = absent("not known in this minute, or there are no samples")

JOINED: Final = 1_500
"""Files of a directory that are looked at, the newest: four years of days."""

KEPT: Final = 2
"""Files that were unlinked meanwhile and are kept open."""


class Part:
    """One recording of a tape, opened when it is needed."""

    def __init__(self, path: str, recording: Recording | None = None) -> None:
        """Promise a file; or have a recording that is open already."""
        self.path = path
        self._recording = recording
        self._own = recording is None
        self.problem = ""
        """Why it cannot be used."""
        self._seen: object = None
        """What the file was when it could not be used."""

    @property
    def recording(self) -> Recording | None:
        """The recording; None when it cannot be used."""
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

    def span(self) -> tuple[int, int] | None:
        """Return when its first and last sample were taken."""
        return self.recording.span() if self.recording is not None else None

    def refresh(self) -> bool:
        """Look for samples that were added."""
        try:
            return self.recording is not None and self.recording.refresh()
        except RecordingError:  # what was read of it before can be read again
            return False

    def close(self) -> None:
        """Close the file, if it was opened here."""
        if self._recording is not None and self._own:
            self._recording.close()
            self._recording = None


def of_file(path: str) -> Callable[[], Sequence[Part]]:
    """Return the parts of a tape that is one file.

    Raises:
        RecordingError: it cannot be used.
    """
    part = Part(path)
    if part.recording is None:
        raise RecordingError(part.problem)
    return lambda: [part]


def of_directory(path: str) -> Callable[[], Sequence[Part]]:
    """Return the parts of a tape that is the day files of a directory; it is listed again each time.

    Raises:
        RecordingError: there are none, or none that can be used.
    """
    known: dict[str, Part] = {}
    unlinked: list[Part] = []
    lock = threading.Lock()  # tapes that read the directory together do so in several threads

    def parts() -> Sequence[Part]:
        with lock:
            return listed()

    def listed() -> Sequence[Part]:
        try:
            found = [file.path for file in days(path).days][-JOINED:]
        except OSError as error:
            if known:
                return list(known.values())
            raise RecordingError(f"{path}: {error.strerror}") from error
        # what retention has unlinked can be read as long as it is open, and somebody may look at it now
        unlinked.extend(known.pop(gone) for gone in sorted(known.keys() - set(found)))
        while len(unlinked) > KEPT:
            unlinked.pop(0).close()
        for one in found:
            known.setdefault(one, Part(one))
        return [known[one] for one in found]

    first = parts()
    if not first:
        raise RecordingError(f"{path}: there is no recording in it; zmon record writes NNNN-NN-NN.zmon")
    if not any(part.recording is not None for part in reversed(first)):
        raise RecordingError(first[-1].problem)
    return parts


class RecordingTape:
    """Samples of recordings in the order in which they were taken."""

    live = False

    def __init__(self, name: str, parts: Callable[[], Sequence[Part]]) -> None:
        """Stand before the first sample; `parts` says what recordings there are by now."""
        self.name = name
        self._list = parts
        self._parts = list(parts())
        self._place: tuple[int, int] | None = None
        """Part and number of the present sample."""
        self._joined: dict[str, Sample | None] = {}
        """For files whose begin is joined to the end of the one before: that end, which must live as long."""

    def close(self) -> None:
        """Close all files."""
        for part in self._parts:
            part.close()

    def _renew(self) -> None:
        """Look for recordings that came or went, and for samples that came."""
        before = self._parts
        now = list(self._list())
        if self._place is not None and now[: len(before)] != before:
            at, number = self._place
            left = sum(1 for one in before[:at] if one in now)
            if before[at] in now:
                self._place = now.index(before[at]), number
            else:  # it goes on with the first file behind the one that is gone
                self._place = (left - 1, len(now[left - 1]) - 1) if left else None
        self._parts = now
        for part in now[-2:]:
            part.refresh()

    def _sample(self, part: int, number: int) -> Sample | None:
        """Return a sample; None when its place in the file cannot be read."""
        recording = self._parts[part].recording
        if recording is None:
            return None
        try:
            sample = recording.sample(number)
        except (RecordingError, IndexError):
            return None
        if number == 0 and part and self._parts[part].path not in self._joined:
            self._join(part, recording)
        return sample

    def _join(self, part: int, recording: Recording) -> None:
        """Have frames that were not read again since the recording before be the same frames here."""
        before = self._before(part, 0)
        earlier = self._parts[before[0]].recording if before is not None else None
        last = None
        if before is not None and earlier is not None:
            with suppress(RecordingError):
                last = earlier.sample(before[1])
                recording.adopt(last.frames)
        self._joined[self._parts[part].path] = last

    def _passed(self, part: int, number: int, step: int) -> int:
        """Return the last sample, from one that cannot be read on, before the next that might be."""
        recording = self._parts[part].recording
        return number if recording is None else recording.passed(number, step)

    def _behind(self, part: int, number: int) -> tuple[int, int] | None:
        """Return the place behind a place."""
        if 0 <= part < len(self._parts) and number + 1 < len(self._parts[part]):
            return part, number + 1
        for later in range(part + 1, len(self._parts)):
            if len(self._parts[later]):
                return later, 0
        return None

    def _before(self, part: int, number: int) -> tuple[int, int] | None:
        """Return the place before a place."""
        if number > 0:
            return part, number - 1
        for earlier in range(part - 1, -1, -1):
            if count := len(self._parts[earlier]):
                return earlier, count - 1
        return None

    def next(self) -> Sample | None:
        """Go to the next sample; see `Tape.next`."""
        place = self._place or (-1, -1)
        found = self._behind(*place)
        if found is None:
            self._renew()
            found = self._behind(*(self._place or (-1, -1)))
        while found is not None:
            sample = self._sample(*found)
            if sample is not None:
                self._place = found
                return sample
            found = self._behind(found[0], self._passed(*found, 1))
        return None

    def previous(self) -> Sample | None:
        """Go to the sample before; see `Tape.previous`."""
        found = self._before(*self._place) if self._place is not None else None
        while found is not None:
            sample = self._sample(*found)
            if sample is not None:
                self._place = found
                return sample
            found = self._before(found[0], self._passed(*found, -1))
        self._place = None
        return None

    def seek(self, utc: int) -> Sample | None:
        """Go to the last sample at a time or before; see `Tape.seek`."""
        self._renew()
        found = self._place_of(utc) or self._behind(-1, -1)
        if found is None:
            return None
        sample = self._sample(*found)
        if sample is None:  # its very line is damaged
            self._place = found
            return self.previous() or self.next()
        self._place = found
        return sample

    def _place_of(self, utc: int) -> tuple[int, int] | None:
        """Return the place of the last sample at a time or before."""
        for at in range(len(self._parts) - 1, -1, -1):
            span = self._parts[at].span() if self._may_hold(at, utc) else None
            recording = self._parts[at].recording if span is not None else None
            if span is not None and recording is not None and span[0] <= utc:
                return at, recording.place(utc)
        return None

    def _may_hold(self, at: int, utc: int) -> bool:
        """Tell whether a file can hold a sample of a time or before; its name may tell unopened."""
        day = _day_of(self._parts[at].path)
        return day is None or day[0] <= utc

    def span(self) -> tuple[int, int] | None:
        """Return when the first and the last sample were taken."""
        self._renew()
        first, last = (
            next((span for part in parts if (span := part.span()) is not None), None)
            for parts in (self._parts, reversed(self._parts))
        )
        return None if first is None or last is None else (first[0], last[1])

    def events(self, begin: int, end: int) -> list[Event]:
        """Return what happened between two times, between the files, too."""
        self._renew()
        found: list[Event] = []
        last: Sample | None = None
        for at in self._around(begin, end):
            part = self._parts[at]
            recording = part.recording
            if recording is None:
                hole = Event(What.HOLE, *(_day_of(part.path) or (begin, begin)), text=part.problem)
                if hole.begin <= end and hole.end >= begin:
                    found.append(hole)
                continue
            span = part.span()
            if span is None:
                continue
            first = self._sample(at, 0)
            if last is not None and first is not None and last.at.utc <= end and span[0] >= begin:
                found += [event for event in happened(last, first) if event.exception]
            last = self._sample(at, len(part) - 1)
            if span[0] <= end and span[1] >= begin:
                try:
                    found += recording.events(begin, end)
                except RecordingError as error:
                    found.append(Event(What.HOLE, *span, text=str(error)))
        return sorted(found, key=lambda event: event.begin)

    def _around(self, begin: int, end: int) -> range:
        """Return the parts that may hold samples of a range of time, and one more on either side."""
        days_ = [_day_of(part.path) or (begin, end) for part in self._parts]
        low = next((at for at, day in enumerate(days_) if day[1] >= begin), len(days_))
        high = next((at for at in range(len(days_) - 1, -1, -1) if days_[at][0] <= end), -1)
        return range(max(0, low - 1), min(len(days_), high + 2))

    def _recordings(self, begin: int, end: int) -> list[Recording]:
        """Return the recordings that may know of a range of time."""
        found = (self._parts[at].recording for at in self._around(begin, end))
        return [recording for recording in found if recording is not None]

    def check(self) -> Iterator[str]:
        """Read all files once and yield a sentence for each thing that is wrong; `events` has holes then."""
        for part in self._parts:
            recording = part.recording
            if recording is None:
                yield part.problem
            else:
                yield from (
                    f"{part.path}: {words.removeprefix(f'{part.path}: ')}" for words in recording.check()
                )

    def past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals up to the present sample, the last first; see `Tape.past`."""
        place = self._place if utc is None else self._place_of(utc)
        after = self._sample(*place) if place is not None else None
        while place is not None and after is not None:
            place = self._before(*place)
            before = self._sample(*place) if place is not None else None
            yield Interval(before, after)
            after = before

    def load(self, begin: int, end: int, buckets: int) -> Sequence[Number]:
        """Return how busy the machine was; see `Tape.load`."""
        from zmon.trends.trend import load  # noqa: PLC0415 - printing needs no curve

        try:
            return load(self._recordings(begin, end), begin, end, buckets)
        except RecordingError:
            return ()  # what is damaged is told elsewhere

    def trend(self, variable: Variable, begin: int, end: int) -> Sequence[Figure]:
        """Return what is kept of a figure by minutes or quarters of an hour; see `Tape.trend`."""
        from zmon.trends.kept import all_kept  # noqa: PLC0415 - replay needs no screens
        from zmon.trends.trend import trend  # noqa: PLC0415 - likewise

        kept = (k for k in all_kept() if k.table == variable.table and k.figure(variable.column) is not None)
        screen = next((k.screen for k in kept), "")
        if not screen or not variable.key:
            return ()
        try:
            points = trend(self._recordings(begin, end), screen, variable.column, variable.key, begin, end)
        except RecordingError:
            return ()
        return [Figure(*point[:2], *(UNKNOWN if v is None else v for v in point[2:])) for point in points]

    def note(self, utc: int, text: str) -> None:  # noqa: ARG002 - refused
        """Refuse: what is there is only read."""
        raise NoNote("a recording is only read; notes go into what is being recorded: zmon --record FILE")

    def past_tape(self) -> None:
        """Return None: a recording is past already."""


def _day_of(path: str) -> tuple[int, int] | None:
    """Return when the day begins and ends that a file is named after."""
    name = parse_name(path)
    return None if name is None else (name.begin, name.end)


def open_recording(path: str) -> RecordingTape:
    """Return a recording, or a directory of them, as a tape.

    Raises:
        RecordingError: it cannot be used.
    """
    return RecordingTape(path, of_directory(path) if os.path.isdir(path) else of_file(path))
