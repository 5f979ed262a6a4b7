"""No request is answered sooner than what serves it takes."""

from __future__ import annotations

from typing import Final

import pytest

from tests.queueing.pairs import scenario, shares
from zmon.interval import Interval
from zmon.lab.scenario import names
from zmon.machine.observed import load_of
from zmon.machine.view import View
from zmon.queueing.change import AliasNumber, ChangeError, PathNumber, ProcessorNumber
from zmon.queueing.prediction import fitted_interval, predict
from zmon.session.machines import ScenarioSection

CHANGES: Final = (
    AliasNumber(0),
    AliasNumber(10),
    AliasNumber(20),
    PathNumber(2, times=True),
    ProcessorNumber(64.0),
)
"""Those that leave each request where it is."""


@pytest.mark.whole_days
@pytest.mark.parametrize("name", names())
def test_no_response_is_below_what_the_change_leaves(name: str) -> None:
    """Pend without waits, cache misses and Conn stay; aliases made .3 ms of them, which took .5 alone."""
    plan = scenario(name)
    section = ScenarioSection(plan._replace(phases=plan.phases[:1]))
    base = fitted_interval(load_of(View(Interval(section.sample(0), section.sample(1)))), shares(name))
    least: dict[str, float] = {}
    for flow in base.model.flows:
        alone = base.model.latency[flow.lcu] + flow.miss + flow.conn
        least[flow.lcu] = min(alone, least.get(flow.lcu, alone))
    for change in CHANGES:
        try:
            found = predict(base, (change,)).units
        except ChangeError:  # such as aliases where there are no LCUs
            continue
        for one in found:
            now, then = one.response
            assert then >= 0.999 * min(now, least[one.key])
