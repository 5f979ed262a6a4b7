"""Statements that seem to be about a tablespace and are not understood: mistyped, or of another dialect.

What follows the verb decides: `CREATE REGULR TABLESPACE t`, `CRATE TABLESPACE t`, `CREATE TABLE SPACE t` are
suspect; `CREATE USER u DEFAULT TABLESPACE t` and `CREATE TABLE space (...)` are about something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.listing.resemblance import is_like, meant

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

QUOTED: Final = '"'
"""Stands for a name in quotes."""

_TABLESPACE: Final = frozenset({"TABLESPACE"})
CHANGING: Final = frozenset({"CREATE", "ALTER", "DROP", "RENAME"})
"""Verbs of statements that change what there is."""
_OBJECTS: Final = frozenset({
    "ALIAS", "AUDIT", "BUFFERPOOL", "CLUSTER", "COLUMN", "CONTEXT", "CONTROLFILE", "DATABASE", "DIMENSION",
    "DIRECTORY", "DISKGROUP", "DOMAIN", "EVENT", "EXTENSION", "FUNCTION", "GROUP", "INDEX", "JAVA",
    "LANGUAGE", "LIBRARY", "MASK", "METHOD", "MODULE", "NICKNAME", "NODEGROUP", "OPERATOR", "OUTLINE",
    "PACKAGE", "PERMISSION", "PFILE", "POLICY", "PROCEDURE", "PROFILE", "ROLE", "RULE", "SCHEMA", "SECURITY",
    "SEQUENCE", "SERVER", "SERVICE", "SESSION", "SPFILE", "STATISTICS", "STOGROUP", "SUBSCRIPTION", "SYNONYM",
    "SYSTEM", "TABLE", "THRESHOLD", "TRANSFORM", "TRIGGER", "TRUSTED", "TYPE", "USER", "VARIABLE", "VIEW",
    "WORKLOAD", "WRAPPER", "XSROBJECT",
})  # fmt: skip
"""What else is created and altered; behind such a word a tablespace is an attribute, or a mere name."""
_SORTS: Final = frozenset({"USER", "SYSTEM"})
"""Objects that are sorts of tablespaces, too, if one of the following stands behind them."""
_BEHIND_A_SORT: Final = ("TEMPORARY", "TEMP", "TABLESPACE")
_BEHIND_A_TABLE: Final = frozenset({
    "", "AS", "LIKE", "OF", "IN", "USING", "ADD", "ALTER", "DROP", "MODIFY", "SET",
})  # fmt: skip
"""What follows the name of a table, here one that is called SPACE."""


def is_suspect(words: Sequence[str], objects: Collection[str] = ()) -> bool:
    """Tell whether a statement seems to be about a tablespace, by its first words.

    Args:
        words: in upper case; `QUOTED` for a quoted name, empty for what is no word.
        objects: what else has files in this dialect, as `DATABASE`; a statement about it is suspect, too,
            when the word, or the verb before it, is mistyped.
    """
    if words[:2] == ["SET", "TABLESPACE"]:  # CONTAINERS FOR n, of a redirected restore
        return True
    if not words or not is_like(words[0], CHANGING):
        return False
    for place, word in enumerate(words[1:], 1):
        following, third = (*words[place + 1 : place + 3], "", "")[:2]
        of_object = meant(word, objects) or (word in objects and words[0] not in CHANGING)
        if is_like(word, _TABLESPACE) or word.endswith("TABLESPACE") or of_object:
            return True
        if following and is_like(word + following, _TABLESPACE):  # CREATE TABLE SPACE t
            return third not in _BEHIND_A_TABLE
        is_sort = word in _SORTS and is_like(following, _BEHIND_A_SORT)
        if not word or (word in _OBJECTS and not is_sort):
            return False
    return False
