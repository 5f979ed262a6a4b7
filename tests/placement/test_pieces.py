"""zmon.placement.pieces: what of each file lies on each disk."""

from __future__ import annotations

from tests.placement.study import FILES, MIB, NO, filled, sample
from zmon.kinds import CONTAINER
from zmon.placement.pieces import NO_DISK, pieces
from zmon.topology.machine import Machine


def test_a_file_on_one_disk_is_one_piece() -> None:
    """In the order of the files, each with its disk."""
    found = pieces(Machine(sample()))
    assert [(piece.file.path, piece.number) for piece in found] == [
        (path, f"94:{4 * lcu}") for path, _space, _mib, lcu in FILES
    ]


def test_a_file_on_no_known_disk_is_a_piece_too() -> None:
    """So that nothing that is listed is missing on a screen."""
    made = sample()
    gone = filled(CONTAINER, {"/db/gone": {"tablespace": "T9", "real": NO, "number": NO, "ranges": NO}}, 0)
    (piece,) = pieces(Machine(made._replace(frames={**made.frames, "container": gone})))
    assert (piece.share, piece.number, piece.held) == (None, "", NO_DISK)


def test_pieces_are_made_once() -> None:
    """A picture in which nothing moves costs nothing."""
    machine = Machine(sample([("/a", "A", 1, 1)]))
    assert pieces(machine) is pieces(machine)
    assert pieces(machine)[0].share is not None
    assert pieces(machine)[0].share.bytes == MIB  # type: ignore[union-attr]  # the line before says it
