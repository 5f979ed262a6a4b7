"""D2: requests wait for channel paths, where there are any, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import LCU, load, only, situation, volume
from zmon.base.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE
from zmon.diagnosis.verdict import CAUSES, verdict
from zmon.queueing.waiting import waiting

if TYPE_CHECKING:
    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Verdict

UNKNOWN = absent("not read")
FULL = {"50": 0.98, "51": 0.98}


def test_a_machine_without_dasds_has_no_channel_paths_to_wait_for() -> None:
    """Its load need not be known: it is no reason to be uncertain. That of a machine with DASDs is."""
    for one in ("virtio", "SCSI", "NVMe"):
        assert CAUSES["D2"](situation(load(volume()._replace(sort=one), paths={}))) == ()
    assert isinstance(CAUSES["D2"](situation(load(volume(), paths={}))), Absent)


@pytest.mark.parametrize(
    ("measured", "pend", "confidence", "confirm"),
    [
        (True, 0.05, CERTAIN, False),
        (False, 0.05, LIKELY, True),
        (True, 0.0002, POSSIBLE, True),
        (False, 0.0002, POSSIBLE, True),
    ],
)
def test_full_paths_are_certain_where_their_load_is_measured_and_requests_pend(
    *, measured: bool, pend: float, confidence: str, confirm: bool
) -> None:
    """The connect time of this Linux is an estimate, however much; without Pend no queue is seen."""
    waited = volume()._replace(pend=pend, response=pend + 0.001)
    now = load(waited, paths=FULL)._replace(paths_measured=measured)
    one = only(CAUSES["D2"](situation(now)))
    assert (one.confidence, bool(one.confirm)) == (confidence, confirm)


def behind_one_group(uses: dict[str, Number], *, calm: bool) -> Verdict:
    """Return the verdict on two LCUs behind the same paths; requests wait in both, or the second is calm."""
    slow = volume("0.0.7000", 200.0)._replace(disc=0.03, response=0.0312)
    other = slow._replace(key="0.0.8000", title="8000", lcu="M")
    other = other._replace(disc=0.0, response=0.0012) if calm else other
    now = load(slow, other, paths=uses)
    return verdict(situation(now._replace(lcus=(LCU, LCU._replace(key="M", title="LCU 8")))))


@pytest.mark.parametrize(
    ("use", "calm", "first"),
    [(0.98, False, "D2"), (0.98, True, "D1"), (0.8, False, "D1"), (0.2, False, "D1")],
)
def test_lcus_that_are_all_full_at_once_behind_full_paths_wait_for_these(
    use: float, first: str, *, calm: bool
) -> None:
    """An LCU that cannot reconnect holds its requests; of two of which one is calm, the paths are not it."""
    found = behind_one_group(dict.fromkeys(("50", "51"), use), calm=calm)
    assert found.diagnoses[0].id in ({"D1", "D3"} if first == "D1" else {first})
    if first == "D2":
        assert found.diagnoses[0].confidence == LIKELY
        assert found.diagnoses[0].lost == pytest.approx(2 * 200 * 0.03)
        assert "D1" not in {one.id for one in found.diagnoses}


@pytest.mark.parametrize(("use", "bought"), [(0.8, False), (UNKNOWN, False), (0.2, True)])
def test_no_purchase_is_advised_before_what_all_lcus_share_is_excluded(use: Number, *, bought: bool) -> None:
    """Busy paths, or paths whose load nobody read, may be what holds up all of the LCUs."""
    found = behind_one_group({"50": use, "51": use}, calm=False)
    full = next(one for one in found.diagnoses if one.id == "D1")
    assert full.action.startswith("Add ") is bought
    assert (full.confidence == POSSIBLE) is not bought


def test_overlapping_connect_times_are_not_said_to_be_a_percentage() -> None:
    """On FICON several requests are connected at a time: the claim says how many."""
    waited = volume()._replace(pend=0.05, response=0.051)
    one = only(CAUSES["D2"](situation(load(waited, paths={"50": 4.45, "51": 4.45}))))
    assert "445" not in one.claim
    assert "4.5 requests" in one.claim


@pytest.mark.parametrize(
    ("use", "measured", "first"), [(0.99, True, "D2"), (0.99, False, "D1"), (0.5, True, "D1")]
)
def test_without_channel_measurement_full_paths_come_before_an_lcu_that_may_be_full(
    use: float, first: str, *, measured: bool
) -> None:
    """That the paths are full is measured; in which of both requests wait is not, and no Pend is made up."""
    slow = [
        volume(f"0.0.700{at}", 50.0)._replace(estimated=True, pend=0.0, disc=0.0, conn=0.02, response=0.06)
        for at in range(4)
    ]
    now = load(*slow, paths={"50": use, "51": use})._replace(paths_measured=measured)
    found = verdict(situation(now))
    assert found.diagnoses[0].id == first
    if first == "D2":
        paths = found.diagnoses[0]
        assert paths.confidence == LIKELY
        assert paths.lost == pytest.approx(waiting(now).lost)
        assert "D1" not in {one.id for one in found.diagnoses}
        assert "control_unit.pend" not in {one.column for one in paths.evidence}
        assert not paths.changes
