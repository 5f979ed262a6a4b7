"""What CP, CMS and vmcp say of a command: messages, return codes, failures, and that there is nothing.

CP has no message that a query is not permitted: it answers that an operand or the command is not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.mask import masked

if TYPE_CHECKING:
    from zmon.cp.noise import Line


class Message(NamedTuple):
    """A message of CP: `HCPQVD040E Device 0600 does not exist`."""

    number: int
    module: str
    """Three letters; QVD looks among virtual devices, QDV among real ones."""
    severity: str
    text: str
    command: str
    """The command that was answered so; empty when it does not stand before."""
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.number}:{self.module}:{self.text[:80]}:{self.command}"


class Return(NamedTuple):
    """A return code, from CMS or vmcp; of a CP command it is the number of the message."""

    code: int
    command: str
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return f"{self.code}:{self.command}"


class Failure(NamedTuple):
    """What went wrong with the command itself, as vmcp says it."""

    sort: str
    """`truncated`, `forbidden`, `absent`, `too long`, `other`."""
    needed: int | None
    """Bytes of the whole answer that was truncated."""
    text: str
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.text[:200]


class Nothing(NamedTuple):
    """A sentence that says there is none: an answer, no error."""

    text: str
    line: int
    weak: str = ""

    @property
    def key(self) -> str:
        """What the row is about."""
        return self.text


_MESSAGE: Final = re.compile(r"(?:.{0,80}?\s)?HCP([A-Z0-9]{3})([0-9]{3,4})([ADEIRSTW])\b ?(.*)")
_READY: Final = re.compile(r"Ready(?:\((-?[0-9]{1,9})\))?;(?: T=.*)?")
_CODE: Final = re.compile(r"Error: non-zero CP response for command '(.*)': #(-?[0-9]{1,9})")
_FAILURE: Final = re.compile(r"Error: (.*)")
_TRUNCATED: Final = re.compile(r"output \(([0-9]{1,12}) bytes\) was truncated.*")
_NOTHING: Final = re.compile(
    r"(?:An?|No) .{1,60} (?:was|were|are) (?:not found|available)\.?|No users in .{1,40}"
)


def message(line: Line, command: str) -> Message | Return | Failure | Nothing | None:
    """Read what is said of a command; a prompt that says all was well is a return code of zero."""
    text = line.text
    if found := _READY.fullmatch(text):
        return Return(int(found[1] or 0), command, line.number)
    if found := _CODE.fullmatch(text):
        return Return(int(found[2]), masked(found[1].upper()), line.number)
    if found := _FAILURE.fullmatch(text):
        return _failure(masked(found[1]), line.number)
    if found := _MESSAGE.fullmatch(text):
        return Message(int(found[2]), found[1], found[3], found[4], command, line.number)
    if _NOTHING.fullmatch(text):
        return Nothing(text, line.number)
    return None


def _failure(text: str, number: int) -> Failure:
    if found := _TRUNCATED.fullmatch(text):
        return Failure("truncated", int(found[1]), text, number)
    if text.startswith("Could not open device"):
        refused = text.endswith("Permission denied")
        return Failure("forbidden" if refused else "absent", None, text, number)
    too_long = text.startswith(("Command too long", "Invalid buffersize"))
    return Failure("too long" if too_long else "other", None, text, number)
