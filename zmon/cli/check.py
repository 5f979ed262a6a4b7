"""Prints which settings are not as practice advises, and what to do."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.base.plain_text import harmless
from zmon.check.practice import State
from zmon.check.practices import QUESTIONS
from zmon.cli.inputs import inputs_and_files, status
from zmon.cli.output import FAILED, USAGE, announced, as_json, folded, terminal_width, write_format
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

MIN_WIDTH: Final = 60
HEADINGS: Final = ("at", "id", "state", "title", "found", "good", "advice", "reads", "source")
"""The names of the columns, in CSV."""
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


def _print(args: argparse.Namespace, ids: Sequence[str], results: Sequence[CheckResult], view: View) -> None:
    at = view.interval.after.at.utc
    write_format(
        args,
        lambda: _text(results, at, ids, everything=args.all),
        lambda: (HEADINGS, *_records(results, at)),
        lambda: _document(results, at, _questions(ids)),
    )


def _records(results: Sequence[CheckResult], at: int) -> Iterator[list[str]]:
    for one in results:
        check = one.check
        yield [moment(at), check.id, one.state.value, check.title, one.words, check.good, one.advice,
               check.reads, check.source]  # fmt: skip


def _questions(ids: Collection[str]) -> list[OpenQuestion]:
    """Return the questions with these ids; all where none is named."""
    return [one for one in QUESTIONS if not ids or one.id in ids]


def _document(results: Sequence[CheckResult], at: int, questions: Sequence[OpenQuestion]) -> dict[str, Any]:
    return {
        "at": moment(at),
        "counts": {state.value: count for state, count in counts_of(results).items()},
        "checks": [dict(zip(HEADINGS[1:], row[1:], strict=True)) for row in _records(results, at)],
        "questions": as_json(questions),
    }


def _text(
    results: Sequence[CheckResult], at: int, ids: Collection[str], *, everything: bool
) -> Iterator[str]:
    """Yield the worst first; what is as advised, or does not apply, only in numbers unless wanted."""
    width = max(terminal_width(), MIN_WIDTH)
    everything = everything or bool(ids)
    if results:
        yield from folded(f"{summary(results)}; {written(at)}", width)
    for state in State:
        found = [one for one in results if one.state is state]
        if not found or not (everything or state in {State.BAD, State.LOOK, State.UNKNOWN}):
            continue
        yield ""
        yield f"{HEADS[state]}:"
        for words, same in _by_words(found).items():
            if len(same) > 1:
                yield from _together(same, words, width)
            else:
                yield from _entry(same[0], width)
    if not everything:
        hidden = [one.state for one in results if one.state in {State.OK, State.NOT_APPLICABLE}]
        if hidden:
            yield ""
            good = hidden.count(State.OK)
            yield from folded(
                f"As advised: {good}. Does not apply: {len(hidden) - good}. --all lists them.", width
            )
    yield from _asked(_questions(ids), width, first=not results)


def _asked(questions: Sequence[OpenQuestion], width: int, *, first: bool) -> Iterator[str]:
    """Yield the questions that only people can answer, if there are some."""
    if not questions:
        return
    if not first:
        yield ""
    yield "Only people can answer:"
    for question in questions:
        yield from folded(f"{question.words} [{question.source}]", width, f"  {question.id:4} ")


def _by_words(results: Sequence[CheckResult]) -> dict[str, list[CheckResult]]:
    """Return results of one state by their words, which are a reason if several have the same."""
    found: dict[str, list[CheckResult]] = {}
    for one in results:
        found.setdefault(one.words, []).append(one)
    return found


def _together(results: Sequence[CheckResult], words: str, width: int) -> Iterator[str]:
    """Yield a reason once, and the checks that it is the reason of."""
    names = ", ".join(f"{one.check.id} {one.check.title}" for one in results)
    yield from folded(f"{words}: {names}.", width, "  ", " " * 7)


def _entry(one: CheckResult, width: int) -> Iterator[str]:
    check = one.check
    yield from folded(f"{check.title}: {harmless(one.words)}.", width, f"  {check.id:4} ")
    if one.state in {State.BAD, State.LOOK}:
        yield from folded(f"Do: {one.advice}.", width, " " * 7)
        yield from folded(f"Read: {check.reads}; advice from {check.source}", width, " " * 7)
