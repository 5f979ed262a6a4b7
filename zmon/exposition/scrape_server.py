"""Metrics over HTTP, on a TCP port or a Unix socket: `/metrics` and `/-/healthy`, and nothing else.

A request reads nothing of the machine: it is answered from the last sample.  Who says nothing, or takes an
answer slowly, is cut off after a few seconds and holds nobody up meanwhile; of more clients than `MOST` the
oldest is.  Prometheus's format is the default, OpenMetrics is given to whom asks for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import os
import socket
import stat
import time
from email.utils import formatdate
from http import HTTPStatus
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
    from collections.abc import Iterable, Mapping

    from zmon.exposition.exporter import Exporter

SECONDS: Final = 5.0
"""Within which a request is read and answered."""
MOST: Final = 256
"""Connections that are open at a time: a process may often have 1,024 files."""
LONGEST: Final = 16_384
"""Bytes of a request."""
QUEUE: Final = 128
"""Connections that wait to be accepted."""
MIN_GZIP: Final = 1_000
"""Bytes below which an answer is not compressed."""
TYPE: Final = "application/openmetrics-text"
TEXT: Final = "text/plain; charset=utf-8"
READ: Final = ("GET", "HEAD")


class ScrapeServer:
    """Serves the metrics of an exporter."""

    def __init__(self, address: tuple[str, int] | str, exporter: Exporter) -> None:
        """Listen on a host and port, or on the path of a Unix socket.

        Raises:
            OSError: that is not possible.
        """
        self._exporter = exporter
        self._socket_path = address if isinstance(address, str) else ""
        self.socket = _listening(address)
        self._loop = asyncio.new_event_loop()
        self._ended = self._loop.create_future()
        self._open: dict[asyncio.Task[None] | None, None] = {}
        """The clients, the oldest first."""

    def serve_forever(self) -> None:
        """Serve until `stop`, and close."""
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()
            self.socket.close()
            if self._socket_path:
                _remove_socket(self._socket_path)

    def stop(self) -> None:
        """End serving; any thread may ask, also before it has begun."""
        with contextlib.suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    async def _serve(self) -> None:
        async with await asyncio.start_server(self._client, sock=self.socket, limit=LONGEST):
            await self._ended
            clients = [task for task in self._open if task is not None]
            for client in clients:
                client.cancel()
            await asyncio.gather(*clients, return_exceptions=True)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request; a client that has gone need not be told."""
        if len(self._open) >= MOST and (oldest := next(iter(self._open))) is not None:
            oldest.cancel()
            del self._open[oldest]
        task = asyncio.current_task()
        self._open[task] = None
        writer.transport.set_write_buffer_limits(0)  # so that what was written was sent
        try:
            with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(SECONDS):
                    writer.write(self._answer(await _request(reader)))
                    await writer.drain()
        finally:
            self._open.pop(task, None)
            writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()

    def _answer(self, request: bytes) -> bytes:
        """Return the answer to a request: to what is none, why."""
        first, *lines = request.decode("latin-1").splitlines() or [""]
        method, _, rest = first.partition(" ")
        path, _, protocol = rest.partition(" ")
        if not protocol.startswith("HTTP/"):
            return _response(HTTPStatus.BAD_REQUEST, TEXT, b"no request\n")
        if method not in READ:
            return _response(HTTPStatus.NOT_IMPLEMENTED, TEXT, b"zmon is only read\n")
        headers = {
            name.strip().casefold(): value for name, _, value in (line.partition(":") for line in lines)
        }
        status, kind, body = self._page(path.partition("?")[0], headers)
        packed = len(body) >= MIN_GZIP and "gzip" in headers.get("accept-encoding", "")
        if packed:
            body = gzip.compress(body, 1)
        more = ["Content-Encoding: gzip"] * packed
        return _response(status, kind, body, more, with_body=method == "GET")

    def _page(self, path: str, headers: Mapping[str, str]) -> tuple[HTTPStatus, str, bytes]:
        """Return what is served under a path: status, type and content."""
        if path == "/metrics":
            openmetrics = TYPE in headers.get("accept", "")
            body = self.body(openmetrics=openmetrics)
            status = HTTPStatus.OK if body else HTTPStatus.SERVICE_UNAVAILABLE
            return status, OPENMETRICS if openmetrics else PLAIN, body
        if path == "/-/healthy":
            return HTTPStatus.OK, TEXT, b"ok\n"
        return HTTPStatus.NOT_FOUND, TEXT, b"zmon serves /metrics\n"

    def body(self, *, openmetrics: bool) -> bytes:
        """Return the text of the last sample, with its age; empty before the first."""
        families = self._exporter.families()
        if not families:
            return b""
        age = max(time.time() - self._exporter.sampled_at / 1e9, 0.0)
        place = 1 + next(at for at, family in enumerate(families) if family.metric == SAMPLED_AT)
        families.insert(place, Family(SAMPLE_AGE, [("", number_text(round(age, 3)))]))
        return exposition_text(families, openmetrics=openmetrics).encode()


async def _request(reader: asyncio.StreamReader) -> bytes:
    """Return a request up to its empty line, or as much as comes of it."""
    request = b""
    while b"\n\r\n" not in request and b"\n\n" not in request and len(request) < LONGEST:
        part = await reader.read(LONGEST)
        if not part:
            break
        request += part
    return request


def _response(
    status: HTTPStatus, kind: str, body: bytes, more: Iterable[str] = (), *, with_body: bool = True
) -> bytes:
    head = (
        f"HTTP/1.0 {status.value} {status.phrase}",
        "Server: zmon",
        f"Date: {formatdate(usegmt=True)}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
        "X-Content-Type-Options: nosniff",
        *more,
        "Connection: close",
    )
    return "\r\n".join((*head, "", "")).encode() + body * with_body


def _listening(address: tuple[str, int] | str) -> socket.socket:
    """Return a socket that listens.

    Raises:
        OSError: that is not possible.
    """
    if isinstance(address, str):
        _remove_socket(address)
        listening = socket.socket(socket.AF_UNIX)
    else:
        listening = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(QUEUE)
    except BaseException:
        listening.close()
        raise
    return listening


def _remove_socket(path: str) -> None:
    """Remove a socket that an earlier server left; anything else is left alone."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(os.stat(path, follow_symlinks=False).st_mode):
            os.unlink(path)
