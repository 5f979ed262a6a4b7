"""CACHEXT (FCX177): what the storage controller's cache does for each volume.

The controller counts for every system that uses the volume, so Total Cache (its count) and Total SCMBK (this
system's starts) differ where the volume is shared.  Percentages without activity are absent, not zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kinds import CACHE, CMF, DASD, DEVICE
from zmon.tables.device import IDLE, NO_CMF, address, label_of
from zmon.tables.join import Joined, plus, quotient
from zmon.tables.table import Needs, Table
from zmon.tables.topology import TOPOLOGY, volumes_of
from zmon.tables.view import TableDefinition
from zmon.topology.volumes import device_type

if TYPE_CHECKING:
    from zmon.absent import Absent, Number, Value
    from zmon.tables.view import View

NEEDS: Final = Needs((CACHE, CMF, DASD, DEVICE), told=TOPOLOGY)

NO_DASD: Final = absent("not a DASD")

OFF: Final = absent("Cache statistics were off when this was recorded. Record with --cache.")
OFF_BEFORE: Final = "costs I/O on every volume: --cache"
"""The reason that older recordings hold when they were off."""

LETTERS: Final = {
    "active": "A", "pending off": "P", "off": "-", "unused": "U",
    "simplex": "-", "primary": "P", "secondary": "S", "both": "B",
}  # fmt: skip
"""States of caching, of fast write and of a duplex pair, as the original shows them."""


def table(view: View) -> Table:
    """Fill CACHEXT: one row per volume whose controller was asked."""
    interval = view.interval
    caches = interval.of(CACHE)
    keys = caches.keys
    ccw = Joined(interval.of(DEVICE), keys, NO_DASD)
    dasd = Joined(interval.of(DASD), keys, NO_DASD)
    starts = Joined(interval.of(CMF), keys, NO_CMF).rate("ssch")

    def added(*names: str) -> list[Number]:
        return plus(*(caches.numbers(name) for name in names))

    def per_second(*names: str) -> list[Number]:
        return plus(*(caches.rate(name) for name in names))

    reads, writes = added("reads", "seq_reads", "cfw_reads"), added("writes", "seq_writes", "cfw_writes")
    read_hits = added("read_hits", "seq_read_hits", "cfw_read_hits")
    write_hits = added("write_hits", "seq_write_hits", "cfw_write_hits")
    requests = plus(reads, writes)
    told = {key: volume.volser for key, volume in volumes_of(view).items()}
    volsers = zip(keys, dasd["volser"], strict=True)
    columns: dict[str, list[Value]] = {
        "addr": [address(key) for key in keys],
        "type": list(map(device_type, ccw["devtype"], ccw["cutype"], dasd["cylinders"])),
        "volser": [label_of(told.get(key), volser) for key, volser in volsers],
        "ctlr": caches["ssid"],
        "caching": list(map(_letter, caches["caching"])),
        "dfw": list(map(_letter, caches["fast_write"])),
        "dual": list(map(_letter, caches["duplex"])),
        "status": [value[-2:] if isinstance(value, str) else value for value in caches["device_status"]],
        "total": list(per_second("reads", "seq_reads", "cfw_reads", "writes", "seq_writes", "cfw_writes")),
        "scmbk": list(starts),
        "nseq": list(per_second("reads", "cfw_reads")),
        "seq": list(per_second("seq_reads")),
        "fw": list(per_second("dfw_normal", "dfw_sequential")),
        "read": list(quotient(reads, requests, 100.0, IDLE)),
        "hit": list(quotient(plus(read_hits, write_hits), requests, 100.0, IDLE)),
        "readhit": list(quotient(read_hits, reads, 100.0, IDLE)),
        "writehit": list(quotient(write_hits, writes, 100.0, IDLE)),
        "staged": list(per_second("staged")),
        "seqstaged": list(per_second("seq_staged")),
        "destaged": list(per_second("destaged")),
        "delayed": list(per_second("dfw_delayed")),
        "inhibited": list(per_second("inhibited")),
        "bypassed": list(per_second("bypassed")),
        "dasd": dasd["name"],
    }
    notes = ("The controller counts the I/O of all systems that use a volume",) if keys else ()
    return Table(list(keys), columns, notes=notes, missing=_missing(caches.missing))


def _letter(state: Value) -> Value:
    """Return a state as the one letter that there is room for; what is not known as it is."""
    return LETTERS.get(state.partition(",")[0], state) if isinstance(state, str) else state


def _missing(reason: Absent | None) -> Absent | None:
    """Return why there are no rows, in the words of today."""
    return OFF if reason is not None and reason.reason == OFF_BEFORE else reason


DEFINITIONS: Final = {"cache": TableDefinition(NEEDS, table)}
