"""Logical volumes, as a kernel shows them: device-mapper devices above the partitions of disks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.sizes import SECTOR
from zmon.lab.scsi_frames import DM, block_row, is_scsi

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.base.absent import Value
    from zmon.lab.model import Scenario
    from zmon.lab.simulation import BlockCounts

FIRST: Final = 2048
"""Sectors of a partition before the first logical volume, which LVM keeps for itself."""
NOT_A_DISK: Final = absent("a logical volume is no ccw device")


def first_minor(plan: Scenario) -> int:
    """Return the minor number of the first logical volume: multipath devices come before."""
    box = plan.box
    return sum(is_scsi(box.paths[box.lcus[volume.lcu].paths]) for volume in box.volumes)


class LogicalVolumes:
    """The logical volumes of a scenario and what is counted of them."""

    def __init__(self, plan: Scenario) -> None:
        """Begin at zero."""
        self.volumes = plan.box.logical
        first = first_minor(plan)
        self.names = [f"dm-{first + place}" for place in range(len(self.volumes))]
        self.numbers = [f"{DM}:{first + place}" for place in range(len(self.volumes))]
        self.counted = [[0] * 8 for _ in self.volumes]
        self.in_flight = [0] * len(self.volumes)

    def copy(self) -> LogicalVolumes:
        """Return the same counters, to go on from here once more."""
        other = object.__new__(LogicalVolumes)
        other.__dict__.update(self.__dict__)
        other.counted = [[*values] for values in self.counted]
        other.in_flight = [*self.in_flight]
        return other

    def add(self, mapped: Iterable[BlockCounts], times: int) -> None:
        """Count what was done on them, so many times."""
        for place, (*more, in_flight) in enumerate(mapped):
            before = self.counted[place]
            self.counted[place] = [old + new * times for old, new in zip(before, more, strict=True)]
            self.in_flight[place] = in_flight

    def title(self, place: int) -> str:
        """Return the name of one as the device mapper knows it."""
        return f"lab-{self.volumes[place].name}"

    def layers(self) -> dict[str, dict[str, Value]]:
        """Return them as block devices, with the tables that `dmsetup table` prints."""
        rows: dict[str, dict[str, Value]] = {}
        used: dict[int, int] = {}
        for place, layer in enumerate(self.volumes):
            legs = []
            share = layer.size // len(layer.volumes) // SECTOR
            for volume in layer.volumes:
                begin = used.get(volume, FIRST)
                used[volume] = begin + share
                legs.append(f"94:{4 * volume + 1} {begin}")
            size, chunk = share * len(legs), layer.stripe // SECTOR
            kind = f"striped {len(legs)} {chunk}" if len(legs) > 1 else "linear"
            rows[self.numbers[place]] = {
                "name": self.names[place], "sort": "dm", "mapped": self.title(place), "size": size,
                "uuid": f"LVM-{layer.name}", "table": f"0 {size} {kind} {' '.join(legs)}",
                "below": " ".join(leg.split()[0] for leg in legs), "suspended": int(layer.suspended),
            }  # fmt: skip
        return rows

    def rows(self) -> dict[str, dict[str, Value]]:
        """Return what the block layer counts of them."""
        return {
            self.names[place]: block_row(self.counted[place])
            | {
                "number": self.numbers[place], "busid": NOT_A_DISK, "label": self.title(place),
                "size": layer.size // SECTOR, "nr_requests": 128, "block_size": 4096, "reads_merged": 0,
                "writes_merged": 0, "in_flight": self.in_flight[place],
            }
            for place, layer in enumerate(self.volumes)
        }  # fmt: skip
