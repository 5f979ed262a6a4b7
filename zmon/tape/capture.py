"""A capture as a tape: each pass is a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.interval import Interval
from zmon.kernel.archive import open_capture
from zmon.kernel.sampler import EVERYTHING, sample_once
from zmon.tape.tape import NoNote
from zmon.tape.told import captured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Number
    from zmon.event import Event
    from zmon.kernel.sampler import Choice
    from zmon.sample import Sample
    from zmon.tables.figure import Figure, Variable


class CaptureTape:
    """The passes of a capture, in the order of time; each is read when the tape first comes to it."""

    live = False

    def __init__(self, path: str, choice: Choice = EVERYTHING, last: int | None = None) -> None:
        """Open the capture at `path`: an archive or an unpacked directory.

        With `last`, the tape begins so many passes before the end.

        Raises:
            CaptureError: it cannot be used; says what is wrong and what to do.
        """
        passes = open_capture(path).passes
        self._passes = passes if last is None else passes[-last:]
        self._choice = choice._replace(more=(captured,))
        self._samples: dict[int, Sample] = {}
        self._place = -1
        self.name = path

    def __len__(self) -> int:
        return len(self._passes)

    def _sample(self, place: int) -> Sample:
        if place not in self._samples:
            self._samples[place] = sample_once(self._passes[place], self.name, self._choice)
        return self._samples[place]

    def next(self) -> Sample | None:
        """Go to the next pass; see `Tape.next`."""
        if self._place + 1 >= len(self._passes):
            return None
        self._place += 1
        return self._sample(self._place)

    def previous(self) -> Sample | None:
        """Go to the pass before; see `Tape.previous`.  Before the first there is none."""
        if self._place < 0:
            return None
        self._place -= 1
        return self._sample(self._place) if self._place >= 0 else None

    def seek(self, utc: int) -> Sample | None:
        """Go to the last pass at a time or before; see `Tape.seek`."""
        found = None
        for place in range(len(self._passes)):
            if found is None or self._sample(place).at.utc <= utc:
                found = place
        if found is None:
            return None
        self._place = found
        return self._sample(found)

    def span(self) -> tuple[int, int] | None:
        """Return when the first and the last pass were read."""
        if not self._passes:
            return None
        return self._sample(0).at.utc, self._sample(len(self._passes) - 1).at.utc

    def events(self, begin: int, end: int) -> list[Event]:  # noqa: ARG002 - a capture has none
        """Return nothing: a capture is a few looks at a machine, not a watch over it."""
        return []

    def past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals up to the present pass or that of a time, the last first."""
        last = self._place if utc is None else len(self._passes) - 1
        while utc is not None and last >= 0 and self._sample(last).at.utc > utc:
            last -= 1
        for place in range(last, -1, -1):
            yield Interval(self._sample(place - 1) if place else None, self._sample(place))

    def load(self, begin: int, end: int, buckets: int) -> tuple[Number, ...]:  # noqa: ARG002 - likewise
        """Return nothing: a few looks are no curve."""
        return ()

    def trend(self, variable: Variable, begin: int, end: int) -> Sequence[Figure]:  # noqa: ARG002 - likewise
        """Return nothing: a few looks are no trend."""
        return ()

    def past_tape(self) -> None:
        """Return None: a capture is past already."""

    def note(self, utc: int, text: str) -> None:  # noqa: ARG002 - refused
        """Refuse: what is there is only read."""
        raise NoNote("a capture is only read; notes go into what is recorded: zmon --record FILE")

    def close(self) -> None:
        """Do nothing: passes are read at once."""
