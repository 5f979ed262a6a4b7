"""What every key does to the glass: each function of `keys.py` is a method here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.session.cursor import faster, slower
from zmon.ui.command import explain_on
from zmon.ui.grid import Grid

if TYPE_CHECKING:
    from zmon.ui.glass import Glass


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
        """Take a sample now, if the machine is looked at live."""
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
        self.glass.player.stop()
        self.glass.run("PREVSAMP")

    def later(self) -> None:
        """Go to the next sample."""
        self.glass.player.stop()
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
        self.glass.player.stop()
        self.glass.run("PREVEXC")

    def next_exception(self) -> None:
        """Go to the next exception."""
        self.glass.player.stop()
        self.glass.run("NEXTEXC")

    def pause(self) -> None:
        """Hold the live screen, or let it go on; play a recording, or pause."""
        if self.glass.player.playback.playing or (self.glass.session.live and not self.glass.player.held):
            self.glass.run("PAUSE")
        elif self.glass.player.held:
            self.glass.run("NOW")
        else:
            self.glass.run("PLAY 1")

    def faster(self) -> None:
        """Play faster, as seen from backwards to forwards."""
        self.glass.run(f"PLAY {faster(self.glass.player.playback.speed)}")

    def slower(self) -> None:
        """Play slower, as seen from backwards to forwards."""
        self.glass.run(f"PLAY {slower(self.glass.player.playback.speed)}")

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
