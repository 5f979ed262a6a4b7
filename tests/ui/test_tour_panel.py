from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.ui.conftest import settled as settle
from zmon.cli.demo import inputs_of, scenes
from zmon.lab.tour import load_tour
from zmon.screen.definition import load_screens
from zmon.session.guide import Guide
from zmon.session.session import Session
from zmon.ui.actions import GlassActions
from zmon.ui.app import Zmon
from zmon.ui.glass import Glass
from zmon.ui.keys import KeyMap, OwnKeys
from zmon.ui.tour_panel import BESIDE, PANEL, Room, TourPanel

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from textual.pilot import Pilot

    from zmon.lab.tour import TourStep
    from zmon.session.guide import SceneWindow
    from zmon.session.timeline import Timeline

    Scenes = tuple[Mapping[str, SceneWindow], Timeline]
    Seen = Callable[[Zmon], list[str]]
    Walk = Callable[[Zmon, Pilot[Any]], Coroutine[Any, Any, None]]

TOUR = load_tour("shark")
SIZES = [(80, 24), (132, 43)]
ABOUT = {
    "DETAILS": "DETAILS 043A", "PLOT": "PLOT device.resp 043A", "CORREL": "CORREL device.resp 043A",
    "DEVLOG": "DEVLOG 043A", "CTLULOG": "CTLULOG 7600", "CHANLOG": "CHANLOG 40", "BENCHMRK": "BENCHMRK 043A",
}  # fmt: skip
"""What screens are about that are about one thing."""


@pytest.fixture(scope="module")
def simulated() -> Scenes:
    """Return the scenes of the tour on one tape; simulated once for all tests."""
    return scenes(TOUR)


@pytest.fixture
def demo(simulated: Scenes, utc: None, monkeypatch: pytest.MonkeyPatch) -> Zmon:  # noqa: ARG001 - clocks show UTC
    """Return what `zmon demo` opens."""
    monkeypatch.setenv("ZMON_THEME", "3270")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")
    windows, timeline = simulated
    inputs = inputs_of(TOUR)
    session = Session(timeline, load_screens(), inputs=lambda: inputs, guide=Guide(TOUR, windows))
    session.seek(windows["shark-before"].end)
    return Zmon(session, 2.0)


def run(app: Zmon, walk: Walk, size: tuple[int, int] = (80, 24)) -> None:
    """Run a test on a terminal without a terminal."""

    async def all_of_it() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(app, pilot)
            await walk(app, pilot)

    asyncio.run(all_of_it())


def guide(app: Zmon) -> Guide:
    """Return who leads through the tour."""
    found = app.glass.session.guide
    assert found is not None
    return found


def missing(step: TourStep, lines: list[str]) -> list[str]:
    """Return what a step promises and the screen does not show."""
    return [words for words in step.see if not any(re.search(words, line) for line in lines)]


@pytest.mark.parametrize("size", SIZES)
def test_every_step_is_done_by_its_keys(demo: Zmon, seen: Seen, size: tuple[int, int]) -> None:
    """What it says is pressed; then it is on, what it promises is seen, and so is that it is simulated."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        for place, step in enumerate(TOUR.steps):
            if place:
                await pilot.press(*(step.keys or (*guide(app).commands(step)[-1], "enter")))
                await settle(app, pilot)
            lines = seen(app)
            assert guide(app).place == place, step.title
            assert missing(step, lines) == [], "\n".join(lines)
            assert "Simulated" in lines[0]
            assert any(step.title in line for line in lines)

    run(demo, walk, size)


@pytest.mark.parametrize("size", SIZES)
def test_one_key_leads_through_all_steps(demo: Zmon, seen: Seen, size: tuple[int, int]) -> None:
    """For those who only want to look; TOUR 1 begins again, and another key goes back."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        for step in TOUR.steps[1:]:
            await pilot.press("ctrl+t")
            await settle(app, pilot)
            assert missing(step, seen(app)) == [], "\n".join(seen(app))
        for place in range(len(TOUR.steps) - 2, 5, -1):
            await pilot.press("ctrl+y")
            await settle(app, pilot)
            assert guide(app).place == place
            assert missing(TOUR.steps[place], seen(app)) == [], "\n".join(seen(app))
        await pilot.press(*"TOUR 1", "enter")
        await settle(app, pilot)
        assert guide(app).place == 0
        assert missing(TOUR.steps[0], seen(app)) == []

    run(demo, walk, size)


@pytest.mark.parametrize("size", SIZES)
def test_a_key_closes_the_tour_and_opens_it_again(demo: Zmon, seen: Seen, size: tuple[int, int]) -> None:
    """The screens have all the room then."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+x")
        await settle(app, pilot)
        assert (app.glass.width, app.glass.height) == size
        assert not any("Tour 1/" in line for line in seen(app))
        await pilot.press(*"TOUR", "enter")
        await settle(app, pilot)
        assert any("Tour 1/" in line for line in seen(app))
        assert (app.glass.width, app.glass.height) != size

    run(demo, walk, size)


@pytest.mark.parametrize("size", SIZES)
def test_what_the_tour_names_can_be_clicked_on(demo: Zmon, seen: Seen, size: tuple[int, int]) -> None:
    """The keys that stand there."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        lines = seen(app)
        y = next(y for y, line in enumerate(lines) if "Ctrl+X close" in line)
        await pilot.click(offset=(lines[y].index("Ctrl+X close") + 2, y))
        assert not guide(app).shown

    run(demo, walk, size)


def test_whoever_does_something_else_is_left_alone(demo: Zmon) -> None:
    """The step stays; what comes later in the tour is taken as that."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        for command, place in (("CPU", 0), ("FILES LCU 2", 0), ("SPREAD", 6), ("CTLUNIT", 6)):
            await pilot.press(*command, "enter")
            await settle(app, pilot)
            assert guide(app).place == place

    run(demo, walk)


def test_the_tour_turns_with_the_terminal(demo: Zmon, seen: Seen) -> None:
    """Beside the screen where there is room, else below it."""

    async def walk(app: Zmon, pilot: Pilot[Any]) -> None:
        await pilot.resize_terminal(132, 43)
        await pilot.pause()
        assert app.glass.width == 132 - PANEL
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert app.glass.width == 80
        assert any(line.startswith(" Tour 1/") for line in seen(app)[-8:])

    run(demo, walk)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (BESIDE, 24), (132, 43)])
def test_every_step_fits(simulated: Scenes, width: int, height: int) -> None:
    """Nothing of what the tour says is left out."""
    guide = Guide(TOUR, simulated[0])
    text = TourPanel(guide, KeyMap())
    for place, step in enumerate(TOUR.steps):
        guide.place = place
        lines = text.lines(width, height)
        room = text.room(width, height)
        assert not any("..." in line.text for line in lines), step.title
        assert len(lines) == (room.lines or height)
        assert max(len(line.text) for line in lines) <= (room.columns or width)


def test_a_small_terminal_has_what_to_press(simulated: Scenes) -> None:
    """Where not all fits, the rest is cut off visibly."""
    guide = Guide(TOUR, simulated[0])
    lines = [line.text.strip() for line in TourPanel(guide, KeyMap()).lines(60, 16)]
    assert lines[-1].startswith("Next: Type 11")
    assert "..." in lines


def test_the_keys_of_a_narrow_tour_are_whole(simulated: Scenes) -> None:
    """The title of a step is left out first."""
    guide = Guide(TOUR, simulated[0])
    for width in range(41, BESIDE):
        for place in range(len(TOUR.steps)):
            guide.place = place
            head = TourPanel(guide, KeyMap()).lines(width, 40)[0].text
            assert head.endswith(" Ctrl+T next  Ctrl+Y back  Ctrl+X close")
            assert len(head) < width


@pytest.mark.parametrize("size", [(1, 1), (40, 9), (80, 11), (40, 12)])
def test_the_tour_never_takes_the_room_that_the_screen_needs(
    simulated: Scenes, size: tuple[int, int]
) -> None:
    """Rather there is no tour to be seen."""
    room = TourPanel(Guide(TOUR, simulated[0]), KeyMap()).room(*size)
    assert size[1] - room.lines >= min(9, size[1])


@pytest.mark.parametrize("size", SIZES)
def test_what_takes_long_is_waited_for(simulated: Scenes, size: tuple[int, int]) -> None:
    """Nobody is told to go on before there is something to see."""
    lines = [line.text for line in TourPanel(Guide(TOUR, simulated[0]), KeyMap()).lines(*size, waiting=True)]
    assert any("Simulating the machine ..." in line for line in lines)
    assert not any("Next:" in line for line in lines)


def test_without_a_guide_there_is_no_tour() -> None:
    """Nor any room for it."""
    text = TourPanel(None, KeyMap())
    assert text.room(132, 43) == Room()
    assert text.lines(132, 43) == []


def test_a_user_may_have_other_keys(simulated: Scenes) -> None:
    """Those are named."""
    lines = TourPanel(Guide(TOUR, simulated[0]), KeyMap(own={"tour_next": OwnKeys("f19", "")})).lines(80, 24)
    assert "F19 next" in lines[0].text


@pytest.mark.parametrize("screen", list(load_screens()), ids=lambda screen: screen.command)
def test_every_screen_says_that_it_is_simulated(simulated: Scenes, screen: Any) -> None:
    """However narrow it is, and also while help is open."""
    windows, timeline = simulated
    inputs = inputs_of(TOUR)
    session = Session(timeline, load_screens(), inputs=lambda: inputs)
    session.seek(timeline.span()[0] + 120_000_000_000)  # type: ignore[index]  # a scenario has samples
    glass = Glass(session, actions=GlassActions())
    glass.resize(132, 24)
    glass.run(ABOUT.get(screen.command, screen.command))
    assert glass.session.page.screen.command == screen.command, glass.lines()[-3].text
    for shown in ("the screen", "its help"):
        for width in (132, 80, 40):
            glass.resize(width, 24)
            assert glass.lines()[0].text[:width].rstrip().endswith("Simulated"), (shown, width)
        glass.press("help")
    assert windows
