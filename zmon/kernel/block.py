"""/sys/block: the whole disks, what they are, and together with diskstats what they did."""

from __future__ import annotations

import posixpath
from functools import cached_property
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kernel import diskstats
from zmon.kernel.tree import text
from zmon.kinds import BLOCK
from zmon.sample import Frame, nothing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.absent import Absent, Value
    from zmon.kernel.diskstats import Counts
    from zmon.kernel.tree import Tree

DIRECTORY: Final = "sys/block"

_NO_CCW: Final = absent("not behind a ccw device")
_NO_LABEL: Final = absent("only device-mapper gives names")
_NO_MODEL: Final = absent("the driver names no model")
_NO_DISKSEQ: Final = absent("needs Linux 5.15, which numbers the disks as they appear")
_GONE: Final = absent("the disk went away while it was read")
NO_LINE: Final[Counts] = (absent("the disk has no line in /proc/diskstats"),) * len(diskstats.FIELDS)
"""The counts of a disk that only /sys/block knows."""


class Disks:
    """The whole disks of a machine and what does not change while they stay."""

    def __init__(
        self, names: list[str], labels: Mapping[str, list[Value]], silent: frozenset[str] = frozenset()
    ) -> None:
        """Hold what was found in /sys/block."""
        self.names = names
        """As in /sys/block, sorted."""
        self.labels = labels
        """Fields of `BLOCK` that are read here, in the order of `names`."""
        self.silent = silent
        """Disks that keep no statistics (queue/iostats is 0): their lines prove nothing."""

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row number of each disk."""
        return {name: row for row, name in enumerate(self.names)}


def busid_of(link: str) -> str | None:
    """Return the bus id of the ccw device that a disk hangs on, from its link in /sys/block.

    The component after the subchannel is the ccw device: for
    `../devices/css0/0.0.0004/0.0.7000/block/dasdd` that is `0.0.7000`.  A SCSI disk behind FCP
    yields the FCP device; a disk that is not on the channel subsystem yields None.
    """
    parts = link.split("/")
    if "css0" not in parts:
        return None
    below = parts[parts.index("css0") + 1 :]
    return below[1] if len(below) > 2 else None


def _word(tree: Tree, path: str, otherwise: Absent) -> Value:
    try:
        return text(tree, path).strip() or otherwise
    except OSError:
        return otherwise


def _number(tree: Tree, path: str, otherwise: Absent) -> Value:
    word = _word(tree, path, otherwise)
    return int(word) if isinstance(word, str) and word.isdecimal() else otherwise


def _disk(tree: Tree, name: str) -> tuple[Value, ...]:
    link = tree.link(f"{DIRECTORY}/{name}")
    here = posixpath.normpath(posixpath.join(DIRECTORY, link))
    device = here.partition("/block/")[0] if "/block/" in here else posixpath.dirname(here)
    return (
        _word(tree, f"{here}/dev", _GONE),
        busid_of(link) or _NO_CCW,
        _word(tree, f"{here}/dm/name", _NO_LABEL),
        _word(tree, f"{device}/model", _NO_MODEL),
        _number(tree, f"{here}/diskseq", _NO_DISKSEQ),
        _number(tree, f"{here}/size", _GONE),
        _number(tree, f"{here}/queue/nr_requests", _GONE),
        _number(tree, f"{here}/queue/logical_block_size", _GONE),
        _number(tree, f"{here}/queue/iostats", _GONE),
    )


_LABELS: Final = (
    "number", "busid", "label", "model", "incarnation", "size", "nr_requests", "block_size",
)  # fmt: skip


def read_disks(tree: Tree) -> Disks:
    """Read what the whole disks are; once, and again after disks came or went.

    Of each `/sys/block/<name>`: the link itself (which ccw device it hangs on), `dev`, `diskseq`
    (since Linux 5.15; never used twice, so it tells a disk from the next one of the same name),
    `size` in sectors of 512 bytes, `queue/nr_requests`, `queue/logical_block_size`,
    `queue/iostats`, `dm/name`, and `model` of the device that a SCSI or NVMe driver made.

    Raises:
        OSError: /sys/block cannot be listed.
    """
    names: list[str] = []
    found: list[tuple[Value, ...]] = []
    for name in tree.entries(DIRECTORY):
        try:
            found.append(_disk(tree, name))
        except OSError:
            continue  # it went away between the listing and the reading
        names.append(name)
    *columns, statistics = ([row[i] for row in found] for i in range(len(_LABELS) + 1))
    return Disks(
        names,
        dict(zip(_LABELS, columns, strict=True)),
        frozenset(name for name, kept in zip(names, statistics, strict=True) if kept == 0),
    )


def frame(disks: Disks, counts: Iterable[Counts], when: int) -> Frame:
    """Put the counts of all disks, in the order of `disks.names`, beside what the disks are."""
    if not disks.names:
        return nothing(BLOCK, "no disk in /sys/block")
    columns, made = dict(disks.labels), tuple(counts)
    columns.update(zip(diskstats.FIELDS, map(list, zip(*made, strict=True)), strict=False))
    return Frame(BLOCK, disks.names, columns, [when] * len(disks.names), rows=made)


def read_blocks(tree: Tree, disks: Disks) -> Frame:
    """Read what the whole disks have done: one frame of `BLOCK`.

    Which lines of /proc/diskstats are whole disks, /sys/block says: `disks`.
    """
    try:
        counts = diskstats.read_diskstats(tree)
        when = tree.when(diskstats.PATH)
    except OSError as error:
        return nothing(BLOCK, f"/proc/diskstats cannot be read: {error.strerror}")
    except ValueError as error:
        return nothing(BLOCK, str(error))
    return frame(disks, [counts.get(name, NO_LINE) for name in disks.names], when)
