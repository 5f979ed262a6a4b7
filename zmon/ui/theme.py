"""Colours: those of a 3270, and the same parts in whatever theme the user prefers.

A theme of the terminal's own palette takes its sixteen colours.  Any other theme of Textual gives its own,
each made as light or dark as it takes to be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.color import Color
from textual.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Mapping

READABLE: Final = 4.5
"""The least contrast of text with what is under it: WCAG 2, level AA."""

STEPS: Final = 20
"""Steps in which a colour becomes lighter or darker."""

DARK_PALETTE: Final = {
    "zmon-data": "ansi_green",
    "zmon-strong": "ansi_bright_white",
    "zmon-label": "ansi_cyan",
    "zmon-heading": "ansi_bright_cyan",
    "zmon-look": "ansi_bright_yellow",
    "zmon-alarm": "ansi_bright_red",
    "zmon-absent": "ansi_green",
    "zmon-absent-style": "dim",
    "zmon-guidance": "ansi_cyan",
    "zmon-entry": "ansi_bright_green",
    "zmon-cursor": "ansi_default",
    "zmon-cursor-style": "underline",
    "zmon-background": "ansi_default",
}
"""The parts in sixteen colours on a dark terminal; red can be read on none but black."""

LIGHT_PALETTE: Final = DARK_PALETTE | {
    "zmon-data": "ansi_black",
    "zmon-strong": "ansi_black",
    "zmon-label": "ansi_blue",
    "zmon-heading": "ansi_blue",
    "zmon-look": "ansi_magenta",
    "zmon-alarm": "ansi_red",
    "zmon-absent": "ansi_black",
    "zmon-guidance": "ansi_blue",
    "zmon-entry": "ansi_black",
    "zmon-cursor": "ansi_white",
    "zmon-cursor-style": "none",
}
"""The parts in sixteen colours on a light terminal."""

SOURCES: Final = {
    "zmon-data": "foreground",
    "zmon-label": "secondary",
    "zmon-heading": "primary",
    "zmon-look": "warning",
    "zmon-alarm": "error",
    "zmon-guidance": "primary",
}
"""Which colour of a theme each part takes."""

THEME_3270: Final = Theme(
    name="3270",
    primary="#58f0f0",
    foreground="#24d830",
    background="#000000",
    surface="#000000",
    panel="#000000",
    error="#f01818",
    warning="#ffff00",
    dark=True,
    variables={
        "zmon-data": "#24d830",
        "zmon-strong": "#ffffff",
        "zmon-label": "#7890f0",
        "zmon-heading": "#58f0f0",
        "zmon-look": "#ffff00",
        "zmon-alarm": "#ff5050",
        "zmon-absent": "#3cb84c",
        "zmon-guidance": "#58f0f0",
        "zmon-entry": "#ffffff",
        "zmon-cursor": "#0a2840",
        "zmon-background": "#000000",
    },
)
"""Green data, white where it is intensified, red alarms, turquoise headings and blue labels on black."""


CONTRAST: Final = Theme(
    name="contrast",
    primary="#00ffff",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    error="#ffa8a8",
    warning="#ffff00",
    dark=True,
    variables={
        "zmon-data": "#ffffff",
        "zmon-strong": "#ffff00",
        "zmon-label": "#ffffff",
        "zmon-heading": "#00ffff",
        "zmon-look": "#ffff00",
        "zmon-alarm": "#ffa8a8",
        "zmon-absent": "#d0d0d0",
        "zmon-guidance": "#00ffff",
        "zmon-entry": "#ffff00",
        "zmon-cursor": "#002038",
        "zmon-background": "#000000",
    },
)
"""White, yellow and turquoise on black, each with the contrast of WCAG 2, level AAA."""

OWN_THEMES: Final = (THEME_3270, CONTRAST)
"""The themes that come with zmon; the others are Textual's."""
ALIASES: Final = {"light": "textual-light", "dark": "textual-dark", "ansi": "ansi-dark"}
"""Shorter names of themes."""


def parts(theme: Theme) -> Mapping[str, str]:
    """Return the colours of zmon's parts in a theme."""
    if theme.ansi:
        return DARK_PALETTE if theme.dark else LIGHT_PALETTE
    colours = theme.to_color_system().generate()
    background = Color.parse(colours["background"])
    cursor = background.blend(Color.parse(colours["primary"]), 0.2)
    parts_of = {
        part: _readable(Color.parse(colours[name]), background, cursor) for part, name in SOURCES.items()
    }
    strong = _readable(_extreme(background), background, cursor)
    faint = Color.parse(parts_of["zmon-data"]).blend(background, 0.4)
    return parts_of | {
        "zmon-strong": strong,
        "zmon-entry": strong,
        "zmon-absent": _readable(faint, background, cursor),
        "zmon-absent-style": "none",
        "zmon-cursor": cursor.hex,
        "zmon-cursor-style": "none",
        "zmon-background": background.hex,
    }


def _readable(colour: Color, *under: Color) -> str:
    """Return a colour with enough contrast to all that may be under it: this one, or one like it."""
    for step in range(STEPS):
        mixed = colour.blend(_extreme(under[0]), step / STEPS)
        if all(contrast(mixed, color) >= READABLE for color in under):
            return mixed.hex
    return _extreme(under[0]).hex


def _extreme(background: Color) -> Color:
    """Return black or white, whichever is more unlike the background."""
    return max((Color(0, 0, 0), Color(255, 255, 255)), key=lambda color: contrast(color, background))


def contrast(color: Color, other: Color) -> float:
    """Return the contrast of two colours, 1 to 21, as WCAG 2 defines it."""
    dark, light = sorted((_luminance(color), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    """Return the relative luminance of a colour, 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


CSS: Final = """
Painter { background: $zmon-background; color: $zmon-data; }
Painter > .painter--data { color: $zmon-data; }
Painter > .painter--strong { color: $zmon-strong; text-style: bold; }
Painter > .painter--label { color: $zmon-label; }
Painter > .painter--heading { color: $zmon-heading; }
Painter > .painter--look { color: $zmon-look; text-style: bold; }
Painter > .painter--alarm { color: $zmon-alarm; text-style: bold; }
Painter > .painter--absent { color: $zmon-absent; text-style: $zmon-absent-style; }
Painter > .painter--guidance { color: $zmon-guidance; }
Painter > .painter--message { color: $zmon-strong; text-style: bold; }
Painter > .painter--entry { color: $zmon-entry; }
Painter > .painter--caret { color: $zmon-entry; text-style: reverse; }
Painter > .painter--cell { color: $zmon-strong; text-style: bold reverse; }
Painter > .painter--cursor { background: $zmon-cursor; text-style: $zmon-cursor-style; }
"""
"""How the parts of a line look."""
