"""Recordings of many simulated guests that share storage servers, as if they were copied together.

Each guest runs one of the phases of a scenario on its own simulation: guests share the names of LCUs and
boxes, and do not slow one another down.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Protocol

from zmon.kinds import MACHINE
from zmon.lab.counters import KernelCounters
from zmon.lab.scenario import load_scenario
from zmon.lab.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.lab.model import Scenario
    from zmon.sample import Sample

BASE: Final = "shark-before"
GUESTS: Final = 30
BOXES: Final = 3
MAX_GUESTS: Final = 999
BEGIN: Final = 1_047_859_200
"""2003-03-17 00:00:00 UTC."""
STEP: Final = 60.0
"""Seconds between samples."""
DRAWN: Final = 6
"""Intervals that are simulated of each guest; the others are drawn from these."""


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
    """Return what a guest does: its box, its seed and its load follow from its number."""
    plan = load_scenario(BASE)
    phase = plan.phases[number % len(plan.phases)]._replace(seconds=seconds, box=None)
    box = plan.box._replace(serial=f"750000000F2{1 + number % BOXES:03}")
    return plan._replace(
        name=guest_name(number).lower(), host=guest_name(number).lower(), seed=number, step=STEP, box=box,
        phases=(phase,), places=(), drawn=DRAWN, begin=BEGIN,
    )  # fmt: skip


def guest_samples(number: int, seconds: float) -> Iterator[Sample]:
    """Yield the samples of a guest."""
    plan = guest_plan(number, seconds)
    simulation, counters = Simulation(plan), KernelCounters(plan)
    yield _named(counters.sample(), number)
    for interval in range(len(simulation)):
        counters.add([simulation.interval(interval)])
        yield _named(counters.sample(), number)


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
    paths = []
    for number in range(1, guests + 1):
        name = guest_name(number).lower()
        os.mkdir(os.path.join(directory, name))
        path = os.path.join(directory, name, "2003-03-17.zmon")
        writer = open_writer(path)
        for sample in guest_samples(number, seconds):
            writer.append(sample)
        writer.close()
        paths.append(path)
    return paths
