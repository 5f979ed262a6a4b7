"""A capture as a tape: each pass is a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.kernel.archive import open_capture
from zmon.kernel.sampler import EVERYTHING, sample_once

if TYPE_CHECKING:
    from zmon.kernel.sampler import Choice
    from zmon.sample import Sample


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
        self._choice = choice
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
