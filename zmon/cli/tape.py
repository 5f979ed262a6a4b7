"""The options that say what is looked at, the same for every subcommand, and the tape they mean."""

from __future__ import annotations

import argparse
import math
import os
import time
from typing import TYPE_CHECKING, Final

from zmon.cli.status import OK

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from zmon.kernel.file_extents import ListedFile
    from zmon.kernel.sampler import Choice
    from zmon.kernel.tree import Tree
    from zmon.kernel.worker import Source
    from zmon.sample import Kind
    from zmon.session.keep import Keep
    from zmon.session.tape import Tape, Watch

SHORTEST: Final = 0.1
LONGEST: Final = 86_400.0


def seconds(words: str) -> float:
    """Read an interval in seconds, for argparse."""
    try:
        value = float(words)
    except ValueError:
        value = math.nan
    if not SHORTEST <= value <= LONGEST:
        raise argparse.ArgumentTypeError(
            f"{words!r} is no interval: write seconds from {SHORTEST:g} to {LONGEST:g}"
        )
    return value


def positive(words: str) -> int:
    """Read a number of things, at least one, for argparse."""
    if not words.isdecimal() or not 1 <= int(words) <= 1_000_000_000:
        raise argparse.ArgumentTypeError(f"{words!r} is no number of 1 or more")
    return int(words)


def source(words: str) -> str:
    """Read the name of a source, for argparse; an empty one never stands for this machine.

    `lab:` alone asks which scenarios there are: they are listed as help is, and zmon ends.
    """
    if not words:
        raise argparse.ArgumentTypeError(
            "'' names no recording and no capture; without --from this machine is shown"
        )
    if words == "lab:":
        from zmon.cli.lab import print_scenarios  # noqa: PLC0415 - nothing else simulates

        print_scenarios()
        raise SystemExit(OK)
    return words


def add_tape_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--from`, `--interval` and what switches expensive sources."""
    parser.add_argument(
        "--from",
        dest="source",
        type=source,
        metavar="SOURCE",
        help="a recording (file or directory), a capture (archive or directory) or a simulated machine"
        " (lab:NAME) instead of this machine; lab: lists the scenarios",
    )
    parser.add_argument(
        "-i", "--interval", type=seconds, default=2.0, metavar="S", help="seconds between samples (default 2)"
    )
    add_choice_arguments(parser)


def add_choice_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what switches expensive sources."""
    parser.add_argument(
        "--cache",
        action="store_true",
        help="read cache statistics of the storage controllers: one I/O per volume a minute",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="read exact channel measurement of each DASD; may wait for its I/O",
    )
    parser.add_argument(
        "--cp",
        action="store_true",
        help="ask CP for the disks of this guest every 10 minutes (needs root and z/VM)",
    )
    parser.add_argument(
        "--no-hypervisor",
        action="store_true",
        help="do not read data of partitions and guests from the hypervisor",
    )


def chosen(
    args: argparse.Namespace, kinds: Collection[Kind] | None = None, containers: Sequence[ListedFile] = ()
) -> Choice:
    """Return what the options say is to be read, confined to the `kinds` if there are any."""
    from zmon.kernel.sampler import EVERYTHING, Choice  # noqa: PLC0415 - --help needs no machine
    from zmon.kinds import CLAIM  # noqa: PLC0415 - likewise

    more: tuple[Callable[[Tree], Source], ...] = ()
    if kinds is None or CLAIM in kinds:
        from zmon.session.told import asked, not_asked  # noqa: PLC0415 - most screens need no CP

        more = (asked if args.cp else not_asked,)
    return Choice(
        EVERYTHING.kinds if kinds is None else kinds,
        cache=args.cache,
        hypervisor=not args.no_hypervisor,
        exact=args.exact,
        containers=tuple(containers),
        more=more,
    )


def open_tape(  # noqa: PLR0913 - one for each way to confine or widen it
    args: argparse.Namespace,
    *,
    follow: bool = False,
    keep: bool = False,
    kinds: Collection[Kind] | None = None,
    last: int | None = None,
    containers: Sequence[ListedFile] = (),
) -> Tape:
    """Return the tape that the options mean; `follow` listens to hot-plug events.

    With `keep` live samples are kept, where the option --record says or where there is a way.

    A tape may be confined to the `kinds` of things that will be looked at, and to its `last` samples.  Of
    this machine it says where listed `containers` lie; others have those that were listed then.

    Raises:
        CaptureError: the capture cannot be used.
        RecordingError: the recording cannot be used.
        ScenarioError: the scenario cannot be used.
    """
    if args.source and args.source.startswith("lab:"):
        from zmon.session.lab import open_lab  # noqa: PLC0415 - nothing else simulates

        return open_lab(args.source)
    if args.source:
        from zmon.store.magic import is_source  # noqa: PLC0415 - live needs no recording

        if is_source(args.source):
            from zmon.session.recording import open_recording  # noqa: PLC0415 - and a capture no SQLite

            return open_recording(args.source)
        from zmon.session.capture import CaptureTape  # noqa: PLC0415 - live needs no archive

        return CaptureTape(args.source, chosen(args, kinds), last)
    from zmon.kernel.udev import watch  # noqa: PLC0415 - a capture needs no live machine
    from zmon.session.live import LiveTape  # noqa: PLC0415

    choice = chosen(args, kinds, containers)
    return LiveTape(choice, args.interval, watch() if follow else None, keep=keeping(args) if keep else None)


def keeping(args: argparse.Namespace) -> Keep:
    """Return who keeps live samples: the file that is named, a recorder that runs here, or the memory.

    Raises:
        RecordingError: the file cannot be written.
    """
    from zmon.recorder.lock import recorder_here  # noqa: PLC0415 - looking once needs none of it
    from zmon.session import keep  # noqa: PLC0415 - likewise

    if args.record:
        return keep.File(args.record)
    recorder = recorder_here(os.environ)
    return keep.Memory("this machine") if recorder is None else keep.Recorder(recorder.directory)


def when(words: str, tape: Tape, present: int | None = None) -> int:
    """Return the time that words mean on a tape, in ns since 1970; what is relative counts from its end.

    Raises:
        WhenError: they mean none.
    """
    from zmon.session.when import parse_when, whole  # noqa: PLC0415 - most commands name no time

    span = tape.span()
    if present is None and span is not None:
        present = span[1]
    return whole(parse_when(words, time.time_ns(), present, span))


def seek(watch: Watch, words: str) -> str:
    """Go to the sample of a time; return what is to be said if nothing was recorded then.

    Raises:
        WhenError: the words mean no time.
    """
    from zmon.session.when import outside  # noqa: PLC0415 - most commands name no time

    utc = when(words, watch.tape)
    watch.seek(utc)
    return outside(utc, watch.tape.span())
