"""A guest fills an LCU when requests wait there and most of them are its own; each claim has its evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import facts
from zmon.base.absent import Absent
from zmon.fleet.filling import WAITING, Filling, filling_of
from zmon.fleet.member import Weighed

SHARED, OTHER, OTHER_BOX = "IBM.A.7600", "IBM.A.7700", "IBM.B.7600"


def load(io: float, ms: float, mbs: float | None = None) -> dict[str, Weighed]:
    """Return the figures of a guest on an LCU: I/O per second, response time, MB/s."""
    found = {"io": Weighed(io, 1.0), "resp": Weighed(io * ms, io), "queue": Weighed(io * ms / 1000, 1.0)}
    return found if mbs is None else {**found, "mbs": Weighed(mbs, 1.0)}


def filling(shares: dict[str, dict[str, dict[str, Weighed]]]) -> Filling:
    """Return who fills what, as there is such an LCU."""
    found = filling_of(shares)
    assert found is not None
    return found


def test_who_moves_most_data_fills_it_and_the_others_wait() -> None:
    """Its shares, and the response time of the others there and elsewhere, are those of the figures."""
    found = filling({
        SHARED: {"lnx1": load(300, 50, 38), "lnx2": load(100, 20, 1), "lnx3": load(100, 40, 1)},
        OTHER: {"lnx1": load(10, 9, 1), "lnx2": load(50, 1, 1)},
        OTHER_BOX: {"lnx3": load(10, 500, 1)},
    })  # fmt: skip
    assert (found.guest, found.others, found.there, found.elsewhere) == ("lnx1", 2, 30, 1)
    assert (found.of_data, found.of_io) == (95, 60)
    assert facts(found.sentence) == "lnx1 7600 95 40.0 60 500 2 30.0 1.0"


def test_who_does_most_io_is_named_too() -> None:
    """Where that is not the one that moves most data."""
    found = filling({
        SHARED: {"lnx1": load(20, 50, 30), "lnx2": load(80, 50, 10)}, OTHER: {"lnx2": load(50, 1, 1)},
    })  # fmt: skip
    assert "lnx1 fills LCU 7600" in found.sentence
    assert "lnx2 80" in facts(found.sentence)


def test_many_may_fill_it() -> None:
    """Then none is blamed alone."""
    each = {f"lnx{n}": load(100, 50, 10) for n in range(1, 5)}
    found = filling({SHARED: each, OTHER: {"lnx1": load(50, 1, 1)}})
    assert found.sentence.startswith("Many guests fill ")
    assert facts(found.sentence).startswith("7600 lnx1 25 40.0 25 400")


def test_a_guest_may_be_alone_there() -> None:
    """Then nobody else is said to wait."""
    found = filling({SHARED: {"lnx1": load(100, 50, 10)}, OTHER: {"lnx1": load(50, 1, 1)}})
    assert isinstance(found.there, Absent)
    assert "no other guest" in found.sentence


def test_data_that_are_not_counted_are_not_said() -> None:
    """The shares are of I/O alone then."""
    found = filling({SHARED: {"lnx1": load(90, 50), "lnx2": load(10, 50)}, OTHER: {"lnx1": load(50, 1)}})
    assert isinstance(found.of_data, Absent)
    assert "lnx1 fills LCU 7600 of box A: it does 90 % of 100 I/O/s there." in found.sentence


@pytest.mark.parametrize(
    "shares",
    [
        {SHARED: {"lnx1": load(300, 5, 38)}, OTHER: {"lnx1": load(10, 1, 1)}},
        {SHARED: {"lnx1": load(3000, 5, 38)}, OTHER: {"lnx1": load(10, 5, 1)}},
        {SHARED: {"lnx1": load(300, 50, 38)}},
        {SHARED: {"lnx1": load(300, 50, 38)}, OTHER_BOX: {"lnx1": load(10, 1, 1)}},
        {SHARED: {"lnx1": {}}, OTHER: {"lnx1": load(10, 1, 1)}},
        {},
    ],
    ids=["few wait", "all LCUs alike", "nothing beside it", "another box", "no figures", "nothing"],
)
def test_where_nothing_shows_that_guests_wait_none_is_blamed(
    shares: dict[str, dict[str, dict[str, Weighed]]],
) -> None:
    """It takes requests that wait, and an LCU of the same box that is faster."""
    assert filling_of(shares) is None


LOADS = st.builds(load, st.integers(0, 500), st.floats(0, 100), st.floats(0, 50))


@given(
    st.dictionaries(
        st.sampled_from([SHARED, OTHER, OTHER_BOX]), st.dictionaries(st.sampled_from(["a", "b", "c"]), LOADS)
    )
)
def test_what_is_claimed_is_true_of_the_figures(shares: dict[str, dict[str, dict[str, Weighed]]]) -> None:
    """Whatever guests do: shares are parts of 100, and of all LCUs at which guests wait it has the most."""
    found = filling_of(shares)
    if found is not None:
        assert found.queue >= WAITING
        assert 0 < found.of_io <= found.busiest_io <= 100.001
        assert found.sentence
