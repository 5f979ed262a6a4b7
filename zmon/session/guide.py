"""A guided tour through a dialogue: at which step one is, and when the next one is reached.

Whoever does what a step asks is a step further, by whatever keys or words; NEXT does it for those who only
want to look.  Nothing here knows a terminal.
"""

from __future__ import annotations

from time import localtime, strftime
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.screen.definition import ScreenError
from zmon.screen.number import clock
from zmon.screen.query import QueryError, parse_conditions
from zmon.session.command import CommandError, find
from zmon.session.dialogue import chosen_rows, meant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.lab.tour import Step, Tour
    from zmon.session.dialogue import Dialogue
    from zmon.session.page import Page

SECOND: Final = 1_000_000_000
NO_TOUR: Final = "There is no tour here. zmon demo has one."


class Window(NamedTuple):
    """What is looked at of a scenario: its source's name, begin and end in ns since 1970."""

    source: str
    begin: int
    end: int


class Guide:
    """Leads through a tour."""

    def __init__(self, tour: Tour, windows: Mapping[str, Window]) -> None:
        """Begin with the first step; `windows` has one for each scene, by its name."""
        self.tour = tour
        self.place = 0
        self.shown = True
        """Whether what the tour says is to be seen."""
        self._windows = windows
        days = {localtime(window.end // SECOND)[:3] for window in windows.values()}
        self._spoken = {name: _span(window, dated=len(days) > 1) for name, window in windows.items()}

    @property
    def step(self) -> Step:
        """The present step."""
        return self.tour.steps[self.place]

    @property
    def number(self) -> str:
        """Which step it is, of how many."""
        return f"{self.place + 1}/{len(self.tour.steps)}"

    def text(self, place: int) -> str:
        """Say what is to be seen at a step, and what it means."""
        return self._told(self.tour.steps[place].text)

    def press(self, place: int) -> str:
        """Say what leads from a step to the next one; nothing at the last."""
        ahead = self.tour.steps[place + 1 :]
        return self._told(ahead[0].press) if ahead else ""

    def commands(self, step: Step) -> list[str]:
        """Return the commands that bring a step about."""
        return [self._told(command) for command in step.commands]

    def _told(self, words: str) -> str:
        """Fill in the times of scenes: `{shark-before}` becomes `09:30 09:55`."""
        for name, spoken in self._spoken.items():
            words = words.replace(f"{{{name}}}", spoken)
        return words

    def look(self, dialogue: Dialogue) -> bool:
        """Go on to the first of the steps ahead that the dialogue shows; return whether there is one."""
        for place in range(self.place + 1, len(self.tour.steps)):
            if self._reached(self.tour.steps[place], dialogue):
                self.place = place
                return True
        return False

    def _reached(self, step: Step, dialogue: Dialogue) -> bool:
        compares = any(_is_comparison(command) for command in step.commands)
        return (
            self._there(step, dialogue)
            and compares == (dialogue.page.against is not None)
            and all(_shows(dialogue, command) for command in self.commands(step))
        )

    def _there(self, step: Step, dialogue: Dialogue) -> bool:
        """Tell whether the scenario of a step is looked at."""
        interval = dialogue.watch.interval
        return interval is not None and interval.after.source == self._windows[step.scene].source

    def lead(self, place: int, dialogue: Dialogue) -> None:
        """Bring a step about.

        Raises:
            CommandError: one of its commands cannot be carried out.
        """
        self.place, self.shown = place, True
        step = self.step
        if not self._there(step, dialogue):
            dialogue.go_to(self._windows[step.scene].end)
        if not self._reached(step, dialogue):
            for command in self.commands(step):
                dialogue.run(command)


def _span(window: Window, *, dated: bool) -> str:
    """Write when a window begins and ends; with the day where others are on another day."""
    return " ".join(
        strftime("%Y-%m-%d ", localtime(at // SECOND)) * dated + clock(at).removesuffix(":00")
        for at in (window.begin, window.end)
    )


def _is_comparison(command: str) -> bool:
    known = find(command.partition(" ")[0])
    return known is not None and known.word == "COMPARE"


def _shows(dialogue: Dialogue, command: str) -> bool:
    """Tell whether the present page is the one to which a command leads; what it compares is not asked."""
    if _is_comparison(command):
        return True
    page = dialogue.page
    word, _, operands = command.partition(" ")
    try:
        screen = meant(dialogue.screens, word, operands)
    except ScreenError:
        return False
    return page.screen.command == screen.command and _about(page, operands)


def _about(page: Page, operands: str) -> bool:
    """Tell whether a page is about that, and nothing else."""
    if not page.conditions:
        return page.argument.casefold() == operands.casefold()
    try:
        return page.conditions == parse_conditions(chosen_rows(page.screen, operands), page.screen.columns)
    except QueryError:
        return False


def tour(dialogue: Dialogue, operands: str) -> None:
    """Go to a step of the tour, the next or the one before; open or close what the tour says.

    Raises:
        CommandError: there is no tour, or no such step.
    """
    guide = dialogue.guide
    if guide is None:
        raise CommandError(NO_TOUR)
    word, many = operands.upper(), len(guide.tour.steps)
    if word in {"", "OFF"}:
        guide.shown = not word
        return
    steps = {"NEXT": guide.place + 1, "BACK": guide.place - 1}
    place = steps.get(word, int(word) - 1 if word.isdecimal() and len(word) < 6 else None)
    if place is None:
        raise CommandError(f"{operands!r} is not a step. Use TOUR NEXT, BACK, OFF or 1 to {many}.")
    if not 0 <= place < many:
        edge = "the last step. TOUR 1 begins again" if place >= many else "the first step"
        raise CommandError(f"This is {edge}." if word in steps else f"There are steps 1 to {many}.")
    guide.lead(place, dialogue)
