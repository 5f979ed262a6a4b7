"""The work of `zmon plot`: look at a tape between two times, and print what was found there."""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from zmon.absent import Absent
from zmon.cli.csv_output import CsvWriter
from zmon.cli.progress import patience
from zmon.cli.status import complain
from zmon.cli.tape import chosen, open_tape, when
from zmon.kinds import MACHINE
from zmon.screen.chart.drawn import chart
from zmon.screen.chart.points import Point
from zmon.screen.export import moment, plain
from zmon.screen.number import harmless
from zmon.screen.variable import described, parse, resolve
from zmon.session.tape import Watch
from zmon.session.when import WhenError, uncovered
from zmon.tables.series import series
from zmon.tables.view import NoSuchThing, needs, nobody

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from zmon.screen.definition import Screens
    from zmon.screen.variable import Asked
    from zmon.session.tape import Tape
    from zmon.tables.figure import Variable
    from zmon.tables.series import Series


class Ask(NamedTuple):
    """What is to be drawn, and how."""

    words: Sequence[str]
    size: tuple[int, int]
    style: str


def print_series(ask: Ask, args: argparse.Namespace, screens: Screens) -> None:
    """Print figures by time.

    Raises:
        ValueError: the tape cannot be used, or there is nothing on it.
        VariableError: the words name no figures.
        NoSuchThing: a row is not there.
        WhenError: a time is none.
    """
    asked = parse(ask.words, screens)
    with patience(args.source), closing(_tape(args, asked)) as tape:
        watch = Watch(tape)
        begin, end = _window(args, tape)
        variables = _resolved(asked, watch, (begin, end))
        found = series(variables, watch.history, (begin, end), 2 * ask.size[0], screens.limits)
    if (reason := _nothing(found)) is not None:
        raise NoSuchThing(f"nothing to draw: {reason}")
    if args.format == "csv":
        _print_csv(variables, found, safe=args.csv_safe)
    elif args.format == "json":
        sys.stdout.write(json.dumps([_document(*one, screens) for one in zip(variables, found, strict=True)]))
        sys.stdout.write("\n")
    else:
        points = [[Point(*figure) for figure in one.figures] for one in found]
        lines = [*chart(variables, points, screens, ask.size, ask.style).lines, *_notes(variables, found)]
        sys.stdout.writelines(f"{harmless(line)}\n" for line in lines)
    sys.stdout.flush()


def _nothing(found: Sequence[Series]) -> str | None:
    """Return why no figure of any series has a value; None where one has."""
    means = [figure.mean for one in found for figure in one.figures]
    reasons = [mean.reason for mean in means if isinstance(mean, Absent)]
    return reasons[-1] if reasons and len(reasons) == len(means) else None


def _tape(args: argparse.Namespace, asked: Sequence[Asked]) -> Tape:
    """Return the tape that is meant: a recording, what a recorder keeps here, or samples taken now."""
    kinds = (MACHINE, *(kind for one in asked for kind in needs(one.screen.table).kinds))
    if args.length:
        return _sampled(args, kinds)
    if not args.source:
        import os  # noqa: PLC0415 - only here

        from zmon.recorder.lock import recorder_here  # noqa: PLC0415 - a recording that is named needs none

        recorder = recorder_here(os.environ)
        if recorder is None:
            raise ValueError(
                "nothing records this machine: name a recording with --from, or take samples: --for 30"
            )
        args.source = recorder.directory
    told = (kind for one in asked if one.rows for kind in needs(one.screen.table).told)
    return open_tape(args, kinds=(*kinds, *told))  # rows may be named by what CP calls them


def _sampled(args: argparse.Namespace, kinds: Sequence[Any]) -> Tape:
    """Take samples for a while."""
    from zmon.session.keep import Memory  # noqa: PLC0415 - a recording needs no live machine
    from zmon.session.live import LiveTape  # noqa: PLC0415 - likewise

    keep = Memory("this machine")
    live = LiveTape(chosen(args, kinds), args.interval, keep=keep)
    begin = time.monotonic()
    live.next()
    for turn in range(1, max(round(args.length / args.interval), 1) + 1):
        time.sleep(max(0.0, begin + turn * args.interval - time.monotonic()))
        live.next()
    return keep.tape()


def _window(args: argparse.Namespace, tape: Tape) -> tuple[int, int]:
    """Return from when to when.

    Raises:
        WhenError: the words name no time, the second is before the first, or nothing was recorded then.
    """
    span = tape.span()
    if span is None:
        raise ValueError("there are no samples on this tape")
    begin = when(args.since, tape) if args.since else span[0]
    end = when(args.until, tape) if args.until else span[1]
    if begin >= end and span[0] < span[1]:
        raise WhenError(f"{args.since or 'the begin'} is not before {args.until or 'the end'}")
    if said := uncovered(begin, end, span):
        complain(said)
    return begin, end


def _resolved(asked: Sequence[Asked], watch: Watch, window: tuple[int, int]) -> list[Variable]:
    """Return what is meant, as it was called at the end or, if it was gone by then, at the begin."""
    past = watch.history.past
    last = next(past(window[1]), None)
    if last is None:
        raise ValueError("there are no samples in this time")
    try:
        return resolve(asked, last, nobody)
    except NoSuchThing:
        first = next(past(window[0]), None)
        if first is None:
            raise
        return resolve(asked, first, nobody)


def _notes(variables: Sequence[Variable], found: Sequence[Series]) -> list[str]:
    from zmon.tables.plot import rows  # noqa: PLC0415 - only charts need words

    return [f" {note}" for note in rows(variables, found).notes]


def _print_csv(variables: Sequence[Variable], found: Sequence[Series], *, safe: bool) -> None:
    writer = CsvWriter(sys.stdout, safe=safe)
    writer.writerow(["column", "key", "from", "to", "low", "mean", "high"])
    for variable, one in zip(variables, found, strict=True):
        for begin, end, *values in one.figures:
            name = f"{variable.table}.{variable.column}"
            writer.writerow([name, harmless(variable.key), moment(begin), moment(end), *map(plain, values)])


def _document(variable: Variable, found: Series, screens: Screens) -> dict[str, Any]:
    """Return one series as an object of JSON."""
    known = described(variable, screens)
    return {
        "screen": known[0].command if known else variable.table,
        "column": variable.column,
        "key": variable.key,
        "unit": known[1].unit if known and known[1] else "",
        "points": [
            {
                "from": moment(begin),
                "to": moment(end),
                "low": plain(low),
                "mean": plain(mean),
                "high": plain(high),
            }
            for begin, end, low, mean, high in found.figures
        ],
        "absent": sorted({one.mean.reason for one in found.figures if isinstance(one.mean, Absent)}),
        "note": found.note,
    }
