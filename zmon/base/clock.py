"""Lengths of time in nanoseconds, and instants as the clock on the wall shows them."""

from __future__ import annotations

import re
import time

from zmon.base.light_typing import Final

MILLISECOND: Final = 1_000_000
"""Times are counted in nanoseconds."""
SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
END_OF_TIME: Final = (1 << 63) - 1
"""The last instant that a recording can hold, in the year 2262; the first is the begin of 1970."""

ZONES: Final = 21_600
"""Seconds before and after a change of clocks in which there is no other one."""

DATED: Final = "%m-%d %H:%M:%S"
"""The form of a clock with its date."""

UNITS: Final = ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s"))
LONG: Final = {"m": " min", "d": " d", "h": " h", "s": " s"}


def length(seconds: float, *, short: bool = False) -> str:
    """Write a length of time in two units at the most: `2 h 5 min`, or `2h 5m` if it has to be short."""
    left, parts = round(seconds), []
    for size, unit in UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit if short else LONG[unit]}")
    return " ".join(parts[:2]) or ("0s" if short else "0 s")


def clock(ns: float, form: str = "%H:%M:%S") -> str:
    """Write an instant, in ns since 1970, in local time; with stars for digits when no calendar has it."""
    try:
        return time.strftime(form, time.localtime(ns // SECOND))
    except (OverflowError, OSError, ValueError):
        return re.sub("%.", "**", form)


def shown_again(ns: int) -> int | None:
    """Return the other instant at which the clock on the wall shows the same, if there is one.

    That is so where it is set back, as at the end of summer time: an hour occurs twice.
    """
    second = ns // SECOND
    try:
        before, now, after = (time.localtime(second + ahead).tm_gmtoff for ahead in (-ZONES, 0, ZONES))
        other = second + (before - after if now == before else after - before)
        if before <= after or time.localtime(other).tm_gmtoff == now:
            return None
    except (OverflowError, OSError, ValueError):
        return None
    return other * SECOND + ns % SECOND


def offset(ns: int) -> str:
    """Write how far local time is from UTC, `+01:00`, where the clock shows a time twice; else nothing."""
    if shown_again(ns) is None:
        return ""
    zone = clock(ns, "%z")
    return f"{zone[:3]}:{zone[3:]}"


def told(ns: int, form: str = "%H:%M:%S") -> str:
    """Write an instant so that it is one: with its offset where the clock shows it twice."""
    return clock(ns, form) + offset(ns)


def written_out(utc: int) -> str:
    """Write an instant as `--at` understands it: `2026-03-16 14:41:00`; parts of a second are rounded up."""
    whole, part = divmod(utc, SECOND)
    thousandths = -(-part // (SECOND // 1000))
    if thousandths in {0, 1000}:
        return told((whole + (thousandths > 0)) * SECOND, "%Y-%m-%d %H:%M:%S")
    return f"{clock(utc, '%Y-%m-%d %H:%M:%S')}.{thousandths:03d}{offset(utc)}"
