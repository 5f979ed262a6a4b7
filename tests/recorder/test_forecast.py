from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from zmon.base.clock import DAY
from zmon.kinds import BLOCK, CPU
from zmon.recorder import forecast
from zmon.recorder.forecast import (
    MIN_SAMPLES,
    PER_ROW,
    PER_SAMPLE,
    PER_VALUE,
    Forecast,
    days_words,
    earlier,
    estimate,
    measured,
    movement,
    room,
    shortage,
    size_words,
)
from zmon.recorder.retention import RetentionRule
from zmon.sample import Frame, Instant, Sample
from zmon.store.file_format import MAGIC

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.base.absent import Value

SECOND = 10**9
SOME = Forecast(1000.0, 5_000_000, SECOND, "made up")


def disks(**columns: list[Value]) -> Frame:
    """Return a frame of two disks."""
    return Frame(BLOCK, ["dasda", "dasdb"], dict(columns), [0, 0])


def sample(*frames: Frame) -> Sample:
    return Sample(Instant(0, 0, "boot"), {frame.kind.name: frame for frame in frames})


def test_what_moved_is_counted_by_rows_and_by_values() -> None:
    """A row counts once, however many of its values moved."""
    before = disks(reads=[1, 2], writes=[1, 1], label=["a", "b"])
    after = disks(reads=[1, 3], writes=[1, 2], label=["a", "b"])
    assert movement(before, after) == (1, 2)


def test_a_reading_of_before_moved_nothing() -> None:
    """What is read once a minute is the same frame until then."""
    frame = disks(reads=[1, 2])
    assert movement(frame, frame) == (0, 0)


def test_rows_that_were_not_there_moved_as_a_whole() -> None:
    """Nothing is known of them that would be the same."""
    after = disks(reads=[1, 2], writes=[1, 1])
    assert movement(None, after) == (2, 4)


def test_an_estimate_adds_what_each_sample_row_and_value_costs() -> None:
    """And says what it comes from."""
    before, after = sample(disks(reads=[1, 2])), sample(disks(reads=[1, 3]))
    found = estimate(before, after, 5_000_000, SECOND)
    assert found.sample == PER_SAMPLE + PER_ROW + PER_VALUE
    assert found.words.endswith(" of 2 block; rows that moved: 1)")


def test_an_estimate_of_nothing_is_possible() -> None:
    """A machine may be readable in no part."""
    empty = sample(Frame(CPU, [], {}, []))
    assert "of nothing" in estimate(empty, empty, 0, SECOND).words


def test_the_interval_divides_the_day() -> None:
    """Twice as long, half as much."""
    assert (SOME.day, SOME._replace(interval=2 * SECOND).day) == (86_400_000, 43_200_000)
    assert SOME.load == 0.5


def test_processor_time_may_be_unknown() -> None:
    """Then nothing is said of it."""
    assert SOME._replace(cpu=None).words == "86 MB a day, 1.0 kB a sample (made up)"


def test_little_is_measured_in_a_few_samples() -> None:
    """A file grows in steps."""
    assert measured(10**6, SECOND, MIN_SAMPLES - 1, SECOND) is None
    found = measured(10**6, SECOND, 1000, SECOND)
    assert found == Forecast(1000, 10**6, SECOND, "measured over 1,000 samples")


def test_what_an_earlier_recording_measured_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last one that is long enough; strangers are none."""
    monkeypatch.setattr(forecast, "_samples", lambda path: os.path.getsize(path) // 1000)
    head = b"SQLite format 3\0" + bytes(52) + MAGIC.to_bytes(4, "big")
    (tmp_path / "2026-11-19.zmon").write_bytes(head + bytes(2_000_000))
    (tmp_path / "2026-11-20.zmon").write_bytes(head + bytes(1_000_000 - 72))
    (tmp_path / "2026-11-21.zmon").write_bytes(head + bytes(1000))
    (tmp_path / "2026-11-22.zmon").write_bytes(bytes(5_000_000))
    found = earlier(str(tmp_path), SECOND)
    assert found == Forecast(1000, None, SECOND, "as measured in 2026-11-20.zmon")


@pytest.mark.parametrize("name", ["none", "empty"])
def test_without_a_recording_nothing_was_measured(tmp_path: Path, name: str) -> None:
    """Nor without the directory."""
    (tmp_path / "empty").mkdir()
    assert earlier(str(tmp_path / name), SECOND) is None


def test_room_is_that_of_where_the_directory_would_be(tmp_path: Path) -> None:
    """A forecast makes no directories."""
    assert abs(room(str(tmp_path / "a/b/c")) - room(str(tmp_path))) < 1 << 30
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("free", "rule", "said"),
    [
        (100 * SOME.day, RetentionRule(), ""),
        (10 * SOME.day, RetentionRule(), " 10 days; --keep or --size "),
        (10 * SOME.day, RetentionRule(keep=9 * DAY), ""),
        (10 * SOME.day, RetentionRule(keep=30 * DAY), "(31 days),"),
        (10 * SOME.day, RetentionRule(keep=30 * DAY, size=500_000_000), ""),
    ],
)
def test_too_little_room_is_said_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: float, rule: RetentionRule, said: str
) -> None:
    """For as many days as are to be kept; without limits for a month."""
    monkeypatch.setattr(forecast, "room", lambda _directory: int(free))
    found = shortage(SOME, str(tmp_path), rule)
    assert said in found
    assert bool(said) == bool(found)


def test_what_is_recorded_already_needs_no_more_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is part of what is kept."""
    monkeypatch.setattr(forecast, "room", lambda _directory: 0)
    with open(tmp_path / "2026-11-21.zmon", "wb") as stream:
        stream.truncate(int(3 * SOME.day))  # sparse: only its length counts
    rule = RetentionRule(keep=2 * DAY)
    assert shortage(SOME, str(tmp_path), rule, str(tmp_path / "2026-11-21.zmon")) == ""
    assert shortage(SOME, str(tmp_path), rule) != ""


def test_a_file_system_that_does_not_say_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than a warning for nothing, or none."""

    def refuse(_directory: str) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(forecast, "room", refuse)
    assert "not known: Input/output error" in shortage(SOME, str(tmp_path), RetentionRule())


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1300, "1.3 kB"), (6.4e9, "6.4 GB"), (2e15, "2,000.0 TB")],
)  # fmt: skip
def test_sizes_are_short(count: float, words: str) -> None:
    """Two or three digits and a unit."""
    assert size_words(count) == words


@pytest.mark.parametrize(("count", "words"), [(0.05, "1 hours"), (2.5, "60 hours"), (31, "31 days")])
def test_less_than_three_days_are_hours(count: float, words: str) -> None:
    """Where it is tight, days are too coarse."""
    assert days_words(count) == words
