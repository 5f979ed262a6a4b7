"""Copy part of a recording: zmon cut /var/lib/zmon --from 14:20 --to +30m incident.zmon.

OUT gets the samples from T0 to T1, the one before them (the first interval needs it), the events and notes
of that time, and roll-ups.  SOURCE is not changed, and may be in use.

--anonymise replaces everything that identifies the machine: serial numbers, volume labels, names of hosts,
partitions, guests, sysplexes and device-mapper disks.  Notes lose their text.  The same name always gets the
same replacement in OUT, and in other cuts with the same --key.  docs/share.md lists what is kept.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Final

from zmon.cli.status import FAILED, OK, USAGE, complain
from zmon.cli.stretch import add_stretch_arguments, clock, open_stretch, refused
from zmon.event import What
from zmon.screen.number import harmless

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from zmon.event import Event
    from zmon.sample import Sample
    from zmon.session.stretch import Stretch
    from zmon.store.anonymous import Anonymity
    from zmon.store.writer import Writer

BESIDE: Final = ("", "-wal", "-shm", "-journal")
"""What belongs to a recording: the file itself, and what SQLite keeps beside it."""
UNFINISHED: Final = ".part"
"""Behind the name of what is not complete yet."""
SEALED: Final = 60
"""Samples that make a segment."""
SOME: Final = 200
"""Samples between two words of progress."""
SHORTEST: Final = 16
"""Bytes of a key that nobody guesses."""
LONGEST: Final = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon cut`."""
    add_stretch_arguments(parser)
    parser.add_argument("out", metavar="OUT", help="the recording to write: NAME.zmon")
    parser.add_argument(
        "--anonymise", action="store_true", help="replace everything that identifies the machine"
    )
    parser.add_argument(
        "--key",
        metavar="FILE",
        help="with --anonymise: the same replacements in all cuts with this secret file, "
        f"{SHORTEST} bytes or more (head -c 32 /dev/urandom > FILE)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite OUT")


def run(args: argparse.Namespace) -> int:
    """Write the recording; everything said goes to stderr."""
    if args.key and not args.anonymise:
        complain("--key is for --anonymise")
        return USAGE
    try:
        _see_to(args)
        anonymity = _anonymity(args.key) if args.anonymise else None
        with closing(open_stretch(args)) as stretch:
            if any(
                os.path.exists(args.out) and os.path.samefile(one.path, args.out) for one in stretch.parts
            ):
                raise ValueError(f"{args.out} is what is to be read; give another name")  # noqa: TRY301 - one way out
            return _cut(stretch, args.out, anonymity)
    except ValueError as error:  # RecordingError, WhenError
        return refused(error)


def _see_to(args: argparse.Namespace) -> None:
    """See that OUT may be written.

    Raises:
        ValueError: it may not; says why.
    """
    if os.path.isdir(args.out):
        name = os.path.join(args.out, "cut.zmon")
        raise ValueError(f"{args.out} is a directory; name the file to write, as {name}")
    if os.path.lexists(args.out) and not args.force:
        raise ValueError(f"{args.out} exists already; give another name, or --force to overwrite it")


def _anonymity(path: str | None) -> Anonymity:
    """Return stand-ins that follow from a file, or from nothing that anybody knows.

    Raises:
        ValueError: the file is too short to be secret.
    """
    from zmon.store.anonymous import Anonymity  # noqa: PLC0415 - --help needs none

    if path is None:
        return Anonymity(os.urandom(32))
    with open(path, "rb") as file:
        key = file.read(LONGEST)
    if len(key) < SHORTEST:
        raise ValueError(
            f"{path} has {len(key)} bytes, and a key that nobody guesses has {SHORTEST} or more: "
            f"head -c 32 /dev/urandom > FILE"
        )
    return Anonymity(key)


def _cut(stretch: Stretch, path: str, anonymity: Anonymity | None) -> int:
    """Write all samples and events under another name, which becomes OUT when all are there."""
    from zmon.store.writer import Writer, close_up  # noqa: PLC0415 - only what can be read is written

    unfinished = path + UNFINISHED
    _unlink(unfinished)
    try:
        writer = Writer(unfinished, sealed=sys.maxsize, durable=False)
        try:
            times = _write(writer, stretch, anonymity)
        finally:
            writer.close()
        close_up(unfinished)
        _unlink(path, BESIDE[1:])
        os.replace(unfinished, path)
    except BaseException:
        _unlink(unfinished)
        raise
    for problem in stretch.problems():
        _say(f"left out: {problem}")
    if stretch.unread:
        _say(f"left out: {stretch.unread:,} samples whose times cannot be read")
    damage = stretch.damage()
    if damage:
        _say(damage)
    count, begin, end = times
    samples = "1 sample" if count == 1 else f"{count:,} samples"
    _say(f"{path}: {samples}, {clock(begin)} to {clock(end)} UTC, {os.path.getsize(path):,} bytes")
    return FAILED if stretch.problems() or stretch.unread or damage else OK


def _write(writer: Writer, stretch: Stretch, anonymity: Anonymity | None) -> tuple[int, int, int]:
    """Write samples, and what is said of them; return how many they were, and the first and last time."""
    from zmon.store.reader import Recording  # noqa: PLC0415 - as above

    count, begin, end = 0, 0, 0
    for sample in _samples(stretch, anonymity):
        writer.append(sample)
        begin, end, count = begin or sample.at.utc, sample.at.utc, count + 1
        if count % SEALED == 0:
            writer.seal()
        if count % SOME == 0 and sys.stderr.isatty():
            _say(f"{count:,} samples, until {clock(end)}")
    writer.seal()  # limits that were exceeded are found when that is done
    made = Recording(writer.path)
    try:
        known = made.events(0, sys.maxsize)
    finally:
        made.close()
    told = [event if anonymity is None else anonymity.event(event) for event in stretch.events()]
    writer.tell([event for event in told if not any(_same(event, one) for one in known)])
    return count, begin, end


def _samples(stretch: Stretch, anonymity: Anonymity | None) -> Iterator[Sample]:
    samples = stretch.samples(lead=True)
    return samples if anonymity is None else map(anonymity.sample, samples)


def _same(one: Event, other: Event) -> bool:
    """Tell whether two events are one; a limit that was exceeded may begin and end elsewhere in a part."""
    if (one.what, one.thing, one.screen) != (other.what, other.thing, other.screen):
        return False
    if one.what is What.LIMIT:
        return one.begin <= other.end and other.begin <= one.end
    return (one.begin, one.end) == (other.begin, other.end)


def _unlink(path: str, endings: Sequence[str] = BESIDE) -> None:
    for ending in endings:
        if os.path.lexists(path + ending):
            os.unlink(path + ending)


def _say(line: str) -> None:
    print(harmless(line), file=sys.stderr, flush=True)
