"""A recording from a stranger does nothing by itself, and costs neither memory nor time nor a crash."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.machine import ROOT
from tests.store.test_damaged import read_all
from zmon.store.column_encoding import dump, load
from zmon.store.file_format import TABLES, VERSION, RecordingError, crc
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

thorough = settings(
    database=None,  # the file is another in every run, and what was found in one means nothing in the next
    deadline=None,
    max_examples=int(os.environ.get("ZMON_TEST_DAMAGES", "30")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

ANYTHING = st.one_of(
    st.none(),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.sampled_from([-1, 0, 1, 2, 1 << 24, 1 << 31, (1 << 63) - 1, float("inf"), -float("inf"), 1e300, 0.5]),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["device", "counter", "9" * 5000, "block"]),
    st.binary(max_size=200),
)


class Changed:
    """A copy of a recording in a directory of its own, changed by SQL."""

    def __init__(self, tmp_path: Path, whole: bytes) -> None:
        self.directory = Path(tempfile.mkdtemp(dir=tmp_path))
        self.path = self.directory / "a.zmon"
        self.path.write_bytes(whole)

    def __enter__(self) -> sqlite3.Connection:
        self.connection = sqlite3.connect(self.path, isolation_level=None)
        return self.connection

    def __exit__(self, *_: object) -> None:
        self.connection.execute("PRAGMA journal_mode = DELETE")
        self.connection.close()

    def read(self) -> None:
        """Read all of it; nothing may come out but what is caught there."""
        try:
            read_all(self.path)
        finally:
            shutil.rmtree(self.directory)


def columns(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return all columns of all tables."""
    return [
        (table, name)
        for table in sorted(TABLES)
        for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    ]


@thorough
@given(data=st.data())
def test_any_value_may_stand_in_any_column(whole: bytes, tmp_path: Path, data: st.DataObject) -> None:
    """SQLite keeps to no types."""
    changed = Changed(tmp_path, whole)
    with changed as connection:
        for _ in range(data.draw(st.integers(1, 4))):
            table, name = data.draw(st.sampled_from(columns(connection)))
            value = data.draw(ANYTHING)
            where = data.draw(
                st.sampled_from(["", " WHERE rowid = (SELECT min(rowid) FROM {})", " WHERE rowid % 3 = 1"])
            )
            try:
                connection.execute(f'UPDATE "{table}" SET "{name}" = ?{where.format(table)}', (value,))  # noqa: S608
            except sqlite3.Error:  # a key that is there twice, or is no number
                continue
    changed.read()


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(1 << 70), 1 << 70), st.floats(), st.text(max_size=5),
        st.sampled_from([10**12, 1 << 40, -1, 0, "q", "b", "run", "step"]),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where something stands in a document: its container and key."""
    keys = document.keys() if isinstance(document, dict) else range(len(document))
    for key in keys:
        yield document, key
        if isinstance(document[key], (dict, list)):
            yield from places(document[key])


def twisted(document: Any, data: st.DataObject) -> Any:
    """Return a document in which one thing is another."""
    where = list(places(document))
    container, key = where[data.draw(st.integers(0, len(where) - 1))]
    container[key] = data.draw(JSON)
    return document


@thorough
@given(data=st.data())
def test_descriptions_with_checksums_may_say_anything(
    whole: bytes, tmp_path: Path, data: st.DataObject
) -> None:
    """Who wants to harm can compute checksums, too."""
    changed = Changed(tmp_path, whole)
    with changed as connection:
        table = data.draw(st.sampled_from(["segment", "still", "layout", "tail"]))
        rows = connection.execute(f"SELECT rowid, * FROM {table} WHERE body NOT NULL").fetchall()  # noqa: S608
        row, *values = rows[data.draw(st.integers(0, len(rows) - 1))]
        body = values[-2]
        if table == "layout":
            body = dump(twisted(load(body), data))
        elif table == "tail":
            flat = zlib.decompress(body)
            size = int.from_bytes(flat[:4], "little")
            head = json.dumps(twisted(json.loads(flat[4 : 4 + size]), data)).encode()
            body = zlib.compress(len(head).to_bytes(4, "little") + head + flat[4 + size :])
        else:
            size = int.from_bytes(body[:4], "little")
            head = dump(twisted(load(body[4 : 4 + size]), data))
            body = len(head).to_bytes(4, "little") + head + body[4 + size :]
        of: tuple[object, ...] = {
            "segment": ("segment", *values[1:5]),
            "still": ("still", row),
            "layout": ("layout", row, values[1]),
            "tail": ("sample", row),
        }[table]
        connection.execute(
            f"UPDATE {table} SET body = ?, crc = ? WHERE rowid = ?",  # noqa: S608
            (body, crc(body, *of), row),
        )
    changed.read()


@pytest.mark.parametrize("table", ["sample", "tail", "segment", "event", "about"])
def test_a_view_in_the_place_of_a_table_is_no_table(path: Path, table: str) -> None:
    """It would compute what zmon takes for values."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TABLE {table}")
        endless = "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT n, n AS utc FROM a"
        connection.execute(f"CREATE VIEW {table} AS {endless}")
    with pytest.raises(RecordingError, match=rf"\b{table}$"):
        Recording(str(path))
    with pytest.raises(RecordingError, match=rf"\b{table}$"):
        Writer(str(path))


def test_a_table_that_computes_is_no_table(path: Path) -> None:
    """A generated column runs whenever it is read."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE tail")
        connection.execute("CREATE TABLE tail (n INTEGER PRIMARY KEY, body AS (zeroblob(1 << 27)), crc)")
    with pytest.raises(RecordingError, match=r"\btail$"):
        Recording(str(path))


def test_what_is_read_fires_no_trigger_and_what_has_one_is_not_written_to(path: Path) -> None:
    """A trigger would run with each sample."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER harm AFTER INSERT ON sample BEGIN DELETE FROM segment; END")
    before = path.read_bytes()
    read_all(path)
    with pytest.raises(RecordingError, match=r"\btrigger harm\b"):
        Writer(str(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER harm")
    assert len(before) <= len(path.read_bytes())
    Writer(str(path)).close()


def test_an_index_of_something_computed_is_not_written_to(path: Path) -> None:
    """It would be computed with each sample."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE INDEX harm ON sample (abs(utc))")
    with pytest.raises(RecordingError, match=r"\bindex harm\b"):
        Writer(str(path))


def test_a_recording_of_a_newer_zmon_is_named_as_such(path: Path) -> None:
    """Neither read nor written to."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    for open_ in (Recording, Writer):
        with pytest.raises(RecordingError, match=rf"\(format {VERSION + 1}\)"):
            open_(str(path))


@pytest.mark.parametrize("version", [0, -1])
def test_a_recording_without_a_version_is_none(path: Path, version: int) -> None:
    """Its tables are not known."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    for open_ in (Recording, Writer):
        with pytest.raises(RecordingError, match=rf" {version}$"):
            open_(str(path))


def bombs(path: Path) -> None:
    """Put what swells a thousandfold wherever something is decompressed."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for bomb in (b"[" * (1 << 27), b"[" + b"{}," * (1 << 24)):
            packed = zlib.compress(bomb, 9)
            for table, kind in (("layout", "kind"), ("still", "id"), ("tail", "n")):
                for row, of in connection.execute(f"SELECT rowid, {kind} FROM {table} LIMIT 3").fetchall():  # noqa: S608
                    body = packed if table != "still" else len(packed).to_bytes(4, "little") + packed
                    told = {"layout": ("layout", row, of), "still": ("still", row), "tail": ("sample", row)}[
                        table
                    ]
                    connection.execute(
                        f"UPDATE {table} SET body = ?, crc = ? WHERE rowid = ?",  # noqa: S608
                        (body, crc(body, *told), row),
                    )
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            child = subprocess.run(  # noqa: S603 - ourselves
                [sys.executable, "-m", "tests.store.test_hostile", str(path)],
                cwd=ROOT, check=False, capture_output=True, timeout=60,
            )  # fmt: skip
            assert child.returncode == 0, child.stderr.decode()


def test_what_swells_when_it_is_decompressed_is_not_decompressed(path: Path) -> None:
    """Neither the memory nor the time of the reader is the file's to spend."""
    bombs(path)


def test_more_kinds_than_zmon_knows_are_refused_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sample would be searched for each of them."""
    with closing(Recording(str(path))) as recording:
        known = len(recording.kinds)
    monkeypatch.setattr("zmon.store.reader.MAX_KINDS", known)
    Recording(str(path)).close()
    monkeypatch.setattr("zmon.store.reader.MAX_KINDS", known - 1)
    with pytest.raises(RecordingError, match=rf"\b{known - 1} kinds"):
        Recording(str(path))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
    read_all(Path(sys.argv[1]))
