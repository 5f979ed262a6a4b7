"""What the spread of many tablespaces costs, and what resolving their files costs against `filefrag -e`.

    python -m benchmarks.spread [FILES]

First 10,000 containers on 2,000 volumes of 32 logical control units, under logical volumes of which half
are linear over several volumes and half striped over four: from the frames of a sample to the printed spread
with 20 moves, in a process of its own, whose processor time and largest resident memory are told.

Then files that are really there, on the file system of the directory for temporary files, and nothing
written into them: 10,000 of one extent by default, and two fifths of that, as making them takes long, of as
many as one of 16 GiB has at least on ext4.  `filefrag -e` prints their extents; zmon reads the extents, the
mounts and the block devices, and says on which disk each file lies.  Both are whole processes, in turn;
compared is the least processor time of several rounds.  What files
of one extent cost is told too: there Python costs more than the kernel.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.kinds import CONTAINER, DASD, DEVICE, LAYER, MACHINE, MOUNT
from zmon.sample import Instant, Sample, frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.sample import Frame, Kind

CONTAINERS: Final = 10_000
VOLUMES: Final = 2_000
LCUS: Final = 32
SPACES: Final = 400
LARGE: Final = 500
"""Each file of this number is a large one; of small ones alone no few moves would be worth while."""
MOVES: Final = 20
GROUP: Final = 8
"""Volumes of a volume group."""
SECONDS: Final = 5.0
MEMORY: Final = 200.0
"""MiB."""
TIMES: Final = 2.0
ROUNDS: Final = 5
FILES: Final = 10_000
EXTENTS: Final = 128
"""Of a file: an extent of ext4 has 128 MiB at the most, so 16 GiB have so many at least."""
SECTORS: Final = 14_424_480
"""Of a volume of 7 GB."""
NO: Final = absent("not made up")


def filled(kind: Kind, rows: Mapping[str, Mapping[str, Value]]) -> Frame:
    """Return a frame; what a row does not say is absent."""
    names = [field.name for field in kind.fields]
    return frame_of(kind, {key: {name: row.get(name, NO) for name in names} for key, row in rows.items()}, 0)


def sample() -> Sample:
    """Make up the machine: each volume group has a linear and a striped volume over all of its disks."""
    layers: dict[str, dict[str, Value]] = {}
    devices: dict[str, dict[str, Value]] = {}
    mounts: dict[str, dict[str, Value]] = {}
    volumes: list[str] = []
    half = (SECTORS - 4096) // 2 // 128 * 128
    for disk in range(VOLUMES):
        whole, part = f"94:{4 * disk}", f"94:{4 * disk + 1}"
        busid = f"0.{disk // 65536}.{0x4000 + disk:04x}"
        layers[whole] = {"name": f"dasd{disk}", "sort": "disk", "busid": busid, "start": 0, "size": SECTORS}
        layers[part] = {"name": f"dasd{disk}1", "sort": "partition", "parent": whole, "start": 192,
                        "size": SECTORS - 192}  # fmt: skip
        devices[busid] = {"uid": f"IBM.750000000ABCD1.{0x2400 + disk % LCUS:04x}.{disk // LCUS:02x}"}
    for group in range(VOLUMES // GROUP):
        parts = [f"94:{4 * (group * GROUP + place) + 1}" for place in range(GROUP)]
        segments = [f"{place * half} {half} linear {part} 2048" for place, part in enumerate(parts)]
        stripes = " ".join(f"{part} {2048 + half}" for part in parts[:4])
        for name, table, below, sectors in (
            ("linear", "\n".join(segments), parts, GROUP * half),
            ("striped", f"0 {4 * half} striped 4 128 {stripes}", parts[:4], 4 * half),
        ):
            minor = len(volumes)
            volumes.append(f"252:{minor}")
            layers[volumes[-1]] = {
                "name": f"dm-{minor}", "sort": "dm", "mapped": f"vg{group}-{name}", "uuid": f"LVM-{minor}",
                "below": " ".join(below), "table": table, "size": sectors, "start": 0,
            }  # fmt: skip
            mounts[str(100 + minor)] = {
                "number": volumes[-1], "root": "/", "point": f"/db/{minor}", "fstype": "xfs", "options": "rw",
                "source": f"/dev/mapper/vg{group}-{name}",
            }  # fmt: skip
    containers: dict[str, dict[str, Value]] = {}
    for number in range(CONTAINERS):
        place = number * 7919 % len(volumes)
        at, size = number // len(volumes) * (1 << 29), (number % 97 + 3) << (22 if number % LARGE else 26)
        containers[f"/db/{place}/ts{number % SPACES:03}.{number:05}"] = {
            "database": "PROD", "tablespace": f"TS{number % SPACES:03}", "role": "data",
            "listed": f"prod.ddl:{number}", "real": f"/db/{place}/{number}", "number": volumes[place],
            "mount": str(100 + place), "said": "FS_IOC_FIEMAP: 3 extents", "size": size, "unplaced": 0,
            "unwritten": 0, "shared": 0, "encoded": 0,
            "ranges": " ".join(f"{at + piece * (1 << 28):x}+{size // 3 >> 12 << 12:x}" for piece in range(2)),
        }  # fmt: skip
    kinds: dict[Kind, Mapping[str, Mapping[str, Value]]]
    kinds = {MACHINE: {"machine": {"environment": "lpar"}}, LAYER: layers, DEVICE: devices, MOUNT: mounts,
             CONTAINER: containers, DASD: {busid: {} for busid in devices}}  # fmt: skip
    frames = {kind.name: filled(kind, rows) for kind, rows in kinds.items()}
    return Sample(Instant(0, 0, "boot"), frames, "made up")


def spread() -> None:
    """Resolve, reckon and print, in a process of its own; print the seconds and the MiB."""
    from zmon.cli.result import lines_of  # noqa: PLC0415 - the parent needs none of it
    from zmon.cli.spread import text  # noqa: PLC0415 - the parent needs none of it
    from zmon.placement.items import placement_of  # noqa: PLC0415 - likewise
    from zmon.placement.spread_report import SpreadQuery, report_spread  # noqa: PLC0415 - likewise
    from zmon.topology.machine import Machine  # noqa: PLC0415 - likewise

    made = sample()
    begun = time.process_time()
    found = placement_of(Machine(made))
    reached = time.process_time()
    answer = report_spread(found, SpreadQuery(moves=MOVES))
    lines = list(lines_of(text(answer, lambda _path: "db2", (), 80), 80))
    ended = time.process_time()
    steps = len(answer.plan.steps) if answer.plan is not None else 0
    placed = sum(row.placed > 0 for row in found.rows)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(reached - begun, ended - reached, memory, placed, steps, len(found.units), len(lines))


def resolve(listing: str) -> None:
    """Say of each file on which disk it lies, as a process of its own."""
    from zmon.base.listed_file import ListedFile  # noqa: PLC0415 - the parent needs none of it
    from zmon.kernel.file_extents import read_containers  # noqa: PLC0415 - the parent needs none of it
    from zmon.kernel.mountinfo import read_mounts  # noqa: PLC0415 - likewise
    from zmon.kernel.sys_block import read_layers  # noqa: PLC0415 - likewise
    from zmon.kernel.tree import LiveTree  # noqa: PLC0415 - likewise
    from zmon.topology.machine import Machine  # noqa: PLC0415 - likewise

    tree = LiveTree()
    with open(listing, encoding="utf-8") as lines:
        listed = [ListedFile(line.rstrip("\n")) for line in lines]
    frames = (read_containers(tree, listed), read_layers(tree), read_mounts(tree))
    machine = Machine(Sample(Instant(0, 0, ""), {frame.kind.name: frame for frame in frames}))
    for path, answer in machine.locations.items():
        print(path, *(f"{share.volume.disk} {share.bytes}" for share in answer.disks))


def cost(command: list[str]) -> float:
    """Return the seconds of processor time that a command takes, the kernel's for it among them."""
    import subprocess  # noqa: PLC0415 - the process that is measured needs none

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def against_filefrag(count: int, extents: int) -> float | None:
    """Return how many times as long as `filefrag -e` resolving takes; None without it."""
    import tempfile  # noqa: PLC0415 - the processes that are measured need neither
    from shutil import which  # noqa: PLC0415 - likewise

    if which("filefrag") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{number:06}") for number in range(count)]
        for path in paths:
            descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
            for number in range(extents):  # with holes in between, else they would be one
                os.posix_fallocate(descriptor, number * 8192, 4096)
            os.close(descriptor)
        os.sync()
        listing = os.path.join(folder, "list")
        with open(listing, "w", encoding="utf-8") as file:
            file.writelines(f"{path}\n" for path in paths)
        ours = [sys.executable, "-m", "benchmarks.spread", "--resolve", listing]
        theirs = ["xargs", "-a", listing, "filefrag", "-e"]
        taken: dict[str, list[float]] = {"ours": [], "theirs": []}
        cost(ours)
        for _ in range(ROUNDS):
            taken["theirs"].append(cost(theirs))
            taken["ours"].append(cost(ours))
    mine, rival = min(taken["ours"]), min(taken["theirs"])
    print(
        f"{count:,} files of {extents} extents, processor time: filefrag -e {rival:.3f} s, zmon {mine:.3f} s"
    )
    return mine / rival


def main() -> int:
    """Measure both; 1 if what is wanted was missed."""
    if sys.argv[1:2] == ["--spread"]:
        spread()
        return 0
    if sys.argv[1:2] == ["--resolve"]:
        resolve(sys.argv[2])
        return 0
    import subprocess  # noqa: PLC0415 - the process that is measured needs none

    command = [sys.executable, "-m", "benchmarks.spread", "--spread"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    resolving, reckoning, memory = map(float, printed[:3])
    placed, steps = int(printed[3]), int(printed[4])
    print(f"{placed:,} containers on {VOLUMES:,} volumes of {printed[5]} LCUs, {steps} steps of moves")
    print(f"resolving {resolving:.2f} s, spread and moves {reckoning:.2f} s: at most {SECONDS:g} s wanted")
    print(f"{memory:.0f} MiB, at most {MEMORY:g} wanted")
    kept = resolving + reckoning <= SECONDS and memory <= MEMORY and placed == CONTAINERS and steps > 0
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    ratio, small = against_filefrag(count * 2 // 5, EXTENTS), against_filefrag(count, 1)
    if ratio is None or small is None:
        print("there is no filefrag here: install e2fsprogs")
        return 1
    print(f"{ratio:.2f} x filefrag -e, at most {TIMES:g} wanted")
    print(f"{small:.2f} x for files of one extent, told")
    return 0 if kept and ratio <= TIMES else 1


if __name__ == "__main__":
    sys.exit(main())
