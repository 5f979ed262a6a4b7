"""/etc/multipath.conf: the few keys that practices say something of.

A section is `name { ... }`; `devices` and `multipaths` have one section for each device.  A statement is a
key and its value, which may be quoted; `#` and `!` begin a comment.  Names of disks (aliases, WWIDs) are not
taken, only whether there is an alias.  Source: multipath-tools, libmultipath/parser.c, multipath.conf(5).
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

SECTIONS: Final = frozenset({
    "defaults", "blacklist", "blacklist_exceptions", "devices", "multipaths", "overrides",
})  # fmt: skip
KEYS: Final = frozenset({
    "path_grouping_policy", "path_selector", "rr_min_io", "rr_min_io_rq", "no_path_retry", "prio",
    "user_friendly_names", "find_multipaths", "path_checker", "failback", "vendor", "product",
})  # fmt: skip
ALIAS: Final = "alias"
MAX_BYTES: Final = 1 << 20
MAX_DEPTH: Final = 8
MAX_STATEMENTS: Final = 500

_TOKEN: Final = re.compile(r'"([^"\n]*)"?|([{}])|([^\s{}"]+)')
_VALUE: Final = re.compile(r"[A-Za-z0-9 _.,:*^$+|()\[\]/?-]{1,60}")


class Statement(NamedTuple):
    """One key and its value."""

    section: str
    """`defaults`, or with the number of the device within it that says something: `devices.1`."""
    key: str
    value: str


def parse_multipath_conf(content: str) -> list[Statement]:
    """Return the statements with one of `KEYS`, in the order of the file, and `alias` as `yes`.

    Raises:
        ValueError: sections do not end, or the file is larger than one that a person writes.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"multipath.conf: more than {MAX_BYTES} bytes")
    reader = _Reader()
    for number, line in enumerate(content.splitlines(), 1):
        reader.line(number, line)
        if len(reader.found) > MAX_STATEMENTS:
            raise ValueError(f"multipath.conf: more than {MAX_STATEMENTS} statements")
    if reader.inside:
        raise ValueError("multipath.conf: a section does not end")
    return reader.found


class _Reader:
    """Takes line by line."""

    def __init__(self) -> None:
        self.found: list[Statement] = []
        self.inside: list[str] = []
        self._numbers: dict[str, int] = {}
        """How many devices of a section have had statements."""
        self._is_new = False

    def line(self, number: int, line: str) -> None:
        parts: list[str] = []
        for quoted, brace, bare in _TOKEN.findall(line):
            if bare.startswith(("#", "!")):
                break
            if brace == "{":
                if len(self.inside) == MAX_DEPTH:
                    raise ValueError(f"multipath.conf:{number}: too many sections within sections")
                self.inside.append(parts[0] if parts else "")
                self._is_new = self._is_new or len(self.inside) == 2
                parts = []
            elif brace:
                self._take(parts)
                parts = []
                if not self.inside:
                    raise ValueError(f"multipath.conf:{number}: a section ends that never began")
                self.inside.pop()
            else:
                parts.append(bare or quoted)
        self._take(parts)

    def _take(self, parts: list[str]) -> None:
        if len(parts) < 2 or not self.inside or self.inside[0] not in SECTIONS:
            return
        key, value = parts[0], " ".join(parts[1:])
        if key == ALIAS:
            value = "yes"
        elif key not in KEYS or not _VALUE.fullmatch(value):
            return
        section = self.inside[0]
        if len(self.inside) > 1:
            self._numbers[section] = self._numbers.get(section, 0) + self._is_new
            self._is_new = False
            section = f"{section}.{self._numbers[section]}"
        self.found.append(Statement(section, key, value))


def excerpt(statements: Iterable[Statement]) -> str:
    """Return a file that has these statements and nothing else; it is parsed to the same ones."""
    lines: list[str] = []
    for section, group in groupby(statements, lambda statement: statement.section):
        name, _, number = section.partition(".")
        lines.append(f"{name} {{ device {{" if number else f"{name} {{")
        lines += [f'  {statement.key} "{statement.value}"' for statement in group]
        lines.append("} }" if number else "}")
    return "".join(f"{line}\n" for line in lines)
