"""Claims about volumes: of files that a person names, of a capture, and of CP itself.

A file has answers of CP in a log or on a pasted screen, directory entries, or both.  Its content decides, not
its name: ranges of directory entries are found first, all other lines are read as answers of CP.  It may be
packed by gzip, and in UTF-16 as some shells of Windows write.  `-` is standard input.
"""

from __future__ import annotations

import errno
import re
import sys
import time
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp import answer_reader, user_directory
from zmon.cp.directory_statement import ambiguous
from zmon.cp.user_directory import UserDirectory
from zmon.kinds import CLAIM
from zmon.registry import CP_EVERY
from zmon.sample import empty_frame
from zmon.topology.claims import SHOWN, claims_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.cp.answer_reader import AnswerSet, RowConflict
    from zmon.cp.vmcp import Cp
    from zmon.kernel.capture_tree import ShownPlace
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame
    from zmon.topology.claims import Claim

MAX_FILE: Final = 64 << 20
"""Bytes of a file, unpacked."""
MAX_NAMED: Final = 10
"""Lines that are not understood of which the numbers are reported."""
FOLDER: Final = "cp"
"""Where a capture has answers: `cp/virtual-dasd.txt`."""
ANSWERS: Final = "answers of CP"
DIRECTORY: Final = "user directory"
BOTH: Final = f"{ANSWERS} and {DIRECTORY}"
NOTHING: Final = "nothing known"
OWN_DISKS: Final = ("userid", "virtual-dasd")
"""The queries that report the real device and the label of each own disk."""


class CpText(NamedTuple):
    """The content of one text."""

    answers: AnswerSet
    directory: UserDirectory

    @property
    def origin(self) -> str:
        """The name of the text."""
        return self.answers.origin

    @property
    def unknown_count(self) -> int:
        """How many lines are not understood."""
        return self.answers.counts["unknown"] + self.directory.unread_count

    @property
    def unknown(self) -> list[tuple[int, str]]:
        """The first lines that are not understood: number, and text or what is wrong."""
        lines = [(entry.line, entry.why) for entry in self.directory.unread]
        lines += [(line, f"{text}{f' ({why})' if why else ''}") for line, text, why in self.answers.unknown]
        return sorted(lines)

    @property
    def odd(self) -> list[str]:
        """The contradictions and gaps in it."""
        conflicts = [_words(conflict) for conflict in self.answers.conflicts if not conflict.changed]
        lacking = [f"{name} is not in it" for name in self.directory.lacking()]
        return [*conflicts, *self.directory.notes, *lacking]

    @property
    def changed(self) -> list[str]:
        """The answers of CP that differ from earlier ones in it, or that an event has ended."""
        gone = [
            f"device {key}: detached {when}, so line {row.line} counts no more"
            for (_name, key), (row, when) in self.answers.gone.items()
        ]
        return [_words(conflict) for conflict in self.answers.conflicts if conflict.changed] + gone


def _words(conflict: RowConflict) -> str:
    return f"{conflict.about}: {conflict.words} (lines {conflict.earlier.line} and {conflict.later.line})"


class FileReport(NamedTuple):
    """The counts of what one file contains."""

    origin: str
    content: str
    """`answers of CP`, `user directory`, both, or `nothing known`."""
    counts: Mapping[str, int]
    """How many rows of each form, entries and statements were understood."""
    unknown: int
    """The number of lines that were not understood."""
    notes: tuple[str, ...] = ()
    """Remarks for the user."""
    lines: tuple[int, ...] = ()
    """The numbers of the first of these lines."""


class FileClaims(NamedTuple):
    """The claims of files, and a report on each."""

    claims: list[Claim]
    reports: list[FileReport]

    @property
    def conflicts(self) -> list[str]:
        """The contradictions between claims of different files, in words."""
        return _conflicts(self.claims)


def origin_of(path: str) -> str:
    """Return the origin of a file that a person names, so that it is not taken for one of a capture."""
    return f"./{path}" if path.startswith(f"{FOLDER}/") else path


def claims_of_capture(tree: Tree, user: str = "", member: str = "") -> Frame:
    """Return the claims of a capture's files `cp/*.txt`."""
    names = []
    if not tree.live:
        try:
            names = [name for name in tree.entries(FOLDER) if name.endswith(".txt")]
        except OSError:
            names = []  # the capture was taken without --cp
    texts, when = [], 0
    shown: Mapping[str, ShownPlace] = getattr(tree, "shown", {})
    for path in [f"{FOLDER}/{name}" for name in names]:
        try:
            origin = path
            if place := shown.get(path):  # in a single line of a text they have lines of their own
                origin = f"{SHOWN}{place.origin}{'' if place.step else f':{place.line}'}"
            texts.append((origin, tree.read(path)))
            when = max(when, tree.when(path))
        except OSError:
            continue  # CAPTURE.txt says why
    claims = claims_of_texts(texts, user, member).claims
    return claims_frame(claims, when, "the capture has no answers of CP: take one with zmon capture --cp")


def read_cp(tree: Tree) -> Frame:
    """Return the claims of a capture's answers, or ask CP for the own disks of this guest."""
    if not tree.live:
        return claims_of_capture(tree)
    from zmon.cp.vmcp import Cp  # noqa: PLC0415 - files need no device

    return ask_claims(Cp())


def ask_claims(cp: Cp, when: int | None = None) -> Frame:
    """Ask CP for the own disks; `when` is the moment in ns of the sample's clock, now if it is not given.

    An error becomes the reason why the frame is empty.
    """
    from zmon.cp.vmcp import DEVICE, CpError  # noqa: PLC0415 - files need no device

    try:
        answers = [cp.ask(name, age=CP_EVERY) for name in OWN_DISKS]
    except CpError as error:
        return empty_frame(CLAIM, str(error))
    problems = [answer.problem for answer in answers if answer.problem]
    parsed = answer_reader.parse("".join(answer.text for answer in answers).encode(), DEVICE)
    moment = time.monotonic_ns() if when is None else when
    return claims_frame(
        parsed.claims(), moment, problems[0] if problems else "CP knows of no disk of this guest"
    )


def captured_answers(cp: Cp, age: float = 3600.0) -> dict[str, bytes | OSError]:
    """Send the queries that every guest may send, and return the answers by their paths in a capture.

    Each query is sent at most once in `age` seconds; passes in between share the answer.
    """
    from zmon.cp.vmcp import EVERYBODY, CpError, command_of  # noqa: PLC0415 - files need no device

    contents: dict[str, bytes | OSError] = {}
    refused = None
    for name in EVERYBODY:
        path = f"{FOLDER}/{name}.txt"
        try:
            contents[path] = refused or cp.ask(name, age=age).text.encode()
        except CpError as error:
            contents[path] = reason = OSError(errno.EIO, str(error).removeprefix(f"{command_of(name)}: "))
            if isinstance(error.__cause__, OSError):  # the kernel refuses all of them
                refused = reason
    return contents


def claims_of_texts(texts: Iterable[tuple[str, bytes]], user: str = "", member: str = "") -> FileClaims:
    """Read texts, each with the name of its origin.

    `user` is this guest and `member` its system if they are known; else QUERY USERID supplies them.  Claims
    about the devices of this guest have no user.
    """
    return join_texts([(origin, parse_text(data, origin)) for origin, data in texts], user, member)


def join_texts(texts: Sequence[tuple[str, CpText]], user: str = "", member: str = "") -> FileClaims:
    """Join the contents of texts, each with the name of its origin."""
    answers = [text.answers for _origin, text in texts]
    owners = {(row.user, row.system) for answer in answers for row in answer.rows.get("identity", ())}
    asked, system = next(iter(owners)) if len(owners) == 1 else ("", "")
    own, system = user.upper() or asked, member.upper() or system
    directory = sum((text.directory for _origin, text in texts), UserDirectory())
    reports = [_report(origin, text) for origin, text in texts]
    guests = [guest for guest in directory.guests if guest]
    if not own and len(guests) == 1:
        (own,) = guests
        note = f"{own} is the only guest in it and is taken for this one; if it is another, give --cp-user"
        reports.append(FileReport(DIRECTORY, DIRECTORY, {"guest": len(guests)}, 0, (note,)))
    elif user and guests and not {own, ""}.intersection(directory.guests):
        more = ", ..." if len(guests) > MAX_NAMED else ""
        note = f"the user directory has no entry {own}, but {', '.join(guests[:MAX_NAMED])}{more}"
        reports.append(FileReport(DIRECTORY, DIRECTORY, {"guest": len(guests)}, 0, (note,)))
    claims = [claim for answer in answers for claim in answer.claims(own, asked)]
    claims += [
        claim._replace(user="") if claim.user == own else claim for claim in directory.claims(member=system)
    ]
    return FileClaims(_without_wrong(claims), reports)


def _without_wrong(claims: list[Claim]) -> list[Claim]:
    """Leave out one of two claims where a list of real devices shows if a word is a number or a label."""
    devices = {claim.rdev for claim in claims if claim.via.startswith("QUERY DASD")}
    labels = {claim.volser for claim in claims if claim.via.startswith("QUERY DASD")}
    kept = []
    for claim in claims:
        word = claim.rdev or claim.volser
        if claim.weak != ambiguous(word):
            kept.append(claim)
            continue
        right, wrong = (devices, labels) if claim.rdev else (labels, devices)
        if word not in wrong or word in right:
            kept.append(claim._replace(weak="") if word in right and word not in wrong else claim)
    return kept


def parse_text(data: bytes, origin: str) -> CpText:
    """Read a text: entries of a user directory, and answers of CP in all other lines."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    directory = user_directory.parse(data, origin) if _ENTRY.search(data) else UserDirectory(origin)
    if not directory.entries:
        return CpText(answer_reader.parse(data, origin), UserDirectory(origin))
    lines = user_directory.split_lines(data)
    for entry in directory.entries:
        lines[entry.first - 1 : entry.last] = [b""] * (entry.last - entry.first + 1)
    return CpText(answer_reader.parse(b"\n".join(lines), origin, hidden=True), directory)


_ENTRY: Final = re.compile(
    rb"^[ \t]*(?:(?:\d\d:\d\d:\d\d|[0-9A-F]{2}:|data:|\d{5}|={5})[ \t]+)*"
    rb"(?:US?E?R?|ID\w*|SUBC\w*|PROF\w*|MD?I?S?K?|DED\w*)[ \t=]",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that directories contain and most logs do not."""


def _report(origin: str, text: CpText) -> FileReport:
    entries, rows = text.directory.entries, text.answers.rows
    counts = Counter({name: len(listed) for name, listed in rows.items()})
    counts.update(entry.kind.lower() or "part of an entry" for entry in entries)
    counts.update({"statement": sum(len(entry.statements) for entry in entries)})
    content = (BOTH if rows else DIRECTORY) if entries else ANSWERS if rows else NOTHING
    notes = [f"{origin}:{row.line}: {row.text}" for row in rows.get("failure", ())]
    remarks = (*text.odd, *text.changed)
    notes += [remark if remark.startswith(f"{origin}:") else f"{origin}: {remark}" for remark in remarks]
    lines = tuple(line for line, _ in text.unknown[:MAX_NAMED])
    return FileReport(origin, content, +counts, text.unknown_count, tuple(notes), lines)


def _conflicts(claims: Iterable[Claim]) -> list[str]:
    """Return the contradictions between claims of different files; weak claims contradict none."""
    stated: dict[tuple[str, str], dict[str, Claim]] = {}
    for claim in claims:
        if not claim.weak and not claim.gone:
            virtual = f"virtual device {claim.user} {claim.vdev}".replace("  ", " ") if claim.vdev else ""
            real = f"real device {claim.rdev}" if claim.rdev else ""
            for about, what, said in (
                (virtual, "real device", claim.rdev),
                (virtual, "label", claim.volser),
                (real, "label", claim.volser),
                (real, "subsystem", claim.ssid),
            ):
                if about and said:
                    stated.setdefault((about, what), {}).setdefault(said, claim)
    return [
        f"{about} has more than one {what}: "
        + ", ".join(f"{said} ({claim.place})" for said, claim in by.items())
        for (about, what), by in stated.items()
        if len({claim.origin for claim in by.values()}) > 1
    ]


def read_file(path: str) -> bytes:
    """Return the bytes of a file or of standard input, unpacked, up to `MAX_FILE`.

    Raises:
        OSError: it cannot be read, or is larger.
    """
    if path == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "standard input is closed", path)
        data = sys.stdin.buffer.read(MAX_FILE + 1)
    else:
        with open(path, "rb") as stream:
            data = stream.read(MAX_FILE + 1)
    if data.startswith(b"\x1f\x8b"):
        data = _unpack(data, path)
    if len(data) > MAX_FILE:
        raise OSError(errno.EFBIG, f"is larger than {MAX_FILE >> 20} MiB; cut out what is about disks", path)
    return data


def _unpack(data: bytes, path: str) -> bytes:
    gzip = zlib.decompressobj(wbits=31)
    try:
        plain = gzip.decompress(data, MAX_FILE + 1)
    except zlib.error as error:
        raise OSError(errno.EIO, "is packed by gzip and damaged", path) from error
    if not gzip.eof and len(plain) <= MAX_FILE:
        raise OSError(errno.EIO, "is packed by gzip and ends too early", path)
    return plain
