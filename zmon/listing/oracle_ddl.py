"""Oracle's statements about files: of tablespaces, of logs, and of whole databases.

`DBMS_METADATA.GET_DDL('TABLESPACE', ...)` prints them, `ALTER DATABASE BACKUP CONTROLFILE TO TRACE` writes a
CREATE CONTROLFILE with all files of a database, and DBAs write them themselves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.listing import containers as c
from zmon.listing import ddl
from zmon.listing.ddl import NOT_UNDERSTOOD, DdlReader
from zmon.listing.not_understood import quote
from zmon.listing.sql_scanner import NAME, NUMBER, STRING, WORD, SqlDialect, SqlToken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.listing.containers import Container
    from zmon.listing.ddl import SqlStatement, TokenCursor

UNKNOWN_VARIABLE: Final = "variable of SQL*Plus, whose value is not known"
_VARIABLE: Final = re.compile(r"(?:\A|[/+.])&&?\w")
MANAGED: Final = "file named by Oracle: the DDL has no path; get DBA_DATA_FILES"

_OF_DATABASE: Final = frozenset({"GROUP", "MEMBER", "RENAME", "RESIZE"})
"""Further first words of clauses in a statement about a database."""
_WANTED: Final = re.compile(
    r"(?:CREATE(?: OR REPLACE)?|ALTER|DROP)(?: (?:BIGFILE|SMALLFILE|GLOBAL|LOCAL|TEMPORARY|UNDO))*"
    r" TABLESPACE(?![^ ])"
    r"|(?:CREATE|ALTER)(?: PLUGGABLE)? DATABASE(?! LINK)(?![^ ])|CREATE CONTROLFILE(?![^ ])"
)
_RUN: Final = (
    r"(?:@@?[ \t]*([\w/.~?$&+-][^\s;]{0,4096})"
    r"|(?i:STA(?:RT)?)[ \t]+(?!(?i:WITH)\b)([^\s;]{1,4096})[ \t]*;?[ \t]*(?:\r?\n|\r?\Z)"
    r"|(?:(?i:SOURCE)|\\\.)[ \t]+([^\s;]{0,4096}[./][^\s;]{1,4096}))"
)
"""A line that runs another file: `@file`, `@@file`, `START file`, or MySQL's `SOURCE file`."""
_DIALECT: Final = SqlDialect(
    r"(?i:PRO|HO(?:ST)?|SPO(?:OL)?|[TB]TI(?:TLE)?|REP[HF]\w+|(?:UN)?DEF(?:INE)?|SET|(?:DIS)?CONN(?:ECT)?"
    r"|ACC(?:EPT)?|PAU(?:SE)?|COL(?:UMN)?|BRE(?:AK)?|COMP(?:UTE)?|WHENEVER|SHOW?|EXEC(?:UTE)?(?!\s+IMMEDIATE)"
    r"|CL(?:EAR)?|DESC(?:RIBE)?|TIMI(?:NG)?|EXIT|QUIT|VAR(?:IABLE)?|PRINT|STARTUP|SHUTDOWN)(?![\w$#(.:])"
    r"|!|#|\$[ \t]|\\[A-Za-z!.]",
    rf"(?i:REM(?:ARK)?|PROMPT)(?![\w$#(.:])|#[ \t#!]|{_RUN}",
    objects=frozenset({"DATABASE", "CONTROLFILE"}),
)
"""Commands of SQL*Plus, and comments and commands of MySQL, whose statements are alike."""
_STATEMENT: Final = re.compile(
    r"\b(?:CREATE|ALTER)\s+(?:\w{1,20}\s+){0,3}(?:TABLESPACE|DATABASE|CONTROLFILE)\b", re.IGNORECASE
)
_FILE: Final = re.compile(r"\b(?:DATAFILE|TEMPFILE|LOGFILE)\b", re.IGNORECASE)


def recognise(head: str) -> bool:
    """Return whether a text has such statements, and files in them."""
    return _STATEMENT.search(head) is not None and _FILE.search(head) is not None


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read the files that the statements create, and apply what they alter, in order.

    A file without a path, whose name Oracle chooses, is a row with that problem.
    """
    return _OracleReader(origin, options).read(text)


class _FileClause(NamedTuple):
    """One file as a statement lists it."""

    path: str
    line: int
    size: int | None


def _files(cursor: TokenCursor) -> Iterator[_FileClause]:
    """Take `'f' SIZE 10M REUSE AUTOEXTEND ON ..., SIZE 5M, ...`."""
    while True:
        line = cursor.here.line
        if cursor.here.kind == NAME or cursor.here.text in ddl.NO_PATH:
            cursor.mistakes.append((cursor.here, "a path has to be in 'quotes'"))
            return
        path = cursor.kind(STRING)
        size = _size(cursor)
        if path is not None or size is not None:
            yield _FileClause(path.text if path is not None else "", line, size)
        _attributes(cursor)
        if not cursor.symbol(","):
            return


def _size(cursor: TokenCursor) -> int | None:
    """Take `SIZE 10M`."""
    if not cursor.words("SIZE"):
        return None
    if cursor.here.kind != NUMBER:
        cursor.mistakes.append((cursor.here, "not a size"))
    return ddl.size(cursor)


def _attributes(cursor: TokenCursor) -> None:
    """Skip the attributes that may follow the name and the size of a file."""
    while True:
        if cursor.words("AUTOEXTEND"):
            cursor.one_of("ON", "OFF")
        elif cursor.words("MAXSIZE", "UNLIMITED") or cursor.one_of("REUSE"):
            continue
        elif cursor.one_of("NEXT", "MAXSIZE", "BLOCKSIZE"):
            ddl.size(cursor)
        else:
            return


def _logs(cursor: TokenCursor) -> Iterator[_FileClause]:
    """Take `GROUP 1 ('a', 'b') SIZE 50M BLOCKSIZE 512, 'c' SIZE 5M, ...`: every member has the size."""
    while True:
        if cursor.words("GROUP"):
            cursor.whole()
        line = cursor.here.line
        members = _paths(cursor)
        size = _size(cursor)
        for path in members:
            yield _FileClause(path.text, path.line, size)
        if not members and size is not None:
            yield _FileClause("", line, size)
        _attributes(cursor)
        if not cursor.symbol(","):
            return


def _paths(cursor: TokenCursor, *, many: bool = False) -> list[SqlToken]:
    """Take one string, or several in parentheses or, if there may be many, separated by commas."""
    inside = cursor.symbol("(")
    paths = []
    while (path := cursor.kind(STRING)) is not None:
        paths.append(path)
        if not (inside or many) or not cursor.symbol(","):
            break
    if inside:
        cursor.symbol(")")
    return paths


class _OracleReader(DdlReader):
    """Applies Oracle's statements."""

    wanted = _WANTED
    dialect = _DIALECT
    runs = re.compile(_RUN)
    types = ("BIGFILE", "SMALLFILE", "GLOBAL", "LOCAL", "TEMPORARY", "UNDO")
    keywords = frozenset({"DATAFILE", "TEMPFILE", "LOGFILE", "SIZE", "ADD", "USING", "LOCATION"})
    clauses = frozenset({
        "ALL", "AND", "AS", "AUTO", "DATAFILES", "END", "FILE", "FILES", "LOGFILES", "NEXT", "OFF", "ON",
        "ONLINE", "SEED", "SET", "TEMPFILES",
    })  # fmt: skip

    def __init__(self, origin: str, options: c.Options) -> None:
        super().__init__(origin, options)
        self._rows: dict[int, Container] = {}
        self._named: dict[str, list[int]] = {}  # the rows of each path
        self._spaces: dict[str, list[int]] = {}  # the rows of each tablespace
        self._next = 0

    def containers(self) -> Iterable[Container]:
        return self._rows.values()

    def apply(self, statement: SqlStatement) -> bool:
        verb, types, cursor = self.begin(statement)
        of_files = cursor.words("TABLESPACE")
        further = () if of_files else _OF_DATABASE
        if of_files:
            role = c.TEMP if "TEMPORARY" in types else c.UNDO if "UNDO" in types else c.DATA
            if not self._tablespace(verb, role, cursor):
                return False
        elif verb == "ALTER":
            cursor.words("PLUGGABLE")
            cursor.words("DATABASE")
            of_files = self._alter_database(cursor)
        elif verb == "CREATE":
            self._create_database(cursor)
        while not cursor.done and verb != "DROP":
            cursor.pass_over()
        self.note_misread(statement.beginning, statement.line, cursor, further=further, paths=of_files)
        return True

    def _add(
        self, name: SqlToken | None, role: str, files: Iterable[_FileClause], without: str = MANAGED
    ) -> None:
        """Add files of a tablespace; `without` is the problem of a file without a path."""
        row = self.row(name.stored if name is not None else "", role=role)
        for file in files:
            is_variable = bool(_VARIABLE.search(file.path))
            problem = UNKNOWN_VARIABLE if is_variable else "" if file.path else without
            made = row._replace(line=file.line, bytes_declared=file.size, problem=problem)
            if is_variable:
                self.note(file.line, f"{problem}: {quote(file.path)}", unread=True)
            self._rows[self._next] = made._replace(path=file.path, kind=c.kind_of(file.path))
            self._named.setdefault(file.path, []).append(self._next)
            self._spaces.setdefault(row.tablespace, []).append(self._next)
            self._next += 1

    def _tablespace(self, verb: str, role: str, cursor: TokenCursor) -> bool:
        line = cursor.here.line
        cursor.words("IF", "NOT", "EXISTS") or cursor.words("IF", "EXISTS")
        name = cursor.identifier()
        if name is None or (name.kind == WORD and name.stored == "SET"):  # a set of tablespaces has shards
            return False
        if verb == "DROP":
            for place in self._spaces.pop(name.stored, ()):
                self._rows.pop(place, None)
        elif verb == "ALTER":
            self._alter_tablespace(name, cursor)
        else:
            before = self._next
            while not cursor.done:
                if cursor.one_of("DATAFILE", "TEMPFILE"):
                    self._add(name, role, _files(cursor))
                else:
                    cursor.pass_over()
            if self._next == before:
                misread = cursor.misread(self.keywords, self.clauses)
                self._add(name, role, [_FileClause("", line, None)], NOT_UNDERSTOOD if misread else MANAGED)
        return True

    def _alter_tablespace(self, name: SqlToken, cursor: TokenCursor) -> None:
        """Apply a statement that adds, drops or renames files, or renames the tablespace."""
        places = self._spaces.get(name.stored, [])
        if name.stored not in self._spaces:
            self.note_altered(name.line, name.stored, self._spaces.keys(), "files")
        if cursor.words("ADD") and (word := cursor.one_of("DATAFILE", "TEMPFILE")):
            roles = {self._rows[place].role for place in places[:1] if place in self._rows}
            role = roles.pop() if roles else c.TEMP if word == "TEMPFILE" else c.DATA
            self._add(name, role, _files(cursor))
        elif cursor.words("DROP") and cursor.one_of("DATAFILE", "TEMPFILE"):
            self._drop(_paths(cursor))
        elif cursor.words("RENAME", "TO") and (new := cursor.identifier()) is not None:
            self._spaces.setdefault(new.stored, []).extend(self._spaces.pop(name.stored, ()))
            self._change(places, tablespace=new.stored)
        elif cursor.words("RENAME") and cursor.one_of("DATAFILE", "TEMPFILE"):
            self._rename(_paths(cursor, many=True), cursor)

    def _alter_database(self, cursor: TokenCursor) -> bool:
        """Apply a statement that resizes, moves, adds or drops files; False if it does none of these."""
        first = cursor.here.text.upper()
        if first not in _DATABASE_VERBS:
            cursor.identifier()
        verb = cursor.one_of(*_DATABASE_VERBS)
        cursor.one_of("STANDBY")
        what = cursor.one_of("DATAFILE", "TEMPFILE", "FILE", "LOGFILE") or verb
        if verb in {"MOVE", "RENAME"}:
            self._rename(_paths(cursor, many=True), cursor)
        elif verb == "ADD" and what == "LOGFILE":
            member = cursor.one_of("MEMBER")
            if cursor.one_of("THREAD", "INSTANCE"):
                cursor.step()
            self._add(None, c.LOG, _logs(cursor))
            if member and cursor.words("TO"):
                _paths(cursor)  # the files of the group that gets the member
        elif verb == "DROP" and what == "LOGFILE":
            cursor.one_of("MEMBER")
            line = cursor.here.line
            paths = _paths(cursor, many=True)
            self._drop(paths)
            if not paths:
                self.note(line, "a log group is dropped by number: its files stay in this list")
        elif verb in {"DATAFILE", "TEMPFILE"}:
            self._resize(_paths(cursor, many=True), cursor)
        return bool(verb or what) and first not in _OTHER_VERBS

    def _change(self, places: Iterable[int], **changes: Any) -> None:
        for place in places:
            row = self._rows.get(place)
            if row is not None:
                self._rows[place] = row._replace(**changes)

    def _rename(self, paths: Sequence[SqlToken], cursor: TokenCursor) -> None:
        new = _paths(cursor, many=True) if cursor.words("TO") else []
        for old, other in zip(paths, new, strict=False):
            places = self._named.pop(old.text, [])
            self._named.setdefault(other.text, []).extend(places)
            self._change(places, path=other.text, kind=c.kind_of(other.text), line=other.line)
            if not places:
                self.note(old.line, f"{old.text!r} is moved to {other.text!r}, and not created here")

    def _resize(self, paths: Sequence[SqlToken], cursor: TokenCursor) -> None:
        numbers = []
        while not paths and cursor.here.kind == NUMBER:
            numbers.append(cursor.step())
            if not cursor.symbol(","):
                break
        size = ddl.size(cursor) if cursor.words("RESIZE") else None
        if size is None:
            return
        for number in numbers:
            said = f"file {number.text} is resized by number: its size stays as it was created"
            self.note(number.line, said, unread=True)
        for path in paths:
            places = self._named.get(path.text, [])
            self._change(places, bytes_declared=size)
            if not places:
                self.note(path.line, f"{path.text!r} is resized, and not created here")

    def _drop(self, paths: Sequence[SqlToken]) -> None:
        for path in paths:
            places = self._named.pop(path.text, [])
            for place in places:
                self._rows.pop(place, None)
            if not places:
                self.note(path.line, f"{path.text!r} is dropped, and not created here")

    def _create_database(self, cursor: TokenCursor) -> None:
        """Read all files of CREATE DATABASE, or of CREATE CONTROLFILE, which names no tablespaces."""
        line = cursor.here.line
        control = cursor.words("CONTROLFILE")
        name: SqlToken | None = None if control else SqlToken(WORD, "SYSTEM", line)
        role = c.UNKNOWN if control else c.DATA
        if control:
            self.note(cursor.here.line, "CREATE CONTROLFILE names no tablespaces: get DBA_DATA_FILES")
        while not cursor.done:
            if cursor.words("DATABASE"):
                database = cursor.identifier()
                if database is not None:
                    self.database = database.stored
            elif cursor.words("LOGFILE"):
                self._add(None, c.LOG, _logs(cursor))
            elif cursor.one_of("DATAFILE", "TEMPFILE"):
                self._add(name, role, _files(cursor))
            elif word := cursor.one_of("DEFAULT", "SYSAUX", "UNDO", "TEMPORARY"):
                name = SqlToken(WORD, word, cursor.here.line)
                role = {"UNDO": c.UNDO, "TEMPORARY": c.TEMP}.get(word, c.DATA)
            elif cursor.words("TABLESPACE"):
                name = cursor.identifier()
            else:
                cursor.pass_over()


_DATABASE_VERBS: Final = ("DATAFILE", "TEMPFILE", "MOVE", "RENAME", "ADD", "DROP")


_OTHER_VERBS: Final = frozenset({"CLEAR", "RECOVER", "REGISTER", "PREPARE", "START"})
"""Verbs of statements that name files and change none of them."""
