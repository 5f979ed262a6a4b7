"""A recording of format 1, whose rows have no checksums, is read for ever and never changed."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from tests.store.machine import NOON, SECOND, samples, told
from tests.store.test_damaged import play_all, read_all
from zmon.base.event import Event, What
from zmon.cli.main import main
from zmon.cli.output import OK
from zmon.recorder.roll import Roll
from zmon.store.check import find_damage
from zmon.store.file_format import RecordingError
from zmon.store.reader import Recording
from zmon.store.writer import Writer

FIXTURE = Path(__file__).parents[1] / "fixtures" / "recordings" / "format-1.zmon"
"""24 samples of `machine.samples(5)`, sealed by sevens, the last three in the tail, and a note."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a copy."""
    return Path(shutil.copy(FIXTURE, tmp_path / "2026-11-21.zmon"))


def test_it_holds_what_was_recorded(path: Path) -> None:
    """Each sample, its times and what happened; nothing of it is changed."""
    before = path.read_bytes()
    with closing(Recording(str(path))) as recording:
        found = [told(recording.sample(number)) for number in range(len(recording))]
        assert found == list(map(told, islice(samples(5), 24)))
        assert list(find_damage(recording)) == []
        assert recording.span() == (NOON, NOON + 23 * SECOND)
        assert Event(What.NOTE, NOON + 3 * SECOND, NOON + 3 * SECOND, text="a note") in recording.events(
            NOON, NOON + 23 * SECOND
        )
    assert read_all(path) == []
    play_all(path)
    assert path.read_bytes() == before


def test_it_exports_what_a_recording_of_today_exports(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cut is one of today."""
    assert main(["cut", str(path), str(tmp_path / "cut.zmon")]) == OK
    exported = []
    for one in (path, tmp_path / "cut.zmon"):
        capsys.readouterr()
        assert main(["export", str(one), "--format", "jsonl", "--reasons"]) == OK
        exported.append(capsys.readouterr().out)
    assert exported[0] == exported[1]
    assert exported[0].count("\n") > 100


def test_it_is_not_continued_and_its_day_goes_on_in_another_file(path: Path) -> None:
    """A recorder that was updated begins a file of its own."""
    before = path.read_bytes()
    with pytest.raises(RecordingError, match=r"\(format 1\)"):
        Writer(str(path))
    said: list[str] = []
    roll = Roll(str(path.parent), Writer, said.append)
    for sample in islice(samples(5), 3):
        roll.append(sample)
    roll.close()
    assert path.read_bytes() == before
    assert [words.partition("; the day")[2] for words in said] == [
        f" goes on in {path.parent / '2026-11-21-2.zmon'}"
    ]
    with closing(Recording(str(path.parent / "2026-11-21-2.zmon"))) as recording:
        assert len(recording) == 3


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("utc", (1 << 63) - 1, "5 lies beyond "),
        ("utc", NOON + 3600 * SECOND, "5 does not fit "),
        ("steady", 1, "clock goes back"),
        ("steady", 10**12 + 5 * SECOND + 999 * 10**6, ""),
    ],
)
def test_times_that_cannot_be_are_found_without_checksums(
    path: Path, column: str, value: int, said: str
) -> None:
    """A clock that is set stays so, and does not come back with the next sample."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"UPDATE sample SET {column} = ? WHERE n = 5", (value,))  # noqa: S608 - ours
    with closing(Recording(str(path))) as recording:
        problems = list(find_damage(recording))
    assert [words for words in problems if said in words] if said else not problems


def test_a_version_that_is_damaged_does_not_turn_the_checks_off(tmp_path: Path) -> None:
    """The tables tell which format it is."""
    path = tmp_path / "a.zmon"
    with closing(Writer(str(path))) as writer:
        for sample in islice(samples(5), 3):
            writer.append(sample)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE sample SET utc = utc + 1 WHERE n = 1")
        connection.execute("PRAGMA user_version = 1")
    with closing(Recording(str(path))) as recording:
        assert any("sample 1 " in words for words in find_damage(recording))
