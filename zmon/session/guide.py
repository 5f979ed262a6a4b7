"""The state of a guided tour: at which step one is, and when the next one is reached.

A step is done when the screen shows what it asks for, by whatever keys or commands; TOUR NEXT does it for the
user.
"""

from __future__ import annotations

from time import localtime, strftime
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.clock import SECOND, clock
from zmon.screen.definition import ScreenError
from zmon.screen.query import QueryError, parse_conditions
from zmon.session.page import find_screen, row_conditions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.interval import Interval
    from zmon.lab.tour import Tour, TourStep
    from zmon.screen.definition import Screens
    from zmon.session.page import Page

COMPARE: Final = "COMPARE"
"""The command whose page is not known by its words."""


class SceneWindow(NamedTuple):
    """The part of a scenario that a scene shows: the name of its source, begin and end in ns since 1970."""

    source: str
    begin: int
    end: int


class Guide:
    """Leads through a tour."""

    def __init__(self, tour: Tour, windows: Mapping[str, SceneWindow]) -> None:
        """Begin with the first step; `windows` has one for each scene, by its name."""
        self.tour = tour
        self.place = 0
        self.shown = True
        """Whether the panel of the tour is open."""
        self._windows = windows
        days = {localtime(window.end // SECOND)[:3] for window in windows.values()}
        self._times = {name: _from_to(window, dated=len(days) > 1) for name, window in windows.items()}

    @property
    def step(self) -> TourStep:
        """The present step."""
        return self.tour.steps[self.place]

    @property
    def window(self) -> SceneWindow:
        """What the present step looks at."""
        return self._windows[self.step.scene]

    @property
    def number(self) -> str:
        """Which step it is, of how many."""
        return f"{self.place + 1}/{len(self.tour.steps)}"

    def text(self, place: int) -> str:
        """Return what is to be seen at a step, and what it means."""
        return self._with_times(self.tour.steps[place].text)

    def press(self, place: int) -> str:
        """Return what leads from a step to the next one; nothing at the last."""
        ahead = self.tour.steps[place + 1 :]
        return self._with_times(ahead[0].press) if ahead else ""

    def commands(self, step: TourStep) -> list[str]:
        """Return the commands that bring a step about."""
        return [self._with_times(command) for command in step.commands]

    def _with_times(self, text: str) -> str:
        """Fill in the times of scenes: `{shark-before}` becomes `09:30-09:55`."""
        for name, times in self._times.items():
            text = text.replace(f"{{{name}}}", times)
        return text

    def follow(self, interval: Interval | None, page: Page, screens: Screens) -> bool:
        """Go on to the first of the steps ahead that is shown; return whether there is one."""
        here = self.place
        for place in range(here + 1, len(self.tour.steps)):
            self.place = place
            if self.shows(interval, page, screens):
                return True
        self.place = here
        return False

    def is_there(self, interval: Interval | None) -> bool:
        """Return whether the interval is of the present step's scenario."""
        return interval is not None and interval.after.source == self.window.source

    def shows(self, interval: Interval | None, page: Page, screens: Screens) -> bool:
        """Return whether the present step is what is seen."""
        commands = self.commands(self.step)
        compares = any(map(_is_comparison, commands))
        return (
            self.is_there(interval)
            and compares == (page.against is not None)
            and all(_is_comparison(command) or _leads_to(command, page, screens) for command in commands)
        )


def _from_to(window: SceneWindow, *, dated: bool) -> str:
    """Write when a window begins and ends; with the day where others are on another day."""
    return "-".join(
        strftime("%Y-%m-%d ", localtime(at // SECOND)) * dated + clock(at).removesuffix(":00")
        for at in (window.begin, window.end)
    )


def _is_comparison(command: str) -> bool:
    return command.partition(" ")[0].upper() == COMPARE


def _leads_to(command: str, page: Page, screens: Screens) -> bool:
    """Return whether a page is the one that a command opens, about that and nothing else."""
    word, _, operands = command.partition(" ")
    try:
        if page.screen.command != find_screen(screens, word, operands).command:
            return False
        if not page.conditions:
            return page.argument.casefold() == operands.casefold()
        return page.conditions == parse_conditions(row_conditions(page.screen, operands), page.screen.columns)
    except (ScreenError, QueryError):
        return False
