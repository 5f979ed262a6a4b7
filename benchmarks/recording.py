"""What a recording costs: bytes against zstd, processor time against sampling and against other recorders.

    python -m benchmarks.recording [MINUTES]

The machine is that of `benchmarks.load`: 4,096 devices, 275 active, 256 channel paths, everything sampled.

* Bytes of the segments, against `zstd -19` on the same columns of the same 60 samples: each column that
  changed at all, and the times of its rows, as little-endian words of eight bytes, once device after device
  and once sample after sample; the smaller of the two counts.  And, of the segments of disks, against the 80
  bytes that sadc writes for each of them, uncompressed; it knows nothing of channel measurement.
* Processor time of recording, against that of sampling the same from a tree of kernel files: sampling in its
  own thread, recording with all that it does beside, sealing too.
* The time until a sample is safe, against an INSERT of 4 KiB into another file beside it, likewise in WAL
  mode and with the same `synchronous`, in turn, each after a rest; and what sealing adds to it.
* The whole recorder on the disks alone, against other recorders: see `benchmarks.recorders`.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from typing import TYPE_CHECKING, Final
from unittest import mock

from benchmarks.figures import IS_QUICK, note
from benchmarks.load import ACTIVE, DEVICES, Load
from benchmarks.recorders import KEPT, UNPACKED, Zmon, compared, libraries, memory, unpack
from benchmarks.sampling import Clock, Machine
from zmon.kernel.activity import DiskReader
from zmon.kernel.tree import LiveTree
from zmon.kinds import BLOCK
from zmon.sample import Instant, Sample
from zmon.store.writer import SEGMENT_SAMPLES
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.sample import Frame

MINUTES: Final = 6
COMPRESSED: Final = 1
"""Blocks that are given to zstd, which takes its time; from the middle of the recording."""
SADC: Final = 80 * DEVICES
"""Bytes of sadc's record of all disks."""
RECORDED: Final = 305
"""Samples for the comparison with other recorders: five segments, and what comes after.

A new file begins with some 450 kB of tables, keys and columns that do not change, which sadc does not have; a
day has them once for 86,400 samples.  So the bytes of a sample depend on how many there are: of 185 samples
one takes a 52nd of sadc's, of 305 a 61st, and each further one an 85th.
"""
SAMPLED: Final = 240
WATCHED: Final = 300
PAUSE: Final = 0.2
"""Seconds between samples whose latency is measured; a recorder has more, in which sealing ends."""
INSERTED: Final = 4096

SEGMENTS_TARGET: Final = 1.3
FILE_TARGET: Final = 2.5
SADC_TARGET: Final = 1 / 100
CPU_TARGET: Final = 0.20
LATENCY_TARGET: Final = 2.0
MEDIAN_TARGET: Final = 3.0
DELAY_TARGET: Final = 0.1
RIVAL: Final = "sadc -S XDISK"
RIVAL_CPU_TARGET: Final = 0.5
RIVAL_BYTES_TARGET: Final = 1 / 60


def told(what: str, ratio: float, target: float, unit: str = "x") -> bool:
    """Print a ratio and what was wanted; return whether it was kept."""
    kept = ratio <= target
    print(
        f"{'ok' if kept else 'MISSED':6} {what}: {ratio:.3g} {unit}, at most {target:.3g} wanted", flush=True
    )
    return kept


# bytes


class Block:
    """The numbers of the samples of one segment, as little as zstd can be asked to compress."""

    def __init__(self) -> None:
        """Begin without samples."""
        self._frames: dict[str, list[Frame]] = {}

    def add(self, sample: Sample) -> None:
        """Add a sample; a frame that is the one of before is no reading."""
        for name, frame in sample.frames.items():
            frames = self._frames.setdefault(name, [])
            if not frames or frames[-1] is not frame:
                frames.append(frame)

    def matrices(self) -> list[Sequence[Sequence[int]]]:
        """Return the columns that changed, one line per sample, absent cells as 0."""
        found: list[Sequence[Sequence[int]]] = []
        for frames in self._frames.values():
            for name in frames[0].columns:
                lines = [frame.columns[name] for frame in frames]
                if any(line != lines[0] for line in lines):
                    found.append([[v if type(v) is int else 0 for v in line] for line in lines])
            found.append([frame.times for frame in frames])
        return found

    def compressed(self) -> tuple[int, int]:
        """Return the bytes that zstd makes of it, device after device and sample after sample."""
        matrices = self.matrices()
        by_sample = (words(line) for matrix in matrices for line in matrix)
        by_device = (words(column) for matrix in matrices for column in zip(*matrix, strict=True))
        return zstd(b"".join(by_device)), zstd(b"".join(by_sample))


def words(numbers: Sequence[int]) -> bytes:
    """Return numbers as little-endian words of eight bytes."""
    found = array("Q", numbers)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def zstd(data: bytes) -> int:
    """Return how many bytes `zstd -19` makes of some."""
    program = shutil.which("zstd") or f"{UNPACKED}/usr/bin/zstd"
    with tempfile.TemporaryFile() as given:
        given.write(data)
        given.seek(0)
        done = subprocess.run(
            [program, "-19", "-q", "-c"],
            stdin=given,
            capture_output=True,
            env=os.environ | libraries(),
            check=True,
        )
    return len(done.stdout)


def in_bytes(directory: str, minutes: int) -> bool:
    """Compare the sizes."""
    path, load, blocks = f"{directory}/size.zmon", Load(), []
    writer = recording_with_trends(path, durable=False)
    middle = minutes // 2
    for minute in range(minutes):
        block = Block()
        for sample in load.samples(SEGMENT_SAMPLES):
            writer.append(sample)
            if middle <= minute < middle + COMPRESSED:
                block.add(sample)
        writer.seal()  # so that each segment has the samples of one block
        if middle <= minute < middle + COMPRESSED:
            blocks.append(block)
    writer.close()
    with sqlite3.connect(path) as connection:
        samples = connection.execute("SELECT count(*) FROM sample").fetchone()[0]
        rows = connection.execute("SELECT kind, sum(length(body)) FROM segment GROUP BY kind").fetchall()
        stills = connection.execute("SELECT sum(length(body)) FROM still").fetchone()[0]
        layouts = connection.execute("SELECT sum(length(body)) FROM layout").fetchone()[0]
    connection.close()
    by_kind = {str(kind): int(size or 0) for kind, size in rows}
    segments, whole = sum(by_kind.values()) / samples, os.path.getsize(path) / samples
    print(f"{samples} samples of everything; bytes a sample: segments {segments:.0f}, whole file {whole:.0f}")
    each = ", ".join(f"{name} {size / samples:.0f}" for name, size in by_kind.items())
    print(f"of the segments: {each}; columns that stand still {stills} bytes, and keys {layouts} bytes, once")
    print(f"everything against sadc's record of the disks alone: {segments / SADC:.3f} x")
    disks = by_kind[BLOCK.name] / samples
    kept = told(f"segments of disks against sadc's record of {SADC} bytes", disks / SADC, SADC_TARGET)
    why = "" if shutil.which("zstd") else unpack(("zstd",))
    if why:
        print(f"zstd is left out: {why}")
        return kept
    found = [block.compressed() for block in blocks]
    by_device, by_sample = (statistics.fmean(sizes) / SEGMENT_SAMPLES for sizes in zip(*found, strict=True))
    least = min(by_device, by_sample)
    print(
        f"zstd -19: {by_device:.0f} bytes a sample device after device, {by_sample:.0f} sample after sample"
    )
    kept &= told("segments against zstd -19", segments / least, SEGMENTS_TARGET)
    kept &= told("whole file against zstd -19", whole / least, FILE_TARGET)
    return kept


# processor time


def in_processor_time(directory: str) -> bool:
    """Compare recording with sampling, both of disks and channel measurement."""
    clock, dice = Clock(), random.Random(390)  # noqa: S311 - the same figures in each run
    sampled = recorded = 0
    with tempfile.TemporaryDirectory(dir=memory()) as root:
        machine = Machine(root)
        writer = recording_with_trends(f"{directory}/cpu.zmon")
        with mock.patch("time.monotonic_ns", clock):
            activity = DiskReader(LiveTree(root))
            for number in range(SAMPLED + 1):
                for device in range(ACTIVE):
                    machine.start(device, 1000 * (number + 1) + dice.randrange(500))
                machine.work(range(ACTIVE))
                clock.tick()
                begun = time.thread_time_ns()
                frames = activity.read()
                taken = time.thread_time_ns() - begun
                at = Instant(clock.now, clock.now, "benchmark")
                sample = Sample(at, {frame.kind.name: frame for frame in frames}, "a machine in memory", 1.0)
                begun = time.process_time_ns()
                writer.append(sample)
                writer.settle()  # so that what it costs is on nobody else's account
                if number:  # the first one reads, and records, everything
                    sampled += taken
                    recorded += time.process_time_ns() - begun
        writer.close()
    print(f"a sample of disks and channel measurement, {ACTIVE} active: ms of processor time for taking it "
          f"{sampled / SAMPLED / 1e6:.2f}, for recording it {recorded / SAMPLED / 1e6:.2f}")  # fmt: skip
    note("recording.taken", recorded / sampled)
    return told("recording against sampling", recorded / sampled, CPU_TARGET)


# latency


def in_latency(directory: str) -> bool:
    """Compare the time until a sample is safe with an INSERT, and look at what sealing does to it."""
    load, stuff = Load(), random.Random(390).randbytes(INSERTED)  # noqa: S311 - nothing secret
    writer = recording_with_trends(f"{directory}/latency.zmon")
    synchronous = writer.connection.execute("PRAGMA synchronous").fetchone()[0]
    bare = sqlite3.connect(f"{directory}/bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute(f"PRAGMA synchronous = {int(synchronous)}")
    bare.execute("CREATE TABLE stuff (id INTEGER PRIMARY KEY, body BLOB)")
    appends, delayed, inserts = [], [], []
    for number, sample in enumerate(load.samples(WATCHED + 1)):
        time.sleep(PAUSE / 2)
        busy = writer.busy
        begun = time.perf_counter()
        writer.append(sample)
        append = time.perf_counter() - begun
        busy |= writer.busy
        time.sleep(PAUSE / 2)  # so that either begins after a rest
        begun = time.perf_counter()
        bare.execute("INSERT INTO stuff (body) VALUES (?)", (stuff,))
        insert = time.perf_counter() - begun
        if number:  # the first one records everything
            appends.append(append)
            inserts.append(insert)
            if busy:
                delayed.append(append)
    writer.close()
    bare.close()
    usual = statistics.median(appends)
    print(f"ms until a sample is safe: {spread(appends)}; {len(delayed)} of them while a segment was made")
    print(f"ms for an INSERT of {INSERTED} bytes: {spread(inserts)}; both with synchronous = {synchronous}")
    kept = told("p99 of an append against that of the INSERT", late(appends) / late(inserts), LATENCY_TARGET)
    kept &= told("its median likewise", usual / statistics.median(inserts), MEDIAN_TARGET)
    return kept & told("the longest delay by sealing", max(delayed, default=usual) - usual, DELAY_TARGET, "s")


def late(times: Sequence[float]) -> float:
    """Return what 99 % stay below."""
    return statistics.quantiles(times, n=100)[98]


def spread(times: Sequence[float]) -> str:
    """Describe times in ms."""
    figures = (statistics.median(times), late(times), max(times))
    return "median {:.1f}, p99 {:.1f}, most {:.1f}".format(*(figure * 1000 for figure in figures))


# other recorders


def against_others(directory: str) -> bool:
    """Compare `zmon record` of disks with what else records disks."""
    print(f"{DEVICES} disks, {ACTIVE} active, {RECORDED} samples", flush=True)
    ours = Zmon()
    why = ours.available()
    if why:
        print(f"{ours.name}: left out: {why}")
        return True
    costs = compared(RECORDED)
    os.mkdir(f"{directory}/record")
    own = ours.record(RECORDED, f"{directory}/record")
    for name, cost in (costs | {ours.name: own}).items():
        print(f"{name:16} {cost.cpu * 1000:7.1f} ms {cost.size / 1000:8.1f} kB a sample")
    rival = costs.get(RIVAL)
    if rival is None:
        return True
    kept = told(f"processor time of {ours.name} against {RIVAL}", own.cpu / rival.cpu, RIVAL_CPU_TARGET)
    return kept & told(f"bytes of {ours.name} against {RIVAL}", own.size / rival.size, RIVAL_BYTES_TARGET)


def main() -> int:
    """Measure all; 1 if something was missed."""
    minutes = int(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT) as directory:  # on a disk, whose patience is measured too
        if IS_QUICK:
            return int(not in_processor_time(directory))
        kept = [
            in_bytes(directory, minutes),
            in_processor_time(directory),
            in_latency(directory),
            against_others(directory),
        ]
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
