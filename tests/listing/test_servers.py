from __future__ import annotations

import socket
import struct
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.listing import servers
from zmon.listing.containers import Container, ListingContent
from zmon.listing.listing import ListingError, read_listing
from zmon.listing.not_understood import Note
from zmon.listing.servers import ServerError, is_here, is_server, parse_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def test_an_address_has_its_parts() -> None:
    """User, password, host, port, database and options."""
    server = parse_server("postgresql://me:p%40ss@db.example:5433/My%20Db?sslmode=require")
    assert (server.product, server.user, server.password) == ("postgresql", "me", "p@ss")
    assert (server.host, server.port, server.database) == ("db.example", 5433, "My Db")
    assert server.options == (("sslmode", "require"),)


@pytest.mark.parametrize(
    "address",
    ["mysql:///d?socket=/run/m.sock", "mariadb://%2Frun%2Fm.sock/d", "mariadb:///d?unix_socket=/run/m.sock"],
)
def test_a_socket_is_named_in_several_ways(address: str) -> None:
    """As an option, or in place of the host."""
    server = parse_server(address)
    assert (server.product, server.host, server.database) == ("mariadb", "/run/m.sock", "d")


def test_an_address_of_ipv6_has_brackets() -> None:
    """They are not part of the host."""
    assert parse_server("postgres://[::1]:5432/").host == "::1"


def test_a_service_is_one_of_libpq() -> None:
    """It is handed on by its name."""
    server = parse_server("service=prod dbname=x")
    assert (server.product, server.database, server.options) == ("postgresql", "x", (("service", "prod"),))


@given(st.text(min_size=1), st.sampled_from(["postgresql", "mysql"]))
def test_a_password_is_never_shown(password: str, scheme: str) -> None:
    """Whatever it is, neither the address nor a message that quotes it has it."""
    secret = f"s3cret{password}"
    server = parse_server(f"{scheme}://me:{quote(secret, safe='', errors='replace')}@host/db")
    assert "s3cret" not in str(server)
    assert "s3cret" not in repr(server)
    assert "s3cret" not in server.harmless_message(ValueError(f"cannot use {server.password} here"))


@pytest.mark.parametrize(
    "name", ["password", "Password", "pass", "passwd", "sslpassword", "oauth_client_secret", "pw", "pwd"]
)
def test_an_option_that_may_be_a_password_is_not_shown(name: str) -> None:
    """Whichever way it is spelled, as the driver that refuses it quotes the address."""
    server = parse_server(f"mariadb://me@host/db?user=x&{name}=s3cret&sslmode=s3cret")
    assert "s3cret" not in server.harmless_message(ValueError("cannot use s3cret"))
    assert str(server).count("s3cret") == 1


def test_the_name_of_a_file_of_passwords_is_shown() -> None:
    """It is no password."""
    assert "/home/me/.pgpass" in str(parse_server("postgresql://me@host/db?passfile=/home/me/.pgpass"))


@pytest.mark.parametrize(
    "address", ["postgresql://me@/d?host=/tmp/x/sock&port=5977", "mariadb://me@/?socket=/run/m.sock"]
)
def test_an_address_with_a_socket_is_shown_as_it_was_given(address: str) -> None:
    """Whoever copies it reaches the same server."""
    assert str(parse_server(address)) == address


@given(st.text(alphabet="s3cret:@/?#%&= []\n", min_size=1))
def test_an_address_that_is_not_understood_shows_nothing(rest: str) -> None:
    """A password that breaks an address is not in the message about it."""
    address = f"postgresql://me:hidden{rest}hidden@host/db"
    try:
        shown = str(parse_server(address))
    except ServerError as error:
        shown = str(error)
    assert "hidden" not in shown or "hidden" in shown.partition("@")[2] + shown.partition("/")[2]


def test_a_password_among_the_options_is_not_shown() -> None:
    """Options may hold secrets too."""
    assert "x1" not in str(parse_server("postgresql://h/d?password=x1&sslpassword=x1"))


def test_a_password_with_an_at_is_refused_without_it() -> None:
    """What is not encoded would be shown as the host."""
    with pytest.raises(ServerError, match="write %40 for @") as caught:
        parse_server("postgresql://me:one@tw/o@host/db")
    assert "tw" not in str(caught.value)


def test_other_servers_are_told_what_is_known() -> None:
    """A listing in a file is the way for all others."""
    with pytest.raises(ServerError, match=r"^oracle:// "):
        parse_server("oracle://scott:tiger@host")


@given(st.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    """Of any text there is a server, or a ServerError."""
    try:
        parse_server(text)
    except ServerError:
        return
    assert is_server(text)


@pytest.mark.parametrize("words", ["db.ddl", "/a/b:c", "-", "./service=x.csv", "C:/x"])
def test_names_of_files_are_no_servers(words: str) -> None:
    """Only a scheme or a service makes an address."""
    assert not is_server(words)


def test_what_can_be_bound_to_is_here() -> None:
    """The loopback is of this machine; an address for documents is of none."""
    assert is_here("127.0.0.1")
    assert not is_here("192.0.2.1")
    assert not is_here("no address")


@contextmanager
def served(behave: Callable[[socket.socket], None]) -> Iterator[int]:
    """Serve each connection on a port of loopback by `behave`, until it returns or the client is gone."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve(connection: socket.socket) -> None:
        with suppress(OSError):
            behave(connection)
        over.wait()
        connection.close()

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def message(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack(">i", len(content) + 4) + content


READY = message(b"Z", b"I")


def greet(connection: socket.socket) -> None:
    """Let a client of PostgreSQL in: no encryption, no password."""
    while connection.recv(8, socket.MSG_WAITALL)[4:] in {b"\x04\xd2\x16\x2f", b"\x04\xd2\x16\x30"}:
        connection.sendall(b"N")
    connection.recv(10_000)
    status = message(b"S", b"client_encoding\0UTF8\0") + message(b"S", b"server_version\x0015.0\0")
    connection.sendall(message(b"R", b"\0\0\0\0") + status + READY)


def silent(connection: socket.socket) -> None:
    greet(connection)
    connection.recv(10_000)


def notices(connection: socket.socket) -> None:
    greet(connection)
    while True:
        connection.sendall(message(b"N", b"SNOTICE\0Mhello\0\0"))


def packet(number: int, content: bytes) -> bytes:
    return struct.pack("<I", len(content))[:3] + bytes([number % 256]) + content


def endless(connection: socket.socket) -> None:
    """Let a client of MariaDB in, and send rows without end for `SHOW SCHEMAS`."""
    about = struct.pack("<I8sxHBHHB10x12sx", 1, b"s" * 8, 0xFFFF ^ 0x800, 45, 2, 0x000F, 21, b"s" * 12)
    connection.sendall(packet(0, b"\x0a5.5.5-10.11\0" + about + b"mysql_native_password\0"))
    connection.recv(10_000)
    number = 2
    while True:
        connection.sendall(packet(number, b"\0\0\0\x02\0\0\0"))
        if b"SHOW SCHEMAS" in connection.recv(10_000):
            break
        number = 1
    text = b"".join(bytes([len(word)]) + word for word in (b"def", b"", b"", b"", b"name", b"name"))
    column = text + struct.pack("<BHIBHB2x", 12, 45, 100, 253, 0, 0)
    connection.sendall(packet(1, b"\1") + packet(2, column) + packet(3, b"\xfe\0\0\x02\0"))
    number = 4
    while True:
        rows = range(number, number + 256)
        connection.sendall(b"".join(packet(row, b"\xfd" + b"\xe8\x03\0" + b"x" * 1000) for row in rows))
        number += 256


def trickle(connection: socket.socket) -> None:
    """Send a byte of MariaDB's greeting now and then."""
    for byte in b"\x4a\0\0\0\x0a5.5.5-10.11":
        connection.sendall(bytes([byte]))
        connection.settimeout(0.2)
        with suppress(TimeoutError):
            connection.recv(1)


def zeros(connection: socket.socket) -> None:
    while True:
        connection.sendall(bytes(10_000))


@pytest.mark.parametrize(
    ("scheme", "behave"),
    [("postgresql", silent), ("postgresql", notices), ("mariadb", silent), ("mariadb", trickle)],
)
def test_a_server_that_never_ends_its_answer_is_given_up(
    scheme: str, behave: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the deadline of the whole question, whatever it sends."""
    monkeypatch.setattr(servers, "DEADLINE", 0.6)
    with served(behave) as port, pytest.raises(ServerError, match=r"no complete answer within 0.6 s"):
        servers.ask(f"{scheme}://me:s3cret@127.0.0.1:{port}/db")


def test_rows_without_end_end_at_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of whoever asks is bounded, and the reason is told."""
    monkeypatch.setattr(servers, "MAX_MEMORY", 150 << 20)
    with served(endless) as port, pytest.raises(ServerError, match="150 MiB"):
        servers.ask(f"mariadb://127.0.0.1:{port}/db")


def test_an_answer_that_no_driver_understands_is_a_sentence() -> None:
    """A mistake of the driver is told as such, without the password."""
    with served(zeros) as port, pytest.raises(ListingError, match="not understood") as caught:
        read_listing(f"mariadb://me:s3cret@127.0.0.1:{port}/db")
    assert "s3cret" not in str(caught.value)


def test_what_a_server_lists_comes_through_whole() -> None:
    """Containers, notes and names are those that were found, whatever letters they have."""
    found = ListingContent(
        (
            Container(database="d\udcff", path="/x\n/\u00fc", bytes_declared=5),
            Container(),
        ),
        (Note(3, "a note", unread=True), Note(0, "b")),
        "h",
    )
    asked = {"address": "postgresql://h/d", "databases": [], "base_dir": ""}
    parts = servers._answered({"postgresql": lambda *_: found}, asked)
    assert servers._understood([servers.line(part) for part in parts]) == found


def test_nobody_is_left_asking_when_the_one_who_waits_is_gone() -> None:
    """The child ends with its parent, not at the deadline."""
    with served(silent) as port:
        child = servers.started()
        assert child.stdin is not None
        child.stdin.write(servers.request(f"postgresql://127.0.0.1:{port}/db"))
        child.stdin.close()
        assert child.wait(30) == 1
        assert child.stdout is not None
        child.stdout.close()
