"""Files of Oracle's ASM as the way down takes them: spread by their disk group over devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.listing import asm
from zmon.listing import container as c
from zmon.listing.disk_group import COPIES
from zmon.topology.data_files import DiskGroupFile, DiskGroupPart

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.listing.asm import Asm, Membership
    from zmon.listing.container import Container

NO_SIZE: Final = absent("the listing does not say its size")
LABEL: Final = absent("it is a label: get asmcmd afd_lsdsk, or oracleasm querydisk -p")
WORDS: Final = {0: "external", 1: "normal", 2: "high"}
"""Redundancy of a disk group, by the copies besides the first."""


def is_in_group(container: Container) -> bool:
    """Tell whether a container is in a disk group, and so no path that Linux knows."""
    return container.kind in {c.ASM_FILE, c.ASM_GROUP} and not container.problem


def name(container: Container) -> str:
    """Return what a container is called, which for a container of a group alone says what is in the group.

    `+DATA` is how Oracle is told to make a file; what the file is called, it chooses.
    """
    if container.kind != c.ASM_GROUP:
        return container.located
    within = ".".join(filter(None, (container.database, container.tablespace))) or container.role
    return f"{container.path} ({within})"


def scattered(containers: Iterable[Container], disks: Asm) -> tuple[DiskGroupFile, ...]:
    """Return how the containers that are in disk groups are spread, each name once."""
    groups: dict[str, Membership] = {}
    found: dict[str, DiskGroupFile] = {}
    for container in filter(is_in_group, containers):
        called, group = name(container), asm.group_of(container)
        if group not in groups:
            groups[group] = asm.membership(group, disks)
        if called not in found:
            found[called] = _spread(container, called, groups[group], disks)
    return tuple(found.values())


def _spread(container: Container, called: str, of: Membership, disks: Asm) -> DiskGroupFile:
    spread = asm.spread_over(of, container, disks)
    size = container.bytes_declared
    return DiskGroupFile(
        called,
        container.database,
        container.tablespace,
        container.role,
        container.place,
        NO_SIZE if size is None else size,
        over=f"+{of.group.name}",
        what=_what(of),
        devices=tuple(disk.path for disk in of.disks),
        parts=tuple(DiskGroupPart(share.device, share.data, share.copies, LABEL) for share in spread.shares),
        unplaced=spread.unplaced,
        grade=spread.grade,
        evidence=spread.evidence,
    )


def _what(of: Membership) -> str:
    copies = COPIES.get(of.group.redundancy)
    kind = f"{WORDS[copies]} redundancy, " if copies is not None else ""
    return f"ASM, {kind}{len(of.disks)} disk{'s' * (len(of.disks) != 1)}"
