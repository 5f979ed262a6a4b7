"""Rows of minidisks that the samples do not have."""

from __future__ import annotations

from zmon.cp.answers import parse
from zmon.cp.row import BY_WORDS


def test_an_extent_without_its_columns_is_weak() -> None:
    """One that is cut in its size too."""
    whole = "LINDB01  0200 LINDB01  0200 3390  AB7101 7101          1       3338"
    assert [row.weak for row in parse(f"{whole}\n".encode(), "x").rows["extent"]] == [""]
    assert [row.weak for row in parse(f"{whole[:-1]}\n".encode(), "x").rows["extent"]] == [BY_WORDS]
