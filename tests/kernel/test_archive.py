from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import tarfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zmon.kernel import tar
from zmon.kernel.archive import CaptureError, open_capture, printable
from zmon.kernel.tree import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

SECOND = 10**9


def _member(name: str, data: bytes = b"", mtime: str = "1000.000000007") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    member.pax_headers = {"mtime": mtime}
    return member, data


def _special(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.mtime = kind, target, 1000
    return member, b""


def _tar(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.TarFile(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member, data in members:
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


PASSES = [
    _special("box", tarfile.DIRTYPE),
    _member("box/REPORT.txt", b"for people"),
    _member("box/10-load/proc/diskstats", b"third\n", "3000.5"),
    _member("box/1-idle/proc/diskstats", b"first\n", "1000.000000007"),
    _special("box/1-idle/sys/block/dasda", tarfile.SYMTYPE, "../devices/css0/dasda"),
    _member("box/1-idle/sys/devices/css0/dasda/size", b"42\n"),
    _member(
        "box/1-idle/CAPTURE.txt", b"not copied (path, mode, reason):\n/sys/x/copy_pair 0o644 No such device\n"
    ),
    _member("box/2-load/proc/diskstats", b"second\n", "2000"),
    _member("box/2-load/run/udev/data/b94:0", b"E:ID_SERIAL=0X7000\n"),
    _member("./2-load/sys/devices/long", b"its beginning was cut\n"),
    _member("box/extra/dasdd.BIODASDINFO2.bin", b"\1\2", "0"),
    _member("box/extra/fio.txt", b"for people"),
]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], str]:
    """Write bytes into a file and return its path."""

    def write(data: bytes) -> str:
        file = tmp_path / "capture.tar.gz"
        file.write_bytes(data)
        return str(file)

    return write


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_an_archive_is_known_by_its_content(
    write: Callable[[bytes], str], pack: Callable[[bytes], bytes]
) -> None:
    """Plain, gzip or xz, whatever the name says."""
    capture = open_capture(write(pack(_tar(PASSES))))
    assert [tree.read("proc/diskstats") for tree in capture.passes] == [b"first\n", b"second\n", b"third\n"]


def test_passes_come_in_the_order_of_time(write: Callable[[bytes], str]) -> None:
    """Not in that of the archive or of the names."""
    labels = [tree.label for tree in open_capture(write(_tar(PASSES))).passes]
    assert labels == ["1-idle", "2-load", "10-load"]


def test_passes_without_times_come_in_the_order_of_names(write: Callable[[bytes], str]) -> None:
    """Numbers count as numbers."""
    members = [_member(f"{name}/proc/stat", b"", "5") for name in ("10-load", "2-load", "idle", "1-idle")]
    labels = [tree.label for tree in open_capture(write(_tar(members))).passes]
    assert labels == ["1-idle", "2-load", "10-load", "idle"]


def test_times_are_exact(write: Callable[[bytes], str]) -> None:
    """A float would lose nanoseconds."""
    members = [_member("1/proc/stat", b"", "1795210602.379067123")]
    assert open_capture(write(_tar(members))).passes[0].when("proc/stat") == 1795210602379067123


def test_times_without_pax_headers_are_whole_seconds(write: Callable[[bytes], str]) -> None:
    """Older formats know no more."""
    member, data = _member("1/proc/stat")
    member.pax_headers, member.mtime = {}, 1000
    assert open_capture(write(_tar([(member, data)]))).passes[0].when("proc/stat") == 1000 * SECOND


def test_a_pass_is_never_live_and_has_a_name(write: Callable[[bytes], str]) -> None:
    """The name says which archive and which pass."""
    path = write(_tar(PASSES))
    tree = open_capture(path).passes[0]
    assert (tree.live, tree.name) == (False, f"{path} 1-idle")


def test_files_that_lost_the_beginning_of_their_path_are_found(write: Callable[[bytes], str]) -> None:
    """Roots of the same name are one pass."""
    assert open_capture(write(_tar(PASSES))).passes[1].read("sys/devices/long") == b"its beginning was cut\n"


def test_only_the_first_top_directory_of_a_path_counts(write: Callable[[bytes], str]) -> None:
    """`run/udev` and `dev` further down belong to the pass."""
    members = [_member("2-load/proc/stat"), _member("2-load/sys/block/run/dev", b"94:0\n")]
    assert open_capture(write(_tar(members))).passes[0].read("sys/block/run/dev") == b"94:0\n"


def test_a_bare_root_is_one_pass_without_a_label(write: Callable[[bytes], str]) -> None:
    """`tar -C / -c proc sys` makes such an archive."""
    (tree,) = open_capture(write(_tar([_member("./proc/stat", b"cpu 1\n")]))).passes
    assert (tree.label, tree.read("proc/stat")) == ("", b"cpu 1\n")


def test_answers_beside_the_passes_go_into_the_last(write: Callable[[bytes], str]) -> None:
    """Older captures kept them so; their own time stays."""
    *earlier, last = open_capture(write(_tar(PASSES))).passes
    assert last.read("ioctl/dasdd/BIODASDINFO2.bin") == b"\1\2"
    assert last.when("ioctl/dasdd/BIODASDINFO2.bin") == 0
    for tree in earlier:
        with pytest.raises(FileNotFoundError):
            tree.read("ioctl/dasdd/BIODASDINFO2.bin")


def test_what_the_kernel_refused_is_refused_again(write: Callable[[bytes], str]) -> None:
    """`CAPTURE.txt` of the pass says so."""
    with pytest.raises(OSError, match="No such device") as error:
        open_capture(write(_tar(PASSES))).passes[0].read("sys/x/copy_pair")
    assert error.value.errno == errno.ENODEV


def test_a_pass_without_kernel_files_is_dropped(write: Callable[[bytes], str]) -> None:
    """A stray directory that is called dev makes no pass."""
    capture = open_capture(write(_tar([*PASSES, _member("docs/dev/notes", b"")])))
    assert len(capture.passes) == 3
    assert capture.notes == ["Left out: 1 passes without a file below sys or proc, such as docs."]


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("length", [10, 99, 100, 101, 130])
def test_every_form_of_tar_is_read(write: Callable[[bytes], str], form: int, length: int) -> None:
    """Each has its own way with long paths; whoever packed a directory again chose one."""
    directory = "d" * length
    buffer = io.BytesIO()
    with tarfile.TarFile(fileobj=buffer, mode="w", format=form) as tar:
        member = tarfile.TarInfo(f"2-load/proc/{directory}/stat")
        member.size, member.mtime = 3, 1000
        tar.addfile(member, io.BytesIO(b"cpu"))
    (tree,) = open_capture(write(buffer.getvalue())).passes
    assert tree.read(f"proc/{directory}/stat") == b"cpu"
    assert tree.when(f"proc/{directory}/stat") == 1000 * SECOND


def test_hard_links_share_the_content_and_keep_their_time(write: Callable[[bytes], str]) -> None:
    """An archiver writes a file once when it has several names."""
    members = [
        _member("1/proc/stat", b"cpu 1\n"),
        _special("2/proc/stat", tarfile.LNKTYPE, "1/proc/stat"),
    ]
    tree = open_capture(write(_tar(members))).passes[0]
    assert (tree.read("proc/stat"), tree.when("proc/stat")) == (b"cpu 1\n", 1000 * SECOND)


def test_the_last_of_several_members_with_one_name_counts(write: Callable[[bytes], str]) -> None:
    """As if the archive were unpacked."""
    members = [_member("1/proc/stat", b"old"), _member("1/proc/stat", b"new")]
    assert open_capture(write(_tar(members))).passes[0].read("proc/stat") == b"new"


# --- what must not be taken -------------------------------------------------------------------


@pytest.mark.parametrize(
    "member",
    [
        _member("/1/proc/version", b"x"),
        _member("1/../proc/version", b"x"),
        _member("1/proc/../../proc/version", b"x"),
        _member("../1/proc/version", b"x"),
        _member("1/proc/" + "d/" * 2100 + "version", b"x"),
        _special("1/proc/version", tarfile.CHRTYPE),
        _special("1/proc/version", tarfile.BLKTYPE),
        _special("1/proc/version", tarfile.FIFOTYPE),
        _special("1/proc/version", tarfile.LNKTYPE, "/etc/passwd"),
        _special("1/proc/version", tarfile.LNKTYPE, "../etc/passwd"),
        _special("1/proc/version", tarfile.LNKTYPE, "1/proc/nothing"),
        _special("1/proc/version", tarfile.LNKTYPE, "1/proc/version"),
        _special("1/proc/version", tarfile.SYMTYPE, "x" * 4097),
        _member("1/proc/version", b"x", "-5"),
        _member("1/proc/version", bytes(LIMIT + 1)),
    ],
)
def test_a_hostile_member_is_left_out_with_a_note(
    write: Callable[[bytes], str], member: tuple[tarfile.TarInfo, bytes]
) -> None:
    """The rest of the capture stays readable."""
    member[0].mtime = -5 if member[0].pax_headers.get("mtime") == "-5" else member[0].mtime
    capture = open_capture(write(_tar([_member("1/proc/stat", b"cpu 1\n"), member])))
    (tree,) = capture.passes
    assert tree.entries("") == ["proc"]
    assert tree.entries("proc") == ["stat"]
    assert len(capture.notes) == 1


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../etc/passwd", "loop", "../../other/proc/stat"])
def test_a_link_reads_nothing_outside_of_its_pass(write: Callable[[bytes], str], target: str) -> None:
    """Not the machine's files, and not those of another pass."""
    members = [
        _member("1/proc/stat"),
        _member("other/proc/stat"),
        _special("1/proc/loop", tarfile.SYMTYPE, target),
    ]
    with pytest.raises(OSError, match=r"captured|leads out|symbolic links"):
        open_capture(write(_tar(members))).passes[0].read("proc/loop")


def test_many_members_are_too_many(write: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting stops at the bound."""
    monkeypatch.setattr(tar, "MEMBERS", 3)
    path = write(_tar(_member(f"1/proc/{n}") for n in range(4)))
    with pytest.raises(CaptureError, match="more than 3 members, too large for a capture"):
        open_capture(path)


def test_much_content_is_too_much(write: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum of all files is bounded."""
    monkeypatch.setattr(tar, "KEPT", LIMIT)
    path = write(_tar(_member(f"1/proc/{n}", bytes(LIMIT)) for n in range(2)))
    with pytest.raises(CaptureError, match=f"more than {LIMIT >> 20} MiB of files"):
        open_capture(path)


def test_a_bomb_is_found_by_its_header(write: Callable[[bytes], str]) -> None:
    """A member that announces 8 EiB is not unpacked at all."""
    member = tarfile.TarInfo("1/proc/stat")
    member.size = 1 << 63
    path = write(gzip.compress(member.tobuf(tarfile.GNU_FORMAT)))
    with pytest.raises(CaptureError, match="more than 256 MiB of files, too large"):
        open_capture(path)


def test_a_bomb_between_the_members_is_found(
    write: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What unpacks to too much stops there, whatever it is made of."""
    monkeypatch.setattr(tar, "UNPACKED", 32 << 20)
    member = tarfile.TarInfo("1/proc/stat")
    member.size = 64 << 20
    path = write(gzip.compress(member.tobuf() + bytes(64 << 20)))
    with pytest.raises(CaptureError, match="more than 32 MiB, too large"):
        open_capture(path)


def test_a_bomb_after_the_end_is_found(write: Callable[[bytes], str]) -> None:
    """Padding has its bound too."""
    path = write(gzip.compress(_tar(PASSES) + bytes(17 << 20)))
    with pytest.raises(CaptureError, match="much after its end"):
        open_capture(path)


def test_a_bomb_in_a_header_is_found(write: Callable[[bytes], str]) -> None:
    """A path of many megabytes is not even read."""
    path = write(gzip.compress(_tar([_member("1/proc/" + "x" * (2 * LIMIT))])))
    with pytest.raises(CaptureError, match="a header larger than any file"):
        open_capture(path)


def test_headers_upon_headers_are_damage(write: Callable[[bytes], str]) -> None:
    """Each of them may announce another one, without an end."""
    header = tarfile.TarInfo("././@PaxHeader")
    header.type = tarfile.XHDTYPE
    path = write(header.tobuf() * 5000)
    with pytest.raises(CaptureError, match="damaged"):
        open_capture(path)


# --- what cannot be opened --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (gzip.compress(b""), "is empty"),
        (b"hello\n", "is no tar archive"),
        (b"hello\n" * 1000, "is no tar archive"),
        (gzip.compress(b"hello\n" * 1000), "is no tar archive"),
        (b"\x1f\x8bhello", "is damaged"),
        (b"PK\x03\x04....", "is a zip file; unpack it into a directory first"),
        (b"\x28\xb5\x2f\xfd....", "is compressed with zstd; unpack it with unzstd first"),
        (b"BZh9....", "is compressed with bzip2; unpack it with bunzip2 first"),
        (_tar([]), "holds no pass"),
        (_tar([_member("README", b"")]), "holds no pass"),
        (_tar([_special("1/sys", tarfile.DIRTYPE)]), "holds no pass"),
    ],
)
def test_what_is_no_capture_is_called_by_its_name(
    write: Callable[[bytes], str], data: bytes, words: str
) -> None:
    """One sentence with the path, ending in a stop."""
    path = write(data)
    with pytest.raises(CaptureError, match=words) as error:
        open_capture(path)
    assert str(error.value).startswith(path)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.8, 0.99])
def test_an_archive_that_was_cut_says_so(
    write: Callable[[bytes], str], pack: Callable[[bytes], bytes], part: float
) -> None:
    """Half a capture must not pass for a whole one."""
    data = pack(_tar(PASSES).rstrip(b"\0") + bytes(512))
    path = write(data[: int(len(data) * part)])
    with pytest.raises(CaptureError, match="ends in the middle"):
        open_capture(path)


def test_an_archive_that_ends_between_two_members_was_cut(write: Callable[[bytes], str]) -> None:
    """The end mark is missing."""
    member, _data = _member("1/proc/stat")
    path = write(member.tobuf(tarfile.PAX_FORMAT))
    with pytest.raises(CaptureError, match="ends in the middle"):
        open_capture(path)


def test_bytes_that_were_changed_are_damage(write: Callable[[bytes], str]) -> None:
    """The checksum of gzip tells."""
    data = bytearray(gzip.compress(_tar(PASSES), 0))
    data[len(data) // 2] ^= 1
    with pytest.raises(CaptureError, match="is damaged near byte"):
        open_capture(write(bytes(data)))


def test_a_header_that_makes_no_sense_is_damage(write: Callable[[bytes], str]) -> None:
    """It is not the end."""
    data = bytearray(_tar(PASSES))
    data[-10240:-9728] = b"x" * 512
    with pytest.raises(CaptureError, match="is damaged near byte"):
        open_capture(write(bytes(data)))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """With the system's words."""
    with pytest.raises(CaptureError, match=r"nothing cannot be read: No such file or directory\."):
        open_capture(str(tmp_path / "nothing"))


def test_a_device_is_no_capture() -> None:
    """It is not opened."""
    with pytest.raises(CaptureError, match="/dev/null is neither a file nor a directory"):
        open_capture("/dev/null")


def test_foreign_names_cannot_move_the_cursor() -> None:
    """A note is shown on a terminal."""
    assert printable("a\x1b[2J\n") == "a\\x1b[2J\\n"


def test_long_names_are_cut() -> None:
    """A note stays a line or two."""
    assert len(printable("x" * 500)) == 120


# --- directories ------------------------------------------------------------------------------


def _unpack(path: Path) -> None:
    """Unpack `PASSES` as tar would, where it does so by itself."""
    for member, data in PASSES:
        place = path / member.name
        place.parent.mkdir(parents=True, exist_ok=True)
        if member.issym():
            place.symlink_to(member.linkname)
        elif member.isreg():
            place.write_bytes(data)
            ns = int(float(member.pax_headers["mtime"]) * SECOND)
            os.utime(place, ns=(ns, ns))


@pytest.mark.parametrize("below", ["box", "."])
def test_an_unpacked_archive_has_the_same_passes(tmp_path: Path, below: str) -> None:
    """Its top directory, or the one in which it was unpacked."""
    _unpack(tmp_path)
    trees = open_capture(str(tmp_path / below)).passes
    assert [tree.label for tree in trees] == ["1-idle", "2-load", "10-load"]
    assert trees[0].read("sys/block/dasda/size") == b"42\n"
    assert trees[2].when("proc/diskstats") == 3000 * SECOND + SECOND // 2
    assert trees[2].read("ioctl/dasdd/BIODASDINFO2.bin") == b"\1\2"
    with pytest.raises(OSError, match="No such device"):
        trees[0].read("sys/x/copy_pair")


def test_one_unpacked_pass_is_a_capture(tmp_path: Path) -> None:
    """With its own notes."""
    _unpack(tmp_path)
    (tree,) = open_capture(str(tmp_path / "box" / "1-idle")).passes
    assert (tree.label, tree.read("proc/diskstats")) == ("", b"first\n")
    with pytest.raises(OSError, match="No such device"):
        tree.read("sys/x/copy_pair")


def test_of_two_directories_with_one_name_the_fuller_is_the_pass(tmp_path: Path) -> None:
    """The other holds what an archiver had cut."""
    _unpack(tmp_path)
    (tmp_path / "box/2-load/sys").mkdir()
    trees = open_capture(str(tmp_path)).passes
    assert trees[1].read("proc/diskstats") == b"second\n"


def test_a_directory_behind_a_link_is_no_pass(tmp_path: Path) -> None:
    """The search does not leave what was given."""
    (tmp_path / "elsewhere/proc").mkdir(parents=True)
    (tmp_path / "given").mkdir()
    (tmp_path / "given/1-idle").symlink_to("../elsewhere")
    with pytest.raises(CaptureError, match="holds no pass"):
        open_capture(str(tmp_path / "given"))


def test_an_answer_behind_a_link_is_not_taken(tmp_path: Path) -> None:
    """It might be any file of this machine."""
    (tmp_path / "1/proc").mkdir(parents=True)
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra/dasda.BIODASDINFO2.bin").symlink_to("/etc/hostname")
    capture = open_capture(str(tmp_path))
    assert "ioctl" not in capture.passes[0].entries("")
    assert len(capture.notes) == 1


# --- anything ---------------------------------------------------------------------------------

WHOLE = _tar(PASSES)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=12)), max_size=5),
    st.integers(0, len(WHOLE)),
    st.sampled_from([bytes, gzip.compress]),
)
def test_a_changed_archive_opens_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory,
    changes: list[tuple[int, bytes]],
    end: int,
    pack: Callable[[bytes], bytes],
) -> None:
    """Nothing but `CaptureError` comes out."""
    data = bytearray(WHOLE)
    for place, change in changes:
        data[place : place + len(change)] = change
    file = tmp_path_factory.getbasetemp() / "changed.tar"
    file.write_bytes(pack(bytes(data[: end or None])))
    try:
        capture = open_capture(str(file))
    except CaptureError:
        return
    assert capture.passes


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(min_size=1, max_size=30)
            | st.lists(st.sampled_from(["..", ".", "", "1", "sys", "proc", "a"]), min_size=1).map("/".join),
            st.sampled_from([tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE]),
            st.text(max_size=20) | st.sampled_from(["..", "/", "1/proc/stat", "../../..", "a/../.."]),
        ),
        max_size=12,
    )
)
def test_any_names_and_links_stay_inside(
    tmp_path_factory: pytest.TempPathFactory, plan: list[tuple[str, bytes, str]]
) -> None:
    """Every path of every pass answers from the archive or with an OSError."""
    members = [_member("1/proc/stat", b"inside")]
    for name, kind, target in plan:
        if "\0" in name + target:
            continue
        members.append(_member(name, b"inside") if kind == tarfile.REGTYPE else _special(name, kind, target))
    file = tmp_path_factory.getbasetemp() / "names.tar"
    try:
        file.write_bytes(_tar(members))
    except UnicodeEncodeError:
        return  # a lone surrogate is no name
    for tree in open_capture(str(file)).passes:
        todo = [""]
        for path in todo:
            names = _answer(tree.entries, path)
            if isinstance(names, list):
                todo += [f"{path}/{name}".lstrip("/") for name in names][: 200 - len(todo)]
            assert _answer(tree.read, path) in (b"inside", *errno.errorcode)


def _answer(call: Callable[[str], object], path: str) -> object:
    try:
        return call(path)
    except OSError as error:
        return error.errno


def test_a_name_that_is_no_text_can_be_read(write: Callable[[bytes], str]) -> None:
    """Bytes that are not UTF-8 survive as Linux gives them to Python."""
    name = os.fsdecode(b"\xff")
    tree = open_capture(write(_tar([_member("1/proc/stat"), _member(f"1/sys/{name}", b"x")]))).passes[0]
    assert tree.read(f"sys/{name}") == b"x"
