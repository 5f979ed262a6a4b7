"""From an interval to processors, memory and tasks of this Linux: see `zmon.machine.observed_machine`."""

from __future__ import annotations

from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.record import NamedTuple
from zmon.kinds import (
    BLOCK,
    BLOCKED_TASK,
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
from zmon.machine.blocks import Blocks
from zmon.machine.cpus import Processors
from zmon.machine.devices import VIRTIO, devices_of, hung_for, in_each_before
from zmon.machine.lost_time import LostTime
from zmon.machine.memory_use import Memory
from zmon.machine.observed import of_zmon_at_least
from zmon.machine.partitions import own_partitions
from zmon.values.unit_name import title_of
from zmon.values.wait_place import class_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Number
    from zmon.interval import Interval
    from zmon.machine.view import View
    from zmon.sample import Frame

KINDS: Final = (
    BLOCK, BLOCKED_TASK, CMF, CPU, DEVICE, GUEST, LAYER, LPAR, LPAR_CPU, MACHINE, MEMORY, PRESSURE, SOURCE,
    TASKS,
)  # fmt: skip
"""What is read of a sample."""
HYPERVISORS: Final = {"zvm": "z/VM", "lpar": "the hypervisor of the LPARs", "kvm": "KVM"}
NO_STATE: Final = absent("whether a device is suspended was not read: dm/suspended")
NO_ZVM: Final = absent("no z/VM is below")
NO_CPU: Final = absent("/proc/stat was not read")
MAX_WAITING: Final = 3
"""Tasks in state D that are named."""
MUCH_CPU: Final = 0.1
"""The part of all CPUs from which on zmon itself changes what it measures."""
GOOD_PART: Final = 0.25
"""The part of what zmon costs from which on a source is worth naming: without it zmon costs less."""
DEAR: Final = {
    "cache": "without --cache",
    "containers": "without --listing",
    "cp": "without --cp",
    "hypervisor": "with --no-hypervisor",
    "processes": "without --processes, and with USTAT, UPROC, BLOCKED and UDETAIL closed",
    "totals": "without --exact",
}
"""How sources are left out that need not be read."""


NOT_READ: Final = absent("it was not read")


class ObservedSystem(NamedTuple):
    """The memory and the tasks of this Linux, and what limits its processors (their load: `ObservedLoad`)."""

    system: Number = NOT_READ
    """The part of the processors' time in the kernel, with interrupts."""
    running: Number = NOT_READ
    """Tasks that run or wait for a CPU, at the end of the interval."""
    blocked: Number = NOT_READ
    """Tasks that wait for I/O to end, likewise."""
    waiting: tuple[tuple[str, float], ...] = ()
    """Tasks that wait uninterruptibly, in words, with seconds, the longest first; none where not read."""
    io_some: Number = NOT_READ
    memory_some: Number = NOT_READ
    """Parts of the time in which some tasks waited for the resource (PSI)."""
    swapped_in: Number = NOT_READ
    swapped_out: Number = NOT_READ
    """Pages."""
    refaulted_file: Number = NOT_READ
    memory: Number = NOT_READ
    available: Number = NOT_READ
    cached: Number = NOT_READ
    writeback: Number = NOT_READ
    swap_used: Number = NOT_READ
    hypervisor: str = ""
    """`z/VM`, `the hypervisor of the LPARs`, `KVM`; empty if not known."""
    below: Number = NOT_READ
    """Processors of the LPAR, below z/VM."""
    limits: tuple[str, ...] = ()
    """What the hypervisor grants, in words: `the LPAR is capped`."""


class HungDisk(NamedTuple):
    """A volume in which requests do not complete, or a device of the device mapper that is suspended."""

    key: str
    title: str
    seconds: float
    """For how long nothing completed, at least."""
    requests: Number
    """That are in it; of one that is suspended the tasks that wait for I/O, as the kernel holds its requests
    back before it counts them."""
    suspended: bool = False
    """Whether it is suspended: the device mapper holds back all I/O until it is resumed."""


class LackingMeasurement(NamedTuple):
    """A measurement that is off and can be switched on."""

    what: str
    why: str
    switch: str
    """What to do."""
    devices: int
    """How many devices with I/O it is about."""
    column: str
    """Where it would be seen: `device.pend`."""
    value: float | None = None
    """The number in `why`; None: that of the devices."""

    @property
    def number(self) -> float:
        """The number in `why`."""
        return self.devices if self.value is None else self.value


def observed_system(view: View) -> ObservedSystem:
    """Return the processors, memory and tasks of a view's interval."""
    interval = view.interval
    cpus = Processors(interval)
    memory, lost, tasks = Memory(interval), LostTime(interval), interval.of(TASKS)
    return ObservedSystem(
        system=cpus.average(cpus.kernel) / 100.0,
        running=tasks.cell("tasks", "running"),  # type: ignore[arg-type]  # a number
        blocked=tasks.cell("tasks", "blocked"),  # type: ignore[arg-type]  # likewise
        waiting=tuple(_waiting(interval)),
        io_some=lost.part("io", NO_CPU),
        memory_some=lost.part("memory", NO_CPU),
        memory=memory.size("total"),
        swap_used=memory.size("swap_total") - memory.size("swap_free"),
        hypervisor=HYPERVISORS.get(text_of(interval.of(MACHINE).cell("machine", "environment")), ""),
        below=_below(interval),
        limits=tuple(_limits(interval)),
        **{name: memory.rate(name) for name in ("swapped_in", "swapped_out", "refaulted_file")},
        **{name: memory.size(name) for name in ("available", "cached", "writeback")},
    )


def _waiting(interval: Interval) -> Iterator[tuple[str, float]]:
    """Yield the tasks in state D that wait longest, and their seconds: `dd of batch: direct I/O`."""
    tasks = interval.after.frame(BLOCKED_TASK)
    for key in tasks.keys[:MAX_WAITING]:
        command, unit, place, waits = (
            tasks.cell(key, name) for name in ("command", "unit", "place", "waiting")
        )
        if isinstance(waits, int | float):
            whose = f" of {title_of(text_of(unit))}" if text_of(unit) else ""
            where = text_of(place)
            what = class_of(where)[1] or where
            yield f"{text_of(command) or key}{whose}{f': {what}' if what else ''}", waits / 1e9


def _below(interval: Interval) -> Number:
    """Return how many processors the LPAR has in which z/VM runs this Linux."""
    machine = interval.of(MACHINE)
    if text_of(machine.cell("machine", "environment")) != "zvm":
        return NO_ZVM
    return machine.cell("machine", "lpar_cpus_configured")  # type: ignore[return-value]  # a number


def _limits(interval: Interval) -> Iterator[str]:
    """Yield what limits the processors of this Linux from below, in words."""
    machine = interval.of(MACHINE)

    def figure(name: str) -> Number:
        return machine.cell("machine", name)  # type: ignore[return-value]  # a number

    lpars, logical, guests = interval.of(LPAR), interval.of(LPAR_CPU), interval.of(GUEST)
    own = own_partitions(lpars)
    if any(cap == 1 and name in own for cap, name in zip(logical["capped"], logical["lpar"], strict=True)):
        yield "the LPAR is capped at its weight"
    for name, sentence in (
        ("cap_absolute_ifl", "the LPAR is capped at {:.2f} IFLs"),
        ("cap_absolute_cp", "the LPAR is capped at {:.2f} CPs"),
        ("cap_weight_ifl", "its weight caps the LPAR at {:.2f} IFLs"),
        ("cap_weight_cp", "its weight caps the LPAR at {:.2f} CPs"),
        ("cap_group_ifl", "the capacity group is capped at {:.2f} IFLs"),
        ("cap_group_cp", "the capacity group is capped at {:.2f} CPs"),
    ):
        value = figure(name)
        if not isinstance(value, Absent) and value > 0:
            yield sentence.format(value / 100)
    name = text_of(machine.cell("machine", "guest_name"))
    if name in guests.index and guests.cell(name, "capped") == 1:
        yield f"guest {name} is capped at its share"


# what hangs


def hung_disks(view: View) -> tuple[HungDisk, ...] | Absent:
    """Return the volumes that hang or are suspended, and since when as far as the samples before show it."""
    missing = view.interval.of(BLOCK).missing or view.interval.void
    if missing is not None:
        return missing
    devices = devices_of(view.interval)
    seconds = hung_for(view)
    rows = list(devices.blocks.hung)
    in_flight = devices.blocks.counted.at(rows, "in_flight")
    hung = (
        HungDisk(devices.keys[row], devices.title(row), seconds[devices.keys[row]], requests)
        for row, requests in zip(rows, in_flight, strict=True)
    )
    disks = (*hung, *_suspended(view))
    return disks or _unread_state(view.interval) or ()


def _unread_state(interval: Interval) -> Absent | None:
    """Return why it is not known that no device is suspended, where some task waits for I/O; else None."""
    blocked, layers = interval.of(TASKS).cell("tasks", "blocked"), interval.of(LAYER)
    if isinstance(blocked, Absent) or not blocked:
        return None
    if layers.missing is not None:
        return NO_STATE
    states = zip(layers["sort"], layers["suspended"], strict=True)
    return NO_STATE if any(sort == "dm" and isinstance(state, Absent) for sort, state in states) else None


def _suspended(view: View) -> Iterator[HungDisk]:
    """Yield the devices that the device mapper holds back while some task waits for I/O.

    The kernel puts a request to a suspended device aside before it counts it (drivers/md/dm.c): none is in
    flight. That nothing completes shows that it was suspended all the time, too.
    """
    held = held_devices(view.interval)
    if not held:
        return
    blocked = view.interval.of(TASKS).cell("tasks", "blocked")
    if not isinstance(blocked, Absent) and not blocked:
        return
    length = view.interval.seconds
    seconds = {} if isinstance(length, Absent) else dict.fromkeys(held, length)
    for key, more in in_each_before(view, set(seconds), _held_for):
        seconds[key] += more
    for key, long in seconds.items():
        yield HungDisk(key, held[key], long, blocked, suspended=True)  # type: ignore[arg-type]  # a number


def held_devices(interval: Interval) -> dict[str, str]:
    """Return the devices that are suspended and complete nothing, with what the device mapper calls them."""
    held = _suspended_in(interval.of(LAYER).frame)
    done = Blocks(interval, list(held)).column("done")
    return {name: title for (name, title), requests in zip(held.items(), done, strict=True) if requests == 0}


@lru_cache(maxsize=2)  # it is read once a minute, and two times may be compared
def _suspended_in(layers: Frame) -> dict[str, str]:
    """Return the devices that are suspended, with what the device mapper calls them."""
    columns = zip(*map(layers.column, ("name", "mapped", "suspended")), strict=True)
    return {str(name): str(title) for name, title, suspended in columns if suspended == 1}


def _held_for(interval: Interval) -> dict[str, float]:
    length = interval.seconds
    return {} if isinstance(length, Absent) else dict.fromkeys(held_devices(interval), length)


# what is not measured


def lacking_measurements(view: View) -> tuple[LackingMeasurement, ...]:
    """Return the measurements that are off and can be switched on, and zmon itself where it costs much."""
    return tuple(_lacking(view.interval, is_live=view.history.last is None))


def _lacking(interval: Interval, *, is_live: bool) -> Iterator[LackingMeasurement]:
    devices = devices_of(interval)
    enabled = devices.ccw["cmb_enable"]
    rows = zip(devices.keys, enabled, devices.requests, devices.ssch, strict=True) if 0 in enabled else ()
    off = [key for key, enabled, rate, starts in rows if enabled == 0 and rate > 0 and starts is not VIRTIO]
    if off:
        others = ", for each of them" * (len(off) > 1)
        yield LackingMeasurement(
            "channel measurement (CMF)",
            "cmb_enable is 0",
            f"As root: echo 1 > /sys/bus/ccw/devices/{off[0]}/cmb_enable{others}.",
            len(off),
            "device.pend",
        )
    yield from _costs_much(interval, is_live=is_live)


def _costs_much(interval: Interval, *, is_live: bool) -> Iterator[LackingMeasurement]:
    """Yield zmon, where it takes much of the processors, with the source that takes most, or its screens.

    What is no longer live was recorded, mostly by `zmon record`, which has no screens.
    """
    sources, spent = interval.of(SOURCE), of_zmon_at_least(interval)
    costs = {
        name: cost * 1e-9
        for name, cost in zip(sources.keys, sources.rate("cpu"), strict=True)
        if not isinstance(cost, Absent) and cost > 0
    }
    reading = fsum(costs.values())
    if isinstance(spent, Absent) or not spent >= MUCH_CPU * Processors(interval).running:
        return
    why, action = f"it uses {100 * spent:.0f} % of a CPU", "Take samples less often (--interval)"
    most = max(costs, key=lambda name: costs[name], default="")
    if most and costs[most] >= GOOD_PART * spent:
        why += f"; its source {most} costs most, {100 * costs[most]:.0f} %"
        action += f", or {DEAR[most]}" if most in DEAR else ""
    elif costs:
        whole, read = round(100 * spent), min(round(100 * reading), round(100 * spent))
        rest = "its screens and all else" if is_live else "writing the recording and all else"
        why += f": {read} % for reading, {whole - read} % for {rest}"
        if reading < spent / 2 and is_live:
            action = "Have fewer screens open, or take samples less often (--interval)"
    action += "; ZMON lists what each source costs."
    yield LackingMeasurement("zmon", why, action, 0, "tasks.own", 100.0 * spent)
