from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.check.machines import GONE, good, result
from tests.diagnosis.simulated import view_of
from zmon.base.absent import absent
from zmon.check.practice import State
from zmon.diagnosis.judged import verdict_of
from zmon.kinds import CHANNEL, DEVICE, LAYER, PATH, SETTING
from zmon.tables.checked import results_of

if TYPE_CHECKING:
    from tests.check.machines import Situations

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
NO_FCP: Final = {LAYER: {"8:0": None, "8:16": None, "253:0": None}}
NO_LUN: Final = {LAYER: {disk: {"wwpn": GONE, "lun": GONE} for disk in ("8:0", "8:16")}}
"""Multipath over disks of a host, as virtio-scsi has them."""
UNREAD: Final = absent("not collected: lszfcp -D")
TEXTS: Final = {LAYER: {disk: {"wwpn": UNREAD, "lun": UNREAD} for disk in ("8:0", "8:16")}}
"""What multipath -ll and lsblk say of the disks."""
TAKEN_OFF: Final = {DEVICE: {"0.0.fc51": {"online": 0}}}
WWPN: Final = good()[LAYER]["8:0"]["wwpn"]


SITUATIONS: Final[Situations] = [
    ("B8", BAD, {LAYER: {"253:0": None}}),
    ("B8", UNKNOWN, {LAYER: None}),
    ("H1", BAD, {CHANNEL: {"0.41": {"configure": 0}}}),
    ("H1", BAD, {CHANNEL: {"0.41": {"status": "offline"}}}),
    ("H1", BAD, {DEVICE: {"0.0.7600": {"vpm": 0x80}}}),
    ("H1", BAD, {CHANNEL: {"0.40": {"status": "offline"}, "0.41": {"status": "offline"}}}),
    ("H1", BAD, {DEVICE: {"0.0.7600": {"path_masks": "80 00 00 40 00 00"}}}),
    ("H1", OK, {CHANNEL: {"0.60": {"configure": 0}}}),
    ("H1", UNKNOWN, {DEVICE: None}),
    ("H10", BAD, {LAYER: {"8:16": None}}),
    ("H10", BAD, {LAYER: {"8:16": {"busid": "0.0.fc50"}}}),
    ("H10", LOOK, {LAYER: {"8:16": {"wwpn": WWPN}}}),
    ("H10b", BAD, {PATH: {"8:16": {"state": "failed"}}}),
    ("H10b", BAD, {PATH: {"8:16": {"device": "transport-offline"}}}),
    ("H10b", LOOK, {PATH: {"8:32": {**good()[PATH]["8:0"], "state": "failed"}}}),
    ("H10b", BAD, {**NO_LUN, PATH: {"8:0": {"device": "offline"}}}),
    ("H10b", BAD, {**NO_LUN, PATH: {"8:0": {"device": "offline", "adapter": "0.0.0005"}}}),
    ("H10b", BAD, {PATH: None, SETTING: {"paths/253:0": "8:0=A 8:16=F"}}),
    ("H10b", LOOK, {PATH: None, SETTING: {"paths/253:0": "8:0=A 8:16=F 8:32=A"}}),
    ("H10b", UNKNOWN, {PATH: None, SETTING: {"paths/253:0": GONE}}),
    ("H10b", SKIP, NO_FCP),
    ("H10c", BAD, {SETTING: {"programs": "zmon"}}),
    ("H10c", UNKNOWN, {SETTING: {"programs": GONE}}),
    ("H10c", SKIP, NO_FCP),
    ("H11", BAD, {DEVICE: {"0.0.fc51": {"chpids": "50"}}}),
    ("H11", UNKNOWN, {DEVICE: {"0.0.fc51": {"chpids": GONE}}}),
    ("H12", LOOK, {SETTING: {"fc/0.0.fc50/port_type": "NPort (fabric via point-to-point)"}}),
    ("H12", UNKNOWN, {SETTING: {"fc/0.0.fc50/port_type": GONE}}),
    ("H13", BAD, {SETTING: {"disk/sda/state": "offline"}}),
    ("H13", BAD, {SETTING: {"rport/0:0-1/port_state": "Blocked"}}),
    ("H13", BAD, {SETTING: {"fc/0.0.fc50/port_state": "Linkdown"}}),
    ("H13", BAD, {PATH: {"8:16": {"device": "transport-offline"}}}),
    ("H13", BAD, TAKEN_OFF),
    ("H13", BAD, {**TAKEN_OFF, PATH: {"8:16": {"device": "transport-offline"}}}),
    ("H10b", BAD, {**TAKEN_OFF, PATH: {"8:16": {"device": "transport-offline"}}}),
    ("H13", BAD, {**TAKEN_OFF, PATH: {"8:0": {"device": "transport-offline"}}}),
    ("H13", UNKNOWN, {SETTING: None, PATH: None}),
    ("K2", LOOK, {SETTING: {"zfcp/datarouter": "N"}}),
    ("K2", UNKNOWN, {SETTING: {"zfcp/datarouter": GONE}}),
    *((name, UNKNOWN, TEXTS) for name in ("B8", "H10", "H11", "H12", "H13", "K2")),
    *((name, SKIP, NO_LUN) for name in ("B8", "H10")),
    *((name, SKIP, NO_FCP)
      for name in ("B8", "H10", "H11", "H12", "H13", "K2")),
    *((name, OK, {}) for name in ("B8", "H1", "H10", "H10b", "H10c", "H11", "H12", "H13", "K2")),
]  # fmt: skip


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
    assert "sda and sdb" in result("H10", other).words
