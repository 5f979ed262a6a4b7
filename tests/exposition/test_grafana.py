"""The dashboard names metrics that zmon exports, with their labels, and can be imported anywhere."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from zmon.cli.main import main
from zmon.cli.output import OK, USAGE
from zmon.exposition.grafana import dashboard
from zmon.exposition.metric import METRICS

DOCUMENT: dict[str, Any] = json.loads(dashboard())
LABELS = {metric.sample: {*metric.labels, "instance", "job"} for metric in METRICS}
TARGETS = [(panel["title"], target) for panel in DOCUMENT["panels"] for target in panel.get("targets", ())]


@pytest.mark.parametrize(("title", "target"), TARGETS)
def test_each_query_names_what_is_exported(title: str, target: dict[str, Any]) -> None:
    """Metrics by the names of their samples; labels that these metrics have, also where it groups by them."""
    query = target["expr"]
    names = re.findall(r"zmon_\w+", query)
    assert names, title
    assert set(names) <= set(LABELS)
    for name, chosen in re.findall(r"(zmon_\w+)\{([^}]*)\}", query):
        assert set(re.findall(r"(\w+)(?:=~|!~|=)", chosen)) <= LABELS[name]
    every = set.intersection(*(LABELS[name] for name in names))
    for group in re.findall(r"by \(([^)]*)\)", query):
        assert set(re.split(r", *", group)) <= every
    assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= every


def test_counters_are_rates_and_channels_are_no_sums() -> None:
    """A total says nothing, and every partition reads the same load of a channel path."""
    for _, target in TARGETS:
        query = target["expr"]
        for name in re.findall(r"zmon_\w+_total", query):
            assert query.count(name) == query.count(f"rate({name}{{")
        assert not re.search(r"sum by \([^)]*\) \(zmon_channel_busy_ratio", query)


def test_it_can_be_imported() -> None:
    """Without an id, with the data source as a variable; panels have own numbers and do not overlap."""
    assert DOCUMENT["id"] is None
    assert DOCUMENT["templating"]["list"][0]["type"] == "datasource"
    numbers = [panel["id"] for panel in DOCUMENT["panels"]]
    assert len(set(numbers)) == len(numbers)
    taken: set[tuple[int, int]] = set()
    for panel in DOCUMENT["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken
        assert at["x"] + at["w"] <= 24
        taken |= cells
        if "datasource" in panel:
            assert panel["datasource"]["uid"] == "${datasource}"


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    """And not what a recording has to do with it."""
    assert main(["rules", "--format", "grafana"]) == OK
    assert json.loads(capsys.readouterr().out) == DOCUMENT
    assert main(["rules", "--format", "grafana", "--from", "lab:shark-before"]) == USAGE
