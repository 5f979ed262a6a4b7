"""Rows are judged by limits, preconditions and comparison with other rows; what is missing is not known."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables.disks import samples
from zmon.base.absent import Absent, absent
from zmon.base.event import BAD, LOOK
from zmon.interval import Interval
from zmon.machine.view import View
from zmon.rule import judge as judge_module
from zmon.rule.grammar import parse_rules
from zmon.rule.judge import UNSAID, Judge, sentence
from zmon.tables import plot
from zmon.tables.table import Summary, Table

if TYPE_CHECKING:
    import random

    from zmon.base.absent import Value

SILENT = absent("nobody measured it")
BASE = '[[rule]]\nname = "slow"\non = "control_unit.resp"\nsay = "LCU {where}: {resp} ms"\n'


@pytest.fixture
def unit(monkeypatch: pytest.MonkeyPatch) -> dict[str, Table]:
    """Let tests fill the tables that are judged, by name."""
    tables: dict[str, Table] = {}
    monkeypatch.setattr(judge_module, "alone", lambda name, _view: tables[name])
    monkeypatch.setattr(Judge, "_declared", staticmethod(lambda _table, _name: None))
    monkeypatch.setattr(plot, "row_names", lambda variables, _view: [variables[0].key])
    return tables


def judge() -> Judge:
    """Return the judge of some interval."""
    first, second = samples({"sda": [1]})
    return Judge(View(Interval(first, second)))


def filled(**columns: list[Value]) -> Table:
    """Return a table of LCUs A, B, ... with these columns."""
    many = len(next(iter(columns.values())))
    return Table([chr(ord("A") + n) for n in range(many)], columns, Summary("all", {"io": 500, "resp": 4.0}))


def levels(keys: str, held: dict[str, int] | None = None, before: dict[str, float] | None = None) -> object:
    """Return the levels that are not 0, by key; or why there are none."""
    (rule,) = parse_rules(BASE + keys)
    found = judge().judge(rule, held or {}, before or {})
    if isinstance(found, Absent):
        return found
    return {key: one.level for key, one in found.items() if one.level != 0}


def test_limits(unit: dict[str, Table]) -> None:
    """A value at a limit has reached it; `under` turns the sense."""
    unit["control_unit"] = filled(resp=[9.9, 10, 60, SILENT])
    assert levels("look = 10\nbad = 60") == {"B": LOOK, "C": BAD}
    assert levels('sense = "under"\nlook = 60\nbad = 10') == {"A": BAD, "B": BAD, "C": LOOK}


def test_an_open_exception_ends_only_below_clear(unit: dict[str, Table]) -> None:
    """Hysteresis: what is open keeps its level until the value is below `clear` times the limit."""
    unit["control_unit"] = filled(resp=[9, 9, 50, 50, 7.9])
    assert levels("look = 10\nbad = 60", {"B": LOOK, "D": BAD, "E": LOOK}) == {"B": LOOK, "C": LOOK, "D": BAD}


def test_what_is_open_and_has_no_value_is_not_known(unit: dict[str, Table]) -> None:
    """An absent value of a row that is remembered is unknown for its reason."""
    unit["control_unit"] = filled(resp=[SILENT, SILENT])
    assert levels("look = 10", {"A": LOOK}) == {"A": SILENT}


def test_preconditions(unit: dict[str, Table]) -> None:
    """All have to hold; one that does not decides although another is not known."""
    unit["control_unit"] = filled(resp=[20] * 4, io=[50, 10, 50, SILENT], serv=[5, 5, 15, 5])
    assert levels('look = 10\nwhen = ["io >= 30", "resp >= 2 * serv"]') == {"A": LOOK, "D": SILENT}
    assert levels('look = 10\nwhen = ["io >= 30", "resp > 2 * resp"]') == {}
    assert levels('look = 10\nwhen = ["all.io >= 500", "count >= 4"]') == dict.fromkeys("ABCD", LOOK)
    assert levels('look = 10\nwhen = ["count >= 5"]') == {}
    unit["memory"] = Table([], {}, facts={"paging": 3})
    assert levels('look = 10\nwhen = ["memory.paging >= 4"]') == {}


def test_division(unit: dict[str, Table]) -> None:
    """A value may be a part of another column of its row; a part of nothing is not known."""
    unit["control_unit"] = filled(resp=[9, 9, 9], serv=[3, 0, SILENT])
    assert levels('look = 3\nper = "serv"') == {"A": LOOK}


def test_siblings(unit: dict[str, Table]) -> None:
    """A value is compared with the other rows, or with those of its group; alone it is not known."""
    unit["control_unit"] = filled(resp=[30, 11, 10, 31], serial=["x", "x", "x", "y"])
    assert levels('look = 5\nsiblings = { times = 2.5, of = "least" }') == {"A": LOOK, "D": LOOK}
    assert levels('look = 5\nsiblings = { times = 2.5, of = "mean", within = "serial" }') == {
        "A": LOOK, "D": judge_module.NO_SIBLINGS,
    }  # fmt: skip


def test_rows_and_the_row_of_all(unit: dict[str, Table]) -> None:
    """A rule watches the rows that match its patterns, or what all rows have together."""
    unit["control_unit"] = filled(resp=[20, 20], ssid=["7000", "8000"])
    assert levels('look = 10\nrows = { ssid = "80*" }') == {"B": LOOK}
    assert levels('look = 10\nrows = { ssid = "!80*" }') == {"A": LOOK}
    assert levels("look = 4\nrows = { all = true }") == {"": LOOK}


def test_changed_and_rising(unit: dict[str, Table]) -> None:
    """`changed` and `fallen` compare with the interval before, `rising` lets only a higher value begin."""
    unit["control_unit"] = filled(resp=[20, 20, 20])
    assert levels('sense = "changed"', before={"A": 20, "B": 19}) == {"B": BAD}
    assert levels('sense = "fallen"', before={"A": 20, "B": 19, "C": 21}) == {"C": BAD}
    assert levels('sense = "fallen"\nlook = 0', before={"C": 21}) == {"C": LOOK}
    found = levels("look = 10\nrising = true", held={"C": LOOK}, before={"A": 20, "B": 19, "C": 30})
    assert found == {"B": LOOK, "C": LOOK}


def test_hours(unit: dict[str, Table], monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside its hours a rule holds nowhere; a night belongs to the day on which it begins."""
    unit["control_unit"] = filled(resp=[20])
    monkeypatch.setattr(time, "localtime", lambda _s: time.struct_time((2026, 3, 21, 1, 30, 0, 5, 80, 0)))
    assert levels('look = 10\nhours = "Fri 22:00-06:00"') == {"A": LOOK}  # Saturday, half past one
    assert levels('look = 10\nhours = "Sat 22:00-06:00"') == {}
    assert levels('look = 10\nhours = "01:00-02:00"') == {"A": LOOK}


def test_a_missing_table_and_an_unknown_column(unit: dict[str, Table]) -> None:
    """Without rows the reason is that of the table; a column that is not there is named."""
    unit["control_unit"] = Table([], {}, missing=SILENT)
    assert levels("look = 10") is SILENT
    unit["control_unit"] = filled(resp=[20])
    assert levels('look = 10\nwhen = ["rsp >= 1"]') is absent("control_unit has no column 'rsp'")


def test_the_sentence_names_values_as_a_screen_does(unit: dict[str, Table]) -> None:
    """Figures have three digits or those that are wanted; what is not known is dots."""
    unit["control_unit"] = filled(resp=[12.345], serv=[SILENT], io=[1234.5])
    (rule,) = parse_rules(
        BASE.replace("{resp} ms", "{resp} {resp:.1f} {serv} {io} {all.io} {value}") + "look = 1"
    )
    one = judge()
    cells = one.cells(rule, "A")
    assert sentence(rule, cells, 2.0) == f"LCU A: 12.3 12.3 {UNSAID} 1,234 500 2"


def test_a_precondition_may_be_that_a_value_is_not_known(unit: dict[str, Table]) -> None:
    """`no serv`: a rule for machines that do not measure the service time."""
    unit["control_unit"] = filled(resp=[20, 20], serv=[SILENT, 2.0])
    assert levels('look = 10\nwhen = ["no serv"]') == {"A": LOOK}


def test_low_values_stand_out_from_higher_ones(unit: dict[str, Table]) -> None:
    """With `under`, a value is so many times lower than the others."""
    unit["control_unit"] = filled(resp=[1, 50, 60])
    assert levels('sense = "under"\nlook = 55\nsiblings = { times = 5, of = "mean" }') == {"A": LOOK}


def test_the_others_are_the_mean_of_the_other_rows(unit: dict[str, Table]) -> None:
    """Without the row itself, which would hide how far it stands out; alone there are none."""
    unit["control_unit"] = filled(resp=[30, 10, 14])
    assert levels('look = 1\nwhen = ["resp >= 2 * others.resp"]') == {"A": LOOK}
    unit["control_unit"] = filled(resp=[30])
    assert levels('look = 1\nwhen = ["resp >= 2 * others.resp"]', {"A": LOOK}) == {
        "A": judge_module.NO_SIBLINGS
    }


NUMBERS = st.integers(0, 40).map(float)
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=2, max_size=6)
FORMS = st.sampled_from(
    [
        "look = 10\nbad = 20",
        'look = 2\nper = "serv"',
        'look = 5\nwhen = ["io >= 10", "resp >= 2 * serv"]',
        'look = 5\nwhen = ["resp >= 1.5 * others.resp"]',
        'look = 5\nsiblings = { times = 2, of = "least" }',
        'look = 5\nsiblings = { times = 2, of = "mean" }',
        'sense = "under"\nlook = 5\nwhen = ["io >= 10"]',
    ]
)


def judged(keys: str, table: Table, held: dict[str, int]) -> dict[str, int | Absent]:
    """Return the levels of all rows of a table of LCUs that are asked for."""
    (rule,) = parse_rules(BASE + keys)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_module, "alone", lambda _name, _view: table)
        patch.setattr(Judge, "_declared", staticmethod(lambda _table, _name: None))
        found = judge().judge(rule, held, {})
    assert not isinstance(found, Absent)
    return {key: one.level for key, one in found.items()}


def table_of(rows: list[tuple[float, float, float]], names: str) -> Table:
    """Return LCUs of these names with resp, serv and io."""
    resp, serv, rates = map(list, zip(*rows, strict=True))
    return Table(list(names), {"resp": resp, "serv": serv, "io": rates}, Summary("all", {"io": 500}))


@given(ROWS, FORMS, st.randoms(use_true_random=False))
def test_names_and_order_change_no_judgement(
    rows: list[tuple[float, float, float]], keys: str, dice: random.Random
) -> None:
    """A machine whose devices are called otherwise, and listed in another order, has the same exceptions."""
    names = "ABCDEF"[: len(rows)]
    before = judged(keys, table_of(rows, names), dict.fromkeys(names, 0))
    order = list(range(len(rows)))
    dice.shuffle(order)
    others = names.lower()
    moved = table_of([rows[at] for at in order], "".join(others[at] for at in order))
    assert judged(keys, moved, dict.fromkeys(others, 0)) == {
        key.lower(): level for key, level in before.items()
    }


@given(ROWS, FORMS.filter(lambda keys: "mean" not in keys and "others" not in keys))
def test_a_machine_twice_as_large_has_each_exception_twice(
    rows: list[tuple[float, float, float]], keys: str
) -> None:
    """What is compared with limits or with the least of the others does not depend on how many there are."""
    names = "ABCDEF"[: len(rows)]
    small = judged(keys, table_of(rows, names), dict.fromkeys(names, 0))
    large = judged(keys, table_of(rows * 2, names + names.lower()), dict.fromkeys(names + names.lower(), 0))
    for key in names:
        assert large[key] == large[key.lower()]
        if "least" not in keys:
            assert large[key] == small[key]


@given(ROWS, FORMS, st.sampled_from(["resp", "serv", "io"]))
def test_a_source_that_is_taken_away_makes_nothing_false(
    rows: list[tuple[float, float, float]], keys: str, column: str
) -> None:
    """What held is not known without a column that it needs; it never comes out as "does not hold"."""
    names = "ABCDEF"[: len(rows)]
    table, held = table_of(rows, names), dict.fromkeys(names, 0)
    before = judged(keys, table, held)
    table.columns[column][:] = [SILENT] * len(rows)
    after = judged(keys, table, held)
    for key, level in before.items():
        assert (
            level == 0 or isinstance(level, Absent) or after[key] == level or isinstance(after[key], Absent)
        )
