"""What a kernel would show of a simulated machine: labels stay, counters only grow."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.lab.plans import CHEAP, brief, digest, samples, small
from zmon.base.absent import Absent
from zmon.interval import Interval
from zmon.kinds import (
    BLOCK,
    CACHE,
    CHANNEL,
    CLAIM,
    CMF,
    CONTAINER,
    CPU,
    DASD,
    DEVICE,
    KINDS,
    LAYER,
    LPAR_CPU,
    MEMORY,
    MOUNT,
    PRESSURE,
    PROFILE,
    SWAP,
    UNIT_IO,
    buckets,
)
from zmon.lab.counters import ESCON, TICK, UNIT, KernelCounters, disk_name, size_of, subchannels
from zmon.lab.model import SimulatedVolume
from zmon.lab.simulation import Simulation
from zmon.machine.channel_paths import busy_percents
from zmon.sample import Meaning
from zmon.topology.claims import claims_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.lab.model import Scenario
    from zmon.sample import Frame, Sample


def first(name: str) -> Sample:
    """Return the first sample of a scenario."""
    return samples(brief(name), 1)[0]


@pytest.mark.parametrize(
    ("place", "name"),
    [(0, "dasda"), (25, "dasdz"), (26, "dasdaa"), (701, "dasdzz"), (702, "dasdaaa")],
)
def test_disks_are_named_as_the_kernel_does(place: int, name: str) -> None:
    """One letter, then two, then three."""
    assert disk_name(place) == name


def test_a_cylinder_holds_180_blocks() -> None:
    """15 tracks of 12 blocks of 4 KiB, on every 3390."""
    assert size_of(3339) == 3339 * 180 * 4096


@pytest.mark.parametrize("name", CHEAP)
def test_no_device_number_is_given_twice(name: str) -> None:
    """Bases, static aliases, and those in pools."""
    found = [device.devno for device in subchannels(brief(name))]

    assert len(set(found)) == len(found)


def test_aliases_are_numbered_from_the_end_of_the_hundred() -> None:
    """As installations do; one that is taken is left out."""
    plan = small()
    volumes = (SimulatedVolume(0, 0x70FE, pav=1), SimulatedVolume(0, 0x7001, pav=1))

    found = [device.devno for device in subchannels(plan._replace(box=plan.box._replace(volumes=volumes)))]

    assert found == [0x70FE, 0x7001, 0x70FF, 0x70FD, 0x70FC, 0x70FB]


@pytest.mark.parametrize("name", CHEAP)
def test_there_is_a_frame_of_every_kind_that_is_looked_at(name: str) -> None:
    """What there is none of is there with its reason."""
    frames = first(name).frames
    for kind in ("machine", "device", "cmf", "block", "dasd", "cache", "cpu", "channel", "lpar", "claim"):
        assert frames[kind].keys or frames[kind].missing


@pytest.mark.parametrize("name", CHEAP)
def test_every_column_has_a_value_for_every_row(name: str) -> None:
    """And every column is one of its kind."""
    for frame in first(name).frames.values():
        assert frame.kind is KINDS[frame.kind.name]
        assert set(frame.columns) <= {field.name for field in frame.kind.fields}
        assert {len(column) for column in frame.columns.values()} <= {len(frame.keys)}
        assert len(frame.times) == len(frame.keys) == len(set(frame.keys))


@pytest.mark.parametrize("name", CHEAP)
def test_disks_of_all_layers_are_the_same(name: str) -> None:
    """The block layer, the driver and the devices tell of the same disks."""
    sample = first(name)
    block = sample.frame(BLOCK)
    pairs = zip(block.column("busid"), block.keys, strict=True)
    disks = {busid: name for busid, name in pairs if name.startswith("dasd")}
    device = sample.frame(DEVICE)

    assert dict(zip(sample.frame(DASD).keys, sample.frame(DASD).column("name"), strict=True)) == disks
    assert {key for key, alias in zip(device.keys, device.column("alias"), strict=True) if not alias} == set(
        disks
    )


def test_an_alias_of_one_volume_has_its_unit_address_and_one_of_a_pool_has_none() -> None:
    """As the driver tells in the uid: `xx` stands for any volume."""
    uids = samples(small(), 1)[0].frame(DEVICE).column("uid")

    assert [str(uid).rpartition(".")[2] for uid in uids] == ["00", "01", "00", "01", "xx", "xx"]


@pytest.mark.parametrize("name", CHEAP)
def test_partitions_lie_on_disks_that_are_there(name: str) -> None:
    """Within their bounds."""
    layer = first(name).frame(LAYER)
    size = dict(zip(layer.keys, layer.column("size"), strict=True))
    for key, parent, start in zip(layer.keys, layer.column("parent"), layer.column("start"), strict=True):
        if isinstance(parent, str):
            assert isinstance(start, int)
            own, whole = size[key], size[parent]
            assert isinstance(own, int)
            assert isinstance(whole, int)
            assert start + own <= whole


@pytest.mark.parametrize("name", CHEAP)
def test_files_lie_on_mounted_partitions_and_apart(name: str) -> None:
    """No two of them share a byte."""
    sample = first(name)
    mounts = sample.frame(MOUNT)
    files = sample.frame(CONTAINER)
    taken: dict[str, list[tuple[int, int]]] = {}
    rows = zip(*(files.column(field) for field in ("mount", "number", "ranges", "size")), strict=True)
    for path, (mount, number, ranges, size) in zip(files.keys, rows, strict=True):
        point = mounts.cell(str(mount), "point")
        assert isinstance(point, str)
        assert path.startswith(point)
        assert mounts.cell(str(mount), "number") == number
        if ranges:
            begin, length = (int(part, 16) for part in str(ranges).split("+"))
            assert length == size
            taken.setdefault(str(number), []).append((begin, begin + length))
    for stretches in taken.values():
        stretches.sort()
        assert all(one[1] <= other[0] for one, other in pairwise(stretches))


def test_control_program_tells_of_every_volume_its_real_device() -> None:
    """Of a guest; each vdev has one."""
    claims = claims_in(first("shark-before").frame(CLAIM))
    plan: Scenario = brief("shark-before")

    assert Counter(claim.vdev for claim in claims) == Counter(
        f"{volume.devno:04X}" for volume in plan.box.volumes
    )
    assert [claim.rdev for claim in claims] == list(plan.rdevs)


def test_without_a_control_program_nobody_claims_anything() -> None:
    """The reason says why."""
    frame = first("hyperpav-20").frame(CLAIM)

    assert not frame.keys
    assert isinstance(frame.missing, Absent)


CAPACITY = 1e-6
"""What rounding to ns may add."""


def column_of(frame: Frame, name: str) -> list[float]:
    """Return a column, all of whose cells are numbers."""
    found = [cell for cell in frame.column(name) if isinstance(cell, (int, float))]
    assert len(found) == len(frame.keys)
    return found


def grown(before: Sample, after: Sample, name: str, field: str) -> list[float]:
    """Return by how much a counter has grown in each row."""
    kind = KINDS[name]
    pair = zip(column_of(before.frame(kind), field), column_of(after.frame(kind), field), strict=True)
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
                    earlier = before.frame(frame.kind)
                    pairs = (
                        (earlier.cell(key, field.name), value)
                        for key, value in zip(frame.keys, frame.column(field.name), strict=True)
                    )
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
    """Nothing comes or goes; but the kernel lists a disk of a unit only after its first I/O."""
    first, *others = samples(brief(name))
    for sample in others:
        assert {kind: frame.keys for kind, frame in sample.frames.items() if kind != UNIT_IO.name} == {
            kind: frame.keys for kind, frame in first.frames.items() if kind != UNIT_IO.name
        }
        assert set(sample.frame(UNIT_IO).keys) >= set(first.frame(UNIT_IO).keys)


@pytest.mark.parametrize("name", CHEAP)
def test_no_path_is_busier_than_all_of_the_time(name: str) -> None:
    """As the screens work it out from ticks and the path's own clock."""
    for before, after in intervals(name):
        found = busy_percents(Interval(before, after).of(CHANNEL))
        known = [percent for percent in found if not isinstance(percent, Absent)]

        assert all(0.0 <= percent <= 100.1 for percent in known)
        assert known or brief(name).environment == "zvm"


@pytest.mark.parametrize("name", CHEAP)
def test_no_processor_is_busier_than_all_of_the_time(name: str) -> None:
    """Neither as Linux counts it nor as the hypervisor does, and idle is the rest."""
    for before, after in intervals(name):
        fields = ("user", "system", "softirq", "steal", "iowait", "idle")
        parts = [grown(before, after, CPU.name, field) for field in fields]
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
    course = Simulation(plan)
    found = samples(plan)
    for number, (before, after) in enumerate(pairwise(found)):
        counts = course.interval(number)
        reads, writes, connect, carried = [0, 0], [0, 0], [0] * 6, [0] * 8
        for one in counts.answered:
            reads[one.disk], writes[one.disk] = one.block.reads, one.block.writes
        for started in counts.started:
            connect[started.device] = started.connect
        for path in counts.carried:
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
    course, found = Simulation(plan), samples(plan)
    for number, (before, after) in enumerate(pairwise(found)):
        carried = [0] * 8
        for path in course.interval(number).carried:
            carried[path.path] = path.busy_ns
        ticks = grown(before, after, CHANNEL.name, "busy")
        assert all(abs(tick * TICK - time) < TICK for tick, time in zip(ticks, carried, strict=True))
    assert all(isinstance(cell, Absent) for cell in found[-1].frame(CHANNEL).column("work_units"))


def test_rounding_does_not_add_up() -> None:
    """Whole ms of a disk are those of all its time, however many intervals there were."""
    plan = small()
    course = Simulation(plan)
    total = sum(
        one.block.read_ns
        for number in range(len(course))
        for one in course.interval(number).answered
        if not one.disk
    )

    assert samples(plan)[-1].frame(BLOCK).cell("dasda", "read_ms") == total // 1_000_000


def test_histograms_count_all_requests() -> None:
    """Of all disks together and of each, in each of the histograms."""
    last = samples(small())[-1]
    profile, block = last.frame(PROFILE), last.frame(BLOCK)
    done = [
        reads + writes
        for reads, writes in zip(column_of(block, "reads"), column_of(block, "writes"), strict=True)
    ]

    assert profile.keys == ["global", "dasda", "dasdb"]
    assert column_of(profile, "requests") == [sum(done), *done]
    for name in ("size", "time", "device", "wait"):
        columns = [column_of(profile, field) for field in buckets(name)]
        assert [sum(row) for row in zip(*columns, strict=True)] == [sum(done), *done]


def test_nothing_is_counted_at_the_begin() -> None:
    """The first sample is that of a machine that has just started to count."""
    first = samples(small(), 1)[0]

    assert not any(column_of(first.frame(BLOCK), "reads") + column_of(first.frame(CMF), "ssch"))


def test_a_copy_goes_on_alone() -> None:
    """What is added to one is not in the other."""
    plan = small()
    course = Simulation(plan)
    counters = KernelCounters(plan)
    counters.add([course.interval(0)])
    then = digest([counters.sample()])
    copy = counters.copy()
    copy.add([course.interval(1)])

    assert digest([counters.sample()]) == then
    counters.add([course.interval(1)])
    assert digest([counters.sample()]) == digest([copy.sample()])


def test_intervals_that_repeat_one_another_add_up_to_the_same_counters() -> None:
    """Whether one after the other or at once: also the idle time, which never falls."""
    plan = small()
    course = Simulation(plan)
    single, whole = KernelCounters(plan), KernelCounters(plan)
    for number in range(len(course)):
        single.add([course.interval(number)])
    whole.add(map(course.interval, range(len(course))))

    assert digest([whole.sample()]) == digest([single.sample()])


def test_a_sample_stays_as_it_is() -> None:
    """Though counting goes on."""
    plan = small()
    counters = KernelCounters(plan)
    course = Simulation(plan)
    found = counters.sample()
    then = digest([found])
    for number in range(5):
        counters.add([course.interval(number)])

    assert digest([found]) == then


def test_a_guest_does_not_see_channels_and_partitions_measured() -> None:
    """As a real one: their counters are absent, with the reason."""
    last = samples(small(environment="zvm"), 2)[-1]

    assert last.frame(LPAR_CPU).missing is not None
    assert all(isinstance(cell, Absent) for cell in last.frame(CHANNEL).column("busy"))


def test_a_controller_counts_all_that_it_is_asked() -> None:
    """Its cache statistics have no gaps: CACHEXT shows a rate, a state or a percentage in each column."""
    sample = first("hyperpav-20")
    cache = sample.frame(CACHE)
    unknown = {"record_misses"}
    for field in cache.kind.fields:
        assert field.name in unknown or not any(isinstance(cell, Absent) for cell in cache.column(field.name))
    assert set(cache.column("ssid")) == {"8000", "8100"}


def test_a_guest_that_swaps_shows_it_everywhere() -> None:
    """Pages of vmstat are those of the swap volume, and the swap space has what memory lacks."""
    for before, after in intervals("guest-swapping"):
        (swapped,) = grown(before, after, MEMORY.name, "swapped_in")
        assert swapped > 0
        reads = dict(zip(after.frame(BLOCK).keys, grown(before, after, BLOCK.name, "reads"), strict=True))
        assert reads["dasdc"] == pytest.approx(swapped, abs=50)
        assert column_of(after.frame(SWAP), "used") == [2 << 30]
        assert after.frame(SWAP).keys == ["/dev/dasdc1"]


def test_pressure_is_counted() -> None:
    """A query of the case study waits for its reads nearly all of the time: D state (S001:74-75)."""
    for before, after in intervals("shark-before"):
        waited = dict(
            zip(after.frame(PRESSURE).keys, grown(before, after, PRESSURE.name, "some"), strict=True)
        )
        seconds = (after.at.utc - before.at.utc) / 1e9
        assert 0.5 < waited["io"] / 1e9 / seconds <= 1.0
        assert waited["memory"] == 0


def test_the_driver_counts_aliases_and_transport_mode() -> None:
    """What DASDSTAT shows in percent: all requests are HPF where the paths have it, none where not."""
    for name, transport in (("iozone-hpf", True), ("iozone-hyperpav", False)):
        sample = samples(brief(name))[-1]
        profile, cmf = sample.frame(PROFILE), sample.frame(CMF)
        assert profile.cell("global", "hpf") == (profile.cell("global", "requests") if transport else 0)
        aliases = sum(
            starts
            for alias, starts in zip(sample.frame(DEVICE).column("alias"), cmf.column("ssch"), strict=True)
            if alias and isinstance(starts, int)
        )
        assert profile.cell("global", "pav") == aliases > 0
        assert profile.cell("global", "read_requests") == profile.cell("global", "requests")
