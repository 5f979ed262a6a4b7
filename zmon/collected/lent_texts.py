r"""Who has devices of this host, in texts: raw devices, what targets export, DRBD.

    /dev/raw/raw1:  bound to major 94, minor 13                                        raw -qa
    o- db ... [/dev/disk/by-path/ccw-0.0.0603 (20.6GiB) write-thru activated]          targetcli ls
    device /dev/drbd0; disk /dev/dasdc1;                                               /etc/drbd.d/*.res

Sources: util-linux, disk-utils/raw.c; rtslib-fb; drbd-utils, documentation of drbd.conf.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.numbers import name_of_number
from zmon.collected.reading import Reading, line

if TYPE_CHECKING:
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


class Borrowers(Reading):
    """Devices that are bound to raw ones, or exported to other hosts."""

    tool = "raw"
    first = r"/dev/raw/raw[0-9]+:\s+bound to|[ |]*o- \S+ \.+ \[/dev/"
    nothing = (r"[ |]*o- .*",)

    @line(r"/dev/raw/(raw[0-9]{1,5}):\s+bound to major ([0-9]{1,4}), minor ([0-9]{1,8})\s*")
    def raw(self, match: re.Match[str]) -> bool:
        """Take a raw device, whose name of the kernel follows from the number."""
        name = name_of_number(f"{match[2]}:{match[3]}")
        return bool(name) and self._lend(name, f"raw device {match[1]} on {name}")

    @line(r"[ |]*o- (\S+)\s+\.*\s*\[/dev/(\S+) .*\]\s*")
    def exported(self, match: re.Match[str]) -> bool:
        """Take a device that is exported."""
        return self._lend(match[2], f"{match[1]}, which is exported, on {match[2].rpartition('/')[2]}")

    def _lend(self, device: str, title: str) -> bool:
        self.facts.name_device(device, self.place)
        self.facts.lent.setdefault((device, title), self.place)
        return True


_STATEMENT: Final = re.compile(r"([\w-]+)(?:\s+([^;{}#]*?))?\s*([;{])|(\})")


class Drbd(Reading):
    """Which disk a device of DRBD is on, on this host: what has no host is of each."""

    tool = "drbd"
    heading = r"\s*resource \S+ \{"
    nothing = (r"\s*#.*",)

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin outside any resource."""
        super().__init__(text, facts)
        self._open: list[tuple[str, str]] = []
        self._told: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
        """What is said of volumes by resource and volume: by host and statement, with the text."""

    @line(r".*")
    def statements(self, match: re.Match[str]) -> None:
        """Take the statements of a line; a block begins or ends with a brace."""
        for word, value, end, closed in _STATEMENT.findall(match[0]):
            if closed:
                self._open[-1:] = []
            elif end == "{":
                self._open.append((word, value.strip('"')))
            elif word in {"device", "disk"}:
                blocks = dict(self._open)
                volume = blocks.get("resource", ""), blocks.get("volume", "0")
                said = self._told.setdefault(volume, {})
                said[f"{word} {blocks.get('on', '').partition('.')[0]}"] = value, self.place

    def end(self) -> None:
        """Say on which disks the devices are."""
        for said in self._told.values():
            device, disk = (self._own(said, word) for word in ("device", "disk"))
            minor = re.search(r"(?:drbd|minor\s+)([0-9]{1,5})", device[0])
            if minor and disk[0].startswith("/dev/"):
                self.facts.name_device(f"drbd{minor[1]}", disk[1])
                below = self.facts.name_device(disk[0].removeprefix("/dev/"), disk[1])
                self.facts.say_below(f"drbd{minor[1]}", disk[1], below)

    def _own(self, said: dict[str, tuple[str, str]], word: str) -> tuple[str, str]:
        """Return what is said for this host, or for all that are named, if that is one."""
        every = {key: told for key, told in said.items() if key.startswith(f"{word} ")}
        values = {value for value, _place in every.values()}
        own = [every[key] for host in self.facts.hosts if (key := f"{word} {host}") in every]
        return own[0] if own else next(iter(every.values())) if len(values) == 1 else ("", "")
