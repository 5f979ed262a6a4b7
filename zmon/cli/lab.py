"""The scenarios of the simulated machine: their names, their files, and their figures beside the studies'."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zmon.cli.output import FAILED, OK, complain, progress, write_csv, write_json, write_text
from zmon.lab.measure import MeasureError
from zmon.lab.scenario import ScenarioError, load_scenario, names, path_of
from zmon.lab.study_report import HEADINGS, report, text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from zmon.lab.study_report import ReportLine
    from zmon.store.writer import Writer


def run(args: argparse.Namespace) -> int:
    """Run `list`, `report` or `show`; returns the exit status."""
    try:
        if args.word == "fleet":
            return _fleet(args)
        if args.word == "report":
            if args.seeds:
                return _seed_report(args.names or names(), args.seeds, args.format)
            return _report(args.names, args.seed, args.format)
        if args.word == "list":
            print_scenarios()
        else:
            with open(path_of(args.name), encoding="utf-8") as file:
                sys.stdout.write(file.read())
    except (ScenarioError, MeasureError) as error:
        return complain(str(error))
    return OK


def _fleet(args: argparse.Namespace) -> int:
    """Write the recordings of many guests; returns the exit status."""
    from zmon.lab.guest_fleet import MAX_GUESTS, write_fleet  # noqa: PLC0415 - loads the store
    from zmon.store.file_format import RecordingError  # noqa: PLC0415 - likewise
    from zmon.trends.rollup import recording_with_trends  # noqa: PLC0415 - likewise

    if args.guests > MAX_GUESTS:
        return complain(f"at most {MAX_GUESTS} guests are simulated")

    def opened(path: str) -> Writer:
        return recording_with_trends(path, durable=False)

    try:
        with progress(f"simulating {args.guests:,} guests"):
            write_fleet(args.directory, opened, args.length / 1e9, args.guests)
    except RecordingError as error:
        return complain(str(error))
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}")
    return OK


def print_scenarios() -> None:
    """Print the names of the scenarios that come with zmon, with their titles."""
    write_text(f"{name:<20} {load_scenario(name).title}" for name in names())


def _seed_report(wanted: list[str], seeds: range, form: str) -> int:
    from zmon.lab.seed_report import SEED_HEADINGS, seed_report, seed_text  # noqa: PLC0415 - loads multiprocessing

    def done(count: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{count} of {len(seeds)} seeds")

    lines = seed_report(wanted, seeds, done)
    if form == "text":
        write_text(seed_text(lines))
    elif form == "csv":
        write_csv((SEED_HEADINGS, *(line.cells() for line in lines)), safe=False)
    else:
        rows = [
            {"scenario": line.scenario, **line.figure._asdict(), "holds": line.holding, "values": line.values}
            for line in lines
        ]
        write_json(rows, indent=1)
    must_hold = [line for line in lines if not line.figure.differs]
    return OK if all(line.holding == len(seeds) for line in must_hold) else FAILED


def _report(wanted: list[str], seed: int | None, form: str) -> int:
    failed = False

    def lines() -> Iterator[ReportLine]:
        nonlocal failed
        for line in report(wanted or names(), seed):
            failed = failed or line.verdict == "FAILS"
            yield line

    if form == "text":
        for line in text(lines()):  # a scenario takes seconds
            print(line, flush=True)
    elif form == "csv":
        write_csv((HEADINGS, *(line.cells() for line in lines())), safe=False)
    else:
        rows = [
            {"scenario": line.plan.name, **line.figure._asdict(), "model": line.value, "holds": line.holds}
            for line in lines()
        ]
        write_json(rows, indent=1)
    return FAILED if failed else OK
