"""The daemon of multipath: all maps, path groups and paths, with what its checkers found.

It answers everybody who lists something, over a socket of the file system or an abstract one; a message is
its length (eight bytes as the machine orders them, the NUL included), text, and a NUL.  An abstract name may
be taken by anybody, so an answer counts only if the process behind the socket is root's.

The JSON of `list maps json` has grown over the versions; what is missing in it is absent, what is new is left
alone.  Source: multipath-tools, libmpathcmd/mpath_cmd.c, libmultipath/print.c, multipathd/uxlsnr.c.
"""

from __future__ import annotations

import errno
import json
import re
import socket
import struct
import time

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.base.absent import Value

ADDRESSES: Final = ("/run/multipathd.socket", "\0/org/kernel/linux/storage/multipathd")
"""Where it listens: newer versions, and all."""
LIST_MAPS: Final = "list maps json"
SECONDS: Final = 1.0
"""How long an answer may take as a whole."""
MAX_ANSWER: Final = 8 << 20
"""Bytes; a path takes some 500."""
MAX_PATHS: Final = 100_000
_LENGTH: Final = struct.Struct("=Q")
_PEER: Final = struct.Struct("=3i")
NO_DAEMON: Final = absent("multipathd does not run here, or its socket is not visible in this container")
NOT_IN_ANSWER: Final = absent("multipathd does not say it")


class MapReport(NamedTuple):
    """What the daemon reports of one multipath device."""

    device: str
    """`dm-3`."""
    values: dict[str, Value]
    """Fields of the kind `multipath`."""


class PathReport(NamedTuple):
    """What it reports of one path."""

    number: str
    """major:minor of its disk."""
    device: str
    """The multipath device that it belongs to."""
    values: dict[str, Value]
    """Fields of the kind `path`."""


class MultipathReport(NamedTuple):
    """One answer."""

    maps: tuple[MapReport, ...] = ()
    paths: tuple[PathReport, ...] = ()


def ask(command: str = LIST_MAPS, addresses: Iterable[str] = ADDRESSES, owner: int = 0) -> str:
    """Ask the daemon, and return its answer; `owner` is the user that it has to run as.

    Raises:
        OSError: it does not run, does not answer in time, or is not root's.
        ValueError: the answer is not text of the protocol.
    """
    refused = OSError(errno.ENOENT, NO_DAEMON.reason)
    for address in addresses:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(SECONDS)
            try:
                line.connect(address)
            except OSError as error:
                if error.errno not in {errno.ENOENT, errno.ECONNREFUSED}:
                    refused = error
                continue
            peer = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
            if _PEER.unpack(peer)[1] != owner:
                refused = OSError(errno.EPERM, "the process behind the socket of multipathd is not root's")
                continue
            return _exchange(line, command)
    raise refused


def _exchange(line: socket.socket, command: str) -> str:
    end = time.monotonic() + SECONDS
    message = command.encode() + b"\0"
    line.sendall(_LENGTH.pack(len(message)) + message)
    (length,) = _LENGTH.unpack(_received(line, _LENGTH.size, end))
    if not 0 < length <= MAX_ANSWER:
        raise ValueError(f"multipathd: an answer of {length:,} bytes")
    answer = _received(line, length, end)
    return answer.rstrip(b"\0").decode("utf-8", "replace")


def _received(line: socket.socket, count: int, end: float) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError(errno.ETIMEDOUT, "multipathd does not answer")
        line.settimeout(left)
        part = line.recv(min(count - len(parts), 1 << 16))
        if not part:
            raise ConnectionResetError(errno.ECONNRESET, "multipathd closed the connection")
        parts += part
    return bytes(parts)


def parse_maps(answer: str) -> MultipathReport:
    """Parse the answer to `list maps json`; entries that have another form are left out.

    Raises:
        ValueError: it is no JSON with a list of maps; says how it begins.
    """
    try:
        document = json.loads(answer)
    except (ValueError, RecursionError):
        document = None
    maps = document.get("maps") if isinstance(document, dict) else None
    if not isinstance(maps, list):
        raise ValueError(f"multipathd: no JSON with maps, but {answer[:40]!r}")  # noqa: TRY004 - text, no type
    found_maps: list[MapReport] = []
    paths: list[PathReport] = []
    for entry in _objects(maps):
        device = _text(entry, "sysfs")
        if not isinstance(device, str) or not re.fullmatch("dm-[0-9]{1,5}", device):
            continue
        found_maps.append(MapReport(device, _map(entry)))
        for group in _objects(entry.get("path_groups")):
            for path in _objects(group.get("paths")):
                number = _text(path, "dev_t")
                if isinstance(number, str) and re.fullmatch("[0-9]{1,7}:[0-9]{1,8}", number):
                    paths.append(PathReport(number, device, _path(group, path)))
                if len(paths) > MAX_PATHS:
                    raise ValueError(f"multipathd: more than {MAX_PATHS:,} paths")
    return MultipathReport(tuple(found_maps), tuple(paths))


def _objects(value: object) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list; none if it is another thing."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _map(entry: dict[str, Any]) -> dict[str, Value]:
    return {
        "title": _text(entry, "name"),
        "wwid": _text(entry, "uuid"),
        "queueing": _text(entry, "queueing"),
        "state": _text(entry, "dm_st"),
        "faults": _number(entry, "path_faults"),
        "switches": _number(entry, "switch_grp"),
        "loads": _number(entry, "map_loads"),
        "queue_seconds": _number(entry, "total_q_time"),
        "queue_timeouts": _number(entry, "q_timeouts"),
    }


def _path(group: dict[str, Any], path: dict[str, Any]) -> dict[str, Value]:
    return {
        "name": _text(path, "dev"),
        "group": _number(group, "group"),
        "group_state": _text(group, "dm_st"),
        "selector": _first_word(_text(group, "selector")),
        "state": _text(path, "dm_st"),
        "device": _text(path, "dev_st"),
        "checker": _text(path, "chk_st"),
        "priority": _number(path, "pri"),
        "marginal": _text(path, "marginal_st"),
    }


def _first_word(value: Value) -> Value:
    return value.partition(" ")[0] if isinstance(value, str) else value


def _text(entry: dict[str, Any], name: str) -> Value:
    value = entry.get(name)
    if not isinstance(value, str) or value in {"", "undef", "##", "[undef]"}:
        return NOT_IN_ANSWER
    return value if len(value) <= 128 and value.isprintable() else absent(f"multipathd: {name} is no name")


def _number(entry: dict[str, Any], name: str) -> int | Absent:
    value = entry.get(name)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63
    return value if is_count else NOT_IN_ANSWER  # type: ignore[return-value]  # an int then
