from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kinds import WAIT_STATES
from zmon.values.wait_place import BLOCKED, CLASSES, IO, LIMITED, LOCKED, PAGING, class_of, parse_wchan


@pytest.mark.parametrize(
    ("place", "state", "what"),
    [
        ("submit_bio_wait", IO, "direct I/O"),
        ("folio_wait_bit_common", IO, "page"),
        ("jbd2_log_wait_commit", IO, "log"),
        ("__sync_dirty_buffer", IO, "metadata"),
        ("xlog_wait_on_iclog", IO, "log"),
        ("nfs_wait_bit_killable", IO, "server"),
        ("do_swap_page", PAGING, "swapped out"),
        ("balance_dirty_pages", LIMITED, "dirty pages"),
        ("rwsem_down_write_slowpath", LOCKED, "lock"),
        ("kernel_clone", BLOCKED, "child"),
        ("__mutex_lock.constprop.0", LOCKED, "lock"),
        ("khungtaskd", BLOCKED, ""),
    ],
)
def test_a_place_in_the_kernel_says_what_is_waited_for(place: str, state: str, what: str) -> None:
    """The log of a file system is told from its data: commits wait for the one, queries for the other."""
    found, words = class_of(place)
    assert (found, bool(words)) == (state, bool(what))
    assert what in words


def test_every_class_is_a_state_that_is_counted() -> None:
    """And no beginning stands in two classes, of which only the first would count."""
    names = [name for _, _, beginnings in CLASSES for name in beginnings]
    assert {state for state, _, _ in CLASSES} <= set(WAIT_STATES)
    assert len(names) == len(set(names))


@given(st.binary(max_size=200))
def test_what_is_no_function_is_no_place(content: bytes) -> None:
    """`0` is what the kernel writes for a task that may not be traced; nothing else gets to the screen."""
    found = parse_wchan(content)
    assert not found or (found.isascii() and found.isprintable() and " " not in found and len(found) <= 80)
    assert not parse_wchan(b"0")
    assert parse_wchan(b"submit_bio_wait") == "submit_bio_wait"
