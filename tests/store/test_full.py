"""When nothing can be written, what was recorded stays readable, and recording resumes when there is room."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from tests.store.machine import NOON, ROOT, samples, told
from zmon.recorder.roll import Roll
from zmon.store.check import find_damage
from zmon.store.day import day_file
from zmon.store.file_format import RecordingError
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from zmon.sample import Sample

SEED = 3
COUNT = 250
KB = 1024


@pytest.fixture(scope="module")
def taken() -> list[Sample]:
    """Return samples."""
    return list(islice(samples(SEED), COUNT))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of a megabyte."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(mounted)]
    if os.geteuid() or subprocess.run(command, check=False, capture_output=True).returncode:  # noqa: S603
        pytest.skip("needs root that may mount")
    yield mounted
    subprocess.run(["umount", "-l", str(mounted)], check=True)  # noqa: S603, S607


def recorded(directory: Path) -> list[object]:
    """Return what is in the day's file, having seen that the file is whole."""
    recording = Recording(day_file(str(directory), NOON).path)
    assert list(find_damage(recording)) == []
    found = [told(recording.sample(number)) for number in range(len(recording))]
    recording.close()
    return found


def fill(path: Path) -> None:
    """Leave no room."""
    with path.open("wb", buffering=0) as stream, suppress(OSError):
        while stream.write(bytes(4 * KB)):
            pass


def test_a_full_disk_costs_the_samples_that_had_no_room(small: Path, taken: list[Sample]) -> None:
    """It is said once; and when there is room again, recording goes on in the same file."""
    said: list[str] = []
    kept: list[object] = []
    roll = Roll(str(small), lambda path: Writer(path, sealed=7), said.append)
    for number, sample in enumerate(taken):
        if number % 100 == 20:
            fill(small / "ballast")
        if number % 100 == 95:
            assert recorded(small) == kept
            (small / "ballast").unlink()
        if roll.append(sample):
            kept.append(told(sample))
    roll.close()
    assert recorded(small) == kept
    assert COUNT // 8 < len(kept) < COUNT
    assert any("no room left" in words for words in said)
    assert any("recording again" in words for words in said)
    assert len(said) < COUNT // 4


def test_a_recorder_that_starts_on_a_full_disk_records_when_there_is_room(
    small: Path, taken: list[Sample]
) -> None:
    """It is not ended by it."""
    fill(small / "ballast")
    roll = Roll(str(small), Writer, lambda _words: None)
    assert not any(roll.append(sample) for sample in taken[:5])
    (small / "ballast").unlink()
    assert all(roll.append(sample) for sample in taken[5:10])
    roll.close()
    assert recorded(small) == list(map(told, taken[5:10]))


LIMITED = """
import resource, signal, sys
from itertools import islice
from tests.store.machine import samples
from zmon.store.file_format import RecordingError
from zmon.store.writer import Writer
writer = Writer(sys.argv[1], sealed=7)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
for number, sample in enumerate(islice(samples(int(sys.argv[3])), int(sys.argv[4]))):
    try:
        writer.append(sample)
    except RecordingError:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    else:
        print(number, flush=True)
writer.close()
"""


@pytest.mark.parametrize(
    "limit", [200 * KB, 217 * KB]
)  # whole, it has 230 KB or more, whatever is in the WAL
def test_a_file_that_may_not_grow_is_readable_and_goes_on_when_it_may(
    tmp_path: Path, taken: list[Sample], limit: int
) -> None:
    """As with a quota, or an error of the disk in the middle of a write."""
    path = day_file(str(tmp_path), NOON).path
    child = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-c", LIMITED, path, str(limit), str(SEED), str(COUNT)],
        cwd=ROOT, check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    kept = [told(taken[int(line)]) for line in child.stdout.split()]
    assert 0 < len(kept) < COUNT
    assert recorded(tmp_path) == kept


@pytest.mark.parametrize("where", ["INSERT INTO sample", "INSERT INTO tail", "COMMIT", "BEGIN"])
def test_an_error_of_the_disk_costs_one_sample_and_says_so(
    tmp_path: Path, taken: list[Sample], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Nothing of that sample is there; the next one can be written."""
    path = day_file(str(tmp_path), NOON).path
    writer = Writer(path)
    writer.append(taken[0])
    real = writer.connection

    class Failing:
        """A connection that fails once."""

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

        def execute(self, question: str, *values: Any) -> sqlite3.Cursor:
            """Fail where it is wanted."""
            if question.startswith(where):
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorname = "SQLITE_IOERR_WRITE"
                raise error
            return real.execute(question, *values)

    monkeypatch.setattr(writer, "connection", Failing())
    with pytest.raises(RecordingError, match="disk I/O error"):
        writer.append(taken[1])
    monkeypatch.setattr(writer, "connection", real)
    writer.append(taken[2])
    writer.close()
    assert recorded(tmp_path) == [told(taken[0]), told(taken[2])]


def test_a_segment_that_cannot_be_written_is_written_later(tmp_path: Path, taken: list[Sample]) -> None:
    """What it would have referred to is forgotten with it."""
    path = day_file(str(tmp_path), NOON).path
    writer = Writer(path, sealed=10**9)
    for number, sample in enumerate(taken[:60]):
        writer.append(sample)
        if number % 10 == 9:
            other = sqlite3.connect(path, isolation_level=None)
            if number % 20 == 9:  # everything is encoded, and then cannot be written
                other.execute(
                    "CREATE TRIGGER no BEFORE INSERT ON segment BEGIN SELECT RAISE(ABORT, 'no'); END"
                )
                with pytest.raises(RecordingError):
                    writer.seal()
                other.execute("DROP TRIGGER no")
            else:
                writer.seal()
            other.close()
    writer.close()
    assert recorded(tmp_path) == list(map(told, taken[:60]))


def test_a_directory_that_may_not_be_written_to_is_said_to_be_so(tmp_path: Path) -> None:
    """With the path, and what to look at."""
    with pytest.raises(RecordingError, match=r"nowhere/a\.zmon: .*: No such file"):
        Writer(str(tmp_path / "nowhere" / "a.zmon"))
    if not os.geteuid():
        return
    tmp_path.chmod(0o500)
    with pytest.raises(RecordingError, match=": Permission denied"):
        Writer(str(tmp_path / "a.zmon"))
