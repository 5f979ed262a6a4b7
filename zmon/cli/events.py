"""Prints EVENTS: what happened in the time of a source, in the words of the full screen."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final

from zmon.base.clock import END_OF_TIME
from zmon.base.event_line import lines, words
from zmon.cli.inputs import inputs_and_files, status
from zmon.cli.output import FAILED, announced, complain, misused, terminal_width
from zmon.cli.result import MIN_WIDTH, ResultTable, write_result
from zmon.cli.show_intervals import moves_to
from zmon.cli.source_options import open_source
from zmon.screen.export import moment
from zmon.session.navigator import NOT_KEPT, CommandError
from zmon.session.session import Session
from zmon.session.when import WhenError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from zmon.base.event import Event
    from zmon.screen.definition import Screens

COLUMNS: Final = ("begin", "end", "what", "thing", "screen", "text")
"""The names of the columns, in CSV and JSON."""
OF_LISTS: Final = (
    "operand",
    "sort",
    "where",
    "compare",
    "compare_since",
    "other",
    "status",
    "count",
    "width",
)
"""The options that are for lists of screens."""


def print_events(screens: Screens, args: argparse.Namespace) -> int:
    """Print the events, or those from --since and up to --at; returns the exit status."""
    if any(getattr(args, name) for name in OF_LISTS) or args.format == "svg":
        return misused(
            "EVENTS takes --since, --at, --top and --format text, csv, json or html, and no operand"
        )
    if not args.source:
        return complain(NOT_KEPT, FAILED)
    args.at = args.until or args.at
    try:
        inputs, containers = inputs_and_files(args)
        with announced(args.source), closing(open_source(args, containers=containers)) as timeline:
            session = Session(timeline, screens, inputs=inputs)
            for _ in moves_to(session, args, needed=False):
                pass
            events = [*_events(session, args)][: args.top]
            _print(args, events, timeline.name)
    except (CommandError, WhenError) as error:
        return misused(str(error))
    except ValueError as error:
        return complain(str(error), FAILED)
    return status(args)


def _events(session: Session, args: argparse.Namespace) -> Iterator[Event]:
    interval = session.interval
    if interval is None:
        return
    begin = interval.before.at.utc if args.since and interval.before is not None else 0
    end = interval.after.at.utc if args.at else END_OF_TIME
    yield from (event for event in session.events() if begin <= event.end and event.begin <= end)


def _print(args: argparse.Namespace, events: Sequence[Event], source: str) -> None:
    rows = [
        [moment(event.begin), moment(event.end), event.what.value, event.thing, event.screen, words(event)]
        for event in events
    ]
    table = ResultTable(COLUMNS, rows)
    width = max(MIN_WIDTH, terminal_width())
    said = [line for event in events for line in lines(event, width)] or ["No events in this time"]
    write_result(args, table, {"source": source, "events": table}, [said])
