"""The commands that the glass carries out itself: they are about what is seen, and how it is played."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from zmon.screen.export import text
from zmon.screen.number import clock
from zmon.session import explain as explanation
from zmon.session.navigator import CommandError
from zmon.ui.grid import Grid
from zmon.ui.help import keys_of, lines
from zmon.ui.timeline import happenings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zmon.ui.glass import Glass

WIDEST_HELP: Final = 110
"""Longer lines are hard to read."""


def explain(glass: Glass, words: str) -> None:
    """Open help about what words name, else about the screen."""
    place = glass.pane.place if isinstance(glass.pane, Grid) else 0
    _open(glass, explanation.explain(glass.session, words, keys_of(glass.keymap), place))


def _open(glass: Glass, said: Iterable[explanation.HelpPart]) -> None:
    glass.helps.put(lines(said, min(glass.width, WIDEST_HELP)))
    glass.fit()


def locate(glass: Glass, words: str) -> None:
    """Go to the next row that contains a text, or the one looked for before."""
    glass.wanted = words or glass.wanted
    if not glass.wanted:
        raise CommandError("Locate what? For example /7000 or LOCATE PAY")
    if not isinstance(glass.pane, Grid):
        raise CommandError("There are no rows to look through on this screen")
    if not glass.pane.locate(glass.wanted):
        raise CommandError(f"{glass.wanted!r} was not found in this list")


def write(glass: Glass, file: str) -> None:
    """Write the screen to a file that does not exist yet."""
    interval, page = glass.interval, glass.session.page
    if interval is None:
        raise CommandError("There is nothing to print yet")
    stamp = clock(interval.after.at.utc).replace(":", "")
    file = os.path.expanduser(file or f"{page.screen.command.lower()}-{stamp}.txt")
    written = text(glass.session.sheet(), glass.session.screens, interval, live=glass.session.live)
    try:
        with open(file, "x", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in written)
    except FileExistsError:
        raise CommandError(f"{file} already exists. Choose another name.") from None
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from error
    glass.say(f"Written to {os.path.abspath(file)}")


def explain_on(glass: Glass) -> None:
    """Explain the chosen column, then the screen, then the keys."""
    depth = len(glass.helps)
    pane = glass.pane
    chosen = pane.column if isinstance(pane, Grid) else ""
    if depth == 0 and chosen and isinstance(pane, Grid):
        _open(glass, explanation.explain_column(pane.sheet.screen.by_name[chosen], pane.sheet, pane.place))
    elif depth <= bool(chosen):
        explain(glass, "")
    elif depth <= 1 + bool(chosen):
        explain(glass, "KEYS")


def play(glass: Glass, words: str) -> None:
    """Play the tape at a speed."""
    glass.player.play(words)
    glass.fit()


def pause(glass: Glass, _operand: str) -> None:
    """Let the tape stand still, or the live screen."""
    glass.player.pause()


def now(glass: Glass, _operand: str) -> None:
    """Return to the live machine."""
    glass.player.to_present()
    glass.settle()


def events(glass: Glass, _operand: str) -> None:
    """List what happened in the time of the tape."""
    glass.session.check_past()
    glass.helps.put(happenings(glass.session.events(), glass.width))
    glass.fit()


CARRIED_OUT: Final[dict[str, Callable[[Glass, str], None]]] = {
    "HELP": explain,
    "LOCATE": locate,
    "PRINT": write,
    "TOP": lambda glass, _: glass.scrolled.top(),
    "BOTTOM": lambda glass, _: glass.scrolled.bottom(),
    "REFRESH": lambda glass, _: glass.refresh(),
    "PLAY": play,
    "PAUSE": pause,
    "EVENTS": events,
    "NOW": now,
}
"""What the words do."""
