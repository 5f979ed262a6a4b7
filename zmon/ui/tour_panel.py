"""What a guided tour says, beside the glass: a panel on its right, or a strip below it where it is narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.plain_text import wrap
from zmon.ui.frame import SMALLEST
from zmon.ui.line import EMPTY, Line, Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.session.guide import Guide
    from zmon.ui.keys import KeyMap

BESIDE: Final = 110
"""From this width on there is room for a panel beside the screen."""
SCREEN: Final = 80
"""Columns that the panel leaves to the screen at least."""
PANEL: Final = 36
"""Columns of the panel at the most, its rule among them."""
STRIP: Final = 3
"""The strip takes at most this fraction of the lines: one third."""
BUTTONS: Final = (("tour_next", "next"), ("tour_back", "back"), ("tour", "close"))
SIMULATED: Final = "Simulated: no real machine"
WAITING: Final = (
    Line("Simulating the machine ...", "look"),
    Line("The screen is still the one before", "look"),
)


class Room(NamedTuple):
    """What the tour takes of the terminal: columns on its right, or lines at its bottom."""

    columns: int = 0
    lines: int = 0


class TourPanel:
    """The lines of a tour."""

    def __init__(self, guide: Guide | None, keymap: KeyMap, *, plain: bool = False) -> None:
        """Speak for a guide; without one there is nothing to see."""
        self.guide = guide
        self._heights: dict[int, int] = {}
        """Lines that the strip needs, by the width that it has."""
        self._rule = "|" if plain else "│"
        self._buttons = [(key, does, name) for name, does in BUTTONS if (key := keymap.first(name))]

    def room(self, width: int, height: int) -> Room:
        """Return what it takes of a terminal; nothing while it is closed, or where there is too little."""
        if self.guide is None or not self.guide.shown:
            return Room()
        if width >= BESIDE:
            return Room(columns=min(PANEL, width - SCREEN))
        lines = min(self._needed(self.guide, width), height // STRIP)
        return Room(lines=lines) if height - lines >= SMALLEST[1] else Room()

    def _needed(self, guide: Guide, width: int) -> int:
        """Return how many lines the strip needs for the longest step, so that it never changes its height."""
        if width not in self._heights:
            steps = range(len(guide.tour.steps))
            self._heights = {width: 1 + max(len(_told(guide, place, width - 2)) for place in steps)}
        return self._heights[width]

    def lines(self, width: int, height: int, *, waiting: bool = False) -> list[Line]:
        """Return the lines for what the tour takes of a terminal; `waiting` for what is to be seen."""
        room = self.room(width, height)
        if self.guide is None or room == Room():
            return []
        if room.columns:
            return self._panel(self.guide, room.columns, height, waiting=waiting)
        return self._strip(self.guide, width, room.lines, waiting=waiting)

    def button(self, line: Line, x: int) -> str:
        """Return the function of the key that is named at a column of a line; empty where none is."""
        for key, does, name in self._buttons:
            start = line.text.find(f"{key} {does}")
            if 0 <= start <= x < start + len(key) + 1 + len(does):
                return name
        return ""

    def _panel(self, guide: Guide, width: int, height: int, *, waiting: bool) -> list[Line]:
        """Return the panel: what is seen from the top, keys at the bottom."""
        wide = width - 3
        above = [
            Line(_ends(f"Tour {guide.number}", guide.tour.title, wide), "label"),
            EMPTY,
            *_all(guide.step.title, wide, "strong"),
            EMPTY,
            *_all(guide.text(guide.place), wide, "data"),
            EMPTY,
            *(WAITING if waiting else _press(guide, guide.place, wide)),
        ]
        below = [*(self._named([button]) for button in self._buttons), EMPTY, Line(SIMULATED, "look")]
        above = _cut(above, height - len(below) - 1)
        gap = [EMPTY] * (height - len(above) - len(below))
        return [self._framed(line) for line in (*above, *gap, *below)][:height]

    def _strip(self, guide: Guide, width: int, height: int, *, waiting: bool) -> list[Line]:
        """Return the strip: its first line says which step it is, and what the keys do."""
        keys = self._named(self._buttons).text
        room = width - 2 - len(keys)
        step = f"{guide.number} {guide.step.title}"
        titles = (f" Tour {step} ", f" {step} ", f" Tour {guide.number} ", " ")
        title = next((title for title in titles if len(title) <= room), "")
        text = f"{title}{'-' * (room - 1 - len(title))} {keys}"
        at = text.rfind(keys)
        parts = [Part(0, len(title), "strong")]
        parts += [
            Part(at + part.start, at + part.end, part.kind) for part in self._named(self._buttons).parts
        ]
        head = Line(text[:width], "label", tuple(parts))
        lines = [*WAITING] if waiting else _told(guide, guide.place, width - 2)
        if len(lines) >= height:  # what to press matters most
            press = _press(guide, guide.place, width - 2)
            lines = [*_cut(lines[: len(lines) - len(press)], height - 1 - len(press)), *press][: height - 1]
        lines = [_moved(line, 1) for line in lines]
        return [head, *lines, *[EMPTY] * (height - 1 - len(lines))]

    def _named(self, buttons: Sequence[tuple[str, str, str]]) -> Line:
        """Return what keys do, in a line."""
        text, parts = "", []
        for key, does, _ in buttons:
            text += "  " * bool(text)
            parts.append(Part(len(text), len(text) + len(key), "strong"))
            text += f"{key} {does}"
        return Line(text, "label", tuple(parts))

    def _framed(self, line: Line) -> Line:
        """Put the rule before a line of the panel."""
        moved = _moved(line, 2)
        return moved._replace(text=self._rule + moved.text[1:], parts=(Part(0, 1, "label"), *moved.parts))


def _moved(line: Line, by: int) -> Line:
    """Put blanks before a line."""
    parts = tuple(Part(part.start + by, part.end + by, part.kind) for part in line.parts)
    return line._replace(text=" " * by + line.text, parts=parts)


def _all(text: str, width: int, kind: str) -> list[Line]:
    return [Line(part, kind) for part in wrap(text, width)]


def _told(guide: Guide, place: int, width: int) -> list[Line]:
    """Return what a step says, and what to press next."""
    return [*_all(guide.text(place), width, "data"), *_press(guide, place, width)]


def _press(guide: Guide, place: int, width: int) -> list[Line]:
    """Return what to press next."""
    text = guide.press(place)
    if not text:
        return []
    first, *others = _all(f"Next: {text}", width, "guidance")
    return [first._replace(parts=(Part(0, len("Next:"), "strong"),)), *others]


def _ends(left: str, right: str, width: int) -> str:
    """Write words at both ends of a line, if there is room for both."""
    return left + right.rjust(width - len(left)) if len(left) + len(right) < width else left


def _cut(lines: list[Line], most: int) -> list[Line]:
    """Leave out the lines for which there is no room, and let that be seen."""
    if len(lines) <= max(most, 0):
        return lines
    return [*lines[: max(most - 1, 0)], Line("...", "label")][: max(most, 0)]
