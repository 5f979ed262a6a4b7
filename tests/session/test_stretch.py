"""A excerpt has the samples of a range of time, whatever happened to the clock and the files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from zmon.event import Event, What
from zmon.kinds import CPU, LPAR
from zmon.sample import Frame, Instant, Sample
from zmon.session.recording import Excerpt
from zmon.session.when import WhenError
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SECOND = 10**9
BEGIN = 1_795_271_400 * SECOND
"""2026-11-21 14:30:00 UTC."""

pytestmark = pytest.mark.usefixtures("utc")


def sample(
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
    writer.tell(events)
    writer.close()
    return str(path)


def seconds(excerpt: Excerpt, *, lead: bool = False) -> list[float]:
    return [(one.at.utc - BEGIN) / SECOND for one in excerpt.chosen(lead=lead)]


@pytest.fixture
def hour(tmp_path: Path) -> Excerpt:
    return Excerpt(write(tmp_path / "a.zmon", [sample(second) for second in range(100)]))


def test_missing_numbers_are_counted_and_not_tried(tmp_path: Path) -> None:
    """A file that names sample 10,000,000 behind sample 3 is read in a moment."""
    path = write(tmp_path / "a.zmon", [sample(second) for second in range(4)])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE sample SET n = 10000000 WHERE n = 3")
        connection.commit()
    found = Excerpt(path)
    assert (seconds(found), found.unread) == ([0, 1, 2], 10_000_000 - 3 + 1)


def test_at_first_all(hour: Excerpt) -> None:
    """From the first to the last."""
    assert seconds(hour, lead=True) == list(range(100))
    assert len(hour) == 100


def test_both_ends_belong_to_it(hour: Excerpt) -> None:
    """Samples taken at just these times."""
    hour.confine("14:30:10", "14:30:12", 0)
    assert seconds(hour) == [10, 11, 12]
    assert seconds(hour, lead=True) == [9, 10, 11, 12]


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
    assert seconds(hour) == found


def test_the_end_is_not_before_the_begin(hour: Excerpt) -> None:
    """Somebody has mixed them up."""
    with pytest.raises(WhenError, match=r"the end, '14:30', lies before the begin, '14:31'"):
        hour.confine("14:31", "14:30", 0)


def test_a_clock_that_was_set_back_loses_nothing(tmp_path: Path) -> None:
    """What was sampled twice at a time is there twice, in the order in which it was."""
    times = [*range(50), *range(20, 40)]
    made = [sample(utc, steady=steady) for steady, utc in enumerate(times)]
    excerpt = Excerpt(write(tmp_path / "a.zmon", made))
    excerpt.confine("14:30:30", "14:30:32", 0)
    assert seconds(excerpt) == times[30:63]


def test_days_are_joined(tmp_path: Path) -> None:
    """What was not read again since the day before is the same frame."""
    lpar = Frame(LPAR, ["A"], {"number": [1]}, [5])
    write(tmp_path / "2026-11-20.zmon", [sample(second, lpar=lpar) for second in range(5)])
    write(tmp_path / "2026-11-21.zmon", [sample(second, lpar=lpar) for second in range(5, 10)])
    excerpt = Excerpt(str(tmp_path))
    frames = [one.frames["lpar"] for one in excerpt.chosen()]
    assert len(frames) == 10
    assert all(frame is frames[0] for frame in frames)
    excerpt.confine("14:30:05", None, 0)
    assert seconds(excerpt, lead=True) == [4, 5, 6, 7, 8, 9]


def test_no_sample_of_another_boot_is_taken_along(tmp_path: Path) -> None:
    """There is no interval across a restart."""
    made = [*(sample(second) for second in range(5)), *(sample(second, boot="two") for second in range(5, 9))]
    excerpt = Excerpt(write(tmp_path / "a.zmon", made))
    excerpt.confine("14:30:05", None, 0)
    assert seconds(excerpt, lead=True) == [5, 6, 7, 8]


def test_events_are_cut_at_its_ends(tmp_path: Path) -> None:
    """Those that lie outside are none of it."""
    told = [
        Event(What.LIMIT, BEGIN + a * SECOND, BEGIN + b * SECOND)
        for a, b in ((0, 5), (8, 15), (18, 40), (30, 31))
    ]
    excerpt = Excerpt(write(tmp_path / "a.zmon", [sample(second) for second in range(60)], told))
    excerpt.confine("14:30:10", "14:30:20", 0)
    found = [
        ((event.begin - BEGIN) / SECOND, (event.end - BEGIN) / SECOND) for event in excerpt.recorded_events()
    ]
    assert found == [(10, 15), (18, 20)]


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """The other days are there."""
    write(tmp_path / "2026-11-20.zmon", [sample(second) for second in range(5)])
    (tmp_path / "2026-11-21.zmon").write_bytes(b"nothing of the kind" * 300)
    excerpt = Excerpt(str(tmp_path))
    assert seconds(excerpt) == [0, 1, 2, 3, 4]
    assert "2026-11-21.zmon" in excerpt.problems()[0]
