"""The result of every reader of a listing: the containers of tablespaces, and disk groups.

A container is one file, directory, device or ASM name that a tablespace, or a log, is made of.  A value that
a listing does not have is empty, zero or None, and never guessed; a row that cannot be used is kept with its
problem, so that no listed container is missing from an answer.
"""

from __future__ import annotations

import posixpath
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing.not_understood import Note, NoteSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FILE: Final = "file"
DIRECTORY: Final = "directory"
DEVICE: Final = "device"
ASM_GROUP: Final = "asm-group"
ASM_FILE: Final = "asm-file"
KINDS: Final = (FILE, DIRECTORY, DEVICE, ASM_GROUP, ASM_FILE)
"""The kinds of containers; the kind is empty if the listing does not have it."""

DATA: Final = "data"
INDEX: Final = "index"
TEMP: Final = "temp"
UNDO: Final = "undo"
LOG: Final = "log"
ARCHIVE: Final = "archive"
CONTROL: Final = "control"
UNKNOWN: Final = "unknown"
ROLES: Final = (DATA, INDEX, TEMP, UNDO, LOG, ARCHIVE, CONTROL, UNKNOWN)
"""The purpose of a container, as the listing declares it; it is never taken from a file name."""


SMS: Final = "system"
"""The tablespace is a directory whose files Db2 makes itself (MANAGED BY SYSTEM)."""
DMS: Final = "database"
"""Containers are files or devices of fixed size (MANAGED BY DATABASE)."""
AUTOMATIC: Final = "automatic"
"""Db2 places the containers on the paths of a storage group."""


class Container(NamedTuple):
    """One file, directory, device or ASM name of a tablespace."""

    database: str = ""
    tablespace: str = ""
    """The name as the catalogue stores it: without quotes, unquoted names folded to upper case."""
    container_id: int | None = None
    partition: int | None = None
    """Number of the database partition, member or node."""
    kind: str = ""
    """One of `KINDS`, or empty."""
    path: str = ""
    """As the listing gives it."""
    base_dir: str = ""
    """The base of a relative path; empty: it cannot be resolved."""
    bytes_declared: int | None = None
    is_rounded: bool = False
    """Whether the listing prints this size as people read it: `37 GB`."""
    role: str = UNKNOWN
    """One of `ROLES`."""
    source: str = ""
    """Name of the listing."""
    line: int = 0
    """Its line there, counted from 1."""
    problem: str = ""
    """The reason why it cannot be used, and what to supply instead; empty when it can."""
    table: str = ""
    """The table or index it holds, where each has files of its own."""
    storage: str = ""
    """Who manages the space of a container of Db2: `SMS`, `DMS` or `AUTOMATIC`; empty when unknown."""

    @property
    def located(self) -> str:
        """The path from the root, with the base directory when it is relative; empty if unknown."""
        if self.path.startswith("/") or not self.path or self.kind in {ASM_FILE, ASM_GROUP}:
            return self.path
        return posixpath.join(self.base_dir, self.path) if self.base_dir else ""

    @property
    def is_usable(self) -> bool:
        """Whether it has a path that a file can be looked for at."""
        return not self.problem and self.located.startswith("/")

    @property
    def use(self) -> tuple[object, ...]:
        """What a path may be named for once."""
        return self.database, self.tablespace, self.partition, self.role

    @property
    def owner(self) -> str:
        """Its tablespace, with the database where that is known; without either its role."""
        return ".".join(filter(None, (self.database, self.tablespace))) or self.role

    @property
    def place(self) -> str:
        """Source and line: `db.ddl:40`."""
        return f"{self.source}:{self.line}" if self.line else self.source


class Options(NamedTuple):
    """Options for a listing; every reader has `parse(text, origin, options)`."""

    database: str = ""
    """Name of the database, where the listing names none."""
    base_dir: str = ""
    """The base of relative paths: Db2's database directory, `$ORACLE_HOME/dbs`, a data directory."""
    terminator: str = ""
    """The terminator of statements of DDL, as after `-td`; empty: it is detected."""
    partitions: tuple[int, ...] = ()
    """Numbers of the database partitions, for Db2's partition expressions."""


NO_OPTIONS: Final = Options()


class AsmDisk(NamedTuple):
    """One disk of Oracle's Automatic Storage Management; unknown fields are empty or None."""

    path: str
    """A device, or the name of a library: `ORCL:DATA01`, `AFD:DATA01`."""
    name: str = ""
    group: str = ""
    """Name of its disk group, without the plus."""
    group_number: int | None = None
    number: int | None = None
    """Its number within the group."""
    size: int | None = None
    """Bytes that ASM uses of it."""
    member: bool = True
    """Whether it is in a disk group, as far as is known."""
    line: int = 0


class DiskGroup(NamedTuple):
    """One disk group."""

    name: str
    number: int | None = None
    unit: int | None = None
    """Bytes of an allocation unit."""
    redundancy: str = ""
    """`EXTERN`, `NORMAL`, `HIGH`, `FLEX` ..."""


class AllocationUnits(NamedTuple):
    """How many allocation units of a file are on one disk."""

    data: int = 0
    copies: int = 0


class DiskGroups(NamedTuple):
    """The content of listings about ASM."""

    disks: tuple[AsmDisk, ...] = ()
    groups: tuple[DiskGroup, ...] = ()
    extents: Mapping[tuple[int, int], Mapping[int, AllocationUnits]] = MappingProxyType({})
    """The allocation units of a file on each disk of its group, by the numbers of group and file."""
    labels: Mapping[str, str] = MappingProxyType({})
    """Device behind a label, where a listing names it."""
    origin: str = ""

    def __bool__(self) -> bool:
        return bool(self.disks or self.groups or self.extents or self.labels)


NO_GROUPS: Final = DiskGroups()


class ListingContent(NamedTuple):
    """The content of one listing."""

    containers: tuple[Container, ...] = ()
    notes: tuple[Note, ...] = ()
    host: str = ""
    """The machine that the listing names as its own."""
    disk_groups: DiskGroups = NO_GROUPS


RELATIVE: Final = "relative path: give the directory it starts at with --base-dir"
WINDOWS: Final = "a path of Windows: the database does not run on this Linux"
_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\]")


def kind_of(path: str) -> str:
    """Return the kind of a path of Oracle.

    `+DG/...` is a file of ASM, `+DG` or `+DG(template)` a group, `/dev/...` a device.
    """
    if path.startswith("+"):
        return ASM_FILE if "/" in path else ASM_GROUP
    return DEVICE if path.startswith("/dev/") else FILE if path else ""


def content_of(
    containers: Iterable[Container],
    notes: Iterable[Note] = (),
    host: str = "",
    disk_groups: DiskGroups = NO_GROUPS,
) -> ListingContent:
    """Return the content of a listing; what a tablespace names twice is left out and noted.

    Relative paths without a base are marked.
    """
    seen: dict[tuple[object, ...], Container] = {}
    kept: list[Container] = []
    doubled = NoteSeries("rows name a path of their tablespace again")
    for row in containers:
        first = seen.setdefault((*row.use, row.located or row.path), row) if row.path else row
        if first is not row:
            doubled.add(row.line, f"{row.path!r} of {row.tablespace!r} is in {first.place} already")
        elif row.problem or row.path.startswith("/"):
            kept.append(row)
        else:
            why = WINDOWS if _WINDOWS.match(row.path) else RELATIVE if row.path and not row.located else ""
            kept.append(row._replace(problem=why) if why else row)
    rounded = sum(row.is_rounded for row in kept)
    if rounded:
        notes = (
            *notes,
            Note(0, f"the sizes of {rounded:,} containers are rounded in it: they are about right"),
        )
    return ListingContent(tuple(kept), (*notes, *doubled.notes()), host, disk_groups)


def only_name(names: Sequence[str] | set[str]) -> str:
    """Return the name if there is exactly one; empty when there are none or several."""
    different = {name for name in names if name}
    return different.pop() if len(different) == 1 else ""
