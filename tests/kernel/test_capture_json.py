from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.base.absent import absent
from zmon.base.listed_file import ListedFile
from zmon.kernel.capture_json import CONTAINERS, containers_json, parse_containers_json
from zmon.kernel.file_extents import ContainerRow, framed, read_containers

WHY = absent("run as root")
PATHS = ("/db/\x1b\n\udcff", "/db/b", "/dbx")
ROWS = {
    path: (
        ListedFile(path, "SAMPLE", "USERSPACE1"),
        ContainerRow("/r", "94:5", "36", WHY, "a: b", 4096, 0, 0, 0, 0),
    )
    for path in PATHS
}
FRAME = framed(ROWS, 1)


def captured(*paths: str) -> DictTree:
    """Return a capture in which these paths were looked at."""
    return DictTree({CONTAINERS: containers_json(framed({path: ROWS[path] for path in paths}, 1))})


def test_what_is_captured_comes_back() -> None:
    """Keys, values and reasons are the same, hostile names too."""
    back = parse_containers_json(containers_json(FRAME))
    assert back == {path: {name: FRAME.cell(path, name) for name in back[path]} for path in PATHS}


def test_without_a_listing_all_that_was_captured_is_there() -> None:
    """So that a capture can be asked what it holds."""
    assert read_containers(captured(*PATHS), []).keys == list(PATHS)


def test_what_is_listed_now_is_not_looked_for() -> None:
    """A capture has what it has; who knows the mounts chooses from it, and places what it lacks by name."""
    assert read_containers(captured(*PATHS), [ListedFile("/db")]).keys == list(PATHS)


def test_a_capture_without_containers() -> None:
    """It says how to make one that has them."""
    missing = read_containers(DictTree(), [ListedFile("/db")]).missing
    assert missing is not None
    assert "--listing" in missing.reason


@pytest.mark.parametrize(
    "line", [b"x", b"[]", b"{}", b'{"path": 1}', b'{"path": "/a", "real": true}', b"[" * 9999]
)
def test_a_capture_that_zmon_did_not_write(line: bytes) -> None:
    """The line is named, and nothing is taken from the file."""
    with pytest.raises(ValueError, match=r"ioctl/containers\.json:1: not a container"):
        parse_containers_json(line)


ROW = json.loads(containers_json(FRAME).splitlines()[0])


@given(
    st.binary()
    | st.dictionaries(
        st.sampled_from(list(ROW)), st.none() | st.booleans() | st.text() | st.lists(st.integers())
    ).map(lambda other: json.dumps(ROW | other).encode())
)
def test_any_capture(content: bytes) -> None:
    """Whatever a capture holds, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_containers_json(content)
