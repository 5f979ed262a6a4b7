from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.plain_text import wrap
from zmon.screen.definition import load_screens
from zmon.screen.sheet import Sheet
from zmon.session.commands import run
from zmon.session.page import Page
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.tables.table import Table
from zmon.topology.machine import UserInputs
from zmon.topology.site import Site
from zmon.ui.actions import GlassActions
from zmon.ui.glass import Glass
from zmon.ui.grid import Grid

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zmon.sample import Sample
    from zmon.screen.definition import Screen


@pytest.fixture
def session(open_session: Callable[[str], Session]) -> Session:
    """Return a session on DEVICE, by response time."""
    return open_session("DEVICE")


@pytest.fixture
def grid(session: Session) -> Grid:
    """Return its rows on a glass of 80x24."""
    grid = Grid(session.page, session.sheet())
    grid.resize(80, 19)
    return grid


def cursor(grid: Grid) -> str:
    """Return the line under the cursor."""
    return next(line.text for line in grid.lines() if line.under == "cursor")


def page(session: Session) -> Page:
    """Return what the session shows."""
    return session.page


def test_the_cursor_follows_its_row(session: Session, grid: Grid) -> None:
    """A row that was chosen keeps the cursor when rows change places."""
    grid.step(1)
    chosen = grid.key
    session.previous()
    grid.show(session.sheet(), page(session))

    assert (chosen, grid.place) == ("0.0.700a", 10)
    assert cursor(grid).startswith(">700A")


@pytest.mark.parametrize(
    "command", ["CTLUNIT ssid=0100", "DEVICE lcu=0100", "DEVICE LCU 0100", "DEVICE cu=*0100"]
)
def test_a_condition_on_an_lcu_has_one_form(open_session: Callable[[str], Session], command: str) -> None:
    """`LCU 0100`, whatever the screen calls its column."""
    session = open_session("DEVICE")
    run(session, command)
    grid = Grid(session.page, session.sheet())
    grid.resize(80, 19)
    assert grid.position.startswith("LCU 0100  1 of ")


def test_a_condition_has_the_heading_of_its_column(open_session: Callable[[str], Session]) -> None:
    """Who typed the heading reads it again, and not the name that exports have."""
    session = open_session("DEVICE")
    run(session, "WHERE %Avoid>=0")
    grid = Grid(session.page, session.sheet())
    grid.resize(80, 19)
    assert grid.position.startswith("Avoid>=0")


def test_before_it_is_moved_the_cursor_stays_on_top(session: Session, grid: Grid) -> None:
    """Who has just opened a screen sees the worst rows, whichever they are."""
    session.previous()
    grid.show(session.sheet(), page(session))

    assert cursor(grid).startswith(">7000")


def test_a_row_that_is_gone_leaves_the_cursor_on_its_line(
    session: Session, grid: Grid, make_sample: Callable[..., Sample]
) -> None:
    """The cursor stays where it was, and it is said."""
    grid.step(0)
    session.timeline.listed.append(make_sample(4, 11))  # type: ignore[attr-defined]
    session.next()
    message = grid.show(session.sheet(), page(session))

    assert message.startswith("700B ")
    assert grid.place == 0


@pytest.fixture
def log(session: Session) -> Grid:
    """Return REDISP, which has a row for each of three minutes, with room for one of them."""
    run(session, "REDISP")
    grid = Grid(session.page, session.sheet())
    grid.resize(80, 6)
    return grid


def test_rows_by_time_open_at_the_present_and_follow_it(
    session: Session, log: Grid, make_sample: Callable[..., Sample]
) -> None:
    """The latest row is seen first, and each new one as it comes."""
    assert cursor(log).startswith(">12:03:00")

    session.timeline.listed.append(make_sample(4, 12))  # type: ignore[attr-defined]
    session.next()
    log.show(session.sheet(), session.page)
    assert cursor(log).startswith(">12:04:00")


def test_except_opens_on_its_first_row() -> None:
    """ENTER leads to what is open, and of that to the worst; not to the last one of the list."""
    session = Session(open_recording("recordings/lab-shark-before.zmon"), load_screens(), "EXCEPT")
    session.end()
    session.log.complete()
    glass = Glass(session, actions=GlassActions())
    entries = session.log.entries()
    grid = glass.pane
    assert isinstance(grid, Grid)
    assert len(entries) > 1
    assert (grid.place, grid.command) == (0, f"WORST {grid.sheet.keys[0]}")
    grid.bottom()
    grid.top()
    assert grid.place == 0


def test_a_row_by_time_that_was_chosen_keeps_the_cursor(
    session: Session, log: Grid, make_sample: Callable[..., Sample]
) -> None:
    """Until the last row is chosen again, which follows the present, or one goes back in time."""
    log.step(-1)
    session.timeline.listed.append(make_sample(4, 12))  # type: ignore[attr-defined]
    session.next()
    log.show(session.sheet(), session.page)
    assert cursor(log).startswith(">12:02:00")

    log.top()
    log.show(session.sheet(), session.page)
    assert cursor(log).startswith(">12:01:00")

    session.previous()
    log.show(session.sheet(), session.page)
    assert cursor(log).startswith(">12:03:00")

    log.step(-1)
    log.bottom()
    session.previous()
    log.show(session.sheet(), session.page)
    assert cursor(log).startswith(">12:02:00")


def test_rows_by_time_in_another_order_are_a_list(session: Session, log: Grid) -> None:
    """The worst is on top then."""
    run(session, "SORT resp DESC")
    log.show(session.sheet(), session.page)
    assert log.place == 0


def test_another_order_goes_to_the_top(session: Session, grid: Grid) -> None:
    """Who sorts wants to see what is first now, not where the row of before has gone."""
    grid.step(5)
    run(session, "SORT addr")
    grid.show(session.sheet(), page(session))

    assert (grid.place, grid.key) == (0, "")
    assert cursor(grid).startswith(">7000")


def test_the_first_column_stays(grid: Grid) -> None:
    """To the right the first column still says whose numbers they are."""
    grid.shift(1)

    assert cursor(grid).startswith(">700B   dasd11  0000 base")


def test_headings_move_with_the_rows(grid: Grid) -> None:
    """Headings stand above their columns however far they are shifted."""
    grid.shift(1)
    heading = grid.headings()[-1].text

    assert heading.index("Name") == cursor(grid).index("dasd11")


def test_left_undoes_right(grid: Grid) -> None:
    """After as many screens to the left as to the right one is where one began."""
    while grid.shift(1):
        pass
    seen = grid.first
    while grid.shift(-1):
        pass

    assert (seen > 1, grid.first) == (True, 1)


def test_a_click_on_a_heading_sorts(grid: Grid) -> None:
    """A heading gives the command that sorts on its column."""
    assert grid.click(34, 2) == "SORT io"


def test_a_click_chooses_a_row_and_another_goes_deeper(grid: Grid) -> None:
    """The first click puts the cursor on the row, the second gives its command."""
    assert (grid.click(5, 6), grid.click(5, 6)) == ("", "DEVICE 0.0.7009")


def test_limits_and_absences_are_parts_of_the_line(grid: Grid) -> None:
    """What stands out and what is not there look different."""
    grid.sheet.table = grid.sheet.table._replace(marks={"resp": {grid.sheet.rows[1]: "*"}})
    grid.show(grid.sheet, grid.page)
    kinds = {part.kind for part in grid.row(1).parts}

    assert kinds == {"look", "absent"}


def test_a_screenful_moves_all_rows(grid: Grid) -> None:
    """Forward goes on where the screen ended, and bottom ends at the last row."""
    grid.turn(1)
    second = grid.offset
    grid.bottom()

    assert (second, grid.place) == (9, 23)


@pytest.mark.parametrize("height", range(12))
def test_any_height_is_filled_and_no_more(grid: Grid, height: int) -> None:
    """There are never more lines than fit, and the cursor's row is among them when one fits."""
    grid.bottom()
    grid.resize(80, height)
    lines = grid.lines()

    assert len(lines) <= height
    assert any(line.under == "cursor" for line in lines) == (height > 0)


def test_what_is_located_is_seen(grid: Grid) -> None:
    """A text in a column beyond the edge brings that column into sight."""
    assert "dasd11" not in cursor(grid)[:80]
    assert grid.locate("dasd11")
    assert "dasd11" in cursor(grid)[:80]

    first = grid.first
    assert grid.locate("dasd12")
    assert (grid.first, "dasd12" in cursor(grid)[:80]) == (first, True)

    assert grid.locate("PAY00B")
    assert "PAY00B" in cursor(grid)[:80]


def test_locate_goes_round(grid: Grid) -> None:
    """After the last row the search goes on from the first, and labels count as well as keys."""
    grid.locate("pay1")
    first = grid.key
    grid.bottom()
    grid.locate("PAY00B")

    assert (first, grid.key) == ("0.0.7100", "0.0.700b")


LISTS = [screen for screen in load_screens() if screen.gridded]


def noted(screen: Screen, rows: int, notes: Sequence[str]) -> Grid:
    """Return a list screen of so many rows of dots, with notes."""
    table = Table([f"{row:04}" for row in range(rows)], {}, notes=tuple(notes))
    return Grid(Page(screen), Sheet(screen, table))


def words_below(grid: Grid) -> list[str]:
    """Return the words of the notes that are painted, in order."""
    return [word for line in grid.lines() if line.kind == "guidance" for word in line.text.split()]


words = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=12)
sentences = st.lists(words, min_size=1, max_size=24).map(" ".join)


@given(
    screen=st.sampled_from(LISTS),
    rows=st.integers(1, 60),
    notes=st.lists(sentences, min_size=1, max_size=9),
    size=st.tuples(st.integers(80, 132), st.integers(18, 38)),  # of a glass of 80x24 to 132x43
    place=st.integers(0, 59),
)
def test_the_first_note_is_read_whole(
    screen: Screen, rows: int, notes: list[str], size: tuple[int, int], place: int
) -> None:
    """However many rows there are and wherever the cursor is, no word of the first note is cut or missing."""
    grid = noted(screen, rows, notes)
    grid.resize(*size)
    grid.step(place)
    lines, first = grid.lines(), notes[0].split()

    assert words_below(grid)[: len(first)] == first
    assert len(lines) <= size[1]
    assert all(len(line.text) < size[0] for line in lines if line.kind == "guidance")
    assert any(line.under == "cursor" for line in lines)


@given(
    screen=st.sampled_from(LISTS),
    rows=st.integers(0, 40),
    notes=st.lists(sentences, min_size=1, max_size=9),
    width=st.integers(40, 132),
    height=st.integers(4, 38),
)
def test_the_end_of_the_list_shows_all_notes(
    screen: Screen, rows: int, notes: list[str], width: int, height: int
) -> None:
    """From the last row one reads on through all notes, at any size, and the cursor stays in sight."""
    grid = noted(screen, rows, notes)
    grid.resize(width, height)
    grid.bottom()
    told = [line.text for line in grid.lines() if line.kind == "guidance"]
    for _ in range(90):
        grid.step(1)
        lines = grid.lines()
        assert len(lines) <= height
        assert not rows or any(line.under == "cursor" for line in lines)
        told += [line.text for line in lines if line.kind == "guidance" and line.text not in told]
    seen = {line.strip() for line in told}
    if told:  # else there is room for the row alone
        assert {line for note in notes for line in wrap(note, width - 2)} <= seen


def test_one_goes_back_from_the_notes_to_the_rows() -> None:
    """Up scrolls the notes back first, then leaves the last row."""
    device = load_screens().find("DEVICE")
    grid = noted(device, 40, [f"Note {number} " + "word " * 30 for number in range(8)])
    grid.resize(80, 18)
    assert grid.unread == 7

    grid.bottom()
    assert (grid.unread, grid.place, words_below(grid)[:2]) == (0, 39, ["Note", "0"])
    grid.step(1)
    assert words_below(grid)[:2] == ["word", "word"]
    grid.step(-1)
    assert words_below(grid)[:2] == ["Note", "0"]
    grid.step(-1)
    assert (grid.place, grid.unread) == (38, 7)


def test_a_histogram_opens_at_its_fullest_bucket() -> None:
    """With rows on either side of it; once the first row was chosen that stays."""
    screen = load_screens().find("DASDSTAT")
    table = Table([f"{row:02}" for row in range(32)], {}, home="20")
    grid = Grid(Page(screen), Sheet(screen, table))
    grid.resize(80, 18)
    assert grid.offset < grid.place == 20 < grid.offset + grid.room - 1

    grid.top()
    grid.show(grid.sheet, grid.page)
    assert grid.place == 0


def test_an_empty_list_shows_its_notes() -> None:
    """Where there are no rows a note may say why."""
    grid = noted(load_screens().find("DEVICE"), 0, ["The map names none"])
    grid.resize(80, 18)

    assert "map" in words_below(grid)


def test_a_click_on_a_note_chooses_nothing() -> None:
    """Below the last row that is seen stand notes, no rows."""
    grid = noted(load_screens().find("DEVICE"), 40, ["A note"])
    grid.resize(80, 18)

    assert grid.click(3, 17) == ""
    assert grid.place == 0


def test_a_wide_glass_has_bars_and_curves(session: Session) -> None:
    """Each in the colour that it has on OVERVIEW; without a style there are none."""
    session.has_room = True
    page, sheet = session.page, session.sheet()
    wide, plain = Grid(page, sheet, "ascii"), Grid(page, sheet)
    for grid in (wide, plain):
        grid.resize(200, 30)
    assert "Recent Resp" in wide.headings()[-1].text
    assert "Recent Resp" not in plain.headings()[-1].text
    kinds = {part.kind for part in wide.row(1).parts}
    assert {"label", "guidance"} <= kinds
    start = wide.headings()[-1].text.index("Recent Resp")
    assert wide.row(0).text[start : start + 14].rstrip()[-1] == "#"  # of the slowest device now
    column = wide.column_at(start)
    assert column is not None
    assert column.name == "resp"


def test_a_site_may_do_without_bars(open_session: Callable[[str], Session]) -> None:
    """`bars = false` in a site file; then the columns stand as on a narrow terminal."""
    for bars in (True, False):
        session = open_session("DEVICE")
        session.inputs = lambda bars=bars: UserInputs(Site(bars=bars))  # type: ignore[misc]
        glass = Glass(session, actions=GlassActions())
        glass.resize(200, 40)
        assert any("Recent Resp" in line.text for line in glass.lines()) is bars
