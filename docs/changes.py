"""Write what the witness simulates of changes, and what zmon says: docs/changes.txt, scores in whatif.md."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Final

from docs.whole import write_whole
from docs.witness import cells_of, table
from tests.witness.changes import CHANGES, effect
from tests.witness.looks import DEFAULT, WITH_CACHE
from tests.witness.predictions import WANTED, Foretold, foretold, score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DOCS: Final = os.path.dirname(os.path.abspath(__file__))
FILE: Final = os.path.join(DOCS, "whatif.md")
LIST: Final = os.path.join(DOCS, "changes.txt")
LOOKS: Final = (WITH_CACHE, DEFAULT)
GROUPS: Final = ("fitted", "held", "later")
MEASURED: Final = " | ".join(look.name for look in LOOKS)
CHANGED: Final = f"| change | kind | simulated | {MEASURED} |\n| --- | --- | --- | --- | --- |\n"
SCORES: Final = (
    "| measured | confidence | range holds, fitted | held | later | width | error | bounds exceeded |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
)


def row(name: str) -> str:
    """Return the row of a change."""
    change = CHANGES[name]
    told = " | ".join(foretold(change, look).words for look in LOOKS)
    return f"| {name} | {change.sort}, {change.group} | {effect(change).times:.2f} | {told} |\n"


def answers(rows: Iterable[str]) -> Iterator[tuple[str, str, float, Foretold]]:
    """Yield the answers in rows: what is measured, the group, what is simulated, and what zmon says."""
    for line in rows:
        _, kind, simulated, *told = cells_of(line)
        for look, words in zip(LOOKS, told, strict=True):
            yield look.name, kind.rpartition(" ")[2], float(simulated), Foretold.read(words)


def scores(rows: Iterable[str]) -> str:
    """Return the rows of the scores that follow from the rows of changes."""
    listed = list(answers(rows))
    written = ""
    for look in LOOKS:
        for confidence in (*WANTED, "all"):
            mine = [
                (group, times, told)
                for name, group, times, told in listed
                if name == look.name and confidence in {"all", told.confidence}
            ]
            if not mine:
                continue
            parts = []
            for group in GROUPS:
                some = [(times, told) for of, times, told in mine if of == group]
                parts.append(f"{score(some).hold} of {len(some)}" if some else "none")
            whole = score([(times, told) for _, times, told in mine])
            written += (
                f"| {look.name} | {confidence} | {' | '.join(parts)} | {whole.width:.2f} |"
                f" {100 * whole.error:.1f} % | {whole.exceeded} of {whole.bounds} |\n"
            )
    return written


def page(written: str, rows: Iterable[str]) -> str:
    """Return the page with the scores that follow from these rows."""
    before, found, after = written.partition(SCORES)
    _, gap, rest = f"\n{after}".partition("\n\n")
    return f"{before}{found}{scores(rows)}{gap[1:]}{rest}"


def written_rows() -> list[str]:
    """Return the rows of changes as they were written last."""
    with open(LIST, encoding="utf-8") as stream:
        return table(stream.read(), CHANGED)


if __name__ == "__main__":
    with open(FILE, encoding="utf-8") as stream:
        text = stream.read()
    with ProcessPoolExecutor() as workers:
        rows_now = list(workers.map(row, CHANGES))
    write_whole(LIST, CHANGED + "".join(rows_now))
    write_whole(FILE, page(text, rows_now))
