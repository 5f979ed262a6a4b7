"""PostgreSQL's statements about tablespaces, as `pg_dumpall --tablespaces-only` or `-g` prints them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.listing import container as c
from zmon.listing import ddl
from zmon.listing.shell import statements_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_VERBS: Final = frozenset({"CREATE", "ALTER", "DROP"})
_WANTED: Final = re.compile(r"(?:CREATE|ALTER|DROP) TABLESPACE(?![^ ])")
_LOCATED: Final = re.compile(
    r"\bCREATE\s+TABLESPACE\s+[^\s;]{1,130}\s+(?:OWNER\s+[^\s;]{1,130}\s+)?LOCATION\s+'", re.IGNORECASE
)
_OTHER: Final = re.compile(r"\b(?:DATAFILE|TEMPFILE|MANAGED\s+BY|PAGESIZE)\b", re.IGNORECASE)
_OPTIONS: Final = ("SET", "RESET", "OWNER")


def recognise(head: str) -> bool:
    """Say whether a text has such a statement, which has a LOCATION, and none of Oracle or Db2."""
    return _LOCATED.search(head) is not None and _OTHER.search(head) is None


def parse(text: str | Iterable[str], origin: str, options: c.Options = c.NO_OPTIONS) -> c.Parsed:
    """Read the directories of the tablespaces that the statements create, and apply what they alter."""
    notes: list[c.Note] = []
    spaces: dict[str, c.Container] = {}
    lines = statements_of(text, notes)
    notes += [
        statement.unread()
        for statement in ddl.statements(lines, _WANTED.match, options.terminator, _VERBS)
        if isinstance(statement, ddl.Statement) and not _applied(statement, spaces, origin, options)
    ]
    kept, doubled = c.checked(spaces.values())
    return c.Parsed(kept, (*notes, *doubled), options.database)


def _applied(
    statement: ddl.Statement, spaces: dict[str, c.Container], origin: str, options: c.Options
) -> bool:
    """Apply a statement; False when it is not understood."""
    cursor = ddl.Cursor(statement.tokens)
    verb = cursor.step().text.upper()
    if statement.strange or statement.broken or not cursor.words("TABLESPACE"):
        return False
    cursor.words("IF", "EXISTS")
    name = _folded(cursor.identifier())
    if verb == "DROP":
        spaces.pop(name, None)
    elif verb == "ALTER":
        if cursor.words("RENAME", "TO"):
            new = _folded(cursor.identifier())
            if name in spaces:
                spaces[new] = spaces.pop(name)._replace(tablespace=new, spelled=new)
            return bool(new)
        return bool(cursor.one_of(*_OPTIONS))
    else:
        if cursor.words("OWNER"):
            cursor.identifier()
        path = cursor.kind(ddl.STRING) if cursor.words("LOCATION") else None
        if path is None or not name:
            return False
        spaces[name] = c.Container(
            tablespace=name, spelled=name, kind=c.DIRECTORY, path=path.text, role=c.DATA, source=origin,
            line=statement.line, database=options.database, base_dir=options.base_dir,
        )  # fmt: skip
    return bool(name)


def _folded(name: ddl.Token | None) -> str:
    """Return a name as PostgreSQL stores it: in small letters unless it is quoted."""
    if name is None:
        return ""
    return name.text.lower() if name.kind == ddl.WORD else name.text
