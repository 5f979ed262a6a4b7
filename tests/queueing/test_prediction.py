"""Predictions made before a change hold in the simulation after it, and name what limits then."""

from __future__ import annotations

import math

import pytest

from tests.queueing.pairs import (
    ADDITIONS,
    FURTHER,
    PAIRS,
    SHIPPED,
    UNSEEN,
    Pair,
    compared,
    observed,
    predicted,
    shares,
)
from zmon.base.absent import Absent, absent
from zmon.lab.scenario import names
from zmon.machine.observation import ObservedLoad, ObservedProcessors, ObservedVolume
from zmon.queueing.change import (
    AliasNumber,
    Change,
    ChangeError,
    FileMove,
    PathNumber,
    PathsInUse,
    ProcessorNumber,
    StripedSpace,
    changed,
    is_so_already,
)
from zmon.queueing.fit import fit
from zmon.queueing.headroom import resource_uses
from zmon.queueing.prediction import (
    ERROR,
    RESPONSE_ERROR,
    THROUGHPUT_ERROR,
    bound_of_placements,
    fitted_interval,
    loss_words,
    predict,
)

UNPREDICTED = {
    "40 aliases for 20",
    "40 aliases for none",
    "40 aliases for 10",
    "20 aliases, scans",
    "no aliases, full paths",
    "no aliases, full processors",
    "no aliases for 20, full processors",
    "multibus, writes alone",
    "multibus, full path",
    "processors, 4 to 6, paths in turn",
    "processors, 10 to 16",
    "processors, 2 to 4, sessions",
    "4 aliases of the swap volume",
    "twice the paths, full",
    "added: 40 aliases, scans",
    "added: 60 aliases",
    "added: 60 aliases for 10",
    "added: processors, 4 to 8, one path",
}
"""What the interval before cannot show: an LCU slows down under many requests; how requests come to paths
that take turns; how many programs wait for processors, and how long requests for paths, that are full; what
sessions wait for besides, and that a program swaps no more where this is quicker."""
ENOUGH = 12
"""Pairs of scenarios that come with zmon whose predictions hold."""


@pytest.mark.whole_days
@pytest.mark.parametrize("pair", [*PAIRS, *UNSEEN, *FURTHER, *ADDITIONS], ids=lambda pair: pair.name)
def test_a_prediction_holds_after_the_change(pair: Pair) -> None:
    """Throughput is within 15 % and response within 25 % of what is simulated after the change."""
    throughput, response = compared(pair).errors
    holds = abs(throughput) <= THROUGHPUT_ERROR and abs(response) <= RESPONSE_ERROR
    assert holds == (pair.name not in UNPREDICTED)


@pytest.mark.whole_days
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_range_has_what_is_simulated(pair: Pair) -> None:
    """Also where the number does not hold; then the confidence is low."""
    found = compared(pair)
    low, high = found.prediction.throughput
    quick, slow = found.prediction.response
    assert low <= found.rate <= high
    assert quick <= found.response <= slow
    assert pair.name not in UNPREDICTED or found.prediction.confidence == "low"


@pytest.mark.whole_days
@pytest.mark.parametrize("pair", [*UNSEEN, *FURTHER, *ADDITIONS], ids=lambda pair: pair.name)
def test_the_range_of_an_unseen_pair_has_what_is_simulated(pair: Pair) -> None:
    """As of the pairs that rules were chosen on."""
    found = compared(pair)
    low, high = found.prediction.throughput
    quick, slow = found.prediction.response
    assert low <= found.rate <= high
    assert quick <= found.response <= slow


def test_more_of_a_resource_is_no_loss() -> None:
    """Where a change only adds, its range begins with the present throughput, and no loss is printed.

    More aliases of a pool are left out: an LCU may become slow under so many requests.
    """
    for name in ("processors, 4 to 6", "processors, 2 to 4, sessions", "multibus, full processors"):
        found = next(predicted(pair) for pair in PAIRS if pair.name == name)
        assert f"{found.throughput[0] / found.whole.rate[0]:.2f}" >= "1.00"
        assert loss_words(found) == ""
    scans = next(predicted(pair) for pair in PAIRS if pair.name == "20 aliases, scans")
    (first, *_) = scans.assumed
    assert "an LCU" in first.unknown
    assert first.unknown in loss_words(scans)


def test_added_processors_may_be_of_no_use_where_nobody_counted_the_tasks_that_wait() -> None:
    """Then the range begins with the present throughput, not above it."""
    load = observed("fcp-multibus-full", -1)
    idle = load._replace(processors=load.processors._replace(busy=0.92, waits=None))
    found = predict(fitted_interval(idle), (ProcessorNumber(8),))
    assert found.throughput[0] <= found.whole.rate[0]
    assert any("wait for processors that are 9" in words for words in found.missing)


def test_paths_behind_which_pend_tells_nothing_make_the_confidence_low() -> None:
    """More of them may gain nothing, so the range begins with the present throughput."""
    found = next(predicted(pair) for pair in PAIRS if pair.name == "twice the paths, full")
    assert found.confidence == "low"
    assert f"{found.throughput[0] / found.whole.rate[0]:.2f}" == "1.00"
    assert "paths" in found.missing[-1]


def test_more_aliases_of_a_swap_volume_are_said_to_be_that() -> None:
    """How much is swapped follows from memory, too, so the sentence on confidence names the volume."""
    pair = next(pair for pair in PAIRS if pair.name == "4 aliases of the swap volume")
    found = predicted(pair)
    assert any("0300" in words and "swap" in words for words in found.missing)


@pytest.mark.whole_days
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_loss_within_the_range_is_explained(pair: Pair) -> None:
    """By what is not known; a loss that is expected is no gain, and neither is what is within the error."""
    found = predicted(pair)
    words = loss_words(found)
    may_lose = f"{found.throughput[0] / found.whole.rate[0]:.2f}" < "1.00"
    assert bool(words) == (may_lose and found.times >= 1 + found.error)
    if words:
        assert found.confidence != "high"
        assert words.endswith("; ".join(one.unknown for one in found.assumed))


def test_a_range_is_as_wide_as_the_error_and_what_the_interval_shows() -> None:
    """All is measured here: it ends at the error and two standard errors of two means."""
    found = next(predicted(pair) for pair in UNSEEN if pair.name == "unseen: 2 aliases for 7")
    before, after = found.whole.rate
    assert found.confidence == "high"
    assert found.limit.startswith("volume")
    more = math.hypot(ERROR, 2 * ((1 / before + 1 / after) / 20.0) ** 0.5)
    assert found.throughput[1] == pytest.approx(after * (1 + more))
    assert found.throughput[0] == pytest.approx(after / (1 + more))


def test_the_most_is_said_where_it_is_measured() -> None:
    """Of processors, and of LCUs whose capacity is given; a volume or an LCU may do more than it seems."""
    load = observed("hyperpav-0", -1)
    processors = predict(fitted_interval(load), (AliasNumber(10),))
    assert processors.limit == "4 processors"
    assert processors.times < processors.bound < 1.5 * processors.times
    unsolved = bound_of_placements(load)
    assert unsolved is not None
    assert unsolved.title == "4 processors"
    assert unsolved.times == pytest.approx(processors.bound, rel=1e-3)
    volume = next(predicted(pair) for pair in UNSEEN if pair.name == "unseen: 2 aliases for 7")
    assert isinstance(volume.bound, Absent)


@pytest.mark.whole_days
def test_enough_changes_of_shipped_scenarios_are_predicted() -> None:
    """Of every study that has a machine before and after."""
    holding = [pair for pair in SHIPPED if pair.name not in UNPREDICTED]
    assert len(holding) >= ENOUGH
    assert {pair.before.partition("-")[0] for pair in holding} >= {
        "shark", "hyperpav", "fcp", "logs", "stripe", "pav", "iozone",
    }  # fmt: skip
    assert {name for pair in SHIPPED for name in (pair.before, pair.after)} <= set(names())


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("tables over four LCUs", "paths"),
        ("twice the paths", "LCU 7600"),
        ("both", "LCU 7"),
        ("7 aliases for 3", "volume 8000"),
    ],
)
def test_what_limits_next_is_named(name: str, limit: str) -> None:
    """The resource that limits the simulated machine after the change is the one that is named."""
    found = predicted(next(pair for pair in PAIRS if pair.name == name))
    assert found.limit.startswith(limit)
    assert 0.8 <= found.use <= 1.0
    assert isinstance(found.bound, Absent) or found.bound >= found.times * 0.999


@pytest.mark.whole_days
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_rows_add_up_to_the_total(pair: Pair) -> None:
    """Requests and bytes of all LCUs are those of the total, whose response is the mean of theirs."""
    found = predicted(pair)
    for at in (0, 1):
        rates = [one.rate[at] for one in found.units]
        assert sum(rates) == pytest.approx(found.whole.rate[at], rel=2e-3)
        assert sum(one.bytes[at] for one in found.units) == pytest.approx(found.whole.bytes[at], rel=2e-3)
        times = [one.response[at] for one in found.units if one.rate[at]]
        assert min(times) * 0.999 <= found.whole.response[at] <= max(times) * 1.001


@pytest.mark.whole_days
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_processors_bound_every_prediction(pair: Pair) -> None:
    """Each request costs the time of processors that it is measured to cost, so these allow no more."""
    load = observed(pair.before, pair.phases[0])
    number, busy = load.processors[:2]
    assert not isinstance(number, Absent)
    assert not isinstance(busy, Absent)
    then = next((one.number for one in pair.changes if isinstance(one, ProcessorNumber)), number)
    found = predicted(pair)
    if busy:
        assert found.times * busy * number <= then * 1.001
        most = (1 + THROUGHPUT_ERROR) * then / (busy * number)
        assert found.throughput[1] / found.whole.rate[0] <= most * 1.001


@pytest.mark.parametrize("name", ["fcp-failover", "fcp-multibus-full", "hyperpav-20"])
def test_the_use_of_processors_is_the_measured_one(name: str) -> None:
    """What limits now is as busy as CPU says, however well the model meets the rates."""
    load = observed(name, -1)
    found = predict(fitted_interval(load), ())
    assert found.limit_before == f"{load.processors.number} processors"
    assert not isinstance(load.processors.busy, Absent)
    assert found.use_before == pytest.approx(min(1.0, load.processors.busy))


def test_full_processors_bound_what_spreading_data_gives() -> None:
    """With processors that are 87 % busy no placement gives more than 1.15 times the throughput."""
    load = observed("shark-before", -1)
    full = load._replace(processors=ObservedProcessors(2, 0.87))
    pair = next(pair for pair in PAIRS if pair.name == "both")
    found = predict(fitted_interval(full, shares(pair.before)), pair.changes)
    assert 1.0 <= found.times <= 1 / 0.87 + 0.001
    assert found.limit == "2 processors"


def test_no_change_changes_nothing() -> None:
    """Without a change the answer is what was measured."""
    base = fitted_interval(observed("shark-before", -1), shares("shark-before"))
    found = predict(base, ())
    assert found.times == pytest.approx(1.0)
    assert found.whole.response[0] == pytest.approx(found.whole.response[1])
    assert sum(unit.rate[1] for unit in found.units) == pytest.approx(found.whole.rate[1], rel=0.01)
    assert sum(unit.bytes[0] for unit in found.units) == pytest.approx(found.whole.bytes[0], rel=0.01)


def test_how_busy_an_lcu_is_has_the_mark_of_an_estimate_unless_its_capacity_is_given() -> None:
    """As on OVERVIEW: what the site says that an LCU can do makes its use a quotient of two known figures."""
    load = observed("shark-before", -1)
    known = load._replace(lcus=tuple(lcu._replace(capacity=40e6) for lcu in load.lcus))
    for of, marked in ((load, True), (known, False)):
        found = predict(fitted_interval(of, shares("shark-before")), ())
        (use,) = [one for one in resource_uses(of) if (one.kind, one.title) == ("lcu", "LCU 7600")]
        assert found.limiting_before[0] == "lcu"
        assert ("~" in found.busiest_now) is ("~" in use.busy) is marked


def test_confidence_is_lower_the_less_was_measured() -> None:
    """What is missing is said, and costs confidence."""
    load = observed("shark-before", -1)
    whole = predict(fitted_interval(load, shares("shark-before")), ())
    blind = load._replace(
        processors=ObservedProcessors(absent("not read"), absent("not read")),
        lcus=tuple(one._replace(misses=absent("not read")) for one in load.lcus),
    )
    found = predict(fitted_interval(blind, shares("shark-before")), ())
    assert (whole.confidence, found.confidence) == ("high", "low")
    assert len(found.missing) == 2


def untimed(load: ObservedLoad) -> ObservedLoad:
    """Return a load without channel measurement: Linux knows how long it has requests, and no more."""
    volumes = [
        one._replace(
            pend=0.0,
            disc=0.0,
            conn=min(one.response, one.servers / one.rate),
            estimated=True,
        )
        if one.rate
        else one
        for one in load.volumes
    ]
    return load._replace(volumes=tuple(volumes), paths={}, paths_measured=False)


def test_a_full_lcu_is_left_without_its_wait_though_nothing_timed_it() -> None:
    """What its requests take longer than others is the wait for it: moving data away ends that."""
    pair = next(pair for pair in PAIRS if pair.name == "tables over four LCUs")
    timed = observed(pair.before, pair.phases[0])
    known, found = (
        predict(fitted_interval(load, shares(pair.before)), pair.changes) for load in (timed, untimed(timed))
    )
    simulated = compared(pair).rate
    assert found.times == pytest.approx(known.times, rel=0.15)
    assert found.throughput[0] < simulated < found.throughput[1]
    assert found.confidence == "low"
    assert any("longer in LCU 7600 than elsewhere" in words for words in found.missing)


def test_a_wait_that_is_not_taken_apart_is_not_said_to_be() -> None:
    """Where no other LCU shows what such requests need, nothing is longer than elsewhere."""
    pair = next(pair for pair in PAIRS if pair.name == "tables over four LCUs")
    load = untimed(observed(pair.before, pair.phases[0]))
    full = next(one.key for one in load.lcus if one.title == "LCU 7600")
    alone = load._replace(volumes=tuple(one for one in load.volumes if one.lcu == full))
    found = predict(fitted_interval(alone), ())
    assert any(words.endswith("service time") for words in found.missing)


@pytest.mark.parametrize("target", ["LCU 8000", "LCU 8100"])
def test_moving_a_log_brings_no_more_requests_in_flight(target: str) -> None:
    """Programs have as many as before: they are answered later only where fewer are answered."""
    base = fitted_interval(observed("logs-mixed", -1), shares("logs-mixed"))
    logs = frozenset(flow.file for flow in base.model.flows if flow.steady)
    (lcu,) = [one.key for one in base.load.lcus if one.title == target]
    whole = predict(base, (FileMove(logs, lcu),)).whole
    now, then = (rate * time for rate, time in zip(whole.rate, whole.response, strict=True))
    assert then == pytest.approx(now, rel=0.05)


def test_what_is_so_already_is_no_change() -> None:
    """A file moved to where it lies, and as many of each resource as there are."""
    model = fitted_interval(observed("shark-before", -1), shares("shark-before")).model
    flow = next(flow for flow in model.flows if flow.file)
    files, lcu = frozenset({flow.file}), flow.lcu
    same: tuple[Change, ...] = (
        FileMove(files, lcu), FileMove(files, "", flow.volume), AliasNumber(0),
        AliasNumber(0, volume=flow.volume), PathNumber(12), PathNumber(6, lcu), PathsInUse(),
        ProcessorNumber(2),
    )  # fmt: skip
    assert [change for change in same if not is_so_already(model, change)] == []
    other = next(key for key in model.lcus if key != lcu)
    more: tuple[Change, ...] = FileMove(files, other), AliasNumber(1), PathNumber(24), ProcessorNumber(3)
    assert [change for change in more if is_so_already(model, change)] == []


def test_more_processors_that_get_no_more_time_are_a_change() -> None:
    """Though the model has them do no more."""
    model = fitted_interval(observed("zvm-steal", -1)).model
    more = ProcessorNumber(model.processors + 2)
    assert changed(model, [more]) == model
    assert not is_so_already(model, more)


@pytest.mark.parametrize(
    "change",
    [
        FileMove(frozenset({"/no/such/file"}), "IBM.750000000F2001.7500"),
        FileMove(frozenset({"/db2/d11/tsfact2.data"}), "", "0.0.ffff"),
        StripedSpace("NONE", ("IBM.750000000F2001.7500",)),
        AliasNumber(3, volume="0.0.ffff"),
    ],
)
def test_a_change_of_what_has_no_load_is_refused(change: FileMove | StripedSpace | AliasNumber) -> None:
    """A change that the interval says nothing of gets a reason, not a number."""
    base = fitted_interval(observed("shark-before", -1), shares("shark-before"))
    with pytest.raises(ChangeError):
        predict(base, (change,))


def test_processors_and_paths_that_were_not_read_cannot_change() -> None:
    """Without their utilisation there is no answer about them."""
    load = observed("shark-before", -1)
    blind = load._replace(
        processors=ObservedProcessors(absent("not read"), absent("not read")),
        lcus=tuple(one._replace(chpids=()) for one in load.lcus),
    )
    for change in (ProcessorNumber(4.0), PathNumber(24)):
        with pytest.raises(ChangeError):
            predict(fitted_interval(blind), (change,))


@pytest.mark.parametrize(("name", "many"), [("hyperpav-0", 2), ("fcp-failover", 2), ("logs-mixed", 1)])
def test_writes_that_come_many_at_once_are_a_class_of_their_own(name: str, many: int) -> None:
    """They wait longer than reads on the same volume; where they wait as long, all are one class."""
    model, network, _ = fit(observed(name, -1))
    lcu = model.flows[0].lcu
    classes = [one for one in network.classes if lcu in one.title]
    assert len(classes) == many
    assert [one.follows is not None for one in classes] == [False, True][:many]


def test_a_disk_that_was_never_seen_busy_can_be_fitted() -> None:
    """Without channel measurement a disk may have a busy time of zero although its writes take long."""
    load = observed("hyperpav-0", -1)
    idle = tuple(
        one._replace(pend=0.0, disc=0.0, conn=0.0, write_response=9 * one.response) for one in load.volumes
    )
    found = predict(fitted_interval(load._replace(volumes=idle)), ())
    assert found.times == pytest.approx(1.0)


@pytest.mark.parametrize("reads", [0.02, 0.5, 0.99])
@pytest.mark.parametrize("busy", [0.0, 1e-9])
def test_a_disk_that_was_never_seen_busy_answers_as_before(reads: float, busy: float) -> None:
    """More processors for it made 14147997389647014526976.0 ms of 0.3: a model of no time was scaled."""
    quick = ObservedVolume(
        "vda", "vda", "254:0", "", 57.0, reads * 3e-4 + (1 - reads) * 9e-4, 0.0, 0.0, busy, 16384.0, reads, 1,
        estimated=True, read_response=3e-4, write_response=9e-4,
    )  # fmt: skip
    load = ObservedLoad(2.0, (quick,), (), {}, False, ObservedProcessors(2.0, 0.96))
    found = predict(fitted_interval(load), (ProcessorNumber(3.0),))
    now, then = found.whole.response
    assert 0.8 * now < then < 1.25 * now
    assert found.times > 1


def test_a_response_that_cannot_be_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the model fails, nothing is predicted: not finite, or thousands of times as many in flight."""
    base = fitted_interval(observed("hyperpav-0", -1))
    for longer in (float("nan"), float("inf"), 1e9):
        flows = tuple(
            tuple(flow._replace(response=longer * flow.response) for flow in each)
            for each in base.solution.flows
        )
        absurd = base.solution._replace(flows=flows)
        monkeypatch.setattr("zmon.queueing.prediction.solve", lambda _network, absurd=absurd: absurd)
        with pytest.raises(ValueError, match="cannot be"):
            predict(base, (AliasNumber(4),))


def test_writes_that_take_longer_in_the_storage_are_waited_for() -> None:
    """A remote copy makes writes slow; that is service, no queue behind other writes."""
    load = observed("hyperpav-0", -1)
    mirrored = tuple(
        one._replace(pend=0.0, disc=one.response, conn=0.0, write_response=2 * one.response)
        for one in load.volumes
    )
    assert not any(flow.ahead for flow in fit(load._replace(volumes=mirrored))[0].flows)


def test_an_interval_without_io_has_no_model() -> None:
    """Nothing can be said of a machine that does nothing."""
    idle = observed("shark-before", -1)._replace(volumes=())
    with pytest.raises(ValueError, match="no volume"):
        fit(idle)
