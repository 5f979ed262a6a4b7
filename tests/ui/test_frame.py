"""The lines around the pane."""

from __future__ import annotations

import pytest

from zmon.base.shipped import shipped
from zmon.screen.definition import Screen, load_screens
from zmon.ui.actions import KEYS
from zmon.ui.frame import HINTS, key_at, keys_line

SCREENS = load_screens(shipped("screens"))
DEVICE, MENU = SCREENS.find("DEVICE"), SCREENS.find("MENU")


@pytest.mark.parametrize(
    ("screen", "width", "text"),
    [
        (MENU, 80, " F1=Help F7=Bkwd F8=Fwd F12=Return ?=Keys SPACE=Play ! Why [ ] Exc < > Sample"),
        (DEVICE, 80, " F1=Help F7=Bkwd F8=Fwd F11=Right F12=Return TAB=Col SPACE=Play ! Why [ ] Exc"),
        (
            DEVICE,
            132,
            (
                " F1=Help F2=Redisp F5=Bot F7=Bkwd F8=Fwd F9=Sort F10=Left F11=Right F12=Return"
                " ?=Keys TAB=Col SPACE=Play ! Why [ ] Exc < > Sample"
            ),
        ),
    ],
)
def test_the_last_line_names_what_does_something_here(screen: Screen, width: int, text: str) -> None:
    """Left and right where the screen is wider, sorting where there are columns; as many as fit."""
    assert keys_line(screen, width).text == text


@pytest.mark.parametrize("screen", [DEVICE, MENU])
@pytest.mark.parametrize("width", [80, 132])
def test_space_holds_the_live_machine_and_plays_what_was_recorded(screen: Screen, width: int) -> None:
    """The key is named by what it does now, whole."""
    live, past = keys_line(screen, width, live=True), keys_line(screen, width)
    assert (" SPACE=Hold " in live.text, "Play" in live.text) == (True, False)
    assert live.text.replace("Hold", "Play") == past.text
    assert key_at(live, live.text.index("SPACE") + 2) == key_at(past, past.text.index("SPACE") + 2) == "pause"
    assert len(live.text) < width


def test_on_a_wide_glass_all_keys_are_named() -> None:
    """With two blanks between them, as the Toolkit has them."""
    text = keys_line(MENU, 200).text
    assert text.startswith(" F1=Help  F2=Redisp  F4=Menu")
    assert all(f"  {hint.text}" in f" {text}" for hint in HINTS if hint.when in {"", "past"})


@pytest.mark.parametrize("width", range(40, 250, 7))
@pytest.mark.parametrize("screen", [DEVICE, MENU])
def test_each_key_of_the_last_line_can_be_clicked(screen: Screen, width: int) -> None:
    """Each of its words is a function; between them is none."""
    line = keys_line(screen, width)
    for start, _end, _kind in line.parts:
        assert key_at(line, start) in KEYS
    assert key_at(line, 0) == ""
    assert len(line.parts) > 2
    assert len(line.text) <= width


def test_two_keys_named_together_are_two_to_click() -> None:
    """The first on its sign, the second on the rest."""
    line = keys_line(DEVICE, 132)
    start = line.text.index("< >")
    assert [key_at(line, start + place) for place in (0, 2, 5)] == ["earlier", "later", "later"]
