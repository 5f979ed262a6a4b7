from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ListTape
from zmon.ui.reading import Failed
from zmon.ui.sampling import Event, Sampled, Sampling

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.sample import Sample

LONG = 86_400.0
PATIENCE = 10.0


class Tape(ListTape):
    """A live tape that does what it is told."""

    def __init__(self, *answers: Sample | Exception | threading.Event) -> None:
        """Give these answers, one after the other; an event is waited for, as for a read that hangs."""
        super().__init__([], live=True)
        self.answers = list(answers)

    def next(self) -> Sample | None:
        """Give the next answer."""
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, threading.Event):
            answer.wait()
            return None
        return answer


@pytest.fixture
def told() -> queue.SimpleQueue[Event]:
    """Return where events arrive."""
    return queue.SimpleQueue()


def test_a_sample_is_taken_at_once(
    make_sample: Callable[..., Sample], told: queue.SimpleQueue[Event]
) -> None:
    """The first sample does not wait for the interval."""
    sample = make_sample(1)
    sampling = Sampling(Tape(sample), LONG, told.put)
    sampling.start()

    assert told.get(timeout=PATIENCE) == Sampled(sample)

    sampling.stop()
    sampling.join(PATIENCE)


def test_a_failing_sample_is_said_and_the_next_one_taken(
    make_sample: Callable[..., Sample], told: queue.SimpleQueue[Event]
) -> None:
    """An error ends neither the thread nor the program."""
    sample = make_sample(1)
    sampling = Sampling(Tape(OSError(5, "Input/output error"), sample), LONG, told.put)
    sampling.start()
    failed = told.get(timeout=PATIENCE)
    sampling.now()

    assert isinstance(failed, Failed)
    assert "Input/output error" in failed.message
    assert told.get(timeout=PATIENCE) == Sampled(sample)

    sampling.stop()
    sampling.join(PATIENCE)


def test_samples_come_in_time(make_sample: Callable[..., Sample], told: queue.SimpleQueue[Event]) -> None:
    """Nobody has to ask for a sample."""
    samples = [make_sample(minute) for minute in range(3)]
    sampling = Sampling(Tape(*samples, threading.Event()), 0.01, told.put)
    sampling.start()

    assert [told.get(timeout=PATIENCE) for _ in samples] == [Sampled(sample) for sample in samples]


def test_a_hanging_read_holds_nothing_up(told: queue.SimpleQueue[Event]) -> None:
    """The thread is a daemon, so a program with a hanging read can end."""
    hanging = threading.Event()
    sampling = Sampling(Tape(hanging), LONG, told.put)
    sampling.start()
    sampling.stop()

    assert sampling.daemon
    assert told.empty()

    hanging.set()
    sampling.join(PATIENCE)
