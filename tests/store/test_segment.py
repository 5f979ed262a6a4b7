from __future__ import annotations

import tracemalloc
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.machine import samples
from zmon.kinds import BLOCK, CMF
from zmon.sample import Meaning
from zmon.store.column_encoding import dump
from zmon.store.file_format import NOT_IN_LAYOUT, Damaged
from zmon.store.readings import TIMES, Layout, OpenSegment, ReadingChange, difference, offsets
from zmon.store.segment import TOO_MANY, Segment, end_of, seal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Value
    from zmon.sample import Frame


def run(seed: int, name: str, count: int) -> tuple[OpenSegment, list[Frame]]:
    """Return readings of the same rows as a run, and as what they were."""
    frames: list[Frame] = []
    for sample in islice(samples(seed), 400):
        frame = sample.frames[name]
        if frame.missing is not None or (frames and frame.keys != frames[0].keys):
            frames = [] if len(frames) < count else frames
        elif not frames or frame is not frames[-1]:
            frames.append(frame)
        if len(frames) == count:
            break
    first = frames[0]
    layout = Layout(1, first.kind, first.keys, tuple(first.columns), None)
    found = OpenSegment(layout, {**first.columns, TIMES: offsets(first)[1]})
    found.add(ReadingChange(0, offsets(first)[0], [], {}, {}, follows=False))
    for number, (before, after) in enumerate(pairwise(frames), 1):
        times = (offsets(before), offsets(after))
        found.add(difference(number, before, after, times, follows=False))
    return found, frames


@settings(deadline=None)
@given(st.integers(0, 1000), st.sampled_from([BLOCK.name, CMF.name]), st.integers(1, 30), st.data())
def test_a_segment_answers_as_the_readings_it_was_made_of(
    seed: int, name: str, count: int, data: st.DataObject
) -> None:
    """Whatever the columns are said to have stood at: as they are, as they were, or quite otherwise."""
    whole, frames = run(seed, name, count)
    stood: list[Sequence[Value]] = []

    def stand(column: str, values: list[Value], _moving: int) -> tuple[int, Sequence[Value]]:
        how = data.draw(st.sampled_from(["these", "zero", "last", "text"]))
        last = frames[-1].columns.get(column, values)
        ways: dict[str, Sequence[Value]] = {
            "these": values, "zero": [0] * len(values), "last": last, "text": ["?"] * len(values)
        }  # fmt: skip
        stood.append(ways[how])
        return len(stood) - 1, stood[-1]

    body = seal(whole, stand)
    segment = Segment(whole.layout, body, lambda number, _count: list(stood[number]))
    assert end_of(body) == segment.samples[-1] + 1 == count
    for reading, frame in enumerate(frames):
        anchor = segment.anchor(reading)
        assert [anchor + drift for drift in segment.column(TIMES, reading)] == frame.times  # type: ignore[operator]  # numbers
        for column, values in frame.columns.items():
            assert segment.column(column, reading) == values
    for column in frames[0].columns:
        for row in range(len(frames[0].keys)):
            assert segment.series(column, row) == [frame.columns[column][row] for frame in frames]


@settings(deadline=None)
@given(st.data())
def test_a_segment_that_is_damaged_raises_nothing_else(data: st.DataObject) -> None:
    """Whichever bytes are others."""
    whole, frames = run(1, BLOCK.name, 8)
    stood: list[Sequence[Value]] = []

    def stand(_name: str, values: list[Value], _moving: int) -> tuple[int, Sequence[Value]]:
        stood.append(values)
        return len(stood) - 1, values

    body = bytearray(seal(whole, stand))
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] ^= data.draw(st.integers(1, 255))
    try:
        segment = Segment(whole.layout, bytes(body), lambda number, _count: list(stood[number]))
        for column in frames[0].columns:
            assert len(segment.column(column, len(segment.samples) - 1)) == len(frames[0].keys)
            segment.series(column, 0)
    except Damaged:
        pass


@given(st.binary())
def test_bytes_that_are_no_segment_are_damaged(body: bytes) -> None:
    """Whatever they are."""
    with pytest.raises(Damaged):
        Segment(Layout(1, BLOCK, [], (), None), body, lambda _number, _count: [])


def test_of_matrices_that_expand_to_much_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file cannot fill the memory, and a large machine's segments are read all the same."""
    rows, readings = 1000, 201
    names = tuple(name for name, field in BLOCK.by_name.items() if field.meaning is Meaning.COUNTER)
    zeros: list[Value] = [0] * rows
    whole = OpenSegment(Layout(1, BLOCK, [f"d{row}" for row in range(rows)], names, None), {})
    for number in range(readings):
        moved = {name: [256 * (number % 2), *[1 + number % 2] * (rows - 1)] for name in names}
        whole.add(
            ReadingChange(number, number, list(range(rows)), moved if number else {}, {}, follows=False)
        )
    segment = Segment(whole.layout, seal(whole, lambda *_: (1, zeros)), lambda *_: zeros)
    monkeypatch.setattr("zmon.store.segment.MAX_DECODED_BYTES", 1 << 20)
    matrix = 2 * rows * (readings - 1)
    tracemalloc.start()
    try:
        for name in names:
            assert segment.column(name, readings - 1) == whole.column(name, readings - 1)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(names) > 8
    assert kept < 6 * matrix


def test_more_rows_or_differences_than_a_layout_has_are_damage() -> None:
    """They are not even unpacked: numbers that are all the same take no room in the file."""
    layout = Layout(1, BLOCK, ["dasda"], ("reads",), None)
    times = {"": {"still": 1}}
    head = {"samples": [0, 1], "anchors": [0, 1], "follows": [], "carried": 0, "rows": [0, 0, 1, 0, 0, 0]}
    many = 1 << 22

    def segment(over: list[int], column: dict[str, object]) -> Segment:
        body = dump(head | {"over": over, "columns": times | {"reads": {"still": 1} | column}})
        return Segment(layout, len(body).to_bytes(4, "little") + body, lambda *_: [0])

    none, all_zero = [0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0]
    assert segment(none, {"cells": [2, *[all_zero] * 3]}).column("reads", 1) == [0]
    with pytest.raises(Damaged, match=NOT_IN_LAYOUT):
        segment([many, *all_zero], {})
    with pytest.raises(Damaged, match=TOO_MANY):
        segment(none, {"cells": [many, *[all_zero] * 3]}).column("reads", 1)
