"""The table of PLOT: what its argument means, and a row for each figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables.disks import NOON, SECOND, watch
from zmon.machine.figure import Variable
from zmon.machine.view import NoSuchThing
from zmon.tables.plot import COLUMNS, parse, table, write

if TYPE_CHECKING:
    from zmon.session.navigator import Navigator

KEYS = st.sampled_from(["", "0.0.7000", "40", "IBM.750.2482", "dasda"])
VARIABLES = st.builds(Variable, st.sampled_from(["device", "cpu_log"]), st.sampled_from(["io", "r0"]), KEYS)


def rows(looked: Navigator, argument: str) -> dict[str, list[object]]:
    """Return the columns of the table."""
    view = looked.view(argument)
    assert view is not None
    return {name: list(values) for name, values in table(view).columns.items()}


@given(st.lists(VARIABLES, min_size=1, max_size=6), st.sampled_from(["", "-600s", "@1800014400000000000"]))
def test_an_argument_says_which_variables_are_meant(variables: list[Variable], since: str) -> None:
    """What is written is read again."""
    assert parse(f"{write(variables)} {since}".strip()) == (variables, since)


@pytest.mark.parametrize("argument", ["7000", "-600s", "7000 device.io"])
def test_an_argument_begins_with_a_column(argument: str) -> None:
    """Else nobody knows what to draw."""
    with pytest.raises(NoSuchThing, match=argument.split(maxsplit=1)[0]):
        parse(argument)


def test_each_figure_is_a_row() -> None:
    """Of all variables, one after the other."""
    found = rows(watch({"sda": [1, 2], "sdb": [3, 4]}), "device.io sda sdb")
    assert found["series"] == ["device.io sda"] * 2 + ["device.io sdb"] * 2
    assert found["mean"] == [1, 2, 3, 4]
    assert tuple(found) == COLUMNS


@pytest.mark.parametrize(("since", "left"), [("-3s", 3), (f"@{NOON + 8 * SECOND}", 2), ("", 10)])
def test_it_begins_where_it_is_told_to(since: str, left: int) -> None:
    """So long before the end, or at an instant; else it takes what fits."""
    assert len(rows(watch({"sda": [1] * 10}), f"device.io sda {since}".strip())["mean"]) == left


def test_the_window_between_the_marks_is_drawn_while_it_is_looked_at() -> None:
    """Then that is the time one is interested in."""
    looked = watch({"sda": list(range(10))})
    looked.seek(NOON + 3 * SECOND)
    looked.mark("A")
    looked.seek(NOON + 6 * SECOND)
    looked.mark("B")
    looked.average()
    assert rows(looked, "device.io sda")["mean"] == [3, 4, 5]


def test_a_variable_that_is_never_known_says_why() -> None:
    """An empty chart without a reason would be a riddle."""
    view = watch({"sda": [1] * 3}).view("device.pend sda")
    assert view is not None
    assert [note for note in table(view).notes if note.startswith("DEVICE.pend sda is unknown: ")] != []


def test_without_an_argument_there_is_nothing_to_draw() -> None:
    """The screen then lists what could be."""
    view = watch({"sda": [1]}).view()
    assert view is not None
    assert (table(view).keys, dict(table(view).facts)) == ([], {})
