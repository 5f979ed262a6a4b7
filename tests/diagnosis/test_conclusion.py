"""The conclusion of a screen is what the one verdict says about the things that are listed there."""

from __future__ import annotations

import pytest

from tests.diagnosis.simulated import view_of as simulated_view
from tests.goldens import facts
from tests.tables.test_overview import session_at, view_of
from zmon.diagnosis.conclusion import LISTED, Conclusion, conclusion
from zmon.diagnosis.judged import judged_view, verdict_of
from zmon.diagnosis.steps import span_of
from zmon.diagnosis.stretch import times
from zmon.machine.view import View, no_inputs
from zmon.queueing.resource import Resource
from zmon.tables import TABLES, diagnosed, overview
from zmon.tables.filled import definition


def drawn(name: str) -> dict[str, Conclusion]:
    view = simulated_view(name)
    return {resource: conclusion(view, resource) for resource in LISTED}


def test_a_table_with_a_conclusion_lists_what_one_is_drawn_of() -> None:
    """Its definition says which resource; a lookup starts without diagnoses."""
    tables = map(definition, TABLES)
    assert {table.resource for table in tables if table.concluded} == LISTED.keys()


def test_where_nothing_is_short_all_screens_have_the_words_of_diagnose() -> None:
    """The same question has the same answer everywhere."""
    view = view_of(session_at("lab-healthy-day.zmon", "2026-03-16 10:00"))
    assert {conclusion(view, resource) for resource in LISTED} == {Conclusion(verdict_of(view).sentence)}


def test_a_verdict_on_a_longer_time_than_the_interval_says_its_time_everywhere() -> None:
    """In 2 s few requests were answered, so that 12 s are judged: no figure of the screen is that one."""
    view = view_of(session_at("hercules-four-queries.zmon", "2026-11-21T15:15:59Z"))
    when = f"{times(*span_of(judged_view(view)))}: "
    assert when != f"{times(*span_of(view))}: "
    told = [conclusion(view, resource).words for resource in LISTED]
    told.append(str(overview.table(view).column("words")[0]))
    told.append(str(diagnosed.table(view).column("text")[0]))
    assert [words for words in told if not words.startswith(f"{when}Requests wait for LCU 7000")] == []
    (note,) = diagnosed.table(view).notes
    assert times(*span_of(view)) in note
    calm = view_of(session_at("lab-healthy-day.zmon", "2026-03-16 10:00"))
    assert str(overview.table(calm).column("words")[0]).startswith("Nothing is short")


@pytest.mark.parametrize(
    ("name", "resource", "ids", "busy", "state"),
    [
        ("shark-before", "lcu", "D3", "", "bad"),
        ("shark-channels-only", "channel", "D3", "56", "bad"),
        ("fcp-failover", "channel", "D14b", "", "look"),
        ("path-lost", "channel", "D13", "", "bad"),
        ("path-slow", "channel", "D5", "", "look"),
        ("swap-begins", "channel", "D16", "3", "bad"),
    ],
)
def test_it_is_the_claim_about_what_is_listed_or_else_the_first(
    name: str, resource: str, ids: str, busy: str, state: str
) -> None:
    """What is only possible does not stand before what is certain; of a resource with room this is said."""
    view = simulated_view(name)
    found, first = conclusion(view, resource), verdict_of(view).diagnoses[0]
    before, claim, after = found.words.partition(first.told.shorter or first.told.clause)
    assert (first.id, facts(before), bool(claim), found.state) == (ids, busy, True, state)
    assert after == f" ({first.confidence})."


@pytest.mark.parametrize(
    ("estimated", "words"), [(True, "at most ~30 % busy. "), (False, "at most 30 % busy. ")]
)
def test_how_busy_an_lcu_is_has_the_mark_of_an_estimate(
    monkeypatch: pytest.MonkeyPatch, words: str, *, estimated: bool
) -> None:
    """Beside a diagnosis of something else, too: nobody outside of the storage server measures it."""
    use = Resource("lcu", "L", "LCU 8000", use=0.3, estimated=estimated)
    monkeypatch.setattr("zmon.diagnosis.conclusion.resource_uses", lambda _load: (use,))
    assert conclusion(simulated_view("zvm-2-cpus"), "lcu").words.startswith(f"The LCUs are {words}")


def test_what_another_diagnosis_explains_is_said_behind_its_cause() -> None:
    """The screen of the symptom names both, what is to be mended first."""
    view = simulated_view("stripe-1mb")
    found, said = conclusion(view, "device"), verdict_of(view)
    cause, (one, by) = said.diagnoses[0], next(pair for pair in said.explained if pair[0].id == "D11b")
    assert (by, found.state) == (cause.id, "look")
    assert found.words.startswith(f"{cause.told.shorter or cause.told.clause} ({cause.confidence}). ")
    assert found.words.endswith(f" {one.told.shorter or one.told.clause}.")


def test_a_device_has_that_of_itself_its_lcu_or_its_paths() -> None:
    """Of any other device it is said that the diagnosis is not about it."""
    whole = simulated_view("shark-before")
    interval, skew = whole.interval, conclusion(whole, "lcu").words
    of = {one: View(interval, argument=one, inputs=no_inputs) for one in ("3373", "0F41")}
    assert conclusion(of["3373"], "device") == Conclusion(skew, "bad")
    assert conclusion(of["0F41"], "device") == Conclusion(f"Not this device: {skew}", "bad")
