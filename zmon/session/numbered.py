"""A tape whose samples have numbers and are all to be had, at once or when they are asked for.

Nobody watched while it was made: there are no events, and nothing is kept of figures by time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from zmon.interval import Interval
from zmon.session.tape import NoNote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Number
    from zmon.event import Event
    from zmon.sample import Sample
    from zmon.tables.figure import Figure, Variable


class NumberedTape(ABC):
    """What such tapes have in common; `name` is set by each."""

    live = False
    name: str
    refusal = "what is there is only read; notes go into what is recorded: zmon --record FILE"
    """Why it takes no notes."""

    def __init__(self) -> None:
        """Stand before the first sample."""
        self._place = -1

    @abstractmethod
    def __len__(self) -> int:
        """How many samples there are, one at least."""

    @abstractmethod
    def _sample(self, place: int) -> Sample:
        """Return a sample, the first being 0."""

    @abstractmethod
    def _time(self, place: int) -> int:
        """Return when a sample was taken, UTC in ns."""

    @abstractmethod
    def _at(self, utc: int) -> int:
        """Return the number of the last sample at a time or before; -1 if there is none."""

    def next(self) -> Sample | None:
        """Go on by one sample; see `Tape.next`."""
        if self._place + 1 >= len(self):
            return None
        self._place += 1
        return self._sample(self._place)

    def previous(self) -> Sample | None:
        """Go back by one; see `Tape.previous`.  Before the first there is none."""
        if self._place < 0:
            return None
        self._place -= 1
        return self._sample(self._place) if self._place >= 0 else None

    def seek(self, utc: int) -> Sample:
        """Go to the last sample at a time or before; see `Tape.seek`."""
        self._place = max(self._at(utc), 0)
        return self._sample(self._place)

    def span(self) -> tuple[int, int]:
        """Return when the first and the last sample were taken."""
        return self._time(0), self._time(len(self) - 1)

    def past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals up to the present sample or that of a time, the last first."""
        for place in range(self._place if utc is None else self._at(utc), -1, -1):
            yield Interval(self._sample(place - 1) if place else None, self._sample(place))

    def events(self, begin: int, end: int) -> list[Event]:  # noqa: ARG002 - there are none
        """Return nothing."""
        return []

    def load(self, begin: int, end: int, buckets: int) -> Sequence[Number]:  # noqa: ARG002 - not kept
        """Return nothing: all samples would have to be read for it."""
        return ()

    def trend(self, variable: Variable, begin: int, end: int) -> Sequence[Figure]:  # noqa: ARG002 - likewise
        """Return nothing, likewise."""
        return ()

    def past_tape(self) -> None:  # noqa: B027 - this is what all of them do
        """Return None: it can go back itself."""

    def note(self, utc: int, text: str) -> None:  # noqa: ARG002 - refused
        """Refuse, and say why."""
        raise NoNote(self.refusal)

    def close(self) -> None:  # noqa: B027 - likewise
        """Do nothing: nothing is held open."""
