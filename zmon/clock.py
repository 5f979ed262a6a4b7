"""Instants as the clock on the wall shows them."""

from __future__ import annotations

import re
import time

from zmon.light_typing import Final

DAY: Final = "%m-%d %H:%M:%S"


def clock(ns: float, form: str = "%H:%M:%S") -> str:
    """Write an instant, in ns since 1970, in local time; with stars for digits when no calendar has it."""
    try:
        return time.strftime(form, time.localtime(ns // 1_000_000_000))
    except (OverflowError, OSError, ValueError):
        return re.sub("%.", "**", form)
