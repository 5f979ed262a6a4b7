#!/usr/bin/env python3
"""Run zmon in emulated machines, and compare what it shows with what their kernels, tools and fio say.

    testbed/verify.py                               build, boot Hercules and QEMU, compare
    testbed/verify.py --short                       boot Hercules for three minutes, and compare less
    testbed/verify.py testbed/work/hercules         compare once more what a run left

Prints one line per check; the exit status is 1 when one failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from boot import HERE, VOLUMES, WORK, Job, boot, with_zmon
from check import Check, Tolerance, near, same, short
from placed import check_placed
from replayed import (
    COMMANDS,
    bring,
    check_byte_order,
    check_killed,
    check_recorder,
    check_session,
    moments,
    zmon,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

PROJECT: Final = HERE.parent
SECTOR: Final = 512

# from and to may be off by the time that reading one file takes on an emulated processor
STAMP: Final = Tolerance(0.0, 0.5)
SLACK: Final = 0.5
"""Seconds between the time that zmon prints and the reading of a row, at most."""
# fio ends within the notes, and counts a request when it is told of it; file systems read little besides
FIO: Final = Tolerance(0.0, 12.0)
SIZES: Final = ((1113, "1"), (2226, "2"), (3339, "3"), (10017, "9"))
"""The cylinders of each model of a 3390, from the smallest."""
MODELS: Final = {
    f"0.0.{volume.name}": next(model for size, model in SIZES if volume.cylinders <= size)
    for volume in VOLUMES
}
"""The models of the emulated volumes, which follow from their size: the smallest that is large enough."""
LOADED_DISKS: Final = 5
WHOLE: Final = 0.03
"""How far a rate times its seconds may be from a whole number of requests."""
ROUNDING: Final = Tolerance(0.0, 0.01)


class Window(NamedTuple):
    """Two moments, in seconds since 1970."""

    begin: float
    end: float


# --- what zmon showed ----------------------------------------------------------------------------


@dataclass
class Shown:
    """One interval of a screen, as `zmon show --format json` printed it."""

    document: dict[str, Any]

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows by their keys."""
        return {row["key"]: row for row in self.document["rows"]}

    @property
    def window(self) -> Window:
        """When the interval began and ended."""
        begin, end = (datetime.fromisoformat(self.document[name]).timestamp() for name in ("from", "to"))
        return Window(begin, end)

    def reason(self, column: str, key: str) -> str:
        """Return why a value is absent, or nothing when no reason is given."""
        for entry in self.document["absent"]:
            if entry.get("column") == column and key in entry["rows"]:
                return str(entry["reason"])
        return ""

    def estimated(self, column: str) -> set[str]:
        """Return the rows whose value is marked as an estimate."""
        return {key for e in self.document["estimated"] if e["column"] == column for key in e["rows"]}


def read_shown(path: Path) -> Shown:
    """Read what zmon printed.

    Raises:
        ValueError: it is not JSON; the message has zmon's own words.
    """
    try:
        return Shown(json.loads(path.read_text()))
    except (OSError, json.JSONDecodeError) as e:
        errors = path.with_name(path.name + ".errors")
        said = errors.read_text().strip().splitlines()[-1:] if errors.exists() else []
        raise ValueError(f"{path.name}: {e}; zmon said: {' '.join(said) or 'nothing'}") from e


# --- what the kernel counted ---------------------------------------------------------------------


class Counts(NamedTuple):
    """The counters of one moment."""

    at: float
    disks: dict[str, list[int]]
    """Whole disks and partitions: the columns of /proc/diskstats after the name."""
    starts: dict[str, int]
    """`ssch_rsch_count` of each measured device."""


class Bounds(NamedTuple):
    """The least and the most that a figure may be, however busy the host was."""

    least: float
    most: float

    def over(self, other: Bounds) -> Bounds:
        """Return the bounds of a quotient; the divisor is more than nothing."""
        return Bounds(self.least / other.most, self.most / other.least)

    def times(self, factor: float) -> Bounds:
        """Return the bounds in another unit."""
        return Bounds(self.least * factor, self.most * factor)


class Done(NamedTuple):
    """What a disk did between two moments."""

    requests: Bounds
    bytes: Bounds
    waited: Bounds
    """ms of all requests together."""
    queued: Bounds
    """ms times requests in the queue."""


class Witness:
    """The counters as the guest's shell noted them about once a second.

    Counters only grow, and a note was made between its own time and a second before that of the next one
    (the shell sleeps a second in between).  So each moment lies behind one note and before another, and what
    was counted between two moments has bounds that do not depend on how fast anything ran.
    """

    def __init__(self, text: str) -> None:
        """Take what `watch_counters` wrote; its last note may be incomplete."""
        self.notes = [_counts(note) for note in text.split("at ")[1:-1]]
        self.begun = [note.at for note in self.notes]
        self.ended = [at - 1 for at in self.begun[1:]]

    def disk(self, name: str, window: Window) -> Done:
        """Return what a disk did between two moments."""

        def grown(*columns: int) -> Bounds:
            counts = [sum(note.disks[name][column] for column in columns) for note in self.notes]
            return self._grown(counts, window)

        return Done(grown(0, 4), grown(2, 6).times(SECTOR), grown(3, 7), grown(10))

    def reads(self, name: str) -> int:
        """Return the reads that a disk completed between the first and the last note."""
        first, last = self.notes[0].disks[name], self.notes[-1].disks[name]
        return last[0] - first[0]

    def starts(self, busid: str, window: Window) -> Bounds:
        """Return how many operations were started on a subchannel."""
        return self._grown([note.starts[busid] for note in self.notes], window)

    def _grown(self, counts: Sequence[int], window: Window) -> Bounds:
        begin, end = self._around(window.begin), self._around(window.end)
        return Bounds(max(counts[end.start] - counts[begin.stop], 0), counts[end.stop] - counts[begin.start])

    def _around(self, moment: float) -> slice:
        """Return the last note that was surely made before a moment, and the first one surely behind it."""
        before = bisect_right(self.ended, moment - SLACK) - 1
        behind = bisect_left(self.begun, moment + SLACK)
        if before < 0 or behind == len(self.begun):
            raise ValueError(f"zmon's interval reaches beyond what was noted: {moment}")
        return slice(before, behind)


def _counts(note: str) -> Counts:
    moment, *lines = note.splitlines()
    disks: dict[str, list[int]] = {}
    starts: dict[str, int] = {}
    for line in lines:
        words = line.split()
        if words[0] == "ssch":
            starts[words[1]] = int(words[2])
        else:
            disks[words[2]] = [int(word) for word in words[3:]]
    return Counts(float(moment), disks, starts)


# --- what the tools said -------------------------------------------------------------------------


class Subchannel(NamedTuple):
    """One line of lscss."""

    devtype: str
    cutype: str
    in_use: bool
    masks: int
    """Installed, available and operational paths."""
    chpids: tuple[str, ...]
    """Those of the installed paths."""


def read_lscss(text: str) -> dict[str, Subchannel]:
    """Read what lscss printed, by bus id."""
    found = {}
    for line in text.splitlines():
        m = re.match(
            r"(\d\.\d\.\w{4}) \S+ +(\S+) (\S+) +(yes)? +(\w\w) +(\w\w) +(\w\w) +(\w{8}) (\w{8})", line
        )
        if m:
            installed, available, operational = (int(m[n], 16) for n in (5, 6, 7))
            every = re.findall("..", m[8] + m[9])
            chpids = tuple(chpid for bit, chpid in enumerate(every) if installed & 0x80 >> bit)
            found[m[1]] = Subchannel(m[2], m[3], m[4] == "yes", installed & available & operational, chpids)
    return found


def read_table(text: str, column: int) -> dict[str, str]:
    """Read a table of lsdasd: bus id and another column; empty when the line has no such column."""
    lines = [line.split() for line in text.splitlines()]
    return {
        words[0]: words[column] if len(words) > column else ""
        for words in lines
        if words and words[0][:2] == "0."
    }


def read_fio(path: Path) -> int:
    """Return how many reads fio completed; it may print warnings before its report."""
    text = path.read_text()
    return int(json.loads(text[text.index("{") :])["jobs"][0]["read"]["total_ios"])


# --- the checks ----------------------------------------------------------------------------------

TIMES: Final = ("pend", "disc", "conn", "serv")


def check_devices(shown: Shown, css: Mapping[str, Subchannel]) -> Iterator[Check]:
    """Compare the descriptions of devices with lscss."""
    rows = shown.rows
    yield same("devices in use", {bus for bus, sch in css.items() if sch.in_use}, set(rows))
    for bus, row in rows.items():
        sch = css[bus]
        kind, _, model = sch.devtype.partition("/")
        model = MODELS.get(bus) or model.lstrip("0").upper() or "0"
        known = f"{kind}-{model}" if kind != "0000" else row["type"]
        found = (row["addr"], row["type"], row["paths"], row["chpids"])
        expected = (bus[-4:], known, sch.masks.bit_count(), " ".join(sch.chpids).upper())
        yield Check(f"{bus} description", str(expected), str(found), expected == found)


def check_dasds(shown: Shown, names: Mapping[str, str], uids: Mapping[str, str]) -> Iterator[Check]:
    """Compare names and control units with lsdasd, labels with those the scenario wrote."""
    for bus, row in shown.rows.items():
        if bus in names:
            yield same(f"{bus} name", names[bus], row["dasd"])
        uid = uids.get(bus, "")
        if uid:
            yield same(f"{bus} control unit", uid.rpartition(".")[0], row["cu"])
            yield same(f"{bus} label", f"ZM{bus[-4:]}", row["label"])


def measured_seconds(shown: Shown) -> float | None:
    """Return the seconds that lie between the two readings of /proc/diskstats, as the rates betray them.

    Requests are whole numbers and all disks are read at once, so only the true time makes every rate a
    whole number of requests.  Five loaded disks are needed to tell it from chance; None with fewer.
    """
    rates = [row["ios"] for row in shown.rows.values() if row.get("ios")]
    if len(rates) < LOADED_DISKS:
        return None
    printed = shown.window.end - shown.window.begin
    tried = (printed + step / 2000 for step in range(-2000, 12000))
    off, seconds = min((max(abs(r * t - round(r * t)) for r in rates), t) for t in tried)
    return seconds if off < WHOLE else None


def counted_window(shown: Shown) -> Window:
    """Return between which moments the counters were read: what is printed, if no more is known."""
    begin, end = shown.window
    seconds = measured_seconds(shown)
    return Window(end - seconds if seconds else begin, end)


def check_length(shown: Shown) -> Iterator[Check]:
    """Check that an interval says how long it was: its counters must span what is printed."""
    seconds = measured_seconds(shown)
    if seconds is not None:
        begin, end = shown.window
        yield near("seconds the counters span, as printed", end - begin, seconds, STAMP)


def length(window: Window) -> Bounds:
    """Return how many seconds may lie between the two readings of a row."""
    return Bounds(window.end - window.begin - SLACK, window.end - window.begin + SLACK)


def within(what: str, bounds: Bounds, found: object) -> Check:
    """Check that a figure lies within its bounds."""
    least, most = bounds.least * (1 - 1e-9), bounds.most * (1 + 1e-9)  # floats are rounded
    ok = isinstance(found, int | float) and least <= found <= most
    return Check(what, f"{bounds.least:.2f} to {bounds.most:.2f}", short(found), ok)


def check_load(shown: Shown, witness: Witness, window: Window) -> Iterator[Check]:
    """Compare rates, sizes, times and queues with what the kernel counted meanwhile."""
    seconds = length(window)
    for bus, row in shown.rows.items():
        if row["dasd"] is None:
            continue
        done = witness.disk(row["dasd"], window)
        yield within(f"{bus} requests/s", done.requests.over(seconds), row["ios"])
        yield within(f"{bus} MB/s", done.bytes.times(1e-6).over(seconds), row["mbs"])
        yield within(f"{bus} queue", done.queued.times(1e-3).over(seconds), row["queue"])
        if done.requests.least > 1:
            yield within(f"{bus} await", done.waited.over(done.requests), row["await"])
            yield within(
                f"{bus} KiB per request", done.bytes.times(1 / 1024).over(done.requests), row["reqkb"]
            )
        if bus in witness.notes[0].starts and bus not in shown.estimated("io"):
            yield within(f"{bus} starts/s", witness.starts(bus, window).over(seconds), row["io"])


def check_measurement(shown: Shown, witness: Witness, uids: Mapping[str, str]) -> Iterator[Check]:
    """Check that what the emulator does not measure is absent, with its reason, and estimates say so."""
    rows = shown.rows
    for column in TIMES:
        values = {bus: row[column] for bus, row in rows.items()}
        silent = [bus for bus in rows if not shown.reason(column, bus)]
        yield same(f"{column} is absent", {None}, set(values.values()))
        yield same(f"{column} has its reason everywhere", [], silent)
    measured = set(witness.notes[0].starts)
    expected = {bus for bus in uids if bus in rows} - measured
    yield same("io is an estimate where starts are not counted", expected, shown.estimated("io"))


def check_fio(
    witness: Witness, names: Mapping[str, str], jobs: Mapping[tuple[str, ...], int]
) -> Iterator[Check]:
    """Compare the kernel's counts, by which zmon is judged, with the reads that fio says it did."""
    for volumes, reads in jobs.items():
        counted = sum(witness.reads(names[f"0.0.{volume}"]) for volume in volumes)
        yield near(f"{'+'.join(volumes)} reads as fio", reads, counted, FIO)


def check_control_units(
    shown: Shown, witness: Witness, names: Mapping[str, str], uids: Mapping[str, str], window: Window
) -> Iterator[Check]:
    """Compare each control unit with the sum of its volumes."""
    members: dict[str, list[str]] = defaultdict(list)
    for bus, uid in uids.items():
        if uid:
            members[uid.rpartition(".")[0]].append(bus)
    yield same("control units", set(members), set(shown.rows))
    for key, row in shown.rows.items():
        done = [witness.disk(names[bus], window) for bus in members[key]]
        yield same(f"{key} volumes", len(members[key]), row["units"])
        for what, found, parts in (
            ("I/O per second", row["io"], [d.requests for d in done]),
            ("MB/s", row["mbs"], [d.bytes.times(1e-6) for d in done]),
        ):
            together = Bounds(sum(part.least for part in parts), sum(part.most for part in parts))
            yield within(f"{key} {what}", together.over(length(window)), found)
    yield near("shares add up to", 100, sum(row["share"] for row in shown.rows.values()), ROUNDING)


def check_channels(shown: Shown, css: Mapping[str, Subchannel]) -> Iterator[Check]:
    """Compare channel paths with those of the subchannels; their load is not measured here."""
    count = Counter(chpid.upper() for sch in css.values() for chpid in sch.chpids)
    yield same("channel paths", set(count), {row["chpid"] for row in shown.rows.values()})
    for key, row in shown.rows.items():
        yield same(f"channel {key} devices", count[row["chpid"]], row["devices"])
        yield same(f"channel {key} load is absent", None, row["cur"])
        yield Check(
            f"channel {key} says why", "a reason", shown.reason("cur", key), bool(shown.reason("cur", key))
        )


def check_partitions(shown: Shown, names: set[str]) -> Iterator[Check]:
    """Compare the partitions with hypfs."""
    yield same("partitions", names, {row["partition"] for row in shown.rows.values()})
    for key, row in shown.rows.items():
        busy = row["busy"]
        ok = isinstance(busy, int | float) and 0 <= busy <= 100
        yield Check(f"processor {key} busy", "0 to 100 %", short(busy), ok)


def check_cache(shown: Shown, uids: Mapping[str, str]) -> Iterator[Check]:
    """Compare the volumes with lsdasd; the emulated control units count no hits."""
    yield same("volumes with a cache", {bus for bus, uid in uids.items() if uid}, set(shown.rows))
    yield same("hits are absent", {None}, {row["hit"] for row in shown.rows.values()})


def check_capture(archive: Path, live: Shown, witness: Witness) -> Iterator[Check]:
    """Let zmon read on this machine what it captured in the guest."""
    shown = Shown(json.loads(zmon("show", "DEVICE", "--from", str(archive.resolve()), "--format", "json")))
    yield same("captured devices", set(live.rows), set(shown.rows))
    for check in check_load(shown, witness, counted_window(shown)):
        yield check._replace(what=f"captured {check.what}")


def check_recorded(recording: Path, witness: Witness, name: str) -> Iterator[Check]:
    """Compare a recording with what the kernel counted meanwhile, but for the first interval: zmon starts."""
    words = ("show", "DEVICE", "--from", str(recording.resolve()), "--format", "json")
    shown = Shown(json.loads(zmon(*words, "--since", moments(recording)[1])))
    for check in (*check_length(shown), *check_load(shown, witness, counted_window(shown))):
        yield check._replace(what=f"{name} {check.what}")


LOADS: Final = {
    "plain": ("7000",),
    "stripe": ("7001", "7100"),
    "linear": ("7101",),
    "ldl": ("7201",),
    "mirror": ("7002", "7200"),
}
"""The volumes that each job of fio reads."""


class Left:
    """What a scenario left in a directory."""

    def __init__(self, where: Path) -> None:
        """Read what all scenarios leave."""
        self.where = where
        self.css = read_lscss((where / "lscss").read_text())
        self.witness = Witness((where / "counters").read_text())
        self.device = read_shown(where / "device.json")

    def table(self, name: str) -> dict[str, str]:
        """Return a table of lsdasd: bus id and the column that matters here."""
        return read_table((self.where / name).read_text(), 2)


def check_short(left: Left) -> Iterator[Check]:
    """Make the checks of the short scenario: loads, a recorder, and where files lie."""
    names, uids = left.table("lsdasd"), left.table("lsdasd-uid")
    yield from check_all(left, uids)
    yield from check_disks(left, names, uids, ("plain", "stripe", "mirror"))
    yield from check_recorder(left.where)


def check_hercules(left: Left) -> Iterator[Check]:
    """Make the checks of the long scenario on DASD."""
    names, uids = left.table("lsdasd"), left.table("lsdasd-uid")
    yield from check_all(left, uids)
    yield from check_disks(left, names, uids, LOADS)
    yield from check_screens(left)
    units = read_shown(left.where / "ctlunit.json")
    yield from check_control_units(units, left.witness, names, uids, counted_window(units))
    yield from check_cache(read_shown(left.where / "cachext.json"), uids)
    yield from check_partitions(
        read_shown(left.where / "lpar.json"), set((left.where / "lpars").read_text().split())
    )
    yield from check_recorder(left.where)
    yield from check_killed(left.where)
    yield from check_recorded(left.where / "killed", left.witness, "killed:")
    yield from check_byte_order(left.where)


def check_qemu(left: Left) -> Iterator[Check]:
    """Make the checks of the long scenario on virtio and SCSI disks."""
    yield from check_all(left, {})
    yield from check_screens(left)


def check_all(left: Left, uids: Mapping[str, str]) -> Iterator[Check]:
    """Make the checks of every scenario: devices, their load, and where files lie."""
    yield from check_devices(left.device, left.css)
    yield from check_length(left.device)
    yield from check_load(left.device, left.witness, counted_window(left.device))
    yield from check_placed(left.where, uids)


def check_disks(
    left: Left, names: Mapping[str, str], uids: Mapping[str, str], jobs: Iterable[str]
) -> Iterator[Check]:
    """Make the checks that need DASD."""
    yield from check_dasds(left.device, names, uids)
    yield from check_measurement(left.device, left.witness, names)
    reads = {LOADS[job]: read_fio(left.where / f"fio-{job}.json") for job in jobs}
    yield from check_fio(left.witness, names, reads)
    yield from check_recorded(left.where / "days", left.witness, "recorder:")


def check_screens(left: Left) -> Iterator[Check]:
    """Check channel paths, the capture, and the live screens against their recording."""
    yield from check_channels(read_shown(left.where / "channel.json"), left.css)
    yield from check_capture(left.where / "capture.tar.gz", left.device, left.witness)
    yield from check_session(left.where)
    yield from check_recorded(left.where / "session.zmon", left.witness, "session:")


class Scenario(NamedTuple):
    """What runs in which machine, and how it is judged."""

    machine: str
    scripts: tuple[str, ...]
    check: Callable[[Left], Iterator[Check]]


LONG: Final = ("hercules", "qemu")
SHORT: Final = ("short",)
SCENARIOS: Final = {
    "hercules": Scenario("hercules", ("scenario.sh", "placement.sh"), check_hercules),
    "qemu": Scenario("qemu", ("scenario-kvm.sh", "placement-kvm.sh"), check_qemu),
    "short": Scenario("hercules", ("scenario-short.sh",), check_short),
}
"""By the directories that they leave in `work`."""


def run_scenario(name: str) -> Path:
    """Boot a machine, run a scenario there, and return the directory with what it left.

    Raises:
        ValueError: the guest gave no answer.
    """
    out = WORK / name
    shutil.rmtree(out, ignore_errors=True)
    machine, scripts, _ = SCENARIOS[name]
    with TemporaryDirectory() as temporary:
        brought = bring(Path(temporary))
        own = [HERE / name for name in ("steps.sh", *scripts, "byte_by_byte.py")]
        files = (*with_zmon(WORK, Path(temporary)), *own, COMMANDS, brought)
        job = Job("; ".join(f"bash {script}" for script in scripts), files, udev=machine == "hercules")
        answer = boot(job, out, machine, timeout=3600)
        shutil.copy(brought, out)
    print(f"{name}: " + ", ".join(f"{step} {at:.0f} s" for step, at in answer.moments.items()))
    print((out / "stdout").read_text(errors="replace"), (out / "stderr").read_text(errors="replace"))
    return out


def report(directory: Path, *, failed_only: bool) -> int:
    """Print the checks of a directory and return how many failed."""
    checks: list[Check] = []
    try:
        checks.extend(SCENARIOS[directory.name].check(Left(directory)))  # those before an error stay
    except (OSError, ValueError, LookupError, TypeError) as e:
        checks.append(Check("the checks themselves", "can be made", repr(e), ok=False))
    failed = sum(not check.ok for check in checks)
    for check in sorted(checks, key=lambda check: not check.ok):  # what failed is read last
        if not (failed_only and check.ok):
            print(f"{'ok ' if check.ok else 'BAD'}  {check.what:<46}  {check.expected:<32}  {check.found}")
    print(f"{directory}: {len(checks)} checks, {failed} failed\n")
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the scenarios unless their directories are named; return 1 when a check failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "directory", type=Path, nargs="*", help="what a scenario left: hercules, qemu or short"
    )
    parser.add_argument("--short", action="store_true", help="only the short scenario")
    parser.add_argument("--failed", action="store_true", help="print only what failed")
    options = parser.parse_args(arguments)
    directories: list[Path] = options.directory
    if not directories:
        built = subprocess.run(
            [HERE / "build.sh", WORK], env={**os.environ, "PYTHON": sys.executable}, check=False
        )
        if built.returncode:
            return built.returncode
        try:
            directories = [run_scenario(name) for name in (SHORT if options.short else LONG)]
        except ValueError as e:
            print(f"verify.py: {e}", file=sys.stderr)
            return 1
    failed = [report(directory, failed_only=options.failed) for directory in directories]
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
