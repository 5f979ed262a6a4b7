"""Samples: raw counters that were read at one instant, nothing computed.

A `Sample` holds one `Frame` per kind of thing (channel path, device, LPAR ...).  A frame is
columnar: a list of keys and, for each field of the kind, a list of values in the same order.
Each row carries the moment at which it was read, because reading thousands of devices takes time.

A value that could not be read is `Absent` with its reason.  A whole source that could not be
read is a frame without rows whose `missing` says why.
"""

from __future__ import annotations

# plain classes and tuples: for a lookup, importing dataclasses takes longer than reading the kernel
from collections.abc import Mapping
from enum import Enum
from functools import cached_property, lru_cache
from itertools import compress, count
from operator import is_not, itemgetter, ne
from weakref import ref

from zmon.base.absent import Reasons, absent, declared
from zmon.base.light_typing import TYPE_CHECKING, Any, Final, TypeVar
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.base.absent import Absent, Value

Item = TypeVar("Item")

DAMAGED: Final = declared("damaged", "the recording is damaged here")
DAMAGED_BY: Final = Reasons(DAMAGED.code, f"{DAMAGED.reason}: {{}}")
"""Why a recording has lost something, without and with what was found."""
THIS_MACHINE: Final = "this machine"
"""The name of the source of samples of the running kernel."""


class Meaning(Enum):
    """The meaning of the numbers of a field, which decides what an interval does with them."""

    COUNTER = "counter"
    """It grows from some start; an interval takes the difference."""
    GAUGE = "gauge"
    """The state at the instant of reading."""
    LABEL = "label"
    """A name or a property; text or a number."""
    IDENTITY = "identity"
    """A label whose change means that another thing now has the same key."""
    CLOCK = "clock"
    """A counter of time that is never reset: if it falls, it wrapped."""
    AGE = "age"
    """The ns since the counters of the row were reset; if it grows less than time passes, they were reset."""


class Field(NamedTuple):
    """One column of a kind: its name, meaning, unit, width and where it comes from."""

    name: str
    meaning: Meaning
    unit: str = ""
    source: str = ""
    """File, ioctl or call, relative to the row's directory where that is natural."""
    modulus: int = 0
    """The counter starts again at 0 after `modulus - 1`; 0 when it never wraps in practice,
    and a fall is then a reset."""
    wraps_after: float = 0.0
    """Seconds in which it may grow by its whole modulus, so that its difference over a longer
    interval is not known; 0 for never."""
    privacy: str = ""
    """How an anonymous recording treats a label or an identity: `zmon.kinds` has the words.  Without one the
    value is left out."""

    @property
    def unread(self) -> Absent:
        """Why it has no value where it was not read."""
        return absent(f"{self.source or self.name} was not read")


class Kind:
    """A kind of thing that is sampled, and its fields."""

    def __init__(  # noqa: PLR0913 - these are its properties
        self,
        name: str,
        key: str,
        fields: tuple[Field, ...] | Callable[[], tuple[Field, ...]],
        *,
        key_form: str = "",
        key_privacy: str = "thing",
        alone: bool = False,
        from_zero: tuple[str, ...] = (),
        plural: str = "",
    ) -> None:
        """Describe a kind; `zmon.kinds` has all kinds of zmon.  A function makes `fields` when needed."""
        self.name = name
        self.key = key
        """The key of a row, in words."""
        self._fields = fields
        self.key_form = key_form
        """The pattern of keys that an anonymous recording keeps; empty for none."""
        self.key_privacy = key_privacy
        """The privacy of its other keys."""
        self.alone = alone
        """Whether one counter of a row may fall while the others go on.  Else they are reset together:
        the fall of one that cannot be a wrap voids the differences of all."""
        self.from_zero = from_zero
        """Counters of time that show whether a row which is new began since the sample before: they can be no
        more than the time since.  Its counters were zero then.  Empty: they may have counted before."""
        self.plural = plural or f"{name}s"
        """What the rows are called in a sentence."""

    def __repr__(self) -> str:
        """Return its name, as tests and errors say it."""
        return f"<kind {self.name}>"

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields in the order of the columns."""
        return self._fields if isinstance(self._fields, tuple) else self._fields()

    @cached_property
    def by_name(self) -> Mapping[str, Field]:
        """The fields by their names."""
        return {f.name: f for f in self.fields}


class Frame:
    """The rows of one kind at one instant; once made, it stays as it is.

    Frames are compared by identity: two readings differ even if their values are equal.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - these are its parts
        self,
        kind: Kind,
        keys: list[str],
        columns: Mapping[str, list[Value]],
        times: list[int],
        missing: Absent | None = None,
        prior: Frame | None = None,
        rows: Sequence[object] | None = None,
        row_fields: Sequence[str] = (),
    ) -> None:
        """Hold the values."""
        self.kind = kind
        self.keys = keys
        self.columns = columns
        """For each field that was read at all, its values in the order of `keys`."""
        self.times = times
        """For each row the moment of reading, in ns of the sample's clock."""
        self.missing = missing
        """Why there are no rows at all, when there are none."""
        self.prior = prior
        """The reading before this one, for sources that are read more seldom than samples are taken."""
        self.rows = rows
        """The object from which each row of the columns was made, if any; two frames with the same object
        for a row have the same values there.  The times are no part of it."""
        self.row_fields = row_fields
        """The fields of `rows`, if these are tuples of values."""
        self._moved: tuple[ref[Frame], list[int], Iterable[str]] | None = None
        """The frame that `moved` was last asked about, the answer, and the columns concerned."""
        self._selected: tuple[RowChoice, Frame] | None = None
        """The rows that `select` was last asked for, and the answer."""

    def but(self, **other: Any) -> Frame:
        """Return a copy of the frame with these parts replaced."""
        rows = None if "columns" in other else self.rows
        parts = ("kind", "keys", "columns", "times", "missing", "prior", "row_fields")
        return Frame(**{name: getattr(self, name) for name in parts} | {"rows": rows} | other)

    @property
    def damage(self) -> str:
        """What of it was found damaged by now; empty if nothing was."""
        if self.missing is not None and self.missing.code == DAMAGED.code:
            return self.missing.reason
        return getattr(self.columns, "damage", "") or ("" if self.prior is None else self.prior.damage)

    @cached_property
    def _lookup(self) -> RowLookup:
        """Finds rows; frames that were compared, and so have the same keys, share one."""
        return RowLookup(self.keys)

    @property
    def index(self) -> Mapping[str, int]:
        """The row number of each key."""
        return self._lookup.index

    @cached_property
    def period(self) -> tuple[int, int]:
        """The earliest and the latest moment of reading; zeros without rows."""
        times = self.times
        if times and times.count(times[0]) == len(times):
            return times[0], times[0]
        moments = set(times)  # few, because rows often share one
        return min(moments, default=0), max(moments, default=0)

    def moved(self, before: Frame) -> list[int]:
        """Return the rows, ascending, that may differ from those of an earlier frame with the same keys.

        The times of the rows are not compared.  The answer is kept, because the recording and the trends
        ask for the same pair of frames.
        """
        if self._moved is not None and self._moved[0]() is before:
            return self._moved[1]
        if self.rows is not None and before.rows is not None:
            changed, names = list(compress(count(), map(is_not, self.rows, before.rows))), None
        else:
            pairs = ((name, now, before.column(name)) for name, now in self.columns.items())
            differing = [(name, now, was) for name, now, was in pairs if now is not was and now != was]
            names, *both = zip(*differing, strict=True) if differing else ((), (), ())
            changed = list(compress(count(), map(ne, *(zip(*columns, strict=True) for columns in both))))
        self.note_moved(before, changed, names)
        return changed

    def note_moved(self, before: Frame, rows: list[int], names: Iterable[str] | None = None) -> None:
        """Take `rows` for the answer of `moved`; for a source that knows which rows it has changed."""
        self._lookup = before._lookup
        if names is None:
            names = [name for name, now in self.columns.items() if now is not before.columns.get(name)]
        self._moved = (ref(before), rows, names)

    def moved_columns(self, before: Frame) -> Iterable[str]:
        """Return the columns in which rows may have `moved`."""
        self.moved(before)
        return () if self._moved is None else self._moved[2]

    def picking(self, rows: Sequence[int]) -> Callable[[str], Sequence[Value]]:
        """Return a function that returns the values of some rows of a column.

        Where `rows` are tuples the values are taken from these: they lie together in memory.
        """
        if len(rows) == len(self.keys):
            return self.columns.__getitem__
        columns: dict[str, Sequence[Value]] = {}
        if self.rows is not None and self.row_fields:
            columns.update(zip(self.row_fields, zip(*pick(self.rows, rows), strict=True), strict=False))

        def picked(name: str) -> Sequence[Value]:
            values = columns.get(name)
            return tuple(pick(self.columns[name], rows)) if values is None else values

        return picked

    def select(self, keys: frozenset[str]) -> Frame:
        """Return a frame with only the rows of some keys, in their order; no other row is read."""
        choice = self._lookup.choice(keys)
        if self._selected is None or self._selected[0] is not choice:
            prior = None if self.prior is None else self.prior.select(keys)
            columns, times = SelectedColumns(self.columns, choice), choice.pick(self.times)
            frame = Frame(self.kind, choice.lookup.keys, columns, times, self.missing, prior)
            frame._lookup = choice.lookup
            self._selected = choice, frame
        return self._selected[1]

    def column(self, name: str) -> list[Value]:
        """Return the values of a field, all absent when it was not read.

        Raises:
            KeyError: the kind has no such field.
        """
        values = self.columns.get(name)
        if values is None:
            values = [self.kind.by_name[name].unread] * len(self.keys) if self.keys else []
        return values

    def cell(self, key: str, name: str) -> Value:
        """Return one value; absent when the row does not exist."""
        row = self.index.get(key)
        if row is None:
            return self.missing or absent(f"no {self.kind.name} {key}")
        return self.column(name)[row]


class RowChoice:
    """Some rows of frames that have the same keys."""

    def __init__(self, wanted: frozenset[str], frame_rows: RowLookup) -> None:
        """Find the rows of the keys that are wanted, as far as there are any."""
        self.wanted = wanted
        self._rows = sorted(row for row in map(frame_rows.index.get, wanted) if row is not None)
        self.lookup = RowLookup(self.pick(frame_rows.keys))
        """Finds the chosen rows by their number among them."""
        self._last: dict[str, tuple[list[Value], list[Value]]] = {}
        """The column of each name that was picked last, and what was picked."""

    def pick(self, values: Sequence[Item]) -> list[Item]:
        """Return the values of the rows."""
        return pick(values, self._rows)

    def column(self, name: str, values: list[Value]) -> list[Value]:
        """Return the values of the rows; of a column that is the same list as before, the same list."""
        column_picked = self._last.get(name)
        if column_picked is None or column_picked[0] is not values:
            column_picked = self._last[name] = values, self.pick(values)
        return column_picked[1]


class RowLookup:
    """Finds the rows of frames that have the same keys."""

    def __init__(self, keys: list[str]) -> None:
        """Look nothing up yet."""
        self.keys = keys
        self._choice: RowChoice | None = None

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The row number of each key."""
        return {key: row for row, key in enumerate(self.keys)}

    def choice(self, wanted: frozenset[str]) -> RowChoice:
        """Return the rows of some keys."""
        choice = self._choice
        if choice is None or (choice.wanted is not wanted and choice.wanted != wanted):
            choice = self._choice = RowChoice(wanted, self)
        return choice


class SelectedColumns(Mapping[str, "list[Value]"]):
    """Some rows of columns; each column is picked on first access."""

    def __init__(self, columns: Mapping[str, list[Value]], choice: RowChoice) -> None:
        """Pick nothing yet."""
        self._columns, self._choice = columns, choice
        self._known: dict[str, list[Value]] = {}

    @property
    def damage(self) -> str:
        """What of the columns was found damaged by now."""
        return getattr(self._columns, "damage", "")

    def __getitem__(self, name: str) -> list[Value]:
        column = self._known.get(name)
        if column is None:
            column = self._known[name] = self._choice.column(name, self._columns[name])
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def get(self, name: str, default: Any = None) -> Any:
        """Return a column, or the default without one; `Mapping` would raise an error in between."""
        return self[name] if name in self._columns else default


def pick(values: Sequence[Item], rows: Sequence[int]) -> list[Item]:
    """Return the values of some rows."""
    if len(rows) < 2:
        return [values[row] for row in rows]
    return list(itemgetter(*rows)(values))


def empty_frame(kind: Kind, why: str | Absent) -> Frame:
    """Return a frame without rows, and why there are none."""
    return Frame(kind, [], {}, [], absent(why) if isinstance(why, str) else why)


@lru_cache
def not_sampled(kind: Kind) -> Frame:
    """Return the frame of a kind that no source has read."""
    return empty_frame(kind, f"{kind.plural} were not recorded")


@lru_cache
def not_simulated(kind: Kind) -> Frame:
    """Return the frame of a kind that no simulated machine has."""
    return empty_frame(kind, f"the laboratory does not simulate {kind.plural}")


def frame_of(kind: Kind, rows: Mapping[str, Mapping[str, Value]], when: int | list[int]) -> Frame:
    """Return a frame of rows that all have the same fields, read at one moment, or each at its own."""
    names = next(iter(rows.values()), {})
    columns = {name: [row[name] for row in rows.values()] for name in names}
    return Frame(kind, list(rows), columns, [when] * len(rows) if isinstance(when, int) else when)


class Instant(NamedTuple):
    """When a sample was taken.

    `utc` is for display and for joining with other records, in ns since 1970.  `steady` is the clock that the
    rows' times are counted in; it never steps back within one `boot`.  A capture has only the times of its
    files, so there both are the same clock.
    """

    utc: int
    steady: int
    boot: str
    """Names the run of the steady clock: a boot id, or the name of a capture."""


class Sample(NamedTuple):
    """Everything that was read at one instant."""

    at: Instant
    frames: Mapping[str, Frame]
    source: str = ""
    """The name of the source: `THIS_MACHINE`, an archive, a simulated machine."""
    nominal: float = 0.0
    """The planned seconds between samples; 0 if there was no plan."""
    simulated: bool = False

    def frame(self, kind: Kind) -> Frame:
        """Return the frame of a kind; empty with a reason when it was not read."""
        return self.frames.get(kind.name) or (not_simulated if self.simulated else not_sampled)(kind)
