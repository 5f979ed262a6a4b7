"""Write the tables of docs/whatif.md on the witness's changes: what it simulates, and what zmon says."""

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

FILE: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "whatif.md")
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
    """Return the page with these rows, and the scores that follow from them."""
    listed = list(rows)
    for head, content in ((SCORES, scores(listed)), (CHANGED, "".join(listed))):
        before, found, after = written.partition(head)
        _, gap, rest = f"\n{after}".partition("\n\n")
        written = f"{before}{found}{content}{gap[1:]}{rest}"
    return written


def written_rows(written: str) -> list[str]:
    """Return the rows of changes of a page."""
    return table(written, CHANGED)


if __name__ == "__main__":
    with open(FILE, encoding="utf-8") as stream:
        text = stream.read()
    with ProcessPoolExecutor() as workers:
        rows_now = list(workers.map(row, CHANGES))
    write_whole(FILE, page(text, rows_now))
