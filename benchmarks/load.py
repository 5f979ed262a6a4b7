"""The load that recordings are measured with: 4,096 DASD, 275 of them active, behind 256 channel paths.

A `Load` gives samples as `zmon.kernel.sampler` would give them on such a machine, second by second: a device
that rested keeps the very row it had, one that worked has a new row, one whose turn it is within the minute
is read although it rests, and what is read once a minute is the same frame until then.  The columns are made
of the rows as `zmon.kernel.activity` makes them.

Counts, sizes and times are drawn anew for every device and second; nothing repeats.  The devices that work
stay at it for a minute and a half on average, then others do.  Times of channel measurement come in ticks of
128 us, sectors in pages, CPU times in hundredths of a second.

The same disks can be laid out as a tree of kernel files, for recorders that are other programs.  They have no
partitions there, so that each disk is one line and one record.
"""

from __future__ import annotations

import os
import random
import sqlite3
from typing import TYPE_CHECKING, Final

from benchmarks.sampling import disk_name
from zmon.base.absent import absent
from zmon.kernel import cmf, diskstats
from zmon.kernel.activity import GRAIN, ChangingRows
from zmon.kernel.channel_path import CHARACTERISTICS, COUNTERS, EXT_COUNTERS
from zmon.kinds import BLOCK, CHANNEL, CMF, CPU, DASD, DEVICE, MEMORY, TICK, U32
from zmon.sample import Frame, Instant, Sample
from zmon.store.column_encoding import dump, load
from zmon.store.file_format import crc, sample_crc
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.base.absent import Value
    from zmon.kernel.diskstats import Counts

DEVICES: Final = 4096
ACTIVE: Final = 275
CHANNELS: Final = 256
CPUS: Final = 8
PER_LCU: Final = 256
PATHS: Final = 4
"""Channel paths to a control unit."""
SECOND: Final = 1_000_000_000
HOUR: Final = 3600
BEGIN: Final = 1_795_219_200 * SECOND
"""Midnight UTC before 2026-11-21: recordings begin there."""
UPTIME: Final = 1_000_000 * SECOND
"""What the steady clock says at that moment."""
TURN: Final = 60
"""Seconds within which every device is read; and between readings of what does not change."""
CHANGING: Final = 3
"""So many devices cease to work in a second, and so many others begin."""
ONE_READ: Final = 90_000
"""ns from one device or path to the next when they are read."""
HUNDREDTH: Final = 10_000_000

_NOT_IN: Final = absent("measurement group 2 does not have it")


class Device:
    """What one device is like while it works."""

    def __init__(self, dice: random.Random) -> None:
        """Draw it."""
        self.rate = min(400.0, dice.lognormvariate(3.0, 1.2))
        """I/O in a second."""
        self.reading = dice.choice((0.0, 0.3, 0.7, 0.9, 1.0))
        """The share of reads."""
        self.pages = dice.choice((1, 1, 1, 2, 8, 16))
        """Pages of 4 KiB in an I/O."""
        self.response = dice.lognormvariate(-0.3, 0.8)
        """ms."""
        self.disconnect = dice.choice((0.0, 0.0, 0.3))
        """The share of the response that it is disconnected: 0 where the cache serves all."""


class Load:
    """A machine at work."""

    def __init__(self, devices: int = DEVICES, active: int = ACTIVE, seed: int = 390) -> None:
        """Let it stand at `BEGIN`, with a past."""
        self._dice = dice = random.Random(seed)  # noqa: S311 - the same figures in each run
        self.second = 0
        self.busids = [f"0.0.{0x7000 + number:04x}" for number in range(devices)]
        name_of = [disk_name(number) for number in range(devices)]
        self.names = sorted(name_of)
        """The disks as sysfs lists them."""
        number_of = {name: number for number, name in enumerate(name_of)}
        self.numbers = [number_of[name] for name in self.names]
        """For each of `names` the number of its device."""
        self._place = {number: row for row, number in enumerate(self.numbers)}
        self._labels: dict[str, list[Value]] = {
            "number": [f"94:{4 * number}" for number in self.numbers],
            "busid": [self.busids[number] for number in self.numbers],
            "label": [absent("only device-mapper gives names")] * devices,
            "model": [absent("the driver names no model")] * devices,
            "incarnation": [9 + number for number in self.numbers],
            "size": [14_424_480] * devices,
            "nr_requests": [32] * devices,
            "block_size": [4096] * devices,
        }
        self._uids = [uid(number) for number in range(devices)]
        self._devices = [Device(dice) for _ in range(devices)]
        self.blocks: list[Counts] = [(0,) * len(diskstats.FIELDS)] * devices
        """The line of each disk, in the order of `names`."""
        self._totals = [[0] * 8 for _ in range(devices)]
        """Of each device its starts, and its seven times in ticks."""
        self._measured: list[cmf.Row] = [()] * devices
        self._disks = ChangingRows(diskstats.FIELDS, self.blocks)
        self._starts = ChangingRows(cmf.FIELDS, self._measured)
        """As the live reader keeps them: a column without a change is the same list as before."""
        self.channels = Channels(dice)
        self._cpus = [[dice.randrange(10**4, 10**6) * HUNDREDTH for _ in range(8)] for _ in range(CPUS)]
        self._finer = [[0, 0, 0] for _ in range(CPUS)]
        """Of each processor how often it became idle, for how long exactly, and what tasks waited for it."""
        self._memory = dict.fromkeys((field.name for field in MEMORY.fields), 0) | {
            "total": 64 << 30, "available": 20 << 30, "free": 4 << 30, "buffers": 1 << 30, "cached": 30 << 30,
            "swap_total": 8 << 30, "swap_free": 8 << 30, "swapped_in": 1000, "swapped_out": 2000,
        }  # fmt: skip
        self._seldom: dict[str, Frame] = {}
        for number in range(devices):
            self._work(number, dice.choice((1, 10, 1000, 20_000)))
            self._rest(number)
        self._active = dice.sample(range(devices), active)
        self._resting = sorted(set(range(devices)).difference(self._active))
        self._turn: list[int] = list(range(devices))

    def tick(self) -> list[int]:
        """Let a second pass; return the devices whose disks did something."""
        self.second += 1
        dice, moved = self._dice, []
        for _ in range(min(CHANGING, len(self._active), len(self._resting))):
            ceases, begins = dice.randrange(len(self._active)), dice.randrange(len(self._resting))
            self._rest(self._active[ceases])
            moved.append(self._active[ceases])
            self._active[ceases], self._resting[begins] = self._resting[begins], self._active[ceases]
        for number in self._active:
            self._work(number, 1)
        self.channels.tick()
        every = len(self._devices)
        each = -(-every // TURN)
        first = self.second * each
        self._turn = [number % every for number in range(first, first + each)]
        return moved + self._active

    def _work(self, number: int, seconds: int) -> None:
        """Let a device do what it does in a time."""
        chance, device, row = self._dice.random, self._devices[number], self._place[number]
        starts = int(device.rate * seconds * (0.5 + chance())) + 1
        reads = min(starts, int(starts * device.reading * (0.8 + 0.4 * chance())))
        writes = starts - reads
        response, pages = device.response, device.pages
        read_ms = int(reads * response * (0.8 + 0.4 * chance()))
        write_ms = int(writes * response * (0.8 + 0.4 * chance()))
        io_ms = min(1000 * seconds, int((read_ms + write_ms) * (0.6 + 0.4 * chance())))
        read = 8 * (reads * pages + int(reads * chance()))
        written = 8 * (writes * pages + int(writes * chance()))
        was = self.blocks[row]
        self.blocks[row] = (
            was[0] + reads, was[1] + int(reads * 0.1 * chance()), was[2] + read, (was[3] + read_ms) % U32,
            was[4] + writes, was[5] + int(writes * 0.5 * chance()), was[6] + written,
            (was[7] + write_ms) % U32, int(chance() * 2.5), (was[9] + io_ms) % U32,
            (was[10] + read_ms + write_ms) % U32, 0, 0, 0, 0, 0, 0,
        )  # fmt: skip
        ticks = starts * response * 1e6 / TICK
        connect = int(ticks * (0.2 + 0.2 * chance()))
        totals = self._totals[number]
        totals[0] += starts
        totals[1] += connect
        totals[2] += int(ticks * 0.1 * (0.5 + chance()))
        totals[3] += int(ticks * device.disconnect * (0.5 + chance()))
        totals[4] += int(ticks * 0.02 * chance())
        totals[6] += int(ticks * 0.05 * (0.5 + chance()))
        totals[7] += int(connect * 0.05 * (0.5 + chance()))
        self.channels.carry(number // PER_LCU, starts, read, written)

    def _rest(self, number: int) -> None:
        """Have nothing in flight to a device that ceases to work."""
        row = self._place[number]
        line = self.blocks[row]
        self.blocks[row] = (*line[: diskstats.IN_FLIGHT], 0, *line[diskstats.IN_FLIGHT + 1 :])

    def sample(self) -> Sample:
        """Read the machine as it stands."""
        dice = self._dice
        steady = UPTIME + self.second * SECOND + dice.randrange(400_000)
        now = steady
        times = [steady] * len(self._devices)
        for number in sorted({*self._active, *self._turn}):
            now += ONE_READ + dice.randrange(ONE_READ // 2)
            row, before = measured(self._totals[number], now, self._uids[number]), self._measured[number]
            row = cmf.settled(row, before) if before else row
            if row[: cmf.ELAPSED] != before[: cmf.ELAPSED]:
                times[number] = now // GRAIN * GRAIN
            self._measured[number] = row
        self._disks.replace(dict(enumerate(self.blocks)))
        self._starts.replace(dict(enumerate(self._measured)))
        frames = [
            self._disks.frame(BLOCK, self.names, [steady] * len(self.names), self._labels),
            self._starts.frame(CMF, self.busids, times, {}),
            self.channels.frame(now),
            self._cpu(now),
            self._read_memory(now),
        ]
        if self.second % TURN == 0 or not self._seldom:
            self._look_again(now)
        at = Instant(BEGIN + now - UPTIME, now, "00000000-0000-4000-8000-000000000390")
        return Sample(at, {f.kind.name: f for f in frames} | self._seldom, "this machine", 1.0)

    def samples(self, count: int) -> Iterator[Sample]:
        """Yield samples, a second apart."""
        for _ in range(count):
            yield self.sample()
            self.tick()

    def _cpu(self, now: int) -> Frame:
        columns: dict[str, list[Value]] = {field.name: [] for field in CPU.fields}
        for number, times in enumerate(self._cpus):
            left = 100
            for name in (0, 2, 4, 5, 6, 7):
                part = int(left * 0.4 * self._dice.random())
                times[name] += part * HUNDREDTH
                left -= part
            times[3] += left * HUNDREDTH
            finer = self._finer[number]
            finer[0] += self._dice.randrange(50, 5000)
            finer[1] += max(0, left * HUNDREDTH - 1000 * self._dice.randrange(HUNDREDTH // 1000))
            finer[2] += int((100 - left) * HUNDREDTH * 0.1 * self._dice.random())
            row: tuple[Value, ...] = (*times, 0, 0, "vertical:high", f"{number}", 1, *finer)
            for field, value in zip(CPU.fields, row, strict=True):
                columns[field.name].append(value)
        return Frame(CPU, [str(number) for number in range(CPUS)], columns, [now] * CPUS)

    def _read_memory(self, now: int) -> Frame:
        memory, dice = self._memory, self._dice
        for gauge in ("available", "free", "buffers", "cached"):
            memory[gauge] += dice.randrange(-512, 512) * 4096
        memory["swapped_out"] += dice.randrange(3)
        return Frame(MEMORY, ["memory"], {name: [value] for name, value in memory.items()}, [now])

    def _look_again(self, now: int) -> None:
        """Read what is read once a minute."""
        for fresh in (self._identities(now), self._volumes(now)):
            before = self._seldom.get(fresh.kind.name)
            prior = before and before.but(prior=None)
            self._seldom[fresh.kind.name] = fresh.but(prior=prior)

    def _identities(self, now: int) -> Frame:
        many = len(self._devices)
        lcus = [number // PER_LCU for number in range(many)]
        columns: dict[str, list[Value]] = {
            "subchannel": [f"0.0.{number:04x}" for number in range(many)],
            "chpids": [" ".join(f"{PATHS * lcu + path:02x}" for path in range(PATHS)) for lcu in lcus],
            **{mask: [0xF0] * many for mask in ("pim", "pam", "pom", "vpm")},
            "driver": ["dasd-eckd"] * many,
            "status": ["online"] * many,
            "availability": ["good"] * many,
            "discipline": ["ECKD"] * many,
            "vendor": ["IBM"] * many,
            "block": [disk_name(number) for number in range(many)],
            "devtype": ["3390/0c"] * many,
            "cutype": ["3990/e9"] * many,
            "uid": [*self._uids],
            "online": [1] * many,
            "alias": [0] * many,
            "cmb_enable": [1] * many,
            "readonly": [0] * many,
            "hpf": [1] * many,
            "ese": [0] * many,
            "use_diag": [0] * many,
            "path_masks": ["f0 f0 00 00 00 00"] * many,
        }
        times = [now + number * ONE_READ for number in range(many)]
        return Frame(DEVICE, self.busids, columns, times)

    def _volumes(self, now: int) -> Frame:
        many = len(self._devices)
        columns: dict[str, list[Value]] = {
            "name": [disk_name(number) for number in range(many)],
            "discipline": ["ECKD"] * many,
            "state": ["active"] * many,
            "readonly": [0] * many,
            "block_size": [4096] * many,
            "blocks": [1_803_060] * many,
            "megabytes": [7043] * many,
            "volser": [f"VL{number:04X}" for number in range(many)],
            "lss": [number // PER_LCU for number in range(many)],
            "channel_queue": [0] * many,
            "cylinders": [10017] * many,
        }
        return Frame(DASD, self.busids, columns, [now] * many)


class Channels:
    """FICON channel paths, four to a control unit; others of the machine use some of them too."""

    _LABELS: Final[dict[str, Value]] = {
        "status": "online", "configure": 1, "shared": 1, "chid_external": 1, "esc": 0, "speed": "16G",
        "type": 0x1B, "cmg": 2,
    }  # fmt: skip
    _LIMITS: Final[dict[str, Value]] = {
        "max_bus_cycles": 4_000_000, "max_work_units": 1_600_000_000, "max_write_units": 25_000_000,
        "max_read_units": 25_000_000, "data_unit_size": 64,
    }  # fmt: skip
    _COUNTED: Final = (
        "bus_cycles_cpc", "work_units_cpc", "work_units", "written_cpc", "written", "read_cpc", "read",
        "ficon_ops_cpc", "ficon_deferred_cpc", "ficon_active_cpc",
        "hpf_ops_cpc", "hpf_deferred_cpc", "hpf_active_cpc",
    )  # fmt: skip

    def __init__(self, dice: random.Random) -> None:
        """Let every second path be used by other partitions."""
        self._dice = dice
        self.keys = [f"0.{number:02x}" for number in range(CHANNELS)]
        self._counts = [[dice.randrange(U32) for _ in self._COUNTED] for _ in self.keys]
        self._stamp = dice.randrange(1 << 24)

    def carry(self, lcu: int, starts: int, read: int, written: int) -> None:
        """Carry the I/O of a device over one of the paths to its control unit."""
        path = (PATHS * lcu + int(self._dice.random() * PATHS)) % CHANNELS
        self._count(path, starts, read * 8, written * 8, ours=1)

    def tick(self) -> None:
        """Let the others work for a second, and the firmware write down what was done."""
        dice = self._dice
        self._stamp = (self._stamp + SECOND // TICK) % (1 << 24)
        for path in range(0, CHANNELS, 2):
            starts = dice.randrange(1, 2000)
            self._count(path, starts, starts * dice.randrange(600), starts * dice.randrange(300), ours=0)

    def _count(self, path: int, starts: int, read: int, written: int, ours: int) -> None:
        counts = self._counts[path]
        work = starts * 220 + (read + written) // 3
        grown = (starts * 9 + (read + written) // 40, work, work * ours, written, written * ours, read,
                 read * ours, starts // 8, 0, starts // 7, starts - starts // 8, starts // 900,
                 starts + starts // 5)  # fmt: skip
        for place, more in enumerate(grown):
            counts[place] = (counts[place] + more) % U32

    def frame(self, now: int) -> Frame:
        """Read all paths."""
        many = len(self.keys)
        columns: dict[str, list[Value]] = {name: [label] * many for name, label in self._LABELS.items()}
        columns["chid"] = [f"{0x100 + number:04x}" for number in range(many)]
        for name in (*COUNTERS, *EXT_COUNTERS, *CHARACTERISTICS):
            columns[name] = [self._LIMITS.get(name, _NOT_IN)] * many
        columns["timestamp"] = [self._stamp] * many
        columns.update(zip(self._COUNTED, map(list, zip(*self._counts, strict=True)), strict=True))
        return Frame(CHANNEL, self.keys, columns, [now + number * ONE_READ for number in range(many)])


def uid(number: int) -> str:
    """Return what a device calls itself."""
    return f"IBM.750000000ABCD1.{0x2000 + number // PER_LCU:04x}.{number % PER_LCU:02x}"


def measured(totals: list[int], now: int, own: str) -> cmf.Row:
    """Return what sysfs shows of a device's totals: see `zmon.kernel.cmf.parse_cmf`."""
    count, *ticks = totals
    if count <= TICK:
        times: Iterable[int] = (total * TICK for total in ticks)
        doubt = 0
    else:
        times = (-(-(total * TICK // count) * count // TICK) * TICK for total in ticks)
        doubt = (count - 1) // TICK * TICK
    return (count % U32, count, *times, cmf.whole_seconds(now // count * count), doubt, "sysfs", own)


class Disks:
    """The disks of a load as kernel files below a directory, for programs that read those."""

    def __init__(self, load: Load, root: str) -> None:
        """Write the files that stay, and those that change as they are now."""
        self.load = load
        self.root = root
        self._heads = [f"{94:4d} {4 * number:7d} {name} "
                       for number, name in zip(load.numbers, load.names, strict=True)]  # fmt: skip
        self._place = {number: row for row, number in enumerate(load.numbers)}
        self._order = sorted(range(len(load.names)), key=load.numbers.__getitem__)
        """The kernel lists disks as they came, not by name."""
        self._lines = [""] * len(load.names)
        for name, number in zip(load.names, load.numbers, strict=True):
            self._disk(name, number)
        sizes = (f"  94 {4 * load.numbers[row]:8} {7_212_240:10} {load.names[row]}\n" for row in self._order)
        self._write("proc/partitions", "major minor  #blocks  name\n\n" + "".join(sizes))
        self._renew(range(len(load.names)))

    def _disk(self, name: str, number: int) -> None:
        device = f"devices/css0/0.0.{number:04x}/{self.load.busids[number]}/block/{name}"
        for file, value in (
            ("dev", f"94:{4 * number}"), ("diskseq", str(9 + number)), ("size", "14424480"),
            ("queue/nr_requests", "32"), ("queue/logical_block_size", "4096"), ("queue/iostats", "1"),
        ):  # fmt: skip
            self._write(f"sys/{device}/{file}", value + "\n")
        for link in (f"sys/block/{name}", f"sys/class/block/{name}", f"sys/dev/block/94:{4 * number}"):
            whole = f"{self.root}/{link}"
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            os.symlink("../" * (link.count("/") - 1) + device, whole)

    def _write(self, path: str, content: str) -> None:
        whole = f"{self.root}/{path}"
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="ascii") as stream:
            stream.write(content)

    def _renew(self, rows: Iterable[int]) -> None:
        for row in rows:
            self._lines[row] = f"{self._heads[row]}{' '.join(map(str, self.load.blocks[row]))}\n"
        self._write("proc/diskstats", "".join(map(self._lines.__getitem__, self._order)))
        up = (UPTIME + self.load.second * SECOND) / SECOND
        self._write("proc/uptime", f"{up:.2f} {up:.2f}\n")

    def tick(self) -> None:
        """Let a second pass."""
        self._renew(self._place[number] for number in self.load.tick())


def day(path: str, hours: int = 24, length: int = HOUR) -> None:
    """Make the recording of a day of the load, one sample a second.

    The first hour is recorded; the others are copies of it with other times, so each begins with what looks
    like a reset of all counters.  That takes a minute or two instead of the better part of an hour.
    """
    hour(path, length)
    lengthen(path, hours, length)


def hour(path: str, length: int = HOUR) -> None:
    """Record the load for so many seconds."""
    writer = recording_with_trends(path, durable=False)
    for sample in Load().samples(length):
        writer.append(sample)
    writer.close()


def lengthen(path: str, hours: int, length: int = HOUR) -> None:
    """Let a recording of the load go on until it is so many times as long."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    last = connection.execute("SELECT max(id) FROM segment").fetchone()[0]
    segments = connection.execute(
        "SELECT id, kind, first, layout, ahead, before, body FROM segment ORDER BY id"
    ).fetchall()
    times = connection.execute("SELECT n, utc, steady, session FROM sample").fetchall()
    ends = dict(connection.execute("SELECT kind, segment FROM latest").fetchall())
    for hour in range(1, hours):
        passed, samples, before = hour * length * SECOND, hour * length, hour * last
        connection.execute("BEGIN")
        rows = [(n + samples, utc + passed, steady + passed, session) for n, utc, steady, session in times]
        connection.executemany(
            "INSERT INTO sample (n, utc, steady, session, crc) VALUES (?, ?, ?, ?, ?)",
            [(*row, sample_crc(*row)) for row in rows],
        )
        for number, kind, first, layout, ahead, earlier, body in segments:
            follows = None if first is None else (earlier or ends[kind] - last) + before
            what = (
                kind,
                None if first is None else first + samples,
                layout,
                ahead and ahead + before,
                follows,
            )
            moved = later(body, samples, passed) if body else None
            connection.execute(
                "INSERT INTO segment (id, kind, first, layout, ahead, before, body, crc)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (number + before, *what, moved, crc(moved or b"", "segment", *what)),
            )
        connection.execute("COMMIT")
    for kind, number in ends.items():
        newest = number + (hours - 1) * last
        connection.execute(
            "UPDATE latest SET segment = ?, crc = ? WHERE kind = ?",
            (newest, crc(b"", "latest", kind, newest), kind),
        )
    connection.close()


def later(body: bytes, samples: int, passed: int) -> bytes:
    """Return a segment with the numbers of its samples and its times moved on."""
    size = 4 + int.from_bytes(body[:4], "little")
    head = load(body[4:size])
    head["samples"][0] += samples
    head["anchors"][0] += passed
    described = dump(head)
    return len(described).to_bytes(4, "little") + described + body[size:]
