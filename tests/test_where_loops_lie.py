"""Files on loop devices are found byte for byte in the files behind these, and so are files of containers.

It needs root, loop devices and mkfs.ext4, and is skipped without.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from byte_by_byte import locate_byte

from zmon.base.listed_file import ListedFile
from zmon.kernel.file_extents import read_containers
from zmon.kernel.mountinfo import read_mounts
from zmon.kernel.open_file import read_extents
from zmon.kernel.sys_block import read_layers
from zmon.kernel.tree import LiveTree
from zmon.topology.claims import Grade
from zmon.topology.data_files import DataFile, files_in
from zmon.topology.location import FileLocation, locate_file
from zmon.topology.mounts import mounts_in
from zmon.topology.stack import Stack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MIB = 1 << 20
TOOLS = ("losetup", "mount", "umount", "mkfs.ext4", "unshare")


def run(*words: str) -> str:
    """Run a program of the system."""
    done = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603
    return done.stdout.strip()


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    """Return a directory of which the kernel tells where its files lie."""
    return on_disk


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[ExitStack]:
    """Return what is taken down at the end."""
    if os.geteuid() or not all(map(shutil.which, TOOLS)):
        pytest.skip(f"needs root and {', '.join(TOOLS)}")
    kind = run("stat", "--file-system", "--format=%T", str(tmp_path))
    if kind not in {"ext2/ext3", "xfs"}:
        pytest.skip(f"needs a file system whose extents are told, not {kind}")
    with ExitStack() as stack:
        yield stack


def image(bench: ExitStack, file: Path, *options: str) -> str:
    """Make a loop device of a file that holds an ext4; return its node."""
    try:
        node = run("losetup", "--find", "--show", *options, str(file))
    except subprocess.CalledProcessError as error:
        pytest.skip(f"needs loop devices: {error.stderr.strip()}")
    bench.callback(run, "losetup", "--detach", node)
    run("mkfs.ext4", "-q", node)
    return node


def mount(bench: ExitStack, node: str, point: Path) -> Path:
    """Mount a device."""
    point.mkdir()
    run("mount", node, str(point))
    bench.callback(run, "umount", str(point))
    return point


def written(path: Path | str) -> bytes:
    """Write a file whose bytes are on the disk then, and return them."""
    content = random.Random(3).randbytes(MIB)  # noqa: S311 - it is no secret
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return content


def found(path: str) -> tuple[DataFile, FileLocation, Stack]:
    """Ask zmon for a file."""
    tree = LiveTree()
    (file,) = files_in(read_containers(tree, [ListedFile(path)]))
    stack = Stack(read_layers(tree))
    return file, locate_file(file, mounts_in(read_mounts(tree, None, [path])), stack, {}), stack


def test_a_file_on_a_loop_mount(bench: ExitStack, tmp_path: Path) -> None:
    """Each of its blocks is in the image, which begins within its file, at the byte that lies on the disk."""
    file = tmp_path / "image"
    file.write_bytes(bytes(24 * MIB))
    node = image(bench, file, "--offset", str(MIB), "--sizelimit", str(16 * MIB))
    path = mount(bench, node, tmp_path / "point") / "data"
    content = written(path)
    os.sync()
    known, placed, stack = found(str(path))
    assert isinstance(known.number, str)
    with open(file, "rb") as behind, open(path, "rb") as data:
        places = read_extents(behind.fileno())
        for logical, physical, length, _flags in read_extents(data.fileno()):
            for at in range(0, min(length, MIB - logical), 4096):
                (place,) = locate_byte(stack, known.number, physical + at)
                (back,) = [
                    first + place.offset - where
                    for first, where, size, _flags in places
                    if where <= place.offset < where + size
                ]
                behind.seek(back)
                assert behind.read(4096) == content[logical + at : logical + at + 4096]
    host = os.stat(file).st_dev
    leaves = stack.leaves(f"{os.major(host)}:{os.minor(host)}")
    assert [share.volume.number for share in placed.disks] == leaves
    assert [share.bytes for share in placed.disks] == [MIB]
    assert (placed.grade, placed.unplaced) == (Grade.EXACT, 0)
    assert [step.what for step in placed.steps][1] == f"loop in {file}"


def test_a_loop_device_in_a_loop_device(bench: ExitStack, tmp_path: Path) -> None:
    """It goes on to the disk that holds the outer file, and that is used by both."""
    outer = tmp_path / "outer"
    outer.write_bytes(bytes(40 * MIB))
    point = mount(bench, image(bench, outer), tmp_path / "one")
    inner = point / "inner"
    inner.write_bytes(bytes(16 * MIB))
    os.sync()
    path = mount(bench, image(bench, inner), tmp_path / "two") / "data"
    written(path)
    os.sync()
    _file, placed, stack = found(str(path))
    host = os.stat(outer).st_dev
    disk = f"{os.major(host)}:{os.minor(host)}"
    assert [share.volume.number for share in placed.disks] == stack.leaves(disk)
    assert placed.grade is Grade.EXACT
    assert len([number for number in stack.above(disk) if number.startswith("7:")]) >= 2


def test_a_file_that_was_deleted(bench: ExitStack, tmp_path: Path) -> None:
    """It lies on the disk of its file system still; which bytes have it, nothing tells."""
    image_file = tmp_path / "image"
    image_file.write_bytes(bytes(16 * MIB))
    path = mount(bench, image(bench, image_file), tmp_path / "point") / "data"
    written(path)
    os.sync()
    host = os.stat(image_file).st_dev
    image_file.unlink()
    _file, placed, stack = found(str(path))
    disk = f"{os.major(host)}:{os.minor(host)}"
    assert [share.volume.number for share in placed.disks] == stack.leaves(disk)
    assert placed.grade is Grade.SHARES


def test_a_hole_behind_a_loop_device(bench: ExitStack, tmp_path: Path) -> None:
    """Bytes that nobody wrote are on no disk, and that is certain."""
    file = tmp_path / "sparse"
    with open(file, "wb") as made:
        made.truncate(64 * MIB)
    node = image(bench, file)
    device = os.stat(node).st_rdev
    stack = Stack(read_layers(LiveTree()))
    kinds = {target.kind for target in stack.layout(f"7:{os.minor(device)}").segments}
    assert kinds == {"linear", "hole"}


def test_a_file_of_another_mount_namespace(bench: ExitStack, tmp_path: Path) -> None:
    """It is named through its process, and goes the way down that its own mounts tell."""
    file = tmp_path / "image"
    file.write_bytes(bytes(16 * MIB))
    node = image(bench, file)
    point = tmp_path / "point"
    point.mkdir()
    words = ["unshare", "--mount", "sh", "-c", f"mount {node} {point} && echo there && read done"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:  # noqa: S603
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"there\n"
            path = f"/proc/{other.pid}/root{point}/data"
            assert not os.listdir(point)
            written(path)
            known, placed, _stack = found(path)
        finally:
            other.communicate(b"\n")
    assert known.number == f"7:{os.minor(os.stat(node).st_rdev)}"
    assert placed.steps[0].title == str(point)
    assert placed.evidence[0].source.startswith(f"/proc/{other.pid}/mountinfo:")
    assert placed.grade is Grade.EXACT
