"""Takes `path_masks` of a DASD apart: which channel paths its driver uses, and why not the others.

Six masks in hex, the highest bit of each is the first path of the device: drivers/s390/block/dasd_devmap.c.
"""

from __future__ import annotations

from zmon.light_typing import Final

MASKS: Final = ("opm", "npp", "cablepm", "cuirpm", "hpfpm", "ifccpm")
"""The masks in their order: operational, not preferred, miscabled, taken off by the control unit for
maintenance, not usable for High Performance FICON, taken off after interface errors."""
OF_DRIVER: Final = {"cuirpm": "taken off by the control unit for maintenance (CUIR)",
                    "cablepm": "miscabled", "ifccpm": "taken off after interface errors"}  # fmt: skip
"""Why the DASD driver does not use a path, by the mask that has it."""


def paths_in(mask: int, installed: object, chpids: object) -> tuple[str, ...]:
    """Return the channel paths of a device that are in a mask; none if its installed ones are not known.

    `installed` is the mask of these, whose CHPIDs, in the order of its bits, are the words of `chpids`.
    """
    if not isinstance(installed, int) or not isinstance(chpids, str):
        return ()
    bits = [0x80 >> place for place in range(8) if installed & (0x80 >> place)]
    return tuple(chpid for chpid, bit in zip(chpids.split(), bits, strict=False) if mask & bit)


def path_masks(words: str) -> dict[str, int]:
    """Return the six masks of `path_masks` by name; none of a text of another form."""
    try:
        return dict(zip(MASKS, (int(word, 16) for word in words.split()), strict=True))
    except ValueError:
        return {}
