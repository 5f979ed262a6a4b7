"""The names of metrics keep the rules of Prometheus, and the document has all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from zmon.exposition.metric import COUNTER, INFO, METRICS, Metric

ROOT = Path(__file__).parents[2]


def test_each_name_stands_once() -> None:
    """A family that came twice would be refused."""
    names = [metric.name for metric in METRICS]
    assert len(names) == len(set(names))
    opened = {metric.name.removesuffix("_info") for metric in METRICS if metric.type == INFO}
    assert opened.isdisjoint(names)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_names_labels_and_help_are_in_form(metric: Metric) -> None:
    """Lower case, the prefix, no suffix of another type; a help of one sentence or two."""
    assert re.fullmatch(r"zmon_[a-z0-9_]+", metric.name)
    assert not re.search(r"_(total|created|count|sum|bucket)$", metric.name)
    assert metric.name.endswith("_info") == (metric.type == INFO)
    assert all(re.fullmatch(r"[a-z_]+", label) for label in metric.labels)
    assert metric.help.endswith(".")
    assert not {"\\", "\n"} & set(metric.help)
    assert metric.sample.endswith("_total") == (metric.type == COUNTER)


def test_the_document_lists_all_metrics() -> None:
    """docs/metrics.md has a row for each, with its labels; `python docs/tables.py` writes them."""
    table = (ROOT / "docs/metrics.md").read_text(encoding="utf-8").partition("| metric | what |")[2]
    listed = re.findall(r"`(zmon_[a-z_]+?)(?:\{([a-z_,]+)\})?`", table)
    assert sorted(listed) == sorted((metric.sample, ",".join(metric.labels)) for metric in METRICS)
