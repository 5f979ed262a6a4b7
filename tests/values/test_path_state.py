"""The state of a path of a multipath device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.values.path_state import is_down, state_of

if TYPE_CHECKING:
    from zmon.base.absent import Value

NONE = absent("nobody says it")


@pytest.mark.parametrize(
    ("state", "device", "shown", "down"),
    [
        ("active", "running", "active", 0),
        ("failed", "running", "failed", 1),
        ("active", "offline", "offline", 1),
        (NONE, "transport-offline", "transport-offline", 1),
        (NONE, "running", "running", 0),
        ("active", NONE, "active", 0),
    ],
)
def test_the_worse_of_both_states_counts(state: Value, device: Value, shown: str, down: int) -> None:
    """The disk's own state is known first, that of the path also when the disk still runs."""
    found = state_of(state, device)
    assert (found, is_down(found)) == (shown, down)


def test_without_any_state_it_is_not_known() -> None:
    """That is not up."""
    assert isinstance(is_down(state_of(NONE, NONE)), Absent)


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_states_are_shown(state: str, device: str) -> None:
    """Versions of multipathd have words of their own; none but those known as good are up."""
    assert is_down(state_of(state, device)) in {0, 1}
