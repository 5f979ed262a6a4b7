"""Two samples: what happened between them.

An `Interval` takes differences and nothing else.  Four things can stand in the way, and they are
never mixed up: a *wrap* (a counter started again at zero, the difference is still known), a
*reset* (somebody or something cleared it, the difference is unknown), a *gap* (the samples lie
further apart than the counters last) and a *replacement* (the key now belongs to another thing).
All but the wrap make the value absent, with its reason.
"""

from __future__ import annotations

from functools import cached_property
from operator import sub
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.sample import Meaning

if TYPE_CHECKING:
    from zmon.absent import Number, Value
    from zmon.sample import Frame, Kind, Sample

FIRST: Final = absent("first sample: differences come with the next one")
RESTARTED: Final = absent("the machine was restarted between the samples")
STEPPED_BACK: Final = absent("the clock stepped back between the samples")
NOT_AGAIN: Final = absent("not read again in this interval")
TOO_LONG: Final = absent("gap: the samples lie further apart than the counters last")
APPEARED: Final = absent("new: it was not there in the sample before")
REPLACED: Final = absent("another device has this number now")
RESET: Final = absent("the counters were reset between the samples")
FELL: Final = absent("the counter fell: reset or wrapped, which is not known")


class Delta:
    """One kind of thing between two samples, column by column.

    `delta[name]` is a list in the order of `keys`: the difference for a counter, the later value
    for anything else.  `rate(name)` divides a counter by the seconds of its row.
    """

    def __init__(self, before: Frame | None, after: Frame, void: Absent | None = None) -> None:
        """Compare two frames of a kind; `void` makes every difference absent."""
        self.kind = after.kind
        self.keys = after.keys
        self.missing = after.missing
        self._after = after
        self._void = void
        self._before = before
        self._values: dict[str, list[Value]] = {}
        self._rates: dict[str, list[Number]] = {}
        if before is None:
            self._void = void or FIRST
        elif before.missing is not None and void is None:
            self._void = before.missing
        # for each row of `after` its row in `before`; None when all rows stand in the same place
        self._rows: list[int | None] | None = None
        if before is not None and before.keys != after.keys:
            self._rows = [before.index.get(key) for key in after.keys]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def frame(self) -> Frame:
        """The later of the two frames."""
        return self._after

    @cached_property
    def index(self) -> dict[str, int]:
        """The row number of each key."""
        return dict(self._after.index)

    def _earlier(self, name: str) -> list[Value]:
        """Return the values of the sample before, in the order of the rows of this one."""
        assert self._before is not None  # noqa: S101 - _void is set when there is none
        values = self._before.column(name)
        if self._rows is None:
            return values
        return [APPEARED if row is None else values[row] for row in self._rows]

    @cached_property
    def seconds(self) -> list[Number]:
        """The length of the interval for each row, in seconds; absent where rows do not compare."""
        if self._void is not None or self._before is None:
            return [self._void or FIRST] * len(self.keys)
        times = self._before.times
        earlier: list[Number] = (
            list(times)
            if self._rows is None
            else [APPEARED if row is None else times[row] for row in self._rows]
        )
        longest = self.kind.wraps_after
        lengths: list[Number] = [
            (now - then) / 1e9 for now, then in zip(self._after.times, earlier, strict=True)
        ]
        if min((s for s in lengths if s.__class__ is float), default=1.0) <= 0.0 or longest:
            for row, length in enumerate(lengths):
                if length == 0.0:
                    lengths[row] = NOT_AGAIN
                elif length < 0:
                    lengths[row] = STEPPED_BACK
                elif longest and length > longest:
                    lengths[row] = TOO_LONG
        self._void_the_reset(lengths)
        return lengths

    def _void_the_reset(self, lengths: list[Number]) -> None:
        for declared in self.kind.fields:
            name = declared.name
            if name not in self._after.columns:
                continue
            if declared.meaning is Meaning.IDENTITY:
                now, then = self._after.columns[name], self._earlier(name)
                if now != then:
                    for row, (a, b) in enumerate(zip(now, then, strict=True)):
                        if a != b and not isinstance(a, Absent) and not isinstance(b, Absent):
                            lengths[row] = REPLACED
            elif declared.meaning is Meaning.AGE:
                for row, (a, b) in enumerate(
                    zip(self._after.columns[name], self._earlier(name), strict=True)
                ):
                    if a < b:  # type: ignore[operator]  # an age is a number or Absent
                        lengths[row] = RESET

    def __getitem__(self, name: str) -> list[Value]:
        known = self._values.get(name)
        if known is None:
            counter = self.kind.by_name[name].meaning is Meaning.COUNTER
            known = self._values[name] = self._difference(name) if counter else self._after.column(name)
        return known

    def _difference(self, name: str) -> list[Value]:
        if self._void is not None:
            return [value if isinstance(value, Absent) else self._void for value in self._after.column(name)]
        result: list[Value] = list(map(sub, self._after.column(name), self._earlier(name)))
        modulus = self.kind.by_name[name].modulus
        for row, value in enumerate(result):
            if value < 0:  # type: ignore[operator]  # a counter is a number or Absent
                result[row] = self._wrapped(row, value, modulus)  # type: ignore[arg-type]
        if not self._comparable:
            for row, length in enumerate(self.seconds):
                if isinstance(length, Absent) and not isinstance(result[row], Absent):
                    result[row] = length
        return result

    @cached_property
    def _comparable(self) -> bool:
        """Whether every row of this sample can be compared with the one before."""
        return not any(s.__class__ is Absent for s in self.seconds)

    @cached_property
    def _ages(self) -> list[Value] | None:
        for declared in self.kind.fields:
            if declared.meaning is Meaning.AGE and declared.name in self._after.columns:
                return self._after.columns[declared.name]
        return None

    def _wrapped(self, row: int, fall: int, modulus: int) -> Value:
        """Return the difference of a counter that fell: known if it wrapped, else absent.

        Where the row's age shows that nobody reset it, it wrapped.  Where no age is known, a
        wrap is believed only if the counter then advanced by less than half its range.
        """
        if not modulus:
            return RESET
        rise = fall + modulus
        aged = self._ages is not None and not isinstance(self._ages[row], Absent)
        if rise >= 0 and (aged or rise < modulus // 2):
            return rise
        return FELL

    def numbers(self, name: str) -> list[Number]:
        """Return `delta[name]` of a field that holds numbers."""
        return self[name]  # type: ignore[return-value]  # a counter or a gauge is never a text

    def rate(self, name: str) -> list[Number]:
        """Return a counter's differences per second, for each row."""
        known = self._rates.get(name)
        if known is None:
            differences = self.numbers(name)
            known = self._rates[name] = [d / s for d, s in zip(differences, self.seconds, strict=True)]
        return known

    def cell(self, key: str, name: str) -> Value:
        """Return one value of one row; absent when there is no such row."""
        row = self._after.index.get(key)
        if row is None:
            return self._after.cell(key, name)
        return self[name][row]


class Interval:
    """What happened between two samples; `before` is None for the first sample there is."""

    def __init__(self, before: Sample | None, after: Sample) -> None:
        """Compare `after` with `before`; nothing is computed until it is asked for."""
        self.before = before
        self.after = after
        self._deltas: dict[str, Delta] = {}

    @cached_property
    def void(self) -> Absent | None:
        """Why nothing of the two samples can be compared, if so."""
        if self.before is None:
            return FIRST
        if self.before.at.boot != self.after.at.boot:
            return RESTARTED
        if self.after.at.steady < self.before.at.steady:
            return STEPPED_BACK
        return None

    @cached_property
    def seconds(self) -> Number:
        """The length of the interval by the steady clock."""
        if self.void is not None or self.before is None:
            return self.void or FIRST
        return (self.after.at.steady - self.before.at.steady) / 1e9

    @property
    def gap(self) -> bool:
        """Whether samples are missing in between: three times as long as was meant, or more."""
        nominal = self.after.nominal
        if isinstance(self.seconds, Absent):
            return self.before is not None
        return bool(nominal) and self.seconds >= 3 * nominal

    def of(self, kind: Kind) -> Delta:
        """Return the differences of one kind of thing."""
        delta = self._deltas.get(kind.name)
        if delta is None:
            before = self.before.frame(kind) if self.before is not None else None
            after = self.after.frame(kind)
            if before is after and after.prior is not None:
                before = after.prior  # read more seldom: its own last two readings count
            delta = self._deltas[kind.name] = Delta(before, after, self.void)
        return delta
