"""Write the table of docs/sources.md from `zmon.registry`, so that it says what the program reads."""

from __future__ import annotations

import os

from zmon.registry import SOURCES

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sources.md")
HEAD = "| source | reads | needs | how often | for |\n| --- | --- | --- | --- | --- |\n"


def table() -> str:
    """Return the rows of all sources."""
    rows = [(s.name, s.reads, s.needs, s.often, s.serves) for s in SOURCES]
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
