"""Live samples are kept: where the user says, by the recorder that runs, or in memory for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.kernel.sampler import Choice
from zmon.kinds import CHANNEL
from zmon.sample import Frame, Instant, Sample
from zmon.session import live_buffer
from zmon.session.live_buffer import FileBuffer, MemoryBuffer, RecorderBuffer
from zmon.session.machines import LiveTimeline
from zmon.session.navigator import Navigator
from zmon.session.recording import open_recording
from zmon.session.timeline import NoteError, Timeline
from zmon.store.file_format import RecordingError
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.session.live_buffer import LiveBuffer
    from zmon.session.timeline import Section

SECOND = 10**9


def sample(second: int) -> Sample:
    """Return a sample of one channel path."""
    at = Instant(second * SECOND, second * SECOND, "boot")
    frame = Frame(CHANNEL, ["0.40"], {"busy": [second]}, [second * SECOND])
    return Sample(at, {"channel": frame}, "this machine", 1.0)


def kept(buffer: LiveBuffer) -> Timeline:
    """Return the timeline of what a buffer keeps."""
    return Timeline("kept", buffer.sections)


def seconds(timeline: Timeline) -> list[int]:
    """Return the seconds of all samples on a timeline."""
    return [one.at.utc // SECOND for one in timeline.samples()]


def test_memory_keeps_what_was_sampled() -> None:
    """In the order of time."""
    memory = MemoryBuffer()
    for second in range(5):
        memory.append(sample(second))
    assert seconds(kept(memory)) == [0, 1, 2, 3, 4]
    memory.close()


def test_a_tape_of_the_memory_grows() -> None:
    """Who looks at the past sees what has come meanwhile."""
    memory = MemoryBuffer()
    memory.append(sample(0))
    timeline = kept(memory)
    assert seconds(timeline) == [0]
    memory.append(sample(1))
    assert seconds(timeline) == [0, 1]
    memory.close()


def test_memory_forgets_what_is_old() -> None:
    """It does not grow without end; at the least an hour and a half is there."""
    memory = MemoryBuffer()
    step = 600
    for second in range(0, 6 * 3600, step):
        memory.append(sample(second))
    found = seconds(kept(memory))
    assert found[-1] - found[0] >= 5400 - step
    assert len(found) <= live_buffer.CHAPTERS * live_buffer.CHAPTER // SECOND // step
    memory.close()


def test_a_file_keeps_what_was_sampled(tmp_path: Path) -> None:
    """And can be looked at meanwhile and afterwards."""
    path = str(tmp_path / "seen.zmon")
    file = FileBuffer(path)
    file.append(sample(7))
    assert seconds(kept(file)) == [7]
    file.close()
    assert seconds(open_recording(path)) == [7]


def test_nothing_is_left_beside_a_file_that_is_closed(tmp_path: Path) -> None:
    """Not even when somebody looked at the past until the end: the file can be taken away alone."""
    file = FileBuffer(str(tmp_path / "seen.zmon"))
    file.append(sample(7))
    timelines = [kept(file), kept(file)]
    assert [seconds(timeline) for timeline in timelines] == [[7], [7]]
    file.close()
    assert [path.name for path in tmp_path.iterdir()] == ["seen.zmon"]


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """At once, with its name."""
    with pytest.raises(RecordingError, match="absent"):
        FileBuffer(str(tmp_path / "absent" / "seen.zmon"))


def test_a_recorder_has_kept_its_last_hours(tmp_path: Path) -> None:
    """They are there before anybody began to look."""
    writer = Writer(str(tmp_path / "1970-01-01.zmon"))
    writer.append(sample(3))
    recorder = RecorderBuffer(str(tmp_path))
    recorder.append(sample(4))
    assert seconds(kept(recorder)) == [3]
    recorder.close()
    writer.close()


class Full:
    """Keeps nothing: the disk is full."""

    lasting = True

    def append(self, one: Sample) -> None:
        """Fail."""
        raise RecordingError(f"no room for {one.source}")

    def note(self, utc: int, text: str) -> None:
        """Fail, too."""
        raise RecordingError(f"no room for {text} of {utc}")

    def sections(self) -> list[Section]:
        """Fail, too."""
        raise RecordingError("nothing there")

    def close(self) -> None:
        """Do nothing."""


def test_what_cannot_be_kept_is_said_once_and_seen_all_the_same(tmp_path: Path) -> None:
    """The screens go on."""
    timeline = LiveTimeline(Choice(hypervisor=False), 1.0, root=str(tmp_path), buffer=Full())
    assert timeline.take().nominal == 1.0
    assert "no room" in timeline.problem
    assert timeline.take().nominal == 1.0
    assert timeline.problem == ""
    assert timeline.span() is None
    with pytest.raises(NoteError, match="no room"):
        timeline.note(0, "anything")


def test_the_past_of_a_live_timeline_is_what_was_kept(tmp_path: Path) -> None:
    """Its intervals are yielded from the last sample backwards."""
    timeline = LiveTimeline(Choice(hypervisor=False), 1.0, root=str(tmp_path), buffer=MemoryBuffer())
    taken = [timeline.take() for _ in range(3)]
    found = timeline.intervals(timeline.find(taken[-1].at.utc))
    assert [interval.after.at for interval in found] == [one.at for one in reversed(taken)]
    timeline.close()


def test_all_looks_at_what_a_recorder_wrote_read_its_files_together(tmp_path: Path) -> None:
    """Else each look at the past would open them once more."""
    writer = Writer(str(tmp_path / "1970-01-01.zmon"))
    writer.append(sample(3))
    recorder = RecorderBuffer(str(tmp_path))
    assert list(recorder.sections()) == list(recorder.sections())
    recorder.close()
    writer.close()


def test_each_way_back_begins_at_the_newest_sample(tmp_path: Path) -> None:
    """Also when the past was visited before, and more samples have been taken since."""
    navigator = Navigator(
        LiveTimeline(Choice(hypervisor=False), 1.0, root=str(tmp_path), buffer=MemoryBuffer())
    )
    for _ in range(3):
        taken = [found.after.at for found in (navigator.next(), navigator.next(), navigator.next()) if found]
        navigator.leave_present()
        back = navigator.previous()
        assert back is not None
        assert back.after.at == taken[1]
        navigator.to_present()
        assert navigator.interval is not None
        assert navigator.interval.after.at == taken[2]
    navigator.timeline.close()
