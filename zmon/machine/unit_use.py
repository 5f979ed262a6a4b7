"""What services, containers, guests and login sessions use and wait for, as the kernel counts it by unit."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from zmon.base.sizes import MB
from zmon.kinds import UNIT
from zmon.machine.figure import Figure, catalogue
from zmon.machine.things import PERCENT, Counted, counted, said, summed
from zmon.values.unit_name import title_of

if TYPE_CHECKING:
    from zmon.base.absent import Value


class UnitUse(Counted):
    """The units, in the order of `keys`, the paths of their control groups; memory is in MB."""

    kind = UNIT

    @property
    def labels(self) -> list[Value]:
        """What each is called."""
        return [title_of(key) for key in self.keys]


def _size(key: str, field: str = "") -> Figure:
    return Figure(key, lambda units: [size / MB for size in units.counted.numbers(field or key)])


UnitUse.figures = catalogue(
    Figure("unit", attrgetter("labels")), Figure("path", attrgetter("keys")),
    *map(said, ("sort", "database", "instance")),
    *map(summed, (
        said("tasks"), *map(_size, ("memory", "anon", "file", "swap")), counted("cpu", "cpu", scale=PERCENT),
        counted("faults", "major_faults"), counted("swapin", "swapped_in"), counted("swapout", "swapped_out"),
        counted("reanon", "refaulted_anon"), counted("refile", "refaulted_file"),
    )),
    _size("limit", "memory_max"),
    *(counted(key, field, scale=PERCENT) for key, field in (
        ("throttled", "throttled"), ("cpuwait", "cpu_some"), ("iowait", "io_some"), ("iofull", "io_full"),
        ("memwait", "memory_some"), ("memfull", "memory_full"),
    )),
)  # fmt: skip
"""What USER, UPAGE and UDETAIL show of a unit, but for its I/O."""
