"""Find and read the entries of z/VM's user directory in a text that may hold anything else too.

A console log has echoed commands (`link maint 190 190 rr`), status lines of screens and answers of CP, and
prose may quote a statement.  So a statement counts only within an entry.  An entry begins with USER,
IDENTITY, SUBCONFIG or PROFILE in the form that these have, and ends where a line is an answer of CP, a
sentence, or the begin of another entry.  MDISK and DEDICATE statements count by themselves too, as a pasted
part of an entry.

Records are words in any column and in either case, `*` begins a comment, a comma at the end continues the
statement in the next record.

**Passwords** stand in USER, IDENTITY and MDISK statements.  They are dropped while reading: an unread record
is known by its line and by what is wrong with it only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.cp.answers import is_answer
from zmon.cp.directory import Directory, Entry, Unread
from zmon.cp.statement import (
    HEADS,
    OTHERS,
    Place,
    StatementError,
    name_of,
    parse_statement,
    whose,
)

if TYPE_CHECKING:
    from zmon.cp.statement import Statement

RECORDS: Final = 32
"""A statement goes on over at most so many records."""

LONGEST: Final = 4096
"""Bytes that a record may have; one of a real directory has 80."""

STATEMENTS: Final = 500_000
"""So many statements about devices are read of one text; what follows is counted as unread."""

KEPT: Final = 1000
"""Of so many records that are not understood it is kept what is wrong with them; more are counted alone."""

STRAYS: Final = 3
"""So many records that are no known statement may follow one another within an entry."""

APART: Final = "it is outside of any entry, so the owner of the device is unknown"

_ALONE: Final = ("MDISK", "DEDICATE")
"""The statements that are no CP command too, so that they count without an entry's begin."""
_NEVER_ANSWERS: Final = frozenset({*_ALONE, "INCLUDE", "BUILD"})

_STORAGE: Final = re.compile(r"\d{1,10}[KMGTPE]?\Z", re.ASCII)
_NO_PASSWORD: Final = frozenset({"NOLOG", "NOPASS", "AUTOONLY", "LBYONLY"})
_PASSWORD: Final = re.compile(r"[^\s:=(),]{1,8}\Z")
_CONSOLE_DEVICE: Final = re.compile(r"CON\w*\s+[0-9A-F]{1,4}\s+32[0-9]{2}\b")
"""The CONSOLE statement; an answer of CP says what the console is on."""
_NUMBERED: Final = re.compile(r"\S+\s+[0-9A-F]*[0-9][0-9A-F]*(?:\s|\Z)")
_SENTENCE: Final = re.compile(
    r"[a-z]{2}[.:;!?](?:\s|\Z)|[a-z], [a-z]"
    r"|\s(?:the|an?|and|is|are|of|to|for|this|that|not|has|have|with)(?:\s|\Z)"
)
_WORDS_OF_COMMANDS: Final = ("COMMAND", "IPL")
"""Statements with text of their own: `command couple 600 to system vsw1`."""
_LIKE_A_STATEMENT: Final = re.compile(r"[A-Z][A-Z0-9]{1,11}(?:[\s=]|\Z)")

_SEQUENCE: Final = re.compile(r"\d{8}\s*\Z", re.ASCII)
_EDITOR: Final = re.compile(r"(?:={5}|\d{5})(?:\s|\Z)", re.ASCII)
"""The prefix area of an editor that the text was pasted from."""
_CONSOLE: Final = re.compile(r"(?:(?:\d\d:\d\d:\d\d|[0-9A-F]{2}:|data:)(?:[ \t]|\Z))+", re.ASCII)
"""What a console writes before a line: time, number of the CPU; and a 3270 emulator's script."""

_UPPER: Final = {ord(small): ord(small.upper()) for small in "abcdefghijklmnopqrstuvwxyz"}
"""Other letters stay as they are: one may become two in upper case."""


def parse(data: bytes, origin: str, user: str = "") -> Directory:
    """Read directory entries; `user` is whose statements are that stand before any USER.  Never fails.

    A byte that is not UTF-8 counts as one unknown character.
    """
    return _Reading(origin, user.upper()).read(data)


def lines_of(data: bytes) -> list[bytes]:
    """Return the lines of a text without their ends; the last one is empty when a line ends the text."""
    return (data if b"\n" in data else data.replace(b"\r", b"\n")).split(b"\n")


class _Open:
    """An entry that is being read."""

    def __init__(self, sort: str, name: str, place: Place, first: int) -> None:
        self.sort = sort
        self.name = name
        self.place = place
        self.first = first
        self.last = place.line
        self.lower = False
        """Whether it begins in lower case, as the rest then may be."""
        self.certain = False
        """Whether something shows that it is an entry of a directory."""
        self.statements: list[Statement] = []
        self.unread: list[Unread] = []
        self.unread_count = 0
        self.others = 0
        self.strays = 0

    def refuse(self, place: Place, why: str) -> None:
        """Count a record that is not understood."""
        self.unread_count += 1
        if len(self.unread) < KEPT:
            self.unread.append(Unread(place, why))


class _Reading:
    """The records of one text."""

    def __init__(self, origin: str, user: str) -> None:
        self.origin = origin
        self.user = user
        self.entries: list[Entry] = []
        self.unread: list[Unread] = []
        self.unread_count = 0
        self.others = 0
        self.lines: list[tuple[int, int]] = []
        self._read = 0
        self._open: _Open | None = None
        self._comments = 0
        """Where the comments began that stand before the next record; 0 if there are none."""

    def read(self, data: bytes) -> Directory:
        lines = lines_of(data)
        joined: list[str] = []
        began, known = 0, False
        for number, line in enumerate(lines, 1):
            if len(line) > LONGEST:
                self._overlong(number)
                continue
            raw = line.decode("utf-8", "replace").replace("\0", " ")
            words = _columns(raw)
            if not words:
                continue
            if words.startswith("*"):
                self._comment(number)
                continue
            if joined and is_answer(raw):
                self._cut_off(began)
                joined = []
            if not joined:
                began = number
                known = bool(name_of(words.split(None, 1)[0].translate(_UPPER)))
                if self._open is None and not known:
                    self._comments = 0
                    continue
            joined.append(words.rstrip(","))
            if known and words.endswith(",") and len(joined) < RECORDS:
                continue
            self._take(Place(self.origin, began), number, " ".join(joined).strip(), number < len(lines))
            joined = []
        if joined:
            self._cut_off(began)
        self._close()
        notes = self._notes(data)
        return Directory(
            self.entries, self.unread, self.others, notes, self.origin, self.unread_count, self.lines
        )

    def _notes(self, data: bytes) -> list[str]:
        """Say where the first byte is that is no text, if the text is a directory."""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = len(lines_of(data[: error.start]))
            words = f"{self.origin}:{line}: not UTF-8; each such byte counts as one unknown character"
            return [words] if self.entries else []
        return []

    def _overlong(self, number: int) -> None:
        if self._open is not None:
            self._open.refuse(Place(self.origin, number), "it is longer than any record")
            self._open.last = number

    def _comment(self, number: int) -> None:
        if self._open is not None:
            self._open.last = number
        elif not self._comments:
            self._comments = number

    def _cut_off(self, number: int) -> None:
        if self._open is not None:
            self._open.refuse(Place(self.origin, number), "it goes on, and the text ends")
            self._open.last = number

    def _take(self, place: Place, last: int, words: str, whole: bool) -> None:
        """Take a record, which ends in the line `last`."""
        if not words:
            return
        record = words.translate(_UPPER)
        name = name_of(record.split(None, 1)[0])
        if name in HEADS:
            self._close()
            self._begin(name, place, record, lower=words[:1].islower())
        elif _is_foreign(name, record, words):
            self._close()
        else:
            self._inside(name, place, record, words, whole=whole)
        if self._open is not None:
            self._open.last = last
        self._comments = 0

    def _begin(self, sort: str, place: Place, record: str, *, lower: bool) -> None:
        """Begin an entry, if the record has the form of its first statement."""
        words = record.split()
        named = sort in {"USER", "IDENTITY"}
        strong = named and (not _NO_PASSWORD.isdisjoint(words[2:3]) or any(map(_STORAGE.match, words[3:4])))
        if not strong and (len(words) > 2 + named or not all(map(_PASSWORD.match, words[2:3]))):
            return
        try:
            name = whose(record)
        except StatementError:
            return
        self._read += 1
        if self._read > STATEMENTS:
            return
        self._open = _Open(sort, name, place, self._comments or place.line)
        self._open.certain = strong
        self._open.lower = lower

    def _inside(self, name: str, place: Place, record: str, words: str, *, whole: bool) -> None:
        """Take a record that is no first statement: of the open entry, or the first of a part of one."""
        block = self._open
        if not name:
            self._stray(place, words)
            return
        if name in OTHERS:
            if block is not None:
                block.others += 1
                block.strays = 0
                block.certain |= bool(block.sort) and _NUMBERED.match(record) is not None
            return
        if self._read >= STATEMENTS:
            if block is not None:
                block.refuse(place, f"there are {STATEMENTS:,} statements before it")
            return
        try:
            statement = parse_statement(name, place, record, whole=whole)
        except StatementError as error:
            if block is not None and (block.lower or words[:1].isupper()):
                block.refuse(place, f"{name}: {error}")
            else:
                self._close()
            return
        if block is None:
            block = self._open = _Open("", self.user, place, self._comments or place.line)
        self._read += 1
        block.statements.append(statement)
        block.strays = 0
        block.certain |= bool(block.sort) or name in _ALONE

    def _stray(self, place: Place, words: str) -> None:
        """Take a record that is no known statement: one that looks like a new one does not end the entry."""
        block = self._open
        if block is None:
            return
        looks = words.upper() if block.lower else words
        if block.strays < STRAYS and len(words) <= 80 and _LIKE_A_STATEMENT.match(looks):
            block.strays += 1
            block.refuse(place, "it begins with no statement of a directory")
        else:
            self._close()

    def _close(self) -> None:
        """End the open entry; what nothing shows to be one was none."""
        block, self._open = self._open, None
        if block is None or not block.certain:
            return
        apart = not block.sort and any(entry.sort for entry in self.entries)
        statements = tuple(block.statements)
        self.entries.append(Entry(block.sort, block.name, block.place, statements, APART if apart else ""))
        self.lines.append((block.first, block.last))
        self.others += block.others
        self.unread += block.unread[: KEPT - len(self.unread)]
        self.unread_count += block.unread_count


def _is_foreign(name: str, record: str, words: str) -> bool:
    """Say whether a record is an answer of CP or a sentence, although it may begin as a statement."""
    if name not in _WORDS_OF_COMMANDS and _SENTENCE.search(words):
        return True
    return name not in _NEVER_ANSWERS and not _CONSOLE_DEVICE.match(record) and is_answer(words)


def _columns(line: str) -> str:
    """Return a record without blanks at its ends, a console's or editor's prefix, and a sequence number."""
    line = line.expandtabs().rstrip()
    if (found := _CONSOLE.match(line)) is not None:
        line = line[found.end() :]
    if len(line) == 80 and _SEQUENCE.match(line, 72):
        line = line[:72]
    if _EDITOR.match(line):
        line = line[5:]
    return line.strip()
