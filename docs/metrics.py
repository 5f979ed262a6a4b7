"""Write the table of docs/metrics.md from `zmon.exposition.metric`: what the program exports."""

from __future__ import annotations

import os

from zmon.exposition.metric import METRICS

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "metrics.md")
HEAD = "| metric | type | labels | what | from |\n| --- | --- | --- | --- | --- |\n"


def table() -> str:
    """Return the rows of all metrics."""
    rows = []
    for metric in METRICS:
        labels = ", ".join(f"`{label}`" for label in metric.labels)
        rows.append((f"`{metric.sample}`", metric.type, labels, metric.help, metric.source))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def page(written: str) -> str:
    """Return the page with the table of now in the place of that which was written."""
    before, head, after = written.partition(HEAD)
    _old, blank, rest = after.partition("\n\n")
    return f"{before}{head}{table().rstrip()}{blank}{rest}"


if __name__ == "__main__":
    with open(FILE, encoding="utf-8") as stream:
        content = stream.read()
    with open(FILE, "w", encoding="utf-8") as stream:
        stream.write(page(content))
