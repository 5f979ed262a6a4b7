from __future__ import annotations

import pytest

from zmon.base.shipped import shipped
from zmon.screen.definition import Screen, ScreenError, Screens, load_screens, parse_screen
from zmon.screen.menu_items import OTHERS, WHY, explanations, folded, items, lines, with_others

SCREENS = load_screens(shipped("screens"))
MENU = SCREENS.find("MENU")


def test_the_originals_items_stand_in_their_places() -> None:
    """Three columns from 2, 29 and 56; user data below I/O data."""
    drawn = lines(MENU, SCREENS)
    assert [drawn[0][at] for at in (1, 28, 55)] == ["G", "I", "H"]
    assert [drawn[8][at : at + 2] for at in (1, 28, 55)] == ["8.", "--", "38"]
    assert drawn[18][28:] == "User Data                  --. System log"
    assert max(map(len, drawn)) <= 79


@pytest.mark.parametrize("width", range(40, 251, 5))
def test_no_item_is_cut_at_any_width(width: int) -> None:
    """Columns that have no room beside one another stand below one another, with all items in their order."""
    drawn = lines(MENU, SCREENS, width)
    found = items(MENU, SCREENS, width)

    assert max(map(len, drawn)) < width
    assert [drawn[item.line][item.start :][: len(item.written)] for item in found] == [
        item.written for item in found
    ]
    assert [item.code for item in found] == [item.code for item in items(MENU, SCREENS)]


def test_items_without_a_screen_have_a_dash_for_their_number() -> None:
    """So it is visible, without colour, what can be chosen."""
    found = {item.code: item.written for item in items(MENU, SCREENS)}
    assert (found["13"][:4], found["14"][:4]) == ("13. ", "--. ")


def test_items_know_their_command() -> None:
    """What ENTER on them does: each screen with a code in the menu has its item; EVENTS is no screen."""
    commands = {item.code: item.command for item in items(MENU, SCREENS) if item.command}
    assert commands == {screen.menu: screen.command for screen in SCREENS if screen.menu} | {"3J": "EVENTS"}


def test_items_stand_where_they_are_drawn() -> None:
    """The cursor finds them by line and start."""
    drawn = lines(MENU, SCREENS)
    assert [i for i in items(MENU, SCREENS) if not drawn[i.line][i.start :].startswith(i.written)] == []


def test_sections_of_ones_own_come_last() -> None:
    """In the third column, below the others; sections that are not there leave no hole."""
    menu = Screen(
        id="FCX124", items=(("I/O Data", (("11", "Channel"),)), ("Mine", (("X", "A screen of mine"),)))
    )
    assert lines(menu, Screens([])) == [
        "                            I/O Data                   Mine",
        "                            --. Channel                -. A screen of mine",
    ]


def test_a_screen_with_a_code_that_the_menu_does_not_list_stands_among_the_others() -> None:
    """A new file is enough for a screen to be found: its title, as far as there is room, is its item."""
    screen = Screen(id="W", command="WAITS", title="Waits of all that use volumes", table="device", menu="w")
    screens = Screens([MENU, *SCREENS, screen])
    assert with_others(MENU, SCREENS) is MENU
    assert with_others(MENU, screens).items == (*MENU.items, (OTHERS, (("W", "Waits of all that..."),)))
    assert " W. Waits of all that..." in "\n".join(lines(with_others(MENU, screens), screens))


def test_sections_stand_apart_where_there_is_room() -> None:
    """A blank line parts them unless it made the menu longer than its longest column."""
    user = ("User Data", (("21", "Users"),))
    wide = Screen(id="X", items=(("I/O Data", (("11", "Channel"),)), user))
    tall = Screen(id="X", items=(*wide.items, ("General System Data", tuple(("1", "CPU") for _ in range(4)))))
    assert [line.strip() for line in lines(wide, Screens([]))][2] == "User Data"
    assert lines(tall, Screens([]))[3] == " -. CPU                     User Data"


def test_every_item_without_a_screen_has_its_reason_and_no_other_has() -> None:
    """Of the shipped menu: sentences that end; commands such as EVENTS need none."""
    dead = {item.code for item in items(MENU, SCREENS) if not item.command}

    assert {one.code for one in explanations(MENU, SCREENS)} == dead == set(MENU.reasons)
    assert [reason for reason in MENU.reasons.values() if not reason.endswith(".")] == []


def test_reasons_stand_below_the_menu_and_only_where_dead_items_are_shown() -> None:
    """MENU hides both; MENU ALL shows both."""
    assert f" {WHY}" in lines(MENU, SCREENS)
    assert f" {WHY}" not in lines(folded(MENU, SCREENS), SCREENS)


@pytest.mark.parametrize("width", [30, 40, 59, 60, 80, 132])
def test_each_reason_is_whole_where_its_place_says(width: int) -> None:
    """Beside its item, or below it where there is no room."""
    drawn = lines(MENU, SCREENS, width)
    for one in explanations(MENU, SCREENS, width):
        here = drawn[one.line : one.line + len(one.lines)]
        assert here == list(one.lines)
        assert one.reason.split() == " ".join(here).split()[-len(one.reason.split()) :]
        assert max(map(len, here)) < width


def test_a_reason_that_is_no_sentence_is_refused() -> None:
    """With the file, the line and the key."""
    text = 'id = "X"\ncommand = "X"\ntitle = "X"\ntable = "menu"\nlayout = "menu"\n[reasons]\n3 = 4\n'
    with pytest.raises(ScreenError, match="reasons"):
        parse_screen(text, "x.toml")
