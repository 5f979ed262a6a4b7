"""Opening a capture: the kernel files of a machine, archived or unpacked, one tree per pass.

An archive is a tar, plain or compressed with gzip or xz.  It is read once, in memory, and never
unpacked to disk.  Nothing in it is trusted: how much it may hold is bounded, devices, pipes and
paths that climb are left out, links stay text (`zmon.kernel.captured` resolves them).

Where the passes are follows from the paths: what lies above the first `sys`, `proc`, `run`,
`ioctl`, `syscall`, `cp` or `dev` is the root of a pass, and its last part is the pass's name.
Roots of the same name are one pass, because some archivers cut the beginning of long paths.
Times are those of the members, to the nanosecond where PAX headers give it.

Beside the passes there may be `extra/BLOCK.IOCTL.bin`, the answer of a disk to an ioctl at some
time; the last pass gets it as `ioctl/BLOCK/IOCTL.bin`.
"""

from __future__ import annotations

import lzma
import os
import re
import stat
import struct
import sys
import tarfile
import zlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, TYPE_CHECKING, Final, Self, cast

from zmon.kernel.captured import (
    ArchivedTree,
    CaptureError,
    DirectoryTree,
    File,
    Folder,
    Link,
    moment,
    read_regular,
    refusals,
)
from zmon.kernel.tree import LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zmon.kernel.captured import CapturedTree, Node

__all__ = ["Capture", "CaptureError", "open_capture", "printable"]

TOPS: Final = ("sys", "proc", "run", "ioctl", "syscall", "cp", "dev")
"""What a pass may hold at its root."""

MEMBERS: Final = 2_000_000
"""An archive may have so many members; 4,096 disks make some 250,000 in a pass."""
KEPT: Final = 512 << 20
"""The files in it may have so many bytes together."""
SKIPPED: Final = 256 << 20
"""So may those that are too large for a kernel file and are left out."""
UNPACKED: Final = 4 << 30
"""The tar itself, with its headers, may have so many bytes."""
PATH: Final = 4096
"""Longest path and longest link that Linux knows."""
LISTED: Final = 10_000
"""So many entries of a directory are looked at in search of passes."""

_PASS: Final = re.compile(rf"(?:(?:.*?/)??([^/]+)/)??((?:{'|'.join(TOPS)})(?:/.*)?)", re.DOTALL)
_NOTES: Final = re.compile(r"(?:(?:.*/)?([^/]+)/)?CAPTURE\.txt", re.DOTALL)
_EXTRA: Final = re.compile(r"(?:.*/)?extra/([a-z][a-z0-9-]*)\.([A-Z][A-Z0-9]+)\.bin", re.DOTALL)
_SECONDS: Final = re.compile(r"(\d{1,10})(?:\.(\d{1,30}))?", re.ASCII)
_NUMBER: Final = re.compile(r"([0-9]{1,18})")

_ADVICE: Final = "give what `zmon capture` wrote"
_CHUNK: Final = 16384  # gzip makes at most 17 MB of this
_XZ_MEMORY: Final = 256 << 20
_TAIL: Final = 16 << 20  # padding after the end of a tar
_FOREIGN: Final = {
    b"BZh": "is compressed with bzip2; unpack it with bunzip2",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it with unzstd",
    b"PK\x03\x04": "is a zip file; unpack it into a directory",
}


@dataclass(frozen=True)
class Capture:
    """A capture that was opened."""

    name: str
    """The path that was given."""
    passes: list[CapturedTree]
    """At least one, in the order of time."""
    notes: list[str]
    """What was left out and why, as sentences for a person."""


def open_capture(path: str) -> Capture:
    """Open an archive, or a directory that is one pass or holds several.

    Raises:
        CaptureError: it is not there, is none, is damaged or too large, or holds no pass.
    """
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            found = _look_through(path)
        elif stat.S_ISREG(mode):
            with open(path, "rb") as file:
                found = _take_all(path, file)
        else:
            raise CaptureError(f"{path} is neither a file nor a directory; {_ADVICE}.")
    except OSError as error:
        raise CaptureError(f"{path} cannot be read: {error.strerror}.") from error
    passes = _passes(path, found)
    if not passes:
        raise CaptureError(f"{path} holds no pass of a capture, with files below sys or proc; {_ADVICE}.")
    return Capture(path, passes, found.remarks())


@dataclass
class _Found:
    """What a capture holds, by the names of its passes."""

    nodes: dict[str, dict[str, Node]] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    """Where a pass lies on disk."""
    notes: dict[str, File] = field(default_factory=dict)
    """`CAPTURE.txt` of each pass: when it was made and what could not be read."""
    extras: dict[str, Node] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def put(self, name: str, node: Node) -> None:
        """Take what the capture has under a name."""
        path = _plain(name)
        if path is None:
            self.leave_out("with a path that leads out", name)
        elif match := _PASS.fullmatch(path):
            self.nodes.setdefault(match[1] or "", {})[sys.intern(match[2])] = node
        elif not isinstance(node, File):
            pass
        elif match := _EXTRA.fullmatch(path):
            self.extras[f"ioctl/{match[1]}/{match[2]}.bin"] = node
        elif match := _NOTES.fullmatch(path):
            self.notes[match[1] or ""] = node

    def get(self, name: str) -> Node | None:
        """Return what was put under a name in a pass."""
        match = _PASS.fullmatch(_plain(name) or "")
        return self.nodes.get(match[1] or "", {}).get(match[2]) if match else None

    def add(self, label: str, more: Mapping[str, Node]) -> None:
        """Add to a pass what it does not have yet."""
        self.nodes[label] = {**more, **self.nodes.get(label, {})}

    def leave_out(self, what: str, name: str) -> None:
        """Count something that is not taken."""
        self.left_out[what] += 1
        self.examples.setdefault(what, name)

    def remarks(self) -> list[str]:
        """Return what was left out, a sentence for each kind."""
        return [
            f"Left out: {count} {what}, such as {printable(self.examples[what])}."
            for what, count in self.left_out.items()
        ]


def _plain(name: str) -> str | None:
    """Return a path without empty parts; None when it leads out or cannot be one."""
    if name.startswith("/") or len(name) > PATH:
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return None if ".." in parts else "/".join(parts)


def printable(name: str) -> str:
    """Return a foreign path so that a terminal can show it, cut when it is very long."""
    shown = name if name.isprintable() else ascii(name)[1:-1]
    return shown if len(shown) <= 120 else f"{shown[:117]}..."


def _passes(path: str, found: _Found) -> list[CapturedTree]:
    """Make a tree of each pass, in the order of time."""

    def tree(label: str) -> CapturedTree:
        name = f"{path} {label}".rstrip()
        nodes = found.nodes.get(label, {})
        root = found.roots.get(label)
        return DirectoryTree(root, name, label, nodes) if root else ArchivedTree(name, label, nodes)

    labels = [*found.roots]
    for label, nodes in found.nodes.items():
        if any(isinstance(node, File) and name.startswith(("sys/", "proc/")) for name, node in nodes.items()):
            labels.append(label)
        else:
            found.leave_out("passes without a file below sys or proc", label or path)
    labels.sort(key=lambda label: _order(tree(label)))
    for label in labels:
        notes = found.notes.get(label)
        if notes:
            text = notes.data.decode("utf-8", "replace")
            found.add(label, refusals(text, notes.time))
    if labels:
        found.add(labels[-1], found.extras)
    return [tree(label) for label in labels]


def _order(tree: CapturedTree) -> tuple[int, list[tuple[int, str]]]:
    """Order by time, and by name where that does not tell, numbers as numbers."""
    parts = _NUMBER.split(tree.label)
    return moment(tree), [(int(part), "") if _NUMBER.fullmatch(part) else (-1, part) for part in parts]


# --- in memory --------------------------------------------------------------------------------


def _take_all(path: str, file: IO[bytes]) -> _Found:
    """Read an archive from its beginning to its end."""
    stream = _Stream(path, file)
    try:
        with tarfile.TarFile(
            fileobj=cast("IO[bytes]", stream), tarinfo=_Member, encoding="utf-8", errors="surrogateescape"
        ) as tar:
            found = _take_members(tar, stream)
    except CaptureError:
        raise
    except (tarfile.TarError, ValueError, ArithmeticError, LookupError, RecursionError) as error:
        raise stream.failure() from error
    stream.finish()
    return found


def _take_members(tar: tarfile.TarFile, stream: _Stream) -> _Found:
    found = _Found()
    same: dict[bytes, bytes] = {}  # most files are the same in every pass
    while (member := tar.next()) is not None:
        tar.members.clear()  # type: ignore[attr-defined]  # else it would remember them all
        stream.allow(member)
        node = _node(member, stream, found)
        if isinstance(node, File):
            node = File(same.setdefault(node.data, node.data), node.time)
        if isinstance(node, str):
            found.leave_out(node, member.name)
        else:
            found.put(member.name, node)
    return found


def _node(member: tarfile.TarInfo, stream: _Stream, found: _Found) -> Node | str:
    """Return what a member is, or why it is left out."""
    time = _time(member)
    if time is None:
        return "with an impossible time"
    if member.isreg() and not member.issparse():
        return File(stream.content(member), time) if member.size <= LIMIT else _TOO_LARGE
    if member.isdir():
        return Folder(time)
    if member.issym() and len(member.linkname) <= PATH:
        return Link(member.linkname, time)
    if member.islnk() and isinstance(origin := found.get(member.linkname), File):
        return File(origin.data, time)
    return "that are devices, pipes or links to nowhere"


_TOO_LARGE: Final = f"with more than {LIMIT:,} bytes, which no kernel file has"


class _Member(tarfile.TarInfo):
    """A header; of common ones only the fields that matter are decoded, in a fifth of the time."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Decode a block; whatever is not as usual is left to `tarfile`, also to complain about."""
        try:
            name, size, mtime, checksum, kind, target, magic, prefix = _HEADER.unpack(buf)
            sums = int(checksum.rstrip(b"\0 "), 8), sum(buf) - sum(checksum) + 8 * 32
            if magic != tarfile.POSIX_MAGIC or kind not in _COMMON or sums[0] != sums[1]:
                return super().frombuf(buf, encoding, errors)
            member = cls()
            member.size, member.mtime = int(size.rstrip(b"\0 "), 8), int(mtime.rstrip(b"\0 "), 8)
        except (struct.error, ValueError):
            return super().frombuf(buf, encoding, errors)
        path = b"/".join(part for part in (prefix.partition(b"\0")[0], name.partition(b"\0")[0]) if part)
        member.name = path.decode(encoding, errors)
        member.linkname = target.partition(b"\0")[0].decode(encoding, errors)
        member.type = kind
        return member


_HEADER: Final = struct.Struct("100s24x12s12s8sc100s8s80x155s12x")
_COMMON: Final = (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE)


def _time(member: tarfile.TarInfo) -> int | None:
    """Return when a member was read, in ns, as exactly as the archive says it."""
    match = _SECONDS.fullmatch(member.pax_headers.get("mtime", ""))
    if match:
        return int(match[1]) * 10**9 + int((match[2] or "0").ljust(9, "0")[:9])
    try:
        seconds = int(member.mtime)
    except (ValueError, OverflowError):
        return None
    return seconds * 10**9 if 0 <= seconds < 10**10 else None


class _Stream:
    """The bytes of a tar: unpacked on the way, forward only, and no more than are allowed."""

    def __init__(self, path: str, file: IO[bytes]) -> None:
        """Read `file`, called `path` in errors, whatever it is compressed with."""
        self._path = path
        self._chunks = _unpack(path, file)
        self._chunk = b""
        self._at = 0
        self._before = 0
        self._last = b""
        self._short = False
        self._members = 0
        self._kept = 0
        self._skipped = 0

    def allow(self, member: tarfile.TarInfo) -> None:
        """Count a member, and refuse it when there is too much of its kind."""
        self._members += 1
        if member.size > LIMIT:
            self._skipped += member.size
        else:
            self._kept += member.size
        if self._members > MEMBERS:
            raise self.too_large(f"more than {MEMBERS:,} members")
        if self._kept > KEPT or self._skipped > SKIPPED:
            raise self.too_large(f"more than {(KEPT if self._kept > KEPT else SKIPPED) >> 20} MiB of files")

    def content(self, member: tarfile.TarInfo) -> bytes:
        """Return the content of the member whose header was read last."""
        data = self.read(member.size)
        if len(data) < member.size:
            raise self.truncated()
        return data

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self._before + self._at

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end only."""
        if size > LIMIT + tarfile.BLOCKSIZE:
            raise self.too_large("a header larger than any file")
        end = self._at + size
        if end <= len(self._chunk):
            data = self._chunk[self._at : end]
            self._at = end
        else:
            parts = []
            while size:
                if self._at == len(self._chunk) and not self._next():
                    break
                part = self._chunk[self._at : self._at + size]
                self._at += len(part)
                size -= len(part)
                parts.append(part)
            data = b"".join(parts)
            self._short = bool(size)
        self._last = data
        return data

    def seek(self, position: int) -> None:
        """Pass over bytes; never back."""
        ahead = position - self.tell()
        if ahead < 0:
            raise self.damaged()
        while ahead > len(self._chunk) - self._at:
            ahead -= len(self._chunk) - self._at
            if not self._next():
                raise self.truncated()
        self._at += ahead

    def finish(self) -> None:
        """Require the end mark of the tar, and the end of what it is compressed with."""
        if self._short:
            raise self.truncated()
        tail = 0
        while rest := self._last:
            if any(rest):
                raise self.damaged()
            tail += len(rest)
            if tail > _TAIL:
                raise self.too_large("much after its end")
            self.read(_CHUNK)

    def _next(self) -> bool:
        self._before += len(self._chunk)
        self._chunk, self._at = b"", 0
        try:
            self._chunk = next((chunk for chunk in self._chunks if chunk), b"")
        except EOFError as error:
            raise self.truncated() from error
        except (zlib.error, lzma.LZMAError) as error:
            raise self.damaged() from error
        if self._before + len(self._chunk) > UNPACKED:
            raise self.too_large(f"more than {UNPACKED >> 20:,} MiB")
        return bool(self._chunk)

    def failure(self) -> CaptureError:
        """Return the error for what tarfile did not understand."""
        if not self.tell():
            return CaptureError(f"{self._path} is empty; make the capture again.")
        if self.tell() <= tarfile.BLOCKSIZE:
            return CaptureError(f"{self._path} is no tar archive; {_ADVICE}.")
        return self.truncated() if self._short else self.damaged()

    def damaged(self) -> CaptureError:
        """Return the error for bytes that make no sense."""
        return CaptureError(f"{self._path} is damaged near byte {self.tell():,} of its tar; copy it again.")

    def truncated(self) -> CaptureError:
        """Return the error for an end that comes too early."""
        return CaptureError(f"{self._path} ends in the middle, as if not copied whole; copy it again.")

    def too_large(self, what: str) -> CaptureError:
        """Return the error for an archive beyond its bounds."""
        return CaptureError(f"{self._path} unpacks to {what}, too large for a capture; {_ADVICE}.")


def _unpack(path: str, file: IO[bytes]) -> Iterator[bytes]:
    magic = file.read(6)
    file.seek(0)
    for foreign, what in _FOREIGN.items():
        if magic.startswith(foreign):
            raise CaptureError(f"{path} {what} first.")
    if magic.startswith(b"\x1f\x8b"):
        return _gunzip(file)
    if magic == b"\xfd7zXZ\0":
        return _unxz(file)
    return iter(lambda: file.read(_CHUNK), b"")


def _gunzip(file: IO[bytes]) -> Iterator[bytes]:
    unpack = None
    while data := file.read(_CHUNK):
        while data:
            if unpack is None:  # another member may follow, after padding
                data = data.lstrip(b"\0")
                unpack = zlib.decompressobj(wbits=31) if data else None
                continue
            yield unpack.decompress(data)
            data = unpack.unused_data
            if unpack.eof:
                unpack = None
    if unpack:
        raise EOFError


def _unxz(file: IO[bytes]) -> Iterator[bytes]:
    unpack = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
    while not unpack.eof:
        data = file.read(_CHUNK) if unpack.needs_input else b""
        if not data and unpack.needs_input:
            raise EOFError
        yield unpack.decompress(data, max_length=LIMIT)


# --- on disk ----------------------------------------------------------------------------------


def _look_through(path: str) -> _Found:
    """Find the passes in a directory: itself, or what lies one or two levels further down."""
    found = _Found()
    fullest: dict[str, int] = {}
    level = [("", path)]
    for _depth in range(3):
        below = []
        for label, directory in level:
            with os.scandir(directory) as entries:
                inside = [
                    entry.name for entry in islice(entries, LISTED) if entry.is_dir(follow_symlinks=False)
                ]
            tops = len({*TOPS}.intersection(inside))
            if "sys" in inside or "proc" in inside:
                if tops > fullest.get(label, 0):  # the other holds what an archiver had cut
                    fullest[label], found.roots[label] = tops, directory
                    _take_file(found, f"./{label}/CAPTURE.txt", f"{directory}/CAPTURE.txt")
            else:
                below += [(name, f"{directory}/{name}") for name in sorted(inside)]
            if "extra" in inside:
                for name in sorted(os.listdir(f"{directory}/extra"))[:LISTED]:
                    _take_file(found, f"extra/{name}", f"{directory}/extra/{name}")
        level = below[:LISTED]
    return found


def _take_file(found: _Found, name: str, file: str) -> None:
    """Take a file that lies beside the kernel's, if it is there."""
    try:
        found.put(name, File(read_regular(file, file), os.lstat(file).st_mtime_ns))
    except FileNotFoundError:
        pass
    except OSError:
        found.leave_out("that cannot be read", file)
