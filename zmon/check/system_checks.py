"""What checks of processors, network, dumps, names and monitoring look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, text_of
from zmon.check.practice import reason_of
from zmon.kinds import BLOCK
from zmon.words.template import With

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.check.practice import CheckInput

BUFFERS: Final = ((500, 16), (900, 32), (1900, 64))
"""MB of memory up to which this many buffers are enough for an OSA device; 128 for more."""
MOST_BUFFERS: Final = 128
RECORDERS: Final = {"pmlogger": "pmlogger", "sadc": "sadc", "zmon": "zmon record"}
"""What records day and night, by the names of their programs."""


def processors_for_fcp(given: CheckInput) -> Mapping[str, Any]:
    """Return the requests to FCP disks and to all disks in a second."""
    rates: dict[str, float] = {}
    for name in ("reads", "writes"):
        for key, rate in given.rates(BLOCK, name).items():
            rates[key] = rates.get(key, 0.0) + (0.0 if isinstance(rate, Absent) else rate)
    names = {str(node.name) for node in given.luns}
    disks = [key for key in rates if key.startswith(("dasd", "sd"))]
    return {
        "is_measured": bool(rates) and not isinstance(given.cpu_busy, Absent),
        "fcp": sum(rates[key] for key in disks if key in names),
        "all": sum(rates[key] for key in disks),
    }


def recorder(given: CheckInput) -> Mapping[str, Any]:
    """Return the programs that record, and all that run."""
    programs = given.setting("programs")
    running = text_of(programs).split()
    return {"programs": programs, "recorders": [RECORDERS[name] for name in RECORDERS if name in running]}


def device_labels(given: CheckInput) -> Mapping[str, Any]:
    """Return the labels that are known with the device number, and how many of them end in it."""
    disks = given.machine.volumes.values() if given.bases else ()
    volumes = [volume for volume in disks if isinstance(volume.volser, str) and isinstance(volume.rdev, str)]
    labels = [With(volume, is_alike=str(volume.volser).endswith(str(volume.rdev)[-4:])) for volume in volumes]
    return {"labels": labels, "count": len(labels), "alike": sum(label.is_alike for label in labels)}


def number_blocks(given: CheckInput) -> Mapping[str, Any]:
    """Return the blocks of 256 device numbers, and in how many LCUs each is."""
    blocks: dict[str, set[str]] = {}
    for volume in given.machine.volumes.values() if given.bases else ():
        if isinstance(volume.rdev, str) and not isinstance(volume.lcu, Absent):
            blocks.setdefault(volume.rdev[:-2], set()).add(volume.key)
    return {"blocks": [{"block": block, "lcus": len(keys)} for block, keys in sorted(blocks.items())]}


def capacity(given: CheckInput) -> Mapping[str, Any]:
    """Return why /proc/sysinfo is unseen, if it is."""
    return {"unseen": given.settings.get("capacity")}


def network_buffers(given: CheckInput) -> Mapping[str, Any]:
    """Return the OSA devices, how many buffers they have, and how many the memory wants."""
    rows, total = given.settings_of("qeth/"), given.memory.total
    devices = [
        {"busid": name.partition("/")[0], "count": value}
        for name, value in rows.items()
        if isinstance(value, int)
    ]
    return {
        "all": list(rows),
        "unseen": given.settings.get("qeth"),
        "devices": devices or reason_of(next(iter(rows.values()), "")),
        "wanted": next((number for size, number in BUFFERS if total <= size << 20), MOST_BUFFERS),
    }


def dumps(given: CheckInput) -> Mapping[str, Any]:
    """Return whether a crash leaves a dump, whether kdump takes it, and whether another action is told."""
    action, is_by_kdump = text_of(given.setting("on_panic")), given.setting("kexec_crash_loaded") == "1"
    return {
        "is_by_kdump": is_by_kdump, "is_told": bool(action), "is_dumped": is_by_kdump or "dump" in action,
    }  # fmt: skip


FACTS: Final = {
    "B25": processors_for_fcp,
    "B27": recorder,
    "B28": device_labels,
    "B29": number_blocks,
    "H14": capacity,
    "H16": network_buffers,
    "H17": dumps,
}
"""What is found for each of these checks."""
