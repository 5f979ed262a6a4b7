"""Whether Linux uses a device, and what it can do with a DASD."""

from __future__ import annotations

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zmon.base.absent import Value

UNFORMATTED: Final = frozenset({"unformatted", "active n/f"})
"""What sysfs and /proc/dasd/devices say of a DASD without a size; lsdasd says `n/f` of both."""
STARTING: Final = ("basic", "detected", "new")
"""What /proc/dasd/devices says of a DASD whose format its driver has not read: it is set on line just now, is
being formatted, or does not answer."""
NOT_FORMATTED: Final = "not formatted"
SECONDARY: Final = "secondary"


def use_of(online: Value, status: Value, state: Value, copy_role: Value = "") -> Value:
    """Return `online`, `offline`, `secondary`, `not formatted` or, before it can be used, its state.

    By attributes of a device and by /proc/dasd/devices.  The secondary of a copy pair has no disk.
    """
    if isinstance(online, Absent) or online != 1:
        return online if isinstance(online, Absent) else "offline"
    if copy_role == SECONDARY:
        return SECONDARY
    if state in STARTING:
        return state
    return "online" if UNFORMATTED.isdisjoint({status, state}) else NOT_FORMATTED
