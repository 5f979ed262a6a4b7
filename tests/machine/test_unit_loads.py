from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kinds import BLOCK, LAYER, UNIT, UNIT_IO
from zmon.machine.unit_loads import UnitLoads
from zmon.machine.view import View
from zmon.sample import Instant, Sample, empty_frame, frame_of
from zmon.tables.user import disk_table, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value
    from zmon.sample import Frame

SECOND = 1_000_000_000
DISKS = {"94:0": "dasda", "94:4": "dasdb"}
DB, BACKUP = "/system.slice/db2inst1.service", "/system.slice/backup.service"
UDEV = "/system.slice/systemd-udevd.service"
"""It reads the paths of multipath devices, as nobody else does."""


def sample(
    second: int,
    units: Mapping[tuple[str, str], tuple[int, int]],
    disks: Mapping[str, tuple[int, int]],
    inodes: Mapping[str, str] | None = None,
) -> Sample:
    """Return what was counted by a time: of units and disks the bytes read and the I/Os."""
    now = second * SECOND
    zero: dict[str, Value] = dict.fromkeys(("wbytes", "dbytes", "wios", "dios"), 0)
    io: dict[str, dict[str, Value]] = {}
    for (unit, number), (read, ios) in units.items():
        io[f"{number} {unit}"] = {**zero, "unit": unit, "device": number, "rbytes": read, "rios": ios}
    blocks: dict[str, dict[str, Value]] = {
        DISKS.get(number, f"loop{number[2:]}"): {
            "number": number, "sectors_read": read // 512, "sectors_written": 0, "reads": ios, "writes": 0,
        }
        for number, (read, ios) in disks.items()
    }  # fmt: skip
    names: dict[str, dict[str, Value]] = {}
    for unit, _ in units:
        names[unit] = {"incarnation": (inodes or {}).get(unit) or absent("none")}
    found: list[Frame] = [
        frame_of(UNIT_IO, io, now), frame_of(BLOCK, blocks, now), frame_of(UNIT, names, now),
        empty_frame(LAYER, "none"),
    ]  # fmt: skip
    return Sample(Instant(now, now, "boot"), {frame.kind.name: frame for frame in found})


def test_units_and_the_rest_are_what_the_disks_did() -> None:
    """Bytes a second, by unit and disk; what nobody is charged for is the rest."""
    before = sample(0, {(DB, "94:0"): (0, 0), (BACKUP, "94:0"): (512, 1)}, {"94:0": (0, 0), "94:4": (0, 0)})
    after = sample(
        10,
        {(DB, "94:0"): (51200, 100), (BACKUP, "94:0"): (512, 1), (DB, "94:4"): (10240, 20)},
        {"94:0": (102400, 50), "94:4": (10240, 20)},
    )
    loads = UnitLoads(Interval(before, after))
    assert {unit: {number: one.bytes for number, one in of.items()} for unit, of in loads.of.items()} == {
        DB: {"94:0": 5120, "94:4": 1024}
    }
    assert {number: one.bytes for number, one in loads.rest.items()} == {"94:0": 5120, "94:4": 0}
    assert loads.rest["94:0"].ios == -5  # more were submitted than have completed


def test_ios_of_the_rest_are_those_submitted_as_are_those_of_units() -> None:
    """A disk that did 66 writes, to which Linux had merged 52, was given 118."""
    before = sample(0, {(DB, "94:0"): (0, 0)}, {"94:0": (0, 0)})
    after = sample(10, {(DB, "94:0"): (51200, 65)}, {"94:0": (102400, 66)})
    for one, merged in ((before, 0), (after, 52)):
        blocks = one.frame(BLOCK)
        columns = {**blocks.columns, "reads_merged": [merged], "writes_merged": [0]}
        one.frames[BLOCK.name] = blocks.but(columns=columns)  # type: ignore[index]  # it is a dict here
    assert UnitLoads(Interval(before, after)).rest["94:0"].ios == pytest.approx(5.3)


def test_rates_of_units_are_over_the_time_between_their_own_readings() -> None:
    """The first sample loads modules as it goes, so it may read the units seconds after the disks."""
    before = sample(0, {(DB, "94:0"): (0, 0)}, {"94:0": (0, 0)})
    late = sample(4, {(DB, "94:0"): (4096 * 40, 40)}, {"94:0": (4096 * 40, 40)})
    before = before._replace(frames={**before.frames, "unit_io": late.frame(UNIT_IO)})
    after = sample(10, {(DB, "94:0"): (4096 * 100, 100)}, {"94:0": (4096 * 100, 100)})
    loads = UnitLoads(Interval(before, after))
    assert loads.of[DB]["94:0"].bytes == 40960
    assert loads.rest["94:0"].bytes == 0


@given(submitted=st.tuples(*[st.integers(0, 10**6)] * 3), completed=st.tuples(*[st.integers(0, 10**6)] * 2))
def test_shares_are_100_percent_together_at_most(
    submitted: tuple[int, int, int], completed: tuple[int, int]
) -> None:
    """Units submit in a short interval what disks complete in the next, so they may have much more."""
    on = ((DB, "94:0"), (BACKUP, "94:0"), (DB, "94:4"))
    units = {key: (sectors * 512, 1) for key, sectors in zip(on, submitted, strict=True)}
    done = {number: (sectors * 512, 1) for number, sectors in zip(DISKS, completed, strict=True)}
    before = sample(0, dict.fromkeys(units, (0, 0)), dict.fromkeys(done, (0, 0)))
    view = View(Interval(before, sample(1, units, done)))
    lines = disk_table(view)
    shares: dict[object, float] = {}
    for addr, share in zip(lines.column("addr"), lines.column("share"), strict=True):
        shares[addr] = shares.get(addr, 0.0) + (0.0 if isinstance(share, Absent) else float(share))
    assert all(share <= 100.001 for share in shares.values())
    assert (
        sum(float(share) for share in table(view).column("share") if not isinstance(share, Absent)) <= 100.001
    )


def test_a_unit_with_more_than_the_disk_has_all_of_it() -> None:
    """I/O that is submitted and not complete counts for units only; two share what they submitted."""
    before = sample(0, {(DB, "94:0"): (0, 0), (BACKUP, "94:0"): (0, 0)}, {"94:0": (0, 0)})
    one = sample(10, {(DB, "94:0"): (51712, 101), (BACKUP, "94:0"): (0, 0)}, {"94:0": (51200, 100)})
    assert disk_table(View(Interval(before, one))).column("share") == [100.0]
    both = sample(10, {(DB, "94:0"): (90000, 9), (BACKUP, "94:0"): (30000, 3)}, {"94:0": (51200, 100)})
    assert disk_table(View(Interval(before, both))).column("share") == [75.0, 25.0]


def test_a_unit_that_came_began_at_zero() -> None:
    """So did one that has the path of another one now, or whose counts fell."""
    before = sample(0, {(DB, "94:0"): (9000, 9)}, {"94:0": (0, 0)}, {DB: "1"})
    came = {(DB, "94:0"): (9000, 9), (BACKUP, "94:0"): (4000, 4)}
    loads = UnitLoads(Interval(before, sample(1, came, {"94:0": (0, 0)}, {DB: "1"})))
    assert {unit: of["94:0"].bytes for unit, of in loads.of.items()} == {BACKUP: 4000}
    again = sample(1, {(DB, "94:0"): (9100, 9)}, {"94:0": (0, 0)}, {DB: "2"})
    assert UnitLoads(Interval(before, again)).of[DB]["94:0"].bytes == 9100
    fell = sample(1, {(DB, "94:0"): (100, 1)}, {"94:0": (0, 0)}, {DB: "1"})
    assert UnitLoads(Interval(before, fell)).of[DB]["94:0"].bytes == 100


def test_without_two_samples_nothing_is_known() -> None:
    """And it says why; so does a system that counts no I/O of units."""
    one = sample(0, {(DB, "94:0"): (0, 0)}, {"94:0": (0, 0)})
    assert isinstance(UnitLoads(Interval(None, one)).missing, Absent)
    none = one._replace(frames={**one.frames, "unit_io": empty_frame(UNIT_IO, "no counts")})
    assert UnitLoads(Interval(none, one)).missing == absent("no counts")


counted = st.dictionaries(
    st.tuples(st.sampled_from([DB, BACKUP]), st.sampled_from(sorted(DISKS))),
    st.tuples(st.integers(0, 1 << 40).map(lambda n: n * 512), st.integers(0, 1 << 20)),
)


@given(counted, counted, st.tuples(st.integers(0, 1 << 40), st.integers(0, 1 << 40)))
def test_the_sum_is_that_of_the_disks(
    first: dict[tuple[str, str], tuple[int, int]],
    more: dict[tuple[str, str], tuple[int, int]],
    own: tuple[int, int],
) -> None:
    """For each disk, whatever was counted: units and the rest together are its bytes."""
    last = {
        key: tuple(map(sum, zip(first.get(key, (0, 0)), more.get(key, (0, 0)), strict=True)))
        for key in {**first, **more}
    }
    disks = {
        number: (sum(read for (_, on), (read, _) in more.items() if on == number) + each * 512, 0)
        for number, each in zip(DISKS, own, strict=True)
    }
    loads = UnitLoads(Interval(sample(0, first, dict.fromkeys(DISKS, (0, 0))), sample(2, last, disks)))  # type: ignore[arg-type]
    for number, one in loads.disks.items():
        units = sum(of[number].bytes for of in loads.of.values() if number in of)
        assert units + loads.rest[number].bytes == pytest.approx(one.bytes)
        assert one.bytes == pytest.approx(disks[number][0] / 2)


class Stack(NamedTuple):
    """Block devices, numbered from 0, and what is done on them."""

    made: list[tuple[str, list[int]]]
    """For each device its sort, and which of those before it are below it."""
    done: list[tuple[str, int, int]]
    """Who (nobody: the kernel itself) reads how many sectors, and from which device."""


@st.composite
def stacks(draw: st.DrawFn) -> Stack:
    """Draw disks, multipath devices, logical volumes over any of them, and loop devices."""
    made: list[tuple[str, list[int]]] = [("disk", []) for _ in range(draw(st.integers(1, 3)))]
    for _ in range(draw(st.integers(0, 2))):
        paths = range(len(made), len(made) + draw(st.integers(1, 3)))
        made += [("path", []) for _ in paths]
        made.append(("multipath", list(paths)))
    for _ in range(draw(st.integers(0, 4))):
        usable = [number for number, (sort, _) in enumerate(made) if sort != "path"]
        sort = draw(st.sampled_from(["dm", "loop"]))
        most = 3 if sort == "dm" else 1
        made.append((sort, draw(st.lists(st.sampled_from(usable), min_size=1, max_size=most, unique=True))))
    usable = [number for number, (sort, _) in enumerate(made) if sort != "path"]
    one = st.tuples(st.sampled_from([DB, BACKUP, ""]), st.integers(0, 1 << 30), st.sampled_from(usable))
    done = draw(st.lists(one, max_size=8))
    if ways := [number for number, (sort, _) in enumerate(made) if sort == "path"]:
        path = st.tuples(st.just(UDEV), st.integers(0, 1 << 30), st.sampled_from(ways))
        done += draw(st.lists(path, max_size=2))
    return Stack(made, done)


class Kernel:
    """What a kernel counts of it."""

    def __init__(self, stack: Stack) -> None:
        """Count all that is done."""
        self.made = stack.made
        self.units: dict[tuple[str, int], int] = {}
        self.disks = dict.fromkeys(range(len(stack.made)), 0)
        self.truth: dict[tuple[str, int], int] = {}
        """What reached each leaf, and whose it was."""
        for unit, sectors, device in stack.done:
            self._read(unit, sectors * 512, device)

    def _read(self, unit: str, size: int, device: int) -> None:
        sort, below = self.made[device]
        if unit:
            self.units[unit, device] = self.units.get((unit, device), 0) + size
        self.disks[device] += size
        if sort in {"disk", "path", "multipath"}:
            leaf = next((above for above, (_, paths) in enumerate(self.made) if device in paths), device)
            leaf = leaf if sort == "path" else device
            self.truth[unit, leaf] = self.truth.get((unit, leaf), 0) + size
        if sort == "multipath":  # hands on requests, which units do not count
            self.disks[below[0]] += size
        elif below:
            part = size // 512 // len(below) * 512
            for place, lower in enumerate(below):
                self._read(unit, size - part * (len(below) - 1) if place == 0 else part, lower)

    def sample(self, second: int, *, begun: bool) -> Sample:
        """Return what was counted by a time; nothing if it has not begun."""
        now = second * SECOND
        names = {"disk": "dasd{}", "path": "sd{}", "multipath": "dm-{}", "dm": "dm-{}", "loop": "loop{}"}
        called = [names[sort].format(number) for number, (sort, _) in enumerate(self.made)]
        zero: dict[str, Value] = dict.fromkeys(("wbytes", "dbytes", "wios", "dios"), 0)
        io: dict[str, dict[str, Value]] = {
            f"9:{device} {unit}": {
                **zero, "unit": unit, "device": f"9:{device}", "rbytes": size * begun, "rios": begun,
            }
            for (unit, device), size in self.units.items()
        }  # fmt: skip
        blocks: dict[str, dict[str, Value]] = {
            called[device]: {
                "number": f"9:{device}", "sectors_read": size * begun // 512, "sectors_written": 0,
                "reads": int(begun), "writes": 0,
            }
            for device, size in self.disks.items()
        }  # fmt: skip
        layers: dict[str, dict[str, Value]] = {
            f"9:{number}": {
                "name": called[number], "parent": absent("none"),
                "below": " ".join(f"9:{lower}" for lower in below) if sort != "loop" else absent("none"),
                "uuid": "mpath-1" if sort == "multipath" else "LVM-1" if sort == "dm" else absent("none"),
            }
            for number, (sort, below) in enumerate(self.made)
        }  # fmt: skip
        found = [
            frame_of(UNIT_IO, io, now), frame_of(BLOCK, blocks, now), empty_frame(UNIT, "none"),
            frame_of(LAYER, layers, now),
        ]  # fmt: skip
        return Sample(Instant(now, now, "boot"), {frame.kind.name: frame for frame in found})


@given(stacks())
def test_no_byte_counts_twice_or_is_lost(stack: Stack) -> None:
    """Under logical volumes, loop devices and multipath: each unit has on each leaf what reached it there.

    What somebody reads of a path itself is of the multipath device, too.

    What nobody is charged for is the rest, so that all of them together are the bytes of the disks.
    """
    kernel = Kernel(stack)
    loads = UnitLoads(Interval(kernel.sample(0, begun=False), kernel.sample(1, begun=True)))
    leaves = {f"9:{number}" for number, (sort, _) in enumerate(stack.made) if sort in {"disk", "multipath"}}
    assert loads.disks.keys() == leaves
    assert leaves.issuperset(number for on in loads.of.values() for number in on)
    for number, whole in loads.disks.items():
        device = int(number.removeprefix("9:"))
        for unit in (DB, BACKUP, UDEV):
            one = loads.of.get(unit, {}).get(number)
            assert (one.bytes if one else 0) == pytest.approx(kernel.truth.get((unit, device), 0))
        assert loads.rest[number].bytes == pytest.approx(kernel.truth.get(("", device), 0), abs=1e-3)
        units = sum(on[number].bytes for on in loads.of.values() if number in on)
        assert units + loads.rest[number].bytes == pytest.approx(whole.bytes)
