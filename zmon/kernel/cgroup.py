"""/sys/fs/cgroup: what services, containers, guests and login sessions use (control groups, version 2).

`io.stat` has a line per block device that a group has touched, with bytes and I/Os as they were submitted,
before requests are merged: `94:0 rbytes=1459200 wbytes=0 rios=192 wios=0 dbytes=0 dios=0`; one without any
has nothing behind its number, and policies append keys of their own.  The counts of a group include those of
groups below it, so a unit is never added to one above it.  Buffered writes are counted for the group that
owns the inode, the journal of a file system for none.  Files of a resource are there only if its controller
is on for the group: systemd switches `io` on with `IOAccounting=yes`.

Reading a file makes the kernel add up what its CPUs have counted.  So `io.stat`, `cpu.stat` and `io.pressure`
are read of each unit, and the other files only if one of them has changed.  Files stay open, as far as the
limit of open files allows, and tell by an error that their group is gone.

Source: the kernel's Documentation/admin-guide/cgroup-v2.rst, block/blk-cgroup.c.
"""

from __future__ import annotations

import errno
import json
import os
import re
import resource
from contextlib import suppress
from itertools import chain, compress
from itertools import count as _count
from operator import itemgetter, ne
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kernel import unit_instance
from zmon.kernel.activity import ChangingRows
from zmon.kernel.tree import MAX_FILE, LiveTree
from zmon.kinds import UNIT, UNIT_IO
from zmon.plain_text import harmless
from zmon.sample import Frame, empty_frame
from zmon.unit_name import CONTAINER, database_of, is_whole, sort_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.absent import Value
    from zmon.kernel.tree import Tree

ROOTS: Final = ("sys/fs/cgroup", "sys/fs/cgroup/unified")
"""Where control groups version 2 are mounted; the second beside those of version 1."""
CONTROLLERS: Final = "cgroup.controllers"
STAT: Final = "cgroup.stat"

NO_GROUPS: Final = "this system has no control groups"
VERSION_1: Final = (
    "this system has control groups of version 1; those of version 2 need the boot option"
    " systemd.unified_cgroup_hierarchy=1"
)
NO_UNITS: Final = "no control group holds a service, a container or a session"
NOT_COUNTED: Final = (
    "the kernel counts no I/O of units: systemd switches that on with IOAccounting=yes of a unit, or with"
    " DefaultIOAccounting=yes"
)
UNCAPTURED: Final = "control groups were not captured"

MAX_UNITS: Final = 10_000
MAX_DEPTH: Final = 16
MAX_LINES: Final = 65_536
"""Devices of one unit at most."""
WALK_EVERY: Final = 10 * 1_000_000_000
"""ns within which groups are looked for, even if their number has not changed."""
COMMANDS_EVERY: Final = 600 * 1_000_000_000
"""ns within which the processes of a unit are looked at again, for its database and which instance it is."""
ASKED_AT_ONCE: Final = 20
"""Units whose processes are looked at in one sample, ..."""
MAX_PROCESSES: Final = 64
"""... and processes of each."""

ALWAYS: Final = ("io.stat", "cpu.stat", "io.pressure")
"""Files that are read of each unit; they stay open."""
ON_CHANGE: Final = (
    "cpu.pressure", "memory.pressure", "memory.current", "memory.max", "memory.swap.current", "memory.stat",
    "pids.current",
)  # fmt: skip
FILES: Final = (*ALWAYS, *ON_CHANGE)

IO_FIELDS: Final = ("rbytes", "wbytes", "dbytes", "rios", "wios", "dios")
_IO_LINE: Final = re.compile(
    rb"([0-9]{1,5}:[0-9]{1,8}) rbytes=([0-9]{1,20}) wbytes=([0-9]{1,20}) rios=([0-9]{1,20})"
    rb" wios=([0-9]{1,20}) dbytes=([0-9]{1,20}) dios=([0-9]{1,20})"
)
_USUAL: Final = b": rbytes= wbytes= rios= wios= dbytes= dios=\n"
"""A line of io.stat without its digits, where the device counts something and no policy appends keys."""
_DIGITS: Final = b"0123456789"
_LETTERS: Final = b"rbyteswiod="
_TO_JSON: Final = bytes.maketrans(b": \n", b",,,")
"""Makes numbers in a list of all that is no digit, behind the letters."""
_NUMBER: Final = re.compile(rb"[0-9]{1,5}:[0-9]{1,8}")
_NAMELESS: Final = b"(unknown)"
"""What the kernel writes for a device that is gone or hidden, such as a path of an NVMe disk."""
_COUNT: Final = re.compile(rb"[0-9]{1,20}")
_FOLDER: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
_DEVICE: Final = "{}:{}".format
_JSON: Final = json.JSONDecoder()
_PLACES: Final = (2, 3, 6, 4, 5, 7)
"""The places of `IO_FIELDS` among the eight numbers of a line."""
MAX_COUNT: Final = 10**20
"""Counts have fewer than 21 digits."""

_CPU: Final = {
    "cpu": b"usage_usec", "user": b"user_usec", "system": b"system_usec", "throttled": b"throttled_usec",
}  # fmt: skip
_MEMORY: Final = {
    "anon": b"anon", "file": b"file", "major_faults": b"pgmajfault",
    "refaulted_file": b"workingset_refault_file", "refaulted_anon": b"workingset_refault_anon",
    "swapped_in": b"pswpin", "swapped_out": b"pswpout",
}  # fmt: skip
_ONE_NUMBER: Final = {
    "tasks": "pids.current", "memory": "memory.current", "memory_max": "memory.max",
    "swap": "memory.swap.current",
}  # fmt: skip
_PRESSURES: Final = (
    ("cpu.pressure", (("cpu_some", b"some"),)),
    ("io.pressure", (("io_some", b"some"), ("io_full", b"full"))),
    ("memory.pressure", (("memory_some", b"some"), ("memory_full", b"full"))),
)
_TOTAL: Final = re.compile(rb"^(some|full) [^\n]{1,100} total=([0-9]{1,20})$", re.MULTILINE)

_UNIT_ROW: Final[Callable[[Mapping[str, Value]], tuple[Value, ...]]] = itemgetter(
    *(field.name for field in UNIT.fields)
)
"""Returns the values of a row in the order of the fields."""

_NO_LIMIT: Final = absent("it has no limit")
_NO_CONTROLLER: Final = {
    name: absent(f"the controller of {name} is not on for this unit") for name in ("pids", "memory", "cpu")
}
_NO_PRESSURE: Final = absent("the kernel does not measure pressure by unit")
_NOT_IN_KERNEL: Final = absent("this kernel does not count it by unit")
_NOT_LIVE: Final = absent("a capture does not tell")
_NO_DATABASE: Final = absent("neither its name nor its processes tell a database")
_NO_INSTANCE: Final = absent("its processes tell no instance, or only to root")
_NO_NAME: Final = absent("the files that have the name of the container need root, or its user")
_NO_INSTANCES: Final = absent("it is no database and no container")

DeviceCounts = tuple[int, ...]
"""The counts of one device, in the order of `IO_FIELDS`."""


def parse_io_line(line: bytes) -> tuple[str, DeviceCounts] | None:
    """Parse a line of io.stat; None if it counts nothing, or for a device without a name.

    Raises:
        ValueError: it does not begin with a device, or one of the six counts is no number.
    """
    found = _IO_LINE.match(line)
    if found is not None:
        number, *counts = found.groups()
        rbytes, wbytes, rios, wios, dbytes, dios = map(int, counts)
        return number.decode(), (rbytes, wbytes, dbytes, rios, wios, dios)
    head, *pairs = line.split() or [b""]
    if head == _NAMELESS:
        return None
    if not _NUMBER.fullmatch(head):
        raise ValueError(f"io.stat: expected major:minor and counts, found {line[:80]!r}")
    known = dict(pair.partition(b"=")[::2] for pair in pairs)
    values = [known.get(name.encode()) for name in IO_FIELDS]
    if not any(values):
        return None
    if not all(value is None or _COUNT.fullmatch(value) for value in values):
        raise ValueError(f"io.stat: expected rbytes=NUMBER wbytes=NUMBER ..., found {line[:80]!r}")
    return head.decode(), tuple(int(value or 0) for value in values)


def usual_numbers(content: bytes) -> list[int]:
    """Return all numbers of io.stat, eight for each device; none if a line has another form than usual."""
    lines = content.count(b"\n")
    if content.translate(None, _DIGITS) == _USUAL * lines:
        with suppress(ValueError):  # a number is missing, or begins with zero
            numbers: list[int] = _JSON.decode(
                f"[{content.translate(_TO_JSON, _LETTERS)[:-1].decode('ascii')}]"
            )
            if len(numbers) == 8 * lines and max(numbers, default=0) < MAX_COUNT:
                return numbers
    return []


def parse_io_stat(content: bytes) -> tuple[list[str], list[Sequence[int]]]:
    """Parse io.stat: the devices that count something, each once, and a column for each of `IO_FIELDS`.

    Raises:
        ValueError: see `parse_io_line`.
    """
    numbers = usual_numbers(content)
    if numbers:
        devices = list(map(_DEVICE, numbers[::8], numbers[1::8]))
        if len(set(devices)) == len(devices):
            return devices, [numbers[at::8] for at in _PLACES]
    found: dict[str, DeviceCounts] = {}
    for line in content.splitlines()[:MAX_LINES]:
        parsed = parse_io_line(line)
        if parsed is not None:
            found.setdefault(*parsed)
    return list(found), list(zip(*found.values(), strict=True))


def parse_flat(content: bytes, labels: Iterable[bytes]) -> dict[bytes, int]:
    """Find the numbers of some lines `name number`, as cpu.stat and memory.stat have them."""
    found = {}
    for label in labels:
        begin = 0 if content.startswith(label + b" ") else content.find(b"\n" + label + b" ") + 1
        if begin or content.startswith(label + b" "):
            number = content[begin + len(label) + 1 : begin + len(label) + 22].partition(b"\n")[0]
            if _COUNT.fullmatch(number):
                found[label] = int(number)
    return found


class UnitFiles:
    """The files of one unit, and what was read of them last."""

    def __init__(self, path: str, folder: str) -> None:
        """Open nothing yet; `path` is that of the group below the root of all, `folder` its directory."""
        self.path = path
        self.folder = folder
        self.open: dict[str, int] = {}
        self.contents: dict[str, bytes | None] = {}
        """What was read last; None of a file that the unit does not have."""
        self.numbers: list[str] = []
        """The devices of io.stat, ..."""
        self.heads: list[int] | None = None
        """... their numbers, major and minor, all the former first, ..."""
        self.columns: list[Sequence[int]] = [()] * len(IO_FIELDS)
        """... a column for each of their counts, ..."""
        self.first = 0
        """... and the place of the first one in UNIT_IO."""
        self.before: list[Sequence[int]] | None = None
        """The columns as they were in the last frame, if they have changed since."""
        self.directory = -1
        """Its directory, if it is held open."""
        self.memory: tuple[bytes | None, dict[bytes, int]] = None, {}
        """Its memory.stat, and what was found there."""
        self.incarnation: Value = _NOT_LIVE
        self.sort = sort_of(path)
        self.database: Value = database_of(path) or _NO_DATABASE
        self.instance: Value = _NO_NAME if self.sort == CONTAINER else _NO_INSTANCES
        self.asked = 0
        """When its processes were looked at."""
        self.row: tuple[Value, ...] = ()

    def __del__(self) -> None:
        for file in (*self.open.values(), *((self.directory,) if self.directory >= 0 else ())):
            with suppress(OSError):
                os.close(file)

    @property
    def held(self) -> int:
        """How many files it holds open."""
        return len(self.open) + (self.directory >= 0)


class UnitReader:
    """Reads all units again and again at low cost."""

    def __init__(self, tree: Tree, _choice: object = None) -> None:
        """Find nothing yet."""
        self._tree = tree
        self._root = ""
        """The directory of all groups, once it is found."""
        self._units: dict[str, UnitFiles] = {}
        self._counted = b""
        """What `cgroup.stat` said when groups were last looked for."""
        self._walked: int | None = None
        self._spare = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4 if isinstance(tree, LiveTree) else 0
        """Files that may be opened for good."""
        self._rows = ChangingRows((), ())
        self._keys: list[str] = []
        self._io: dict[str, list[Value]] = {}
        """The columns of the last frame of UNIT_IO, ..."""
        self._io_before: Frame | None = None
        """... which is this, ..."""
        self._io_keys: list[str] = []
        """... and its keys."""
        self._other_lines = True
        """Whether there are other rows of UNIT_IO than in the last frame."""

    def read(self) -> tuple[Frame, Frame]:
        """Return a frame of UNIT and one of UNIT_IO."""
        root = self._root or self._find_root()
        if root is None:
            why = self._why_none()
            return empty_frame(UNIT, why), empty_frame(UNIT_IO, why)
        self._root = root
        now = self._tree.when(f"{root}/{CONTROLLERS}")
        self._look(now)
        gone = [path for path, unit in self._units.items() if not self._read_unit(unit)]
        for path in gone:
            unit = self._units.pop(path)
            self._spare += unit.held
            if unit.row:  # it was there before
                self._walked, self._other_lines = None, True
        self._ask(now)
        if not self._units:
            return empty_frame(UNIT, NO_UNITS), empty_frame(UNIT_IO, NO_UNITS)
        return self._unit_frame(now), self._io_frame(now)

    # which units there are

    def _find_root(self) -> str | None:
        for root in ROOTS:
            with suppress(OSError):
                self._tree.read(f"{root}/{CONTROLLERS}")
                return root
        return None

    def _why_none(self) -> str:
        try:
            names = self._tree.entries(ROOTS[0])
        except OSError:
            return NO_GROUPS if self._tree.live else UNCAPTURED
        return VERSION_1 if names else NO_GROUPS

    def _look(self, now: int) -> None:
        """Look for groups, if their number has changed or it was not done for a while."""
        try:
            counted = self._tree.read(f"{self._root}/{STAT}")
        except OSError:
            counted = b""
        if self._walked is not None and counted == self._counted and now - self._walked < WALK_EVERY:
            return
        self._walked, self._counted = now, counted
        found = {}
        for folder in unit_folders(self._tree, self._root):
            path = harmless(folder[len(self._root) :], escaped=True)
            found[path] = self._units.get(path) or UnitFiles(path, folder)
        for path in self._units.keys() - found.keys():
            self._spare += self._units[path].held
        for unit in found.values():
            # a controller may have been switched on
            unit.contents = {name: data for name, data in unit.contents.items() if data is not None}
        self._other_lines |= list(found) != list(self._units)
        self._units = found

    def _ask(self, now: int) -> None:
        """Look at the processes of a few units: which database they are, and which instance of it."""
        if not self._tree.live:
            return
        due = [unit for unit in self._units.values() if not unit.asked or now - unit.asked > COMMANDS_EVERY]
        for unit in due[:ASKED_AT_ONCE]:
            unit.asked = now
            before = unit.database, unit.instance
            processes = unit_instance.seen(self._tree, self._processes(unit.folder))
            named = database_of(unit.path, (process.command for process in processes))
            if named:
                unit.database = named
                unit.instance = unit_instance.instance_of(self._tree, named, processes) or _NO_INSTANCE
            if unit.sort == CONTAINER:
                name = unit_instance.container_name(self._tree, unit.folder)
                told = unit.instance if named and isinstance(unit.instance, str) else ""
                unit.instance = ", ".join(filter(None, (name, told))) or _NO_NAME
            if (unit.database, unit.instance) != before:
                unit.contents.pop("cpu.stat", None)

    def _processes(self, folder: str) -> Iterator[str]:
        """Yield the numbers of the first processes of a unit."""
        left = MAX_PROCESSES
        for each in (folder, *groups_below(self._tree, folder)):
            try:
                pids = self._tree.read(f"{each}/cgroup.procs").split()[:left]
            except OSError:
                continue
            left -= len(pids)
            yield from (pid.decode() for pid in pids if pid.isdigit())
            if not left:
                return

    # what they did

    def _read_unit(self, unit: UnitFiles) -> bool:
        """Read the files of a unit; return whether it is still there."""
        before = dict(unit.contents)
        try:
            for name in ALWAYS:
                unit.contents[name] = self._content(unit, name)
            if unit.row and all(unit.contents[name] == before.get(name) for name in ALWAYS):
                return True
            for name in ON_CHANGE:
                unit.contents[name] = self._content(unit, name)
        except OSError:
            return False
        if not unit.row and self._tree.live:
            with suppress(OSError):
                root = self._tree.root if isinstance(self._tree, LiveTree) else "/"
                unit.incarnation = str(os.stat(root + unit.folder).st_ino)
        unit.row = self._row_of(unit)
        if unit.contents["io.stat"] != before.get("io.stat"):
            self._parse_io(unit)
        return True

    def _content(self, unit: UnitFiles, name: str) -> bytes | None:
        """Return the content of a file; None if the unit does not have it.

        Raises:
            OSError: the unit is gone, or may not be read.
        """
        if name in unit.contents and unit.contents[name] is None:
            return None
        file = unit.open.get(name)
        if file is not None:
            return _whole(file)
        path = f"{unit.folder}/{name}"
        try:
            if self._spare > 0 and name in ALWAYS and isinstance(self._tree, LiveTree):
                file = unit.open[name] = os.open(self._tree.root + path, os.O_RDONLY | os.O_CLOEXEC)
                self._spare -= 1
                return _whole(file)
            return self._once(unit, path, name)
        except FileNotFoundError:
            if name == "cpu.stat":  # each group has it
                raise
            return None
        except OSError:
            if name.endswith(".pressure"):  # switched off
                return None
            raise

    def _once(self, unit: UnitFiles, path: str, name: str) -> bytes:
        """Read a file that is not held open, from the directory of its unit where that is."""
        if not isinstance(self._tree, LiveTree):
            return self._tree.read(path)
        if unit.directory < 0 and self._spare > 0:
            unit.directory = os.open(self._tree.root + unit.folder, _FOLDER)
            self._spare -= 1
        if unit.directory < 0:
            return self._tree.read(path)
        file = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=unit.directory)
        try:
            return _whole(file)
        finally:
            os.close(file)

    def _parse_io(self, unit: UnitFiles) -> None:
        """Parse io.stat.

        Raises:
            ValueError: a line is of another form.
        """
        before = unit.numbers
        if unit.before is None:
            unit.before = unit.columns
        content = unit.contents["io.stat"] or b""
        numbers = usual_numbers(content)
        heads = numbers[::8] + numbers[1::8]
        if numbers and heads == unit.heads:  # most often nothing but counts has changed
            unit.columns = [numbers[at::8] for at in _PLACES]
            return
        unit.numbers, columns = parse_io_stat(content)
        unit.heads = heads if len(unit.numbers) == len(numbers) / 8 else None
        unit.columns = columns or [()] * len(IO_FIELDS)
        self._other_lines |= unit.numbers != before

    def _row_of(self, unit: UnitFiles) -> tuple[Value, ...]:
        contents = unit.contents
        cpu = parse_flat(contents["cpu.stat"] or b"", _CPU.values())
        row: dict[str, Value] = {
            "incarnation": unit.incarnation,
            "sort": unit.sort,
            "database": unit.database,
            "instance": unit.instance,
            "io_counted": int(contents["io.stat"] is not None),
        }
        for name, file in _ONE_NUMBER.items():
            content = (contents[file] or b"").strip()
            none = _NO_CONTROLLER[file.partition(".")[0]]
            row[name] = int(content) if _COUNT.fullmatch(content) else _NO_LIMIT if content else none
        for name, label in _CPU.items():
            row[name] = cpu[label] * 1000 if label in cpu else _NO_CONTROLLER["cpu"]
        if unit.memory[0] != contents["memory.stat"]:
            unit.memory = (
                contents["memory.stat"],
                parse_flat(contents["memory.stat"] or b"", _MEMORY.values()),
            )
        memory = unit.memory[1]
        none = _NOT_IN_KERNEL if memory else _NO_CONTROLLER["memory"]
        for name, label in _MEMORY.items():
            row[name] = memory.get(label, none)
        for file, fields in _PRESSURES:
            lost = _pressure(contents[file])
            row |= {name: lost.get(label, _NO_PRESSURE) for name, label in fields}
        return _UNIT_ROW(row)

    # frames

    def _unit_frame(self, now: int) -> Frame:
        keys = list(self._units)
        if keys != self._keys:
            self._keys = keys
            self._rows = ChangingRows([field.name for field in UNIT.fields], [()] * len(keys))
        self._rows.replace({at: unit.row for at, unit in enumerate(self._units.values())})
        return self._rows.frame(UNIT, self._keys, [now] * len(keys), {})

    def _io_frame(self, now: int) -> Frame:
        if self._other_lines:
            self._place_lines()
        moved = self._take_counts()
        if not self._io_keys:
            counted = any(unit.contents.get("io.stat") is not None for unit in self._units.values())
            if counted:
                return Frame(UNIT_IO, [], {}, [])
            return empty_frame(UNIT_IO, VERSION_1 if self._root == ROOTS[1] else NOT_COUNTED)
        found = Frame(UNIT_IO, self._io_keys, dict(self._io), [now] * len(self._io_keys))
        if self._io_before is not None and self._io_before.keys is found.keys:
            found.note_moved(self._io_before, moved)
        self._io_before = found
        return found

    def _place_lines(self) -> None:
        """Give each device of each unit a row."""
        units = self._units.values()
        self._io_keys = [f"{number} {unit.path}" for unit in units for number in unit.numbers]
        self._io = {
            "unit": [unit.path for unit in units for _ in unit.numbers],
            "device": [number for unit in units for number in unit.numbers],
        }
        first = 0
        for unit in units:
            unit.first, unit.before = first, None
            first += len(unit.numbers)
        self._other_lines = False

    def _take_counts(self) -> list[int]:
        """Put what units have counted into columns; return the rows that have changed.

        A column in which nothing changed is the same list as in the frame before.
        """
        changed = [unit for unit in self._units.values() if unit.before is not None]
        moved: set[int] = set()
        for at, name in enumerate(IO_FIELDS):
            known = self._io.get(name)
            if known is None:
                self._io[name] = list(chain.from_iterable(unit.columns[at] for unit in self._units.values()))
                continue
            others = [unit for unit in changed if unit.before and unit.before[at] != unit.columns[at]]
            if others:
                self._io[name] = column = known.copy()
            for unit in others:
                now, first = unit.columns[at], unit.first
                column[first : first + len(now)] = now
                assert unit.before is not None  # noqa: S101 - it is one of those that have changed
                moved.update(compress(_count(first), map(ne, unit.before[at], now)))
        for unit in changed:
            unit.before = None
        return sorted(moved)


def _pressure(content: bytes | None) -> dict[bytes, int]:
    """Return the ns of `some` and `full`."""
    return {name: int(total) * 1000 for name, total in _TOTAL.findall(content or b"")}


def _whole(file: int) -> bytes:
    """Read a file that is open from its begin, in one piece: the kernel makes it anew for each.

    Raises:
        OSError: its group is gone, or it is too large.
    """
    size = 65536
    while True:
        data = os.pread(file, size, 0)
        if len(data) < size:
            return data
        size *= 8
        if size > MAX_FILE:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))


def groups_below(tree: Tree, folder: str) -> list[str]:
    """Return the directories in the directory of a group; none if it is gone."""
    try:
        if isinstance(tree, LiveTree):
            with os.scandir(tree.root + folder) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        else:
            names = [name for name in tree.entries(folder) if _is_folder(tree, f"{folder}/{name}")]
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names]


def _is_folder(tree: Tree, path: str) -> bool:
    try:
        tree.entries(path)
    except OSError:
        return False
    return True


def unit_folders(tree: Tree, root: str) -> list[str]:
    """Return the directories of all units, sorted: of no two is one below the other.

    A unit is a group whose name says so, else one without groups below it.
    """
    found: list[str] = []
    left = [(folder, 1) for folder in groups_below(tree, root)]
    while left and len(found) < MAX_UNITS:
        folder, depth = left.pop()
        name = folder.rpartition("/")[2]
        below = [] if is_whole(name) or depth == MAX_DEPTH else groups_below(tree, folder)
        if below:
            left += [(each, depth + 1) for each in below]
        elif not name.endswith(".slice"):
            found.append(folder)
    return sorted(found)


def captured_files(tree: Tree) -> list[str]:
    """Return the paths of the files of units that a capture keeps."""
    for root in ROOTS:
        with suppress(OSError):
            tree.read(f"{root}/{CONTROLLERS}")
            files = [f"{folder}/{name}" for folder in unit_folders(tree, root) for name in FILES]
            return [f"{root}/{CONTROLLERS}", f"{root}/{STAT}", *files]
    return [f"{root}/{name}" for root in ROOTS[:1] for name in ("blkio", "cpu", "memory")]
