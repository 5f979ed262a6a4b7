"""Segments are found by what they hold, and understood once."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest

from tests.store.machine import samples
from zmon.kinds import BLOCK
from zmon.store.file_format import Damaged
from zmon.store.open import MEMORY, RecordingFile
from zmon.store.segment_cache import SegmentCache
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def writer() -> Iterator[Writer]:
    """Yield a writer that sealed its samples ten by ten, twice."""
    found = Writer(MEMORY, sealed=10**9)
    for number, sample in enumerate(islice(samples(8), 20), 1):
        found.append(sample)
        if number % 10 == 0:
            found.seal()
    yield found
    found.close()


@pytest.fixture
def sealed(writer: Writer) -> SegmentCache:
    """Return what it sealed."""
    return SegmentCache(RecordingFile(MEMORY, writer.shared))


def test_the_latest_segment_is_the_one_that_reaches_to_a_sample(sealed: SegmentCache) -> None:
    """The same when it is asked for again."""
    found = sealed.latest(BLOCK.name, 9)
    assert found is not None
    assert found.samples[-1] <= 9
    assert sealed.latest(BLOCK.name, 9) is found


def test_of_a_kind_that_was_never_sampled_there_is_no_segment(sealed: SegmentCache) -> None:
    """Nothing is damaged then."""
    assert sealed.latest("lpar", 9) is None


def test_segments_between_two_samples_begin_with_the_one_that_reaches_into_them(sealed: SegmentCache) -> None:
    """And end with the last that begins there."""
    first, *others = [first for _, first in sealed.between(BLOCK.name, 5, 15)]
    assert first <= 5
    assert others
    assert all(5 < other <= 15 for other in others)


def test_segments_end_behind_the_last_sample_that_was_sealed(sealed: SegmentCache) -> None:
    """From there on the tail is all there is."""
    assert sealed.end() == 20


def test_what_is_kept_is_bounded_by_its_size(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few large segments, columns and layouts take as much memory as many small ones."""
    built = SegmentCache(RecordingFile(MEMORY, writer.shared))
    monkeypatch.setattr("zmon.store.segment_cache.MAX_WEIGHT", 0)
    assert built.latest(BLOCK.name, 19) is not built.latest(BLOCK.name, 9)
    first = built.latest(BLOCK.name, 19)
    assert built.latest(BLOCK.name, 19) is first  # the last one stays, whatever it weighs
    built.latest(BLOCK.name, 9)
    assert built.latest(BLOCK.name, 19) is not first
    monkeypatch.setattr("zmon.store.segment_cache.MAX_VALUES", 0)
    monkeypatch.setattr("zmon.store.segment_cache.MAX_KEYS", 0)
    block = built.latest(BLOCK.name, 9)
    assert block is not None
    one, other, count = *block.stills[:2], len(block.layout.keys)
    column = built.still(one, count)
    assert built.still(one, count) is column
    built.still(other, count)
    assert built.still(one, count) is not column
    layout = built.layout(1)
    assert built.layout(1) is layout
    built.layout(2)
    assert built.layout(1) is not layout


def test_what_is_damaged_is_not_tried_again(writer: Writer, sealed: SegmentCache) -> None:
    """And says the same each time, until the file is another."""
    ((number, crc),) = writer.connection.execute("SELECT id, crc FROM layout LIMIT 1").fetchall()
    writer.connection.execute("UPDATE layout SET crc = ? WHERE id = ?", (crc + 1, number))
    with pytest.raises(Damaged) as first:
        sealed.layout(number)
    writer.connection.execute("UPDATE layout SET crc = ? WHERE id = ?", (crc, number))
    with pytest.raises(Damaged) as second:
        sealed.layout(number)
    assert str(first.value) == str(second.value)
    sealed.forget()
    assert sealed.layout(number).id == number
