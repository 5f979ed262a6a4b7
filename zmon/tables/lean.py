"""One device of an interval without the thousands of others, where a recording can give it alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from zmon.interval import Interval
from zmon.kinds import BLOCK, CACHE, CMF, DASD, DEVICE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.sample import Frame, Sample
    from zmon.tables.figure import Variable

OWN: Final = frozenset(kind.name for kind in (CACHE, CMF, DASD, DEVICE))
"""Kinds that have a device under its own key; its block device has another."""

OF_OTHERS: Final = frozenset({"aliases"})
"""Columns of DEVICE that count other devices."""


@runtime_checkable
class Rows(Protocol):
    """Frames of which single rows can be had."""

    def row(self, name: str, key: str) -> Frame | None:
        """Return a frame with one row alone, or none; None when the kind was not sampled."""


class Only(Mapping[str, "Frame"]):
    """Frames as far as they speak of one device."""

    def __init__(self, frames: Mapping[str, Frame], rows: Rows, key: str) -> None:
        """Promise what these frames say of it."""
        self._frames, self._rows, self._key = frames, rows, key

    def __getitem__(self, name: str) -> Frame:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found

    def _find(self, name: str) -> Frame | None:
        if name in OWN:
            return self._rows.row(name, self._key)
        if name == BLOCK.name:
            device = self._rows.row(DEVICE.name, self._key)
            block = self._key if device is None else device.cell(self._key, "block")
            return self._rows.row(name, block if isinstance(block, str) else self._key)
        return self._frames.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)


def lean(variable: Variable) -> bool:
    """Tell whether a variable is made from what belongs to one device."""
    return variable.table == "device" and bool(variable.key) and variable.column not in OF_OTHERS


def can_be_lean(interval: Interval) -> bool:
    """Tell whether the rows of an interval can be had one by one."""
    return isinstance(interval.after.frames, Rows)


def only(interval: Interval, key: str) -> Interval:
    """Return an interval in which there is but one device."""
    before = None if interval.before is None else _sample(interval.before, key)
    return Interval(before, _sample(interval.after, key), skipped=interval.skipped)


def _sample(sample: Sample, key: str) -> Sample:
    frames = sample.frames
    return sample._replace(frames=Only(frames, frames, key)) if isinstance(frames, Rows) else sample
