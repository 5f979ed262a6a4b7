"""What probert found of the storage of a machine, as the installer of Ubuntu keeps it in JSON.

    {"storage": {"blockdev": {"/dev/dasda": {"DEVPATH": ..., "attrs": {"size": "1024", ...}}}, "lvm": ...}}

Of each device it has the properties of udev, and some attributes of the kernel: a size is in bytes, the start
of a partition in sectors.
Source: probert, probert/storage.py, multipath.py, raid.py, lvm.py, mount.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zmon.base.sizes import SECTOR
from zmon.collected.array_texts import lose_members
from zmon.collected.bare_names import below_dev
from zmon.collected.mount_texts import Findmnt
from zmon.collected.reading import OrDocument, objects
from zmon.collected.udev_texts import Udevadm
from zmon.kinds import LAYER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value

_DEVICE: Final = re.compile(r'\s*"(/dev/[^"\s]{1,250})": \{')


class _DeviceRecords(Udevadm):
    """The records of udev in it."""

    tool = "probert"


class Probert(OrDocument):
    """Block devices, what they are made of, and what is mounted."""

    tool = "probert"
    tells = ("device", "dasd", "layer", "mount")
    first = r'\{\s*"storage": \{'
    _has_sizes = False
    """Whether sizes are in bytes: releases that know no DASDs took each sector for a block of the device."""

    def document(self, document: dict[str, Any]) -> bool:
        """Take the storage."""
        storage = _below(document, "storage")
        devices = _below(storage, "blockdev")
        lines: dict[str, int] = {}
        for number, row in enumerate(self.text.text.split("\n")):
            if named := _DEVICE.match(row):
                lines.setdefault(named[1], number)
        self._has_sizes = "dasd" in storage
        udev = _DeviceRecords(self.text, self.facts)
        for name, device in devices.items():
            udev.number = self.number = lines.get(name, self.number)
            self._take_device(udev, name, device if isinstance(device, dict) else {})
        self.strange += udev.strange
        self._take_maps(_below(storage, "multipath"))
        for name, array in _below(storage, "raid").items():
            self._take_array(below_dev(name), array if isinstance(array, dict) else {})
        for group, members in _below(storage, "lvm", "physical_volumes").items():
            own = self.facts.groups.setdefault(group, {})
            own |= dict.fromkeys(map(below_dev, _texts(members)), self.place)
        mounts = Findmnt(self.text, self.facts)
        mounts.number = self.number
        if mounts.document({"filesystems": storage.get("mount")}):
            mounts.end()
        return bool(devices)

    def _take_device(self, udev: Udevadm, name: str, device: Mapping[str, Any]) -> None:
        properties = {key: value for key, value in device.items() if isinstance(value, str)}
        links = [f"S:{link.removeprefix('/dev/')}" for link in properties.get("DEVLINKS", "").split()]
        udev.take_record([*links, *(f"E:{key}={value}" for key, value in properties.items())])
        number = f"{properties.get('MAJOR', '')}:{properties.get('MINOR', '')}"
        attributes = _below(device, "attrs")
        row: dict[str, Value] = {}
        for field, unit in (("size", SECTOR * self._has_sizes), ("start", 1)):
            value = attributes.get(field)
            if unit and isinstance(value, str) and value.isdecimal() and int(value):
                row[field] = int(value) // unit
        if self.facts.value(LAYER, number, "name") == below_dev(name):
            self.facts.say(LAYER, number, self.place, **row)

    def _take_maps(self, multipath: Mapping[str, Any]) -> None:
        """Take which disks are paths of which map; of one with more than are named some are open."""
        paths = objects(multipath.get("paths"))
        for entry in objects(multipath.get("maps")):
            wwid, kernel, count = (entry.get(field) for field in ("multipath", "sysfs", "paths"))
            own = [path.get("device") for path in paths if path.get("multipath") == wwid]
            names = [name for name in own if isinstance(name, str)]
            if isinstance(kernel, str) and names:
                if count != str(len(names)):
                    self.facts.leave_open(f"?{kernel}.path", f"a path of {wwid}")
                    names.append(f"?{kernel}.path")
                self.facts.say(LAYER, kernel, self.place, below=" ".join(names))

    def _take_array(self, name: str, array: Mapping[str, Any]) -> None:
        members = [*map(below_dev, _texts(array.get("devices")))]
        count = array.get("MD_DEVICES")
        if not members or not isinstance(count, str) or not count.isdecimal():
            return
        level = array.get("raidlevel")
        lost = lose_members(
            self.facts, name, [f"not listed: a member of {name}"] * (int(count) - len(members))
        )
        below = " ".join([*members, lost]).strip()
        key = self.facts.name_device(name, self.place)
        self.facts.say(LAYER, key, self.place, sort="md", below=below, level=str(level or ""))


def _below(node: Any, *names: str) -> Mapping[str, Any]:
    """Return what lies below names; nothing if that is not as probert writes it."""
    for name in names:
        node = node.get(name) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else {}


def _texts(value: Any) -> list[str]:
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
