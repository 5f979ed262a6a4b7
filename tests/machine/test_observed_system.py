"""Processors, memory and tasks, what hangs, and what is not measured, as an interval shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.kinds import (
    BLOCK,
    CMF,
    CPU,
    DEVICE,
    GUEST,
    LAYER,
    LPAR,
    LPAR_CPU,
    MACHINE,
    MEMORY,
    PRESSURE,
    SOURCE,
    TASKS,
)
from zmon.machine.devices import VIRTIO
from zmon.machine.observed import observed_load
from zmon.machine.observed_system import hung_disks, lacking_measurements, observed_system
from zmon.machine.view import View
from zmon.tables import itself

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.base.absent import Value
    from zmon.interval import Interval

SECOND = 10**9
NONE = absent("not there")
TIMES = dict.fromkeys(
    ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"), 0
)


def test_figures_are_parts_and_rates(make_interval: Callable[..., Interval]) -> None:
    """Of a minute: 30 s of work, 12 s stolen, 600 pages from swap, 6 s waited for I/O."""
    later = TIMES | {"user": 24 * SECOND, "system": 6 * SECOND, "steal": 12 * SECOND, "idle": 18 * SECOND}
    counts = dict.fromkeys(("swapped_in", "swapped_out", "major_faults", "refaulted_file"), 0)
    sizes = {"total": 1000, "available": 100, "cached": 50, "swap_total": 90, "swap_free": 30, "writeback": 1}
    before = {
        CPU: {"0": TIMES | {"online": 1}},
        MEMORY: {"memory": sizes | counts},
        PRESSURE: {"io": {"some": 0, "full": 0}},
        TASKS: {"tasks": {"running": 1, "blocked": 0}},
    }
    after = {
        CPU: {"0": later | {"online": 1}},
        MEMORY: {"memory": sizes | counts | {"swapped_in": 600}},
        PRESSURE: {"io": {"some": 6 * SECOND, "full": 0}},
        TASKS: {"tasks": {"running": 7, "blocked": 3}},
    }
    interval = make_interval(before, after)
    found = observed_system(View(interval))
    assert found.system == pytest.approx(0.1)
    assert (found.running, found.blocked, found.swapped_in, found.io_some) == (7, 3, 10.0, 0.1)
    assert (found.memory, found.available, found.swap_used) == (1000, 100, 60)
    assert isinstance(observed_load(interval).processors.some, Absent)


def test_tasks_that_wait_for_processors_are_counted_over_the_interval(
    make_interval: Callable[..., Interval],
) -> None:
    """In a minute tasks waited 90 s for two CPUs, some task for 36 s of it; at nice ran 48 s of 120."""
    later = TIMES | {"nice": 24 * SECOND, "user": 36 * SECOND}
    before: dict[Any, Any] = {
        CPU: {key: TIMES | {"online": 1, "run_delay": 0} for key in ("0", "1")},
        PRESSURE: {"cpu": {"some": 0, "full": 0}},
    }
    after: dict[Any, Any] = {
        CPU: {
            "0": later | {"online": 1, "run_delay": 30 * SECOND},
            "1": later | {"online": 1, "run_delay": 60 * SECOND},
        },
        PRESSURE: {"cpu": {"some": 36 * SECOND, "full": 0}},
    }
    found = observed_load(make_interval(before, after)).processors
    assert (found.delayed, found.some, found.niced) == pytest.approx((1.5, 0.6, 0.4))
    unread = observed_load(make_interval({}, {})).processors
    assert all(isinstance(one, Absent) for one in (unread.delayed, unread.some, unread.niced))


def test_nothing_read_is_all_absent(make_interval: Callable[..., Interval]) -> None:
    """Each figure with a reason, and no limits."""
    found = observed_system(View(make_interval({}, {})))
    numbers = [value for value in found if not isinstance(value, tuple | str)]
    assert all(isinstance(value, Absent) for value in numbers)
    assert (found.limits, found.hypervisor) == ((), "")


def test_what_the_hypervisor_limits(make_interval: Callable[..., Interval]) -> None:
    """Caps of the LPAR and the guest, and the processors below."""
    rows = {
        MACHINE: {"machine": {"environment": "zvm", "guest_name": "LNX", "cap_absolute_ifl": 250,
                              "lpar_cpus_configured": 4}},
        LPAR: {"#1": {"own": 1}, "#2": {"own": 0}},
        LPAR_CPU: {"#1/0": {"lpar": "#1", "capped": 1}, "#2/0": {"lpar": "#2", "capped": 1}},
        GUEST: {"LNX": {"capped": 1}},
    }  # fmt: skip
    found = observed_system(View(make_interval(rows, rows)))
    assert (found.hypervisor, found.below) == ("z/VM", 4)
    weight, absolute, guest = found.limits
    assert "weight" in weight
    assert facts(absolute) == "2.50"
    assert guest.startswith("guest LNX ")


def block(reads: int, in_flight: int, io_ms: int) -> Mapping[str, Value]:
    names = ("writes", "read_ms", "write_ms", "sectors_read", "sectors_written", "discards", "flushes")
    return dict.fromkeys(names, 0) | {"reads": reads, "in_flight": in_flight, "io_ms": io_ms}


def test_a_disk_that_hangs(make_interval: Callable[..., Interval]) -> None:
    """Requests are in it for the whole minute, and none completes."""
    view = View(make_interval({BLOCK: {"sda": block(5, 3, 0)}}, {BLOCK: {"sda": block(5, 3, 60_000)}}))
    found = hung_disks(view)
    assert not isinstance(found, Absent)
    assert [(one.key, one.seconds, one.requests) for one in found] == [("sda", 60.0, 3)]
    calm = View(make_interval({BLOCK: {"sda": block(5, 0, 0)}}, {BLOCK: {"sda": block(9, 0, 60)}}))
    assert hung_disks(calm) == ()
    assert isinstance(hung_disks(View(make_interval({}, {}))), Absent)


def test_channel_measurement_that_is_off(make_interval: Callable[..., Interval]) -> None:
    """Of devices with I/O, with the file that switches it on."""
    ccw = {"0.0.7000": {"online": 1, "cmb_enable": 0, "block": "dasda", "driver": "dasd-eckd"}}
    rows = {DEVICE: ccw, CMF: {}}
    view = View(
        make_interval(rows | {BLOCK: {"dasda": block(0, 0, 0)}}, rows | {BLOCK: {"dasda": block(600, 0, 60)}})
    )
    (one,) = lacking_measurements(view)
    assert one.devices == 1
    assert "/sys/bus/ccw/devices/0.0.7000/cmb_enable" in one.switch
    idle = View(
        make_interval(rows | {BLOCK: {"dasda": block(0, 0, 0)}}, rows | {BLOCK: {"dasda": block(0, 0, 0)}})
    )
    assert lacking_measurements(idle) == ()


def costs(own: int, source: str, cpu: int) -> dict[Any, Any]:
    """Return what zmon has used, of it for one source."""
    used = {"units": {"cpu": own // 10}, source: {"cpu": cpu}}
    return {TASKS: {"tasks": {"own": own}}, SOURCE: used, CPU: {"0": {"online": 1}}}


@pytest.mark.parametrize(
    ("source", "way"),
    [
        ("processes", "without --processes"),
        ("cache", "without --cache"),
        ("hypervisor", "with --no-hypervisor"),
    ],
)
def test_what_zmon_costs_is_what_its_screen_says_with_the_source_that_costs_most(
    make_interval: Callable[..., Interval], source: str, way: str
) -> None:
    """All of zmon, not only its sources; the advice is how to leave the dearest one out."""
    view = View(make_interval(costs(0, source, 0), costs(30 * SECOND, source, 15 * SECOND)))
    (one,) = lacking_measurements(view)
    assert f"source {source} " in one.why
    assert facts(one.why) == "50 25"
    assert way in one.switch
    assert [*map(facts, itself.table(view).notes)] == ["50.0"]


@pytest.mark.parametrize(
    ("read", "parts", "way"), [(2, "50 8 42", "fewer screens"), (7, "50 29 21", "--interval")]
)
def test_a_source_that_costs_little_of_what_zmon_costs_is_not_named(
    make_interval: Callable[..., Interval], read: int, parts: str, way: str
) -> None:
    """It would explain nothing: what all sources cost is told from the rest, and the larger is the advice."""

    def spent(seconds: int) -> dict[Any, Any]:
        sources = {"cpus": seconds * SECOND, "disks": seconds * SECOND, "memory": seconds * SECOND // 2}
        rows = {name: {"cpu": cost} for name, cost in sources.items()}
        return costs(30 * SECOND * bool(seconds), "cpus", 0) | {SOURCE: rows}

    (one,) = lacking_measurements(View(make_interval(spent(0), spent(read))))
    assert facts(one.why) == parts
    assert way in one.switch


def test_a_recording_has_no_screens_that_cost(make_interval: Callable[..., Interval]) -> None:
    """`zmon record` made it: what it costs beside reading is writing, and fewer samples cost less."""
    sources = {"cpus": {"cpu": 2 * SECOND}}
    before = costs(0, "cpus", 0) | {SOURCE: {"cpus": {"cpu": 0}}}
    view = View(make_interval(before, costs(30 * SECOND, "cpus", 0) | {SOURCE: sources}))
    view.history.last = lambda: 0
    (one,) = lacking_measurements(view)
    assert facts(one.why).endswith("3 47")
    assert "writing the recording" in one.why
    assert "--interval" in one.switch


def test_of_an_older_recording_it_is_what_the_sources_cost(make_interval: Callable[..., Interval]) -> None:
    """The processor time of all of zmon is not in it."""
    before, after = costs(0, "cache", 0), costs(30 * SECOND, "cache", 15 * SECOND)
    del before[TASKS], after[TASKS]
    (one,) = lacking_measurements(View(make_interval(before, after)))
    assert facts(one.why) == "30 25"


def test_a_source_that_is_always_read_is_not_to_be_left_out(make_interval: Callable[..., Interval]) -> None:
    """There is no option for it; and little is nothing to say."""
    before = costs(0, "memory", 0)
    (one,) = lacking_measurements(View(make_interval(before, costs(30 * SECOND, "memory", 15 * SECOND))))
    assert "--interval" in one.switch
    assert "without" not in one.switch
    assert lacking_measurements(View(make_interval(before, costs(SECOND, "memory", 0)))) == ()


def test_channel_measurement_says_nothing_of_virtio_disks(make_interval: Callable[..., Interval]) -> None:
    """They start their I/O without SSCH, so nobody is told to switch it on."""
    ccw = {"0.0.7000": {"online": 1, "cmb_enable": 0, "block": "vda", "driver": "virtio_ccw"}}
    rows = {DEVICE: ccw, CMF: {}}
    busy = make_interval(rows | {BLOCK: {"vda": block(0, 0, 0)}}, rows | {BLOCK: {"vda": block(600, 0, 60)}})
    assert lacking_measurements(View(busy)) == ()
    assert observed_load(busy).missing == (VIRTIO.reason,)


@pytest.mark.parametrize(
    ("states", "reads", "blocked", "held"),
    [
        ((1, 1), (5, 5), 3, ["dm-0"]),
        ((0, 1), (5, 9), 3, []),  # it has completed something
        ((0, 0), (5, 5), 3, []),
        ((1, 1), (5, 5), 0, []),  # nobody waits
        ((1, 1), (5, 5), absent("not counted"), ["dm-0"]),
    ],
)
def test_a_suspended_device(
    make_interval: Callable[..., Interval],
    states: tuple[int, int],
    reads: tuple[int, int],
    blocked: Value,
    held: list[str],
) -> None:
    """The device mapper holds its I/O back, nothing completes in it, and some task waits."""
    before, after = (
        {
            BLOCK: {"dm-0": block(done, 0, 0)},
            LAYER: {"253:0": {"name": "dm-0", "sort": "dm", "mapped": "vg-lv", "suspended": state}},
            TASKS: {"tasks": {"running": 1, "blocked": blocked}},
        }
        for done, state in zip(reads, states, strict=True)
    )
    found = hung_disks(View(make_interval(before, after)))
    assert not isinstance(found, Absent)
    assert [one.key for one in found] == held
    assert all((one.title, one.seconds, one.suspended) == ("vg-lv", 60.0, True) for one in found)


def test_a_state_that_was_not_read_is_not_known(make_interval: Callable[..., Interval]) -> None:
    """While tasks wait for I/O, a device of which nobody knows whether it is suspended may be why."""
    rows = {
        BLOCK: {"dm-0": block(5, 0, 0)},
        LAYER: {"253:0": {"name": "dm-0", "sort": "dm", "suspended": NONE}},
        TASKS: {"tasks": {"running": 1, "blocked": 2}},
    }
    assert isinstance(hung_disks(View(make_interval(rows, rows))), Absent)
    calm = rows | {TASKS: {"tasks": {"running": 1, "blocked": 0}}}
    assert hung_disks(View(make_interval(calm, calm))) == ()


def test_what_an_older_recording_has_of_zmon_itself_is_no_load(
    make_interval: Callable[..., Interval],
) -> None:
    """It has only what reading took: the same that D22 says, and that the next limit leaves out."""
    cpu = {"0": {"online": 1, "idle": 0}, "1": {"online": 1, "idle": 0}}
    after = {"0": {"online": 1, "idle": 4500}, "1": {"online": 1, "idle": 4500}}
    read = {name: {"cpu": 0} for name in ("disks", "memory")}
    spent = {name: {"cpu": 6 * SECOND} for name in read}
    view = View(make_interval({CPU: cpu, SOURCE: read}, {CPU: after, SOURCE: spent}))
    (one,) = lacking_measurements(view)
    assert facts(one.why).startswith("20")
    assert observed_load(view.interval).processors.noticed == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("io_ms", "in_flight", "seconds"), [(15_040, 101, [15.0]), (15_040, 0, []), (4_000, 101, [])]
)
def test_a_disk_hangs_that_answered_before(
    make_interval: Callable[..., Interval], io_ms: int, in_flight: int, seconds: list[float]
) -> None:
    """What completed took 40 ms in all, and Linux's clock went on for the requests that are there."""
    before, after = block(5, 0, 0), dict(block(285, in_flight, io_ms)) | {"read_ms": 40}
    found = hung_disks(View(make_interval({BLOCK: {"sda": before}}, {BLOCK: {"sda": after}})))
    assert not isinstance(found, Absent)
    assert [disk.seconds for disk in found] == seconds
