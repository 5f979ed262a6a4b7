from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.placement.items import FileItem, Unit, weights
from zmon.placement.planner_state import PlannerState, SharedResource

UNITS = [Unit(str(number)) for number in range(4)]

ITEMS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from("0123"), st.integers(1, 50), max_size=3), st.sampled_from("AB")
    ),
    min_size=1,
    max_size=8,
).map(
    lambda made: [
        FileItem(f"/{number}", space, "D", bytes_on=on) for number, (on, space) in enumerate(made)
    ]
)  # fmt: skip


@given(ITEMS, st.integers(0, 7), st.integers(0, 3))
def test_what_a_move_would_do_is_what_it_does(items: list[FileItem], number: int, unit: int) -> None:
    """The maximum and the change of the squares, told before it is made."""
    paths = SharedResource("channels", {"0": 0.5, "1": 0.7})
    state = PlannerState(items, UNITS, traffic=False, shared=[paths])
    number %= len(items)
    if state.home[number] < 0:
        return
    before = sum(level * level for level in state.levels)
    top, squares = state.top_after([(number, unit)])
    state.move(number, unit)
    assert top == pytest.approx(state.top)
    after = sum(level * level for level in state.levels)
    assert squares == pytest.approx(after - before, abs=1e-12 * (after + before))
    loads = state.loads()
    assert state.levels == pytest.approx([*loads.values(), 0.5 * loads["0"] + 0.7 * loads["1"]])


@given(ITEMS, st.integers(0, 7), st.integers(0, 3))
def test_a_move_that_is_taken_back_leaves_nothing(items: list[FileItem], number: int, unit: int) -> None:
    """All is as it was before."""
    state, other = PlannerState(items, UNITS, traffic=False), PlannerState(items, UNITS, traffic=False)
    number %= len(items)
    if state.home[number] >= 0:
        state.move(number, state.move(number, unit))
    assert (state.levels, state.on, state.where, state.free) == (
        other.levels, other.on, other.where, other.free
    )  # fmt: skip


def test_what_lies_there_already_takes_no_room() -> None:
    """Free is what is left beside it."""
    units = [Unit("0", free=0), Unit("1", free=3)]
    state = PlannerState([FileItem("/a", "A", bytes_on={"0": 3})], units, traffic=False)
    assert not state.hindrance(0, 1)
    state.move(0, 1)
    assert state.free == [3, 0]


def test_a_tablespace_loses_what_its_files_could_spread() -> None:
    """Two files can lie on two units at the most."""
    state = PlannerState([FileItem(f"/{n}", "A", bytes_on={"0": 3}) for n in range(2)], UNITS, traffic=False)
    assert state.loss(0) == 3.0
    state.move(0, 1)
    assert state.loss(0) == 0.0


def test_weights_are_one_unless_all_capacities_are_given() -> None:
    """Else a unit would weigh by whether somebody wrote down what it can."""
    assert weights([Unit("0", capacity=40.0), Unit("1", capacity=80.0)]) == pytest.approx([2 / 3, 4 / 3])
    assert weights([Unit("0", capacity=40.0), Unit("1", capacity=absent("?"))]) == [1.0, 1.0]
    assert weights([]) == []
