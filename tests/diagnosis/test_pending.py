"""Requests that pend for long are compared with those of other LCUs, and with the time before."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import LCU, load, only, situation, volume
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observation import ObservedLcu, ObservedLoad

OTHER = ObservedLcu("M", "LCU 8", "box", ("58", "59"), misses=0.0)


def pending(pend: float) -> ObservedLoad:
    """Return two busy LCUs, of which one has this Pend and the other 0.2 ms."""
    found = load(volume(rate=400.0)._replace(pend=pend), volume("0.0.8000", 400.0, lcu="M"))
    return found._replace(lcus=(LCU, OTHER))


@pytest.mark.parametrize(
    ("before", "evidence", "action"),
    [
        (0.0002, ["Pend was 0.2 ms before"], "a dirty link or a busy host adapter."),
        (0.0019, [], "a dirty link, a long way or a busy host adapter."),
        (None, [], "a dirty link, a long way or a busy host adapter."),
    ],
)
def test_a_way_that_was_short_before_is_no_long_way(
    before: float | None, evidence: list[str], action: str
) -> None:
    """What has changed is evidence, and excludes what cannot change."""
    then = None if before is None else pending(before)
    found = only(CAUSES["D5"](situation(pending(0.002), then)))
    assert found.claim.endswith("on the best LCU it is 0.2 ms.")
    assert [one.words for one in found.evidence[2:]] == evidence
    assert found.action.endswith(action)
