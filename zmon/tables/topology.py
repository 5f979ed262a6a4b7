"""What hangs on what in the sample that a table is filled from, joined with what people tell.

Made once for all samples that have the same frames of it: what is read once a minute or told once costs
nothing at the samples in between.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kinds import CLAIM, CONTAINER, DASD, DEVICE, LAYER, MACHINE, MOUNT
from zmon.sample import Instant, Sample, nothing
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from zmon.absent import Absent
    from zmon.sample import Frame, Kind
    from zmon.tables.view import View
    from zmon.topology.people import People

TOPOLOGY: Final = (CONTAINER, MOUNT, LAYER, DEVICE, DASD, CLAIM, MACHINE)
"""What tells it."""

UNLISTED: Final = absent("no listing of tablespaces was given: --listing")
NOTHING_LISTED: Final = absent("the listing names no file that could be looked at")


def machine_of(view: View) -> Machine:
    """Return what hangs on what at the end of the interval."""
    sample = view.interval.after
    return _machine(view.people(), *(_shared(sample.frame(kind)) for kind in TOPOLOGY))


def is_told(view: View) -> bool:
    """Tell whether anybody tells more of the machine than the kernel does: people, CP or a listing."""
    sample = view.interval.after
    return view.people().told or any(sample.frame(kind).keys for kind in (CONTAINER, CLAIM))


def no_files(view: View) -> Absent:
    """Return why no file of a tablespace is known."""
    return UNLISTED if view.people().listed is None else NOTHING_LISTED


def _shared(frame: Frame) -> Frame:
    """Return a frame without rows as the one that is empty for the same reason."""
    return frame if frame.keys or frame.missing is None else _empty(frame.kind, frame.missing.reason)


@lru_cache(maxsize=64)
def _empty(kind: Kind, reason: str) -> Frame:
    return nothing(kind, reason)


@lru_cache(maxsize=2)  # two times may be compared
def _machine(people: People, *frames: Frame) -> Machine:
    sample = Sample(Instant(0, 0, ""), {frame.kind.name: frame for frame in frames})
    return Machine(sample, people)
