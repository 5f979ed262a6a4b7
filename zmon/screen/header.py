"""The frame around every screen: its header."""

from __future__ import annotations

from zmon.base.absent import Absent
from zmon.base.clock import DATED, clock, told
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.plain_text import harmless

if TYPE_CHECKING:
    from zmon.interval import Interval
    from zmon.screen.definition import Screen

WIDTH: Final = 79
"""No line of the frame is longer; column 80 is never used."""


def mode(interval: Interval | None, *, live: bool, held: bool = False, stale: int = 0) -> str:
    """Name what the data are: live, stale or held, recorded in time, captured now and then, or simulated."""
    if stale:
        return f"Stale since {told(stale)}"
    if interval is not None and interval.after.simulated:
        return "Simulated"
    if held:
        return "Held"
    if live:
        return "Perf. Monitor"
    return "Replay" if interval is not None and interval.after.nominal else "Captured data"


def header(  # noqa: PLR0913 - all that it shows
    screen: Screen,
    interval: Interval | None,
    *,
    live: bool,
    held: bool = False,
    span: tuple[int, int] | None = None,
    times: str = "",
    width: int = WIDTH,
    stale: int = 0,
    system: str = "",
) -> str:
    """Write the first line: screen number, CPU type, serial, interval and mode.

    `span` is begin and end (UTC in ns) of what is shown, where that is more than the interval; `times` names
    the times that are compared, where neither is the interval.  The menu has its title there instead, because
    it covers no interval, and needs none.  `stale` is when the last figures came of a source that does not
    answer now.  `system` is the name of one of a fleet, before what all of them have alike.  In a
    smaller width whole parts are left out, that name last.
    """
    width, right = min(width, WIDTH), mode(interval, live=live, held=held, stale=stale)
    system = harmless(system, ascii_only=True)
    name, alone = f"{system}  " * bool(system), f" {screen.id} {system}".rstrip()
    if interval is None or screen.layout == "menu":
        parts = [f" {screen.id:<17}{name}{screen.title}", f" {screen.id:<17}{system}"]
    elif times:
        parts = [f" {screen.id:<12}{name}{times}", f" {screen.id} {name}{times}", alone]
    else:
        machine = interval.after.frames.get("machine")
        kind, serial = (machine.cell("machine", n) if machine else "" for n in ("type", "sequence"))
        cpu = f"CPU {_known(kind, 4)[:4]:<4}  SER {_known(serial, 5)[-5:]:<5}"
        begin, end = _ends(interval) if span is None else _clocks(*span)
        times = f"{begin} - {end}"
        parts = [
            *([f" {screen.id:<12}{name}{cpu}  Interval {times}"] if interval.after.frames else []),
            f" {screen.id:<12}{name}Interval {times}",
            f" {screen.id} {name}{times}",
            f" {screen.id} {name}{end}",
            alone,
        ]
    line = next(
        (part for part in parts if len(part) < width - len(right)),
        parts[-1][: max(width - len(right) - 1, 0)],
    )
    return line.ljust(width - len(right)) + right


def _known(value: object, width: int) -> str:
    return "." * width if isinstance(value, Absent) or value == "" else harmless(str(value), ascii_only=True)


def _ends(interval: Interval) -> tuple[str, str]:
    end = interval.after.at.utc
    return ("--:--:--", told(end)) if interval.before is None else _clocks(interval.before.at.utc, end)


def _clocks(begin: int, end: int) -> tuple[str, str]:
    """Write two instants, with their days where these differ; then whole minutes without seconds."""
    form = "%H:%M:%S"
    if clock(begin, "%Y-%m-%d") != clock(end, "%Y-%m-%d"):
        seconds = {clock(begin, "%S"), clock(end, "%S")}
        form = "%m-%d %H:%M" if seconds == {"00"} else DATED
    return told(begin, form), told(end, form)
