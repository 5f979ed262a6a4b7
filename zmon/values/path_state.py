"""What a path of a multipath device is, from what multipath and its SCSI disk say."""

from __future__ import annotations

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Number, Value
    from zmon.sample import Frame

RUNNING: Final = frozenset({"running", "live"})
"""States of a SCSI disk, and of an NVMe one, that works."""
UP: Final = "active"
"""State of a path that works."""
GONE: Final = "gone"
"""What is said of a path that the multipath device has no more."""
UNKNOWN: Final = absent("neither the state of the path nor that of its disk is known")


def state_of(path: Value, device: Value) -> Value:
    """Return what a path is, from what multipath and the SCSI disk say: `active`, or why it is not used."""
    if isinstance(device, str) and device not in RUNNING:
        return device
    if isinstance(path, str):
        return path
    return UNKNOWN if isinstance(device, Absent) else device


def is_down(state: Value) -> Number:
    """Return 1 if a path in this state carries nothing, 0 if it may."""
    return state if isinstance(state, Absent) else int(state not in {UP, *RUNNING})


def reasons_in(paths: Frame) -> Mapping[str, str]:
    """Return by the number of each path why it is not used, or nothing if it is; none of unknown ones."""
    if paths.missing is not None:
        return {}
    states = map(state_of, paths.column("state"), paths.column("device"))
    return {
        number: text_of(state) if is_down(state) else ""
        for number, state in zip(paths.keys, states, strict=True)
        if not isinstance(state, Absent)
    }
