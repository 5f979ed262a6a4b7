"""Pairs of a machine before and after a change, both simulated, for predictions made on the first."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.interval import Interval
from zmon.lab.counters import busid
from zmon.lab.scenario import load_scenario, parse_scenario
from zmon.lab.simulation import Simulation
from zmon.machine.observation import mean_of
from zmon.machine.observed import load_of
from zmon.machine.view import View
from zmon.queueing.change import (
    AliasNumber,
    Change,
    FileMove,
    PathNumber,
    PathsInUse,
    ProcessorNumber,
    StripedSpace,
)
from zmon.queueing.fit import FlowShare
from zmon.queueing.prediction import Prediction, fitted_interval, predict
from zmon.session.machines import ScenarioSection

if TYPE_CHECKING:
    from zmon.lab.model import Scenario
    from zmon.machine.observation import ObservedLoad

SHARK: Final = "IBM.750000000F2001."
TABLES: Final = ("TSFACT1", "TSFACT2", "TSFACT3", "TSFACT4")
MACHINES: Final = Path(__file__).parent / "machines"
"""Machines of these tests alone, which do not change with the studies' scenarios."""
LAB: Final = "IBM.7500000000LAB1."
MOVED: Final = {
    "LCU 1": ("1AF8", "30DA", "043A", "1A9D"),
    "LCU 5": ("2911", "3373", "10A0", "37CE"),
}  # fmt: skip
"""Eight volumes of shark-before that get another LCU."""


class Pair(NamedTuple):
    """A machine before and after."""

    name: str
    before: str
    """A scenario, with lines that change it behind it."""
    after: str
    changes: tuple[Change, ...]
    phases: tuple[int, int] = (-1, -1)


class Compared(NamedTuple):
    """A prediction beside what was simulated."""

    prediction: Prediction
    rate: float
    response: float

    @property
    def errors(self) -> tuple[float, float]:
        """Of throughput and response, as parts of what was simulated."""
        after = self.prediction.whole
        return after.rate[1] / self.rate - 1, float(after.response[1]) / self.response - 1  # type: ignore[arg-type]


def _spread_tables() -> tuple[Change, ...]:
    lcus = tuple(f"{SHARK}{lcu}" for lcu in ("7100", "7200", "7500", "7600"))
    return tuple(StripedSpace(name, lcus) for name in TABLES)


def _moves() -> tuple[Change, ...]:
    plan = load_scenario("shark-before")
    lcu_of = {volume: f"{SHARK}7{lcu[-1]}00" for lcu, volumes in MOVED.items() for volume in volumes}
    return tuple(
        FileMove(frozenset({place.path}), lcu_of[number])
        for place in plan.places
        if (number := f"{plan.box.volumes[place.volume].devno:04X}") in lcu_of
    )


def _aliases(name: str, number: int) -> str:
    """Return a scenario with two LCUs that have so many aliases each."""
    return f'{name}\n[lcus]\n"LCU 0".aliases = {number}\n"LCU 1".aliases = {number}'


_EIGHT: Final = "[volumes]\n" + "\n".join(
    f'{volume}.lcu = "{lcu}"' for lcu, volumes in MOVED.items() for volume in volumes
)
_FOUR: Final = _aliases("hyperpav-10", 2)
_READS: Final = 'loads.random.steps = [{ read = "8000", kb = 32, hits = 0.02 }]'
_TWO_EACH: Final = "\n".join(f'lcus."LCU {number}".aliases = 2' for number in range(4))
_NONE_EACH: Final = "\n".join(f'lcus."LCU {number}".aliases = 0' for number in range(4))
_SIXTEEN: Final = """
paths.more.chpids = ["58", "59", "5a", "5b", "5c", "5d", "5e", "5f"]
paths.more.mb_s = 800
lcus."LCU 2".paths = "more"
lcus."LCU 3".paths = "more"
"""
_EIGHT_PATHS: Final = """
paths.even.chpids = ["40", "41", "42", "43"]
paths.odd.chpids = ["48", "49", "4a", "4b"]
"""
STRIPES: Final = tuple(f"0.0.800{last}" for last in range(6))
SHIPPED: Final = (
    Pair("tables over four LCUs", "shark-before", "shark-respread-only", _spread_tables()),
    Pair("twice the paths", "shark-before", "shark-channels-only", (PathNumber(2, times=True),)),
    Pair("both", "shark-before", "shark-after", (*_spread_tables(), PathNumber(24))),
    Pair("paths, where tables are spread", "shark-respread-only", "shark-after", (PathNumber(24),)),
    Pair("7 aliases for 3", "pav-3", "pav-7", (AliasNumber(7, volume="0.0.8000"),)),
    Pair("10 aliases", "hyperpav-0", "hyperpav-10", (AliasNumber(5),)),
    Pair("20 aliases", "hyperpav-0", "hyperpav-20", (AliasNumber(10),)),
    Pair("20 aliases for 10", "hyperpav-10", "hyperpav-20", (AliasNumber(10),)),
    Pair("40 aliases for 20", "hyperpav-20", "hyperpav-40", (AliasNumber(20),)),
    Pair("40 aliases for none", "hyperpav-0", "hyperpav-40", (AliasNumber(20),)),
    Pair("40 aliases for 10", "hyperpav-10", "hyperpav-40", (AliasNumber(20),)),
    Pair("no aliases for 10", "hyperpav-10", "hyperpav-0", (AliasNumber(0),)),
    Pair("no aliases for 20", "hyperpav-20", "hyperpav-0", (AliasNumber(0),)),
    Pair("no aliases for 40", "hyperpav-40", "hyperpav-0", (AliasNumber(0),)),
    Pair("10 aliases for 20", "hyperpav-20", "hyperpav-10", (AliasNumber(5),)),
    Pair("10 aliases for 40", "hyperpav-40", "hyperpav-10", (AliasNumber(5),)),
    Pair("20 aliases for 40", "hyperpav-40", "hyperpav-20", (AliasNumber(10),)),
    Pair("no aliases, full paths", "iozone-hyperpav", "iozone-plain", (AliasNumber(0),)),
    Pair("3 aliases for each LCU", "iozone-plain", "iozone-hyperpav", (AliasNumber(3),)),
    Pair("multibus", "fcp-failover", "fcp-multibus-100", (PathsInUse(),)),
    Pair("multibus, full processors", "fcp-failover-full", "fcp-multibus-full", (PathsInUse(),)),
    Pair("multibus, writes alone", "fcp-writes-failover", "fcp-writes-multibus", (PathsInUse(),)),
    Pair("processors, 4 to 6", "fcp-multibus-full", "fcp-multibus-100", (ProcessorNumber(6),)),
    Pair("processors, 4 to 6, one path", "fcp-failover-full", "fcp-failover", (ProcessorNumber(6),)),
    Pair("processors, 4 to 8", "fcp-multibus-full", "fcp-multibus-8-cpus", (ProcessorNumber(8),)),
    Pair("processors, 6 to 8", "fcp-multibus-100", "fcp-multibus-8-cpus", (ProcessorNumber(8),)),
    Pair(
        "multibus, processors, 4 to 6",
        "fcp-failover-full",
        "fcp-multibus-100",
        (PathsInUse(), ProcessorNumber(6)),
    ),
    Pair("logs apart", "logs-mixed", "logs-apart", (StripedSpace("REDO", (f"{LAB}8000", f"{LAB}8100")),)),
    Pair("stripes", "stripe-extended", "stripe-extended", (StripedSpace("NEW", (), STRIPES),), (0, 1)),
)
"""Scenarios that come with zmon, before and after."""
OTHERS: Final = (
    Pair("10 aliases, scans", "logs-mixed", _aliases("logs-mixed", 10), (AliasNumber(10),)),
    Pair("20 aliases, scans", "logs-mixed", _aliases("logs-mixed", 20), (AliasNumber(20),)),
    Pair("eight files moved", "shark-before", f"shark-before\n{_EIGHT}", _moves()),
    Pair("10 aliases, full processors", "hyperpav-0.toml", "hyperpav-10.toml", (AliasNumber(5),)),
    Pair("20 aliases, full processors", "hyperpav-0.toml", "hyperpav-20.toml", (AliasNumber(10),)),
    Pair("no aliases, full processors", "hyperpav-10.toml", "hyperpav-0.toml", (AliasNumber(0),)),
    Pair("no aliases for 20, full processors", "hyperpav-20.toml", "hyperpav-0.toml", (AliasNumber(0),)),
    Pair("4 aliases", "hyperpav-0", _FOUR, (AliasNumber(2),)),
    Pair("4 aliases for 20", "hyperpav-20", _FOUR, (AliasNumber(2),)),
    Pair("20 aliases for 4", _FOUR, "hyperpav-20", (AliasNumber(10),)),
    Pair("no aliases for 4", _FOUR, "hyperpav-0", (AliasNumber(0),)),
    Pair("multibus, full path", "fcp-failover.toml", "fcp-multibus-100.toml", (PathsInUse(),)),
    Pair(
        "processors, 4 to 6, paths in turn",
        "fcp-multibus-full.toml",
        "fcp-multibus-100.toml",
        (ProcessorNumber(6),),
    ),
    Pair(
        "processors, 6 to 9, costly paths",
        "fcp-multibus-1",
        "fcp-multibus-1\ncpus = 9",
        (ProcessorNumber(9),),
    ),
    Pair(
        "processors, 10 to 16",
        "hyperpav-20.toml",
        "hyperpav-20.toml\ncpus = 16",
        (ProcessorNumber(16),),
    ),
    Pair(
        "log moved",
        "logs-mixed.toml",
        "logs-apart.toml",
        (FileMove(frozenset({"/ora/1/redo01.log"}), f"{LAB}8100"),),
    ),
    Pair("processors, 2 to 4, sessions", "zvm-2-cpus", "zvm-4-cpus", (ProcessorNumber(4),), (0, 0)),
    Pair(
        "4 aliases of the swap volume",
        "guest-swapping",
        "guest-swapping\nvolumes.0300.pav = 4",
        (AliasNumber(4, volume="0.0.0300"),),
    ),
    Pair("twice the paths, full", "iozone-hyperpav", f"iozone-hyperpav{_SIXTEEN}", (PathNumber(16),)),
    Pair("8 paths for 12", "shark-before", f"shark-before{_EIGHT_PATHS}", (PathNumber(8),)),
)
"""Machines of these tests alone, or with a scenario before."""
PAIRS: Final = (*SHIPPED, *OTHERS)

UNSEEN: Final = (
    Pair(
        "unseen: twice the paths",
        "shark-before\nseed = 101",
        "shark-channels-only\nseed = 102",
        (PathNumber(2, times=True),),
    ),
    Pair(
        "unseen: tables over four LCUs",
        "shark-before\nseed = 111",
        "shark-respread-only\nseed = 112",
        _spread_tables(),
    ),
    Pair(
        "unseen: 5 aliases for 3, 32 KiB",
        f"pav-3\nseed = 121\n{_READS}",
        f"pav-3\nseed = 122\nvolumes.8000.pav = 5\n{_READS}",
        (AliasNumber(5, volume="0.0.8000"),),
    ),
    Pair(
        "unseen: 2 aliases for 7",
        "pav-7\nseed = 131",
        "pav-7\nseed = 132\nvolumes.8000.pav = 2",
        (AliasNumber(2, volume="0.0.8000"),),
    ),
    Pair(
        "unseen: 12 aliases",
        "hyperpav-0\nseed = 141",
        _aliases("hyperpav-0\nseed = 142", 6),
        (AliasNumber(6),),
    ),
    Pair(
        "unseen: 6 aliases for 20",
        "hyperpav-20\nseed = 151",
        _aliases("hyperpav-20\nseed = 152", 3),
        (AliasNumber(3),),
    ),
    Pair(
        "unseen: multibus, 5 processors",
        "fcp-failover\nseed = 161\ncpus = 5",
        "fcp-multibus-100\nseed = 162\ncpus = 5",
        (PathsInUse(),),
    ),
    Pair(
        "unseen: processors, 4 to 5",
        "fcp-multibus-full\nseed = 171",
        "fcp-multibus-full\nseed = 172\ncpus = 5",
        (ProcessorNumber(5),),
    ),
    Pair(
        "unseen: logs apart",
        "logs-mixed\nseed = 181",
        "logs-apart\nseed = 182",
        (StripedSpace("REDO", (f"{LAB}8000", f"{LAB}8100")),),
    ),
    Pair(
        "unseen: stripes",
        "stripe-extended\nseed = 191",
        "stripe-extended\nseed = 192",
        (StripedSpace("NEW", (), STRIPES),),
        (0, 1),
    ),
    Pair(
        "unseen: 2 aliases for each LCU",
        "iozone-plain\nseed = 201",
        f"iozone-plain\nseed = 202\n{_TWO_EACH}",
        (AliasNumber(2),),
    ),
    Pair(
        "unseen: no aliases, short commands",
        "iozone-hpf\nseed = 211",
        f"iozone-hpf\nseed = 212\n{_NONE_EACH}",
        (AliasNumber(0),),
    ),
)
"""Pairs that were written down before any of them was predicted: no rule of the model was chosen on them.

Their seeds, numbers of aliases and processors, block size and channel programs are not those of `PAIRS`.
"""


def _pav(name: str, seed: int, number: int, lines: str = "") -> str:
    return f"{name}\nseed = {seed}\nvolumes.8000.pav = {number}{lines}"


def _each(name: str, seed: int, number: int) -> str:
    """Return a scenario with four LCUs that have so many aliases each."""
    lines = "\n".join(f'lcus."LCU {lcu}".aliases = {number}' for lcu in range(4))
    return f"{name}\nseed = {seed}\n{lines}"


_SHORT: Final = '\nloads.random.steps = [{ read = "8000", kb = 16, hits = 0.1 }]'
FURTHER: Final = (
    Pair(
        "later: 4 aliases for 7",
        "pav-7\nseed = 301",
        _pav("pav-7", 302, 4),
        (AliasNumber(4, volume="0.0.8000"),),
    ),
    Pair(
        "later: 1 alias for 3",
        "pav-3\nseed = 311",
        _pav("pav-3", 312, 1),
        (AliasNumber(1, volume="0.0.8000"),),
    ),
    Pair(
        "later: 12 aliases for 3",
        "pav-3\nseed = 321",
        _pav("pav-3", 322, 12),
        (AliasNumber(12, volume="0.0.8000"),),
    ),
    Pair(
        "later: 6 aliases for 2, 16 KiB",
        _pav("pav-3", 331, 2, _SHORT),
        _pav("pav-3", 332, 6, _SHORT),
        (AliasNumber(6, volume="0.0.8000"),),
    ),
    Pair(
        "later: 8 aliases", "hyperpav-0\nseed = 341", _aliases("hyperpav-0\nseed = 342", 4), (AliasNumber(4),)
    ),
    Pair(
        "later: 16 aliases for 8",
        _aliases("hyperpav-0\nseed = 351", 4),
        _aliases("hyperpav-0\nseed = 352", 8),
        (AliasNumber(8),),
    ),
    Pair(
        "later: 1 alias for each LCU",
        "iozone-plain\nseed = 361",
        _each("iozone-plain", 362, 1),
        (AliasNumber(1),),
    ),
    Pair(
        "later: 2 aliases for 3, full paths",
        "iozone-hyperpav\nseed = 371",
        _each("iozone-hyperpav", 372, 2),
        (AliasNumber(2),),
    ),
    Pair(
        "later: 1 alias for 3, short commands",
        "iozone-hpf\nseed = 381",
        _each("iozone-hpf", 382, 1),
        (AliasNumber(1),),
    ),
    Pair(
        "later: stripes",
        "stripe-extended\nseed = 391",
        "stripe-extended\nseed = 392",
        (StripedSpace("NEW", (), STRIPES),),
        (0, 1),
    ),
    Pair(
        "later: 12 aliases, scans",
        "logs-mixed\nseed = 401",
        _aliases("logs-mixed\nseed = 402", 6),
        (AliasNumber(6),),
    ),
    Pair(
        "later: processors, 4 to 7",
        "fcp-multibus-full\nseed = 411",
        "fcp-multibus-full\nseed = 412\ncpus = 7",
        (ProcessorNumber(7),),
    ),
)
"""Pairs that were written down after the range was widened where a volume limits, which one of `UNSEEN` had
shown, and before any of them was predicted."""


ADDITIONS: Final = (
    Pair(
        "added: 40 aliases, scans",
        "logs-mixed\nseed = 501",
        _aliases("logs-mixed\nseed = 502", 40),
        (AliasNumber(40),),
    ),
    Pair(
        "added: 60 aliases",
        "hyperpav-0\nseed = 511",
        _aliases("hyperpav-0\nseed = 512", 30),
        (AliasNumber(30),),
    ),
    Pair(
        "added: 60 aliases for 10",
        "hyperpav-10\nseed = 521",
        _aliases("hyperpav-10\nseed = 522", 30),
        (AliasNumber(30),),
    ),
    Pair(
        "added: processors, 4 to 10",
        "fcp-multibus-full\nseed = 531",
        "fcp-multibus-full\nseed = 532\ncpus = 10",
        (ProcessorNumber(10),),
    ),
    Pair(
        "added: processors, 4 to 8, one path",
        "fcp-failover-full\nseed = 541",
        "fcp-failover-full\nseed = 542\ncpus = 8",
        (ProcessorNumber(8),),
    ),
    Pair(
        "added: processors, 4 to 6, aliases",
        "hyperpav-20\nseed = 551",
        "hyperpav-20\nseed = 552\ncpus = 6",
        (ProcessorNumber(6),),
    ),
    Pair(
        "added: processors, 2 to 3, sessions",
        "zvm-2-cpus\nseed = 561",
        "zvm-2-cpus\nseed = 562\ncpus = 3",
        (ProcessorNumber(3),),
        (0, 0),
    ),
    Pair(
        "added: processors, 2 to 4, scans",
        "shark-before\nseed = 571",
        "shark-before\nseed = 572\ncpus = 4",
        (ProcessorNumber(4),),
    ),
)
"""Pairs in which only something is added, written down before any of them was predicted.

A rule was there that a range of such a change begins with the present throughput, except where an LCU gets
more of them at once and little is gained.  "40 aliases, scans" showed a loss where much gain is predicted:
since then no such range of more aliases of a pool begins there.
"""


@cache
def scenario(text: str) -> Scenario:
    """Return a scenario by its name, with lines behind it that change it."""
    name, _, lines = text.partition("\n")
    path = str(MACHINES / name) if name.endswith(".toml") else name
    if not lines:
        return load_scenario(path)
    head = f'base = "{path}"\ntitle = "changed"\ntext = "for a test"\n'
    return parse_scenario(head + lines, str(MACHINES / "changed.toml"))


@cache
def observed(text: str, phase: int) -> ObservedLoad:
    """Return the load of all simulated intervals of a phase."""
    plan = scenario(text)
    phase %= len(plan.phases)
    plan = plan._replace(phases=(plan.phases[phase],), seed=plan.seed + phase)
    section = ScenarioSection(plan)
    plan = plan._replace(drawn=max(plan.drawn, plan.measured))
    number = min(plan.drawn, len(Simulation(plan)))
    load = load_of(View(Interval(section.sample(0), section.sample(number), skipped=True)))
    return load._replace(in_flight=load.in_flight[1:])  # a simulation begins with none


@cache
def shares(text: str) -> tuple[FlowShare, ...]:
    """Return the traffic of files on their volumes by their bytes, as zmon estimates it."""
    plan = scenario(text)
    held: dict[int, int] = {}
    for place in plan.places:
        held[place.volume] = held.get(place.volume, 0) + place.bytes
    return tuple(
        FlowShare(
            place.tablespace,
            place.path,
            busid(plan.box.volumes[place.volume].devno),
            place.bytes / held[place.volume],
            steady=place.role == "log",
        )
        for place in plan.places
        if place.bytes
    )


@cache
def predicted(pair: Pair) -> Prediction:
    """Predict on the first machine."""
    load = observed(pair.before, pair.phases[0])
    return predict(fitted_interval(load, shares(pair.before)), pair.changes)


@cache
def compared(pair: Pair) -> Compared:
    """Predict on the first machine, and simulate the second."""
    after = observed(pair.after, pair.phases[1])
    return Compared(
        predicted(pair),
        sum(one.rate for one in after.volumes),
        float(mean_of(after.volumes, "response")),  # type: ignore[arg-type]  # it is measured
    )
