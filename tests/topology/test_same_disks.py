"""Disks that are one disk over paths which multipath does not join, by what the kernel or texts say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.topology.layers import disk, layers, mapped, partition
from zmon.kinds import DASD, DEVICE
from zmon.sample import empty_frame
from zmon.topology.identity import VolumeIndex
from zmon.topology.same_disks import PV_LINK, same_devices, same_disks
from zmon.topology.site import NO_SITE
from zmon.topology.stack import Stack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value

WWID = "naa.6005076307ffc5e30000000000002001"
LUN = "0x4020400100000000"


def _same(*rows: Mapping[str, Value]) -> dict[str, dict[str, bool]]:
    frame = layers({f"8:{16 * nth}": row for nth, row in enumerate(rows)})
    volumes = VolumeIndex(frame, empty_frame(DEVICE, "no"), empty_frame(DASD, "no"), (), NO_SITE)
    return same_disks(volumes, Stack(frame), frame)


@pytest.mark.parametrize(("first", "second", "is_sure"), [
    ({"wwid": WWID}, {"wwid": WWID}, True),
    ({"wwid": WWID}, {"wwpn": "0x50050763070845e3", "lun": LUN}, True),
    ({"wwpn": "0x50050763070845e3", "lun": LUN}, {"wwpn": "0x50050763071805e3", "lun": LUN}, True),
    ({"wwpn": "0x5005076801101234", "lun": LUN}, {"wwpn": "0x5005076801201234", "lun": LUN}, False),
    ({"wwid": WWID, "wwpn": "0x5005076801101234", "lun": LUN},
     {"wwid": f"{WWID[:-1]}2", "wwpn": "0x5005076801201234", "lun": LUN}, None),
    ({"wwpn": "0x50050763070845e3", "lun": LUN}, {"wwpn": "0x50050763070845e4", "lun": LUN}, None),
    ({"wwid": WWID}, {"wwid": f"{WWID[:-1]}2"}, None),
])  # fmt: skip
def test_what_proves_one_disk(
    first: Mapping[str, Value], second: Mapping[str, Value], is_sure: bool | None
) -> None:
    """One WWID, or LUN and storage server; one LUN alone may be one, and is none of two known servers."""
    same = _same(disk("sda", 2048, **first), disk("sdb", 2048, **second))
    assert same == ({} if is_sure is None else {"8:0": {"8:16": is_sure}, "8:16": {"8:0": is_sure}})


def test_one_lun_of_two_sizes_is_two_disks() -> None:
    """Where the ports do not tell."""
    ports = ({"wwpn": f"0x50050768012{nth}1234", "lun": LUN} for nth in range(2))
    assert _same(*(disk(f"sd{nth}", 2048 + nth, **port) for nth, port in enumerate(ports))) == {}


def test_a_partition_is_the_one_of_the_same_number() -> None:
    """Two disks with one physical volume are one disk, and so are their partitions."""
    pv = f"{PV_LINK}3Fh1Yq-2Zxs-fF0r-1KJ0-c5XH-0fVn-Mxy2Fq"
    parts = {f"8:{at + 2}": partition(f"{name}2", f"8:{at}", 64, 512) | {"links": pv}
             for at, name in ((0, "sda"), (16, "sdb"))}  # fmt: skip
    frame = layers({"8:0": disk("sda", 2048), "8:16": disk("sdb", 2048),
                    "8:1": partition("sda1", "8:0", 0, 64),
                    **parts, "253:0": mapped("vg-lv", "0 512 linear 8:2 0", 512, "8:2")})  # fmt: skip
    stack = Stack(frame)
    volumes = VolumeIndex(frame, empty_frame(DEVICE, "no"), empty_frame(DASD, "no"), (), NO_SITE)
    same = same_disks(volumes, stack, frame)
    assert same == {"8:0": {"8:16": True}, "8:16": {"8:0": True}}
    assert same_devices("8:18", same, stack) == {"8:2": True}
    assert same_devices("253:0", same, stack) == same_devices("8:1", same, stack) == {}
