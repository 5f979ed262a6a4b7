"""What people type for a time: `14:32`, `-10m`, `yesterday 14:30`, `2026-11-20T14:30Z`, `end`."""

from __future__ import annotations

import datetime as dt
import re
import time

from zmon.base.clock import END_OF_TIME, SECOND, shown_again, told
from zmon.base.light_typing import Final

LAST_YEAR: Final = 2262

EXAMPLES: Final = "14:32, -10m, +1h30m, yesterday 14:30, mon 9:00, 2026-11-20 14:30, begin, end or now"

_LENGTHS: Final = {"w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1}
_WEEK: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

# patterns are compiled when they are first used: a lookup starts faster
_PART: Final = r"(?P<whole>[0-9]{1,9})(?:\.(?P<part>[0-9]{1,9}))?(?P<unit>[wdhms])"
_DISTANCE: Final = (
    r"(?P<anchor>now|begin|start|end)? ?"
    r"(?:(?P<sign>[+-]) ?(?P<parts>(?:[0-9]{1,9}(?:\.[0-9]{1,9})?[wdhms] ?)+))?"
)
_CALENDAR: Final = (
    r"(?:(?:(?P<year>[0-9]{4})-)?(?P<month>[0-9]{2})-(?P<date>[0-9]{2})(?:t(?=[0-9])| |(?=z|[+-]|$))"
    r"|(?P<day>[a-z]{3,9})(?: |$))?"
    r"(?:(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?)?)?"
    r"(?: ?(?P<zone>z|utc|(?P<side>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-5][0-9])?))?"
)


class WhenError(ValueError):
    """Words that name no time; says what was not understood and gives examples."""


def parse_when(text: str, now: int, present: int | None = None, span: tuple[int, int] | None = None) -> int:
    """Return the instant that `text` names, as UTC in ns since 1970.

    `now` is the time of the machine, `present` that of the cursor, `span` those of the first and the last
    sample.

    * `14:32`, `14:32:07`, `14:32:07.250`: on the day of `present`, or on the day before if only
      then there are samples of that time; without it the last such time up to now.
    * `-10m`, `+1h`, `-1h30m`, `+90s`, `-2d`: from `present`, else from now.  A day is 24 hours.
    * `now`, `begin` or `start`, `end`; also with a distance: `end-10m`.
    * `today 9:00`, `yesterday 14:30`: the days of `now`.  `mon 14:30`: the last one up to now.
    * `11-20 14:30`, as screens write it: the last such day up to that of `present`.
    * `2026-11-20 14:30`, and ISO 8601 with `T`, and with `Z` or `+01:00`.  A day without a time begins at
      midnight.

    Without `Z` or an offset, words mean the clock on the wall in the local zone.  What it showed twice, when
    it was set back, is the first of the two that lies in `span`, else the earlier.  What it never showed,
    when it was set forward, is as long after the change as it would have been without: 2:30 is 3:30.

    Raises:
        WhenError: the words name no time, or one that no recording can hold.
    """
    said = " ".join(text.casefold().split())
    try:
        utc = _parse(said, now, present, span)
    except WhenError as error:
        raise WhenError(f"{_quoted(text)} {error}") from None
    except (ValueError, OverflowError, OSError) as error:
        raise WhenError(f"{_quoted(text)} {_beyond(said)}") from error
    if not 0 <= utc <= END_OF_TIME:
        raise WhenError(f"{_quoted(text)} lies outside the years 1970 to {LAST_YEAR}")
    return utc


def _beyond(said: str) -> str:
    """Say what is wrong with words that are written as a time but name none."""
    match = re.fullmatch(_CALENDAR, said)
    for name, most in (("hour", 23), ("minute", 59), ("second", 59)):
        if match is not None and int(match[name] or 0) > most:
            return f"is no time: {name}s are 0 to {most}"
    if match is not None and match["month"] is not None:
        return "is no time: the calendar has no such day"
    return f"lies outside the years 1970 to {LAST_YEAR}"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _parse(said: str, now: int, present: int | None, span: tuple[int, int] | None) -> int:
    """Return what the words name; an error is worded to follow the quoted words."""
    distance = re.fullmatch(_DISTANCE, said)
    if said and distance is not None:
        origin = _origin(distance["anchor"], now, present, span)
        ahead = _length(distance["parts"] or "")
        return origin - ahead if distance["sign"] == "-" else origin + ahead
    match = re.fullmatch(_CALENDAR, said)
    if not said or match is None:
        raise WhenError(f"is no time; for example {EXAMPLES}")
    return _calendar(match, now, present, span)


def _origin(anchor: str | None, now: int, present: int | None, span: tuple[int, int] | None) -> int:
    """Return the instant from which a distance is counted."""
    if anchor is None:
        return now if present is None else present
    if anchor == "now":
        return now
    if span is None:
        raise WhenError("is no time here, because nothing has been recorded; write for example 14:32 or -10m")
    return span[1] if anchor == "end" else span[0]


def _length(parts: str) -> int:
    """Return how long `1h30m` is, in ns."""
    total = 0
    for match in re.finditer(_PART, parts):
        part = match["part"] or ""
        total += int(match["whole"] + part) * _LENGTHS[match["unit"]] * SECOND // 10 ** len(part)
    return total


def _calendar(match: re.Match[str], now: int, present: int | None, span: tuple[int, int] | None) -> int:
    """Return the instant that a day, a clock or both name."""
    clock = dt.time(int(match["hour"] or 0), int(match["minute"] or 0), int(match["second"] or 0))
    part = int((match["part"] or "").ljust(9, "0"))
    if match["month"] is not None:
        day = _date(match, now if present is None else present)
        if match["zone"] is not None:
            elsewhere = dt.datetime.combine(day, clock, _zone(match))
            return int(elsewhere.timestamp()) * SECOND + part
        return _on(day, clock, part, span)
    if match["zone"] is not None:
        raise WhenError("needs a date before a time of another zone; write for example 2026-11-20T14:30Z")
    if match["day"] in {"today", "yesterday"}:
        return _on(_day_of(now) - dt.timedelta(match["day"] == "yesterday"), clock, part, span)
    if match["day"] is None and present is not None:
        return _present_day(present, clock, part, span)
    day, step = _day_of(now), 1
    if match["day"] is not None:
        day, step = day - dt.timedelta((day.weekday() - _weekday(match["day"])) % 7), 7
    while (when := _on(day, clock, part, span)) > now:
        day -= dt.timedelta(step)
    return when


def _date(match: re.Match[str], present: int) -> dt.date:
    """Return a date; without a year, as screens write it, the last one up to the day of `present`."""
    month, date = int(match["month"]), int(match["date"])
    if match["year"] is not None:
        return dt.date(int(match["year"]), month, date)
    day = _day_of(present)
    return dt.date(day.year - ((month, date) > (day.month, day.day)), month, date)


def _present_day(present: int, clock: dt.time, part: int, span: tuple[int, int] | None) -> int:
    """Return a time on the present day; on the day before if samples were taken only then."""
    day = _day_of(present)
    utc = _on(day, clock, part, span)
    before = _on(day - dt.timedelta(1), clock, part, span)
    if span is not None and not span[0] <= utc <= span[1] and span[0] <= before <= span[1]:
        return before
    return utc


def _weekday(word: str) -> int:
    """Return the number of the day that a name or the begin of one means; Monday is 0."""
    for number, name in enumerate(_WEEK):
        if name.startswith(word):
            return number
    raise WhenError(f"is no time, because {word!r} is no day; write for example {EXAMPLES}")


def _zone(match: re.Match[str]) -> dt.timezone:
    if match["side"] is None:
        return dt.UTC
    ahead = dt.timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    return dt.timezone(-ahead if match["side"] == "-" else ahead)


def _day_of(utc: int) -> dt.date:
    """Return the day on which an instant lies in the local zone."""
    return dt.date(*time.localtime(utc // SECOND)[:3])


def _on(day: dt.date, clock: dt.time, part: int, span: tuple[int, int] | None) -> int:
    """Return when the clock on the wall shows this time of a day; see `parse_when` for when it is set."""
    first, second = (seconds * SECOND + part for seconds in _folds(day, clock))
    if first < second and span is not None and not span[0] <= first <= span[1]:
        return second if span[0] <= second <= span[1] else first
    return first


def _folds(day: dt.date, clock: dt.time) -> tuple[int, int]:
    """Return both times, in s since 1970, when a clock shows this; if it never did the first is later."""
    wall = dt.datetime.combine(day, clock)
    first, second = (int(wall.replace(fold=fold).timestamp()) for fold in (0, 1))
    return first, second


def whole(utc: int) -> int:
    """Return the time to seek for an instant: the end of its second if it was given in whole seconds.

    So a time that is copied from a heading, where fractions are cut off, finds the sample that it stood over.
    """
    return utc + SECOND - 1 if utc % SECOND == 0 else utc


def outside(utc: int, span: tuple[int, int] | None) -> str:
    """Return a sentence if a time lies outside what was recorded, which says what is shown; else nothing.

    `span` is the time of the first and of the last sample.
    """
    where, shown = _beside(utc, span)
    return f"{where}; this is the sample of {written(shown)}" if where else ""


def uncovered(begin: int, end: int, span: tuple[int, int]) -> str:
    """Return a sentence if not all of a range of time was recorded, which says what was; else nothing.

    Raises:
        WhenError: nothing of it was.
    """
    first, last = (_beside(utc, span)[0] for utc in (begin, end))
    recorded = f"samples were recorded from {written(span[0])} to {written(span[1])}"
    if end < span[0] or begin >= span[1] + SECOND:
        raise WhenError(f"{last if end < span[0] else first}; {recorded}")
    parts = " and ".join(filter(None, (first, last)))
    return f"{parts}; {recorded}" if parts else ""


def not_once(text: str, utc: int, span: tuple[int, int] | None) -> str:
    """Return a sentence if the clock has shown what words say twice or never, which says what is meant.

    That is so where the clock was set, and no zone is named.  `span` is what was recorded: if it has but one
    of two times, that is meant.
    """
    said, other = " ".join(text.casefold().split()), shown_again(utc)
    match = None if re.fullmatch(_DISTANCE, said) else re.fullmatch(_CALENDAR, said)
    if match is None or match["zone"] is not None:
        return ""
    earlier, later = _folds(_day_of(utc), dt.time(int(match["hour"] or 0), int(match["minute"] or 0)))
    if earlier > later:
        return f"{_quoted(text)} was never, as the clock was set forward; {written(utc)} is meant"
    if other is None:
        return ""
    if span is not None and not span[0] <= other < span[1] + SECOND:
        return ""
    first, second = (written(instant).replace(" ", "T") for instant in sorted((utc, other)))
    taken, left = (first, second) if utc < other else (second, first)
    place = "first" if utc < other else "second"
    return f"{_quoted(text)} was twice, and the {place} is meant, {taken}; write {left} for the other"


def _beside(utc: int, span: tuple[int, int] | None) -> tuple[str, int]:
    """Return how a time lies outside what was recorded, empty if it does not, and the sample next to it."""
    if span is None or span[0] <= utc < span[1] + SECOND:
        return "", utc
    where, shown = ("before the first", span[0]) if utc < span[0] else ("after the last", span[1])
    return f"{written(utc)} is {where} sample", shown


def written(utc: int) -> str:
    """Return an instant as the clock on the wall shows it, with its day; with its offset if twice."""
    return told(utc // SECOND * SECOND, "%Y-%m-%d %H:%M:%S")
