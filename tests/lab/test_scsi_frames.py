"""Disks behind FCP adapters: what a kernel shows of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.lab.plans import brief, samples, small
from zmon.interval import Interval
from zmon.kinds import BLOCK, CACHE, CMF, CONTAINER, DASD, DEVICE, LAYER, MOUNT, PROFILE
from zmon.lab.model import SimulatedVolume, StorageBox
from zmon.lab.scsi_frames import FCP, letters, number_of
from zmon.machine.devices import Devices
from zmon.topology.target import parse_table

if TYPE_CHECKING:
    from zmon.sample import Sample

NAME = "fcp-multibus-100"


def shown(policy: str = "multibus", turn: int = 2, dasds: int = 0) -> list[Sample]:
    """Return samples of a machine with two paths over FCP to two volumes, and some DASDs."""
    plan = small(intervals=4, drawn=4)
    (group,), (lcu,) = plan.box.paths, plan.box.lcus
    fcp = group._replace(name="fcp", chpids=("60", "61"), code=FCP, policy=policy, turn=turn)
    box = StorageBox(
        (group._replace(chpids=("50",)), fcp),
        (lcu._replace(aliases=0), lcu._replace(name="LCU 1", ssid="6100", paths=1)),
        (*plan.box.volumes[:dasds], *(SimulatedVolume(1, 0x6100 + at) for at in range(2 - dasds))),
        plan.box.cpus,
    )
    return samples(plan._replace(box=box))


@pytest.mark.parametrize(
    ("place", "name", "number"),
    [(0, "a", "8:0"), (15, "p", "8:240"), (16, "q", "65:0"), (26, "aa", "65:160")],
)
def test_disks_are_named_and_numbered_as_the_kernel_does(place: int, name: str, number: str) -> None:
    """Sixteen to a major, twenty-six to a letter."""
    assert (letters(place), number_of(place)) == (name, number)


def test_each_path_to_a_disk_is_a_disk() -> None:
    """And a multipath device lies above those of one volume."""
    sample = shown()[0]
    assert sample.frame(BLOCK).keys == ["sda", "sdb", "sdc", "sdd", "dm-0", "dm-1"]
    layers = sample.frame(LAYER)
    assert layers.cell("253:0", "below") == "8:0 8:32"
    assert layers.cell("253:1", "mapped") == "FCP6101"
    assert layers.cell("8:0", "wwpn") != layers.cell("8:32", "wwpn")
    assert layers.cell("8:0", "lun") == layers.cell("8:32", "lun") == "0x4061400000000000"


@pytest.mark.parametrize(("policy", "groups"), [("multibus", 1), ("failover", 2)])
def test_the_table_has_a_group_of_all_paths_or_one_for_each(policy: str, groups: int) -> None:
    """S000:386-410; the stack of devices reads it as it reads that of a real machine."""
    table = str(shown(policy)[0].frame(LAYER).cell("253:0", "table"))
    assert table.split(" queue_if_no_path 0 ")[1].startswith(f"{groups} 1 round-robin 0 ")
    assert parse_table(table)[0].layout.name == "PATHS"


def test_adapters_take_the_place_of_subchannels() -> None:
    """With zfcp as their driver, no uid and no block device; nothing is left of the DASDs."""
    sample = shown()[0]
    devices = sample.frame(DEVICE)
    assert devices.keys == ["0.0.fc60", "0.0.fc61"]
    assert set(devices.column("driver")) == {"zfcp"}
    for kind in (CMF, DASD, CACHE, PROFILE):
        frame = sample.frame(kind)
        assert not frame.keys
        assert frame.missing is not None


def test_a_multipath_device_counts_what_its_paths_count() -> None:
    """Requests and bytes; its times are longer, for they begin when Linux gets a request."""
    before, after = shown()[1], shown()[3]
    block = Interval(before, after).of(BLOCK)
    for name in ("reads", "writes", "sectors_read", "sectors_written"):
        found = dict(zip(block.keys, block.numbers(name), strict=True))
        assert found["dm-0"] == found["sda"] + found["sdc"]
        assert found["dm-1"] == found["sdb"] + found["sdd"] > 0
    spent = dict(zip(block.keys, block.numbers("weighted_ms"), strict=True))
    assert spent["dm-0"] >= spent["sda"] + spent["sdc"] - 2


def test_failover_uses_the_first_path_alone() -> None:
    """The others count nothing."""
    last = shown("failover")[-1].frame(BLOCK)
    assert last.cell("sda", "reads") > 0  # type: ignore[operator]
    assert last.cell("sdc", "reads") == last.cell("sdd", "reads") == 0


def test_no_path_is_busier_than_all_of_the_time() -> None:
    """As Linux counts it."""
    for before, after in pairwise(shown()):
        passed = (after.at.steady - before.at.steady) / 1e6
        block = Interval(before, after).of(BLOCK)
        assert all(0 <= busy <= passed + 1 for busy in block.numbers("io_ms"))


def test_dasds_beside_them_stay_what_they_are() -> None:
    """The DASD driver counts its own disk, and nothing of the others."""
    sample = shown(dasds=1)[-1]
    assert sample.frame(DASD).column("name") == ["dasda"]
    assert sample.frame(BLOCK).keys == ["dasda", "sda", "sdb", "dm-0"]
    assert [key for key in sample.frame(CMF).keys if key.startswith("0.0.61")] == []
    profile, block = sample.frame(PROFILE), sample.frame(BLOCK)
    assert profile.keys == ["global", "dasda"]
    assert profile.cell("global", "requests") == block.cell("dasda", "reads") + block.cell("dasda", "writes")  # type: ignore[operator]


def test_files_lie_on_multipath_devices() -> None:
    """Mounts and files name them, and lookups find the disk and its LSS behind."""
    sample = samples(brief(NAME), 1)[0]
    numbers = set(sample.frame(CONTAINER).column("number"))
    assert numbers == set(sample.frame(MOUNT).column("number"))
    assert all(str(number).startswith("253:") for number in numbers)
    assert all(str(source).startswith("/dev/mapper/FCP8") for source in sample.frame(MOUNT).column("source"))


def test_the_glass_counts_no_request_twice() -> None:
    """DEVICE shows multipath devices and leaves out their paths, which count the same requests."""
    before, after = shown()[1:3]
    devices = Devices(Interval(before, after))
    assert [name for name in devices.names if isinstance(name, str)] == ["dm-0", "dm-1"]
    assert devices.paths == {"dm-0": ["sda", "sdc"], "dm-1": ["sdb", "sdd"]}
    assert devices.chpids[-2:] == ["60 61", "60 61"]
