"""Panes with a cursor on one of their items: the menu and the dashboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zmon.screen import menu_items
from zmon.screen.dashboard import FORMS, Dashboard
from zmon.ui.line import Line, Part
from zmon.ui.pane import CURSOR, Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zmon.screen.definition import Screens
    from zmon.screen.sheet import Sheet
    from zmon.session.page import Page


class PaneItem(NamedTuple):
    """Something that can be chosen: the line and the characters of its name, and what opens it."""

    key: str
    line: int
    start: int
    end: int
    command: str


class Chooser(Pane):
    """Lines with items, one of which is chosen."""

    def __init__(self, page: Page) -> None:
        """Show no line yet."""
        super().__init__()
        self.page = page
        self.items: list[PaneItem] = []
        self._key = ""
        """The key of the chosen item."""

    def put(self, lines: Sequence[Line], items: Sequence[PaneItem]) -> None:
        """Show other lines; the cursor stays on its item if that is still there."""
        self._all, before = list(lines), self._place
        self.items = list(items)
        if self.items and all(item.key != self._key for item in self.items):
            self._key = self.items[min(before, len(self.items) - 1)].key
        self.settle()

    @property
    def _place(self) -> int:
        """Which of the items is chosen."""
        return next((place for place, item in enumerate(self.items) if item.key == self._key), 0)

    @property
    def chosen(self) -> PaneItem | None:
        """The item under the cursor; None where there is nothing to choose."""
        return self.items[self._place] if self.items else None

    @property
    def chosen_key(self) -> str:
        """The key of the item under the cursor."""
        return self._key

    def choose(self, place: int) -> None:
        """Put the cursor on an item."""
        if self.items:
            self._key = self.items[place].key
            self.settle()

    def settle(self) -> None:
        """Keep the chosen item within what is seen."""
        super().settle()
        if (item := self.chosen) is not None:
            self.offset = min(self.offset, max(item.line - 1, 0))
            self.offset = max(self.offset, item.line - self.height + 1)

    def lines(self) -> list[Line]:
        """Return the lines that are seen, with the cursor before the chosen item."""
        drawn = list(self._all)
        if (item := self.chosen) is not None:
            text, kind, parts, under = drawn[item.line]
            text = text[: item.start - 1] + CURSOR + text[item.start :]
            parts = (*parts, Part(item.start - 1, item.start, "strong"), Part(item.start, item.end, "cell"))
            drawn[item.line] = Line(text, kind, parts, under)
        return drawn[self.offset : self.offset + self.height]

    @property
    def command(self) -> str:
        """The command of the chosen item."""
        return "" if self.chosen is None else self.chosen.command

    def tab(self, by: int) -> None:
        """Go to the next (or previous) item."""
        if self.items:
            self.choose((self._place + by) % len(self.items))

    def top(self) -> None:
        """Go to the first item."""
        self.choose(0)
        self.offset = 0

    def bottom(self) -> None:
        """Go to the last item."""
        self.choose(-1)
        super().settle()

    def shift(self, screens: int) -> bool:
        """Go to the nearest item of the next column to the right (or left)."""
        now = self.chosen
        beside = [item for item in self.items if now is not None and (item.start - now.start) * screens > 0]
        if now is None or not beside:
            return False
        nearest = min(beside, key=lambda item: (self._far(item, now), abs(item.line - now.line)))
        self.choose(self.items.index(nearest))
        return True

    def _far(self, item: PaneItem, now: PaneItem) -> int:
        """Return by how many columns an item is away."""
        return abs(item.start - now.start)

    def nudge(self, columns: int) -> bool:
        """Go to the nearest item of the next column to the right (or left)."""
        return self.shift(columns)


class Menu(Chooser):
    """The selection of screens."""

    def __init__(self, page: Page, screens: Screens) -> None:
        """Put the cursor on the first item of the I/O data, which is what zmon is for."""
        super().__init__(page)
        self._screens = screens
        self._key = "11"
        self._draw()

    def _draw(self) -> None:
        every = menu_items.items(self.page.screen, self._screens, self.width)
        lines = [
            Line(text, "heading") for text in menu_items.lines(self.page.screen, self._screens, self.width)
        ]
        for item in every:
            part = Part(item.start, item.start + len(item.written), "data" if item.command else "absent")
            lines[item.line] = lines[item.line]._replace(parts=(*lines[item.line].parts, part))
        items = [
            PaneItem(item.code, item.line, item.start, item.start + len(item.written), item.command)
            for item in every
            if item.command
        ]
        self.put(lines, [*items, *self._explained(lines)])

    def _explained(self, lines: list[Line]) -> list[PaneItem]:
        """Return the items without a screen: their code as a command says why."""
        explained = []
        for explanation in menu_items.explanations(self.page.screen, self._screens, self.width):
            for place, text in enumerate(explanation.lines, explanation.line):
                lines[place] = Line(text, "data", (Part(0, len(text), "absent"),))
            explained.append(
                PaneItem(explanation.code, explanation.line, 1, len(explanation.lines[0]), explanation.code)
            )
        return explained

    def resize(self, width: int, height: int) -> None:
        """Set the size; columns that do not fit beside one another go below."""
        if width != self.width:
            self.width = width
            self._draw()
        super().resize(width, height)

    def choose(self, place: int) -> None:
        """Put the cursor on an item; all lines of the last one are seen."""
        super().choose(place)
        if self.items and self.items[place] is self.items[-1]:
            self.offset = max(len(self._all) - self.height, self.offset)

    @property
    def position(self) -> str:
        """The command that would be given."""
        return self.command

    def step(self, by: int) -> None:
        """Go to the next (or previous) item."""
        self.tab(by)

    def turn(self, pages: int) -> None:
        """Go down (or up) by as many lines as fit; where no more follow, to the last (or first) item."""
        now = self.chosen
        is_end = self.offset + self.height >= len(self._all) if pages > 0 else not self.offset
        if now is None or is_end:
            self.choose(-1 if pages > 0 else 0)
            return
        by = pages * max(self.height - 1, 1)
        way = 1 if pages > 0 else -1
        ahead = [item for item in self.items if (item.line - now.line) * way > 0]
        within = [item for item in ahead if abs(item.line - now.line) <= abs(by)]
        self.offset += by
        if target := self._farthest(within, now) if within else self._nearest(ahead, now):
            self.choose(self.items.index(target))
        else:
            self.settle()

    def _farthest(self, items: Iterable[PaneItem], now: PaneItem) -> PaneItem:
        """Return the item that most lines are between; of those beside one another the nearest."""
        return max(items, key=lambda item: (abs(item.line - now.line), -self._far(item, now)))

    def _nearest(self, items: Iterable[PaneItem], now: PaneItem) -> PaneItem | None:
        """Return the item that fewest lines are between; None where there is none."""
        return min(items, key=lambda item: (abs(item.line - now.line), self._far(item, now)), default=None)

    def click(self, x: int, y: int) -> str:
        """Open the item at a position."""
        at = ((i.start, i.end, i.command) for i in self.items if i.line == y + self.offset)
        return next((command for start, end, command in at if start <= x < end), "")


class DashboardPane(Chooser):
    """Sections in the room there is; each line is opened by ENTER.

    A row of a list keeps its place while figures change from one interval to the next.
    """

    def __init__(
        self,
        page: Page,
        sheet: Sheet,
        style: str,
        home: str = "",
        figure_of: Callable[[str], str] = lambda _number: "",
    ) -> None:
        """Draw a sheet in a style, `braille`, `blocks` or `ascii`, with the cursor on the row of a key.

        `figure_of` returns the figure of the exception of a number.
        """
        super().__init__(page)
        self._figure_of = figure_of
        self._key = home
        self._style = style
        self._sheet = sheet
        self._draw([])

    def show(self, sheet: Sheet, page: Page) -> str:
        """Show newer figures."""
        before, self._sheet, self.page = _present(self._sheet), sheet, page
        follows = before[1] in _present(sheet)  # the next interval, or the same one
        self._draw([item.key for item in self.items] if follows else [])
        return ""

    def resize(self, width: int, height: int) -> None:
        """Lay the sections out in so much room."""
        if (width, height) != (self.width, self.height):
            self.width, self.height = width, max(height, 0)
            self._draw([item.key for item in self.items])
        super().resize(width, height)

    def _draw(self, order: Sequence[str]) -> None:
        drawn = Dashboard(self._sheet, self.width, self._style, order).lines(self.height)
        keys = self._sheet.keys
        self.put(
            [Line(line.text, "data", tuple(Part(*span) for span in line.spans)) for line in drawn],
            [
                PaneItem(keys[door.place], number, door.start, door.end, self._deeper(door.place))
                for number, line in enumerate(drawn)
                for door in line.doors
            ],
        )

    def _deeper(self, place: int) -> str:
        """Return the command that leads deeper; an exception has a figure, whose name opens its screen."""
        command, (section, _, number) = self._sheet.deeper(place), self._sheet.keys[place].partition(" ")
        return (self._figure_of(number) if section == "open" and " " not in command else "") or command

    def tab(self, by: int) -> None:
        """Go to the first item of the next (or previous) part: the lists, then all others."""
        now = self.chosen
        if now is None:
            return
        first, *sections = dict.fromkeys(map(self._section, self.items))
        parts = [first, *sorted(sections, key=lambda section: section not in FORMS)]
        part = parts[(parts.index(self._section(now)) + by) % len(parts)]
        self.choose(next(place for place, item in enumerate(self.items) if self._section(item) == part))

    def _section(self, item: PaneItem) -> str:
        return item.key.partition(" ")[0]

    def step(self, by: int) -> None:
        """Go to the item below (or above), of those beside one another to the nearest."""
        now = self.chosen
        if now is None:
            return
        for _ in range(abs(by)):
            now = self._below(now, 1 if by > 0 else -1) or now
        self.choose(self.items.index(now))
        if by > 0 and now is self.items[-1]:
            self.bottom()

    def _below(self, now: PaneItem, way: int) -> PaneItem | None:
        """Return the nearest item of the next line with items, upwards if `way` is -1."""
        ahead = [item for item in self.items if (item.line - now.line) * way > 0]
        near = ((abs(item.line - now.line), abs(item.start - now.start), item) for item in ahead)
        return min(near, default=(0, 0, None))[2]

    def _far(self, item: PaneItem, now: PaneItem) -> int:
        """Return by how many lines an item is away: beside is what is in the same line."""
        return abs(item.line - now.line)

    def turn(self, pages: int) -> None:
        """Go down (or up) by as many lines as fit."""
        now = self.chosen
        if now is not None:
            wanted = now.line + pages * max(self.height - 1, 1)
            self.choose(min(range(len(self.items)), key=lambda place: abs(self.items[place].line - wanted)))

    def click(self, x: int, y: int) -> str:
        """Open the item whose line, or part of a line, is clicked on."""
        line = y + self.offset
        before = [item for item in self.items if item.line <= line]
        here = [item for item in before if item.line == line and item.start <= x] or before[-1:]
        return here[-1].command if here and line < len(self._all) else ""


def _present(sheet: Sheet) -> tuple[int, int]:
    """Return begin and end (UTC in ns) of the interval that a dashboard shows; zeros if it shows none."""
    series = sheet.table.series.items()
    ends = [
        (figures[-1].begin, figures[-1].end)
        for name, figures in series
        if figures and name != "exceptions"  # these may end later
    ]
    return max(ends, key=lambda end: end[1], default=(0, 0))
