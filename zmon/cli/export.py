"""Writes the raw counters of a recording, or its roll-ups, as CSV or JSON lines."""

from __future__ import annotations

import io
import json
import sys
import time
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.cli.output import FAILED, OK, CsvWriter, complain, misused, say
from zmon.cli.source_options import left_out, open_excerpt, refused, utc_clock
from zmon.plain_text import harmless
from zmon.screen.export import plain
from zmon.trends.trend import RollupFile, headings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.absent import Value
    from zmon.sample import Field, Frame, Kind, Sample
    from zmon.session.recording import Excerpt

PROGRESS_SAMPLES: Final = 1000
"""Samples between two messages about the progress."""
OWN_COLUMNS: Final = ("sample", "read_at", "key")
"""Columns in front of the fields: when the sample was taken, when the row was read, and of what it is."""
NO_ROWS: Final = "there was nothing of that kind or name in that time"


class Selection(NamedTuple):
    """The kinds, keys and fields that are written."""

    kinds: Sequence[str]
    keys: frozenset[str]
    """In lower case; all if there are none."""
    fields: Sequence[str]
    """All if there are none."""
    reasons: bool
    """Whether absent values are written with their reasons."""

    def rows(self, frame: Frame) -> Sequence[int]:
        """Return the rows of a frame that are written."""
        return [row for row, key in enumerate(frame.keys) if is_wanted(key, self.keys)]

    def columns(self, kind: Kind) -> list[Field]:
        """Return the fields of a kind that are written."""
        if not self.fields:
            return [*kind.fields]
        return [kind.by_name[name] for name in self.fields if name in kind.by_name]


class SelectionError(ValueError):
    """A kind, field or format that was asked for is not in the recording."""


def run(args: argparse.Namespace) -> int:
    """Write the rows; returns the exit status."""
    try:
        with closing(open_excerpt(args)) as excerpt:
            return _export_rollups(excerpt, args) if args.rollups else _export(excerpt, args)
    except SelectionError as error:
        return misused(str(error))
    except ValueError as error:  # RecordingError, WhenError
        return refused(error)


def _words(lists: Sequence[str]) -> list[str]:
    """Return the words of an option that may be repeated, and have commas, each once."""
    return list(dict.fromkeys(word for given in lists for word in given.replace(",", " ").split()))


def _keys(args: argparse.Namespace) -> frozenset[str]:
    return frozenset(key.lower() for key in _words(args.key))


def is_wanted(key: str, keys: frozenset[str]) -> bool:
    """Tell whether a key is among those wanted, all if there are none; the number of a bus id is enough."""
    name = key.lower()
    return not keys or name in keys or name.rpartition(".")[2] in keys


def _check(words: Iterable[str], known: Sequence[str], what: str) -> None:
    """See that words are known.

    Raises:
        SelectionError: one is not.
    """
    for word in words:
        if word not in known:
            raise SelectionError(f"{what.format(word)}; there are {', '.join(known)}")


def _check_csv(args: argparse.Namespace, kinds: Sequence[str]) -> None:
    """See that CSV can hold the kinds.

    Raises:
        SelectionError: it cannot.
    """
    if args.format == "csv" and len(kinds) != 1:
        raise SelectionError(f"CSV has one heading: take one --kind of {', '.join(kinds)}, or --format jsonl")


# counters


def _export(excerpt: Excerpt, args: argparse.Namespace) -> int:
    """Write the rows of counters, and what could not be read.

    Raises:
        SelectionError: there is no such kind, none has such a field, or CSV cannot hold it.
    """
    there = excerpt.kinds
    kinds = _words(args.kind) or there
    _check(kinds, there, "there is no kind {!r} in it")
    _check_csv(args, kinds)
    fields = _words(args.fields)
    if fields:
        known = list(dict.fromkeys(name for kind in kinds for name in _fields(excerpt, kind)))
        _check(fields, known, "there is no field {!r}")
    selection = Selection(kinds, _keys(args), fields, args.reasons)
    readings = _readings(excerpt, selection)
    found = False
    for line in (
        _csv(readings, selection, safe=args.csv_safe) if args.format == "csv" else _jsonl(readings, selection)
    ):
        found = True
        sys.stdout.write(line)
    sys.stdout.flush()
    missing = left_out(excerpt)
    for line in missing:
        complain(line)
    if not found:
        return complain(NO_ROWS)
    return FAILED if missing else OK


def _fields(excerpt: Excerpt, kind: str) -> list[str]:
    """Return the names of a kind's fields, as the first sample has them that holds it."""
    for sample in excerpt.chosen([kind]):
        frame = sample.frames.get(kind)
        if frame is not None:
            return [field.name for field in frame.kind.fields]
    return []


class Reading(NamedTuple):
    """One reading of a kind, and which of its rows are selection."""

    sample: Sample
    frame: Frame
    rows: Sequence[int]

    def times(self, row: int) -> tuple[str, str]:
        """Return when the sample was taken, and when the row was read."""
        at = self.sample.at
        return moment(at.utc), moment(at.utc - at.steady + self.frame.times[row])


def _readings(excerpt: Excerpt, selection: Selection) -> Iterator[Reading]:
    """Yield each reading once, if it has rows to write or says why there are none."""
    last: dict[str, Frame] = {}
    terminal = sys.stderr.isatty() and not sys.stdout.isatty()
    for number, sample in enumerate(excerpt.chosen(selection.kinds), 1):
        for kind in selection.kinds:
            frame = sample.frames.get(kind)
            if frame is not None and frame is not last.get(kind):
                last[kind] = frame
                rows = selection.rows(frame)
                if rows or (frame.missing is not None and selection.reasons):
                    yield Reading(sample, frame, rows)
        if terminal and number % PROGRESS_SAMPLES == 0:
            say(f"{number:,} samples, until {utc_clock(sample.at.utc)}")


@lru_cache(maxsize=256)  # many rows are read at once
def moment(ns: int) -> str:
    """Write an instant of UTC in full, as ISO 8601 does."""
    seconds, part = divmod(ns, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{part:09d}Z"


def heading(field: Field) -> str:
    """Return the name of a field with its unit."""
    return f"{field.name} [{field.unit}]" if field.unit else field.name


def _csv(readings: Iterator[Reading], selection: Selection, *, safe: bool) -> Iterator[str]:
    """Yield lines of CSV; the heading is that of the first reading."""
    buffer = io.StringIO()
    writer = CsvWriter(buffer, safe=safe)

    def line(cells: Sequence[object]) -> None:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])

    fields: list[Field] = []
    for reading in readings:
        if not fields:
            fields = selection.columns(reading.frame.kind)
            line([*OWN_COLUMNS, *map(heading, fields), *(["absent"] if selection.reasons else [])])
        columns = _columns(reading.frame, fields)
        for row in reading.rows:
            values = [column[row] for column in columns]
            cells: list[object] = [*reading.times(row), reading.frame.keys[row], *map(plain, values)]
            if selection.reasons:
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
    unknown: list[Value] = [absent("this field was not known then")] * len(frame.keys)
    return [frame.column(one.name) if one.name in frame.kind.by_name else unknown for one in fields]


def _jsonl(readings: Iterator[Reading], selection: Selection) -> Iterator[str]:
    """Yield JSON objects, each on its line; before the first row of a kind one that describes it."""
    described_kinds: dict[str, Kind] = {}
    for reading in readings:
        frame, kind = reading.frame, reading.frame.kind
        fields = selection.columns(kind)
        if described_kinds.get(kind.name) is not kind:
            described_kinds[kind.name] = kind
            described = {f.name: {"meaning": f.meaning.value, "unit": f.unit or None} for f in fields}
            yield json.dumps({"describes": kind.name, "key": kind.key, "fields": described}) + "\n"
        if frame.missing is not None and selection.reasons:
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
            if selection.reasons:
                found["absent"] = {
                    name: value.reason
                    for name, value in zip(names, values, strict=True)
                    if isinstance(value, Absent)
                }
            yield json.dumps(found) + "\n"


# roll-ups


def _export_rollups(excerpt: Excerpt, args: argparse.Namespace) -> int:
    """Write the roll-ups of the files; returns the exit status.

    Raises:
        SelectionError: what was asked for was not rolled up, or CSV cannot hold it.
    """
    there = _figures(excerpt, args.rollups)
    if not there:
        if any(section.recording and section.recording.has_rollups for section in excerpt.sections):
            return complain("nothing was rolled up in that time")
        return complain("the recording has no roll-ups: it was made with --no-rollups, or by an older zmon")
    screens = list(dict.fromkeys(word.lower() for word in _words(args.kind)))
    _check(screens, list(there), "nothing was rolled up of {!r}")
    chosen = {screen: there[screen] for screen in screens or there}
    _check_csv(args, list(chosen))
    fields = _words(args.fields)
    known = list(dict.fromkeys(figure for figures in chosen.values() for figure in figures))
    _check(fields, known, "there is no figure {!r}")
    if fields:
        chosen = {screen: [name for name in fields if name in chosen[screen]] for screen in chosen}
    return _write_rollups(excerpt, args, chosen)


def _figures(excerpt: Excerpt, length: str) -> dict[str, list[str]]:
    """Return the figures of each screen, of all files together."""
    found: dict[str, dict[str, None]] = {}
    for path in excerpt.paths():
        with closing(RollupFile(path, length)) as rollups:
            for screen in rollups.screens():
                found.setdefault(screen, {}).update(dict.fromkeys(rollups.figures(screen)))
    return {screen: [*figures] for screen, figures in found.items() if figures}


def _write_rollups(excerpt: Excerpt, args: argparse.Namespace, chosen: dict[str, list[str]]) -> int:
    keys = _keys(args)
    writer = CsvWriter(sys.stdout, safe=args.csv_safe)
    count = 0
    for screen, figures in chosen.items():
        names = headings(figures)
        if args.format == "csv":
            writer.writerow(["begin", "thing", "label", *names])
        for path in excerpt.paths():
            with closing(RollupFile(path, args.rollups)) as rollups:
                if not set(figures) <= set(rollups.figures(screen)):
                    complain(f"left out: {path} has rolled up other figures of {screen}")
                    continue
                for row in rollups.rows(screen, figures, excerpt.begin, excerpt.end):
                    if not is_wanted(row.thing, keys):
                        continue
                    count += 1
                    begin = moment(row.begin)
                    if args.format == "csv":
                        writer.writerow([begin, harmless(row.thing), harmless(row.label), *row.figures])
                    else:
                        found = {"begin": begin, "screen": screen, "thing": row.thing, "label": row.label}
                        print(json.dumps(found | dict(zip(names, row.figures, strict=True))))
    sys.stdout.flush()
    return OK if count else complain(NO_ROWS)
