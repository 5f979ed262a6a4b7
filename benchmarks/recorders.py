"""Other recorders of disk statistics, to compare with: sysstat, atop, Performance Co-Pilot and nmon.

    python -m benchmarks.recorders [SAMPLES]

They are fetched as packages of the distribution and unpacked beside the benchmarks, not installed; where
there is no apt, no such package or no C compiler, the comparison says so and goes on without them.

Each runs on another machine than this one, as far as it can tell (`another_machine.c`): with the 4,096 disks
of `benchmarks.load`, and a clock that stands still while it works and leaps when it waits.  So a recorder
takes an hour's samples in a minute or two, all of them and each in full, and what the disks do in between is
on nobody's account.  The kernel's own work of making up /proc/diskstats is missing for all alike.
"""

from __future__ import annotations

import functools
import os
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from benchmarks.load import BEGIN, DEVICES, HOUR, SECOND, UPTIME, Disks, Load, day
from benchmarks.sampling import SHARED_MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Command = Callable[[int, str, str], list[str]]
    """Makes a command of the samples to take, the directory to record into, and the root of the machine."""

HERE: Final = Path(__file__).resolve().parent
KEPT: Final = HERE / "out"
"""What is kept from run to run: packages, and recordings of an hour."""
UNPACKED: Final = KEPT / "packages"
SHIM: Final = KEPT / "another_machine.so"
SAMPLES: Final = 120
SOUGHT: Final = (600, 1800, 3000)
"""Seconds of the hour that are looked up."""
SETTLED: Final = 5
"""Samples at the begin that do not count."""
BUSY_WAIT: Final = SECOND // 8
"""Shorter waits are those of SQLite for another connection, and not for the next sample."""
SAID: Final = "said"
"""The file beside a recording that holds what the recorder printed."""
_WAIT: Final = struct.Struct("=qq")


class Cost(NamedTuple):
    """What a recorder needs for a sample."""

    cpu: float
    """Seconds of processor time, user and system, of all its threads."""
    size: float
    """Bytes of its files."""


class Effort(NamedTuple):
    """What a command took, from its start to its end, and what it said."""

    wall: float
    cpu: float
    output: bytes


class Recorder(Protocol):
    """A program that records disks."""

    name: str

    def available(self) -> str:
        """Return why it cannot be compared with; nothing if it can."""

    def record(self, samples: int, directory: str) -> Cost:
        """Record the disks of the load, a sample a second, as a new recording in a directory."""

    def hour(self, directory: str) -> None:
        """Make the recording of an hour that `seek` looks into, unless it is there."""

    def seek(self, directory: str, second: int) -> list[str]:
        """Return the command that shows the disks at a second of a recording; nothing if there is none."""


def unpack(packages: Sequence[str]) -> str:
    """Fetch packages and unpack them; return why that cannot be done."""
    for program in ("apt-get", "dpkg-deb"):
        if not shutil.which(program):
            return f"needs {program}, to fetch the packages {' '.join(packages)}"
    for package in packages:
        done = UNPACKED / f".{package}"
        if done.exists():
            continue
        UNPACKED.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            fetch = ["apt-get", "download", "-q", package]
            found = subprocess.run(fetch, cwd=folder, capture_output=True, check=False)
            if found.returncode and not os.geteuid():
                subprocess.run(["apt-get", "update", "-q"], capture_output=True, check=False)
                found = subprocess.run(fetch, cwd=folder, capture_output=True, check=False)
            archives = list(Path(folder).glob("*.deb"))
            if found.returncode or not archives:
                return f"the package {package} cannot be fetched"
            for archive in archives:
                subprocess.run(["dpkg-deb", "-x", str(archive), str(UNPACKED)], check=True)
        done.touch()
    return ""


@functools.cache
def shim() -> str:
    """Compile what makes programs believe in another machine; return why that cannot be done."""
    KEPT.mkdir(exist_ok=True)
    source = HERE / "another_machine.c"
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(SHIM), str(source), "-ldl"]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "needs a C compiler"
    return made.stderr[-300:] if made.returncode else ""


def libraries() -> dict[str, str]:
    """Return the environment in which unpacked programs find their libraries."""
    folders = [
        UNPACKED / "usr/lib",
        *UNPACKED.glob("usr/lib/*-linux-gnu*"),
        *UNPACKED.glob("lib/*-linux-gnu*"),
    ]
    return {
        "LD_LIBRARY_PATH": ":".join(map(str, folders)),
        "PCP_CONF": f"{UNPACKED}/pcp.conf",
        "TZ": "UTC",
        "LC_ALL": "C",
        "TERM": "dumb",
    }


def starts(program: Path) -> str:
    """Return why a program cannot even be started."""
    if not program.exists():
        return f"its package has no {program.name}"
    tried = subprocess.run(
        [program, "-V"],
        env=os.environ | libraries(),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return tried.stderr.strip()[-300:] if tried.returncode == 127 else ""


def spent_by(process: int) -> float:
    """Return the seconds of processor time of another process and all its threads, to the ns."""
    return time.clock_gettime((~process << 3) | 2)  # the kernel's number of such a clock


def watched(command: Command, samples: int, directory: str, environment: Mapping[str, str]) -> float:
    """Run a recorder on the disks of a load until it ends; return its seconds of processor time a sample."""
    clock: list[float] = []
    waited = 0
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryDirectory(dir=memory()) as root, ours:
        disks = Disks(Load(), root)
        machine = {
            "LD_PRELOAD": str(SHIM),
            "MACHINE_ROOT": root,
            "MACHINE_SOCKET": str(theirs.fileno()),
            "MACHINE_BEGIN": str(BEGIN // SECOND),
            "MACHINE_UPTIME": str(UPTIME // SECOND),
        }
        with theirs, open(f"{directory}/{SAID}", "wb") as said:
            recorder = subprocess.Popen(
                command(samples, directory, root), env=os.environ | environment | machine,
                pass_fds=[theirs.fileno()], cwd=HERE.parent,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            )  # fmt: skip
        while len(question := ours.recv(_WAIT.size, socket.MSG_WAITALL)) == _WAIT.size:
            process, length = _WAIT.unpack(question)
            if length > BUSY_WAIT:
                clock.append(spent_by(process))
            waited += length
            while disks.load.second < waited // SECOND:
                disks.tick()
            ours.send(b".")
        recorder.wait()
    if len(clock) < 0.9 * samples:  # a deadline may be missed while SQLite waits
        words = Path(directory, SAID).read_text(encoding="utf-8", errors="replace").strip()[-300:]
        raise RuntimeError(f"{command} took {len(clock)} samples of {samples}: {words}")
    settled = clock[SETTLED:]
    return (settled[-1] - settled[0]) / (len(settled) - 1)


def memory() -> str | None:
    """Return a directory in memory, if there is one."""
    return SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None


def size_of(directory: str) -> int:
    """Return the bytes of all files in a directory."""
    return sum(file.stat().st_size for file in Path(directory).iterdir() if file.name != SAID)


def effort(command: Sequence[str]) -> Effort:
    """Run a reader to its end."""
    environment = os.environ | libraries() | {"PYTHONPYCACHEPREFIX": f"{KEPT}/bytecode"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    with tempfile.TemporaryFile() as output:
        begun = time.perf_counter()
        reader = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        _, status, usage = os.wait4(reader.pid, 0)
        wall = time.perf_counter() - begun
        reader.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read()
    if reader.returncode:
        raise RuntimeError(f"{Path(command[0]).name}: {said[-300:].decode(errors='replace')}")
    return Effort(wall, usage.ru_utime + usage.ru_stime, said)


class Unpacked:
    """What the recorders that come in packages have in common."""

    name = ""
    packages: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    """The recorder and, if there is one, the reader."""

    def available(self) -> str:
        """Return why it cannot be compared with; nothing if it can."""
        why = shim() or unpack(self.packages) or self.prepare()
        for program in self.programs:
            why = why or starts(UNPACKED / program)
        return why

    def prepare(self) -> str:
        """Do what has to be done after unpacking."""
        return ""

    def command(self, samples: int, directory: str, root: str) -> list[str]:
        """Return the command that records the machine below `root`."""
        raise NotImplementedError

    def record(self, samples: int, directory: str) -> Cost:
        """Record the disks of the load, a sample a second, as a new recording in a directory."""
        # atop shall not switch on the accounting of processes
        environment = libraries() | {"ATOPACCT": ""}
        cpu = watched(self.command, samples, directory, environment)
        return Cost(cpu, size_of(directory) / samples)

    def hour(self, directory: str) -> None:
        """Make the recording of an hour that `seek` looks into, unless it is there."""
        if os.path.isdir(directory):
            return
        os.makedirs(os.path.dirname(directory), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(directory)) as fresh:
            whole = f"{fresh}/hour"
            os.mkdir(whole)
            self.record(HOUR, whole)
            os.rename(whole, directory)

    def seek(self, directory: str, second: int) -> list[str]:  # noqa: ARG002 - as in `Recorder`
        """Return nothing: it has no reader."""
        return []


class Sysstat(Unpacked):
    """sadc, with the disks of `-S XDISK`, and sar."""

    name = "sadc -S XDISK"
    packages = ("sysstat", "libsensors5")
    programs = ("usr/lib/sysstat/sadc", "usr/bin/sar.sysstat")

    def command(self, samples: int, directory: str, root: str) -> list[str]:  # noqa: ARG002 - it reads /proc
        """Return the command that records."""
        return [f"{UNPACKED}/{self.programs[0]}", "-S", "XDISK", "1", str(samples), f"{directory}/sa"]

    def seek(self, directory: str, second: int) -> list[str]:
        """Return the command that shows all disks at a second of a recording."""
        return [
            f"{UNPACKED}/{self.programs[1]}", "-d", "-f", f"{directory}/sa",
            "-s", of_day(second), "-e", of_day(second + 1),
        ]  # fmt: skip


class Atop(Unpacked):
    """Atop, which knows the first 1,024 disks only, and has times in minutes when it reads."""

    name = "atop"
    packages = ("atop", "libncursesw6")
    programs = ("usr/bin/atop",)

    def command(self, samples: int, directory: str, root: str) -> list[str]:  # noqa: ARG002 - it reads /proc
        """Return the command that records."""
        return [f"{UNPACKED}/{self.programs[0]}", "-w", f"{directory}/atop", "1", str(samples)]

    def seek(self, directory: str, second: int) -> list[str]:
        """Return the command that shows the disks at the begin of a minute."""
        minute = of_day(second)[:5].replace(":", "")
        program = f"{UNPACKED}/{self.programs[0]}"
        return [program, "-r", f"{directory}/atop", "-b", minute, "-e", minute, "-P", "DSK"]


class Pcp(Unpacked):
    """pmlogger, which asks the kernel itself, without a daemon between, and pmval.

    It logs the ten counters that sadc has too.  The hour holds only the one that pmval shows: nothing of the
    others has to be skipped.
    """

    name = "pmlogger"
    packages = (
        "pcp", "pcp-conf", "libpcp3", "libpcp-archive1", "libpcp-pmda3", "libpcp-gui2", "libpcp-import1",
        "libpcp-mmv1", "libpcp-trace2", "libpcp-web1", "libpfm4", "libuv1", "libbpf1", "libncurses6",
    )  # fmt: skip
    programs = ("usr/lib/pcp/bin/pmlogger", "usr/bin/pmval")
    counters: Final = {
        "read": 4, "write": 5, "blkread": 6, "blkwrite": 7, "avactive": 46, "aveq": 47, "read_merge": 49,
        "write_merge": 50, "read_rawactive": 72, "write_rawactive": 73,
    }  # fmt: skip
    """Names below disk.dev, and their numbers in the kernel's domain, 60."""

    def prepare(self) -> str:
        """Point the configuration, and links that are absolute, to where it was unpacked."""
        given = Path(UNPACKED, "etc/pcp.conf").read_text(encoding="ascii").splitlines()
        lines = []
        for line in given:
            name, equals, value = line.partition("=")
            lines.append(f"{name}={UNPACKED}{value}" if equals and value.startswith("/") else line)
        Path(UNPACKED, "pcp.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
        for folder in ("var/tmp", "var/lib/pcp/tmp/pmlogger", "run/pcp"):
            Path(UNPACKED, folder).mkdir(parents=True, exist_ok=True)
        names = "".join(f" {name} 60:0:{number}\n" for name, number in self.counters.items())
        space = f"root {{\n disk\n}}\ndisk {{\n dev\n}}\ndisk.dev {{\n{names}}}\n"
        Path(UNPACKED, "names").write_text(space, encoding="ascii")
        return ""

    def command(self, samples: int, directory: str, root: str) -> list[str]:  # noqa: ARG002 - it reads /proc
        """Return the command that records."""
        wanted = ["read"] if samples == HOUR else list(self.counters)
        metrics = "".join(f" disk.dev.{name}\n" for name in wanted)
        Path(directory, "wanted").write_text(f"log mandatory on 1 sec {{\n{metrics}}}\n", encoding="ascii")
        kernel = f"add,60,{UNPACKED}/usr/lib/pcp/pmdas/linux/pmda_linux.so,linux_init"
        return [
            f"{UNPACKED}/{self.programs[0]}", "-o", "-K", "clear", "-K", kernel, "-n", f"{UNPACKED}/names",
            "-c", f"{directory}/wanted", "-t", "1", "-T", f"{samples}sec", "-l", f"{directory}/{SAID}",
            f"{directory}/pcp",
        ]  # fmt: skip

    def seek(self, directory: str, second: int) -> list[str]:
        """Return the command that shows a counter of all disks at a second of a recording."""
        return [
            f"{UNPACKED}/{self.programs[1]}", "-a", f"{directory}/pcp", "-n", f"{UNPACKED}/names", "-r",
            "-s", "1", "-Z", "UTC", "-S", f"@{of_day(second)}", "disk.dev.read",
        ]  # fmt: skip


class Nmon(Unpacked):
    """Nmon, which writes text and has no reader."""

    name = "nmon"
    packages = ("nmon", "libncurses6")
    programs = ("usr/bin/nmon",)

    def command(self, samples: int, directory: str, root: str) -> list[str]:  # noqa: ARG002 - it reads /proc
        """Return the command that records."""
        program = f"{UNPACKED}/{self.programs[0]}"
        return [program, "-F", f"{directory}/nmon", "-s", "1", "-c", str(samples), "-d", str(DEVICES)]


class Zmon:
    """`zmon record` on the same disks: the whole program, with the same clock."""

    name = "zmon record"

    def available(self) -> str:
        """Return why it cannot be compared with: it is here."""
        return shim()

    def command(self, samples: int, directory: str, root: str) -> list[str]:
        """Return the command that records."""
        return [
            sys.executable, "-m", "zmon", "record", directory, "--root", root, "--only", "block",
            "--interval", "1", "--count", str(samples),
        ]  # fmt: skip

    def record(self, samples: int, directory: str) -> Cost:
        """Record the disks of the load, a sample a second, as a new recording in a directory."""
        cpu = watched(self.command, samples, directory, {"TZ": "UTC"})
        return Cost(cpu, size_of(directory) / samples)

    def hour(self, directory: str) -> None:
        """Make the recording of an hour that `seek` looks into, anew: of everything, not of disks alone."""
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        day(f"{directory}/2026-11-21.zmon", hours=1)

    def seek(self, directory: str, second: int) -> list[str]:
        """Return the command that shows all devices at a second of a recording."""
        return [sys.executable, "-m", "zmon", "show", "DEVICE", "--from", directory, "--at", of_day(second)]


RECORDERS: Final[tuple[Recorder, ...]] = (Sysstat(), Atop(), Pcp(), Nmon())


def of_day(second: int) -> str:
    """Return a second of the recorded day as a time: recordings begin at midnight."""
    return f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def compared(samples: int = SAMPLES) -> dict[str, Cost]:
    """Return what each recorder that is there spends."""
    costs = {}
    for recorder in RECORDERS:
        if why := recorder.available():
            print(f"{recorder.name}: left out: {why}")
            continue
        with tempfile.TemporaryDirectory(dir=KEPT) as directory:
            costs[recorder.name] = recorder.record(samples, directory)
    return costs


def main() -> int:
    """Show what each costs."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    for name, cost in compared(samples).items():
        print(f"{name:16} {cost.cpu * 1000:7.1f} ms {cost.size / 1000:8.1f} kB a sample", flush=True)
    for recorder in (*RECORDERS, Zmon()):
        if recorder.available() or not recorder.seek("", 0):
            continue
        directory = str(KEPT / "hours" / recorder.name.split()[0])
        recorder.hour(directory)
        effort(recorder.seek(directory, SOUGHT[0]))
        efforts = [effort(recorder.seek(directory, second)) for second in SOUGHT]
        cpu, wall = (statistics.median(taken) * 1000 for taken in list(zip(*efforts, strict=True))[:2])
        lines = len(efforts[0].output.splitlines())
        size = size_of(directory) / 1e6
        print(f"{recorder.name:16} {cpu:7.1f} ms of processor time, {wall:7.1f} ms in all, for {lines} lines")
        print(f"{'':16} of a second in {size:,.0f} MB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
