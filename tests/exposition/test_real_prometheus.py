"""A real Prometheus takes what is exported of a simulated fleet, and answers the document's questions."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from zmon.exposition.alert_rules import alert_rules
from zmon.exposition.backfill import history_text
from zmon.lab.guest_fleet import BEGIN, guest_name, guest_samples
from zmon.rule.grammar import load_rules

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
    PROMETHEUS is None or PROMTOOL is None, reason="Prometheus is not installed (package prometheus)"
)


class Server:
    """A Prometheus that holds the fleet."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

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
    for number in GUESTS:
        text = folder / "past.om"
        labels = [("instance", guest_name(number)), ("job", "zmon")]
        parts = history_text(guest_samples(number, SECONDS), (), STEP, labels, devices=True)
        text.write_text("".join(parts), encoding="utf-8")
        words = [PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", str(text), str(folder / "data")]
        subprocess.run(words, check=True, capture_output=True)  # noqa: S603 - found above
    (folder / "zmon.yml").write_text(alert_rules(load_rules()), encoding="utf-8")
    (folder / "prometheus.yml").write_text("rule_files: [zmon.yml]\n", encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [
        PROMETHEUS, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
        "--storage.tsdb.retention.time=100y", f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - found above
        try:
            _wait(process, f"http://127.0.0.1:{port}/-/ready")
            yield Server(port)
        finally:
            process.terminate()


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None
        try:
            with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - our own
                if answer.status == 200:
                    return
        except (URLError, OSError):
            continue
    pytest.fail("Prometheus is not ready")


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
    guests = server.ask("count by (box) (count by (box, instance) (zmon_lcu_info))")
    assert sorted(float(row["value"][1]) for row in guests) == [1, 2]
    whole = server.ask('sum by (box, lcu) (rate(zmon_lcu_ssch_total{lcu="7600"}[5m]))')
    each = server.ask('rate(zmon_lcu_ssch_total{lcu="7600"}[5m])')
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
