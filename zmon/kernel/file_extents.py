"""Files that tablespaces are made of: the device each is on, and the bytes of it where it lies.

The live kernel is asked: the descriptor of a file (`O_PATH`) names its path without links and its mount,
`fstat` what it is, `FS_IOC_FIEMAP` where it lies.  Only regular files are opened, for reading; a
block device answers from sysfs.  Nothing is started on any device unless `sync` is said.

Whatever prevents an answer becomes a row whose columns are absent with the reason, never an exception.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections import deque
from functools import partial
from itertools import islice

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final, Protocol
from zmon.base.record import NamedTuple
from zmon.base.sizes import SECTOR
from zmon.kernel import deadline, open_file
from zmon.kernel.mountinfo import (
    PATH,
    is_relative,
    layers,
    option,
    parse_mountinfo,
    through_process,
)
from zmon.kernel.open_file import mount_id
from zmon.kernel.tree import printable, text, why_hidden
from zmon.kinds import CONTAINER
from zmon.sample import Frame, empty_frame
from zmon.values import overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.listed_file import ListedFile
    from zmon.kernel.deadline import Worker
    from zmon.kernel.mountinfo import Mounted
    from zmon.kernel.tree import Tree


MAX_FILES: Final = 100_000
"""Maximum number of files of one directory; each takes about a kilobyte of memory and up to 100 us."""
MAX_FILES_INSIDE: Final = 2 * MAX_FILES
"""Maximum number of files of all directories."""
NO_FILES: Final = frozenset({
    "proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs", "bpf", "pstore",
})  # fmt: skip
"""File systems that hold no data: their directories are not read."""
PROGRESS_EVERY: Final = 500
"""Files between two calls of `progress`."""

ADDRESSED: Final = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "gfs2", "ocfs2"})
"""File systems whose extents zmon knows how to read."""
MEMORY: Final = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
REMOTE: Final = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "gpfs", "lustre", "afs", "beegfs", "glusterfs",
})  # fmt: skip

LABELS: Final = ("database", "tablespace", "role", "listed")
"""The columns that the listing gives, besides the declared size."""
NOT_LISTED: Final = absent("no listing says it")

_NO_MOUNT: Final = absent("a block device is on no file system")
UNREADABLE: Final = absent("no permission to read it: run as root or as the database's user")
NO_BASE: Final = absent("a relative path without a base directory: --base-dir")
NULL_BYTE: Final = absent("its name holds a null byte, which no path can")
CHARACTERS: Final = absent("it is a character device, which holds no data")
PIPE: Final = absent("it is a pipe or a socket, which holds no data")
EMPTY: Final = absent("the directory is empty")
LINK: Final = absent("a symbolic link inside a directory is not followed; name what it leads to")
_MOUNTED: Final = absent("another file system is mounted here; name it to read it")
_NO_SUCH_MOUNT: Final = absent(
    "it is on a mount that only processes of another mount namespace have; name it through one of these"
)
_NO_LAYERS: Final = absent(
    "the layers of the overlay cannot be seen from here: run zmon outside the container"
)
_MAX_LINKS: Final = 40
_MAX_DEPTH: Final = 4
"""Overlays over overlays; the kernel allows two."""
_UNREACHABLE: Final = absent("no permission to reach it: run as root or as the database's user")
LEFT: Final = {
    errno.ENOENT: absent("it does not exist"),
    errno.ENOTDIR: absent("it does not exist: a part of its path is no directory"),
    errno.EACCES: _UNREACHABLE,
    errno.EPERM: _UNREACHABLE,
    errno.ELOOP: absent("its symbolic links lead round in a loop"),
    errno.ENAMETOOLONG: absent("its name is longer than Linux allows"),
    errno.ESTALE: absent("the file server does not know it any more"),
}
NOT_THERE: Final = frozenset({LEFT[errno.ENOENT], LEFT[errno.ENOTDIR]})
"""The reasons of a path that does not exist."""


class ContainerRow(NamedTuple):
    """What was read of one path; the names are those of the columns."""

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


def read_containers(  # noqa: PLR0913 - what may confine it
    tree: Tree,
    listed: Iterable[ListedFile],
    *,
    sync: bool = False,
    most: int = MAX_FILES,
    progress: Callable[[int], None] | None = None,
    silent: dict[str, Worker] | None = None,
) -> Frame:
    """Read containers; one frame of `CONTAINER`, whose keys are the paths as they are listed.

    A file system that does not answer a call within `deadline.CALL_DEADLINE` seconds gets no further one:
    its files are absent with that reason, and the others are read.  `silent` holds the calls that still wait;
    pass the same one again to make no second call there.

    A directory means the regular files in it and below, at most `most`, and `MAX_FILES_INSIDE` in all; links
    in it and file systems mounted in it are named and not entered.  `progress` is called with the number of
    files that are done.  A captured tree returns all containers of the capture, whatever is listed now.
    """
    if not tree.live:
        from zmon.kernel.capture_json import read_captured_containers  # noqa: PLC0415 - a lookup of the live machine needs no JSON

        return read_captured_containers(tree)
    try:
        mounted = parse_mountinfo(tree.read(PATH))
    except OSError as error:
        return empty_frame(CONTAINER, why_hidden(tree, PATH) or f"/{PATH}: {error.strerror}")
    except ValueError as error:
        return empty_frame(CONTAINER, str(error))
    reading = _FileReading(_PathReader(tree, mounted, sync=sync, silent=silent), most, progress)
    return framed(reading.read(listed), tree.when(PATH))


def framed(rows: Mapping[str, tuple[ListedFile, ContainerRow]], when: int) -> Frame:
    """Return rows as a frame."""
    if not rows:
        return empty_frame(CONTAINER, "nothing is listed")
    listed, placed = (zip(*column, strict=True) for column in zip(*rows.values(), strict=True))
    _paths, *labels, declared, _is_device = listed
    columns: dict[str, list[Value]] = {
        name: [word or NOT_LISTED for word in cells] for name, cells in zip(LABELS, labels, strict=True)
    }
    columns["declared"] = list(declared)
    columns |= {name: list(values) for name, values in zip(ContainerRow._fields, placed, strict=True)}
    return Frame(CONTAINER, list(rows), columns, [when] * len(rows))


class LateListing(Protocol):
    """Files that become known while samples are taken, as a database server lists them when it answers."""

    def containers(self) -> Sequence[ListedFile]:
        """Return the files that are known by now; ValueError: none is, with the reason."""

    def changed(self) -> bool:
        """Return whether files were added, or another reason why some are lacking, since the last call."""

    def lacking(self) -> str:
        """Say why some are not known yet; empty when all are."""


class ContainerChoice(Protocol):
    """The containers of a choice."""

    @property
    def containers(self) -> tuple[ListedFile, ...]:
        """The files that are listed."""

    @property
    def later(self) -> LateListing | None:
        """Further ones."""


class ContainerReader:
    """Reads the extents of listed files, also of those that are listed later."""

    def __init__(self, tree: Tree, choice: ContainerChoice) -> None:
        """Read nothing yet."""
        self._tree = tree
        self._listed = choice.containers
        self._later = choice.later
        self._silent: dict[str, Worker] = {}
        self.remark = ""
        """What a person should know of the files that were read last: why others are lacking."""

    def read(self) -> Frame:
        """Return a frame of `CONTAINER`."""
        return read_containers(self._tree, (*self._listed, *self._more()), silent=self._silent)

    def _more(self) -> Sequence[ListedFile]:
        if self._later is None:
            return ()
        self.remark = self._later.lacking()
        try:
            return self._later.containers()
        except ValueError:
            if not self._listed:
                raise
            return ()


def looking(tree: Tree) -> _PathReader:
    """Return a reader of single paths of the live machine.

    Raises:
        OSError, ValueError: its mounts cannot be read.
    """
    return _PathReader(tree, parse_mountinfo(tree.read(PATH)))


class _SilentError(Exception):
    """A path leads to a file system that does not answer."""


class _PathReader:
    """Reads paths of the live machine."""

    def __init__(
        self,
        tree: Tree,
        mounted: list[Mounted],
        *,
        sync: bool = False,
        silent: dict[str, Worker] | None = None,
    ) -> None:
        self._tree = tree
        self._mounts = {mount.id: mount for mount in mounted}
        self._points = {mount.point: mount for mount in mounted}
        self._first_names: dict[tuple[int, int], str] = {}
        """The real path of the first hard link of files without a known place, by device and inode."""
        self._sync = sync
        self._silent = {} if silent is None else silent
        """The workers of calls that did not return, by mount point."""
        self._directories: dict[str, tuple[str, Mounted] | None] = {}
        self._missing: set[str] = set()
        """The directories that do not exist."""
        self._since = time.monotonic()
        """When the current system call began."""
        self._place = ""
        """The mount point of the current call."""
        self.extents: list[open_file.Extent] = []
        """Extents of the last file, in the order of the file."""

    def again(self) -> _PathReader:
        """Return a copy for another thread."""
        other = object.__new__(_PathReader)
        other.__dict__.update(self.__dict__)
        other._directories, other._missing = dict(self._directories), set(self._missing)
        other.goes_on()
        return other

    def devices(self, mount: str) -> list[str]:
        """Return the numbers of the block devices of a btrfs, by its mount; none for other file systems."""
        from zmon.kernel.btrfs import read_devices  # noqa: PLC0415 - most machines have none

        mounted = self._mounts.get(mount)
        if mounted is None or mounted.fstype != "btrfs":
            return []
        cell = read_devices(self._tree, mounted.id, mounted.number, mounted.point, mounted.source)["devices"]
        return [word.partition("=")[2] for word in str(cell).split()] if isinstance(cell, str) else []

    def goes_on(self) -> None:
        """Restart the deadline, because a call has returned."""
        self._since = time.monotonic()

    def remaining(self) -> float:
        """Seconds until the deadline of the current call."""
        return self._since + deadline.CALL_DEADLINE - time.monotonic()

    def leave(self, waiting: Worker) -> str:
        """Abandon the current call to its worker; return what does not answer."""
        self._silent[self._place] = waiting
        return self._why(self._place)

    def _why(self, place: str) -> str:
        mount = self._points.get(place)
        what = f" ({printable(mount.fstype)} from {printable(mount.source)})" if mount else ""
        return f"{printable(place)} does not answer{what}"

    def _enter(self, place: str) -> None:
        """Set the mount point of the next calls.

        Raises:
            _SilentError: it does not answer.
        """
        waiting = self._silent.get(place)
        if waiting is not None and waiting.is_waiting:
            raise _SilentError(self._why(place))
        self._place = place
        self.goes_on()

    def _walk(self, path: str) -> None:
        """Follow a path by names and links, and enter all file systems on the way.

        Raises:
            _SilentError: one of them does not answer.
        """
        here, ahead = "", path.split("/")[::-1]
        links = 0
        place = "/"
        while ahead and links <= _MAX_LINKS:
            name = ahead.pop()
            if name in {"", "."}:
                continue
            here = here.rpartition("/")[0] if name == ".." else f"{here}/{name}"
            if (new := self._place_of(here)) != place or not self._place:
                place = new
                self._enter(place)
            try:
                target = os.readlink(here or "/")
            except FileNotFoundError:
                return  # nothing is below it
            except (OSError, ValueError):
                continue
            if through_process(here):  # the text of such a link is not its target
                self._enter(here)
                return
            links += 1
            here = "" if target.startswith("/") else here.rpartition("/")[0]
            ahead += target.split("/")[::-1]

    def _place_of(self, path: str) -> str:
        while path and path not in self._points:
            path = path.rpartition("/")[0]
        return path or "/"

    def listing(self, directory: str, most: int) -> list[tuple[str, bool, ContainerRow | None]]:
        """Return the entries of a directory: path, whether it is a directory to read, else perhaps its row.

        Only the first `most` entries, in the order of the kernel.

        Raises:
            OSError: it cannot be listed.
        """
        self._walk(directory)
        located = self._directory(directory)
        if located is not None and located[1].fstype in NO_FILES:
            raise OSError(f"it is on {located[1].fstype}, which holds no data")
        entries = []
        with os.scandir(directory) as listing:
            for entry in islice(listing, most):
                entries.append(entry)
                self.goes_on()
        entries.sort(key=lambda entry: entry.name)
        self.goes_on()
        listed: list[tuple[str, bool, ContainerRow | None]] = []
        for entry in entries:
            if entry.is_symlink():
                listed.append((entry.path, False, _nowhere(LINK)))
            elif not entry.is_dir(follow_symlinks=False):
                listed.append((entry.path, False, None))
            elif entry.path in self._points or self._is_point(entry.path):
                listed.append((entry.path, False, _nowhere(_MOUNTED)))
            else:
                listed.append((entry.path, True, None))
        return listed

    def _is_point(self, path: str) -> bool:
        located = self._directory(path)
        return located is None or located[0] in self._points

    def at(self, path: str, depth: int = 0) -> ContainerRow | None:
        """Return the row of a path; None for a directory.

        Most paths are regular files and no links: their mount and real path follow from the directory, which
        is known from the file before.
        """
        if not path.startswith("/"):
            return _nowhere(NO_BASE)
        directory, _slash, name = path.rpartition("/")
        located = self._directory(directory)
        if directory in self._missing:
            return _nowhere(LEFT[errno.ENOENT])
        if located is not None:
            real = f"{located[0]}/{name}"
            through = through_process(path)
            self._enter(through[0] if through else real if real in self._points else located[1].point)
            try:
                state = os.lstat(path)
            except (OSError, ValueError):
                return self._by_node(path, depth)
            if stat.S_ISREG(state.st_mode) and real not in self._points:
                row = self._file(path, os.O_NOFOLLOW, real, located[1], state.st_size, depth)
                return self._of_first_name(row, state)
        return self._by_node(path, depth)

    def _directory(self, path: str) -> tuple[str, Mounted] | None:
        """Return the real path of a directory (empty for `/`) and its mount; None if there is none."""
        if path in self._directories:
            return self._directories[path]
        self._walk(path)
        located = None
        try:
            node = os.open(path or "/", os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            self._missing.add(path)
        except (OSError, ValueError):
            pass
        else:
            try:
                mount = self._mount(mount_id(node), path)
                located = mount and (os.readlink(f"/proc/self/fd/{node}").rstrip("/"), mount)
            except (OSError, ValueError):
                pass
            finally:
                os.close(node)
        self._directories[path] = located
        return located

    def _by_node(self, path: str, depth: int) -> ContainerRow | None:
        """Read a path of any type without opening it."""
        self._walk(path)
        try:
            node = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            return _nowhere(_reason(path, error))
        try:
            return self._opened(path, node, os.fstat(node), depth)
        except (OSError, ValueError) as error:
            return _nowhere(_reason(path, error))
        finally:
            os.close(node)

    def _opened(self, path: str, node: int, state: os.stat_result, depth: int) -> ContainerRow | None:
        if stat.S_ISDIR(state.st_mode):
            return None
        real = os.readlink(f"/proc/self/fd/{node}")
        if stat.S_ISBLK(state.st_mode):
            return self._device(real, state.st_rdev)
        if not stat.S_ISREG(state.st_mode):
            return _nowhere(CHARACTERS if stat.S_ISCHR(state.st_mode) else PIPE, real)
        mount = self._mount(mount_id(node), path)
        if mount is None:
            return _nowhere(_NO_SUCH_MOUNT, real)
        row = self._file(f"/proc/self/fd/{node}", 0, real, mount, state.st_size, depth)
        return self._of_first_name(row, state)

    def _of_first_name(self, row: ContainerRow, state: os.stat_result) -> ContainerRow:
        """Return the row of a file without a known place with the real path of its first hard link.

        The bytes of other files show that two names are one file; of this one only the inode does.
        """
        placed = isinstance(row.ranges, str) and row.ranges
        if placed or state.st_nlink == 1 or not isinstance(row.real, str):
            return row
        return row._replace(real=self._first_names.setdefault((state.st_dev, state.st_ino), row.real))

    def _mount(self, number: str, path: str) -> Mounted | None:
        """Return a mount by its id; a path through /proc/PID may be on a mount of that process."""
        match = through_process(path)
        if number not in self._mounts and match is not None:
            with contextlib.suppress(OSError, ValueError):
                other = parse_mountinfo(self._tree.read(f"{match[1]}/mountinfo"))
                self._mounts = {mount.id: mount for mount in other} | self._mounts
        return self._mounts.get(number)

    def _device(self, real: str, rdev: int) -> ContainerRow:
        number = _number(rdev)
        try:
            size = int(text(self._tree, f"sys/dev/block/{number}/size")) * SECTOR
        except (OSError, ValueError):
            return _nowhere(absent("its node has a number that no disk has"), real)
        said = f"/sys/dev/block/{number}/size: the whole device, {size} bytes"
        return ContainerRow(real, number, _NO_MOUNT, f"0+{size:x}", said, size, 0, 0, 0, 0)

    def _file(  # noqa: PLR0913, PLR0917 - what is known of the file
        self, path: str, flags: int, real: str, mount: Mounted, size: int, depth: int
    ) -> ContainerRow:
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
            no = UNREADABLE if isinstance(error, PermissionError) else absent(f"open: {error.strerror}")
            row = _unplaced(real, mount, size, no)
        else:
            try:
                row = self._placed(data, real, mount, size)
            finally:
                os.close(data)
        return self._below(row, real, mount, depth) if kind == "overlay" else row

    def _placed(self, data: int, real: str, mount: Mounted, size: int) -> ContainerRow:
        try:
            self.extents = open_file.read_extents(data, sync=self._sync, goes_on=self.goes_on)
            ranges, pieces, *counts = open_file.merged(self.extents, size)
        except (OSError, ValueError) as error:
            why = f"FS_IOC_FIEMAP is not answered by {printable(mount.fstype)}: {_strerror(error)}"
            return _unplaced(real, mount, size, absent(why))
        where = " ".join([f"{first:x}+{length:x}" for first, length in ranges])
        row = ContainerRow(
            real, mount.number, mount.id, where, f"FS_IOC_FIEMAP: {pieces} extents", size, *counts
        )
        if mount.fstype == "xfs" and "rtdev=" in mount.super_options:
            return _realtime(data, row, mount)
        return row

    def _below(self, seen: ContainerRow, real: str, mount: Mounted, depth: int) -> ContainerRow:
        """Find the file of an overlay in its layer: the first one with the same bytes."""
        inside = f"{mount.root}/{real[len(mount.point.rstrip('/')) :]}"
        for layer in layers(mount):
            path = os.path.normpath(f"{layer}/{inside}")
            try:
                is_file = layer.startswith("/") and stat.S_ISREG(os.lstat(path).st_mode)
            except OSError:
                continue
            lower = self.at(path, depth + 1) if is_file and depth < _MAX_DEPTH else None
            if lower is not None and (lower.ranges == seen.ranges or isinstance(seen.ranges, Absent)):
                said = _lines(lower.said, f"overlay: the file is {printable(path)}")
                return lower._replace(mount=mount.id, said=said)
        why = overlay.RELATIVE if is_relative(mount) else _NO_LAYERS
        return _nowhere(why, real)._replace(mount=mount.id, size=seen.size)


class _Task(NamedTuple):
    """A path that is still to be read."""

    file: ListedFile
    path: str
    is_directory: bool = False
    is_inside: bool = False
    """Whether it is in a listed directory."""
    row: ContainerRow | None = None
    """Its row, if it is not to be read."""


class _FileReading:
    """Reads one path after the other in a thread, which is abandoned when a call does not return."""

    def __init__(self, looking: _PathReader, most: int, progress: Callable[[int], None] | None) -> None:
        self._looking = looking
        self._progress = progress
        self._most = most
        self._left: dict[str, int] = {}
        """Remaining number of entries to read below each listed directory."""
        self._inside = MAX_FILES_INSIDE
        """Remaining number in all of them."""
        self._rows: dict[str, tuple[ListedFile, ContainerRow]] = {}
        self._tasks: deque[_Task] = deque()
        self._lock = threading.Lock()

    def read(self, listed: Iterable[ListedFile]) -> Mapping[str, tuple[ListedFile, ContainerRow]]:
        """Return the rows by path."""
        self._tasks.extend(_Task(file, file.path) for file in listed)
        while self._tasks:
            looking = self._looking
            looking.goes_on()
            working = deadline.Worker("files")
            working.start(partial(self._work, looking), last=True)
            while (outcome := working.outcome(looking.remaining())) is None:
                if looking.remaining() <= 0 and self._leave(looking, working):
                    break
            if outcome is not None and outcome[1] is not None:
                raise outcome[1]
        return self._rows

    def _leave(self, looking: _PathReader, working: Worker) -> bool:
        """Abandon a worker, and note that in the row of its path."""
        with self._lock:
            if not working.is_waiting or not self._tasks:
                return False
            self._looking = looking.again()
            task = self._tasks.popleft()
            self._add(task, _nowhere(absent(looking.leave(working))))
            return True

    def _work(self, looking: _PathReader) -> None:
        while self._tasks and self._looking is looking:
            task = self._tasks[0]
            row, inside = _look(looking, task, self._most + 1)
            looking.goes_on()
            with self._lock:
                if self._looking is not looking:  # it was given up meanwhile
                    return
                self._tasks.popleft()
                if row is not None:
                    self._add(task, row)
                self._go_into(task, inside)

    def _go_into(self, task: _Task, inside: Sequence[_Task]) -> None:
        """Read the content of a directory next, its subdirectories last."""
        if not task.is_directory:
            self._tasks.extendleft(reversed(inside))
            return
        top = task.file.path
        left = self._left.setdefault(top, self._most)
        many = f"more than {self._most:,} files are below it"
        if left > self._inside:
            left, many = (
                self._inside,
                f"more than {MAX_FILES_INSIDE:,} files are below the directories listed",
            )
        files = [inner for inner in inside if not inner.is_directory]
        self._left[top] = max(0, left - len(inside))
        self._inside = max(0, self._inside - len(inside))
        below = [inner for inner in inside if inner.is_directory][::-1]
        if len(inside) > left:
            why = _nowhere(absent(f"{many}; the rest is not read: name its parts"))
            files, below = [*files[:left], _Task(task.file, top, is_inside=True, row=why)], []
            while self._tasks and self._tasks[0].is_inside and self._tasks[0].file is task.file:
                self._tasks.popleft()
        self._tasks.extendleft(reversed([*files, *below]))

    def _add(self, task: _Task, row: ContainerRow) -> None:
        file, rows = task.file, self._rows
        if task.path in rows:
            first, earlier = rows[task.path]
            again = f"listing: named again by {printable(file.listed or file.tablespace or 'the same')}"
            rows[task.path] = first, earlier._replace(said=_lines(earlier.said, again))
            return
        rows[task.path] = file, row
        if self._progress and len(rows) % PROGRESS_EVERY == 0:
            self._progress(len(rows))


def _look(looking: _PathReader, task: _Task, most: int) -> tuple[ContainerRow | None, Sequence[_Task]]:
    """Return the row of a path, or the tasks for the content of a directory."""
    if task.row is not None:
        return task.row, ()
    try:
        if not task.is_directory:
            row = looking.at(task.path)
            if row is None and task.is_inside:
                row = _nowhere(absent("it became a directory while it was read"))
            return row, () if row else [_Task(task.file, task.path, is_directory=True, is_inside=True)]
        inside = looking.listing(task.path, most)
    except _SilentError as error:
        return _nowhere(absent(str(error))), ()
    except OSError as error:
        return _nowhere(_reason(task.path, error)), ()
    if not inside and task.path == task.file.path:
        return _nowhere(EMPTY), ()
    return None, [_Task(task.file, path, is_directory, True, inner) for path, is_directory, inner in inside]


def _nowhere(why: Absent, real: str | None = None) -> ContainerRow:
    return ContainerRow(real or why, why, why, why, "", *(why,) * 5)


def _unplaced(real: str, mount: Mounted, size: int, why: Absent) -> ContainerRow:
    return ContainerRow(real, mount.number, mount.id, why, "", size, *(why,) * 4)


def _number(rdev: int) -> str:
    return f"{os.major(rdev)}:{os.minor(rdev)}"


def _no_device(mount: Mounted) -> str:
    """Return the reason why no file of a mount is on a disk of this machine; empty if it may be."""
    kind = mount.fstype
    if kind in MEMORY:
        return f"it is in memory: on {kind}"
    if kind in REMOTE or (kind.startswith("fuse") and kind != "fuseblk"):
        return f"no disk of this machine holds it: on {printable(kind)} from {printable(mount.source)}"
    if kind == "zfs":
        return f"zfs shows the disks of {printable(mount.source)} only in `zpool status -LP`"
    return f"{printable(kind)} names no block device" if mount.number.startswith("0:") else ""


def _realtime(data: int, row: ContainerRow, mount: Mounted) -> ContainerRow:
    """Return the row with the device of an XFS that the extents refer to."""
    try:
        if not open_file.is_realtime(data):
            return row
        number = _number(os.stat(option(mount.super_options, "rtdev")[-1]).st_rdev)
    except (OSError, IndexError, ValueError) as error:
        why = absent(f"the device of the XFS is unknown: {_strerror(error)}")
        return row._replace(number=why, ranges=why)
    said = f"FS_IOC_FSGETXATTR: realtime, so it lies on {number} that the mount names as rtdev"
    return row._replace(number=number, said=_lines(row.said, said))


def _reason(path: str, error: Exception) -> Absent:
    if isinstance(error, FileNotFoundError):
        try:
            return absent(f"a symbolic link to {printable(os.readlink(path))}, which does not exist")
        except OSError:
            pass
    if isinstance(error, OSError):
        return LEFT.get(error.errno or 0) or absent(_strerror(error))
    return NULL_BYTE if "\0" in path else absent(str(error))


def _strerror(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))
