"""Describes a recording: its times, machine, kinds, size and damage."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, Final

from zmon.base.clock import length
from zmon.cli.output import FAILED, OK, complain, warn
from zmon.cli.result import ResultTable, write_result
from zmon.cli.source_options import other_directory, see_recorded, utc_clock
from zmon.kernel.capture_tree import CaptureError, NoCaptureError
from zmon.recorder.forecast import TOO_FEW, size_words
from zmon.recorder.info import directory_info, recording_info
from zmon.screen.export import moment
from zmon.store.check import find_damage
from zmon.store.day import is_source
from zmon.store.file_format import RecordingError
from zmon.store.reader import Recording
from zmon.trends.rollup_damage import find_rollup_damage

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from zmon.recorder.info import DirectoryInfo, RecordingInfo


MALFORMED: Final = "database disk image is malformed"
SQLITE_OWN: Final = ("*** in database", "Tree ", "Page ", "Freelist", "row ", "wrong # of entries")
"""What SQLite's messages on damaged pages begin with."""


def run(args: argparse.Namespace) -> int:
    """Print the description; returns the exit status."""
    try:
        see_recorded(args.source)
    except RecordingError as error:
        return complain(str(error))
    if os.path.exists(args.source) and not is_source(args.source):
        from zmon.cli.collection_info import run as describe  # noqa: PLC0415 - a recording needs no texts

        try:
            return describe(args)
        except NoCaptureError:
            pass  # what is none of either is said below
        except CaptureError as error:
            if os.path.isdir(args.source):
                return complain(str(error))
    directory = directory_info(args.source) if os.path.isdir(args.source) else None
    files = [recording_info(args.source)] if directory is None else directory.files
    if not files:
        return complain(str(other_directory(args.source)))
    damage = {file.path: _damage(file) for file in files} if args.check else None
    document = _file(files[0], damage) if directory is None else _directory(directory, damage)
    whole = files[0] if directory is None else directory.total
    write_result(args, _table(files), document, _sections(whole, directory, damage))
    for file in files:
        if file.problem:
            complain(f"{file.path}: {file.cause or file.problem}")
        elif file.damage and not args.check:
            check = f"zmon info --check {shlex.quote(file.path)} names all that is damaged"
            warn(f"{file.path}: {file.damage[0]}; {check}")
    is_damaged = any(file.problem or file.damage for file in files)
    bad = is_damaged or any((damage or {}).values())
    return FAILED if bad else OK


def _damage(file: RecordingInfo) -> list[str]:
    """Return the damage of a file, a sentence for each; a file that cannot be opened is not checked."""
    if file.format is None:
        return [file.problem]
    try:
        recording = Recording(file.path)
    except RecordingError as error:
        return [str(error)]
    holes: list[str] = []
    try:
        holes += find_damage(recording)
        holes += find_rollup_damage(recording)
    except RecordingError as error:
        holes.append(str(error))
    finally:
        recording.close()
    return _plainly(holes, file)


def _plainly(holes: Iterable[str], file: RecordingInfo) -> list[str]:
    """Return damage with SQLite's own words once, and what is lost by it in their place."""
    sqlite = [line for line in holes if MALFORMED in line or line.startswith(SQLITE_OWN)]
    rest = [line for line in dict.fromkeys(holes) if line not in sqlite]
    if not sqlite:
        return rest
    lost = sorted(name for name, rows in file.kinds.items() if MALFORMED in rows.missing)
    what = f"lost at least in part: {', '.join(lost)}" if lost else "what is on them is lost"
    return [f"pages of the file are damaged ({MALFORMED}); {what}", *rest]


# output


def _table(files: Iterable[RecordingInfo]) -> ResultTable:
    """Return a row for each file."""
    columns = ("path", "from", "to", "samples", "bytes", "format", "problem")
    rows = (
        [
            file.path,
            _moment(file.begin),
            _moment(file.end),
            _samples(file),
            file.size,
            file.format,
            file.problem,
        ]
        for file in files
    )
    return ResultTable(columns, rows)


def _samples(file: RecordingInfo) -> int | None:
    """Return how many samples a file has; None of one that cannot be read."""
    return None if file.problem and not file.samples else file.samples


def _file(file: RecordingInfo, damage: dict[str, list[str]] | None) -> dict[str, Any]:
    """Return the description of a file; unknown values are null."""
    data: dict[str, Any] = {
        "path": file.path,
        "bytes": file.size,
        "format": file.format,
        "problem": file.problem or None,
        "from": _moment(file.begin),
        "to": _moment(file.end),
        "samples": _samples(file),
        "interval": {"meant": file.nominal or None, "typical": file.typical or None},
        "bytes_per_sample": file.per_sample,
        "bytes_per_day": file.per_day,
        "sources": list(file.sources),
        "simulated": file.simulated,
        "machine": dict(file.machine),
        "kinds": {
            name: {"rows": rows.rows, "columns": rows.columns, "missing": rows.missing or None}
            for name, rows in sorted(file.kinds.items())
        },
        "events": dict(file.events),
        "seconds_without_samples": file.gaps,
        "parts": dict(file.parts),
        "written_by": file.writer or None,
    }
    if damage is not None:
        data["damage"] = damage.get(file.path, [])
    return data


def _directory(directory: DirectoryInfo, damage: dict[str, list[str]] | None) -> dict[str, Any]:
    """Return the description of all files as one, and of each."""
    data = _file(directory.total, None)
    del data["format"]
    return data | {
        "strangers": list(directory.strangers),
        "files": [_file(file, damage) for file in directory.files],
    }


def _moment(ns: int | None) -> str | None:
    return None if ns is None else moment(ns)


def _sections(
    whole: RecordingInfo, directory: DirectoryInfo | None, damage: dict[str, list[str]] | None
) -> Iterator[Iterable[str]]:
    """Yield sections for people: of a file, or of all files of a directory as one and of each."""
    yield [whole.path, *(f"  {name:<14}{value}" for name, value in _lines(whole) if value)]
    if whole.kinds:
        yield [
            f"  {'kind':<14}{'rows':>8}{'columns':>9}",
            *(
                f"  {name:<14}{rows.rows:>8,}{rows.columns:>9,}  {rows.missing}".rstrip()
                for name, rows in sorted(whole.kinds.items())
            ),
        ]
    yield [
        f"  {part:<32}{size:>16,}{100 * size / max(whole.size, 1):>6.1f} %"
        for part, size in sorted(whole.parts.items(), key=lambda pair: -pair[1])
    ]
    if directory is not None:
        lines = [f"  {'file':<18}{'from (UTC)':<21}{'to':<21}{'samples':>9}{'bytes':>15}"]
        for file in directory.files:
            begin, end = (utc_clock(ns) if ns is not None else "-" for ns in (file.begin, file.end))
            name = os.path.basename(file.path)
            samples = _samples(file)
            counted = "-" if samples is None else f"{samples:,}"
            lines.append(f"  {name:<18}{begin:<21}{end:<21}{counted:>9}{file.size:>15,}")
        yield lines
    files = [whole] if directory is None else directory.files
    unread = {file.path: "not checked, because it cannot be read" for file in files if file.problem}
    for path, holes in (damage or {}).items():
        many = "1 thing is damaged" if len(holes) == 1 else f"{len(holes):,} things are damaged"
        state = unread.get(path) or (many if holes else "no damage was found")
        yield [f"{path}: {state}", *(f"  {problem}" for problem in holes)]


def _lines(file: RecordingInfo) -> Iterator[tuple[str, str]]:
    """Yield the facts about a file or about all files, as name and words."""
    machine = file.machine
    yield (
        "machine",
        " ".join(str(machine[name]) for name in ("manufacturer", "type", "model") if name in machine),
    )
    yield "serial", str(machine.get("sequence", ""))
    yield "LPAR", str(machine.get("lpar_name", ""))
    yield "hypervisor", str(machine.get("control_program", ""))
    yield "guest", str(machine.get("guest_name", ""))
    yield "host", str(machine.get("hostname", ""))
    yield "kernel", " ".join(str(machine[name]) for name in ("kernel", "architecture") if name in machine)
    yield "read from", ", ".join(file.sources)
    yield "simulated", "yes: the figures are not of a real machine" if file.simulated else ""
    if file.begin is not None and file.end is not None:
        yield "from", f"{utc_clock(file.begin)} UTC"
        yield "to", f"{utc_clock(file.end)} UTC, {length((file.end - file.begin) / 1e9)} later"
    samples = _samples(file)
    yield "samples", "" if samples is None else f"{samples:,}"
    if file.typical:
        meant = f", {file.nominal:g} s were meant" if file.nominal else ""
        yield "interval", f"{file.typical:.3g} s{meant}"
    if file.samples:
        count = file.events.get("gap", 0)
        yield "gaps", f"{count:,}, {length(file.gaps)} in all" if count else "none"
        yield "restarts", f"{file.events.get('restart', 0):,}"
        other = {what: count for what, count in sorted(file.events.items()) if what not in {"gap", "restart"}}
        yield "events", ", ".join(f"{count:,} {what}" for what, count in other.items())
    yield "bytes", f"{file.size:,}"
    if file.per_sample is not None:
        day = f", {TOO_FEW}" if file.per_day is None else f", {size_words(file.per_day)} a day"
        yield "a sample", f"{file.per_sample:,.0f} bytes{day}"
    yield "format", "" if file.format is None else str(file.format)
    yield "written by", file.writer
