"""The whole way down: from a file to the volumes it lies on, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Absent, Number
    from zmon.topology.evidence import Evidence, Grade
    from zmon.topology.file import File
    from zmon.topology.mount import Mount, Mounts
    from zmon.topology.stack import Stack
    from zmon.topology.volume import Volume


class Step(NamedTuple):
    """One thing on the way down."""

    depth: int
    """How far below the file it is; what is reached by several ways is named once."""
    number: str
    """`major:minor`; empty when it is no device."""
    name: str
    what: str
    """What sort of thing it is, in words: `ext4 at /db2`, `partition`, `LVM`, `multipath`."""


class Share(NamedTuple):
    """What of a file lies on one volume."""

    volume: Volume
    bytes: Number
    """Absent when it may be any part."""
    copies: Number
    """Bytes there besides the first copy: mirrors, parity."""


class Answer(NamedTuple):
    """Where something lies."""

    thing: str
    """What was asked for: a path as it was given."""
    path: str
    real: str | Absent
    mount: Mount | Absent
    steps: tuple[Step, ...]
    size: Number
    mapped: Number
    """Bytes whose place is known; fewer than `size` in a file with holes, more with room beyond its end."""
    unplaced: Number
    unwritten: Number
    disks: tuple[Share, ...]
    """Most bytes first."""
    grade: Grade
    """That of the worst step."""
    evidence: tuple[Evidence, ...]
    lacking: tuple[str, ...]
    """What root, CP or another way would add, in words a person can act on."""


def answer(file: File, mounts: Mounts, stack: Stack, volumes: Mapping[str, Volume]) -> Answer:
    """Follow one file down; nothing is read."""
    raise NotImplementedError
