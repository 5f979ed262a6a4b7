"""A real Prometheus takes what is exported of a simulated fleet, and answers the document's questions."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from zmon.base.absent import Absent
from zmon.exposition.alert_rules import alert_rules
from zmon.exposition.backfill import history_text
from zmon.exposition.grafana import dashboard
from zmon.fleet.fleet_tables import fleet_of
from zmon.fleet.member import read_member
from zmon.fleet.queried_fleet import QueriedFleet
from zmon.lab.counters import KernelCounters
from zmon.lab.guest_fleet import BEGIN, SCANNER, GuestFleet, guest_name
from zmon.lab.scenario import load_scenario
from zmon.lab.simulation import Simulation
from zmon.rule.grammar import load_rules
from zmon.store.reader import Recording
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PROMETHEUS, PROMTOOL = shutil.which("prometheus"), shutil.which("promtool")
PATIENCE = 60
"""Seconds after which a server that does not answer hangs."""
GUESTS = (1, 2, 4)
"""The first and the last share a box."""
SECONDS = 1200.0
STEP = 60_000_000_000

pytestmark = pytest.mark.skipif(
    PROMETHEUS is None or PROMTOOL is None, reason="no Prometheus here: apt install prometheus"
)


class Server:
    """A Prometheus that holds the fleet."""

    def __init__(self, port: int, recording: Path) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.recording = str(recording)
        """That of LNX900."""

    def ask(self, query: str) -> list[dict[str, Any]]:
        """Return the answer to a question about the last minute of the fleet."""
        words = urlencode({"query": query, "time": BEGIN + SECONDS - 30})
        with urlopen(f"{self.url}/api/v1/query?{words}", timeout=PATIENCE) as answer:  # noqa: S310 - our own
            found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
        return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Write the past of three guests into blocks, and start Prometheus on them."""
    assert PROMETHEUS is not None
    assert PROMTOOL is not None
    folder = tmp_path_factory.mktemp("prometheus")
    for text in write_past(folder):
        words = [PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", str(text), str(folder / "data")]
        subprocess.run(words, check=True, capture_output=True)  # noqa: S603 - found above
    (folder / "zmon.yml").write_text(alert_rules(load_rules()), encoding="utf-8")
    (folder / "prometheus.yml").write_text("rule_files: [zmon.yml]\n", encoding="utf-8")
    words = [
        PROMETHEUS, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
        "--storage.tsdb.retention.time=100y",
    ]  # fmt: skip
    with (
        held_port() as port,
        subprocess.Popen(  # noqa: S603 - found above
            [*words, f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL
        ) as process,
    ):
        try:
            wait(process, f"http://127.0.0.1:{port}/-/ready")
            yield Server(port, folder / "one.zmon")
        finally:
            process.terminate()


@contextmanager
def held_port() -> Iterator[int]:
    """Give a port of the system's choice that is given to nobody else.

    The socket does not listen, so that a server may bind the port once more, and listen.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def write_past(folder: Path) -> list[Path]:
    """Write the past of several machines as OpenMetrics; return the files.

    These are guests that share boxes, one that is recorded with its exceptions (`one.zmon`), and machines
    with channels and with FCP.
    """
    fleet = GuestFleet(max(GUESTS), SECONDS)
    found = [
        _write(
            folder,
            guest_name(number),
            history_text(fleet.samples(number), (), STEP, _labels(guest_name(number)), devices=True),
        )
        for number in GUESTS
    ]
    writer = recording_with_trends(str(folder / "one.zmon"), durable=False)
    for sample in fleet.samples(SCANNER):
        writer.append(sample)
    writer.close()
    with closing(Recording(str(folder / "one.zmon"))) as recording:
        samples = [recording.sample(number) for number in range(len(recording))]
        found.append(_write(folder, "LNX900", history_text(samples, [recording], STEP, _labels("LNX900"))))
    for name in ("healthy-day", "fcp-path-slow"):
        plan = load_scenario(name)
        plan = plan._replace(begin=BEGIN, step=60.0)
        counters, simulation = KernelCounters(plan), Simulation(plan)
        samples = [counters.sample()]
        for number in range(min(len(simulation), round(SECONDS / plan.step))):
            counters.add([simulation.interval(number)])
            samples.append(counters.sample())
        found.append(_write(folder, name, history_text(samples, (), STEP, _labels(name))))
    return found


def _labels(instance: str) -> list[tuple[str, str]]:
    return [("instance", instance), ("job", "zmon")]


def _write(folder: Path, name: str, parts: Iterator[str]) -> Path:
    text = folder / f"{name}.om"
    text.write_text("".join(parts), encoding="utf-8")
    return text


def wait(process: subprocess.Popen[bytes], url: str) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None
        try:
            with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - our own
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.01)
    pytest.fail("the server is not ready")


def panels() -> list[str]:
    """Return the queries of the dashboard, as Grafana sends them with everything chosen."""
    found = [
        target["expr"] for panel in json.loads(dashboard())["panels"] for target in panel.get("targets", ())
    ]
    return [re.sub(r"\$(instance|box|lcu)\b", ".*", one).replace("$__rate_interval", "4m") for one in found]


@pytest.mark.parametrize("query", panels())
def test_every_panel_of_the_dashboard_has_data(server: Server, query: str) -> None:
    """Of guests, of a partition that measures its channel paths, and of a machine with FCP."""
    assert server.ask(query)


def questions() -> list[str]:
    """Return the questions of docs/metrics.md."""
    page = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
    block = re.search(r"```\n(# who fills an LCU.*?)```", page, re.DOTALL)
    assert block is not None
    return [line for line in block[1].splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("query", questions())
def test_every_question_of_the_document_has_an_answer(server: Server, query: str) -> None:
    """Names, labels and joins fit together."""
    assert server.ask(query)


def test_an_lcu_is_the_sum_of_its_guests(server: Server) -> None:
    """Two guests share the box; the third has another."""
    guests = server.ask('count by (box) (count by (box, instance) (zmon_lcu_info{instance=~"LNX00."}))')
    assert sorted(float(row["value"][1]) for row in guests) == [1, 2]
    rate = 'rate(zmon_lcu_ssch_total{lcu="7600",instance=~"LNX00."}[5m])'
    whole = server.ask(f"sum by (box, lcu) ({rate})")
    each = server.ask(rate)
    assert sum(float(row["value"][1]) for row in whole) == pytest.approx(
        sum(float(row["value"][1]) for row in each)
    )
    assert len(each) == 3


def test_alerts_are_loaded(server: Server) -> None:
    """All of them, without an error of evaluation."""
    with urlopen(f"{server.url}/api/v1/rules", timeout=PATIENCE) as answer:  # noqa: S310 - our own
        groups = json.load(answer)["data"]["groups"]
    assert [group["name"] for group in groups] == ["zmon"]
    assert all(rule["health"] in {"ok", "unknown"} for rule in groups[0]["rules"])
    assert len(groups[0]["rules"]) > 20


def test_a_system_has_the_figures_of_its_recording(server: Server) -> None:
    """Whether they are read of it or asked of the server, by its LCUs and its exceptions."""
    begin, end = BEGIN * 1_000_000_000, round(BEGIN + SECONDS) * 1_000_000_000
    source = QueriedFleet(server.url, {"LNX900": server.recording}, end)
    (asked,) = (one for one in source.members(begin, end) if one.name == "LNX900")
    recorded = read_member("LNX900", server.recording, begin, end)
    assert asked.lcus.keys() == recorded.lcus.keys()
    assert asked.path == recorded.path
    one, other = (fleet_of([each], begin, end) for each in (asked, recorded))
    for mine, theirs in zip(one.lcus, other.lcus, strict=True):
        assert mine[:3] == theirs[:3]
        assert [float(each) for each in mine[3:11]] == pytest.approx(  # type: ignore[arg-type]  # none is absent
            [float(each) for each in theirs[3:11]],  # type: ignore[arg-type]  # likewise
            rel=0.1, abs=0.05,
        )  # fmt: skip
    assert recorded.exceptions
    assert not isinstance(recorded.exceptions, Absent)
    assert not isinstance(asked.exceptions, Absent)
    assert {(entry.rule, entry.where) for entry in asked.exceptions} <= {
        (entry.rule, entry.where) for entry in recorded.exceptions
    }
