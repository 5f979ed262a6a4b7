"""What the rows of all answers share."""

from __future__ import annotations

import pytest

from zmon.cp.answer import label


@pytest.mark.parametrize("text", ["", "      ", "??????", " ?? "])
def test_a_label_that_cp_does_not_show_is_empty(text: str) -> None:
    """Blanks or question marks stand for it."""
    assert label(text) == ""


@pytest.mark.parametrize(("text", "found"), [("LNX001", "LNX001"), ("AB    ", "AB"), ("A?B   ", "A?B")])
def test_a_label_has_no_blanks_around_it(text: str, found: str) -> None:
    """Shorter ones are padded to six characters."""
    assert label(text) == found
