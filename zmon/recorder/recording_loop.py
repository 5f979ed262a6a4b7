"""The loop of the recorder: samples at their deadlines, signals, and messages to systemd.

Samples are due at absolute deadlines of the steady clock, so that delays do not add up.

`Service` speaks the protocol of sd_notify(3): lines `NAME=value` go as one datagram to the socket that
NOTIFY_SOCKET names; without one nothing is sent.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from zmon.base.clock import MINUTE, SECOND
from zmon.base.mistake import mistakes
from zmon.recorder.forecast import Forecast, estimate, measured, shortage
from zmon.recorder.retention import RetentionRule, prune, size_of
from zmon.store.file_format import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zmon.recorder.roll import Roll
    from zmon.sample import Sample


class Deadline(NamedTuple):
    """When the next sample is due."""

    number: int
    """Counted from 0, the begin."""
    at: int
    """ns of the steady clock."""
    missed: int
    """Number of deadlines that passed while the sample before was taken."""


def following(begin: int, interval: int, last: int, now: int) -> Deadline:
    """Return the first deadline after number `last` that is not over at `now`; all in ns.

    A deadline that has passed is skipped: two samples at once say no more than one.
    """
    number = max(last + 1, -((begin - now) // interval))
    return Deadline(number, begin + number * interval, number - last - 1)


class Service:
    """This process as a service of systemd; does nothing if it is not one."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Find the socket and the interval of the watchdog."""
        address = environment.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        own = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        wanted = environment.get("WATCHDOG_USEC", "") if own else ""
        self.every = int(wanted) * 1000 // 2 if wanted.isascii() and wanted.isdigit() else 0
        """ns between two watchdog messages, half of what systemd waits; 0: no watchdog."""

    def ready(self) -> None:
        """Report that samples are being recorded."""
        self._send("READY=1")

    def alive(self) -> None:
        """Notify the watchdog."""
        if self.every:
            self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """Set the line that `systemctl status` shows."""
        self._send("STATUS=" + " ".join(text.split()))

    def stopping(self) -> None:
        """Report that the end has begun."""
        self._send("STOPPING=1")

    def _send(self, line: str) -> None:
        if not self._address:
            return
        with (
            contextlib.suppress(OSError, ValueError),  # nobody listens
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to,
        ):
            to.setblocking(False)
            to.sendto(line.encode(), self._address)


MIN_SLEEP: Final = SECOND
"""Shorter suspends are not reported."""


class Clock(Protocol):
    """The clocks, all in ns, and the wait between samples."""

    def utc(self) -> int:
        """The wall clock, since 1970."""

    def steady(self) -> int:
        """The steady clock, which stops while the machine is suspended."""

    def asleep(self) -> int:
        """How long the machine was suspended since boot."""

    def spent(self) -> int:
        """Processor time of this process."""

    def wait(self, length: int) -> None:
        """Return after a time, or at once when a signal comes."""


class Orders:
    """What signals ask of the recorder."""

    def __init__(self) -> None:
        """Begin without requests."""
        self.end = False
        """Finish the sample and close."""
        self.another = False
        """Close the file; the next sample goes to a new one."""


class Plan(NamedTuple):
    """Where, how often and how long to record."""

    directory: str
    interval: int
    """ns."""
    rule: RetentionRule = RetentionRule()
    samples: int = 0
    """Samples after which it ends; 0: never."""
    length: int = 0
    """ns after which it ends; 0: never."""


class RecordingLoop:
    """One run of the recorder."""

    def __init__(  # noqa: PLR0913, PLR0917 - all that a run needs
        self,
        plan: Plan,
        take: Callable[[], Sample],
        roll: Roll,
        clock: Clock,
        orders: Orders,
        service: Service,
        say: Callable[[str], None],
        *,
        status: bool = False,
        forecast: Forecast | None = None,
        follow: Callable[[Sample], None] = lambda _sample: None,
        ending: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare; `take` returns a sample, `forecast` is that of an earlier recording.

        `follow` is shown each sample when it is written, and `ending` is called behind the last one, while
        the file is open; they must not raise.

        With `status` there is a line every minute, without it only problems are reported.
        """
        self._plan = plan
        self._take = take
        self._roll = roll
        self._clock = clock
        self._orders = orders
        self._service = service
        self._say = say
        self._status = status
        self._forecast = forecast
        self._follow = follow
        self._ending = ending
        self._warm: list[Sample] = []
        """The first two samples, which cost more than later ones: readers are loaded and files made."""
        self._took = (0, 0)
        """ns to take the last sample, and to write it."""
        self._said: set[str] = set()
        self._start()
        self._missed: Counter[str] = Counter()
        """Skipped deadlines by reason."""
        self._failed = ""
        self._grown = 0
        """Bytes of the files that are finished."""
        self._watched: tuple[str, int] = ("", 0)
        """The file being written, and its bytes when it was opened."""

    def _start(self) -> None:
        """Count deadlines and costs from now on."""
        self._begin = self._clock.steady()
        self._wall = self._clock.utc() - self._clock.asleep()
        self._spent = self._clock.spent()
        self._asleep = self._clock.asleep()
        self._minute = self._begin + MINUTE

    def run(self) -> None:
        """Record until a signal ends it, or as long as planned."""
        number, taken = 0, 0
        self._prune()
        # opening a file may take longer than an interval, because the tables are loaded for their trends
        self._roll.open(self._clock.utc())
        self._start()
        if self._forecast is not None:
            self._announce(self._forecast)
        try:
            while True:
                self._sample()
                taken += 1
                if taken == 1:
                    self._service.ready()
                deadline = following(self._begin, self._plan.interval, number, self._clock.steady())
                self._missed[self._reason()] += deadline.missed
                number = deadline.number
                over = bool(self._plan.length) and number * self._plan.interval >= self._plan.length
                if over or taken == self._plan.samples or not self._until(deadline.at):
                    return
        finally:
            self._service.stopping()
            self._ending()
            self._roll.close()
            if self._status:
                self._say(f"ended; {self._roll.appended:,} samples recorded")

    def _reason(self) -> str:
        """Why deadlines passed."""
        take, write = self._took
        if take >= self._plan.interval:
            return "taking a sample took longer than the interval"
        if write >= self._plan.interval:
            return "writing a sample took longer than the interval"
        if take + write >= self._plan.interval:
            return "taking and writing a sample took longer than the interval"
        return "the recorder was not given the processor in time"

    def _sample(self) -> None:
        self._wake()
        begun = self._clock.steady()
        try:
            sample = self._take()
        except Exception as error:  # noqa: BLE001 - whatever fails once may work the next time
            said = f"no sample: {type(error).__name__}: {error}"
            if said != self._failed:
                self._failed = said
                self._say(said)
            self._took = (self._clock.steady() - begun, 0)
            return
        self._failed = ""
        taken = self._clock.steady()
        self._roll.append(sample)
        self._follow(sample)
        for why in mistakes().values():
            self._once(why)
        self._took = (taken - begun, self._clock.steady() - taken)
        self._watch()
        if len(self._warm) < 2:
            self._warm.append(sample)
            self._spent = self._clock.spent()  # the start is no cost of a sample
        elif self._forecast is None:
            spent = self._clock.spent() - self._spent
            self._announce(estimate(self._warm[-1], sample, spent, self._plan.interval))

    def _wake(self) -> None:
        """Notice that the machine was suspended."""
        asleep = self._clock.asleep()
        length, self._asleep = asleep - self._asleep, asleep
        if length >= MIN_SLEEP:
            text = f"the machine slept for {length / SECOND:,.0f} s"
            self._say(text)
            self._roll.note(self._clock.utc(), text)

    def _until(self, deadline: int) -> bool:
        """Wait for a deadline, and notify the watchdog; False when it is time to end."""
        while not self._orders.end:
            if self._orders.another:
                self._orders.another = False
                self._roll.turn()
            now = self._clock.steady()
            if now >= self._minute:
                self._minute = now - (now - self._begin) % MINUTE + MINUTE
                self._look()
            self._service.alive()
            if now >= deadline:
                return True
            self._clock.wait(min(deadline - now, self._service.every or deadline - now))
        return False

    def _watch(self) -> None:
        """Notice that a new file is being written."""
        path = self._roll.file.path if self._roll.file is not None else ""
        before, begin = self._watched
        if path != before:
            self._grown += max(size_of(before) - begin, 0) if before else 0
            self._watched = path, size_of(path)

    def _look(self) -> None:
        """Once a minute: retention, status, skipped deadlines."""
        self._prune()
        path, begin = self._watched
        grown = self._grown + max(size_of(path) - begin, 0)
        spent = self._clock.spent() - self._spent
        measured_now = measured(grown, spent, self._roll.appended, self._plan.interval)
        if measured_now is not None:
            self._forecast = measured_now
        costs = f", {self._forecast.words}" if self._forecast is not None else ""
        line = f"{self._roll.appended:,} samples{costs}"
        if self._roll.lost:
            line += f"; NOTHING RECORDED NOW, samples that are missing: {self._roll.lost:,}"
        self._service.status(line)
        for why, count in self._missed.items():
            if count:
                self._say(f"left out, because {why}: {count:,}")
        self._missed.clear()
        if self._status:
            self._say(line)

    def _announce(self, forecast: Forecast) -> None:
        self._forecast = forecast
        self._say(forecast.words)
        present = self._roll.file.path if self._roll.file is not None else ""
        self._once(shortage(forecast, self._plan.directory, self._plan.rule, present))

    def _prune(self) -> None:
        try:
            present = (self._roll.file or self._roll.due(self._clock.utc())).path
        except OSError as error:
            self._once(f"{self._plan.directory}: {error.strerror}")
            return
        except RecordingError as error:
            self._once(str(error))
            return
        # a wall clock that was set forward by mistake must not delete recordings: days pass as the steady
        # clock and the sleep of the machine say
        passed = self._clock.steady() - self._begin + self._clock.asleep()
        now = min(self._clock.utc(), self._wall + passed)
        done = prune(self._plan.directory, present, now, self._plan.rule)
        for file in done.unlinked:
            self._say(f"{file.file.path} unlinked, {file.size:,} bytes: beyond what is kept")
        for trouble in done.troubles:
            self._once(trouble)

    def _once(self, text: str) -> None:
        """Report once what would else be repeated every minute."""
        if text and text not in self._said:
            self._said.add(text)
            self._say(text)
