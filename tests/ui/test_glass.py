from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.dialogue import Dialogue
from zmon.screen.definition import load_screens
from zmon.tape.tape import Watch
from zmon.ui.glass import Glass
from zmon.ui.line import texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.dialogue import Filling
    from zmon.sample import Sample


class Pace:
    """Notes what the glass asks for."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self.held = False
        self.asked: list[str] = []
        self.filling: Filling | None = None

    def now(self) -> None:
        """Note it."""
        self.asked.append("now")

    def hold(self, *, held: bool) -> None:
        """Note it."""
        self.held = held

    def fill(self, filling: Filling) -> None:
        """Note it."""
        self.filling = filling


@pytest.fixture
def pace() -> Pace:
    """Return who would take the samples."""
    return Pace()


@pytest.fixture
def live(make_tape: Callable[..., Any], pace: Pace, utc: None) -> Glass:  # noqa: ARG001 - clocks show UTC
    """Return the glass before the first sample of a live machine; DEVICE is to be opened."""
    return Glass(Dialogue(Watch(make_tape([], live=True)), load_screens()), "DEVICE", pace)


def shown(glass: Glass) -> str:
    """Return the whole screen as one text."""
    return texts(glass.lines())


def test_every_size_is_filled_exactly(glass: Glass) -> None:
    """There are as many lines as the terminal has, from 1x1 on."""
    for command in ("MENU", "CHANNEL", "DEVICE 7003", "HELP"):
        glass.type(command)
        glass.press("enter")
        for width, height in [(1, 1), (10, 3), (40, 9), (80, 24), (132, 43), (300, 100)]:
            glass.resize(width, height)

            assert len(glass.lines()) == height


def test_the_first_command_waits_for_the_first_sample(
    live: Glass, make_sample: Callable[..., Sample]
) -> None:
    """A screen given at the start opens when there is something to show."""
    assert "Waiting for the first sample" in shown(live)

    live.sampled(make_sample(0))

    assert "FCX108" in shown(live)


def test_a_wrong_first_command_is_said_on_the_menu(
    make_tape: Callable[..., Any], make_sample: Callable[..., Sample], pace: Pace
) -> None:
    """Who starts with what is not there gets the menu and the reason."""
    glass = Glass(Dialogue(Watch(make_tape([], live=True)), load_screens()), "DEVICE 9999", pace)
    glass.sampled(make_sample(0))

    assert "FCX124" in shown(glass)
    assert "no device '9999'" in shown(glass)


def test_a_sample_is_shown_when_its_table_is_filled(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """Header and rows change together."""
    live.sampled(make_sample(0))
    live.sampled(make_sample(1))

    assert "--:--:-- - 12:00:00" in shown(live)

    assert pace.filling is not None
    live.filled(pace.filling, pace.filling.table())

    assert "12:00:00 - 12:01:00" in shown(live)


def test_a_table_of_a_screen_that_was_left_changes_nothing(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """What comes too late is not shown on another screen."""
    live.sampled(make_sample(0))
    live.sampled(make_sample(1))
    late = pace.filling
    live.type("CTLUNIT")
    live.press("enter")
    before = shown(live)
    assert late is not None
    live.filled(late, late.table())

    assert shown(live) == before


def test_a_held_screen_stands_still(live: Glass, pace: Pace, make_sample: Callable[..., Sample]) -> None:
    """SPACE holds the screen, which says so; samples on their way are not shown."""
    live.sampled(make_sample(0))
    live.press("pause")
    live.sampled(make_sample(1))

    assert pace.filling is None
    assert "Held: SPACE lets it go on" in shown(live)


def test_redisplay_takes_a_sample(live: Glass, pace: Pace) -> None:
    """F2 does not wait for the interval to end."""
    live.press("redisplay")

    assert pace.asked == ["now"]


def test_a_live_machine_has_no_samples_before(live: Glass, make_sample: Callable[..., Sample]) -> None:
    """Stepping is for captures, and it is said."""
    live.sampled(make_sample(0))
    live.press("earlier")

    assert "in a capture only" in shown(live)


def test_a_failed_sample_is_said_and_the_screen_stays(
    live: Glass, make_sample: Callable[..., Sample]
) -> None:
    """A message tells what failed above what was seen last."""
    live.sampled(make_sample(0))
    live.failed("No sample: Input/output error")

    assert "No sample: Input/output error" in shown(live)
    assert "FCX108" in shown(live)


def test_a_table_that_fails_gives_way_to_the_reason_and_comes_back(
    live: Glass, pace: Pace, make_sample: Callable[..., Sample]
) -> None:
    """Old figures are not shown under a new interval; the next good table is."""
    live.sampled(make_sample(0))
    live.sampled(make_sample(1))
    live.failed("DEVICE cannot be filled: no reason", pace.filling)

    assert "7003 3390-C" not in shown(live)

    live.sampled(make_sample(2))
    assert pace.filling is not None
    live.filled(pace.filling, pace.filling.table())

    assert "7003 3390-C" in shown(live)


def test_help_of_a_page_says_why_there_are_dots(glass: Glass) -> None:
    """On a page every absent field has its reason."""
    glass.type("DEVICE 7003")
    glass.press("enter")
    glass.press("help")
    glass.press("bottom")

    assert "only CP knows this; Linux does not" in shown(glass)


def test_help_goes_from_column_to_screen_to_keys(glass: Glass) -> None:
    """F1 again tells more; F12 returns to the screen at once."""
    glass.type("CTLUNIT")
    glass.press("enter")
    glass.press("next_column")
    titles = []
    for _ in range(3):
        glass.press("help")
        titles.append(next(w for w in ("ssid - LCU", "FCX176 CTLUNIT", " Keys") if w in shown(glass)))
    glass.press("back")

    assert titles == ["ssid - LCU", "FCX176 CTLUNIT", " Keys"]
    assert "Select a control unit" in shown(glass)


def test_help_of_what_is_no_column_says_which_there_are(glass: Glass) -> None:
    """A wrong name is answered with the right ones."""
    glass.type("DEVICE")
    glass.press("enter")
    glass.type("HELP foo")
    glass.press("enter")

    assert "'foo' is no column here; there are addr, type" in shown(glass)


def test_escape_first_clears_what_was_typed(glass: Glass) -> None:
    """A command that is not given yet is dropped before the screen is left."""
    glass.type("foo")
    glass.press("back")

    assert (glass.entry.text, glass.ended) == ("", False)


def test_returning_from_the_first_screen_ends(glass: Glass) -> None:
    """F3 on the menu leaves zmon."""
    glass.press("back")

    assert glass.ended


def test_the_menu_is_walked_with_the_arrows(glass: Glass) -> None:
    """Right and left go to the next column of the menu, up and down through its items."""
    glass.press("down")
    below = glass.pane.command
    glass.press("column_left")

    assert (below, glass.pane.command) == ("CTLUNIT", "LPAR")


def test_again_finds_the_next_one(glass: Glass) -> None:
    """Ctrl+N goes on looking for the same text."""
    glass.type("DEVICE")
    glass.press("enter")
    glass.type("/PAY1")
    glass.press("enter")
    glass.press("again")

    assert ">7101" in shown(glass)


def test_what_is_not_found_is_said(glass: Glass) -> None:
    """A search without success leaves the cursor where it is."""
    glass.type("DEVICE")
    glass.press("enter")
    glass.type("/nowhere")
    glass.press("enter")

    assert "'nowhere' is not in" in shown(glass)
