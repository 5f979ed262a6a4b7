"""Entries of z/VM's user directory: which virtual disks a guest gets at its logon, and from where.

The directory says what a guest will have when it logs on next; what it has now may differ, and what CP
answers is worth more.  A minidisk names the label of its volume (`MDISK 0100 3390 1 END LNX001 MR`), rarely a
real device (`DEVNO 7103`); a dedicated device names either; a link names another guest's device, so it is
followed through the entries at hand.

`zmon.cp.entries` finds and reads the entries in a text.  Nothing here holds the text of a record, because it
may have a password.

Source: z/VM CP Planning and Administration, the chapter on the user directory.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.cp.statement import NOWHERE, Build, Dedicated, Device, Include, Link, Minidisk
from zmon.topology.claims import Claim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.cp.statement import Place, Statement

STEPS: Final = 4
"""So many links are followed from one guest to the next."""

FORKS: Final = 4
"""So many definitions of one device are followed; more of them say nothing."""

CLAIMS: Final = 200_000
"""At most so many claims are made of one directory: profiles multiply, and the text may be hostile."""


class Entry(NamedTuple):
    """What belongs to one guest, profile or subconfiguration."""

    sort: str
    """`USER`, `IDENTITY`, `SUBCONFIG`, `PROFILE`, or empty for statements that stand before any of these."""
    name: str
    place: Place
    statements: tuple[Statement, ...]
    weak: str = ""
    """Why the statements may be another guest's."""

    @property
    def devices(self) -> int:
        """Return how many devices the entry itself names."""
        return sum(isinstance(statement, Device) for statement in self.statements)


class Unread(NamedTuple):
    """A record that was not understood; never its text, which may hold a password."""

    place: Place
    why: str


class Directory:
    """The entries of one or more files."""

    def __init__(  # noqa: PLR0913, PLR0917 - these are its parts
        self,
        entries: Sequence[Entry] = (),
        unread: Sequence[Unread] = (),
        others: int = 0,
        notes: Sequence[str] = (),
        origin: str = "",
        unread_count: int | None = None,
        lines: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Hold what was read."""
        self.entries = tuple(entries)
        self.unread = tuple(unread)
        """The first of the records that were not understood."""
        self.unread_count = len(self.unread) if unread_count is None else unread_count
        """How many there are of them."""
        self.others = others
        """Statements that name no disk: CPU, IPL, NICDEF ..."""
        self.notes = tuple(notes)
        """What is odd about the text as a whole."""
        self.origin = origin
        """Where it was read."""
        self.lines = tuple(lines)
        """First and last line of each stretch of the text that is directory, ascending."""

    def __repr__(self) -> str:
        return f"Directory({len(self.entries)} entries, {self.unread_count} unread)"

    def __add__(self, other: Directory) -> Directory:
        """Put two directories together, so that links lead from one into the other."""
        return Directory(
            self.entries + other.entries,
            self.unread + other.unread,
            self.others + other.others,
            self.notes + other.notes,
            ", ".join(filter(None, (self.origin, other.origin))),
            self.unread_count + other.unread_count,
        )

    @property
    def statements(self) -> int:
        """How many statements were understood that are of use."""
        return sum(len(entry.statements) + bool(entry.sort) for entry in self.entries)

    @cached_property
    def guests(self) -> tuple[str, ...]:
        """The names of guests, in their order; an empty one for statements that are nobody's."""
        named = (entry.name for entry in self.entries if entry.sort in _GUESTS)
        return tuple(dict.fromkeys(named))

    def claims(self, user: str = "", member: str = "") -> list[Claim]:
        """Return what is said of the devices of a guest, or of all guests, each claim with its guest.

        A device that only some members of a single system image have is a weak claim, unless the name
        of the `member` is given: QUERY USERID tells it.  So is what may mean two things.  What has no known
        volume is a claim without one: `via` says V-DISK or T-DISK, `weak` why a link cannot be followed.
        """
        names = [user.upper()] if user else self.guests
        found = (claim for name in names for claim in self._claims(name, member.upper()))
        return list(islice(found, CLAIMS))

    def lacking(self, user: str = "") -> list[str]:
        """Name the entries that are referred to and not there, in words."""
        found: dict[str, None] = {}
        for name in [user.upper()] if user else self.guests:
            for entry in self._guest(name):
                for statement in entry.statements:
                    if isinstance(statement, Include) and ("PROFILE", statement.profile) not in self._named:
                        found[f"profile {statement.profile}"] = None
                    if isinstance(statement, Build) and ("SUBCONFIG", statement.subconfig) not in self._named:
                        found[f"SUBCONFIG {statement.subconfig}"] = None
        return list(found)

    @cached_property
    def _named(self) -> dict[tuple[str, str], list[Entry]]:
        found: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.entries:
            found.setdefault((entry.sort, entry.name), []).append(entry)
        return found

    def _guest(self, name: str) -> list[Entry]:
        return [entry for sort in _GUESTS for entry in self._named.get((sort, name), ())]

    def _claims(self, name: str, member: str) -> Iterator[Claim]:
        for device, weak in self._devices(name, member):
            if isinstance(device, Link):
                yield from self._followed(device, name, member, weak)
            else:
                for claim in _said(device):
                    yield claim._replace(user=name, weak=claim.weak or weak)

    def _devices(self, name: str, member: str) -> Iterator[tuple[Device, str]]:
        """Yield the devices of a guest, its profiles' and its members', and why one may not be there."""
        for entry in self._guest(name):
            own = {statement.vdev for statement in entry.statements if isinstance(statement, Device)}
            seen: set[str] = set()
            builds = {s.subconfig for s in entry.statements if isinstance(s, Build)}
            for statement in entry.statements:
                if isinstance(statement, Device):
                    yield statement, entry.weak
                elif isinstance(statement, Include):
                    for device in self._inside("PROFILE", statement.profile, seen):
                        weak = f"the entry itself defines {device.vdev} too" if device.vdev in own else ""
                        yield device, weak
                elif not member or statement.member in (member, "*"):
                    unsure = not member and len(builds) > 1
                    weak = f"so on member {statement.member} only; which it is, QUERY USERID tells"
                    for device in self._inside("SUBCONFIG", statement.subconfig, seen):
                        yield device, weak if unsure else ""

    def _inside(self, sort: str, name: str, seen: set[str]) -> Iterator[Device]:
        """Yield the devices of a profile or a subconfiguration, once for a guest."""
        key = f"{sort} {name}"
        if key not in seen:
            seen.add(key)
            for entry in self._named.get((sort, name), ()):
                for statement in entry.statements:
                    if isinstance(statement, Device):
                        yield statement
                    elif isinstance(statement, Include):
                        yield from self._inside("PROFILE", statement.profile, seen)

    @cached_property
    def _defined(self) -> dict[tuple[str, str], dict[str, list[tuple[Device, str]]]]:
        """By guest and member the devices by number, as far as links have asked for them."""
        return {}

    def _definitions(self, name: str, member: str, vdev: str) -> list[tuple[Device, str]]:
        known = self._defined.get((name, member))
        if known is None:
            known = self._defined[name, member] = {}
            for device, weak in self._devices(name, member):
                known.setdefault(device.vdev, []).append((device, weak))
        return known.get(vdev, [])

    def _followed(self, link: Link, name: str, member: str, weak: str) -> Iterator[Claim]:
        """Yield what the device says that a link leads to, as claims about the device of the link."""
        target = name if link.user == "*" else link.user
        base = Claim(link.vdev, user=name, mode=link.mode, origin=link.place.origin, line=link.place.line)
        base = base._replace(via=f"LINK {target} {link.theirs}", weak=weak)
        for found in self._targets(target, link.theirs, member, frozenset({(name, link.vdev)})):
            yield base._replace(
                volser=found.volser,
                rdev=found.rdev,
                first=found.first,
                length=found.length,
                via=f"{base.via}, {found.via}" if found.via else base.via,
                weak=weak or found.weak,
            )

    def _targets(
        self, name: str, vdev: str, member: str, trail: frozenset[tuple[str, str]]
    ) -> Iterator[Claim]:
        """Yield what is said of another guest's device."""
        if (name, vdev) in trail:
            yield Claim(weak=f"the links lead in a circle, by {name} {vdev}")
            return
        if len(trail) > STEPS:
            yield Claim(weak=f"more than {STEPS} links lead to it, one behind the other")
            return
        if not self._guest(name):
            yield Claim(weak=f"the entry of {name} is not in these files")
            return
        found = self._definitions(name, member, vdev)
        if not found:
            yield Claim(weak=f"the entry of {name} defines no {vdev}")
        elif len(found) > FORKS:
            yield Claim(weak=f"the entry of {name} defines {vdev} {len(found)} times")
        else:
            for device, unsure in found:
                if isinstance(device, Link):
                    onward = name if device.user == "*" else device.user
                    further = self._targets(onward, device.theirs, member, trail | {(name, vdev)})
                else:
                    further = iter(_said(device))
                for claim in further:
                    yield claim._replace(weak=unsure or claim.weak)


# --- claims of a statement --------------------------------------------------------------------


def _said(device: Minidisk | Dedicated) -> list[Claim]:
    """Return what a statement says of its device; two claims when it may mean two things."""
    base = Claim(
        vdev=device.vdev,
        mode=device.mode,
        origin=device.place.origin,
        line=device.place.line,
        weak=device.weak,
    )
    if isinstance(device, Dedicated):
        base = base._replace(via="DEDICATE")
        either = (base._replace(rdev=device.rdev), base._replace(volser=device.volser))
        return [claim for claim in either if claim.rdev or claim.volser]
    via = device.sort if device.sort in NOWHERE else "MDISK"
    return [
        base._replace(
            via=via, volser=device.volser, rdev=device.rdev, first=device.first, length=device.length
        )
    ]


_GUESTS: Final = ("USER", "IDENTITY", "")
