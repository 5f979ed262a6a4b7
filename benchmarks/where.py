"""What it costs to say where a file lies, as a ratio to `findmnt -J -T FILE` and `lsblk -J -s DEVICE`.

    python -m benchmarks.where

All are whole processes, started in turn with their bytecode in place as an installation has it; compared are
the least elapsed times of several rounds, because other work on the machine only ever adds.  Beside them
stands `python -c pass` of the same interpreter: below that nothing in Python can come.

Then the kernel's files of 16 and of 4,096 DASD are made up in directories, with the file's own device among
them, and the same lookup is timed in both, without the start of the interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.figures import IS_QUICK, note

ROOT: Final = Path(__file__).parent.parent

ROUNDS: Final = 15
WANTED: Final = 3.0
"""Times the two rivals together."""
EVEN: Final = 1.25
"""How much longer a lookup may take among 4,096 devices than among 16."""
FEW: Final = 16
MANY: Final = 4096


def elapsed(commands: list[list[str]], environment: dict[str, str]) -> float:
    """Run commands one after the other; return milliseconds."""
    begun = time.perf_counter()
    for command in commands:
        subprocess.run(command, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment, check=True)
    return (time.perf_counter() - begun) * 1000


def least(commands: dict[str, list[list[str]]], environment: dict[str, str]) -> dict[str, float]:
    """Run each in turn, several times; return the least milliseconds of each, without the first round."""
    found: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS + 1):
        for name, each in commands.items():
            found[name].append(elapsed(each, environment))
    return {name: min(times[1:]) for name, times in found.items()}


def device_of(path: str) -> str:
    """Return the block device that a file's file system is on."""
    answer = subprocess.run(["findmnt", "-J", "-T", path], capture_output=True, check=True)
    source: str = json.loads(answer.stdout)["filesystems"][0]["source"]
    return source.partition("[")[0]


# --- devices that are made up -------------------------------------------------------------------------------


def write(path: Path, content: str) -> None:
    """Write a file of the kernel's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def lead(path: Path, to: Path) -> None:
    """Make a link as sysfs has them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(os.path.relpath(to, path.parent))


def made_up(root: Path, devices: int, number: str) -> Path:
    """Lay out the kernel's files of so many DASD, the last of which has the number of the file's device."""
    sectors = Path("/sys/dev/block", number, "size").read_text()
    for place in range(devices):
        busid, channel = f"0.0.{0x4000 + place:04x}", root / f"sys/devices/css0/0.0.{place:04x}"
        device = channel / busid
        name = f"dasd{place}"
        block = device / "block" / name
        major = number if place == devices - 1 else f"94:{4 * place}"
        files = {
            channel / "chpids": "40 41 42 43 00 00 00 00\n", channel / "pimpampom": "f0 f0 ff\n",
            channel / "type": "0\n", device / "online": "1\n", device / "devtype": "3390/0c\n",
            device / "cutype": "3990/e9\n", device / "discipline": "ECKD\n", device / "alias": "0\n",
            device / "uid": f"IBM.750000000ABCD1.{0x2400 + place // 256:04x}.{place % 256:02x}\n",
            block / "dev": f"{major}\n", block / "size": sectors, block / "ro": "0\n",
            root / f"run/udev/data/b{major}": f"E:ID_SERIAL=0X{0x4000 + place:04X}\n",
        }  # fmt: skip
        for path, content in files.items():
            write(path, content)
        lead(device / "driver", root / "sys/bus/ccw/drivers/dasd-eckd")
        lead(root / "sys/bus/ccw/devices" / busid, device)
        lead(root / "sys/block" / name, block)
        lead(root / "sys/dev/block" / major, block)
        lead(block / "subsystem", root / "sys/class/block")
        lead(root / "sys/class/block" / name, block)
    for file in ("proc/self/mountinfo", "proc/version"):
        write(root / file, Path("/", file).read_text())
    write(root / "proc/sysinfo", "LPAR Name:            BENCH\n")
    return root


def lookups(roots: dict[int, Path], path: str) -> dict[int, float]:
    """Look the file up in each root in turn; return the least milliseconds of each."""
    from zmon.cli.source_options import read_files  # noqa: PLC0415 - likewise
    from zmon.cli.subcommands import add_lookup  # noqa: PLC0415 - the processes come first

    parser = argparse.ArgumentParser()
    add_lookup(parser)
    args = parser.parse_args([])
    found: dict[int, list[float]] = {devices: [] for devices in roots}
    for _ in range(20 * ROUNDS):
        for devices, root in roots.items():
            begun = time.perf_counter()
            answer = read_files(args, [path], root=str(root)).locations[path]
            found[devices].append((time.perf_counter() - begun) * 1000)
            if not answer.disks or answer.disks[0].volume.disk != f"dasd{devices - 1}":
                raise RuntimeError(f"{path} was not found on the last of {devices} devices")
    return {devices: min(times) for devices, times in found.items()}


# --- what is printed ----------------------------------------------------------------------------------------


def whole(path: str, environment: dict[str, str]) -> bool:
    """Compare whole processes."""
    device = device_of(path)
    rival, bare = "findmnt + lsblk", "python -c pass"
    times = least(
        {
            rival: [["findmnt", "-J", "-T", path], ["lsblk", "-J", "-s", device]],
            bare: [[sys.executable, "-c", "pass"]],
            "zmon where FILE": [[sys.executable, "-m", "zmon", "where", path]],
        },
        environment,
    )
    for name, took in times.items():
        print(
            f"{name:18} {took:6.1f} ms   {took / times[rival]:5.1f} rivals   {took / times[bare]:5.1f} bare"
        )
    ratio = times["zmon where FILE"] / times[rival]
    print(f"ratio {ratio:.1f}  wanted {WANTED}, of which Python alone takes {times[bare] / times[rival]:.1f}")
    note("where.file", times["zmon where FILE"] / times[bare])
    return ratio <= WANTED


def scaled(path: str, folder: Path) -> bool:
    """Compare lookups among few and among many devices."""
    state = os.stat(path)
    number = f"{os.major(state.st_dev)}:{os.minor(state.st_dev)}"
    roots = {devices: made_up(folder / str(devices), devices, number) for devices in (FEW, MANY)}
    times = lookups(roots, path)
    for devices, took in times.items():
        print(f"among {devices:5,} DASD   {took:6.2f} ms without the start of zmon")
    ratio = times[MANY] / times[FEW]
    print(f"ratio {ratio:.2f}  promised {EVEN}")
    return ratio <= EVEN


def main() -> int:
    """Compare, and say how; the exit status says whether all was kept."""
    if shutil.which("findmnt") is None or shutil.which("lsblk") is None:
        print("findmnt and lsblk are needed: util-linux")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        path = str(Path(folder) / "data.file")
        with open(path, "wb") as file:
            file.write(bytes(1 << 20))
            os.fsync(file.fileno())
        if not device_of(path).startswith("/dev/"):
            print(f"{folder} is on no block device: set TMPDIR to a directory that is")
            return 1
        kept = [whole(path, environment)]
        if not IS_QUICK:
            kept.append(scaled(path, Path(folder)))
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
