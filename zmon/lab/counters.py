"""What a kernel would show of a simulated machine: raw counters and labels, as frames of a sample.

Labels are made once; counters only grow.  Nothing is rounded but to the units in which the kernel counts.
"""

from __future__ import annotations

from bisect import bisect
from itertools import compress, count, islice
from operator import sub
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.clock import MILLISECOND, SECOND
from zmon.base.sizes import SECTOR
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
    NO_BLOCK_OF_ALIAS,
    NOT_MEASURED,
    PHYSICAL_CPU,
    PROFILE,
    SETTING,
    SWAP,
    buckets,
)
from zmon.lab.guest_counters import GuestCounters
from zmon.lab.lab_settings import settings_frame
from zmon.lab.logical_frames import LogicalVolumes
from zmon.lab.scsi_frames import DM, ScsiDisks, is_scsi, joined
from zmon.lab.unit_frames import NOT_SIMULATED, SimulatedUnits
from zmon.sample import Frame, Instant, Sample, empty_frame
from zmon.topology.claims import Claim, claims_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.lab.model import PathGroup, Scenario
    from zmon.lab.simulation import IntervalCounts, VolumeCounts
    from zmon.sample import Kind

TRACKS: Final = 15
TRACK: Final = 12 * 4096
MAJOR: Final = 94
MINORS: Final = 4
PARTITION: Final = "LAB"
"""Name of the logical partition."""

TICK: Final = 128_000
"""ns of a tick of a channel path's clock."""
UNIT: Final = 1000
"""ns of work that a FICON channel counts as one unit."""
ESCON: Final = 0x05
OF_FICON: Final = absent("measurement group 2 does not have it")
OF_ESCON: Final = absent("measurement group 1 does not have it")
ALIKE: Final = -1
"""Stands for all phases that have the machine of the scenario."""
PROFILED: Final = 64
"""The most disks that have histograms of their own, beside those of all."""
_CMF: Final = ("ssch", "samples", "pending", "disconnect", "connect")
_COUNTED: Final = (
    "reads", "sectors_read", "read_ns", "writes", "sectors_written", "write_ns", "busy_ns", "weighted_ns",
    "cache_reads", "cache_hits", "cache_writes", "cache_delayed", "aliased",
)  # fmt: skip
"""What of a volume is counted, in the order of `VolumeCounts`."""
_MS: Final = {
    "read_ms": "read_ns", "write_ms": "write_ns", "io_ms": "busy_ns", "weighted_ms": "weighted_ns",
}  # fmt: skip
"""Which of these the block layer shows in ms."""
_HISTOGRAMS: Final = ("size", "time", "device", "wait", "queue")
"""What an interval counts in histograms, in its order, as `zmon.kinds.HISTOGRAMS` calls it."""
_BUCKETS: Final = tuple(map(buckets, _HISTOGRAMS))
"""The fields of each of these."""
_SPLIT: Final = (("user", 0.80), ("system", 0.15), ("softirq", 0.05))
"""How processor time is divided; the model knows it as one."""

NO_CACHE_EVENTS: Final = (
    "seq_reads", "seq_read_hits", "seq_writes", "seq_write_hits", "cfw_reads", "cfw_read_hits", "cfw_writes",
    "cfw_write_hits", "inhibited", "bypassed", "seq_staged", "dfw_sequential", "quick_promotes",
)  # fmt: skip
"""What the simulated controller never does: it takes no request for sequential."""

NO_SUCH: Final = absent("the laboratory has none")


def disk_name(place: int) -> str:
    """Return what the kernel calls its DASD number `place`: dasda ... dasdz, dasdaa ..."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"dasd{letters}"


def busid(devno: int) -> str:
    """Return the bus id of a device."""
    return f"0.0.{devno:04x}"


def size_of(cylinders: int) -> int:
    """Return the bytes that a 3390 of `cylinders` holds in blocks of 4 KiB."""
    return cylinders * TRACKS * TRACK


class Subchannel(NamedTuple):
    """A device of the simulated machine."""

    devno: int
    lcu: int
    volume: int | None
    """Whose base or alias it is; None in a pool."""


def subchannels(plan: Scenario) -> list[Subchannel]:
    """Return the devices in the order of the engine: volumes, their aliases, those in pools."""
    volumes = plan.box.volumes
    devices = [Subchannel(volume.devno, volume.lcu, place) for place, volume in enumerate(volumes)]
    taken = {volume.devno for volume in volumes}
    for place, volume in enumerate(volumes):
        devices += [Subchannel(devno, volume.lcu, place) for devno in _free(volume.devno, volume.pav, taken)]
    for place, lcu in enumerate(plan.box.lcus):
        first = next((volume.devno for volume in volumes if volume.lcu == place), 0xF000)
        devices += [Subchannel(devno, place, None) for devno in _free(first, lcu.aliases, taken)]
    return devices


def _free(near: int, wanted: int, taken: set[int]) -> list[int]:
    """Return numbers that are not taken, from the end of the LCU's hundred downwards; they are taken then."""
    downwards = (number & 0xFFFF for number in count((near & 0xFF00) | 0xFF, -1))
    free = list(islice((number for number in downwards if number not in taken), wanted))
    taken.update(free)
    return free


def _frame(
    kind: Kind,
    keys: Sequence[str],
    when: int,
    columns: Mapping[str, Value | Sequence[Value]],
    rest: Absent | None = None,
) -> Frame:
    """Return a frame of columns; a single value is that of each row.  With `rest` it has all its fields."""
    rows = len(keys)
    given: dict[str, list[Value]] = {}
    if rest is not None:
        given = {field.name: [rest] * rows for field in kind.fields}
    for name, values in columns.items():
        if isinstance(values, int | float | str | Absent):
            given[name] = [values] * rows
        else:
            given[name] = list(values)
    return Frame(kind, list(keys), given, [when] * rows)


def frames(plan: Scenario, devices: Sequence[Subchannel]) -> Iterable[Frame]:
    """Yield the frames that are the same in every sample."""
    when = plan.begin * SECOND
    volumes = plan.box.volumes
    names = [disk_name(place) for place in range(len(volumes))]
    keys = [busid(volume.devno) for volume in volumes]
    yield _machine(plan, when)
    yield _device_frame(plan, devices, names, when)
    yield _frame(DASD, keys, when, {
        "name": names,
        "discipline": "ECKD",
        "state": "active",
        "readonly": 0,
        "block_size": 4096,
        "blocks": [size_of(volume.cylinders) // 4096 for volume in volumes],
        "megabytes": [size_of(volume.cylinders) >> 20 for volume in volumes],
        "volser": [f"0X{volume.devno:04X}" for volume in volumes],
        "cylinders": [volume.cylinders for volume in volumes],
    }, NOT_SIMULATED)  # fmt: skip
    yield _frame(MEMORY, ["memory"], when, {
        "total": 4 << 30, "available": 2 << 30, "free": 1 << 30, "buffers": 64 << 20, "cached": 1 << 30,
        **dict.fromkeys(("swap_total", "swap_free", "swapped_in", "swapped_out"), 0),
    }, NOT_SIMULATED)  # fmt: skip
    yield from _files(plan, names, when)
    yield _claims(plan, when)
    if plan.environment == "lpar":
        yield _frame(LPAR, [PARTITION], when, {"number": "1", "cpus": plan.box.cpus, "own": 1}, NOT_SIMULATED)
        yield empty_frame(PHYSICAL_CPU, NOT_SIMULATED.reason)
    else:
        missing = "needs an LPAR: a guest does not see the partitions of its machine"
        yield from (empty_frame(kind, missing) for kind in (LPAR, LPAR_CPU, PHYSICAL_CPU))
        yield _paths(plan, when)


def _paths(plan: Scenario, when: int) -> Frame:
    """Return the channel paths as a guest sees them: what they are, and nothing of their load."""
    paths = [(group, path) for group in plan.box.paths for path in range(len(group.chpids))]
    return _frame(CHANNEL, [f"0.{group.chpids[path]}" for group, path in paths], when, {
        "type": [group.code for group, _path in paths],
        "status": [_status(group, path) for group, path in paths],
        "configure": 1,
        "shared": 1,
    }, NOT_MEASURED)  # fmt: skip


def _machine(plan: Scenario, when: int) -> Frame:
    cpus = ("cpus_total", "cpus_configured", "lpar_cpus", "lpar_cpus_configured")
    row: dict[str, Value] = {
        "manufacturer": "LAB",
        "type": "0000",
        "model": "SIMULATED",
        "sequence": "00000000000LAB01",
        "environment": plan.environment,
        "hostname": plan.host,
        "kernel": "simulated",
        "architecture": "s390x",
        "lpar_name": PARTITION,
        "lpar_number": 1,
        **dict.fromkeys(cpus, plan.box.cpus),
    }
    if plan.environment == "zvm":
        row |= {"guest_name": "LINDB01", "control_program": "z/VM 7.3.0"}
        row["vm_cpus_configured"] = plan.box.cpus
        if plan.zvm is not None:
            row |= dict.fromkeys(cpus, plan.zvm.cpus)
    else:
        row["cm_enable"] = 1
    return _frame(MACHINE, ["machine"], when, row, NOT_SIMULATED)


def _device_frame(plan: Scenario, devices: Sequence[Subchannel], names: Sequence[str], when: int) -> Frame:
    box = plan.box
    units: list[str] = []
    """Of each volume its number within its LCU."""
    used = dict.fromkeys(range(len(box.lcus)), 0)
    for volume in box.volumes:
        units.append(f"{used[volume.lcu] & 0xFF:02x}")
        used[volume.lcu] += 1
    lcus = [box.lcus[device.lcu] for device in devices]
    groups = [box.paths[lcu.paths] for lcu in lcus]
    installed = [_mask(range(len(group.chpids))) for group in groups]
    aliases = len(devices) - len(names)
    return _frame(DEVICE, [busid(device.devno) for device in devices], when, {
        "subchannel": [f"0.0.{place:04x}" for place in range(len(devices))],
        "chpids": [" ".join(group.chpids[:8]) for group in groups],
        **dict.fromkeys(("pim", "pam"), installed),
        "pom": [mask & ~_mask(group.lost) for mask, group in zip(installed, groups, strict=True)],
        "vpm": [_mask(group.usable) for group in groups],
        "driver": "dasd-eckd",
        "status": "online",
        "availability": "good",
        "discipline": "ECKD",
        "vendor": "IBM",
        "block": [*names, *[NO_BLOCK_OF_ALIAS] * aliases],
        "devtype": "3390/0a",
        "cutype": "3990/e9",
        "uid": [
            f"IBM.{box.serial}.{lcu.ssid.lower()}.{'xx' if device.volume is None else units[device.volume]}"
            for device, lcu in zip(devices, lcus, strict=True)
        ],
        "alias": [*[0] * len(names), *[1] * aliases],
        **dict.fromkeys(("online", "cmb_enable"), 1),
        **dict.fromkeys(("readonly", "ese", "use_diag"), 0),
        "hpf": [int(group.hpf) for group in groups],
    }, NOT_SIMULATED)  # fmt: skip


def _mask(paths: Iterable[int]) -> int:
    """Return a path mask, whose first bit is the first of at most eight paths."""
    return sum(0x80 >> path for path in paths)


def _status(group: PathGroup, path: int) -> str:
    """Return whether an administrator varied a channel path off; without a link it is still online."""
    return "offline" if path in group.offline and not is_scsi(group) else "online"


def _files(plan: Scenario, names: Sequence[str], when: int) -> Iterable[Frame]:
    """Yield what is mounted, what it lies on, and the files of tablespaces, which have a volume each."""
    layers: dict[str, dict[str, Value]] = {}
    mounts: dict[str, dict[str, Value]] = {}
    for place, (name, volume) in enumerate(zip(names, plan.box.volumes, strict=True)):
        whole, part = f"{MAJOR}:{place * MINORS}", f"{MAJOR}:{place * MINORS + 1}"
        size = size_of(volume.cylinders) // SECTOR
        layers[whole] = {
            "name": name, "sort": "disk", "busid": busid(volume.devno), "size": size, "below": "",
        }  # fmt: skip
        layers[part] = {
            "name": f"{name}1", "sort": "partition", "parent": whole, "start": 192, "size": size - 192,
            "below": "",
        }  # fmt: skip
    logical = LogicalVolumes(plan)
    layers |= logical.layers()
    numbers = [
        logical.numbers[file.logical] if file.logical >= 0 else f"{MAJOR}:{file.volume * MINORS + 1}"
        for file in plan.places
    ]
    for number, file in zip(numbers, plan.places, strict=True):
        if number not in mounts:
            source = f"/dev/{names[file.volume]}1"
            if file.logical >= 0:
                source = f"/dev/mapper/{logical.title(file.logical)}"
            mounts[number] = {
                "number": number, "root": "/", "point": file.path.rpartition("/")[0] or "/", "fstype": "ext4",
                "source": source, "options": "rw", "line": str(len(mounts) + 1),
            }  # fmt: skip
    ids = {number: str(place) for place, number in enumerate(mounts, 30)}
    yield _rows(LAYER, layers, when)
    yield _rows(
        MOUNT, {ids[number]: row for number, row in mounts.items()}, when, "the laboratory mounts nothing"
    )
    yield Frame(SWAP, [], {}, [])  # it swaps nowhere
    begins: dict[str, int] = {}
    files: dict[str, dict[str, Value]] = {}
    for number, file in zip(numbers, plan.places, strict=True):
        begin = begins.get(number, 1 << 20)
        begins[number] = begin + file.bytes
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
    columns = {name: [row.get(name, NO_SUCH) for row in rows.values()] for name in names}
    return _frame(kind, list(rows), when, columns, NOT_SIMULATED)


def _claims(plan: Scenario, when: int) -> Frame:
    if not plan.rdevs:
        return empty_frame(CLAIM, "the simulated machine has no z/VM below it")
    labels = plan.labels or [""] * len(plan.rdevs)
    claims = [
        Claim(
            vdev=f"{volume.devno:04X}", rdev=rdev, volser=label, mode="R/W", via="QUERY VIRTUAL DASD",
            origin=f"lab:{plan.name}", line=line, length=volume.cylinders,
        )
        for line, (rdev, label, volume) in enumerate(
            zip(plan.rdevs, labels, plan.box.volumes, strict=False), 1
        )
    ]  # fmt: skip
    return claims_frame(claims, when)


class KernelCounters:
    """Everything that is counted, since the scenario began or since one of its intervals."""

    def __init__(self, plan: Scenario, number: int = 0) -> None:
        """Begin at zero, with an interval of this number."""
        self.plan = plan
        self.number = number
        """So many intervals have been added."""
        devices, disks = subchannels(plan), len(plan.box.volumes)
        self._busids = [busid(device.devno) for device in devices]
        self._names = [disk_name(place) for place in range(disks)]
        self._cmf = {name: [0] * len(devices) for name in _CMF}
        self._disks = {name: [0] * disks for name in _COUNTED}
        self._in_flight = [0] * disks
        self._busy_paths = [[0] * len(paths.chpids) for paths in plan.box.paths]
        """Of each path group, the ns that each of its paths was busy."""
        self._computed = 0
        self._idle = round(number * plan.step * SECOND)
        self._guest = GuestCounters(plan)
        """What happened to Linux itself."""
        self._profiled = ["global", *(self._names if disks <= PROFILED else ())]
        self._histograms = {field: [0] * len(self._profiled) for fields in _BUCKETS for field in fields}
        self._devices = devices
        self._ends = plan.phase_ends()
        self._scsi: ScsiDisks | None = None
        """The disks behind FCP adapters, which are no DASDs."""
        if any(is_scsi(group) for group in plan.box.paths):
            lcus = {name: device.lcu for name, device in zip(self._busids, devices, strict=True)}
            self._scsi = ScsiDisks(plan, self._names, lcus)
        self._logical = LogicalVolumes(plan)
        self._units = SimulatedUnits(plan)
        self._constants: dict[int, dict[str, Frame]] = {}
        """Of each machine that a phase has, the frames that stay the same."""
        self._uids = self._constant(plan, ALIKE)[DEVICE.name].column("uid")

    def copy(self) -> KernelCounters:
        """Return the same counters, to go on from here once more."""
        other = object.__new__(KernelCounters)
        other.__dict__.update(self.__dict__)
        for name in ("_cmf", "_disks", "_histograms"):
            setattr(other, name, {key: [*values] for key, values in getattr(self, name).items()})
        other._busy_paths = [[*paths] for paths in self._busy_paths]
        other._guest = self._guest.copy()
        other._scsi = self._scsi and self._scsi.copy()
        other._logical = self._logical.copy()
        other._units = self._units.copy()
        return other

    def add(self, intervals: Iterable[IntervalCounts]) -> None:
        """Count further intervals; those that are repeated are added up once."""
        repeated: dict[int, tuple[IntervalCounts, int]] = {}
        last: IntervalCounts | None = None
        for last in intervals:
            repeated[id(last)] = last, repeated.get(id(last), (last, 0))[1] + 1
            self.number += 1
            self._computed += last.computing_ns
            # rounding must not let it fall
            since = round(self.number * self.plan.step * SECOND)
            self._idle = max(self._idle, since - self._computed // self.plan.box.cpus)
        for counts, times in repeated.values():
            self._add(counts, times)
        if last is not None:
            self._in_flight = [0] * len(self._names)
            for answered in last.answered:
                self._in_flight[answered.disk] = answered.block.in_flight
            self._guest.at_the_end_of(last.guest)

    def _add(self, counts: IntervalCounts, times: int) -> None:
        for device, starts, *spent in counts.started:
            for name, more in zip(_CMF, (starts, starts, *spent), strict=True):
                self._cmf[name][device] += more * times
        for counts_of in counts.answered:
            disk, (*block, _in_flight), *others, _histograms = counts_of
            for column, more in zip(self._disks.values(), (*block, *others), strict=True):
                column[disk] += more * times
            self._profile(counts_of, times)
        self._guest.add(counts.guest, times)
        if self._scsi is not None:
            self._scsi.add(counts.routed, times)
        self._logical.add(counts.mapped, times)
        self._units.add(counts.asked, counts.unit_ns, times)
        for carried in counts.carried:
            self._busy_paths[carried.group][carried.path] += carried.busy_ns * times

    def _profile(self, counts: VolumeCounts, times: int) -> None:
        if self._scsi is not None and counts.disk in self._scsi.groups:
            return  # the DASD driver knows nothing of it
        rows = (0, counts.disk + 1) if len(self._profiled) > 1 else (0,)
        for fields, counted in zip(_BUCKETS, counts.histograms, strict=True):
            for bucket, requests in counted:
                column = self._histograms[fields[bucket]]
                for row in rows:
                    column[row] += requests * times

    def sample(self) -> Sample:
        """Return what is read now."""
        phase = min(bisect(self._ends, max(0, self.number - 1)), len(self._ends) - 1)
        plan = self.plan.in_phase(phase)
        since = round(self.number * plan.step * SECOND)
        now = plan.begin * SECOND + since
        moving = {frame.kind.name: frame for frame in self._moving(plan, now, since)}
        if self._scsi is not None:
            moving = self._scsi.moving(moving, now, plan.box)
        if plan.box.logical:
            moving[BLOCK.name] = joined(moving[BLOCK.name], self._logical.rows(), now)
        frames = self._constant(plan, ALIKE if plan is self.plan else phase) | moving
        return Sample(
            Instant(now, now, f"lab:{plan.name}"), frames, f"lab:{plan.name}", plan.step, simulated=True
        )

    def _constant(self, plan: Scenario, machine: int) -> dict[str, Frame]:
        """Return the frames that stay the same with a machine: that of the scenario, or of a phase."""
        constant = self._constants.get(machine)
        if constant is None:
            constant = {frame.kind.name: frame for frame in frames(plan, self._devices)}
            if self._scsi is not None:
                constant = self._scsi.constant(constant, plan.box)
            constant[SETTING.name] = settings_frame(plan, constant)
            self._constants[machine] = constant
        return constant

    def _moving(self, plan: Scenario, now: int, since: int) -> Iterable[Frame]:
        disks, busids = self._disks, self._busids[: len(self._names)]
        volumes = plan.box.volumes
        yield _frame(CMF, self._busids, now, {
            **self._cmf,
            **dict.fromkeys(("cu_queue", "active_only", "busy", "initial_command", "error"), 0),
            "elapsed": since,
            "via": "ioctl",
            "uid": self._uids,
        })  # fmt: skip
        yield _frame(BLOCK, self._names, now, {
            "number": [f"{MAJOR}:{place * MINORS}" for place in range(len(volumes))],
            "busid": busids,
            "size": [size_of(volume.cylinders) // SECTOR for volume in volumes],
            "nr_requests": 64,
            "block_size": 4096,
            **dict.fromkeys(("reads_merged", "writes_merged"), 0),
            **{name: disks[name] for name in ("reads", "sectors_read", "writes", "sectors_written")},
            **{name: [ns // MILLISECOND for ns in disks[spent]] for name, spent in _MS.items()},
            "in_flight": self._in_flight,
        })  # fmt: skip
        yield self._profiles(now)
        yield _frame(CACHE, busids, now, {
            "reads": disks["cache_reads"],
            "read_hits": disks["cache_hits"],
            **dict.fromkeys(("writes", "write_hits", "dfw_normal"), disks["cache_writes"]),
            "uid": self._uids[: len(busids)],
            "ssid": [plan.box.lcus[volume.lcu].ssid.lower() for volume in volumes],
            **dict.fromkeys(("caching", "fast_write"), "active"),
            "duplex": "simplex",
            "device_status": "0000",
            "unit_address": [uid.rpartition(".")[2] for uid in map(str, self._uids[: len(busids)])],
            "staged": list(map(sub, disks["cache_reads"], disks["cache_hits"])),
            "destaged": disks["cache_writes"],
            "dfw_delayed": disks["cache_delayed"],
            **dict.fromkeys(NO_CACHE_EVENTS, 0),
        })  # fmt: skip
        yield self._cpus(now, since)
        yield from self._units.frames(now, self._number_of)
        yield from self._guest.frames(plan, now, self._names[0 if plan.memory is None else plan.memory.swap])
        if plan.environment == "lpar":
            yield self._channels(plan.box.paths, now, since)
            yield self._partition_cpus(now, since)

    def _number_of(self, disk: int) -> str:
        """Return the number of a disk's block device; of a logical volume for a number below 0."""
        if disk < 0:
            return self._logical.numbers[-1 - disk]
        if self._scsi is not None and disk in self._scsi.groups:
            return f"{DM}:{self._scsi.places.index(disk)}"
        return f"{MAJOR}:{disk * MINORS}"

    def _profiles(self, now: int) -> Frame:
        disks, rows = self._disks, len(self._profiled)
        scsi = () if self._scsi is None else self._scsi.groups
        own = [place not in scsi for place in range(len(self._names))]
        box = self.plan.box
        transport = [box.paths[box.lcus[volume.lcu].paths].hpf for volume in box.volumes]

        def shown(*columns: str, of: Sequence[bool] = own) -> list[int]:
            """Return counters of all DASDs, and of each that has a row."""
            shown_rows = [
                sum(values) if counts else 0
                for counts, *values in zip(of, *(disks[name] for name in columns), strict=True)
            ]
            return [sum(compress(shown_rows, own)), *shown_rows][:rows]

        return _frame(PROFILE, self._profiled, now, {
            "start": str(self.plan.begin),
            "scale": 1,
            "via": "debugfs",
            "requests": [*map(sum, zip(*map(self._histograms.__getitem__, buckets("time")), strict=True))],
            "read_requests": shown("reads"),
            "sectors": shown("sectors_read", "sectors_written"),
            "read_sectors": shown("sectors_read"),
            "pav": shown("aliased"),
            "hpf": shown("reads", "writes", of=transport),
            **self._histograms,
        })  # fmt: skip

    def _cpus(self, now: int, since: int) -> Frame:
        cpus = self.plan.box.cpus
        parts = {name: int(self._computed // cpus * part) for name, part in _SPLIT}
        lost = self._guest.sum
        parts |= {"steal": lost.steal_ns // cpus, "iowait": lost.iowait_ns // cpus}
        # idle may be hardly any, and must not fall by what parts are rounded by
        idle = (cpus * since - self._computed - lost.steal_ns - lost.iowait_ns) // cpus
        parts |= {"idle": idle, "user": parts["user"] + since - sum(parts.values()) - idle}
        return _frame(CPU, [str(cpu) for cpu in range(cpus)], now, {
            **parts,
            **dict.fromkeys(("nice", "irq", "guest", "guest_nice"), 0),
            "online": 1,
        })  # fmt: skip

    def _channels(self, groups: Sequence[PathGroup], now: int, since: int) -> Frame:
        """Return the channel paths: ESCON counts its busy time, FICON work units against a maximum."""
        paths = [
            (f"0.{chpid}", group.code, busy)
            for group, spent in zip(groups, self._busy_paths, strict=True)
            for chpid, busy in zip(group.chpids, spent, strict=True)
        ]
        ticks = [busy // TICK if code == ESCON else OF_FICON for _key, code, busy in paths]
        units = [OF_ESCON if code == ESCON else busy // UNIT for _key, code, busy in paths]
        return _frame(CHANNEL, [key for key, _code, _busy in paths], now, {
            "type": [code for _key, code, _busy in paths],
            "cmg": [1 if code == ESCON else 2 for _key, code, _busy in paths],
            "status": [_status(group, path) for group in groups for path in range(len(group.chpids))],
            "configure": 1,
            "shared": 0,
            "timestamp": since // TICK % (1 << 24),
            "max_work_units": [OF_ESCON if code == ESCON else SECOND // UNIT for _key, code, _busy in paths],
            **dict.fromkeys(("busy", "busy_cpc"), ticks),
            **dict.fromkeys(("work_units", "work_units_cpc"), units),
        })  # fmt: skip

    def _partition_cpus(self, now: int, since: int) -> Frame:
        cpus = range(self.plan.box.cpus)
        return _frame(LPAR_CPU, [f"{PARTITION}/{cpu}" for cpu in cpus], now, {
            "type": "IFL",
            "lpar": PARTITION,
            "cpu": [str(cpu) for cpu in cpus],
            "online": 1,
            **dict.fromkeys(("capped", "dedicated", "mt_idle"), 0),
            **dict.fromkeys(("weight_initial", "weight"), 100),
            **dict.fromkeys(("accumulated", "dispatched"), self._computed // len(cpus) // 1000),
            "wait": self._idle // 1000,
            **dict.fromkeys(("online_time", "clock"), since // 1000),
        })  # fmt: skip
