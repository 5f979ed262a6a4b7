"""Prints which settings are not as practice advises, and what to do."""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Final

from zmon.check.practice import State, origin_of
from zmon.check.practices import QUESTIONS
from zmon.cli.inputs import inputs_and_files, status
from zmon.cli.output import FAILED, USAGE, announced
from zmon.cli.result import ResultTable, Sentence, write_result
from zmon.cli.service_status import no_answer, state_of_checks, unsampled, write_state
from zmon.cli.show_intervals import moves_to
from zmon.cli.source_options import open_source
from zmon.kinds import SOURCE
from zmon.machine.view import NoSuchThing
from zmon.screen.export import moment
from zmon.session.navigator import CommandError, Navigator
from zmon.session.when import WhenError, written
from zmon.tables.checked import NEEDS, counts_of, find_id, results_of, summary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterator, Sequence

    from zmon.check.practice import CheckResult, OpenQuestion
    from zmon.machine.view import View

HEADINGS: Final = ("id", "state", "title", "found", "good", "advice", "reads", "source")
"""The names of the columns, in CSV and JSON."""
SERVICE: Final = "CHECK"
HEADS: Final = {
    State.BAD: "Bad",
    State.LOOK: "Deserves a look",
    State.UNKNOWN: "Not known",
    State.OK: "As advised",
    State.NOT_APPLICABLE: "Does not apply here",
}


def run(args: argparse.Namespace) -> int:
    """Print the checks; returns the exit status."""
    if args.until and args.at:
        return no_answer(args, SERVICE, "--at and --until are the same: give one", USAGE)
    args.at = args.until or args.at
    try:
        ids = [find_id(word) for word in args.ids]
        return _answer(args, ids)
    except (NoSuchThing, ValueError) as error:  # an id, the source or a time
        status = USAGE if isinstance(error, (NoSuchThing, CommandError, WhenError)) else FAILED
        return no_answer(args, SERVICE, str(error), status)


def _answer(args: argparse.Namespace, ids: Sequence[str]) -> int:
    inputs, containers = inputs_and_files(args)
    kinds = (*NEEDS.kinds, *NEEDS.topology, SOURCE)
    with (
        announced(args.source),
        closing(open_source(args, kinds=kinds, containers=containers)) as timeline,
    ):
        navigator = Navigator(timeline)
        if args.status and (why := unsampled(args, timeline)):
            return no_answer(args, SERVICE, why)
        state = None
        for _left in moves_to(navigator, args):
            view = navigator.view()
            if view is None:
                raise ValueError("there is no sample at this time")
            view.inputs = inputs
            results = results_of(view, ids)
            if args.status:
                state = state_of_checks(results)
                write_state(args, SERVICE, state)
            _print(args, ids, results, view)
    return status(args) if state is None else state.level


def _print(
    args: argparse.Namespace, ids: Collection[str], results: Sequence[CheckResult], view: View
) -> None:
    at = view.interval.after.at.utc
    questions = [question for question in QUESTIONS if not ids or question.id in ids]
    counts = {state.value: count for state, count in counts_of(results).items()}
    table = ResultTable(HEADINGS, [*map(_row, results)], beside={"at": moment(at)})
    document = {**table.beside, "counts": counts, "checks": table, "questions": questions}
    write_result(args, table, document, _sections(results, at, questions, everything=args.all or bool(ids)))


def _row(result: CheckResult) -> list[str]:
    check = result.check
    return [check.id, result.state.value, check.title, result.words, check.good, result.advice, check.reads,
            check.source]  # fmt: skip


def _sections(
    results: Sequence[CheckResult], at: int, questions: Sequence[OpenQuestion], *, everything: bool
) -> Iterator[list[str | Sentence]]:
    """Yield the worst first; what is as advised, or does not apply, only in numbers unless wanted."""
    if results:
        yield [Sentence(f"{summary(results)}; {written(at)}")]
    for state in State:
        in_state = [result for result in results if result.state is state]
        if in_state and (everything or state not in {State.OK, State.NOT_APPLICABLE}):
            yield [f"{HEADS[state]}:", *chain.from_iterable(map(_together, _by_words(in_state).values()))]
    good, other = (counts_of(results)[state] for state in (State.OK, State.NOT_APPLICABLE))
    if (good or other) and not everything:
        yield [Sentence(f"As advised: {good}. Does not apply: {other}. --all lists them.")]
    if questions:
        asked = (
            Sentence(f"{question.words} ({origin_of(question.source)})", f"  {question.id:4} ")
            for question in questions
        )
        yield ["Only people can answer:", *asked]


def _by_words(results: Sequence[CheckResult]) -> dict[str, list[CheckResult]]:
    """Return results of one state by their words, which are a reason if several have the same."""
    by_sentence: dict[str, list[CheckResult]] = {}
    for result in results:
        by_sentence.setdefault(result.words, []).append(result)
    return by_sentence


def _together(results: Sequence[CheckResult]) -> Iterator[Sentence]:
    """Yield a result, of several with the same words these once, and the checks that they are about."""
    first, check = results[0], results[0].check
    if len(results) > 1:
        names = ", ".join(f"{result.check.id} {result.check.title}" for result in results)
        yield Sentence(f"{first.words}: {names}.", "  ", " " * 7)
        return
    yield Sentence(f"{check.title}: {first.words}.", f"  {check.id:4} ")
    if first.state in {State.BAD, State.LOOK}:
        yield Sentence(f"Do: {first.advice}.", " " * 7)
        yield Sentence(f"Read: {check.reads}; advice from {origin_of(check.source)}", " " * 7)
