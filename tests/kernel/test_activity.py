from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import Absent
from zmon.kernel import cmf
from zmon.kernel.activity import DiskReader
from zmon.kernel.diskstats import NO_LINE
from zmon.kernel.tree import LiveTree
from zmon.kinds import CMF, CMF_BASIC, CMF_OFF

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame, Kind

SECOND = 1_000_000_000
DISKS = ("dasda", "dasdb", "dasdc")


class Machine:
    """A directory that stands for `/`, with three volumes, two aliases and a network card.

    dasda and dasdb are in LCU 7000 with alias 7080, dasdc is in LCU 7100 with alias 7180.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = SECOND
        self.io = dict.fromkeys(DISKS, 1)
        self.in_flight = dict.fromkeys(DISKS, 0)
        for number, lcu, disk in (
            (0x7000, "7000.00", "dasda"),
            (0x7001, "7000.01", "dasdb"),
            (0x7080, "7000.xx", ""),
            (0x7100, "7100.00", "dasdc"),
            (0x7180, "7100.xx", ""),
            (0xF500, "", ""),
        ):
            self.add(number, f"IBM.750000000ABCD1.{lcu}" if lcu else "", disk)
        self.write_diskstats()

    def when(self) -> int:
        """Stand in for the steady clock."""
        return self.now

    def _device(self, number: int) -> str:
        return f"sys/devices/css0/0.0.{number:04x}/0.0.{number:04x}"

    def add(self, number: int, uid: str, disk: str) -> None:
        """Put a measured device into the machine."""
        here = self._device(number)
        self.write(f"{here}/cmb_enable", "1")
        self.write(f"{here}/uid", uid)
        for name in (cmf.COUNT, *cmf.files(CMF)):
            self.write(f"{here}/cmf/{name}", "1")
        self.link(f"sys/bus/ccw/devices/0.0.{number:04x}", f"../../../../{here}")
        if disk:
            self.write(f"{here}/block/{disk}/queue/iostats", "1")
            self.link(f"sys/block/{disk}", f"../../{here}/block/{disk}")

    def write(self, path: str, value: str) -> None:
        """Write a file."""
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.write_text(value + "\n", encoding="ascii")

    def link(self, path: str, target: str) -> None:
        """Make a link."""
        whole = self.root / path
        whole.parent.mkdir(parents=True, exist_ok=True)
        whole.symlink_to(target)

    def write_diskstats(self) -> None:
        """Write what the disks did."""
        self.write(
            "proc/diskstats",
            "\n".join(
                f"  94 {4 * n:7} {disk} {io} 0 0 0 0 0 0 0 {self.in_flight[disk]} 0 0 0 0 0 0 0 0"
                for n, (disk, io) in enumerate(self.io.items())
            ),
        )

    def work(self, disk: str) -> None:
        """Let disk statistics move."""
        self.io[disk] += 1
        self.write_diskstats()

    def start(self, starts: int, *numbers: int) -> None:
        """Let channel measurement move."""
        for number in numbers:
            self.write(f"{self._device(number)}/cmf/ssch_rsch_count", str(starts))

    def off(self, number: int) -> None:
        """Switch the measurement of a device off."""
        here = self._device(number)
        self.write(f"{here}/cmb_enable", "0")
        for name in (cmf.COUNT, *cmf.files(CMF)):
            (self.root / here / "cmf" / name).unlink()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine whose clock is set by hand."""
    machine = Machine(tmp_path)
    monkeypatch.setattr("time.monotonic_ns", machine.when)
    return machine


ALL = (0x7000, 0x7001, 0x7080, 0x7100, 0x7180, 0xF500)


def seen(frame: Frame) -> list[str]:
    """Tell which devices have a start count of 50."""
    return [key[4:] for key in frame.keys if frame.cell(key, "ssch") == 50]


@pytest.fixture
def activity(machine: Machine) -> DiskReader:
    """A sampler that has sampled twice, and all counts are at 50 since."""
    activity = DiskReader(LiveTree(str(machine.root)))
    activity.read()
    machine.now += 1
    activity.read()
    machine.now += 1
    machine.start(50, *ALL)
    return activity


def test_at_first_everything_is_read(machine: Machine) -> None:
    """The first sample carries nothing forward."""
    machine.start(50, *ALL)
    _, frame = DiskReader(LiveTree(str(machine.root))).read()
    assert len(seen(frame)) == len(ALL)


def turn(activity: DiskReader, machine: Machine) -> list[str]:
    """Sample without anybody's turn having come."""
    activity._turned = machine.now
    return seen(activity.read()[1])


def test_what_rests_is_not_read(activity: DiskReader, machine: Machine) -> None:
    """Only the network card is, which no disk tells of."""
    assert turn(activity, machine) == ["f500"]


def test_a_disk_that_moves_has_its_device_and_aliases_read(activity: DiskReader, machine: Machine) -> None:
    """The aliases of its control unit, for they may have done the work."""
    machine.work("dasda")
    assert turn(activity, machine) == ["7000", "7080", "f500"]


def test_requests_in_flight_count_as_moving(activity: DiskReader, machine: Machine) -> None:
    """A request under way may be started more than once."""
    machine.in_flight["dasdc"] = 1
    machine.write_diskstats()
    activity.read()
    machine.start(50, 0x7100)
    assert "7100" in turn(activity, machine)


def test_a_resting_device_keeps_its_values(activity: DiskReader, machine: Machine) -> None:
    """They are those of before."""
    turn(activity, machine)
    assert activity.read()[1].cell("0.0.7000", "ssch") == 1


def test_a_resting_device_has_the_time_of_now(activity: DiskReader, machine: Machine) -> None:
    """Its rest was proved now."""
    machine.now += 60 * SECOND  # so that all are read
    activity.read()
    machine.now += 1000
    assert set(activity.read()[1].times) == {machine.now}


def test_within_a_minute_all_are_read(activity: DiskReader, machine: Machine) -> None:
    """Their turn comes, however quiet they are."""
    for _ in range(60):
        machine.now += SECOND
        _, frame = activity.read()
    assert len(seen(frame)) == len(ALL)


def test_after_a_long_pause_all_are_read(activity: DiskReader, machine: Machine) -> None:
    """A minute without a sample makes it everybody's turn."""
    machine.now += 61 * SECOND
    assert len(seen(activity.read()[1])) == len(ALL)


def test_one_caught_moving_is_read_again(activity: DiskReader, machine: Machine) -> None:
    """A device that works while its disk rests is followed until it stands still."""
    machine.now += 61 * SECOND
    activity.read()
    machine.start(51, 0x7001)
    activity._turned = machine.now
    assert activity.read()[1].cell("0.0.7001", "ssch") == 51


def test_a_disk_without_statistics_never_rests(machine: Machine) -> None:
    """Its line would never change."""
    machine.write("sys/devices/css0/0.0.7001/0.0.7001/block/dasdb/queue/iostats", "0")
    activity = DiskReader(LiveTree(str(machine.root)))
    activity.read()
    activity.read()
    machine.start(50, 0x7001)
    assert "7001" in turn(activity, machine)


def test_a_new_disk_is_noticed(activity: DiskReader, machine: Machine) -> None:
    """Another line in diskstats makes everything be looked at again."""
    machine.add(0x7002, "IBM.750000000ABCD1.7000.02", "dasdd")
    machine.io["dasdd"] = 1
    machine.in_flight["dasdd"] = 0
    machine.write_diskstats()
    blocks, frame = activity.read()
    assert ("dasdd" in blocks.keys, "0.0.7002" in frame.keys) == (True, True)


def test_another_disk_in_the_place_of_one(activity: DiskReader, machine: Machine) -> None:
    """A line that begins differently is another disk."""
    machine.io = {"dasda": 1, "dasdb": 1, "sda": 1}
    machine.in_flight["sda"] = 0
    machine.write_diskstats()
    assert activity.read()[0].cell("dasdc", "reads") is NO_LINE[0]


def test_switched_off(activity: DiskReader, machine: Machine) -> None:
    """A device whose measurement ended says so when it is next read."""
    machine.off(0x7000)
    machine.work("dasda")
    assert activity.read()[1].cell("0.0.7000", "ssch") is CMF_OFF


def test_switched_on_again(activity: DiskReader, machine: Machine) -> None:
    """A device that is measured again is found at its turn."""
    machine.off(0x7000)
    machine.work("dasda")
    activity.read()
    machine.write("sys/devices/css0/0.0.7000/0.0.7000/cmb_enable", "1")
    for name in (cmf.COUNT, *cmf.files(CMF)):
        machine.write(f"sys/devices/css0/0.0.7000/0.0.7000/cmf/{name}", "3")
    machine.now += 61 * SECOND
    assert activity.read()[1].cell("0.0.7000", "ssch") == 3


def test_blocks_are_sampled_alongside(activity: DiskReader, machine: Machine) -> None:
    """The same reading of diskstats gives the frame of disks."""
    machine.work("dasdb")
    assert activity.read()[0].column("reads") == [1, 2, 1]


def test_frames_of_before_stay_as_they_were(activity: DiskReader, machine: Machine) -> None:
    """A later sample does not change an earlier one."""
    blocks, frame = activity.read()
    machine.work("dasda")
    activity.read()
    assert (blocks.cell("dasda", "reads"), frame.cell("0.0.7000", "ssch")) == (1, 1)


def test_the_format_is_that_of_the_machine(machine: Machine) -> None:
    """The extended one has busy times."""
    assert DiskReader(LiveTree(str(machine.root))).kind is CMF


def test_no_diskstats_means_that_nothing_proves_rest(activity: DiskReader, machine: Machine) -> None:
    """Every device is read then."""
    (machine.root / "proc/diskstats").unlink()
    blocks, frame = activity.read()
    assert (isinstance(blocks.missing, Absent), len(seen(frame))) == (True, len(ALL))


def test_a_machine_without_channels(make_tree: Callable[..., Tree]) -> None:
    """Elsewhere there is no row, and it is said why."""
    tree = make_tree({"proc/diskstats": b""}, {"sys/block/sda": "../devices/pci/block/sda"})
    assert DiskReader(tree).read()[1].missing is cmf.NONE_MEASURED


@pytest.mark.parametrize(("kind", "count"), [(CMF, 10), (CMF_BASIC, 8)])
def test_a_tree_in_memory_is_read_through_itself(
    make_tree: Callable[..., Tree], kind: Kind, count: int
) -> None:
    """Only a live tree has directories to open."""
    here = "sys/devices/css0/0.0.0004/0.0.7000"
    names = (cmf.COUNT, *cmf.files(kind))
    files = {f"{here}/cmf/{name}": b"9\n" for name in names} | {f"{here}/cmb_enable": b"1\n"}
    tree = make_tree(files, {"sys/bus/ccw/devices/0.0.7000": f"../../../../{here}"})
    _, frame = DiskReader(tree).read()
    assert (frame.kind is kind, len(names), frame.cell("0.0.7000", "ssch")) == (True, count, 9)


def test_paths_that_multipath_joins_later_are_noticed(machine: Machine) -> None:
    """Within a minute, though no disk comes or goes when it does."""
    here = "sys/devices/virtual/block/dm-0"
    machine.write(f"{here}/dm/uuid", "mpath-36005076303ffc562")
    machine.link("sys/block/dm-0", f"../../{here}")
    reader = DiskReader(LiveTree(f"{machine.root}/"))
    assert isinstance(reader.read()[0].cell("dasda", "map"), Absent)
    machine.write(f"{here}/slaves/dasda/dev", "94:0")
    machine.now += 30 * SECOND
    assert isinstance(reader.read()[0].cell("dasda", "map"), Absent)
    machine.now += 31 * SECOND
    assert reader.read()[0].cell("dasda", "map") == "dm-0"


NVME = {
    "nvme0c0n1": "../devices/virtual/nvme-fabrics/ctl/nvme0/nvme0c0n1",
    "nvme0c1n1": "../devices/virtual/nvme-fabrics/ctl/nvme1/nvme0c1n1",
    "nvme0n1": "../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1",
}
COUNTED = "2832 0 23624 80723 0 0 0 0 0 31644 80723 0 0 0 0 0 0"
FEW = "7 0 56 100 0 0 0 0 2 40 120 0 0 0 0 0 0"


@pytest.mark.parametrize(
    ("own", "shown"), [(" ".join("0" * 17), [2832, 7, 2839]), (COUNTED, [2832, 7, 2832])]
)
def test_an_nvme_disk_without_counts_has_those_of_its_paths(
    make_tree: Callable[..., Tree], own: str, shown: list[int]
) -> None:
    """Kernels of before count at the paths alone, newer ones at the disk, too: never both are added."""
    lines = zip(NVME, (COUNTED, FEW, own), strict=True)
    content = "".join(f" 259       0 {name} {counts}\n" for name, counts in lines)
    links = {f"sys/block/{name}": link for name, link in NVME.items()}
    blocks = DiskReader(make_tree({"proc/diskstats": content.encode()}, links)).read()[0]
    assert blocks.column("reads") == shown
    assert blocks.column("map") == ["nvme0n1"] * 3
