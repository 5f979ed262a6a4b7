"""What claims say together of a device, and where they contradict each other.

What CP says now goes before a saved answer of CP, and that before a directory, which says what a guest will
have at its next logon; what a claim itself calls weak goes last.  Claims of equal worth that contradict each
other leave the answer open.  Only what CP said when the sample was taken is exact: nobody knows of which
time, and often not of which guest, a saved answer is.
"""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent, absent
from zmon.topology.evidence import Evidence, Grade

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.absent import Value
    from zmon.topology.claim import Claim
    from zmon.topology.site import Site

NOT_SAID: Final = absent("CP knows it: give zmon its answer to QUERY VIRTUAL DASD, or the user directory")
NO_LABEL: Final = absent("neither CP nor a directory gives the label")
_NOT_LISTED: Final = absent("needs QUERY DASD DETAILS (class B) of CP")

LIVE, ANSWER, DIRECTORY, WEAK = range(4)
"""What a claim is worth, the best first."""

AT_THE_TIME: Final = ("/dev/", "cp/")
"""How the origin of an answer begins that zmon got from CP itself: now, or when a capture was taken."""


class Settled(NamedTuple):
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
        return Grade.EXACT if min(map(worth, self.claims)) == LIVE else Grade.ASSUMED


class Told(NamedTuple):
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


NOTHING: Final = Told(NOT_SAID, NO_LABEL, Grade.UNKNOWN, None, None, None, (), ())


class Real(NamedTuple):
    """What is said of a real device."""

    ssid: Value
    ua: Value
    volser: Value
    grade: Grade
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]


UNHEARD: Final = Real(_NOT_LISTED, _NOT_LISTED, NO_LABEL, Grade.UNKNOWN, (), ())


def worth(claim: Claim) -> int:
    """Tell what a claim is worth, the smaller the more."""
    if claim.weak:
        return WEAK
    if not claim.via.startswith("QUERY"):
        return DIRECTORY
    return LIVE if claim.origin.startswith(AT_THE_TIME) else ANSWER


def settle(claims: Sequence[Claim], field: str, subject: str, otherwise: Absent) -> Settled:
    """Return what the best of the claims say in a field, and the contradictions among all that say something.

    `subject` is what is spoken of, in words: `the rdev of 0201`.
    """
    of = attrgetter(field)
    said = [claim for claim in claims if of(claim)]
    if not said:
        return Settled(otherwise)
    if len(said) == 1:
        return Settled(of(said[0]), (said[0],))
    said.sort(key=_order)
    first: dict[str, Claim] = {}
    for claim in said:
        first.setdefault(of(claim), claim)
    best = worth(said[0])
    rivals = [value for value, claim in first.items() if worth(claim) == best]
    if len(first) > 1:
        words = ", ".join(f"{value} by {_who(claim)}" for value, claim in first.items())
    if len(rivals) > 1:
        return Settled(absent(f"claims contradict each other: {words}"), (), (f"{subject}: {words}",))
    value = rivals[0]
    conflicts = (f"{subject}: {words}; {value} is used",) if len(first) > 1 else ()
    return Settled(value, tuple(claim for claim in said if of(claim) == value), conflicts)


def _order(claim: Claim) -> tuple[int, str, int, str]:
    """Put claims in an order that does not depend on that in which they were told."""
    return worth(claim), claim.origin, claim.line, str(claim)


def _who(claim: Claim) -> str:
    weak = f", {claim.weak}" if claim.weak else ""
    return f"{claim.place} ({claim.via or 'not said'}{weak})"


class Testimony:
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
        self._known: dict[str, Told] = {}
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

    def device(self, vdev: str) -> Told:
        """Return what is said of a device of the guest."""
        known = self._known.get(vdev)
        if known is None:
            claims = self._vdevs.get(vdev)
            known = self._known[vdev] = self._told(vdev, claims) if claims else self._unheard(vdev)
        return known

    def _unheard(self, vdev: str) -> Told:
        other = self._others.get(vdev)
        if other is None:
            return NOTHING
        whose = f"this guest is {self._guest}" if self._guest else "the name of this guest is not known"
        reason = f"the answer about {vdev} is for guest {other}; {whose}"
        return NOTHING._replace(rdev=absent(reason))

    def real(self, rdev: str) -> Real:
        """Return what is said of a real device, whosever it is."""
        claims = self._rdevs.get(rdev)
        if not claims:
            return UNHEARD
        if len(claims) == 1 and not claims[0].ssid and not claims[0].ua:
            return UNHEARD._replace(volser=claims[0].volser or NO_LABEL)
        ssid = settle(claims, "ssid", f"the SSID of {rdev}", _NOT_LISTED)
        ua = settle(claims, "ua", f"the unit address of {rdev}", _NOT_LISTED)
        volser = settle(claims, "volser", f"the label of {rdev}", NO_LABEL)
        evidence = tuple(
            Evidence(claim.place, f"{claim.via}: {claim.rdev} is of SSID {claim.ssid}", ssid.grade)
            for claim in ssid.claims[:1]
        )
        conflicts = ssid.conflicts + ua.conflicts + volser.conflicts
        return Real(ssid.value, ua.value, volser.value, ssid.grade, evidence, conflicts)

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

    def _told(self, vdev: str, claims: list[Claim]) -> Told:
        volser = settle(claims, "volser", f"the label of {vdev}", NO_LABEL)
        rdev = settle(claims, "rdev", f"the rdev of {vdev}", _nowhere(claims))
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
        sure = [claim for claim in sized if worth(claim) <= ANSWER]
        answered = {claim.length for claim in sure or sized}
        return Told(
            value,
            volser.value,
            grade,
            minidisk,
            best.first,
            answered.pop() if len(answered) == 1 else None,
            evidence,
            conflicts,
        )

    def _join(self, vdev: str, label: str, minidisk: bool | None) -> Settled:
        """Find the real device of a label, which need not be unique."""
        claims = self._labels.get(label, [])
        if not claims:
            if self._labels:
                return Settled(absent(f"its label {label} is on no device of those that CP has listed"))
            return Settled(absent(f"known is the label {label}; the rdev needs QUERY DASD (class B)"))
        found: dict[str, list[Claim]] = {}
        for claim in sorted(claims, key=_order):
            found.setdefault(claim.rdev, []).append(claim)
        numbers = sorted(found)
        if len(numbers) == 1:
            return Settled(numbers[0], tuple(found[numbers[0]]))
        words = f"the rdev of {vdev}: its label {label} is on " + " and ".join(numbers)
        attached = [number for number in numbers if any(map(_to_the_system, found[number]))]
        if len(attached) != 1 or not minidisk:
            return Settled(absent(f"its label {label} is on {' and '.join(numbers)}"), (), (words,))
        words += f"; {attached[0]} is used, for a minidisk is on a volume attached to the system"
        return Settled(attached[0], tuple(found[attached[0]]), (words,))

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
    grade = Grade.EXACT if worth(claim) == LIVE else Grade.ASSUMED
    return Evidence(claim.place, f"{said} ({claim.weak})" if claim.weak else said, grade)
