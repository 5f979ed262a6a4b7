"""The lines around the pane: header, guidance and keys; the command line is in `command_line`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.plain_text import wrap
from zmon.screen.header import header
from zmon.screen.number import cut
from zmon.ui.keys import BY_NAME
from zmon.ui.line import EMPTY, Line, Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.conclusion import Conclusion
    from zmon.interval import Interval
    from zmon.screen.definition import Screen
    from zmon.ui.keys import KeyMap

FRAME: Final = 5
"""Lines that the frame takes, without the time line."""

SMALLEST: Final = (40, 9)
"""Width and height that are needed at the least."""

STATES: Final = {"bad": "alarm", "look": "look"}
"""What a conclusion is painted as; one that says that nothing is short is plain."""

_LABELS: Final = re.compile(r"\b(?:CPU|SER|Interval)\b")


def too_small(width: int, height: int) -> list[Line]:
    """Say, in so little room, that the frame does not fit."""
    text = f"{width}x{height} is too small: {SMALLEST[0]}x{SMALLEST[1]} are needed"
    few = [Line(part, "strong") for part in wrap(text, width)][:height]
    return few + [EMPTY] * (height - len(few))


def heading(  # noqa: PLR0913 - one for each part of a header
    screen: Screen,
    interval: Interval | None,
    width: int,
    *,
    live: bool,
    held: bool,
    span: tuple[int, int] | None = None,
    times: str = "",
    name: str = "",
    stale: int = 0,
    system: str = "",
) -> Line:
    """Return the header of a screen; without an interval its name alone.

    Its end says what the data are (live, Replay, Simulated, stale) at every width.  `span` is begin and end
    of what is shown, where that is more than the interval; `times` are those compared, where neither is the
    interval.  A `name` takes the place of the screen's own; `system` is one of a fleet.
    """
    screen = screen.changed(id=name) if name else screen
    if interval is None:
        return Line(f" {screen.id:<13}{screen.title}", "strong")
    written = header(
        screen,
        interval,
        live=live,
        held=held,
        span=span,
        times=times,
        width=width - 1,
        stale=stale,
        system=system,
    )
    mode = max(written.rstrip().rfind("  ") + 2, 0)
    parts = [Part(*match.span(), "label") for match in _LABELS.finditer(written)]
    kind = "strong" if live and not stale else "look"
    return Line(written, "strong", (*parts, Part(mode, len(written), kind)))


def message(text: str, kind: str, width: int) -> list[Line]:
    """Return a message, in as many lines as it takes."""
    return [Line(f" {part}", kind) for part in (wrap(text, width - 2) if text else [])]


def conclusion(conclusion: Conclusion, width: int, height: int) -> list[Line]:
    """Return the conclusion of a screen in as many lines as it takes; an empty one where that is too many."""
    lines = [
        Line(f" {part}", STATES.get(conclusion.state, "data")) for part in wrap(conclusion.words, width - 2)
    ]
    return lines if 0 < len(lines) <= max(1, (height - FRAME) // 5) else [EMPTY]


def guidance(text: str, position: str, width: int) -> Line:
    """Return the line of guidance, at its end where in the pane one is, if there is room."""
    room = width - 2 - len(text)
    if position and len(position) + 2 <= room:
        line = f" {text}".ljust(width - 1 - len(position)) + position
        return Line(line, "guidance", (Part(len(line) - len(position), len(line), "label"),))
    return Line(cut(f" {text}", width), "guidance")


class Hint(NamedTuple):
    """A key that the last line names, if there is room."""

    key: str
    """What it is called, as long as its functions have the keys of the Toolkit."""
    label: str
    functions: tuple[str, ...]
    """What its keys do: one function, or one for each of two keys."""
    rank: int
    """What has the highest is left out first."""
    when: str = ""
    """`wide`: only where the screen is wider than the glass; `list`: only where there are columns;
    `live`, `past`: only while the live machine is followed, or is not; `one`: not on screens of a fleet."""

    @property
    def text(self) -> str:
        """How it is written."""
        return f"{self.key}{'=' if self.key.strip('! []<>') else ' '}{self.label}"


HINTS: Final = (
    Hint("F1", "Help", ("help",), 0),
    Hint("F2", "Redisp", ("redisplay",), 13, "one"),
    Hint("F4", "Menu", ("menu",), 14),
    Hint("F5", "Bot", ("bottom",), 12),
    Hint("F6", "Retrieve", ("retrieve",), 15),
    Hint("F7", "Bkwd", ("backward",), 3),
    Hint("F8", "Fwd", ("forward",), 2),
    Hint("F9", "Sort", ("sort",), 8, "list"),
    Hint("F10", "Left", ("left",), 9, "wide"),
    Hint("F11", "Right", ("right",), 4, "wide"),
    Hint("F12", "Return", ("back",), 1),
    Hint("?", "Keys", ("keys",), 10),
    Hint("TAB", "Col", ("next_column",), 7, "list"),
    Hint("SPACE", "Play", ("pause",), 5, "past"),
    Hint("SPACE", "Hold", ("pause",), 5, "live"),
    Hint("!", "Why", ("diagnose",), 4, "one"),
    Hint("[ ]", "Exc", ("previous_exception", "next_exception"), 6),
    Hint("< >", "Sample", ("earlier", "later"), 11),
)
"""What the last line names, in its order; the first are those of the Toolkit."""


def hints_of(keymap: KeyMap) -> list[Hint]:
    """Return what the last line may name, with the keys that functions have; one without is left out."""
    hints = []
    for hint in HINTS:
        keys = [keymap.first(name) for name in hint.functions]
        if all(keymap.keys[name] == BY_NAME[name].keys for name in hint.functions):
            hints.append(hint)
        elif all(keys):
            hints.append(hint._replace(key=" ".join(keys)))
    return hints


def keys_line(screen: Screen, width: int, hints: Sequence[Hint] = HINTS, *, live: bool = False) -> Line:
    """Return the line of keys: those that do something here, as many as there is room for."""
    useful = (hint for hint in hints if not hint.when or _has(screen, width, hint.when, live=live))
    return _keys_named(tuple(useful), width)


@lru_cache(maxsize=64)
def _keys_named(hints: tuple[Hint, ...], width: int) -> Line:
    fitting = list(hints)
    while len(_joined(fitting, " ")) > width - 1 and len(fitting) > 1:
        fitting.remove(max(fitting, key=lambda hint: hint.rank))
    wide = _joined(fitting, "  ")
    text = wide if len(wide) < width else _joined(fitting, " ")
    starts = [(text.find(f" {hint.text}") + 1, hint) for hint in fitting]
    parts = tuple(Part(start, start + len(hint.key), "strong") for start, hint in starts)
    return Line(text[:width], "label", parts)


def _joined(hints: Sequence[Hint], gap: str) -> str:
    return f" {gap.join(hint.text for hint in hints)}"


def _has(screen: Screen, width: int, what: str, *, live: bool) -> bool:
    if what in {"live", "past"}:
        return live is (what == "live")
    if what == "one":
        return not screen.is_of_fleet
    return screen.gridded and (what != "wide" or screen.width > width - 1)


def key_at(line: Line, x: int, hints: Sequence[Hint] = HINTS) -> str:
    """Return the function of the key that is named at a column of the last line; empty where none is."""
    for hint in hints:
        start = line.text.find(f" {hint.text}") + 1
        if start and start <= x < start + len(hint.text):
            return hint.functions[0] if x < start + len(hint.key) // 2 else hint.functions[-1]
    return ""
