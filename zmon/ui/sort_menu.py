"""The columns that a list can be sorted on, one of which is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.screen.number import cut
from zmon.screen.query import heading
from zmon.screen.sheet import sorting
from zmon.ui.chooser import Chooser, PaneItem
from zmon.ui.line import Line, Part

if TYPE_CHECKING:
    from zmon.session.page import Page

NAME: Final = 2
"""Where names begin, behind the cursor."""


class SortMenu(Chooser):
    """A line for each column; the cursor is on the one that the list is sorted on."""

    def __init__(self, page: Page, column: str = "") -> None:
        """List the columns of a page, with the cursor on `column` or on the one that it is sorted on."""
        super().__init__(page)
        self._key = column or (page.order.column if page.order is not None else "")
        self._draw()

    def resize(self, width: int, height: int) -> None:
        """Set the size; the first sentence about each column is cut to it."""
        self.width, self.height = width, max(height, 0)
        self._draw()

    def step(self, by: int) -> None:
        """Go to the column below (or above)."""
        if self.items:
            self.choose(max(0, min(self._place + by, len(self.items) - 1)))

    def click(self, x: int, y: int) -> str:  # noqa: ARG002 - the whole line is of its column
        """Sort on the column of a line."""
        return next((item.command for item in self.items if item.line == y + self.offset), "")

    def _draw(self) -> None:
        order = self.page.order
        columns = [column for column in self.page.screen.columns if column.sort]
        names = max((len(column.name) for column in columns), default=0)
        heads = max((len(heading(column)) for column in columns), default=0)
        lines, items = [Line(f" Sort {self.page.screen.command} on", "strong")], []
        for column in columns:
            now = order is not None and order.column == column.name
            way = f"now {'descending' if order.descending else 'ascending'}: " if now and order else ""
            meaning = way + " ".join(column.help.split()).partition(". ")[0].rstrip(".")
            written = f"{' ' * NAME}{column.name:<{names}}  {heading(column):<{heads}}  {meaning}"
            end = NAME + names
            items.append(PaneItem(column.name, len(lines), NAME, end, sorting(order, column.name)))
            lines.append(Line(cut(written, self.width - 1), "data", (Part(NAME, end, "strong"),)))
        self.put(lines, items)
