"""Write the tables of docs/check.md from the checks, so that they say what the program does."""

from __future__ import annotations

import os

from zmon.check.practices import CHECKS, QUESTIONS

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check.md")
HEAD = "| id | check | reads | good | else | advice from |\n| --- | --- | --- | --- | --- | --- |\n"
ASKED = "| id | question | from |\n| --- | --- | --- |\n"


def table() -> str:
    """Return the rows of all checks."""
    rows = [(c.id, c.title, f"`{c.reads}`", c.good, c.advice, c.source) for c in CHECKS]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def questions() -> str:
    """Return the rows of all questions."""
    return "".join(f"| {one.id} | {one.words} | {one.source} |\n" for one in QUESTIONS)


def page(written: str) -> str:
    """Return the page with the tables of now in the place of those that were written."""
    for head, rows in ((HEAD, table()), (ASKED, questions())):
        before, found, after = written.partition(head)
        _old, blank, rest = after.partition("\n\n")
        written = f"{before}{found}{rows.rstrip()}{blank}{rest}"
    return written


if __name__ == "__main__":
    with open(FILE, encoding="utf-8") as stream:
        content = stream.read()
    with open(FILE, "w", encoding="utf-8") as stream:
        stream.write(page(content))
