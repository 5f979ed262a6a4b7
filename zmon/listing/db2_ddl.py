"""Db2's statements about tablespaces, as `db2look -l` prints them or a DBA writes them.

All generations: version 7 prints no blank between a path and its page count and leaves names unquoted, newer
ones quote names and have storage groups and mostly automatic storage, for which the DDL contains no paths.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing import containers as c
from zmon.listing import ddl
from zmon.listing.ddl import NOT_UNDERSTOOD, DdlReader, TokenCursor
from zmon.listing.sql_scanner import STRING, SqlDialect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.listing.containers import Container
    from zmon.listing.ddl import SqlStatement
    from zmon.listing.sql_scanner import SqlToken

MAX_PARTITIONS: Final = 1000
"""Db2 numbers its partitions from 0 to 999."""
MAX_ROWS: Final = 100_000
"""Containers of one listing that are written out for each of their partitions."""

AUTOMATIC: Final = (
    "automatic storage: the DDL has no paths; get MON_GET_CONTAINER or LIST TABLESPACE CONTAINERS"
)
TOO_MANY: Final = f"its partitions are not written out: more than {MAX_ROWS:,} containers in one listing"
NO_MEMBERS: Final = "partition expression, and the partitions of the group are unknown: give their numbers"

_WANTED: Final = re.compile(
    r"(?:CREATE(?: OR REPLACE)?|ALTER|DROP)(?: (?:REGULAR|LARGE|LONG|SYSTEM|USER|TEMPORARY))*"
    r" TABLESPACE(?![^ ])"
    r"|DROP TABLESPACES(?![^ ])"
    r"|RENAME TABLESPACE|CONNECT TO|(?:CREATE|ALTER) STOGROUP"
    r"|CREATE (?:DATABASE|DB|NODEGROUP)(?![^ ])"
)
_DIALECT: Final = SqlDialect(
    r"!|#|(?i:ECHO)(?!\w)",
    r"#[ \t#!]|(?i:REM)[ \t](?![ \t]*(?i:\w*(?:CHAR|INT|DEC|DATE|TIME|LOB)))",
    objects=frozenset({"STOGROUP", "NODEGROUP"}),
)
"""Commands of the Db2 command line; comments in other scripts, too."""
_NAMED: Final = re.compile(r"\s*Database Name:\s*(\S{1,128})", re.IGNORECASE)
_EXPRESSION: Final = re.compile(r" \$(?P<width>[0-9]?)N(?P<terms>(?:[+%][0-9]{1,9}){0,2})(?: |\Z)")
_DB2LOOK: Final = re.compile(r"^--.{0,80}\bDB2LOOK\b", re.MULTILINE)
_LIKE: Final = re.compile(r" \$[0-9]?N")
_MANAGED: Final = re.compile(r"\bMANAGED\s+BY\b|\bPAGESIZE\b|\bSTRIPE\s+SET\b", re.IGNORECASE)
_OTHER: Final = re.compile(r"\b(?:DATAFILE|TEMPFILE)\b", re.IGNORECASE)
_TABLESPACE: Final = re.compile(r"\b(?:CREATE|ALTER)\s+(?:\w+\s+){0,2}TABLESPACE\b", re.IGNORECASE)


_SIZES: Final = {"FILE": c.FILE, "DEVICE": c.DEVICE}
_STORAGES: Final = {c.FILE: c.DMS, c.DEVICE: c.DMS, c.DIRECTORY: c.SMS}


class _ContainerClause(NamedTuple):
    """One container as the statement lists it."""

    path: str
    line: int
    kind: str
    size: tuple[int, str] | None = None
    """A number, and its unit letter or nothing for pages."""
    on: tuple[int, ...] | None = None
    """The partitions of its group; None when the statement does not name them."""
    problem: str = ""


def score(head: str) -> float:
    """Return how likely the beginning of a text is Db2's DDL, from 0 to 1."""
    other, managed = _OTHER.search(head), _MANAGED.search(head)
    if other is not None:  # a file for Db2 may contain a statement for Oracle, and vice versa
        return float(managed is not None and managed.start() < other.start())
    likely = 0.1 + 0.5 * bool(_MANAGED.search(head)) if _TABLESPACE.search(head) else 0.0
    return likely + 0.4 * bool(_DB2LOOK.search(head))


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.ListingContent:
    """Read the containers of all tablespaces that the DDL creates, and apply what it alters, in order.

    Sizes in pages need a PAGESIZE; sizes that ALTER TABLESPACE changes are not followed, and noted.
    The partitions of the options are the members of the groups that the DDL does not define itself.
    """
    return _Db2Reader(origin, options).read(text)


def expand(path: str, partition: int | None) -> str:
    """Replace the partition expression of a container's name, as ` $N`; ValueError when it has no value.

    Without a number for the partition, and without an expression, the path stays as it is.
    """
    match = _EXPRESSION.search(path)
    if match is None or partition is None:
        return path
    number = partition
    for sign, term in re.findall(r"([+%])([0-9]+)", match["terms"]):
        if sign == "%" and not int(term):
            raise ValueError(f"partition expression divides by 0: {match[0]!r}")
        number = number + int(term) if sign == "+" else number % int(term)
    return path[: match.start()] + str(number).zfill(int(match["width"] or 0)) + path[match.end() :]


def _bytes(measure: tuple[int, str] | None, page: int | None) -> int | None:
    if measure is None:
        return None
    number, letter = measure
    unit = ddl.UNITS[letter] if letter else page
    return number * unit if unit is not None else None


def _on(cursor: TokenCursor) -> tuple[int, ...] | None:
    """Take `ON DBPARTITIONNUMS (0 TO 3, 5)` or an older form; None when it is missing or names all."""
    if not cursor.words("ON"):
        return None
    everywhere = cursor.one_of("ALL")
    cursor.one_of("DBPARTITIONNUM", "DBPARTITIONNUMS", "NODE", "NODES")
    if everywhere or not cursor.symbol("("):
        return None
    members: set[int] = set()
    while not cursor.done and not cursor.symbol(")"):
        first = cursor.whole()
        last = cursor.whole() if cursor.words("TO") else first
        if first is not None and last is not None:
            members.update(range(first, min(last + 1, MAX_PARTITIONS)))
        elif first is None:
            cursor.step()
    return tuple(sorted(members))


def _group(cursor: TokenCursor) -> list[_ContainerClause]:
    """Take `(FILE 'x' 100, ...) ON ...`, or `('dir', ...)`."""
    listed: list[_ContainerClause] = []
    if not cursor.symbol("("):
        return listed
    is_misread = False
    while not cursor.done and not cursor.symbol(")"):
        word = cursor.one_of(*_SIZES)
        path = cursor.kind(STRING)
        if path is not None:
            kind = "" if is_misread else _SIZES.get(word, c.DIRECTORY)
            is_misread = False
            listed.append(_ContainerClause(path.text, path.line, kind, cursor.measure()))
        elif not cursor.symbol(","):
            token = cursor.here
            problem = (
                "a path has to be in 'quotes'"
                if token.text in ddl.NO_PATH
                else f"not a container: {token.text[:40]!r}"
            )
            listed.append(_ContainerClause("", token.line, "", problem=problem))
            is_misread = True
            _to_next(cursor)
    on = _on(cursor)
    return [row._replace(on=on) for row in listed]


def _to_next(cursor: TokenCursor) -> None:
    """Skip at least one token, up to the next comma, string or end of the list."""
    while True:
        if cursor.here.text == "(":
            cursor.group()
        else:
            cursor.step()
        if cursor.done or cursor.here.kind == STRING or cursor.here.text in {",", ")"}:
            return


class _Shape(NamedTuple):
    """The clauses of a CREATE TABLESPACE."""

    listed: tuple[_ContainerClause, ...]
    group: str
    storage: str
    automatic: bool
    page: int | None


def _shape(cursor: TokenCursor) -> _Shape:
    """Read all clauses of a CREATE TABLESPACE behind its name, in any order."""
    listed: list[_ContainerClause] = []
    names: dict[str, str] = {}
    automatic = False
    page = None
    while not cursor.done:
        if cursor.words("IN"):
            cursor.words("DATABASE", "PARTITION", "GROUP") or cursor.words("NODEGROUP")
            names["group"] = _stored(cursor)
        elif cursor.words("MANAGED", "BY", "SYSTEM"):
            continue  # its containers are directories, in parentheses without FILE
        elif cursor.words("USING", "STOGROUP"):
            names["storage"] = _stored(cursor)
        elif cursor.words("USING") or (listed and cursor.here.text == "("):
            listed += _group(cursor)
        elif cursor.words("PAGESIZE"):
            page = ddl.size(cursor)
        elif cursor.words("EXTENTSIZE"):
            cursor.measure()
        elif cursor.words("AUTOMATIC", "STORAGE"):
            automatic = True
        else:
            cursor.pass_over()
    return _Shape(tuple(listed), names.get("group", ""), names.get("storage", ""), automatic, page)


def _stored(cursor: TokenCursor) -> str:
    name = cursor.identifier()
    return name.stored if name is not None else ""


class _Tablespace:
    """A tablespace, with its containers by place and by path."""

    def __init__(self) -> None:
        self.rows: dict[int, Container] = {}
        self._places: dict[str, list[int]] = {}
        self._partitions: set[int | None] = set()
        self._next = 0

    def add(self, rows: Iterable[Container]) -> None:
        for row in rows:
            self.rows[self._next] = row
            self._places.setdefault(row.path, []).append(self._next)
            self._partitions.add(row.partition)
            self._next += 1

    def drop(self, clause: _ContainerClause) -> bool:
        """Drop the containers of a clause, on its partitions; False when there are none."""
        path, dropped = clause.path, False
        partitions: set[int | None] = self._partitions if _EXPRESSION.search(path) else set()
        for candidate in {path, *(_expanded(path, partition) for partition in partitions)}:
            kept = []
            for place in self._places.pop(candidate, ()):
                row = self.rows[place]
                if (clause.on is None or row.partition in clause.on) and (
                    row.path in {path, _expanded(path, row.partition)}
                ):
                    del self.rows[place]
                    dropped = True
                else:
                    kept.append(place)
            if kept:
                self._places[candidate] = kept
        return dropped

    def rename(self, name: SqlToken) -> None:
        for place, row in self.rows.items():
            self.rows[place] = row._replace(tablespace=name.stored)


class _Db2Reader(DdlReader):
    """Applies Db2's statements."""

    verbs = frozenset({"CREATE", "ALTER", "DROP", "RENAME", "CONNECT"})
    wanted = _WANTED
    dialect = _DIALECT
    types = ("REGULAR", "LARGE", "LONG", "SYSTEM", "USER", "TEMPORARY")
    keywords = frozenset({
        "USING", "FILE", "DEVICE", "PAGESIZE", "EXTENTSIZE", "STOGROUP", "NODEGROUP", "DBPARTITIONNUM",
        "DBPARTITIONNUMS", "STRIPE", "CONTAINER", "DATAFILE", "TEMPFILE", "LOCATION",
    })  # fmt: skip
    clauses = frozenset({
        "ALL", "AUTOMATIC", "AUTORESIZE", "BALANCE", "BUFFERPOOL", "BY", "CACHING", "CONTAINERS", "DATA",
        "DATABASE", "DROPPED", "EXCEPT", "FILES", "GROUP", "HIGHER", "INCREASESIZE", "INHERIT", "INITIALSIZE",
        "LOWER", "MANAGED", "MAXSIZE", "NODE", "NODES", "NONE", "OFF", "ON", "ONLINE", "OVERHEAD",
        "PARTITION", "PERCENT", "PREFETCHSIZE", "REBALANCE", "RECOVERY", "REDUCE", "RESUME", "SET", "STOP",
        "STORAGE", "SUSPEND", "SYSTEM", "TABLE", "TAG", "TRANSFERRATE", "WATER", "YES",
    })  # fmt: skip

    def __init__(self, origin: str, options: c.Options) -> None:
        super().__init__(origin, options)
        self._spaces: dict[tuple[str, str], _Tablespace] = {}
        self._beginning = ""  # the line of the current statement
        self._spelled = ""  # the name of the current tablespace
        self._groups: dict[str, tuple[int, ...]] = {}
        self._storage: dict[str, str] = {}
        self._created: dict[tuple[str, str], _Shape] = {}
        self._repeated = 0
        """Containers that were written out for each of their partitions."""
        self._altered: dict[tuple[str, str], int] = {}

    def containers(self) -> Iterable[Container]:
        return (row for space in self._spaces.values() for row in space.rows.values())

    def end(self) -> None:
        """Note the tablespaces that are altered and not created."""
        for (database, name), line in self._altered.items():
            created = {other for of, other in self._created if of == database}
            self.note_altered(line, name, created, "containers")
        self.notes.sort(key=lambda note: note.line)

    def comment(self, text: str) -> None:
        """Take the database from the head of db2look's output."""
        match = _NAMED.match(text)
        if match is not None:
            self.database = match[1].upper()

    def skips(self, statement: SqlStatement) -> bool:
        if statement.unreadable and statement.tokens[0].text.upper() == "CONNECT":
            self.database = self.options.database
            return True
        return super().skips(statement)

    def apply(self, statement: SqlStatement) -> bool:
        self._beginning, self._spelled = statement.beginning, ""
        verb, types, cursor = self.begin(statement)
        if verb == "CONNECT":
            self.database = (cursor.words("TO") and _stored(cursor)) or self.database
        elif cursor.words("STOGROUP"):
            name = _stored(cursor)
            if paths := ", ".join(token.text for token in cursor.rest if token.kind == STRING):
                self._storage[name] = paths
        elif cursor.words("DATABASE", "PARTITION", "GROUP") or cursor.words("NODEGROUP"):
            name = _stored(cursor)
            if (members := _on(cursor)) is not None:
                self._groups[name] = members
        elif cursor.one_of("DATABASE", "DB"):
            self._create_database(cursor, statement.line)
        elif cursor.one_of("TABLESPACE", "TABLESPACES"):
            return self._tablespace(verb, types, statement.line, cursor)
        return True

    def _tablespace(self, verb: str, types: Sequence[str], line: int, cursor: TokenCursor) -> bool:
        cursor.words("IF", "NOT", "EXISTS") or cursor.words("IF", "EXISTS")
        name = cursor.identifier()
        if name is None:
            return False
        self._spelled = name.spelled
        key = (self.database, name.stored)
        row = self.row(name.stored, line, c.TEMP if "TEMPORARY" in types else c.DATA)
        if verb == "CREATE":
            self._create(key, row, cursor)
        elif verb == "ALTER":
            if key not in self._created:
                self._altered.setdefault(key, row.line)
            self._alter(key, row, cursor)
        elif verb == "DROP":
            self._spaces.pop(key, None)
            while cursor.symbol(",") and (name := cursor.identifier()) is not None:
                self._spaces.pop((self.database, name.stored), None)
        elif cursor.words("TO") and (new := cursor.identifier()) is not None and key in self._spaces:
            space = self._spaces[self.database, new.stored] = self._spaces.pop(key)
            space.rename(new)
            self._created[self.database, new.stored] = self._created.pop(key, _UNKNOWN_SHAPE)
        return True

    def _create_database(self, cursor: TokenCursor, line: int) -> None:
        """Create the tablespaces that CREATE DATABASE defines itself."""
        self.database = _stored(cursor) or self.database
        page = None
        parts: list[tuple[str, list[SqlToken]]] = [("", [])]
        while not cursor.done:
            if cursor.words("PAGESIZE"):
                page = ddl.size(cursor)
            elif cursor.words("TABLESPACE"):
                kind = parts[-1][1].pop() if parts[-1][1] else cursor.here
                parts.append((_OWN_SPACES.get(kind.text.upper(), ""), []))
            else:
                parts[-1][1].append(cursor.step())
        for name, tokens in parts[1:]:
            if name:
                role = c.TEMP if name == "TEMPSPACE1" else c.DATA
                row = self.row(name, tokens[0].line if tokens else line, role)
                self._create((self.database, name), row, TokenCursor(tokens), page)

    def _create(
        self, key: tuple[str, str], row: Container, cursor: TokenCursor, page: int | None = None
    ) -> None:
        if key in self._spaces:
            self.note(row.line, f"{row.tablespace!r} is created a second time")
        shape = _shape(cursor)
        shape = shape._replace(page=shape.page or page)
        misread = self.note_misread(f"CREATE TABLESPACE {self._spelled or row.tablespace}", row.line, cursor)
        self._created[key] = shape
        rows = self._rows(row, shape.listed, shape)
        if not shape.listed and misread:
            rows = [row._replace(problem=NOT_UNDERSTOOD)]
        elif not shape.listed:
            paths = self._storage.get(shape.storage or "IBMSTOGROUP", "")
            reason = AUTOMATIC if shape.automatic else f"no MANAGED BY, which means {AUTOMATIC}"
            rows = [row._replace(problem=f"{reason} (its storage group has {paths})" if paths else reason)]
        self._space(key).add(rows)

    def _space(self, key: tuple[str, str]) -> _Tablespace:
        return self._spaces.setdefault(key, _Tablespace())

    def _rows(self, row: Container, listed: Sequence[_ContainerClause], shape: _Shape) -> list[Container]:
        """Make the rows of some containers: one for each partition of each container."""
        members = self._groups.get(shape.group, self.options.partitions or None)
        mentioned = {number for clause in listed for number in clause.on or ()}
        rest = tuple(number for number in members if number not in mentioned) if members is not None else None
        if shape.page is None and any(clause.size and not clause.size[1] for clause in listed):
            self.note(row.line, f"{row.tablespace!r}: there is no PAGESIZE, so sizes in pages are unknown")
        rows: list[Container] = []
        for clause in listed:
            if clause.problem:
                self.note(clause.line, f"not understood in {self._beginning}: {clause.problem}", unread=True)
            if _LIKE.search(clause.path) and not _EXPRESSION.search(clause.path):
                remark = "no partition expression, as it does not end at a blank; taken as it is"
                self.note(clause.line, f"{clause.path!r}: {remark}")
            made = row._replace(
                kind=clause.kind,
                storage=_STORAGES.get(clause.kind, ""),
                path=clause.path,
                line=clause.line,
                problem=clause.problem,
                bytes_declared=_bytes(clause.size, shape.page),
            )
            partitions = clause.on if clause.on is not None else rest
            if partitions is not None and self._repeated + len(partitions) > MAX_ROWS:
                made, partitions = made._replace(problem=TOO_MANY), None
            self._repeated += len(partitions or ())
            rows += _on_partitions(made, partitions)
        return rows

    def _alter(self, key: tuple[str, str], row: Container, cursor: TokenCursor) -> None:
        """Apply the changes of an ALTER TABLESPACE to the containers, in their order."""
        shape = self._created.get(key, _UNKNOWN_SHAPE)
        while not cursor.done:
            if cursor.words("BEGIN", "NEW", "STRIPE", "SET") or cursor.words("ADD"):
                if cursor.words("TO", "STRIPE", "SET"):
                    cursor.whole()
                self._add(key, self._rows(row, _group(cursor), shape))
            elif cursor.words("DROP"):
                for dropped in _group(cursor):
                    if key not in self._spaces or not self._spaces[key].drop(dropped):
                        self.note(dropped.line, f"{row.tablespace!r} has no {dropped.path!r} to drop")
            elif verb := cursor.one_of("EXTEND", "RESIZE", "REDUCE"):
                cursor.group()
                self.note(
                    row.line, f"ALTER TABLESPACE {self._spelled} {verb}: sizes stay as they were created"
                )
            else:
                cursor.pass_over()
        self.note_misread(f"ALTER TABLESPACE {self._spelled}", row.line, cursor)

    def _add(self, key: tuple[str, str], rows: list[Container]) -> None:
        space = self._space(key)
        role = next(iter(space.rows.values())).role if space.rows else c.DATA
        space.add(row._replace(role=role) for row in rows)


_OWN_SPACES: Final = {"CATALOG": "SYSCATSPACE", "USER": "USERSPACE1", "TEMPORARY": "TEMPSPACE1"}
"""The words of CREATE DATABASE for the tablespaces that each database has, and their names."""
_UNKNOWN_SHAPE: Final = _Shape((), "", "", automatic=False, page=None)


def _expanded(path: str, partition: int | None) -> str:
    try:
        return expand(path, partition)
    except ValueError:
        return path


def _on_partitions(row: Container, partitions: tuple[int, ...] | None) -> list[Container]:
    """Repeat a row for every partition, unless it has neither an expression nor partitions."""
    if partitions is None:
        unknown = _EXPRESSION.search(row.path) is not None
        return [row._replace(problem=row.problem or NO_MEMBERS) if unknown else row]
    try:
        return [row._replace(path=expand(row.path, number), partition=number) for number in partitions]
    except ValueError as error:
        return [row._replace(problem=str(error))]
