"""PostgreSQL: the files of every table and index, asked of the running server or spooled by `psql --csv`.

A tablespace is a directory; only the catalogue of each database maps its files to tables.
`pg_class.reltablespace` 0 means the default tablespace of the database, not `pg_default`.  A relation is a
file per fork and per `segment_size` (1 GiB): `base/5/16393`, `.1`, `_fsm`, `_vm`, relative to
`data_directory`.  A database that cannot be asked is listed by its directory.  `pg_wal`, often a link to
another disk, is the log.

The server is asked in read-only sessions named `zmon`, with a time limit; it does not wait for locked
tables.  `zmon.listing.servers` bounds the whole question.  Needs the extra `postgresql`: psycopg 3, or
pg8000 where libpq is not available.
"""

from __future__ import annotations

import getpass
import os
import re
from contextlib import closing, contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.listing import containers as c
from zmon.listing.ddl import DdlReader
from zmon.listing.delimited import about_bytes, first_row, rows
from zmon.listing.not_understood import Note, quote, unread_row
from zmon.listing.servers import MAX_ROWS, TOO_MANY, ServerError, is_here
from zmon.listing.sql_scanner import STRING, WORD, SqlDialect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from zmon.listing.ddl import SqlStatement
    from zmon.listing.servers import Server
    from zmon.listing.sql_scanner import SqlToken

    Ask = Callable[[str], list[tuple[Any, ...]]]

_SIZED: Final = "pg_relation_size(c.oid, k.fork)"
_ESTIMATED: Final = """\
CASE k.fork WHEN 'main' THEN greatest(c.relpages, 1) * CAST(current_setting('block_size') AS bigint) END"""

FILES: Final = """\
SELECT coalesce(host(inet_server_addr()), '') AS host,
  CASE WHEN c.relisshared THEN '' ELSE d.datname END AS database,
  t.spcname AS tablespace,
  (SELECT setting FROM pg_settings WHERE name = 'data_directory') AS base_dir,
  p.path || k.suffix || CASE n WHEN 0 THEN '' ELSE '.' || n END AS path,
  CASE WHEN c.relpersistence = 't' THEN 'temp' WHEN c.relkind = 'i' THEN 'index' ELSE 'data' END AS role,
  least(f.bytes - n * g.bytes, g.bytes) AS bytes,
  quote_ident(s.nspname) || '.' || quote_ident(c.relname) AS "table"
FROM pg_database d
CROSS JOIN pg_class c
JOIN pg_namespace s ON s.oid = c.relnamespace
JOIN pg_tablespace t ON t.oid = coalesce(nullif(c.reltablespace, 0), d.dattablespace)
CROSS JOIN (SELECT pg_size_bytes(current_setting('segment_size')) AS bytes) g
CROSS JOIN (VALUES ('main', ''), ('fsm', '_fsm'), ('vm', '_vm'), ('init', '_init')) k (fork, suffix)
CROSS JOIN LATERAL (SELECT pg_relation_filepath(c.oid) AS path) p
CROSS JOIN LATERAL (SELECT pg_relation_size(c.oid, k.fork) AS bytes) f
CROSS JOIN LATERAL generate_series(0, (f.bytes - 1) / g.bytes) n
WHERE d.datname = current_database() AND p.path IS NOT NULL AND f.bytes > 0
ORDER BY database, tablespace, p.path, k.suffix, n"""
"""The files of one database and those that all share, without empty ones.

Its result, spooled by `psql --csv`, is read by `csv_listing`.
"""

TABLESPACES: Final = "SELECT oid, spcname, pg_tablespace_location(oid) FROM pg_tablespace"
"""The directories of tablespaces, without their tables; its result spooled by `psql --csv` is read too."""

_COLUMNS: Final = {"spcname", "pg_tablespace_location"}

_BUILT_IN: Final = re.compile(r"^\"?(?:pg_default|pg_global)\"?,", re.MULTILINE)
"""A row of a tablespace that every server has."""

_DB: Final = ("Name", "Owner", "Location")
"""How the heading of `\\db` begins in English."""

_SERVER: Final = """\
SELECT coalesce(host(inet_server_addr()), ''), current_user, current_database(),
  (SELECT setting FROM pg_settings WHERE name = 'data_directory'),
  CAST(current_setting('server_version_num') AS integer),
  (SELECT catalog_version_no FROM pg_control_system())"""
_DATABASES: Final = """\
SELECT d.datname, d.oid, d.datallowconn, t.spcname, t.oid
FROM pg_database d JOIN pg_tablespace t ON t.oid = d.dattablespace ORDER BY d.datname"""
_TEMPORARY: Final = """\
SELECT t.spcname, t.oid, CAST(sum(f.size) AS bigint)
FROM pg_tablespace t CROSS JOIN LATERAL pg_ls_tmpdir(t.oid) f GROUP BY t.spcname, t.oid ORDER BY t.spcname"""

_SESSION: Final = (
    "SET default_transaction_read_only = on",
    "SET statement_timeout = '50s'",
    "SET lock_timeout = '1s'",
    "SET search_path = ''",
)
_CONNECT_SECONDS: Final = 10
_DEFAULT_OID: Final = 1663


class _ServerFacts(NamedTuple):
    """A server's own settings."""

    address: str
    user: str
    database: str
    base_dir: str | None
    version: int
    catalogue: int

    def directory(self, tablespace: int) -> str:
        """Return where a tablespace keeps its databases, relative to the data directory."""
        if tablespace == _DEFAULT_OID:
            return "base"
        return f"pg_tblspc/{tablespace}/PG_{self.version // 10000}_{self.catalogue}"


def recognise(head: str) -> bool:
    """Return whether a text begins like `TABLESPACES` spooled by psql; that of `FILES` is a plain CSV."""
    first = first_row(head)
    return first is not None and (
        _COLUMNS.issubset(first.fields)
        or first.fields[:3] == _DB
        or (len(first.fields) > 2 and _BUILT_IN.search(head) is not None)
    )


def _named(fields: Sequence[str]) -> Sequence[str]:
    r"""Return the names of columns, those of psql's `\db`, in any language, as the catalogue has them."""
    if "spcname" in fields or len(fields) < 3:
        return fields
    return ("spcname", "spcowner", "pg_tablespace_location", *fields[3:])


def parse(text: str | Iterable[str], origin: str = "", options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read `TABLESPACES` as psql spools it: directories, of which the `base_dir` is data_directory.

    A session may have printed other tables, too: where a location would be they have something else.

    Raises:
        ValueError: it is no table, or not this one; says in which line.
    """
    heading: Sequence[str] = ()
    is_other = False
    containers = []
    unread: list[Note] = []
    for row in rows(text):
        if not heading:
            heading = _named(row.fields)
            if not _COLUMNS.issubset(heading):
                raise ValueError(f"line {row.line}: no columns spcname and pg_tablespace_location")
            continue
        if _COLUMNS.issubset(row.fields) or row.fields[:3] == _DB:
            heading, is_other = _named(row.fields), False
            continue
        cells = dict(zip(heading, row.fields, strict=False))
        name = cells.get("spcname", "")
        if not is_other and not re.fullmatch(r"(?:.*[/\\].*)?", cells.get("pg_tablespace_location", "")):
            is_other = True
            why = f"no tablespaces, and not read, are the rows from {quote(','.join(row.fields))} on"
            unread.append(unread_row(row.line, why))
        if is_other:
            continue
        if row.problem or len(row.fields) != len(heading):
            why = row.problem or f"{len(row.fields)} fields in {len(heading)} columns"
            unread.append(unread_row(row.line, f"{why}: {quote(','.join(row.fields))}"))
        inside = {"pg_default": "base", "pg_global": "global"}.get(name, "")
        location = cells.get("pg_tablespace_location", "") or inside
        sizes = [size for cell in row.fields[3:] if (size := about_bytes(cell)) is not None]
        containers.append(
            c.Container(
                tablespace=name, kind=c.DIRECTORY, path=location, role=c.DATA,
                database=options.database, base_dir=options.base_dir, source=origin, line=row.line,
                bytes_declared=sizes[0] if len(sizes) == 1 else None, is_rounded=len(sizes) == 1,
                problem=row.problem or ("" if location else "no location: the row ends before it"),
            )
        )  # fmt: skip
    return c.content_of(containers, unread)


def read_postgresql(server: Server, databases: Sequence[str] = (), base_dir: str = "") -> c.ListingContent:
    """Ask a running server for the files of its databases: of those named, else the address's, else all.

    `base_dir` is data_directory where the server hides it from this user.

    Raises:
        ServerError: no driver, not reached, no authority, no such database; says what to do.
    """
    wanted = server.wanted(databases)
    containers: list[c.Container] = []
    notes: list[Note] = []
    with _session(server, wanted[0] if wanted else "") as ask:
        about = _ServerFacts(*ask(_SERVER)[0])
        there = {row[0]: row[1:] for row in ask(_DATABASES)}
        server.check(wanted, there)
        whole = c.Container(base_dir=about.base_dir or "", kind=c.DIRECTORY, source=str(server))
        containers.append(_log(whole, about))
        containers += _temporary(ask, whole, about, notes)
        here = _files(ask, about.database, str(server), notes) if about.database in (wanted or there) else []
    for name in wanted or there:
        files = here if name == about.database else _elsewhere(server, name, there[name], notes)
        if files is None:
            oid, _, tablespace, number = there[name]
            path = f"{about.directory(number)}/{oid}"
            named = whole._replace(database=name, tablespace=tablespace)
            files = [named._replace(path=path, role=c.DATA)]
        containers += files
    if about.base_dir is None and not base_dir:
        right = "GRANT pg_read_all_settings TO it, or give --base-dir"
        notes.append(Note(0, f"{about.user} may not see data_directory: {right}"))
    # files that all databases share are listed by each of them
    kept = c.content_of(row if row.base_dir else row._replace(base_dir=base_dir) for row in containers)
    host = about.address if about.address and not is_here(about.address) else os.uname().nodename
    return c.ListingContent(kept.containers, tuple(notes), host)


def _log(whole: c.Container, about: _ServerFacts) -> c.Container:
    path = "pg_wal" if about.version >= 100_000 else "pg_xlog"
    return whole._replace(tablespace=path, path=path, role=c.LOG)


def _temporary(ask: Ask, whole: c.Container, about: _ServerFacts, notes: list[Note]) -> list[c.Container]:
    try:
        rows = ask(_TEMPORARY)
    except ServerError:
        notes.append(Note(0, f"{about.user} may not see temporary files: GRANT pg_monitor TO it"))
        return []
    temporary = whole._replace(role=c.TEMP)
    return [
        temporary._replace(
            tablespace=name, path=f"{about.directory(oid)}/pgsql_tmp", bytes_declared=size
        )
        for name, oid, size in rows
    ]  # fmt: skip


def _elsewhere(
    server: Server, name: str, facts: tuple[Any, ...], notes: list[Note]
) -> list[c.Container] | None:
    """Return the files of a database that needs a session of its own; None if there can be none."""
    if not facts[1]:
        return None  # a template takes no connections
    try:
        with _session(server, name) as ask:
            return _files(ask, name, str(server), notes)
    except ServerError as error:
        notes.append(
            Note(0, f"{error}; so of {name!r} there is only its directory in its default tablespace")
        )
        return None


def _files(ask: Ask, database: str, source: str, notes: list[Note]) -> list[c.Container]:
    bounded = f"{FILES}\nLIMIT {MAX_ROWS + 1}"
    try:
        rows = ask(bounded)
    except ServerError as error:
        notes.append(Note(0, f"{database}: sizes are those of the last VACUUM or ANALYZE, because {error}"))
        rows = ask(bounded.replace(_SIZED, _ESTIMATED))
    if len(rows) > MAX_ROWS:
        notes.append(Note(0, f"{database}: {TOO_MANY}", unread=True))
        del rows[MAX_ROWS:]
    return [
        c.Container(
            database=owner, tablespace=tablespace, kind=c.FILE, path=path,
            base_dir=base_dir or "", bytes_declared=size, role=role, source=source, table=table,
        )
        for _, owner, tablespace, base_dir, path, role, size, table in rows
    ]  # fmt: skip


@contextmanager
def _session(server: Server, database: str) -> Iterator[Ask]:
    """Connect to a database of the server, for reading alone.

    Raises:
        ServerError: no driver, not reached or refused.
    """
    try:
        import psycopg  # noqa: PLC0415 - optional, and slow to import
    except ImportError as missing:
        with _without_libpq(server, database, missing) as ask:
            yield ask
        return
    parameters: dict[str, Any] = {
        "host": server.host, "port": server.port, "user": server.user, "password": server.password,
        "connect_timeout": _CONNECT_SECONDS, **dict(server.options),
    }  # fmt: skip
    given = {name: value for name, value in parameters.items() if value}
    given |= {"application_name": "zmon", "client_encoding": "UTF8"}
    if database or "service" not in given:
        given["dbname"] = database or "postgres"
    try:
        # make_conninfo refuses an unknown option
        with psycopg.connect(psycopg.conninfo.make_conninfo(**given), autocommit=True) as connection:

            def rows_of(statement: str) -> list[tuple[Any, ...]]:
                cursor = connection.execute(statement.encode())
                return cursor.fetchall() if cursor.description else []

            yield _asking(server, rows_of, (psycopg.Error, UnicodeError))
    except psycopg.Error as error:
        raise ServerError(f"{server}: {server.harmless_message(error)}") from None


@contextmanager
def _without_libpq(server: Server, database: str, missing: ImportError) -> Iterator[Ask]:
    try:
        import pg8000.native as pg8000  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        raise ServerError(
            f"asking PostgreSQL needs python3-psycopg or python3-pg8000 ({missing}); or spool the query of"
            " docs/listings.md with psql"
        ) from None
    if server.options:
        raise ServerError(f"{server}: {server.options[0][0]} needs the driver psycopg with libpq")
    host = server.host or os.environ.get("PGHOST", "/var/run/postgresql")
    port = server.port or int(os.environ.get("PGPORT", "5432"))
    try:
        connection = pg8000.Connection(
            server.user or os.environ.get("PGUSER") or getpass.getuser(),
            host=host,
            unix_sock=f"{host}/.s.PGSQL.{port}" if host.startswith("/") else None,
            port=port,
            database=database or "postgres",
            password=server.password or os.environ.get("PGPASSWORD"),
            timeout=_CONNECT_SECONDS,
            application_name="zmon",
        )
    except (pg8000.Error, OSError) as error:
        raise ServerError(f"{server}: {server.harmless_message(_message(error))}") from None

    def rows_of(statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in connection.run(statement) or ()]

    with closing(connection):
        yield _asking(server, rows_of, (pg8000.Error, OSError, UnicodeError))


def _asking(server: Server, rows_of: Ask, errors: tuple[type[Exception], ...]) -> Ask:
    """Return a function that asks in a session, prepared for reading alone, and raises `ServerError`."""

    def ask(statement: str) -> list[tuple[Any, ...]]:
        try:
            return rows_of(statement)
        except errors as error:
            raise ServerError(f"{server}: {server.harmless_message(_message(error))}") from None

    for statement in _SESSION:
        ask(statement)
    return ask


def _message(error: Exception) -> Exception:
    """Return the message of pg8000's error, which has all fields of the server's answer."""
    fields = error.args[0] if error.args else ""
    return Exception(fields.get("M", fields)) if isinstance(fields, dict) else error


# statements

_WANTED: Final = re.compile(r"(?:CREATE|ALTER|DROP) TABLESPACE(?![^ ])")
_LOCATED: Final = re.compile(
    r"\bCREATE\s+TABLESPACE\s+[^\s;]{1,130}\s+(?:OWNER\s+[^\s;]{1,130}\s+)?LOCATION\s+'", re.IGNORECASE
)
_DIALECT: Final = SqlDialect(lines=r"\\(?=[A-Za-z!?])", nested=True, dollars=True)
"""psql has commands that begin with a backslash."""
_OTHER: Final = re.compile(r"\b(?:DATAFILE|TEMPFILE|MANAGED\s+BY|PAGESIZE)\b", re.IGNORECASE)
_COPY: Final = re.compile(r"COPY [^;']{1,8000} FROM stdin(?: WITH [^;']{1,100})?;\s*", re.IGNORECASE)
"""The beginning of the data of a table, which end with a line of a backslash and a dot."""
_OPTIONS: Final = ("SET", "RESET", "OWNER")


def recognise_ddl(head: str) -> bool:
    """Return whether a text has such a statement, which has a LOCATION, and none of Oracle or Db2."""
    return _LOCATED.search(head) is not None and _OTHER.search(head) is None


def parse_ddl(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read statements about tablespaces, as `pg_dumpall --tablespaces-only` or `-g` prints them."""
    return _PostgresqlReader(origin, options).read(text)


class _PostgresqlReader(DdlReader):
    """Applies PostgreSQL's statements."""

    wanted = _WANTED
    dialect = _DIALECT
    runs = re.compile(r"\\i(?:r|nclude|nclude_relative)?\s+(\S+)")

    def __init__(self, origin: str, options: c.Options) -> None:
        super().__init__(origin, options)
        self._spaces: dict[str, c.Container] = {}

    def read(self, text: str | Iterable[str]) -> c.ListingContent:
        return super().read(
            self._without_data(StringIO(text, newline="\n") if isinstance(text, str) else text)
        )

    def _without_data(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines of a dump, empty ones for the data of tables, which may have any quotes."""
        begun = number = 0
        for line in lines:
            number += line.endswith("\n")
            if begun:
                begun = 0 if line.rstrip() == "\\." else begun
                yield "\n" * line.endswith("\n")
                continue
            begun = number if _COPY.fullmatch(line) else 0
            yield line
        if begun:
            self.note(begun, "data of COPY are never ended, so what follows is not read", unread=True)

    def containers(self) -> Iterable[c.Container]:
        return self._spaces.values()

    def apply(self, statement: SqlStatement) -> bool:
        verb, _, cursor = self.begin(statement)
        cursor.words("TABLESPACE")
        cursor.words("IF", "EXISTS")
        name = _folded(cursor.identifier())
        if verb == "DROP":
            self._spaces.pop(name, None)
            return bool(name)
        if verb == "ALTER":
            if not cursor.words("RENAME", "TO"):
                return bool(cursor.one_of(*_OPTIONS))
            new = _folded(cursor.identifier())
            if name in self._spaces:
                self._spaces[new] = self._spaces.pop(name)._replace(tablespace=new)
            return bool(new)
        if cursor.words("OWNER"):
            cursor.identifier()
        path = cursor.kind(STRING) if cursor.words("LOCATION") else None
        if path is None or not name:
            return False
        self._spaces[name] = self.row(name, statement.line)._replace(kind=c.DIRECTORY, path=path.text)
        return True


def _folded(name: SqlToken | None) -> str:
    """Return a name as PostgreSQL stores it: in small letters unless it is quoted."""
    if name is None:
        return ""
    return name.text.lower() if name.kind == WORD else name.text


# the data directory

_NUMBERED: Final = "tablespaces have their numbers for names: SELECT oid, spcname FROM pg_tablespace"


def is_data_directory(names: Collection[str]) -> bool:
    """Return whether a directory with these names is a data directory of PostgreSQL."""
    return {"PG_VERSION", "base", "global", "pg_tblspc"} <= set(names)


def read_data_directory(directory: str) -> c.ListingContent:
    """List a data directory by the names in it, for servers that cannot be asked.

    It has `base`, `global`, `pg_wal` and, for each tablespace, a link `pg_tblspc/OID`; only the catalogue
    maps files to tables, so a tablespace is listed as a directory.

    Raises:
        OSError: it cannot be read; it belongs to the server's user.
    """
    whole = c.Container(kind=c.DIRECTORY, base_dir=os.path.abspath(directory), source=directory)
    notes = [Note(0, _NUMBERED)]
    version = _version_of(directory)
    log = "pg_xlog" if version.startswith("9.") else "pg_wal"
    rows = [
        whole._replace(tablespace=name, path=path, role=role)
        for name, path, role in (
            ("pg_default", "base", c.DATA),
            ("pg_global", "global", c.DATA),
            (log, log, c.LOG),
        )
    ]
    for oid in sorted(os.listdir(f"{directory}/pg_tblspc")):
        own, others = _by_version(f"{directory}/pg_tblspc/{oid}", version)
        rows += [
            whole._replace(tablespace=oid, path=f"pg_tblspc/{oid}{name}", role=c.DATA)
            for name in ([f"/{name}" for name in own] if others else [""])
        ]
        notes += [
            Note(0, f"pg_tblspc/{oid}/{name} is of another version of PostgreSQL: left out")
            for name in others
        ]
    return c.ListingContent(tuple(rows), tuple(notes), host=os.uname().nodename)


def _version_of(directory: str) -> str:
    """Return the version whose data a directory has: `16`, `9.6`; empty if it cannot be read."""
    try:
        with open(f"{directory}/PG_VERSION", encoding="ascii", errors="replace") as file:
            return file.read(16).strip()
    except OSError:
        return ""


def _by_version(tablespace: str, version: str) -> tuple[list[str], list[str]]:
    """Return the directories of a tablespace that a version of the server has made, and those of others.

    Each is `PG_16_202307071`, version and catalogue; after pg_upgrade both are there.  Without one of the
    server's own none is told apart.
    """
    try:
        names = [name for name in sorted(os.listdir(tablespace)) if name.startswith("PG_")]
    except OSError:
        names = []
    own = [name for name in names if version and name.startswith(f"PG_{version}_")]
    return own, [name for name in names if own and name not in own]
