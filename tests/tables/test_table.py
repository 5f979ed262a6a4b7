from __future__ import annotations

from zmon.base.absent import Absent
from zmon.tables.table import SUMMARY, Table

TABLE = Table(["a", "b"], {"io": [1, 2]}, estimated={"io": frozenset({1, SUMMARY}), "resp": None})


def test_estimates_are_known_by_row() -> None:
    """None stands for all rows; the line for all is a row too."""
    found = [
        TABLE.is_estimate(*cell) for cell in (("io", 0), ("io", 1), ("io", SUMMARY), ("resp", 0), ("x", 0))
    ]
    assert found == [False, True, True, True, False]


def test_a_column_that_is_not_there_is_absent() -> None:
    """A screen of one's own may name what a table does not give."""
    assert [type(value) for value in TABLE.column("nope")] == [Absent, Absent]
