"""Shows many systems at once, from recordings that were copied together."""

from __future__ import annotations

import shlex
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent
from zmon.base.clock import HOUR, SECOND
from zmon.base.plain_text import harmless
from zmon.base.shipped import shipped
from zmon.cli import live
from zmon.cli.full_parser import parse
from zmon.cli.output import FAILED, OK, complain, misused, progress, warn
from zmon.cli.result import Heading, ResultTable, write_result
from zmon.cli.source_options import tell_not_once
from zmon.cli.subcommands import is_web_address
from zmon.fleet.fleet_screens import NONE, conclusion, filled, reports
from zmon.fleet.fleet_tables import fleet_of
from zmon.fleet.fleet_timeline import FleetTimeline, LiveFleetTimeline
from zmon.fleet.recorded_fleet import FleetError, LiveFleetSource, RecordedFleet
from zmon.screen.definition import ScreenError, load_screens
from zmon.screen.export import moment
from zmon.screen.number import rate
from zmon.session.session import Session
from zmon.session.when import WhenError, parse_when, whole, written

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.fleet.fleet_tables import Fleet
    from zmon.fleet.recorded_fleet import FleetSource
    from zmon.session.session import SystemRequest

VIEWS: Final = ("guests", "boxes", "lcus", "fillers", "channels", "exceptions")
SCREENS: Final = {"chpids": "channels", "except": "exceptions"}
"""Views that screens call otherwise."""
LONG: Final = "fillers"
"""The view with a row for each guest on each LCU, which text has only where it is named."""
TITLES: Final = {
    "guests": "Guests", "boxes": "Boxes", "lcus": "LCUs across guests", "fillers": "Who fills which LCU",
    "channels": "Channel paths", "exceptions": "Exceptions",
}  # fmt: skip
HEADINGS: Final = {
    "guests": {
        "guest": "Guest", "user": "User", "lpar": "LPAR", "boxes": "Boxes", "io": "I/O", "mbs": "MB/s",
        "resp": "Resp", "cpu": "%CPU", "queue": "Queue", "bad": "Bad", "look": "Look", "until": "Until",
        "state": "",
    },
    "boxes": {
        "box": "Box", "lcus": "LCUs", "guests": "Guests", "io": "I/O", "mbs": "MB/s", "resp": "Resp",
        "busiest": "Busiest", "skew": "Times", "filled_by": "Filled by",
    },
    "lcus": {
        "box": "Box", "lcu": "LCU", "guests": "Guests", "io": "I/O", "share": "Box %", "mbs": "MB/s",
        "resp": "Resp", "pend": "Pend", "disc": "Disc", "conn": "Conn", "queue": "Queue",
        "filled_by": "Filled by",
    },
    "fillers": {
        "guest": "Guest", "lcu": "LCU", "box": "Box", "io": "I/O", "share": "Share %", "mbs": "MB/s",
        "resp": "Resp", "pend": "Pend", "disc": "Disc", "conn": "Conn", "queue": "Queue",
    },
    "channels": {
        "cpc": "CPC", "chpid": "CHPID", "type": "Type", "seen_by": "Seen by", "busy": "Busy %",
        "own": "Own %", "gap": "Others %",
    },
    "exceptions": {
        "guest": "Guest", "level": "", "begin": "From", "end": "To", "sentence": "What",
    },
}  # fmt: skip
"""The columns that text has, by view and field, with their headings."""
TIMES: Final = frozenset({"until", "begin", "end"})
TEXTS: Final = frozenset({
    "guest", "user", "lpar", "box", "vendor", "lcu", "state", "busiest", "filled_by", "cpc", "chpid", "type",
    "level", "sentence", "begin", "end", "until", "rule", "path",
})  # fmt: skip
MAX_EXCEPTIONS: Final = 20
"""Exceptions that the text of all views has."""


def run(args: argparse.Namespace) -> int:
    """Print the tables; returns the exit status."""
    if args.source and args.directory in (*VIEWS, *SCREENS) and not args.view:
        args.directory, args.view = "", args.directory
    args.view = SCREENS.get(args.view, args.view)
    if not (args.directory or args.source):
        return misused("name a directory of recordings, or a server with --from http://HOST:9090")
    if is_web_address(args.directory):
        return misused(f"{args.directory} is no directory but a server: zmon fleet --from {args.directory}")
    if args.format == "csv" and not args.view:
        return misused(f"CSV has one heading: name a view, one of {', '.join(VIEWS)}")
    try:
        with progress(f"reading {harmless(args.source or args.directory)}"):
            source = _source(args)
    except WhenError as error:
        return misused(str(error))
    except FleetError as error:
        return complain(str(error))
    with closing(source):
        return _shown_or_printed(args, source)


def _shown_or_printed(args: argparse.Namespace, source: FleetSource) -> int:
    """Open the screens, or print the tables; returns the exit status."""
    try:
        with progress(f"reading {harmless(args.source or args.directory)}"):
            begin, end = _window(args, source.span())
            if _is_shown(args):
                live.load_surface(args)
                session = _session(args, source, begin, end)
            else:
                members = source.members(begin, end)
                fleet = fleet_of(members, begin, end, source.sight)
    except WhenError as error:
        return misused(str(error))
    except (FleetError, ScreenError) as error:
        return complain(str(error))
    if _is_shown(args):
        return _show(args, session)
    views = (args.view,) if args.view else VIEWS
    printed = (args.view,) if args.view else tuple(view for view in VIEWS if view != LONG)
    table, document = _table(fleet, args.view or LONG), _document(fleet, views)
    write_result(args, table, document, _sections(args, fleet, printed), indent=1)
    lacking = [member for member in members if member.damage or (member.problem and member.is_recorded)]
    for member in lacking:
        check = f"; zmon info --check {shlex.quote(member.path)} names all" if member.damage else ""
        warn(f"{member.name}: {member.damage or member.problem}{check}")
    return FAILED if lacking else OK


def _window(args: argparse.Namespace, span: tuple[int, int]) -> tuple[int, int]:
    """Return the time that is looked at, UTC in ns: by default the last hour with samples.

    Raises:
        WhenError: the words name no time, or the end lies before the begin.
    """
    end = whole(parse_when(args.at, time.time_ns(), span[1], span)) if args.at else span[1]
    begin = (
        parse_when(args.since, time.time_ns(), end, span)
        if args.since
        else max(end - HOUR, min(span[0], end - 1))
    )
    for text, utc in ((args.since, begin), (args.at, end)):
        tell_not_once(text or "", utc, span)
    if begin >= end:
        raise WhenError("the begin does not lie before the end")
    return begin, end


def _source(args: argparse.Namespace) -> FleetSource:
    """Return where the figures come from.

    Raises:
        FleetError: it cannot be used.
        WhenError: the words of `--at` name no time.
    """
    if not args.source:
        return RecordedFleet(args.directory)
    from zmon.fleet.queried_fleet import QueriedFleet  # noqa: PLC0415 - loads urllib

    now = time.time_ns()
    end = whole(parse_when(args.at, now, now, (0, now))) if args.at else now
    recordings: Mapping[str, str] = {}
    if args.directory:
        with closing(RecordedFleet(args.directory)) as at_hand:
            recordings = at_hand.systems
    return QueriedFleet(args.source, recordings, end)


# on the glass


def _is_shown(args: argparse.Namespace) -> bool:
    """Tell whether the screens are opened, and nothing is printed."""
    if args.text or args.view or args.format != "text":
        return False
    return args.line or (live.closed_stream() is None and live.is_terminal())


def _session(args: argparse.Namespace, source: FleetSource, begin: int, end: int) -> Session:
    """Return a session that looks at the period from `begin` to `end`."""
    timeline = FleetTimeline(source, begin, end)
    if isinstance(source, LiveFleetSource) and not args.at:
        timeline = LiveFleetTimeline(source, begin, end)
        args.interval = source.seconds
    session = Session(timeline, load_screens(shipped("screens/fleet")), "FLEET")
    session.read_only = args.read_only
    session.seek(end)  # a live one is followed instead
    return session


def _show(args: argparse.Namespace, session: Session) -> int:
    """Show the fleet, and the systems that are opened from it, until the user leaves it."""
    while True:
        status = live.show_screens(args, session, "")
        request, session.opens, session.ended = session.opens, None, False
        if status or request is None:
            return status
        try:
            with progress(f"opening {harmless(request.path)}"):
                system = _system(args, request)
        except ValueError as error:
            session.message = f"{request.name} cannot be opened: {error}"
            continue
        status = live.show_screens(args, system, request.command or "OVERVIEW")
        if status:
            return status


def _system(args: argparse.Namespace, request: SystemRequest) -> Session:
    """Return a session of one system's recording at a time.

    Raises:
        ValueError: it cannot be used, or there is nothing at that time.
    """
    utc, part = divmod(request.utc, SECOND)
    at = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(utc))}.{part:09}Z"
    arguments = ["--from", request.path, "--at", at, *["--read-only"] * args.read_only]
    timeline = live.opened(load_screens(), parse("", arguments))
    timeline.system = request.name
    return timeline


# output


def _rows(fleet: Fleet, view: str) -> Sequence[Any]:
    return getattr(fleet, view)  # type: ignore[no-any-return]  # a tuple of rows


def _sections(
    args: argparse.Namespace, fleet: Fleet, views: Sequence[str]
) -> Iterator[list[str | ResultTable]]:
    mark = "SIMULATED  " if fleet.is_simulated else ""
    yield [f"{mark}{reports(fleet)}", *filter(None, [conclusion(fleet)[0]])]
    for view in views:
        rows, columns = _rows(fleet, view), HEADINGS[view]
        most = MAX_EXCEPTIONS if view == "exceptions" and len(views) > 1 else len(rows)
        headings = [Heading(text, None if name in TEXTS else str) for name, text in columns.items()]
        cells = [[_cell(name, getattr(row, name)) for name in columns] for row in rows[:most]]
        table = ResultTable([*columns], cells, headings, before="  ")
        more = [f"  and {len(rows) - most:,} more: zmon fleet {_named(args)} exceptions"] * (len(rows) > most)
        none = f"  none: {NONE[view]}" if view in NONE else "  none"
        yield [TITLES[view], table if rows else none, *more]
    row = next((row for row in fleet.exceptions if row.path), None)
    closer = [] if row is None else [f"Look closer: zmon --from {row.path} --at '{written(row.end)}'"]
    yield [*fleet.notes, *closer]


def _named(args: argparse.Namespace) -> str:
    """Return what the command line names, as it is typed."""
    return harmless(" ".join(filter(None, (args.source and f"--from {args.source}", args.directory))))


def _cell(name: str, value: Any) -> Any:
    if isinstance(value, Absent | str):
        return value
    if name in TIMES:
        return written(value)
    if name == "filled_by":
        return filled(value)
    return f"{value:,}" if isinstance(value, int) else rate(value)


def _table(fleet: Fleet, view: str) -> ResultTable:
    rows = _rows(fleet, view)
    names = [*HEADINGS[view]] + [name for name in ("path",) if rows and hasattr(rows[0], name)]
    return ResultTable(names, [[_field(name, getattr(row, name)) for name in names] for row in rows])


def _field(name: str, value: Any) -> object:
    if name in TIMES:
        return None if isinstance(value, Absent) else moment(value)
    if name == "filled_by":
        return "; ".join(f"{guest} {percent:.1f}%" for guest, percent in value)
    return value


def _document(fleet: Fleet, views: Sequence[str]) -> dict[str, object]:
    data: dict[str, object] = {
        "from": moment(fleet.begin),
        "to": moment(fleet.end),
        "simulated": fleet.is_simulated,
        "systems": len(fleet.guests),
        "reporting": fleet.reporting,
    }
    for view in views:
        data[view] = [
            {name: _field(name, value) if name in TIMES else value for name, value in row._asdict().items()}
            for row in _rows(fleet, view)
        ]
    return data | {"conclusion": conclusion(fleet)[0], "filling": fleet.filling, "notes": fleet.notes}
