from __future__ import annotations

import re

from zmon import __version__
from zmon.base.release_notes import notes_of, release_notes


def test_they_are_those_of_the_version_that_runs() -> None:
    """The newest part of CHANGELOG.md that has a version has this one, and says something below headings."""
    first, *others = release_notes()
    assert re.fullmatch(rf"{re.escape(__version__)} - \d{{4}}-\d\d-\d\d", first.text)
    assert {note.is_heading for note in others} == {True, False}
    assert [note for note in others if "\n" in note.text or note.text.startswith(("#", "- "))] == []


def test_what_is_not_released_is_none_of_them() -> None:
    """A point that goes on in the next line is one note; without a release there are none."""
    changelog = (
        "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.0 - 2027-01-01\n\n### More\n\n- one\n  line\n- two\n"
    )
    assert [note.text for note in notes_of(changelog)] == ["1.0 - 2027-01-01", "More", "one line", "two"]
    assert notes_of("# Changelog\n\n## Unreleased\n\n- later\n") == []
