from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.base.shipped import shipped
from zmon.interval import Interval
from zmon.sample import Instant, Sample
from zmon.screen import layout, number
from zmon.screen.compare import DIFFERENCE, THEN, compared, difference
from zmon.screen.definition import Column, Limit, Screen, load_screens
from zmon.screen.export import text
from zmon.screen.sheet import ESTIMATE, CellMark, Sheet
from zmon.session.page import Page
from zmon.tables.table import Table
from zmon.ui.grid import Grid

if TYPE_CHECKING:
    from zmon.base.absent import Value

SCREENS = load_screens(shipped("screens"))
LISTS: Final = [screen for screen in SCREENS if screen.gridded]
COMPARED: Final = [compared(screen) for screen in (SCREENS.find("DEVICE"), SCREENS.find("CTLUNIT"))]
DRAWN: Final = pytest.mark.parametrize("screen", [*LISTS, *COMPARED], ids=lambda s: s.title.replace(" ", "-"))
WIDTHS: Final = st.integers(60, 250)
FIGURES: Final = st.one_of(
    st.sampled_from([0.04, 9.995, 99.95, 999.5, 18.6, 1.98, 123456.7, -54.3, 0, 2**63, -(10**25), 1e300]),
    st.floats(-1e7, 1e7),
    st.integers(-(10**30), 10**30),
    st.just(absent("not measured")),
)
WORDS: Final = st.one_of(st.text("ABXYZ019-", min_size=1, max_size=90), FIGURES)
SIZES: Final = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
HERE: Final = Interval(None, Sample(Instant(0, 0, "boot"), {}))


def cells(screen: Screen) -> st.SearchStrategy[dict[str, Value]]:
    """Draw a value for each column, extreme ones too; differences are those of the figures before them."""
    return st.fixed_dictionaries({
        column.name: st.integers(0, 10**18) if column.format == "clock"
        else WORDS if column.format in number.LEFT else FIGURES
        for column in screen.columns if not column.signed
    }).map(with_differences)  # fmt: skip


def with_differences(values: dict[str, Value]) -> dict[str, Value]:
    """Add the difference of each pair of figures."""
    pairs = [(name.removesuffix(THEN), name) for name in values if name.endswith(THEN)]
    return values | {now + DIFFERENCE: difference(values[then], values[now]) for now, then in pairs}


def without_sign(token: str, column: Column, value: Value) -> str:
    """Return a difference without its plus, if it is one."""
    more = column.signed and isinstance(value, int | float) and value > 0
    return token.removeprefix("+") if more else token


def says(token: str, column: Column, value: Value) -> bool:
    """Tell whether what is read cannot be taken for another value: whole, scaled, or visibly not whole."""
    if isinstance(value, Absent) or set(token) in ({">"}, {"<"}, {"*"}):
        return not isinstance(value, Absent) or set(token) == {"."}
    if isinstance(value, str):
        return token == value or (token.endswith(">") and value.startswith(token[:-1])) or ".." in token
    if column.format == "bar":
        return set(token) <= {"#", "."}
    scaled = re.fullmatch(r"(-?\d+)([kMGT])", token)
    if scaled and column.format not in number.LEFT:
        most = 1.6 if column.signed else 0.6
        return abs(int(scaled[1]) * SIZES[scaled[2]] - value) <= most * SIZES[scaled[2]] or (
            column.format == "bytes"
        )
    if column.signed and re.fullmatch(number.DECIMAL, token):  # of figures that are rounded themselves
        return abs(float(token) - value) <= 1.6 * 10.0 ** -len(token.partition(".")[2])
    return token in {number.FORMATS[column.format](value), number.percent(value)}


def is_said(line: str, screen: Screen, values: dict[str, Value]) -> bool:
    """Tell whether a line holds values of columns in their order, whole, and nothing else."""
    columns = iter(screen.columns)
    return all(
        any(
            says(without_sign(bare, column, values[column.name]), column, values[column.name])
            for column in columns
        )
        for token in line.split()
        for bare in [re.sub(r"[~*!]+$", "", token) or token]
        if token != ESTIMATE  # behind a bar that is blank
    )


@DRAWN
@settings(max_examples=max(settings().max_examples // 3, 5))  # of each screen, some with a hundred columns
@given(data=st.data())
def test_no_figure_is_cut_at_any_width(screen: Screen, data: st.DataObject) -> None:
    """On the glass, shifted or not, and in print, each figure that is seen is whole or visibly not."""
    values = data.draw(cells(screen))
    guessed = data.draw(st.sets(st.sampled_from([column.name for column in screen.columns])))
    table = Table(["k"], {name: [value] for name, value in values.items()}, estimated=dict.fromkeys(guessed))
    sheet, width = Sheet(screen, table), data.draw(WIDTHS)
    grid = Grid(Page(screen), sheet)
    grid.resize(width, 40)
    for _ in range(data.draw(st.integers(0, 4))):
        grid.shift(1)
    row = grid.row(0).text
    assert len(row.rstrip()) <= width
    assert is_said(row.removeprefix(">"), screen, values), row
    printed = [line for line in text(sheet, SCREENS, HERE, live=False, width=width) if line]
    assert all(len(line) <= width for line in printed)
    assert is_said(printed[-1], screen, values), printed[-1]


@DRAWN
@given(width=WIDTHS, data=st.data())
def test_every_column_can_be_reached_and_its_heading_is_whole(
    screen: Screen, width: int, data: st.DataObject
) -> None:
    """Going to the right no column is left out, and where there are more a sign says so on their side."""
    guessed = data.draw(st.frozensets(st.sampled_from([column.name for column in screen.columns])))
    wide = layout.spaced(screen, guessed)
    sheet = Sheet(screen, Table(["k"], {}, estimated=dict.fromkeys(guessed)))
    first, seen = 1, set[str]()
    while True:
        drawn = sheet.within(width, first)
        names = drawn.headings[-1]
        for start, column in zip(drawn.screen.starts, drawn.screen.columns, strict=True):
            assert column.head[-1] in names[start - 1 : start + column.width + 1]
            seen |= {column.name}
        assert (" >" in names or names.endswith(">")) == bool(drawn.screen.behind)
        assert (" < " in names) == (first > 1)
        assert all(len(line) <= width for line in drawn.headings)
        further = layout.right(wide, width, first)
        if further == first:
            break
        assert layout.left(wide, width, further) <= max(first, further - 1)
        first = further
    assert seen == {column.name for column in screen.columns}


NAME = Column(name="name", head=("Name",), width=4, format="text")
RATE = Column(name="rate", head=("Rate",), width=4, format="rate")
TIME = Column(name="time", head=("Time",), width=4, format="rate", limit=Limit(1, 2, "why"))
LONG = Column(name="long", head=("Long",), width=40, format="text")
BOTH = Column(name="both", head=("Both",), width=4, format="rate", joined=True)


def drawn(columns: tuple[Column, ...], width: int, first: int = 1, name: str = "A") -> list[str]:
    """Return heading and row of columns in a width."""
    values: dict[str, list[Value]] = {
        "name": [name], "rate": [12.5], "time": [54.1], "long": ["one two three"], "both": [77.7]
    }  # fmt: skip
    sheet = Sheet(Screen(columns=columns), Table(["k"], values)).within(width, first)
    return [sheet.headings[-1], sheet.line(0)]


def test_a_sign_stands_where_a_column_does_not_fit() -> None:
    """The mark of the last value needs its place, too."""
    columns = (NAME, RATE, TIME)
    assert drawn(columns, 16) == [" Name Rate Time", " A    12.5 54.1!"]
    assert drawn(columns, 15) == [" Name Rate >", " A!   12.5"]
    assert drawn(columns, 15, 2) == [" Name < Time", " A      54.1!"]


def test_a_name_has_the_mark_of_what_is_not_seen() -> None:
    """Behind its last letter, or behind its column; what is seen, and as bad, needs none."""
    assert drawn((NAME, TIME, RATE, TIME), 16)[1] == " A    54.1!"
    assert drawn((NAME, RATE, TIME), 15, name="ABCD") == [" Name  Rate >", " ABCD! 12.5"]
    assert drawn((NAME, RATE, TIME), 80, name="ABCD") == [" Name Rate Time", " ABCD 12.5 54.1!"]
    sheet = Sheet(Screen(columns=(NAME, RATE, TIME)), Table(["k"], {"name": ["A"], "time": [1.5]}))
    assert sheet.within(15).marks(0) == [CellMark(1, 5, "*")]


def test_a_long_text_is_narrower_at_the_edge_and_says_so() -> None:
    """It ends where a word ends, with a sign."""
    assert drawn((NAME, LONG), 17) == [" Name Long      >", " A    one two >"]
    assert drawn((NAME, RATE, LONG), 24) == [" Name Rate Long        >", " A    12.5 one two >"]
    assert drawn((NAME, RATE, LONG), 55) == [" Name Rate Long", " A    12.5 one two three"]


def test_columns_that_belong_together_are_drawn_together() -> None:
    """Or none of them is, unless nothing else would be seen."""
    assert drawn((NAME, RATE, TIME, BOTH), 18)[0] == " Name Rate >"
    assert drawn((NAME, TIME, BOTH), 13)[0] == " Name Time >"


@pytest.mark.parametrize("screen", LISTS, ids=lambda screen: screen.command)
def test_columns_are_gone_along_one_by_one(screen: Screen) -> None:
    """To the right each comes first once, those that belong to the one before aside; and back again."""
    places = [1, *(i for i in range(2, len(screen.columns)) if not screen.columns[i].joined)]
    assert [layout.beside(screen, 1, by) for by in range(len(places))] == places
    assert [layout.beside(screen, place, -1) for place in places[1:]] == places[:-1]
    assert layout.beside(screen, 0, -1) == layout.beside(screen, 1, -5) == 1
    assert layout.beside(screen, places[-1], 5) == places[-1]
