"""What Linux cannot use of the ways to a disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.placement.study import filled
from zmon.base.absent import absent
from zmon.kinds import DEVICE, PATH
from zmon.placement.unused_paths import is_offline, reasons_of
from zmon.sample import Instant, Sample
from zmon.topology.machine import Machine
from zmon.topology.volumes import bare

if TYPE_CHECKING:
    from zmon.base.absent import Value

CCW: dict[str, dict[str, Value]] = {"0.0.fc60": {"online": 1}, "0.0.fc61": {"online": 0}}
UNKNOWN = absent("nobody says it")


def machine(devices: dict[str, dict[str, Value]], paths: dict[str, dict[str, Value]]) -> Machine:
    """Return a machine with devices and paths; without paths these were not read."""
    frames = {DEVICE.name: filled(DEVICE, devices, 0)}
    if paths:
        frames[PATH.name] = filled(PATH, paths, 0)
    return Machine(Sample(Instant(0, 0, "boot"), frames, "made by hand"))


def reasons(paths: dict[str, dict[str, Value]]) -> dict[str, str]:
    """Return what is said of three paths, of which the last leads over an adapter that is offline."""
    busids = {"8:0": "0.0.fc60", "8:16": "0.0.fc60", "8:32": "0.0.fc61"}
    volumes = [bare(number, UNKNOWN)._replace(busid=busid) for number, busid in busids.items()]
    return dict(reasons_of(volumes, machine(CCW, paths)))


def test_a_path_is_not_used_for_the_reason_that_mpath_has() -> None:
    """The state of its disk comes before what multipath says; a usable one has none."""
    row: dict[str, Value] = {"state": "active", "device": "running"}
    paths = {"8:0": row, "8:16": row | {"state": "failed"}, "8:32": row | {"device": "transport-offline"}}
    assert reasons(paths) == {"8:0": "", "8:16": "failed", "8:32": "transport-offline"}


def test_a_path_that_is_not_listed_with_the_others_is_gone() -> None:
    """The block devices are read less often than the paths."""
    row: dict[str, Value] = {"state": "active", "device": "running"}
    assert reasons({"8:0": row, "8:32": row}) == {"8:0": "", "8:16": "gone", "8:32": "adapter offline"}


def test_nothing_is_said_of_paths_that_were_not_read() -> None:
    """Only that an adapter is offline is known then."""
    assert reasons({}) == {"8:32": "adapter offline"}
    assert is_offline("0.0.fc61", machine(CCW, {}))
    assert not is_offline("0.0.fc62", machine(CCW, {}))
