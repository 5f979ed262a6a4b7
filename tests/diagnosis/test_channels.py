"""D2: requests wait for channel paths, where there are any, and how sure that is."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from zmon.absent import Absent
from zmon.diagnosis.channels import IN_LPAR, NO_PEND, full_paths
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE

FULL = {"50": 0.98, "51": 0.98}


def test_a_machine_without_dasds_has_no_channel_paths_to_wait_for() -> None:
    """Its load need not be known: it is no reason to be uncertain. That of a machine with DASDs is."""
    for one in ("virtio", "SCSI", "NVMe"):
        assert full_paths(situation(load(volume()._replace(sort=one), paths={}))) == ()
    assert isinstance(full_paths(situation(load(volume(), paths={}))), Absent)


@pytest.mark.parametrize(
    ("measured", "pend", "confidence", "confirm"),
    [
        (True, 0.05, CERTAIN, ""),
        (False, 0.05, LIKELY, IN_LPAR),
        (True, 0.0002, POSSIBLE, NO_PEND),
        (False, 0.0002, POSSIBLE, IN_LPAR),
    ],
)
def test_full_paths_are_certain_where_their_load_is_measured_and_requests_pend(
    *, measured: bool, pend: float, confidence: str, confirm: str
) -> None:
    """The connect time of this Linux is an estimate, however much; without Pend no queue is seen."""
    waited = volume()._replace(pend=pend, response=pend + 0.001)
    now = load(waited, paths=FULL)._replace(paths_measured=measured)
    one = only(full_paths(situation(now)))
    assert (one.confidence, one.confirm) == (confidence, confirm)
