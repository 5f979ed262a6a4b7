"""What a text with answers of CP says: rows by sort, contradictions, claims, and what is not understood."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.cp import runs
from zmon.cp.identity import Identity
from zmon.topology.claims import Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.cp.row import Row

KEPT: Final = 1000
"""Lines that are not understood, messages and conflicts of which the words are kept; more are counted
alone.
"""

_VIA: Final = {"volume": "QUERY DASD", "details": "QUERY DASD DETAILS", "extent": "QUERY MDISK"}


class Conflict(NamedTuple):
    """Two lines that contradict each other."""

    about: str
    """`virtual device 0101`, `real device 7200`."""
    words: str
    """What they contradict each other in."""
    earlier: Any
    """The row that does not hold, or that came first."""
    later: Any
    changed: bool = False
    """Whether CP was asked again in between, so that it may have changed: no contradiction."""


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

    def __init__(
        self, origin: str, found: Mapping[type, Mapping[str, Any]], at: Mapping[type, Mapping[str, int]]
    ) -> None:
        """Use `zmon.cp.answers.parse`."""
        self.origin = origin
        """Where it was read."""
        self._found = found
        """Rows by sort and what they are about; perfect lines as they are."""
        self._at = at
        """The number of each of those lines."""
        self.counts: Counter[str] = Counter()
        """Lines: `understood`, `noise`, `events`, `blank`, `unknown`; and rows that were `dropped`, too many
        of a sort.
        """
        self.unknown: list[Unknown] = []
        """The first of those lines."""
        self.cut: list[Unknown] = []
        """The first lines that end too early; they are counted as unknown too, and never map a device."""
        self.seen: list[Conflict] = []
        """The first conflicts between two rows of a sort."""
        self.conflict_count = 0
        """How many of those there are."""
        self.asked: list[int] = []
        """The lines of echoed commands, ascending."""

    @cached_property
    def rows(self) -> dict[str, list[Any]]:
        """What was understood, by sort: `disk`, `volume`, `load` ..., the classes' names in small letters.

        The rows of a sort stand in the order of the lines.
        """
        made: dict[str, list[Any]] = {}
        for kind, found in self._found.items():
            if found:
                rows = [
                    runs.row(row, self._at[kind][key]) if isinstance(row, str) else row
                    for key, row in found.items()
                ]
                made[kind.__name__.lower()] = sorted(rows, key=_place)
        return made

    @cached_property
    def conflicts(self) -> list[Conflict]:
        """The first contradictions: of rows about one thing, and of labels of one real device."""
        found = list(self.seen)
        labels: dict[str, Any] = {}
        for sort in ("volume", "details", "disk", "extent"):
            for row in self.rows.get(sort, ()):
                if not (row.rdev and row.volser):
                    continue
                other = labels.setdefault(row.rdev, row)
                if other.volser != row.volser and len(found) < 2 * KEPT:
                    first, second = sorted((other, row), key=_place)
                    found.append(self._conflict(f"real device {row.rdev}", ["volser"], first, second))
        return found

    def report(self, about: str, names: Iterable[str], earlier: Any, later: Any) -> None:
        """Count two rows about one thing that differ in fields, and keep them if they are of the first."""
        self.conflict_count += 1
        if len(self.seen) < KEPT:
            self.seen.append(self._conflict(about, names, earlier, later))

    def _conflict(self, about: str, names: Iterable[str], earlier: Any, later: Any) -> Conflict:
        changed = bisect_right(self.asked, earlier.line) < bisect_right(self.asked, later.line)
        between, end = (", then", "; ") if changed else (" and", ", ")
        words = end.join(f"{name} {getattr(earlier, name)}{between} {getattr(later, name)}" for name in names)
        return Conflict(about, words, earlier, later, changed)

    @property
    def identity(self) -> Identity:
        """Say whose answers these are; without names when QUERY USERID does not tell, or tells of several."""
        found = self.rows.get("identity", ())
        return found[0] if len(found) == 1 else Identity("", "", 0)

    def row(self, sort: str, key: str = "") -> Any:
        """Return the row of a sort about a thing; none if there is none."""
        return next((row for row in self.rows.get(sort, ()) if row.key == key), None)

    def labelled(self, label: str) -> Labelled:
        """Return the real device of a label.

        Labels are not unique.  A minidisk can only be on a volume of the system, so that one is it if there
        is one and only one; the others are to be told of.
        """
        found = [row for row in self.rows.get("volume", ()) if row.volser == label]
        ours = [row for row in found if row.state.startswith("CP-")] or found
        rdev = ours[0].rdev if len(ours) == 1 else ""
        return Labelled(rdev, tuple(row.rdev for row in found if row.rdev != rdev))

    def claims(self, user: str = "", asked: str = "") -> list[Claim]:
        """Return what is said of volumes, in the order of the lines.

        `user` is the own user id where it is known: answers that another guest got, as a prefix of their
        lines or QUERY USERID tells, are claims about that guest.  `asked` is who got them as far as other
        texts tell.  Where the own one is not known, answers that one guest got are taken for its.
        """
        own = user.upper()
        found = []
        guests = {self._whose(row, asked) for row in self.rows.get("disk", ())}
        alone = next(iter(guests)) if len(guests) == 1 and not own else own
        for row in self.rows.get("disk", ()):
            if row.rdev:
                whose = self._whose(row, asked)
                found.append((row, "QUERY VIRTUAL DASD", "" if whose in {"", alone} else whose))
        for sort, via in _VIA.items():
            for row in self.rows.get(sort, ()):
                whose = getattr(row, "user", "")
                found.append((row, via, "" if whose == own else whose))
        return sorted((self._claim(*each) for each in found), key=_place)

    def _whose(self, row: Any, asked: str) -> str:
        """Return which guest got an answer: its prefix says so, else the last QUERY USERID before it."""
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
        return Claim(
            vdev=getattr(row, "vdev", ""),
            rdev=row.rdev,
            volser=row.volser,
            user=user,
            ssid=getattr(row, "ssid", ""),
            mode=getattr(row, "mode", "") or getattr(row, "state", ""),
            via=via,
            origin=self.origin,
            line=row.line,
            weak=row.weak,
            first=getattr(row, "start", None),
            length=getattr(row, "size", None),
        )


def _place(row: Row | Claim) -> int:
    return row.line
