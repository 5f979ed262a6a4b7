"""The menu as lines: the original's items in their places, in three columns.

Items for which zmon has a screen carry their number; the others have a dash in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zmon.screen.definition import Screen, Screens

COLUMNS: Final = (("General System Data",), ("I/O Data", "User Data"), ("History Data (by Time)",))
"""Which sections stand below one another; a section that is not named here comes last."""

STARTS: Final = (1, 28, 55)
"""Where the columns begin, counted from 0."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the menu and where it stands."""

    code: str
    text: str
    line: int
    start: int
    command: str
    """The command of its screen; empty when there is none."""

    @property
    def written(self) -> str:
        """The item as it is shown: `13. I/O device load*`."""
        code = self.code if self.command else "-" * len(self.code)
        return f"{code}. {self.text}"


def items(menu: Screen, screens: Screens) -> list[Item]:
    """Return the items of the menu with their places."""
    commands = {screen.menu.upper(): screen.command for screen in screens if screen.menu}
    placed = {title for column in COLUMNS for title in column}
    rest = tuple(title for title, _ in menu.items if title not in placed)
    sections = dict(menu.items)
    found: list[Item] = []
    for start, titles in zip(STARTS, (*COLUMNS[:2], COLUMNS[2] + rest), strict=True):
        line = 0
        for title in titles:
            for code, text in sections.get(title, ()):
                line += 1
                found.append(Item(code, text, line, start, commands.get(code.upper(), "")))
            line += 2  # a blank line and the heading of the next section
    return found


def lines(menu: Screen, screens: Screens) -> list[str]:
    """Draw the menu: headings of the sections and their items."""
    drawn: dict[int, list[str]] = {}

    def put(line: int, start: int, words: str) -> None:
        row = drawn.setdefault(line, [" "] * 80)
        row[start : start + len(words)] = words

    found = items(menu, screens)
    for title, entries in menu.items:
        first = next(item for item in found if item.code == entries[0][0])
        put(first.line - 1, first.start, title)
    for item in found:
        put(item.line, item.start, item.written)
    return ["".join(drawn.get(line, [])).rstrip() for line in range(max(drawn) + 1)]
