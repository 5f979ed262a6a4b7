from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.ui.actions import KEYS
from zmon.ui.frame import HINTS, Hint
from zmon.ui.keys import BY_NAME, FUNCTIONS, KeysError, load_keys, parse_keys, spoken

if TYPE_CHECKING:
    from pathlib import Path


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


def test_own_keys_are_read() -> None:
    """A user's file gives other keys to a function."""
    assert parse_keys('help = "ctrl+g"', "keys.toml") == {"help": "ctrl+g"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("help = ]", "line 1"), ('hlp = "f1"', "keys.toml:1: 'hlp' is no function"), ("help = 1", "as a text")],
)
def test_what_is_wrong_in_own_keys_is_said(text: str, wrong: str) -> None:
    """A file that cannot be used says what and where."""
    with pytest.raises(KeysError, match=wrong):
        parse_keys(text, "keys.toml")


def test_no_file_is_no_own_keys(tmp_path: Path) -> None:
    """Without a file the keys are as they come."""
    assert load_keys(str(tmp_path / "keys.toml")) == {}


def test_an_unreadable_file_is_said(tmp_path: Path) -> None:
    """A file that is a directory cannot be read."""
    with pytest.raises(KeysError, match="cannot be read"):
        load_keys(str(tmp_path))


def test_keys_are_written_as_they_stand_on_a_keyboard() -> None:
    """Help names keys in the words of their caps."""
    assert spoken("f7,pageup,ctrl+p,less_than_sign") == "F7 PgUp Ctrl+P <"
