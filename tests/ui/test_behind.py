"""Below a list that leaves room stands what lies behind the row under the cursor."""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING

import pytest

from zmon.base.clock import clock
from zmon.ui.actions import GlassActions
from zmon.ui.glass import Glass
from zmon.ui.grid import Grid
from zmon.ui.line import texts
from zmon.ui.pane import CURSOR
from zmon.ui.threads import Result, SideThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.session.session import Session

PATIENCE = 10.0
TITLE = "DEVICE LCU {}"


def on(session: Session, height: int) -> Glass:
    """Return a glass of 132 columns."""
    glass = Glass(session, actions=GlassActions())
    glass.resize(132, height)
    return glass


def behind(glass: Glass) -> list[str]:
    """Return what stands below the line that names it; nothing where there is no such line."""
    lines = [line.text.rstrip() for line in glass.lines()]
    heads = [place for place, line in enumerate(lines) if "ENTER opens it" in line]
    return lines[heads[0] :] if heads else []


def test_it_is_the_page_that_enter_opens(open_session: Callable[[str], Session]) -> None:
    """Its rows are those of the page, without a cursor, and it follows that of the list."""
    glass = on(open_session("CTLUNIT"), 43)
    for _ in range(2):
        pane = glass.pane
        assert isinstance(pane, Grid)
        (title, *lines), opens = behind(glass), pane.command
        assert pane.sheet.example(pane.place) in title
        assert [line for line in lines[:20] if line.startswith(CURSOR)] == []
        glass.run(opens)
        opened = texts(glass.pane.lines()).splitlines()
        rows, seen = ([line[1:] for line in every if "PAY" in line][:5] for every in (opened, lines))
        assert rows == seen != []
        glass.run("RETURN")
        glass.press("down")


@pytest.mark.parametrize("height", [24, 30])
def test_it_takes_no_room_from_the_list(open_session: Callable[[str], Session], height: int) -> None:
    """A terminal of 24 lines has none, and neither has a list without ten lines below it."""
    assert behind(on(open_session("DEVICE"), height)) == []
    assert bool(behind(on(open_session("CTLUNIT"), height))) == (height > 24)


def test_it_can_be_hidden(open_session: Callable[[str], Session]) -> None:
    """PANE OFF hides it, ON shows it again, and another word is refused."""
    glass = on(open_session("CTLUNIT"), 43)
    assert behind(glass)
    glass.run("PANE OFF")
    assert not behind(glass)
    assert not glass.run("PANE AWAY")
    glass.run("PANE ON")
    assert behind(glass)


def test_a_mistake_in_it_leaves_the_list(
    open_session: Callable[[str], Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENTER says what is wrong; the list is shown as before."""
    alone = texts(on(open_session("CTLUNIT"), 24).lines()).splitlines()[:8]

    def fail(_task: object) -> None:
        raise RuntimeError("it is broken")

    session = open_session("CTLUNIT")
    session.sheet()
    monkeypatch.setattr("zmon.session.page.FillTask.table", fail)
    glass = on(session, 43)
    assert not behind(glass)
    assert texts(glass.lines()).splitlines()[5] == alone[5]


def test_the_newest_alone_is_filled_and_live_it_rests(
    open_session: Callable[[str], Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cursor that moves on leaves no work behind; what follows a sample waits, another row does not."""
    monkeypatch.setattr("zmon.ui.threads.RESTS", 1e9)
    monkeypatch.setattr("zmon.ui.threads.LONGEST_REST", 1e9)
    session = open_session("CTLUNIT")
    pane = on(session, 43).pane
    assert isinstance(pane, Grid)
    tasks = [session.behind(pane.command) for _ in range(4)]
    first, second, later, other = [task for task in tasks if task is not None]
    results: queue.SimpleQueue[Result] = queue.SimpleQueue()
    aside = SideThread(results.put)
    aside.do(first)
    aside.do(second)
    aside.start()
    assert results.get(timeout=PATIENCE).task is second

    aside.do(later, at_once=False)
    aside.do(other)
    assert results.get(timeout=PATIENCE).task is other
    aside.stop()
    aside.join(PATIENCE)
    assert results.empty()


def test_its_title_says_of_when_it_is(open_session: Callable[[str], Session]) -> None:
    """It may be older than the list above it."""
    glass = on(open_session("CTLUNIT"), 43)
    interval = glass.session.interval
    assert interval is not None
    assert f" at {clock(interval.after.at.utc)} " in behind(glass)[0]


def test_a_command_that_opens_no_screen_has_nothing_behind_it(open_session: Callable[[str], Session]) -> None:
    """WORST moves in time, and a device that is not there cannot be shown."""
    session = open_session("DEVICE")
    assert session.behind("WORST 1") is None
    assert session.behind("DEVICE resp>>>") is None
