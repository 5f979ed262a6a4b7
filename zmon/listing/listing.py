"""The listing of tablespaces that a person gives: files, standard input, servers, or their data directories.

What a source is, is seen from its content, never from its name.  Several sources make one listing.
"""

from __future__ import annotations

import io
import os
import re
import stat
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.listing import (
    asm,
    csv_listing,
    data_directory,
    db2_container,
    db2_ddl,
    db2_list,
    db2pd,
    mariadb,
    oracle_catalogue,
    oracle_ddl,
    postgresql,
    postgresql_ddl,
    typed,
)
from zmon.listing.container import NO_OPTIONS, Parsed, the_one
from zmon.listing.server import MARIADB, POSTGRESQL, ServerError, is_here, is_server, parse_server
from zmon.listing.table import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import BufferedReader, TextIOWrapper

    Stream = BufferedReader[Any]

    from zmon.listing.asm import Asm
    from zmon.listing.container import Container, Options

STANDARD_INPUT: Final = "-"
ORACLE: Final = "oracle"
HEAD: Final = 1 << 16
"""Characters by which a format is recognised."""
_LONGEST: Final = 1 << 16
_MOST_NAMED: Final = 3


class ListingError(ValueError):
    """A listing that cannot be used; says what was looked for and what to do."""


class Format(NamedTuple):
    """One format that listings have."""

    title: str
    product: str
    """`db2`, `oracle`, `postgresql`, `mariadb`; empty for a format of no product."""
    score: Callable[[str], float]
    """How surely a text begins so, from 0 to 1."""
    parse: Callable[[str | Iterable[str], str, Options], Parsed]


class Listing(NamedTuple):
    """All that the sources list."""

    containers: tuple[Container, ...]
    notes: tuple[str, ...] = ()
    """What a reader of the answer has to know, each with its source and line."""
    unread: tuple[str, ...] = ()
    """What was not understood, or left out, each with its source, line and words: files may be missing."""
    host: str = ""
    """The machine that they are of, as far as they say; of several the first that is not this one."""
    database: str = ""
    """The database that they are of; empty when they name none, or several."""
    products: tuple[tuple[str, str], ...] = ()
    """For each source its product, as in `Format`."""
    disk_groups: Asm = asm.Asm()
    """What they tell of Oracle's disk groups, for `zmon.listing.asm.spread_over`."""

    def product(self, container: Container) -> str:
        """Return the product that a container is of; empty when it is not known."""
        return dict(self.products).get(container.source, "")


class _Read(NamedTuple):
    """What one source says."""

    origin: str
    product: str
    parsed: Parsed
    disk_groups: Asm = asm.Asm()


FORMATS: Final = (
    Format("MariaDB or MySQL: mariadb -B of the queries", MARIADB, mariadb.recognise, mariadb.parse),
    Format(
        "PostgreSQL: psql --csv of pg_tablespace, or \\db+",
        POSTGRESQL,
        postgresql.recognise,
        postgresql.parse,
    ),
    Format(
        "PostgreSQL: pg_dumpall -g or CREATE TABLESPACE",
        POSTGRESQL,
        postgresql_ddl.recognise,
        postgresql_ddl.parse,
    ),
    Format("Db2: MON_GET_CONTAINER as text or CSV", "db2", db2_container.recognise, db2_container.parse),
    Format("Db2: LIST TABLESPACE CONTAINERS", "db2", db2_list.recognise, db2_list.parse),
    Format("Db2: db2pd -tablespaces", "db2", db2pd.recognise, db2pd.parse),
    Format("Db2: db2look -l or CREATE TABLESPACE", "db2", db2_ddl.score, db2_ddl.parse),
    Format(
        "Oracle: DBA_DATA_FILES, V$LOGFILE and such as CSV",
        ORACLE,
        oracle_catalogue.recognise,
        oracle_catalogue.parse,
    ),
    Format("Oracle: V$ASM_DISK, V$ASM_DISKGROUP, X$KFFXP, asmcmd", ORACLE, asm.recognise, asm.parse),
    Format("Oracle: CREATE TABLESPACE", ORACLE, oracle_ddl.recognise, oracle_ddl.parse),
    Format("any: CSV with tablespace,path", "", csv_listing.recognise, csv_listing.parse),
)
"""What is looked for, in this order: of formats that a text is equally like, the first is meant."""


def read_listing(
    sources: str | Sequence[str],
    options: Options = NO_OPTIONS,
    *,
    machine: str = "",
    standard_input: Stream | None = None,
) -> Listing:
    """Read listings and join them.

    Args:
        sources: names of files or data directories, `-` for standard input, or addresses of servers.
        options: what a person adds; of a server only the database that the options name is listed.
        machine: name of the machine whose files are meant; empty for this one.
        standard_input: what `-` reads.

    Raises:
        ListingError: one of them cannot be used.
    """
    read = [
        _asked(source, options) if is_server(source) else _read(source, options, standard_input)
        for source in ((sources,) if isinstance(sources, str) else sources)
    ]
    return _joined(read, machine or os.uname().nodename)


def _asked(address: str, options: Options) -> _Read:
    databases = (options.database,) if options.database else ()
    try:
        server = parse_server(address)
        from zmon.listing.asking import ask  # noqa: PLC0415 - most listings are files

        found = ask(address, databases, options.base_dir)
    except ServerError as error:
        raise ListingError(str(error)) from None  # the cause may hold the password
    return _Read(str(server), server.sort, found)


def _read(source: str, options: Options, standard_input: Stream | None) -> _Read:
    origin = "standard input" if source == STANDARD_INPUT else source
    try:
        if source == STANDARD_INPUT:
            with standard_input or open(0, "rb", closefd=False) as file:
                return _recognised(file, origin, options)
        mode = os.stat(source).st_mode
        if stat.S_ISDIR(mode) and (product := data_directory.product(source)):
            return _Read(origin, product, data_directory.read_data_directory(source))
        if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
            what = "no data directory of a database that zmon knows" if stat.S_ISDIR(mode) else "a device"
            raise ListingError(
                f"{origin} is {what}, and no listing; where it lies tells: zmon where {source}"
            )
        with open(source, "rb") as file:
            return _recognised(file, origin, options)
    except OSError as error:
        raise ListingError(f"{origin}: {error.strerror or error}") from error


def _recognised(file: Stream, origin: str, options: Options) -> _Read:
    """Find out the format from the beginning, and read the whole piece by piece."""
    encoding = "utf-16" if file.peek(2)[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    # names of files are bytes: what is no UTF-8 has to come through as it is
    text = io.TextIOWrapper(file, encoding, errors="surrogateescape", newline="")
    try:
        head = text.read(HEAD)
        if head.endswith("\r"):
            head += text.read(1)
        if not head.strip():
            raise ListingError("it is empty")
        if "\0" in head:
            raise ListingError("it is no text: unpack it first, or spool it as text")
        pieces: Iterable[str] = chain(io.StringIO(head, newline=""), _pieces(text))
        if typed.is_drawn(head):
            head, pieces = "".join(typed.rows_of(io.StringIO(head, newline=""))), typed.rows_of(pieces)
        found = max(FORMATS, key=lambda each: float(each.score(head)))
        if not found.score(head):
            raise ListingError(_unknown(head))
        read = _parsed(found, pieces, origin, options)
        if not read.parsed.containers and read.disk_groups == asm.Asm():
            why = "".join(f"; line {note.line}: {note.text}" for note in read.parsed.notes[:_MOST_NAMED])
            raise ListingError(f"it lists no container, read as {found.title}{why}")
    except ValueError as error:
        raise ListingError(f"{origin}: {error}") from error
    finally:
        text.detach()
    return read


_HINTS: Final = (
    (
        re.compile(
            r"^[^#\n]{0,200}?\bdb2[ \t]+(?:[-+][\w@]+[ \t]+)*-\w*f[ \t]*(?P<file>[^\s;]+)", re.MULTILINE
        ),
        "the script runs the statements of another file: give that file",
    ),
    (
        re.compile(r"^[ \t]*(?:@@?|START[ \t]+)(?P<file>[\w/.?~-]+)", re.MULTILINE | re.IGNORECASE),
        "the script runs the statements of another file: give that file",
    ),
    (
        re.compile(r"^\s*(?:FILE_NAME|TABLESPACE_NAME|NAME)\s*$.{0,400}?^-{5,}", re.MULTILINE | re.DOTALL),
        "it looks like SQL*Plus's own layout, which wraps lines: spool again after SET MARKUP CSV ON",
    ),
    (
        re.compile(r"^l[rwx-]{9}\S?\s.* \d+ -> /", re.MULTILINE),
        "it looks like ls -l of pg_tblspc: give the data directory itself, or its server, or psql's \\db+",
    ),
)
"""What people have who do not know what to spool, and what to give instead."""


def _hint(head: str, found: re.Match[str], words: str) -> str:
    if "file" not in found.groupdict():
        return f"; {words}"
    return f"; line {head.count(chr(10), 0, found.end()) + 1}: {words}, {shown(found['file'])}"


def _unknown(head: str) -> str:
    """Say what a text is that no format fits, and what would do."""
    hint = next(
        (_hint(head, found, words) for pattern, words in _HINTS if (found := pattern.search(head))), ""
    )
    begin = shown((head.strip().splitlines() or [""])[0])
    known = "; ".join(each.title for each in FORMATS)
    return f"it begins {begin}{hint}, none of: {known}. docs/listings.md says what to spool"


def _parsed(found: Format, pieces: Iterable[str], origin: str, options: Options) -> _Read:
    """Read a text in the format it has; of Oracle's, one spool may have files and disk groups."""
    if found.parse is asm.parse:
        told = asm.read(pieces, origin)
        return _Read(origin, ORACLE, asm.listed(told, options), told)
    if found.parse is oracle_catalogue.parse:
        text = "".join(pieces)
        parsed = found.parse(text, origin, options)
        told = asm.read(text, origin, oracle_catalogue.SORTS)
        if told.disks or told.groups or told.extents or told.labels:
            disks = asm.listed(told, options)
            together = parsed._replace(
                containers=parsed.containers + disks.containers,
                notes=tuple(dict.fromkeys((*parsed.notes, *disks.notes))),
            )
            return _Read(origin, ORACLE, together, told)
        return _Read(origin, ORACLE, parsed)
    return _Read(origin, found.product, found.parse(pieces, origin, options))


def _pieces(text: TextIOWrapper) -> Iterator[str]:
    while piece := text.readline(_LONGEST):
        yield piece


def _joined(read: Sequence[_Read], machine: str) -> Listing:
    """Make one listing of what all sources say; a container that several list is that of the first."""
    disk_groups = reduce(asm.both, (each.disk_groups for each in read), asm.Asm())
    containers: list[Container] = []
    known: set[tuple[object, ...]] = set()
    notes: list[str] = []
    unread: list[str] = []
    for origin, _, parsed, _ in read:
        for note in parsed.notes:
            place = f"{origin}:{note.line}" if note.line else origin
            (unread if note.unread else notes).append(f"{place}: {note.text}")
        rows = [asm.relabelled(told, disk_groups.labels) for told in parsed.containers]
        new = (
            [row for number, row in enumerate(rows) if _is_new(row, origin, number, known)]
            if read[1:]
            else rows
        )
        if len(new) < len(rows):
            notes.append(f"{origin}: {len(rows) - len(new)} containers are in another source already")
        containers += new
        if parsed.host and not same_machine(parsed.host, machine):
            same = f"{origin} is of the machine {parsed.host} and this is {machine}: the same path"
            notes.append(f"{same} here may be another file")
    hosts = [each.parsed.host for each in read if each.parsed.host]
    return Listing(
        tuple(containers),
        tuple(notes),
        tuple(unread),
        next((host for host in hosts if not same_machine(host, machine)), hosts[0] if hosts else ""),
        the_one({each.parsed.database for each in read}),
        tuple((each.origin, each.product) for each in read),
        disk_groups,
    )


def _is_new(row: Container, origin: str, number: int, known: set[tuple[object, ...]]) -> bool:
    """Tell whether no source has named a container before; rows without a path are each of their own."""
    key = (row.database, row.tablespace, row.partition, row.role, row.located or (origin, number))
    if key in known:
        return False
    known.add(key)
    return True


def same_machine(host: str, machine: str) -> bool:
    """Say whether a listing's name for a host can mean this machine; a short name means any of its domain."""
    named, own = host.casefold().rstrip("."), machine.casefold()
    if named in {own, "localhost"}:
        return True
    if named.replace(".", "").isdigit() or ":" in named:
        return is_here(named)
    return named.partition(".")[0] == own.partition(".")[0] and not ("." in named and "." in own)
