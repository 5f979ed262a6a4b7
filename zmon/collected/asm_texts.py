r"""Disks of Oracle's ASM in texts: what asmcmd and kfod list, and rows of `v$asm_disk` of SQL*Plus.

      204800    51234  204800  DATA_0000  DATA_0000 ... /dev/mapper/asm_data01         asmcmd lsdsk -k
       1:       7042 MB MEMBER    /dev/asm-data1   DATA   grid   asmadmin              kfod status=TRUE
    GROUP_NUMBER NAME       PATH                 HEADER_STATU MOUNT_S MODE_ST         from v$asm_disk
    ------------ ---------- -------------------- ------------ ------- -------

A disk that is missing has a row without a path.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from zmon.collected.facts import ASM, OF_ASM, plain
from zmon.collected.reading import Reading, line
from zmon.kinds import LAYER, POOL
from zmon.topology.stack import tagged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText


_IN_NO_GROUP: Final = "CANDIDATE|PROVISIONED|FORMER|FOREIGN|INCOMPATIBLE|CONFLICT"
"""The states of headers of disks that ASM finds, and that are in none of its groups."""
_UNUSABLE: Final = "OFFLINE|MISSING|IGNORED|FORCING|HUNG|DROPPING"
"""The states of disks whose data cannot be used, or not for long."""


class AsmReading(Reading):
    """Disks that ASM finds, and which of them are in use by it."""

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a group."""
        super().__init__(text, facts)
        self._members: dict[str, list[str]] = {}
        self._missing: dict[str, list[str]] = {}
        """The disks of each group that have no path, as words that stand for them."""

    def _say(self, device: str, label: str, state: str) -> None:
        key = self.facts.name_device(device, self.place)
        self.facts.say_asm(key, self.place, device.partition(f"{OF_ASM}/")[2])
        self.facts.say(LAYER, key, self.place, links=tagged(f"LABEL={label}") * bool(label))
        if state == "MEMBER":
            self.facts.say_content(device, self.place, ASM, "")
        else:
            what = "perhaps in one of its groups" if state == "UNKNOWN" else state.lower()
            self.facts.lent[device, f"disk that ASM finds ({what}) on {plain(device)}"] = self.place

    def _say_member(self, group: str, name: str, device: str, states: list[str]) -> None:
        """Say that a group has a disk, and in which states that is if ASM cannot use it, or misses it."""
        unusable = ", ".join(dict.fromkeys(state for state in states if re.fullmatch(_UNUSABLE, state)))
        title = f"disk {name} of ASM" if name else "disk of ASM"
        if device:
            self._say(device, name, "MEMBER")
            self._members.setdefault(group, []).append(device)
        else:
            lost = f"?asm.{group}.{name or len(self._missing.get(group, ()))}"
            self.facts.lost[lost] = f"missing: {title}{f', group {group}' * bool(group)}"
            self._missing.setdefault(group, []).append(lost)
        if device and unusable:
            self.facts.failed[device, f"{title} on {plain(device)}: {unusable}"] = self.place

    def end(self) -> None:
        """Say of groups that miss disks which they have."""
        for group, lost in self._missing.items():
            below = " ".join(dict.fromkeys((*self._members.get(group, ()), *lost)))
            title = f"group {group} of ASM" if group else "group of ASM"
            self.facts.say(LAYER, title, self.place_of(0), mapped=title, sort=POOL, below=below)


class AsmDisks(AsmReading):
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
        self._has_groups = re.search(r"\slsdsk\b.*\s-[a-zA-Z]*p", text.command) is not None
        self._is_named = re.search(r"\slsdsk\b.*\s-[a-zA-Z]*k", text.command) is not None
        self._are_candidates = "--candidate" in text.command

    @line(heading)
    def head(self, match: re.Match[str]) -> None:
        """Take a heading."""
        self._is_named, self._has_groups = "OS_MB" in match[0], "Group_Num" in match[0]

    @line(r"\s*(\S+)\s+(?:ENABLED|DISABLED)\s+/dev/(\S{1,250})\s*")
    def filtered(self, match: re.Match[str]) -> None:
        """Take a disk of ASM's filter driver, which finds it by its label; it may be in no group."""
        self._say(match[2], match[1], "UNKNOWN")

    @line(r"\s*[0-9]{1,6}:\s+[0-9]+ M[Bb]\s+(?:([A-Z]{5,12})\s+)?/dev/(\S{1,250})(?:\s.*)?")
    def discovered(self, match: re.Match[str]) -> None:
        """Take a disk that kfod finds; it tells only with `status` whether that is one of a group."""
        self._say(match[2], "", match[1] or "UNKNOWN")

    @line(
        rf"\s*([0-9]+)\s+[0-9]+\s+[0-9]+((?:\s+[A-Z]+)*\s+(?:{_UNUSABLE})(?:\s+[A-Z]+)*)(?:\s+/dev/(\S{{1,250}}))?\s*"
    )
    def unusable(self, match: re.Match[str]) -> bool:
        """Take a disk of a group of lsdsk -p that cannot be used, or is missing."""
        is_member = re.search(rf"\b(?:{_IN_NO_GROUP})\b", match[2]) is None
        if is_member:
            self._say_member(match[1], "", match[3] or "", match[2].split())
        return is_member

    @line(r"\s*(?:(?:[0-9]+\s+){3}(\S+)\s(?:.*\s)?)?/dev/(\S{1,250})\s*")
    def disk(self, match: re.Match[str]) -> None:
        """Take a disk of lsdsk."""
        states = re.findall(rf"\b(?:{_IN_NO_GROUP})\b", match[0][: match.start(2)])
        state = "CANDIDATE" if self._are_candidates else states[0] if states else "MEMBER"
        self._say(match[2], (match[1] or "") * self._is_named, state)
        if state == "MEMBER" and self._has_groups:
            self._members.setdefault(match[0].split()[0], []).append(match[2])


_QUERIED: Final = "(?:GROUP|DISK)_NUMBER|HEADER_STATU?S?|MOUNT_S[A-Z]*|MODE_ST[A-Z]*|(?:OS|TOTAL|FREE)_MB"
"""Columns that nothing else has."""
_ASMLIB: Final = re.compile(r"/dev/|ORCL:(?=\S)|AFD:(?=\S)")
_FOLDERS: Final = {"ORCL:": "oracleasm/disks/", "AFD:": "oracleafd/disks/"}
"""Where in /dev disks are that ASM finds by their labels alone."""


_OF_SQLPLUS: Final = (
    r"SQL>.*| {0,2}[0-9]{1,3}  (?!.*(?:/dev/|\b(?:MISSING|MEMBER|CACHED)\b))\S.*"
    r"|(?:[0-9]+|no) rows? selected\.?|SQL\*Plus: Release .*|Copyright .*"
    r"|Connected to:|Oracle Database .*|Version [0-9.]+|With the .*|Disconnected .*|Last Successful login .*"
)
"""What SQL*Plus prints besides tables: statements as they were typed, and who it is."""
_OF_ROW: Final = re.compile(
    r"\s*(?:[0-9]+\s.*|/dev/\S+\s*|(?!/).*(?:/dev/|ORCL:|AFD:).*|.*\b(?:MEMBER|CACHED|CLOSED|MISSING|ONLINE|OFFLINE)\b.*"
    r"|[A-Z0-9_$#]+)"
)
"""How rows of the view look like, which are words in capitals to somebody else."""


class RuledLine(NamedTuple):
    """A line of a heading with the ruler below it."""

    headings: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def cells(self, row: str) -> list[str]:
        """Return the cells of a row; none if it does not fit."""
        ends = [end for _begin, end in self.spans]
        if any(row[end : end + 1].strip() for end in ends) or row[ends[-1] :].strip():
            return []
        return [row[begin:end].strip() for begin, end in self.spans]


class AsmQuery(AsmReading):
    """Rows of `v$asm_disk` below headings with rulers; each may take several lines."""

    tool = "sqlplus"
    heading = rf"(?=.*\b(?:{_QUERIED})\b) *[A-Z][A-Z0-9_$]*(?: +[A-Z][A-Z0-9_$]*)+ *$"
    first = r"SQL> (?=.*(?i:asm_disk|group_number))"
    outdented = r"SQL> |(?:[0-9]+|no) rows? selected\."
    nothing = (_OF_SQLPLUS,)

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin without a table."""
        super().__init__(text, facts)
        self._ruled: list[RuledLine] = []
        """What each line of a row has."""
        self._row: list[list[str]] = []
        """The cells of the lines of the row that is read."""
        self._numbers: list[int] = []
        self._piece: list[str] = []
        """The cells of its last line, as far as they stand there."""
        self._last: tuple[int, str] | None = None
        """The line before, which may be a heading."""
        self._is_headed = False
        """Whether the line before that is a ruler."""

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one: what stands below a heading may be anything."""
        patterns = (pattern for pattern, name in cls._lines if name != "below")
        return _OF_ROW.fullmatch(row) is not None or any(pattern.fullmatch(row) for pattern in patterns)

    def blank(self) -> None:
        """Know that a row has ended, or that a line of it is empty."""
        self._place_last()
        if 0 < len(self._row) < len(self._ruled):
            self._row.append([""] * len(self._ruled[len(self._row)].spans))
        else:
            self._finish()

    @line(r"-+(?: -+)* *")
    def ruler(self, match: re.Match[str]) -> bool:
        """Take the line below a heading."""
        above, self._last = self._last, None
        if above is None:
            return False
        if not self._is_headed:
            self._finish()
            self._ruled = []
        spans = tuple(word.span() for word in re.finditer("-+", match[0]))
        self._ruled.append(RuledLine(tuple(above[1][begin:end].strip() for begin, end in spans), spans))
        self._is_headed = True
        return True

    @line(rf"(?!(?:{_OF_SQLPLUS})$).*\S.*")
    def below(self, match: re.Match[str]) -> None:
        """Take a line of a row, or a heading."""
        number = self.number
        self._place_last()
        self._last = number, match[0].expandtabs()  # SQL*Plus saves blanks

    def _place_last(self) -> None:
        """Take the line before as one of a row: it is no heading."""
        if self._last is None:
            return
        (number, row), self._last = self._last, None
        self._is_headed = False
        has_path = any("PATH" in ruled.headings for ruled in self._ruled)
        if not self._ruled or ("/dev/" in row and not has_path):
            self.strange.append(number)
            return
        if len(self._row) == len(self._ruled):
            widths = [end - begin for begin, end in self._ruled[-1].spans]
            cells = self._ruled[-1].cells(row)
            filled = [len(cell) == width for cell, width in zip(self._piece, widths, strict=False)]
            if cells and all(is_full or not cell for cell, is_full in zip(cells, filled, strict=False)):
                self._row[-1] = [f"{cell}{more}" for cell, more in zip(self._row[-1], cells, strict=True)]
                self._piece = cells
                self._numbers.append(number)
                return
            self._finish()
        self._piece = self._ruled[len(self._row)].cells(row)
        self._row.append(self._piece)
        self._numbers.append(number)

    def end(self) -> None:
        """Take the last row."""
        self._place_last()
        self._finish()
        super().end()

    def _finish(self) -> None:
        """Take the row whose lines were read; one of another query has no path, or names a file."""
        row, numbers, self._row, self._numbers = self._row, self._numbers, [], []
        headings = [heading for ruled in self._ruled for heading in ruled.headings]
        if not row or "PATH" not in headings:
            if any("/" in cell for cells in row for cell in cells):
                self.strange += numbers  # the files of another query
            return
        told = dict(
            zip(reversed(headings), reversed([cell for cells in row for cell in cells]), strict=False)
        )
        if headings.count("NAME") > 1:
            del told["NAME"]  # one is that of the group
        self.number = numbers[0]
        is_whole = all(row) and len(row) == len(self._ruled)
        at = headings.index("PATH")
        width = [end - begin for ruled in self._ruled for begin, end in ruled.spans][at]
        is_cut = len(told.get("PATH", "")) == width
        if not is_whole or is_cut or not self._take_disk(told):
            self.strange += numbers

    def _take_disk(self, told: Mapping[str, str]) -> bool:
        """Take a disk; return whether it was understood."""
        path, group = told["PATH"], told.get("GROUP_NUMBER", "")
        begin = _ASMLIB.match(path)
        states = [cell for heading, cell in told.items() if re.match("(?:MOUNT_S|MODE_ST|STATE)", heading)]
        header = next((cell for heading, cell in told.items() if heading.startswith("HEADER_S")), "")
        if (begin is None and path) or not (path or "MISSING" in states):
            return False
        device = path.removeprefix(begin[0]) if begin else ""
        device = f"{_FOLDERS.get(begin[0], '')}{device}" if begin else ""
        is_member = header == "MEMBER" or (
            not header and ({"CACHED", "OPENED"} & {*states} or group not in {"", "0"})
        )
        if is_member or not device:
            self._say_member(group, told.get("NAME", ""), device, states)
        else:
            self._say(device, "", header or "UNKNOWN")
        return True
