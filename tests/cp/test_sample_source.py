"""What CP says of volumes, as a source of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.cp.sample_source import captured_claims, no_claims
from zmon.kinds import CLAIM
from zmon.topology.claims import claims_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

LINE = b"DASD 0201 3390 LX4A01 R/W      10016 CYL ON DASD  4A01 SUBCHANNEL = 0000\n"


def test_captured_answers_are_claims(make_tree: Callable[..., Tree]) -> None:
    """They come with the capture, without being asked for."""
    source = captured_claims(make_tree({"cp/virtual-dasd.txt": LINE}))
    (frame,) = source.read()
    (claim,) = claims_in(frame)
    assert (claim.vdev, claim.rdev, claim.volser) == ("0201", "4A01", "LX4A01")


def test_a_capture_without_answers_says_how_to_get_some(make_tree: Callable[..., Tree]) -> None:
    """It is no error."""
    (frame,) = captured_claims(make_tree()).read()
    assert frame.kind is CLAIM
    assert "zmon capture --cp" in str(frame.missing)


def test_cp_is_not_asked_of_its_own_accord(make_tree: Callable[..., Tree]) -> None:
    """The source is off, and says how to switch it on."""
    assert no_claims(make_tree()).off.endswith("--cp")
