"""The lines around the pane: header, guidance, command line and PF keys; all the rest is the pane's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.screen.frame import header, pf_line
from zmon.ui.entry import PROMPT
from zmon.ui.keys import FUNCTIONS
from zmon.ui.line import EMPTY, Line, Part, wrap

if TYPE_CHECKING:
    from zmon.interval import Interval
    from zmon.screen.definition import Screen
    from zmon.ui.entry import Entry

FRAME: Final = 5
"""Lines that the frame takes, without the time line."""

SMALLEST: Final = (40, 9)
"""Width and height that are needed at the least."""

_LABELS: Final = re.compile(r"\b(?:CPU|SER|Interval)\b")
_PF_KEY: Final = re.compile(r"F(\d+)=(\w+)")


def too_small(width: int, height: int) -> list[Line]:
    """Say, in so little room, that the frame does not fit."""
    words = f"{width}x{height} is too small: {SMALLEST[0]}x{SMALLEST[1]} are needed"
    few = [Line(part, "strong") for part in wrap(words, width)][:height]
    return few + [EMPTY] * (height - len(few))


def heading(  # noqa: PLR0913 - all that a header tells
    screen: Screen,
    interval: Interval | None,
    width: int,
    *,
    live: bool,
    held: bool,
    span: tuple[int, int] | None = None,
) -> Line:
    """Return the header of a screen; without an interval its name alone.

    What the data are stands at its end, however narrow the glass is.  `span` is begin and end of what is
    shown, where that is more than the interval.
    """
    if interval is None:
        return Line(f" {screen.id:<13}{screen.title}", "strong")
    written = header(screen, interval, live=live, held=held, span=span)
    mode = written.rfind("  ") + 2
    if width < len(written):
        word = written[mode:]
        mode = max(width - 1 - len(word), 0)
        written = f"{written[: max(mode - 2, 0)]:<{mode}}{word}"
    parts = [Part(*found.span(), "label") for found in _LABELS.finditer(written)]
    kind = "strong" if live else "look"
    return Line(written, "strong", (*parts, Part(mode, len(written), kind)))


def message(words: str, kind: str, width: int) -> list[Line]:
    """Return a message, in as many lines as it takes."""
    return [Line(f" {part}", kind) for part in (wrap(words, width - 2) if words else [])]


def guidance(words: str, position: str, width: int) -> Line:
    """Return the line of guidance, at its end where in the pane one is, if there is room."""
    room = width - 2 - len(words)
    if position and len(position) + 2 <= room:
        line = f" {words}".ljust(width - 1 - len(position)) + position
        return Line(line, "guidance", (Part(len(line) - len(position), len(line), "label"),))
    return Line(f" {words}"[:width], "guidance")


def command_line(entry: Entry, width: int) -> Line:
    """Return the command line with what is typed and the caret in it."""
    seen, caret = entry.seen(width - len(PROMPT) - 1)
    at = len(PROMPT) + caret
    line = (PROMPT + seen).ljust(at + 1)
    return Line(line, "entry", (Part(0, len(PROMPT), "label"), Part(at, at + 1, "caret")))


def keys_line(screen: Screen, width: int) -> Line:
    """Return the line of PF keys."""
    written = pf_line(screen, width)
    parts = tuple(Part(found.start(), found.start(2) - 1, "strong") for found in _PF_KEY.finditer(written))
    return Line(written[:width], "label", parts)


def key_at(line: Line, x: int) -> str:
    """Return the function of the PF key that stands at a column of their line; empty where none does."""
    for found in _PF_KEY.finditer(line.text):
        if found.start() <= x < found.end():
            return next(f.name for f in FUNCTIONS if f"f{found[1]}" in f.keys.split(","))
    return ""
