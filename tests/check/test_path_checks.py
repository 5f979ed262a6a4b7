from __future__ import annotations

from typing import Any, Final

import pytest

from tests.check.machines import GONE, good, result
from tests.diagnosis.simulated import view_of
from zmon.base.absent import absent
from zmon.check.practice import State
from zmon.diagnosis.judged import verdict_of
from zmon.kinds import CHANNEL, DEVICE, LAYER, PATH, SETTING
from zmon.tables.checked import results_of

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
NO_FCP: Final = {LAYER: {"8:0": None, "8:16": None, "253:0": None}}
NO_LUN: Final = {LAYER: {disk: {"wwpn": GONE, "lun": GONE} for disk in ("8:0", "8:16")}}
"""Multipath over disks of a host, as virtio-scsi has them."""
UNREAD: Final = absent("not collected: lszfcp -D")
TEXTS: Final = {LAYER: {disk: {"wwpn": UNREAD, "lun": UNREAD} for disk in ("8:0", "8:16")}}
"""What multipath -ll and lsblk say of the disks."""
SET_ONLINE: Final = "set FCP device 0.0.fc51 online again, as root: chccwdev -e 0.0.fc51"
SET_RUNNING: Final = "When that is mended, as root: echo running > /sys/block/sda/device/state"
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


@pytest.mark.parametrize(
    ("name", "changes", "advice"),
    [
        ("H1", {CHANNEL: {"0.41": {"configure": 0}}}, "configure it on: chchp -c 1 41, or at the HMC"),
        ("H1", {CHANNEL: {"0.41": {"status": "offline"}}}, "vary it on: chchp -v 1 41"),
        ("H1", {CHANNEL: {"0.40": {"status": "offline"}, "0.41": {"status": "offline"}}},
         "vary them on: chchp -v 1 40,41"),
        ("H1", {DEVICE: {"0.0.7600": {"vpm": 0x80}}},
         "have the link of channel path 41 checked: cable, switch, port"),
        ("H1", {DEVICE: {"0.0.7600": {"path_masks": "80 00 00 40 00 00"}}},
         "wait for the end of the maintenance of the control unit; it resumes the path"),
        ("H13", {DEVICE: {"0.0.fc51": {"online": 0}}},
         SET_ONLINE),
        ("H13", {DEVICE: {"0.0.fc51": {"online": 0}}, PATH: {"8:16": {"device": "transport-offline"}}},
         SET_ONLINE),
        ("H10b", {DEVICE: {"0.0.fc51": {"online": 0}}, PATH: {"8:16": {"device": "transport-offline"}}},
         SET_ONLINE),
        ("H13", {DEVICE: {"0.0.fc51": {"online": 0}}, PATH: {"8:0": {"device": "transport-offline"}}},
         f"{SET_ONLINE}. See multipath -ll and lszfcp -D; what is lost goes over FCP device 0.0.fc50"),
        ("H13", {SETTING: {"disk/sda/state": "offline"}},
         f"see multipath -ll and lszfcp -D; what is lost goes over FCP device 0.0.fc50. {SET_RUNNING}"),
        ("H10b", {PATH: None, SETTING: {"paths/253:0": "8:0=A 8:16=F"}},
         "see multipath -ll and lszfcp -D; what is lost goes over FCP device 0.0.fc51"),
        ("H10b", {**NO_LUN, PATH: {"8:0": {"device": "offline", "adapter": "0.0.0005"}}},
         f"see multipath -ll and dmesg; what is lost goes over adapter 0.0.0005. {SET_RUNNING}"),
        ("H10", {LAYER: {"8:16": {"wwpn": WWPN}}},
         "attach the LUN through a second port of the storage server, too: it has two FCP devices already"),
    ],
)  # fmt: skip
def test_what_to_do_follows_from_what_was_found(name: str, changes: dict[Any, Any], advice: str) -> None:
    """Not from the check: a path that somebody took off is put back, a broken one is mended."""
    assert result(name, changes).advice == advice


def test_a_port_that_failed_is_recovered_as_the_check_always_advises() -> None:
    """Which of them are the port's own matter no other file says."""
    found = result("H13", {SETTING: {"fc/0.0.fc50/port_state": "Linkdown"}})
    assert found.advice == found.check.advice


@pytest.mark.parametrize(("scenario", "name"), [("fcp-one-adapter", "H13"), ("path-lost", "H1")])
def test_check_advises_what_diagnose_does(scenario: str, name: str) -> None:
    """One fault has one remedy, wherever it is read."""
    view = view_of(scenario)
    (found,) = results_of(view, [name])
    (diagnosis,) = verdict_of(view).diagnoses
    assert f"{found.advice[:1].upper()}{found.advice[1:]}." == diagnosis.action


def test_two_luns_of_one_number_in_two_boxes_are_two() -> None:
    """Ports of one DS8000 have names that end alike; those of another box do not."""
    other = {LAYER: {"253:0": None, "8:16": {"wwpn": "0x5005076305ffc2aa"}}}
    assert result("B8", other).state is OK
    assert result("H10", other).words == "reached over one path: sda and sdb"
