from __future__ import annotations

from zmon.kernel.spelling import printable


def test_foreign_names_cannot_move_the_cursor() -> None:
    """A note is shown on a terminal."""
    assert printable("a\x1b[2J\n") == "a\\x1b[2J\\n"


def test_long_names_are_cut() -> None:
    """A note stays a line or two."""
    assert len(printable("x" * 500)) == 120
