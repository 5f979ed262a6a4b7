from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zmon.kernel import capture_tree
from zmon.kernel.capture_tree import (
    NO_REGULAR_FILE,
    ArchivedTree,
    CapturedFile,
    CapturedFolder,
    CapturedLink,
    DirectoryTree,
    RefusedFile,
    moment,
    read_regular,
    refusals,
    simulated,
)
from zmon.kernel.tree import MAX_FILE, NOT_CAPTURED, UNCAPTURED, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from zmon.kernel.capture_tree import CapturedTree, Node
    from zmon.kernel.tree import Tree

DEVICE = "sys/devices/css0/0.0.0004/0.0.7000"
NODES: dict[str, Node] = {
    f"{DEVICE}/uid": CapturedFile(b"IBM.75000000092461.e900.10\n", 1_000_000_007),
    f"{DEVICE}/block/dasda/size": CapturedFile(b"42\n", 1_000_000_009),
    f"{DEVICE}/block/dasda/device": CapturedLink("../../../0.0.7000", 5),
    f"{DEVICE}/driver": CapturedLink("../../../../bus/ccw/drivers/dasd-eckd", 5),
    "sys/bus/ccw/devices/0.0.7000": CapturedLink("../../../devices/css0/0.0.0004/0.0.7000", 5),
    "sys/block/dasda": CapturedLink("../devices/css0/0.0.0004/0.0.7000/block/dasda", 5),
    "sys/bus/ccw/drivers": CapturedFolder(6),
    "proc/mounts": CapturedLink("/proc/self/mounts", 5),
    "proc/self/mounts": CapturedFile(b"", 8),
    "proc/loop": CapturedLink("loop", 5),
    "proc/out": CapturedLink("../../etc/passwd", 5),
}


def _unpack(root: Path, nodes: Mapping[str, Node]) -> None:
    for path, node in nodes.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(node, CapturedFile):
            place.write_bytes(node.data)
            os.utime(place, ns=(node.time, node.time))
        elif isinstance(node, CapturedLink):
            place.symlink_to(node.text)
        elif isinstance(node, CapturedFolder):
            place.mkdir(exist_ok=True)


@pytest.fixture(params=["archive", "directory"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> CapturedTree:
    """Make the same pass, in memory and on disk."""
    if request.param == "archive":
        return ArchivedTree("a capture", "2-load", NODES)
    _unpack(tmp_path, NODES)
    return DirectoryTree(str(tmp_path), "a capture", "2-load")


def test_a_file_is_read_by_its_own_path(tree: CapturedTree) -> None:
    """The content comes as it was."""
    assert tree.read(f"{DEVICE}/uid") == b"IBM.75000000092461.e900.10\n"


@pytest.mark.parametrize(
    "path",
    [
        "sys/bus/ccw/devices/0.0.7000/uid",
        "sys/block/dasda/device/uid",
        "sys/bus/ccw/devices/0.0.7000/block/dasda/device/uid",
        "/sys//bus/ccw/./devices/0.0.7000/uid",
        "sys/bus/ccw/devices/0.0.7000/block/../uid",
    ],
)
def test_a_file_is_read_through_links_to_directories(tree: CapturedTree, path: str) -> None:
    """Links are followed from where they stand, as the kernel does."""
    assert tree.read(path) == b"IBM.75000000092461.e900.10\n"


def test_an_absolute_link_starts_at_the_root_of_the_pass(tree: CapturedTree) -> None:
    """/proc of a link is the captured /proc."""
    assert tree.read("proc/mounts") == b""


def test_the_time_is_that_of_the_file_behind_the_links(tree: CapturedTree) -> None:
    """Nanoseconds survive."""
    assert tree.when("sys/block/dasda/size") == 1_000_000_009


def test_a_directory_lists_its_names_in_order(tree: CapturedTree) -> None:
    """Links and files alike, also through a link."""
    assert tree.entries("sys/bus/ccw/devices/0.0.7000") == ["block", "driver", "uid"]


def test_an_empty_directory_is_empty(tree: CapturedTree) -> None:
    """It was captured, so it is no error."""
    assert tree.entries("sys/bus/ccw/drivers") == []


def test_the_root_can_be_listed(tree: CapturedTree) -> None:
    """The empty path is the root."""
    assert tree.entries("") == ["proc", "sys"]


def test_a_link_keeps_its_text(tree: CapturedTree) -> None:
    """Nothing of it is resolved."""
    assert tree.link("sys/bus/ccw/devices/0.0.7000/driver") == "../../../../bus/ccw/drivers/dasd-eckd"


@pytest.mark.parametrize(
    ("ask", "path", "number"),
    [
        ("read", "proc/nothing", errno.ENOENT),
        ("read", f"{DEVICE}/driver/bind", errno.ENOENT),
        ("read", "sys/bus", errno.EISDIR),
        ("read", f"{DEVICE}/uid/x", errno.ENOTDIR),
        ("read", "proc/loop", errno.ELOOP),
        ("read", "proc/out", errno.EXDEV),
        ("read", "../passwd", errno.EXDEV),
        ("read", "proc/\0", errno.ENOENT),
        ("entries", f"{DEVICE}/uid", errno.ENOTDIR),
        ("entries", "nothing", errno.ENOENT),
        ("link", f"{DEVICE}/uid", errno.EINVAL),
        ("link", "sys/bus", errno.EINVAL),
        ("link", "nothing", errno.ENOENT),
        ("when", "nothing", errno.ENOENT),
    ],
)
def test_what_cannot_be_had_is_an_error_as_of_the_kernel(
    tree: CapturedTree, ask: str, path: str, number: int
) -> None:
    """Each has its number, and none leads out of the capture."""
    with pytest.raises(OSError, match=r".") as error:
        getattr(tree, ask)(path)
    assert error.value.errno == number


def test_a_directory_that_only_paths_imply_has_the_earliest_time_below_it() -> None:
    """No member of the archive says when it was read."""
    assert ArchivedTree("", "", NODES).when("sys/bus/ccw/devices") == 5


def test_a_file_that_the_kernel_refused_fails_as_it_did() -> None:
    """The reader meets ENODEV in the capture too."""
    node = RefusedFile(errno.ENODEV, "No such device", 1)
    tree = ArchivedTree("", "", {**NODES, f"{DEVICE}/copy_pair": node})
    with pytest.raises(OSError, match="No such device") as error:
        tree.read("sys/block/dasda/device/copy_pair")
    assert error.value.errno == errno.ENODEV


@pytest.mark.parametrize(
    "path", ["sys/kernel/debug", "sys/kernel/debug/dasd", "sys/kernel/debug/dasd/global"]
)
def test_below_a_refused_directory_everything_is_refused(path: str) -> None:
    """Without root, debugfs is closed as a whole."""
    tree = ArchivedTree("", "", {"sys/kernel/debug": RefusedFile(errno.EACCES, "Permission denied", 1)})
    with pytest.raises(PermissionError):
        tree.entries(path)


def test_a_directory_on_disk_knows_what_lies_beside_it(tmp_path: Path) -> None:
    """Refusals and answers of ioctls are no files of the unpacked pass."""
    _unpack(tmp_path, NODES)
    beside: dict[str, Node] = {
        f"{DEVICE}/copy_pair": RefusedFile(errno.ENODEV, "No such device", 1),
        "ioctl/dasda/BIODASDINFO2.bin": CapturedFile(b"\1", 7),
    }
    tree = DirectoryTree(str(tmp_path), beside=beside)
    assert tree.read("ioctl/dasda/BIODASDINFO2.bin") == b"\1"
    assert tree.when("ioctl/dasda/BIODASDINFO2.bin") == 7
    assert tree.entries("ioctl/dasda") == ["BIODASDINFO2.bin"]
    assert "copy_pair" in tree.entries("sys/bus/ccw/devices/0.0.7000")
    with pytest.raises(OSError, match="No such device"):
        tree.read("sys/bus/ccw/devices/0.0.7000/copy_pair")


def test_a_pipe_on_disk_is_not_opened(tmp_path: Path) -> None:
    """A reader would wait there for ever."""
    os.mkfifo(tmp_path / "stat")
    with pytest.raises(OSError, match=NO_REGULAR_FILE):
        DirectoryTree(str(tmp_path)).read("stat")


def test_a_device_on_disk_is_not_opened() -> None:
    """Opening one may already do something."""
    with pytest.raises(OSError, match=NO_REGULAR_FILE):
        read_regular("/dev/null", "null")


def test_a_link_on_disk_is_not_opened(tmp_path: Path) -> None:
    """Paths are resolved before; whatever became a link since then is refused."""
    (tmp_path / "stat").symlink_to("/etc/hostname")
    with pytest.raises(OSError, match=NO_REGULAR_FILE):
        read_regular(str(tmp_path / "stat"), "stat")


def test_a_file_on_disk_is_bounded(tmp_path: Path) -> None:
    """No kernel file is larger."""
    (tmp_path / "stat").write_bytes(bytes(MAX_FILE + 1))
    with pytest.raises(OSError, match=f"more than {MAX_FILE}"):
        DirectoryTree(str(tmp_path)).read("stat")


def test_a_root_given_through_a_link_is_followed(tmp_path: Path) -> None:
    """The person named it, so it is trusted."""
    _unpack(tmp_path / "real", NODES)
    (tmp_path / "named").symlink_to("real")
    assert DirectoryTree(str(tmp_path / "named")).read("proc/self/mounts") == b""


def test_forty_links_in_a_row_are_followed() -> None:
    """As many as Linux follows."""
    nodes: dict[str, Node] = {f"l{n}": CapturedLink(f"l{n + 1}", 0) for n in range(40)}
    assert ArchivedTree("", "", {**nodes, "l40": CapturedFile(b"end", 0)}).read("l0") == b"end"


def test_forty_one_links_are_too_many() -> None:
    """Neither does Linux follow them."""
    nodes: dict[str, Node] = {f"l{n}": CapturedLink(f"l{n + 1}", 0) for n in range(41)}
    with pytest.raises(OSError, match=r".") as error:
        ArchivedTree("", "", {**nodes, "l41": CapturedFile(b"end", 0)}).read("l0")
    assert error.value.errno == errno.ELOOP


def test_a_very_deep_path_is_only_a_path() -> None:
    """Depth costs no recursion."""
    deep = "/".join(["d"] * 2000)
    tree = ArchivedTree("", "", {f"{deep}/f": CapturedFile(b"", 3)})
    assert tree.when(deep) == tree.when("d") == 3


def test_the_moment_of_a_pass_is_that_of_its_counters() -> None:
    """The first counters decide, not the rest that follows for seconds."""
    nodes: dict[str, Node] = {"proc/stat": CapturedFile(b"", 5), "proc/diskstats": CapturedFile(b"", 4)}
    assert moment(ArchivedTree("", "", nodes)) == 4


def test_a_pass_without_counters_has_no_moment() -> None:
    """0 sorts it first."""
    assert moment(ArchivedTree("", "", {"proc/version": CapturedFile(b"", 5)})) == 0


def test_a_pass_may_say_that_it_was_invented() -> None:
    """It is one line of what is said of the pass, at the beginning of the line."""
    notes = CapturedFile(b"zmon capture, pass 1 of 1\nsimulated: after a case study\n", 5)
    assert simulated(ArchivedTree("", "", {"CAPTURE.txt": notes}))


@pytest.mark.parametrize("text", [b"", b"not simulated: measured\n"])
def test_what_a_kernel_showed_was_not_invented(text: bytes) -> None:
    """Nothing else says so."""
    assert not simulated(ArchivedTree("", "", {"CAPTURE.txt": CapturedFile(text, 5)}))


def test_a_pass_of_which_nothing_is_said_was_not_invented() -> None:
    """An archive of another tool has no such file."""
    assert not simulated(ArchivedTree("", "", {}))


NOTES = """\
begin 1795210776.363 (guest clock), uptime 94.35
files 3225

not copied (path, mode, reason):
/sys/devices/css0/rescan 0o200 write-only
/sys/devices/css0/real_cssid 0o444 Invalid argument
/sys/devices/css0/0.0.0004/0.0.7000/gone - No such file or directory
/sys/devices/css0/0.0.0004/0.0.7000/odd 0o444 Never heard of
"""


def test_the_notes_tell_what_was_refused() -> None:
    """Reasons become the numbers they came from; what had vanished is not there."""
    assert {path: (node.number, node.reason) for path, node in refusals(NOTES, 1).items()} == {
        "sys/devices/css0/rescan": (errno.EACCES, "write-only"),
        "sys/devices/css0/real_cssid": (errno.EINVAL, "Invalid argument"),
        "sys/devices/css0/0.0.0004/0.0.7000/odd": (errno.EIO, "Never heard of"),
    }


@given(st.text())
def test_any_text_may_stand_in_the_notes(text: str) -> None:
    """They are for people."""
    for node in refusals(text, 1).values():
        assert node.number


PARTS = st.sampled_from(["..", ".", "", "a", "b", "c", "secret"])
PATHS = st.lists(PARTS, min_size=1, max_size=6).map("/".join)
TEXTS = PATHS | st.sampled_from(["/", "../..", "../secret", "/../secret", "a/../../secret"])
PLACES = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3).map("/".join)


def _answer(call: Callable[[str], object], path: str) -> object:
    try:
        return call(path)
    except OSError as error:
        return error.errno


@settings(deadline=None)
@given(st.dictionaries(PLACES, st.none() | TEXTS.filter(bool)), st.lists(PATHS, max_size=8))
def test_no_path_and_no_link_leads_out(
    tmp_path_factory: pytest.TempPathFactory, plan: dict[str, str | None], paths: list[str]
) -> None:
    """Whatever is asked, only what lies inside answers, in memory as on disk."""
    top = tmp_path_factory.mktemp("top")
    (top / "secret").write_bytes(b"secret")
    root = top / "root"
    root.mkdir()
    nodes: dict[str, Node] = {}
    for place in sorted(plan):
        if any(place.startswith(f"{other}/") for other in nodes):
            continue  # nothing lies below a file or a link
        text = plan[place]
        nodes[place] = CapturedFile(b"inside", 1) if text is None else CapturedLink(text, 1)
    _unpack(root, nodes)
    archived, unpacked = ArchivedTree("", "", nodes), DirectoryTree(str(root))
    for path in [*paths, *nodes]:
        for ask in ("read", "entries", "link"):
            answer = _answer(getattr(archived, ask), path)
            assert answer == _answer(getattr(unpacked, ask), path)
            assert ask != "read" or answer == b"inside" or isinstance(answer, int)
            assert ask != "entries" or isinstance(answer, int) or "root" not in str(answer)
    shutil.rmtree(top)


def test_paths_too_deep_for_a_kernel_file_are_no_refusals() -> None:
    """A path of many parts would make as many directories; sysfs is some 20 deep."""
    deep = "/".join("a" * 100)
    assert refusals(f"/{deep} 0o444 Permission denied\n/{'x' * 5000} 0o444 Permission denied\n", 0) == {}
    assert refusals(f"/{deep[:100]} 0o444 Permission denied\n", 0)


def test_paths_that_imply_many_directories_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of directories that only paths imply are bounded, too."""
    monkeypatch.setattr(capture_tree, "MAX_DIRECTORY_BYTES", 10_000)
    nodes = {f"proc/{n}/" + "/".join(["d" * 20] * 20): CapturedFile(b"", 0) for n in range(10)}
    with pytest.raises(capture_tree.CaptureError, match=" 0 MiB "):
        ArchivedTree("a", "", nodes)


@pytest.mark.parametrize("kind", ["archive", "directory"])
def test_a_file_that_a_capture_lacks_is_named(kind: str, tmp_path: Path) -> None:
    """As it was asked for; and a value that it would hold is not said to be unknown to the kernel."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").touch()
    nodes = {"proc/stat": CapturedFile(b"", 1)}
    tree: Tree = ArchivedTree("a", "", nodes) if kind == "archive" else DirectoryTree(str(tmp_path), "a")
    with pytest.raises(FileNotFoundError) as caught:
        tree.read("proc/diskstats")
    assert (caught.value.strerror, caught.value.filename) == (NOT_CAPTURED, "proc/diskstats")
    assert refused(caught.value) is UNCAPTURED
