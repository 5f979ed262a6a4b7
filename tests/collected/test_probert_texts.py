"""What probert found of the storage of a machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

WWID = "36005076306ffd6b60000000000002409"


def _device(path: str, major: int, minor: int, **more: Any) -> dict[str, Any]:
    return {
        "DEVPATH": path, "DEVTYPE": "disk", "MAJOR": str(major), "MINOR": str(minor), "SUBSYSTEM": "block",
    } | more  # fmt: skip


BLOCKDEV: dict[str, dict[str, Any]] = {
    "/dev/dasda": _device("/devices/css0/0.0.0180/0.0.1520/block/dasda", 94, 0, attrs={"size": "8192"}),
    "/dev/dasda1": _device(
        "/devices/css0/0.0.0180/0.0.1520/block/dasda/dasda1", 94, 1, DEVTYPE="partition",
        ID_FS_TYPE="ext4", ID_FS_UUID="0ef8a516-dcab-43d4-84d5-b3fd9d355ca8",
        DEVLINKS="/dev/disk/by-path/ccw-0.0.1520-part1", attrs={"size": "4096", "start": "192"},
    ),
    "/dev/sda": _device("/devices/a/block/sda", 8, 0),
    "/dev/sdb": _device("/devices/b/block/sdb", 8, 16),
    "/dev/dm-0": _device(
        "/devices/virtual/block/dm-0", 253, 0, DM_NAME=WWID, DM_UUID=f"mpath-{WWID}", attrs={}
    ),
    "/dev/dm-1": _device("/devices/virtual/block/dm-1", 253, 1, DM_NAME="vg0-srv", DM_UUID="LVM-x"),
}  # fmt: skip
STORAGE: dict[str, Any] = {
    "blockdev": BLOCKDEV,
    "lvm": {"physical_volumes": {"vg0": [f"/dev/mapper/{WWID}"]}},
    "mount": [{"source": "/dev/dasda1", "target": "/", "fstype": "ext4", "options": "rw", "children": []}],
    "multipath": {
        "maps": [{"multipath": WWID, "sysfs": "dm-0", "paths": "2"}],
        "paths": [{"device": "sda", "multipath": WWID}, {"device": "sdb", "multipath": WWID}],
    },
    "raid": {"/dev/md127": {"devices": ["/dev/dm-0"], "MD_DEVICES": "2", "raidlevel": "raid1"}},
}


def _text(**more: Any) -> str:
    return json.dumps({"storage": STORAGE | more}, indent=4) + "\n"


PROBERT = _text()


@pytest.mark.parametrize(("asked", "told"), [
    ("1520", '"/"'),
    ("UUID=0ef8a516-dcab-43d4-84d5-b3fd9d355ca8", '"dasda"'),
    ("sdb", WWID),
    ("vg0/srv", '"sda"'),
    ("md127", "not listed: a member of md127"),
])  # fmt: skip
def test_devices_are_known_with_what_they_are_made_of(asked: str, told: str, where: Ask) -> None:
    """By udev's properties, and what probert asked other tools for; a member that it lacks is missing."""
    assert told in json.dumps(where(asked, _text()))


def test_a_map_with_more_paths_than_are_named_has_some_that_are_not_known(where: Ask) -> None:
    """Its number of paths is told."""
    multipath = STORAGE["multipath"] | {"maps": [{"multipath": WWID, "sysfs": "dm-0", "paths": "3"}]}
    assert "path of" in str(where("dm-0", _text(multipath=multipath)))


@pytest.mark.parametrize(("dasd", "size"), [({}, None), ({"dasd": {}}, 4096)])
def test_sizes_are_bytes_since_probert_knows_dasds(
    dasd: dict[str, Any], size: int | None, where: Ask
) -> None:
    """Before, it took each sector for a block of the device, which no text tells."""
    told = where("dasda1", _text(**dasd))["where"][0]["size"]
    assert told == size or (size is None and "absent" in told)


def test_another_document_is_not_understood(where: Ask) -> None:
    """Its lines are counted."""
    with pytest.raises(ValueError, match="Expecting value"):
        where("sda", json.dumps({"storage": {"x": 1}}, indent=4))
