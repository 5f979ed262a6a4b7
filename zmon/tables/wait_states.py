"""USTAT (FCX114): what services, containers, guests and sessions wait for; UPROC: their processes.

CP looks at its users again and again, and counts each in one state; FCX114 shows percentages of these
samples, not of time.  zmon does so with tasks.  A task that sleeps is in no state: the percentages are of the
samples in which a task did something or waited.  Those found running or ready to run are divided in the ratio
of the times that the kernel measured exactly (schedstat).  No layout of FCX114 is public, so the columns are
zmon's own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio, text_of
from zmon.base.clock import SECOND
from zmon.base.record import NamedTuple
from zmon.base.sizes import MB
from zmon.kinds import CMF, CPU, DASD, DEVICE, OPEN_FILE, PROCESS, ROUNDS, WAIT_STATES
from zmon.machine.cpus import Processors
from zmon.machine.figure import Needs
from zmon.machine.join import by_key, total
from zmon.machine.topology import TOPOLOGY
from zmon.machine.unit_loads import KINDS, NO_UNIT_IO, DiskPlaces, parts_of, unit_loads
from zmon.machine.unit_use import UnitUse
from zmon.machine.view import NoSuchThing
from zmon.machine.wait_devices import CANDIDATES, WaitDevice, WaitDevices
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Summary, Table
from zmon.values.unit_name import title_of
from zmon.values.wait_place import class_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.view import View
    from zmon.sample import Frame

NEEDS: Final = Needs(
    (ROUNDS, PROCESS, OPEN_FILE, *KINDS, CMF, CPU, DASD, DEVICE), topology=TOPOLOGY, on_demand=True
)

NOBODY: Final = "no unit"
"""The key and the name of processes that are in no unit: those of the kernel itself, above all."""
TICK: Final = 10_000_000
"""ns: processes know when they began to this."""

NO_ROUND: Final = absent("no task was looked at in the interval")
SLEPT: Final = absent("all its tasks slept whenever they were looked at")
NO_TIMES: Final = absent("the time on CPUs is not known of its processes")
ONE_SAMPLE: Final = absent("one sample alone has no rates: differences come with the next one")
NO_BYTES: Final = absent("none of its processes did I/O, as far as it may be read")
NOT_IN_ROWS: Final = absent("it is no unit")

USED: Final = ("run", "cpu_wait", "io_wait", "major_faults", "read_bytes", "dirtied_bytes")
"""Counters of a process whose rates are shown."""
UNSEEN: Final = 0.1
"""The part of what the CPUs were busy from which on it is said that no process with a line used it."""
MUCH: Final = 10.0
"""Percent of a CPU below which it is not."""
SEEN: Final = 0.9
FEW: Final = 8
"""Tasks beyond a part of all that may come and go while they are looked at: the others are hidden."""
MOVED: Final = ("read_bytes", "dirtied_bytes")
STATES: Final = {"paging": "paging", "iow": "io", "limited": "limited", "locked": "locked"}
"""Columns in percent of samples, by the states of a task."""
OTHERS: Final = ("blocked", "stopped")

MOST: Final = "{} {} reads and makes dirty most: {:.1f} MB/s, {:.0f} % of all; SORT {} puts it first"
SHARE: Final = "~ of User%: its part of what the processes of the user read and made dirty"
LCUS: Final = "~ LCUs: where the unit does its I/O, whichever of its tasks waits"
OFF: Final = (
    "Delay accounting is off, so the kernel does not measure waits for I/O: sysctl kernel.task_delayacct=1"
    " measures those of processes that start afterwards"
)


class Use(NamedTuple):
    """What one process, or several together, did in an interval."""

    states: dict[str, int]
    """How often a task was found in each state."""
    rates: dict[str, Number]
    """Counters per second, by their names in `USED`."""

    @property
    def active(self) -> int:
        """How often a task was found that did not sleep."""
        return sum(self.states.values())

    def columns(self, rounds: int) -> dict[str, Value]:
        """Return the columns of states and times."""
        run, waited = self.rates["run"], self.rates["cpu_wait"]
        part = ratio(run, run + waited, NO_TIMES.reason)
        if isinstance(part, Absent) and not self.states["running"]:
            part = 0.0
        every = self.active

        def percent(count: int) -> Number:
            return 100.0 * ratio(count, every, SLEPT.reason)

        ran = percent(self.states["running"])
        return {
            "active": ratio(every, rounds, NO_ROUND.reason),
            "running": ran * part,
            "cpuwait": ran * (1 - part),
            **{name: percent(self.states[state]) for name, state in STATES.items()},
            "other": percent(sum(self.states[name] for name in OTHERS)),
            "cpu": 100.0 * run / SECOND,
            "queue": waited / SECOND,
            "iodelay": self.rates["io_wait"] / SECOND,
            "faults": self.rates["major_faults"],
            "reads": self.rates["read_bytes"] / MB,
            "dirtied": self.rates["dirtied_bytes"] / MB,
        }


class ProcessUse:
    """What all processes did in an interval."""

    def __init__(self, interval: Interval) -> None:
        """Take the differences of two samples; of the states also those that the last one has alone."""
        self.now = interval.after.frame(PROCESS)
        before = None if interval.before is None else interval.before.frame(PROCESS)
        rounds = interval.after.frame(ROUNDS)
        self.missing = self.now.missing
        """Why nothing is known."""
        self.rounds = 0
        self.of: dict[str, Use] = {}
        """By the number of the process."""
        self.unit: dict[str, str] = {}
        """The path of the unit of each, or `NOBODY`."""
        if self.missing is not None:
            return
        earlier = None if interval.before is None else interval.before.frame(ROUNDS)
        begun, counted = (rounds.cell("rounds", name) for name in ("begun", "rounds"))
        goes_on = earlier is not None and earlier.missing is None and earlier.cell("rounds", "begun") == begun
        already = earlier.cell("rounds", "rounds") if goes_on and earlier is not None else 0
        self.rounds = _number(counted) - _number(already)
        for row, (key, unit) in enumerate(zip(self.now.keys, self.now.column("unit"), strict=True)):
            self.of[key] = self._use(interval, before, row, goes_on=goes_on)
            self.unit[key] = unit if isinstance(unit, str) and unit else NOBODY

    def _use(self, interval: Interval, before: Frame | None, row: int, *, goes_on: bool) -> Use:
        """Return what the process of a row did; `goes_on`: its states were counted before, too."""
        now, key = self.now, self.now.keys[row]
        started = now.column("started")[row]
        then = (
            before.index.get(key) if before is not None and before.cell(key, "started") == started else None
        )
        old: dict[str, Value] = {}
        if before is not None and then is not None:
            old = {name: before.column(name)[then] for name in (*WAIT_STATES, *USED)}
        elif interval.before is not None and _number(started) * TICK >= interval.before.at.steady:
            old = dict.fromkeys(USED, 0)
        states = {
            name: max(_number(now.column(name)[row]) - (_number(old.get(name, 0)) if goes_on else 0), 0)
            for name in WAIT_STATES
        }
        seconds = interval.seconds
        if before is not None and then is not None and not isinstance(seconds, Absent):
            seconds = (now.times[row] - before.times[then]) / SECOND or seconds
        rates = {name: _rate(now.column(name)[row], old.get(name, ONE_SAMPLE), seconds) for name in USED}
        return Use(states, rates)

    def together(self, keys: Iterable[str]) -> Use:
        """Return what some processes did; of counters what is known of them."""
        states = dict.fromkeys(WAIT_STATES, 0)
        sums: dict[str, Number] = {}
        for key in keys:
            use = self.of[key]
            for name, count in use.states.items():
                states[name] += count
            for name, rate in use.rates.items():
                whole = sums.get(name)
                if whole is None or isinstance(whole, Absent):
                    sums[name] = rate
                elif not isinstance(rate, Absent):
                    sums[name] = whole + rate
        return Use(states, {name: sums.get(name, NO_ROUND) for name in USED})

    @property
    def by_unit(self) -> dict[str, list[str]]:
        """The processes of each unit."""
        keys_of: dict[str, list[str]] = {}
        for key, unit in self.unit.items():
            keys_of.setdefault(unit, []).append(key)
        return keys_of

    def moved(self, key: str) -> Number:
        """Return the bytes a second that a process read and made dirty, as far as it may be read."""
        rates = self.of[key].rates
        read = rates["read_bytes"]
        moved = (rate for name in MOVED if not isinstance(rate := rates[name], Absent))
        return read if isinstance(read, Absent) else sum(moved, 0.0)

    def waiting(self, keys: Iterable[str]) -> str | None:
        """Return which of some processes waited most; None where none waited."""
        waited = {key: self.of[key].active - self.of[key].states["running"] for key in keys}
        most = max(waited, key=lambda key: waited[key], default=None)
        return None if most is None or not waited[most] else most

    def place(self, keys: Iterable[str]) -> Value:
        """Say what the tasks of some processes waited for last: of the process that waited most."""
        most = self.waiting(keys)
        place = SLEPT if most is None else self.now.cell(most, "place")
        return place if isinstance(place, Absent) else place_words(str(place))

    def waits_on(self, keys: Iterable[str], devices: WaitDevices) -> WaitDevice:
        """Say on which disk that was."""
        most = self.waiting(keys)
        if most is None:
            return WaitDevice(SLEPT, SLEPT, SLEPT)
        told, evidence = self.now.cell(most, "devices"), self.now.cell(most, "evidence")
        return devices.of(told, evidence, most, self.unit[most], self.now.cell(most, "place"))


@lru_cache(maxsize=2)
def process_use(interval: Interval) -> ProcessUse:
    """Return what all processes did, which several tables may ask for one after the other."""
    return ProcessUse(interval)


def place_words(place: str) -> str:
    """Say what a task waits for at a place in the kernel: `direct I/O (submit_bio_wait)`."""
    meaning = class_of(place)[1]
    return f"{meaning} ({place})" if meaning else place


def _number(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _rate(now: Value, before: Value, seconds: Number) -> Number:
    """Return a counter per second."""
    for value in (now, before, seconds):
        if isinstance(value, Absent):
            return value
    assert not isinstance(now, str | Absent)  # noqa: S101 - counters are numbers
    assert not isinstance(before, str | Absent)  # noqa: S101 - likewise
    return max(now - before, 0) / seconds


def table(view: View) -> Table:
    """Fill USTAT: one row per unit, keyed by its path, and one for the processes in none."""
    use = process_use(view.interval)
    if use.missing is not None:
        return Table([], {}, missing=use.missing)
    units, members = UnitUse(view.interval), use.by_unit
    keys = sorted(members, key=lambda key: (key == NOBODY, key))
    rows = {key: use.together(members[key]) for key in keys}
    filled = [rows[key].columns(use.rounds) for key in keys]
    devices = WaitDevices(view)
    on = [use.waits_on(members[key], devices) for key in keys]
    columns: dict[str, list[Value]] = {
        "unit": [_title(key) for key in keys],
        **{
            name: [NOT_IN_ROWS if key == NOBODY else units.counted.cell(key, name) for key in keys]
            for name in ("database", "instance")
        },
        **{name: [row[name] for row in filled] for name in (filled[0] if filled else ())},
        "cpu": [_cpu(rows[key], units.cell(key, "cpu", NOT_IN_ROWS)) for key in keys],
        "throttled": [units.cell(key, "throttled", NOT_IN_ROWS) for key in keys],
        "processes": [len(members[key]) for key in keys],
        "place": [use.place(members[key]) for key in keys],
        **_where(on),
        "lcus": _lcus(view, keys),
        "path": list(keys),
    }
    everything = use.together(use.of).columns(use.rounds)
    everything["cpu"] = _no_more_than(_busy(view.interval), total(columns["cpu"]))  # type: ignore[arg-type]  # numbers
    return Table(
        keys,
        columns,
        Summary(">> All Users <<", {**everything, "processes": len(use.of)}),
        estimated={"lcus": None, **_guessed(on)},
        notes=(*_notes(view, use), LCUS, *((CANDIDATES,) if _guessed(on) else ())),
    )


def _cpu(use: Use, accounted: Value) -> Value:
    """Return the processor time of a unit, in percent: also of processes that came and went meanwhile.

    These no reading of processes sees; the kernel accounts for them to the control group.
    """
    return 100.0 * use.rates["run"] / SECOND if isinstance(accounted, Absent) else accounted


def _busy(interval: Interval) -> Number:
    """Return how busy all CPUs were together, in percent of one."""
    cpus = Processors(interval)
    return cpus.average(cpus.busy) * cpus.running


def _no_more_than(most: Number, value: Number) -> Number:
    """Return a sum that may have parts of a longer time, as units are not read at the instant of the CPUs."""
    return min(value, most) if not isinstance(value, Absent) and not isinstance(most, Absent) else value


def _unseen(view: View, used: Value) -> Iterator[str]:
    """Say what the CPUs did that is in no line: of processes that no sample saw, and of interrupts."""
    busy = _busy(view.interval)
    if isinstance(busy, Absent) or isinstance(used, Absent | str):
        return
    if busy - used >= max(MUCH, UNSEEN * busy):
        yield (
            f"The CPUs were {busy:.0f} % busy, these processes used {used:.0f} %: the rest went to processes"
            " that began and ended between two samples, and to interrupts"
        )


def process_table(view: View) -> Table:
    """Fill UPROC: one row per process, keyed by its number; with an operand those of one unit."""
    use = process_use(view.interval)
    if use.missing is not None:
        return Table([], {}, missing=use.missing)
    keys = _chosen(use, view.argument)
    whole = {unit: use.together(members) for unit, members in use.by_unit.items()}
    filled = [use.of[key].columns(use.rounds) for key in keys]
    devices = WaitDevices(view)
    on = [use.waits_on([key], devices) for key in keys]
    columns: dict[str, list[Value]] = {
        "pid": [int(key) for key in keys],
        "command": [use.now.cell(key, "command") for key in keys],
        "unit": [_title(use.unit[key]) for key in keys],
        **{name: [row[name] for row in filled] for name in (filled[0] if filled else ())},
        "share": [100.0 * _bytes_share(use.of[key], whole[use.unit[key]]) for key in keys],
        "threads": [use.now.cell(key, "threads") for key in keys],
        "place": [use.place([key]) for key in keys],
        **_where(on),
        "path": [use.unit[key] for key in keys],
    }
    summed = use.together(keys).columns(use.rounds)
    return Table(
        keys,
        columns,
        Summary(">> All Processes <<", {**summed, "threads": total(columns["threads"])}),  # type: ignore[arg-type]  # numbers
        estimated={"share": None, **_guessed(on)},
        notes=(
            *_most(use, keys),
            *(() if view.argument else _unseen(view, summed["cpu"])),
            *_notes(view, use),
            SHARE,
            *((CANDIDATES,) if _guessed(on) else ()),
        ),
    )


def _most(use: ProcessUse, keys: Iterable[str]) -> Iterator[str]:
    """Say which process moves most data: where disks are fast it hardly waits, so it is not the first."""
    moved = {key: much for key in keys if not isinstance(much := use.moved(key), Absent) and much > 0}
    if moved:
        most = max(moved, key=lambda key: moved[key])
        column = "reads" if 2 * use.of[most].rates["read_bytes"] >= moved[most] else "dirtied"
        much, part = moved[most] / MB, 100.0 * moved[most] / sum(moved.values())
        yield MOST.format(use.now.cell(most, "command"), most, much, part, column)


def _where(on: Sequence[WaitDevice]) -> dict[str, list[Value]]:
    """Return the columns of where each row waits."""
    return {
        "device": [where.device for where in on],
        "lcu": [where.lcu for where in on],
        "evidence": [where.evidence for where in on],
    }


def _guessed(on: Sequence[WaitDevice]) -> dict[str, frozenset[int]]:
    """Return the rows in which that is an estimate."""
    rows = frozenset(row for row, where in enumerate(on) if where.is_estimate)
    return dict.fromkeys(("device", "lcu"), rows) if rows else {}


def _chosen(use: ProcessUse, wanted: str) -> list[str]:
    """Return the processes of a unit, by its path or title, those of a name, or the one of a number.

    Raises:
        NoSuchThing: there is none.
    """
    if not wanted:
        return use.now.keys
    commands = use.now.column("command")
    for names in (
        [use.unit[key] for key in use.now.keys],
        [_title(use.unit[key]) for key in use.now.keys],
        use.now.keys,
        commands,
    ):
        if keys := [key for key, name in zip(use.now.keys, names, strict=True) if name == wanted]:
            return keys
    raise NoSuchThing(f"no process of {wanted!r} is known; UPROC without operand lists all")


def _title(unit: str) -> str:
    return NOBODY if unit == NOBODY else title_of(unit)


def _bytes_share(use: Use, whole: Use) -> Number:
    """Return the part that one process has of what all of its unit read and made dirty."""
    own, every = (
        sum(rate for name in MOVED if not isinstance(rate := part.rates[name], Absent))
        for part in (use, whole)
    )
    read = use.rates["read_bytes"]
    return read if isinstance(read, Absent) else ratio(own, every, NO_BYTES.reason)


def _lcus(view: View, keys: Sequence[str]) -> list[Value]:
    """Name the LCUs on which each unit does its I/O, with their parts of its bytes."""
    loads = unit_loads(view.interval)
    if loads.missing is not None:
        return [loads.missing] * len(keys)
    places = DiskPlaces(view, loads)
    names: list[Value] = []
    for key in keys:
        much = by_key(
            (text_of(places.lcu_name(number)) or places.device.get(number, number), counts.bytes)
            for number, counts in loads.of.get(key, {}).items()
        )
        names.append(parts_of(much, sum(much.values())) or NO_UNIT_IO if much else NO_BYTES)
    return names


def hidden_tasks(view: View) -> Iterator[str]:
    """Say how many tasks are hidden, if any are."""
    row = view.interval.after.frame(ROUNDS)
    tasks, every = (_number(row.cell("rounds", name)) for name in ("tasks", "all_tasks"))
    if tasks < every * SEEN - FEW:
        why = row.cell("rounds", "hidepid")
        hidden = "" if isinstance(why, Absent) else f": /proc is mounted with hidepid={why}"
        yield f"{every - tasks:,} of {every:,} tasks are not seen from here{hidden}"


def _notes(view: View, use: ProcessUse) -> Iterable[str]:
    row = view.interval.after.frame(ROUNDS)
    names = ("processes", "tasks", "left_out")
    processes, tasks, left = (_number(row.cell("rounds", name)) for name in names)
    rounds = f"{use.rounds:,} times" if use.rounds != 1 else "once"
    yield f"Percent of samples, not of time: {tasks:,} tasks were looked at {rounds}"
    yield from hidden_tasks(view)
    if left:
        yield f"{left:,} of {processes:,} processes, those that did least, have no line"
    if row.cell("rounds", "delay_accounting") == 0:
        yield OFF


DEFINITIONS: Final = {
    "wait_states": TableDefinition(NEEDS, table),
    "processes": TableDefinition(NEEDS, process_table),
}
