"""Writes the raw counters of a recording, or its roll-ups, as CSV or JSON lines."""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.clock import MINUTE, SECOND
from zmon.base.plain_text import harmless
from zmon.cli.output import FAILED, OK, CsvWriter, complain, misused, say, warn
from zmon.cli.source_options import left_out, open_excerpt, refused, utc_clock
from zmon.screen.export import plain
from zmon.trends.trend import Rollups, headings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.absent import Value
    from zmon.sample import Field, Frame, Kind, Sample
    from zmon.session.recording import Excerpt

PROGRESS_SAMPLES: Final = 1000
"""Samples between two messages about the progress."""
OWN_COLUMNS: Final = ("sample", "read_at", "kind", "key")
"""Columns in front of the fields: when the sample was taken, when the row was read, and of what it is."""
ROLLUP_COLUMNS: Final = ("begin", "screen", "thing", "label")
"""The same of roll-ups."""
NAMES: Final = {"kind", "screen"}
"""Columns that CSV has not, because all of its rows have the same."""
NO_ROWS: Final = "there was nothing of that kind or name in that time"


class RowBlock(NamedTuple):
    """Rows with the same columns: of a kind in one sample, or of a screen in one file."""

    own: tuple[str, ...]
    """Names of the columns in front of the values."""
    names: Sequence[str]
    """Names of the values."""
    headings: Sequence[str]
    """The same with their units."""
    rows: Iterable[tuple[tuple[str, ...], Sequence[Any]]]
    """Cells of the own columns, and values."""
    about: Sequence[dict[str, object]] = ()
    """What JSON has in front of the rows."""


class SelectionError(ValueError):
    """A kind, field or format that was asked for is not in the recording."""


def run(args: argparse.Namespace) -> int:
    """Write the rows; returns the exit status."""
    wrong = _contradiction(args)
    if wrong:
        return misused(wrong)
    try:
        with closing(open_excerpt(args)) as excerpt:
            if args.format == "openmetrics":
                return _metrics(excerpt, args)
            written = _write(_rollups(excerpt, args) if args.rollups else _counters(excerpt, args), args)
            missing = left_out(excerpt)
    except SelectionError as error:
        return misused(str(error))
    except ValueError as error:  # RecordingError, WhenError
        return refused(error)
    for line in missing:
        warn(line)
    if not written:
        return complain(NO_ROWS)
    return FAILED if missing else OK


def _words(lists: Sequence[str]) -> list[str]:
    """Return the words of an option that may be repeated, and have commas, each once."""
    return list(dict.fromkeys(word for given in lists for word in given.replace(",", " ").split()))


def _wanted_keys(args: argparse.Namespace) -> Callable[[str], bool]:
    """Return whether a key is among those wanted, all if there are none; the number of a bus id is enough."""
    keys = frozenset(key.lower() for key in _words(args.key))
    return lambda key: not keys or not keys.isdisjoint((name := key.lower(), name.rpartition(".")[2]))


def _check(names: Iterable[str], allowed: Sequence[str], what: str) -> None:
    """See that words are known.

    Raises:
        SelectionError: one is not.
    """
    for word in names:
        if word not in allowed:
            raise SelectionError(f"{what.format(word)}; there are {', '.join(allowed)}")


def _check_csv(args: argparse.Namespace, kinds: Sequence[str]) -> None:
    """See that CSV can hold the kinds.

    Raises:
        SelectionError: it cannot.
    """
    if args.format == "csv" and len(kinds) != 1:
        raise SelectionError(f"CSV has one heading: take one --kind of {', '.join(kinds)}, or --format jsonl")


@lru_cache(maxsize=256)  # many rows are read at once
def moment(ns: int) -> str:
    """Write an instant of UTC in full, as ISO 8601 does."""
    seconds, part = divmod(ns, SECOND)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{part:09d}Z"


def _contradiction(args: argparse.Namespace) -> str:
    """Return which options do not belong together; empty if all do."""
    other = {"kind": args.kind, "key": args.key, "fields": args.fields, "rollups": args.rollups,
             "reasons": args.reasons}  # fmt: skip
    own = {"step": args.step, "label": args.label, "devices": args.devices}
    is_metrics = args.format == "openmetrics"
    given = [name for name, value in (other if is_metrics else own).items() if value]
    if not given:
        return _wrong_label([name for name, _ in args.label or ()])
    return f"--{given[0]} {'does not belong to' if is_metrics else 'belongs to'} --format openmetrics"


def _wrong_label(names: Sequence[str]) -> str:
    """Return which label would stand twice in a series; empty if none would."""
    from zmon.exposition.metric import OWN_LABELS  # noqa: PLC0415 - other formats need none

    for at, name in enumerate(names):
        if name in OWN_LABELS or name.startswith("__"):
            return f"--label {name}: zmon gives this label itself; take another name"
        if name in names[:at]:
            return f"--label {name}: is given twice"
    return ""


def _metrics(excerpt: Excerpt, args: argparse.Namespace) -> int:
    """Write metrics with their times; returns the exit status."""
    from zmon.exposition.backfill import history_text  # noqa: PLC0415 - other formats need none

    any_written = False
    recordings = [section.recording for section in excerpt.sections if section.recording is not None]
    samples, step = excerpt.chosen(), args.step or MINUTE
    for part in history_text(samples, recordings, step, args.label, devices=args.devices):
        any_written = True
        sys.stdout.write(part)
    sys.stdout.flush()
    missing = left_out(excerpt)
    for line in missing:
        warn(line)
    if not any_written:
        return complain("there are not two samples in that time")
    return FAILED if missing else OK


# writers


def _write(blocks: Iterable[RowBlock], args: argparse.Namespace) -> bool:
    """Write rows as CSV with the heading of the first ones, or as JSON lines; tell whether there are any."""
    csv = CsvWriter(sys.stdout, safe=args.csv_safe) if args.format == "csv" else None
    written, is_first = False, True
    for block in blocks:
        at = next(place for place, name in enumerate(block.own) if name in NAMES)
        if csv is not None and is_first:
            own = block.own[:at] + block.own[at + 1 :]
            csv.writerow([*own, *block.headings, *(["absent"] if args.reasons else [])])
        elif csv is None:
            sys.stdout.writelines(f"{json.dumps(line)}\n" for line in block.about)
        written, is_first = written or bool(block.about), False
        for own, values in block.rows:
            written = True
            cells = [None if value.__class__ is Absent else plain(value) for value in values]
            reasons = _reasons(block.names, values) if args.reasons else {}
            if csv is not None:
                row = [*own[:at], *own[at + 1 :], *cells]
                row += ["; ".join(map(": ".join, reasons.items()))] if args.reasons else []
                csv.writerow([harmless(cell) if cell.__class__ is str else cell for cell in row])
            else:
                line: dict[str, object] = dict(zip(block.own, own, strict=True))
                line.update(zip(block.names, cells, strict=True))
                if args.reasons:
                    line["absent"] = reasons
                sys.stdout.write(f"{json.dumps(line)}\n")
    sys.stdout.flush()
    return written


def _reasons(names: Sequence[str], values: Sequence[Value]) -> dict[str, str]:
    return {n: value.reason for n, value in zip(names, values, strict=True) if isinstance(value, Absent)}


# counters


def _counters(excerpt: Excerpt, args: argparse.Namespace) -> Iterator[RowBlock]:
    """Return the rows of counters.

    Raises:
        SelectionError: there is no such kind, none has such a field, or CSV cannot hold it.
    """
    kinds = _words(args.kind) or excerpt.kinds
    _check(kinds, excerpt.kinds, "there is no kind {!r} in it")
    _check_csv(args, kinds)
    fields = _words(args.fields)
    if fields:
        names = list(dict.fromkeys(name for kind in kinds for name in _fields(excerpt, kind)))
        _check(fields, names, "there is no field {!r}")
    return _readings(excerpt, args, kinds, fields)


def _fields(excerpt: Excerpt, kind: str) -> list[str]:
    """Return the names of a kind's fields, as the first sample has them that holds it."""
    frames = (sample.frames.get(kind) for sample in excerpt.chosen([kind]))
    first = next(filter(None, frames), None)
    return [] if first is None else [field.name for field in first.kind.fields]


def _readings(
    excerpt: Excerpt, args: argparse.Namespace, kinds: Sequence[str], names: Sequence[str]
) -> Iterator[RowBlock]:
    """Yield each reading once, if it has rows to write or says why there are none.

    `names` are those of the wanted fields, all if there are none.
    """
    last: dict[str, Frame] = {}
    described: dict[str, Kind] = {}
    fields: dict[str, list[Field]] = {}
    is_wanted = _wanted_keys(args)
    terminal = sys.stderr.isatty() and not sys.stdout.isatty()
    for number, sample in enumerate(excerpt.chosen(kinds), 1):
        for name, frame in ((name, sample.frames.get(name)) for name in kinds):
            if frame is None or frame is last.get(name):
                continue
            last[name] = frame
            rows = [row for row, key in enumerate(frame.keys) if is_wanted(key)]
            missing = frame.missing if args.reasons else None
            if not rows and missing is None:
                continue
            about: list[dict[str, object]] = []
            if described.get(name) is not frame.kind and not (args.format == "csv" and described):
                kind = described[name] = frame.kind
                by_name = kind.by_name
                fields[name] = (
                    [by_name[name] for name in names if name in by_name] if names else [*kind.fields]
                )
                units = {f.name: {"meaning": f.meaning.value, "unit": f.unit or None} for f in fields[name]}
                about.append({"describes": name, "key": kind.key, "fields": units})
            if missing is not None:
                at = moment(sample.at.utc)
                about.append({"sample": at, "kind": name, "missing": missing.reason})
            yield RowBlock(
                OWN_COLUMNS,
                [field.name for field in fields[name]],
                [f"{field.name} [{field.unit}]" if field.unit else field.name for field in fields[name]],
                _rows(sample, frame, rows, fields[name]),
                about,
            )
        if terminal and number % PROGRESS_SAMPLES == 0:
            say(f"{number:,} samples, until {utc_clock(sample.at.utc)}")


def _rows(
    sample: Sample, frame: Frame, rows: Sequence[int], fields: Sequence[Field]
) -> Iterator[tuple[tuple[str, ...], list[Value]]]:
    """Yield rows of a frame; fields that a later zmon added are absent."""
    unknown: list[Value] = [absent("this field was not known then")] * len(frame.keys)
    columns = [frame.column(field.name) if field.name in frame.kind.by_name else unknown for field in fields]
    taken, offset = moment(sample.at.utc), sample.at.utc - sample.at.steady
    for row in rows:
        own = (taken, moment(offset + frame.times[row]), frame.kind.name, frame.keys[row])
        yield own, [column[row] for column in columns]


# roll-ups


def _rollups(excerpt: Excerpt, args: argparse.Namespace) -> Iterator[RowBlock]:
    """Return the roll-ups of the files.

    Raises:
        SelectionError: what was asked for was not rolled up, or CSV cannot hold it.
        ValueError: there are none.
    """
    there = _figures(excerpt, args.rollups)
    if not there:
        if any(section.recording and section.recording.has_rollups for section in excerpt.sections):
            raise ValueError("nothing was rolled up in that time")
        raise ValueError("the recording has no roll-ups: it was made with --no-rollups, or by an older zmon")
    screens = list(dict.fromkeys(word.lower() for word in _words(args.kind)))
    _check(screens, list(there), "nothing was rolled up of {!r}")
    chosen = {screen: there[screen] for screen in screens or there}
    _check_csv(args, list(chosen))
    fields = _words(args.fields)
    names = list(dict.fromkeys(figure for figures in chosen.values() for figure in figures))
    _check(fields, names, "there is no figure {!r}")
    if fields:
        chosen = {screen: [name for name in fields if name in chosen[screen]] for screen in chosen}
    return _of_files(excerpt, args, chosen)


def _figures(excerpt: Excerpt, length: str) -> dict[str, list[str]]:
    """Return the figures of each screen, of all files together."""
    kept: dict[str, dict[str, None]] = {}
    for recording in excerpt.recordings_inside():
        rollups = Rollups(recording, length)
        for screen in rollups.screens():
            kept.setdefault(screen, {}).update(dict.fromkeys(rollups.figures(screen)))
    return {screen: [*figures] for screen, figures in kept.items() if figures}


def _of_files(excerpt: Excerpt, args: argparse.Namespace, chosen: dict[str, list[str]]) -> Iterator[RowBlock]:
    is_wanted = _wanted_keys(args)
    for screen, recording in product(chosen, excerpt.recordings_inside()):
        rollups = Rollups(recording, args.rollups)
        names = headings(chosen[screen])
        rows: Iterable[tuple[tuple[str, ...], Sequence[Any]]] = ()
        if set(chosen[screen]) <= set(rollups.figures(screen)):
            rows = (
                ((moment(row.begin), screen, row.thing, row.label), row.figures)
                for row in rollups.rows(screen, chosen[screen], excerpt.begin, excerpt.end)
                if is_wanted(row.thing)
            )
        else:
            warn(f"left out: {recording.path} has rolled up other figures of {screen}")
        yield RowBlock(ROLLUP_COLUMNS, names, names, rows)
