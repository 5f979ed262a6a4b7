"""The text of metrics is read back by the parsers of prometheus_client as what was written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_plain

from zmon.base.absent import absent
from zmon.base.plain_text import harmless
from zmon.exposition.exposition_text import END, Family, exposition_text, label_text, number_text
from zmon.exposition.metric import COUNTER, GAUGE, INFO, Metric

COUNTS = Metric("zmon_lcu_connect_seconds", COUNTER, ("box", "lcu"), "Time of something.")
STATE = Metric("zmon_pool_aliases", GAUGE, ("box", "lcu"), "Aliases.")
ABOUT = Metric("zmon_lcu_info", INFO, ("box", "lcu"), "An LCU.")


@given(st.text(max_size=60), st.text(min_size=1, max_size=60), st.floats(0, 1e18, allow_nan=False))
def test_any_name_and_number_comes_back(box: str, lcu: str, value: float) -> None:
    """Whatever a guest calls its things: quotes, line ends, other scripts; both forms say the same."""
    names = ("box", "lcu")
    labels = label_text(names, (box, lcu))
    families = [
        Family(COUNTS, [(labels, number_text(value))]),
        Family(STATE, [(labels, number_text(value))]),
        Family(ABOUT, [(labels, "1")]),
    ]
    wanted = {name: harmless(text) for name, text in zip(names, (box, lcu), strict=True) if text}
    read = [*parse_openmetrics(exposition_text(families, openmetrics=True))]
    assert [(family.name, family.type, family.unit) for family in read] == [
        ("zmon_lcu_connect_seconds", "counter", "seconds"),
        ("zmon_pool_aliases", "gauge", ""),
        ("zmon_lcu", "info", ""),
    ]
    plain = [*parse_plain(exposition_text(families, openmetrics=False))]
    for found in (read, plain):
        assert [(sample.labels, sample.value) for family in found for sample in family.samples] == [
            (wanted, value), (wanted, value), (wanted, 1.0),
        ]  # fmt: skip
        assert [sample.name for family in found for sample in family.samples] == [
            "zmon_lcu_connect_seconds_total", "zmon_pool_aliases", "zmon_lcu_info",
        ]  # fmt: skip


def test_what_is_absent_has_no_label_and_no_series() -> None:
    """Neither an empty label, nor a family without samples."""
    assert label_text(("box", "lcu"), (absent("no uid"), "7600")) == '{lcu="7600"}'
    assert label_text(("box",), ("",)) == ""
    assert exposition_text([Family(STATE, [])], openmetrics=False) == ""
    assert exposition_text([Family(STATE, [])], openmetrics=True) == END


def test_a_name_without_end_is_cut() -> None:
    """A label has at most 200 characters."""
    assert label_text(("box",), ("x" * 1000,)) == f'{{box="{"x" * 200}"}}'
