"""A tree of kernel files: this machine's own, or one that was captured on another.

Readers take a `Tree` and paths relative to its root (`sys/devices/css0`), so that the same code
reads the running kernel, an unpacked capture and an archive in memory.  Nothing here follows a
link out of the root.

`read_value` returns the value of an attribute, or the reason why there is none.
"""

from __future__ import annotations

import errno
import os
import re
import threading
import time

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Final, Protocol, TypeVar
from zmon.base.plain_text import harmless
from zmon.sample import THIS_MACHINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zmon.base.absent import Absent, Value

V = TypeVar("V")

Attributes = dict[str, tuple[str, "Callable[[str], Value]"]]
"""Of each field its file, in the directory of a row, and its parser, which may raise ValueError."""

PROC_IN_PART: Final = "/proc is mounted with subset=pid, which hides all but processes"

NOT_CAPTURED: Final = "not in the capture"
"""The error text of a file that is not in the capture; whether the kernel had it is unknown."""

MAX_FILE: Final = 8 << 20
"""No kernel file that zmon reads is larger than this many bytes: /proc/diskstats of 30,000 disks."""

CSS: Final = "sys/devices/css0"
"""The kernel shows one channel subsystem and always calls it 0."""

CCW_DEVICES: Final = "sys/bus/ccw/devices"
"""The ccw devices by their bus ids, each a link to its directory."""

ALWAYS: Final = {
    "proc/stat": "processors",
    "proc/meminfo": "memory",
    "proc/diskstats": "disks",
    "sys/block": "disks and LCUs",
}
"""Files and directories that every kernel has, and what is not known without them."""

PAGE: Final = 4096
"""A sysfs attribute is at most this long."""


class HiddenError(OSError):
    """A file that may be there or not: what it would be in is not mounted here, as `strerror` says.

    It is no FileNotFoundError, from which readers conclude what this machine does not have.
    """

    strerror: str

    def __init__(self, why: str, path: str) -> None:
        """Say why, of a path."""
        super().__init__(errno.ENOLINK, why, path)


class Tree(Protocol):
    """A root directory, real or in memory."""

    live: bool
    """True when the files are those of the running kernel."""
    name: str
    """As shown: `this machine`, or the path that was given."""

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Return the whole content of a file.

        `at_once` is the size of one read: some files give all they have in the first read only.

        Raises:
            OSError: as the kernel said it, FileNotFoundError when it was not captured, or HiddenError.
        """

    def entries(self, path: str) -> list[str]:
        """Return the names in a directory, sorted.

        Raises:
            OSError: it is not there or may not be listed.
        """

    def link(self, path: str) -> str:
        """Return the text of a symbolic link, unresolved.

        Raises:
            OSError: it is not there or is no link.
        """

    def when(self, path: str) -> int:
        """Return when `path` was read, in ns: now if live, else the file's own time.

        Raises:
            OSError: it is not there.
        """


def text(tree: Tree, path: str) -> str:
    """Read a file as text; bytes that are not UTF-8 come out as replacement characters."""
    return tree.read(path).decode("utf-8", "replace")


class HidingTree:
    """A tree that tells what its machine lacks from what cannot be seen of it: /proc or /sys is not there."""

    not_there: str
    """What a /proc or /sys of which nothing can be seen is."""

    def __init__(self) -> None:
        """Begin with nothing that was looked for."""
        self._own = threading.local()

    def why_hidden(self, path: str) -> str:
        """Return why a file of /proc or /sys that is not there may be hidden; empty if there is none."""
        top, _, rest = path.partition("/")
        if top not in {"proc", "sys"}:
            return ""
        if not self._shows(top):
            return f"/{top} is {self.not_there}"
        is_of_process = rest[:1].isdigit() or rest.startswith(("self/", "thread-self/"))
        is_hidden = top == "proc" and not is_of_process and self._shows_processes_alone()
        return PROC_IN_PART if is_hidden else ""

    def _shows(self, top: str) -> bool:
        """Return whether anything of /proc or /sys can be seen."""
        raise NotImplementedError

    def _shows_processes_alone(self) -> bool:
        """Return whether /proc, of which something can be seen, has nothing but processes."""
        raise NotImplementedError

    def hidden(self) -> str:
        """Return the first file that this thread could not look for since it asked last; empty if none."""
        path: str = getattr(self._own, "hidden", "")
        self._own.hidden = ""
        return path

    def _see(self, path: str) -> None:
        """Raise HiddenError for a file that is not there and might be if /proc or /sys were seen whole."""
        if why := self.why_hidden(path):
            self._own.hidden = getattr(self._own, "hidden", "") or path
            raise HiddenError(why, path)


class LiveTree(HidingTree):
    """The running kernel's files, below a root that is normally `/`."""

    live = True
    not_there = "not mounted"

    def __init__(self, root: str = "/") -> None:
        """Read below `root`; nothing is opened yet."""
        super().__init__()
        self.root = root.rstrip("/") + "/"
        self.name = THIS_MACHINE if self.root == "/" else root

    def read(self, path: str, at_once: int = 65536) -> bytes:
        """Read a pseudo-file whole; see `Tree.read`."""
        try:
            fd = os.open(self.root + path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            self._see(path)
            raise
        try:
            data = os.read(fd, at_once)
            if len(data) < PAGE and path.startswith("sys/"):
                return data  # a sysfs attribute comes whole
            parts = [data]
            size = len(data)
            while data:
                data = os.read(fd, at_once)
                parts.append(data)
                size += len(data)
                if size > MAX_FILE:
                    raise OSError(errno.EFBIG, f"more than {MAX_FILE} bytes", path)
            return b"".join(parts)
        finally:
            os.close(fd)

    def entries(self, path: str) -> list[str]:
        """List a directory; see `Tree.entries`."""
        try:
            return sorted(os.listdir(self.root + path))
        except FileNotFoundError:
            self._see(path)
            raise

    def link(self, path: str) -> str:
        """Read a link; see `Tree.link`."""
        try:
            return os.readlink(self.root + path)
        except FileNotFoundError:
            self._see(path)
            raise

    def _shows(self, top: str) -> bool:
        return os.path.lexists(self.root + ("proc/self" if top == "proc" else "sys/devices"))

    def _shows_processes_alone(self) -> bool:
        if os.path.lexists(f"{self.root}proc/stat"):
            return False
        try:
            with open(f"{self.root}proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
                return shows_part(file.read())
        except OSError:
            return False

    def when(self, path: str) -> int:  # noqa: ARG002 - the protocol's signature
        """Return the steady clock."""
        return time.monotonic_ns()


OFFLINE: Final = absent("device is offline")
UNCAPTURED: Final = absent("not in the capture, or not given by its kernel")
NEEDS_ROOT: Final = absent("needs root")
NOT_GIVEN: Final = absent("not given by this kernel")
NOT_OFFERED: Final = absent("this machine does not offer it")

_REFUSALS: Final = {
    errno.ENOENT: NOT_GIVEN,
    errno.EACCES: NEEDS_ROOT,
    errno.EPERM: NEEDS_ROOT,
    errno.ENODEV: OFFLINE,
    errno.EOPNOTSUPP: NOT_OFFERED,
    errno.EBUSY: absent("the machine was busy with another request"),
    errno.EIO: absent("the machine answered with an error"),
}


def names_in(tree: Tree, path: str, form: str) -> list[str]:
    """Return the names in a directory that have a form, sorted; none if it cannot be listed."""
    try:
        return [name for name in tree.entries(path) if re.fullmatch(form, name, re.ASCII)]
    except OSError:
        return []


def when_read(tree: Tree, *paths: str) -> int:
    """Return when the first of some files that is there was read, as `Tree.when`; 0 if none is there."""
    for path in paths:
        try:
            return tree.when(path)
        except OSError:
            continue
    return 0


def why_hidden(tree: Tree, path: str) -> str:
    """Return why a file of /proc or /sys may be hidden that is not there; empty if the kernel lacks it."""
    return tree.why_hidden(path) if isinstance(tree, HidingTree) else ""


def shows_part(mounts: str) -> bool:
    """Return whether a mountinfo has a /proc that shows processes alone."""
    return re.search(r" - proc \S+ \S*\bsubset=pid\b", mounts) is not None


def lacking(tree: Tree) -> str:
    """Say what cannot be seen because files that every kernel has cannot be read; empty if all can.

    Of a capture only what was hidden where it was made: it need not have all files.
    """
    lost: dict[str, list[str]] = {}
    for path in ALWAYS:
        if why := _why_lost(tree, path):
            lost.setdefault(why, []).append(path)
    return "; ".join(
        f"/{', /'.join(paths)} cannot be read: {why}. Not seen: {', '.join(ALWAYS[path] for path in paths)}"
        for why, paths in lost.items()
    )


def _why_lost(tree: Tree, path: str) -> str:
    if not isinstance(tree, LiveTree):
        return why_hidden(tree, path)
    try:
        os.close(os.open(tree.root + path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError as error:
        return why_hidden(tree, path) or refused(error).reason
    return ""


def refused(error: OSError, missing: str = "") -> Absent:
    """Return the absence of a value whose file could not be read; `missing` if the file does not exist.

    An error without words of its own here keeps the kernel's name for it: `EINVAL`.
    """
    if missing and isinstance(error, FileNotFoundError):
        return absent(missing)
    if error.strerror == NOT_CAPTURED:
        return UNCAPTURED
    if isinstance(error, HiddenError):
        return absent(error.strerror)
    code = error.errno or 0
    return _REFUSALS.get(code) or absent(f"the kernel said {errno.errorcode.get(code, 'no')}")


def read_value(
    tree: Tree,
    path: str,
    parse: Callable[[str], Value] = str.strip,
    missing: Absent | None = None,
) -> Value:
    """Read one attribute; absent when it cannot be read or understood.

    `missing` says why the file may not be there, when the caller knows better than the kernel.
    """
    try:
        return parse(text(tree, path))
    except OSError as error:
        return refused(error, "" if missing is None else missing.reason)
    except ValueError:
        return absent(f"{path.rpartition('/')[2]} says something zmon does not understand")


def read_several(  # noqa: PLR0913, PLR0917 - as `read_value`, and what the values are
    tree: Tree,
    path: str,
    names: Iterable[str],
    parse: Callable[[str], Iterable[Value]],
    missing: str = "",
    unlike: str = "{}",
) -> dict[str, Value]:
    """Read a file of several values, by their names; all absent for the same reason.

    `missing` says why the file may not be there, `unlike` that it has another form: `{}` is the error.
    """
    try:
        return dict(zip(names, parse(text(tree, path)), strict=True))
    except OSError as error:
        return dict.fromkeys(names, refused(error, missing))
    except ValueError as error:
        return dict.fromkeys(names, absent(unlike.format(error)))


def driver_of(tree: Tree, here: str, what: str) -> Value:
    """Return the driver of a device, as the link in its directory says; `what` is the device in a word."""
    try:
        return tree.link(f"{here}/driver").rpartition("/")[2]
    except OSError:
        return absent(f"no driver has taken the {what}")


def attributes(parse: Callable[[str], Value], *names: str, **files: str) -> Attributes:
    """Return attributes with one parser: in files called as the fields are, and in others by their fields."""
    return {field: (file, parse) for field, file in (dict(zip(names, names, strict=True)) | files).items()}


def read_attributes(
    tree: Tree, here: str, wanted: Attributes, missing: Absent | None = None
) -> dict[str, Value]:
    """Read the attributes in a directory, each as `read_value` does."""
    return {
        field: read_value(tree, f"{here}/{file}", parse, missing) for field, (file, parse) in wanted.items()
    }


def read_word(tree: Tree, path: str, missing: Absent) -> str | Absent:
    """Read one attribute; absent for the same reason whether it is empty or cannot be read."""
    try:
        return text(tree, path).strip() or missing
    except OSError:
        return missing


def word_parser(
    form: str, convert: Callable[[str], V], unknown: Mapping[str, Absent] | None = None
) -> Callable[[str], V | Absent]:
    """Return a parser of files that hold one word of this form.

    It raises ValueError for another word; the words in `unknown` are absent for the reasons given there.
    """
    fits: Callable[[str], object] | None = None  # compiled when needed: a lookup needs few

    def parse(content: str) -> V | Absent:
        nonlocal fits
        if fits is None:
            fits = re.compile(form, re.ASCII).fullmatch
        word = content.strip()
        if unknown and word in unknown:
            return unknown[word]
        if not fits(word):
            raise ValueError(f"expected {form}, found {word[:40]!r}")
        return convert(word)

    return parse


def printable(name: str) -> str:
    """Return a foreign path so that a terminal can show it, cut when it is very long."""
    shown = harmless(name, escaped=True)
    return shown if len(shown) <= 120 else f"{shown[:117]}..."


def ebcdic_name(raw: bytes) -> str:
    """Return the text of an EBCDIC name without its padding; empty when it is all padding.

    Code page 500 and 1047 agree on everything a name may contain.
    """
    return raw.decode("cp500").strip(" \0")
