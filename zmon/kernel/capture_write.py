"""Capturing: writing this machine's kernel files into an archive that zmon reads elsewhere.

The archive is a gzipped tar in PAX format.  Each pass is a directory (`pass-0001`, ...) that looks
like a root, with the files as they were read, the moment of reading as their times, links as
links, and `CAPTURE.txt`: when it was, and what could not be read and why.  Answers of ioctls
are `ioctl/DISK/NAME.bin`, tables of the device mapper `ioctl/dm/NUMBER.table`, that of the sthyi system
call is `syscall/s390_sthyi.bin`.  The caller may add files: answers of CP are `cp/NAME.txt`.

Only files that `zmon.registry` and readers name are read, those of processes when asked for,
/proc/PID/mountinfo of one process of each other mount namespace, and excerpts of some files
(`zmon.kernel.setting`).  None of them starts I/O, and none is a trigger: what sends a command to a device or
an adapter each time it is read (`host_access_count`, `capacity/space_*`, the statistics of FCP hosts, zfcp's
diagnostics) are not among them.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import re
import stat
import tarfile
import tempfile
import time
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import IO, TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.clock import MILLISECOND, SECOND
from zmon.kernel import block_ioctl, dasd_ioctl, diag204, multipathd, path_reader, processes, sysinfo, zfcp
from zmon.kernel.capture_tree import CapturedFile, CapturedFolder, CapturedLink, CaptureError, PathResolver
from zmon.kernel.ccw_device import OF_DASD, OF_DEVICE, OF_SUBCHANNEL
from zmon.kernel.cgroup import captured_files
from zmon.kernel.channel_path import OF_CHANNEL
from zmon.kernel.deadline import call_within
from zmon.kernel.disk_identity import OF_DISK
from zmon.kernel.mountinfo import namespaces
from zmon.kernel.net_dev import CARDS, OF_CARD, STATE_OF_CARD
from zmon.kernel.pci_function import DEVICES, OF_FUNCTION
from zmon.kernel.proc_stat import CPUS, IDLE, OF_CPU
from zmon.kernel.setting import FILES, private_excerpts
from zmon.kernel.tree import CSS, LiveTree, names_in, text
from zmon.kinds import MPATH
from zmon.registry import SOURCES, UNREAD_COUNTERS, UNREAD_IDENTITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zmon.kernel.capture_tree import Node
    from zmon.kernel.dasd_ioctl import Question

    Beside = Callable[[], Mapping[str, bytes | OSError]]


NOT_REGULAR: Final = "not a regular file"
SELDOM_SECONDS: Final = 10.0
"""Passes at least so far apart read the files that sources declare as `seldom`."""

CHEAP: Final = (dasd_ioctl.BIODASDINFO2,)
"""Put to every DASD."""
COSTLY: Final = (dasd_ioctl.BIODASDREADALLCMB, dasd_ioctl.BIODASDPSRD)
"""Put to every DASD when everything is wanted: the first may wait for I/O, the second starts some."""

QUESTION_DEADLINE: Final = 5.0
"""Seconds that a costly question may take."""

ATTRIBUTES: Final = {
    f"{CSS}/chp*": OF_CHANNEL,
    f"{CSS}/*.?.????": OF_SUBCHANNEL,
    f"{CSS}/*.?.????/*.?.????": OF_DEVICE | OF_DASD,
    f"{CPUS}/cpu*": OF_CPU,
    f"{zfcp.HOSTS}/*": zfcp.OF_HOST,
    f"{zfcp.PORTS}/*": zfcp.OF_PORT,
    f"{zfcp.DEVICES}/*/device": zfcp.OF_LUN,
    f"{CARDS}/*": OF_CARD | STATE_OF_CARD,
    f"{DEVICES}/*": OF_FUNCTION,
    **{f"sys/block/{begin}*": files for begin, files in OF_DISK.items()},
}
"""Attributes of things, by the directories of these."""
COUNTERS: Final = (
    *UNREAD_COUNTERS,
    *(path for source in SOURCES for path in source.counters),
    *(f"{zfcp.DEVICES}/*/device/{file}" for file, _ in zfcp.COUNTS.values()),
    *(f"{CPUS}/cpu*/{file}" for file, _ in IDLE.values()),
)
"""Patterns of the files that a pass reads first, ..."""
SELDOM: Final = tuple(path for source in SOURCES for path in source.seldom)
"""... of those that not every pass reads, ..."""
IDENTITY: Final = (
    *UNREAD_IDENTITY,
    *(path for source in SOURCES for path in source.identity),
    *FILES.values(),
    *(f"{place}/{file}" for place, files in ATTRIBUTES.items() for file, _ in files.values()),
)
"""... and of the others."""

_ALTERNATIVES: Final = re.compile(r"\{([^{}]*)\}")


@dataclass
class CapturePass:
    """The content of one pass."""

    begin: int
    """When it began, in ns since 1970."""
    counted: int = 0
    """When the counters had been read."""
    end: int = 0
    nodes: dict[str, Node] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    refused: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Mode and reason of what could not be read."""

    @property
    def files(self) -> list[CapturedFile]:
        """What could be read."""
        return [node for node in self.nodes.values() if isinstance(node, CapturedFile)]


@dataclass
class CaptureSummary:
    """The totals of a capture."""

    passes: int = 0
    files: int = 0
    bytes: int = 0
    seconds: float = 0.0
    refused: dict[str, str] = field(default_factory=dict)
    """Reasons by path, of all passes."""

    def count(self, gathered: CapturePass, seconds: float) -> None:
        """Add a pass, which was complete after `seconds`."""
        self.passes += 1
        self.files += len(gathered.files)
        self.bytes += sum(len(file.data) for file in gathered.files)
        self.refused.update((f"/{path}", why) for path, (_mode, why) in gathered.refused.items())
        self.seconds = seconds


# --- reading ----------------------------------------------------------------------------------


def gather(
    root: str = "/",
    *,
    seldom: bool = False,
    everything: bool = False,
    with_processes: bool = False,
    beside: Beside = dict,
) -> CapturePass:
    """Read the files of one pass below `root`, and add those that `beside` returns, by path.

    Ioctls and system calls are made only if `root` is `/`: they are about this machine.
    """
    gathered = CapturePass(time.time_ns())
    reading = _Reading(root, gathered)
    reading.match(captured_files(reading.tree))
    if with_processes:
        reading.match(processes.captured_files(reading.tree))
    reading.match(COUNTERS)
    if seldom or everything:
        reading.match(SELDOM)
    gathered.counted = time.time_ns()
    if reading.tree.root == "/":
        _call(reading, (*CHEAP, *COSTLY) if everything else CHEAP)
    reading.match(IDENTITY)
    others, refused = namespaces(reading.tree)
    for name, mounts in others.items():
        reading.keep(f"proc/{name}/mountinfo", mounts)
    for path, error in refused.items():
        if error.errno != errno.ENOENT:
            reading.refuse(path, error)
    for path, excerpt in private_excerpts(reading.tree).items():
        reading.keep(path, excerpt)
    for path, content in beside().items():
        if isinstance(content, OSError):
            reading.refuse(path, content)
        else:
            reading.keep(path, content)
    gathered.end = time.time_ns()
    return gathered


Patterns = dict[str, "Patterns"]
"""Patterns by their first parts; the end of a pattern has the key ``""``."""


def _arranged(paths: Iterable[str]) -> Patterns:
    """Arrange patterns by their parts, so that each directory is read once."""
    patterns: Patterns = {}
    for path in (path for pattern in paths for path in spelled_out(pattern)):
        here = patterns
        for part in path.split("/"):
            here = here.setdefault(part, {})
        here[""] = {}
    return patterns


def spelled_out(pattern: str) -> list[str]:
    """Return a pattern once for each of its alternatives: `{a,b}/c` is `a/c` and `b/c`."""
    match = _ALTERNATIVES.search(pattern)
    if not match:
        return [pattern]
    before, after = pattern[: match.start()], pattern[match.end() :]
    return [path for name in match[1].split(",") for path in spelled_out(f"{before}{name}{after}")]


class _Reading:
    """Reads what patterns name, once, with the links on the way."""

    def __init__(self, root: str, gathered: CapturePass) -> None:
        self.tree = LiveTree(root)
        self.found = gathered
        self._inside = PathResolver(self._target)

    def match(self, patterns: Iterable[str]) -> None:
        """Read what the patterns name."""
        self._enter("", _arranged(patterns))

    def keep(self, path: str, data: bytes, mode: int = 0o444) -> None:
        """Put content into the pass, as read now."""
        self.found.nodes[path] = CapturedFile(data, time.time_ns())
        self.found.modes[path] = mode

    def ask(self, path: str, call: Callable[[], bytes]) -> None:
        """Put the answer to a call into the pass."""
        try:
            self.keep(path, call())
        except OSError as error:
            self.refuse(path, error)
        except ValueError as error:
            self.refuse(path, OSError(errno.EIO, str(error)))

    def refuse(self, path: str, error: OSError, mode: int = 0) -> None:
        """Note that something exists and cannot be read."""
        self.found.refused[path] = mode, error.strerror or str(error)

    def _enter(self, directory: str, patterns: Patterns) -> None:
        """Follow the patterns from a directory, whose path has no links."""
        names: list[str] = []
        if any("*" in part or "?" in part for part in patterns):
            try:
                names = self.tree.entries(directory)
            except OSError as error:
                self.refuse(directory, error, self._mode(directory))
                return
            self.found.nodes.setdefault(directory, CapturedFolder(time.time_ns()))
        for part, onward in patterns.items():
            if not part:
                continue
            exact = not ("*" in part or "?" in part)
            for name in [part] if exact else [name for name in names if fnmatchcase(name, part)]:
                try:
                    self._step(f"{directory}/{name}".lstrip("/"), onward)
                except (FileNotFoundError, NotADirectoryError):
                    continue  # not on this machine, or gone meanwhile
                except PermissionError as error:  # nothing below the directory may be read
                    self.refuse(directory, error, self._mode(directory))
                    return
                except OSError as error:
                    self.refuse(f"{directory}/{name}".lstrip("/"), error)

    def _step(self, path: str, onward: Patterns) -> None:
        mode = os.lstat(self.tree.root + path).st_mode
        if stat.S_ISLNK(mode):
            self._target(path)
            if any(onward):  # patterns go on behind the link
                path = self._inside.physical(path)
            mode = os.lstat(self.tree.root + path).st_mode
        if stat.S_ISDIR(mode):
            if "" in onward:
                self.found.nodes.setdefault(path, CapturedFolder(time.time_ns()))
            self._enter(path, onward)
        elif "" in onward and not stat.S_ISLNK(mode) and path not in self.found.nodes:
            self._read(path, stat.S_IMODE(mode), regular=stat.S_ISREG(mode))

    def _read(self, path: str, mode: int, *, regular: bool) -> None:
        if not regular:
            self.refuse(path, OSError(errno.EINVAL, NOT_REGULAR), mode)
        elif not mode & 0o444:
            self.refuse(path, OSError(errno.EACCES, "write-only"), mode)
        else:
            try:
                self.keep(path, self.tree.read(path, diag204.AT_ONCE if "hypfs" in path else 65536), mode)
            except FileNotFoundError:
                pass
            except OSError as error:
                self.refuse(path, error, mode)

    def _target(self, path: str) -> str | None:
        try:
            text = self.tree.link(path)
        except OSError as error:
            if error.errno == errno.EINVAL:
                return None
            raise
        self.found.nodes.setdefault(path, CapturedLink(text, time.time_ns()))
        return text

    def _mode(self, path: str) -> int:
        try:
            return stat.S_IMODE(os.lstat(self.tree.root + path).st_mode)
        except OSError:
            return 0


def _call(reading: _Reading, questions: Iterable[Question]) -> None:
    """Make the calls whose answers are no files."""
    tree = reading.tree
    for question in questions:
        for disk in names_in(tree, "sys/block", "dasd.*"):
            reading.ask(f"ioctl/{disk}/{question.name}.bin", partial(_answer, tree, disk, question))
    has_paths = False
    for disk in names_in(tree, "sys/block", "dm-.*"):
        with contextlib.suppress(OSError):  # it went away
            number = text(tree, f"sys/block/{disk}/dev").strip()
            reading.ask(block_ioctl.dm_captured_at(number), partial(_dm_table, tree, number))
            if text(tree, f"sys/block/{disk}/dm/uuid").startswith(MPATH):
                has_paths = True
                reading.ask(block_ioctl.dm_status_at(number), partial(_dm_status, tree, number))
    for disk in names_in(tree, "sys/block", "loop.*"):
        with contextlib.suppress(OSError):  # it has no file
            file = text(tree, f"sys/block/{disk}/loop/backing_file").rstrip("\n")
            number = text(tree, f"sys/block/{disk}/dev").strip()
            table = partial(_loop_table, tree, number, f"sys/block/{disk}", file)
            reading.ask(block_ioctl.loop_captured_at(number), table)
    if has_paths:
        reading.ask(path_reader.CAPTURED, lambda: multipathd.ask().encode())
    if os.uname().machine == "s390x":
        reading.ask(sysinfo.STHYI_CAPTURED, sysinfo.call_sthyi)


def _answer(tree: LiveTree, disk: str, question: Question) -> bytes:
    """Put a question to a disk; a costly one is abandoned when the disk hangs."""
    if question not in COSTLY:
        return dasd_ioctl.ask(tree, disk, question)
    try:
        return call_within(partial(dasd_ioctl.ask, tree, disk, question), QUESTION_DEADLINE)
    except TimeoutError:
        raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)) from None


def _dm_table(tree: LiveTree, number: str) -> bytes:
    return block_ioctl.read_dm_table(tree, number).encode()


def _dm_status(tree: LiveTree, number: str) -> bytes:
    return block_ioctl.read_dm_status(tree, number).encode()


def _loop_table(tree: LiveTree, number: str, path: str, file: str) -> bytes:
    table = block_ioctl.read_loop_table(tree, number, path, file)
    if isinstance(table, Absent):
        raise OSError(errno.EIO, table.reason)
    return str(table).encode()


# --- writing ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class CapturePlan:
    """Root, number and distance of the passes, and extras."""

    root: str = "/"
    passes: int = 1
    seconds: float = SELDOM_SECONDS
    """From the beginning of one pass to that of the next."""
    everything: bool = False
    """Whether to include `seldom` files and `COSTLY` questions."""
    with_processes: bool = False
    """Whether to include what the kernel counts of each process."""
    beside: Beside = dict
    """Returns further content of a pass by path, or the error."""


def write_capture(
    file: str,
    plan: CapturePlan,
    *,
    force: bool = False,
    progress: Callable[[int, CapturePass], None] | None = None,
) -> CaptureSummary:
    """Write a new archive by the plan, and return its totals.

    `progress` is called for each pass when it is written.  An interrupt ends the capture early, with
    the passes that were whole by then.  The archive appears under its name only when it is
    complete; it can be read by its owner alone, since it holds what root could read.

    Raises:
        FileExistsError: the file exists, and `force` is not set.
        OSError: it cannot be written.
        CaptureError: there was nothing to read.
        KeyboardInterrupt: before the first pass was whole.
    """
    if not force and os.path.lexists(file):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), file)
    directory, name = os.path.split(file)
    descriptor, beside = tempfile.mkstemp(prefix=f".{name}.", dir=directory or ".")
    try:
        with open(descriptor, "wb") as raw:
            summary = _write_passes(raw, plan, progress)
            raw.flush()
            os.fsync(raw.fileno())
        _move(beside, file, force=force)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    return summary


def _write_passes(
    raw: IO[bytes], plan: CapturePlan, progress: Callable[[int, CapturePass], None] | None
) -> CaptureSummary:
    summary = CaptureSummary()
    begin = time.monotonic()
    seldom = plan.passes == 1 or plan.seconds >= SELDOM_SECONDS
    with (
        gzip.GzipFile("", "wb", 6, raw) as zipped,
        tarfile.TarFile(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for number in range(1, plan.passes + 1):
            try:
                time.sleep(max(0.0, begin + (number - 1) * plan.seconds - time.monotonic()))
                gathered = gather(
                    plan.root,
                    seldom=seldom,
                    everything=plan.everything,
                    with_processes=plan.with_processes,
                    beside=plan.beside,
                )
            except KeyboardInterrupt:
                if number == 1:
                    raise
                break
            if not gathered.files:
                raise CaptureError(
                    f"{plan.root} holds none of the kernel's files; give a root with sys and proc."
                )
            _add(tar, number, plan.passes, gathered)
            summary.count(gathered, time.monotonic() - begin)
            if progress:
                progress(number, gathered)
    return summary


def _add(tar: tarfile.TarFile, number: int, passes: int, gathered: CapturePass) -> None:
    """Write a pass into the archive."""
    root = f"pass-{number:04}"
    notes = notes_of(f"pass {number} of {passes}", gathered).encode("utf-8", "surrogateescape")
    members: dict[str, Node] = {
        "": CapturedFolder(gathered.begin),
        "CAPTURE.txt": CapturedFile(notes, gathered.end),
        **gathered.nodes,
    }
    for path, node in members.items():
        member = tarfile.TarInfo(f"{root}/{path}".rstrip("/"))
        seconds, ns = divmod(node.time, SECOND)
        member.mtime = seconds
        member.pax_headers = {"mtime": f"{seconds}.{ns:09}"}
        content = None
        if isinstance(node, CapturedFile):
            member.mode = gathered.modes.get(path, 0o644) & 0o777
            member.size = len(node.data)
            content = io.BytesIO(node.data)
        elif isinstance(node, CapturedLink):
            member.type, member.linkname, member.mode = tarfile.SYMTYPE, node.text, 0o777
        else:
            member.type, member.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(member, content)
        tar.members.clear()  # type: ignore[attr-defined]  # else it would remember them all


def notes_of(title: str, gathered: CapturePass) -> str:
    """Return the text of a pass's `CAPTURE.txt`, which `zmon.kernel.capture_tree.refusals` reads."""
    uptime = gathered.nodes.get("proc/uptime")
    up = uptime.data.split()[:1] if isinstance(uptime, CapturedFile) else []
    lines = [
        f"zmon capture, {title}",
        f"begin {_seconds(gathered.begin)} (s since 1970)" + "".join(f", uptime {s.decode()}" for s in up),
        f"counters read until {_seconds(gathered.counted)}",
        f"end {_seconds(gathered.end)}",
        f"files {len(gathered.files)}",
        "",
        "not read (path, mode, reason):",
        *(f"/{path} {mode:#o} {why}" for path, (mode, why) in gathered.refused.items()),
    ]
    return "\n".join(lines) + "\n"


def _seconds(ns: int) -> str:
    return f"{ns // SECOND}.{ns % SECOND // MILLISECOND:03}"


def _move(beside: str, file: str, *, force: bool) -> None:
    """Give the finished archive its name, and sync the directory."""
    if force:
        os.replace(beside, file)
    else:
        try:
            os.link(beside, file)  # unlike a rename, it never takes the place of another
            os.unlink(beside)
        except FileExistsError:
            raise
        except OSError:  # the file system knows no hard links
            os.rename(beside, file)
    directory = os.open(os.path.dirname(file) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
