"""Records this machine day and night."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from zmon.cli.inputs import containers_of, read_listings
from zmon.cli.output import OK, complain, say
from zmon.cli.source_options import choice_of
from zmon.kernel.tree import LiveTree, lacking
from zmon.kernel.udev import watch
from zmon.listing.servers import is_server, parse_server
from zmon.recorder.forecast import earlier, estimate, shortage
from zmon.recorder.lock import Lock, LockError, mode_of_files, own_directory
from zmon.recorder.recording_loop import Plan, RecordingLoop, Service
from zmon.recorder.retention import RetentionRule
from zmon.recorder.roll import Roll
from zmon.recorder.server_listings import ServerListings
from zmon.recorder.signal_clock import SignalClock
from zmon.rule.grammar import usable_rules
from zmon.rule.rules_file import RuleError
from zmon.rule.site_command import own_commands
from zmon.session.machines import LiveTimeline
from zmon.store.writer import Writer
from zmon.trends.rollup import TrendWriter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.base.listed_file import ListedFile
    from zmon.recorder.exception_teller import ExceptionTeller
    from zmon.recorder.forecast import Forecast
    from zmon.sample import Sample


def run(args: argparse.Namespace) -> int:
    """Record until a signal ends it; returns the exit status."""
    directory = os.path.abspath(args.directory or own_directory(os.environ))
    rule = RetentionRule(args.keep, args.size)
    plan = Plan(directory, round(args.interval * 1e9), rule, args.count, args.length)
    servers = ServerListings(lambda address: _listed(args, [address]), _say)
    try:
        containers, addresses = _listings(args)
    except ValueError as error:
        return complain(str(error))
    choice = choice_of(args, args.only, containers)._replace(later=servers if addresses else None)
    timeline = LiveTimeline(choice, args.interval, watch(), args.root)
    recorded = earlier(directory, plan.interval)
    if hidden := lacking(LiveTree(args.root)):
        _say(hidden)
    if args.dry_run:
        forecast = recorded or _tried(timeline.take, plan.interval)
        _say(f"{directory}, a sample every {args.interval:g} s: {forecast.words}")
        warning = shortage(forecast, directory, plan.rule)
        if warning:
            _say(warning)
        return OK
    if args.metrics and not os.path.isdir(os.path.dirname(os.path.abspath(args.metrics))):
        return complain(f"{args.metrics}: there is no such directory")
    try:
        os.makedirs(directory, exist_ok=True)
        lock = Lock(directory, time.time_ns())
    except LockError as error:
        return complain(str(error))
    except OSError as error:
        return complain(f"{directory} cannot be recorded into: {error.strerror}")
    with lock:
        servers.start(addresses)
        try:
            return _record(plan, timeline.take, recorded, lock, args)
        finally:
            servers.stop()


def _listings(args: argparse.Namespace) -> tuple[list[ListedFile], list[str]]:
    """Return the containers in files, and the addresses of servers, which are asked beside recording.

    Raises:
        ValueError: a file cannot be used, or an address is none.
    """
    addresses = [source for source in args.listing if is_server(source)]
    for address in addresses:
        parse_server(address)
    files = [source for source in args.listing if source not in addresses]
    return _listed(args, files) if files else [], addresses


def _listed(args: argparse.Namespace, sources: list[str]) -> list[ListedFile]:
    """Return the files that listings name; their notes are printed.

    Raises:
        ValueError: a file cannot be used, or a server does not answer.
    """
    listing = read_listings(args, sources)
    for note in listing.notes:
        _say(note)
    return list(containers_of(listing))


class _Recordings:
    """Opens recordings that keep trends, and knows which exceptions are open now."""

    def __init__(self, mode: int) -> None:
        self._trends: TrendWriter | None = None
        self._mode = mode

    def open(self, path: str) -> Writer:
        """Return the writer of a recording."""
        self._trends = TrendWriter()
        return Writer(path, companion=self._trends, mode=self._mode)

    def open_exceptions(self) -> Sequence[ExceptionEntry]:
        """Return the exceptions that are open."""
        return () if self._trends is None else self._trends.open_exceptions


def _record(
    plan: Plan, take: Callable[[], Sample], forecast: Forecast | None, lock: Lock, args: argparse.Namespace
) -> int:
    terminal = sys.stderr is not None and sys.stderr.isatty()
    clock = SignalClock()
    clock.handle_signals(terminal=terminal)
    _say(f"recording into {plan.directory}, a sample every {plan.interval / 1e9:g} s")
    recordings = _Recordings(mode_of_files(plan.directory, os.environ))
    roll = Roll(plan.directory, recordings.open, _say, lock.hold)
    service = Service(os.environ)
    more: dict[str, Any] = {"status": terminal, "forecast": forecast}
    followers: list[Callable[[Sample], None]] = []

    def follow(sample: Sample) -> None:
        for follower in followers:
            follower(sample)

    if (teller := _teller(plan, recordings, roll)) is not None:
        more["ending"] = teller.stop
        followers.append(teller.follow)
    with contextlib.ExitStack() as at_end:
        if args.metrics:
            followers.append(_metrics(args, recordings, at_end))
        RecordingLoop(plan, take, roll, clock, clock.orders, service, _say, **more, follow=follow).run()
    return OK


def _metrics(
    args: argparse.Namespace, recordings: _Recordings, at_end: contextlib.ExitStack
) -> Callable[[Sample], None]:
    """Return what keeps the file of metrics up to date; it is removed at the end."""
    from zmon.exposition.exporter import Exporter  # noqa: PLC0415 - loaded only where metrics are wanted
    from zmon.exposition.textfile import Textfile  # noqa: PLC0415 - likewise

    exporter = Exporter(recordings.open_exceptions, devices=args.metrics_devices)
    textfile = Textfile(os.path.abspath(args.metrics), exporter, _say)
    at_end.callback(textfile.close)
    return textfile.follow


def _teller(plan: Plan, recordings: _Recordings, roll: Roll) -> ExceptionTeller | None:
    """Return what tells the commands of the user's own rules which exceptions begin and end; None without."""
    rules, problem = usable_rules()
    try:
        commands = [] if problem else own_commands()
    except RuleError as error:
        commands, problem = [], str(error)
    if problem:
        _say(problem)
    if not commands:
        return None
    from zmon.recorder import exception_teller as telling  # noqa: PLC0415 - few sites have commands

    _say(f"commands of exceptions: {', '.join(command.place for command in commands)}")
    grace = telling.Grace(rules, plan.interval)
    earlier = telling.open_before(plan.directory, grace)
    told = [telling.ToldCommand(command, grace, earlier) for command in commands]
    return telling.ExceptionTeller(told, recordings.open_exceptions, roll.note, _say)


def _tried(take: Callable[[], Sample], interval: int) -> Forecast:
    """Take two samples and estimate what more would cost."""
    before = take()
    begin = time.process_time_ns()
    time.sleep(interval / 1e9)
    after = take()
    return estimate(before, after, time.process_time_ns() - begin, interval)


def _say(text: str) -> None:
    """Print a message; recording goes on if standard error is closed."""
    with contextlib.suppress(OSError):
        say(f"zmon record: {text}")
