"""IOCHANGE: what changed in the configuration, live, recorded and replayed alike."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from tests.frames import frame_of
from zmon.absent import Absent
from zmon.event import Event, What
from zmon.interval import Interval
from zmon.kinds import BLOCK, DEVICE
from zmon.sample import Instant, Sample
from zmon.store.reader import Recording
from zmon.store.writer import Writer
from zmon.tables.io_changes import NONE, table
from zmon.tables.view import History, View

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.absent import Value
    from zmon.tables.table import Table

SECOND = 1_000_000_000
DISK: dict[str, Value] = {
    "online": 1, "chpids": "40 41", "pim": 0xC0, "pam": 0xC0, "pom": 0xC0, "vpm": 0xC0, "alias": 0,
}  # fmt: skip


def sample(seconds: int, disks: tuple[str, ...] = ("dasda",), **more: Value) -> Sample:
    """Return a sample of one device, and of some disks."""
    at = seconds * SECOND
    blocks: dict[str, dict[str, Value]] = {name: {"size": 4096} for name in disks}
    frames = {
        DEVICE.name: frame_of(DEVICE, {"0.0.7000": DISK | more}, at),
        BLOCK.name: frame_of(BLOCK, blocks, at),
    }
    return Sample(Instant(at, at, "boot"), frames)


SAMPLES = (
    sample(10),
    sample(20, pom=0x80),
    sample(30, ("dasda", "dasdb"), pom=0x80),
    sample(40, ("dasda", "dasdb")),
)


def recorded(folder: Path) -> Recording:
    """Return a recording of the samples."""
    path = str(folder / "one.zmon")
    with closing(Writer(path)) as writer:
        for one in SAMPLES:
            writer.append(one)
    return Recording(path)


def said(found: Table) -> list[tuple[Value, ...]]:
    """Return time, thing, what, and both values of each change."""
    names = ("time", "kind", "thing", "what", "was", "now", "means")
    cells = zip(*(found.column(name) for name in names), strict=True)
    return [tuple("" if isinstance(cell, Absent) else cell for cell in row) for row in cells]


EXPECTED = [
    (40 * SECOND, "device", "0.0.7000", "usable paths", "80", "c0", "1 path back"),
    (30 * SECOND, "disk", "dasdb", "appeared", "", "", ""),
    (20 * SECOND, "device", "0.0.7000", "usable paths", "c0", "80", "1 path lost"),
]


def test_a_recording_lists_its_changes_with_both_values(tmp_path: Path) -> None:
    """Written by the recorder, read by whoever opens the file later."""
    with closing(recorded(tmp_path)) as recording:
        history = History(happened=recording.events)
        assert said(table(View(Interval(*SAMPLES[2:]), history=history))) == EXPECTED


def test_the_log_ends_with_the_interval_that_is_shown(tmp_path: Path) -> None:
    """Who looks at an earlier time sees what was known then; of a marked time what lies in it."""
    with closing(recorded(tmp_path)) as recording:
        history = History(happened=recording.events)
        assert said(table(View(Interval(*SAMPLES[:2]), history=history))) == EXPECTED[2:]
        marked = Interval(SAMPLES[1], SAMPLES[3], skipped=True)
        assert said(table(View(marked, history=history))) == EXPECTED[:2]


def test_without_a_recording_the_present_interval_is_compared() -> None:
    """So two passes of a capture show what changed between them."""
    assert said(table(View(Interval(*SAMPLES[:2])))) == EXPECTED[2:]


def test_the_same_change_is_listed_once() -> None:
    """The recording has it, and the interval shows it."""
    text = "device 0.0.7000: usable paths c0 -> 80 (1 path lost)"
    change = Event(What.CHANGE, 20 * SECOND, 20 * SECOND, "0.0.7000", text)
    history = History(happened=lambda _begin, _end: [change])
    assert len(table(View(Interval(*SAMPLES[:2]), history=history)).keys) == 1


def test_an_event_of_another_form_is_told_as_it_is() -> None:
    """A later zmon may word it otherwise."""
    event = Event(What.CHANGE, 20 * SECOND, 20 * SECOND, text="and 300 more changes of the configuration")
    history = History(happened=lambda _begin, _end: [event])
    found = table(View(Interval(SAMPLES[0], SAMPLES[0]), history=history))
    assert found.column("what") == ["and 300 more changes of the configuration"]


def test_nothing_changed_is_said() -> None:
    """It is not the same as nothing known."""
    found = table(View(Interval(SAMPLES[0], sample(20))))
    assert (found.keys, found.missing) == ([], NONE)
