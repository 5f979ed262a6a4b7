"""The part of the glass between header and guidance line: lines, and a place in them.

Every pane answers to the same movements.  This one shows lines that may be more than fit, and has no cursor:
the page of one device, a help text.  Grid and menu go on from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.absent import Absent
from zmon.ui.line import EMPTY, Line, Part, fields, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.screen.sheet import Sheet
    from zmon.session.page import Page


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
        super().resize(width, height)
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
        known = fields(sheet.screen.form[place])
        parts = []
        for start, stop, name in known:
            if begin <= start < end:
                fact = sheet.screen.form_names.get(name, name)
                missing = isinstance(sheet.table.facts.get(fact), Absent)
                parts.append(Part(start - begin, min(stop, end) - begin, "absent" if missing else "data"))
        lines.append(Line(text, "label" if known else "heading", tuple(parts)))
    return lines


def note_lines(sheet: Sheet, width: int) -> list[list[Line]]:
    """Return each note of a table as the lines that it takes."""
    return [[Line(f" {part}", "guidance") for part in wrap(note, width - 2)] for note in sheet.table.notes]
