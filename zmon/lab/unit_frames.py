"""Units, as a kernel shows them: what the loads of a scenario do that name a control group.

Requests count when they are asked for, at a logical volume and again at the disk below it; of a multipath
device its paths count nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.kinds import UNIT, UNIT_IO
from zmon.sample import empty_frame, frame_of
from zmon.values.unit_name import database_of, sort_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.lab.model import Scenario
    from zmon.lab.simulation import UnitCounts
    from zmon.sample import Frame

NO_UNITS: Final = "no load of the scenario names a unit"
NO_DATABASE: Final = absent("its name tells no database")
NOT_SIMULATED: Final = absent("the laboratory does not simulate it")


def units_of_plan(plan: Scenario) -> list[str]:
    """Return the units of all loads, sorted."""
    return sorted({load.unit for phase in plan.phases for load in phase.streams if load.unit})


class SimulatedUnits:
    """What the units of a scenario have done since it began."""

    def __init__(self, plan: Scenario) -> None:
        """Begin at zero."""
        self.keys = units_of_plan(plan)
        self._io: dict[tuple[str, int], list[int]] = {}
        self._cpu = dict.fromkeys(self.keys, 0)

    def copy(self) -> SimulatedUnits:
        """Return the same counters, to go on from here once more."""
        other = object.__new__(SimulatedUnits)
        other.__dict__.update(self.__dict__)
        other._io = {key: [*counts] for key, counts in self._io.items()}
        other._cpu = dict(self._cpu)
        return other

    def add(self, asked: Sequence[UnitCounts], unit_ns: Sequence[tuple[str, int]], times: int) -> None:
        """Count what was done, so many times."""
        for unit, disk, *counts in asked:
            sums = self._io.setdefault((unit, disk), [0, 0, 0, 0])
            for place, more in enumerate(counts):
                sums[place] += more * times
        for unit, spent in unit_ns:
            self._cpu[unit] += spent * times

    def frames(self, now: int, number_of: Callable[[int], str]) -> Iterator[Frame]:
        """Yield UNIT and UNIT_IO; `number_of` gives the number of a disk's block device."""
        if not self.keys:
            yield empty_frame(UNIT, NO_UNITS)
            yield empty_frame(UNIT_IO, NO_UNITS)
            return
        rest: dict[str, Value] = dict.fromkeys((field.name for field in UNIT.fields), NOT_SIMULATED)
        yield frame_of(UNIT, {
            key: rest | {
                "sort": sort_of(key), "database": database_of(key) or NO_DATABASE, "io_counted": 1,
                "cpu": self._cpu[key],
            }
            for key in self.keys
        }, now)  # fmt: skip
        rows: dict[str, dict[str, Value]] = {}
        for (unit, disk), (read, written, reads, writes) in sorted(self._io.items()):
            number = number_of(disk)
            rows[f"{number} {unit}"] = {
                "unit": unit, "device": number, "rbytes": read, "wbytes": written, "rios": reads,
                "wios": writes, "dbytes": 0, "dios": 0,
            }  # fmt: skip
        yield frame_of(UNIT_IO, rows, now)
