"""Disks that hang (D21), and measurements that are off (D22)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.ranges import many, names
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.phrases import MACHINE, evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observed_system import HungDisk

EXPIRED: Final = 30.0
"""Seconds after which the DASD driver gives a request up and tries again (`expires`)."""
MINUTES: Final = 120.0
"""Seconds from which on a time is said in minutes."""
WORTH_SAYING: Final = 5.0
"""Seconds without a completed request below which a volume may only be slow."""
LONGEST_SNAPSHOT: Final = 1.0
"""Seconds for which lvm suspends a device at most when it makes a snapshot."""


def hung_disks(situation: Situation) -> Diagnoses:
    """Return D21: volumes with requests in them of which none completes, and devices that are suspended."""
    hung = situation.machine.hung()
    if isinstance(hung, Absent):
        return hung
    long = [one for one in hung if one.seconds > (LONGEST_SNAPSHOT if one.suspended else WORTH_SAYING)]
    held = [one for one in long if one.suspended]
    stuck = [one for one in long if not one.suspended]
    return (*((_hung(situation, stuck),) if stuck else ()), *((_suspended(situation, held),) if held else ()))


def _hung(situation: Situation, long: Sequence[HungDisk]) -> Diagnosis:
    longest = max(one.seconds for one in long)
    requests = [one.requests for one in long if not isinstance(one.requests, Absent)]
    titles = names([one.title for one in long])
    subjects = tuple(Subject("volume", one.key, one.title) for one in long)
    return Diagnosis(
        "D21",
        subjects=subjects,
        clause=f"Volume {titles} hangs" if len(long) == 1 else f"Volumes {titles} hang",
        rest=f": no request has completed for {_long(longest)}",
        besides=_lying_there(situation, long),
        evidence=tuple(
            evidence(
                "device.ios",
                subject,
                0,
                f"nothing completed for {one.seconds:.0f} s{_inside(one)}",
            )
            for subject, one in zip(subjects, long, strict=True)
        ),
        confidence=CERTAIN if longest >= EXPIRED else LIKELY,
        action=_look_at(long[0]),
        lost=float(max(len(long), sum(requests))),
        confirm="" if longest >= EXPIRED else f"No completion within {EXPIRED:.0f} s would confirm it.",
    )


def _lying_there(situation: Situation, long: Sequence[HungDisk]) -> str:
    """Return, as a sentence, which tablespaces lie on volumes that hang; empty if none is known."""
    keys = {one.key for one in long}
    spaces = sorted({share.owner for share in situation.shares() if share.volume in keys})
    if not spaces:
        return ""
    return (
        f" {names(spaces)} {'lies' if len(spaces) == 1 else 'lie'} on {'it' if len(long) == 1 else 'them'}."
    )


def _inside(disk: HungDisk) -> str:
    """Return how many requests are in a disk that hangs: `, 4 requests are in it`."""
    if isinstance(disk.requests, Absent):
        return ""
    number = round(disk.requests)
    return f", {many(number, 'request')} {'is' if number == 1 else 'are'} in it"


def _look_at(disk: HungDisk) -> str:
    """Return where the cause of a hang is seen; of a DASD also who has reserved it (tunedasd(8))."""
    if "." not in disk.key:
        return f"See DEVICE {disk.key}, dmesg, and its paths: multipath -ll and lszfcp -D."
    return (
        f"See DEVICE {disk.title}, dmesg, and lsdasd {disk.key} (state and name); as root,"
        " tunedasd -Q /dev/NAME says other where another system has reserved it."
    )


def _suspended(situation: Situation, held: Sequence[HungDisk]) -> Diagnosis:
    """Return the diagnosis of devices that the device mapper holds back, while tasks wait for I/O."""
    longest = max(one.seconds for one in held)
    subjects = tuple(Subject("disk", one.key, one.title) for one in held)
    several, blocked = len(held) > 1, held[0].requests
    are = f"{'are' if several else 'is'} suspended"
    waits = "" if isinstance(blocked, Absent) else f", while {many(int(blocked), 'task')}"
    waits += f" {'waits' if blocked == 1 else 'wait'} for I/O" * bool(waits)
    waiting = situation.machine.system().waiting
    return Diagnosis(
        "D21",
        subjects=subjects,
        clause=f"{names([f'{one.title} ({one.key})' for one in held])} {are}",
        short=f"{names([one.title for one in held])} {are}",
        rest=f": the device mapper has held back all I/O for {_long(longest)}{waits}",
        evidence=(
            *(
                evidence("layer.suspended", subject, 1, f"{one.key}: dm/suspended is 1, no request completed")
                for subject, one in zip(subjects, held, strict=True)
            ),
            *(() if isinstance(blocked, Absent) else (
                evidence("tasks.blocked", MACHINE, blocked, f"{many(int(blocked), 'task')} blocked"),
            )),
            *(evidence("blocked.waiting", MACHINE, seconds, f"{who}, for {seconds:,.0f} s at least")
              for who, seconds in waiting),
        ),
        confidence=CERTAIN if longest >= EXPIRED and not isinstance(blocked, Absent) else LIKELY,
        action=f"See who changes it: lvm, multipathd or a script that ended half-way; as root, dmsetup resume"
        f" {held[0].title} lets I/O go on.",
        lost=float(len(held) if isinstance(blocked, Absent) else blocked),
        excluded=("the disks below: the device mapper passes nothing to them",),
        confirm=""
        if longest >= EXPIRED and not isinstance(blocked, Absent)
        else "dmsetup info shows its state; a snapshot suspends a device for less than a second.",
    )  # fmt: skip


def _long(seconds: float) -> str:
    """Write a time that may be long: `45 s`, `20 minutes`."""
    return f"{seconds:.0f} s" if seconds < MINUTES else f"{seconds / 60:.0f} minutes"


def measurements_off(situation: Situation) -> Diagnoses:
    """Return D22: measurements that are off and would be needed here, and zmon where it costs much itself."""
    return tuple(
        Diagnosis(
            "D22",
            subjects=(MACHINE,),
            clause=f"{one.what[:1].upper()}{one.what[1:]} is off for {many(one.devices, 'device')} with I/O,"
            " so that waits may be missed"
            if one.devices
            else f"{one.what} itself adds to the load that it measures",
            rest="" if one.devices else f": {one.why}",
            evidence=(evidence(one.column, MACHINE, one.number, one.why),),
            confidence=POSSIBLE,
            action=one.switch,
            lost=0.0,
        )
        for one in situation.machine.lacking()
    )


CAUSES: Final = {"D21": hung_disks, "D22": measurements_off}
