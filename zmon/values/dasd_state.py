"""Whether Linux uses a device, and what it can do with a DASD."""

from __future__ import annotations

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zmon.base.absent import Value

UNFORMATTED: Final = frozenset({"unformatted", "active n/f"})
"""What sysfs and /proc/dasd/devices say of a DASD without a size; lsdasd says `n/f` of both."""
NOT_FORMATTED: Final = "not formatted"


def use_of(online: Value, status: Value, state: Value) -> Value:
    """Return `online`, `offline` or `not formatted`, by a device's attributes and /proc/dasd/devices."""
    if isinstance(online, Absent) or online != 1:
        return online if isinstance(online, Absent) else "offline"
    return "online" if UNFORMATTED.isdisjoint({status, state}) else NOT_FORMATTED
