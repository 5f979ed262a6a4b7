"""What CP, user directories and people claim about volumes, and how claims are resolved.

A claim is no fact: two may contradict each other, and a saved answer may be old or of another guest.  CP's
present answer ranks before a saved one, and that before a directory, which defines what a guest gets at its
next logon; a weak claim ranks last.  If claims of equal rank contradict each other, the question stays
open.  Only an answer that CP gave when the sample was taken is exact.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache, cached_property
from operator import attrgetter

from zmon.base.absent import Absent, Reasons, absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.kinds import CLAIM
from zmon.sample import Frame, empty_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zmon.base.absent import Value
    from zmon.topology.site import Site


class Grade(IntEnum):
    """The certainty of an answer; an answer of several steps has the grade of the worst one."""

    UNKNOWN = 0
    """No source that zmon may read supplies it."""
    ASSUMED = 1
    """By a rule of the site, or by common practice."""
    SET = 2
    """One or more of these, in unknown shares."""
    SHARES = 3
    """On these in known shares, by the layout of the volume; which bytes is unknown."""
    EXACT = 4
    """Byte by byte."""

    def __str__(self) -> str:
        return self.name.lower()


class Evidence(NamedTuple):
    """The source of one fact of an answer."""

    source: str
    """A file with the line, an ioctl, an option: `/proc/self/mountinfo:12`, `FS_IOC_FIEMAP`, `cp.txt:4`."""
    said: str
    """The fact, in words for people."""
    grade: Grade = Grade.EXACT


class Claim(NamedTuple):
    """One statement about a volume; unknown fields are empty."""

    vdev: str = ""
    """Number of the device in the guest, four hex digits in upper case."""
    rdev: str = ""
    """Number of the real device, four or five hex digits in upper case."""
    volser: str = ""
    """Label of the volume."""
    user: str = ""
    """The guest that has the virtual device; empty for the own guest."""
    ssid: str = ""
    """Subsystem id, four hex digits in upper case: the LCU."""
    ua: str = ""
    """Unit address, two hex digits in upper case."""
    mode: str = ""
    """`R/W`, `R/O`, or the mode word of a directory; of a real device its user: `CP-SYSTEM`, `FREE`; of a
    device that CP has taken away since `DETACHED`, and when."""
    via: str = ""
    """The statement: `QUERY VIRTUAL DASD`, `QUERY DASD`, `MDISK`, `DEDICATE`."""
    origin: str = ""
    """The name of a file, or `/dev/vmcp`."""
    line: int = 0
    """Its line there, counted from 1; 0 when there are no lines."""
    weak: str = ""
    """Why it may be wrong; empty when it is as the source prints it."""
    first: int | None = None
    """First cylinder or block of a minidisk."""
    length: int | None = None
    """Its cylinders or blocks."""
    paths: str = ""
    """Of a device that CP emulates on SCSI, FCP device, WWPN, LUN of each path, with a comma between, then
    its `EQID` and its `SERIAL`; of an FCP device its own WWPN; of others the channel paths that are not on
    line."""

    @property
    def place(self) -> str:
        """Its source, for people: `cp.txt:4`."""
        origin = self.origin.removeprefix(SHOWN)
        return f"{origin}:{self.line}" if self.line else origin

    @property
    def rank(self) -> int:
        """The smaller, the more reliable."""
        if self.weak:
            return WEAK
        if not self.via.startswith("QUERY"):
            return DIRECTORY
        return LIVE if self.origin.startswith(AT_THE_TIME) else ANSWER

    @property
    def grade(self) -> Grade:
        """Exact for answers that CP gave at the time of the sample, else assumed."""
        return Grade.EXACT if self.rank == LIVE else Grade.ASSUMED

    @property
    def order(self) -> tuple[int, str, int, str]:
        """The sort key: the best first, independent of the order in which claims were read."""
        return self.rank, self.origin, self.line, str(self)

    @property
    def is_minidisk(self) -> bool | None:
        """Whether it is about a part of a volume; None when that is unknown."""
        if "MDISK" in self.via or self.first is not None or self.length is not None:
            return True
        return False if "DEDICATE" in self.via or self.via.startswith("QUERY") else None

    @property
    def is_attached_to_system(self) -> bool:
        """Whether it shows its real device attached to the system, where minidisks are."""
        return self.mode.startswith("CP-") or bool(self.vdev and self.is_minidisk)

    @property
    def sort(self) -> str:
        """What CP calls a device that is no volume: `FCP`, `OSA`, `CTCA`; empty for volumes."""
        asked = self.via.removeprefix("QUERY ").removeprefix("VIRTUAL ").split()[:1]
        return "" if asked == [self.via] or _OF_VOLUMES.issuperset(asked) else asked[0]

    @property
    def gone(self) -> str:
        """When CP took the device away after that: `detached 10:11:40 line 17`; empty if it did not."""
        return self.mode.replace(DETACHED, DETACHED.lower()) if self.mode.startswith(DETACHED) else ""

    @property
    def is_volume(self) -> bool:
        """Whether it is about a volume, a part of one, or a disk in storage; also where that is not said."""
        return not self.sort and (self.via not in {"DEDICATE", PATHS} or bool(self.volser))

    @property
    def words(self) -> str:
        """What it says of a device that is no disk of this Linux, and where."""
        owner = f" of guest {self.user}" if self.user else ""
        sort = f"{self.sort} device" if self.sort else f"virtual {'disk' if self.is_volume else 'device'}"
        what = f"{sort} {self.vdev}{owner}" if self.vdev else "a volume of z/VM"
        if self.via == PATHS:
            what = "a device of z/VM"  # of any sort
        if self.sort and not self.vdev:
            return f"{sort} {self.rdev}, {self.gone or self.mode} ({self.via}, {self.place})"
        if self.mode.startswith(CP_USES.rstrip()):
            uses = [_USES[word] for word in self.mode.split() if word in _USES]
            what = f"CP's own volume{f' ({chr(44).join(uses)})' if uses else ''}"
        on = f" on {self.rdev}" if self.rdev else ""
        more = (
            f", label {self.volser}"
            if self.volser
            else f", WWPN {self.paths}" * bool(self.sort and self.paths)
        )
        return f"{what}{on}{more} ({self.via}, {self.place}){f', {self.gone}' if self.gone else ''}"

    @property
    def evidence(self) -> Evidence:
        """The claim as evidence."""
        said = f"{self.via}:"
        for word, value in (("", self.vdev), (" on", self.rdev), (" label", self.volser)):
            said += f"{word} {value}" if value else ""
        return Evidence(self.place, f"{said} ({self.weak})" if self.weak else said, self.grade)


LIVE, ANSWER, DIRECTORY, WEAK = range(4)
"""The ranks of claims."""

SHOWN: Final = "text:"
"""Prefix of the origin of answers that a collected text shows."""
AT_THE_TIME: Final = ("/dev/", "cp/", SHOWN)
"""Prefixes of the origin of answers that CP gave at the time of a sample: now, or when it was collected."""

_NOT_GIVEN: Final = absent("it is not said")
NOT_SAID: Final = absent("CP knows it: give zmon its answer to QUERY VIRTUAL DASD, or the user directory")
NO_LABEL: Final = absent("neither CP nor a directory gives the label")
_NOT_LISTED: Final = absent("needs QUERY DASD DETAILS (class B) of CP")
IN_MEMORY: Final = Reasons("in-memory", "it is in memory, on no volume and no LCU: {}")
"""Why a disk has no LCU, and nothing more can be known."""
VIRTUAL_DISK: Final = IN_MEMORY.about("a virtual disk of z/VM (V-DISK)")
DETACHED: Final = "DETACHED "
"""How the mode of a claim begins that was true until CP took the device away; when it did follows."""
CP_USES: Final = "CP-OWNED "
"""How the mode of a claim about a volume of CP itself begins; what it uses it for follows."""
_USES: Final = {
    "PAGE": "paging", "SPOL": "spool", "SPOOL": "spool", "DRCT": "user directory", "TDSK": "temporary disks",
    "TDISK": "temporary disks", "PARM": "parameters", "PERM": "minidisks",
}  # fmt: skip
IN_STORAGE: Final = "V-DISK"
"""What a directory calls that, and zmon what CP calls (VDSK)."""
EDEVICE: Final = "QUERY EDEVICE"
"""The answer that has the paths to a device that CP emulates on SCSI."""
_OF_VOLUMES: Final = frozenset({"DASD", "MDISK", "EDEVICE", "CPOWNED", "ALLOC", "PATHS"})
"""What QUERY answers about volumes."""
EQID, SERIAL = "EQID", "SERIAL"
"""What stands before the device equivalency id and the serial number of such a device."""
FCP_DEVICES: Final = "QUERY VIRTUAL FCP"
"""The answer that has the real FCP devices of a guest's own."""
PATHS: Final = "QUERY PATHS"
"""The answer that has the channel paths to a device."""
_TEMPORARY_DISK: Final = absent("it is a temporary disk: CP chooses the volume at logon")


def claims_frame(claims: Sequence[Claim], when: int, missing: str = "no answers of CP were given") -> Frame:
    """Return claims as the frame of a sample."""
    if not claims:
        return empty_frame(CLAIM, missing)
    columns: dict[str, list[Value]] = {
        name: [_NOT_GIVEN if value is None else value for value in map(attrgetter(name), claims)]
        for name in Claim._fields
    }
    return Frame(CLAIM, [str(number) for number in range(len(claims))], columns, [when] * len(claims))


def claims_in(frame: Frame) -> list[Claim]:
    """Return the claims of a sample."""
    unsaid = list(Claim._field_defaults.values())
    rows = zip(*(frame.column(name) for name in Claim._fields), strict=True)
    return [
        Claim._make(no if isinstance(value, Absent) else value for value, no in zip(row, unsaid, strict=True))
        for row in rows
    ]


class Resolution(NamedTuple):
    """The claims about one thing, ranked and merged."""

    value: Value
    claims: tuple[Claim, ...] = ()
    """The claims that agree on the value."""
    conflicts: tuple[str, ...] = ()

    @property
    def grade(self) -> Grade:
        """That of the best claim."""
        return max((claim.grade for claim in self.claims), default=Grade.UNKNOWN)


def resolve(claims: Sequence[Claim], field: str, subject: str, otherwise: Absent) -> Resolution:
    """Return the value of a field in the best claims, and the contradictions among all claims that have it.

    `subject` names the thing: `the rdev of 0201`.
    """
    value_of = attrgetter(field)
    relevant = sorted((claim for claim in claims if value_of(claim)), key=attrgetter("order"))
    if not relevant:
        return Resolution(otherwise)
    first: dict[str, Claim] = {}
    for claim in relevant:
        first.setdefault(value_of(claim), claim)
    if len(first) == 1:
        return Resolution(value_of(relevant[0]), tuple(relevant))
    text = ", ".join(f"{value} by {_source_words(claim)}" for value, claim in first.items())
    rivals = [value for value, claim in first.items() if claim.rank == relevant[0].rank]
    if len(rivals) > 1:
        return Resolution(absent(f"claims contradict each other: {text}"), (), (f"{subject}: {text}",))
    agreeing = tuple(claim for claim in relevant if value_of(claim) == rivals[0])
    return Resolution(rivals[0], agreeing, (f"{subject}: {text}; {rivals[0]} is used",))


def _source_words(claim: Claim) -> str:
    weak = f", {claim.weak}" if claim.weak else ""
    return f"{claim.place} ({claim.via or 'not said'}{weak})"


def claims_about(word: str, claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims about a real device, a volume or a device of a guest, by its number or label."""
    label, number = word.upper(), word.upper().zfill(4)
    over = word.upper().removeprefix("0X")
    about = {
        claim
        for claim in claims
        if number in {claim.rdev, claim.vdev}
        or label == claim.volser
        or (claim.via in {EDEVICE, FCP_DEVICES} and over in claim.paths.replace(",", " ").split())
    }
    return sorted(about, key=attrgetter("order"))


def emulated_over(name: str, claims: Iterable[Claim]) -> set[str]:
    """Return the real devices that CP emulates on SCSI over an FCP device, a port or a LUN of this name."""
    edevices = (claim for claim in claims if claim.via == EDEVICE)
    return {claim.rdev for claim in edevices if name in claim.paths.replace(",", " ").split()}


def fcp_devices_on(rdev: str, claims: Iterable[Claim]) -> list[str]:
    """Return the numbers in the guest of an FCP device with this real number."""
    devices = (claim for claim in claims if claim.via == FCP_DEVICES and not claim.gone)
    return [claim.vdev.lower() for claim in devices if claim.rdev == rdev]


class DeviceFacts(NamedTuple):
    """Facts about a device of this Linux that the kernel does not supply."""

    vdev: Value
    rdev: Value = NOT_SAID
    volser: Value = NO_LABEL
    grade: Grade = Grade.UNKNOWN
    """How sure the rdev is."""
    evidence: tuple[Evidence, ...] = ()
    conflicts: tuple[str, ...] = ()
    is_claimed: bool = False
    """Whether any claim is about it, even one of another guest's device with this number."""
    is_minidisk: bool | None = None
    """Whether it is a part of a volume; None when that is unknown."""
    first: int | None = None
    """The first cylinder of a minidisk."""
    length: int | None = None
    """Cylinders or blocks that CP reports; sizes of a directory are not used."""


class RealDeviceFacts(NamedTuple):
    """Facts about a real device, from claims."""

    ssid: Value = _NOT_LISTED
    ua: Value = _NOT_LISTED
    volser: Value = NO_LABEL
    grade: Grade = Grade.UNKNOWN
    evidence: tuple[Evidence, ...] = ()
    conflicts: tuple[str, ...] = ()
    emulated: tuple[Claim, ...] = ()
    """Those that CP emulates it on SCSI, and over which paths."""
    lost_paths: tuple[Claim, ...] = ()
    """Those that channel paths to it are not on line."""


class ClaimIndex:
    """All claims about the devices of one guest, indexed by device."""

    def __init__(self, claims: Iterable[Claim], guest: str, site: Site) -> None:
        """Index the claims; those of other users than the guest are about real devices only."""
        self._site = site
        self._guest = guest
        self._vdevs: dict[str, list[Claim]] = {}
        self._rdevs: dict[str, list[Claim]] = {}
        self._labels: dict[str, list[Claim]] = {}
        self._only_labels: dict[
            str, set[str]
        ] = {}  # devices of the guest by labels of claims without an rdev
        self._other_guests: dict[str, str] = {}
        self.device: Callable[[str], DeviceFacts] = cache(self._device)
        """Returns the facts that claims supply about a device of the guest."""
        own = {"", guest.strip().upper()}
        self._gone: dict[str, list[str]] = {}
        for claim in claims:
            if claim.gone:
                if claim.user.strip().upper() in own:
                    self._gone.setdefault(claim.vdev, []).append(claim.words)
            elif claim.vdev and claim.user.strip().upper() not in own:
                other = self._other_guests.get(claim.vdev, claim.user)
                self._other_guests[claim.vdev] = min(claim.user, other)
            elif claim.vdev:
                self._vdevs.setdefault(claim.vdev, []).append(claim)
                if claim.volser and not claim.rdev:
                    self._only_labels.setdefault(claim.volser, set()).add(claim.vdev)
            if claim.rdev and not claim.gone:
                self._rdevs.setdefault(claim.rdev, []).append(claim)
                if claim.volser:
                    self._labels.setdefault(claim.volser, []).append(claim)

    def _device(self, vdev: str) -> DeviceFacts:
        claims, gone = self._vdevs.get(vdev), tuple(self._gone.get(vdev, ()))
        if not claims and gone:
            return DeviceFacts(vdev, absent("CP has detached it"), conflicts=gone, is_claimed=True)
        if not claims:
            other = self._other_guests.get(vdev)
            if other is None:
                return DeviceFacts(vdev)
            whose = f"this guest is {self._guest}" if self._guest else "the name of this guest is not known"
            reason = f"the answer about {vdev} is for guest {other}; {whose}"
            return DeviceFacts(vdev, absent(reason), is_claimed=True)
        best = min(claims, key=attrgetter("order"))
        volser = resolve(claims, "volser", f"the label of {vdev}", NO_LABEL)
        rdev = resolve(claims, "rdev", f"the rdev of {vdev}", _why_no_rdev(best))
        said = rdev.claims[:1]
        if volser.claims and volser.claims[0] not in rdev.claims:
            said += volser.claims[:1]
        evidence = tuple(claim.evidence for claim in said)
        value, grade, conflicts = rdev.value, rdev.grade, volser.conflicts + rdev.conflicts + gone
        if isinstance(value, Absent) and not rdev.conflicts and isinstance(volser.value, str):
            joined = self._by_label(vdev, volser.value, is_minidisk=best.is_minidisk)
            value, conflicts = joined.value, conflicts + joined.conflicts
            grade = min(volser.grade, Grade.ASSUMED if joined.conflicts else joined.grade)
            evidence += tuple(claim.evidence for claim in joined.claims[:1])
            if isinstance(value, Absent):
                value, grade, more, against = self._by_rule(volser.value, value)
                evidence, conflicts = evidence + more, conflicts + against
        sized = [claim for claim in claims if claim.via.startswith("QUERY") and claim.length is not None]
        sure = [claim for claim in sized if claim.rank <= ANSWER]
        lengths = {claim.length for claim in sure or sized}
        return DeviceFacts(
            vdev,
            value,
            volser.value,
            grade,
            evidence,
            conflicts,
            is_claimed=True,
            is_minidisk=best.is_minidisk,
            first=best.first,
            length=lengths.pop() if len(lengths) == 1 else None,
        )

    def _by_label(self, vdev: str, label: str, *, is_minidisk: bool | None) -> Resolution:
        """Find the real device of a label, which need not be unique."""
        claims = self._labels.get(label, [])
        if not claims:
            if self._labels:
                return Resolution(absent(f"no device that CP has listed has its label {label}"))
            return Resolution(absent(f"only its label {label} is known; the rdev needs QUERY DASD (class B)"))
        by_rdev: dict[str, list[Claim]] = {}
        for claim in sorted(claims, key=attrgetter("order")):
            by_rdev.setdefault(claim.rdev, []).append(claim)
        numbers = sorted(by_rdev)
        if len(numbers) == 1:
            return Resolution(numbers[0], tuple(by_rdev[numbers[0]]))
        where = f"its label {label} is on {' and '.join(numbers)}"
        text = f"the rdev of {vdev}: {where}"
        attached = [
            number for number in numbers if any(volume.is_attached_to_system for volume in by_rdev[number])
        ]
        if len(attached) != 1 or not is_minidisk:
            return Resolution(absent(where), (), (text,))
        text += f"; {attached[0]} is used, for a minidisk is on a volume attached to the system"
        return Resolution(attached[0], tuple(by_rdev[attached[0]]), (text,))

    def _by_rule(
        self, label: str, otherwise: Absent
    ) -> tuple[Value, Grade, tuple[Evidence, ...], tuple[str, ...]]:
        """Derive the real device from a label by the rules of the site."""
        read = self._site.number_by_label(label)
        if len({number for number, _ in read}) != 1:
            against = tuple(f"label {label}: {rule.place} reads {number} in it" for number, rule in read)
            return otherwise, Grade.UNKNOWN, (), against
        number, rule = read[0]
        said = Evidence(rule.place, f"{rule.said} reads {number} in label {label}", Grade.ASSUMED)
        return number, Grade.ASSUMED, (said,), ()

    def real(self, rdev: str) -> RealDeviceFacts:
        """Return the facts that claims of any guest supply about a real device."""
        claims = self._rdevs.get(rdev, ())
        emulated = tuple(claim for claim in claims if claim.via == EDEVICE)
        lost = tuple(claim for claim in claims if claim.via == PATHS and claim.paths)
        if len(claims) == 1 and not (claims[0].ssid or claims[0].ua or emulated or lost):
            return RealDeviceFacts(volser=claims[0].volser or NO_LABEL)
        ssid = resolve(claims, "ssid", f"the SSID of {rdev}", _NOT_LISTED)
        ua = resolve(claims, "ua", f"the unit address of {rdev}", _NOT_LISTED)
        volser = resolve(claims, "volser", f"the label of {rdev}", NO_LABEL)
        evidence = tuple(
            Evidence(claim.place, f"{claim.via}: {claim.rdev} is of SSID {claim.ssid}", ssid.grade)
            for claim in ssid.claims[:1]
        )
        conflicts = ssid.conflicts + ua.conflicts + volser.conflicts
        return RealDeviceFacts(
            ssid.value, ua.value, volser.value, ssid.grade, evidence, conflicts, emulated, lost
        )

    def on(self, rdev: str) -> list[str]:
        """Return the devices of the guest that are on a real device, ascending."""
        claims = self._rdevs.get(rdev, [])
        labels = {claim.volser for claim in claims if claim.volser} | self._labels_by_rule.get(rdev, set())
        near = {claim.vdev for claim in claims if claim.vdev in self._vdevs}
        near.update(*(self._only_labels.get(label, set()) for label in labels))
        return sorted(vdev for vdev in near if self.device(vdev).rdev == rdev)

    @cached_property
    def _labels_by_rule(self) -> dict[str, set[str]]:
        """The labels from which rules of the site derive a number, by that number."""
        labels: dict[str, set[str]] = {}
        for label in self._only_labels:
            for number, _ in self._site.number_by_label(label):
                labels.setdefault(number, set()).add(label)
        return labels


def _why_no_rdev(best: Claim) -> Absent:
    if IN_STORAGE in best.via:
        return VIRTUAL_DISK
    if "T-DISK" in best.via:
        return _TEMPORARY_DISK
    return absent(best.weak) if best.weak and not best.volser else NOT_SAID
