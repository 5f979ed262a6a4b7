"""The parts of the glass between header and guidance line: lines with a scroll position.

Every pane answers the same movements.  `Pane` shows lines without a cursor, such as a help text; others show
the form of one device and the chart.  Lists are in `grid`, the menu and the dashboard in `chooser`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.plain_text import wrap
from zmon.screen.chart.drawn import drawn
from zmon.screen.chart.drawn import page as chart_page
from zmon.screen.sheet import fields
from zmon.ui.line import EMPTY, Line, Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.screen.definition import Screens
    from zmon.screen.sheet import Sheet
    from zmon.session.page import Page


CURSOR: Final = ">"
"""Marks the cursor's line, in its first position, which the original never uses."""

COLOURS: Final = ("data", "strong", "label", "heading", "message", "guidance")
"""Colours of the series, which have letters, too."""

SIGNS: Final = {"*": "look", "!": "alarm"}

LOWEST: Final = 6
"""A chart of fewer lines shows nothing; then it is as high as this and can be scrolled."""

LEAST_BESIDE: Final = 8
"""Lines of the screen that a short help text leaves visible; a longer text covers the screen."""


class Pane:
    """Lines that can be scrolled up and down."""

    def __init__(self, lines: Sequence[Line] = ()) -> None:
        """Show the beginning of these lines; `resize` says how many fit."""
        self.width, self.height = 80, 19
        self.offset = 0
        self._all = list(lines)

    def resize(self, width: int, height: int) -> None:
        """Set the size."""
        self.width, self.height = width, max(height, 0)
        self.settle()

    def show(self, sheet: Sheet, page: Page) -> str:  # noqa: ARG002 - for panes that show a sheet
        """Show a newer sheet of the same page; return what has to be said about it."""
        return ""

    def settle(self) -> None:
        """Bring the place back to where there are lines."""
        self.offset = max(0, min(self.offset, len(self._all) - self.height))

    @property
    def length(self) -> int:
        """How many lines there are."""
        return len(self._all)

    def lines(self) -> list[Line]:
        """Return the lines that are seen; there may be fewer than fit."""
        return self._all[self.offset : self.offset + self.height]

    @property
    def command(self) -> str:
        """The command that ENTER gives here; empty when there is none."""
        return ""

    @property
    def chosen_key(self) -> str:
        """The key of what the cursor is on; empty where there is no cursor."""
        return ""

    @property
    def position(self) -> str:
        """Where in the lines one is, in a few words; empty when all are seen."""
        if len(self._all) <= self.height:
            return ""
        return f"{self.offset + 1}-{min(self.offset + self.height, len(self._all))} of {len(self._all)}"

    @property
    def empty(self) -> bool:
        """Whether there is nothing to choose from, where something could be chosen."""
        return False

    @property
    def span(self) -> tuple[int, int] | None:
        """Begin and end (UTC in ns) of what is shown; None if that is the present interval."""
        return None

    @property
    def unread(self) -> int:
        """How many sentences about the figures have no room."""
        return 0

    def step(self, by: int) -> None:
        """Go down (or up) by lines."""
        self.offset += by
        self.settle()

    def turn(self, pages: int) -> None:
        """Go down (or up) by as many lines as fit."""
        self.step(pages * max(self.height, 1))

    def top(self) -> None:
        """Go to the first line."""
        self.offset = 0

    def bottom(self) -> None:
        """Go to the last line."""
        self.step(len(self._all))

    def go_to(self, line: int) -> None:
        """Bring a line into the middle of what is seen."""
        self.offset = line - self.height // 2
        self.settle()

    def renew(self, lines: Sequence[Line], before: int, now: int) -> None:
        """Show other lines; if the line `before` was seen, then the line `now` is."""
        was_seen = self.offset <= before < self.offset + self.height
        self._all = list(lines)
        self.settle()
        if was_seen and not self.offset <= now < self.offset + self.height:
            self.go_to(now)

    def shift(self, screens: int) -> bool:  # noqa: ARG002 - for panes that are wider than the glass
        """Go right (or left) by what fits; return False when there is nothing that way."""
        return False

    def nudge(self, columns: int) -> bool:  # noqa: ARG002 - for panes that are wider than the glass
        """Go right (or left) by columns; return False when there is nothing that way."""
        return False

    def tab(self, by: int) -> None:
        """Go to the next (or previous) thing that can be chosen in the line."""

    def click(self, x: int, y: int) -> str:  # noqa: ARG002 - for panes with something to choose
        """Choose what is at a position; return the command that the click gives, if any."""
        return ""


class Helps:
    """The help texts that are open over a screen; the last is seen, below the screen if there is room."""

    def __init__(self) -> None:
        """Have none open."""
        self._texts: list[Pane] = []
        self.title = ""
        """What the text is, for the header: HELP or EVENTS."""
        self.goes_on = False
        """Whether it goes on with what is shown."""
        self._place = 0
        """The line that the text is about now."""

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def seen(self) -> Pane:
        """The text that was opened last."""
        return self._texts[-1]

    def put(self, title: str, lines: Sequence[Line], place: int | None = None) -> None:
        """Open a text; `place` is the line that it is about now, if it goes on with what is shown."""
        self.title, self.goes_on, self._place = title, place is not None, place or 0
        self._texts.append(Pane(lines))

    def renew(self, lines: Sequence[Line], place: int) -> None:
        """Show newer lines of the text; who saw the line that it was about sees the newer one."""
        self.seen.renew(lines, self._place, place)
        self._place = place

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


class FormPane(Pane):
    """A page screen: the form of one thing."""

    def __init__(self, page: Page, sheet: Sheet) -> None:
        """Show the form of a sheet."""
        super().__init__()
        self.page = page
        self.show(sheet, page)

    def show(self, sheet: Sheet, page: Page) -> str:
        """Show a newer sheet of the same thing."""
        self.sheet, self.page = sheet, page
        self._draw()
        return ""

    def resize(self, width: int, height: int) -> None:
        """Fold lines that are too long for so much room."""
        folds = width != self.width
        super().resize(width, height)
        if folds:
            self._draw()

    def _draw(self) -> None:
        notes = [line for note in note_lines(self.sheet, self.width) for line in note]
        self._all = [*form_lines(self.sheet.within(self.width)), *[EMPTY] * bool(notes), *notes]
        self.settle()

    @property
    def command(self) -> str:
        """The command that leads deeper into the thing."""
        return self.sheet.deeper()


def form_lines(sheet: Sheet) -> list[Line]:
    """Return the lines of a form: what is printed on it are labels, what is filled in are data."""
    lines = []
    for (place, begin, end), text in zip(sheet.folds, sheet.form, strict=True):
        line_fields = fields(sheet.screen.form[place])
        parts = []
        for start, stop, name in line_fields:
            if begin <= start < end:
                fact = sheet.screen.form_names.get(name, name)
                missing = isinstance(sheet.table.facts.get(fact), Absent)
                parts.append(Part(start - begin, min(stop, end) - begin, "absent" if missing else "data"))
        lines.append(Line(text, "label" if line_fields else "heading", tuple(parts)))
    return lines


def note_lines(sheet: Sheet, width: int) -> list[list[Line]]:
    """Return each note of a table as the lines that it takes."""
    return [[Line(f" {part}", "guidance") for part in wrap(note, width - 2)] for note in sheet.table.notes]


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
            self._all = [Line(text, "data") for text in chart_page(table, self._screens, width)]
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
