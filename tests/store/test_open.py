"""A question gets its answer or is told why not, and the file that is asked is the one that is there."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from tests.store.machine import samples, told
from zmon.store.file_format import Damaged, RecordingError
from zmon.store.open import MEMORY, RecordingFile
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = list(islice(samples(8), 60))
TOLD = list(map(told, SAMPLES))


def test_who_follows_a_closed_recording_sees_it_go_on(tmp_path: Path) -> None:
    """A recorder is started anew, and what looks at its file is not."""
    path = tmp_path / "a.zmon"
    with closing(Writer(str(path), sealed=10)) as writer:
        for sample in SAMPLES[:25]:
            writer.append(sample)
    recording = Recording(str(path))
    assert len(recording) == 25
    with closing(Writer(str(path), sealed=10)) as writer:
        for sample in SAMPLES[25:60]:
            writer.append(sample)
        assert recording.refresh()
        assert [told(recording.sample(number)) for number in range(60)] == TOLD[:60]
    assert [told(recording.sample(number)) for number in range(60)] == TOLD[:60]
    recording.close()


def test_who_follows_a_copy_sees_that_it_was_written_anew(tmp_path: Path) -> None:
    """Such as one that is fetched again and again."""
    path = tmp_path / "copy.zmon"
    writer = Writer(str(tmp_path / "a.zmon"), sealed=10**9)  # nobody seals while it is copied

    def copy(until: int) -> None:
        for sample in SAMPLES[until - 20 : until]:
            writer.append(sample)
        writer.seal()
        writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy(tmp_path / "a.zmon", path)

    copy(20)
    recording = Recording(str(path))
    copy(40)
    assert recording.refresh()
    assert [told(recording.sample(number)) for number in range(len(recording))] == TOLD[:40]
    recording.close()
    writer.close()


def test_a_file_that_nobody_wrote_to_is_not_opened_again(tmp_path: Path) -> None:
    """What was understood of it stays known."""
    path = str(tmp_path / "a.zmon")
    Writer(path).close()
    with closing(RecordingFile(path, None)) as file:
        assert not file.renew()


def test_a_question_without_end_is_given_up(tmp_path: Path) -> None:
    """A file may be made so that one takes for ever."""
    path = str(tmp_path / "a.zmon")
    Writer(path).close()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with closing(RecordingFile(path, None)) as file:
        with pytest.raises(Damaged, match="interrupted"), file.asking(1) as connection:
            connection.execute(endless).fetchall()
        assert file.ask("SELECT 1") == [(1,)]


def test_pieces_leave_out_what_cannot_be_answered_and_nothing_else(tmp_path: Path) -> None:
    """Here that of which one number has no absolute value."""
    path = str(tmp_path / "a.zmon")
    with closing(Writer(path)) as writer:
        for sample in SAMPLES[:8]:
            writer.append(sample)
    question = "SELECT n, abs(-9223372036854775805 - n) FROM sample WHERE n >= ? AND n < ?"
    with closing(RecordingFile(path, None)) as file:
        with pytest.raises(Damaged):
            file.ask(question, 0, 8)
        assert [n for n, _ in file.pieces(question, 0, 8)] == [0, 1, 2, 4, 5, 6, 7]


def test_a_connection_that_is_shared_stays_open() -> None:
    """It is the writer's to close."""
    with closing(Writer(MEMORY)) as writer:
        RecordingFile(MEMORY, writer.shared).close()
        assert writer.connection.execute("SELECT 1").fetchone() == (1,)


def test_a_pipe_is_named_as_one(tmp_path: Path) -> None:
    """Who gives a pipe as a recording is told that it is one."""
    path = tmp_path / "pipe.zmon"
    os.mkfifo(path)
    with pytest.raises(RecordingError, match="a pipe"):
        Recording(str(path))


def test_a_wal_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the file whose permission is missing, not the recording."""
    path = str(tmp_path / "a.zmon")
    access = os.access
    monkeypatch.setattr(os, "access", lambda name, mode: name != f"{path}-wal" and access(name, mode))
    with closing(Writer(path)) as writer:
        writer.append(SAMPLES[0])
        with pytest.raises(RecordingError, match=r"a\.zmon-wal: "):
            Recording(path)
