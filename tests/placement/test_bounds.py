from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.absent import Absent, absent
from zmon.placement.measures import (
    IDLE,
    OVERLOADED,
    Stream,
    bound_ratio,
    closed,
    disks_for,
    erlang_c,
    fill,
    hardware_iops,
    headroom,
    in_flight,
    md1,
    mm1,
    mmc_wait,
)

LCU = 40.0
CHANNEL = 12.0
QUERIES = {
    "Q1": {6: 0.95, 2: 0.05},
    "Q2": {6: 1.0},
    "Q3": {6: 0.8, 1: 0.1, 5: 0.1},
    "Q4": {2: 0.9, 6: 0.1},
}
"""Which part of each table scan of the case study reads from which LCU."""


def scan(name: str, parts: dict[int, float], limit: float) -> Stream:
    """Make a stream that passes LCUs, and the channels of their sides."""
    passes = {f"LCU {lcu}": part for lcu, part in parts.items()}
    for lcu, part in parts.items():
        side = "even" if lcu % 2 == 0 else "odd"
        passes[side] = passes.get(side, 0) + part
    return Stream(name, passes, limit)


def before(names: str, limit: float = 36.0, channels: float = 6) -> dict[str, float]:
    """Run scans on the placement of the case study; returns what they get and use."""
    capacities = {f"LCU {lcu}": LCU for lcu in range(8)}
    capacities |= {"even": channels * CHANNEL, "odd": channels * CHANNEL}
    found = fill([scan(name, QUERIES[name], limit) for name in names.split("+")], capacities)
    return {"total": found.total, **{name: 100 * use for name, use in found.use.items()}}


@pytest.mark.parametrize(
    ("names", "limit", "total", "six", "two", "light", "even"),
    [
        ("Q1", 36, 36.0, 85, 4, 0, 50),
        ("Q2", 36, 36.0, 90, 0, 0, 50),
        ("Q1+Q2", 36, 41.0, 100, 3, 0, 57),
        ("Q2+Q3", 36, 44.4, 100, 0, 6, 56),
        ("Q2+Q4", 40, 72.0, 99, 81, 0, 100),
        ("Q1+Q2+Q3", 36, 43.6, 100, 2, 4, 57),
        ("Q1+Q2+Q3+Q4", 36, 56.1, 100, 33, 4, 74),
    ],
)  # fmt: skip
def test_the_scans_of_the_case_study(  # noqa: PLR0913, PLR0917 - one per figure
    names: str, limit: float, total: float, six: float, two: float, light: float, even: float
) -> None:
    """One saturated LCU, the others idle: a second scan adds little, a third nothing."""
    found = before(names, limit)
    assert found["total"] == pytest.approx(total, abs=0.06)
    shown = [found[name] for name in ("LCU 6", "LCU 2", "LCU 1", "LCU 5", "even")]
    assert shown == pytest.approx([six, two, light, light, even], abs=1.0)


@pytest.mark.parametrize("limit", [36.0, 40.0])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_scans_after_spreading(limit: float, count: int) -> None:
    """Every table on four LCUs, with channels of their own: each scan gets all it can use."""
    found = after(count, limit)
    assert found["total"] == pytest.approx(count * limit)


def after(count: int, limit: float, channels: float = 24) -> dict[str, float]:
    parts = {1: 0.25, 2: 0.25, 5: 0.25, 6: 0.25}
    capacities = {f"LCU {lcu}": LCU for lcu in range(8)}
    capacities |= {"even": channels / 2 * CHANNEL, "odd": channels / 2 * CHANNEL}
    found = fill([scan(f"Q{number}", parts, limit) for number in range(count)], capacities)
    return {"total": found.total, **{name: 100 * use for name, use in found.use.items()}}


def test_what_is_used_after_spreading() -> None:
    """LCUs 22 to 90 %, channels 12 to 50 %, as scans are added."""
    found = [after(count, 36.0) for count in (1, 2, 3, 4)]
    assert [round(one["LCU 6"]) for one in found] == [22, 45, 68, 90]
    assert [one["even"] for one in found] == pytest.approx([12.5, 25, 37.5, 50])


def test_no_channel_is_busy_after_spreading() -> None:
    """Scans that are limited at 40 use 56 % of them."""
    assert after(4, 40.0)["even"] == pytest.approx(55.6, abs=0.1)


def test_four_times_against_one_saturated_lcu() -> None:
    """160 MB/s against the 40 to 44 of the scans that crowd on LCU 6: 3.6 to 4.0 times."""
    alone = before("Q2", 40.0)["total"], before("Q2+Q3")["total"]
    assert [round(after(4, 40.0)["total"] / one, 1) for one in alone] == [4.0, 3.6]


def test_less_against_the_mix_of_four_scans() -> None:
    """The baseline matters: against all four together, one of which has another LCU, 2.9 times."""
    assert after(4, 40.0)["total"] / before("Q1+Q2+Q3+Q4")["total"] == pytest.approx(2.85, abs=0.05)


@pytest.mark.parametrize(("share", "ratio"), [(1.0, 4.0), (0.9, 3.6), (0.713, 2.85)])
def test_the_law_of_the_largest_share(share: float, ratio: float) -> None:
    """With equal capacities the bound grows as the largest share falls."""
    capacities = dict.fromkeys("1256", LCU)
    now = headroom({"6": share, "2": 1 - share}, capacities)
    then = headroom(dict.fromkeys("1256", 0.25), capacities)
    assert bound_ratio(now, then) == pytest.approx(ratio, abs=0.01)


def test_more_channels_alone() -> None:
    """Give nothing: they were not what limits."""
    assert before("Q1+Q2+Q3+Q4", channels=12)["total"] == pytest.approx(56.1, abs=0.06)


def test_spreading_with_the_old_channels() -> None:
    """They are full then, on both sides."""
    found = after(4, 40.0, channels=12)
    assert found["total"] == pytest.approx(144)
    assert (found["even"], found["odd"]) == pytest.approx((100, 100))


def test_who_holds_a_stream() -> None:
    """The resource that is full, or its own limit."""
    found = fill([Stream("a", {"x": 1.0}, 3.0), Stream("b", {"x": 1.0})], {"x": 10.0})
    assert found.held_by == {"a": "", "b": "x"}
    assert found.rates == pytest.approx({"a": 3, "b": 7})


@pytest.mark.parametrize(
    ("streams", "capacities", "said"),
    [
        ([Stream("a", {"x": 1.0})], {"x": 0.0}, "above zero"),
        ([Stream("a", {"x": -1.0}, 3.0)], {"x": 1.0}, "negative"),
        ([Stream("a", {"y": 1.0})], {"x": 1.0}, "nothing limits"),
        ([Stream("a", {"x": 1.0})] * 2, {"x": 1.0}, "same name"),
    ],
)  # fmt: skip
def test_streams_that_cannot_be(streams: list[Stream], capacities: dict[str, float], said: str) -> None:
    """Are refused with the reason."""
    with pytest.raises(ValueError, match=said):
        fill(streams, capacities)


@given(
    st.lists(st.tuples(st.dictionaries(st.sampled_from("xyz"), st.floats(0.01, 1)), st.floats(0.1, 99)),
             min_size=1, max_size=6),
    st.fixed_dictionaries(dict.fromkeys("xyz", st.floats(0.5, 99))),
)  # fmt: skip
def test_fair_shares(asked: list[tuple[dict[str, float], float]], capacities: dict[str, float]) -> None:
    """No resource gives more than it has, no stream exceeds its limit, and each is held by what is full."""
    streams = [Stream(str(number), parts, limit) for number, (parts, limit) in enumerate(asked)]
    found = fill(streams, capacities)
    assert all(use <= 1 + 1e-6 for use in found.use.values())
    for stream in streams:
        held = found.held_by[stream.name]
        assert found.rates[stream.name] <= stream.limit * (1 + 1e-6)
        assert (
            found.use[held] == pytest.approx(1)
            if held
            else found.rates[stream.name] == pytest.approx(stream.limit)
        )


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


@pytest.mark.parametrize("found", [mm1(1, 1.0), md1(1, 2.0), mmc_wait(1, 1.0, 6), erlang_c(6, 6)])
def test_overload_has_no_number(found: Absent | float) -> None:
    """The queue would grow without end."""
    assert found is OVERLOADED


def test_one_server() -> None:
    """M/M/1 at half load answers in twice its service time, with constant service in one and a half."""
    assert (mm1(2.0, 0.5), md1(2.0, 0.5)) == (4.0, 3.0)


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


@pytest.mark.parametrize(("response", "requests"), [(0.060, 18.3), (0.010, 3.05)])
def test_how_many_reads_are_under_way(response: float, requests: float) -> None:
    """Little's law at an LCU that does 305 reads of 128 KiB a second."""
    assert in_flight(40e6 / 131_072, response) == pytest.approx(requests, abs=0.05)


def test_the_bounds_of_a_closed_system() -> None:
    """The bottleneck, the sum, and the knee between them."""
    demands = {"cpu": 1.0, "disk": 3.0}
    assert closed(1, demands, think=5) == pytest.approx((1 / 9, 4.0, 3.0))
    assert closed(9, demands, think=5) == pytest.approx((1 / 3, 22.0, 3.0))


def test_throughput_of_a_closed_system_never_falls() -> None:
    """With more customers."""
    found = [closed(count, {"a": 0.5, "b": 0.25}, 2.0) for count in range(12)]
    known = [one.throughput for one in found if not isinstance(one, Absent)]
    assert len(known) == len(found)
    assert all(one <= two for one, two in pairwise(known))


def test_a_closed_system_that_asks_for_nothing() -> None:
    """Has no bound."""
    assert closed(3, {}) == absent("no resource is asked for anything")


def test_a_closed_system_that_cannot_be() -> None:
    """Is refused."""
    with pytest.raises(ValueError, match="negative"):
        closed(1, {"a": -1.0})


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
