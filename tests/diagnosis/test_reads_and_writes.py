"""Since when writes wait for a remote mirror, and what that proves."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.diagnosis.diagnosis import LIKELY, POSSIBLE, Diagnosis
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_history import SlowerWrites
from zmon.machine.observed_volumes import VolumeDetail

BEGIN = 1_773_662_400_000_000_000
WHEN = clock(BEGIN, "%H:%M")


def diagnosed(before: SlowerWrites | Absent) -> Diagnosis:
    """Return what is said of an LCU whose writes take 2 ms longer than its reads."""
    one = volume(rate=200.0, reads=0.5)
    one = one._replace(disc=0.001, response=0.0022, read_response=0.0012, write_response=0.0032)
    details = {one.key: VolumeDetail(0.0, 0.0, 1.0, 0.0, 0.0, "simplex", 0.4, 32)}
    asked = situation(load(one), slower_writes=before)._replace(details=lambda: details)
    return only(CAUSES["D8"](asked))


def test_a_mirror_that_began_is_told_with_when_and_how_writes_were_before() -> None:
    """As many writes took less before: that is better proof than the difference at night."""
    found = diagnosed(SlowerWrites(BEGIN, 98.0, 0.0012))
    assert facts(found.claim).startswith(f"{WHEN} 7 3.2 2.0")
    assert f"{WHEN} 1.2 98" in [facts(one.words) for one in found.evidence]
    assert WHEN in found.confirm
    assert (found.since, found.confidence) == (BEGIN, LIKELY)


@pytest.mark.parametrize("before", [SlowerWrites(BEGIN, 20.0, 0.0012), absent("longer ago")])
def test_few_quick_writes_before_prove_nothing(before: SlowerWrites | Absent) -> None:
    """More load may be what makes writes slow: the same difference at night shows that it is not."""
    found = diagnosed(before)
    assert found.claim.startswith("A write to LCU 7 takes")
    assert "night" in found.confirm
    assert (found.since, found.confidence) == (None, POSSIBLE)
