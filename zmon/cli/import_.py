"""Make a recording from a report of sar, a capture, or a simulated machine.

SOURCE is the output of `sadf -j /var/log/sa/saDD -- -A` (`-` for standard input), a capture with several
passes, an archive or a directory, or lab:NAME.  zmon recognises the format by itself.  Use the recording with
--from OUT.

sar records neither channel measurement nor the LCU of a disk, and does not separate reads from writes; what
it did not record is absent, with the reason.  DASD that sadf names by number get their names back; other
disks have the names that sadf prints, in older versions numbers (dev253-0) unless -p is given.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, Final

from zmon.cli.status import OK, complain
from zmon.screen.number import harmless

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from zmon.sample import Sample

SAR: Final = (b"\x96\xd5", b"\xd5\x96")
"""The first bytes of sar's own files: SYSSTAT_MAGIC of sa.h, in either order of bytes."""
BESIDE: Final = ("", "-wal", "-shm", "-journal")
"""What belongs to a recording: the file itself, and what SQLite keeps beside it."""
SEALED: Final = 60
"""Samples that make a segment."""
SOME: Final = 100
"""Samples between two words of progress."""

Note = tuple[int, str]
"""A remark and its time, UTC in ns."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon import`."""
    parser.add_argument(
        "source", metavar="SOURCE", help="a report of sadf -j (- for standard input), a capture, or lab:NAME"
    )
    parser.add_argument("out", metavar="OUT", help="the recording to write: NAME.zmon")
    parser.add_argument("--force", action="store_true", help="overwrite OUT")
    parser.add_argument(
        "--no-rollups",
        action="store_true",
        help="leave out roll-ups: OUT is smaller, and plots of long times take longer",
    )


def run(args: argparse.Namespace) -> int:
    """Write the recording; everything said goes to stderr."""
    if os.path.isdir(args.out):
        return complain(
            f"{args.out} is a directory; name the file to write, as {os.path.join(args.out, 'sar.zmon')}"
        )
    if os.path.exists(args.out):
        if not args.force:
            return complain(f"{args.out} exists already; give another name, or --force to overwrite it")
        if os.path.exists(args.source) and os.path.samefile(args.source, args.out):
            return complain(f"{args.out} is what is to be read; give another name")
    notes: list[Note] = []
    try:
        samples = _read(args.source, lambda utc, text: notes.append((utc, text)))
        first = next(samples, None)
        if first is None:
            return complain(f"{args.source}: there is nothing in it to record; were any activities chosen?")
        return _write(args.out, chain((first,), samples), notes, rollups=not args.no_rollups)
    except ValueError as error:  # CaptureError, SadfError, RecordingError, ScenarioError
        return complain(str(error))


def _read(source: str, note: Callable[[int, str], None]) -> Iterator[Sample]:
    """Say what the source is, and yield its samples.

    Raises:
        ValueError: it is nothing that can be imported; says what it is and what to do.
        OSError: it cannot be read.
    """
    if source == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed")
        return _sar(sys.stdin.buffer, "standard input", note)
    if source.startswith("lab:"):
        return _scenario(source)
    if not os.path.isfile(source):
        return _capture(source)
    with open(source, "rb") as file:
        begin = file.read(64)
    if begin.startswith(SAR):
        raise ValueError(
            f"{source} is sar's own file, in binary; import what `sadf -j {source} -- -A` prints"
        )
    if begin.lstrip().startswith(b"{"):
        return _sar(source, source, note)
    try:
        return _capture(source)
    except ValueError as error:
        raise ValueError(f"{error}  Of sar it is to be what `sadf -j FILE -- -A` prints.") from None


def _sar(source: str | BinaryIO, name: str, note: Callable[[int, str], None]) -> Iterator[Sample]:
    from zmon.store.sadf import read_sadf  # noqa: PLC0415 - --help reads nothing

    _say(f"{name}: a report of sar")
    return read_sadf(source, note, name)


def _capture(source: str) -> Iterator[Sample]:
    from zmon.kernel.capture_open import open_capture  # noqa: PLC0415 - --help reads nothing
    from zmon.kernel.sampler import Choice, sample_once  # noqa: PLC0415 - same
    from zmon.session.told import captured  # noqa: PLC0415 - same

    found = open_capture(source)
    number = len(found.passes)
    _say(f"{source}: a capture, {number} {'passes' if number > 1 else 'pass: no rates follow from it'}")
    for sentence in found.notes:
        _say(f"  {sentence}")
    everything = Choice(more=(captured,))
    return (sample_once(tree, source, everything) for tree in found.passes)


def _scenario(source: str) -> Iterator[Sample]:
    from zmon.session.lab import open_lab  # noqa: PLC0415 - --help simulates nothing

    tape = open_lab(source)
    _say(f"{source}: a scenario of the laboratory; its figures are simulated")
    return iter(tape.next, None)


def _write(path: str, samples: Iterator[Sample], notes: list[Note], *, rollups: bool) -> int:
    """Write all samples and then the notes, as far as they can be read; says what there is."""
    from zmon.store.writer import Writer, close_up  # noqa: PLC0415 - only what can be read is written

    for ending in BESIDE:
        if os.path.lexists(path + ending):
            os.unlink(path + ending)
    status, count, begin, end = OK, 0, 0, 0
    writer = Writer(path, sealed=sys.maxsize, durable=False, rollups=rollups)
    try:
        for sample in samples:
            writer.append(sample)
            begin, end, count = begin or sample.at.utc, sample.at.utc, count + 1
            if count % SEALED == 0:
                writer.seal()
            if count % SOME == 0 and sys.stderr.isatty():
                _say(f"{count:,} samples, until {_utc(end)}")
        for utc, text in notes:
            writer.note(utc, text)
    except ValueError as error:
        status = complain(str(error))
    finally:
        writer.close()
    close_up(path)
    samples_ = "1 sample" if count == 1 else f"{count:,} samples"
    _say(f"{path}: {samples_}, {_utc(begin)} to {_utc(end)} UTC, {os.path.getsize(path):,} bytes")
    return status


def _utc(ns: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(ns // 1_000_000_000))


def _say(line: str) -> None:
    print(harmless(line), file=sys.stderr, flush=True)
