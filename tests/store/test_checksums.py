"""Every row that a reader believes is covered by a checksum, and so is the index of segments."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.machine import SECOND
from tests.store.test_damaged import read_all
from zmon.base.event import Event, What
from zmon.store.check import find_damage
from zmon.store.file_format import TABLES, event_row, is_sample, sample_crc, sql_text
from zmon.store.open import RecordingFile
from zmon.store.reader import Recording

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = st.integers(-(1 << 63), (1 << 63) - 1)

COVERED = {
    "sample": ("n", "utc", "steady", "session"),
    "session": ("boot", "source", "nominal", "simulated", "begin"),
    "kind": ("name", "key", "alone"),
    "field": ("place", "name", "meaning", "unit", "source", "modulus", "wraps_after"),
    "event": ("what", "begin", "end", "thing", "screen", "text"),
}
"""Tables without a body, and their columns."""


def connected(path: Path) -> closing[sqlite3.Connection]:
    """Open the file to be changed."""
    return closing(sqlite3.connect(path, isolation_level=None))


def problems(path: Path) -> list[str]:
    """Return what a check finds."""
    with closing(Recording(str(path))) as recording:
        return list(find_damage(recording))


@given(st.tuples(WHOLE, WHOLE, WHOLE, WHOLE), st.integers(0, 3), WHOLE)
def test_a_sample_is_whole_as_long_as_its_four_numbers_are(
    row: tuple[int, int, int, int], place: int, other: int
) -> None:
    """Each of them counts, and where it stands."""
    first, second, third, last = (other if at == place else number for at, number in enumerate(row))
    assert is_sample(*row, sample_crc(*row))
    assert is_sample(first, second, third, last, sample_crc(*row)) is (other == row[place])


@given(st.sampled_from(["x", None, 0.5, 1 << 64, b""]), st.integers(0, 3))
def test_what_is_no_number_of_64_bits_is_no_sample(other: object, place: int) -> None:
    """Nothing is raised."""
    first, second, third, last = (other if at == place else at for at in range(4))
    assert not is_sample(first, second, third, last, 0)


@given(st.text(), st.text())
def test_events_are_written_as_sqlite_can_hold_them(thing: str, text: str) -> None:
    """Bytes that are no UTF-8 are spelled out, and the checksum is that of what is written."""
    row = event_row(Event(What.NOTE, 1, 2, thing, text + "\udcff"))
    assert row[3] == sql_text(thing)
    assert str(row[5]).endswith("\\udcff")
    assert row == event_row(Event(What.NOTE, 1, 2, sql_text(thing), str(row[5])))


def test_all_tables_are_covered() -> None:
    """Who adds one says here how."""
    assert {*COVERED, "segment", "still", "layout", "tail", "about", "change"} == TABLES


@pytest.mark.parametrize(
    ("table", "column"), [(table, column) for table, columns in COVERED.items() for column in columns]
)
def test_a_row_that_was_changed_is_never_believed(path: Path, table: str, column: str) -> None:
    """The check says so, and whatever is read is as it was, or absent."""
    with connected(path) as connection:
        ((row, was),) = connection.execute(
            f"SELECT rowid, {column} FROM {table} ORDER BY rowid DESC LIMIT 1"  # noqa: S608 - ours
        )
        other = was + 1 if isinstance(was, (int, float)) else str(was) + "x"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (other, row))  # noqa: S608 - ours
    assert problems(path)
    assert read_all(path, strict=True) == []


@pytest.mark.parametrize(("table", "column"), [("sample", "n"), ("kind", "id"), ("session", "id")])
def test_rows_that_change_places_are_not_believed(path: Path, table: str, column: str) -> None:
    """What stands in another row than it was written to is damaged."""
    with connected(path) as connection:
        if table == "session":
            connection.execute("UPDATE session SET id = id + 1")
            connection.execute("UPDATE sample SET session = session + 1")
        else:
            connection.execute(f"UPDATE {table} SET {column} = -1 WHERE {column} = 1")  # noqa: S608 - ours
            connection.execute(f"UPDATE {table} SET {column} = 1 WHERE {column} = 2")  # noqa: S608 - ours
            connection.execute(f"UPDATE {table} SET {column} = 2 WHERE {column} = -1")  # noqa: S608 - ours
    assert problems(path)
    assert read_all(path, strict=True) == []


def astray(path: Path, index: str, change: str, back: str) -> None:
    """Change rows, and change them back without the index, which then says something else."""
    with connected(path) as connection:
        ((name, table, root, sql),) = connection.execute(
            "SELECT name, tbl_name, rootpage, sql FROM sqlite_master WHERE type = 'index' AND name = ?",
            (index,),
        )
        connection.execute(change)
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_master WHERE name = ?", (index,))
    with connected(path) as connection:
        connection.execute(back)
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('index', ?, ?, ?, ?)",
            (name, table, root, sql),
        )
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize("which", ["min", "max"])
@pytest.mark.parametrize(
    ("change", "back"),
    [
        ("kind = 'cache'", "kind = 'cmf'"),
        ("kind = 'block'", "kind = 'cmf'"),
        ("first = first + 9", "first = first - 9"),
        ("first = first - 5", "first = first + 5"),
    ],
)
def test_an_index_of_segments_that_says_something_else_is_not_believed(
    path: Path, which: str, change: str, back: str
) -> None:
    """Neither is a segment of another kind or time taken, nor one before it where one is missing."""
    with connected(path) as connection:
        ((number,),) = connection.execute(
            f"SELECT {which}(id) FROM segment WHERE kind = 'cmf' AND first > 0 AND body NOT NULL"  # noqa: S608 - ours
        )
    where = f"WHERE id = {number}"
    astray(
        path,
        "idx_segment_kind_first",
        f"UPDATE segment SET {change} {where}",  # noqa: S608 - ours
        f"UPDATE segment SET {back} {where}",  # noqa: S608 - ours
    )
    assert problems(path)
    assert read_all(path, strict=True) == []


def test_an_index_of_times_that_says_something_else_costs_no_sample(path: Path) -> None:
    """What lies in a range of times is seen in the rows."""
    with closing(Recording(str(path))) as recording:
        span = recording.span()
        assert span is not None
        number = len(recording)
    for row in (0, 5, number - 1):
        astray(
            path,
            "idx_sample_utc",
            f"UPDATE sample SET utc = utc + 1000000000000 WHERE n = {row}",  # noqa: S608 - ours
            f"UPDATE sample SET utc = utc - 1000000000000 WHERE n = {row}",  # noqa: S608 - ours
        )
    assert problems(path)
    with closing(Recording(str(path))) as recording:
        assert recording.span() == span
        assert recording.numbers(*span) == range(number)
        assert recording.place(span[1]) == number - 1
    assert read_all(path, strict=True) == []


def test_times_are_scanned_once_where_a_time_is_damaged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for each look-up: a day has 86,400 samples."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE sample SET crc = crc + 1 WHERE n = 5")
    scans: list[object] = []
    pieces = RecordingFile.pieces

    def counted(file: RecordingFile, *question: Any) -> Any:
        scans.append(question)
        return pieces(file, *question)

    monkeypatch.setattr(RecordingFile, "pieces", counted)
    with closing(Recording(str(path))) as recording:
        utc = recording.sample(6).at.utc - SECOND
        assert {recording.place(utc) for _ in range(9)} == {4}
    assert len(scans) == 1
