#!/usr/bin/env python3
"""Run zmon in emulated machines, and compare what it shows with what their kernels, tools and fio say.

    testbed/verify.py                               build, boot Hercules and QEMU, compare
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
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from boot import HERE, WORK, Job, boot, with_zmon
from check import Check, Tolerance, near, same, short
from placed import check_placed
from replayed import COMMANDS, bring, check_byte_order, check_recorders, check_session, moments, zmon

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PROJECT: Final = HERE.parent
SECTOR: Final = 512

# The kernel's counters were noted once a second and are interpolated to the moments between which
# zmon measured; zmon reads each row some milliseconds off them.
RATE: Final = Tolerance(0.05, 0.3)
MEGABYTES: Final = Tolerance(0.05, 0.02)
# one slow request within the second that is interpolated moves a mean much further than a count
MILLISECONDS: Final = Tolerance(0.15, 0.5)
QUEUE: Final = Tolerance(0.15, 0.02)
SIZE: Final = Tolerance(0.05, 0.5)
# fio's rate is that of its whole run; journals add a request now and then
FIO: Final = Tolerance(0.05, 1.0)
# from and to may be off by the time that reading one file takes on an emulated processor
STAMP: Final = Tolerance(0.0, 0.5)
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


class Done(NamedTuple):
    """What a disk did between two moments, per second or per request."""

    requests: float
    megabytes: float
    wait: float
    queue: float
    size: float


class Witness:
    """The counters as the guest's shell noted them about once a second."""

    def __init__(self, text: str) -> None:
        """Take what `watch_counters` wrote; its last note may be incomplete."""
        self.notes = [_counts(note) for note in text.split("at ")[1:-1]]
        self.times = [note.at for note in self.notes]

    def disk(self, name: str, window: Window) -> Done:
        """Return what a disk did between two moments."""
        begin, end = window
        last = len(self.notes[0].disks[name])
        d = [
            self._between([note.disks[name][column] for note in self.notes], window) for column in range(last)
        ]
        requests, sectors, seconds = d[0] + d[4], d[2] + d[6], end - begin
        return Done(
            requests / seconds,
            sectors * SECTOR / 1e6 / seconds,
            (d[3] + d[7]) / requests if requests else 0.0,
            d[10] / 1e3 / seconds,
            sectors * SECTOR / 1024 / requests if requests else 0.0,
        )

    def starts(self, busid: str, window: Window) -> float:
        """Return how many operations per second were started on a subchannel."""
        counts = [note.starts[busid] for note in self.notes]
        return self._between(counts, window) / (window.end - window.begin)

    def _between(self, counts: Sequence[int], window: Window) -> float:
        return self._at(counts, window.end) - self._at(counts, window.begin)

    def _at(self, counts: Sequence[int], moment: float) -> float:
        after = bisect_left(self.times, moment)
        if not 0 < after < len(self.times):
            raise ValueError(f"zmon's interval reaches beyond what was noted: {moment}")
        span = self.times[after] - self.times[after - 1]
        part = (moment - self.times[after - 1]) / span
        return counts[after - 1] + part * (counts[after] - counts[after - 1])


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


class Fio(NamedTuple):
    """What fio reported of one job."""

    rate: float
    megabytes: float


def read_fio(path: Path) -> Fio:
    """Read a report; fio may print warnings before it."""
    text = path.read_text()
    job = json.loads(text[text.index("{") :])["jobs"][0]
    return Fio(
        job["read"]["iops"] + job["write"]["iops"],
        (job["read"]["bw_bytes"] + job["write"]["bw_bytes"]) / 1e6,
    )


# --- the checks ----------------------------------------------------------------------------------

TIMES: Final = ("pend", "disc", "conn", "serv")


def check_devices(shown: Shown, css: Mapping[str, Subchannel]) -> Iterator[Check]:
    """Compare the descriptions of devices with lscss."""
    rows = shown.rows
    yield same("devices in use", {bus for bus, sch in css.items() if sch.in_use}, set(rows))
    for bus, row in rows.items():
        sch = css[bus]
        kind, _, model = sch.devtype.partition("/")
        known = f"{kind}-{model.lstrip('0') or '0'}".upper() if kind != "0000" else row["type"]
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


def check_load(shown: Shown, witness: Witness, window: Window) -> Iterator[Check]:
    """Compare rates, sizes, times and queues with what the kernel counted meanwhile."""
    for bus, row in shown.rows.items():
        if row["dasd"] is None:
            continue
        done = witness.disk(row["dasd"], window)
        yield near(f"{bus} requests/s", done.requests, row["ios"], RATE)
        yield near(f"{bus} MB/s", done.megabytes, row["mbs"], MEGABYTES)
        yield near(f"{bus} queue", done.queue, row["queue"], QUEUE)
        if done.requests > 1:
            yield near(f"{bus} await", done.wait, row["await"], MILLISECONDS)
            yield near(f"{bus} KiB per request", done.size, row["reqkb"], SIZE)
        if bus in witness.notes[0].starts and bus not in shown.estimated("io"):
            yield near(f"{bus} starts/s", witness.starts(bus, window), row["io"], RATE)


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


def check_fio(shown: Shown, jobs: Mapping[tuple[str, ...], Fio]) -> Iterator[Check]:
    """Compare the rates of volumes with what fio says it did to them."""
    for volumes, fio in jobs.items():
        rows = [shown.rows[f"0.0.{volume}"] for volume in volumes]
        name = "+".join(volumes)
        yield near(f"{name} requests/s as fio", fio.rate, sum(r["ios"] for r in rows), FIO)
        yield near(f"{name} MB/s as fio", fio.megabytes, sum(r["mbs"] for r in rows), MEGABYTES)


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
        yield near(f"{key} I/O per second", sum(d.requests for d in done), row["io"], RATE)
        yield near(f"{key} MB/s", sum(d.megabytes for d in done), row["mbs"], MEGABYTES)
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


def check_directory(where: Path) -> Iterator[Check]:
    """Make all checks that the files in a directory allow."""
    css = read_lscss((where / "lscss").read_text())
    witness = Witness((where / "counters").read_text())
    device = read_shown(where / "device.json")
    yield from check_devices(device, css)
    yield from check_length(device)
    yield from check_load(device, witness, counted_window(device))
    yield from check_channels(read_shown(where / "channel.json"), css)
    yield from check_capture(where / "capture.tar.gz", device, witness)
    yield from check_session(where)
    yield from check_recorded(where / "session.zmon", witness, "session:")
    lsdasd = where / "lsdasd-uid"
    yield from check_placed(where, read_table(lsdasd.read_text(), 2) if lsdasd.exists() else {})
    if not (where / "lsdasd").exists():
        return
    names = read_table((where / "lsdasd").read_text(), 2)
    uids = read_table((where / "lsdasd-uid").read_text(), 2)
    yield from check_dasds(device, names, uids)
    yield from check_measurement(device, witness, names)
    jobs: dict[tuple[str, ...], Fio] = {
        volumes: read_fio(where / f"fio-{name}.json")
        for name, volumes in (
            ("plain", ("7000",)),
            ("stripe", ("7001", "7100")),
            ("linear", ("7101",)),
            ("ldl", ("7201",)),
            ("mirror", ("7002", "7200")),
        )
    }
    yield from check_fio(device, jobs)
    units = read_shown(where / "ctlunit.json")
    yield from check_control_units(units, witness, names, uids, counted_window(units))
    yield from check_cache(read_shown(where / "cachext.json"), uids)
    yield from check_partitions(read_shown(where / "lpar.json"), set((where / "lpars").read_text().split()))
    yield from check_recorders(where)
    yield from check_recorded(where / "days", witness, "recorder:")
    yield from check_recorded(where / "killed", witness, "killed:")
    yield from check_byte_order(where)


SCENARIOS: Final = {
    "hercules": ("scenario.sh", "placement.sh"),
    "qemu": ("scenario-kvm.sh", "placement-kvm.sh"),
}
"""What runs in which machine, one after the other."""


def run_scenario(machine: str) -> Path:
    """Boot a machine, run its scenario there, and return the directory with what it left.

    Raises:
        ValueError: the guest gave no answer.
    """
    out = WORK / machine
    shutil.rmtree(out, ignore_errors=True)
    scripts = SCENARIOS[machine]
    with TemporaryDirectory() as temporary:
        brought = bring(Path(temporary))
        own = [HERE / name for name in ("steps.sh", *scripts, "byte_by_byte.py")]
        files = (*with_zmon(WORK, Path(temporary)), *own, COMMANDS, brought)
        job = Job("; ".join(f"bash {script}" for script in scripts), files, udev=machine == "hercules")
        answer = boot(job, out, machine, timeout=3600)
        shutil.copy(brought, out)
    print(f"{machine}: " + ", ".join(f"{step} {at:.0f} s" for step, at in answer.moments.items()))
    print((out / "stdout").read_text(errors="replace"), (out / "stderr").read_text(errors="replace"))
    return out


def report(directory: Path, *, failed_only: bool) -> int:
    """Print the checks of a directory and return how many failed."""
    checks: list[Check] = []
    try:
        checks.extend(check_directory(directory))  # those before an error stay
    except (OSError, ValueError, KeyError, TypeError) as e:
        checks.append(Check("the checks themselves", "can be made", repr(e), ok=False))
    failed = sum(not check.ok for check in checks)
    for check in checks:
        if not (failed_only and check.ok):
            print(f"{'ok ' if check.ok else 'BAD'}  {check.what:<46}  {check.expected:<32}  {check.found}")
    print(f"{directory}: {len(checks)} checks, {failed} failed\n")
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the scenarios unless their directories are named; return 1 when a check failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path, nargs="*", help="what a scenario left")
    parser.add_argument("--failed", action="store_true", help="print only what failed")
    options = parser.parse_args(arguments)
    directories: list[Path] = options.directory
    if not directories:
        built = subprocess.run([HERE / "build.sh"], env={**os.environ, "PYTHON": sys.executable}, check=False)
        if built.returncode:
            return built.returncode
        try:
            directories = [run_scenario(machine) for machine in SCENARIOS]
        except ValueError as e:
            print(f"verify.py: {e}", file=sys.stderr)
            return 1
    failed = [report(directory, failed_only=options.failed) for directory in directories]
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
