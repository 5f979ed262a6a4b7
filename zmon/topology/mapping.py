"""Mapping byte ranges of a device to the disks below it, by closed formulas.

Everything is counted in whole bytes: the data on all disks and what is `unplaced` add up to the ranges.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.absent import Absent
from zmon.topology import stripe
from zmon.topology.claims import Grade
from zmon.topology.stack import DEPTH
from zmon.topology.stripe import ByteRange, LegPlace, LegRange
from zmon.topology.target import Layout, Leg, describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.topology.claims import Evidence
    from zmon.topology.stack import BlockDevice, DeviceLayout, Stack
    from zmon.topology.target import Target


STEPS: Final = 100_000
"""So often one range may come to a device; more than that only tables do that make no sense."""
TEETH: Final = 20_000
"""Rows of parity on a striped device are gone through one by one up to this number, else shared out."""


class ByteMapping(NamedTuple):
    """Where bytes lie."""

    data: dict[str, int]
    """Bytes on each leaf, by its number; each byte once, where its first copy is."""
    copies: dict[str, int]
    """Bytes there besides: further copies of mirrors, and parity."""
    grade: Grade
    """Of the worst of the steps."""
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]
    """What a person must know to trust it."""
    unplaced: int = 0
    """Bytes whose leaf is not known."""
    among: tuple[str, ...] = ()
    """The leaves that the unplaced bytes may lie on."""
    lacking: tuple[str, ...] = ()
    """Why it is not known how some device lies, in words a person can act on."""


class BytePlace(NamedTuple):
    """Where one byte lies."""

    leaf: str
    offset: int
    run: int
    """For so many bytes from there on the next bytes lie one after the other."""


def map_ranges(stack: Stack, number: str, ranges: Iterable[tuple[int, int]]) -> ByteMapping:
    """Return where ranges `[begin, end)` of a device lie, in bytes.

    What cannot be placed is `unplaced`, a note says why, and the grade falls; nothing is raised.
    Ranges that overlap count twice.
    """
    way = _Way(stack)
    for begin, end in ranges:
        if begin < end:
            way.start(number, ByteRange(begin, end))
    return way.arrived(number)


def map_whole(stack: Stack, number: str) -> ByteMapping:
    """Return where a whole device lies, for things on it of which nothing closer is known.

    The grade is `SHARES` at best.
    """
    node = stack.node(number)
    if node is None or isinstance(node.size, Absent):
        leaves = tuple(stack.leaves(number))
        return ByteMapping(
            {}, {}, Grade.SET if node else Grade.UNKNOWN, (), ("its size is not known",), 0, leaves
        )
    whole = map_ranges(stack, number, [(0, int(node.size))])
    return whole._replace(grade=min(whole.grade, Grade.SHARES))


class _Way:
    """One descent under way."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.data: dict[str, int] = {}
        self.copies: dict[str, int] = {}
        self.grade = Grade.EXACT
        self.notes: dict[str, None] = {}
        self.lacking: dict[str, None] = {}
        self.unplaced = 0
        self.among: dict[str, None] = {}
        self.seen: dict[str, None] = {}
        self.steps = 0
        self.above: list[str] = []
        """The devices that were gone through to where it is now."""

    def start(self, number: str, stretch: ByteRange) -> None:
        """Go down with one range."""
        if self.steps <= STEPS:  # else the table makes no sense, for this range neither
            self.steps = 0
        self.go(number, stretch, copy=False)

    def arrived(self, number: str) -> ByteMapping:
        """Return what was found."""
        seen = dict.fromkeys(
            step for here in self.seen for step in self.stack.lying(here).straight or (here,)
        )
        evidence = tuple(self.stack.evidence(here) for here in seen if self.stack.segments(here) != ())
        among = tuple(leaf for leaf in self.stack.leaves(number) if leaf in self.among) if self.among else ()
        return ByteMapping(
            self.data,
            self.copies,
            self.grade,
            evidence,
            tuple(self.notes),
            self.unplaced,
            among,
            tuple(self.lacking),
        )

    # --- one device ---------------------------------------------------------------------------

    def go(self, number: str, stretch: ByteRange, *, copy: bool, by: int = 0) -> None:
        """Go on down from a device with some of its bytes, which lie `by` further on there."""
        self.seen[number] = None
        known = self.stack.lying(number)
        if known.straight and stretch.begin + by >= 0 and stretch.end + by <= (known.size or 0):
            self.count(known.straight[-1], stretch.size(), copy=copy)
            return
        self.steps += 1
        if self.steps > STEPS or len(self.above) >= DEPTH or number in self.above:
            self.lose(
                stretch, "the devices stand on one another in circles, or in too many layers", copy=copy
            )
            return
        within = self.within(known, stretch.moved(by), copy=copy)
        if within is None:
            return
        if known.reason:
            self.lacking[f"{known.title}: {known.reason}"] = None
            self.somewhere(number, within.size(), copy=copy)
        elif known.segments:
            self.above.append(number)
            self.through(known, within, copy=copy)
            self.above.pop()
        else:
            self.leaf(number, known.node, within.size(), copy=copy)

    def within(self, known: DeviceLayout, stretch: ByteRange, *, copy: bool) -> ByteRange | None:
        """Return what of a stretch lies on the device at all."""
        end = known.size
        if stretch.begin >= 0 and (end is None or stretch.end <= end):
            return stretch
        last = stretch.end if end is None else end
        note = f"{known.title}: some bytes would lie beyond its end"
        if stretch.end <= 0 or stretch.begin >= last:
            self.lose(stretch, note, copy=copy)
            return None
        if stretch.begin < 0:
            self.lose(stretch.cut(stretch.begin, 0), note, copy=copy)
        if stretch.end > last:
            self.lose(stretch.cut(last, stretch.end), note, copy=copy)
        return stretch.cut(0, last)

    def leaf(self, number: str, node: BlockDevice | None, count: int, *, copy: bool) -> None:
        """Arrive."""
        self.count(number, count, copy=copy)
        if node is None:
            self.worsen(Grade.SET, f"{number} is not among the devices that were read")
        elif node.multipath:
            wwid = f" ({node.wwid})" if node.wwid else ""
            self.note(f"{node.title}{wwid}: {self.stack.what(number)}")
        elif isinstance(node.file, str):
            self.note(f"{node.title} lies in the file {node.file}")
            if isinstance(node.table, Absent):
                self.lacking[f"{node.title}: {node.table.reason}"] = None

    def count(self, leaf: str, count: int, *, copy: bool) -> None:
        """Count bytes on a leaf."""
        if count:
            into = self.copies if copy else self.data
            into[leaf] = into.get(leaf, 0) + count

    def through(self, known: DeviceLayout, stretch: ByteRange, *, copy: bool) -> None:
        """Part a stretch among the segments of a device."""
        at = stretch.begin
        first = max(0, bisect_right(known.starts, at) - 1)
        for target in islice(known.segments, first, None):
            if target.start >= stretch.end:
                break
            if target.end <= at:
                continue
            if at < target.start:
                self.lose(
                    stretch.cut(at, target.start), f"{known.title}: no segment for some bytes", copy=copy
                )
            part = stretch.cut(target.start, target.end)
            self.target(known, target, part.moved(-target.start), copy=copy)
            at = part.end
        if at < stretch.end:
            self.lose(stretch.cut(at, stretch.end), f"{known.title}: no segment for some bytes", copy=copy)

    # --- one target ---------------------------------------------------------------------------

    def target(self, known: DeviceLayout, target: Target, stretch: ByteRange, *, copy: bool) -> None:
        """Go on through a target with some of its bytes, counted from its begin."""
        if target.note:
            self.note(f"{known.title}: {target.note}")
        match target.layout:
            case Layout.LINEAR:
                self.leg(known, target.legs[0], stretch, copy=copy)
            case Layout.MIRROR:
                self.mirror(known, target, stretch, copy=copy)
            case Layout.STRIPED | Layout.PARITY | Layout.NEAR:
                self.striped(known, target, stretch, copy=copy)
            case Layout.EVEN:
                self.evenly(known, target, stretch, copy=copy)
            case Layout.SOMEWHERE | Layout.PATHS:
                self.worsen(Grade.SHARES)
                self.anywhere((leg.device for leg in target.legs if leg.device), stretch.size(), copy=copy)
            case Layout.NOWHERE:
                self.lose(stretch, f"{known.title}: {describe(target)}", copy=copy, grade=Grade.EXACT)

    def leg(self, known: DeviceLayout, leg: Leg, stretch: ByteRange, *, copy: bool) -> None:
        if leg.device:
            self.go(leg.device, stretch, copy=copy, by=leg.offset)
        else:
            self.lose(stretch, f"{known.title} runs without one of its devices", copy=copy)

    def mirror(self, known: DeviceLayout, target: Target, stretch: ByteRange, *, copy: bool) -> None:
        legs = [leg for leg in target.legs if leg.device]
        if len(legs) < len(target.legs):
            self.note(f"{known.title} runs without one of its devices")
        if not legs:
            self.lose(stretch, f"{known.title} has no device left", copy=copy)
        for place, leg in enumerate(legs):
            self.leg(known, leg, stretch, copy=copy or place > 0)

    def striped(self, known: DeviceLayout, target: Target, stretch: ByteRange, *, copy: bool) -> None:
        if stretch.period and (stretch.end - stretch.begin) // stretch.period > TEETH:
            self.shared_out(known, target, stretch, copy=copy)
            return
        for tooth in stretch.teeth():
            for leg, piece, further in _pieces(target, tooth.begin, tooth.end):
                self.leg(known, target.legs[leg], piece, copy=copy or further)

    def evenly(self, known: DeviceLayout, target: Target, stretch: ByteRange, *, copy: bool) -> None:
        """Share out what lies in an order that is not known."""
        self.worsen(Grade.SHARES)
        legs = [leg.device for leg in target.legs if leg.device]
        if not legs:
            self.lose(stretch, f"{known.title} has no device left", copy=copy)
            return
        for number in range(target.copies):
            for share, device in zip(_shares(stretch.size(), len(legs)), legs, strict=True):
                self.somewhere(device, share, copy=copy or number > 0)

    def shared_out(self, known: DeviceLayout, target: Target, stretch: ByteRange, *, copy: bool) -> None:
        """Place a stretch that has a pattern as if it were the whole, and count in proportion."""
        self.worsen(Grade.SHARES, f"{known.title}: counted in proportion, not row by row")
        whole = _Way(self.stack)
        whole.above, whole.steps = self.above, self.steps
        whole.striped(known, target, ByteRange(stretch.begin, stretch.end), copy=False)
        self.steps = whole.steps
        part, all_of_it = stretch.size(), stretch.end - stretch.begin
        for found, further in ((whole.data, copy), (whole.copies, True)):
            for leaf, count in found.items():
                self.count(leaf, count * part // all_of_it, copy=further)
        rest = part - sum(count * part // all_of_it for count in whole.data.values())
        most = max(whole.data, key=lambda leaf: whole.data[leaf], default="")
        if whole.unplaced or not most:
            self.among.update(whole.among)
            self.unplaced += 0 if copy else rest
        else:
            self.count(most, rest, copy=copy)
        self.grade = min(self.grade, whole.grade)
        self.notes.update(whole.notes)
        self.lacking.update(whole.lacking)
        self.seen.update(whole.seen)

    # --- what is not known --------------------------------------------------------------------

    def somewhere(self, number: str, count: int, *, copy: bool) -> None:
        """Count bytes that lie anywhere on a device."""
        self.seen[number] = None
        self.worsen(Grade.SHARES)
        self.anywhere(iter((number,)), count, copy=copy)

    def anywhere(self, numbers: Iterator[str], count: int, *, copy: bool) -> None:
        """Count bytes that lie anywhere on some devices: on their leaf if there is but one."""
        leaves = list(dict.fromkeys(leaf for number in numbers for leaf in self.stack.leaves(number)))
        if len(leaves) == 1:
            self.leaf(leaves[0], self.stack.node(leaves[0]), count, copy=copy)
            return
        self.worsen(Grade.SET if leaves else Grade.UNKNOWN)
        self.among.update(dict.fromkeys(leaves))
        self.unplaced += 0 if copy else count

    def lose(self, stretch: ByteRange, note: str, *, copy: bool, grade: Grade = Grade.UNKNOWN) -> None:
        """Count bytes that lie nowhere, or in no place that can be told."""
        count = stretch.size()
        if count and not copy:
            self.unplaced += count
            self.worsen(grade, note)

    def worsen(self, grade: Grade, note: str = "") -> None:
        self.grade = min(self.grade, grade)
        if note:
            self.note(note)

    def note(self, note: str) -> None:
        self.notes[note] = None


def _pieces(target: Target, begin: int, end: int) -> Iterator[LegRange]:
    """Return what of the bytes of a striped target lies on each leg."""
    legs = len(target.legs)
    match target.layout:
        case Layout.PARITY:
            return stripe.parity(stripe.rows(target.kind, legs), legs, target.chunk, begin, end)
        case Layout.NEAR:
            return stripe.near(legs, target.copies, target.chunk, begin, end)
    return stripe.striped(legs, target.chunk, begin, end)


def _shares(count: int, legs: int) -> list[int]:
    share, rest = divmod(count, legs)
    return [share + (leg < rest) for leg in range(legs)]


# --- one byte ---------------------------------------------------------------------------------


def locate_byte(stack: Stack, number: str, offset: int) -> list[BytePlace]:
    """Return where the byte at an offset lies, in all its copies, the first first.

    Empty where that is not known.  Parity is no copy.
    """
    found: list[BytePlace] = []
    ahead: list[tuple[str, int, int | None, int]] = [(number, offset, None, 0)]
    for _ in range(STEPS):
        if not ahead:
            break
        here, at, run, depth = ahead.pop()
        lying = stack.lying(here)
        if at < 0 or lying.reason or (lying.size is not None and at >= lying.size) or depth >= DEPTH:
            continue
        if lying.size is not None:
            run = lying.size - at if run is None else min(run, lying.size - at)
        if not lying.segments:
            found.append(BytePlace(here, at, 1 if run is None else run))
            continue
        place = bisect_right(lying.starts, at) - 1
        target = lying.segments[max(place, 0)]
        if not target.start <= at < target.end:
            continue
        left = target.end - at if run is None else min(run, target.end - at)
        for spot in reversed(_spots(target, at - target.start)):
            leg = target.legs[spot.leg]
            if leg.device:
                ahead.append((leg.device, spot.offset + leg.offset, min(left, spot.run or left), depth + 1))
    return found


def _spots(target: Target, x: int) -> list[LegPlace]:
    """Return where byte `x` of a target lies on its legs; a run of 0 lasts to the end of the target."""
    legs = len(target.legs)
    match target.layout:
        case Layout.LINEAR | Layout.MIRROR:
            return [LegPlace(leg, x, 0) for leg in range(legs)]
        case Layout.STRIPED:
            return [stripe.striped_at(legs, target.chunk, x)]
        case Layout.PARITY:
            return [stripe.parity_at(stripe.rows(target.kind, legs), target.chunk, x)]
        case Layout.NEAR:
            return stripe.near_at(legs, target.copies, target.chunk, x)
    return []
