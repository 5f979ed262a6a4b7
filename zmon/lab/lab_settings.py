"""Settings of the simulated Linux: as practice advises, but for those that a scenario changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.kinds import DEVICE, LAYER, MPATH, PATH, SETTING
from zmon.sample import frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.lab.model import Scenario
    from zmon.sample import Frame

DEFAULTS: Final[Mapping[str, Value]] = {
    "vm.swappiness": "10",
    "kernel.panic": "0",
    "kernel.panic_on_oops": "1",
    "transparent_hugepage": "madvise",
    "kexec_crash_loaded": "1",
    "on_panic": "stop",
    "hugepages/1024/total": 0,
    "hugepages/1024/free": 0,
    "hugepages/1024/reserved": 0,
    "capacity/adjustment": 100,
    "capacity/reason": 0,
    "cmdline/crashkernel": "256M",
    "cio_ignore": "",
    "fstab/dasd": 0,
    "programs": "multipathd zmon",
}
OF_FCP: Final[Mapping[str, Value]] = {
    "multipath.conf": "read",
    "multipath.conf/defaults/user_friendly_names": "no",
    "zfcp/datarouter": "Y",
    "zfcp/dif": "N",
    "zfcp/queue_depth": "32",
    "zfcp/allow_lun_scan": "Y",
}


def settings_frame(plan: Scenario, frames: Mapping[str, Frame]) -> Frame:
    """Return the frame SETTING of a machine whose other frames are known, with a scenario's own settings."""
    layers, devices = frames[LAYER.name], frames[DEVICE.name]
    rows: dict[str, Value] = {**DEFAULTS}
    names = ("name", "sort", "uuid", "below")
    for number, name, sort, uuid, below in zip(layers.keys, *map(layers.column, names), strict=True):
        if sort == "disk":
            rows[f"disk/{name}/scheduler"] = "none"
            if str(name).startswith("sd"):
                rows[f"disk/{name}/state"] = "running"
        elif str(uuid).startswith(MPATH):
            rows[f"paths/{number}"] = " ".join(f"{path}=A" for path in str(below).split())
    for busid, driver in zip(devices.keys, devices.column("driver"), strict=True):
        if driver == "zfcp":
            rows |= OF_FCP
            rows |= {f"fc/{busid}/port_type": "NPIV VPORT", f"fc/{busid}/port_state": "Online"}
            if devices.cell(busid, "online") == 0:
                rows[f"fc/{busid}/port_state"] = "Offline"
    rows |= _of_failed(frames)
    rows |= dict(plan.settings)
    return frame_of(SETTING, {name: {"value": value} for name, value in rows.items()}, layers.times[0])


def _of_failed(frames: Mapping[str, Frame]) -> dict[str, Value]:
    """Return the states of the SCSI disks that are paths and do not run."""
    paths = frames.get(PATH.name)
    if paths is None:
        return {}
    states = zip(paths.column("name"), paths.column("device"), strict=True)
    return {f"disk/{name}/state": state for name, state in states if state != "running"}


def read_setting(name: str, value: object) -> Value:
    """Return the value of a setting in a scenario.

    Raises:
        ValueError: there is no setting of this form, or the value is neither a text nor a whole number.
    """
    if not re.fullmatch(SETTING.key_form, name, re.ASCII):
        raise ValueError(f"{name[:60]!r} is no setting; see docs/lab.md")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{name} is a text or a whole number, not {value!r:.60}")  # noqa: TRY004 - of a file
    return value
