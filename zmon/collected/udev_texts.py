"""udev's data base in texts: `udevadm info --export-db`, or `udevadm info /dev/NAME`.

A record for each device, ended by an empty line: `P:` path below /sys, `N:` name and `S:` links in /dev, `E:`
properties.
Source: systemd, src/udev/udevadm-info.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.plain_text import unescaped_hex
from zmon.collected.channel_texts import NO_TYPE
from zmon.collected.dasd_texts import BUSID, UID
from zmon.collected.fcp_texts import linked_lun
from zmon.collected.numbers import NUMBER, disk_name, fits, number_of, sort_of
from zmon.collected.reading import Reading, line
from zmon.kernel.disk_identity import parse_record
from zmon.kernel.sys_block import busid_of, parse_links
from zmon.kinds import ALL_DASD, ALL_DISKS, DASD, DEVICE, LAYER

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_BUSID: Final = re.compile(BUSID)
MAX_RECORD: Final = 2000
"""Maximum number of lines of a record."""
_SLOT: Final = re.compile(
    r".*/(?:block|nvme[0-9]{1,4}|nvme-subsys[0-9]{1,4})/((?<=/block/)[^/]{1,64}|nvme[0-9]{1,4}n[0-9]{1,4})"
    r"(?:/([^/]{1,64}))?"
)
"""The path of a disk or a partition of one; that of an NVMe disk goes through its controller or subsystem."""
_HIDDEN: Final = re.compile(r".*/nvme[0-9]{1,4}c[0-9]{1,4}n[0-9]{1,4}")
"""The path of a path to an NVMe disk, which has no number."""


class Udevadm(Reading):
    """Channel devices and block devices of udev's data base."""

    tool = "udevadm"
    tells = ("device", "dasd", "layer")
    lists = (ALL_DASD, ALL_DISKS)
    first = r"P: /devices/"
    longest = 1 << 16
    nothing = (
        r"\s*(?:looking at (?:parent )?device|Udevadm info|all the possible|walks up|from one single).*",
        r"\s*(?:found, all possible attributes|A rule to|and the attributes from one) .*",
        r"(?:Bad argument|Unknown device) \".*",
        r"\s+(?:KERNELS?|SUBSYSTEMS?|DRIVERS?|ATTRS?\{[^}]*\})==.*",
    )

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a record."""
        super().__init__(text, facts)
        self._record: list[str] = []
        self._first = 0

    @property
    def lists_all(self) -> tuple[str, ...]:
        """Return what is listed, if the whole data base is."""
        command = self.text.command
        return self.lists if not command or re.search(r"\s(?:-e|--export-db)\b", command) else ()

    def blank(self) -> None:
        """Take the record that ends here."""
        self.end()

    @line(r"([A-Z]:) ?(.*)", r"(?=[A-Z][A-Z0-9_]*=)()(.*)")
    def entry(self, match: re.Match[str]) -> None:
        """Take a line of a record; a path begins one, and so does the first property of `-q property`."""
        if match[1] == "P:":
            self.end()
        if not self._record:
            self._first = self.number
        if len(self._record) < MAX_RECORD:
            self._record.append(f"{match[1] or 'E:'}{match[2]}")

    def take_record(self, rows: list[str]) -> None:
        """Take a record of the line that is taken, in lines of udev's data base."""
        self._record, self._first = rows[:MAX_RECORD], self.number
        self.end()

    def end(self) -> None:
        """Take the record."""
        record, self._record = self._record, []
        pairs = (row[2:].partition("=") for row in record if row.startswith("E:"))
        properties: dict[str, str] = {name: value for name, _equals, value in pairs}
        path = next(
            (row[2:].strip() for row in record if row.startswith("P:")), properties.get("DEVPATH", "")
        )
        if not path and properties:
            path = self._path_of_asked(properties)
        number, self.number = self.number, self._first
        subsystem = properties.get("SUBSYSTEM", "")
        if _HIDDEN.fullmatch(path):
            pass
        elif (subsystem == "ccw" and not self._take_ccw(path, properties)) or (
            (subsystem == "block" or "/block/" in path) and not self._take_block(path, properties, record)
        ):
            self.strange.append(self._first)
        self.number = number

    def _path_of_asked(self, properties: dict[str, str]) -> str:
        """Return where the disk would be that the command names, of which a filter left some properties."""
        asked = re.search(r"\s(?:-n|--name)[ =]?(?:/dev/)?(\w+)", self.text.command)
        number = number_of(asked[1]) if asked else ""
        if not asked or not number or disk_name(asked[1]) != asked[1]:
            return ""
        properties["MAJOR"], _, properties["MINOR"] = number.partition(":")
        busid = re.match(rf"ccw-({BUSID})", properties.get("ID_PATH", ""))
        return f"/devices/{f'css0/none/{busid[1]}' if busid else 'virtual'}/block/{asked[1]}"

    def _take_ccw(self, path: str, properties: dict[str, str]) -> bool:
        busid = path.rpartition("/")[2]
        if not re.fullmatch(BUSID, busid):
            return False
        row: dict[str, Value] = {}
        for field, name in (("cutype", "CU"), ("devtype", "DEV")):
            kind, model = properties.get(f"{name}_TYPE", ""), properties.get(f"{name}_MODEL", "").lower()
            if re.fullmatch("[0-9a-fA-F]{4}", kind) and re.fullmatch("[0-9a-f]{2}", model):
                row[field] = f"{kind.lower()}/{model}"
        if row.get("devtype") == NO_TYPE:
            del row["devtype"]
        subchannel = path.split("/")[-2:-1]
        if subchannel and re.fullmatch(BUSID, subchannel[0]):
            row["subchannel"] = subchannel[0]
        self.facts.say(DEVICE, busid, self.place, driver=properties.get("DRIVER", ""), **row)
        return True

    def _take_block(self, path: str, properties: dict[str, str], record: list[str]) -> bool:
        number, slot = f"{properties.get('MAJOR', '')}:{properties.get('MINOR', '')}", _SLOT.fullmatch(path)
        if not (re.fullmatch(NUMBER, number) and slot):
            return False
        name, content, say = slot[2] or slot[1], "\n".join(record), self.facts.say
        if not fits(name, number):
            return False
        row = {"name": name, "links": parse_links(content), **_layer(name, slot, properties, content)}
        busid = busid_of(path)
        if busid:
            row["busid"] = busid
        say(LAYER, number, self.place, **row)
        if of_lun := linked_lun(properties.get("ID_PATH", "")) if not slot[2] else None:
            say(LAYER, number, self.place, wwpn=of_lun.wwpn, lun=of_lun.lun)
        if sort := properties.get("ID_FS_TYPE"):
            self.facts.say_content(name, self.place, sort, properties.get("ID_FS_UUID", ""))
        if busid and name.startswith("dasd") and not slot[2]:
            subchannel = path.partition("/css0/")[2].partition("/")[0]
            say(DEVICE, busid, self.place, block=name)
            say(DEVICE, busid, self.place, subchannel=subchannel * bool(_BUSID.fullmatch(subchannel)))
            say(DASD, busid, self.place, name=name, volser=properties.get("ID_SERIAL", "").strip())
            # the other has no token, by which a minidisk is known
            uids = (properties.get(name, "") for name in ("ID_XUID", "ID_UID"))
            if uid := next((uid for uid in uids if re.fullmatch(UID, uid)), ""):
                say(DEVICE, busid, self.place, uid=uid)
        return True


def _layer(name: str, slot: re.Match[str], properties: dict[str, str], content: str) -> dict[str, Value]:
    """Return the fields that depend on what a device is."""
    row: dict[str, Value] = {}
    if properties.get("DEVTYPE") == "partition" and slot[2]:
        row |= {"sort": "partition", "parent": slot[1]}
        for field, part in (("start", "OFFSET"), ("size", "SIZE")):
            word = properties.get(f"ID_PART_ENTRY_{part}", "")
            if re.fullmatch("[0-9]{1,18}", word):
                row[field] = int(word)
    elif name.startswith("dm-"):
        row |= {"sort": "dm", "mapped": properties.get("DM_NAME", ""), "uuid": properties.get("DM_UUID", "")}
    elif name.startswith("md"):
        row |= {"sort": "md", "level": properties.get("MD_LEVEL", "")}
    elif name.startswith("loop"):
        file, number = (properties.get(f"ID_LOOP_BACKING_{word}", "") for word in ("FILENAME", "DEVICE"))
        row |= {"sort": "loop", "file": file}
        if re.fullmatch("[1-9][0-9]{0,3}:[0-9]{1,8}", number):
            row["below"] = number
    else:
        row |= {
            "sort": sort_of(name, is_below=False),
            "vendor": properties.get("ID_VENDOR", ""),
            "model": unescaped_hex(properties.get("ID_MODEL_ENC", properties.get("ID_MODEL", ""))).strip(),
        }
        if name.startswith("nvme"):
            row |= {"serial": properties.get("ID_SERIAL_SHORT", ""), "wwid": properties.get("ID_WWN", "")}
        else:
            row |= parse_record(content) if not name.startswith("dasd") else {"vendor": "", "model": ""}
    return row
