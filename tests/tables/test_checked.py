from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from tests.check.machines import IN_ONE_SECOND, given
from tests.diagnosis.simulated import view_of
from tests.goldens import facts
from zmon.check.practice import CheckInput, State
from zmon.check.practices import QUESTIONS, checks_in_force, run_checks
from zmon.kinds import SETTING
from zmon.machine.topology import machine_of, shared
from zmon.machine.view import NoSuchThing, View
from zmon.tables.checked import ONLY_PEOPLE, _kept, counts_of, find_id, results_of, summary, table

if TYPE_CHECKING:
    from zmon.sample import Kind


def view(argument: str = "", **settings: object) -> View:
    """Return a view of the good machine with some settings changed."""
    interval = given({SETTING: dict(settings)})._interval
    assert interval is not None
    return View(interval, argument=argument)


def test_each_check_is_a_row_the_worst_first() -> None:
    """With what it found, what to do, what it read and where the advice is from."""
    shown = table(view(programs="multipathd", transparent_hugepage="always"))
    assert shown.keys[:2] == ["B27", "K3"]
    assert shown.columns["state"][:3] == ["look", "look", "ok"]
    assert str(shown.columns["found"][1]).endswith(": always")
    (note,) = shown.notes
    counts = Counter(shown.columns["state"])
    assert facts(note) == f"2 {counts['ok']} {counts[State.NOT_APPLICABLE.value]}"
    assert all(len(column) == len(shown.keys) for column in shown.columns.values())


def test_one_check_has_its_advice_below() -> None:
    """Whatever the case of its id."""
    shown = table(view("k3", transparent_hugepage="always"))
    assert shown.keys == ["K3"]
    assert shown.notes[:2] == ("Found: always.", "Good: madvise or never.")


def test_the_screen_and_the_command_ask_the_same() -> None:
    """One function has the answer."""
    results = results_of(view(), ["B17"])
    assert [one.check.id for one in results] == ["B17"]
    assert counts_of(results)[State.OK] == 1
    assert summary(results) == "1 ok"


def test_a_word_that_is_no_check_is_refused_with_those_there_are() -> None:
    """Not taken for nothing to check."""
    assert find_id("h10B") == "H10b"
    with pytest.raises(NoSuchThing, match=r"'B99'.* B9"):
        find_id("B99")
    with pytest.raises(NoSuchThing, match=r"'swap'.* B1, B2"):
        find_id("swap")


def test_a_question_is_found_by_its_id() -> None:
    """CHECK B32 prints the question, which no check answers."""
    found = table(view("b32"))
    (question,) = (one.words for one in QUESTIONS if one.id == "B32")
    assert found.notes[0].startswith(f"Question: {question}")
    assert found.missing is ONLY_PEOPLE


def test_only_what_is_not_as_advised_has_something_to_do() -> None:
    """A setting that is ok, or does not apply, has no advice beside it."""
    found = table(view(transparent_hugepage="always"))
    pairs = set(zip(found.columns["state"], map(bool, found.columns["advice"]), strict=True))
    assert {("look", True), ("ok", False), (State.NOT_APPLICABLE.value, False)} <= pairs
    assert not pairs & {("ok", True), ("look", False), (State.NOT_APPLICABLE.value, True), ("bad", False)}


@pytest.mark.parametrize("name", ["healthy-day", "fcp-failover", "zvm-steal", "path-lost", "pav-3"])
def test_a_finding_is_kept_only_as_long_as_it_would_be_the_same(name: str) -> None:
    """OVERVIEW asks of each interval: what is kept of the one before is what looking anew gives."""
    whole = view_of(name)
    kept = 0
    for interval in [*islice(whole.history.past(), 5)][::-1]:
        at_end = View(interval, inputs=whole.inputs)
        given_now = CheckInput(machine_of(at_end), interval)
        assert results_of(at_end) == run_checks(given_now)
        kept = len(_kept(given_now.machine, checks_in_force(), *map(shared, given_now.standing())))
    assert 0 < kept < len(checks_in_force())


@pytest.mark.parametrize("kind", IN_ONE_SECOND)
def test_what_another_load_changes_is_not_kept(kind: Kind) -> None:
    """The settings are the same, the second is another."""
    results_of(view())
    more = {key: dict.fromkeys(fields, 10**6) for key, fields in IN_ONE_SECOND[kind].items()}
    busy = given(load={kind: more})
    assert busy._interval is not None
    assert results_of(View(busy._interval)) == run_checks(given(load={kind: more}))
