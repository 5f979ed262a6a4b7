"""MOVES: which files to move to other logical control units (LCUs), in order of benefit, and what that gives.

What it is reckoned with is that of SPREAD: the traffic of the interval, an estimate, or bytes where there is
none.  Each line says what is reached with all moves up to there.  zmon suggests, and never moves anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kinds import BLOCK
from zmon.placement.items import MEGABYTE, placement_of
from zmon.placement.spread_report import NOT_WORTH, SpreadQuery, report_spread, spread_words, times_words
from zmon.tables.table import Needs, Table
from zmon.tables.topology import TOPOLOGY, machine_of, no_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.absent import Value
    from zmon.interval import Interval
    from zmon.placement.planner import MovePlan, PlanStep
    from zmon.placement.spread_report import SpreadReport
    from zmon.tables.view import View
    from zmon.topology.machine import Machine

NEEDS: Final = Needs((*TOPOLOGY, BLOCK))

COLUMNS: Final = (
    "number", "path", "source", "target", "times", "worst", "uneven", "copied", "apart", "swap", "size",
    "mbs", "tablespace", "database",
)  # fmt: skip
MOST: Final = 40
"""So many moves are suggested at the most."""

ESTIMATED: Final = ("mbs", "uneven", "times", "apart")
NO_TRAFFIC: Final = absent("bytes are counted: no traffic is known")
NO_SWAP: Final = absent("the file moves alone")


def table(view: View) -> Table:
    """Fill MOVES: one row per file to move, keyed by its path; two files that change places are one row."""
    machine = machine_of(view)
    if not machine.files:
        return Table([], {}, missing=no_files(view))
    found, plan = _suggested(machine, view.interval)
    traffic = found.wanted.traffic
    lines = [_line(number, step, traffic=traffic) for number, step in enumerate(plan.steps, 1)]
    why = plan.uneven.reason if isinstance(plan.uneven, Absent) else f"no move is suggested: {NOT_WORTH}"
    return Table(
        [str(line["path"]) for line in lines],
        {name: [line[name] for line in lines] for name in COLUMNS},
        estimated=dict.fromkeys(ESTIMATED) if found.wanted.traffic else {},
        notes=tuple(_notes(found, plan)),
        missing=None if lines else absent(why),
    )


def _suggested(machine: Machine, interval: Interval) -> tuple[SpreadReport, MovePlan]:
    """Return the answer by traffic, or by bytes where no traffic is known."""
    known = placement_of(machine, interval=interval)
    found = report_spread(known, SpreadQuery(traffic=True, seconds=interval.seconds, moves=MOST))
    if found.plan is None or isinstance(found.plan.uneven, Absent):
        found = report_spread(known, SpreadQuery(moves=MOST))
    if found.plan is None:
        from zmon.placement.planner import plan_moves  # noqa: PLC0415 - only where no LCU is known

        return found, plan_moves((), ())
    return found, found.plan


def _line(number: int, step: PlanStep, *, traffic: bool) -> dict[str, Value]:
    move = step.moves[0]
    return {
        "number": number,
        "path": move.item.name,
        "tablespace": move.item.tablespace or absent("the listing names no tablespace of it"),
        "database": move.item.database or absent("the listing names no database"),
        "source": move.source.title,
        "target": move.target.title,
        "swap": step.moves[1].item.name if step.is_swap else NO_SWAP,
        "size": sum(one.bytes for one in step.moves),
        "mbs": move.load / MEGABYTE if traffic else NO_TRAFFIC,
        "copied": step.copied,
        "uneven": step.uneven,
        "times": step.ratio,
        "worst": step.full,
        "apart": 100 * step.apart,
    }


def _notes(found: SpreadReport, plan: MovePlan) -> Iterator[str]:
    """Yield what all of it may give, what cannot be better, and what it rests on."""
    if found.moved is not None and plan.steps:
        yield times_words("These moves", found.moved, found.units)
        yield spread_words(plan)
    yield "zmon moves nothing; zmon spread --moves prints the statements that do"
    yield from (f"Basis: {sentence}" for sentence in found.assumptions)
