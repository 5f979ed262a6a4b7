"""Tells commands of a site which exceptions begin and end, as samples are recorded.

A new file, a gap and a start of the recorder interrupt what is judged, and not what is wrong.  So an
exception is over for commands only when it could have been found again: after the time for which its rule has
to hold, and the samples that are judged together.  One that the recording knows as open has been told.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent
from zmon.base.clock import SECOND
from zmon.base.event import INTERRUPTED, OPEN
from zmon.base.mistake import contained
from zmon.base.ranges import many
from zmon.recorder.command_runner import CommandRun, CommandRunner
from zmon.rule.site_command import BEGIN, END, fields_of
from zmon.rule.watch import grouped
from zmon.store.day import days
from zmon.store.file_format import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.rule.grammar import Rule
    from zmon.rule.site_command import SiteCommand
    from zmon.sample import Sample

    Place = tuple[str, str]

LATE: Final = 30
"""Samples after which each is judged: the writer shows ten together, ten are judged together."""


class Grace:
    """How long an exception may be lost from sight before it is over, by the name of its rule."""

    def __init__(self, rules: Iterable[Rule], interval: int) -> None:
        """Compute it for samples every `interval` ns."""
        self._late = LATE * interval
        self._of = {rule.name: self._needed(rule, interval) for rule in rules}

    @staticmethod
    def _needed(rule: Rule, interval: int) -> int:
        share = rule.share[1] if rule.share is not None else 0
        return round((rule.lasting + rule.window) * SECOND) + share * interval

    def of(self, rule: str) -> int:
        """Return the ns."""
        return self._of.get(rule, 0) + self._late


def open_before(directory: str, grace: Grace) -> list[ExceptionEntry]:
    """Return the exceptions that were open when a directory was recorded into last."""
    from zmon.store.reader import Recording  # noqa: PLC0415 - only a recorder with commands asks
    from zmon.trends.exception_rows import stored  # noqa: PLC0415 - likewise

    last: dict[Place, ExceptionEntry] = {}
    until = 0
    for file in days(directory).days[-2:]:  # one that was open at midnight is in the file before
        try:
            with closing(Recording(file.path)) as recording:
                log = stored([recording])
        except RecordingError:
            continue
        if not isinstance(log, Absent):
            until = max(until, log.until)
            last |= {_place(entry): entry for entry in log.entries}
    return [
        entry
        for entry in last.values()
        if entry.state in {OPEN, INTERRUPTED} and until - entry.end <= grace.of(entry.rule)
    ]


def _place(entry: ExceptionEntry) -> Place:
    return entry.rule, entry.key


class _Told(NamedTuple):
    """An exception that a command knows."""

    entry: ExceptionEntry
    is_silent: bool = False
    """Whether it began too soon after the last one there, so that the command did not run."""


class ToldCommand:
    """Which exceptions a command has been told."""

    def __init__(self, command: SiteCommand, grace: Grace, earlier: Iterable[ExceptionEntry]) -> None:
        """Take those of `earlier` as told."""
        self.command = command
        self._grace = grace
        self._told = {_place(entry): _Told(entry) for entry in earlier if command.concerns(entry)}
        self._lost: dict[Place, int] = {}
        """Since when those are not open which are told, ns of the steady clock."""
        self._begun: dict[Place, int] = {}
        """When it last ran for a begin, within the time that two are `apart`."""

    def begun(self, entries: Iterable[ExceptionEntry], now: int) -> list[ExceptionEntry]:
        """Take what is open now; return what has begun."""
        open_now = {_place(entry): entry for entry in entries if self.command.concerns(entry)}
        new = {place: entry for place, entry in open_now.items() if place not in self._told}
        apart = round(self.command.apart * SECOND)
        self._begun = {place: at for place, at in self._begun.items() if now - at < apart}
        loud = {place: entry for place, entry in new.items() if place not in self._begun}
        for place, entry in open_now.items():
            if place in new:
                self._told[place] = _Told(entry, place not in loud)
            else:
                told = self._told[place]
                self._told[place] = told._replace(entry=entry._replace(begin=told.entry.begin))
        self._begun |= dict.fromkeys(loud, now)
        self._lost = {place: self._lost.get(place, now) for place in self._told if place not in open_now}
        return [*loud.values()]

    def over(self, now: int) -> list[ExceptionEntry]:
        """Return what has ended."""
        ended = [place for place, since in self._lost.items() if now - since > self._grace.of(place[0])]
        self._lost = {place: since for place, since in self._lost.items() if place not in ended}
        return [entry for entry, is_silent in map(self._told.pop, ended) if not is_silent]


class ExceptionTeller:
    """Has commands run for exceptions that begin and end, and tells which of them failed."""

    def __init__(
        self,
        commands: Sequence[ToldCommand],
        open_exceptions: Callable[[], Sequence[ExceptionEntry]],
        note: Callable[[int, str], None],
        say: Callable[[str], None],
        runner: CommandRunner | None = None,
    ) -> None:
        """Run nothing yet; `note` writes an event into the recording, `say` a line for the operator."""
        self._commands = commands
        self._open_exceptions = open_exceptions
        self._note = note
        self._say = say
        self._runner = CommandRunner() if runner is None else runner
        self._seen: Sequence[ExceptionEntry] | None = None
        self._said: dict[str, str] = {}
        """By the place of a command the failure that was said last."""
        self._utc = 0
        """The time of the last sample."""

    def follow(self, sample: Sample) -> None:
        """Look at what is open now, behind a sample; nothing is waited for."""
        self._utc = sample.at.utc
        contained("the commands of exceptions", lambda: self._follow(sample.at.steady), lambda _why: None)

    def _follow(self, now: int) -> None:
        entries = self._open_exceptions()
        for told in self._commands:
            begun = told.begun(entries, now) if entries is not self._seen else []
            self._run(told.command, BEGIN, begun)
            self._run(told.command, END, told.over(now))
        self._seen = entries
        self._tell_failures()

    def _run(self, command: SiteCommand, state: str, entries: Iterable[ExceptionEntry]) -> None:
        if state not in command.when:
            return
        runs = [CommandRun(command, fields_of(entry, state)) for entry in grouped(entries)]
        left_out = len(runs) - sum(map(self._runner.add, runs))
        if left_out:
            self._tell_left_out(left_out, "too many wait already")

    def _tell_left_out(self, count: int, why: str) -> None:
        text = f"{many(count, 'run')} of commands left out: {why}"
        self._note(self._utc, text)
        self._say(text)

    def _tell_failures(self) -> None:
        """Write each failure into the recording, and say it once until the command works again."""
        while not self._runner.outcomes.empty():
            outcome = self._runner.outcomes.get()
            command, fields = outcome.run
            if not outcome.failure:
                self._said.pop(command.place, None)
                continue
            about = f"{fields['state']} of {fields['rule']} {fields['where']}".rstrip()
            self._note(self._utc, f"The command {command.run[0]} for the {about} {outcome.reason}")
            if self._said.get(command.place) != outcome.failure:
                self._said[command.place] = outcome.failure
                self._say(f"{command.place}: the command {command.run[0]} {outcome.reason}")

    def stop(self) -> None:
        """Wait for the command that runs, at most until its deadline; none begins any more."""
        left_out = self._runner.stop()
        self._tell_failures()
        if left_out:
            self._tell_left_out(left_out, "the recorder ends")
