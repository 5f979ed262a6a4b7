#!/usr/bin/env python3
"""Compare what units did, as cgroups count it, with fio's own counts and with the counters of the disks.

    testbed/attributed.py DIRECTORY       what units.sh left

Prints one line per check; the exit status is 1 when one failed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from check import Check, Tolerance, near

from zmon.kinds import UNIT_IO
from zmon.session.recording import open_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

SECTOR: Final = 512
CGROUP: Final = "sys/fs/cgroup"
UNIT: Final = Tolerance(0.02, 65536.0)
"""A unit against fio: direct I/O, and the blocks in which the file system keeps where a file lies."""
PART: Final = 0.01
"""All units of a disk against the disk, which is read before and behind them."""
LEAST: Final = 1 << 20
"""Bytes below which a disk is not compared."""

ROOT: Final = ("0190", "0191", "0192")
"""Disks that the guest itself uses, before and behind the recording too."""

Counts = dict[str, tuple[int, int]]
"""Bytes read and written by major:minor."""


def read_io_stat(path: Path) -> Counts:
    """Read an `io.stat`: `254:0 rbytes=1 wbytes=2 rios=...`."""
    found = {}
    for line in path.read_text().splitlines():
        number, *words = line.split()
        values = dict(word.split("=", 1) for word in words if "=" in word)
        if "rbytes" in values:
            found[number] = int(values["rbytes"]), int(values["wbytes"])
    return found


def read_diskstats(path: Path) -> Counts:
    """Read a copy of /proc/diskstats."""
    lines = (line.split() for line in path.read_text().splitlines())
    return {f"{one[0]}:{one[1]}": (int(one[5]) * SECTOR, int(one[9]) * SECTOR) for one in lines}


def check_units(where: Path) -> Iterator[Check]:
    """Compare each unit with the fio in it, after fio has ended."""
    cgroups = where / "kept/end" / CGROUP
    for report in sorted(where.glob("fio-*.json")):
        name = report.stem.removeprefix("fio-")
        stats = list(cgroups.rglob(f"{name}.service/io.stat"))
        text = report.read_text()
        if "{" not in text:  # it was killed before it could report
            continue
        job = json.loads(text[text.index("{") :])["jobs"][0]
        for direction, what in enumerate(("read", "write")):
            done = int(job[what]["io_bytes"])
            if done and stats:
                counted = max((counts[direction] for counts in read_io_stat(stats[0]).values()), default=0)
                yield near(f"{name}: bytes {what}, as fio", done, counted, UNIT)


def check_disks(where: Path) -> Iterator[Check]:
    """Compare what units read from a disk with what it read, between two times.

    What is written besides is by the kernel: journals belong to no unit.
    """
    begin, end = where / "kept/begin", where / "kept/end"
    counts = {
        (at, name): read_diskstats(at / name)
        for at in (begin, end)
        for name in ("diskstats", "diskstats-after")
    }
    for number in counts[end, "diskstats-after"]:
        first, last, before, behind = (
            counts[key].get(number, (0, 0))[0]
            for key in (
                (begin, "diskstats-after"),
                (end, "diskstats"),
                (begin, "diskstats"),
                (end, "diskstats-after"),
            )
        )
        least, most = (last - first) * (1 - PART), (behind - before) * (1 + PART)
        if least >= LEAST:
            units = _units(end, number) - _units(begin, number)
            expected = f"{least:.0f} to {most:.0f}"
            yield Check(f"{number}: bytes read by all units", expected, str(units), least <= units <= most)


def check_recorded(where: Path) -> Iterator[Check]:
    """Compare what the recording says of units and disks with fio and the kernel's counters.

    All of fio's I/O begins and ends within the recording, so bytes are rates times the seconds between the
    first and the last reading of units, which a slow machine reads some seconds after its first sample.
    """
    shown = {
        screen: json.loads(
            subprocess.run(
                [sys.executable, "-m", "zmon", "show", screen, "--from", str(where / "unit-days"),
                 "--since", "begin", "--format", "json"],
                capture_output=True, text=True, check=True,
            ).stdout
        )
        for screen in ("USERIO",)
    }  # fmt: skip
    io = shown["USERIO"]
    seconds = counted_seconds(where / "unit-days")
    rows = [row for row in io["rows"] if row["mbs"] is not None]
    for report in sorted(where.glob("fio-*.json")):
        name, done = report.stem.removeprefix("fio-"), read_fio(report)
        own = [row for row in rows if row["unit"] == name and row["addr"] not in ROOT]
        read = sum(row["mbs"] * row["read"] / 100 for row in own) * 1e6 * seconds
        written = sum(row["mbs"] for row in own) * 1e6 * seconds - read
        # what fio writes before it begins to read, to lay out its file, is not in its report
        for what, found in (("read", read), ("written", written)):
            if own and done[what]:
                yield near(f"{name}: bytes {what}, recorded, as fio", done[what], found, UNIT)
    for disk in sorted({row["addr"] for row in rows}):
        number = next(row["key"].split()[0] for row in rows if row["addr"] == disk)
        least, most = (
            sum(read_diskstats(where / "kept" / at / name)[number]) * sign
            for at, name, sign in (("end", "diskstats-after", 1), ("begin", "diskstats", -1))
        )
        moved = least + most
        found = sum(row["mbs"] for row in rows if row["addr"] == disk) * 1e6 * seconds
        if moved >= LEAST and disk not in ROOT:
            yield near(
                f"{disk}: bytes recorded of units and the rest", moved, found, Tolerance(PART, 65536.0)
            )


def check_stuck(where: Path) -> Iterator[Check]:
    """See that a suspended device is diagnosed, and the task that waits for it listed."""
    for how, diagnosis, blocked in (
        ("live", "stuck-diagnose.txt", "stuck-blocked.txt"),
        ("recorded", "stuck-replayed-diagnose.txt", "stuck-replayed-BLOCKED.txt"),
    ):
        for what, name, words in (
            ("a suspended device is diagnosed", diagnosis, ("stuck", "is suspended")),
            ("the task that waits for it is listed", blocked, ("dd", "stuck-reader")),
        ):
            path = where / name
            lines = path.read_text().splitlines() if path.exists() else []
            found = next(
                (line.strip() for line in lines if all(word in line for word in words)), "no such line"
            )
            yield Check(f"{how}: {what}", " ".join(words), found[:70], found != "no such line")


def counted_seconds(path: Path) -> float:
    """Return the seconds between the first and the last reading of units in a recording."""
    timeline = open_recording(str(path))
    last = position = timeline.next()
    first = None if position is None else position.sample.frame(UNIT_IO)
    while position is not None:
        last, position = position, timeline.next(position)
    if first is None or last is None:
        return 0.0
    return (min(last.sample.frame(UNIT_IO).times) - min(first.times)) / 1e9


def read_fio(report: Path) -> dict[str, int]:
    """Return the bytes read and written as fio reports them; 0 if it was killed before it could report."""
    text = report.read_text()
    if "{" not in text:
        return {"read": 0, "written": 0}
    job = json.loads(text[text.index("{") :])["jobs"][0]
    return {"read": int(job["read"]["io_bytes"]), "written": int(job["write"]["io_bytes"])}


def _units(kept: Path, number: str) -> int:
    """Return the bytes that all units have read from a disk: those at the top have what is below them."""
    stats = (kept / CGROUP).glob("*/io.stat")
    return sum(read_io_stat(path).get(number, (0, 0))[0] for path in stats)


def main() -> int:
    """Print the checks of a directory; return 1 when one failed."""
    where = Path(sys.argv[1])
    checks = [*check_units(where), *check_disks(where), *check_recorded(where), *check_stuck(where)]
    for check in checks:
        print(f"{'ok ' if check.ok else 'BAD'}  {check.what:<46}  {check.expected:<32}  {check.found}")
    return 0 if checks and all(check.ok for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
