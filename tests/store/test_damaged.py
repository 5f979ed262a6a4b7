"""Whatever is damaged in a recording, the rest of it can be read, and what was hit is absent or a hole."""

from __future__ import annotations

import os
import shutil
import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.machine import samples, series, told
from zmon.base.absent import Absent
from zmon.interval import Interval
from zmon.machine.view import View
from zmon.sample import Instant
from zmon.session.cursor import Cursor
from zmon.session.recording import open_recording
from zmon.store.check import find_damage
from zmon.store.file_format import Damaged, RecordingError
from zmon.store.reader import LOST_SESSION, Recording
from zmon.tables.channel import table as channels
from zmon.tables.control_unit import table as control_units
from zmon.tables.device import table as devices
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from zmon.sample import Sample

SAMPLES = list(islice(samples(5), 24))
TOLD = list(map(told, SAMPLES))
NOTHING: Any = (Instant(0, 0, ""), "", 0.0, False, {})
PAGE = 4096

ANYWHERE = st.integers(0, 1 << 30)
"""A place in a file, by its remainder: files are not of the same length in every run."""

thorough = settings(
    database=None,  # the file is another in every run, and what was found in one means nothing in the next
    deadline=None,
    max_examples=int(os.environ.get("ZMON_TEST_DAMAGES", "30")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def written(path: Path, *, sealed: int) -> bytes:
    """Return the bytes of a small recording; what was not sealed is in its tail."""
    writer = recording_with_trends(str(path), sealed=10**9)
    for number, sample in enumerate(SAMPLES, 1):
        writer.append(sample)
        if number % sealed == 0:
            writer.seal()
    writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()
    writer.close()
    return whole


def is_lost(reason: object) -> bool:
    """Tell whether a reason for an absence is that the recording is damaged."""
    return isinstance(reason, Absent) and "damaged" in reason.reason


def wrong(found: Sample, expected: Any) -> list[str]:
    """Return what of a sample is neither what was recorded nor absent for being damaged."""
    at, source, nominal, simulated, frames = expected
    lies = []
    if found.source == LOST_SESSION[1]:
        at = at._replace(boot="")
    elif (found.source, found.nominal, found.simulated) != (source, nominal, simulated):
        lies.append("session")
    if found.at != at:
        lies.append(f"time {found.at}")
    for name, (_kind, keys, columns, times, missing, _prior) in frames.items():
        frame = found.frames.get(name)
        if frame is None:
            lies.append(f"no {name}")
        elif is_lost(frame.missing):
            continue
        elif (list(frame.keys), frame.times, frame.missing) != (keys, times, missing):
            lies.append(f"rows of {name}")
        else:
            lies += [
                f"{name} {column}"
                for column, values in columns.items()
                if any(
                    was != now and not is_lost(now)
                    for was, now in zip(values, frame.columns[column], strict=True)
                )
            ]
    lies += [
        f"a {name} that was not there"
        for name in found.frames
        if name not in frames and not is_lost(found.frames[name].missing)
    ]
    return lies


def lies(tmp_path: Path, body: bytes) -> list[str]:
    """Read a file of these bytes in every way; return what is wrong and not said to be so."""
    directory = Path(tempfile.mkdtemp(dir=tmp_path))
    path = directory / "a.zmon"
    path.write_bytes(body)
    try:
        return read_all(path)
    finally:
        shutil.rmtree(directory)


def read_all(path: Path, *, strict: bool = False) -> list[str]:
    """Read everything in every way; return what is wrong and not said to be so.

    If `strict`, it must be said where it is read, else at least by a check.
    """
    try:
        recording = Recording(str(path))
    except RecordingError:
        return []
    found_wrong: list[str] = []
    for number in range(min(len(recording), 100)):
        try:
            found = recording.sample(number)
        except Damaged:
            continue
        found_wrong += wrong(found, TOLD[number] if number < len(TOLD) else NOTHING)
    span = recording.span() or (0, 0)
    for kind in (*recording.kinds, "block"):
        series(recording, kind, "reads", "0.0.7001")
    assert sorted(recording.times(*span)) == recording.times(*span)
    assert 0 <= recording.place(span[1]) < max(1, len(recording))
    recording.numbers(*span)
    problems = list(find_damage(recording))
    recording.events(*span)
    recording.close()
    play_all(path)
    return [] if problems and not (strict and recording.checks) else found_wrong


def play_all(path: Path) -> None:
    """Go through a tape forth and back, and fill screens with some samples of each segment."""
    try:
        tape = open_recording(str(path))
    except RecordingError:
        return
    before = position = None
    for number in range(100):
        position = tape.next(position)
        if position is None:
            break
        view = View(Interval(before, position.sample))
        for table in (devices, control_units, channels) if number % 3 == 1 else ():
            table(view)
        before = position.sample
    span = tape.span() or (0, 0)
    cursor = Cursor(tape)
    for place in range(5):
        cursor.seek(span[0] + (span[1] - span[0]) * place // 4)
    for _ in range(100):
        if cursor.previous() is None:
            break
    tape.events(*span)
    list(islice(tape.intervals(cursor.position), 10))
    tape.close()


def test_nothing_is_wrong_with_a_whole_recording(whole: bytes, tmp_path: Path) -> None:
    """Else the tests here would tell nothing."""
    path = tmp_path / "a.zmon"
    path.write_bytes(whole)
    assert read_all(path) == []
    recording = Recording(str(path))
    assert list(find_damage(recording)) == []
    assert [told(recording.sample(number)) for number in range(len(SAMPLES))] == TOLD


@thorough
@given(others=st.lists(st.tuples(ANYWHERE, st.integers(1, 255)), min_size=1, max_size=3))
def test_bytes_that_are_others_cost_no_more_than_what_they_are_in(
    whole: bytes, tmp_path: Path, others: list[tuple[int, int]]
) -> None:
    """No number is wrong without being said to be."""
    body = bytearray(whole)
    for at, other in others:
        body[at % len(body)] ^= other
    assert lies(tmp_path, bytes(body)) == []


@thorough
@given(
    at=ANYWHERE, size=st.sampled_from([1, 100, 512, PAGE]), is_page=st.booleans(), other=st.none() | ANYWHERE
)
def test_zeros_or_another_page_cost_no_more_than_what_was_there(  # noqa: PLR0913, PLR0917 - all drawn
    whole: bytes, tmp_path: Path, at: int, size: int, is_page: bool, other: int | None
) -> None:
    """As a disk leaves them that lost what was written."""
    begin = at % len(whole)
    if is_page:
        begin, size = begin // PAGE * PAGE, PAGE
    source = 0 if other is None else other % (len(whole) // PAGE) * PAGE
    filled = bytes(size) if other is None else whole[source : source + size]
    assert lies(tmp_path, (whole[:begin] + filled + whole[begin + size :])[: len(whole)]) == []


@thorough
@given(at=ANYWHERE, is_page=st.booleans(), rest=st.binary(max_size=3 * PAGE))
def test_a_file_that_was_cut_off_or_goes_on_is_read_as_far_as_it_goes(
    whole: bytes, tmp_path: Path, at: int, is_page: bool, rest: bytes
) -> None:
    """What lies before the end is still there."""
    end = at % (len(whole) + 1)
    if is_page:
        end = end // PAGE * PAGE
    assert lies(tmp_path, whole[:end] + rest) == []
