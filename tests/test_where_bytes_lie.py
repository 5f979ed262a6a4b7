"""Content written through real file systems is found, byte for byte, at the computed place on the disk.

The disks are loop devices.  That needs root and the programs that make file systems, and is skipped without.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import pytest
from byte_by_byte import locate_byte

from zmon.base.absent import Absent, absent
from zmon.base.listed_file import ListedFile
from zmon.kernel.file_extents import read_containers
from zmon.kernel.mountinfo import read_mounts
from zmon.kernel.open_file import PLACELESS, read_extents
from zmon.kernel.sys_block import read_layers
from zmon.kernel.tree import LiveTree
from zmon.topology.chunks import place_ranges
from zmon.topology.claims import Grade
from zmon.topology.data_files import files_in
from zmon.topology.location import FileLocation, locate_file
from zmon.topology.mounts import Mount, mounts_in
from zmon.topology.stack import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from zmon.base.absent import Value

MIB: Final = 1 << 20
BLOCK: Final = 4096
CONTENT: Final = random.Random(7).randbytes(2 * MIB)  # noqa: S311 - it is no secret
TOOLS: Final = (
    "losetup",
    "mount",
    "umount",
    "mkfs.ext4",
    "mkfs.xfs",
    "mkfs.btrfs",
    "btrfs",
    "addpart",
    "delpart",
)


def why_not() -> str:
    """Say what is lacking here; empty when nothing is."""
    if os.geteuid():
        return "needs root: loop devices and mounts"
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        return f"needs {', '.join(missing)}"
    try:
        run("losetup", "--find")
    except subprocess.CalledProcessError as error:
        return f"needs loop devices: {error.stderr.strip()}"
    return ""


def run(*words: str) -> str:
    """Run a program of the system."""
    done = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603
    return done.stdout.strip()


class Bench:
    """Disks and mounts that are taken down again."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.stack = stack
        self.images: dict[str, str] = {}
        """The file behind each loop device, by its number."""

    def disk(self, name: str, size: int, *, parted: bool = False) -> str:
        """Make a disk; return its node, that of the partition in its second half if it is parted."""
        image = str(self.folder / f"{name}.img")
        with open(image, "wb") as file:
            file.truncate(size)
        node = run("losetup", "--find", "--show", image)
        self.stack.callback(run, "losetup", "--detach", node)
        rdev = os.stat(node).st_rdev
        self.images[f"{os.major(rdev)}:{os.minor(rdev)}"] = image
        if parted:  # told to the kernel, as not every kernel reads every table
            run("addpart", node, "1", str(size // 2 // 512), str(size // 2 // 512))
            self.stack.callback(run, "delpart", node, "1")
        return f"{node}p1" if parted else node

    def mount(self, name: str, *words: str) -> Path:
        """Mount something at a directory of this name."""
        point = self.folder / name
        point.mkdir()
        run("mount", *words, str(point))
        self.stack.callback(run, "umount", str(point))
        return point


@pytest.fixture(scope="module")
def bench(disk: Path) -> Iterator[Bench]:
    """A place for disks."""
    if why := why_not():
        pytest.skip(why)
    with ExitStack() as stack:
        yield Bench(disk, stack)


@pytest.fixture(scope="module")
def places(bench: Bench) -> dict[str, Path]:
    """A file on each sort of file system."""
    ext4, xfs, mirrored = bench.disk("ext4", 64 * MIB, parted=True), bench.disk("xfs", 320 * MIB), "raid1"
    one, striped, second = (bench.disk(name, 200 * MIB) for name in ("one", "striped", "second"))
    third, fourth = (bench.disk(name, 200 * MIB) for name in ("third", "fourth"))
    run("mkfs.ext4", "-q", ext4)
    run("mkfs.xfs", "-q", xfs)
    run("mkfs.btrfs", "-q", one)
    run("mkfs.btrfs", "-q", "-d", "raid0", "-m", "raid1", striped, second)
    run("mkfs.btrfs", "-q", "-d", mirrored, "-m", "raid1", third, fourth)
    points = {
        "ext4": bench.mount("m-ext4", ext4),
        "xfs": bench.mount("m-xfs", xfs),
        "btrfs": bench.mount("m-one", one),
        "raid0": bench.mount("m-raid0", "-o", f"device={second}", striped),
        "raid1": bench.mount("m-raid1", "-o", f"device={fourth}", third),
    }
    run("btrfs", "subvolume", "create", str(points["btrfs"] / "sub"))
    points["subvolume"] = points["btrfs"] / "sub"
    files = {name: point / "file" for name, point in points.items()}
    for file in files.values():
        file.write_bytes(CONTENT)
    files["subvolume mounted"] = bench.mount("m-sub", "-o", "subvol=sub", one) / "file"
    files["bind mount"] = bench.mount("m-bind", "--bind", str(points["xfs"])) / "file"
    for name in ("upper", "work"):
        (points["xfs"] / name).mkdir()
    layers = f"lowerdir={points['ext4']},upperdir={points['xfs']}/upper,workdir={points['xfs']}/work"
    overlay = bench.mount("m-over", "-t", "overlay", "overlay", "-o", layers)
    files["overlay, lower"] = overlay / "file"
    files["overlay, upper"] = overlay / "new"
    files["overlay, upper"].write_bytes(CONTENT)
    run("sync")
    return files


NAMES: Final = (
    "ext4", "xfs", "btrfs", "raid0", "raid1", "subvolume", "subvolume mounted", "bind mount",
    "overlay, lower", "overlay, upper",
)  # fmt: skip


def ask(path: Path) -> tuple[FileLocation, Mount | None, Stack]:
    """Follow a file of this machine down."""
    tree = LiveTree()
    mounts = mounts_in(read_mounts(tree))
    file = files_in(read_containers(tree, [ListedFile(str(path))]))[0]
    assert isinstance(file.number, str)
    below = mounts.by_number.get(file.number)
    devices = below.devices if below else {}
    numbers = [file.number] if isinstance(devices, Absent) else list(devices.values())
    layers = read_layers(tree, numbers)
    tables: list[Value] = [
        absent("the loop devices are the disks here") if sort == "loop" else table
        for sort, table in zip(layers.column("sort"), layers.column("table"), strict=True)
    ]
    stack = Stack(layers.but(columns={**layers.columns, "table": tables}))
    return locate_file(file, mounts, stack, {}), below, stack


def copies(bench: Bench, below: Mount | None, stack: Stack, number: str, at: int) -> list[bytes]:
    """Read a block of a file system at every place where it should be."""
    spots = [(number, at)]
    if below is not None and below.fstype == "btrfs":
        assert not isinstance(below.chunks, Absent)
        assert not isinstance(below.devices, Absent)
        runs = place_ranges(below.chunks, [(at, at + BLOCK)]).runs
        spots = [(below.devices[run.device], run.begin) for run in runs]
    found = []
    for device, offset in spots:
        for spot in locate_byte(stack, device, offset):
            with open(bench.images[spot.leaf], "rb") as image:
                image.seek(spot.offset)
                found.append(image.read(BLOCK))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_block_is_where_it_is_said_to_be(bench: Bench, places: dict[str, Path], name: str) -> None:
    """In all its copies."""
    found, below, stack = ask(places[name])
    assert found.steps
    with open(places[name], "rb") as file:
        extents = read_extents(file.fileno())
    number = found.steps[-1].number if below is None else below.number
    for logical, physical, length, flags in extents:
        assert not flags & PLACELESS
        for block in range(0, min(length, len(CONTENT) - logical), BLOCK):
            wanted = CONTENT[logical + block : logical + block + BLOCK]
            assert set(copies(bench, below, stack, number, physical + block)) == {wanted}


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_exact_and_whole(places: dict[str, Path], name: str) -> None:
    """All bytes are on the disks that are told, in known numbers."""
    found = ask(places[name])[0]
    data = sum(share.bytes for share in found.disks)
    assert (found.grade, data, found.mapped) == (Grade.EXACT, len(CONTENT), len(CONTENT))


def test_stripes_share_a_file(places: dict[str, Path]) -> None:
    """Half of it lies on each of two devices."""
    assert [share.bytes for share in ask(places["raid0"])[0].disks] == [MIB, MIB]


def test_a_mirror_has_a_copy(places: dict[str, Path]) -> None:
    """The data are on one device, and as many bytes of copies on the other."""
    disks = ask(places["raid1"])[0].disks
    assert [(share.bytes, share.copies) for share in disks] == [(2 * MIB, 0), (0, 2 * MIB)]


def test_the_layer_of_an_overlay_is_told(places: dict[str, Path]) -> None:
    """A file that was there before is in the lower layer."""
    assert ask(places["overlay, lower"])[0].real == os.path.realpath(places["ext4"])
