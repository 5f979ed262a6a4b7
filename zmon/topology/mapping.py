"""Mapping byte ranges of a device to the disks below it, by closed formulas.

Everything is counted in whole bytes: the data on all disks and what is `unplaced` add up to the ranges.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, chain, islice, pairwise

from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.topology import stripe
from zmon.topology.claims import Grade
from zmon.topology.stack import DEPTH
from zmon.topology.stripe import ByteRange, LegRange
from zmon.topology.target import Leg, TargetLayout, describe

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from zmon.topology.claims import Evidence
    from zmon.topology.stack import BlockDevice, DeviceLayout, Stack
    from zmon.topology.target import Target

STEPS: Final = 100_000
"""Maximum number of times that one range may reach the same device; only invalid tables exceed it."""
TEETH: Final = 20_000
"""Up to this number, rows of parity on a striped device are mapped one by one, else in proportion."""


class ByteMapping:
    """The bytes per leaf, counted while ranges are mapped; mappings can be added."""

    def __init__(self, grade: Grade = Grade.EXACT) -> None:
        """Begin with no bytes."""
        self.data: dict[str, int] = {}
        """Bytes on each leaf, by its number; each byte once, where its first copy is."""
        self.copies: dict[str, int] = {}
        """Bytes there besides: further copies of mirrors, and parity."""
        self.grade = grade
        """That of the worst step."""
        self.unplaced = 0
        """Bytes whose leaf is not known."""
        self.among: dict[str, None] = {}
        """The leaves that the unplaced bytes may lie on."""
        self.is_uneven = False
        """Whether segments differ of which only the devices are known: a part lies on any of these."""
        self.notes: dict[str, None] = {}
        """The assumptions of the mapping."""
        self.lacking: dict[str, None] = {}
        """The reasons why the layout of a device is unknown, and what to do."""
        self.evidence: dict[tuple[str, str], Evidence] = {}

    def count(self, leaf: str, count: int, *, copy: bool = False) -> None:
        """Count bytes on a leaf."""
        if count:
            into = self.copies if copy else self.data
            into[leaf] = into.get(leaf, 0) + count

    def add_unplaced(self, count: int, *, copy: bool = False) -> None:
        """Count bytes as unplaced; further copies are not counted."""
        self.unplaced += 0 if copy else count

    def worsen(self, grade: Grade, lacking: str = "", note: str = "") -> None:
        """Lower the grade, for a reason."""
        self.grade = min(self.grade, grade)
        if lacking:
            self.lacking[lacking] = None
        if note:
            self.notes[note] = None

    def prove(self, evidence: Iterable[Evidence]) -> None:
        """Add evidence, each once."""
        for piece in evidence:
            self.evidence.setdefault((piece.source, piece.said), piece)

    def add(self, other: ByteMapping, *, copy: bool = False) -> None:
        """Add another mapping; all of it is copies if what was mapped is a copy."""
        self.worsen(other.grade)
        for leaf, count in other.data.items():
            self.count(leaf, count, copy=copy)
        for leaf, count in other.copies.items():
            self.count(leaf, count, copy=True)
        self.add_unplaced(other.unplaced, copy=copy)
        self.among.update(other.among)
        self.is_uneven |= other.is_uneven
        self.notes.update(other.notes)
        self.lacking.update(other.lacking)
        self.prove(other.evidence.values())

    def scaled(self, size: int) -> ByteMapping:
        """Return the mapping of a part of which only the size is known, in proportion to the whole."""
        part = ByteMapping(self.grade)
        part.notes, part.lacking, part.evidence = self.notes, self.lacking, self.evidence
        total = sum(self.data.values()) + self.unplaced
        if (
            not total or (self.unplaced and self.among) or (self.is_uneven and size < total)
        ):  # the shares of the leaves are unknown
            leaves = dict.fromkeys(chain(self.data, self.among))
            if len(leaves) == 1 and self.grade >= Grade.SET:  # wherever on it
                part.grade, part.data = Grade.SHARES, dict.fromkeys(leaves, size)
                return part
            part.worsen(Grade.SET)
            part.among = leaves
            part.unplaced = size
            return part
        part.among = self.among
        part.data = dict(zip(self.data, split_whole(size, self.data.values(), total), strict=True))
        part.copies = {leaf: count * size // total for leaf, count in self.copies.items()}
        part.unplaced = size - sum(part.data.values())
        return part


def split_whole(size: int, weights: Collection[int], whole: int = 0) -> list[int]:
    """Divide `size` bytes by weights into whole numbers, which add up to it if the weights are the whole."""
    whole = whole or sum(weights) or 1
    cut = (end * size // whole for end in accumulate(weights, initial=0))
    return [end - begin for begin, end in pairwise(cut)]


def equal_shares(count: int, parts: int) -> list[int]:
    """Divide bytes evenly; the first parts have one more if it does not come out even."""
    share, rest = divmod(count, parts)
    return [share + (part < rest) for part in range(parts)]


def map_ranges(stack: Stack, number: str, ranges: Iterable[tuple[int, int]]) -> ByteMapping:
    """Return where ranges `[begin, end)` of a device lie, in bytes.

    What cannot be placed is `unplaced`, a note says why, and the grade falls; nothing is raised.
    Ranges that overlap count twice.
    """
    walk = _Walk(stack)
    for begin, end in ranges:
        if begin < end:
            walk.start(number, ByteRange(begin, end))
    walk.finish(number)
    return walk


def map_whole(stack: Stack, number: str) -> ByteMapping:
    """Return the mapping of a whole device, for data in an unknown place on it.

    The grade is `SHARES` at best.
    """
    node = stack.node(number)
    if node is not None and isinstance(node.size, Absent) and (segments := stack.layout(number).segments):
        mapping = map_ranges(stack, number, [(0, segments[-1].end)])  # in proportion
        mapping.worsen(Grade.SHARES, note=f"the size of {stack.title(number)} is not known")
        return mapping
    if node is None or isinstance(node.size, Absent):
        mapping = ByteMapping(Grade.SET if node else Grade.UNKNOWN)
        mapping.notes[f"the size of {stack.title(number)} is not known"] = None
        mapping.among = dict.fromkeys(stack.leaves(number))
        return mapping
    mapping = map_ranges(stack, number, [(0, int(node.size))])
    mapping.worsen(Grade.SHARES)
    return mapping


class _Walk(ByteMapping):
    """Maps ranges of one device down the stack."""

    def __init__(self, stack: Stack) -> None:
        super().__init__()
        self.stack = stack
        self.seen: dict[str, None] = {}
        self.steps = 0
        self.above: list[str] = []
        """The devices above the current one."""

    def start(self, number: str, part: ByteRange) -> None:
        """Map one range."""
        if self.steps <= STEPS:  # else the table is invalid, for this range too
            self.steps = 0
        self.go(number, part, copy=False)

    def finish(self, number: str) -> None:
        """Add the evidence, and put the leaves in order."""
        seen = dict.fromkeys(
            step for here in self.seen for step in self.stack.layout(here).straight or (here,)
        )
        self.prove(self.stack.evidence(here) for here in seen if self.stack.segments(here) != ())
        if self.among:
            self.among = {leaf: None for leaf in self.stack.leaves(number) if leaf in self.among}

    # --- one device ---------------------------------------------------------------------------

    def go(self, number: str, part: ByteRange, *, copy: bool, by: int = 0) -> None:
        """Map some bytes of a device, at an offset of `by` bytes there."""
        self.seen[number] = None
        layout = self.stack.layout(number)
        if layout.straight and part.begin + by >= 0 and part.end + by <= (layout.size or 0):
            self.count(layout.straight[-1], part.size(), copy=copy)
            return
        self.steps += 1
        if self.steps > STEPS or len(self.above) >= DEPTH or number in self.above:
            self.miss(part, "the devices form a circle, or too many layers", copy=copy)
            return
        within = self.within(layout, part.moved(by), copy=copy)
        if within is None:
            return
        if layout.reason:
            self.lacking[f"{layout.title}: {layout.reason}"] = None
            self.somewhere(number, within.size(), copy=copy)
        elif layout.segments:
            self.above.append(number)
            self.through(layout, within, copy=copy)
            self.above.pop()
        else:
            self.leaf(number, layout.node, within.size(), copy=copy)

    def within(self, layout: DeviceLayout, part: ByteRange, *, copy: bool) -> ByteRange | None:
        """Return the part of a range that is within the device."""
        last = part.end if layout.size is None else layout.size
        if part.begin >= 0 and part.end <= last:
            return part
        note = f"{layout.title}: some bytes would lie beyond its end"
        if part.end <= 0 or part.begin >= last:
            self.miss(part, note, copy=copy)
            return None
        if part.begin < 0:
            self.miss(part.cut(part.begin, 0), note, copy=copy)
        if part.end > last:
            self.miss(part.cut(last, part.end), note, copy=copy)
        return part.cut(0, last)

    def leaf(self, number: str, node: BlockDevice | None, count: int, *, copy: bool) -> None:
        """Count bytes on a device without devices below it."""
        self.count(number, count, copy=copy)
        if node is None:
            self.worsen(Grade.SET, note=f"{number} is not among the devices that were read")
        elif node.multipath:
            wwid = f" ({node.wwid})" if node.wwid else ""
            self.notes[f"{node.title}{wwid}: {self.stack.what(number)}"] = None
        elif isinstance(node.file, str):
            self.notes[f"{node.title} lies in the file {node.file}"] = None
            if isinstance(node.table, Absent):
                self.lacking[f"{node.title}: {node.table.reason}"] = None
                self.worsen(Grade.UNKNOWN)

    def through(self, layout: DeviceLayout, part: ByteRange, *, copy: bool) -> None:
        """Divide a range among the segments of a device."""
        at = part.begin
        note = f"{layout.title}: no segment for some bytes"
        for target in islice(layout.segments, max(0, bisect_right(layout.starts, at) - 1), None):
            if target.start >= part.end:
                break
            if target.end <= at:
                continue
            if at < target.start:
                self.miss(part.cut(at, target.start), note, copy=copy)
            inside = part.cut(target.start, target.end)
            self.target(layout, target, inside.moved(-target.start), copy=copy)
            at = inside.end
        if at < part.end:
            self.miss(part.cut(at, part.end), note, copy=copy)

    # --- one target ---------------------------------------------------------------------------

    def target(self, layout: DeviceLayout, target: Target, part: ByteRange, *, copy: bool) -> None:
        """Map some bytes of a target, counted from its begin."""
        if target.note:
            self.notes[f"{layout.title}: {target.note}"] = None
        match target.layout:
            case TargetLayout.LINEAR:
                self.leg(layout, target.legs[0], part, copy=copy)
            case TargetLayout.MIRROR:
                self.mirror(layout, target, part, copy=copy)
            case TargetLayout.STRIPED | TargetLayout.PARITY | TargetLayout.NEAR:
                self.striped(layout, target, part, copy=copy)
            case TargetLayout.EVEN:
                self.evenly(layout, target, part, copy=copy)
            case TargetLayout.SOMEWHERE | TargetLayout.PATHS:
                self.worsen(Grade.SHARES)
                self.anywhere((leg.device for leg in target.legs if leg.device), part.size(), copy=copy)
            case TargetLayout.NOWHERE:
                self.miss(part, f"{layout.title}: {describe(target)}", copy=copy, grade=Grade.EXACT)

    def leg(self, layout: DeviceLayout, leg: Leg, part: ByteRange, *, copy: bool) -> None:
        if leg.device:
            self.go(leg.device, part, copy=copy, by=leg.offset)
        else:
            self.miss(part, f"{layout.title} runs without one of its devices", copy=copy)

    def mirror(self, layout: DeviceLayout, target: Target, part: ByteRange, *, copy: bool) -> None:
        legs = [leg for leg in target.legs if leg.device]
        if len(legs) < len(target.legs):
            self.notes[f"{layout.title} runs without one of its devices"] = None
        if not legs:
            self.miss(part, f"{layout.title} has no device left", copy=copy)
        for place, leg in enumerate(legs):
            self.leg(layout, leg, part, copy=copy or place > 0)

    def striped(self, layout: DeviceLayout, target: Target, part: ByteRange, *, copy: bool) -> None:
        if part.period and (part.end - part.begin) // part.period > TEETH:
            self.in_proportion(layout, target, part, copy=copy)
            return
        for tooth in part.teeth():
            for leg, piece, further in _pieces(target, tooth.begin, tooth.end):
                self.leg(layout, target.legs[leg], piece, copy=copy or further)

    def evenly(self, layout: DeviceLayout, target: Target, part: ByteRange, *, copy: bool) -> None:
        """Map bytes in equal shares, because their order is unknown."""
        self.worsen(Grade.SHARES)
        self.is_uneven |= not target.note and len({other.legs for other in layout.segments}) > 1
        legs = [leg.device for leg in target.legs if leg.device]
        if not legs:
            self.miss(part, f"{layout.title} has no device left", copy=copy)
            return
        for number in range(target.copies):
            for share, device in zip(equal_shares(part.size(), len(legs)), legs, strict=True):
                self.somewhere(device, share, copy=copy or number > 0)

    def in_proportion(self, layout: DeviceLayout, target: Target, part: ByteRange, *, copy: bool) -> None:
        """Map a range that has a pattern as if it were the whole, and count in proportion."""
        self.worsen(Grade.SHARES, note=f"{layout.title}: counted in proportion, not row by row")
        whole = _Walk(self.stack)
        whole.above, whole.steps, whole.seen = self.above, self.steps, self.seen
        whole.striped(layout, target, ByteRange(part.begin, part.end), copy=False)
        self.steps = whole.steps
        self.add(whole.scaled(part.size()), copy=copy)

    # --- unknown places --------------------------------------------------------------------

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
        self.add_unplaced(count, copy=copy)

    def miss(self, part: ByteRange, note: str, *, copy: bool, grade: Grade = Grade.UNKNOWN) -> None:
        """Count bytes on no device, or in an unknown place."""
        count = part.size()
        if count and not copy:
            self.add_unplaced(count)
            self.worsen(grade, note=note)


def _pieces(target: Target, begin: int, end: int) -> Iterator[LegRange]:
    """Return the bytes of a striped target on each leg."""
    legs = len(target.legs)
    match target.layout:
        case TargetLayout.PARITY:
            return stripe.parity(stripe.rows(target.kind, legs), legs, target.chunk, begin, end)
        case TargetLayout.NEAR:
            return stripe.near(legs, target.copies, target.chunk, begin, end)
    return stripe.striped(legs, target.chunk, begin, end)
