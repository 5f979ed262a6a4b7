"""MariaDB and MySQL: files of InnoDB, MyISAM, Aria, asked of the running server or spooled in batch mode.

A spool is the output of `mariadb -B` for `QUERIES`, one after the other in one file; also any one of them
alone, and as CSV.  Names are relative to `datadir`, which only the variables contain.  InnoDB names files in
its own way: `@` and four hex digits for a letter, `#P#` before a partition.  A table with `DATA DIRECTORY`
has its file elsewhere: the catalogue knows where, and on disk a file `.isl` in its place does.

Asking needs the extra `mariadb`, which is PyMySQL, and the privilege PROCESS.
"""

from __future__ import annotations

import os
import posixpath
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.listing import containers as c
from zmon.listing.delimited import first_row, rows, whole_number
from zmon.listing.not_understood import Note, quote, unread_row
from zmon.listing.servers import MAX_ROWS, TOO_MANY, ServerError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from zmon.listing.servers import Server

    Cells = Mapping[str, str]

_VARIABLES: Final = """\
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('hostname', 'datadir', 'innodb_data_home_dir',
  'innodb_data_file_path', 'innodb_log_group_home_dir', 'innodb_log_files_in_group',
  'innodb_redo_log_capacity', 'log_bin_basename')"""
_SPACES: Final = """\
SELECT NAME, FILENAME, FILE_SIZE,
  CONVERT(CONVERT(BINARY SUBSTRING_INDEX(NAME, '/', 1) USING filename) USING utf8mb4) AS TABLE_SCHEMA,
  CONVERT(CONVERT(BINARY SUBSTRING_INDEX(SUBSTRING_INDEX(NAME, '/', -1), '#', 1) USING filename)
    USING utf8mb4) AS TABLE_NAME
FROM information_schema.INNODB_SYS_TABLESPACES"""
_FILES: Final = """\
SELECT FILE_NAME, FILE_TYPE, TABLESPACE_NAME, TOTAL_EXTENTS * EXTENT_SIZE AS FILE_SIZE
FROM information_schema.FILES WHERE FILE_NAME IS NOT NULL"""
_TABLES: Final = """\
SELECT TABLE_SCHEMA, TABLE_NAME, ENGINE, DATA_LENGTH, INDEX_LENGTH, CREATE_OPTIONS,
  CONVERT(CAST(CONVERT(TABLE_SCHEMA USING filename) AS BINARY) USING ascii) AS DIRECTORY_NAME,
  CONVERT(CAST(CONVERT(TABLE_NAME USING filename) AS BINARY) USING ascii) AS BASE_NAME
FROM information_schema.TABLES WHERE ENGINE IN ('MyISAM', 'Aria')
  AND TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema')"""
_LOGS: Final = "SHOW BINARY LOGS"
QUERIES: Final = (_VARIABLES, _SPACES, _FILES, _TABLES, _LOGS)
"""The queries in their order: a server supports the second or the third, and the last if it has such logs."""

_RESULTS: Final = {
    "variables": {"variable_name", "value"},
    "spaces": {"name", "filename"},
    "files": {"file_name", "file_type", "tablespace_name"},
    "datafiles": {"space", "path"},
    "tables": {"table_schema", "table_name", "engine"},
    "logs": {"log_name", "file_size"},
}
"""The columns that identify each result."""

_SYSTEM: Final = "innodb_system"
_SUFFIXES: Final = {"myisam": ("MYD", "MYI"), "aria": ("MAD", "MAI")}
_DATA_FILE: Final = re.compile(
    r"(?P<path>[^;]+?):(?P<size>[0-9]{1,19})(?P<unit>[KMG]?)(?P<rest>(:\w+|raw|newraw)*)"
)
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_ESCAPED: Final = re.compile("@([0-9a-f]{4})")
_MAX_LOGS: Final = 100
_CONNECT_SECONDS: Final = 10
_ANSWER_SECONDS: Final = 50
_OPTIONS: Final = frozenset({"ssl_ca", "ssl_cert", "ssl_key", "read_default_file", "read_default_group"})


def decoded(name: str) -> str:
    """Decode the hex in an encoded file name: `odd@0020table` is `odd table`."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name)


def parse_isl(content: bytes) -> str:
    """Read the path in a file `.isl`, which has no line end.

    Raises:
        ValueError: it is no path.
    """
    path = os.fsdecode(content.rstrip(b"\r\n"))
    if not path or "\0" in path or "\n" in path or len(content) > 4096:
        raise ValueError(f"no path: {quote(path)}")
    return path


def recognise(head: str) -> bool:
    """Return whether a text begins like one of the results of `QUERIES`."""
    first = first_row(head)
    return first is not None and _result_of(first.fields) is not None


def _result_of(fields: Sequence[str]) -> str | None:
    names = {field.casefold() for field in fields}
    return next((sort for sort, columns in _RESULTS.items() if columns <= names), None)


def parse(text: str | Iterable[str], origin: str = "", options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read the results of `QUERIES`, all or some; `base_dir` is datadir where the variables lack it.

    Raises:
        ValueError: it is no table, or none of these; says in which line.
    """
    heading: Sequence[str] = ()
    sort = ""
    results: dict[str, list[tuple[int, Cells]]] = {sort: [] for sort in _RESULTS}
    notes: list[Note] = []
    for row in rows(text):
        begins = _result_of(row.fields)
        if begins:
            sort, heading = begins, [field.casefold() for field in row.fields]
        elif not sort:
            raise ValueError(
                f"line {row.line}: no result of MariaDB begins so: {quote(','.join(row.fields))}"
            )
        elif row.problem or len(row.fields) != len(heading):
            why = row.problem or f"{len(row.fields)} fields in {len(heading)} columns: {quote(row.fields[0])}"
            notes.append(unread_row(row.line, why))
        else:
            results[sort].append((row.line, dict(zip(heading, row.fields, strict=True))))
    listed = _listed(results, origin, options.base_dir)
    return listed._replace(notes=(*notes, *listed.notes))


def _listed(results: Mapping[str, list[tuple[int, Cells]]], source: str, base_dir: str) -> c.ListingContent:
    """Return the containers of all results."""
    variables = _variables(results)
    blank = c.Container(kind=c.FILE, base_dir=variables.get("datadir") or base_dir, source=source)
    containers: list[c.Container] = []
    for line, cells in results["spaces"]:
        containers += _space(blank._replace(line=line), cells, variables)
    for line, cells in results["files"]:
        containers.append(_file(blank._replace(line=line), cells))
    for line, cells in results["datafiles"]:
        name = cells["space"]
        containers.append(blank._replace(tablespace=name, path=cells["path"], role=c.DATA, line=line))
    for line, cells in results["tables"]:
        containers += _table(blank._replace(line=line), cells)
    containers += _redo(blank, variables)
    basename = variables.get("log_bin_basename", "")
    for line, cells in results["logs"]:
        containers.append(
            blank._replace(
                tablespace="binlog", role=c.LOG, line=line,
                path=posixpath.join(posixpath.dirname(basename), cells["log_name"]),
                bytes_declared=whole_number(cells["file_size"]),
            )
        )  # fmt: skip
    return c.content_of(containers, host=variables.get("hostname", ""))


def _variables(results: Mapping[str, list[tuple[int, Cells]]]) -> Cells:
    return {
        cells["variable_name"].casefold(): "" if cells["value"] == "NULL" else cells["value"]
        for _, cells in results["variables"]
    }


def _space(blank: c.Container, cells: Cells, variables: Cells) -> Iterator[c.Container]:
    """Return the files of a tablespace of `INNODB_SYS_TABLESPACES`, or MySQL's `INNODB_TABLESPACES`."""
    name, size = cells["name"], whole_number(cells.get("file_size", ""))
    whole = blank._replace(tablespace=decoded(name), path=cells["filename"], bytes_declared=size)
    if name == _SYSTEM and variables.get("innodb_data_file_path"):
        parts = list(_system(whole, variables))
        yield from parts if len(parts) > 1 else [part._replace(bytes_declared=size) for part in parts]
    elif "/" in name:
        schema, _, table = name.partition("/")
        yield whole._replace(
            database=cells.get("table_schema") or decoded(schema),
            table=cells.get("table_name") or decoded(table.partition("#")[0]),
            role=c.DATA,
        )
    else:
        yield whole._replace(role=_role(name))


def _role(name: str) -> str:
    """Return the role that the catalogue's own name of a tablespace without tables declares."""
    if name.startswith("innodb_undo"):
        return c.UNDO
    return c.TEMP if name == "innodb_temporary" else c.DATA


def _system(whole: c.Container, variables: Cells) -> Iterator[c.Container]:
    """Return the files of the system tablespace: `innodb_data_file_path` in `innodb_data_home_dir`."""
    home = variables.get("innodb_data_home_dir", "")
    for number, part in enumerate(variables["innodb_data_file_path"].split(";")):
        match = _DATA_FILE.fullmatch(part)
        if match is None:
            yield whole._replace(
                container_id=number, role=c.DATA, path="", problem=f"not understood: {quote(part)}"
            )
            continue
        size = int(match["size"]) * _UNITS[match["unit"]]
        yield whole._replace(
            container_id=number,
            role=c.DATA,
            kind=c.DEVICE if "raw" in match["rest"] else c.FILE,
            path=posixpath.join(home, match["path"]),
            bytes_declared=None if "autoextend" in match["rest"] else size,
        )


def _file(blank: c.Container, cells: Cells) -> c.Container:
    """Return a row of MySQL's `information_schema.FILES`."""
    name = cells["tablespace_name"]
    schema, _, table = name.partition("/")
    of_table = bool(table)
    role = {"UNDO LOG": c.UNDO, "TEMPORARY": c.TEMP}.get(cells["file_type"].upper(), c.DATA)
    return blank._replace(
        database=decoded(schema) if of_table else "",
        table=decoded(table.partition("#")[0]),
        tablespace=decoded(name),
        path=cells["file_name"],
        bytes_declared=whole_number(cells.get("file_size", "")),
        role=role,
    )


def _table(blank: c.Container, cells: Cells) -> Iterator[c.Container]:
    """Return the two files of a table that has no tablespace."""
    schema, name = cells["table_schema"], cells["table_name"]
    whole = blank._replace(database=schema, table=name, tablespace=f"{schema}/{name}")
    suffixes = _SUFFIXES.get(cells["engine"].casefold())
    if suffixes is None or "partitioned" in cells.get("create_options", ""):
        table = f"of engine {quote(cells['engine'])}" if suffixes is None else "that is partitioned"
        problem = f"the catalogue names no files of a table {table}: list them as tablespace,path"
        yield whole._replace(problem=problem)
        return
    stem = posixpath.join(cells.get("directory_name") or schema, cells.get("base_name") or name)
    lengths = ("data_length", "index_length")
    for suffix, length, role in zip(suffixes, lengths, (c.DATA, c.INDEX), strict=True):
        yield whole._replace(
            path=f"{stem}.{suffix}", role=role, bytes_declared=whole_number(cells.get(length, ""))
        )  # fmt: skip


def _redo(blank: c.Container, variables: Cells) -> Iterator[c.Container]:
    """Return the log of InnoDB: a directory since MySQL 8.0.30, else one file or as many as in the group."""
    home = variables.get("innodb_log_group_home_dir")
    if home is None:
        return
    log = blank._replace(tablespace="innodb_log", role=c.LOG)
    if "innodb_redo_log_capacity" in variables:
        yield log._replace(kind=c.DIRECTORY, path=posixpath.join(home, "#innodb_redo"))
        return
    count = whole_number(variables.get("innodb_log_files_in_group", "1")) or 1
    for number in range(min(count, _MAX_LOGS)):
        yield log._replace(container_id=number, path=posixpath.join(home, f"ib_logfile{number}"))


def read_mariadb(server: Server, databases: Sequence[str] = (), _base_dir: str = "") -> c.ListingContent:
    """Ask a running server for its logs and files: of databases named, else the address's, else all.

    Raises:
        ServerError: no driver, not reached, no authority, no such database; says what to do.
    """
    wanted = server.wanted(databases)
    notes: list[Note] = []
    results: dict[str, list[tuple[int, Cells]]] = {sort: [] for sort in _RESULTS}
    with closing(_connect(server)) as connection:
        schemas = [row["schema_name"] for row in _ask(connection, server, "SHOW SCHEMAS", ("schema_name",))]
        server.check(wanted, schemas)
        refused: dict[str, ServerError] = {}
        for sort, statement in zip(("variables", "spaces", "files", "tables", "logs"), QUERIES, strict=True):
            bound = f"\nLIMIT {MAX_ROWS + 1}" if statement.startswith("SELECT") else ""
            try:
                rows = _ask(connection, server, statement + bound)
            except ServerError as error:
                refused[sort] = error
                continue
            if len(rows) > MAX_ROWS:
                notes.append(Note(0, TOO_MANY, unread=True))
            results[sort] = [(0, cells) for cells in rows[:MAX_ROWS]]
    if "variables" in refused or ("spaces" in refused and not results["files"]):
        raise refused.get("variables") or refused["spaces"]
    if "tables" in refused:
        notes.append(Note(0, f"no MyISAM and Aria tables: {refused['tables']}"))
    if "logs" in refused and any(
        cells["variable_name"] == "log_bin_basename" and cells["value"] for _, cells in results["variables"]
    ):
        notes.append(Note(0, f"no binary logs: {refused['logs']}"))
    listed = _listed(results, str(server), "")
    kept = tuple(row for row in listed.containers if not wanted or not row.database or row.database in wanted)
    return c.ListingContent(kept, (*notes, *listed.notes), listed.host)


def _ask(connection: Any, server: Server, statement: str, names: Iterable[str] = ()) -> list[Cells]:
    """Return the rows of a statement as text, by the names of their columns in small letters.

    Raises:
        ServerError: it was refused.
    """
    import pymysql  # noqa: PLC0415 - optional

    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            columns = list(names) or [column[0].casefold() for column in cursor.description]
            rows = cursor.fetchall()
    except (pymysql.MySQLError, OSError, UnicodeError) as error:
        raise ServerError(f"{server}: {_message(server, error)}") from None
    return [
        {name: "" if value is None else str(value) for name, value in zip(columns, row, strict=True)}
        for row in rows
    ]


def _message(server: Server, error: Exception) -> str:
    """Return the sentence of PyMySQL's error, which has a number and a sentence."""
    return server.harmless_message(Exception(error.args[-1]) if error.args else error)


def _connect(server: Server) -> Any:
    """Connect for reading alone.

    Raises:
        ServerError: no driver, not reached or refused.
    """
    try:
        import pymysql  # noqa: PLC0415 - optional, and slow to import
    except ImportError as missing:
        raise ServerError(
            f"asking MariaDB or MySQL needs python3-pymysql ({missing}); or spool the queries of"
            " docs/listings.md with mariadb -B"
        ) from None
    strange = [name for name, _ in server.options if name not in _OPTIONS]
    if strange:
        raise ServerError(f"{server}: {strange[0]} is no option, one of {', '.join(sorted(_OPTIONS))}")
    options: dict[str, Any] = dict(server.options)
    own = os.path.expanduser("~/.my.cnf")
    if not server.password and "read_default_file" not in options and os.path.exists(own):
        options["read_default_file"] = own
    host = server.host
    if not host and os.path.exists("/run/mysqld/mysqld.sock"):
        host = "/run/mysqld/mysqld.sock"
    if host.startswith("/") and not os.path.exists(host):
        raise ServerError(f"{server}: no server listens at {host}")
    options |= {"unix_socket": host} if host.startswith("/") else {"host": host or "localhost"}
    options |= {name: value for name, value in (("user", server.user), ("port", server.port)) if value}
    password = server.password or os.environ.get("MYSQL_PWD", "")
    try:
        return pymysql.connect(
            password=password,
            charset="utf8mb4",
            connect_timeout=_CONNECT_SECONDS,
            read_timeout=_ANSWER_SECONDS,
            write_timeout=_ANSWER_SECONDS,
            init_command="SET SESSION TRANSACTION READ ONLY",
            program_name="zmon",
            autocommit=True,
            **options,
        )
    except (pymysql.MySQLError, OSError, UnicodeError) as error:
        raise ServerError(f"{server}: {_message(server, error)}") from None


# the data directory

_OWN: Final = (
    (re.compile("ibdata[0-9]+"), "innodb_system", c.DATA, c.FILE),
    (re.compile("undo_?[0-9]{3}"), "innodb_undo", c.UNDO, c.FILE),
    (re.compile("ibtmp[0-9]+"), "innodb_temporary", c.TEMP, c.FILE),
    (re.compile("ib_logfile[0-9]+"), "innodb_log", c.LOG, c.FILE),
    (re.compile("#innodb_redo"), "innodb_log", c.LOG, c.DIRECTORY),
    (re.compile("#innodb_temp"), "innodb_temporary", c.TEMP, c.DIRECTORY),
    (re.compile("aria_log\\.[0-9]{8}"), "aria_log", c.LOG, c.FILE),
)
"""The names that InnoDB and Aria give to their own files."""
_ROLES: Final = {"ibd": c.DATA, "isl": c.DATA, "MYD": c.DATA, "MAD": c.DATA, "MYI": c.INDEX, "MAI": c.INDEX}
_ELSEWHERE: Final = "read from the directory, so what the server's configuration has elsewhere is not in it"


def is_data_directory(names: Collection[str]) -> bool:
    """Return whether a directory with these names is a data directory of MariaDB or MySQL."""
    return "mysql" in names and any(pattern.fullmatch(name) for pattern, *_ in _OWN for name in names)


def read_data_directory(directory: str) -> c.ListingContent:
    """List a data directory by the names in it, for servers that cannot be asked.

    InnoDB keeps `DATABASE/TABLE.ibd`, or in its place `TABLE.isl` with the path of a table that lies
    elsewhere; MyISAM and Aria two files per table.  Files that the server's configuration puts elsewhere are
    not found.

    Raises:
        OSError: it cannot be read; it belongs to the server's user.
    """
    blank = c.Container(base_dir=os.path.abspath(directory), source=directory)
    rows = []
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        own = next((own for own in _OWN if own[0].fullmatch(entry.name)), None)
        if own is not None:
            _, name, role, kind = own
            rows.append(blank._replace(tablespace=name, path=entry.name, role=role, kind=kind))
        elif entry.is_dir():
            rows += _tables(blank._replace(kind=c.FILE), directory, entry.name)
    return c.ListingContent(tuple(rows), (Note(0, _ELSEWHERE),), host=os.uname().nodename)


def _tables(blank: c.Container, directory: str, schema: str) -> Iterator[c.Container]:
    for name in sorted(os.listdir(f"{directory}/{schema}")):
        stem, _, suffix = name.rpartition(".")
        role = _ROLES.get(suffix)
        if role is None or not stem:
            continue
        table = f"{schema}/{stem}"
        row = blank._replace(
            database=decoded(schema), tablespace=decoded(table), role=role,
            table=decoded(stem.partition("#")[0]), path=f"{schema}/{name}",
        )  # fmt: skip
        yield _linked(row) if suffix == "isl" else row


def _linked(row: c.Container) -> c.Container:
    """Return a container with the path of its link."""
    try:
        with open(row.located, "rb") as link:
            return row._replace(path=parse_isl(link.read(4097)))
    except (OSError, ValueError) as error:
        return row._replace(problem=f"the file .isl cannot be read: {error}")
