"""Files that tablespaces are made of: the device each is on, and the bytes of it where it lies.

The live kernel is asked: the descriptor of a file (`O_PATH`) names its path without links and its mount,
`fstat` what it is, `FS_IOC_FIEMAP` where it lies.  Only regular files are opened, for reading; a
block device answers from sysfs.  Nothing is started on any device unless `sync` is said.

Whatever stands in the way becomes a row whose columns are absent with the reason, never an exception.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.kernel import fiemap, placed
from zmon.kernel.fdinfo import mount_id
from zmon.kernel.found import printable
from zmon.kernel.mountinfo import PATH, option, parse_mountinfo
from zmon.kernel.tree import text
from zmon.kinds import CONTAINER
from zmon.sample import Frame, nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zmon.absent import Number, Value
    from zmon.kernel.mountinfo import Mounted
    from zmon.kernel.tree import Tree

MOST: Final = 1_000_000
"""Files of one directory that are looked at."""
EVERY: Final = 500
"""After so many files progress is told."""

ADDRESSED: Final = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "gfs2", "ocfs2"})
"""File systems whose extents zmon knows how to read."""
MEMORY: Final = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
REMOTE: Final = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "gpfs", "lustre", "afs", "beegfs", "glusterfs",
})  # fmt: skip

_NO_MOUNT: Final = absent("a block device is on no file system")
_UNREADABLE: Final = absent("no permission to read it: run as root or as the database's user")
_LINK: Final = absent("a symbolic link inside a directory is not followed; name what it leads to")
_MOUNTED: Final = absent("another file system is mounted here; name it to have it looked at")
_NOT_ASKED: Final = absent("the place of its bytes could not be asked for")
_DEEPEST: Final = 4
"""Overlays over overlays; the kernel allows two."""
_LEFT: Final = {
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "it does not exist: a part of its path is no directory",
    errno.EACCES: "no permission to reach it: run as root or as the database's user",
    errno.EPERM: "no permission to reach it: run as root or as the database's user",
    errno.ELOOP: "its symbolic links lead round in a loop",
    errno.ENAMETOOLONG: "its name is longer than Linux allows",
    errno.ESTALE: "the file server does not know it any more",
}


class Listed(NamedTuple):
    """What a listing says of a container, or a person asks for."""

    path: str
    """Absolute; `os.fsdecode` of its bytes."""
    database: str = ""
    tablespace: str = ""
    role: str = ""
    listed: str = ""
    """Where: `tablespaces.ddl:12`."""
    declared: Number = absent("the listing does not say its size")


class Found(NamedTuple):
    """What was found out of one path; the names are those of the columns."""

    real: Value
    number: Value
    mount: Value
    ranges: Value
    said: str
    size: Number
    unplaced: Number
    unwritten: Number
    shared: Number
    encoded: Number


def read_containers(
    tree: Tree,
    listed: Iterable[Listed],
    *,
    sync: bool = False,
    most: int = MOST,
    progress: Callable[[int], None] | None = None,
) -> Frame:
    """Look at containers; one frame of `CONTAINER`, whose keys are the paths as they are listed.

    A directory stands for the regular files in it and below, `most` at the most; links in it and file
    systems mounted in it are named and not entered.  `progress` is told how many files are done.
    A captured tree answers for what was looked at when it was captured.
    """
    if not tree.live:
        return placed.read_captured(tree, listed)
    try:
        mounted = parse_mountinfo(tree.read(PATH))
    except OSError as error:
        return nothing(CONTAINER, f"/{PATH}: {error.strerror}")
    except ValueError as error:
        return nothing(CONTAINER, str(error))
    looking = _Looking(tree, mounted, sync=sync, most=most)
    rows: dict[str, tuple[Listed, Found]] = {}
    for one in listed:
        for path, found in looking.at(one.path):
            if path in rows:
                first, known = rows[path]
                again = f"listing: named again by {printable(one.listed or one.tablespace or 'the same')}"
                rows[path] = first, known._replace(said=_lines(known.said, again))
                continue
            rows[path] = one, found
            if progress and len(rows) % EVERY == 0:
                progress(len(rows))
    return placed.frame(rows, tree.when(PATH))


class _Looking:
    """Looks at paths of the live machine."""

    def __init__(self, tree: Tree, mounted: list[Mounted], *, sync: bool, most: int) -> None:
        self._tree = tree
        self._mounts = {mount.id: mount for mount in mounted}
        self._points = {mount.point for mount in mounted}
        self._sync = sync
        self._most = most
        self._ids: dict[tuple[int, str], str] = {}

    def at(self, path: str) -> Iterator[tuple[str, Found]]:
        """Return what is at a path, or in the directory there."""
        found = self._look(path)
        if found is None:
            yield from self._inside(path)
        else:
            yield path, found

    def _inside(self, directory: str) -> Iterator[tuple[str, Found]]:
        left = self._most
        waiting = [directory]
        while waiting:
            here = waiting.pop()
            try:
                with os.scandir(here) as entries:
                    inside = sorted(entries, key=lambda entry: entry.name, reverse=True)
            except OSError as error:
                yield here, _nowhere(_reason(here, error))
                continue
            if not inside and here == directory:
                yield here, _nowhere(absent("the directory is empty"))
            for entry in inside:
                if not left:
                    yield (
                        directory,
                        _nowhere(absent(f"more files than {self._most}: the others were left out")),
                    )
                    return
                if entry.is_dir(follow_symlinks=False) and not self._is_point(entry.path):
                    waiting.append(entry.path)
                    continue
                left -= 1
                yield entry.path, self._entry(entry)

    def _is_point(self, path: str) -> bool:
        return os.path.realpath(path) in self._points

    def _entry(self, entry: os.DirEntry[str]) -> Found:
        if entry.is_symlink():
            return _nowhere(_LINK)
        if entry.is_dir(follow_symlinks=False):
            return _nowhere(_MOUNTED)
        return self._look(entry.path) or _nowhere(absent("it became a directory while it was looked at"))

    def _look(self, path: str, depth: int = 0) -> Found | None:
        """Return what is at a path; None when that is a directory."""
        if not path.startswith("/"):
            return _nowhere(absent("a relative path, and nobody says relative to what"))
        try:
            node = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError as error:
            return _nowhere(_reason(path, error))
        except ValueError:
            return _nowhere(absent("its name holds a null byte, which no path can"))
        try:
            return self._opened(node, depth)
        except OSError as error:
            return _nowhere(_reason(path, error))
        finally:
            os.close(node)

    def _opened(self, node: int, depth: int) -> Found | None:
        state = os.fstat(node)
        if stat.S_ISREG(state.st_mode):
            return self._file(node, state, depth)
        if stat.S_ISDIR(state.st_mode):
            return None
        real = os.readlink(f"/proc/self/fd/{node}")
        return self._device(real, state) if stat.S_ISBLK(state.st_mode) else _special(real, state)

    def _device(self, real: str, state: os.stat_result) -> Found:
        number = f"{os.major(state.st_rdev)}:{os.minor(state.st_rdev)}"
        try:
            size = int(text(self._tree, f"sys/dev/block/{number}/size")) * 512
        except (OSError, ValueError):
            return _nowhere(absent("its node has a number that no disk has"), real)
        said = f"/sys/dev/block/{number}/size: the whole device, {size} bytes"
        return Found(real, number, _NO_MOUNT, f"0+{size:x}", said, size, 0, 0, 0, 0)

    def _file(self, node: int, state: os.stat_result, depth: int) -> Found:
        real = os.readlink(f"/proc/self/fd/{node}")
        if not state.st_nlink:
            return _nowhere(absent("it was removed while it was looked at"))
        mount = self._mounts.get(self._mount_id(node, state.st_dev, real))
        if mount is None:
            return _nowhere(absent("it is on a mount that was not there a moment ago; look again"), real)
        if why := _no_device(mount):
            return _nowhere(absent(why), real)._replace(mount=mount.id, size=state.st_size)
        unknown = Found(real, mount.number, mount.id, _NOT_ASKED, "", state.st_size, *(_NOT_ASKED,) * 4)
        if mount.fstype != "overlay" and mount.fstype not in ADDRESSED:
            why = f"zmon does not know what {printable(mount.fstype)} means by the place of a file"
            return _but(unknown, absent(why))
        try:
            data = os.open(f"/proc/self/fd/{node}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            why_not = _UNREADABLE if isinstance(error, PermissionError) else absent(f"open: {error.strerror}")
            found = _but(unknown, why_not)
        else:
            try:
                found = self._placed(data, unknown, mount)
            finally:
                os.close(data)
        return self._below(found, real, mount, depth) if mount.fstype == "overlay" else found

    def _mount_id(self, node: int, device: int, real: str) -> str:
        """Ask a file for its mount; all files of a directory have the same, but those mounted upon."""
        if real in self._points:
            return mount_id(node)
        key = (device, real[: real.rindex("/")])
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = mount_id(node)
        return known

    def _placed(self, data: int, unknown: Found, mount: Mounted) -> Found:
        try:
            found = fiemap.merged(fiemap.extents(data, sync=self._sync))
        except (OSError, ValueError) as error:
            why = absent(f"FS_IOC_FIEMAP is not answered by {mount.fstype}: {_strerror(error)}")
            return _but(unknown, why)
        number, said = unknown.number, f"FS_IOC_FIEMAP: {found.pieces} extents"
        if mount.fstype == "xfs" and "rtdev=" in mount.super_options:
            number, realtime = _realtime(data, mount)
            said = _lines(said, realtime)
        ranges = " ".join([f"{first:x}+{length:x}" for first, length in found.ranges])
        return unknown._replace(
            number=number,
            ranges=number if isinstance(number, Absent) else ranges,
            said=said,
            unplaced=found.unplaced,
            unwritten=found.unwritten,
            shared=found.shared,
            encoded=found.encoded,
        )

    def _below(self, seen: Found, real: str, mount: Mounted, depth: int) -> Found:
        """Find the file of an overlay in the layer that holds it: the first whose bytes are the same."""
        inside = f"{mount.root}/{real[len(mount.point.rstrip('/')) :]}"
        for layer in _layers(mount):
            path = os.path.normpath(f"{layer}/{inside}")
            try:
                is_file = layer.startswith("/") and stat.S_ISREG(os.lstat(path).st_mode)
            except OSError:
                continue
            found = self._look(path, depth + 1) if is_file and depth < _DEEPEST else None
            if found is not None and (found.ranges == seen.ranges or isinstance(seen.ranges, Absent)):
                said = _lines(found.said, f"overlay: the file is {printable(path)}")
                return found._replace(mount=mount.id, said=said)
        why = "the layers of the overlay cannot be seen from here: look from outside the container"
        return _nowhere(absent(why), real)._replace(mount=mount.id, size=seen.size)


def _but(found: Found, why: Absent) -> Found:
    """Return what was found of a file, but not where it lies."""
    return found._replace(ranges=why, unplaced=why, unwritten=why, shared=why, encoded=why)


def _nowhere(why: Absent, real: str | None = None) -> Found:
    return Found(real or why, why, why, why, "", *(why,) * 5)


def _special(real: str, state: os.stat_result) -> Found:
    kind = "a character device" if stat.S_ISCHR(state.st_mode) else "a pipe or a socket"
    return _nowhere(absent(f"it is {kind}, which holds no data"), real)


def _no_device(mount: Mounted) -> str:
    """Say why nothing on this mount has a place on a disk of this machine; empty when it may have."""
    kind = mount.fstype
    if kind in MEMORY:
        return f"it is in memory: on {kind}"
    if kind == "fuseblk" or kind in ADDRESSED or kind == "overlay":
        return ""
    if kind in REMOTE or kind.startswith("fuse"):
        return f"no disk of this machine holds it: on {printable(kind)} from {printable(mount.source)}"
    if kind == "zfs":
        return f"zfs tells the disks of {printable(mount.source)} only in `zpool status -LP`"
    return f"{printable(kind)} names no block device" if mount.number.startswith("0:") else ""


def _realtime(data: int, mount: Mounted) -> tuple[Value, str]:
    """Return the number of the device that the extents of a file on XFS count on."""
    try:
        if not fiemap.is_realtime(data):
            return mount.number, ""
        rdev = os.stat(option(mount.super_options, "rtdev")[-1]).st_rdev
    except (OSError, IndexError, ValueError) as error:
        return absent(f"which device of the XFS holds it cannot be told: {_strerror(error)}"), ""
    number = f"{os.major(rdev)}:{os.minor(rdev)}"
    return number, f"FS_IOC_FSGETXATTR: realtime, so it lies on {number} that the mount names as rtdev"


def _layers(mount: Mounted) -> Iterator[str]:
    """Return the directories of an overlay, the topmost first."""
    yield from option(mount.super_options, "upperdir")
    for lower in option(mount.super_options, "lowerdir"):
        yield from (part.replace("\0", ":") for part in lower.replace("\\:", "\0").split(":") if part)
    yield from option(mount.super_options, "lowerdir+")


def _reason(path: str, error: OSError) -> Absent:
    if error.errno == errno.ENOENT:
        try:
            return absent(f"a symbolic link to {printable(os.readlink(path))}, which does not exist")
        except OSError:
            pass
    return absent(_LEFT.get(error.errno or 0) or _strerror(error))


def _strerror(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))
