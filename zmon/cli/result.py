"""The result of a command, made once: a table for CSV, what JSON has, and sections for text and HTML."""

from __future__ import annotations

from itertools import groupby, islice

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

PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>zmon {}</title>
<body style="font-family: sans-serif; max-width: 60em; margin: 1em">"""
"""The begin of a page; HTML lets its end be left out."""
FIGURE: Final = ' style="text-align: right; padding-left: 1em"'
HTML: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""What is a part of the form of a page, as text."""


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
        write_text(page_of(sections, args.called, first=first))
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


def page_of(sections: Iterable[Iterable[Part]], title: str, *, first: bool) -> Iterator[str]:
    """Yield sections as HTML, behind the begin of the page if they are the first on it."""
    if first:
        yield PAGE.format(title.translate(HTML))
    for section in sections:
        yield "<section>"
        for is_plain, parts in groupby(section, lambda part: isinstance(part, str)):
            if is_plain:
                lines = "\n".join(harmless(str(part)) for part in parts)
                yield f'<pre style="white-space: pre-wrap">{lines.translate(HTML)}</pre>'
            else:
                for part in parts:
                    yield from _block(part)
        yield "</section>"


def _block(part: Part) -> Iterator[str]:
    """Yield a sentence as a paragraph, or a table."""
    if isinstance(part, Sentence):
        yield f"<p>{harmless(part.before + part.words).strip().translate(HTML)}</p>"
    elif isinstance(part, ResultTable):
        yield "<table>"
        yield _row("th", [heading.text for heading in part.headings], part)
        yield from (_row("td", texts, part) for texts in part.texts())
        yield "</table>"


def _row(tag: str, texts: Sequence[str], table: ResultTable) -> str:
    written = (
        f"<{tag}{FIGURE * bool(heading.form)}>{text.translate(HTML)}"
        for text, heading in zip(texts, table.headings, strict=True)
    )
    return f"<tr>{''.join(written)}"
