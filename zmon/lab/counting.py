"""From what was simulated to what a kernel would show: raw counters, as frames of a sample.

Labels are made once; counters only grow.  Nothing is rounded but to the units in which the kernel counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kinds import BLOCK, CACHE, CHANNEL, CMF, CPU, DEVICE, LPAR_CPU, PROFILE, buckets
from zmon.lab.labels import MAJOR, MINORS, PARTITION, disk_name, frames, numbers, size_of
from zmon.sample import Frame, Instant, Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.absent import Value
    from zmon.lab.course import Answered, Slice
    from zmon.lab.plan import Plan

SECOND: Final = 1_000_000_000
TICK: Final = 128_000
"""ns of a tick of a channel path's clock."""
UNIT: Final = 1000
"""ns of work that a FICON channel counts as one unit."""
ESCON: Final = 0x05
OF_FICON: Final = absent("measurement group 2 does not have it")
OF_ESCON: Final = absent("measurement group 1 does not have it")
MILLISECOND: Final = 1_000_000
_CMF: Final = ("ssch", "samples", "pending", "disconnect", "connect")
_BLOCK: Final = (
    "reads", "sectors_read", "read_ms", "writes", "sectors_written", "write_ms", "in_flight", "io_ms",
    "weighted_ms",
)  # fmt: skip
PROFILED: Final = 64
"""Of so many disks at the most there are histograms of each, beside those of all."""
_HISTOGRAMS: Final = ("size", "time", "device", "wait", "queue")
"""What an interval counts in histograms, in its order, as `zmon.kinds.HISTOGRAMS` calls it."""
_SPLIT: Final = (("user", 0.80), ("system", 0.15), ("softirq", 0.05))
"""How processor time is told apart; the model knows it as one."""


class Counters:
    """Everything that is counted, since the scenario began."""

    def __init__(self, plan: Plan) -> None:
        """Begin at zero."""
        self.plan = plan
        self.number = 0
        """So many intervals have been added."""
        devices, disks = numbers(plan), len(plan.box.volumes)
        self._busids = [f"0.0.{devno:04x}" for devno in devices]
        self._names = [disk_name(place) for place in range(disks)]
        self._cmf = {name: [0] * len(devices) for name in _CMF}
        self._block = {name: [0] * disks for name in _BLOCK}
        self._times = {name: [0] * disks for name in ("read", "write", "busy", "weighted")}
        self._cache = {name: [0] * disks for name in ("reads", "read_hits", "writes", "write_hits")}
        self._paths = [
            (group, path) for group, paths in enumerate(plan.box.paths) for path in range(len(paths.chpids))
        ]
        self._carried = dict.fromkeys(self._paths, 0)
        self._computed = 0
        self._idle = 0
        self._profiled = ["global", *(self._names if disks <= PROFILED else ())]
        self._histograms = {
            field: [0] * len(self._profiled) for name in _HISTOGRAMS for field in buckets(name)
        }
        self._still = {frame.kind.name: frame for frame in frames(plan, self._busids, self._names)}

    def copy(self) -> Counters:
        """Return the same counters, to go on from here once more."""
        other = object.__new__(Counters)
        other.__dict__.update(self.__dict__)
        other._histograms = {name: [*values] for name, values in self._histograms.items()}
        for name in ("_cmf", "_block", "_times", "_cache"):
            setattr(other, name, {key: [*values] for key, values in getattr(self, name).items()})
        other._carried = dict(self._carried)
        return other

    def add(self, slice_: Slice) -> None:
        """Count one more interval."""
        self.number += 1
        for device, starts, pending, disconnect, connect in slice_.started:
            for name, more in zip(_CMF, (starts, starts, pending, disconnect, connect), strict=True):
                self._cmf[name][device] += more
        in_flight = self._block["in_flight"] = [0] * len(self._names)
        for one in slice_.answered:
            disk = one.disk
            for name in ("reads", "sectors_read", "writes", "sectors_written"):
                self._block[name][disk] += getattr(one, name)
            for name, more in zip(
                ("read", "write", "busy", "weighted"),
                (one.read_ns, one.write_ns, one.busy_ns, one.weighted_ns),
                strict=True,
            ):
                total = self._times[name][disk] = self._times[name][disk] + more
                self._block[_MS[name]][disk] = total // MILLISECOND
            in_flight[disk] = one.in_flight
            self._profile(one)
            for name, more in zip(
                self._cache,
                (one.cache_reads, one.cache_hits, one.cache_writes, one.cache_writes),
                strict=True,
            ):
                self._cache[name][disk] += more
        for carried in slice_.carried:
            self._carried[carried.group, carried.path] += carried.busy_ns
        self._computed += slice_.computing_ns
        # rounding must not let it fall
        self._idle = max(
            self._idle, round(self.number * self.plan.step * SECOND) - self._computed // self.plan.box.cpus
        )

    def _profile(self, one: Answered) -> None:
        rows = (0, one.disk + 1) if len(self._profiled) > 1 else (0,)
        for name, counted in zip(_HISTOGRAMS, one.histograms, strict=True):
            for bucket, requests in counted:
                column = self._histograms[f"{name}_{bucket:02}"]
                for row in rows:
                    column[row] += requests

    def sample(self) -> Sample:
        """Return what is read now."""
        plan = self.plan
        since = round(self.number * plan.step * SECOND)
        now = plan.begin * SECOND + since
        found = dict(self._still)
        found |= {frame.kind.name: frame for frame in self._moving(now, since)}
        return Sample(
            Instant(now, now, f"lab:{plan.name}"), found, f"lab:{plan.name}", plan.step, simulated=True
        )

    def _moving(self, now: int, since: int) -> Iterable[Frame]:
        plan = self.plan
        count_ = len(self._busids)
        zero: list[Value] = [0] * count_
        yield Frame(
            CMF,
            self._busids,
            {
                **{name: [*values] for name, values in self._cmf.items()},
                **dict.fromkeys(("cu_queue", "active_only", "busy", "initial_command", "error"), zero),
                "elapsed": [since] * count_,
                "via": ["ioctl"] * count_,
                "uid": self._still[DEVICE.name].column("uid"),
            },
            [now] * count_,
        )
        yield Frame(
            BLOCK,
            self._names,
            {**self._labels(), **{name: [*values] for name, values in self._block.items()}},
            [now] * len(self._names),
        )
        yield self._profiles(now)
        yield self._caches(now)
        yield self._cpus(now, since)
        if plan.environment == "lpar":
            yield self._channels(now, since)
            yield self._partition_cpus(now, since)

    def _profiles(self, now: int) -> Frame:
        rows = len(self._profiled)
        sectors = [
            read + written
            for read, written in zip(self._block["sectors_read"], self._block["sectors_written"], strict=True)
        ]
        moved = [sum(sectors), *sectors][:rows]
        requests = [sum(self._histograms[name][row] for name in buckets("time")) for row in range(rows)]
        columns: dict[str, list[Value]] = {
            "start": [str(self.plan.begin)] * rows,
            "scale": [1] * rows,
            "via": ["debugfs"] * rows,
            "requests": list(requests),
            "sectors": list(moved),
            **{name: list(values) for name, values in self._histograms.items()},
        }
        return Frame(PROFILE, self._profiled, columns, [now] * rows)

    def _labels(self) -> Mapping[str, list[Value]]:
        disks = len(self._names)
        none: list[Value] = [0] * disks
        return {
            "number": [f"{MAJOR}:{place * MINORS}" for place in range(disks)],
            "busid": list(self._busids[:disks]),
            "size": [size_of(volume.cylinders) // 512 for volume in self.plan.box.volumes],
            "nr_requests": [64] * disks,
            "block_size": [4096] * disks,
            **dict.fromkeys(("reads_merged", "writes_merged"), none),
        }

    def _caches(self, now: int) -> Frame:
        disks = len(self._names)
        columns: dict[str, list[Value]] = {name: list(values) for name, values in self._cache.items()}
        columns |= {
            "uid": self._still[DEVICE.name].column("uid")[:disks],
            "caching": ["active"] * disks,
            "fast_write": ["active"] * disks,
            "staged": [
                reads - hits
                for reads, hits in zip(self._cache["reads"], self._cache["read_hits"], strict=True)
            ],
            "dfw_normal": list(self._cache["writes"]),
        }
        return Frame(CACHE, self._busids[:disks], columns, [now] * disks)

    def _cpus(self, now: int, since: int) -> Frame:
        cpus = self.plan.box.cpus
        each = self._computed // cpus
        parts = {name: int(each * part) for name, part in _SPLIT}
        columns: dict[str, list[Value]] = {name: [used] * cpus for name, used in parts.items()}
        columns["idle"] = [since - sum(parts.values())] * cpus
        for name in ("nice", "iowait", "irq", "steal", "guest", "guest_nice"):
            columns[name] = [0] * cpus
        columns["online"] = [1] * cpus
        return Frame(CPU, [str(cpu) for cpu in range(cpus)], columns, [now] * cpus)

    def _channels(self, now: int, since: int) -> Frame:
        """Return the channel paths: ESCON counts its busy time, FICON work units against a maximum."""
        paths = self.plan.box.paths
        keys = [f"0.{paths[group].chpids[path]}" for group, path in self._paths]
        codes = [paths[group].code for group, _path in self._paths]
        timed = [code == ESCON for code in codes]
        busy = list(self._carried.values())
        ticks: list[Value] = [
            ns // TICK if is_timed else OF_FICON for ns, is_timed in zip(busy, timed, strict=True)
        ]
        units: list[Value] = [
            OF_ESCON if is_timed else ns // UNIT for ns, is_timed in zip(busy, timed, strict=True)
        ]
        many = len(keys)
        columns: dict[str, list[Value]] = {
            "type": list(codes),
            "cmg": [1 if is_timed else 2 for is_timed in timed],
            "status": ["online"] * many,
            "configure": [1] * many,
            "shared": [0] * many,
            "timestamp": [since // TICK % (1 << 24)] * many,
            "max_work_units": [OF_ESCON if is_timed else SECOND // UNIT for is_timed in timed],
            **dict.fromkeys(("busy", "busy_cpc"), ticks),
            **dict.fromkeys(("work_units", "work_units_cpc"), units),
        }
        return Frame(CHANNEL, keys, columns, [now] * many)

    def _partition_cpus(self, now: int, since: int) -> Frame:
        cpus = self.plan.box.cpus
        used = self._computed // cpus // 1000
        rows = [f"{PARTITION}/{cpu}" for cpu in range(cpus)]
        columns: dict[str, list[Value]] = {
            "type": ["IFL"] * cpus,
            "lpar": [PARTITION] * cpus,
            "cpu": [str(cpu) for cpu in range(cpus)],
            **{name: [1] * cpus for name in ("online",)},
            **{name: [0] * cpus for name in ("capped", "dedicated", "mt_idle")},
            **{name: [100] * cpus for name in ("weight_initial", "weight")},
            "accumulated": [used] * cpus,
            "dispatched": [used] * cpus,
            "wait": [self._idle // 1000] * cpus,
            "online_time": [since // 1000] * cpus,
            "clock": [since // 1000] * cpus,
        }
        return Frame(LPAR_CPU, rows, columns, [now] * cpus)


_MS: Final = {"read": "read_ms", "write": "write_ms", "busy": "io_ms", "weighted": "weighted_ms"}
