"""A part of a recording, from one time to another: its samples in the order they were taken, and its events.

What a tape is for looking, a stretch is for copying: each sample once, none of them kept.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zmon.interval import Interval
from zmon.session.recording import of_directory, of_file
from zmon.session.when import LAST, WhenError, parse_when
from zmon.store.error import RecordingError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from zmon.event import Event
    from zmon.sample import Sample
    from zmon.session.recording import Part
    from zmon.store.reader import Recording


class Stretch:
    """The samples of a recording, or of a directory of them, between two times; at first all of them."""

    def __init__(self, path: str) -> None:
        """Open a file, or the day files of a directory.

        Raises:
            RecordingError: it cannot be used.
        """
        self.parts = list((of_directory if os.path.isdir(path) else of_file)(path)())
        self.begin = 0
        self.end = LAST
        self.unread = 0
        """Samples that were left out because not even their times can be read."""

    def span(self) -> tuple[int, int] | None:
        """Return when the first and the last sample of all were taken."""
        spans = [span for part in self.parts if (span := part.span()) is not None]
        return (spans[0][0], spans[-1][1]) if spans else None

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

    def samples(self, kinds: Collection[str] | None = None, *, lead: bool = False) -> Iterator[Sample]:
        """Yield the samples, with only some kinds of things if so wanted.

        With `lead`, the sample before the first is yielded, too, if their interval is no gap: without it
        nothing would be known of the time up to the first.
        """
        before: Sample | None = None
        for part, recording, numbers in self._inside():
            if lead and before is None:
                before = self._lead(part, numbers.start)
                if before is not None:
                    yield before
            number = numbers.start - 1
            while (number := number + 1) < numbers.stop:
                sample = _sample(recording, number, kinds)
                if sample is None:
                    last = max(number, min(recording.passed(number, 1), numbers.stop - 1))
                    self.unread += last - number + 1
                    number = last
                    continue
                if number == 0 and before is not None:
                    recording.adopt(before.frames)
                yield sample
                before = sample

    def _lead(self, part: Part, first: int) -> Sample | None:
        """Return the sample before one of a part, unless samples are missing between them."""
        recording, last = part.recording, first - 1
        if first == 0:
            earlier = self.parts[: self.parts.index(part)]
            recording = next((one.recording for one in reversed(earlier) if len(one)), None)
            last = len(recording) - 1 if recording is not None else 0
        before = _sample(recording, last) if recording is not None else None
        after = _sample(part.recording, first) if part.recording is not None else None
        if before is None or after is None or before.at.boot != after.at.boot:
            return None
        return None if Interval(before, after).gap else before

    def _inside(self) -> Iterator[tuple[Part, Recording, range]]:
        """Yield the files that have samples here, and which."""
        for part in self.parts:
            recording = part.recording
            try:
                numbers = recording.numbers(self.begin, self.end) if recording is not None else range(0)
            except RecordingError as error:
                part.problem = str(error)
                continue
            if recording is not None and numbers:
                yield part, recording, numbers

    def paths(self) -> list[str]:
        """Return the files that have samples here."""
        return [part.path for part, _recording, _numbers in self._inside()]

    def problems(self) -> list[str]:
        """Return why files cannot be read, a sentence for each."""
        return [part.problem for part in self.parts if part.problem]

    def damage(self) -> str:
        """Return what was found damaged in what was read by now, as one sentence; empty if nothing was."""
        holes = [hole for part in self.parts if part.recording is not None for hole in part.recording.holes]
        if not holes:
            return ""
        many = "1 part" if len(holes) == 1 else f"{len(holes):,} parts"
        return (
            f"{many} of the recording cannot be read, and what was in them is missing, the first: "
            f"{holes[0].text}; zmon info --check names all"
        )

    @property
    def kinds(self) -> list[str]:
        """The names of the kinds of things that were ever sampled."""
        return sorted({kind for part in self.parts if part.recording for kind in part.recording.kinds})

    def __len__(self) -> int:
        return sum(len(numbers) for _part, _recording, numbers in self._inside())

    def events(self) -> list[Event]:
        """Return what the files say has happened; what began before or ended later is cut there."""
        found = []
        for _part, recording, _numbers in self._inside():
            found += recording.events(self.begin, self.end)
        return [
            event._replace(begin=max(event.begin, self.begin), end=min(event.end, self.end))
            for event in found
        ]

    def close(self) -> None:
        """Close all files."""
        for part in self.parts:
            part.close()


def _sample(recording: Recording, number: int, kinds: Collection[str] | None = None) -> Sample | None:
    """Return a sample; None when not even its time can be read."""
    try:
        return recording.sample(number, kinds)
    except (RecordingError, IndexError):
        return None
