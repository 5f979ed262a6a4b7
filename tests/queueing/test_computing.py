"""What processors do besides requests shows where the rate of these varies; stolen time is waited for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.queueing.pairs import observed
from zmon.base.absent import Absent, absent
from zmon.machine.observation import NOT_VARIED, ObservedProcessors
from zmon.queueing.change import ProcessorNumber
from zmon.queueing.computing import LEAST_INTERVALS, background, processor_load
from zmon.queueing.prediction import fitted_interval, predict
from zmon.queueing.waiting import waiting

VARIED = [100.0 * times for times in (1.0, 0.2, 1.8, 0.6, 1.4, 0.9, 1.1, 0.4, 1.6)]


@given(st.floats(0.0, 4.0), st.floats(0.001, 0.1))
def test_what_does_not_go_with_requests_is_found(other: float, each: float) -> None:
    """Processors in use are the background and so many for each request per second."""
    found = background([(rate, other + each * rate) for rate in VARIED])
    assert found == pytest.approx(other, abs=1e-6)


@given(st.floats(0.0, 4.0), st.floats(0.001, 0.1), st.integers(1, 60))
def test_rates_that_do_not_vary_show_nothing(other: float, each: float, many: int) -> None:
    """A few percent up and down may be writes in bursts, which cost the processors nothing."""
    points = [(100.0 + 10.0 * (at % 3 - 1), other + 100.0 * each) for at in range(many)]
    assert background(points) is NOT_VARIED


@pytest.mark.parametrize(
    "points",
    [
        [(rate, 1.0) for rate in VARIED[: LEAST_INTERVALS - 1]],
        [(rate, 2.0 - rate / 100.0) for rate in VARIED],
        [(rate, 0.5 + at % 2) for at, rate in enumerate(VARIED)],
        [(0.0, 1.0)] * 20,
    ],
    ids=["few", "falling", "scattered", "idle"],
)
def test_what_is_no_line_shows_nothing(points: list[tuple[float, float]]) -> None:
    """Too few intervals, or processors whose load has nothing to do with requests."""
    assert background(points) is NOT_VARIED


def test_processor_time_that_is_known_to_go_without_requests_stays() -> None:
    """With half of the load known to be other work, processors double what is left for requests."""
    load = observed("hyperpav-20", -1)
    number, busy = (float(value) for value in load.processors[:2])  # type: ignore[arg-type]  # they are known
    half = load._replace(processors=load.processors._replace(background=number * busy / 2))
    with_all, with_half = (predict(fitted_interval(one), ()) for one in (load, half))
    assert with_half.limit_before == with_all.limit_before
    assert with_half.use_before == pytest.approx(busy)
    assert with_half.bound == pytest.approx(1.15 * (1 - busy / 2) / (busy / 2), rel=0.01)
    assert len(with_half.missing) == len(with_all.missing) - 1
    slower = [predict(fitted_interval(one), (ProcessorNumber(number / 2),)).times for one in (load, half)]
    assert slower[1] < slower[0]


def test_stolen_processor_time_is_waited_for() -> None:
    """A Linux that gets 18 % of its processors' time, and wants all, waits for them; more get no more."""
    load = observed("zvm-steal", -1)
    found = waiting(load)
    assert found.places[0].kind == "processors"
    assert "the hypervisor withholds 82 % of their time" in found.why
    base = fitted_interval(load)
    assert predict(base, ()).use_before == pytest.approx(1.0, abs=0.01)
    four = predict(base, (ProcessorNumber(4),))
    assert four.times == pytest.approx(1.0)
    assert four.confidence == "low"
    assert any("withholds" in words for words in four.missing)
    assert predict(base, (ProcessorNumber(1),)).times < 0.7


def test_without_steal_the_hypervisor_is_not_named() -> None:
    """An LPAR with processors of its own, and one whose steal was not read, get the same answer."""
    load = observed("hyperpav-20", -1)
    assert not any("withholds" in words for words in predict(fitted_interval(load), ()).missing)
    blind = load._replace(processors=load.processors._replace(stolen=absent("not read")))
    assert processor_load(blind) == processor_load(load)


@pytest.mark.parametrize(
    "processors", [ObservedProcessors(absent("no"), 0.5), ObservedProcessors(4, absent("no"))]
)
def test_unknown_processors_ask_for_nothing(processors: ObservedProcessors) -> None:
    """Without their number or load they are left out, and no steal is made up."""
    load = observed("shark-before", -1)._replace(processors=processors)
    assert processor_load(load) == (0.0, 0.0, 0.0, 0.0)
    assert isinstance(processors.taken, Absent) == isinstance(processors.busy, Absent)
