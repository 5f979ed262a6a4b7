from __future__ import annotations

from typing import Any, Final

import pytest

from tests.check.machines import GONE, good, result
from zmon.absent import absent
from zmon.check.practice import State
from zmon.kinds import CHANNEL, DEVICE, LAYER, PATH, SETTING

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
NO_FCP: Final = {LAYER: {"8:0": None, "8:16": None, "253:0": None}}
NO_LUN: Final = {LAYER: {disk: {"wwpn": GONE, "lun": GONE} for disk in ("8:0", "8:16")}}
"""Multipath over disks of a host, as virtio-scsi has them."""
UNREAD: Final = absent("not collected: lszfcp -D")
TEXTS: Final = {LAYER: {disk: {"wwpn": UNREAD, "lun": UNREAD} for disk in ("8:0", "8:16")}}
"""What multipath -ll and lsblk say of the disks."""
WWPN: Final = good()[LAYER]["8:0"]["wwpn"]


@pytest.mark.parametrize(
    ("name", "state", "changes", "words"),
    [
        ("B8", BAD, {LAYER: {"253:0": None}}, "several paths and no multipath device: sda (2 paths)"),
        ("B8", UNKNOWN, {LAYER: None}, "block devices were not recorded"),
        ("H1", BAD, {CHANNEL: {"0.41": {"configure": 0}}}, "off, and needed by online devices: CHPID 41"),
        ("H1", BAD, {CHANNEL: {"0.41": {"status": "offline"}}}, ""),
        ("H1", BAD, {DEVICE: {"0.0.7600": {"vpm": 0x80}}}, "installed and not usable: CHPID 41 for 1 device"),
        ("H1", OK, {CHANNEL: {"0.60": {"configure": 0}}}, ""),
        ("H1", UNKNOWN, {DEVICE: None}, "devices were not recorded"),
        ("H10", BAD, {LAYER: {"8:16": None}}, "reached over one path: data01"),
        ("H10", BAD, {LAYER: {"8:16": {"busid": "0.0.fc50"}}}, "reached over one adapter: data01"),
        ("H10", LOOK, {LAYER: {"8:16": {"wwpn": WWPN}}}, ""),
        ("H10b", BAD, {PATH: {"8:16": {"state": "failed"}}}, "less than two usable paths: data01 has 1 of 2"),
        ("H10b", BAD, {PATH: {"8:16": {"device": "transport-offline"}}},
         "less than two usable paths: data01 has 1 of 2"),
        ("H10b", LOOK, {PATH: {"8:32": {**good()[PATH]["8:0"], "state": "failed"}}},
         "failed paths: data01 lacks 1 of 3"),
        ("H10b", BAD, {**NO_LUN, PATH: {"8:0": {"device": "offline"}}},
         "less than two usable paths: data01 has 1 of 2"),
        ("H10b", BAD, {PATH: None, SETTING: {"paths/253:0": "8:0=A 8:16=F"}},
         "less than two usable paths: data01 has 1 of 2"),
        ("H10b", LOOK, {PATH: None, SETTING: {"paths/253:0": "8:0=A 8:16=F 8:32=A"}},
         "failed paths: data01 lacks 1 of 3"),
        ("H10b", UNKNOWN, {PATH: None, SETTING: {"paths/253:0": GONE}}, "gone"),
        ("H10b", SKIP, NO_FCP, "no multipath device"),
        ("H10c", BAD, {SETTING: {"programs": "zmon"}}, "multipathd does not run"),
        ("H10c", UNKNOWN, {SETTING: {"programs": GONE}}, "gone"),
        ("H10c", SKIP, NO_FCP, "no multipath device"),
        ("H11", BAD, {DEVICE: {"0.0.fc51": {"chpids": "50"}}}, ""),
        ("H11", UNKNOWN, {DEVICE: {"0.0.fc51": {"chpids": GONE}}}, ""),
        ("H12", LOOK, {SETTING: {"fc/0.0.fc50/port_type": "NPort (fabric via point-to-point)"}}, ""),
        ("H12", UNKNOWN, {SETTING: {"fc/0.0.fc50/port_type": GONE}}, "gone"),
        ("H13", BAD, {SETTING: {"disk/sda/state": "offline"}}, "sda is offline"),
        ("H13", BAD, {SETTING: {"rport/0:0-1/port_state": "Blocked"}}, "remote port 0:0-1 is Blocked"),
        ("H13", BAD, {SETTING: {"fc/0.0.fc50/port_state": "Linkdown"}}, "0.0.fc50 is Linkdown"),
        ("H13", BAD, {PATH: {"8:16": {"device": "transport-offline"}}}, "sdb is transport-offline"),
        ("H13", BAD, {DEVICE: {"0.0.fc51": {"online": 0}}}, "0.0.fc51 is offline"),
        ("H13", UNKNOWN, {SETTING: None, PATH: None}, "settings were not recorded"),
        ("K2", LOOK, {SETTING: {"zfcp/datarouter": "N"}}, "zfcp.datarouter is off"),
        ("K2", UNKNOWN, {SETTING: {"zfcp/datarouter": GONE}}, "zfcp.datarouter: gone"),
        *((name, UNKNOWN, TEXTS, UNREAD.reason) for name in ("B8", "H10", "H11", "H12", "H13", "K2")),
        *((name, SKIP, NO_LUN, "no SCSI disk behind FCP") for name in ("B8", "H10")),
        *((name, SKIP, NO_FCP, "no SCSI disk behind FCP")
          for name in ("B8", "H10", "H11", "H12", "H13", "K2")),
        *((name, OK, {}, "") for name in ("B8", "H1", "H10", "H10b", "H10c", "H11", "H12", "H13", "K2")),
    ],
)  # fmt: skip
def test_a_check_finds_what_is_broken(name: str, state: State, changes: dict[Any, Any], words: str) -> None:
    """Each on a machine that has just this."""
    found = result(name, changes)
    assert (found.state, found.words) == (state, words or found.words)


def test_two_luns_of_one_number_in_two_boxes_are_two() -> None:
    """Ports of one DS8000 have names that end alike; those of another box do not."""
    other = {LAYER: {"253:0": None, "8:16": {"wwpn": "0x5005076305ffc2aa"}}}
    assert result("B8", other).state is OK
    assert result("H10", other).words == "reached over one path: sda, sdb"
