"""A sheet as text, CSV or JSON: the printed twin of the glass.

Text is what the glass shows.  CSV and JSON hold the values themselves: unformatted numbers, and nothing
where a value is absent (JSON has the reasons).
"""

from __future__ import annotations

import math
import time
from importlib import import_module

from zmon.base.absent import Absent
from zmon.base.clock import MILLISECOND, SECOND
from zmon.base.light_typing import TYPE_CHECKING, Any
from zmon.base.plain_text import harmless
from zmon.sample import THIS_MACHINE
from zmon.screen.header import WIDTH, header

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.screen.definition import Screens
    from zmon.screen.sheet import Sheet


def body(sheet: Sheet, screens: Screens, most: int | None = None, width: int | None = None) -> Iterator[str]:
    """Yield the lines between the header and the guidance: form, headings, rows."""
    if sheet.screen.layout == "menu":
        yield from import_module("zmon.screen.menu_items").lines(sheet.screen, screens)
        return
    if sheet.screen.layout == "chart":
        size = {} if width is None else {"width": width}
        yield from import_module("zmon.screen.chart.drawn").page(sheet.table, screens, **size)
        return
    if sheet.screen.layout == "dashboard":
        drawn = import_module("zmon.screen.dashboard").Dashboard(sheet, (width or WIDTH + 1) - 1).lines()
        yield from (line.text.rstrip() for line in drawn)
        return
    yield from sheet.form
    yield from sheet.headings
    if sheet.summary is not None:
        yield sheet.summary
    places = range(len(sheet)) if most is None else range(min(most, len(sheet)))
    for place in places:
        yield sheet.line(place)
    if not len(sheet) and sheet.screen.layout == "list":
        yield from sentence(why_empty(sheet), width, letters=sheet.letters)


def why_empty(sheet: Sheet) -> str:
    """Say why a list shows no rows."""
    if sheet.table.missing is not None:
        return harmless(f"Nothing to show: {sheet.table.missing.reason}", ascii_only=not sheet.letters)
    if sheet.table.keys:
        return "Nothing to show: no row meets the conditions"
    return "Nothing to show: there is no such thing on this machine"


def text(  # noqa: PLR0913 - what is written, and in how much room
    sheet: Sheet,
    screens: Screens,
    interval: Interval,
    *,
    live: bool,
    most: int | None = None,
    width: int | None = None,
    times: str = "",
    system: str = "",
) -> Iterator[str]:
    """Yield a whole screen as lines; in a `width` no column is cut, and sentences are folded.

    For `times` and `system` see `header`.
    """
    if width is not None and not sheet.screen.room:
        sheet = sheet.within(width)
    span, room = sheet.table.span, width or WIDTH
    yield header(sheet.screen, interval, live=live, span=span, times=times, width=room, system=system)
    yield ""
    yield from body(sheet, screens, most, width)
    for note in sheet.table.notes:
        yield from sentence(note, width, letters=sheet.letters)


def sentence(text: str, width: int | None = None, *, letters: bool = False) -> list[str]:
    """Return a sentence in lines that are no longer than `width`; see `Sheet.letters`."""
    plain_words = harmless(text, ascii_only=not letters)
    if width is None:
        return [f" {plain_words}"]
    from textwrap import wrap  # noqa: PLC0415 - what goes to no terminal is not folded

    return [f" {part}" for part in wrap(plain_words, max(width - 1, 1))]


def moment(ns: int) -> str:
    """Write an instant in UTC, to the millisecond, as ISO 8601 does."""
    seconds, part = divmod(ns, SECOND)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{part // MILLISECOND:03d}+00:00"


def bounds(interval: Interval) -> tuple[str | None, str]:
    """Return begin and end of an interval; the begin is None for the first sample there is."""
    begin = moment(interval.before.at.utc) if interval.before is not None else None
    return begin, moment(interval.after.at.utc)


def source_of(interval: Interval, asked: str = "") -> str:
    """Return the name of what an interval was read from; `asked` is what a command names as its source.

    A recorder writes of its machine that it is this one, which is so there alone.
    """
    source = interval.after.source
    return asked if asked and source == THIS_MACHINE else source


def plain(value: Value) -> int | float | str | None:
    """Return a value as JSON and CSV hold it: None when absent, or when it is no number."""
    if isinstance(value, Absent) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def document(
    sheet: Sheet, screens: Screens, interval: Interval, most: int | None = None, source: str = ""
) -> dict[str, Any]:
    """Return one interval of a screen as the object that is printed as JSON; for `source` see `source_of`."""
    table, rows = sheet.table, sheet.rows[:most]
    columns = _columns(sheet)
    names = [*columns]
    begin, end = bounds(interval)
    data: dict[str, Any] = {
        "screen": sheet.screen.id,
        "title": sheet.screen.title,
        "source": source_of(interval, source),
        "simulated": interval.after.simulated,
        "from": begin,
        "to": end,
        "rows": [
            {"key": table.keys[row], **{name: plain(columns[name][row]) for name in names}} for row in rows
        ],
        "absent": _absences(columns, table.keys, rows),
        "estimated": [
            {"column": name, "rows": [table.keys[row] for row in rows if table.is_estimate(name, row)]}
            for name in names
            if any(table.is_estimate(name, row) for row in rows)
        ],
        "notes": list(table.notes),
    }
    if sheet.screen.layout == "menu":
        menu = screens.find(sheet.screen.command)
        data["items"] = [
            {
                "code": item.code,
                "text": item.text,
                "command": item.command or None,
                **({} if item.command else {"reason": menu.reasons.get(item.code.upper())}),
            }
            for item in import_module("zmon.screen.menu_items").items(menu, screens)
        ]
    if table.summary is not None:
        data["summary"] = {name: plain(value) for name, value in table.summary.cells.items()}
    if table.facts:
        data["facts"] = {name: plain(value) for name, value in table.facts.items()}
        data["absent"] += [
            {"fact": name, "reason": value.reason}
            for name, value in table.facts.items()
            if isinstance(value, Absent)
        ]
    if table.missing is not None:
        data["missing"] = table.missing.reason
    return data


def _columns(sheet: Sheet) -> dict[str, list[Value]]:
    """Return the columns of a screen; what it shows as a clock is a time in full."""
    columns = {column.name: sheet.table.column(column.name) for column in sheet.screen.columns}
    for column in sheet.screen.columns:
        if column.format == "clock":
            values = columns[column.name]
            columns[column.name] = [moment(value) if isinstance(value, int) else value for value in values]
    return columns


def _absences(
    columns: dict[str, list[Value]], keys: Sequence[str], rows: Sequence[int]
) -> list[dict[str, Any]]:
    """Return per column and reason the rows whose value is absent."""
    absences: list[dict[str, Any]] = []
    for name, values in columns.items():
        reasons: dict[str, list[str]] = {}
        for row in rows:
            value = values[row]
            if isinstance(value, Absent):
                reasons.setdefault(value.reason, []).append(keys[row])
        absences += [{"column": name, "reason": reason, "rows": where} for reason, where in reasons.items()]
    return absences


def records(sheet: Sheet, interval: Interval, most: int | None = None) -> Iterator[list[object]]:
    """Yield the rows as CSV holds them: begin and end of the interval, the key, the columns.

    A page has one row, of all its facts.
    """
    begin, end = bounds(interval)
    table = sheet.table
    if sheet.screen.layout == "page":
        yield [begin, end, *map(_field, table.facts.values())]
        return
    columns = _columns(sheet).values()
    for row in sheet.rows[:most]:
        yield [begin, end, _field(table.keys[row]), *(_field(values[row]) for values in columns)]


def _field(value: Value) -> int | float | str | None:
    """Return a value for CSV, which people print on terminals: nothing that those obey."""
    text = plain(value)
    return harmless(text) if isinstance(text, str) else text


def record_names(sheet: Sheet) -> list[str]:
    """Return the names of the fields that `records` yields."""
    if sheet.screen.layout == "page":
        return ["from", "to", *sheet.table.facts]
    return ["from", "to", "key", *(column.name for column in sheet.screen.columns)]
