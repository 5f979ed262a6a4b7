"""Live samples are kept: where the user says, by the recorder that runs, or in memory for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.kernel.sampler import Choice
from zmon.kinds import CHANNEL
from zmon.sample import Frame, Instant, Sample
from zmon.session import keep
from zmon.session.live import LiveTape, NotKept
from zmon.session.recording import RecordingTape, open_recording
from zmon.store.error import RecordingError
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.session.tape import Tape

SECOND = 10**9


def sample(second: int) -> Sample:
    """Return a sample of one channel path."""
    at = Instant(second * SECOND, second * SECOND, "boot")
    frame = Frame(CHANNEL, ["0.40"], {"busy": [second]}, [second * SECOND])
    return Sample(at, {"channel": frame}, "this machine", 1.0)


def seconds(tape: Tape) -> list[int]:
    """Return the seconds of all samples on a tape."""
    found = []
    while (one := tape.next()) is not None:
        found.append(one.at.utc // SECOND)
    return found


def test_memory_keeps_what_was_sampled() -> None:
    """In the order of time."""
    memory = keep.Memory("here")
    for second in range(5):
        memory.append(sample(second))
    assert seconds(memory.tape()) == [0, 1, 2, 3, 4]
    memory.close()


def test_a_tape_of_the_memory_grows() -> None:
    """Who looks at the past sees what has come meanwhile."""
    memory = keep.Memory("here")
    memory.append(sample(0))
    tape = memory.tape()
    assert seconds(tape) == [0]
    memory.append(sample(1))
    assert seconds(tape) == [1]
    memory.close()


def test_memory_forgets_what_is_old() -> None:
    """It does not grow without end; at the least an hour and a half is there."""
    memory = keep.Memory("here")
    step = 600
    for second in range(0, 6 * 3600, step):
        memory.append(sample(second))
    kept = seconds(memory.tape())
    assert kept[-1] - kept[0] >= 5400 - step
    assert len(kept) <= keep.CHAPTERS * keep.CHAPTER // SECOND // step
    memory.close()


def test_a_file_keeps_what_was_sampled(tmp_path: Path) -> None:
    """And can be looked at meanwhile and afterwards."""
    path = str(tmp_path / "seen.zmon")
    file = keep.File(path)
    file.append(sample(7))
    assert seconds(file.tape()) == [7]
    file.close()
    assert seconds(open_recording(path)) == [7]


def test_nothing_is_left_beside_a_file_that_is_closed(tmp_path: Path) -> None:
    """Not even when somebody looked at the past until the end: the file can be taken away alone."""
    file = keep.File(str(tmp_path / "seen.zmon"))
    file.append(sample(7))
    tapes = [file.tape(), file.tape()]
    assert [seconds(tape) for tape in tapes] == [[7], [7]]
    file.close()
    assert [path.name for path in tmp_path.iterdir()] == ["seen.zmon"]


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """At once, with its name."""
    with pytest.raises(RecordingError, match="absent"):
        keep.File(str(tmp_path / "absent" / "seen.zmon"))


def test_a_recorder_has_kept_its_last_hours(tmp_path: Path) -> None:
    """They are there before anybody began to look."""
    writer = Writer(str(tmp_path / "1970-01-01.zmon"))
    writer.append(sample(3))
    recorder = keep.Recorder(str(tmp_path))
    recorder.append(sample(4))
    assert seconds(recorder.tape()) == [3]
    recorder.close()
    writer.close()


class Full:
    """Keeps nothing: the disk is full."""

    def append(self, one: Sample) -> None:
        """Fail."""
        raise RecordingError(f"no room for {one.source}")

    def note(self, utc: int, text: str) -> None:
        """Fail, too."""
        raise RecordingError(f"no room for {text} of {utc}")

    def tape(self) -> Tape:
        """Fail, too."""
        raise RecordingError("nothing there")

    def close(self) -> None:
        """Do nothing."""


def test_what_cannot_be_kept_is_said_once_and_seen_all_the_same(tmp_path: Path) -> None:
    """The screens go on."""
    tape = LiveTape(Choice(hypervisor=False), 1.0, root=str(tmp_path), keep=Full())
    with pytest.raises(NotKept, match="no room") as told:
        tape.next()
    assert told.value.sample.nominal == 1.0
    assert tape.next().nominal == 1.0
    assert tape.past_tape() is None


def test_the_past_of_a_live_tape_is_what_was_kept(tmp_path: Path) -> None:
    """Its intervals are yielded from the last sample backwards."""
    tape = LiveTape(Choice(hypervisor=False), 1.0, root=str(tmp_path), keep=keep.Memory("here"))
    taken = [tape.next() for _ in range(3)]
    assert [interval.after.at for interval in tape.past()] == [one.at for one in reversed(taken)]
    tape.close()


def test_all_looks_at_what_a_recorder_wrote_read_its_files_together(tmp_path: Path) -> None:
    """Else each look at the past would open them once more."""
    writer = Writer(str(tmp_path / "1970-01-01.zmon"))
    writer.append(sample(3))
    recorder = keep.Recorder(str(tmp_path))
    first, second = recorder.tape(), recorder.tape()
    assert isinstance(first, RecordingTape)
    assert isinstance(second, RecordingTape)
    assert first._parts == second._parts
    recorder.close()
    writer.close()
