"""A mistake of zmon's own in one of its parts: what that part would say is not known, and all others go on.

A part is a rule, a cause, a check, a table, a figure, a metric, a source: whatever is declared once and
asked beside others.  Who asks it does so through `contained`.  Errors that are meant for people (zmon's own
classes, and what the operating system says) are no mistakes, and pass.
"""

from __future__ import annotations

import os

from zmon.base.absent import Reasons
from zmon.base.light_typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from zmon.base.absent import Absent

    T = TypeVar("T")

TRACE: Final = "ZMON_TRACE"
"""The variable of the environment that, as `1`, lets a mistake end zmon and shows where it is."""
OWN: Final = "zmon"
"""The package whose errors are meant for people."""
REASONS: Final = Reasons("mistake", "zmon has a mistake in {}")

_mistakes: Final[dict[str, str]] = {}
"""What each part did wrong first."""


def contained(part: str, do: Callable[[], T], otherwise: Callable[[Absent], T]) -> T:
    """Return what a part gives; of one with a mistake what `otherwise` makes of it, so that others go on.

    Raises:
        Exception: see `mistake`.
    """
    try:
        return do()
    except Exception as error:  # noqa: BLE001 - one part must never stop the others
        return otherwise(mistake(part, error))


def itself(why: Absent) -> Absent:
    """Return why a part gives nothing, as what it gives."""
    return why


def mistake(part: str, error: Exception) -> Absent:
    """Return why what a part would say is not known: its mistake, with its place; note it for `mistakes`.

    It is to be called where an error was caught.

    Raises:
        Exception: the error is none of zmon's mistakes, or `ZMON_TRACE=1` asks for it.
    """
    if is_meant(error) or os.environ.get(TRACE) == "1":
        try:
            raise error
        finally:
            del error  # else this frame and the error keep each other, and with them all that was at work
    text = " ".join(str(error).split())
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    reason = REASONS.about(f"{part}: {said}{_place(error)}")
    _mistakes.setdefault(part, reason.reason)
    return reason


def mistakes() -> dict[str, str]:
    """Return the mistakes of this process so far: the first of each part, in the order they were made."""
    return dict(_mistakes)


def forget_mistakes() -> None:
    """Note mistakes anew: for a program that has reported them."""
    _mistakes.clear()


def is_meant(error: Exception) -> bool:
    """Return whether an error is meant for people: it is of zmon's own classes, or of the system."""
    return isinstance(error, OSError) or type(error).__module__.partition(".")[0] == OWN


def _place(error: Exception) -> str:
    """Return the innermost line of zmon where an error was raised: ` (rule/judge.py:71)`."""
    place, trace = "", error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if module.startswith(f"{OWN}."):
            place = f" ({module.partition('.')[2].replace('.', '/')}.py:{trace.tb_lineno})"
        trace = trace.tb_next
    return place
