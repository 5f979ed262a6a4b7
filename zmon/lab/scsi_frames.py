"""Disks behind FCP adapters, as a kernel shows them: adapters, SCSI disks, multipath devices.

Each path has an adapter, each path to a disk is a SCSI disk, and a multipath device lies above these.  The
laboratory counts all disks alike; what it would show as DASDs of an FCP path group is replaced here.  A SCSI
disk has no channel measurement, no DASD statistics and no cache statistics.  Names and numbers are those of
the kernel: majors 8, 65-71 and 128-135 with sixteen minors a disk, a LUN as a DS8000 numbers them.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.clock import MILLISECOND
from zmon.base.sizes import SECTOR
from zmon.kinds import (
    ADAPTER,
    BLOCK,
    CACHE,
    CMF,
    CONTAINER,
    DASD,
    DEVICE,
    LAYER,
    MOUNT,
    MPATH,
    MULTIPATH,
    PATH,
    PROFILE,
)
from zmon.lab.unit_frames import NOT_SIMULATED
from zmon.sample import Frame, empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.lab.model import PathGroup, Scenario, StorageBox
    from zmon.lab.simulation import RouteCounts

FCP: Final = 0x25
MAJORS: Final = (8, *range(65, 72), *range(128, 136))
"""Of SCSI disks, each for sixteen of them."""
NODE: Final = "6303ffc1ae"
"""The end of the world-wide node name of the storage server, 500507..."""
BOX: Final = "75LAB01"
"""Its serial number."""
MODEL: Final = "2107900"
DM: Final = 253
"""Major of the device mapper."""
COUNTED: Final = (
    "reads", "sectors_read", "read_ns", "writes", "sectors_written", "write_ns", "busy_ns", "weighted_ns",
)  # fmt: skip
"""What is counted of a path to a disk or of a logical volume, as `BlockCounts` calls it."""
FIELDS: Final = {
    "read_ns": "read_ms", "write_ns": "write_ms", "busy_ns": "io_ms", "weighted_ns": "weighted_ms",
}  # fmt: skip
"""How the block layer calls those times, which it shows in ms."""
DASD_ONLY: Final = (CMF, DASD, CACHE, PROFILE)
NO_DASD: Final = absent("the simulated machine has no DASD")
NO_BLOCK: Final = absent("an FCP adapter is no disk")
NO_UID: Final = absent("only DASD have a uid")
NO_CCW: Final = absent("no ccw device")


def block_row(counted: Sequence[int]) -> dict[str, Value]:
    """Return what is `COUNTED` as the block layer shows it."""
    return {
        FIELDS.get(name, name): value // MILLISECOND if name in FIELDS else value
        for name, value in zip(COUNTED, counted, strict=True)
    }


def is_scsi(group: PathGroup) -> bool:
    """Tell whether the disks behind some paths are SCSI disks."""
    return group.code == FCP


def letters(place: int) -> str:
    """Return what the kernel puts behind `sd`: a ... z, aa ..."""
    name = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


def number_of(place: int) -> str:
    """Return the number of a SCSI disk: 8:0, 8:16 ... 65:0 ..."""
    return f"{MAJORS[place // 16 % len(MAJORS)]}:{place % 16 * 16}"


class ScsiDisks:
    """The disks of a scenario that are reached over FCP."""

    def __init__(self, plan: Scenario, names: Sequence[str], devices: Mapping[str, int]) -> None:
        """Name adapters, disks and paths.

        Args:
            plan: the scenario.
            names: of all volumes as if they were DASDs.
            devices: of each bus id the LCU that it would be a DASD of.
        """
        box = plan.box
        groups = [box.paths[lcu.paths] for lcu in box.lcus]
        self.plan = plan
        self.names = names
        self.places = [place for place, volume in enumerate(box.volumes) if is_scsi(groups[volume.lcu])]
        self.groups = {place: groups[box.volumes[place].lcu] for place in self.places}
        self.hidden = {key for key, lcu in devices.items() if is_scsi(groups[lcu])}
        self.hidden |= {names[place] for place in self.places}
        routes = [
            (place, path)
            for path in range(max(len(group.chpids) * group.ports for group in self.groups.values()))
            for place in self.places
            if path < len(self.groups[place].chpids) * self.groups[place].ports
        ]
        self.disks = {route: at for at, route in enumerate(routes)}
        """Of each volume and path, which SCSI disk it is."""
        self.counted = {route: [0] * len(COUNTED) for route in routes}
        self.in_flight = dict.fromkeys(routes, 0)

    def copy(self) -> ScsiDisks:
        """Return the same counters, to go on from here once more."""
        other = object.__new__(ScsiDisks)
        other.__dict__.update(self.__dict__)
        other.counted = {route: [*values] for route, values in self.counted.items()}
        other.in_flight = dict(self.in_flight)
        return other

    def add(self, routed: Iterable[RouteCounts], times: int) -> None:
        """Count what was done over each path, so many times."""
        for disk, path, (*more, in_flight) in routed:
            before = self.counted.get((disk, path))
            if before is not None:
                self.counted[disk, path] = [old + new * times for old, new in zip(before, more, strict=True)]
                self.in_flight[disk, path] = in_flight

    # what stays

    def constant(self, frames: Mapping[str, Frame], box: StorageBox) -> dict[str, Frame]:
        """Return frames that stay the same with a box, with SCSI disks for what they had as DASDs."""
        frames_of = self._dasds_alone(frames)
        frames_of[LAYER.name] = joined(frames_of[LAYER.name], self._layers(), frames[LAYER.name].times[0])
        frames_of[DEVICE.name] = joined(
            frames_of[DEVICE.name], self._adapters(box), frames[LAYER.name].times[0]
        )
        whole = {f"94:{4 * place + 1}": f"{DM}:{at}" for at, place in enumerate(self.places)}
        for kind in (MOUNT, CONTAINER):
            frame = frames[kind.name]
            if frame.keys:
                frames_of[kind.name] = frame.but(columns=self._moved(frame.columns, whole))
        return frames_of

    def _moved(self, columns: Mapping[str, list[Value]], whole: Mapping[str, str]) -> dict[str, list[Value]]:
        """Return columns that name the multipath device instead of the partition of a DASD."""
        moved = {name: [*values] for name, values in columns.items()}
        for row, number in enumerate(moved["number"]):
            if number in whole:
                moved["number"][row] = whole[str(number)]
                if "source" in moved:
                    at = int(whole[str(number)].partition(":")[2])
                    moved["source"][row] = f"/dev/mapper/{self._name(self.places[at])}"
        return moved

    def _name(self, place: int) -> str:
        return f"FCP{self.plan.box.volumes[place].devno:04X}"

    def _size(self, place: int) -> int:
        """Return its sectors."""
        return self.plan.box.volumes[place].cylinders * 15 * 12 * 8

    def _volume(self, place: int) -> str:
        """Return the number of a volume as a DS8000 numbers them: the LSS, and the volume in it."""
        volume = self.plan.box.volumes[place]
        return f"{self.plan.box.lcus[volume.lcu].ssid[:2].lower()}{volume.devno & 0xFF:02x}"

    def _lun(self, place: int) -> str:
        number = self._volume(place)
        return f"0x40{number[:2]}40{number[2:]}00000000"

    def _wwid(self, place: int) -> str:
        return f"600507{NODE}{'0' * 12}{self._volume(place)}"

    def _shown(self, box: StorageBox) -> dict[tuple[int, int], int]:
        """Return the disks of paths whose adapters are online."""
        offline = [box.paths[lcu.paths].offline for lcu in box.lcus]
        return {
            (place, path): at
            for (place, path), at in self.disks.items()
            if path % len(self.groups[place].chpids) not in offline[box.volumes[place].lcu]
        }

    def _layers(self) -> dict[str, dict[str, Value]]:
        rows: dict[str, dict[str, Value]] = {}
        for (place, path), at in self.disks.items():
            chpids = self.groups[place].chpids
            port, adapter = divmod(path, len(chpids))
            rows[number_of(at)] = {
                "name": f"sd{letters(at)}", "sort": "disk", "busid": _adapter(chpids[adapter]),
                "size": self._size(place), "below": "",
                "wwpn": _port(port, chpids[adapter]), "lun": self._lun(place),
                "wwid": f"naa.{self._wwid(place)}", "serial": f"{BOX}{self._volume(place)}", "vendor": "IBM",
                "model": MODEL,
            }  # fmt: skip
        for at, place in enumerate(self.places):
            group = self.groups[place]
            below = [number_of(disk) for (of, _path), disk in self.disks.items() if of == place]
            rows[f"{DM}:{at}"] = {
                "name": f"dm-{at}", "sort": "dm", "mapped": self._name(place), "size": self._size(place),
                "uuid": f"{MPATH}3{self._wwid(place)}",
                "table": _table(group, self._size(place), below), "below": " ".join(below),
            }  # fmt: skip
        return rows

    def _adapters(self, box: StorageBox) -> dict[str, dict[str, Value]]:
        chpids = {
            chpid: path in group.offline
            for group in box.paths
            if is_scsi(group)
            for path, chpid in enumerate(group.chpids)
        }
        return {
            _adapter(chpid): {
                "subchannel": f"0.0.f0{chpid}", "chpids": chpid,
                **dict.fromkeys(("pim", "pam", "pom", "vpm"), 0x80),
                "driver": "zfcp", "status": "offline" if offline else "online", "availability": "good",
                "block": NO_BLOCK, "devtype": "1732/03", "cutype": "1731/03", "uid": NO_UID,
                "online": int(not offline),
            }
            for chpid, offline in chpids.items()
        }  # fmt: skip

    # what moves

    def moving(self, frames: Mapping[str, Frame], now: int, box: StorageBox) -> dict[str, Frame]:
        """Return frames of counters, with SCSI disks for what they had as DASDs."""
        frames_of = self._dasds_alone(frames)
        rows: dict[str, dict[str, Value]] = {}
        for route, at in self.disks.items():
            rows[f"sd{letters(at)}"] = self._path(route, number_of(at))
        whole = frames[BLOCK.name]
        for at, place in enumerate(self.places):
            row = whole.index[self.names[place]]
            rows[f"dm-{at}"] = {name: values[row] for name, values in whole.columns.items()} | {
                "number": f"{DM}:{at}",
                "busid": NO_CCW,
                "label": self._name(place),
                "block_size": 512,
                "map": f"dm-{at}",
            }
        frames_of[BLOCK.name] = joined(frames_of[BLOCK.name], rows, now)
        frames_of[PATH.name] = frame_of(PATH, self._paths(box), now)
        maps = {f"dm-{at}": self._map(place) for at, place in enumerate(self.places)}
        frames_of[MULTIPATH.name] = frame_of(MULTIPATH, maps, now)
        frames_of[ADAPTER.name] = frame_of(ADAPTER, self._hosts(box), now)
        return frames_of

    def _hosts(self, box: StorageBox) -> dict[str, dict[str, Value]]:
        """Return what the adapters that are online have done, as far as it is simulated."""
        rows: dict[str, dict[str, Value]] = {}
        for place, path in self._shown(box):
            counted = dict(zip(COUNTED, self.counted[place, path], strict=True))
            chpids = self.groups[place].chpids
            begun: dict[str, Value] = dict.fromkeys(ADAPTER.by_name, NOT_SIMULATED)
            begun |= {
                "port_state": "Online",
                "inputs": 0,
                "outputs": 0,
                "megabytes_in": 0,
                "megabytes_out": 0,
            }
            row = rows.setdefault(_adapter(chpids[path % len(chpids)]), begun)
            for field, name, unit in (
                ("inputs", "reads", 1), ("outputs", "writes", 1),
                ("megabytes_in", "sectors_read", SECTOR), ("megabytes_out", "sectors_written", SECTOR),
            ):  # fmt: skip
                row[field] += counted[name] * unit  # type: ignore[operator]  # numbers
        for row in rows.values():
            for field in ("megabytes_in", "megabytes_out"):
                row[field] //= MILLISECOND  # type: ignore[operator]  # likewise
        return rows

    def _map(self, place: int) -> dict[str, Value]:
        """Return a multipath device, as far as it is simulated."""
        row: dict[str, Value] = {
            "title": self._name(place),
            "wwid": f"3{self._wwid(place)}",
            "queueing": "on",
        }
        return {field.name: row.get(field.name, NOT_SIMULATED) for field in MULTIPATH.fields}

    def _paths(self, box: StorageBox) -> dict[str, dict[str, Value]]:
        """Return all paths; those whose adapter is offline have failed."""
        shown = self._shown(box)
        rows: dict[str, dict[str, Value]] = {}
        for (place, path), at in sorted(self.disks.items()):
            group = self.groups[place]
            port, adapter = divmod(path, len(group.chpids))
            chpid, works, together = group.chpids[adapter], (place, path) in shown, group.policy == "multibus"
            device = "running" if works else "transport-offline"
            row: dict[str, Value] = {
                "name": f"sd{letters(at)}", "map": f"dm-{self.places.index(place)}",
                "state": "active" if works else "failed", "device": device,
                "group": 1 if together else path + 1, "selector": "round-robin", "failures": int(not works),
                "group_state": "active" if together or not path else "enabled",
                "adapter": _adapter(chpid), "port": _port(port, chpid), "via": "laboratory",
            }  # fmt: skip
            rows[number_of(at)] = {field.name: row.get(field.name, NOT_SIMULATED) for field in PATH.fields}
        return rows

    def _path(self, route: tuple[int, int], number: str) -> dict[str, Value]:
        """Return what the block layer counts of one path to a disk."""
        place, path = route
        return block_row(self.counted[route]) | {
            "number": number,
            "map": f"dm-{self.places.index(place)}",
            "model": MODEL,
            "busid": _adapter(self.groups[place].chpids[path % len(self.groups[place].chpids)]),
            "size": self._size(place),
            "nr_requests": 128,
            "block_size": 512,
            "reads_merged": 0,
            "writes_merged": 0,
            "in_flight": self.in_flight[route],
        }

    def _dasds_alone(self, frames: Mapping[str, Frame]) -> dict[str, Frame]:
        """Return frames without what is behind FCP adapters."""
        others = dict(frames)
        all_gone = len(self.places) == len(self.plan.box.volumes)
        for kind in (*DASD_ONLY, DEVICE, BLOCK):
            frame = others.get(kind.name)
            if frame is None:
                continue
            kept = [key not in self.hidden for key in frame.keys]
            if kind in DASD_ONLY and all_gone:
                others[kind.name] = empty_frame(kind, NO_DASD.reason)
            elif not all(kept):
                others[kind.name] = _only(frame, kept)
        if LAYER.name in others:
            gone = {f"94:{4 * place + part}" for place in self.places for part in (0, 1)}
            others[LAYER.name] = _only(
                others[LAYER.name], [key not in gone for key in others[LAYER.name].keys]
            )
        return others


def _adapter(chpid: str) -> str:
    """Return the bus id of the adapter of a path."""
    return f"0.0.fc{chpid}"


def _port(port: int, chpid: str) -> str:
    """Return the world-wide name of the port of the storage server that a path leads to."""
    return f"0x50050763{port:x}{chpid}3c1ae"


def _table(group: PathGroup, size: int, below: Sequence[str]) -> str:
    """Return the table as `dmsetup table` prints it: one group of all paths, or a group for each."""
    if group.policy == "multibus":
        paths = " ".join(f"{number} {group.turn}" for number in below)
        return f"0 {size} multipath 1 queue_if_no_path 0 1 1 round-robin 0 {len(below)} 1 {paths}"
    groups = " ".join(f"round-robin 0 1 1 {number} {group.turn}" for number in below)
    return f"0 {size} multipath 1 queue_if_no_path 0 {len(below)} 1 {groups}"


def _only(frame: Frame, kept: Sequence[bool]) -> Frame:
    """Return some rows of a frame."""
    columns = {name: [*compress(values, kept)] for name, values in frame.columns.items()}
    return frame.but(
        keys=[*compress(frame.keys, kept)], columns=columns, times=[*compress(frame.times, kept)]
    )


def joined(frame: Frame, rows: Mapping[str, Mapping[str, Value]], when: int) -> Frame:
    """Return a frame with further rows; a field that one has and the other has not is not simulated."""
    names = dict.fromkeys((*frame.columns, *(name for row in rows.values() for name in row)))
    columns = {
        name: [
            *frame.columns.get(name, [NOT_SIMULATED] * len(frame.keys)),
            *(row.get(name, NOT_SIMULATED) for row in rows.values()),
        ]
        for name in names
    }
    return Frame(frame.kind, [*frame.keys, *rows], columns, [*frame.times, *[when] * len(rows)])
