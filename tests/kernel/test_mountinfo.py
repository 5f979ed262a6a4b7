from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.base.absent import Absent, absent
from zmon.kernel.mountinfo import (
    OWN,
    PATH,
    Mounted,
    namespaces,
    option,
    parse_mountinfo,
    read_hidden,
    read_mounts,
)
from zmon.kernel.tree import LiveTree, why_hidden
from zmon.topology.mounts import mounts_in
from zmon.values import overlay

HERCULES = (Path(__file__).parents[1] / "fixtures" / "mountinfo" / "hercules-6.12.txt").read_bytes()
BLANK = rb"44 27 7:0 / /x/m\040sp rw,relatime shared:1 master:2 - ext4 /dev/loop0 rw" + b"\n"


def test_a_captured_machine() -> None:
    """The striped volume is told with the number and the options of its file system."""
    mount = parse_mountinfo(HERCULES)[11]
    assert mount == Mounted(
        "38", "30", "253:0", "/", "/srv/lv", "rw,relatime",
        "ext4", "/dev/mapper/vgz-stripe", "rw,stripe=32", 12,
    )  # fmt: skip


def test_escapes_are_resolved() -> None:
    """A blank in a mount point stands as four characters and comes out as one."""
    assert parse_mountinfo(BLANK)[0].point == "/x/m sp"


def test_optional_fields_end_at_the_dash() -> None:
    """However many optional fields there are, the type stands behind the dash."""
    assert parse_mountinfo(BLANK)[0].fstype == "ext4"


def test_a_mount_without_source() -> None:
    """What was mounted with no source has an empty one."""
    assert parse_mountinfo(b"1 0 0:5 / / rw - tmpfs  rw")[0].source == ""


def test_bytes_that_are_no_text_are_kept() -> None:
    """A point that is not UTF-8 still opens."""
    assert os.fsencode(parse_mountinfo(b"1 0 0:5 / /\xff\\012 rw - tmpfs none rw")[0].point) == b"/\xff\n"


@pytest.mark.parametrize("line", [b"x", b"1 0 94 / / rw - ext4 a rw", b"1 0 0:1 / / rw ext4 a rw", b"\n\n1"])
def test_what_is_no_mount_is_refused(line: bytes) -> None:
    """A line of another form is named, not guessed at."""
    with pytest.raises(ValueError, match=r"^/proc/self/mountinfo:\d+: not ID"):
        parse_mountinfo(line)


@given(st.binary() | st.lists(st.sampled_from(HERCULES.split(b" "))).map(b" ".join))
def test_any_bytes(content: bytes) -> None:
    """Whatever is in the file, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_mountinfo(content)


def test_an_option_that_stands_twice() -> None:
    """Values come in their order, and escaped commas do not part them."""
    assert option(r"rw,lowerdir+=/a\054b,lowerdir+=/c,xlowerdir+=/d", "lowerdir+") == ["/a,b", "/c"]


def test_the_frame_of_a_capture() -> None:
    """Mounts are known by their ids."""
    assert read_mounts(DictTree({PATH: HERCULES})).cell("36", "number") == "94:13"


def test_only_what_is_wanted() -> None:
    """A lookup of one file reads no more than its mount."""
    assert read_mounts(DictTree({PATH: HERCULES}), {"36"}).keys == ["36"]


def test_mounts_may_be_wanted_by_the_number_of_their_file_system() -> None:
    """So the one below an overlay is found."""
    assert read_mounts(DictTree({PATH: HERCULES}), {"94:13"}).keys == ["36"]


def test_a_capture_without_mounts() -> None:
    """What was not captured is said."""
    assert read_mounts(DictTree()).missing is not None


def test_btrfs_of_a_capture_that_knows_no_chunks() -> None:
    """The chunks are absent with what would bring them."""
    tree = DictTree({PATH: b"1 0 0:41 / /b rw - btrfs /dev/dasdb1 rw"})
    chunks = read_mounts(tree).cell("1", "chunks")
    assert isinstance(chunks, Absent)
    assert "zmon capture" in chunks.reason


def test_btrfs_of_a_capture_that_knows() -> None:
    """Devices and chunks come back as they were captured."""
    line = b'{"number": "0:41", "devices": "1=94:5", "chunks": null, "why": "run as root"}'
    tree = DictTree({PATH: b"1 0 0:41 / /b rw - btrfs /dev/dasdb1 rw", "ioctl/btrfs.json": line})
    frame = read_mounts(tree)
    assert (frame.cell("1", "devices"), frame.cell("1", "chunks")) == ("1=94:5", absent("run as root"))


@given(st.binary() | st.sampled_from([b"[]", b"null", b"1", b'{"number": "0:41"}', b'{"number": []}']))
def test_any_captured_btrfs(content: bytes) -> None:
    """Whatever a capture says of btrfs, a row comes out."""
    tree = DictTree({PATH: b"1 0 0:41 / /b rw - btrfs /dev/dasdb1 rw", "ioctl/btrfs.json": content})
    assert read_mounts(tree).keys == ["1"]


OVERLAY = b"""20 1 94:1 / / rw - ext4 /dev/dasda1 rw
21 20 94:5 / /srv rw - xfs /dev/dasdb1 rw
22 20 0:41 / /b rw - btrfs /dev/dasdc1 rw
30 20 0:50 / /o rw - overlay overlay rw,lowerdir=/usr/l:/b/l,upperdir=/srv/up,workdir=/srv/w
"""


def test_an_overlay_has_the_mounts_of_its_layers() -> None:
    """Told by the names of their directories; they are read with it."""
    tree = DictTree({PATH: OVERLAY})
    assert read_mounts(tree).cell("30", "devices") == "layer0=94:5 layer1=94:1 layer2=0:41"
    assert read_mounts(tree, {"30"}).keys == ["20", "21", "22", "30"]


def test_an_overlay_with_relative_layers() -> None:
    """What a relative path leads to depends on the directory that its mounter was in."""
    line = b"30 20 0:43 / /m rw - overlay overlay rw,lowerdir=a/lo:/srv,upperdir=/srv/up,workdir=/srv/w\n"
    assert read_mounts(DictTree({PATH: OVERLAY + line})).cell("30", "devices") is overlay.RELATIVE


def test_mounts_of_other_processes() -> None:
    """Those that a path goes through are read besides this one's own, and say whose they are."""
    other = b"20 1 94:1 / / rw - ext4 /dev/dasda1 rw\n77 20 94:9 / /data rw - ext4 /dev/dasdd1 rw\n"
    tree = DictTree({PATH: OVERLAY, "proc/4711/mountinfo": other})
    assert "77" not in read_mounts(tree).keys
    frame = read_mounts(tree, {"77"}, ["/proc/4711/root/data/x", "/proc/1/rootless", "/proc/99/root/y"])
    assert frame.keys == ["77"]
    assert frame.cell("77", "line") == "/proc/4711/mountinfo:2"


CONTAINER = b"20 1 94:1 / / rw - ext4 /dev/dasda1 rw\n77 20 94:9 / /data rw - ext4 /dev/dasdd1 rw\n"
"""The mounts of a container, which alone has that of dasdd1."""
SPACES = {"proc/self/ns/mnt": "mnt:[1]", "proc/1/ns/mnt": "mnt:[1]"} | {
    f"proc/{pid}/ns/mnt": "mnt:[2]" for pid in (47, 48)
}


@pytest.mark.parametrize("links", [SPACES, {"proc/self/ns/mnt": "mnt:[1]"}])
def test_mounts_that_only_other_namespaces_have(links: dict[str, str]) -> None:
    """A disk that only a container has mounted is mounted, whether `ns/mnt` of others can be read or not."""
    tree = DictTree(
        {PATH: OVERLAY, "proc/1/mountinfo": OVERLAY, "proc/47/mountinfo": CONTAINER}, links, live=True
    )
    own = read_mounts(tree)
    frame = read_hidden(tree, own)
    assert frame.keys == [*own.keys, "77"]
    assert mounts_in(frame).by_id["77"].seen_by == "47"
    assert "/data" not in mounts_in(frame).by_point
    assert frame.cell("77", "namespaces") == "1"


def test_a_capture_has_the_mounts_of_other_namespaces() -> None:
    """All mounts of a captured tree include them."""
    frame = read_mounts(DictTree({PATH: OVERLAY, "proc/47/mountinfo": CONTAINER}, SPACES))
    assert frame.cell("77", "line") == "/proc/47/mountinfo:2"


@pytest.mark.parametrize(
    ("links", "live", "errors"),
    [
        (SPACES, True, {"proc/9/mountinfo": PermissionError(errno.EACCES, "Permission denied")}),
        (SPACES, False, {"proc/9/mountinfo": PermissionError(errno.EACCES, "Permission denied")}),
        ({}, False, {}),
    ],
)
def test_namespaces_that_could_not_be_read(
    links: dict[str, str], live: bool, errors: dict[str, OSError]
) -> None:
    """The mounts say why: a process may not be looked at, or an old capture has none."""
    files = {PATH: OVERLAY, "proc/1/mountinfo": OVERLAY, "proc/9/mountinfo": b""}
    tree = DictTree(files, links, errors, live=live)
    frame = read_hidden(tree, read_mounts(tree))
    assert isinstance(frame.column("namespaces")[0], Absent)


def test_mounts_of_all_processes_have_those_of_all_namespaces() -> None:
    """As sos copies them, without `ns/mnt`; one process that lacks its mounts leaves open which they are."""
    files = {PATH: OVERLAY} | {f"proc/{name}/mountinfo": OVERLAY for name in (1, 2, 9)}
    frame = read_mounts(DictTree({**files, "proc/47/mountinfo": CONTAINER}))
    assert frame.cell("77", "line") == "/proc/47/mountinfo:2"
    assert frame.cell("20", "namespaces") == "1"
    some = read_mounts(DictTree({**files, "proc/47/status": b""}))
    assert isinstance(some.cell("20", "namespaces"), Absent)


def test_a_process_that_has_ended_hides_nothing() -> None:
    """A zombie has no mounts any more."""
    errors: dict[str, OSError] = {"proc/9/mountinfo": OSError(errno.EINVAL, "Invalid argument")}
    tree = DictTree({PATH: OVERLAY, "proc/1/x": b"", "proc/9/mountinfo": b""}, SPACES, errors, live=True)
    assert namespaces(tree) == ({}, {})


def test_hidden_processes_may_have_mounts() -> None:
    """Where /proc is mounted with hidepid=, other users' processes are not there to be asked."""
    tree = DictTree({PATH: OVERLAY, "proc/9/mountinfo": OVERLAY}, {OWN: "mnt:[1]"}, live=True)
    assert list(namespaces(tree)[1]) == ["proc/1/mountinfo"]


def test_a_proc_that_is_not_mounted_is_why_mounts_are_not_known(tmp_path: Path) -> None:
    """Not that it lacks a file that every kernel has."""
    missing = read_mounts(LiveTree(str(tmp_path))).missing
    assert missing is not None
    assert missing is absent(why_hidden(LiveTree(str(tmp_path)), PATH))
