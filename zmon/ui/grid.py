"""A list screen: headings, and rows under a cursor.

The cursor follows the key of its row when rows change places.  Until it is moved it stays on the home row:
the first one, so that a new screen shows the worst devices; the present interval of a screen by time; the
fullest bucket of a histogram.

Only columns that fit whole are drawn.  The pane scrolls sideways by columns; the first column stays.
Rows are formatted when they are drawn, and cached until the next sheet.

The table's notes follow the rows.  If a list leaves no room for all of them, the first ones stay at the
bottom of the pane, and scrolling past the last row shows them all.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.plain_text import wrap
from zmon.screen.export import why_empty
from zmon.screen.layout import beside
from zmon.screen.query import heading
from zmon.screen.sheet import natural, sorting
from zmon.ui.line import EMPTY, Line, Part
from zmon.ui.pane import CURSOR, Pane, form_lines, note_lines

if TYPE_CHECKING:
    from zmon.screen.definition import Column
    from zmon.screen.query import Condition
    from zmon.screen.sheet import Sheet
    from zmon.session.page import Page

MARKED: Final = {"!": "alarm", "*": "look", "+": "look", "-": "guidance"}
"""What marked cells are painted as; less has another colour than more."""

WIDE: Final = 150
"""Columns of the glass from which on lists have bars and curves."""
PICTURES: Final = {"bar": "label", "curve": "guidance"}
"""What bars and curves are painted as: as on OVERVIEW."""

LEAST_ROWS: Final = 3
"""Rows that have priority over the lines above the headings, and over notes."""

NOTES: Final = 8
"""Below a list that is longer than the pane, notes take one eighth of the lines; the first may take more."""
LEAST_NOTES: Final = 2
"""Lines that notes take at least."""


class Grid(Pane):
    """Rows under headings, with a cursor."""

    def __init__(self, page: Page, sheet: Sheet, style: str = "", home: str = "") -> None:
        """Show a sheet from its first row, or that of a key; curves in a style: `blocks`, `ascii` or none.

        The column and row that the page was opened for are chosen.
        """
        super().__init__()
        home = home or page.row
        self._style = style
        self.sheet, self.page = sheet, page
        self._given = sheet
        """The sheet as it was given; `sheet` has lines of sentences for this width."""
        self.place = 0
        """Which of the rows the cursor is on."""
        self.key = home if home in sheet.place else ""
        """The key that the cursor belongs to; empty until it is moved."""
        self.first = 1
        """The first column of those that move; column 0 stays."""
        self.column = page.column if page.column in sheet.screen.by_name else ""
        """The column that was chosen, if any."""
        self.sought = ""
        """The text that is looked for while it is typed, highlighted in rows."""
        self.has_cursor = True
        self._beyond: int | None = None
        """How far the notes are scrolled; None unless one has gone on to them from the last row."""
        self._top: tuple[object, list[Line]] = (None, [])
        """The lines above the rows, and what they were made from."""
        self.show(sheet, page)
        self._bring_chosen()

    @property
    def chosen_key(self) -> str:
        """The key of the row under the cursor."""
        return self.sheet.keys[self.place] if self.sheet.keys else ""

    def show(self, sheet: Sheet, page: Page) -> str:
        """Show a newer sheet; return a message if the cursor's row is missing in it."""
        before, self._given, self.page = self.sheet, sheet, page
        sheet = self.sheet = sheet.in_room(self.width)
        if sheet.order != before.order or _is_earlier(sheet, before):
            self.key = ""
        self._columns = sheet.shown_columns()
        self._draw()
        gone = ""
        if self.key in sheet.place:
            self.place = sheet.place[self.key]
        elif self.key and not self._by_time:
            gone = f"{_name_in(before, self.key)} is not in the list any more"
            self.place = min(self.place, max(len(sheet) - 1, 0))
            self.key = sheet.keys[self.place] if sheet.keys else ""
        else:
            self.place, self.key = self._home, ""
            if not self.offset <= self.place < self.offset + self.room:
                self._amid()
        if not self._at_last:
            self._beyond = None
        self.settle()
        return gone

    @property
    def _by_time(self) -> bool:
        """Whether rows are intervals, the latest last; those of a table with a home row are none."""
        table = self.sheet.table
        return table.span is not None and not table.home and self.sheet.order == natural(self.sheet.screen)

    @property
    def _home(self) -> int:
        """The row of a cursor that was not moved, or was moved back."""
        if self._by_time:
            return max(len(self.sheet) - 1, 0)
        own = self.sheet.order == natural(self.sheet.screen)
        return self.sheet.place.get(self.sheet.table.home, 0) if own else 0

    @property
    def empty(self) -> bool:
        """Whether there are no rows."""
        return not self.sheet.rows

    @property
    def span(self) -> tuple[int, int] | None:
        """Begin and end of what is shown."""
        return self.sheet.table.span

    # what is seen

    def resize(self, width: int, height: int) -> None:
        """Draw as many columns as fit into so much room."""
        if width != self.width:
            self.width = width
            if self._given.in_room(width) is self.sheet:
                self._draw()
            else:
                self.show(self._given, self.page)
            self._bring_chosen()
        self.width, self.height = width, max(height, 0)
        if not self.key:
            self._amid()
        self.settle()

    def _amid(self) -> None:
        """Bring the cursor's row into the middle of what is seen."""
        self.offset = self.place - (max(self.room, 1) - 1) // 2

    @property
    def _drawn_in(self) -> str:
        """The style of bars and curves; empty where the glass is too narrow for them."""
        return self._style if self.width >= WIDE else ""

    def _draw(self) -> None:
        """Choose the columns that are drawn, and forget the rows that were."""
        self.seen = self.sheet.within(self.width, self.first, self._drawn_in)
        self._notes = note_lines(self.seen, self.width)
        self._formatted: dict[int, Line] = {}

    def settle(self) -> None:
        """Keep the cursor's row within what is seen."""
        room = max(self.room, 1)
        self.offset = min(self.offset, self.place, max(len(self.sheet) - room, 0))
        self.offset = max(self.offset, self.place - room + 1, 0)

    @property
    def room(self) -> int:
        """How many rows fit."""
        return self.height - len(self._above()) - len(self._below())

    @property
    def used(self) -> int:
        """How many lines are seen."""
        return min(len(self._above()) + len(self.sheet) + len(self._below()), self.height)

    def _above(self) -> list[Line]:
        """Return the lines above the rows: as many as leave room for some rows."""
        made_from = self.seen, self.column, self.height
        if self._top[0] != made_from:
            self._top = made_from, self._make_above()
        return self._top[1]

    def _make_above(self) -> list[Line]:
        heads = self.headings()
        form = form_lines(self.seen) if self.sheet.screen.form else []
        total = self.seen.summary
        summary = [Line(total, "strong")] if total is not None else []
        if len(form) + len(heads) + len(summary) + LEAST_ROWS <= self.height:
            return form + heads + summary
        if len(heads) + len(summary) + 1 <= self.height:
            return heads + summary
        return heads[-max(self.height - 1, 0) :] if self.height > 1 else []

    def headings(self) -> list[Line]:
        """Return the heading lines; that of the chosen column is highlighted."""
        lines = [Line(text, "heading") for text in self.seen.headings]
        if self.column and lines:
            span = self._span(self.column)
            lines[-1] = lines[-1]._replace(parts=(Part(*span, "cell"),) if span else ())
        return lines

    def _below(self) -> list[Line]:
        """Return the lines below the rows: all notes, or the first ones where there is no room."""
        room = self.height - len(self._above())
        free = room - (len(self.sheet) or 1 + len(self._why_empty()))
        every = [line for note in self._notes for line in note]
        if len(every) < free:
            return [EMPTY, *every] if every else []
        if self._beyond is not None:
            return every[self._beyond :][: max(room - 1, 0)]
        return self._first_notes(free, room)

    def _first_notes(self, free: int, room: int) -> list[Line]:
        """Return the first notes, whole: one, and what else takes no row that would be seen without it."""
        fits = bool(self._notes) and len(self._notes[0]) <= free
        most = free if fits else max(self.height // NOTES, LEAST_NOTES)
        lines: list[Line] = []
        for note in self._notes:
            allowed = most if lines else max(most, room // 2)
            if len(lines) + len(note) > min(allowed, room - min(LEAST_ROWS, len(self.sheet))):
                break
            lines += note
        return lines

    @property
    def unread(self) -> int:
        """How many notes have no room below the rows."""
        if self._beyond is not None:
            return 0
        shown = len([line for line in self._below() if line is not EMPTY])
        return sum(1 for end in accumulate(map(len, self._notes)) if end > shown)

    def lines(self) -> list[Line]:
        """Return the lines that are seen."""
        above, below = self._above(), self._below()
        if not self.sheet.rows:
            return [*above, EMPTY, *self._why_empty(), *below][: self.height]
        last = min(self.offset + max(self.room, 0), len(self.sheet))
        return [*above, *(self.row(place) for place in range(self.offset, last)), *below]

    def _why_empty(self) -> list[Line]:
        return [Line(f" {part}", "strong") for part in wrap(why_empty(self.sheet), self.width - 2)]

    def row(self, place: int) -> Line:
        """Return the line of a row; that of the cursor is marked."""
        line = self._formatted.get(place)
        if line is None:
            line = self._formatted[place] = self._format(place)
        if self.sought:
            line = line._replace(parts=(*line.parts, *_occurrences(line.text, self.sought)))
        if place == self.place and self.has_cursor:
            return self._under_cursor(line)
        return line

    def _format(self, place: int) -> Line:
        screen, row = self.seen.screen, self.sheet.rows[place]
        parts = []
        for start, column in zip(screen.starts, screen.columns, strict=True):
            if column.picture is not None:
                parts.append(Part(start, start + column.width, PICTURES[column.picture.kind]))
            elif self.sheet.table.column(column.name)[row].__class__ is Absent:
                parts.append(Part(start, start + column.width, "absent"))
        parts += [
            Part(mark.start, mark.start + mark.width, MARKED[mark.sign]) for mark in self.seen.marks(place)
        ]
        return Line(self.seen.line(place), "data", tuple(parts))

    def _under_cursor(self, line: Line) -> Line:
        span = self._span(self.column) if self.column else None
        text, parts = line.text, line.parts
        if span:
            text = text.ljust(span[1])
            parts = (*parts, Part(*span, "cell"))
        return Line(CURSOR + text[1:], "strong", parts, "cursor")

    @property
    def position(self) -> str:
        """Which rows these are, and of how many."""
        chosen = " ".join(map(self._condition, self.page.conditions))
        count = len(self.sheet)
        where = f"{self.place + 1} of {count:,}" if count else ""
        return f"{chosen}  {where}".strip() if chosen else where if count > self.room else ""

    def _condition(self, condition: Condition) -> str:
        """Return a condition with its column's heading; one on an LCU with the name that the rows show."""
        if not condition.lcu:
            column = self.page.screen.by_name.get(condition.column)
            head = condition.column if column is None else heading(column) or column.name
            return f"{head}{condition.sign}{condition.value}"
        names = self._shown_lcus(condition.column) if condition.sign == "=" else set()
        if len(names) != 1:
            return f"LCU{condition.sign}{condition.value}"
        name = names.pop()
        return name if name.startswith(("LCU ", "LSS ")) else f"LCU {name}"

    def _shown_lcus(self, column: str) -> set[str]:
        columns = self.sheet.table.columns
        names = columns.get("lcu", columns.get(column, []))
        return {name for row in self.sheet.rows if names and isinstance(name := names[row], str)}

    # from a line to the glass and back

    def _span(self, name: str) -> tuple[int, int] | None:
        """Return where a column is drawn; None when it is not."""
        screen = self.seen.screen
        for start, column in zip(screen.starts, screen.columns, strict=True):
            if column.name == name:
                return start, start + column.width
        return None

    def column_at(self, x: int) -> Column | None:
        """Return the column that is drawn at a position."""
        column = self.seen.at(x)
        picture = None if column is None else column.picture
        return column if picture is None else self.sheet.screen.by_name[picture.of]

    # movements

    def _go(self, place: int) -> None:
        self.place = max(0, min(place, len(self.sheet) - 1))
        follows = not self.sheet.keys or (self._by_time and self.place == self._home)
        self.key = "" if follows else self.sheet.keys[self.place]
        self._beyond = None
        self.settle()

    @property
    def _at_last(self) -> bool:
        """Whether the cursor is on the last row."""
        return self.place == max(len(self.sheet) - 1, 0)

    def _read_on(self, lines: int) -> bool:
        """Go on from the last row to the notes, and down or up in them; tell whether that was possible."""
        if self._beyond is None:
            if lines < 0 or not self._at_last or not self.unread:
                return False
            self._beyond = 0
        elif lines < 0 and not self._beyond:
            return False
        else:
            most = sum(map(len, self._notes)) - len(self._below()) + self._beyond
            self._beyond = max(0, min(self._beyond + lines, most))
        self.settle()
        return True

    def step(self, by: int) -> None:
        """Move the cursor down (or up) by rows; from the last one, go on to the notes."""
        if not self._read_on(by):
            self._go(self.place + by)

    def turn(self, pages: int) -> None:
        """Go down (or up) by as many rows as fit; the cursor stays where it is on the glass."""
        if self._read_on(pages * max(len(self._below()), 1)):
            return
        self._beyond = None
        by = pages * max(self.room, 1)
        self.offset += by
        self._go(self.place + by)

    def top(self) -> None:
        """Go to the first row; whichever that will be, unless the cursor is at home on another."""
        self.place = 0
        self.key = self.sheet.keys[0] if self._home else ""
        self._beyond = None
        self.settle()

    def bottom(self) -> None:
        """Go to the last row, and to the notes that have no room otherwise."""
        self._go(len(self.sheet) - 1)
        self._read_on(1)

    def shift(self, screens: int) -> bool:
        """Go right (or left) by as many columns as fit."""
        sheet = self.sheet
        if screens > 0:
            return self._shift_to(sheet.right(self.width, self.first, self._drawn_in))
        return self._shift_to(sheet.left(self.width, self.first))

    def nudge(self, columns: int) -> bool:
        """Go right (or left) by columns."""
        if columns > 0 and not self.seen.screen.behind:
            return False
        return self._shift_to(beside(self.sheet.screen, self.first, columns))

    def _shift_to(self, first: int) -> bool:
        moved, self.first = first != self.first, first
        if moved:
            self._draw()
        return moved

    def tab(self, by: int) -> None:
        """Choose the next (or previous) column; behind the last none is chosen."""
        names = ["", *self.sheet.screen.by_name]
        self.column = names[(names.index(self.column) + by) % len(names)]
        self._bring_chosen()

    def _bring_chosen(self) -> None:
        """Bring the chosen column into sight."""
        if self.column:
            self._bring(list(self.sheet.screen.by_name).index(self.column))

    def _bring(self, index: int) -> None:
        """Go left or right until a column is drawn."""
        name = self.sheet.screen.columns[index].name
        if 0 < index < self.first:
            self._shift_to(beside(self.sheet.screen, index, 0))
        while index > self.first and self._span(name) is None:
            self._shift_to(beside(self.sheet.screen, self.first, 1))

    def click(self, x: int, y: int) -> str:
        """Choose a row; a click on the chosen row goes deeper, one on a heading sorts."""
        above = len(self._above())
        if y < above:
            heads = len(self.sheet.headings)
            total = self.sheet.summary is not None and above > heads
            column = self.column_at(x)
            on_heading = above - heads - total <= y < above - total
            return self.sorting(column.name) if on_heading and column is not None and column.sort else ""
        place = self.offset + y - above
        if place >= min(self.offset + self.room, len(self.sheet)):
            return ""
        if place == self.place:
            return self.command
        self._go(place)
        return ""

    # what is chosen

    def sorting(self, column: str) -> str:
        """Return the command that sorts on a column; on that of the present order, the other way round."""
        return sorting(self.sheet.order, column)

    @property
    def command(self) -> str:
        """The command that leads deeper into the cursor's row."""
        return self.sheet.deeper(self.place)

    def go_back(self, place: int, key: str, first: int) -> None:
        """Put the cursor where it was: on the row of a key, or without one on a row by its place."""
        self._shift_to(first)
        self._go(self.sheet.place.get(key, place))
        if not key:
            self.key = ""

    def locate(self, text: str, way: int = 1) -> bool:
        """Go to the next row whose key or labels contain a text, from the top again after the last.

        With `way` -1 it is the row before.  The column with the text is brought into sight.
        """
        wanted = text.casefold()
        count = len(self.sheet)
        labels = [
            index for index, values in enumerate(self._columns) if any(isinstance(v, str) for v in values)
        ]
        for step in range(1, count + 1):
            place = (self.place + way * step) % count
            row = self.sheet.rows[place]
            cells = ((index, self._columns[index][row]) for index in labels)
            indices = [index for index, cell in cells if isinstance(cell, str) and wanted in cell.casefold()]
            if indices or wanted in self.sheet.keys[place].casefold():
                self._go(place)
                if not any(self._span(self.sheet.screen.columns[index].name) for index in indices):
                    self._bring(indices[0] if indices else 0)
                return True
        return False


def _occurrences(text: str, wanted: str) -> list[Part]:
    """Return where a text occurs in a line, in letters of either case."""
    matches = re.finditer(re.escape(wanted), text, re.IGNORECASE)
    return [Part(*match.span(), "cell") for match in matches]


def _name_in(sheet: Sheet, key: str) -> str:
    """Return what the first column calls a row; its key where the sheet does not have it."""
    place = sheet.place.get(key)
    if place is None or not sheet.screen.columns:
        return key
    name = sheet.table.column(sheet.screen.columns[0].name)[sheet.rows[place]]
    return name if isinstance(name, str) else key


def _is_earlier(sheet: Sheet, before: Sheet) -> bool:
    """Tell whether the present moment of a sheet is before that of another."""
    span, earlier = sheet.table.span, before.table.span
    return span is not None and earlier is not None and span[1] < earlier[1]
