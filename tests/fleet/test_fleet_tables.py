"""Guests are joined by box and LCU; their I/O adds up, and what all partitions read of a channel does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.base.event import BAD, LOOK, ExceptionEntry
from zmon.fleet.fleet_screens import fleet_table, reports
from zmon.fleet.fleet_tables import APART, LATE, OWN_ONLY, channel_rows, exception_rows, fleet_of
from zmon.fleet.member import ChannelUse, Member, Weighed
from zmon.tables.fleet import GLANCE

HOUR = 3_600_000_000_000


def guest(name: str, lcus: dict[str, float], **more: object) -> Member:
    """Return a guest with I/O per second on LCUs; each I/O takes 2 ms."""
    figures = {
        key: {
            "io": Weighed(3600 * io, 3600.0),
            "mbs": Weighed(36 * io, 3600.0),
            "resp": Weighed(7200 * io, 3600 * io),
        }
        for key, io in lcus.items()
    }
    return Member(name, f"/fleet/{name}", span=(0, HOUR), lcus=figures)._replace(**more)  # type: ignore[arg-type]  # fields


def test_who_fills_an_lcu() -> None:
    """By its share of the I/O; the SSID alone is not enough, because two boxes may use the same."""
    fleet = fleet_of(
        [
            guest("lnx1", {"IBM.A.7600": 30, "IBM.A.7700": 10}),
            guest("lnx2", {"IBM.A.7600": 60}),
            guest("lnx3", {"IBM.B.7600": 5}),
            guest("lnx4", {"IBM.A.7600": 9}), guest("lnx5", {"IBM.A.7600": 1}),
        ],
        0, HOUR,
    )  # fmt: skip
    first = fleet.lcus[0]
    assert (first.box, first.lcu, first.guests, first.io, first.resp) == ("A", "7600", 4, 100, 2)
    assert first.filled_by == (("lnx2", 60.0), ("lnx1", 30.0), ("lnx4", 9.0))
    assert first.share == pytest.approx(100 * 100 / 110)
    assert [(row.box, row.lcus, row.guests, row.busiest) for row in fleet.boxes] == [
        ("A", 2, 4, "7600"), ("B", 1, 1, "7600"),
    ]  # fmt: skip
    assert fleet.boxes[0].skew == pytest.approx(100 / 55)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["IBM.A.1", "IBM.A.2", "IBM.B.1"]), st.integers(0, 1000), max_size=3),
        min_size=1, max_size=8,
    )
)  # fmt: skip
def test_what_guests_do_is_what_lcus_and_boxes_do(loads: list[dict[str, int]]) -> None:
    """No I/O is lost or counted twice, whoever shares what."""
    fleet = fleet_of([guest(f"g{n}", dict(load)) for n, load in enumerate(loads)], 0, HOUR)
    done = sum(sum(load.values()) for load in loads)
    for rows in (fleet.guests, fleet.lcus, fleet.boxes):
        known = [float(row.io) for row in rows if not isinstance(row.io, Absent)]
        assert sum(known) == pytest.approx(done)
    for row in fleet.lcus:
        assert sum(percent for _, percent in row.filled_by) <= 100.0001


def test_a_channel_path_is_a_maximum_and_the_gap_is_others() -> None:
    """Two partitions read the same 80 percent and do 50 of them; one that is recorded twice counts once."""
    seen = {"L1": 0.3, "L2": 0.2}
    members = [
        guest(name, {}, machine={"lpar_name": name}, channels=(ChannelUse("C", "0.40", 0x1B, 0.8, own),))
        for name, own in seen.items()
    ]
    again = members[1]._replace(name="copy")
    (row,) = channel_rows([*members, again])
    assert (row.seen_by, row.type) == (2, "FICON")
    assert (row.busy, row.own, row.gap) == pytest.approx((80, 50, 30))
    said = fleet_of([*members, again], 0, HOUR).notes
    assert "0.40 80 50 30" in [*map(facts, said)]


def test_without_own_figures_the_gap_is_not_known() -> None:
    """It is not the whole of the channel."""
    use = ChannelUse("C", "0.40", absent("type"), 0.8, absent("not measured"))
    (row,) = channel_rows([guest("lnx1", {}, channels=(use,))])
    assert isinstance(row.gap, Absent)
    assert isinstance(row.own, Absent)


def entry(key: str, level: int) -> ExceptionEntry:
    """Return an exception of an LCU."""
    return ExceptionEntry(
        "lcu", "00", "control_unit", key, "", 1, 5, level, 20.0, 1, 5, 10.0, 15.0, 3, f"{key} is slow"
    )


def test_exceptions_of_all_are_ranked_together() -> None:
    """With the recording that shows each."""
    rows = exception_rows([
        guest("lnx1", {}, exceptions=(entry("a", LOOK),)), guest("lnx2", {}, exceptions=(entry("b", BAD),)),
    ])  # fmt: skip
    assert [(row.guest, row.level, row.path) for row in rows] == [
        ("lnx2", "bad", "/fleet/lnx2"), ("lnx1", "look", "/fleet/lnx1"),
    ]  # fmt: skip


def test_the_load_of_a_path_that_nobody_measures_is_marked() -> None:
    """It is an estimate from the I/O of one guest: figures of several guests are not of one path."""
    busy = entry("0.40", BAD)._replace(table="channel", sentence="Channel path 40 is 77 % busy")
    use = ChannelUse("C", "0.40", 0x1B, 0.8, 0.3)
    rows = exception_rows([
        guest("lnx1", {}, exceptions=(busy, entry("a", LOOK))),
        guest("lnx2", {}, exceptions=(busy,), channels=(use,)),
    ])  # fmt: skip
    assert [(row.guest, row.sentence) for row in rows] == [
        ("lnx1", f"Channel path 40 is 77 % busy {OWN_ONLY}"),
        ("lnx2", "Channel path 40 is 77 % busy"),
        ("lnx1", "a is slow"),
    ]  # fmt: skip


def test_a_guest_without_figures_says_why() -> None:
    """Damaged, ended before, without LCUs, without exceptions: none is taken for a guest that rests."""
    broken = Member("lnx1", "/fleet/lnx1", "it is damaged")
    ended = Member("lnx2", "/fleet/lnx2", span=(0, HOUR))
    quiet = guest("lnx3", {}, span=(0, 2 * HOUR))
    raw = guest("lnx4", {}, span=(0, 2 * HOUR), has_rollups=False)
    fleet = fleet_of([broken, ended, quiet, raw], HOUR + LATE, 2 * HOUR)
    for row, word in zip(fleet.guests, ("damaged", "ended", "LCU", "roll-ups"), strict=True):
        assert word in row.state
    assert all(isinstance(row.io, Absent) and isinstance(row.bad, Absent) for row in fleet.guests)
    assert fleet.notes[0].startswith("Of 4 recorded systems none ")
    assert "not seen" in fleet.notes[0]


def test_a_guest_whose_exceptions_are_unknown_says_why() -> None:
    """In its row, if nothing else is to be said of it, and below; FLEET does not say that there was none."""
    known = guest("lnx1", {"IBM.A.1": 9}, exceptions=())
    unknown = guest("lnx2", {"IBM.A.1": 1}, exceptions=absent("it is lost"))
    broken = Member("lnx3", "/fleet/lnx3", "it is damaged")
    fleet = fleet_of([known, unknown, broken], 0, HOUR)
    states = {row.guest: row.state for row in fleet.guests}
    assert (states["lnx1"], states["lnx3"]) == ("", "it is damaged")
    assert "it is lost" in states["lnx2"]
    assert [note for note in fleet.notes if "lnx2" in note and "it is lost" in note]
    assert not any("lnx3" in note for note in fleet.notes)
    seen = []
    for members in ([known, unknown, broken], [unknown], [known]):
        glance = fleet_table(GLANCE, fleet_of(members, 0, HOUR))
        at = glance.keys.index("exception all")
        seen.append((glance.columns["state"][at], glance.columns["words"][at]))
    (_, some), (state, _), (whole, none) = seen
    assert "of 2 of 3 systems" in str(some)
    assert isinstance(state, Absent)
    assert (whole, "known" in str(none)) == ("", False)


@pytest.mark.parametrize(
    ("lcus", "said"),
    [
        ([{}, {}, {}], "3 of 3 systems report, none of them an LCU, "),
        ([{"IBM.A.1": 1.0}, {}, {}], "3 of 3 systems report, 1 of them an LCU, "),
        ([{}], "1 of 1 system reports, but no LCU, "),
        ([{"IBM.A.1": 1.0}], "1 of 1 system reports, "),
    ],
)
def test_a_system_without_lcus_reports(lcus: list[dict[str, float]], said: str) -> None:
    """It has no I/O that could be added up, which is another thing than to say nothing."""
    fleet = fleet_of([guest(f"g{n}", each) for n, each in enumerate(lcus)], 0, HOUR)
    assert reports(fleet).startswith(said)
    assert fleet.reporting == sum(map(bool, lcus))


def test_a_system_that_ended_before_or_cannot_be_read_does_not_report() -> None:
    """There is nothing of it in this time."""
    members = [Member("a", "/a", "it is damaged"), Member("b", "/b", span=(0, HOUR))]
    assert reports(fleet_of(members, HOUR, 2 * HOUR)).startswith("None of 2 systems reports, ")


def test_io_that_never_ran_together_is_not_added_up() -> None:
    """Before and after of one guest are no two guests: their sum was the rate of no moment."""
    before = guest("before", {"IBM.A.7600": 199}, span=(0, HOUR // 2))
    after = guest("after", {"IBM.A.7600": 272}, span=(HOUR // 2, HOUR))
    fleet = fleet_of([before, after], 0, HOUR)
    assert [(row.io, row.filled_by) for row in fleet.lcus] == [(272, (("after", 100.0),))]
    assert [(row.guest, row.io, row.state == APART) for row in fleet.guests] == [
        ("after", 272, False), ("before", 199, True),
    ]  # fmt: skip
    assert any("Not added up: before." in note for note in fleet.notes)
    glance = fleet_table(GLANCE, fleet)
    shares = dict(zip(glance.keys, glance.columns["percent"], strict=True))
    assert shares["system after"] == 100
    assert isinstance(shares["system before"], Absent)
    assert str(glance.columns["words"][0]).startswith("1 of 2 systems reports, ")
    assert fleet.notes[0].startswith("Figures are of 1 of 2 recorded systems: ")


def test_guests_are_listed_as_the_screen_lists_them() -> None:
    """Those with most I/O first; who reports none is last."""
    fleet = fleet_of([guest("a", {}), guest("b", {"IBM.A.1": 1}), guest("c", {"IBM.A.1": 9})], 0, HOUR)
    assert [row.guest for row in fleet.guests] == ["c", "b", "a"]
    assert fleet.notes[0].startswith("Figures are of 2 of 3 recorded systems: ")
    alone = fleet_of([guest("b", {"IBM.A.1": 1})], 0, HOUR)
    assert alone.notes[0].startswith("Figures are of 1 recorded system; ")


def test_most_systems_are_those_that_are_added_up() -> None:
    """One that came late, alone, does not set aside all that ran together before it."""
    three = [guest(name, {"IBM.A.7600": 10}, span=(0, HOUR // 2)) for name in "abc"]
    fleet = fleet_of([*three, guest("late", {"IBM.A.7600": 99}, span=(HOUR - 9, HOUR))], 0, HOUR)
    assert fleet.lcus[0].io == 30
