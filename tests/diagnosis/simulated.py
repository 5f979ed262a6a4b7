"""Simulated machines: views, and situations, each computed once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from zmon.diagnosis.judged import situation_of
from zmon.lab.scenario import load_scenario
from zmon.machine.view import View, no_inputs
from zmon.queueing.waiting import waiting
from zmon.session.machines import ScenarioSection

if TYPE_CHECKING:
    from zmon.diagnosis.situation import Situation
    from zmon.interval import Interval
    from zmon.machine.observation import ObservedLoad


def last_interval(name: str) -> Interval:
    """Return the last interval of a scenario, which repeats the first of its phase: no other is simulated."""
    plan = load_scenario(name)
    last, seed = plan.phases[-1:], plan.seed + len(plan.phases) - 1
    section = ScenarioSection(plan._replace(phases=last, seed=seed, drawn=1))
    found = section.preview(section.span()[1])
    assert found is not None
    return found


def view_of(name: str) -> View:
    """Return a view of that interval."""
    return View(last_interval(name), inputs=no_inputs)


@cache
def situation_in(name: str) -> Situation:
    """Return the situation in the last interval of a scenario."""
    return situation_of(view_of(name))


def with_load(situation: Situation, load: ObservedLoad) -> Situation:
    """Return the same situation with another load, of which no gain is predicted."""
    return situation._replace(load=load, waiting=waiting(load), predict=None)
