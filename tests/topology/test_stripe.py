from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from byte_by_byte import parity_at, striped_at
from hypothesis import given
from hypothesis import strategies as st

from zmon.topology import stripe
from zmon.topology.stripe import PARITY, ByteRange

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.topology.stripe import LegRange

KINDS = sorted(PARITY)


def laid(pieces: Iterable[LegRange], *, copy: bool) -> Counter[tuple[int, int]]:
    """Every byte of the pieces, one by one: the leg and the place there."""
    return Counter(
        (piece.leg, x)
        for piece in pieces
        if piece.copy is copy
        for tooth in piece.part.teeth()
        for x in range(tooth.begin, tooth.end)
    )


@st.composite
def ranges(draw: st.DrawFn) -> tuple[int, int]:
    begin = draw(st.integers(0, 200))
    return begin, begin + draw(st.integers(1, 200))


@given(st.integers(0, 90), st.integers(0, 90), st.integers(1, 9), st.integers(-20, 20), st.integers(0, 9))
def test_size_counts_the_bytes_that_the_pattern_picks(
    begin: int, length: int, period: int, phase: int, run: int
) -> None:
    """A part with a pattern has as many bytes as one finds by looking at each."""
    run = min(run, period)
    part = ByteRange(begin, begin + length, period, phase, run)
    picked = [x for x in range(begin, begin + length) if (x - phase) % period < run]
    assert part.size() == len(picked)
    assert [x for tooth in part.teeth() for x in range(tooth.begin, tooth.end)] == picked


@given(st.integers(1, 6), st.integers(1, 7), ranges())
def test_striped_places_every_byte_where_chunk_by_chunk_it_would_lie(
    legs: int, chunk: int, within: tuple[int, int]
) -> None:
    """Chunk c lies on leg c mod n, in row c div n."""
    expected = Counter(
        (x // chunk % legs, x // chunk // legs * chunk + x % chunk) for x in range(within[0], within[1])
    )
    assert laid(stripe.striped(legs, chunk, *within), copy=False) == expected


@given(st.integers(1, 6), st.integers(1, 7), st.integers(0, 500))
def test_striped_at_agrees_with_striped(legs: int, chunk: int, x: int) -> None:
    """One byte lies where the range of that byte lies."""
    spot = striped_at(legs, chunk, x)
    assert laid(stripe.striped(legs, chunk, x, x + 1), copy=False) == {(spot.leg, spot.offset): 1}


@given(st.sampled_from(KINDS), st.integers(3, 7), st.integers(1, 5), ranges())
def test_parity_places_data_where_byte_by_byte_it_would_lie(
    kind: str, legs: int, chunk: int, within: tuple[int, int]
) -> None:
    """A range is the sum of its bytes, none twice and none left out."""
    legs = max(legs, PARITY[kind] + 1)
    layout = stripe.rows(kind, legs)
    spots = (parity_at(layout, chunk, x) for x in range(*within))
    expected = Counter((spot.leg, spot.offset) for spot in spots)
    assert laid(stripe.parity(layout, legs, chunk, *within), copy=False) == expected


@given(st.sampled_from(KINDS), st.integers(3, 7), st.integers(1, 5), ranges())
def test_parity_covers_each_byte_once_per_parity(
    kind: str, legs: int, chunk: int, within: tuple[int, int]
) -> None:
    """For each place in a row that data touches, the legs without data have their parity there, once."""
    legs = max(legs, PARITY[kind] + 1)
    layout = stripe.rows(kind, legs)
    touched = {parity_at(layout, chunk, x).offset for x in range(*within)}
    expected = Counter(
        (leg, place)
        for place in touched
        for leg in range(legs)
        if leg not in layout[place // chunk % len(layout)]
    )
    assert laid(stripe.parity(layout, legs, chunk, *within), copy=True) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("legs", [3, 4, 5, 8])
def test_rows_leave_room_for_parity(kind: str, legs: int) -> None:
    """Each row has its data on different legs, and as many legs left as may be lost."""
    if legs > PARITY[kind]:
        for row in stripe.rows(kind, legs):
            assert len(set(row)) == legs - PARITY[kind]


def test_left_symmetric_is_as_the_kernel_has_it() -> None:
    """The parity of row r is on leg n-1 - r mod n, and data begins on the leg behind it."""
    assert stripe.rows("raid5_ls", 4) == ((0, 1, 2), (3, 0, 1), (2, 3, 0), (1, 2, 3))


def test_the_default_of_raid6_begins_behind_both_parities() -> None:
    """The left-symmetric raid6 of md, of five: P, Q, then data, round the legs."""
    assert stripe.rows("raid6_ls", 5)[:2] == ((1, 2, 3), (0, 1, 2))


def test_zero_restart_and_n_restart_are_as_the_kernel_has_them() -> None:
    """The layouts of other vendors' raid6 leave out P and Q and count the others from the left."""
    assert stripe.rows("raid6_zr", 5)[0] == (2, 3, 4)
    assert stripe.rows("raid6_zr", 5)[4] == (1, 2, 3)
    assert stripe.rows("raid6_nr", 5)[0] == (0, 1, 2)
    assert stripe.rows("raid6_nc", 5)[0] == (0, 1, 2)


def test_raid4_of_the_device_mapper_has_parity_first() -> None:
    """What the device mapper calls raid4 is parity on the first leg."""
    assert stripe.rows("raid4", 3) == ((1, 2),)


@given(st.integers(1, 7), st.integers(1, 4), st.integers(1, 5), ranges())
def test_near_places_every_copy_where_one_by_one_it_would_lie(
    legs: int, copies: int, chunk: int, within: tuple[int, int]
) -> None:
    """The copies of a chunk lie side by side, and the rows go on from there."""
    copies = min(copies, legs)
    first: Counter[tuple[int, int]] = Counter()
    further: Counter[tuple[int, int]] = Counter()
    for x in range(*within):
        for copy in range(copies):
            row, leg = divmod(x // chunk * copies + copy, legs)
            (further if copy else first)[leg, row * chunk + x % chunk] += 1
    assert laid(stripe.near(legs, copies, chunk, *within), copy=False) == first
    assert laid(stripe.near(legs, copies, chunk, *within), copy=True) == further


def test_a_terabyte_is_few_pieces() -> None:
    """No layout is gone through chunk by chunk."""
    terabyte, chunk = 1 << 40, 64 << 10
    assert len(list(stripe.striped(4, chunk, 5, terabyte + 5))) == 4
    assert len(list(stripe.parity(stripe.rows("raid6_ls", 6), 6, chunk, 5, terabyte + 5))) < 60
    assert len(list(stripe.near(3, 2, chunk, 5, terabyte + 5))) < 20
