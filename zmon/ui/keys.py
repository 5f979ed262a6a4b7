"""The functions of the glass and their keys: the one list that bindings and help are made from.

A 3270 sends what is typed to the command line.  So a key that is a character is a function only while the
command line is empty, and in the map of the Toolkit, `fcon`, letters and digits never are.  The maps `vi` and
`less` give letters to functions; there `:` opens the command line.

A user's own keys are in a table `[keys]` of the settings, or in `$XDG_CONFIG_HOME/zmon/keys.toml`, a line for
each function: `help = "f1,ctrl+g"`.
"""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base import own_files
from zmon.base.plain_text import did_you_mean
from zmon.base.toml import TomlDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.toml import TomlTable


class KeysError(ValueError):
    """Keys that cannot be used: which, where, and what would be right."""


class Function(NamedTuple):
    """One thing that a key does."""

    name: str
    """Its name among a user's own keys and in `actions.KEYS`."""
    keys: str
    """Its keys as Textual names them, separated by commas."""
    help: str
    when: str = ""
    """`empty` or `typed`: only while the command line is, or is not, empty."""


class OwnKeys(NamedTuple):
    """What a user has written for one function."""

    keys: str
    place: str
    """The file and the line."""
    takes: bool = False
    """Whether a function of the map that has one of these keys loses it; else that is an error."""


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
    Function("half_backward", "", "half a screenful up", when="empty"),
    Function("half_forward", "", "half a screenful down", when="empty"),
    Function(
        "sort", "f9,shift+f9", "sort on the column that TAB chose (again: reverse); else list the columns"
    ),
    Function("sort_menu", "ctrl+o", "list the columns; ENTER sorts on one"),
    Function("command", "", "open the command line", when="empty"),
    Function("left", "f10,shift+f10", "a screenful of columns to the left"),
    Function("right", "f11,shift+f11", "a screenful of columns to the right"),
    Function("enter", "enter,ctrl+j", "run the command; without one open the row"),
    Function("up", "up", "the row above", when="empty"),
    Function("down", "down", "the row below", when="empty"),
    Function(
        "next_column", "tab", "choose the next column, for help and sort; on OVERVIEW: the next part",
        when="empty",
    ),
    Function("previous_column", "shift+tab", "choose the previous column", when="empty"),
    Function("again", "ctrl+n", "find the same text again"),
    Function("again_above", "ctrl+b", "find the same text above"),
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
    Function("complete", "tab", "in the command: complete the word; again: the next candidate", when="typed"),
    Function("complete_back", "shift+tab", "in the command: the previous candidate", when="typed"),
    Function("older", "up", "in the command: an older command", when="typed"),
    Function("newer", "down", "in the command: a newer command", when="typed"),
    Function("caret_left", "left", "in the command: one character to the left", when="typed"),
    Function("caret_right", "right", "in the command: one character to the right", when="typed"),
    Function("caret_home", "home,ctrl+a", "in the command: to its beginning", when="typed"),
    Function("caret_end", "end,ctrl+e", "in the command: to its end", when="typed"),
    Function("erase", "backspace", "in the command: delete the previous character", when="typed"),
    Function("delete", "delete,ctrl+d", "in the command: delete this character", when="typed"),
    Function("erase_word", "ctrl+w", "in the command: delete the previous word", when="typed"),
    Function("clear", "ctrl+u", "delete the command", when="typed"),
)  # fmt: skip
"""Every function, in the order in which help lists them."""

BY_NAME: Final = {function.name: function for function in FUNCTIONS}

_LETTERS: Final = {
    "down": "j,down",
    "up": "k,up",
    "column_left": "h,left",
    "column_right": "l,right",
    "top": "g,ctrl+home",
    "bottom": "G,f5,shift+f5,ctrl+end",
    "half_backward": "ctrl+u",
    "half_forward": "ctrl+d",
    "again": "n,ctrl+n",
    "again_above": "N",
    "backward": "ctrl+b,f7,shift+f7,pageup",
    "forward": "ctrl+f,f8,shift+f8,pagedown",
    "sort_menu": "s,ctrl+o",
    "command": "colon",
}

MAPS: Final[Mapping[str, Mapping[str, str]]] = {
    "fcon": {},
    "vi": _LETTERS,
    "less": _LETTERS | {
        "down": "j,e,down",
        "up": "k,y,up",
        "column_left": "left",
        "column_right": "right",
        "half_backward": "u,ctrl+u",
        "half_forward": "d,ctrl+d",
        "backward": "b,ctrl+b,f7,shift+f7,pageup",
        "forward": "space,f,ctrl+f,f8,shift+f8,pagedown",
        "pause": "p",
        "refresh": "r,ctrl+r",
        "end": "F,shift+end",
        "keys": "h,H,question_mark",
        "back": "q,f3,f12,shift+f12,escape",
        "quit": "Q,ctrl+q",
    },
}  # fmt: skip
"""By the name of a map: the functions whose keys are others than those in `FUNCTIONS`."""

NAMED_MAP: Final = "map"
"""The entry of `[keys]` that names the map."""
NONE: Final = "none"
"""Written instead of keys: the function has none."""

_NAMED: Final = {
    "solidus": "slash", "reverse_solidus": "backslash", "commercial_at": "at", "hyphen_minus": "minus",
    "plus_sign": "plus", "low_line": "underscore",
}  # fmt: skip
"""Signs that Textual calls otherwise than Unicode does."""


def _name(sign: str) -> str:
    """Return what Textual calls a key that is a sign."""
    name = unicodedata.name(sign, sign).lower().replace("-", "_").replace(" ", "_")
    return _NAMED.get(name, name)


SIGNS: Final = {_name(char): char for char in map(chr, range(33, 127)) if not char.isalnum()}
"""The signs of ASCII by the names of their keys."""
OTHER_NAMES: Final = {
    "esc": "escape", "pgup": "pageup", "pgdn": "pagedown", "pgdown": "pagedown", "del": "delete",
    "ins": "insert", "return": "enter",
}  # fmt: skip
NAMES: Final = frozenset({
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete", "backspace",
    "enter", "tab", "escape", "space", *(f"f{number}" for number in range(1, 25)),
})  # fmt: skip
"""Keys that are no characters, and the space bar."""
MODIFIERS: Final = frozenset({"ctrl", "shift", "alt"})


def key_name(written: str) -> str:
    """Return what Textual calls a key that a person has written: `F1`, `Ctrl+P`, `pgdn`, `/`.

    Raises:
        ValueError: there is no such key; says what may be meant.
    """
    word = written.strip()
    if len(word) == 1:
        word = _name(word) if word.isascii() and not word.isalnum() else word
    *modifiers, last = word.split("+")
    last = last if len(last) == 1 and not modifiers else last.lower()
    last = OTHER_NAMES.get(last, last)
    is_key = last in NAMES or last in SIGNS or (len(last) == 1 and last.isalnum())
    if not is_key or not MODIFIERS.issuperset(map(str.lower, modifiers)):
        names = (*NAMES, *SIGNS, *OTHER_NAMES)
        advice = did_you_mean(last, names) if modifiers or len(last) > 1 else ""
        raise ValueError(
            f"{word!r:.40} is no key{advice or '; keys are f1, pageup, ctrl+g, space, /, x ...'}"
        )
    return "+".join((*map(str.lower, modifiers), last))


def is_character(key: str) -> bool:
    """Tell whether a key is one that is typed into a command."""
    return len(key) == 1 or key in SIGNS or key == "space"


class KeyMap:
    """Which key does what: a map, with a user's own keys in it."""

    def __init__(self, name: str = "fcon", own: Mapping[str, OwnKeys] | None = None) -> None:
        """Put own keys, by function, in the place of those of a map.

        Raises:
            KeysError: two functions would have the same key.
        """
        self.name = name
        self.own = own or {}
        self.keys = {function.name: MAPS[name].get(function.name, function.keys) for function in FUNCTIONS}
        self._does: dict[tuple[str, str], str] = {}
        """The function by state of the command line, `empty` or `typed`, and key."""
        for function, (keys, _, _) in self.own.items():
            self.keys[function] = keys
        for function in (*self.own, *(name for name in self.keys if name not in self.own)):
            kept = [key for key in self.keys[function].split(",") if key and self._give(key, function)]
            self.keys[function] = ",".join(kept)

    def _give(self, key: str, function: str) -> bool:
        """Give a key to a function; return False if a user has given it to another one.

        Raises:
            KeysError: it belongs to another one, and neither has precedence.
        """
        when = BY_NAME[function].when
        states = {when} if when else {"empty", "typed"}
        if is_character(key):
            states &= {"empty"}
        for state in sorted(states):
            other = self._does.setdefault((state, key), function)
            if other == function:
                continue
            if function not in self.own and self.own[other].takes:
                return False
            raise KeysError(self._conflict(key, function, other))
        return True

    def _conflict(self, key: str, function: str, other: str) -> str:
        """Return that a user's key is that of another function, too, and what to write."""
        if function not in self.own:
            function, other = other, function
        kept = ",".join(key_kept for key_kept in self.keys[other].split(",") if key_kept != key) or NONE
        return (
            f"{self.own[function].place}: keys.{function}: {spoken(key)} is the key of {other}, too"
            f' ({BY_NAME[other].help}); write {other} = "{kept}", or another key for {function}'
        )

    def function(self, key: str, *, typed: bool) -> str:
        """Return the function of a key while the command line is `typed` into or empty; `""` for none."""
        return self._does.get(("typed" if typed else "empty", key), "")

    def spoken(self, name: str) -> str:
        """Return the keys of a function as a keyboard names them, without those of PF13 and on."""
        return spoken(",".join(key for key in self.keys[name].split(",") if not key.startswith("shift+f")))

    def called(self, name: str, usual: str) -> str:
        """Return a key of a function for a sentence: the usual one if it has that, else its first."""
        return usual if key_name(usual) in self.keys[name].split(",") else self.first(name) or "no key"

    def first(self, name: str) -> str:
        """Return the first key of a function as a keyboard names it; empty if it has none."""
        return spoken(self.keys[name].partition(",")[0])


def own_keys() -> str:
    """Return the file of the user's own keys, whether it exists or not."""
    return os.path.join(own_files.config(os.environ), "keys.toml")


def read_own(table: TomlTable, *, takes: bool = False) -> dict[str, OwnKeys]:
    """Return the keys that a table gives to functions; an entry that names the map is passed over.

    Raises:
        ValueError: an entry is no function, or its keys are none; the error of the document.
    """
    own = {}
    for name, written in table.data.items():
        if name == NAMED_MAP:
            continue
        if name not in BY_NAME:
            advice = did_you_mean(name, (*BY_NAME, NAMED_MAP)) or f"; there are {', '.join(BY_NAME)}"
            raise table.wrong(name, f"is no function{advice}")
        keys = ",".join(table.words(name)) if isinstance(written, list) else written
        if not isinstance(keys, str) or not keys.strip():
            raise table.wrong(name, f'needs its keys as a text, such as "{BY_NAME[name].keys or NONE}"')
        try:
            named = [] if keys.strip() == NONE else [key_name(key) for key in keys.split(",")]
        except ValueError as error:
            raise table.wrong(name, str(error)) from error
        if BY_NAME[name].when == "typed" and any(map(is_character, named)):
            raise table.wrong(name, "is for the time while a command is typed, where characters are typed")
        own[name] = OwnKeys(",".join(named), table.place(name), takes)
    return own


def load_keys(file: str | None = None) -> dict[str, OwnKeys]:
    """Read the user's own keys from `keys.toml`; none when there is no such file.

    Raises:
        KeysError: the file cannot be read or used.
    """
    file = file or own_keys()
    try:
        with open(file, encoding="utf-8") as stream:
            return read_own(TomlDocument(stream.read(), file, KeysError).top(), takes=True)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise KeysError(f"{file}: cannot be read: {error}") from error


def spoken(keys: str) -> str:
    """Write keys as a keyboard names them: `F1`, `Ctrl+P`, `<`, `g`."""
    names = {"pageup": "PgUp", "pagedown": "PgDn"} | SIGNS
    return " ".join(
        key if len(key) == 1 else "+".join(names.get(part) or part.capitalize() for part in key.split("+"))
        for key in keys.split(",")
    )
