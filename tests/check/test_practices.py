"""The whole list: what is in it, its order, and what it says on machines that are not meant."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given as example
from hypothesis import strategies as st

from tests.check.machines import changed, given, good, sample
from zmon.base.absent import absent
from zmon.check.practice import Check, CheckInput, CheckResult, OpenQuestion, State, origin_of
from zmon.check.practices import CHECKS, KINDS_READ, QUESTIONS, run_checks, worst
from zmon.interval import Interval
from zmon.kernel.sampler import Choice, sample_once
from zmon.kernel.tree import LiveTree
from zmon.kinds import KINDS, LAYER, MACHINE
from zmon.lab.scenario import load_scenario, names
from zmon.sample import Instant, Meaning, Sample, empty_frame
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from zmon.sample import Kind

ROOT: Final = Path(__file__).parents[2]
LISTED: Final[tuple[Check | OpenQuestion, ...]] = (*CHECKS, *QUESTIONS)
CITED: Final = re.compile(r"(S00[0-4]):(\d+)(?:-(\d+))?")


def by_id(results: list[CheckResult]) -> dict[str, CheckResult]:
    """Return results by the ids of their checks."""
    return {one.check.id: one for one in results}


def test_every_practice_of_the_studies_and_of_the_health_checker_is_there() -> None:
    """B1 to B34 and H1 to H17, as a check or as a question; no id twice."""
    ids = [one.id for one in LISTED]
    wanted = {f"B{number}" for number in range(1, 35)} | {f"H{number}" for number in range(1, 18)}
    assert wanted <= set(ids)
    assert len(ids) == len(set(ids))


def test_a_machine_as_advised_has_nothing_to_look_at() -> None:
    """All that applies is ok, and what does not apply says why."""
    results = run_checks(given())
    assert [one.check.id for one in results if one.state not in {State.OK, State.NOT_APPLICABLE}] == []
    assert all(one.words for one in results)
    assert sum(one.state is State.OK for one in results) > 40
    assert worst(results) is State.OK


def test_the_worst_comes_first() -> None:
    """Bad, look, unknown, ok, does not apply; within these by id, B before H, 2 before 10."""
    results = run_checks(given({LAYER: {"253:0": {"table": absent("needs root")}}, MACHINE: {"machine": {
        "architecture": "s390x", "environment": "zvm", "vm_cpus_configured": 9}}}))  # fmt: skip
    places = [list(State).index(one.state) for one in results]
    assert places == sorted(places)
    assert results[0].check.id == "B23"
    ids = [one.check.id for one in results if one.state is State.OK]
    assert ids.index("B1") < ids.index("B10") < ids.index("H1") < ids.index("K1")


@pytest.mark.parametrize("kind", KINDS_READ, ids=lambda kind: kind.name)
def test_what_was_not_read_is_never_bad(kind: Kind) -> None:
    """A source that is taken away makes a check unknown, never bad or worse than it was."""
    before = by_id(run_checks(given()))
    for one in run_checks(given({kind: None})):
        assert one.state not in {State.BAD, State.LOOK}, one
        if before[one.check.id].state is State.NOT_APPLICABLE:
            assert one.state is not State.OK, one


def test_a_machine_of_which_nothing_is_known_is_unknown() -> None:
    """No reason is empty, and nothing is ok."""
    at = Instant(0, 0, "")
    for frames in ({}, {kind.name: empty_frame(kind, "needs root") for kind in KINDS_READ}):
        results = run_checks(CheckInput(Machine(Sample(at, frames))))
        assert all(one.words for one in results)
        assert {one.state for one in results} <= {State.UNKNOWN, State.NOT_APPLICABLE}


def test_elsewhere_nothing_is_wrong() -> None:
    """On the machine that runs this test, whatever it is, unless it is Linux on IBM Z.

    Only "something records" (B27) is asked everywhere, and is met while another test records.
    """
    if os.uname().machine.startswith("s390"):
        pytest.skip("this is Linux on IBM Z")
    results = run_checks(CheckInput(Machine(sample_once(LiveTree(), "boot", Choice(KINDS_READ)))))
    assert [one.check.id for one in results if one.state in {State.BAD, State.LOOK}] == []
    assert {one.check.id for one in results if one.state is State.OK} <= {"B27"}
    other = changed(good(), dict.fromkeys((KINDS["device"], KINDS["layer"], KINDS["container"])))
    other[MACHINE]["machine"] |= {"architecture": "x86_64", "environment": "none"}
    other[KINDS["setting"]]["vm.swappiness"] = {"value": "60"}
    other[KINDS["device"]] = {}
    found = run_checks(CheckInput(Machine(sample(other, 1))))
    assert not {one.state for one in found} & {State.BAD, State.LOOK}


def test_only_those_that_are_named_run() -> None:
    """By their ids."""
    assert [one.check.id for one in run_checks(given(), ["H15", "B17"])] == ["B17", "H15"]


def test_a_check_that_found_one_bad_thing_is_bad() -> None:
    """No better state of another hides it."""
    states = [State.OK, State.BAD, State.LOOK, State.UNKNOWN, State.NOT_APPLICABLE]
    assert worst([CheckResult(CHECKS[0], state, "") for state in states]) is State.BAD


def test_every_place_in_a_study_is_on_the_page_of_the_studies() -> None:
    """docs/studies.md, or a figure of a scenario, is about the same lines."""
    page = (ROOT / "docs/studies.md").read_text(encoding="utf-8")
    places = [
        (study, lines)
        for study, text in re.findall(r"^## (S00\d): .+\n((?:.*\n)+?)(?=## |\Z)", page, re.MULTILINE)
        for lines in re.findall(r"\*\*(\d[0-9, -]*)\*\*", text)
    ]
    places += [
        (figure.place[:4], figure.place[5:])
        for name in names()
        for figure in load_scenario(name).figures
        if figure.place
    ]
    named = set()
    for study, lines in places:
        for part in lines.split(","):
            first, _, last = part.strip().partition("-")
            named |= {(study, number) for number in range(int(first), int(last or first) + 1)}
    cited = [(one.id, *place) for one in LISTED for place in CITED.findall(one.source)]
    assert len(cited) > 30
    lost = [
        (name, study, first)
        for name, study, first, last in cited
        if not any((study, number) in named for number in range(int(first), int(last or first) + 1))
    ]
    assert lost == []


def test_every_check_says_where_its_advice_is_from() -> None:
    """A study, a check of IBM's, or the kernel's documentation; and what is good, read and advised."""
    for check in CHECKS:
        assert CITED.search(check.source) or "lnxhc" in check.source or "kernel" in check.source
        assert all((check.title, check.reads, check.good, check.advice))


NUMBERS: Final = st.sampled_from([0, 1, -5, 1 << 80, 2.5])
TEXTS: Final = st.sampled_from(
    [
        "",
        "x",
        "-",
        "0.0",
        "0.0.zz-",
        "8:0=Q",
        "-1",
        "0 1 multipath 1",
        "\x1b[2J",
        "9" * 400,
        "94:1 253:1 253:0",
    ]
)


@example(st.data())
def test_no_value_of_a_capture_or_a_recording_stops_the_checks(data: st.DataObject) -> None:
    """Neither is trusted: a label may hold any text or number, a gauge or a counter any number."""
    rows = good()
    for kind in data.draw(st.lists(st.sampled_from(list(rows)), min_size=1, max_size=4)):
        key = data.draw(st.sampled_from(list(rows[kind])))
        name = data.draw(st.sampled_from(list(rows[kind][key])))
        is_label = kind.by_name[name].meaning in {Meaning.LABEL, Meaning.IDENTITY}
        rows[kind][key][name] = data.draw(TEXTS | NUMBERS if is_label else NUMBERS)
    after = sample(rows, 2)
    results = run_checks(CheckInput(Machine(after), Interval(sample(good(), 1), after)))
    assert all(isinstance(one.words, str) for one in results)


def test_people_read_what_a_study_is_called() -> None:
    """Each study has a name, which stands once; what is from elsewhere stands as it is."""
    sources = [check.source for check in CHECKS] + [question.source for question in QUESTIONS]
    assert [source for source in sources if re.search(r"\bS00\d", origin_of(source))] == []
    assert origin_of("S004:163-168, S004:200, lnxhc css") == "Oracle consolidation (2013), lnxhc css"
