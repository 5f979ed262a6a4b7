"""A capture as a tape: each pass is a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.kernel.capture_open import open_capture
from zmon.kernel.sampler import EVERYTHING, sample_once
from zmon.session.numbered import NumberedTape
from zmon.session.told import captured

if TYPE_CHECKING:
    from zmon.kernel.sampler import Choice
    from zmon.sample import Sample


class CaptureTape(NumberedTape):
    """The passes of a capture, in the order of time; each is read when the tape first comes to it."""

    refusal = "a capture is only read; notes go into what is recorded: zmon --record FILE"

    def __init__(self, path: str, choice: Choice = EVERYTHING, last: int | None = None) -> None:
        """Open the capture at `path`: an archive or an unpacked directory.

        With `last`, the tape begins so many passes before the end.

        Raises:
            CaptureError: it cannot be used; says what is wrong and what to do.
        """
        super().__init__()
        passes = open_capture(path).passes
        self._passes = passes if last is None else passes[-last:]
        self._choice = choice._replace(more=(captured,))
        self._samples: dict[int, Sample] = {}
        self.name = path

    def __len__(self) -> int:
        return len(self._passes)

    def _sample(self, place: int) -> Sample:
        if place not in self._samples:
            self._samples[place] = sample_once(self._passes[place], self.name, self._choice)
        return self._samples[place]

    def _time(self, place: int) -> int:
        return self._sample(place).at.utc

    def _at(self, utc: int) -> int:
        place = len(self._passes) - 1
        while place >= 0 and self._time(place) > utc:
            place -= 1
        return place
