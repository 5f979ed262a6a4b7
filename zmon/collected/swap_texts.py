r"""Swap areas in texts: /proc/swaps and swapon in any of its forms.

    /dev/dasda2                             partition\t1048572\t\t0\t\t-2       /proc/swaps, swapon -s
    /dev/dasda2 partition 1024M   0B   -2                                      swapon --show

A heading without an area says that there is none; so does `swapon --show` that prints nothing.
Source: util-linux, sys-utils/swapon.c.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from zmon.base.plain_text import unescaped_hex
from zmon.base.sizes import KIB
from zmon.collected.columns import Columns, asked_columns, raw_cells
from zmon.collected.numbers import is_of_kernel, minor_of_dm, rounded_size
from zmon.collected.reading import Reading, line
from zmon.collected.tools import ALL_SWAP
from zmon.kernel.mountinfo import unescaped
from zmon.kinds import LAYER, SWAP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.collected.facts import Facts
    from zmon.kernel.capture_text import CollectedText

_IN_ROWS: Final = r"([Pp]artition|file|Datei|fichier|fichero|archivo|partición)"
_SIZE: Final = r"[0-9]{1,18}(?:[.,][0-9]{1,3})?[BKMGTPE]?"
_SHOWN: Final = ("NAME", "TYPE", "SIZE", "USED", "PRIO")
"""The columns of `swapon --show` if none are asked for."""
_OTHER_COLUMN: Final = "(?:TYPE|SIZE|USED|PRIO|UUID|LABEL)"
_OF_ALL: Final = re.compile(r"swapon (?:--show\S*|-s|--summary|--noheadings|--bytes|--raw| )+")
"""Commands that list all active swap."""
_OF_HEADING: Final = 5
"""Words of the heading of /proc/swaps."""
_SHOWN_RIGHT: Final = frozenset({"SIZE", "USED", "PRIO"})


class Swaps(Reading):
    """The swap areas of /proc/swaps and `swapon -s`, in KiB, or of `swapon --show`, rounded or in bytes."""

    tool = "swapon"
    tells = ("swap",)
    heading = (
        r"Filename\s+Type\s+Size|\S+\t{4}\S+\t\t\S+\t\t\S+\t\t\S+\s*$"
        rf"|(?=.*\b(?:USED|PRIO)\b)(?:{_OTHER_COLUMN} +)*NAME(?: +{_OTHER_COLUMN})* *$"
    )
    first = rf"/.* (?:partition|file)\s+{_SIZE}\s+{_SIZE}\s+-?[0-9]{{1,6}}\s*$"

    def __init__(self, text: CollectedText, facts: Facts) -> None:
        """Begin; without a heading the columns are those that were asked for."""
        super().__init__(text, facts)
        asked = asked_columns(text.command, "--show(?==)")
        self._asked = [name.upper() for name in asked] or [*_SHOWN]
        self._is_headed = False
        self._unit = KIB if text.file or re.search(r"\s(?:-s|--summary)\b", text.command) else 0
        """Bytes of a number without a unit; 0 if that is not known."""
        if re.search(r"\s(?:--bytes|--show)\b", text.command):
            self._unit = 1

    @property
    def lists_all(self) -> tuple[str, ...]:
        """All areas, if nothing was cut before the end of the heading, or there is no line at all."""
        text = self.text
        is_list = text.file == "proc/swaps" or not text.command or _OF_ALL.fullmatch(text.command)
        is_empty = bool(text.command) and not text.text.strip()
        return (ALL_SWAP,) if is_list and (self._is_headed or is_empty) else ()

    @classmethod
    def knows(cls, row: str) -> bool:
        """Return whether a line looks like one of an area: it may have any columns."""
        return re.match(rf"/\S+\s|.*\s{_IN_ROWS}\s| *(?:[A-Z]+ +)*NAME\b|\S+\t\t", row) is not None

    @line(r" *(?:[A-Z]+ +)*NAME(?: +[A-Z]+)* *")
    def columns(self, match: re.Match[str]) -> None:
        """Take the heading of --show."""
        self._columns, self._unit, self._is_headed = Columns(match[0]), 1, True

    @line(rf"(/.*?)\s+{_IN_ROWS}\s+({_SIZE})\s+({_SIZE})\s+(-?[0-9]{{1,9}})\s*")
    def area(self, match: re.Match[str]) -> bool:
        """Take an area with the columns of the kernel; tabs stand in its list alone."""
        name, sort, size, used, priority = match.groups()
        if [*self._columns] != [*_SHOWN] if self._columns else self._asked != [*_SHOWN]:
            return False
        if "\t" in match[0] and not self._columns:
            self._unit = KIB
        self._say(
            unescaped(os.fsencode(unescaped_hex(name))),
            {"TYPE": sort, "SIZE": size, "USED": used, "PRIO": priority},
        )
        return True

    @line(r".*\S.*")
    def shown(self, match: re.Match[str]) -> bool:
        """Take an area of --show with other columns."""
        row, names = match[0], [*self._columns] if self._columns else self._asked
        cells = self._columns.exact(row, _SHOWN_RIGHT) if self._columns else {}
        cells = cells or raw_cells(row, names)
        if (
            not cells
            and names[:2] == ["NAME", "TYPE"]
            and (loose := re.match(rf"(/\S*)\s+{_IN_ROWS}\s", row))
        ):
            cells = {"NAME": loose[1], "TYPE": loose[2]}
        cells = {name: cell.strip() for name, cell in cells.items()}
        is_it = cells.get("NAME", "").startswith("/") and self._fits(cells)
        if is_it:
            self._say(cells["NAME"], cells)
        return is_it

    @staticmethod
    def _fits(cells: Mapping[str, str]) -> bool:
        patterns = {"TYPE": _IN_ROWS, "SIZE": _SIZE, "USED": _SIZE, "PRIO": "-?[0-9]{1,9}"}
        return all(re.fullmatch(patterns[name], cells[name]) for name in patterns.keys() & cells.keys())

    @line(r"[^\W\d_][^/0-9]+")
    def head(self, match: re.Match[str]) -> bool:
        """Take the heading of the kernel's list, in any language."""
        self._is_headed = not self.number and len(match[0].split()) >= _OF_HEADING
        return not self.number

    def _say(self, name: str, cells: Mapping[str, str]) -> None:
        printed = cells.get("TYPE", "").casefold()
        is_part = (
            printed.startswith("partici") or printed == "partition" if printed else name.startswith("/dev/")
        )
        sort = "partition" if is_part else "file"
        values: dict[str, Value] = {"sort": sort}
        if "PRIO" in cells:
            values["priority"] = int(cells["PRIO"])
        for field, column in (("size", "SIZE"), ("used", "USED")):
            if self._unit and cells.get(column, "").isdecimal():
                values[field] = int(cells[column]) * self._unit
        self.facts.say(SWAP, name, self.place, **values)
        if size := rounded_size(cells.get("SIZE", "")):
            self.facts.hint(SWAP, name, self.place, size=size)


def add_swaps(facts: Facts) -> None:
    """Take the swap areas that lsblk has, where no text lists them; it has no swap files.

    Where each has one area that the other has not, it is the same: swapon names devices by their numbers.
    """
    listed = facts.rows.get(SWAP.name, {})
    if not listed:
        for device, place in facts.swaps.items():
            facts.say(SWAP, device, place, sort="partition")
        return
    areas = [
        area for area, row in listed.items() if any(fact.value == "partition" for fact in row.get("sort", ()))
    ]
    if all(is_of_kernel(area.removeprefix("/dev/")) for area in areas):
        for device in facts.swaps.keys() - listed.keys():
            name, place = device.removeprefix("/dev/"), facts.swaps[device]
            if is_of_kernel(name) and not minor_of_dm(name):
                title = f"swap area on {name} by {place}, which swapon or /proc/swaps does not list"
                facts.lent[name, title] = place
    layers = facts.rows.get(LAYER.name, {})
    mapped = {
        str(fact.value) for key in layers for fact in layers[key].get("name", ()) if layers[key].get("mapped")
    }
    unnamed = [area for area in listed if minor_of_dm(area.removeprefix("/dev/")) and area[5:] not in mapped]
    others = [device for device in facts.swaps if device.startswith("/dev/mapper/") and device not in listed]
    if len(unnamed) == len(others) == 1:
        name, title = unnamed[0].removeprefix("/dev/"), others[0].removeprefix("/dev/mapper/")
        facts.say(LAYER, name, facts.swaps[others[0]], name=name, mapped=title, sort="dm")
