from __future__ import annotations

import threading

import pytest

from zmon.kernel.deadline import call_all_within, call_within


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
