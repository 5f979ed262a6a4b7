"""What is exported of a machine is what its screens show, and every judge reads it."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_plain

from tests.exposition.conftest import samples_of
from zmon.exposition.exporter import Exporter
from zmon.exposition.metric import METRICS
from zmon.interval import Interval
from zmon.machine.view import View
from zmon.tables.control_unit import table

if TYPE_CHECKING:
    from collections.abc import Callable

SCENARIOS = ("shark-before", "fcp-path-slow", "hyperpav-20", "guest-swapping", "healthy-day")
TIMES = (("connect", "conn"), ("disconnect", "disc"), ("pending", "pend"))
PROMTOOL = shutil.which("promtool")


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_parsers_of_prometheus_read_it(exported: Callable[..., Exporter], name: str) -> None:
    """Both forms say the same; each name is one that the document lists."""
    exporter = exported(name)
    openmetrics = [*parse_openmetrics(exporter.text(openmetrics=True))]
    plain = [*parse_plain(exporter.text())]
    read = [{(s.name, *sorted(s.labels.items())): s.value for f in found for s in f.samples}
            for found in (openmetrics, plain)]  # fmt: skip
    assert read[0] == read[1]
    assert {key[0] for key in read[0]} <= {metric.sample for metric in METRICS}
    assert len(read[0]) == sum(len(family.samples) for family in openmetrics)


@pytest.mark.skipif(PROMTOOL is None, reason="no Prometheus here: apt install prometheus")
@pytest.mark.parametrize("name", SCENARIOS)
def test_promtool_has_nothing_to_say(exported: Callable[..., Exporter], name: str) -> None:
    """`promtool check metrics` names no problem."""
    text = exported(name).text()
    assert PROMTOOL is not None
    done = subprocess.run(  # noqa: S603 - found above
        [PROMTOOL, "check", "metrics"], input=text, text=True, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_rates_and_times_are_those_of_ctlunit() -> None:
    """The difference of two texts, by the seconds between them, is the row of the LCU on the screen."""
    samples = samples_of("shark-before", 31)
    exporter = Exporter(judges=False)
    for sample in samples[:2]:
        exporter.follow(sample)
    before = _values(exporter)
    for sample in samples[2:]:
        exporter.follow(sample)
    after = _values(exporter)
    interval = Interval(samples[1], samples[-1], skipped=True)
    shown = table(View(interval))
    seconds = float(interval.seconds)  # type: ignore[arg-type]  # it is known
    assert shown.keys
    for row, key in enumerate(shown.keys):
        _maker, box, lcu = key.split(".")
        labels = f'{{box="{box}",lcu="{lcu}"}}'
        grown = {
            name: after[f"zmon_lcu_{name}_total{labels}"] - before[f"zmon_lcu_{name}_total{labels}"]
            for name in ("ssch", "timed", "connect_seconds", "disconnect_seconds", "pending_seconds")
        }
        assert grown["ssch"] / seconds == pytest.approx(shown.columns["io"][row])
        assert bool(grown["timed"]) == (shown.columns["io"][row] > 0)  # type: ignore[operator]  # a rate
        for name, column in TIMES if grown["timed"] else ():
            assert 1e3 * grown[f"{name}_seconds"] / grown["timed"] == pytest.approx(
                shown.columns[column][row]
            )


def _values(exporter: Exporter) -> dict[str, float]:
    lines = (line for line in exporter.text().splitlines() if not line.startswith("#"))
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_nothing_falls_from_sample_to_sample() -> None:
    """Every counter of every text is at least what it was."""
    exporter = Exporter(devices=True, judges=False)
    last: dict[str, float] = {}
    for sample in samples_of("hyperpav-20", 15):
        exporter.follow(sample)
        now = {key: value for key, value in _values(exporter).items() if "_total" in key}
        assert all(now[key] >= was for key, was in last.items())
        last = now
    assert len(last) > 100


def test_devices_come_on_request(exported: Callable[..., Exporter]) -> None:
    """Aggregates alone are some hundred series."""
    assert "zmon_dasd_" not in exported("shark-before", 3, devices=False).text()
    text = exported("shark-before", 3).text()
    assert 'zmon_dasd_info{device="0.0.' in text
    assert 'zmon_dasd_ssch_total{device="0.0.' in text


def test_before_the_first_sample_there_is_nothing() -> None:
    """Then a request has no answer, rather than an empty one."""
    assert Exporter().families() == []


def test_a_verdict_comes_after_a_minute(exported: Callable[..., Exporter]) -> None:
    """Calm, or what is short with the requests that wait for it."""
    assert "zmon_verdict_calm" not in exported("shark-before", 2).text()
    text = exported("shark-before", 40).text()
    assert "zmon_verdict_calm " in text
