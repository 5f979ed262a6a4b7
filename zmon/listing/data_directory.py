"""The data directory of PostgreSQL, MariaDB or MySQL, where nobody may ask the server: its own names tell.

PostgreSQL keeps `base`, `global`, `pg_wal` and, for each tablespace, a link `pg_tblspc/OID`; which table a
file is of, only the catalogue knows, so a tablespace is a directory.  InnoDB keeps `DATABASE/TABLE.ibd`, or
in its place `TABLE.isl` with the path of a table that lies elsewhere; MyISAM and Aria two files per table.
What the server's configuration has elsewhere is not in the directory.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from zmon.listing.container import DATA, DIRECTORY, FILE, INDEX, LOG, TEMP, UNDO, Container, Note, Parsed
from zmon.listing.mariadb import decoded, parse_isl
from zmon.listing.server import MARIADB, POSTGRESQL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OWN: Final = (
    (re.compile("ibdata[0-9]+"), "innodb_system", DATA, FILE),
    (re.compile("undo_?[0-9]{3}"), "innodb_undo", UNDO, FILE),
    (re.compile("ibtmp[0-9]+"), "innodb_temporary", TEMP, FILE),
    (re.compile("ib_logfile[0-9]+"), "innodb_log", LOG, FILE),
    (re.compile("#innodb_redo"), "innodb_log", LOG, DIRECTORY),
    (re.compile("#innodb_temp"), "innodb_temporary", TEMP, DIRECTORY),
    (re.compile("aria_log\\.[0-9]{8}"), "aria_log", LOG, FILE),
)
"""What InnoDB and Aria themselves call their files."""
_ROLES: Final = {"ibd": DATA, "isl": DATA, "MYD": DATA, "MAD": DATA, "MYI": INDEX, "MAI": INDEX}
_ELSEWHERE: Final = "read from the directory, so what the server's configuration has elsewhere is not in it"

_NUMBERED: Final = "tablespaces have their numbers for names: SELECT oid, spcname FROM pg_tablespace"


def product(directory: str) -> str:
    """Say whose data directory this is: `postgresql`, `mariadb`, or empty."""
    has = frozenset(os.listdir(directory))
    if {"PG_VERSION", "base", "global", "pg_tblspc"} <= has:
        return POSTGRESQL
    own = any(pattern.fullmatch(name) for pattern, *_ in _OWN for name in has)
    return MARIADB if own and "mysql" in has else ""


def read_data_directory(directory: str) -> Parsed:
    """List a data directory, which has a `product`.

    Raises:
        OSError: it cannot be read; it belongs to the server's user.
    """
    blank = Container(base_dir=os.path.abspath(directory), source=directory)
    return _LISTED[product(directory)](blank, directory)


def _postgresql(blank: Container, directory: str) -> Parsed:
    whole = blank._replace(kind=DIRECTORY)
    log = "pg_wal" if os.path.lexists(f"{directory}/pg_wal") else "pg_xlog"
    rows = [
        whole._replace(tablespace=name, spelled=name, path=path, role=role)
        for name, path, role in (("pg_default", "base", DATA), ("pg_global", "global", DATA), (log, log, LOG))
    ]
    for oid in sorted(os.listdir(f"{directory}/pg_tblspc")):
        link = f"{directory}/pg_tblspc/{oid}"
        location = os.readlink(link) if os.path.islink(link) else ""
        rows.append(
            whole._replace(tablespace=oid, spelled=location or oid, path=f"pg_tblspc/{oid}", role=DATA)
        )
    return Parsed(tuple(rows), (Note(0, _NUMBERED),), host=os.uname().nodename)


def _mariadb(blank: Container, directory: str) -> Parsed:
    rows = []
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        own = next((own for own in _OWN if own[0].fullmatch(entry.name)), None)
        if own is not None:
            _, name, role, kind = own
            rows.append(blank._replace(tablespace=name, spelled=name, path=entry.name, role=role, kind=kind))
        elif entry.is_dir():
            rows += _tables(blank._replace(kind=FILE), directory, entry.name)
    return Parsed(tuple(rows), (Note(0, _ELSEWHERE),), host=os.uname().nodename)


def _tables(blank: Container, directory: str, schema: str) -> Iterator[Container]:
    for name in sorted(os.listdir(f"{directory}/{schema}")):
        stem, _, suffix = name.rpartition(".")
        role = _ROLES.get(suffix)
        if role is None or not stem:
            continue
        table = f"{schema}/{stem}"
        row = blank._replace(
            database=decoded(schema), tablespace=decoded(table), spelled=table, role=role,
            table=decoded(stem.partition("#")[0]), path=f"{schema}/{name}",
        )  # fmt: skip
        yield _linked(row) if suffix == "isl" else row


def _linked(row: Container) -> Container:
    """Return a container at the place that its link names."""
    try:
        with open(row.located, "rb") as link:
            return row._replace(path=parse_isl(link.read(4097)))
    except (OSError, ValueError) as error:
        return row._replace(problem=f"its link cannot be followed: {error}")


_LISTED: Final[dict[str, Callable[[Container, str], Parsed]]] = {POSTGRESQL: _postgresql, MARIADB: _mariadb}
