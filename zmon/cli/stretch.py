"""The options that say which part of a recording is meant, the same for every subcommand that copies one."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from zmon.cli.status import FAILED, USAGE, complain
from zmon.cli.tape import source

if TYPE_CHECKING:
    import argparse

    from zmon.session.stretch import Stretch

NONE: Final = "no recording of zmon; of a capture or a report of sar, zmon import makes one"
SIMULATED: Final = "a simulated machine, no recording; zmon import makes a recording of it"


def add_source_argument(parser: argparse.ArgumentParser) -> None:
    """Declare SOURCE."""
    parser.add_argument(
        "source", metavar="SOURCE", type=source, help="a recording, or a directory of them, one per day"
    )


def add_stretch_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare SOURCE, `--from` and `--to`; both are times here."""
    add_source_argument(parser)
    parser.add_argument(
        "--from",
        dest="begin",
        metavar="T0",
        help="from this time on: 14:32, yesterday 14:30, -10m (before the end)",
    )
    parser.add_argument("--to", dest="end", metavar="T1", help="up to this time; +5m is counted from T0")


def is_simulated(name: str) -> bool:
    """Tell whether a SOURCE names a simulated machine, which other commands take with --from."""
    return name.startswith("lab:")


def open_stretch(args: argparse.Namespace) -> Stretch:
    """Return the part of SOURCE from `--from` to `--to`; there are samples in it.

    Raises:
        RecordingError: it is no recording, or cannot be used.
        WhenError: the times are none, or no sample lies between them.
    """
    from zmon.session.stretch import Stretch  # noqa: PLC0415 - same
    from zmon.store.error import RecordingError  # noqa: PLC0415 - --help needs none
    from zmon.store.magic import is_recording  # noqa: PLC0415 - same

    if is_simulated(args.source):
        raise RecordingError(f"{args.source}: {SIMULATED}")
    try:
        stretch = Stretch(args.source)
    except RecordingError as error:
        if os.path.isfile(args.source) and not is_recording(args.source):
            raise RecordingError(f"{args.source}: {NONE}") from error
        raise
    try:
        _confine(stretch, args)
    except BaseException:
        stretch.close()
        raise
    return stretch


def _confine(stretch: Stretch, args: argparse.Namespace) -> None:
    from zmon.session.when import WhenError  # noqa: PLC0415 - as above
    from zmon.store.error import RecordingError  # noqa: PLC0415 - as above

    span = stretch.span()
    if span is None:
        raise RecordingError(f"{args.source}: nothing has been recorded")
    stretch.confine(args.begin, args.end, time.time_ns())
    if not len(stretch):
        first, last = map(clock, span)
        raise WhenError(f"no sample lies in that time; there are samples from {first} to {last} UTC")


def refused(error: ValueError) -> int:
    """Say why a part cannot be copied, and return the exit status for it."""
    from zmon.session.when import WhenError  # noqa: PLC0415 - --help needs none

    complain(str(error))
    return USAGE if isinstance(error, WhenError) else FAILED


def clock(ns: int) -> str:
    """Write an instant of UTC for a person, in whole seconds."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(ns // 1_000_000_000))
