"""SPREAD: how evenly each tablespace lies on the logical control units (LCUs).

One line per tablespace, by the files that the sample knows.  Bytes say where it is, traffic says what hurts.
Traffic of a tablespace is an estimate: of what a disk did, each file has the part that its bytes are of the
disk's.  All figures are over the LCUs that hold such files or have an unused disk.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kinds import BLOCK
from zmon.placement.items import placement_of
from zmon.placement.spread_report import SpreadQuery, counted, report_spread, times_words
from zmon.tables.table import Needs, Summary, Table
from zmon.tables.topology import TOPOLOGY, machine_of, no_files, remarks

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.placement.spread_report import SpreadReport, TablespaceSpread
    from zmon.tables.view import View
    from zmon.topology.machine import Machine

NEEDS: Final = Needs((*TOPOLOGY, BLOCK))

SEVERAL: Final = absent("several LCUs have as much")
ESTIMATED: Final = ("mbs", "teffective", "tworst", "tshare", "tuneven")


def table(view: View) -> Table:
    """Fill SPREAD: one row per tablespace, keyed DATABASE.TABLESPACE."""
    interval = view.interval
    machine = machine_of(view)
    if not machine.files:
        return Table([], {}, missing=no_files(view))
    by_bytes = _by_bytes(machine)
    by_traffic = report_spread(
        placement_of(machine, interval=interval), SpreadQuery(traffic=True, seconds=interval.seconds)
    )
    names = {unit.key: unit.title for unit in by_bytes.units}
    lines = [_line(one, other, names) for one, other in zip(by_bytes.spaces, by_traffic.spaces, strict=True)]
    return Table(
        [title(space) for space in by_bytes.spaces],
        {name: [line[name] for line in lines] for name in lines[0]},
        Summary(">> All <<", _line(by_bytes.whole, by_traffic.whole, names)),
        estimated=dict.fromkeys(ESTIMATED),
        notes=(*_notes(by_bytes, by_traffic), *remarks(view)),
    )


@lru_cache(maxsize=2)
def _by_bytes(machine: Machine) -> SpreadReport:
    """Return the spread by bytes: the same for all samples in which nothing moves."""
    return report_spread(placement_of(machine), SpreadQuery())


def title(space: TablespaceSpread) -> str:
    """Return the key of a tablespace's row."""
    return f"{space.database}.{space.tablespace}" if space.database else space.tablespace


def _line(one: TablespaceSpread, other: TablespaceSpread, names: dict[str, str]) -> dict[str, Value]:
    by_bytes, by_traffic = one.spread, other.spread
    no_traffic = by_traffic.uneven if isinstance(by_traffic.uneven, Absent) else None
    return {
        "tablespace": one.tablespace,
        "database": one.database or absent("the listing names no database"),
        "size": one.size,
        "files": one.files,
        "effective": by_bytes.effective,
        "units": by_bytes.units,
        "worst": names.get(by_bytes.worst) or _reason(by_bytes.share),
        "share": 100 * by_bytes.share,
        "uneven": by_bytes.uneven,
        "disk": one.fullest if isinstance(one.fullest, Absent) else 100 * one.fullest[1],
        "mbs": sum(other.load_on.values()) / 1e6 if no_traffic is None or other.load_on else no_traffic,
        "teffective": by_traffic.effective,
        "tworst": names.get(by_traffic.worst) or _reason(by_traffic.share),
        "tshare": 100 * by_traffic.share,
        "tuneven": by_traffic.uneven,
        "grade": str(one.grade),
        "unplaced": one.problems,
        "logs": "yes" if one.shares_with_logs else "no",
    }


def _reason(value: Value) -> Absent:
    return value if isinstance(value, Absent) else SEVERAL


def _notes(by_bytes: SpreadReport, by_traffic: SpreadReport) -> list[str]:
    """Return what a reader has to know: the LCU with most traffic, logs, and what is left out."""
    found = []
    crowded = by_traffic.whole.spread
    if not isinstance(crowded.share, Absent):
        title = next((unit.title for unit in by_traffic.units if unit.key == crowded.worst), "")
        found.append(f"{title} has {100 * crowded.share:.0f} % of the tablespaces' traffic")
    found += [times_words(f"An even spread of {counted(by_traffic)}", by_traffic.even, by_traffic.units)]
    found = [sentence for sentence in found if sentence]
    if by_bytes.mixed:
        many = len(by_bytes.mixed)
        volumes = ", ".join(one.volume for one in by_bytes.mixed[:3])
        found.append(f"Logs share {many} volume{'s' * (many != 1)} with data of their database: {volumes}")
    if by_bytes.problems:
        found.append(
            f"{len(by_bytes.problems)} of {by_bytes.whole.files} files are not placed, or only in part; the"
            f" first is {by_bytes.problems[0].path}: {by_bytes.problems[0].problem}"
        )
    return found
