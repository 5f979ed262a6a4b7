from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.placement.study import FILES, SECOND, sample
from zmon.absent import Absent
from zmon.interval import Interval
from zmon.tables.tablespaces import spread_table
from zmon.tables.view import View

if TYPE_CHECKING:
    from zmon.tables.table import Table


def fill(**more: object) -> Table:
    after = sample(when=10 * SECOND, sectors={6: 800_000, 2: 200_000}, **more)  # type: ignore[arg-type]  # as of `sample`
    return spread_table(View(Interval(sample(), after)))


def test_one_row_per_tablespace() -> None:
    """Keyed by the database too, because names repeat in other databases."""
    found = fill()
    assert found.keys == ["PROD.T1", "PROD.T2", "PROD.T3", "PROD.T4"]
    assert found.columns["files"] == [4, 4, 4, 4]


def test_bytes_and_traffic_stand_side_by_side() -> None:
    """T3 lies on 2.7 LCUs, and all its traffic is on one."""
    found = fill()
    assert found.columns["effective"][2] == pytest.approx(8 / 3)
    assert found.columns["teffective"][2] == pytest.approx(1.0)
    assert found.columns["worst"][0] == "LCU 2486"


def test_traffic_is_an_estimate() -> None:
    """Wherever it is shown; bytes are none."""
    found = fill()
    assert found.is_estimate("mbs", 0)
    assert not found.is_estimate("effective", 0)


def test_the_line_of_all() -> None:
    """On 1.8 of 8 LCUs."""
    summary = fill().summary
    assert summary is not None
    assert summary.cells["effective"] == pytest.approx(1.8, abs=0.05)
    assert summary.cells["units"] == 8


def test_the_note_says_what_an_even_spread_may_give() -> None:
    """And names the LCU that has most."""
    fullest, note, *_ = fill().notes
    assert fullest == "LCU 2486 has 80 % of the tablespaces' traffic"
    assert note.startswith("An even spread of the traffic over 8 LCUs: at most 6.40 times the throughput.")
    assert "The bottleneck is LCU 2486 now" in note


def test_logs_beside_data_are_told() -> None:
    """On the row and below."""
    found = fill(roles={"/db/t4.0": "log"})
    assert found.columns["logs"] == ["no", "no", "no", "yes"]
    assert any("Logs share 1" in note for note in found.notes)


def test_the_first_sample_has_bytes_alone() -> None:
    """Traffic comes with the next one."""
    found = spread_table(View(Interval(None, sample())))
    assert found.columns["effective"][0] == pytest.approx(1.0)
    assert isinstance(found.columns["mbs"][0], Absent)


def test_without_files_there_are_no_rows() -> None:
    """And the reason says what to do."""
    bare = sample([])
    found = spread_table(View(Interval(None, bare)))
    assert found.keys == []
    assert found.missing is not None


def test_files_that_lie_nowhere_are_counted() -> None:
    """With the first reason below."""
    made = sample(when=10 * SECOND)
    bare = made._replace(frames={name: frame for name, frame in made.frames.items() if name != "device"})
    found = spread_table(View(Interval(None, bare)))
    assert found.columns["unplaced"] == [4, 4, 4, 4]
    counted = (
        f"{len(FILES)} of {len(FILES)} files are not placed, or only in part; the first is {FILES[0][0]}: "
    )
    assert any(note.startswith(counted) for note in found.notes)
