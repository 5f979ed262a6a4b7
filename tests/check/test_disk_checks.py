from __future__ import annotations

from typing import Any, Final

import pytest

from tests.check.machines import GONE, good, result
from zmon.check.practice import State
from zmon.kinds import BLOCK, CHANNEL, DASD, DEVICE, LAYER, MACHINE, MOUNT, SETTING

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


@pytest.mark.parametrize(
    ("name", "state", "changes", "words"),
    [
        ("B1", OK, TOLD, ""),
        ("B4", OK, TOLD, "4 large volumes, all with aliases"),
        ("B26", UNKNOWN, TOLD, "hpf of 7600: gone"),
        ("H5", OK, TOLD, ""),
        ("H7", OK, TOLD, "4,096 bytes on 4 ECKD disks"),
        ("H8", UNKNOWN, TOLD, "gone"),
        ("B1", SKIP, rows([*BASES, *ALIASES], driver=GONE, vendor=GONE, uid="HRC.ZZ000000000001.7000.00"),
         "the disks are emulated"),
        *((name, UNKNOWN, NOT_TOLD, "not collected: lsdasd, which says what of the devices is a DASD")
          for name in ("B1", "B2", "B4", "B5", "B26", "B28", "B29", "H5", "H6", "H7", "H8", "H9")),
        ("B1", UNKNOWN, rows(ALIASES, driver=GONE, alias=GONE, block=GONE, uid=GONE),
         "not collected: lsdasd, which says what of the devices is a DASD"),
        *((name, UNKNOWN, rows(ALIASES, uid=GONE), "36 aliases without a uid, so their LCU is not known")
          for name in ("B2", "B4", "H5")),
        ("B1", BAD, NO_ALIASES, "no alias for the 4 disks of LCU 7600, LCU 7A00 and LCU 7700"),
        ("B1", BAD, TWO_FEW, "no alias for the 3 disks of LCU 7A00 and LCU 7700"),
        ("B1", UNKNOWN, rows(ALIASES, uid=GONE), "36 aliases without a uid, so their LCU is not known"),
        ("B1", LOOK, rows(ALIASES[:4]), "LCU 7600 has 8 aliases"),
        ("B1", SKIP, NO_ALIASES | {DASD: {key: {"storage": "2105-800"} for key in BASES}},
         "HyperPAV needs a DS8000 and FICON channels, which LCU 7600, LCU 7A00 and LCU 7700 have not"),
        ("B1", SKIP, NO_ALIASES | {CHANNEL: {key: {"type": 0x05} for key in good()[CHANNEL]}}, ""),
        ("B1", SKIP, EMULATED, "the disks are emulated"),
        ("B1", SKIP, OFFLINE, "no DASD is online"),
        ("B1", SKIP, {DEVICE: pav(1)[DEVICE] | dict.fromkeys(BASES[1:])},
         "the aliases are bound to disks (base PAV)"),
        ("B1", UNKNOWN, {DEVICE: None}, "devices were not recorded"),
        ("B2", SKIP, {}, "no alias is bound to a disk: HyperPAV, or no PAV"),
        ("B2", OK, pav(7), "1 disk with 7 aliases or more, none of them busy"),
        ("B2", OK, pav(3), ""),
        ("B3", SKIP, {}, "only in a guest of z/VM"),
        ("B3", SKIP, {MACHINE: {"machine": {"environment": "zvm"}}}, "no disk is a minidisk"),
        ("B3", OK, MINIDISKS, "4 minidisks, with aliases"),
        ("B3", LOOK, {**MINIDISKS, DEVICE: MINIDISKS[DEVICE] | NO_ALIASES[DEVICE]}, ""),
        ("B3", UNKNOWN, {MACHINE: {"machine": {"environment": "", "architecture": "s390x"}}}, ""),
        ("B4", LOOK, NO_ALIASES, ""),
        ("B4", SKIP, {DASD: {busid: {"cylinders": 10017} for busid in BASES}}, ""),
        ("B4", UNKNOWN, {DASD: {busid: {"cylinders": GONE, "blocks": GONE} for busid in BASES}}, "gone"),
        ("B26", LOOK, rows(BASES[:1], hpf=0), "not in use on 1 disk of a DS8000: 7600"),
        ("B26", UNKNOWN, {**rows(BASES, hpf=0, cutype="3990/e9"), DASD: None},
         "it is not in use, and the type of the storage server is not known"),
        ("B26", SKIP, {**rows(BASES, hpf=0, cutype="2105/e8"), DASD: None}, "no ECKD disk of a DS8000"),
        ("B26", LOOK, {**rows(BASES[:1], hpf=0, cutype="2107/e8"), DASD: None},
         "not in use on 1 disk of a DS8000: 7600"),
        ("B26", UNKNOWN, rows(BASES, hpf=GONE), "hpf of 7600: gone"),
        ("B26", SKIP, {**rows(BASES, hpf=0), DASD: {busid: {"storage": "2105-F20"} for busid in BASES}}, ""),
        ("H2", BAD, rows(BASES[:1], availability="boxed"), "0.0.7600 is 'boxed'"),
        ("H2", UNKNOWN, {DEVICE: None}, ""),
        ("H3", LOOK, rows(ALIASES[:30] + BASES, online=0), ""),
        ("H4", LOOK, {SETTING: {"cio_ignore": "0.0.7600-0.0.76ef"}}, ""),
        ("H4", UNKNOWN, {SETTING: {"cio_ignore": GONE}}, "gone"),
        ("H5", LOOK, rows(BASES[:1], online=0), ""),
        ("H5", SKIP, NO_ALIASES, "there is no alias"),
        ("H6", BAD, {SETTING: {"cmdline/dasd": "nopav,7000"}}, "dasd=nopav is set: Linux uses no alias"),
        ("H6", LOOK, {SETTING: {"cmdline/dasd": "nopav"}, MACHINE: {"machine": {"environment": "zvm"}}}, ""),
        ("H6", UNKNOWN, {SETTING: {"cmdline": GONE}}, "gone"),
        ("H7", LOOK, {BLOCK: {"dasda": {"block_size": 512}}}, "7600 has 512 bytes"),
        ("H7", UNKNOWN, {BLOCK: {name: {"block_size": GONE} for name in good()[BLOCK]},
                         DASD: {busid: {"block_size": GONE} for busid in BASES}}, "gone"),
        ("H8", BAD, {LAYER: {"94:1": {"start": 2}}}, "begins on the tracks of the label: dasda1"),
        ("H8", OK, {LAYER: {"94:1": {"start": 24}}}, ""),
        ("H8", LOOK, {LAYER: {"94:5": None}, MOUNT: {"31": {"number": "94:4"}}}, ""),
        ("H8", UNKNOWN, {LAYER: None}, "block devices were not recorded"),
        ("K1", LOOK, {SETTING: {"disk/sda/scheduler": "mq-deadline"}}, "mq-deadline on 1 disk: sda"),
        ("K1", UNKNOWN, {SETTING: None}, "settings were not recorded"),
        ("K1", SKIP, {**OFFLINE, LAYER: {"8:0": None, "8:16": None, "253:0": None}}, ""),
    ],
)  # fmt: skip
def test_a_check_finds_what_is_broken(name: str, state: State, changes: dict[Any, Any], words: str) -> None:
    """Each on a machine that has just this."""
    found = result(name, changes)
    assert (found.state, found.words) == (state, words or found.words)


@pytest.mark.parametrize("name", ["B1", "B4", "B26", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "K1"])
def test_a_good_machine_is_ok(name: str) -> None:
    """So none of the above is an accident."""
    assert result(name).state is OK


def test_few_aliases_of_a_busy_disk_deserve_a_look() -> None:
    """Three aliases are too few where the disk has a request most of the time; seven are not."""
    busy = {BLOCK: {"dasda": {"io_ms": 900}}}
    found = result("B2", pav(3), busy)
    assert (found.state, found.words) == (LOOK, "few aliases of busy disks: 7600 (3 and 90 % busy)")
    assert result("B2", pav(7), busy).state is OK


def test_disks_without_io_lack_no_alias() -> None:
    """Without aliases and without load it deserves a look, no more."""
    idle = {BLOCK: {name: {"io_ms": 0} for name in good()[BLOCK]}}
    assert result("B1", NO_ALIASES, idle).state is LOOK
