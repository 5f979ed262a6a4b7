"""Conditions, order, and messages that say what would be possible."""

from __future__ import annotations

import math
import operator
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from zmon.base.absent import Absent, Value, absent
from zmon.base.shipped import shipped
from zmon.screen.definition import Column, load_screens
from zmon.screen.query import (
    Condition,
    QueryError,
    filtered,
    find_column,
    heading,
    listed,
    named,
    ordered,
    parse_condition,
    parse_conditions,
)
from zmon.tables.table import Table


def column(name: str, head: str, group: str = "", names: str = "") -> Column:
    """Make a column; `/` parts the lines of its heading where blanks are around it."""
    return Column(name=name, head=tuple(head.split(" / ")), width=4, format="rate", group=group, names=names)


COLUMNS = [
    column("addr", "Addr"), column("label", "Label / ID"), column("resp", "Resp", " Time (msec) "),
    column("io", "I/O / /s"),
]  # fmt: skip
NAMES = [each.name for each in COLUMNS]
SCREENS = load_screens(shipped("screens"))
OFF = absent("measurement is off")
CELLS = st.integers(-100, 100) | st.floats(allow_nan=False) | st.text(max_size=5) | st.just(OFF)


def table(**columns: list[Value]) -> Table:
    """Make a table whose keys are letters."""
    rows = len(next(iter(columns.values())))
    return Table(list(string.ascii_letters[:rows]), columns)


def holds(text: str, cell: Value) -> bool:
    """Tell whether a cell meets a condition as it is typed."""
    return parse_condition(text, COLUMNS).holds(cell)


# conditions


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("resp>10", Condition("resp", ">", "10")),
        ("resp >= 10.5", Condition("resp", ">=", "10.5")),
        ("RESP<=1", Condition("resp", "<=", "1")),
        ("label=PAY*", Condition("label", "=", "PAY*")),
        ("label!=", Condition("label", "!=", "")),
        ("label~a=b", Condition("label", "~", "a=b")),
    ],
)
def test_a_condition_is_a_column_a_sign_and_a_value(text: str, condition: Condition) -> None:
    """Blanks around the sign and the case of the column do not matter."""
    assert parse_condition(text, COLUMNS) == condition


def test_what_is_not_understood_is_named_with_what_would_be() -> None:
    """The message has the text that was found: tests/golden/said/conditions.txt."""
    texts = ("resp", "resp=>5", ">5", "typo>5", "resp>", "resp>ten", "resp>nan", "/db2/d11/tsfact2.data")
    compare("said/conditions", refusals(QueryError, lambda text: parse_condition(text, COLUMNS), texts))


@given(st.text())
def test_any_text_is_conditions_or_an_error_with_words(text: str) -> None:
    """No other error comes out, whatever is typed."""
    words = ""
    conditions: tuple[Condition, ...] = ()
    try:
        conditions = parse_conditions(text, COLUMNS)
    except QueryError as error:
        words = str(error) or "nothing was said"
    assert words != "nothing was said"
    assert all(condition.column in NAMES for condition in conditions)


@given(st.lists(st.sampled_from(["resp > 10", "io<=5", "label = P*", "addr~70"]), max_size=5))
def test_conditions_stand_behind_one_another(parts: list[str]) -> None:
    """Each is understood as if it stood alone."""
    expected = tuple(parse_condition(part, COLUMNS) for part in parts)
    assert parse_conditions("  ".join(parts), COLUMNS) == expected


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
@given(cell=st.floats(allow_nan=False), limit=st.floats(allow_nan=False))
def test_numbers_are_compared_as_numbers(sign: str, cell: float, limit: float) -> None:
    """9 is less than 10, whatever their digits."""
    compare = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign]
    assert holds(f"resp{sign}{limit!r}", cell) == compare(cell, limit)


@given(number=st.integers(-1000, 1000))
def test_a_number_equals_itself_however_it_is_written(number: int) -> None:
    """`io=5` finds 5.0."""
    assert holds(f"io={number}", float(number))
    assert not holds(f"io!={number}", number)


def test_a_measured_zero_is_found_as_zero() -> None:
    """And an absent value is not."""
    assert holds("io=0", 0.0)
    assert not holds("io=0", OFF)


def test_a_text_is_compared_as_a_pattern() -> None:
    """Regardless of case."""
    assert holds("label=pay*", "PAY001")
    assert not holds("label=pay", "PAY001")
    assert holds("label~y0", "PAY001")


def test_a_number_does_not_equal_a_word() -> None:
    """Nor is that an error."""
    assert not holds("io=abc", 5)


def test_a_text_is_not_greater_than_a_number() -> None:
    """`label>5` shows nothing."""
    assert not holds("label>5", "PAY001")


@pytest.mark.parametrize(
    ("sign", "met"), [("=", False), ("<", False), (">", False), ("~", False), ("!=", True)]
)
def test_an_absent_value_meets_no_condition_but_unequal(sign: str, met: bool) -> None:
    """It is not known to be anything."""
    assert holds(f"resp{sign}5", OFF) is met


# rows


@given(st.lists(CELLS, max_size=20), st.booleans())
def test_absent_values_stand_at_the_end_either_way(values: list[Value], descending: bool) -> None:
    """The worst row is on top, and never one that is not known."""
    rows = ordered(table(c=values), range(len(values)), "c", descending=descending)
    unknown = [isinstance(values[row], Absent) for row in rows]
    assert unknown == sorted(unknown)
    assert sorted(rows) == list(range(len(values)))


@given(st.lists(st.integers(-5, 5) | st.floats(-5, 5), max_size=20), st.booleans())
def test_rows_with_equal_values_keep_their_order(values: list[Value], descending: bool) -> None:
    """So rows do not jump from sample to sample."""
    rows = ordered(table(c=values), range(len(values)), "c", descending=descending)
    numbers = [(-1 if descending else 1) * float(values[row]) for row in rows]  # type: ignore[arg-type]  # numbers alone
    assert list(zip(numbers, rows, strict=True)) == sorted(zip(numbers, rows, strict=True))


def test_numbers_stand_before_texts() -> None:
    """A column may hold both."""
    assert ordered(table(c=["a", 1, OFF, 2]), range(4), "c", descending=True) == [3, 1, 0, 2]


@given(st.lists(st.integers(0, 9) | st.just(OFF), max_size=20), st.integers(0, 9), st.integers(0, 9))
def test_rows_meet_all_conditions_and_keep_their_order(values: list[Value], low: int, high: int) -> None:
    """The same as filtering twice."""
    conditions = parse_conditions(f"c>={low} c<{high}", [column("c", "C")])
    expected = [row for row, v in enumerate(values) if not isinstance(v, Absent) and low <= float(v) < high]
    assert filtered(table(c=values), conditions) == expected


def test_a_column_that_the_table_lacks_is_absent_throughout() -> None:
    """A screen of one's own may name it all the same."""
    assert filtered(table(c=[1, 2]), [Condition("other", ">", "0")]) == []


def test_infinity_is_a_limit() -> None:
    """It is a number, if a strange one."""
    assert not holds("resp>inf", 1e300)
    assert holds("resp<inf", math.pi)


def test_a_value_may_have_blanks_in_it() -> None:
    """As names of control units have."""
    assert parse_conditions("label=LCU 6 resp>10", COLUMNS) == (
        Condition("label", "=", "LCU 6"),
        Condition("resp", ">", "10"),
    )


def test_a_heading_may_have_blanks_in_it() -> None:
    """It ends at the sign, and begins where its words are a heading together."""
    columns = [*COLUMNS, column("qued", "Req. / Qued")]
    assert parse_conditions("label=A B Req. Qued > 1 MB/s~x", [*columns, column("mbs", "MB/s")]) == (
        Condition("label", "=", "A B"),
        Condition("qued", ">", "1"),
        Condition("mbs", "~", "x"),
    )


@pytest.mark.parametrize("value", ["7600", "LCU 7600", "ssid 7600", "76*", "IBM.750000000F2001.7600"])
def test_an_lcu_goes_by_each_of_its_names(value: str) -> None:
    """Where a column names LCUs, as the key, as the subsystem id or as people say it."""
    columns = [column("cu", "Logical control unit", names="lcu"), *COLUMNS]
    assert parse_condition(f"cu={value}", columns).holds("IBM.750000000F2001.7600")
    assert not parse_condition(f"cu={value}", columns).holds("IBM.750000000F2001.7700")
    assert not parse_condition(f"cu!={value}", columns).holds("IBM.750000000F2001.7600")
    if "." not in value:
        assert not parse_condition(f"addr={value}", columns).holds("IBM.750000000F2001.7600")


@pytest.mark.parametrize(
    ("value", "many"),
    [("7000", 2), ("LCU 7000", 2), ("LCU 09269.7000", 1), ("HRC.ZZ178730809269.7000", 1), ("17808.7000", 1)],
)
def test_a_number_that_several_boxes_have_is_told_apart_by_the_serial(value: str, many: int) -> None:
    """With the end of one, as screens write it, or with all of it, it is that of one box alone."""
    condition = parse_condition(f"cu={value}", [column("cu", "Logical control unit", names="lcu")])
    keys = ("HRC.ZZ178730809269.7000", "HRC.ZZ087215617808.7000", "HRC.ZZ172116415627.7100")
    assert sum(map(condition.holds, keys)) == many
    assert sum(map(condition.holds, ("09269.7000", "17808.7000", "15627.7100"))) == many


def test_a_told_lcu_goes_by_its_number() -> None:
    """`cu=6` is LCU 6."""
    assert parse_condition("cu=6", [column("cu", "CU", names="lcu")]).holds("LCU 6")


# columns by their headings


@pytest.mark.parametrize(
    ("command", "word", "name"),
    [
        ("CTLUNIT", "MB/s", "mbs"), ("CTLUNIT", "i/o", "io"), ("CTLUNIT", "I/O /s", "io"),
        ("CTLUNIT", "LCU", "ssid"), ("CTLUNIT", "Req. Qued", "qued"), ("CTLUNIT", "qued", "qued"),
        ("CTLUNIT", "req", "qued"), ("CTLUNIT", "Vols", "units"), ("DEVICE", "Time (msec) Resp", "resp"),
        ("DEVICE", "Mdisk", "links"), ("DEVICE", "busy", "busy"), ("DEVICE", "%Busy", "busy"),
        ("SYSSUMLG", "Beyond Lim.", "beyond"), ("CHANLOG", "Number", "paths"), ("CACHEXT", "Tot", "hit"),
        ("REDISP", "All DASD MB/s", "mbs"), ("REDISP", "All DASD Resp", "resp"),
    ],
)  # fmt: skip
def test_a_column_goes_by_its_heading(command: str, word: str, name: str) -> None:
    """All of it, a line of it or that with its group; case, blanks and signs do not matter."""
    assert find_column(word, SCREENS.find(command).columns).name == name


@pytest.mark.parametrize("screen", [s for s in SCREENS if s.columns], ids=lambda s: s.command)
def test_every_column_goes_by_its_name_and_by_what_is_listed(screen: object) -> None:
    """The name wins over the headings of others."""
    columns = screen.columns  # type: ignore[attr-defined]  # a Screen
    for each in columns:
        assert find_column(each.name, columns) is each
        assert find_column(each.name.upper(), columns) is each
    for word in listed(columns).removesuffix(" ...").split(", "):
        assert find_column(word, columns).name


def test_a_word_for_no_column_or_several_is_answered_with_choices() -> None:
    """Nothing is guessed: tests/golden/said/columns.txt."""
    asked = [
        ("CTLUNIT", "Time"),
        ("REDISP", "I/O"),
        ("CTLUNIT", "Rsp"),
        ("CTLUNIT", "zzz"),
        ("CTLUNIT", ""),
        ("CTLUNIT", "/"),
    ]
    found = refusals(QueryError, lambda one: find_column(one[1], SCREENS.find(one[0]).columns), asked)
    compare("said/columns", found)


def test_a_heading_is_written_in_one_line() -> None:
    """Words that were split are whole again, and a group stands before."""
    assert heading(column("paths", "Num- / ber")) == "Number"
    assert named(column("resp", "Resp", " Time (msec) ")) == "Time (msec) Resp"
    assert named(column("r0", "0-10", " Distribution {begin} --->")) == "0-10"


@given(st.text())
def test_any_word_is_a_column_or_an_error_with_words(text: str) -> None:
    """No other error comes out."""
    said = ""
    try:
        said = find_column(text, SCREENS.find("DEVICE").columns).name
    except QueryError as error:
        said = str(error)
    assert said
