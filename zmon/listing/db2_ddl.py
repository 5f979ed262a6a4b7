"""Db2's statements about tablespaces, as `db2look -l` prints them or a DBA writes them.

All generations: version 7 prints no blank between a path and its page count and leaves names unquoted, newer
ones quote names, know storage groups, and mostly automatic storage, of which the DDL has no paths at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.listing import container as c
from zmon.listing import ddl
from zmon.listing.resemblance import meant
from zmon.listing.shell import statements_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.listing.container import Container

MOST_PARTITIONS: Final = 1000
"""Db2 numbers its partitions from 0 to 999."""
MOST_ROWS: Final = 100_000
"""Containers of one listing that are written out for each of their partitions."""

AUTOMATIC: Final = (
    "automatic storage: the DDL has no paths; get MON_GET_CONTAINER or LIST TABLESPACE CONTAINERS"
)
NOT_UNDERSTOOD: Final = "the statement is not understood"
TOO_MANY: Final = f"its partitions are not written out: more than {MOST_ROWS:,} containers in one listing"
NO_MEMBERS: Final = "partition expression, and the partitions of the group are unknown: give their numbers"

_OBJECTS: Final = frozenset({"STOGROUP", "NODEGROUP"})
"""What else than a tablespace is read."""
_VERBS: Final = frozenset({"CREATE", "ALTER", "DROP", "RENAME", "CONNECT"})
_WANTED: Final = re.compile(
    r"(?:CREATE(?: OR REPLACE)?|ALTER|DROP)(?: (?:REGULAR|LARGE|LONG|SYSTEM|USER|TEMPORARY))*"
    r" TABLESPACE(?![^ ])"
    r"|DROP TABLESPACES(?![^ ])"
    r"|RENAME TABLESPACE|CONNECT TO|(?:CREATE|ALTER) STOGROUP"
    r"|CREATE (?:DATABASE PARTITION GROUP|NODEGROUP)"
)
_NAMED: Final = re.compile(r"\s*Database Name:\s*(\S{1,128})", re.IGNORECASE)
_EXPRESSION: Final = re.compile(r" \$(?P<width>[0-9]?)N(?P<terms>(?:[+%][0-9]{1,9}){0,2})(?: |\Z)")
_DB2LOOK: Final = re.compile(r"^--.{0,80}\bDB2LOOK\b", re.MULTILINE)
_LIKE: Final = re.compile(r" \$[0-9]?N")
_MANAGED: Final = re.compile(r"\bMANAGED\s+BY\b|\bPAGESIZE\b|\bSTRIPE\s+SET\b", re.IGNORECASE)
_OTHER: Final = re.compile(r"\b(?:DATAFILE|TEMPFILE)\b", re.IGNORECASE)
_TABLESPACE: Final = re.compile(r"\b(?:CREATE|ALTER)\s+(?:\w+\s+){0,2}TABLESPACE\b", re.IGNORECASE)


_SORTS: Final = ("REGULAR", "LARGE", "LONG", "SYSTEM", "USER", "TEMPORARY")
_KEYWORDS: Final = frozenset({
    "USING", "FILE", "DEVICE", "PAGESIZE", "EXTENTSIZE", "STOGROUP", "NODEGROUP", "DBPARTITIONNUM",
    "DBPARTITIONNUMS", "STRIPE", "CONTAINER", "DATAFILE", "TEMPFILE", "LOCATION",
})  # fmt: skip
"""What begins the clauses that matter, those of other dialects too."""
_CLAUSES: Final = frozenset({
    "ALL", "AUTOMATIC", "AUTORESIZE", "BALANCE", "BUFFERPOOL", "BY", "CACHING", "CONTAINERS", "DATA",
    "DATABASE", "DROPPED", "EXCEPT", "FILES", "GROUP", "HIGHER", "INCREASESIZE", "INHERIT", "INITIALSIZE",
    "LOWER", "MANAGED", "MAXSIZE", "NODE", "NODES", "NONE", "OFF", "ON", "ONLINE", "OVERHEAD", "PARTITION",
    "PERCENT", "PREFETCHSIZE", "REBALANCE", "RECOVERY", "REDUCE", "RESUME", "SET", "STOP", "STORAGE",
    "SUSPEND", "SYSTEM", "TABLE", "TAG", "TRANSFERRATE", "WATER", "YES",
})  # fmt: skip
"""Further words that Db2 has there."""
_NO_PATH: Final = frozenset({"/", "\\", "."})
"""Signs with which a path begins that is not in quotes."""
_SIZES: Final = {"FILE": c.FILE, "DEVICE": c.DEVICE}


class _Listed(NamedTuple):
    """One container as the statement lists it."""

    path: str
    line: int
    kind: str
    size: tuple[int, str] | None = None
    """A number, and its unit letter or nothing for pages."""
    on: tuple[int, ...] | None = None
    """The partitions that its group is for; None when it does not say."""
    problem: str = ""


def score(head: str) -> float:
    """How much the beginning of a text looks like Db2's DDL: 0 not at all, 1 surely."""
    other, managed = _OTHER.search(head), _MANAGED.search(head)
    if other is not None:  # a statement for Oracle may stand in a file for Db2, or the other way round
        return float(managed is not None and managed.start() < other.start())
    words = 0.1 + 0.5 * bool(_MANAGED.search(head)) if _TABLESPACE.search(head) else 0.0
    return words + 0.4 * bool(_DB2LOOK.search(head))


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.Parsed:
    """Read the containers of all tablespaces that the DDL creates, and apply what it alters, in order.

    Sizes in pages need a PAGESIZE; sizes that ALTER TABLESPACE changes are not followed, and noted.

    Args:
        text: the DDL, or its pieces in order, as iterating over an open file gives them.
        origin: its name, for messages.
        options: its partitions are the members of the groups that the DDL does not define itself.
    """
    reader = _Reader(origin, options)
    lines = statements_of(text, reader.notes)
    for statement in ddl.statements(lines, _WANTED.match, options.terminator, _VERBS, _OBJECTS):
        if isinstance(statement, ddl.Token):
            reader.comment(statement.text)
        else:
            reader.statement(statement)
    rows, doubled = c.checked(row for space in reader.spaces.values() for row in space)
    return c.Parsed(rows, (*reader.noted(), *doubled), c.the_one(reader.databases))


def expand(path: str, partition: int | None) -> str:
    """Replace the partition expression of a container's name, as ` $N`; ValueError when it has no value.

    Without a number for the partition, and without an expression, the path stays as it is.
    """
    found = _EXPRESSION.search(path)
    if found is None or partition is None:
        return path
    number = partition
    for sign, term in re.findall(r"([+%])([0-9]+)", found["terms"]):
        if sign == "%" and not int(term):
            raise ValueError(f"partition expression divides by 0: {found[0]!r}")
        number = number + int(term) if sign == "+" else number % int(term)
    return path[: found.start()] + str(number).zfill(int(found["width"] or 0)) + path[found.end() :]


def _bytes(measure: tuple[int, str] | None, page: int | None) -> int | None:
    if measure is None:
        return None
    number, letter = measure
    unit = ddl.UNITS[letter] if letter else page
    return number * unit if unit is not None else None


def _on(cursor: ddl.Cursor) -> tuple[int, ...] | None:
    """Take `ON DBPARTITIONNUMS (0 TO 3, 5)` or an older form; None when it is not there, or says all."""
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
            members.update(range(first, min(last + 1, MOST_PARTITIONS)))
        elif first is None:
            cursor.step()
    return tuple(sorted(members))


def _group(cursor: ddl.Cursor) -> list[_Listed]:
    """Take `(FILE 'x' 100, ...) ON ...`, or `('dir', ...)`."""
    listed: list[_Listed] = []
    if not cursor.symbol("("):
        return listed
    while not cursor.done and not cursor.symbol(")"):
        word = cursor.one_of(*_SIZES)
        path = cursor.kind(ddl.STRING)
        if path is not None:
            kind = _SIZES.get(word, c.DIRECTORY)
            listed.append(_Listed(path.text, path.line, kind, cursor.measure()))
        elif not cursor.symbol(","):
            odd = cursor.here
            problem = (
                "a path has to be in 'quotes'"
                if odd.text in _NO_PATH
                else f"not a container: {odd.text[:40]!r}"
            )
            listed.append(_Listed("", odd.line, "", problem=problem))
            _to_next(cursor)
    on = _on(cursor)
    return [one._replace(on=on) for one in listed]


def _to_next(cursor: ddl.Cursor) -> None:
    """Pass over what is no container, to the next comma, string or end of the list; at least one token."""
    while True:
        if cursor.here.text == "(":
            cursor.group()
        else:
            cursor.step()
        if cursor.done or cursor.here.kind == ddl.STRING or cursor.here.text in {",", ")"}:
            return


class _Shape(NamedTuple):
    """What a CREATE TABLESPACE says beside its name."""

    listed: tuple[_Listed, ...]
    group: str
    storage: str
    automatic: bool
    page: int | None
    extent: tuple[int, str] | None


def _shape(cursor: ddl.Cursor) -> _Shape:
    """Read all clauses of a CREATE TABLESPACE behind its name, in whatever order they come."""
    listed: list[_Listed] = []
    said: dict[str, str] = {}
    automatic = False
    page = extent = None
    while not cursor.done:
        if cursor.words("IN"):
            cursor.words("DATABASE", "PARTITION", "GROUP") or cursor.words("NODEGROUP")
            said["group"] = _stored(cursor)
        elif cursor.words("MANAGED", "BY", "SYSTEM"):
            continue  # its containers are directories, in parentheses without FILE
        elif cursor.words("USING", "STOGROUP"):
            said["storage"] = _stored(cursor)
        elif cursor.words("USING") or (listed and cursor.here.text == "("):
            listed += _group(cursor)
        elif cursor.words("PAGESIZE"):
            page = ddl.size(cursor)
        elif cursor.words("EXTENTSIZE"):
            extent = cursor.measure()
        elif cursor.words("AUTOMATIC", "STORAGE"):
            automatic = True
        else:
            cursor.pass_over()
    return _Shape(tuple(listed), said.get("group", ""), said.get("storage", ""), automatic, page, extent)


def _stored(cursor: ddl.Cursor) -> str:
    name = cursor.identifier()
    return name.stored if name is not None else ""


class _Reader:
    """What the statements so far have said."""

    def __init__(self, origin: str, options: c.Options) -> None:
        self.spaces: dict[tuple[str, str], list[Container]] = {}
        self.notes: list[c.Note] = []
        self.databases: set[str] = {options.database} if options.database else set()
        self._beginning = ""  # of the statement that is read
        self._origin = origin
        self._options = options
        self._database = options.database
        self._groups: dict[str, tuple[int, ...]] = {}
        self._storage: dict[str, str] = {}
        self._created: dict[tuple[str, str], _Shape] = {}
        self._newest: dict[tuple[str, str], int] = {}
        self._repeated = 0
        """Containers that were written out for each of their partitions."""
        self._altered: dict[tuple[str, str], int] = {}

    def noted(self) -> list[c.Note]:
        """All that is to be said about the statements."""
        rest = [
            c.Note(line, f"{name!r} is altered here, not created{self._hint(database, name)}")
            for (database, name), line in self._altered.items()
        ]
        return sorted([*self.notes, *rest], key=lambda note: note.line)

    def _hint(self, database: str, name: str) -> str:
        near = meant(name, {other for of, other in self._created if of == database})
        return f": is {near!r} meant?" if near else ": its other containers are not in the DDL"

    def comment(self, text: str) -> None:
        """Heed the head of db2look's output, which names the database."""
        found = _NAMED.match(text)
        if found is not None:
            self._connect(found[1].upper())

    def _connect(self, name: str) -> None:
        self._database = name
        self.databases.add(name)

    def statement(self, statement: ddl.Statement) -> None:
        """Apply one statement; what of it is not understood is one note."""
        before = len(self.notes)
        self._beginning = statement.beginning
        self._apply(statement)
        self.notes[before:] = c.one_unread(self.notes[before:])

    def _apply(self, statement: ddl.Statement) -> None:
        unknown = statement.unreadable
        if unknown and statement.tokens[0].text.upper() == "CONNECT":
            self._database = self._options.database
            return
        if statement.broken or statement.strange or unknown:
            self.notes.append(statement.unread())
        if statement.strange or unknown:
            return
        cursor = ddl.Cursor(statement.tokens)
        verb = cursor.step().stored
        cursor.words("OR", "REPLACE")
        if verb == "CONNECT":
            cursor.words("TO")
            self._connect(_stored(cursor) or self._database)
        elif cursor.words("STOGROUP"):
            self._stogroup(cursor)
        elif cursor.words("DATABASE", "PARTITION", "GROUP") or cursor.words("NODEGROUP"):
            name = _stored(cursor)
            members = _on(cursor)
            if members is not None:
                self._groups[name] = members
        else:
            self._tablespace(verb, statement, cursor)

    def _stogroup(self, cursor: ddl.Cursor) -> None:
        name = _stored(cursor)
        paths = []
        while not cursor.done:
            token = cursor.step()
            paths += [token.text] if token.kind == ddl.STRING else []
        if paths:
            self._storage[name] = ", ".join(paths)

    def _tablespace(self, verb: str, statement: ddl.Statement, cursor: ddl.Cursor) -> None:
        sorts = []
        while sort := cursor.one_of(*_SORTS):
            sorts.append(sort)
        if not cursor.one_of("TABLESPACE", "TABLESPACES"):
            return
        cursor.words("IF", "NOT", "EXISTS") or cursor.words("IF", "EXISTS")
        name = cursor.identifier()
        if name is None:
            self.notes.append(statement.unread())
            return
        key = (self._database, name.stored)
        row = c.Container(
            database=self._database,
            tablespace=name.stored,
            spelled=name.spelled,
            role=c.TEMP if "TEMPORARY" in sorts else c.DATA,
            base_dir=self._options.base_dir,
            source=self._origin,
            line=statement.line,
        )
        if verb == "CREATE":
            self._create(key, row, cursor)
        elif verb == "ALTER":
            if key not in self._created:
                self._altered.setdefault(key, row.line)
            self._alter(key, row, cursor)
        elif verb == "DROP":
            self.spaces.pop(key, None)
            while cursor.symbol(",") and (name := cursor.identifier()) is not None:
                self.spaces.pop((self._database, name.stored), None)
        elif cursor.words("TO"):
            self._rename(key, cursor.identifier())

    def _rename(self, key: tuple[str, str], name: ddl.Token | None) -> None:
        if name is None or key not in self.spaces:
            return
        new = (self._database, name.stored)
        self.spaces[new] = [
            one._replace(tablespace=name.stored, spelled=name.spelled) for one in self.spaces.pop(key)
        ]
        self._created[new] = self._created.pop(key, _UNKNOWN_SHAPE)
        self._newest[new] = self._newest.pop(key, 0)

    def _create(self, key: tuple[str, str], row: Container, cursor: ddl.Cursor) -> None:
        if key in self.spaces:
            self.notes.append(c.Note(row.line, f"{row.tablespace!r} is created a second time"))
        shape = _shape(cursor)
        odd = self._misread(f"CREATE TABLESPACE {row.spelled}", row.line, cursor)
        self._created[key] = shape
        rows = self._rows(row, shape.listed, shape)
        if not shape.listed and odd:
            rows = [row._replace(problem=NOT_UNDERSTOOD)]
        elif not shape.listed:
            known = self._storage.get(shape.storage or "IBMSTOGROUP", "")
            said = AUTOMATIC if shape.automatic else f"no MANAGED BY, which means {AUTOMATIC}"
            rows = [row._replace(problem=f"{said} (its storage group has {known})" if known else said)]
        self.spaces.setdefault(key, []).extend(rows)

    def _rows(
        self, row: Container, listed: Sequence[_Listed], shape: _Shape, stripe_set: int = 0
    ) -> list[Container]:
        """Make the rows of some containers: one for every partition that has it."""
        members = self._groups.get(shape.group, self._options.partitions or None)
        mentioned = {number for one in listed for number in one.on or ()}
        rest = tuple(number for number in members if number not in mentioned) if members is not None else None
        if shape.page is None and any(one.size and not one.size[1] for one in listed):
            self.notes.append(
                c.Note(row.line, f"{row.tablespace!r}: there is no PAGESIZE, so sizes in pages are unknown")
            )
        rows: list[Container] = []
        for one in listed:
            if one.problem:
                self.notes.append(
                    c.Note(one.line, f"not understood in {self._beginning}: {one.problem}", unread=True)
                )
            if _LIKE.search(one.path) and not _EXPRESSION.search(one.path):
                note = f"{one.path!r}: no partition expression, as it does not end at a blank; taken as it is"
                self.notes.append(c.Note(one.line, note))
            made = row._replace(
                kind=one.kind,
                path=one.path,
                line=one.line,
                problem=one.problem,
                bytes_declared=_bytes(one.size, shape.page),
                extent_bytes=_bytes(shape.extent, shape.page),
                stripe_set=stripe_set if one.kind in {c.FILE, c.DEVICE} else None,
            )
            partitions = one.on if one.on is not None else rest
            if partitions is not None:
                if self._repeated + len(partitions) > MOST_ROWS:
                    made = made._replace(problem=TOO_MANY)
                    partitions = None
                else:
                    self._repeated += len(partitions)
            rows += _on_partitions(made, partitions)
        return rows

    def _alter(self, key: tuple[str, str], row: Container, cursor: ddl.Cursor) -> None:
        """Apply what ALTER TABLESPACE does to the containers, in the order it says."""
        shape = self._created.get(key, _UNKNOWN_SHAPE)
        while not cursor.done:
            newest = self._newest.get(key, 0)
            if cursor.words("BEGIN", "NEW", "STRIPE", "SET"):
                self._add(key, self._rows(row, _group(cursor), shape, newest + 1))
            elif cursor.words("ADD"):
                wanted = cursor.whole() if cursor.words("TO", "STRIPE", "SET") else newest
                self._add(key, self._rows(row, _group(cursor), shape, newest if wanted is None else wanted))
            elif cursor.words("DROP"):
                self._drop(key, row, _group(cursor))
            elif verb := cursor.one_of("EXTEND", "RESIZE", "REDUCE"):
                cursor.group()
                note = f"ALTER TABLESPACE {row.spelled} {verb}: sizes stay as they were created"
                self.notes.append(c.Note(row.line, note))
            else:
                cursor.pass_over()
        self._misread(f"ALTER TABLESPACE {row.spelled}", row.line, cursor)

    def _misread(self, statement: str, line: int, cursor: ddl.Cursor) -> bool:
        """Note what of a statement was not understood; False when there is nothing."""
        odd = cursor.misread(_KEYWORDS, _CLAUSES)
        if odd:
            self.notes.append(c.Note(line, f"not understood in {statement}: {odd}", unread=True))
        return bool(odd)

    def _add(self, key: tuple[str, str], rows: list[Container]) -> None:
        space = self.spaces.setdefault(key, [])
        role = space[0].role if space else c.DATA
        space.extend(one._replace(role=role) for one in rows)
        self._newest[key] = max([self._newest.get(key, 0), *(one.stripe_set or 0 for one in rows)])

    def _drop(self, key: tuple[str, str], row: Container, dropped: Sequence[_Listed]) -> None:
        old = self.spaces.get(key, [])
        for one in dropped:
            kept = [each for each in old if not _is(one, each)]
            if len(kept) == len(old):
                self.notes.append(c.Note(one.line, f"{row.tablespace!r} has no {one.path!r} to drop"))
            old = kept
        if key in self.spaces:
            self.spaces[key] = old


_UNKNOWN_SHAPE: Final = _Shape((), "", "", automatic=False, page=None, extent=None)


def _is(listed: _Listed, row: Container) -> bool:
    """Whether a row is what a statement lists, on this partition."""
    if listed.on is not None and row.partition not in listed.on:
        return False
    return row.path == listed.path or (
        _EXPRESSION.search(listed.path) is not None and row.path == _expanded(listed.path, row.partition)
    )


def _expanded(path: str, partition: int | None) -> str:
    try:
        return expand(path, partition)
    except ValueError:
        return path


def _on_partitions(row: Container, partitions: tuple[int, ...] | None) -> list[Container]:
    """Repeat a row for every partition; one without an expression and without partitions stays alone."""
    if partitions is None:
        unknown = _EXPRESSION.search(row.path) is not None
        return [row._replace(problem=row.problem or NO_MEMBERS) if unknown else row]
    try:
        return [row._replace(path=expand(row.path, number), partition=number) for number in partitions]
    except ValueError as error:
        return [row._replace(problem=str(error))]
