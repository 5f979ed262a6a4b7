"""Prints what is wrong in an interval, how that is known, and what to do."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.cli.inputs import inputs_and_files, status
from zmon.cli.output import FAILED, USAGE, announced, folded, terminal_width, write_result
from zmon.cli.service_status import (
    no_answer,
    say_where_it_ends,
    state_of_verdict,
    together,
    unsampled,
    write_state,
)
from zmon.cli.show_intervals import moves_to
from zmon.cli.source_options import open_source
from zmon.diagnosis.catalogue import CATALOGUE
from zmon.diagnosis.sections import remarks, sections
from zmon.diagnosis.stretch import timed_claim
from zmon.kinds import MACHINE, UNIT, UNIT_IO
from zmon.plain_text import harmless
from zmon.screen.export import moment, plain
from zmon.session.navigator import CommandError, Navigator
from zmon.session.when import WhenError, written
from zmon.tables.diagnosed import NEEDS, judged_view, verdict_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from zmon.diagnosis.diagnosis import Diagnosis, Verdict
    from zmon.tables.view import View
    from zmon.topology.machine import UserInputs

MIN_WIDTH: Final = 60
HEADINGS: Final = (
    "from", "to", "id", "confidence", "lost", "kind", "where", "claim", "action", "gain", "explained_by",
)  # fmt: skip
"""The names of the columns, in CSV."""
SERVICE: Final = "DIAGNOSE"


def run(args: argparse.Namespace) -> int:
    """Print the diagnoses; returns the exit status."""
    if args.until and args.at:
        return no_answer(args, SERVICE, "--at and --until are the same: give one", USAGE)
    args.at = args.until or args.at
    try:
        return _answer(args)
    except ValueError as error:  # the source, a time or a command
        status = USAGE if isinstance(error, (CommandError, WhenError)) else FAILED
        return no_answer(args, SERVICE, str(error), status)


def _answer(args: argparse.Namespace) -> int:
    people, containers = inputs_and_files(args)
    kinds = (MACHINE, *NEEDS.kinds, *NEEDS.topology)
    if args.source:  # only where there is an hour before, they say who does it
        kinds += (UNIT, UNIT_IO)
    with (
        announced(args.source),
        closing(open_source(args, kinds=kinds, containers=containers)) as timeline,
    ):
        navigator = Navigator(timeline)
        if args.status and (why := unsampled(args, timeline)):
            return no_answer(args, SERVICE, why)
        say_where_it_ends(args, timeline)
        answers = _answers(navigator, args, people)
        if args.status:
            known = list(answers)  # the first line is about all of them
            state = together([state_of_verdict(found) for found, _ in known])
            write_state(args, SERVICE, state)
            answers = iter(known)
        for number, (found, view) in enumerate(answers):
            _print(args, found, view, first=number == 0)
    return state.level if args.status else status(args)


def _answers(
    navigator: Navigator, args: argparse.Namespace, people: Callable[[], UserInputs]
) -> Iterator[tuple[Verdict, View]]:
    """Yield the verdict on each interval that the options choose, and the view that it is about."""
    for _left in moves_to(navigator, args):
        view = navigator.view()
        if view is None or view.interval.before is None:
            only = f"{args.source}: there is only one sample in it" if args.source and not args.at else ""
            raise ValueError(
                f"{only or 'there are no two samples in this time'}: a diagnosis needs the load between two;"
                " zmon where, zmon check and zmon show answer what one says"
            )
        view.people = people
        yield verdict_of(view), judged_view(view)


# output


def _print(args: argparse.Namespace, found: Verdict, view: View, *, first: bool) -> None:
    before, after = view.interval.before, view.interval.after
    span = (before.at.utc if before else after.at.utc, after.at.utc)
    write_result(
        args,
        lambda: _text(found, span, first=first),
        lambda: (*([HEADINGS] if first else []), *_records(found, span)),
        lambda: document(found, span),
    )


def document(found: Verdict, span: tuple[int, int]) -> dict[str, Any]:
    """Return a verdict as JSON has it."""
    return {
        "from": moment(span[0]),
        "to": moment(span[1]),
        "verdict": found.sentence,
        "next_limit": found.next_limit,
        "diagnoses": [_object(one, by, span) for one, by in _all(found)],
        "examined": [
            {
                "id": one.id,
                "title": CATALOGUE[one.id].title,
                "where": [each.key or each.title for each in one.subjects],
                "words": one.words,
            }
            for one in found.examined
        ],
        "unknown": [
            {"id": one.id, "title": CATALOGUE[one.id].title, "source": one.source} for one in found.unknown
        ],
    }


def _all(found: Verdict) -> Iterable[tuple[Diagnosis, str]]:
    """Return all diagnoses, each with the id of the one that explains it; empty if none does."""
    return (*((one, "") for one in found.diagnoses), *found.explained)


def _object(one: Diagnosis, by: str, span: tuple[int, int]) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": CATALOGUE[one.id].title,
        "confidence": one.confidence,
        "lost": one.lost,
        "subjects": [each._asdict() for each in one.subjects],
        "claim": one.claim,
        "evidence": [
            {
                "column": each.column,
                "where": each.subject.key or each.subject.title,
                "value": plain(each.value),
                "before": None if each.before is None else plain(each.before),
                "words": each.words,
            }
            for each in one.evidence
        ],
        "excluded": list(one.excluded),
        "action": one.action,
        "gain": one.gain,
        "whatif": one.whatif,
        "confirm": one.confirm,
        "missing": list(one.missing),
        "since": None if one.since is None else moment(one.since),
        "explained_by": by or None,
        "begin": moment(span[0] if one.begin is None else one.begin),
        "end": moment(span[1] if one.end is None else one.end),
    }  # fmt: skip


def _records(found: Verdict, span: tuple[int, int]) -> Iterator[list[Any]]:
    for one, by in _all(found):
        where = one.subjects[0]
        yield [
            *(moment(utc) for utc in span), one.id, one.confidence, one.lost, where.kind,
            where.key or where.title, one.claim, one.action, one.gain, by,
        ]  # fmt: skip


def _text(found: Verdict, span: tuple[int, int], *, first: bool) -> Iterator[str]:
    width = max(terminal_width(), MIN_WIDTH)
    if not first:
        yield ""
    yield from folded(f"{written(span[0])} to {written(span[1])}", width)
    yield ""
    if found.is_calm:
        yield from folded(harmless(found.sentence), width)
    for number, one in enumerate(found.diagnoses, 1):
        if number > 1 or found.is_calm:
            yield ""
        yield from folded(f"{number}. {timed_claim(one)} ({one.id}, {one.confidence})", width)
        yield from _sections(sections(one), width)
    last = list(remarks(found))
    if last:
        yield ""
        yield from _sections(last, width)


def _sections(found: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    for heading, words in found:
        yield from folded(words, width, f"   {heading}: ", "     ")
