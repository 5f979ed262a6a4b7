"""The functions of the glass and their keys: the one list that bindings and help are made from.

A 3270 sends what is typed to the command line, so letters and digits never are functions here.  Keys that
mean something in a text, such as the arrows to the left and right, are functions only while the command
line is empty.

A user's own keys are in `$XDG_CONFIG_HOME/zmon/keys.toml`, a line for each function: `help = "f1,ctrl+g"`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from zmon.toml import TomlDocument


class KeysError(ValueError):
    """A file of keys that cannot be used: which, where, and what would be right."""


@dataclass(frozen=True, slots=True)
class Function:
    """One thing that a key does."""

    name: str
    """Its name in `keys.toml` and in `actions.KEYS`."""
    keys: str
    """Its keys as Textual names them, separated by commas."""
    help: str
    when: str = ""
    """`empty` or `typed`: only while the command line is, or is not, empty."""


FUNCTIONS: Final = (
    Function("help", "f1,shift+f1", "explain the screen, or the column that TAB chose; again: more"),
    Function("keys", "question_mark", "list the keys, commands and screens", when="empty"),
    Function("redisplay", "f2,shift+f2", "the key figures of the last samples by time, in REDISP"),
    Function("back", "f3,f12,shift+f12,escape", "return to the previous screen"),
    Function("diagnose", "exclamation_mark", "what is wrong, and how that is known: DIAGNOSE", when="empty"),
    Function("menu", "f4,shift+f4", "the menu of all screens"),
    Function("top", "ctrl+home", "first row"),
    Function("bottom", "f5,shift+f5,ctrl+end", "last row"),
    Function("retrieve", "f6,shift+f6,ctrl+p", "bring back the previous command; again: older ones"),
    Function("backward", "f7,shift+f7,pageup", "a screenful up"),
    Function("forward", "f8,shift+f8,pagedown", "a screenful down"),
    Function("sort", "f9,shift+f9", "sort on the column that TAB chose; again: reverse order"),
    Function("left", "f10,shift+f10", "a screenful of columns to the left"),
    Function("right", "f11,shift+f11", "a screenful of columns to the right"),
    Function("enter", "enter,ctrl+j", "run the command; without one open the row"),
    Function("up", "up", "the row above"),
    Function("down", "down", "the row below"),
    Function("next_column", "tab", "choose the next column, for help and sort; on OVERVIEW: the next list"),
    Function("previous_column", "shift+tab", "choose the previous column"),
    Function("again", "ctrl+n", "find the same text again"),
    Function("refresh", "ctrl+r", "take a sample now and show it"),
    Function("minute_back", "shift+left,ctrl+left", "one minute back"),
    Function("minute_on", "shift+right,ctrl+right", "one minute forward"),
    Function("begin", "shift+home", "the first sample of the recording"),
    Function("end", "shift+end", "the last sample of the recording; back to the live machine"),
    Function("tour_next", "ctrl+t", "in zmon demo: the next step of the tour"),
    Function("tour_back", "ctrl+y", "in zmon demo: the previous step"),
    Function("tour", "ctrl+x", "in zmon demo: close the tour, or open it again"),
    Function("interrupt", "ctrl+c", "leave zmon; asks first"),
    Function("quit", "ctrl+q", "leave zmon"),
    Function("column_left", "left", "one column to the left", when="empty"),
    Function("column_right", "right", "one column to the right", when="empty"),
    Function("first_row", "home", "first row", when="empty"),
    Function("last_row", "end", "last row", when="empty"),
    Function("earlier", "less_than_sign", "the previous sample", when="empty"),
    Function("later", "greater_than_sign", "the next sample", when="empty"),
    Function("previous_exception", "left_square_bracket", "the previous exception", when="empty"),
    Function("next_exception", "right_square_bracket", "the next exception", when="empty"),
    Function(
        "pause", "space", "live: hold the screen; recording: play; again: resume or pause", when="empty"
    ),
    Function("faster", "plus", "play faster forwards, or slower backwards", when="empty"),
    Function("slower", "minus", "play slower forwards, or faster backwards", when="empty"),
    Function("caret_left", "left", "in the command: one character to the left", when="typed"),
    Function("caret_right", "right", "in the command: one character to the right", when="typed"),
    Function("caret_home", "home,ctrl+a", "in the command: to its beginning", when="typed"),
    Function("caret_end", "end,ctrl+e", "in the command: to its end", when="typed"),
    Function("erase", "backspace", "in the command: delete the previous character", when="typed"),
    Function("delete", "delete,ctrl+d", "in the command: delete this character", when="typed"),
    Function("erase_word", "ctrl+w", "in the command: delete the previous word", when="typed"),
    Function("clear", "ctrl+u", "delete the command", when="typed"),
)
"""Every function, in the order in which help lists them."""

BY_NAME: Final = {function.name: function for function in FUNCTIONS}


def own_keys() -> str:
    """Return the file of the user's own keys, whether it exists or not."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(config, "zmon", "keys.toml")


def parse_keys(text: str, file: str) -> dict[str, str]:
    """Read a user's keys: for each function named there its keys.

    Raises:
        KeysError: the file is no TOML, or names what is no function, or keys that are no text.
    """
    document = TomlDocument(text, file, KeysError)
    for name, keys in document.data.items():
        place = document.place((name,))
        if name not in BY_NAME:
            raise KeysError(f"{place}: {name!r} is no function; there are {', '.join(BY_NAME)}")
        if not isinstance(keys, str) or not keys:
            raise KeysError(f'{place}: {name} needs its keys as a text, such as "{BY_NAME[name].keys}"')
    return document.data


def load_keys(file: str | None = None) -> dict[str, str]:
    """Read the user's own keys; none when there is no such file.

    Raises:
        KeysError: the file cannot be read or used.
    """
    file = file or own_keys()
    try:
        with open(file, encoding="utf-8") as stream:
            return parse_keys(stream.read(), file)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise KeysError(f"{file}: cannot be read: {error}") from error


def spoken(keys: str) -> str:
    """Write keys as a keyboard names them: `F1`, `Ctrl+P`, `<`."""
    signs = {
        "less_than_sign": "<", "greater_than_sign": ">", "left_square_bracket": "[",
        "right_square_bracket": "]", "question_mark": "?", "exclamation_mark": "!", "plus": "+", "minus": "-",
        "pageup": "PgUp", "pagedown": "PgDn",
    }  # fmt: skip
    return " ".join(
        signs.get(key) or "+".join(part.capitalize() for part in key.split("+")) for key in keys.split(",")
    )
