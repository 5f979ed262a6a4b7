from __future__ import annotations

import errno
import os
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import DictTree
from zmon.base.absent import Absent, absent
from zmon.base.listed_file import ListedFile
from zmon.kernel import file_extents, open_file
from zmon.kernel.file_extents import (
    CHARACTERS,
    EMPTY,
    LEFT,
    LINK,
    NO_BASE,
    NULL_BYTE,
    PIPE,
    UNREADABLE,
    _no_device,
    read_containers,
)
from zmon.kernel.mountinfo import PATH, Mounted, layers, parse_mountinfo
from zmon.kernel.tree import LiveTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Frame

HERE = LiveTree()


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    """Return a directory of which the kernel tells where its files lie."""
    return on_disk


def look(*paths: object, most: int = 1000) -> Frame:
    """Look at paths of this machine."""
    return read_containers(HERE, [ListedFile(str(path)) for path in paths], most=most)


def why(frame: Frame, path: object, name: str = "ranges") -> Absent:
    """Return why a cell is absent."""
    cell = frame.cell(str(path), name)
    assert isinstance(cell, Absent)
    return cell


def mounted(fstype: str, options: str = "rw", number: str = "0:50") -> Mounted:
    """Return a line of mountinfo."""
    line = f"9 1 {number} / /m rw - {fstype} pool/data {options}"
    return parse_mountinfo(line.encode())[0]


def test_a_file_names_its_mount(tmp_path: Path) -> None:
    """The mount of a file is that of the longest point above it, where no other hides it."""
    (tmp_path / "f").write_bytes(b"1")
    mounts = parse_mountinfo(HERE.read(PATH))
    real = os.path.realpath(tmp_path)
    best = max(
        (m for m in mounts if f"{real}/".startswith(m.point.rstrip("/") + "/")), key=lambda m: len(m.point)
    )
    assert look(tmp_path / "f").cell(str(tmp_path / "f"), "mount") == best.id


def test_links_are_followed(tmp_path: Path) -> None:
    """The row keeps the path as it was listed, and tells the one without links."""
    (tmp_path / "f").write_bytes(b"1")
    (tmp_path / "link").symlink_to("f")
    assert look(tmp_path / "link").cell(str(tmp_path / "link"), "real") == os.path.realpath(tmp_path / "f")


def test_links_in_the_middle_are_followed(tmp_path: Path) -> None:
    """Also where a directory on the way is a link."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_bytes(b"1")
    (tmp_path / "link").symlink_to("d")
    path = str(tmp_path / "link" / "f")
    assert look(path).cell(path, "real") == os.path.realpath(path)


def test_links_round_in_a_loop(tmp_path: Path) -> None:
    """A loop is a row with its reason."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert why(look(tmp_path / "a"), tmp_path / "a") is LEFT[errno.ELOOP]


def test_a_link_to_nothing(tmp_path: Path) -> None:
    """What the link says is told."""
    (tmp_path / "a").symlink_to("gone")
    assert " gone, " in why(look(tmp_path / "a"), tmp_path / "a").reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/nowhere/at/all", LEFT[errno.ENOENT]),
        ("/dev/null/x", LEFT[errno.ENOTDIR]),
        ("/" + "x" * 5000, LEFT[errno.ENAMETOOLONG]),
        ("/a\0b", NULL_BYTE),
        ("db2/c1", NO_BASE),
        ("", NO_BASE),
        ("/dev/null", CHARACTERS),
        ("/proc/self/status", absent(_no_device(mounted("proc")))),
    ],
)
def test_what_stands_in_the_way(path: str, reason: Absent) -> None:
    """Each is a row whose reason a person understands."""
    assert why(look(path), path) is reason


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its device is known, its place needs another user."""
    path = tmp_path / "f"
    path.write_bytes(b"1")
    real_open = os.open

    def refuse(name: str, flags: int) -> int:
        if name == str(path):
            raise PermissionError(13, "Permission denied", name)
        return real_open(name, flags)

    monkeypatch.setattr(os, "open", refuse)
    frame = look(path)
    if isinstance(frame.cell(str(path), "number"), Absent):
        pytest.skip("the tests' own file system is in memory or far away")
    assert why(frame, path) is UNREADABLE


def test_one_that_fails_does_not_cost_the_others(tmp_path: Path) -> None:
    """Every listed path has a row, in the order of the listing."""
    (tmp_path / "f").write_bytes(b"1")
    assert look("/nowhere", tmp_path / "f").keys == ["/nowhere", str(tmp_path / "f")]


def test_a_directory_stands_for_its_files(tmp_path: Path) -> None:
    """Files below it have rows of their own, in the order of their names."""
    (tmp_path / "b").write_bytes(b"1")
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "d").write_bytes(b"1")
    assert look(tmp_path).keys == [str(tmp_path / name) for name in ("a", "b", "c/d")]


def test_links_do_not_lead_out_of_a_directory(tmp_path: Path) -> None:
    """A link inside is named, and not followed."""
    (tmp_path / "out").symlink_to("/")
    assert why(look(tmp_path), tmp_path / "out") is LINK


def test_an_empty_directory_has_a_row(tmp_path: Path) -> None:
    """So that nobody wonders where it went."""
    assert why(look(tmp_path), tmp_path) is EMPTY


def test_a_directory_has_an_end(tmp_path: Path) -> None:
    """What was left out is said."""
    for name in "abc":
        (tmp_path / name).write_bytes(b"1")
    frame = look(tmp_path, most=2)
    assert (len(frame.keys), frame.keys[-1]) == (3, str(tmp_path))
    assert " 2 " in why(frame, tmp_path).reason


def test_directories_count_like_files(tmp_path: Path) -> None:
    """A tree of empty directories has an end, too."""
    for name in "abc":
        (tmp_path / name).mkdir()
    assert " 2 " in why(look(tmp_path, most=2), tmp_path).reason


def test_all_directories_together_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A listing may name many directories."""
    monkeypatch.setattr("zmon.kernel.file_extents.MAX_FILES_INSIDE", 3)
    for name in "ab":
        (tmp_path / name).mkdir()
        for file in "123":
            (tmp_path / name / file).write_bytes(b"1")
    frame = look(tmp_path / "a", tmp_path / "b")
    assert frame.keys == [str(tmp_path / "a" / file) for file in "123"] + [str(tmp_path / "b")]
    assert " 3 " in why(frame, tmp_path / "b").reason


def test_file_systems_of_the_kernel_are_not_looked_through() -> None:
    """No database has its files in /proc or /sys."""
    frame = look(Path("/proc"))
    assert frame.keys == ["/proc"]
    assert " proc, " in why(frame, Path("/proc")).reason


def test_a_socket_is_no_container(tmp_path: Path) -> None:
    """What is special is named, and never opened."""
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "s"))
    assert why(look(tmp_path), tmp_path / "s") is PIPE


def test_a_path_that_is_listed_twice(tmp_path: Path) -> None:
    """It has one row, which says who names it again."""
    path = str(tmp_path / "f")
    (tmp_path / "f").write_bytes(b"1")
    frame = read_containers(HERE, [ListedFile(path, tablespace="A"), ListedFile(path, tablespace="B")])
    assert (frame.keys, str(frame.cell(path, "said")).split("\n")[-1]) == (
        [path],
        "listing: named again by B",
    )


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """A name with escapes, a newline and a byte that is not UTF-8 is looked at like any other."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\x1b[31m\n\xff")
    with open(os.open(path, os.O_CREAT | os.O_WRONLY), "wb") as file:
        file.write(b"1")
    assert look(path).cell(path, "size") == 1


def test_progress_is_told(tmp_path: Path) -> None:
    """Every so many files the number is told."""
    done: list[int] = []
    listed = (ListedFile(f"{tmp_path}/{number}") for number in range(1001))
    read_containers(HERE, listed, progress=done.append)
    assert done == [500, 1000]


def test_without_mounts_there_are_no_rows() -> None:
    """If mountinfo cannot be read, the frame says it."""
    assert read_containers(DictTree(live=True), [ListedFile("/")]).missing is not None


@pytest.mark.parametrize(
    ("fstype", "part"),
    [
        ("tmpfs", " tmpfs$"),
        ("nfs4", " nfs4 .* pool/data$"),
        ("fuse.sshfs", r" fuse\.sshfs .* pool/data$"),
        ("zfs", "pool/data .*`zpool status -LP`$"),
        ("sysfs", "^sysfs "),
    ],
)
def test_file_systems_without_a_disk(fstype: str, part: str) -> None:
    """Each says why no disk of this machine holds its files."""
    assert re.search(part, _no_device(mounted(fstype)))


def test_a_file_system_on_a_disk() -> None:
    """A file system that zmon cannot read still tells its device."""
    assert _no_device(mounted("jfs", number="94:5")) == ""


def test_the_layers_of_an_overlay() -> None:
    """The upper one comes first, and a colon in a name parts nothing."""
    options = r"rw,lowerdir=/a\134:b:/c,upperdir=/u,workdir=/w"
    assert list(layers(mounted("overlay", options))) == ["/u", "/a:b", "/c"]


def test_the_layers_as_newer_kernels_print_them() -> None:
    """Each lower layer has an option of its own."""
    assert list(layers(mounted("overlay", "ro,lowerdir+=/a,lowerdir+=/b"))) == ["/a", "/b"]


def test_realtime_files_of_xfs_count_on_another_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mountinfo and the file's own number name the data device, which does not hold them."""
    mount = mounted("xfs", "rw,rtdev=/dev/null", "8:0")
    found = file_extents._unplaced("/m/f", mount, 1, absent("not asked"))._replace(ranges="0+1000")
    monkeypatch.setattr(open_file, "is_realtime", lambda _descriptor: True)
    assert file_extents._realtime(0, found, mount).number == "1:3"


def test_realtime_on_a_device_that_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it has no place, rather than one on the wrong device."""
    mount = mounted("xfs", "rw,rtdev=/nowhere", "8:0")
    found = file_extents._unplaced("/m/f", mount, 1, absent("not asked"))._replace(ranges="0+1000")
    monkeypatch.setattr(open_file, "is_realtime", lambda _descriptor: True)
    assert isinstance(file_extents._realtime(0, found, mount).ranges, Absent)


def test_other_files_of_such_an_xfs_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those in the realtime section lie elsewhere."""
    mount = mounted("xfs", "rw,rtdev=/dev/null", "8:0")
    found = file_extents._unplaced("/m/f", mount, 1, absent("not asked"))._replace(ranges="0+1000")
    monkeypatch.setattr(open_file, "is_realtime", lambda _descriptor: False)
    assert file_extents._realtime(0, found, mount).number == "8:0"


def test_a_missing_directory_is_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files of it are listed; and a path is followed no further than to a missing name."""
    nowhere = tmp_path / "nowhere"
    files = [str(nowhere / "deep" / f"f{number}") for number in range(9)]
    calls: dict[str, list[str]] = {"open": [], "readlink": []}
    for name, paths in calls.items():
        real = getattr(os, name)

        def counted(
            path: str, *more: int, real: Callable[..., object] = real, paths: list[str] = paths
        ) -> object:
            paths.append(str(path))
            return real(path, *more)

        monkeypatch.setattr(os, name, counted)
    frame = look(*files)
    assert {why(frame, file) for file in files} == {LEFT[errno.ENOENT]}
    assert [path for path in calls["open"] if path.startswith(str(nowhere))] == [str(nowhere / "deep")]
    assert str(nowhere / "deep") not in calls["readlink"]
