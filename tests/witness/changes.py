"""Changes of machines whose effect is simulated: the words for zmon, and the machine after them.

A third of the changes, at least, was kept apart (`held`): zmon was not asked about these before its model was
changed with the help of the others.  When it had been asked, two errors and what makes the confidence low
were changed once more, and `later` ones were written down before that, to see what is left of it.  Most loads
are closed, as the others do not get more throughput from any change; some of the programs wait for their
users between requests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from tests.disk_cache import digest, kept, sources_digest
from tests.witness.builders import RANKS, box, calm, unit, units, volumes
from tests.witness.parts import Machine, Paths, Processors, Program, Rank, Truth, Volume
from tests.witness.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.witness.counters import Reading
    from tests.witness.parts import ControlUnit

BEGIN: Final = 10
"""Seconds after which a machine is as it stays."""
BATCHES: Final = 5
"""Parts of the time after it, whose differences tell how exact its mean is."""
UNASKED: Final = Truth("nobody is asked what is short")
SIMULATION: Final = ("tests.witness.simulation", "tests.witness.builders", "tests.witness.parts")

Tables = tuple[tuple[str, tuple[str, ...]], ...]
"""Tablespaces, and the volumes that have a file of each."""


@dataclass(frozen=True)
class MachineChange:
    """A machine before and after a change."""

    name: str
    sort: str
    words: str
    """As `zmon whatif` takes them."""
    before: Machine
    after: Machine
    tables: Tables = ()
    group: str = "fitted"
    """`fitted`, `held` or `later`."""

    def listing(self) -> str:
        """Return the files of the tablespaces before the change, as CSV."""
        return "".join(
            f"{space},/db/{volume}/{space.lower()}.dbf,data,1073741824\n"
            for space, of in self.tables
            for volume in of
        )


@dataclass(frozen=True)
class Effect:
    """What a change does, as simulated: after it, as a multiple of before."""

    times: float
    """The throughput ..."""
    noise: float
    """... and by which part that may be wrong by chance, as a standard error."""
    longer: float
    """The mean response."""


def readings_of(machine: Machine) -> list[Reading]:
    """Return the readings of a machine, which is simulated once."""
    key = digest(sources_digest(*SIMULATION), repr(machine))
    readings: list[Reading] = kept("changes", key, lambda: simulate(machine))
    return readings


def effect(change: MachineChange) -> Effect:
    """Return what is simulated."""
    before, after = (_requests(readings_of(machine)) for machine in (change.before, change.after))
    noise = (before[1] ** 2 + after[1] ** 2) ** 0.5
    return Effect(after[0] / before[0], noise, after[2] / before[2])


def _requests(readings: Sequence[Reading]) -> tuple[float, float, float]:
    """Return the requests per second to disks, the standard error of that as a part, and their mean time."""
    at = range(BEGIN, len(readings), (len(readings) - BEGIN) // BATCHES)
    done, times = [], []
    for second in at:
        blocks = [counts for name, counts in readings[second].blocks.items() if "/" not in name]
        done.append(sum(counts.reads + counts.writes for counts in blocks))
        times.append(sum(counts.read_time + counts.write_time for counts in blocks))
    parts = [then - now for now, then in pairwise(done)]
    mean = sum(parts) / len(parts)
    varies = sum((part - mean) ** 2 for part in parts) / (len(parts) - 1) / len(parts)
    seconds = at[-1] - at[0]
    return (done[-1] - done[0]) / seconds, varies**0.5 / mean, (times[-1] - times[0]) / (done[-1] - done[0])


FOUR: Final = ("8000", "8100", "8200", "8300")
SLOW: Final = tuple(replace(rank, arms=4, seek=0.008) for rank in RANKS)
OTHERS: Final = units("8100", "8200", "8300", aliases=4)


def plus(of: ControlUnit, number: str, rank: str = "rank1", **more: Any) -> ControlUnit:
    """Return an LCU with one more volume."""
    return replace(of, volumes=(*of.volumes, Volume(number, rank, **more)))


GROUPS: Final = {False: "fitted", True: "held", None: "later"}


class _Listed:
    """The changes that are written down below."""

    def __init__(self) -> None:
        self.changes: list[MachineChange] = []

    def add(  # noqa: PLR0913, PLR0917 - the parts of a change
        self,
        sort: str,
        name: str,
        words: str,
        before: Machine,
        after: Machine,
        tables: Mapping[str, Sequence[str]] | None = None,
        *,
        held: bool | None = False,
    ) -> None:
        """Write down a change, whose machines get its name."""
        self.changes.append(
            MachineChange(
                name,
                sort,
                words,
                replace(before, name=f"before {name}", seed=1),
                replace(after, name=f"after {name}", seed=2),
                tuple((space, tuple(of)) for space, of in (tables or {}).items()),
                GROUPS[held],
            )
        )


def _box(of: Sequence[ControlUnit], *programs: Program, **more: Any) -> Machine:
    return box("", UNASKED, of, *programs, **more)


def _pool(  # noqa: PLR0913 - what may differ
    aliases: int, *, threads: int = 10, kib: float = 32, think: float = 0.0, on: Sequence[str] = (),
    ranks: tuple[Rank, ...] = RANKS, many: int = 2, cpu: float = 0.0002, processors: int = 4,
    reads: float = 0.9, **more: Any,
) -> Machine:  # fmt: skip
    """Return a machine whose LCU 8000 has so many aliases, and closed load."""
    hot = unit("8000", many, aliases=aliases, **{"command": 0.003, **more})
    load = Program(
        "oltp", tuple(on) or volumes(hot), threads=threads, kib=kib, reads=reads, think=think, cpu=cpu
    )
    return _box((hot, *OTHERS), load, calm(OTHERS), ranks=ranks, processors=Processors(processors))


def _aliases(to: _Listed) -> None:
    """More and fewer aliases of LCU 8000."""
    few: dict[str, Any] = {"threads": 10}
    missing: dict[str, Any] = {"hit": 0.4, "command": 0.001, "kib": 8, "many": 4, "threads": 20}
    full: dict[str, Any] = {"mbps": 24, "threads": 16, "many": 3, "command": 0.0015}
    one: dict[str, Any] = {"many": 4, "on": ("8001",), "threads": 12, "kib": 16}
    thinks: dict[str, Any] = {"threads": 14, "think": 0.003}
    users: dict[str, Any] = {"threads": 60, "think": 0.05}
    slow: dict[str, Any] = {"hit": 0.3, "command": 0.0005, "kib": 8, "many": 4, "threads": 24, "ranks": SLOW}
    short: dict[str, Any] = {"processors": 2, "cpu": 0.001, "threads": 20, "many": 3}
    cases: list[tuple[str, dict[str, Any], int, int, bool | None]] = [
        ("pool", few, 1, 2, False),
        ("pool", few, 1, 4, False),
        ("pool", few, 0, 8, False),
        ("pool", few, 2, 6, True),
        ("pool", few, 0, 3, True),
        ("misses", missing, 2, 4, False),
        ("misses", missing, 2, 10, False),
        ("misses", missing, 4, 8, True),
        ("LCU full then", full, 1, 6, False),
        ("LCU full then", full, 0, 4, True),
        ("one volume", one, 0, 3, False),
        ("one volume", one, 0, 10, False),
        ("one volume", one, 2, 5, True),
        ("thinking", thinks, 0, 4, False),
        ("thinking", thinks, 1, 8, True),
        ("users", users, 1, 4, False),
        ("users", users, 2, 8, True),
        ("slow ranks", slow, 2, 8, False),
        ("slow ranks", slow, 1, 4, True),
        ("processors full then", short, 1, 8, False),
        ("processors full then", short, 2, 12, True),
        ("pool", few, 8, 1, False),
        ("pool", few, 6, 3, False),
        ("pool", few, 5, 2, True),
        ("misses", missing, 10, 2, False),
        ("misses", missing, 8, 3, True),
        ("LCU full", full, 12, 4, False),
        ("LCU full", full, 10, 2, True),
        ("one volume", one, 8, 2, False),
        ("one volume", one, 10, 3, True),
        ("slow ranks", slow, 12, 4, False),
        ("slow ranks", slow, 16, 6, True),
        ("thinking", thinks, 8, 2, False),
        ("users", users, 6, 2, True),
        ("pool", few, 3, 5, None),
        ("pool", few, 7, 2, None),
        ("misses", missing, 3, 6, None),
        ("misses", missing, 12, 5, None),
        ("LCU full then", full, 2, 3, None),
        ("one volume", one, 1, 6, None),
        ("thinking", thinks, 2, 5, None),
        ("slow ranks", slow, 3, 6, None),
        ("users", users, 1, 2, None),
    ]
    for what, how, now, then, held in cases:
        sort = "aliases added" if then > now else "aliases taken away"
        name = f"{what}: {then} aliases for {now}"
        to.add(sort, name, f"aliases {then} on LCU 8000", _pool(now, **how), _pool(then, **how), held=held)


def _ports(number: int, kind: str, *, lpar: bool = False, think: float = 0.0, **more: Any) -> Machine:
    """Return a machine whose load goes over so many paths."""
    if kind == "escon":
        four = units(*FOUR, aliases=4, **more)
        paths = Paths(tuple(range(0x30, 0x30 + number)), mbps=17, kind="escon", setup=0.0003)
        load = Program("batch", volumes(*four), threads=24, kib=48, reads=0.9, think=think)
    else:
        four = units(*FOUR, aliases=8, **{"mbps": 800, **more})
        paths = Paths(tuple(range(0x50, 0x50 + number)), mbps=60)
        load = Program("scan", volumes(*four), threads=24, kib=128, reads=1.0, sequential=True, think=think)
    return _box(four, load, paths=paths, channel_measurement=lpar)


def _paths(to: _Listed) -> None:
    """More and fewer channel paths."""
    cases: list[tuple[str, dict[str, Any], int, int, bool | None]] = [
        ("escon", {}, 2, 3, False),
        ("escon", {}, 2, 4, False),
        ("escon", {}, 3, 5, True),
        ("escon", {}, 4, 6, False),
        ("escon", {}, 1, 2, True),
        ("escon", {"think": 0.05}, 2, 4, True),
        ("escon", {"mbps": 8}, 3, 6, False),
        ("escon", {}, 4, 2, False),
        ("escon", {}, 6, 3, True),
        ("ficon", {}, 2, 3, False),
        ("ficon", {}, 2, 4, True),
        ("ficon", {"lpar": True}, 2, 4, False),
        ("ficon", {"lpar": True}, 1, 3, True),
        ("ficon", {"think": 0.03}, 2, 4, False),
        ("ficon", {"mbps": 40}, 2, 8, True),
        ("ficon", {"mbps": 20}, 2, 4, False),
        ("ficon", {}, 4, 2, True),
        ("ficon", {"lpar": True}, 4, 3, False),
        ("escon", {"think": 0.02}, 2, 3, None),
        ("escon", {}, 5, 4, None),
        ("ficon", {"lpar": True}, 2, 3, None),
        ("ficon", {"think": 0.01}, 3, 5, None),
    ]
    for kind, how, now, then, held in cases:
        sort = "paths added" if then > now else "paths taken away"
        said = "".join(f", {key} {value:g}" for key, value in how.items() if value is not True)
        measured = ", measured" if how.get("lpar") else ""
        name = f"{kind}: {then} paths for {now}{said}{measured}"
        to.add(sort, name, f"paths {then}", _ports(now, kind, **how), _ports(then, kind, **how), held=held)


def _computing(
    count: int, *, cpu: float = 0.003, think: float = 0.0, threads: int = 16, **more: Any
) -> Machine:
    four = units(*FOUR, **{"aliases": 4, "command": 0.001, **more})
    load = Program("compute", volumes(*four), threads=threads, kib=8, think=think, cpu=cpu)
    return _box(four, load, processors=Processors(count))


def _processors(to: _Listed) -> None:
    """More and fewer processors."""
    cases: list[tuple[dict[str, Any], int, int, bool | None]] = [
        ({}, 2, 3, False),
        ({}, 2, 4, True),
        ({"threads": 24}, 4, 6, False),
        ({"threads": 24}, 4, 8, True),
        ({"think": 0.02}, 2, 3, False),
        ({"think": 0.02, "threads": 24}, 2, 4, True),
        ({"threads": 8}, 4, 6, False),
        ({"threads": 6, "aliases": 0, "hit": 0.6}, 2, 4, False),
        ({}, 4, 2, False),
        ({"think": 0.01}, 6, 4, True),
        ({"threads": 24, "cpu": 0.006}, 8, 5, False),
        ({"threads": 12, "think": 0.005}, 2, 3, None),
        ({"threads": 20}, 3, 5, None),
    ]
    for how, now, then, held in cases:
        sort = "processors added" if then > now else "processors taken away"
        said = "".join(f", {key} {value:g}" for key, value in how.items())
        name = f"{then} processors for {now}{said}"
        before, after = _computing(now, **how), _computing(then, **how)
        to.add(sort, name, f"processors {then}", before, after, held=held)


def _tables(  # noqa: PLR0913 - what may differ
    on: Mapping[str, Sequence[str]], of: Sequence[ControlUnit], *, threads: int = 6, kib: float = 64,
    ranks: tuple[Rank, ...] = RANKS, think: float = 0.0, reads: float = 0.9, weights: Mapping[str, int] = {},
    **more: Any,
) -> Machine:  # fmt: skip
    """Return a machine with a program for each table, which picks its volumes at random."""
    programs = [
        Program(name, tuple(where), threads=threads * weights.get(name, 1), kib=kib, reads=reads, think=think)
        for name, where in on.items()
    ]
    return _box(of, *programs, ranks=ranks, **more)


def _moves(to: _Listed) -> None:
    """Tables that get other LCUs or volumes."""
    alike = units(*FOUR, aliases=6, mbps=30, hit=1.0, command=0.0005)
    large = {f"TS{at}": (f"800{at}",) for at in range(1, 5)}
    for name, moved, held, more in (
        ("full LCU: one table to another", {"TS2": "81"}, False, {}),
        ("full LCU: three tables to others", {"TS2": "81", "TS3": "82", "TS4": "83"}, False, {}),
        ("full LCU: two tables to another", {"TS2": "82", "TS3": "82"}, True, {}),
        ("full LCU: two tables, thinking", {"TS2": "81", "TS3": "82"}, True, {"think": 0.02}),
        ("full LCU: one large table", {"TS1": "81"}, False, {"weights": {"TS1": 3}}),
        ("full LCU: two small tables", {"TS3": "81", "TS4": "82"}, None, {"weights": {"TS1": 2}, "kib": 32}),
        ("full LCU: one table, many threads", {"TS4": "83"}, None, {"threads": 10}),
        ("full LCU: one table, thinking little", {"TS4": "83"}, None, {"think": 0.005}),
    ):
        then = {table: ((f"{moved[table]}11",) if table in moved else on) for table, on in large.items()}
        after: list[ControlUnit] = []
        for changed in alike:
            lcu = changed
            for table, target in moved.items():
                if lcu.name.startswith(target) and not any(v.number == f"{target}11" for v in lcu.volumes):
                    lcu = plus(lcu, f"{target}11", f"rank{int(table[-1]) % 4}")
                elif lcu.name.startswith(target):
                    lcu = plus(lcu, f"{target}12", f"rank{int(table[-1]) % 4}")
                    then[table] = (f"{target}12",)
            after.append(lcu)
        words = " and ".join(f"move {table} to LCU {target}00" for table, target in moved.items())
        to.add(
            "moves",
            name,
            words,
            _tables(large, alike, **more),
            _tables(then, tuple(after), **more),
            large,
            held=held,
        )
    # tables whose ranks are full get volumes on other ranks, behind another LCU
    ranks = (*SLOW[:2], *RANKS[2:])
    for name, kib, hit, held in (
        ("8 KiB", 8, 0.3, False),
        ("32 KiB", 32, 0.5, True),
        ("4 KiB", 4, 0.2, None),
    ):
        hot = replace(
            unit("8000", 4, aliases=16, hit=hit),
            volumes=tuple(Volume(f"800{at}", f"rank{at % 2}") for at in range(1, 5)),
        )
        calm_one = unit("8100", 2, aliases=16, hit=hit)
        quick = plus(plus(calm_one, "8111", "rank2"), "8112", "rank3")
        then = {**large, "TS3": ("8111",), "TS4": ("8112",)}
        how: dict[str, Any] = {"kib": kib, "ranks": ranks, "reads": 0.95}
        to.add(
            "moves",
            f"full ranks: two tables to other ranks, {name}",
            "move TS3 to LCU 8100 and move TS4 to LCU 8100",
            _tables(large, (hot, calm_one), **how),
            _tables(then, (hot, quick), **how),
            large,
            held=held,
        )
    # volumes without aliases
    cases: tuple[tuple[str, int, float, bool | None], ...] = (
        ("", 4, 0.0, False), (", thinking", 5, 0.01, True), (", many threads", 9, 0.0, None)
    )  # fmt: skip
    for name, threads, think, held in cases:
        bare = units(*FOUR, command=0.004)
        on = {"TS1": ("8001",), "TS2": ("8001",), "TS3": ("8101",)}
        parted = {**on, "TS2": ("8002",)}
        how = {"threads": threads, "think": think, "kib": 16}
        to.add(
            "parted tables", f"two tables on one volume parted{name}", "move TS2 to volume 8002",
            _tables(on, bare, **how), _tables(parted, bare, **how), on, held=held,
        )  # fmt: skip
        three = {"TS1": ("8001",), "TS2": ("8001",), "TS3": ("8001",)}
        apart = {"TS1": ("8001",), "TS2": ("8102",), "TS3": ("8203",)}
        to.add(
            "parted tables", f"three tables on one volume parted{name}",
            "move TS2 to volume 8102 and move TS3 to volume 8203",
            _tables(three, bare, **how), _tables(apart, bare, **how), three,
            held=None if held is None else not held,
        )  # fmt: skip
    pooled = units(*FOUR, aliases=2, command=0.003)
    on = {"TS1": ("8001",), "TS2": ("8001",)}
    then = {"TS1": ("8001",), "TS2": ("8102",)}
    to.add(
        "parted tables", "two tables on one volume with aliases parted", "move TS2 to volume 8102",
        _tables(on, pooled, kib=16), _tables(then, pooled, kib=16), on,
    )  # fmt: skip
    to.add(
        "parted tables", "a small table from a large one", "move TS2 to LCU 8200",
        _tables(on, pooled, kib=16, weights={"TS1": 1}, threads=10),
        _tables(
            {**on, "TS2": ("8211",)}, (*pooled[:2], plus(pooled[2], "8211", "rank2"), pooled[3]), kib=16,
            threads=10,
        ),
        on, held=True,
    )  # fmt: skip


def _stripes(to: _Listed) -> None:
    """Tables that are spread over several LCUs or volumes."""
    alike = units(*FOUR, aliases=6, mbps=30, hit=1.0, command=0.0005)
    striped = tuple(plus(lcu, f"{lcu.name[:2]}11", "rank2") for lcu in alike)
    on = {"TS1": ("8001",), "TS2": ("8002",)}
    over = tuple(f"{lcu[:2]}11" for lcu in FOUR)
    for name, held, more in (
        ("full LCU", False, {}),
        ("full LCU, thinking", False, {"think": 0.03}),
        ("full LCU, 16 KiB", True, {"kib": 16}),
        ("full LCU, many threads", True, {"threads": 14}),
        ("full LCU, 32 KiB", None, {"kib": 32, "threads": 7}),
    ):
        how: dict[str, Any] = {"threads": 10, **more}
        to.add(
            "stripes", f"{name}: one table over four LCUs", "stripe TS1 over LCU 8000,8100,8200,8300",
            _tables(on, alike, **how), _tables({**on, "TS1": over}, striped, **how), on, held=held,
        )  # fmt: skip
        both = tuple(plus(lcu, f"{lcu.name[:2]}12", "rank3") for lcu in striped)
        second = tuple(f"{lcu[:2]}12" for lcu in FOUR)
        to.add(
            "stripes", f"{name}: both tables over four LCUs",
            "stripe TS1 over LCU 8000,8100,8200,8300 and stripe TS2 over LCU 8000,8100,8200,8300",
            _tables(on, alike, **how), _tables({"TS1": over, "TS2": second}, both, **how), on,
            held=None if held is None else not held,
        )  # fmt: skip
    bare = units(*FOUR, command=0.003)
    alone = {"TS1": ("8001",), "TS2": ("8101",)}
    for name, kib, threads, held in (("", 16, 8, False), (", few threads", 32, 3, True)):
        how = {"kib": kib, "threads": threads}
        to.add(
            "stripes", f"no aliases: a table over three volumes{name}",
            "stripe TS1 over volumes 8001,8002,8003",
            _tables(alone, bare, **how), _tables({**alone, "TS1": ("8001", "8002", "8003")}, bare, **how),
            alone, held=held,
        )  # fmt: skip
    slow = (replace(unit("8000", 4, aliases=16, hit=0.3)), *units("8100", aliases=16, hit=0.3))
    how = {"kib": 8, "threads": 20, "ranks": SLOW}
    for name, targets, held in (
        ("two", ("8001", "8002"), False),
        ("four", ("8001", "8002", "8003", "8004"), True),
    ):
        to.add(
            "stripes", f"full rank: a table over {name} volumes",
            f"stripe TS1 over volumes {','.join(targets)}",
            _tables({"TS1": ("8001",)}, slow, **how), _tables({"TS1": targets}, slow, **how),
            {"TS1": ("8001",)}, held=held,
        )  # fmt: skip


def _several(to: _Listed) -> None:
    """Two or three changes at once."""
    cases: tuple[tuple[str, int, int, tuple[int, int], bool | None], ...] = (
        ("", 1, 6, (2, 4), False), (", more", 2, 10, (2, 3), True), (", few", 0, 3, (3, 4), None)
    )  # fmt: skip
    for name, now, then, cpus, held in cases:
        how: dict[str, Any] = {"cpu": 0.0015, "threads": 20, "many": 3}
        to.add(
            "several", f"aliases and processors{name}",
            f"aliases {then} on LCU 8000 and processors {cpus[1]}",
            _pool(now, processors=cpus[0], **how), _pool(then, processors=cpus[1], **how), held=held,
        )  # fmt: skip
    alike = units(*FOUR, aliases=1, mbps=30, hit=1.0, command=0.002)
    on = {"TS1": ("8001",), "TS2": ("8002",), "TS3": ("8003",)}
    more = tuple(replace(lcu, aliases=5) for lcu in alike)
    moved = (more[0], plus(more[1], "8111", "rank2"), *more[2:])
    to.add(
        "several", "a table moved and aliases", "move TS2 to LCU 8100 and aliases 5",
        _tables(on, alike, kib=32), _tables({**on, "TS2": ("8111",)}, moved, kib=32), on,
    )  # fmt: skip
    twice = (more[0], plus(more[1], "8111", "rank2"), plus(more[2], "8211", "rank3"), more[3])
    to.add(
        "several", "two tables moved and aliases",
        "move TS2 to LCU 8100 and move TS3 to LCU 8200 and aliases 5",
        _tables(on, alike, kib=32, threads=8),
        _tables({**on, "TS2": ("8111",), "TS3": ("8211",)}, twice, kib=32, threads=8), on, held=True,
    )  # fmt: skip
    for name, kind, held in (("FICON", "ficon", False), ("ESCON", "escon", True)):

        def ported(number: int, aliases: int, kind: str = kind) -> Machine:
            machine = _ports(number, kind)
            return replace(
                machine,
                control_units=tuple(replace(lcu, aliases=aliases) for lcu in machine.control_units),
            )

        to.add(
            "several", f"{name} paths and aliases", "paths 4 and aliases 6", ported(2, 0), ported(4, 6),
            held=held,
        )  # fmt: skip


def _changes() -> list[MachineChange]:
    listed = _Listed()
    for write_down in (_aliases, _paths, _processors, _moves, _stripes, _several):
        write_down(listed)
    return listed.changes


CHANGES: Final = {change.name: change for change in _changes()}
"""All changes by their names."""
