"""The catalogue of diagnoses: id, title, and which others each explains."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Final

from zmon.base.record import NamedTuple


class CatalogueEntry(NamedTuple):
    """One diagnosis of the catalogue."""

    id: str
    title: str
    """A clause: it stands after `whether`, too."""
    explains: tuple[str, ...] = ()
    """Ids of diagnoses of the same subject that it makes secondary."""
    beside: tuple[str, ...] = ()
    """Those of them whose action helps as well, where the model says so."""
    anywhere: tuple[str, ...] = ()
    """Those of them that it explains of any subject: their action would make it worse."""


CATALOGUE: Final = {
    entry.id: entry
    for entry in (
        CatalogueEntry("D1", "an LCU is full", ("D11b",)),
        CatalogueEntry("D2", "channel paths are full", ("D5", "D10")),
        CatalogueEntry("D3", "data are placed unevenly", ("D1", "D4", "D4b", "D6", "D11b")),
        CatalogueEntry("D4", "aliases are too few", ("D17", "D11b")),
        CatalogueEntry("D4b", "aliases are missing", ("D17", "D11b")),
        CatalogueEntry("D4c", "aliases are too many", ("D1", "D5c")),
        CatalogueEntry("D4d", "aliases are not used"),
        CatalogueEntry("D5", "requests pend for long"),
        CatalogueEntry("D5b", "another system reserves or uses the device"),
        CatalogueEntry("D5c", "requests queue in the control unit"),
        CatalogueEntry("D6", "reads miss the cache"),
        CatalogueEntry("D7", "the write cache is full", ("D12", "D1", "D9", "D4c")),
        CatalogueEntry("D8", "writes wait for a remote mirror", ("D12", "D1", "D9", "D4c")),
        CatalogueEntry("D9", "the disk arrays are full", ("D6", "D11b")),
        CatalogueEntry("D10", "transfers are long"),
        CatalogueEntry("D10b", "requests are small", ("D11",)),
        CatalogueEntry("D11", "requests queue in Linux above the disks"),
        CatalogueEntry("D11b", "all request tags are in use"),
        CatalogueEntry("D12", "logs share volumes with data", ("D4", "D4b", "D4d", "D11b", "D24"),
                       ("D4", "D4b")),
        CatalogueEntry("D13", "a path is lost", ("D2", "D5", "D14", "D14b", "D14c", "D13b", "D24")),
        CatalogueEntry("D13b", "all paths share one adapter, channel or port"),
        CatalogueEntry("D14", "an FCP path is slow or does too much", ("D14c", "D17", "D24")),
        CatalogueEntry("D14b", "one of several FCP paths does all I/O", ("D14c", "D17", "D24")),
        CatalogueEntry("D14c", "FCP paths are too few", ("D17", "D24")),
        CatalogueEntry("D15", "processors are full or withheld",
                       ("D11", "D4", "D4b", "D14b", "D15b", "D24")),
        CatalogueEntry("D15b", "FCP costs much processor time"),
        CatalogueEntry("D16", "memory is short",
                       ("D1", "D4", "D4b", "D4d", "D6", "D11", "D11b", "D17", "D24"), anywhere=("D6",)),
        CatalogueEntry("D17", "tasks are blocked by I/O"),
        CatalogueEntry("D18", "database files are read through the page cache"),
        CatalogueEntry("D19", "High Performance FICON is off"),
        CatalogueEntry("D20", "a volume was added, and data do not use all volumes",
                       ("D4", "D4b", "D4d", "D6", "D11", "D11b", "D17", "D24")),
        CatalogueEntry("D21", "a disk hangs or is suspended", ("D4b", "D11", "D17", "D24")),
        CatalogueEntry("D22", "a measurement is off, or costs much"),
        CatalogueEntry("D23", "a reader, writer or backup is new",
                       ("D1", "D2", "D3", "D4", "D4b", "D4d", "D6", "D10", "D11b", "D17", "D24")),
        CatalogueEntry("D24", "a disk that is no DASD answers slowly", ("D11b", "D17")),
    )
}  # fmt: skip


def is_of(id_: str, cause: str) -> bool:
    """Return whether a diagnosis is the cause that a rule points to: D4 means D4b as well, D1 not D13."""
    return cause in {id_, _number(id_)}


def family(id_: str) -> tuple[str, ...]:
    """Return the ids of a diagnosis and of those beside it with the same number: D4, D4b, D4c and D4d."""
    return tuple(each for each in CATALOGUE if _number(each) == _number(id_))


def _number(id_: str) -> str:
    return id_.rstrip(ascii_lowercase)
