"""Parts of a listing that are not understood, and their notes: every typing mistake is reported.

A note has the line and the words.  A word with one or two letters mistyped, missing, doubled or in the wrong
order names the word that was probably meant.  A statement that seems to be about a tablespace and is not
understood, because it is mistyped or of another dialect, is suspect.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MAX_NOTES: Final = 1000
"""Notes of one type that a listing makes; the others are counted."""
LONG_WORD: Final = 6
"""Words of fewer letters may have one mistake only, else all words of three letters would be similar."""
MAX_WORD: Final = 40
"""Characters of the longest word that is compared."""


class Note(NamedTuple):
    """A remark: something was skipped, listed twice, or not understood."""

    line: int
    """Line of the listing, counted from 1; 0 when it is about all of it."""
    text: str
    unread: bool = False
    """Something of the listing was not understood or left out, so the answer may lack files."""
    of_heading: bool = False
    """It says that no heading was found."""


class NoteSeries:
    """Notes of one type, of which there may be one per row: the first ones, and the number of the others."""

    def __init__(self, more: str, *, unread: bool = False) -> None:
        """Begin with none; `more` names what is counted beyond the first."""
        self._more = more
        self._unread = unread
        self._first: list[Note] = []
        self.left_out = 0
        """The number of notes that were not kept."""

    def add(self, line: int, text: str) -> None:
        """Add a note; beyond `MAX_NOTES` it is only counted."""
        if len(self._first) < MAX_NOTES:
            self._first.append(Note(line, text, self._unread))
        else:
            self.left_out += 1

    def notes(self) -> tuple[Note, ...]:
        """Return the notes."""
        more = Note(0, f"{self.left_out:,} more {self._more}", self._unread)
        return (*self._first, *([more] if self.left_out else []))


def unread_row(line: int, why: str) -> Note:
    """Return the note of a row that is not understood."""
    return Note(line, f"row not understood: {why}", unread=True)


def merge_unread(notes: Sequence[Note]) -> list[Note]:
    """Join the notes on one statement: the first, and the number of the others."""
    unread = [note for note in notes if note.unread]
    if len(unread) < 2:
        return list(notes)
    text = f"{unread[0].text}, and {len(unread) - 1} more in this statement"
    return [*(note for note in notes if not note.unread), unread[0]._replace(text=text)]


def quote(text: str, most: int = 60) -> str:
    """Quote a text, short and without control characters."""
    bare = text.strip("\r\n")
    return repr(bare[:most]) + ("..." if len(bare) > most else "")


# similar words


@lru_cache(maxsize=4096)
def distance(word: str, other: str) -> int:
    """Return the number of letters changed, left out, added, or exchanged with their neighbours."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and letter == other[column - 2] and word[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]


def is_like(word: str, choices: Collection[str]) -> bool:
    """Return whether a word is one of these, or similar to one."""
    return word in choices or bool(similar_word(word, choices))


def similar_word(word: str, choices: Collection[str]) -> str:
    """Return the most similar of some words; empty if none is similar, or the word is one of them."""
    if not word or word in choices or len(word) > MAX_WORD:
        return ""
    letters = frozenset(word)
    near = [
        (distance(word, other), other)
        for other in choices
        if abs(len(word) - len(other)) <= 2
        and len(letters ^ _letters(other)) <= 4  # a mistake changes two of them at the most
        and distance(word, other) <= min(_mistakes(word), _mistakes(other))
    ]
    return min(near)[1] if near else ""


def _mistakes(word: str) -> int:
    """Return the number of mistakes a word may have."""
    return 2 if len(word) >= LONG_WORD else 1 if len(word) > 2 else 0


@lru_cache(maxsize=512)
def _letters(word: str) -> frozenset[str]:
    return frozenset(word)


# statements

QUOTED: Final = '"'
"""Stands for a name in quotes."""
CHANGING_VERBS: Final = frozenset({"CREATE", "ALTER", "DROP", "RENAME"})
"""Verbs of statements that change what there is."""
_TABLESPACE: Final = frozenset({"TABLESPACE"})
_OBJECTS: Final = frozenset({
    "ALIAS", "AUDIT", "BUFFERPOOL", "CLUSTER", "COLUMN", "CONTEXT", "CONTROLFILE", "DATABASE", "DIMENSION",
    "DIRECTORY", "DISKGROUP", "DOMAIN", "EVENT", "EXTENSION", "FUNCTION", "GROUP", "INDEX", "JAVA",
    "LANGUAGE", "LIBRARY", "MASK", "METHOD", "MODULE", "NICKNAME", "NODEGROUP", "OPERATOR", "OUTLINE",
    "PACKAGE", "PERMISSION", "PFILE", "POLICY", "PROCEDURE", "PROFILE", "ROLE", "RULE", "SCHEMA", "SECURITY",
    "SEQUENCE", "SERVER", "SERVICE", "SESSION", "SPFILE", "STATISTICS", "STOGROUP", "SUBSCRIPTION", "SYNONYM",
    "SYSTEM", "TABLE", "THRESHOLD", "TRANSFORM", "TRIGGER", "TRUSTED", "TYPE", "USER", "VARIABLE", "VIEW",
    "WORKLOAD", "WRAPPER", "XSROBJECT",
})  # fmt: skip
"""Other objects that are created; behind such a word a tablespace is an attribute, or a mere name."""
_TABLESPACE_TYPES: Final = frozenset({"USER", "SYSTEM"})
"""Objects that are types of tablespaces, too, if one of the following words follows."""
_BEHIND_A_TYPE: Final = ("TEMPORARY", "TEMP", "TABLESPACE")
_BEHIND_A_TABLE: Final = frozenset({
    "", "AS", "LIKE", "OF", "IN", "USING", "ADD", "ALTER", "DROP", "MODIFY", "SET",
})  # fmt: skip
"""Words that follow the name of a table, here a table called SPACE."""


def is_suspect(head: Sequence[str], objects: Collection[str] = ()) -> bool:
    """Return whether a statement seems to be about a tablespace, by its first words, which may be mistyped.

    What follows the verb decides: `CREATE REGULR TABLESPACE t`, `CRATE TABLESPACE t`, `CREATE TABLE SPACE t`
    are suspect; `CREATE USER u DEFAULT TABLESPACE t` and `CREATE TABLE space (...)` are about something else.

    Args:
        head: in upper case; `QUOTED` for a quoted name, empty for other tokens.
        objects: other objects with files in this dialect, such as `DATABASE`; a statement about one is
            suspect, too, when the word, or the verb before it, is mistyped.
    """
    if head[:2] == ["SET", "TABLESPACE"]:  # CONTAINERS FOR n, of a redirected restore
        return True
    if not head or not is_like(head[0], CHANGING_VERBS):
        return False
    for place, word in enumerate(head[1:], 1):
        following, third = (*head[place + 1 : place + 3], "", "")[:2]
        of_object = similar_word(word, objects) or (word in objects and head[0] not in CHANGING_VERBS)
        if is_like(word, _TABLESPACE) or word.endswith("TABLESPACE") or of_object:
            return True
        if following and is_like(word + following, _TABLESPACE):  # CREATE TABLE SPACE t
            return third not in _BEHIND_A_TABLE
        is_type = word in _TABLESPACE_TYPES and is_like(following, _BEHIND_A_TYPE)
        if not word or (word in _OBJECTS and not is_type):
            return False
    return False
