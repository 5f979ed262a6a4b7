from __future__ import annotations

from typing import Any, Final

import pytest

from tests.check.machines import GONE, good, result
from zmon.check.practice import State
from zmon.kinds import DEVICE, LAYER, MACHINE, SETTING

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE
NO_FCP: Final = {LAYER: {"8:0": None, "8:16": None, "253:0": None}}
OLD: Final = {"machine": {"kernel": "2.6.32-358.el6.s390x"}}


def table(words: str) -> dict[Any, Any]:
    """Return a change of the multipath device's table."""
    return {LAYER: {"253:0": {"table": f"0 8192000 multipath {words}"}}}


FAILOVER: Final = table("0 0 2 1 round-robin 0 1 1 8:0 1000 round-robin 0 1 1 8:16 1000")
THOUSAND: Final = table("0 0 1 1 round-robin 0 2 1 8:0 1000 8:16 1000")
HUNDRED: Final = table("0 0 1 1 round-robin 0 2 1 8:0 100 8:16 100")

VISIBLE: Final[dict[Any, Any]] = {
    DEVICE: {"0.0.76f0": {"uid": "IBM.750000000F2001.7600.00", "block": "dasde"}},
    LAYER: {"94:16": {"name": "dasde", "sort": "disk", "below": "", "size": 1}},
}


def joined(words: str) -> dict[Any, Any]:
    """Return a disk and its alias below a multipath device."""
    row = {"name": "dm-7", "sort": "dm", "uuid": "mpath-x", "mapped": "pav1", "size": 1,
           "below": "94:0 94:16", "table": f"0 1 multipath 0 0 {words}"}  # fmt: skip
    return {**VISIBLE, LAYER: VISIBLE[LAYER] | {"253:7": row}}


@pytest.mark.parametrize(
    ("name", "state", "changes", "words"),
    [
        ("B5", SKIP, {}, ""),
        ("B5", BAD, VISIBLE, "a disk and its aliases are block devices without multipath: dasda"),
        ("B5", BAD, joined("2 1 round-robin 0 1 0 94:0 round-robin 0 1 0 94:16"), ""),
        ("B5", OK, joined("1 1 round-robin 0 2 0 94:0 94:16"), ""),
        ("B5", UNKNOWN, {LAYER: None}, "block devices were not recorded"),
        ("B6", SKIP, THOUSAND, ""),
        ("B6", LOOK, {**THOUSAND, MACHINE: OLD}, "1,000 requests before the path changes: data01"),
        ("B6", OK, {**HUNDRED, MACHINE: OLD}, "the path changes after 100 requests"),
        ("B6", SKIP, {MACHINE: OLD}, "no multipath device with round-robin"),
        ("B6", LOOK, {**THOUSAND, MACHINE: {"machine": {"kernel": GONE}}}, ""),
        ("B7", OK, {}, "1 multipath device, paths used together by service-time"),
        ("B7", BAD, FAILOVER, "each path is a group of its own (failover), so one does all: data01"),
        ("B7", UNKNOWN, {LAYER: {"253:0": {"table": GONE}}}, "gone"),
        ("B7", UNKNOWN, table("what is this"), ""),
        ("B7", SKIP, NO_FCP, "no SCSI disk behind FCP"),
        ("B9", OK, {}, ""),
        ("B9", LOOK, {SETTING: {"multipath.conf/defaults/rr_min_io": "100"}}, "only in defaults: rr_min_io"),
        ("B9", OK, {SETTING: {"multipath.conf/defaults/rr_min_io": "100",
                              "multipath.conf/devices.1/rr_min_io": "100"}}, ""),
        ("B9", UNKNOWN, {SETTING: {"multipath.conf": GONE}}, "gone"),
        ("B9", SKIP, NO_FCP, "no multipath device"),
        ("B10", OK, {}, "1 multipath device with names: data01"),
        ("B10", LOOK, {LAYER: {"253:0": {"mapped": good()[LAYER]["253:0"]["uuid"][6:]}}}, ""),
        ("B10", SKIP, NO_FCP, "no multipath device"),
        ("B10", UNKNOWN, {LAYER: None}, ""),
    ],
)  # fmt: skip
def test_a_check_finds_what_is_broken(name: str, state: State, changes: dict[Any, Any], words: str) -> None:
    """Each on a machine that has just this."""
    found = result(name, changes)
    assert (found.state, found.words) == (state, words or found.words)
