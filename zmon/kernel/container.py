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
from zmon.kernel import fiemap
from zmon.kernel.fdinfo import mount_id
from zmon.kernel.mountinfo import PATH, option, parse_mountinfo
from zmon.kernel.spelling import printable
from zmon.kernel.tree import text
from zmon.kinds import CONTAINER
from zmon.sample import Frame, nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

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

LABELS: Final = ("database", "tablespace", "role", "listed")
"""The columns that the listing gives, besides the declared size."""
NOT_LISTED: Final = absent("no listing says it")
UNSAID: Final = absent("the listing does not say its size")

_NO_MOUNT: Final = absent("a block device is on no file system")
_UNREADABLE: Final = absent("no permission to read it: run as root or as the database's user")
_LINK: Final = absent("a symbolic link inside a directory is not followed; name what it leads to")
_MOUNTED: Final = absent("another file system is mounted here; name it to have it looked at")
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
    declared: Number = UNSAID


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
    A captured tree answers with all that was looked at when it was captured, whatever is listed now.
    """
    if not tree.live:
        from zmon.kernel.placed import read_captured  # noqa: PLC0415 - a lookup of the live machine needs no JSON

        return read_captured(tree)
    try:
        mounted = parse_mountinfo(tree.read(PATH))
    except OSError as error:
        return nothing(CONTAINER, f"/{PATH}: {error.strerror}")
    except ValueError as error:
        return nothing(CONTAINER, str(error))
    looking = _Looking(tree, mounted, sync=sync)
    rows: dict[str, tuple[Listed, Found]] = {}
    for one in listed:
        found = looking.at(one.path)
        inside = looking.inside(one.path, most) if found is None else [(one.path, found)]
        for path, found in inside:
            if path in rows:
                first, known = rows[path]
                again = f"listing: named again by {printable(one.listed or one.tablespace or 'the same')}"
                rows[path] = first, known._replace(said=_lines(known.said, again))
                continue
            rows[path] = one, found
            if progress and len(rows) % EVERY == 0:
                progress(len(rows))
    return framed(rows, tree.when(PATH))


def framed(rows: Mapping[str, tuple[Listed, Found]], when: int) -> Frame:
    """Return what was found as the frame of a sample."""
    if not rows:
        return nothing(CONTAINER, "nothing is listed")
    listed, found = (zip(*column, strict=True) for column in zip(*rows.values(), strict=True))
    _paths, *labels, declared = listed
    columns: dict[str, list[Value]] = {
        name: [word or NOT_LISTED for word in words] for name, words in zip(LABELS, labels, strict=True)
    }
    columns["declared"] = list(declared)
    columns |= {name: list(values) for name, values in zip(Found._fields, found, strict=True)}
    return Frame(CONTAINER, list(rows), columns, [when] * len(rows))


class _Looking:
    """Looks at paths of the live machine."""

    def __init__(self, tree: Tree, mounted: list[Mounted], *, sync: bool) -> None:
        self._tree = tree
        self._mounts = {mount.id: mount for mount in mounted}
        self._points = {mount.point for mount in mounted}
        self._sync = sync
        self._directories: dict[str, tuple[str, Mounted] | None] = {}

    def inside(self, directory: str, most: int) -> Iterator[tuple[str, Found]]:
        """Return what is in a directory and below."""
        waiting = [directory]
        while waiting:
            here = waiting.pop()
            try:
                with os.scandir(here) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                yield here, _nowhere(_reason(here, error))
                continue
            if not entries and here == directory:
                yield here, _nowhere(absent("the directory is empty"))
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and not self._is_point(entry.path):
                    waiting.append(entry.path)
                    continue
                if not most:
                    yield (
                        directory,
                        _nowhere(absent("it holds more files than are looked at; name its parts")),
                    )
                    return
                most -= 1
                yield entry.path, self._entry(entry)

    def _is_point(self, path: str) -> bool:
        known = self._directory(path)
        return known is None or known[0] in self._points

    def _entry(self, entry: os.DirEntry[str]) -> Found:
        if entry.is_symlink():
            return _nowhere(_LINK)
        if entry.is_dir(follow_symlinks=False):
            return _nowhere(_MOUNTED)
        return self.at(entry.path) or _nowhere(absent("it became a directory while it was looked at"))

    def at(self, path: str, depth: int = 0) -> Found | None:
        """Return what is at a path; None when that is a directory.

        Most are regular files, and no links.  For these the directory, which is known from the file before,
        tells the mount and the path without links.
        """
        if not path.startswith("/"):
            return _nowhere(absent("a relative path, and nobody says relative to what"))
        directory, _slash, name = path.rpartition("/")
        known = self._directories.get(directory) or self._directory(directory)
        if known is not None:
            real = f"{known[0]}/{name}"
            try:
                state = os.lstat(path)
            except (OSError, ValueError):
                return self._by_node(path, depth)
            if stat.S_ISREG(state.st_mode) and real not in self._points:
                return self._file(path, os.O_NOFOLLOW, real, known[1], state.st_size, depth)
        return self._by_node(path, depth)

    def _directory(self, path: str) -> tuple[str, Mounted] | None:
        """Return the path of a directory without links, `/` as the empty one, and its mount."""
        known = None
        try:
            node = os.open(path or "/", os.O_PATH | os.O_CLOEXEC)
        except (OSError, ValueError):
            pass
        else:
            try:
                mount = self._mounts.get(mount_id(node))
                known = mount and (os.readlink(f"/proc/self/fd/{node}").rstrip("/"), mount)
            except (OSError, ValueError):
                pass
            finally:
                os.close(node)
        self._directories[path] = known
        return known

    def _by_node(self, path: str, depth: int) -> Found | None:
        """Look at what may be anything, without opening it."""
        try:
            node = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            return _nowhere(_reason(path, error))
        try:
            return self._opened(node, os.fstat(node), depth)
        except (OSError, ValueError) as error:
            return _nowhere(_reason(path, error))
        finally:
            os.close(node)

    def _opened(self, node: int, state: os.stat_result, depth: int) -> Found | None:
        if stat.S_ISDIR(state.st_mode):
            return None
        real = os.readlink(f"/proc/self/fd/{node}")
        if stat.S_ISBLK(state.st_mode):
            return self._device(real, state.st_rdev)
        if not stat.S_ISREG(state.st_mode):
            kind = "a character device" if stat.S_ISCHR(state.st_mode) else "a pipe or a socket"
            return _nowhere(absent(f"it is {kind}, which holds no data"), real)
        mount = self._mounts.get(mount_id(node))
        if mount is None:
            return _nowhere(absent("its mount was not there a moment ago; look again"), real)
        return self._file(f"/proc/self/fd/{node}", 0, real, mount, state.st_size, depth)

    def _device(self, real: str, rdev: int) -> Found:
        number = _number(rdev)
        try:
            size = int(text(self._tree, f"sys/dev/block/{number}/size")) * 512
        except (OSError, ValueError):
            return _nowhere(absent("its node has a number that no disk has"), real)
        said = f"/sys/dev/block/{number}/size: the whole device, {size} bytes"
        return Found(real, number, _NO_MOUNT, f"0+{size:x}", said, size, 0, 0, 0, 0)

    def _file(  # noqa: PLR0913, PLR0917 - what is known of it by then
        self, path: str, flags: int, real: str, mount: Mounted, size: int, depth: int
    ) -> Found:
        kind = mount.fstype
        if kind not in ADDRESSED and kind != "overlay":
            if why := _no_device(mount):
                return _nowhere(absent(why), real)._replace(mount=mount.id, size=size)
            return _unplaced(
                real, mount, size, absent(f"zmon cannot read where {printable(kind)} puts a file")
            )
        try:
            data = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
        except OSError as error:
            no = _UNREADABLE if isinstance(error, PermissionError) else absent(f"open: {error.strerror}")
            found = _unplaced(real, mount, size, no)
        else:
            try:
                found = self._placed(data, real, mount, size)
            finally:
                os.close(data)
        return self._below(found, real, mount, depth) if kind == "overlay" else found

    def _placed(self, data: int, real: str, mount: Mounted, size: int) -> Found:
        try:
            ranges, pieces, *counts = fiemap.merged(fiemap.read_extents(data, sync=self._sync))
        except (OSError, ValueError) as error:
            why = f"FS_IOC_FIEMAP is not answered by {printable(mount.fstype)}: {_strerror(error)}"
            return _unplaced(real, mount, size, absent(why))
        where = " ".join([f"{first:x}+{length:x}" for first, length in ranges])
        found = Found(real, mount.number, mount.id, where, f"FS_IOC_FIEMAP: {pieces} extents", size, *counts)
        if mount.fstype == "xfs" and "rtdev=" in mount.super_options:
            return _realtime(data, found, mount)
        return found

    def _below(self, seen: Found, real: str, mount: Mounted, depth: int) -> Found:
        """Find the file of an overlay in the layer that holds it: the first whose bytes are the same."""
        inside = f"{mount.root}/{real[len(mount.point.rstrip('/')) :]}"
        for layer in _layers(mount):
            path = os.path.normpath(f"{layer}/{inside}")
            try:
                is_file = layer.startswith("/") and stat.S_ISREG(os.lstat(path).st_mode)
            except OSError:
                continue
            found = self.at(path, depth + 1) if is_file and depth < _DEEPEST else None
            if found is not None and (found.ranges == seen.ranges or isinstance(seen.ranges, Absent)):
                said = _lines(found.said, f"overlay: the file is {printable(path)}")
                return found._replace(mount=mount.id, said=said)
        why = "the layers of the overlay cannot be seen from here: look from outside the container"
        return _nowhere(absent(why), real)._replace(mount=mount.id, size=seen.size)


def _nowhere(why: Absent, real: str | None = None) -> Found:
    return Found(real or why, why, why, why, "", *(why,) * 5)


def _unplaced(real: str, mount: Mounted, size: int, why: Absent) -> Found:
    return Found(real, mount.number, mount.id, why, "", size, *(why,) * 4)


def _number(rdev: int) -> str:
    return f"{os.major(rdev)}:{os.minor(rdev)}"


def _no_device(mount: Mounted) -> str:
    """Say why nothing on this mount has a place on a disk of this machine; empty when it may have."""
    kind = mount.fstype
    if kind in MEMORY:
        return f"it is in memory: on {kind}"
    if kind in REMOTE or (kind.startswith("fuse") and kind != "fuseblk"):
        return f"no disk of this machine holds it: on {printable(kind)} from {printable(mount.source)}"
    if kind == "zfs":
        return f"zfs tells the disks of {printable(mount.source)} only in `zpool status -LP`"
    return f"{printable(kind)} names no block device" if mount.number.startswith("0:") else ""


def _realtime(data: int, found: Found, mount: Mounted) -> Found:
    """Say on which of the devices of an XFS the extents of a file count."""
    try:
        if not fiemap.is_realtime(data):
            return found
        number = _number(os.stat(option(mount.super_options, "rtdev")[-1]).st_rdev)
    except (OSError, IndexError, ValueError) as error:
        why = absent(f"which device of the XFS holds it cannot be told: {_strerror(error)}")
        return found._replace(number=why, ranges=why)
    said = f"FS_IOC_FSGETXATTR: realtime, so it lies on {number} that the mount names as rtdev"
    return found._replace(number=number, said=_lines(found.said, said))


def _layers(mount: Mounted) -> Iterator[str]:
    """Return the directories of an overlay, the topmost first."""
    yield from option(mount.super_options, "upperdir")
    for lower in option(mount.super_options, "lowerdir"):
        yield from (part.replace("\0", ":") for part in lower.replace("\\:", "\0").split(":") if part)
    yield from option(mount.super_options, "lowerdir+")


def _reason(path: str, error: Exception) -> Absent:
    if isinstance(error, FileNotFoundError):
        try:
            return absent(f"a symbolic link to {printable(os.readlink(path))}, which does not exist")
        except OSError:
            pass
    if isinstance(error, OSError):
        return absent(_LEFT.get(error.errno or 0) or _strerror(error))
    return absent("its name holds a null byte, which no path can" if "\0" in path else str(error))


def _strerror(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))
