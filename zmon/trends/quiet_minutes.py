"""Which rules hold for no row in a minute of a recording: from the roll-ups, without its samples.

Roll-ups keep the lowest and the highest value of each figure in each minute. Where these exclude that a row
reaches the limits of a rule, or meets what it requires besides, the samples of that minute need not be read
for it. So a day is judged from its roll-ups, and from the samples of the minutes in which something may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.clock import SECOND
from zmon.machine.topology import has_more_lcus
from zmon.machine.view import View
from zmon.rule.bounds import ESTIMATED, is_known
from zmon.rule.grammar import LACKING
from zmon.store.file_format import RecordingError
from zmon.trends.rollup import minute_of
from zmon.trends.rollup_damage import damaged_times
from zmon.trends.trend_tables import MINUTE, THOUSAND, TREND_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from zmon.interval import Interval
    from zmon.rule.grammar import Rule
    from zmon.store.reader import Recording
    from zmon.topology.machine import UserInputs
    from zmon.trends.trend_tables import TrendTable

HOUR: Final = 60 * MINUTE
NONE: Final[frozenset[str]] = frozenset()
AVERAGED: Final = frozenset({"cpu"})
"""Tables whose row of all has averages of the other rows, so that it is not above the highest of these."""
PAIRS: Final = (
    f"SELECT (a.utc + b.utc) / 2 / {MINUTE * SECOND} * {MINUTE}, count(*)"  # noqa: S608 - numbers
    " FROM sample a JOIN sample b ON b.n = a.n + 1 GROUP BY 1"
)
"""The minutes of a recording, and how many intervals between samples that follow one another each has."""


class RowTest:
    """What is asked of each row of a roll-up: whether a rule may have held for that thing in that minute.

    A value that the roll-up lacks may have been anything.  A thing that is not in the roll-up did nothing, so
    only rules are asked that do not hold for such a thing.
    """

    def __init__(self, rule: Rule, figures: frozenset[str]) -> None:
        """Write what the roll-ups of these figures tell about a rule as SQL."""
        self.name = rule.name
        self._rule = rule
        self.terms: list[str] = []
        self.numbers: list[float] = []
        """What the question marks in the terms stand for."""
        self.is_useful = False
        """Whether a term excludes what did nothing."""
        self._columns = figures
        limits = [level for level in (rule.look, rule.bad) if level is not None]
        if rule.sense != "over" or rule.remembers or rule.window or not limits:
            return
        if rule.of_all:
            if rule.table in AVERAGED and not rule.per:
                self._reach(rule.column, "", min(limits))
            return
        self._reach(rule.column, rule.per, min(limits))
        for condition in rule.when:
            if condition.sign == LACKING or not is_known(condition, self._columns):
                continue
            if condition.sign in {">=", ">"}:
                self._above(condition.left, condition.times, condition.other)
            else:
                self._below(condition.left, condition.times, condition.other)

    def _reach(self, name: str, per: str, limit: float) -> None:
        if name not in self._columns or (per and per not in self._columns):
            return
        self._above(name, limit, per)
        self.is_useful = self.is_useful or limit > 0

    def _above(self, name: str, times: float, other: str) -> None:
        """Add that a figure was at least so many times another, or a number; roll-ups are rounded."""
        if other:
            self._add(f"r.{name}_max + 1 >= ? * max(r.{other}_min - 1, 0)", times)
        else:
            self._add(f"r.{name}_max + 1 >= ?", THOUSAND * times)
            self.is_useful = self.is_useful or times > 0

    def _below(self, name: str, times: float, other: str) -> None:
        if other:
            self._add(f"r.{name}_min - 1 <= ? * (r.{other}_max + 1)", times)
        else:
            self._add(f"r.{name}_min - 1 <= ?", THOUSAND * times)

    def _add(self, term: str, number: float) -> None:
        self.terms.append(term)
        self.numbers.append(number)

    @property
    def sql(self) -> str:
        """Return what is 1 for a minute in which the rule may have held for any thing, else 0."""
        any_row = f"max(r.thing IS NOT NULL AND coalesce({' AND '.join(self.terms)}, 1))"
        if self._rule.table not in ESTIMATED:
            return any_row
        # where it was not measured in all intervals, a screen may have estimated it
        return f"coalesce(max({any_row}, min(r.{self._rule.column}_count) < m.intervals), 1)"


class QuietMinutes:
    """The rules that hold for no row in the minutes of one recording, as far as its roll-ups tell."""

    def __init__(
        self,
        recording: Recording,
        rules: Sequence[Rule],
        inputs: Callable[[], UserInputs] | None = None,
    ) -> None:
        """Read the roll-ups of the minutes that are over; `inputs` is what users supply about the machine."""
        self._inputs = inputs
        self._quiet: dict[int, frozenset[str]] = {}
        """By minute, the names of the rules."""
        self._by_uid = frozenset(rule.name for rule in rules if rule.table == "control_unit")
        try:
            covered = _covered(recording)
            for table in TREND_TABLES:
                for minute, names in _quiet_in(recording, table, rules, covered):
                    self._quiet[minute] = self._quiet.get(minute, NONE) | names
        except RecordingError:
            self._quiet = {}  # its samples are judged

    def rules_at(self, interval: Interval) -> Collection[str]:
        """Return the names of the rules that hold for no row in an interval between two samples in a row."""
        rules = self._quiet.get(minute_of(interval), NONE)
        if rules & self._by_uid and has_more_lcus(View(interval, inputs=self._inputs)):
            return rules - self._by_uid  # roll-ups have only the LCUs that unique ids name
        return rules


def _covered(recording: Recording) -> frozenset[int]:
    """Return the minutes that are over and whose intervals are all in the roll-ups."""
    span = recording.span()
    if span is None or not recording.has_rollups:
        return frozenset()
    last = span[1] // SECOND // MINUTE * MINUTE
    rolled = dict(recording.ask("SELECT minute, intervals FROM minute"))
    for minute in damaged_times(recording, None):
        rolled.pop(minute, None)
    pairs: Iterable[tuple[int, int]] = recording.ask(PAIRS)
    return frozenset(minute for minute, count in pairs if minute < last and rolled.get(minute) == count)


def _kept(recording: Recording, table: TrendTable) -> frozenset[str]:
    """Return the figures whose roll-ups a recording has: an older one lacks those that came later."""
    columns = {name for (name,) in recording.ask("SELECT name FROM pragma_table_info(?)", table.minutes)}
    return frozenset(figure.name for figure in table.figures if columns.issuperset(figure.columns))


def _quiet_in(
    recording: Recording, table: TrendTable, rules: Sequence[Rule], minutes: Collection[int]
) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield minutes with the rules on a table that held for no row in them."""
    kept = _kept(recording, table)
    tests = [test for rule in rules if rule.table == table.table and (test := RowTest(rule, kept)).is_useful]
    if not tests:
        return
    question = (
        f"SELECT m.minute, {', '.join(test.sql for test in tests)}"  # noqa: S608 - names of ours
        f" FROM minute m LEFT JOIN {table.minutes} r ON r.minute = m.minute"
        " WHERE m.minute >= ? AND m.minute < ? GROUP BY m.minute"
    )
    numbers = [number for test in tests for number in test.numbers]
    for hour in sorted({minute // HOUR * HOUR for minute in minutes}):
        damaged = damaged_times(recording, table, between=(hour, hour + HOUR - 1))
        for minute, *answers in recording.ask(question, *numbers, hour, hour + HOUR):
            if minute in minutes and minute not in damaged:
                yield (
                    minute,
                    frozenset(
                        test.name for test, may_hold in zip(tests, answers, strict=True) if may_hold == 0
                    ),
                )
