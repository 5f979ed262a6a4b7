from __future__ import annotations

import socket
import struct
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from zmon.listing import asking
from zmon.listing.container import Container, Note, Parsed, Traffic
from zmon.listing.listing import ListingError, read_listing
from zmon.listing.server import ServerError, parse_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
    monkeypatch.setattr(asking, "PATIENCE", 0.6)
    with served(behave) as port, pytest.raises(ServerError, match=r"no complete answer within 0.6 s"):
        asking.ask(f"{scheme}://me:s3cret@127.0.0.1:{port}/db")


def test_rows_without_end_end_at_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of whoever asks is bounded, and the reason is told."""
    monkeypatch.setattr(asking, "MEMORY", 150 << 20)
    with served(endless) as port, pytest.raises(ServerError, match="is too long: more than 150 MiB"):
        asking.ask(f"mariadb://127.0.0.1:{port}/db")


def test_an_answer_that_no_driver_understands_is_a_sentence() -> None:
    """A mistake of the driver is told as such, without the password."""
    with served(zeros) as port, pytest.raises(ListingError, match="not understood") as caught:
        read_listing(f"mariadb://me:s3cret@127.0.0.1:{port}/db")
    assert "s3cret" not in str(caught.value)


def test_what_a_server_lists_comes_through_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers, notes and names are those that were found, whatever letters they have."""
    found = Parsed(
        (
            Container(database="d\udcff", path="/x\n/\u00fc", bytes_declared=5, traffic=Traffic(reads=3)),
            Container(),
        ),
        (Note(3, "a note", unread=True), Note(0, "b")),
        "d",
        "h",
    )
    monkeypatch.setattr("zmon.listing.postgresql.read_postgresql", lambda *_: found)
    parts = asking._answered(parse_server("postgresql://h/d"), {"databases": [], "base_dir": ""})
    assert asking._understood([asking.line(part) for part in parts]) == found


def test_nobody_is_left_asking_when_the_one_who_waits_is_gone() -> None:
    """The child ends with its parent, not at the deadline."""
    with served(silent) as port:
        child = asking.started()
        assert child.stdin is not None
        child.stdin.write(asking.request(f"postgresql://127.0.0.1:{port}/db"))
        child.stdin.close()
        assert child.wait(30) == 1
        assert child.stdout is not None
        child.stdout.close()
