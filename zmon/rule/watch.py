"""Watches intervals by rules, and keeps the log of exceptions: when each began, how long and how bad it was.

Only observed time counts.  A gap or a restart ends what is open, as `interrupted`; what the sample behind a
gap says by itself, such as a path that is down, begins with it.  A value that is not known neither begins nor
ends anything until `keep` is over.  So the log is a pure function of the rules and of the intervals, whoever
asks: live, a recording, a capture, the laboratory.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.clock import SECOND
from zmon.base.event import BAD, GONE, INTERRUPTED, OPEN, OVER, Event, ExceptionEntry, What
from zmon.base.mistake import contained
from zmon.interval import Interval
from zmon.machine.view import View
from zmon.rule.bounds import has_no_rows_again, is_unchanged, lists_nothing
from zmon.rule.judge import Judge, rule_part, sentence
from zmon.tables.filled import shown_on

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.rule.grammar import Rule
    from zmon.rule.judge import Judgement
    from zmon.sample import Sample
    from zmon.topology.machine import UserInputs

MAX_ENTRIES: Final = 10_000
"""Exceptions that a log holds; those that ended first leave it first."""
STORM: Final = 3
"""More exceptions of one rule and group that overlap are one line."""

NO_MEAN: Final = absent("the values are no numbers")
NO_LIMIT: Final = absent("it is compared with the interval before")


class Worst(NamedTuple):
    """The worst interval of an exception."""

    value: Number
    begin: int
    end: int
    """UTC in ns."""
    cells: Mapping[str, Value]
    """The evidence: what the rule's sentence and `also` name, and `where`."""


class RowState:
    """What is remembered of one rule and one row from interval to interval."""

    def __init__(self, rule: Rule, key: str) -> None:
        """Remember nothing yet."""
        self._rule, self._key = rule, key
        self.value: Number | None = None
        """That of the last interval."""
        self._last: deque[bool] = deque(maxlen=rule.share[1] if rule.share else 0)
        """Whether it held in the last intervals, for k of n."""
        self._forget()

    def _forget(self) -> None:
        self.level = 0
        """That of the open exception now; 0 if none is open."""
        self._worst: Worst | None = None
        self.begun = self._end = 0
        """UTC in ns; 0 where it has not held."""
        self._held = self._sum = 0.0
        """Observed seconds in which it held, one interval after the other, and the values times these."""
        self._highest = self._intervals = 0

    @property
    def holds(self) -> bool:
        """Whether it has held lately, so that the row has to be remembered."""
        return bool(self.begun) or any(self._last)

    @property
    def is_bad(self) -> bool:
        """Whether an exception is open that was bad."""
        return bool(self.level) and self._highest == BAD

    def judged(self, judgement: Judgement, judge: Judge, interval: Interval) -> ExceptionEntry | None:
        """Count an interval; return the exception that ends with it."""
        level, self.value = judgement
        if isinstance(level, Absent):
            return self.not_known(level, interval.after.at.utc)
        self._last.append(level > 0)
        if level:
            self._count(level, judge, interval)
        elif self.level and interval.after.at.utc - self._end >= self._rule.keep * SECOND:
            return self.close(OVER)
        elif not self.level and not any(self._last):
            self._forget()
        return None

    def _count(self, level: int, judge: Judge, interval: Interval) -> None:
        rule, value = self._rule, self.value
        assert value is not None  # noqa: S101 - it was judged
        begin, seconds = _length(interval)
        self._end = interval.after.at.utc
        self.begun = self.begun or begin
        self._held += seconds
        self._intervals += 1
        if not isinstance(value, Absent):
            self._sum += value * seconds
        if self._worst is None or _worse(rule, value, self._worst.value):
            self._worst = Worst(value, begin, self._end, judge.cells(rule, self._key))
        if self.level or self._is_long_enough(seconds):
            self.level = level
            self._highest = max(self._highest, level)

    def _is_long_enough(self, seconds: float) -> bool:
        """Return whether it has held for long enough; one interval that is longer than that is enough."""
        if self._rule.share is not None:
            return sum(self._last) >= self._rule.share[0]
        return max(self._held, seconds) >= self._rule.lasting

    def not_known(self, why: Absent, utc: int) -> ExceptionEntry | None:
        """Count an interval whose value is not known; return the exception if that lasts too long."""
        if self.level and utc - self._end >= max(self._rule.keep, self._rule.lasting) * SECOND:
            return self.close(f"not known: {why.reason}")
        return None

    def entry(self, state: str = OPEN) -> ExceptionEntry | None:
        """Return the exception; None if none is open."""
        if not self.level or self._worst is None:
            return None
        rule, worst = self._rule, self._worst
        counts = rule.sense != "changed" and self._held
        limit = rule.bad if self._highest == BAD else rule.look
        return ExceptionEntry(
            rule.name,
            rule.digest,
            rule.table,
            self._key,
            str(worst.cells.get("where", "")),
            self.begun,
            self._end,
            self._highest,
            worst.value,
            worst.begin,
            worst.end,
            NO_LIMIT if limit is None or rule.compares else limit,
            self._sum / self._held if counts else NO_MEAN,
            self._intervals,
            contained(
                rule_part(rule), lambda: sentence(rule, worst.cells, worst.value), attrgetter("reason")
            ),
            rule.cause,
            rule.weight,
            str(worst.cells.get(rule.group, "")) if rule.group else self._key,
            state,
        )

    def close(self, state: str) -> ExceptionEntry | None:
        """End what is open and begin anew."""
        exception = self.entry(state)
        self._last.clear()
        self._forget()
        return exception


class Watch:
    """Follows the intervals of a timeline, in order, and keeps the log of its exceptions."""

    def __init__(self, rules: Iterable[Rule], inputs: Callable[[], UserInputs] | None = None) -> None:
        """Know nothing yet; `inputs` is what users supply about the machine."""
        self.rules = tuple(rule for rule in rules if rule.logs)
        self._inputs = inputs
        self._checked: set[str] = set()
        """The rules whose columns are known to be there."""
        self._rows: dict[str, dict[str, RowState]] = {rule.name: {} for rule in self.rules}
        """By rule and key, those that hold or have a value to remember."""
        self._settled: set[str] = set()
        """The rules that were judged since the last gap."""
        self._before: dict[str, Mapping[str, Number]] = {}
        """By rule, the values of the last interval, where the next ones are compared with them."""
        self._over: deque[ExceptionEntry] = deque(maxlen=MAX_ENTRIES)
        self._samples: deque[Sample] = deque()
        """Those within the longest window, the oldest first."""
        self._longest = max((rule.window for rule in self.rules), default=0.0)
        self.unknown: dict[str, Absent] = {}
        """Why rules could not be judged in the last interval, by name."""
        self._rowless: set[str] = set()
        """Those of them of whose rows nothing is remembered, since the last gap."""
        self._weighed = self._observed = 0.0
        """The weights of open bad exceptions times seconds, and seconds."""

    def follow(self, interval: Interval, quiet: Collection[str] = ()) -> None:
        """Judge the next interval by all rules, but those that are known to hold for no further row."""
        seconds = interval.seconds
        if isinstance(seconds, Absent) or seconds <= 0 or interval.gap:
            self._interrupt()
            self._samples = deque([interval.after])
            if not isinstance(seconds, Absent) and seconds > 0:
                self._look(interval.after)
            return
        self._remember(interval)
        judges: dict[float, Judge] = {}
        for rule in self.rules:
            contained(
                rule_part(rule),
                partial(self._follow, rule, interval, judges, is_quiet=rule.name in quiet),
                partial(self._not_judged, rule, interval),
            )
        self._observed += seconds
        self._weighed += seconds * sum(
            rule.weight for rule in self.rules for row in self._rows[rule.name].values() if row.is_bad
        )

    def _follow(self, rule: Rule, interval: Interval, judges: dict[float, Judge], *, is_quiet: bool) -> None:
        """Judge an interval by one rule, if that can change anything."""
        is_settled = rule.name in self._settled
        if is_settled and self._is_forgotten(rule) and lists_nothing(rule, interval):
            return
        if self._may_skip(rule) and (is_quiet or (is_settled and is_unchanged(rule, interval))):
            return
        if rule.name in self._rowless and has_no_rows_again(rule, interval):
            return
        if rule.window not in judges:
            judges[rule.window] = Judge(self._view(rule.window, interval), self._checked)
        self._judge(rule, judges[rule.window], interval)

    def _not_judged(self, rule: Rule, interval: Interval, why: Absent) -> None:
        """Note why a rule cannot be judged in an interval, and end what was open for too long."""
        rows = self._rows[rule.name]
        self.unknown[rule.name] = why
        if not rows:
            self._rowless.add(rule.name)
        ended = [row.not_known(why, interval.after.at.utc) for row in rows.values()]
        self._over += [entry for entry in ended if entry is not None]

    def _look(self, sample: Sample) -> None:
        """Judge behind a gap what a sample says by itself: the state of a path is known, no rate is."""
        alone = Interval(None, sample)
        judge = Judge(View(alone, inputs=self._inputs), self._checked)
        for rule in self.rules:
            if not (rule.window or rule.remembers):
                begin = partial(self._begin, rule, judge, alone)
                contained(rule_part(rule), begin, partial(self.unknown.__setitem__, rule.name))

    def _begin(self, rule: Rule, judge: Judge, alone: Interval) -> None:
        """Remember the rows for which a rule holds in a sample alone."""
        judgements = judge.judge(rule, {}, {})
        for key, judgement in {} if isinstance(judgements, Absent) else judgements.items():
            if _holds(judgement):
                row = RowState(rule, key)
                row.judged(judgement, judge, alone)
                self._rows[rule.name][key] = row

    def _may_skip(self, rule: Rule) -> bool:
        """Return whether nothing is remembered of a rule that a quiet interval could end or change."""
        is_known = rule.name in self._checked and (not rule.remembers or rule.name in self._before)
        return is_known and self._is_forgotten(rule) and not rule.window

    def _is_forgotten(self, rule: Rule) -> bool:
        """Return whether nothing is remembered of a rule, and it was known."""
        return not self._rows[rule.name] and rule.name not in self.unknown

    def _remember(self, interval: Interval) -> None:
        """Keep the samples that the longest window reaches, and the one before it."""
        if not self._samples and interval.before is not None:
            self._samples.append(interval.before)
        self._samples.append(interval.after)
        begin = interval.after.at.steady - round(self._longest * SECOND)
        while len(self._samples) > 2 and self._samples[1].at.steady <= begin:
            self._samples.popleft()

    def _view(self, window: float, interval: Interval) -> View:
        """Return a view of an interval, or of the window that ends with it, as far as samples reach."""
        if window:
            begin = interval.after.at.steady - round(window * SECOND)
            earlier = [sample for sample in self._samples if sample.at.steady <= begin]
            first = earlier[-1] if earlier else self._samples[0]
            interval = Interval(first, interval.after, skipped=True)
        return View(interval, inputs=self._inputs)

    def _judge(self, rule: Rule, judge: Judge, interval: Interval) -> None:
        rows, before = self._rows[rule.name], self._before.get(rule.name, {})
        judgements = judge.judge(rule, {key: row.level for key, row in rows.items()}, before)
        if rule.remembers:
            self._before[rule.name] = _compared_next(rule, judge.values_of(rule), before, judgements)
        self.unknown.pop(rule.name, None)
        self._rowless.discard(rule.name)
        if isinstance(judgements, Absent):
            self._not_judged(rule, interval, judgements)
            return
        self._settled.add(rule.name)
        new = [
            key
            for key, judgement in judgements.items()
            if _holds(judgement) and (key not in rows or not rows[key].begun)
        ]
        begun = self._begun(rule, new) if rule.window and new else {}
        for key, judgement in judgements.items():
            if key not in rows:
                if not _holds(judgement):
                    continue
                rows[key] = RowState(rule, key)
            if key in begun:
                rows[key].begun = begun[key]
            self._log(rows[key].judged(judgement, judge, interval))
        for key in [key for key, row in rows.items() if key not in judgements or not row.holds]:
            self._log(rows.pop(key).close(GONE))

    def _begun(self, rule: Rule, keys: Collection[str]) -> dict[str, int]:
        """Return since when rows hold by themselves, within the window over which they begin to hold.

        The mean over a window is beyond a limit only when most of the window is: what is slow began before.
        """
        first = self._samples[-1].at.steady - round(rule.window * SECOND)
        samples = [sample for sample in self._samples if sample.at.steady >= first]
        begun: dict[str, int] = {}
        left = set(keys)
        for before, after in reversed([*pairwise(samples)]):
            judge = Judge(View(Interval(before, after), inputs=self._inputs), self._checked)
            alone = judge.judge(rule, {}, {})
            if isinstance(alone, Absent):
                break
            left = {key for key in left if key in alone and _holds(alone[key])}
            if not left:
                break
            begun |= dict.fromkeys(left, before.at.utc)
        return begun

    def _interrupt(self) -> None:
        for rows in self._rows.values():
            for row in rows.values():
                self._log(row.close(INTERRUPTED))
            rows.clear()
        self._before.clear()
        self._settled.clear()
        self._rowless.clear()

    def _log(self, entry: ExceptionEntry | None) -> None:
        if entry is not None:
            self._over.append(entry)

    # the log

    def open(self) -> list[ExceptionEntry]:
        """Return the exceptions that are open, the heaviest first: level, weight, then the longest."""
        states = (row for rows in self._rows.values() for row in rows.values())
        entries = (entry for row in states if (entry := row.entry()) is not None)
        return sorted(entries, key=attrgetter("heaviness"))

    def log(self) -> list[ExceptionEntry]:
        """Return all exceptions by their begin."""
        return sorted([*self._over, *self.open()], key=by_begin)

    @property
    def average(self) -> float:
        """The average number of open bad exceptions, each with the weight of its rule."""
        return self._weighed / self._observed if self._observed else 0.0


def _holds(judgement: Judgement) -> bool:
    return not isinstance(judgement.level, Absent) and judgement.level > 0


def _length(interval: Interval) -> tuple[int, float]:
    """Return when an interval began that was judged, and its seconds; behind a gap the nominal ones."""
    if interval.before is None:
        seconds = interval.after.nominal
        return interval.after.at.utc - round(seconds * SECOND), seconds
    return interval.before.at.utc, float(interval.seconds)  # type: ignore[arg-type]  # else it is not judged


def _compared_next(
    rule: Rule,
    values: Mapping[str, Number],
    before: Mapping[str, Number],
    judgements: Mapping[str, Judgement] | Absent,
) -> Mapping[str, Number]:
    """Return what the next interval is compared with: of a row that has fallen the value it fell from."""
    if rule.sense != "fallen":
        return values
    fallen = (
        before
        if isinstance(judgements, Absent)
        else [key for key, judgement in judgements.items() if judgement.level]
    )
    return {**values, **{key: before[key] for key in fallen if key in before}}


def _worse(rule: Rule, value: Number, worst: Number) -> bool:
    """Return whether a value is worse than another; the lowest of a number that changes or falls."""
    return bool(value > worst if rule.sense == "over" else value < worst)


# many at a time


def event_of(entry: ExceptionEntry) -> Event:
    """Return the event that an exception is."""
    return Event(What.LIMIT, entry.begin, entry.end, entry.key, entry.told, shown_on(entry.table))


def by_begin(entry: ExceptionEntry) -> tuple[Any, ...]:
    """Sort exceptions by their begin, of the same begin the heaviest first."""
    return entry.begin, entry.heaviness


def grouped(entries: Iterable[ExceptionEntry]) -> list[ExceptionEntry]:
    """Put more than `STORM` exceptions of one rule together that overlap and have its group in common."""
    alike: dict[tuple[str, str], list[ExceptionEntry]] = {}
    for entry in entries:
        alike.setdefault((entry.rule, entry.group), []).append(entry)
    grouped_entries: list[ExceptionEntry] = []
    for together in (part for same in alike.values() for part in _overlapping(same)):
        grouped_entries += [_spanning(together)] if len(together) > STORM else together
    return sorted(grouped_entries, key=by_begin)


def _overlapping(entries: Iterable[ExceptionEntry]) -> list[list[ExceptionEntry]]:
    """Return those together that overlap in time, one with the next."""
    groups: list[list[ExceptionEntry]] = []
    until = 0
    for entry in sorted(entries, key=attrgetter("begin")):
        if groups and entry.begin < until:
            groups[-1].append(entry)
        else:
            groups.append([entry])
        until = max(until, entry.end)
    return groups


def _spanning(entries: Sequence[ExceptionEntry]) -> ExceptionEntry:
    """Return the worst of some, with the time that they have together; open if one is."""
    worst = max(entries, key=_severity)
    state = OPEN if any(entry.state == OPEN for entry in entries) else worst.state
    begin, end = min(entry.begin for entry in entries), max(entry.end for entry in entries)
    return worst._replace(begin=begin, end=end, state=state, many=len(entries))


def _severity(entry: ExceptionEntry) -> tuple[int, float]:
    """Return the level, and how far the worst value is beyond the limit."""
    if isinstance(entry.worst, (Absent, str)) or isinstance(entry.limit, Absent):
        return entry.level, 0.0
    return entry.level, abs(entry.worst - entry.limit)
