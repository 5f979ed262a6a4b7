"""The unique id of a DASD, as its `uid` attribute spells it: VENDOR.SERIAL.SSID.UA[.TOKEN].

The kernel takes it from the device's configuration data, so it names the same volume on every
machine that reaches it, without any help from the hypervisor.
"""

from __future__ import annotations

import re
from functools import lru_cache

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from zmon.base.absent import Value

HYPERPAV: Final = "xx"
"""The unit address of a HyperPAV alias, which serves another base with every I/O."""

_FORM: Final = (
    r"(?P<vendor>[^\s.]{1,3})\.(?P<serial>[^\s.]{1,14})\.(?P<ssid>[0-9a-f]{4})\.(?P<ua>[0-9a-f]{2}|xx)"
    r"(?:\.(?P<token>\S+))?"
)


class Uid(NamedTuple):
    """The storage server, subsystem and unit of a device."""

    vendor: str
    """Manufacturer, up to three characters: `IBM`."""
    serial: str
    """Plant and sequence number of the storage server, up to 14 characters."""
    ssid: str
    """Subsystem id, four hex digits: the logical control unit within the server."""
    ua: str
    """Unit address, two hex digits; a PAV alias has its base's, a HyperPAV alias `xx`."""
    token: str = ""
    """Tells minidisks of one volume apart; only under z/VM."""

    def __str__(self) -> str:
        return f"{self.volume}.{self.token}" if self.token else self.volume

    @property
    def lcu(self) -> str:
        """The key of the logical control unit: VENDOR.SERIAL.SSID, as the kernel groups devices."""
        return f"{self.vendor}.{self.serial}.{self.ssid}"

    @property
    def volume(self) -> str:
        """The key of the real volume, without the token of a minidisk."""
        return f"{self.lcu}.{self.ua}"


def find_uid(cell: object) -> Uid | None:
    """Return the unique id in a cell of a sample; None if there is none, or a text of another form."""
    return _uid_in(cell) if isinstance(cell, str) else None


@lru_cache(maxsize=16_384)  # those of all devices of a large machine, which each sample asks about
def _uid_in(text: str) -> Uid | None:
    try:
        return parse_uid(text)
    except ValueError:
        return None


def known_uid(attribute: Value, told: Value) -> Value:
    """Return the unique id of a device: its attribute, else as its configuration data have it."""
    return told if isinstance(attribute, Absent) and isinstance(told, str) else attribute


def alias_kind(uid: object) -> str:
    """Return what an alias is by its unique id: `PAV`, `HPAV`, or without one `alias`, of either kind."""
    identity = find_uid(uid)
    return "alias" if identity is None else "HPAV" if identity.ua == HYPERPAV else "PAV"


def parse_uid(content: str) -> Uid:
    """Take a unique id apart.

    Raises:
        ValueError: it has not this form.
    """
    match = re.fullmatch(_FORM, content.strip(), re.ASCII)
    if match is None:
        raise ValueError(f"not VENDOR.SERIAL.SSID.UA[.TOKEN]: {content[:80]!r}")
    return Uid(**match.groupdict(default=""))
