"""One interval with what came before it and what users supply: what figures are asked of."""

from __future__ import annotations

from collections import deque
from functools import cached_property
from itertools import islice
from threading import Lock

from zmon.base.absent import absent
from zmon.base.event import Exceptions
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple
from zmon.interval import Interval
from zmon.machine.period import Period

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.event import Event
    from zmon.machine.figure import TimedValue, Variable
    from zmon.sample import Instant
    from zmon.topology.machine import UserInputs

    Past = Callable[..., Iterator[Interval]]
    """Yields intervals from the present one backwards; with a time, from the one that ends there."""
    Figures = Callable[[Interval], Mapping[str, Value]]
    Happened = Callable[[int, int], Sequence[Event]]
    """Returns what happened between two times."""
    Log = Callable[[int, int | None], Exceptions]
    """Returns the exceptions between two times, without the second up to the last."""
    Trend = Callable[[Variable, int, int], Sequence[TimedValue]]
    """Returns what is kept of a variable by minutes or quarters of an hour, if anything is."""
    FleetFill = Callable[[str, int, int], Any]
    """Fills a list of some rows of a fleet, by their name, from a time, UTC in ns."""

    Limits = Mapping[str, tuple[float, float]]
    """From where on a value deserves a look, and from where it is bad, by `table.column`."""


GAP: Final = absent("samples are missing")
NOT_KNOWN: Final = absent("not known in this interval")
UNJUDGED: Final = absent("no rules are applied here")
MAX_CELLS: Final = 300_000
"""Cells that are kept at the most in the rows by time: a row of CORREL has some 300."""

MAX_REMEMBERED: Final = 1_000
"""Rows of one screen that are remembered where the timeline keeps nothing."""


class Row(NamedTuple):
    """The figures of one interval."""

    begin: Instant | None
    """None for the first sample there is."""
    end: Instant
    cells: Mapping[str, Value]
    gap: bool = False
    """Whether samples are missing in this interval."""


class History:
    """What came before, as far as the timeline reaches."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing that a table may ask for
        self,
        past: Past | None = None,
        happened: Happened = lambda _begin, _end: (),
        first: Callable[[], int] = lambda: 0,
        trend: Trend = lambda _variable, _begin, _end: (),
        last: Callable[[], int] | None = None,
        exceptions: Log = lambda _begin, _end: Exceptions(),
        fleet: FleetFill | None = None,
    ) -> None:
        """`past` yields intervals from the present one backwards; without it there is nothing.

        `first` and `last` return when the first and the last sample were taken (UTC in ns), as far as is
        known; without `last` more samples may come.  `fleet` fills tables of many systems, where these are
        looked at.
        """
        self._past = past
        self.happened = happened
        self.first = first
        self.last = last
        self.trend = trend
        self.exceptions = exceptions
        self.fleet = fleet
        self.asked: Sequence[str] = ()
        """The options that name the source on a command line."""
        self.loads: dict[int, Any] = {}
        """The loads of intervals by their ends, as far as `zmon.diagnosis.recent` has seen them."""
        self.causes: dict[tuple[str, str, int], Value] = {}
        """The diagnoses of exceptions by rule, row and worst interval, as far as EXCEPT has asked."""
        self._rows: dict[tuple[Hashable, int, int], Row] = {}
        self._cells = 0
        """How many these have."""
        self._seen: dict[Hashable, deque[Row]] = {}
        self._lock = Lock()

    def rows(
        self,
        name: Hashable,
        figures: Figures,
        most: int,
        present: Interval | None = None,
        window: tuple[int, int | None] = (0, None),
    ) -> list[Row]:
        """Return the rows of the last `most` intervals, the oldest first.

        `name` names the figures, so that different screens do not take each other's rows.  Where nothing is
        kept, the `present` interval is remembered from now on.  A `window` confines them to the intervals
        that lie, at least with their ends, between two times; without its end it ends at present.
        """
        rows: list[Row] = []
        for interval in self.past(window[1]):
            if len(rows) == most or interval.after.at.utc <= window[0]:
                break
            rows.append(self.row(name, figures, interval))
        if not rows and present is not None:
            remembered = self._remembered(name, figures, present)[-most:]
            return [row for row in remembered if row.end.utc > window[0]]
        return rows[::-1]

    def rows_before(self, interval: Interval, name: Hashable, figures: Figures, most: int) -> Iterator[Row]:
        """Yield the rows of at most `most` intervals that ended before one does, the last first.

        Those with gaps are left out; of a preview there are none, as what is before it would take long.
        """
        end = interval.after.at.utc
        here = next(self.past(), None)
        until = None if here is not None and here.after.at.utc == end else end
        rows = self.rows(name, figures, most, window=(0, until))
        return (row for row in reversed(rows) if row.end.utc < end and not row.gap)

    def past(self, utc: int | None = None) -> Iterator[Interval]:
        """Yield the intervals up to the present one, or to that of a time, the last first."""
        if self._past is None:
            return iter(())
        return self._past() if utc is None else self._past(utc)

    def between(self, begin: int, end: int) -> Interval | None:
        """Return the interval between the last samples at two times or before; None if they are not two."""
        first, last = (next(self.past(utc), None) for utc in (begin, end))
        if first is None or last is None or first.after.at.utc >= last.after.at.utc:
            return None
        return Interval(first.after, last.after, skipped=True)

    def window(self, begin: int | None, end: int) -> Interval | None:
        """Return the interval between two times, or the one that ends then; None without two samples."""
        interval = next(self.past(end), None) if begin is None else self.between(begin, end)
        return None if interval is None or interval.before is None else interval

    def within(self, interval: Interval, most: int) -> Iterator[Interval]:
        """Yield at most `most` parts of an interval that the timeline has, the last first."""
        begin = 0 if interval.before is None else interval.before.at.utc
        for part in islice(self.past(interval.after.at.utc), most):
            if part.after.at.utc <= begin:
                return
            yield part

    def row(self, name: Hashable, figures: Figures, interval: Interval) -> Row:
        """Return the row of an interval, made once."""
        before, after = interval.before, interval.after
        key = (name, before.at.utc if before else -1, after.at.utc)
        row = self._rows.get(key)
        if row is None:
            row = Row(before.at if before else None, after.at, figures(interval), interval.gap)
            with self._lock:  # tables are filled in several threads
                self._cells += 0 if key in self._rows else len(row.cells)
                self._rows[key] = row
                while self._cells > MAX_CELLS:
                    self._cells -= len(self._rows.pop(next(iter(self._rows))).cells)
        return row

    def _remembered(self, name: Hashable, figures: Figures, present: Interval) -> list[Row]:
        before, after = present.before, present.after
        with self._lock:
            seen = self._seen.setdefault(name, deque(maxlen=MAX_REMEMBERED))
            # an average over a longer time ends where a row has ended, and is none
            if not seen or (before is not None and before.at.utc >= seen[-1].end.utc):
                seen.append(Row(before.at if before else None, after.at, figures(present), present.gap))
            return list(seen)


def no_inputs() -> UserInputs:
    """Return that users supply nothing."""
    from zmon.topology.machine import NO_INPUTS  # noqa: PLC0415 - most tables need none

    return NO_INPUTS


class View:
    """One interval with what came before it; `argument` names the one thing a page is about."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing that a table may ask for
        self,
        interval: Interval,
        period: Callable[[], Period] = Period,
        argument: str = "",
        history: History | None = None,
        limits: Callable[[], Limits] = dict,
        inputs: Callable[[], UserInputs] | None = None,
    ) -> None:
        """Look at an interval; without a period and a history nothing came before it.

        `limits` gives those of the screens' columns, for tables that count what is beyond them; `inputs` what
        was told of the machine besides.  Without them tables of devices do not look at what lies on them: of
        many intervals, one after the other, only figures are wanted.
        """
        self.interval = interval
        self._period = period
        self.argument = argument
        self.figures_only = False
        """Whether expensive texts are left out, as where a row is made per interval."""
        self.looked_back: int | None = None
        """Intervals for whose curves a print has room; None on the glass, which reads them bit by bit."""
        self.limits = limits
        self.count_bad: Callable[[View], Number] = lambda _view: UNJUDGED
        """Returns for how many rows of all tables a rule is bad in the interval of a view."""
        self.inputs = inputs
        self.history = History(lambda _utc=None: iter((interval,))) if history is None else history

    @property
    def user_inputs(self) -> UserInputs | None:
        """What users supply; None where that is not used."""
        return None if self.inputs is None else self.inputs()

    def at(self, interval: Interval, argument: str = "") -> View:
        """Return a view of one interval alone, with the same limits and user inputs."""
        view = View(interval, argument=argument, limits=self.limits, inputs=self.inputs)
        view.count_bad = self.count_bad
        view.figures_only = True
        return view

    @cached_property
    def period(self) -> Period:
        """What has accumulated; it is counted when a table first asks for it."""
        return self._period()


class NoSuchThing(LookupError):  # noqa: N818 - it says what it is
    """The argument of a screen names nothing that this sample holds; says what there is."""
