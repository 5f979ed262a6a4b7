"""The names of themes, for which Textual need not be loaded."""

from __future__ import annotations

from zmon.base.light_typing import Final

OWN_NAMES: Final = ("3270", "light", "dark", "contrast", "ansi")
"""The themes that documents and help name."""
TEXTUAL_NAMES: Final = (
    "textual-dark", "textual-light", "nord", "gruvbox", "catppuccin-mocha", "dracula", "tokyo-night",
    "monokai", "flexoki", "catppuccin-latte", "catppuccin-frappe", "catppuccin-macchiato", "solarized-light",
    "solarized-dark", "rose-pine", "rose-pine-moon", "rose-pine-dawn", "atom-one-dark", "atom-one-light",
    "ansi-dark", "ansi-light",
)  # fmt: skip
"""The themes that Textual brings along."""


def unknown_theme(word: str) -> str:
    """Return that a word is no theme, and which there are; empty if it is one."""
    if word in OWN_NAMES or word in TEXTUAL_NAMES:
        return ""
    from zmon.base.plain_text import did_you_mean  # noqa: PLC0415 - only a mistake needs it

    near = did_you_mean(word, OWN_NAMES) or did_you_mean(word, TEXTUAL_NAMES)
    return f"there is no theme {word!r:.60}{near or ';'} zmon's own are {', '.join(OWN_NAMES)}"
