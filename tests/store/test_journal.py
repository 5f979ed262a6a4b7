"""What is in no segment yet is known as far as it follows from what is whole."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest

from tests.store.machine import samples
from zmon.kinds import BLOCK
from zmon.store.file_format import Damaged
from zmon.store.journal import Journal
from zmon.store.open import MEMORY, RecordingFile
from zmon.store.segment_cache import SegmentCache
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES = list(islice(samples(8), 20))


@pytest.fixture
def writer() -> Iterator[Writer]:
    """Yield a writer that has ten samples in its tail."""
    found = Writer(MEMORY, sealed=10**9)
    for sample in SAMPLES[:10]:
        found.append(sample)
    yield found
    found.close()


def tail_of(writer: Writer) -> Journal:
    """Return the tail of what is written, not read yet."""
    file = RecordingFile(MEMORY, writer.shared)
    return Journal(file, SegmentCache(file))


def test_a_tail_is_read_to_its_end_and_goes_on_from_there(writer: Writer) -> None:
    """Samples that were understood are not read again."""
    tail = tail_of(writer)
    tail.read(3, 10)
    assert tail.samples == (0, 10)
    run = tail.open_segments[BLOCK.name][0]
    writer.append(SAMPLES[10])
    tail.read(10, 11)
    assert tail.samples == (0, 11)
    assert tail.open_segments[BLOCK.name][0] is run


def test_a_tail_says_nothing_of_what_was_sealed_meanwhile(writer: Writer) -> None:
    """That is to be looked for in segments."""
    tail = tail_of(writer)
    tail.read(9, 10)
    assert tail.find(BLOCK.name, 9)[0]
    writer.seal()
    for sample in SAMPLES[10:13]:
        writer.append(sample)
    writer.seal()
    writer.append(SAMPLES[13])
    tail.read(13, 14)
    assert tail.samples == (13, 14)
    assert tail.find(BLOCK.name, 9) == (False, None)


def test_what_follows_a_damaged_sample_is_unknown(writer: Writer) -> None:
    """And what lies before it is not."""
    writer.connection.execute("UPDATE tail SET crc = crc + 1 WHERE n = 5")
    tail = tail_of(writer)
    tail.read(9, 10)
    assert [n for n, _ in tail.broken] == [5]
    assert tail.find(BLOCK.name, 4)[0]
    with pytest.raises(Damaged, match="sample 5"):
        tail.find(BLOCK.name, 5)


def test_a_sample_that_is_missing_is_a_damaged_one(writer: Writer) -> None:
    """The next would be different from it."""
    writer.connection.execute("DELETE FROM tail WHERE n = 5")
    tail = tail_of(writer)
    tail.read(9, 10)
    assert [n for n, _ in tail.broken] == [5]


def test_what_goes_on_behind_nothing_is_not_taken_for_a_run(writer: Writer) -> None:
    """A difference from what is unknown tells nothing."""
    writer.seal()
    writer.append(SAMPLES[10])
    writer.connection.execute("DELETE FROM segment")
    tail = tail_of(writer)
    tail.read(10, 11)
    assert tail.find(BLOCK.name, 10) == (False, None)
