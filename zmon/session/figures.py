"""The commands that draw figures by time, and what figures their words mean."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from zmon.screen import variable
from zmon.screen.definition import ScreenError
from zmon.screen.query import heading
from zmon.session.command import CommandError
from zmon.session.when import SECOND, parse_when
from zmon.tables import DRAWN, UNDRAWN
from zmon.tables.plot import write
from zmon.tables.view import needs

if TYPE_CHECKING:
    from zmon.screen.definition import Screen
    from zmon.session.dialogue import Dialogue

SINCE: Final = r"[-+@][0-9]|[0-9]{1,2}:[0-9]|[0-9]{4}-[0-9]|(begin|start|today|yesterday)$"
"""How the first word of a time begins, behind the names of rows."""


def plot(dialogue: Dialogue, operands: str) -> None:
    """Draw figures by time."""
    _draw(dialogue, "PLOT", operands)


def correl(dialogue: Dialogue, operands: str) -> None:
    """List what moved with a figure."""
    _draw(dialogue, "CORREL", operands)


def _draw(dialogue: Dialogue, command: str, operands: str) -> None:
    """Open a screen about figures by time: those that are named, else what is chosen here."""
    words, since = _until_time(operands)
    screen = dialogue.page.screen
    known = variable.names(screen)
    column, row = dialogue.chosen()
    if screen.table in DRAWN and not words:
        dialogue.open(command, f"{row} {since}".strip() if row else "")  # CORREL's rows are figures by name
        return
    if screen.table in UNDRAWN and not words:
        raise CommandError(variable.NO_FIGURES.format(screen.command))
    named = _column(words[0], screen) if words and known else ""
    if named:
        column, words = named, words[1:]
    elif words and (not known or _names_screen(dialogue, words[0])):
        dialogue.open(command, operands)
        return
    if known and column not in known:
        column = variable.natural_column(screen)
    rows = words or [dialogue.page.argument if needs(screen.table).history else row or dialogue.page.argument]
    dialogue.open(command, " ".join([f"{screen.command}.{column}", *rows, since]) if known else "")


def _column(word: str, screen: Screen) -> str:
    """Return the column of the present screen that a word names; empty when it names none.

    Raises:
        CommandError: it names one that holds no figures.
    """
    try:
        return variable.figure(word, screen)
    except variable.VariableError as error:
        column = screen.by_name.get(word.lower())
        if column is None:
            return ""
        what = heading(column) or column.name
        example = variable.natural_column(screen)
        raise CommandError(f"{what} is no figure that changes; {example} is one: PLOT {example}") from error


def _names_screen(dialogue: Dialogue, word: str) -> bool:
    """Tell whether a word names another screen rather than a row of the present list."""
    name = word.partition(".")[0]
    if not name[:1].isalpha() or any(word == key.rpartition(".")[2] for key in dialogue.sheet().keys):
        return False
    try:
        dialogue.screens.find(name)
    except ScreenError:
        return False
    return True


def variables(dialogue: Dialogue, operands: str) -> str:
    """Return what figures are meant, as their tables name them, and since when.

    Raises:
        NoSuchThing: a row is not there.
        CommandError: a word names no figures, there is no sample yet, or no such time.
    """
    words, since = _until_time(operands)
    interval = dialogue.watch.interval
    if interval is None:
        raise CommandError("There is no sample yet. NEXTSAMP takes or opens the first.")
    try:
        said = write(variable.resolve(variable.parse(words, dialogue.screens), interval, dialogue.people))
    except variable.VariableError as error:
        raise CommandError(str(error)) from error
    return f"{said} {_since(dialogue, since)}".strip()


def _since(dialogue: Dialogue, words: str) -> str:
    """Return a time as a table understands it: so long before the end, or an instant."""
    if not words or words.startswith("@"):
        return words
    present = dialogue.watch.utc
    try:
        utc = parse_when(words, time.time_ns(), present, dialogue.watch.span)
    except ValueError as error:
        raise CommandError(str(error)) from error
    ahead = words.startswith("-") and present is not None
    return f"-{(present - utc) // SECOND}s" if ahead and present is not None else f"@{utc}"


def _until_time(operands: str) -> tuple[list[str], str]:
    """Part words from the time behind them."""
    words = operands.split()
    at = next((place for place, word in enumerate(words) if re.match(SINCE, word.lower())), len(words))
    return words[:at], " ".join(words[at:])
