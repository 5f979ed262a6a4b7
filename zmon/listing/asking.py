"""Ask a database server in a process of its own, which a deadline and a bound of memory always end.

A server may accept a connection and then say nothing, send notices or rows without end, or a byte a second;
the time limits of the drivers do not cover all of that.  So a short-lived child does the asking: the kernel
kills it at the deadline (`alarm`), bounds its memory (`RLIMIT_AS`), and it ends when its parent does.  The
address, which may hold a password, goes through a pipe and is on no command line.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from zmon.listing import mariadb, postgresql
from zmon.listing.container import Container, Note, Parsed, Traffic
from zmon.listing.server import POSTGRESQL, ServerError, parse_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.listing.server import Server

PATIENCE: Final = 60
"""Seconds for the whole question: connecting, all databases, all rows."""
MEMORY: Final = 1 << 30
"""Bytes of address space of the child."""

_PROGRAM: Final = "import sys; sys.path[:] = sys.argv[1:]; from zmon.listing.asking import main; main()"
_TRAFFIC: Final = Container._fields.index("traffic")


def ask(address: str, databases: Sequence[str] = (), base_dir: str = "") -> Parsed:
    """Ask a server for its files; see `read_postgresql` and `read_mariadb`.

    Raises:
        ServerError: the address is none, or the server cannot be asked, or does not answer in time; says what
            to do.
    """
    server = parse_server(address)
    with started() as child:
        assert child.stdin is not None  # noqa: S101 - a pipe was asked for
        assert child.stdout is not None  # noqa: S101 - likewise
        try:
            child.stdin.write(request(address, databases, base_dir))
            child.stdin.flush()  # it stays open: its end tells the child that nobody waits any more
            lines = child.stdout.readlines()
        except BrokenPipeError:
            lines = []
        except BaseException:
            child.kill()
            raise
        status = child.wait()
    if status == -signal.SIGALRM:
        raise ServerError(
            f"{server}: no complete answer within {PATIENCE} s; name one database with --database, or spool"
            " the queries of docs/listings.md"
        )
    if status or not lines:
        raise ServerError(f"{server}: asking it failed: the driver ended with status {status}")
    return _understood(lines)


def started() -> subprocess.Popen[bytes]:
    """Start a child that waits for a `request`."""
    return subprocess.Popen(  # noqa: S603 - this very program
        [sys.executable, "-P", "-c", _PROGRAM, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def request(address: str, databases: Sequence[str] = (), base_dir: str = "") -> bytes:
    """Return what a child is asked, as one line."""
    return line({
        "address": address, "databases": list(databases), "base_dir": base_dir, "patience": PATIENCE,
        "memory": MEMORY,
    })  # fmt: skip


def line(part: Any) -> bytes:
    """Return a part of the question or of the answer as a line of JSON."""
    return json.dumps(part, default=str).encode() + b"\n"


def _understood(lines: Sequence[bytes]) -> Parsed:
    """Read what the child wrote: one line about all, and one for each container."""
    head = json.loads(lines[0])
    if "error" in head:
        raise ServerError(head["error"])
    notes = tuple(Note(*note) for note in head["notes"])
    return Parsed(tuple(_containers(lines[1:])), notes, head["database"], head["host"])


def _containers(lines: Sequence[bytes]) -> Iterator[Container]:
    for line in lines:
        cells = json.loads(line)
        cells[_TRAFFIC] = Traffic(*cells[_TRAFFIC])
        yield Container(*cells)


# the child


def main() -> None:
    """Answer the request on standard input, as the child of `ask`."""
    asked = json.loads(sys.stdin.buffer.readline())
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, asked["patience"])
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = asked["memory"]
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))
    for part in _answered(parse_server(asked["address"]), asked):
        sys.stdout.buffer.write(line(part))
    sys.stdout.flush()
    os._exit(0)  # the driver has nothing to say to the server any more


def _end_with_the_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def _answered(server: Server, asked: dict[str, Any]) -> Iterator[Any]:
    """Yield the parts of the answer: a head, and the containers; or an error alone."""
    try:
        if server.sort == POSTGRESQL:
            found = postgresql.read_postgresql(server, asked["databases"], asked["base_dir"])
        else:
            found = mariadb.read_mariadb(server, asked["databases"])
    except ServerError as error:
        yield {"error": str(error)}
        return
    except MemoryError:
        yield {"error": f"{server}: its answer is too long: more than {asked['memory'] >> 20} MiB"}
        return
    except Exception as error:  # noqa: BLE001 - whatever a driver makes of whatever a server sends
        what = f"{type(error).__name__}: {server.harmless_message(error)}"
        yield {"error": f"{server}: its answer is not understood ({what})"}
        return
    yield {"notes": found.notes, "database": found.database, "host": found.host}
    yield from found.containers
