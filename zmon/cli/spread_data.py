"""The printing of `zmon spread` for programs: as CSV and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zmon.absent import Absent
from zmon.cli.plain import field
from zmon.placement.move_statements import move_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.placement.items import FilePlacement
    from zmon.placement.planner import MovePlan
    from zmon.placement.spread_report import SpreadReport, TablespaceSpread, WhatIf


# CSV


def matrix_records(report: SpreadReport) -> Iterator[list[Any]]:
    """Yield the tablespaces by units as records, with a heading: numbers as they are."""
    unit = "bytes_per_s" if report.wanted.traffic else "bytes"
    yield [
        "database", "tablespace", "files", "bytes", "bytes_unplaced", "problems", "grade", "max_to_mean",
        "share_max", "variation", "jain", "effective", "units", "worst", "logs_beside_data",
        *(f"{field(each.title)} {unit}" for each in report.units),
    ]  # fmt: skip
    names = {each.key: each.title for each in report.units}
    for space in report.spaces:
        found = space.spread
        figures = (found.uneven, found.share, found.variation, found.jain, found.effective)
        yield [
            field(space.database), field(space.tablespace), space.files, space.size, space.unplaced,
            space.problems, str(space.grade), *map(_plain, figures), found.units,
            field(names.get(found.worst, "")), int(space.shares_with_logs),
            *(space.load_on.get(each.key, 0) for each in report.units),
        ]  # fmt: skip


def move_records(plan: MovePlan, products: Callable[[str], str]) -> Iterator[list[Any]]:
    """Yield the moves as records, with a heading."""
    yield [
        "step", "database", "tablespace", "path", "from", "to", "bytes", "copied_so_far", "max_to_mean",
        "bound_times", "spread_part", "means",
    ]  # fmt: skip
    for number, step in enumerate(plan.steps, 1):
        for move in step.moves:
            yield [
                number, field(move.item.database), field(move.item.tablespace), field(move.item.name),
                field(move.source.title), field(move.target.title), move.bytes, step.copied, step.uneven,
                step.ratio, step.apart, " ; ".join(move_statements(products(move.item.name), move)),
            ]  # fmt: skip


# JSON


def document(
    report: SpreadReport, products: Callable[[str], str], notes: Sequence[str], unread: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the whole answer as the object that is printed as JSON."""
    return {
        "over": report.wanted.what,
        "by": "traffic" if report.wanted.traffic else "bytes",
        "estimate": report.wanted.traffic,
        "units": [
            {
                "key": unit.key,
                "name": unit.title,
                "side": unit.side or None,
                "capacity": _plain(unit.capacity),
                "available": unit.open,
                "load": report.whole.load_on.get(unit.key, 0),
            }
            for unit in report.units
        ],
        "tablespaces": [_space(space) for space in report.spaces],
        "all": _space(report.whole),
        "sides": dict(report.sides),
        "logs_beside_data": [one._asdict() for one in report.mixed],
        "what_if": {
            "even_spread": _what_if(report.even),
            "moves": None if report.moved is None else _what_if(report.moved),
            "head_room": _plain(report.headroom.factor),
            "binding": list(report.headroom.binding),
            "use": dict(report.headroom.use),
        },
        "plan": None if report.plan is None else _plan_document(report.plan, products),
        "problems": [_row(row) for row in report.problems],
        "conflicts": list(report.conflicts),
        "not_understood": list(unread),
        "notes": list(notes),
        "assumptions": list(report.assumptions),
    }


def _what_if(found: WhatIf) -> dict[str, Any]:
    return {"times": _plain(found.times), "limits_now": list(found.now), "limits_then": list(found.then)}


def _space(space: TablespaceSpread) -> dict[str, Any]:
    found = space.spread
    return {
        "database": space.database,
        "tablespace": space.tablespace,
        "files": space.files,
        "bytes": space.size,
        "bytes_unplaced": space.unplaced,
        "bytes_on": dict(space.bytes_on),
        "load_on": dict(space.load_on),
        "max_to_mean": _plain(found.uneven),
        "share_max": _plain(found.share),
        "variation": _plain(found.variation),
        "jain": _plain(found.jain),
        "effective": _plain(found.effective),
        "worst": found.worst or None,
        "fullest_volume": None if isinstance(space.fullest, Absent) else list(space.fullest),
        "grade": str(space.grade),
        "problems": space.problems,
        "logs_beside_data": space.shares_with_logs,
        "absent": found.uneven.reason if isinstance(found.uneven, Absent) else None,
    }


def _plan_document(plan: MovePlan, products: Callable[[str], str]) -> dict[str, Any]:
    return {
        "max_to_mean": _plain(plan.uneven),
        "spread_part": _plain(plan.apart),
        "lower_bound": _plain(plan.bound),
        "above_lower_bound": _plain(plan.gap),
        "anew": None if plan.anew is None else plan.anew._asdict(),
        "held": dict(plan.held),
        "before": dict(plan.before),
        "after": dict(plan.after),
        "steps": [
            {
                "moves": [
                    {
                        "path": move.item.name,
                        "database": move.item.database,
                        "tablespace": move.item.tablespace,
                        "from": move.source.key,
                        "to": move.target.key,
                        "bytes": move.bytes,
                        "load": move.load,
                        "means": list(move_statements(products(move.item.name), move)),
                    }
                    for move in step.moves
                ],
                "worst": step.worst.key,
                "max_to_mean": step.uneven,
                "bound_times": step.ratio,
                "spread_part": step.apart,
                "copied_so_far": step.copied,
            }
            for step in plan.steps
        ],
    }


def _row(row: FilePlacement) -> dict[str, Any]:
    found = row._asdict()
    return {name: _plain(value) for name, value in found.items()} | {"grade": str(row.grade)}


def _plain(value: Any) -> Any:
    return None if isinstance(value, Absent) else value
