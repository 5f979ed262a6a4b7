"""CHECK: what of a machine's settings is not as practice advises.

CHECK and `zmon check` ask `results_of`, so that they give the same answer to the same question.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.plain_text import did_you_mean
from zmon.check.practice import CheckInput, State, origin_of
from zmon.check.practices import CHECKS, KINDS_READ, QUESTIONS, checks_in_force, run_checks
from zmon.machine.figure import Needs
from zmon.machine.topology import TOPOLOGY, machine_of, shared
from zmon.machine.view import NoSuchThing
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.check.practice import Check, CheckResult, Finding
    from zmon.machine.view import View
    from zmon.sample import Frame
    from zmon.topology.machine import Machine

NEEDS: Final = Needs(KINDS_READ, topology=TOPOLOGY)
WANTING: Final = frozenset({State.BAD, State.LOOK})
"""Results with which something is to do."""
ONLY_PEOPLE: Final = absent("only people can answer that")


def results_of(view: View, ids: Collection[str] = ()) -> list[CheckResult]:
    """Return what all checks, or those with these ids, find at the end of a view's interval."""
    given = CheckInput(machine_of(view), view.interval)
    return run_checks(given, ids, _kept(given.machine, checks_in_force(), *map(shared, given.standing())))


@lru_cache(maxsize=2)  # two times may be compared
def _kept(_machine: Machine, _checks: Sequence[Check], *_standing: Frame) -> dict[str, Finding]:
    """Return the findings on this machine that rest on what stands, by the ids of their checks.

    A person changes a setting once an hour; OVERVIEW asks with each sample.
    """
    return {}


def bad_of(view: View) -> list[CheckResult]:
    """Return the checks that are bad at the end of a view's interval."""
    return [result for result in results_of(view) if result.state is State.BAD]


def counts_of(results: Sequence[CheckResult]) -> dict[State, int]:
    """Return how many checks have each result, the worst first."""
    return {state: sum(result.state is state for result in results) for state in State}


def summary(results: Sequence[CheckResult]) -> str:
    """Return how many checks have which result, in words: `2 bad, 5 look, 3 unknown, 12 ok ...`."""
    return ", ".join(f"{count} {state.value}" for state, count in counts_of(results).items() if count)


def find_id(word: str) -> str:
    """Return the id of the check or question that a word names, whatever its case.

    Raises:
        LookupError: there is none; says which there are.
    """
    ids = [*(check.id for check in CHECKS), *(question.id for question in QUESTIONS)]
    spelled = {id_.casefold(): id_ for id_ in ids}
    if word.casefold() not in spelled:
        others = (
            did_you_mean(word, spelled.values()) or f"; there are {', '.join(check.id for check in CHECKS)}"
        )
        raise NoSuchThing(f"{word[:40]!r} is no check{others}")
    return spelled[word.casefold()]


def table(view: View) -> Table:
    """Fill CHECK: one row per check, keyed by its id; of one that is named, notes have the advice."""
    ids = (find_id(view.argument),) if view.argument else ()
    results = results_of(view, ids)
    columns: dict[str, list[Value]] = {
        "id": [result.check.id for result in results],
        "state": [result.state.value for result in results],
        "found": [f"{result.check.title}: {result.words}" for result in results],
        "advice": [result.advice if result.state in WANTING else "" for result in results],
        "reads": [result.check.reads for result in results],
        "origin": [origin_of(result.check.source) for result in results],
    }
    notes = (
        (*(line for result in results for line in _details(result)), *_questions(ids))
        if ids
        else (f"{summary(results)}. ENTER on a check has the advice.",)
    )
    missing = None if results else ONLY_PEOPLE
    return Table([result.check.id for result in results], columns, notes=notes, missing=missing)


def _details(result: CheckResult) -> Iterator[str]:
    check = result.check
    yield f"Found: {result.words}."
    yield f"Good: {check.good}."
    yield f"What to do: {result.advice}."
    yield f"Read: {check.reads}. From: {origin_of(check.source)}."


def _questions(ids: Collection[str]) -> Iterator[str]:
    """Yield those of the questions with these ids, which only people can answer."""
    yield from (
        f"Question: {question.words} From: {origin_of(question.source)}."
        for question in QUESTIONS
        if question.id in ids
    )


DEFINITIONS: Final = {"check": TableDefinition(NEEDS, table, has_status=True)}
