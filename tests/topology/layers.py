"""Stacks of block devices, told device by device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.base.absent import absent
from zmon.kinds import LAYER
from zmon.sample import Frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value

UNTOLD = absent("not told in this test")


def layers(rows: Mapping[str, Mapping[str, Value]]) -> Frame:
    """Return a frame of devices by their numbers; what is not told of one is absent."""
    columns = {
        name: [row.get(name, "" if name == "below" else UNTOLD) for row in rows.values()]
        for name in LAYER.by_name
    }
    return Frame(LAYER, list(rows), columns, [0] * len(rows))


def disk(name: str, size: int, **more: Value) -> dict[str, Value]:
    """Return a disk of so many sectors."""
    return {"name": name, "sort": "disk", "size": size, **more}


def partition(name: str, parent: str, start: int, size: int) -> dict[str, Value]:
    """Return a partition; start and size in sectors."""
    return {"name": name, "sort": "partition", "parent": parent, "start": start, "size": size}


def mapped(name: str, table: Value, size: int, below: str = "", **more: Value) -> dict[str, Value]:
    """Return a device of the device mapper, of so many sectors."""
    known: dict[str, Value] = {"name": "dm-0", "sort": "dm", "mapped": name, "uuid": "LVM-x"}
    return {**known, "table": table, "size": size, "below": below, **more}


def array(level: str, members: str, size: int, chunk: int = 0, layout: int = 0) -> dict[str, Value]:
    """Return an array of md; size in sectors, chunk in bytes."""
    known: dict[str, Value] = {"name": "md0", "sort": "md", "level": level, "members": members}
    below = " ".join(word.partition("=")[2].partition("@")[0] for word in members.split())
    return {**known, "size": size, "chunk": chunk, "layout": layout, "below": below.replace("-", "")}
