"""Subchannels and channel paths in texts: lscss, lschp.

    0.0.2a01 0.0.021d  3390/0e 3990/e9 yes  f0  f0  ff   19293909 00000000     lscss; with --vpm one mask more
    0.30   1     1     1b    2    1       0390                      lschp; the last in parentheses if internal

Sources: s390-tools, zconf/css/lscss.c, zconf/chp/lschp.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.collected.dasd_texts import BUSID, busid_of
from zmon.collected.reading import Reading, line
from zmon.kinds import ALL_DASD, ALL_OFFLINE, CHANNEL, DEVICE

if TYPE_CHECKING:
    import re

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts

_SHORT: Final = rf"(?:{BUSID}|[0-9a-f]{{4}})"
_TYPE: Final = r"([0-9a-f]{4}/[0-9a-f]{2})"
NO_TYPE: Final = "0000/00"
"""What lscss prints for a device without a type, such as one of virtio."""


def vary_paths(facts: Facts) -> None:
    """Say of the paths of devices which lschp has as off: a subchannel has them as available.

    So it is where Linux varied a path off, and the mask of verified paths is not printed.
    """
    off = {chpid: facts.rows[CHANNEL.name][chpid][field][0].place
           for chpid in facts.keys(CHANNEL)
           for field, ons in (("status", {"online"}), ("configure", {1}))
           if not isinstance(said := facts.value(CHANNEL, chpid, field), Absent) and said not in ons
           }  # fmt: skip
    for busid in [*facts.keys(DEVICE)] if off else ():
        pim, chpids = (facts.value(DEVICE, busid, name) for name in ("pim", "chpids"))
        css = busid.partition(".")[0]
        bits = [0x80 >> slot for slot in range(8) if isinstance(pim, int) and pim & 0x80 >> slot]
        lost = {bit: off[key] for bit, chpid in zip(bits, str(chpids).split(), strict=False)
                if (key := f"{css}.{chpid}") in off}  # fmt: skip
        if lost and isinstance(pim, int):
            facts.hint(DEVICE, busid, next(iter(lost.values())), vpm=pim & ~sum(lost))


class Lscss(Reading):
    """Subchannels with a device; those without one, and of other types, say nothing that can be joined."""

    tool = "lscss"
    tells = ("device",)
    lists = (ALL_DASD, ALL_OFFLINE)
    narrowing = rf"-[a-z]*[td]\b|--(?:devtype|devrange|chsc|eadm|vfio)\b|{_SHORT}\b"
    heading = r"Device +Subchan\."
    first = rf"{BUSID} {BUSID} +[0-9a-fA-F]{{4}}/"
    nothing = (
        r"(?:MDEV|I/?O Subchannels|CHSC Subchannels|EADM Subchannels|VFIO Subchannels|Message)\b.*",
        r"[-=]+",
        rf"(?:none|n/a|[0-9a-f-]{{36}})\s+{_SHORT}(?:\s+.*)?",  # no device, or no I/O subchannel
    )
    _is_of_devices = True
    """Whether the heading is one of devices with types."""

    @line(r"Device\b(.*)")
    def head(self, match: re.Match[str]) -> None:
        """Take a heading."""
        self._is_of_devices = "DevType" in match[1] or "Subchan." not in match[1]

    @line(rf"{_SHORT}\s+{_SHORT}\s*", rf"{_SHORT}\s*")
    def other(self, _match: re.Match[str]) -> bool:
        """Take a row of what are no I/O subchannels."""
        return not self._is_of_devices

    @line(
        rf"(?i:({_SHORT})\s+({_SHORT})\s+{_TYPE}\s+{_TYPE}\s+(?:(yes|no)\s+)?((?:[0-9a-f]{{2}}\s+){{3,4}})"
        r"([0-9a-f]{8})\s+([0-9a-f]{8})(?:\s+\S+)?\s*)"
    )
    def subchannel(self, match: re.Match[str]) -> None:
        """Take a device with its subchannel."""
        busid, subchannel, devtype, cutype, used, masks, first, last = (
            (group or "").lower() for group in match.groups()
        )
        busid, subchannel = busid_of(busid), busid_of(subchannel)
        pim, pam, pom, *vpm = (int(mask, 16) for mask in masks.split())
        slots = [first[at : at + 2] for at in range(0, 8, 2)] + [last[at : at + 2] for at in range(0, 8, 2)]
        more: dict[str, Value] = {"vpm": vpm[0]} if vpm else {}
        devtype = devtype if devtype != NO_TYPE else ""
        self.facts.say(
            DEVICE, busid, self.place,
            subchannel=subchannel, devtype=devtype, cutype=cutype, online=int(used == "yes"),
            pim=pim, pam=pam, pom=pom,
            chpids=" ".join(chpid for slot, chpid in enumerate(slots) if pim & 0x80 >> slot),
            **more,
        )  # fmt: skip


class Lschp(Reading):
    """Channel paths; a minus says nothing."""

    tool = "lschp"
    tells = ("channel",)
    heading = r"CHPID +Vary"
    first = r"[0-9a-f]{1,2}\.[0-9a-f]{2} +[01-] +[0-3-] +[0-9a-f-]"
    nothing = (r"CHPID\s+Vary\b.*", r"=+")

    @line(
        r"([0-9a-f]{1,2}\.[0-9a-f]{2})\s+([01-])\s+([0-3-])\s+([0-9a-f]{2}|-)\s+([0-9a-f]|-)\s+([0-9a-f]|-)\s+"
        r"(\(?)\s*([0-9a-f]{4}|-)\s*\)?\s*"
    )
    def path(self, match: re.Match[str]) -> None:
        """Take a channel path."""
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
        self.facts.say(CHANNEL, chpid, self.place, **row)
