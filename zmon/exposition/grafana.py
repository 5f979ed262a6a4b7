"""A dashboard of Grafana made from zmon's metrics, in the classic model, which every version imports.

Names of metrics and labels are those that `metric` declares, so the dashboard cannot name others.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from zmon.exposition.metric import (
    ADAPTER_REQUESTS,
    ADAPTER_UP,
    CHANNEL_BUSY,
    CHANNEL_OWN,
    CPU_SECONDS,
    DIAGNOSIS,
    EXCEPTION,
    EXCEPTIONS,
    LCU_INFO,
    LCU_METRICS,
    LCU_QUEUE,
    MEMORY_AVAILABLE,
    MEMORY_TOTAL,
    PATHS,
    POOL_ALIASES,
    POOL_BUSY,
    SAMPLED_AT,
    Metric,
)

SCHEMA: Final = 36
"""The version of the model: that of Grafana 9; later ones convert it."""
UID: Final = "zmon-fleet"
RATE: Final = "[$__rate_interval]"
"""Grafana puts at least four scrape intervals there."""
WIDTH: Final = 24
HEIGHT: Final = 8
"""A dashboard is 24 columns wide; lines of a panel."""

_LCU: Final = {metric.name.removeprefix("zmon_lcu_"): metric for metric in LCU_METRICS}


class PanelQuery(NamedTuple):
    """A query of a panel, and how its series are called."""

    expression: str
    legend: str


class GrafanaPanel(NamedTuple):
    """One panel."""

    title: str
    about: str
    """What it says, for the corner of the panel."""
    unit: str
    """As Grafana calls it: `s`, `Bps`, `percentunit`, `iops`, `short`."""
    questions: tuple[PanelQuery, ...]
    kind: str = "timeseries"
    """`timeseries`, `stat` or `table`; a table shows the present."""
    width: int = 12


def _of(metric: Metric, *labels: str) -> str:
    """Return a metric of the systems, and of the boxes and LCUs, that are chosen."""
    chosen = ["instance"] + [name for name in ("box", "lcu") if name in metric.labels]
    matchers = [f'{name}=~"${name}"' for name in chosen]
    return f"{metric.sample}{{{','.join((*matchers, *labels))}}}"


def _rate(metric: Metric, *labels: str) -> str:
    return f"rate({_of(metric, *labels)}{RATE})"


def _sums(by: str, *metrics: Metric) -> str:
    return " + ".join(f"sum by ({by}) ({_rate(metric)})" for metric in metrics)


def _per_io(seconds: Metric, *operations: Metric) -> str:
    """Return seconds per operation: sum of time by sum of operations, never a mean of means."""
    return f"sum by (box, lcu) ({_rate(seconds)}) / ({_sums('box, lcu', *operations)})"


_USED: Final = 'mode!~"idle|iowait|steal"'
_LCU_NAME: Final = "{{box}} {{lcu}}"
_DONE: Final = (_LCU["reads"], _LCU["writes"])

SECTIONS: Final[tuple[tuple[str, tuple[GrafanaPanel, ...]], ...]] = (
    (
        "All systems",
        (
            GrafanaPanel(
                "Systems that report",
                "z/OS and systems without zmon are not seen.",
                "short",
                (PanelQuery(f"count({_of(SAMPLED_AT)})", "systems"),),
                "stat",
                4,
            ),
            GrafanaPanel(
                "Open exceptions",
                "By severity, over all systems.",
                "short",
                (PanelQuery(f"sum by (severity) ({_of(EXCEPTIONS)})", "{{severity}}"),),
                "stat",
                4,
            ),
            GrafanaPanel(
                "Exceptions that are open",
                "The rules are those of zmon; zmon rules lists them.",
                "short",
                (PanelQuery(f"{_of(EXCEPTION)} == 1", ""),),
                "table",
                8,
            ),
            GrafanaPanel(
                "Diagnoses, with the requests that wait because of each",
                "zmon diagnose on the system says what to do.",
                "short",
                (PanelQuery(f"{_of(DIAGNOSIS)} > 0", ""),),
                "table",
                8,
            ),
        ),
    ),
    (
        "LCUs across systems",
        (
            GrafanaPanel(
                "I/O of LCUs",
                "Operations that Linux completed; each system counts its own, so they add up.",
                "iops",
                (PanelQuery(_sums("box, lcu", *_DONE), _LCU_NAME),),
            ),
            GrafanaPanel(
                "Who fills an LCU",
                "The three systems with most I/O on each LCU.",
                "iops",
                (
                    PanelQuery(
                        f"topk by (box, lcu) (3, {_sums('box, lcu, instance', *_DONE)})",
                        "{{box}} {{lcu}}: {{instance}}",
                    ),
                ),
            ),
            GrafanaPanel(
                "Response time",
                "As Linux sees it: sum of time by sum of I/O.",
                "s",
                (PanelQuery(_per_io(_LCU["io_seconds"], *_DONE), _LCU_NAME),),
            ),
            GrafanaPanel(
                "Pend, disconnect, connect",
                "Of the operations that the channel subsystem timed.",
                "s",
                tuple(
                    PanelQuery(_per_io(_LCU[f"{name}_seconds"], _LCU["timed"]), f"{name} {_LCU_NAME}")
                    for name in ("pending", "disconnect", "connect")
                ),
            ),
            GrafanaPanel(
                "Data of LCUs",
                "Read and written.",
                "Bps",
                (PanelQuery(_sums("box, lcu", _LCU["read_bytes"], _LCU["written_bytes"]), _LCU_NAME),),
            ),
            GrafanaPanel(
                "Requests that wait in Linux",
                "An estimate: before they are started.",
                "short",
                (PanelQuery(_sums("box, lcu", LCU_QUEUE), _LCU_NAME),),
            ),
            GrafanaPanel(
                "Aliases in use",
                "Of the system with most; near 1 they are exhausted.",
                "percentunit",
                (PanelQuery(f"max by (box, lcu) ({_of(POOL_BUSY)} / ({_of(POOL_ALIASES)} > 0))", _LCU_NAME),),
            ),
            GrafanaPanel(
                "Systems on an LCU",
                "How many see it.",
                "short",
                (PanelQuery(f"count by (box, lcu) ({_of(LCU_INFO)})", _LCU_NAME),),
            ),
        ),
    ),
    (
        "Channel paths and FCP",
        (
            GrafanaPanel(
                "Channel paths",
                "Of the whole machine: every partition reads the same, so it is the highest, not the sum.",
                "percentunit",
                (PanelQuery(f"max by (cpc, css, chpid) ({_of(CHANNEL_BUSY)})", "{{cpc}} {{css}}.{{chpid}}"),),
            ),
            GrafanaPanel(
                "Channel paths: by others",
                "z/OS and partitions that do not report: the whole less what those that report do.",
                "percentunit",
                (
                    PanelQuery(
                        f"max by (cpc, css, chpid) ({_of(CHANNEL_BUSY)})"
                        f" - sum by (cpc, css, chpid) ({_of(CHANNEL_OWN)})",
                        "{{cpc}} {{css}}.{{chpid}}",
                    ),
                ),
            ),
            GrafanaPanel(
                "FCP adapters: requests",
                "Of all partitions.",
                "iops",
                (
                    PanelQuery(
                        f"sum by (instance, adapter) ({_rate(ADAPTER_REQUESTS)})", "{{instance}} {{adapter}}"
                    ),
                ),
                width=8,
            ),
            GrafanaPanel(
                "FCP adapters that are online",
                "1 if the port is online.",
                "short",
                (PanelQuery(_of(ADAPTER_UP), "{{instance}} {{adapter}}"),),
                width=8,
            ),
            GrafanaPanel(
                "SCSI paths by state",
                "Paths of multipath devices.",
                "short",
                (PanelQuery(f"sum by (instance, state) ({_of(PATHS)})", "{{instance}} {{state}}"),),
                width=8,
            ),
        ),
    ),
    (
        "Systems",
        (
            GrafanaPanel(
                "Processors",
                "Part of the time of all processors that was used.",
                "percentunit",
                (
                    PanelQuery(
                        f"sum by (instance) ({_rate(CPU_SECONDS, _USED)})"
                        f" / sum by (instance) ({_rate(CPU_SECONDS)})",
                        "{{instance}}",
                    ),
                ),
                width=8,
            ),
            GrafanaPanel(
                "Memory in use",
                "What could not be had without swapping.",
                "percentunit",
                (PanelQuery(f"1 - {_of(MEMORY_AVAILABLE)} / {_of(MEMORY_TOTAL)}", "{{instance}}"),),
                width=8,
            ),
            GrafanaPanel(
                "Age of the last sample",
                "More than two minutes: zmon has stopped there.",
                "s",
                (PanelQuery(f"time() - {_of(SAMPLED_AT)}", "{{instance}}"),),
                width=8,
            ),
        ),
    ),
)


def dashboard() -> str:
    """Return the dashboard as JSON, to be imported."""
    document: dict[str, Any] = {
        "id": None, "uid": UID, "title": "zmon: storage of Linux on IBM Z", "tags": ["zmon"],
        "schemaVersion": SCHEMA, "version": 1, "editable": True, "graphTooltip": 1, "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"}, "timezone": "browser", "annotations": {"list": []},
        "links": [], "templating": {"list": list(_variables())}, "panels": list(_panels()),
    }  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def _variables() -> list[dict[str, Any]]:
    """Return the choices at the top: the data source, systems, boxes, LCUs."""
    source = {
        "name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus",
        "current": {}, "hide": 0, "refresh": 1, "regex": "", "multi": False, "includeAll": False,
        "options": [], "skipUrlSync": False,
    }  # fmt: skip
    asked = (
        ("instance", "System", f"label_values({SAMPLED_AT.sample}, instance)"),
        ("box", "Box", f"label_values({LCU_INFO.sample}, box)"),
        ("lcu", "LCU", f'label_values({LCU_INFO.sample}{{box=~"$box"}}, lcu)'),
    )
    others = [
        {
            "name": name, "label": label, "type": "query", "datasource": _source(),
            "definition": query, "query": {"query": query, "refId": f"zmon-{name}"},
            "current": {"selected": True, "text": ["All"], "value": ["$__all"]}, "allValue": ".*",
            "hide": 0, "includeAll": True, "multi": True, "options": [], "refresh": 2, "regex": "",
            "skipUrlSync": False, "sort": 1,
        }
        for name, label, query in asked
    ]  # fmt: skip
    return [source, *others]


def _source() -> dict[str, str]:
    return {"type": "prometheus", "uid": "${datasource}"}


def _panels() -> list[dict[str, Any]]:
    """Return the panels, each section under a line of its own."""
    panels_made: list[dict[str, Any]] = []
    line = 0
    for title, panels in SECTIONS:
        panels_made.append({
            "id": len(panels_made) + 1, "type": "row", "title": title, "collapsed": False, "panels": [],
            "gridPos": {"x": 0, "y": line, "w": WIDTH, "h": 1},
        })  # fmt: skip
        line, column = line + 1, 0
        for panel in panels:
            if column + panel.width > WIDTH:
                line, column = line + HEIGHT, 0
            place = {"x": column, "y": line, "w": panel.width, "h": HEIGHT}
            panels_made.append(_panel(panel, len(panels_made) + 1, place))
            column += panel.width
        line += HEIGHT
    return panels_made


def _panel(panel: GrafanaPanel, number: int, place: dict[str, int]) -> dict[str, Any]:
    is_table = panel.kind == "table"
    targets = [
        {
            "refId": chr(ord("A") + at), "datasource": _source(), "expr": question.expression,
            "legendFormat": question.legend, "instant": is_table or panel.kind == "stat",
            "range": panel.kind == "timeseries", "format": "table" if is_table else "time_series",
        }
        for at, question in enumerate(panel.questions)
    ]  # fmt: skip
    options: dict[str, Any] = {}
    if panel.kind == "timeseries":
        options = {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}}
    elif panel.kind == "stat":
        options = {"reduceOptions": {"calcs": ["lastNotNull"], "values": False}, "textMode": "value_and_name"}
    return {
        "id": number, "type": panel.kind, "title": panel.title, "description": panel.about,
        "datasource": _source(), "gridPos": place, "targets": targets, "options": options,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
    }  # fmt: skip
