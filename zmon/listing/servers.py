"""Database servers that are asked for their files: their addresses, and a child process that asks.

`postgresql://user:password@host:port/database?option=value`, likewise `mariadb://` and `mysql://`; a
directory or socket as `?host=/run/postgresql`, `?socket=/run/mysqld/mysqld.sock`, or percent-encoded in
place of the host; `service=NAME` for a service of libpq.  A password is kept only for connecting and appears
in no message: `str` and `repr` leave it out, and `harmless_message` removes it from messages of drivers.

A server may accept a connection and then send nothing, notices or rows without end, or a byte a second;
the time limits of the drivers do not cover all of that.  So a short-lived child does the asking: the kernel
kills it at the deadline (`alarm`), bounds its memory (`RLIMIT_AS`), and it ends when its parent does.  The
address, which may hold a password, goes through a pipe and is on no command line.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from zmon.listing.containers import Container, ListingContent
from zmon.listing.not_understood import Note

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    ServerReader = Callable[["Server", Sequence[str], str], ListingContent]
    """Asks a server for the files of databases, with the base directory for a server that hides its own."""

POSTGRESQL: Final = "postgresql"
MARIADB: Final = "mariadb"
_SCHEMES: Final = {"postgresql": POSTGRESQL, "postgres": POSTGRESQL, "mariadb": MARIADB, "mysql": MARIADB}
_URL: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://")
_SERVICE: Final = re.compile(r"service=([^\s=]+)(?:\s+dbname=([^\s=]+))?")
_SECRET: Final = re.compile(r"pass(?!file)|pwd|pw\b|secret|token", re.IGNORECASE)
"""Names of options whose values are not shown, those too that no driver knows: they may be mistyped."""

MAX_ROWS: Final = 200_000
"""Rows of one answer that are listed."""
TOO_MANY: Final = f"more than {MAX_ROWS:,} rows: the others are not listed"


class ServerError(ValueError):
    """A server that cannot be asked: not understood, no driver, not reached, no authority."""


class Server(NamedTuple):
    """The address of a server, with user and database; missing parts are empty or zero."""

    product: str
    """`postgresql` or `mariadb`."""
    user: str = ""
    password: str = ""
    host: str = ""
    """A name or address, or the path of a socket or of its directory."""
    port: int = 0
    database: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"Server({self})"

    def __str__(self) -> str:
        """Return the address as it may be shown."""
        who = self.user + (":***" if self.password else "") + ("@" if self.user or self.password else "")
        where = self.host + (f":{self.port}" if self.port else "")
        options = self.options
        if self.host.startswith("/"):  # a socket, which is an option in an address
            where = ""
            name = "socket" if self.product == MARIADB else "host"
            options = ((name, self.host), *([("port", str(self.port))] if self.port else []), *options)
        shown = "&".join(f"{name}={'***' if _SECRET.search(name) else value}" for name, value in options)
        return f"{self.product}://{who}{where}/{self.database}" + (f"?{shown}" if shown else "")

    def wanted(self, databases: Sequence[str]) -> tuple[str, ...]:
        """Return the databases to list: the given ones, else that of the address; empty for all."""
        return tuple(databases) or ((self.database,) if self.database else ())

    def check(self, wanted: Iterable[str], existing: Collection[str]) -> None:
        """Compare the databases to list with those of the server.

        Raises:
            ServerError: the server lacks one.
        """
        missing = next((name for name in wanted if name not in existing), "")
        if missing:
            raise ServerError(f"{self}: no database {missing!r}; there are {', '.join(existing)}")

    def harmless_message(self, error: BaseException) -> str:
        """Return a driver's message in one line, without the secrets of the address."""
        said = str(error)
        for secret in (self.password, *(value for name, value in self.options if _SECRET.search(name))):
            said = said.replace(secret, "***") if secret else said
        return " ".join(said.split()) or type(error).__name__


def is_server(text: str) -> bool:
    """Return whether a source is the address of a server and not the name of a file."""
    return bool(_URL.match(text) or _SERVICE.fullmatch(text))


def parse_server(address: str) -> Server:
    """Read the address of a server.

    Raises:
        ServerError: it is none; the message contains only the scheme of the address, because any other part
            of an address that is not understood may be the password.
    """
    service = _SERVICE.fullmatch(address)
    if service:
        return Server(POSTGRESQL, database=service[2] or "", options=(("service", service[1]),))
    scheme = _URL.match(address)
    if scheme is None:
        raise ServerError(
            "this is no address of a server: write postgresql://host/database or mariadb://host"
        )
    product = _SCHEMES.get(scheme[1].lower())
    if product is None:
        raise ServerError(
            f"{scheme[1][:40]}:// is no server that zmon can ask: it knows postgresql:// and mariadb:// (mysql://);"
            " of others give a listing in a file"
        )
    try:
        parts = urlsplit(address)
        port = parts.port or 0
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        options, port, parts = [], -1, urlsplit(f"{product}://")
    database = unquote(parts.path.removeprefix("/"))
    if port < 0 or parts.fragment or "@" in database or not address.isprintable():
        raise ServerError(
            f"{scheme[1]}://... cannot be read: in user and password write %40 for @, %2F for /, %3A for :,"
            " %23 for #"
        )
    given = dict(options)
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    host = unquote(parts.netloc.rpartition("@")[2]) if "%2" in parts.netloc.upper() else parts.hostname or ""
    for name in ("host", "socket", "unix_socket"):
        host = given.pop(name, "") or host
    return Server(
        product,
        unquote(user) or given.pop("user", ""),
        unquote(password) or given.pop("password", ""),
        host,
        port,
        database or given.pop("dbname", ""),
        tuple(given.items()),
    )


def is_here(address: str) -> bool:
    """Return whether a network address belongs to this machine: only then bind succeeds."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(
            address, 0, type=socket.SOCK_DGRAM, flags=socket.AI_NUMERICHOST
        )[0]
        with socket.socket(family, kind) as bound:
            bound.bind(place)
    except OSError:
        return False
    return True


# asking

DEADLINE: Final = 60
"""Seconds for the whole request: connecting, all databases, all rows."""
MAX_MEMORY: Final = 300 << 20
"""Bytes of address space of the child."""

_PROGRAM: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; from zmon.listing import listing; listing.answer_request()"
)
_SIGALRM: Final = 14


def ask(address: str, databases: Sequence[str] = (), base_dir: str = "") -> ListingContent:
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
            child.stdin.flush()  # the pipe stays open: when it is closed, the child ends
            lines = child.stdout.readlines()
        except BrokenPipeError:
            lines = []
        except BaseException:
            child.kill()
            raise
        status = child.wait()
    if status == -_SIGALRM:
        raise ServerError(
            f"{server}: no complete answer within {DEADLINE} s; name one database with --database, or spool"
            " the queries of docs/listings.md"
        )
    if status or not lines:
        raise ServerError(f"{server}: asking it failed: the driver ended with status {status}")
    return _understood(lines)


def started() -> subprocess.Popen[bytes]:
    """Start a child that waits for a `request`."""
    import subprocess  # noqa: PLC0415 - most listings are files

    return subprocess.Popen(  # noqa: S603 - this very program
        [sys.executable, "-P", "-c", _PROGRAM, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def request(address: str, databases: Sequence[str] = (), base_dir: str = "") -> bytes:
    """Return the request to a child as one line."""
    return line({
        "address": address, "databases": list(databases), "base_dir": base_dir, "deadline": DEADLINE,
        "memory": MAX_MEMORY,
    })  # fmt: skip


def line(part: Any) -> bytes:
    """Return a part of the request or of the answer as a line of JSON."""
    return json.dumps(part, default=str).encode() + b"\n"


def _understood(lines: Sequence[bytes]) -> ListingContent:
    """Parse the output of the child: one line of general data, and one for each container."""
    head = json.loads(lines[0])
    if "error" in head:
        raise ServerError(head["error"])
    notes = tuple(Note(*note) for note in head["notes"])
    containers = tuple(Container(*json.loads(line)) for line in lines[1:])
    return ListingContent(containers, notes, head["host"])


# the child


def answer(readers: Mapping[str, ServerReader]) -> None:
    """Answer the request on standard input, as the child of `ask`, by the readers of the products."""
    import resource  # noqa: PLC0415 - the child alone needs it
    import signal  # noqa: PLC0415 - likewise
    import threading  # noqa: PLC0415 - likewise

    asked = json.loads(sys.stdin.buffer.readline())
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, asked["deadline"])
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = asked["memory"]
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))
    for part in _answered(readers, asked):
        sys.stdout.buffer.write(line(part))
    sys.stdout.flush()
    os._exit(0)  # the driver has nothing left to send


def _end_with_the_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def _answered(readers: Mapping[str, ServerReader], asked: dict[str, Any]) -> Iterator[Any]:
    """Yield the parts of the answer: a head, and the containers; or an error alone."""
    server = parse_server(asked["address"])
    try:
        content = readers[server.product](server, asked["databases"], asked["base_dir"])
    except ServerError as error:
        yield {"error": str(error)}
        return
    except MemoryError:
        yield {"error": f"{server}: its answer is too long: more than {asked['memory'] >> 20} MiB"}
        return
    except Exception as error:  # noqa: BLE001 - drivers may raise anything
        what = f"{type(error).__name__}: {server.harmless_message(error)}"
        yield {"error": f"{server}: its answer is not understood ({what})"}
        return
    yield {"notes": content.notes, "host": content.host}
    yield from content.containers
