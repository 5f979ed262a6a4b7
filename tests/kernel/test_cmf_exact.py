"""zmon.kernel.cmf: exact totals in the place of rebuilt ones."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from zmon.kernel.activity import DiskReader
from zmon.kernel.cmf import NONE_MEASURED, overlaid, read_totals
from zmon.kinds import EXACT
from zmon.sample import empty_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

BASE = "sys/devices/css0/0.0.0000/0.0.7000"
ALIAS = "sys/devices/css0/0.0.0001/0.0.70ff"
EXACT_STARTS = 300_000


def _machine() -> tuple[dict[str, bytes], dict[str, str]]:
    files = {
        "sys/block/dasda/size": b"8\n",
        f"{BASE}/block/dasda/dev": b"94:0\n",
        f"{BASE}/block/dasda/size": b"8\n",
        "ioctl/dasda/BIODASDREADALLCMB.bin": struct.pack(
            ">11Q", 72, 10**12, EXACT_STARTS, EXACT_STARTS, 1000, 2000, 3000, 4000, 5000, 6000, 7000
        ),
        "proc/diskstats": b"94 0 dasda 1 0 8 1 1 0 8 1 0 2 2\n",
    }
    for path in (BASE, ALIAS):
        files |= {f"{path}/cmb_enable": b"1\n", f"{path}/online": b"1\n", f"{path}/uid": b"IBM.1.2.3\n"}
        for name in (
            "ssch_rsch_count", "sample_count", "avg_sample_interval", "avg_device_connect_time",
            "avg_function_pending_time", "avg_device_disconnect_time", "avg_control_unit_queuing_time",
            "avg_device_active_only_time", "avg_device_busy_time", "avg_initial_command_response_time",
        ):  # fmt: skip
            files[f"{path}/cmf/{name}"] = b"200000\n"
    del files["sys/block/dasda/size"]
    links = {
        "sys/bus/ccw/devices/0.0.7000": "../../../devices/css0/0.0.0000/0.0.7000",
        "sys/bus/ccw/devices/0.0.70ff": "../../../devices/css0/0.0.0001/0.0.70ff",
        "sys/block/dasda": "../devices/css0/0.0.0000/0.0.7000/block/dasda",
    }
    return files, links


def measurement(tree: Tree) -> Frame:
    """Return the measurement of all devices, rebuilt from averages."""
    return DiskReader(tree).read()[1]


def test_a_base_device_has_the_totals_of_the_ioctl(make_tree: Callable[..., Tree]) -> None:
    """Starts, times and age are those of BIODASDREADALLCMB, and nothing is said to be off."""
    tree = make_tree(*_machine())

    found = overlaid(measurement(tree), read_totals(tree))

    assert [found.cell("0.0.7000", name) for name in ("ssch", "connect", "elapsed", "error", "via")] == [
        EXACT_STARTS, 1000, 10**12, 0, "ioctl",
    ]  # fmt: skip


def test_without_a_base_device_there_are_no_totals(make_tree: Callable[..., Tree]) -> None:
    """Aliases alone have none to ask; that is said, and the frame has no row."""
    files, links = _machine()
    links["sys/block/dasda"] = "../devices/virtual/block/dasda"
    files = {
        name.replace("css0/0.0.0000/0.0.7000/block", "virtual/block"): data for name, data in files.items()
    }

    found = read_totals(make_tree(files, links))

    assert found.keys == []
    assert found.missing is NONE_MEASURED


def test_an_alias_keeps_what_sysfs_tells(make_tree: Callable[..., Tree]) -> None:
    """An alias has no disk to ask."""
    tree = make_tree(*_machine())

    found = overlaid(measurement(tree), read_totals(tree))

    assert [found.cell("0.0.70ff", name) for name in ("ssch", "via")] == [200_000, "sysfs"]


def test_a_device_that_refuses_keeps_what_sysfs_tells(make_tree: Callable[..., Tree]) -> None:
    """Without an answer the rebuilt totals stay."""
    files, links = _machine()
    del files["ioctl/dasda/BIODASDREADALLCMB.bin"]
    tree = make_tree(files, links)

    found = overlaid(measurement(tree), read_totals(tree))

    assert found.cell("0.0.7000", "via") == "sysfs"


def test_without_exact_totals_all_is_rebuilt(make_tree: Callable[..., Tree]) -> None:
    """A source that is off changes nothing."""
    rebuilt = measurement(make_tree(*_machine()))

    assert overlaid(rebuilt, empty_frame(EXACT, "off")) is rebuilt
