"""Copies part of a recording into another one, with or without the names of the machine."""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from contextlib import closing, suppress
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from zmon.cli.output import FAILED, OK, misused, say
from zmon.cli.source_options import left_out, open_excerpt, refused, utc_clock
from zmon.cli.subcommands import MIN_KEY_BYTES
from zmon.event import What
from zmon.store.anonymous import Anonymity
from zmon.store.reader import Recording
from zmon.store.writer import Writer, close_up
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from zmon.event import Event
    from zmon.sample import Sample
    from zmon.session.recording import Excerpt

FILES: Final = ("", "-wal", "-shm", "-journal")
"""Endings of the files of a recording: its own, and what SQLite keeps beside it."""
UNFINISHED: Final = ".part"
"""The ending of an incomplete file."""
SEGMENT_SAMPLES: Final = 60
PROGRESS_SAMPLES: Final = 200
"""Samples between two messages about the progress."""
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
            copy = SampleCopy(writer, PROGRESS_SAMPLES)
            copy.write(samples if anonymity is None else map(anonymity.sample, samples))
            _write_events(writer, excerpt, anonymity)
        finally:
            writer.close()
        close_up(unfinished)
        remove(path, FILES[1:])
        os.replace(unfinished, path)
    except BaseException:
        remove(unfinished)
        raise
    missing = left_out(excerpt)
    for line in missing:
        say(line)
    say(copy.summary(path))
    return FAILED if missing else OK


def _write_events(writer: Writer, excerpt: Excerpt, anonymity: Anonymity | None) -> None:
    """Write the events of the source that the writer has not found in the samples itself."""
    writer.seal()  # limits that were exceeded are found when that is done
    with closing(Recording(writer.path)) as made:
        known = KnownEvents(made.events(0, sys.maxsize))
    events = (
        excerpt.recorded_events() if anonymity is None else map(anonymity.event, excerpt.recorded_events())
    )
    writer.add_events([event for event in events if event not in known])


class KnownEvents:
    """Events that are recorded already, indexed: a day may have a million of them."""

    def __init__(self, events: Iterable[Event]) -> None:
        """Index the events."""
        limits: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self._others = set()
        for event in events:
            if event.what is What.LIMIT:
                limits.setdefault((event.thing, event.screen), []).append((event.begin, event.end))
            else:
                self._others.add((event.what, event.thing, event.screen, event.begin, event.end))
        self._limits = {}
        for key, times in limits.items():
            times.sort()
            ends = accumulate((end for _, end in times), max)
            self._limits[key] = [begin for begin, _ in times], list(ends)

    def __contains__(self, event: Event) -> bool:
        """Tell whether an event is known; an exceeded limit may begin and end elsewhere in a part."""
        if event.what is not What.LIMIT:
            return (event.what, event.thing, event.screen, event.begin, event.end) in self._others
        begins, ends = self._limits.get((event.thing, event.screen), ([], []))
        place = bisect_right(begins, event.end)
        return place > 0 and ends[place - 1] >= event.begin


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


def remove(path: str, endings: Sequence[str] = FILES) -> None:
    """Remove the files of a recording, as far as they are there."""
    for ending in endings:
        with suppress(FileNotFoundError):
            os.unlink(path + ending)


class SampleCopy:
    """Writes samples into a recording and counts them."""

    def __init__(self, writer: Writer, progress: int) -> None:
        """Write with `writer`; on a terminal a message says how far it is after each `progress` samples."""
        self._writer = writer
        self._progress = progress
        self.count = 0
        self.begin = 0
        """Time of the first sample, UTC in ns."""
        self.end = 0

    def write(self, samples: Iterable[Sample]) -> None:
        """Write samples, and seal them by segments."""
        for sample in samples:
            self._writer.append(sample)
            self.begin, self.end, self.count = self.begin or sample.at.utc, sample.at.utc, self.count + 1
            if self.count % SEGMENT_SAMPLES == 0:
                self._writer.seal()
            if self.count % self._progress == 0 and sys.stderr.isatty():
                say(f"{self.count:,} samples, until {utc_clock(self.end)}")

    def summary(self, path: str) -> str:
        """Return what was written to a file, as a sentence."""
        samples = "1 sample" if self.count == 1 else f"{self.count:,} samples"
        times = f"{utc_clock(self.begin)} to {utc_clock(self.end)}"
        return f"{path}: {samples}, {times} UTC, {os.path.getsize(path):,} bytes"
