"""The roll-ups of a recording as CSV or JSON lines: `zmon export --rollups`."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from zmon.cli.csv_output import CsvWriter
from zmon.cli.export import Asked, Wanted, moment, words
from zmon.cli.status import OK, complain
from zmon.screen.number import harmless
from zmon.trends.rolled import Rollups, headings

if TYPE_CHECKING:
    import argparse

    from zmon.session.stretch import Stretch


def export_rollups(stretch: Stretch, args: argparse.Namespace) -> int:
    """Write what the files have rolled up; returns the exit status.

    Raises:
        Asked: what was asked for was not rolled up, or CSV cannot hold it.
    """
    screens = list(dict.fromkeys(word.lower() for word in words(args.kind)))
    there = _there(stretch, args.rollups)
    if not there:
        return complain("nothing was rolled up in that time; recordings of an older zmon have no roll-ups")
    for screen in screens:
        if screen not in there:
            raise Asked(f"nothing was rolled up of {screen!r}; there are {', '.join(there)}")
    chosen = {screen: there[screen] for screen in screens or there}
    if args.format == "csv" and len(chosen) != 1:
        raise Asked(f"CSV has one heading: take one --kind of {', '.join(chosen)}, or --format jsonl")
    fields = words(args.fields)
    known = dict.fromkeys(figure for figures in chosen.values() for figure in figures)
    for field in fields:
        if field not in known:
            raise Asked(f"there is no figure {field!r}; there are {', '.join(known)}")
    if fields:
        chosen = {screen: [name for name in fields if name in chosen[screen]] for screen in chosen}
    return _write(stretch, args, chosen)


def _there(stretch: Stretch, length: str) -> dict[str, list[str]]:
    """Return the figures of each screen, of all files together."""
    found: dict[str, dict[str, None]] = {}
    for path in stretch.paths():
        with closing(Rollups(path, length)) as rollups:
            for screen in rollups.screens():
                found.setdefault(screen, {}).update(dict.fromkeys(rollups.figures(screen)))
    return {screen: [*figures] for screen, figures in found.items() if figures}


def _write(stretch: Stretch, args: argparse.Namespace, chosen: dict[str, list[str]]) -> int:
    wanted = Wanted((), frozenset(key.lower() for key in words(args.key)), (), reasons=False)
    writer = CsvWriter(sys.stdout, safe=args.csv_safe)
    count = 0
    for screen, figures in chosen.items():
        names = headings(figures)
        if args.format == "csv":
            writer.writerow(["begin", "thing", "label", *names])
        for path in stretch.paths():
            with closing(Rollups(path, args.rollups)) as rollups:
                if not set(figures) <= set(rollups.figures(screen)):
                    complain(f"left out: {path} has rolled up other figures of {screen}")
                    continue
                for row in rollups.rows(screen, figures, stretch.begin, stretch.end):
                    if not wanted.names(row.thing):
                        continue
                    count += 1
                    begin = moment(row.begin)
                    if args.format == "csv":
                        writer.writerow([begin, harmless(row.thing), harmless(row.label), *row.figures])
                    else:
                        found = {"begin": begin, "screen": screen, "thing": row.thing, "label": row.label}
                        print(json.dumps(found | dict(zip(names, row.figures, strict=True))))
    sys.stdout.flush()
    return OK if count else complain("there was nothing of that kind or name in that time")
