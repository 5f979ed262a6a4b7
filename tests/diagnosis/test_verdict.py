"""The verdict: causes are ranked by lost time, and what another one explains is set aside."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.simulated import last_interval, situation_in
from tests.diagnosis.situations import load, situation, volume
from tests.goldens import facts
from zmon.base.absent import absent
from zmon.cli.service_status import UNKNOWN as NAGIOS_UNKNOWN
from zmon.cli.service_status import state_of_verdict
from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.diagnosis import CERTAIN, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.judged import verdict_of
from zmon.diagnosis.phrases import NO_CMF
from zmon.diagnosis.situation import Situation
from zmon.diagnosis.verdict import CAUSES, _explained, _waiting, verdict
from zmon.machine.observation import NO_LCU, ObservedLoad, ObservedProcessors
from zmon.machine.observed import observed_load
from zmon.queueing.prediction import fitted_interval, predict
from zmon.queueing.resource import Resource
from zmon.queueing.waiting import Waiting, waiting
from zmon.session.machines import open_capture
from zmon.session.navigator import Navigator

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Verdict

UNKNOWN = absent("not read")


@cache
def load_of_scenario(name: str) -> ObservedLoad:
    """Return the load of the last interval of a scenario."""
    return observed_load(last_interval(name))


def judged(load: ObservedLoad) -> Verdict:
    """Return the verdict on one load alone."""
    return verdict(
        Situation(load, waiting(load), predict=lambda changes: predict(fitted_interval(load), changes))
    )


@pytest.mark.parametrize(
    ("scenario", "first"),
    [
        ("shark-before", "D3"),
        ("shark-respread-only", "D2"),
        ("shark-after", ""),
        ("hyperpav-0", "D4b"),
        ("pav-3", "D4"),
        ("fcp-multibus-full", "D15"),
        ("hyperpav-20", ""),
    ],
)
def test_each_machine_has_its_diagnosis_first(scenario: str, first: str) -> None:
    """What is short in a scenario is what the verdict says first; a machine that is well has none."""
    found = judged(load_of_scenario(scenario))
    assert [one.id for one in found.diagnoses[:1]] == ([first] if first else [])
    calm = "Nothing is full" if scenario == "hyperpav-20" else "Nothing is short"  # requests come in bursts
    assert found.sentence.startswith(found.diagnoses[0].claim if first else calm)


def test_what_another_explains_is_kept_with_its_cause() -> None:
    """An LCU is full because data are placed unevenly: one answer, not two."""
    found = judged(load_of_scenario("shark-before"))
    assert [(one.id, by) for one, by in found.explained] == [("D1", "D3")]
    first = found.diagnoses[0]
    assert first.confidence == CERTAIN
    assert [each.title for each in first.subjects] == ["LCU 7600"]
    assert any(words.startswith("the 2 processors: 0 %") for words in first.excluded)
    assert not any("volume" in words for words in first.excluded)  # they are busy because the LCU is


def test_nothing_short_is_a_verdict_with_its_next_limit() -> None:
    """A machine that is well is told what would be full first, and when."""
    found = judged(load_of_scenario("shark-after"))
    assert found.next_limit.startswith("LCU 7")
    assert found.next_limit in found.sentence
    factor = float(found.next_limit.partition("about ")[2].partition(" ")[0])
    assert factor == pytest.approx(160 / 149, abs=0.1)  # four LCUs of 40 MB/s carry 149


def test_processors_that_zmon_itself_has_are_no_next_limit() -> None:
    """As in the first moment of a start: 24 times the rest of 0.2 s is no load that anybody can count on."""
    light = load_of_scenario("idle-day")
    started = ObservedProcessors(4, 0.99, own=0.95)
    assert "processors" not in judged(light._replace(processors=started)).next_limit
    running = started._replace(busy=0.3, own=0.05)
    assert "processors" in judged(light._replace(processors=running)).next_limit


@pytest.mark.parametrize("scenario", ["shark-before", "hyperpav-0", "pav-3"])
def test_without_channel_measurement_nothing_is_denied(scenario: str) -> None:
    """What needs Pend, Disc and Conn is then not known; what remains is at most possible."""
    load = load_of_scenario(scenario)
    first = judged(load).diagnoses[0].id
    blind = tuple(one._replace(pend=0.0, disc=0.0, conn=one.response, estimated=True) for one in load.volumes)
    found = judged(load._replace(volumes=blind))
    known = {one.id: one.confidence for one in (*found.diagnoses, *(one for one, _ in found.explained))}
    assert first in {one.id for one in found.unknown} or first in known
    assert {confidence for id_, confidence in known.items() if id_ != "D3"} <= {POSSIBLE}


def test_a_wait_that_is_not_timed_is_possible() -> None:
    """Where one volume waits and nothing is timed, it may do one request at a time, or be a slow disk."""
    load = load_of_scenario("pav-3")
    volume = load.volumes[0]._replace(pend=0.0, disc=0.0, conn=0.05, servers=1, estimated=True)
    lcus = tuple(one._replace(aliases=0) for one in load.lcus)
    (one,) = judged(load._replace(volumes=(volume,), lcus=lcus)).diagnoses
    assert (one.id, one.confidence) == ("D4b", POSSIBLE)
    assert one.missing == (NO_CMF,)


def test_the_catalogue_explains_in_one_direction() -> None:
    """What is explained is in the catalogue, and nothing explains itself through others."""
    left = {entry.id: {*entry.explains, *entry.unsure} for entry in catalogue().values()}
    assert all(explained <= set(catalogue()) for explained in left.values())
    while free := {id_ for id_, explained in left.items() if not explained & set(left)}:
        left = {id_: explained for id_, explained in left.items() if id_ not in free}
    assert not left


def test_every_cause_is_in_the_catalogue() -> None:
    """The registry knows causes by the ids of the catalogue."""
    assert set(CAUSES) <= set(catalogue())


def test_where_nothing_is_measured_nothing_is_said_to_be_sufficient() -> None:
    """Without any load the verdict is that nothing was measured, and the state for cron is unknown."""
    found = judged(ObservedLoad(60.0, (), (), {}, False, ObservedProcessors(UNKNOWN, UNKNOWN)))
    assert not found.is_measured
    assert found.sentence.startswith("Nothing was measured")
    assert state_of_verdict(found).level == NAGIOS_UNKNOWN


def explained(*diagnoses: Diagnosis) -> dict[str, str]:
    """Return what explains some diagnoses, by their ids."""
    return {one.id: by for one, by in _explained(diagnoses)}


def test_short_memory_explains_reads_that_miss_the_cache_of_any_lcu() -> None:
    """Who lacks memory is not told to enlarge a buffer pool; where memory is enough it stands."""
    swap, lcu = Subject("memory", "", "memory"), Subject("lcu", "L", "LCU 7")
    short, misses, full = (
        Diagnosis(id_, (subject,), "", (), CERTAIN, "", 1.0)
        for id_, subject in (("D16", swap), ("D6", lcu), ("D1", lcu))
    )
    assert explained(short, misses, full) == {"D6": "D16"}
    assert explained(misses, full) == {}


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        ({"lcu": (10.4, 10.4)}, 10.4),  # what is full, and who fills it
        ({"lcu": (10.4, 12.0)}, 12.0),  # one alone may count more than the places do
        ({"lcu": (6.0,), "volume": (4.0,)}, 10.0),
        ({"lcu": (10.4, 10.4), "memory": (3.0,), "machine": (0.5,)}, 13.9),
    ],
)
def test_what_waits_at_one_place_is_counted_once(lost: dict[str, tuple[float, ...]], expected: float) -> None:
    """Whatever number of diagnoses are about it; tasks that wait elsewhere wait besides."""
    place = Resource("lcu", "L", "LCU 7", 10.4, absent("not measured"))
    found = [
        Diagnosis("D7", (Subject(kind, kind),), "", (), CERTAIN, "", each)
        for kind, values in lost.items()
        for each in values
    ]
    now = situation()._replace(waiting=Waiting((place,), 10.4, ""))
    assert _waiting(now, found) == pytest.approx(expected)


@pytest.mark.parametrize(("busy", "said"), [(0.5, True), (0.77, True), (0.92, False)])
def test_processors_are_excluded_until_they_may_be_full(busy: float, said: bool) -> None:
    """Up to where D15 asks whether tasks wait for them."""
    load = load_of_scenario("hyperpav-0")
    found = judged(load._replace(processors=load.processors._replace(busy=busy)))
    assert any(words.startswith("the 4 processors") for words in found.diagnoses[0].excluded) is said


def test_nothing_is_sufficient_that_has_no_room() -> None:
    """Processors that are used all the time, though nothing waits for them, have no room for more load."""
    load = load_of_scenario("shark-after")
    found = judged(load._replace(processors=ObservedProcessors(4, 0.98, waits=False, some=0.02)))
    assert facts(found.next_limit) == "4 98"
    assert "no room" in found.next_limit
    assert found.sentence.startswith("Nothing waits; the busiest volume, ")
    assert found.is_calm


def test_what_is_not_known_of_busy_processors_is_in_the_sentence() -> None:
    """Nothing is short as far as is measured: nobody counted the tasks that wait for them."""
    load = load_of_scenario("shark-after")
    found = judged(load._replace(processors=load.processors._replace(busy=0.92, waits=None)))
    assert "D15" in {one.id for one in found.unknown}
    assert found.sentence.startswith("Nothing is short as far as ")


@pytest.mark.parametrize(("may_wait", "is_known"), [("", True), ("3 requests are inside LCU 8000", False)])
def test_a_monitor_is_told_that_it_is_not_known_where_requests_may_wait(
    may_wait: str, *, is_known: bool
) -> None:
    """Cron and Nagios get UNKNOWN with what may wait, not OK."""
    calm = verdict(situation(load(volume())))._replace(unknown=(), may_wait=may_wait)
    state = state_of_verdict(calm)
    assert (state.level != NAGIOS_UNKNOWN) is is_known
    assert may_wait in state.words


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ("volume-hangs", ("channel paths 50-51: 7 %", "the aliases of LCU 8000")),
        ("path-lost", ("channel paths 50-51 53: 5 %", "the aliases of LCU 8000")),
        ("fcp-path-slow", ()),
    ],
)
def test_what_something_is_not_is_what_it_uses(scenario: str, words: tuple[str, ...]) -> None:
    """Busier paths and aliases of LCU 8100 are no cause of what is wrong on LCU 8000."""
    (found, *_) = verdict(situation_in(scenario)).diagnoses
    for each in words:
        assert any(one.startswith(each) for one in found.excluded)
    assert any("processors" in one for one in found.excluded)
    assert not any(name in one for one in found.excluded for name in ("LCU 8100", "58-"))


CASE = Path(__file__).resolve().parents[2] / "recordings" / "casestudy" / "machine.tar.gz"


def test_without_an_lcu_it_is_said_that_none_is_known_and_what_names_them() -> None:
    """What needs times besides says why there are none: the reason that DEVICE has, not another."""
    navigator = Navigator(open_capture(str(CASE)))
    navigator.end()
    view = navigator.view()
    assert view is not None
    why = {one.id: one.source for one in verdict_of(view).unknown}
    assert why["D1"] == why["D3"] == NO_LCU.reason
    assert "--cp-file and --site" in NO_LCU.reason
    for id_ in ("D2", "D4", "D5", "D9", "D10"):
        assert why[id_] == "channel measurement (CMF) is off: cmb_enable is 0"


def test_volumes_that_are_timed_say_nothing_of_lcus_that_are_not_known() -> None:
    """A cause of LCUs is not known then; no cause is denied."""
    timed = situation(load(volume(lcu=""))._replace(lcus=()))
    why = {one.id: one.source for one in verdict(timed).unknown}
    assert {why.get(id_) for id_ in ("D1", "D3", "D5", "D9", "D10")} == {NO_LCU.reason}


def test_many_aliases_are_not_said_to_spare_a_queue_that_there_is() -> None:
    """Of several LCUs the figures are of one, by name; what waits in Linux is as on CTLUNIT."""
    found = next(one for one in verdict(situation_in("hyperpav-40")).diagnoses if one.id == "D4c")
    assert "3.9 requests wait inside beside 4.7 in Linux." in found.claim
