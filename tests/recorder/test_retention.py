from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from datetime import date, timedelta
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from zmon.base.clock import DAY
from zmon.recorder.retention import (
    RecordedFile,
    RetentionRule,
    beyond_rule,
    days_within,
    is_own_recording,
    prune,
)
from zmon.store.day import DayFile, day_file
from zmon.store.file_format import MAGIC

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NOW = 1_795_262_400 * 10**9  # 2026-11-21 12:00 UTC
TODAY = "2026-11-21.zmon"


def recording(path: Path, size: int = 100, magic: int = MAGIC) -> None:
    """Write what looks like a recording."""
    head = b"SQLite format 3\0" + bytes(52) + magic.to_bytes(4, "big")
    path.write_bytes(head + bytes(size - len(head)))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_day_goes_when_it_has_been_over_for_longer(tmp_path: Path) -> None:
    """Its age counts from its end: no sample is younger than that."""
    for name in ("2026-11-18.zmon", "2026-11-19.zmon", "2026-11-20.zmon", TODAY):
        recording(tmp_path / name)
    done = prune(str(tmp_path), str(tmp_path / TODAY), NOW, RetentionRule(keep=2 * DAY))
    assert [os.path.basename(file.file.path) for file in done.unlinked] == ["2026-11-18.zmon"]
    assert names(tmp_path) == ["2026-11-19.zmon", "2026-11-20.zmon", TODAY]


def test_the_oldest_go_until_all_have_room(tmp_path: Path) -> None:
    """What SQLite keeps beside a file counts and goes with it."""
    for name in ("2026-11-18.zmon", "2026-11-19.zmon", "2026-11-20.zmon", TODAY):
        recording(tmp_path / name)
    (tmp_path / "2026-11-18.zmon-wal").write_bytes(bytes(50))
    (tmp_path / "2026-11-18.zmon-shm").write_bytes(bytes(50))
    done = prune(str(tmp_path), str(tmp_path / TODAY), NOW, RetentionRule(size=300))
    assert names(tmp_path) == ["2026-11-19.zmon", "2026-11-20.zmon", TODAY]
    assert (done.unlinked[0].size, done.size, done.troubles) == (200, 300, [])


def test_without_a_rule_everything_stays(tmp_path: Path) -> None:
    """However old and however large."""
    recording(tmp_path / "1999-01-01.zmon")
    assert prune(str(tmp_path), "", NOW, RetentionRule()).unlinked == []


def test_the_present_file_stays_and_that_is_said(tmp_path: Path) -> None:
    """Even if it alone is too large."""
    recording(tmp_path / "2026-11-20.zmon")
    recording(tmp_path / TODAY, 5000)
    done = prune(str(tmp_path), str(tmp_path / TODAY), NOW, RetentionRule(size=1000))
    assert names(tmp_path) == [TODAY]
    (said,) = done.troubles
    assert said.startswith(f"{tmp_path / TODAY} ")
    assert " 1,000 bytes " in said


def test_what_is_no_recording_of_zmon_is_never_touched(tmp_path: Path) -> None:
    """Whatever its name: another database, a text, a link, a directory, a file that cannot be read."""
    recording(tmp_path / "2026-01-01.zmon", magic=MAGIC + 1)
    (tmp_path / "2026-01-02.zmon").write_text("a letter")
    recording(tmp_path / "real")
    (tmp_path / "2026-01-03.zmon").symlink_to(tmp_path / "real")
    (tmp_path / "2026-01-04.zmon").mkdir()
    os.mkfifo(tmp_path / "2026-01-05.zmon")
    (tmp_path / "2026-01-06.zmon").touch()
    before = names(tmp_path)
    done = prune(str(tmp_path), "", NOW, RetentionRule(keep=1, size=1))
    assert (done.unlinked, done.size, names(tmp_path)) == ([], 0, before)
    assert not any(is_own_recording(str(tmp_path / name)) for name in before if name != "real")


def test_a_recording_whose_writer_died_early_is_one(tmp_path: Path) -> None:
    """Before the first checkpoint all of it is still in the file beside it."""
    (tmp_path / "dead").mkdir()
    connection = sqlite3.connect(tmp_path / TODAY, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {MAGIC}")
    for name in (TODAY, f"{TODAY}-wal"):
        shutil.copy(tmp_path / name, tmp_path / "dead" / name)
    connection.close()
    assert (tmp_path / "dead" / TODAY).read_bytes()[68:72] == bytes(4)
    assert is_own_recording(str(tmp_path / "dead" / TODAY))
    os.unlink(tmp_path / "dead" / f"{TODAY}-wal")
    assert not is_own_recording(str(tmp_path / "dead" / TODAY))


def test_what_cannot_be_unlinked_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the others go all the same."""
    recording(tmp_path / "2026-11-01.zmon")
    recording(tmp_path / "2026-11-02.zmon")
    unlink = os.unlink

    def refuse(path: str) -> None:
        if path.endswith("01.zmon"):
            raise PermissionError(errno.EPERM, "Operation not permitted")
        unlink(path)

    monkeypatch.setattr(os, "unlink", refuse)
    done = prune(str(tmp_path), "", NOW, RetentionRule(keep=DAY))
    assert done.troubles == [f"{tmp_path / '2026-11-01.zmon'} cannot be unlinked: Operation not permitted"]
    assert names(tmp_path) == ["2026-11-01.zmon"]


def test_a_directory_that_is_gone_is_said(tmp_path: Path) -> None:
    """Nothing is raised: a recorder goes on."""
    done = prune(str(tmp_path / "none"), "", NOW, RetentionRule(keep=DAY))
    (trouble,) = done.troubles
    assert trouble.startswith(f"{tmp_path / 'none'}: No such file or directory: ")


def test_an_interrupted_unlink_can_be_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies beside a file goes before it, so that its name remains to find it by."""
    order: list[str] = []
    recording(tmp_path / "2026-11-01.zmon")
    (tmp_path / "2026-11-01.zmon-wal").touch()
    unlink = os.unlink

    def noted(path: str) -> None:
        order.append(os.path.basename(path))
        unlink(path)

    monkeypatch.setattr(os, "unlink", noted)
    prune(str(tmp_path), "", NOW, RetentionRule(keep=DAY))
    assert order[0] == "2026-11-01.zmon-wal"
    assert order[-1] == "2026-11-01.zmon"


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 1000)), unique_by=lambda x: x[0], max_size=20),
    st.integers(0, 400),
    st.integers(0, 200),
    st.integers(0, 5000),
)
def test_what_goes_follows_from_the_rule(
    files: list[tuple[int, int]], present: int, keep: int, limit: int
) -> None:
    """Never the present one; all that is too old; by size no more than needed, and the oldest first."""
    today = date(2026, 11, 21)
    all_ = sorted(
        RecordedFile(DayFile(day := today - timedelta(ago), 1, f"{day}.zmon"), size) for ago, size in files
    )
    now_file = f"{today - timedelta(present)}.zmon"
    gone = beyond_rule(all_, now_file, NOW, RetentionRule(keep * DAY, limit))
    others = [file for file in all_ if file.file.path != now_file]
    assert gone == others[: len(gone)]  # the oldest first, and never the present one
    left = others[len(gone) :]
    if keep:
        assert all(NOW - file.file.end < keep * DAY for file in left)
    total = sum(file.size for file in all_) - sum(file.size for file in gone)
    if limit:
        assert total <= limit or not left
    if gone:
        last = gone[-1]
        old = bool(keep) and NOW - last.file.end >= keep * DAY
        assert old or (limit and total + last.size > limit)


def test_how_many_days_a_rule_keeps() -> None:
    """By age one more than the number, because today counts; by size what has room; the lower of both."""
    assert days_within(RetentionRule(), 100) == float("inf")
    assert days_within(RetentionRule(keep=30 * DAY), 100) == 31
    assert days_within(RetentionRule(keep=30 * DAY, size=1000), 100) == 10
    assert day_file("", NOW).path == TODAY
