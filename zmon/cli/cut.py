"""Copies part of a recording into another one, with or without the names of the machine."""

from __future__ import annotations

import os
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final

from zmon.cli.output import FAILED, OK, misused, say
from zmon.cli.source_options import left_out, open_excerpt, refused, utc_clock
from zmon.cli.subcommands import MIN_KEY_BYTES
from zmon.store.anonymous import Anonymity
from zmon.store.day import BESIDE
from zmon.store.reader import Recording
from zmon.store.sample_copy import KnownEvents, SampleCopy
from zmon.store.writer import Writer, close_up
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from zmon.session.recording import Excerpt

UNFINISHED: Final = ".part"
"""The ending of an incomplete file."""
MAX_KEY_BYTES: Final = 1 << 20


def run(args: argparse.Namespace) -> int:
    """Write the recording; all messages go to standard error."""
    if args.key and not args.anonymise:
        return misused("--key is for --anonymise")
    try:
        check_output(args)
        anonymity = _anonymity(args.key) if args.anonymise else None
        with closing(open_excerpt(args)) as excerpt:
            for section in excerpt.sections:
                check_apart(section.path, args.out)
            return _cut(excerpt, args.out, anonymity)
    except ValueError as error:  # RecordingError, WhenError
        return refused(error)


def _anonymity(path: str | None) -> Anonymity:
    """Return replacements derived from a secret file, or from random bytes.

    Raises:
        ValueError: the file is too short to be secret.
    """
    if path is None:
        return Anonymity(os.urandom(32))
    with open(path, "rb") as file:
        key = file.read(MAX_KEY_BYTES)
    if len(key) < MIN_KEY_BYTES:
        raise ValueError(
            f"{path} has {len(key)} bytes, and a key that nobody guesses has {MIN_KEY_BYTES} or more: "
            f"head -c 32 /dev/urandom > FILE"
        )
    return Anonymity(key)


def _cut(excerpt: Excerpt, path: str, anonymity: Anonymity | None) -> int:
    """Write all samples and events to a temporary file and rename it to OUT at the end."""
    unfinished = path + UNFINISHED
    remove(unfinished)
    try:
        writer = recording_with_trends(unfinished, sealed=sys.maxsize, durable=False)
        try:
            samples = excerpt.chosen(lead=True)
            copy = SampleCopy(writer, say_copied)
            copy.write(samples if anonymity is None else map(anonymity.sample, samples))
            _write_events(writer, excerpt, anonymity)
        finally:
            writer.close()
        close_up(unfinished)
        remove(path, BESIDE)
        os.replace(unfinished, path)
    except BaseException:
        remove(unfinished)
        raise
    missing = left_out(excerpt)
    for line in missing:
        say(line)
    say_written(path, copy)
    return FAILED if missing else OK


def _write_events(writer: Writer, excerpt: Excerpt, anonymity: Anonymity | None) -> None:
    """Write the events of the source that the writer has not found in the samples itself."""
    writer.seal()  # limits that were exceeded are found when that is done
    with closing(Recording(writer.path)) as made:
        known_events = KnownEvents(made.events(0, sys.maxsize))
    events = (
        excerpt.recorded_events() if anonymity is None else map(anonymity.event, excerpt.recorded_events())
    )
    writer.add_events([event for event in events if event not in known_events])


# shared with `zmon import`


def check_output(args: argparse.Namespace, example: str = "cut.zmon") -> None:
    """Check that OUT may be written.

    Raises:
        ValueError: it may not; says why.
    """
    if os.path.isdir(args.out):
        name = os.path.join(args.out, example)
        raise ValueError(f"{args.out} is a directory; name the file to write, as {name}")
    if os.path.lexists(args.out) and not args.force:
        raise ValueError(f"{args.out} exists already; give another name, or --force to overwrite it")


def check_apart(source: str, out: str) -> None:
    """Check that OUT is not the source.

    Raises:
        ValueError: it is.
    """
    if os.path.exists(source) and os.path.exists(out) and os.path.samefile(source, out):
        raise ValueError(f"{out} is the source; give another name")


def remove(path: str, endings: Sequence[str] = ("", *BESIDE)) -> None:
    """Remove the files of a recording, as far as they are there."""
    for ending in endings:
        with suppress(FileNotFoundError):
            os.unlink(path + ending)


def say_copied(count: int, utc: int) -> None:
    """Print on a terminal how many samples are copied, and the time of the last one."""
    if sys.stderr.isatty():
        say(f"{count:,} samples, until {utc_clock(utc)}")


def say_written(path: str, copy: SampleCopy) -> None:
    """Print what was written to a file."""
    samples = "1 sample" if copy.count == 1 else f"{copy.count:,} samples"
    times = f"{utc_clock(copy.begin)} to {utc_clock(copy.end)}"
    say(f"{path}: {samples}, {times} UTC, {os.path.getsize(path):,} bytes")
