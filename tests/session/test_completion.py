"""Words on the command line are completed by what there is: commands, screens, columns, things."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ListTimeline
from tests.ui.conftest import machine
from zmon.screen.definition import Screens, load_screens, parse_screen
from zmon.session.commands import COMMANDS
from zmon.session.completion import OPERANDS, Completion, complete
from zmon.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def open_screen() -> Callable[[str], Session]:
    """Open a screen on the last of four minutes."""
    samples, screens = [machine(minute, 3) for minute in range(4)], load_screens()

    def opened(first: str) -> Session:
        session = Session(ListTimeline(samples), screens, first)
        session.end()
        return session

    return opened


def words(session: Session, text: str) -> tuple[str, ...]:
    return complete(session, text).words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dev", ("DEVICE", "DEVLOG")),
        ("REF", ("REFRESH",)),
        ("FC BENC", ("BENCHMRK",)),
        ("sort res", ("resp",)),
        ("SORT resp d", ("DESC",)),
        ("WHERE lab", ("label",)),
        ("WHERE label=pay00", ("label=PAY000", "label=PAY001", "label=PAY002")),
        ("DEVICE 70", ("7000", "7001", "7002")),
        ("DEVLOG pay10", ("PAY100", "PAY101", "PAY102")),
        ("DETAILS 7100", ("7100",)),
        ("DEVICE lcu 0", ("0000", "0100")),
        ("PLOT resp 700", ("7000", "7001", "7002")),
        ("PLOT CTLUNIT.res", ("CTLUNIT.resp",)),
        ("MARK ", ("A", "B")),
        ("compare o", ("OFF",)),
        ("MENU ", ("ALL",)),
        ("HELP PLA", ("PLAY",)),
        ("NOTE d", ()),
        ("xyz d", ()),
    ],
)
def test_a_word_becomes_what_may_stand_there(
    open_screen: Callable[[str], Session], text: str, expected: tuple[str, ...]
) -> None:
    """In letters of either case."""
    assert sorted(words(open_screen("DEVICE"), text)) == sorted(expected)


def test_what_is_common_is_spelled_as_the_candidates(open_screen: Callable[[str], Session]) -> None:
    """`dev` becomes DEV, since DEVICE and DEVLOG begin so."""
    session = open_screen("MENU")
    assert complete(session, "dev") == Completion(0, ("DEVICE", "DEVLOG"), "DEV")
    assert complete(session, "DEVICE pay") == Completion(
        7, ("PAY000", "PAY001", "PAY002", "PAY100", "PAY101", "PAY102"), "PAY"
    )
    assert complete(session, "nothing") == Completion(0, (), "nothing")


def test_nothing_that_is_listed_changes_the_screen(open_screen: Callable[[str], Session]) -> None:
    """The page and its sheet stay."""
    session = open_screen("CHANNEL")
    sheet = session.sheet()
    assert words(session, "DEVICE 70")
    assert session.sheet() is sheet
    assert session.page.screen.command == "CHANNEL"


@pytest.mark.parametrize("screen", ["CHANNEL", "DEVICE", "MENU"])
def test_things_are_known_on_each_screen(open_screen: Callable[[str], Session], screen: str) -> None:
    """Also those of lists that show what was before: their names are in the present interval."""
    assert words(open_screen(screen), "CHANLOG 4") == ("40", "41", "42")


def test_before_the_first_sample_there_are_no_things() -> None:
    """But commands and screens are there."""
    session = Session(ListTimeline([]), load_screens(), "DEVICE")
    assert words(session, "DEVICE 7") == ()
    assert words(session, "CTLUN") == ("CTLUNIT",)


def test_what_a_screen_is_about_is_listed_and_named() -> None:
    """And the commands with operands are commands."""
    screens = load_screens()
    about = {command for screen in screens for command in screen.about}
    assert {command for command in about if not screens.find(command).naming} == set()
    assert about <= set(screens.commands)
    assert set(OPERANDS) <= {command.word for command in COMMANDS}


def test_a_screen_of_the_users_own_is_about_lists_that_are_there() -> None:
    """Their things are offered; a list that is not there has none."""
    mine = 'id = "MINE"\ncommand = "MINE"\ntitle = "Mine"\ntable = "device_log"\nabout = ["NOPE", "DEVICE"]\n'
    screens = Screens([*load_screens(), parse_screen(mine, "mine.toml")])
    session = Session(ListTimeline([machine(minute, 3) for minute in range(2)]), screens, "DEVICE")
    session.end()
    assert sorted(words(session, "MINE 70")) == ["7000", "7001", "7002"]


@given(text=st.text(alphabet="devicsortplg 70=.<>~!A", max_size=14))
def test_any_text_can_be_completed(open_screen: Callable[[str], Session], text: str) -> None:
    """Each candidate begins with the word, and so does what they have in common."""
    found = complete(open_screen("DEVICE"), text)
    word = text[found.begin :].casefold()
    assert all(one.casefold().startswith(word) for one in (*found.words, found.common))
