"""The kernel files of a simulated machine: a capture with several passes, unpacked in a directory.

The forms are those of the kernel's sources and of captures of real machines.  A file's time is that of its
reading.  What zmon must not depend on can be chosen: names, and the order of things.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.witness.parts import Paths
from tests.witness.simulation import alias_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.witness.counters import BlockCounts, CacheCounts, Reading, SubchannelCounts
    from tests.witness.parts import ControlUnit, Lun, Machine

BEGIN: Final = 1_773_741_600
"""When the counters begin: 2026-03-17 10:00 UTC."""
BOX: Final = "IBM.75000000092461"
GB: Final = 1 << 20
"""In KiB."""
TICK: Final = 128_000
"""ns of a tick of channel measurement."""
WORK_UNITS: Final = 1_000_000
"""Work units of a channel path in a second, and ..."""
DATA_UNIT: Final = 4096
"""... bytes of a data unit."""
CYLINDERS: Final = 10_017
SECTORS: Final = CYLINDERS * 15 * 12 * 8
CSS: Final = "sys/devices/css0"

File = bytes | str
"""What is at a path: the content of a file, or where a link leads."""


@dataclass(frozen=True)
class Names:
    """How the parts of a machine are called and ordered."""

    renamed: bool = False
    permuted: bool = False

    def number(self, number: str) -> str:
        """Return the device number of a volume, alias or adapter."""
        if not self.renamed:
            return number
        high, low = int(number[:2], 16), int(number[-2:], 16)
        return f"{(high * 7 + 13) % 256:02x}{low:02x}"

    def chpid(self, chpid: int) -> int:
        """Return the number of a channel path."""
        return (chpid * 3 + 0x21) % 256 if self.renamed else chpid

    def label(self, name: str) -> str:
        """Return the name of a device of the device mapper."""
        return f"x{name[::-1]}" if self.renamed else name

    def order(self, things: Iterable[str]) -> list[str]:
        """Return things in the order in which Linux came upon them."""
        listed = list(things)
        return listed[::-1] if self.permuted else listed

    def of(self, name: str) -> str:
        """Return how a part is called that the truth names."""
        is_number = len(name) == 4 and all(digit in "0123456789abcdef" for digit in name)
        return self.number(name) if is_number else self.label(name)


@dataclass
class _Disk:
    """A block device as Linux calls it."""

    part: str
    name: str
    number: str
    path: str
    """Its directory below `sys`."""
    files: dict[str, File] = field(default_factory=dict)


class KernelFiles:
    """The files of a machine, for any of its readings."""

    def __init__(self, machine: Machine, names: Names) -> None:
        self._machine = machine
        self._names = names
        self._subchannel = 0
        self._disks: dict[str, _Disk] = {}
        self._measured: dict[str, str] = {}
        """The directories of measured devices, by their parts."""
        self._sds: dict[str, list[_Disk]] = {}
        self._adapters: dict[str, str] = {}
        self._static: dict[str, File] = {}
        self._static |= dict(self._system())
        self._ccw_devices()
        self._luns()
        self._virtual_disks()
        self._logical_volumes()
        self._static |= dict(self._mounts())
        for disk in self._disks.values():
            self._static |= dict(self._block(disk))

    def write(self, readings: Iterable[Reading], directory: str, *, cache: bool, cmf: bool) -> None:
        """Write a pass for each reading, with cache statistics and channel measurement or without."""
        for which, reading in enumerate(readings, 1):
            files = self._static | dict(self._counters(reading, cache=cache, cmf=cmf))
            when = round((BEGIN + reading.time) * 1e9)
            _write(f"{directory}/pass-{which:04}", files, when)

    def called(self, part: str) -> list[str]:
        """Return the names of a part in small letters: its number or label, and what Linux calls its disk."""
        disk = self._disks.get(part)
        if disk is None:
            return [self._names.of(part).lower()]
        numbers = [word.rpartition(".")[2] for word in disk.path.split("/")[2:4] if word.startswith("0.0.")]
        return [self._names.of(part).lower(), disk.name, *numbers[1:]]

    # --- what seldom changes --------------------------------------------------------------------

    def _system(self) -> Iterator[tuple[str, File]]:
        machine = self._machine
        count = machine.processors.count
        guest = {
            "lpar": "",
            "zvm": f"VM00 Name:            LINDB01\nVM00 Control Program: z/VM    7.3.0\n"
            f"VM00 Adjustment:      1000\nVM00 CPUs Total:      {count}\nVM00 CPUs Configured: {count}\n",
            "kvm": "VM00 Name:            lindb01\nVM00 Control Program: KVM/Linux\n"
            f"VM00 Adjustment:      1000\nVM00 CPUs Total:      {count}\nVM00 CPUs Configured: {count}\n",
        }[machine.where]
        yield (
            "proc/sysinfo",
            (
                "Manufacturer:         IBM\nType:                 3931\n"
                "Sequence Code:        0000000000012345\n"
                f"CPUs Total:           {count}\nCPUs Configured:      {count}\nCPUs Standby:         0\n"
                "CPUs Reserved:        0\nLPAR Number:          7\nLPAR Characteristics: Shared\n"
                f"LPAR Name:            PROD7\nLPAR Adjustment:      100\nLPAR CPUs Total:      {count}\n"
                f"LPAR CPUs Configured: {count}\nLPAR CPUs Standby:    0\nLPAR CPUs Reserved:   0\n"
                f"LPAR CPUs Dedicated:  0\nLPAR CPUs Shared:     {count}\n\n{guest}"
            ).encode(),
        )
        yield "proc/sys/kernel/random/boot_id", b"6c9d0d3e-3c9e-4a55-8d1e-0d9f6f7f0a11\n"
        yield "proc/sys/kernel/hostname", b"lindb01\n"
        yield "proc/sys/kernel/ostype", b"Linux\n"
        yield "proc/sys/kernel/osrelease", b"6.12.107-s390x\n"
        yield "proc/version", b"Linux version 6.12.107-s390x (build@example) #1 SMP\n"
        yield "sys/devices/system/cpu/online", f"0-{count - 1}\n".encode()
        yield "sys/devices/system/cpu/present", f"0-{count - 1}\n".encode()
        yield "sys/module/cmf/parameters/format", b"-1\n"
        yield "CAPTURE.txt", b"begin, witness\n"
        yield "proc/swaps", self._swaps().encode()
        if machine.where == "zvm":
            yield "cp/virtual-dasd.txt", self._cp_answer().encode()
            yield "cp/userid.txt", b"LINDB01  AT ZVMPRD1\n"

    def _swaps(self) -> str:
        head = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
        swapping = [program.on[0] for program in self._machine.programs if program.swaps]
        if not swapping:
            return head
        name = _dasd_name(self._order_of_volumes().index(swapping[0]))
        return f"{head}/dev/{name}                              partition\t7211964\t\t2411964\t\t-2\n"

    def _cp_answer(self) -> str:
        names = self._names
        lines = [
            f"DASD {names.number(number).upper()} 3390 V{names.number(number).upper()}  R/W "
            f"     {CYLINDERS - 1} CYL ON DASD  {names.number(number).upper()} SUBCHANNEL = {at:04X}\n"
            for at, number in enumerate(self._order_of_volumes())
        ]
        return "".join(lines)

    def _order_of_volumes(self) -> list[str]:
        return self._names.order(v.number for unit in self._machine.control_units for v in unit.volumes)

    def _ccw_devices(self) -> None:
        """Subchannels and devices of volumes and aliases."""
        machine, names = self._machine, self._names
        unit_of = {v.number: unit for unit in machine.control_units for v in unit.volumes}
        groups = dict(machine.paths)
        for paths in groups.values():
            for chpid in paths.chpids:
                self._static |= dict(self._channel_path(chpid, paths))
        if machine.channel_measurement:
            self._static[f"{CSS}/cm_enable"] = b"1\n"
        for at, number in enumerate(self._order_of_volumes()):
            unit = unit_of[number]
            busid = f"0.0.{names.number(number)}"
            path = self._device(busid, groups[unit.paths])
            uid = f"{BOX}.{names.number(unit.name)}.{number[2:]}"
            if machine.where == "zvm":
                uid += f".{'0' * 22}{int(number, 16):04x}{'0' * 6}"
            self._static |= _dasd_files(path, uid, alias=False, mirrored=bool(unit.mirror))
            self._measured[number] = path
            name, minor = _dasd_name(at), 4 * at
            disk = _Disk(number, name, f"94:{minor}", f"{path.removeprefix('sys/')}/block/{name}")
            self._disks[number] = disk
            volser = f"DB{names.number(number).upper()}"
            self._static[f"run/udev/data/b94:{minor}"] = (
                f"E:ID_BUS=ccw\nE:ID_TYPE=disk\nE:ID_UID={uid}\nE:ID_SERIAL={volser}\n".encode()
            )
        self._static["proc/dasd/devices"] = self._dasd_devices().encode()
        for unit in machine.control_units:
            for which in range(unit.aliases):
                self._alias(unit, which, groups[unit.paths])

    def _alias(self, unit: ControlUnit, which: int, paths: Paths) -> None:
        number = alias_number(unit, which)
        path = self._device(f"0.0.{self._names.number(number)}", paths)
        uid = f"{BOX}.{self._names.number(unit.name)}.xx"
        self._static |= _dasd_files(path, uid, alias=True, mirrored=False)
        self._measured[number] = path

    def _dasd_devices(self) -> str:
        return "".join(
            f"0.0.{self._names.number(number)}(ECKD) at ({disk.number.replace(':', ':    ')}) is {disk.name}"
            f"       : active at blocksize: 4096, {SECTORS // 8} blocks, {SECTORS // 2048} MB\n"
            for number, disk in self._disks.items()
        )

    def _device(self, busid: str, paths: Paths) -> str:
        """Make the next subchannel with a device, and return the directory of the device."""
        subchannel = f"{CSS}/0.0.{self._subchannel:04x}"
        self._subchannel += 1
        chpids = [self._names.chpid(chpid) for chpid in paths.chpids]
        lost = [self._names.chpid(chpid) for chpid in paths.lost]
        mask = 256 - (256 >> len(chpids))
        usable = mask - sum(0x80 >> at for at, chpid in enumerate(chpids) if chpid in lost)
        slots = [*chpids, *[0] * (8 - len(chpids))]
        self._static |= {
            f"{subchannel}/chpids": ("".join(f"{chpid:02x} " for chpid in slots) + "\n").encode(),
            f"{subchannel}/pimpampom": f"{mask:02x} {usable:02x} {usable:02x}\n".encode(),
            f"{subchannel}/vpm": f"{usable:02x}\n".encode(),
            f"{subchannel}/type": b"0\n",
            f"{subchannel}/{busid}/path_masks": f"{usable:02x} 00 00 00 00 00\n".encode(),
            f"sys/bus/ccw/devices/{busid}": f"../../../devices/css0{subchannel.removeprefix(CSS)}/{busid}",
        }
        return f"{subchannel}/{busid}"

    def _channel_path(self, chpid: int, paths: Paths) -> Iterator[tuple[str, File]]:
        here = f"{CSS}/chp0.{self._names.chpid(chpid):02x}"
        yield f"{here}/status", b"offline\n" if chpid in paths.lost else b"online\n"
        yield f"{here}/configure", b"1\n"
        yield f"{here}/type", b"1b\n" if paths.kind == "ficon" else b"5\n"
        yield f"{here}/cmg", b"2\n" if paths.kind == "ficon" else b"1\n"
        yield f"{here}/shared", b"1\n"
        yield f"{here}/chid", f"{0x0500 + self._names.chpid(chpid):04x}\n".encode()
        yield f"{here}/chid_external", b"1\n"
        if self._machine.channel_measurement:
            limits = (0, WORK_UNITS, *(int(paths.mbps * 1e6 / DATA_UNIT),) * 2, DATA_UNIT)
            yield f"{here}/measurement_chars", struct.pack(">5I", *limits)

    def _luns(self) -> None:
        """FCP adapters, SCSI disks, and the multipath devices that join them."""
        machine, names = self._machine, self._names
        for number in names.order(adapter.number for adapter in machine.adapters):
            host = f"host{len(self._adapters)}"
            own = Paths((0x60 + len(self._adapters),))
            path = self._device(f"0.0.{names.number(number)}", own)
            self._static |= {
                f"{path}/cutype": b"1731/03\n",
                f"{path}/devtype": b"1732/03\n",
                f"{path}/online": b"1\n",
                f"{path}/cmb_enable": b"0\n",
                f"{path}/availability": b"good\n",
                f"{path}/driver": "../../../../bus/ccw/drivers/zfcp",
            }
            self._adapters[number] = f"{path}/{host}"
        minor = 0
        for which, name in enumerate(names.order(lun.name for lun in machine.luns)):
            lun = next(lun for lun in machine.luns if lun.name == name)
            wwid = f"6005076303ffc1ba{0:012x}{0x8100 + machine.luns.index(lun):04x}"
            below = []
            for number in lun.adapters:
                scsi = f"{self._adapters[number].rpartition('host')[2]}:0:0:{which + 1}"
                below.append(self._sd(lun, number, scsi, minor, wwid))
                minor += 1
            self._sds[lun.name] = below
            disk = self._mapped(lun.name, f"mpath-3{wwid}", below)
            self._disks[lun.name] = disk
            self._static[f"ioctl/dm/{disk.number}.table"] = (
                f"0 {SECTORS} multipath 0 0 {_groups(lun, [sd.number for sd in below])}\n".encode()
            )

    def _sd(self, lun: Lun, adapter: str, scsi: str, which: int, wwid: str) -> _Disk:
        name = f"sd{chr(ord('a') + which)}"
        base = self._adapters[adapter].removeprefix("sys/")
        host = scsi.partition(":")[0]
        device = f"{base}/rport-{host}:0-0/target{host}:0:0/{scsi}"
        disk = _Disk(f"{lun.name}/{adapter}", name, f"8:{16 * which}", f"{device}/block/{name}")
        disk.files |= {"device": f"../../../{scsi}"}
        self._disks[disk.part] = disk
        self._static |= {
            f"sys/{device}/vendor": b"IBM     \n",
            f"sys/{device}/model": b"2107900         \n",
            f"sys/{device}/wwid": f"naa.{wwid}\n".encode(),
            f"sys/{device}/wwpn": f"0x50050763030{host}0c1ba\n".encode(),
            f"sys/{device}/fcp_lun": f"0x4081{0x4000 + int(wwid[-2:], 16):04x}00000000\n".encode(),
            f"sys/{device}/hba_id": f"0.0.{self._names.number(adapter)}\n".encode(),
        }
        return disk

    def _virtual_disks(self) -> None:
        for at, name in enumerate(self._names.order(disk.name for disk in self._machine.virtual_disks)):
            path = self._device(f"0.0.{at:04x}", Paths((0,)))
            self._static |= {
                f"{path}/cutype": b"3832/02\n",
                f"{path}/devtype": b"0000/00\n",
                f"{path}/online": b"1\n",
                f"{path}/cmb_enable": b"0\n",
                f"{path}/availability": b"good\n",
                f"{path}/driver": "../../../../bus/ccw/drivers/virtio_ccw",
            }
            linux = f"vd{chr(ord('a') + at)}"
            here = f"{path.removeprefix('sys/')}/virtio{at}/block/{linux}"
            self._disks[name] = _Disk(name, linux, f"252:{16 * at}", here)

    def _logical_volumes(self) -> None:
        for volume in self._machine.logical_volumes:
            below = [self._disks[number] for number in volume.volumes]
            disk = self._mapped(volume.name, f"LVM-{'Q4z7' * 16}", below)
            self._disks[volume.name] = disk
            if len(below) == 1:
                table = f"0 {SECTORS} linear {below[0].number} 0\n"
            else:
                legs = " ".join(f"{leg.number} 0" for leg in below)
                length = SECTORS * len(below)
                table = f"0 {length} striped {len(below)} {volume.stripe_kib * 2} {legs}\n"
            self._static[f"ioctl/dm/{disk.number}.table"] = table.encode()

    def _mapped(self, part: str, uuid: str, below: list[_Disk]) -> _Disk:
        """Return the next device of the device mapper, above others."""
        minor = sum(disk.name.startswith("dm-") for disk in self._disks.values())
        disk = _Disk(part, f"dm-{minor}", f"253:{minor}", f"devices/virtual/block/dm-{minor}")
        disk.files |= {
            "dm/name": f"{self._names.label(part)}\n".encode(),
            "dm/uuid": f"{uuid}\n".encode(),
            "dm/suspended": b"0\n",
            **{f"slaves/{leg.name}": f"../../../../../{leg.path}" for leg in below},
        }
        return disk

    def _block(self, disk: _Disk) -> Iterator[tuple[str, File]]:
        here = f"sys/{disk.path}"
        yield f"sys/block/{disk.name}", f"../{disk.path}"
        yield f"{here}/dev", f"{disk.number}\n".encode()
        yield f"{here}/size", f"{SECTORS}\n".encode()
        yield f"{here}/ro", b"0\n"
        yield f"{here}/diskseq", f"{list(self._disks).index(disk.part) + 1}\n".encode()
        depth = 32 if disk.name.startswith("sd") else 128
        yield f"{here}/queue/nr_requests", f"{depth}\n".encode()
        yield f"{here}/queue/logical_block_size", b"4096\n"
        yield f"{here}/queue/iostats", b"1\n"
        yield f"{here}/queue/rotational", b"1\n"
        yield f"{here}/queue/scheduler", b"[none] mq-deadline\n"
        for name, content in disk.files.items():
            yield f"{here}/{name}", content

    def _mounts(self) -> Iterator[tuple[str, File]]:
        machine = self._machine
        below = {number for volume in machine.logical_volumes for number in volume.volumes}
        swaps = {program.on[0] for program in machine.programs if program.swaps}
        lines = ["24 1 0:21 / / rw,relatime - tmpfs root rw\n"]
        for at, disk in enumerate(self._disks.values()):
            if disk.part not in below | swaps and "/" not in disk.part:
                place = f"/db/{self._names.of(disk.part)}"
                lines.append(f"{30 + at} 24 {disk.number} / {place} rw,relatime - xfs /dev/{disk.name} rw\n")
        yield "proc/self/mountinfo", "".join(lines).encode()

    # --- what is counted ------------------------------------------------------------------------

    def _counters(self, reading: Reading, *, cache: bool, cmf: bool) -> Iterator[tuple[str, File]]:
        lines = [
            _diskstats(disk, reading.blocks[disk.part])
            for disk in sorted(self._disks.values(), key=lambda disk: disk.number)
        ]
        yield "proc/diskstats", "".join(lines).encode()
        yield from self._tasks(reading)
        for number, path in self._measured.items():
            yield f"{path}/cmb_enable", b"1\n" if cmf else b"0\n"
            if cmf:
                counts = reading.subchannels[number]
                yield from _cmf(f"{path}/cmf", counts, reading.time, extended=self._machine.extended)
        if cache:
            for unit in self._machine.control_units:
                for volume in unit.volumes:
                    answer = _psrd(reading.cache[volume.number], volume.number, unit)
                    yield f"ioctl/{self._disks[volume.number].name}/BIODASDPSRD.bin", answer
        if self._machine.channel_measurement:
            yield from self._channels(reading)
        yield from self._paths_of_luns(reading)

    def _channels(self, reading: Reading) -> Iterator[tuple[str, File]]:
        stamp = 0xFF << 24 | round(reading.time / 0.000128) & 0xFFFFFF
        for _name, paths in self._machine.paths:
            for chpid in paths.chpids:
                counts = reading.channels[chpid]
                work = round(counts.busy * WORK_UNITS)
                read = round(counts.kib_read * 1024 / DATA_UNIT)
                written = round(counts.kib_written * 1024 / DATA_UNIT)
                words = (stamp, work, work, work, written, written, read, read)
                entry = struct.pack(">8I", *(word & 0xFFFFFFFF for word in words))
                yield f"{CSS}/chp0.{self._names.chpid(chpid):02x}/measurement", entry

    def _paths_of_luns(self, reading: Reading) -> Iterator[tuple[str, File]]:
        for number, path in self._adapters.items():
            is_lost = number in reading.lost_adapters
            host = path.rpartition("/")[2]
            above = path.removeprefix("sys/")
            yield f"sys/class/fc_host/{host}", f"../../{above}/fc_host/{host}"
            yield f"{path}/fc_host/{host}/port_name", b"0xc05076ffe5005611\n"
            yield f"{path}/fc_host/{host}/port_type", b"NPIV VPORT\n"
            yield f"{path}/fc_host/{host}/port_state", b"Linkdown\n" if is_lost else b"Online\n"
            yield f"{path}/fc_host/{host}/speed", b"16 Gbit\n"
        for lun in self._machine.luns:
            below = self._sds[lun.name]
            lost = [number in reading.lost_adapters for number in lun.adapters]
            for disk, is_lost in zip(below, lost, strict=True):
                device = disk.path.rpartition("/block/")[0]
                yield f"sys/{device}/state", b"transport-offline\n" if is_lost else b"running\n"
            states = [
                f"{disk.number} {'F' if gone else 'A'} {int(gone)}"
                for disk, gone in zip(below, lost, strict=True)
            ]
            at = self._disks[lun.name].number
            yield f"ioctl/dm/{at}.status", f"0 {SECTORS} multipath {_status(lun, states)}\n".encode()

    def _tasks(self, reading: Reading) -> Iterator[tuple[str, File]]:
        tasks, now = reading.tasks, reading.time
        count = self._machine.processors.count
        used, stolen = tasks.used / count, tasks.stolen / count
        waited = min(tasks.waited_for_io / count, max(0.0, now - used - stolen))
        idle = max(0.0, now - used - stolen - waited)
        each = [0.75 * used, 0.0, 0.25 * used, idle, waited, 0.0, 0.0, stolen, 0.0, 0.0]
        cpu = " ".join(str(round(seconds * 100)) for seconds in each)
        whole = " ".join(str(round(seconds * 100) * count) for seconds in each)
        rows = "".join(f"cpu{at} {cpu}\n" for at in range(count))
        yield (
            "proc/stat",
            f"cpu  {whole}\n{rows}intr {round(now * 900)} 0\nctxt {round(now * 4000)}\nbtime {BEGIN}\n"
            f"processes 800\nprocs_running {max(1, tasks.running)}\nprocs_blocked {tasks.blocked}\n".encode(),
        )
        delays = "".join(
            f"cpu{at} 0 0 0 0 0 0 {round(used * 1e9)} {round(tasks.run_delay / count * 1e9)} 1\n"
            for at in range(count)
        )
        yield "proc/schedstat", f"version 15\ntimestamp {round(now * 100)}\n{delays}".encode()
        yield "proc/uptime", f"{now:.2f} {idle * count:.2f}\n".encode()
        yield "proc/loadavg", f"1.00 1.00 1.00 {max(1, tasks.running)}/300 900\n".encode()
        yield "proc/pressure/cpu", _pressure(tasks.some_wait_for_cpu, 0.0)
        yield "proc/pressure/io", _pressure(tasks.some_wait_for_io, tasks.all_wait_for_io)
        yield "proc/pressure/memory", _pressure(tasks.some_wait_for_memory, 0.0)
        swaps = any(program.swaps for program in self._machine.programs)
        total, free = 16 * GB, (GB // 8 if swaps else 2 * GB)
        cached = GB // 4 if swaps else 4 * GB
        sizes = {
            "MemTotal": total, "MemFree": free, "MemAvailable": free + cached // 2, "Buffers": GB // 20,
            "Cached": cached, "SwapCached": 0, "SwapTotal": 7_211_964 * swaps,
            "SwapFree": 4_800_000 * swaps, "Dirty": 900, "Writeback": 0, "AnonPages": total - free - cached,
            "Mapped": GB, "Shmem": GB // 8, "SReclaimable": GB // 10, "SUnreclaim": GB // 10,
        }  # fmt: skip
        yield "proc/meminfo", "".join(f"{name + ':':16}{kib:8} kB\n" for name, kib in sizes.items()).encode()
        events = {
            "pswpin": tasks.pages_in, "pswpout": tasks.pages_out, "pgmajfault": tasks.faults,
            "pgfault": now * 500, "workingset_refault_anon": tasks.pages_in, "workingset_refault_file": 0,
            "pgscan_kswapd": 2 * tasks.pages_out, "pgsteal_kswapd": tasks.pages_out, "pgscan_direct": 0,
            "pgsteal_direct": 0, "oom_kill": 0, "allocstall_normal": 0,
        }  # fmt: skip
        yield "proc/vmstat", "".join(f"{name} {round(count)}\n" for name, count in events.items()).encode()


def _dasd_files(path: str, uid: str, *, alias: bool, mirrored: bool) -> dict[str, File]:
    return {
        f"{path}/driver": "../../../../bus/ccw/drivers/dasd-eckd",
        f"{path}/cutype": b"3990/e9\n",
        f"{path}/devtype": b"3390/0c\n",
        f"{path}/availability": b"good\n",
        f"{path}/online": b"1\n",
        f"{path}/alias": f"{int(alias)}\n".encode(),
        f"{path}/discipline": b"ECKD\n",
        f"{path}/status": b"online\n",
        f"{path}/vendor": b"IBM\n",
        f"{path}/uid": f"{uid}\n".encode(),
        f"{path}/readonly": b"0\n",
        f"{path}/hpf": b"1\n",
        f"{path}/ese": b"0\n",
        f"{path}/use_diag": b"0\n",
        f"{path}/copy_role": b"primary\n" if mirrored else b"none\n",
    }


def _dasd_name(at: int) -> str:
    """Return the name of the DASD that Linux came upon so late: dasda to dasdz, then dasdaa."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return f"dasd{letters[at // 26 - 1] if at >= 26 else ''}{letters[at % 26]}"


def _groups(lun: Lun, numbers: list[str]) -> str:
    """Return the path groups in the table of a multipath device: one, or one for each path."""
    groups = [numbers] if lun.policy == "multibus" else [[number] for number in numbers]
    said = [f"round-robin 0 {len(group)} 1 {' '.join(f'{number} 1' for number in group)}" for group in groups]
    return f"{len(groups)} 1 {' '.join(said)}"


def _status(lun: Lun, states: list[str]) -> str:
    """Return the state of a multipath device, from that of its paths."""
    groups = [states] if lun.policy == "multibus" else [[state] for state in states]
    active = next(at for at, group in enumerate(groups) if any(" A " in state for state in group))
    said = [
        f"{'A' if at == active else 'E'} 0 {len(group)} 0 {' '.join(group)}"
        for at, group in enumerate(groups)
    ]
    return f"2 0 0 0 {len(groups)} {active + 1} {' '.join(said)}"


def _diskstats(disk: _Disk, counts: BlockCounts) -> str:
    major, minor = disk.number.split(":")
    words = (
        counts.reads, counts.reads_merged, round(counts.kib_read * 2), int(counts.read_time * 1000),
        counts.writes, counts.writes_merged, round(counts.kib_written * 2), int(counts.write_time * 1000),
        counts.in_flight, int(counts.busy * 100) * 10, int(counts.weighted * 1000), 0, 0, 0, 0, 0, 0,
    )  # fmt: skip
    return f"{major:>4} {minor:>7} {disk.name} {' '.join(map(str, words))}\n"


def _cmf(here: str, counts: SubchannelCounts, age: float, *, extended: bool) -> Iterator[tuple[str, File]]:
    """Yield what channel measurement shows of a device: averages since it was switched on, `age` seconds."""
    wraps = 1 << (32 if extended else 16)
    samples = counts.samples % wraps

    def average(seconds: float) -> int:
        ticks = int(seconds * 1e9 / TICK)
        return ticks * TICK // samples if samples else 0

    used = counts.connect + counts.pending + counts.disconnect
    permille = int(used / age * 1000) if age else 0
    values: dict[str, int | str] = {
        "ssch_rsch_count": counts.started % wraps,
        "sample_count": samples,
        "avg_device_connect_time": average(counts.connect),
        "avg_function_pending_time": average(counts.pending),
        "avg_device_disconnect_time": average(counts.disconnect),
        "avg_control_unit_queuing_time": average(counts.queued),
        "avg_device_active_only_time": 0,
        "avg_sample_interval": int(age * 1e9) // samples if samples else -1,
        "avg_utilization": f"{permille // 10:02}.{permille % 10}%",
    }
    if extended:
        values["avg_device_busy_time"] = average(counts.device_busy)
        values["avg_initial_command_response_time"] = average(counts.command_response)
    for name, value in values.items():
        yield f"{here}/{name}", f"{value}\n".encode()


def _psrd(counts: CacheCounts, number: str, unit: ControlUnit) -> bytes:
    """Return what the control unit counts of a volume, as BIODASDPSRD answers it."""
    status = 0x0800 if unit.mirror else 0
    random_writes = counts.writes
    words = (
        counts.reads, counts.read_hits, random_writes, counts.write_hits,
        counts.sequential_reads, counts.sequential_read_hits,
        counts.sequential_writes, counts.sequential_writes,
        0, 0, 0, 0, 0, 0,
        counts.sequential_reads - counts.sequential_read_hits, counts.reads - counts.read_hits,
        counts.destaged, counts.delayed, random_writes, counts.sequential_writes,
        counts.reads - counts.read_hits,
    )  # fmt: skip
    head = struct.pack(">BBH", 0, int(number[-2:], 16), status)
    tail = struct.pack(">BIBH", 0, 0, 0, int(unit.name, 16))
    return head + struct.pack(">21I", *words) + tail + bytes(96)


def _pressure(some: float, full: float) -> bytes:
    lines = [
        f"{name} avg10=0.00 avg60=0.00 avg300=0.00 total={round(seconds * 1e6)}\n"
        for name, seconds in (("some", some), ("full", full))
    ]
    return "".join(lines).encode()


def _write(root: str, files: dict[str, File], when: int) -> None:
    """Write the files of a pass, all read at one time in ns since 1970."""
    made = set()
    for path, content in files.items():
        file = f"{root}/{path}"
        directory = os.path.dirname(file)
        if directory not in made:
            os.makedirs(directory, exist_ok=True)
            made.add(directory)
        if isinstance(content, str):
            os.symlink(content, file)
        else:
            with open(file, "wb", buffering=0) as stream:
                stream.write(content)
        os.utime(file, ns=(when, when), follow_symlinks=False)
