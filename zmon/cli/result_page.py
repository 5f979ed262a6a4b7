"""A result as a page of HTML, to be mailed: its sections, without anything that would have to be fetched."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Final

from zmon.base.plain_text import harmless
from zmon.cli.result import ResultTable, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.cli.result import Part

PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>zmon {}</title>
<body style="font-family: sans-serif; max-width: 60em; margin: 1em">"""
"""The begin of a page; HTML lets its end be left out."""
FIGURE: Final = ' style="text-align: right; padding-left: 1em"'


def page(sections: Iterable[Iterable[Part]], title: str, *, first: bool) -> Iterator[str]:
    """Yield sections as HTML, behind the begin of the page if they are the first on it."""
    if first:
        yield PAGE.format(escape(title))
    for section in sections:
        yield "<section>"
        for is_plain, parts in groupby(section, lambda part: isinstance(part, str)):
            if is_plain:
                lines = "\n".join(harmless(str(part)) for part in parts)
                yield f'<pre style="white-space: pre-wrap">{escape(lines)}</pre>'
            else:
                for part in parts:
                    yield from _block(part)
        yield "</section>"


def _block(part: Part) -> Iterator[str]:
    """Yield a sentence as a paragraph, or a table."""
    if isinstance(part, Sentence):
        yield f"<p>{escape(harmless(part.before + part.words).strip())}</p>"
    elif isinstance(part, ResultTable):
        yield "<table>"
        yield _row("th", [heading.text for heading in part.headings], part)
        yield from (_row("td", texts, part) for texts in part.texts())
        yield "</table>"


def _row(tag: str, texts: Sequence[str], table: ResultTable) -> str:
    columns = zip(texts, table.headings, strict=True)
    return f"<tr>{''.join(f'<{tag}{FIGURE * bool(column.form)}>{escape(text)}' for text, column in columns)}"
