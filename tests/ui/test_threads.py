from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ListTimeline
from zmon.base.mistake import mistakes
from zmon.machine.view import NoSuchThing
from zmon.screen.definition import load_screens
from zmon.session.machines import open_lab
from zmon.session.navigator import CursorMove
from zmon.session.session import Session
from zmon.ui import threads
from zmon.ui.threads import ReadingThread, Result, SamplingThread, SideThread, error_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Sample

LONG = 86_400.0
PATIENCE = 10.0


class AnsweringTimeline(ListTimeline):
    """A live timeline that does what it is told."""

    def __init__(self, *answers: Sample | Exception | threading.Event) -> None:
        """Give these answers, one after the other; an event is waited for, as for a read that hangs."""
        super().__init__([], live=True)
        self.answers = list(answers)

    def take(self) -> Sample:
        """Give the next answer."""
        answer = self.answers.pop(0)
        if isinstance(answer, threading.Event):
            answer.wait()
            raise OSError("it hung")
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def results() -> queue.SimpleQueue[Result]:
    """Return where the results of the threads arrive."""
    return queue.SimpleQueue()


@pytest.fixture
def session(make_sample: Callable[..., Sample]) -> Session:
    """Return a session on DEVICE, at the last of four minutes."""
    found = Session(ListTimeline([make_sample(minute) for minute in range(4)]), load_screens(), "DEVICE")
    found.end()
    return found


def test_a_sample_is_taken_at_once(
    make_sample: Callable[..., Sample], results: queue.SimpleQueue[Result]
) -> None:
    """The first sample does not wait for the interval."""
    sample = make_sample(1)
    sampling = SamplingThread(AnsweringTimeline(sample), LONG, results.put)
    sampling.start()

    assert results.get(timeout=PATIENCE) == Result(sample=sample)

    sampling.stop()
    sampling.join(PATIENCE)


def test_a_failing_sample_is_said_and_the_next_one_taken(
    make_sample: Callable[..., Sample], results: queue.SimpleQueue[Result]
) -> None:
    """An error ends neither the thread nor the program."""
    sample = make_sample(1)
    sampling = SamplingThread(AnsweringTimeline(OSError(5, "Input/output error"), sample), LONG, results.put)
    sampling.start()
    failed = results.get(timeout=PATIENCE)
    sampling.now()

    assert failed.sample is None
    assert "Input/output error" in failed.error
    assert results.get(timeout=PATIENCE) == Result(sample=sample)

    sampling.stop()
    sampling.join(PATIENCE)


def test_samples_come_in_time(make_sample: Callable[..., Sample], results: queue.SimpleQueue[Result]) -> None:
    """Nobody has to ask for a sample."""
    samples = [make_sample(minute) for minute in range(3)]
    sampling = SamplingThread(AnsweringTimeline(*samples, threading.Event()), 0.01, results.put)
    sampling.start()

    assert [results.get(timeout=PATIENCE) for _ in samples] == [Result(sample=sample) for sample in samples]


def test_a_hanging_read_holds_nothing_up(results: queue.SimpleQueue[Result]) -> None:
    """The thread is a daemon, so a program with a hanging read can end."""
    hanging = threading.Event()
    sampling = SamplingThread(AnsweringTimeline(hanging), LONG, results.put)
    sampling.start()
    sampling.stop()

    assert sampling.daemon
    assert results.empty()

    hanging.set()
    sampling.join(PATIENCE)


def test_why_a_sample_is_not_kept_is_reported(
    make_sample: Callable[..., Sample], results: queue.SimpleQueue[Result]
) -> None:
    """Behind the sample, which is shown all the same."""
    timeline = AnsweringTimeline(make_sample(1))
    timeline.problem = "the disk is full"
    sampling = SamplingThread(timeline, LONG, results.put)
    sampling.start()

    assert results.get(timeout=PATIENCE).sample is not None
    assert "Not recorded: the disk is full" in results.get(timeout=PATIENCE).error

    sampling.stop()
    sampling.join(PATIENCE)


def test_the_cursor_is_moved(
    session: Session, make_sample: Callable[..., Sample], results: queue.SimpleQueue[Result]
) -> None:
    """The overview of the timeline comes with the first move, and again when it has changed."""
    reading = ReadingThread(results.put)
    reading.start()
    for _ in range(2):
        reading.move(CursorMove(session.cursor, session.cursor.previous, ""))
    first, second = results.get(timeout=PATIENCE), results.get(timeout=PATIENCE)

    assert (first.overview is None, second.overview is None) == (False, True)
    assert [r.arrival.interval.after.at for r in (first, second) if r.arrival] == [
        make_sample(minute).at for minute in (2, 1)
    ]

    reading.stop()
    reading.join(PATIENCE)


def test_a_move_that_fails_is_reported(session: Session, results: queue.SimpleQueue[Result]) -> None:
    """The next one is run all the same."""

    def fail() -> None:
        raise ValueError("it is torn")

    reading = ReadingThread(results.put)
    reading.start()
    moves = [CursorMove(session.cursor, find, "") for find in (fail, session.cursor.previous)]
    for move in moves:
        reading.move(move)
    failed, moved = results.get(timeout=PATIENCE), results.get(timeout=PATIENCE)

    assert failed == Result(moves[0], error="No sample: it is torn")
    assert moved.arrival is not None

    reading.stop()
    reading.join(PATIENCE)


def test_of_tables_only_the_newest_is_filled(session: Session, results: queue.SimpleQueue[Result]) -> None:
    """Nobody waits for those before it any more."""
    tasks = [session.task() for _ in range(3)]
    reading = ReadingThread(results.put)
    for task in tasks:
        reading.fill(task)
    reading.stop()
    reading.start()
    reading.join(PATIENCE)
    filled = results.get(timeout=PATIENCE)

    assert filled.table is not None
    assert filled.task is tasks[-1]
    assert results.empty()


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
    assert error_line(error) == words


def test_a_preview_is_made_beside_the_glass(results: queue.SimpleQueue[Result]) -> None:
    """Of a scenario the last interval; of what has no previews there is none."""
    reading = ReadingThread(results.put)
    reading.preview(open_lab("lab:pav-3"))
    reading.preview(ListTimeline([]))
    reading.start()
    first, second = (results.get(timeout=PATIENCE) for _ in range(2))
    assert first.preview is not None
    assert (second.preview, second.error) == (None, "")

    reading.stop()
    reading.join(PATIENCE)


@pytest.mark.usefixtures("mistaken")
def test_a_conclusion_is_drawn_beside_the_tables(
    session: Session, results: queue.SimpleQueue[Result]
) -> None:
    """Only the last one that was asked for, and a thing that is gone ends nothing."""
    late = session.conclude_task()
    assert late is not None
    gone = late._replace(view=object())  # type: ignore[arg-type]  # nothing that a verdict can be on
    aside = SideThread(results.put)
    aside.do(late)
    aside.do(gone)  # before the thread runs: the first one is too late
    aside.start()
    assert results.get(timeout=PATIENCE).conclusion
    assert "the conclusion of a screen" in mistakes()

    aside.do(late)
    found = results.get(timeout=PATIENCE)
    assert found.task is late
    assert found.conclusion == late.run()

    aside.stop()
    aside.join(PATIENCE)


@pytest.mark.parametrize(("longest", "drawn"), [(1000.0, "now"), (0.0, "next")])
def test_conclusions_of_a_live_screen_rest_in_between(
    session: Session,
    results: queue.SimpleQueue[Result],
    monkeypatch: pytest.MonkeyPatch,
    longest: float,
    drawn: str,
) -> None:
    """The one of the next sample waits, and whatever is asked for at once comes before it."""
    monkeypatch.setattr(threads, "RESTS", 1e9)
    monkeypatch.setattr(threads, "LONGEST_REST", longest)
    first = session.conclude_task()
    assert first is not None
    asked = {name: first._replace(resource="device") for name in ("next", "now")}
    aside = SideThread(results.put)
    aside.do(first)
    aside.start()
    assert results.get(timeout=PATIENCE).task is first

    aside.do(asked["next"], at_once=False)
    if drawn == "now":
        aside.do(asked["now"])
    assert results.get(timeout=PATIENCE).task is asked[drawn]

    aside.stop()
    aside.join(PATIENCE)
