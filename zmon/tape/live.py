"""The running machine as a tape: the next sample is taken when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.kernel.sampler import Choice, Sampler
from zmon.kernel.tree import LiveTree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.absent import Number
    from zmon.event import Event
    from zmon.interval import Interval
    from zmon.kernel.hotplug import Hotplug
    from zmon.sample import Sample


class LiveTape:
    """Samples of this machine; a step back is for recordings."""

    live = True

    def __init__(
        self, choice: Choice, seconds: float, hotplug: Hotplug | None = None, root: str = "/"
    ) -> None:
        """Prepare to sample every `seconds`; who asks keeps the time."""
        self._sampler = Sampler(LiveTree(root), choice, seconds, hotplug=hotplug)
        self.name = "this machine" if root == "/" else root

    def next(self) -> Sample:
        """Take a sample now; see `Tape.next`."""
        return self._sampler.sample()

    def previous(self) -> None:
        """Return None: nothing is kept."""

    def seek(self, utc: int) -> None:
        """Return None: nothing is kept."""

    def span(self) -> None:
        """Return None: nothing is kept."""

    def events(self, begin: int, end: int) -> list[Event]:  # noqa: ARG002 - nothing is kept
        """Return nothing: nothing is kept."""
        return []

    def past(self) -> Iterator[Interval]:
        """Yield nothing: nothing is kept."""
        return iter(())

    def load(self, begin: int, end: int, buckets: int) -> tuple[Number, ...]:  # noqa: ARG002 - likewise
        """Return nothing: nothing is kept."""
        return ()

    def past_tape(self) -> None:
        """Return None: nothing is kept."""
