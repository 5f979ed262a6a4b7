"""Prints what is wrong in an interval, how that is known, and what to do."""

from __future__ import annotations

import shlex
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.base.clock import written_out
from zmon.base.event import OPEN
from zmon.base.record import NamedTuple
from zmon.cli.inputs import inputs_and_files, status
from zmon.cli.output import FAILED, USAGE, JudgedShare, announced
from zmon.cli.result import ResultTable, Sentence, write_result
from zmon.cli.service_status import (
    no_answer,
    say_where_it_ends,
    state_of_verdict,
    together,
    unsampled,
    write_state,
)
from zmon.cli.show_intervals import moves_to
from zmon.cli.source_options import is_simulated, open_source
from zmon.diagnosis.catalogue import catalogue, is_of
from zmon.diagnosis.judged import NEEDS, judged_view, verdict_of, why_longer
from zmon.diagnosis.sections import remarks, sections
from zmon.diagnosis.stretch import timed_claim, times
from zmon.kinds import KINDS, MACHINE
from zmon.screen.export import moment, plain, source_of
from zmon.session.navigator import CommandError, Navigator
from zmon.session.when import WhenError, written
from zmon.tables.diagnosed import same_time

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.diagnosis.diagnosis import Diagnosis, Subject, Verdict
    from zmon.machine.view import View
    from zmon.session.timeline import Timeline
    from zmon.topology.machine import UserInputs

    Options = Callable[[Diagnosis], Sequence[str]]
    """Returns those with which a command looks at the same source and time."""

HEADINGS: Final = (
    "id", "confidence", "lost", "kind", "where", "claim", "action", "gain", "explained_by",
)  # fmt: skip
"""The names of the columns, in CSV after those of the time."""
SERVICE: Final = "DIAGNOSE"
MOST_ASKED: Final = 3
"""Exceptions before an interval of which the cause is looked for in the verdict."""
NOTHING_IN_IT: Final = (
    "no load of disks, channel paths, processors or memory was measured in this time; a diagnosis needs a"
    " recording, or a capture of two passes with /proc/diskstats"
)
"""Why a source has no diagnosis that knows nothing of the load."""


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
    inputs, containers = inputs_and_files(args)
    kinds = (MACHINE, *NEEDS.kinds, *NEEDS.topology)
    if args.source:  # the rules judge what came before
        kinds = tuple(KINDS.values())
    with (
        announced(args.source),
        closing(open_source(args, kinds=kinds, containers=containers)) as timeline,
    ):
        timeline.inputs = inputs
        navigator = Navigator(timeline)
        if args.status and (why := unsampled(args, timeline)):
            return no_answer(args, SERVICE, why)
        say_where_it_ends(args, timeline)
        answers = _answers(navigator, args, inputs)
        if args.status:
            asked = list(answers)  # the first line is about all of them
            state = together([state_of_verdict(verdict) for verdict, _, _ in asked])
            write_state(args, SERVICE, state)
            answers = iter(asked)
        for number, answer in enumerate(answers):
            _print(args, *answer, _earlier(args, navigator, inputs), first=number == 0)
    return state.level if args.status else status(args)


def _answers(
    navigator: Navigator, args: argparse.Namespace, inputs: Callable[[], UserInputs]
) -> Iterator[tuple[Verdict, View, Options]]:
    """Yield the verdict on each interval that is asked for, the view of that, and its options."""
    for _left in moves_to(navigator, args):
        view = navigator.view()
        if view is None or view.interval.before is None:
            only = f"{args.source}: there is only one sample in it" if args.source and not args.at else ""
            raise ValueError(
                f"{only or 'there are no two samples in this time'}: a diagnosis needs the load between two;"
                " zmon where, zmon check and zmon show answer what one says"
            )
        view.inputs = inputs
        verdict = verdict_of(view)
        if args.source and not (verdict.is_measured or verdict.damage):
            raise ValueError(f"{args.source}: {NOTHING_IN_IT}")
        yield verdict, view, same_time(view, _time_given(args))


def _time_given(args: argparse.Namespace) -> list[str] | None:
    """Return the options that name the time, as they were given; None if there are several intervals."""
    times = (("--since", args.since), ("--at", args.at))
    given = [_with_value(name, time) for name, time in times if time]
    return [word for option in given for word in option] if args.count == 1 else None


def _with_value(name: str, text: str) -> list[str]:
    """Return an option with its value as the command line understands it."""
    return [f"{name}={text}"] if text.startswith("-") else [name, text]


class Earlier(NamedTuple):
    """What is known of the time before the interval that is looked at, because nobody named a time."""

    words: str
    commands: tuple[str, ...]
    """Which say more."""
    exceptions: int
    """How many there were."""
    begin: int
    end: int
    """From the begin of the first to the end of the last, UTC in ns."""
    worst: Verdict | None = None
    """The verdict on the worst interval of these exceptions."""
    span: tuple[int, int] = (0, 0)
    """Begin and end of that, UTC in ns."""


def _earlier(
    args: argparse.Namespace, navigator: Navigator, inputs: Callable[[], UserInputs]
) -> Earlier | None:
    """Return what was wrong before the last interval of a source; None if a time was asked for.

    Where exceptions are not stored, the rules judge all samples first; a service check does not wait.
    """
    timeline, interval, span = navigator.timeline, navigator.interval, navigator.timeline.span()
    if args.at or args.since or not args.source or is_simulated(args.source) or span is None:
        return None
    if interval is None or interval.before is None or interval.before.at.utc <= span[0]:
        return None
    log, begin = navigator.log, interval.before.at.utc
    listed = shlex.join(["zmon", "show", "EXCEPT", *timeline.asked])
    if args.status and not log.is_stored():
        return None
    with JudgedShare(span) as log.tell:
        log.complete()
    held = [entry for entry in log.entries() if entry.end <= begin]
    if not held:
        return None
    first, last = min(entry.begin for entry in held), max(past.end for past in held)
    worst, view = _worst_of(held, timeline, inputs)
    text = f"{_ended(held, times(first, last))}. The list, and the worst interval:"
    diagnosed = shlex.join(["zmon", "diagnose", *timeline.asked, "--at", written_out(worst)])
    past = Earlier(text, (listed, diagnosed), len(held), first, last)
    if view is None:
        return past
    return past._replace(worst=verdict_of(view), span=_span(judged_view(view)))


def _worst_of(
    held: Sequence[ExceptionEntry], timeline: Timeline, inputs: Callable[[], UserInputs]
) -> tuple[int, View | None]:
    """Return the end of the worst interval of exceptions and the view of it, None if it has no load.

    It is one in whose verdict the cause of an exception stands, of the heaviest that has one: in the worst
    interval of an exception something else may be short, or what it is about may be over within it.
    """
    heaviest = sorted(held, key=lambda past: past.heaviness)[:MOST_ASKED]
    worst: tuple[int, View | None] | None = None
    for entry in heaviest:
        begun = timeline.next(timeline.find(entry.begin))
        for utc in dict.fromkeys([entry.worst_end, *([] if begun is None else [begun.utc])]):
            view = _view_at(timeline, utc, inputs)
            if view is not None and _names(verdict_of(view), entry.cause):
                return utc, view
            worst = worst or (utc, view)
    assert worst is not None  # noqa: S101 - there is an exception
    return worst


def _view_at(timeline: Timeline, utc: int, inputs: Callable[[], UserInputs]) -> View | None:
    """Return the view of the interval that ends at a time; None if it is not between two samples."""
    there = Navigator(timeline)
    there.seek(utc)
    view = there.view()
    if view is None or view.interval.before is None:
        return None
    view.inputs = inputs
    return view


def _names(verdict: Verdict, cause: str) -> bool:
    """Return whether a verdict names the cause that a rule points to."""
    return any(is_of(diagnosis.id, cause) for diagnosis, _ in _all(verdict))


def _ended(held: Sequence[ExceptionEntry], when: str) -> str:
    """Say how many exceptions held before an interval but not in it, and whether some are open."""
    still = sum(entry.state == OPEN for entry in held)
    count = f"{len(held):,} exceptions were" if len(held) > 1 else "1 exception was"
    if not still:
        return f"{count} over before this interval, {when}"
    which = "it" if len(held) == 1 else "all" if still == len(held) else f"{still:,} of them"
    verb = "is" if still == 1 else "are"
    return f"{count} last seen before this interval, {when}, and {which} {verb} still open"


def _span(view: View) -> tuple[int, int]:
    """Return begin and end of a view's interval, UTC in ns."""
    before, after = view.interval.before, view.interval.after
    return (before.at.utc if before else after.at.utc, after.at.utc)


# output


def _print(  # noqa: PLR0913 - the parts of an answer
    args: argparse.Namespace,
    verdict: Verdict,
    view: View,
    options: Options,
    earlier: Earlier | None,
    *,
    first: bool,
) -> None:
    after = view.interval.after
    span, why = _span(judged_view(view)), why_longer(view)
    table = ResultTable(
        HEADINGS,
        [
            [diagnosis.id, diagnosis.confidence, diagnosis.lost, diagnosis.subjects[0].kind,
             _named(diagnosis.subjects[0]), diagnosis.claim, diagnosis.action, diagnosis.gain_text, by]
            for diagnosis, by in _all(verdict)
        ],
        beside=dict(zip(("from", "to"), map(moment, span), strict=True)),
    )  # fmt: skip
    told = {
        "source": source_of(view.interval, args.source or ""),
        "simulated": after.simulated,
        **document(verdict, span, why),
        "earlier": None if earlier is None else _told(earlier),
    }
    mode = ", Simulated" if after.simulated else ""
    because = f", because {why}" if why else ""
    title = f"{written(span[0])} to {written(span[1])}{mode}{because}"
    write_result(args, table, told, _sections(title, verdict, options, earlier), first=first)


def _told(earlier: Earlier) -> dict[str, Any]:
    return {
        "exceptions": earlier.exceptions,
        "begin": moment(earlier.begin),
        "end": moment(earlier.end),
        "commands": list(earlier.commands),
        "worst": None if earlier.worst is None else document(earlier.worst, earlier.span),
    }


def document(verdict: Verdict, span: tuple[int, int], why: str = "") -> dict[str, Any]:
    """Return a verdict as JSON has it; `why` the time is longer than the interval."""
    return {
        "from": moment(span[0]),
        "to": moment(span[1]),
        "longer": why or None,
        "verdict": verdict.sentence,
        "damage": verdict.damage or None,
        "next_limit": verdict.next_limit,
        "diagnoses": [_object(diagnosis, by, span) for diagnosis, by in _all(verdict)],
        "examined": [
            {
                "id": diagnosis.id,
                "title": catalogue()[diagnosis.id].title,
                "where": [*map(_named, diagnosis.subjects)],
                "words": diagnosis.words,
            }
            for diagnosis in verdict.examined
        ],
        "unknown": [
            {"id": diagnosis.id, "title": catalogue()[diagnosis.id].title, "source": diagnosis.source}
            for diagnosis in verdict.unknown
        ],
    }


def _all(verdict: Verdict) -> Iterable[tuple[Diagnosis, str]]:
    """Return all diagnoses, each with the id of the one that explains it; empty if none does."""
    return (*((diagnosis, "") for diagnosis in verdict.diagnoses), *verdict.explained)


def _object(diagnosis: Diagnosis, by: str, span: tuple[int, int]) -> dict[str, Any]:
    return {
        "id": diagnosis.id,
        "title": catalogue()[diagnosis.id].title,
        "confidence": diagnosis.confidence,
        "lost": diagnosis.lost,
        "subjects": [
            {"kind": subject.kind, "key": subject.key, "title": subject.title}
            for subject in diagnosis.subjects
        ],
        "claim": diagnosis.claim,
        "evidence": [
            {
                "column": evidence.column,
                "where": _named(evidence.subject),
                "value": plain(evidence.value),
                "before": None if evidence.before is None else plain(evidence.before),
                "words": evidence.words,
            }
            for evidence in diagnosis.evidence
        ],
        "excluded": [f"not {what}" for what in diagnosis.excluded],
        "action": diagnosis.action,
        "gain": diagnosis.gain_text,
        "whatif": diagnosis.whatif,
        "confirm": diagnosis.confirm,
        "missing": list(diagnosis.missing),
        "since": None if diagnosis.since is None else moment(diagnosis.since),
        "explained_by": by or None,
        "begin": moment(span[0] if diagnosis.begin is None else diagnosis.begin),
        "end": moment(span[1] if diagnosis.end is None else diagnosis.end),
    }  # fmt: skip


def _named(subject: Subject) -> str:
    return subject.key or subject.title


def _sections(
    title: str, verdict: Verdict, options: Options, earlier: Earlier | None
) -> Iterator[list[str | Sentence]]:
    """Yield what is wrong, a section each, what else is said, and what was wrong before."""
    yield [Sentence(title)]
    if verdict.is_calm:
        yield [Sentence(verdict.sentence)]
    for number, diagnosis in enumerate(verdict.diagnoses, 1):
        yield [_claim(number, diagnosis), *map(_below, sections(diagnosis, options))]
    yield [*map(_below, remarks(verdict))]
    if earlier is not None:
        yield [_below(("Earlier", earlier.words)), *(f"     {command}" for command in earlier.commands)]
    if earlier is not None and earlier.worst is not None:
        begin, end = map(written, earlier.span)
        yield [Sentence(f"{begin} to {end}, the worst interval before")]
        yield [*_worst(earlier.worst)]


def _worst(verdict: Verdict) -> Iterator[str | Sentence]:
    """Yield what was wrong in the worst interval of those before: each claim, and what to do about it."""
    if verdict.is_calm:
        yield Sentence(verdict.sentence)
    for number, diagnosis in enumerate(verdict.diagnoses, 1):
        yield _claim(number, diagnosis)
        if diagnosis.action:
            yield _below(("To do", diagnosis.action))


def _claim(number: int, diagnosis: Diagnosis) -> Sentence:
    return Sentence(f"{number}. {timed_claim(diagnosis)} ({diagnosis.id}, {diagnosis.confidence})")


def _below(section: tuple[str, str]) -> str | Sentence:
    """Return what is said below a heading; a command stays in one line, which can be pasted."""
    heading, lines = section
    if lines.startswith("zmon "):
        return f"   {heading}: {lines}"
    return Sentence(lines, f"   {heading}: ", "     ")
