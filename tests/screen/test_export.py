from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.base.shipped import shipped
from zmon.screen.definition import Column, Screen, Screens, load_screens
from zmon.screen.export import document, moment, plain, record_names, records, text
from zmon.screen.sheet import Order, Sheet
from zmon.tables.table import Summary, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

NAME = Column(name="name", head=("Name",), width=6, format="text")
SCREEN = Screen(
    id="FCX1",
    command="TRY",
    title="Try",
    columns=(NAME, Column(name="io", head=("I/O",), width=4, format="rate")),
)
SCREENS = Screens([SCREEN])
TABLE = Table(
    ["b", "a"],
    {"name": ["LX\x1b[2Jé", "A"], "io": [1234.5678, absent("needs root")]},
    Summary(">> All <<", {"io": math.nan}),
    facts={"begin": 5, "model": absent("not read")},
    estimated={"io": frozenset({0})},
    notes=("~ a guess\x07",),
)


@pytest.fixture
def interval(make_interval: Callable[..., Interval]) -> Interval:
    return make_interval({}, {})


def json_of(table: Table, interval: Interval, most: int | None = None, screen: Screen = SCREEN) -> Any:
    written = json.dumps(document(Sheet(screen, table), SCREENS, interval, most), allow_nan=False)
    assert written.isprintable()
    return json.loads(written)


def test_json_holds_numbers_as_they_are(interval: Interval) -> None:
    """Unformatted, in the units of the columns; what is absent is null."""
    assert json_of(TABLE, interval)["rows"] == [
        {"key": "b", "name": "LX\x1b[2Jé", "io": 1234.5678}, {"key": "a", "name": "A", "io": None},
    ]  # fmt: skip


def test_json_says_why_values_are_absent(interval: Interval) -> None:
    """Once per column and reason, with the rows; for facts too."""
    assert json_of(TABLE, interval)["absent"] == [
        {"column": "io", "reason": "needs root", "rows": ["a"]}, {"fact": "model", "reason": "not read"},
    ]  # fmt: skip


def test_json_marks_estimates(interval: Interval) -> None:
    """By column and row; only those that are shown."""
    assert json_of(TABLE, interval)["estimated"] == [{"column": "io", "rows": ["b"]}]


def test_json_says_what_it_covers(interval: Interval) -> None:
    """Screen, source and both ends of the interval in UTC."""
    found = json_of(TABLE, interval)
    assert {name: found[name] for name in ("screen", "title", "source", "from", "to", "simulated")} == {
        "screen": "FCX1", "title": "Try", "source": "made by hand", "simulated": False,
        "from": "2023-11-14T22:13:20.000+00:00", "to": "2023-11-14T22:14:20.000+00:00",
    }  # fmt: skip


def test_json_of_no_rows_says_why(interval: Interval) -> None:
    """The reason of the whole table."""
    found = json_of(Table([], {}, missing=absent("needs an LPAR")), interval)
    assert (found["rows"], found["missing"]) == ([], "needs an LPAR")


def test_json_of_the_menu_has_its_items(interval: Interval) -> None:
    """With the command of those that are there, and why the others are not."""
    screens = load_screens(shipped("screens"))
    found = document(Sheet(screens.find("MENU"), Table([], {})), screens, interval)
    by_code = {item["code"]: item for item in found["items"]}
    assert by_code["13"]["command"] == "DEVICE"
    assert (by_code["14"]["command"], by_code["14"]["reason"]) == (None, screens.find("MENU").reasons["14"])


def test_only_the_first_rows_may_be_wanted(interval: Interval) -> None:
    """Of all three forms."""
    sheet = Sheet(SCREEN, TABLE, Order("name", descending=False))
    assert [row["key"] for row in json_of(TABLE, interval, 1)["rows"]] == ["b"]
    assert [row[2] for row in records(sheet, interval, 1)] == ["a"]
    assert " A" in "".join(text(sheet, SCREENS, interval, live=True, most=1))


def test_csv_has_a_heading_and_numbers_as_they_are(interval: Interval) -> None:
    """Absent is empty; letters of all scripts stay, what a terminal obeys does not."""
    sheet, stream = Sheet(SCREEN, TABLE), io.StringIO()
    csv.writer(stream).writerows([record_names(sheet), *records(sheet, interval)])
    begin, end = "2023-11-14T22:13:20.000+00:00", "2023-11-14T22:14:20.000+00:00"
    assert list(csv.reader(io.StringIO(stream.getvalue()))) == [
        ["from", "to", "key", "name", "io"], [begin, end, "b", "LX?[2Jé", "1234.5678"],
        [begin, end, "a", "A", ""],
    ]  # fmt: skip


def test_csv_of_a_page_is_one_row_of_its_facts(interval: Interval) -> None:
    """A page has no columns."""
    sheet = Sheet(Screen(columns=(), layout="page"), TABLE)
    assert record_names(sheet) == ["from", "to", "begin", "model"]
    assert [row[2:] for row in records(sheet, interval)] == [[5, None]]


def test_the_first_sample_has_no_begin(make_interval: Callable[..., Interval]) -> None:
    """Null, and not the time of anything else."""
    assert json_of(TABLE, make_interval(None, {}))["from"] is None


@pytest.mark.parametrize(
    ("table", "why"),
    [(Table([], {}, missing=absent("needs an LPAR")), "needs an LPAR"), (Table([], {}), "no such thing")],
)
def test_text_of_no_rows_says_why(table: Table, why: str, interval: Interval) -> None:
    """An empty screen is never just empty."""
    assert why in list(text(Sheet(SCREEN, table), SCREENS, interval, live=True))[-1]


def test_text_lets_nothing_through_that_a_terminal_obeys(interval: Interval) -> None:
    """Neither from labels nor from notes."""
    lines = list(text(Sheet(SCREEN, TABLE), SCREENS, interval, live=True))
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert lines[-1] == " ~ a guess?"


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_no_text_of_a_machine_reaches_the_terminal_raw(label: str, note: str, reason: str) -> None:
    """Whatever volumes and reasons are called."""
    from zmon.interval import Interval as Between  # noqa: PLC0415 - the fixture's type has the name
    from zmon.sample import Instant, Sample  # noqa: PLC0415

    table = Table(["k"], {"name": [label]}, notes=(note,), missing=absent(reason))
    lines = text(Sheet(SCREEN, table), SCREENS, Between(None, Sample(Instant(0, 0, ""), {})), live=True)
    assert all(line.isascii() and line.isprintable() for line in lines)


@given(st.one_of(st.floats(), st.integers(), st.text()))
def test_every_value_can_be_written_as_json(value: float | str) -> None:
    """What is no finite number is null."""
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == plain(value)


def test_a_moment_is_in_utc_to_the_millisecond() -> None:
    """So that records of machines in different zones can be joined."""
    assert moment(1_700_000_000_123_999_999) == "2023-11-14T22:13:20.123+00:00"
