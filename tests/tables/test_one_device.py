"""One device alone has the figures that it has among all, in a recording and in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tables.disks import samples, seen
from tests.ui.conftest import machine
from zmon.base.absent import absent
from zmon.interval import Interval
from zmon.machine.figure import Variable
from zmon.machine.view import View
from zmon.sample import Frame
from zmon.session.navigator import Navigator
from zmon.session.recording import RecordingSection
from zmon.session.timeline import Timeline
from zmon.store.open import MEMORY
from zmon.store.reader import Recording
from zmon.store.writer import Writer
from zmon.tables.filled import alone
from zmon.tables.plot import cell, is_of_one_device, series

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.sample import Sample


def taped(recorded: list[Sample], sealed: int) -> Iterator[Timeline]:
    """Record samples, in segments of so many, and give them back as a tape."""
    writer = Writer(MEMORY, durable=False, sealed=10**9)
    for number, sample in enumerate(recorded):
        writer.append(sample)
        if number % sealed == sealed - 1:
            writer.seal()
    parts = [RecordingSection(MEMORY, Recording(MEMORY, shared=writer.shared))]
    yield Timeline("in memory", lambda: parts)
    writer.close()


@pytest.fixture(params=[3, 100], ids=["sealed", "open"])
def tape(request: pytest.FixtureRequest) -> Iterator[Timeline]:
    """Return a tape of ten minutes of a machine with DASD, of which one is away for a while."""
    recorded = [machine(minute, 4) for minute in range(10)]
    for at in (4, 5):
        away = recorded[at].frames["cmf"]
        kept = slice(0, len(away.keys) - 1)
        columns = {name: values[kept] for name, values in away.columns.items()}
        fewer = Frame(away.kind, away.keys[kept], columns, away.times[kept])
        recorded[at] = recorded[at]._replace(frames={**recorded[at].frames, "cmf": fewer})
    yield from taped(recorded, request.param)


def test_each_figure_is_the_same(tape: Timeline) -> None:
    """Of every device and column, in every interval."""
    span = tape.span()
    assert span is not None
    differing = []
    for interval in tape.intervals(tape.find(span[1])):
        for key in alone("device", View(interval)).keys:
            few = interval.only(frozenset((key,)))
            for column in alone("device", View(interval)).columns:
                variable = Variable("device", column, key)
                if is_of_one_device(variable) and cell(variable, View(few)) != cell(variable, View(interval)):
                    differing.append((interval.after.at.utc, variable))
    assert differing == []


def test_a_disk_without_a_channel_path_is_found_by_its_name() -> None:
    """It has no other key."""
    for tape in taped(samples({"sda": [1, 2, 3], "sdb": [4, 5, 6]}), 2):
        looked = Navigator(tape)
        looked.end()
        (found,) = series([Variable("device", "io", "sdb")], seen(looked), (0, 1 << 62), 10)
        assert [figure.mean for figure in found.figures] == [4, 5, 6]


def test_a_device_that_is_not_there_is_absent(tape: Timeline) -> None:
    """It is not taken for one that rests."""
    span = tape.span()
    assert span is not None
    interval = next(tape.intervals(tape.find(span[1]))).only(frozenset(("0.0.7777",)))
    assert cell(Variable("device", "io", "0.0.7777"), View(interval)) is absent("0.0.7777 is not there")


def test_what_depends_on_other_devices_is_not_cut_down() -> None:
    """It would be wrong."""
    assert not is_of_one_device(Variable("device", "aliases", "0.0.7000"))
    assert not is_of_one_device(Variable("device", "io"))
    assert not is_of_one_device(Variable("control_unit", "io", "x"))


@pytest.mark.parametrize("devices", [["0.0.7000"], ["0.0.7001", "0.0.7003"], []])
def test_samples_in_memory_can_be_cut_down_too(devices: list[str]) -> None:
    """To one device, several, or none; what is measured of no device stays."""
    interval = Interval(machine(1, 4), machine(2, 4))
    few, whole = interval.only(frozenset(devices)), alone("device", View(interval))
    table = alone("device", View(few))
    assert table.keys == [key for key in whole.keys if key in devices]
    for name in ("io", "pend", "resp", "busy", "queue", "mbs", "lcu", "label"):
        column = dict(zip(whole.keys, whole.columns[name], strict=True))
        assert table.columns[name] == [column[key] for key in table.keys], name
    assert few.after.frames["channel"] is interval.after.frames["channel"]
