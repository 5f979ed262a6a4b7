from __future__ import annotations

import queue
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ListTape
from zmon.screen.definition import load_screens
from zmon.session.dialogue import Dialogue
from zmon.session.tape import Watch
from zmon.session.traveller import Move
from zmon.tables.view import NoSuchThing
from zmon.ui.reading import Failed, Filled, Moved, Reading, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Sample

    Told = Moved | Filled | Failed

PATIENCE = 10.0


@pytest.fixture
def told() -> queue.SimpleQueue[Told]:
    """Return where arrives what the thread tells."""
    return queue.SimpleQueue()


def test_moves_are_gone_along_a_tape(
    make_sample: Callable[..., Sample], told: queue.SimpleQueue[Told]
) -> None:
    """The course of the tape is told with the first, and again when it has changed."""
    watch = Watch(ListTape([make_sample(minute) for minute in range(4)]))
    watch.to_end()
    reading = Reading(told.put)
    reading.start()
    for _ in range(2):
        reading.move(Move(watch, watch.head.back, ""))
    first, second = told.get(timeout=PATIENCE), told.get(timeout=PATIENCE)

    assert isinstance(first, Moved)
    assert isinstance(second, Moved)
    assert (first.course is None, second.course is None) == (False, True)
    assert [m.found.interval.after.at for m in (first, second) if m.found] == [
        make_sample(minute).at for minute in (2, 1)
    ]

    reading.stop()
    reading.join(PATIENCE)


def test_a_move_that_fails_is_said(make_sample: Callable[..., Sample], told: queue.SimpleQueue[Told]) -> None:
    """The next one is gone all the same."""

    def fail() -> None:
        raise ValueError("the recording is damaged")

    watch = Watch(ListTape([make_sample(minute) for minute in range(4)]))
    watch.to_end()
    reading = Reading(told.put)
    reading.start()
    moves = [Move(watch, fail, ""), Move(watch, watch.head.back, "")]
    for move in moves:
        reading.move(move)
    failed, moved = told.get(timeout=PATIENCE), told.get(timeout=PATIENCE)

    assert failed == Failed("No sample: the recording is damaged", moves[0])
    assert isinstance(moved, Moved)

    reading.stop()
    reading.join(PATIENCE)


def test_of_tables_only_the_newest_is_filled(watch: Watch, told: queue.SimpleQueue[Told]) -> None:
    """Nobody waits for those before it any more."""
    dialogue = Dialogue(watch, load_screens(), "DEVICE")
    fillings = [dialogue.filling() for _ in range(3)]
    reading = Reading(told.put)
    for filling in fillings:
        reading.fill(filling)
    reading.stop()
    reading.start()
    reading.join(PATIENCE)
    filled = told.get(timeout=PATIENCE)

    assert isinstance(filled, Filled)
    assert filled.filling is fillings[-1]
    assert told.empty()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("what is wrong"), "what is wrong"),
        (NoSuchThing("no device 1"), "no device 1"),
        (KeyError("x"), "KeyError: 'x'"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_errors_are_said_in_one_line(error: Exception, words: str) -> None:
    """Words meant for people stand alone; an unforeseen error also says its kind."""
    assert said(error) == words
