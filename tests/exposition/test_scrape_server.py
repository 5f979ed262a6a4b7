"""Who asks for metrics is answered from the last sample, one at a time, and cannot hold the server."""

from __future__ import annotations

import gzip
import http.client
import socket
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_plain

from tests.exposition.conftest import samples_of
from zmon.exposition import scrape_server
from zmon.exposition.exporter import Exporter
from zmon.exposition.scrape_server import ScrapeServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server() -> Iterator[ScrapeServer]:
    """Serve a machine that was sampled twice."""
    exporter = Exporter(judges=False)
    for sample in samples_of("shark-before", 2):
        exporter.follow(sample)
    yield from served(ScrapeServer(("127.0.0.1", 0), exporter))


def served(server: ScrapeServer) -> Iterator[ScrapeServer]:
    """Run a server beside the test."""
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.stop()
    thread.join()


def ask(
    server: ScrapeServer, path: str, method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    """Ask once, and return the answer with its body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.socket.getsockname()[1], timeout=20)
    connection.request(
        method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_the_form_is_that_which_is_asked_for(server: ScrapeServer) -> None:
    """OpenMetrics for whom names it, else the older form; both with their content type and the age."""
    answer, body = ask(server, "/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert any(family.name == "zmon_sample_age_seconds" for family in parse_plain(body.decode()))
    accept = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75"
    answer, body = ask(server, "/metrics", Accept=accept)
    assert answer.headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert any(family.name == "zmon_sample_age_seconds" for family in parse_openmetrics(body.decode()))


def test_who_takes_gzip_gets_it(server: ScrapeServer) -> None:
    """With the same text in it."""
    answer, body = ask(server, "/metrics", Accept_Encoding="gzip")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body).startswith(b"# HELP zmon_build_info")


def test_head_has_no_body(server: ScrapeServer) -> None:
    """But its length."""
    answer, body = ask(server, "/metrics", "HEAD")
    assert (answer.status, body) == (200, b"")
    assert int(answer.headers["Content-Length"]) > 1000


@pytest.mark.parametrize(
    "path",
    ["/", "/metrics/", "/metrics/../etc/passwd", "/../../etc/passwd", "/%2e%2e/etc/passwd", "//metrics/x"],
)
def test_nothing_else_is_served(server: ScrapeServer, path: str) -> None:
    """There are no files behind it."""
    answer, body = ask(server, path)
    assert (answer.status, body) == (404, b"zmon serves /metrics\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_is_taken(server: ScrapeServer, method: str) -> None:
    """It is only read."""
    assert ask(server, "/metrics", method)[0].status == 501


def test_it_is_healthy(server: ScrapeServer) -> None:
    """Without any metrics."""
    assert ask(server, "/-/healthy")[1] == b"ok\n"


def test_before_the_first_sample_it_is_not_ready() -> None:
    """An empty answer would read as a machine without disks."""
    for server in served(ScrapeServer(("127.0.0.1", 0), Exporter())):
        assert ask(server, "/metrics")[0].status == 503


def test_who_asks_slowly_is_cut_off(server: ScrapeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that says nothing, or one byte after the other, does not hold the next one."""
    monkeypatch.setattr(scrape_server, "SECONDS", 0.2)
    port = server.socket.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(b"GET /met")
        assert ask(server, "/-/healthy")[0].status == 200


def test_many_that_say_nothing_hold_nobody(server: ScrapeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more clients than are kept the oldest is cut off, at once, and who asks is answered."""
    monkeypatch.setattr(scrape_server, "MOST", 4)
    monkeypatch.setattr(scrape_server, "SECONDS", 60.0)
    silent = [socket.create_connection(server.socket.getsockname()) for _ in range(12)]
    assert ask(server, "/metrics")[0].status == 200
    assert silent[0].recv(1) == b""
    silent[-1].sendall(b"GET /-/healthy HTTP/1.0\n\n")
    assert silent[-1].makefile("rb").read().endswith(b"\r\n\r\nok\n")
    for client in silent:
        client.close()


def test_garbage_ends_with_an_answer(server: ScrapeServer) -> None:
    """And the server goes on."""
    port = server.socket.getsockname()[1]
    for words in (b"\x00\xff\xfe\r\n\r\n", b"GET " + b"/x" * 40_000 + b" HTTP/1.1\r\n\r\n", b""):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(words)
            with suppress(OSError):  # the server may have answered and left
                client.shutdown(socket.SHUT_WR)
            while True:
                try:
                    if not client.recv(65_536):
                        break
                except ConnectionError:
                    break
    assert ask(server, "/-/healthy")[0].status == 200


def test_a_unix_socket_is_served_and_removed(tmp_path: Path) -> None:
    """One that an earlier server left is taken over; a file that is none is not touched."""
    path = tmp_path / "metrics.sock"
    for _ in range(2):
        for _server in served(ScrapeServer(str(path), Exporter())):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                client.connect(str(path))
                client.sendall(b"GET /-/healthy HTTP/1.0\r\n\r\n")
                assert client.makefile("rb").read().endswith(b"\r\n\r\nok\n")
        assert not path.exists()
    path.write_text("a file")
    with pytest.raises(OSError, match="in use"):
        ScrapeServer(str(path), Exporter())
    assert path.read_text() == "a file"
