"""Two times side by side: rows are joined by their keys, and what changed most stands on top."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.base.shipped import shipped
from zmon.screen.compare import NOT_NOW, NOT_THEN, compare, compared
from zmon.screen.definition import Column, Screen, load_screens
from zmon.screen.sheet import Sheet, natural
from zmon.tables.table import SUMMARY, Summary, Table

SCREEN = Screen(
    id="X", command="X", title="X", table="device", sort="resp",
    columns=(
        Column(name="addr", head=("Addr",), width=4, format="text"),
        Column(name="io", head=("I/O",), width=4, format="rate", group=" Rate "),
        Column(name="resp", head=("Resp",), width=4, format="rate"),
    ),
)  # fmt: skip
UNKNOWN = absent("not measured")
FIGURES = st.one_of(st.integers(0, 1000), st.just(UNKNOWN))
ROWS = st.dictionaries(st.sampled_from(["7000", "7001", "7002", "7003", "7004"]), st.tuples(FIGURES, FIGURES))
Rows = dict[str, tuple[float | Absent, float | Absent]]


def table(rows: Rows, **more: object) -> Table:
    """Return the table of these rows: their I/O rate and response."""
    return Table(
        list(rows),
        {"addr": list(rows), "io": [io for io, _ in rows.values()], "resp": [r for _, r in rows.values()]},
        **more,  # type: ignore[arg-type]  # as is said
    )


@given(ROWS, ROWS)
def test_every_row_of_both_times_is_there_once(then: Rows, now: Rows) -> None:
    """With what it held at each."""
    found = compare(SCREEN, table(then), table(now))
    assert sorted(found.keys) == sorted({*then, *now})
    for place, key in enumerate(found.keys):
        was, is_ = then.get(key, (NOT_THEN,) * 2), now.get(key, (NOT_NOW,) * 2)
        assert (found.columns["io_then"][place], found.columns["io"][place]) == (was[0], is_[0])
        change = found.columns["resp_diff"][place]
        if isinstance(was[1], Absent) or isinstance(is_[1], Absent):
            assert isinstance(change, Absent)
        else:
            assert change == is_[1] - was[1]


@given(ROWS, ROWS)
def test_what_changed_most_stands_on_top(then: Rows, now: Rows) -> None:
    """In whichever direction, all of it where it came or went; what is not known stands at the end."""
    order = compare(SCREEN, table(then), table(now)).keys
    times = ((then.get(key, (0, 0))[1], now.get(key, (0, 0))[1]) for key in order)
    changes = [
        None if isinstance(was, Absent) or isinstance(is_, Absent) else abs(is_ - was) for was, is_ in times
    ]
    measured = [change for change in changes if change is not None]
    assert changes == sorted(measured, reverse=True) + [None] * (len(changes) - len(measured))


@given(ROWS, ROWS)
def test_the_other_way_round_all_differences_have_the_other_sign(then: Rows, now: Rows) -> None:
    """Nothing favours one of the times."""
    one, other = compare(SCREEN, table(then), table(now)), compare(SCREEN, table(now), table(then))
    there = dict(zip(other.keys, other.columns["io_diff"], strict=True))
    for key, change in zip(one.keys, one.columns["io_diff"], strict=True):
        if not isinstance(change, Absent):
            assert change == -there[key]  # type: ignore[operator]  # a number, too


def test_a_row_of_one_time_says_of_which() -> None:
    """It came, or it went."""
    found = compare(SCREEN, table({"7000": (1, 1), "7001": (1, 1)}), table({"7001": (1, 2), "7002": (1, 1)}))
    assert dict(zip(found.keys, found.columns["only"], strict=True)) == {
        "7001": "",
        "7000": "then",
        "7002": "now",
    }


def test_the_line_of_all_rows_is_compared_too() -> None:
    """Figure by figure."""
    then, now = (table({}, summary=Summary(">> All <<", {"resp": value})) for value in (8.0, 3.0))
    found = compare(SCREEN, then, now).summary
    assert found is not None
    assert (found.cells["resp_then"], found.cells["resp"], found.cells["resp_diff"]) == (8, 3, -5)


def test_a_difference_of_which_a_part_is_an_estimate_is_one() -> None:
    """Estimates are marked wherever they are shown."""
    then = table({"7000": (1, 1)}, estimated={"io": frozenset({0, SUMMARY})})
    found = compare(SCREEN, then, table({"7000": (2, 2)}))
    assert (found.is_estimate("io_then", 0), found.is_estimate("io", 0), found.is_estimate("io_diff", 0)) == (
        True,
        False,
        True,
    )


def test_the_list_shows_then_now_and_the_difference() -> None:
    """The figures that matter stand first, and what changed most on top."""
    found = compare(
        SCREEN,
        table({"7000": (10.0, 4.0), "7001": (5.0, 4.0)}),
        table({"7000": (12.0, 3.0), "7001": (5.0, 64.0)}),
    )
    both = compared(SCREEN)
    sheet = Sheet(both, found, natural(both))
    assert [*sheet.headings, *map(sheet.line, range(len(sheet)))] == [
        "    .    .    .     .    .    .     .    .",
        "      <---- I/O ----> <---- Resp --->",
        " Addr Then  Now  Diff Then  Now  Diff Only",
        " 7001  5.0  5.0    .0  4.0 64.0 +60.0",
        " 7000 10.0 12.0  +2.0  4.0  3.0  -1.0",
    ]


def test_a_difference_is_that_of_the_figures_beside_it() -> None:
    """As they are written: no reader finds another, and no decimals are made up."""
    found = compare(
        SCREEN,
        table({"7000": (16.44, 98.44), "7001": (2.0, 60.04), "7002": (1.06, 120_449.0)}),
        table({"7000": (16.55, 124.4), "7001": (2.04, 59.96), "7002": (1.04, 118_451.0)}),
    )
    both = compared(SCREEN)
    sheet = Sheet(both, found, natural(both))
    assert sorted(sheet.line(place)[:41].rstrip() for place in range(3)) == [
        " 7000 16.4 16.6   +.2 98.4  124   +26",
        " 7001  2.0  2.0    .0 60.0 60.0    .0",
        " 7002  1.1  1.0   -.1 120k 118k   -2k",
    ]
    assert found.columns["io_diff"][found.keys.index("7000")] == 16.55 - 16.44


def test_every_shipped_list_can_be_compared() -> None:
    """No two columns have the same name, and the screen is drawn."""
    for screen in load_screens(shipped("screens")):
        if screen.layout == "list":
            names = [column.name for column in compared(screen).columns]
            assert len(names) == len(set(names))
            assert Sheet(compared(screen), Table([], {})).headings


BUCKETS = Screen(
    id="X", command="X", title="X", table="dasdstat",
    columns=(
        Column(name="bucket", head=("Time",), width=4, format="text", sort=""),
        Column(name="part", head=("%",), width=4, format="rate", group=" All ", sort=""),
        Column(name="part_bar", head=("",), width=6, format="bar", group=" All ", sort=""),
    ),
)  # fmt: skip


def test_rows_that_have_an_order_keep_it_and_bars_are_seen_to_differ() -> None:
    """They need no word for what is there at one time only, and no difference."""
    then, now = (
        Table(
            ["0", "1"],
            {"bucket": ["low", "high"], "part": list(parts), "part_bar": [100 * part / 75 for part in parts]},
        )
        for parts in ((75, 25), (40, 60))
    )
    both = compared(BUCKETS)
    sheet = Sheet(both, compare(BUCKETS, then, now), natural(both))
    assert [*sheet.headings, *map(sheet.line, range(len(sheet)))] == [
        "      <--- All % ---> <--- All --->",
        " Time Then  Now  Diff Then   Now",
        " low  75.0 40.0 -35.0 ###### ###",
        " high 25.0 60.0 +35.0 ##     #####",
    ]


def test_a_note_of_one_time_alone_says_of_which() -> None:
    """What is so at both times is said once."""
    then, now = (
        table({"7000": (1, 1)})._replace(notes=notes) for notes in (("always", "before"), ("after", "always"))
    )
    assert compare(SCREEN, then, now, ("A", "B")).notes == ("always", "B: after", "A: before")


PARTS = ("_then", "", "_diff")


def test_figures_that_matter_come_first() -> None:
    """At 80 columns I/O, MB/s, Resp and Queue of control units are seen for both times."""
    both = compared(load_screens(shipped("screens")).find("CTLUNIT"), ("A", "B"))
    seen = [column.name for column in Sheet(both, Table([], {})).within(79).screen.columns]
    assert seen[1:] == [
        f"{name}{part}" for name in ("io", "mbs", "resp", "queue") for part in ("_then", "", "_diff")
    ]


def test_a_time_that_shows_nothing_says_why() -> None:
    """The other has its rows."""
    found = compare(SCREEN, Table([], {}, missing=UNKNOWN), table({"7000": (1, 1)}))
    assert found.notes == ("Then: not measured",)


def test_what_names_a_row_stays_before_its_figures() -> None:
    """Where the first column names several rows, those that tell them apart stand beside it."""
    columns = [column.name for column in compared(load_screens(shipped("screens")).find("USERIO")).columns]
    assert columns[:3] == ["unit", "lcu", "addr"]
    assert columns[3].startswith("io")
