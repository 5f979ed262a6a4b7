"""The path masks of a device: which channel paths it has, which of them can be used, and why not the others.

A subchannel has four.  The driver of a DASD has six more, `path_masks`, in hex.  The highest bit of each is
the first path of the device.  Source: drivers/s390/block/dasd_devmap.c.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache, reduce
from operator import and_

from zmon.base.absent import absent
from zmon.base.light_typing import Final

PATH_MASKS: Final = ("pim", "pam", "pom", "vpm")
"""The masks of a subchannel's paths: installed, available, operational, verified."""
MASKS: Final = ("opm", "npp", "cablepm", "cuirpm", "hpfpm", "ifccpm")
"""The masks in their order: operational, not preferred, miscabled, taken off by the control unit for
maintenance, not usable for High Performance FICON, taken off after interface errors."""


class Unused(Enum):
    """Why a channel path is not used: in words, and what that is called, if it has a name."""

    MAINTENANCE = "taken off by the control unit for maintenance", "CUIR"
    CABLE = "miscabled", ""
    ERRORS = "taken off after interface errors", ""
    CONFIGURED_OFF = "configured off", ""
    RESERVED = "not usable by this LPAR", ""
    VARIED_OFF = "varied off by Linux", ""
    ON = "on line and configured", ""
    """Nobody has taken it off: it is its link, or the control unit."""
    UNKNOWN = "", ""

    @property
    def text(self) -> str:
        """The words alone."""
        return self.value[0]

    @property
    def words(self) -> str:
        """The words, and the name in brackets."""
        text, name = self.value
        return f"{text} ({name})" if name else text


OF_DRIVER: Final = {"cuirpm": Unused.MAINTENANCE, "cablepm": Unused.CABLE, "ifccpm": Unused.ERRORS}
"""Why the DASD driver does not use a path, by the mask that has it."""
IN_SHORT: Final = {"cuirpm": "CUIR", "cablepm": "CABLE", "ifccpm": "ERROR"}
"""The same in a column of six characters."""
NO_MASKS: Final = absent("the path masks are not known")


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


@lru_cache(maxsize=256)  # most devices have the same few masks
def usable(*masks: object) -> int:
    """Return the path mask that is left of several; one that is absent takes nothing away."""
    return reduce(and_, [mask for mask in masks if isinstance(mask, int)], 0xFF)


def lost_in(installed: int, *others: object) -> int:
    """Return the mask of the installed paths that the other masks of a subchannel and its driver take away.

    The last of `others` is what `path_masks` says.
    """
    *masks, words = others
    return installed & ~usable(installed, *masks, operational(words))


def reasons_of_driver(words: object, installed: object, chpids: object) -> dict[str, str]:
    """Return why the DASD driver does not use channel paths of a device, by these, from `path_masks`."""
    masks = path_masks(words) if isinstance(words, str) else {}
    return {
        chpid: why.words
        for name, why in OF_DRIVER.items()
        for chpid in paths_in(masks.get(name, 0), installed, chpids)
    }


@lru_cache(maxsize=256)  # likewise
def operational(words: object) -> int | None:
    """Return the first of the driver's masks, of the paths that it uses.

    One of no path says nothing, as of a device that is offline, unless another mask says why.
    """
    masks = path_masks(words) if isinstance(words, str) else {}
    says = masks.get("opm") or any(masks.get(name) for name in OF_DRIVER)
    return masks["opm"] if says else None
