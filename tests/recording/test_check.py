"""A recording is seen to be whole, while it grows too."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any

from tests.recording.machine import samples
from zmon.recording.file import File
from zmon.recording.reader import Recording
from zmon.recording.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest


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
        found = [words for words in recording.check() if "sample" in words]
    assert found[:2] == [
        f"{path}: samples 10 to 9999999 are missing or damaged",
        f"{path}: the time of sample 10000000 is damaged",
    ]


def test_what_is_sealed_during_the_check_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever records may add columns and the segments that refer to them between two looks at the file."""
    path = str(tmp_path / "growing.zmon")
    writer = Writer(path)
    ahead = samples(3)
    for sample in islice(ahead, 20):
        writer.append(sample)
    ask = File.pieces

    def pieces(self: File, *question: Any) -> Iterator[tuple[Any, ...]]:
        yield from list(ask(self, *question))
        for sample in islice(ahead, 60):
            writer.append(sample)
        writer.seal()

    monkeypatch.setattr(File, "pieces", pieces)
    recording = Recording(path)
    assert list(recording.check()) == []
    recording.close()
    writer.close()
