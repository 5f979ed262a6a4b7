"""Read any text with answers of CP: a console log, a pasted screen, a file of a support archive.

Every line is taken by its own shape, whatever command stood before it, and every line is counted: as
understood, as noise, as something that happened, or as unknown.  Nothing is an error and nothing is guessed.
Of two lines about one thing the later one holds, and what they contradict each other in is reported.

A long text is read in pieces; what is kept is what it says of each thing once, and the first of the lines
that are not understood.
"""

from __future__ import annotations

import io
import re
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from zmon.cp import runs, virtual
from zmon.cp.allocation import heading as table_heading
from zmon.cp.dasd import Details, Volume, listed, volume
from zmon.cp.extent import Extent, heading
from zmon.cp.identity import identity
from zmon.cp.load import load
from zmon.cp.mask import HIDDEN, goes_on, masked
from zmon.cp.message import Return, message
from zmon.cp.noise import LONGEST, bare, chunks, command, event, order, plain, silent, unnamed
from zmon.cp.real import real
from zmon.cp.understood import KEPT, Understood, Unknown
from zmon.cp.virtual import Disk, Storage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.cp.noise import Line

ROWS: Final = 1 << 18
"""Rows of one sort that are kept: as many as there are device numbers."""
CUT: Final = "the line was cut"
ENDS: Final = "the text ends in this line, which may be cut"
NOT_SHOWN: Final = "not shown, because a directory entry in the text may have a password there"
FOREIGN: Final = "a device number of three digits: no answer of z/VM"


def parse(
    lines: bytes | BinaryIO | Iterable[bytes | str], origin: str, *, hidden: bool = False
) -> Understood:
    """Read a text: its bytes, a stream of them that may be long, or its lines.

    Nothing that it says is an error.  What a stream cannot give is an `OSError`.  With `hidden` no line that
    is not understood is kept, as any word of it may be a password of a directory nearby.
    """
    if isinstance(lines, bytes):
        stream: BinaryIO = io.BytesIO(lines)
    elif hasattr(lines, "read"):
        stream = lines  # type: ignore[assignment]
    else:
        stream = io.BytesIO(b"".join(map(_encoded, lines)))
    reader = _Reader(origin, hidden=hidden)
    number = 1
    for text in chunks(stream):
        lines = text.split("\n")
        rest = lines.pop()
        for part, sort in runs.parts(lines):
            if sort:
                reader.run(part, number, sort)
            else:
                reader.text(part, number)
            number += len(part)
        if rest:
            reader.text([rest], number, last=True)
    return reader.end()


def is_answer(raw: str) -> bool:
    """Say whether a line by itself is an answer of CP, an echoed query, a screen's status or an event."""
    line = bare(plain(raw[:LONGEST]), 1)
    named = unnamed(line)
    reader = _Reader("")
    return any(
        reader.first(one) or silent(one) or command(one) or heading(one.text) or event(one)
        for one in ((line,) if named is None else (line, named))
    )


def _encoded(line: bytes | str) -> bytes:
    """Return a line as bytes with its end."""
    data = line.encode("utf-8", "surrogateescape") if isinstance(line, str) else line
    return data.removesuffix(b"\n") + b"\n"


_SAID: Final[dict[type, tuple[str, ...]]] = {
    Disk: ("rdev", "volser", "kind"),
    Volume: ("volser", "state", "user", "vdev"),
    Details: ("volser", "ssid", "devtype", "cyls", "blks"),
    Extent: ("volser", "rdev", "start", "size"),
    Storage: ("size",),
}
"""In what two rows of a sort about one thing contradict each other; other things are as they are at a
time.
"""
_VALUES: Final = {kind: attrgetter(*names) for kind, names in _SAID.items()}
_NAMES: Final = {
    Disk: "virtual device", Volume: "real device", Details: "real device", Extent: "minidisk",
    Storage: "storage",
}  # fmt: skip
_FEW: Final = {"message", "return", "failure", "nothing", "queued"}
"""Sorts that are about sentences; no number bounds how many there are."""
_THREE: Final = re.compile(r"[A-Z]{3,4}\s+[0-9A-F]{3}\s", re.IGNORECASE)


class _Reader:
    """What was read so far."""

    def __init__(self, origin: str, *, hidden: bool = False) -> None:
        self._hidden = hidden
        self._rows: dict[type, dict[str, Any]] = {}
        self._at: dict[type, dict[str, int]] = {Disk: {}, Volume: {}}
        self._result = Understood(origin, self._rows, self._at)
        self._open: Any = None
        """The row that lines may follow which belong to it."""
        self._held: Line | None = None
        """The begin of a disk's line that was perhaps wrapped."""
        self._command = ""
        self._listing = 0
        """The number of the last line of a list."""
        self._statement = False
        """Whether a statement of a directory goes on in the next line."""

    # what is read

    def run(self, lines: list[str], number: int, sort: str) -> None:
        """Take perfect lines; they stay lines until somebody asks for their rows."""
        self._release()
        self._open = None
        self._result.counts["understood"] += len(lines)
        if sort == runs.MINIDISKS:
            self._lines(Disk, lines, range(number, number + len(lines)))
            return
        lines = [line if line[2] == "S" else runs.bare(line) for line in lines]
        for kind, begins in ((Disk, runs.DISKS), (Volume, runs.VOLUMES)):
            places = [place for place, line in enumerate(lines) if line[10] in begins]
            self._lines(kind, [lines[place] for place in places], [number + place for place in places])

    def _lines(self, kind: type[Disk | Volume], lines: Sequence[str], numbers: Sequence[int]) -> None:
        have, at = self._rows.setdefault(kind, {}), self._at[kind]
        for number, line in zip(numbers, lines, strict=True):
            device = line[5:9]
            before = have.get(device)
            if before is not None and before != line:
                self._differ(before, line, number)
            have[device] = line
            at[device] = number

    def text(self, lines: list[str], number: int, *, last: bool = False) -> None:
        """Take lines of any shape; `last` says that the text ends in the last of them."""
        for place, raw in enumerate(lines, number):
            if runs.perfect(raw) and not last:
                self.run([raw], place, runs.MIXED)
            else:
                self._line(raw, place, last=last)

    def end(self) -> Understood:
        """Return all that was read."""
        self._release()
        return self._result

    def _line(self, raw: str, number: int, *, last: bool) -> None:
        line = bare(plain(raw[:LONGEST].removesuffix("\r")), number)
        if not line.text:
            self._release()
            self._result.counts["blank"] += 1
            return
        named = unnamed(line)
        candidates = (line,) if named is None else (line, named)
        if self._held is not None:
            row = virtual.joined(self._held, line) or (named and virtual.joined(self._held, named))
            if row:
                self._held = None
                self._result.counts["understood"] += 2
                self._begin(row)
                return
            self._release()
        if any(self._answer(candidate, last=last) for candidate in candidates):
            return
        what = next(filter(None, map(self._other, candidates)), "")
        if what:
            self._result.counts[what] += 1
        elif virtual.cut(candidates[-1].text):
            self._held = candidates[-1]
        else:
            self._unknown(line)

    def _answer(self, line: Line, *, last: bool) -> bool:
        """Take a line that begins an answer or is one; says whether it does."""
        rows = self.first(line)
        if not rows:
            return False
        self._result.counts["understood"] += 1
        if isinstance(rows[0], Return):
            self._command = ""  # what follows answers another command
        grown = _more(self._open, rows[0], line)
        if grown is not None:
            self._replace(grown)
            return True
        for row in rows[:-1]:
            self._put(row)
        self._begin(_ending(rows[-1]) if last else rows[-1])
        return True

    def first(self, line: Line) -> Sequence[Any]:
        """Return the rows of a line that begins an answer or is one."""
        row: Any
        if line.text[:4].upper() == "DASD":
            # what a volume of the system or of a user is called shows which of the two is likelier
            first, second = (
                (volume, virtual.disk) if line.text[10:12] in {"CP", "AT"} else (virtual.disk, volume)
            )
            row = first(line) or second(line) or real(line)
            if row is None:
                rows = listed(line, after_another=self._listing == line.number - 1)
                if len(rows) > 1:
                    self._listing = line.number
                return rows
            return (row,)
        row = message(line, self._command)
        if row is None:
            row = virtual.other(line) or real(line) or identity(line) or load(line)
        return (row,) if row else listed(line, after_another=False)

    def _other(self, line: Line) -> str:
        """Say what a line is that begins nothing; empty if it is unknown."""
        if silent(line):
            return "noise"
        row = _more(self._open, None, line)
        if row is not None:
            self._replace(row)
            return "understood"
        if asked := command(line) or order(line):
            self._command = asked
            self._open = None
            self._result.asked.append(line.number)
            return "noise"
        if heading(line.text) or table_heading(line.text):
            return "noise"
        return "events" if event(line) else ""

    # what is kept

    def _begin(self, row: Any) -> None:
        """Take a row that lines may follow."""
        if type(row).__name__.lower() not in _FEW:
            # a message in between does not end an answer
            self._open = row
        self._put(row)

    def _replace(self, row: Any) -> None:
        """Take a row that grew by a line."""
        have = self._rows.get(type(row), {})
        if have.get(row.key) is self._open:
            have[row.key] = row
        self._open = row

    def _put(self, row: Any) -> None:
        have = self._rows.setdefault(type(row), {})
        key = row.key
        before = have.get(key)
        if before is None:
            if len(have) >= (KEPT if type(row).__name__.lower() in _FEW else ROWS):
                self._result.counts["dropped"] += 1
                return
        elif type(row) in _SAID:
            if isinstance(before, str):
                before = runs.row(before, self._at[type(row)][key])
            self._contradicts(before, row)
            if row.weak and not before.weak:
                return
        have[key] = row

    def _differ(self, before: Any, line: str, number: int) -> None:
        """Take two different rows about a device, the later one of which is a perfect line."""
        if isinstance(before, str):
            if len(self._result.seen) >= KEPT and runs.moved(before, line):
                self._result.conflict_count += 1
                return
            if runs.same(before, line):
                return
            before = runs.row(before, self._at[runs.sort(line)][runs.device(line)])
        self._contradicts(before, runs.row(line, number))

    def _contradicts(self, before: Any, row: Any) -> None:
        """Report what two rows of a sort about one thing contradict each other in."""
        said = _VALUES[type(row)]
        if said(before) == said(row):
            return
        differ = [name for name in _SAID[type(row)] if _contradict(getattr(before, name), getattr(row, name))]
        if differ:
            about = f"{_NAMES[type(row)]} {row.key.strip(':')}"
            self._result.report(about, differ, before, row)

    def _unknown(self, line: Line, why: str = "") -> None:
        self._open = None
        result = self._result
        result.counts["unknown"] += 1
        keep = result.cut if why else result.unknown
        if len(keep) >= KEPT:
            return
        text = NOT_SHOWN if self._hidden else HIDDEN if self._statement else masked(line.text)
        self._statement = goes_on(line.text) or (self._statement and line.text.endswith(","))
        unknown = Unknown(line.number, text[:200], why or (FOREIGN if _THREE.match(line.text) else ""))
        for kept in (keep, result.unknown) if why else (keep,):
            if len(kept) < KEPT:
                kept.append(unknown)

    def _release(self) -> None:
        """Give up waiting for the rest of a line."""
        if self._held is not None:
            held, self._held = self._held, None
            self._unknown(held, CUT)


def _more(before: Any, begun: Any, line: Line) -> Any:
    """Return an open row grown by a line; none if the line belongs to another or begins one."""
    if not hasattr(before, "more") or (
        begun is not None and (type(begun), begun.key) != (type(before), before.key)
    ):
        return None
    return before.more(line)


def _contradict(one: object, other: object) -> bool:
    """Say whether two values contradict each other; what is not said contradicts nothing."""
    return one not in {"", None} and other not in {"", None} and one != other


def _ending(row: Any) -> Any:
    """Mark a row of the last line of a text that has no line end, if a cut in its label would not show."""
    return row._replace(weak=row.weak or ENDS) if isinstance(row, Volume) else row
