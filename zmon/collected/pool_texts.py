r"""Pools of ZFS in texts: `zpool status`, whose devices are in use, and `zfs list`, what is mounted.

    pool: tank                                                                  zpool status
        dasdb1              ONLINE       0     0     0        below NAME, with or without its directory
    tank/pgdata 11.2G  8.45G     11.2G  /var/lib/postgresql                     zfs list

Source: OpenZFS, cmd/zpool/zpool_main.c, cmd/zfs/zfs_main.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zmon.collected.dasd_texts import BUSID
from zmon.collected.mount_texts import MountList
from zmon.collected.numbers import is_of_kernel
from zmon.collected.reading import Reading, line

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


class ZpoolStatus(Reading):
    """The devices of each pool, also those that do not work."""

    tool = "zpool"
    tells = ("layer",)
    heading = r"\s*pool: \S+\s*$"
    outdented = r".*"  # only the heading and two others are indented by blanks
    nothing = (
        r"\s*(?:state|status|action|see|scan|scrub|config|errors|remove):.*", r"\s+NAME\s+STATE\s.*",
        r"\t(?:logs|cache|spares|special|dedup)\s*", r"\t(?!\s)\S.*|\s{2,}[a-z].*",
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a pool."""
        super().__init__(text, facts)
        self._pool = ""

    @line(r"\s*pool: (\S+)\s*")
    def pool(self, match: re.Match[str]) -> None:
        """Take the first line about a pool."""
        self._pool = match[1]

    @line(r"\t +(\S+)\s+[A-Z]+(?:\s.*)?")
    def device(self, match: re.Match[str]) -> bool:
        """Take a device of the pool; others are mirrors and the like."""
        name = match[1].removeprefix("/dev/")
        if re.match(rf"ccw-{BUSID}", name):
            name = f"disk/by-path/{name}"
        if not self._pool or not (is_of_kernel(name) or "/" in name):
            return bool(self._pool)
        self.facts.name_device(name, self.place)
        self.facts.lent[name, f"member of pool {self._pool} on {name}"] = self.place
        return True


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
