r"""Pools of ZFS in texts: `zpool status`, whose devices are in use, and `zfs list`, what is mounted.

    pool: tank                                                                  zpool status
        dasdb1              ONLINE       0     0     0        below NAME, mostly without its directory
    tank/pgdata 11.2G  8.45G     11.2G  /var/lib/postgresql                     zfs list

Source: OpenZFS, cmd/zpool/zpool_main.c, cmd/zfs/zfs_main.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.bare_names import below_dev
from zmon.collected.mount_texts import MountList
from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER, POOL
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


_WITHOUT_DATA: Final = frozenset({"cache", "spares"})
"""The parts of a pool that hold no data of their own."""


_WORKING: Final = frozenset({"ONLINE", "AVAIL", "INUSE"})
"""The states of devices that work, or are ready to."""


_STATE: Final = "ONLINE|AVAIL|INUSE|DEGRADED|FAULTED|OFFLINE|REMOVED|SPLIT|SUSPENDED|UNAVAIL"
_MADE: Final = re.compile(r"(?:mirror|raidz[1-3]?|draid\S*|replacing|spare|indirect|hole|root)(?:-[0-9]+)*")
"""What a pool calls what it has made of devices."""


class ZpoolStatus(Reading):
    """The devices of each pool, also those that do not work, and which devices are missing."""

    tool = "zpool"
    tells = ("layer",)
    heading = r"\s*pool: \S+\s*$"
    outdented = r".*"  # only the heading and two others are indented by blanks
    nothing = (
        r"\s*(?:state|status|action|see|scan|scrub|config|errors|remove):.*", r"\s+NAME\s+STATE\s.*",
        r"(?:\t|\s{2,})(?!\S+\s+[A-Z]{4,}(?:\s+[0-9]|\s*$))\S.*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a pool."""
        super().__init__(text, facts)
        self._pool = self._part = ""
        self._members: dict[str, tuple[str, list[str]]] = {}
        """The devices with data of each pool, with the text."""

    def lost(self) -> None:
        """Know that the pool may have a device more."""
        if self._pool:
            unseen = f"?{self._pool.replace(' ', '-')}.more"
            self.facts.leave_open(unseen, f"a device of {self._pool}")
            self._members[self._pool][1].append(unseen)

    @line(r"\s*pool: (\S+)\s*")
    def pool(self, match: re.Match[str]) -> None:
        """Take the first line about a pool."""
        self._pool, self._part = f"pool {match[1]}", ""
        self._members.setdefault(self._pool, (self.place, []))

    @line(r"\s+(logs|cache|spares|special|dedup)\s*")
    def part(self, match: re.Match[str]) -> None:
        """Take the heading above devices that are for something else."""
        self._part = match[1]

    @line(rf"\s+(\S*[^\s:])\s+({_STATE})(?:\s+[0-9.]+[KMGTPE]?){{0,3}}(?:\s+(was )?(\S.*?))?\s*")
    def device(self, match: re.Match[str]) -> bool:
        """Take a device of the pool, or where one was that is missing; others are mirrors and the like."""
        listed, state, was, remark = match.groups()
        if not self._pool or _MADE.fullmatch(listed) or f"pool {listed}" == self._pool:
            return bool(self._pool)
        # what is to replace one of the same name has that of the old one with /old
        name = below_dev(remark.removesuffix("/old") if was else listed)
        member = self.facts.name_device(name, self.place)
        if was:
            lost = member = f"?{listed}"
            self.facts.lost[lost] = f"missing: {listed} of {self._pool} (was {name})"
            self.facts.lent[name, f"{self._pool} until it went missing, on {name}"] = self.place
        elif state not in _WORKING:
            self.facts.failed[name, f"{listed} of {self._pool}: {state}"] = self.place
        if self._part in _WITHOUT_DATA:
            self.facts.lent[name, f"{self._part.removesuffix('s')} of {self._pool} on {name}"] = self.place
        else:
            self._members[self._pool][1].append(member)
        return True

    def end(self) -> None:
        """Say which devices each pool has."""
        for pool, (place, members) in self._members.items():
            below = " ".join(dict.fromkeys(members))
            label = tagged(f"LABEL={pool.removeprefix('pool ')}")
            self.facts.say(LAYER, pool, place, mapped=pool, sort=POOL, below=below, links=label)


class ZfsList(MountList):
    """What is mounted from pools."""

    tool = form = "zfs"
    heading = r"NAME +USED +AVAIL +REFER +MOUNTPOINT\s*$"
    nothing = (heading,)

    @line(r"(\S+)\s+\S+\s+\S+\s+\S+\s+(\S.*?)\s*")
    def dataset(self, match: re.Match[str]) -> None:
        """Take a file system; one that is mounted otherwise, or not at all, has no path there."""
        if match[2].startswith("/"):
            self.add(match[1], match[2], "zfs", "")
