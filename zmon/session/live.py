"""The running machine as a tape: the next sample is taken when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.kernel.sampler import Choice, Sampler
from zmon.kernel.tree import LiveTree
from zmon.session.tape import NoNote
from zmon.store.error import RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.absent import Number
    from zmon.event import Event
    from zmon.interval import Interval
    from zmon.kernel.udev import Hotplug
    from zmon.sample import Sample
    from zmon.session.keep import Keep
    from zmon.session.tape import Tape
    from zmon.tables.figure import Figure, Variable


class NotKept(Exception):  # noqa: N818 - it says what happened
    """A sample was taken but could not be kept; said once for each reason."""

    def __init__(self, sample: Sample, why: str) -> None:
        """Carry the sample."""
        super().__init__(why)
        self.sample = sample


class LiveTape:
    """Samples of this machine; what was before is on another tape, if anybody keeps it."""

    live = True

    def __init__(
        self,
        choice: Choice,
        seconds: float,
        hotplug: Hotplug | None = None,
        root: str = "/",
        keep: Keep | None = None,
    ) -> None:
        """Prepare to sample every `seconds`; who asks keeps the time."""
        self._sampler = Sampler(LiveTree(root), choice, seconds, hotplug=hotplug)
        self.name = "this machine" if root == "/" else root
        self._keep = keep
        self._trouble = ""

    def next(self) -> Sample:
        """Take a sample now; see `Tape.next`.

        Raises:
            NotKept: it could not be kept, for a reason that was not told yet.
        """
        sample = self._sampler.sample()
        if self._keep is not None:
            trouble, self._trouble = self._trouble, ""
            try:
                self._keep.append(sample)
            except RecordingError as error:
                self._trouble = str(error)
                if self._trouble != trouble:
                    raise NotKept(sample, self._trouble) from error
        return sample

    def previous(self) -> None:
        """Return None: that is on another tape."""

    def seek(self, utc: int) -> None:
        """Return None: that is on another tape."""

    def span(self) -> None:
        """Return None: that is on another tape."""

    def events(self, begin: int, end: int) -> list[Event]:  # noqa: ARG002 - on another tape
        """Return nothing: that is on another tape."""
        return []

    def past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals up to the last sample that was kept, or that of a time."""
        past = self.past_tape()
        span = past.span() if past is not None else None
        if past is None or span is None:
            return
        past.seek(span[1])
        yield from past.past(utc)

    def load(self, begin: int, end: int, buckets: int) -> tuple[Number, ...]:  # noqa: ARG002 - likewise
        """Return nothing: that is on another tape."""
        return ()

    def trend(self, variable: Variable, begin: int, end: int) -> Sequence[Figure]:
        """Return what is kept of a figure by minutes, where samples are kept."""
        past = self.past_tape()
        return () if past is None else past.trend(variable, begin, end)

    def past_tape(self) -> Tape | None:
        """Return the tape of what was kept; None when nobody keeps anything, or it cannot be read."""
        try:
            return self._keep.tape() if self._keep is not None else None
        except RecordingError:
            return None

    def note(self, utc: int, text: str) -> None:
        """Write down what a person has to say, where the samples are kept; see `Tape.note`."""
        if self._keep is None:
            raise NoNote("nothing is kept of these samples; zmon --record FILE keeps them, and notes")
        try:
            self._keep.note(utc, text)
        except RecordingError as error:
            raise NoNote(str(error)) from error

    def close(self) -> None:
        """Take no more samples, and close what they were kept in."""
        if self._keep is not None:
            self._keep.close()
