"""What a kernel would show of a simulated machine: raw counters and labels, as frames of a sample.

Labels are made once; counters only grow.  Nothing is rounded but to the units in which the kernel counts.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kinds import (
    BLOCK,
    CACHE,
    CHANNEL,
    CLAIM,
    CMF,
    CONTAINER,
    CPU,
    DASD,
    DEVICE,
    LAYER,
    LPAR,
    LPAR_CPU,
    MACHINE,
    MEMORY,
    MOUNT,
    PHYSICAL_CPU,
    PROFILE,
    SWAP,
    buckets,
)
from zmon.sample import Frame, Instant, Sample, empty_frame
from zmon.topology.claims import Claim, claims_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Value
    from zmon.lab.model import Scenario
    from zmon.lab.simulation import IntervalCounts, VolumeCounts
    from zmon.sample import Kind

TRACKS: Final = 15
TRACK: Final = 12 * 4096
MAJOR: Final = 94
MINORS: Final = 4
PARTITION: Final = "LAB"
"""Name of the logical partition."""

NO_SUCH: Final = absent("the laboratory has none")
NOT_MEASURED: Final = absent("channel load is measured in an LPAR only")
NOT_SIMULATED: Final = absent("the laboratory does not simulate it")


def disk_name(place: int) -> str:
    """Return what the kernel calls its DASD number `place`: dasda ... dasdz, dasdaa ..."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"dasd{letters}"


def size_of(cylinders: int) -> int:
    """Return the bytes that a 3390 with so many cylinders holds in blocks of 4 KiB."""
    return cylinders * TRACKS * TRACK


def numbers(plan: Scenario) -> list[int]:
    """Return the device numbers: of the volumes, of their aliases, of those in pools."""
    found = [volume.devno for volume in plan.box.volumes]
    taken = set(found)
    for volume in plan.box.volumes:
        found += _free(volume.devno, volume.pav, taken)
    for place, lcu in enumerate(plan.box.lcus):
        first = next((volume.devno for volume in plan.box.volumes if volume.lcu == place), 0xF000)
        found += _free(first, lcu.aliases, taken)
    return found


def _free(near: int, wanted: int, taken: set[int]) -> list[int]:
    """Return numbers that nobody has, from the end of the LCU's hundred downwards."""
    ahead = (number & 0xFFFF for number in count((near & 0xFF00) | 0xFF, -1))
    found: list[int] = []
    while len(found) < wanted:
        number = next(ahead)
        if number not in taken:
            taken.add(number)
            found.append(number)
    return found


def _owners(plan: Scenario) -> list[tuple[int, int | None]]:
    """Return for each device its control unit, and the volume that it belongs to; None in a pool."""
    volumes = plan.box.volumes
    owners: list[tuple[int, int | None]] = [(volume.lcu, place) for place, volume in enumerate(volumes)]
    for place, volume in enumerate(volumes):
        owners += [(volume.lcu, place)] * volume.pav
    for place, lcu in enumerate(plan.box.lcus):
        owners += [(place, None)] * lcu.aliases
    return owners


def frames(plan: Scenario, busids: Sequence[str], names: Sequence[str]) -> Iterable[Frame]:
    """Yield the frames that are the same in every sample."""
    when = plan.begin * 1_000_000_000
    yield _machine(plan, when)
    yield _device_frame(plan, busids, names, when)
    disks = len(names)
    keys = list(busids[:disks])
    yield _frame(
        DASD,
        keys,
        {
            "name": list(names),
            "discipline": ["ECKD"] * disks,
            "state": ["active"] * disks,
            "readonly": [0] * disks,
            "block_size": [4096] * disks,
            "blocks": [size_of(volume.cylinders) // 4096 for volume in plan.box.volumes],
            "megabytes": [size_of(volume.cylinders) >> 20 for volume in plan.box.volumes],
            "volser": [f"0X{busid[-4:].upper()}" for busid in keys],
            "cylinders": [volume.cylinders for volume in plan.box.volumes],
        },
        when,
    )
    yield _frame(
        MEMORY,
        ["memory"],
        {"total": [4 << 30], "available": [2 << 30], "free": [1 << 30], "buffers": [64 << 20],
         "cached": [1 << 30], "swap_total": [0], "swap_free": [0], "swapped_in": [0], "swapped_out": [0]},
        when,
    )  # fmt: skip
    yield from _files(plan, names, when)
    yield _claims(plan, busids, when)
    if plan.environment == "lpar":
        yield _frame(LPAR, [PARTITION], {"number": ["1"], "cpus": [plan.box.cpus], "own": [1]}, when)
        yield empty_frame(PHYSICAL_CPU, NOT_SIMULATED.reason)
    else:
        missing = "needs an LPAR: a guest does not see the partitions of its machine"
        yield from (empty_frame(kind, missing) for kind in (LPAR, LPAR_CPU, PHYSICAL_CPU))
        yield _paths(plan, when)


def _paths(plan: Scenario, when: int) -> Frame:
    """Return the channel paths as a guest sees them: what they are, and nothing of their load."""
    chpids = {chpid: group for group in plan.box.paths for chpid in group.chpids}
    columns: dict[str, list[Value]] = {field.name: [NOT_MEASURED] * len(chpids) for field in CHANNEL.fields}
    columns |= {
        "type": [group.code for group in chpids.values()],
        "status": ["online"] * len(chpids),
        "configure": [1] * len(chpids),
        "shared": [1] * len(chpids),
    }
    return Frame(CHANNEL, [f"0.{chpid}" for chpid in chpids], columns, [when] * len(chpids))


def _frame(kind: Kind, keys: list[str], columns: Mapping[str, Sequence[Value]], when: int) -> Frame:
    """Return a frame; what the laboratory does not have is absent."""
    none: list[Value] = [NOT_SIMULATED] * len(keys)
    given = {name: list(values) for name, values in columns.items()}
    return Frame(
        kind, keys, {field.name: given.get(field.name, none) for field in kind.fields}, [when] * len(keys)
    )


def _machine(plan: Scenario, when: int) -> Frame:
    guest = plan.environment == "zvm"
    row: dict[str, Sequence[Value]] = {
        "manufacturer": ["LAB"],
        "type": ["0000"],
        "model": ["SIMULATED"],
        "sequence": ["00000000000LAB01"],
        "environment": [plan.environment],
        "hostname": [plan.host],
        "kernel": ["simulated"],
        "architecture": ["s390x"],
        "lpar_name": [PARTITION],
        "lpar_number": [1],
        "cpus_total": [plan.box.cpus],
        "cpus_configured": [plan.box.cpus],
        "lpar_cpus": [plan.box.cpus],
        "lpar_cpus_configured": [plan.box.cpus],
    }
    if guest:
        row |= {"guest_name": ["LINDB01"], "control_program": ["z/VM 7.3.0"]}
    else:
        row |= {"cm_enable": [1]}
    return _frame(MACHINE, ["machine"], row, when)


def _device_frame(plan: Scenario, busids: Sequence[str], names: Sequence[str], when: int) -> Frame:
    box = plan.box
    seats: dict[int, int] = {}
    units = []
    for volume in box.volumes:
        seats[volume.lcu] = seats.get(volume.lcu, -1) + 1
        units.append(seats[volume.lcu])
    uids, aliases, chpids, masks = [], [], [], []
    for place, (lcu, owner) in enumerate(_owners(plan)):
        unit = "xx" if owner is None else f"{units[owner] & 0xFF:02x}"
        uids.append(f"IBM.{box.serial}.{box.lcus[lcu].ssid.lower()}.{unit}")
        aliases.append(int(place >= len(names)))
        paths = box.paths[box.lcus[lcu].paths].chpids[:8]
        chpids.append(" ".join(paths))
        masks.append(0xFF00 >> len(paths) & 0xFF)
    total = len(busids)
    no_block = absent("an alias has no block device")
    columns: dict[str, Sequence[Value]] = {
        "subchannel": [f"0.0.{place:04x}" for place in range(total)],
        "chpids": chpids,
        **dict.fromkeys(("pim", "pam", "pom", "vpm"), masks),
        "driver": ["dasd-eckd"] * total,
        "status": ["online"] * total,
        "availability": ["good"] * total,
        "discipline": ["ECKD"] * total,
        "vendor": ["IBM"] * total,
        "block": [*names, *[no_block] * (total - len(names))],
        "devtype": ["3390/0a"] * total,
        "cutype": ["3990/e9"] * total,
        "uid": uids,
        "alias": aliases,
        **{name: [1] * total for name in ("online", "cmb_enable")},
        **{name: [0] * total for name in ("readonly", "hpf", "ese", "use_diag")},
    }
    return _frame(DEVICE, list(busids), columns, when)


def _files(plan: Scenario, names: Sequence[str], when: int) -> Iterable[Frame]:
    """Yield what is mounted, what it lies on, and the files of tablespaces, which have a volume each."""
    layers: dict[str, dict[str, Value]] = {}
    mounts: dict[str, dict[str, Value]] = {}
    for place, (name, volume) in enumerate(zip(names, plan.box.volumes, strict=True)):
        whole, part = f"{MAJOR}:{place * MINORS}", f"{MAJOR}:{place * MINORS + 1}"
        size = size_of(volume.cylinders) // 512
        layers[whole] = {
            "name": name,
            "sort": "disk",
            "busid": f"0.0.{volume.devno:04x}",
            "size": size,
            "below": "",
        }
        layers[part] = {
            "name": f"{name}1", "sort": "partition", "parent": whole, "start": 192, "size": size - 192,
            "below": "",
        }  # fmt: skip
    for file in plan.places:
        number = f"{MAJOR}:{file.volume * MINORS + 1}"
        if number not in mounts:
            mounts[number] = {
                "number": number, "root": "/", "point": file.path.rpartition("/")[0] or "/", "fstype": "ext4",
                "source": f"/dev/{names[file.volume]}1", "options": "rw", "line": str(len(mounts) + 1),
            }  # fmt: skip
    ids = {number: str(place) for place, number in enumerate(mounts, 30)}
    yield _rows(LAYER, layers, when)
    yield _rows(
        MOUNT, {ids[number]: row for number, row in mounts.items()}, when, "the laboratory mounts nothing"
    )
    yield Frame(SWAP, [], {}, [])  # it swaps nowhere
    begins: dict[int, int] = {}
    files: dict[str, dict[str, Value]] = {}
    for file in plan.places:
        begin = begins.get(file.volume, 1 << 20)
        begins[file.volume] = begin + file.bytes
        number = f"{MAJOR}:{file.volume * MINORS + 1}"
        files[file.path] = {
            "database": file.database, "tablespace": file.tablespace, "role": file.role,
            "listed": f"lab:{plan.name}", "real": file.path, "number": number, "mount": ids[number],
            "ranges": f"{begin:x}+{file.bytes:x}" if file.bytes else "",
            "said": f"lab:{plan.name}: one extent",
            "size": file.bytes, "declared": file.bytes,
            **dict.fromkeys(("unplaced", "unwritten", "shared", "encoded"), 0),
        }  # fmt: skip
    yield _rows(CONTAINER, files, when, "the scenario has no tablespaces")


def _rows(kind: Kind, rows: Mapping[str, Mapping[str, Value]], when: int, missing: str = "") -> Frame:
    if not rows:
        return empty_frame(kind, missing)
    names = {name for row in rows.values() for name in row}
    return _frame(
        kind,
        list(rows),
        {name: [row.get(name, NO_SUCH) for row in rows.values()] for name in names},
        when,
    )


def _claims(plan: Scenario, busids: Sequence[str], when: int) -> Frame:
    if not plan.rdevs:
        return empty_frame(CLAIM, "the simulated machine has no z/VM below it")
    return claims_frame(
        [
            Claim(
                vdev=busid[-4:].upper(), rdev=rdev, volser=label, mode="R/W", via="QUERY VIRTUAL DASD",
                origin=f"lab:{plan.name}", line=line, length=volume.cylinders,
            )
            for line, (busid, rdev, label, volume) in enumerate(
                zip(
                    busids, plan.rdevs, plan.labels or [""] * len(plan.rdevs), plan.box.volumes, strict=False
                ), 1
            )
        ],
        when,
    )  # fmt: skip


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


class KernelCounters:
    """Everything that is counted, since the scenario began."""

    def __init__(self, plan: Scenario) -> None:
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

    def copy(self) -> KernelCounters:
        """Return the same counters, to go on from here once more."""
        other = object.__new__(KernelCounters)
        other.__dict__.update(self.__dict__)
        other._histograms = {name: [*values] for name, values in self._histograms.items()}
        for name in ("_cmf", "_block", "_times", "_cache"):
            setattr(other, name, {key: [*values] for key, values in getattr(self, name).items()})
        other._carried = dict(self._carried)
        return other

    def add(self, slice_: IntervalCounts) -> None:
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

    def _profile(self, one: VolumeCounts) -> None:
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
