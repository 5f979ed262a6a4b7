"""The dashboard and the menu: a cursor that stays on its item, and leads on."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.base.clock import clock
from zmon.base.shipped import shipped
from zmon.lab.scenario import load_scenario
from zmon.machine.figure import TimedValue
from zmon.screen.definition import load_screens
from zmon.screen.sheet import Sheet
from zmon.session.machines import simulated
from zmon.session.page import Page
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.tables.overview import FIELDS
from zmon.tables.table import Table
from zmon.ui.actions import GlassActions
from zmon.ui.chooser import DashboardPane, Menu
from zmon.ui.glass import SEEKING, Glass
from zmon.ui.grid import Grid
from zmon.ui.line import Line, Part
from zmon.ui.painter import differing

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value

RECORDINGS = Path(__file__).parents[2] / "recordings"


@pytest.fixture
def overview(open_session: Callable[[str], Session]) -> Glass:
    """Return the glass on OVERVIEW, at the last of four minutes."""
    return Glass(open_session("OVERVIEW"), actions=GlassActions())


def pane_of(glass: Glass) -> DashboardPane:
    """Return the dashboard."""
    assert isinstance(glass.pane, DashboardPane)
    return glass.pane


def chosen(glass: Glass) -> str:
    """Return the key of the row under the cursor."""
    item = pane_of(glass).chosen
    return "" if item is None else item.key


def test_the_cursor_begins_on_the_verdict(overview: Glass) -> None:
    """ENTER there opens its evidence; F12 returns to the same line."""
    assert chosen(overview) == "verdict verdict"
    overview.press("enter")
    assert overview.session.page.screen.command == "DIAGNOSE"
    overview.press("back")
    assert chosen(overview) == "verdict verdict"


def test_down_goes_through_the_resources_and_right_to_the_list_beside(overview: Glass) -> None:
    """Each key goes to the nearest line of what is shown."""
    keys = []
    for _ in range(6):
        overview.press("down")
        keys.append(chosen(overview))
    assert keys == [f"resource {name}" for name in ("cpu", "memory", "channel", "lcu", "alias", "device")]
    for _ in ("exceptions", "checks", "lists"):
        overview.press("down")
    assert chosen(overview).startswith("lcu ")
    overview.press("column_right")
    assert not chosen(overview).startswith("lcu ")
    overview.press("column_left")
    assert chosen(overview).startswith("lcu ")
    overview.press("enter")
    assert overview.session.page.screen.command == "DEVICE"


def test_tab_goes_through_the_lists_and_then_to_each_other_part(overview: Glass) -> None:
    """From the verdict to the lists, then to all else that ENTER leads on from; and back."""
    sections = [chosen(overview).partition(" ")[0]]
    while len(sections) < 2 or sections[-1] != "verdict":
        overview.press("next_column")
        sections.append(chosen(overview).partition(" ")[0])
    assert sections[:6] == ["verdict", "lcu", "channel", "device", "resource", "exception"]
    assert {*sections} == {item.key.partition(" ")[0] for item in pane_of(overview).items}
    overview.press("previous_column")
    assert chosen(overview).partition(" ")[0] == sections[-2]
    overview.press("top")
    overview.press("next_column")
    first = chosen(overview)
    assert first.startswith("lcu ")
    overview.press("down")
    overview.press("next_column")
    assert chosen(overview).startswith("channel ")
    overview.press("previous_column")
    assert chosen(overview) == first


def test_three_keys_say_which_service_on_which_tablespace_loads_an_lcu() -> None:
    """From the opening screen: to the LCUs, to the second of them, and into it."""
    path = str(RECORDINGS / "lab-healthy-day.zmon")
    session = Session(open_recording(path), load_screens(shipped("screens")))
    span = session.timeline.span()
    assert span is not None
    session.seek(span[0] + (14 * 60 + 35) * 60_000_000_000)
    glass = Glass(session, actions=GlassActions())
    glass.resize(132, 43)
    for key in ("next_column", "down", "enter"):
        glass.press(key)
    sheet = glass.session.sheet()
    assert glass.session.page.screen.command == "USERIO"
    table = sheet.table
    shown = {
        tuple(str(table.column(name)[row]) for name in ("lcu", "unit", "database")) for row in sheet.rows
    }
    assert shown == {("8100", "postgresql", "PostgreSQL")}
    assert "SHOP.LOG 100%" in {str(table.column("spaces")[row]) for row in sheet.rows}


def test_top_and_bottom(overview: Glass) -> None:
    """The last line is reached, and the first again."""
    overview.press("bottom")
    pane = pane_of(overview)
    assert chosen(overview) == pane.items[-1].key
    assert pane.lines()[-1].text.strip()
    overview.press("top")
    assert (chosen(overview), pane.offset) == ("verdict verdict", 0)


def test_the_cursor_stays_on_its_row(overview: Glass) -> None:
    """In another interval, and in another size."""
    while not chosen(overview).startswith("device "):
        before = chosen(overview)
        overview.press("down")
        assert chosen(overview) != before
    device = chosen(overview)
    overview.resize(132, 43)
    assert chosen(overview) == device
    overview.run("PREVSAMP")
    assert chosen(overview) == device


def test_a_click_opens_what_it_hits(overview: Glass) -> None:
    """Anywhere in its line."""
    pane = pane_of(overview)
    item = next(one for one in pane.items if one.key == "resource channel")
    overview.click(40, item.line - pane.offset + 2)
    assert overview.session.page.screen.command == "CHANNEL"


def test_f4_is_the_menu_and_return_leads_back(overview: Glass) -> None:
    """The menu has only what there is; MENU ALL has all."""
    overview.press("menu")
    assert [page.screen.command for page in overview.session.pages] == ["OVERVIEW", "MENU"]
    assert "--. " not in "\n".join(line.text for line in overview.lines())
    overview.run("MENU ALL")
    assert "--. System log" in "\n".join(line.text for line in overview.lines())
    overview.press("back")
    assert [page.screen.command for page in overview.session.pages] == ["OVERVIEW"]


def test_menu_all_can_be_walked_to_its_last_reason(overview: Glass) -> None:
    """At 80x24 it is longer than the screen; ENTER on an item without a screen says why."""
    overview.resize(80, 24)
    overview.run("MENU ALL")
    overview.press("bottom")
    shown = " ".join(" ".join(line.text for line in overview.lines()).split())
    assert "3I. System log" in shown
    assert overview.session.page.screen.reasons["3I"] in shown
    overview.press("enter")
    assert overview.session.page.screen.command == "MENU"
    assert "System log (3I) " in "\n".join(line.text for line in overview.lines())


@pytest.mark.parametrize("key", ["press", "type", "wheel"])
def test_a_recording_goes_to_its_worst_exception_unless_somebody_is_there(
    key: str, open_session: Callable[[str], Session]
) -> None:
    """As soon as all samples are judged, and it says so; whoever has pressed a key stays where they are."""
    for disturbed in (False, True):
        session = open_session("OVERVIEW")
        session.opens_at_worst = True
        session.log.complete()
        glass = Glass(
            session, actions=GlassActions(), clock=partial(next, count(0.0, 60.0))
        )  # a slow machine
        glass.playback.survey()
        assert any(SEEKING in line.text for line in glass.lines())
        if disturbed:
            getattr(glass, key)(1 if key == "wheel" else "down")
        looks = any(SEEKING in line.text for line in glass.lines())
        assert looks is not disturbed
        at = session.utc
        assert session.overview is not None
        glass.judged(session.overview)
        worst = min(session.log.entries(), key=lambda one: one.heaviness)
        assert session.utc == (at if disturbed else worst.worst_end)
        opened = f"Opened at {clock(worst.worst_end)}, "  # the time that the header shows
        assert any(opened in line.text for line in glass.lines()) is not disturbed


def test_only_the_part_of_a_line_that_changed_is_painted() -> None:
    """The figure, not the line; all of it where characters may be wider than a cell."""
    before, after = Line(" 7600 69 40.0"), Line(" 7600 70 40.0")
    assert differing(before, after, 80) == (6, 8)
    assert differing(before, before._replace(parts=(Part(1, 5, "look"),)), 80) == (1, 5)
    assert differing(Line(" ██"), Line(" ██▌"), 80) == (3, 4)
    assert differing(Line(" 文"), Line(" 字"), 80) == (0, 80)
    assert differing(None, after, 80) == (0, 80)


def test_a_filled_overview_is_not_filled_again(open_session: Callable[[str], Session]) -> None:
    """Neither before samples are judged nor afterwards: a thread that fills tables comes to rest."""
    session = open_session("OVERVIEW")
    session.mover, session.filled_elsewhere = (lambda _move: None), True  # threads judge and fill
    for _ in range(2):
        task = session.task()
        session.accept(task, task.table())
        assert not session.is_being_filled
        session.log.complete()


def test_at_another_time_the_lists_of_overview_are_sorted_anew() -> None:
    """Rows keep their place from one interval to the next only: an incident has its own order."""
    path = str(RECORDINGS / "lab-healthy-day.zmon")
    session = Session(open_recording(path), load_screens(shipped("screens")))
    shown = []
    for minutes in (12 * 60, 14 * 60 + 40, 14 * 60 + 41):
        span = session.timeline.span()
        assert span is not None
        session.seek(span[0] + minutes * 60_000_000_000)
        shown.append(session.sheet())
    pane = DashboardPane(session.page, shown[0], "ascii")
    pane.resize(132, 37)
    for sheet in shown[1:]:
        pane.show(sheet, session.page)
        pane.resize(132, 37)
        lcus = [item.key for item in pane.items if item.key.startswith("lcu ")]
        assert lcus == ["lcu IBM.7500000000LAB1.8000", "lcu IBM.7500000000LAB1.8100"]


def test_an_exception_that_lasts_on_does_not_keep_the_order_of_another_time() -> None:
    """The time of a dashboard is that of its figures: an exception may have ended after both pictures."""
    columns: dict[str, list[Value]] = {name: [""] * 2 for name in FIELDS}
    columns |= {"section": ["lcu"] * 2, "name": ["a", "b"], "percent": [60, 40]}
    table = Table(
        ["lcu a", "lcu b"],
        columns,
        series={"resource cpu": (TimedValue(8, 10, 1, 1, 1),)},
    )
    turned = table._replace(
        keys=["lcu b", "lcu a"],
        columns={**columns, "name": ["b", "a"]},
        series={"resource cpu": (TimedValue(4, 6, 1, 1, 1),), "exceptions": (TimedValue(2, 10, 1, 1, 1),)},
    )
    screen = load_screens(shipped("screens")).find("OVERVIEW")
    page = Page(screen)
    pane = DashboardPane(page, Sheet(screen, table), "ascii")
    pane.resize(132, 37)
    pane.show(Sheet(screen, turned), page)
    assert [item.key for item in pane.items] == ["lcu b", "lcu a"]


@pytest.mark.parametrize("first", ["OVERVIEW", "CTLUNIT"])
def test_enter_on_the_lss_of_scsi_disks_opens_its_disks(first: str) -> None:
    """On OVERVIEW and on CTLUNIT: not an empty list."""
    plan = load_scenario("fcp-failover")
    session = Session(
        simulated([plan._replace(phases=(plan.phases[-1]._replace(seconds=3.0),))]),
        load_screens(shipped("screens")),
    )
    session.end()
    session.mover = lambda _move: None
    session.sheet()
    glass = Glass(session, actions=GlassActions())
    glass.resize(132, 43)
    if first == "CTLUNIT":
        glass.run(first)
    else:
        while not chosen(glass).startswith("lcu "):
            glass.press("down")
    glass.press("enter")
    session.mover = None
    assert session.page.screen.command == "DEVICE"
    found = session.sheet()
    assert {found.table.column("lcu")[row] for row in found.rows} in ({"80"}, {"81"})


def test_every_line_of_the_whole_menu_is_paged_to(overview: Glass) -> None:
    """A screenful at a time, down and up again: no line is left out, and the cursor goes along."""
    overview.resize(80, 24)
    overview.run("MENU ALL")
    pane = overview.pane
    assert isinstance(pane, Menu)
    for way, last in (("forward", pane.items[-1]), ("backward", pane.items[0])):
        seen: set[int] = set()
        presses = 0
        while pane.chosen is not last:
            seen.update(range(pane.offset, pane.offset + pane.height))
            overview.press(way)
            presses += 1
            assert presses < 20
            assert pane.chosen is not None
            assert pane.offset <= pane.chosen.line < pane.offset + pane.height
        seen.update(range(pane.offset, pane.offset + pane.height))
        assert seen.issuperset(range(pane.length))
        assert presses > 2


def test_an_exception_leads_to_its_figure() -> None:
    """ENTER on an exception of OVERVIEW opens the screen of its figure, with its row and column chosen."""
    session = Session(
        open_recording(str(RECORDINGS / "lab-healthy-day.zmon")), load_screens(shipped("screens"))
    )
    span = session.timeline.span()
    assert span is not None
    session.seek(span[0] + (14 * 60 + 32) * 60_000_000_000)
    session.log.complete()
    glass = Glass(session, actions=GlassActions())
    glass.resize(80, 24)
    pane, rules = pane_of(glass), {rule.name: rule.column for rule in session.log.rules}
    open_ones = session.open_exceptions()
    assert [f"open {entry.number}" for entry in open_ones] == [
        item.key for item in pane.items if item.key.startswith("open ")
    ]
    for entry in open_ones:
        pane.choose([item.key for item in pane.items].index(f"open {entry.number}"))
        glass.press("enter")
        assert isinstance(glass.pane, Grid)
        assert (glass.pane.column, glass.pane.chosen_key) == (rules[entry.rule], entry.key)
        assert any(part.kind == "cell" for line in glass.pane.headings() for part in line.parts)
        glass.press("back")
