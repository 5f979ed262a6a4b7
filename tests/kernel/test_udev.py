from __future__ import annotations

import errno
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyudev

from zmon.kernel import udev
from zmon.kernel.udev import NO_UDEV, SUBSYSTEMS, Hotplug, watch

if TYPE_CHECKING:
    import pytest


@dataclass
class Event:
    """An event as pyudev gives it."""

    subsystem: str
    sys_name: str


class Events:
    """A monitor that has some events to give, or an error."""

    def __init__(self, *events: Event | OSError) -> None:
        self.left = list(events)
        self.watched: list[str] = []

    def poll(self, timeout: float | None = None) -> Event | None:
        """Give the next event, if any."""
        assert timeout == 0, "a screen must never wait for an event"
        if not self.left:
            return None
        event = self.left.pop(0)
        if isinstance(event, OSError):
            raise event
        return event

    def filter_by(self, subsystem: str) -> None:
        """Note what is watched."""
        self.watched.append(subsystem)

    def start(self) -> None:
        """Start to listen, which needs nothing here."""


def test_changes_are_named() -> None:
    """A change has the name of its subsystem and of the device, once however often it changed."""
    device = Event("ccw", "0.0.7000")
    watching = Hotplug(Events(device, device, Event("block", "dasda")))
    assert watching.changed() == {"ccw/0.0.7000", "block/dasda"}


def test_changes_are_told_once() -> None:
    """What was told is not told again."""
    watching = Hotplug(Events(Event("css", "0.0.0004")))
    watching.changed()
    assert watching.changed() == frozenset()


def test_lost_events() -> None:
    """When the kernel dropped events, anything may have changed; later ones come with the next call."""
    lost = OSError(errno.ENOBUFS, "no buffer space")
    watching = Hotplug(Events(Event("ccw", "0.0.7000"), lost, Event("ccw", "0.0.7001")))
    assert watching.changed() == {"ccw/0.0.7000", *SUBSYSTEMS}
    assert watching.changed() == {"ccw/0.0.7001"}


def test_without_udev(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where udev does not run nothing changes, and the reason says why nobody would know."""
    monkeypatch.setattr(udev, "UDEV", "/nowhere")
    watching = watch()
    assert watching.missing is NO_UDEV
    assert watching.changed() == frozenset()


def test_without_netlink(monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket that is refused is a reason, not an error."""

    def refuse(_context: object) -> Events:
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported")

    monkeypatch.setattr(udev, "UDEV", "/")
    monkeypatch.setattr(pyudev.Monitor, "from_netlink", refuse)
    assert ": Address family not supported" in str(watch().missing)


def test_what_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Subchannels, ccw devices and disks are watched, nothing else wakes anybody."""
    events = Events()
    monkeypatch.setattr(udev, "UDEV", "/")
    monkeypatch.setattr(pyudev.Monitor, "from_netlink", lambda _context: events)
    assert watch().missing is None
    assert events.watched == ["css", "ccw", "block"]


def test_loaded_when_used() -> None:
    """Reading the module loads neither pyudev nor psutil: a lookup has to start quickly."""
    program = (
        "import sys, zmon.kernel.udev, zmon.kernel.proc_stat, zmon.kernel.proc_stat; "
        "sys.exit(bool({'pyudev', 'psutil'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0  # noqa: S603 - our own program
