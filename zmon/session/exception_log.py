"""The exceptions of a timeline: judged from its samples, as far as recordings do not store them.

Samples are judged in their order, a piece at a time where somebody waits for the glass.  A live machine is
judged sample by sample, as they are taken.
"""

from __future__ import annotations

import shlex
import time
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.clock import DATED, END_OF_TIME, clock
from zmon.base.event import Event, Exceptions, What
from zmon.interval import Interval
from zmon.machine.topology import units_of
from zmon.machine.view import View, no_inputs
from zmon.rule.grammar import usable_rules
from zmon.rule.watch import Watch, event_of, grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.rule.grammar import Rule
    from zmon.sample import Sample
    from zmon.session.timeline import Overview, Position, Timeline
    from zmon.store.reader import Recording
    from zmon.topology.machine import UserInputs
    from zmon.trends.exception_rows import StoredExceptions
    from zmon.trends.quiet_minutes import QuietMinutes

REREAD: Final = 2.0
"""Seconds after which a recording is looked at again for exceptions that were added."""
PIECE: Final = 0.1
"""Seconds for which samples are judged at a time."""


class QuietTimes:
    """Which rules need not be judged between two samples, because roll-ups show that they hold for no row."""

    def __init__(self, rules: Sequence[Rule], inputs: Callable[[], UserInputs] | None = None) -> None:
        """Read nothing yet; `inputs` is what users supply about the machine."""
        self._rules = rules
        self._inputs = inputs
        self._minutes: tuple[Recording, QuietMinutes] | None = None
        """The recording that was looked at last, with its minutes."""

    def rules_at(self, before: Position, after: Position, interval: Interval) -> Collection[str]:
        """Return the names of the rules; none unless the samples follow one another in a recording."""
        recording = after.section.recording
        if recording is None or before.section is not after.section or after.number != before.number + 1:
            return ()
        if self._minutes is None or self._minutes[0] is not recording:
            from zmon.trends.quiet_minutes import QuietMinutes  # noqa: PLC0415 - a capture needs no SQLite

            self._minutes = recording, QuietMinutes(recording, self._rules, self._inputs)
        return self._minutes[1].rules_at(interval)


class ExceptionLog:
    """The exceptions of one timeline, as far as they are known; threads may share it."""

    def __init__(self, timeline: Timeline, rules: Iterable[Rule]) -> None:
        """Judge nothing yet."""
        self._timeline = timeline
        self.rules = tuple(rules)
        self._watch = Watch(self.rules, timeline.inputs)
        self._quiet = QuietTimes(self._watch.rules, timeline.inputs)
        self._lock = Lock()
        self._position: Position | None = None
        """The last sample of a recorded timeline that was judged."""
        self._last: Sample | None = None
        """That of a live one."""
        self.problem = ""
        """Why the user's own rules are not used."""
        self.tell: Callable[[int], object] = lambda _until: None
        """Is told between pieces of work up to when samples were judged."""
        self._begin, self._end = 0, END_OF_TIME
        self._done = False
        """Whether all samples are judged that there were when they were last looked at."""
        self._stored: StoredExceptions | None = None
        """What the recordings of the timeline store."""
        self._read = 0.0
        """When these were read."""
        self._since = 0
        """The first sample of a live machine that was judged."""
        self._seen: tuple[int, list[ExceptionEntry]] = (0, [])
        """The exceptions up to the last sample that was judged, in groups."""

    # judge

    def confine(self, begin: int, end: int | None) -> None:
        """Judge nothing before a time and behind another; to be said before anything is judged."""
        self._begin, self._end = begin, END_OF_TIME if end is None else end

    def follow(self, sample: Sample) -> None:
        """Judge the next sample of a live machine."""
        with self._lock:
            self._since = sample.at.utc if self._last is None else self._since
            self._watch.follow(self._timeline.interval(self._last, sample))
            self._last = sample
            self._list()  # who asks while the next sample is judged gets what is known of this one

    def advance(self, until: int = END_OF_TIME, seconds: float | None = None) -> bool:
        """Judge recorded samples up to a time, for so many seconds at most; return whether that is done."""
        until = min(until, self._end)
        end = None if seconds is None else time.monotonic() + seconds
        timeline = self._timeline
        with self._lock:
            if timeline.live:
                return True
            if self._read_stored():
                return True
            self._done = False
            if self._position is None:
                self._position = timeline.find(self._begin) or timeline.next()
            while (before := self._position) is not None and before.utc < until:
                after = timeline.next(before)
                if after is None or after.utc > until:
                    break
                interval = Interval(before.sample, after.sample)
                self._watch.follow(interval, self._quiet.rules_at(before, after, interval))
                self._position = after
                if end is not None and time.monotonic() >= end:
                    return False
            self._done = until == self._end
        return True

    def is_stored(self) -> bool:
        """Return whether the recordings of the timeline store their exceptions, so that nothing is judged."""
        with self._lock:
            return not self._timeline.live and self._read_stored()

    def _read_stored(self) -> bool:
        """Read exceptions that a recorder has stored; return False where samples have to be judged."""
        is_part = self._begin > 0 or self._end < END_OF_TIME
        if self._position is not None or is_part or self._has_other_limits:
            return False
        now = time.monotonic()
        if self._stored is not None and now < self._read + REREAD:
            return True
        span = self._timeline.span()
        recordings = [] if span is None else self._timeline.recordings(*span)
        if not recordings or len(recordings) != len(self._timeline.refresh()):
            return False
        from zmon.store.file_format import RecordingError  # noqa: PLC0415 - a capture needs no SQLite
        from zmon.trends.exception_rows import stored  # noqa: PLC0415 - likewise

        try:
            trends = None if self._has_other_lcus() else stored(recordings)
            self._stored = None if isinstance(trends, Absent) else trends
        except RecordingError:
            self._stored = None  # an event reports the damage; samples that can be read are judged
        self._read = now
        return self._stored is not None

    @cached_property
    def _has_other_limits(self) -> bool:
        """Whether the site file that is named changes a rule of those by which a recorder judges here."""
        return bool(self._timeline.site) and self.rules != usable_rules()[0]

    def _has_other_lcus(self) -> bool:
        """Return whether users name the LCUs of disks otherwise than the recorder knew them."""
        inputs, last = self._timeline.inputs, self._timeline.find(END_OF_TIME)
        if inputs in {None, no_inputs} or last is None or not inputs().tells_lcus:
            return False
        now = Interval(None, last.sample)
        units, told = (units_of(View(now, inputs=asked)) for asked in (no_inputs, inputs))
        return units.of != told.of

    def complete(self, until: int = END_OF_TIME) -> None:
        """Judge recorded samples up to a time, and let others see between pieces of work what is known."""
        while not self.advance(until, PIECE):
            self.tell(self.until)

    # what is known

    def overview(self) -> Overview | None:
        """Return the whole timeline at a glance, with the exceptions that are known."""
        return self._timeline.overview()

    def remark(self) -> str:
        """Return a sentence while samples are still judged; else it is empty."""
        span, until = self._timeline.span(), self.until
        if self._done or self._stored is not None or self._timeline.live or span is None:
            return ""
        judged_up_to = (
            f"up to {clock(until, DATED)} of {clock(span[1], DATED)}" if until else "from the first on"
        )
        return f"Samples are still judged by the rules: {judged_up_to}"

    @property
    def until(self) -> int:
        """Up to when samples were judged; 0 before the first."""
        if self._stored is not None:
            return self._stored.until
        last = self._last if self._position is None else self._position.sample
        return 0 if last is None else last.at.utc

    def entries(self) -> Sequence[ExceptionEntry]:
        """Return what was found by now, by its begin; many of one kind are one."""
        if self._lock.acquire(blocking=False):  # else a thread judges: what was known before will do
            try:
                self._list()
            finally:
                self._lock.release()
        return self._seen[1]

    def _list(self) -> None:
        """Make the list of exceptions anew if samples were judged since; only who has the lock may do it."""
        until = self.until
        if self._seen[0] != until:
            listed = grouped(self._watch.log() if self._stored is None else self._stored.entries)
            units = {rule.name: rule.unit for rule in self.rules}
            self._seen = (
                until,
                [
                    entry._replace(number=at, unit=units.get(entry.rule, ""))
                    for at, entry in enumerate(listed, 1)
                ],
            )

    def exceptions(self, begin: int = 0, end: int = END_OF_TIME) -> Exceptions:
        """Return the exceptions that overlap a time, and how far that is known."""
        entries, span = self.entries(), self._timeline.span()
        until = self.until
        entries_in = tuple(entry for entry in entries if entry.begin < end and entry.until > begin)
        is_done = self._done or self._stored is not None or self._timeline.live or span is None
        last = self.until if is_done else min(span[1], end, self._end)  # type: ignore[index]  # it is known then
        if self._timeline.live and not self.until:
            last = end  # nothing was judged yet
        first = self._since if span is None or self._timeline.live else max(span[0], self._begin)
        unknown = self._watch.unknown if self._stored is None else self._stored.unknown
        return Exceptions(entries_in, first, min(until, end), last, unknown, self.problem, self._anew())

    def _anew(self) -> str:
        """Return the command that judges anew if the recordings were judged by other rules than these."""
        if self._stored is None:
            return ""
        from zmon.trends.exception_rows import digest_of  # noqa: PLC0415 - a capture needs no SQLite

        is_same = self._stored.digests == {digest_of(self.rules)}
        return "" if is_same else shlex.join(["zmon", "rules", *self._timeline.asked])

    def open(self, utc: int | None = None) -> list[ExceptionEntry]:
        """Return those that are open at a time, by default at the last sample judged, the heaviest first."""
        return Exceptions(tuple(self.entries()), until=self.until).open_at(self.until if utc is None else utc)

    def in_place(self, events: Iterable[Event], begin: int, end: int) -> list[Event]:
        """Return events between two times with the exceptions that are known, in the place of stored ones.

        Those of recordings of an older zmon were values of single intervals beyond the limit of a screen.
        """
        since, until = self._since, self.until
        kept = [event for event in events if event.what is not What.LIMIT or not since <= event.begin < until]
        return kept + [
            event_of(entry) for entry in self.entries() if entry.begin <= end and entry.end >= begin
        ]


def log_of(timeline: Timeline) -> ExceptionLog:
    """Return the log of a timeline by the shipped rules and the user's own, if these can be used."""
    if isinstance(timeline.log, ExceptionLog):
        return timeline.log
    rules, problem = usable_rules(timeline.site)
    log = timeline.log = ExceptionLog(timeline, rules)
    log.problem = problem
    return log
