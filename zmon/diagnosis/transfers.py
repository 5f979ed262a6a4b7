"""Transfers are long for their size (D10), or requests are small although they follow one another (D10b)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.limits import limit
from zmon.base.milliseconds import ms
from zmon.base.ranges import names, ranges
from zmon.base.sizes import KIB
from zmon.diagnosis.diagnosis import CERTAIN, LEAST_LOST, LIKELY, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.phrases import UNCACHED, evidence, of_lcu, percent, why_untimed
from zmon.machine.observation import MIN_LOST, NO_LCU, mean_of
from zmon.machine.observed_volumes import details_of

if TYPE_CHECKING:
    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu
    from zmon.machine.observed_volumes import StackedDisk

LARGE: Final = 32_768.0
"""Bytes of a request from which on its transfer is most of Conn."""
TIMES: Final = 2.0
"""Times the Conn per byte of its siblings from which on transfers are long."""
SMALL: Final = limit("stripe-small") * KIB
"""Bytes of a request up to which it is small."""
ENOUGH: Final = "1 MiB"
"""What stripes have at least where they are advised, by CHECK (B14) too."""
PIECES: Final = limit("stripe-pieces")
"""Requests below for one above from which on a stripe cuts them."""
SEQUENTIAL: Final = 0.5
"""The part of the reads that are sequential from which on they could be joined."""


def long_transfers(situation: Situation) -> Diagnoses:
    """Return D10: an LCU needs much longer for a byte than another one with requests as large."""
    load = situation.load
    if load.has_no_lcu:
        return why_untimed(load) if load.is_untimed else NO_LCU
    found: list[tuple[ObservedLcu, float, float]] = []
    blind = False
    for lcu in load.lcus:
        volumes = load.used_of(lcu.key)
        rate = volumes.rate
        conn, size = mean_of(volumes, "conn"), mean_of(volumes, "size")
        if not load.enough(rate) or not load.fcp.isdisjoint(lcu.chpids):
            continue
        blind = blind or any(volumes.column("estimated"))
        if not isinstance(conn, Absent) and not isinstance(size, Absent) and size >= LARGE:
            found.append((lcu, conn / size, rate * conn))
    if blind:
        return why_untimed(load)
    best = min((each for _, each, _ in found), default=0.0)
    slow = [one for one in found if one[1] >= TIMES * best]
    lost = sum(spent * (1 - best / each) for _, each, spent in slow)
    if not slow or lost < LEAST_LOST or len(slow) == len(found):
        return ()
    first, each, _ = max(slow, key=lambda one: one[2])
    conn = load.time_of(first, "conn")
    titles = names(sorted(one.title for one, _, _ in slow))
    return (
        Diagnosis(
            "D10",
            subjects=tuple(of_lcu(one) for one, _, _ in slow),
            clause=f"Transfers to {titles} take {each / best:.1f} times as long for a byte as those to the"
            " best LCU",
            rest=f": Conn {ms(conn)}",
            evidence=(
                evidence(
                    "control_unit.conn",
                    of_lcu(first),
                    1e3 * conn,
                    f"Conn {ms(conn)}, as with {1e-6 / each:.0f} MB/s over a path",
                ),
            ),
            confidence=POSSIBLE,
            action=f"Compare the speed of its paths, {ranges(first.chpids)}, with that of the others.",
            lost=lost,
            confirm="Other paths with the same speed and a shorter Conn would confirm it.",
        ),
    )


def small_requests(situation: Situation) -> Diagnoses:
    """Return D10b: a stripe cuts requests into small ones; or they are small although most are sequential."""
    cut = [
        one
        for one in situation.stacked()
        if situation.load.enough(one.rate)
        and one.below_rate >= PIECES * one.rate
        and one.below_size <= SMALL
        and one.rate * (one.response - one.below) >= MIN_LOST
    ]
    if cut:
        return tuple(_cut(one) for one in cut)
    load = situation.load
    waited = situation.waiting.by_lcu(load)
    if not waited:
        return ()
    details, found, blind = situation.details(), [], False
    for lcu in load.lcus:
        volumes = load.volumes_of(lcu.key)
        size: Number = mean_of(volumes, "size")
        if lcu.key not in waited or isinstance(size, Absent) or size > SMALL:
            continue
        busy = [one for one in volumes if one.rate and one.key in details]
        parts = details_of(details, "sequential", [one.key for one in busy])
        pairs = [(part, one.rate) for part, one in zip(parts, busy, strict=True)]
        known = [(float(part), rate) for part, rate in pairs if not isinstance(part, Absent)]
        blind = blind or not known
        rate = sum(rate for _, rate in known)
        part = sum(part * rate for part, rate in known) / rate if rate else 0.0
        if part >= SEQUENTIAL:
            found.append((lcu, part, float(size)))
    if not found:
        return UNCACHED if blind else ()
    first, part, size = max(found, key=lambda one: waited[one[0].key])
    titles = names(sorted(one.title for one, _, _ in found))
    return (
        Diagnosis(
            "D10b",
            subjects=tuple(of_lcu(one) for one, _, _ in found),
            clause=f"Requests to {titles} are small, {size / KIB:.0f} KiB, although {percent(part)} of the"
            " reads follow one another",
            evidence=(
                evidence("control_unit.reqkb", of_lcu(first), size / KIB, f"{size / KIB:.0f} KiB a request"),
                evidence(
                    "cache.seq", of_lcu(first), 100 * part, f"{percent(part)} of the reads are sequential"
                ),
            ),
            confidence=LIKELY,
            action=f"Use larger stripes ({ENOUGH} or more), more read-ahead, or larger reads of the"
            " database.",
            lost=sum(waited[one.key] for one, _, _ in found),
            confirm="Larger requests after that would confirm it.",
        ),
    )


def _cut(one: StackedDisk) -> Diagnosis:
    subject = Subject("disk", one.name, one.title)
    pieces, size = one.below_rate / one.rate, f"{one.below_size / KIB:.0f} KiB"
    cuts = f"cuts each request into {pieces:.0f} of {size}"
    known = one.stripe <= SMALL
    stripes = f"its stripes are of {one.stripe / KIB:.0f} KiB" if known else "its stripes are small"
    return Diagnosis(
        "D10b",
        subjects=(subject,),
        clause=f"{one.title} {cuts}",
        short=f"{one.volume or one.name} {cuts}",
        rest=f": {stripes}",
        evidence=(
            evidence(
                "device.ios",
                subject,
                one.below_rate,
                f"{one.rate:,.0f} requests a second become {one.below_rate:,.0f}",
            ),
            evidence(
                "stacked.resp",
                subject,
                1e3 * one.response,
                f"{ms(one.response)} for the whole, {ms(one.below)} for a piece",
            ),
        ),
        confidence=CERTAIN if known else LIKELY,
        action=f"Use stripes of {ENOUGH} or more (lvcreate -I), so that a request goes to one disk.",
        lost=one.rate * (one.response - one.below),
        confirm="" if known else "The size of its stripes (dmsetup table) would confirm it.",
    )


CAUSES: Final = {"D10": long_transfers, "D10b": small_requests}
