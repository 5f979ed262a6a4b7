r"""Pools of Stratis in texts: `stratis blockdev list`, `stratis pool list`, `stratis filesystem list`.

    pool1      /dev/dasde1   6.88 GiB   Data                                   blockdev list
    pool1   6.88 GiB / 541 MiB / 6.35 GiB   ~Ca,~Cr   8e1d3c6b-0a7d-...        pool list
    pool1      fs1   546 MiB   Mar 17 2026 10:11   /dev/stratis/pool1/fs1   1f2e3d4c-...     filesystem list

Sizes are followed by their units; further columns stand at the end.  A file system is mapped as
`stratis-1-POOL-thin-fs-FILESYSTEM`, with both UUIDs without hyphens.
Sources: stratis-cli, src/stratis_cli/_actions; stratisd, src/engine/strat_engine/names.rs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER, POOL
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_UUID: Final = "[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}"
_SIZE: Final = r"\s+[0-9.]+ (?:[KMGTPE]iB|bytes|B)\b"
_MAPPED: Final = re.compile(
    "(?:mapper/)?stratis-1-([0-9a-f]{32})-thin-fs-([0-9a-f]{32})|stratis/([^/]{1,255})/[^/]{1,255}"
)


class Stratis(Reading):
    """The devices of each pool, and which pool file systems are of."""

    tool = "stratis"
    heading = r" *(?:Pool Name +Device Node|Name +Total|Pool Name +Name +Used|Pool +Filesystem)\b"
    nothing = (f"{heading}.*",)

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a device."""
        super().__init__(text, facts)
        self._members: dict[str, list[str]] = {}
        self._is_open = False
        """Whether a line was not understood, or is left out, which may be one of any pool."""

    def lost(self) -> None:
        """Know that each pool may have a device more."""
        self._is_open = True

    @line(rf"\s*(\S{{1,255}})\s+/dev/(\S{{1,250}}){_SIZE}.*?\s(?i:(data)|cache)\b(?:\s.*)?")
    def device(self, match: re.Match[str]) -> None:
        """Take a device of a pool; the cache of one holds no data of its own."""
        key, pool = self.facts.name_device(match[2], self.place), match[1]
        members = self._members.setdefault(pool, [])
        if match[3]:
            members.append(key)
        else:
            self.facts.lent[match[2], f"cache of pool {pool} on {match[2]}"] = self.place

    @line(rf"\s*(\S{{1,255}}){_SIZE} /.*?\s({_UUID})(?:\s.*)?", rf"\s*(\S{{1,255}}){_SIZE} / .*()")
    def pool(self, match: re.Match[str]) -> None:
        """Take the UUID of a pool, if it is listed."""
        self.facts.pools[match[2].replace("-", "")] = match[1]

    @line(rf"\s*(\S{{1,255}})\s+\S{{1,255}}{_SIZE}.*\s(?:/dev)?/stratis/\S+\s+({_UUID})(?:\s.*)?")
    def file_system(self, match: re.Match[str]) -> None:
        """Take the UUID of a file system of a pool."""
        self.facts.pools[match[2].replace("-", "")] = match[1]

    def end(self) -> None:
        """Say which devices each pool has."""
        for pool, members in self._members.items():
            if self._is_open or self.is_part:
                self.facts.leave_open(f"?{pool}.more", f"a device of pool {pool}")
                members.append(f"?{pool}.more")
            label = tagged(f"LABEL={pool}")
            title, below = f"pool {pool}", " ".join(members)
            self.facts.say(
                LAYER, _key(pool), self.text.place(), mapped=title, sort=POOL, below=below, links=label
            )


def place_file_systems(facts: Facts) -> None:
    """Say of file systems of Stratis which pool they lie on, by their names or UUIDs."""
    rows = facts.rows.get(LAYER.name, {})
    named = [(str(fact.value), fact.place) for row in rows.values() for fact in row.get("mapped", ())]
    named += [(mount.source.removeprefix("/dev/"), mount.place) for mount in facts.listed_mounts]
    keys = {str(fact.value): key for key, row in rows.items() for fact in row.get("mapped", ())}
    for source, place in named:
        match = _MAPPED.fullmatch(source)
        pools = [match[3], *map(facts.pools.get, match.group(1, 2))] if match else []
        pool_key = next((_key(pool) for pool in pools if pool), "")
        name = source.removeprefix("mapper/")
        key = keys.get(name, name)
        if pool_key in rows and not rows.get(key, {}).get("below"):
            link = name * name.startswith("stratis/")
            facts.say(LAYER, key, place, mapped=name, sort="dm", below=pool_key, links=link)


def _key(pool: str) -> str:
    return f"stratis-pool-{pool}"
