"""VictoriaMetrics answers what the dashboard, the document and `zmon fleet` ask, as Prometheus does."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest

from tests.exposition.test_real_prometheus import (
    PATIENCE,
    Server,
    held_port,
    panels,
    questions,
    wait,
    write_past,
)
from tests.exposition.test_real_prometheus import SECONDS as LONG
from zmon.base.absent import Absent
from zmon.fleet.fleet_tables import fleet_of
from zmon.fleet.member import read_member
from zmon.fleet.queried_fleet import QueriedFleet
from zmon.lab.guest_fleet import BEGIN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VICTORIA_METRICS = shutil.which("victoria-metrics")
NS = 1_000_000_000

pytestmark = pytest.mark.skipif(
    VICTORIA_METRICS is None, reason="no VictoriaMetrics here: apt install victoria-metrics"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start the server, and give it the past of the same machines as Prometheus."""
    assert VICTORIA_METRICS is not None
    folder = tmp_path_factory.mktemp("victoria")
    words = [
        VICTORIA_METRICS, f"-storageDataPath={folder}/data", "-retentionPeriod=100y",
        "-search.latencyOffset=0s",
    ]  # fmt: skip
    with (
        held_port() as port,
        subprocess.Popen(  # noqa: S603 - found above
            [*words, f"-httpListenAddr=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        try:
            found = Server(port, folder / "one.zmon")
            wait(process, f"{found.url}/health")
            for text in write_past(folder):
                _import(found, text)
            urlopen(f"{found.url}/internal/force_flush", timeout=PATIENCE).close()  # noqa: S310 - our own
            yield found
        finally:
            process.terminate()


def _import(server: Server, text: Path) -> None:
    """Import a text of OpenMetrics, whose times are seconds; VictoriaMetrics reads milliseconds."""
    lines = []
    for line in text.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            head, _, seconds = line.rpartition(" ")
            lines.append(f"{head} {round(float(seconds) * 1000)}\n")
    body = "".join(lines).encode()
    urlopen(Request(f"{server.url}/api/v1/import/prometheus", body), timeout=PATIENCE).close()  # noqa: S310 - our own


@pytest.mark.parametrize("query", [*panels(), *questions()])
def test_every_question_has_an_answer(server: Server, query: str) -> None:
    """Those of the dashboard's panels and those of docs/metrics.md."""
    assert server.ask(query)


def test_a_system_has_the_figures_of_its_recording(server: Server) -> None:
    """Asked of this server, too; who fills the LCU is the same guest."""
    begin, end = BEGIN * NS, round(BEGIN + LONG) * NS
    source = QueriedFleet(server.url, {"LNX900": server.recording}, end)
    members = source.members(begin, end)
    (asked,) = (one for one in members if one.name == "LNX900")
    one, other = (
        fleet_of([each], begin, end) for each in (asked, read_member("LNX900", server.recording, begin, end))
    )
    assert [row[:3] for row in one.lcus] == [row[:3] for row in other.lcus]
    for mine, theirs in zip(one.lcus, other.lcus, strict=True):
        assert float(mine.io) == pytest.approx(float(theirs.io), rel=0.1, abs=0.05)  # type: ignore[arg-type]  # numbers
        assert float(mine.resp) == pytest.approx(float(theirs.resp), rel=0.1, abs=0.05)  # type: ignore[arg-type]  # likewise
    assert not isinstance(asked.exceptions, Absent)
    assert {entry.rule for entry in asked.exceptions}
    assert source.seconds == 60
