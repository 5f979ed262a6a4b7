from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.check.machines import GONE, good
from zmon.check.practice import State
from zmon.kinds import BLOCK, CHANNEL, DASD, DEVICE, LAYER, MACHINE, MOUNT, SETTING

if TYPE_CHECKING:
    from tests.check.machines import Situations

BAD, LOOK, OK, UNKNOWN, SKIP = State.BAD, State.LOOK, State.OK, State.UNKNOWN, State.NOT_APPLICABLE

ALIASES: Final = [busid for busid, row in good()[DEVICE].items() if row.get("alias") == 1]
BASES: Final = [busid for busid, row in good()[DEVICE].items() if row.get("alias") == 0]


def rows(busids: list[str], **fields: Any) -> dict[Any, Any]:
    """Return a change of devices."""
    return {DEVICE: dict.fromkeys(busids, fields or None)}


def pav(count: int) -> dict[Any, Any]:
    """Return so many aliases of one disk instead of HyperPAV."""
    changes = rows(ALIASES)
    row = good()[DEVICE][ALIASES[0]]
    changes[DEVICE] |= {f"0.0.76a{at}": {**row, "uid": "IBM.750000000F2001.7600.00"} for at in range(count)}
    return changes


NO_ALIASES: Final = rows(ALIASES)
TWO_FEW: Final = rows(ALIASES[1:])
MINIDISKS: Final = {
    **rows(BASES, uid="IBM.750000000F2001.7600.00.000000010000c3500000000000000000"),
    MACHINE: {"machine": {"environment": "zvm"}},
}
EMULATED: Final = rows([*BASES, *ALIASES], vendor="HRC")
OFFLINE: Final = rows([*BASES, *ALIASES], online=0)


TOLD: Final = {
    **rows([*BASES, *ALIASES], driver=GONE, vendor=GONE, hpf=GONE),
    BLOCK: {name: {"block_size": GONE} for name in good()[BLOCK]},
    DASD: {busid: {"cylinders": GONE, "storage": GONE, "blocks": 5_896_620} for busid in BASES},
    LAYER: {f"94:{4 * at + 1}": {"start": GONE} for at in range(4)},
}
"""What lsdasd, lscss and lsblk print of the machine."""
NOT_TOLD: Final = rows([*BASES, *ALIASES], driver=GONE, alias=GONE, block=GONE, uid=GONE)
"""What lscss alone prints."""
BUSY: Final = {BLOCK: {"dasda": {"io_ms": 900}}}
"""One disk has a request most of the time."""
IDLE: Final = {BLOCK: {name: {"io_ms": 0} for name in good()[BLOCK]}}

SITUATIONS: Final[Situations] = [
    ("B1", OK, TOLD),
    ("B4", OK, TOLD),
    ("B26", UNKNOWN, TOLD),
    ("H5", OK, TOLD),
    ("H7", OK, TOLD),
    ("H8", UNKNOWN, TOLD),
    ("B1", SKIP, rows([*BASES, *ALIASES], driver=GONE, vendor=GONE, uid="HRC.ZZ000000000001.7000.00")),
    *((name, UNKNOWN, NOT_TOLD)
      for name in ("B1", "B2", "B4", "B5", "B26", "B28", "B29", "H5", "H6", "H7", "H8", "H9")),
    ("B1", UNKNOWN, rows(ALIASES, driver=GONE, alias=GONE, block=GONE, uid=GONE)),
    *((name, UNKNOWN, rows(ALIASES, uid=GONE))
      for name in ("B2", "B4", "H5")),
    ("B1", BAD, NO_ALIASES, BUSY),
    ("B1", LOOK, TWO_FEW, BUSY),
    ("B1", LOOK, NO_ALIASES),
    ("B1", UNKNOWN, rows(ALIASES, uid=GONE)),
    ("B1", LOOK, rows(ALIASES[:4])),
    ("B1", LOOK, NO_ALIASES, IDLE),
    ("B1", SKIP, NO_ALIASES | {DASD: {key: {"storage": "2105-800"} for key in BASES}}),
    ("B1", SKIP, NO_ALIASES | {CHANNEL: {key: {"type": 0x05} for key in good()[CHANNEL]}}),
    ("B1", SKIP, EMULATED),
    ("B1", SKIP, OFFLINE),
    ("B1", SKIP, {DEVICE: pav(1)[DEVICE] | dict.fromkeys(BASES[1:])}),
    ("B1", UNKNOWN, {DEVICE: None}),
    ("B2", SKIP, {}),
    ("B2", OK, pav(7)),
    ("B2", OK, pav(3)),
    ("B2", LOOK, pav(3), BUSY),
    ("B2", OK, pav(7), BUSY),
    ("B3", SKIP, {}),
    ("B3", SKIP, {MACHINE: {"machine": {"environment": "zvm"}}}),
    ("B3", OK, MINIDISKS),
    ("B3", LOOK, {**MINIDISKS, DEVICE: MINIDISKS[DEVICE] | NO_ALIASES[DEVICE]}),
    ("B3", UNKNOWN, {MACHINE: {"machine": {"environment": "", "architecture": "s390x"}}}),
    ("B4", LOOK, NO_ALIASES),
    ("B4", SKIP, {DASD: {busid: {"cylinders": 10017} for busid in BASES}}),
    ("B4", UNKNOWN, {DASD: {busid: {"cylinders": GONE, "blocks": GONE} for busid in BASES}}),
    ("B26", LOOK, rows(BASES[:1], hpf=0)),
    ("B26", UNKNOWN, {**rows(BASES, hpf=0, cutype="3990/e9"), DASD: None}),
    ("B26", SKIP, {**rows(BASES, hpf=0, cutype="2105/e8"), DASD: None}),
    ("B26", LOOK, {**rows(BASES[:1], hpf=0, cutype="2107/e8"), DASD: None}),
    ("B26", UNKNOWN, rows(BASES, hpf=GONE)),
    ("B26", SKIP, {**rows(BASES, hpf=0), DASD: {busid: {"storage": "2105-F20"} for busid in BASES}}),
    ("H2", BAD, rows(BASES[:1], availability="boxed")),
    ("H2", UNKNOWN, {DEVICE: None}),
    ("H3", LOOK, rows(ALIASES[:30] + BASES, online=0)),
    ("H4", LOOK, {SETTING: {"cio_ignore": "0.0.7600-0.0.76ef"}}),
    ("H4", UNKNOWN, {SETTING: {"cio_ignore": GONE}}),
    ("H5", LOOK, rows(BASES[:1], online=0)),
    ("H5", SKIP, NO_ALIASES),
    ("H6", BAD, {SETTING: {"cmdline/dasd": "nopav,7000"}}),
    ("H6", LOOK, {SETTING: {"cmdline/dasd": "nopav"}, MACHINE: {"machine": {"environment": "zvm"}}}),
    ("H6", UNKNOWN, {SETTING: {"cmdline": GONE}}),
    ("H7", LOOK, {BLOCK: {"dasda": {"block_size": 512}}}),
    ("H7", UNKNOWN, {BLOCK: {name: {"block_size": GONE} for name in good()[BLOCK]},
                     DASD: {busid: {"block_size": GONE} for busid in BASES}}),
    ("H8", BAD, {LAYER: {"94:1": {"start": 2}}}),
    ("H8", OK, {LAYER: {"94:1": {"start": 24}}}),
    ("H8", LOOK, {LAYER: {"94:5": None}, MOUNT: {"31": {"number": "94:4"}}}),
    ("H8", UNKNOWN, {LAYER: None}),
    ("K1", LOOK, {SETTING: {"disk/sda/scheduler": "mq-deadline"}}),
    ("K1", UNKNOWN, {SETTING: None}),
    ("K1", SKIP, {**OFFLINE, LAYER: {"8:0": None, "8:16": None, "253:0": None}}),
    *((name, OK, {}) for name in ("B1", "B4", "B26", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "K1")),
]  # fmt: skip
