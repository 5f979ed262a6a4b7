"""What a sample says of its instant, as families of metrics: machine, LCUs, adapters, paths, memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import zmon
from zmon.base.absent import Absent
from zmon.base.event import BAD, LEVELS, LOOK
from zmon.exposition import metric
from zmon.exposition.disk_totals import lcu_labels, type_of
from zmon.exposition.exposition_text import Family, label_text, number_text
from zmon.exposition.metric import DASD_INFO, HOST_INFO, LCU_DEVICES, LCU_INFO
from zmon.kinds import ADAPTER, CPU, DASD, DEVICE, MACHINE, MEMORY, PATH, SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.base.event import ExceptionEntry
    from zmon.diagnosis.diagnosis import Verdict
    from zmon.exposition.disk_totals import LcuLabels
    from zmon.exposition.metric import Metric
    from zmon.sample import Frame, Sample

ONE: Final = "1"
MAX_EXCEPTIONS: Final = 100
"""Exceptions that have a series of their own."""
MAX_PATHS: Final = 1_000
"""Paths that have one."""
PARTS: Final = ("processor", "bus", "port")


def _gauge(of: Metric, rows: Iterable[tuple[tuple[Value, ...], Value]]) -> Family:
    """Return a family; rows whose value is absent are left out."""
    return Family(
        of,
        [
            (label_text(of.labels, labels), number_text(value))
            for labels, value in rows
            if isinstance(value, (int, float))
        ],
    )


def _about(of: Metric, *rows: tuple[Value, ...]) -> Family:
    return Family(of, [(label_text(of.labels, row), ONE) for row in rows])


def _cells(frame: Frame, *names: str) -> Iterator[tuple[Value, ...]]:
    """Yield the key of each row with some of its values."""
    return zip(frame.keys, *(frame.column(name) for name in names), strict=True)


def machine_families(sample: Sample) -> Iterator[Family]:
    """Yield what identifies the machine, and how its sources are."""
    machine = sample.frame(MACHINE)
    yield _about(metric.BUILD_INFO, (zmon.__version__,))
    names = ("guest_name", "environment", "lpar_name", "sequence", "type", "vm_name")
    for _key, *values in _cells(machine, *names):
        yield _about(HOST_INFO, tuple(values))
    if sample.simulated:
        yield _about(metric.SIMULATED, ())
    yield _gauge(metric.SAMPLED_AT, [((), sample.at.utc / 1e9)])
    sources = sample.frame(SOURCE)
    yield _gauge(
        metric.SOURCE_UP,
        [((key,), int(state == "ok")) for key, state in _cells(sources, "state")],
    )


def mistake_family(parts: Iterable[str]) -> Family:
    """Return the parts of zmon that have a mistake of their own."""
    return _about(metric.MISTAKE, *((part,) for part in parts))


def lcu_families(sample: Sample, units: LcuLabels) -> Iterator[Family]:
    """Yield the LCUs with the number of their devices, and of aliases."""
    devices = sample.frame(DEVICE)
    infos: dict[str, str] = {}
    roles: list[tuple[str, str]] = []
    aliases: list[tuple[str, str]] = []
    online: Mapping[str, Value] = dict(zip(devices.keys, devices.column("online"), strict=True))
    for labels, unit in units.lcus.items():
        kind = "eckd" if unit.ssid else "fcp"
        row = (*lcu_labels(unit), type_of(unit, devices), unit.vendor, kind)
        infos[label_text(LCU_INFO.labels, row)] = ONE
        counts = Counter(
            "offline" if online.get(member, 1) != 1 else "alias" if member in units.aliases else "base"
            for member in (*unit.bases, *unit.aliases)
        )
        roles += [
            (label_text(LCU_DEVICES.labels, (*lcu_labels(unit), role)), str(count))
            for role, count in sorted(counts.items())
        ]
        aliases.append((labels, str(len(unit.aliases))))
    yield Family(LCU_INFO, [*infos.items()])
    yield Family(LCU_DEVICES, roles)
    yield Family(metric.POOL_ALIASES, aliases)


def dasd_info(sample: Sample, units: LcuLabels) -> Family:
    """Return what is known of each DASD that is online."""
    devices, dasd = sample.frame(DEVICE), sample.frame(DASD)
    volser = dict(zip(dasd.keys, dasd.column("volser"), strict=True))
    labels = {key: lcu_labels(unit) for key, unit in units.lcus.items()}
    rows = [
        (key, name, *labels.get(units.of.get(str(key), ""), ("", "")), volser.get(str(key), ""), chpids)
        for key, name, chpids, online in _cells(devices, "block", "chpids", "online")
        if online == 1 and isinstance(name, str)
    ]
    return _about(DASD_INFO, *rows)


def adapter_families(sample: Sample) -> Iterator[Family]:
    """Yield the state and the load of FCP adapters, and the ports behind them."""
    frame = sample.frame(ADAPTER)
    yield _about(metric.ADAPTER_INFO, *_cells(frame, "port_name", "port_type"))
    states = _cells(frame, "port_state")
    yield _gauge(
        metric.ADAPTER_UP,
        [((key,), int(state == "Online")) for key, state in states if not isinstance(state, Absent)],
    )
    uses = ((key, zip(PARTS, values, strict=True)) for key, *values in _cells(frame, *PARTS))
    yield _gauge(
        metric.ADAPTER_USE,
        [((key, part), _ratio(percent)) for key, parts in uses for part, percent in parts],
    )
    yield _gauge(
        metric.ADAPTER_PORTS,
        [
            ((key, state), count)
            for key, ports, online in _cells(frame, "ports", "ports_online")
            if isinstance(ports, int) and isinstance(online, int)
            for state, count in (("online", online), ("lost", ports - online))
        ],
    )


def _ratio(percent: Value) -> Value:
    return percent / 100 if isinstance(percent, (int, float)) else percent


def path_families(sample: Sample) -> Iterator[Family]:
    """Yield how many paths are in each state, and the paths of maps that have lost one."""
    rows = list(_cells(sample.frame(PATH), "map", "name", "state"))
    states = [(joined, name, state) for _key, joined, name, state in rows if isinstance(state, str)]
    yield _gauge(metric.PATHS, [((state,), n) for state, n in sorted(Counter(r[2] for r in states).items())])
    hurt = {joined for joined, _name, state in states if state != "active"}
    yield _about(metric.PATH_STATE, *[row for row in states if row[0] in hurt][:MAX_PATHS])


def system_families(sample: Sample) -> Iterator[Family]:
    """Yield processors and memory."""
    cpus = sample.frame(CPU)
    if cpus.keys:
        yield _gauge(
            metric.CPUS, [((), sum(1 for _, on in _cells(cpus, "online") if on == 1) or len(cpus.keys))]
        )
    memory = sample.frame(MEMORY)
    for of, name in ((metric.MEMORY_TOTAL, "total"), (metric.MEMORY_AVAILABLE, "available")):
        yield _gauge(of, [((), value) for _key, value in _cells(memory, name)])


def exception_families(entries: Sequence[ExceptionEntry]) -> Iterator[Family]:
    """Yield how many exceptions are open, and the heaviest of them."""
    count = Counter(entry.level for entry in entries)
    yield _gauge(metric.EXCEPTIONS, [((LEVELS[level],), count[level]) for level in (BAD, LOOK)])
    rows: Mapping[str, None] = dict.fromkeys(
        label_text(metric.EXCEPTION.labels, (entry.rule, LEVELS[entry.level], entry.where or entry.key))
        for entry in sorted(entries, key=lambda entry: entry.heaviness)
    )
    yield Family(metric.EXCEPTION, [(labels, ONE) for labels in [*rows][:MAX_EXCEPTIONS]])


def verdict_families(verdict: Verdict) -> Iterator[Family]:
    """Yield the diagnoses of a verdict, or that there is none."""
    yield _gauge(metric.CALM, [((), int(verdict.is_calm))])
    lost: dict[str, float] = {}
    for diagnosis in verdict.diagnoses:
        labels = label_text(
            metric.DIAGNOSIS.labels, (diagnosis.id, diagnosis.confidence, diagnosis.subjects[0].title)
        )
        lost[labels] = max(lost.get(labels, 0.0), diagnosis.lost)
    yield Family(metric.DIAGNOSIS, [(labels, number_text(value)) for labels, value in lost.items()])
