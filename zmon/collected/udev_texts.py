"""udev's data base in texts: `udevadm info --export-db`, or `udevadm info /dev/NAME`.

A record for each device, ended by an empty line: `P:` path below /sys, `N:` name and `S:` links in /dev, `E:`
properties.
Source: systemd, src/udev/udevadm-info.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.dasd_texts import BUSID, UID
from zmon.kernel.disk_identity import parse_record
from zmon.kernel.sys_block import busid_of, parse_links
from zmon.kinds import DASD, DEVICE, LAYER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

MAX_RECORD: Final = 2000
"""Maximum number of lines of a record."""
_SLOT: Final = re.compile(r".*/block/([^/]{1,64})(?:/([^/]{1,64}))?")


def parse_udevadm(text: CollectedText, facts: Facts) -> None:
    """Take ccw devices and block devices."""
    for line, record in _records(text.text):
        place = f"udevadm, {text.place(line)}"
        pairs = (row[3:].partition("=") for row in record if row.startswith("E: "))
        properties: dict[str, str] = {name: value for name, _equals, value in pairs}
        path = next(
            (row[3:].strip() for row in record if row.startswith("P: ")), properties.get("DEVPATH", "")
        )
        subsystem = properties.get("SUBSYSTEM", "")
        if subsystem == "ccw":
            _take_ccw(facts, place, path, properties)
        elif subsystem == "block":
            _take_block(facts, place, path, properties, record)


def _records(text: str) -> Iterator[tuple[int, list[str]]]:
    first, record = 0, list[str]()
    for line, row in enumerate(text.split("\n")):
        if not row.strip() or row.startswith("P: "):
            if record:
                yield first, record
            first, record = line, []
        if row.strip() and len(record) < MAX_RECORD:
            record.append(row)
    if record:
        yield first, record


def _take_ccw(facts: Facts, place: str, path: str, properties: dict[str, str]) -> None:
    busid = path.rpartition("/")[2]
    if not re.fullmatch(BUSID, busid):
        return
    row: dict[str, Value] = {}
    for field, name in (("cutype", "CU"), ("devtype", "DEV")):
        kind, model = properties.get(f"{name}_TYPE", ""), properties.get(f"{name}_MODEL", "").lower()
        if re.fullmatch("[0-9a-fA-F]{4}", kind) and re.fullmatch("[0-9a-f]{2}", model):
            row[field] = f"{kind.lower()}/{model}"
    driver = properties.get("DRIVER", "")
    subchannel = path.split("/")[-2:-1]
    if subchannel and re.fullmatch(BUSID, subchannel[0]):
        row["subchannel"] = subchannel[0]
    facts.say(DEVICE, busid, place, driver=driver, **row)


def _take_block(facts: Facts, place: str, path: str, properties: dict[str, str], record: list[str]) -> None:
    major, minor, slot = properties.get("MAJOR", ""), properties.get("MINOR", ""), _SLOT.fullmatch(path)
    if not (re.fullmatch("[0-9]{1,4}", major) and re.fullmatch("[0-9]{1,8}", minor) and slot):
        return
    number, name = f"{major}:{minor}", slot[2] or slot[1]
    lines = "\n".join(row.replace(": ", ":", 1) for row in record)
    row = {"name": name, "links": parse_links(lines), **_layer(name, slot, properties, lines)}
    busid = busid_of(path)
    if busid:
        row["busid"] = busid
    facts.say(LAYER, number, place, **row)
    if busid and name.startswith("dasd") and not slot[2]:
        facts.say(DEVICE, busid, place, block=name)
        facts.say(DASD, busid, place, name=name, volser=properties.get("ID_SERIAL", "").strip())
        # the other has no token, by which a minidisk is known
        uid = properties.get("ID_XUID") or properties.get("ID_UID", "")
        if re.fullmatch(UID, uid):
            facts.say(DEVICE, busid, place, uid=uid)


def _layer(name: str, slot: re.Match[str], properties: dict[str, str], lines: str) -> dict[str, Value]:
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
        row["sort"] = "loop"
    else:
        row |= {
            "sort": "disk",
            "vendor": properties.get("ID_VENDOR", ""),
            "model": properties.get("ID_MODEL", ""),
        }
        row |= parse_record(lines) if not name.startswith("dasd") else {"vendor": "", "model": ""}
    return row
