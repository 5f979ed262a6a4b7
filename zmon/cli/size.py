"""Computes how many disks a workload needs at a RAID level, from rates that are given or recorded."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent
from zmon.cli.inputs import inputs_and_files
from zmon.cli.output import FAILED, OK, announced, misused
from zmon.cli.result import Heading, ResultTable, Sentence, write_result
from zmon.cli.show_intervals import moves_to
from zmon.cli.source_options import open_source, refused
from zmon.kinds import MACHINE
from zmon.machine.devices import disks as disk_rows
from zmon.machine.lcus import ControlUnits
from zmon.machine.view import View
from zmon.placement.disk_count import PENALTIES, Arrays, disk_count, whole
from zmon.screen.export import moment, plain
from zmon.screen.number import rate
from zmon.session.navigator import CommandError, Navigator
from zmon.session.when import written
from zmon.tables.control_unit import NEEDS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from zmon.placement.disk_count import DiskCount

NO_CELLS: Final = absent("cells are counted with --cell")
ALL: Final = "all"
"""The row of all disks of a recording."""
NAMES: Final = ("lcu", "reads", "writes", "hardware", "disks", "whole_disks", "cells")
"""The names of the columns, in CSV and JSON."""
HEADINGS: Final = (
    Heading("LCU"), Heading("Read/s", rate, 9), Heading("Write/s", rate, 9), Heading("Hardware/s", rate, 11),
    Heading("Disks", rate, 8), Heading("Whole", "{:,}".format, 7), Heading("Cells", rate, 7),
)  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Print the disks; returns the exit status."""
    given = (args.io, args.reads, args.writes)
    if args.source and any(value is not None for value in given):
        return misused("--from gives the rates; leave out --io, --reads and --writes")
    if not args.source and (wrong := _wrong(args)):
        return misused(wrong)
    arrays = Arrays(
        PENALTIES[args.raid] if args.penalty is None else args.penalty,
        args.disk_io,
        args.cell,
        args.hits / 100,
    )
    if args.source:
        try:
            return _recorded(args, arrays)
        except CommandError as error:
            return misused(str(error))
        except ValueError as error:  # the source or a time
            return refused(error)
    reads, writes = args.reads or 0.0, args.writes or 0.0
    if args.io is not None:
        reads = args.io * args.read / 100
        writes = args.io - reads
    _print(args, [disk_count("", reads, writes, arrays, NO_CELLS)], arrays, ())
    return OK


def _wrong(args: argparse.Namespace) -> str:
    """Return what is wrong with rates that are given; empty if nothing is."""
    if args.at or args.since:
        return "--at and --since are times in a recording: name one with --from"
    if args.io is None and args.reads is None and args.writes is None:
        return (
            "the rates are needed: --io N and --read PERCENT, --reads N and --writes N, or --from RECORDING"
        )
    if args.io is not None and (args.reads is not None or args.writes is not None):
        return "--io is reads and writes together: give it with --read PERCENT, or --reads and --writes"
    if args.io is not None and args.read is None:
        return "--io needs --read PERCENT: how many of the requests are reads"
    if args.io is None and args.read is not None:
        return "--read is a part of --io"
    return ""


# a recording


def _recorded(args: argparse.Namespace, arrays: Arrays) -> int:
    """Print what an interval of a recording needs, LCU by LCU; returns the exit status.

    Raises:
        CommandError, WhenError: a time is none, or there is no sample then.
        ValueError: the source cannot be used, or holds no interval.
    """
    inputs, _files = inputs_and_files(args)
    needed = NEEDS
    kinds = (MACHINE, *needed.kinds, *needed.topology)
    last = None if args.at or args.since else 2
    with announced(args.source), closing(open_source(args, kinds=kinds, last=last)) as timeline:
        navigator = Navigator(timeline)
        for _left in moves_to(navigator, args):
            pass
        interval = navigator.interval
        if interval is None or interval.before is None:
            raise ValueError("there are no two samples in this time")
        rows = _rows(View(interval, inputs=inputs), arrays)
        span = (interval.before.at.utc, interval.after.at.utc)
    _print(args, rows, arrays, span)
    return FAILED if isinstance(rows[-1].hardware, Absent) else OK


def _rows(view: View, arrays: Arrays) -> list[DiskCount]:
    """Return what each LCU needs, in the order of CTLUNIT, and all disks together."""
    lcus = ControlUnits.seen(view)
    blocks = lcus.devices.blocks

    def needs(name: str, rows: Sequence[int]) -> DiskCount:
        read, written = (blocks.of(key, rows) for key in ("reads", "writes"))
        return disk_count(name, read, written, arrays, NO_CELLS)

    named = zip((unit.short for unit in lcus.units.values()), lcus.members, strict=True)
    return [*(needs(name, rows) for name, rows in named), needs(ALL, disk_rows(lcus.devices))]


# output


def _print(args: argparse.Namespace, rows: list[DiskCount], arrays: Arrays, span: tuple[int, ...]) -> None:
    raid = f"RAID {args.raid}" if args.raid.isdecimal() else f"{args.raid} redundancy"
    assumed = _assumed(arrays, raid if args.penalty is None else "as given", span)
    shown = HEADINGS[:-1] if isinstance(rows[-1].cells, Absent) else HEADINGS
    table = ResultTable(NAMES, [[row.name, *_figures(row)] for row in rows], shown)
    rests_on: list[str | Sentence] = ["This rests on:", *(Sentence(sentence, " - ") for sentence in assumed)]
    write_result(
        args,
        table,
        {
            "penalty": arrays.penalty,
            "disk_io": arrays.disk_io,
            "cell": arrays.cell or None,
            "hits": 100 * arrays.hits,
            **dict(zip(("from", "to"), map(moment, span), strict=False)),
            "rows": table,
            "assumptions": assumed,
        },
        [[table] if span else _one(rows[0], arrays), rests_on],
        width=40,
    )


def _figures(row: DiskCount) -> list[Any]:
    """Return the figures of a row; None where one is absent."""
    disks = plain(row.disks)
    needed = whole(disks) if isinstance(disks, int | float) else None
    return [plain(row.reads), plain(row.writes), plain(row.hardware), disks, needed, plain(row.cells)]


def _one(row: DiskCount, arrays: Arrays) -> Iterator[str]:
    """Yield what a workload needs that is given, as sentences."""
    reads, writes, hardware, disks, needed, cells = _figures(row)
    read = reads * (1 - arrays.hits)
    cached = f" of which {_number(read)} reach the disks" if arrays.hits else ""
    asked = f"{_number(reads)} reads{cached}, {_number(writes)} writes"
    done = f"{_number(read)} + {_number(writes)} x {arrays.penalty:g}"
    yield f"Workload   {_number(reads + writes)} I/O per second: {asked}"
    yield f"Hardware   {_number(hardware)} I/O per second = {done}"
    yield f"Disks      {needed:,} with {_number(arrays.disk_io)} I/O per second each ({disks:,.1f})"
    if cells is not None:
        yield f"Cells      {whole(cells):,} with {arrays.cell} disks each ({cells:,.1f})"


def _number(value: float) -> str:
    """Write a rate: whole from 100 on, with at most one digit behind the point below."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}".removesuffix(".0")


def _assumed(arrays: Arrays, raid: str, span: Sequence[int]) -> list[str]:
    """Return what the answer rests on."""
    times = f"{arrays.penalty:g} request{'s' * (arrays.penalty != 1)}"
    assumptions = [
        f"A read is one request of a disk, a write {times} ({raid}); the cache combines no writes.",
        f"The cache answers {100 * arrays.hits:g} % of the reads: --hits."
        if arrays.hits
        else "The cache answers no read; with --hits PERCENT it answers some.",
        f"A disk does {_number(arrays.disk_io)} requests a second (--disk-io); all disks do equally much.",
    ]
    if span:
        assumptions.append(
            f"The rates are means from {written(span[0])} to {written(span[1])}, of this Linux alone. Choose"
            " the busiest time with --at and --since."
        )
    return assumptions
