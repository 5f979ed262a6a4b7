"""z/VM's user directory: find its entries in any text, and the origin of each virtual disk of a guest.

The directory defines what a guest gets at its next logon; what it has now may differ, so CP's answers rank
before it.  A minidisk names the label of its volume (`MDISK 0100 3390 1 END LNX001 MR`), rarely a real
device (`DEVNO 7103`); a dedicated device names either; a link names another guest's device, so it is
followed through the entries at hand.

A text may hold anything else too: a console log has echoed commands (`link maint 190 190 rr`), status lines
of screens and answers of CP, and prose may quote a statement.  So a statement counts only within an entry.
An entry begins with USER, IDENTITY, SUBCONFIG or PROFILE in the form that these have, and ends where a line
is an answer of CP, a sentence, or the begin of another entry.  MDISK and DEDICATE statements count by
themselves too, as a pasted part of an entry.  Records are words in any column and in either case, `*` begins
a comment, a comma at the end continues the statement in the next record.

**Passwords** are in USER, IDENTITY and MDISK statements.  They are dropped while reading: of an unread record
only its line and the error are kept.

Source: z/VM CP Planning and Administration, the chapter on the user directory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.answer_reader import is_answer
from zmon.cp.directory_statement import (
    ENTRY_STATEMENTS,
    OTHER_STATEMENTS,
    DirectoryStatement,
    StatementError,
    entry_name,
    parse_statement,
    statement_name,
)
from zmon.topology.claims import Claim

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINKS: Final = 4
"""Links that are followed from one guest to the next."""
MAX_DEFINITIONS: Final = 4
"""Definitions of one device that are followed; a device with more of them yields no claim."""
MAX_CLAIMS: Final = 200_000
"""Claims of one directory: profiles multiply, and the text may be hostile."""
MAX_RECORDS: Final = 32
"""Records of one statement."""
MAX_RECORD: Final = 4096
"""Bytes of a record; one of a real directory has 80."""
MAX_STATEMENTS: Final = 500_000
"""Statements about devices that are read of one text; what follows is counted as unread."""
MAX_UNREAD: Final = 1000
"""Records that are not understood and whose errors are kept; further ones are only counted."""
MAX_STRAYS: Final = 3
"""Records that are no known statement and may follow one another within an entry."""
NO_OWNER: Final = "it is outside of any entry, so the owner of the device is unknown"

_ALONE: Final = ("MDISK", "DEDICATE")
"""The statements that are no CP command too, so that they count without an entry's begin."""
_NEVER_ANSWERS: Final = frozenset({*_ALONE, "INCLUDE", "BUILD"})
_GUESTS: Final = ("USER", "IDENTITY", "")
_ENTRY_OF: Final = {"INCLUDE": ("PROFILE", "profile"), "BUILD": ("SUBCONFIG", "SUBCONFIG")}
"""The kind of entry that a statement refers to, and its name in messages."""


class UnreadRecord(NamedTuple):
    """A record that was not understood; never its text, which may hold a password."""

    line: int
    why: str


@dataclass
class DirectoryEntry:
    """The statements of one guest, profile or subconfiguration."""

    kind: str
    """`USER`, `IDENTITY`, `SUBCONFIG`, `PROFILE`, or empty for statements before any of these."""
    name: str
    line: int
    """Where its first statement is."""
    first: int
    """Where the comments before that begin."""
    last: int
    """Its last line."""
    lower: bool = False
    """Whether it begins in lower case, as the rest then may be."""
    certain: bool = False
    """Whether it is certain to be an entry of a directory."""
    statements: list[DirectoryStatement] = field(default_factory=list)
    unread: list[UnreadRecord] = field(default_factory=list)
    """The first of the records that were not understood."""
    unread_count: int = 0
    strays: int = 0
    """How many of the last records are no known statement."""
    weak: str = ""
    """The reason why the statements may belong to another guest."""

    @property
    def devices(self) -> list[DirectoryStatement]:
        """The devices that the entry itself names."""
        return [statement for statement in self.statements if statement.claims]

    def refuse(self, line: int, why: str) -> None:
        """Count a record that is not understood."""
        self.unread_count += 1
        if len(self.unread) < MAX_UNREAD:
            self.unread.append(UnreadRecord(line, why))


@dataclass
class UserDirectory:
    """The entries of one or more files, in their order; nothing in it has the text of a record."""

    origin: str = ""
    """Where it was read."""
    entries: list[DirectoryEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Remarks about the text as a whole."""

    def __add__(self, other: UserDirectory) -> UserDirectory:
        """Join two directories, so that links of one are resolved in the other."""
        origin = ", ".join(filter(None, (self.origin, other.origin)))
        return UserDirectory(origin, self.entries + other.entries, self.notes + other.notes)

    @property
    def unread(self) -> list[UnreadRecord]:
        """The first of the records that were not understood."""
        return [record for entry in self.entries for record in entry.unread]

    @property
    def unread_count(self) -> int:
        """How many there are of them."""
        return sum(entry.unread_count for entry in self.entries)

    @cached_property
    def guests(self) -> tuple[str, ...]:
        """The names of guests, in their order; an empty one for statements outside of any entry."""
        return tuple(dict.fromkeys(entry.name for entry in self.entries if entry.kind in _GUESTS))

    def claims(self, user: str = "", member: str = "") -> list[Claim]:
        """Return the claims about the devices of a guest, or of all guests, each with its guest.

        A device that only some members of a single system image have is a weak claim, unless the name of the
        `member` is given, which QUERY USERID shows.  An ambiguous statement is a weak claim, too.  A device
        without a known volume is a claim without one: `via` is V-DISK or T-DISK, or `weak` is the reason why
        a link cannot be followed.
        """
        names = [user.upper()] if user else self.guests
        claims = (claim for name in names for claim in self._claims(name, member.upper()))
        return list(islice(claims, MAX_CLAIMS))

    def lacking(self) -> list[str]:
        """Return the entries that are referred to but missing, in words."""
        missing: dict[str, None] = {}
        for name in self.guests:
            for entry in self._guest(name):
                for statement in entry.statements:
                    kind, what = _ENTRY_OF.get(statement.name, ("", ""))
                    if kind and (kind, statement.other) not in self._named:
                        missing[f"{what} {statement.other}"] = None
        return list(missing)

    @cached_property
    def _named(self) -> dict[tuple[str, str], list[DirectoryEntry]]:
        entries: dict[tuple[str, str], list[DirectoryEntry]] = {}
        for entry in self.entries:
            entries.setdefault((entry.kind, entry.name), []).append(entry)
        return entries

    def _guest(self, name: str) -> list[DirectoryEntry]:
        return [entry for kind in _GUESTS for entry in self._named.get((kind, name), ())]

    def _claims(self, name: str, member: str) -> Iterator[Claim]:
        for device, weak in self._devices(name, member):
            for claim in self._of_device(device, name, member):
                if not device.other:
                    yield claim._replace(user=name, weak=claim.weak or weak)
                    continue
                (own,) = device.claims
                via = f"LINK {name if device.other == '*' else device.other} {device.there}"
                yield own._replace(
                    user=name, rdev=claim.rdev, volser=claim.volser, first=claim.first, length=claim.length,
                    via=f"{via}, {claim.via}" if claim.via else via, weak=weak or claim.weak,
                )  # fmt: skip

    def _devices(self, name: str, member: str) -> Iterator[tuple[DirectoryStatement, str]]:
        """Yield the devices of a guest, its profiles' and its members', and why one may not be there."""
        for entry in self._guest(name):
            own = {device.vdev for device in entry.devices}
            seen: set[str] = set()
            builds = {named.other for named in entry.statements if named.name == "BUILD"}
            for statement in entry.statements:
                if statement.claims:
                    yield statement, entry.weak
                elif statement.name == "INCLUDE":
                    for device in self._inside("PROFILE", statement.other, seen):
                        weak = f"the entry itself defines {device.vdev} too" if device.vdev in own else ""
                        yield device, weak
                elif not member or statement.there in (member, "*"):
                    unsure = not member and len(builds) > 1
                    weak = f"on member {statement.there} only; QUERY USERID names the member"
                    for device in self._inside("SUBCONFIG", statement.other, seen):
                        yield device, weak if unsure else ""

    def _inside(self, kind: str, name: str, seen: set[str]) -> Iterator[DirectoryStatement]:
        """Yield the devices of a profile or a subconfiguration, once for a guest."""
        key = f"{kind} {name}"
        if key not in seen:
            seen.add(key)
            for entry in self._named.get((kind, name), ()):
                for statement in entry.statements:
                    if statement.claims:
                        yield statement
                    elif statement.name == "INCLUDE":
                        yield from self._inside("PROFILE", statement.other, seen)

    @cached_property
    def _defined(self) -> dict[tuple[str, str], dict[str, list[tuple[DirectoryStatement, str]]]]:
        """The devices by number, for each guest and member that a link has led to."""
        return {}

    def _definitions(self, name: str, member: str, vdev: str) -> list[tuple[DirectoryStatement, str]]:
        devices = self._defined.get((name, member))
        if devices is None:
            devices = self._defined[name, member] = {}
            for device, weak in self._devices(name, member):
                devices.setdefault(device.vdev, []).append((device, weak))
        return devices.get(vdev, [])

    def _of_device(
        self,
        device: DirectoryStatement,
        name: str,
        member: str,
        trail: frozenset[tuple[str, str]] = frozenset(),
    ) -> Iterator[Claim]:
        """Yield the claims about a device of a guest, or the one that its links lead to."""
        if not device.other:
            yield from device.claims
            return
        trail |= {(name, device.vdev)}
        owner, vdev = name if device.other == "*" else device.other, device.there
        definitions = self._definitions(owner, member, vdev)
        why = ""
        if (owner, vdev) in trail:
            why = f"the links form a loop through {owner} {vdev}"
        elif len(trail) > MAX_LINKS:
            why = f"more than {MAX_LINKS} links lead to it, one through the next"
        elif not self._guest(owner):
            why = f"the entry of {owner} is not in these files"
        elif not definitions:
            why = f"the entry of {owner} defines no {vdev}"
        elif len(definitions) > MAX_DEFINITIONS:
            why = f"the entry of {owner} defines {vdev} {len(definitions)} times"
        if why:
            yield Claim(weak=why)
            return
        for definition, unsure in definitions:
            for claim in self._of_device(definition, owner, member, trail):
                yield claim._replace(weak=unsure or claim.weak)


# reading

_STORAGE: Final = re.compile(r"\d{1,10}[KMGTPE]?\Z", re.ASCII)
_NO_PASSWORD: Final = frozenset({"NOLOG", "NOPASS", "AUTOONLY", "LBYONLY"})
_PASSWORD: Final = re.compile(r"[^\s:=(),]{1,8}\Z")
_CONSOLE_DEVICE: Final = re.compile(r"CON\w*\s+[0-9A-F]{1,4}\s+32[0-9]{2}\b")
"""The CONSOLE statement; an answer of CP shows what the console is on."""
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


def parse(data: bytes, origin: str, user: str = "") -> UserDirectory:
    """Read directory entries; `user` is the guest of statements before the first USER.  Never fails.

    A byte that is not UTF-8 counts as one unknown character.
    """
    return _DirectoryReader(origin, user.upper()).read(data)


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines of a text without their ends; the last one is empty when a line ends the text."""
    return (data if b"\n" in data else data.replace(b"\r", b"\n")).split(b"\n")


class _DirectoryReader:
    """Reads the records of one text."""

    def __init__(self, origin: str, user: str) -> None:
        self._origin = origin
        self._user = user
        self._directory = UserDirectory(origin)
        self._count = 0
        """Statements that were read."""
        self._room = MAX_UNREAD
        """How many more of the records that are not understood are kept."""
        self._open: DirectoryEntry | None = None
        self._comments = 0
        """The line where the comments before the next record begin; 0 if there are none."""

    def read(self, data: bytes) -> UserDirectory:
        lines = split_lines(data)
        joined: list[str] = []
        began, is_statement = 0, False
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_RECORD:
                self._refuse(number, "it is longer than a record can be")
                continue
            raw = line.decode("utf-8", "replace").replace("\0", " ")
            text = _columns(raw)
            if not text:
                continue
            if text.startswith("*"):
                self._comment(number)
                continue
            if joined and is_answer(raw):
                self._refuse(began, "the text ends within the statement")
                joined = []
            if not joined:
                began = number
                is_statement = bool(statement_name(text.split(None, 1)[0].translate(_UPPER)))
                if self._open is None and not is_statement:
                    self._comments = 0
                    continue
            joined.append(text.rstrip(","))
            if is_statement and text.endswith(",") and len(joined) < MAX_RECORDS:
                continue
            self._record(began, number, " ".join(joined).strip(), number < len(lines))
            joined = []
        if joined:
            self._refuse(began, "the text ends within the statement")
        self._close()
        self._note_bytes(data)
        return self._directory

    def _note_bytes(self, data: bytes) -> None:
        """Note the position of the first byte that is no text, if the text is a directory."""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            if self._directory.entries:
                line = len(split_lines(data[: error.start]))
                remark = "not UTF-8; each such byte counts as one unknown character"
                self._directory.notes.append(f"{self._origin}:{line}: {remark}")

    def _refuse(self, number: int, why: str) -> None:
        if self._open is not None:
            self._open.refuse(number, why)
            self._open.last = number

    def _comment(self, number: int) -> None:
        if self._open is not None:
            self._open.last = number
        elif not self._comments:
            self._comments = number

    def _record(self, line: int, last: int, text: str, whole: bool) -> None:
        """Take a record that begins in one line and ends in the line `last`."""
        if not text:
            return
        record = text.translate(_UPPER)
        name = statement_name(record.split(None, 1)[0])
        if name in ENTRY_STATEMENTS:
            self._close()
            self._begin(name, line, record, lower=text[:1].islower())
        elif _is_foreign(name, record, text):
            self._close()
        else:
            self._inside(name, line, record, text, whole=whole)
        if self._open is not None:
            self._open.last = last
        self._comments = 0

    def _begin(self, kind: str, line: int, record: str, *, lower: bool) -> None:
        """Begin an entry, if the record has the form of its first statement."""
        fields = record.split()
        named = kind in {"USER", "IDENTITY"}
        strong = named and (not _NO_PASSWORD.isdisjoint(fields[2:3]) or any(map(_STORAGE.match, fields[3:4])))
        if not strong and (len(fields) > 2 + named or not all(map(_PASSWORD.match, fields[2:3]))):
            return
        try:
            name = entry_name(record)
        except StatementError:
            return
        self._count += 1
        if self._count <= MAX_STATEMENTS:
            self._open = self._new_entry(kind, name, line)
            self._open.lower, self._open.certain = lower, strong

    def _new_entry(self, kind: str, name: str, line: int) -> DirectoryEntry:
        return DirectoryEntry(kind, name, line, self._comments or line, line)

    def _inside(self, name: str, line: int, record: str, text: str, *, whole: bool) -> None:
        """Take a record that is no first statement: of the open entry, or the first of a part of one."""
        entry = self._open
        if not name:
            self._stray(line, text)
            return
        if name in OTHER_STATEMENTS:
            if entry is not None:
                entry.strays = 0
                entry.certain |= bool(entry.kind) and _NUMBERED.match(record) is not None
            return
        if self._count >= MAX_STATEMENTS:
            if entry is not None:
                entry.refuse(line, f"there are {MAX_STATEMENTS:,} statements before it")
            return
        try:
            statement = parse_statement(name, Claim(origin=self._origin, line=line), record, whole=whole)
        except StatementError as error:
            if entry is not None and (entry.lower or text[:1].isupper()):
                entry.refuse(line, f"{name}: {error}")
            else:
                self._close()
            return
        if entry is None:
            entry = self._open = self._new_entry("", self._user, line)
        self._count += 1
        entry.statements.append(statement)
        entry.strays = 0
        entry.certain |= bool(entry.kind) or name in _ALONE

    def _stray(self, line: int, text: str) -> None:
        """Take an unknown record; one that looks like a statement does not end the entry."""
        entry = self._open
        if entry is None:
            return
        looks = text.upper() if entry.lower else text
        if entry.strays < MAX_STRAYS and len(text) <= 80 and _LIKE_A_STATEMENT.match(looks):
            entry.strays += 1
            entry.refuse(line, "it is no statement of a user directory")
        else:
            self._close()

    def _close(self) -> None:
        """End the open entry, and drop it if it is not certain to be one."""
        entry, self._open = self._open, None
        if entry is not None and entry.certain:
            entries = self._directory.entries
            entry.weak = NO_OWNER if not entry.kind and any(other.kind for other in entries) else ""
            entries.append(entry)
            del entry.unread[self._room :]
            self._room -= len(entry.unread)


def _is_foreign(name: str, record: str, text: str) -> bool:
    """Return whether a record is an answer of CP or a sentence, although it may begin as a statement."""
    if name not in _WORDS_OF_COMMANDS and _SENTENCE.search(text):
        return True
    return name not in _NEVER_ANSWERS and not _CONSOLE_DEVICE.match(record) and is_answer(text)


def _columns(line: str) -> str:
    """Return a record without blanks at its ends, a console's or editor's prefix, and a sequence number."""
    line = line.expandtabs().rstrip()
    if (match := _CONSOLE.match(line)) is not None:
        line = line[match.end() :]
    if len(line) == 80 and _SEQUENCE.match(line, 72):
        line = line[:72]
    if _EDITOR.match(line):
        line = line[5:]
    return line.strip()
