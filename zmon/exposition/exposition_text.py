"""Families of metrics as text: Prometheus's format 0.0.4, and OpenMetrics 1.0.

The two differ in the heads of families: OpenMetrics names a counter without `_total`, has a type for what
only describes, units, and a last line.  `_created` is left out: it is optional and doubles the series.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent
from zmon.base.plain_text import harmless
from zmon.exposition.metric import COUNTER, GAUGE, INFO

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Value
    from zmon.exposition.metric import Metric

PLAIN: Final = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
END: Final = "# EOF\n"
MAX_LABEL: Final = 200
"""Characters of a label's value."""


class Family(NamedTuple):
    """The samples of a metric: the labels as they are written, with braces, and the values."""

    metric: Metric
    samples: Sequence[tuple[str, str]]


@lru_cache(maxsize=65_536)  # the same things come with every sample
def label_text(names: tuple[str, ...], values: tuple[Value, ...]) -> str:
    """Write labels, `{box="0000000ABC12",lcu="7600"}`; those without a value are left out."""
    pairs = [
        f'{name}="{_escaped(str(value))}"'
        for name, value in zip(names, values, strict=True)
        if not isinstance(value, Absent) and value != ""
    ]
    return f"{{{','.join(pairs)}}}" if pairs else ""


def _escaped(value: str) -> str:
    return harmless(value[:MAX_LABEL]).replace("\\", "\\\\").replace('"', '\\"')


def number_text(value: float) -> str:
    """Write a number as both formats do."""
    return repr(value)


@lru_cache(maxsize=1024)
def family_head(metric: Metric, *, openmetrics: bool) -> str:
    """Return the lines before the samples of a family."""
    name = metric.name.removesuffix("_info") if openmetrics and metric.type == INFO else metric.name
    kind = metric.type
    if not openmetrics:
        name, kind = metric.sample, GAUGE if kind == INFO else kind
    lines = [f"# HELP {name} {metric.help}", f"# TYPE {name} {kind}"]
    if openmetrics and metric.unit and kind in {COUNTER, GAUGE}:
        lines.append(f"# UNIT {name} {metric.unit}")
    return "".join(f"{line}\n" for line in lines)


def exposition_text(families: Iterable[Family], *, openmetrics: bool) -> str:
    """Write families, each of which stands once among them; those without samples are left out."""
    parts: list[str] = []
    for metric, samples in families:
        if samples:
            name = metric.sample
            parts.append(family_head(metric, openmetrics=openmetrics))
            parts += [f"{name}{labels} {value}\n" for labels, value in samples]
    if openmetrics:
        parts.append(END)
    return "".join(parts)
