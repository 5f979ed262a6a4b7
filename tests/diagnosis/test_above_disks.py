"""Request tags: no more are in use than there are, and what waits above them is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import only, situation
from tests.goldens import facts
from zmon.base.absent import absent
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_volumes import VolumeDetail

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Diagnoses

UNKNOWN = absent("not read")


def with_queue(inside: float) -> Diagnoses:
    """Return what is said of a volume with 64 tags and a queue."""
    details = VolumeDetail._make([UNKNOWN] * len(VolumeDetail._fields))
    details = details._replace(in_linux=inside, tags=64)
    return CAUSES["D11b"](situation()._replace(details=lambda: {"0.0.7000": details}))


@pytest.mark.parametrize(
    ("inside", "tags", "evidence"),
    [(68.7, "64 64", "68.7 64 64 4.7"), (64.0, "64 64", "64 64"), (60.0, "60 64", "60 64")],
)
def test_at_most_all_tags_are_in_use(inside: float, tags: str, evidence: str) -> None:
    """Linux counts requests that wait above for a tag as well: those are no tags."""
    found = only(with_queue(inside))
    assert (facts(found.claim), facts(found.evidence[0].words)) == (f"7000 {tags}", evidence)


def test_free_tags_are_no_diagnosis() -> None:
    """Below nine tenths of them a request finds one."""
    assert with_queue(50.0) == ()
