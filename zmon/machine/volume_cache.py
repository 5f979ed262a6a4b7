"""What the storage controller's cache does for each volume in an interval.

The controller counts for every system that uses the volume.  Percentages without activity are absent, not
zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.interval import IDLE
from zmon.kinds import CACHE
from zmon.machine.figure import Figure, catalogue
from zmon.machine.join import plus, quotient
from zmon.machine.things import Counted, counted

if TYPE_CHECKING:
    from zmon.base.absent import Number
    from zmon.interval import Delta


READS: Final = ("reads", "seq_reads", "cfw_reads")
WRITES: Final = ("writes", "seq_writes", "cfw_writes")
READ_HITS: Final = ("read_hits", "seq_read_hits", "cfw_read_hits")
WRITE_HITS: Final = ("write_hits", "seq_write_hits", "cfw_write_hits")


class CachedVolumes(Counted):
    """The volumes whose controller was asked, in the order of `keys`."""

    kind = CACHE


def _added(caches: Delta, *names: str) -> list[Number]:
    return plus(*(caches.numbers(name) for name in names))


def _percent(name: str, parts: tuple[str, ...], wholes: tuple[str, ...]) -> Figure:
    """Declare what part of some requests others are."""
    return Figure(
        name,
        lambda volumes: quotient(
            _added(volumes.counted, *parts), _added(volumes.counted, *wholes), 100.0, IDLE
        ),
    )


CachedVolumes.figures = catalogue(
    counted("total", *READS, *WRITES),
    counted("nseq", "reads", "cfw_reads"),
    counted("seq", "seq_reads"),
    counted("fw", "dfw_normal", "dfw_sequential"),
    _percent("read", READS, READS + WRITES),
    _percent("hit", READ_HITS + WRITE_HITS, READS + WRITES),
    _percent("readhit", READ_HITS, READS),
    _percent("writehit", WRITE_HITS, WRITES),
    counted("staged", "staged"),
    counted("seqstaged", "seq_staged"),
    counted("destaged", "destaged"),
    counted("delayed", "dfw_delayed"),
    counted("inhibited", "inhibited"),
    counted("bypassed", "bypassed"),
)
"""What the controller counts of a volume."""
