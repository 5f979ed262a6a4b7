"""Devices by other names of theirs: links of udev, and partitions by the names of their disks.

    disk/by-path/ccw-0.0.7000-part1, disk/by-id/ccw-IBM.750000000ABCD1.7000.00     a DASD
    disk/by-path/ccw-0.0.fc00-fc-0x5005...-lun-0x4010...-part1                     a SCSI disk
    dasd/7000/part1, dasd/0.0.7000/disc                                            a DASD, by old names
    disk/by-id/wwn-0x6005..., scsi-36005..., dm-uuid-mpath-36005..., nvme-eui...   a map, or a disk
    mapper/mpatha-part2, mpatha_part2, mpathap2, mpatha2, 36005...-part2           a partition of a map

kpartx puts a `p` between a name that ends in a digit and the number of the partition, else nothing; rules of
distributions have it put `-part`, `_part` or `p` there.
A name by path tells the device also where no text has its disk.
Sources: s390-tools, etc/udev/rules.d/59-dasd.rules; systemd, rules.d/60-persistent-storage.rules;
multipath-tools, kpartx/kpartx.c, kpartx/dm-parts.rules.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import text_of
from zmon.collected.dasd_texts import BUSID, busid_of
from zmon.collected.facts import ASSUMED, values_of
from zmon.collected.fcp_texts import address_of, linked_lun
from zmon.collected.numbers import disk_name, is_of_kernel, name_of_number, sort_of
from zmon.kernel.disk_identity import NAA
from zmon.kinds import DASD, DEVICE, LAYER, MPATH, MULTIPATH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.collected.facts import Facts
    from zmon.sample import Frame

_NUMBER: Final = "[1-9][0-9]{0,2}"
_OF_DASD: Final = re.compile(
    r"disk/by-(?:path|id)/ccw-([^\s/]{3,60}?)(?:-part([1-9][0-9]?))?"
    r"|dasd/((?:0[.][0-3][.])?[0-9a-f]{4})/(?:dis[ck]|device|part([1-9][0-9]?))"
)
_UID: Final = re.compile(
    r"[A-Z0-9]{1,3}[.][A-Z0-9]{1,14}[.][0-9a-f]{4}[.][0-9a-f]{2,6}(?:[.][0-9a-f]{1,32})?"
)
_BY_NAME: Final = re.compile(r"disk/by-id/dm-name-(\S{1,200})")
_BY_ID: Final = re.compile(
    rf"disk/by-id/(dm-uuid-(?:part({_NUMBER})-)?mpath-|wwn-0x|scsi-|nvme-)([^\s/]{{8,200}}?)(?:-part({_NUMBER}))?"
)
_PART_OF_MAP: Final = tuple(
    re.compile(pattern)
    for pattern in (rf"(.+)[-_]part({_NUMBER})", rf"(.+)p({_NUMBER})", rf"(.+[^0-9])({_NUMBER})")
)


_TOLD: Final = ("busid", "wwpn", "lun")
"""What names by path say of disks."""


class Device(NamedTuple):
    """Which device a name means: a map, a disk, or a partition of one."""

    disk: str
    part: str = ""
    """Empty for the whole."""
    is_map: bool = False
    told: tuple[str, ...] = ()
    """What the name itself says of the disk, if no text has it: bus id, port, LUN."""


def name_others(facts: Facts, layers: Frame) -> None:
    """Say which devices texts mean by names that no text explains, if it has the disk of them."""
    facts.rows.setdefault(LAYER.name, {})
    Names(facts, layers).say()


class Names:
    """The disks and maps of texts, and what other names mean."""

    def __init__(self, facts: Facts, layers: Frame) -> None:
        """Collect the names by which disks and maps are known."""
        self._facts = facts
        self._layers = layers
        self._dasds = self._dasds_by_id()
        self._luns = self._disks_by_lun()
        self._maps: dict[str, str] = {}
        """The titles of maps by these and by their WWIDs."""
        self._disks: dict[str, set[str]] = {}
        """The names of disks by their WWIDs as udev writes them."""
        self._known: set[str] = set()
        """Names in /dev/mapper, and links, of which it is known what they are."""
        self._keys: dict[str, str] = {}
        """The keys of rows by names in /dev/mapper."""
        self._bound: dict[str, str] = {}
        """The uuids of maps by the names that the bindings of multipath give to these."""
        self._kernel: set[str] = set()
        """Names of the kernel that have rows."""
        self._collect()
        self._bind()

    def say(self) -> None:
        """Say what the names mean, and which unique ids of DASDs links have."""
        self._say_uids()
        self._say_paths()
        for word, place in self._words():
            if device := self._meant(word):
                self._say(word, device, place)

    def _say_uids(self) -> None:
        """Say of DASDs whose bus ids are known their unique ids, as links by id have them."""
        busids = {name: busid for busid, name in self._dasds.items() if re.fullmatch(BUSID, busid)}
        for key, row in self._facts.rows[LAYER.name].items():
            names = {name_of_number(key), key, *values_of(row, "name")}
            busid = next((busids[name] for name in names if name in busids), "")
            for fact in row.get("wwid", ()) if busid else ():
                if _UID.fullmatch(str(fact.value)):
                    self._facts.hint(DEVICE, busid, fact.place, uid=fact.value)
            for fact in row.get("links", ()) if busid else ():
                for link in str(fact.value).split():
                    match = _OF_DASD.fullmatch(link)
                    if match and not match[2] and _UID.fullmatch(match[1] or ""):
                        self._facts.say(DEVICE, busid, fact.place, uid=match[1])

    def _say_paths(self) -> None:
        """Say of maps of which no text has the paths that the disks with their WWIDs are some of these."""
        of_kernel = {text_of(uuid) for uuid in self._layers.column("uuid")}
        rows = self._facts.rows[LAYER.name]
        told = {uuid for row in rows.values() for uuid in values_of(row, "uuid")}
        for wwid, place in self._facts.joined.items():
            uuid = f"{MPATH}{wwid}"
            if uuid not in {*of_kernel, *told}:
                own = [key for key, row in rows.items() if wwid in values_of(row, "mapped")]
                key = own[0] if len(own) == 1 else f"map-{wwid}"
                self._facts.say(LAYER, key, place, sort="dm", mapped=wwid, uuid=uuid)
        maps = [(key, row, fact) for key, row in rows.items() for fact in row.get("uuid", ())[:1]]
        for key, row, fact in maps:
            kind, _, wwid = str(fact.value).partition("-")
            disks = sorted(self._disks.get(wwid.casefold(), ())) if f"{kind}-" == MPATH else []
            if disks and fact.value not in of_kernel and not row.get("below"):
                unseen, title = f"?{key}.more", self._maps.get(wwid, key)
                self._facts.leave_open(unseen, f"a path of {title}")
                self._facts.hint(LAYER, key, fact.place, below=" ".join((*disks, unseen)))

    def _words(self) -> Iterable[tuple[str, str]]:
        """Return the names that texts use, each with its text."""
        rows = self._facts.rows[LAYER.name]
        named = [
            (word, fact.place)
            for row in rows.values()
            for fact in row.get("below", ())
            for word in str(fact.value).split()
        ]
        named += [(str(fact.value), fact.place) for row in rows.values() for fact in row.get("mapped", ())]
        named += [device for devices in self._facts.btrfs.values() for device in devices.values()]
        named += [(device, place) for device, (_sort, _uuid, place) in self._facts.contents.items()]
        named += [
            (device, place)
            for (device, _title), place in (*self._facts.lent.items(), *self._facts.failed.items())
        ]
        named += [(device, f"{ASSUMED} by its name") for device in sorted(self._facts.mounted)]
        return {word.removeprefix("mapper/"): place for word, place in reversed(named)}.items()

    def _collect(self) -> None:
        layers = self._layers
        fields = ("name", "mapped", "uuid", "wwid", "sort", "links")
        columns = (layers.column(field) for field in fields)
        cells = [dict(zip(fields, map(text_of, row), strict=True)) for row in zip(*columns, strict=True)]
        for row in cells:
            self._known |= {row["mapped"], *row["links"].split()}
        for key, facts in self._facts.rows[LAYER.name].items():
            told = {field: str(facts[field][0].value) for field in fields if facts.get(field)}
            mapped = told.get("mapped", "")
            self._known |= {*told.get("links", "").split()}
            if mapped:
                self._keys[mapped] = key
                if facts.get("below") or facts.get("table") or told.get("uuid", "").startswith("part"):
                    self._known.add(mapped)
            cells.append({"name": key if is_of_kernel(key) else "", **told})
        for kind_row in self._facts.rows.get(MULTIPATH.name, {}).values():
            title, wwid = (next(iter(values_of(kind_row, field)), "") for field in ("title", "wwid"))
            cells.append({"mapped": title, "uuid": f"{MPATH}{wwid}"})
        for row in cells:
            self._collect_disk(row)

    def _bind(self) -> None:
        """Take the names of maps in /etc/multipath/bindings: each means the map of its WWID, or names it."""
        rows = self._facts.rows[LAYER.name]
        keys = {uuid: key for key, row in rows.items() for uuid in values_of(row, "uuid")}
        for alias, (wwid, place) in self._facts.bindings.items():
            key = keys.get(f"{MPATH}{wwid}", "")
            if key and not rows[key].get("mapped"):
                self._facts.say(LAYER, key, place, mapped=alias, sort="dm")
                self._keys[alias], self._maps[wwid] = key, alias
            elif key and self._maps.get(wwid, alias) != alias:
                self._facts.say(LAYER, key, place, links=f"mapper/{alias}")
            title = self._maps.setdefault(wwid, alias)
            if self._maps.setdefault(alias, title) == title:
                self._bound[alias] = f"{MPATH}{wwid}"
                if alias in self._keys:
                    self._name(alias, place)

    def _name(self, title: str, place: str) -> None:
        """Say which WWID a map of the bindings has, unless another text has said it."""
        key = self._keys.get(title, title)
        uuids = self._facts.rows[LAYER.name].get(key, {}).get("uuid", ())
        if title in self._bound and all(fact.value == MPATH for fact in uuids):
            self._facts.say(LAYER, key, place, mapped=title, sort="dm", uuid=self._bound[title])

    def _collect_disk(self, row: Mapping[str, str]) -> None:
        uuid, mapped, name = (row.get(field, "") for field in ("uuid", "mapped", "name"))
        if mapped and uuid.startswith(MPATH):
            self._maps[mapped] = mapped
            if wwid := uuid.removeprefix(MPATH):
                self._maps[wwid] = mapped
        wwid = row.get("wwid", "")
        if name and wwid:
            self._disks.setdefault(wwid.replace(NAA, "3", 1).casefold(), set()).add(name)
        self._kernel.add(name)

    def _meant(self, word: str) -> Device | None:
        """Return which device a name means; None for one that needs no explanation, or has none."""
        if word in self._known:
            return None
        if word.startswith("disk/by-path/") or _OF_DASD.fullmatch(word):
            return self._by_path(word)
        if match := _BY_NAME.fullmatch(word):
            return Device(self._maps[match[1]], "", is_map=True) if match[1] in self._maps else (
                self._part_of_map(match[1])
            )  # fmt: skip
        if match := _BY_ID.fullmatch(word):
            wwid = f"{'3' if match[1] == 'wwn-0x' else ''}{match[3]}"
            return self._by_wwid(wwid, match[2] or match[4] or "")
        if is_of_kernel(word):
            is_part = sort_of(word, is_below=True) == "partition" and disk_name(word) in self._kernel
            return Device(word) if is_part and word not in self._kernel else None
        return self._part_of_map(word)

    def _by_path(self, word: str) -> Device | None:
        """Return the disk of a name by path, or that of a DASD's unique id; no text need have it."""
        if linked := linked_lun(word.removeprefix("disk/by-path/")):
            address = address_of(*linked[:3])
            return Device(self._luns.get(address, address), linked.part, told=linked[:3])
        match = _OF_DASD.fullmatch(word)
        if match is None:
            return None
        key = match[1] or busid_of(match[3])
        disk = self._dasds.get(key, f"ccw-{key}" if re.fullmatch(BUSID, key) else "")
        return Device(disk, match[2] or match[4] or "", told=(key,)) if disk else None

    def _by_wwid(self, wwid: str, part: str) -> Device | None:
        if wwid in self._maps:
            return Device(self._maps[wwid], part, is_map=True)
        disks = self._disks.get(wwid.casefold(), set())
        return Device(next(iter(disks)), part) if len(disks) == 1 else None

    def _part_of_map(self, word: str) -> Device | None:
        """Return the partition of a map by its name; None if it may be one of two maps."""
        if word in self._bound:
            return Device(self._maps[word], is_map=True)
        matches = (pattern.fullmatch(word) for pattern in _PART_OF_MAP)
        devices = {Device(self._maps[match[1]], match[2], is_map=True)
                   for match in matches if match and match[1] in self._maps}  # fmt: skip
        return devices.pop() if len(devices) == 1 and word not in self._maps else None

    def _say(self, word: str, device: Device, place: str) -> None:
        facts, disk, part = self._facts, device.disk, device.part
        is_link = word.startswith(("disk/", "dasd/"))
        if device.is_map:
            name = self._part_name(device, "" if is_link else word) if part else disk
            key = self._keys.get(name, name)
            facts.say(LAYER, key, place, mapped=name, sort="dm", links=word if is_link else "")
            self._name(disk, place)
            if part and name not in self._known:
                facts.say(LAYER, key, place, below=disk)
            return
        if not is_of_kernel(disk) and disk not in facts.aliases:
            facts.say(
                LAYER, disk, place, name=disk, sort="disk", **dict(zip(_TOLD, device.told, strict=False))
            )
            name = f"{disk}-part{part}" if part else disk
            if part:
                facts.say(LAYER, name, place, name=name, sort="partition", parent=disk)
            facts.say(LAYER, name, place, links=word)
            return
        disk = facts.aliases.get(disk, disk)
        name = f"{disk}{'p' * disk[-1:].isdigit()}{part}" if part else disk
        facts.name_device(name, place)
        facts.say(LAYER, name, place, links=word if is_link else "")

    def _part_name(self, device: Device, word: str) -> str:
        """Return the name in /dev/mapper of a partition of a map: of a link, that which another text has."""
        names = (name for name in self._keys if self._part_of_map(name) == device)
        return word or next(names, f"{device.disk}-part{device.part}")

    def _disks_by_lun(self) -> dict[str, str]:
        """Return the names of SCSI disks by adapter, port and LUN."""
        columns = (map(text_of, self._layers.column(field)) for field in (*_TOLD, "name"))
        names = {address_of(*told): name for *told, name in zip(*columns, strict=True) if told[1]}
        for key, row in self._facts.rows[LAYER.name].items():
            told = [str(row[field][0].value) for field in _TOLD if row.get(field)]
            if len(told) == len(_TOLD):
                names[address_of(*told)] = self._facts.aliases.get(key, key)
        return names

    def _dasds_by_id(self) -> dict[str, str]:
        """Return the names of DASDs by their bus ids and unique ids."""
        facts, layers = self._facts, self._layers
        columns = map(layers.column, ("sort", "busid", "name"))
        names = {
            busid: name
            for sort, busid, name in zip(*columns, strict=True)
            if sort == "disk" and isinstance(busid, str) and isinstance(name, str)
        }
        for kind, field in ((DASD, "name"), (DEVICE, "block")):
            for busid in facts.keys(kind):
                if name := text_of(facts.value(kind, busid, field)):
                    names[busid] = name
        for busid in facts.keys(DEVICE):
            uid = text_of(facts.value(DEVICE, busid, "uid"))
            if uid and busid in names:
                names[uid] = names[busid]
        return names
