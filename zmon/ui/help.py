"""Help, as lines: of a screen, of a column and of a cell that is not there, of the keys and commands.

Everything comes from the screen files, from the table and from the list of functions, so help never speaks
of what is not there.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent
from zmon.dialogue import COMMANDS, CommandError
from zmon.ui.keys import FUNCTIONS, spoken
from zmon.ui.line import EMPTY, Line, Part, fields, wrap
from zmon.ui.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.screen.definition import Column, Screen, Screens
    from zmon.screen.sheet import Sheet

ENTRY_INDENT: Final = 13
KEYS_INDENT: Final = 20
COMMANDS_INDENT: Final = 26

LEAST_BESIDE: Final = 8
"""So many lines of the screen are worth seeing beside a short help text."""

WIDEST_HELP: Final = 110
"""Longer lines are hard to read."""


class Helps:
    """The help texts that are open over a screen; the last is seen, below the screen if there is room."""

    def __init__(self) -> None:
        """Have none open."""
        self._texts: list[Pane] = []

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def seen(self) -> Pane:
        """The text that was opened last."""
        return self._texts[-1]

    def put(self, lines: Sequence[Line]) -> None:
        """Open a text."""
        self._texts.append(Pane(lines))

    def close(self) -> None:
        """Close all."""
        self._texts.clear()

    def panel(self, room: int) -> int:
        """Return how many lines the text takes, with a rule above it: few leave the screen in sight."""
        if not self._texts:
            return 0
        needed = self.seen.length + 1
        return needed if needed + LEAST_BESIDE <= room else room

    def resize(self, width: int, room: int) -> None:
        """Take as much of the room as is needed."""
        for text in self._texts:
            text.resize(width, room)
        if self._texts and (height := self.panel(room)) < room:
            self.seen.resize(width, height - 1)

    def lines(self, width: int, room: int) -> list[Line]:
        """Return the lines of the text, below a rule if it leaves room."""
        if self.panel(room) == room:
            return self.seen.lines()
        return [Line(" " + "-" * (width - 2), "label"), *self.seen.lines()]


def meant(screen: Screen, name: str) -> Column | None:
    """Return the column that is meant by its name or a word of its heading; none where nothing is named.

    Raises:
        CommandError: there is no such column.
    """
    column = screen.by_name.get(name.lower())
    if not name or column is not None:
        return column
    headed = [c for c in screen.columns if c.head and name.lower() in {h.lower() for h in c.head}]
    if len(headed) != 1:
        columns = ", ".join(screen.by_name) or "none"
        raise CommandError(f"{name!r} is no column here; there are {columns}")
    return headed[0]


def named(column: Column) -> str:
    """Return a column's heading in one line: `Time (msec) Resp`."""
    head = " ".join(column.head).replace("- ", "")
    group = "" if "{" in column.group else column.group.strip()
    return f"{group} {head}".strip()


def screen_help(screen: Screen, sheet: Sheet | None, width: int) -> list[Line]:
    """Explain a screen and all its columns, and why cells of the page are not there."""
    lines = [_title(f"{screen.id} {screen.command} - {screen.title}"), EMPTY, *_text(screen.help, width)]
    if screen.own:
        lines += _text("The layout is zmon's own.", width)
    if sheet is not None and sheet.table.notes:
        lines += [EMPTY, _title("To be known about these figures")]
        for note in sheet.table.notes:
            lines += _text(note, width)
    if screen.columns:
        lines += [EMPTY, _title("Columns; HELP and a name says more")]
        for column in screen.columns:
            lines += _entry(column.name, f"{named(column)}: {column.help}", width)
    if sheet is not None:
        lines += _absent_facts(sheet, width)
    return lines


def _absent_facts(sheet: Sheet, width: int) -> list[Line]:
    """Say why parts of a form are dots; one entry for each reason."""
    reasons: dict[str, list[str]] = {}
    short = sheet.screen.form_names
    for name in (short.get(name, name) for line in sheet.screen.form for _, _, name in fields(line)):
        value = sheet.table.facts.get(name)
        if isinstance(value, Absent):
            reasons.setdefault(value.reason, []).append(name)
    lines = [EMPTY, _title("Why there are dots")] if reasons else []
    for reason, names in reasons.items():
        lines += _entry(reason, ", ".join(names), width, 0)
    return lines


def column_help(column: Column, sheet: Sheet, place: int, width: int) -> list[Line]:
    """Explain a column, and the cell of it that stands in the cursor's row."""
    unit = f", {column.unit}" if column.unit else ""
    lines = [_title(f"{column.name} - {named(column)}{unit}"), *_text(column.help, width)]
    if column.source:
        lines += _entry("Source", column.source, width)
    if column.limit is not None:
        limit = column.limit
        over = f"above {limit.look:g} it is marked *, above {limit.bad:g} it is marked !: {limit.why}"
        lines += _entry("Limits", over, width)
    orders = {"asc": "ascending first", "desc": "descending first", "": "no"}
    lines += _entry("Sorted", orders[column.sort], width)
    if sheet.rows:
        lines += _cell(column, sheet, place, width)
    return lines


def _cell(column: Column, sheet: Sheet, place: int, width: int) -> list[Line]:
    key, row = sheet.keys[place], sheet.rows[place]
    value = sheet.table.column(column.name)[row]
    if isinstance(value, Absent):
        lines = _entry("Not there", f"{key}: {value.reason}", width)
        return [line._replace(kind="look") if not line.parts else line for line in lines]
    said = f"{key}: {value:.6g}" if isinstance(value, float) else f"{key}: {value}"
    if sheet.table.is_estimate(column.name, row):
        said += ", an estimate (~)"
    return _entry("This row", said, width)


def keys_help(keymap: Mapping[str, str], screens: Screens, width: int) -> list[Line]:
    """List the keys, the commands and the screens."""
    lines = [_title("Keys")]
    for function in FUNCTIONS:
        keys = keymap.get(function.name, function.keys)
        plain = ",".join(key for key in keys.split(",") if not key.startswith("shift+f"))
        lines += _entry(spoken(plain), function.help, width, KEYS_INDENT)
    aliases = "PF13 and on: the same as F1 and on; there is no Shift+F3"
    mouse = "click: choose, again: go deeper; on a heading: sort; on a PF key: do it"
    lines += _entry("Shift+F1 ...", aliases, width, KEYS_INDENT)
    lines += _entry("Mouse", mouse, width, KEYS_INDENT)
    lines += [EMPTY, _title("Commands, of which the part in capitals is enough")]
    for command in COMMANDS:
        short = command.word[: command.shortest] + command.word[command.shortest :].lower()
        lines += _entry(f"{short} {command.operand}", command.help, width, COMMANDS_INDENT)
    lines += [EMPTY, _title("Screens")]
    for screen in screens:
        number = f" ({screen.menu})" if screen.menu else ""
        lines += _entry(screen.command + number, screen.title, width, KEYS_INDENT)
    return lines


def _title(words: str) -> Line:
    return Line(f" {words}", "strong")


def _text(words: str, width: int) -> list[Line]:
    """Break paragraphs into lines."""
    lines: list[Line] = []
    for paragraph in words.strip().split("\n\n"):
        lines += [EMPTY] if lines else []
        lines += [Line(f" {part}") for part in wrap(paragraph, width - 2)]
    return lines


def _entry(name: str, words: str, width: int, indent: int = ENTRY_INDENT) -> list[Line]:
    """Write a name, and beside it what is said of it; below it when the name is long."""
    beside = len(name) + 3 <= indent
    margin = " " * (indent if beside else 4)
    said = textwrap.wrap(" ".join(words.split()), max(width - 1 - len(margin), 20)) or [""]
    lines = [Line(margin + part) for part in said]
    if beside:
        text = f" {name}".ljust(indent) + said[0]
        return [Line(text, "data", (Part(0, indent, "label"),)), *lines[1:]]
    return [*(Line(f" {part}", "label") for part in wrap(name, width - 2)), *lines]
