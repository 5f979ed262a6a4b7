"""What a device of the channel subsystem is, of which no disk is known: offline, an alias, an adapter."""

from __future__ import annotations

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kinds import ADAPTER, CONTRADICTED, DASD, DEVICE, LAYER
from zmon.placement.unused_paths import NO_CHANNEL_PATH, has_no_channel_path
from zmon.topology.lun import is_fcp
from zmon.topology.volumes import device_type, titles
from zmon.values.dasd_state import SECONDARY, use_of
from zmon.values.fcp_state import FAILED_STATES
from zmon.values.path_masks import PATH_MASKS, paths_in, usable
from zmon.values.uid import HYPERPAV, find_uid, known_uid

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.topology.machine import Machine

NO_LCU: Final = absent("neither a uid nor another source names its LCU")


class ChannelDevice(NamedTuple):
    """A device of the channel subsystem, as IOCONF shows it."""

    busid: str
    type: Value
    """Type and model: `3390-3`."""
    cutype: Value
    status: Value
    """`online`, `offline`, `secondary` or `not formatted`."""
    role: str
    """`HyperPAV alias`, `PAV alias`, without a uid `alias`; `FCP adapter`; empty for other devices."""
    lcu: Value
    """The name of its LCU: `LCU 7600`."""
    chpids: Value
    driver: Value
    port: str = ""
    """The state of the port of an FCP adapter that carries nothing: `Linkdown`."""
    lost: str = ""
    """The channel paths that Linux cannot use: `40 42`."""
    pair: str = ""
    """The bus ids of the copy pair that it is in, the primary's first."""
    is_cut_off: bool = False
    """Whether it is known to have lost all its channel paths."""
    contradiction: str = ""
    """What sources say of its disk, if they contradict each other; empty if they do not."""

    @property
    def words(self) -> str:
        """What it is, and why no disk is known of it."""
        cutype = "" if isinstance(self.cutype, Absent) else f" on {self.cutype}"
        facts = [
            f"{text_of(self.type) or 'a device'}{cutype}",
            f"{self.role}{'' if isinstance(self.lcu, Absent) else f' of {self.lcu}'}"
            if self.role
            else text_of(self.lcu),
            text_of(self.status),
            f"port {self.port}" if self.port else "",
            f"copy pair {self.pair}" if self.pair else "",
            "" if isinstance(self.chpids, Absent) else f"CHPIDs {self.chpids}",
            f"lost {self.lost}" if self.lost else NO_CHANNEL_PATH * self.is_cut_off,
        ]
        return f"{', '.join(filter(None, facts))}: {self._why}"

    @property
    def _why(self) -> str:
        if self.contradiction:
            return self.contradiction
        if self.status == "offline":
            return "Linux does not use it, and what is on it cannot be read"
        if self.status == SECONDARY:
            return "the storage server writes it, and it has no disk of its own"
        if self.role.endswith("alias"):
            return "it does the I/O of volumes and holds no data itself"
        if self.role:
            return "no disk over it is known"
        return "no disk of it is known"


def channel_device(busid: str, machine: Machine) -> ChannelDevice:
    """Return what is known of a device that the channel subsystem has."""
    frame = machine.sample.frame(DEVICE)
    names = ("devtype", "cutype", "online", "alias", "chpids", "driver", *PATH_MASKS, "path_masks")
    devtype, cutype, online, alias, chpids, driver, *masks = (frame.cell(busid, name) for name in names)
    uid = known_uid(frame.cell(busid, "uid"), machine.sample.frame(DASD).cell(busid, "uid"))
    named = titles(machine.lcus)
    lcu = next((named[key] for key, unit in machine.lcus.items() if busid in unit.members), NO_LCU)
    identity = find_uid(uid)
    role = ""
    if alias == 1:
        role = "alias" if identity is None else "HyperPAV alias" if identity.ua == HYPERPAV else "PAV alias"
    elif is_fcp(driver, cutype):
        role = "FCP adapter"
    state, copies = frame.cell(busid, "status"), frame.cell(busid, "copy_role")
    status = use_of(online, state, machine.sample.frame(DASD).cell(busid, "state"), copies)
    port = text_of(machine.sample.frame(ADAPTER).cell(busid, "port_state"))
    port = port if port in FAILED_STATES else ""
    lost = " ".join(paths_in(~usable(*masks, online=online), masks[0], chpids))
    return ChannelDevice(
        busid, device_type(devtype, cutype), cutype, status, role, lcu, chpids, driver, port, lost,
        text_of(frame.cell(busid, "copy_pair")), has_no_channel_path(busid, machine),
        _contradiction(frame.cell(busid, "block"), machine),
    )  # fmt: skip


def _contradiction(disk: Value, machine: Machine) -> str:
    """Return what sources say of the device of a disk, if they contradict each other; else nothing."""
    if isinstance(disk, Absent):
        return f"of its disk {disk.reason}" if disk.code == CONTRADICTED.code else ""
    layers = machine.sample.frame(LAYER)
    for name, device in zip(layers.column("name"), layers.column("busid"), strict=True) if disk else ():
        if name == disk and isinstance(device, Absent) and device.code == CONTRADICTED.code:
            return f"of {disk} {device.reason}"
    return ""
