"""Draws figures of a screen by time, or writes them as CSV or JSON."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.plain_text import harmless
from zmon.cli.inputs import containers_of, has_inputs, listing_of, status, user_inputs
from zmon.cli.output import announced, complain, misused, warn
from zmon.cli.result import ResultTable, write_result
from zmon.cli.source_options import choice_of, open_source, paced, time_of, warn_of_hidden
from zmon.kinds import MACHINE
from zmon.machine.view import NoSuchThing, View
from zmon.recorder.lock import recorder_here
from zmon.screen import charset
from zmon.screen.chart.drawn import chart
from zmon.screen.chart.points import Point
from zmon.screen.definition import ScreenError, load_screens
from zmon.screen.export import moment, plain
from zmon.screen.variable import VariableError, described, parse, resolve
from zmon.session.live_buffer import MemoryBuffer
from zmon.session.machines import LiveTimeline
from zmon.session.navigator import Navigator
from zmon.session.when import WhenError, uncovered
from zmon.tables.filled import needs
from zmon.tables.plot import row_names, rows, series

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.listed_file import ListedFile
    from zmon.machine.figure import Variable
    from zmon.sample import Kind
    from zmon.screen.definition import Screens
    from zmon.screen.variable import ColumnRef
    from zmon.session.timeline import Timeline
    from zmon.tables.plot import Series
    from zmon.topology.machine import UserInputs

WIDTH: Final = 80
HEIGHT: Final = 20
"""Size of a chart that goes to no terminal."""


def run(args: argparse.Namespace) -> int:
    """Print the figures; returns the exit status."""
    if args.source and args.length:
        return misused("--for takes samples of this machine; what --from names is recorded already")
    try:
        _plot(args, load_screens())
    except (ScreenError, VariableError, WhenError) as error:
        return misused(str(error))
    except (ValueError, NoSuchThing) as error:
        return complain(str(error))
    return status(args)


def _size(args: argparse.Namespace) -> tuple[int, int]:
    """Return the columns and lines of the chart: those of the options, or of the terminal, if it is one."""
    width, height = WIDTH - 1, HEIGHT
    if sys.stdout.isatty():
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
        width, height = max(columns - 1, 1), max(min(lines - 3, columns // 3), 1)
    return args.width or width, args.height or height


def style() -> str:
    """Return the finest style that locale and terminal can show."""
    return charset.style(os.environ, getattr(sys.stdout, "encoding", None) or "")


def _plot(args: argparse.Namespace, screens: Screens) -> None:
    """Print the figures.

    Raises:
        ValueError: the source cannot be used, or there is nothing in it.
        VariableError: the words name no figures.
        NoSuchThing: a row is not there.
        WhenError: a time is none.
    """
    asked = parse([args.screen, *args.row], screens)
    size = _size(args)
    listing = listing_of(args)
    inputs = user_inputs(args, listing)
    with announced(args.source), closing(_timeline(args, asked, containers_of(listing))) as timeline:
        navigator = Navigator(timeline)
        window = _window(args, timeline)
        variables, names = _resolved(asked, navigator, window, inputs)
        history = navigator.history
        view = View(next(history.past(window[1])), history=history, limits=screens.limits, inputs=inputs)
        curves = series(variables, view, window, 2 * size[0])
    if (reason := _nothing(curves)) is not None:
        raise NoSuchThing(f"nothing to draw: {reason}")

    def text() -> Iterator[str]:
        points = [[Point(*figure) for figure in series.figures] for series in curves]
        notes = (f" {note}" for note in rows(variables, curves).notes)
        drawn = chart(variables, points, screens, size, args.style or style(), names)
        yield from (*drawn.lines, *notes)

    told = [_document(*pair, screens) for pair in zip(variables, curves, strict=True)]
    write_result(args, _table(variables, curves), told, [text()])


def _nothing(curves: Sequence[Series]) -> str | None:
    """Return why no figure of any series has a value; None where one has."""
    means = [figure.mean for series in curves for figure in series.figures]
    reasons = [mean.reason for mean in means if isinstance(mean, Absent)]
    return reasons[-1] if reasons and len(reasons) == len(means) else None


def _timeline(
    args: argparse.Namespace, asked: Sequence[ColumnRef], containers: Iterable[ListedFile]
) -> Timeline:
    """Return a recording, what the recorder of this machine has recorded, or samples that are taken now."""
    needed = [needs(variable.screen.table) for variable in asked]
    kinds = [MACHINE, *(kind for need in needed for kind in need.kinds)]
    if has_inputs(args) or any(
        variable.rows for variable in asked
    ):  # rows may be named by what CP calls them
        kinds += (kind for need in needed for kind in need.topology)
    if args.length:
        return _sampled(args, kinds, list(containers))
    if not args.source:
        recorder = recorder_here(os.environ)
        if recorder is None:
            raise ValueError(
                "nothing records this machine: name a recording with --from, or take samples: --for 30"
            )
        args.source = recorder.directory
    return open_source(args, kinds=kinds)


def _sampled(args: argparse.Namespace, kinds: Sequence[Kind], containers: Sequence[ListedFile]) -> Timeline:
    """Take samples for a while."""
    warn_of_hidden()
    live = LiveTimeline(choice_of(args, kinds, containers), args.interval, buffer=MemoryBuffer())
    live.take()
    for _ in paced(max(round(args.length / args.interval), 1), args.interval):
        live.take()
    return live


def _window(args: argparse.Namespace, timeline: Timeline) -> tuple[int, int]:
    """Return the begin and the end.

    Raises:
        WhenError: the words name no time, the second is before the first, or nothing was recorded then.
    """
    span = timeline.span()
    if span is None:
        raise ValueError("the source has no samples")
    begin = time_of(args.since, timeline) if args.since else span[0]
    end = time_of(args.until, timeline) if args.until else span[1]
    if begin >= end and span[0] < span[1]:
        raise WhenError(f"{args.since or 'the begin'} is not before {args.until or 'the end'}")
    if remark := uncovered(begin, end, span):
        warn(remark)
    return begin, end


def _resolved(
    asked: Sequence[ColumnRef],
    navigator: Navigator,
    window: tuple[int, int],
    inputs: Callable[[], UserInputs],
) -> tuple[list[Variable], list[str]]:
    """Return the figures by the names of rows at the end, or if one is not there then, at the begin.

    A list without a row is about the one on top of it in the whole of the time.

    With them comes what their rows are called.
    """
    past = navigator.history.past
    interval = navigator.history.between(*window) or next(past(window[1]), None)
    if interval is None:
        raise ValueError("there are no samples in this time")
    try:
        resolved = resolve(asked, interval, inputs)
    except NoSuchThing:
        first = next(past(window[0]), None)
        if first is None:
            raise
        interval, resolved = first, resolve(asked, first, inputs)
    return resolved, row_names(resolved, View(interval, inputs=inputs))


def _table(variables: Sequence[Variable], curves: Sequence[Series]) -> ResultTable:
    rows = []
    for variable, curve in zip(variables, curves, strict=True):
        name = f"{variable.table}.{variable.column}"
        for begin, end, *values in curve.figures:
            rows.append([name, harmless(variable.key), moment(begin), moment(end), *map(plain, values)])
    return ResultTable(("column", "key", "from", "to", "low", "mean", "high"), rows)


def _document(variable: Variable, series: Series, screens: Screens) -> dict[str, Any]:
    """Return one series as an object of JSON."""
    variable_data = described(variable, screens)
    return {
        "screen": variable_data[0].command if variable_data else variable.table,
        "column": variable.column,
        "key": variable.key,
        "unit": variable_data[1].unit if variable_data and variable_data[1] else "",
        "points": [
            {
                "from": moment(begin),
                "to": moment(end),
                "low": plain(low),
                "mean": plain(mean),
                "high": plain(high),
            }
            for begin, end, low, mean, high in series.figures
        ],
        "absent": sorted(
            {figure.mean.reason for figure in series.figures if isinstance(figure.mean, Absent)}
        ),
        "note": series.note,
    }
