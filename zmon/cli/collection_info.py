"""Describes a capture: its passes, and of texts what each was taken for and what became of its lines."""

from __future__ import annotations

import posixpath
import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import text_of
from zmon.base.plain_text import harmless
from zmon.cli.output import FAILED, OK
from zmon.cli.result import Heading, ResultTable, Sentence, write_result
from zmon.cli.source_options import utc_clock
from zmon.collected.account import answers_of_cp
from zmon.collected.collection import sample_of_pass
from zmon.collected.text_reader import open_capture
from zmon.cp.claim_sources import ANSWERS
from zmon.kinds import MACHINE, TEXT
from zmon.screen.export import moment
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.kernel.capture_open import Capture
    from zmon.kernel.capture_tree import CapturedTree
    from zmon.sample import Sample

COLUMNS: Final = (
    "file", "line", "read_as", "command", "host", "lines", "read", "not_understood", "which", "words",
)  # fmt: skip
NOT_READ: Final = "not read"
"""What texts are read as whose commands zmon does not know."""
_LINES: Final = COLUMNS.index("lines")
_FORM: Final = COLUMNS.index("read_as")
_ALL_UNDERSTOOD: Final = "  Each line was read, or says nothing."
_OTHERS_UNDERSTOOD: Final = "  Each line of the others was read, or says nothing."
"""What is said where nothing is not understood; outputs that are not read are named above."""
MAX_FILES: Final = 5
"""Files without an output that are named."""
MAX_TAKEN: Final = 44
"""Characters of a command that are shown."""
MAX_PLACE: Final = 60
"""Characters of the path of a text that are shown."""


def run(args: argparse.Namespace) -> int:
    """Print the description of a capture; returns the exit status.

    Raises:
        CaptureError: it cannot be used.
    """
    capture = open_capture(args.source, args.host)
    sample = sample_of_pass(capture.passes[-1], args.source)
    rows = [*_rows(sample, capture.passes[-1])]
    unseen = Machine(sample).unseen
    table = ResultTable(COLUMNS, rows)
    document = _document(capture, sample, table, unseen)
    write_result(args, table, document, _sections(capture, sample, table, unseen))
    strange = sum(row[COLUMNS.index("not_understood")] for row in rows)
    return FAILED if strange and args.strict else OK


def _rows(sample: Sample, tree: CapturedTree) -> Iterator[list[Any]]:
    """Yield a row for each output of a text; of a capture without texts for those with answers of CP."""
    frame = sample.frames.get(TEXT.name)
    outputs: Iterable[tuple[str, Mapping[str, Value]]] = ()
    if frame is not None and frame.keys:
        outputs = ((key, {name: frame.cell(key, name) for name in frame.columns}) for key in frame.keys)
    for key, cell in outputs or answers_of_cp(tree):
        origin, _, place = key.rpartition(":")
        line = int(place.partition(".")[0])
        which = ", ".join(dict.fromkeys(text_of(cell["which"]).split()))
        yield [
            origin, line, cell["form"] or NOT_READ, cell["command"], cell["host"], cell["lines"],
            cell["read"], cell["strange"], which, cell["words"],
        ]  # fmt: skip


def _shown(rows: Iterable[Sequence[Any]]) -> ResultTable:
    """Return the columns that people see: where an output begins, what it was taken for, its lines."""
    number = "{:,}".format
    headings = (
        Heading("Text"), Heading("Taken for"), Heading("Lines", number), Heading("Read", number),
        Heading("Not understood", number),
    )  # fmt: skip
    shown = []
    for (_folder, tool, _is_strange, is_unread), alike in groupby(rows, _of_one_tool):
        outputs = [*alike]
        origin, line, form, command, _host, lines, read, strange, _which, first = outputs[0]
        taken = form if form == ANSWERS else command or f"{form.partition(',')[0]}, by its form"
        if form == NOT_READ:
            taken = f"{NOT_READ}: {command}" if command else f"no output: {first}"
        place = f"{_shortened(origin)}:{line}" if line else _shortened(origin)
        if len(outputs) > 1:
            taken = f"{f'{NOT_READ}: ' if is_unread else ''}{tool}, {len(outputs):,} outputs"
            lines, read = (sum(output[column] for output in outputs) for column in (_LINES, _LINES + 1))
            place = place if outputs[1][0] == origin else f"{posixpath.dirname(origin)}/{tool}_*"
        shown.append([place, taken[:MAX_TAKEN], lines, read, strange])
    return ResultTable((), shown, headings, before="  ")


def _shortened(path: str) -> str:
    return path if len(path) <= MAX_PLACE else f"{path[: MAX_PLACE - 3]}..."


def _of_one_tool(row: Sequence[Any]) -> tuple[object, ...]:
    """Return what outputs share that people see as one: a tool's one after another, all understood.

    They are in one text, or each has a text in one directory that is called as its command, as of sos.
    """
    origin, line, form, command, _host, _lines, _read, strange, _which, _words = row
    tool = command.partition(" ")[0]
    folder, _, name = origin.rpartition("/")
    is_called_so = tool and re.match(rf"{re.escape(tool)}(?:_|$)", name)
    return folder if is_called_so else origin, tool or line, strange and (origin, line), form == NOT_READ


def _document(
    capture: Capture, sample: Sample, table: ResultTable, unseen: Iterable[str]
) -> dict[str, object]:
    return {
        "path": capture.name,
        "host": text_of(sample.frame(MACHINE).cell("machine", "hostname")) or None,
        "passes": [tree.label for tree in capture.passes],
        "at": moment(sample.at.utc),
        "texts": table.objects(),
        "not_looked_at": [*unseen],
        "files_not_read": [*capture.unread],
        "remarks": capture.notes,
    }


def _moment(utc: int) -> str:
    return f"{utc_clock(utc)} UTC" if utc else "an unknown time"


def _sections(
    capture: Capture, sample: Sample, table: ResultTable, unseen: Iterable[str]
) -> Iterator[Iterable[Any]]:
    """Yield sections for people."""
    host = text_of(sample.frame(MACHINE).cell("machine", "hostname"))
    count = len(capture.passes)
    what = f"{count:,} passes" if count > 1 else "1 pass"
    yield [f"{capture.name}: {what}, the last at {_moment(sample.at.utc)}{f', of {host}' if host else ''}"]
    rows = [*table.rows]
    if rows:
        yield [_shown(rows)]
        strange = [row for row in rows if row[COLUMNS.index("not_understood")]]
        yield [
            Sentence(
                f"{row[0]}: line {str(row[8]).partition(',')[0]} is not understood: {row[9]}", "  ", "    "
            )
            for row in strange
        ] or [_ALL_UNDERSTOOD if all(row[_FORM] != NOT_READ for row in rows) else _OTHERS_UNDERSTOOD]
    if capture.unread:
        count, named = len(capture.unread), ", ".join(map(harmless, capture.unread[:MAX_FILES]))
        more = f" and {count - MAX_FILES:,} more" * (count > MAX_FILES)
        yield [Sentence(f"Without an output that zmon reads: {named}{more}", "  ", "    ")]
    yield [Sentence(note, "  ", "    ") for note in capture.notes]
    not_looked_at = [Sentence(what, "  ", "    ") for what in unseen]
    yield ["Uses of disks that were not looked at:"] * bool(not_looked_at) + not_looked_at
