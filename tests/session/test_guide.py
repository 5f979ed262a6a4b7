from __future__ import annotations

import pytest

from tests.conftest import ListTimeline
from zmon.base.shipped import shipped
from zmon.kinds import BLOCK
from zmon.lab.tour import Scene, Tour, TourStep
from zmon.sample import Frame, Instant, Sample
from zmon.screen.definition import load_screens
from zmon.session.commands import run
from zmon.session.guide import Guide, SceneWindow
from zmon.session.navigator import CommandError
from zmon.session.session import Session

SECOND = 1_000_000_000
SCREENS = load_screens(shipped("screens"))
HOUR = 3600 * SECOND


def step(*commands: str, scene: str = "one") -> TourStep:
    """Return a step that these commands bring about."""
    return TourStep("A step", "Seen from {one}.", commands, f"Type {commands[-1]}", (), ("x",), scene)


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
def session(utc: None) -> Session:  # noqa: ARG001 - clocks show UTC
    """Return a session over two scenes, at the end of the first, with a guide."""
    samples = [sample(hour, "lab:one" if hour < 3 else "lab:two") for hour in range(1, 5)]
    found = Session(ListTimeline(samples), SCREENS)
    found.seek(2 * HOUR)
    windows = {
        "one": SceneWindow("lab:one", HOUR, 2 * HOUR),
        "two": SceneWindow("lab:two", 3 * HOUR, 4 * HOUR),
    }
    found.guide = Guide(TOUR, windows)
    return found


def place(session: Session) -> int:
    """Look at the session as whoever shows it does, and return which step it is."""
    assert session.guide is not None
    session.guide.follow(session.interval, session.page, session.screens)
    return session.guide.place


def test_a_step_is_on_when_its_page_is_shown(session: Session) -> None:
    """However one came there."""
    assert place(session) == 0
    run(session, "13")
    assert place(session) == 1


def test_another_page_is_no_step(session: Session) -> None:
    """Nor the right screen about something else."""
    run(session, "DEVICE io>7")
    assert place(session) == 0
    run(session, "DEVICE io>5")
    assert place(session) == 2


def test_steps_may_be_passed_over(session: Session) -> None:
    """Whoever knows the way need not do them all; nobody is led back."""
    run(session, "CTLUNIT")
    assert place(session) == 3
    run(session, "DEVICE")
    assert place(session) == 3


def test_a_step_is_of_its_scene(session: Session) -> None:
    """The same page at another time is another step."""
    run(session, "GO end")
    run(session, "CTLUNIT")
    assert place(session) == 4


def test_next_and_back_do_what_a_step_says(session: Session) -> None:
    """Also where it goes to another scene, compares, or no longer does."""
    for number in (1, 2, 3, 4, 5):
        run(session, "TOUR NEXT")
        assert place(session) == number
    compared = session.page
    assert compared.against is not None
    run(session, "tour back")
    assert place(session) == 4
    assert session.page.against != compared.against
    run(session, "TOUR 2")
    assert place(session) == 1
    assert session.utc == 2 * HOUR


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("TOUR BACK", "first step"),
        ("TOUR 0", r"1 to 6\.$"),
        ("TOUR 7", r"1 to 6\.$"),
        ("TOUR 999999999", "9999.* 1 to 6"),
        ("TOUR ON", "'ON'.* 1 to 6"),
    ],
)
def test_what_is_no_step_is_said(session: Session, words: str, said: str) -> None:
    """With what there is."""
    with pytest.raises(CommandError, match=said):
        run(session, words)


def test_behind_the_last_step_one_may_begin_again(session: Session) -> None:
    """It says how."""
    run(session, "TOUR 6")
    with pytest.raises(CommandError, match="TOUR 1 begins again"):
        run(session, "TOUR NEXT")


def test_the_tour_is_closed_and_opened(session: Session) -> None:
    """The step stays."""
    assert session.guide is not None
    run(session, "TOUR OFF")
    assert not session.guide.shown
    run(session, "TOUR")
    assert session.guide.shown


def test_times_of_scenes_are_written_as_a_person_types_them(session: Session) -> None:
    """In texts and commands alike."""
    assert session.guide is not None
    assert session.guide.text(0) == "Seen from 01:00-02:00."
    assert session.guide.press(4) == "Type COMPARE 01:00-02:00"
    assert not session.guide.press(5)


def test_scenes_of_several_days_have_their_dates() -> None:
    """A time alone would be taken for one of the present day."""
    day = 24 * HOUR
    windows = {"one": SceneWindow("lab:one", HOUR, 2 * HOUR), "two": SceneWindow("lab:two", day, day + HOUR)}
    assert "1970-01-0" in Guide(TOUR, windows).text(0)


def test_without_a_guide_there_is_no_tour(session: Session) -> None:
    """It says where there is one."""
    session.guide = None
    with pytest.raises(CommandError, match="zmon demo"):
        run(session, "TOUR")
