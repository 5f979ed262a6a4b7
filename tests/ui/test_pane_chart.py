"""PLOT, CORREL and COMPARE on the glass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conftest import ListTimeline
from zmon.screen.definition import load_screens
from zmon.session.session import Session
from zmon.ui.actions import GlassActions
from zmon.ui.glass import Glass
from zmon.ui.line import texts
from zmon.ui.pane import ChartPane

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from zmon.sample import Sample
    from zmon.ui.app import Zmon


def give(glass: Glass, *steps: str) -> str:
    """Press keys, which are written small, and give commands; return what is seen."""
    for step in steps:
        if step.islower():
            glass.press(step)
        else:
            glass.type(step)
            glass.press("enter")
    return texts(glass.lines())


def test_plot_draws_the_chosen_column_of_the_row_under_the_cursor(glass: Glass) -> None:
    """TAB chooses the one, the arrows the other."""
    assert glass.session.page.screen.command == "MENU"
    seen = give(glass, "DEVICE", "down", "previous_column", "previous_column", "PLOT")
    argument = glass.session.page.argument
    assert argument.startswith("device.")
    assert f"DEVICE {argument.split('.')[1].split()[0]} " in seen


def test_f12_returns_to_the_list(glass: Glass) -> None:
    """With its cursor where it was."""
    give(glass, "DEVICE", "down", "PLOT", "back")
    assert glass.session.page.screen.command == "DEVICE"
    assert not isinstance(glass.pane, ChartPane)
    assert getattr(glass.pane, "place", None) == 1


def test_the_chart_takes_the_room_there_is(glass: Glass) -> None:
    """No line of it is wider or lower than the glass."""
    give(glass, "DEVICE", "PLOT")
    sizes = [(width, 24) for width in range(60, 251, 10)]
    for width, height in ((80, 24), (132, 43), (40, 9), *sizes):
        glass.resize(width, height)
        assert len(glass.lines()) == height
        assert max(len(line.text) for line in glass.pane.lines()) <= width


def test_a_plain_terminal_sees_ascii(session: Session) -> None:
    """Nothing else could be shown there."""
    glass = Glass(session, plain=True, actions=GlassActions())
    assert give(glass, "DEVICE", "PLOT").isascii()


def test_what_is_beyond_a_limit_stands_out(glass: Glass) -> None:
    """As in the list."""
    give(glass, "CHANNEL", "PLOT")
    kinds = {part.kind for line in glass.pane.lines() for part in line.parts}
    assert "look" in kinds


def test_it_follows_as_samples_come(make_sample: Callable[..., Sample]) -> None:
    """The newest value stands at the right."""
    kept = ListTimeline([make_sample(minute) for minute in range(3)])
    live = ListTimeline([make_sample(minute) for minute in range(2, 9)], live=True, kept=kept)
    session = Session(live, load_screens())
    session.next()
    glass = Glass(session, actions=GlassActions())
    glass.sampled(make_sample(3))
    before = give(glass, "DEVICE", "PLOT resp 7000")
    kept.listed.extend([make_sample(3), make_sample(4)])
    glass.sampled(make_sample(4))
    assert "12:04:00" in texts(glass.lines())
    assert texts(glass.lines()) != before


def test_correl_leads_to_the_chart_of_a_row(make_sample: Callable[..., Sample]) -> None:
    """ENTER on a figure shows it by time."""
    session = Session(ListTimeline([make_sample(minute) for minute in range(14)]), load_screens())
    session.end()
    glass = Glass(session, actions=GlassActions())
    give(glass, "DEVICE", "CORREL resp 7000", "enter")
    assert glass.session.page.screen.command == "PLOT"
    assert isinstance(glass.pane, ChartPane)


def test_compare_changes_the_list_in_its_place(glass: Glass) -> None:
    """F12 leaves the list, COMPARE OFF the comparison."""
    give(glass, "DEVICE", "GO 12:01", "MARK A", "GO 12:02", "MARK B", "GO end")
    assert "   A     B   Diff" in give(glass, "COMPARE")
    assert "Diff" not in give(glass, "COMPARE OFF")
    give(glass, "COMPARE 12:00 12:01", "back")
    assert glass.session.page.screen.command == "MENU"


def test_compare_compares_the_intervals_that_end_at_the_marks(glass: Glass) -> None:
    """Not what lies between them; a single mark is compared with what is shown, and without marks it asks."""
    assert "no mark: MARK A" in give(glass, "DEVICE", "COMPARE")
    seen = give(glass, "GO 12:01", "MARK A", "COMPARE OFF", "GO 12:03", "COMPARE")
    assert "A 12:00:00 - 12:01:00, Now 12:02:00 - 12:03:00" in seen
    seen = give(glass, "GO 12:02", "MARK B", "GO end", "COMPARE")
    assert "A 12:00:00 - 12:01:00, B 12:01:00 - 12:02:00" in seen
    give(glass, "GO 12:01", "MARK B")
    assert "A and B mark" in give(glass, "COMPARE")


def test_more_and_less_differ_in_sign_and_colour(glass: Glass) -> None:
    """A plus and a minus, each in a colour of its own."""
    give(glass, "DEVICE", "GO 12:01", "MARK A", "GO 12:02", "MARK B", "COMPARE")
    kinds = {
        line.text[part.start : part.end].strip()[:1]: part.kind
        for line in glass.lines()
        for part in line.parts
        if part.kind in {"look", "guidance"}
    }
    assert (kinds["+"], kinds["-"]) == ("look", "guidance")


def test_what_cannot_be_drawn_is_said_in_the_message_line(glass: Glass) -> None:
    """And the list stays."""
    assert "'nonsense' is no column" in give(glass, "DEVICE", "PLOT DEVICE.nonsense")
    assert glass.session.page.screen.command == "DEVICE"


def test_charts_are_filled_in_the_thread(
    on_terminal: Callable[..., None], seen: Callable[[Zmon], list[str]], settle: Callable[..., Any]
) -> None:
    """With keys as people press them, and back."""

    async def look(app: Zmon, pilot: Pilot[int]) -> None:
        await settle(app, pilot)
        for words in ("DEVICE", "PLOT resp 7001"):
            app.glass.type(words)
            await pilot.press("enter")
            await settle(app, pilot)
        assert any("DEVICE resp 7001 (ms)" in line for line in seen(app))
        await pilot.press("f12")
        await settle(app, pilot)
        assert any("All DASD" in line for line in seen(app))

    on_terminal(look)
