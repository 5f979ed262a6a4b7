"""What a fleet's screen costs that asks a real Prometheus, as a ratio to the server's own time.

    python -m benchmarks.fleet

A Prometheus (package prometheus: prometheus and promtool) holds the last hour of 100 guests with 300 series
each, a value a minute.  zmon asks for the figures of the hour and makes the tables.  The rival asks the same
questions of the same server in the same run, and only reads the answers: what is above it is zmon's own work.
Compared is elapsed time, because the work is done in two processes; best of many.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.error import URLError
from urllib.request import urlopen

from zmon.exposition.metric import CACHE_METRICS, LCU_INFO, LCU_METRICS, SAMPLED_AT
from zmon.fleet.fleet_tables import fleet_of
from zmon.fleet.queried_fleet import PrometheusApi, QueriedFleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GUESTS: Final = 100
SERIES: Final = 300
LCUS: Final = 8
MINUTES: Final = 75
BEGIN: Final = 1_047_859_200
SECOND: Final = 1_000_000_000
COUNT: Final = 9
MOST_SECONDS: Final = 1.0


def text() -> Iterator[str]:
    """Yield OpenMetrics of all guests: counters that rise by the minute; each LCU is one that three share."""
    names = [metric.sample for metric in (*LCU_METRICS, *CACHE_METRICS)]
    for at, name in enumerate((*names, LCU_INFO.sample, SAMPLED_AT.sample)):
        family = name.removesuffix("_total")
        yield f"# TYPE {family} {'counter' if name.endswith('_total') else 'gauge'}\n"
        for guest in range(GUESTS):
            for lcu in range(1 if name == SAMPLED_AT.sample else LCUS):
                if 2 + LCUS + at * LCUS > SERIES and name in names:
                    continue
                label = f'instance="lnx{guest:03}:10390",job="zmon"'
                if name != SAMPLED_AT.sample:
                    label += f',box="0000000F2{guest % 3:03}",lcu="{7000 + 16 * lcu}"'
                for minute in range(MINUTES):
                    when = BEGIN + 60 * minute
                    value = (guest + 1) * (lcu + 1) * minute if name in names else when
                    yield f"{name}{{{label}}} {value} {when}\n"
    yield "# EOF\n"


def best(work: Callable[[], object]) -> float:
    """Return the shortest time that work takes, in seconds."""
    times = []
    for _ in range(COUNT):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def measure(url: str) -> int:
    """Print the figures; returns the exit status."""
    end = (BEGIN + 60 * (MINUTES - 1)) * SECOND
    begin = end - 3600 * SECOND
    asked: list[tuple[str, bytes]] = []
    fetch = PrometheusApi._fetch  # noqa: SLF001 - the rival does no more

    def noted(api: PrometheusApi, address: str, body: bytes) -> bytes:
        asked.append((address, body))
        return fetch(api, address, body)

    PrometheusApi._fetch = noted  # type: ignore[method-assign, assignment]  # noqa: SLF001 - to know the questions
    source = QueriedFleet(url, {}, end)
    fleet = fleet_of(source.members(begin, end), begin, end)
    PrometheusApi._fetch = fetch  # type: ignore[method-assign]  # noqa: SLF001 - as before
    questions = list(asked)

    def screen() -> None:
        found = QueriedFleet(url, {}, end)
        fleet_of(found.members(begin, end), begin, end)

    api = PrometheusApi(url)
    whole, server = best(screen), best(lambda: [fetch(api, *one) for one in questions])
    print(f"{len(fleet.guests)} guests, {len(fleet.lcus)} LCUs, {len(questions)} questions")
    print(f"answers of the server alone  {server:6.3f} s")
    times = f"{whole / server:5.2f} times that; at most {MOST_SECONDS:g} s"
    print(f"a screen of the fleet        {whole:6.3f} s  {times}")
    return int(whole > MOST_SECONDS)


def main() -> int:
    """Fill and start a server, and measure."""
    prometheus, promtool = shutil.which("prometheus"), shutil.which("promtool")
    if prometheus is None or promtool is None:
        print("Prometheus is not installed (package prometheus)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "past.om"
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(text())
        make = [promtool, "tsdb", "create-blocks-from", "openmetrics", str(file), f"{folder}/data"]
        subprocess.run(make, check=True, capture_output=True)
        (Path(folder) / "prometheus.yml").write_text("global: {}\n", encoding="utf-8")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        words = [
            prometheus, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
            "--storage.tsdb.retention.time=100y", f"--web.listen-address=127.0.0.1:{port}",
        ]  # fmt: skip
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
            try:
                _wait(f"http://127.0.0.1:{port}/-/ready")
                return measure(f"http://127.0.0.1:{port}")
            finally:
                process.terminate()


def _wait(url: str) -> None:
    """Wait until the server is ready, a minute at most."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with urlopen(url, timeout=5):  # noqa: S310 - our own
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(url)


if __name__ == "__main__":
    sys.exit(main())
