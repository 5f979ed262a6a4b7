"""/dev/vmcp: asking CP, the control program of z/VM, below which this Linux is a guest.

Only the queries of `WHITELIST` can be asked.  Each is a fixed text, at the most with one number that has to
have the form of one; nothing else that a person or a file says reaches CP.  None of them changes anything.

The device, for each command (drivers/s390/char/vmcp.c):

* opening it needs CAP_SYS_ADMIN, whatever its file mode says;
* the room for the answer is set first: ioctl VMCP_SETBUF, up to 1 MiB;
* the command, at most 240 bytes of ASCII without an end of line, is written;
* ioctl VMCP_GETCODE gives CP's return code, VMCP_GETSIZE the bytes that the answer has, which may be more
  than there was room for: the command has run all the same, and is asked once more with that room;
* the answer is read, lines that end with a newline.

What CP allows depends on the privilege class of the guest, so an answer may be a refusal with a return code.

**A command costs**: it runs under one lock of the kernel with the interrupts of a CPU disabled, and cannot be
interrupted.  So commands keep a distance, are counted by the minute, their answers are kept for a while, and
each runs in a thread of its own, which is abandoned when CP does not answer.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.kernel.deadline import Worker

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICE: Final = "/dev/vmcp"
ROOM: Final = 64 << 10
"""Bytes of room for an answer: the lines of 900 disks."""
MAX_ANSWER: Final = 1 << 20
"""The kernel gives no more room than this."""
MAX_COMMAND: Final = 240
"""Bytes that a command may have."""

GAP: Final = 0.2
"""Seconds between the end of a command and the next, at the least."""
A_MINUTE: Final = 20
"""Commands within a minute, at the most."""
AGE: Final = 60.0
"""Seconds for which an answer is good."""
DEADLINE: Final = 10.0
"""Seconds that CP may take for an answer."""

_FORMS: Final = {
    "vdev": ("the number of a virtual device, as 191", re.compile(r"[0-9A-F]{1,4}", re.ASCII)),
    "rdev": ("the number of a real device, as 7000", re.compile(r"[0-3]?[0-9A-F]{4}", re.ASCII)),
    "chpid": ("a channel path id, as 4F", re.compile(r"[0-9A-F]{2}", re.ASCII)),
}
"""What may be put into a command, in words, and the one form it may have."""


class CpError(ValueError):
    """CP was not asked, or did not answer; one sentence says why and what to do."""


class Query(NamedTuple):
    """One question that may be put to CP."""

    command: str
    operand: str
    """What the command needs behind it: `vdev`, `rdev`, `chpid`, or nothing."""
    privilege: str
    """The classes that may ask it: `G` is every guest, `any` needs none."""
    tells: str


WHITELIST: Final = {
    "userid": Query("QUERY USERID", "", "any", "the name of this guest and of the system"),
    "privclass": Query("QUERY PRIVCLASS", "", "any", "the privilege classes of this guest"),
    "cplevel": Query("QUERY CPLEVEL", "", "any", "the release of z/VM"),
    "virtual-dasd": Query("QUERY VIRTUAL DASD", "", "G", "own disks: real device, label, size"),
    "virtual-all": Query("QUERY VIRTUAL ALL", "", "G", "all own devices"),
    "virtual-fcp": Query("QUERY VIRTUAL FCP", "", "G", "own FCP devices: real device, channel path"),
    "virtual-pav": Query("QUERY VIRTUAL PAV", "", "G", "own base and alias devices"),
    "virtual-cpus": Query("QUERY VIRTUAL CPUS", "", "G", "own virtual CPUs"),
    "virtual": Query("QUERY VIRTUAL", "vdev", "G", "one own device"),
    "load": Query("INDICATE LOAD", "", "E G", "how busy the processors of the system are"),
    "user": Query("INDICATE USER", "", "E G", "what this guest has used"),
    "dasd": Query("QUERY DASD ALL", "", "B", "the real disks: label, who has them"),
    "dasd-one": Query("QUERY DASD", "rdev", "B", "one real disk"),
    "details": Query("QUERY DASD DETAILS", "rdev", "B", "one real disk: control unit, subsystem id, size"),
    "paths": Query("QUERY PATHS", "rdev", "B E", "the channel paths to a real device"),
    "chpid": Query("QUERY CHPID", "chpid", "B", "the devices on a channel path"),
    "cache": Query("QUERY CACHE", "rdev", "B", "the cache of a storage subsystem"),
    "pav": Query("QUERY PAV", "", "B", "real base and alias devices"),
    "system": Query("QUERY SYSTEM", "rdev", "B", "who is linked to the minidisks of a volume"),
    "alloc-page": Query("QUERY ALLOC PAGE", "", "D", "the paging space by volume"),
    "alloc-spool": Query("QUERY ALLOC SPOOL", "", "D", "the spool space by volume"),
    "processors": Query("QUERY PROCESSORS", "", "A B C E", "the processors of the partition"),
    "queues": Query("INDICATE QUEUES", "", "E", "who waits for what"),
    "paging": Query("INDICATE PAGING", "", "E", "who pages"),
    "io": Query("INDICATE I/O", "", "E", "who waits for I/O"),
}  # fmt: skip
"""Everything that can be asked, by the name it has here."""

EVERYBODY: Final = tuple(
    name
    for name, query in WHITELIST.items()
    if not query.operand and {"any", "G"} & set(query.privilege.split())
)
"""What every guest may ask, and needs nothing to be named."""


class CpAnswer(NamedTuple):
    """What CP answered."""

    command: str
    text: str
    """As it came; bytes that are no UTF-8 are replacement characters, binary zeros blanks."""
    code: int = 0
    """CP's return code, the number of its message; 0 when all went well."""
    whole: bool = True
    """False when there was more than could be read."""
    utc: int = 0
    """When it was answered, in ns since 1970."""

    @property
    def problem(self) -> str:
        """What went wrong, so that a person can act on it; empty when nothing did."""
        if self.code in (1, 3):
            return (
                f"{self.command}: not available for this guest's privilege class, or in this release of z/VM"
            )
        if self.code:
            said = re.search(r"\bHCP[A-Z0-9]{3}\d{3,4}[A-Z]\b.*", self.text)
            return f"{self.command}: {said[0].strip() if said else f'CP ended with return code {self.code}'}"
        return (
            ""
            if self.whole
            else f"{self.command}: the answer has more than {MAX_ANSWER:,} bytes and was cut off"
        )


_SETBUF: Final = 0x40041002
_GETCODE: Final = 0x80041001
_GETSIZE: Final = 0x80041003


class VmcpDevice:
    """/dev/vmcp, open."""

    def __init__(self) -> None:
        self._fd = os.open(DEVICE, os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)

    def resize(self, size: int) -> None:
        """Make so many bytes of room for the next answer; refused beyond 1 MiB."""
        fcntl.ioctl(self._fd, _SETBUF, bytearray(size.to_bytes(4, sys.byteorder)), True)

    def write(self, command: bytes) -> None:
        """Run a command; returns when CP has."""
        os.write(self._fd, command)

    def code(self) -> int:
        """Return CP's return code of the last command."""
        return self._number(_GETCODE)

    def size(self) -> int:
        """Return how many bytes the last answer has, also those that there was no room for."""
        return self._number(_GETSIZE)

    def read(self) -> bytes:
        """Return the last answer, as far as there was room."""
        parts = []
        while part := os.read(self._fd, MAX_ANSWER):
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        """Close the device."""
        os.close(self._fd)

    def _number(self, request: int) -> int:
        room = bytearray(4)
        fcntl.ioctl(self._fd, request, room, True)
        return int.from_bytes(room, sys.byteorder, signed=True)


def command_of(name: str, operand: str = "") -> str:
    """Return the text of a query, the only way to make one.

    Raises:
        CpError: there is no such query, or the operand has not the form it needs.
    """
    query = WHITELIST.get(name)
    if query is None:
        raise CpError(f"{name!r} is no query that may be put to CP; zmon cp list names those that may")
    if not query.operand:
        if operand:
            raise CpError(f"{query.command} takes no operand")
        return query.command
    number = operand.upper()
    what, form = _FORMS[query.operand]
    if form.fullmatch(number) is None:
        raise CpError(f"{query.command} needs {what}, in hex digits, not {operand!r}")
    return f"{query.command} {number}"


def run(command: str, open_device: Callable[[], VmcpDevice] = VmcpDevice, room: int = ROOM) -> CpAnswer:
    """Put a query to CP here and now; the caller may have to wait without limit.

    Raises:
        OSError: as the kernel said it.
    """
    device = open_device()
    try:
        for again in (True, False):
            device.resize(room)
            device.write(command.encode("ascii"))
            size = device.size()
            if size <= room or room == MAX_ANSWER or not again:
                break
            room = min(MAX_ANSWER, -(-size // 4096) * 4096)
        code = device.code()
        text = device.read().decode("utf-8", "replace").replace("\0", " ")
        return CpAnswer(command, text, code, size <= room, time.time_ns())
    finally:
        device.close()


class Cp:
    """Asks CP, with a distance between commands, and keeps the answers for a while."""

    def __init__(
        self,
        open_device: Callable[[], VmcpDevice] = VmcpDevice,
        deadline: float = DEADLINE,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Ask nothing yet."""
        self._open = open_device
        self._deadline = deadline
        self._clock = clock
        self._sleep = sleep
        self._kept: dict[str, tuple[float, CpAnswer]] = {}
        self._begun: list[float] = []
        """When commands of the last minute began."""
        self._ended = float("-inf")
        self._asked = ""
        """The command that was put to CP last."""
        self._worker = Worker()
        """Waits for its answer."""

    def ask(self, name: str, operand: str = "", age: float = AGE) -> CpAnswer:
        """Return CP's answer to a query of the whitelist; one that is not older than `age` seconds is good.

        Raises:
            CpError: it cannot be asked, or CP does not answer; the message says why.
        """
        command = command_of(name, operand)
        self._receive(0)
        at, answer = self._kept.get(command, (0.0, None))
        if answer is not None and self._clock() - at <= age:
            return answer
        if self._worker.is_busy:
            raise CpError(f"{command}: not asked, because CP has not answered {self._asked} yet")
        self._pace(command)
        self._asked, self._worker = command, Worker("vmcp")
        self._worker.start(partial(run, command, self._open), last=True)
        found = self._receive(self._deadline)
        if found is None:
            raise CpError(f"{command}: CP does not answer within {self._deadline:g} seconds")
        return found

    def _pace(self, command: str) -> None:
        """Keep the distance to the last command, and count this one."""
        now = self._clock()
        self._begun = [begun for begun in self._begun if now - begun < 60]
        if len(self._begun) >= A_MINUTE:
            raise CpError(
                f"{command}: not asked, because CP was asked {A_MINUTE} times within a minute; wait a little"
            )
        if now - self._ended < GAP:
            self._sleep(GAP - (now - self._ended))
        self._begun.append(self._clock())

    def _receive(self, seconds: float) -> CpAnswer | None:
        """Return and keep the answer that CP owes, if there is one and it comes in time."""
        outcome = self._worker.outcome(seconds) if self._worker.is_busy else None
        if outcome is None:
            return None
        self._ended = self._clock()
        answer, error = outcome
        if error is None:
            self._kept[self._asked] = self._ended, answer
        elif not seconds:  # too late for whoever asked
            return None
        elif isinstance(error, OSError):
            raise CpError(refused(error)) from error
        else:
            raise error
        found: CpAnswer = answer
        return found


def refused(error: OSError) -> str:
    """Say why CP could not be asked, so that a person can act on it."""
    match error.errno:
        case errno.ENOENT | errno.ENXIO | errno.ENODEV:
            return f"no {DEVICE}: this is no z/VM guest, or the module is not loaded (modprobe vmcp)"
        case errno.EACCES | errno.EPERM:
            return f"{DEVICE} needs root (CAP_SYS_ADMIN)"
        case errno.ENOMEM:
            return f"{DEVICE}: the kernel has no memory for an answer of this size"
    return f"{DEVICE}: {error.strerror or error}"
