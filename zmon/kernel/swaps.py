r"""/proc/swaps: the partitions and files that are swapped to at this moment.

A heading, and then one line for each: name, `partition` or `file`, KiB, KiB used, priority.  Blank, tab,
newline and backslash stand as `\NNN` in octal in names.  Kernel: mm/swapfile.c.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.kernel.mountinfo import unescaped
from zmon.kernel.rows import frame
from zmon.kinds import SWAP
from zmon.sample import nothing

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

PATH: Final = "proc/swaps"

_LINE: Final = re.compile(rb"(\S+)\s+(\S+)\s+([0-9]{1,18})\s+([0-9]{1,18})\s+-?[0-9]{1,9}\s*")


def parse_swaps(content: bytes) -> dict[str, dict[str, Value]]:
    """Return sort, size and used bytes of each swap area by its name.

    Raises:
        ValueError: a line has not this form.
    """
    found: dict[str, dict[str, Value]] = {}
    for number, line in enumerate(content.split(b"\n")[1:], 2):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"/{PATH}:{number}: not NAME TYPE SIZE USED PRIORITY: {line[:80]!r}")
        found[unescaped(match[1])] = {
            "sort": match[2].decode("ascii", "replace"),
            "size": int(match[3]) * 1024,
            "used": int(match[4]) * 1024,
        }
    return found


def read_swaps(tree: Tree) -> Frame:
    """Return the swap areas in use: one frame of `SWAP`, without rows if there are none."""
    try:
        content = tree.read(PATH)
        when = tree.when(PATH)
    except FileNotFoundError:
        why = "this kernel has no swap" if tree.live else "was not captured"
        return nothing(SWAP, f"/{PATH}: {why}")
    except OSError as error:
        return nothing(SWAP, f"/{PATH}: {error.strerror}")
    try:
        return frame(SWAP, parse_swaps(content), when)
    except ValueError as error:
        return nothing(SWAP, str(error))
