"""What tests ask of sentences that are not theirs: the facts in them, and the golden of a catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Asked = TypeVar("Asked")


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
