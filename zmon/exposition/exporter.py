"""Follows the samples of a machine, and writes what they say as metrics for other monitors.

`follow` costs the recorder a millisecond or two a sample, and reads nothing from the machine.  One thread
follows, others may ask for the text: a lock keeps them apart.
"""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.clock import MINUTE
from zmon.base.mistake import contained, mistakes
from zmon.diagnosis.judged import verdict_of
from zmon.exposition import metric
from zmon.exposition.disk_totals import DISK_COUNTERS, DiskTotals
from zmon.exposition.exposition_text import Family, exposition_text, label_text, number_text
from zmon.exposition.gauges import (
    adapter_families,
    dasd_info,
    exception_families,
    lcu_families,
    machine_families,
    mistake_family,
    path_families,
    system_families,
    verdict_families,
)
from zmon.exposition.metric import CACHE_COUNTERS, CACHE_METRICS, METRICS
from zmon.exposition.row_totals import RecentMeans, RowCounter, RowTotals
from zmon.interval import Interval
from zmon.kinds import ADAPTER, CHANNEL, CPU, DEVICE, MACHINE, SOURCE
from zmon.machine.channel_paths import busy_percents, stamp_seconds
from zmon.machine.view import View, no_inputs
from zmon.topology.volumes import channel_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.diagnosis.diagnosis import Verdict
    from zmon.exposition.disk_totals import Totals
    from zmon.exposition.metric import DiskCounter, Metric
    from zmon.interval import Delta
    from zmon.sample import Sample

ORDER: Final = {metric.name: at for at, metric in enumerate(METRICS)}
CPU_MODES: Final = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
REQUESTS: Final = ("inputs", "outputs", "controls")


class Exporter:
    """The metrics of one machine."""

    def __init__(
        self,
        open_exceptions: Callable[[], Sequence[ExceptionEntry]] | None = None,
        *,
        devices: bool = False,
        judges: bool = True,
    ) -> None:
        """Begin with nothing.

        Args:
            open_exceptions: returns the exceptions that are open; without it there are no metrics of them.
            devices: whether there are metrics of each DASD, too.
            judges: whether a verdict is asked for once a minute.
        """
        self._open_exceptions = open_exceptions
        self._judges = judges
        self._devices = devices
        self._disks = DiskTotals(devices=devices)
        self._rows = RowTotals(self._row_counters())
        self._means = {
            of: RecentMeans() for of in (metric.CHANNEL_BUSY, metric.CHANNEL_OWN, metric.POOL_BUSY)
        }
        self._before: Sample | None = None
        self._judged: Sample | None = None
        """The sample up to which there is a verdict."""
        self._verdict: Verdict | None = None
        self._lock = Lock()

    @property
    def sampled_at(self) -> int:
        """When the last sample was taken, UTC in ns; 0 before the first."""
        return 0 if self._before is None else self._before.at.utc

    # follow

    def follow(self, sample: Sample) -> None:
        """Take the next sample."""
        interval = Interval(self._before, sample)
        with self._lock:
            self._before = sample
            for what, follow in (
                ("totals of disks", partial(self._disks.follow, interval)),
                ("totals", partial(self._rows.follow, interval)),
                ("channel paths", partial(self._channels, interval)),
                ("aliases", partial(self._aliases, interval)),
            ):
                _followed(what, follow)
        if self._judges:
            _followed("the verdict", partial(self._judge, sample))

    def _aliases(self, interval: Interval) -> None:
        """Take how many aliases ran an I/O."""
        seconds = interval.seconds
        if not isinstance(seconds, Absent) and seconds > 0:
            for labels, ns in self._disks.alias_ns.items():
                self._means[metric.POOL_BUSY].add(labels, ns / 1e9 / seconds, seconds)

    def _judge(self, sample: Sample) -> None:
        """Ask for the verdict on the last minute, once it is over."""
        begin = self._judged
        if begin is None or begin.at.boot != sample.at.boot or sample.at.steady < begin.at.steady:
            self._judged, self._verdict = sample, None
        elif sample.at.steady - begin.at.steady >= MINUTE:
            self._judged = sample
            self._verdict = verdict_of(View(Interval(begin, sample, skipped=True), inputs=no_inputs))

    def _channels(self, interval: Interval) -> None:
        """Take the utilisation of channel paths, as often as the channel subsystem gives new figures."""
        before = interval.before
        if before is None or before.frames.get(CHANNEL.name) is interval.after.frames.get(CHANNEL.name):
            return
        delta = interval.of(CHANNEL)
        labels = [_channel(self._cpc(), delta, row) for row in range(len(delta))]
        lengths = stamp_seconds(delta)
        for of, own in ((metric.CHANNEL_BUSY, False), (metric.CHANNEL_OWN, True)):
            self._means[of].keep(labels)
            for key, percent, seconds in zip(labels, busy_percents(delta, own=own), lengths, strict=True):
                if not isinstance(seconds, Absent):
                    self._means[of].add(key, percent / 100, seconds)

    def _cpc(self) -> str:
        """Return the serial number of the machine; empty if it is not known."""
        serial = None if self._before is None else self._before.frame(MACHINE).cell("machine", "sequence")
        return serial if isinstance(serial, str) else ""

    def _row_counters(self) -> list[RowCounter]:
        """Return all counters of things that are not disks."""
        return [
            *(
                RowCounter(metric.CPU_SECONDS, CPU, _fixed(metric.CPU_SECONDS, mode), mode, 1e-9)
                for mode in CPU_MODES
            ),
            RowCounter(metric.SOURCE_SECONDS, SOURCE, _keyed(metric.SOURCE_SECONDS), "spent", 1e-9),
            *(
                RowCounter(
                    metric.CHANNEL_BYTES,
                    CHANNEL,
                    partial(self._channel_bytes, direction, scope),
                    field,
                    1,
                    unit,
                )
                for direction, scope, field, unit in (
                    ("read", "cpc", "read_cpc", "data_unit_size"),
                    ("written", "cpc", "written_cpc", "data_unit_size"),
                    ("read", "own", "read", "data_unit_size"),
                    ("written", "own", "written", "data_unit_size"),
                    ("sent", "cpc", "data_sent_cpc", "data_unit_size_cpc"),
                    ("sent", "own", "data_sent", "data_unit_size"),
                )
            ),
            *(
                RowCounter(metric.ADAPTER_REQUESTS, ADAPTER, _keyed(metric.ADAPTER_REQUESTS, name), name)
                for name in REQUESTS
            ),
            *(
                RowCounter(metric.ADAPTER_BYTES, ADAPTER, _keyed(metric.ADAPTER_BYTES, way), field, 1_000_000)
                for way, field in (("read", "megabytes_in"), ("written", "megabytes_out"))
            ),
            RowCounter(metric.ADAPTER_FULL, ADAPTER, _keyed(metric.ADAPTER_FULL), "queue_full"),
        ]

    def _channel_bytes(self, direction: str, scope: str, delta: Delta, row: int) -> str:
        return _channel(self._cpc(), delta, row, (direction, scope))

    # families

    def families(self) -> list[Family]:
        """Return all families that have samples, in the order of `METRICS`; none before the first sample."""
        with self._lock:
            sample = self._before
            if sample is None:
                return []
            parts: tuple[tuple[str, Callable[[], Iterable[Family]]], ...] = (
                ("the machine", lambda: machine_families(sample)),
                ("LCUs", lambda: lcu_families(sample, self._disks.units)),
                ("FCP adapters", lambda: adapter_families(sample)),
                ("paths", lambda: path_families(sample)),
                ("the system", lambda: system_families(sample)),
                ("totals of disks", self._disk_families),
                ("totals", self._row_families),
                ("exceptions", self._exception_families),
                ("the verdict", lambda: () if self._verdict is None else verdict_families(self._verdict)),
                ("DASDs", lambda: self._dasd_families(sample)),
            )
            families = [family for part in parts for family in _families(*part)]
            if mistaken := mistakes():
                families.append(mistake_family(mistaken))
            return sorted(families, key=lambda family: ORDER[family.metric.name])

    def _disk_families(self) -> Iterator[Family]:
        disks = self._disks
        lcus = [(key, disks.lcus[key]) for key in disks.units.lcus if key in disks.lcus]
        yield from _of_totals(metric.LCU_METRICS, DISK_COUNTERS, 0, lcus)
        yield from _of_totals(CACHE_METRICS, CACHE_COUNTERS, len(DISK_COUNTERS), lcus)
        yield Family(metric.LCU_QUEUE, [(key, repr(ns / 1e9)) for key, ns in disks.queued.items()])
        yield from _of_totals(metric.SYSTEM_METRICS, DISK_COUNTERS, 0, [("", disks.system)])

    def _row_families(self) -> Iterator[Family]:
        for of, means in self._means.items():
            yield Family(of, [(labels, number_text(value)) for labels, value in means.means().items()])
        by_name = {metric.name: metric for metric in METRICS}
        for name, sums in self._rows.totals.items():
            yield Family(by_name[name], [(labels, number_text(value)) for labels, value in sums.items()])

    def _exception_families(self) -> Iterator[Family]:
        if self._open_exceptions is not None:
            yield from exception_families(self._open_exceptions())

    def _dasd_families(self, sample: Sample) -> Iterator[Family]:
        disks = self._disks
        if disks.devices is not None:
            yield dasd_info(sample, disks.units)
            named = [
                (label_text(("device",), (key,)), totals)
                for key in sample.frame(DEVICE).keys
                if (totals := disks.devices.get(key)) is not None
            ]
            yield from _of_totals(metric.DASD_METRICS, DISK_COUNTERS, 0, named)

    def text(self, *, openmetrics: bool = False) -> str:
        """Return all metrics as text."""
        return exposition_text(self.families(), openmetrics=openmetrics)


def _part(what: str) -> str:
    return f"the metrics of {what.removeprefix('the ')}"


def _followed(what: str, follow: Callable[[], None]) -> None:
    """Take a sample for some metrics; the others take it whatever goes wrong."""
    contained(_part(what), follow, lambda _why: None)


def _families(what: str, make: Callable[[], Iterable[Family]]) -> list[Family]:
    """Return some metrics; none where these have a mistake of their own, and the others are there."""
    return contained(_part(what), lambda: [*make()], lambda _why: [])


def _of_totals(
    metrics: Sequence[Metric],
    counters: Sequence[DiskCounter],
    first: int,
    things: Sequence[tuple[str, Totals]],
) -> Iterator[Family]:
    """Yield the families of things whose totals are known; the counters have the places from `first` on."""
    labels_of: dict[str, list[tuple[str, str]]] = {}
    for place, counter in enumerate(counters, first):
        rows = labels_of.setdefault(counter.name, [])
        divisor, factor = counter.divisor, counter.factor
        more = f'{metric.DIRECTION}="{counter.direction}"' if counter.direction else ""
        for labels, totals in things:
            if totals.known[place]:
                value = totals.values[place] * factor
                own = _with(labels, more) if more else labels
                rows.append((own, repr(value / divisor if divisor > 1 else value)))
    for of, rows in zip(metrics, labels_of.values(), strict=True):
        yield Family(of, rows)


def _with(labels: str, more: str) -> str:
    """Return labels with one more."""
    return f"{labels[:-1]},{more}}}" if labels else f"{{{more}}}"


def _channel(cpc: str, delta: Delta, row: int, more: tuple[str, ...] = ()) -> str:
    """Return the labels of a channel path."""
    css, _, chpid = delta.keys[row].partition(".")
    code = delta["type"][row] if "type" in delta.frame.columns else ""
    kind = channel_type(code) if isinstance(code, int) else ""
    of = metric.CHANNEL_BYTES if more else metric.CHANNEL_BUSY
    return label_text(of.labels, (cpc, css, chpid, kind, *more))


def _fixed(of: Metric, value: str) -> Callable[[Delta, int], str]:
    """Return what gives all rows the same label."""
    labels = label_text(of.labels, (value,))
    return lambda _delta, _row: labels


def _keyed(of: Metric, *more: str) -> Callable[[Delta, int], str]:
    """Return what labels each row by its key."""
    return lambda delta, row: label_text(of.labels, (delta.keys[row], *more))
