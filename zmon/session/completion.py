"""What the word may become that is typed on the command line: commands, screens, columns and things."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.screen import variable
from zmon.screen.definition import ScreenError
from zmon.screen.query import SIGNS
from zmon.session.commands import COMMANDS, CONTROL, find_command
from zmon.session.navigator import CommandError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zmon.screen.definition import Screen
    from zmon.session.session import Session

MOST: Final = 5_000
"""Things of a list that are looked through."""


class Completion(NamedTuple):
    """The candidates for a word."""

    begin: int
    """Where the word begins in what was typed."""
    words: tuple[str, ...]
    common: str
    """The word with all that the candidates have in common."""


def complete(session: Session, text: str) -> Completion:
    """Return what the last word of a text may become, in the state of the session."""
    *before, word = text.split(" ")
    before = [word_before for word_before in before if word_before]
    if before and before[0].upper() in CONTROL:
        before.pop(0)
    words_known = _operands(session, before[0], before[1:], word) if before else _first_words(session)
    choice = tuple(
        dict.fromkeys(choice for choice in words_known if choice.casefold().startswith(word.casefold()))
    )
    return Completion(len(text) - len(word), choice, _common(word, choice))


def _common(word: str, choices: tuple[str, ...]) -> str:
    """Return how far all candidates agree, spelled as the first; the word itself if there are none."""
    if not choices:
        return word
    letters = zip(*map(str.casefold, choices), strict=False)
    length = sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, letters))
    return choices[0][:length] if length >= len(word) else word


def _first_words(session: Session) -> list[str]:
    return sorted({*session.screens.commands, *(command.word for command in COMMANDS)})


def _operands(session: Session, first: str, before: list[str], word: str) -> Iterable[str]:
    """Return what a word may become behind the first one and those `before` it."""
    command = find_command(first)
    if command is None:
        return _of_screen(session, first, before, word)
    operands = OPERANDS.get(command.word)
    return () if operands is None else operands(session, before, word)


def _of_screen(session: Session, first: str, before: list[str], word: str) -> Iterable[str]:
    try:
        screen = session.screens.find(first)
    except ScreenError:
        return ()
    if screen.layout == "menu":
        return ("ALL",)
    if before and before[-1].casefold() in variable.LCU_WORDS:
        return _things(session, "CTLUNIT")
    conditions = _conditions(session, screen, word) if screen.layout == "list" else ()
    return (*_subjects(session, screen), *conditions)


def _conditions(session: Session, screen: Screen, word: str) -> Iterator[str]:
    """Yield the columns of a list; behind a column and an operator the texts in that column."""
    match = re.fullmatch(rf"([^<>=~!]+)({SIGNS})(.*)", word)
    column = screen.by_name.get(match[1].lower()) if match else None
    if match is None or column is None:
        yield from (column.name for column in screen.columns)
    else:
        for value in _values(session, screen.command, column.name):
            yield f"{match[1]}{match[2]}{value}"


def _subjects(session: Session, screen: Screen) -> Iterator[str]:
    """Yield what things are called that a screen may be about: what it lists, and what other lists do."""
    for command in (screen.command, *screen.about):
        yield from _things(session, command)


def _things(session: Session, command: str) -> Iterator[str]:
    """Yield what the things of a list are called; the user's own screens may name one that is not there."""
    with suppress(ScreenError):
        screen = session.screens.find(command)
        for column in screen.naming:
            yield from _values(session, screen.command, column)


def _values(session: Session, command: str, column: str) -> Iterator[str]:
    """Yield the texts in a column of a list that can be typed as a word, and whole numbers."""
    try:
        table = session.listed(command)
    except (CommandError, ScreenError):
        return
    if table is None or column not in table.columns:
        return
    for value in table.column(column)[:MOST]:
        text = str(value) if isinstance(value, (str, int)) else ""
        if text and text.isprintable() and not re.search(r"\s", text):
            yield text


def _columns(session: Session, _before: list[str], word: str) -> Iterable[str]:
    return _conditions(session, session.page.screen, word)


def _sort(session: Session, before: list[str], _word: str) -> Iterable[str]:
    """Return the columns that can be sorted on, behind one of them the directions."""
    names = [column.name for column in session.page.screen.columns if column.sort]
    return ("ASC", "DESC") if before else names


def _figures(session: Session, before: list[str], word: str) -> Iterable[str]:
    """Return the columns that can be drawn, behind one of them the things of the list."""
    screen = session.page.alone
    if before:
        return _subjects(session, screen)
    name, dot, _ = word.partition(".")
    if dot:
        try:
            return [f"{name}.{column}" for column in variable.names(session.screens.find(name))]
        except ScreenError:
            return ()
    return (*variable.names(screen), *(f"{screen.command}." for screen in variable.listed(session.screens)))


def _topics(session: Session, _before: list[str], _word: str) -> Iterable[str]:
    names = [column.name for column in session.page.screen.columns]
    return (*names, *_first_words(session), "KEYS", "COMMANDS")


def _numbers(session: Session, _before: list[str], _word: str) -> Iterable[str]:
    return (str(entry.number) for entry in session.log.entries())


def _fixed(*choices: str) -> Callable[[Session, list[str], str], Iterable[str]]:
    return lambda _session, _before, _word: choices


OPERANDS: Final[Mapping[str, Callable[[Session, list[str], str], Iterable[str]]]] = {
    "HELP": _topics,
    "SORT": _sort,
    "WHERE": _columns,
    "PLOT": _figures,
    "CORREL": _figures,
    "WORST": _numbers,
    "GO": _fixed("begin", "end", "today", "yesterday"),
    "PLAY": _fixed("1", "2", "5", "10", "30", "60", "120", "300", "600"),
    "MARK": _fixed("A", "B"),
    "COMPARE": _fixed("A", "B", "OFF"),
    "TOUR": _fixed("NEXT", "BACK", "OFF"),
}
"""What stands behind a command, by its word."""
