from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.base.shipped import shipped
from zmon.screen.definition import Column, Limit, Screen, load_screens
from zmon.screen.query import parse_condition
from zmon.screen.sheet import CellMark, Order, Sheet, fill, headings, natural, span
from zmon.tables.table import SUMMARY, Summary, Table, summed

if TYPE_CHECKING:
    from zmon.base.absent import Value

NAME = Column(name="name", head=("Name",), width=6, format="text", sort="asc")
RATE = Column(name="rate", head=("I/O",), width=4, format="rate", group="Rate/s")
RESP = Column(name="resp", head=("Resp",), width=4, format="rate", limit=Limit(10, 60, "why"))
SCREEN = Screen(id="FCX1", title="Try", columns=(NAME, RATE, RESP), sort="resp")
GONE = absent("not measured")
TABLE = Table(
    ["a", "b", "c", "d"],
    {"name": ["A", "B", "C", "D"], "rate": [1.0, GONE, 3.0, 120.0], "resp": [12.0, GONE, 61.0, 0.4]},
    Summary(">> All", {"rate": 41.3, "resp": 24.5}),
    estimated={"rate": frozenset({0, SUMMARY}), "resp": frozenset({2})},
)


def sheet(order: Order | None = None, *conditions: str) -> Sheet:
    return Sheet(SCREEN, TABLE, order, [parse_condition(text, SCREEN.columns) for text in conditions])


def test_the_first_order_is_the_screens_own() -> None:
    """Numbers begin with the largest, texts with the first."""
    assert (natural(SCREEN), natural(SCREEN, "name")) == (Order("resp", True), Order("name", False))


@pytest.mark.parametrize(("descending", "keys"), [(True, "cadb"), (False, "dacb")])
def test_absent_values_stand_last(descending: bool, keys: str) -> None:
    """In either direction: nobody looks for what is not there."""
    assert "".join(sheet(Order("resp", descending)).keys) == keys


def test_a_gap_is_a_sentence_in_the_place_of_values() -> None:
    """It stands behind the first column and is drawn to the end of the line; a narrow screen grows."""
    table = TABLE._replace(gaps={1: "no samples"})
    assert Sheet(SCREEN, table).line(1) == " B      -- no samples"
    wide = Screen(columns=(NAME, RATE, RESP, Column(name="x", head=("X",), width=9, format="rate")))
    assert Sheet(wide, table).line(1) == " B      -- no samples --------"
    assert Sheet(wide, table).line(0) == Sheet(wide, TABLE).line(0)


def test_a_sorted_column_is_underlined_and_others_have_a_dot() -> None:
    """The dot stands above the last character of what can be sorted on."""
    assert headings(SCREEN, Order("resp", True)) == [
        "    .      . ____",
        "",
        " Name    I/O Resp",
    ]


def test_a_screen_without_sortable_columns_has_no_line_of_marks() -> None:
    """As with the original."""
    fixed = Column(name="a", head=("A",), width=3, format="rate", sort="")
    assert headings(Screen(columns=(fixed,))) == ["   A"]


def test_marks_stand_behind_their_values() -> None:
    """A limit shows without colour: a star deserves a look, an exclamation mark is bad."""
    lines = [sheet().line(place) for place in range(4)]
    assert lines == [
        " A       1.0~ 12.0*",
        " B      ....  ....",
        " C       3.0  61.0~!",
        " D       120    .4",
    ]


def test_all_marks_stand_behind_their_value_and_a_blank_behind_them() -> None:
    """That of an estimate and that of a limit together, however wide the neighbours are."""
    table = Table(
        ["a"], {"name": ["A"], "rate": [1234], "resp": [1234.0]}, estimated={"resp": None, "rate": None}
    )
    columns = (NAME, RESP, RATE)
    assert Sheet(Screen(columns=columns), table).line(0) == " A      1234~! 1234~"


def test_the_title_of_the_line_for_all_covers_no_figure() -> None:
    """It is said shorter where a figure stands; a blank parts the two."""
    cells: dict[str, Value] = {"rate": 4096}
    drawn = [
        Sheet(SCREEN, TABLE._replace(summary=Summary(title, cells), estimated={})).summary
        for title in (">> All", ">> All LCUs <<", ">> A <<")
    ]
    assert drawn == [" >> All 4096", " >> All 4096", " >> All 4096"]


def test_the_line_for_all_says_so_in_five_characters() -> None:
    """Where a figure of four digits stands behind a column of four, the title is short, not lost."""
    columns = (Column(name="lcu", head=("LCU",), width=4, format="text"),
               Column(name="io", head=("I/O",), width=5, format="rate"))  # fmt: skip
    table = Table(["a"], {"lcu": ["7100"], "io": [284]}, Summary(">> All LCUs <<", {"io": 1134}))
    assert Sheet(Screen(columns=columns), table).summary == " >>All 1134"


def test_the_line_for_all_begins_with_its_title() -> None:
    """Its cells stand in their columns, marked like others."""
    assert sheet().summary == " >> All 41.3~ 24.5*"


def test_marks_for_colour_tell_where_they_are() -> None:
    """The glass paints the cell with its mark."""
    assert sheet().marks(0) == [CellMark(14, 6, "*")]


def test_a_position_names_its_column() -> None:
    """A click on a gap names none."""
    found = [sheet().at(place) for place in (0, 1, 6, 7, 8, 12, 14)]
    assert [c.name if c else "" for c in found] == ["", "name", "name", "", "rate", "", "resp"]


def test_a_line_for_all_rows_is_said_to_be_so_where_conditions_leave_some() -> None:
    """Else it would be taken for the line of those that are shown."""
    table = TABLE._replace(summary=Summary(">> All <<", {}))
    some = Sheet(SCREEN, table, None, [parse_condition("resp>1", SCREEN.columns)])
    assert f">> All << is for all {len(table.keys)} " in some.table.notes[0]
    assert Sheet(SCREEN, table).table.notes == table.notes


def test_the_line_for_all_is_about_the_rows_that_conditions_leave() -> None:
    """Where its cells can be had of some rows: it is their sum, and says how many they are."""
    line = summed("", {"rate": [40, 2, 7]}, ["rate"])
    assert (line.cells, line.some and line.some([0, 2])) == ({"rate": 49}, {"rate": 47})
    columns = (Column(name="name", head=("Name",), width=16, format="text"),
               Column(name="rate", head=("Rate",), width=5, format="rate"))  # fmt: skip
    table = Table(["a", "b", "c"], {"name": ["A", "B", "C"], "rate": [40, 2, 7]}, line)
    some = Sheet(Screen(columns=columns), table, None, [parse_condition("rate>5", columns)])
    assert (some.summary or "").split() == [">>", "2", "of", "3", "<<", "47.0"]
    assert not some.table.notes


def test_conditions_choose_rows() -> None:
    """All of them have to hold."""
    assert sheet(None, "resp>1", "name!=C").keys == ["a"]


@pytest.mark.parametrize(
    ("words", "width", "drawn"),
    [("Rate/s", 10, "<-Rate/s->"), ("Device Descr.", 18, "<--Device Descr.->"),
     (" Time (msec) ", 29, "<------- Time (msec) ------->"), ("Rate/s", 4, ""),
     ("Rate/s", 7, "Rate/s"), (" Time (msec) ", 8, "Time >")],
)  # fmt: skip
def test_a_group_spans_its_columns(words: str, width: int, drawn: str) -> None:
    """Dashes on both sides, the longer on the left."""
    assert span(words, width) == drawn


def test_fields_of_a_form() -> None:
    """As wide as they are written; with a colon they stand right; an unknown one is blank."""
    screen = Screen(form_formats={"rate": "rate"}, form_names={"r": "rate"})
    facts: dict[str, Value] = {"rate": 54.14, "name": "LX\x1b[2J", "none": GONE}
    assert fill("<{r:    }|{rate   }|{name   }|{none:  }|{what}|", facts, screen) == (
        "<    54.1|54.1     |LX?[2J   |     ....|      |"
    )


@pytest.mark.parametrize(
    ("line", "filled"),
    [
        ("<{t }    |{t: }   |>", "<nvme0n1 |nvme0n1 |>"),
        ("<{t }   |{t: }    |>", "<nvme0> |nvme0n1  |>"),
        ("<{t       }  |{t:      }  |>", "<nvme0n1     |   nvme0n1  |>"),
        ("<{t }:    x", "<nvme0n1: x"),
        ("<{t }x", "<nvm>x"),
    ],
)
def test_a_wide_text_goes_on_over_the_blanks_behind_its_field(line: str, filled: str) -> None:
    """One of them stays, so that nothing joins what stands there; a colon stays behind the text."""
    assert fill(line, {"t": "nvme0n1"}, Screen()) == filled


SCREENS = load_screens(shipped("screens"))
CELLS = st.one_of(
    st.floats(), st.integers(-(10**30), 10**30), st.text(max_size=40), st.builds(absent, st.text(max_size=5))
)


@pytest.mark.parametrize("command", ["DEVICE", "CHANNEL", "CTLUNIT", "CACHEXT", "LPAR", "ZMON"])
@given(data=st.data())
def test_no_cell_makes_a_line_longer_or_unsafe(command: str, data: st.DataObject) -> None:
    """Whatever the values: printable ASCII alone, and no longer than the columns with their marks."""
    screen = SCREENS.find(command)
    values = {column.name: [data.draw(CELLS)] for column in screen.columns}
    guessed = dict.fromkeys(values) if data.draw(st.booleans()) else {}
    drawn = Sheet(screen, Table(["k"], values, estimated=guessed))
    line = drawn.line(0)
    assert len(line) <= drawn.screen.width + 2
    assert line.isascii()
    assert line.isprintable()


def test_a_row_leads_to_what_it_names() -> None:
    """Its key, or a cell of it."""
    by_key, by_cell = (Screen(columns=(NAME, RATE), drill=drill) for drill in ("TRY {key}", "TRY {name}"))
    assert [Sheet(screen, TABLE).deeper(2) for screen in (by_key, by_cell)] == ["TRY c", "TRY C"]


def test_a_row_that_names_nothing_leads_nowhere() -> None:
    """Nor does a list without rows, or a screen without a way."""
    screen = Screen(columns=(NAME, RATE), drill="TRY {rate}")
    assert Sheet(screen, TABLE).deeper(1) == ""
    assert Sheet(screen, Table([], {})).deeper() == ""
    assert sheet().deeper() == ""


def test_a_page_leads_to_what_a_fact_names() -> None:
    """If the fact is there."""
    screen = Screen(layout="page", drill="TRY {thing}")
    facts: list[dict[str, Value]] = [{"thing": "x"}, {"thing": GONE}]
    assert [Sheet(screen, Table([], {}, facts=each)).deeper() for each in facts] == ["TRY x", ""]


def test_an_estimate_that_is_a_text_is_marked_behind_its_last_letter() -> None:
    """Not at the end of its field, where it would seem to belong to the next."""
    table = TABLE._replace(estimated={"name": None})
    assert Sheet(SCREEN, table).line(0).startswith(" A~     ")


def test_figures_that_look_alike_are_marked_alike() -> None:
    """The limit holds for the figure that is shown: 60.04 is no worse than 59.96."""
    column = Column(name="resp", head=("Resp",), width=5, format="rate", limit=Limit(10, 60, "slow"))
    screen = Screen(id="X", command="X", title="X", table="device", columns=(column,))
    sheet = Sheet(screen, Table(list("abc"), {"resp": [59.96, 60.04, 60.06]}))
    assert [sheet.line(place).strip() for place in range(3)] == ["60.0*", "60.0*", "60.1!"]
    assert [sheet.marks(place)[0].sign for place in range(3)] == ["*", "*", "!"]


def test_an_estimate_in_a_form_is_marked() -> None:
    """As it is in a list."""
    screen = Screen(form_formats={"rate": "rate"})
    line = "Rate: {rate  }|{rate: }|{name}|"
    facts: dict[str, Value] = {"rate": 21.4, "name": GONE}
    assert fill(line, facts, screen, {"rate": None, "name": None}) == "Rate: 21.4~   |   21.4~|....  |"


def test_the_command_of_a_correlation_has_the_names_of_the_screens() -> None:
    """`PLOT DEVICE.resp 7000`, not what the table is called inside."""
    screen = load_screens(shipped("screens")).find("CORREL")
    columns: dict[str, list[Value]] = {
        name: [value]
        for name, value in (("screen", "DEVICE"), ("column", "resp"), ("row", "7000"), ("r", 1.0))
    }
    found = Sheet(screen, Table(["device.resp 0.0.7000"], columns))
    assert (found.deeper(), found.example()) == ("PLOT device.resp 0.0.7000", "PLOT DEVICE.resp 7000")
