"""A machine whose samples are known beforehand, so that what is read can be compared with what was written.

Run as a program it starts recorders to be killed: `machine.py DIR SEED SAMPLES-OF-A-DAY`.
"""

from __future__ import annotations

import os
import random
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlite_utils  # noqa: F401 - so that not each recorder has to

import zmon.store.reader  # noqa: F401 - likewise
from zmon.base.absent import absent
from zmon.base.clock import DAY
from zmon.kinds import BLOCK, CHANNEL, CMF, DASD, DEVICE
from zmon.recorder.roll import Roll
from zmon.sample import Frame, Instant, Sample, empty_frame
from zmon.store.file_format import make
from zmon.store.open import MEMORY, connect
from zmon.trends.rollup import TrendWriter, recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Value
    from zmon.sample import Kind
    from zmon.store.reader import Recording

NOON = 1_795_262_400 * 10**9  # 2026-11-21 12:00 UTC
SECOND = 10**9

COUNTERS = {BLOCK: ("reads", "sectors_read", "read_ms", "writes"), CMF: ("ssch", "samples", "connect")}
LABELS = {
    BLOCK: ("number", "busid"),
    DASD: ("name", "volser"),
    DEVICE: ("chpids", "devtype", "uid", "status"),
}
DEVICES = 12

ROOT = Path(__file__).parents[2]
"""Where a process finds this module."""


def samples(seed: int, step: int = SECOND) -> Iterator[Sample]:
    """Yield what a machine shows; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - chance that can be repeated
    frames: dict[str, Frame] = {}
    number = 0
    while True:
        at = Instant(NOON + number * step, 10**12 + number * SECOND, "boot")
        for kind in (BLOCK, CMF, DASD, DEVICE, CHANNEL):
            last = frames.get(kind.name)
            often = 8 if kind in {DASD, DEVICE} else 1
            if last is None or number % often == 0 or chance.random() < 0.1:
                frames[kind.name] = _read(chance, kind, last, at)
        if chance.random() < 0.03:
            frames.pop(CHANNEL.name)
        yield Sample(at, dict(frames), "a machine", 1.0)
        number += 1


def series(recording: Recording, kind: str, name: str, key: str) -> list[Value]:
    """Return what one thing held in one column at each sample that has it."""
    frames = (recording.select(kind, number, frozenset({key})) for number in range(len(recording)))
    return [value for frame in frames if frame for value in frame.columns.get(name, ())]


def _read(chance: random.Random, kind: Kind, last: Frame | None, at: Instant) -> Frame:
    if kind is CHANNEL or chance.random() < 0.02:
        return empty_frame(kind, chance.choice(["no channel measurement", "hangs"]))
    times = [at.steady + place * 1000 for place in range(DEVICES)]
    if last is None or last.missing is not None or chance.random() < 0.03:
        keys = [f"0.0.{7000 + place}" for place in range(chance.randint(1, DEVICES))]
        return Frame(kind, keys, _whole(chance, kind, keys), times[: len(keys)])
    columns: dict[str, list[Value]] = {name: list(values) for name, values in last.columns.items()}
    for name in COUNTERS.get(kind, ()):
        for row in range(len(last.keys)):
            if chance.random() < 0.4:
                _move(chance, columns[name], row)
    prior = last.but(prior=None) if kind is CMF and chance.random() < 0.5 else None
    if kind is CMF and chance.random() < 0.05:
        prior = Frame(kind, last.keys, _whole(chance, kind, last.keys), list(last.times))
    return Frame(kind, last.keys, columns, times[: len(last.keys)], prior=prior)


def _whole(chance: random.Random, kind: Kind, keys: list[str]) -> dict[str, list[Value]]:
    columns: dict[str, list[Value]] = {
        name: [chance.randrange(1 << 40) for _ in keys] for name in COUNTERS.get(kind, ())
    }
    for name in LABELS.get(kind, ()):
        columns[name] = [f"{name} {key} {chance.randrange(3)}" for key in keys]
    return columns


def _move(chance: random.Random, column: list[Value], row: int) -> None:
    now = column[row]
    if chance.random() < 0.02:
        odd: list[Value] = [absent("not measured"), 0.5, -1, 1 << 66]
        column[row] = chance.choice(odd)
    else:
        column[row] = (now if type(now) is int else 0) + chance.randrange(10_000)


def plain(frame: Frame | None) -> Any:
    """Return all parts of a frame, to be compared."""
    if frame is None:
        return None
    columns = {name: list(values) for name, values in frame.columns.items()}
    return frame.kind.name, list(frame.keys), columns, frame.times, frame.missing, plain(frame.prior)


def told(sample: Sample) -> Any:
    """Return all parts of a sample, to be compared."""
    frames = {name: plain(frame) for name, frame in sample.frames.items()}
    return sample.at, sample.source, sample.nominal, sample.simulated, frames


def record(directory: str, first: int, sealed: int, found: Iterator[Sample]) -> None:
    """Record samples, and say each that is safe."""
    roll = Roll(directory, lambda path: recording_with_trends(path, sealed=sealed), sys.exit)
    for number, sample in enumerate(found, first):
        if roll.append(sample):
            os.write(1, b"%d\n" % number)
        if number % 23 == 0:
            roll.close()


def main() -> None:
    """For each line `FIRST SEALED` fork a recorder, say its process, and say when somebody has killed it."""
    directory, seed, day = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with closing(connect(MEMORY)) as connection:
        make(connection)
        TrendWriter().open(connection)  # so that not each recorder has to import the tables
    found, at = samples(seed, DAY // day), 0
    for line in sys.stdin:
        first, sealed = map(int, line.split())
        for _ in range(first - at):
            next(found)
        at = first
        child = os.fork()
        if not child:
            record(directory, first, sealed, found)
            os._exit(1)
        os.write(1, b"process %d\n" % child)
        os.waitpid(child, 0)
        os.write(1, b"gone\n")


if __name__ == "__main__":
    main()
