"""Oracle's views of files, spooled with their headings, as `SET MARKUP CSV ON` does it.

One spool may hold several of them, in any order; each is recognised by its columns:

- `DBA_DATA_FILES`, `DBA_TEMP_FILES` with `DBA_TABLESPACES` (`TABLESPACE_NAME, CONTENTS`)
- `V$DATAFILE` and `V$TEMPFILE` (`FILE#, TS#, NAME, BYTES`) with `V$TABLESPACE` (`TS#, NAME`)
- `V$LOGFILE` (`GROUP#, MEMBER`) with `V$LOG` (`GROUP#, BYTES`)
- `V$CONTROLFILE` (`NAME, BLOCK_SIZE, FILE_SIZE_BLKS`), `V$ARCHIVE_DEST` (`DEST_NAME, DESTINATION`),
  `V$RECOVERY_FILE_DEST` (`NAME, SPACE_LIMIT`)
- `V$DATABASE` (`DBID, NAME`) and `V$INSTANCE` (`INSTANCE_NAME, HOST_NAME`): names of database and host
- `V$FILESTAT` and `V$IOSTAT_FILE`, whose rows are skipped
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zmon.listing import asm
from zmon.listing import containers as c
from zmon.listing.delimited import find_heading, multiply, view_rows
from zmon.listing.not_understood import Note, unread_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.listing.containers import Container
    from zmon.listing.delimited import ViewRow

VIEWS: Final = {
    "files": frozenset({"FILE_NAME", "TABLESPACE_NAME"}),
    "contents": frozenset({"TABLESPACE_NAME", "CONTENTS"}),
    "numbered": frozenset({"FILE#", "TS#", "NAME"}),
    "spaces": frozenset({"TS#", "NAME"}),
    "filestat": frozenset({"FILE#", "PHYRDS", "PHYWRTS"}),
    "iostat": frozenset({"FILE_NO", "SMALL_READ_REQS", "LARGE_READ_REQS"}),
    "members": frozenset({"GROUP#", "MEMBER"}),
    "logs": frozenset({"GROUP#", "BYTES"}),
    "control": frozenset({"NAME", "FILE_SIZE_BLKS"}),
    "archive": frozenset({"DESTINATION", "DEST_NAME"}),
    "recovery": frozenset({"NAME", "SPACE_LIMIT"}),
    "database": frozenset({"NAME", "DBID"}),
    "instance": frozenset({"INSTANCE_NAME", "HOST_NAME"}),
}
"""The views, each with the columns that identify it; the first that matches is used."""

_OF_FILES: Final = ("files", "numbered", "members", "control", "archive", "recovery")
_ROLES: Final = {"TEMPORARY": c.TEMP, "UNDO": c.UNDO, "PERMANENT": c.DATA}
_TEMPORARY: Final = ("DBA_TEMP_FILES", "CDB_TEMP_FILES", "V$TEMPFILE")
_PERMANENT: Final = ("DBA_DATA_FILES", "CDB_DATA_FILES", "V$DATAFILE")
_INVALID: Final = "STATUS INVALID: this number of a file is not in use"
_RECOVERY: Final = "USE_DB_RECOVERY_FILE_DEST"


def recognise(head: str) -> bool:
    """Return whether a text has the heading of a view with names of files, or of disks of ASM."""
    wanted = {name: VIEWS[name] for name in _OF_FILES}
    return any(find_heading(line, wanted) or asm.is_heading(line) for line in head.split("\n"))


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read all views of a spool, and join them; one spool may have files and the disk groups of ASM.

    Files of DBA_DATA_FILES and V$DATAFILE count as data, unless DBA_TABLESPACES shows that they are undo.
    Views with the same columns are distinguished by the query, the name of the listing, or ONLINE_STATUS.
    """
    reader = asm.AsmReader()
    notes = reader.notes
    views: dict[str, list[ViewRow]] = {name: [] for name in VIEWS}
    broken: list[ViewRow] = []
    for row in view_rows(reader.other_lines(text), asm.VIEWS | VIEWS, notes):
        if row.kind in asm.VIEWS:
            reader.take(row)
        else:
            (broken if row.problem else views[row.kind]).append(row)
    databases = {row.text("NAME") for row in views["database"]} or {options.database}
    database = c.only_name(databases)
    blank = c.Container(source=origin, base_dir=options.base_dir, database=database)
    made = [
        *_files(views, blank, origin),
        *_logs(views, blank),
        *(_control(row, blank) for row in views["control"]),
        *(_archive(row, blank) for row in views["archive"] if row.text("DESTINATION").strip()),
        *(_recovery(row, blank) for row in views["recovery"] if row.text("NAME")),
        *(blank._replace(line=row.line, problem=row.problem) for row in broken if row.kind in _OF_FILES),
    ]
    notes += [unread_row(row.line, row.problem) for row in broken]
    for row in (row for name in ("files", "numbered", "logs", "control") for row in views[name]):
        notes += row.unclear("BYTES", "BLOCK_SIZE", "FILE_SIZE_BLKS")
    if any(row.role in {c.DATA, c.UNKNOWN} for row in made) and not views["contents"]:
        why = "undo cannot be separated from data: add TABLESPACE_NAME, CONTENTS of DBA_TABLESPACES"
        notes.append(Note(0, why))
    groups = reader.disk_groups(origin)
    if groups:  # a text that needs no headings
        notes = [note for note in notes if not note.of_heading]
    made += asm.disks_of(groups, options.database)
    host = c.only_name({row.text("HOST_NAME") for row in views["instance"]})
    return c.content_of(made, notes, host, groups)


def _usual(row: ViewRow, origin: str) -> str:
    """Return the role of all files of a view."""
    named = f"{row.view} {origin.upper()}"
    if any(view in named for view in _TEMPORARY):
        return c.TEMP
    permanent = any(view in named for view in _PERMANENT) or "ONLINE_STATUS" in row.cells
    return c.DATA if permanent else c.UNKNOWN


def _files(views: dict[str, list[ViewRow]], blank: Container, origin: str) -> Iterator[Container]:
    """Join data files and temp files with their tablespaces."""
    contents = {
        row.text("TABLESPACE_NAME"): _ROLES.get(row.text("CONTENTS").upper()) for row in views["contents"]
    }
    spaces = {(row.text("CON_ID"), row.text("TS#")): row.text("NAME") for row in views["spaces"]}
    for row in (*views["files"], *views["numbered"]):
        number = row.text("TS#")
        name = row.text("TABLESPACE_NAME") or spaces.get((row.text("CON_ID"), number), f"#{number}")
        path = row.text("FILE_NAME") or (row.text("NAME") if row.kind == "numbered" else "")
        declared = _ROLES.get(row.text("CONTENTS").upper())
        role = declared or contents.get(name) or _usual(row, origin)
        identity = row.whole("FILE_ID") if row.kind == "files" else row.whole("FILE#")
        unused = row.text("STATUS").strip().upper() == "INVALID"
        yield _container(
            row, path, role, blank._replace(tablespace=name, container_id=identity),
            bytes_declared=row.whole("BYTES"), **({"problem": _INVALID} if unused else {}),
        )  # fmt: skip


def _container(row: ViewRow, path: str, role: str, blank: Container, **more: Any) -> Container:
    """Return the container of a row; without a path it has that problem."""
    problem = "" if path else "the row names no file"
    container = blank._replace(kind=c.kind_of(path), path=path, role=role, line=row.line, problem=problem)
    return container._replace(**more)


def _logs(views: dict[str, list[ViewRow]], blank: Container) -> Iterator[Container]:
    """Join the members of log groups with the size of their group."""
    sizes = {row.text("GROUP#").strip(): row.whole("BYTES") for row in views["logs"]}
    for row in views["members"]:
        size = sizes.get(row.text("GROUP#").strip(), row.whole("BYTES"))
        group = blank._replace(container_id=row.whole("GROUP#"))
        yield _container(row, row.text("MEMBER"), c.LOG, group, bytes_declared=size)


def _control(row: ViewRow, blank: Container) -> Container:
    size = multiply(row.whole("FILE_SIZE_BLKS"), row.whole("BLOCK_SIZE"))
    return _container(row, row.text("NAME"), c.CONTROL, blank, bytes_declared=size)


def _archive(row: ViewRow, blank: Container) -> Container:
    path = row.text("DESTINATION").strip()
    problem = "" if path.startswith(("/", "+")) else "not a directory of this machine"
    if path.upper() == _RECOVERY:
        problem = "archived to the recovery area: get NAME, SPACE_LIMIT of V$RECOVERY_FILE_DEST"
    kind = "" if problem else c.DIRECTORY if path.startswith("/") else c.kind_of(path)
    return _container(row, path, c.ARCHIVE, blank, kind=kind, problem=problem)


def _recovery(row: ViewRow, blank: Container) -> Container:
    path = row.text("NAME")
    kind = c.kind_of(path) if path.startswith("+") else c.DIRECTORY
    return _container(row, path, c.ARCHIVE, blank, kind=kind)
