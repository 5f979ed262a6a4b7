"""The answers of multipathd, which may be of any version, or of another program."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.kernel.multipathd import NO_DAEMON, ask, parse_maps

if TYPE_CHECKING:
    from pathlib import Path

PATH = {
    "dev": "sda", "dev_t": "8:0", "dm_st": "active", "dev_st": "running", "chk_st": "ready", "pri": 50,
    "checker": "tur", "host_wwpn": "0xc05076ffe4801a51", "target_wwpn": "0x500507630a1b06dc",
}  # fmt: skip
GROUP = {"selector": "service-time 0", "pri": 50, "dm_st": "active", "group": 1, "paths": [PATH]}
MAP = {
    "name": "data01", "uuid": "36005076303ffc562000000000000102a", "sysfs": "dm-3", "queueing": "5 chk",
    "dm_st": "active", "path_faults": 2, "switch_grp": 1, "map_loads": 4, "total_q_time": 7, "q_timeouts": 0,
    "path_groups": [GROUP],
}  # fmt: skip


def answer(*maps: object) -> str:
    """Write an answer as version 0.8 does."""
    return json.dumps({"major_version": 0, "minor_version": 1, "maps": list(maps)})


def test_maps_and_paths_are_found() -> None:
    """With counters of the map, and what the checker found of the path."""
    found = parse_maps(answer(MAP))
    ((device, values),) = found.maps
    assert (device, values["title"], values["faults"], values["queue_seconds"]) == ("dm-3", "data01", 2, 7)
    ((number, of, path),) = found.paths
    assert (number, of, path["name"], path["checker"], path["priority"]) == (
        "8:0",
        "dm-3",
        "sda",
        "ready",
        50,
    )
    assert (path["selector"], path["group"], path["group_state"]) == ("service-time", 1, "active")


def test_what_a_version_lacks_is_absent() -> None:
    """And what it does not understand, which it writes as undef."""
    path = {"dev": "sda", "dev_t": "8:0", "dm_st": "undef"}
    found = parse_maps(answer({"sysfs": "dm-3", "path_groups": [{"paths": [path]}]}))
    assert all(isinstance(value, Absent) for value in found.maps[0].values.values())
    assert isinstance(found.paths[0].values["state"], Absent)


@pytest.mark.parametrize("text", ["", "fail\n", "timeout\n", "[]", '{"maps": 3}', "[" * 100_000])
def test_an_answer_without_maps_is_refused(text: str) -> None:
    """Old versions do not know the command."""
    with pytest.raises(ValueError, match=r"^multipathd: "):
        parse_maps(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["dm-1", "8:0"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["maps", "sysfs", "path_groups", "paths", "dev_t", "group", "name", "pri"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_json_is_parsed_or_refused(document: object) -> None:
    """What is taken from it is a number that is counted, or a short word that can be printed."""
    try:
        found = parse_maps(json.dumps({"maps": document}))
    except ValueError:
        return
    for values in (*(one.values for one in found.maps), *(one.values for one in found.paths)):
        for value in values.values():
            assert isinstance(value, Absent) or (
                value.isprintable() if isinstance(value, str) else 0 <= value < 1 << 63
            )


class Daemon:
    """Answers one question with these bytes."""

    def __init__(self, path: Path, reply: bytes) -> None:
        self.asked = b""
        self._reply = reply
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(path))
        self._socket.listen(1)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        line, _ = self._socket.accept()
        with line, suppress(OSError):  # who asked has gone
            self.asked = line.recv(4096)
            line.sendall(self._reply)

    def close(self) -> None:
        """End it; what it was asked is complete then."""
        self._thread.join(10)
        self._socket.close()


@pytest.fixture
def address(tmp_path: Path) -> Path:
    """Where a daemon may listen."""
    return tmp_path / "socket"


def framed(text: bytes) -> bytes:
    """Write a message of the protocol."""
    return struct.pack("=Q", len(text) + 1) + text + b"\0"


def test_the_daemon_is_asked_as_its_protocol_demands(address: Path) -> None:
    """A length that includes the NUL, in front of either text."""
    daemon = Daemon(address, framed(b"hello"))
    assert ask("list maps json", [str(address)], os.getuid()) == "hello"
    daemon.close()
    assert daemon.asked == framed(b"list maps json")


@pytest.mark.parametrize(
    "reply", [framed(b"hello")[:-2], struct.pack("=Q", 1 << 60), struct.pack("=Q", 0), b""]
)
def test_a_broken_answer_is_refused(address: Path, reply: bytes) -> None:
    """It ends too early, or would be longer than any."""
    daemon = Daemon(address, reply)
    with pytest.raises((OSError, ValueError)):
        ask("list maps json", [str(address)], os.getuid())
    daemon.close()


def test_a_daemon_of_another_user_is_not_believed(address: Path) -> None:
    """An abstract name may be taken by anybody."""
    daemon = Daemon(address, framed(b"hello"))
    with pytest.raises(PermissionError, match="not root's"):
        ask("list maps json", [str(address)], os.getuid() + 1)
    daemon.close()


def test_without_a_daemon_the_reason_is_told(tmp_path: Path) -> None:
    """Nothing listens there."""
    with pytest.raises(FileNotFoundError, match=NO_DAEMON.reason):
        ask("list maps json", [str(tmp_path / "none")])
