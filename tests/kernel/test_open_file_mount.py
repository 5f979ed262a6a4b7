from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.mountinfo import parse_mountinfo
from zmon.kernel.open_file import live_mount_id, parse_mount_id


def test_the_mount_of_a_file() -> None:
    """The id stands among other lines."""
    assert parse_mount_id(b"pos:\t0\nflags:\t012100000\nmnt_id:\t43\nino:\t2\n") == "43"


def test_an_old_kernel() -> None:
    """Without the line nothing is guessed."""
    with pytest.raises(ValueError, match="no mnt_id"):
        parse_mount_id(b"pos:\t0\nflags:\t0\n")


@given(st.binary())
def test_any_bytes(content: bytes) -> None:
    """Whatever is in the file, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_mount_id(content)


def test_the_live_kernel(tmp_path: Path) -> None:
    """The mount that a file names is one that mountinfo has."""
    mounts = {mount.id for mount in parse_mountinfo(Path("/proc/self/mountinfo").read_bytes())}
    assert live_mount_id(str(tmp_path)) in mounts
