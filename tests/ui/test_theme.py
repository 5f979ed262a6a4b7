"""Every theme can be read."""

from __future__ import annotations

from typing import Final

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from zmon.ui.theme import ALIASES, OWN_THEMES, READABLE, contrast, parts

THEMES = {one.name: one for one in OWN_THEMES} | BUILTIN_THEMES
HIGH: Final = 7.0
"""The least contrast of WCAG 2, level AAA."""
TEXTS = ("data", "strong", "label", "heading", "look", "alarm", "absent", "guidance", "entry")

XTERM = {
    "black": "#000000", "red": "#cd0000", "green": "#00cd00", "yellow": "#cdcd00", "blue": "#0000ee",
    "magenta": "#cd00cd", "cyan": "#00cdcd", "white": "#e5e5e5", "bright_black": "#7f7f7f",
    "bright_red": "#ff0000", "bright_green": "#00ff00", "bright_yellow": "#ffff00", "bright_blue": "#5c5cff",
    "bright_magenta": "#ff00ff", "bright_cyan": "#00ffff", "bright_white": "#ffffff",
}  # fmt: skip
"""The palette of xterm, for themes that use the terminal's own."""


def colour(name: str, *, dark: bool) -> Color:
    """Return what a terminal makes of a colour."""
    if not name.startswith("ansi_"):
        return Color.parse(name)
    name = name.removeprefix("ansi_")
    return Color.parse(("#000000" if dark else "#ffffff") if name == "default" else XTERM[name])


def under(name: str, part: str) -> list[float]:
    """Return the contrast of each text of a theme with a background."""
    theme = THEMES[name]
    colours = {**parts(theme), **theme.variables}
    ground = colour(colours[f"zmon-{part}"], dark=theme.dark)
    return [contrast(colour(colours[f"zmon-{text}"], dark=theme.dark), ground) for text in TEXTS]


@pytest.mark.parametrize("name", THEMES)
def test_every_text_can_be_read(name: str) -> None:
    """Its contrast with the background is that of WCAG 2, level AA."""
    assert min(under(name, "background")) >= READABLE


@pytest.mark.parametrize("name", THEMES)
def test_every_text_can_be_read_under_the_cursor(name: str) -> None:
    """The cursor changes the background; of sixteen colours none is as good."""
    assert min(under(name, "cursor")) >= (3.0 if THEMES[name].ansi else READABLE)


def test_high_contrast_is_high() -> None:
    """Each text, under the cursor too, has the contrast of level AAA."""
    assert min(under("contrast", "background") + under("contrast", "cursor")) >= HIGH


def test_shorter_names_are_of_themes_that_exist() -> None:
    """A name that Textual drops would leave its users with other colours."""
    assert set(ALIASES.values()) <= THEMES.keys()


@pytest.mark.parametrize("name", THEMES)
def test_the_cursor_is_seen(name: str) -> None:
    """Its line has another background than the others, or is underlined."""
    theme = THEMES[name]
    colours = {**parts(theme), **theme.variables}
    cursor, ground = (colour(colours[f"zmon-{part}"], dark=theme.dark) for part in ("cursor", "background"))
    assert contrast(cursor, ground) > 1.1 or colours["zmon-cursor-style"] == "underline"


def test_contrast_is_that_of_wcag() -> None:
    """Black on white has 21, a colour on itself 1, and #767676 on white just enough."""
    black, white, grey = Color(0, 0, 0), Color(255, 255, 255), Color.parse("#767676")
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(grey, grey) == pytest.approx(1)
    assert contrast(white, grey) == pytest.approx(4.54, abs=0.01)
