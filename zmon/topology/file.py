"""Files as a sample holds them: each with the bytes of the device where it lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zmon.absent import Absent, Number
    from zmon.sample import Frame


class File(NamedTuple):
    """A file or device that holds something, such as a tablespace; a row of `CONTAINER`."""

    path: str
    database: str
    tablespace: str
    role: str
    listed: str
    """Where it is listed; empty when nobody lists it."""
    real: str | Absent
    """The path without links; of a file in an overlay, that in the layer which holds it."""
    number: str | Absent
    """What `ranges` count on: a block device, or a btrfs."""
    mount: str | Absent
    """The id of the mount through which it is seen."""
    ranges: tuple[tuple[int, int], ...] | Absent
    """[begin, end) in bytes."""
    said: tuple[tuple[str, str], ...]
    """What was asked, and what it said."""
    size: Number
    declared: Number
    unplaced: Number
    unwritten: Number


def files_in(frame: Frame) -> list[File]:
    """Return the files of a sample."""
    raise NotImplementedError
