"""The names of themes are known without Textual."""

from __future__ import annotations

import pytest
from textual.theme import BUILTIN_THEMES

from zmon.ui.theme import ALIASES, OWN_THEMES
from zmon.ui.theme_names import OWN_NAMES, TEXTUAL_NAMES, unknown_theme


def test_each_theme_that_there_is_has_its_name_here() -> None:
    """A setting is checked with this list, and shown with the themes."""
    assert sorted(TEXTUAL_NAMES) == sorted(BUILTIN_THEMES)
    assert sorted(OWN_NAMES) == sorted([*ALIASES, *(theme.name for theme in OWN_THEMES)])


@pytest.mark.parametrize(("word", "said"), [("drak", "did you mean dark?"), ("x", "zmon's own are 3270, ")])
def test_an_unknown_theme_is_answered_with_what_may_be_meant(word: str, said: str) -> None:
    """A list of all is longer than a line."""
    assert said in unknown_theme(word)
    assert all(not unknown_theme(name) for name in (*OWN_NAMES, *TEXTUAL_NAMES))
