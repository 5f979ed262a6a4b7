"""What Linux cannot use of the ways to a SCSI disk: adapters offline, paths, ports and LUNs that failed."""

from __future__ import annotations

from zmon.base.absent import text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kinds import DEVICE, PATH
from zmon.values.fcp_state import cause_of
from zmon.values.path_masks import PATH_MASKS, usable
from zmon.values.path_state import GONE, reasons_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from zmon.topology.machine import Machine
    from zmon.topology.volumes import Volume

ADAPTER_OFFLINE: Final = "adapter offline"
NO_CHANNEL_PATH: Final = "no channel path left"
"""Why a DASD that is on line carries nothing."""


def is_offline(busid: str, machine: Machine) -> bool:
    """Return whether a device of the channel subsystem is known to be offline."""
    return machine.sample.frame(DEVICE).cell(busid, "online") == 0


def has_no_channel_path(busid: str, machine: Machine) -> bool:
    """Return whether a device that is not offline is known to have lost all its channel paths."""
    devices = machine.sample.frame(DEVICE)
    online, *masks = (devices.cell(busid, name) for name in ("online", *PATH_MASKS, "path_masks"))
    return online != 0 and not usable(*masks)


def reasons_of(
    paths: Collection[Volume], machine: Machine, alone: Collection[Volume] = ()
) -> Mapping[str, str]:
    """Return why paths that multipath joins are not used, by major:minor, or nothing if they are.

    Those of which it is not known are left out; so are disks alone, unless adapter, port, LUN or all channel
    paths have failed.
    """
    frame, cause = machine.sample.frame(PATH), cause_of(machine.sample)
    said = reasons_in(frame)
    causes = {
        path.number: cause(*map(text_of, (path.disk, path.busid, path.wwpn))) for path in (*paths, *alone)
    }
    reasons = {number: why for number, why in causes.items() if why}
    lost = [disk.number for disk in alone if has_no_channel_path(text_of(disk.busid), machine)]
    reasons.update(dict.fromkeys(lost, NO_CHANNEL_PATH))
    are_listed = any(path.number in frame.index for path in paths)  # a list may be of other maps
    for path in paths:
        why = GONE if are_listed and path.number not in frame.index else said.get(path.number)
        if not why and is_offline(text_of(path.busid), machine):
            why = ADAPTER_OFFLINE
        if why is not None:
            reasons.setdefault(path.number, why)
    return reasons
