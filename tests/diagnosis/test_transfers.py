"""Small requests that follow one another: what waits for the LCU is what waits for all its volumes."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from zmon.base.absent import absent
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_volumes import VolumeDetail

SEQUENTIAL = VolumeDetail(*[absent("not read")] * len(VolumeDetail._fields))._replace(sequential=0.9)


def test_requests_that_wait_for_several_volumes_of_an_lcu_are_added_up() -> None:
    """Ranked by what waits for one of its volumes, an LCU would come behind smaller troubles."""
    now = load(*(volume(f"0.0.700{at}", queued=wait) for at, wait in enumerate((0.09, 0.06, 0.02))))
    details = dict.fromkeys((one.key for one in now.volumes), SEQUENTIAL)
    found = only(CAUSES["D10b"](situation(now)._replace(details=lambda: details)))
    assert found.id == "D10b"
    assert found.lost == pytest.approx(17.0)
