"""zmon.sample: frames made of rows."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from zmon.kernel.activity import ChangingRows
from zmon.kinds import MEMORY
from zmon.sample import Frame, frame_of

NAMES = ("total", "free")
KEYS = ["a", "b", "c", "d"]
ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=len(KEYS), max_size=len(KEYS))


def test_rows_become_columns() -> None:
    """Each field becomes a list in the order of the keys."""
    made = frame_of(MEMORY, {"a": {"total": 1, "free": 2}, "b": {"total": 3, "free": 4}}, 9)
    assert (made.keys, made.columns, made.times) == (["a", "b"], {"total": [1, 3], "free": [2, 4]}, [9, 9])


def test_no_rows() -> None:
    """No rows make an empty frame that was nevertheless read."""
    made = frame_of(MEMORY, {}, 9)
    assert (made.keys, made.columns, made.missing) == ([], {}, None)


@given(st.lists(ROWS, min_size=2, max_size=5), st.booleans(), st.sets(st.sampled_from(KEYS)))
def test_what_moved_and_what_is_selected_follow_from_the_values(
    readings: list[list[tuple[int, int]]], noted: bool, wanted: set[str]
) -> None:
    """Whether the source notes which rows it has changed, or the columns are compared."""
    source = ChangingRows(NAMES, readings[0])
    frames = []
    for reading in readings:
        source.replace(dict(enumerate(reading)))
        made = source.frame(MEMORY, [*KEYS], [9] * len(KEYS), {})
        frames.append(made if noted else Frame(MEMORY, [*KEYS], made.columns, made.times))
    for (was, before), (now, after) in pairwise(zip(readings, frames, strict=True)):
        moved = [row for row in range(len(KEYS)) if was[row] != now[row]]
        assert after.moved(before) == moved
        names = [NAMES[at] for at in range(2) if any(was[row][at] != now[row][at] for row in moved)]
        assert list(after.moved_columns(before)) == names
        picked = after.picking(moved)
        assert [list(picked(name)) for name in NAMES] == [[now[row][at] for row in moved] for at in range(2)]
        for keys in (frozenset(wanted), frozenset(KEYS[:1])):
            rows = [row for row, key in enumerate(KEYS) if key in keys]
            for values, frame in ((was, before), (now, after)):
                chosen = frame.select(keys)
                assert chosen.keys == [KEYS[row] for row in rows]
                assert [chosen.cell(key, "free") for key in chosen.keys] == [values[row][1] for row in rows]
