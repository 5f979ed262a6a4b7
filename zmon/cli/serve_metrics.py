"""Serves metrics for Prometheus on a loopback address or a Unix socket."""

from __future__ import annotations

import contextlib
import os
import time
from contextlib import closing
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING

from zmon.base.clock import END_OF_TIME
from zmon.base.mistake import mistakes
from zmon.cli.output import OK, complain, misused, say
from zmon.cli.source_options import (
    choice_of,
    is_simulated,
    open_source,
    refused,
    time_of,
    warn_of_hidden,
)
from zmon.exposition.exporter import Exporter
from zmon.exposition.scrape_server import ScrapeServer
from zmon.interval import Interval
from zmon.kernel.udev import watch
from zmon.machine.view import no_inputs
from zmon.recorder.recording_loop import Service, following
from zmon.recorder.signal_clock import SignalClock
from zmon.rule.grammar import usable_rules
from zmon.rule.watch import Watch
from zmon.session.machines import LiveTimeline

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.sample import Sample
    from zmon.session.timeline import Timeline


def run(args: argparse.Namespace) -> int:
    """Serve until a signal ends it; returns the exit status."""
    if args.at and not is_simulated(args.source):
        return misused("--at is a time of a simulated machine: name one with --from lab:NAME")
    try:
        timeline = (
            open_source(args)
            if args.source
            else LiveTimeline(choice_of(args), args.interval, watch(), args.root)
        )
        begin = time_of(args.at, timeline) if args.at else None
    except (ValueError, OSError) as error:
        return refused(error) if isinstance(error, ValueError) else complain(str(error))
    if not args.source:
        warn_of_hidden(args.root)
    judge = _Judge()
    exporter = Exporter(judge.open_exceptions, devices=args.devices)
    with closing(timeline):
        try:
            server = ScrapeServer(_address(args.listen), exporter)
        except OSError as error:
            return complain(f"{args.listen}: {error.strerror}")
        thread = Thread(target=server.serve_forever, name="metrics", daemon=True)
        thread.start()
        try:
            _say(f"serving metrics on {args.listen}, a sample every {args.interval:g} s")
            _sample(args, timeline, _taker(args, timeline, begin), exporter, judge)
        finally:
            server.stop()
            thread.join()
    return OK


def _address(address: str) -> tuple[str, int] | str:
    """Return what a socket binds to; port 0 is any that is free."""
    if address.startswith("unix:"):
        return address.removeprefix("unix:")
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


class _Judge:
    """Judges the samples by the rules as they come."""

    def __init__(self) -> None:
        rules, problem = usable_rules()
        if problem:
            _say(problem)
        self._watch = Watch(rules, no_inputs)
        self._before: Sample | None = None
        self._open: Sequence[ExceptionEntry] = ()

    def follow(self, sample: Sample) -> None:
        self._watch.follow(Interval(self._before, sample))
        self._before = sample
        self._open = tuple(self._watch.open())

    def open_exceptions(self) -> Sequence[ExceptionEntry]:
        return self._open


def _taker(args: argparse.Namespace, timeline: Timeline, begin: int | None) -> Callable[[], Iterable[Sample]]:
    """Return what takes samples: of this machine one now, of a recording the last one it has.

    A simulated machine is played as if it were `begin` now, or as if its first interval had just ended.
    """
    if isinstance(timeline, LiveTimeline):
        return lambda: (timeline.take(),)
    if is_simulated(args.source):
        return played(timeline.samples(), time.time_ns, begin)

    def newest() -> Iterable[Sample]:
        timeline.refresh()
        last = timeline.find(END_OF_TIME)
        return () if last is None else (last.sample,)

    return newest


def played(
    samples: Iterator[Sample], now: Callable[[], int], begin: int | None = None
) -> Callable[[], list[Sample]]:
    """Return what yields of samples of another time those that are due by now.

    All up to `begin` are due at once, so that what lasted then is known; by default the first two.
    """
    waiting = list(islice(samples, 2))
    begin = begin or (waiting[-1].at.utc if waiting else 0)
    shift = now() - begin

    def due() -> list[Sample]:
        due = []
        while waiting and waiting[0].at.utc + shift <= now():
            sample = waiting.pop(0)
            due.append(sample._replace(at=sample.at._replace(utc=sample.at.utc + shift)))
            waiting.extend(islice(samples, 0 if waiting else 1))
        return due

    return due


def _sample(
    args: argparse.Namespace,
    timeline: Timeline,
    take: Callable[[], Iterable[Sample]],
    exporter: Exporter,
    judge: _Judge,
) -> None:
    """Take samples at their deadlines until a signal comes."""
    clock, service = SignalClock(), Service(os.environ)
    clock.handle_signals(terminal=True)
    length = round(args.interval * 1e9)
    begin, number, last = clock.steady(), 0, None
    failed, damage = "", ""
    said: set[str] = set()
    while not clock.orders.end:
        try:
            for sample in take():
                if sample is not last:
                    judge.follow(sample)
                    exporter.follow(sample)
                last = sample
            failed = ""
            if (damage_now := timeline.damage()) != damage:
                damage = damage_now
                _say(damage_now or "nothing is damaged now")
            for why in mistakes().values():
                if why not in said:
                    said.add(why)
                    _say(why)
        except Exception as error:  # noqa: BLE001 - whatever fails once may work the next time
            why = f"no sample: {type(error).__name__}: {error}"
            if why != failed:
                _say(why)
            failed = why
        if not number:
            service.ready()
        deadline = following(begin, length, number, clock.steady())
        number = deadline.number
        _wait(clock, service, deadline.at)
    service.stopping()


def _wait(clock: SignalClock, service: Service, deadline: int) -> None:
    """Wait for a deadline, or for a signal, and notify the watchdog."""
    left = deadline - clock.steady()
    while left > 0 and not clock.orders.end:
        service.alive()
        clock.wait(min(left, service.every or left))
        left = deadline - clock.steady()


def _say(text: str) -> None:
    """Print a message; serving goes on if standard error is closed."""
    with contextlib.suppress(OSError):
        say(f"zmon serve-metrics: {text}")
