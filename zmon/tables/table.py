"""The rows of one screen, a pure function of an interval."""

from __future__ import annotations

from types import MappingProxyType

from zmon.base.absent import absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.machine.join import total
from zmon.sample import pick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zmon.base.absent import Absent, Value
    from zmon.machine.figure import TimedValue


SUMMARY: Final = -1
"""The number of the row that speaks of all rows."""


OF_ALL: Final = (">> All <<", ">> All", ">>All", ">>")
"""What the line about all rows is called where its own title has no room."""


class Summary(NamedTuple):
    """A line that speaks of all rows: its title (`>> All DASD <<`) and its cells by column."""

    title: str
    cells: Mapping[str, Value]
    some: Callable[[Sequence[int]], Mapping[str, Value]] | None = None
    """Returns the cells of some rows: what a filter leaves.  None where only all rows have them."""
    things: str = ""
    """What the rows are, for the title of some."""
    shorter: tuple[str, ...] = OF_ALL
    """Other titles, from the longest on."""

    def of(self, rows: Sequence[int], many: int) -> Summary | None:
        """Return the line about some of so many rows; None where only all have one."""
        if self.some is None:
            return None
        part = f">> {len(rows):,} of {many:,}"
        title = f"{part} {self.things}".rstrip()
        return self._replace(title=f"{title} <<", cells=self.some(rows), shorter=(f"{part} <<", part))


def summed(things: str, columns: Mapping[str, Sequence[Value]], names: Sequence[str]) -> Summary:
    """Return a line with the sum of each of some columns of numbers, of all rows or of some."""

    def some(rows: Sequence[int]) -> Mapping[str, Value]:
        return sums({name: pick(columns[name], rows) for name in names}, names)

    return Summary(f">> All {things}".rstrip() + " <<", sums(columns, names), some, things)


def sums(columns: Mapping[str, Sequence[Value]], names: Iterable[str]) -> dict[str, Value]:
    """Return the sum of each of some columns of numbers."""
    return {name: total(columns[name]) for name in names}  # type: ignore[arg-type]  # numbers


class Table(NamedTuple):
    """What a screen shows, as values; how they look is the screen's matter.

    `columns` holds, per column name, the values in the order of `keys`.
    """

    keys: list[str]
    columns: Mapping[str, list[Value]]
    summary: Summary | None = None
    """A line above the rows that speaks of all of them."""
    facts: Mapping[str, Value] = MappingProxyType({})
    """Single values for the form above the rows."""
    estimated: Mapping[str, frozenset[int] | None] = MappingProxyType({})
    """Columns that hold estimates, with the rows concerned, `SUMMARY` among them; None for all rows.
    Estimates are marked wherever they are shown."""
    notes: tuple[str, ...] = ()
    """Sentences a reader must know: what is estimated, what is missing and why."""
    of_partition: str = ""
    """That of the notes which is on columns of the own partition."""
    missing: Absent | None = None
    """Why there are no rows, when there are none."""
    gaps: Mapping[int, str] = MappingProxyType({})
    """Rows that hold no values, by their numbers, and the sentence that is shown in their place."""
    span: tuple[int, int] | None = None
    """Begin and end (UTC in ns) of what is shown, where that is more than the interval."""
    marks: Mapping[str, Mapping[int, str]] = MappingProxyType({})
    """Columns that rules judge, with the rows, `SUMMARY` among them, that stand out: `*` or `!`."""
    faint: Mapping[str, frozenset[int]] = MappingProxyType({})
    """Columns of means, with the rows of too little I/O for them, which are sorted behind the others."""
    series: Mapping[str, Sequence[TimedValue]] = MappingProxyType({})
    """Figures by time, the oldest first: for curves by the key of their row, for charts by their title."""
    home: str = ""
    """The key of the row that has to be in sight when the screen is opened; by default the first one."""

    sentences: str = ""
    """The column of sentences, each of which goes on in lines below; the keys count the rows."""

    def is_estimate(self, name: str, row: int) -> bool:
        """Tell whether a cell is an estimate."""
        rows = self.estimated.get(name, frozenset())
        return rows is None or row in rows

    def column(self, name: str) -> list[Value]:
        """Return the values of a column; absent throughout when the table does not have it."""
        values = self.columns.get(name)
        return [absent(f"{name} is not known here")] * len(self.keys) if values is None else values
