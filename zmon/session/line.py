"""The command line: which command or screen a line names, and what the commands do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.screen.definition import NoScreen, ScreenError
from zmon.screen.guess import did_you_mean
from zmon.session.along import ALONG
from zmon.session.command import COMMANDS, QUESTION, CommandError, Given, find, uncontrolled
from zmon.session.comparison import compare
from zmon.session.figures import correl, plot
from zmon.session.guide import tour

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.session.dialogue import Dialogue


def carry_out(dialogue: Dialogue, line: str) -> Given | None:
    """Carry out a command line; returns the command when the surface has to do it, see `Dialogue.run`.

    Raises:
        CommandError: it is not understood or cannot be done.
    """
    line = uncontrolled(line.strip())
    if line.startswith(("/", QUESTION)):
        dialogue.leaving = False
        rest = line[1:].strip()
        return Given("LOCATE", rest) if line.startswith("/") else Given("HELP", rest or "KEYS")
    if not line:
        return None
    word, *behind = line.split(maxsplit=1)
    operands = "".join(behind)
    command = find(word)
    if command is None:
        dialogue.leaving = False
        _open_screen(dialogue, word, operands)
        return None
    if operands and not command.operand:
        raise CommandError(f"{command.word} takes no operand {operands!r}; write {command.word} alone")
    if command.word == "NEXTSAMP" and dialogue.watch.tape.live and not operands:
        command = find("REFRESH")
    dialogue.leaving = dialogue.leaving and command is not None and command.word == "RETURN"
    done = CARRIED_OUT.get(command.word) if command is not None else None
    if command is None or done is None:
        return command and Given(command.word, operands)
    done(dialogue, operands)
    return None


def _open_screen(dialogue: Dialogue, word: str, operands: str) -> None:
    """Open the screen that a word on the command line names."""
    try:
        dialogue.screens.find(word)
    except NoScreen as error:
        known = (*dialogue.screens.commands, *(command.word for command in COMMANDS))
        typed = word if len(word) <= LONGEST else f"{word[:LONGEST]}..."
        instead = did_you_mean(word, known) or "; HELP COMMANDS lists them"
        raise CommandError(f"{typed!r} is no screen and no command{instead}") from error
    except ScreenError as error:
        raise CommandError(str(error)) from error
    dialogue.open(word, operands)


LONGEST: Final = 30
"""So much of a word that is not understood is repeated."""


def where(dialogue: Dialogue, operands: str) -> None:
    """Show only rows that meet the conditions."""
    dialogue.where(operands)


def sort(dialogue: Dialogue, operands: str) -> None:
    """Sort on a column, in a direction if one is named."""
    column, _, last = operands.rpartition(" ")
    if not column or last.upper() in {"ASC", "DESC"}:
        dialogue.sort(column or last, last if column else "")
        return
    try:
        dialogue.sort(operands)
    except CommandError:
        dialogue.sortable(column)  # says what is wrong with that, if something is
        raise CommandError(f"{last!r} is no direction; write ASC or DESC behind the column") from None


def leave(dialogue: Dialogue, _operands: str) -> None:
    """Leave the screen, from the first zmon; that is asked once."""
    if dialogue.back():
        dialogue.leaving = False
    else:
        dialogue.leave("F3 or F12" if dialogue.mover is None else "Esc, F3 or F12")  # no line has Esc


def end(dialogue: Dialogue, _operands: str) -> None:
    """Leave zmon."""
    dialogue.ended = True


CARRIED_OUT: Final[dict[str, Callable[[Dialogue, str], None]]] = {
    "SORT": sort,
    "WHERE": where,
    "PLOT": plot,
    "CORREL": correl,
    "COMPARE": compare,
    "TOUR": tour,
    "RETURN": leave,
    "QUIT": end,
    **ALONG,
}
"""What the words do that need no surface."""
