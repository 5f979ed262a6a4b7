"""Tables as the clients of PostgreSQL and MariaDB draw them for people, made into comma-separated values.

     Name    |  Owner   | Location            +------+-----------+
 ------------+----------+-----------          | NAME | FILENAME  |
  pg_default | postgres |                     +------+-----------+
  ts1        | postgres | /db/ts1             | a/b  | ./a/b.ibd |
 (2 rows)                                     +------+-----------+

Lines keep their numbers: what is no row becomes an empty line.  A cell that goes over lines, which psql marks
with a plus at its end, keeps its first line.
"""

from __future__ import annotations

import csv
import re
from io import StringIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BORDER: Final = re.compile(r"^[ \t]*\+?-[-+]*\+[-+]*[ \t]*\r?$", re.MULTILINE)
_CONTINUED: Final = re.compile(r"\+[ \t]*(?:\||\Z)")


def is_drawn(head: str) -> bool:
    """Tell whether a text has such a table: a line of minus and plus between lines with bars."""
    border = _BORDER.search(head)
    if border is None:
        return False
    around = head[: border.start()].splitlines()[-1:] + head[border.end() :].splitlines()[1:2]
    return any("|" in line for line in around)


def rows_of(lines: Iterable[str]) -> Iterator[str]:
    """Yield each row as comma-separated values, and an empty line for each line that is no row."""
    continued = False
    for line in lines:
        bare = line.strip()
        if "|" not in bare or _BORDER.match(bare):
            continued = False
            yield "\n"
            continue
        inside = bare[1:-1] if bare.startswith("|") and bare.endswith("|") else line.rstrip("\r\n")
        cells = [cell.strip() for cell in inside.split("|")]
        was_continued, continued = continued, bool(_CONTINUED.search(bare))
        if was_continued and not cells[0]:
            yield "\n"
            continue
        made = StringIO()
        csv.writer(made, lineterminator="\n").writerow(cell.removesuffix("+").rstrip() for cell in cells)
        yield made.getvalue()
