"""Help on the glass: the texts that are open, and the keys there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.session.explain import rows
from zmon.ui.keys import FUNCTIONS, spoken
from zmon.ui.line import Line, Part
from zmon.ui.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.session.explain import HelpPart


LEAST_BESIDE: Final = 8
"""Lines of the screen that a short help text leaves visible; a longer text covers the screen."""

WIDEST_HELP: Final = 110
"""Longer lines are hard to read."""


class Helps:
    """The help texts that are open over a screen; the last is seen, below the screen if there is room."""

    def __init__(self) -> None:
        """Have none open."""
        self._texts: list[Pane] = []
        self.title = ""
        """What the text is, for the header: HELP or EVENTS."""

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def seen(self) -> Pane:
        """The text that was opened last."""
        return self._texts[-1]

    def put(self, title: str, lines: Sequence[Line]) -> None:
        """Open a text."""
        self.title = title
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


def keys_of(keymap: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the keys and what each does, with the user's own keys."""
    found = []
    for function in FUNCTIONS:
        keys = keymap.get(function.name, function.keys)
        plain = ",".join(key for key in keys.split(",") if not key.startswith("shift+f"))
        found.append((spoken(plain), function.help))
    found.append(("Shift+F1 ...", "PF13 and on: the same as F1 and on; there is no Shift+F3"))
    mouse = "click: choose, again: go deeper; on a heading: sort; on a PF key: do it"
    return [*found, ("Mouse", mouse)]


def lines(said: Iterable[HelpPart], width: int) -> list[Line]:
    """Return a help text as lines."""
    return [
        Line(row.text, row.kind, (Part(0, row.label, "label"),) if row.label else ())
        for row in rows(said, width)
    ]
