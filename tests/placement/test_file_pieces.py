"""zmon.placement.items: what of each file lies on each disk."""

from __future__ import annotations

import pytest

from tests.placement.study import FILES, MIB, NO, filled, sample
from zmon.absent import Absent
from zmon.kinds import CONTAINER
from zmon.placement.items import NO_COUNTERS, NO_DISK, pieces
from zmon.topology.machine import Machine


def test_a_file_on_one_disk_is_one_piece() -> None:
    """In the order of the files, each with its disk."""
    found = pieces(Machine(sample()))
    assert [(piece.file.path, piece.number) for piece in found] == [
        (path, f"94:{4 * lcu}") for path, _space, _mib, lcu in FILES
    ]


def test_the_parts_of_the_files_on_a_disk_make_one() -> None:
    """All that it did is somebody's."""
    found = pieces(Machine(sample()))
    assert sum(piece.part for piece in found if piece.number == "94:24") == pytest.approx(1.0)


def test_traffic_goes_by_bytes() -> None:
    """Of 8 MiB the file with 6 has three quarters."""
    files = [("/a", "A", 6, 1), ("/b", "B", 2, 1)]
    found = pieces(Machine(sample(files)))
    assert [piece.traffic({"94:4": 4e6}) for piece in found] == [3e6, 1e6]


def test_without_counters_there_is_no_traffic() -> None:
    """It is not zero."""
    found = pieces(Machine(sample()))
    assert found[0].traffic({}) is NO_COUNTERS


def test_a_file_on_no_known_disk_is_a_piece_too() -> None:
    """So that nothing that is listed is missing on a screen."""
    made = sample()
    gone = filled(CONTAINER, {"/db/gone": {"tablespace": "T9", "real": NO, "number": NO, "ranges": NO}}, 0)
    (piece,) = pieces(Machine(made._replace(frames={**made.frames, "container": gone})))
    assert (piece.share, piece.number, piece.traffic({})) == (None, "", NO_DISK)
    assert isinstance(piece.part, Absent)


def test_pieces_are_made_once() -> None:
    """A picture in which nothing moves costs nothing."""
    machine = Machine(sample([("/a", "A", 1, 1)]))
    assert pieces(machine) is pieces(machine)
    assert pieces(machine)[0].share is not None
    assert pieces(machine)[0].share.bytes == MIB  # type: ignore[union-attr]  # the line before says it
