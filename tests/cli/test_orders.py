from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from zmon.cli.orders import Machine

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
    machine = Machine()
    machine.obey(terminal=False)
    os.kill(os.getpid(), number)
    machine.wait(LONG)
    assert (machine.orders.end, machine.orders.another) == (True, False)


@pytest.mark.usefixtures("handlers")
def test_the_second_signal_ends_at_once() -> None:
    """It meets no handler any more."""
    machine = Machine()
    machine.obey(terminal=False)
    os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize(("terminal", "orders"), [(True, (True, False)), (False, (False, True))])
def test_a_hangup_ends_only_what_has_a_terminal(terminal: bool, orders: tuple[bool, bool]) -> None:
    """A service is asked to begin another file."""
    machine = Machine()
    machine.obey(terminal=terminal)
    os.kill(os.getpid(), signal.SIGHUP)
    machine.wait(LONG)
    assert (machine.orders.end, machine.orders.another) == orders


@pytest.mark.usefixtures("handlers")
def test_an_ignored_hangup_stays_ignored() -> None:
    """As nohup wants it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    Machine().obey(terminal=True)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.usefixtures("handlers")
def test_any_number_of_signals_is_one_order() -> None:
    """The pipe that wakes may be full."""
    machine = Machine()
    machine.obey(terminal=False)
    for _ in range(70_000):
        machine._another(signal.SIGHUP, None)
    for _ in range(20):
        machine.wait(0)
    assert machine.orders.another


def test_the_clocks_are_those_of_the_system() -> None:
    """In ns."""
    machine = Machine()
    assert abs(machine.utc() - time.time_ns()) < 10**9
    assert abs(machine.steady() - time.monotonic_ns()) < 10**9
    assert machine.asleep() >= 0
    assert machine.spent() > 0
