"""What a capture holds, sorted by pass, while it is being looked through.

Where the passes are follows from the paths: what lies above the first `sys`, `proc`, `run`,
`ioctl`, `syscall`, `cp` or `dev` is the root of a pass, and its last part is the pass's name.
Roots of the same name are one pass, because some archivers cut the beginning of long paths.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

from zmon.kernel.captured import File, is_possible
from zmon.kernel.spelling import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.kernel.captured import Node

TOPS: Final = ("sys", "proc", "run", "ioctl", "syscall", "cp", "dev")
"""What a pass may hold at its root."""

ADVICE: Final = "give what `zmon capture` wrote"

_PASS: Final = re.compile(rf"(?:(?:.*?/)??([^/]+)/)??((?:{'|'.join(TOPS)})(?:/.*)?)", re.DOTALL)
_NOTES: Final = re.compile(r"(?:(?:.*/)?([^/]+)/)?CAPTURE\.txt", re.DOTALL)
_EXTRA: Final = re.compile(r"(?:.*/)?extra/([a-z][a-z0-9-]*)\.([A-Z][A-Z0-9]+)\.bin", re.DOTALL)


class Found:
    """What a capture holds, by the names of its passes."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Node]] = {}
        self.roots: dict[str, str] = {}
        """Where a pass lies on disk."""
        self.notes: dict[str, File] = {}
        """`CAPTURE.txt` of each pass: when it was made and what could not be read."""
        self.extras: dict[str, Node] = {}
        self.left_out: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    def put(self, name: str, node: Node) -> None:
        """Take what the capture has under a name."""
        path = _plain(name)
        if not is_possible(name):
            self.leave_out("with a path longer or deeper than any kernel file's", name)
        elif path is None:
            self.leave_out("with a path that leads out", name)
        elif match := _PASS.fullmatch(path):
            self.nodes.setdefault(match[1] or "", {})[sys.intern(match[2])] = node
        elif not isinstance(node, File):
            pass
        elif match := _EXTRA.fullmatch(path):
            self.extras[f"ioctl/{match[1]}/{match[2]}.bin"] = node
        elif match := _NOTES.fullmatch(path):
            self.notes[match[1] or ""] = node

    def get(self, name: str) -> Node | None:
        """Return what was put under a name in a pass."""
        match = _PASS.fullmatch(_plain(name) or "")
        return self.nodes.get(match[1] or "", {}).get(match[2]) if match else None

    def add(self, label: str, more: Mapping[str, Node]) -> None:
        """Add to a pass what it does not have yet."""
        self.nodes[label] = {**more, **self.nodes.get(label, {})}

    def leave_out(self, what: str, name: str) -> None:
        """Count something that is not taken."""
        self.left_out[what] += 1
        self.examples.setdefault(what, name)

    def remarks(self) -> list[str]:
        """Return what was left out, a sentence for each kind."""
        return [
            f"Left out: {count} {what}, such as {printable(self.examples[what])}."
            for what, count in self.left_out.items()
        ]


def _plain(name: str) -> str | None:
    """Return a path without empty parts; None when it leads out or cannot be one."""
    if name.startswith("/"):
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return None if ".." in parts else "/".join(parts)
