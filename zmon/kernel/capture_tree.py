"""The content of a capture, and one pass of it as a `Tree`: an archive in memory or a directory on disk.

A capture is not trusted.  Links are text, resolved here and only inside the
pass: an absolute one starts at the root of the pass, as in a changed root, and one that climbs
out of it is refused with EXDEV.

`CaptureContents` sorts the content by pass.  The part of a path above the first `sys`, `proc`, `run`,
`ioctl`, `syscall`, `cp`, `dev` or `etc` is the root of a pass, and its last part is the name of the pass.
Roots of the same name are one pass, because some archivers cut the beginning of long paths.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections import Counter

from zmon.base.light_typing import TYPE_CHECKING, Final, Protocol
from zmon.base.record import NamedTuple
from zmon.kernel.capture_text import MAX_HEAD, MAX_TEXT, MAX_TEXTS, NO_TEXTS, TEXT_BYTES
from zmon.kernel.tree import (
    MAX_FILE,
    NOT_CAPTURED,
    HidingTree,
    Tree,
    printable,
    shows_part,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import NoReturn

    from zmon.kernel.capture_text import CollectedText, TextReader


DEEPEST: Final = 2
"""Directories of an archive, its own among them, down to which the outputs of commands are looked for."""
MAX_LINKS: Final = 40
"""Maximum number of links on the way to a file, as in Linux."""


MAX_PATH: Final = 4096
"""Maximum bytes of a path or a link, as in Linux."""
MAX_DEPTH: Final = 64
"""Maximum number of parts of a path; sysfs has about 20."""
MAX_DIRECTORY_BYTES: Final = 64 << 20
"""Maximum bytes of the names of all directories of a pass; 4,096 disks have about 12 million."""


class CaptureError(ValueError):
    """A capture cannot be opened or made; the message is one sentence."""


class NoCaptureError(CaptureError):
    """There is neither a kernel file nor a text in what was named."""


class ShownPlace(NamedTuple):
    """Where a text of a person shows a file."""

    origin: str
    """The path of the text; empty for a copy of the file."""
    line: int
    """The line there with which the file begins, counted from 1."""
    step: int = 1
    """Lines of the text that each line of the file takes; see `CollectedText`."""


class CapturedFile(NamedTuple):
    """The content of a file and when it was read, in ns since 1970."""

    data: bytes
    time: int
    shown: ShownPlace = ShownPlace("", 0)


class CapturedLink(NamedTuple):
    """The text of a symbolic link."""

    text: str
    time: int


class CapturedFolder(NamedTuple):
    """A directory; its content follows from the paths of other nodes."""

    time: int


class RefusedFile(NamedTuple):
    """A file that existed and could not be read when it was captured."""

    number: int
    reason: str
    time: int


Node = CapturedFile | CapturedLink | CapturedFolder | RefusedFile
"""The content of a path."""


class CapturedTree(Tree, Protocol):
    """One pass of a capture as a `Tree`; its files have the times of their reading."""

    label: str
    """The name of the pass in its capture: `2-load`, `pass-0001`; empty for a bare root."""
    texts: Sequence[CollectedText]
    """What tools printed, where somebody collected it: see `capture_text`."""
    shown: Mapping[str, ShownPlace]
    """Where texts show files, by the paths of these."""


def moment(tree: Tree) -> int:
    """Return when a pass was made, in ns since 1970: the time of its first counters, else of its last text.

    That of its notes, else of its last list of disks or mounts or answer of CP if it has neither; 0 if none.
    """
    for path in ("proc/diskstats", "proc/stat", "proc/uptime", "sys/devices/css0"):
        if (when := _when(tree, path)) is not None:
            return when
    if (when := _when(tree, NOTES)) is not None:
        return when
    texts: Sequence[CollectedText] = getattr(tree, "texts", ())
    try:
        answers = [f"cp/{name}" for name in tree.entries("cp")]
    except OSError:
        answers = []
    shown = getattr(tree, "shown", {})
    lists = [when for path in (*LISTS, *answers, *shown) if (when := _when(tree, path)) is not None]
    return max((text.time for text in texts), default=max(lists, default=0))


LISTS: Final = (
    "proc/dasd/devices", "proc/partitions", "proc/mdstat", "proc/swaps", "proc/self/mountinfo", "proc/mounts",
    "proc/self/mounts",
)  # fmt: skip
"""Files that people copy, or show in texts."""


def _when(tree: Tree, path: str) -> int | None:
    try:
        return tree.when(path)
    except OSError:
        return None


class PathResolver:
    """Resolves paths inside of their root."""

    def __init__(self, target: Callable[[str], str | None]) -> None:
        """Resolve with `target`, which returns the text of the link at a path, None if it is no link.

        Its argument is a path whose directories are resolved; it raises OSError if that does not exist.
        """
        self._target = target
        self._directories: dict[str, str] = {"": ""}

    def physical(self, path: str, *, follow: bool = True) -> str:
        """Return the path without links; unless `follow`, the last part may be a link.

        Raises:
            OSError: it does not exist, leads out of the root, or links go in circles.
        """
        above, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            return self._walk([], path, path, follow=follow)
        directory = self._directories.get(above)
        if directory is None:
            directory = self._directories[above] = self._walk([], above, path, follow=True)
        return self._walk(directory.split("/") if directory else [], name, path, follow=follow)

    def link(self, path: str) -> str:
        """Return the text of the link at a path, unresolved.

        Raises:
            OSError: as `physical`, or it is no link.
        """
        text = self._target(self.physical(path, follow=False))
        if text is None:
            raise _error(errno.EINVAL, path)
        return text

    def _walk(self, here: list[str], onward: str, path: str, *, follow: bool) -> str:
        ahead = onward.split("/")[::-1]
        links = 0
        while ahead:
            name = ahead.pop()
            if name in ("", "."):
                continue
            if name == "..":
                if not here:
                    raise OSError(errno.EXDEV, OUTSIDE, path)
                here.pop()
                continue
            here.append(name)
            text = self._target("/".join(here))
            if text is None or not (ahead or follow):
                continue
            links += 1
            if links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            here.pop()
            if text.startswith("/"):
                here.clear()
            ahead.extend(reversed(text.split("/")))
        return "/".join(here)


class _PassTree(HidingTree):
    """A pass, of which all of /proc or of /sys may be missing: it could not be seen, or was not captured.

    What is missing of them besides is what the machine did not have, or what was not captured.
    """

    not_there = NOT_CAPTURED

    def __init__(self) -> None:
        """Look for nothing yet."""
        super().__init__()
        self._held: dict[str, bool] = {}
        self._shows_part: bool | None = None

    def _shows(self, top: str) -> bool:
        if top not in self._held:
            self._held[top] = self.holds(top)
        return self._held[top]

    def _shows_processes_alone(self) -> bool:
        if self._shows_part is None:
            self._shows_part = False  # asked for again while mountinfo is looked for
            try:
                mounts = self.read("proc/self/mountinfo").decode("utf-8", "replace")
            except OSError:
                return False
            self._shows_part = shows_part(mounts) and not self.holds("proc/stat")
        return self._shows_part

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Return the content of a file; see `Tree.read`."""
        raise NotImplementedError

    def holds(self, path: str) -> bool:
        """Return whether the pass has anything at or below a path without links that could be read."""
        raise NotImplementedError

    def lack(self, path: str) -> NoReturn:
        """Raise the error of a path that is not there."""
        self._see(path)
        raise FileNotFoundError(errno.ENOENT, NOT_CAPTURED, path)


class ArchivedTree(_PassTree):
    """A pass in memory: a node for each path."""

    live = False

    def __init__(  # noqa: PLR0913, PLR0917 - what a pass is
        self,
        name: str,
        label: str,
        nodes: Mapping[str, Node],
        texts: Sequence[CollectedText] = (),
        since: int = 0,
        within: _PassTree | None = None,
    ) -> None:
        """Serve `nodes`, whose paths are relative and plain; directories need no node.

        Nothing was read before `since`, whatever times the nodes have.  `within` is the pass that has these
        nodes beside its own files.
        """
        super().__init__()
        self._pass = within or self
        self.texts = texts
        self.shown: Mapping[str, ShownPlace] = {
            path: node.shown
            for path, node in nodes.items()
            if isinstance(node, CapturedFile) and node.shown.origin
        }
        self._since = since
        self.name = name
        self.label = label
        self._nodes = nodes
        self._names = _names_by_directory(nodes)
        self._inside = PathResolver(self.target)

    def read(self, path: str, at_once: int = 65536) -> bytes:  # noqa: ARG002 - the protocol's signature
        """Return the content of a file; see `Tree.read`."""
        physical = self._inside.physical(path)
        node = self._nodes.get(physical)
        if isinstance(node, CapturedFile):
            return node.data
        if isinstance(node, RefusedFile):
            raise _refused(node, path)
        raise _error(errno.EISDIR, path)

    def entries(self, path: str) -> list[str]:
        """List a directory; see `Tree.entries`."""
        physical = self._inside.physical(path)
        names = self._names.get(physical)
        if names is not None:
            return sorted(names)
        node = self._nodes.get(physical)
        if isinstance(node, RefusedFile):
            raise _refused(node, path)
        if isinstance(node, CapturedFile):
            raise _error(errno.ENOTDIR, path)
        return []

    def link(self, path: str) -> str:
        """Read a link; see `Tree.link`."""
        return self._inside.link(path)

    def when(self, path: str) -> int:
        """Return the time of a file, or the earliest below a directory."""
        physical = self._inside.physical(path)
        node = self._nodes.get(physical)
        if node is not None:
            return max(node.time, self._since)
        below = f"{physical}/" if physical else ""
        times = [node.time for other, node in self._nodes.items() if other.startswith(below)]
        if not times:
            self._pass.lack(path)
        return max(min(times), self._since)

    def target(self, path: str) -> str | None:
        """Return the text of the link at a path whose directories are resolved; None if it is no link.

        Raises:
            OSError: nothing is there, or what is above it could not be read.
        """
        node = self._nodes.get(path)
        if isinstance(node, CapturedLink):
            return node.text
        if node is None and path not in self._names:
            above = path
            while above:  # the nearest existing node is the reason
                above = above.rpartition("/")[0]
                entry = self._nodes.get(above)
                if isinstance(entry, RefusedFile):
                    raise _refused(entry, path)
                if isinstance(entry, CapturedFile):
                    raise _error(errno.ENOTDIR, path)
            self._pass.lack(path)
        return None

    def holds(self, path: str) -> bool:
        """See `_PassTree.holds`."""
        return any(
            not isinstance(node, RefusedFile)
            and (name.startswith(f"{path}/") or (name == path and not isinstance(node, CapturedFolder)))
            for name, node in self._nodes.items()
        )


class DirectoryTree(_PassTree):
    """A pass that is unpacked on a disk.

    Only regular files are read, whole and up to `MAX_FILE` bytes; nothing is opened through a link.
    """

    live = False

    def __init__(  # noqa: PLR0913, PLR0917 - what a pass is
        self,
        root: str,
        name: str = "",
        label: str = "",
        beside: Mapping[str, Node] | None = None,
        texts: Sequence[CollectedText] = (),
        since: int = 0,
    ) -> None:
        """Read below `root`; `beside` has nodes for further paths.

        Nothing was read before `since`, whatever times the files have.
        """
        super().__init__()
        self.texts = texts
        self._since = since
        self.root = os.path.realpath(root)
        self.name = name or root
        self.label = label
        self._beside = ArchivedTree(self.name, label, beside or {}, since=since, within=self)
        self.shown: Mapping[str, ShownPlace] = {
            path: shown for path, shown in self._beside.shown.items() if not self._has(path)
        }
        self._inside = PathResolver(self._target)

    def read(self, path: str, at_once: int = 65536) -> bytes:  # noqa: ARG002 - the protocol's signature
        """Read a file; see `Tree.read`."""
        physical = self._inside.physical(path)
        if not self._has(physical):
            return self._beside.read(physical)
        return read_regular(self._at(physical), path)

    def entries(self, path: str) -> list[str]:
        """List a directory; see `Tree.entries`."""
        physical = self._inside.physical(path)
        names = set(os.listdir(self._at(physical))) if self._has(physical) else set()
        try:
            names.update(self._beside.entries(physical))
        except OSError:
            if not self._has(physical):
                raise
        return sorted(names)

    def link(self, path: str) -> str:
        """Read a link; see `Tree.link`."""
        return self._inside.link(path)

    def when(self, path: str) -> int:
        """Return the time of a file."""
        physical = self._inside.physical(path)
        if not self._has(physical):
            return self._beside.when(physical)
        return max(os.lstat(self._at(physical)).st_mtime_ns, self._since)

    def holds(self, path: str) -> bool:
        """See `_PassTree.holds`."""
        try:
            return bool(os.listdir(self._at(path))) or self._beside.holds(path)
        except NotADirectoryError:
            return True
        except OSError:
            return self._beside.holds(path)

    def _at(self, physical: str) -> str:
        return f"{self.root}/{physical}"

    def _has(self, physical: str) -> bool:
        return os.path.lexists(self._at(physical))

    def _target(self, path: str) -> str | None:
        try:
            return os.readlink(self._at(path))
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno == errno.EINVAL:  # it is there and is no link
                return None
            raise
        except ValueError:  # a NUL byte
            raise _error(errno.ENOENT, path) from None
        return self._beside.target(path)


def read_regular(file: str, path: str, most: int = MAX_FILE) -> bytes:
    """Return the content of a regular file on disk, called `path` in errors.

    Raises:
        OSError: it is a link, a device, a pipe or a directory, or larger than `most`.
    """
    mode = os.lstat(file).st_mode  # opening a device or a pipe may have effects
    if stat.S_ISDIR(mode):
        raise _error(errno.EISDIR, path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, NO_REGULAR_FILE, path)
    fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY)
    with open(fd, "rb") as opened:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, NO_REGULAR_FILE, path)
        data = opened.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes", path)
    return data


NOTES: Final = "CAPTURE.txt"
"""The file of notes about a pass."""


def is_own(tree: Tree) -> bool:
    """Return whether zmon wrote a pass, of kernel files that it reads itself."""
    try:
        return bool(tree.read(NOTES))
    except OSError:
        return False


def is_possible(path: str) -> bool:
    """Return whether a kernel file can have this path."""
    return len(path) <= MAX_PATH and path.count("/") < MAX_DEPTH


def simulated(tree: Tree) -> bool:
    """Return whether a pass is simulated: a line of its `CAPTURE.txt` begins with `simulated:`."""
    try:
        return any(line.startswith(b"simulated:") for line in tree.read(NOTES).splitlines())
    except OSError:
        return False


_REFUSED: Final = r"/(\S+) 0o[0-7]+ (\S.*)"
_NUMBERS: Final = {os.strerror(number): number for number in errno.errorcode}


def refusals(text: str, time: int) -> dict[str, RefusedFile]:
    """Parse a pass's `CAPTURE.txt`: the files that could not be read, by their paths.

    Below a heading there is a line for each: absolute path, mode in octal (`0o444`, or `-` when
    the file had vanished), reason in the words of the kernel's errno or `write-only`.  Other
    lines are ignored.
    """
    nodes = {}
    for line in text.splitlines():
        match = re.fullmatch(_REFUSED, line)
        if match and is_possible(match[1]):
            path, reason = match.groups()
            number = errno.EACCES if reason == "write-only" else _NUMBERS.get(reason, errno.EIO)
            nodes[path] = RefusedFile(number, reason, time)
    return nodes


def _names_by_directory(nodes: Mapping[str, Node]) -> dict[str, set[str]]:
    """Return the names in each directory, also in those that follow from paths.

    Raises:
        CaptureError: there are more directories than any machine has.
    """
    names: dict[str, set[str]] = {"": set()}
    size = 0
    for path, node in nodes.items():
        if isinstance(node, CapturedFolder):
            names.setdefault(path, set())
        above, _, name = path.rpartition("/")
        while (listed := names.get(above)) is None:
            names[above] = {name}
            size += len(above)
            if size > MAX_DIRECTORY_BYTES:
                raise CaptureError(
                    f"a pass has more than {MAX_DIRECTORY_BYTES >> 20} MiB of directories' names"
                )
            above, _, name = above.rpartition("/")
        listed.add(name)
    return names


def _refused(node: RefusedFile, path: str) -> OSError:
    return OSError(node.number, node.reason, path)


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


TOPS: Final = ("sys", "proc", "run", "ioctl", "syscall", "cp", "dev", "etc")
"""The names at the root of a pass."""

ADVICE: Final = "give what `zmon capture` wrote"

NESTED: Final = "sysfs.tgz"
"""The archive in what dbginfo.sh writes: its copy of /sys."""
MAX_NESTED: Final = 64 << 20
"""Maximum bytes of it, as it is packed."""
MOST_NESTED: Final = 4
"""Maximum number of such archives that are opened."""

NO_REGULAR_FILE: Final = "is no regular file"
OUTSIDE: Final = "leads out of the capture"
TOO_DEEP: Final = "with a path longer or deeper than any kernel file's"
LEADS_OUT: Final = "with a path that leads out"
OF_CONTAINERS: Final = "sos_containers/"
"""Where sos keeps files of containers, by their paths there."""
IN_CONTAINERS: Final = "of containers, which are machines of their own"

ANSWERS: Final = (r"multipathd/maps\.json",)
"""What else a pass has at its root; what people collect may have directories of these names, too."""
_PASS: Final = re.compile(
    rf"(?:(?:.*?/)??([^/]+)/)??((?:{'|'.join(TOPS)})(?:/.*)?|{'|'.join(ANSWERS)})", re.DOTALL
)
_NOTES: Final = r"(?s)(?:(?:.*/)?([^/]+)/)?CAPTURE\.txt"
_EXTRA: Final = r"(?s)(?:.*/)?extra/([a-z][a-z0-9-]*)\.([A-Z][A-Z0-9]+)\.bin"


def is_nested(name: str) -> bool:
    """Return whether a member of an archive is the archive of a copy of /sys."""
    return name.rpartition("/")[2] == NESTED


class CaptureContents:
    """The content of a capture, by the names of its passes."""

    def __init__(self, reader: TextReader = NO_TEXTS, *, rooted: bool = False) -> None:
        """Begin with nothing; `rooted`: names may begin with a slash, as dump2tar writes them."""
        self.reader = reader
        self._rooted = rooted
        self.nodes: dict[str, dict[str, Node]] = {}
        self.roots: dict[str, str] = {}
        """The directory of a pass on disk."""
        self.notes: dict[str, CapturedFile] = {}
        """`CAPTURE.txt` of each pass: when it was made and what could not be read."""
        self.extras: dict[str, Node] = {}
        self.texts: dict[str, CapturedFile] = {}
        """Texts with the output of commands, by their paths."""
        self.lists: dict[str, CapturedFile] = {}
        """Files that list the commands of texts, by their paths."""
        self.unread: list[str] = []
        """Paths of files that are no such texts."""
        self.left_out: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self._nested: dict[str, bytes] = {}
        self._opened = 0
        self._text_bytes = 0

    def put(self, name: str, node: Node) -> None:
        """Add a node under its name in the capture."""
        path = self._plain(name)
        if path is None or not is_possible(name):
            self.leave_out(TOO_DEEP if not is_possible(name) else LEADS_OUT, name)
        elif OF_CONTAINERS in path:
            self.leave_out(IN_CONTAINERS, name)
        elif match := _PASS.fullmatch(path):
            self.nodes.setdefault(match[1] or "", {})[sys.intern(match[2])] = node
        elif not isinstance(node, CapturedFile):
            pass
        elif match := re.fullmatch(_EXTRA, path):
            self.extras[f"ioctl/{match[1]}/{match[2]}.bin"] = node
        elif match := re.fullmatch(_NOTES, path):
            self.notes[match[1] or ""] = node
        elif is_nested(path):
            self._nested[path.removesuffix(NESTED)] = node.data
        elif self.reader.is_text(path, node.data[:MAX_HEAD], DEEPEST):
            self.take_text(path, node)
        elif self.reader.may_be_text(path):
            self.unread.append(path)

    def _plain(self, name: str) -> str | None:
        return _plain(name.lstrip("/") if self._rooted else name)

    def take_text(self, path: str, node: CapturedFile) -> None:
        """Take a text, unless there are too many of them."""
        self._text_bytes += len(node.data)
        if len(self.texts) >= MAX_TEXTS or self._text_bytes > TEXT_BYTES:
            self.leave_out(f"texts beyond {MAX_TEXTS:,} or {TEXT_BYTES >> 20} MiB", path)
        else:
            kept = self.lists if self.reader.is_list(path) else self.texts
            kept[path] = node

    def wants(self, name: str) -> bool:
        """Return whether the content of a file of this name may be needed."""
        path = self._plain(name)
        if path is None or _PASS.fullmatch(path) or re.fullmatch(_NOTES, path) or re.fullmatch(_EXTRA, path):
            return True
        return is_nested(path) or self.reader.may_be_text(path)

    def largest(self, name: str) -> int:
        """Return how many bytes a file of this name may have."""
        path = self._plain(name)
        if path is None or _PASS.fullmatch(path):
            return MAX_FILE
        if is_nested(path):
            return MAX_NESTED
        return MAX_TEXT if self.reader.may_be_text(path) else MAX_FILE

    def take_nested(self) -> Iterator[tuple[str, bytes]]:
        """Yield the archives within the archive, each with the path of its folder; each once."""
        for folder in [*self._nested]:
            data = self._nested.pop(folder)
            if self.may_open(f"{folder}{NESTED}"):
                yield folder, data

    def may_open(self, path: str) -> bool:
        """Count an archive within the capture; return whether there are not too many of them."""
        self._opened += 1
        if self._opened > MOST_NESTED:
            self.leave_out(f"archives in it beyond {MOST_NESTED}", path)
        return self._opened <= MOST_NESTED

    def get(self, name: str) -> Node | None:
        """Return the node of a name, if it is in a pass."""
        match = _PASS.fullmatch(self._plain(name) or "")
        return self.nodes.get(match[1] or "", {}).get(match[2]) if match else None

    def add(self, label: str, more: Mapping[str, Node]) -> None:
        """Add nodes to a pass that it does not have yet."""
        self.nodes[label] = {**more, **self.nodes.get(label, {})}

    def leave_out(self, what: str, name: str) -> None:
        """Count a node that is not taken; `what` may begin with a noun in the plural and end with `: why`."""
        self.left_out[what] += 1
        self.examples.setdefault(what, name)

    def remarks(self) -> list[str]:
        """Return a sentence for each kind of node that was left out."""
        return [_remark(what, count, printable(self.examples[what])) for what, count in self.left_out.items()]


def _remark(what: str, count: int, example: str) -> str:
    what, _, why = what.partition(": ")
    what = re.sub(_PLURAL, _singular, what) if count == 1 else what
    such = example if count == 1 else f"such as {example}"
    return (
        f"Left out: {count:,} {what} ({such}), because {why}."
        if why
        else f"Left out: {count:,} {what}, {such}."
    )


_PLURAL: Final = r"^(archive|file|output|pass|section|text)(?:(?<=pass)e)?s\b"


def _singular(match: re.Match[str]) -> str:
    return match[1]


def _plain(name: str) -> str | None:
    """Return a path without empty parts; None if it leads out of the capture."""
    if name.startswith("/"):
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return None if ".." in parts else "/".join(parts)
