"""Subchannels, channel paths and FCP in texts: lscss, lschp, lszfcp -D, lsscsi.

    0.0.2a01 0.0.021d  3390/0e 3990/e9 yes  f0  f0  ff   19293909 00000000     lscss; with --vpm one mask more
    0.30   1     1     1b    2    1       0390                      lschp; the last in parentheses if internal
    0.0.3d0c/0x500507630300c562/0x4010403300000000 0:0:0:0                                       lszfcp -D
    [0:0:0:0]    disk    IBM      2107900   .190  /dev/sda                                          lsscsi

Sources: s390-tools, zconf/css/lscss.c, zconf/chp/lschp.c, zconf/lszfcp.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.dasd_texts import BUSID
from zmon.kinds import CHANNEL, DEVICE, LAYER

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_SUBCHANNEL: Final = re.compile(
    rf"({BUSID})\s+({BUSID})\s+([0-9a-f]{{4}}/[0-9a-f]{{2}})\s+([0-9a-f]{{4}}/[0-9a-f]{{2}})\s+(?:(yes|no)\s+)?"
    r"((?:[0-9a-f]{2}\s+){3,4})([0-9a-f]{8})\s+([0-9a-f]{8})(?:\s.*)?",
    re.IGNORECASE,
)


def parse_lscss(text: CollectedText, facts: Facts) -> None:
    """Take the subchannels with a device; rows without one, and of -s, say nothing that can be joined."""
    for number, line in text.rows():
        match = _SUBCHANNEL.fullmatch(line.rstrip().lower())
        if not match:
            continue
        busid, subchannel, devtype, cutype, used, masks, first, last = match.groups()
        pim, pam, pom, *vpm = (int(mask, 16) for mask in masks.split())
        slots = [first[at : at + 2] for at in range(0, 8, 2)] + [last[at : at + 2] for at in range(0, 8, 2)]
        more: dict[str, Value] = {"vpm": vpm[0]} if vpm else {}
        facts.say(
            DEVICE, busid, f"lscss, {text.place(number)}",
            subchannel=subchannel, devtype=devtype, cutype=cutype, online=int(used == "yes"),
            pim=pim, pam=pam, pom=pom,
            chpids=" ".join(chpid for slot, chpid in enumerate(slots) if pim & 0x80 >> slot),
            **more,
        )  # fmt: skip


_PATH: Final = re.compile(
    r"([0-9a-f]{1,2}\.[0-9a-f]{2})\s+([01-])\s+([0-3-])\s+([0-9a-f]{2}|-)\s+([0-9a-f]|-)\s+([0-9a-f]|-)\s+"
    r"(\(?)\s*([0-9a-f]{4}|-)\s*\)?\s*"
)


def parse_lschp(text: CollectedText, facts: Facts) -> None:
    """Take the channel paths; a minus says nothing."""
    for number, line in text.rows():
        match = _PATH.fullmatch(line)
        if not match:
            continue
        chpid, vary, configured, kind, group, shared, internal, chid = match.groups()
        row: dict[str, Value] = {}
        if vary != "-":
            row["status"] = "online" if vary == "1" else "offline"
        if configured != "-":
            row["configure"] = int(configured)
        if kind != "-":
            row["type"] = int(kind, 16)
        if group != "-":
            row["cmg"] = int(group, 16)
        if shared != "-":
            row["shared"] = int(shared, 16)
        if chid != "-":
            row |= {"chid": chid, "chid_external": int(not internal)}
        facts.say(CHANNEL, chpid, f"lschp, {text.place(number)}", **row)


_LUN: Final = re.compile(
    rf"({BUSID})/(0x[0-9a-f]{{16}})/(0x[0-9a-f]{{16}})\s+([0-9]{{1,5}}(?::[0-9]{{1,20}}){{3}})\s*"
)
_SCSI: Final = re.compile(
    r"\[([0-9]{1,5}(?::[0-9]{1,20}){3})\]\s+disk\s+(\S{1,8})\s+(\S(?:.{0,15}\S)?)\s+\S+\s+/dev/(sd[a-z]{1,4})(?:\s.*)?"
)


def parse_lszfcp(text: CollectedText, facts: Facts) -> None:
    """Take adapter, port and LUN of each SCSI device; its name follows from lsscsi or multipath."""
    for number, line in text.rows():
        if match := _LUN.fullmatch(line):
            busid, port, lun, address = match.groups()
            facts.say(LAYER, scsi(address), f"lszfcp, {text.place(number)}", busid=busid, wwpn=port, lun=lun)


def parse_lsscsi(text: CollectedText, facts: Facts) -> None:
    """Take the names of SCSI disks, by their addresses."""
    for number, line in text.rows():
        if match := _SCSI.fullmatch(line):
            address, vendor, model, name = match.groups()
            facts.aliases[scsi(address)] = name
            place = f"lsscsi, {text.place(number)}"
            facts.say(LAYER, name, place, name=name, sort="disk", vendor=vendor, model=model)


def scsi(address: str) -> str:
    """Return how facts call a SCSI disk that is known by its address `0:0:0:1` only."""
    return f"scsi-{address.replace(':', '-')}"
