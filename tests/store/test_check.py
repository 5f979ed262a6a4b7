"""A recording is seen to be whole, while it grows too."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from tests.store.machine import samples
from zmon.base.absent import code_of
from zmon.sample import DAMAGED
from zmon.store.check import find_damage
from zmon.store.file_format import PAGE
from zmon.store.open import RecordingFile
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_a_gap_in_the_numbers_of_samples_is_one_sentence(tmp_path: Path) -> None:
    """A file that names sample 10,000,000 behind sample 10 has not ten million things wrong."""
    path = str(tmp_path / "gap.zmon")
    with closing(Writer(path)) as writer:
        for sample in islice(samples(3), 10):
            writer.append(sample)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO sample VALUES (10000000, 0, 0, 1, 0)")
        connection.commit()
    with closing(Recording(path)) as recording:
        found = [words for words in find_damage(recording) if "sample" in words]
    assert [re.findall(r"\b1\d*\b|\b9+\b", words.removeprefix(path)) for words in found[:2]] == [
        ["10", "9999999"],
        ["10000000"],
    ]


def test_what_is_sealed_during_the_check_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever records may add columns and the segments that refer to them between two looks at the file."""
    path = str(tmp_path / "growing.zmon")
    writer = Writer(path, sealed=10_000)  # no other thread seals
    ahead = samples(3)
    for sample in islice(ahead, 20):
        writer.append(sample)
    ask = RecordingFile.pieces

    def pieces(self: RecordingFile, *question: Any) -> Iterator[tuple[Any, ...]]:
        yield from list(ask(self, *question))
        for sample in islice(ahead, 60):
            writer.append(sample)
        writer.seal()

    monkeypatch.setattr(RecordingFile, "pieces", pieces)
    recording = Recording(path)
    assert list(find_damage(recording)) == []
    recording.close()
    writer.close()


@pytest.mark.parametrize("sealed", [True, False])
def test_a_kind_that_is_not_in_the_dictionary_is_damage(tmp_path: Path, sealed: bool) -> None:
    """Who reads samples finds that layouts refer to a missing kind, and gets its frames as damaged."""
    path = str(tmp_path / "one.zmon")
    with closing(Writer(path)) as writer:
        for sample in islice(samples(3), 10):
            writer.append(sample)
        if sealed:
            writer.seal()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DELETE FROM kind WHERE name = 'cmf'")
            connection.commit()
        with closing(Recording(path)) as recording:
            frame = recording.sample(9).frames["cmf"]
            assert code_of(frame.missing) == DAMAGED.code
            holes = [hole.text for hole in recording.holes]
            assert any("the dictionary" in words for words in holes)
            assert any("the dictionary" in words for words in find_damage(recording))


@pytest.mark.parametrize("table", ["session", "kind", "layout", "segment", "latest"])
def test_the_check_finds_every_row_that_is_missing(tmp_path: Path, table: str) -> None:
    """Whatever row of a table is deleted, `check` says so, also if it was the only one of its kind."""
    path = str(tmp_path / "whole.zmon")
    with closing(Writer(path)) as writer:
        for sample in islice(samples(3), 10):
            writer.append(sample)
    with closing(sqlite3.connect(path)) as connection:
        rows = [row for (row,) in connection.execute(f"SELECT rowid FROM {table}")]  # noqa: S608 - ours
    assert rows
    for number in rows:
        with closing(sqlite3.connect(path)) as connection:
            part = sqlite3.connect(":memory:")
            connection.backup(part)
        part.execute(f"DELETE FROM {table} WHERE rowid = ?", (number,))  # noqa: S608 - ours
        part.commit()
        copy = str(tmp_path / f"{number}.zmon")
        with closing(part), closing(sqlite3.connect(copy)) as connection:
            part.backup(connection)
        with closing(Recording(copy)) as recording:
            assert list(find_damage(recording)), (table, number)


@pytest.mark.parametrize("question", ["SELECT body FROM segment WHERE first > 10", "SELECT body FROM still"])
def test_what_sqlite_cannot_read_is_named_with_its_time(tmp_path: Path, question: str) -> None:
    """A page that is destroyed costs the readings on it, and the check says of which times."""
    path = tmp_path / "page.zmon"
    with closing(Writer(str(path), sealed=10)) as writer:
        for number, sample in enumerate(islice(samples(3), 60), 1):
            writer.append(sample)
            if number % 10 == 0:
                writer.seal()
    with closing(sqlite3.connect(path)) as connection:
        bodies = [body for (body,) in connection.execute(question) if body]
    whole = path.read_bytes()
    page = whole.index(max(bodies, key=len)[:60]) // PAGE
    path.write_bytes(whole[: page * PAGE] + b"\xff" * PAGE + whole[(page + 1) * PAGE :])
    with closing(Recording(str(path))) as recording:
        found = list(find_damage(recording))
        times = [recording.sample(number, ()).at.utc for number in range(len(recording))]
    named = [match for words in found if (match := re.search(r"cannot be read from (.*) to (.*) UTC", words))]
    assert bool(named) is ("segment" in question)
    known = {f"{datetime.fromtimestamp(utc // 10**9, UTC):%Y-%m-%d %H:%M:%S}" for utc in times}
    assert all(known.issuperset(match.groups()) for match in named)
