"""The time line: the whole timeline in one line, with the position of the cursor and the events.

    09:00:00 ▁▁▂▃▂▁▁ ▁▁▁▆█!▇▂▁A▁▁▁|▁▁▁B▁▁▁▁▁ 17:00:00  x10

A curve of the load; blank where samples are missing; `!` for exceptions, `A` and `B` for marks, `|` for
the cursor.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from zmon.base.clock import DAY, clock
from zmon.base.event import Event, What
from zmon.base.event_line import lines
from zmon.base.plain_text import wrap
from zmon.screen.chart.points import sparkline
from zmon.ui.line import Line, Part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.session.timeline import Overview

LEAST: Final = 12
"""Characters of the line below which the times beside it are left out."""

MISSING: Final = (What.GAP, What.HOLE)
"""Events for which the line is blank."""
MARKED: Final = tuple(what for what in What if Event(what, 0, 0).exception and what is not What.GAP)
"""Events for which it has a mark."""


class TimelineBar:
    """Draws the time line in a width, and converts between times and columns."""

    def __init__(self, course: Overview, width: int, word: str = "", *, plain: bool = False) -> None:
        """Leave room for times and a `word` beside the line; `plain` draws in ASCII."""
        self.course = course
        self.plain = plain
        self.word = word
        begin, end = _label(course, course.begin), _label(course, course.end)
        self._begin, self._end = f" {begin} ", f" {end}"
        self.start = len(self._begin)
        beside = len(self._begin) + len(self._end) + (len(word) + 3 if word else 1)
        self.length = max(width - beside, 0)
        if self.length < LEAST:
            self._begin, self._end, self.start = " ", "", 1
            self.length = max(width - 2, 1)
            self.word = ""

    def place(self, utc: int) -> int:
        """Return the character of the line for a time; one of its ends for times outside."""
        begin, end = self.course.begin, self.course.end
        if end <= begin:
            return self.length - 1
        return min(max((utc - begin) * (self.length - 1) // (end - begin), 0), self.length - 1)

    def time(self, x: int) -> int | None:
        """Return the last time of a column of the glass; None beside the line."""
        at = x - self.start
        if not 0 <= at < self.length:
            return None
        begin, end = self.course.begin, self.course.end
        following = begin - (-(at + 1) * (end - begin) // max(self.length - 1, 1))
        return min(following - 1, end) if at else begin

    def line(self, utc: int | None, marks: Mapping[str, int]) -> Line:
        """Draw the line with the cursor and the marks."""
        drawn, exceptions = list(self._drawn[0]), self._drawn[1]
        kinds = dict.fromkeys(exceptions, "alarm")
        for name, when in marks.items():
            at = self.place(when)
            drawn[at], kinds[at] = name, "look"
        if utc is not None:
            at = self.place(utc)
            drawn[at], kinds[at] = "|", "cell"
        parts = [Part(self.start + at, self.start + at + 1, kind) for at, kind in kinds.items()]
        end = self.start + self.length
        parts += [Part(0, self.start, "label"), Part(end, end + len(self._end), "label")]
        text = self._begin + "".join(drawn) + self._end
        if self.word:
            text += f"  {self.word}"
            parts.append(Part(len(text) - len(self.word), len(text), "strong"))
        return Line(text, "guidance", tuple(parts))

    @cached_property
    def _drawn(self) -> tuple[str, frozenset[int]]:
        """What does not depend on the cursor: the line, and where it shows exceptions."""
        drawn, events = list(self._curve()), self.course.events
        for event in [event for event in events if event.what in MISSING]:
            first, last = self.place(event.begin), self.place(event.end)
            if last > first + 1:
                drawn[first + 1 : last] = " " * (last - first - 1)
        exceptions = frozenset(map(self.place, [event.begin for event in events if event.what in MARKED]))
        for at in exceptions:
            drawn[at] = "!"
        return "".join(drawn), exceptions

    def _curve(self) -> str:
        style = "ascii" if self.plain else "blocks"
        curve = sparkline(self.course.load, self.length, style)
        return curve if curve.strip() else ("-" if self.plain else "─") * self.length


def _label(course: Overview, utc: int) -> str:
    """Write a time: with the day if the timeline is longer than one."""
    return clock(utc) if course.end - course.begin < DAY else clock(utc, "%m-%d %H:%M")


def happenings(
    events: Sequence[Event], width: int, remark: str = "", present: int | None = None
) -> tuple[list[Line], int]:
    """List what happened, in words, below a remark on what is not known; and the line of the present moment.

    What is too long for a line goes on below the words of its first.
    """
    lines_shown = [Line(" What happened" if events else " No events in this time", "strong")]
    lines_shown += [Line(f" {part}", "look") for part in wrap(remark, width - 2)] if remark else []
    here = 0
    for event in events:
        lines_shown += [
            Line(f" {part}", "look" if event.exception else "data") for part in lines(event, width - 2)
        ]
        if present is not None and event.begin <= present:
            here = len(lines_shown) - 1
    return lines_shown, here
