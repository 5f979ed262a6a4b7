"""ZMON: what zmon itself costs this machine, source by source, and what each source had to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.sizes import KIB
from zmon.kinds import KINDS, SOURCE
from zmon.machine.figure import Needs
from zmon.machine.join import total
from zmon.machine.observed import of_zmon
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Summary, Table

if TYPE_CHECKING:
    from zmon.base.absent import Number, Value
    from zmon.machine.view import View

NEEDS: Final = Needs(tuple(KINDS.values()))
"""A row of this screen is a source, so all of them are read."""


NOTHING_THERE: Final = "there is none on this machine"


def table(view: View) -> Table:
    """Fill ZMON: one row per source, keyed by its name."""
    sources = view.interval.of(SOURCE)
    milliseconds: list[Number] = [ns / 1e6 for ns in sources.numbers("spent")]
    processor: list[Number] = [ns / 1e6 for ns in sources.numbers("cpu")]
    kibibytes: list[Number] = [size / KIB for size in sources.numbers("bytes")]
    columns: dict[str, list[Value]] = {
        "source": list(sources.keys),
        "state": sources["state"],
        "every": sources["every"],
        "rows": sources["rows"],
        "calls": sources["calls"],
        "ms": list(milliseconds),
        "cpu": list(processor),
        "kb": list(kibibytes),
        "errors": sources["errors"],
        "reads": sources["reads_what"],
        "reason": [
            NOTHING_THERE if state == "absent" and not reason else reason
            for state, reason in zip(sources["state"], sources["reason"], strict=True)
        ],
    }
    cells: dict[str, Value] = {
        "ms": total(milliseconds),
        "cpu": total(processor),
        "kb": total(kibibytes),
        "errors": total(sources.numbers("errors")),
        "calls": total(sources.numbers("calls")),
    }
    used = 100 * of_zmon(view.interval)
    notes = [] if isinstance(used, Absent) else [f"All of zmon, its screens too, uses {used:.1f} % of a CPU"]
    return Table(
        list(sources.keys),
        columns,
        Summary(">> All sources <<", cells) if sources.keys else None,
        missing=sources.missing,
        notes=tuple(notes),
    )


def menu_table(view: View) -> Table:  # noqa: ARG001 - the same signature as all tables
    """Return an empty table: the items of the menu (FCX124) are in its screen file."""
    return Table([], {})


DEFINITIONS: Final = {
    "itself": TableDefinition(NEEDS, table, screen="ZMON"),
    "menu": TableDefinition(Needs(), menu_table),
}
