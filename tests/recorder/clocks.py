"""Clocks of a recorder that go only when somebody waits or works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.base.clock import SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

NOON = 1_795_262_400 * SECOND  # 2026-11-21 12:00 UTC


class Clocks:
    """Clocks that go only when somebody waits or works."""

    def __init__(self) -> None:
        self.now = 0
        self.slept = 0
        self.stepped = 0
        self.waits: list[int] = []
        self.during: Callable[[], None] = lambda: None
        """What happens while somebody waits."""

    def utc(self) -> int:
        """Return the time of the wall."""
        return NOON + self.now + self.slept + self.stepped

    def steady(self) -> int:
        """Return the steady clock."""
        return self.now

    def asleep(self) -> int:
        """Return how long the machine slept."""
        return self.slept

    def spent(self) -> int:
        """Return a hundredth of the time."""
        return self.now // 100

    def wait(self, length: int) -> None:
        """Let the time pass."""
        self.waits.append(length)
        self.now += length
        self.during()
