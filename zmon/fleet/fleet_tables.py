"""Tables of a fleet: guests, boxes, LCUs, channel paths and exceptions, as pure functions of its members.

Guests are joined by the serial of the storage server and the SSID of the LCU, which each reads from its own
devices.  Each counts its own I/O, so figures of LCUs are sums, and times are sums of time by sums of I/O.  Of
a channel path every partition reads the same figure of the whole machine: that is a maximum, never a sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.base.event import BAD, LEVELS
from zmon.base.ranges import many, names
from zmon.fleet.filling import filling_of
from zmon.fleet.member import NO_ROLLUPS, Weighed, lcu_parts, together
from zmon.kinds import CHANNEL, NOT_MEASURED
from zmon.topology.volumes import channel_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.event import ExceptionEntry
    from zmon.fleet.filling import Filling
    from zmon.fleet.member import Member

MAX_NAMED: Final = 3
"""Guests that are named as those that fill an LCU."""
LATE: Final = 300_000_000_000
"""ns that a recording may end before the time and still count as complete."""
HOUR: Final = "%H:%M"
OWN_ONLY: Final = "(~: estimated from the I/O of this guest alone)"
"""Marks the load of a channel path that is estimated from the connect time of one guest."""
APART: Final = "of another time than the others: not added to boxes and LCUs"
"""What is to be known of a system whose I/O did not run while that of the others did."""


class Sight(NamedTuple):
    """Which systems a fleet has, in words."""

    seen: str
    unseen: str


RECORDED: Final = Sight("recorded system", "systems without a recording here")
NO_SAMPLES: Final = absent("no sample of it can be read")


class GuestRow(NamedTuple):
    """One system."""

    guest: str
    cpc: str
    lpar: str
    user: str
    """The name of the guest in z/VM."""
    boxes: Number
    """Storage servers that it uses; absent where nothing of it was read."""
    io: Number
    mbs: Number
    resp: Number
    """ms."""
    cpu: Number
    """Percent of its processors."""
    queue: Number
    """Requests in Linux, on average."""
    bad: Number
    """Exceptions in the time that were bad."""
    look: Number
    until: Number
    """The time of its last sample, UTC in ns."""
    state: str
    """What is to be known of it; empty if nothing is."""
    path: str


class LcuRow(NamedTuple):
    """One LCU across guests."""

    box: str
    lcu: str
    guests: int
    io: Number
    share: Number
    """Percent of the I/O of its box, of the guests that report."""
    mbs: Number
    resp: Number
    pend: Number
    disc: Number
    conn: Number
    queue: Number
    filled_by: tuple[tuple[str, float], ...]
    """The guests with most I/O, and their percent of it."""


class BoxRow(NamedTuple):
    """One storage server across guests."""

    box: str
    vendor: str
    lcus: int
    guests: int
    io: Number
    mbs: Number
    resp: Number
    busiest: str
    """The LCU with most I/O."""
    skew: Number
    """How many times the mean LCU that has."""
    filled_by: tuple[tuple[str, float], ...]


class FillerRow(NamedTuple):
    """One guest on one LCU."""

    guest: str
    box: str
    lcu: str
    io: Number
    share: Number
    """Percent of the I/O of the LCU, of the guests that report."""
    mbs: Number
    resp: Number
    pend: Number
    disc: Number
    conn: Number
    queue: Number


class ChannelRow(NamedTuple):
    """One channel path across partitions."""

    cpc: str
    chpid: str
    type: str
    seen_by: int
    busy: Number
    """Percent, by the whole machine."""
    own: Number
    """Percent, by the partitions that report."""
    gap: Number
    """Percent, by others: z/OS, and partitions without a recording here."""


class ExceptionRow(NamedTuple):
    """One exception of a guest."""

    guest: str
    level: str
    begin: int
    end: int
    rule: str
    sentence: str
    path: str
    """The recording that shows it."""


class Fleet(NamedTuple):
    """All tables of a time."""

    begin: int
    end: int
    guests: tuple[GuestRow, ...]
    boxes: tuple[BoxRow, ...]
    lcus: tuple[LcuRow, ...]
    fillers: tuple[FillerRow, ...]
    channels: tuple[ChannelRow, ...]
    exceptions: tuple[ExceptionRow, ...]
    is_simulated: bool
    reporting: int
    """On how many of the guests the figures of LCUs and boxes rest."""
    answering: int
    """How many of the guests there is anything of in this time: these, and those that report no LCU."""
    notes: tuple[str, ...]
    """What is to be known of the figures."""
    filling: Filling | None = None
    """The LCU at which most requests wait, if guests do; and who fills it."""


def fleet_of(members: Sequence[Member], begin: int, end: int, sight: Sight = RECORDED) -> Fleet:
    """Return the tables of a fleet's members; `sight` says which systems are among them."""
    apart = ran_apart(members, begin, end)
    added = [member for member in members if member.name not in apart]
    reporting = sum(1 for member in added if member.lcus)
    rows = [_guest(member, begin, end, is_apart=member.name in apart) for member in members]
    shares = _by_lcu(added)
    channels = channel_rows(added)
    return Fleet(
        begin,
        end,
        tuple(sorted(rows, key=lambda row: (-row.io if not isinstance(row.io, Absent) else 1.0, row.guest))),
        tuple(_boxes(shares)),
        tuple(_lcus(shares)),
        tuple(_fillers(shares)),
        channels,
        exception_rows(members),
        any(member.is_simulated for member in members),
        reporting,
        sum(_answers(member, begin, end) for member in added),
        tuple(_notes(members, reporting, channels, sight, sorted(apart))),
        filling_of(shares),
    )


def _answers(member: Member, begin: int, end: int) -> bool:
    """Return whether there is anything of a system in a time."""
    since, until = member.span
    return bool(member.lcus) or (not member.problem and since < end and until > begin)


def ran_apart(members: Iterable[Member], begin: int, end: int) -> frozenset[str]:
    """Return the names of the members whose I/O did not run while that of the others did.

    Figures are added up only of members that were recorded at one and the same moment: that with most of
    them, and the last such.  With others of the same time window they would make a rate that never was.
    """
    times = {
        member.name: (max(begin, member.span[0]), min(end, member.span[1]))
        for member in members
        if (member.lcus or member.channels) and member.span[1]
    }
    ends = sorted(
        [(until, 0, name) for name, (_, until) in times.items()]
        + [(since, 1, name) for name, (since, _) in times.items()]
    )
    present: set[str] = set()
    most: frozenset[str] = frozenset()
    for _time, begins, name in ends:  # what ends when another begins ran before it
        if begins:
            present.add(name)
            most = frozenset(present) if len(present) >= len(most) else most
        else:
            present.discard(name)
    return frozenset(times) - most


# guests


def _guest(member: Member, begin: int, end: int, *, is_apart: bool = False) -> GuestRow:
    figures = together(member.lcus.values())
    boxes = {key.split(".")[1] if key.count(".") == 2 else key for key in member.lcus}
    bad, look = _levels(member.exceptions)
    machine = member.machine
    return GuestRow(
        member.name,
        machine.get("sequence", ""),
        machine.get("lpar_name", ""),
        machine.get("guest_name", ""),
        len(boxes) if member.lcus else NO_ROLLUPS,
        _rate(member.lcus.values(), "io"),
        _rate(member.lcus.values(), "mbs"),
        figures.get("resp", Weighed()).mean,
        member.cpu.mean,
        _rate(member.lcus.values(), "queue"),
        bad,
        look,
        member.span[1] or NO_SAMPLES,
        member.problem
        or _damage(member)
        or APART * is_apart
        or _time_known(member, begin, end)
        or _io_known(member)
        or _exceptions_known(member),
        member.path,
    )


def _time_known(member: Member, begin: int, end: int) -> str:
    """Say of which part of a time there is nothing of a system; empty if there is all."""
    since, until = member.span
    if not member.is_recorded:
        late, early = since > begin + LATE, until < end - LATE
        text = ("reports" + f" since {clock(since, HOUR)}" * late) * (late or early)
        return text + f" until {clock(until, HOUR)}" * early
    if until >= end - LATE:
        return ""
    return "its recording ends earlier" if member.machine else "its recording ended before this time"


def _damage(member: Member) -> str:
    return f"parts of its recording cannot be read, the first: {member.damage}" if member.damage else ""


def _io_known(member: Member) -> str:
    if member.lcus:
        return ""
    return "no LCU with I/O is known" if member.has_rollups else "it was recorded without roll-ups"


def _levels(entries: Sequence[ExceptionEntry] | Absent) -> tuple[Number, Number]:
    """Return how many exceptions are bad, and how many are to be looked at."""
    if isinstance(entries, Absent):
        return entries, entries
    bad = sum(entry.level == BAD for entry in entries)
    return bad, len(entries) - bad


def _exceptions_known(member: Member) -> str:
    unknown = member.exceptions
    return f"no exceptions are known: {unknown.reason}" if isinstance(unknown, Absent) else ""


def _exceptions_lack(members: Iterable[Member]) -> list[str]:
    """Say of which systems that can be read no exceptions are known, and why."""
    lacking: dict[str, list[str]] = {}
    for member in members:
        if isinstance(member.exceptions, Absent) and not member.problem:
            lacking.setdefault(member.exceptions.reason, []).append(member.name)
    return [
        f"Exceptions are not known of {names(systems, MAX_NAMED)}: {reason}."
        for reason, systems in lacking.items()
    ]


def _rate(things: Iterable[Mapping[str, Weighed]], name: str) -> Number:
    """Return the sum of the means of a rate over several things."""
    means = [figures[name].mean for figures in things if name in figures]
    numbers = [value for value in means if not isinstance(value, Absent)]
    return sum(numbers) if numbers else NO_ROLLUPS


# LCUs and boxes


def _by_lcu(members: Iterable[Member]) -> dict[str, dict[str, Mapping[str, Weighed]]]:
    """Return the figures of each LCU, guest by guest."""
    by_lcu: dict[str, dict[str, Mapping[str, Weighed]]] = {}
    for member in members:
        for key, figures in member.lcus.items():
            by_lcu.setdefault(key, {})[member.name] = figures
    return dict(sorted(by_lcu.items()))


def _filled_by(guests: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Return the guests with most I/O, and their percent of it."""
    whole = sum(guests.values())
    ranked = sorted(guests.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple((name, 100 * io / whole) for name, io in ranked[:MAX_NAMED] if io > 0)


def _io(figures: Mapping[str, Weighed]) -> float:
    mean = figures.get("io", Weighed()).mean
    return 0.0 if isinstance(mean, Absent) else float(mean)


def _lcus(shares: Mapping[str, Mapping[str, Mapping[str, Weighed]]]) -> list[LcuRow]:
    boxes: dict[str, float] = {}
    for key, guests in shares.items():
        box = lcu_parts(key)[1]
        boxes[box] = boxes.get(box, 0.0) + sum(map(_io, guests.values()))
    rows = []
    for key, guests in shares.items():
        _vendor, box, lcu = lcu_parts(key)
        figures = together(guests.values())
        io = _rate(guests.values(), "io")
        share: Number = 100 * io / boxes[box] if boxes[box] else NO_ROLLUPS
        resp, pend, disc, conn = (
            figures.get(name, Weighed()).mean for name in ("resp", "pend", "disc", "conn")
        )
        filled = _filled_by({name: _io(lcu) for name, lcu in guests.items()})
        mbs, queue = (_rate(guests.values(), name) for name in ("mbs", "queue"))
        rows.append(LcuRow(box, lcu, len(guests), io, share, mbs, resp, pend, disc, conn, queue, filled))
    return sorted(rows, key=lambda row: -row.io if not isinstance(row.io, Absent) else 0.0)


def _fillers(shares: Mapping[str, Mapping[str, Mapping[str, Weighed]]]) -> Iterator[FillerRow]:
    """Yield the guests of each LCU, those with most I/O first."""
    for key, guests in shares.items():
        _vendor, box, lcu = lcu_parts(key)
        whole = sum(map(_io, guests.values()))
        for name, figures in sorted(guests.items(), key=lambda pair: (-_io(pair[1]), pair[0])):
            share: Number = 100 * _io(figures) / whole if whole else NO_ROLLUPS
            io, mbs, queue = (_rate([figures], name) for name in ("io", "mbs", "queue"))
            resp, pend, disc, conn = (
                figures.get(name, Weighed()).mean for name in ("resp", "pend", "disc", "conn")
            )
            yield FillerRow(name, box, lcu, io, share, mbs, resp, pend, disc, conn, queue)


def _boxes(shares: Mapping[str, Mapping[str, Mapping[str, Weighed]]]) -> list[BoxRow]:
    by_box: dict[tuple[str, str], list[str]] = {}
    for key in shares:
        vendor, box, _lcu = lcu_parts(key)
        by_box.setdefault((box, vendor), []).append(key)
    rows = []
    for (box, vendor), keys in by_box.items():
        every = [figures for key in keys for figures in shares[key].values()]
        loads = {key: sum(map(_io, shares[key].values())) for key in keys}
        busiest = max(loads, key=lambda key: loads[key])
        mean = sum(loads.values()) / len(loads)
        guests: dict[str, float] = {}
        for key in keys:
            for name, figures in shares[key].items():
                guests[name] = guests.get(name, 0.0) + _io(figures)
        rows.append(BoxRow(
            box, vendor, len(keys), len(guests), _rate(every, "io"), _rate(every, "mbs"),
            together(every).get("resp", Weighed()).mean, lcu_parts(busiest)[2],
            loads[busiest] / mean if mean else NO_ROLLUPS, _filled_by(guests),
        ))  # fmt: skip
    return sorted(rows, key=lambda row: -row.io if not isinstance(row.io, Absent) else 0.0)


# channel paths, exceptions


def channel_rows(members: Iterable[Member]) -> tuple[ChannelRow, ...]:
    """Return the channel paths: by the machine the highest figure, by the partitions their sum, and the gap.

    Two recordings of one partition count once.
    """
    by_channel: dict[tuple[str, str], dict[str, tuple[Value, Number, Number]]] = {}
    for member in members:
        for channel in member.channels:
            partition = member.machine.get("lpar_name", "") or member.name
            by_channel.setdefault((channel.cpc, channel.chpid), {})[partition] = (
                channel.type,
                channel.all,
                channel.own,
            )
    rows = []
    for (cpc, chpid), seen in sorted(by_channel.items()):
        busiest = max(100 * float(used) for _, used, _ in seen.values() if not isinstance(used, Absent))
        owns = [own for _, _, own in seen.values()]
        whole: Number = NOT_MEASURED
        if not any(isinstance(own, Absent) for own in owns):
            whole = 100 * sum(owns)
        code = next(iter(seen.values()))[0]
        kind = channel_type(code) if isinstance(code, int) else code if isinstance(code, str) else ""
        gap = whole if isinstance(whole, Absent) else max(busiest - whole, 0.0)
        rows.append(ChannelRow(cpc, chpid, kind, len(seen), busiest, whole, gap))
    return tuple(rows)


def exception_rows(members: Iterable[Member]) -> tuple[ExceptionRow, ...]:
    """Return the exceptions of all guests, the heaviest first."""
    pairs = [(entry, member) for member in members for entry in _entries(member)]
    pairs.sort(key=lambda pair: (pair[0].heaviness, pair[1].name))
    return tuple(
        ExceptionRow(
            m.name, LEVELS[e.level], e.begin, e.end, e.rule, sentence(e, is_measured=bool(m.channels)), m.path
        )
        for e, m in pairs
    )  # fmt: skip


def _entries(member: Member) -> Sequence[ExceptionEntry]:
    return () if isinstance(member.exceptions, Absent) else member.exceptions


def sentence(entry: ExceptionEntry, *, is_measured: bool) -> str:
    """Return what an exception says; the load of a channel path is marked where it was not measured."""
    is_estimate = entry.table == CHANNEL.name and not is_measured
    return f"{entry.sentence} {OWN_ONLY}" if is_estimate else entry.sentence


def _notes(
    members: Sequence[Member],
    reporting: int,
    channels: Sequence[ChannelRow],
    sight: Sight,
    apart: Sequence[str],
) -> list[str]:
    """Say what the figures are of, and what they do not see."""
    of = many(len(members), sight.seen)
    figures = f"Figures are of {reporting} of {of}: the others report no LCU"
    if reporting == len(members):
        figures = f"Figures are of all {of}" if reporting > 1 else f"Figures are of {of}"
    elif not reporting:
        figures = f"Of {of} none reports an LCU in this time"
    elif apart:
        figures += " in this time, or ran at another"
    else:
        figures += " in this time"
    notes = [f"{figures}; z/OS and {sight.unseen} are not seen."]
    notes += _exceptions_lack(members)
    if apart:
        notes.append(
            f"Not added up: {names(apart, MAX_NAMED)}. Recorded at another time than the others, so that"
            " their sum was the rate of no moment."
        )
    if any(member.is_simulated for member in members):
        notes.append("Simulated: nothing of it is real.")
    if channels:
        gaps = [row for row in channels if not isinstance(row.gap, Absent)]
        if gaps:
            worst = max(gaps, key=lambda row: float(row.gap))  # type: ignore[arg-type]  # numbers
            notes.append(
                f"Channel {worst.chpid}: {worst.busy:.0f} % busy, {worst.own:.0f} % by the partitions that"
                f" report, {worst.gap:.0f} % by others."
            )
    else:
        notes.append(
            "No system here measures channel paths: that takes an LPAR with channel measurement."
            " An exception of a path is an estimate from the I/O of one guest."
        )
    return notes
