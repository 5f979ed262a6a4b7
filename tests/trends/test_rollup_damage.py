"""A number of a roll-up, a name or a stored exception that is not what was written is never believed."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.trends.test_rollup import BEGIN, BUSIDS, Machine, record
from zmon.base.absent import Absent
from zmon.base.clock import SECOND
from zmon.base.event import What
from zmon.store.check import find_damage
from zmon.store.reader import Recording
from zmon.store.writer import Writer
from zmon.trends.exception_rows import DAMAGED_THERE, NOT_YET, is_damaged, stored
from zmon.trends.rollup_damage import find_rollup_damage
from zmon.trends.trend import Rollups, load, trend

DAY = 86_400 * SECOND
FIXTURES = Path(__file__).parents[1] / "fixtures" / "recordings"
FORMAT_1, FORMAT_2 = FIXTURES / "format-1.zmon", FIXTURES / "format-2.zmon"
RECORDINGS = Path(__file__).parents[2] / "recordings"
FORMAT_1_ROLLUPS = RECORDINGS / "hercules-four-queries.zmon"
SHIPPED = sorted(RECORDINGS.glob("*.zmon"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording of twenty minutes in which one device works, another rests."""
    path = tmp_path_factory.mktemp("whole") / "r.zmon"
    machine = Machine()
    samples = [machine.sample(10.0, nominal=10.0)]
    for interval in range(120):
        if interval % 12 < 6:
            machine.work(0, 50 + interval, 2)
        machine.work(1, 5, 2)
        samples.append(machine.sample(10.0, nominal=10.0))
    record(path, samples, set(), set())
    with closing(Writer(str(path))) as writer:
        writer.note(BEGIN + 60 * SECOND, "a note")
    return path


def changed(whole: Path, tmp_path: Path, statement: str) -> Path:
    """Return a copy in which one thing is not as it was written."""
    path = Path(shutil.copy(whole, tmp_path / "r.zmon"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        assert connection.execute(statement).rowcount
    return path


def seen(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the numbers that readers have of a recording, and what these found damaged."""
    with closing(Recording(str(path))) as recording:
        numbers: dict[str, Any] = {}
        for busid in BUSIDS[:2]:
            for point in trend([recording], "DEVICE", "io", busid, BEGIN, BEGIN + DAY):
                numbers[f"trend {busid} {point.begin}"] = point.mean
            for point in trend([recording], "DEVICE", "io", busid, BEGIN, BEGIN + 3 * DAY):
                numbers[f"long {busid} {point.begin}"] = point.mean
        numbers |= {f"load {at}": mean for at, mean in enumerate(load([recording], BEGIN, BEGIN + DAY, 1440))}
        for length in ("minutes", "quarters"):
            rows = Rollups(recording, length).rows("device", ["io", "resp"], BEGIN, BEGIN + DAY)
            numbers |= {f"{length} {row.thing} {row.begin}": row.figures for row in rows}
        is_damaged(recording)
        recording.events(BEGIN, BEGIN + DAY)
        return numbers, [hole.text for hole in recording.holes]


BUSY = "thing = (SELECT max(thing) FROM device_minutes)"
FIRST = {
    "device_minutes": f"{BUSY} AND minute = (SELECT min(minute) FROM device_minutes)",  # noqa: S608 - ours
    "device_quarters": f"{BUSY} AND quarter = (SELECT min(quarter) FROM quarter)",  # noqa: S608 - ours
    "minute": "minute = (SELECT min(minute) FROM minute)",
    "quarter": "quarter = (SELECT min(quarter) FROM quarter)",
    "thing": "id = (SELECT max(thing) FROM device_minutes)", "judged": "id = 1", "event": "id = 1",
}  # fmt: skip
"""The row of each table that is damaged."""
COLUMNS = {
    "device_minutes": ("io_sum", "io_weight", "io_min", "io_max", "thing", "resp_sum"),
    "device_quarters": ("io_sum", "io_weight", "io_min", "io_max", "thing", "resp_sum"),
    "minute": ("seconds", "io", "begin", "devices"), "quarter": ("seconds", "begin", "devices"),
    "thing": ("name", "screen", "label"), "judged": ("end", "rules"), "event": ("text", "begin"),
}  # fmt: skip
STATEMENTS = [
    *(f"UPDATE {table} SET {column} = {column} + 60000 WHERE {FIRST[table]}"  # noqa: S608 - ours
      for table, columns in COLUMNS.items() for column in columns),
    *(f"DELETE FROM {table} WHERE {first}" for table, first in FIRST.items()),  # noqa: S608 - ours
]  # fmt: skip


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_was_not_written_so_is_unknown_and_said(statement: str, whole: Path, tmp_path: Path) -> None:
    """Each number is as it was or lacks, the damage is remembered, and a check names it."""
    before, nothing = seen(whole)
    assert not nothing
    path = changed(whole, tmp_path, statement)
    after, holes = seen(path)
    believed = {key: value for key, value in after.items() if not isinstance(value, Absent | None)}
    assert {key: value for key, value in believed.items() if before.get(key) != value} == {}
    assert holes
    with closing(Recording(str(path))) as recording:
        problems = [*find_damage(recording), *find_rollup_damage(recording)]
        assert problems or is_damaged(recording)


def test_a_column_that_has_another_name_is_said(whole: Path, tmp_path: Path) -> None:
    """The names of columns say what their numbers are."""
    statement = (
        "UPDATE sqlite_master SET sql = replace(sql, 'io_sum', 'iq_sum') WHERE name = 'device_minutes'"
    )
    with closing(Recording(str(changed(whole, tmp_path, statement)))) as recording:
        assert recording.holes


def test_a_recording_of_format_2_is_read_and_checked_as_far_as_it_can_be(tmp_path: Path) -> None:
    """Its roll-ups have no checksums: a mean beside its extremes is found."""
    with closing(Recording(str(FORMAT_2))) as recording:
        assert len(recording) == 24
        assert [*find_damage(recording), *find_rollup_damage(recording)] == []
        assert any(event.what is What.NOTE for event in recording.events(0, 1 << 62))
        points = trend([recording], "DEVICE", "io", "0.0.0100", 0, 1 << 62)
    path = changed(FORMAT_2, tmp_path, "UPDATE device_minutes SET io_sum = io_sum * 3 + 900000")
    with closing(Recording(str(path))) as recording:
        assert len([*find_rollup_damage(recording)]) == 1
    assert points is not None


def checked(path: Path) -> list[str]:
    """Return what a check names."""
    with closing(Recording(str(path))) as recording:
        return [*find_damage(recording), *find_rollup_damage(recording)]


@pytest.mark.parametrize("path", [*SHIPPED, FORMAT_1, FORMAT_2], ids=lambda path: path.name)
def test_what_is_whole_has_no_damage(path: Path) -> None:
    """Of whichever format, with roll-ups and without."""
    assert checked(path) == []


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM about", "DELETE FROM judged", "DELETE FROM thing_rows", "UPDATE thing_rows SET minutes = 2",
     *(f"DROP TABLE {table}" for table in ("judged", "exception", "thing_rows", "quarter"))],
)  # fmt: skip
def test_what_nothing_else_counts_is_found_by_a_check(statement: str, whole: Path, tmp_path: Path) -> None:
    """A row or table that is lost: nobody may need it before it is asked for."""
    assert checked(whole) == []
    assert checked(changed(whole, tmp_path, statement))


@pytest.mark.parametrize("path", [RECORDINGS / "lab-shark-before.zmon", FORMAT_1_ROLLUPS])
@pytest.mark.parametrize(
    ("view", "statement"),
    [
        ("ctlunits_by_quarter", "replace(sql, 'resp_max / 1000.0', 'resp_max / 3000.0')"),
        ("devices_by_minute", "replace(sql, ' FROM device_minutes ', ' FROM device_quarters ')"),
        ("devices_by_quarter", "replace(sql, 'io_min / 1000.0 AS io_min', 'io_max / 1000.0 AS io_min')"),
        ("cpus_by_minute", "sql || ' WHERE thing.id < 9'"),
        ("minutes", "replace(sql, 'io * 1.0 / seconds', 'io * 2.0 / seconds')"),
        ("quarters", "replace(sql, 'seconds / 1000.0', 'seconds / 900.0')"),
    ],
)  # fmt: skip
def test_a_view_that_shows_something_else_is_damage(
    view: str, statement: str, path: Path, tmp_path: Path
) -> None:
    """Of each format: people query views, and no checksum covers their text."""
    update = f"UPDATE sqlite_master SET sql = {statement} WHERE name = '{view}'"  # noqa: S608 - ours
    (problem,) = checked(changed(path, tmp_path, update))
    assert view in problem


@pytest.mark.parametrize("view", ["minutes", "ctlunits_by_quarter"])
def test_a_view_that_lacks_is_damage(view: str, whole: Path, tmp_path: Path) -> None:
    """Also if a table has its name."""
    path = changed(whole, tmp_path, f"DROP VIEW {view}")
    (problem,) = checked(path)
    assert view in problem
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {view} AS SELECT 1 AS io")
        connection.execute("CREATE VIEW my_own AS SELECT * FROM minute")  # is none of ours
    assert len(checked(path)) == 1


def test_a_view_of_another_zmon_is_no_damage(whole: Path, tmp_path: Path) -> None:
    """It had its figures in another order, but all that its tables have."""
    with closing(sqlite3.connect(whole)) as connection:
        made = {name: text for text, name in connection.execute("SELECT sql, name FROM sqlite_master")}
    text = made["devices_by_minute"]
    begin, end = text.index("round(io_sum"), text.index("round(pend_sum")
    first, rest = text[begin:end].removesuffix(", "), text[end:]
    path = changed(whole, tmp_path, "DROP VIEW devices_by_minute")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(text[:begin] + rest.replace(" FROM", f", {first} FROM"))
        columns = [row[1] for row in connection.execute("PRAGMA table_info(devices_by_minute)")]
    assert columns.index("io") > columns.index("resp")
    assert checked(path) == []
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP VIEW devices_by_minute")
        connection.execute(text[:begin] + rest)
    assert len(checked(path)) == 1


@pytest.mark.parametrize("path", [RECORDINGS / "lab-shark-before.zmon", FORMAT_2])
def test_exceptions_are_unknown_if_it_is_lost_what_was_judged(path: Path, tmp_path: Path) -> None:
    """They were written in one transaction with it."""
    lost = changed(path, tmp_path, "DELETE FROM judged")
    with closing(sqlite3.connect(lost)) as connection, connection:
        if path == FORMAT_2:
            connection.execute("INSERT INTO exception (event, entry) VALUES (1, '{}')")
    with closing(Recording(str(lost))) as recording:
        assert stored([recording]) is DAMAGED_THERE
        assert recording.holes
    assert checked(lost)


def test_minutes_of_an_older_zmon_may_not_be_judged(tmp_path: Path) -> None:
    """Before format 3 a file may have been begun by one that stored no exceptions."""
    with closing(Recording(str(changed(FORMAT_2, tmp_path, "DELETE FROM judged")))) as recording:
        assert stored([recording]) is NOT_YET
        assert not recording.holes
