"""Calls of the kernel that may never return: each is made in a thread that is left behind when it is late.

A file system whose server is gone keeps whoever looks at a path on it, and so does a disk that is stopped.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PATIENCE: Final = 3.0
"""Seconds that one call may take."""

_LEFT: Final[dict[str, threading.Thread]] = {}
"""Those that wait for calls that have a name."""

T = TypeVar("T")
K = TypeVar("K")


def within(call: Callable[[], T], seconds: float | None = None, *, name: str = "") -> T:
    """Return what a call returns, or raise what it raises.

    A call of a `name` is not made again while the one before still waits.

    Raises:
        TimeoutError: it has not returned in time; its thread is left behind.
    """
    waiting = _LEFT.pop(name, None)
    answers: dict[int, T | Exception] = {}
    if waiting is None or not waiting.is_alive():
        waiting = threading.Thread(target=_answer, args=(answers, 0, call), daemon=True)
        waiting.start()
        _joined([waiting], PATIENCE if seconds is None else seconds)
    if 0 not in answers:
        if name:
            _LEFT[name] = waiting
        raise TimeoutError("it does not answer")
    answer = answers[0]
    if isinstance(answer, Exception):
        raise answer
    return answer


def all_within(calls: Mapping[K, Callable[[], T]], seconds: float | None = None) -> dict[K, T | Exception]:
    """Make calls side by side; return what each returned or raised, but for those that did not in time."""
    answers: dict[K, T | Exception] = {}
    threads = [
        threading.Thread(target=_answer, args=(answers, key, call), daemon=True)
        for key, call in calls.items()
    ]
    for thread in threads:
        thread.start()
    _joined(threads, PATIENCE if seconds is None else seconds)
    return dict(answers)


def _joined(threads: Iterable[threading.Thread], seconds: float) -> None:
    due = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, due - time.monotonic()))


def _answer(answers: dict[K, T | Exception], key: K, call: Callable[[], T]) -> None:
    try:
        answers[key] = call()
    except Exception as error:  # noqa: BLE001 - whoever asked is told
        answers[key] = error
