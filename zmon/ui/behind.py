"""What lies behind the row under the cursor, below a list that leaves room: the page that ENTER opens.

There is no other layout for it.  It is filled after the list and, live, not with each sample: its title says
of when it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.clock import clock
from zmon.ui.grid import Grid
from zmon.ui.line import EMPTY, Line

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.screen.sheet import Sheet
    from zmon.session.page import BehindTask, Page
    from zmon.session.session import Session
    from zmon.tables.table import Table
    from zmon.ui.pane import Pane

LEAST: Final = 10
"""Lines that have to be free ..."""
HIGHER: Final = 20
"""... of more than these: a terminal of 24 lines shows the list alone."""
RULE: Final = "-"
"""What the line above it is filled with."""


class BehindPane:
    """The page behind the row under the cursor of a list, as much of it as has room."""

    def __init__(self, session: Session, pane_of: Callable[[Page, Sheet], Pane]) -> None:
        """Show nothing yet; `pane_of` returns what shows a sheet."""
        self._session, self._pane_of = session, pane_of
        self.is_wanted = session.inputs().site.pane
        self.asked: BehindTask | None = None
        """What was asked for last; None where nothing is."""
        self._title = ""
        self._shown: tuple[BehindTask, Pane] | None = None

    def ask(self, pane: Pane, room: int) -> BehindTask | None:
        """Return the work of filling what lies behind the cursor's row; None where there is nothing to do."""
        if (
            not self.is_wanted
            or not isinstance(pane, Grid)
            or not pane.command
            or _free(pane.used, room) < LEAST
        ):
            self.asked = self._shown = None
            return None
        before, command = self.asked, pane.command
        if before is not None and before.is_of(command, self._session.interval):
            return None
        self.asked = self._session.behind(command)
        if self.asked is None or (before is not None and before.command != command):
            self._shown = None
        self._title = pane.sheet.example(pane.place)
        return self.asked

    @property
    def is_shown(self) -> bool:
        """Whether anything lies behind the row that has room, or is being filled."""
        return self.asked is not None

    def take(self, task: BehindTask, table: Table | None) -> None:
        """Show what was filled, if it is still asked for; nothing if that was not possible."""
        if self.asked is None or task.command != self.asked.command:
            return
        if table is None:
            self._shown = None
            return
        sheet = task.fill.sheet(table)
        if self._shown is not None and self._shown[0].command == task.command:
            self._shown[1].show(sheet, task.fill.page)
            self._shown = task, self._shown[1]
            return
        pane = self._pane_of(task.fill.page, sheet)
        if isinstance(pane, Grid):
            pane.has_cursor = False
        self._shown = task, pane

    def lines(self, above: list[Line], width: int, room: int) -> list[Line]:
        """Return what stands below the lines of a list; nothing while it is not known."""
        free = _free(len(above), room)
        if self._shown is None or free < LEAST:
            return []
        pane = self._shown[1]
        pane.resize(width, free)
        advice = " ENTER opens it, PANE OFF hides it"
        at = clock(self._shown[0].fill.view.interval.after.at.utc)
        title = f" {self._title} at {at} "
        return [EMPTY, Line(f"{title:{RULE}<{width - len(advice) - 1}}{advice}", "guidance"), *pane.lines()]


def _free(used: int, room: int) -> int:
    """Return how many lines are left below a list and the line that names what lies behind."""
    return room - used - 2 if room > HIGHER else 0
