"""Lines of texts that look like a device or a mount, and that no reader understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.collected.collection import facts_of
from zmon.collected.dasd_texts import BUSID
from zmon.collected.mount_texts import parse_mounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.kernel.capture_text import CollectedText

TOOLS: Final = frozenset({"", "lsdasd", "lsblk", "mount", "findmnt", "multipath", "multipathd"})
"""The commands whose lines are looked at, and texts whose command is not known."""
MAX_NAMED: Final = 5
"""Lines of a text, and texts, that are named."""
_MEANT: Final = re.compile(
    rf"{BUSID}\s+(?!.*\bsecondary\b)\S.*"  # a device
    r'|NAME="[^"]*" +[A-Z].*'  # lsblk -P
    r"|/dev/\S+ on .*"
    r'|TARGET="[^"]*" .*'  # findmnt -P
    r"|[ |`-]*(?:[|`]-|\\_) [0-9#]{1,5}:.*"  # a path of multipath
    r"|\S+ (?:\(\S+\) )?dm-[0-9]{1,5} .*"  # a multipath device
)
_JSON: Final = ('"blockdevices"', '"filesystems"')


def unread_lines(texts: Sequence[CollectedText]) -> Iterator[str]:
    """Yield for the first texts with such lines how many they are, and the numbers of the first."""
    unread: dict[str, list[int]] = {}
    for text in texts:
        if not text.file and text.tool in TOOLS:
            unread.setdefault(text.origin, []).extend(_unread(text))
    origins = [origin for origin, lines in unread.items() if lines]
    for origin in origins[:MAX_NAMED]:
        lines = unread[origin]
        numbers = ", ".join(map(str, lines[:MAX_NAMED])) + ", ..." * (len(lines) > MAX_NAMED)
        if len(lines) == 1:
            yield f"{origin}: 1 line was not understood (line {numbers})"
        else:
            yield f"{origin}: {len(lines):,} lines were not understood (lines {numbers})"
    if len(origins) > MAX_NAMED:
        yield f"{len(origins) - MAX_NAMED:,} more texts have lines that were not understood"


def _unread(text: CollectedText) -> list[int]:
    meant = [line for line, row in text.rows() if _MEANT.fullmatch(row)]
    if text.text.lstrip().startswith("{") and any(word in text.text for word in _JSON):
        meant.insert(0, 0)  # JSON is read as a whole
    if not meant:
        return []
    facts, mounts = facts_of([text])
    places = {*facts.places, *(row.place for part in mounts for row in parse_mounts(part)[1])}
    understood = {place.rpartition(":")[2] for place in places}
    return [text.line + line for line in meant if str(text.line + line) not in understood]
