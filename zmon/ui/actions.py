"""What keys and commands do to the glass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.screen.query import heading
from zmon.session import explain as explanation
from zmon.session.commands import wanted_text
from zmon.session.completion import complete as candidates_for
from zmon.session.cursor import faster, slower
from zmon.session.navigator import CommandError
from zmon.ui.glass import EVENTS
from zmon.ui.grid import Grid
from zmon.ui.keys import FUNCTIONS
from zmon.ui.line import Line, Part
from zmon.ui.sort_menu import SortMenu
from zmon.ui.threads import error_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zmon.ui.glass import Glass
    from zmon.ui.keys import KeyMap

WIDEST_HELP: Final = 110
"""Longer lines are hard to read."""


NOT_OF_FLEET: Final = frozenset({"diagnose", "redisplay"})
"""Functions that screens of a fleet do not have."""


def keys_of(keymap: KeyMap, *, is_fleet: bool = False) -> list[tuple[str, str]]:
    """Return the keys that hold and what each does, on the screens of one system or of a fleet."""
    functions = (function for function in FUNCTIONS if not (is_fleet and function.name in NOT_OF_FLEET))
    pairs = [(keys, function.help) for function in functions if (keys := keymap.spoken(function.name))]
    pairs.append(("Shift+F1 ...", "PF13 and on: the same as F1 and on; there is no Shift+F3"))
    mouse = "click: choose, again: go deeper; on a heading: sort; on a PF key: do it"
    return [*pairs, ("Mouse", mouse)]


def lines(said: Iterable[explanation.HelpPart], width: int) -> list[Line]:
    """Return a help text as lines."""
    return [
        Line(row.text, row.kind, (Part(0, row.label, "label"),) if row.label else ())
        for row in explanation.rows(said, width)
    ]


def explain(glass: Glass, topic: str) -> None:
    """Open help about what words name, else about the screen."""
    place = glass.pane.place if isinstance(glass.pane, Grid) else 0
    keys = keys_of(glass.keymap, is_fleet=glass.session.timeline.fleet is not None)
    _open(glass, explanation.explain(glass.session, topic, keys, place))


def _open(glass: Glass, said: Iterable[explanation.HelpPart]) -> None:
    glass.helps.put("HELP", lines(said, min(glass.width, WIDEST_HELP)))
    glass.fit()


def locate(glass: Glass, wanted: str, way: int = 1) -> None:
    """Go to the next row (or with `way` -1 the one before) that contains a text."""
    if glass.search.accept(wanted):
        return
    if not isinstance(glass.pane, Grid):
        raise CommandError("There are no rows to look through on this screen")
    if not glass.pane.locate(wanted, way):
        raise CommandError(f"{wanted!r} was not found in this list")


def locate_above(glass: Glass) -> None:
    """Find the text of the last search above."""
    try:
        locate(glass, wanted_text(glass.session, ""), -1)
    except CommandError as error:
        glass.say(str(error), "alarm")


def explain_on(glass: Glass) -> None:
    """Explain the chosen column, then the screen, then the keys."""
    depth = len(glass.helps)
    pane = glass.pane
    chosen = pane.column if isinstance(pane, Grid) else ""
    if depth == 0 and chosen and isinstance(pane, Grid):
        column, rules = pane.sheet.screen.by_name[chosen], glass.session.rules
        _open(glass, explanation.explain_column(column, pane.sheet, pane.place, rules))
    elif depth <= bool(chosen):
        explain(glass, "")
    elif depth <= 1 + bool(chosen):
        explain(glass, "KEYS")


def play(glass: Glass, text: str) -> None:
    """Play at a speed."""
    glass.playback.play(text)
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
    listed, present = glass.happened()
    glass.helps.put(EVENTS, listed, present)
    glass.fit()
    glass.helps.seen.go_to(present)


NO_ROOM_BEHIND: Final = "Shown below a list with ten free lines, on a terminal of more than 24"


def pane(glass: Glass, text: str) -> None:
    """Show what lies behind the row under the cursor, or hide it; without a word the other of both."""
    if text.upper() not in {"", "ON", "OFF"}:
        raise CommandError(f"PANE takes ON or OFF, not {text!r}")
    glass.behind.is_wanted = text.upper() == "ON" if text else not glass.behind.is_wanted
    glass.fit()
    if glass.behind.is_wanted and not glass.behind.is_shown:
        glass.say(NO_ROOM_BEHIND)


COMMANDS: Final[dict[str, Callable[[Glass, str], None]]] = {
    "HELP": explain,
    "LOCATE": locate,
    "TOP": lambda glass, _: glass.scrolled.top(),
    "BOTTOM": lambda glass, _: glass.scrolled.bottom(),
    "REFRESH": lambda glass, _: glass.refresh(),
    "PLAY": play,
    "PAUSE": pause,
    EVENTS: events,
    "NOW": now,
    "PANE": pane,
}
"""What the words do."""


def back(glass: Glass) -> None:
    """Leave the help text, the list of candidates, the command that is being typed, or the screen."""
    if glass.helps:
        glass.close_help()
    elif glass.entry.completion is not None:
        glass.entry.put(glass.entry.text, glass.entry.caret)
    elif glass.entry.in_use:
        glass.entry.clear()
    elif glass.choice is not None:
        glass.close_help()
    else:
        glass.run("RETURN")


def interrupt(glass: Glass) -> None:
    """Leave zmon; that is asked once."""
    glass.session.leave("Ctrl+C")
    glass.ended = glass.session.ended
    glass.tell()


def quit_at_once(glass: Glass) -> None:
    """Leave zmon."""
    glass.ended = True


def shift(glass: Glass, screens: int) -> None:
    """Go a screenful of columns to the left (-1) or right."""
    if not glass.scrolled.shift(screens):
        glass.say("These are the first columns" if screens < 0 else "There are no more columns")


def choose(glass: Glass, by: int) -> None:
    """Choose the next (or previous) column, or item."""
    if glass.helps:
        return
    if glass.choice is not None:
        glass.choice.tab(by)
        return
    glass.pane.tab(by)
    if isinstance(glass.pane, Grid) and glass.pane.column:
        column = glass.session.page.screen.by_name[glass.pane.column]
        called = glass.keymap.called
        sorts = f", {called('sort', 'F9')} sorts on it" if column.sort else ""
        glass.say(f"{heading(column) or column.name}: {called('help', 'F1')} explains it{sorts}", "guidance")


def sort(glass: Glass) -> None:
    """Sort on the chosen column; if none is, list the columns."""
    if glass.choice is None and isinstance(glass.pane, Grid) and glass.pane.column:
        glass.run(glass.pane.sorting(glass.pane.column))
    else:
        list_columns(glass)


def list_columns(glass: Glass) -> None:
    """List the columns that can be sorted on; again: close the list."""
    screen = glass.session.page.screen
    if glass.choice is not None:
        glass.close_help()
    elif glass.interval is None or not any(column.sort for column in screen.columns):
        example = "DEVICE" if glass.session.timeline.fleet is None else "GUESTS"
        glass.say(f"{screen.command} has no rows to sort; lists such as {example} have", "alarm")
    else:
        chosen = glass.pane.column if isinstance(glass.pane, Grid) else ""
        glass.choice = SortMenu(glass.session.page, chosen)
        glass.fit()


def enter(glass: Glass) -> None:
    """Carry out what was typed; else sort on the chosen column, close help, or go deeper."""
    opened, line = glass.entry.opened, glass.entry.take()
    if line:
        glass.run(line)
    elif opened:
        return
    elif glass.helps:
        if glass.pressed != "keys":  # ENTER behind a question mark that has listed the keys
            glass.close_help()
    elif glass.choice is not None:
        glass.run(glass.choice.command)
    elif glass.pane.command:
        glass.run(glass.pane.command)
    else:
        glass.refresh()


def open_command(glass: Glass) -> None:
    """Open the command line, so that letters are typed."""
    glass.entry.opened = True


def complete(glass: Glass, by: int) -> None:
    """Complete the word before the caret; again: go through the candidates."""
    entry = glass.entry
    if entry.completion is not None:
        entry.turn(by)
        return
    typed = entry.text[: entry.caret]
    try:
        completion = candidates_for(glass.session, typed)
    except Exception as error:  # noqa: BLE001 - whatever fails, the screens must stay
        glass.say(f"Nothing completes {typed!r}: {error_line(error)}", "alarm")
        return
    if not completion.words:
        glass.say(f"Nothing known here begins with {typed[completion.begin :]!r}")
        return
    entry.complete(completion)


def retrieve(glass: Glass) -> None:
    """Bring back a command given before."""
    if not glass.entry.retrieve():
        glass.say("No command was given yet")


def recall(glass: Glass, *, is_found: bool, edge: str) -> None:
    """Say where the commands given before end."""
    if not is_found:
        glass.say(f"There is no {edge} command")


def half(glass: Glass, way: int) -> None:
    """Go half a screenful down or up."""
    glass.scrolled.step(way * max(glass.scrolled.height // 2, 1))


def step(glass: Glass, command: str) -> None:
    """Move the cursor by a command; playback stops."""
    glass.playback.stop()
    glass.run(command)


def play_or_pause(glass: Glass) -> None:
    """Hold the live screen, or let it go on; play a recording, or pause."""
    if glass.playback.state.playing or (glass.session.live and not glass.playback.held):
        glass.run("PAUSE")
    else:
        glass.run("NOW" if glass.playback.held else "PLAY 1")


def _is_tour_open(glass: Glass) -> bool:
    return glass.session.guide is not None and glass.session.guide.shown


KEYS: Final[dict[str, str | Callable[[Glass], object]]] = {
    "help": explain_on,
    "keys": "HELP KEYS",
    "menu": "MENU",
    "diagnose": "DIAGNOSE",
    "redisplay": "REDISP",
    "back": back,
    "top": lambda glass: glass.scrolled.top(),
    "bottom": lambda glass: glass.scrolled.bottom(),
    "first_row": lambda glass: glass.scrolled.top(),
    "last_row": lambda glass: glass.scrolled.bottom(),
    "retrieve": retrieve,
    "backward": lambda glass: glass.scrolled.turn(-1),
    "forward": lambda glass: glass.scrolled.turn(1),
    "up": lambda glass: glass.scrolled.step(-1),
    "down": lambda glass: glass.scrolled.step(1),
    "left": lambda glass: shift(glass, -1),
    "right": lambda glass: shift(glass, 1),
    "column_left": lambda glass: glass.scrolled.nudge(-1),
    "column_right": lambda glass: glass.scrolled.nudge(1),
    "next_column": lambda glass: choose(glass, 1),
    "previous_column": lambda glass: choose(glass, -1),
    "half_backward": lambda glass: half(glass, -1),
    "half_forward": lambda glass: half(glass, 1),
    "sort": sort,
    "sort_menu": list_columns,
    "command": open_command,
    "enter": enter,
    "again": "LOCATE",
    "again_above": locate_above,
    "refresh": lambda glass: glass.refresh(),
    "earlier": lambda glass: step(glass, "PREVSAMP"),
    "later": lambda glass: step(glass, "NEXTSAMP"),
    "minute_back": "GO -1m",
    "minute_on": "GO +1m",
    "begin": "GO begin",
    "end": lambda glass: glass.run("NOW" if glass.session.timeline.live else "GO end"),
    "previous_exception": lambda glass: step(glass, "PREVEXC"),
    "next_exception": lambda glass: step(glass, "NEXTEXC"),
    "pause": play_or_pause,
    "faster": lambda glass: glass.run(f"PLAY {faster(glass.playback.state.speed)}"),
    "slower": lambda glass: glass.run(f"PLAY {slower(glass.playback.state.speed)}"),
    "tour_next": "TOUR NEXT",
    "tour_back": "TOUR BACK",
    "tour": lambda glass: glass.run("TOUR OFF" if _is_tour_open(glass) else "TOUR"),
    "interrupt": interrupt,
    "quit": quit_at_once,
    "complete": lambda glass: complete(glass, 1),
    "complete_back": lambda glass: complete(glass, -1),
    "older": lambda glass: recall(glass, is_found=glass.entry.older(), edge="older"),
    "newer": lambda glass: recall(glass, is_found=glass.entry.newer(), edge="newer"),
    "caret_left": lambda glass: glass.entry.move(-1),
    "caret_right": lambda glass: glass.entry.move(1),
    "caret_home": lambda glass: glass.entry.move(-len(glass.entry.text)),
    "caret_end": lambda glass: glass.entry.move(len(glass.entry.text)),
    "erase": lambda glass: glass.entry.erase(),
    "delete": lambda glass: glass.entry.delete(),
    "erase_word": lambda glass: glass.entry.erase_word(),
    "clear": lambda glass: glass.entry.clear(),
}
"""The functions of `keys.py`: a command, or a function of the glass."""


class GlassActions:
    """Carries out keys and commands on a glass."""

    def press(self, glass: Glass, name: str) -> None:
        """Carry out the function of a key."""
        action = KEYS[name]
        if isinstance(action, str):
            glass.run(action)
        else:
            action(glass)

    def run(self, glass: Glass, word: str, operands: str) -> None:
        """Carry out a command that is about the glass."""
        COMMANDS[word](glass, operands)
