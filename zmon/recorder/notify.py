"""What systemd is told of a service: that it is ready, how it does, that it lives.

Protocol: sd_notify(3).  Lines `NAME=value` go as one datagram to the socket that NOTIFY_SOCKET names; without
one nobody is told, and nothing here fails.
"""

from __future__ import annotations

import contextlib
import os
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Service:
    """The service that this process is, or is not, to systemd."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Look for the socket, and for how often systemd wants to hear."""
        address = environment.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        own = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        wanted = environment.get("WATCHDOG_USEC", "") if own else ""
        self.every = int(wanted) * 1000 // 2 if wanted.isascii() and wanted.isdigit() else 0
        """ns between two signs of life, half of what systemd waits; 0 when it does not wait for any."""

    def ready(self) -> None:
        """Say that samples are being recorded."""
        self._tell("READY=1")

    def alive(self) -> None:
        """Give a sign of life."""
        if self.every:
            self._tell("WATCHDOG=1")

    def status(self, words: str) -> None:
        """Say in one line how it goes, for `systemctl status`."""
        self._tell("STATUS=" + " ".join(words.split()))

    def stopping(self) -> None:
        """Say that the end has begun."""
        self._tell("STOPPING=1")

    def _tell(self, line: str) -> None:
        if not self._address:
            return
        with (
            contextlib.suppress(OSError, ValueError),  # whoever does not listen does not matter
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to,
        ):
            to.setblocking(False)
            to.sendto(line.encode(), self._address)
