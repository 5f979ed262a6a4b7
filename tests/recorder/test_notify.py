from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from zmon.recorder.notify import Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    """Listen as systemd would."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.setblocking(False)
        yield listener


def told(systemd: socket.socket) -> list[bytes]:
    """Return what was sent so far."""
    lines = []
    while True:
        try:
            lines.append(systemd.recv(4096))
        except BlockingIOError:
            return lines


def test_systemd_is_told(systemd: socket.socket) -> None:
    """That it is ready, how it goes in one line, that it lives, that it ends."""
    service = Service({"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "60000000"})
    service.ready()
    service.status("two\nlines")
    service.alive()
    service.stopping()
    assert told(systemd) == [b"READY=1", b"STATUS=two lines", b"WATCHDOG=1", b"STOPPING=1"]


def test_an_abstract_socket_is_one_too() -> None:
    """Its name begins with a zero byte, which the environment cannot hold."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0zmon-test-{os.getpid()}")
        listener.setblocking(False)
        Service({"NOTIFY_SOCKET": f"@zmon-test-{os.getpid()}"}).ready()
        assert told(listener) == [b"READY=1"]


@pytest.mark.parametrize("address", ["", "/nowhere/at/all", "x" * 1000, "not\0valid"])
def test_where_nobody_listens_nothing_happens(address: str) -> None:
    """The recorder has other things to do."""
    Service({"NOTIFY_SOCKET": address}).ready()


def test_signs_of_life_come_twice_as_often_as_asked_for() -> None:
    """None where none are wanted, or where they are wanted of another process."""
    assert Service({"WATCHDOG_USEC": "60000000"}).every == 30 * 10**9
    assert Service({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}).every == 0
    assert Service({"WATCHDOG_USEC": "soon"}).every == 0
    assert Service({}).every == 0
