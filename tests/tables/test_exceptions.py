"""EXCEPT holds what it shows: how long an exception lasted is never cut, nor a bus id."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.event import LOOK, OPEN, OVER, ExceptionEntry
from zmon.screen.definition import load_screens, shipped
from zmon.tables.exceptions import _length

SECOND: Final = 1_000_000_000
WIDTHS: Final = {one.name: one.width for one in load_screens(shipped("screens")).find("EXCEPT").columns}


def lasting(seconds: float, state: str = OVER) -> ExceptionEntry:
    """Return an exception that lasted so long."""
    end = round(seconds * SECOND)
    return ExceptionEntry(
        "r", "d", "device", "k", "8000", 0, end, LOOK, 1.0, 0, end, 1.0, 1.0, 1, "", state=state
    )


@pytest.mark.parametrize(
    ("seconds", "state", "shown"),
    [(1170, OPEN, "19m30s+"), (900, OVER, "15m"), (86_340, OPEN, "23h59m+"), (0, OVER, "0s")],
)
def test_how_long_it_lasted_is_whole(seconds: float, state: str, shown: str) -> None:
    """With its two units, and a plus while it is open."""
    assert _length(lasting(seconds, state)) == shown


@given(st.floats(0, 99 * 86_400), st.sampled_from([OPEN, OVER]))
def test_no_length_is_cut(seconds: float, state: str) -> None:
    """Of any length up to 99 days."""
    assert len(_length(lasting(seconds, state))) <= WIDTHS["lasted"]


def test_a_bus_id_is_whole() -> None:
    """Exceptions of paths are put together by adapter: `0.0.fc60`."""
    assert len("0.0.fc60") <= WIDTHS["where"]
    subject = next(
        one for one in load_screens(shipped("screens")).find("DIAGNOSE").columns if one.name == "subject"
    )
    assert len("FCP device 0.0.fc60") <= subject.width
