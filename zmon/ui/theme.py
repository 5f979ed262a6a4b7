"""Colours: those of a 3270, and the same parts in whatever theme the user prefers.

What is not a 3270 takes the sixteen colours of the terminal's own palette, so every theme of Textual works.
"""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

PLAIN: Final = {
    "zmon-data": "ansi_green",
    "zmon-strong": "ansi_bright_white",
    "zmon-label": "ansi_cyan",
    "zmon-heading": "ansi_bright_cyan",
    "zmon-look": "ansi_bright_yellow",
    "zmon-alarm": "ansi_bright_red",
    "zmon-absent": "ansi_green",
    "zmon-guidance": "ansi_cyan",
    "zmon-entry": "ansi_bright_green",
    "zmon-cursor": "ansi_blue",
    "zmon-background": "ansi_default",
}
"""The parts in sixteen colours."""

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
        "zmon-absent": "#68f078",
        "zmon-guidance": "#58f0f0",
        "zmon-entry": "#ffffff",
        "zmon-cursor": "#0c3a5a",
        "zmon-background": "#000000",
    },
)
"""Green data, white where it is intensified, red alarms, turquoise headings and blue labels on black."""

CSS: Final = """
Painter { background: $zmon-background; color: $zmon-data; }
Painter > .painter--data { color: $zmon-data; }
Painter > .painter--strong { color: $zmon-strong; text-style: bold; }
Painter > .painter--label { color: $zmon-label; }
Painter > .painter--heading { color: $zmon-heading; }
Painter > .painter--look { color: $zmon-look; text-style: bold; }
Painter > .painter--alarm { color: $zmon-alarm; text-style: bold; }
Painter > .painter--absent { color: $zmon-absent; text-style: dim; }
Painter > .painter--guidance { color: $zmon-guidance; }
Painter > .painter--message { color: $zmon-strong; text-style: bold; }
Painter > .painter--entry { color: $zmon-entry; }
Painter > .painter--caret { color: $zmon-entry; text-style: reverse; }
Painter > .painter--cell { color: $zmon-strong; text-style: bold reverse; }
Painter > .painter--cursor { background: $zmon-cursor; }
"""
"""How the parts of a line look."""
