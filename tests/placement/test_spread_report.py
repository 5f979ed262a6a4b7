from __future__ import annotations

import pytest

from tests.goldens import facts
from tests.placement.study import FILES, MIB, SECOND, sample, site, with_traffic
from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.placement.items import NO_TRAFFIC, Placement, Unit, placement_of
from zmon.placement.spread_report import (
    SpreadQuery,
    SpreadReport,
    counted,
    even_words,
    offer_words,
    pressure,
    report_spread,
    staying_words,
    times_words,
    what_if,
    why_no_move,
)
from zmon.queueing.prediction import ThroughputBound
from zmon.queueing.resource import Resource
from zmon.queueing.waiting import Waiting
from zmon.topology.machine import Machine, UserInputs

INPUTS = UserInputs(site())
LCU6 = "IBM.75000000092461.2486"


def look() -> Placement:
    return placement_of(Machine(sample(), INPUTS))


def ask(**wanted: object) -> SpreadReport:
    return report_spread(look(), SpreadQuery(**wanted))  # type: ignore[arg-type]  # as of `Wanted`


def test_each_tablespace_and_all() -> None:
    """In the case study all lies on 1.8 of 4 LCUs that hold files."""
    found = ask()
    assert [space.tablespace for space in found.spaces] == ["T1", "T2", "T3", "T4"]
    assert found.whole.spread.effective == pytest.approx(1.8, abs=0.05)
    assert found.whole.size == 72 * MIB


def test_the_sides() -> None:
    """64 of 72 MiB are on even ones."""
    assert ask().sides == pytest.approx({"even": 64 / 72, "odd": 8 / 72})


def test_an_even_spread_and_what_limits_then() -> None:
    """LCU 6 limits now; with the old channels an even spread is limited by them."""
    even = ask().even
    assert (even.now, set(even.then)) == (("LCU 6",), {"channels even", "channels odd"})
    assert even.times == pytest.approx((2 * 72 / 72) / (40 / 52))


def test_without_capacities_units_count_alike() -> None:
    """Then the ratio is the largest share before and after."""
    even = report_spread(placement_of(Machine(sample())), SpreadQuery()).even
    assert even.times == pytest.approx(52 / 72 * 4)


def test_lcus_that_hold_no_such_file_are_left_out() -> None:
    """They are not counted and get no file, unless they are named; the answer names them, and why."""
    found = placement_of(Machine(sample(others=(0, 3)), INPUTS))
    default = report_spread(found, SpreadQuery(moves=20))
    assert [unit.title for unit in default.units] == [f"LCU {n}" for n in (1, 2, 5, 6)]
    assert [facts(words) for words in default.assumptions if "--lcus" in words] == ["4 7", "0 3"]
    assert default.plan is not None
    targets = {move.target.title for step in default.plan.steps for move in step.moves}
    assert targets <= {"LCU 1", "LCU 2", "LCU 5", "LCU 6"}
    every = report_spread(found, SpreadQuery(available=("*",)))
    assert len(every.units) == 8
    assert offer_words(default) == offer_words(every) == ""  # channels limit, with more LCUs as well


def test_lcus_that_hold_no_such_file_are_offered() -> None:
    """With what an even spread over them, too, gives, and how to plan it; not those of another use."""
    found = placement_of(Machine(sample(others=(0, 3))))
    unused = tuple(unit.title for unit in found.units if unit.is_for_data)
    default, every = (report_spread(found, SpreadQuery(available=names)) for names in ((), unused))
    assert default.wider is not None
    assert default.wider.times == pytest.approx(every.even.times) == pytest.approx(52 / 72 * 6)
    offer = offer_words(default)
    assert f"at most {every.even.times:.2f} times" in offer
    numbers = ",".join(sorted(unit.number for unit in every.units))
    assert f"zmon spread --moves 9 --lcus {numbers} plans with them" in offer


def test_files_that_are_too_few_to_fill_all_lcus() -> None:
    """Two on one LCU fill two of eight: no more than that is offered."""
    files = [(f"/db/t1.{number}", "T1", 6, 6) for number in range(2)]
    found = report_spread(placement_of(Machine(sample(files))), SpreadQuery())
    assert found.wider is not None
    assert found.wider.times == pytest.approx(2)


def test_processors_bound_every_placement() -> None:
    """What is said of an even spread, of each move and of all: the lowest of what resources allow."""
    processors = ThroughputBound(1.5, "2 processors")
    found = report_spread(look(), SpreadQuery(moves=20), most=processors)
    assert (found.even.times, found.even.then) == (1.5, ("2 processors",))
    assert found.wider is not None
    assert found.wider.times == 1.5
    assert found.plan is not None
    assert found.moved is not None
    last = found.plan.steps[-1]
    assert (last.ratio, last.full) == (found.moved.times, *found.moved.then) == processors
    assert found.plan.steps[0].ratio < 1.5


def test_channels_limit_each_step_as_they_limit_all() -> None:
    """What is said of the last step is what is said of all moves."""
    found = ask(moves=20)
    assert found.plan is not None
    assert found.moved is not None
    last = found.plan.steps[-1]
    assert last.ratio == pytest.approx(found.moved.times)
    assert last.full in found.moved.then
    assert any(name.startswith("channels") for name in found.moved.then)


def test_what_is_even_is_offered_no_change() -> None:
    """Though the model computes 4 % more throughput: that is no gain, and may be a loss."""
    found = ask(traffic=True)
    even = found.even._replace(times=1.04, low=0.84, high=1.29, little=True)
    spread = found.whole.spread._replace(uneven=1.03)
    level = found._replace(even=even, whole=found.whole._replace(spread=spread))
    assert facts(even_words(level)) == "4 1.03"
    uneven = level._replace(whole=level.whole._replace(spread=spread._replace(uneven=1.5)))
    assert facts(even_words(uneven)).startswith("4 1.04")
    assert "gain little" in even_words(uneven)


def test_a_loss_within_the_range_is_explained() -> None:
    """Beside the number."""
    found = ask(traffic=True)
    even = found.even._replace(times=1.5, low=0.9, high=1.7, counted="2 ms", loss="Who knows")
    said = times_words("X", even, found.units)
    assert said.startswith("X: 1.50 times ")
    assert facts(said).startswith("1.50 0.90 1.70 2")
    assert " 2 ms. Who knows. " in said


def test_the_words_of_what_if() -> None:
    """What is counted, over what, how much at the most, and what the bottleneck is now and afterwards."""
    found = ask(available=("1", "2", "5", "6"))
    assert counted(found) == "the bytes over 4 LCUs"
    even = found.even._replace(then=("LCU 1", "LCU 2", "LCU 5", "LCU 6"))
    said = times_words("An even spread", even, found.units)
    assert said.startswith("An even spread: at most ")
    assert facts(said).startswith("2.60 6")
    still = times_words("X", even._replace(then=even.now), found.units)
    assert still.endswith("The bottleneck is LCU 6 now and afterwards")
    assert times_words("X", even._replace(times=absent("no load")), found.units) == ""


def test_a_prediction_names_what_is_busiest_not_a_bottleneck() -> None:
    """Processors that are 53 % busy are none."""
    found = ask(available=("1", "2", "5", "6"))
    busy = ("4 processors, 53 % busy",)
    said = times_words("X", found.even._replace(now=busy, then=busy, low=0.8, high=1.2), found.units)
    assert said.endswith("Busiest now: 4 processors, 53 % busy; afterwards: 4 processors, 53 % busy")
    assert "bottleneck" not in said


CASE = {"1": 0.1, "2": 0.95, "5": 0.1, "6": 2.85}


def units(channels: bool) -> list[Unit]:
    return [
        Unit(str(n), f"LCU {n}", capacity=40.0, channels=("even" if n % 2 == 0 else "odd") * channels)
        for n in range(8)
    ]


def test_more_channels_alone_give_nothing() -> None:
    """The LCU limits before and after."""
    before = what_if(CASE, CASE, units(channels=True), {"even": 144.0, "odd": 144.0})
    assert (before.times, before.now) == (1.0, ("LCU 6",))


def test_spreading_without_more_channels_is_limited_by_these() -> None:
    """Both changes were needed: 2.0 with the old channels, 2.85 with twice as many."""
    even = dict.fromkeys("1256", 1.0)
    old, new = (
        what_if(CASE, even, units(channels=True), dict.fromkeys(("even", "odd"), capacity))
        for capacity in (72.0, 144.0)
    )
    assert old.then == ("channels even", "channels odd")
    assert new.then == ("LCU 1", "LCU 2", "LCU 5", "LCU 6")
    assert [old.times, new.times] == pytest.approx([2.565, 2.85], abs=0.001)


def test_units_are_named_as_people_do() -> None:
    """By number, name or pattern; what holds data besides stays, and gets nothing."""
    found = ask(available=("1", "lcu 2", "LCU [56]"))
    assert [unit.name for unit in found.units] == ["LCU 1", "LCU 2", "LCU 5", "LCU 6"]
    fewer = ask(available=("1", "2"))
    assert {unit.name: unit.open for unit in fewer.units} == {
        "LCU 1": True, "LCU 2": True, "LCU 5": False, "LCU 6": False
    }  # fmt: skip


def test_a_name_of_no_unit() -> None:
    """Is refused, with those there are."""
    with pytest.raises(ValueError, match=r"'9'.* LCU 0, LCU 1"):
        ask(available=("9",))


def test_moves_where_they_are_asked_for() -> None:
    """With what may be reached by them: channels that bear 72 MB/s are as full then as an LCU with 20 MiB."""
    assert ask().plan is None
    found = ask(moves=20, available=("1", "2", "5", "6"))
    assert found.plan is not None
    assert found.plan.steps[-1].uneven * 18 == pytest.approx(20)
    assert found.moved is not None
    assert found.moved.times == pytest.approx(52 / 20)


def test_where_nothing_waits_no_move_is_of_use() -> None:
    """None is suggested by traffic, the reason is given, and they are there for who asks for them anyway."""
    few = [file for file in FILES if file[1] in {"T1", "T4"}]
    before, after = sample(few), sample(few, when=10 * SECOND, sectors={6: 800_000})
    found = with_traffic(Interval(before, after), INPUTS)
    idle, busy = (
        Waiting((), 0.0, "Nothing waits; the busiest volume, 7600, answers in .9 ms"),
        Waiting((Resource("lcu", LCU6, "LCU 6", 9.0, 1.0),), 9.0, "9.0 requests wait in LCU 6"),
    )
    by_traffic = SpreadQuery(traffic=True, moves=9)
    quiet = report_spread(found, by_traffic, idle)
    assert quiet.plan is not None
    assert (quiet.plan.steps, quiet.no_use) == ((), idle.why)
    anyway = by_traffic._replace(anyway=True)
    for asked, waiting in (
        (by_traffic, busy), (by_traffic, None), (anyway, idle), (SpreadQuery(moves=9), idle)
    ):  # fmt: skip
        other = report_spread(found, asked, waiting)
        assert other.plan is not None
        assert other.plan.steps


def test_pins_of_the_command_line() -> None:
    """Hold files and tablespaces."""
    found = ask(moves=20, pins=("T1", "/db/t2.*"))
    assert found.plan is not None
    assert {move.item.tablespace for step in found.plan.steps for move in step.moves} == {"T3", "T4"}


def test_logs_beside_data() -> None:
    """Are reported by the name of the volume, and the tablespace is marked."""
    found = report_spread(placement_of(Machine(sample(roles={"/db/t4.0": "log"}), INPUTS)), SpreadQuery())
    assert [(one.volume, one.others) for one in found.mixed] == [("dasdc", ("T4",))]
    assert [space.shares_with_logs for space in found.spaces] == [False, False, False, True]


def test_what_it_rests_on_is_said() -> None:
    """Units, what counts, and capacities; not what is so of each answer."""
    units, _left_out, counts, capacities = ask(moves=20).assumptions
    assert ("4 LCUs" in units, "bytes" in counts, "the site's" in capacities) == (True, True, True)


def test_head_room_by_traffic() -> None:
    """Known where capacities and traffic are."""
    before, after = sample(), sample(when=10 * SECOND, sectors={6: 800_000})
    found = with_traffic(Interval(before, after), INPUTS)
    asked = report_spread(found, SpreadQuery(traffic=True, seconds=10.0))
    assert asked.headroom.binding == ("LCU 6",)
    assert asked.headroom.factor == pytest.approx(40e6 / (80_000 * 512))


def test_bytes_have_no_head_room() -> None:
    """Only rates fill anything."""
    assert isinstance(ask().headroom.factor, Absent)


def test_traffic_that_is_not_known() -> None:
    """Gives the reason in place of figures."""
    found = report_spread(look(), SpreadQuery(traffic=True))
    assert found.whole.spread.uneven == NO_TRAFFIC


def test_what_the_load_does_to_what_is_fullest() -> None:
    """It is as busy as the load is of its capacity, and what waits there follows from that."""
    before, after = sample(), sample(when=10 * SECOND, sectors={6: 400_000})
    found = with_traffic(Interval(before, after), INPUTS)
    now, then = pressure(report_spread(found, SpreadQuery(traffic=True, seconds=10.0)))
    use = 40_000 * 512 / 40e6
    assert now.use == pytest.approx(use)
    assert now.response == pytest.approx(1 / (1 - use))
    assert not isinstance(then.use, Absent)
    assert then.use < use


def test_of_what_is_full_nobody_can_say_how_long_it_takes() -> None:
    """An estimate of 98 or 99 percent would say something quite different."""
    before, after = sample(), sample(when=10 * SECOND, sectors={6: 800_000})
    found = with_traffic(Interval(before, after), INPUTS)
    now, _then = pressure(report_spread(found, SpreadQuery(traffic=True, seconds=10.0)))
    assert isinstance(now.response, Absent)


def test_without_capacities_nothing_is_known_of_it() -> None:
    """Nor with the bytes alone."""
    now, then = pressure(report_spread(placement_of(Machine(sample(), INPUTS)), SpreadQuery()))
    assert isinstance(now.use, Absent)
    assert isinstance(then.response, Absent)


def test_one_unit_leaves_nothing_to_spread_over() -> None:
    """There a factor of 1.00 says nothing, and the words are those of one."""
    found = ask()
    one = found.units[:1]
    words = even_words(found._replace(units=one, beside=()))
    assert words.startswith(f"All is on {one[0].title}: ")


@pytest.mark.parametrize("is_for_data", [True, False])
def test_other_lcus_are_offered_where_all_is_on_one(*, is_for_data: bool) -> None:
    """Whatever is mounted on them: who is told to move data to them is told how to plan that."""
    found = ask()
    only, *others = (unit._replace(is_for_data=is_for_data) for unit in found.units)
    report = found._replace(units=(only,), beside=tuple(others))
    for words in (even_words(report), why_no_move(report)):
        assert "nothing" not in words
        assert all(other.title in words for other in others[:2])
        assert f"--lcus {','.join(unit.title.removeprefix('LCU ') for unit in (only, *others))}" in words


def test_lcus_that_hold_none_of_the_files_are_known_unless_the_available_ones_were_named() -> None:
    """Then somebody has chosen."""
    everything = placement_of(Machine(sample(), INPUTS)).units
    assert {*ask().units, *ask().beside} == {*everything}
    assert ask(available=("1", "2", "5", "6")).beside == ()


def test_what_the_database_places_itself_is_named_and_stays() -> None:
    """No move of it is suggested, and the reason is given."""
    files = [(f"/db2/d{n}/i/NODE0000/P/T000000{n}/C0000000.LRG", f"TS{n}", 9 * n, 6) for n in (1, 2)]
    placed = placement_of(Machine(sample([*files, ("/x", "X", 1, 1)]), INPUTS))
    found = report_spread(placed, SpreadQuery(moves=9))
    assert found.plan is not None
    assert not found.plan.steps
    assert [item.tablespace for item in found.staying] == ["TS2", "TS1"]
    assert staying_words(found).startswith("Files of TS2 and TS1 are not moved ")
