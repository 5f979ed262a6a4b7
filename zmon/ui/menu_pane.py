"""The menu: items to choose from, in columns; those that zmon does not have are dim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.screen import menu_items
from zmon.ui.grid import CURSOR
from zmon.ui.line import Line, Part
from zmon.ui.pane import Pane

if TYPE_CHECKING:
    from zmon.screen.definition import Screens
    from zmon.session.page import Page


class Menu(Pane):
    """The selection of screens, with a cursor on one of those that are there."""

    def __init__(self, page: Page, screens: Screens) -> None:
        """Put the cursor on the first item of the I/O data, which is what zmon is for."""
        super().__init__()
        self.page = page
        self._screens = screens
        self._draw()
        self._chosen = next((i for i, item in enumerate(self._there) if item.code == "11"), 0)
        self.settle()

    def _draw(self) -> None:
        self._items = menu_items.items(self.page.screen, self._screens, self.width)
        self._there = [item for item in self._items if item.command]
        drawn = menu_items.lines(self.page.screen, self._screens, self.width)
        self._all = [Line(text, "heading") for text in drawn]

    def resize(self, width: int, height: int) -> None:
        """Set the size; columns that do not fit beside one another go below."""
        if width != self.width:
            self.width = width
            self._draw()
        super().resize(width, height)

    def settle(self) -> None:
        """Keep the chosen item within what is seen."""
        super().settle()
        if self._there:
            line = self._there[self._chosen].line
            self.offset = min(self.offset, max(line - 1, 0))
            self.offset = max(self.offset, line - self.height + 1)

    def lines(self) -> list[Line]:
        """Return the lines that are seen."""
        drawn = list(self._all)
        chosen = self._there[self._chosen] if self._there else None
        for item in self._items:
            kind = "cell" if item is chosen else "data" if item.command else "absent"
            end = item.start + len(item.written)
            text, _, parts, under = drawn[item.line]
            if item is chosen:
                text = text[: item.start - 1] + CURSOR + text[item.start :]
            drawn[item.line] = Line(text, "heading", (*parts, Part(item.start, end, kind)), under)
        return drawn[self.offset : self.offset + self.height]

    @property
    def command(self) -> str:
        """The command of the chosen screen."""
        return self._there[self._chosen].command if self._there else ""

    @property
    def position(self) -> str:
        """The command that would be given."""
        return self.command

    def step(self, by: int) -> None:
        """Go to the next (or previous) item."""
        self.tab(by)

    def turn(self, pages: int) -> None:
        """Go to the last (or first) item."""
        self._chosen = len(self._there) - 1 if pages > 0 else 0
        self.settle()

    def top(self) -> None:
        """Go to the first item."""
        self.turn(-1)

    def bottom(self) -> None:
        """Go to the last item."""
        self.turn(1)

    def tab(self, by: int) -> None:
        """Go to the next (or previous) item."""
        if self._there:
            self._chosen = (self._chosen + by) % len(self._there)
            self.settle()

    def shift(self, screens: int) -> bool:
        """Go to the nearest item of the next column to the right (or left)."""
        if not self._there:
            return False
        now = self._there[self._chosen]
        beside = [item for item in self._there if (item.start - now.start) * screens > 0]
        if not beside:
            return False
        nearest = min(beside, key=lambda item: (abs(item.start - now.start), abs(item.line - now.line)))
        self._chosen = self._there.index(nearest)
        self.settle()
        return True

    def nudge(self, columns: int) -> bool:
        """Go to the nearest item of the next column to the right (or left)."""
        return self.shift(columns)

    def click(self, x: int, y: int) -> str:
        """Open the item at a position."""
        for item in self._there:
            if item.line == y + self.offset and item.start <= x < item.start + len(item.written):
                return item.command
        return ""
