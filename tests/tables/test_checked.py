from __future__ import annotations

from collections import Counter

import pytest

from tests.check.machines import given
from tests.goldens import facts
from zmon.check.practice import State
from zmon.check.practices import QUESTIONS
from zmon.kinds import SETTING
from zmon.machine.view import NoSuchThing, View
from zmon.tables.checked import ONLY_PEOPLE, counts_of, find_id, results_of, summary, table


def view(argument: str = "", **settings: object) -> View:
    """Return a view of the good machine with some settings changed."""
    interval = given({SETTING: dict(settings)}).interval
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
