"""CSV as every command writes it: for programs to the letter, for spreadsheets without formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that a spreadsheet takes for a formula."""


class Stream(Protocol):
    """What CSV is written to."""

    def write(self, text: str, /) -> object:
        """Take a piece of text."""


class CsvWriter:
    """Writes rows of CSV."""

    def __init__(self, stream: Stream, *, safe: bool, lineterminator: str = "\n") -> None:
        """Write to `stream`; with `safe` a text that looks like a formula gets an apostrophe in front."""
        import csv  # noqa: PLC0415 - text and JSON need none

        self._writer = csv.writer(stream, lineterminator=lineterminator)
        self._safe = safe

    def writerow(self, cells: Iterable[object]) -> None:
        """Write one row."""
        self._writer.writerow([_without_formula(cell) for cell in cells] if self._safe else cells)

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        """Write rows as they come."""
        for row in rows:
            self.writerow(row)


def add_csv_safe_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--csv-safe`."""
    parser.add_argument(
        "--csv-safe",
        action="store_true",
        help="in CSV, put ' before a name that a spreadsheet would take for a formula",
    )


def _without_formula(cell: object) -> object:
    """Return a cell that no spreadsheet computes; numbers stay what they are, also those written as text."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell
