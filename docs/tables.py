"""Write the tables of check.md, diagnosis.md, metrics.md and sources.md from what the program declares.

python docs/tables.py
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from docs.whole import write_whole
from zmon.check.practices import CHECKS, QUESTIONS
from zmon.collected.forms import FORMS
from zmon.diagnosis.catalogue import as_shipped
from zmon.exposition.metric import METRICS
from zmon.registry import SOURCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DOCS: Final = Path(__file__).parent


def checks() -> Iterator[tuple[str, ...]]:
    """Yield the cells of all checks."""
    for one in CHECKS:
        yield one.id, one.title, one.good


def questions() -> Iterator[tuple[str, ...]]:
    """Yield those of all questions that only a person can answer."""
    for one in QUESTIONS:
        yield one.id, one.words


def diagnoses() -> Iterator[tuple[str, ...]]:
    """Yield those of all diagnoses."""
    for one in as_shipped().values():
        yield one.id, one.title


def metrics() -> Iterator[tuple[str, ...]]:
    """Yield those of all metrics that are exported: in one row what means the same of several things."""
    rows: dict[str, list[str]] = {}
    for metric in METRICS:
        labels = f"{{{','.join(metric.labels)}}}" if metric.labels else ""
        counted = metric.name.removeprefix("zmon_cache_")
        rows.setdefault(metric.help.replace(f"counted as {counted}", "counts"), []).append(
            f"`{metric.sample}{labels}`"
        )
    for about, names in rows.items():
        yield ", ".join(names), about


def sources() -> Iterator[tuple[str, ...]]:
    """Yield those of all sources."""
    for one in SOURCES:
        yield one.name, one.reads, one.needs, one.often, one.serves


def forms() -> Iterator[tuple[str, ...]]:
    """Yield those of all outputs of tools that are read."""
    for form in FORMS:
        untried = "" if "real output" in form.seen else " ~"
        yield f"{form.name}{untried}", form.answers
    yield "vmcp, hcp, saved answers of CP", "real device and label, see [cp.md](cp.md)"


TABLES: Final[dict[str, dict[tuple[str, ...], Callable[[], Iterator[tuple[str, ...]]]]]] = {
    "check.md": {
        ("id", "check", "good"): checks,
        ("id", "question"): questions,
    },
    "diagnosis.md": {("id", "what"): diagnoses},
    "metrics.md": {("metric", "what"): metrics},
    "sources.md": {
        ("source", "reads", "needs", "how often", "for"): sources,
        ("output of", "answers"): forms,
    },
}
"""The tables of each page: the cells of the head, and what yields the rows."""


def _lines(*rows: tuple[str, ...]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def page(name: str) -> str:
    """Return a page with its tables of now in the place of those that were written."""
    written = (DOCS / name).read_text(encoding="utf-8")
    for cells, rows in TABLES[name].items():
        head = _lines(cells, ("---",) * len(cells))
        before, found, after = written.partition(head)
        if not found:
            raise ValueError(f"docs/{name} has no table of {cells[0]}: its head is missing")
        _old, blank, rest = after.partition("\n\n")
        written = f"{before}{head}{_lines(*rows()).rstrip()}{blank or chr(10)}{rest}"
    return written


if __name__ == "__main__":
    for name in TABLES:
        write_whole(DOCS / name, page(name))
