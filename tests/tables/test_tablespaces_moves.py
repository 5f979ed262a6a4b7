from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.placement.study import SECOND, sample
from zmon.base.absent import Absent
from zmon.interval import Interval
from zmon.machine.view import View
from zmon.tables.tablespaces import COLUMNS, moves_table

if TYPE_CHECKING:
    from zmon.tables.table import Table


def fill(**more: object) -> Table:
    after = sample(when=10 * SECOND, sectors={6: 800_000, 2: 200_000}, **more)  # type: ignore[arg-type]  # as of `sample`
    return moves_table(View(Interval(sample(), after)))


def test_the_first_move_leaves_the_fullest_unit() -> None:
    """One file of the LCU that has most traffic goes to one that has none."""
    found = fill()
    assert found.columns["source"][0] == "LCU 2486"
    assert found.columns["target"][0] != "LCU 2486"


def test_each_move_gives_no_less_than_the_one_before() -> None:
    """One may stop anywhere; two files that change places are one move."""
    times = [value for value in fill().columns["times"] if isinstance(value, float)]
    assert times == sorted(times)
    assert times[-1] > 2


def test_copied_counts_up_to_the_line() -> None:
    """The last line has all bytes that are to be copied."""
    found = fill()
    assert found.columns["copied"][-1] == sum(found.columns["size"])  # type: ignore[arg-type]  # numbers


def test_what_traffic_tells_is_an_estimate() -> None:
    """Bytes to copy are none."""
    found = fill()
    assert found.is_estimate("times", 0)
    assert not found.is_estimate("copied", 0)


def test_the_notes_say_the_bound_and_what_is_assumed() -> None:
    """First what all of it may give at the most."""
    notes = fill().notes
    assert re.match(rf"These {len(fill().keys)} .*\bLCU 2486\b", notes[0])
    assert any(note.startswith("Basis: ") for note in notes)


def test_without_traffic_bytes_count() -> None:
    """As in the first sample; the cell of the traffic says so."""
    found = moves_table(View(Interval(None, sample())))
    assert found.keys
    assert isinstance(found.columns["mbs"][0], Absent)
    assert not found.is_estimate("times", 0)


def test_without_files_there_are_no_rows() -> None:
    """And the reason says what to do."""
    found = moves_table(View(Interval(None, sample([]))))
    assert found.keys == []
    assert found.missing is not None


@pytest.mark.parametrize("name", COLUMNS)
def test_every_row_has_every_column(name: str) -> None:
    """Values or the reason why there is none."""
    found = fill()
    assert len(found.columns[name]) == len(found.keys)
