"""The result of a command, made once: a table for CSV, what JSON has, and sections for text and HTML."""

from __future__ import annotations

from itertools import islice

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.plain_text import cells, harmless
from zmon.base.record import NamedTuple
from zmon.cli.output import aligned, as_json, folded, terminal_width, write_csv, write_json, write_text
from zmon.screen.number import DOTS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

MIN_WIDTH: Final = 60
"""Characters that sentences are folded to, however narrow the terminal is."""


class Sentence(NamedTuple):
    """A sentence of text, with `before` its first line and `indent` before the others; see `folded`."""

    words: str
    before: str = ""
    indent: str | None = None


class Heading(NamedTuple):
    """A column of text: the lines of its heading, and how a number is written, which stands right.

    Without `form` the column has names, which stand left.  It is as wide as the widest cell, or `width`.
    """

    text: str
    form: Callable[[Any], str] | None = None
    width: int = 0


class ResultTable(NamedTuple):
    """Rows with a value for each column: records in CSV, objects in JSON, a section of text."""

    columns: Sequence[str]
    """Their names in CSV and JSON."""
    rows: Iterable[Sequence[Any]]
    headings: Sequence[Heading] = ()
    """Those of the first columns, which text has."""
    beside: Mapping[str, object] = {}
    """What CSV has in each row before the columns, and JSON once."""
    before: str = ""
    """Blanks before each column in text."""

    def records(self) -> Iterator[list[object]]:
        """Yield the heading and the rows of CSV."""
        yield [*self.beside, *self.columns]
        yield from ([*self.beside.values(), *row] for row in self.rows)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows by the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def texts(self) -> Iterator[list[str]]:
        """Yield the rows as people read them."""
        yield from (list(map(_cell, row, self.headings)) for row in self.rows)

    def lines(self) -> Iterator[str]:
        """Yield the headings and the rows in columns."""
        heads = zip(*(heading.text.split("\n") for heading in self.headings), strict=True)
        texts = [*heads, *self.texts()]
        widths = []
        for heading, column in zip(self.headings, zip(*texts, strict=True), strict=True):
            width = max(heading.width, *map(cells, column))
            widths.append(-width if heading.form else width)
        yield from aligned(texts, widths, self.before)


if TYPE_CHECKING:
    Part = str | Sentence | ResultTable
    """A line of text, a sentence that is folded into lines, or a table."""


def _cell(value: Any, heading: Heading) -> str:
    if value is None or isinstance(value, Absent):
        return DOTS
    return heading.form(value) if heading.form else harmless(str(value))


def write_result(  # noqa: PLR0913 - what is written, and how
    args: argparse.Namespace,
    table: ResultTable,
    document: object,
    sections: Iterable[Iterable[Part]],
    *,
    first: bool = True,
    width: int = MIN_WIDTH,
    indent: int | None = None,
    reasons: bool = False,
) -> None:
    """Print a result in the format that `--format` names.

    CSV has the table, with its heading if it is the `first` result; JSON the document, see
    `as_json`; text the sections, with a blank line between two, in lines of `width` or the terminal's; HTML
    the sections on a page, which several results share.
    """
    if args.format == "json":
        write_json(as_json(document, reasons=reasons), indent=indent)
    elif args.format == "csv":
        write_csv(islice(table.records(), not first, None), safe=args.csv_safe)
    elif args.format == "html":
        from zmon.cli.result_page import page  # noqa: PLC0415 - most results are none

        write_text(page(sections, args.called, first=first))
    else:
        write_text(lines_of(sections, max(terminal_width(), width), first=first))


def lines_of(sections: Iterable[Iterable[Part]], width: int, *, first: bool = True) -> Iterator[str]:
    """Yield sections as lines, with a blank line between two, and before them if they are not the first."""
    for section in sections:
        lines = [line for part in section for line in _lines(part, width)]
        if lines and not first:
            yield ""
        yield from lines
        first = first and not lines


def _lines(part: Part, width: int) -> Iterable[str]:
    if isinstance(part, str):
        return [harmless(part)]
    return (
        part.lines() if isinstance(part, ResultTable) else folded(part.words, width, part.before, part.indent)
    )
