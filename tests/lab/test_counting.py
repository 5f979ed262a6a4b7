"""What a simulated kernel shows: counters that grow by what was simulated, and never more than can be."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.lab.plans import CHEAP, brief, digest, samples, small
from zmon.absent import Absent
from zmon.interval import Interval
from zmon.kinds import BLOCK, CACHE, CHANNEL, CMF, CPU, KINDS, LPAR_CPU, PROFILE, buckets
from zmon.lab.counting import ESCON, TICK, UNIT, Counters
from zmon.lab.course import Course
from zmon.sample import Meaning
from zmon.tables.channel import busy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.sample import Frame, Sample

CAPACITY = 1e-6
"""What rounding to ns may add."""


def numbers(frame: Frame, name: str) -> list[float]:
    """Return a column, all of whose cells are numbers."""
    found = [cell for cell in frame.column(name) if isinstance(cell, (int, float))]
    assert len(found) == len(frame.keys)
    return found


def grown(before: Sample, after: Sample, name: str, field: str) -> list[float]:
    """Return by how much a counter has grown in each row."""
    kind = KINDS[name]
    pair = zip(numbers(before.frame(kind), field), numbers(after.frame(kind), field), strict=True)
    return [later - sooner for sooner, later in pair]


def intervals(name: str) -> Iterator[tuple[Sample, Sample]]:
    """Yield the samples of a scenario in pairs."""
    return pairwise(samples(brief(name)))


@pytest.mark.parametrize("name", CHEAP)
def test_counters_never_fall(name: str) -> None:
    """No counter of any kind does, but those that wrap by their width."""
    for before, after in intervals(name):
        for frame in after.frames.values():
            for field in frame.kind.fields:
                if field.meaning in {Meaning.COUNTER, Meaning.CLOCK} and not field.modulus:
                    earlier, later = before.frame(frame.kind), frame
                    pairs = zip(earlier.column(field.name), later.column(field.name), strict=True)
                    fallen = [
                        pair
                        for pair in pairs
                        if not isinstance(pair[0], Absent | str)
                        and not isinstance(pair[1], Absent | str)
                        and pair[1] < pair[0]
                    ]
                    assert (frame.kind.name, field.name, fallen) == (frame.kind.name, field.name, [])


@pytest.mark.parametrize("name", CHEAP)
def test_rows_stay(name: str) -> None:
    """Nothing comes or goes while a scenario runs."""
    first, *others = samples(brief(name))
    for sample in others:
        assert {kind: frame.keys for kind, frame in sample.frames.items()} == {
            kind: frame.keys for kind, frame in first.frames.items()
        }


@pytest.mark.parametrize("name", CHEAP)
def test_no_path_is_busier_than_all_of_the_time(name: str) -> None:
    """As the screens work it out from ticks and the path's own clock."""
    for before, after in intervals(name):
        found = busy(Interval(before, after).of(CHANNEL))
        known = [percent for percent in found if not isinstance(percent, Absent)]

        assert all(0.0 <= percent <= 100.1 for percent in known)
        assert known or brief(name).environment == "zvm"


@pytest.mark.parametrize("name", CHEAP)
def test_no_processor_is_busier_than_all_of_the_time(name: str) -> None:
    """Neither as Linux counts it nor as the hypervisor does, and idle is the rest."""
    for before, after in intervals(name):
        parts = [grown(before, after, CPU.name, field) for field in ("user", "system", "softirq", "idle")]
        passed = after.at.steady - before.at.steady
        assert all(min(part) >= 0 for part in parts)
        assert all(sum(row) == passed for row in zip(*parts, strict=True))
        if after.frame(LPAR_CPU).keys:
            clock = grown(before, after, LPAR_CPU.name, "clock")
            assert all(
                0 <= used <= time + 1
                for used, time in zip(grown(before, after, LPAR_CPU.name, "dispatched"), clock, strict=True)
            )


@pytest.mark.parametrize("name", CHEAP)
def test_a_processor_that_is_not_busy_waits(name: str) -> None:
    """Nobody else uses the simulated machine, so nothing is suspended."""
    for before, after in intervals(name):
        if after.frame(LPAR_CPU).keys:
            busy, wait, clock = (
                grown(before, after, LPAR_CPU.name, n) for n in ("accumulated", "wait", "clock")
            )
            for used, idle, time in zip(busy, wait, clock, strict=True):
                assert used + idle == pytest.approx(time, abs=2)


@pytest.mark.parametrize("name", CHEAP)
def test_no_cache_answers_more_than_it_is_asked(name: str) -> None:
    """Hits are at most as many as reads and writes, in each interval."""
    for before, after in intervals(name):
        for asked, answered in (("reads", "read_hits"), ("writes", "write_hits")):
            assert all(
                0 <= hits <= all_
                for hits, all_ in zip(
                    grown(before, after, CACHE.name, answered),
                    grown(before, after, CACHE.name, asked),
                    strict=True,
                )
            )


@pytest.mark.parametrize("name", CHEAP)
def test_no_subchannel_is_busier_than_all_of_the_time(name: str) -> None:
    """Pending, disconnected and connected together are no more than the interval."""
    for before, after in intervals(name):
        parts = [grown(before, after, CMF.name, field) for field in ("pending", "disconnect", "connect")]
        passed = after.at.steady - before.at.steady

        assert all(sum(row) <= passed * (1 + CAPACITY) for row in zip(*parts, strict=True))


@pytest.mark.parametrize("name", CHEAP)
def test_no_disk_is_busier_than_all_of_the_time(name: str) -> None:
    """By io_ms, which is counted in whole ms."""
    for before, after in intervals(name):
        passed = (after.at.steady - before.at.steady) / 1e6

        assert all(busy <= passed + 1 for busy in grown(before, after, BLOCK.name, "io_ms"))


@pytest.mark.parametrize("name", CHEAP)
def test_times_follow_the_interval(name: str) -> None:
    """Samples are one step apart, and rows that move are read when the sample is taken."""
    plan = brief(name)
    for before, after in intervals(name):
        assert after.at.utc - before.at.utc == round(plan.step * 1e9)
        assert after.at.utc == after.at.steady
        assert {*after.frame(BLOCK).times, *after.frame(CMF).times} == {after.at.steady}
        assert after.nominal == plan.step


@pytest.mark.parametrize("name", CHEAP)
def test_samples_say_that_they_are_simulated(name: str) -> None:
    """Always, and the machine does so too."""
    for sample in samples(brief(name), 2):
        assert sample.simulated
        assert sample.frame(KINDS["machine"]).column("model") == ["SIMULATED"]


def test_counters_follow_the_slices() -> None:
    """What a disk, a subchannel, a path and the processors did in an interval is what they have grown by."""
    plan = small()
    course = Course(plan)
    found = samples(plan)
    for number, (before, after) in enumerate(pairwise(found)):
        slice_ = course.slice(number)
        reads, writes, connect, carried = [0, 0], [0, 0], [0] * 6, [0] * 8
        for one in slice_.answered:
            reads[one.disk], writes[one.disk] = one.reads, one.writes
        for started in slice_.started:
            connect[started.device] = started.connect
        for path in slice_.carried:
            carried[path.path] = path.busy_ns
        assert grown(before, after, BLOCK.name, "reads") == reads
        assert grown(before, after, BLOCK.name, "writes") == writes
        assert grown(before, after, CMF.name, "connect") == connect
        units = grown(before, after, CHANNEL.name, "work_units")
        assert all(abs(unit * UNIT - time) < UNIT for unit, time in zip(units, carried, strict=True))


def test_escon_counts_its_busy_time() -> None:
    """In ticks of the channel's clock; it knows no work units."""
    plan = small()
    group = plan.box.paths[0]._replace(code=ESCON)
    plan = plan._replace(box=plan.box._replace(paths=(group, *plan.box.paths[1:])))
    course, found = Course(plan), samples(plan)
    for number, (before, after) in enumerate(pairwise(found)):
        carried = [0] * 8
        for path in course.slice(number).carried:
            carried[path.path] = path.busy_ns
        ticks = grown(before, after, CHANNEL.name, "busy")
        assert all(abs(tick * TICK - time) < TICK for tick, time in zip(ticks, carried, strict=True))
    assert all(isinstance(cell, Absent) for cell in found[-1].frame(CHANNEL).column("work_units"))


def test_rounding_does_not_add_up() -> None:
    """Whole ms of a disk are those of all its time, however many intervals there were."""
    plan = small()
    course = Course(plan)
    total = sum(
        one.read_ns for number in range(len(course)) for one in course.slice(number).answered if not one.disk
    )

    assert samples(plan)[-1].frame(BLOCK).cell("dasda", "read_ms") == total // 1_000_000


def test_histograms_count_all_requests() -> None:
    """Of all disks together and of each, in each of the histograms."""
    last = samples(small())[-1]
    profile, block = last.frame(PROFILE), last.frame(BLOCK)
    done = [
        reads + writes
        for reads, writes in zip(numbers(block, "reads"), numbers(block, "writes"), strict=True)
    ]

    assert profile.keys == ["global", "dasda", "dasdb"]
    assert numbers(profile, "requests") == [sum(done), *done]
    for name in ("size", "time", "device", "wait"):
        columns = [numbers(profile, field) for field in buckets(name)]
        assert [sum(row) for row in zip(*columns, strict=True)] == [sum(done), *done]


def test_nothing_is_counted_at_the_begin() -> None:
    """The first sample is that of a machine that has just started to count."""
    first = samples(small(), 1)[0]

    assert not any(numbers(first.frame(BLOCK), "reads") + numbers(first.frame(CMF), "ssch"))


def test_a_copy_goes_on_alone() -> None:
    """What is added to one is not in the other."""
    plan = small()
    course = Course(plan)
    counters = Counters(plan)
    counters.add(course.slice(0))
    then = digest([counters.sample()])
    copy = counters.copy()
    copy.add(course.slice(1))

    assert digest([counters.sample()]) == then
    counters.add(course.slice(1))
    assert digest([counters.sample()]) == digest([copy.sample()])


def test_a_sample_stays_as_it_is() -> None:
    """Though counting goes on."""
    plan = small()
    counters = Counters(plan)
    course = Course(plan)
    found = counters.sample()
    then = digest([found])
    for number in range(5):
        counters.add(course.slice(number))

    assert digest([found]) == then


def test_a_guest_does_not_see_channels_and_partitions_measured() -> None:
    """As a real one: their counters are absent, with the reason."""
    last = samples(small(environment="zvm"), 2)[-1]

    assert last.frame(LPAR_CPU).missing is not None
    assert all(isinstance(cell, Absent) for cell in last.frame(CHANNEL).column("busy"))
