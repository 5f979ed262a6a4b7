from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kinds import MOUNT
from zmon.sample import frame_of
from zmon.topology.mounts import Mounts, mount_of, mounts_in

NONE = absent("no btrfs")


def mounts(*rows: tuple[str, str, str], chunks: object = NONE) -> Mounts:
    """Return mounts of id, number and point."""
    cells = {
        key: {
            "number": number,
            "root": "/",
            "point": point,
            "fstype": "ext4",
            "source": "/dev/x",
            "options": "rw",
            "devices": "1=7:0 2=7:1",
            "chunks": chunks,
            "line": str(line),
        }
        for line, (key, number, point) in enumerate(rows, 3)
    }
    return mounts_in(frame_of(MOUNT, cells, 1))  # type: ignore[arg-type]


SEEN = mounts(("1", "94:1", "/"), ("2", "94:5", "/a"), ("3", "94:9", "/a/b"), ("4", "94:13", "/a"))


@pytest.mark.parametrize(
    ("path", "mount"), [("/a", "4"), ("/a/", "4"), ("/a/c", "4"), ("/ab", "1"), ("/a/b/c", "3"), ("/", "1")]
)
def test_the_mount_of_a_path(path: str, mount: str) -> None:
    """The longest point of whole names holds it, of equal points the last."""
    found = mount_of(path, SEEN)
    assert not isinstance(found, Absent)
    assert found.id == mount


@pytest.mark.parametrize("path", ["", "a", "a/b"])
def test_a_relative_path_has_none(path: str) -> None:
    """Relative to what is not known."""
    assert isinstance(mount_of(path, SEEN), Absent)


def test_without_mounts() -> None:
    """Nothing is guessed."""
    assert isinstance(mount_of("/a", Mounts()), Absent)


@given(st.text())
def test_any_path(path: str) -> None:
    """A mount or a reason comes out of whatever is asked."""
    assert mount_of(path, SEEN)


def test_mounts_are_found_by_id_and_number() -> None:
    """Of several mounts of one file system the first is found by number."""
    seen = mounts(("1", "94:1", "/x"), ("2", "94:1", "/y"))
    assert (seen.by_id["2"].point, seen.by_number["94:1"].id) == ("/y", "1")


def test_the_line_of_a_mount_is_kept() -> None:
    """So that the answer can name it."""
    assert SEEN.by_id["1"].line == "3"


def test_devices_of_a_btrfs() -> None:
    """They are known by their ids within the file system."""
    assert SEEN[0].devices == {"1": "7:0", "2": "7:1"}


def test_chunks_that_make_no_sense() -> None:
    """They are absent with what was found."""
    chunks = mounts(("1", "0:41", "/"), chunks="nonsense")[0].chunks
    assert isinstance(chunks, Absent)
    assert "nonsense" in chunks.reason
