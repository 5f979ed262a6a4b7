"""Records this machine day and night; listings of servers and signals are handled beside sampling."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Final

from zmon.cli.inputs import containers_of, read_listings
from zmon.cli.output import OK, complain
from zmon.cli.source_options import choice_of
from zmon.kernel.udev import watch
from zmon.listing.servers import is_server, parse_server
from zmon.plain_text import harmless
from zmon.recorder.forecast import earlier, estimate, shortage
from zmon.recorder.lock import Lock, LockError, own_directory
from zmon.recorder.recording_loop import Orders, Plan, RecordingLoop, Service
from zmon.recorder.retention import RetentionRule
from zmon.recorder.roll import Roll
from zmon.session.machines import LiveTimeline
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from types import FrameType

    from zmon.kernel.file_extents import ListedFile
    from zmon.listing.listing import Listing
    from zmon.recorder.forecast import Forecast
    from zmon.sample import Sample

RETRY_SECONDS: Final = 10.0
"""From the first failure of a database server to the next question; each further wait is twice as long."""
MAX_RETRY_SECONDS: Final = 600.0
END_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def run(args: argparse.Namespace) -> int:
    """Record until a signal ends it; returns the exit status."""
    directory = os.path.abspath(args.directory or own_directory(os.environ))
    plan = Plan(
        directory, round(args.interval * 1e9), RetentionRule(args.keep, args.size), args.count, args.length
    )
    servers = ServerListings(lambda address: read_listings(args, [address]), _say)
    try:
        containers, addresses = _listings(args)
    except ValueError as error:
        return complain(str(error))
    choice = choice_of(args, args.only, containers)._replace(later=servers if addresses else None)
    timeline = LiveTimeline(choice, args.interval, watch(), args.root)
    known = earlier(directory, plan.interval)
    if args.dry_run:
        forecast = known or _tried(timeline.take, plan.interval)
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
        servers.start(addresses)
        try:
            return _record(plan, timeline.take, known, lock)
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
    if not files:
        return [], addresses
    listing = read_listings(args, files)
    for note in listing.notes:
        _say(note)
    return list(containers_of(listing)), addresses


def _record(plan: Plan, take: Callable[[], Sample], known: Forecast | None, lock: Lock) -> int:
    terminal = sys.stderr is not None and sys.stderr.isatty()
    clock = SignalClock()
    clock.handle_signals(terminal=terminal)
    _say(f"recording into {plan.directory}, a sample every {plan.interval / 1e9:g} s")
    roll = Roll(plan.directory, recording_with_trends, _say, lock.hold)
    service = Service(os.environ)
    RecordingLoop(plan, take, roll, clock, clock.orders, service, _say, status=terminal, forecast=known).run()
    return OK


def _tried(take: Callable[[], Sample], interval: int) -> Forecast:
    """Take two samples and estimate what more would cost."""
    before = take()
    begin = time.process_time_ns()
    time.sleep(interval / 1e9)
    after = take()
    return estimate(before, after, time.process_time_ns() - begin, interval)


def _say(words: str) -> None:
    """Print a message; recording goes on if standard error is closed."""
    with contextlib.suppress(OSError):
        print(f"zmon record: {harmless(words)}", file=sys.stderr, flush=True)


# listings of database servers


class ServerListings:
    """The containers that database servers list, as far as they have answered (a `LateListing`).

    The first sample waits for no server, and none ends recording: each is asked in a thread of its own, again
    and again at growing distances, until it answers.
    """

    def __init__(
        self, ask: Callable[[str], Listing], say: Callable[[str], None], first: float = RETRY_SECONDS
    ) -> None:
        """Start no thread yet; `ask` raises ValueError where a server does not answer."""
        self._ask = ask
        self._say = say
        self._first = first
        self._found: dict[str, Sequence[ListedFile]] = {}
        self._waiting: dict[str, str] = {}
        """The servers that have not answered yet, with the reason."""
        self._new = threading.Event()
        self._stopped = threading.Event()

    def start(self, servers: Sequence[str]) -> None:
        """Begin to ask, each server in a thread of its own."""
        for number, address in enumerate(servers):
            self._waiting[address] = "no answer yet from the database server"
            threading.Thread(target=self._run, args=(address,), name=f"listing-{number}", daemon=True).start()

    def stop(self) -> None:
        """Ask no more; a question that is being asked is not waited for."""
        self._stopped.set()

    def containers(self) -> Sequence[ListedFile]:
        """Return the files of the servers that have answered.

        Raises:
            ValueError: none has; says why.
        """
        found = [one for each in list(self._found.values()) for one in each]
        reasons = list(dict.fromkeys(self._waiting.values()))
        if not found and reasons:
            raise ValueError("; ".join(reasons))
        return found

    def changed(self) -> bool:
        """Tell whether a server has answered since this was asked last."""
        new = self._new.is_set()
        self._new.clear()
        return new

    def _run(self, address: str) -> None:
        wait = self._first
        failed = ""
        while not self._stopped.is_set():
            try:
                listing = self._ask(address)
            except Exception as error:  # noqa: BLE001 - whatever fails, recording goes on
                reason = str(error) or type(error).__name__
                self._waiting[address] = reason
                if not failed:
                    self._say(f"{reason}; recording goes on without it, and it is asked again")
                failed = reason
                self._stopped.wait(wait)
                wait = min(2 * wait, MAX_RETRY_SECONDS)
                continue
            self._found[address] = list(containers_of(listing))
            self._waiting.pop(address, None)
            self._new.set()
            for note in listing.notes:
                self._say(note)
            if failed:
                count = len(self._found[address])
                listed = f"{count:,} file{'s are' if count != 1 else ' is'} listed"
                self._say(f"the database server answers now: {listed}")
            return


# signals


class SignalClock:
    """The clocks of this machine, and a wait that a signal ends early.

    The handler writes a byte into a pipe that the wait polls, so that no signal is lost before it begins.
    """

    def __init__(self) -> None:
        """Handle no signal yet."""
        self.orders = Orders()
        self._out, self._in = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def handle_signals(self, *, terminal: bool) -> None:
        """Let SIGTERM and SIGINT end recording, a second one at once, and SIGHUP begin another file.

        On a terminal SIGHUP means that it was closed, and ends; where it was ignored (nohup) it stays so.
        """
        for number in END_SIGNALS:
            signal.signal(number, self._end)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._end if terminal else self._another)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self.orders.end = True
        for number in END_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        self._wake()

    def _another(self, _number: int, _frame: FrameType | None) -> None:
        self.orders.another = True
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # then there are enough in it
            os.write(self._in, b".")

    def wait(self, length: int) -> None:
        """Wait for `length` ns, or until a signal comes."""
        ready, _, _ = select.select([self._out], [], [], length / 1e9)
        if ready:
            os.read(self._out, 4096)

    def utc(self) -> int:
        """Return the wall-clock time, in ns since 1970."""
        return time.time_ns()

    def steady(self) -> int:
        """Return the steady clock, in ns."""
        return time.monotonic_ns()

    def asleep(self) -> int:
        """Return the ns that the machine has slept since it was started."""
        steady = time.monotonic_ns()
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - steady

    def spent(self) -> int:
        """Return the processor time of this process, in ns."""
        return time.process_time_ns()
