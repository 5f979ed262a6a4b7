"""What keys and commands do to the glass: each function of `keys.py` is a method of `Keyboard`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from zmon.screen.export import text
from zmon.screen.number import clock
from zmon.session import explain as explanation
from zmon.session.cursor import faster, slower
from zmon.session.navigator import CommandError
from zmon.session.timeline import NO_LIMITS
from zmon.ui.grid import Grid
from zmon.ui.help import keys_of, lines
from zmon.ui.timeline_bar import happenings

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
    glass.helps.put("HELP", lines(said, min(glass.width, WIDEST_HELP)))
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
    interval, page = glass.session.interval, glass.session.page
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
    """Play at a speed."""
    glass.playback.play(words)
    glass.fit()


def pause(glass: Glass, _operand: str) -> None:
    """Pause playback, or hold the live screen."""
    glass.playback.pause()


def now(glass: Glass, _operand: str) -> None:
    """Return to the live machine."""
    glass.playback.to_present()
    glass.settle()


def events(glass: Glass, _operand: str) -> None:
    """List the events of the timeline."""
    glass.session.check_past()
    found = glass.session.events()
    remark = "" if glass.session.knows_limits(found) else NO_LIMITS
    listed, present = happenings(found, glass.width, remark, glass.session.utc)
    glass.helps.put("EVENTS", listed)
    glass.fit()
    glass.helps.seen.go_to(present)


COMMANDS: Final[dict[str, Callable[[Glass, str], None]]] = {
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


class Keyboard:
    """The keys of a glass."""

    def __init__(self, glass: Glass) -> None:
        """Belong to a glass."""
        self.glass = glass

    def press(self, name: str) -> None:
        """Carry out the function of a key."""
        getattr(self, name)()

    def help(self) -> None:
        """Explain the chosen column, then the screen, then the keys."""
        explain_on(self.glass)

    def keys(self) -> None:
        """List the keys and commands."""
        self.glass.run("HELP KEYS")

    def redisplay(self) -> None:
        """Show the key figures of the last samples by time."""
        self.glass.run("REDISP")

    def refresh(self) -> None:
        """Take a sample now, if the live machine is shown."""
        self.glass.refresh()

    def back(self) -> None:
        """Leave the help text, the command that is being typed, or the screen."""
        if self.glass.helps:
            self.glass.close_help()
        elif self.glass.entry.text:
            self.glass.entry.clear()
        else:
            self.glass.run("RETURN")

    def tour_next(self) -> None:
        """Go to the next step of the tour."""
        self.glass.run("TOUR NEXT")

    def tour_back(self) -> None:
        """Go to the step of the tour before."""
        self.glass.run("TOUR BACK")

    def tour(self) -> None:
        """Close the tour, or open it again."""
        guide = self.glass.session.guide
        self.glass.run("TOUR OFF" if guide is not None and guide.shown else "TOUR")

    def interrupt(self) -> None:
        """Leave zmon; that is asked once."""
        session = self.glass.session
        session.leave("Ctrl+C")
        self.glass.ended = session.ended
        self.glass.tell()

    def quit(self) -> None:
        """Leave zmon."""
        self.glass.ended = True

    def top(self) -> None:
        """Go to the first row."""
        self.glass.scrolled.top()

    def bottom(self) -> None:
        """Go to the last row."""
        self.glass.scrolled.bottom()

    first_row, last_row = top, bottom

    def backward(self) -> None:
        """Go a screenful up."""
        self.glass.scrolled.turn(-1)

    def forward(self) -> None:
        """Go a screenful down."""
        self.glass.scrolled.turn(1)

    def up(self) -> None:
        """Go a line up."""
        self.glass.scrolled.step(-1)

    def down(self) -> None:
        """Go a line down."""
        self.glass.scrolled.step(1)

    def left(self) -> None:
        """Go a screenful of columns to the left."""
        if not self.glass.scrolled.shift(-1):
            self.glass.say("These are the first columns")

    def right(self) -> None:
        """Go a screenful of columns to the right."""
        if not self.glass.scrolled.shift(1):
            self.glass.say("There are no more columns")

    def column_left(self) -> None:
        """Go one column to the left."""
        self.glass.scrolled.nudge(-1)

    def column_right(self) -> None:
        """Go one column to the right."""
        self.glass.scrolled.nudge(1)

    def next_column(self) -> None:
        """Choose the next column, or item."""
        self._choose(1)

    def previous_column(self) -> None:
        """Choose the column, or item, before."""
        self._choose(-1)

    def _choose(self, by: int) -> None:
        if self.glass.helps:
            return
        self.glass.pane.tab(by)
        if isinstance(self.glass.pane, Grid) and self.glass.pane.column:
            column = self.glass.session.page.screen.by_name[self.glass.pane.column]
            sorts = ", F9 sorts on it" if column.sort else ""
            self.glass.say(f"{column.name}: F1 explains it{sorts}", "guidance")

    def sort(self) -> None:
        """Sort on the chosen column."""
        if isinstance(self.glass.pane, Grid) and self.glass.pane.column:
            self.glass.run(f"SORT {self.glass.pane.column}")
        else:
            self.glass.say("TAB to a column first, or click on its heading, or SORT and its name", "alarm")

    def enter(self) -> None:
        """Carry out what was typed; else close help, or go deeper."""
        line = self.glass.entry.take()
        if line:
            self.glass.run(line)
        elif self.glass.helps:
            self.glass.close_help()
        elif self.glass.pane.command:
            self.glass.run(self.glass.pane.command)
        else:
            self.refresh()

    def retrieve(self) -> None:
        """Bring back a command given before."""
        if not self.glass.entry.retrieve():
            self.glass.say("No command was given yet")

    def again(self) -> None:
        """Locate the same text again."""
        self.glass.run("LOCATE")

    def earlier(self) -> None:
        """Go to the sample before."""
        self.glass.playback.stop()
        self.glass.run("PREVSAMP")

    def later(self) -> None:
        """Go to the next sample."""
        self.glass.playback.stop()
        self.glass.run("NEXTSAMP")

    def minute_back(self) -> None:
        """Go a minute back."""
        self.glass.run("GO -1m")

    def minute_on(self) -> None:
        """Go a minute on."""
        self.glass.run("GO +1m")

    def begin(self) -> None:
        """Go to the first sample."""
        self.glass.run("GO begin")

    def end(self) -> None:
        """Go to the last sample; of a live machine to the present."""
        self.glass.run("NOW" if self.glass.session.timeline.live else "GO end")

    def previous_exception(self) -> None:
        """Go to the exception before."""
        self.glass.playback.stop()
        self.glass.run("PREVEXC")

    def next_exception(self) -> None:
        """Go to the next exception."""
        self.glass.playback.stop()
        self.glass.run("NEXTEXC")

    def pause(self) -> None:
        """Hold the live screen, or let it go on; play a recording, or pause."""
        if self.glass.playback.state.playing or (self.glass.session.live and not self.glass.playback.held):
            self.glass.run("PAUSE")
        elif self.glass.playback.held:
            self.glass.run("NOW")
        else:
            self.glass.run("PLAY 1")

    def faster(self) -> None:
        """Play faster, as seen from backwards to forwards."""
        self.glass.run(f"PLAY {faster(self.glass.playback.state.speed)}")

    def slower(self) -> None:
        """Play slower, as seen from backwards to forwards."""
        self.glass.run(f"PLAY {slower(self.glass.playback.state.speed)}")

    def caret_left(self) -> None:
        """Move the caret to the left."""
        self.glass.entry.move(-1)

    def caret_right(self) -> None:
        """Move the caret to the right."""
        self.glass.entry.move(1)

    def caret_home(self) -> None:
        """Move the caret to the begin of the command."""
        self.glass.entry.move(-len(self.glass.entry.text))

    def caret_end(self) -> None:
        """Move the caret behind the command."""
        self.glass.entry.move(len(self.glass.entry.text))

    def erase(self) -> None:
        """Delete the character before the caret."""
        self.glass.entry.erase()

    def delete(self) -> None:
        """Delete the character at the caret."""
        self.glass.entry.delete()

    def erase_word(self) -> None:
        """Delete the word before the caret."""
        self.glass.entry.erase_word()

    def clear(self) -> None:
        """Delete the command."""
        self.glass.entry.clear()


class GlassActions:
    """All that keys and commands do to a glass."""

    def press(self, glass: Glass, name: str) -> None:
        """Carry out the function of a key."""
        Keyboard(glass).press(name)

    def run(self, glass: Glass, word: str, operands: str) -> None:
        """Carry out a command that is about the glass."""
        COMMANDS[word](glass, operands)
