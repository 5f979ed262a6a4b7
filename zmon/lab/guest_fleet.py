"""Recordings of many simulated guests that share storage servers, as if they were copied together.

All guests of a box are simulated at once: what one asks of an LCU delays the others there.  Most do small
reads and writes on all LCUs.  In the second half of the time one of them, `SCANNER`, also reads tables whose
data lie on LCU 6, as in the study of `BASE`.
"""

from __future__ import annotations

import os
from functools import partial
from itertools import accumulate, repeat
from typing import TYPE_CHECKING, Final, Protocol

from zmon.kinds import MACHINE
from zmon.lab.counters import KernelCounters
from zmon.lab.model import Aim, Compute, DiskIo, Phase, Stream, Think
from zmon.lab.scenario import load_scenario
from zmon.lab.shared_box import GuestRun, SharedPhase
from zmon.lab.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.lab.model import Scenario, StorageBox
    from zmon.sample import Sample

BASE: Final = "shark-before"
GUESTS: Final = 30
BOXES: Final = 3
MAX_GUESTS: Final = 999
SCANNER: Final = 4
"""The guest that reads large tables in the second half of the time, as the third phase of the base does."""
SCANS: Final = 2
BEGIN: Final = 1_047_859_200
"""2003-03-17 00:00:00 UTC."""
STEP: Final = 60.0
"""Seconds between samples."""
DRAWN: Final = 6
"""Intervals that are simulated of each half; the others are drawn from these, the same for all of a box."""
UNIT: Final = "/system.slice/orders.service"
"""What the small reads and writes belong to."""
BLOCK: Final = 8192
"""Bytes of one of them."""
READS: Final = 0.7
HITS: Final = 0.95
THINK: Final = 400_000.0
"""Mean microseconds between two of a user."""
WORK: Final = 4_000.0
"""Mean microseconds of a processor for each."""
USERS: Final = 10
"""Of the guest that has fewest."""
SPREAD: Final = 20
"""How many more the others have at most; no multiple of `BOXES`, so that guests of a box differ."""


class SampleSink(Protocol):
    """What samples are written to; see `zmon.store.writer.Writer`."""

    def append(self, sample: Sample) -> None:
        """Write a sample."""

    def close(self) -> None:
        """Write what is open."""


def guest_name(number: int) -> str:
    """Return the name of a guest, counted from 1."""
    return f"LNX{number:03}"


def guest_plan(number: int, seconds: float) -> Scenario:
    """Return what a guest does: its box and its load follow from its number."""
    plan = load_scenario(BASE)
    server = 1 + number % BOXES
    box = plan.box._replace(serial=f"750000000F2{server:03}")
    orders = _orders(box, number)
    scans = plan.phases[SCANS].streams if number == SCANNER else ()
    halves = (
        Phase("orders", seconds / 2, (orders,)),
        Phase("scans", seconds - seconds / 2, (orders, *scans)),
    )
    return plan._replace(
        name=guest_name(number).lower(), host=guest_name(number).lower(), seed=server, step=STEP, box=box,
        phases=halves, places=(), drawn=DRAWN, begin=BEGIN,
    )  # fmt: skip


def _orders(box: StorageBox, number: int) -> Stream:
    """Return the users of a guest, who read and write blocks on all volumes."""
    volumes = len(box.volumes)
    weights = tuple(accumulate(repeat(1 / volumes, volumes)))
    aim = Aim(tuple(range(volumes)), (*weights[:-1], 1.0), BLOCK, READS, HITS)
    steps = (DiskIo(aim, "order"), Compute(WORK), Think(THINK))
    return Stream("orders", USERS + 7 * number % SPREAD, steps, unit=UNIT)


class GuestFleet:
    """Guests whose boxes are simulated when a guest of them is first asked for."""

    def __init__(self, guests: int, seconds: float) -> None:
        """Plan guests 1 to `guests`, for so many seconds."""
        self._plans = {number: guest_plan(number, seconds) for number in range(1, guests + 1)}
        self._phases: dict[tuple[int, int], SharedPhase] = {}

    def samples(self, number: int) -> Iterator[Sample]:
        """Yield the samples of a guest."""
        plan = self._plans[number]
        simulation = Simulation(plan, partial(self._run, number))
        counters = KernelCounters(plan)
        yield _named(counters.sample(), number)
        for interval in range(len(simulation)):
            counters.add([simulation.interval(interval)])
            yield _named(counters.sample(), number)

    def _run(self, number: int, phase: int, most: int) -> GuestRun:
        """Return the part of a guest in a phase of its box."""
        sharing = [plan for plan in self._plans if plan % BOXES == number % BOXES]
        shared = self._phases.get((number % BOXES, phase))
        if shared is None:
            shared = SharedPhase([self._plans[number] for number in sharing], phase, most)
            self._phases[number % BOXES, phase] = shared
        return GuestRun(shared, sharing.index(number))


def _named(sample: Sample, number: int) -> Sample:
    """Return a sample with the names of a guest and of its system."""
    frame = sample.frame(MACHINE)
    cells = {"guest_name": guest_name(number), "vm_name": "VMLAB1"}
    columns = {**frame.columns, **{name: [value] for name, value in cells.items()}}
    return sample._replace(frames={**sample.frames, MACHINE.name: frame.but(columns=columns)})


def write_fleet(
    directory: str, open_writer: Callable[[str], SampleSink], seconds: float, guests: int = GUESTS
) -> list[str]:
    """Write a recording of each guest into a directory of its own name; return their paths.

    Raises:
        OSError: a directory cannot be made, or is there already.
        RecordingError: a file cannot be written.
    """
    os.makedirs(directory, exist_ok=True)
    fleet = GuestFleet(guests, seconds)
    paths = []
    for number in range(1, guests + 1):
        name = guest_name(number).lower()
        os.mkdir(os.path.join(directory, name))
        path = os.path.join(directory, name, "2003-03-17.zmon")
        writer = open_writer(path)
        for sample in fleet.samples(number):
            writer.append(sample)
        writer.close()
        paths.append(path)
    return paths
