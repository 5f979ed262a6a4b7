"""Statements of z/VM's user directory about disks: the meaning of their words.

A statement may be abbreviated, in either case (here it is in capitals); extra words at the end are ignored.
Errors are reported without quoting the statement, because USER, IDENTITY and MDISK have passwords.

Source: z/VM CP Planning and Administration, the chapter on the user directory.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.topology.claims import Claim

CUT: Final = "the text ends with this word, which may be cut"
"""Why both claims about a dedicated device are weak; a list of real devices can decide."""


class DirectoryStatement(NamedTuple):
    """A statement that defines devices of a guest.

    * MDISK: a part of a volume, a whole volume, or a disk that is on none
    * DEDICATE: a real device for this guest alone; of any type, so not always a disk
    * LINK: a device of another guest, or under another number of its own
    * INCLUDE: the statements of a profile apply, too
    * BUILD: on one member of a single system image, the statements of a SUBCONFIG entry apply, too
    """

    name: str
    claims: tuple[Claim, ...] = ()
    """The claims about its device: two, if a word is ambiguous; LINK does not name the volume."""
    other: str = ""
    """The guest that LINK leads to, `*` for the own one; the profile of INCLUDE; the SUBCONFIG of BUILD."""
    there: str = ""
    """The number of LINK's device there; the system on which BUILD holds, `*` for any."""

    @property
    def vdev(self) -> str:
        """The number of its device; empty if it defines none itself."""
        return self.claims[0].vdev if self.claims else ""


ENTRY_STATEMENTS: Final = ("USER", "IDENTITY", "SUBCONFIG", "PROFILE")
"""The statements that begin an entry."""

_SHORTEST: Final = {
    "USER": 1, "IDENTITY": 2, "SUBCONFIG": 4, "PROFILE": 4, "INCLUDE": 3, "BUILD": 3,
    "MDISK": 1, "LINK": 1, "DEDICATE": 3,
}  # fmt: skip
"""The statements that are read, and how far each may be abbreviated.

One letter is enough for USER, MDISK and LINK, two for IDENTITY; of the others only what no other word looks
like is taken.
"""

NO_VOLUME: Final = ("V-DISK", "T-DISK")
"""Minidisks that are on no volume."""

OTHER_STATEMENTS: Final = (
    "ACCOUNT", "ACIGROUP", "ADJUNCT", "APPCPASS", "AUTOLOG", "CLASS", "COMMAND", "CONSOLE", "CPU",
    "CRYPTO", "D8ONECMD", "DASDOPT", "DATEFORMAT", "DIRECTORY", "GLOBALDEFS", "GLOBALOPTS",
    "IOPRIORITY", "IPL", "IUCV", "LOAD", "LOADDEV", "LOGONBY", "MACHINE", "MAXSTORAGE", "MINIOPT",
    "NAMESAVE", "NICDEF", "NOPDATA", "OPTION", "POOL", "POSIXGLIST", "POSIXGROUP", "POSIXINFO",
    "POSIXOPT", "SCREEN", "SHARE", "SPECIAL", "SPOOL", "SPOOLFILE", "SSIPEER", "STDEVOPT",
    "STORAGE", "SYSAFFIN", "VMRELOCATE", "XAUTOLOG", "XCONFIG", "XSTORE",
)  # fmt: skip
"""The statements that name no disk."""

_OTHER_SHORTEST: Final = {"DASDOPT": 5}
"""Three letters are enough for the others; `DASD` begins an answer of CP."""

_NAME: Final = re.compile(r"[A-Z0-9$#@_+:.-]{1,8}\Z")
_VDEV: Final = re.compile(r"[0-9A-F]{1,4}\Z")
_RDEV: Final = re.compile(r"[0-3]?[0-9A-F]{1,4}\Z")
"""The first of five digits is that of a subchannel set."""
_LABEL: Final = re.compile(r"[^\s*,&+=\ufffd]{1,6}\Z")
_TYPE: Final = re.compile(r"(?:\d{4}|FB-512|XXXX)\Z", re.ASCII)
_MODE: Final = re.compile(r"[SE]?(?:RR?|WR?|M[RW]?)[SE]?V?\Z")
_NUMBER: Final = re.compile(r"\d{1,10}\Z", re.ASCII)


class StatementError(ValueError):
    """A statement is not valid; the message does not quote it."""


@lru_cache(maxsize=4096)
def statement_name(word: str) -> str:
    """Return the full name of a statement by its first word; empty when it is none."""
    if word.startswith(_KEYWORDS):
        return "MDISK"
    for name, shortest in _SHORTEST.items():
        if len(word) >= shortest and name.startswith(word):
            return name
    for name in OTHER_STATEMENTS:
        if name == word or (name.startswith(word) and len(word) >= _OTHER_SHORTEST.get(name, 3)):
            return name
    return ""


def entry_name(record: str) -> str:
    """Return the name behind USER, IDENTITY, SUBCONFIG or PROFILE.

    Raises:
        StatementError: there is none.
    """
    return _Operands(record.split()[1:], whole=True).next("its name", _NAME)


def parse_statement(name: str, base: Claim, record: str, *, whole: bool) -> DirectoryStatement:
    """Read a statement by its full name; one that is not `whole` may have lost a part of its last word.

    `base` has the place of the record.

    Raises:
        StatementError: it is not valid.
    """
    if record.startswith(_KEYWORDS):
        return DirectoryStatement(name, (_by_keyword(base, record.removeprefix(_KEYWORDS), whole),))
    operands = _Operands(record.split()[1:], whole)
    match name:
        case "INCLUDE":
            return DirectoryStatement(name, (), operands.next("the name of the profile", _NAME))
        case "BUILD":
            operands.skip("ON")
            member = operands.skip("*") or operands.next("the name of the member", _NAME)
            operands.skip("USING")
            operands.skip("SUBCONFIG")
            return DirectoryStatement(name, (), operands.next("the name of the SUBCONFIG", _NAME), member)
        case "LINK":
            user = operands.skip("*") or operands.next("the guest that owns the device", _NAME)
            theirs = operands.vdev("the number of the owner's device")
            vdev = operands.vdev() if operands.words else theirs
            claim = base._replace(vdev=vdev, mode=operands.mode())
            return DirectoryStatement(name, (claim,), user, theirs)
    base = base._replace(vdev=operands.vdev(), via=name)
    claims = (_mdisk(base, operands),) if name == "MDISK" else _dedicate(base, operands)
    return DirectoryStatement(name, claims)


class _Operands:
    """The words behind a statement, taken one after the other."""

    def __init__(self, operands: Sequence[str], whole: bool) -> None:
        self.words = list(operands)
        """Those that are left."""
        self._whole = whole

    def next(self, what: str, form: re.Pattern[str]) -> str:
        """Take the next word, which must have a form."""
        if not self.words:
            raise StatementError(f"{what} is missing")
        if not form.match(self.words[0]):
            raise StatementError(f"{what} is not valid")
        return self.words.pop(0)

    def skip(self, *keywords: str) -> str:
        """Take the next word if it is one of these."""
        return self.words.pop(0) if self.words and self.words[0] in keywords else ""

    @property
    def cut(self) -> str:
        """The reason why the last word taken may be truncated."""
        return "" if self._whole or self.words else CUT

    def mode(self) -> str:
        """Take the access mode, if there are words left; what follows may be passwords."""
        return self.next("its access mode", _MODE) if self.words else ""

    def vdev(self, what: str = "its virtual device number") -> str:
        """Take the number of a virtual device."""
        return self.next(what, _VDEV).zfill(4)


def _rdev(word: str) -> tuple[str, str]:
    """Return a real device number in full, and why it may be wrong."""
    if len(word) < 4:
        return word.zfill(4), f"the real device number has {len(word)} digits only"
    return word, ""


def _mdisk(base: Claim, operands: _Operands) -> Claim:
    """Return the statement of a minidisk; `via` shows that it is on no volume."""
    operands.next("its device type", _TYPE)
    if operands.skip("DEVNO"):
        rdev, weak = _rdev(operands.next("its real device number", _RDEV))
        weak = weak or operands.cut
        return base._replace(rdev=rdev, mode=operands.mode(), weak=weak)
    nowhere = operands.skip(*NO_VOLUME)
    manager = nowhere or operands.skip("AUTOG", "AUTOR", "AUTOV")
    if manager:
        length = int(operands.next("its size", _NUMBER))
        weak = ""
        if not nowhere:
            operands.next("its group of volumes", _NAME)
            weak = f"the directory manager chooses the volume ({manager})"
        return base._replace(via=nowhere or base.via, length=length, mode=operands.mode(), weak=weak)
    first = int(operands.next("its first cylinder or block", _NUMBER))
    length_or_end = None if operands.skip("END") else int(operands.next("its size", _NUMBER))
    label, weak = _label(operands)
    if _MODE.match(label) and not operands.words:
        weak = weak or "its last word may be the access mode, and the label be missing"
    mode = operands.mode()
    return base._replace(volser=label, first=first, length=length_or_end, mode=mode, weak=weak)


def _label(operands: _Operands) -> tuple[str, str]:
    """Take the label of a volume, and why it may be wrong."""
    if operands.skip("&SYSRES"):
        return "", "it is on the volume that CP was loaded from"
    label = operands.next("the label of its volume", _LABEL)
    return label, operands.cut


_KEYWORDS: Final = "MDISK="
"""How the keyword form of a directory manager begins."""
_KEYWORD: Final = re.compile(r"(VDEV|DEVTYPE|START|COUNT|VOLID|MODE)=(\S*)")


def _by_keyword(base: Claim, record: str, whole: bool) -> Claim:
    """Read the keyword form of a directory manager: MDISK=VDEV=0102 DEVTYPE=3390 START=1 ..."""
    pairs = [(match[1], match[2]) for match in map(_KEYWORD.fullmatch, record.split()) if match]
    said = dict(pairs)
    if len(said) < len(pairs):
        raise StatementError("a keyword occurs twice")
    names = ("VDEV", "DEVTYPE", "START", "COUNT", "VOLID", "MODE")
    missing = next((name for name in names[:-1] if name not in said), "")
    if missing:
        raise StatementError(f"{missing} is missing")
    last = record.rsplit(None, 1)[-1].startswith("VOLID=")
    operands = _Operands([said[name] for name in names if name in said], whole=True)
    disk = _mdisk(base._replace(vdev=operands.vdev(), via="MDISK"), operands)
    return disk if whole or not last else disk._replace(weak=CUT)


def ambiguous(word: str) -> str:
    """Return why a claim about a real device, or about a volume, may be wrong: it has the form of both."""
    return f"{word} is a device number or a label: both have this form"


def _dedicate(base: Claim, operands: _Operands) -> tuple[Claim, ...]:
    rdev = volser = weak = ""
    if operands.skip("VOLID"):
        volser = operands.next("the label of its volume", _LABEL)
    else:
        word = operands.next("its real device", _LABEL)
        if len(word) < 5:
            if not _RDEV.match(word):
                raise StatementError("its real device is not valid")
            rdev, weak = _rdev(word)
        elif len(word) == 5 and _RDEV.match(word):
            rdev = volser = word
            weak = ambiguous(word)
        else:
            volser = word
    base = base._replace(mode="R/O" if "R/O" in operands.words else "", weak=weak or operands.cut)
    claims = (base._replace(rdev=rdev) if rdev else None, base._replace(volser=volser) if volser else None)
    return tuple(filter(None, claims))
