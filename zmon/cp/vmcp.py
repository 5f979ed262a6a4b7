"""/dev/vmcp: asking CP, the control program of z/VM, below which this Linux is a guest.

Only the queries of `WHITELIST` can be asked.  Each is a fixed text with at most one number, whose form is
checked; no other input of a person or a file reaches CP.  None of them changes anything.

The device, for each command (drivers/s390/char/vmcp.c):

* opening it needs CAP_SYS_ADMIN, whatever its file mode says;
* the buffer for the answer is set first: ioctl VMCP_SETBUF, up to 1 MiB;
* the command, at most 240 bytes of ASCII without an end of line, is written;
* ioctl VMCP_GETCODE gives CP's return code, VMCP_GETSIZE the bytes that the answer has, which may be more
  than the buffer: the command has run all the same, and is sent once more with a larger one;
* the answer is read, lines that end with a newline.

What CP allows depends on the privilege class of the guest, so an answer may be a refusal with a return code.

**A command is expensive**: it runs under one lock of the kernel with the interrupts of a CPU disabled, and
cannot be interrupted.  So zmon waits between commands, limits them per minute, keeps their answers for a
while, and runs each in a thread of its own, which is abandoned when CP does not answer.
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
"""Size in bytes of the buffer for an answer: the lines of 900 disks."""
MAX_ANSWER: Final = 1 << 20
"""The largest buffer that the kernel allows, in bytes."""

GAP: Final = 0.2
"""Seconds between the end of a command and the next, at the least."""
A_MINUTE: Final = 20
"""Commands within a minute, at the most."""
AGE: Final = 60.0
"""Seconds for which an answer is valid."""
DEADLINE: Final = 10.0
"""Seconds that CP may take for an answer."""

_FORMS: Final = {
    "vdev": ("the number of a virtual device, as 191", re.compile(r"[0-9A-F]{1,4}", re.ASCII)),
    "rdev": ("the number of a real device, as 7000", re.compile(r"[0-3]?[0-9A-F]{4}", re.ASCII)),
    "chpid": ("a channel path id, as 4F", re.compile(r"[0-9A-F]{2}", re.ASCII)),
}
"""The operands of commands: their name in messages and the form that they must have."""


class CpError(ValueError):
    """CP was not asked, or did not answer; the message is the reason and what to do."""


class Query(NamedTuple):
    """One query that may be sent to CP."""

    command: str
    operand: str
    """The operand that the command needs: `vdev`, `rdev`, `chpid`, or none."""
    privilege: str
    """The classes that may send it: `G` is every guest, `any` needs none."""
    description: str


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
"""All queries that can be sent, by zmon's name for them."""

EVERYBODY: Final = tuple(
    name
    for name, query in WHITELIST.items()
    if not query.operand and {"any", "G"} & set(query.privilege.split())
)
"""The queries that every guest may send and that need no operand."""


class CpAnswer(NamedTuple):
    """One answer of CP."""

    command: str
    text: str
    """As it came; bytes that are no UTF-8 are replacement characters, binary zeros blanks."""
    code: int = 0
    """CP's return code, the number of its message; 0 for success."""
    whole: bool = True
    """False when the answer was longer than what was read."""
    utc: int = 0
    """When it was answered, in ns since 1970."""

    @property
    def problem(self) -> str:
        """The error and what to do about it; empty when there is none."""
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
        """Set the size in bytes of the buffer for the next answer; the kernel refuses more than 1 MiB."""
        fcntl.ioctl(self._fd, _SETBUF, bytearray(size.to_bytes(4, sys.byteorder)), True)

    def write(self, command: bytes) -> None:
        """Run a command; returns when CP has."""
        os.write(self._fd, command)

    def code(self) -> int:
        """Return CP's return code of the last command."""
        return self._number(_GETCODE)

    def size(self) -> int:
        """Return the size in bytes of the last answer, including the bytes that did not fit the buffer."""
        return self._number(_GETSIZE)

    def read(self) -> bytes:
        """Return the last answer, as far as it fits the buffer."""
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
    """Send a query to CP from this thread, which may have to wait without limit.

    Raises:
        OSError: as the kernel reports it.
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
    """Sends queries to CP, with a minimum time between commands, and keeps the answers for a while."""

    def __init__(
        self,
        open_device: Callable[[], VmcpDevice] = VmcpDevice,
        deadline: float = DEADLINE,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare; no query is sent yet."""
        self._open = open_device
        self._deadline = deadline
        self._clock = clock
        self._sleep = sleep
        self._kept: dict[str, tuple[float, CpAnswer]] = {}
        self._begun: list[float] = []
        """When commands of the last minute began."""
        self._ended = float("-inf")
        self._asked = ""
        """The command that was last sent to CP."""
        self._worker = Worker()
        """The thread that waits for its answer."""

    def ask(self, name: str, operand: str = "", age: float = AGE) -> CpAnswer:
        """Return CP's answer to a query of the whitelist; it may be up to `age` seconds old.

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
        answer = self._receive(self._deadline)
        if answer is None:
            raise CpError(f"{command}: CP does not answer within {self._deadline:g} seconds")
        return answer

    def _pace(self, command: str) -> None:
        """Wait for the minimum time since the last command, and count this one."""
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
        """Return and keep the outstanding answer, if there is one and it comes in time."""
        outcome = self._worker.outcome(seconds) if self._worker.is_busy else None
        if outcome is None:
            return None
        self._ended = self._clock()
        answer, error = outcome
        if error is None:
            self._kept[self._asked] = self._ended, answer
        elif not seconds:  # too late for the caller
            return None
        elif isinstance(error, OSError):
            raise CpError(refused(error)) from error
        else:
            raise error
        reply: CpAnswer = answer
        return reply


def refused(error: OSError) -> str:
    """Return why CP could not be asked, and what to do."""
    match error.errno:
        case errno.ENOENT | errno.ENXIO | errno.ENODEV:
            return f"no {DEVICE}: this is no z/VM guest, or the module is not loaded (modprobe vmcp)"
        case errno.EACCES | errno.EPERM:
            return f"{DEVICE} needs root (CAP_SYS_ADMIN)"
        case errno.ENOMEM:
            return f"{DEVICE}: the kernel has no memory for an answer of this size"
    return f"{DEVICE}: {error.strerror or error}"
