"""Entries of z/VM's user directory: which virtual disks a guest gets at its logon, and from where.

The directory says what a guest will have when it logs on next; what it has now may differ, and what CP
answers is worth more.  A minidisk names the label of its volume (`MDISK 0100 3390 1 END LNX001 MR`), rarely a
real device (`DEVNO 7103`); a dedicated device names either; a link names another guest's device, so it is
followed through the entries at hand.

Records are words in any column and in either case, statements may be abbreviated, `*` begins a comment, a
comma at the end continues the statement in the next record.  Extra words at the end are ignored.

**Passwords** stand in USER, IDENTITY and MDISK statements.  They are dropped while reading: nothing here
holds the text of a record, so an unread one is known by its line and by what is wrong with it only.

Source: z/VM CP Planning and Administration, the chapter on the user directory.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.topology.claim import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

STEPS: Final = 4
"""So many links are followed from one guest to the next."""

FORKS: Final = 4
"""So many definitions of one device are followed; more of them say nothing."""

CLAIMS: Final = 200_000
"""At most so many claims are made of one directory: profiles multiply, and the text may be hostile."""

RECORDS: Final = 32
"""A statement goes on over at most so many records."""

LONGEST: Final = 4096
"""Bytes that a record may have; one of a real directory has 80."""

EITHER: Final = "is a device number or a label: both have this form"
"""Why both claims about a dedicated device are weak; a list of real devices can decide."""

STATEMENTS: Final = 500_000
"""So many statements about devices are read of one text; what follows is counted as unread."""

KEPT: Final = 1000
"""Of so many records that are not understood it is kept what is wrong with them; more are counted alone."""


class Place(NamedTuple):
    """Where a statement stands."""

    origin: str
    line: int
    """Counted from 1."""

    def __str__(self) -> str:
        return f"{self.origin}:{self.line}"


class Minidisk(NamedTuple):
    """MDISK: a part of a volume, a whole volume, or a disk that is on none."""

    place: Place
    vdev: str
    devtype: str
    """`3390`, `FB-512`; XXXX where the directory manager chooses."""
    sort: str
    """`volume`, `device` (DEVNO), `V-DISK`, `T-DISK`, or how it is to be allocated: `AUTOG`."""
    volser: str = ""
    rdev: str = ""
    first: int | None = None
    """First cylinder or block."""
    length: int | None = None
    """Cylinders or blocks; None for a volume up to its END."""
    mode: str = ""
    """Access mode; empty for the default."""
    weak: str = ""
    """Why it may be misread."""

    @property
    def whole(self) -> bool:
        """Whether it is all of a volume, its label included."""
        return self.sort == "device" or (self.sort == "volume" and self.first == 0 and self.length is None)


class Dedicated(NamedTuple):
    """DEDICATE: a real device for this guest alone; of any sort, so not always a disk."""

    place: Place
    vdev: str
    rdev: str = ""
    volser: str = ""
    """Label of the volume; when `rdev` is there too, the word may be either."""
    mode: str = ""
    """`R/O` when it says so."""
    weak: str = ""


class Link(NamedTuple):
    """LINK: a device of another guest, or under another number of its own."""

    place: Place
    user: str
    """Whose device it is; `*` for the guest itself."""
    theirs: str
    vdev: str
    mode: str = ""


class Include(NamedTuple):
    """INCLUDE: the statements of a profile stand here too."""

    place: Place
    profile: str


class Build(NamedTuple):
    """BUILD: on this member of a single system image, the statements of a SUBCONFIG entry hold too."""

    place: Place
    member: str
    """Name of the system; `*` for any."""
    subconfig: str


Statement = Minidisk | Dedicated | Link | Include | Build
Device = Minidisk | Dedicated | Link


class Entry(NamedTuple):
    """What belongs to one guest, profile or subconfiguration."""

    sort: str
    """`USER`, `IDENTITY`, `SUBCONFIG`, `PROFILE`, or empty for statements that stand before any of these."""
    name: str
    place: Place
    statements: tuple[Statement, ...]


class Unread(NamedTuple):
    """A record that was not understood; never its text, which may hold a password."""

    place: Place
    why: str


class Directory:
    """The entries of one or more files."""

    def __init__(  # noqa: PLR0913, PLR0917 - these are its parts
        self,
        entries: Sequence[Entry] = (),
        unread: Sequence[Unread] = (),
        others: int = 0,
        notes: Sequence[str] = (),
        origin: str = "",
        unread_count: int | None = None,
    ) -> None:
        """Hold what was read."""
        self.entries = tuple(entries)
        self.unread = tuple(unread)
        """The first of the records that were not understood."""
        self.unread_count = len(self.unread) if unread_count is None else unread_count
        """How many there are of them."""
        self.others = others
        """Statements that name no disk: CPU, IPL, NICDEF ..."""
        self.notes = tuple(notes)
        """What is odd about the text as a whole."""
        self.origin = origin
        """Where it was read."""

    def __repr__(self) -> str:
        return f"Directory({len(self.entries)} entries, {self.unread_count} unread)"

    def __add__(self, other: Directory) -> Directory:
        """Put two directories together, so that links lead from one into the other."""
        return Directory(
            self.entries + other.entries,
            self.unread + other.unread,
            self.others + other.others,
            self.notes + other.notes,
            ", ".join(filter(None, (self.origin, other.origin))),
            self.unread_count + other.unread_count,
        )

    @property
    def statements(self) -> int:
        """How many statements were understood that are of use."""
        return sum(len(entry.statements) + bool(entry.sort) for entry in self.entries)

    @cached_property
    def guests(self) -> tuple[str, ...]:
        """The names of guests, in their order; an empty one for statements that are nobody's."""
        named = (entry.name for entry in self.entries if entry.sort in _GUESTS)
        return tuple(dict.fromkeys(named))

    def claims(self, user: str = "", member: str = "") -> list[Claim]:
        """Return what is said of the devices of a guest, or of all guests, each claim with its guest.

        A device that only some members of a single system image have is a weak claim, unless the name
        of the `member` is given: QUERY USERID tells it.  So is what may mean two things.  What has no known
        volume is a claim without one: `via` says V-DISK or T-DISK, `weak` why a link cannot be followed.
        """
        names = [user.upper()] if user else self.guests
        found = (claim for name in names for claim in self._claims(name, member.upper()))
        return list(islice(found, CLAIMS))

    def lacking(self, user: str = "") -> list[str]:
        """Name the entries that are referred to and not there, in words."""
        found: dict[str, None] = {}
        for name in [user.upper()] if user else self.guests:
            for entry in self._guest(name):
                for statement in entry.statements:
                    if isinstance(statement, Include) and ("PROFILE", statement.profile) not in self._named:
                        found[f"profile {statement.profile}"] = None
                    if isinstance(statement, Build) and ("SUBCONFIG", statement.subconfig) not in self._named:
                        found[f"SUBCONFIG {statement.subconfig}"] = None
        return list(found)

    @cached_property
    def _named(self) -> dict[tuple[str, str], list[Entry]]:
        found: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.entries:
            found.setdefault((entry.sort, entry.name), []).append(entry)
        return found

    def _guest(self, name: str) -> list[Entry]:
        return [entry for sort in _GUESTS for entry in self._named.get((sort, name), ())]

    def _claims(self, name: str, member: str) -> Iterator[Claim]:
        for device, weak in self._devices(name, member):
            if isinstance(device, Link):
                yield from self._followed(device, name, member, weak)
            else:
                for claim in _said(device):
                    yield claim._replace(user=name, weak=claim.weak or weak)

    def _devices(self, name: str, member: str) -> Iterator[tuple[Device, str]]:
        """Yield the devices of a guest, its profiles' and its members', and why one may not be there."""
        for entry in self._guest(name):
            own = {statement.vdev for statement in entry.statements if isinstance(statement, Device)}
            seen: set[str] = set()
            builds = {s.subconfig for s in entry.statements if isinstance(s, Build)}
            for statement in entry.statements:
                if isinstance(statement, Device):
                    yield statement, ""
                elif isinstance(statement, Include):
                    for device in self._inside("PROFILE", statement.profile, seen):
                        weak = f"the entry itself defines {device.vdev} too" if device.vdev in own else ""
                        yield device, weak
                elif not member or statement.member in (member, "*"):
                    unsure = not member and len(builds) > 1
                    weak = f"so on member {statement.member} only; which it is, QUERY USERID tells"
                    for device in self._inside("SUBCONFIG", statement.subconfig, seen):
                        yield device, weak if unsure else ""

    def _inside(self, sort: str, name: str, seen: set[str]) -> Iterator[Device]:
        """Yield the devices of a profile or a subconfiguration, once for a guest."""
        key = f"{sort} {name}"
        if key not in seen:
            seen.add(key)
            for entry in self._named.get((sort, name), ()):
                for statement in entry.statements:
                    if isinstance(statement, Device):
                        yield statement
                    elif isinstance(statement, Include):
                        yield from self._inside("PROFILE", statement.profile, seen)

    @cached_property
    def _defined(self) -> dict[tuple[str, str], dict[str, list[tuple[Device, str]]]]:
        """By guest and member the devices by number, as far as links have asked for them."""
        return {}

    def _definitions(self, name: str, member: str, vdev: str) -> list[tuple[Device, str]]:
        known = self._defined.get((name, member))
        if known is None:
            known = self._defined[name, member] = {}
            for device, weak in self._devices(name, member):
                known.setdefault(device.vdev, []).append((device, weak))
        return known.get(vdev, [])

    def _followed(self, link: Link, name: str, member: str, weak: str) -> Iterator[Claim]:
        """Yield what the device says that a link leads to, as claims about the device of the link."""
        target = name if link.user == "*" else link.user
        base = Claim(link.vdev, user=name, mode=link.mode, origin=link.place.origin, line=link.place.line)
        base = base._replace(via=f"LINK {target} {link.theirs}", weak=weak)
        for found in self._targets(target, link.theirs, member, frozenset({(name, link.vdev)})):
            yield base._replace(
                volser=found.volser,
                rdev=found.rdev,
                first=found.first,
                length=found.length,
                via=f"{base.via}, {found.via}" if found.via else base.via,
                weak=weak or found.weak,
            )

    def _targets(
        self, name: str, vdev: str, member: str, trail: frozenset[tuple[str, str]]
    ) -> Iterator[Claim]:
        """Yield what is said of another guest's device."""
        if (name, vdev) in trail:
            yield Claim(weak=f"the links lead in a circle, by {name} {vdev}")
            return
        if len(trail) > STEPS:
            yield Claim(weak=f"more than {STEPS} links lead to it, one behind the other")
            return
        if not self._guest(name):
            yield Claim(weak=f"the entry of {name} is not in these files")
            return
        found = self._definitions(name, member, vdev)
        if not found:
            yield Claim(weak=f"the entry of {name} defines no {vdev}")
        elif len(found) > FORKS:
            yield Claim(weak=f"the entry of {name} defines {vdev} {len(found)} times")
        else:
            for device, unsure in found:
                if isinstance(device, Link):
                    onward = name if device.user == "*" else device.user
                    further = self._targets(onward, device.theirs, member, trail | {(name, vdev)})
                else:
                    further = iter(_said(device))
                for claim in further:
                    yield claim._replace(weak=unsure or claim.weak)


def parse(data: bytes, origin: str, user: str = "") -> Directory:
    """Read directory entries; `user` is whose statements are that stand before any USER.  Never fails.

    A byte that is not UTF-8 counts as one unknown character.
    """
    return _Reading(origin, user.upper()).read(data)


# --- claims of a statement --------------------------------------------------------------------


def _said(device: Minidisk | Dedicated) -> list[Claim]:
    """Return what a statement says of its device; two claims when it may mean two things."""
    base = Claim(
        vdev=device.vdev,
        mode=device.mode,
        origin=device.place.origin,
        line=device.place.line,
        weak=device.weak,
    )
    if isinstance(device, Dedicated):
        base = base._replace(via="DEDICATE")
        either = (base._replace(rdev=device.rdev), base._replace(volser=device.volser))
        return [claim for claim in either if claim.rdev or claim.volser]
    via = device.sort if device.sort in _NOWHERE else "MDISK"
    return [
        base._replace(
            via=via, volser=device.volser, rdev=device.rdev, first=device.first, length=device.length
        )
    ]


# --- reading ----------------------------------------------------------------------------------

_GUESTS: Final = ("USER", "IDENTITY", "")
_NOWHERE: Final = ("V-DISK", "T-DISK")
_HEADS: Final = ("USER", "IDENTITY", "SUBCONFIG", "PROFILE")

_SHORTEST: Final = {
    "USER": 1, "IDENTITY": 2, "SUBCONFIG": 3, "PROFILE": 2, "INCLUDE": 2, "BUILD": 1,
    "MDISK": 1, "LINK": 1, "DEDICATE": 2,
}  # fmt: skip
"""The statements that are read, and how far each may be abbreviated."""

_OTHERS: Final = (
    "ACCOUNT", "ACIGROUP", "ADJUNCT", "APPCPASS", "AUTOLOG", "CLASS", "COMMAND", "CONSOLE", "CPU",
    "CRYPTO", "D8ONECMD", "DASDOPT", "DATEFORMAT", "DIRECTORY", "GLOBALDEFS", "GLOBALOPTS",
    "IOPRIORITY", "IPL", "IUCV", "LOAD", "LOADDEV", "LOGONBY", "MACHINE", "MAXSTORAGE", "MINIOPT",
    "NAMESAVE", "NICDEF", "NOPDATA", "OPTION", "POOL", "POSIXGLIST", "POSIXGROUP", "POSIXINFO",
    "POSIXOPT", "SCREEN", "SHARE", "SPECIAL", "SPOOL", "SPOOLFILE", "SSIPEER", "STDEVOPT",
    "STORAGE", "SYSAFFIN", "VMRELOCATE", "XAUTOLOG", "XCONFIG", "XSTORE",
)  # fmt: skip
"""The statements that name no disk."""

_OTHER_SHORTEST: Final = 3

_NAME: Final = re.compile(r"[A-Z0-9$#@_+:.-]{1,8}\Z")
_VDEV: Final = re.compile(r"[0-9A-F]{1,4}\Z")
_RDEV: Final = re.compile(r"[0-3]?[0-9A-F]{1,4}\Z")
"""The first of five digits is that of a subchannel set."""
_LABEL: Final = re.compile(r"[^\s*,&+=\ufffd]{1,6}\Z")
_TYPE: Final = re.compile(r"(?:\d{4}|FB-512|XXXX)\Z", re.ASCII)
_MODE: Final = re.compile(r"[SE]?(?:RR?|WR?|M[RW]?)[SE]?V?\Z")
_NUMBER: Final = re.compile(r"\d{1,10}\Z", re.ASCII)
_SEQUENCE: Final = re.compile(r"\d{8}\s*\Z", re.ASCII)
_EDITOR: Final = re.compile(r"(?:={5}|\d{5})(?:\s|\Z)", re.ASCII)
"""The prefix area of an editor that the text was pasted from."""

_UPPER: Final = {ord(small): ord(small.upper()) for small in "abcdefghijklmnopqrstuvwxyz"}
"""Other letters stay as they are: one may become two in upper case."""

_BOUNDARY: Final = rb"\r\n|\n|\r"
_RECORD: Final = re.compile(rb"([^\r\n]*)(" + _BOUNDARY + rb"|\Z)")


class _UnreadError(ValueError):
    """A statement is not as it should be; says what is wrong without quoting it."""


class _Reading:
    """The records of one text."""

    def __init__(self, origin: str, user: str) -> None:
        self.origin = origin
        self.entries: list[Entry] = []
        self.unread: list[Unread] = []
        self.unread_count = 0
        self.others = 0
        self._read = 0
        self._head = ("", user, Place(origin, 1))
        self._statements: list[Statement] = []

    def read(self, data: bytes) -> Directory:
        notes = []
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = sum(1 for _ in re.finditer(_BOUNDARY, data[: error.start])) + 1
            notes.append(f"{self.origin}:{line}: not UTF-8; each such byte counts as one unknown character")
        if b"\0" in data:
            data = data.replace(b"\0", b" ")
        joined: list[str] = []
        began = 0
        for number, record in enumerate(_RECORD.finditer(data), 1):
            if not joined:
                began = number
            if record.end(1) - record.start(1) > LONGEST:
                self._refuse(Place(self.origin, number), "it is longer than any record")
                continue
            words = _columns(record[1].decode("utf-8", "replace"))
            if words.startswith("*") or not words:
                continue
            joined.append(words.rstrip(","))
            if words.endswith(",") and len(joined) < RECORDS:
                continue
            self._take(Place(self.origin, began), " ".join(joined), bool(record[2]))
            joined = []
        if joined:
            self._refuse(Place(self.origin, began), "it goes on, and the text ends")
        self._close()
        return Directory(self.entries, self.unread, self.others, notes, self.origin, self.unread_count)

    def _take(self, place: Place, record: str, whole: bool) -> None:
        record = record.translate(_UPPER)
        words = record.split()
        if not words:
            return
        keyword = words[0].startswith("MDISK=")
        name = "MDISK" if keyword else _statement(words[0])
        if name == "":
            self._refuse(place, "it begins with no statement of a directory")
        elif name in _OTHERS:
            self.others += 1
        elif self._read >= STATEMENTS:
            self._refuse(place, f"there are {STATEMENTS:,} statements before it")
        else:
            # what follows the last word may have been cut off together with a part of it
            operands = _Operands(words[1:], whole)
            self._read += 1
            try:
                if name in _HEADS:
                    self._open(name, operands.next("its name", _NAME), place)
                elif keyword:
                    self._statements.append(_by_keyword(place, record[len("MDISK=") :], whole))
                else:
                    self._statements.append(_READERS[name](place, operands))
            except _UnreadError as error:
                self._refuse(place, f"{name}: {error}")

    def _refuse(self, place: Place, why: str) -> None:
        self.unread_count += 1
        if len(self.unread) < KEPT:
            self.unread.append(Unread(place, why))

    def _open(self, sort: str, name: str, place: Place) -> None:
        self._close()
        self._head = sort, name, place

    def _close(self) -> None:
        sort, name, place = self._head
        if sort or self._statements:
            self.entries.append(Entry(sort, name, place, tuple(self._statements)))
        self._statements = []


def _columns(line: str) -> str:
    """Return a record without blanks at its ends, an editor's prefix and a sequence number."""
    line = line.expandtabs().rstrip()
    if len(line) == 80 and _SEQUENCE.match(line, 72):
        line = line[:72]
    if _EDITOR.match(line):
        line = line[5:]
    return line.strip()


def _statement(word: str) -> str:
    """Return the full name of a statement that may be abbreviated; empty when it is none."""
    for name, shortest in _SHORTEST.items():
        if len(word) >= shortest and name.startswith(word):
            return name
    if len(word) >= _OTHER_SHORTEST:
        return next((name for name in _OTHERS if name.startswith(word)), "")
    return ""


class _Operands:
    """The words behind a statement, taken one after the other."""

    def __init__(self, words: Sequence[str], whole: bool) -> None:
        self._words = words
        self._whole = whole
        self._at = 0

    def next(self, what: str, form: re.Pattern[str]) -> str:
        """Take the next word, which must have a form."""
        if self._at >= len(self._words):
            raise _UnreadError(f"{what} is missing")
        word = self._words[self._at]
        if not form.match(word):
            raise _UnreadError(f"{what} is not as it should be")
        self._at += 1
        return word

    def skip(self, *words: str) -> str:
        """Take the next word if it is one of these."""
        if self._at < len(self._words) and self._words[self._at] in words:
            self._at += 1
            return self._words[self._at - 1]
        return ""

    @property
    def more(self) -> bool:
        """Whether there are words left."""
        return self._at < len(self._words)

    @property
    def rest(self) -> Sequence[str]:
        """The words that are left."""
        return self._words[self._at :]

    @property
    def cut(self) -> str:
        """Why the word that was taken last may be a part only."""
        return "" if self._whole or self.more else "the text ends with this word, which may go on"

    def mode(self) -> str:
        """Take the access mode, if there are words left; what follows may be passwords."""
        return self.next("its access mode", _MODE) if self.more else ""


def _vdev(operands: _Operands, what: str = "its virtual device number") -> str:
    return operands.next(what, _VDEV).zfill(4)


def _rdev(word: str) -> tuple[str, str]:
    """Return a real device number in full, and why it may be wrong."""
    if len(word) < 4:
        return word.zfill(4), f"the real device number has {len(word)} digits only"
    return word, ""


def _mdisk(place: Place, operands: _Operands) -> Minidisk:
    vdev = _vdev(operands)
    devtype = operands.next("its device type", _TYPE)
    if operands.skip("DEVNO"):
        rdev, weak = _rdev(operands.next("its real device number", _RDEV))
        weak = weak or operands.cut
        return Minidisk(place, vdev, devtype, "device", rdev=rdev, mode=operands.mode(), weak=weak)
    nowhere = operands.skip(*_NOWHERE) or operands.skip("AUTOG", "AUTOR", "AUTOV")
    if nowhere:
        length = int(operands.next("its size", _NUMBER))
        weak = ""
        if nowhere not in _NOWHERE:
            operands.next("its group of volumes", _NAME)
            weak = f"the directory manager chooses the volume ({nowhere})"
        return Minidisk(place, vdev, devtype, nowhere, length=length, mode=operands.mode(), weak=weak)
    first = int(operands.next("its first cylinder or block", _NUMBER))
    length_or_end = None if operands.skip("END") else int(operands.next("its size", _NUMBER))
    label, weak = _label(operands)
    if _MODE.match(label) and not operands.more:
        weak = weak or "its last word may be the access mode, and the label be missing"
    return Minidisk(place, vdev, devtype, "volume", label, "", first, length_or_end, operands.mode(), weak)


def _label(operands: _Operands) -> tuple[str, str]:
    """Take the label of a volume, and why it may be wrong."""
    if operands.skip("&SYSRES"):
        return "", "it is on the volume that CP was loaded from"
    label = operands.next("the label of its volume", _LABEL)
    return label, operands.cut


_KEYWORD: Final = re.compile(r"(VDEV|DEVTYPE|START|COUNT|VOLID|MODE)=(\S*)")


def _by_keyword(place: Place, record: str, whole: bool) -> Minidisk:
    """Read the keyword form of a directory manager: MDISK=VDEV=0102 DEVTYPE=3390 START=1 ..."""
    pairs = [(found[1], found[2]) for found in map(_KEYWORD.fullmatch, record.split()) if found]
    said = dict(pairs)
    if len(said) < len(pairs):
        raise _UnreadError("a keyword stands twice")
    names = ("VDEV", "DEVTYPE", "START", "COUNT", "VOLID", "MODE")
    missing = next((name for name in names[:-1] if name not in said), "")
    if missing:
        raise _UnreadError(f"{missing} is missing")
    last = record.rsplit(None, 1)[-1].startswith("VOLID=")
    words = [said[name] for name in names if name in said]
    disk = _mdisk(place, _Operands(words, whole=True))
    return disk if whole or not last else disk._replace(weak="the text ends with this word, which may go on")


def _dedicate(place: Place, operands: _Operands) -> Dedicated:
    vdev = _vdev(operands)
    rdev = volser = weak = ""
    if operands.skip("VOLID"):
        volser = operands.next("the label of its volume", _LABEL)
    else:
        word = operands.next("its real device", _LABEL)
        if len(word) < 5:
            if not _RDEV.match(word):
                raise _UnreadError("its real device is not as it should be")
            rdev, weak = _rdev(word)
        elif len(word) == 5 and _RDEV.match(word):
            rdev = volser = word
            weak = f"{word} {EITHER}"
        else:
            volser = word
    mode = "R/O" if "R/O" in operands.rest else ""
    return Dedicated(place, vdev, rdev, volser, mode, weak or operands.cut)


def _link(place: Place, operands: _Operands) -> Link:
    user = operands.skip("*") or operands.next("the guest that owns the device", _NAME)
    theirs = _vdev(operands, "the number of the owner's device")
    vdev = _vdev(operands) if operands.more else theirs
    return Link(place, user, theirs, vdev, operands.mode())


def _include(place: Place, operands: _Operands) -> Include:
    return Include(place, operands.next("the name of the profile", _NAME))


def _build(place: Place, operands: _Operands) -> Build:
    operands.skip("ON")
    member = operands.skip("*") or operands.next("the name of the member", _NAME)
    operands.skip("USING")
    operands.skip("SUBCONFIG")
    return Build(place, member, operands.next("the name of the SUBCONFIG", _NAME))


_READERS: Final[dict[str, Callable[[Place, _Operands], Statement]]] = {
    "MDISK": _mdisk, "DEDICATE": _dedicate, "LINK": _link, "INCLUDE": _include, "BUILD": _build,
}  # fmt: skip
