"""Files as a sample holds them: each with the bytes of the device where it lies."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from zmon.absent import Absent, absent
from zmon.topology.mount import mount_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.absent import Number, Value
    from zmon.sample import Frame
    from zmon.topology.mount import Mounts
    from zmon.topology.scattered import Scattered

_BY_NAME: Final = "the name of the path"
_NOT_LOOKED_AT: Final = absent(
    "only the path is known: a symbolic link in it may lead elsewhere, and the size is unknown; a capture"
    " made with --listing has the files themselves"
)

_RANGE: Final = re.compile(r"([0-9a-f]{1,16})\+([0-9a-f]{1,16})", re.ASCII)


class File(NamedTuple):
    """A file or device that holds something, such as a tablespace; a row of `CONTAINER`, or a `Scattered`."""

    path: str
    database: str
    tablespace: str
    role: str
    listed: str
    """Where it is listed; empty when nobody lists it."""
    real: str | Absent
    """The path without links; of a file in an overlay, that in the layer which holds it."""
    number: str | Absent
    """What `ranges` count on: a block device, or a btrfs; a disk group counts on nothing that is told."""
    mount: str | Absent
    """The id of the mount through which it is seen."""
    ranges: tuple[tuple[int, int], ...] | Absent
    """[begin, end) in bytes."""
    said: tuple[tuple[str, str], ...]
    """What was asked, and what it said."""
    size: Number
    declared: Number
    """Bytes that the listing says."""
    unplaced: Number
    unwritten: Number
    shared: Number
    encoded: Number
    """Bytes of compressed extents, whose length on the device is not told."""
    scattered: Scattered | None = None
    """How it is spread over devices, if it is not the kernel that puts it there."""
    unseen: bool = False
    """Whether nobody looked at it, and its name alone tells on which mount it would be."""

    @property
    def space(self) -> str:
        """Its tablespace, with the database where that is known: `PROD.USERSPACE1`."""
        return ".".join(filter(None, (self.database, self.tablespace)))


class Listed(Protocol):
    """What a listing says of a container."""

    @property
    def path(self) -> str:
        """Absolute."""

    @property
    def database(self) -> str:
        """Empty when it is not said, as the others."""

    @property
    def tablespace(self) -> str:
        """Its name."""

    @property
    def role(self) -> str:
        """What it is for."""

    @property
    def listed(self) -> str:
        """Where: `tablespaces.ddl:12`."""

    @property
    def declared(self) -> Number:
        """Bytes."""


def files_in(frame: Frame) -> list[File]:
    """Return the files of a sample."""
    columns = {name: frame.column(name) for name in frame.kind.by_name}
    return [
        File(
            path,
            database=_text(columns["database"][row]),
            tablespace=_text(columns["tablespace"][row]),
            role=_text(columns["role"][row]),
            listed=_text(columns["listed"][row]),
            real=_given(columns["real"][row]),
            number=_given(columns["number"][row]),
            mount=_given(columns["mount"][row]),
            ranges=_ranges(columns["ranges"][row]),
            said=_said(columns["said"][row]),
            size=_number(columns["size"][row]),
            declared=_number(columns["declared"][row]),
            unplaced=_number(columns["unplaced"][row]),
            unwritten=_number(columns["unwritten"][row]),
            shared=_number(columns["shared"][row]),
            encoded=_number(columns["encoded"][row]),
        )
        for row, path in enumerate(frame.keys)
    ]


def files_of(listed: Iterable[Listed], known: Iterable[File], mounts: Mounts) -> list[File]:
    """Return what is known of listed containers, of a machine that cannot be asked any more.

    `known` are the files that were looked at when it could be.  A directory stands for those of them that are
    in it.  What nobody looked at is judged by its name alone: on which mount it would be.
    """
    at = {file.path: file for file in known}
    paths = sorted(at)
    found: dict[str, File] = {}
    for one in listed:
        names = [one.path] if one.path in at else _starting(paths, one.path.rstrip("/") + "/")
        for file in [at[name] for name in names] or [by_name(one.path, mounts, one.declared)]:
            found.setdefault(file.path, _named(file, one))
    return list(found.values())


def _starting(paths: list[str], start: str) -> list[str]:
    return list(
        takewhile(lambda path: path.startswith(start), islice(paths, bisect_left(paths, start), None))
    )


def _named(file: File, one: Listed) -> File:
    return file._replace(
        database=one.database,
        tablespace=one.tablespace,
        role=one.role,
        listed=one.listed,
        declared=one.declared,
    )


def by_name(path: str, mounts: Mounts, size: Number = _NOT_LOOKED_AT) -> File:
    """Return what its name alone tells of a file: on which mount it would be."""
    mount = mount_of(path, mounts)
    lost = mount if isinstance(mount, Absent) else None
    said = () if isinstance(mount, Absent) else ((_BY_NAME, f"{mount.point} holds it"),)
    return File(
        path,
        database="",
        tablespace="",
        role="",
        listed="",
        real=lost or path,
        number=mount if isinstance(mount, Absent) else mount.number,
        mount=mount if isinstance(mount, Absent) else mount.id,
        ranges=_NOT_LOOKED_AT,
        said=said,
        size=size,
        declared=size,
        unplaced=_NOT_LOOKED_AT,
        unwritten=_NOT_LOOKED_AT,
        shared=_NOT_LOOKED_AT,
        encoded=_NOT_LOOKED_AT,
        unseen=True,
    )


def parse_ranges(content: str) -> tuple[tuple[int, int], ...]:
    """Read words FIRST+LENGTH in hex; return [begin, end) of each.

    Raises:
        ValueError: a word has another form.
    """
    found = []
    for word in content.split():
        match = _RANGE.fullmatch(word)
        if match is None:
            raise ValueError(f"not FIRST+LENGTH in hex: {word[:40]!r}")
        first = int(match[1], 16)
        found.append((first, first + int(match[2], 16)))
    return tuple(found)


def _given(value: Value) -> str | Absent:
    return value if isinstance(value, Absent) else str(value)


def _text(value: Value) -> str:
    return "" if isinstance(value, Absent) else str(value)


def _number(value: Value) -> Number:
    return absent(f"not a number: {value[:40]!r}") if isinstance(value, str) else value


def _ranges(value: Value) -> tuple[tuple[int, int], ...] | Absent:
    if isinstance(value, Absent):
        return value
    try:
        return parse_ranges(str(value))
    except ValueError as error:
        return absent(str(error))


def _said(value: Value) -> tuple[tuple[str, str], ...]:
    lines = (line.partition(": ") for line in _text(value).split("\n"))
    return tuple((source, said) for source, colon, said in lines if colon)
