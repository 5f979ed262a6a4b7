"""The dialogue with a person: which screen is shown, and what a command changes.

The glass and the line-mode console lead the same dialogue; they differ in how they show it.  Commands are
those of the Toolkit: a screen's name (with an argument or conditions), its number in the menu, and a few
words that change how the present screen is shown.
"""

from zmon.dialogue.command import COMMANDS, Command, CommandError, Given
from zmon.dialogue.dialogue import Dialogue, meant
from zmon.dialogue.page import Against, Filling, Page, Window
from zmon.dialogue.traveller import NOT_KEPT, Found, Move

__all__ = [
    "COMMANDS",
    "NOT_KEPT",
    "Against",
    "Command",
    "CommandError",
    "Dialogue",
    "Filling",
    "Found",
    "Given",
    "Move",
    "Page",
    "Window",
    "meant",
]
