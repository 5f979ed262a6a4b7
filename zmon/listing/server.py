"""The address of a database server, and what of it may be shown.

`postgresql://user:password@host:port/database?option=value`, likewise `mariadb://` and `mysql://`; a
directory or socket as `?host=/run/postgresql`, `?socket=/run/mysqld/mysqld.sock`, or percent-encoded in
place of the host; `service=NAME` for a service of libpq.  A password is kept to connect with and appears in
no message: `str` and `repr` leave it out, and `harmless_message` removes it from what drivers say.
"""

from __future__ import annotations

import re
import socket
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

POSTGRESQL: Final = "postgresql"
MARIADB: Final = "mariadb"
_SCHEMES: Final = {"postgresql": POSTGRESQL, "postgres": POSTGRESQL, "mariadb": MARIADB, "mysql": MARIADB}
_URL: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://")
_SERVICE: Final = re.compile(r"service=([^\s=]+)(?:\s+dbname=([^\s=]+))?")
_SECRET: Final = re.compile(r"pass(?!file)|pwd|pw\b|secret|token", re.IGNORECASE)
"""Names of options whose values are not shown, those too that no driver knows: they may be mistyped."""

MOST_ROWS: Final = 500_000
"""Rows of one answer that are listed."""
TOO_MANY: Final = f"more than {MOST_ROWS:,} rows: the others are not listed"


class ServerError(ValueError):
    """A server that cannot be asked: not understood, no driver, not reached, no authority."""


class Server(NamedTuple):
    """Where a server listens and as whom to ask it; what the address leaves out is empty or zero."""

    sort: str
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
        shown = "&".join(f"{name}={'***' if _SECRET.search(name) else value}" for name, value in self.options)
        return f"{self.sort}://{who}{where}/{self.database}" + (f"?{shown}" if shown else "")

    @property
    def local(self) -> bool:
        """Whether it is reached through a socket of this machine."""
        return self.host.startswith(("/", "@"))

    def harmless_message(self, error: BaseException) -> str:
        """Return what a driver says in one line, without the secrets of the address."""
        said = str(error)
        for secret in (self.password, *(value for name, value in self.options if _SECRET.search(name))):
            said = said.replace(secret, "***") if secret else said
        return " ".join(said.split()) or type(error).__name__


def is_server(words: str) -> bool:
    """Say whether a source is the address of a server and not the name of a file."""
    return bool(_URL.match(words) or _SERVICE.fullmatch(words))


def parse_server(words: str) -> Server:
    """Read the address of a server.

    Raises:
        ServerError: it is none; the message has nothing of the address but its scheme, as any other part of
            an address that is not understood may be the password.
    """
    service = _SERVICE.fullmatch(words)
    if service:
        return Server(POSTGRESQL, database=service[2] or "", options=(("service", service[1]),))
    scheme = _URL.match(words)
    if scheme is None:
        raise ServerError(
            "this is no address of a server: write postgresql://host/database or mariadb://host"
        )
    sort = _SCHEMES.get(scheme[1].lower())
    if sort is None:
        raise ServerError(
            f"{scheme[1][:40]}:// is no server that zmon can ask: it knows postgresql:// and mariadb:// (mysql://);"
            " of others give a listing in a file"
        )
    try:
        parts = urlsplit(words)
        port = parts.port or 0
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        options, port, parts = [], -1, urlsplit(f"{sort}://")
    database = unquote(parts.path.removeprefix("/"))
    if port < 0 or parts.fragment or "@" in database or not words.isprintable():
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
        sort,
        unquote(user) or given.pop("user", ""),
        unquote(password) or given.pop("password", ""),
        host,
        port,
        database or given.pop("dbname", ""),
        tuple(given.items()),
    )


def is_here(address: str) -> bool:
    """Say whether an address of the network belongs to this machine: only then it can be bound to."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(
            address, 0, type=socket.SOCK_DGRAM, flags=socket.AI_NUMERICHOST
        )[0]
        with socket.socket(family, kind) as bound:
            bound.bind(place)
    except OSError:
        return False
    return True
