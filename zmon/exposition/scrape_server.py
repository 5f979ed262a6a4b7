"""Metrics over HTTP, on a TCP port or a Unix socket: `/metrics` and `/-/healthy`, and nothing else.

One request is served at a time, and each within a few seconds.  A request reads nothing of the machine: it is
answered from the last sample.  Prometheus's format is the default, OpenMetrics is given to whom asks for it.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import socket
import stat
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Timer
from typing import TYPE_CHECKING, Final

from zmon.exposition.exposition_text import (
    OPENMETRICS,
    PLAIN,
    Family,
    exposition_text,
    number_text,
)
from zmon.exposition.metric import SAMPLE_AGE, SAMPLED_AT

if TYPE_CHECKING:
    from zmon.exposition.exporter import Exporter

SECONDS: Final = 5.0
"""Within which a request is read and answered."""
MIN_GZIP: Final = 1_000
"""Bytes below which an answer is not compressed."""
TYPE: Final = "application/openmetrics-text"


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: ScrapeServer
    protocol_version = "HTTP/1.0"
    """Each connection has one request, so that none holds the server."""
    timeout = SECONDS
    server_version = "zmon"
    sys_version = ""

    def handle(self) -> None:
        """Answer; whoever takes longer than `SECONDS` is cut off, however busy the line."""
        timer = Timer(SECONDS, self._cut)
        timer.daemon = True
        timer.start()
        try:
            with contextlib.suppress(OSError, ValueError):  # the client has gone
                super().handle()
        finally:
            timer.cancel()

    def finish(self) -> None:
        """End; a client that has gone need not be told."""
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def _cut(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def do_GET(self) -> None:
        """Answer with the text."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answer without the text."""
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        if path == "/metrics":
            openmetrics = TYPE in self.headers.get("Accept", "")
            body = self.server.body(openmetrics=openmetrics)
            status = HTTPStatus.OK if body else HTTPStatus.SERVICE_UNAVAILABLE
            self._send(status, OPENMETRICS if openmetrics else PLAIN, body, with_body=with_body)
        elif path == "/-/healthy":
            self._send(HTTPStatus.OK, "text/plain; charset=utf-8", b"ok\n", with_body=with_body)
        else:
            body = b"zmon serves /metrics\n"
            self._send(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", body, with_body=with_body)

    def _send(self, status: HTTPStatus, kind: str, body: bytes, *, with_body: bool) -> None:
        packed = len(body) >= MIN_GZIP and "gzip" in self.headers.get("Accept-Encoding", "")
        if packed:
            body = gzip.compress(body, 1)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Content-Type-Options", "nosniff")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Say nothing of each request."""


class ScrapeServer(HTTPServer):
    """Serves the metrics of an exporter."""

    request_queue_size = 16

    def __init__(self, address: tuple[str, int] | str, exporter: Exporter) -> None:
        """Listen on a host and port, or on the path of a Unix socket.

        Raises:
            OSError: that is not possible.
        """
        self._exporter = exporter
        self._socket_path = address if isinstance(address, str) else ""
        if self._socket_path:
            self.address_family = socket.AF_UNIX
            _remove_socket(self._socket_path)
        elif ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)  # type: ignore[arg-type]  # a path is an address, too

    def server_bind(self) -> None:
        """Bind without asking the domain name system for the name of this host."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "localhost", 0

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        """Accept a connection; those over a Unix socket have no address."""
        request, address = self.socket.accept()
        return request, address or ("", 0)

    def handle_error(self, *_words: object) -> None:
        """Go on: what goes wrong with one request is the client's."""

    def body(self, *, openmetrics: bool) -> bytes:
        """Return the text of the last sample, with its age; empty before the first."""
        families = self._exporter.families()
        if not families:
            return b""
        age = max(time.time() - self._exporter.sampled_at / 1e9, 0.0)
        place = 1 + next(at for at, family in enumerate(families) if family.metric == SAMPLED_AT)
        families.insert(place, Family(SAMPLE_AGE, [("", number_text(round(age, 3)))]))
        return exposition_text(families, openmetrics=openmetrics).encode()

    def server_close(self) -> None:
        """Close, and remove the Unix socket."""
        super().server_close()
        if self._socket_path:
            _remove_socket(self._socket_path)


def _remove_socket(path: str) -> None:
    """Remove a socket that an earlier server left; anything else is left alone."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(os.stat(path, follow_symlinks=False).st_mode):
            os.unlink(path)
