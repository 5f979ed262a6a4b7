from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.check.machines import GONE, good
from zmon.check.practice import State
from zmon.kinds import DEVICE, LAYER, MACHINE, SETTING

if TYPE_CHECKING:
    from tests.check.machines import Situations

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


SITUATIONS: Final[Situations] = [
    ("B5", SKIP, {}),
    ("B5", BAD, VISIBLE),
    ("B5", BAD, joined("2 1 round-robin 0 1 0 94:0 round-robin 0 1 0 94:16")),
    ("B5", OK, joined("1 1 round-robin 0 2 0 94:0 94:16")),
    ("B5", UNKNOWN, {LAYER: None}),
    ("B6", SKIP, THOUSAND),
    ("B6", LOOK, {**THOUSAND, MACHINE: OLD}),
    ("B6", OK, {**HUNDRED, MACHINE: OLD}),
    ("B6", SKIP, {MACHINE: OLD}),
    ("B6", LOOK, {**THOUSAND, MACHINE: {"machine": {"kernel": GONE}}}),
    ("B7", OK, {}),
    ("B7", BAD, FAILOVER),
    ("B7", UNKNOWN, {LAYER: {"253:0": {"table": GONE}}}),
    ("B7", UNKNOWN, table("what is this")),
    ("B7", SKIP, NO_FCP),
    ("B9", OK, {}),
    ("B9", LOOK, {SETTING: {"multipath.conf/defaults/rr_min_io": "100"}}),
    ("B9", OK, {SETTING: {"multipath.conf/defaults/rr_min_io": "100",
                          "multipath.conf/devices.1/rr_min_io": "100"}}),
    ("B9", UNKNOWN, {SETTING: {"multipath.conf": GONE}}),
    ("B9", SKIP, NO_FCP),
    ("B10", OK, {}),
    ("B10", LOOK, {LAYER: {"253:0": {"mapped": good()[LAYER]["253:0"]["uuid"][6:]}}}),
    ("B10", SKIP, NO_FCP),
    ("B10", UNKNOWN, {LAYER: None}),
]  # fmt: skip
