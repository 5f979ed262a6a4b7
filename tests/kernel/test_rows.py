from __future__ import annotations

from zmon.kernel.rows import frame
from zmon.kinds import MEMORY


def test_rows_become_columns() -> None:
    """Each field becomes a list in the order of the keys."""
    made = frame(MEMORY, {"a": {"total": 1, "free": 2}, "b": {"total": 3, "free": 4}}, 9)
    assert (made.keys, made.columns, made.times) == (["a", "b"], {"total": [1, 3], "free": [2, 4]}, [9, 9])


def test_no_rows() -> None:
    """No rows make an empty frame that was nevertheless read."""
    made = frame(MEMORY, {}, 9)
    assert (made.keys, made.columns, made.missing) == ([], {}, None)
