"""Requests that pend for long are compared with those of other LCUs, and with the time before."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import LCU, load, only, situation, volume
from tests.goldens import facts
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observation import ObservedLcu, ObservedLoad

OTHER = ObservedLcu("M", "LCU 8", "box", ("58", "59"), misses=0.0)


def pending(pend: float) -> ObservedLoad:
    """Return two busy LCUs, of which one has this Pend and the other 0.2 ms."""
    found = load(volume(rate=400.0)._replace(pend=pend), volume("0.0.8000", 400.0, lcu="M"))
    return found._replace(lcus=(LCU, OTHER))


@pytest.mark.parametrize(
    ("before", "evidence", "far"),
    [
        (0.0002, ["0.2"], False),
        (0.0019, [], True),
        (None, [], True),
    ],
)
def test_a_way_that_was_short_before_is_no_long_way(
    before: float | None, evidence: list[str], *, far: bool
) -> None:
    """What has changed is evidence, and excludes what cannot change."""
    then = None if before is None else pending(before)
    found = only(CAUSES["D5"](situation(pending(0.002), then)))
    assert facts(found.claim).endswith(" 0.2")
    assert [facts(one.words) for one in found.evidence[2:]] == evidence
    assert "dirty link" in found.action
    assert ("long way" in found.action) is far
