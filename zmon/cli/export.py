"""Write the raw counters of a recording: zmon export FILE --kind cmf --key 7000 > cmf.csv.

One row for each thing and reading.  Sources that are read less often than samples are taken have fewer rows.
Counters start at arbitrary values; only differences have a meaning.  For rates and times use zmon show.

CSV holds one kind of thing, with units in the heading.  JSON lines hold any number; a line before the first
row of each kind describes it.  Times are UTC.  Absent values are empty, or null; --reasons adds the reasons.
The exit status is 1 if a part of the recording is damaged.

--rollups writes the figures of screens for each minute or quarter of an hour instead: mean, lowest, highest,
number of intervals: zmon export FILE --rollups minutes --kind device.
"""

from __future__ import annotations

import sys
from contextlib import closing
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cli.csv_output import CsvWriter, add_csv_safe_argument
from zmon.cli.status import FAILED, OK, USAGE, complain
from zmon.cli.stretch import add_stretch_arguments, clock, open_stretch, refused
from zmon.screen.number import harmless

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from zmon.absent import Value
    from zmon.sample import Field, Frame, Kind, Sample
    from zmon.session.stretch import Stretch

SOME: Final = 1000
"""Samples between two words of progress."""

OWN: Final = ("sample", "read_at", "key")
"""Columns in front of the fields: when the sample was taken, when the row was read, and of what it is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon export`."""
    add_stretch_arguments(parser)
    parser.add_argument(
        "-k", "--kind", action="append", default=[], metavar="KINDS", help="only these kinds: cmf,block"
    )
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="KEYS",
        help="only these things: 7000,0.0.7001,dasda",
    )
    parser.add_argument(
        "--fields", action="append", default=[], metavar="FIELDS", help="only these fields: ssch,connect"
    )
    parser.add_argument("-f", "--format", choices=("csv", "jsonl"), default="csv")
    add_csv_safe_argument(parser)
    parser.add_argument(
        "--rollups", choices=("minutes", "quarters"), help="figures of screens instead of counters"
    )
    parser.add_argument("--reasons", action="store_true", help="add the reasons of absent values")


class Wanted(NamedTuple):
    """What is to be written."""

    kinds: Sequence[str]
    keys: frozenset[str]
    """In lower case; all if there are none."""
    fields: Sequence[str]
    """All if there are none."""
    reasons: bool

    def rows(self, frame: Frame) -> Sequence[int]:
        """Return the rows of a frame that are wanted."""
        if not self.keys:
            return range(len(frame.keys))
        return [row for row, key in enumerate(frame.keys) if self.names(key)]

    def names(self, key: str) -> bool:
        """Tell whether a thing is wanted; a bus id goes by its device number, too."""
        name = key.lower()
        return not self.keys or name in self.keys or name.rpartition(".")[2] in self.keys

    def columns(self, kind: Kind) -> list[Field]:
        """Return the fields of a kind that are wanted."""
        return (
            [kind.by_name[name] for name in self.fields if name in kind.by_name]
            if self.fields
            else [*kind.fields]
        )


class Asked(ValueError):  # noqa: N818 - it says what is wrong with what was asked
    """What was asked for is not in the recording."""


def run(args: argparse.Namespace) -> int:
    """Write the rows; returns the exit status."""
    if sys.stdout is None:
        return complain("standard output is closed")
    try:
        with closing(open_stretch(args)) as stretch:
            if args.rollups:
                from zmon.cli.rolled import export_rollups  # noqa: PLC0415 - it needs this module

                return export_rollups(stretch, args)
            wanted = _wanted(stretch, args)
            lines = partial(_csv, safe=args.csv_safe) if args.format == "csv" else _jsonl
            return _export(stretch, wanted, lines)
    except Asked as error:
        complain(str(error))
        return USAGE
    except ValueError as error:  # RecordingError, WhenError
        return refused(error)


def words(lists: Sequence[str]) -> list[str]:
    """Return the words of an option that may be given more than once, with commas."""
    return [word for given in lists for word in given.replace(",", " ").split()]


def _wanted(stretch: Stretch, args: argparse.Namespace) -> Wanted:
    """Return what is wanted.

    Raises:
        Asked: there is no such kind, none has such a field, or CSV cannot hold it.
    """
    there = stretch.kinds
    kinds = list(dict.fromkeys(words(args.kind))) or there
    for kind in kinds:
        if kind not in there:
            raise Asked(f"there is no kind {kind!r} in it; there are {', '.join(there)}")
    if args.format == "csv" and len(kinds) != 1:
        raise Asked(f"CSV has one heading: take one --kind of {', '.join(kinds)}, or --format jsonl")
    fields = list(dict.fromkeys(words(args.fields)))
    if fields:
        known = {name: None for kind in kinds for name in _fields(stretch, kind)}
        for field in fields:
            if field not in known:
                raise Asked(f"there is no field {field!r}; there are {', '.join(known)}")
    return Wanted(kinds, frozenset(key.lower() for key in words(args.key)), fields, args.reasons)


def _fields(stretch: Stretch, kind: str) -> list[str]:
    """Return the names of a kind's fields, as the first sample has them that holds it."""
    for sample in stretch.samples([kind]):
        frame = sample.frames.get(kind)
        if frame is not None:
            return [field.name for field in frame.kind.fields]
    return []


def _export(
    stretch: Stretch, wanted: Wanted, form: Callable[[Iterator[Reading], Wanted], Iterator[str]]
) -> int:
    """Write all rows, and say what there was not."""
    found = False
    for line in form(_readings(stretch, wanted), wanted):
        found = True
        sys.stdout.write(line)
    sys.stdout.flush()
    for problem in stretch.problems():
        complain(f"left out: {problem}")
    if stretch.unread:
        complain(f"left out: {stretch.unread:,} samples whose times cannot be read")
    damage = stretch.damage()
    if damage:
        complain(damage)
    if not found:
        return complain("there was nothing of that kind or name in that time")
    return FAILED if stretch.problems() or stretch.unread or damage else OK


class Reading(NamedTuple):
    """One reading of a kind, and which of its rows are wanted."""

    sample: Sample
    frame: Frame
    rows: Sequence[int]

    def times(self, row: int) -> tuple[str, str]:
        """Return when the sample was taken, and when the row was read."""
        at = self.sample.at
        return moment(at.utc), moment(at.utc - at.steady + self.frame.times[row])


def _readings(stretch: Stretch, wanted: Wanted) -> Iterator[Reading]:
    """Yield each reading once, and only those that have wanted rows or say why there are none."""
    last: dict[str, Frame] = {}
    telling = sys.stderr.isatty() and not sys.stdout.isatty()
    for number, sample in enumerate(stretch.samples(wanted.kinds), 1):
        for kind in wanted.kinds:
            frame = sample.frames.get(kind)
            if frame is not None and frame is not last.get(kind):
                last[kind] = frame
                rows = wanted.rows(frame)
                if rows or (frame.missing is not None and wanted.reasons):
                    yield Reading(sample, frame, rows)
        if telling and number % SOME == 0:
            print(f"{number:,} samples, until {clock(sample.at.utc)}", file=sys.stderr, flush=True)


@lru_cache(maxsize=256)  # many rows are read at once
def moment(ns: int) -> str:
    """Write an instant of UTC in full, as ISO 8601 does."""
    import time  # noqa: PLC0415 - --help needs none

    seconds, part = divmod(ns, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{part:09d}Z"


def heading(field: Field) -> str:
    """Return the name of a field with its unit."""
    return f"{field.name} [{field.unit}]" if field.unit else field.name


def _csv(readings: Iterator[Reading], wanted: Wanted, *, safe: bool) -> Iterator[str]:
    """Yield lines of CSV; the heading is that of the first reading."""
    import io  # noqa: PLC0415 - the other format needs none

    from zmon.absent import Absent  # noqa: PLC0415 - --help needs none
    from zmon.screen.export import plain  # noqa: PLC0415 - same

    buffer = io.StringIO()
    writer = CsvWriter(buffer, safe=safe)

    def line(cells: Sequence[object]) -> None:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])

    fields: list[Field] = []
    for reading in readings:
        if not fields:
            fields = wanted.columns(reading.frame.kind)
            line([*OWN, *map(heading, fields), *(["absent"] if wanted.reasons else [])])
        columns = _columns(reading.frame, fields)
        for row in reading.rows:
            values = [column[row] for column in columns]
            cells: list[object] = [*reading.times(row), reading.frame.keys[row], *map(plain, values)]
            if wanted.reasons:
                absences = (
                    f"{field.name}: {value.reason}"
                    for field, value in zip(fields, values, strict=True)
                    if isinstance(value, Absent)
                )
                cells.append("; ".join(absences))
            line(cells)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _columns(frame: Frame, fields: Sequence[Field]) -> list[list[Value]]:
    """Return the columns of fields, also of those that a later zmon added."""
    from zmon.absent import absent  # noqa: PLC0415 - --help needs none

    unknown: list[Value] = [absent("this field was not known then")] * len(frame.keys)
    return [frame.column(one.name) if one.name in frame.kind.by_name else unknown for one in fields]


def _jsonl(readings: Iterator[Reading], wanted: Wanted) -> Iterator[str]:
    """Yield JSON objects, each on its line; before the first row of a kind one that describes it."""
    import json  # noqa: PLC0415 - the other format needs none

    from zmon.absent import Absent  # noqa: PLC0415 - --help needs none
    from zmon.screen.export import plain  # noqa: PLC0415 - same

    told: dict[str, Kind] = {}
    for reading in readings:
        frame, kind = reading.frame, reading.frame.kind
        fields = wanted.columns(kind)
        if told.get(kind.name) is not kind:
            told[kind.name] = kind
            described = {f.name: {"meaning": f.meaning.value, "unit": f.unit or None} for f in fields}
            yield json.dumps({"describes": kind.name, "key": kind.key, "fields": described}) + "\n"
        if frame.missing is not None and wanted.reasons:
            missing = {
                "sample": moment(reading.sample.at.utc),
                "kind": kind.name,
                "missing": frame.missing.reason,
            }
            yield json.dumps(missing) + "\n"
        columns = _columns(frame, fields)
        names = [field.name for field in fields]
        for row in reading.rows:
            sampled, read = reading.times(row)
            values = [column[row] for column in columns]
            found: dict[str, object] = {
                "sample": sampled,
                "read_at": read,
                "kind": kind.name,
                "key": frame.keys[row],
            }
            found |= zip(names, map(plain, values), strict=True)
            if wanted.reasons:
                found["absent"] = {
                    name: value.reason
                    for name, value in zip(names, values, strict=True)
                    if isinstance(value, Absent)
                }
            yield json.dumps(found) + "\n"
