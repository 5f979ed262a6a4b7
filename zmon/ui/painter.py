"""Paints the lines of the glass, and of those only what has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from zmon.ui.line import EMPTY, KINDS, UNDER, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from zmon.ui.line import Line
    from zmon.ui.tour_panel import Room


class Painter(Widget, can_focus=True):
    """All lines of the screen."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"painter--{name}" for name in (*KINDS, *UNDER)}

    def __init__(self) -> None:
        """Show nothing yet."""
        super().__init__()
        self._seen: list[Line] = []
        self._styles_of: dict[tuple[str, str], Style] = {}

    def show(self, lines: Sequence[Line]) -> int:
        """Paint these lines where they differ from those that are seen; return how many do."""
        before, self._seen = self._seen, list(lines)
        changed = [y for y, line in enumerate(self._seen) if y >= len(before) or line != before[y]]
        if changed:
            width = self.size.width
            lines_before = (before[y] if y < len(before) else None for y in changed)
            spans = (
                differing(line, self._seen[y], width) for y, line in zip(changed, lines_before, strict=True)
            )
            self.refresh(
                *(Region(start, y, end - start, 1) for y, (start, end) in zip(changed, spans, strict=True))
            )
        return len(changed)

    def notify_style_update(self) -> None:
        """Look the colours up anew."""
        self._styles_of.clear()
        super().notify_style_update()

    def _style(self, kind: str, under: str) -> Style:
        style = self._styles_of.get((kind, under))
        if style is None:
            style = self.get_component_rich_style(f"painter--{kind}")
            if under:
                style += self.get_component_rich_style(f"painter--{under}", partial=True)
            self._styles_of[kind, under] = style
        return style

    def render_line(self, y: int) -> Strip:
        """Return one line, ready to be sent."""
        line = self._seen[y] if y < len(self._seen) else EMPTY
        width = self.size.width
        line = line._replace(text=line.text[:width].ljust(width))
        return Strip([Segment(text, self._style(kind, line.under)) for text, kind in runs(line)], width)


def differing(before: Line | None, after: Line, width: int) -> tuple[int, int]:
    """Return from where to where a line of this width differs from the one before; all of it if unsure."""
    if before is None or before.under != after.under or not (one_cell_each(before) and one_cell_each(after)):
        return 0, width
    pairs = [
        [
            (char, kind)
            for text, kind in runs(line._replace(text=line.text[:width].ljust(width)))
            for char in text
        ]
        for line in (before, after)
    ]
    places = [x for x, (cell, other) in enumerate(zip(*pairs, strict=True)) if cell != other]
    return (places[0], places[-1] + 1) if places else (0, width)


def one_cell_each(line: Line) -> bool:
    """Tell whether each character of a line surely takes one cell of the terminal."""
    return line.text.isascii() or all(char < "\u0300" or "\u2500" <= char <= "\u28ff" for char in line.text)


class Beside(Painter, can_focus=False):
    """The lines that a tour has beside the screen, or below it."""

    def dock(self, room: Room) -> None:
        """Dock on the right or at the bottom, in this room; hide if it is empty."""
        self.display = any(room)
        self.styles.dock = "right" if room.columns else "bottom"
        self.styles.width = room.columns or "100%"
        self.styles.height = room.lines or "100%"

    def line(self, y: int) -> Line:
        """Return a line that is seen."""
        return self._seen[y] if y < len(self._seen) else EMPTY
