"""What is read of a system is what its screens show of the same time, and one that is damaged says so."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from zmon.base.absent import Absent
from zmon.fleet import member
from zmon.fleet.member import NOT_THEN, SystemRecording, Weighed, found_in, read_member
from zmon.interval import Interval
from zmon.machine.view import View
from zmon.session.recording import Excerpt, open_recording
from zmon.tables.control_unit import table

ROOT = Path(__file__).parents[2]
RECORDING = str(ROOT / "recordings/lab-shark-before.zmon")


def span() -> tuple[int, int]:
    """Return the times of the recording's first and last sample."""
    with closing(SystemRecording("lab", RECORDING)) as recording:
        return recording.span()


def test_figures_are_those_of_ctlunit() -> None:
    """Rates and times of a whole recording, from its roll-ups alone."""
    begin, end = span()
    member = read_member("lab", RECORDING, begin, end)
    timeline = open_recording(RECORDING)
    first, last = timeline.find(begin), timeline.find(end)
    assert first is not None
    assert last is not None
    shown = table(View(Interval(first.sample, last.sample, skipped=True)))
    assert member.problem == ""
    assert member.is_simulated
    assert member.machine["guest_name"] == "LINDB01"
    for row, key in enumerate(shown.keys):
        if key in member.lcus:
            for name in ("io", "mbs", "conn", "resp"):
                assert member.lcus[key][name].mean == pytest.approx(shown.columns[name][row], rel=0.01)
        else:
            assert shown.columns["io"][row] == 0
    assert member.lcus
    timeline.close()


def test_a_recording_without_rollups_is_known_as_one() -> None:
    """Its LCUs are not said to have no I/O."""
    day = "recordings/lab-healthy-day.zmon"
    span_of_day = open_recording(day).span()
    assert span_of_day is not None
    assert not read_member("day", day, *span_of_day).has_rollups
    assert read_member("lab", RECORDING, *span()).has_rollups


def test_another_time_has_other_figures() -> None:
    """Only minutes of the time count; a time without samples has none, and no problem."""
    begin, end = span()
    middle = (begin + end) // 2
    halves = [read_member("lab", RECORDING, *times) for times in ((begin, middle), (middle, end))]
    assert halves[0].lcus != halves[1].lcus
    outside = read_member("lab", RECORDING, end + 10**12, end + 2 * 10**12)
    assert (outside.problem, dict(outside.lcus), outside.span) == ("", {}, (begin, end))


def test_systems_are_found_by_their_names(tmp_path: Path) -> None:
    """A directory of day files, a file, also beside a directory of its name; other files are left alone."""
    (tmp_path / "lnx1").mkdir()
    shutil.copy(RECORDING, tmp_path / "lnx1/2003-03-17.zmon")
    shutil.copy(RECORDING, tmp_path / "lnx1.zmon")
    shutil.copy(RECORDING, tmp_path / "lnx2.zmon")
    (tmp_path / "notes.txt").write_text("x")
    assert [*found_in(str(tmp_path))] == ["lnx1", "lnx1.zmon", "lnx2"]


def test_what_cannot_be_read_is_a_system_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory without recordings, one that may not be opened, and links that lead nowhere."""
    for name in ("empty", "closed"):
        (tmp_path / name).mkdir()
    for name in ("away", "gone.zmon"):
        (tmp_path / name).symlink_to("nowhere")
    listed = os.listdir

    def refused(path: str) -> list[str]:
        if path == str(tmp_path / "closed"):  # as root one may list all
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return listed(path)

    monkeypatch.setattr(os, "listdir", refused)
    problems = {
        name: read_member(name, path, 0, 10**18).problem for name, path in found_in(str(tmp_path)).items()
    }
    assert [*problems] == ["away", "closed", "empty", "gone"]
    assert all(problems.values())
    assert "Permission denied" in problems["closed"]


def test_a_recording_is_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked of it, until it is closed; what it says is the same as when it is opened anew."""
    opened = []

    def counted(path: str) -> Excerpt:
        opened.append(path)
        return Excerpt(path)

    monkeypatch.setattr(member, "Excerpt", counted)
    recording = SystemRecording("lab", RECORDING)
    begin, end = recording.span()
    found = recording.member(begin, end)
    entries, is_measured = recording.exceptions()
    assert opened == [RECORDING]
    assert recording.files == 1
    assert not isinstance(found.exceptions, Absent)
    assert set(found.exceptions) == set(entries)
    assert not is_measured
    recording.close()
    assert recording.files == 0
    assert recording.member(begin, end) == found
    assert opened == [RECORDING] * 2
    recording.close()


@pytest.mark.parametrize("content", [b"", b"no recording", b"SQLite format 3\x00" + b"\xff" * 5000])
def test_what_is_no_recording_says_so(tmp_path: Path, content: bytes) -> None:
    """In a sentence, and the others go on."""
    path = tmp_path / "lnx1.zmon"
    path.write_bytes(content)
    member = read_member("lnx1", str(path), 0, 10**19)
    assert member.problem
    assert not member.lcus


def test_sums_and_weights_of_several_add_up() -> None:
    """The mean of means would be wrong: who does more counts more."""
    assert Weighed(10.0, 1.0).plus(Weighed(20.0, 9.0)).mean == 3.0


def test_a_time_in_which_nothing_was_recorded_has_no_exceptions() -> None:
    """Which is said as it is: the recording stores exceptions of another time."""
    assert read_member("lab", RECORDING, 0, 1).exceptions is NOT_THEN
