from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.machine import samples
from zmon.kinds import BLOCK, CMF
from zmon.store.file_format import Damaged
from zmon.store.readings import TIMES, Layout, OpenSegment, ReadingChange, ReadingPlace, difference, offsets
from zmon.store.segment import Segment, seal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.absent import Value
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
        drift = (offsets(before)[1], offsets(after)[1])
        found.add(difference(number, before, after, drift, ReadingPlace(offsets(after)[0], follows=False)))
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

    segment = Segment(whole.layout, seal(whole, stand), lambda number, _count: list(stood[number]))
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
