"""One file, several processes: one writes, many read, and none costs another anything."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from tests.store.machine import ROOT, samples, series, told
from zmon.store import file_format, segment_cache
from zmon.store.check import find_damage
from zmon.store.file_format import RecordingError
from zmon.store.reader import Recording
from zmon.store.writer import MAX_WAL_BYTES, Writer

if TYPE_CHECKING:
    from pathlib import Path

SEED = 8
SAMPLES = list(islice(samples(SEED), 200))
TOLD = list(map(told, SAMPLES))


def child(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    """Start Python."""
    return subprocess.Popen(  # noqa: S603 - ourselves
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def state(directory: Path) -> dict[str, tuple[str, int]]:
    """Return what is in a directory: hash and time of each file."""
    return {
        file.name: (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
        for file in directory.iterdir()
    }


def read_all(path: Path) -> None:
    """Read every sample, and see that it is what was recorded."""
    with closing(Recording(str(path))) as recording:
        assert [told(recording.sample(number)) for number in range(len(recording))] == TOLD[: len(recording)]


def test_a_second_writer_is_refused_whichever_process_it_is_in(tmp_path: Path) -> None:
    """It is told what to do, and the first goes on."""
    path = tmp_path / "a.zmon"
    first = Writer(str(path), sealed=5)
    for number, sample in enumerate(SAMPLES[:60]):
        first.append(sample)
        if number % 20 == 10:
            with pytest.raises(RecordingError, match=r"a\.zmon: another zmon "):
                Writer(str(path))
            second = child("import sys; from zmon.store.writer import Writer; Writer(sys.argv[1])", path)
            assert b"a.zmon: another zmon " in second.communicate()[0]
    first.close()
    read_all(path)
    Writer(str(path)).close()


def test_who_reads_in_the_process_of_the_writer_takes_no_lock_from_it(tmp_path: Path) -> None:
    """Another process that closes the file would then take away what is beside it."""
    path = tmp_path / "a.zmon"
    writer = Writer(str(path), sealed=10**9)
    for sample in SAMPLES[:20]:
        writer.append(sample)
        read_all(path)
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
        "print(c.execute('SELECT count(*) FROM sample').fetchone()); c.close()"
    )
    assert child(code, path).communicate()[0] == b"(20,)\n"
    assert (tmp_path / "a.zmon-wal").exists()
    for sample in SAMPLES[20:40]:
        writer.append(sample)
    writer.close()
    read_all(path)


READER = """
import sys
from itertools import islice
from tests.store.machine import samples, told
from zmon.store.reader import Recording
expected = list(map(told, islice(samples(int(sys.argv[2])), int(sys.argv[3]))))
recording, seen = Recording(sys.argv[1]), 0
while seen < len(expected):
    recording.refresh()
    for number in {0, len(recording) // 2, *range(seen, len(recording))}:
        assert told(recording.sample(number)) == expected[number], number
    seen = len(recording)
print("all")
"""


def test_who_reads_while_it_is_written_sees_what_was_written(tmp_path: Path) -> None:
    """In another process, and in threads of this one, the newest and what was sealed meanwhile."""
    path = tmp_path / "a.zmon"
    writer = Writer(str(path), sealed=6)
    writer.append(SAMPLES[0])
    reader = child(READER, path, SEED, 100)
    recording = Recording(str(path))
    wrong: list[object] = []
    done = threading.Event()

    def read(step: int) -> None:
        number = 0
        try:
            while not done.is_set():
                recording.refresh()
                number = (number + step) % len(recording)
                places = (number, len(recording) - 1)
                wrong.extend(place for place in places if told(recording.sample(place)) != TOLD[place])
                series(recording, "block", "reads", "0.0.7001")
        except Exception as error:  # noqa: BLE001 - it is shown by the assertion
            wrong.append(error)

    threads = [threading.Thread(target=read, args=(step,)) for step in (1, 7)]
    for thread in threads:
        thread.start()
    for sample in SAMPLES[1:100]:
        writer.append(sample)
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert reader.communicate(timeout=60)[0] == b"all\n"
    recording.close()
    writer.close()
    read_all(path)


def test_one_thread_at_a_time_puts_something_into_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a column is read long after its frame was made: another thread would count what is kept."""
    path = tmp_path / "a.zmon"
    writer = Writer(str(path), sealed=6)
    for sample in SAMPLES[:60]:
        writer.append(sample)
    writer.close()
    recording = Recording(str(path))
    keep, guarded = segment_cache._keep, []

    def kept(*arguments: Any) -> None:
        guarded.append(recording._file.guard._is_owned())  # type: ignore[attr-defined]  # by this thread
        keep(*arguments)

    monkeypatch.setattr(segment_cache, "_keep", kept)
    assert [told(recording.sample(number)) for number in range(len(recording))] == TOLD[:60]
    recording.close()
    assert len(guarded) > 10
    assert all(guarded)


HELD = """
import sqlite3, sys
c = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, isolation_level=None)
c.execute("BEGIN")
print(c.execute("SELECT count(*) FROM sample").fetchone(), flush=True)
input()
"""


def test_a_reader_that_stands_still_keeps_nobody_from_writing(tmp_path: Path) -> None:
    """What is beside the file grows as long, and is cut again when the reader goes on."""
    path, beside = tmp_path / "a.zmon", tmp_path / "a.zmon-wal"
    writer = Writer(str(path), sealed=10)
    writer.append(SAMPLES[0])
    reader = child(HELD, path)
    assert reader.stdout is not None
    assert reader.stdout.readline() == b"(1,)\n"
    reader.send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    for sample in SAMPLES[1:100]:
        writer.append(sample)
    grown = beside.stat().st_size
    with closing(Recording(str(path))) as recording:
        assert told(recording.sample(99)) == TOLD[99]
    reader.kill()
    reader.communicate()
    writer.connection.execute("PRAGMA journal_size_limit = 0")
    for sample in SAMPLES[100:]:
        writer.append(sample)
    writer.seal()
    writer.append(SAMPLES[-1]._replace(at=SAMPLES[-1].at._replace(utc=SAMPLES[-1].at.utc + 1)))
    assert beside.stat().st_size < grown
    assert time.monotonic() - begin < 60
    assert MAX_WAL_BYTES < 64 << 20
    writer.close()


def test_a_writer_closes_while_somebody_reads(tmp_path: Path) -> None:
    """It does not wait for long, and all is there."""
    path = tmp_path / "a.zmon"
    writer = Writer(str(path), sealed=10)
    for sample in SAMPLES[:20]:
        writer.append(sample)
    reader = child(HELD, path)
    assert reader.stdout is not None
    assert reader.stdout.readline() == b"(20,)\n"
    writer.close()
    read_all(path)
    reader.communicate(b"\n")
    read_all(path)


def test_reading_changes_nothing(tmp_path: Path) -> None:
    """Neither the file nor its time, nor what is beside it."""
    path = tmp_path / "a.zmon"
    writer = Writer(str(path), sealed=10)
    for sample in SAMPLES[:25]:
        writer.append(sample)
    writer.close()
    before = state(tmp_path)
    assert list(before) == ["a.zmon"]
    read_all(path)
    with closing(Recording(str(path))) as recording:
        assert list(find_damage(recording)) == []
    assert state(tmp_path) == before


def abandoned(path: Path, count: int) -> None:
    """Record, and end without closing."""
    code = (
        "import os, sys; from itertools import islice; from tests.store.machine import samples;"
        "from zmon.store.writer import Writer; w = Writer(sys.argv[1], sealed=10);"
        "[w.append(s) for s in islice(samples(int(sys.argv[2])), int(sys.argv[3]))]; os._exit(0)"
    )
    assert child(code, path, SEED, count).communicate()[0] == b""


UNPRIVILEGED = """
import os, sys, tempfile
from itertools import islice
from tests.store.machine import samples, told
from zmon.store.check import find_damage
from zmon.store.reader import Recording
tempfile.tempdir = sys.argv[3]
os.setgid(65534), os.setuid(65534)
recording = Recording(sys.argv[1])
expected = list(map(told, islice(samples(int(sys.argv[2])), len(recording))))
assert [told(recording.sample(number)) for number in range(len(recording))] == expected
assert list(find_damage(recording)) == []
print(len(recording))
recording.close()
"""


@pytest.mark.parametrize("lacking", ["", "-shm"])
def test_what_a_dead_recorder_left_is_read_where_nothing_may_be_written(tmp_path: Path, lacking: str) -> None:
    """With the samples that are only in the file beside it; nothing is changed."""
    if os.geteuid():
        pytest.skip("needs root")
    directory = tmp_path / "kept"
    directory.mkdir()
    abandoned(directory / "a.zmon", 25)
    if lacking:
        (directory / f"a.zmon{lacking}").unlink()
    for file in directory.iterdir():
        file.chmod(0o444)
    directory.chmod(0o555)
    for above in (tmp_path, *tmp_path.parents):
        if "pytest" in str(above):
            above.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    os.chown(tmp_path / "tmp", 65534, 65534)
    before = state(directory)
    said = child(UNPRIVILEGED, directory / "a.zmon", SEED, tmp_path / "tmp").communicate()[0]
    assert said == b"25\n", said.decode()
    assert state(directory) == before
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_recording_copied_without_what_was_beside_it_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """And nothing is made beside the copy."""
    writer = Writer(str(tmp_path / "a.zmon"), sealed=10)
    for sample in SAMPLES[:40]:
        writer.append(sample)
    writer.settle()  # else half of what its thread writes back may be copied
    (tmp_path / "copy").mkdir()
    shutil.copy(tmp_path / "a.zmon", tmp_path / "copy")
    writer.close()
    read_all(tmp_path / "copy" / "a.zmon")
    assert [file.name for file in (tmp_path / "copy").iterdir()] == ["a.zmon"]


def test_tables_that_were_not_all_made_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the first try is left."""
    path = tmp_path / "a.zmon"
    real = file_format.make

    def interrupted(connection: sqlite3.Connection) -> None:
        real(connection)
        raise KeyboardInterrupt

    monkeypatch.setattr(file_format, "make", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Writer(str(path))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    monkeypatch.setattr(file_format, "make", real)
    with closing(Writer(str(path))) as writer:
        writer.append(SAMPLES[0])
    read_all(path)
