"""Judges one interval by one rule: for each row the level that its value reaches, or why that is not known.

Three answers are possible: the rule holds (`look` or `bad`), it does not (0), or it is not known (`Absent`),
because a value is missing that it needs.  A precondition that does not hold settles the matter even where the
value is not known.
"""

from __future__ import annotations

import time
from fnmatch import fnmatchcase
from itertools import compress, repeat
from operator import ge, gt, le, lt, mul, ne
from types import MappingProxyType

from zmon.base.absent import Absent, absent, ratio
from zmon.base.clock import SECOND
from zmon.base.event import BAD, LOOK
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.mistake import contained, itself
from zmon.base.ranges import ranges
from zmon.base.record import NamedTuple
from zmon.machine.cpus import cpu_name
from zmon.machine.figure import Variable, is_faint
from zmon.rule.grammar import ALL, COUNT, FIELD, LACKING, OTHERS, SIGNS
from zmon.rule.known_columns import NO_COLUMN
from zmon.sample import pick
from zmon.tables.filled import alone, definition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.machine.figure import Figure
    from zmon.machine.things import Things
    from zmon.machine.view import View
    from zmon.rule.grammar import Hours, Rule
    from zmon.tables.table import Table

NO_SIBLINGS: Final = absent("no other row has a value to compare with")
NO_NUMBER: Final = absent("the value is no number")
FIRST_TIME: Final = absent("there is no earlier value to compare with")
UNSEEN: Final = absent("it is named by others alone, and not seen itself")
GIVEN: Final = frozenset({"", ALL, "value", "where"})
"""What a sentence may name besides columns, and a group that is no column."""
MANY: Final = 256
"""Rows from which on it is cheaper to compare all values first than to compute no column in vain."""
OPPOSITE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {">=": lt, "<=": gt, ">": le, "<": ge}
"""Comparisons that hold where one is known not to."""
ROUNDED: Final = 1 - 1e-9
"""What a mean may be above all that it is the mean of, by rounding."""
PATHS: Final = frozenset({"chpids", "lostchpids"})
"""The columns of channel paths."""
UNSAID: Final = "...."
"""Stands in a sentence for a value that is not known, as on a screen."""


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _median(values: Sequence[float]) -> float:
    ranked, half = sorted(values), len(values) // 2
    return ranked[half] if len(values) % 2 else (ranked[half - 1] + ranked[half]) / 2


CHOOSE: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "least": min,
    "mean": _mean,
    "median": _median,
}


class Judgement(NamedTuple):
    """What a rule says of one row in one interval."""

    level: int | Absent
    """0, `LOOK` or `BAD`; absent with the reason why it is not known."""
    value: Number = 0
    """What was compared with the limits."""


class Judge:
    """Judges one interval: computes each column once, whichever rules ask for it."""

    def __init__(
        self, view: View, checked: set[str] | None = None, filled: Mapping[str, Table] = MappingProxyType({})
    ) -> None:
        """Look at the interval of a view, of which some tables may be `filled` already.

        Rules whose names are `checked` name columns that there are.
        """
        self._view = view
        self._checked = set() if checked is None else checked
        self._filled = filled
        self._rates: dict[tuple[str, str], float] = {}
        """The sum of a rate over all rows, by table and column."""
        self._things: dict[str, Things] = {}
        self._unshown: dict[str, Things] = {}
        """By table, the things of which a figure was asked that the table does not show."""
        self._columns: dict[tuple[str, str], Sequence[Value]] = {}
        self._compared: dict[str, Sequence[Number]] = {}
        """What is compared with the limits, row by row, of rules that need it of all rows."""

    # columns

    def _of(self, table: str) -> Things | None:
        """Return the things whose figures a table shows as they are, so that each can be asked for alone.

        None where the whole table has to be filled.
        """
        if table not in self._things and table not in self._filled:
            sort = definition(table).things
            if sort is not None and sort.as_shown:
                self._things[table] = sort.seen(self._view)
        return self._things.get(table)

    def keys(self, table: str) -> Sequence[str] | Absent:
        """Return the keys of a table's rows, or why there are none."""
        things = self._of(table)
        if things is not None and things.keys:
            return things.keys
        filled = self._table(table)
        return filled.keys if filled.missing is None else filled.missing

    def _table(self, name: str) -> Table:
        return self._filled[name] if name in self._filled else alone(name, self._view)

    def column(self, table: str, name: str) -> Sequence[Value]:
        """Return a column in the order of the keys; absent throughout if the table has none of that name."""
        column_values = self._columns.get((table, name))
        if column_values is None:
            things = self._of(table) if self._declared(table, name) is not None else None
            column_values = self._filled_column(table, name) if things is None else things.column(name)
            self._columns[table, name] = column_values
        return column_values

    def _filled_column(self, table: str, name: str) -> Sequence[Value]:
        """Return a column of a table that is filled as a whole; what it does not show, of its things."""
        filled, things = self._table(table), definition(table).things
        if name in filled.columns or things is None or self._declared(table, name) is None:
            return filled.column(name)
        seen = self._unshown.get(table) or self._unshown.setdefault(table, things.seen(self._view))
        values = dict(zip(seen.keys, seen.column(name), strict=True))
        return [values.get(key, UNSEEN) for key in filled.keys]

    @staticmethod
    def _declared(table: str, name: str) -> Figure | None:
        return definition(table).figures.get(name)

    def of_all(self, table: str, name: str) -> Value:
        """Return what all rows of a table have together, or a fact above them."""
        things = self._of(table) if self._declared(table, name) is not None else None
        value = None if things is None else things.together(name)
        if value is not None:
            return value
        filled = self._table(table)
        if filled.missing is not None:
            return filled.missing
        cells = {**filled.facts, **(filled.summary.cells if filled.summary is not None else {})}
        cell = cells.get(name)
        return absent(f"{name} is not known here") if cell is None else cell

    # judgements

    def judge(
        self, rule: Rule, held: Mapping[str, int], before: Mapping[str, Number]
    ) -> dict[str, Judgement] | Absent:
        """Return the judgements that are not "it does not hold, and nobody asks"; absent without rows.

        `held` are the levels of the rule's rows that are remembered, 0 where no exception is open; they have
        a judgement always, or are gone.  An exception that is open ends only below `clear`.  `before` has the
        values of the interval before, where the rule asks for them.
        """
        return contained(rule_part(rule), lambda: self._judge(rule, held, before), itself)

    def _judge(
        self, rule: Rule, held: Mapping[str, int], before: Mapping[str, Number]
    ) -> dict[str, Judgement] | Absent:
        keys: Sequence[str] | Absent = [""] if rule.of_all else self.keys(rule.table)
        if isinstance(keys, Absent):
            return keys
        if rule.name not in self._checked:  # it may take whole tables, so it is done once
            if (wrong := self._unknown_term(rule)) is not None:
                return wrong
            self._checked.add(rule.name)
        judgements = {}
        in_hours = rule.hours is None or self._in_hours(rule.hours)
        for at in self._candidates(rule, keys, held, before):
            key, value = keys[at], self._value(rule, at)
            level: int | Absent = 0
            if in_hours and self._is_watched(rule, at):
                level = _level(rule, value, held.get(key, 0), before.get(key))
                if isinstance(level, Absent) or level:
                    allowed = self._allowed(rule, at)
                    level = level if allowed is True else allowed or 0
            judgements[key] = Judgement(level, value)
        return judgements

    def values_of(self, rule: Rule) -> dict[str, Number]:
        """Return what is compared with the limits, by key, where it is known."""
        keys: Sequence[str] | Absent = [""] if rule.of_all else self.keys(rule.table)
        pairs = () if isinstance(keys, Absent) else zip(keys, self._values(rule), strict=True)
        return {key: value for key, value in pairs if value.__class__ is not Absent}

    def _values(self, rule: Rule) -> Sequence[Number]:
        """Return what is compared with the limits, in the order of the keys."""
        values = self._compared.get(rule.name)
        if values is None:
            count = 1 if rule.of_all else len(self.column(rule.table, rule.column))
            values = self._compared[rule.name] = [self._value(rule, at) for at in range(count)]
        return values

    def _value(self, rule: Rule, at: int) -> Number:
        """Return what is compared with the limits, of one row."""
        value = self._cell(rule, rule.column, at)
        if rule.sense == "changed":
            return value  # type: ignore[return-value]  # a text is compared as well
        return ratio(_number(value), _number(self._cell(rule, rule.per, at))) if rule.per else _number(value)

    def _cell(self, rule: Rule, column: str, at: int) -> Value:
        return self.of_all(rule.table, column) if rule.of_all else self.column(rule.table, column)[at]

    def _unknown_term(self, rule: Rule) -> Absent | None:
        """Return that a rule names a column which its table does not have."""
        for table, column in rule.columns.values():
            if self._declared(table, column) is not None:
                continue
            filled = self._table(table)
            summary = {} if filled.summary is None else filled.summary.cells
            if filled.missing is None and all(
                column not in names for names in (filled.columns, filled.facts, summary)
            ):
                return absent(NO_COLUMN.format(table, column))
        return None

    def _candidates(
        self, rule: Rule, keys: Sequence[str], held: Mapping[str, int], before: Mapping[str, Number]
    ) -> Iterable[int]:
        """Return the rows that may reach a limit, and those that are remembered: of thousands mostly none."""
        if rule.compares:
            values = self._values(rule)
            old = map(before.get, keys, values)  # a row that was not there has not changed
            differ = ne if rule.sense == "changed" else gt
            reached: Sequence[int] = [at for at, differs in enumerate(map(differ, old, values)) if differs]
        else:
            reached = self._reaching(rule, range(len(keys)))
        if not held:
            return reached
        return sorted({*reached, *(at for at, key in enumerate(keys) if key in held)})

    def _reaching(self, rule: Rule, rows: Sequence[int]) -> Sequence[int]:
        """Return the rows that reach a limit and that no precondition on the row itself excludes.

        A column that only rows need which are excluded already is not computed.
        """
        limits = [level for level in (rule.look, rule.bad) if level is not None]
        limit, reaches = (max(limits), le) if rule.sense == "under" else (min(limits), ge)
        if rule.of_all:
            return [at for at in rows if reaches(self._value(rule, at), limit)]
        if rule.sense == "over" and self._is_below(rule, limit):
            return []
        value_first = not rule.per and (len(rows) > MANY or self._of(rule.table) is None)
        if value_first:
            rows = _choice(rows, reaches, self.column(rule.table, rule.column), repeat(limit))
        for condition in rule.when:
            if not rows or {condition.sign, condition.left, condition.other} & {LACKING, COUNT}:
                continue
            if "." in f"{condition.left}{condition.other}":  # it is about another row
                continue
            left = self.column(rule.table, condition.left)
            right: Iterable[Number] = repeat(1.0)
            if condition.other:
                right = map(_number, pick(self.column(rule.table, condition.other), rows))
            excluded = _choice(rows, OPPOSITE[condition.sign], left, map(mul, right, repeat(condition.times)))
            rows = sorted({*rows} - {*excluded}) if excluded else rows
        return rows if value_first else [at for at in rows if reaches(self._value(rule, at), limit)]

    def _is_below(self, rule: Rule, limit: float) -> bool:
        """Return whether the mean of some devices cannot reach a limit, because that of no device does."""
        declared = self._declared(rule.table, rule.column)
        if rule.table != "control_unit" or rule.per or declared is None or not declared.over:
            return False
        declared_by = self._declared("device", rule.column)
        if declared_by is None or not declared_by.over or self._of("control_unit") is None:
            return False
        return not any(map(ge, self.column("device", rule.column), repeat(limit * ROUNDED)))

    def _is_watched(self, rule: Rule, at: int) -> bool:
        return all(
            fnmatchcase(str(self.column(rule.table, column)[at]), pattern) is wanted
            for column, pattern, wanted in rule.rows
        )

    def _in_hours(self, hours: Hours) -> bool:
        now = time.localtime(self._view.interval.after.at.utc // SECOND)
        minute, day, (days, begin, end) = now.tm_hour * 60 + now.tm_min, now.tm_wday, hours
        if begin <= end:
            return day in days and begin <= minute < end
        return (day in days and minute >= begin) or ((day - 1) % 7 in days and minute < end)

    def _allowed(self, rule: Rule, at: int) -> bool | Absent:
        """Return whether all preconditions hold: one that does not decides, whatever is missing of others."""
        missing: Absent | None = None
        for condition in rule.when:
            left = self._term(rule, at, condition.left)
            if condition.sign == LACKING:
                if not isinstance(left, Absent):
                    return False
                continue
            right = self._term(rule, at, condition.other) if condition.other else 1.0
            if isinstance(left, Absent) or isinstance(right, Absent):
                missing = missing or (left if isinstance(left, Absent) else right)  # type: ignore[assignment]  # one is
            elif not SIGNS[condition.sign](left, condition.times * right):
                return False
        if not rule.of_all and not self._is_evident(rule, at):
            return False
        if missing is None and rule.siblings is not None:
            stands_out = self._stands_out(rule, at)
            if isinstance(stands_out, Absent) or not stands_out:
                return stands_out
        return True if missing is None else missing

    def _is_evident(self, rule: Rule, at: int) -> bool:
        """Return whether a mean is one of enough I/O; see `is_faint`."""
        declared = self._declared(rule.table, rule.column)
        if declared is None or not declared.over:
            return True
        place = rule.table, declared.over
        rates, seconds = self.column(*place), self._view.interval.seconds
        if place not in self._rates:
            self._rates[place] = sum(rate for rate in rates if not isinstance(rate, (Absent, str)))
        rate = rates[at]
        if isinstance(rate, (Absent, str)) or isinstance(seconds, Absent):
            return True
        return not is_faint(rate, self._rates[place], seconds)

    def _term(self, rule: Rule, at: int, term: str) -> float | Absent:
        if term == COUNT:
            return float(sum(not isinstance(value, Absent) for value in self._values(rule)))
        return _number(self.cell(rule, at, term))

    def cell(self, rule: Rule, at: int, term: str) -> Value:
        """Return what a condition or a sentence names, of one row."""
        table, _, column = term.rpartition(".")
        if table == OTHERS:
            return self._others(rule, at, column)
        if table:
            return self.of_all(rule.table if table == ALL else table, column)
        return self.of_all(rule.table, term) if rule.of_all else self.column(rule.table, term)[at]

    def _others(self, rule: Rule, at: int, name: str) -> Number:
        """Return the mean of a column over the other rows, by the rate that it is an average over."""
        declared = self._declared(rule.table, name)
        values = [_number(value) for value in self.column(rule.table, name)]
        weight = "" if declared is None else declared.over
        rates = map(_number, self.column(rule.table, weight)) if weight else [1.0] * len(values)
        others = [
            (value, rate)
            for place, (value, rate) in enumerate(zip(values, rates, strict=True))
            if place != at and not isinstance(value, Absent) and not isinstance(rate, Absent)
        ]
        whole = sum(rate for _, rate in others)
        return sum(value * rate for value, rate in others) / whole if whole else NO_SIBLINGS

    def _stands_out(self, rule: Rule, at: int) -> bool | Absent:
        """Return whether a value is so many times that of the other rows."""
        assert rule.siblings is not None  # noqa: S101 - the caller has looked
        times, of, within = rule.siblings
        values = self._values(rule)
        value = values[at]
        groups = self.column(rule.table, within) if within else ()
        others_known = [
            float(value)
            for place, value in enumerate(values)
            if place != at and not isinstance(value, Absent) and (not within or groups[place] == groups[at])
        ]
        if not others_known:
            return NO_SIBLINGS
        others = CHOOSE[of](others_known)
        return bool(value * times <= others if rule.sense == "under" else value >= times * others)

    # what is said of a row

    def where(self, rule: Rule, key: str) -> str:
        """Return what a row is called on its screen: LCU `6`, CHPID `4a`, P03; empty for that of all rows."""
        if not key:
            return ""
        if rule.table == "cpu":
            return cpu_name(key)
        from zmon.tables.plot import row_names  # noqa: PLC0415 - marks need no names

        return row_names([Variable(rule.table, rule.column, key)], self._view)[0]

    def cells(self, rule: Rule, key: str) -> dict[str, Value]:
        """Return what a rule's sentence, evidence and group name, of one row."""
        at = 0 if rule.of_all else list(self.keys(rule.table)).index(key)  # type: ignore[arg-type]  # it was judged
        terms = [name for name, _ in FIELD.findall(rule.say)]
        wanted = dict.fromkeys([*terms, *rule.also, rule.group]).keys() - GIVEN
        cells: dict[str, Value] = {term: self.cell(rule, at, term) for term in sorted(wanted)}
        return {"where": self.where(rule, key), **cells}


def rule_part(rule: Rule) -> str:
    """Return what a rule is called as a part of zmon."""
    return f"the rule {rule.name}"


def sentence(rule: Rule, cells: Mapping[str, Value], value: Number) -> str:
    """Write the sentence of a rule about a row: `{resp}` is a column, `{value}` what was compared."""

    def written(name: str, digits: str) -> str:
        cell = value if name == "value" else cells.get(name, absent("not known"))
        if isinstance(cell, Absent):
            return UNSAID
        if isinstance(cell, str):
            return ranges(cell.split()) if name.rpartition(".")[2] in PATHS else cell
        if digits:
            return f"{cell:,.{digits}f}"
        return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"

    return FIELD.sub(lambda match: written(match[1], match[2]), rule.say)


def _choice(
    rows: Sequence[int], sign: Callable[[Any, Any], bool], values: Sequence[Value], limits: Iterable[Number]
) -> Sequence[int]:
    """Return the rows whose values compare so with their limits; a text, or what is absent, does not."""
    picked = values if len(rows) == len(values) else pick(values, rows)
    if str in set(map(type, picked)):
        picked = list(map(_number, picked))
    return list(compress(rows, map(sign, picked, limits)))


def _number(value: Value) -> float | Absent:
    if isinstance(value, str):
        return NO_NUMBER
    return value if isinstance(value, Absent) else float(value)


def _level(rule: Rule, value: Number, held: int, before: Number | None) -> int | Absent:
    """Return the level that a value reaches; an exception that is open leaves its level below `clear`."""
    if isinstance(value, Absent):
        return value
    if rule.compares or (rule.rising and not held):
        if before is None or isinstance(before, Absent):
            return FIRST_TIME
        if rule.compares:
            differs = value < before if rule.sense == "fallen" else value != before
            return (BAD if rule.look is None else LOOK) * differs
        if value <= before:
            return 0
    reached = [level for level in (LOOK, BAD) if _is_beyond(rule, level, value, held >= level)]
    return max(reached, default=0)


def _is_beyond(rule: Rule, level: int, value: Number, is_open: bool) -> bool:
    limit = rule.look if level == LOOK else rule.bad
    if limit is None:
        return False
    part = rule.clear if is_open else 1.0
    return bool(value <= limit / part if rule.sense == "under" else value >= limit * part)
