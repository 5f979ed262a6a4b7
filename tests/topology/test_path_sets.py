from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.topology.path_sets import PathSet, parse_path_sets

NUMBERS = st.tuples(st.integers(0, 255), st.integers(0, 9999)).map("{0[0]}:{0[1]}".format)
SETS = st.builds(
    lambda selector, paths: PathSet(
        selector, tuple(one for one, _ in paths), tuple(turn for _, turn in paths)
    ),
    st.sampled_from(["round-robin", "service-time"]),
    st.lists(st.tuples(NUMBERS, st.integers(0, 5000)), min_size=1, max_size=4),
)


def table(sets: list[PathSet]) -> str:
    """Write path groups as `dmsetup table` prints them."""
    groups = (
        f"{one.selector} 0 {len(one.paths)} 1 "
        + " ".join(f"{number} {turn}" for number, turn in zip(one.paths, one.turns, strict=True))
        for one in sets
    )
    return f"0 20971520 multipath 2 queue_if_no_path retain 1 alua {len(sets)} 1 {' '.join(groups)}"


def test_as_dmsetup_prints_it() -> None:
    """From a machine with two paths to a disk of a DS8000, by group_by_prio."""
    words = "0 8388608 multipath 1 queue_if_no_path 0 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1"
    assert parse_path_sets(words) == (PathSet("service-time", ("8:0", "8:16"), (1, 1)),)


@given(st.lists(SETS, max_size=4))
def test_what_is_written_is_read(sets: list[PathSet]) -> None:
    """Groups in their order, each with its selector, paths and turns."""
    assert list(parse_path_sets(table(sets))) == sets


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("0 8 linear 8:0 0", "START LENGTH"),
        ("0 8 multipath x", r"\bfeatures, .*'x'$"),
        ("0 8 multipath 3 a", " features$"),
        ("0 8 multipath 0 0 1 1 round-robin 0 1 1 sda 1", "'sda'$"),
        ("0 8 multipath 0 0 99999 1", r"\bpath groups\b.*'99999'$"),
        ("0 8 multipath 0 0 1 1 round-robin 0 2 1 8:0 1", " a path$"),
    ],
)
def test_other_tables(words: str, message: str) -> None:
    """Each is refused with what was expected."""
    with pytest.raises(ValueError, match=message):
        parse_path_sets(words)


@given(
    st.text() | st.lists(st.sampled_from(["0", "1", "2", "multipath", "8:0", "round-robin"])).map(" ".join)
)
def test_any_text(words: str) -> None:
    """Any text is read or refused with a sentence."""
    with suppress(ValueError):
        assert all(len(one.paths) == len(one.turns) for one in parse_path_sets(words))
