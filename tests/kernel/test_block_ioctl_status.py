from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.block_ioctl import dm_request, parse_path_states

ROUND_ROBIN = "0 41943040 multipath 2 0 0 0 2 1 A 0 2 0 8:0 A 0 8:16 F 3 E 0 1 0 8:32 A 0"
SERVICE_TIME = "0 41943040 multipath 2 0 0 1 alua 1 1 A 0 2 2 8:0 A 0 0 1 8:16 A 1 4096 1"


def test_the_state_of_each_path_is_found() -> None:
    """In all groups, whatever the selector writes behind each path."""
    assert parse_path_states(ROUND_ROBIN) == {"8:0": True, "8:16": False, "8:32": True}
    assert parse_path_states(SERVICE_TIME) == {"8:0": True, "8:16": True}


@pytest.mark.parametrize("status", ["", "0 8 linear 8:0 0", ROUND_ROBIN[:-12], ROUND_ROBIN.replace("F", "X")])
def test_another_form_is_refused(status: str) -> None:
    """A state that is half understood would be a wrong one."""
    with pytest.raises(ValueError, match="multipath status"):
        parse_path_states(status)


@given(st.lists(st.sampled_from(["0", "1", "2", "99999", "multipath", "A", "F", "8:0", "x"]), max_size=40))
def test_any_words_are_parsed_or_refused(words: list[str]) -> None:
    """Counts are not believed."""
    try:
        found = parse_path_states(" ".join(words))
    except ValueError:
        return
    assert len(found) <= len(words)


def test_the_state_is_asked_without_the_flag_of_the_table() -> None:
    """Bit 4 of the flags asks for the table."""
    table, state = dm_request("253:3", 100), dm_request("253:3", 100, 0)
    assert [one ^ other for one, other in zip(table, state, strict=True)].count(0) == len(table) - 1
