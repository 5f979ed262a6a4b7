"""Files that a person names: answers of CP in a log or on a pasted screen, directory entries, or both.

What a file holds shows in its content, not in its name: stretches of directory entries are found first, all
other lines are read as answers of CP.  It may be packed by gzip, and in UTF-16 as some shells of Windows
write.  `-` is standard input.
"""

from __future__ import annotations

import errno
import re
import sys
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from zmon.cp import answers, entries
from zmon.cp.directory import Directory
from zmon.cp.statement import EITHER
from zmon.topology.claims import claims_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.cp.understood import Conflict, Understood
    from zmon.sample import Frame
    from zmon.topology.claims import Claim

LIMIT: Final = 64 << 20
"""Bytes that a file may have, unpacked."""

FOLDER: Final = "cp"
"""Where a capture has answers: `cp/virtual-dasd.txt`."""

CONSOLE: Final = "answers of CP"
DIRECTORY: Final = "user directory"
BOTH: Final = f"{CONSOLE} and {DIRECTORY}"
NOTHING: Final = "nothing known"

NAMED: Final = 10
"""Of so many lines that are not understood the numbers are said."""


class Text(NamedTuple):
    """What one text says."""

    answers: Understood
    """Its answers of CP."""
    directory: Directory
    """Its entries of a user directory."""

    @property
    def origin(self) -> str:
        """Where it was read."""
        return self.answers.origin

    @property
    def unknown_count(self) -> int:
        """How many lines are not understood."""
        return self.answers.counts["unknown"] + self.directory.unread_count

    @property
    def unknown(self) -> list[tuple[int, str]]:
        """The first lines that are not understood: number, and text or what is wrong."""
        found = [(entry.place.line, entry.why) for entry in self.directory.unread]
        found += [(line, f"{words}{f' ({why})' if why else ''}") for line, words, why in self.answers.unknown]
        return sorted(found)

    @property
    def odd(self) -> list[str]:
        """What contradicts itself or is missing in it."""
        found = [_words(conflict) for conflict in self.answers.conflicts if not conflict.changed]
        lacking = [f"{name} is not in it" for name in self.directory.lacking()]
        return [*found, *self.directory.notes, *lacking]

    @property
    def changed(self) -> list[str]:
        """What CP answered differently when it was asked again."""
        return [_words(conflict) for conflict in self.answers.conflicts if conflict.changed]


def _words(conflict: Conflict) -> str:
    about, words, earlier, later, _ = conflict
    return f"{about}: {words} (lines {earlier.line} and {later.line})"


class Report(NamedTuple):
    """What one file came to."""

    origin: str
    sort: str
    """`answers of CP`, `user directory`, both, or `nothing known`."""
    counts: Mapping[str, int]
    """Of each sort of thing, how many were understood."""
    unknown: int
    """Lines that were not."""
    notes: tuple[str, ...] = ()
    """What a person should know of it."""
    lines: tuple[int, ...] = ()
    """The first of the lines that were not."""


class Told(NamedTuple):
    """What files say."""

    claims: list[Claim]
    reports: list[Report]

    @property
    def conflicts(self) -> list[str]:
        """What contradicts what, in words."""
        return conflicts(self.claims)


class Pass(Protocol):
    """One pass of a capture, or the running kernel."""

    live: bool

    def entries(self, path: str) -> list[str]:
        """Return the names in a directory."""

    def read(self, path: str) -> bytes:
        """Return the content of a file."""

    def when(self, path: str) -> int:
        """Return when a file was read, in ns."""


def told(paths: Sequence[str], user: str = "", member: str = "") -> Told:
    """Read files; `user` is this guest and `member` its system where they are known, else QUERY USERID tells.

    Claims about the devices of this guest have no user.

    Raises:
        OSError: a file cannot be read, or is too large.
    """
    return told_of([(named(path), content(path)) for path in dict.fromkeys(paths)], user, member)


def named(path: str) -> str:
    """Return how a file that a person names is called, so that it is not taken for one of a capture."""
    return f"./{path}" if path.startswith(f"{FOLDER}/") else path


def told_in(tree: Pass, user: str = "", member: str = "") -> Frame:
    """Return the claims of what lies in a capture as `cp/*.txt`."""
    names = []
    if not tree.live:
        try:
            names = [name for name in tree.entries(FOLDER) if name.endswith(".txt")]
        except OSError:
            names = []  # nobody asked CP
    texts, when = [], 0
    for path in [f"{FOLDER}/{name}" for name in names]:
        try:
            texts.append((path, tree.read(path)))
            when = max(when, tree.when(path))
        except OSError:
            continue  # the capture says why, in its own words
    return claims_frame(
        told_of(texts, user, member).claims,
        when,
        "the capture has no answers of CP: take one with zmon capture --cp",
    )


def told_of(texts: Iterable[tuple[str, bytes]], user: str = "", member: str = "") -> Told:
    """Read texts, each with the name of where it comes from."""
    return joined([(origin, read(data, origin)) for origin, data in texts], user, member)


def joined(found: Sequence[tuple[str, Text]], user: str = "", member: str = "") -> Told:
    """Put together what texts say that have been read, each with the name of where it comes from."""
    said = [text.answers for _origin, text in found]
    asked, system = _identity(said)
    own, system = user.upper() or asked, member.upper() or system
    directory = sum((text.directory for _origin, text in found), Directory())
    reports = [report(origin, text) for origin, text in found]
    guests = [guest for guest in directory.guests if guest]
    if not own and len(guests) == 1:
        (own,) = guests
        note = f"{own} is the only guest in it and is taken for this one; if it is not, name this one"
        reports.append(Report(DIRECTORY, DIRECTORY, {}, 0, (note,)))
    claims = [claim for text in said for claim in text.claims(own, asked)]
    claims += [
        claim._replace(user="") if claim.user == own else claim for claim in directory.claims(member=system)
    ]
    return Told(_decided(claims), reports)


def _decided(claims: list[Claim]) -> list[Claim]:
    """Leave out what a word is not that may be a number or a label, where a list of real devices shows it."""
    devices = {claim.rdev for claim in claims if claim.via.startswith("QUERY DASD")}
    labels = {claim.volser for claim in claims if claim.via.startswith("QUERY DASD")}
    found = []
    for claim in claims:
        if claim.weak.endswith(EITHER):
            right, wrong = (devices, labels) if claim.rdev else (labels, devices)
            word = claim.rdev or claim.volser
            if word in wrong and word not in right:
                continue
            if word in right and word not in wrong:
                claim = claim._replace(weak="")  # noqa: PLW2901 - the same claim, no more in doubt
        found.append(claim)
    return found


def read(data: bytes, origin: str) -> Text:
    """Read a text as what it holds: entries of a user directory, and answers of CP in all other lines."""
    data = _utf8(data)
    directory = entries.parse(data, origin) if _ENTRY.search(data) else Directory(origin=origin)
    if not directory.lines:
        return Text(answers.parse(data, origin), Directory(origin=origin))
    lines = entries.lines_of(data)
    for first, last in directory.lines:
        lines[first - 1 : last] = [b""] * (last - first + 1)
    return Text(answers.parse(b"\n".join(lines), origin, hidden=True), directory)


def report(origin: str, text: Text) -> Report:
    """Say what a text came to."""
    directory, rows = text.directory, text.answers.rows
    counts = Counter({sort: len(found) for sort, found in rows.items()})
    counts.update(entry.sort.lower() or "part of an entry" for entry in directory.entries)
    counts.update(type(each).__name__.lower() for entry in directory.entries for each in entry.statements)
    sort = (BOTH if rows else DIRECTORY) if directory.entries else CONSOLE if rows else NOTHING
    notes = [f"{origin}:{row.line}: {row.text}" for row in rows.get("failure", ())]
    notes += [
        f"{origin}: {words}".replace(f"{origin}: {origin}:", f"{origin}:")
        for words in (*text.odd, *text.changed)
    ]
    lines = tuple(line for line, _ in text.unknown[:NAMED])
    return Report(origin, sort, counts, text.unknown_count, tuple(notes), lines)


def conflicts(claims: Iterable[Claim]) -> list[str]:
    """Return which claims of different files contradict each other, in words; weak ones contradict nobody."""
    found: dict[tuple[str, str], dict[str, Claim]] = {}
    for claim in claims:
        if not claim.weak:
            virtual = f"{claim.user} {claim.vdev}".strip() if claim.vdev else ""
            for about, what, said in (
                (f"virtual device {virtual}" if virtual else "", "real device", claim.rdev),
                (f"virtual device {virtual}" if virtual else "", "label", claim.volser),
                (f"real device {claim.rdev}" if claim.rdev else "", "label", claim.volser),
                (f"real device {claim.rdev}" if claim.rdev else "", "subsystem", claim.ssid),
            ):
                if about and said:
                    found.setdefault((about, what), {}).setdefault(said, claim)
    return [
        f"{about} has more than one {what}: "
        + ", ".join(f"{said} ({claim.place})" for said, claim in by.items())
        for (about, what), by in found.items()
        if len({claim.origin for claim in by.values()}) > 1
    ]


_ENTRY: Final = re.compile(
    rb"^[ \t]*(?:(?:\d\d:\d\d:\d\d|[0-9A-F]{2}:|data:|\d{5}|={5})[ \t]+)*"
    rb"(?:US?E?R?|ID\w*|SUBC\w*|PROF\w*|MD?I?S?K?|DED\w*)[ \t=]",
    re.IGNORECASE | re.MULTILINE,
)
"""What a directory has a line of, and most logs have not."""


def _identity(said: Iterable[Understood]) -> tuple[str, str]:
    """Return the guest and the system that QUERY USERID told, if all agree."""
    rows = {(row.user, row.system) for text in said for row in text.rows.get("identity", ())}
    return next(iter(rows)) if len(rows) == 1 else ("", "")


def _utf8(data: bytes) -> bytes:
    """Return text in UTF-8 without its mark."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


def content(path: str) -> bytes:
    """Return the bytes of a file or of standard input, unpacked, up to `LIMIT`.

    Raises:
        OSError: it cannot be read, or has more.
    """
    if path == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "standard input is closed", path)
        data = sys.stdin.buffer.read(LIMIT + 1)
    else:
        with open(path, "rb") as stream:
            data = stream.read(LIMIT + 1)
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(data, path)
    if len(data) > LIMIT:
        raise OSError(errno.EFBIG, f"is larger than {LIMIT >> 20} MiB; cut out what is about disks", path)
    return data


def _unpacked(data: bytes, path: str) -> bytes:
    machine = zlib.decompressobj(wbits=31)
    try:
        plain = machine.decompress(data, LIMIT + 1)
    except zlib.error as error:
        raise OSError(errno.EIO, "is packed by gzip and damaged", path) from error
    if not machine.eof and len(plain) <= LIMIT:
        raise OSError(errno.EIO, "is packed by gzip and ends too early", path)
    return plain
