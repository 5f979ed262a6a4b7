"""What Linux cannot use of the ways to a disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.placement.study import filled
from zmon.base.absent import absent
from zmon.kinds import ADAPTER, DEVICE, LUN, PATH, TARGET_PORT
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


def test_what_has_failed_behind_a_path_is_why_it_is_not_used() -> None:
    """The adapter before the port, this before the LUN; a disk alone has a reason only if one failed."""
    frames = {
        ADAPTER.name: filled(ADAPTER, {"0.0.fc60": {"port_state": "Online"}}, 0),
        TARGET_PORT.name: filled(
            TARGET_PORT, {"rport-0:0-1": {"adapter": "0.0.fc60", "port_name": "0x5", "state": "Blocked"}}, 0
        ),
        LUN.name: filled(LUN, {"0:0:0:1": {"name": "sdb", "state": "running", "failed": 1}}, 0),
        PATH.name: filled(PATH, {"8:0": {"device": "offline"}, "8:16": {"device": "running"}}, 0),
    }
    disks = [
        bare(number, UNKNOWN)._replace(disk=name, busid="0.0.fc60", wwpn=port)
        for number, name, port in (("8:0", "sda", "0x5"), ("8:16", "sdb", "0x6"), ("8:32", "sdc", "0x6"))
    ]
    of_machine = Machine(Sample(Instant(0, 0, "boot"), frames, "made by hand"))
    assert reasons_of(disks[:2], of_machine, disks[2:]) == {"8:0": "port Blocked", "8:16": "LUN failed"}
    frames[ADAPTER.name] = filled(ADAPTER, {"0.0.fc60": {"port_state": "Linkdown"}}, 0)
    assert set(reasons_of(disks[:2], of_machine, disks[2:]).values()) == {"adapter Linkdown"}


def test_nothing_is_said_of_paths_that_were_not_read() -> None:
    """Only that an adapter is offline is known then."""
    assert reasons({}) == {"8:32": "adapter offline"}
    assert is_offline("0.0.fc61", machine(CCW, {}))
    assert not is_offline("0.0.fc62", machine(CCW, {}))
