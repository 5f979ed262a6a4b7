"""The menu as lines: the original's items in their places, in three columns.

Items for which zmon has a screen carry their number; the others have a dash in its place, and stand once more
below all with the reason.
"""

from __future__ import annotations

from functools import lru_cache
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.screen.definition import COMMAND_ITEMS, Described
from zmon.screen.header import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.screen.definition import Screen, Screens

COLUMNS: Final = (
    ("General System Data", "Many systems"),
    ("I/O Data", "User Data"),
    ("History Data (by Time)",),
)
"""The sections of each column; a section that is not named here comes last."""

STARTS: Final = (1, 28, 55)
"""Where the columns begin, counted from 0."""
ITEM: Final = 24
"""Width of an item at most; a column that has less room goes below the one before it."""


OTHERS: Final = "Other screens"
"""The heading of screens whose codes the menu's file does not list, such as those of a user's own."""
WHY: Final = "Not in zmon, and why"
"""The heading of the items without a screen."""
BESIDE: Final = 60
"""Width from which a reason is beside its item; else it is below it."""


class Explanation(NamedTuple):
    """An item without a screen, and the lines that say why."""

    code: str
    reason: str
    line: int
    """Where its first line is."""
    lines: tuple[str, ...]


class MenuItem(Described):
    """One item of the menu and its place."""

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


def with_others(menu: Screen, screens: Screens) -> Screen:
    """Return the menu with a section of the screens that have a code which its file does not list."""
    listed = {code.upper() for _, section in menu.items for code, _ in section} | set(COMMAND_ITEMS)
    others = tuple(
        (code, shorten(screens.find(command).title, ITEM - len(f"{code}. "), placeholder="..."))
        for code, command in sorted(screens.menu_commands.items())
        if code not in listed
    )
    return menu.changed(items=(*menu.items, (OTHERS, others))) if others else menu


@lru_cache(maxsize=4)
def folded(menu: Screen, screens: Screens) -> Screen:
    """Return the menu without the items and sections for which there is no screen."""
    commands = screens.menu_commands
    kept = [
        (title, tuple(item for item in items if item[0].upper() in commands)) for title, items in menu.items
    ]
    return menu.changed(items=tuple((title, items) for title, items in kept if items))


def _sections(menu: Screen, width: int) -> Iterator[tuple[str, int, int]]:
    """Yield the heading of each section, its line, counted from 0, and where it starts."""
    sections = dict(menu.items)
    placed = {title for column in COLUMNS for title in column}
    rest = tuple(title for title in sections if title not in placed)
    columns = [
        [title for title in titles if title in sections] for titles in (*COLUMNS[:-1], COLUMNS[-1] + rest)
    ]
    fitting = sum(start + ITEM <= width for start in STARTS[1:]) + 1
    columns[fitting - 1 :] = [[title for titles in columns[fitting - 1 :] for title in titles]]
    heights = [sum(1 + len(sections[title]) for title in titles) for titles in columns]
    for start, titles, height in zip(STARTS[:fitting], columns, heights, strict=True):
        blank = int(height + len(titles) - 1 <= max(heights))  # before the next section, where there is room
        line = 0
        for title in titles:
            yield title, line, start
            line += len(sections[title]) + 1 + blank


def items(menu: Screen, screens: Screens, width: int = WIDTH) -> list[MenuItem]:
    """Return the items of the menu with their places, in as many columns as fit whole."""
    commands, sections = screens.menu_commands, dict(menu.items)
    return [
        MenuItem(code=code, text=text, line=line + place, start=start, command=commands.get(code.upper(), ""))
        for title, line, start in _sections(menu, width)
        for place, (code, text) in enumerate(sections[title], 1)
    ]


def explanations(menu: Screen, screens: Screens, width: int = WIDTH) -> list[Explanation]:
    """Return why items have no screen, as lines below the menu and a heading."""
    every = items(menu, screens, width)
    parts: list[Explanation] = []
    line = 3 + max((item.line for item in every), default=0)
    for item in every:
        reason = menu.reasons.get(item.code.upper(), "")
        if item.command or not reason:
            continue
        name = f" {item.code:>2}. {item.text.rstrip('*')}"
        indent = STARTS[1] if width >= BESIDE else 5
        said = [" " * indent + part for part in wrap(reason, max(width - 1 - indent, 10))]
        beside = width >= BESIDE
        drawn = [f"{name:<{indent}}{said[0].lstrip()}", *said[1:]] if beside else [name, *said]
        parts.append(Explanation(item.code, reason, line, tuple(drawn)))
        line += len(drawn)
    return parts


def lines(menu: Screen, screens: Screens, width: int = WIDTH) -> list[str]:
    """Draw the menu: headings of the sections, their items, and why some of them have no screen."""
    parts = list(_sections(menu, width))
    parts += [(item.written, item.line, item.start) for item in items(menu, screens, width)]
    drawn = [""] * (1 + max(line for _, line, _ in parts))
    for text, line, start in sorted(parts, key=lambda part: part[2]):
        drawn[line] = f"{drawn[line]:<{start}}{text}"
    below = explanations(menu, screens, width)
    if below:
        drawn += ["", f" {WHY}", *(line for part in below for line in part.lines)]
    return drawn
