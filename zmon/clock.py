"""Instants as the clock on the wall shows them."""

from __future__ import annotations

import re
import time

from zmon.light_typing import Final

DAY: Final = "%m-%d %H:%M:%S"


def length(seconds: float) -> str:
    """Write a length of time in its largest unit and the next one: `1h 5m`, `40s`."""
    rest = round(seconds)
    if rest >= 86_400:
        days, rest = divmod(rest, 86_400)
        parts = [f"{days}d", f"{rest // 3600}h" * (rest >= 3600)]
    elif rest >= 3600:
        hours, rest = divmod(rest, 3600)
        parts = [f"{hours}h", f"{rest // 60}m" * (rest >= 60)]
    else:
        minutes, rest = divmod(rest, 60)
        parts = [f"{minutes}m" * (minutes > 0), f"{rest}s" * (rest > 0)]
    return " ".join(part for part in parts if part) or f"{seconds:.0f}s"


def clock(ns: float, form: str = "%H:%M:%S") -> str:
    """Write an instant, in ns since 1970, in local time; with stars for digits when no calendar has it."""
    try:
        return time.strftime(form, time.localtime(ns // 1_000_000_000))
    except (OverflowError, OSError, ValueError):
        return re.sub("%.", "**", form)
