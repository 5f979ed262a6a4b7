"""An archive is read whole or refused with one sentence; what it must not hold is left out."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.goldens import compare
from zmon.kernel import capture_tar
from zmon.kernel.capture_tar import IMPOSSIBLE_TIME, NO_FILE, TOO_LARGE, Bounds
from zmon.kernel.capture_tree import LEADS_OUT, CapturedFile, CapturedFolder, CapturedLink, CaptureError
from zmon.kernel.tree import MAX_FILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.capture_tree import CaptureContents

SECOND = 10**9
_of = Bounds.of


def entry(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, target: str = "") -> bytes:
    """Return a member of an archive, header and content, of the time 1000."""
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.size, member.mtime = kind, target, len(data), 1000
    return member.tobuf(tarfile.PAX_FORMAT) + data + bytes(-len(data) % tarfile.BLOCKSIZE)


END = bytes(tarfile.RECORDSIZE)
BOX = b"".join(
    [
        entry("box", kind=tarfile.DIRTYPE),
        entry("box/1/proc/stat", b"cpu 1\n"),
        entry("box/1/proc/" + "d" * 120, b"long"),
        entry("box/1/sys/block/dasda", kind=tarfile.SYMTYPE, target="../devices/css0/dasda"),
        entry("box/2/proc/stat", kind=tarfile.LNKTYPE, target="box/1/proc/stat"),
    ]
)


def read(data: bytes) -> CaptureContents:
    """Read an archive that is called box.tar."""
    return capture_tar.read_tar("box.tar", io.BytesIO(data))


def stat(data: bytes) -> CapturedFile:
    """Return /proc/stat of the first pass of an archive."""
    node = read(data).nodes["1"]["proc/stat"]
    assert isinstance(node, CapturedFile)
    return node


def bound(monkeypatch: pytest.MonkeyPatch, **bounds: int) -> None:
    """Have other bounds, whatever the size of the archive."""
    monkeypatch.setattr(Bounds, "of", lambda size: Bounds(*_of(size))._replace(**bounds))


def refused(data: bytes) -> str:
    """Return why an archive is refused."""
    with pytest.raises(CaptureError) as error:
        read(data)
    return str(error.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_an_archive_is_known_by_its_content(pack: Callable[[bytes], bytes]) -> None:
    """Plain, gzip or xz, whatever the name says."""
    assert stat(pack(BOX + END)).data == b"cpu 1\n"


def test_gzip_may_come_in_pieces() -> None:
    """With padding between and behind them, as tapes and parallel gzips leave it."""
    pieces = gzip.compress(BOX[:700]) + bytes(3) + gzip.compress(BOX[700:] + END) + bytes(5)
    assert stat(pieces).data == b"cpu 1\n"


def test_files_directories_and_links_are_taken() -> None:
    """Links stay text."""
    data = entry("1/sys", kind=tarfile.DIRTYPE) + entry("1/sys/a", kind=tarfile.SYMTYPE, target="/etc") + END
    assert read(data).nodes["1"] == {
        "sys": CapturedFolder(1000 * SECOND),
        "sys/a": CapturedLink("/etc", 1000 * SECOND),
    }


def test_times_are_exact() -> None:
    """A float would lose nanoseconds."""
    member = tarfile.TarInfo("1/proc/stat")
    member.pax_headers = {"mtime": "1795210602.379067123"}
    assert stat(member.tobuf(tarfile.PAX_FORMAT) + END).time == 1795210602379067123


def test_times_without_pax_headers_are_whole_seconds() -> None:
    """Older formats know no more."""
    assert stat(BOX + END).time == 1000 * SECOND


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("length", [10, 99, 100, 101, 130])
def test_every_form_of_tar_is_read(form: Literal[0, 1, 2], length: int) -> None:
    """Each has its own way with long paths; whoever packed a directory again chose one."""
    path = f"proc/{'d' * length}/stat"
    assert read(tarfile.TarInfo(f"1/{path}").tobuf(form) + END).nodes == {"1": {path: CapturedFile(b"", 0)}}


def test_hard_links_share_the_content_and_keep_their_time() -> None:
    """An archiver writes a file once when it has several names."""
    first = tarfile.TarInfo("1/proc/stat")
    second = entry("2/proc/stat", kind=tarfile.LNKTYPE, target="1/proc/stat")
    assert read(first.tobuf() + second + END).nodes["2"]["proc/stat"] == CapturedFile(b"", 1000 * SECOND)


def test_the_same_content_is_kept_once() -> None:
    """Most files are the same in every pass."""
    nodes = read(entry("1/proc/stat", b"cpu 1\n") + entry("2/proc/stat", b"cpu 1\n") + END).nodes
    first, second = (nodes[label]["proc/stat"] for label in "12")
    assert isinstance(first, CapturedFile)
    assert isinstance(second, CapturedFile)
    assert first.data is second.data


def test_the_last_of_several_members_with_one_name_counts() -> None:
    """As if the archive were unpacked."""
    assert stat(entry("1/proc/stat", b"old") + entry("1/proc/stat", b"new") + END).data == b"new"


@pytest.mark.parametrize(
    ("member", "why"),
    [
        (entry("1/proc/version", kind=tarfile.CHRTYPE), NO_FILE),
        (entry("1/proc/version", kind=tarfile.BLKTYPE), NO_FILE),
        (entry("1/proc/version", kind=tarfile.FIFOTYPE), NO_FILE),
        (entry("1/proc/version", kind=tarfile.LNKTYPE, target="/etc/passwd"), NO_FILE),
        (entry("1/proc/version", kind=tarfile.LNKTYPE, target="../etc/passwd"), NO_FILE),
        (entry("1/proc/version", kind=tarfile.LNKTYPE, target="1/proc/nothing"), NO_FILE),
        (entry("1/proc/version", kind=tarfile.LNKTYPE, target="1/proc/version"), NO_FILE),
        (entry("1/proc/version", kind=tarfile.SYMTYPE, target="x" * 4097), NO_FILE),
        (entry("../1/proc/version"), LEADS_OUT),
        (entry("1/proc/version", bytes(MAX_FILE + 1)), TOO_LARGE),
    ],
)
def test_a_hostile_member_is_left_out_with_a_note(member: bytes, why: str) -> None:
    """The rest of the capture stays readable."""
    found = read(entry("1/proc/stat", b"cpu 1\n") + member + END)
    assert found.nodes == {"1": {"proc/stat": CapturedFile(b"cpu 1\n", 1000 * SECOND)}}
    assert found.left_out == {why: 1}


def test_a_member_with_an_impossible_time_is_left_out() -> None:
    """No kernel file was read before 1970."""
    member = tarfile.TarInfo("1/proc/stat")
    member.mtime = -5
    assert read(member.tobuf() + END).left_out == {IMPOSSIBLE_TIME: 1}


def test_a_small_archive_may_hold_little_and_a_large_one_much() -> None:
    """Each bound grows with the archive up to its end; a capture of 4,096 disks is within."""
    small, large = Bounds.of(1 << 20), Bounds.of(1 << 32)
    assert all(few <= many for few, many in zip(small, large, strict=True))
    assert small.members < 250_000 <= Bounds.of(250_000 * 10).members
    assert large == Bounds(2_000_000, 512 << 20, 512 << 20, 2 << 30, 4 << 30, 3 * 10**9)


# --- what cannot be read ----------------------------------------------------------------------


def negative(size: bytes) -> bytes:
    """Return an archive whose second member has a negative size; it would be read again for ever."""
    header = bytearray(entry("1/proc/stat"))
    header[124:136] = size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    return BOX + bytes(header) + END


def bomb(size: int, form: Literal[0, 1, 2] = tarfile.PAX_FORMAT) -> bytes:
    """Return a header that announces a large member."""
    member = tarfile.TarInfo("1/proc/stat")
    member.size = size
    return member.tobuf(form)


def of_many_digits() -> bytes:
    """Return a header of digits, for which Python before 3.11.10 takes the square of their number."""
    digits = b"1" * 15_000
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, len(digits)
    return header.tobuf() + digits + bytes(-len(digits) % 512) + entry("1/proc/stat")


def of_many_paths_of_digits() -> bytes:
    """Return headers that are short enough, but many."""
    return b"".join(entry(f"1/proc/{n}/" + "1" * 255) for n in range(4)) + END


def of_holes() -> bytes:
    """Return a map of holes without end; a sparse file's map is a header, too, however often continued."""
    header = bytearray(tarfile.TarInfo("1/proc/stat").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[482] = 1
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    more = (b"%011o\0" % 0 + b"%011o\0" % 1) * 21 + b"\1" + bytes(7)
    return bytes(header) + more * 200 + END


def changed_in_the_middle() -> bytes:
    """Return an archive whose checksum does not hold."""
    data = bytearray(gzip.compress(BOX + END, 0))
    data[len(data) // 2] ^= 1
    return bytes(data)


def headers_upon_headers() -> bytes:
    """Return headers, each of which may announce another one, without an end."""
    header = tarfile.TarInfo("././@PaxHeader")
    header.type = tarfile.XHDTYPE
    return header.tobuf() * 5000


REFUSED: dict[str, tuple[Callable[[], bytes], dict[str, int]]] = {
    "more members than the bound": (
        lambda: b"".join(entry(f"1/proc/{n}") for n in range(4)) + END, {"members": 3}
    ),
    "more content than the bound": (
        lambda: entry("1/proc/stat", bytes(MAX_FILE)) * 2 + END, {"kept": MAX_FILE}
    ),
    "more content left out than the bound": (
        lambda: entry("1/proc/stat", bytes(MAX_FILE + 1)) * 2 + END, {"skipped": MAX_FILE + 1}
    ),
    "a member of 8 EiB, which is not unpacked": (lambda: bomb(1 << 63, tarfile.GNU_FORMAT), {}),
    "a bomb between the members": (
        lambda: gzip.compress(bomb(64 << 20) + bytes(64 << 20)), {"unpacked": 32 << 20}
    ),
    "a bomb after the end": (lambda: gzip.compress(BOX + bytes(17 << 20)), {}),
    "a path of many megabytes": (lambda: entry("1/proc/" + "x" * (2 * MAX_FILE)), {}),
    "more names than the bound": (
        lambda: b"".join(entry(f"1/proc/{n}" + "x" * 1000) for n in range(4)) + END, {"names": 3000}
    ),
    "a negative size in octal": (lambda: negative(b"-0000001000\0"), {}),
    "a negative size in base 256": (lambda: negative(b"\xff" * 10 + b"\xfe\x00"), {}),
    "a header of many digits": (of_many_digits, {}),
    "many headers of digits": (of_many_paths_of_digits, {"digits": 3 * 255**2}),
    "a map of holes without end": (of_holes, {}),
    "nothing": (bytes, {}),
    "nothing, compressed": (lambda: gzip.compress(b"", mtime=0), {}),
    "a text": (lambda: b"hello\n", {}),
    "a long text": (lambda: b"hello\n" * 1000, {}),
    "a long text, compressed": (lambda: gzip.compress(b"hello\n" * 1000, mtime=0), {}),
    "the begin of gzip": (lambda: b"\x1f\x8bhello", {}),
    "the begin of zip": (lambda: b"PK\x03\x04....", {}),
    "the begin of zstd": (lambda: b"\x28\xb5\x2f\xfd....", {}),
    "the begin of bzip2": (lambda: b"BZh9....", {}),
    "an end between two members": (lambda: BOX, {}),
    "bytes that were changed": (changed_in_the_middle, {}),
    "a header that makes no sense": (lambda: BOX + b"x" * tarfile.BLOCKSIZE + END, {}),
    "headers upon headers": (headers_upon_headers, {}),
}  # fmt: skip
"""Archives that are refused, and bounds that they exceed."""


def test_what_cannot_be_read_is_refused_with_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins with the path, says what is wrong, and ends with a stop."""
    told = []
    for case, (data, bounds) in REFUSED.items():
        bound(monkeypatch, **bounds)
        told += [case, f"  {refused(data())}"]
    compare("said/archives", told)
    assert all(line.startswith("  box.tar ") and line.endswith(".") for line in told[1::2])


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.8, 0.99])
def test_an_archive_that_was_cut_says_so(pack: Callable[[bytes], bytes], part: float) -> None:
    """Half a capture must not pass for a whole one: it is refused as one without the end mark is."""
    data = pack(BOX + bytes(tarfile.BLOCKSIZE))
    assert refused(data[: int(len(data) * part)]) == refused(BOX)


# --- anything ---------------------------------------------------------------------------------

CHANGES = st.lists(st.tuples(st.integers(0, 1 << 14), st.binary(min_size=1, max_size=12)), max_size=5)


def changed(data: bytes, changes: list[tuple[int, bytes]]) -> bytes:
    """Return bytes of the same length, of which some are others."""
    result = bytearray(data)
    for place, change in changes:
        start = place % (len(data) - len(change))
        result[start : start + len(change)] = change
    return bytes(result)


@settings(deadline=None)
@given(CHANGES, st.integers(0, len(BOX + END)), st.sampled_from([bytes, gzip.compress]))
def test_a_changed_archive_is_read_or_refused(
    changes: list[tuple[int, bytes]], end: int, pack: Callable[[bytes], bytes]
) -> None:
    """Nothing but `CaptureError` comes out."""
    with suppress(CaptureError):
        read(pack(changed(BOX + END, changes)[: end or None]))


@settings(deadline=None)
@given(st.sampled_from([b"", b"\x1f\x8b", b"\xfd7zXZ\0"]), st.binary(max_size=600))
def test_any_bytes_are_no_archive(magic: bytes, rest: bytes) -> None:
    """Whatever they begin with."""
    assert refused(magic + rest.rstrip(b"\0") + b"x").startswith("box.tar ")


HEADER = tarfile.TarInfo("p" * 60 + "/" + "n" * 90).tobuf(tarfile.USTAR_FORMAT)


@given(CHANGES)
def test_a_header_is_decoded_as_tarfile_does(changes: list[tuple[int, bytes]]) -> None:
    """Only faster, and without the fields that nobody asks for: mode, owner, group and device."""
    block = bytearray(changed(HEADER, changes))
    for unused in (slice(100, 124), slice(329, 345)):
        block[unused] = HEADER[unused]
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)

    def decoded(how: type[tarfile.TarInfo]) -> object:
        try:
            member = how.frombuf(bytes(block), "utf-8", "surrogateescape")
        except tarfile.TarError as error:
            return type(error)
        return member.name.rstrip("/"), member.linkname, member.size, member.mtime, member.type

    assert decoded(capture_tar._Member) == decoded(tarfile.TarInfo)
