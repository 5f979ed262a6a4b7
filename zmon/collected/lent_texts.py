r"""Who has devices of this host, in texts: raw devices, disks of ASM, what targets export, DRBD.

    /dev/raw/raw1:  bound to major 94, minor 13                                        raw -qa
    o- db ... [/dev/disk/by-path/ccw-0.0.0603 (20.6GiB) write-thru activated]          targetcli ls
      204800    51234  204800  DATA_0000  DATA_0000 ... /dev/mapper/asm_data01         asmcmd lsdsk -k
       1:       7042 MB MEMBER    /dev/asm-data1   DATA   grid   asmadmin              kfod status=TRUE
    device /dev/drbd0; disk /dev/dasdc1;                                               /etc/drbd.d/*.res

Sources: util-linux, disk-utils/raw.c; rtslib-fb; drbd-utils, documentation of drbd.conf.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from zmon.collected.facts import ASM, plain
from zmon.collected.numbers import name_of_number
from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    from collections.abc import Mapping

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


class AsmDisks(Reading):
    """Disks of ASM by the names that their groups have for them, or by their labels; also candidates."""

    tool = "asmcmd"
    titled = r"-{80}\s*"
    outdented = r"[-=]{20,}|ORACLE_SID "
    heading = (
        r"\s*(?:Total_MB +Free_MB +OS_MB +Name|Group_Num +Disk_Num|Label +Filtering) .*\bPath\s*$"
        r"| *Disk +Size +(?:Header +)?Path\b.*"
    )
    called: ClassVar[Mapping[str, str]] = {
        "kfod": r"^ *Disk +Size +", "asmcmd afd_lsdsk": r"^\s*Label +Filtering ",
    }  # fmt: skip
    nothing = (
        r"\s*(?:Inst_ID\s+|Create_Date\s.*|Reads\s.*)?Path\s*", r" ?[-=]{20,}", r"ORACLE_SID\s.*",
        r"\s*\S+\s+/(?!dev/)\S+\s*",  # an instance and its directory
    )  # fmt: skip

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Expect the columns that the command asks for, unless a heading tells others."""
        super().__init__(text, facts)
        self._is_named = re.search(r"\slsdsk\b.*\s-[a-zA-Z]*k", text.command) is not None
        self._are_candidates = "--candidate" in text.command

    @line(heading)
    def head(self, match: re.Match[str]) -> None:
        """Take a heading."""
        self._is_named = "OS_MB" in match[0]

    @line(r"\s*(\S+)\s+(?:ENABLED|DISABLED)\s+/dev/(\S{1,250})\s*")
    def filtered(self, match: re.Match[str]) -> None:
        """Take a disk of ASM's filter driver, which finds it by its label; it may be in no group."""
        self._say(match[2], match[1], "UNKNOWN")

    @line(r"\s*[0-9]{1,6}:\s+[0-9]+ M[Bb]\s+(?:([A-Z]{5,12})\s+)?/dev/(\S{1,250})(?:\s.*)?")
    def discovered(self, match: re.Match[str]) -> None:
        """Take a disk that kfod finds; it tells only with `status` whether that is one of a group."""
        self._say(match[2], "", match[1] or "UNKNOWN")

    @line(r"\s*(?:(?:[0-9]+\s+){3}(\S+)\s(?:.*\s)?)?/dev/(\S{1,250})\s*")
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk of lsdsk."""
        states = re.findall(rf"\b(?:{_IN_NO_GROUP})\b", match[0][: match.start(2)])
        state = "CANDIDATE" if self._are_candidates else states[0] if states else "MEMBER"
        self._say(match[2], (match[1] or "") * self._is_named, state)

    def _say(self, device: str, label: str, state: str) -> None:
        key = self.facts.name_device(device, self.place)
        self.facts.say(LAYER, key, self.place, links=tagged(f"LABEL={label}") * bool(label))
        if state == "MEMBER":
            self.facts.say_content(device, self.place, ASM, "")
        else:
            what = "perhaps in one of its groups" if state == "UNKNOWN" else state.lower()
            self.facts.lent[device, f"disk that ASM finds ({what}) on {plain(device)}"] = self.place


_IN_NO_GROUP: Final = "CANDIDATE|PROVISIONED|FORMER|FOREIGN|INCOMPATIBLE|CONFLICT"
"""The states of headers of disks that ASM finds, and that are in none of its groups."""


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
