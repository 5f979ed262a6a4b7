"""What appeared, vanished or changed: the uevents of subchannels, ccw devices and disks.

A DASD that goes on or off line sends `change` for its ccw device and its disk.  Channel paths send
nothing and have to be read from time to time.  The events come from udev, after its rules have
run, so that the names and serial numbers it keeps are already those of the new state.
"""

from __future__ import annotations

import os

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable


SUBSYSTEMS: Final = ("css", "ccw", "block")
"""The subsystems whose events are received."""

UDEV: Final = "/run/udev/control"
"""The socket of udev; where it is missing no events are sent."""
NO_UDEV: Final = absent("udev does not run here, so changes are not reported")


class UdevDevice(Protocol):
    """What a monitor reports of an event."""

    subsystem: str
    sys_name: str


class Monitor(Protocol):
    """The part of pyudev's monitor that is used here."""

    def poll(self, timeout: float | None = None) -> UdevDevice | None:
        """Return the next event within `timeout` seconds, None if there is none."""


class Hotplug:
    """Collects the changes since it was last asked.

    Without events, `missing` is the reason and `changed` stays empty: the caller has to poll.
    """

    def __init__(self, monitor: Monitor | None, missing: Absent | None = None) -> None:
        """Use a monitor that was started already; `watch` makes one."""
        self._monitor = monitor
        self.missing = missing

    def changed(self) -> frozenset[str]:
        """Return what changed since the last call, as `ccw/0.0.7000`; never waits.

        When more happened than the kernel could hold, the names of all `SUBSYSTEMS` are returned:
        anything in them may have changed.
        """
        names: set[str] = set()
        while self._monitor is not None:
            try:
                device = self._monitor.poll(timeout=0)
            except OSError:  # ENOBUFS: events were lost, and reading goes on after it
                names.update(SUBSYSTEMS)
                break
            if device is None:
                break
            names.add(f"{device.subsystem}/{device.sys_name}")
        return frozenset(names)


def watch(subsystems: Iterable[str] = SUBSYSTEMS) -> Hotplug:
    """Start to listen to the running kernel; degrades with a reason where that is impossible."""
    if not os.path.exists(UDEV):
        return Hotplug(None, NO_UDEV)
    try:
        import pyudev  # noqa: PLC0415 - only a running monitor needs it

        monitor = pyudev.Monitor.from_netlink(pyudev.Context())
        for subsystem in subsystems:
            monitor.filter_by(subsystem)
        monitor.start()
    except ImportError:
        return Hotplug(None, absent("libudev is not installed, so changes are not reported"))
    except OSError as error:
        return Hotplug(None, absent(f"no events from udev: {error.strerror or error}"))
    return Hotplug(monitor)
