"""The keys of a tape deck: play at a speed, forwards or backwards, and pause.

A deck says at which time the tape has to be; it reads neither clock nor tape.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SPEEDS: Final = (1, 2, 5, 10, 30, 60, 120, 300, 600)
"""How many seconds of the tape may pass in one second; backwards as well."""

LADDER: Final = (*(-speed for speed in reversed(SPEEDS)), *SPEEDS)


class Deck(NamedTuple):
    """A deck that plays since `clock`, when the tape was at `utc`; it pauses at speed 0."""

    speed: int = 0
    clock: float = 0.0
    """By a steady clock, in seconds."""
    utc: int = 0
    """In ns since 1970, as all times of a tape."""

    @property
    def playing(self) -> bool:
        """Whether it does not pause."""
        return self.speed != 0

    def at(self, clock: float) -> int:
        """Return at which time the tape has to be, were it without ends."""
        return self.utc + round((clock - self.clock) * self.speed * 1e9)

    def due(self, clock: float, span: tuple[int, int]) -> int:
        """Return at which time the tape has to be; it stops at its ends."""
        begin, end = span
        return max(begin, min(self.at(clock), end))

    def ended(self, clock: float, span: tuple[int, int]) -> bool:
        """Tell whether it has come to the end of the tape, or backwards to its begin."""
        begin, end = span
        return (self.speed > 0 and self.at(clock) >= end) or (self.speed < 0 and self.at(clock) <= begin)

    def wait(self, clock: float, utc: int) -> float:
        """Return in how many seconds the tape will have to be at `utc`; 0 when it is late."""
        return max(0.0, (utc - self.at(clock)) / 1e9 / self.speed) if self.speed else 0.0


PAUSED: Final = Deck()


def faster(speed: int) -> int:
    """Return the next speed forwards: from backwards by way of slowly back to slowly on."""
    return next((found for found in LADDER if found > speed), SPEEDS[-1])


def slower(speed: int) -> int:
    """Return the next speed backwards."""
    return next((found for found in reversed(LADDER) if found < speed), -SPEEDS[-1])


def parse_speed(words: str) -> int:
    """Read a speed: `10`, `x10`, `-x10`; nothing is 1.

    Raises:
        ValueError: it is none; says which there are.
    """
    said = words.strip().lower()
    digits = said.removeprefix("-").removeprefix("x")
    if not said:
        return 1
    if digits.isdecimal() and digits.isascii() and len(digits) < 9 and int(digits) in SPEEDS:
        return -int(digits) if said.startswith("-") else int(digits)
    speeds = ", ".join(str(speed) for speed in SPEEDS)
    raise ValueError(f"{words!r} is no speed; there are {speeds}, backwards with a minus")


def spoken(speed: int) -> str:
    """Write a speed: `x10`, `-x10`, `paused`."""
    return f"{'-' if speed < 0 else ''}x{abs(speed)}" if speed else "paused"
