"""The statements with which a DBA would move a container, for each database.

A DBA reads, adapts and runs it: zmon runs none of it.  `NEW_PLACE` in angle brackets has to be replaced, so
that no statement runs unchanged by mistake.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from zmon.listing import containers
from zmon.placement.items import Hindrance

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.placement.items import FileItem
    from zmon.placement.planner import Move


NEW_PLACE: Final = "<a path on {}>"

DB2: Final = "db2"
DB2_AUTOMATIC: Final = "db2, automatic storage"
DB2_SMS: Final = "db2, managed by system"
DB2_UNKNOWN: Final = "db2, who manages the space is unknown"
ORACLE: Final = "oracle"
POSTGRESQL: Final = "postgresql"
MARIADB: Final = "mariadb"


def move_statements(product: str, move: Move) -> tuple[str, ...]:
    """Return the statements for a move in a database; for an unknown product the commands of Linux.

    `product` is one of the names above, or any other text.  For names that cannot be written in a statement,
    a comment is returned.
    """
    item = move.item
    if not all(text.isprintable() for text in (item.name, item.tablespace)):
        return ("-- its name holds characters that cannot be in a statement: move it by its number",)
    if item.is_log:
        return _log(product, move)
    if product == ORACLE and item.role in {"temp", "control"}:
        return (_oracle_temp if item.role == "temp" else _oracle_control)(move)
    return _STATEMENTS.get(product, _linux)(move)


def instead(item: FileItem) -> tuple[str, ...]:
    """Return what a DBA does for a file that the database lets nobody move by itself; else nothing."""
    if not all(text.isprintable() for text in (item.name, item.tablespace)):
        return ()
    return _INSTEAD[item.pinned](item) if item.pinned in _INSTEAD else ()


def product_of(product: str, storage: str) -> str:
    """Return the product of a container as `move_statements` takes it; `storage` is as in a listing."""
    return _STORAGES.get(storage, DB2_UNKNOWN) if product == DB2 else product


def place(move: Move) -> str:
    """Return the placeholder of the new place."""
    return NEW_PLACE.format(move.target.title)


def name(text: str) -> str:
    """Write an identifier of SQL, in double quotes unless it needs none."""
    plain = text.isascii() and text.isidentifier() and text.upper() == text
    return text if plain else '"' + text.replace('"', '""') + '"'


def string(text: str) -> str:
    """Write a string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _db2(move: Move) -> tuple[str, ...]:
    """Db2 moves extents when containers are added and dropped; the new one is added first."""
    space, path = name(move.item.tablespace), string(move.item.name)
    kind = "DEVICE" if move.item.name.startswith("/dev/") else "FILE"
    return (
        f"ALTER TABLESPACE {space} ADD ({kind} {string(place(move))} {_pages(move)})",
        f"ALTER TABLESPACE {space} DROP ({kind} {path})",
        "-- one statement each; the rebalance copies. Single tables: CALL SYSPROC.ADMIN_MOVE_TABLE.",
        "-- Automatic storage refuses both: ALTER STOGROUP ... ADD and DROP, ALTER TABLESPACE ... REBALANCE",
    )


def _automatic(item: FileItem) -> tuple[str, ...]:
    """Db2 itself makes the containers on the paths of the storage group, and refuses ADD and DROP."""
    space = name(item.tablespace)
    return (
        f"ALTER STOGROUP <storage group of {space}> ADD {string(NEW_PLACE.format('the other units'))}",
        "-- a temporary tablespace uses the new path when the database is activated again"
        if item.role == "temp"
        else f"ALTER TABLESPACE {space} REBALANCE",
        "-- ALTER STOGROUP ... DROP takes a path away, for all tablespaces of the group; REBALANCE each.",
        "-- Single tables: CALL SYSPROC.ADMIN_MOVE_TABLE, to a tablespace of another storage group",
    )


def _managed(item: FileItem) -> tuple[str, ...]:
    """Db2 makes the files of the directory itself, and adds a directory for a new partition only."""
    space = name(item.tablespace)
    if item.role == "temp":
        return (f"-- {space}: create another temporary tablespace elsewhere, and drop this one",)
    return (
        f"-- {space} is MANAGED BY SYSTEM: make another tablespace, and move its",
        "-- tables there: CALL SYSPROC.ADMIN_MOVE_TABLE; or move its whole file system",
    )


def _db2_unknown(move: Move) -> tuple[str, ...]:
    if move.item.name.startswith("/dev/"):
        return _db2(move)
    return (
        f"-- no statement: the listing does not say who manages the space of {name(move.item.tablespace)},",
        "-- SYSTEM or DATABASE: add CONTAINER_TYPE of MON_GET_CONTAINER",
    )


def _pages(move: Move) -> str:
    return f"{max(1, -(-move.item.size >> 20))} M" if move.item.size else "<size>"


def _megabytes(move: Move) -> str:
    return _pages(move).replace(" ", "")


def _oracle(move: Move) -> tuple[str, ...]:
    if move.item.name.startswith("+"):
        group = name(re.split("[/(]", move.item.name[1:], maxsplit=1)[0].strip())
        old = f"<disk on {move.source.title}>"
        return (f"ALTER DISKGROUP {group} ADD DISK {string(place(move))} DROP DISK {old} REBALANCE POWER 4",)
    return (f"ALTER DATABASE MOVE DATAFILE {string(move.item.name)} TO {string(place(move))}",)


def _oracle_temp(move: Move) -> tuple[str, ...]:
    """No statement moves a file of a temporary tablespace: another takes its place."""
    space = name(move.item.tablespace)
    return (
        f"ALTER TABLESPACE {space} ADD TEMPFILE {string(place(move))} SIZE {_megabytes(move)}",
        f"ALTER TABLESPACE {space} DROP TEMPFILE {string(move.item.name)}",
        "-- dropping fails while a session uses the file: try again later",
    )


def _oracle_control(move: Move) -> tuple[str, ...]:
    """The instance reads the names of all control files when it starts."""
    return (
        f"ALTER SYSTEM SET CONTROL_FILES = <the others>, {string(place(move))} SCOPE = SPFILE",
        "SHUTDOWN IMMEDIATE",
        f"-- copy {string(move.item.name)} to the new path while the instance is down, then: STARTUP",
    )


def _postgresql(move: Move) -> tuple[str, ...]:
    """A tablespace of PostgreSQL is one directory, so what moves is a table or an index."""
    old = move.item.tablespace
    if old == "pg_global":
        return ("-- catalogs that all databases share stay in the directory that initdb made",)
    new = f"{old}_2"
    return (
        f"CREATE TABLESPACE {_folded(new)} LOCATION {string(place(move))}",
        f"ALTER TABLE <table in {_folded(old)}> SET TABLESPACE {_folded(new)}",
        "-- which table a file is of: SELECT pg_filenode_relation(<oid of the tablespace>, <file number>)",
    )


def _folded(text: str) -> str:
    """Write an identifier for PostgreSQL, which folds to lower case."""
    plain = text.isascii() and text.isidentifier() and text.lower() == text
    return text if plain else '"' + text.replace('"', '""') + '"'


def _mariadb(move: Move) -> tuple[str, ...]:
    """A tablespace stays where its table was created, so the table is created again."""
    if option := _MARIADB_OPTIONS.get(move.item.tablespace):
        return (f"{option.format(place(move))}  # in my.cnf; stop the server, move the file, start it",)
    table = ".".join("`" + part.replace("`", "``") + "`" for part in move.item.tablespace.split("/", 1))
    return (
        f"CREATE TABLE <new> (...) DATA DIRECTORY={string(place(move))}",
        f"-- then copy the rows of {table} to it, and RENAME TABLE",
    )


def _linux(move: Move) -> tuple[str, ...]:
    """LVM moves the extents of a logical volume; a file on a partition or a whole disk has to be copied."""
    source, target = move.source.title, move.target.title
    disks = f"# or copy a whole minidisk to a volume on {target}: DDR or DIRMAINT under z/VM"
    volume = move.item.logical_volume
    if volume and volume.isprintable():
        return (f"pvmove -n {shlex.quote(volume)} <disk on {source}> <disk on {target}>", disks)
    return (
        f"# stop the database, then: cp -a {shlex.quote(move.item.name)} {shlex.quote(place(move))}",
        "# and mount the new file system where the old one was, or leave a link to the copy",
        disks,
    )


def _log(product: str, move: Move) -> tuple[str, ...]:
    where = string(place(move))
    if product == ORACLE and move.item.role == "archive":
        return (
            f"ALTER SYSTEM SET LOG_ARCHIVE_DEST_<n> = {string(f'LOCATION={place(move)}')} SCOPE = BOTH",
            "-- logs that are archived already stay where they are",
        )
    if product == ORACLE:
        return (
            f"ALTER DATABASE ADD LOGFILE MEMBER {where} TO GROUP <group>",
            f"ALTER DATABASE DROP LOGFILE MEMBER {string(move.item.name)}",
        )
    if product.startswith(DB2):
        return (f"UPDATE DB CFG FOR {name(move.item.database or '<database>')} USING NEWLOGPATH {where}",)
    if product == POSTGRESQL:
        return ("# stop the server, move pg_wal there and leave a link: ln -s " + where,)
    if product == MARIADB:
        return (f"innodb_log_group_home_dir = {place(move)}  # in my.cnf, after a clean stop",)
    return _linux(move)


_INSTEAD: Final[dict[Hindrance | None, Callable[[FileItem], tuple[str, ...]]]] = {
    Hindrance.AUTOMATIC: _automatic, Hindrance.MANAGED: _managed,
}  # fmt: skip
_STORAGES: Final = {containers.SMS: DB2_SMS, containers.DMS: DB2, containers.AUTOMATIC: DB2_AUTOMATIC}
_MARIADB_OPTIONS: Final = {
    "innodb_system": "innodb_data_home_dir = {}",
    "innodb_undo": "innodb_undo_directory = {}",
    "innodb_temporary": "innodb_temp_data_file_path = {}/ibtmp1:12M:autoextend",
}
"""Tablespaces of MariaDB without a table of their own, and the option that says where they are."""
_STATEMENTS: Final[dict[str, Callable[[Move], tuple[str, ...]]]] = {
    DB2: _db2,
    DB2_UNKNOWN: _db2_unknown,
    ORACLE: _oracle,
    POSTGRESQL: _postgresql,
    MARIADB: _mariadb,
}
