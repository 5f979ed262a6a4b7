"""What is read of minutes and quarters of an hour."""

from __future__ import annotations

import gc
import sqlite3
import sys
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.trends.test_rollup import BEGIN, BUSIDS, Machine, record
from zmon.base.absent import Absent
from zmon.base.clock import SECOND
from zmon.store.file_format import crc_of, seal_schema
from zmon.store.open import connect
from zmon.store.reader import Recording
from zmon.store.writer import Writer
from zmon.trends.rollup import recording_with_trends
from zmon.trends.trend import NoTrendError, Rollups, load, trend
from zmon.trends.trend_tables import column_names

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.sample import Sample

DAY = 86_400 * SECOND


def opened(path: Path | str) -> list[Recording]:
    """Return a recording that is open for reading."""
    return [Recording(str(path))]


def steady(machine: Machine, minutes: int, starts: int, device: int = 0) -> list[Sample]:
    """Let one device do so many I/O each ten seconds."""
    found = []
    for _ in range(minutes * 6):
        machine.work(device, starts, 2)
        found.append(machine.sample(10.0, nominal=10.0))
    return found


def test_minutes_tell_the_mean_and_the_extremes(tmp_path: Path) -> None:
    """A minute with one busy interval has its peak, and the rest as zero."""
    machine = Machine()
    samples = [machine.sample(10.0, nominal=10.0)]
    samples += steady(machine, 1, 0)
    machine.work(0, 600, 2)
    samples += steady(machine, 1, 0)
    record(tmp_path / "r.zmon", samples, set(), set())
    points = trend(opened(tmp_path / "r.zmon"), "device", "io", BUSIDS[0], BEGIN, BEGIN + DAY)
    assert [point.high for point in points] == [0.0, 60.0, 0.0]
    assert points[1].mean == pytest.approx(10.0)
    assert points[1].low == 0.0


def test_gaps_have_no_points(tmp_path: Path) -> None:
    """Where no sample was taken there is nothing, and not zero."""
    machine = Machine()
    samples = steady(machine, 2, 5)
    machine.sample(600.0)
    samples += steady(machine, 2, 5)
    record(tmp_path / "r.zmon", samples, set(), set())
    points = trend(opened(tmp_path / "r.zmon"), "DEVICE", "io", BUSIDS[0], BEGIN, BEGIN + DAY)
    between = [b.begin - a.end for a, b in pairwise(points)]
    assert max(between) >= 600 * SECOND
    assert all(point.mean == pytest.approx(0.5) for point in points)


def test_long_times_are_told_by_quarters_and_then_by_minutes(tmp_path: Path) -> None:
    """Quarters that are over, and after them the minutes of the one that is not."""
    machine = Machine()
    machine.at = machine.at._replace(utc=BEGIN)
    writer = recording_with_trends(str(tmp_path / "r.zmon"), sealed=10**9, durable=False)
    for sample in steady(machine, 35, 5):
        writer.append(sample)
    writer.seal()
    points = trend(opened(tmp_path / "r.zmon"), "DEVICE", "io", BUSIDS[0], BEGIN, BEGIN + 2 * DAY)
    lengths = [round((point.end - point.begin) / SECOND) for point in points]
    assert lengths[:2] == [890, 900]
    assert lengths[2:] == [60] * 5
    assert all(point.mean == pytest.approx(0.5) for point in points)
    writer.close()


def test_a_quarter_is_made_again_when_it_went_on_after_it_was_opened_again(tmp_path: Path) -> None:
    """Closing makes what there is of a quarter; the rest of it is added later."""
    machine = Machine()
    samples = steady(machine, 20, 5)
    record(tmp_path / "r.zmon", samples, set(), {30, 60})
    with sqlite3.connect(tmp_path / "r.zmon") as connection:
        found = connection.execute("SELECT intervals, seconds, io FROM quarters").fetchall()
    connection.close()
    assert found == [(89, 890.0, 0.5), (30, 300.0, 0.5)]


def test_the_load_of_a_time_is_the_io_of_all_devices(tmp_path: Path) -> None:
    """One figure for each part; where there are no samples it is absent."""
    machine = Machine()
    record(tmp_path / "r.zmon", steady(machine, 10, 5), set(), set())
    found = load(opened(tmp_path / "r.zmon"), BEGIN, BEGIN + 1200 * SECOND, 4)
    assert list(found[:2]) == [pytest.approx(0.5)] * 2
    assert isinstance(found[3], Absent)


def test_without_roll_ups_there_is_nothing_to_read(tmp_path: Path) -> None:
    """A recording that keeps none has no such tables, and no trends."""
    writer = Writer(str(tmp_path / "r.zmon"))
    for sample in steady(Machine(), 2, 5):
        writer.append(sample)
    writer.close()
    path = opened(tmp_path / "r.zmon")
    assert trend(path, "DEVICE", "io", BUSIDS[0], BEGIN, BEGIN + DAY) == []
    assert list(load(path, BEGIN, BEGIN + DAY, 3)) == []


def test_who_stops_early_may_close_the_file_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `zmon export | head` does: rows that are dropped afterwards are no damage to the file."""
    machine = Machine()
    samples = [machine.sample(10.0, nominal=10.0), *steady(machine, 3, 5)]
    record(tmp_path / "r.zmon", samples, set(), set())
    complaints: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    (recording,) = opened(tmp_path / "r.zmon")
    rows = Rollups(recording, "minutes").rows("device", ["io"], BEGIN, BEGIN + DAY)
    assert next(rows).figures
    recording.close()
    del rows
    gc.collect()
    assert not complaints


def test_what_has_no_trend_is_refused_by_name() -> None:
    """And it is said of what there are trends."""
    with pytest.raises(NoTrendError, match=r"DEVICE paths; they do of .*DEVICE io"):
        trend([], "DEVICE", "paths", "x", 0, 1)


def test_views_show_units_and_times_for_people(tmp_path: Path) -> None:
    """Whoever opens it with any tool finds UTC, names, labels and plain numbers."""
    record(tmp_path / "r.zmon", steady(Machine(), 3, 5), set(), set())
    with sqlite3.connect(tmp_path / "r.zmon") as connection:
        found = connection.execute(
            "SELECT utc, thing, label, io, io_max, round(resp, 1) FROM devices_by_minute"
        ).fetchall()
    connection.close()
    assert found[1] == ("2026-11-21 00:01", BUSIDS[0], ">dasda", 0.5, 0.5, 2.0)


def test_an_older_recording_gets_the_columns_that_it_lacks(tmp_path: Path) -> None:
    """A screen's new column is added when somebody goes on with the file."""
    path = str(tmp_path / "r.zmon")
    machine = Machine()
    record(tmp_path / "r.zmon", steady(machine, 2, 5), set(), set())
    with closing(connect(path, "mode=rw")) as connection:
        for view in ("devices_by_minute", "devices_by_quarter"):
            connection.execute(f"DROP VIEW {view}")
        for table in ("device_minutes", "device_quarters"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN mbs_max")
            crc = crc_of(table, column_names(connection, table))
            connection.execute(f"UPDATE {table} SET crc = {crc}")  # noqa: S608 - ours
        seal_schema(connection)
    writer = recording_with_trends(path)
    for sample in steady(machine, 2, 5):
        writer.append(sample)
    writer.close()
    assert writer.problem() is None
    points = trend(opened(path), "DEVICE", "mbs", BUSIDS[0], BEGIN, BEGIN + DAY)
    assert points[0].mean is None
    assert points[-1].mean == pytest.approx(5 * 8 * 512 / 1e7, rel=0.1)
