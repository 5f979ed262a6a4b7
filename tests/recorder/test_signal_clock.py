from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from zmon.recorder.signal_clock import SignalClock

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 60 * 10**9
"""Nobody waits for so long here: a signal is there already."""


@pytest.fixture
def handlers() -> Iterator[None]:
    """Put the handlers of signals back."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_and_cuts_waiting_short(number: int) -> None:
    """Even if it came before the wait."""
    clock = SignalClock()
    clock.handle_signals(terminal=False)
    os.kill(os.getpid(), number)
    clock.wait(LONG)
    assert (clock.orders.end, clock.orders.another) == (True, False)


@pytest.mark.usefixtures("handlers")
def test_the_second_signal_ends_at_once() -> None:
    """It meets no handler any more."""
    clock = SignalClock()
    clock.handle_signals(terminal=False)
    os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize(("terminal", "orders"), [(True, (True, False)), (False, (False, True))])
def test_a_hangup_ends_only_what_has_a_terminal(terminal: bool, orders: tuple[bool, bool]) -> None:
    """A service is asked to begin another file."""
    clock = SignalClock()
    clock.handle_signals(terminal=terminal)
    os.kill(os.getpid(), signal.SIGHUP)
    clock.wait(LONG)
    assert (clock.orders.end, clock.orders.another) == orders


@pytest.mark.usefixtures("handlers")
def test_an_ignored_hangup_stays_ignored() -> None:
    """As nohup wants it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    SignalClock().handle_signals(terminal=True)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.usefixtures("handlers")
def test_any_number_of_signals_is_one_order() -> None:
    """The pipe that wakes may be full."""
    clock = SignalClock()
    clock.handle_signals(terminal=False)
    for _ in range(70_000):
        clock._another(signal.SIGHUP, None)
    for _ in range(20):
        clock.wait(0)
    assert clock.orders.another


def test_the_clocks_are_those_of_the_system() -> None:
    """In ns."""
    clock = SignalClock()
    assert abs(clock.utc() - time.time_ns()) < 10**9
    assert abs(clock.steady() - time.monotonic_ns()) < 10**9
    assert clock.asleep() >= 0
    assert clock.spent() > 0
