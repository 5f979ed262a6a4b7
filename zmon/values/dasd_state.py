"""Whether Linux uses a device, and what it can do with a DASD."""

from __future__ import annotations

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zmon.base.absent import Value

UNFORMATTED: Final = frozenset({"unformatted", "active n/f"})
"""What sysfs and /proc/dasd/devices say of a DASD without a size; lsdasd says `n/f` of both."""
NOT_FORMATTED: Final = "not formatted"
SECONDARY: Final = "secondary"


def use_of(online: Value, status: Value, state: Value, copy_role: Value = "") -> Value:
    """Return `online`, `offline`, `secondary` or `not formatted`.

    By attributes of a device and by /proc/dasd/devices.  The secondary of a copy pair has no disk.
    """
    if isinstance(online, Absent) or online != 1:
        return online if isinstance(online, Absent) else "offline"
    if copy_role == SECONDARY:
        return SECONDARY
    return "online" if UNFORMATTED.isdisjoint({status, state}) else NOT_FORMATTED
