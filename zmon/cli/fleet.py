"""Shows many systems at once, from recordings that were copied together."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import Absent
from zmon.cli.output import OK, aligned, as_json, complain, misused, progress, write_result
from zmon.fleet.fleet_tables import fleet_of
from zmon.fleet.member import found_in, read_member, span_of
from zmon.plain_text import harmless
from zmon.screen.export import moment
from zmon.screen.number import DOTS, rate
from zmon.session.when import WhenError, parse_when, whole, written
from zmon.store.file_format import RecordingError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from zmon.fleet.fleet_tables import Fleet

VIEWS: Final = ("guests", "boxes", "lcus", "channels", "exceptions")
TITLES: Final = {
    "guests": "Guests", "boxes": "Boxes", "lcus": "LCUs across guests", "channels": "Channel paths",
    "exceptions": "Exceptions",
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
        "box": "Box", "lcu": "LCU", "guests": "Guests", "io": "I/O", "share": "%Box", "mbs": "MB/s",
        "resp": "Resp", "pend": "Pend", "disc": "Disc", "conn": "Conn", "queue": "Queue",
        "filled_by": "Filled by",
    },
    "channels": {
        "cpc": "CPC", "chpid": "CHPID", "type": "Type", "seen_by": "Seen by", "busy": "%Busy", "own": "%Own",
        "gap": "%Others",
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
HOUR: Final = 3_600_000_000_000


def run(args: argparse.Namespace) -> int:
    """Print the tables; returns the exit status."""
    if args.format == "csv" and not args.view:
        return misused(f"CSV has one heading: name a view, one of {', '.join(VIEWS)}")
    try:
        paths = found_in(args.directory)
    except OSError as error:
        return complain(f"{args.directory}: {error.strerror}")
    if not paths:
        return complain(
            f"{args.directory}: there is no recording in it; it needs a directory of day files or NAME.zmon"
            " for each system"
        )
    with progress(f"reading {len(paths):,} recordings"):
        spans = dict(_spans(paths))
        if not spans:
            name, path = next(iter(paths.items()))
            return complain(f"none of the recordings can be read: {read_member(name, path, 0, 0).problem}")
        try:
            begin, end = _window(args, spans)
        except WhenError as error:
            return misused(str(error))
        fleet = fleet_of([read_member(name, path, begin, end) for name, path in paths.items()], begin, end)
    views = (args.view,) if args.view else VIEWS
    write_result(
        args,
        lambda: _text(args, fleet, views),
        lambda: _records(fleet, args.view),
        lambda: _document(fleet, views),
        indent=1,
    )
    return OK


def _spans(paths: dict[str, str]) -> Iterator[tuple[str, tuple[int, int]]]:
    for name, path in paths.items():
        try:
            yield name, span_of(path)
        except (RecordingError, OSError):
            continue  # `read_member` says why


def _window(args: argparse.Namespace, spans: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """Return the time that is looked at, UTC in ns: by default the last hour with samples.

    Raises:
        WhenError: the words name no time, or the end lies before the begin.
    """
    span = min(one[0] for one in spans.values()), max(one[1] for one in spans.values())
    end = whole(parse_when(args.at, time.time_ns(), span[1], span)) if args.at else span[1]
    begin = (
        parse_when(args.since, time.time_ns(), end, span)
        if args.since
        else max(end - HOUR, min(span[0], end - 1))
    )
    if begin >= end:
        raise WhenError("the begin does not lie before the end")
    return begin, end


# output


def _rows(fleet: Fleet, view: str) -> Sequence[Any]:
    return getattr(fleet, view)  # type: ignore[no-any-return]  # a tuple of rows


def _text(args: argparse.Namespace, fleet: Fleet, views: Sequence[str]) -> Iterator[str]:
    mark = "SIMULATED  " if fleet.is_simulated else ""
    yield f"{mark}Fleet of {len(fleet.guests)} systems, {written(fleet.begin)} to {written(fleet.end)}"
    for view in views:
        rows = list(_rows(fleet, view))
        more = 0
        if view == "exceptions" and len(views) > 1:
            rows, more = rows[:MAX_EXCEPTIONS], len(rows[MAX_EXCEPTIONS:])
        yield ""
        yield TITLES[view]
        if not rows:
            yield "  none"
            continue
        columns = HEADINGS[view]
        cells = [list(columns.values())]
        cells += [[_cell(name, getattr(row, name)) for name in columns] for row in rows]
        widths = [
            size if name in TEXTS else -size
            for name, size in zip(
                columns, (max(map(len, each)) for each in zip(*cells, strict=True)), strict=True
            )
        ]
        yield from aligned(cells, widths)
        if more:
            yield f"  and {more:,} more: zmon fleet {harmless(args.directory)} exceptions"
    yield ""
    yield from fleet.notes
    if fleet.exceptions:
        row = fleet.exceptions[0]
        yield f"Look closer: zmon --from {harmless(row.path)} --at '{written(row.end)}'"


def _cell(name: str, value: Any) -> str:
    if isinstance(value, Absent):
        return DOTS
    if name in TIMES:
        return written(value) if value else ""
    if name == "filled_by":
        return ", ".join(f"{harmless(guest)} {percent:.0f}%" for guest, percent in value)
    if isinstance(value, str):
        return harmless(value)
    return f"{value:,}" if isinstance(value, int) else rate(value)


def _records(fleet: Fleet, view: str) -> Iterator[Sequence[object]]:
    rows = _rows(fleet, view)
    names = [*HEADINGS[view]] + [name for name in ("path",) if rows and hasattr(rows[0], name)]
    yield names
    for row in rows:
        yield [_field(name, getattr(row, name)) for name in names]


def _field(name: str, value: Any) -> object:
    if name in TIMES:
        return moment(value)
    if name == "filled_by":
        return "; ".join(f"{guest} {percent:.1f}%" for guest, percent in value)
    return value


def _document(fleet: Fleet, views: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {
        "from": moment(fleet.begin),
        "to": moment(fleet.end),
        "simulated": fleet.is_simulated,
    }
    for view in views:
        found[view] = [
            {
                name: moment(value) if name in TIMES else as_json(value)
                for name, value in row._asdict().items()
            }
            for row in _rows(fleet, view)
        ]
    return found | {"notes": list(fleet.notes)}
