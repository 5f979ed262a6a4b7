"""The commands that go along the tape, mark places of it and write notes on it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from zmon.screen.happening import line as happened
from zmon.screen.number import clock
from zmon.session.command import CommandError
from zmon.session.tape import NoMark, NoNote
from zmon.session.traveller import Found
from zmon.session.when import outside, parse_when, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.session.dialogue import Dialogue


def note(dialogue: Dialogue, operands: str) -> None:
    """Write down what a person has to say of the sample that is looked at.

    Raises:
        CommandError: there is nothing to write, or nowhere to write it to.
    """
    utc = dialogue.watch.utc
    if not operands or utc is None:
        raise CommandError("What is to be noted? For example NOTE backup was moved to 22:00")
    try:
        dialogue.present.tape.note(utc, operands)
    except NoNote as error:
        raise CommandError(f"The note was not written: {error}") from error


def next_sample(dialogue: Dialogue, operands: str) -> None:
    """Go to the next sample, or to that of a time."""
    if operands:
        go(dialogue, operands)
        return
    way = "NOW returns to the live machine" if dialogue.watch.present else "PREVSAMP goes to the previous one"
    dialogue.move(dialogue.watch.head.forward, f"This is the last sample. {way}.")


def previous_sample(dialogue: Dialogue, _operands: str) -> None:
    """Go to the sample before."""
    edge = "This is the first sample. NEXTSAMP goes to the next one."
    dialogue.move(dialogue.rewind().head.back, edge)


def go(dialogue: Dialogue, operands: str) -> None:
    """Go to the sample of a time, to the first or to the last."""
    before = dialogue.watch
    watch = dialogue.rewind()
    try:
        utc = whole(parse_when(operands, time.time_ns(), watch.utc, watch.span))
    except ValueError as error:
        dialogue.watch = before
        raise CommandError(str(error)) from error
    word = operands.strip().casefold()
    find = {"begin": watch.head.begin, "start": watch.head.begin, "end": watch.head.end}.get(word)

    def seek() -> Found | None:
        found = watch.head.seek(utc)
        return None if found is None else Found(found, outside(utc, watch.tape.span()))

    dialogue.move(find or seek, "There are no samples here.")


def next_exception(dialogue: Dialogue, _operands: str) -> None:
    """Go to the next exception."""
    _to_exception(dialogue, 1, "No later exception. PREVEXC goes to the previous one.")


def previous_exception(dialogue: Dialogue, _operands: str) -> None:
    """Go to the exception before."""
    _to_exception(dialogue, -1, "No earlier exception. NEXTEXC goes to the next one.")


def _to_exception(dialogue: Dialogue, way: int, edge: str) -> None:
    head = dialogue.rewind().head

    def find() -> Found | None:
        found = head.exception(way)
        return None if found is None else Found(found[1], happened(found[0]))

    dialogue.move(find, edge)


def mark(dialogue: Dialogue, operands: str) -> None:
    """Mark the sample that is looked at."""
    name = operands.upper()
    if name not in {"A", "B"}:
        raise CommandError("Use MARK A or MARK B.")
    try:
        dialogue.watch.mark(name)
    except NoMark as error:
        raise CommandError(str(error)) from error
    dialogue.said = f"Mark {name} is set at {clock(dialogue.watch.marks[name].at.utc)}"


def average(dialogue: Dialogue, _operands: str) -> None:
    """Look at the window between the marks."""
    try:
        dialogue.watch.average()
    except NoMark as error:
        raise CommandError(str(error)) from error


def interim(dialogue: Dialogue, _operands: str) -> None:
    """Look again at the interval where the tape stands."""
    dialogue.watch.interim()


ALONG: Final[dict[str, Callable[[Dialogue, str], None]]] = {
    "NEXTSAMP": next_sample,
    "PREVSAMP": previous_sample,
    "GO": go,
    "NEXTEXC": next_exception,
    "PREVEXC": previous_exception,
    "MARK": mark,
    "NOTE": note,
    "AVERAGE": average,
    "INTERIM": interim,
}
"""What the words do."""
