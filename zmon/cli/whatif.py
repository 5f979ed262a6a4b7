"""Predicts throughput and response after a change, from a model that is fitted to an interval."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.milliseconds import ms
from zmon.base.plain_text import harmless
from zmon.base.ranges import many
from zmon.base.sizes import GIB, MB
from zmon.base.toml import TomlDocument, read_utf8
from zmon.cli.inputs import inputs_and_files, status
from zmon.cli.output import announced, misused
from zmon.cli.result import Heading, ResultTable, Sentence, write_result
from zmon.cli.show_intervals import moves_to
from zmon.cli.source_options import open_source, refused
from zmon.diagnosis.judged import waits_in
from zmon.kinds import MACHINE
from zmon.machine.topology import has_files, machine_of
from zmon.machine.view import View
from zmon.placement.file_traffic import attribution_of
from zmon.placement.items import placement_of
from zmon.placement.planner import PLANNED
from zmon.placement.spread_report import SpreadQuery, why_no_move
from zmon.placement.whatif import NEEDS, changes_of, known_names, model_of, report_of
from zmon.queueing.change import ChangeError, is_so_already
from zmon.queueing.change_words import FORMS, parse_change
from zmon.queueing.prediction import LITTLE, WITHIN_ERROR, loss_words, predict
from zmon.queueing.waiting import waiting
from zmon.screen.export import moment, plain
from zmon.screen.number import rate
from zmon.session.navigator import CommandError, Navigator
from zmon.session.when import WhenError, written

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Number
    from zmon.placement.planner import MovePlan
    from zmon.queueing.change import Change
    from zmon.queueing.prediction import Prediction, UnitOutcome

NAMES: Final = (
    "lcu", "io_now", "io_then", "mbs_now", "mbs_then", "resp_now", "resp_then",
)  # fmt: skip
"""The names of the columns, in CSV and JSON."""
HEADINGS: Final = (
    Heading("\nLCU"), Heading("\nnow", rate, 8), Heading("I/O/s\nthen", rate, 8), Heading("\nnow", rate, 7),
    Heading("MB/s\nthen", rate, 8), Heading("\nnow", rate, 7), Heading("Resp ms\nthen", rate, 8),
)  # fmt: skip
SO_ALREADY: Final = "no change: it is so already"
MOVES: Final = re.compile(r"(?:([1-9][0-9]{0,5}) +)?moves(?: +([1-9][0-9]{0,5}))?", re.IGNORECASE | re.ASCII)
AND: Final = re.compile(r" and | ?; ?", re.IGNORECASE)


def run(args: argparse.Namespace) -> int:
    """Print the prediction; returns the exit status."""
    try:
        wanted = _wanted(args.change)
    except OSError as error:
        return misused(f"{error.filename} cannot be read: {error.strerror}")
    except ChangeError as error:
        return misused(str(error))
    if not wanted:
        return misused(f"a change is needed: {', '.join(FORMS)}; see zmon whatif --help")
    try:
        return _answer(args, wanted)
    except (ChangeError, CommandError, WhenError) as error:
        return misused(str(error))
    except ValueError as error:  # the source or a time
        return refused(error)


def _wanted(changes: Sequence[str]) -> list[str]:
    """Return the changes that the command line or its files name, each in words.

    Raises:
        ChangeError: a file has another form.
        OSError: it cannot be read.
    """
    texts: list[str] = []
    rest: list[str] = []
    for word in changes:
        if word.endswith(".toml"):
            document = TomlDocument(read_utf8(word, ChangeError), word, ChangeError)
            document.top().only("changes")
            texts += document.top().words("changes")
        else:
            rest.append(word)
    return [*texts, *(part for part in AND.split(" ".join(" ".join(rest).split())) if part.strip())]


def _answer(args: argparse.Namespace, wanted: Sequence[str]) -> int:
    inputs, containers = inputs_and_files(args)
    kinds = (MACHINE, *NEEDS.kinds, *NEEDS.topology)
    with (
        announced(args.source),
        closing(open_source(args, kinds=kinds, containers=containers)) as timeline,
    ):
        navigator = Navigator(timeline)
        first = True
        for _left in moves_to(navigator, args):
            interval = navigator.interval
            if interval is None or interval.before is None:
                raise ValueError("there are no two samples in this time")
            view = View(interval, history=navigator.history, inputs=inputs)
            changes, asked = _changes(view, wanted)
            base = model_of(view)
            if all(is_so_already(base.model, change) for change in changes):
                raise ChangeError(SO_ALREADY)
            waits = waits_in(view) or waiting(base.load)
            _print(args, predict(base, changes), asked, waits.why, view, first=first)
            first = False
    return status(args)


def _changes(view: View, wanted: Sequence[str]) -> tuple[tuple[Change, ...], list[str]]:
    """Return the changes that words mean, and the words; `moves` and `moves 4` for those that MOVES shows.

    Raises:
        ChangeError: they are not understood, or there are no moves.
    """
    names = known_names(view)
    changes: list[Change] = []
    asked: list[str] = []
    for text in wanted:
        if moves := MOVES.fullmatch(text.strip()):
            most = moves[1] or moves[2] or ""
            steps = suggested_plan(view, int(most or PLANNED)).steps
            plan = f"MOVES {most}".rstrip()
            changes += changes_of(steps)
            asked.append(
                f"the {many(len(steps), 'move')} of {plan}, {steps[-1].copied / GIB:.3g} GiB to copy"
            )
        else:
            changes.append(parse_change(text, names))
            asked.append(text)
    return tuple(changes), asked


def suggested_plan(view: View, most: int = PLANNED) -> MovePlan:
    """Return the moves that MOVES shows, the best plan of so many.

    Raises:
        ChangeError: it shows none, with the reason.
    """
    if not has_files(view):
        raise ChangeError("moves needs the files of tablespaces: --listing")
    machine_placement = placement_of(machine_of(view), traffic=attribution_of(view))
    query = SpreadQuery(traffic=True, seconds=view.interval.seconds, moves=most)
    report = report_of(view, machine_placement, query, waits_in(view))
    if report.plan is None or not report.plan.steps:
        raise ChangeError(f"MOVES suggests no move in this interval: {report.no_use or why_no_move(report)}")
    return report.plan


# output


def _print(  # noqa: PLR0913 - the parts of an answer
    args: argparse.Namespace,
    prediction: Prediction,
    wanted: Sequence[str],
    wait: str,
    view: View,
    *,
    first: bool,
) -> None:
    before, after = view.interval.before, view.interval.after
    span = (before.at.utc if before else after.at.utc, after.at.utc)
    table = ResultTable(NAMES, [_row(unit) for unit in (*prediction.units, prediction.whole)], HEADINGS)
    said = wait
    if prediction.times > LITTLE:
        said = wait.replace("Nothing waits", "No queue is long enough to be named")
    titles = f"What if: {', '.join(wanted)}", f"Fitted to {written(span[0])} to {written(span[1])}. {said}."
    write_result(
        args,
        table,
        {
            "changes": wanted,
            "from": moment(span[0]),
            "to": moment(span[1]),
            "waits": wait,
            "times": prediction.times,
            "times_low": prediction.throughput[0] / prediction.whole.rate[0],
            "times_high": prediction.throughput[1] / prediction.whole.rate[0],
            "times_bound": plain(prediction.bound),
            "within_error": prediction.is_within_error,
            "resp_low": 1e3 * prediction.response[0],
            "resp_high": 1e3 * prediction.response[1],
            "limit_now": prediction.limit_before,
            "use_now": plain(prediction.use_before),
            "limit_then": prediction.limit,
            "use_then": plain(prediction.use),
            "paths": prediction.paths,
            "confidence": prediction.confidence,
            "missing": prediction.missing,
            "rows": table,
        },
        [map(Sentence, titles), [table], map(Sentence, sentences(prediction))],
        first=first,
    )


def _row(unit: UnitOutcome) -> list[Any]:
    figures: list[Number] = [
        *unit.rate, *(value / MB for value in unit.bytes), *(seconds * 1e3 for seconds in unit.response),
    ]  # fmt: skip
    return [harmless(unit.title), *map(plain, figures)]


def sentences(prediction: Prediction) -> Iterator[str]:
    """Yield in words what a prediction says."""
    whole = prediction.whole
    low, high = (rate / whole.rate[0] for rate in prediction.throughput)
    bound = "" if isinstance(prediction.bound, Absent) else f", at most {prediction.bound:.2f}"
    loss = f" {loss_text}." if (loss_text := loss_words(prediction)) else ""
    times = f"{prediction.times:.2f} times ({low:.2f} to {high:.2f}{bound})"
    if prediction.is_within_error:
        times = f"the same {WITHIN_ERROR} of {100 * prediction.error:.0f} %"
    yield f"Throughput: {times}.{loss}"
    now, then = map(ms, whole.response)
    slow, slower = map(ms, prediction.response)
    yield f"Response: {then} instead of {now} ({slow} to {slower})."
    limits = (
        _sentence("Busiest now", prediction.busiest_now),
        _sentence("Next limit", prediction.next_limit),
    )
    yield " ".join(limit for limit in limits if limit)
    counted = [f"{many(prediction.lcus, 'LCU')} with I/O"]
    if prediction.paths:
        counted.append(f"{many(prediction.paths, 'channel path')} in use")
    yield f"Counted: {', '.join(counted)}."
    why = (
        f": {'; '.join(prediction.missing)}"
        if prediction.missing
        else ", all that the model needs was measured"
    )
    yield f"Confidence: {prediction.confidence}{why}."
    yield (
        "The model assumes that programs send the next request as soon as they have an answer; if they wait"
        " for something else, throughput rises less."
    )


def _sentence(what: str, text: str) -> str:
    """Return what is used most, as a sentence; nothing where no utilisation is known."""
    return f"{what}: {harmless(text)}." if text else ""
