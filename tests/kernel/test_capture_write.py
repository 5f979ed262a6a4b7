from __future__ import annotations

import errno
import gzip
import os
import tarfile
import threading
from fnmatch import fnmatchcase
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zmon import kernel
from zmon.kernel import block_ioctl, capture_write, dasd_ioctl, sysinfo
from zmon.kernel.capture_open import CaptureError, open_capture
from zmon.kernel.capture_tree import OUTSIDE, CapturedFile, refusals
from zmon.kernel.capture_write import NOT_REGULAR, CapturePass, CapturePlan, gather, notes_of, write_capture
from zmon.kernel.tree import LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from zmon.kernel.dasd_ioctl import Question
    from zmon.kernel.tree import Tree

DEVICE = "sys/devices/css0/0.0.0004/0.0.7000"

FILES = {
    "proc/diskstats": "94 0 dasda 1 2 3\n",
    "proc/stat": "cpu 1 2 3\n",
    "proc/uptime": "94.35 180.00\n",
    "proc/77/mountinfo": "21 1 94:1 / / rw - ext4 /dev/dasda1 rw\n",
    "sys/devices/css0/chp0.4e/measurement": "\0" * 32,
    "sys/devices/css0/chp0.4e/type": "1b\n",
    "sys/devices/css0/chp0.4e/configure": "1\n",
    "sys/devices/css0/0.0.0004/chpids": "4e 00 00 00 00 00 00 00\n",
    f"{DEVICE}/uid": "IBM.75000000092461.e900.10\n",
    f"{DEVICE}/cmf/sample_count": "7\n",
    f"{DEVICE}/copy_pair": "\n",
    f"{DEVICE}/host_access_count": "1\n",
    f"{DEVICE}/capacity/space_allocated": "1\n",
    f"{DEVICE}/block/dasda/size": "42\n",
    f"{DEVICE}/block/dasda/dasda1/partition": "1\n",
    "sys/kernel/debug/s390_hypfs/diag_204": "expensive",
}
LINKS = {
    "proc/self": "77",
    "sys/block/dasda": "../devices/css0/0.0.0004/0.0.7000/block/dasda",
    "sys/bus/ccw/devices/0.0.7000": "../../../devices/css0/0.0.0004/0.0.7000",
    f"{DEVICE}/driver": "../../../../bus/ccw/drivers/dasd-eckd",
    f"{DEVICE}/block/dasda/device": "../../../0.0.7000",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a small machine."""
    root = tmp_path / "root"
    for path, content in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    for path, target in LINKS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)
    (root / DEVICE / "block/dasda/slaves").mkdir()
    return root


@pytest.fixture
def captured(root: Path, tmp_path: Path) -> Tree:
    """Capture it, and open the capture."""
    file = str(tmp_path / "x.tar.gz")
    write_capture(file, CapturePlan(str(root)))
    return open_capture(file).passes[0]


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, OSError], None]:
    """Let the reading of a file fail."""

    def plant(path: str, error: OSError) -> None:
        read = LiveTree.read

        def fail(tree: LiveTree, asked: str, at_once: int = 65536) -> bytes:
            if asked == path:
                raise error
            return read(tree, asked, at_once)

        monkeypatch.setattr(LiveTree, "read", fail)

    return plant


@pytest.mark.parametrize(
    "path",
    [
        "proc/diskstats",
        "proc/self/mountinfo",
        "sys/devices/css0/chp0.4e/measurement",
        "sys/bus/ccw/devices/0.0.7000/uid",
        "sys/bus/ccw/devices/0.0.7000/cmf/sample_count",
        "sys/block/dasda/size",
        "sys/block/dasda/dasda1/partition",
        "sys/block/dasda/device/uid",
    ],
)
def test_a_capture_gives_the_same_contents_by_the_same_paths(captured: Tree, root: Path, path: str) -> None:
    """Links lead where they led."""
    assert captured.read(path) == (root / path).read_bytes()


@pytest.mark.parametrize("digits", [39, 40, 41, 92, 105, 255])
@pytest.mark.parametrize("place", ["proc/{}/stat", "sys/fs/cgroup/{}/io.stat", "sys/devices/css0/{}/type"])
def test_a_path_of_digits_is_read_again(root: Path, tmp_path: Path, digits: int, place: str) -> None:
    """However many one name may have: an archive that zmon wrote is one that it reads."""
    path = place.format("1" * digits)
    (root / path).parent.mkdir(parents=True)
    (root / path).write_text("1 2 3\n")
    (root / "sys/bus/ccw/devices/0.0.7001").symlink_to("1" * digits)
    file = str(tmp_path / "x.tar.gz")
    write_capture(file, CapturePlan(str(root), everything=True))
    captured = open_capture(file).passes[0]
    assert captured.read("proc/stat") == b"cpu 1 2 3\n"
    assert captured.link("sys/bus/ccw/devices/0.0.7001") == "1" * digits


def test_links_are_kept_as_they_are(captured: Tree) -> None:
    """Also those that lead to nothing that was captured."""
    for path, target in LINKS.items():
        assert captured.link(path) == target


def test_an_empty_directory_is_captured(captured: Tree) -> None:
    """That a disk is made of nothing else is something to know."""
    assert captured.entries("sys/block/dasda/slaves") == []


def test_the_time_of_a_file_is_the_moment_of_its_reading(root: Path) -> None:
    """Between the beginning and the end of the pass, counters before the rest."""
    found = gather(str(root))
    times = {path: node.time for path, node in found.nodes.items()}
    assert found.begin <= times["proc/diskstats"] <= found.counted <= times[f"{DEVICE}/uid"] <= found.end


def test_the_times_survive_in_the_archive(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the nanosecond."""
    found = gather(str(root))
    monkeypatch.setattr(capture_write, "gather", lambda *_args, **_options: found)
    write_capture(str(tmp_path / "x.tar.gz"), CapturePlan(str(root)))
    (tree,) = open_capture(str(tmp_path / "x.tar.gz")).passes
    for path, node in found.nodes.items():
        if isinstance(node, CapturedFile):
            assert (tree.read(path), tree.when(path)) == (node.data, node.time)


def test_mounts_of_other_namespaces_are_kept(root: Path) -> None:
    """Those of one process of each; the other processes are left out."""
    own, other = b"1 0 94:1 / / rw - ext4 /dev/dasda1 rw\n", b"7 1 94:9 / /d rw - ext4 /dev/dasdd1 rw\n"
    for name, space, mounts in (("77", 1, own), ("1", 1, own), ("47", 2, other), ("48", 2, other)):
        directory = root / "proc" / name
        (directory / "ns").mkdir(parents=True, exist_ok=True)
        (directory / "ns/mnt").symlink_to(f"mnt:[{space}]")
        (directory / "mountinfo").write_bytes(mounts)
    names = {path for path in gather(str(root)).nodes if path.endswith(("/mountinfo", "/mnt"))}
    assert names == {"proc/77/mountinfo", "proc/77/ns/mnt", "proc/47/mountinfo"}


def test_each_pass_is_a_directory(root: Path, tmp_path: Path) -> None:
    """In the order of time."""
    write_capture(str(tmp_path / "x.tar.gz"), CapturePlan(str(root), passes=3, seconds=0))
    labels = [tree.label for tree in open_capture(str(tmp_path / "x.tar.gz")).passes]
    assert labels == ["pass-0001", "pass-0002", "pass-0003"]


@pytest.mark.parametrize(
    "path",
    [
        f"{DEVICE}/host_access_count",
        f"{DEVICE}/capacity/space_allocated",
        f"{DEVICE}/capacity/space_configured",
        f"{DEVICE}/safe_offline",
        f"{DEVICE}/path_reset",
        f"{DEVICE}/ping",
        f"{DEVICE}/diagnostics/temperature",
        "sys/devices/css0/0.0.0004/logging",
        "sys/devices/css0/rescan",
        "sys/class/fc_host/host0/statistics/rx_frames",
        "sys/class/scsi_host/host0/utilization",
        "sys/class/scsi_host/host0/requests",
        "sys/class/scsi_host/host0/megabytes",
        "sys/class/scsi_host/host0/seconds_active",
        "sys/kernel/debug/dasd/0.0.7000/host_access_list",
        "sys/kernel/debug/s390_hypfs/diag_304",
        "sys/hypervisor/s390/update",
        "sys/devices/system/cpu/rescan",
        "sys/firmware/reipl/ccw/loadparm",
    ],
)
def test_what_does_io_or_is_a_trigger_is_declared_by_no_source(path: str) -> None:
    """Whatever is asked for, such a file is never opened."""
    for pattern in (*capture_write.COUNTERS, *capture_write.SELDOM, *capture_write.IDENTITY):
        for spelled in capture_write.spelled_out(pattern):
            parts = spelled.split("/")
            names = path.split("/")
            assert len(parts) != len(names) or not all(map(fnmatchcase, names, parts))


def attributes_in(value: object) -> Iterator[str]:
    """Yield the files of attributes that a constant of a reader declares, by themselves or in a dict."""
    for part in value.values() if isinstance(value, dict) else ():
        yield from attributes_in(part)
        if isinstance(part, tuple) and isinstance(part[0], str) and callable(part[-1]):
            yield part[0]


def test_each_attribute_that_a_reader_declares_is_captured() -> None:
    """A new one is, too, without being named a second time."""
    modules = [import_module(f"zmon.kernel.{each.name}") for each in iter_modules(kernel.__path__)]
    constants = [value for module in modules for name, value in vars(module).items() if name.isupper()]
    declared = {file for value in constants for file in attributes_in(value)}
    patterns = (*capture_write.COUNTERS, *capture_write.SELDOM, *capture_write.IDENTITY)
    captured = [spelled for pattern in patterns for spelled in capture_write.spelled_out(pattern)]
    assert "card_type" in declared
    assert not {file for file in declared if not any(path.endswith(f"/{file}") for path in captured)}


def test_costly_attributes_are_not_captured(captured: Tree) -> None:
    """They lie beside those that are."""
    assert "host_access_count" not in captured.entries(DEVICE)


def test_what_must_not_be_read_often_is_left_out(root: Path) -> None:
    """Unless it is asked for."""
    path = "sys/kernel/debug/s390_hypfs/diag_204"
    assert path not in gather(str(root)).nodes
    assert path in gather(str(root), seldom=True).nodes
    assert path in gather(str(root), everything=True).nodes


@pytest.mark.parametrize(
    ("plan", "seldom"),
    [
        (CapturePlan(passes=1, seconds=1), True),
        (CapturePlan(passes=2, seconds=0), False),
        (CapturePlan(passes=1), True),
    ],
)
def test_passes_close_together_leave_it_out(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: CapturePlan, seldom: bool
) -> None:
    """A single pass is never too often."""
    asked = []
    found = gather(str(root))

    def gathered(_root: str, **options: bool) -> CapturePass:
        asked.append(options["seldom"])
        return found

    monkeypatch.setattr(capture_write, "gather", gathered)
    write_capture(str(tmp_path / "x.tar.gz"), plan)
    assert set(asked) == {seldom}


def test_a_file_that_cannot_be_read_fails_in_the_capture_as_it_did(
    root: Path, tmp_path: Path, planted: Callable[[str, OSError], None]
) -> None:
    """The reader of the capture sees the kernel's own error."""
    planted(f"{DEVICE}/copy_pair", OSError(errno.ENODEV, "No such device"))
    summary = write_capture(str(tmp_path / "x.tar.gz"), CapturePlan(str(root)))
    assert summary.refused == {f"/{DEVICE}/copy_pair": "No such device"}
    with pytest.raises(OSError, match="No such device") as error:
        open_capture(str(tmp_path / "x.tar.gz")).passes[0].read("sys/bus/ccw/devices/0.0.7000/copy_pair")
    assert error.value.errno == errno.ENODEV


def test_a_write_only_file_is_never_opened(root: Path) -> None:
    """Its mode says so."""
    (root / DEVICE / "online").touch(mode=0o200)
    assert gather(str(root)).refused[f"{DEVICE}/online"] == (0o200, "write-only")


def test_a_pipe_is_never_opened(root: Path) -> None:
    """A root that somebody else prepared may hold one."""
    os.mkfifo(root / DEVICE / "online")
    assert gather(str(root)).refused[f"{DEVICE}/online"][1] == NOT_REGULAR


def test_a_closed_directory_is_noted_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without root debugfs is closed; one line says it."""
    lstat = os.lstat

    def closed(path: str) -> os.stat_result:
        if "/kernel/debug/" in path:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return lstat(path)

    monkeypatch.setattr(os, "lstat", closed)
    refused = gather(str(root), seldom=True).refused
    assert {path: why for path, (_mode, why) in refused.items()} == {"sys/kernel/debug": "Permission denied"}


def test_a_link_out_of_the_root_is_not_followed(root: Path) -> None:
    """What is outside was not asked for."""
    (root / "sys/block/sda").symlink_to("../../../../outside")
    found = gather(str(root))
    assert found.refused["sys/block/sda"][1] == OUTSIDE


def test_a_root_without_kernel_files_is_refused(tmp_path: Path) -> None:
    """And leaves nothing behind."""
    with pytest.raises(CaptureError, match=str(tmp_path)):
        write_capture(str(tmp_path / "x.tar.gz"), CapturePlan(str(tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_not_overwritten(root: Path, tmp_path: Path) -> None:
    """It may be the only record of an incident."""
    file = tmp_path / "x.tar.gz"
    file.write_text("precious")
    with pytest.raises(FileExistsError):
        write_capture(str(file), CapturePlan(str(root)))
    assert file.read_text() == "precious"


def test_a_file_that_appears_meanwhile_is_not_overwritten(root: Path, tmp_path: Path) -> None:
    """Two captures may run with one name."""
    file = tmp_path / "x.tar.gz"
    with pytest.raises(FileExistsError):
        write_capture(str(file), CapturePlan(str(root)), progress=lambda _number, _found: file.touch())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["root", "x.tar.gz"]


def test_force_overwrites(root: Path, tmp_path: Path) -> None:
    """When it was said."""
    file = tmp_path / "x.tar.gz"
    file.write_text("old")
    write_capture(str(file), CapturePlan(str(root)), force=True)
    assert len(open_capture(str(file)).passes) == 1


def test_the_archive_is_for_its_owner_alone(root: Path, tmp_path: Path) -> None:
    """It holds what only root could read."""
    write_capture(str(tmp_path / "x.tar.gz"), CapturePlan(str(root)))
    assert (tmp_path / "x.tar.gz").stat().st_mode & 0o777 == 0o600


def test_a_file_system_without_hard_links_will_do(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A USB stick is one."""

    def link(*_paths: str) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    write_capture(str(tmp_path / "x.tar.gz"), CapturePlan(str(root)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["root", "x.tar.gz"]


@pytest.mark.parametrize("whole", [0, 2])
def test_an_interrupt_keeps_the_passes_that_were_whole(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: int
) -> None:
    """Somebody who has seen enough wants the capture; without a whole pass nothing is left."""
    found = gather(str(root))
    left = [found] * whole

    def gathered(_root: str, **_options: bool) -> CapturePass:
        if not left:
            raise KeyboardInterrupt
        return left.pop()

    monkeypatch.setattr(capture_write, "gather", gathered)
    file = tmp_path / "x.tar.gz"
    if whole:
        assert write_capture(str(file), CapturePlan(str(root), 5, 0)).passes == whole
        assert len(open_capture(str(file)).passes) == whole
    else:
        with pytest.raises(KeyboardInterrupt):
            write_capture(str(file), CapturePlan(str(root), 5, 0))
        assert list(tmp_path.iterdir()) == [root]


def test_every_member_is_harmless_to_unpack(root: Path, tmp_path: Path) -> None:
    """Below its pass, without set-user-id bits, directories that can be removed again."""
    (root / "proc/stat").chmod(0o4755)
    write_capture(str(tmp_path / "x.tar.gz"), CapturePlan(str(root)))
    with tarfile.open(tmp_path / "x.tar.gz") as tar:
        for member in tar:
            assert member.name.split("/")[0] == "pass-0001"
            assert member.mode & 0o7000 == 0
            assert not member.isdir() or member.mode == 0o755


def test_the_notes_begin_with_times_for_people() -> None:
    """When it was, and how long the machine was up."""
    found = CapturePass(1_795_210_776_363_000_000, 1_795_210_777_012_000_000, 1_795_210_789_544_000_000)
    found.nodes["proc/uptime"] = CapturedFile(b"94.35 180.00\n", 1)
    found.refused["sys/x"] = (0o444, "Invalid argument")
    *times, _empty, _head, refused = notes_of("pass 1 of 2", found).splitlines()
    assert refused == "/sys/x 0o444 Invalid argument"
    assert times == [
        "zmon capture, pass 1 of 2",
        "begin 1795210776.363 (s since 1970), uptime 94.35",
        "counters read until 1795210777.012",
        "end 1795210789.544",
        "files 1",
    ]


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1),
        st.sampled_from([errno.ENODEV, errno.EACCES, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOTTY]),
    )
)
def test_the_notes_are_read_back(refused: dict[str, int]) -> None:
    """What is written here is understood there."""
    found = CapturePass(0, refused={path: (0o444, os.strerror(number)) for path, number in refused.items()})
    assert {path: node.number for path, node in refusals(notes_of("", found), 1).items()} == refused


# --- calls ------------------------------------------------------------------------------------


@pytest.fixture
def calls(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[tuple[Question, ...]], CapturePass]:
    """Put questions to the small machine, whose disk knows only its length."""

    def ask(_tree: Tree, disk: str, question: Question) -> bytes:
        if question is dasd_ioctl.BIODASDPSRD:
            raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")
        if question is dasd_ioctl.BIODASDREADALLCMB:
            threading.Event().wait(0.05)  # longer than the patience below
        assert disk == "dasda"
        return bytes(question.size)

    monkeypatch.setattr(dasd_ioctl, "ask", ask)
    monkeypatch.setattr(capture_write, "QUESTION_DEADLINE", 0.001)

    def call(questions: tuple[Question, ...]) -> CapturePass:
        reading = capture_write._Reading(str(root), CapturePass(0))
        capture_write._call(reading, questions)
        return reading.found

    return call


def test_answers_of_ioctls_are_files(calls: Callable[[tuple[Question, ...]], CapturePass]) -> None:
    """Named after the disk and the question."""
    node = calls(capture_write.CHEAP).nodes["ioctl/dasda/BIODASDINFO2.bin"]
    assert isinstance(node, CapturedFile)
    assert len(node.data) == 416


def test_an_ioctl_that_fails_is_noted(calls: Callable[[tuple[Question, ...]], CapturePass]) -> None:
    """An FBA disk has no cache statistics."""
    assert calls((dasd_ioctl.BIODASDPSRD,)).refused == {
        "ioctl/dasda/BIODASDPSRD.bin": (0, "Inappropriate ioctl for device")
    }


def test_an_ioctl_that_hangs_is_given_up(calls: Callable[[tuple[Question, ...]], CapturePass]) -> None:
    """One bad disk must not stop the capture of the others."""
    assert calls((dasd_ioctl.BIODASDREADALLCMB,)).refused == {
        "ioctl/dasda/BIODASDREADALLCMB.bin": (0, "Connection timed out")
    }


def test_tables_of_the_device_mapper_are_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is named after its device; one that cannot be read is noted."""
    for number in range(2):
        (root / f"sys/block/dm-{number}").mkdir(parents=True)
        (root / f"sys/block/dm-{number}/dev").write_text(f"253:{number}\n")

    def read_table(_tree: Tree, number: str) -> str:
        if number == "253:1":
            raise PermissionError(errno.EACCES, "Permission denied")
        return "0 8 linear 94:1 0\n"

    monkeypatch.setattr(block_ioctl, "read_dm_table", read_table)
    reading = capture_write._Reading(str(root), CapturePass(0))
    capture_write._call(reading, ())
    node = reading.found.nodes["ioctl/dm/253:0.table"]
    assert isinstance(node, CapturedFile)
    assert node.data == b"0 8 linear 94:1 0\n"
    assert reading.found.refused == {"ioctl/dm/253:1.table": (0, "Permission denied")}


def test_the_sthyi_call_is_made_on_z_only(
    calls: Callable[[tuple[Question, ...]], CapturePass], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere that number is another call."""
    uname = os.uname()
    monkeypatch.setattr(sysinfo, "call_sthyi", lambda: b"answer")
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((*uname[:4], "s390x")))
    node = calls(()).nodes[sysinfo.STHYI_CAPTURED]
    assert isinstance(node, CapturedFile)
    assert node.data == b"answer"
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((*uname[:4], "x86_64")))
    assert sysinfo.STHYI_CAPTURED not in calls(()).nodes


def test_another_root_is_not_asked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls would speak of this machine."""
    monkeypatch.setattr(capture_write, "_call", lambda *_all: pytest.fail("asked"))
    gather(str(root))


def test_other_files_are_laid_beside(root: Path, tmp_path: Path) -> None:
    """What the caller has read itself is in every pass, and what it could not read has its reason."""
    file = str(tmp_path / "x.tar.gz")
    told: dict[str, bytes | OSError] = {
        "cp/userid.txt": b"LINDB01  AT ZVMPRD1\n",
        "cp/virtual-dasd.txt": OSError(errno.EIO, "no guest"),
    }
    summary = write_capture(file, CapturePlan(str(root), 2, 0, beside=lambda: told))
    assert summary.refused["/cp/virtual-dasd.txt"] == "no guest"
    for tree in open_capture(file).passes:
        assert tree.read("cp/userid.txt") == b"LINDB01  AT ZVMPRD1\n"
        with pytest.raises(OSError, match="no guest"):
            tree.read("cp/virtual-dasd.txt")


# --- any tree ---------------------------------------------------------------------------------


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["proc/stat", "proc/version", "sys/block/dasda/size", "sys/block/sda/dev"]),
        st.binary(max_size=9000),
        min_size=1,
    )
)
def test_any_content_survives(tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]) -> None:
    """Written, packed, opened: the same bytes."""
    top = tmp_path_factory.mktemp("top")
    for path, data in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(data)
    file = str(top / "x.tar.gz")
    write_capture(file, CapturePlan(str(top)))
    (tree,) = open_capture(file).passes
    assert {path: tree.read(path) for path in files} == files
    with gzip.open(file) as whole:
        assert whole.read(1)
