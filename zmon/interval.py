"""Two samples and the differences between them.

An `Interval` takes differences and nothing else.  Four things can prevent a difference, and they are
kept apart: a *wrap* (a counter started again at zero, the difference is still known), a
*reset* (the counter was cleared, the difference is unknown), a *gap* (the samples lie
further apart than the counters last) and a *replacement* (the key now belongs to another thing).
All but the wrap make the value absent, with its reason.

A counter that fell either wrapped or was reset.  In a row that carries the age of its counters it was reset
if the age grew by less than the elapsed time, and wrapped otherwise.  A clock wraps.  Otherwise a wrap is
assumed if the counter advanced by less than half its range; a reset that happens in the other half is not
detected. A counter that fell and cannot have wrapped was reset, and so were the other counters of its row.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import repeat
from math import inf
from operator import le, lt, sub, truediv

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final, TypeVar
from zmon.kinds import BLOCK, CACHE, CMF, DASD, DEVICE
from zmon.sample import Frame, Meaning, pick

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Number, Value
    from zmon.sample import Field, Kind, Sample

    Cell = TypeVar("Cell", bound=Value)

FIRST: Final = absent("first sample: differences come with the next one")
RESTARTED: Final = absent("the machine was restarted between the samples")
STEPPED_BACK: Final = absent("the clock stepped back between the samples")
NOT_AGAIN: Final = absent("not read again in this interval")
TOO_LONG: Final = absent("gap: the samples lie further apart than the counters last")
APPEARED: Final = absent("new: it was not there in the sample before")
REPLACED: Final = absent("replaced: another one has this number or name now")
RESET: Final = absent("the counters were reset between the samples")
FELL: Final = absent("the counter fell: reset or wrapped, which is not known")

IDLE: Final = absent("no I/O in the interval")
"""Why a mean time is absent where it was measured."""
IMPOSSIBLE: Final = absent("what was read is more than the counter can hold")

WIDEST: Final = 1 << 64
"""No counter of the kernel has more values."""
RESTING: Final = 65.0
"""Seconds that the age of a row may lag: an idle device is read only once a minute."""
DRIFT: Final = 0.001
"""The relative difference between clocks that is allowed in the length of an interval."""

KEYED_BY_DEVICE: Final = frozenset(kind.name for kind in (CACHE, CMF, DASD, DEVICE))
"""Kinds whose rows have the bus id of a device as key; block devices have names of their own."""


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
        self._before = before
        self._void = void or (FIRST if before is None else before.missing)
        self._values: dict[str, list[Value]] = {}
        self._rates: dict[str, list[Number]] = {}
        self._falls: dict[str, bool] = {}
        self._changes: dict[str, tuple[list[Number], Number]] = {}
        self._whole: set[str] = set()
        """Counters that are known of all rows in both samples."""
        # for each row of `after` its row in `before`; None if all rows are in the same places
        self._rows: list[int | None] | None = None
        if before is not None and before.keys != after.keys:
            self._rows = [before.index.get(key) for key in after.keys]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def frame(self) -> Frame:
        """The later of the two frames."""
        return self._after

    @property
    def index(self) -> Mapping[str, int]:
        """The row number of each key."""
        return self._after.index

    def _fell(self, name: str) -> bool:
        """Return whether any counter of a column is lower than before."""
        fell = self._falls.get(name)
        if fell is None:
            now, then = self._after.column(name), self._earlier(name)
            if now is then or now == then:
                fell = False
            elif name not in self._changes:  # of most counters nobody asks more
                fell = any(map(lt, now, then))
            else:
                change, whole = self._changes[name]
                # an absent value is neither lower nor higher, and `min` would take it for the lowest
                fell = (
                    any(map(lt, change, repeat(0)))
                    if isinstance(whole, Absent)
                    else min(change, default=0) < 0
                )
            self._falls[name] = fell
        return fell

    def _change(self, name: str) -> tuple[list[Number], Number]:
        """Return by how much the numbers of a column changed, whatever that means, and the sum of it."""
        change_known = self._changes.get(name)
        if change_known is None:
            change: list[Number] = list(map(sub, self._after.column(name), self._earlier(name)))
            change_known = self._changes[name] = change, sum(change)
        return change_known

    def _earlier(self, name: str) -> Sequence[Value]:
        """Return the values of the sample before, in the order of the rows of this one."""
        assert self._before is not None  # noqa: S101 - _void is set when there is none
        return self._in_order(self._before.column(name))

    def _in_order(self, values: Sequence[Cell]) -> Sequence[Cell | Absent]:
        if self._rows is None:
            return values
        return [APPEARED if row is None else values[row] for row in self._rows]

    @cached_property
    def seconds(self) -> list[Number]:
        """The length of the interval for each row, in seconds; absent where rows do not compare."""
        if self._void is not None or self._before is None:
            return [self._void or FIRST] * len(self.keys)
        passed = map(sub, self._after.times, self._in_order(self._before.times))
        lengths: list[Number] = list(map(truediv, passed, repeat(1e9)))
        if any(map(le, lengths, repeat(0))):
            for row, length in enumerate(lengths):
                if length <= 0:
                    lengths[row] = STEPPED_BACK if length < 0 else NOT_AGAIN
        for declared in self.kind.fields:
            if declared.name not in self._after.columns:
                continue
            if declared.meaning is Meaning.IDENTITY:
                self._void_replaced(declared, lengths)
            elif declared.meaning is Meaning.AGE:
                self._void_younger(declared, lengths)
            elif declared.meaning is Meaning.COUNTER and not self.kind.alone:
                self._void_fallen(declared, lengths)
        return lengths

    def _void_replaced(self, identity: Field, lengths: list[Number]) -> None:
        now, then = self._after.columns[identity.name], self._earlier(identity.name)
        if now == then:
            return
        for row, (a, b) in enumerate(zip(now, then, strict=True)):
            if a != b and not isinstance(a, Absent) and not isinstance(b, Absent):
                lengths[row] = REPLACED

    def _void_younger(self, age: Field, lengths: list[Number]) -> None:
        grown = list(map(sub, self._after.columns[age.name], self._earlier(age.name)))
        longest = max((length for length in lengths if not isinstance(length, Absent)), default=0.0)
        if not any(map(lt, grown, repeat(max(0, longest * (1 - DRIFT) - RESTING) * 1e9))):
            return
        for row, (ns, length) in enumerate(zip(grown, lengths, strict=True)):
            if not isinstance(length, Absent) and ns < max(0, length * (1 - DRIFT) - RESTING) * 1e9:
                lengths[row] = RESET

    def _void_fallen(self, counter: Field, lengths: list[Number]) -> None:
        if not self._fell(counter.name):
            return
        for row, change in enumerate(self._change(counter.name)[0]):
            if change < 0 and not isinstance(lengths[row], Absent):
                risen = self._wrapped(counter, row, change)  # type: ignore[arg-type]  # an absent one is not below 0
                lengths[row] = risen if isinstance(risen, Absent) else lengths[row]

    @cached_property
    def _longest(self) -> float:
        """The length of the longest interval of any row; infinite when some rows do not compare."""
        lengths = self.seconds
        return inf if isinstance(sum(lengths), Absent) else max(lengths, default=0.0)  # type: ignore[return-value]  # none is absent

    def __getitem__(self, name: str) -> list[Value]:
        values = self._values.get(name)
        if values is None:
            declared = self.kind.by_name[name]
            counts = declared.meaning in {Meaning.COUNTER, Meaning.CLOCK}
            values = self._difference(declared) if counts else self._after.column(name)
            self._values[name] = values
        return values

    def _difference(self, declared: Field) -> list[Value]:
        now = self._after.column(declared.name)
        if self._void is not None:
            return [value if isinstance(value, Absent) else self._void for value in now]
        change, whole = self._change(declared.name)
        result = change.copy()
        if self._fell(declared.name):
            for row, (value, length) in enumerate(zip(result, self.seconds, strict=True)):
                if value < 0:
                    void = isinstance(length, Absent)
                    result[row] = length if void else self._wrapped(declared, row, value)  # type: ignore[arg-type]  # it is no Absent
            whole = sum(result)
        maximum = declared.modulus or WIDEST
        if not whole <= maximum and any(map(lt, repeat(maximum), result)):
            result = [IMPOSSIBLE if value > maximum else value for value in result]
            whole = IMPOSSIBLE
        if not isinstance(whole, Absent):
            self._whole.add(declared.name)
        longest = declared.wraps_after or self._longest
        if self._longest > longest or self._longest == inf:
            for row, length in enumerate(self.seconds):
                if not length <= longest and not isinstance(result[row], Absent):
                    self._whole.discard(declared.name)
                    result[row] = length if isinstance(length, Absent) else TOO_LONG
        return result  # type: ignore[return-value]  # numbers are values

    def _wrapped(self, declared: Field, row: int, fall: float) -> Number:
        """Return the difference of a counter that fell: known if it wrapped, else absent."""
        if not declared.modulus:
            return RESET
        rise = fall + declared.modulus
        sure = declared.meaning is Meaning.CLOCK or row in self._aged
        if rise >= 0 and (sure or rise < declared.modulus // 2):
            return rise
        return FELL

    @cached_property
    def _aged(self) -> frozenset[int]:
        """The rows whose age is known in both samples, which shows a reset."""
        for declared in self.kind.fields:
            if declared.meaning is Meaning.AGE and declared.name in self._after.columns:
                both = zip(self._after.columns[declared.name], self._earlier(declared.name), strict=True)
                return frozenset(
                    row
                    for row, (a, b) in enumerate(both)
                    if not isinstance(a, Absent) and not isinstance(b, Absent)
                )
        return frozenset()

    def alike(self) -> bool:
        """Return whether the same values are present in both samples, as far as differences were computed."""
        if self._void is not None:
            return True
        return not any(
            name not in self._whole
            and Absent in set(map(type, values))
            and list(map(type, self._after.column(name))) != list(map(type, self._earlier(name)))
            for name, values in self._values.items()
        )

    def numbers(self, name: str) -> list[Number]:
        """Return `delta[name]` of a field that holds numbers."""
        return self[name]  # type: ignore[return-value]  # a counter or a gauge is never a text

    def earlier(self, name: str) -> list[Value]:
        """Return the values of a field in the previous sample, in the order of `keys`."""
        if self._void is not None:
            return [self._void] * len(self.keys)
        return list(self._earlier(name))

    def rate(self, name: str) -> list[Number]:
        """Return a counter's differences per second, for each row."""
        rates = self._rates.get(name)
        if rates is None:
            rates = self._rates[name] = list(map(truediv, self.numbers(name), self.seconds))
        return rates

    def cell(self, key: str, name: str) -> Value:
        """Return one value of one row; absent when there is no such row."""
        row = self.index.get(key)
        if row is None:
            return self._after.cell(key, name)
        return self[name][row]


class Interval:
    """The differences between two samples; `before` is None for the first sample."""

    def __init__(self, before: Sample | None, after: Sample, *, skipped: bool = False) -> None:
        """Compare `after` with `before`; nothing is computed until it is asked for.

        `skipped`: samples in between were left out on purpose, which is no gap.
        """
        self.before = before
        self.after = after
        self.skipped = skipped
        self._deltas: dict[str, Delta] = {}

    @cached_property
    def void(self) -> Absent | None:
        """The reason why the two samples cannot be compared; None if they can."""
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
        """Whether samples are missing: the interval is at least three times as long as the nominal one."""
        nominal = self.after.nominal
        if isinstance(self.seconds, Absent):
            return self.before is not None
        return bool(nominal) and not self.skipped and self.seconds >= 3 * nominal

    def only(self, devices: frozenset[str]) -> Interval:
        """Return this interval cut down to some devices, by bus id, or by name if they have none.

        Their rows have the same differences as here; no other row of a device or disk is read.  Kinds
        that do not describe devices stay as they are.
        """
        before, after = (
            sample and sample._replace(frames=DeviceFrames(sample.frames, devices))
            for sample in (self.before, self.after)
        )
        assert after is not None  # noqa: S101 - it was not None before
        return Interval(before, after, skipped=self.skipped)

    def of(self, kind: Kind) -> Delta:
        """Return the differences of one kind of thing."""
        delta = self._deltas.get(kind.name)
        if delta is None:
            before = self.before.frame(kind) if self.before is not None else None
            after = self.after.frame(kind)
            if before is not None and (before is after or before.missing is not None):
                before = after.prior or before  # read less often: compare its last two
            if before is not None and kind.from_zero and self.void is None:
                before = with_begun(before, after)
            delta = self._deltas[kind.name] = Delta(before, after, self.void)
        return delta


def with_begun(before: Frame, after: Frame) -> Frame:
    """Return the earlier of two frames with a row of zeros for each that began between the two."""
    identities = [field.name for field in after.kind.fields if field.meaning is Meaning.IDENTITY]
    present = [name for name in identities if name in after.columns]
    if before.missing or (
        before.keys == after.keys and all(after.column(name) == before.column(name) for name in present)
    ):
        return before
    since = max(before.times, default=0)
    rows = {key: row for row, key in enumerate(after.keys) if _began(before, after, row, present, since)}
    kept = [row for row, key in enumerate(before.keys) if key not in rows]
    columns = {}
    for name, values in after.columns.items():
        first = values
        if after.kind.by_name[name].meaning is Meaning.COUNTER:
            first = [value if isinstance(value, Absent) else 0 for value in values]
        columns[name] = pick(before.column(name), kept) + pick(first, list(rows.values()))
    keys, times = pick(before.keys, kept) + list(rows), pick(before.times, kept) + [since] * len(rows)
    return before.but(keys=keys, columns=columns, times=times)


def _began(before: Frame, after: Frame, row: int, identities: Sequence[str], since: int) -> bool:
    """Return whether what a row is about began after the earlier frame, as far as that can be seen."""
    then = before.index.get(after.keys[row])
    if then is not None and not any(
        isinstance(now := after.column(name)[row], str)
        and isinstance(old := before.column(name)[then], str)
        and now != old
        for name in identities
    ):
        return False
    passed = after.times[row] - since
    return not any(after.column(name)[row] > passed for name in after.kind.from_zero)  # type: ignore[operator]  # numbers


class DeviceFrames(Mapping[str, Frame]):
    """The frames of a sample, cut down to some devices when they are asked for."""

    def __init__(self, frames: Mapping[str, Frame], devices: frozenset[str]) -> None:
        """Select rows of devices on demand; frames that can be read row by row have a method `select`."""
        self._frames, self._devices = frames, devices
        self._select = getattr(frames, "select", None)

    def __getitem__(self, name: str) -> Frame:
        if name == BLOCK.name:
            return self._cut(name, disks_of(self.get(DEVICE.name), self._devices))
        return self._cut(name, self._devices) if name in KEYED_BY_DEVICE else self._frames[name]

    def _cut(self, name: str, keys: frozenset[str]) -> Frame:
        if self._select is None:
            return self._frames[name].select(keys)
        frame: Frame | None = self._select(name, keys)
        if frame is None:
            raise KeyError(name)
        return frame

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)


@lru_cache(maxsize=8)  # the rows of DEVICE are the same for many samples
def disks_of(devices: Frame | None, keys: frozenset[str]) -> frozenset[str]:
    """Return the block devices of some devices; the own name of a key that is no ccw device or has none."""
    disks: dict[str, Value] = {}
    if devices is not None and devices.missing is None:
        disks = dict(zip(devices.keys, devices.column("block"), strict=True))
    return frozenset(disk if isinstance(disk := disks.get(key), str) else key for key in keys)
