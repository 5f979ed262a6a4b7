"""Frames and samples that are written by hand, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.base.absent import absent
from zmon.sample import Frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.sample import Kind

NOT_GIVEN = absent("not given in this test")


def frame_of(
    kind: Kind, rows: Mapping[str, Mapping[str, Value]], at: int, prior: Frame | None = None
) -> Frame:
    """Return a frame that was read at one time: key -> field -> value; what a row does not have is absent."""
    names = dict.fromkeys(name for fields in rows.values() for name in fields)
    columns = {name: [fields.get(name, NOT_GIVEN) for fields in rows.values()] for name in names}
    return Frame(kind, list(rows), columns, [at] * len(rows), prior=prior)
