"""How the table that a screen file names is filled, and what every table says besides its rows."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module

from zmon.base.absent import Absent, absent
from zmon.base.event import What
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.mistake import contained
from zmon.base.record import NamedTuple
from zmon.kinds import TEXT
from zmon.machine.figure import is_faint, weights_of
from zmon.machine.view import View
from zmon.tables import TABLES
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.machine.figure import Figure, Needs
    from zmon.machine.things import Things
    from zmon.sample import Kind, Sample
    from zmon.topology.machine import UserInputs


NO_THING: Final = absent("what the row is about has no such figure")
NOT_SUMMED: Final = absent("there is no sum or mean of it over all rows")


class TableDefinition(NamedTuple):
    """How the table that a screen file names is filled."""

    needs: Needs
    fill: Callable[[View], Table]
    find: Callable[[View], str] | None = None
    """Looks up the operand of a screen by time, without samples before the present one."""
    together: Callable[[Table, Table], tuple[Table, Table]] | None = None
    """Prepares two fillings to be shown side by side."""
    things: type[Things] | None = None
    """The things whose figures it shows; some of these have a trend."""
    correlated: tuple[str, ...] = ()
    """The figures that CORREL sets a chosen one against; the first is the load of a thing."""
    screen: str = ""
    """The command of the screen that shows it, which notes, exceptions and trends name."""
    resource: str = ""
    """The resource that its rows and their exceptions are of, by its key in `zmon.diagnosis.resources`."""
    concluded: bool = False
    """Whether its screens have a conclusion from the verdict: see `zmon.diagnosis.conclusion`."""
    has_status: bool = False
    """Whether it says how the machine is: `--status` is for it."""
    is_plan: bool = False
    """Whether it says what to do, so that it is of the whole interval and what was before, or of none."""
    rows: Kind | None = None
    """The kind of which each of its rows is one, where that is so."""
    about_figures: bool = False
    """Whether its operand names figures of other screens; its own are not by time again."""

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Their figures by key; none of a table that shows other values."""
        return {} if self.things is None else self.things.figures

    def trend(self, interval: Interval) -> Table:
        """Return the figures that trends are made of, and those that they are means over."""
        return contained(f"the trends of {self.screen}", lambda: self._trend(interval), _without_rows)

    def _trend(self, interval: Interval) -> Table:
        assert self.things is not None  # noqa: S101 - `TREND_TABLES` names tables that have it
        things = self.things.at(interval)
        trends = [figure for figure in self.figures.values() if figure.trend]
        keys = {key for figure in trends for key in (figure.key, figure.over)}
        return Table([*things.keys], things.columns(key for key in self.figures if key in keys))


def _without_rows(why: Absent) -> Table:
    return Table([], {}, missing=why)


@cache
def definition(name: str) -> TableDefinition:
    """Return how a table is filled; only its module is loaded.

    Raises:
        KeyError: there is no such table.
    """
    if name not in TABLES:
        raise KeyError(f"no table {name!r}; there are {', '.join(TABLES)}")
    declared: TableDefinition = import_module(f"zmon.tables.{TABLES[name]}").DEFINITIONS[name]
    return declared


def shown_on(name: str) -> str:
    """Return the command of the screen that shows a table with exceptions; DEVICE if none here says one."""
    return (definition(name).screen if name in TABLES else "") or "DEVICE"


def resource_in(name: str) -> str:
    """Return the resource that the exceptions of a table are of; empty if none here says one."""
    return definition(name).resource if name in TABLES else ""


def needs(name: str) -> Needs:
    """Return what the table that a screen file names is filled from."""
    return definition(name).needs


def fill(name: str, view: View) -> Table:
    """Fill the table that a screen file names.

    Raises:
        NoSuchThing: the view's argument names nothing.
        KeyError: there is no such table.
    """
    fill_from = definition(name).fill
    filled = contained(f"the table {name}", lambda: fill_from(view), _without_rows)
    if not view.figures_only and len(filled.keys) > 1:
        filled = filled._replace(faint=_faint(name, filled, view.interval))
    if filled.missing is not None:
        filled = filled._replace(missing=_not_recorded(filled.missing, view.interval.after, needs(name)))
    reason = "" if view.figures_only or not (filled.keys or filled.facts) else not_compared(name, view)
    notes = (*((reason,) if reason else ()), *_strange(view.interval.after, needs(name)))
    return filled._replace(notes=(*filled.notes, *notes)) if notes else filled


def _strange(sample: Sample, needed: Needs) -> tuple[str, ...]:
    """Return what of collected texts was not understood, or left out, and might say something of a table."""
    if TEXT.name not in sample.frames:
        return ()
    from zmon.topology.read_texts import remarks  # noqa: PLC0415 - most machines are no texts

    return tuple(remarks(sample, {kind.name for kind in (*needed.kinds, *needed.topology)}))


def with_figures(name: str, view: View, filled: Table, keys: Iterable[str]) -> Table:
    """Return a filled table with figures of its things that it does not hold itself, by their keys.

    So a screen, or PLOT, shows any figure of the machine by naming it.
    """
    sort = definition(name).things
    more = [] if sort is None else [key for key in keys if key in sort.figures and key not in filled.columns]
    if not more or sort is None:
        return filled
    things = sort.seen(view)
    place_of = {key: place for place, key in enumerate(things.keys)}
    places = [place_of.get(key) for key in filled.keys]
    columns: dict[str, list[Value]] = {
        key: [NO_THING if place is None else values[place] for place in places]
        for key, values in things.columns(more).items()
    }
    summary = filled.summary
    if summary is not None:
        cells = things.as_one(things.summed, more)
        whole = {**dict.fromkeys(more, NOT_SUMMED), **summary.cells, **cells}
        summary = summary._replace(cells=whole, some=None)
    return filled._replace(columns={**filled.columns, **columns}, summary=summary)


def _faint(name: str, filled: Table, interval: Interval) -> dict[str, frozenset[int]]:
    """Return the rows of which columns of means say nothing, because too little I/O is behind them."""
    seconds = interval.seconds
    weights = weights_of(definition(name).figures.values())
    weights = {name: weight if weight in filled.columns else "io" for name, weight in weights.items()}
    if isinstance(seconds, Absent) or not weights.keys() & filled.columns.keys():
        return {}
    rows: dict[str, frozenset[int]] = {}
    for weight in filled.columns.keys() & set(weights.values()):
        rates = [rate if isinstance(rate, (int, float)) else 0.0 for rate in filled.columns[weight]]
        every = sum(rates)
        rows[weight] = frozenset(at for at, rate in enumerate(rates) if is_faint(rate, every, seconds))
    guessed = {name: filled.estimated.get(name) or frozenset() for name in weights}  # no means: what hangs
    return {name: rows[weight] - guessed[name] for name, weight in weights.items() if weight in rows}


def _not_recorded(why: Absent, sample: Sample, needed: Needs) -> Absent:
    """Return why there are no rows; what was never read is called as ZMON does, not by its inner name."""
    for kind in needed.kinds:
        if sample.frames.get(kind.name) is None and sample.frame(kind).missing is why:
            from zmon.registry import SOURCES  # noqa: PLC0415 - most tables have what they need

            source = next((source for source in SOURCES if kind in source.kinds), None)
            if source is None or sample.simulated:
                return why
            more = f"; zmon record --{source.option} records it" if source.on_demand else ""
            return absent(f"not recorded: {source.what}{more}")
    return why


def not_compared(name: str, view: View) -> str:
    """Return why a table has no differences and rates, as a sentence; empty if it has."""
    interval, needed = view.interval, needs(name)
    if needed.history or not needed.kinds or interval.void is None:
        return ""
    if interval.before is None:
        last = view.history.last
        if last is not None and view.history.first() == last():
            return "There is only one sample (of a capture: one pass): differences and rates need two"
    else:
        begun = view.history.happened(interval.before.at.utc + 1, interval.after.at.utc)
        sentence = next((event.text for event in begun if event.what is What.RESTART and event.text), "")
        if sentence:
            return f"{sentence}; no average over it"
    return f"{interval.void.reason[:1].upper()}{interval.void.reason[1:]}"


def alone(name: str, view: View) -> Table:
    """Fill a table from the interval of a view, as if nothing came before it; made once for all who ask.

    Raises:
        NoSuchThing: the table is about one thing, and none is named.
    """
    tables, inputs = _tables_of(view.interval), view.user_inputs
    table = tables.get((name, inputs))
    if table is None:
        alone_view = View(view.interval, inputs=None if inputs is None else lambda: inputs)
        table = tables[name, inputs] = fill(name, alone_view.at(view.interval))
    return table


@lru_cache(maxsize=2)  # of the interval at hand, and of the one of a row by time
def _tables_of(_interval: Interval) -> dict[tuple[str, UserInputs | None], Table]:
    return {}
