"""Instants are written as the clock on the wall shows them, and tell which is meant where it shows two."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from zmon.base.clock import HOUR, MINUTE, SECOND, offset, shown_again, told, written_out

if TYPE_CHECKING:
    from collections.abc import Callable


def at(iso: str) -> int:
    """Return the instant that a text in ISO 8601 with an offset names."""
    return int(datetime.fromisoformat(iso).timestamp()) * SECOND


@pytest.mark.parametrize(
    ("name", "first", "back"),
    [
        ("Europe/Berlin", "2026-10-25T02:00:00+02:00", HOUR),
        ("America/New_York", "2026-11-01T01:00:00-04:00", HOUR),
        ("Australia/Lord_Howe", "2026-04-05T01:30:00+11:00", 30 * MINUTE),
    ],
)
def test_what_the_clock_shows_twice_has_its_offset(
    name: str, first: str, back: int, zone: Callable[[str], None]
) -> None:
    """From the first time that is shown again to the last, and nothing before and after."""
    zone(name)
    begin = at(first)
    for utc in (begin, begin + back // 2, begin + back - SECOND):
        assert (shown_again(utc), shown_again(utc + back)) == (utc + back, utc)
        assert told(utc)[:8] == told(utc + back)[:8]
        assert at(written_out(utc)) == utc
        assert offset(utc) != offset(utc + back) != ""
    assert offset(begin) == first[-6:]
    for utc in (begin - SECOND, begin + 2 * back):
        assert (shown_again(utc), offset(utc), len(told(utc))) == (None, "", 8)


@pytest.mark.parametrize("utc", [0, 1_800_000_000 * SECOND, 1 << 90])
def test_other_times_are_as_they_were(utc: int, zone: Callable[[str], None]) -> None:
    """A spring, an age without a calendar."""
    zone("Europe/Berlin")
    assert offset(utc) == ""


def test_a_spring_shows_nothing_twice(zone: Callable[[str], None]) -> None:
    """The clock is set forward."""
    zone("Europe/Berlin")
    spring = at("2026-03-29T01:00:00+00:00")
    assert [offset(spring + minutes * MINUTE) for minutes in (-90, -30, 0, 30, 90)] == [""] * 5
