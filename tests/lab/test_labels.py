"""What stands still while a scenario runs: names and numbers that fit together as those of a machine do."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.lab.plans import CHEAP, brief, samples, small
from zmon.absent import Absent
from zmon.kinds import BLOCK, CLAIM, CONTAINER, DASD, DEVICE, KINDS, LAYER, MOUNT
from zmon.lab.box import Volume
from zmon.lab.labels import disk_name, numbers, size_of
from zmon.topology.claims import claims_in

if TYPE_CHECKING:
    from zmon.lab.plan import Plan
    from zmon.sample import Sample


def first(name: str) -> Sample:
    """Return the first sample of a scenario."""
    return samples(brief(name), 1)[0]


@pytest.mark.parametrize(
    ("place", "name"),
    [(0, "dasda"), (25, "dasdz"), (26, "dasdaa"), (701, "dasdzz"), (702, "dasdaaa")],
)
def test_disks_are_named_as_the_kernel_does(place: int, name: str) -> None:
    """One letter, then two, then three."""
    assert disk_name(place) == name


def test_a_cylinder_holds_180_blocks() -> None:
    """15 tracks of 12 blocks of 4 KiB, on every 3390."""
    assert size_of(3339) == 3339 * 180 * 4096


@pytest.mark.parametrize("name", CHEAP)
def test_no_device_number_is_given_twice(name: str) -> None:
    """Bases, static aliases, and those in pools."""
    found = numbers(brief(name))

    assert len(set(found)) == len(found)


def test_aliases_are_numbered_from_the_end_of_the_hundred() -> None:
    """As installations do; one that is taken is left out."""
    plan = small()
    volumes = (Volume(0, 0x70FE, pav=1), Volume(0, 0x7001, pav=1))

    found = numbers(plan._replace(box=plan.box._replace(volumes=volumes)))

    assert found == [0x70FE, 0x7001, 0x70FF, 0x70FD, 0x70FC, 0x70FB]


@pytest.mark.parametrize("name", CHEAP)
def test_there_is_a_frame_of_every_kind_that_is_looked_at(name: str) -> None:
    """What there is none of is there with its reason."""
    frames = first(name).frames
    for kind in ("machine", "device", "cmf", "block", "dasd", "cache", "cpu", "channel", "lpar", "claim"):
        assert frames[kind].keys or frames[kind].missing


@pytest.mark.parametrize("name", CHEAP)
def test_every_column_has_a_value_for_every_row(name: str) -> None:
    """And every column is one of its kind."""
    for frame in first(name).frames.values():
        assert frame.kind is KINDS[frame.kind.name]
        assert set(frame.columns) <= {field.name for field in frame.kind.fields}
        assert {len(column) for column in frame.columns.values()} <= {len(frame.keys)}
        assert len(frame.times) == len(frame.keys) == len(set(frame.keys))


@pytest.mark.parametrize("name", CHEAP)
def test_disks_of_all_layers_are_the_same(name: str) -> None:
    """The block layer, the driver and the devices tell of the same disks."""
    sample = first(name)
    block = sample.frame(BLOCK)
    disks = dict(zip(block.column("busid"), block.keys, strict=True))
    device = sample.frame(DEVICE)

    assert dict(zip(sample.frame(DASD).keys, sample.frame(DASD).column("name"), strict=True)) == disks
    assert {key for key, alias in zip(device.keys, device.column("alias"), strict=True) if not alias} == set(
        disks
    )


def test_an_alias_of_one_volume_has_its_unit_address_and_one_of_a_pool_has_none() -> None:
    """As the driver tells in the uid: `xx` stands for any volume."""
    uids = samples(small(), 1)[0].frame(DEVICE).column("uid")

    assert [str(uid).rpartition(".")[2] for uid in uids] == ["00", "01", "00", "01", "xx", "xx"]


@pytest.mark.parametrize("name", CHEAP)
def test_partitions_lie_on_disks_that_are_there(name: str) -> None:
    """Within their bounds."""
    layer = first(name).frame(LAYER)
    size = dict(zip(layer.keys, layer.column("size"), strict=True))
    for key, parent, start in zip(layer.keys, layer.column("parent"), layer.column("start"), strict=True):
        if isinstance(parent, str):
            assert isinstance(start, int)
            own, whole = size[key], size[parent]
            assert isinstance(own, int)
            assert isinstance(whole, int)
            assert start + own <= whole


@pytest.mark.parametrize("name", CHEAP)
def test_files_lie_on_mounted_partitions_and_apart(name: str) -> None:
    """No two of them share a byte."""
    sample = first(name)
    mounts = sample.frame(MOUNT)
    files = sample.frame(CONTAINER)
    taken: dict[str, list[tuple[int, int]]] = {}
    rows = zip(*(files.column(field) for field in ("mount", "number", "ranges", "size")), strict=True)
    for path, (mount, number, ranges, size) in zip(files.keys, rows, strict=True):
        point = mounts.cell(str(mount), "point")
        assert isinstance(point, str)
        assert path.startswith(point)
        assert mounts.cell(str(mount), "number") == number
        if ranges:
            begin, length = (int(part, 16) for part in str(ranges).split("+"))
            assert length == size
            taken.setdefault(str(number), []).append((begin, begin + length))
    for stretches in taken.values():
        stretches.sort()
        assert all(one[1] <= other[0] for one, other in pairwise(stretches))


def test_control_program_tells_of_every_volume_its_real_device() -> None:
    """Of a guest; each vdev has one."""
    claims = claims_in(first("shark-before").frame(CLAIM))
    plan: Plan = brief("shark-before")

    assert Counter(claim.vdev for claim in claims) == Counter(
        f"{volume.devno:04X}" for volume in plan.box.volumes
    )
    assert [claim.rdev for claim in claims] == list(plan.rdevs)


def test_without_a_control_program_nobody_claims_anything() -> None:
    """The reason says why."""
    frame = first("hyperpav-20").frame(CLAIM)

    assert not frame.keys
    assert isinstance(frame.missing, Absent)
