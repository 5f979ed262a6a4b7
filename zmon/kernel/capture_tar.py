"""A capture in a tar archive, plain or compressed with gzip, xz or bzip2.

It is read once, in memory, and never unpacked to disk.  Nothing in it is trusted: how much it may hold is
bounded, devices and pipes are left out, links stay text.  Times are those of the members, to the nanosecond
where PAX headers give it.
"""

from __future__ import annotations

import bz2
import io
import lzma
import os
import re
import struct
import tarfile
import zlib
from typing import IO, TYPE_CHECKING, Final, Self, cast

from zmon.base.clock import SECOND
from zmon.base.record import NamedTuple
from zmon.kernel.capture_text import MAX_TEXT, NO_TEXTS
from zmon.kernel.capture_tree import (
    ADVICE,
    MAX_NESTED,
    MAX_PATH,
    NESTED,
    CaptureContents,
    CapturedFile,
    CapturedFolder,
    CapturedLink,
    CaptureError,
    read_regular,
)
from zmon.kernel.tree import MAX_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.kernel.capture_text import TextReader
    from zmon.kernel.capture_tree import Node


MAX_HEADER: Final = 16 << 10
"""Most bytes of the headers of one member: a path and a link of 4,096 bytes each fit twice."""
MAX_DIGITS: Final = 4096
"""Longest run of digits in a header: a path has no longer one."""


class DamagedError(Exception):
    """Bytes are not what bzip2 writes."""


class Bounds(NamedTuple):
    """Limits of an archive, which depend on its size."""

    members: int
    names: int
    """Bytes of all paths and links together."""
    kept: int
    """Bytes of all files together."""
    skipped: int
    """Bytes of the files that are too large for a kernel file and are left out."""
    unpacked: int
    """Bytes of the tar itself, with its headers."""
    digits: int
    """The squares of the runs of digits in headers: steps of CPython before 3.11.10, of which a second has
    some 700 million (CVE-2024-6232)."""

    @classmethod
    def of(cls, size: int) -> Bounds:
        """Return the bounds for an archive, by its bytes.

        4,096 disks make some 250,000 members in a pass; gzip leaves 10 bytes or more of each, because each
        has a time of its own.
        """
        return cls(
            members=min(2_000_000, 100_000 + size // 8),
            names=min(512 << 20, (32 << 20) + 32 * size),
            kept=min(512 << 20, (64 << 20) + 64 * size),
            skipped=min(2 << 30, (64 << 20) + 64 * size),
            unpacked=min(4 << 30, (128 << 20) + 256 * size),
            digits=min(3_000_000_000, 500_000_000 + 200 * size),
        )


_SECONDS: Final = re.compile(r"(\d{1,10})(?:\.(\d{1,30}))?", re.ASCII)
_MANY_DIGITS: Final = re.compile(rb"[0-9]{40,}")
_CHUNK: Final = 16384  # gzip makes at most 17 MB of this
_XZ_MEMORY: Final = 256 << 20
_TAIL: Final = 16 << 20  # padding after the end of a tar
_FOREIGN: Final = {
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it with unzstd",
    b"PK\x03\x04": "is a zip file; unpack it into a directory",
}


def read_tar(
    path: str, file: IO[bytes], reader: TextReader = NO_TEXTS, *, rooted: bool = False
) -> CaptureContents:
    """Read an archive from its beginning to its end; of one that is `rooted` paths may begin with a slash."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    stream = _Stream(path, file, Bounds.of(size))
    try:
        with tarfile.TarFile(
            fileobj=cast("IO[bytes]", stream), tarinfo=_Member, encoding="utf-8", errors="surrogateescape"
        ) as tar:
            contents = CaptureContents(reader, rooted=rooted)
            _take_into(contents, tar, stream)
    except CaptureError:
        raise
    except (tarfile.TarError, ValueError, ArithmeticError, LookupError, RecursionError) as error:
        raise stream.failure() from error
    stream.finish()
    for folder, data in contents.take_nested():
        _take_nested(contents, f"{path}:{folder}{NESTED}", folder, data)
    return contents


def read_nested(contents: CaptureContents, file: str, inside: str) -> None:
    """Take the members of an archive in a directory, called `inside` there."""
    try:
        data = read_regular(file, file, MAX_NESTED)
    except OSError:
        data = b""
    if not data:
        contents.leave_out("archives in it that cannot be read", file)
    elif contents.may_open(file):
        _take_nested(contents, file, inside.removesuffix(NESTED), data)


def _take_nested(contents: CaptureContents, path: str, folder: str, data: bytes) -> None:
    """Take the members of an archive within the archive; what is wrong with it is a remark."""
    try:
        inner = read_tar(path, io.BytesIO(data), rooted=True)
    except CaptureError as error:
        contents.leave_out("archives in it that cannot be read", f"{path} ({error})")
        return
    contents.left_out.update(inner.left_out)
    contents.examples = {**inner.examples, **contents.examples}
    for label, nodes in inner.nodes.items():
        root = "/".join(part for part in (folder.rstrip("/"), label) if part)
        for name, node in nodes.items():
            contents.put(f"{root}/{name}".lstrip("/"), node)


def _take_into(contents: CaptureContents, tar: tarfile.TarFile, stream: _Stream) -> None:
    same: dict[bytes, bytes] = {}  # most files are the same in every pass
    while (member := tar.next()) is not None:
        tar.members.clear()  # type: ignore[attr-defined]  # else it would remember them all
        if not stream.allow(member, contents):
            continue
        node = _node(member, stream, contents)
        if isinstance(node, CapturedFile):
            node = CapturedFile(same.setdefault(node.data, node.data), node.time)
        if isinstance(node, str):
            contents.leave_out(node, member.name)
        else:
            contents.put(member.name, node)


def _node(member: tarfile.TarInfo, stream: _Stream, contents: CaptureContents) -> Node | str:
    """Return what a member is, or why it is left out."""
    time = _time(member)
    if time is None:
        return IMPOSSIBLE_TIME
    if member.isreg() and not member.issparse():
        largest = MAX_FILE if member.size <= MAX_FILE else contents.largest(member.name)
        too_large = TOO_LARGE if largest == MAX_FILE else TOO_LONG
        return CapturedFile(stream.content(member), time) if member.size <= largest else too_large
    if member.isdir():
        return CapturedFolder(time)
    if member.issym() and len(member.linkname) <= MAX_PATH:
        return CapturedLink(member.linkname, time)
    if member.islnk() and isinstance(origin := contents.get(member.linkname), CapturedFile):
        return CapturedFile(origin.data, time)
    return NO_FILE


IMPOSSIBLE_TIME: Final = "with an impossible time"
NO_FILE: Final = "that are devices, pipes or links to nowhere"
TOO_LARGE: Final = f"with more than {MAX_FILE:,} bytes, which no kernel file has"
TOO_LONG: Final = f"with more than {MAX_TEXT:,} bytes, too long for a text"


class _Member(tarfile.TarInfo):
    """A header; of common ones only the fields that matter are decoded, in a fifth of the time."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Decode a block; whatever is not as usual is left to `tarfile`, also to complain about."""
        try:
            name, size, mtime, checksum, kind, target, magic, prefix = _HEADER.unpack(buf)
            sums = int(checksum.rstrip(b"\0 "), 8), sum(buf) - sum(checksum) + 8 * 32
            if magic != tarfile.POSIX_MAGIC or kind not in _COMMON or sums[0] != sums[1]:
                return cls._as_tarfile_does(buf, encoding, errors)
            member = cls()
            member.size, member.mtime = int(size.rstrip(b"\0 "), 8), int(mtime.rstrip(b"\0 "), 8)
        except (struct.error, ValueError):
            return cls._as_tarfile_does(buf, encoding, errors)
        if member.size < 0:
            raise tarfile.ReadError("a negative size")
        path = b"/".join(part for part in (prefix.partition(b"\0")[0], name.partition(b"\0")[0]) if part)
        member.name = path.decode(encoding, errors)
        member.linkname = target.partition(b"\0")[0].decode(encoding, errors)
        member.type = kind
        return member

    @classmethod
    def _as_tarfile_does(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if member.size < 0:  # it would be read again and again
            raise tarfile.ReadError("a negative size")
        return member


_HEADER: Final = struct.Struct("100s24x12s12s8sc100s8s80x155s12x")
_COMMON: Final = (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE)


def _time(member: tarfile.TarInfo) -> int | None:
    """Return when a member was read, in ns, as exactly as the archive says it."""
    match = _SECONDS.fullmatch(member.pax_headers.get("mtime", ""))
    if match:
        return int(match[1]) * SECOND + int((match[2] or "0").ljust(9, "0")[:9])
    try:
        seconds = int(member.mtime)
    except (ValueError, OverflowError):
        return None
    return seconds * SECOND if 0 <= seconds < 10**10 else None


class _Stream:
    """The bytes of a tar: unpacked on the way, forward only, and no more than are allowed."""

    def __init__(self, path: str, file: IO[bytes], bounds: Bounds) -> None:
        """Read `file`, called `path` in errors, whatever it is compressed with."""
        self._path = path
        self._bounds = bounds
        self._chunks = _unpack(path, file)
        self._chunk = b""
        self._at = 0
        self._before = 0
        self._last = b""
        self._short = False
        self._header = 0
        """Bytes of headers since the last member."""
        self._members = 0
        self._names = 0
        self._kept = 0
        self._skipped = 0
        self._digits = 0

    def allow(self, member: tarfile.TarInfo, contents: CaptureContents) -> bool:
        """Count a member, and refuse it when there is too much of its kind; return whether it is wanted."""
        bounds = self._bounds
        self._header = 0
        self._members += 1
        self._names += len(member.name) + len(member.linkname)
        wanted = not member.isreg() or contents.wants(member.name)
        if not wanted or (member.size > MAX_FILE and member.size > contents.largest(member.name)):
            self._skipped += member.size
        else:
            self._kept += member.size
        if self._members > bounds.members:
            raise self.too_large(f"more than {bounds.members:,} members")
        if self._names > bounds.names:
            raise self.too_large(f"more than {bounds.names >> 20} MiB of names")
        if self._kept > bounds.kept:
            raise self.too_large(f"more than {bounds.kept >> 20} MiB of files")
        if self._skipped > bounds.skipped:
            raise self.too_large(f"more than {bounds.skipped >> 20} MiB of files")
        return wanted

    def content(self, member: tarfile.TarInfo) -> bytes:
        """Return the content of the member whose header was read last."""
        data = self._take(member.size)
        if len(data) < member.size:
            raise self.truncated()
        return data

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self._before + self._at

    def read(self, size: int) -> bytes:
        """Return the next bytes of a header; fewer at the end only."""
        self._header += size
        if self._header > MAX_HEADER:
            raise self.too_large(f"a header of more than {MAX_HEADER >> 10} KiB")
        data = self._take(size)
        for match in _MANY_DIGITS.finditer(data):
            self._digits += len(match[0]) ** 2
            if len(match[0]) > MAX_DIGITS:
                raise self.damaged()
            if self._digits > self._bounds.digits:
                raise self.too_large("headers of too many digits")
        return data

    def _take(self, size: int) -> bytes:
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
            self._take(_CHUNK)

    def _next(self) -> bool:
        self._before += len(self._chunk)
        self._chunk, self._at = b"", 0
        try:
            self._chunk = next((chunk for chunk in self._chunks if chunk), b"")
        except EOFError as error:
            raise self.truncated() from error
        except (zlib.error, lzma.LZMAError, DamagedError) as error:
            raise self.damaged() from error
        if self._before + len(self._chunk) > self._bounds.unpacked:
            raise self.too_large(f"more than {self._bounds.unpacked >> 20:,} MiB")
        return bool(self._chunk)

    def failure(self) -> CaptureError:
        """Return the error for what tarfile did not understand."""
        if not self.tell():
            return CaptureError(f"{self._path} is empty; make the capture again.")
        if self.tell() <= tarfile.BLOCKSIZE:
            return CaptureError(
                f"{self._path} is no tar archive, and no output of a command that zmon reads, such as"
                f" lsdasd; {ADVICE}, or give a report of sadf to zmon import."
            )
        return self.truncated() if self._short else self.damaged()

    def damaged(self) -> CaptureError:
        """Return the error for bytes that make no sense."""
        return CaptureError(f"{self._path} is damaged near byte {self.tell():,} of its tar; copy it again.")

    def truncated(self) -> CaptureError:
        """Return the error for an end that comes too early."""
        return CaptureError(f"{self._path} ends in the middle, as if not copied whole; copy it again.")

    def too_large(self, what: str) -> CaptureError:
        """Return the error for an archive beyond its bounds."""
        return CaptureError(f"{self._path} unpacks to {what}, too large for a capture; {ADVICE}.")


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
    if magic.startswith(b"BZh"):
        return _bunzip2(file)
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
        yield unpack.decompress(data, max_length=MAX_FILE)


def _bunzip2(file: IO[bytes]) -> Iterator[bytes]:
    unpack = bz2.BZ2Decompressor()
    while True:
        data = file.read(_CHUNK) if unpack.needs_input and not unpack.eof else b""
        if unpack.eof:  # another stream may follow, as parallel programs write them
            data = unpack.unused_data or file.read(_CHUNK)
            if not data:
                return
            unpack = bz2.BZ2Decompressor()
        elif not data and unpack.needs_input:
            raise EOFError
        try:
            part = unpack.decompress(data, max_length=MAX_FILE)
        except OSError as error:
            raise DamagedError from error
        yield part
