"""What it costs to read answers of CP, as a ratio to counting the lines that look like a minidisk.

    python -m benchmarks.cp

The rival is `sum(1 for line in file if pattern.match(line))` over the same file, which reads no field, keeps
nothing and knows one shape.  The first file has 100,000 lines of QUERY VIRTUAL DASD; a second one is told
beside it, a console log of many queries with time stamps, prefixes, lists, messages and lines that nobody
understands.  All are read in turn; compared are the least processor times.  zmon keeps perfect lines as they
are until somebody asks for their rows, so what rows and claims cost besides is told too, and so is memory.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
import time
import tracemalloc
from typing import Final

from zmon.cp.answer_reader import parse

LINES: Final = 100_000
ROUNDS: Final = 9
PROMISED: Final = 3.0
"""Times the rival's time."""
MINIDISK: Final = re.compile(
    rb"DASD ([0-9A-F]{4}) ([0-9]{4}) (.{6}) (R/[WO]) ([ 0-9]{10}) (CYL|BLK) ON DASD  ([0-9A-F]{4}) "
    rb"SUBCHANNEL = "
)
LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def disk(dice: random.Random, number: int) -> str:
    """Return the line of a minidisk."""
    label = "".join(dice.choices(LETTERS, k=6))
    size = dice.choice((3338, 10016, 30050, 32759))
    mode = dice.choice(("R/W", "R/W", "R/O"))
    real = dice.randrange(0x7000, 0x8000)
    return (
        f"DASD {number % 65536:04X} 3390 {label} {mode} {size:10} CYL ON DASD  {real:04X}"
        f" SUBCHANNEL = {number % 65536:04X}\n"
    )


def answers(lines: int, seed: int = 390) -> str:
    """Return lines of QUERY VIRTUAL DASD."""
    dice = random.Random(seed)  # noqa: S311 - the same lines in each run
    return "".join(disk(dice, number) for number in range(lines))


def console(lines: int, seed: int = 390) -> str:
    """Return the log of a console."""
    dice = random.Random(seed)  # noqa: S311 - the same lines in each run
    found: list[str] = []
    while len(found) < lines:
        found.append("10:22:33 Q V DASD\n")
        found += [f"00: {disk(dice, number)}" for number in range(0x200, 0x200 + dice.randrange(40))]
        found.append("10:22:34 Ready; T=0.01/0.01 10:22:34\n")
        for number in range(0x7000, 0x7000 + dice.randrange(40)):
            found.append(f"DASD {number:04X} CP SYSTEM LNX{number & 0xFFF:03X}   {dice.randrange(9)} \n")
            found.append(f"DASD {number + 64:04X} ATTACHED TO LINDB01  {number:04X} R/W DB{number:04X}\n")
        found.append("DASD 7700 DB7700  , DASD 7701 DB7701  , DASD 7702 FREE    , DASD 7703 DB7703\n")
        found.append("12:01:07 * MSG FROM OPERATOR: BACKUP BEGINS\n")
        found.append("the application says something of its own here\n")
    return "".join(found[:lines])


def rival(path: str) -> int:
    """Count lines."""
    with open(path, "rb") as file:
        return sum(1 for line in file if MINIDISK.match(line))


def zmon(path: str) -> int:
    """Read all of it."""
    with open(path, "rb") as file:
        return parse(file, path).counts["understood"]


def claims(path: str) -> int:
    """Read all of it, and make a claim of every row."""
    with open(path, "rb") as file:
        return len(parse(file, path).claims())


def least(path: str) -> tuple[float, ...]:
    """Return the milliseconds of the rival, of zmon, and of zmon with all claims."""
    ways = (rival, zmon, claims)
    times: list[list[float]] = [[] for _ in ways]
    for _ in range(ROUNDS):
        for found, read in zip(times, ways, strict=True):
            begun = time.process_time()
            read(path)
            found.append(1000 * (time.process_time() - begun))
    return tuple(map(min, times))


def peak(path: str) -> float:
    """Return the MiB that reading takes at the most."""
    tracemalloc.start()
    zmon(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / (1 << 20)


def main() -> int:
    """Compare, and say how; the exit status says whether the promise holds."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, promised in (
            ("QUERY VIRTUAL DASD", answers(LINES), True),
            ("a console log", console(LINES), False),
        ):
            path = os.path.join(folder, name.replace(" ", "_"))
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            counting, reading, claiming = least(path)
            ratio = reading / counting
            missed += promised and ratio > PROMISED
            held = f"promised {PROMISED}" if promised else "told"
            print(f"{name:20} {LINES:,} lines: counting {counting:6.1f} ms, zmon {reading:6.1f} ms,", end=" ")
            print(f"{ratio:5.2f} times   {held}")
            print(
                f"{'':20} with a claim for each row {claiming:.1f} ms, {claiming / counting:.2f} times   told"
            )
            once = peak(path)
            with open(path, "a", encoding="ascii") as file:
                file.write(text * 9)
            print(f"{'':20} {once:.0f} MiB; ten times as long {peak(path):.0f} MiB   told")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
