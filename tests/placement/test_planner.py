from __future__ import annotations

import os
from functools import cache
from itertools import product
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.placement.random_case import random_case
from zmon.base.absent import Absent, absent
from zmon.placement.items import FileItem, Hindrance, Unit
from zmon.placement.measures import spread
from zmon.placement.planner import GAIN, PLANNED, MovePlan, plan_moves

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
FEW = 25 if THOROUGH else 8
"""Examples of a property: each is a whole search."""
FOUR = [Unit(key, f"LCU {key}") for key in "1256"]


LAID = (("T1", 6, "6666"), ("T2", 5, "6666"), ("T3", 4, "6615"), ("T4", 3, "2222"))
"""Sixteen files of four tablespaces, crowded on LCU 6 and, of one, on LCU 2."""


def study(*spaces: str) -> list[FileItem]:
    """Return the files of the study, or of some of its tablespaces: plans of few files take no time."""
    return [
        FileItem(f"{space}.{number}", space, "D", bytes_on={unit: load})
        for space, load, units in LAID
        for number, unit in enumerate(units)
        if space in spaces or not spaces
    ]


def tops(found: MovePlan) -> list[float]:
    """Return the largest load after each step."""
    mean = sum(found.before.values()) / len(found.before)
    return [step.uneven * mean for step in found.steps]


def test_the_loads_before() -> None:
    """Four on two of the LCUs, 12 on one, 52 on LCU 6."""
    found = plan_moves(study(), FOUR, most=6)
    assert found.before == {"1": 4, "2": 12, "5": 4, "6": 52}
    assert found.uneven == pytest.approx(2.889, abs=0.001)
    assert spread(found.before, FOUR).jain == pytest.approx(0.450, abs=0.001)


def test_the_first_six_moves() -> None:
    """From the hottest to the coldest: 52 to 46, 40, 34, 28, 23 and 19, which is the least that six reach."""
    assert tops(plan_moves(study(), FOUR, most=6)) == pytest.approx([46, 40, 34, 28, 23, 19])


def test_what_six_moves_reach() -> None:
    """Nearly even in all; yet one tablespace still sits on one LCU."""
    found = plan_moves(study(), FOUR, most=6)
    reached = spread(found.after, FOUR)
    assert reached.uneven == pytest.approx(1.056, abs=0.001)
    assert reached.jain == pytest.approx(0.995, abs=0.001)
    assert not any(move.item.tablespace == "T4" for step in found.steps for move in step.moves)


@pytest.mark.parametrize("seed", range(150) if THOROUGH else (15, 36, 44, 52, 65, 78, 109, 115))
def test_whoever_stops_after_a_line_has_gained_with_each(seed: int) -> None:
    """No line raises the maximum, and each lowers it or spreads tablespaces; what gains together is one.

    On each of these few machines there are moves that gain only together.
    """
    case = random_case(seed, files=(6, 14), lcus=(3, 6))
    found = plan_moves(case.items, case.units, most=PLANNED, traffic=case.traffic, shared=case.shared)
    tops, apart = [found.uneven, *(step.uneven for step in found.steps)], found.apart
    for step, before in zip(found.steps, tops, strict=False):
        assert step.uneven <= before * (1 + 1e-9)
        assert step.uneven <= before - GAIN or step.apart >= apart + GAIN
        apart = step.apart


def test_placing_anew() -> None:
    """Largest first: 18 on each, every tablespace on all four, by eleven moves."""
    found = plan_moves(study(), FOUR, most=6).anew
    assert found is not None
    assert (found.uneven, found.files, found.apart) == pytest.approx((1.0, 11, 1.0))


def test_the_better_of_both_is_suggested() -> None:
    """Placing all anew gives more here, and takes no more moves than were asked for."""
    found = plan_moves(study(), FOUR, most=11)
    assert found.anew is None
    assert (found.steps[-1].uneven, found.steps[-1].apart) == pytest.approx((1.0, 1.0))
    assert len(moved(found)) == 11


def test_fewer_moves_are_the_first_of_more() -> None:
    """Unless others are 2 % better; then the plan says where these would end, if more moves are better."""
    for seed in range(40 if THOROUGH else 6):
        case = random_case(seed, files=(8, 12), lcus=(3, 6))
        whole = plan_moves(case.items, case.units, most=PLANNED, traffic=case.traffic, shared=case.shared)
        for most in (2, 5):
            found = plan_moves(case.items, case.units, most=most, traffic=case.traffic, shared=case.shared)
            if found.longer is not None and not found.longer.is_begun:
                assert found.steps[-1].ratio >= found.longer.first_times * 1.02
                assert found.longer.first <= most
            elif found.longer is not None or found.steps[-1].ratio < whole.steps[-1].ratio:
                first = [step.moves for step in found.steps]
                assert first == [step.moves for step in whole.steps[: len(first)]]


def test_placing_many_small_files_anew() -> None:
    """None of the moves alone gains anything that could be seen, and all together they make it even."""
    items = [FileItem(f"/db/{number:04}", f"T{number % 7}", bytes_on={"1": 100}) for number in range(1000)]
    found = plan_moves(items, FOUR, most=20)
    assert found.anew is not None
    assert (found.steps, found.anew.files) == ((), 750)
    assert found.anew.uneven == pytest.approx(1.0)


def test_placing_anew_keeps_logs_and_data_apart() -> None:
    """Though all is lifted first, nothing is put where a single move may not go."""
    items = [
        FileItem("log", "LOGS", "D", role="log", bytes_on={"1": 10}),
        *(FileItem(f"data{n}", "T", "D", bytes_on={"2": 40}) for n in range(4)),
    ]
    found = plan_moves(items, FOUR[:2])
    assert (found.steps, found.anew) == ((), None)


def test_steps_that_gain_nothing_are_left_out() -> None:
    """Each raises Spr or lowers Max/mean by half a hundredth, or one that is behind it does."""
    dust = [FileItem(f"dust{n}", "DUST", "D", bytes_on={"2": 0.001}) for n in range(4)]  # type: ignore[dict-item]  # little
    for most, files in ((4, study("T1", "T4")), (30, study())):
        found = plan_moves([*files, *dust], FOUR, most=most)
        assert not any(name.startswith("dust") for name in moved(found))
        *_, (uneven, apart), (least, most_apart) = [
            (found.uneven, found.apart), *((step.uneven, step.apart) for step in found.steps)
        ]  # fmt: skip
        assert least <= uneven - GAIN or most_apart >= apart + GAIN


def test_a_swap_is_one_step() -> None:
    """Two files that go opposite ways, where each alone would raise the maximum."""
    items = [FileItem(name, space, "D", bytes_on={unit: 10}) for name, space, unit in (
        ("a0", "A", "1"), ("a1", "A", "1"), ("b0", "B", "2"), ("b1", "B", "2"))]  # fmt: skip
    (step,) = plan_moves(items, FOUR[:2]).steps
    assert step.is_swap
    assert (step.uneven, step.apart) == pytest.approx((1.0, 1.0))


def test_moves_that_give_no_more_throughput_are_not_suggested() -> None:
    """Neither five percent of it nor of the spread."""
    items = [FileItem(f"{n}", f"T{n}", "D", bytes_on={unit: load}) for n, (unit, load) in enumerate(
        [("1", 100), ("1", 2), ("2", 98), ("5", 98), ("6", 98)])]  # fmt: skip
    assert plan_moves(items, FOUR).steps == ()


def test_more_moves_spread_each_tablespace() -> None:
    """When the maximum is low enough, the rest of the moves goes there, and does not raise it."""
    few, many = plan_moves(study(), FOUR, most=6), plan_moves(study(), FOUR, most=11)
    assert many.steps[-1].apart > few.steps[-1].apart + 0.2
    assert tops(many) == sorted(tops(many), reverse=True)


def test_an_exchange_is_one_move() -> None:
    """Two files are copied, but it is one line: of six files the last but one and another change places."""
    found = [plan_moves(study("T1", "T4"), FOUR, most=most).steps for most in range(7)]
    assert [len(steps) for steps in found] == [0, 1, 2, 3, 4, 5, 5]
    assert [sum(len(step.moves) for step in steps) for steps in found] == [0, 1, 2, 3, 5, 6, 6]


def test_the_curve_tells_the_bound() -> None:
    """52 to 19 is 2.74 times the throughput at the most, for the bytes copied up to there."""
    last = plan_moves(study(), FOUR, most=6).steps[-1]
    assert last.ratio == pytest.approx(52 / 19)
    assert (last.copied, last.worst.key) == (33, "1")


def test_the_gap_to_what_cannot_be_better() -> None:
    """19 against a mean of 18."""
    found = plan_moves(study(), FOUR, most=6)
    assert [found.bound, found.gap] == pytest.approx([1.0, 19 / 18 - 1])


def test_the_bound_is_that_of_the_units_that_may_be_used() -> None:
    """Nothing may be put on the third: what is on the second alone can be halved."""
    units = [Unit("1"), Unit("2", open=False), Unit("3", open=False)]
    items = [FileItem(f"{n}", "T", "D", bytes_on={"2": 1}) for n in range(10)]
    items.append(FileItem("small", "U", "D", bytes_on={"3": 2}))
    found = plan_moves(items, units)
    assert [found.bound, found.gap] == pytest.approx([5 / 4, 0])


def test_where_nothing_may_be_put_and_nothing_be_moved_there_is_a_bound() -> None:
    """That of what lies there."""
    items = [FileItem("a", "T", "D", bytes_on={"1": 6}, pinned=Hindrance.PINNED)]
    assert plan_moves(items, [Unit("1", open=False), Unit("2", open=False)]).bound == 2


def test_the_bound_of_a_file_on_several_units() -> None:
    """It may stay as it is."""
    items = [FileItem("a", "T", "D", bytes_on={"1": 6, "2": 4}), FileItem("b", "T", "D", bytes_on={"2": 2})]
    assert plan_moves(items, [Unit("1"), Unit("2")]).bound == 1


@cache
def planned() -> MovePlan:
    """Plan the moves of three tablespaces once."""
    return plan_moves(study("T1", "T3", "T4"), FOUR)


@settings(max_examples=FEW, deadline=None)
@given(st.permutations(study("T1", "T3", "T4")))
def test_the_order_of_items_is_of_no_matter(items: list[FileItem]) -> None:
    """The same question has the same answer."""
    assert plan_moves(items, FOUR) == planned()


def pinned(item: FileItem, *names: str) -> FileItem:
    return item._replace(pinned=Hindrance.PINNED) if item.name in names else item


def moved(found: MovePlan) -> set[str]:
    return {move.item.name for step in found.steps for move in step.moves}


def test_pinned_items_stay() -> None:
    """Others go instead."""
    found = plan_moves([pinned(item, "T1.0", "T1.1") for item in study("T1", "T4")], FOUR)
    assert not {"T1.0", "T1.1"} & moved(found)
    assert found.steps


def test_why_nothing_can_be_moved() -> None:
    """Is counted by its reasons."""
    found = plan_moves([item._replace(pinned=Hindrance.PINNED) for item in study()], FOUR)
    assert not found.steps
    assert found.held == ((Hindrance.PINNED, 10),)


def test_closed_units_get_nothing() -> None:
    """Though they are the emptiest."""
    units = [unit._replace(open=unit.key != "5") for unit in FOUR]
    targets = {move.target.key for step in plan_moves(study("T1", "T4"), units).steps for move in step.moves}
    assert targets
    assert "5" not in targets


def test_a_full_unit_gets_nothing() -> None:
    """What was moved there before takes its room."""
    units = [
        unit._replace(free=7 if unit.key == "5" else 0 if unit.key == "1" else absent("?")) for unit in FOUR
    ]
    arrived = {"1": 0, "5": 0}
    for step in plan_moves(study("T1", "T4"), units).steps:
        for move in step.moves:
            arrived[move.target.key] = arrived.get(move.target.key, 0) + move.bytes
            arrived[move.source.key] = arrived.get(move.source.key, 0) - move.bytes
            assert arrived["1"] <= 0
            assert arrived["5"] <= 7


def test_logs_and_data_do_not_come_together() -> None:
    """Not on a unit where only the other is, of the same database."""
    items = [
        FileItem("/log", "LOGS", "D", "log", {"1": 1}),
        *(FileItem(f"/d{number}", "T", "D", "data", {"6": 2}) for number in range(4)),
    ]
    targets = {move.target.key for step in plan_moves(items, FOUR).steps for move in step.moves}
    assert targets == {"2", "5"}


def test_logs_may_lie_beside_another_database() -> None:
    """Which waits for other things."""
    items = [
        FileItem("/log", "LOGS", "E", "log", {"1": 1}),
        *(FileItem(f"/d{n}", "T", "D", "data", {"6": 2}) for n in range(4)),
    ]
    assert "1" in {move.target.key for step in plan_moves(items, FOUR).steps for move in step.moves}


def test_copies_of_a_log_stay_apart() -> None:
    """On different units."""
    items = [
        FileItem(f"/log{n}", "LOGS", "D", "log", {"6" if n else "1": 5}, mirror="group 1") for n in range(2)
    ]
    found = plan_moves(
        [*items, FileItem("/log9", "LOGS", "D", "log", {"6": 5}, mirror="group 2")], FOUR[:1] + FOUR[3:]
    )
    assert "/log1" not in moved(found)


def test_what_is_striped_is_not_moved() -> None:
    """It is spread by itself, and would lie on one unit afterwards."""
    items = [
        FileItem("/s", "T", "D", bytes_on={"6": 50, "1": 50}),
        FileItem("/a", "T", "D", bytes_on={"6": 10}),
    ]
    assert moved(plan_moves(items, FOUR)) == {"/a"}


def test_items_without_a_known_place_are_left_alone() -> None:
    """They count for nothing."""
    items = [*study("T1", "T4"), FileItem("/lost", "T9", "D", unplaced=99)]
    assert plan_moves(items, FOUR).steps == plan_moves(items[:-1], FOUR).steps


def test_no_load_no_plan() -> None:
    """And no division by zero."""
    found = plan_moves([FileItem("a", "T")], FOUR)
    assert (found.steps, found.uneven) == ((), absent("no load"))


def test_traffic_counts_where_it_is_asked_for() -> None:
    """A large cold file stays, a small hot one goes."""
    items = [
        FileItem("cold", "T", "D", bytes_on={"6": 1000}, load_on={"6": 1.0}),
        *(FileItem(f"hot{n}", "T", "D", bytes_on={"6": 300}, load_on={"6": 50.0}) for n in range(2)),
    ]
    assert moved(plan_moves(items, FOUR, most=1, traffic=True)) <= {"hot0", "hot1"}
    assert moved(plan_moves(items, FOUR, most=1)) == {"cold"}


def test_units_of_different_capacity_bear_differently() -> None:
    """Twice the capacity takes twice the load."""
    units = [Unit("a", capacity=40.0), Unit("b", capacity=80.0)]
    items = [FileItem(str(number), "T", "D", bytes_on={"a": 1}) for number in range(6)]
    assert plan_moves(items, units).after == {"a": 2, "b": 4}


def test_a_load_outside_of_the_units_is_refused() -> None:
    """It would count for nothing silently."""
    with pytest.raises(ValueError, match="among the units"):
        plan_moves(study(), FOUR[:3])


def test_units_with_one_key_are_refused() -> None:
    """Which of them is meant would not be known."""
    with pytest.raises(ValueError, match="same key"):
        plan_moves([], [FOUR[0], FOUR[0]])


@settings(max_examples=FEW, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=4))
def test_equal_items_need_as_few_moves_as_can_be(counts: list[int]) -> None:
    """At most the ceiling of n/m may lie on each of m units: one move for each item above it."""
    units = [Unit(str(number)) for number in range(len(counts))]
    items = [
        FileItem(f"{unit}.{number}", "T", "D", bytes_on={str(unit): 8})
        for unit, count in enumerate(counts)
        for number in range(count)
    ]
    total = sum(counts)
    if not total:
        return
    allowed = ceil(total / len(counts))
    found = plan_moves(items, units, most=len(items))
    falls = [top for top in tops(found) if top >= 8 * allowed - 1e-6]
    fewest = sum(max(0, count - allowed) for count in counts)
    reached = next((number for number, top in enumerate(falls, 1) if top <= 8 * allowed + 1e-6), 0)
    assert (reached if fewest else 0) == fewest


CASES = st.integers(2, 3).flatmap(
    lambda units: st.tuples(
        st.just(units),
        st.lists(
            st.tuples(st.integers(1, 9), st.integers(0, units - 1), st.integers(0, 1)), min_size=1, max_size=7
        ),
    )
)


def lay(case: tuple[int, list[tuple[int, int, int]]]) -> tuple[list[FileItem], list[Unit]]:
    count, items = case
    return [
        FileItem(f"{number}", f"T{space}", "D", bytes_on={str(unit): load})
        for number, (load, unit, space) in enumerate(items)
    ], [Unit(str(number)) for number in range(count)]


def best(items: list[FileItem], units: list[Unit]) -> int:
    """Return the lowest maximum that any placement has, by trying all of them."""
    count = len(units)
    loads = [item.size for item in items]
    return min(
        max(
            sum(load for load, where in zip(loads, places, strict=True) if where == unit)
            for unit in range(count)
        )
        for places in product(range(count), repeat=len(loads))
        if all(
            units[place].open or str(place) in item.bytes_on
            for item, place in zip(items, places, strict=True)
        )
    )


@settings(max_examples=FEW, deadline=None)
@given(CASES)
def test_against_all_placements_there_are(case: tuple[int, list[tuple[int, int, int]]]) -> None:
    """The bound is never above the best, the result never below; largest first keeps what is proved of it."""
    items, units = lay(case)
    optimum, count = best(items, units), len(units)
    found = plan_moves(items, units, most=99)
    mean = sum(item.size for item in items) / count
    assert not isinstance(found.bound, Absent)
    assert found.bound * mean <= optimum + 1e-6
    result = max(found.after.values())
    assert optimum <= result <= max(found.before.values())
    assert not isinstance(found.uneven, Absent)
    anew = found.anew.uneven if found.anew else min([found.uneven, *(step.uneven for step in found.steps)])
    assert anew * mean <= (4 / 3 - 1 / (3 * count)) * optimum + 1e-6


@settings(max_examples=FEW, deadline=None)
@given(CASES, st.integers(1, 3))
def test_the_bound_is_never_above_the_best_of_some_units(
    case: tuple[int, list[tuple[int, int, int]]], opened: int
) -> None:
    """Where nothing may be put on the others."""
    items, units = lay(case)
    units = [unit._replace(open=number < opened) for number, unit in enumerate(units)]
    found = plan_moves(items, units, most=99)
    assert not isinstance(found.bound, Absent)
    assert found.bound * sum(item.size for item in items) / len(units) <= best(items, units) + 1e-6


@settings(max_examples=FEW, deadline=None)
@given(CASES)
def test_what_the_steps_say_is_so(case: tuple[int, list[tuple[int, int, int]]]) -> None:
    """Made one after the other, they lead to the loads that are promised, and never to a higher maximum."""
    items, units = lay(case)
    found = plan_moves(items, units, most=99)
    loads = dict(found.before)
    for step in found.steps:
        for move in step.moves:
            loads[move.source.key] -= move.load
            loads[move.target.key] += move.load
        assert loads == step.after
    assert max(loads.values()) <= max(found.before.values())
    assert loads == found.after
    assert len(moved(found)) == sum(len(step.moves) for step in found.steps)


def test_a_log_comes_before_the_last_log_leaves() -> None:
    """A unit with logs and data takes more of both, but no log after its logs have left: so that is first."""
    case = random_case(48)
    found = plan_moves(case.items, case.units, traffic=case.traffic, shared=case.shared)
    state = case.state()
    numbers = {item.name: number for number, item in enumerate(state.items)}
    mixed = state.number["4"]
    logs = [
        state.home[number]
        for step in found.steps
        for move in step.moves
        if state.items[number := numbers[move.item.name]].is_log
        and mixed in {state.home[number], state.number[move.target.key]}
    ]
    assert logs == [0, mixed]
