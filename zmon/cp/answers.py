"""Read any text with answers of CP: a console log, a pasted screen, a file of a support archive.

Every line is taken by its own shape, whatever command stood before it, and every line is counted: as understood,
as noise, as something that happened, or as unknown.  Nothing is an error and nothing is guessed.  Of two lines
about one thing the later one holds, and what they contradict each other in is reported.

A long text is read in pieces; what is kept is what it says of each thing once, and the first of the lines that
are not understood.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, Protocol

from zmon.cp import virtual
from zmon.cp.identity import identity
from zmon.cp.load import load
from zmon.cp.mask import HIDDEN, goes_on, masked
from zmon.cp.message import message
from zmon.cp.noise import LONGEST, bare, chunks, command, event, plain, silent, unnamed
from zmon.cp.real import Details, Extent, Volume, heading, listed, real, volume
from zmon.cp.virtual import Disk
from zmon.topology.claim import Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.cp.noise import Line

KEPT: Final = 1000
"""Lines that are not understood, messages and conflicts of which the words are kept; more are counted alone."""
ROWS: Final = 1 << 18
"""Rows of one sort that are kept: as many as there are device numbers."""
CUT: Final = "the line was cut"
ENDS: Final = "the text ends in this line, which may be cut"
FOREIGN: Final = "a device number of three digits: no answer of z/VM"


class Row(Protocol):
    """What was understood: a named tuple of one of the sorts."""

    @property
    def line(self) -> int:
        """The line where it began."""

    @property
    def weak(self) -> str:
        """Why it may be wrong; empty when it is as CP writes it."""

    @property
    def key(self) -> str:
        """What it is about: of two rows of a sort with one key the later one holds."""


class Conflict(NamedTuple):
    """Two lines that contradict each other."""

    about: str
    """`virtual device 0101`, `real device 7200`."""
    words: str
    """What they contradict each other in."""
    earlier: Any
    """The row that does not hold, or that came first."""
    later: Any


class Unknown(NamedTuple):
    """A line that is not understood."""

    line: int
    text: str
    """Without anything that may be a password or that a terminal would obey."""
    why: str = ""


class Labelled(NamedTuple):
    """Where a label is."""

    rdev: str
    """The one real device a minidisk on it can be on; empty when there is none or more than one."""
    others: tuple[str, ...]
    """Other real devices with this label."""


class Understood:
    """What a text says."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        """Where it was read."""
        self.rows: dict[str, list[Any]] = {}
        """What was understood by sort: `disk`, `volume`, `details`, `load` ...: the classes' names in small letters."""
        self.counts: Counter[str] = Counter()
        """Lines that are `understood`, `noise`, `events`, `blank`, `unknown`; and the rows `dropped` for their number."""
        self.unknown: list[Unknown] = []
        """The first of those lines."""
        self.cut: list[Unknown] = []
        """The first of the lines that end too early; they are counted as unknown too, and never map a device."""
        self.conflicts: list[Conflict] = []
        """The first of them."""
        self.conflict_count = 0

    @property
    def anything(self) -> bool:
        """Say whether something was understood."""
        return any(self.rows.values())

    def row(self, sort: str, key: str = "") -> Any:
        """Return the row of a sort about a thing; none if there is none."""
        return next((row for row in self.rows.get(sort, ()) if row.key == key), None)

    def labelled(self, label: str) -> Labelled:
        """Return the real device of a label.

        Labels are not unique.  A minidisk can only be on a volume of the system, so that one is it if there is
        one and only one; the others are to be told of.
        """
        found = [row for row in self.rows.get("volume", ()) if row.volser == label]
        ours = [row for row in found if row.state.startswith("CP-")] or found
        rdev = ours[0].rdev if len(ours) == 1 else ""
        return Labelled(rdev, tuple(row.rdev for row in found if row.rdev != rdev))

    def claims(self, user: str = "") -> list[Claim]:
        """Return what is said of volumes, in the order of the lines.

        `user` is the own user id where it is known.  Rows of that user are claims about the own guest.  Rows
        that several guests answered are claims about those.
        """
        nodes = {row.node for row in self.rows.get("disk", ())}
        own = "" if "" in nodes else next(iter(nodes), "") if len(nodes) == 1 else user.upper()
        claims: list[Claim] = []
        for row in self.rows.get("disk", ()):
            if row.rdev:
                whose = "" if row.node in {"", own} else row.node
                claims.append(self._claim(row, "QUERY VIRTUAL DASD", user=whose, length=row.size))
        for row in self.rows.get("volume", ()):
            attached = bool(row.vdev)
            whose = row.user if row.user != user.upper() else ""
            claims.append(self._claim(row, f"QUERY DASD {'' if attached else row.state}".strip(), user=whose))
        for row in self.rows.get("details", ()):
            claims.append(self._claim(row, "QUERY DASD DETAILS"))
        for row in self.rows.get("extent", ()):
            whose = row.user if row.user != user.upper() else ""
            claims.append(self._claim(row, "QUERY MDISK", user=whose, first=row.start, length=row.size))
        return sorted(claims, key=lambda claim: claim.line)

    def _claim(self, row: Any, via: str, **more: Any) -> Claim:
        said = {
            name: getattr(row, name, "")
            for name in ("vdev", "rdev", "volser", "ssid", "mode", "line", "weak")
        }
        return Claim(**(said | more), via=via, origin=self.origin)


def parse(lines: bytes | BinaryIO | Iterable[bytes], origin: str) -> Understood:
    """Read a text: its bytes, a stream of them that may be long, or its lines.

    Nothing that it says is an error.  What a stream cannot give is an `OSError`.
    """
    if isinstance(lines, bytes):
        stream: BinaryIO = io.BytesIO(lines)
    elif hasattr(lines, "read"):
        stream = lines  # type: ignore[assignment]
    else:
        stream = io.BytesIO(b"".join(line.removesuffix(b"\n") + b"\n" for line in lines))
    reader = _Reader(origin)
    number = 1
    for text in chunks(stream):
        for part, first in virtual.disks(text, number):
            if isinstance(part, str):
                reader.text(part, first)
            else:
                reader.run(part)
        number += text.count("\n")
    return reader.end()


_SAID: Final[dict[type, tuple[str, ...]]] = {
    Disk: ("rdev", "volser", "kind"),
    Volume: ("volser", "state", "user", "vdev"),
    Details: ("volser", "ssid", "devtype", "cyls", "blks"),
    Extent: ("volser", "rdev", "start", "size"),
}
"""In what two rows of a sort about one thing contradict each other; other things are as they are at a time."""
_NAMES: Final = {Disk: "virtual device", Volume: "real device", Details: "real device", Extent: "minidisk"}
_FEW: Final = {"message", "return", "failure", "nothing", "queued"}
"""Sorts that are about sentences; no number bounds how many there are."""
_THREE: Final = re.compile(r"[A-Z]{3,4}\s+[0-9A-F]{3}\s", re.IGNORECASE)


class _Reader:
    """What was read so far."""

    def __init__(self, origin: str) -> None:
        self._result = Understood(origin)
        self._rows: dict[type, dict[str, Any]] = {}
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

    def run(self, rows: list[Disk]) -> None:
        """Take rows that are as CP writes them."""
        self._release()
        self._open = None
        self._result.counts["understood"] += len(rows)
        have = self._rows.setdefault(Disk, {})
        fresh = {row.vdev: row for row in rows}
        if len(have) + len(fresh) > ROWS or len(fresh) < len(rows) or not have.keys().isdisjoint(fresh):
            for row in rows:
                self._put(row)
        else:
            have.update(fresh)

    def text(self, text: str, number: int) -> None:
        """Take lines of any shape."""
        lines = text.split("\n")
        ended = not lines[-1]
        for place, raw in enumerate(lines[:-1] if ended else lines):
            self._line(raw, number + place, last=not ended and place == len(lines) - 1)

    def end(self) -> Understood:
        """Return all that was read."""
        self._release()
        result = self._result
        result.rows = {
            kind.__name__.lower(): list(rows.values()) for kind, rows in self._rows.items() if rows
        }
        for rows in result.rows.values():
            rows.sort(key=_place)
        self._compare_labels()
        return result

    def _line(self, raw: str, number: int, *, last: bool) -> None:
        line = bare(plain(raw[:LONGEST].removesuffix("\r")), number)
        if not line.text:
            self._release()
            self._result.counts["blank"] += 1
            return
        named = unnamed(line)
        candidates = (line,) if named is None else (line, named)
        if self._held is not None:
            for candidate in candidates:
                if row := virtual.joined(self._held, candidate):
                    self._held = None
                    self._result.counts["understood"] += 2
                    self._begin(row)
                    return
            self._release()
        for candidate in candidates:
            rows = self._first(candidate)
            if rows:
                self._result.counts["understood"] += 1
                for row in rows[:-1]:
                    self._put(row)
                self._begin(_ending(rows[-1]) if last else rows[-1])
                return
        what = next(filter(None, map(self._other, candidates)), "")
        if what:
            self._result.counts[what] += 1
        elif virtual.cut(candidates[-1].text):
            self._held = candidates[-1]
        else:
            self._unknown(line)

    def _first(self, line: Line) -> Sequence[Any]:
        """Return the rows of a line that begins an answer or is one."""
        row: Any
        if line.text[:4].upper() == "DASD":
            row = virtual.disk(line) or volume(line)
            if row is None:
                row = real(line)
            if row is None:
                rows = listed(line, after_another=self._listing == line.number - 1)
                if rows:
                    self._listing = line.number
                return rows
            return (row,)
        row = (
            virtual.other(line) or real(line) or identity(line) or load(line) or message(line, self._command)
        )
        return (row,) if row else listed(line, after_another=False)

    def _other(self, line: Line) -> str:
        """Say what a line is that begins nothing; empty if it is unknown."""
        if silent(line):
            return "noise"
        if hasattr(self._open, "more"):
            row = self._open.more(line)
            if row is not None:
                self._replace(row)
                return "understood"
        if asked := command(line):
            self._command = asked
            self._open = None
            return "noise"
        if heading(line.text):
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
            differ = [
                name for name in _SAID[type(row)] if _contradict(getattr(before, name), getattr(row, name))
            ]
            if differ:
                about = f"{_NAMES[type(row)]} {key}"
                words = ", ".join(
                    f"{name} {getattr(before, name)} and {getattr(row, name)}" for name in differ
                )
                self._conflict(Conflict(about, words, before, row))
                if row.weak and not before.weak:
                    return
        have[key] = row

    def _conflict(self, conflict: Conflict) -> None:
        self._result.conflict_count += 1
        if len(self._result.conflicts) < KEPT:
            self._result.conflicts.append(conflict)

    def _compare_labels(self) -> None:
        """Report real devices that have two labels in answers of two sorts."""
        labels: dict[str, Any] = {}
        for sort in ("volume", "details", "disk", "extent"):
            for row in self._result.rows.get(sort, ()):
                if not (row.rdev and row.volser):
                    continue
                other = labels.setdefault(row.rdev, row)
                if other.volser != row.volser:
                    words = f"volser {other.volser} and {row.volser}"
                    self._conflict(
                        Conflict(f"real device {row.rdev}", words, *sorted((other, row), key=_place))
                    )

    def _unknown(self, line: Line, why: str = "") -> None:
        self._open = None
        result = self._result
        result.counts["unknown"] += 1
        text = HIDDEN if self._statement else masked(line.text)
        self._statement = goes_on(line.text) or (self._statement and line.text.endswith(","))
        unknown = Unknown(line.number, text[:200], why or (FOREIGN if _THREE.match(line.text) else ""))
        if len(result.unknown) < KEPT:
            result.unknown.append(unknown)
        if why and len(result.cut) < KEPT:
            result.cut.append(unknown)

    def _release(self) -> None:
        """Give up waiting for the rest of a line."""
        if self._held is not None:
            held, self._held = self._held, None
            self._unknown(held, CUT)


def _place(row: Row) -> int:
    return row.line


def _contradict(one: object, other: object) -> bool:
    """Say whether two values contradict each other; what is not said contradicts nothing."""
    return one not in {"", None} and other not in {"", None} and one != other


def _ending(row: Any) -> Any:
    """Mark a row of the last line of a text that has no line end, if a cut in its label would not show."""
    return row._replace(weak=row.weak or ENDS) if isinstance(row, Volume) else row
