from __future__ import annotations

import contextlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.topology.chunks import (
    COPIES,
    PARITY,
    Chunk,
    ChunkStripe,
    DeviceRange,
    Range,
    parse_chunks,
    place_ranges,
)

WORDS = "3d00000+8000000:raid0:10000:1@3d00000,2@2900000 1500000+800000:raid1:10000:1@1500000,2@100000"
UNIT = 4


def chunk(profile: str, stripes: int, first: int = 1000, length: int = 240) -> Chunk:
    """Return a small chunk whose stripes lie on devices of their own, far apart."""
    places = tuple(ChunkStripe(str(number), 10_000 * number) for number in range(1, stripes + 1))
    return Chunk(first, length, profile, UNIT, places)


CHUNKS = st.one_of(
    st.builds(chunk, st.just("raid0"), st.integers(1, 5)),
    st.builds(chunk, st.just("raid10"), st.sampled_from([2, 4, 6])),
    *(st.just(chunk(name, COPIES[name])) for name in ("single", "dup", "raid1", "raid1c3", "raid1c4")),
)
RANGES = st.tuples(st.integers(990, 1250), st.integers(0, 260)).map(lambda pair: (pair[0], sum(pair)))


def one_by_one(chunk: Chunk, ranges: list[Range]) -> Counter[tuple[str, int, bool]]:
    """Place each byte by the rule of the profile, in the plainest way."""
    found: Counter[tuple[str, int, bool]] = Counter()
    wide = {"raid0": len(chunk.stripes), "raid10": len(chunk.stripes) // 2}.get(chunk.profile, 1)
    for begin, end in ranges:
        for at in range(max(begin, chunk.first), min(end, chunk.first + chunk.length)):
            piece, inside = divmod(at - chunk.first, UNIT)
            row, column = divmod(piece, wide)
            copies = COPIES[chunk.profile]
            for copy in range(copies):
                stripe = chunk.stripes[column * copies + copy]
                found[stripe.device, stripe.first + row * UNIT + inside, copy > 0] += 1
    return found


@given(CHUNKS, st.lists(RANGES, max_size=4))
def test_every_byte_is_where_the_profile_puts_it(chunk: Chunk, ranges: list[Range]) -> None:
    """The closed formula gives for each byte and copy what counting gives."""
    found: Counter[tuple[str, int, bool]] = Counter()
    for run in place_ranges((chunk,), ranges).runs:
        found.update((run.device, at, run.copy) for at in range(run.begin, run.end))
    assert found == one_by_one(chunk, ranges)


@given(
    CHUNKS | st.builds(chunk, st.sampled_from(list(PARITY)), st.integers(3, 6)), st.lists(RANGES, max_size=4)
)
def test_no_byte_is_lost(chunk: Chunk, ranges: list[Range]) -> None:
    """What is placed, what is shared out and what is in no chunk are together what was asked."""
    placed = place_ranges((chunk,), ranges)
    data = sum(run.end - run.begin for run in placed.runs if not run.copy)
    data += sum(evenly.data for evenly in placed.evenly) + placed.outside
    assert data == sum(end - begin for begin, end in ranges)


def test_the_words_of_a_mount() -> None:
    """Chunks come in the order of their addresses."""
    assert [(chunk.first, chunk.profile) for chunk in parse_chunks(WORDS)] == [
        (0x1500000, "raid1"),
        (0x3D00000, "raid0"),
    ]


def test_an_address_is_not_that_of_the_device() -> None:
    """The second piece of 64 KiB lies on the second device, at a byte of its own."""
    assert place_ranges(parse_chunks(WORDS), [(0x3D10000, 0x3D10010)]).runs == [
        DeviceRange("2", 0x2900000, 0x2900010, copy=False)
    ]


def test_parity_is_shared_out() -> None:
    """Of profiles with parity only the devices are told, with the bytes of parity that belong to the data."""
    placed = place_ranges((chunk("raid5", 3),), [(1000, 1100)])
    assert [(evenly.data, evenly.copies) for evenly in placed.evenly] == [(100, 50)]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("x", "'x'$"),
        ("0+10:single:10000:1", ":10000:1'$"),
        ("0+0:single:10000:1@0", r"'0\+0:"),
        ("0+10:single:0:1@0", r":0:1@0'$"),
        ("0+10:raid7:1:1@0", "'raid7'$"),
        ("0+10:raid1:1:1@0", "^raid1 on 1 "),
        ("0+10:raid10:1:1@0,2@0,3@0", "^raid10 on 3 "),
        ("0+10:raid5:1:1@0", "^raid5 on 1 "),
        ("0+10:single:1:1@0 8+10:single:1:1@0", " 0x8$"),
    ],
)
def test_what_is_no_chunk_is_refused(word: str, said: str) -> None:
    """Nothing is placed by a chunk that makes no sense; what makes none is told."""
    with pytest.raises(ValueError, match=said):
        parse_chunks(word)


@given(st.text() | st.lists(st.sampled_from([*WORDS.split(), "0+10:raid0:1:1@0", ":", "+"])).map(" ".join))
def test_any_text(content: str) -> None:
    """Whatever is said of chunks, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        place_ranges(parse_chunks(content), [(0, 1 << 63)])
