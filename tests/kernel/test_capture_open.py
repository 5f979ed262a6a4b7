from __future__ import annotations

import errno
import io
import os
import tarfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zmon.kernel import capture_open
from zmon.kernel.capture_open import NOT_A_CAPTURE, CaptureError, open_capture

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


def test_passes_come_in_the_order_of_time(write: Callable[[bytes], str]) -> None:
    """Not in that of the archive or of the names."""
    labels = [tree.label for tree in open_capture(write(_tar(PASSES))).passes]
    assert labels == ["1-idle", "2-load", "10-load"]


def test_passes_without_times_come_in_the_order_of_names(write: Callable[[bytes], str]) -> None:
    """Numbers count as numbers."""
    members = [_member(f"{name}/proc/stat", b"", "5") for name in ("10-load", "2-load", "idle", "1-idle")]
    labels = [tree.label for tree in open_capture(write(_tar(members))).passes]
    assert labels == ["1-idle", "2-load", "10-load", "idle"]


def test_a_pass_is_never_live_and_has_a_name(write: Callable[[bytes], str]) -> None:
    """The name says which archive and which pass."""
    path = write(_tar(PASSES))
    tree = open_capture(path).passes[0]
    assert (tree.live, tree.name) == (False, f"{path} 1-idle")


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
    (note,) = capture.notes
    assert " 1 pass " in note
    assert note.endswith(" docs.")


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../etc/passwd", "loop", "../../other/proc/stat"])
def test_a_link_reads_nothing_outside_of_its_pass(write: Callable[[bytes], str], target: str) -> None:
    """Not the machine's files, and not those of another pass."""
    members = [
        _member("1/proc/stat"),
        _member("other/proc/stat"),
        _special("1/proc/loop", tarfile.SYMTYPE, target),
    ]
    with pytest.raises(OSError, match=r".") as error:
        open_capture(write(_tar(members))).passes[0].read("proc/loop")
    assert error.value.errno in {errno.ENOENT, errno.EXDEV, errno.ELOOP}


# --- what cannot be opened --------------------------------------------------------------------


@pytest.mark.parametrize(
    "data", [_tar([]), _tar([_member("README", b"")]), _tar([_special("1/sys", tarfile.DIRTYPE)])]
)
def test_an_archive_without_kernel_files_is_no_capture(write: Callable[[bytes], str], data: bytes) -> None:
    """The sentence begins with the path."""
    path = write(data)
    with pytest.raises(CaptureError, match=NOT_A_CAPTURE) as error:
        open_capture(path)
    assert str(error.value).startswith(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """With the system's words."""
    with pytest.raises(CaptureError, match=r"/nothing .*: No such file or directory\."):
        open_capture(str(tmp_path / "nothing"))


def test_a_device_is_no_capture() -> None:
    """It is not opened."""
    with pytest.raises(CaptureError, match=r"^/dev/null "):
        open_capture("/dev/null")


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
    with pytest.raises(CaptureError, match=NOT_A_CAPTURE):
        open_capture(str(tmp_path / "given"))


def test_an_answer_behind_a_link_is_not_taken(tmp_path: Path) -> None:
    """It might be any file of this machine."""
    (tmp_path / "1/proc").mkdir(parents=True)
    (tmp_path / "1/proc/stat").touch()
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra/dasda.BIODASDINFO2.bin").symlink_to("/etc/hostname")
    capture = open_capture(str(tmp_path))
    assert "ioctl" not in capture.passes[0].entries("")
    assert len(capture.notes) == 1


# --- anything ---------------------------------------------------------------------------------


@settings(deadline=None)
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


@pytest.mark.parametrize("path", ["/", "/proc", "/sys/"])
def test_the_running_kernel_is_no_capture(path: str) -> None:
    """What looks like a root, but is this machine, is refused with the way to look at it."""
    with pytest.raises(CaptureError, match=f"^{path} .* --from "):
        open_capture(path)


def test_passes_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pass costs a sample; a hundred thousand of them fit into a small archive."""
    monkeypatch.setattr(capture_open, "MAX_PASSES", 2)
    for number in range(3):
        (tmp_path / str(number) / "proc").mkdir(parents=True)
        (tmp_path / str(number) / "proc/stat").touch()
    with pytest.raises(CaptureError, match=r"\b3\b.*\b2\b"):
        open_capture(str(tmp_path))


@pytest.mark.parametrize("file", ["include/sys/wait.h", "proc/", "sys/class/", "sys/README"])
def test_a_directory_of_that_name_without_a_kernel_file_is_no_pass(
    tmp_path: Path, write: Callable[[bytes], str], file: str
) -> None:
    """Header files lie in directories called sys, and an empty one says nothing of a machine."""
    directory, _, name = file.rpartition("/")
    (tmp_path / directory).mkdir(parents=True)
    if name:
        (tmp_path / file).touch()
    with pytest.raises(CaptureError, match=NOT_A_CAPTURE):
        open_capture(str(tmp_path))
    with pytest.raises(CaptureError, match=NOT_A_CAPTURE):
        open_capture(write(_tar([_member("include/sys/wait.h")])))
