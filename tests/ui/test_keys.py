from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.keys import _character_to_key

from zmon.base.toml import TomlDocument
from zmon.cli.subcommands import KEY_MAPS
from zmon.ui.actions import KEYS, keys_of
from zmon.ui.frame import HINTS, Hint, hints_of
from zmon.ui.keys import (
    BY_NAME,
    FUNCTIONS,
    MAPS,
    SIGNS,
    KeyMap,
    KeysError,
    OwnKeys,
    key_name,
    load_keys,
    read_own,
    spoken,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.interpreter


def own(text: str, *, takes: bool = False) -> dict[str, OwnKeys]:
    """Return the keys of a text in the form of keys.toml."""
    return read_own(TomlDocument(text, "keys.toml", KeysError).top(), takes=takes)


def test_every_function_can_be_carried_out() -> None:
    """Each function of the list is a method of the keyboard."""
    assert {function.name for function in FUNCTIONS} == set(KEYS)


@pytest.mark.parametrize("hint", [hint for hint in HINTS if hint.key != "?"], ids=lambda hint: hint.label)
def test_the_last_line_names_the_functions_of_its_keys(hint: Hint) -> None:
    """What it promises is what the keys do, and what the Toolkit's keys are called there."""
    signs = {"!": "exclamation_mark", "<": "less_than_sign", ">": "greater_than_sign",
             "[": "left_square_bracket", "]": "right_square_bracket"}  # fmt: skip
    for key, name in zip(hint.key.split(), hint.functions, strict=True):
        assert signs.get(key, key.lower()) in BY_NAME[name].keys.split(",")


def test_no_letter_is_a_function() -> None:
    """Letters and digits go to the command line."""
    assert [key for f in FUNCTIONS for key in f.keys.split(",") if len(key) == 1] == []


def test_shift_f3_is_no_alias() -> None:
    """Terminals swallow Shift+F3, so nothing is promised for it."""
    assert "shift+f3" not in {key for f in FUNCTIONS for key in f.keys.split(",")}


def test_the_option_has_the_maps_that_there_are() -> None:
    """The list of options does not load the keys."""
    assert tuple(MAPS) == KEY_MAPS


@pytest.mark.parametrize("name", MAPS)
def test_a_map_has_no_conflict_and_a_way_to_each_function(name: str) -> None:
    """What has no key in it is done by a command, or is for another map."""
    keymap = KeyMap(name)
    assert set(MAPS[name]) <= set(BY_NAME)
    without = {function for function, keys in keymap.keys.items() if not keys}
    assert without == ({"half_backward", "half_forward", "command"} if name == "fcon" else set())


@pytest.mark.parametrize("name", ["vi", "less"])
def test_letters_are_functions_only_while_the_command_line_is_empty(name: str) -> None:
    """In a command they are typed; the arrows go from one command to the next there."""
    keymap = KeyMap(name)
    assert [keymap.function(key, typed=False) for key in ("j", "G", "colon", "up")] == [
        "down", "bottom", "command", "up",
    ]  # fmt: skip
    assert [keymap.function(key, typed=True) for key in ("j", "G", "colon", "up")] == ["", "", "", "older"]


def test_digits_begin_a_command_in_each_map() -> None:
    """The numbers of the menu can be typed."""
    assert not any(KeyMap(name).function(str(digit), typed=False) for name in MAPS for digit in range(10))


def test_own_keys_are_read() -> None:
    """A user's file gives other keys to a function, as a person writes them, or as a list."""
    assert own('help = "Ctrl+G"') == {"help": OwnKeys("ctrl+g", "keys.toml:1")}
    assert own('help = ["F1", "?"]')["help"].keys == "f1,question_mark"
    assert own('tour = "none"')["tour"].keys == ""


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("help = ]", ":1: "),
        ('hlp = "f1"', "keys.toml:1: hlp: is no function: did you mean help"),
        ('zzz = "f1"', "keys.toml:1: zzz: is no function; there are help, "),
        ("help = 1", "as a text"),
        ('help = ""', "as a text"),
        ('\nhelp = "pagedwn"', "keys.toml:2: help: 'pagedwn' is no key: did you mean pagedown"),
        ('help = "crtl+g"', "'crtl\\+g' is no key"),
        ('erase = "x"', "erase: "),
    ],
)
def test_what_is_wrong_in_own_keys_is_said(text: str, wrong: str) -> None:
    """A file that cannot be used says what and where."""
    with pytest.raises(KeysError, match=wrong):
        own(text)


def test_a_key_of_two_functions_is_an_error_that_says_what_to_write() -> None:
    """Its place, the other function, and what that would keep."""
    with pytest.raises(KeysError) as found:
        KeyMap("fcon", own('tour = "ctrl+x"\nmenu = "f1"'))
    assert str(found.value).startswith(
        f"keys.toml:2: keys.menu: F1 is the key of help, too ({BY_NAME['help'].help})"
    )
    assert 'write help = "shift+f1"' in str(found.value)
    KeyMap("fcon", own('menu = "f1"\nhelp = "shift+f1"'))
    with pytest.raises(KeysError, match=r"keys\.toml:2: keys\.tour: F4 is the key of menu"):
        KeyMap("fcon", own('menu = "f4"\ntour = "f4"'))


def test_keys_that_are_for_different_states_are_no_conflict() -> None:
    """TAB goes to the next column, and in a command completes it."""
    keymap = KeyMap("fcon", own('next_column = "ctrl+g"\ncomplete = "ctrl+g"'))
    assert [keymap.function("ctrl+g", typed=typed) for typed in (False, True)] == ["next_column", "complete"]


def test_keys_toml_takes_keys_from_functions_that_it_does_not_name() -> None:
    """As it always did; a table in the settings has to say what the other function gets."""
    keymap = KeyMap("fcon", own('menu = "f1"', takes=True))
    assert keymap.function("f1", typed=False) == "menu"
    assert keymap.keys["help"] == "shift+f1"


def test_no_file_is_no_own_keys(tmp_path: Path) -> None:
    """Without a file the keys are as they come."""
    assert load_keys(str(tmp_path / "keys.toml")) == {}


def test_an_unreadable_file_is_said(tmp_path: Path) -> None:
    """A file that is a directory cannot be read."""
    with pytest.raises(KeysError, match="cannot be read"):
        load_keys(str(tmp_path))


def test_keys_are_written_as_they_stand_on_a_keyboard() -> None:
    """Help names keys in the words of their caps."""
    assert spoken("f7,pageup,ctrl+p,less_than_sign,g,G,colon") == "F7 PgUp Ctrl+P < g G :"


def test_signs_are_called_as_textual_calls_them() -> None:
    """Else a key would be bound that never comes."""
    assert {_character_to_key(sign): sign for sign in SIGNS.values()} == SIGNS


@given(st.text(max_size=20))
def test_any_text_is_a_key_or_refused(text: str) -> None:
    """A key's name is that of itself."""
    name = ""
    with suppress(ValueError):
        name = key_name(text)
    if name:
        assert key_name(name) == name
    else:
        with pytest.raises(ValueError, match="is no key"):
            key_name(text)


def test_a_sentence_names_a_key_that_holds() -> None:
    """The usual one as long as it does."""
    keymap = KeyMap("less", own('help = "ctrl+g"\nbottom = "none"'))
    assert keymap.called("back", "F12") == "F12"
    assert keymap.called("pause", "SPACE") == "p"
    assert keymap.called("help", "F1") == "Ctrl+G"
    assert keymap.called("bottom", "F5") == "no key"


def test_the_last_line_has_the_keys_that_hold() -> None:
    """Those of the map and the user's own; a function without a key is not named."""
    hints = {
        hint.label: hint.text for hint in hints_of(KeyMap("less", own('menu = "none"\nredisplay = "ctrl+g"')))
    }
    assert hints["Return"] == "q=Return"
    assert hints["Fwd"] == "Space=Fwd"
    assert hints["Redisp"] == "Ctrl+G=Redisp"
    assert hints["Help"] == "F1=Help"
    assert hints["Exc"] == "[ ] Exc"
    assert "Menu" not in hints
    assert hints_of(KeyMap()) == list(HINTS)


def test_a_fleet_lists_no_key_that_it_refuses() -> None:
    """DIAGNOSE and REDISP are screens of one system."""
    keymap = KeyMap("fcon")
    refused = {does for _, does in keys_of(keymap)} - {does for _, does in keys_of(keymap, is_fleet=True)}
    assert refused == {BY_NAME["diagnose"].help, BY_NAME["redisplay"].help}
