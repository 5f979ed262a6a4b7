"""Rows as a reader meets them, turned into the columns of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.sample import Frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.absent import Value
    from zmon.sample import Kind


def frame(kind: Kind, rows: Mapping[str, Mapping[str, Value]], when: int) -> Frame:
    """Return a frame of rows that were all read at one moment and all have the same fields."""
    names = next(iter(rows.values()), {})
    columns = {name: [row[name] for row in rows.values()] for name in names}
    return Frame(kind, list(rows), columns, [when] * len(rows))
