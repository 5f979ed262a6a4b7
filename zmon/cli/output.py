"""What commands print: results to standard output as text, CSV or JSON, messages to standard error.

A result is text, records or a document: lines for people, rows with a heading for CSV, one object for JSON.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from enum import Enum

from zmon.base import ranges
from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final, Protocol
from zmon.base.plain_text import beginning, cells, harmless, padded, unbroken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

# exit status

OK: Final = 0
FAILED: Final = 1
"""It could not be done."""
USAGE: Final = 2
"""The command line is wrong."""
PARTLY: Final = 3
"""It was answered, but parts of a listing were not understood, so the answer may lack files."""
INTERRUPTED: Final = 130
"""The status that a shell reports for a program ended by Ctrl-C."""
READER_LEFT: Final = 141
"""The status that a shell reports for a program whose reader closed the pipe (SIGPIPE), as `| head` does."""

LINE_TERMINALS: Final = {"", "dumb", "unknown"}
"""Values of TERM that name a terminal without cursor addressing: a 3215 or the HMC's console."""
ERASE: Final = "\r\x1b[K"
"""Goes to the begin of the line and erases it."""
DELAY: Final = 0.7
"""Seconds that a command waits before it says what takes long."""
MAX_SENTENCE: Final = 1000
"""Characters of a sentence that are printed; of a longer one the middle is left out."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a text that a spreadsheet takes for a formula."""


# messages


WHOLE: Final = ("html", "svg")
"""Formats that have a screen as it looks on the glass."""


JSON_ERRORS: Final = "--json-errors"
"""The option of every subcommand that makes messages JSON objects."""


class MessageForm:
    """Whether messages are lines for people or JSON objects for programs."""

    is_json = False


def complain(message: str, status: int = FAILED, program: str = "zmon") -> int:
    """Print an error on standard error; returns the exit status for it."""
    _write("error", message, f"{program}: {message}", status)
    return status


def misused(message: str) -> int:
    """Print an error of the command line on standard error; returns the exit status for it."""
    return complain(message, USAGE)


def warn(message: str) -> None:
    """Print on standard error what is wrong although zmon goes on."""
    _write("warning", message, f"zmon: {message}")


def say(line: str) -> None:
    """Print a line on standard error."""
    _write("note", line, line)


def _write(kind: str, message: str, line: str, status: int | None = None) -> None:
    if MessageForm.is_json:
        from zmon.cli.json_message import json_message  # noqa: PLC0415 - few programs want it

        line = json_message(kind, message, status)
    print(harmless(line), file=sys.stderr, flush=True)


def opening(source: str | None) -> str:
    """Return the words for opening the source of this name."""
    if not source:
        return "opening the screens"
    return f"{'simulating' if source.startswith('lab:') else 'reading'} {source}"


@contextmanager
def announced(source: str | None, seconds: float = DELAY) -> Iterator[None]:
    """Print a line about the source if opening it takes longer than `seconds`.

    Print nothing if standard error is no terminal or no source is named.
    """
    stream = sys.stderr
    if not source or stream is None or not stream.isatty():
        yield
        return
    import threading  # noqa: PLC0415 - a lookup by a program starts without it

    text = f"zmon: {harmless(opening(source))} ...\n"
    timer = threading.Timer(seconds, lambda: (stream.write(text), stream.flush()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Show a message on the terminal and erase it at the end.

    Show nothing if standard error is no terminal; without cursor addressing the message stays.
    """
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield
        return
    line_mode = os.environ.get("TERM", "") in LINE_TERMINALS
    stream.write(f"zmon: {harmless(doing)} ..." + "\n" * line_mode)
    stream.flush()
    try:
        yield
    finally:
        if not line_mode:
            stream.write(ERASE)
            stream.flush()


class Advance:
    """Shows on a terminal how far long work is, after a second, and erases it at the end."""

    DELAY = 1.0

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._shown = False

    def __enter__(self) -> Self:
        """Show nothing yet."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Erase it."""
        self.end()

    def show(self, text: str) -> None:
        """Show how far it is."""
        stream = sys.stderr
        if stream is not None and stream.isatty() and time.monotonic() - self._begun > self.DELAY:
            print(f"\r{text} ", end="", file=stream, flush=True)
            self._shown = True

    def end(self) -> None:
        """Erase it."""
        if self._shown:
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)


class FileCount(Advance):
    """Shows the number of files read so far."""

    def __call__(self, count: int) -> None:
        """Show the number of files."""
        self.show(f"{count:,} files looked at")


class JudgedShare(Advance):
    """Shows how much of a recording the rules have judged."""

    def __init__(self, span: tuple[int, int] | None) -> None:
        """Count from the first to the last sample, UTC in ns."""
        super().__init__()
        self._span = span or (0, 0)

    def __call__(self, until: int) -> None:
        """Show up to when it is judged."""
        begin, end = self._span
        if begin < end and until:
            self.show(f"rules applied to {100 * (until - begin) // (end - begin)} % of the time")


# results


def write_text(lines: Iterable[str]) -> None:
    """Print harmless lines; print `?` for foreign letters if the locale has no UTF-8."""
    for line in lines:
        print(line if line.isascii() else _of_locale(line))
    sys.stdout.flush()


def _of_locale(line: str) -> str:
    """Return a line with a `?` for each cell that the locale cannot fill; charts have the style wanted."""
    from zmon.screen.charset import is_utf8  # noqa: PLC0415 - most lines are ASCII

    if is_utf8(os.environ):
        return line
    return "".join(
        char if char.isascii() or "\u2500" <= char < "\u2900" else "?" * cells(char) for char in line
    )


def write_json(document: object, *, indent: int | None = None) -> None:
    """Print an object on a line, or over several lines with an `indent`; see `as_json` for records."""
    import json  # noqa: PLC0415 - text and CSV start without it

    print(json.dumps(document, indent=indent))
    sys.stdout.flush()


def as_json(value: Any, *, reasons: bool = False) -> Any:
    """Return a value as JSON holds it: a record by the names of its fields, a grade as its word.

    What is absent is null, with `reasons` `{"absent": REASON}`.
    """
    if isinstance(value, (str, int, float)):
        return str(value) if isinstance(value, Enum) else value
    if isinstance(value, Absent):
        return {"absent": value.reason} if reasons else None
    if hasattr(value, "objects"):
        return as_json(value.objects(), reasons=reasons)
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if hasattr(value, "items"):
        return {name: as_json(item, reasons=reasons) for name, item in value.items()}
    if hasattr(value, "__iter__"):
        return [as_json(item, reasons=reasons) for item in value]
    return value


def write_csv(records: Iterable[Iterable[object]], *, safe: bool) -> None:
    """Print records as CSV: names harmless, nothing for what is absent; for `safe` see `CsvWriter`."""
    writer = CsvWriter(sys.stdout, safe=safe)
    for record in records:
        writer.writerow(map(as_field, record))
    sys.stdout.flush()


def as_field(value: object) -> object:
    """Return a value as a field of CSV, in which names that differ stay different."""
    if isinstance(value, str):
        return harmless(value, escaped=True)
    return None if isinstance(value, Absent) else value


class TextStream(Protocol):
    """The stream that CSV is written to."""

    def write(self, text: str, /) -> object:
        """Write a piece of text."""


class CsvWriter:
    """Writes records as CSV; the caller makes names harmless."""

    def __init__(self, stream: TextStream, *, safe: bool) -> None:
        """Write to `stream`; with `safe` a text that looks like a formula gets an apostrophe in front."""
        import csv  # noqa: PLC0415 - text and JSON start without it

        self._writer = csv.writer(stream, lineterminator="\n")
        self._safe = safe

    def writerow(self, cells: Iterable[object]) -> None:
        """Write one record."""
        self._writer.writerow([_without_formula(cell) for cell in cells] if self._safe else cells)


def _without_formula(cell: object) -> object:
    """Return a cell that no spreadsheet computes; numbers stay what they are, also those written as text."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


# text


def terminal_width() -> int:
    """Return the width of the terminal; 80 where there is none."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    return os.get_terminal_size(1).columns if os.isatty(1) else 80


def aligned(
    rows: Sequence[Sequence[str]], widths: Sequence[int] | None = None, before: str = "  "
) -> Iterator[str]:
    """Yield rows of cells as lines, with `before` each column: texts left, in a negative width right.

    A column whose width is 0 is left out; without widths each is as wide as its widest cell.
    """
    room = [max(map(cells, column)) for column in zip(*rows, strict=True)] if widths is None else widths
    for row in rows:
        columns = ((before, cell, size) for cell, size in zip(row, room, strict=True) if size)
        yield "".join(
            f"{blank}{padded(cell, size) if size > 0 else padded('', -size - cells(cell)) + cell}"
            for blank, cell, size in columns
        ).rstrip()


def enumerated(names: Sequence[str], most: int) -> str:
    """Join names of files and devices for a terminal; of many the first, and how many more there are."""
    return ranges.names([harmless(name) for name in names], most)


def some(sentences: Iterable[str], most: int) -> list[str]:
    """Return the first sentences, and how many more JSON has."""
    return ranges.some(list(sentences), "in --format json", most)


def paragraphs(
    sentences: Iterable[str], width: int, before: str = "", indent: str | None = None
) -> Iterator[str]:
    """Yield sentences in lines, each as `folded` does."""
    for sentence in sentences:
        yield from folded(sentence, width, before, indent)


def folded(sentence: str, width: int, before: str = "", indent: str | None = None) -> Iterator[str]:
    """Yield a sentence in lines of at most `width` cells: `before` the first, `indent` before the others.

    Without `indent` the others are below the first.  A word that is longer than a line is broken.
    """
    text = harmless(sentence)
    if len(text) > MAX_SENTENCE:
        text = f"{text[: MAX_SENTENCE // 2]} .. {text[-MAX_SENTENCE * 2 // 5 :]}"
    indent = " " * cells(before) if indent is None else indent
    line = before
    bare = True
    for word in unbroken(text):
        rest = word
        if not bare and cells(line) + 1 + cells(rest) > width:
            yield line
            line, bare = indent, True
        while cells(line) + cells(rest) > width and bare:
            part = beginning(rest, max(width - cells(line), 1)) or rest[:1]
            yield line + part
            line, rest = indent, rest[len(part) :]
        line, bare = (line + rest if bare else f"{line} {rest}"), bare and not rest
    if not bare:
        yield line
