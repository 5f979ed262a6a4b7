from __future__ import annotations

import pytest

from tests.conftest import ListTape
from zmon.kinds import BLOCK
from zmon.lab.tour import Scene, Step, Tour
from zmon.sample import Frame, Instant, Sample
from zmon.screen.definition import load_screens, shipped
from zmon.session.command import CommandError
from zmon.session.dialogue import Dialogue
from zmon.session.guide import Guide, Window
from zmon.session.tape import Watch

SECOND = 1_000_000_000
SCREENS = load_screens(shipped("screens"))
HOUR = 3600 * SECOND


def step(*commands: str, scene: str = "one") -> Step:
    """Return a step that these commands bring about."""
    return Step("A step", "Seen from {one}.", commands, f"Type {commands[-1]}", (), ("x",), scene)


TOUR = Tour(
    "A tour",
    "",
    (Scene("one", 0, 3600), Scene("two", 0, 3600)),
    (
        step("MENU"),
        step("DEVICE"),
        step("DEVICE io>5"),
        step("CTLUNIT"),
        step("CTLUNIT", scene="two"),
        step("CTLUNIT", "COMPARE {one}", scene="two"),
    ),
)


def sample(hour: int, source: str) -> Sample:
    at = hour * HOUR
    return Sample(Instant(at, at, source), {BLOCK.name: Frame(BLOCK, [], {}, [])}, source, 1.0)


@pytest.fixture
def dialogue(utc: None) -> Dialogue:  # noqa: ARG001 - clocks show UTC
    """Return a dialogue over two scenes, at the end of the first, with a guide."""
    tape = ListTape([sample(hour, "lab:one" if hour < 3 else "lab:two") for hour in range(1, 5)])
    watch = Watch(tape)
    watch.seek(2 * HOUR)
    found = Dialogue(watch, SCREENS)
    windows = {"one": Window("lab:one", HOUR, 2 * HOUR), "two": Window("lab:two", 3 * HOUR, 4 * HOUR)}
    found.guide = Guide(TOUR, windows)
    return found


def place(dialogue: Dialogue) -> int:
    """Look at the dialogue as whoever shows it does, and return which step it is."""
    assert dialogue.guide is not None
    dialogue.guide.look(dialogue)
    return dialogue.guide.place


def test_a_step_is_on_when_its_page_is_shown(dialogue: Dialogue) -> None:
    """However one came there."""
    assert place(dialogue) == 0
    dialogue.run("13")
    assert place(dialogue) == 1


def test_another_page_is_no_step(dialogue: Dialogue) -> None:
    """Nor the right screen about something else."""
    dialogue.run("DEVICE io>7")
    assert place(dialogue) == 0
    dialogue.run("DEVICE io>5")
    assert place(dialogue) == 2


def test_steps_may_be_passed_over(dialogue: Dialogue) -> None:
    """Whoever knows the way need not do them all; nobody is led back."""
    dialogue.run("CTLUNIT")
    assert place(dialogue) == 3
    dialogue.run("DEVICE")
    assert place(dialogue) == 3


def test_a_step_is_of_its_scene(dialogue: Dialogue) -> None:
    """The same page at another time is another step."""
    dialogue.run("GO end")
    dialogue.run("CTLUNIT")
    assert place(dialogue) == 4


def test_next_and_back_do_what_a_step_says(dialogue: Dialogue) -> None:
    """Also where it goes to another scene, compares, or no longer does."""
    for number in (1, 2, 3, 4, 5):
        dialogue.run("TOUR NEXT")
        assert place(dialogue) == number
    compared = dialogue.page
    assert compared.against is not None
    dialogue.run("tour back")
    assert place(dialogue) == 4
    assert dialogue.page.against != compared.against
    dialogue.run("TOUR 2")
    assert place(dialogue) == 1
    assert dialogue.watch.utc == 2 * HOUR


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("TOUR BACK", "This is the first step."),
        ("TOUR 0", "There are steps 1 to 6."),
        ("TOUR 7", "There are steps 1 to 6."),
        ("TOUR 999999999", "is not a step"),
        ("TOUR ON", "'ON' is not a step. Use TOUR NEXT, BACK, OFF or 1 to 6"),
    ],
)
def test_what_is_no_step_is_said(dialogue: Dialogue, words: str, said: str) -> None:
    """With what there is."""
    with pytest.raises(CommandError, match=said):
        dialogue.run(words)


def test_behind_the_last_step_one_may_begin_again(dialogue: Dialogue) -> None:
    """It says how."""
    dialogue.run("TOUR 6")
    with pytest.raises(CommandError, match="TOUR 1 begins again"):
        dialogue.run("TOUR NEXT")


def test_the_tour_is_closed_and_opened(dialogue: Dialogue) -> None:
    """The step stays."""
    assert dialogue.guide is not None
    dialogue.run("TOUR OFF")
    assert not dialogue.guide.shown
    dialogue.run("TOUR")
    assert dialogue.guide.shown


def test_times_of_scenes_are_written_as_a_person_types_them(dialogue: Dialogue) -> None:
    """In texts and commands alike."""
    assert dialogue.guide is not None
    assert dialogue.guide.text(0) == "Seen from 01:00 02:00."
    assert dialogue.guide.press(4) == "Type COMPARE 01:00 02:00"
    assert not dialogue.guide.press(5)


def test_scenes_of_several_days_have_their_dates() -> None:
    """A time alone would be taken for one of the present day."""
    day = 24 * HOUR
    windows = {"one": Window("lab:one", HOUR, 2 * HOUR), "two": Window("lab:two", day, day + HOUR)}
    assert "1970-01-0" in Guide(TOUR, windows).text(0)


def test_without_a_guide_there_is_no_tour(dialogue: Dialogue) -> None:
    """It says where there is one."""
    dialogue.guide = None
    with pytest.raises(CommandError, match="zmon demo has one"):
        dialogue.run("TOUR")
