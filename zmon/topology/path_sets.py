"""The path groups of a multipath device, from its table in the device mapper.

`0 SECTORS multipath FEATURES HANDLER GROUPS FIRST`, then for each group `SELECTOR ARGS PATHS PATHARGS` and
its paths, `8:16 1`.  The argument of a round-robin path is the number of requests until the next path takes
over (`rr_min_io`); other selectors have a weight or throughput there.

Kernel: drivers/md/dm-mpath.c (parse_priority_group), dm-ps-round-robin.c.
"""

from __future__ import annotations

import re
from itertools import islice

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUND_ROBIN: Final = "round-robin"
MAX_WORDS: Final = 10_000
"""Words of a table beyond which it is refused: a thousand paths have fewer."""


class PathSet(NamedTuple):
    """One path group: its paths are used together."""

    selector: str
    """`round-robin`, `service-time`, `queue-length`, ..."""
    paths: tuple[str, ...]
    """major:minor of each."""
    turns: tuple[int, ...]
    """The first argument of each path; 0 without one."""


def parse_path_sets(table: str) -> tuple[PathSet, ...]:
    """Return the path groups in the order of the table.

    Raises:
        ValueError: it is not the table of one multipath device; says what was expected.
    """
    fields = table.split()
    if len(fields) < 3 or fields[2] != "multipath" or len(fields) > MAX_WORDS:
        raise ValueError(f"expected START LENGTH multipath, found {' '.join(fields[:3])[:60]!r}")
    rest = iter(fields[3:])
    for what in ("features", "arguments of the handler"):
        _words(rest, _count(rest, what), what)
    groups = _count(rest, "path groups")
    _count(rest, "the group that is used first")
    return tuple(_path_set(rest) for _ in range(groups))


def _path_set(rest: Iterator[str]) -> PathSet:
    (selector,) = _words(rest, 1, "a path selector")
    _words(rest, _count(rest, "arguments of the selector"), "arguments of the selector")
    paths, arguments = _count(rest, "paths"), _count(rest, "arguments of a path")
    paths_read = [_words(rest, 1 + arguments, "a path") for _ in range(paths)]
    for number, *_ in paths_read:
        if not re.fullmatch("[0-9]{1,7}:[0-9]{1,8}", number, re.ASCII):
            raise ValueError(f"expected a path as major:minor, found {number[:40]!r}")
    turns = (path[1] if len(path) > 1 else "" for path in paths_read)
    return PathSet(
        selector,
        tuple(path[0] for path in paths_read),
        tuple(int(turn) if turn.isascii() and turn.isdecimal() and len(turn) < 10 else 0 for turn in turns),
    )


def _count(rest: Iterator[str], what: str) -> int:
    word = next(rest, "")
    if not (word.isascii() and word.isdecimal() and len(word) < 5):
        raise ValueError(f"expected the number of {what}, found {word[:40]!r}")
    return int(word)


def _words(rest: Iterator[str], count: int, what: str) -> list[str]:
    fields = [*islice(rest, count)]
    if len(fields) < count:
        raise ValueError(f"ends within {what}")
    return fields
