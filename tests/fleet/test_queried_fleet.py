"""A fleet from a Prometheus-compatible server: the same tables, and no answer can do harm."""

from __future__ import annotations

import json
import re
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent
from zmon.base.event import LEVELS
from zmon.fleet import queried_fleet
from zmon.fleet.fleet_tables import fleet_of
from zmon.fleet.queried_fleet import (
    MIN_SCRAPE,
    SELDOM,
    SHORTER,
    WHOLE,
    PrometheusApi,
    QueriedFleet,
    series_of,
    weighed,
)
from zmon.fleet.recorded_fleet import FleetError, LiveFleetSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECOND = 1_000_000_000
END = 7200 * SECOND
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["metric", "value", "values", "x"]), inner)
    ),
    max_leaves=20,
)


class FakeServer(ThreadingHTTPServer):
    """Answers what the test says, and remembers what it was asked."""

    daemon_threads = True
    answers: Callable[[str, str], tuple[int, bytes]]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str]] = []
        self.times: list[str] = []
        """Of which instants; empty for a range."""

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: FakeServer

    def do_POST(self) -> None:
        """Answer."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        words = parse_qs(body)
        query = words["query"][0]
        self.server.times.append(words.get("time", [""])[0])
        self.server.asked.append((self.path, query))
        status, answer = self.server.answers(self.path, query)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "http://127.0.0.1:1/other")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):  # the asker has left
            self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """Return a server on this machine."""
    found = FakeServer()
    thread = threading.Thread(target=lambda: found.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()


def vector(*rows: tuple[dict[str, str], str]) -> bytes:
    """Return an answer with these series."""
    result = [{"metric": labels, "value": [7200, value]} for labels, value in rows]
    return json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()


def two_guests(path: str, query: str) -> tuple[int, bytes]:
    """Answer for two guests on one LCU, of which one has an exception."""
    ours, theirs = {"instance": "lnx1:10390"}, {"instance": "lnx2:10390"}
    if path.endswith("query_range"):
        labels = {**ours, "rule": "lcu-disc", "severity": "bad", "object": "7600"}
        values = [[3600, "1"], [3660, "1"], [6000, "1"]]
        return 200, json.dumps(
            {"status": "success", "data": {"result": [{"metric": labels, "values": values}]}}
        ).encode()
    if "figure" not in query:
        return 200, vector((ours, "7190"), (theirs, "7190"))
    lcu = {"box": "B.1", "lcu": "7600"}
    rows: list[tuple[dict[str, str], str]] = [
        ({**ours, "figure": "zmon_host_info", "guest": "LNX1", "cpc": "C1"}, "1"),
    ]
    for each, io in ((ours, 30), (theirs, 10)):
        rows.append(({**each, **lcu, "figure": "zmon_lcu_info", "vendor": "IBM"}, "1"))
        for name, value in (
            ("ssch", io),
            ("timed", io),
            ("reads", io),
            ("io_seconds", io * 0.002),
            ("connect_seconds", io * 0.001),
            ("read_bytes", io * 1e6),
        ):
            rows.append(({**each, **lcu, "figure": f"zmon_lcu_{name}"}, str(value)))
    rows += [
        ({**each, "figure": "zmon_channel_busy_ratio", "cpc": "C1", "css": "0", "chpid": "40"}, "0.8")
        for each in (ours, theirs)
    ]
    rows += [
        ({**each, "figure": "zmon_channel_own_busy_ratio", "cpc": "C1", "css": "0", "chpid": "40"}, "0.1")
        for each in (ours, theirs)
    ]
    return 200, vector(*rows)


def test_the_tables_are_those_of_recordings(server: FakeServer) -> None:
    """Joined by box and LCU; channels by maximum; a system whose recording is at hand has its path."""
    server.answers = two_guests
    source = QueriedFleet(server.url, {"lnx1": "/fleet/lnx1"}, END)
    assert source.systems == {"lnx1": "/fleet/lnx1", "lnx2": ""}
    begin = END - 3600 * SECOND
    fleet = fleet_of(source.members(begin, END), begin, END, source.sight)
    (lcu,) = fleet.lcus
    assert (lcu.box, lcu.lcu, lcu.guests, lcu.io, lcu.mbs) == ("B.1", "7600", 2, 40, 40)
    assert (lcu.resp, lcu.conn) == pytest.approx((2.0, 1.0))
    assert lcu.filled_by == (("lnx1", 75.0), ("lnx2", 25.0))
    (path,) = fleet.channels
    assert path.busy == pytest.approx(80)
    assert "not seen" in fleet.notes[0]
    assert [row.path for row in fleet.guests] == ["/fleet/lnx1", ""]


def test_an_exception_lasts_as_long_as_its_series(server: FakeServer) -> None:
    """A gap in it makes two; what metrics do not say is missing."""
    server.answers = two_guests
    source = QueriedFleet(server.url, {}, END)
    (member, other) = source.members(END - 3600 * SECOND, END)
    assert other.exceptions == ()
    assert not isinstance(member.exceptions, Absent)
    assert [(one.begin // SECOND, one.end // SECOND) for one in member.exceptions] == [
        (3600, 3660),
        (6000, 6000),
    ]
    one = member.exceptions[0]
    assert (one.rule, LEVELS[one.level], one.where) == ("lcu-disc", "bad", "7600")
    assert isinstance(one.worst, Absent)


@given(
    st.dictionaries(st.sampled_from(["ssch", "timed", "reads", "writes", "io_seconds"]), st.floats(0, 1e9))
)
def test_figures_are_as_ctlunit_has_them(rates: dict[str, float]) -> None:
    """I/O is what was started, where that is counted, else what was completed; no time without I/O."""
    found = weighed({f"zmon_lcu_{name}": rate for name, rate in rates.items()}, 60.0)
    completed = rates.get("reads", 0.0) + rates.get("writes", 0.0)
    assert found["io"].mean == pytest.approx(rates.get("ssch", completed))
    assert ("resp" in found) == bool(completed)
    assert ("pend" in found) == bool(rates.get("timed"))


@given(JSON)
def test_any_answer_is_read_or_refused(document: object) -> None:
    """In one way: no other error, and no label that a terminal would obey."""
    for wrapped in (document, {"status": "success", "data": {"result": document}}):
        try:
            found = list(series_of(json.dumps(wrapped).encode()))
        except ValueError:
            continue
        for one in found:
            assert one.points
            assert all(value.isprintable() for value in one.labels.values())


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (200, b"<html>", "Prometheus"),
        (200, b"[" * 100_000, "Prometheus"),
        (200, b'{"status": "error", "error": "\\u001b[2Jno"}', "?[2Jno"),
        (200, b"9" * 5000, "Prometheus"),
        (503, b'{"error": "too busy"}', "the server answers 503: too busy"),
        (302, b"", "the server answers 302"),
        (200, b" " * 2000, "longer than"),
    ],
)
def test_what_a_server_may_answer(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, status: int, answer: bytes, said: str
) -> None:
    """It is said in one line, whatever it is; nobody is sent elsewhere."""
    if said == "longer than":
        monkeypatch.setattr(queried_fleet, "MAX_ANSWER", 1000)
    server.answers = lambda _path, _query: (status, answer)
    with pytest.raises(FleetError) as error:
        PrometheusApi(server.url).query("up", 0.0)
    assert said in str(error.value)
    assert str(error.value).isprintable()


def test_a_server_that_does_not_answer_is_left(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a time in all, however slowly it dribbles."""
    monkeypatch.setattr(queried_fleet, "TIMEOUT", 0.05)
    hold = threading.Event()

    def wait(_path: str, _query: str) -> tuple[int, bytes]:
        hold.wait(30)
        return 200, b""

    server.answers = wait
    try:
        with pytest.raises(FleetError, match=r"no answer within 0\.05 s|timed out"):
            PrometheusApi(server.url).query("up", 0.0)
    finally:
        hold.set()


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@host:9090",
        "ftp://host",
        "host:9090",
        "file:///etc/passwd",
        "http://[x",
        "http://h:x9",
    ],
)
def test_what_is_no_server(url: str) -> None:
    """Is refused before anybody is asked, and a password is not repeated."""
    with pytest.raises(FleetError) as error:
        PrometheusApi(url).query("up", 0.0)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("measuring", [True, False])
def test_exceptions_of_paths_are_estimates_where_no_load_is_measured(
    server: FakeServer, *, measuring: bool
) -> None:
    """A system measures if it exports the load of a channel path."""

    def answers(path: str, query: str) -> tuple[int, bytes]:
        if "zmon_channel_busy_ratio" in query and "figure" not in query:
            return 200, vector(*[({"instance": "lnx1:10390"}, "6")] * measuring)
        return two_guests(path, query)

    server.answers = answers
    ((name, _entry, is_measured),) = {
        (name, entry.rule, is_measured)
        for name, entry, is_measured in QueriedFleet(server.url, {}, END).exceptions()
    }
    assert (name, is_measured) == ("lnx1", measuring)


def test_systems_that_come_later_are_found(server: FakeServer) -> None:
    """And a server that is gone leaves what was known."""
    names = ["lnx1"]

    def answers(path: str, query: str) -> tuple[int, bytes]:
        if query.endswith("[2m]"):
            return 200, matrix([7170, 7185, 7200])
        if "figure" not in query and "last_over_time(zmon_sample" in query:
            return 200, vector(*(({"instance": f"{name}:10390"}, "7190") for name in names))
        return two_guests(path, query)

    server.answers = answers
    source = QueriedFleet(server.url, {}, END)
    assert isinstance(source, LiveFleetSource)
    assert source.seconds == 15
    names.append("lnx2")
    source.move_on(END + SECOND)
    assert [*source.systems] == ["lnx1", "lnx2"]
    assert source.span()[1] == END + SECOND
    server.answers = lambda *_: (503, b"")
    with pytest.raises(FleetError, match="503"):
        source.move_on(END + 2 * SECOND)
    assert source.span()[1] == END + SECOND
    assert [*source.systems] == ["lnx1", "lnx2"]


def matrix(*series: list[int]) -> bytes:
    """Return an answer with the times at which series have points."""
    result = [{"metric": {}, "values": [[at, "1"] for at in times]} for times in series]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}).encode()


@pytest.mark.parametrize(
    ("series", "seconds"),
    [
        ([[7110, 7140, 7170, 7200], [7140, 7200]], 30.0),
        ([[7190, 7191, 7192]], MIN_SCRAPE),
        ([[7200, 7200]], MIN_SCRAPE),
        ([[7080, 7200]], SELDOM),
        ([[7190]], SELDOM),
        ([], SELDOM),
    ],
)
def test_a_screen_is_renewed_as_often_as_the_server_asks(
    server: FakeServer, series: list[list[int]], seconds: float
) -> None:
    """Neither all the time nor never, whatever the server says of it."""
    server.answers = lambda path, query: (
        (200, matrix(*series)) if query.endswith("[2m]") else two_guests(path, query)
    )
    assert QueriedFleet(server.url, {}, END).seconds == seconds


def test_a_system_is_judged_over_the_time_in_which_it_reported(server: FakeServer) -> None:
    """Not over the whole period, which would make 44 I/O a second of 306; its state says since when."""

    def answers(path: str, query: str) -> tuple[int, bytes]:
        if query.startswith("min_over_time"):
            return 200, vector(({"instance": "lnx1:10390"}, "3000"), ({"instance": "lnx2:10390"}, "6700"))
        return two_guests(path, query)

    server.answers = answers
    begin = END - 3600 * SECOND
    members = QueriedFleet(server.url, {}, END).members(begin, END)
    windows = [
        int(re.findall(r"rate\(\w+\[(\d+)s", query)[0]) for _, query in server.asked if "rate(" in query
    ]
    assert windows[0] == 3600
    assert SHORTER * 500 <= windows[1] <= 500 / WHOLE
    rows = fleet_of(members, begin, END).guests
    assert [row.io for row in rows] == [30, 10]
    assert rows[0].state == ""
    assert rows[1].state.startswith("reports since ")
    assert "recording" not in rows[1].state


def test_a_system_that_reports_no_more_is_judged_until_then(server: FakeServer) -> None:
    """And is not called a recording."""

    def answers(path: str, query: str) -> tuple[int, bytes]:
        if query.startswith(("min_over_time", "max_over_time")):
            value = "3500" if query.startswith("min") else "6800.5"
            return 200, vector(*(({"instance": f"{name}:10390"}, value) for name in ("lnx1", "lnx2")))
        return two_guests(path, query)

    server.answers = answers
    source = QueriedFleet(server.url, {}, END)
    begin = END - 3600 * SECOND
    rows = fleet_of(source.members(begin, END), begin, END).guests
    times = [at for (_, query), at in zip(server.asked, server.times, strict=True) if "rate(" in query]
    assert times == ["6801.000"]
    assert all(row.state.startswith("reports until ") for row in rows)
