"""The state of a multipath device, as the device mapper reports it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.block_ioctl import dm_request
from zmon.kernel.path_status import PathStatus, parse_path_status

ROUND_ROBIN = "0 41943040 multipath 2 0 0 0 2 1 A 0 2 0 8:0 A 0 8:16 F 3 E 0 1 0 8:32 A 0"
SERVICE_TIME = "0 41943040 multipath 2 0 0 1 alua 1 1 A 0 2 2 8:0 A 0 0 1 8:16 A 1 4096 1"


def test_the_state_of_each_path_is_found() -> None:
    """With its group and how often it failed."""
    assert parse_path_status(ROUND_ROBIN) == (
        PathStatus("8:0", 1, "active", True, 0, None),
        PathStatus("8:16", 1, "active", False, 3, None),
        PathStatus("8:32", 2, "enabled", True, 0, None),
    )


def test_the_selector_service_time_counts_bytes_in_flight() -> None:
    """The first of its two words behind each path."""
    assert [one.in_flight for one in parse_path_status(SERVICE_TIME)] == [0, 4096]


@pytest.mark.parametrize("status", ["", "0 8 linear 8:0 0", ROUND_ROBIN[:-12], ROUND_ROBIN.replace("F", "X")])
def test_another_form_is_refused(status: str) -> None:
    """A state that is half understood would be a wrong one."""
    with pytest.raises(ValueError, match="multipath status"):
        parse_path_status(status)


@given(st.lists(st.sampled_from(["0", "1", "2", "99999", "multipath", "A", "F", "8:0", "x"]), max_size=40))
def test_any_words_are_parsed_or_refused(words: list[str]) -> None:
    """Counts are not believed."""
    try:
        found = parse_path_status(" ".join(words))
    except ValueError:
        return
    assert len(found) <= len(words)


COUNTS = st.integers(0, 10**9)
PATHS = st.lists(st.tuples(st.integers(0, 9999), st.booleans(), COUNTS, COUNTS), min_size=1, max_size=4)


@given(st.lists(st.tuples(st.sampled_from("AED"), PATHS), max_size=3))
def test_what_the_kernel_writes_is_read(groups: list[tuple[str, list[tuple[int, bool, int, int]]]]) -> None:
    """In the order of the groups and of the paths in them."""
    parts = [f"0 8 multipath 2 0 0 0 {len(groups)} 1"]
    for state, paths in groups:
        parts.append(f"{state} 0 {len(paths)} 2")
        parts += [f"8:{n} {'A' if on else 'F'} {bad} {bytes_} 1" for n, on, bad, bytes_ in paths]
    found = [(one.group, one.number, one.active, one.failures, one.in_flight)
             for one in parse_path_status(" ".join(parts))]  # fmt: skip
    assert found == [
        (group, f"8:{n}", on, bad, bytes_)
        for group, (_, paths) in enumerate(groups, 1)
        for n, on, bad, bytes_ in paths
    ]


def test_the_state_is_asked_without_the_flag_of_the_table() -> None:
    """Bit 4 of the flags asks for the table."""
    table, state = dm_request("253:3", 100), dm_request("253:3", 100, 0)
    assert [one ^ other for one, other in zip(table, state, strict=True)].count(0) == len(table) - 1
