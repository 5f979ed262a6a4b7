"""Numbers the way the Performance Toolkit writes them.

Rates and times below 100 have one decimal and no leading zero (`.0`, `.3`, `54.1`), from 100 on
none (`124`); queue lengths have two decimals (`.00`, `1.05`); percentages are whole, or bars.  What is not
available is dots.  A number that does not fit is scaled (`124k`), never cut.  A text that is cut ends in `>`.
"""

from __future__ import annotations

import math
import re

from zmon.base.absent import Absent
from zmon.base.clock import clock
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.plain_text import beginning, cells, harmless, padded

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value

DOTS: Final = "...."
"""Shown for a value that is not available; fewer dots in a narrower field."""

MORE: Final = ">"
"""Ends a text that is cut; fills the field of a number that cannot be written in it."""

LESS: Final = "<"
"""Fills the field of a negative number that cannot be written in it."""

DECIMAL: Final = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
"""A number as it is written without a unit."""

STARS: Final = "****"
"""Shown for what is no number, or no time of any calendar."""


def rate(value: float) -> str:
    """Write a rate or a time: three significant digits is the aim."""
    return bare(f"{value:.1f}") if -99.95 < value < 99.95 else percent(value)


def queue(value: float) -> str:
    """Write a queue length or an average of few things: two decimals below 10."""
    if -9.995 < value < 9.995:
        return bare(f"{value:.2f}")
    return rate(value)


def percent(value: float) -> str:
    """Write a percentage or a count, whole."""
    return bare(f"{value:.0f}")


def plain(value: object, *, letters: bool = False) -> str:
    """Write a label, control characters and unless `letters` are wanted those of other scripts as `?`."""
    return harmless(str(value), ascii_only=not letters)


def bytes_(value: float) -> str:
    """Write a size with a binary unit: `782M`."""
    for unit in ("", "K", "M", "G", "T"):
        if abs(value) < 999.5 or unit == "T":
            break
        value /= 1024
    return percent(value) + unit


FORMATS: Final[dict[str, Callable[..., str]]] = {
    "text": plain,
    "path": plain,
    "rate": rate,
    "queue": queue,
    "percent": percent,
    "count": percent,
    "bytes": bytes_,
    "clock": clock,
    "bar": percent,
}
"""The formats a column may name."""

LEFT: Final = frozenset({"text", "path"})
"""Formats that are aligned left; the middle of a path that is too long is left out."""


EIGHTHS: Final = "▏▎▍▌▋▊▉█"


def bar(value: float, width: int, style: str = "ascii") -> str:
    """Draw a bar for a percentage of the field; a point for a value that is too small for a bar.

    In any other style than `ascii` it ends in an eighth of a character.
    """
    if style != "ascii":
        full, rest = divmod(math.ceil(min(max(value, 0.0), 100.0) * width * 8 / 100 - 1e-9), 8)
        return (EIGHTHS[-1] * full + EIGHTHS[rest - 1] * (rest > 0)).ljust(width)
    length = round(min(max(value, 0.0), 100.0) * width / 100)
    return ("#" * length or "." * (value > 0)).ljust(width)


def bare(digits: str) -> str:
    """Drop the zero before the point, and the sign of a zero: `0.5` is `.5`."""
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    if not digits.strip("0."):
        sign = ""
    return sign + (digits[1:] if digits.startswith("0.") else digits)


def shorten(text: str, width: int) -> str:
    """Make a name harmless, and leave out the middle of one that is too long: its ends tell most."""
    text = harmless(text)
    if cells(text) <= width:
        return text
    tail = beginning(text[::-1], (width - 2) * 2 // 3)[::-1]
    return beginning(f"{beginning(text, width - 2 - cells(tail))}..{tail}", width)


def fitted(text: str, width: int) -> str:
    """Write a name into a field of `width` cells: shortened, or with blanks behind it."""
    return padded(shorten(text, width), width)


def cut(text: str, width: int) -> str:
    """Cut a text that is too long, where one of its words ends if that is in the second half, and mark it."""
    if cells(text) <= width:
        return text
    kept = beginning(text, width - 1)
    whole = kept.rstrip() if text[len(kept) : len(kept) + 1] == " " else kept.rpartition(" ")[0].rstrip()
    return beginning(f"{whole} " if 2 * cells(whole) >= width else kept, width - 1) + MORE


def folds(text: str, width: int) -> list[tuple[int, int]]:
    """Return from where to where a line is cut into lines of at most `width` characters, between its words.

    Each begins with the blank before its first word.
    """
    numbers = []
    begin = 0
    while len(text) - begin > width:
        end = text.rfind(" ", begin + 1, begin + width + 1)
        if end <= begin or not text[begin:end].strip():
            end = begin + width
        numbers.append((begin, end))
        begin = max(len(text) - len(text[end:].lstrip()) - 1, end)
    return [*numbers, (begin, len(text))]


def fit(value: float, width: int) -> str:
    """Write a number that is too wide for its field without decimals, else scaled (`124k`, `12M`).

    If it still does not fit, the field is filled with `>>>>`, or `<<<<` for a negative number.
    """
    for unit, size in (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)):
        scaled = percent(value / size) + unit
        if len(scaled) <= width and (not unit or abs(value) >= 0.95 * size):
            return scaled
    return (MORE if value > 0 else LESS) * width


def cell(value: Value, form: str, width: int, *, letters: bool = False) -> str:
    """Write one value into a field of `width` cells, as the format `form` says; see `plain` for `letters`.

    Numbers are aligned right, text left (as the column's heading is).
    """
    if isinstance(value, Absent):
        return DOTS[:width].ljust(width) if form in LEFT else DOTS[:width].rjust(width)
    if form in LEFT:
        return padded(_words(value, form, width, letters=letters), width)
    if isinstance(value, str):
        return cut(plain(value), width).rjust(width)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    if not math.isfinite(number):
        return STARS[:width].rjust(width) if math.isnan(number) else (MORE if number > 0 else LESS) * width
    if form == "bar":
        return bar(number, width)
    digits = FORMATS[form](number if form != "clock" else value)
    if len(digits) > width:
        digits = STARS[:width] if form == "clock" else fit(number, width)
    return digits.rjust(width)


def shown(written: str, value: Value) -> Value:
    """Return a value as it is written, where that is a plain number; else the value itself."""
    digits = written.strip()
    return float(digits) if re.fullmatch(DECIMAL, digits) else value


def difference(then: str, now: str, width: int) -> str:
    """Write the difference of two written figures, with no more decimals than both have; empty if unknown.

    A positive one has a plus, and one that is nothing has no sign.
    """
    match = [re.fullmatch(rf"({DECIMAL})([kKMGT]?)", text.strip()) for text in (then, now)]
    if not (match[0] and match[1]) or match[0][2] != match[1][2]:
        return ""
    places = min(len(match[1].partition(".")[2]) for match in match if match)
    change = f"{float(match[1][1]) - float(match[0][1]):+.{places}f}"
    digits, unit = bare(change.lstrip("+")), match[0][2]
    if not digits.strip("0."):
        return "" if unit else digits.rjust(width)  # less than a unit may be a lot
    written = "+" * change.startswith("+") + digits + unit
    return written.rjust(width) if len(written) <= width else ""


def signed(value: Value, form: str, width: int) -> str:
    """Write a difference into a field: a positive number has a plus, what is written as zero has no sign."""
    written = cell(value, form, width)
    if isinstance(value, (Absent, str)) or not value > 0:
        return written
    digits = cell(value, form, width - 1).strip()
    if not digits[:1].isdigit() and not digits.startswith("."):
        return written
    return f"+{digits}".rjust(width) if digits.strip("0.") else written


def _words(value: float | str, form: str, width: int, *, letters: bool) -> str:
    text = plain(value, letters=letters)
    if len(text) > width and not isinstance(value, str):
        return (LESS if value < 0 else MORE) * width
    return shorten(text, width) if form == "path" else cut(text, width)
