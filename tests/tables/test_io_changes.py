"""IOCHANGE: what changed in the configuration, live, recorded and replayed alike."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.frames import frame_of
from zmon.base.absent import Absent
from zmon.base.clock import clock
from zmon.base.event import Event, What
from zmon.interval import Interval
from zmon.kinds import BLOCK, DASD, DEVICE
from zmon.machine.view import History, View
from zmon.sample import Instant, Sample
from zmon.store.reader import Recording
from zmon.store.writer import Writer
from zmon.tables.io_changes import NONE, table
from zmon.values.path_masks import Unused

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from zmon.base.absent import Value
    from zmon.sample import Kind
    from zmon.tables.table import Table

    Change = tuple[Kind, str, dict[str, Value], dict[str, Value], tuple[str, str, str, str]]

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


def recorded(folder: Path, samples: Sequence[Sample] = SAMPLES) -> Recording:
    """Return a recording of samples."""
    path = str(folder / "one.zmon")
    with closing(Writer(path)) as writer:
        for one in samples:
            writer.append(one)
    return Recording(path)


def said(found: Table) -> list[tuple[Value, ...]]:
    """Return time, thing, what, and both values of each change."""
    names = ("time", "kind", "thing", "what", "was", "now", "means")
    cells = zip(*(found.column(name) for name in names), strict=True)
    return [tuple("" if isinstance(cell, Absent) else cell for cell in row) for row in cells]


EXPECTED = [
    (40 * SECOND, "device", "0.0.7000", "usable paths", "80", "c0", "1 path back: 41"),
    (30 * SECOND, "disk", "dasdb", "appeared", "", "", ""),
    (20 * SECOND, "device", "0.0.7000", "usable paths", "c0", "80", "1 path lost: 41"),
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


def test_of_a_marked_time_without_events_both_ends_are_compared() -> None:
    """Live samples that nobody keeps have none: a path was lost between the marks, and nobody knows when."""
    marked = Interval(SAMPLES[0], SAMPLES[1], skipped=True)
    found = table(View(marked))
    assert said(found) == EXPECTED[2:]
    assert found.column("shown") == [f"by {clock(20 * SECOND)}"]
    assert found.span == (10 * SECOND, 20 * SECOND)
    assert table(View(Interval(*SAMPLES[:2]))).column("shown") == [clock(20 * SECOND)]
    quiet = Interval(SAMPLES[1], SAMPLES[1], skipped=True)
    assert said(table(View(quiet))) == []


def test_the_same_change_is_listed_once() -> None:
    """The recording has it, and the interval shows it."""
    text = "device 0.0.7000: usable paths c0 -> 80 (1 path lost: 41)"
    change = Event(What.CHANGE, 20 * SECOND, 20 * SECOND, "0.0.7000", text)
    history = History(happened=lambda _begin, _end: [change])
    assert len(table(View(Interval(*SAMPLES[:2]), history=history)).keys) == 1


def test_an_event_of_another_form_is_told_as_it_is() -> None:
    """A later zmon may word it otherwise."""
    event = Event(What.CHANGE, 20 * SECOND, 20 * SECOND, text="and 300 changes more")
    history = History(happened=lambda _begin, _end: [event])
    found = table(View(Interval(SAMPLES[0], SAMPLES[0]), history=history))
    assert found.column("what") == ["and 300 changes more"]


ONE_BY_ONE: tuple[Change, ...] = (
    (DEVICE, "0.0.7000", DISK, DISK | {"pom": 0x80}, ("usable paths", "c0", "80", "1 path lost: 41")),
    (DEVICE, "0.0.7000", DISK | {"alias": 1}, DISK, ("alias", "1", "0", "alias to base")),
    (
        DEVICE,
        "0.0.7000",
        DISK | {"uid": "IBM.750000000L0001.2482.00"},
        DISK | {"uid": "IBM.750000000L0001.2483.00"},
        ("uid", "IBM.750000000L0001.2482.00", "IBM.750000000L0001.2483.00", "another LCU"),
    ),
    (
        DEVICE,
        "0.0.7000",
        DISK | {"path_masks": "c0 00 00 00 00 00"},
        DISK | {"path_masks": "80 00 00 00 00 40"},
        ("paths taken off", "00", "40", f"1 path {Unused.ERRORS.value[0]}: 41"),
    ),
    (DASD, "0.0.7000", {"cylinders": 10017}, {"cylinders": 30051}, ("capacity", "10017", "30051", "larger")),
    (DASD, "0.0.7000", {"volser": "DB0001"}, {"volser": "DB0002"}, ("label", "DB0001", "DB0002", "")),
)


@pytest.mark.parametrize("change", ONE_BY_ONE)
def test_each_sort_of_change_is_recorded_and_listed(tmp_path: Path, change: Change) -> None:
    """A lost path, alias to base, another LCU, a path that Linux took off, capacity, label: both values."""
    kind, key, was, now, expected = change
    samples = [
        Sample(Instant(at, at, "boot"), {kind.name: frame_of(kind, {key: row}, at)})
        for at, row in ((10 * SECOND, was), (20 * SECOND, now), (30 * SECOND, now))
    ]
    with closing(recorded(tmp_path, samples)) as recording:
        history = History(happened=recording.events)
        found = said(table(View(Interval(*samples[1:]), history=history)))
    assert [(line[0], line[2], *line[3:]) for line in found] == [(20 * SECOND, key, *expected)]


def test_disks_that_went_at_once_are_one_line() -> None:
    """When an adapter goes, all of its paths go; what came, or went at another time, is another line."""
    events = [
        Event(What.WENT, at * SECOND, at * SECOND, name, f"block {name} is gone")
        for at, name in ((20, "sdb"), (20, "sdc"), (20, "sdd"), (30, "sde"))
    ]
    events.append(Event(What.CAME, 20 * SECOND, 20 * SECOND, "dasdb", "block dasdb is there now"))
    history = History(happened=lambda _begin, _end: events)
    found = table(View(Interval(SAMPLES[0], SAMPLES[0]), history=history))
    lines = list(zip(found.column("thing"), found.column("others"), found.column("what"), strict=True))
    assert lines == [("sde", 0, "disappeared"), ("dasdb", 0, "appeared"), ("sdb", 2, "disappeared")]


def test_nothing_changed_is_said() -> None:
    """It is not the same as nothing known."""
    found = table(View(Interval(SAMPLES[0], sample(20))))
    assert (found.keys, found.missing) == ([], NONE)
