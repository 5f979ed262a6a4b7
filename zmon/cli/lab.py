"""The scenarios of the simulated machine: zmon lab list, report, show NAME.

list prints the scenarios.  show prints the file of one, to copy and change.  report simulates them and
compares the results with the studies they are based on; the exit status is 1 if a figure is out of bounds.
NAME is a scenario that comes with zmon, or a file of your own that ends in .toml.  See docs/lab.md.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zmon.cli.status import FAILED, OK, complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from zmon.lab.report import Line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the words of `zmon lab`."""
    words = parser.add_subparsers(dest="word", required=True, metavar="list | report | show")
    words.add_parser("list", help="list the scenarios")
    report = words.add_parser("report", help="compare the model with the studies")
    report.add_argument("names", nargs="*", metavar="NAME", help="only these; by default all")
    report.add_argument(
        "--seed", type=int, metavar="N", help="another random seed than that of the scenarios"
    )
    report.add_argument("-f", "--format", choices=("text", "csv", "json"), default="text")
    show = words.add_parser("show", help="print the file of a scenario")
    show.add_argument("name", metavar="NAME")


def run(args: argparse.Namespace) -> int:
    """Do what is asked; returns the exit status."""
    from zmon.lab.measure import MeasureError  # noqa: PLC0415 - --help needs no laboratory
    from zmon.lab.page import ScenarioError  # noqa: PLC0415 - likewise

    if sys.stdout is None:
        return complain("standard output is closed")
    try:
        if args.word == "list":
            print_scenarios()
            return OK
        if args.word == "show":
            return _show(args.name)
        return _report(args.names, args.seed, args.format)
    except (ScenarioError, MeasureError) as error:
        return complain(str(error))


def print_scenarios() -> None:
    """Print the names of the scenarios that come with zmon, with their titles."""
    from zmon.lab.scenario import load_scenario, names  # noqa: PLC0415 - as above

    for name in names():
        print(f"{name:<20} {load_scenario(name).title}")


def _show(name: str) -> int:
    from zmon.lab.scenario import path_of  # noqa: PLC0415 - as above

    with open(path_of(name), encoding="utf-8") as file:
        sys.stdout.write(file.read())
    return OK


def _report(wanted: list[str], seed: int | None, form: str) -> int:
    from zmon.lab.report import report, text  # noqa: PLC0415 - as above
    from zmon.lab.scenario import names  # noqa: PLC0415 - as above

    held = True

    def told() -> Iterator[Line]:
        nonlocal held
        for line in report(wanted or names(), seed):
            held = held and line.holds
            yield line

    if form == "text":
        for line in text(told()):
            print(line, flush=True)
    elif form == "csv":
        _csv(told())
    else:
        _json(told())
    return OK if held else FAILED


def _csv(lines: Iterable[Line]) -> None:
    import csv  # noqa: PLC0415 - for this form alone

    from zmon.lab.report import HEADINGS  # noqa: PLC0415 - as above

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(HEADINGS)
    writer.writerows(line.cells() for line in lines)


def _json(lines: Iterable[Line]) -> None:
    import json  # noqa: PLC0415 - for this form alone

    rows = [
        {"scenario": line.plan.name, **line.figure._asdict(), "model": line.value, "holds": line.holds}
        for line in lines
    ]
    print(json.dumps(rows, indent=1))
