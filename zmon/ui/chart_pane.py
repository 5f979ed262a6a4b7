"""The pane of PLOT: a chart as large as there is room, drawn anew when that changes or samples come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.screen.chart.drawn import drawn, page
from zmon.ui.line import Line, Part, wrap
from zmon.ui.pane import Pane

if TYPE_CHECKING:
    from zmon.screen.definition import Screens
    from zmon.screen.sheet import Sheet
    from zmon.session.page import Page

COLOURS: Final = ("data", "strong", "label", "heading", "message", "guidance")
"""Colours of the series, which have letters, too."""

SIGNS: Final = {"*": "look", "!": "alarm"}

LOWEST: Final = 6
"""A chart of fewer lines shows nothing; then it is as high as this and can be scrolled."""


class ChartPane(Pane):
    """A chart, or what there is to be drawn."""

    def __init__(self, sheet: Sheet, screens: Screens, style: str) -> None:
        """Draw the figures of a sheet in a style: `braille`, `blocks` or `ascii`."""
        super().__init__()
        self._sheet = sheet
        self._screens = screens
        self._style = style
        self._draw()

    def show(self, sheet: Sheet, page: Page) -> str:  # noqa: ARG002 - the sheet has it all
        """Draw newer figures."""
        self._sheet = sheet
        self._draw()
        return ""

    def resize(self, width: int, height: int) -> None:
        """Set the size."""
        if (width, height) != (self.width, self.height):
            self.width, self.height = width, max(height, 0)
            self._draw()
        super().resize(width, height)

    def _draw(self) -> None:
        table = self._sheet.table
        width = max(self.width - 2, 1)
        if "plotted" not in table.facts:
            self._all = [Line(text, "data") for text in page(table, self._screens, width)]
            self.settle()
            return
        notes = [Line(f" {part}", "guidance") for note in table.notes for part in wrap(note, width)]
        chart = drawn(table, self._screens, width, max(self.height - len(notes), LOWEST), self._style)
        parts: dict[int, list[Part]] = {}
        for line, start, end, series, sign in chart.marks:
            kind = SIGNS.get(sign) or COLOURS[series % len(COLOURS)]
            parts.setdefault(line, []).append(Part(start + 1, end + 1, kind))
        lines = [
            Line(f" {text}", "heading" if not place else "label", tuple(parts.get(place, ())))
            for place, text in enumerate(chart.lines)
        ]
        self._all = lines + notes
        self.settle()
