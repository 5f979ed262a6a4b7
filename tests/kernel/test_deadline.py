from __future__ import annotations

import threading
import time

import pytest

from zmon.kernel import deadline
from zmon.kernel.deadline import Worker, call_all_within, call_within


def test_an_answer_in_time() -> None:
    """It is what the call returns, or raises."""
    assert call_within(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        call_within(lambda: 1 // 0)


def test_a_call_that_does_not_return() -> None:
    """It is left behind, and the others have answered."""
    never = threading.Event()
    try:
        assert call_all_within({"never": never.wait, "now": lambda: True}, 0.05) == {"now": True}
        with pytest.raises(TimeoutError):
            call_within(never.wait, 0.05)
    finally:
        never.set()


def test_a_name_waits_once() -> None:
    """Who asks the same again leaves no second thread behind, until the first has returned."""
    never = threading.Event()
    before = set(threading.enumerate())
    try:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                call_within(never.wait, 0.05, name="a disk")
        (begun,) = set(threading.enumerate()) - before
    finally:
        never.set()
    begun.join(timeout=60)
    assert call_within(lambda: 1, name="a disk") == 1


def test_a_call_that_computes_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow processor is no disk that hangs: the outcome is waited for as long as the thread uses one."""
    monkeypatch.setattr(deadline, "COMPUTING", 1e6)

    def compute() -> str:
        while time.thread_time() < 0.2:
            pass
        return "done"

    worker = Worker()
    worker.start(compute, last=True)
    assert worker.outcome(0.001) is None
    assert worker.outcome_of_work(0.001) == ("done", None)


def test_a_call_that_gets_no_processor_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine so busy that the thread has not run between two looks, it does not hang."""
    monkeypatch.setattr(deadline, "COMPUTING", 1e6)
    monkeypatch.setattr(Worker, "_processor_used", lambda _: (b"1", b"1"))
    states = iter([True, True, False])
    monkeypatch.setattr(Worker, "_is_runnable", lambda _: next(states))
    monkeypatch.setattr(deadline, "LOOK_EVERY", 0.0)
    never = threading.Event()
    worker = Worker()
    worker.start(never.wait, last=True)
    try:
        assert worker.outcome_of_work(0.001) is None
        assert next(states, "all were asked for") == "all were asked for"
    finally:
        never.set()


def test_each_of_many_things_that_a_call_does_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time begins anew with what it is at."""
    monkeypatch.setattr(deadline, "COMPUTING", 1.0)
    monkeypatch.setattr(Worker, "_processor_used", lambda _: (b"1", b"1"))
    states = iter([True, True, False])
    monkeypatch.setattr(Worker, "_is_runnable", lambda _: next(states))
    monkeypatch.setattr(deadline, "LOOK_EVERY", 0.0)
    never = threading.Event()
    worker = Worker()
    worker.start(never.wait, last=True)
    try:
        assert worker.outcome_of_work(0.001) is None
        assert worker.outcome_of_work(0.001, lambda: time.monotonic() + 1000) is None
        assert next(states, "all were asked for") == "all were asked for"
    finally:
        never.set()


def test_a_call_that_waits_is_not_waited_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread uses no processor."""
    monkeypatch.setattr(deadline, "COMPUTING", 1e6)
    never = threading.Event()
    worker = Worker()
    worker.start(never.wait, last=True)
    try:
        assert worker.outcome_of_work(0.001) is None
    finally:
        never.set()
