"""zmon.sample: frames made of rows."""

from __future__ import annotations

from zmon.kinds import MEMORY
from zmon.sample import frame_of


def test_rows_become_columns() -> None:
    """Each field becomes a list in the order of the keys."""
    made = frame_of(MEMORY, {"a": {"total": 1, "free": 2}, "b": {"total": 3, "free": 4}}, 9)
    assert (made.keys, made.columns, made.times) == (["a", "b"], {"total": [1, 3], "free": [2, 4]}, [9, 9])


def test_no_rows() -> None:
    """No rows make an empty frame that was nevertheless read."""
    made = frame_of(MEMORY, {}, 9)
    assert (made.keys, made.columns, made.missing) == ([], {}, None)
