"""The network obeys the laws of queues, and is near what is known exactly."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.queueing.pairs import observed, shares
from zmon.queueing.network import (
    EXPONENTIAL,
    Flow,
    Network,
    RequestClass,
    Station,
    _Iteration,
    blocked,
    crowding,
    evened,
    own_part,
    residual,
    solve,
)
from zmon.queueing.prediction import fitted_interval


def network(population: float, servers: float, hold: float, *, think: float = 0.0) -> Network:
    """Return one class with one volume; `think` is time on a processor that no one waits for."""
    stations = (
        Station("volume", "v", "volume v", servers, EXPONENTIAL),
        Station("processors", "cpu", "", 1e6),
    )
    flow = Flow(1.0, (), 0, 0.0, hold, hold, 4096.0, "L")
    return Network(stations, (RequestClass("c", population, (flow,), ((1, think),) if think else ()),))


def exact(population: int, hold: float, think: float) -> float:
    """Return the throughput of one exponential server and a delay, by mean value analysis."""
    queue, rate = 0.0, 0.0
    for number in range(1, population + 1):
        response = hold * (1 + queue)
        rate = number / (think + response)
        queue = rate * response
    return rate


@pytest.mark.parametrize("population", [1, 2, 5, 20, 100])
@pytest.mark.parametrize("think", [0.001, 0.01, 0.1])
def test_one_server_is_near_mean_value_analysis(population: int, think: float) -> None:
    """For one class and one server the exact throughput is known."""
    rate = solve(network(population, 1.0, 0.01, think=think)).rate
    assert rate == pytest.approx(exact(population, 0.01, think), rel=0.07)


@given(
    population=st.floats(0.1, 200),
    servers=st.integers(1, 64),
    hold=st.floats(1e-5, 0.1),
    think=st.floats(0, 0.1),
)
def test_littles_law_and_capacities_hold(population: float, servers: int, hold: float, think: float) -> None:
    """All requests are somewhere, no answer beats its service, and no server does more than it can."""
    found = solve(network(population, float(servers), hold, think=think))
    assert found.rate * (found.response + think) == pytest.approx(population, rel=0.02)
    assert found.response >= hold * 0.999
    assert found.rate * hold <= servers * 1.1


@given(population=st.floats(1, 100), servers=st.integers(1, 20))
@example(population=27.0, servers=18)  # the rate went to and fro while the work stayed
def test_more_servers_never_slow_down(population: float, servers: int) -> None:
    """More subchannels give as much or more."""
    few, many = (solve(network(population, float(n), 0.01)).rate for n in (servers, servers + 1))
    assert many >= few * 0.999


def test_an_open_class_keeps_its_rate() -> None:
    """Logs are written as often as before, however quick the answer."""
    one = network(5.0, 1.0, 0.001)
    steady = one._replace(classes=(one.classes[0]._replace(rate=100.0),))
    found = solve(steady)
    assert found.rate == 100.0
    assert found.response == pytest.approx(0.001 / 0.9, rel=0.25)


def test_a_class_that_follows_keeps_its_ratio() -> None:
    """What is written back is as much for each request as before, and waits in its batch as well."""
    one = network(5.0, 1.0, 0.001)
    leader = one.classes[0]
    alone = leader.flows[0]
    written = RequestClass("w", 100.0, (alone._replace(batch=(0, 3.0)),), follows=(0, 0.5))
    found = solve(one._replace(classes=(leader, written)))
    assert found.rates[1] == pytest.approx(0.5 * found.rates[0])
    assert found.flows[1][0].response - found.flows[0][0].response >= 0.003
    assert found.rate * 0.001 <= 1.1


@given(use=st.floats(0, 1), ahead=st.floats(1e-6, 1), between=st.floats(1e-3, 10), longer=st.floats(1, 10))
def test_a_batch_is_met_once(use: float, ahead: float, between: float, longer: float) -> None:
    """No request waits longer behind batches than random arrivals do, nor than they last."""
    wait = blocked(use, ahead, between)
    assert 0 <= wait <= use * min(ahead, between) * (1 + 1e-9)
    assert blocked(use, ahead, between * longer) >= wait * 0.999
    assert blocked(use, ahead, 0.0) == use * ahead


def test_two_full_stations_have_a_solution() -> None:
    """Volumes and paths that are both nearly full: the requests are all somewhere."""
    stations = (
        Station("paths", "p", "paths", 8.0),
        *(Station("volume", str(at), "volume", 4.0, EXPONENTIAL) for at in range(4)),
    )
    classes = tuple(
        RequestClass(str(at), 16.0, (Flow(1.0, ((0, 217e-6),), 1 + at, 150e-6, 0.0, 367e-6, 65536.0, "L"),))
        for at in range(4)
    )
    found = solve(Network(stations, classes))
    assert found.rate * found.response == pytest.approx(64, rel=0.001)
    assert max(found.use) <= 1.0


def test_where_steps_are_small_the_end_is_reached_all_the_same() -> None:
    """Logs that wait for data: thousands of plain rounds have the same end."""
    found = fitted_interval(observed("logs-mixed", 0), shares("logs-mixed"))
    plain = _Iteration(found.network)
    for _ in range(6000):
        plain._round(0.3)
    assert sum(found.solution.rates) == pytest.approx(sum(plain.rates), rel=1e-4)
    assert found.solution.use == pytest.approx(plain.use, rel=1e-3)


@given(use=st.floats(0, 2), part=st.floats(0, 1), servers=st.floats(0.5, 100))
def test_what_is_met_is_a_part(use: float, part: float, servers: float) -> None:
    """Corrections take away from a wait and never add; a full station keeps all of it."""
    assert 0 <= evened(part, use) <= 1
    assert evened(part, 1.0) == 1.0
    assert 0 <= crowding(servers, use) <= 1 / servers
    assert 0 < own_part(servers, 0.5, part) <= 1
    assert 0.5 <= residual(part, 1.0) <= 1.0


def test_requests_in_turn_wait_less_than_at_random() -> None:
    """A scan that uses its volumes in turn waits less before each."""

    def response(evenly: float) -> float:
        stations = tuple(
            Station("volume", f"v{n}", f"volume v{n}", 1.0, EXPONENTIAL, evenly=evenly) for n in range(4)
        )
        flows = tuple(Flow(0.25, (), n, 0.0, 0.01, 0.01, 4096.0, "L") for n in range(4))
        return solve(Network(stations, (RequestClass("c", 6.0, flows),))).response

    assert response(1.0) < response(0.5) < response(0.0)
