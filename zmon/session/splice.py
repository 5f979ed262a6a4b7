"""Tapes of different machines or times spliced together: one plays after the other."""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from zmon.event import Event, What
from zmon.interval import Interval
from zmon.session.tape import NoNote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Number
    from zmon.sample import Sample
    from zmon.session.tape import Tape
    from zmon.tables.figure import Figure, Variable


class SplicedTape:
    """The samples of several tapes, each of which begins after the one before has ended."""

    live = False

    def __init__(self, tapes: Sequence[Tape]) -> None:
        """Stand before the first sample of the first; those without samples are left out.

        Raises:
            ValueError: one begins before the one before has ended.
        """
        known = [(tape, span) for tape in tapes if (span := tape.span()) is not None]
        self._tapes = [tape for tape, _ in known]
        self.spans = [span for _, span in known]
        """From when to when each of them plays."""
        self.name = ", then ".join(tape.name for tape in tapes)
        self._begins = [begin for begin, _ in self.spans]
        self._now = 0
        for (one, (_, end)), (other, (begin, _)) in pairwise(known):
            if begin <= end:
                raise ValueError(f"{other.name} begins before {one.name} has ended; they cannot be spliced")

    def next(self) -> Sample | None:
        """Go on by one sample; see `Tape.next`."""
        while self._now < len(self._tapes):
            found = self._tapes[self._now].next()
            if found is not None or self._now + 1 == len(self._tapes):
                return found
            self._now += 1
            self._rewind()
        return None

    def _rewind(self) -> None:
        """Stand before the first sample of the present tape."""
        tape = self._tapes[self._now]
        tape.seek(self._begins[self._now])
        while tape.previous() is not None:  # samples of one instant
            pass

    def previous(self) -> Sample | None:
        """Go back by one; see `Tape.previous`."""
        if not self._tapes:
            return None
        found = self._tapes[self._now].previous()
        if found is not None or not self._now:
            return found
        self._now -= 1
        return self._tapes[self._now].seek(self.spans[self._now][1])

    def _at(self, utc: int) -> int:
        return max(bisect_right(self._begins, utc) - 1, 0)

    def seek(self, utc: int) -> Sample | None:
        """Go to the last sample at a time or before; see `Tape.seek`."""
        if not self._tapes:
            return None
        self._now = self._at(utc)
        return self._tapes[self._now].seek(utc)

    def span(self) -> tuple[int, int] | None:
        """Return when the first begins and the last ends."""
        return (self.spans[0][0], self.spans[-1][1]) if self.spans else None

    def events(self, begin: int, end: int) -> Sequence[Event]:
        """Return what happened on any of them, and where another tape begins."""
        found = list(chain.from_iterable(tape.events(begin, end) for tape in self._tapes))
        for tape, at in list(zip(self._tapes, self._begins, strict=True))[1:]:
            if begin <= at <= end:
                found.append(Event(What.RESTART, at, at, text=f"Here begins {tape.name}"))
        return sorted(found, key=lambda event: event.begin)

    def past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals backwards, through all tapes; see `Tape.past`."""
        if not self._tapes:
            return
        last = self._now if utc is None else self._at(utc)
        for place in range(last, -1, -1):
            tape = self._tapes[place]
            for interval in tape.past(utc if place == last else self.spans[place][1]):
                if interval.before is not None or not place:
                    yield interval
                else:
                    yield Interval(self._last(place - 1), interval.after)

    def _last(self, place: int) -> Sample | None:
        """Return the last sample of a tape, not moving it."""
        tape = self._tapes[place]
        found = next(iter(tape.past(self.spans[place][1])), None)
        return None if found is None else found.after

    def load(self, begin: int, end: int, buckets: int) -> Sequence[Number]:  # noqa: ARG002 - not known of all
        """Return nothing: how busy different machines were is not compared."""
        return ()

    def trend(self, variable: Variable, begin: int, end: int) -> Sequence[Figure]:
        """Return what is kept of a figure on any of them."""
        return [figure for tape in self._tapes for figure in tape.trend(variable, begin, end)]

    def past_tape(self) -> None:
        """Return None: it can go back itself."""

    def note(self, utc: int, text: str) -> None:
        """Write a note on the tape that plays at a time.

        Raises:
            NoNote: it takes none.
        """
        if not self._tapes:
            raise NoNote("there is no tape to write it on")
        self._tapes[self._at(utc)].note(utc, text)

    def close(self) -> None:
        """Close all."""
        for tape in self._tapes:
            tape.close()
