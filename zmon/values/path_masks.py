"""The path masks of a device: which channel paths it has, which of them can be used, and why not the others.

A subchannel has four.  The driver of a DASD has six more, `path_masks`, in hex.  The highest bit of each is
the first path of the device.  Source: drivers/s390/block/dasd_devmap.c.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache, reduce
from operator import and_

from zmon.base.absent import absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.base.absent import Value
    from zmon.sample import Frame

PATH_MASKS: Final = ("pim", "pam", "pom", "vpm")
"""The masks of a subchannel's paths: installed, available, operational, verified."""
OF_DEVICE: Final = ("chpids", *PATH_MASKS, "path_masks")
"""The fields of a device that tell of its channel paths."""
MASKS: Final = ("opm", "npp", "cablepm", "cuirpm", "hpfpm", "ifccpm")
"""The masks in their order: operational, not preferred, miscabled, taken off by the control unit for
maintenance, not usable for High Performance FICON, taken off after interface errors."""


class Unused(Enum):
    """Why a channel path is not used: in words, and what that is called, if it has a name."""

    MAINTENANCE = "taken off by the control unit for maintenance", "CUIR"
    CABLE = "miscabled", ""
    ERRORS = "taken off after interface errors", ""
    WITHOUT_HPF = "not usable for High Performance FICON", "HPF"
    NOT_PREFERRED = "not preferred", ""
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
OF_LOST: Final = {"hpfpm": Unused.WITHOUT_HPF, "npp": Unused.NOT_PREFERRED}
"""What explains a lost path that no mask of `OF_DRIVER` has; paths in use may be in these masks, too."""
IN_SHORT: Final = {
    "cuirpm": "CUIR", "cablepm": "CABLE", "ifccpm": "ERROR", "hpfpm": "HPF", "npp": "NPREF",
}  # fmt: skip
"""Both in a column of five characters."""
NO_MASKS: Final = absent("the path masks are not known")


def paths_in(mask: int, installed: object, chpids: object) -> tuple[str, ...]:
    """Return the channel paths of a device that are in a mask; none if its installed ones are not known.

    `installed` is the mask of these, whose CHPIDs, in the order of its bits, are the words of `chpids`.
    """
    if not isinstance(installed, int) or not isinstance(chpids, str):
        return ()
    bits = [0x80 >> place for place in range(8) if installed & (0x80 >> place)]
    return tuple(chpid for chpid, bit in zip(chpids.split(), bits, strict=False) if mask & bit)


def path_masks(text: str) -> dict[str, int]:
    """Return the six masks of `path_masks` by name; none of a text of another form."""
    try:
        return dict(zip(MASKS, (int(word, 16) for word in text.split()), strict=True))
    except ValueError:
        return {}


@lru_cache(maxsize=256)  # most devices have the same few masks
def usable(*masks: object, online: object = 1) -> int:
    """Return the mask of the paths that can be used; a mask that is absent takes none away.

    `masks` are what the fields of `PATH_MASKS` say, and `path_masks` where the driver is asked, too.  Of a
    device that is offline, by `online`, the first three count: Linux verifies paths when it sets it online.
    """
    asked = masks[:3] if online == 0 else masks
    read = (_operational(mask) if isinstance(mask, str) else mask for mask in asked)
    return reduce(and_, [mask for mask in read if isinstance(mask, int)], 0xFF)


def _operational(text: str) -> int | None:
    """Return the first of the driver's masks, of the paths that it uses; a device offline has no masks."""
    return path_masks(text).get("opm")


class DevicePaths(NamedTuple):
    """The channel paths of a device, as masks."""

    installed: int
    lost: int
    """Those that another mask of the subchannel, or the driver, takes away."""
    chpids: Value
    """The CHPIDs of the installed ones, in the order of their bits, with blanks between."""
    of_driver: Value
    """What `path_masks` says."""

    def named(self, mask: int) -> tuple[str, ...]:
        """Return the CHPIDs of those in a mask."""
        return paths_in(mask, self.installed, self.chpids)

    @property
    def lost_chpids(self) -> tuple[str, ...]:
        """The CHPIDs of those that are lost."""
        return self.named(self.lost)

    @property
    def reasons(self) -> dict[str, list[Unused]]:
        """Why the driver of a DASD does not use some, by CHPID, in the order of the masks that say so."""
        masks = path_masks(text_of(self.of_driver))
        reasons: dict[str, list[Unused]] = {}
        for name, why in OF_DRIVER.items():
            for chpid in self.named(masks.get(name, 0)):
                reasons.setdefault(chpid, []).append(why)
        for name, why in OF_LOST.items():
            for chpid in self.named(self.lost & masks.get(name, 0)):
                reasons.setdefault(chpid, [why])
        return reasons


@lru_cache(maxsize=4096)  # likewise
def device_paths(chpids: Value, installed: Value, *others: Value) -> DevicePaths | None:
    """Return the channel paths of a device from its fields `OF_DEVICE`; None if no mask is known."""
    if not isinstance(installed, int):
        return None
    return DevicePaths(installed, installed & ~usable(installed, *others), chpids, others[-1])


def paths_on_line(frame: Frame, keys: Iterable[str]) -> Iterator[DevicePaths]:
    """Yield the channel paths of those of some devices that are on line and whose paths are known."""
    online, *columns = (frame.column(name) for name in ("online", *OF_DEVICE))
    for row in (frame.index[key] for key in keys if key in frame.index):
        if online[row] == 1 and isinstance(columns[0][row], str):
            paths = device_paths(*(column[row] for column in columns))
            if paths is not None:
                yield paths
