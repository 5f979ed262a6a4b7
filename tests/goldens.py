"""Texts that tests hold: what zmon prints and says is in files of tests/golden/; `make goldens` writes them.

Of sentences that are not theirs tests ask the facts in them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Asked = TypeVar("Asked")

GOLDEN: Final = Path(__file__).parent / "golden"


def compare(name: str, lines: Iterable[str]) -> list[str]:
    """Hold lines against a golden file, or write it; return them."""
    told = list(lines)
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("ZMON_GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in told), encoding="utf-8")
    assert told == file.read_text(encoding="utf-8").splitlines()
    return told


def facts(sentence: str) -> str:
    """Return the words with a digit, without punctuation around them: numbers, volumes, times."""
    bare = (word.strip(",.;:()'\"") for word in sentence.split())
    return " ".join(word for word in bare if any(map(str.isdigit, word)))


def refusals(error: type[Exception], ask: Callable[[Asked], object], asked: Iterable[Asked]) -> list[str]:
    """Return two lines of each that is asked: what, and the message of the error with which it is refused."""
    lines = []
    for one in asked:
        with pytest.raises(error) as refused:
            ask(one)
        lines += [repr(one), f"  {refused.value}"]
    return lines
