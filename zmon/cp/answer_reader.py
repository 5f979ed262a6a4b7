"""Read any text with answers of CP: a console log, a pasted screen, a file of a support archive.

Every line is recognised by its own form, whatever command precedes it, and every line is counted: as
understood, as noise, as an event, or as unknown.  Nothing is an error and nothing is guessed.  Of two lines
about one thing the later one is valid, and the fields in which they differ are reported.

A long text is read in pieces; one row for each thing is kept, and the first lines that are not understood.
Nearly all lines of a long text are as CP writes them, one below the other: minidisks, dedicated volumes,
volumes of the system and of users, with real devices of four digits.  Runs of these *regular* lines are
found with almost no Python code per line, and become rows only on demand.  All other lines are read one by
one, and a regular line that is read so makes the same row.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections import Counter
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from zmon.cp import console
from zmon.cp.answer import read_first
from zmon.cp.answers_real import (
    OF_DASD,
    REAL,
    is_heading,
    read_device_list,
    read_volume,
)
from zmon.cp.answers_system import MESSAGES, SYSTEM
from zmon.cp.answers_virtual import DISK, VIRTUAL, is_cut, read_disk, read_wrapped
from zmon.cp.console import HIDDEN, MAX_LINE, ConsoleLine, hide_passwords, is_continued
from zmon.topology.claims import CP_USES, DETACHED, EDEVICE, EQID, IN_STORAGE, PATHS, SERIAL, Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

FORMS: Final = (*MESSAGES, *VIRTUAL, *REAL, *SYSTEM)
"""All forms of answers but those that begin with DASD, in the order in which they are tried."""

MAX_ROWS: Final = 1 << 18
"""Rows of one form that are kept: as many as there are device numbers."""
MAX_KEPT: Final = 1000
"""Lines that are not understood, messages and conflicts that are kept in words; more are only counted."""
CUT: Final = "the line was cut"
LAST_LINE: Final = "the text ends in this line, which may be cut"
NOT_SHOWN: Final = "not shown, because a directory entry in the text may have a password there"
FOREIGN: Final = "a device number of three digits: no answer of z/VM"
_THREE_DIGITS: Final = re.compile(r"[A-Z]{3,4}\s+[0-9A-F]{3}\s", re.IGNORECASE)
_ALLOCATION: Final = re.compile(r"\bALLOC (PAGE|SPOOL|DRCT|TDISK)\b")
"""The command that shows one use of volumes, which the rows of the answer then have not."""
_SENTENCES: Final = frozenset(form.name for form in MESSAGES) | {"queued"}
"""Forms whose rows are not bounded by a number of devices; a line of them does not end an answer."""


class _Comparison(NamedTuple):
    """The fields in which two rows of a form about one thing contradict each other."""

    about: str
    fields: tuple[str, ...]


_COMPARED: Final = {
    "disk": _Comparison("virtual device", ("rdev", "volser", "kind")),
    "volume": _Comparison("real device", ("volser", "state", "user", "vdev")),
    "details": _Comparison("real device", ("volser", "ssid", "devtype", "cyls", "blks")),
    "extent": _Comparison("minidisk", ("volser", "rdev", "start", "size")),
    "storage": _Comparison("storage", ("size",)),
}
"""By form; other answers describe a momentary state, which may change."""
_VALUES: Final = {name: attrgetter(*compared.fields) for name, compared in _COMPARED.items()}
_line_of: Final = attrgetter("line")


def parse(source: bytes | BinaryIO, origin: str, *, hidden: bool = False) -> AnswerSet:
    """Read a text, or a stream that may be long.

    No content is an error; a stream that cannot be read raises `OSError`.  With `hidden` no line that is
    not understood is kept, as any word of it may be a password of a directory nearby.
    """
    reader = _Reader(origin, hidden=hidden)
    number = 1
    for text in console.text_chunks(io.BytesIO(source) if isinstance(source, bytes) else source):
        end = text.rfind("\n") + 1
        for lines, is_run in split_runs(text[:end]):
            if is_run:
                reader.run(lines, number)
            else:
                for place, line in enumerate(lines, number):
                    reader.line(line, place)
            number += len(lines)
        if end < len(text):
            reader.line(text[end:], number, last=True)
    return reader.end()


def is_answer(raw: str) -> bool:
    """Return whether a line by itself is an answer of CP, an echoed query, a screen's status or an event."""
    return any(
        read_rows(line)
        or console.is_noise(line)
        or console.echoed_query(line)
        or is_heading(line.text)
        or console.is_event(line)
        for line in _candidates(raw, 1)
    )


def _candidates(raw: str, number: int) -> tuple[ConsoleLine, ...]:
    """Return a line as it is, and without the name of a guest if it has one."""
    line = console.strip_prefix(console.printable(raw[:MAX_LINE].removesuffix("\r")), number)
    named = console.strip_node(line)
    return (line,) if named is None else (line, named)


def read_rows(line: ConsoleLine, *, after_list: bool = False) -> Sequence[Any]:
    """Return the rows of a line that begins an answer; `after_list`: it follows a line of a list."""
    if line.text[:4].upper() != "DASD":
        row = read_first(FORMS, line)
        return (row,) if row is not None else read_device_list(line, after_another=False)
    # the word behind the number shows which form is likelier: a volume's or a virtual disk's
    is_volume = line.text[10:12] in {"CP", "AT"}
    first, second = (read_volume, read_disk) if is_volume else (read_disk, read_volume)
    row = first(line) or second(line) or read_first(OF_DASD, line)
    return (row,) if row is not None else read_device_list(line, after_another=after_list)


class _Reader:
    """Reads a text, line by line or run by run."""

    def __init__(self, origin: str, *, hidden: bool = False) -> None:
        self._hidden = hidden
        self._result = AnswerSet(origin)
        self._rows = self._result.kept
        self._numbers = self._result.line_numbers
        self._open: Any = None
        """The row that lines may follow which belong to it."""
        self._wrapped: ConsoleLine | None = None
        """The beginning of a disk's line that may have been wrapped."""
        self._command = ""
        self._list_line = 0
        """The number of the last line of a list."""
        self._in_statement = False
        """Whether a statement of a directory goes on in the next line."""

    def run(self, lines: list[str], first: int) -> None:
        """Take regular lines, which become rows only on demand; the number of the first is `first`."""
        self._release()
        self._open = None
        self._result.counts["understood"] += len(lines)
        have = self._rows.setdefault("disk", {})
        if any(len(line) != _WIDTH for line in lines):
            self._rows.setdefault("volume", {})  # these two come before forms that are read later
        at, sort = self._numbers["disk"], "disk"
        for number, line in enumerate(map(without_cpu, lines), first):
            device, name = line[5:9], _FORM_OF[line[10]]
            if name != sort:
                sort = name
                have, at = self._rows.setdefault(name, {}), self._numbers[name]
            self._result.gone.pop((name, device), None)
            before = have.setdefault(device, line)
            if before != line:
                self._compare_line(name, before, line, number)
                have[device] = line
            at[device] = number

    def end(self) -> AnswerSet:
        """Return all that was read."""
        self._release()
        return self._result

    def line(self, raw: str, number: int, *, last: bool = False) -> None:
        """Take a line of any shape; with `last` the text ends in it."""
        candidates = _candidates(raw, number)
        counts = self._result.counts
        if not candidates[0].text:
            self._release()
            counts["blank"] += 1
            return
        if self._wrapped is not None:
            first = self._wrapped
            row = next(filter(None, (read_wrapped(first, line) for line in candidates)), None)
            if row:
                self._wrapped = None
                counts["understood"] += 2
                self._begin(row)
                return
            self._release()
        if any(self._answer(candidate, last=last) for candidate in candidates):
            return
        what = next(filter(None, map(self._no_answer, candidates)), "")
        if what:
            counts[what] += 1
            if what == "events":
                self._happened(candidates[-1], console.moment_of(raw))
        elif is_cut(candidates[-1].text):
            self._wrapped = candidates[-1]
        else:
            self._unknown(candidates[0])

    def _answer(self, line: ConsoleLine, *, last: bool) -> bool:
        """Take a line that begins an answer; False when it is something else."""
        rows = read_rows(line, after_list=self._list_line == line.number - 1)
        if not rows:
            return False
        if len(rows) > 1:
            self._list_line = line.number
        self._result.counts["understood"] += 1
        name = rows[0].form.name
        if name in {"return", "message"} and not rows[0].command:
            rows = (rows[0]._replace(command=self._command),)
        if name == "return":
            self._command = ""  # the following lines answer another command
        if self._open is not None and (name, rows[0].key) == (self._open.form.name, self._open.key):
            grown = self._open.more(line)
            if grown is not None:
                self._replace(grown)
                return True
        for row in rows[:-1]:
            self._put(row)
        final = rows[-1]
        if last and name == "volume":  # a truncated label could not be recognised
            final = final._replace(weak=final.weak or LAST_LINE)
        self._begin(final)
        return True

    def _no_answer(self, line: ConsoleLine) -> str:
        """Return the class of a line that begins no answer, such as `noise`; empty if it is unknown."""
        if console.is_noise(line):
            return "noise"
        row = self._open and self._open.more(line)
        if row is not None:
            self._replace(row)
            return "understood"
        if asked := console.echoed_query(line) or console.echoed_command(line):
            self._command = asked
            self._open = None
            self._result.asked.append(line.number)
            return "noise"
        if is_heading(line.text):
            return "noise"
        return "events" if console.is_event(line) else ""

    def _happened(self, line: ConsoleLine, moment: str) -> None:
        """Take an event: what an earlier answer says of a device that CP has taken away since is over.

        The number is that of a virtual device, unless the event or the command before it names whose it was.
        """
        self._result.gone.pop(("disk", console.attached(line)), None)
        event = console.detachment(line)
        if event is None:
            return
        is_real = event.user or re.search(r"\b(?:SYSTEM|FROM)\b", self._command)
        for number in event.numbers:
            for name in ("volume", "device") if is_real else ("disk", "adapter", "volume", "device"):
                is_virtual = name in {"disk", "adapter"}
                key = f"{line.node}:{number}" if line.node and is_virtual else number
                row = self._rows.get(name, {}).pop(key, None)
                if isinstance(row, str):
                    row = regular_row(row, self._numbers[name][key])
                if row is not None:
                    self._result.gone[name, key] = row, f"{moment} line {line.number}".strip()
                    break

    def _begin(self, row: Any) -> None:
        """Take a row that lines may follow."""
        if row.form.name not in _SENTENCES:
            self._open = row
        self._put(row)

    def _replace(self, row: Any) -> None:
        """Replace the open row by one to which a line was added."""
        have = self._rows.get(row.form.name, {})
        if have.get(row.key) is self._open:
            have[row.key] = row
        self._open = row

    def _put(self, row: Any) -> None:
        name, key = row.form.name, row.key
        asked = _ALLOCATION.search(self._command)
        if asked and name == "space" and row.rest in {"", "ACTIVE"}:
            row = row._replace(rest=f"{asked[1]} {row.rest}".rstrip())
        self._result.gone.pop((name, key), None)
        have = self._rows.setdefault(name, {})
        before = have.get(key)
        if before is None:
            if len(have) >= (MAX_KEPT if name in _SENTENCES else MAX_ROWS):
                self._result.counts["dropped"] += 1
                return
        elif name in _COMPARED:
            if isinstance(before, str):
                before = regular_row(before, self._numbers[name][key])
            self._compare(before, row)
            if row.weak and not before.weak:
                return
        have[key] = row

    def _compare_line(self, name: str, before: Any, line: str, number: int) -> None:
        """Compare two different rows about a device, the later one of which is a regular line."""
        if isinstance(before, str):
            result = self._result
            are_many = len(result.first_conflicts) >= MAX_KEPT
            if are_many and before[10].isdigit() and line[10].isdigit() and before[50:54] != line[50:54]:
                result.conflict_count += 1  # minidisks on different real devices
                return
            if _compared_columns(before) == _compared_columns(line):
                return
            before = regular_row(before, self._numbers[name][line[5:9]])
        self._compare(before, regular_row(line, number))

    def _compare(self, before: Any, row: Any) -> None:
        """Report the fields in which two rows of a form about one thing contradict each other."""
        values, compared = _VALUES[row.form.name], _COMPARED[row.form.name]
        if values(before) == values(row):
            return
        pairs = [(name, getattr(before, name), getattr(row, name)) for name in compared.fields]
        # an empty field contradicts nothing
        differ = [name for name, value, other in pairs if value != other and not {value, other} & {"", None}]
        if differ:
            self._result.report(f"{compared.about} {row.key}", differ, before, row)

    def _unknown(self, line: ConsoleLine, why: str = "") -> None:
        self._open = None
        result = self._result
        result.counts["unknown"] += 1
        if line.text != line.text.upper():  # what a person wrote: no message below answers the command above
            self._command = ""
        kept = (result.cut, result.unknown) if why else (result.unknown,)
        if len(kept[0]) >= MAX_KEPT:
            return
        hidden = NOT_SHOWN if self._hidden else HIDDEN if self._in_statement else ""
        text = hidden or hide_passwords(line.text)
        self._in_statement = is_continued(line.text) or (self._in_statement and line.text.endswith(","))
        why = why or (FOREIGN if _THREE_DIGITS.match(line.text) else "")
        for lines in kept:
            if len(lines) < MAX_KEPT:
                lines.append(UnknownLine(line.number, text[:200], why))

    def _release(self) -> None:
        """Give up waiting for the rest of a line."""
        if self._wrapped is not None:
            wrapped, self._wrapped = self._wrapped, None
            self._unknown(wrapped, CUT)


# what was read


class RowConflict(NamedTuple):
    """Two lines that contradict each other."""

    about: str
    """`virtual device 0101`, `real device 7200`."""
    words: str
    """The fields and values that contradict each other."""
    earlier: Any
    """The row that is not valid, or that came first."""
    later: Any
    changed: bool = False
    """Whether CP was asked again in between, so that it may have changed: no contradiction."""


class UnknownLine(NamedTuple):
    """A line that is not understood."""

    line: int
    text: str
    """Without anything that may be a password or a control sequence of a terminal."""
    why: str = ""


_VIA: Final = {
    "disk": "QUERY VIRTUAL DASD", "volume": "QUERY DASD", "details": "QUERY DASD DETAILS",
    "extent": "QUERY MDISK", "edevice": EDEVICE, "owned": "QUERY CPOWNED",
    "space": "QUERY ALLOC", "allocation": "QUERY ALLOC", "paths": PATHS,
}  # fmt: skip
"""The answers about volumes."""
_VIA_SORT: Final = {"adapter": "QUERY VIRTUAL", "unit": "QUERY VIRTUAL", "device": "QUERY"}
"""Those about devices that are none: what CP calls one stands behind these words."""


_OF_CP: Final[Mapping[str, Callable[[Any], str]]] = {
    "owned": lambda _row: "",
    "space": lambda row: row.rest,
    "allocation": lambda row: " ".join(kind[0] for kind in row.kinds if int(kind[1])),
}
"""What CP uses the volumes of an answer for, in its words."""


class AnswerSet:
    """The answers of one text: rows by form, contradictions, claims, and what is not understood."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        """Where it was read."""
        self.kept: dict[str, dict[str, Any]] = {}
        """Rows by form and key; regular lines as they are."""
        self.line_numbers: dict[str, dict[str, int]] = {"disk": {}, "volume": {}}
        """The number of each of those lines."""
        self.counts: Counter[str] = Counter()
        """Lines: `understood`, `noise`, `events`, `blank`, `unknown`; and rows that were `dropped`, too many
        of a form.
        """
        self.unknown: list[UnknownLine] = []
        """The first of those lines."""
        self.cut: list[UnknownLine] = []
        """The first lines that end too early; they are counted as unknown too, and never map a device."""
        self.first_conflicts: list[RowConflict] = []
        """The first conflicts between two rows of a form."""
        self.conflict_count = 0
        """How many of those there are."""
        self.gone: dict[tuple[str, str], tuple[Any, str]] = {}
        """Rows about devices that CP has taken away since, by form and key, and when: `10:11:40 line 17`."""
        self.asked: list[int] = []
        """The lines of echoed commands, ascending."""

    @cached_property
    def rows(self) -> dict[str, list[Any]]:
        """The rows by the name of their form: `disk`, `volume`, `load` ..., in the order of the lines."""
        made: dict[str, list[Any]] = {}
        for name, kept in self.kept.items():
            if kept:
                rows = [
                    regular_row(row, self.line_numbers[name][key]) if isinstance(row, str) else row
                    for key, row in kept.items()
                ]
                made[name] = sorted(rows, key=_line_of)
        return made

    @cached_property
    def conflicts(self) -> list[RowConflict]:
        """The first contradictions: of rows about one thing, and of labels of one real device."""
        conflicts = list(self.first_conflicts)
        labels: dict[str, Any] = {}
        for name in ("volume", "details", "disk", "extent"):
            for row in self.rows.get(name, ()):
                if not (row.rdev and row.volser):
                    continue
                other = labels.setdefault(row.rdev, row)
                if other.volser != row.volser and len(conflicts) < 2 * MAX_KEPT:
                    first, second = sorted((other, row), key=_line_of)
                    conflicts.append(self._conflict(f"real device {row.rdev}", ["volser"], first, second))
        return conflicts

    def report(self, about: str, names: Iterable[str], earlier: Any, later: Any) -> None:
        """Count two rows about one thing that differ in fields; keep the first such pairs."""
        self.conflict_count += 1
        if len(self.first_conflicts) < MAX_KEPT:
            self.first_conflicts.append(self._conflict(about, names, earlier, later))

    def _conflict(self, about: str, names: Iterable[str], earlier: Any, later: Any) -> RowConflict:
        changed = bisect_right(self.asked, earlier.line) < bisect_right(self.asked, later.line)
        between, end = (", then", "; ") if changed else (" and", ", ")
        said = end.join(f"{name} {getattr(earlier, name)}{between} {getattr(later, name)}" for name in names)
        return RowConflict(about, said, earlier, later, changed)

    def claims(self, user: str = "", asked: str = "") -> list[Claim]:
        """Return the claims about volumes, in the order of the lines.

        `user` is the user id of this guest, if known.  Answers to another guest, as shown by a prefix of
        their lines or by QUERY USERID, are claims about that guest; `asked` is the guest that other texts
        show. If `user` is not known and all answers went to one guest, that guest counts as this one.
        """
        own = user.upper()
        guests = {self._asker(row, asked) for row in self.rows.get("disk", ())}
        alone = next(iter(guests)) if len(guests) == 1 and not own else own
        rows = [(name, row, "") for name in (*_VIA_SORT, *_VIA) for row in self.rows.get(name, ())]
        rows += [(name, row, when) for (name, _key), (row, when) in self.gone.items()]
        claims = []
        for name, row, gone in rows:
            if name in {"disk", "adapter", "unit"}:
                whose = self._asker(row, asked)
                whose = "" if whose == alone else whose
            else:
                whose = getattr(row, "user", "")
                whose = "" if whose == own else whose
            via = f"{_VIA_SORT[name]} {row.sort}" if name in _VIA_SORT else _VIA[name]
            if name == "disk" and not row.rdev:
                if row.kind != "vdisk":
                    continue
                via = f"{via} ({IN_STORAGE})"
            claim = self._claim(row, via, "" if name in _OF_CP else whose)
            if name in _OF_CP:
                mode = f"{CP_USES}{_OF_CP[name](row)}".strip()
                claims += [claim._replace(mode=mode, first=None)] * bool(row.rdev)
            else:
                claims.append(claim._replace(mode=f"{DETACHED}{gone}") if gone else claim)
        return sorted(claims, key=_line_of)

    def _asker(self, row: Any, asked: str) -> str:
        """Return the guest that got an answer: by its prefix, else by the last QUERY USERID before it."""
        if row.node:
            return str(row.node)
        users = self._users
        if not users:
            return asked
        before = [user for line, user in users if line < row.line]
        return before[-1] if before else users[0][1]

    @cached_property
    def _users(self) -> list[tuple[int, str]]:
        """The answers of QUERY USERID that have no prefix: line and user."""
        return [(row.line, row.user) for row in self.rows.get("identity", ()) if not row.node]

    def _claim(self, row: Any, via: str, user: str) -> Claim:
        lost = [path for path in row.pim if row.lpm and path not in row.lpm] if via == PATHS else []
        paths = " ".join(lost)
        if via == EDEVICE:
            names = ((EQID, row.eqid), (SERIAL, row.serial))
            paths = ", ".join(
                [*map(" ".join, row.paths), *(f"{name} {told}" for name, told in names if told)]
            )
        return Claim(
            vdev=getattr(row, "vdev", ""), rdev=getattr(row, "rdev", ""), volser=getattr(row, "volser", ""),
            user=user, ssid=getattr(row, "ssid", ""), ua=getattr(row, "cca", ""),
            mode=getattr(row, "mode", "") or getattr(row, "state", ""),
            via=via, origin=self.origin, line=row.line, weak=row.weak,
            first=getattr(row, "start", None), length=getattr(row, "size", None),
            paths=getattr(row, "wwpn", paths),
        )  # fmt: skip


# runs of regular lines

_H4: Final = "[0-9A-F]{4}"
_LABEL: Final = "[A-Z0-9$#@ ]{6}"
_REGULAR: Final = (
    rf"(?:[0-9A-F]{{2}}: )?DASD {_H4} (?:"
    rf"[0-9]{{4}} {_LABEL} R/[WO] (?=[ 0-9]{{10}} [CB]) *[0-9]+ (?:CYL|BLK) ON DASD  {_H4} SUBCHANNEL = {_H4}"
    rf"|ON DASD  {_H4} R/[WO] {_LABEL} SUBCHANNEL = {_H4}"
    rf"|CP (?:OWNED |SYSTEM) {_LABEL}   [0-9]{{1,9}}"
    rf"|ATTACHED TO [A-Z0-9$#@][A-Z0-9$#@ ]{{7}} {_H4} R/[WO](?: [A-Z0-9$#@]{{1,6}})?"
    r") *\r?"
)
_RUN: Final = re.compile(rf"^((?:{_REGULAR}\n)+)", re.MULTILINE)
_FORM_OF: Final = {**dict.fromkeys("0123456789O", "disk"), **dict.fromkeys("CA", "volume")}
"""The form of a regular line by column 10: the type of a minidisk, `ON`, `CP`, `ATTACHED`."""


def split_runs(text: str) -> Iterator[tuple[list[str], bool]]:
    """Split whole lines into runs of regular lines and the parts between, each with whether it is a run."""
    parts = ["", text] if _are_minidisks(text) else _RUN.split(text)
    for place, part in enumerate(parts):
        if part:
            yield part[:-1].split("\n"), place % 2 > 0


def without_cpu(line: str) -> str:
    """Return a regular line without the prefix of a CPU."""
    return line[4:] if line[2] == ":" else line


def _compared_columns(line: str) -> str:
    """Return the columns of a line that describe its device, without size, links and subchannel."""
    begin = line[10]
    if begin.isdigit():
        return line[15:21] + line[50:54]
    return line[10:26] if begin == "C" else line[10:34] if begin == "O" else line[10:46].rstrip()


def regular_row(line: str, number: int) -> Any:
    """Return the row of a regular line that has no prefix."""
    if line[10].isdigit():
        return DISK.row(
            line[5:9], "minidisk", line[10:14], line[15:21].strip(), line[22:25], int(line[26:36]),
            line[37:40], line[50:54], line[68:72], number,
        )  # fmt: skip
    row = (read_disk if line[10] == "O" else read_volume)(ConsoleLine(line.rstrip(), number))
    if row is None:
        raise ValueError(f"line {number} is not regular: {line[:80]!r}")
    return row


# minidisks alone, in a quarter of the time that the pattern takes

_CLASSES: Final = {
    "x": b"0123456789ABCDEF", "t": b"0123456789", "l": b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@ ",
    "m": b"WO", "s": b" 0123456789", "d": b"0123456789", "1": b"CB", "2": b"YL", "3": b"LK",
}  # fmt: skip
_COLUMNS: Final = tuple(
    _CLASSES.get(character, character.encode())
    for character in "DASD xxxx tttt llllll R/m sssssssssd 123 ON DASD  xxxx SUBCHANNEL = xxxx\n"
)
"""The characters that may be in each column."""
_WIDTH: Final = len(_COLUMNS) - 1
_SIZE: Final = range(26, 36)
_UNIT: Final = 37
_UNITS: Final = ((1, bytes.maketrans(b"CB", b"YL")), (2, bytes.maketrans(b"CB", b"LK")))
"""What follows the first letter of the unit."""
_BLANKS: Final = bytes(character == ord(" ") for character in range(256))
"""One for a blank and zero for a digit: behind a digit of a number no blank may come."""


def _are_minidisks(text: str) -> bool:
    """Return whether all lines are regular minidisks, column by column."""
    step = len(_COLUMNS)
    if len(text) % step or not text.isascii():
        return False
    data = text.encode("ascii")
    columns = [data[place::step] for place in range(step)]
    if any(column.translate(None, allowed) for column, allowed in zip(columns, _COLUMNS, strict=True)):
        return False
    if any(columns[_UNIT + place] != columns[_UNIT].translate(other) for place, other in _UNITS):
        return False
    blanks = [int.from_bytes(columns[place].translate(_BLANKS)) for place in _SIZE]
    return not any(later & ~earlier for earlier, later in pairwise(blanks))
