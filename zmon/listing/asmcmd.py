"""What `asmcmd lsdsk`, `asmcmd afd_lsdsk` and `oracleasm querydisk` print.

None of them parts its columns: of `lsdsk -k`, where a column without a value is blank, only the first five
and the path can be told apart, and it names no group unless `-G` in the command does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.listing.disk_group import MB, Disk
from zmon.listing.figure import figure
from zmon.listing.lines import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.listing.container import Note

_LSDSK_K: Final = re.compile(r"\s*Total_MB\s+Free_MB\s+OS_MB\s+Name\s+Failgroup\b.*\bPath\s*\Z")
_LSDSK_P: Final = re.compile(r"\s*Group_Num\s+Disk_Num\s+.*\bPath\s*\Z")
_LSDSK: Final = re.compile(r"\s*(?:Inst_ID\s+)?Path\s*\Z")
_AFD: Final = re.compile(r"\s*Label\s+(?:Filtering\s+)?Path\s*\Z")
_PATHS: Final = ("/", "ORCL:", "AFD:", "o/")
_GROUP: Final = re.compile(r"\s-G\s{0,9}['\"]?\+?(\w{1,30})")
_QUERY_PATH: Final = re.compile(r"(/dev/\S{1,200}): LABEL=\"([^\"]{1,40})\" TYPE=\"oracleasm\"")
_QUERY_DEVICE: Final = re.compile(
    r"Disk \"([^\"]{1,40})\" is a valid ASM disk on device (/dev/\S{1,200}?)?\s?\[(\d{1,4}), ?(\d{1,7})\]"
)
FORMS: Final = (_LSDSK_K, _LSDSK_P, _LSDSK, _AFD)
"""Headings of these tables."""


class Commands:
    """Takes out of a text what `asmcmd` and `oracleasm` print, which has no delimiters."""

    def __init__(self, notes: list[Note]) -> None:
        self.disks: list[Disk] = []
        self.labels: dict[str, str] = {}
        self._notes = notes
        self._form: re.Pattern[str] | None = None
        self._names: tuple[str, ...] = ()
        self._group = ""

    def watched(self, text: str | Iterable[str]) -> Iterator[str]:
        """Give every line again, an empty one for what was understood."""
        for number, line in numbered(text, self._notes):
            yield "\n" if self._takes(number, line) else line + "\n"

    def _takes(self, number: int, line: str) -> bool:
        """Understand one line; False when it is something else."""
        form = next((form for form in FORMS if form.match(line)), None)
        if "lsdsk" in line:
            found = _GROUP.search(line, line.index("lsdsk"))
            self._group, self._form = (found[1].upper() if found is not None else ""), None
        elif form is not None:
            self._form, self._names = form, tuple(line.split())
        elif label := _QUERY_PATH.search(line):
            self.labels[label[2]] = label[1]
        elif label := _QUERY_DEVICE.search(line):
            self.labels[label[1]] = label[2] or f"/dev/block/{label[3]}:{label[4]}"
        else:
            return self._form is not None and self._is_row(number, line.split())
        return True

    def _is_row(self, number: int, fields: list[str]) -> bool:
        """Take a row under the heading that came last; what is none ends the table."""
        if not "".join(fields).strip("-="):
            return True
        if self._form is _AFD and len(fields) > 1:
            self.labels[fields[0]] = fields[-1]
            return True
        disk = self._disk(fields) if fields[-1].startswith(_PATHS) else None
        if disk is None:
            self._form = None
            return False
        self.disks.append(disk._replace(path=fields[-1], line=number, group=self._group))
        return True

    def _disk(self, fields: list[str]) -> Disk | None:
        """Take a row of `lsdsk`; None when it is none."""
        if self._form is _LSDSK_P:
            cells = dict(zip(self._names, fields, strict=False))
            group, number = figure(cells.get("Group_Num")), figure(cells.get("Disk_Num"))
            if len(fields) != len(self._names) or group is None or number is None:
                return None
            member = cells.get("Header_Stat", "MEMBER").upper() in {"MEMBER", "UNKNOWN"} and group > 0
            return Disk("", group_number=group, number=number, member=member)
        if self._form is _LSDSK_K:
            total, free, raw = (*map(figure, fields[:3]), None, None, None)[:3]
            if total is None or free is None or raw is None or len(fields) < 4:
                return None
            if not total:  # in no group, so it has no name, and the next field is of some later column
                return Disk("", size=raw * MB, member=False)
            return Disk("", fields[3], failgroup=fields[4] if len(fields) > 5 else "", size=total * MB)
        return Disk("") if len(fields) == len(self._names) else None
