"""The machine of a scenario file: paths, LCUs, volumes, memory, z/VM.

A phase may change a machine, key by key, but not what it is made of.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zmon.base.toml import TomlDocument
from zmon.lab.model import (
    ControlProgram,
    GuestMemory,
    LogicalVolume,
    PathGroup,
    SimulatedLcu,
    SimulatedVolume,
    StorageBox,
)
from zmon.lab.scsi_frames import is_scsi

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.base.toml import Keys, TomlTable

MS: Final = 1000.0
NUMBERS: Final = re.compile(r"([0-9A-Fa-f]{4})(?:-([0-9A-Fa-f]{4}))?")
"""A device number, or a range of them."""
CHANGES: Final = {
    "paths": ("lost", "offline", "slow", "mb_s", "overhead_ms"),
    "lcus": ("mirror_ms", "mb_s", "latency_ms", "overhead_ms", "miss_ms", "nvs"),
    "volumes": ("hung",),
    "lvs": ("depth", "suspended"),
    "memory": ("mb", "used_mb", "hits"),
    "zvm": ("cpus", "resident", "page_ms"),
}
"""What a phase may change: the tables of a machine, and their keys."""
SINGLE: Final = ("memory", "zvm")
"""Those that are one table, and not one for each part."""
_CHANNELS: Final = {"FICON": 0x1B, "ESCON": 0x05, "FCP": 0x25}
"""The numbers by which the kernel shows types of channel paths."""
MOST_PATHS: Final = {"FICON": 8, "ESCON": 8, "FCP": 32}
"""A subchannel has at most 8 paths; multipath has one for each adapter and port of the storage."""
PAGE: Final = 4096
CYLINDER: Final = 15 * 12 * PAGE
SMALLEST: Final = 4096
"""Bytes of the smallest stripe that LVM makes."""
_LOGICAL: Final = re.compile(r"[A-Za-z0-9_]{1,30}", re.ASCII)
_CHPID: Final = re.compile(r"[0-9a-f]{2}")
_SSID: Final = re.compile(r"[0-9A-Fa-f]{4}")


def merged(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return tables of which the later ones replace keys of the former; `false` takes one away."""
    whole = dict(before)
    for name, value in after.items():
        older = whole.get(name)
        if value is False:
            whole.pop(name, None)
        elif isinstance(value, dict) and isinstance(older, dict):
            whole[name] = {key: item for key, item in (older | value).items() if item is not False}
        else:
            whole[name] = value
    return whole


class PhaseDocument(TomlDocument):
    """A scenario as it is in a phase that changes its machine."""

    def __init__(self, top: TomlTable, phase: TomlTable) -> None:
        """Lay the changes of a phase over the machine.

        Raises:
            ValueError: the phase changes what the machine does not have, or what stays the same.
        """
        self.error = top.document.error
        self.phase = phase
        self.data = dict(top.data)
        for key, names in CHANGES.items():
            if key not in phase:
                continue
            before: dict[str, Any] = self.data.get(key, {})
            if key in SINGLE:
                phase.table(key).only(*names)
                if not before:
                    raise phase.wrong(key, f"is not in this machine; begin it with [{key}]")
                self.data[key] = before | phase.data[key]
                continue
            for name, entry in phase.tables(key):
                entry.only(*names)
                if name not in before:
                    raise entry.wrong("", f"is none of this machine; there are {', '.join(before)}")
            self.data[key] = merged(before, phase.data[key])

    def place(self, keys: Keys) -> str:
        """Return where an entry is written: in the phase, or else in the scenario."""
        inner: Any = self.phase.data
        for key in keys:
            if not isinstance(inner, dict) or key not in inner:
                return self.phase.document.place(keys)
            inner = inner[key]
        return self.phase.document.place((*self.phase.keys, *keys))


class MachineReader:
    """A machine while it is read."""

    def __init__(self, top: TomlTable) -> None:
        """Read its tables.

        Raises:
            ValueError: it cannot be used; says which file, line and key.
        """
        self.top = top
        self.paths: list[PathGroup] = []
        self.cpu: list[float] = []
        """Of each group, the processor time that Linux needs for a request, and its part of a switch."""
        self.lcus: list[SimulatedLcu] = []
        self.volumes: list[SimulatedVolume] = []
        self.labels: list[str] = []
        self.rdevs: list[str] = []
        self.mounts: list[str] = []
        self.named: dict[str, list[int]] = {}
        """The volumes by their number, range or LCU."""
        self.logical: list[LogicalVolume] = []
        self.logical_mounts: list[str] = []
        for key, reader in (("paths", self._paths), ("lcus", self._lcu), ("volumes", self._volume)):
            for called, entry in top.tables(key):
                reader(called, entry)
            if key not in top or not top.data[key]:
                raise top.wrong(key, "is empty; a machine needs at least one")
        for called, entry in top.tables("lvs", {}):
            self._logical(called, entry)
        self.environment = top.one_of("environment", ("lpar", "zvm"), "lpar")
        if self.environment == "lpar" and any(self.rdevs):
            raise top.wrong("environment", "a volume has a rdev, which only a guest has: say 'zvm'")
        cpus = top.whole("cpus", 2, 1, 512)
        parts = tuple(self.paths), tuple(self.lcus), tuple(self.volumes)
        self.box = StorageBox(*parts, cpus, self._serial(), tuple(self.logical))
        self.memory = self._memory(top.table("memory")) if "memory" in top else None
        self.zvm = self._below(top.table("zvm")) if "zvm" in top else None

    def in_phase(self, phase: TomlTable) -> MachineReader:
        """Return the machine as it is in a phase.

        Raises:
            ValueError: the phase cannot change it so.
        """
        return MachineReader(PhaseDocument(self.top, phase).top())

    def _serial(self) -> str:
        said = self.top.text("serial", "7500000000LAB1")
        if not re.fullmatch(r"[0-9A-Z]{1,14}", said, re.ASCII):
            raise self.top.wrong("serial", f"is up to 14 digits and capital letters, not {said!r:.60}")
        return said

    def _paths(self, name: str, entry: TomlTable) -> None:
        entry.only("chpids", "type", "mb_s", "overhead_ms", "policy", "turn", "switch_cpu_ms", "cpu_ms",
                   "command_ms", "command_kb", "hpf", "depth", "retry_cpu_ms", "ports", "lost", "offline",
                   "slow")  # fmt: skip
        chpids = entry.words("chpids")
        taken = {chpid for group in self.paths for chpid in group.chpids}
        for chpid in chpids:
            if not _CHPID.fullmatch(chpid):
                raise entry.wrong(
                    "chpids", f"has two hex digits in small letters for each path, not {chpid!r}"
                )
            if chpid in taken or chpids.count(chpid) > 1:
                raise entry.wrong("chpids", f"{chpid} is there twice; a path belongs to one group")
        kind = entry.one_of("type", tuple(_CHANNELS), "FICON")
        most = MOST_PATHS[kind]
        ports = entry.whole("ports", 1, 1, most)
        if ports > 1 and kind != "FCP":
            raise entry.wrong("ports", f"goes with type = 'FCP', not with {kind!r}")
        if not 1 <= len(chpids) * ports <= most:
            raise entry.wrong(
                "chpids", f"has 1 to {most} paths, not {len(chpids)}; give others to another group"
            )
        policies = ("any", "failover", "multibus") if kind != "FCP" else ("multibus", "failover")
        policy = entry.one_of("policy", policies, policies[0])
        for key in ("turn", "switch_cpu_ms"):
            if key in entry and policy != "multibus":
                raise entry.wrong(key, f"goes with policy = 'multibus', not with {policy!r}")
        turn = entry.whole("turn", 1, 1)
        switch = entry.number("switch_cpu_ms", 0.0, 0.0, 1000.0) / turn
        self.cpu.append((entry.number("cpu_ms", 0.0, 0.0, 1000.0) + switch) * MS)
        lost, offline = (
            tuple(map(chpids.index, self._some(entry, key, chpids))) for key in ("lost", "offline")
        )
        if len({*lost, *offline}) == len(chpids):
            raise entry.wrong("lost" if lost else "offline", "leaves no path; requests need one")
        self.paths.append(
            PathGroup(
                name,
                tuple(chpids),
                entry.number("mb_s", None, 0.001, 1e6),
                entry.number("overhead_ms", 0.0, 0.0, 1000.0) * MS,
                policy,
                turn,
                code=_CHANNELS[kind],
                command=entry.number("command_ms", 0.0, 0.0, 1000.0) * MS,
                record=round(entry.number("command_kb", 4.0, 0.5, 1024.0) * 1024),
                hpf=entry.flag("hpf"),
                depth=entry.whole("depth", 1 << 30, 1, 1 << 30),
                retry=entry.number("retry_cpu_ms", 0.0, 0.0, 1000.0) * MS,
                ports=ports,
                lost=lost,
                offline=offline,
                slow=self._slow(entry, chpids),
            )
        )

    def _some(self, entry: TomlTable, key: str, chpids: Sequence[str]) -> Iterator[str]:
        """Yield paths of a group that a list names."""
        for chpid in dict.fromkeys(entry.words(key, [])):
            if chpid not in chpids:
                raise entry.wrong(key, f"{chpid!r:.60} is none of the group; there are {', '.join(chpids)}")
            yield chpid

    def _slow(self, entry: TomlTable, chpids: Sequence[str]) -> tuple[float, ...]:
        """Return how many times as long requests take over each path; nothing if all are alike."""
        if "slow" not in entry:
            return ()
        slow = entry.table("slow")
        slow.only(*chpids)
        return tuple(slow.number(chpid, 1.0, 1.0, 1000.0) for chpid in chpids)

    def _lcu(self, name: str, entry: TomlTable) -> None:
        entry.only(
            "ssid", "paths", "mb_s", "latency_ms", "overhead_ms", "ranks", "miss_ms", "penalty", "aliases",
            "knee", "pressure", "side", "placed", "nvs", "array_mb_s", "mirror_ms",
        )  # fmt: skip
        ssid = entry.text("ssid")
        if not _SSID.fullmatch(ssid) or any(lcu.ssid == ssid.upper() for lcu in self.lcus):
            raise entry.wrong("ssid", f"is four hex digits that no other LCU has, not {ssid!r:.60}")
        groups = [group.name for group in self.paths]
        self.lcus.append(
            SimulatedLcu(
                name,
                ssid.upper(),
                groups.index(entry.one_of("paths", tuple(groups))),
                entry.number("mb_s", 0.0, 0.0, 1e6),
                entry.number("latency_ms", 0.15, 0.0, 1000.0) * MS,
                entry.number("overhead_ms", 0.0, 0.0, 1000.0) * MS,
                entry.whole("ranks", 1, 1, 10_000),
                entry.number("miss_ms", 0.0, 0.0, 1000.0) * MS,
                entry.number("penalty", 1.0, 1.0, 100.0),
                entry.whole("aliases", 0, 0, 255),
                entry.whole("knee", 1 << 30, 0, 1 << 30),
                entry.number("pressure", 0.0, 0.0, 100.0),
                entry.text("side", ""),
                entry.flag("placed"),
                entry.whole("nvs", 1 << 30, 0, 1 << 30),
                entry.number("array_mb_s", 0.0, 0.0, 1e6),
                entry.number("mirror_ms", 0.0, 0.0, 1000.0) * MS,
            )
        )

    def _volume(self, name: str, entry: TomlTable) -> None:
        entry.only("lcu", "label", "rdev", "cylinders", "pav", "mount", "turn", "hung")
        lcus = [lcu.name for lcu in self.lcus]
        lcu = lcus.index(entry.one_of("lcu", tuple(lcus)))
        numbers = range_of(name)
        if not numbers:
            raise entry.wrong("", "is a device number or a range of them: 043A, 7600-767F")
        if len(numbers) > 1 and any(key in entry for key in ("label", "rdev", "mount")):
            raise entry.wrong("", "is a range; label, rdev and mount go with one volume")
        rdev = entry.text("rdev", "").upper()
        if rdev and not _SSID.fullmatch(rdev):
            raise entry.wrong("rdev", f"is four hex digits, not {rdev!r:.60}")
        if rdev and rdev in self.rdevs:
            raise entry.wrong("rdev", f"{rdev} is there twice")
        taken = {volume.devno for volume in self.volumes}
        for devno in numbers:
            if devno in taken:
                raise entry.wrong("", f"device number {devno:04X} is there twice")
            place = len(self.volumes)
            self.named.setdefault(name, []).append(place)
            if name != self.lcus[lcu].name:
                self.named.setdefault(self.lcus[lcu].name, []).append(place)
            cylinders = entry.whole("cylinders", 3338, 1, 1_182_006)
            pav, turn = entry.whole("pav", 0, 0, 255), entry.whole("turn", 0, 0)
            self.volumes.append(SimulatedVolume(lcu, devno, cylinders, pav, turn, entry.flag("hung")))
            self.labels.append(entry.text("label", ""))
            self.rdevs.append(rdev)
            self.mounts.append(entry.text("mount", ""))
        units = [volume.lcu for volume in self.volumes].count(lcu)
        units += sum(volume.pav for volume in self.volumes if volume.lcu == lcu) + self.lcus[lcu].aliases
        if units > 256:
            raise entry.wrong("", f"is too many: {lcus[lcu]} has {units} volumes and aliases, at most 256 go")

    def _logical(self, name: str, entry: TomlTable) -> None:
        entry.only("volumes", "stripe_kb", "gb", "mount", "depth", "suspended")
        if not _LOGICAL.fullmatch(name) or name in self.named:
            raise entry.wrong("", "is up to 30 letters, digits and underscores, and no volume or LCU")
        volumes = [place for part in entry.words("volumes") for place in self.named.get(part, [-1])]
        if not volumes or -1 in volumes or len({*volumes}) < len(volumes):
            raise entry.wrong("volumes", "are volumes, ranges or LCUs of this machine, each volume once")
        stripe = round(entry.number("stripe_kb", 0.0, 0.0, 1 << 20) * 1024)
        if (stripe < SMALLEST or stripe & (stripe - 1)) if len(volumes) > 1 else stripe:
            raise entry.wrong(
                "stripe_kb", "is 4 or a power of two above it; on one volume there are no stripes"
            )
        size = round(entry.number("gb", None, 0.01, 1e6) * 1e9) // (len(volumes) << 20) * (len(volumes) << 20)
        for place in volumes:
            volume = self.volumes[place]
            if self.mounts[place] or is_scsi(self.paths[self.lcus[volume.lcu].paths]):
                raise entry.wrong("volumes", f"{volume.devno:04X} is behind FCP paths, or has a mount itself")
            share = sum(
                logical.size // len(logical.volumes) for logical in self.logical if place in logical.volumes
            )
            if share + size // len(volumes) > volume.cylinders * CYLINDER - (2 << 20):
                raise entry.wrong("gb", f"is more than {volume.devno:04X} has left")
        depth = entry.whole("depth", 0, 0, 1 << 20)
        suspended = entry.flag("suspended")
        self.logical.append(LogicalVolume(name, tuple(volumes), stripe, size, depth, suspended))
        self.logical_mounts.append(entry.text("mount", ""))

    # what Linux has, and what is below it

    def _memory(self, entry: TomlTable) -> GuestMemory:
        entry.only("mb", "used_mb", "swap", "hits")
        swap = self.named.get(entry.text("swap"), [])
        if len(swap) != 1:
            raise entry.wrong("swap", "is one volume, as it is written in [volumes]")
        if is_scsi(self.paths[self.lcus[self.volumes[swap[0]].lcu].paths]):
            raise entry.wrong("swap", "is a DASD; this volume is behind FCP paths")
        real, used = (round(entry.number(key, None, 1.0, 1e8) * (1 << 20)) for key in ("mb", "used_mb"))
        return GuestMemory(real, used, swap[0], entry.number("hits", 0.0, 0.0, 1.0))

    def _below(self, entry: TomlTable) -> ControlProgram:
        entry.only("cpus", "resident", "page_ms")
        if self.environment != "zvm":
            raise self.top.wrong("zvm", "goes with environment = 'zvm'")
        return ControlProgram(
            entry.whole("cpus", None, 1, 512),
            entry.number("resident", 1.0, 0.0, 1.0),
            entry.number("page_ms", 0.0, 0.0, 1000.0) * MS,
        )


def range_of(name: str) -> range:
    """Return the device numbers that a name stands for; none when it is not a number or a range."""
    match = NUMBERS.fullmatch(name)
    return range(int(match[1], 16), int(match[2] or match[1], 16) + 1) if match else range(0)
