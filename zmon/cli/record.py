"""Record this machine: everything the screens need, one file per day, until it is stopped.

The live screens start with what a running recorder has recorded; `zmon replay DIR` shows it again.  Days are
days of UTC.  Nothing is deleted without --keep or --size; with them, whole days, the oldest first.

SIGTERM and SIGINT finish the sample and close the file.  SIGHUP closes it, so that it can be copied, and
starts another one for the rest of the day.  If the disk is full, recording goes on when there is space again.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import time
from typing import TYPE_CHECKING, Final

from zmon.cli.asker import Asker
from zmon.cli.listing import add_listings, asked, listed
from zmon.cli.status import OK, complain
from zmon.cli.tape import add_choice_arguments, chosen, positive, seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.file_extents import ListedFile
    from zmon.recorder.forecast import Forecast
    from zmon.recorder.lock import Lock
    from zmon.recorder.session import Plan
    from zmon.sample import Kind, Sample

INTERVAL: Final = 1.0
"""Seconds.  A stall of two seconds is seen, which it is not at the interval of the live screens.  What was
not sampled cannot be had later; who wants it smaller sees in the forecast what a longer interval saves."""

TIMES: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
SIZES: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon record`."""
    parser.add_argument(
        "directory",
        nargs="?",
        metavar="DIR",
        help="where the day files go (default: systemd's state directory, else ~/.local/state/zmon)",
    )
    parser.add_argument(
        "-i",
        "--interval",
        type=seconds,
        default=INTERVAL,
        metavar="S",
        help="seconds between samples (default %(default)g)",
    )
    add_choice_arguments(parser)
    add_listings(parser, "tablespaces whose files are looked up every ten minutes, and recorded")
    parser.add_argument(
        "--only", type=kinds, metavar="KINDS", help="record only these kinds of things: block,cmf,device"
    )
    parser.add_argument(
        "--keep", type=length, default=0, metavar="TIME", help="delete days older than this: 30d"
    )
    parser.add_argument(
        "--size",
        type=size,
        default=0,
        metavar="SIZE",
        help="delete the oldest days beyond this total size: 2G",
    )
    parser.add_argument("-n", "--count", type=positive, default=0, help="end after this many samples")
    parser.add_argument(
        "--for", dest="length", type=length, default=0, metavar="TIME", help="end after this time: 10m"
    )
    parser.add_argument("--dry-run", action="store_true", help="estimate the cost, write nothing")
    parser.add_argument("--root", metavar="DIR", default="/", help="read below DIR instead of /")


def length(words: str) -> int:
    """Read a length of time, for argparse; returns ns."""
    return round(_amount(words, TIMES, "a length of time: write 90s, 10m, 12h, 30d or 4w") * 10**9)


def size(words: str) -> int:
    """Read a number of bytes, for argparse."""
    return round(
        _amount(words.upper().removesuffix("B").removesuffix("I"), SIZES, "a size: write 500M or 2G")
    )


def _amount(words: str, units: dict[str, int], wanted: str) -> float:
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([A-Za-z])", words, re.ASCII)
    if match is None or match[2] not in units or not float(match[1]):
        raise argparse.ArgumentTypeError(f"{words!r} is not {wanted}")
    return float(match[1]) * units[match[2]]


def kinds(words: str) -> list[Kind]:
    """Read names of kinds, for argparse."""
    from zmon.kinds import KINDS  # noqa: PLC0415 - --help needs none of them

    names = [name.strip() for name in words.split(",")]
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(KINDS)}")
    return [KINDS[name] for name in names]


def run(args: argparse.Namespace) -> int:
    """Record until told to end; returns the exit status."""
    from zmon.kernel.udev import watch  # noqa: PLC0415 - --help needs no machine
    from zmon.recorder.forecast import earlier, shortage  # noqa: PLC0415
    from zmon.recorder.lock import Lock, LockError, own_directory  # noqa: PLC0415
    from zmon.recorder.retention import Rule  # noqa: PLC0415
    from zmon.recorder.session import Plan  # noqa: PLC0415
    from zmon.session.live import LiveTape  # noqa: PLC0415

    directory = os.path.abspath(args.directory or own_directory(os.environ))
    plan = Plan(directory, round(args.interval * 1e9), Rule(args.keep, args.size), args.count, args.length)
    asker = Asker(lambda address: listed(args, [address]), _say)
    try:
        containers, servers = _listings(args)
    except ValueError as error:
        return complain(str(error))
    choice = chosen(args, args.only, containers)._replace(later=asker if servers else None)
    tape = LiveTape(choice, args.interval, watch(), args.root)
    known = earlier(directory, plan.interval)
    if args.dry_run:
        forecast = known or _tried(tape.next, plan.interval)
        _say(f"{directory}, a sample every {args.interval:g} s: {forecast.words}")
        warning = shortage(forecast, directory, plan.rule)
        if warning:
            _say(warning)
        return OK
    try:
        os.makedirs(directory, exist_ok=True)
        lock = Lock(directory, time.time_ns())
    except LockError as error:
        return complain(str(error))
    except OSError as error:
        return complain(f"{directory} cannot be recorded into: {error.strerror}")
    with lock:
        asker.start(servers)
        try:
            return _record(plan, tape.next, known, lock)
        finally:
            asker.stop()


def _listings(args: argparse.Namespace) -> tuple[list[ListedFile], list[str]]:
    """Return what the listings in files say, and the addresses of servers, which are asked beside recording.

    Raises:
        ValueError: a file cannot be used, or an address is none.
    """
    if not args.listing:
        return [], []
    from zmon.listing.server import is_server, parse_server  # noqa: PLC0415 - most recorders have no listing

    servers = [source for source in args.listing if is_server(source)]
    for address in servers:
        parse_server(address)
    files = [source for source in args.listing if source not in servers]
    if not files:
        return [], servers
    listing = listed(args, files)
    for note in listing.notes:
        _say(note)
    return list(asked(listing)), servers


def _record(plan: Plan, take: Callable[[], Sample], known: Forecast | None, lock: Lock) -> int:
    from zmon.cli.orders import Machine  # noqa: PLC0415 - a dry run needs none of them
    from zmon.recorder.notify import Service  # noqa: PLC0415
    from zmon.recorder.roll import Roll  # noqa: PLC0415
    from zmon.recorder.session import Session  # noqa: PLC0415
    from zmon.store.writer import Writer  # noqa: PLC0415

    terminal = sys.stderr is not None and sys.stderr.isatty()
    machine = Machine()
    machine.obey(terminal=terminal)
    _say(f"recording into {plan.directory}, a sample every {plan.interval / 1e9:g} s")
    roll = Roll(plan.directory, Writer, _say, lock.hold)
    service = Service(os.environ)
    Session(plan, take, roll, machine, machine.orders, service, _say, status=terminal, forecast=known).run()
    return OK


def _tried(take: Callable[[], Sample], interval: int) -> Forecast:
    """Take two samples and estimate what more would cost."""
    from zmon.recorder.forecast import estimate  # noqa: PLC0415 - only a dry run needs it here

    before = take()
    begin = time.process_time_ns()
    time.sleep(interval / 1e9)
    after = take()
    return estimate(before, after, time.process_time_ns() - begin, interval)


def _say(words: str) -> None:
    """Say something to people; that nobody listens any more is no reason to stop recording."""
    from zmon.screen.number import harmless  # noqa: PLC0415 - --help needs it not

    with contextlib.suppress(OSError):
        print(f"zmon record: {harmless(words)}", file=sys.stderr, flush=True)
