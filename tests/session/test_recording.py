from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.machine import NOON, SECOND, samples, told
from zmon.base.clock import DAY
from zmon.base.event import Event, What
from zmon.kinds import BLOCK, CPU, LPAR
from zmon.recorder.roll import Roll
from zmon.sample import Frame, Instant, Sample
from zmon.session.cursor import Cursor
from zmon.session.recording import Excerpt, RecordingSection, open_recording
from zmon.session.timeline import Timeline
from zmon.session.when import WhenError
from zmon.store.check import find_damage
from zmon.store.day import day_file
from zmon.store.file_format import RecordingError
from zmon.store.open import MEMORY
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence


PER_DAY = 5


def recorded(directory: Path, count: int) -> list[Sample]:
    """Record samples into files of a few samples each."""
    found = list(islice(samples(2, DAY // PER_DAY), count))
    roll = Roll(str(directory), lambda path: Writer(path, sealed=3), pytest.fail)
    for sample in found:
        roll.append(sample)
    roll.close()
    return found


def played(cursor: Cursor) -> list[Sample]:
    """Move a cursor to the end."""
    return [interval.after for interval in iter(cursor.next, None)]


def played_back(cursor: Cursor) -> list[Sample]:
    """Move a cursor back to the begin."""
    return [interval.after for interval in iter(cursor.previous, None)]


def test_days_are_joined_without_a_seam(tmp_path: Path) -> None:
    """Forth and back."""
    found = recorded(tmp_path, 23)
    tape = open_recording(str(tmp_path))
    cursor = Cursor(tape)
    assert list(map(told, played(cursor))) == list(map(told, found))
    assert list(map(told, played_back(cursor))) == list(map(told, reversed(found[:-1])))
    assert tape.span() == (found[0].at.utc, found[-1].at.utc)
    tape.close()


def test_what_was_not_read_again_at_midnight_is_the_same_frame(tmp_path: Path) -> None:
    """So an interval does not take it for a reading without any change."""
    found = recorded(tmp_path, 23)
    tape = open_recording(str(tmp_path))
    cursor = Cursor(tape)
    replayed = played(cursor)
    for one, other, was, now in zip(found, found[1:], replayed, replayed[1:], strict=False):
        for name, frame in other.frames.items():
            if frame is one.frames.get(name):
                assert now.frames[name] is was.frames[name]
    tape.close()


def test_every_time_finds_the_last_sample_at_it_or_before(tmp_path: Path) -> None:
    """Whatever file it is in; before the first it is the first."""
    found = recorded(tmp_path, 23)
    tape = open_recording(str(tmp_path))
    cursor = Cursor(tape)
    for sample in found:
        for utc in (sample.at.utc, sample.at.utc + 1):
            sought = cursor.seek(utc)
            assert sought is not None
            assert sought.after.at == sample.at
    first, last = cursor.seek(0), cursor.seek(1 << 62)
    assert first is not None
    assert last is not None
    assert (first.after.at, last.after.at) == (found[0].at, found[-1].at)
    tape.close()


def test_a_tape_grows_while_it_is_recorded(tmp_path: Path) -> None:
    """In its last file, and by files."""
    found = list(islice(samples(2, DAY // PER_DAY), 23))
    roll = Roll(str(tmp_path), lambda path: Writer(path, sealed=3), pytest.fail)
    roll.append(found[0])
    tape = open_recording(str(tmp_path))
    cursor = Cursor(tape)
    assert len(played(cursor)) == 1
    for sample in found[1:]:
        roll.append(sample)
        (new,) = played(cursor)
        assert told(new) == told(sample)
    roll.close()
    assert played(cursor) == []
    tape.close()


def test_a_damaged_day_is_a_hole_and_the_others_go_on(tmp_path: Path) -> None:
    """It is an event with the reason, for the whole of its day."""
    found = recorded(tmp_path, 23)
    bad = day_file(str(tmp_path), found[10].at.utc)
    Path(bad.path).write_bytes(b"SQLite format 3\0" + bytes(5000))
    tape = open_recording(str(tmp_path))
    cursor = Cursor(tape)
    left = [sample for sample in found if not bad.begin <= sample.at.utc < bad.end]
    assert [sample.at for sample in played(cursor)] == [sample.at for sample in left]
    holes = [event for event in tape.events(*(tape.span() or (0, 0))) if event.what is What.HOLE]
    assert [(hole.begin, hole.end) for hole in holes] == [(bad.begin, bad.end)]
    assert bad.path in holes[0].text
    assert cursor.seek(bad.begin + 1) is not None
    assert [event for event in tape.events(found[0].at.utc, found[1].at.utc) if event.what is What.HOLE] == []
    tape.close()


def test_a_damaged_segment_is_a_hole_once_it_was_looked_for(tmp_path: Path) -> None:
    """With the time in which it lies."""
    found = recorded(tmp_path, 5)
    path = Path(day_file(str(tmp_path), found[0].at.utc).path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE segment SET body = zeroblob(length(body)) WHERE kind = 'block' AND first = 0")
    connection.close()
    tape = open_recording(str(path))
    (section,) = tape.refresh()
    assert section.recording is not None
    assert any("segment block 0" in words for words in find_damage(section.recording))
    holes = [event for event in tape.events(0, 1 << 62) if event.what is What.HOLE]
    assert [hole.begin for hole in holes] == [found[0].at.utc]
    tape.close()


def test_what_is_read_after_the_file_was_closed_is_no_damage(tmp_path: Path) -> None:
    """A thread of the screens may still be reading when the user leaves."""
    samples_written = recorded(tmp_path, PER_DAY)
    section = RecordingSection(day_file(str(tmp_path), samples_written[0].at.utc).path)
    recording = section.recording
    assert recording is not None
    section.close()
    with pytest.raises((RecordingError, sqlite3.ProgrammingError)):
        recording.sample(0)
    assert section.sample(0) is None
    assert (section.recording, section.damage(), section.events(0, 1 << 62)) == (None, (), [])


def test_a_day_that_is_unlinked_under_way_is_left_for_the_next(tmp_path: Path) -> None:
    """What was read of it can still be looked at."""
    found = recorded(tmp_path, 23)
    tape = open_recording(str(tmp_path))
    cursor = Cursor(tape)
    cursor.next()
    second = cursor.next()
    assert second is not None
    gone = day_file(str(tmp_path), found[0].at.utc)
    Path(gone.path).unlink()
    assert tape.span() is not None
    later = [sample for sample in found if sample.at.utc >= gone.end]
    assert [sample.at for sample in played(cursor)] == [sample.at for sample in later]
    assert told(second.after) == told(found[1])
    tape.close()


def test_a_directory_without_recordings_is_none(tmp_path: Path) -> None:
    """It says what would be one."""
    with pytest.raises(RecordingError, match="no recording"):
        open_recording(str(tmp_path))


STEPS = st.lists(
    st.one_of(st.just(SECOND), st.integers(-3 * SECOND, 3 * SECOND), st.integers(-DAY, DAY)), max_size=20
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.lists(st.integers(-2 * DAY, 2 * DAY), max_size=5))
def test_wherever_the_clock_was_set_to_all_samples_are_visited_in_their_order(
    steps: Sequence[int], sought: Sequence[int]
) -> None:
    """And a time finds the last sample that was taken at the latest time up to it."""
    utc, taken = NOON, []
    for number, step in enumerate([0, *steps]):
        utc += step
        frame = Frame(BLOCK, ["sda"], {"reads": [number]}, [number * SECOND])
        taken.append(Sample(Instant(utc, number * SECOND, "boot"), {"block": frame}))
    writer = Writer(MEMORY, sealed=10**9)
    for number, sample in enumerate(taken):
        writer.append(sample)
        if number % 4 == 3:
            writer.seal()
    section = RecordingSection(MEMORY, Recording(MEMORY, shared=writer.shared))
    tape = Timeline("a recording", lambda: [section])
    cursor = Cursor(tape)
    times = [sample.at for sample in taken]
    assert [sample.at for sample in played(cursor)] == times
    assert [sample.at for sample in played_back(cursor)] == times[-2::-1]
    for away in sought:
        found = cursor.seek(NOON + away)
        before = [(at.utc, at.steady) for at in times if at.utc <= NOON + away]
        assert found is not None
        at = found.after.at
        assert (at.utc, at.steady) == (max(before) if before else times[0][:2])
        assert len(list(tape.intervals(cursor.position))) == at.steady // SECOND + 1
    clock = [event for event in tape.events(-(1 << 62), 1 << 62) if event.what is What.CLOCK]
    # the steady clock goes on by a second each time
    assert len(clock) == sum(abs(step - SECOND) >= SECOND for step in steps)
    writer.connection.close()


# a excerpt has the samples of a range of time, whatever happened to the clock and the files


SECOND = 10**9
BEGIN = 1_795_271_400 * SECOND
"""2026-11-21 14:30:00 UTC."""

pytestmark = pytest.mark.usefixtures("utc")


def cpu_sample(
    second: float, *, steady: float | None = None, boot: str = "one", lpar: Frame | None = None
) -> Sample:
    now = int((second if steady is None else steady) * SECOND)
    frames = {"cpu": Frame(CPU, ["0"], {"user": [now]}, [now])}
    if lpar is not None:
        frames["lpar"] = lpar
    return Sample(Instant(BEGIN + int(second * SECOND), now, boot), frames, "here", 1.0)


def write(path: Path, samples: Sequence[Sample], events: Sequence[Event] = ()) -> str:
    writer = Writer(str(path), durable=False)
    for one in samples:
        writer.append(one)
    writer.add_events(events)
    writer.close()
    return str(path)


def excerpt_seconds(excerpt: Excerpt, *, lead: bool = False) -> list[float]:
    return [(one.at.utc - BEGIN) / SECOND for one in excerpt.chosen(lead=lead)]


@pytest.fixture
def hour(tmp_path: Path) -> Excerpt:
    return Excerpt(write(tmp_path / "a.zmon", [cpu_sample(second) for second in range(100)]))


def test_missing_numbers_are_counted_and_not_tried(tmp_path: Path) -> None:
    """A file that names cpu_sample 10,000,000 behind cpu_sample 3 is read in a moment."""
    path = write(tmp_path / "a.zmon", [cpu_sample(second) for second in range(4)])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE sample SET n = 10000000 WHERE n = 3")
        connection.commit()
    found = Excerpt(path)
    assert (excerpt_seconds(found), found.unread) == ([0, 1, 2], 10_000_000 - 3 + 1)


def test_at_first_all(hour: Excerpt) -> None:
    """From the first to the last."""
    assert excerpt_seconds(hour, lead=True) == list(range(100))
    assert len(hour) == 100


def test_both_ends_belong_to_it(hour: Excerpt) -> None:
    """Samples taken at just these times."""
    hour.confine("14:30:10", "14:30:12", 0)
    assert excerpt_seconds(hour) == [10, 11, 12]
    assert excerpt_seconds(hour, lead=True) == [9, 10, 11, 12]


@pytest.mark.parametrize(
    ("since", "until", "found"),
    [
        ("-2s", None, [97, 98, 99]),
        (None, "begin+1s", [0, 1]),
        ("14:30:50", "+1s", [50, 51]),
        ("-4s", "-3s", [95, 96]),
    ],
)
def test_distances(since: str | None, until: str | None, found: list[int], hour: Excerpt) -> None:
    """From the end; a later end from the begin."""
    hour.confine(since, until, 0)
    assert excerpt_seconds(hour) == found


def test_the_end_is_not_before_the_begin(hour: Excerpt) -> None:
    """Somebody has mixed them up."""
    with pytest.raises(WhenError, match=r"'14:30'.*before.*'14:31'"):
        hour.confine("14:31", "14:30", 0)


def test_a_clock_that_was_set_back_loses_nothing(tmp_path: Path) -> None:
    """What was sampled twice at a time is there twice, in the order in which it was."""
    times = [*range(50), *range(20, 40)]
    made = [cpu_sample(utc, steady=steady) for steady, utc in enumerate(times)]
    excerpt = Excerpt(write(tmp_path / "a.zmon", made))
    excerpt.confine("14:30:30", "14:30:32", 0)
    assert excerpt_seconds(excerpt) == times[30:63]


def test_days_are_joined(tmp_path: Path) -> None:
    """What was not read again since the day before is the same frame."""
    lpar = Frame(LPAR, ["A"], {"number": [1]}, [5])
    write(tmp_path / "2026-11-20.zmon", [cpu_sample(second, lpar=lpar) for second in range(5)])
    write(tmp_path / "2026-11-21.zmon", [cpu_sample(second, lpar=lpar) for second in range(5, 10)])
    excerpt = Excerpt(str(tmp_path))
    frames = [one.frames["lpar"] for one in excerpt.chosen()]
    assert len(frames) == 10
    assert all(frame is frames[0] for frame in frames)
    excerpt.confine("14:30:05", None, 0)
    assert excerpt_seconds(excerpt, lead=True) == [4, 5, 6, 7, 8, 9]


def test_no_sample_of_another_boot_is_taken_along(tmp_path: Path) -> None:
    """There is no interval across a restart."""
    made = [cpu_sample(second, boot="one" if second < 5 else "two") for second in range(9)]
    excerpt = Excerpt(write(tmp_path / "a.zmon", made))
    excerpt.confine("14:30:05", None, 0)
    assert excerpt_seconds(excerpt, lead=True) == [5, 6, 7, 8]


def test_events_are_cut_at_its_ends(tmp_path: Path) -> None:
    """Those that lie outside are none of it."""
    told = [
        Event(What.LIMIT, BEGIN + a * SECOND, BEGIN + b * SECOND)
        for a, b in ((0, 5), (8, 15), (18, 40), (30, 31))
    ]
    excerpt = Excerpt(write(tmp_path / "a.zmon", [cpu_sample(second) for second in range(60)], told))
    excerpt.confine("14:30:10", "14:30:20", 0)
    found = [
        ((event.begin - BEGIN) / SECOND, (event.end - BEGIN) / SECOND) for event in excerpt.recorded_events()
    ]
    assert found == [(10, 15), (18, 20)]


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """The other days are there."""
    write(tmp_path / "2026-11-20.zmon", [cpu_sample(second) for second in range(5)])
    (tmp_path / "2026-11-21.zmon").write_bytes(b"nothing of the kind" * 300)
    excerpt = Excerpt(str(tmp_path))
    assert excerpt_seconds(excerpt) == [0, 1, 2, 3, 4]
    assert "2026-11-21.zmon" in excerpt.problems()[0]
