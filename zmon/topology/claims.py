"""What CP, user directories and people claim about volumes, and how claims are resolved.

A claim is no fact: two may contradict each other, and a saved answer may be old or of another guest.  What CP
says now ranks before a saved answer of CP, and that before a directory, which says what a guest will have at
its next logon; a claim that calls itself weak ranks last.  If claims of equal rank contradict each other, the
question stays open.  Only what CP said when the sample was taken is exact.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.kinds import CLAIM
from zmon.sample import Frame, empty_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.absent import Value
    from zmon.topology.site import Site


class Grade(IntEnum):
    """How much an answer is worth; the answer of several steps is worth as much as its worst."""

    UNKNOWN = 0
    """Nothing that zmon may look at says it."""
    ASSUMED = 1
    """A rule of the site says so, or the way such things usually are."""
    SET = 2
    """It is one or more of these, in shares that are not known."""
    SHARES = 3
    """On these in known shares, as the layout of the volume tells; which bytes is not known."""
    EXACT = 4
    """Byte by byte."""

    def __str__(self) -> str:
        return self.name.lower()


class Evidence(NamedTuple):
    """One thing that was read, and where."""

    source: str
    """A file with the line, an ioctl, an option: `/proc/self/mountinfo:12`, `FS_IOC_FIEMAP`, `cp.txt:4`."""
    said: str
    """What it said, in words for people."""
    grade: Grade = Grade.EXACT
    """How much it is worth."""


_NOT_GIVEN: Final = absent("it is not said")


class Claim(NamedTuple):
    """One statement; what it does not say is empty."""

    vdev: str = ""
    """Number of the device in the guest, four hex digits in upper case."""
    rdev: str = ""
    """Number of the real device, four or five hex digits in upper case."""
    volser: str = ""
    """Label of the volume."""
    user: str = ""
    """Whose virtual device it is; empty for the own guest."""
    ssid: str = ""
    """Subsystem id, four hex digits in upper case: the LCU."""
    ua: str = ""
    """Unit address, two hex digits in upper case."""
    mode: str = ""
    """`R/W`, `R/O`, or the mode word of a directory; of a real device whose it is: `CP-SYSTEM`, `FREE`."""
    via: str = ""
    """The sort of statement: `QUERY VIRTUAL DASD`, `QUERY DASD`, `MDISK`, `DEDICATE`."""
    origin: str = ""
    """Where it was read: the name of a file, `/dev/vmcp`."""
    line: int = 0
    """Its line there, counted from 1; 0 when there are no lines."""
    weak: str = ""
    """Why it may be wrong; empty when it is as the source prints it."""
    first: int | None = None
    """First cylinder or block of a minidisk."""
    length: int | None = None
    """Its cylinders or blocks."""

    @property
    def place(self) -> str:
        """Where it was read, for people: `cp.txt:4`."""
        return f"{self.origin}:{self.line}" if self.line else self.origin


def claims_frame(claims: Sequence[Claim], when: int, missing: str = "no answers of CP were given") -> Frame:
    """Return claims as the frame of a sample."""
    if not claims:
        return empty_frame(CLAIM, missing)
    columns: dict[str, list[Value]] = {
        name: [_cell(getattr(claim, name)) for claim in claims] for name in Claim._fields
    }
    return Frame(CLAIM, [str(number) for number in range(len(claims))], columns, [when] * len(claims))


def claims_in(frame: Frame) -> list[Claim]:
    """Return the claims of a sample."""
    columns = [frame.column(name) for name in Claim._fields]
    return [
        Claim(**dict(zip(Claim._fields, map(_field, Claim._fields, values), strict=True)))  # type: ignore[arg-type]
        for values in zip(*columns, strict=True)
    ]


def _cell(value: str | int | None) -> Value:
    return _NOT_GIVEN if value is None else value


def _field(name: str, value: Value) -> object:
    return Claim._field_defaults[name] if isinstance(value, Absent) else value


NOT_SAID: Final = absent("CP knows it: give zmon its answer to QUERY VIRTUAL DASD, or the user directory")
NO_LABEL: Final = absent("neither CP nor a directory gives the label")
_NOT_LISTED: Final = absent("needs QUERY DASD DETAILS (class B) of CP")

LIVE, ANSWER, DIRECTORY, WEAK = range(4)
"""What a claim is worth, the best first."""

AT_THE_TIME: Final = ("/dev/", "cp/")
"""How the origin of an answer begins that zmon got from CP itself: now, or when a capture was taken."""


class Resolution(NamedTuple):
    """What several claims say of one thing."""

    value: Value
    claims: tuple[Claim, ...] = ()
    """Those that say it."""
    conflicts: tuple[str, ...] = ()

    @property
    def grade(self) -> Grade:
        """How sure it is: only what CP answered at the time of the sample is so beyond doubt."""
        if not self.claims:
            return Grade.UNKNOWN
        return Grade.EXACT if min(map(rank, self.claims)) == LIVE else Grade.ASSUMED


class VirtualDeviceFacts(NamedTuple):
    """What is said of a device of the guest."""

    rdev: Value
    volser: Value
    grade: Grade
    """How sure the rdev is."""
    minidisk: bool | None
    """Whether it is a part of a volume; `None` when that is not said."""
    first: int | None
    """The first cylinder of a minidisk."""
    length: int | None
    """Cylinders or blocks as CP told them; what a directory says is not counted."""
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]


NO_FACTS: Final = VirtualDeviceFacts(NOT_SAID, NO_LABEL, Grade.UNKNOWN, None, None, None, (), ())


class RealDeviceFacts(NamedTuple):
    """What is said of a real device."""

    ssid: Value
    ua: Value
    volser: Value
    grade: Grade
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]


NO_REAL_FACTS: Final = RealDeviceFacts(_NOT_LISTED, _NOT_LISTED, NO_LABEL, Grade.UNKNOWN, (), ())


def rank(claim: Claim) -> int:
    """Tell what a claim is worth, the smaller the more."""
    if claim.weak:
        return WEAK
    if not claim.via.startswith("QUERY"):
        return DIRECTORY
    return LIVE if claim.origin.startswith(AT_THE_TIME) else ANSWER


def resolve(claims: Sequence[Claim], field: str, subject: str, otherwise: Absent) -> Resolution:
    """Return what the best of the claims say in a field, and the contradictions among all that say something.

    `subject` is what is spoken of, in words: `the rdev of 0201`.
    """
    of = attrgetter(field)
    said = [claim for claim in claims if of(claim)]
    if not said:
        return Resolution(otherwise)
    if len(said) == 1:
        return Resolution(of(said[0]), (said[0],))
    said.sort(key=_order)
    first: dict[str, Claim] = {}
    for claim in said:
        first.setdefault(of(claim), claim)
    best = rank(said[0])
    rivals = [value for value, claim in first.items() if rank(claim) == best]
    if len(first) > 1:
        words = ", ".join(f"{value} by {_who(claim)}" for value, claim in first.items())
    if len(rivals) > 1:
        return Resolution(absent(f"claims contradict each other: {words}"), (), (f"{subject}: {words}",))
    value = rivals[0]
    conflicts = (f"{subject}: {words}; {value} is used",) if len(first) > 1 else ()
    return Resolution(value, tuple(claim for claim in said if of(claim) == value), conflicts)


def _order(claim: Claim) -> tuple[int, str, int, str]:
    """Put claims in an order that does not depend on that in which they were told."""
    return rank(claim), claim.origin, claim.line, str(claim)


def _who(claim: Claim) -> str:
    weak = f", {claim.weak}" if claim.weak else ""
    return f"{claim.place} ({claim.via or 'not said'}{weak})"


class ClaimIndex:
    """All claims about the devices of one guest, found by what they are about."""

    def __init__(self, claims: Iterable[Claim], guest: str, site: Site) -> None:
        """Index the claims; those of other users than the guest are about real devices alone."""
        self._site = site
        self._guest = guest
        self._vdevs: dict[str, list[Claim]] = {}
        self._rdevs: dict[str, list[Claim]] = {}
        self._labels: dict[str, list[Claim]] = {}
        self._wanting: dict[str, set[str]] = {}  # labels of which a claim about the guest names no rdev
        self._others: dict[str, str] = {}
        self._known: dict[str, VirtualDeviceFacts] = {}
        own = {"", guest.strip().upper()}
        for claim in claims:
            if claim.vdev:
                if claim.user.strip().upper() in own:
                    self._vdevs.setdefault(claim.vdev, []).append(claim)
                    if claim.volser and not claim.rdev:
                        self._wanting.setdefault(claim.volser, set()).add(claim.vdev)
                else:
                    self._others[claim.vdev] = min(claim.user, self._others.get(claim.vdev, claim.user))
            if claim.rdev:
                self._rdevs.setdefault(claim.rdev, []).append(claim)
                if claim.volser:
                    self._labels.setdefault(claim.volser, []).append(claim)

    def device(self, vdev: str) -> VirtualDeviceFacts:
        """Return what is said of a device of the guest."""
        known = self._known.get(vdev)
        if known is None:
            claims = self._vdevs.get(vdev)
            known = self._known[vdev] = self._told(vdev, claims) if claims else self._unheard(vdev)
        return known

    def _unheard(self, vdev: str) -> VirtualDeviceFacts:
        other = self._others.get(vdev)
        if other is None:
            return NO_FACTS
        whose = f"this guest is {self._guest}" if self._guest else "the name of this guest is not known"
        reason = f"the answer about {vdev} is for guest {other}; {whose}"
        return NO_FACTS._replace(rdev=absent(reason))

    def real(self, rdev: str) -> RealDeviceFacts:
        """Return what is said of a real device, whosever it is."""
        claims = self._rdevs.get(rdev)
        if not claims:
            return NO_REAL_FACTS
        if len(claims) == 1 and not claims[0].ssid and not claims[0].ua:
            return NO_REAL_FACTS._replace(volser=claims[0].volser or NO_LABEL)
        ssid = resolve(claims, "ssid", f"the SSID of {rdev}", _NOT_LISTED)
        ua = resolve(claims, "ua", f"the unit address of {rdev}", _NOT_LISTED)
        volser = resolve(claims, "volser", f"the label of {rdev}", NO_LABEL)
        evidence = tuple(
            Evidence(claim.place, f"{claim.via}: {claim.rdev} is of SSID {claim.ssid}", ssid.grade)
            for claim in ssid.claims[:1]
        )
        conflicts = ssid.conflicts + ua.conflicts + volser.conflicts
        return RealDeviceFacts(ssid.value, ua.value, volser.value, ssid.grade, evidence, conflicts)

    def on(self, rdev: str) -> list[str]:
        """Return the devices of the guest that are on a real device, ascending."""
        claims = self._rdevs.get(rdev, [])
        labels = {claim.volser for claim in claims if claim.volser} | self._read.get(rdev, set())
        near = {claim.vdev for claim in claims if claim.vdev in self._vdevs}
        near.update(*(self._wanting.get(label, set()) for label in labels))
        return sorted(vdev for vdev in near if self.device(vdev).rdev == rdev)

    @cached_property
    def _read(self) -> dict[str, set[str]]:
        """The labels in which rules of the site read a number, by that number."""
        found: dict[str, set[str]] = {}
        for label in self._wanting:
            for number, _ in self._site.number_by_label(label):
                found.setdefault(number, set()).add(label)
        return found

    def _told(self, vdev: str, claims: list[Claim]) -> VirtualDeviceFacts:
        volser = resolve(claims, "volser", f"the label of {vdev}", NO_LABEL)
        rdev = resolve(claims, "rdev", f"the rdev of {vdev}", _nowhere(claims))
        best = claims[0] if len(claims) == 1 else min(claims, key=_order)
        minidisk = _is_minidisk(best)
        conflicts = volser.conflicts + rdev.conflicts
        said = rdev.claims[:1]
        if volser.claims and volser.claims[0] not in rdev.claims:
            said += volser.claims[:1]
        evidence = tuple(map(_evidence, said))
        grade = rdev.grade
        value = rdev.value
        if isinstance(value, Absent) and not rdev.conflicts and isinstance(volser.value, str):
            joined = self._join(vdev, volser.value, minidisk)
            value, conflicts = joined.value, conflicts + joined.conflicts
            grade = min(volser.grade, Grade.ASSUMED if joined.conflicts else joined.grade)
            evidence += tuple(_evidence(claim) for claim in joined.claims[:1])
            if isinstance(value, Absent):
                value, grade, more, against = self._by_rule(volser.value, value)
                evidence, conflicts = evidence + more, conflicts + against
        sized = [claim for claim in claims if claim.via.startswith("QUERY") and claim.length is not None]
        sure = [claim for claim in sized if rank(claim) <= ANSWER]
        answered = {claim.length for claim in sure or sized}
        return VirtualDeviceFacts(
            value,
            volser.value,
            grade,
            minidisk,
            best.first,
            answered.pop() if len(answered) == 1 else None,
            evidence,
            conflicts,
        )

    def _join(self, vdev: str, label: str, minidisk: bool | None) -> Resolution:
        """Find the real device of a label, which need not be unique."""
        claims = self._labels.get(label, [])
        if not claims:
            if self._labels:
                return Resolution(absent(f"its label {label} is on no device of those that CP has listed"))
            return Resolution(absent(f"known is the label {label}; the rdev needs QUERY DASD (class B)"))
        found: dict[str, list[Claim]] = {}
        for claim in sorted(claims, key=_order):
            found.setdefault(claim.rdev, []).append(claim)
        numbers = sorted(found)
        if len(numbers) == 1:
            return Resolution(numbers[0], tuple(found[numbers[0]]))
        words = f"the rdev of {vdev}: its label {label} is on " + " and ".join(numbers)
        attached = [number for number in numbers if any(map(_to_the_system, found[number]))]
        if len(attached) != 1 or not minidisk:
            return Resolution(absent(f"its label {label} is on {' and '.join(numbers)}"), (), (words,))
        words += f"; {attached[0]} is used, for a minidisk is on a volume attached to the system"
        return Resolution(attached[0], tuple(found[attached[0]]), (words,))

    def _by_rule(
        self, label: str, otherwise: Absent
    ) -> tuple[Value, Grade, tuple[Evidence, ...], tuple[str, ...]]:
        """Read the number in a label by the rules of the site."""
        read = self._site.number_by_label(label)
        numbers = sorted({number for number, _ in read})
        if len(numbers) != 1:
            against = tuple(f"label {label}: {rule.place} reads {number} in it" for number, rule in read)
            return otherwise, Grade.UNKNOWN, (), against
        number, rule = read[0]
        said = Evidence(rule.place, f"{rule.said} reads {number} in label {label}", Grade.ASSUMED)
        return number, Grade.ASSUMED, (said,), ()


def _nowhere(claims: Sequence[Claim]) -> Absent:
    """Return why a device has no real one, if that is what is said of it."""
    best = min(claims, key=_order)
    if "V-DISK" in best.via:
        return absent("it is a virtual disk in storage, which is on no real device")
    if "T-DISK" in best.via:
        return absent("it is a temporary disk: CP chooses the volume at logon")
    return absent(best.weak) if best.weak and not best.volser else NOT_SAID


def _is_minidisk(claim: Claim) -> bool | None:
    """Tell whether a claim is about a part of a volume; `None` when it does not say."""
    if "MDISK" in claim.via or claim.first is not None or claim.length is not None:
        return True
    return False if "DEDICATE" in claim.via or claim.via.startswith("QUERY") else None


def _to_the_system(claim: Claim) -> bool:
    """Tell whether a claim shows its real device attached to the system, where minidisks are."""
    return claim.mode.startswith("CP-") or bool(claim.vdev and _is_minidisk(claim))


def _evidence(claim: Claim) -> Evidence:
    said = f"{claim.via}:"
    if claim.vdev:
        said += f" {claim.vdev}"
    if claim.rdev:
        said += f" on {claim.rdev}"
    if claim.volser:
        said += f" label {claim.volser}"
    grade = Grade.EXACT if rank(claim) == LIVE else Grade.ASSUMED
    return Evidence(claim.place, f"{said} ({claim.weak})" if claim.weak else said, grade)
