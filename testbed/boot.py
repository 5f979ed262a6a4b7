#!/usr/bin/env python3
"""Boot Linux on an emulated IBM Z, run one command there, bring back what it printed and left.

    testbed/boot.py --bring testbed/steps.sh --out /tmp/seen -- 'lsdasd; lscss'
    testbed/boot.py --machine qemu -- python3 -m zmon --version

The command runs in /job of the guest, where zmon and the files of --bring are; what it leaves in
/job/out comes back.  The exit status is the command's, or 125 when the guest gave no answer.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HERE: Final = Path(__file__).resolve().parent
WORK: Final = Path(os.environ.get("ZMON_TESTBED", HERE / "work"))
"""What build.sh made, and what scenarios leave."""
MEMORY: Final = 1024
"""MiB of the guest."""
CPUS: Final = 2
RESULT_SIZE: Final = 64 << 20
"""The largest result that fits on its volume, in bytes."""
NO_ANSWER: Final = 125
"""Exit status when the guest did not come to the end of its command."""

CONSOLE: Final = "console.log"
JOB: Final = "job.img"
RESULT: Final = "result.img"

DONE: Final = "job done"
"""The step that the guest announces when its result is on its volume."""
MORE_ATTEMPTS: Final = 4
"""Boots after the first one, where the emulator itself ended."""
TO_POWER_OFF: Final = 20.0
"""Seconds until a guest is ended that has given its answer and does not power off."""
HOPELESS: Final = re.compile("HHC[A-Z]{2}[0-9]{3}E|disabled wait|Kernel panic")
"""What the console shows when the guest will never come up, or has stopped."""


class Volume(NamedTuple):
    """One emulated 3390."""

    number: int
    cylinders: int
    controller: str

    @property
    def name(self) -> str:
        """The device number as it is written: 7000."""
        return f"{self.number:04x}"


VOLUMES: Final = tuple(
    Volume(first + unit, cylinders, controller)
    for first, cylinders, controller in (
        (0x7000, 1113, "3990-6"),
        (0x7100, 3339, "3990-6"),
        (0x7200, 200, "3990-3"),
    )
    for unit in range(4)
)
"""Twelve volumes on three control units.  Hercules takes the high byte for the channel path."""


SHARED: Final = "shared.img"
"""The disk that two SCSI controllers lead to."""
WWN: Final = 0x5005076300C71234
LIMITED_TOGETHER: Final = {0x7000: "7000", 0x7001: "7000", 0x7002: "7100", 0x7003: "7100"}
"""Virtio disks that share a limit, as the volumes of a control unit do."""
EMPTY: Final = (
    (0x7000, "data.img", 320),
    (0x7001, "realtime.img", 64),
    (0x7002, "first.img", 512),
    (0x7003, "second.img", 512),
    (0x7100, SHARED, 64),
    (0x7200, SHARED, 64),
)
"""Further disks of the QEMU machine: device number, image, MiB."""


@dataclass(frozen=True)
class Job:
    """What the guest shall do."""

    command: str
    bring: tuple[Path, ...] = ()
    """Files and directories to put into /job."""
    udev: bool = False
    """Whether udev runs: names below /dev/disk, the udev data base; 10 s under Hercules."""
    systemd: bool = False
    """Whether systemd is the first process, and the job a service of it; it starts udev itself."""
    parameters: str = ""
    """More kernel parameters."""
    path_rate: int = 0
    """Requests a second that each path to the disk with two paths does at most; 0: as many as it can."""
    lcu_rate: int = 0
    """Requests a second that the virtio disks of each group of `LIMITED_TOGETHER` do at most; 0: no limit."""


@dataclass
class Answer:
    """What came back."""

    status: int
    out: Path
    """The directory with stdout, stderr and whatever the command left in /job/out."""
    moments: dict[str, float] = field(default_factory=dict)
    """Seconds from the start of the emulator until each step that the guest announces."""


def write_job(image: Path, job: Job) -> None:
    """Write the tar that the guest unpacks into /job."""
    with tarfile.open(image, "w") as tar:
        for path in job.bring:
            tar.add(path, arcname=path.name)
        _add_file(tar, "command", job.command + "\n")
        for name, wanted in (("with-udev", job.udev), ("with-systemd", job.systemd)):
            if wanted:
                _add_file(tar, name, "")
    with image.open("ab") as f:  # whole blocks, and some more for tar to read ahead
        f.truncate((image.stat().st_size // 4096 + 16) * 4096)


def _add_file(tar: tarfile.TarFile, name: str, content: str) -> None:
    data = content.encode()
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(data), 0o755, int(time.time())
    tar.addfile(entry, io.BytesIO(data))


def read_answer(image: Path, out: Path) -> int:
    """Unpack what the guest wrote and return the status of its command.

    Raises:
        ValueError: the guest wrote no result.
    """
    try:
        with tarfile.open(image, "r:") as tar:
            tar.extractall(out, filter="data")
        return int((out / "status").read_text())
    except (tarfile.TarError, OSError) as e:
        raise ValueError(f"no result came back: {e}") from e


def byte_compiled(source: Path, work: Path, into: Path) -> Path:
    """Copy a package and compile it with the guest's own Python, for whose CPU that takes long."""
    copy = into / source.name
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    root = work / "root"
    subprocess.run(
        ["qemu-s390x-static", "-L", root, root / "usr/bin/python3", "-m", "compileall", "-q",
         "--invalidation-mode", "unchecked-hash", copy],
        check=True,
    )  # fmt: skip
    return copy


def hercules(run: Path, work: Path, job: Job, volumes: Iterable[Volume] = VOLUMES) -> list[str]:
    """Lay out a Hercules machine in `run` and return the command that starts it."""
    lines = [
        "CPUSERIAL 012345",
        "CPUMODEL 2097",
        f"MAINSIZE {MEMORY}",
        f"NUMCPU {CPUS}",
        "ARCHMODE ESAME",
        "OSTAILOR LINUX",
        "PANRATE SLOW",
        "CPUPRIO 0",  # as any program; its own default is 15, which is nearly nothing beside others
        "0009 3215-C / noprompt",
        "0190 9336 root.img",
        f"0191 9336 {JOB}",
        f"0192 9336 {RESULT}",
    ]
    for volume in volumes:
        shutil.copy(_blank(volume, work), run / f"{volume.name}.cckd")
        # nosyncio: else the channel measurement counts a start that Hercules retries twice
        lines.append(f"{volume.name} 3390 {volume.name}.cckd cu={volume.controller} nosyncio")
    (run / "machine").write_text("\n".join(lines) + "\n")
    _write_ipl(run, f"conmode=3215 condev=0x0009 quiet {job.parameters}")
    return ["hercules", "-d", "-f", "machine"]


def _blank(volume: Volume, work: Path) -> Path:
    """Return an empty, labelled volume; compressed, so that it is small until it is written to."""
    image = work / "volumes" / f"{volume.name}-{volume.cylinders}.cckd"
    if not image.exists():
        image.parent.mkdir(exist_ok=True)
        subprocess.run(
            ["dasdinit", "-z", "-linux", image, "3390", f"ZM{volume.name.upper()}", str(volume.cylinders)],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return image


def _write_ipl(run: Path, parameters: str) -> None:
    """Write what loads the kernel: where each part goes in storage, then the commands to do it.

    The kernel's own parameter area has the address and size of the initramfs at 0x10408 and
    0x10410 and the command line at 0x10480.
    """
    initrd_at = 0x2000000
    (run / "initrd.address").write_bytes(struct.pack(">Q", initrd_at))
    (run / "initrd.size").write_bytes(struct.pack(">Q", (run / "initrd").stat().st_size))
    (run / "parameters").write_bytes(parameters.encode() + b"\0")
    (run / "linux.ins").write_text(
        "* Linux\n"
        "kernel 0x00000000\n"
        "initrd.address 0x00010408\n"
        "initrd.size 0x00010410\n"
        "parameters 0x00010480\n"
        f"initrd 0x{initrd_at:08x}\n"
    )
    # the second command ends Hercules when the guest has powered off
    (run / "hercules.rc").write_text("hao tgt SYSCONS interface inactive\nhao cmd quit\nipl linux.ins\n")


def qemu(run: Path, job: Job) -> list[str]:
    """Lay out a QEMU machine in `run` and return the command that starts it.

    Besides the disks of the job it has empty ones, and one that two SCSI controllers lead to.
    """
    command = [
        "qemu-system-s390x", "-machine", "s390-ccw-virtio", "-m", str(MEMORY), "-smp", str(CPUS),
        "-nographic", "-monitor", "none", "-nic", "none", "-no-reboot",
        "-kernel", "kernel", "-initrd", "initrd", "-append", f"console=ttyS0 quiet {job.parameters}",
    ]  # fmt: skip
    for number, image in ((0x190, "root.img"), (0x191, JOB), (0x192, RESULT)):
        command += ["-drive", f"file={image},format=raw,if=none,id=v{number:x},snapshot=off,file.locking=off"]
        command += ["-device", f"virtio-blk-ccw,drive=v{number:x},devno=fe.0.{number:04x}"]
    for number, image, megabytes in EMPTY:
        with (run / image).open("ab") as f:
            f.truncate(megabytes << 20)
        slow = f",throttling.iops-total={job.path_rate}" if image == SHARED and job.path_rate else ""
        if number in LIMITED_TOGETHER and job.lcu_rate:
            slow = f",throttling.iops-total={job.lcu_rate},throttling.group=lcu{LIMITED_TOGETHER[number]}"
        command += ["-drive", f"file={image},format=raw,if=none,id=v{number:x},file.locking=off{slow}"]
        if image == SHARED:
            command += ["-device", f"virtio-scsi-ccw,id=hba{number:x},devno=fe.0.{number:04x}"]
            command += [
                "-device",
                f"scsi-hd,bus=hba{number:x}.0,drive=v{number:x},serial=ZMON1,wwn={WWN:#x},share-rw=on",
            ]
        else:
            command += ["-device", f"virtio-blk-ccw,drive=v{number:x},devno=fe.0.{number:04x}"]
    return command


def follow(process: subprocess.Popen[bytes], console: Path, timeout: float) -> dict[str, float]:
    """Wait until the emulator ends, and note when the guest announced each step."""
    start = time.monotonic()
    moments: dict[str, float] = {}
    try:
        while process.poll() is None and time.monotonic() - start < timeout:
            text = console.read_text(errors="replace")
            for step in re.findall(r"testbed: ([\w ]+)", text):
                moments.setdefault(step, time.monotonic() - start)
            if HOPELESS.search(text) or time.monotonic() - start > moments.get(DONE, timeout) + TO_POWER_OFF:
                break
            time.sleep(0.25)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
    moments["end"] = time.monotonic() - start
    return moments


def boot(job: Job, out: Path, machine: str = "hercules", work: Path = WORK, timeout: float = 900) -> Answer:
    """Boot an emulated machine, run the job, and return its answer.

    Every run has fresh volumes and a directory of its own, which stays when no answer came.  Hercules
    sometimes ends while the kernel starts its second processor: a machine that ends before the guest
    announces a step is booted again, up to `MORE_ATTEMPTS` times.

    Raises:
        ValueError: the guest gave no answer; the message says where its console log is.
        FileNotFoundError: `work` was not built.
    """
    run, moments = run_once(job, machine, work, timeout)
    for _ in range(MORE_ATTEMPTS):
        if moments.keys() != {"end"} or moments["end"] >= timeout:
            break
        print(f"boot.py: the emulator ended at {moments['end']:.0f} s, before the guest ran; once more")
        shutil.rmtree(run)
        run, moments = run_once(job, machine, work, timeout)
    out.mkdir(parents=True, exist_ok=True)
    try:
        status = read_answer(run / RESULT, out)
    except ValueError as e:
        raise ValueError(f"{e}; the console's log is {run / CONSOLE}") from e
    shutil.rmtree(run)
    return Answer(status, out, moments)


def run_once(job: Job, machine: str, work: Path, timeout: float) -> tuple[Path, dict[str, float]]:
    """Run an emulator until it ends; return its directory and when the guest announced each step."""
    run = Path(tempfile.mkdtemp(prefix="run-", dir=work))
    for name in ("kernel", "initrd", "root.img"):
        (run / name).hardlink_to(work / name)  # Hercules loads no kernel through a symbolic link
    write_job(run / JOB, job)
    with (run / RESULT).open("wb") as f:
        f.truncate(RESULT_SIZE)
    command = qemu(run, job) if machine == "qemu" else hercules(run, work, job)
    with (run / CONSOLE).open("wb") as console:
        process = subprocess.Popen(
            command,
            cwd=run,
            env={**os.environ, "HERCULES_RC": "hercules.rc"},
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
        )
        return run, follow(process, run / CONSOLE, timeout)


def with_zmon(work: Path, into: Path) -> tuple[Path, ...]:
    """Return what the guest needs in order to run this checkout's zmon."""
    data = (HERE.parent / name for name in ("screens", "figures", "rules"))
    return byte_compiled(HERE.parent / "zmon", work, into), *data


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module's own words."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", choices=("hercules", "qemu"), default="hercules")
    parser.add_argument("--work", type=Path, default=WORK, help="what build.sh made")
    parser.add_argument("--bring", type=Path, action="append", default=[], help="put into /job")
    parser.add_argument("--out", type=Path, help="where /job/out comes back to")
    parser.add_argument("--udev", action="store_true", help="run udev in the guest")
    parser.add_argument("--systemd", action="store_true", help="run the command as a service of systemd")
    parser.add_argument("--parameters", default="", help="more kernel parameters")
    parser.add_argument("--path-rate", type=int, default=0, help="of the QEMU machine: requests a second")
    parser.add_argument(
        "--lcu-rate",
        type=int,
        default=0,
        help="of the QEMU machine: requests a second of 7000-7001, and of 7002-7003",
    )
    parser.add_argument("--timeout", type=float, default=900, metavar="SECONDS")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    command = options.command
    with tempfile.TemporaryDirectory() as temporary:
        job = Job(
            command[0] if len(command) == 1 else shlex.join(command),
            (*with_zmon(options.work, Path(temporary)), *options.bring),
            options.udev,
            options.systemd,
            options.parameters,
            options.path_rate,
            options.lcu_rate,
        )
        out = options.out or Path(temporary) / "out"
        try:
            answer = boot(job, out, options.machine, options.work, options.timeout)
        except (ValueError, FileNotFoundError) as e:
            print(f"boot.py: {e}", file=sys.stderr)
            return NO_ANSWER
        sys.stdout.write((out / "stdout").read_text(errors="replace"))
        sys.stderr.write((out / "stderr").read_text(errors="replace"))
    print("# " + ", ".join(f"{step} {at:.0f} s" for step, at in answer.moments.items()), file=sys.stderr)
    return answer.status


if __name__ == "__main__":
    sys.exit(main())
