"""What the present release brings: the newest part of CHANGELOG.md that has a version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.record import NamedTuple
from zmon.base.shipped import shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE: Final = "CHANGELOG.md"
UNRELEASED: Final = "Unreleased"


class ReleaseNote(NamedTuple):
    """A heading, or a point below one."""

    text: str
    is_heading: bool = False


def release_notes() -> list[ReleaseNote]:
    """Return the notes of the newest release, its version and day first.

    Raises:
        OSError: the file did not come along.
    """
    with open(shipped(FILE), encoding="utf-8") as file:
        return notes_of(file.read())


def notes_of(changelog: str) -> list[ReleaseNote]:
    """Return those of the first part that has a version; none if nothing was released."""
    parts = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    newest = next((part for part in parts if not part.startswith(UNRELEASED)), "")
    return list(_notes(newest))


def _notes(part: str) -> Iterator[ReleaseNote]:
    title, _, rest = part.partition("\n")
    if title:
        yield ReleaseNote(title.strip(), is_heading=True)
    for text in re.split(r"\n(?=- |### )|\n\n", rest):
        point = " ".join(text.split()).replace("`", "")
        if point:
            yield ReleaseNote(point.removeprefix("### ").removeprefix("- "), point.startswith("### "))
