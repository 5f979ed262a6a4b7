from __future__ import annotations

import contextlib

from hypothesis import example, given
from hypothesis import strategies as st

from tests.conftest import DictTree
from zmon.kernel.mountinfo import parse_swaps, read_swaps

HEADING = b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
SWAPS = HEADING + (
    b"/dev/dasde2                             partition\t720860\t\t1024\t\t-2\n"
    b"/var/swap\\040file                       file\t\t1024\t\t0\t\t5\n"
)


def test_areas_are_read() -> None:
    """Each has its sort, its sizes in bytes, and its priority."""
    frame = read_swaps(DictTree({"proc/swaps": SWAPS}))
    assert frame.keys == ["/dev/dasde2", "/var/swap file"]
    assert frame.column("sort") == ["partition", "file"]
    assert frame.column("used") == [1 << 20, 0]
    assert frame.column("priority") == [-2, 5]


def test_no_swap_is_known_to_be_none() -> None:
    """The kernel's empty list is an answer; a capture without it is none."""
    assert read_swaps(DictTree({"proc/swaps": HEADING})).missing is None
    missing = read_swaps(DictTree({"proc/other": b""})).missing
    assert missing is not None
    assert missing.reason.startswith("/proc/swaps: ")


def test_another_form_is_refused() -> None:
    """It is told with its line."""
    missing = read_swaps(DictTree({"proc/swaps": HEADING + b"/dev/a partition many\n"})).missing
    assert missing is not None
    assert missing.reason.startswith("/proc/swaps:2: ")


@given(st.binary())
@example(SWAPS)
@example(HEADING + b"\\400 file 1 1 1\n")
def test_any_content_is_parsed_or_refused(content: bytes) -> None:
    """Nothing but a ValueError comes out."""
    with contextlib.suppress(ValueError):
        assert all(area["sort"] for area in parse_swaps(content).values())
