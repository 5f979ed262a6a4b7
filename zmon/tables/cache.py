"""CACHEXT (FCX177): what the storage controller's cache does for each volume.

Total Cache (the count of the controller, for all systems) and Total SCMBK (this system's starts) differ where
the volume is shared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, code_of, declared
from zmon.kinds import CACHE, CMF, DASD, DEVICE, NO_CMF, NO_DASD
from zmon.machine.devices import address, label_reader
from zmon.machine.figure import Needs
from zmon.machine.join import Joined
from zmon.machine.topology import TOPOLOGY, volumes_of
from zmon.machine.volume_cache import CachedVolumes
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table
from zmon.topology.volumes import device_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Value
    from zmon.machine.view import View

NEEDS: Final = Needs((CACHE, CMF, DASD, DEVICE), topology=TOPOLOGY)

FORMERLY: Final = "costs I/O on every volume: --cache"
OFF: Final = declared(
    "cache-unrecorded", "Cache statistics were off when this was recorded. Record with --cache.",
    former=[FORMERLY],
)  # fmt: skip

LETTERS: Final = {
    "active": "A", "pending off": "P", "off": "-", "unused": "U",
    "simplex": "-", "primary": "P", "secondary": "S", "both": "B",
}  # fmt: skip
"""States of caching, of fast write and of a duplex pair, as the original shows them."""


def table(view: View) -> Table:
    """Fill CACHEXT: one row per volume whose controller was asked."""
    interval = view.interval
    volumes = CachedVolumes(interval)
    caches, keys = volumes.counted, volumes.keys
    ccw = Joined(interval.of(DEVICE), keys, NO_DASD)
    dasd = Joined(interval.of(DASD), keys, NO_DASD)
    told, read_label = volumes_of(view), label_reader(interval)
    volsers = [
        told[key].volser if key in told else read_label(key, uid, label)
        for key, uid, label in zip(keys, ccw["uid"], dasd["volser"], strict=True)
    ]
    columns: dict[str, list[Value]] = {
        "addr": [address(key) for key in keys],
        "type": list(map(device_type, ccw["devtype"], ccw["cutype"], dasd["cylinders"])),
        "volser": volsers,
        "ctlr": caches["ssid"],
        "caching": list(map(_letter, caches["caching"])),
        "dfw": list(map(_letter, caches["fast_write"])),
        "dual": list(map(_letter, caches["duplex"])),
        "status": [value[-2:] if isinstance(value, str) else value for value in caches["device_status"]],
        "scmbk": list(Joined(interval.of(CMF), keys, NO_CMF).rate("ssch")),
        **volumes.columns(),
        "dasd": dasd["name"],
    }
    return Table(list(keys), columns, notes=_notes(caches["reads"]), missing=_missing(caches.missing))


def _notes(reads: Sequence[Value]) -> tuple[str, ...]:
    """Return what the figures are of, or why there are none for any volume."""
    missing = [value.reason for value in reads if isinstance(value, Absent)]
    if not reads:
        return ()
    if len(missing) < len(reads):
        return ("The controller counts the I/O of all systems that use a volume",)
    return (f"No volume has cache figures: {'; '.join(dict.fromkeys(missing))}",)


def _letter(state: Value) -> Value:
    """Return a state as the one letter that there is room for; what is not known as it is."""
    return LETTERS.get(state.partition(",")[0], state) if isinstance(state, str) else state


def _missing(reason: Absent | None) -> Absent | None:
    """Return why there are no rows, in the words of today."""
    return OFF if code_of(reason) == OFF.code else reason


DEFINITIONS: Final = {"cache": TableDefinition(NEEDS, table, things=CachedVolumes, screen="CACHEXT")}
