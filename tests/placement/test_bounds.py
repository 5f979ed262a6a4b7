from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.absent import Absent
from zmon.placement.measures import (
    IDLE,
    OVERLOADED,
    bound_ratio,
    disks_for,
    erlang_c,
    hardware_iops,
    headroom,
    mm1,
    mmc_wait,
)

LCU = 40.0


@pytest.mark.parametrize(("share", "ratio"), [(1.0, 4.0), (0.9, 3.6), (0.713, 2.85)])
def test_the_law_of_the_largest_share(share: float, ratio: float) -> None:
    """With equal capacities the bound grows as the largest share falls."""
    capacities = dict.fromkeys("1256", LCU)
    now = headroom({"6": share, "2": 1 - share}, capacities)
    then = headroom(dict.fromkeys("1256", 0.25), capacities)
    assert bound_ratio(now, then) == pytest.approx(ratio, abs=0.01)


def test_the_binding_resource_is_named() -> None:
    """With the factor by which all may grow."""
    found = headroom({"LCU 6": 30, "even": 36}, {"LCU 6": 40, "even": 72, "odd": 72})
    assert found.factor == pytest.approx(4 / 3)
    assert found.binding == ("LCU 6",)


def test_what_has_no_capacity_does_not_limit() -> None:
    """Nobody knows what it can."""
    assert headroom({"LCU 6": 30}, {}).factor is IDLE


def test_idle_resources_have_no_factor() -> None:
    """Any multiple of nothing is nothing."""
    idle = headroom({"a": 0.0}, {"a": 1.0})
    assert bound_ratio(idle, headroom({"a": 1.0}, {"a": 1.0})) is IDLE


@pytest.mark.parametrize(
    ("rate", "wait"), [(40, 0.6), (50.4, 2.0), (56, 3.9), (57.6, 4.7), (60, 6.4), (64, 11.7)]
)
def test_waiting_for_one_of_six_channels(rate: float, wait: float) -> None:
    """128 KiB keep an ESCON channel for 10.9 ms; pend in ms by the MB/s of the six, which can do 72."""
    assert mmc_wait(131_072 / 12e6 * 1e3, rate / 72, 6) == pytest.approx(wait, abs=0.06)


@pytest.mark.parametrize("found", [mm1(1, 1.0), mmc_wait(1, 1.0, 6), erlang_c(6, 6)])
def test_overload_has_no_number(found: Absent | float) -> None:
    """The queue would grow without end."""
    assert found is OVERLOADED


def test_one_server() -> None:
    """M/M/1 at half load answers in twice its service time."""
    assert mm1(2.0, 0.5) == 4.0


def test_one_server_of_many_is_one_server() -> None:
    """Erlang C for one server is its utilisation, and the wait that of M/M/1."""
    assert erlang_c(0.5, 1) == pytest.approx(0.5)
    assert mmc_wait(2.0, 0.5, 1) == pytest.approx(2.0)


@given(st.integers(1, 200), st.floats(0, 0.999))
def test_a_wait_is_a_probability_first(servers: int, use: float) -> None:
    """Erlang C lies between 0 and 1 for any number of servers."""
    found = erlang_c(use * servers, servers)
    assert not isinstance(found, Absent)
    assert 0 <= found <= 1


def test_servers_that_cannot_be() -> None:
    """Are refused."""
    with pytest.raises(ValueError, match="0 servers"):
        erlang_c(1, 0)


@pytest.mark.parametrize(("penalty", "iops"), [(2, 15_000), (3, 20_000)])
def test_what_writes_cost_behind_a_raid(penalty: float, iops: float) -> None:
    """Half of 10,000 operations are writes."""
    assert hardware_iops(5000, 5000, penalty) == iops


def test_disks_are_whole() -> None:
    """83.3 of them are 84."""
    assert disks_for(15_000, 180) == 84


def test_disks_that_do_nothing() -> None:
    """Are never enough."""
    with pytest.raises(ValueError, match="a disk"):
        disks_for(1, 0)
