"""Words for a time mean what people mean by them, also when the clock is set."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zmon.base.clock import END_OF_TIME, SECOND, written_out
from zmon.session.when import WhenError, not_once, outside, parse_when, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    Place = Callable[[str], None]

SAME_ZONE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
"""The zone stays the same for all examples, so setting it once per test is right."""


def at(iso: str) -> int:
    """Return the instant that a text in ISO 8601 with an offset names."""
    return int(datetime.fromisoformat(iso).timestamp()) * SECOND


NOW = at("2026-11-21T12:00:00+00:00")  # a Saturday
PRESENT = at("2026-11-18T10:00:00+00:00")
SPAN = (at("2026-11-18T08:00:00+00:00"), at("2026-11-18T20:00:00+00:00"))


def iso(utc: int) -> str:
    """Write an instant in UTC."""
    seconds, part = divmod(utc, SECOND)
    written = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{written}.{part:09d}".rstrip("0").rstrip(".") + "Z"


# --- the clock on the wall ------------------------------------------------------------------------------


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("14:32", "2026-11-18T14:32:00Z"),
        ("9:05", "2026-11-18T09:05:00Z"),
        ("14:32:07", "2026-11-18T14:32:07Z"),
        ("14:32:07.250", "2026-11-18T14:32:07.25Z"),
        ("14:32:07,000000001", "2026-11-18T14:32:07.000000001Z"),
        ("  23:59 ", "2026-11-18T23:59:00Z"),
        ("-10m", "2026-11-18T09:50:00Z"),
        ("+1h", "2026-11-18T11:00:00Z"),
        ("-1h30m", "2026-11-18T08:30:00Z"),
        ("+90s", "2026-11-18T10:01:30Z"),
        ("-2d", "2026-11-16T10:00:00Z"),
        ("-1w", "2026-11-11T10:00:00Z"),
        ("+ 1h 30m", "2026-11-18T11:30:00Z"),
        ("-1.5h", "2026-11-18T08:30:00Z"),
        ("-0.25s", "2026-11-18T09:59:59.75Z"),
        ("today 9:00", "2026-11-21T09:00:00Z"),
        ("today", "2026-11-21T00:00:00Z"),
        ("today 23:00", "2026-11-21T23:00:00Z"),
        ("yesterday 14:30", "2026-11-20T14:30:00Z"),
        ("Yesterday", "2026-11-20T00:00:00Z"),
        ("mon 14:30", "2026-11-16T14:30:00Z"),
        ("Monday", "2026-11-16T00:00:00Z"),
        ("tues 8:00", "2026-11-17T08:00:00Z"),
        ("sat 11:59", "2026-11-21T11:59:00Z"),
        ("sat 12:01", "2026-11-14T12:01:00Z"),
        ("2026-11-20 14:30", "2026-11-20T14:30:00Z"),
        ("2026-11-20", "2026-11-20T00:00:00Z"),
        ("2026-11-20T14:30:05.5", "2026-11-20T14:30:05.5Z"),
        ("2026-11-20T14:30Z", "2026-11-20T14:30:00Z"),
        ("2026-11-20 14:30 utc", "2026-11-20T14:30:00Z"),
        ("2026-11-20T14:30+01:00", "2026-11-20T13:30:00Z"),
        ("2026-11-20T14:30-0330", "2026-11-20T18:00:00Z"),
        ("2026-11-20 14:30 +01", "2026-11-20T13:30:00Z"),
        ("2026-11-20Z", "2026-11-20T00:00:00Z"),
        ("now", "2026-11-21T12:00:00Z"),
        ("begin", "2026-11-18T08:00:00Z"),
        ("START", "2026-11-18T08:00:00Z"),
        ("end", "2026-11-18T20:00:00Z"),
        ("end-10m", "2026-11-18T19:50:00Z"),
        ("begin +5m", "2026-11-18T08:05:00Z"),
        ("now - 1h", "2026-11-21T11:00:00Z"),
    ],
)
def test_what_people_type(words: str, meant: str) -> None:
    """A replay stands on a Wednesday at 10:00; the machine's clock shows Saturday noon."""
    assert iso(parse_when(words, NOW, PRESENT, SPAN)) == meant


def test_a_tape_that_ends_at_midnight_is_of_the_day_before() -> None:
    """Its last sample begins a day of which it has nothing else."""
    begin, end = at("2026-03-16T00:00:00+00:00"), at("2026-03-17T00:00:00+00:00")
    assert parse_when("14:31", NOW, end, (begin, end)) == at("2026-03-16T14:31:00+00:00")


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("11:59", "2026-11-21T11:59:00Z"),
        ("12:00", "2026-11-21T12:00:00Z"),
        ("12:01", "2026-11-20T12:01:00Z"),
        ("-10m", "2026-11-21T11:50:00Z"),
    ],
)
def test_without_a_present_now_counts(words: str, meant: str) -> None:
    """A time of day is then the last one that was, never one to come."""
    assert iso(parse_when(words, NOW)) == meant


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("14:30", "2026-11-18T13:30:00Z"),
        ("0:30", "2026-11-17T23:30:00Z"),
        ("2026-07-01 14:30", "2026-07-01T12:30:00Z"),
        ("2026-11-20T14:30Z", "2026-11-20T14:30:00Z"),
    ],
)
def test_words_mean_the_local_zone(words: str, meant: str, zone: Place) -> None:
    """In winter and in summer; only what names its zone does not."""
    zone("Europe/Berlin")
    assert iso(parse_when(words, NOW, PRESENT, SPAN)) == meant


# --- when the clock is set ------------------------------------------------------------------------------

FIRST, SECOND_TIME = at("2026-10-25T00:30:00+00:00"), at("2026-10-25T01:30:00+00:00")  # both 2:30 in Berlin


@pytest.mark.parametrize(
    ("span", "meant"),
    [
        (None, FIRST),
        ((FIRST - SECOND, SECOND_TIME + SECOND), FIRST),
        ((FIRST, FIRST), FIRST),
        ((FIRST + SECOND, SECOND_TIME), SECOND_TIME),
        ((SECOND_TIME + SECOND, SECOND_TIME + 2 * SECOND), FIRST),
    ],
)
def test_a_time_that_was_twice(span: tuple[int, int] | None, meant: int, zone: Place) -> None:
    """It is the first that was recorded, and the earlier if none or nothing was."""
    zone("Europe/Berlin")
    assert parse_when("2026-10-25 2:30", NOW, span=span) == meant


@pytest.mark.parametrize("span", [None, (FIRST - SECOND, SECOND_TIME + SECOND)])
@pytest.mark.parametrize("utc", [FIRST, SECOND_TIME])
def test_of_a_time_that_was_twice_the_other_is_told(
    utc: int, span: tuple[int, int] | None, zone: Place
) -> None:
    """With the words that mean it, and those that mean the one that was taken; they are read as such."""
    zone("Europe/Berlin")
    said = not_once("2026-10-25 2:30", utc, span)
    times = re.findall(r"2026-10-25T[0-9:+]+", said)
    place = {FIRST: "first", SECOND_TIME: "second"}[utc]
    assert place in said.split()
    assert [parse_when(time_, NOW, span=span) for time_ in times] == [utc, FIRST + SECOND_TIME - utc]
    assert [not_once(time_, utc, span) for time_ in times] == ["", ""]


@pytest.mark.parametrize("words", ["-1h", "end", "end-10m", "2026-10-25T02:30+01:00", "2026-10-25 1:30Z"])
def test_words_that_mean_one_time_are_not_remarked(words: str, zone: Place) -> None:
    """A distance, an end and a time with its offset, wherever they lie."""
    zone("Europe/Berlin")
    assert not_once(words, FIRST, None) == ""


def test_a_time_that_was_twice_and_recorded_once_is_that(zone: Place) -> None:
    """There is nothing to be told, and nothing at other times."""
    zone("Europe/Berlin")
    assert not_once("2026-10-25 2:30", SECOND_TIME, (FIRST + SECOND, SECOND_TIME)) == ""
    assert not_once("2026-10-25 3:30", at("2026-10-25T03:30:00+01:00"), None) == ""


def test_a_time_that_never_was(zone: Place) -> None:
    """At 2:00 the clock was set to 3:00, so 2:30 was half an hour later: 3:30."""
    zone("Europe/Berlin")
    assert iso(parse_when("2026-03-29 2:30", NOW)) == "2026-03-29T01:30:00Z"
    utc = parse_when("2026-03-29 2:30", NOW)
    assert "03:30" in not_once("2026-03-29 2:30", utc, None)
    assert not_once("2026-03-29 3:30", utc, None) == ""


def test_a_time_that_never_was_by_half_an_hour(zone: Place) -> None:
    """Lord Howe Island sets its clocks by 30 minutes: 2:15 was 2:45."""
    zone("Australia/Lord_Howe")
    assert parse_when("2026-10-04 2:15", NOW) == parse_when("2026-10-04 2:45", NOW)


def test_a_midnight_that_never_was(zone: Place) -> None:
    """A day that began at 1:00 begins there."""
    zone("America/Sao_Paulo")
    assert iso(parse_when("2018-11-04", NOW)) == "2018-11-04T03:00:00Z"


def test_yesterday_is_a_day_of_the_calendar(zone: Place) -> None:
    """On the day after the clock was set, yesterday 14:30 is 24 hours before 14:30, across 23 or 25 too."""
    zone("Europe/Berlin")
    assert iso(parse_when("yesterday 14:30", at("2026-10-25T20:00:00+00:00"))) == "2026-10-24T12:30:00Z"


def test_a_distance_is_time_that_passed(zone: Place) -> None:
    """-1d is 24 hours, also across a night of 25."""
    zone("Europe/Berlin")
    present = at("2026-10-25T20:00:00+00:00")
    assert parse_when("-1d", NOW, present) == present - 86_400 * SECOND


# --- what is not understood -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "", " ", "soon", "14", "1432", "14:3", "25:00", "12:60", "12:00:60", "-10", "-m", "10m", "-10y", "mo",
        "mond 14:30:", "someday 14:30", "2026-13-01", "2026-02-29", "26-11-20", "14:32Z", "mon 14:30+01:00",
        "2026-11-20T14:30+25:00", "2026-11-20T", "1969-12-31T23:59:59Z", "2300-01-01", "0001-01-01",
        "9999-12-31 23:59", "-999999999d", "+999999999w", "+-10m", "-1h-30m", "\u0661\u0664:30", "end end",
        "\x1b[2J",
    ],
)  # fmt: skip
@pytest.mark.usefixtures("utc")
def test_what_is_no_time(words: str) -> None:
    """The message begins with what was typed, so that a person sees what was not understood."""
    with pytest.raises(WhenError, match=f"^{re.escape(repr(words))} "):
        parse_when(words, NOW, PRESENT, SPAN)


def test_the_message_gives_examples() -> None:
    """Who has typed something else learns what can be typed."""
    with pytest.raises(WhenError, match="write for example 14:32, -10m"):
        parse_when("soon", NOW)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("25:00", "hours are 0 to 23"), ("yesterday 9:60", "minutes are 0 to 59"),
        ("9:59:60", "seconds are 0 to 59"), ("2026-02-30 9:00", "the calendar.*"),
        ("2026-02-30 24:00", "hours are 0 to 23"),
    ],
)  # fmt: skip
def test_a_figure_that_is_too_large_is_said_with_its_bounds(words: str, why: str) -> None:
    """In the words of a clock, not of a programming language."""
    with pytest.raises(WhenError, match=f"^{words!r} is no time: {why}$"):
        parse_when(words, NOW)


def test_a_long_text_is_not_repeated_whole() -> None:
    """The message fits on a screen."""
    with pytest.raises(WhenError) as caught:
        parse_when("x" * 100_000, NOW)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("words", ["begin", "start", "end", "end-10m"])
def test_nothing_recorded_has_no_begin(words: str) -> None:
    """Live there is a now, but neither begin nor end."""
    with pytest.raises(WhenError, match="recorded"):
        parse_when(words, NOW)


PIECES = st.sampled_from(
    ["14", ":", "32", "-", "+", "10", "m", "h", "d", " ", ".", "5", "mon", "today", "yesterday", "2026", "11",
     "T", "Z", "+01:00", "begin", "end", "now", "0", "99", "9999", "000000001", "w"]
)  # fmt: skip
WORDS = st.one_of(st.text(), st.lists(PIECES, max_size=8).map("".join))
SPANS = st.none() | st.tuples(st.integers(0, END_OF_TIME), st.integers(0, END_OF_TIME))


@given(WORDS, st.integers(0, END_OF_TIME), st.none() | st.integers(0, END_OF_TIME), SPANS)
def test_any_text_is_a_time_or_a_when_error(
    words: str, now: int, present: int | None, span: tuple[int, int] | None
) -> None:
    """What comes out is an instant that a recording can hold, or a message."""
    try:
        found = parse_when(words, now, present, span)
    except WhenError:
        return
    assert 0 <= found <= END_OF_TIME


# --- there and back -------------------------------------------------------------------------------------


@given(st.integers(0, END_OF_TIME), st.integers(0, END_OF_TIME))
def test_what_is_written_as_iso_is_read_again(utc: int, now: int) -> None:
    """To the nanosecond, whatever the time is now."""
    assert parse_when(iso(utc), now) == utc


@pytest.mark.parametrize(
    "name", ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
)
@SAME_ZONE
@given(seconds=st.integers(86_400, 4_000_000_000))
def test_what_the_wall_showed_is_read_again(name: str, zone: Place, seconds: int) -> None:
    """Local time gives the instant back, if what was recorded tells which of two it is."""
    zone(name)
    shown = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    utc = seconds * SECOND
    assert parse_when(shown, NOW, span=(utc, utc)) == utc
    assert parse_when(written_out(utc), NOW) == utc


@SAME_ZONE
@given(now=st.integers(10 * 86_400, 4_000_000_000), clock=st.times())
def test_a_time_of_day_is_the_last_one(zone: Place, now: int, clock: object) -> None:
    """It lies before now, by no more than a day with its change of clocks."""
    zone("Europe/Berlin")
    assert 0 <= now * SECOND - parse_when(str(clock), now * SECOND) < 25 * 3600 * SECOND + SECOND


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from("+-"))
def test_distances_go_there_and_back(hours: int, seconds: int, sign: str) -> None:
    """+x from -x is where one was."""
    middle = END_OF_TIME // 2
    there = parse_when(f"{sign}{hours}h{seconds}s", NOW, middle)
    back = parse_when(f"{'-' if sign == '+' else '+'}{hours}h{seconds}s", NOW, there)
    assert back == middle


def test_a_time_said_to_the_second_means_all_of_it() -> None:
    """Headings cut fractions off, and the sample they stand over is to be found; finer times stay."""
    assert whole(5 * SECOND) == 6 * SECOND - 1
    assert whole(5 * SECOND + 1) == 5 * SECOND + 1


@pytest.mark.parametrize(
    ("utc", "said"),
    [
        (99 * SECOND, "before the first sample"),
        (100 * SECOND, ""),
        (200 * SECOND + SECOND - 1, ""),
        (201 * SECOND, "after the last sample"),
    ],
)
def test_a_time_outside_of_what_was_recorded_is_told(utc: int, said: str) -> None:
    """With the sample that is shown in its place; a time to the second is meant to the second."""
    found = outside(utc, (100 * SECOND, 200 * SECOND))
    assert said in found
    assert bool(found) is bool(said)
    assert outside(utc, None) == ""


def test_a_date_without_its_year_is_the_last_such_day() -> None:
    """Screens write `11-20 14:30`: it is of the year of the cursor, or of the year before."""
    present = parse_when("2026-03-16 12:00", 0)
    assert parse_when("03-16 14:31", 0, present) == parse_when("2026-03-16 14:31", 0)
    assert parse_when("11-20", 0, present) == parse_when("2025-11-20", 0)
    with pytest.raises(WhenError):
        parse_when("13-01", 0, present)
