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


def written_out(utc: int) -> str:
    """Write an instant as `--at` understands it: `2026-03-16 14:41:00`; parts of a second are rounded up."""
    whole, part = divmod(utc, SECOND)
    thousandths = -(-part // (SECOND // 1000))
    if thousandths in {0, 1000}:
        return clock((whole + (thousandths > 0)) * SECOND, "%Y-%m-%d %H:%M:%S")
    return f"{clock(utc, '%Y-%m-%d %H:%M:%S')}.{thousandths:03d}"
