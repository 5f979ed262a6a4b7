from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import absent
from zmon.kinds import BLOCK, INTERFACE, PCI_FUNCTION
from zmon.machine.view import View
from zmon.tables.pci import NOT_YET, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

NONE = absent("none of this function")


def function(kind: int, **more: Any) -> dict[str, Any]:
    """Return the row of a function, which the machine measures."""
    return {"address": "0001:00:00.0", "class": kind, "pchid": 0x1C8, "power": 1, "pft": 10, "pfgid": 8,
            "uid": 0x1A, "interfaces": NONE, "disks": NONE, "updated": 0, "loads": 0, "stores": 0,
            "store_blocks": 0, "refreshes": 0, "received": 0, "sent": 0, **more}  # fmt: skip


def row(interval: Interval, key: str = "00000104") -> dict[str, Any]:
    """Return a row of the table."""
    found = table(View(interval))
    return {name: column[found.keys.index(key)] for name, column in found.columns.items()}


def test_a_network_function_carries_what_its_interfaces_count(make_interval: Callable[..., Interval]) -> None:
    """Which is known without the machine's measurement."""
    known = {PCI_FUNCTION: {"00000104": function(0x020000, interfaces="eno1 eno2")}}
    before = {INTERFACE: {name: {"received": 0, "sent": 0} for name in ("eno1", "eno2")}}
    after = {
        INTERFACE: {"eno1": {"received": 60_000_000, "sent": 0}, "eno2": {"received": 0, "sent": 120_000_000}}
    }
    found = row(make_interval(known | before, known | after))
    assert (found["sort"], found["names"], found["pchid"], found["uid"]) == (
        "network",
        "eno1 eno2",
        "01C8",
        "1A",
    )
    assert (found["inmb"], found["outmb"]) == pytest.approx((1, 2))
    assert (found["state"], found["door"]) == ("configured", "NETWORK")


def test_an_nvme_disk_is_counted_once(make_interval: Callable[..., Interval]) -> None:
    """A shared disk has paths that are disks, too: they are left out beside the disk itself."""
    known = {PCI_FUNCTION: {"00000104": function(0x010802, disks="nvme0c0n1 nvme0n1")}}
    counts = {"reads": 0, "sectors_read": 0, "sectors_written": 0}
    busy = {"reads": 1, "sectors_read": 117_187_5, "sectors_written": 0}
    disks = ("nvme0n1", "nvme0c0n1")
    found = row(
        make_interval(
            known | {BLOCK: dict.fromkeys(disks, counts)},
            known | {BLOCK: dict.fromkeys(disks, busy)},
        )
    )
    assert found["sort"] == "NVMe"
    assert found["inmb"] == pytest.approx(10)
    assert found["door"] == "DEVICE nvme0c0n1"


def test_other_functions_show_the_machines_measurement(make_interval: Callable[..., Interval]) -> None:
    """By its own clock: the machine updates it every few seconds, whenever samples are taken."""
    before = {PCI_FUNCTION: {"00000104": function(0x088000)}}
    after = {PCI_FUNCTION: {"00000104": function(
        0x088000, updated=40_000_000, received=80_000_000, sent=40_000_000, loads=400, stores=40,
        store_blocks=40,
    )}}  # fmt: skip
    found = row(make_interval(before, after))
    assert (found["inmb"], found["outmb"], found["loads"], found["stores"]) == pytest.approx((2, 1, 10, 2))
    assert found["sort"] == "088000"


def test_a_measurement_that_was_not_updated_is_not_zero(make_interval: Callable[..., Interval]) -> None:
    """The interval was shorter than its steps."""
    rows = {PCI_FUNCTION: {"00000104": function(0x088000)}}
    found = row(make_interval(rows, rows))
    assert found["loads"] == found["stores"] == NOT_YET
    assert found["inmb"] == NOT_YET or found["inmb"].reason


def test_a_function_in_standby_is_listed(make_interval: Callable[..., Interval]) -> None:
    """With the reason for what it does not have."""
    gone = absent("standby")
    fields = {field.name: gone for field in PCI_FUNCTION.fields} | {"power": 0}
    rows = {PCI_FUNCTION: {"00000300": fields}}
    found = row(make_interval(rows, rows), "00000300")
    assert (found["fid"], found["state"], found["pchid"], found["sort"]) == (
        "00000300",
        "standby",
        gone,
        gone,
    )
