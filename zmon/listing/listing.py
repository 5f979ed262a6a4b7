"""The listing of tablespaces: files, standard input, servers, or their data directories.

The content of a source decides its format, never its name.  Several sources make one listing.
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
    db2_ddl,
    db2_reports,
    mariadb,
    oracle_catalogue,
    oracle_ddl,
    postgresql,
    servers,
)
from zmon.listing.containers import NO_GROUPS, NO_OPTIONS, DiskGroups, ListingContent
from zmon.listing.delimited import (
    MAX_LINE,
    columned_rows,
    drawn_rows,
    is_columned,
    is_drawn,
    is_unaligned,
    unaligned_rows,
)
from zmon.listing.not_understood import quote
from zmon.listing.servers import MARIADB, POSTGRESQL, ServerError, is_here, is_server, parse_server
from zmon.topology.data_files import normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import BufferedReader, TextIOWrapper

    Stream = BufferedReader[Any]

    from zmon.listing.containers import Container, Options
    from zmon.listing.servers import ServerReader

STANDARD_INPUT: Final = "-"
UNKNOWN_MACHINE: Final = "?"
DB2: Final = "db2"
ORACLE: Final = "oracle"
MAX_HEAD: Final = 1 << 16
"""Characters by which a format is recognised."""
_MAX_NAMED: Final = 3


class ListingError(ValueError):
    """A listing that cannot be used; the message says what was expected and what to do."""


class Format(NamedTuple):
    """One format that listings have; to read a further one, add a module and a line in `FORMATS`."""

    title: str
    product: str
    """`db2`, `oracle`, `postgresql`, `mariadb`; empty for a format of no product."""
    score: Callable[[str], float]
    """Returns how likely the beginning of a text has this format, from 0 to 1."""
    parse: Callable[[str | Iterable[str], str, Options], ListingContent]


class Listing(NamedTuple):
    """The joined content of all sources."""

    containers: tuple[Container, ...]
    notes: tuple[str, ...] = ()
    """Remarks, each with its source and line."""
    unread: tuple[str, ...] = ()
    """The parts that were not understood or were left out, each with source, line and words."""
    products: tuple[tuple[str, str], ...] = ()
    """For each source its product, as in `Format`."""
    disk_groups: DiskGroups = NO_GROUPS
    """Oracle's disk groups, for `zmon.listing.asm.disk_group_files`."""
    hosts: tuple[tuple[str, str], ...] = ()
    """The machine of each source that names it."""

    def strangers(self, machine: str) -> list[str]:
        """Return a remark for each source that is of another machine."""
        return [
            f"{origin} is from the machine {host}, and this is {machine}:"
            " the same path here may be another file"
            for origin, host in self.hosts
            if machine and not same_machine(host, machine)
        ]

    def product(self, container: Container) -> str:
        """Return the product that a container is of; empty when it is not known."""
        return dict(self.products).get(container.source, "")


class _Source(NamedTuple):
    """The content of one source."""

    origin: str
    product: str
    content: ListingContent


FORMATS: Final = (
    Format("MariaDB or MySQL: mariadb -B of the queries", MARIADB, mariadb.recognise, mariadb.parse),
    Format(
        "PostgreSQL: psql --csv of pg_tablespace, or \\db+",
        POSTGRESQL, postgresql.recognise, postgresql.parse,
    ),
    Format(
        "PostgreSQL: pg_dumpall -g or CREATE TABLESPACE",
        POSTGRESQL, postgresql.recognise_ddl, postgresql.parse_ddl,
    ),
    Format(
        "Db2: MON_GET_CONTAINER as text or CSV", DB2, db2_reports.recognise_sql, db2_reports.parse_sql
    ),
    Format("Db2: LIST TABLESPACE CONTAINERS", DB2, db2_reports.recognise_list, db2_reports.parse_list),
    Format("Db2: db2pd -tablespaces", DB2, db2_reports.recognise_db2pd, db2_reports.parse_db2pd),
    Format("Db2: db2look -l or CREATE TABLESPACE", DB2, db2_ddl.score, db2_ddl.parse),
    Format(
        "Oracle: DBA_DATA_FILES, V$LOGFILE, V$ASM_DISK and such as CSV, asmcmd",
        ORACLE, oracle_catalogue.recognise, oracle_catalogue.parse,
    ),
    Format("Oracle: CREATE TABLESPACE", ORACLE, oracle_ddl.recognise, oracle_ddl.parse),
    Format("any: CSV with tablespace,path", "", csv_listing.recognise, csv_listing.parse),
)  # fmt: skip
"""The formats in the order in which they are tried: of equal scores the first wins."""


SERVERS: Final[dict[str, ServerReader]] = {
    POSTGRESQL: postgresql.read_postgresql, MARIADB: mariadb.read_mariadb,
}  # fmt: skip
"""The readers of running servers, by product."""
DATA_DIRECTORIES: Final = (
    (POSTGRESQL, postgresql.is_data_directory, postgresql.read_data_directory),
    (MARIADB, mariadb.is_data_directory, mariadb.read_data_directory),
)
"""The readers of data directories, by the names in the directory."""


def answer_request() -> None:
    """Ask a server, as the child process of `servers.ask`."""
    servers.answer(SERVERS)


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
        options: what a person adds; if they name a database, only that one of a server is listed.
        machine: name of the machine whose files are meant; empty for this one, `UNKNOWN_MACHINE` if
            that is not known yet: then `Listing.strangers` compares later.
        standard_input: what `-` reads.

    Raises:
        ListingError: one of them cannot be used.
    """
    read = [
        _asked(source, options) if is_server(source) else _read(source, options, standard_input)
        for source in ((sources,) if isinstance(sources, str) else sources)
    ]
    return _joined(read, machine or os.uname().nodename)


def _asked(address: str, options: Options) -> _Source:
    databases = (options.database,) if options.database else ()
    try:
        server = parse_server(address)
        content = servers.ask(address, databases, options.base_dir)
    except ServerError as error:
        raise ListingError(str(error)) from None  # the cause may hold the password
    return _Source(str(server), server.product, content)


def _read(source: str, options: Options, standard_input: Stream | None) -> _Source:
    origin = "standard input" if source == STANDARD_INPUT else source
    try:
        if source == STANDARD_INPUT:
            with standard_input or open(0, "rb", closefd=False) as file:
                return _recognised(file, origin, options)
        mode = os.stat(source).st_mode
        if stat.S_ISDIR(mode):
            names = os.listdir(source)
            for product, is_data_directory, read_directory in DATA_DIRECTORIES:
                if is_data_directory(names):
                    return _Source(origin, product, read_directory(source))
        if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
            what = "not a data directory of a database that zmon knows" if stat.S_ISDIR(mode) else "a device"
            raise ListingError(f"{origin} is {what}, not a listing; zmon where {source} shows where it lies")
        with open(source, "rb") as file:
            return _recognised(file, origin, options)
    except OSError as error:
        raise ListingError(f"{origin}: {error.strerror or error}") from error


_UTF_16: Final = (
    (re.compile(b"\xff\xfe|\xfe\xff"), "utf-16"),
    (re.compile(rb"[^\0]\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be"),
)  # fmt: skip
"""The first bytes of texts that are not UTF-8."""


_TABLES: Final = {is_drawn: drawn_rows, is_unaligned: unaligned_rows, is_columned: columned_rows}
"""Tables that clients print, each with what makes comma-separated values of it."""


def _recognised(file: Stream, origin: str, options: Options) -> _Source:
    """Determine the format from the beginning, and read the whole text piece by piece."""
    encoding = next((name for begin, name in _UTF_16 if begin.match(file.peek(4))), "utf-8-sig")
    # names of files are bytes: invalid UTF-8 has to survive unchanged
    text = io.TextIOWrapper(file, encoding, errors="surrogateescape", newline="")
    try:
        head = text.read(MAX_HEAD)
        if head.endswith("\r"):
            head += text.read(1)
        if not head.strip():
            raise ListingError("it is empty")
        if "\0" in head:
            raise ListingError("it is not text: unpack it first, or spool it as text")
        pieces: Iterable[str] = chain(io.StringIO(head, newline=""), _pieces(text))
        as_rows = next((rows for is_such, rows in _TABLES.items() if is_such(head)), None)
        if as_rows is not None:
            head, pieces = "".join(as_rows(io.StringIO(head, newline=""))), as_rows(pieces)
        form = max(FORMATS, key=lambda candidate: float(candidate.score(head)))
        if not form.score(head):
            raise ListingError(_unknown(head))
        content = form.parse(pieces, origin, options)
        if not content.containers and not content.disk_groups:
            notes = (f"; line {note.line}: {note.text}" for note in content.notes[:_MAX_NAMED])
            raise ListingError(f"it names no container, read as {form.title}{_hint(head) or ''.join(notes)}")
    except ValueError as error:
        raise ListingError(f"{origin}: {error}") from error
    finally:
        text.detach()
    return _Source(origin, form.product, content)


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
        re.compile(r"^(?:-\[ RECORD \d+ \]|\*{5,} \d+\. row \*{5,})", re.MULTILINE),
        "it has one line for each column: repeat it without \\x of psql, or \\G and -E of mysql",
    ),
    (
        re.compile(r"^\s*(?:FILE_NAME|TABLESPACE_NAME|NAME)\s*$.{0,400}?^-{5,}", re.MULTILINE | re.DOTALL),
        "it looks like SQL*Plus's own layout, which wraps lines: spool again after SET MARKUP CSV ON",
    ),
    (
        re.compile(r"^l[rwx-]{9}\S?\s.* \d+ -> /", re.MULTILINE),
        "it looks like ls -l of pg_tblspc: give the data directory itself, or its server, or psql's \\db+",
    ),
    (
        re.compile(
            r"^[ \t]*(?!(?:Container|Tablespace) ID)(?:[^\s=]{1,40}[- \t]+)?ID\b[^=\n]{0,60}= \d+[ \t\r]*$",
            re.MULTILINE,
        ),
        "it looks like LIST TABLESPACE CONTAINERS in another language: run it again with LC_ALL=C",
    ),
)
"""Texts that are often given by mistake, and what to give instead."""


def _hint(head: str) -> str:
    """Return a hint about a text that is often given by mistake; empty if none fits."""
    for pattern, hint in _HINTS:
        if match := pattern.search(head):
            if "file" not in match.groupdict():
                return f"; {hint}"
            return f"; line {head.count(chr(10), 0, match.end()) + 1}: {hint}, {quote(match['file'])}"
    return ""


def _unknown(head: str) -> str:
    """Return the message for a text of no known format."""
    begin = quote((head.strip().splitlines() or [""])[0])
    return (
        f"not a listing that zmon knows; it begins {begin}{_hint(head)}."
        " zmon spread --help names the formats, docs/listings.md says what to spool"
    )


def _pieces(text: TextIOWrapper) -> Iterator[str]:
    while piece := text.readline(MAX_LINE):
        yield piece


def _joined(read: Sequence[_Source], machine: str) -> Listing:
    """Join the sources to one listing; a container in several is taken from the first."""
    disk_groups = reduce(asm.merge_groups, (source.content.disk_groups for source in read), NO_GROUPS)
    containers: list[Container] = []
    first: dict[tuple[object, ...], Container] = {}
    notes: list[str] = []
    unread: list[str] = []
    for origin, _, content in read:
        for note in content.notes:
            place = f"{origin}:{note.line}" if note.line else origin
            (unread if note.unread else notes).append(f"{place}: {note.text}")
        new = rows = [asm.with_device(row, disk_groups.labels) for row in content.containers]
        if read[1:]:
            keys = [(*row.use, row.located or (origin, place)) for place, row in enumerate(rows)]
            new = [row for key, row in zip(keys, rows, strict=True) if first.setdefault(key, row) is row]
        if len(new) < len(rows):
            notes.append(f"{origin}: {len(rows) - len(new)} containers are in another source too")
        containers += new
    listing = Listing(
        tuple(_apart(containers)),
        tuple(notes),
        tuple(unread),
        tuple((source.origin, source.product) for source in read),
        disk_groups,
        tuple((source.origin, source.content.host) for source in read if source.content.host),
    )
    return listing._replace(notes=(*notes, *listing.strangers("" if machine == UNKNOWN_MACHINE else machine)))


def _apart(containers: Iterable[Container]) -> Iterator[Container]:
    """Yield containers; one that another tablespace has already is not counted again, and marked.

    Partitions of a database may be on several machines, where the same path is another file.
    """
    first: dict[str, Container] = {}
    for row in containers:
        path = row.located
        if not row.problem and path.startswith("/"):
            earlier = first.setdefault(path if "/.." in path else normal(path), row)
            if (earlier.database, earlier.tablespace) != (row.database, row.tablespace):
                problem = f"it is listed for {earlier.owner}, too ({earlier.place}), and counted there"
                yield row._replace(problem=problem)
                continue
        yield row


def same_machine(host: str, machine: str) -> bool:
    """Return whether a listing's name for a host can mean this machine; a short name matches any domain."""
    named, own = host.casefold().rstrip("."), machine.casefold()
    if named in {own, "localhost"}:
        return True
    if named.replace(".", "").isdigit() or ":" in named:
        return is_here(named)
    return named.partition(".")[0] == own.partition(".")[0] and not ("." in named and "." in own)
