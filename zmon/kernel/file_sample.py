"""Samples of this machine for a lookup: of a few files and the devices below them, or with listed files."""

from __future__ import annotations

import time

from zmon.base.light_typing import TYPE_CHECKING
from zmon.base.listed_file import ListedFile
from zmon.kernel.ccw_device import read_devices
from zmon.kernel.dasd_ioctl import read_identity
from zmon.kernel.file_extents import read_containers
from zmon.kernel.mountinfo import read_hidden, read_mounts, through_process
from zmon.kernel.sys_block import read_layers
from zmon.kernel.sysinfo import read_machine
from zmon.kinds import CONTAINER, MOUNT
from zmon.sample import Instant, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


def sample_files(
    tree: Tree,
    paths: Iterable[str],
    mounts: Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Sample:
    """Read a few files, their mounts, the devices below them and the machine, and nothing else.

    Args:
        tree: the kernel's files; the files themselves are those of this machine.
        paths: of the files; below a directory all of them.
        mounts: ids of the mounts that directories are on, by their paths; their files are not read.
        progress: is called with the number of files read.
    """
    paths, mounts = list(paths), mounts or {}
    containers = read_containers(tree, map(ListedFile, paths), progress=progress)
    seen = map(str, containers.column("mount"))
    overlays = (number for number in map(str, containers.column("number")) if number[:2] == "0:")
    mounted = read_mounts(tree, {*mounts.values(), *seen, *overlays}, [*paths, *mounts])
    layers = read_layers(tree, _devices(containers, mounted))
    disks = {
        str(layers.cell(key, "busid")): (str(layers.cell(key, "name")), key)
        for key in layers.keys
        if isinstance(layers.cell(key, "busid"), str)
    }
    frames = (containers, mounted, layers, read_devices(tree, disks), read_identity(tree, disks))
    at = Instant(time.time_ns(), time.monotonic_ns(), "")
    return Sample(at, {frame.kind.name: frame for frame in (*frames, read_machine(tree))}, tree.name)


def _devices(containers: Frame, mounts: Frame) -> set[str]:
    """Return the numbers of the block devices that files, or their file systems, are on."""
    cells = [cell for cell in mounts.column("devices") if isinstance(cell, str)]
    several = {word.partition("=")[2] for cell in cells for word in cell.split()}
    numbers = map(str, (*containers.column("number"), *mounts.column("number")))
    return several | {number for number in numbers if number[:2] != "0:"}


def with_files(
    tree: Tree, sample: Sample, files: Iterable[ListedFile], progress: Callable[[int], None] | None = None
) -> Sample:
    """Return a sample of this machine with listed files, and with the mounts that only processes see."""
    containers = read_containers(tree, files, progress=progress)
    paths = [path for path in containers.keys if through_process(path)]
    mounts = read_mounts(tree, None, paths) if paths else sample.frame(MOUNT)
    more = {CONTAINER.name: containers, MOUNT.name: read_hidden(tree, mounts)}
    return sample._replace(frames={**sample.frames, **more})
