"""Makes a recording from a report of sar, a capture or a simulated machine."""

from __future__ import annotations

import os
import sys
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, Final

from zmon.cli.cut import check_apart, check_output, remove, say_copied, say_written
from zmon.cli.output import OK, complain, say
from zmon.cli.source_options import damaged_recording, is_simulated
from zmon.collected.collection import sample_of_pass
from zmon.collected.text_reader import open_capture
from zmon.session.machines import open_lab
from zmon.store.file_format import is_recording
from zmon.store.sadf import read_sadf
from zmon.store.sadf_report import MAX_BEFORE, is_report
from zmon.store.sample_copy import SampleCopy
from zmon.store.writer import Writer, close_up
from zmon.trends.exception_rows import ExceptionCompanion
from zmon.trends.rollup import TrendWriter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from zmon.sample import Sample

SAR_MAGIC: Final = (b"\x96\xd5", b"\xd5\x96")
"""The first bytes of sar's own files: SYSSTAT_MAGIC of sa.h, in either order of bytes."""

Note = tuple[int, str]
"""A remark and its time, UTC in ns."""


def run(args: argparse.Namespace) -> int:
    """Write the recording; all messages go to standard error."""
    notes: list[Note] = []
    try:
        check_output(args, "sar.zmon")
        check_apart(args.source, args.out)
        samples = _read(args.source, lambda utc, text: notes.append((utc, text)))
        first = next(samples, None)
        if first is None:
            return complain(f"{args.source}: there is nothing in it to record; were any activities chosen?")
        return _write(args.out, chain((first,), samples), notes, rollups=not args.no_rollups)
    except ValueError as error:  # CaptureError, SadfError, RecordingError, ScenarioError
        return complain(str(error))


def _read(source: str, note: Callable[[int, str], None]) -> Iterator[Sample]:
    """Print what the source is, and yield its samples.

    Raises:
        ValueError: it is nothing that can be imported; says what it is and what to do.
        OSError: it cannot be read.
    """
    if source == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed")
        return _sar(sys.stdin.buffer, "standard input", note)
    if is_simulated(source):
        return _scenario(source)
    if not os.path.isfile(source):
        return _capture(source)
    with open(source, "rb") as file:
        begin = file.read(MAX_BEFORE)
    if begin.startswith(SAR_MAGIC):
        raise ValueError(
            f"{source} is sar's own file, in binary; import what `sadf -j {source} -- -A` prints"
        )
    if is_recording(source):
        raise ValueError(f"{source}: a recording already; zmon cut copies one, or part of it")
    if is_report(begin):
        return _sar(source, source, note)
    try:
        return _capture(source)
    except ValueError as error:
        if damaged := damaged_recording(source):
            raise damaged from None
        raise ValueError(f"{error}  Of sar it is to be what `sadf -j FILE -- -A` prints.") from None


def _sar(source: str | BinaryIO, name: str, note: Callable[[int, str], None]) -> Iterator[Sample]:
    say(f"{name}: a report of sar")
    return read_sadf(source, note, name)


def _capture(source: str) -> Iterator[Sample]:
    capture = open_capture(source)
    number = len(capture.passes)
    say(f"{source}: a capture, {number} {'passes' if number > 1 else 'pass: no rates follow from it'}")
    for sentence in capture.notes:
        say(f"  {sentence}")
    return (sample_of_pass(tree, source) for tree in capture.passes)


def _scenario(source: str) -> Iterator[Sample]:
    timeline = open_lab(source)
    say(f"{source}: a scenario of the laboratory; its figures are simulated")
    return timeline.samples()


def _write(path: str, samples: Iterator[Sample], notes: list[Note], *, rollups: bool) -> int:
    """Write all samples and then the notes, as far as they can be read; prints what there is."""
    remove(path)
    status = OK
    companion = TrendWriter() if rollups else ExceptionCompanion()
    writer = Writer(path, sealed=sys.maxsize, durable=False, companion=companion)
    copy = SampleCopy(writer, say_copied)
    try:
        copy.write(samples)
        for utc, text in notes:
            writer.note(utc, text)
    except ValueError as error:
        status = complain(str(error))
    finally:
        writer.close()
    close_up(path)
    say_written(path, copy)
    return status
