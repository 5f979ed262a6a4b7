"""A recording becomes metrics with times, in order, that a monitor takes over."""

from __future__ import annotations

from collections import defaultdict

from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics

from tests.exposition.conftest import samples_of
from zmon.base.clock import MINUTE
from zmon.exposition.backfill import history_text

SECOND = 1_000_000_000


def test_each_series_has_its_times_in_order() -> None:
    """A value for each step, counters do not fall, and all series have the labels that were wanted."""
    samples = samples_of("shark-before", 120)
    step = 4 * round(samples[1].at.utc - samples[0].at.utc)
    text = "".join(history_text(samples, (), step, [("instance", 'LNX"01')]))
    points = defaultdict(list)
    for family in parse_openmetrics(text):
        for sample in family.samples:
            assert sample.labels["instance"] == 'LNX"01'
            assert sample.timestamp is not None
            points[sample.name, *sorted(sample.labels.items())].append(
                (float(sample.timestamp), sample.value)
            )
    longest = max(map(len, points.values()))
    assert longest == 30
    for key, found in points.items():
        assert found == sorted(found, key=lambda point: point[0])
        if key[0].endswith("_total"):
            assert [value for _, value in found] == sorted(value for _, value in found)


def test_one_sample_is_no_history() -> None:
    """Counters have no difference then."""
    assert [*history_text(samples_of("shark-before", 1), (), MINUTE)] == []
