"""/sys/fs/cgroup: what services, containers, guests and login sessions use (control groups, version 2).

The counts of a group include those of groups below it, so a unit is never added to one above it.  Files of a
resource are there only if its controller is on for the group: systemd switches `io` on with
`IOAccounting=yes`.  What `io.stat` says is `zmon.kernel.unit_io`.

Reading a file makes the kernel add up what its CPUs have counted.  So `io.stat`, `cpu.stat` and `io.pressure`
are read of each unit, and the other files only if one of them has changed; `memory.stat`, the longest, only
if the memory of the unit has.  Files stay open, as far as they may, and tell by an error that their group is
gone; those that are read on change are closed when a unit has rested for a while.

Source: the kernel's Documentation/admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import partial
from itertools import chain, compress
from itertools import count as _count
from operator import itemgetter, ne
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.clock import MINUTE, SECOND
from zmon.base.plain_text import harmless
from zmon.kernel import unit_instance
from zmon.kernel.activity import ChangingRows
from zmon.kernel.held_files import MOST_HELD, Allowance, HeldFiles
from zmon.kernel.tree import LiveTree
from zmon.kernel.unit_io import UnitIoStat, UnitIoTable
from zmon.kinds import UNIT, UNIT_IO
from zmon.sample import Frame, empty_frame
from zmon.values.unit_name import CONTAINER, database_of, is_whole, sort_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.absent import Absent, Value
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
WALK_EVERY: Final = 10 * SECOND
"""ns within which groups are looked for, even if their number has not changed."""
COMMANDS_EVERY: Final = 10 * MINUTE
"""ns within which the processes of a unit are looked at again, for its database and which instance it is."""
ASKED_AT_ONCE: Final = 20
"""Units whose processes are looked at in one sample, ..."""
MAX_PROCESSES: Final = 64
"""... and processes of each."""

ALWAYS: Final = ("io.stat", "cpu.stat", "io.pressure")
"""Files that are read of each unit."""
ON_CHANGE: Final = (
    "cpu.pressure",
    "memory.pressure",
    "memory.current",
    "memory.max",
    "memory.swap.current",
    "pids.current",
)
OF_MEMORY: Final = ("memory.stat",)
"""The longest of all: it is read if the unit has more or less memory than before, or waited for some."""
FILES: Final = (*ALWAYS, *ON_CHANGE, *OF_MEMORY)
RESTS_AFTER: Final = 10
"""Samples in which a unit did nothing, after which the files that are read on change are closed."""

_CPU: Final = {
    "cpu": b"usage_usec", "user": b"user_usec", "system": b"system_usec", "throttled": b"throttled_usec",
}  # fmt: skip
_CPU_STAT: Final = re.compile(
    rb"usage_usec ([0-9]{1,20})\nuser_usec ([0-9]{1,20})\nsystem_usec ([0-9]{1,20})\n"
)
"""How cpu.stat begins; only where the controller is on, there is a line of throttled time further down."""
_MEMORY: Final = {
    "anon": b"anon", "file": b"file", "major_faults": b"pgmajfault",
    "refaulted_file": b"workingset_refault_file", "refaulted_anon": b"workingset_refault_anon",
    "swapped_in": b"pswpin", "swapped_out": b"pswpout",
}  # fmt: skip
_PRESSURE: Final = re.compile(
    rb"some avg10=[0-9.]{4,6} avg60=[0-9.]{4,6} avg300=[0-9.]{4,6} total=([0-9]{1,20})\n"
    rb"full avg10=[0-9.]{4,6} avg60=[0-9.]{4,6} avg300=[0-9.]{4,6} total=([0-9]{1,20})\n"
)
_TOTAL: Final = re.compile(rb"^(some|full) [^\n]{1,100} total=([0-9]{1,20})$", re.MULTILINE)

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


def parse_flat(content: bytes, labels: Iterable[bytes]) -> dict[bytes, int]:
    """Find the numbers of some lines `name number`, as cpu.stat and memory.stat have them."""
    numbers = {}
    content = b"\n" + content
    for label in labels:
        begin = content.find(b"\n" + label + b" ")
        if begin >= 0:
            begin += len(label) + 2
            number = content[begin : begin + 21].partition(b"\n")[0]
            if number.isdigit() and len(number) < 21:
                numbers[label] = int(number)
    return numbers


def _is_counted(content: bytes | None) -> tuple[Value, ...]:
    """Return 1 if the kernel counts the I/O of a unit, else 0."""
    return (int(content is not None),)


def _cpu(content: bytes | None) -> tuple[Value, ...]:
    """Return the ns of `_CPU`."""
    usual = _CPU_STAT.fullmatch(content or b"")
    if usual is not None:
        usage, user, system = usual.groups()
        return int(usage) * 1000, int(user) * 1000, int(system) * 1000, _NO_CONTROLLER["cpu"]
    numbers = parse_flat(content or b"", _CPU.values())
    none = _NO_CONTROLLER["cpu"]
    return tuple([numbers[label] * 1000 if label in numbers else none for label in _CPU.values()])


def _memory(content: bytes | None) -> tuple[Value, ...]:
    """Return the numbers of `_MEMORY`."""
    numbers = parse_flat(content or b"", _MEMORY.values())
    none = _NOT_IN_KERNEL if numbers else _NO_CONTROLLER["memory"]
    return tuple([numbers.get(label, none) for label in _MEMORY.values()])


def _one_number(none: Absent, content: bytes | None) -> tuple[Value, ...]:
    """Return the number that is all of a file; `max` is no limit."""
    word = (content or b"").strip()
    return (int(word) if word.isdigit() and len(word) < 21 else _NO_LIMIT if word else none,)


def _some(content: bytes | None) -> tuple[Value, ...]:
    """Return the ns in which some task was delayed."""
    return _some_and_full(content)[:1]


def _some_and_full(content: bytes | None) -> tuple[Value, ...]:
    """Return the ns in which some task was delayed, and those in which all were."""
    match = _PRESSURE.fullmatch(content or b"")
    if match is not None:
        return int(match[1]) * 1000, int(match[2]) * 1000
    lost = {name: int(total) * 1000 for name, total in _TOTAL.findall(content or b"")}
    return lost.get(b"some", _NO_PRESSURE), lost.get(b"full", _NO_PRESSURE)


_FIELDS_OF: Final[dict[str, tuple[tuple[str, ...], Callable[[bytes | None], tuple[Value, ...]]]]] = {
    "io.stat": (("io_counted",), _is_counted),
    "cpu.stat": (tuple(_CPU), _cpu),
    "io.pressure": (("io_some", "io_full"), _some_and_full),
    "cpu.pressure": (("cpu_some",), _some),
    "memory.pressure": (("memory_some", "memory_full"), _some_and_full),
    "memory.current": (("memory",), partial(_one_number, _NO_CONTROLLER["memory"])),
    "memory.max": (("memory_max",), partial(_one_number, _NO_CONTROLLER["memory"])),
    "memory.swap.current": (("swap",), partial(_one_number, _NO_CONTROLLER["memory"])),
    "memory.stat": (tuple(_MEMORY), _memory),
    "pids.current": (("tasks",), partial(_one_number, _NO_CONTROLLER["pids"])),
}
"""For each file the fields that it gives, and a function that gives their values; None: it is not there."""
_PARSERS: Final = [_FIELDS_OF[name][1] for name in FILES]
_NO_PARTS: Final = [parse(None) for parse in _PARSERS]
_IO_STAT: Final = FILES.index("io.stat")
_MEMORY_MOVES: Final[Callable[[Sequence[bytes | None]], object]] = itemgetter(
    FILES.index("memory.current"), FILES.index("memory.pressure")
)
"""What has to change for memory.stat to be read."""
_ORDER: Final = [
    "incarnation", "sort", "database", "instance",
    *chain.from_iterable(_FIELDS_OF[name][0] for name in FILES),
]  # fmt: skip
_AS_FIELDS: Final[Callable[[tuple[Value, ...]], tuple[Value, ...]]] = itemgetter(
    *(_ORDER.index(field.name) for field in UNIT.fields)
)
"""Puts the values of a unit in the order of the fields."""


class UnitFiles:
    """The files of one unit, and what was read of them last."""

    def __init__(self, path: str, folder: str, tree: Tree, allowance: Allowance) -> None:
        """Open nothing yet; `path` is that of the group below the root of all, `folder` its directory."""
        self.path = path
        self.folder = folder
        self.always = HeldFiles(tree, folder, ALWAYS, allowance, _may_lack)
        self.on_change = HeldFiles(tree, folder, ON_CHANGE, allowance, _may_lack)
        self.of_memory = HeldFiles(tree, folder, OF_MEMORY, allowance, _may_lack)
        self.seen: list[bytes] = []
        """What was read last of the files that are always read."""
        self.rested = 0
        """In how many samples these have said the same."""
        self.io = UnitIoStat(path)
        self.incarnation: Value = _NOT_LIVE
        self.sort = sort_of(path)
        self.database: Value = database_of(path) or _NO_DATABASE
        self.instance: Value = _NO_NAME if self.sort == CONTAINER else _NO_INSTANCES
        self.asked = 0
        """When its processes were looked at."""
        self.contents: list[bytes | None] = [None] * len(FILES)
        """What each of `FILES` said; None: the unit does not have it; ..."""
        self.parts = _NO_PARTS.copy()
        """... and its part of the row."""
        self.row: tuple[Value, ...] = ()


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
        self._allowance = Allowance(MOST_HELD if isinstance(tree, LiveTree) else 0)
        self._rows = ChangingRows((), ())
        self._keys: list[str] = []
        self._io = UnitIoTable()

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
            if self._units.pop(path).row:  # it was there before
                self._walked = None
                self._io.units_changed()
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
        units = {}
        for folder in unit_folders(self._tree, self._root):
            path = harmless(folder[len(self._root) :], escaped=True)
            units[path] = self._units.get(path) or UnitFiles(path, folder, self._tree, self._allowance)
        for unit in units.values():
            # a controller may have been switched on
            unit.always.look_again()
            unit.on_change.look_again()
            unit.of_memory.look_again()
        if list(units) != list(self._units):
            self._io.units_changed()
        self._units = units

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
                unit.seen = []

    def _processes(self, folder: str) -> Iterator[str]:
        """Yield the numbers of the first processes of a unit."""
        left = MAX_PROCESSES
        for group in (folder, *groups_below(self._tree, folder)):
            try:
                pids = self._tree.read(f"{group}/cgroup.procs").split()[:left]
            except OSError:
                continue
            left -= len(pids)
            yield from (pid.decode() for pid in pids if pid.isdigit())
            if not left:
                return

    # what they did

    def _read_unit(self, unit: UnitFiles) -> bool:
        """Read the files of a unit; return whether it is still there."""
        try:
            if isinstance(self._tree, LiveTree) and not unit.always.is_held:
                incarnation = str(os.stat(self._tree.root + unit.folder).st_ino)
                if unit.row and incarnation != unit.incarnation:
                    return False  # another one of the same name
                unit.incarnation = incarnation
            seen = unit.always.read()
            if seen == unit.seen and unit.row:
                unit.rested += 1
                if unit.rested == RESTS_AFTER:
                    unit.on_change.close()
                    unit.of_memory.close()
                return True
            contents: list[bytes | None] = [*seen, *unit.on_change.read()]
            if len(contents) < len(FILES) - len(OF_MEMORY):
                present = *unit.always.present, *unit.on_change.present
                contents = list(map(dict(zip(present, contents, strict=True)).get, FILES[: -len(OF_MEMORY)]))
            if _MEMORY_MOVES(contents) != _MEMORY_MOVES(unit.contents):
                contents += unit.of_memory.read() or [None]
            else:
                contents.append(unit.contents[-1])
        except OSError:
            return False
        unit.seen, unit.rested = seen, 0
        for at in compress(_count(), map(ne, contents, unit.contents)):
            unit.parts[at] = _PARSERS[at](contents[at])
        unit.contents = contents
        unit.row = _AS_FIELDS(
            (unit.incarnation, unit.sort, unit.database, unit.instance, *chain.from_iterable(unit.parts))
        )
        self._io.take(unit.io, contents[_IO_STAT])
        return True

    # frames

    def _unit_frame(self, now: int) -> Frame:
        keys = list(self._units)
        if keys != self._keys:
            self._keys = keys
            self._rows = ChangingRows([field.name for field in UNIT.fields], [()] * len(keys))
        self._rows.replace({at: unit.row for at, unit in enumerate(self._units.values())})
        return self._rows.frame(UNIT, self._keys, [now] * len(keys), {})

    def _io_frame(self, now: int) -> Frame:
        stats = [unit.io for unit in self._units.values()]
        frame = self._io.frame(stats, now)
        if frame is not None:
            return frame
        if any(stat.content is not None for stat in stats):
            return Frame(UNIT_IO, [], {}, [])
        return empty_frame(UNIT_IO, VERSION_1 if self._root == ROOTS[1] else NOT_COUNTED)


def _may_lack(name: str, error: OSError) -> bool:
    """Return whether a group may be without this file."""
    if isinstance(error, FileNotFoundError):
        return name != "cpu.stat"  # each group has it
    return name.endswith(".pressure")  # switched off


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
    folders: list[str] = []
    left = [(folder, 1) for folder in groups_below(tree, root)]
    while left and len(folders) < MAX_UNITS:
        folder, depth = left.pop()
        name = folder.rpartition("/")[2]
        below = [] if is_whole(name) or depth == MAX_DEPTH else groups_below(tree, folder)
        if below:
            left += [(group, depth + 1) for group in below]
        elif not name.endswith(".slice"):
            folders.append(folder)
    return sorted(folders)


def captured_files(tree: Tree) -> list[str]:
    """Return the paths of the files of units that a capture keeps."""
    for root in ROOTS:
        with suppress(OSError):
            tree.read(f"{root}/{CONTROLLERS}")
            files = [f"{folder}/{name}" for folder in unit_folders(tree, root) for name in FILES]
            return [f"{root}/{CONTROLLERS}", f"{root}/{STAT}", *files]
    return [f"{root}/{name}" for root in ROOTS[:1] for name in ("blkio", "cpu", "memory")]
